"""What the conditions around a part of an expression say about the values in it.

A fact is a short text such as `has object["spec"]["n"]`; the same place written in two ways gives the same fact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel.printer import print_expression, quote
from workloadmap_spec.cel.tree import Binary, Call, Has, Ident, Index, ListLiteral, Macro, Node, Select, Unary

if TYPE_CHECKING:
    from collections.abc import Iterator

Facts = frozenset[str]
NO_FACTS: Final[Facts] = frozenset()
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def place(node: Node) -> str:
    """The canonical text of a node, in which `a.b` and `a["b"]` are the same."""
    match node:
        case Select():
            return f"{place(node.operand)}[{quote(node.field)}]"
        case Index():
            return f"{place(node.operand)}[{print_expression(node.key)}]"
        case _:
            return print_expression(node)


def present(node: Node) -> str:
    """The fact that a field or element is there."""
    return f"has {place(node)}"


def sized(node: Node) -> str:
    """The fact that the number of elements was looked at."""
    return f"size {place(node)}"


def typed(node: Node) -> str:
    """The fact that the type was looked at."""
    return f"type {place(node)}"


def when_true(node: Node) -> Facts:
    """What holds where a condition is true."""
    match node:
        case Binary(operator="&&"):
            return when_true(node.left) | when_true(node.right)
        case Unary(operator="!"):
            return when_false(node.operand)
        case Has():
            return frozenset(_parents(node))
        case Binary(operator="in"):
            return frozenset({f"has {place(node.right)}[{print_expression(node.left)}]", sized(node.right)})
        case Macro(macro="exists" | "exists_one"):
            return frozenset({sized(node.range)})
        case _:
            return _compared(node)


def when_false(node: Node) -> Facts:
    """What holds where a condition is false."""
    match node:
        case Binary(operator="||"):
            return when_false(node.left) | when_false(node.right)
        case Unary(operator="!"):
            return when_true(node.operand)
        case _:
            return _compared(node)


def of_elements(macro: Macro) -> Facts:
    """What holds for each element of a macro's range: the range may itself be a filter with the same variable."""
    facts = NO_FACTS
    source = macro.range
    while isinstance(source, Macro) and source.macro == "filter":
        if source.variable == macro.variable:
            facts |= when_true(source.body)
        source = source.range
    return facts


def _parents(node: Has) -> Iterator[str]:
    """The field that was tested, and what must be there for it to be."""
    yield f"has {place(node.operand)}[{quote(node.field)}]"
    parent = node.operand
    while isinstance(parent, Select):
        yield present(parent)
        parent = parent.operand


def _compared(node: Node) -> Facts:
    """The sizes and types that a comparison looks at, whatever its outcome."""
    if not isinstance(node, Binary) or node.operator not in _COMPARISONS:
        return NO_FACTS
    facts: set[str] = set()
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match side:
            case Call(function="size", receiver=None, arguments=(argument,)):
                facts.add(sized(argument))
            case Call(function="size", receiver=receiver) if receiver is not None:
                facts.add(sized(receiver))
            case Call(function="type", receiver=None, arguments=(argument,)) if isinstance(other, Ident):
                facts.add(typed(argument))
            case ListLiteral(elements=()):
                facts.add(sized(other))
            case _:
                pass
    return frozenset(facts)

"""The tree of an expression.

Nodes are frozen: `NamedTuple`s rather than dataclasses, because a dozen frozen slotted dataclasses take longer to
create than the rest of this package takes to import. Every node begins with its place: `offset` and `length` count
code points in the text, without enclosing parentheses; `depth` is the number of levels below it, parentheses included
(rule P16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Macros with a variable and a body, and whether the body is a predicate.
MACROS: Final = {"all": True, "exists": True, "exists_one": True, "filter": True, "map": False}
#: Names that stand for types on the right of `type(x) ==`.
TYPE_NAMES: Final = frozenset({"bool", "double", "int", "list", "map", "null_type", "string"})


class Literal(NamedTuple):
    """`null`, `true`, `1`, `1.5`, `"text"`: the Python type of the value is the type of the literal."""

    offset: int
    length: int
    depth: int
    value: bool | int | float | str | None


class Ident(NamedTuple):
    """A name: a variable, a macro's variable, or a type."""

    offset: int
    length: int
    depth: int
    name: str


class Select(NamedTuple):
    """`operand.field`: the node ends with the name of the field."""

    offset: int
    length: int
    depth: int
    operand: Node
    field: str


class Index(NamedTuple):
    """`operand[key]`."""

    offset: int
    length: int
    depth: int
    operand: Node
    key: Node


class Call(NamedTuple):
    """`function(arguments)` or `receiver.function(arguments)`; `at` is the offset of the function's name."""

    offset: int
    length: int
    depth: int
    at: int
    function: str
    receiver: Node | None
    arguments: tuple[Node, ...]


class Has(NamedTuple):
    """`has(operand.field)`."""

    offset: int
    length: int
    depth: int
    operand: Node
    field: str


class Macro(NamedTuple):
    """`range.macro(variable, body)`; `at` is the offset of the macro's name, `variable_at` of the variable."""

    offset: int
    length: int
    depth: int
    at: int
    macro: str
    range: Node
    variable_at: int
    variable: str
    body: Node


class Unary(NamedTuple):
    """`!operand` or `-operand`."""

    offset: int
    length: int
    depth: int
    operator: str
    operand: Node


class Binary(NamedTuple):
    """`left operator right`; `at` is the offset of the operator."""

    offset: int
    length: int
    depth: int
    at: int
    operator: str
    left: Node
    right: Node


class Ternary(NamedTuple):
    """`condition ? then : otherwise`."""

    offset: int
    length: int
    depth: int
    condition: Node
    then: Node
    otherwise: Node


class ListLiteral(NamedTuple):
    """`[elements]`."""

    offset: int
    length: int
    depth: int
    elements: tuple[Node, ...]


class MapLiteral(NamedTuple):
    """`{key: value}`."""

    offset: int
    length: int
    depth: int
    entries: tuple[tuple[Node, Node], ...]


Node = Literal | Ident | Select | Index | Call | Has | Macro | Unary | Binary | Ternary | ListLiteral | MapLiteral


def children(node: Node) -> tuple[Node, ...]:  # noqa: PLR0911 - one case for each kind of node
    """The nodes directly below a node, in the order of the text."""
    match node:
        case Select() | Has() | Unary():
            return (node.operand,)
        case Index():
            return (node.operand, node.key)
        case Call():
            return node.arguments if node.receiver is None else (node.receiver, *node.arguments)
        case Macro():
            return (node.range, node.body)
        case Binary():
            return (node.left, node.right)
        case Ternary():
            return (node.condition, node.then, node.otherwise)
        case ListLiteral():
            return node.elements
        case MapLiteral():
            return tuple(part for entry in node.entries for part in entry)
        case _:
            return ()


def walk(tree: Node) -> Iterator[Node]:
    """The tree and every node below it."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def field_offset(node: Select) -> int:
    """The offset of the field's name in a selection."""
    return node.offset + node.length - len(node.field)

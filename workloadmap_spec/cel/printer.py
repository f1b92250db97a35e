"""The canonical text of a tree: one blank around binary operators, double quotes, no needless parentheses."""

from __future__ import annotations

from typing import Final

from workloadmap_spec.cel.parser import PRECEDENCE
from workloadmap_spec.cel.tree import (
    Binary,
    Call,
    Has,
    Ident,
    Index,
    ListLiteral,
    Literal,
    Macro,
    MapLiteral,
    Node,
    Select,
    Ternary,
    Unary,
)

_TERNARY: Final = 0
_UNARY: Final = 6
#: A number: `1.x` would be read as a number with a dot.
_NUMBER: Final = 7
_MEMBER: Final = 8
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def print_expression(tree: Node) -> str:  # noqa: PLR0911 - one case for each kind of node
    """The canonical text, from which `parse` makes an equal tree."""
    match tree:
        case Literal():
            return _literal(tree.value)
        case Ident():
            return tree.name
        case Select():
            return f"{_operand(tree.operand, _MEMBER)}.{tree.field}"
        case Index():
            return f"{_operand(tree.operand, _MEMBER)}[{print_expression(tree.key)}]"
        case Has():
            return f"has({_operand(tree.operand, _MEMBER)}.{tree.field})"
        case Call():
            before = "" if tree.receiver is None else f"{_operand(tree.receiver, _MEMBER)}."
            return f"{before}{tree.function}({', '.join(map(print_expression, tree.arguments))})"
        case Macro():
            body = print_expression(tree.body)
            return f"{_operand(tree.range, _MEMBER)}.{tree.macro}({tree.variable}, {body})"
        case ListLiteral():
            return f"[{', '.join(map(print_expression, tree.elements))}]"
        case MapLiteral():
            entries = (f"{print_expression(key)}: {print_expression(value)}" for key, value in tree.entries)
            return "{" + ", ".join(entries) + "}"
        case _:
            return _operators(tree)


def _operators(tree: Unary | Binary | Ternary) -> str:
    """The text of a node whose parts may need parentheses."""
    match tree:
        case Unary():
            # `!!x` may be written so; `--x`, `!-x` and `-!x` may not.
            twice = tree.operator == "!" and isinstance(tree.operand, Unary) and tree.operand.operator == "!"
            return f"{tree.operator}{_operand(tree.operand, _UNARY if twice else _NUMBER)}"
        case Binary():
            precedence = PRECEDENCE[tree.operator]
            left, right = _operand(tree.left, precedence), _operand(tree.right, precedence + 1)
            return f"{left} {tree.operator} {right}"
        case Ternary():
            condition, then = _operand(tree.condition, _TERNARY + 1), _operand(tree.then, _TERNARY + 1)
            return f"{condition} ? {then} : {print_expression(tree.otherwise)}"


def _operand(node: Node, minimum: int) -> str:
    """The text of a part, in parentheses unless it binds at least as tightly as `minimum`."""
    text = print_expression(node)
    return text if _precedence(node) >= minimum else f"({text})"


def _precedence(node: Node) -> int:
    """How tightly the outermost operator of a node binds."""
    match node:
        case Ternary():
            return _TERNARY
        case Binary():
            return PRECEDENCE[node.operator]
        case Unary():
            return _UNARY
        case Literal() if type(node.value) in {int, float}:
            return _NUMBER
        case _:
            return _MEMBER


def _literal(value: float | str | None) -> str:
    """The text of a literal: a double with a decimal point, a string in double quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        digits, mark, exponent = repr(value).partition("e")
        return (digits if "." in digits else f"{digits}.0") + mark + exponent
    if isinstance(value, int):
        return str(value)
    return quote(value)


def quote(text: str) -> str:
    """A string literal that holds a text."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'

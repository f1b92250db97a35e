"""What the checker infers about a part of an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from workloadmap_spec.cel.tree import Literal, Node, Unary
from workloadmap_spec.cel.types import DYN

if TYPE_CHECKING:
    from workloadmap_spec.cel.types import Type


class Inferred(NamedTuple):
    """The type of a part, twice.

    `engine` is what a type-checking CEL engine knows: everything that comes from a variable is `dyn` to it. `known` is
    what we know in addition, for instance that labels are a map of strings.
    """

    engine: Type
    known: Type


#: A part of which nothing is known, or in which something is wrong already.
ANY: Final = Inferred(DYN, DYN)


def article(known: Type) -> str:
    """A type with its article: `an int`."""
    written = str(known)
    if known.kind in {"dyn", "none", "null"}:
        return written
    return f"an {written}" if written[0] in "aeiou" else f"a {written}"


def number_of(node: Node) -> int | float | None:
    """The number that a literal stands for, with its sign."""
    if isinstance(node, Literal):
        value = node.value
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(node, Unary) and node.operator == "-":
        number = number_of(node.operand)
        return None if number is None else -number
    return None

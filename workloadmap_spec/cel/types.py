"""Static types of expressions and of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Type(NamedTuple):
    """A static type, and what is known of the values it stands for.

    `kind` is `dyn`, `null`, `bool`, `int`, `double`, `string`, `list`, `map`, `timestamp`, `duration`, or `none`, for
    the elements of an empty literal. `element` is the type of the elements of a list or of the values of a map.
    """

    kind: str
    element: Type | None = None
    #: Fields of a map that are always there.
    members: Mapping[str, Type] | None = None
    #: The map has no other fields, and is only ever read by the name of a field.
    closed: bool = False
    #: Other fields may be missing, and reading one without a guard deserves a warning.
    optional: bool = False
    #: The value may be the result of `+`, which cel-python leaves without some methods.
    computed: bool = False

    def __str__(self) -> str:
        """The type in a message: `list(int)`."""
        if self.kind in {"list", "map"} and self.element is not None and self.element.kind not in {"dyn", "none"}:
            return f"{self.kind}({self.element})"
        return {"dyn": "a value of unknown type", "none": "nothing"}.get(self.kind, self.kind)


DYN: Final = Type("dyn")
NULL: Final = Type("null")
BOOL: Final = Type("bool")
INT: Final = Type("int")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
#: The type of the elements of `[]` and `{}`: fits every other.
NONE: Final = Type("none")


def list_of(element: Type) -> Type:
    """The type of a list."""
    return Type("list", element)


def map_of(
    element: Type = DYN,
    members: Mapping[str, Type] | None = None,
    *,
    closed: bool = False,
    optional: bool = False,
) -> Type:
    """The type of a map with string keys; `members` are fields that are always there, with their types."""
    return Type("map", element, members, closed, optional)


def element_of(container: Type) -> Type:
    """The type of the elements of a list or of the values of a map; anything of anything else."""
    return container.element or DYN


def join(left: Type, right: Type, *, loose: bool = False) -> Type | None:
    """The one type of two values, or None; `loose` lets `dyn` stand for every type."""
    computed = left.computed or right.computed
    if left.kind == right.kind:
        if left.kind not in {"list", "map"}:
            return left._replace(computed=computed)
        element = join(element_of(left), element_of(right), loose=loose)
        return None if element is None else Type(left.kind, element, computed=computed)
    if left.kind == "none":
        return right
    if right.kind == "none":
        return left
    if loose and "dyn" in {left.kind, right.kind}:
        return Type("dyn", computed=computed)
    return None

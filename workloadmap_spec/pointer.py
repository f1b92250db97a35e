"""JSON Pointers (RFC 6901): made, taken apart and followed."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from workloadmap_spec.errors import Location, WorkloadMapError

#: A JSON value: dict with string keys, list, str, int, float, bool or None.
JSON: TypeAlias = Any

#: An index of a list as RFC 6901 (section 4) writes it: ASCII digits, no sign, no leading zero.
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")

#: A `~` that is not the start of `~0` or `~1`.
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")

#: No list is so long that its index has more digits; it keeps `int` away from texts of a million digits.
_MAX_INDEX_DIGITS: Final = 18

#: How many of the names that exist an error tells.
_SHOWN_NAMES: Final = 8


class PointerError(WorkloadMapError, LookupError):
    """A JSON Pointer is malformed, or leads to nothing in the document."""

    error_class = "input-invalid"


def escape(token: str) -> str:
    """One reference token as it is written in a pointer."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def join(base: str, *tokens: str | int) -> str:
    """The pointer that goes from `base` down the tokens, which are keys and list indexes and not escaped yet."""
    return base + "".join([f"/{escape(token) if isinstance(token, str) else token}" for token in tokens])


def is_below(pointer: str, place: str) -> bool:
    """Whether a pointer is a place or leads below it."""
    return pointer.startswith(place) and (len(pointer) == len(place) or pointer[len(place)] == "/")


def split(pointer: str) -> tuple[str, ...]:
    """The unescaped tokens of a pointer; `""` is the whole document and has none.

    Raises:
        PointerError: the text is not a JSON Pointer.

    """
    if not pointer:
        return ()
    if pointer[0] != "/":
        message = f"`{pointer}` is not a JSON Pointer: it does not begin with `/`"
        raise PointerError(message, Location(pointer=pointer), f"write `/{pointer}`")
    tokens = pointer[1:].split("/")
    if "~" not in pointer:
        return tuple(tokens)
    if _BAD_ESCAPE.search(pointer):
        message = f"`{pointer}` is not a JSON Pointer: a `~` is followed by neither 0 nor 1"
        raise PointerError(message, Location(pointer=pointer), "write `~` as `~0` and `/` inside a name as `~1`")
    return tuple([token.replace("~1", "/").replace("~0", "~") for token in tokens])


def list_index(token: str, length: int) -> int | None:
    """The index that a token means in a list of this length, or None when it means no element of it."""
    if len(token) > _MAX_INDEX_DIGITS or not _INDEX.fullmatch(token):
        return None
    index = int(token)
    return index if index < length else None


def resolve(document: JSON, pointer: str) -> JSON:
    """The value that the pointer leads to.

    Raises:
        PointerError: the pointer is malformed, or there is nothing where it leads to.

    """
    value = document
    for depth, token in enumerate(split(pointer)):
        if isinstance(value, dict):
            if token not in value:
                raise _missing(pointer, depth, f"there is no `{token}`", _names(value))
            value = value[token]
        elif isinstance(value, list):
            index = list_index(token, len(value))
            if index is None:
                raise _missing(pointer, depth, f"a list of {len(value)} has no `{token}`", _range(len(value)))
            value = value[index]
        else:
            raise _missing(pointer, depth, f"there is no `{token}` below a value that is neither map nor list", None)
    return value


def _missing(pointer: str, depth: int, what: str, cure: str | None) -> PointerError:
    """The error for a pointer that leads to nothing after `depth` good tokens."""
    parent = join("", *split(pointer)[:depth])
    return PointerError(f"{what} at `{parent}`" if parent else what, Location(pointer=pointer), cure)


def _names(value: dict[str, JSON]) -> str:
    """What a map does have, for the person who looked for something else."""
    names = sorted(str(name) for name in value)
    if not names:
        return "the map is empty"
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"it has {', '.join(f'`{name}`' for name in names[:_SHOWN_NAMES])}{more}"


def _range(length: int) -> str:
    """The indexes that a list does have."""
    return f"indexes go from 0 to {length - 1}" if length else "the list is empty"

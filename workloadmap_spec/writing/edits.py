"""Changes of an object at places (clause S20.6): maps on the way are made, all the rest stays."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.errors import Location, UpdateInvalidError
from workloadmap_spec.pointer import join, list_index, split
from workloadmap_spec.values import describe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workloadmap_spec.pointer import JSON


@dataclass(frozen=True, slots=True)
class Edit:
    """A change at one place, a JSON Pointer in the workload: a value that is put there, or ABSENT to remove it."""

    pointer: str
    value: Any
    #: The place of a map around it that is made first if it is absent, and what it begins as.
    start: tuple[str, JSON] | None = None


def applied(document: JSON, edits: Iterable[Edit]) -> JSON:
    """A document with the edits made in order; what they do not touch is shared with the one that is given.

    Only what is on the way is copied, so that a part that stands in several places, as aliases of YAML make them, is
    changed in the one that is meant.

    Raises:
        UpdateInvalidError: What is on the way is no map, or no list with that index.
    """
    for edit in edits:
        if edit.start is not None:
            pointer, value = edit.start
            document = _put(document, split(pointer), value, keep=True)
        document = _put(document, split(edit.pointer), edit.value)
    return document


def _put(node: JSON, tokens: tuple[str, ...], value: JSON, depth: int = 0, *, keep: bool = False) -> JSON:
    """What is at a depth of a way, with a value put at its end, or what is there removed.

    With `keep` only where nothing is. Null is nothing (S2.3).
    """
    token, is_last = tokens[depth], depth == len(tokens) - 1
    found = _step(node, token, tokens[: depth + 1])
    if (keep and is_last and found is not None) or (value is ABSENT and found is None):
        return node
    result = copy.copy(node)
    if value is ABSENT and is_last:
        del result[token if isinstance(node, dict) else int(token)]
        return result
    new = value if is_last else _put({} if found is None else found, tokens, value, depth + 1, keep=keep)
    result[token if isinstance(node, dict) else int(token)] = new
    return result


def _step(node: JSON, token: str, tokens: tuple[str, ...]) -> JSON:
    """What is one step down, or None."""
    if isinstance(node, dict):
        return node.get(token)
    place = join("", *tokens)
    if isinstance(node, list):
        index = list_index(token, len(node))
        if index is not None:
            return node[index]
        raise UpdateInvalidError(f"the list has no element {token}", Location(pointer=place))
    outer = join("", *tokens[:-1])
    message = f"a map is wanted on the way, and {describe(node)} was found"
    raise UpdateInvalidError(message, Location(pointer=outer))

"""What has changed between two objects, as a JSON Patch (RFC 6902) or as a merge patch (RFC 7386).

A JSON Patch is made here and not by a library: those that there are order operations by the hash of names, which
differs from run to run, and replace by moves what happens to be equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.pointer import join
from workloadmap_spec.values import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.pointer import JSON


def json_patch(before: JSON, after: JSON) -> list[dict[str, Any]]:
    """The operations that make one object of another: `add`, `replace` and `remove`, each as deep as it can stand.

    A list that has another length is replaced as a whole.
    """
    return list(_operations(before, after, ""))


def _operations(before: JSON, after: JSON, pointer: str) -> Iterator[dict[str, Any]]:
    """The operations at and below a place."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name not in after:
                yield {"op": "remove", "path": join(pointer, name)}
            else:
                yield from _operations(value, after[name], join(pointer, name))
        for name, value in after.items():
            if name not in before:
                yield {"op": "add", "path": join(pointer, name), "value": value}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _operations(one, other, join(pointer, index))
    elif not same(before, after):
        yield {"op": "replace", "path": pointer, "value": after}


def merge_patch(before: JSON, after: JSON) -> JSON:
    """What `kubectl patch --type=merge` takes: the members that differ, null for one that is removed.

    Lists are given whole. A null that the new object holds cannot be said: to the API server it is nothing anyway.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    patch: dict[str, Any] = {name: None for name in before if name not in after}
    for name, value in after.items():
        if name not in before:
            patch[name] = value
        elif not same(before[name], value):
            patch[name] = merge_patch(before[name], value)
    return patch

"""What cannot be changed in an object that exists (clause S20.9)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from workloadmap_spec.errors import Location, UpdateInvalidError
from workloadmap_spec.pointer import is_below
from workloadmap_spec.values import FailedError
from workloadmap_spec.writing.targets import Finder, NoTargetError, finder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workloadmap_spec.mapping import Field, Immutable
    from workloadmap_spec.read import Parts
    from workloadmap_spec.writing.edits import Edit


def check_immutable(parts: Parts, edits: Iterable[Edit]) -> None:
    """Refuse edits that the API server or the framework would refuse; an object without `metadata.uid` is free.

    Raises:
        UpdateInvalidError: One of them is at, above or below a place that cannot be changed.
    """
    if "uid" not in parts.scope.env["object"]["metadata"]:
        return
    written = [edit.pointer if edit.start is None else edit.start[0] for edit in edits]
    for entry, finder in _entries(parts):
        try:
            if entry.when is not None and not entry.when.holds(finder.scope):
                continue
        except FailedError:
            continue
        finder.mapping.use(entry.at)
        places = list(_places(entry.places, finder))
        free = list(_places(entry.exceptions, finder))
        for pointer in written:
            if any(is_below(pointer, place) for place in free):
                continue
            if any(is_below(pointer, place) or is_below(place, pointer) for place in places):
                message = f"this cannot be changed in an object that exists: {entry.reason}"
                raise UpdateInvalidError(message, Location(pointer=pointer))


def _entries(parts: Parts) -> Iterator[tuple[Immutable, Finder]]:
    """The entries of a mapping, each with the scope it is evaluated in; those of embedded workloads do not count."""
    for entry in parts.mapping.immutable:
        yield entry, finder_of(parts, None)
    for instance in parts.tree.instances():
        if all(outer.inner is None for outer in instance.chain[:-1]):
            for entry in instance.component.immutable:
                yield entry, finder_of(parts, instance)


def _places(fields: Iterable[Field], finder: Finder) -> Iterator[str]:
    """The places that paths name; one that names none is passed over."""
    for field in fields:
        with suppress(NoTargetError, FailedError):
            yield finder.target(field.at).pointer

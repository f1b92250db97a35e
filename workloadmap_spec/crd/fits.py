"""Whether a value fits a place: in type, in the fields and elements that it has, in the values that are allowed."""

from __future__ import annotations

from typing import Final, NamedTuple

from workloadmap_spec.crd.expressions import choice, names_cure, one_of
from workloadmap_spec.crd.shapes import EVERY, Shape, Value, kinds_of, same, shown, widened

#: So deep is looked into a value; a schema may contain itself by an alias.
_MAX_DEPTH: Final = 24


class Misfit(NamedTuple):
    """Why a value does not fit."""

    rule: str
    #: Where in the value: `limits.cpu`; empty for all of it.
    path: str
    #: To be put behind the words for the value.
    says: str
    cure: str | None


def misfit(given: Value, wanted: Value, path: str = "", depth: int = 0) -> Misfit | None:
    """Why a value that may be of several shapes fits none of those that are wanted; None if it fits, or may.

    Of a value with a place in a schema not every field need be known where it is put, since releases differ: it fits if
    they have one in common. What is written out has to fit wholly.
    """
    if depth > _MAX_DEPTH or not wanted or any(shape.kinds >= EVERY for shape in wanted):
        return None
    for shape in given:
        if shape.kinds >= EVERY:
            continue
        reasons = [_misfit(shape, other, path, depth) for other in wanted if shape.kinds & widened(other.kinds)]
        if not reasons:
            if shape.kinds:
                says = f"takes {one_of(kinds_of(wanted))}, and this is {one_of(shape.kinds)}"
                return Misfit("WM508", path, says, None)
        elif all(reasons):
            return reasons[0]
    return None


def _misfit(given: Shape, wanted: Shape, path: str, depth: int) -> Misfit | None:
    """Why a value does not fit a shape with which it has a type in common."""
    if wanted.enum is not None and given.enum and not any(same(one, wanted.enum) for one in given.enum):
        # An empty text is as if nothing were written there.
        values = [one for one in given.enum if one != ""]
        if values:
            return Misfit("WM504", path, f"is never {shown(values[0])}", choice(values[0], wanted.enum))
    if len(given.kinds & {"list", "map"}) != 1:
        return None
    if "list" in given.kinds:
        return misfit(given.element(), wanted.element(), f"{path}[]", depth + 1) if given.items else None
    return _misfit_of_map(given, wanted, path, depth)


def _misfit_of_map(given: Shape, wanted: Shape, path: str, depth: int) -> Misfit | None:
    """Why a map does not fit."""

    def entry(name: str) -> Misfit | None:
        there = f"{path}.{name}" if path else name
        target = wanted.member(name) or wanted.value()
        if target is None:
            return Misfit("WM501", path, f"has no field `{name}`", names_cure(name, wanted.fields))
        value = given.member(name)
        return None if value is None else misfit(value, target, there, depth + 1)

    if wanted.open is not None or not given.is_closed or not given.fields:
        free = given.value()
        target = wanted.value()
        known = free is not None and target is not None and wanted.open is None
        return misfit(free or (), target or (), f"{path}[*]", depth + 1) if known else None
    if not given.where:
        return next(filter(None, map(entry, given.fields)), None)
    free = wanted.value()
    if free is None:
        is_apart = not any(name in wanted.fields for name in given.fields)
        return Misfit("WM502", path, "has none of its fields", None) if is_apart else None
    is_apart = all(entry(name) for name in given.fields)
    return Misfit("WM502", path, f"no field of it is {one_of(kinds_of(free))}", None) if is_apart else None

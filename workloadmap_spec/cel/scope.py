"""What an expression may name: variables, and what is known of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from workloadmap_spec.cel.types import DYN, STRING, Type, list_of, map_of

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A map of which any field may be missing.
_OPTIONAL_MAP: Final = map_of(DYN, optional=True)
#: A value whose fields, if it has any, may be missing.
_OPTIONAL: Final = Type("dyn", optional=True)
#: The values of labels and annotations are strings.
_STRINGS: Final = map_of(STRING, optional=True)
_METADATA: Final = map_of(DYN, {"labels": _STRINGS, "annotations": _STRINGS})

#: The workload: `metadata`, its `labels` and `annotations`, `spec` and `status` are always maps.
OBJECT: Final = map_of(DYN, {"metadata": _METADATA, "spec": _OPTIONAL_MAP, "status": _OPTIONAL_MAP})
#: A pod, of which the same holds. What the API server always fills in needs no guard.
POD: Final = map_of(DYN, {"metadata": _METADATA, "spec": map_of(DYN), "status": map_of(DYN)})
#: One condition; every entry has these four as strings.
CONDITION: Final = map_of(DYN, dict.fromkeys(("type", "status", "reason", "message"), STRING))

#: The variables of the specification that are not declared by a mapping, by name.
ROOTS: Final[Mapping[str, Type]] = {
    "object": OBJECT,
    "pod": POD,
    "item": _OPTIONAL,
    "parent": _OPTIONAL,
    "key": DYN,
    "value": DYN,
    "conditions": list_of(CONDITION),
    "conditionsTrue": list_of(STRING),
    "conditionsFalse": list_of(STRING),
}


class Scope(NamedTuple):
    """The variables that an expression may name, with their types."""

    variables: Mapping[str, Type]


def declared(names: Mapping[str, Type] | Iterable[str]) -> Type:
    """The type of `variables`: a map of the declared names, which is read by these names only."""
    members = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, DYN)
    return map_of(DYN, members, closed=True)


def scope_of(
    roots: Iterable[str],
    variables: Mapping[str, Type] | Iterable[str] | None = None,
    others: Mapping[str, Type] | None = None,
) -> Scope:
    """The scope of the named variables of the specification, of declared ones, and of others with their types."""
    known = {name: ROOTS[name] for name in roots}
    if variables is not None:
        known["variables"] = declared(variables)
    return Scope({**known, **(others or {})})

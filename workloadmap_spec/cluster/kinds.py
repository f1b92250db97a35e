"""Which kinds of the catalogue a cluster serves, and what kind a name means.

Names are those that kubectl takes (source: k8s.io/apimachinery `pkg/runtime/schema/group_version.go`,
`ParseResourceArg`, and `pkg/api/meta/restmapper.go`, `ResourcesFor`): plural, singular or short name, or the kind, in
upper or lower case, alone, with the group, or with version and group; of a group its beginning will do where no group
has exactly that name. A name without a group means a kind that has a mapping where there is one, and never one of
several: where kubectl takes the one that comes first, we ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cluster.errors import AmbiguousKindError, UnknownKindError, UnmappedKindError
from workloadmap_spec.errors import NoMappingError
from workloadmap_spec.no_workloads import why_no_workload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.cluster.discovery import Discovery, Resource
    from workloadmap_spec.mapping import CompiledMapping

#: What a kind must allow, that its objects can be read.
_VERBS: Final = frozenset({"get", "list"})


@dataclass(frozen=True, slots=True)
class ServedKind:
    """A kind that the cluster serves and a mapping reads, in the version that is asked for."""

    resource: Resource
    mapping: CompiledMapping


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of a cluster, seen with a catalogue."""

    discovery: Discovery
    #: Every kind once, by group and kind, in the version that the server prefers among those that a mapping has.
    served: tuple[ServedKind, ...]
    #: Every version that a mapping has.
    versions: tuple[ServedKind, ...]

    def resolve(self, name: str) -> ServedKind:
        """The kind that a name means.

        Args:
            name: Such as `jobset`, `JobSet`, `deploy`, `jobsets.jobset.x-k8s.io` or `jobsets.v1alpha2.jobset.x-k8s.io`.

        Raises:
            UnknownKindError: The cluster serves no such kind.
            AmbiguousKindError: Several kinds that are read have this name; `choices` has a longer name for each.
            UnmappedKindError: The cluster serves it, and no mapping reads it.
        """
        found = _meant(name, [kind.resource for kind in self.versions])
        groups = {(resource.group, resource.kind): resource for resource in reversed(found)}
        if len(groups) > 1:
            choices = tuple(sorted(_own_name(resource) for resource in groups.values()))
            raise AmbiguousKindError(f"`{name}` is a kind of several groups", f"write {' or '.join(choices)}", choices)
        if found:
            wanted = set(map(id, found))
            # The kind in the version that is preferred, unless the name has another one.
            for kind in (*self.served, *self.versions):
                if id(kind.resource) in wanted:
                    return kind
        others = _meant(name, list(self.discovery.resources))
        if others:
            raise self._unmapped(name, others[0])
        cure = "`kubectl api-resources` shows what it serves"
        if self.discovery.skipped:
            groups_away = ", ".join(dict.fromkeys(entry.kind for entry in self.discovery.skipped))
            cure = f"it may be in what cannot be discovered: {groups_away}"
        raise UnknownKindError(f"the cluster serves no kind `{name}`", cure)

    def _unmapped(self, name: str, resource: Resource) -> UnmappedKindError:
        """The error for a kind that nobody reads, at least in this version."""
        versions = [
            kind.resource.version
            for kind in self.versions
            if (kind.resource.group, kind.resource.kind) == (resource.group, resource.kind)
        ]
        reason = why_no_workload(resource.api_version, resource.kind)
        if versions:
            cure = f"mappings exist for the versions {', '.join(dict.fromkeys(versions))}"
        elif reason:
            cure = f"{resource.kind} is no workload: it {reason}"
        else:
            cure = "`workloadmap mappings list` shows the kinds; give your own with -m PATH"
        what = f"{resource.kind} of {resource.api_version}"
        return UnmappedKindError(f"`{name}` is {what}, which no mapping reads", cure)


def covered_kinds(discovery: Discovery, catalog: Catalog) -> Kinds:
    """The kinds of the catalogue that a cluster serves and lets be read.

    Raises:
        MappingError, AmbiguousMappingError: A mapping of the catalogue cannot be used.
    """
    versions: list[ServedKind] = []
    for resource in discovery.resources:
        if resource.verbs >= _VERBS:
            try:
                versions.append(ServedKind(resource, catalog.find(resource.api_version, resource.kind)))
            except NoMappingError:
                continue
    served: dict[tuple[str, str], ServedKind] = {}
    for kind in versions:
        served.setdefault((kind.resource.group, kind.resource.kind), kind)
    return Kinds(discovery, tuple(served[key] for key in sorted(served)), tuple(versions))


def resolve(kinds: Kinds, names: Iterable[str]) -> list[ServedKind]:
    """The kinds that names mean, each once.

    Raises:
        UnknownKindError, AmbiguousKindError, UnmappedKindError: See `Kinds.resolve`.
    """
    found = {id(kind): kind for kind in map(kinds.resolve, names)}
    return list(found.values())


def _own_name(resource: Resource) -> str:
    """A name that means this resource alone; that of the core group has an end without a group."""
    return resource.name if resource.group else f"{resource.plural}.{resource.version}."


def _meant(name: str, resources: list[Resource]) -> list[Resource]:
    """The resources that a name may mean, by the first reading of it that fits."""
    head, *rest = name.split(".", 2)
    if not rest:
        return [resource for resource in resources if _is_called(resource, head)]
    if len(rest) == 2:  # noqa: PLR2004 - NAME.VERSION.GROUP
        version, group = rest
        exact = [
            resource
            for resource in resources
            if _is_called(resource, head) and resource.version == version and resource.group == group
        ]
        if exact:
            return exact
    wanted = ".".join(rest)
    called = [resource for resource in resources if _is_called(resource, head)]
    exact = [resource for resource in called if resource.group == wanted]
    return exact or [resource for resource in called if wanted and resource.group.startswith(wanted)]


def _is_called(resource: Resource, name: str) -> bool:
    """Whether a resource has a name, whatever its group is."""
    name = name.lower()
    names = (resource.plural, resource.singular, resource.kind.lower(), *resource.short_names)
    return bool(name) and name in names

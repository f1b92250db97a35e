"""What workloads refer to, fetched in rounds: an object that was found may lead to others (S19.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cluster.errors import NotFoundError, StatusError, UnauthorizedError
from workloadmap_spec.cluster.listing import get_object, list_objects, skipped
from workloadmap_spec.cluster.parallel import parallel
from workloadmap_spec.data_rules import normalize
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.mapping import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.cluster.connection import Connection
    from workloadmap_spec.cluster.discovery import Discovery, Skipped
    from workloadmap_spec.mapping import CompiledMapping

#: How often objects that were found may lead to others: no kind that we know needs more than two rounds.
MAX_ROUNDS: Final = 4

#: API version, kind, namespace and name of an object.
Key = tuple[str, str, str, str]


def key_of(value: Mapping[str, Any]) -> Key:
    """What an object is known by; empty strings where it says nothing."""
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    parts = (value.get("apiVersion"), value.get("kind"), metadata.get("namespace"), metadata.get("name"))
    api_version, kind, namespace, name = (part if isinstance(part, str) else "" for part in parts)
    return api_version, kind, namespace, name


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One object, or a list of them, that a workload refers to."""

    api_version: str
    kind: str
    namespace: str
    name: str | None
    selector: str | None


@dataclass(slots=True)
class References:
    """Objects that workloads refer to, each fetched once.

    `known` has the objects that are there anyway, which are not fetched again.
    """

    connection: Connection
    discovery: Discovery
    catalog: Catalog
    known: dict[Key, dict[str, Any]] = field(default_factory=dict)
    #: The objects that were fetched and were not known before.
    fetched: dict[Key, dict[str, Any]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    _answers: dict[_Wanted, list[dict[str, Any]]] = field(default_factory=dict)

    def resolve(self, workloads: Iterable[dict[str, Any]]) -> dict[Key, list[dict[str, Any]]]:
        """Fetch what workloads refer to.

        What is missing stays missing: the map tells of it. What may not be read is in `skipped`.

        Args:
            workloads: Objects after the data rules.

        Returns:
            The objects that each workload refers to, for those that refer to any.

        Raises:
            UnreachableError, UnauthorizedError: No request is answered any more.
        """
        referring = [workload for workload in workloads if may_refer(self.catalog, workload)]
        given: dict[Key, list[dict[str, Any]]] = {key_of(workload): [] for workload in referring}
        for _ in range(MAX_ROUNDS):
            asked: dict[Key, list[_Wanted]] = {}
            for workload in referring:
                key = key_of(workload)
                wanted = [self._wanted(entry) for entry in self._required(workload, given[key])]
                if wanted:
                    asked[key] = wanted
            self._fetch({one for wanted in asked.values() for one in wanted})
            grown = set()
            for key, wanted in asked.items():
                have = set(map(id, given[key]))
                more = {id(found): found for one in wanted for found in self._answers[one] if id(found) not in have}
                if more:
                    given[key] += more.values()
                    grown.add(key)
            referring = [workload for workload in referring if key_of(workload) in grown]
            if not referring:
                break
        return given

    def forget(self) -> None:
        """Fetch everything again when it is asked for the next time."""
        self.fetched.clear()
        self._answers.clear()

    def _required(self, workload: dict[str, Any], given: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
        """What a workload refers to and has not been given; what is wrong with it is told when it is read."""
        try:
            return self.catalog.required_references(workload, given)
        except WorkloadMapError:
            return []

    def _wanted(self, entry: Mapping[str, Any]) -> _Wanted:
        """One entry of `required_references`."""
        return _Wanted(
            entry["apiVersion"],
            entry["kind"],
            entry.get("namespace") or "",
            entry.get("resourceName"),
            entry.get("selector"),
        )

    def _fetch(self, wanted: set[_Wanted]) -> None:
        """Answer what has not been answered yet."""
        missing = sorted(wanted - self._answers.keys(), key=str)
        for one, answer in zip(missing, parallel(self._ask, missing), strict=True):
            self._answers[one] = [self._keep(found) for found in answer]

    def _keep(self, found: dict[str, Any]) -> dict[str, Any]:
        """An object that was found: the one that is there already, where there is one."""
        key = key_of(found)
        if key in self.known:
            return self.known[key]
        return self.fetched.setdefault(key, found)

    def _ask(self, one: _Wanted) -> list[dict[str, Any]]:
        """The objects that are wanted, after the data rules; none if there are none, or if they may not be read."""
        resource = self.discovery.find(one.api_version, one.kind)
        if resource is None:
            return []
        # An absent namespace is `default` (S2.9), and none where the kind has no namespaces.
        namespace = (one.namespace or "default") if resource.namespaced else None
        if one.name is not None:
            known = self.known.get((one.api_version, one.kind, namespace or "", one.name))
            if known is not None:
                return [known]
        try:
            if one.name is None:
                found = list_objects(self.connection, resource, namespace, one.selector).items
            else:
                found = [get_object(self.connection, resource, one.name, namespace)]
        except NotFoundError:
            return []
        except UnauthorizedError:
            raise
        except StatusError as error:
            told = skipped(resource, error, "list" if one.name is None else "get", namespace)
            if told not in self.skipped:
                self.skipped.append(told)
            return []
        return [entry for entry in map(_checked, found) if entry is not None]


def _checked(value: dict[str, Any]) -> dict[str, Any] | None:
    """An object after the data rules; None if it violates them, which no API server stores."""
    try:
        checked = normalize(value)
    except WorkloadMapError:
        return None
    return checked if isinstance(checked, dict) else None


def may_refer(catalog: Catalog, workload: dict[str, Any]) -> bool:
    """Whether the mapping of a workload has references, or embeds workloads whose mappings may have some."""
    try:
        mapping = catalog.find(str(workload.get("apiVersion")), str(workload.get("kind")))
    except WorkloadMapError:
        return False
    return mapping_may_refer(mapping)


def mapping_may_refer(mapping: CompiledMapping) -> bool:
    """Whether a mapping has references, or embeds workloads whose mappings may have some."""
    return mapping.embeds or any(isinstance(entry, Reference) for entry in mapping.prelude)

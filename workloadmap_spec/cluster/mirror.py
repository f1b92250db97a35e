"""A mirror of a part of a cluster: the objects as they are now, and what has changed since somebody looked."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.cluster.claims import Claims, selectors_of
from workloadmap_spec.cluster.discovery import Skipped
from workloadmap_spec.cluster.errors import ClusterError
from workloadmap_spec.cluster.fetching import Fetched
from workloadmap_spec.cluster.referring import References, key_of, may_refer
from workloadmap_spec.documents import Document, normalize
from workloadmap_spec.errors import WorkloadMapError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.cluster.discovery import Resource
    from workloadmap_spec.cluster.referring import Key
    from workloadmap_spec.cluster.view import Cluster
    from workloadmap_spec.pods import LabelSelector

_POD: Final = ("v1", "Pod")


@dataclass(frozen=True, slots=True)
class Source:
    """One list that is watched: of workloads, or of all pods, of which those count that workloads select."""

    resource: Resource
    selector: str | None
    is_workloads: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one object."""

    kind: Literal["added", "modified", "deleted"]
    #: The object as it is now; as it was last, if it was deleted.
    value: Mapping[str, Any]


class Mirror:
    """The objects of some sources, by API version, kind, namespace and name.

    It belongs to one thread.
    """

    def __init__(self, cluster: Cluster, sources: Iterable[Source], refresh: float) -> None:
        """Begin empty.

        Args:
            cluster: Where referenced objects are fetched.
            sources: What is watched.
            refresh: Seconds after which referenced objects are fetched again.
        """
        self._cluster = cluster
        self._refresh = refresh
        self._objects: dict[Source, dict[Key, dict[str, Any]]] = {source: {} for source in sources}
        #: What was there before the changes that nobody has been told of yet.
        self._before: dict[tuple[Source, Key], dict[str, Any] | None] = {}
        self._references = References(cluster.connection, cluster.kinds.discovery, cluster.catalog)
        self._since = monotonic()
        self._given: dict[Key, list[dict[str, Any]]] = {}
        #: The selectors of each workload, with the object that they are of.
        self._selectors: dict[Key, tuple[dict[str, Any], str, list[LabelSelector]]] = {}
        self._claims = Claims()
        #: Whether workloads select a pod, by the identity of the object, for the claims that hold now.
        self._claimed: dict[Key, tuple[dict[str, Any], bool]] = {}
        self._refused: dict[Source, Skipped] = {}
        self._invalid: dict[Key, Skipped] = {}

    # What comes in

    def replace(self, source: Source, items: Iterable[dict[str, Any]]) -> None:
        """The list of a source was read anew: what is not in it is gone."""
        found = {key_of(item): item for item in items}
        for key in self._objects[source].keys() - found.keys():
            self._set(source, key, None)
        for item in found.values():
            self.put(source, item)

    def put(self, source: Source, item: dict[str, Any]) -> None:
        """An object is there, or has changed."""
        key = key_of(item)
        self._invalid.pop(key, None)
        known = self._objects[source].get(key)
        if known is not None and _version(known) == _version(item) is not None:
            return
        try:
            value = normalize(item)
        except WorkloadMapError as error:
            title = f"{key[1]} {'/'.join(filter(None, key[2:]))}"
            self._invalid[key] = Skipped(title, f"{error.location}: {error.message}", error.cure)
            self._set(source, key, None)
        else:
            if isinstance(value, dict):
                self._set(source, key, value)

    def remove(self, source: Source, item: dict[str, Any]) -> None:
        """An object is gone."""
        key = key_of(item)
        self._invalid.pop(key, None)
        self._set(source, key, None)

    def refuse(self, source: Source, told: Skipped) -> None:
        """A source may not be read any more, so nobody knows what is there."""
        self._refused[source] = told
        self.replace(source, ())

    def _set(self, source: Source, key: Key, value: dict[str, Any] | None) -> None:
        """Note one object, and what was there before."""
        objects = self._objects[source]
        self._before.setdefault((source, key), objects.get(key))
        if value is None:
            objects.pop(key, None)
        else:
            objects[key] = value

    # What goes out

    def settle(self) -> list[Change]:
        """What has changed since the last time: workloads, and pods that one of them selects or has selected."""
        before, self._before = self._before, {}
        selected = {
            key for (source, key) in before if not source.is_workloads and self._is_claimed(before[source, key])
        }
        self._resolve()
        self._claim()
        changes: list[Change] = []
        for (source, key), old in before.items():
            new = self._objects[source].get(key)
            if new is old or (not source.is_workloads and key not in selected and not self._is_claimed(new)):
                continue
            if new is None:
                self._claimed.pop(key, None)
                changes.append(Change("deleted", old or {}))
            else:
                changes.append(Change("added" if old is None else "modified", new))
        return changes

    def documents(self) -> list[Document]:
        """Everything, for `Catalog.read_all`: workloads first, then what they refer to, then their pods."""
        return self.fetched().documents

    def fetched(self) -> Fetched:
        """Everything as `fetch_workloads` gives it, as it was when it was settled last."""
        workloads = self._workloads()
        references = [
            value for key, value in self._references.fetched.items() if key[:2] != _POD and key not in workloads
        ]
        pods = [
            value
            for source, objects in self._objects.items()
            if not source.is_workloads
            for key, value in objects.items()
            if key not in workloads and self._is_claimed(value)
        ]
        parts: list[list[Document]] = []
        index = 0
        for part in (workloads.values(), references, pods):
            parts.append([Document(value, self._cluster.connection.context, index + n) for n, value in enumerate(part)])
            index += len(part)
        told = [*self._refused.values(), *self._invalid.values(), *self._references.skipped]
        told.sort(key=lambda entry: (entry.kind, entry.reason))
        return Fetched(parts[0], parts[2], parts[1], told)

    def _workloads(self) -> dict[Key, dict[str, Any]]:
        """The workloads, by kind and name, in the order in which their kinds were asked for."""
        return {
            key: objects[key]
            for source, objects in self._objects.items()
            if source.is_workloads
            for key in sorted(objects)
        }

    def _resolve(self) -> None:
        """Fetch what the workloads refer to; what was fetched a moment ago is taken as it was."""
        workloads = self._workloads()
        referring = [value for value in workloads.values() if may_refer(self._cluster.catalog, value)]
        if monotonic() - self._since > self._refresh:
            self._references.forget()
            self._since = monotonic()
        self._references.known = workloads
        try:
            given = self._references.resolve(referring)
        except ClusterError:
            # It is asked again the next time; that the server stays away is for those to tell who watch it.
            return
        for key, found in given.items():
            if list(map(id, found)) != list(map(id, self._given.get(key, ()))):
                # Other references may mean other selectors.
                self._selectors.pop(key, None)
        self._given = given

    def _claim(self) -> None:
        """The selectors of the workloads as they are now."""
        selectors: dict[Key, tuple[dict[str, Any], str, list[LabelSelector]]] = {}
        claims = Claims()
        for key, value in self._workloads().items():
            if key[:2] == _POD:
                continue
            entry = self._selectors.get(key)
            if entry is None or entry[0] is not value:
                entry = (value, *selectors_of(self._cluster.catalog, value, self._given.get(key, ())))
            selectors[key] = entry
            claims.add(entry[1], entry[2])
        self._selectors = selectors
        if claims.asked.keys() != self._claims.asked.keys():
            self._claims = claims
            self._claimed.clear()

    def _is_claimed(self, pod: dict[str, Any] | None) -> bool:
        """Whether a workload selects a pod, by the selectors of the last time."""
        if pod is None:
            return False
        key = key_of(pod)
        entry = self._claimed.get(key)
        if entry is None or entry[0] is not pod:
            entry = self._claimed[key] = (pod, self._claims.claims(pod))
        return entry[1]


def _version(item: Mapping[str, Any]) -> object:
    """The resource version of an object."""
    metadata = item.get("metadata")
    return metadata.get("resourceVersion") if isinstance(metadata, dict) else None

"""Workloads with their pods and what they refer to, as the documents that `Catalog.read_all` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cluster.claims import Claims, selectors_of
from workloadmap_spec.cluster.discovery import Skipped
from workloadmap_spec.cluster.errors import ForbiddenError, NotFoundError, StatusError, UnauthorizedError
from workloadmap_spec.cluster.listing import get_object, list_objects, permission, skipped
from workloadmap_spec.cluster.parallel import parallel
from workloadmap_spec.cluster.referring import References, key_of
from workloadmap_spec.documents import Document, normalize
from workloadmap_spec.errors import WorkloadMapError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from workloadmap_spec.cluster.discovery import Resource
    from workloadmap_spec.cluster.kinds import ServedKind
    from workloadmap_spec.cluster.referring import Key
    from workloadmap_spec.cluster.view import Cluster

#: Up to so many selectors, or namespaces, are asked for one by one; beyond that one list of everything is faster.
_FEW: Final = 8

_POD: Final = ("v1", "Pod")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a cluster has given, and what it has not."""

    #: The workloads that were asked for.
    workloads: list[Document] = field(default_factory=list)
    #: The pods that they select; a pod that was asked for itself is among the workloads.
    pods: list[Document] = field(default_factory=list)
    #: The other objects that they refer to.
    references: list[Document] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def documents(self) -> list[Document]:
        """All of it, for `Catalog.read_all`: workloads first."""
        return [*self.workloads, *self.references, *self.pods]


def fetch_workloads(
    cluster: Cluster, kinds: Sequence[ServedKind], namespace: str | None = None, selector: str | None = None
) -> Fetched:
    """The workloads of some kinds, their pods, and what they refer to.

    Args:
        cluster: What `look` gives.
        kinds: The kinds, from `cluster.kinds`.
        namespace: One namespace; None for all.
        selector: A label selector for the workloads, as `kubectl get -l` takes it; their pods need not have the labels.

    Returns:
        The documents, without positions, and what was left out: a kind that may not be listed, or is gone, does not
        stop the others.

    Raises:
        UnreachableError, UnauthorizedError, AnswerError: Nothing more can be asked.
    """
    gathered = _Gathered(cluster)

    def ask(kind: ServedKind) -> list[dict[str, Any]]:
        return gathered.listed(kind.resource, namespace, selector)

    for objects in parallel(ask, list(kinds)):
        gathered.workloads += gathered.checked(objects)
    return gathered.complete()


def fetch_one(cluster: Cluster, kind: ServedKind, name: str, namespace: str | None = None) -> Fetched:
    """One workload, its pods, and what it refers to.

    Args:
        cluster: What `look` gives.
        kind: Its kind, from `cluster.kinds`.
        name: Its name.
        namespace: Its namespace; None for that of the context.

    Raises:
        NotFoundError: There is none.
        ForbiddenError: It may not be read; the cure names the missing permission.
        StatusError, UnreachableError, AnswerError: As for `Connection.get`.
        InputError: It violates the data rules.
    """
    resource = kind.resource
    inside = (namespace or cluster.connection.namespace) if resource.namespaced else None
    title = f"{resource.kind} {inside}/{name}" if inside else f"{resource.kind} {name}"
    try:
        value = get_object(cluster.connection, resource, name, inside)
    except NotFoundError as error:
        cure = "check the name, and the namespace (-n)" if inside else "check the name"
        raise NotFoundError(f"there is no {title}", cure, error.status, error.detail) from error
    except ForbiddenError as error:
        cure = f"ask for the permission to {permission(resource, 'get', inside)}"
        raise ForbiddenError(f"{title} may not be read: {error.detail}", cure, error.status, error.detail) from error
    gathered = _Gathered(cluster)
    checked = normalize(value)
    if isinstance(checked, dict):
        gathered.workloads.append(checked)
    return gathered.complete()


class _Gathered:
    """What has been fetched so far."""

    def __init__(self, cluster: Cluster) -> None:
        """Begin with nothing."""
        self._cluster = cluster
        self._connection = cluster.connection
        self.workloads: list[dict[str, Any]] = []
        self._skipped: list[Skipped] = []

    def listed(
        self,
        resource: Resource,
        namespace: str | None,
        selector: str | None,
        keep: Callable[[dict[str, Any]], bool] | None = None,
    ) -> list[dict[str, Any]]:
        """The objects of a resource; none, and a word about it, if the server refuses."""
        inside = namespace if resource.namespaced else None
        try:
            return list_objects(self._connection, resource, inside, selector, keep).items
        except UnauthorizedError:
            raise
        except StatusError as error:
            told = skipped(resource, error, "list", inside)
            if told not in self._skipped:
                self._skipped.append(told)
            return []

    def checked(self, objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The objects after the data rules; one that violates them is told and left out."""
        found: list[dict[str, Any]] = []
        for value in objects:
            try:
                checked = normalize(value)
            except WorkloadMapError as error:
                _, kind, namespace, name = key_of(value)
                title = f"{kind} {'/'.join(filter(None, (namespace, name)))}"
                self._skipped.append(Skipped(title, f"{error.location}: {error.message}", error.cure))
            else:
                if isinstance(checked, dict):
                    found.append(checked)
        return found

    def complete(self) -> Fetched:
        """Everything, with what the workloads refer to, and their pods."""
        cluster = self._cluster
        known = {key_of(workload): workload for workload in self.workloads}
        references = References(self._connection, cluster.kinds.discovery, cluster.catalog, known)
        given = references.resolve(self.workloads)
        pods = self._pods(given)
        fetched = [value for key, value in references.fetched.items() if key[:2] != _POD]
        source = self._connection.context
        parts: list[list[Document]] = []
        index = 0
        for part in (self.workloads, fetched, pods):
            parts.append([Document(value, source, index + number) for number, value in enumerate(part)])
            index += len(part)
        told = sorted(self._skipped + references.skipped, key=lambda entry: (entry.kind, entry.reason))
        return Fetched(parts[0], parts[2], parts[1], told)

    def _pods(self, given: Mapping[Key, list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """The pods that the workloads select, but for those that are workloads themselves."""
        resource = self._cluster.kinds.discovery.find(*_POD)
        claims = Claims()
        there: set[Key] = set()
        for workload in self.workloads:
            key = key_of(workload)
            if key[:2] == _POD:
                there.add(key)
            else:
                claims.add(*selectors_of(self._cluster.catalog, workload, given.get(key, ())))
        if resource is None or not claims.asked:
            return []

        def keep(pod: dict[str, Any]) -> bool:
            return claims.claims(pod) and key_of(pod) not in there

        def ask(entry: tuple[str | None, str | None]) -> list[dict[str, Any]]:
            return self.listed(resource, *entry, keep)

        found = {key_of(pod): pod for pods in parallel(ask, _requests(claims)) for pod in pods}
        return self.checked(found.values())


def _requests(claims: Claims) -> list[tuple[str | None, str | None]]:
    """The lists of pods that are asked for, by namespace and selector: few small ones, or one large one."""
    namespaces = dict.fromkeys(namespace for namespace, _ in claims.asked)
    if len(claims.asked) <= _FEW:
        return list(claims.asked)
    if len(namespaces) <= _FEW:
        return [(namespace, None) for namespace in namespaces]
    return [(None, None)]

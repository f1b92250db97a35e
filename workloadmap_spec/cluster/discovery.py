"""Discovery: which resources a cluster serves.

The aggregated form gives all groups in two requests (source: k8s.io/api `apidiscovery/v2/types.go`, served since
Kubernetes 1.26); where a server does not know it, each group is asked. A group that cannot be discovered, since the API
server behind it is away, is told and passed over, as kubectl does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from workloadmap_spec.cluster.errors import ClusterError, StatusError, UnauthorizedError, UnreachableError
from workloadmap_spec.cluster.parallel import parallel
from workloadmap_spec.mapping import api_version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.cluster.connection import Connection

#: The aggregated form first, and the plain one for servers that do not know it.
_ACCEPT: Final = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json"
)


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind as a cluster serves it, in one version."""

    #: Empty for the core group.
    group: str
    version: str
    kind: str
    #: The name of the resource, which is its plural.
    plural: str
    singular: str
    short_names: tuple[str, ...]
    namespaced: bool
    verbs: frozenset[str]

    @property
    def api_version(self) -> str:
        """Group and version, as objects have them."""
        return api_version_of(self.group, self.version)

    @property
    def name(self) -> str:
        """The plural with the group, which names the resource whatever else there is: `jobsets.jobset.x-k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The path of the list of all objects, of those of a namespace, or of one object."""
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if namespace is not None and self.namespaced:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name is not None:
            parts.append(name)
        return "".join(f"/{quote(part, safe='')}" for part in parts)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was to be read and was not: nothing is left out in silence."""

    #: The resource with its group, such as `jobsets.jobset.x-k8s.io`, or the group that could not be discovered.
    kind: str
    #: Why, as a sentence without a full stop.
    reason: str
    #: What to do about it.
    cure: str | None = None
    #: The code of HTTP, if the API server has refused.
    status: int | None = None

    def __str__(self) -> str:
        """The reason, and the cure in a second line."""
        text = f"{self.kind} is left out: {self.reason}"
        return f"{text}\n  {self.cure}" if self.cure else text


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a cluster serves: groups and versions in the server's order of preference."""

    resources: tuple[Resource, ...]
    skipped: tuple[Skipped, ...]

    def find(self, api_version: str, kind: str) -> Resource | None:
        """The resource of a kind in one version."""
        group, _, version = api_version.rpartition("/")
        for resource in self.resources:
            if (resource.group, resource.version, resource.kind) == (group, version, kind):
                return resource
        return None


def discover(connection: Connection) -> Discovery:
    """What a cluster serves.

    Raises:
        UnreachableError, UnauthorizedError: no request would be answered.
        ClusterError: the list of the groups cannot be had.

    """
    found: list[Resource] = []
    skipped: list[Skipped] = []
    for root in ("/api", "/apis"):
        document = connection.get(root, accept=_ACCEPT)
        if document.get("kind") == "APIGroupDiscoveryList":
            found += _aggregated(document, skipped)
        else:
            found += _plain(connection, root, document, skipped)
    return Discovery(tuple(found), tuple(skipped))


def _aggregated(document: dict[str, Any], skipped: list[Skipped]) -> Iterator[Resource]:
    """The resources of the aggregated form."""
    for item in _maps(document.get("items")):
        group = _text(_map(item.get("metadata")), "name")
        for entry in _maps(item.get("versions")):
            version = _text(entry, "version")
            if entry.get("freshness") == "Stale":
                skipped.append(_undiscovered(api_version_of(group, version), "the API server behind it is away"))
            for told in _maps(entry.get("resources")):
                kind = _map(told.get("responseKind"))
                # An entry without a kind stands there for its subresources only.
                if plural := _text(told, "resource") if _text(kind, "kind") else "":
                    yield Resource(
                        group,
                        version,
                        _text(kind, "kind"),
                        plural,
                        _text(told, "singularResource"),
                        _texts(told.get("shortNames")),
                        told.get("scope") == "Namespaced",
                        frozenset(_texts(told.get("verbs"))),
                    )


def _plain(connection: Connection, root: str, document: dict[str, Any], skipped: list[Skipped]) -> list[Resource]:
    """The resources of the plain form, for which every version of every group is asked."""
    if root == "/api":
        versions = [("", version) for version in _texts(document.get("versions"))]
    else:
        versions = [entry for group in _maps(document.get("groups")) for entry in _versions(group)]

    def ask(entry: tuple[str, str]) -> list[Resource] | Skipped:
        group, version = entry
        api_version = api_version_of(group, version)
        try:
            answer = connection.get(f"{root}/{api_version}")
        except (UnauthorizedError, UnreachableError):
            raise
        except ClusterError as error:
            detail = error.detail if isinstance(error, StatusError) else error.message
            return _undiscovered(api_version, detail, error.status if isinstance(error, StatusError) else None)
        return [_plain_resource(group, version, told) for told in _maps(answer.get("resources")) if _is_whole(told)]

    found: list[Resource] = []
    for answer in parallel(ask, versions):
        if isinstance(answer, Skipped):
            skipped.append(answer)
        else:
            found += answer
    return found


def _versions(group: dict[str, Any]) -> list[tuple[str, str]]:
    """The versions of a group, the preferred one first."""
    preferred = _text(_map(group.get("preferredVersion")), "version")
    versions = [_text(entry, "version") for entry in _maps(group.get("versions"))]
    return [(_text(group, "name"), version) for version in sorted(versions, key=lambda name: name != preferred)]


def _is_whole(told: dict[str, Any]) -> bool:
    """Whether an entry of an APIResourceList is a resource, and not a part of one such as `jobs/status`."""
    return bool(_text(told, "name")) and "/" not in told["name"]


def _plain_resource(group: str, version: str, told: dict[str, Any]) -> Resource:
    """A resource of an APIResourceList."""
    return Resource(
        group,
        version,
        _text(told, "kind"),
        _text(told, "name"),
        _text(told, "singularName"),
        _texts(told.get("shortNames")),
        told.get("namespaced") is True,
        frozenset(_texts(told.get("verbs"))),
    )


def _undiscovered(api_version: str, detail: str, status: int | None = None) -> Skipped:
    """A version of a group that could not be discovered."""
    return Skipped(
        api_version,
        f"it cannot be discovered: {detail}",
        "`kubectl get apiservices` shows what is not available",
        status,
    )


def _map(value: object) -> dict[str, Any]:
    """A map, or an empty one."""
    return value if isinstance(value, dict) else {}


def _maps(value: object) -> list[dict[str, Any]]:
    """The maps of a list, or none."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _text(value: dict[str, Any], name: str) -> str:
    """A string of a map, or an empty one."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """The strings of a list, or none."""
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()

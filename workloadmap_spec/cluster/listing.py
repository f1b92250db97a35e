"""Lists, page by page, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cluster.discovery import Skipped
from workloadmap_spec.cluster.errors import AnswerError, ExpiredError, StatusError
from workloadmap_spec.cluster.failures import FORBIDDEN, METHOD_NOT_ALLOWED, NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Callable

    from workloadmap_spec.cluster.connection import Connection
    from workloadmap_spec.cluster.discovery import Resource

#: How many objects a page has (source: k8s.io/client-go `tools/pager/pager.go`, `defaultPageSize`).
PAGE_SIZE: Final = 500

#: How often a list whose continue token has expired is begun again in pages. After that it is asked for as a whole,
#: which cannot expire, as client-go's pager does it at once.
_MAX_PAGED: Final = 2


@dataclass(frozen=True, slots=True)
class Listed:
    """The objects of a list, and the resource version that a watch goes on from."""

    items: list[dict[str, Any]]
    resource_version: str


def list_objects(  # noqa: PLR0913 - the facts of a request
    connection: Connection,
    resource: Resource,
    namespace: str | None = None,
    selector: str | None = None,
    keep: Callable[[dict[str, Any]], bool] | None = None,
    page_size: int = PAGE_SIZE,
) -> Listed:
    """The objects of a resource.

    Each has `apiVersion` and `kind`, which the items of a list come without, and no `metadata.managedFields`: that is
    half of many an object, nobody reads it, and `kubectl get -o yaml` leaves it out, too.

    If a continue token expires before the last page (410), the list is begun again from its first page and what was
    read is dropped, so that no object is there twice, and none that is gone.

    Args:
        connection: Where to.
        resource: What.
        namespace: One namespace; None for all, and for resources without namespaces.
        selector: A label selector.
        keep: Which objects are kept; the others take no memory beyond their page.
        page_size: How many objects are asked for at once.

    Raises:
        StatusError: The API server refuses.
        UnreachableError, AnswerError: As for `Connection.get`.

    """
    for attempt in range(_MAX_PAGED + 1):
        try:
            return _list(connection, resource, (namespace, selector), keep, page_size if attempt < _MAX_PAGED else 0)
        except ExpiredError:
            if attempt == _MAX_PAGED:
                raise
    raise AssertionError


def _list(
    connection: Connection,
    resource: Resource,
    asked: tuple[str | None, str | None],
    keep: Callable[[dict[str, Any]], bool] | None,
    page_size: int,
) -> Listed:
    """One pass through the pages of a list; one page of everything if the size is 0."""
    namespace, selector = asked
    path = resource.path(namespace)
    query = [("limit", str(page_size))] if page_size else []
    if selector:
        query.append(("labelSelector", selector))
    #: By uid, or by number where there is none: pages of one list never overlap, but a proxy may know better.
    found: dict[object, dict[str, Any]] = {}
    token = ""
    while True:
        page = connection.get(path, [*query, ("continue", token)] if token else query)
        items, metadata = page.get("items"), page.get("metadata")
        if not isinstance(items, list | None) or not isinstance(metadata, dict):
            raise AnswerError(f"the API server answers {path} with {page.get('kind') or 'JSON'} that is no list")
        for item in items or ():
            if isinstance(item, dict):
                completed = complete(item, resource)
                if keep is None or keep(completed):
                    found[_identity(completed) or len(found)] = completed
        following = metadata.get("continue")
        if not following:
            return Listed(list(found.values()), str(metadata.get("resourceVersion") or ""))
        if following == token:
            raise AnswerError(f"the API server answers {path} with the same page again and again")
        token = str(following)


def complete(item: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """An item that is ours alone, in place: with `apiVersion` and `kind`, and without `managedFields`.

    The conditions of every pod have a null, `lastProbeTime`. To remove it here, as the data rules do (N2), spares the
    slow way through them, which is half of the time that pods take.
    """
    metadata = item.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
    status = item.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and None in condition.values():
            for name in [name for name, value in condition.items() if value is None]:
                del condition[name]
    if "kind" in item and "apiVersion" in item:
        return item
    return {**item, "apiVersion": resource.api_version, "kind": resource.kind}


def _identity(item: dict[str, Any]) -> str | None:
    """The uid of an object."""
    metadata = item.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) else None


def get_object(connection: Connection, resource: Resource, name: str, namespace: str | None) -> dict[str, Any]:
    """One object, as `list_objects` gives it.

    Raises:
        NotFoundError: There is none.
        StatusError, UnreachableError, AnswerError: As for `Connection.get`.

    """
    return complete(connection.get(resource.path(namespace, name)), resource)


def skipped(resource: Resource, error: StatusError, verb: str, namespace: str | None) -> Skipped:
    """What is told of a kind whose list the API server refuses.

    Args:
        resource: The kind.
        error: The refusal.
        verb: What was asked for: get, list or watch.
        namespace: The namespace; None for all.

    """
    cure: str | None = None
    reason = error.detail
    if error.status == FORBIDDEN:
        cure = f"ask for the permission to {permission(resource, verb, namespace)}"
        if namespace is None and resource.namespaced:
            cure += ", or read one namespace with -n"
    elif error.status == NOT_FOUND:
        cure = "its definition was removed a moment ago: run it again"
    elif error.status == METHOD_NOT_ALLOWED:
        cure = f"the API server has no {verb} for it: leave it out"
    return Skipped(resource.name, f"{reason} ({error.status})", cure, error.status)


def permission(resource: Resource, verb: str, namespace: str | None) -> str:
    """A permission in words: `list jobsets.jobset.x-k8s.io in all namespaces`."""
    if not resource.namespaced:
        return f"{verb} {resource.name} in the cluster"
    return f"{verb} {resource.name} in {'all namespaces' if namespace is None else f'the namespace {namespace}'}"

"""Mappings that a cluster holds: objects of kind WorkloadMapping, whose definition `workloadmap schema crd` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.catalog import load_mapping
from workloadmap_spec.cluster.discovery import Skipped
from workloadmap_spec.cluster.errors import StatusError, UnauthorizedError
from workloadmap_spec.cluster.listing import list_objects, skipped
from workloadmap_spec.errors import MappingError
from workloadmap_spec.schemas import API_VERSION

if TYPE_CHECKING:
    from workloadmap_spec.cluster.connection import Connection
    from workloadmap_spec.cluster.discovery import Discovery

_KIND: Final = "WorkloadMapping"


def stored_mappings(connection: Connection, discovery: Discovery) -> tuple[list[dict[str, Any]], list[Skipped]]:
    """The mappings that a cluster holds and that can be used, by name, and those that cannot.

    Of two that read the same kind in the same version the first by name counts, and the other is told.

    Raises:
        UnreachableError, UnauthorizedError, AnswerError: Nothing can be asked.
    """
    resource = discovery.find(API_VERSION, _KIND)
    if resource is None:
        return [], []
    try:
        listed = list_objects(connection, resource, None, None)
    except UnauthorizedError:
        raise
    except StatusError as error:
        return [], [skipped(resource, error, "list", None)]
    found: list[dict[str, Any]] = []
    told: list[Skipped] = []
    taken: dict[tuple[str, str, str], str] = {}
    for item in sorted(listed.items, key=lambda item: str(item["metadata"].get("name"))):
        name = str(item["metadata"].get("name"))
        # What an API server adds is no part of a mapping.
        document = {"apiVersion": API_VERSION, "kind": _KIND, "metadata": {"name": name}, "spec": item.get("spec")}
        try:
            mapping = load_mapping(document)
        except MappingError as error:
            told.append(Skipped(f"the mapping {name} of the cluster", f"{error.location}: {error.message}", error.cure))
            continue
        keys = [(mapping.group, mapping.kind, version) for version in mapping.versions]
        others = [taken[key] for key in keys if key in taken]
        if others:
            reason = f"{mapping.kind} is read by the mapping {others[0]} already"
            told.append(Skipped(f"the mapping {name} of the cluster", reason, "delete one of the two"))
            continue
        taken |= dict.fromkeys(keys, name)
        found.append(document)
    return found, told

"""A cluster seen with a catalogue: what everything else here is asked of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workloadmap_spec.cluster.discovery import discover
from workloadmap_spec.cluster.kinds import Kinds, covered_kinds

if TYPE_CHECKING:
    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.cluster.connection import Connection


@dataclass(frozen=True, slots=True)
class Cluster:
    """A connection, the mappings, and the kinds that are in both."""

    connection: Connection
    catalog: Catalog
    kinds: Kinds


def look(connection: Connection, catalog: Catalog) -> Cluster:
    """A cluster seen with a catalogue; this is the first that is sent to the server.

    `kinds.discovery.skipped` of it tells the groups that cannot be discovered.

    Raises:
        ClusterError: The server cannot be reached, or refuses; see `discovery.discover`.
        MappingError, AmbiguousMappingError: A mapping cannot be used.
    """
    return Cluster(connection, catalog, covered_kinds(discover(connection), catalog))

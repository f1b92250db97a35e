"""What the tests share: one server for all of them, and the objects on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from e2e.cluster import Cluster
from e2e.control_plane import ControlPlane, control_plane
from e2e.seed import UPSTREAM_VARIABLE, Seed, fill, upstream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def upstream_folder() -> Path:
    """The folder with the objects of others; tests that need it are skipped where it is absent."""
    folder = upstream()
    if folder is None:
        pytest.skip(f"{UPSTREAM_VARIABLE} names no folder, and there is no shared/upstream beside the checkout")
    return folder


@pytest.fixture(scope="session")
def plane() -> Iterator[ControlPlane]:
    """A server; its `admin` and `viewer` are paths for KUBECONFIG."""
    with control_plane() as running:
        yield running


@pytest.fixture(scope="session")
def cluster(plane: ControlPlane) -> Cluster:
    """The server, for a user who may do everything."""
    return Cluster(plane.admin)


# The folder comes first: without it no server needs to be started.
@pytest.fixture(scope="session")
def seed(upstream_folder: Path, cluster: Cluster) -> Seed:
    """The objects that are on the server. Tests leave them as they are."""
    return fill(cluster, upstream_folder)

"""The server that the other tests rest on."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from e2e.cluster import Cluster, RefusedError
from e2e.control_plane import control_plane


def test_the_viewer_may_list_nothing() -> None:
    """Rights are those that are given, for whoever is no administrator; on a server where nobody bound a role yet."""
    with control_plane() as fresh, pytest.raises(RefusedError, match='User "viewer" cannot list resource "pods"'):
        Cluster(fresh.viewer).list("v1", "Pod")


def test_a_server_is_gone_with_its_block() -> None:
    """Also when an error ends it: nobody listens, and no file is left."""
    with ExitStack() as stack:
        running = stack.enter_context(control_plane())
        url = urlsplit(running.url)
        socket.create_connection((url.hostname or "", url.port or 0), timeout=5).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((url.hostname or "", url.port or 0), timeout=5)
    assert not running.admin.parent.exists()

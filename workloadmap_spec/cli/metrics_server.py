"""The server of `workloadmap serve-metrics`: one text, made when it is asked for and something has changed."""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.age import now
from workloadmap_spec.cli.cluster import has_all_pods, read_nodes
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.report.build import build_report
from workloadmap_spec.report.openmetrics import CONTENT_TYPE, to_openmetrics

if TYPE_CHECKING:
    from workloadmap_spec.cluster.fetching import Fetched
    from workloadmap_spec.cluster.view import Cluster
    from workloadmap_spec.report.prices import Prices

#: Seconds in which a client must have sent its request.
_TIMEOUT: Final = 10


class Metrics:
    """What the cluster has, and the text about it. Another thread updates it than reads it."""

    def __init__(self, cluster: Cluster, prices: Prices | None) -> None:
        """Begin with nothing."""
        self._cluster = cluster
        self._prices = prices
        self._lock = threading.Lock()
        self._fetched: Fetched | None = None
        self._text: str | None = None
        #: Whether somebody listens already.
        self.is_served = False

    def update(self, fetched: Fetched) -> None:
        """Take what there is now."""
        with self._lock:
            self._fetched = fetched
            self._text = None

    def text(self) -> str:
        """The metrics of now.

        Raises:
            WorkloadMapError: They cannot be made.

        """
        with self._lock:
            if self._text is None and self._fetched is not None:
                self._text = self._make(self._fetched)
            return self._text or "# EOF\n"

    def _make(self, fetched: Fetched) -> str:
        """The metrics of what a cluster has."""
        documents = list(fetched.documents)
        if self._prices is not None and self._prices.ask_for_nodes:
            documents += read_nodes(self._cluster)[0]
        reading = self._cluster.catalog.read_all(fetched.documents, all_pods=has_all_pods(fetched))
        return to_openmetrics(build_report(reading, documents, now(), self._prices))


def make_server(address: tuple[str, int], metrics: Metrics) -> ThreadingHTTPServer:
    """A server that listens, and does not answer before `serve_forever`.

    Raises:
        OSError: The address cannot be listened on.

    """

    class Handler(BaseHTTPRequestHandler):
        """Answers one request."""

        timeout = _TIMEOUT
        server_version = "workloadmap"
        sys_version = ""

        def do_GET(self) -> None:
            """Answer."""
            path = self.path.partition("?")[0]
            if path == "/healthz":
                self._answer(HTTPStatus.OK, "text/plain", "ok\n")
            elif path != "/metrics":
                self._answer(HTTPStatus.NOT_FOUND, "text/plain", "the metrics are at /metrics\n")
            else:
                try:
                    text = metrics.text()
                except WorkloadMapError as error:
                    self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", f"{error}\n")
                else:
                    self._answer(HTTPStatus.OK, CONTENT_TYPE, text)

        def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
            """Send an answer."""
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: a scraper asks every few seconds."""

    server = ThreadingHTTPServer(address, Handler)
    server.daemon_threads = True
    return server

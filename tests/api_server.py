"""A small API server for tests, which the real client talks to, and objects for it."""

from __future__ import annotations

import gzip
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

import yaml

from workloadmap_spec.cluster import plurals

if TYPE_CHECKING:
    from pathlib import Path

# The server


def resource(
    name: str,
    kind: str,
    *short: str,
    plural: str = "",
    namespaced: bool = True,
    verbs: tuple[str, ...] = ("get", "list", "watch"),
) -> dict[str, Any]:
    """A resource of a server; `name` is group/version."""
    group, _, version = name.rpartition("/")
    return {
        "group": group,
        "version": version,
        "kind": kind,
        "plural": plural or plurals.plural_of(group, kind),
        "short": list(short),
        "namespaced": namespaced,
        "verbs": list(verbs),
    }


STANDARD: Final = (
    resource("v1", "Pod", "po"),
    resource("v1", "ConfigMap", "cm"),
    resource("v1", "Binding", verbs=("create",)),
    resource("v1", "Namespace", "ns", namespaced=False),
    resource("apps/v1", "Deployment", "deploy"),
    resource("apps/v1", "StatefulSet", "sts"),
    resource("batch/v1", "Job"),
    resource("batch.volcano.sh/v1alpha1", "Job", "vcjob", "vj"),
    resource("jobset.x-k8s.io/v1beta9", "JobSet"),
    resource("jobset.x-k8s.io/v1alpha2", "JobSet"),
    resource("metrics.k8s.io/v1beta1", "PodMetrics", plural="pods"),
    resource("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    resource("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", namespaced=False),
    resource("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"),
)


#: The code of an answer that breaks off in the middle.
CUT: Final = 418


class Server:
    """A small API server: discovery, lists in pages, single objects, and watches that a test writes."""

    def __init__(self) -> None:
        """Serve the standard resources, without objects."""
        self.resources = list(STANDARD)
        self.aggregated = True
        self.stale: set[str] = set()
        #: Objects by the path of the list of all of them.
        self.objects: dict[str, list[dict[str, Any]]] = {}
        #: Answers that come in place of the usual ones, by path, as often as they are there; the last one stays.
        self.answers: dict[str, list[tuple[int, Any]]] = {}
        #: What each watch sends, by path; None ends it.
        self.events: dict[str, SimpleQueue[Any]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.tokens: list[tuple[str | None, str | None]] = []
        #: After so many pages a continue token is gone, as often as is said.
        self.expire = 0
        self.lock = Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End, also for who watches."""
        for queue in self.events.values():
            queue.put(None)
        self.http.shutdown()
        self.http.server_close()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """What answers one request."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = dict(parse_qsl(parts.query))
                with server.lock:
                    server.requests.append((parts.path, query))
                    server.tokens.append((self.headers.get("Authorization"), self.headers.get("Impersonate-User")))
                    status, answer = server.answer(parts.path, query, str(self.headers.get("Accept")))
                if isinstance(answer, SimpleQueue):
                    self.stream(answer)
                else:
                    self.whole(status, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

            def whole(self, status: int, body: bytes) -> None:
                body = gzip.compress(body)
                self.send_response(status)
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(body)))
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                # A whole answer, or one that breaks off in the middle.
                self.close_connection = status == CUT
                self.wfile.write(body[: len(body) // 2] if status == CUT else body)

            def stream(self, queue: SimpleQueue[Any]) -> None:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while (event := queue.get()) is not None:
                    if event == "break":
                        self.close_connection = True
                        return
                    line = event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n"
                    # An event in two chunks: nothing says that they end together.
                    for part in (line[: len(line) // 2], line[len(line) // 2 :]):
                        self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                self.wfile.write(b"0\r\n\r\n")

        return Handler

    def answer(self, path: str, query: dict[str, str], accept: str) -> tuple[int, Any]:
        """The answer to a request."""
        key = f"watch {path}" if "watch" in query else path
        if told := self.answers.get(key):
            return told.pop(0) if len(told) > 1 else told[0]
        if path in ("/api", "/apis"):
            return 200, self.groups(path, accept)
        listed = re.fullmatch(r"/apis?/(?:([^/]+)/)?(v[^/]+)(?:/namespaces/([^/]+))?(?:/([^/]+))?(?:/([^/]+))?", path)
        assert listed, path
        group, version, namespace, plural, name = listed.groups("")
        if not plural:
            return 200, {"kind": "APIResourceList", "resources": self.plain(group, version)}
        base = path.split("/namespaces/", maxsplit=1)[0]
        base = f"{base}/{plural}" if base != path else path.removesuffix(f"/{name}" if name else "")
        found = [
            value
            for value in self.objects.get(base, ())
            if not namespace or value["metadata"].get("namespace") == namespace
        ]
        if name:
            fitting = [value for value in found if value["metadata"]["name"] == name]
            return (200, fitting[0]) if fitting else (404, status(404, f'{plural} "{name}" not found'))
        if "watch" in query:
            return 200, self.events.setdefault(path, SimpleQueue())
        return self.page([value for value in found if fits(value, query.get("labelSelector", ""))], query)

    def page(self, found: list[dict[str, Any]], query: dict[str, str]) -> tuple[int, Any]:
        """One page of a list, without the kinds of its items."""
        limit = int(query.get("limit", "0")) or len(found)
        start = int(query.get("continue", "0"))
        if start and self.expire:
            self.expire -= 1
            return 410, status(410, "The provided continue parameter is too old")
        metadata = {"resourceVersion": "100"}
        if start + limit < len(found):
            metadata["continue"] = str(start + limit)
        items = [
            {name: part for name, part in value.items() if name not in ("apiVersion", "kind")}
            for value in found[start : start + limit]
        ]
        return 200, {"kind": "List", "metadata": metadata, "items": items}

    def groups(self, path: str, accept: str) -> dict[str, Any]:
        """The groups, in one of the two forms."""
        names = dict.fromkeys(entry["group"] for entry in self.resources if bool(entry["group"]) == (path == "/apis"))
        versions = {
            name: list(dict.fromkeys(entry["version"] for entry in self.resources if entry["group"] == name))
            for name in names
        }
        if not self.aggregated or "APIGroupDiscoveryList" not in accept:
            if path == "/api":
                return {"kind": "APIVersions", "versions": versions.get("", [])}
            groups = [
                {
                    "name": name,
                    "versions": [{"version": version} for version in reversed(versions[name])],
                    "preferredVersion": {"version": versions[name][0]},
                }
                for name in names
            ]
            return {"kind": "APIGroupList", "groups": groups}
        items = [
            {
                "metadata": {"name": name},
                "versions": [
                    {
                        "version": version,
                        "freshness": "Stale" if name in self.stale else "Current",
                        "resources": [] if name in self.stale else self.whole(name, version),
                    }
                    for version in versions[name]
                ],
            }
            for name in names
        ]
        return {"kind": "APIGroupDiscoveryList", "items": items}

    def whole(self, group: str, version: str) -> list[dict[str, Any]]:
        """The resources of a version, in the aggregated form."""
        return [
            {
                "resource": entry["plural"],
                "responseKind": {"group": group, "version": version, "kind": entry["kind"]},
                "scope": "Namespaced" if entry["namespaced"] else "Cluster",
                "singularResource": entry["kind"].lower(),
                "shortNames": entry["short"],
                "verbs": entry["verbs"],
            }
            for entry in self.resources
            if (entry["group"], entry["version"]) == (group, version)
        ] + [{"resource": "only", "subresources": []}]

    def plain(self, group: str, version: str) -> list[dict[str, Any]]:
        """The resources of a version, in the plain form."""
        return [
            {
                "name": entry["plural"],
                "singularName": entry["kind"].lower(),
                "namespaced": entry["namespaced"],
                "kind": entry["kind"],
                "verbs": entry["verbs"],
                "shortNames": entry["short"],
            }
            for entry in self.resources
            if (entry["group"], entry["version"]) == (group, version)
        ] + [{"name": "jobs/status", "kind": "Job"}]

    def add(self, *values: dict[str, Any]) -> None:
        """Add objects."""
        for value in values:
            self.objects.setdefault(path_of(value), []).append(value)

    def asked(self, part: str) -> list[dict[str, str]]:
        """The queries of the requests whose path ends so."""
        return [query for path, query in self.requests if path.endswith(part)]

    def send(self, path: str, *events: Any) -> None:  # noqa: ANN401 - JSON, and more
        """Send events to whoever watches."""
        with self.lock:
            queue = self.events.setdefault(path, SimpleQueue())
        for event in events:
            queue.put(event)


def path_of(value: dict[str, Any]) -> str:
    """The path of all objects of a kind."""
    group, _, version = value["apiVersion"].rpartition("/")
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    return f"{root}/{plurals.plural_of(group, value['kind'])}"


def status(code: int, message: str) -> dict[str, Any]:
    """A Status."""
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}


def fits(value: dict[str, Any], selector: str) -> bool:
    """Whether an object has labels."""
    labels = value["metadata"].get("labels", {})
    return all(labels.get(part.split("=")[0]) == part.split("=")[1] for part in selector.split(",") if part)


# Objects

NUMBERS: Final = iter(range(1, 1_000_000))


def thing(api_version: str, kind: str, name: str, namespace: str | None = "research", **parts: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """An object as a server has it."""
    number = next(NUMBERS)
    metadata = {"name": name, "uid": f"uid-{number}", "resourceVersion": str(number), "managedFields": [{"a": 1}]}
    if namespace is not None:
        metadata["namespace"] = namespace
    metadata |= parts.pop("metadata", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


TEMPLATE: Final = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}}


def deployment(name: str, namespace: str = "research", **labels: str) -> dict[str, Any]:
    """A Deployment of two pods."""
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": TEMPLATE}
    return thing("apps/v1", "Deployment", name, namespace, spec=spec, metadata={"labels": labels})


def pod(name: str, app: str, namespace: str = "research") -> dict[str, Any]:
    """A pod of a Deployment; its condition has a null, as that of every pod."""
    told = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": None}]}
    return thing("v1", "Pod", name, namespace, spec=TEMPLATE["spec"], status=told, metadata={"labels": {"app": app}})


def trainjob(name: str, runtime: str, kind: str | None = None) -> dict[str, Any]:
    """A TrainJob, which refers to a runtime."""
    reference = {"name": runtime} | ({"kind": kind} if kind else {})
    return thing("trainer.kubeflow.org/v1alpha1", "TrainJob", name, spec={"runtimeRef": reference})


def runtime(name: str, kind: str = "ClusterTrainingRuntime", namespace: str | None = None) -> dict[str, Any]:
    """A runtime of one Job."""
    job = {"name": "node", "template": {"spec": {"template": TEMPLATE}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return thing("trainer.kubeflow.org/v1alpha1", kind, name, namespace, spec=spec)


def write_config(path: Path, url: str, **parts: Any) -> Path:  # noqa: ANN401 - JSON
    """A kubeconfig with two contexts."""
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "one", "cluster": {"server": url}}],
                "users": [{"name": "me", "user": {"token": "secret"}}],
                "contexts": [
                    {"name": "lab", "context": {"cluster": "one", "user": "me", "namespace": "research"}},
                    {"name": "plain", "context": {"cluster": "one", "user": "me"}},
                ],
                "current-context": "lab",
            }
            | parts
        ),
        encoding="utf-8",
    )
    return path

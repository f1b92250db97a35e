"""Reading from a cluster, through the real client, against an API server that is made here."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import sys
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.api_server import (
    CUT,
    TEMPLATE,
    Server,
    deployment,
    pod,
    resource,
    runtime,
    status,
    thing,
    trainjob,
    write_config,
)
from tests.conftest import small_mapping
from workloadmap_spec import Catalog
from workloadmap_spec.cluster import claims, errors, failures, kubeconfig, plurals
from workloadmap_spec.cluster.connection import connect
from workloadmap_spec.cluster.discovery import Discovery, Resource, Skipped, discover
from workloadmap_spec.cluster.fetching import fetch_one, fetch_workloads
from workloadmap_spec.cluster.kinds import covered_kinds, resolve
from workloadmap_spec.cluster.listing import get_object, list_objects
from workloadmap_spec.cluster.roles import COMPUTED, cluster_role, unknown_references
from workloadmap_spec.cluster.view import look
from workloadmap_spec.cluster.watch import Pace, watch
from workloadmap_spec.pods import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workloadmap_spec.cluster.connection import Connection
    from workloadmap_spec.cluster.view import Cluster
    from workloadmap_spec.cluster.watch import Watch

# Fixtures


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that runs."""
    with Server() as made:
        yield made


@pytest.fixture
def config(tmp_path: Path, server: Server) -> Path:
    """A kubeconfig for the server."""
    return write_config(tmp_path / "config", server.url)


@pytest.fixture
def connection(config: Path) -> Iterator[Connection]:
    """A connection to the server."""
    with connect(str(config)) as made:
        yield made


@pytest.fixture
def cluster(connection: Connection) -> Cluster:
    """The server seen with the shipped mappings."""
    return look(connection, Catalog.builtin())


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@contextmanager
def fails(kind: type[Exception], text: str) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """What is inside raises an error with exactly this text."""
    with pytest.raises(kind) as caught:
        yield caught
    assert type(caught.value) is kind
    assert str(caught.value) == text


# Connecting


def test_the_context_gives_the_server_the_namespace_and_the_credentials(server: Server, config: Path) -> None:
    with connect(str(config)) as found:
        assert (found.context, found.namespace, found.server) == ("lab", "research", server.url)
        found.get("/api")
    with connect(str(config), "plain") as found:
        assert (found.context, found.namespace) == ("plain", "default")
    assert server.tokens == [("Bearer secret", None)]


def test_a_user_may_ask_as_somebody_else(server: Server, tmp_path: Path) -> None:
    user = {"token": "secret", "as": "ci"}
    path = write_config(tmp_path / "config", server.url, users=[{"name": "me", "user": user}])
    with connect(str(path)) as found:
        found.get("/api")
    assert server.tokens == [("Bearer secret", "ci")]
    user["as-groups"] = "x"
    write_config(path, server.url, users=[{"name": "me", "user": user}])
    with fails(
        errors.ConfigurationError,
        "the user of the context lab has as-groups, which is not supported\n"
        "  `as` alone is supported: give the user that it names those groups",
    ):
        connect(str(path))


def test_kubeconfig_of_the_environment_may_have_several_files_of_which_the_first_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = write_config(tmp_path / "first", "http://first", **{"current-context": "plain"})
    second = write_config(tmp_path / "second", "http://second")
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'none'}:{first}:{second}")
    with connect() as found:
        assert (found.context, found.server) == ("plain", "http://first")


def test_the_usual_file_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".kube").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    write_config(home / ".kube" / "config", "http://usual")
    with connect() as found:
        assert found.server == "http://usual"


def test_without_any_file_there_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with fails(
        errors.ConfigurationError,
        "nothing says how to reach a cluster: there is no ~/.kube/config\n"
        "  give a kubeconfig with --kubeconfig, or set KUBECONFIG",
    ):
        connect()
    monkeypatch.setenv("KUBECONFIG", "/none/a:/none/b")
    with fails(
        errors.ConfigurationError,
        "nothing says how to reach a cluster: no file of KUBECONFIG (/none/a:/none/b) exists\n"
        "  give a kubeconfig with --kubeconfig, or set KUBECONFIG",
    ):
        connect()
    path = tmp_path / "none"
    with fails(errors.ConfigurationError, f"the kubeconfig {path} does not exist\n  check the path"):
        connect(str(path))


def test_an_unknown_context_names_those_that_exist(config: Path) -> None:
    with fails(
        errors.UnknownContextError, f"the kubeconfig {config} has no context `prod`\n  it has lab, plain"
    ) as caught:
        connect(str(config), "prod")
    assert caught.value.known == ("lab", "plain")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        pytest.param(
            {"current-context": ""},
            "the kubeconfig FILE has no current context\n  name one with --context: lab, plain",
            id="no-current-context",
        ),
        pytest.param(
            {"current-context": "", "contexts": None},
            "the kubeconfig FILE has no current context\n  give another file with --kubeconfig",
            id="no-context",
        ),
        pytest.param(
            {"contexts": []},
            "the kubeconfig FILE has no context `lab`\n  it has none: give another file with --kubeconfig",
            id="no-contexts",
        ),
        pytest.param({"users": 3}, "`users` of the kubeconfig FILE is no list", id="users-is-a-number"),
        pytest.param({"contexts": 3}, "`contexts` of the kubeconfig FILE is no list", id="contexts-is-a-number"),
        pytest.param(
            {"contexts": [{"name": "a", "context": 3}]},
            "an entry of `contexts` of the kubeconfig FILE needs `name` and a map `context`",
            id="context-that-is-a-number",
        ),
        pytest.param(
            {"clusters": []},
            "the context lab cannot be used: Invalid kube-config file. Expected object with name one in "
            "FILE/clusters list\n  check its cluster and its user in the kubeconfig",
            id="no-cluster",
        ),
        pytest.param(
            {"users": [{"name": "me", "user": {"exec": {"apiVersion": "client.authentication.k8s.io/v1"}}}]},
            "the credentials of the context lab cannot be had: exec: malformed request. missing key 'command'"
            "\n  log in again, or check `users` of the kubeconfig",
            id="plug-in-fails",
        ),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_is_an_error(tmp_path: Path, parts: dict[str, Any], text: str) -> None:
    path = write_config(tmp_path / "config", "http://127.0.0.1:1", **parts)
    with pytest.raises(errors.ConfigurationError) as caught:
        connect(str(path))
    assert str(caught.value).replace(str(path), "FILE") == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a: [", "the kubeconfig FILE is not YAML: while parsing a flow node "),
        (b"- 1", "the kubeconfig FILE is no map"),
        (b"", "the kubeconfig FILE has no current context\n  give another file with --kubeconfig"),
    ],
    ids=["not-yaml", "a-list", "empty"],
)
def test_a_file_that_is_no_kubeconfig_is_an_error(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(content)
    with pytest.raises(errors.ConfigurationError) as caught:
        connect(str(path))
    assert str(caught.value).replace(str(path), "FILE").startswith(text)


def test_a_file_that_cannot_be_read_is_an_error(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    text = f"the kubeconfig {config} cannot be read: Permission denied\n  check its permissions"
    with fails(errors.ConfigurationError, text):
        connect(str(config))


def test_inside_a_cluster_the_service_account_of_the_pod_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in {"token": "abc", "ca.crt": "pem", "namespace": "serving\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setattr("kubernetes.config.incluster_config.SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr("kubernetes.config.incluster_config.SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    with connect() as found:
        assert (found.context, found.namespace, found.server) == ("in-cluster", "serving", "https://10.0.0.1:443")
    (tmp_path / "namespace").unlink()
    with connect() as found:
        assert found.namespace == "default"


def test_without_the_client_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    with fails(
        errors.MissingClientError,
        "the Kubernetes client, which reads from a cluster, is not installed\n"
        "  pip install 'workloadmap-spec[cluster]'",
    ):
        connect()


def test_an_insecure_cluster_that_was_asked_for_gives_no_warning(tmp_path: Path) -> None:
    cluster = {"name": "one", "cluster": {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": True}}
    with connect(str(write_config(tmp_path / "config", "", clusters=[cluster]))) as found:
        assert found.server == "https://127.0.0.1:1"


# Asking


def test_a_server_that_is_not_there_cannot_be_reached(tmp_path: Path) -> None:
    config = write_config(tmp_path / "config", "http://127.0.0.1:1")
    with (
        connect(str(config)) as found,
        fails(
            errors.UnreachableError,
            "the API server http://127.0.0.1:1 cannot be reached: Connection refused\n"
            "  check the network, and that the context lab is the one that is meant",
        ),
    ):
        found.get("/api")


def test_a_closed_connection_asks_nothing_more(server: Server, config: Path) -> None:
    found = connect(str(config))
    found.close()
    with fails(errors.ClusterError, f"the connection to {server.url} is closed"):
        found.get("/api")


def test_a_server_without_tls_is_no_secure_connection(tmp_path: Path, server: Server) -> None:
    url = server.url.replace("http:", "https:")
    with connect(str(write_config(tmp_path / "config", url))) as found:
        with pytest.raises(errors.CertificateError) as caught:
            found.get("/api")
        assert str(caught.value) == (
            f"no secure connection to {url}: {caught.value.message.rpartition(': ')[2]}\n"
            "  check server, certificates and keys of the context lab"
        )


def test_a_certificate_of_nobody_is_told(tmp_path: Path, server: Server) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run(
        [openssl, *words, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=60
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.http.socket = context.wrap_socket(server.http.socket, server_side=True)
    server.http.handle_error = lambda *_: None  # type: ignore[method-assign]
    url = server.url.replace("http:", "https:")
    with (
        connect(str(write_config(tmp_path / "config", url))) as found,
        fails(
            errors.CertificateError,
            f"the certificate of {url} is not accepted: self-signed certificate\n"
            "  check certificate-authority-data and server of the context lab",
        ),
    ):
        found.get("/api")


@pytest.mark.parametrize(
    ("code", "body", "kind", "text"),
    [
        pytest.param(
            401,
            status(401, "Unauthorized"),
            errors.UnauthorizedError,
            "the API server does not accept the credentials of the context lab: Unauthorized\n"
            "  log in again, or choose another context with --context",
            id="unauthorized",
        ),
        pytest.param(
            403,
            status(403, "you may not"),
            errors.ForbiddenError,
            "the API server refuses GET /x: you may not (403)",
            id="forbidden",
        ),
        pytest.param(
            502,
            b"<h1>Bad\nGateway</h1>",
            errors.StatusError,
            "the API server refuses GET /x: <h1>Bad Gateway</h1> (502)",
            id="proxy",
        ),
        pytest.param(
            500, b"", errors.StatusError, "the API server refuses GET /x: no reason given (500)", id="nothing"
        ),
        pytest.param(
            200,
            b"<html>",
            errors.AnswerError,
            "the API server answers /x with something that is no JSON\n  is there a proxy that wants a login?",
            id="login-page",
        ),
        pytest.param(
            200, b"[1]", errors.AnswerError, "the API server answers /x with JSON that is no object", id="list"
        ),
    ],
)
def test_a_refusal_is_an_error_for_people(  # noqa: PLR0913 - a table
    server: Server, connection: Connection, code: int, body: object, kind: type[Exception], text: str
) -> None:
    server.answers["/x"] = [(code, body)]
    with fails(kind, text) as caught:
        connection.get("/x")
    assert getattr(caught.value, "status", 200) == code


def test_a_server_that_says_later_is_asked_again(server: Server, connection: Connection) -> None:
    server.answers["/x"] = [(429, status(429, "later")), (200, {"kind": "X"})]
    assert connection.get("/x") == {"kind": "X"}
    assert len(server.requests) == 2


def test_an_answer_that_breaks_off_is_an_error(server: Server, connection: Connection) -> None:
    server.answers["/x"] = [(CUT, {"kind": "X"})]
    for ask in (lambda: connection.get("/x"), lambda: connection.stream("/x", (), 1)):
        with pytest.raises(errors.UnreachableError) as caught:
            ask()
        assert str(caught.value).startswith(f"the API server {server.url} cannot be reached: IncompleteRead")
        assert str(caught.value).endswith("\n  check the network, and that the context lab is the one that is meant")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TimeoutError("timed out"), "there is no answer in time"),
        (OSError(113, "No route to host"), "No route to host"),
        (ValueError("two\nlines"), "two lines"),
    ],
    ids=["timeout", "system", "other"],
)
def test_the_cause_of_a_failure_is_told_in_the_words_of_the_system(error: Exception, text: str) -> None:
    outer = RuntimeError("outer")
    outer.__cause__ = error
    assert failures.transport_error(outer, "https://x", "lab").message == (
        f"the API server https://x cannot be reached: {text}"
    )


# Kinds


@pytest.mark.parametrize("aggregated", [True, False], ids=["aggregated", "plain"])
def test_discovery_gives_the_same_in_both_forms(server: Server, connection: Connection, *, aggregated: bool) -> None:
    server.aggregated = aggregated
    found = discover(connection)
    assert found.skipped == ()
    assert {one.name for one in found.resources} >= {"pods", "jobs.batch", "jobs.batch.volcano.sh"}
    assert found.find("batch/v1", "Job") == Resource(
        "batch", "v1", "Job", "jobs", "job", (), namespaced=True, verbs=frozenset({"get", "list", "watch"})
    )
    assert found.find("batch/v2", "Job") is None
    assert [one.version for one in found.resources if one.kind == "JobSet"] == ["v1beta9", "v1alpha2"]
    assert len(server.requests) == (2 if aggregated else 10)


def test_a_group_that_is_away_is_told(server: Server, connection: Connection) -> None:
    server.stale = {"metrics.k8s.io"}
    assert [str(entry) for entry in discover(connection).skipped] == [
        (
            "metrics.k8s.io/v1beta1 is left out: it cannot be discovered: the API server behind it is away\n"
            "  `kubectl get apiservices` shows what is not available"
        )
    ]
    server.aggregated = False
    server.answers["/apis/metrics.k8s.io/v1beta1"] = [(503, status(503, "the server is currently unable"))]
    server.answers["/apis/batch/v1"] = [(200, b"?")]
    assert [str(entry) for entry in discover(connection).skipped] == [
        (
            "batch/v1 is left out: it cannot be discovered: the API server answers /apis/batch/v1 with something that "
            "is no JSON\n  `kubectl get apiservices` shows what is not available"
        ),
        (
            "metrics.k8s.io/v1beta1 is left out: it cannot be discovered: the server is currently unable\n"
            "  `kubectl get apiservices` shows what is not available"
        ),
    ]
    server.answers["/apis/batch/v1"] = [(401, status(401, "Unauthorized"))]
    with pytest.raises(errors.UnauthorizedError):
        discover(connection)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("jobset", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("jobsets", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("JobSet", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("jobset.jobset.x-k8s.io", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("jobsets.jobset", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("jobsets.v1alpha2.jobset.x-k8s.io", "jobset.x-k8s.io/v1alpha2 JobSet"),
        ("deploy", "apps/v1 Deployment"),
        ("sts.apps", "apps/v1 StatefulSet"),
        ("pods", "v1 Pod"),
        ("po", "v1 Pod"),
        ("pods.v1.", "v1 Pod"),
        ("jobs.batch", "batch/v1 Job"),
        ("jobs.batch.volcano.sh", "batch.volcano.sh/v1alpha1 Job"),
        ("vcjob", "batch.volcano.sh/v1alpha1 Job"),
    ],
)
def test_a_kind_has_the_names_that_kubectl_takes(cluster: Cluster, name: str, found: str) -> None:
    kind = cluster.kinds.resolve(name)
    assert f"{kind.resource.api_version} {kind.resource.kind}" == found
    assert kind.mapping.kind == kind.resource.kind


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        pytest.param(
            "widget",
            errors.UnknownKindError,
            "the cluster serves no kind `widget`\n  `kubectl api-resources` shows what it serves",
            id="unknown",
        ),
        pytest.param(
            ".",
            errors.UnknownKindError,
            "the cluster serves no kind `.`\n  `kubectl api-resources` shows what it serves",
            id="empty",
        ),
        pytest.param(
            "job",
            errors.AmbiguousKindError,
            "`job` is a kind of several groups\n  write jobs.batch or jobs.batch.volcano.sh",
            id="ambiguous",
        ),
        pytest.param(
            "cm",
            errors.UnmappedKindError,
            "`cm` is ConfigMap of v1, which no mapping reads\n"
            "  ConfigMap is no workload: it is configuration that pods read",
            id="no-workload",
        ),
        pytest.param(
            "bindings",
            errors.UnmappedKindError,
            "`bindings` is Binding of v1, which no mapping reads\n"
            "  Binding is no workload: it is what a controller notes about another object",
            id="no-list",
        ),
        pytest.param(
            "jobset.v1beta9.jobset.x-k8s.io",
            errors.UnmappedKindError,
            "`jobset.v1beta9.jobset.x-k8s.io` is JobSet of jobset.x-k8s.io/v1beta9, which no mapping reads\n"
            "  mappings exist for the versions v1alpha2",
            id="other-version",
        ),
        pytest.param(
            "things",
            errors.UnmappedKindError,
            "`things` is Thing of x.example/v1, which no mapping reads\n"
            "  `workloadmap mappings list` shows the kinds; give your own with -m PATH",
            id="no-mapping",
        ),
    ],
)
def test_a_name_that_means_no_kind_is_an_error(
    server: Server, connection: Connection, name: str, kind: type[Exception], text: str
) -> None:
    server.resources.append(resource("x.example/v1", "Thing"))
    kinds = look(connection, Catalog.builtin()).kinds
    with fails(kind, text):
        kinds.resolve(name)


def test_a_kind_may_be_in_a_group_that_is_away(server: Server, connection: Connection) -> None:
    server.stale = {"ray.io"}
    server.resources.append(resource("ray.io/v1", "RayJob"))
    with fails(
        errors.UnknownKindError,
        "the cluster serves no kind `rayjob`\n  it may be in what cannot be discovered: ray.io/v1",
    ):
        look(connection, Catalog.builtin()).kinds.resolve("rayjob")


def test_two_kinds_of_the_core_group_and_another_have_a_choice_each(connection: Connection, server: Server) -> None:
    server.resources.append(resource("x.example/v1", "Pod"))
    mapping = small_mapping("{components: [{name: main, podTemplate: object.spec.template}]}", "Pod")
    kinds = look(connection, Catalog.builtin().with_documents([mapping])).kinds
    with fails(errors.AmbiguousKindError, "`pod` is a kind of several groups\n  write pods.v1. or pods.x.example"):
        kinds.resolve("pod")
    assert [kind.resource.group for kind in resolve(kinds, ["pods.v1.", "pods.x.example", "po"])] == ["", "x.example"]


def test_every_kind_is_covered_once_in_the_version_that_is_preferred(cluster: Cluster) -> None:
    assert [f"{kind.resource.api_version} {kind.resource.kind}" for kind in cluster.kinds.served] == [
        "v1 Pod",
        "apps/v1 Deployment",
        "apps/v1 StatefulSet",
        "batch/v1 Job",
        "batch.volcano.sh/v1alpha1 Job",
        "jobset.x-k8s.io/v1alpha2 JobSet",
        "trainer.kubeflow.org/v1alpha1 TrainJob",
    ]
    assert covered_kinds(Discovery((), ()), cluster.catalog).served == ()


# Lists

DEPLOYMENTS: Final = Resource("apps", "v1", "Deployment", "deployments", "deployment", (), True, frozenset())  # noqa: FBT003 - a field


def test_a_list_is_read_page_by_page(server: Server, connection: Connection) -> None:
    server.add(*(deployment(f"d{number}") for number in range(7)))
    found = list_objects(connection, DEPLOYMENTS, "research", page_size=3)
    assert [item["metadata"]["name"] for item in found.items] == [f"d{number}" for number in range(7)]
    assert found.resource_version == "100"
    assert {(item["apiVersion"], item["kind"]) for item in found.items} == {("apps/v1", "Deployment")}
    assert not any("managedFields" in item["metadata"] for item in found.items)
    assert server.asked("/namespaces/research/deployments") == [
        {"limit": "3"},
        {"limit": "3", "continue": "3"},
        {"limit": "3", "continue": "6"},
    ]


@pytest.mark.parametrize(("times", "last"), [(1, {"limit": "2", "continue": "2"}), (2, {})], ids=["once", "twice"])
def test_a_list_whose_token_expires_is_begun_again(
    server: Server, connection: Connection, times: int, last: dict[str, str]
) -> None:
    server.add(*(deployment(f"d{number}") for number in range(4)))
    server.expire = times
    found = list_objects(connection, DEPLOYMENTS, page_size=2)
    assert [item["metadata"]["name"] for item in found.items] == ["d0", "d1", "d2", "d3"]
    assert server.requests[-1][1] == last


def test_a_list_that_expires_always_is_an_error(server: Server, connection: Connection) -> None:
    server.answers["/apis/apps/v1/deployments"] = [(410, status(410, "too old"))]
    with fails(errors.ExpiredError, "the API server refuses GET /apis/apps/v1/deployments: too old (410)"):
        list_objects(connection, DEPLOYMENTS)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"kind": "Table"}, "the API server answers /apis/apps/v1/deployments with Table that is no list"),
        ({"items": 3, "metadata": {}}, "the API server answers /apis/apps/v1/deployments with JSON that is no list"),
        (
            {"items": None, "metadata": {"continue": "x"}},
            "the API server answers /apis/apps/v1/deployments with the same page again and again",
        ),
    ],
    ids=["table", "number", "circle"],
)
def test_an_answer_that_is_no_list_is_an_error(
    server: Server, connection: Connection, answer: dict[str, Any], text: str
) -> None:
    server.answers["/apis/apps/v1/deployments"] = [(200, answer)]
    with fails(errors.AnswerError, text):
        list_objects(connection, DEPLOYMENTS)


def test_names_are_escaped_in_paths(server: Server, connection: Connection) -> None:
    assert DEPLOYMENTS.path("a/b", "c?d") == "/apis/apps/v1/namespaces/a%2Fb/deployments/c%3Fd"
    server.add(deployment("x"))
    assert get_object(connection, DEPLOYMENTS, "x", "research")["metadata"]["name"] == "x"


# Workloads


def names(documents: list[Any]) -> list[str]:
    """Kind and name of documents."""
    return [f"{document.value['kind']} {document.value['metadata']['name']}" for document in documents]


def test_workloads_come_with_the_pods_that_they_select(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web", tier="a"), deployment("api"), deployment("far", "other", tier="a"))
    server.add(pod("web-1", "web"), pod("web-2", "web"), pod("stray", "nobody"), pod("far-1", "far", "other"))
    kinds = resolve(cluster.kinds, ["deploy"])
    found = fetch_workloads(cluster, kinds, "research")
    assert names(found.documents) == ["Deployment web", "Deployment api", "Pod web-1", "Pod web-2"]
    assert found.skipped == []
    assert [document.index for document in found.documents] == [0, 1, 2, 3]
    assert {document.source for document in found.documents} == {"lab"}
    reading = cluster.catalog.read_all(found.documents)
    assert [len(one.to_dict().get("pods", ())) for _, one in reading.maps] == [2, 0]
    assert reading.unclaimed == []
    found = fetch_workloads(cluster, kinds, None, "tier=a")
    assert names(found.documents) == ["Deployment web", "Deployment far", "Pod web-1", "Pod web-2", "Pod far-1"]
    assert server.asked("/namespaces/other/pods") == [{"limit": "500", "labelSelector": "app=far"}]


def test_many_workloads_ask_for_all_pods_of_their_namespaces_at_once(server: Server, cluster: Cluster) -> None:
    for number in range(9):
        server.add(deployment(f"d{number}"), pod(f"p{number}", f"d{number}"))
    server.add(pod("stray", "nobody"))
    kinds = resolve(cluster.kinds, ["deploy"])
    found = fetch_workloads(cluster, kinds)
    assert names(found.pods) == [f"Pod p{number}" for number in range(9)]
    assert server.asked("/namespaces/research/pods") == [{"limit": "500"}]
    for number in range(9):
        server.add(deployment("far", f"n{number}"))
    server.requests.clear()
    fetch_workloads(cluster, kinds)
    assert [path for path, _ in server.requests if path.endswith("/pods")] == ["/api/v1/pods"]


def test_pods_that_are_asked_for_are_workloads_and_come_once(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"), pod("web-1", "web"), pod("stray", "nobody"))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["deploy", "po"]), "research")
    assert names(found.workloads) == ["Deployment web", "Pod web-1", "Pod stray"]
    assert found.pods == []
    assert names(fetch_workloads(cluster, resolve(cluster.kinds, ["po"])).documents) == ["Pod web-1", "Pod stray"]


def test_what_workloads_refer_to_is_fetched_once(server: Server, cluster: Cluster) -> None:
    server.add(*(trainjob(f"t{number}", "torch") for number in range(3)))
    server.add(trainjob("own", "mine", "TrainingRuntime"), trainjob("lost", "gone"))
    server.add(runtime("torch"), runtime("mine", "TrainingRuntime", "research"))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["trainjob"]))
    assert sorted(names(found.references)) == ["ClusterTrainingRuntime torch", "TrainingRuntime mine"]
    assert found.skipped == []
    assert len(server.asked("/clustertrainingruntimes/torch")) == 1
    assert len(server.asked("/clustertrainingruntimes/gone")) == 1
    reading = cluster.catalog.read_all(found.documents)
    assert {str(one.document["workload"]["name"]): len(one.wanted) for _, one in reading.maps} == {
        "t0": 0,
        "t1": 0,
        "t2": 0,
        "own": 0,
        "lost": 1,
    }


def test_a_reference_that_may_not_be_read_is_told(server: Server, cluster: Cluster) -> None:
    server.add(trainjob("one", "torch"), trainjob("two", "other"))
    base = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"
    server.answers[f"{base}/torch"] = server.answers[f"{base}/other"] = [(403, status(403, "no"))]
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["trainjob"]))
    assert [str(entry) for entry in found.skipped] == [
        (
            "clustertrainingruntimes.trainer.kubeflow.org is left out: no (403)\n"
            "  ask for the permission to get clustertrainingruntimes.trainer.kubeflow.org in the cluster"
        )
    ]
    server.answers[f"{base}/torch"] = [(401, status(401, "who?"))]
    with pytest.raises(errors.UnauthorizedError):
        fetch_workloads(cluster, resolve(cluster.kinds, ["trainjob"]))


CHAIN: Final = """
references:
- name: pool
  apiVersion: x.example/v1
  kind: Pool
  namespace: object.metadata.namespace
  resourceName: object.spec.pool
- name: parts
  optional: true
  apiVersion: x.example/v1
  kind: Part
  namespace: object.metadata.namespace
  selector: {pool: refs.pool.spec.part}
- name: nowhere
  optional: true
  apiVersion: x.example/v9
  kind: Nowhere
  resourceName: object.spec.pool
pods:
  selector: {pool: refs.pool.spec.part}
components:
- name: main
  podTemplate: object.spec.template
"""


def chain(connection: Connection, server: Server) -> Cluster:
    """A cluster with a kind that refers to objects, which lead to others."""
    for kind in ("Thing", "Pool", "Part"):
        server.resources.append(resource("x.example/v1", kind))
    return look(connection, Catalog.builtin().with_documents([small_mapping(CHAIN)]))


def test_references_that_lead_to_others_are_fetched_in_rounds(server: Server, connection: Connection) -> None:
    cluster = chain(connection, server)
    server.add(thing("x.example/v1", "Thing", "one", spec={"pool": "p", "template": TEMPLATE}))
    server.add(thing("x.example/v1", "Pool", "p", spec={"part": "a"}))
    server.add(*(thing("x.example/v1", "Part", name, metadata={"labels": {"pool": name[0]}}) for name in ("a1", "b1")))
    server.add(thing("v1", "Pod", "mine", metadata={"labels": {"pool": "a"}}), pod("other", "x"))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["thing"]))
    assert names(found.documents) == ["Thing one", "Pool p", "Part a1", "Pod mine"]
    assert server.asked("/namespaces/research/parts") == [{"limit": "500", "labelSelector": "pool=a"}]
    server.answers["/apis/x.example/v1/namespaces/research/parts"] = [(403, status(403, "no"))]
    found = fetch_one(cluster, cluster.kinds.resolve("thing"), "one")
    assert [str(entry) for entry in found.skipped] == [
        (
            "parts.x.example is left out: no (403)\n"
            "  ask for the permission to list parts.x.example in the namespace research"
        )
    ]


def test_a_referenced_object_that_violates_the_data_rules_stays_missing(server: Server, connection: Connection) -> None:
    cluster = chain(connection, server)
    server.add(thing("x.example/v1", "Thing", "one", spec={"pool": "p", "template": TEMPLATE}))
    server.add(thing("x.example/v1", "Pool", "p", spec={"part": "a\0"}))
    assert names(fetch_one(cluster, cluster.kinds.resolve("thing"), "one").documents) == ["Thing one"]


def test_a_referenced_object_that_is_there_is_not_fetched(server: Server, connection: Connection) -> None:
    server.resources += [resource("grove.io/v1alpha1", kind) for kind in ("PodCliqueSet", "PodCliqueScalingGroup")]
    cluster = look(connection, Catalog.builtin())
    labels = {"labels": {"app.kubernetes.io/part-of": "set"}}
    server.add(thing("grove.io/v1alpha1", "PodCliqueSet", "set", spec={"replicas": 1}))
    server.add(thing("grove.io/v1alpha1", "PodCliqueScalingGroup", "set-0-a", spec={"replicas": 1}, metadata=labels))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["podcliqueset", "podcliquescalinggroup"]))
    assert names(found.documents) == ["PodCliqueSet set", "PodCliqueScalingGroup set-0-a"]
    assert server.asked("/podcliquesets/set") == []


@pytest.mark.parametrize(
    ("code", "namespace", "text"),
    [
        (
            403,
            None,
            (
                "deployments.apps is left out: because (403)\n"
                "  ask for the permission to list deployments.apps in all namespaces, or read one namespace with -n"
            ),
        ),
        (
            403,
            "research",
            (
                "deployments.apps is left out: because (403)\n"
                "  ask for the permission to list deployments.apps in the namespace research"
            ),
        ),
        (
            404,
            None,
            "deployments.apps is left out: because (404)\n  its definition was removed a moment ago: run it again",
        ),
        (
            405,
            None,
            "deployments.apps is left out: because (405)\n  the API server has no list for it: leave it out",
        ),
        (500, None, "deployments.apps is left out: because (500)"),
    ],
)
def test_a_kind_that_may_not_be_listed_is_told_and_the_others_are_read(
    server: Server, cluster: Cluster, code: int, namespace: str | None, text: str
) -> None:
    server.add(thing("batch/v1", "Job", "train", spec={"template": TEMPLATE}))
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments" if namespace else "/apis/apps/v1/deployments"
    server.answers[path] = [(code, status(code, "because"))]
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["deploy", "jobs.batch"]), namespace)
    assert names(found.documents) == ["Job train"]
    assert [str(entry) for entry in found.skipped] == [text]
    assert found.skipped[0].status == code


def test_pods_that_may_not_be_listed_are_told_once(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"), deployment("api"))
    server.answers["/api/v1/namespaces/research/pods"] = [(403, status(403, "no pods"))]
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["deploy"]), "research")
    assert names(found.documents) == ["Deployment web", "Deployment api"]
    assert [str(entry) for entry in found.skipped] == [
        "pods is left out: no pods (403)\n  ask for the permission to list pods in the namespace research"
    ]


def test_an_unauthorized_list_ends_everything(server: Server, cluster: Cluster) -> None:
    server.answers["/apis/apps/v1/deployments"] = [(401, status(401, "Unauthorized"))]
    with pytest.raises(errors.UnauthorizedError):
        fetch_workloads(cluster, resolve(cluster.kinds, ["deploy", "po"]))


def test_an_object_that_violates_the_data_rules_is_told(server: Server, cluster: Cluster) -> None:
    bad = deployment("bad")
    bad["spec"]["note"] = "a\0b"
    server.add(bad, deployment("good"))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["deploy"]), "research")
    assert names(found.documents) == ["Deployment good"]
    assert [str(entry) for entry in found.skipped] == [
        (
            "Deployment research/bad is left out: /spec/note: a string holds the character NUL (U+0000)\n"
            "  remove it: Kubernetes does not store it"
        )
    ]


def test_a_workload_that_cannot_be_read_comes_without_pods(server: Server, cluster: Cluster) -> None:
    web, job = deployment("web"), trainjob("one", "torch")
    web["spec"], job["spec"] = "x", "y"
    server.add(web, job, pod("web-1", "web"))
    found = fetch_workloads(cluster, resolve(cluster.kinds, ["deploy", "trainjob"]))
    assert names(found.documents) == ["Deployment web", "TrainJob one"]
    assert len(cluster.catalog.read_all(found.documents).unread) == 2


def test_a_server_that_serves_no_pods_gives_workloads_without(server: Server, connection: Connection) -> None:
    server.resources = [entry for entry in server.resources if entry["kind"] != "Pod"]
    server.add(deployment("web"))
    cluster = look(connection, Catalog.builtin())
    assert names(fetch_workloads(cluster, resolve(cluster.kinds, ["deploy"])).documents) == ["Deployment web"]


def test_one_workload_comes_from_the_namespace_of_the_context(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"), deployment("web", "other"), pod("web-1", "web"), pod("web-2", "web", "other"))
    kind = cluster.kinds.resolve("deploy")
    assert names(fetch_one(cluster, kind, "web").documents) == ["Deployment web", "Pod web-1"]
    assert names(fetch_one(cluster, kind, "web", "other").documents) == ["Deployment web", "Pod web-2"]
    assert server.asked("/namespaces/other/pods") == [{"limit": "500", "labelSelector": "app=web"}]


def test_one_workload_that_is_not_there_is_an_error(server: Server, cluster: Cluster) -> None:
    kind = cluster.kinds.resolve("deploy")
    with fails(errors.NotFoundError, "there is no Deployment research/web\n  check the name, and the namespace (-n)"):
        fetch_one(cluster, kind, "web")
    server.answers["/apis/apps/v1/namespaces/research/deployments/web"] = [(403, status(403, "no"))]
    with fails(
        errors.ForbiddenError,
        "Deployment research/web may not be read: no\n"
        "  ask for the permission to get deployments.apps in the namespace research",
    ):
        fetch_one(cluster, kind, "web")


def test_one_workload_of_a_kind_without_namespaces(server: Server, connection: Connection) -> None:
    server.resources.append(resource("x.example/v1", "Thing", namespaced=False))
    mapping = small_mapping("{components: [{name: main, podTemplate: object.spec.template}]}")
    cluster = look(connection, Catalog.builtin().with_documents([mapping]))
    kind = cluster.kinds.resolve("thing")
    with fails(errors.NotFoundError, "there is no Thing a\n  check the name"):
        fetch_one(cluster, kind, "a", "research")
    server.answers["/apis/x.example/v1/things"] = [(403, status(403, "no"))]
    assert [entry.cure for entry in fetch_workloads(cluster, [kind]).skipped] == [
        "ask for the permission to list things.x.example in the cluster"
    ]


def test_claims_look_at_every_requirement() -> None:
    found = claims.Claims()
    exists = Requirement("a", "Exists", None)
    absent = Requirement("b", "DoesNotExist", None)
    equal = Requirement("c", "In", frozenset({"1"}))
    found.add("default", [(exists, absent), (equal, exists)])
    found.add("default", [(exists, absent)])
    assert list(found.asked) == [("default", "a,!b"), ("default", "c=1,a")]

    def claimed(labels: object, namespace: str = "") -> bool:
        return found.claims({"metadata": {"namespace": namespace, "labels": labels}})

    assert claimed({"a": "x"})
    assert not claimed({"a": "x", "b": "y"})
    assert claimed({"a": "x", "b": "y", "c": "1"})
    assert not claimed({"a": "x"}, "other")
    assert not claimed(None)
    assert not found.claims({})


# Watches

FAST: Final = Pace(quiet=0.05, first_pause=0.01, longest_pause=0.02, failures=3, open=5, refresh=0.0)
PATH: Final = "/apis/apps/v1/namespaces/research/deployments"
PODS: Final = "/api/v1/namespaces/research/pods"


def event(what: str, value: dict[str, Any]) -> dict[str, Any]:
    """An event of a watch."""
    return {"type": what, "object": value}


def changed(value: dict[str, Any], version: str, **labels: str) -> dict[str, Any]:
    """An object in a later version."""
    return {**value, "metadata": {**value["metadata"], "resourceVersion": version, "labels": labels}}


def told(changes: list[Any]) -> list[str]:
    """Changes in words, in order of the objects."""
    return sorted(f"{change.kind} {change.value['kind']} {change.value['metadata']['name']}" for change in changes)


def watching(cluster: Cluster, *kinds: str, pace: Pace = FAST, **parts: Any) -> Watch:  # noqa: ANN401 - handed on
    """A watch of Deployments and more in one namespace."""
    return watch(cluster, resolve(cluster.kinds, ["deploy", *kinds]), "research", pace=pace, **parts)


def test_a_watch_gives_everything_and_then_what_changes(server: Server, cluster: Cluster) -> None:
    web, first = deployment("web"), pod("web-1", "web")
    server.add(web, first, pod("stray", "nobody"))
    with watching(cluster) as changes:
        assert told(next(changes)) == ["added Deployment web", "added Pod web-1"]
        assert names(changes.mirror.documents()) == ["Deployment web", "Pod web-1"]
        second = pod("web-2", "web")
        server.send(PODS, event("ADDED", second), event("MODIFIED", changed(second, "900", app="web", x="1")))
        server.send(PODS, event("ADDED", pod("other", "nobody")))
        assert told(next(changes)) == ["added Pod web-2"]
        server.send(PODS, event("MODIFIED", changed(second, "901", app="web")), event("DELETED", first))
        assert told(next(changes)) == ["deleted Pod web-1", "modified Pod web-2"]
        # A pod that loses its labels is a change, and no longer there.
        server.send(PODS, event("MODIFIED", changed(second, "902")))
        assert told(next(changes)) == ["modified Pod web-2"]
        assert names(changes.mirror.documents()) == ["Deployment web"]
        # A new workload claims pods that nobody claimed.
        server.send(PATH, event("ADDED", deployment("nobody")))
        assert told(next(changes)) == ["added Deployment nobody"]
        assert sorted(names(changes.mirror.documents()))[2:] == ["Pod other", "Pod stray"]
    with pytest.raises(StopIteration):
        next(changes)


def test_a_watch_goes_on_from_the_last_bookmark(server: Server, cluster: Cluster) -> None:
    web = deployment("web")
    server.add(web)
    with watching(cluster) as changes:
        next(changes)
        bookmark = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "555"}}}
        server.send(PATH, bookmark, None, event("MODIFIED", changed(web, "556")))
        assert told(next(changes)) == ["modified Deployment web"]
    asked = [query for query in server.asked("/deployments") if "watch" in query]
    assert asked[0] == {"watch": "1", "allowWatchBookmarks": "true", "resourceVersion": "100", "timeoutSeconds": "5"}
    assert asked[1]["resourceVersion"] == "555"


@pytest.mark.parametrize("way", ["event", "answer"])
def test_a_forgotten_version_means_a_new_list_and_only_the_difference_is_told(
    server: Server, cluster: Cluster, way: str
) -> None:
    web, gone = deployment("web"), deployment("gone")
    server.add(web, gone, deployment("same"))
    with watching(cluster) as changes:
        next(changes)
        with server.lock:
            server.objects["/apis/apps/v1/deployments"] = [
                changed(web, "700"),
                *server.objects["/apis/apps/v1/deployments"][2:],
                deployment("new"),
            ]
            if way == "answer":
                server.answers[f"watch {PATH}"] = [
                    (410, status(410, "too old")),
                    (200, server.events.setdefault(PATH, SimpleQueue())),
                ]
        server.send(PATH, None if way == "answer" else event("ERROR", status(410, "too old resource version")))
        assert told(next(changes)) == ["added Deployment new", "deleted Deployment gone", "modified Deployment web"]


def test_a_broken_watch_is_told_and_begun_again(server: Server, cluster: Cluster) -> None:
    web = deployment("web")
    server.add(web)
    heard: list[str] = []
    with watching(cluster, tell=lambda resource, error: heard.append(f"{resource.name}: {error}")) as changes:
        next(changes)
        server.send(PATH, event("MODIFIED", changed(web, "600")))
        assert told(next(changes)) == ["modified Deployment web"]
        server.send(PATH, b'{"type": ', "break", event("MODIFIED", changed(web, "601")))
        assert told(next(changes)) == ["modified Deployment web"]
    assert len(heard) == 1
    assert heard[0].startswith(f"deployments.apps: the API server {server.url} cannot be reached: ")


def test_an_event_that_is_an_error_is_told(server: Server, cluster: Cluster) -> None:
    heard: list[str] = []
    with watching(cluster, tell=lambda _, error: heard.append(str(error))) as changes:
        next(changes)
        server.send(PATH, {"type": "ERROR", "object": status(500, "etcd")}, {"type": "ERROR"}, None)
        server.send(PATH, event("ADDED", deployment("web")))
        assert told(next(changes)) == ["added Deployment web"]
    assert heard[0] == "the API server refuses to watch deployments.apps: etcd (500)"


def test_a_server_that_stays_away_ends_the_watch(server: Server, cluster: Cluster) -> None:
    heard: list[str] = []
    with watching(cluster, tell=lambda _, error: heard.append(str(error))) as changes:
        next(changes)
        server.answers[f"watch {PATH}"] = [(503, status(503, "away"))]
        server.send(PATH, None)
        with fails(errors.StatusError, f"the API server refuses GET {PATH}: away (503)"):
            next(changes)
    assert heard == [f"the API server refuses GET {PATH}: away (503)"] * 2


def test_versions_that_are_forgotten_again_and_again_end_the_watch(server: Server, cluster: Cluster) -> None:
    server.answers[f"watch {PATH}"] = [(410, status(410, "too old"))]
    with watching(cluster) as changes:
        next(changes)
        with fails(errors.ExpiredError, f"the API server refuses GET {PATH}: too old (410)"):
            for _ in range(9):
                next(changes)


def test_a_watch_whose_first_list_is_not_authorized_ends(server: Server, cluster: Cluster) -> None:
    server.answers[PATH] = [(401, status(401, "Unauthorized"))]
    with watching(cluster) as changes, pytest.raises(errors.UnauthorizedError):
        next(changes)


@pytest.mark.parametrize("code", [403, 500])
def test_a_kind_that_may_not_be_listed_is_left_out_of_the_watch(server: Server, cluster: Cluster, code: int) -> None:
    server.add(thing("batch/v1", "Job", "train", spec={"template": TEMPLATE}))
    server.answers[PATH] = [(code, status(code, "no"))]
    with watching(cluster, "jobs.batch") as changes:
        assert told(next(changes)) == ["added Job train"]
        assert [f"{entry.kind} {entry.reason}" for entry in changes.mirror.fetched().skipped] == [
            f"deployments.apps no ({code})"
        ]


def test_a_kind_that_may_not_be_watched_any_more_is_gone_and_told(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"))
    with watching(cluster) as changes:
        assert told(next(changes)) == ["added Deployment web"]
        server.answers[f"watch {PATH}"] = [(403, status(403, "no"))]
        server.send(PATH, None)
        assert told(next(changes)) == ["deleted Deployment web"]
        assert [str(entry) for entry in changes.mirror.fetched().skipped] == [
            (
                "deployments.apps is left out: no (403)\n"
                "  ask for the permission to watch deployments.apps in the namespace research"
            )
        ]


def test_labels_choose_workloads_and_not_their_pods(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web", tier="a"), deployment("api"), pod("web-1", "web"), pod("x", "x"))
    with watching(cluster, selector="tier=a") as changes:
        assert told(next(changes)) == ["added Deployment web", "added Pod web-1"]
    watched = [query.get("labelSelector") for query in server.asked("/deployments") if "watch" in query]
    assert set(watched) <= {"tier=a"}


def test_pods_that_are_watched_as_workloads_are_watched_once(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"), pod("web-1", "web"), pod("x", "x"))
    with watching(cluster, "po") as changes:
        assert told(next(changes)) == ["added Deployment web", "added Pod web-1", "added Pod x"]
        assert names(changes.mirror.fetched().workloads) == ["Deployment web", "Pod web-1", "Pod x"]
    assert [query for query in server.asked("/pods") if "watch" not in query] == [{"limit": "500"}]


def test_what_watched_workloads_refer_to_is_fetched_again_after_a_while(server: Server, cluster: Cluster) -> None:
    job = trainjob("one", "torch")
    server.add(job, runtime("torch"))
    with watching(cluster, "trainjob") as changes:
        next(changes)
        assert names(changes.mirror.documents()) == ["TrainJob one", "ClusterTrainingRuntime torch"]
        base = "/apis/trainer.kubeflow.org/v1alpha1"
        with server.lock:
            server.objects[f"{base}/clustertrainingruntimes"].clear()
        server.send(f"{base}/namespaces/research/trainjobs", event("MODIFIED", changed(job, "800")))
        assert told(next(changes)) == ["modified TrainJob one"]
        assert names(changes.mirror.documents()) == ["TrainJob one"]


def test_a_watch_outlasts_a_referenced_object_that_cannot_be_had(server: Server, cluster: Cluster) -> None:
    job = trainjob("one", "torch")
    server.add(job, runtime("torch"))
    base = "/apis/trainer.kubeflow.org/v1alpha1"
    server.answers[f"{base}/clustertrainingruntimes/torch"] = [(CUT, {})]
    with watching(cluster, "trainjob") as changes:
        assert told(next(changes)) == ["added TrainJob one"]
        assert names(changes.mirror.documents()) == ["TrainJob one"]
        with server.lock:
            server.answers.clear()
        server.send(f"{base}/namespaces/research/trainjobs", event("MODIFIED", changed(job, "800")))
        assert told(next(changes)) == ["modified TrainJob one"]
        assert names(changes.mirror.documents()) == ["TrainJob one", "ClusterTrainingRuntime torch"]


def test_a_watched_object_that_violates_the_data_rules_is_gone_and_told(server: Server, cluster: Cluster) -> None:
    web = deployment("web")
    server.add(web)
    with watching(cluster) as changes:
        next(changes)
        server.send(PATH, event("MODIFIED", changed(web, "800", note="\0")))
        assert told(next(changes)) == ["deleted Deployment web"]
        assert [entry.kind for entry in changes.mirror.fetched().skipped] == ["Deployment research/web"]
        server.send(PATH, event("MODIFIED", changed(web, "801")))
        assert told(next(changes)) == ["added Deployment web"]
        assert changes.mirror.fetched().skipped == []


def test_an_interrupt_ends_the_watch_and_passes_through(
    server: Server, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add(deployment("web"))
    changes = watching(cluster)
    next(changes)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(changes, "_next", interrupt)
    with pytest.raises(KeyboardInterrupt):
        next(changes)
    assert not any(thread.is_alive() for thread in changes._threads)  # noqa: SLF001 - that none is left behind
    assert list(changes) == []


def test_a_fault_of_ours_in_a_thread_reaches_who_iterates(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise ZeroDivisionError("x")

    monkeypatch.setattr("workloadmap_spec.cluster.watch.list_objects", fault)
    with watching(cluster) as changes, fails(errors.ClusterError, "ZeroDivisionError: x"):
        next(changes)


def test_a_watch_without_kinds_and_pods_waits_for_nothing(connection: Connection, server: Server) -> None:
    server.resources = []
    cluster = look(connection, Catalog.builtin())
    with watch(cluster, [], pace=FAST) as changes:
        assert next(changes) == []


def test_a_watch_that_is_closed_ends_where_it_waits(server: Server, cluster: Cluster) -> None:
    server.add(deployment("web"))
    changes = watching(cluster)
    next(changes)
    closing = Thread(target=changes.close)
    closing.start()
    assert list(changes) == []
    closing.join()


def test_a_line_without_end_is_an_error(
    server: Server, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workloadmap_spec.cluster.connection._MAX_LINE", 10)
    server.send("/api/v1/pods", b"x" * 30, None)
    stream = connection.stream("/api/v1/pods", [("watch", "1")], 5)
    with fails(errors.AnswerError, "the API server answers a watch with a line that does not end"):
        list(stream)


# Permissions


def test_the_role_has_each_resource_with_its_group() -> None:
    catalog = Catalog.load([])
    catalog = catalog.with_documents([small_mapping(CHAIN)])
    assert cluster_role(catalog.mappings()) == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "workloadmap-reader"},
        "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
            {
                "apiGroups": ["x.example"],
                "resources": ["nowheres", "parts", "pools", "things"],
                "verbs": ["get", "list", "watch"],
            },
        ],
    }


def test_a_cluster_knows_its_own_plurals() -> None:
    catalog = Catalog.load([]).with_documents([small_mapping(CHAIN)])
    mice = Resource("x.example", "v1", "Thing", "stuff", "thing", (), namespaced=True, verbs=frozenset())
    rules = cluster_role(catalog.mappings(), Discovery((mice,), ()))["rules"]
    assert rules[1]["resources"] == ["nowheres", "parts", "pools", "stuff"]


def test_the_kinds_of_all_references_of_the_shipped_mappings_are_known() -> None:
    mappings = Catalog.builtin().mappings()
    assert unknown_references(mappings) == []
    assert {key[:2] for key in COMPUTED} <= {(mapping.group, mapping.kind) for mapping in mappings}
    rules = {rule["apiGroups"][0]: rule["resources"] for rule in cluster_role(mappings)["rules"]}
    assert rules["trainer.kubeflow.org"] == ["clustertrainingruntimes", "trainingruntimes", "trainjobs"]
    assert rules["agents.x-k8s.io"] == ["sandboxes"]
    assert "sandboxtemplates" in rules["extensions.agents.x-k8s.io"]
    assert rules[""] == ["pods", "podtemplates", "replicationcontrollers"]


def test_a_reference_whose_kind_nobody_knows_is_told() -> None:
    spec = CHAIN.replace("kind: Pool", "kind: {value: object.spec.kind}")
    mappings = Catalog.load([]).with_documents([small_mapping(spec)]).mappings()
    assert unknown_references(mappings) == [("thing", "pool")]
    assert cluster_role(mappings)["rules"][1]["resources"] == ["nowheres", "parts", "things"]


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("JobSet", "jobsets"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Endpoints", "endpoints"),
    ],
)
def test_plurals_follow_the_rule_of_kubernetes(kind: str, plural: str) -> None:
    assert plurals.guess_plural(kind) == plural


def test_plurals_are_those_of_the_definitions(shared: Path) -> None:
    found: dict[tuple[str, str], str] = {}
    for file in sorted(shared.glob("upstream/*/crds/*.y*ml")):
        for text in file.read_text(encoding="utf-8").split("\n---"):
            if re.search(r"^kind: CustomResourceDefinition", text, re.MULTILINE):
                # The whole takes minutes to read, as there are schemas in it.
                group = re.search(r"^  group: (\S+)", text, re.MULTILINE)
                names = re.search(r"^  names:\n((?:    .*\n)+)", text + "\n", re.MULTILINE)
                assert group is not None, file
                assert names is not None, file
                told = yaml.safe_load(names[1])
                found[group[1].strip("\"'"), told["kind"]] = told["plural"]
    assert len(found) > 60
    assert {key: plurals.plural_of(*key) for key in found} == found
    assert set(plurals.EXCEPTIONS) <= set(found)


def test_skipped_has_one_line_without_a_cure() -> None:
    assert str(Skipped("x", "because")) == "x is left out: because"

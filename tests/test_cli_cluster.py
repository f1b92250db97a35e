"""The command line against a cluster: an API server that is made here, and the real client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import yaml

from tests.api_server import Server, deployment, pod, resource, runtime, status, thing, trainjob, write_config
from tests.conftest import small_mapping
from workloadmap_spec.cli import main, metrics_server
from workloadmap_spec.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """A server, to which the environment leads."""
    with Server() as made:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("KUBECONFIG", str(write_config(tmp_path / "config", made.url)))
        monkeypatch.chdir(tmp_path)
        made.resources.append(resource("apps/v1", "ReplicaSet", "rs"))
        yield made


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of a command."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def web(name: str = "web", ready: int = 1) -> list[dict[str, Any]]:
    """A Deployment of two pods with some of them, and its ReplicaSet."""
    value = deployment(name)
    value["status"] = {"replicas": 2, "readyReplicas": ready, "updatedReplicas": 2}
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name, "uid": value["metadata"]["uid"]}
    part = thing(
        "apps/v1",
        "ReplicaSet",
        f"{name}-1",
        spec=value["spec"],
        status={"replicas": 2, "readyReplicas": ready},
        metadata={"ownerReferences": [{**owner, "controller": True}]},
    )
    return [value, part, *(pod(f"{name}-1-{number}", name) for number in range(ready))]


def test_get_lists_every_kind_with_parts_below(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web(), pod("alone", "none"))
    code, out, err = run(capsys, "get")
    assert (code, err) == (0, "")
    assert [[word for word in line.split() if word] for line in out.splitlines()] == [
        ["KIND", "NAME", "PHASE", "REASON", "READY", "ACCELERATORS", "AGE"],
        ["Deployment", "web", "Initializing", "1/2"],
        ["└─", "ReplicaSet", "web-1", "Initializing", "1/2"],
        ["Pod", "alone", "Running", "1/1"],
    ]


def test_get_takes_kinds_phases_and_namespaces(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web(), deployment("other", "data"))
    _, out, err = run(capsys, "get", "deploy,sts", "-A", "-o", "name")
    assert out == "deployment.apps/other\ndeployment.apps/web\n"
    _, out, err = run(capsys, "get", "deploy", "-n", "data", "-o", "name")
    assert out == "deployment.apps/other\n"
    _, out, err = run(capsys, "get", "--all", "--phase", "initializing", "-o", "name")
    assert out == "deployment.apps/web\nreplicaset.apps/web-1\n"
    _, out, err = run(capsys, "get", "deploy", "--phase", "Failed")
    assert out == ""
    assert err == "note: there is no such workload\n  -A looks in all namespaces\n"


def test_get_gives_a_report(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web())
    _, out, _ = run(capsys, "get", "deploy", "-o", "json")
    report = json.loads(out)
    assert report["kind"] == "WorkloadReport"
    assert report["workloads"][0]["pods"]["ready"] == 1
    _, out, _ = run(capsys, "get", "deploy", "-o", "yaml")
    assert yaml.safe_load(out)["workloads"] == report["workloads"]


def test_get_wide(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web())
    _, out, _ = run(capsys, "get", "rs", "-o", "wide", "-A")
    head, row = (line.split() for line in out.splitlines())
    assert head[:6] == ["NAMESPACE", "KIND", "NAME", "PHASE", "REASON", "READY"]
    assert head[7:] == ["MIN", "CPU", "MEMORY", "COMPONENTS", "OWNER", "MESSAGE", "AGE"]
    assert row[:5] == ["research", "ReplicaSet", "web-1", "Initializing", "1/2"]
    assert row[-1] == "deployments/web"


def test_accelerators_are_counted_by_their_names(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    value = deployment("model")
    requests = {"nvidia.com/gpu": "4", "rdma/hca": "1", "google.com/tpu": "2"}
    container = {"name": "main", "resources": {"requests": requests, "limits": requests}}
    value["spec"]["template"] = {"spec": {"containers": [container]}}
    server.add(value)
    _, out, _ = run(capsys, "get", "deploy")
    assert "4 tpu, 8 gpu" in out


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["get", "--all", "deploy"], 2, "error: --all and kinds exclude each other\n  leave one of them out\n"),
        (["get", "-A", "-n", "a"], 2, "error: -n and -A exclude each other\n  leave one of them out\n"),
        (
            ["get", "-w", "-o", "json"],
            2,
            "error: --watch prints a table, so there is no use for -o json\n  leave it out\n",
        ),
        (
            ["get", "--phase", "Broken"],
            2,
            (
                "error: there is no phase `Broken`\n  the phases are: Initializing, Running, Degraded, Suspending,"
                " Suspended, Resuming, Completed, Failed, Unknown\n"
            ),
        ),
        (
            ["get", "strange"],
            3,
            "error: the cluster serves no kind `strange`\n  `kubectl api-resources` shows what it serves\n",
        ),
        (
            ["inspect", "deploy/nobody"],
            3,
            "error: there is no Deployment research/nobody\n  check the name, and the namespace (-n)\n",
        ),
        (
            ["get", "--context", "moon"],
            3,
            "has no context `moon`\n  it has lab, plain\n",
        ),
        (
            ["report", "--cluster", "file.yaml"],
            2,
            "error: a report is on files or on a cluster\n  leave out --cluster, -A and -l, or the paths\n",
        ),
    ],
)
def test_what_cannot_be_asked(
    server: Server, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, text: str
) -> None:
    server.add(deployment("web"))
    found, out, err = run(capsys, *arguments)
    assert out == ""
    assert err.endswith(text)
    assert err.startswith("error: ")
    assert found == code


def test_what_may_not_be_read_is_told_and_left_out(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web())
    server.answers["/api/v1/namespaces/research/pods"] = [(403, status(403, "pods is forbidden"))]
    code, out, err = run(capsys, "get", "deploy")
    assert code == 0
    assert "1/2" in out  # by the status, since the pods are not known
    assert err == (
        "warning: left out pods: pods is forbidden (403)\n"
        "  ask for the permission to list pods in the namespace research\n"
    )


def test_inspect_fetches_pods_and_references(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web(), trainjob("tune", "torch"), runtime("torch"))
    code, out, err = run(capsys, "inspect", "deployment/web", "--pods")
    assert (code, err) == (0, "")
    assert out.startswith("Deployment web   namespace research")
    assert "web-1-0" in out
    code, out, err = run(capsys, "inspect", "trainjob/tune", "--explain")
    assert (code, err) == (0, "")
    assert "TrainJob tune" in out
    assert "refs.runtime#/spec/template/spec/replicatedJobs/0/template/spec/template" in out


def test_a_file_of_that_name_is_a_file(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    server.add(deployment("web"))
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "web").write_text(yaml.safe_dump(deployment("from-a-file")), encoding="utf-8")
    _, out, _ = run(capsys, "inspect", "deploy/web")
    assert out.startswith("Deployment from-a-file")


def test_map_and_gang_read_objects_too(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.add(*web())
    for form in ("json", "ndjson"):
        code, out, _ = run(capsys, "map", "-o", form, "deploy/web")
        assert code == 0
        assert [entry["name"] for entry in json.loads(out)["pods"]] == ["web-1-0"]
    code, out, _ = run(capsys, "gang", "deploy/web")
    assert code == 0
    assert out.startswith("Deployment web")
    code, out, _ = run(capsys, "gang", "--format", "kai", "deploy/web")
    assert code == 0


def test_a_report_on_a_cluster(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pods = web()
    pods[-1]["spec"] = {**pods[-1]["spec"], "nodeName": "n1"}
    node = thing("v1", "Node", "n1", None, metadata={"labels": {"size": "big"}})
    server.resources.append(resource("v1", "Node", namespaced=False))
    server.add(*pods, node)
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices:\n- nodeLabels: {size: big}\n  perHour: {cpu: 0.5}\n", encoding="utf-8")
    code, out, err = run(capsys, "report", "--cluster", "--prices", str(prices), "--by", "workload")
    assert (code, err) == (0, "")
    assert "0.50 per hour for what the pods request" in out
    server.answers["/api/v1/nodes"] = [(403, status(403, "nodes is forbidden"))]
    code, out, err = run(capsys, "report", "-A", "--prices", str(prices))
    assert err == (
        "warning: left out nodes: nodes is forbidden (403)\n  ask for the permission to list nodes in the cluster\n"
    )
    assert ">=0.00 per hour" in out


def test_mappings_of_the_cluster_are_used_before_the_shipped_ones(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Those of `-m` come first; what cannot be used is told."""
    server.resources.append(resource("workloadmap.dev/v1alpha1", "WorkloadMapping", namespaced=False))
    server.resources.append(resource("x.example/v1", "Thing"))
    spec = "components: [{name: stored, replicas: object.spec.replicas, podTemplate: object.spec.template}]"
    mapping = {**small_mapping(spec), "metadata": {"name": "things", "uid": "1", "resourceVersion": "1"}}
    broken = {**mapping, "metadata": {"name": "broken"}, "spec": {"workload": 1}}
    again = {**mapping, "metadata": {"name": "things-again"}}
    server.add(mapping, broken, again, thing("x.example/v1", "Thing", "a", spec={"replicas": 3, "template": {}}))
    code, out, err = run(capsys, "inspect", "thing/a")
    assert code == 0
    assert "stored" in out
    first, second = (line for line in err.splitlines() if line.startswith("warning"))
    assert first.startswith("warning: left out the mapping broken of the cluster: ")
    assert second == (
        "warning: left out the mapping things-again of the cluster: Thing is read by the mapping things already"
    )
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump(small_mapping(spec.replace("stored", "own"))), encoding="utf-8")
    code, out, _ = run(capsys, "inspect", "thing/a", "-m", str(own))
    assert "own" in out
    assert "stored" not in out
    server.answers["/apis/workloadmap.dev/v1alpha1/workloadmappings"] = [(403, status(403, "no"))]
    code, out, err = run(capsys, "get", "deploy")
    assert "warning: left out workloadmappings.workloadmap.dev: no (403)" in err


def test_watch_prints_what_changes(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the table; then a workload that changes or goes, and nothing of the others."""
    value = deployment("web")
    value["status"] = {"replicas": 2, "readyReplicas": 0}
    server.add(value, deployment("calm"))
    later = {**value, "metadata": {**value["metadata"], "resourceVersion": "2000001"}}
    later["status"] = {"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2, "availableReplicas": 2}
    path = "/apis/apps/v1/namespaces/research/deployments"
    written: list[str] = []

    def write(text: str) -> None:
        written.extend(text.splitlines())
        if len(written) == 3:
            server.send(path, {"type": "MODIFIED", "object": later})
        elif len(written) == 4:
            server.send(path, {"type": "DELETED", "object": later})
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr("workloadmap_spec.cli.output.write_text", write)
    assert main(["get", "deploy", "--watch"]) == 130
    capsys.readouterr()
    lines = [line.split() for line in written]
    assert lines[0] == ["KIND", "NAME", "PHASE", "REASON", "READY", "ACCELERATORS", "AGE"]
    assert [line[:4] for line in lines[1:4]] == [
        ["Deployment", "calm", "Initializing", "0/2"],
        ["Deployment", "web", "Initializing", "0/2"],
        ["Deployment", "web", "Running", "2/2"],
    ]
    assert lines[4] == ["Deployment", "web", "deleted"]


def ask(url: str) -> tuple[int, str, str]:
    """Status, type and text of an answer."""
    try:
        with urlopen(url, timeout=10) as answer:  # noqa: S310 - our own address
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


def test_metrics_are_served_and_follow_the_cluster(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The text is made anew when something has changed; what cannot be made is an error of the server."""
    value = deployment("web")
    value["status"] = {"replicas": 2, "readyReplicas": 1}
    server.add(value, thing("v1", "Node", "n1", None, metadata={"labels": {"size": "big"}}))
    server.resources.append(resource("v1", "Node", namespaced=False))
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices:\n- nodeLabels: {size: big}\n  perHour: {cpu: 0.5}\n", encoding="utf-8")
    path = "/apis/apps/v1/namespaces/research/deployments"
    seen: list[tuple[int, str, str]] = []
    serving: list[str] = []

    def look(self: Any, fetched: Any) -> None:  # noqa: ANN401 - patched in
        update(self, fetched)
        if not serving:
            return
        url = serving[0].removeprefix("serving ")
        seen.append(ask(url))
        root = url.removesuffix("/metrics")
        seen.extend([ask(f"{root}/healthz"), ask(root)])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(metrics_server, "build_report", fail)
            update(self, fetched)
            seen.append(ask(url))
        raise KeyboardInterrupt

    def fail(*_: object) -> None:
        raise InputError("it cannot be")

    update = metrics_server.Metrics.update
    monkeypatch.setattr(metrics_server.Metrics, "update", look)
    later = {**value, "metadata": {**value["metadata"], "resourceVersion": "2000002"}}
    later["status"] = {"replicas": 2, "readyReplicas": 2}

    def note(_self: object, text: str, _cure: str | None = None) -> None:
        serving.append(text)
        server.send(path, {"type": "MODIFIED", "object": later})

    monkeypatch.setattr("workloadmap_spec.cli.messages.Messages.note", note)
    assert main(["serve-metrics", "deploy", "--listen", "127.0.0.1:0", "--prices", str(prices)]) == 130
    (code, kind, text), health, nowhere, failed = seen
    assert (code, kind) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert (
        'workloadmap_workload_pods_ready{namespace="research",group="apps",kind="Deployment",workload="web"} 2' in text
    )
    assert "workloadmap_workload_cost_per_hour" in text
    assert health == (200, "text/plain", "ok\n")
    assert nowhere == (404, "text/plain", "the metrics are at /metrics\n")
    assert failed == (500, "text/plain", "it cannot be [input-invalid]\n")


def test_before_anything_is_known_there_are_no_metrics() -> None:
    assert metrics_server.Metrics(None, None).text() == "# EOF\n"  # type: ignore[arg-type] # nothing is asked


@pytest.mark.parametrize("address", ["9464", "host:", "a:70000", "host:x"])
def test_what_is_no_address(server: Server, capsys: pytest.CaptureFixture[str], address: str) -> None:
    assert server.url
    code, _, err = run(capsys, "serve-metrics", "--listen", address)
    assert code == 2
    assert err == (
        f"error: `{address}` is no address\n  write host and port, such as 127.0.0.1:9464, or :9464 for all hosts\n"
    )


def test_an_address_that_is_taken(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    taken = server.url.removeprefix("http://")
    code, _, err = run(capsys, "serve-metrics", "--listen", taken)
    assert code == 3
    assert err == f"error: {taken}: it cannot be listened on: Address already in use\n  name another with --listen\n"

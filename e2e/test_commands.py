"""The command line against a real server: what it shows is what the same objects give from a file."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from pathlib import Path

    from e2e.cluster import Cluster
    from e2e.control_plane import ControlPlane
    from e2e.seed import Seed, Seeded

#: Kinds that commands must be shown to read.
MIN_KINDS: Final = 25
#: How many workloads of each kind are inspected one by one.
EACH: Final = 2
#: Seconds in which a change must be seen.
SOON: Final = 20


def command(kubeconfig: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that runs."""
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "workloadmap_spec", *arguments],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(kubeconfig: Path, *arguments: str, code: int | None = 0) -> tuple[str, str]:
    """What a command prints, and what it says."""
    with command(kubeconfig, *arguments) as process:
        out, err = process.communicate(timeout=300)
    if code is not None:
        assert process.returncode == code, err
    return out, err


@pytest.fixture(scope="module")
def report(plane: ControlPlane, seed: Seed) -> dict[str, Any]:
    """The report on all namespaces."""
    assert seed.workloads
    out, _ = run(plane.admin, "report", "--cluster", "-A", "--format", "json", code=None)
    found: dict[str, Any] = json.loads(out)
    return found


def key(workload: dict[str, Any]) -> tuple[str, str, str, str]:
    """What tells workloads apart."""
    group = workload["apiVersion"].rpartition("/")[0]
    return group, workload["kind"], workload.get("namespace", ""), workload["name"]


def key_of(entry: Seeded) -> tuple[str, str, str, str]:
    """The same of what is on the server."""
    return key(
        {"apiVersion": entry.gvk[0], "kind": entry.gvk[1], "namespace": entry.namespace or "", "name": entry.name}
    )


def test_every_workload_is_in_the_report_once(report: dict[str, Any], seed: Seed) -> None:
    """Of many kinds, and nothing twice."""
    assert schema_problems(report, "WorkloadReport") == []
    found = [key(entry["workload"]) for entry in report["workloads"]]
    assert len(set(found)) == len(found)
    assert {key_of(entry) for entry in seed.workloads} <= set(found)
    assert len({entry[:2] for entry in found}) >= MIN_KINDS


def test_the_numbers_are_those_of_the_offline_map(report: dict[str, Any], cluster: Cluster, seed: Seed) -> None:
    """Phase, pods and resources of every workload, and the pods that were made for it."""
    entries = {key(entry["workload"]): entry for entry in report["workloads"]}
    looked_at = 0
    for seeded in seed.workloads:
        entry = entries[key_of(seeded)]
        # References are read by another test; without them a map may know less.
        if any(problem["class"] == "missing-reference" for problem in entry.get("diagnostics", ())):
            continue
        stored = cluster.get(entry["workload"]["apiVersion"], seeded.gvk[1], seeded.name, seeded.namespace)
        offline = Catalog.builtin().read(stored).to_dict()
        if any(problem["class"] == "missing-reference" for problem in offline.get("diagnostics", ())):
            continue
        looked_at += 1
        assert entry.get("status") == offline.get("status"), seeded.source
        assert entry["pods"]["desired"] == offline["totals"]["pods"], seeded.source
        assert entry.get("resources") == offline["totals"].get("resources"), seeded.source
        assert {pod["name"] for pod in entry.get("podList", ())} >= set(seeded.pods), seeded.source
    assert looked_at >= len(seed.workloads) * 0.8


def test_an_object_has_the_map_that_it_has_in_a_file(plane: ControlPlane, cluster: Cluster, seed: Seed) -> None:
    """Objects of every kind, each with its pods and what it refers to, which were put into a file."""
    chosen: dict[tuple[str, str], list[Seeded]] = {}
    for entry in seed.workloads:
        if len(chosen.setdefault(entry.gvk, [])) < EACH and entry.pods:
            chosen[entry.gvk].append(entry)
    looked_at = {gvk: entries[0] for gvk, entries in chosen.items() if entries}
    assert len(looked_at) >= MIN_KINDS
    wanted: list[tuple[Seeded, dict[str, Any]]] = []
    for gvk, entry in looked_at.items():
        stored = cluster.get(*gvk, entry.name, entry.namespace)
        pods = [cluster.get("v1", "Pod", name, entry.namespace) for name in entry.pods]
        online = Catalog.builtin().read(stored)
        if online.wanted:
            continue
        wanted.append((entry, Catalog.builtin().read(stored, pods=pods).to_dict()))
    assert len(wanted) >= MIN_KINDS
    for entry, offline in wanted[: MIN_KINDS + 5]:
        group = entry.gvk[0].rpartition("/")[0]
        version = entry.gvk[0].rpartition("/")[2]
        name = f"{entry.gvk[1].lower()}.{version}.{group}" if group else entry.gvk[1].lower()
        scope = ["-n", entry.namespace] if entry.namespace else []
        out, _ = run(plane.admin, "map", f"{name}/{entry.name}", *scope, code=None)
        online_map = json.loads(out)
        online_map = online_map[0] if isinstance(online_map, list) else online_map
        assert online_map == offline, entry.source


def test_what_may_not_be_read_is_said(plane: ControlPlane, seed: Seed) -> None:
    """A user without rights gets no row, and a word about each kind."""
    out, err = run(plane.viewer, "get", "-A", code=None)
    assert out == ""
    assert err.count("warning: left out") >= len({gvk[1] for gvk in seed.kinds()})
    assert "ask for the permission to list jobsets.jobset.x-k8s.io in all namespaces" in err


def test_the_printed_role_is_enough(plane: ControlPlane, cluster: Cluster, seed: Seed) -> None:
    """With it, and nothing else, the same user sees everything."""
    out, _ = run(plane.admin, "mappings", "rbac")
    role = yaml.safe_load(out)
    cluster.create(role)
    cluster.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "workloadmap-viewer"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role["metadata"]["name"],
            },
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "viewer"}],
        }
    )
    out, err = run(plane.viewer, "get", "-A", "-o", "name", code=None)
    assert "left out" not in err
    assert len(out.splitlines()) >= len(seed.workloads)


def test_the_definition_of_mappings_is_taken_and_its_objects_are_used(
    plane: ControlPlane, cluster: Cluster, seed: Seed
) -> None:
    """Every shipped mapping can be held by the server, and comes back unchanged."""
    assert seed.workloads
    out, _ = run(plane.admin, "schema", "crd")
    definition = yaml.safe_load(out)
    cluster.create(definition)
    cluster.await_established([definition["metadata"]["name"]])
    for mapping in Catalog.builtin().mappings():
        metadata = {"name": mapping.name}
        document = {**mapping.document, "metadata": metadata}
        cluster.create(json.loads(json.dumps(document)))
        stored = cluster.get("workloadmap.dev/v1alpha1", "WorkloadMapping", mapping.name)
        assert stored["spec"] == mapping.document["spec"], mapping.name
    out, err = run(plane.admin, "get", "jobset", "-A", "-o", "name", code=None)
    assert out
    assert "left out" not in err


def test_changes_are_seen_and_patches_are_taken(plane: ControlPlane, cluster: Cluster, tmp_path: Path) -> None:
    """A JobSet comes, is suspended by the patch that we print, runs again, and goes."""
    namespace = "watched"
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    container = {"name": "main", "image": "registry.example/main:1"}
    job = {"template": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}}}
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "demo", "namespace": namespace},
        "spec": {"replicatedJobs": [{"name": "work", "replicas": 2, **job}]},
    }
    lines: queue.Queue[str] = queue.Queue()
    with command(plane.admin, "get", "jobset", "-n", namespace, "--watch") as watching:
        output = watching.stdout
        assert output is not None

        def read() -> None:
            for line in output:
                lines.put(line.rstrip())

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            stored = cluster.create(jobset)
            assert lines.get(timeout=60).split()[:3] == ["KIND", "NAME", "PHASE"]
            assert lines.get(timeout=SOON).split()[:3] == ["JobSet", "demo", "Initializing"]
            for verb, phase in (("suspend", "Suspending"), ("resume", "Initializing")):
                file = tmp_path / f"{verb}.json"
                file.write_text(json.dumps(stored), encoding="utf-8")
                out, _ = run(plane.admin, verb, "-o", "json-patch", str(file))
                stored = cluster.patch(stored, json.loads(out))
                assert lines.get(timeout=SOON).split()[:3] == ["JobSet", "demo", phase]
            cluster.delete(stored)
            assert lines.get(timeout=SOON).split()[:3] == ["JobSet", "demo", "deleted"]
        finally:
            watching.terminate()
            reader.join(timeout=5)

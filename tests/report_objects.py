"""Objects for tests of reports: a training job as its controllers leave it in a cluster, and prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.documents import load_text
from workloadmap_spec.report.build import build_report

if TYPE_CHECKING:
    from workloadmap_spec.report.prices import Prices

TIME: Final = "2026-03-17T10:12:04Z"

#: A JobSet of two lists of Jobs; `uid` and the like are those of an API server.
JOBSET: Final = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: research, uid: u-train, generation: 1, creationTimestamp: 2026-03-17T08:12:04Z}
spec:
  replicatedJobs:
  - name: leader
    template:
      spec:
        template:
          spec:
            containers:
            - {name: main, image: registry.example/train:1, resources: {requests: {cpu: "2", memory: 4Gi}}}
  - name: workers
    replicas: 2
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            containers:
            - name: main
              image: registry.example/train:1
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "4"}}
status:
  replicatedJobsStatus:
  - {name: leader, ready: 1, active: 1, succeeded: 0, failed: 0, suspended: 0}
  - {name: workers, ready: 1, active: 2, succeeded: 0, failed: 0, suspended: 0}
"""
PODS: Final = {"leader": (1, 1), "workers": (2, 2)}


def jobset(**metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """The JobSet, with other metadata."""
    value: dict[str, Any] = yaml.safe_load(JOBSET)
    value["metadata"]["creationTimestamp"] = "2026-03-17T08:12:04Z"
    value["metadata"] |= metadata
    return value


def job(name: str, replica: int, **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A Job that the JobSet made."""
    spec = next(entry for entry in jobset()["spec"]["replicatedJobs"] if entry["name"] == name)["template"]["spec"]
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "train", "uid": "u-train"}
    labels = {"jobset.sigs.k8s.io/jobset-name": "train"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"train-{name}-{replica}",
            "namespace": "research",
            "uid": f"u-{name}-{replica}",
            "labels": labels,
            "ownerReferences": [{**owner, "controller": True}],
            **metadata,
        },
        "spec": {**spec, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": f"u-{name}-{replica}"}}},
        "status": {"active": spec.get("parallelism", 1), "ready": spec.get("parallelism", 1)},
    }


def pod(name: str, replica: int, index: int, *, phase: str = "Running", node: str = "n1") -> dict[str, Any]:
    """A pod of such a Job; a running one is ready, and one without a node waits for it."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": f"train-{name}-{replica}", "uid": f"u-{name}-{replica}"}
    template = job(name, replica)["spec"]["template"]["spec"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"train-{name}-{replica}-{index}",
            "namespace": "research",
            "uid": f"u-{name}-{replica}-{index}",
            "labels": {
                "jobset.sigs.k8s.io/jobset-name": "train",
                "jobset.sigs.k8s.io/replicatedjob-name": name,
                "jobset.sigs.k8s.io/job-index": str(replica),
                "batch.kubernetes.io/job-completion-index": str(index),
                "batch.kubernetes.io/controller-uid": f"u-{name}-{replica}",
            },
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {**template, **({"nodeName": node} if node else {})},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": "True" if phase == "Running" else "False"}],
        },
    }


def everything() -> list[dict[str, Any]]:
    """The JobSet, its Jobs, and their pods, of which the last waits for a node."""
    jobs = [job(name, replica) for name, (replicas, _pods) in PODS.items() for replica in range(replicas)]
    pods = [
        pod(name, replica, index)
        for name, (replicas, count) in PODS.items()
        for replica in range(replicas)
        for index in range(count)
    ]
    pods[-1] = pod("workers", 1, 1, phase="Pending", node="")
    return [jobset(), *jobs, *pods]


def node(name: str, kind: str) -> dict[str, Any]:
    """A node of an instance type."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"node.kubernetes.io/instance-type": kind}},
    }


def report_of(objects: list[dict[str, Any]], prices: Prices | None = None, time: str = TIME) -> dict[str, Any]:
    """The report of objects."""
    documents = load_text(yaml.safe_dump_all(objects, sort_keys=False))
    return build_report(Catalog.builtin().read_all(documents), documents, time, prices)

"""How long a report of a large cluster takes, and how much memory: 5,000 workloads and 50,000 pods, from a file.

The limits that it is held to are 60 seconds and 1 GiB, on two cores.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKLOADS = 5_000
PODS = 10
FORMATS = (
    ("--format", "json"),
    ("--format", "csv"),
    ("--format", "openmetrics"),
    ("--html",),
)
LIMIT_SECONDS = 60
LIMIT_MIB = 1024


def objects() -> Iterator[dict[str, Any]]:
    """JobSets of two Jobs of five pods each, with their pods."""
    container = {"name": "main", "image": "registry.example/train:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {"containers": [container]}
    job = {"parallelism": PODS // 2, "completions": PODS // 2, "template": {"spec": spec}}
    for number in range(WORKLOADS):
        name, namespace = f"train-{number}", f"team-{number % 50}"
        yield {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "uid": f"u{number}",
                "creationTimestamp": "2026-01-01T00:00:00Z",
            },
            "spec": {"replicatedJobs": [{"name": "work", "replicas": 2, "template": {"spec": job}}]},
            "status": {"replicatedJobsStatus": [{"name": "work", "ready": 2, "active": 2}]},
        }
        for index in range(PODS):
            labels = {
                "jobset.sigs.k8s.io/jobset-name": name,
                "jobset.sigs.k8s.io/replicatedjob-name": "work",
                "jobset.sigs.k8s.io/job-index": str(index % 2),
                "batch.kubernetes.io/job-completion-index": str(index // 2),
            }
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{name}-{index}",
                    "namespace": namespace,
                    "uid": f"p{number}-{index}",
                    "labels": labels,
                },
                "spec": {**spec, "nodeName": f"node-{index}"},
                "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
            }


def main() -> int:
    """Measure each form of the report in a process of its own."""
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "cluster.json"
        source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects())}), encoding="utf-8")
        print(f"{WORKLOADS} workloads, {WORKLOADS * PODS} pods, {source.stat().st_size / 2**20:.0f} MiB of JSON")
        for form in FORMATS:
            target = Path(folder) / "report"
            command = [sys.executable, "-m", "workloadmap_spec", "report", *form, "-o", str(target), str(source)]
            start = time.perf_counter()
            subprocess.run(command, check=True)  # noqa: S603 - our own command
            seconds = time.perf_counter() - start
            # The largest of all processes so far; each form takes about the same.
            mebibytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            over += seconds > LIMIT_SECONDS or mebibytes > LIMIT_MIB
            size = target.stat().st_size / 2**20
            print(f"{' '.join(form):22} {seconds:6.1f} s   {mebibytes:6.0f} MiB at most   {size:5.1f} MiB written")
    return int(over > 0)


if __name__ == "__main__":
    raise SystemExit(main())

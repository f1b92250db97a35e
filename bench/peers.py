"""The peers: the same fields by jq, one program for each field as jq mappings have them, and by hand in Python.

Both give less than a map: no effective resources, no groups, no sources, no diagnostics, no check of the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

JQ: Final[dict[str, list[str]]] = {
    "JobSet": [
        "[.spec.replicatedJobs[].name]",
        "[.spec.replicatedJobs[] | .replicas // 1]",
        "[.spec.replicatedJobs[] | .template.spec.parallelism // 1]",
        "[.spec.replicatedJobs[] | .template.spec.completions // .template.spec.parallelism // 1]",
        "[.spec.replicatedJobs[].template.spec.template]",
        "[.spec.replicatedJobs[] | .name as $n | $root.status.replicatedJobsStatus[]? | select(.name == $n)]",
        "any(.spec.replicatedJobs[]; .dependsOn)",
        '.spec.startupPolicy.startupPolicyOrder // "AnyOrder"',
        '.metadata.annotations["alpha.jobset.sigs.k8s.io/exclusive-topology"]',
        ".status.conditions // []",
        '.status.terminalState // ""',
        ".spec.suspend // false",
        "any(.status.replicatedJobsStatus[]?; .active > 0)",
        "any(.status.replicatedJobsStatus[]?; .ready > 0 or .succeeded > 0)",
        "any(.status.replicatedJobsStatus[]?; .failed > 0)",
    ],
    "LeaderWorkerSet": [
        ".spec.replicas // 1",
        ".spec.leaderWorkerTemplate.size // 1",
        '.spec.startupPolicy // "LeaderCreated"',
        ".spec.leaderWorkerTemplate | .leaderTemplate // .workerTemplate",
        ".spec.leaderWorkerTemplate.workerTemplate",
        ".status.readyReplicas // 0",
        ".status.updatedReplicas // 0",
        ".status.observedGeneration",
        ".status.conditions // []",
        'any(.status.conditions[]?; .type == "Available" and .status == "True")',
        'any(.status.conditions[]?; .type == "UpdateInProgress" and .status == "True")',
        'any(.status.conditions[]?; .type == "Available")',
        '.metadata.annotations["scheduling.volcano.sh/queue-name"]',
        '.metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
    ],
    "RayCluster": [
        ".spec.headGroupSpec.template",
        "[.spec.workerGroupSpecs[]?.groupName]",
        "[.spec.workerGroupSpecs[]? | .replicas // 0]",
        "[.spec.workerGroupSpecs[]? | .minReplicas // 0]",
        "[.spec.workerGroupSpecs[]? | .maxReplicas // 2147483647]",
        "[.spec.workerGroupSpecs[]? | .numOfHosts // 1]",
        "[.spec.workerGroupSpecs[]? | .suspend // false]",
        "[.spec.workerGroupSpecs[]?.template]",
        ".spec.enableInTreeAutoscaling // false",
        ".spec.suspend",
        ".status.state",
        ".status.conditions // []",
        ".status.desiredWorkerReplicas // 0",
        ".status.readyWorkerReplicas // 0",
        ".status.observedGeneration",
        '.metadata.labels["volcano.sh/queue-name"]',
    ],
}


def jq_reader(kind: str) -> Callable[[dict[str, Any]], list[Any]]:
    """Every field by its own jq program, compiled once; the object is made text once."""
    import json  # noqa: PLC0415 - kept beside jq, which only this peer needs

    import jq  # noqa: PLC0415 - a development dependency

    programs = [jq.compile(f". as $root | {path}") for path in JQ[kind]]

    def read(workload: dict[str, Any]) -> list[Any]:
        text = json.dumps(workload)
        return [program.input_text(text).first() for program in programs]

    return read


def jq_combined(kind: str) -> Callable[[dict[str, Any]], list[Any]]:
    """All fields by one jq program, which no jq mapping does: the least that jq can take."""
    import jq  # noqa: PLC0415 - a development dependency

    program = jq.compile(f". as $root | [{', '.join(f'({path})' for path in JQ[kind])}]")

    def read(workload: dict[str, Any]) -> list[Any]:
        return program.input_value(workload).first()  # type: ignore[no-any-return]

    return read


def _true(workload: dict[str, Any]) -> set[str]:
    """The types of the conditions that are True."""
    return {entry["type"] for entry in workload["status"].get("conditions", []) if entry["status"] == "True"}


def _jobset(workload: dict[str, Any]) -> dict[str, Any]:
    """What an adapter for JobSet reads."""
    spec, status = workload["spec"], workload.get("status", {})
    counters = {entry["name"]: entry for entry in status.get("replicatedJobsStatus", [])}
    parts = []
    for job in spec["replicatedJobs"]:
        inner = job["template"]["spec"]
        parallelism = inner.get("parallelism", 1)
        pods = job.get("replicas", 1) * min(parallelism, inner.get("completions", parallelism))
        parts.append((job["name"], pods, inner["template"], counters.get(job["name"], {})))
    true = _true(workload)
    started = any(entry["ready"] or entry["succeeded"] for entry in counters.values())
    phase = (
        "Failed"
        if "Failed" in true
        else "Completed"
        if "Completed" in true
        else "Running"
        if started
        else "Initializing"
    )
    return {
        "parts": parts,
        "pods": sum(part[1] for part in parts),
        "phase": phase,
        "suspend": spec.get("suspend", False),
    }


def _leaderworkerset(workload: dict[str, Any]) -> dict[str, Any]:
    """What an adapter for LeaderWorkerSet reads."""
    spec, status = workload["spec"], workload.get("status", {})
    both = spec["leaderWorkerTemplate"]
    groups, size = spec.get("replicas", 1), both.get("size", 1)
    parts = [
        ("leader", groups, both.get("leaderTemplate") or both["workerTemplate"]),
        ("worker", groups * (size - 1), both["workerTemplate"]),
    ]
    ready = status.get("readyReplicas", 0)
    phase = "Running" if "Available" in _true(workload) else "Degraded" if ready else "Initializing"
    return {"parts": parts, "pods": groups * size, "phase": phase}


def _raycluster(workload: dict[str, Any]) -> dict[str, Any]:
    """What an adapter for RayCluster reads."""
    spec, status = workload["spec"], workload.get("status", {})
    parts = [("head", 1, spec["headGroupSpec"]["template"])]
    for group in spec.get("workerGroupSpecs", []):
        low, high = group.get("minReplicas", 0), group.get("maxReplicas", 2**31 - 1)
        replicas = 0 if group.get("suspend") else min(max(group.get("replicas", 0), low), high)
        parts.append((group["groupName"], replicas * group.get("numOfHosts", 1), group["template"]))
    wanted, ready = status.get("desiredWorkerReplicas", 0), status.get("readyWorkerReplicas", 0)
    provisioned = "RayClusterProvisioned" in _true(workload)
    phase = "Initializing" if not provisioned else "Running" if ready >= wanted else "Degraded"
    return {"parts": parts, "pods": sum(part[1] for part in parts), "phase": phase}


BY_HAND: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "JobSet": _jobset,
    "LeaderWorkerSet": _leaderworkerset,
    "RayCluster": _raycluster,
}

"""A report as metrics: OpenMetrics 1.0 text, which Prometheus and its like scrape.

Names, labels and units are a contract, described in `docs/metrics.md`. A number that is not known makes no series; one
that is a lower bound is told by `workloadmap_workload_incomplete`. There is a series for each workload, instance and
pod, and nothing that grows without them: messages and conditions are no labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.errors import InputError
from workloadmap_spec.pods import pod_key
from workloadmap_spec.quantities import parse
from workloadmap_spec.report.formats import base_number
from workloadmap_spec.report.rows import component_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: The type that a scraper is told of this text.
CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"

PHASES: Final = (
    "Initializing",
    "Running",
    "Degraded",
    "Suspending",
    "Suspended",
    "Resuming",
    "Completed",
    "Failed",
    "Unknown",
)
#: The units of resources, as kube-state-metrics names them.
_UNITS: Final = {"cpu": "core", "ephemeral-storage": "byte", "memory": "byte", "storage": "byte"}
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Family:
    """A metric: its help, and its samples as lines."""

    name: str
    text: str
    unit: str = ""
    kind: str = "gauge"
    lines: list[str] = field(default_factory=list)

    def add(self, labels: Labels, value: object) -> None:
        """Add a sample."""
        told = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels)
        suffix = "_info" if self.kind == "info" else ""
        self.lines.append(f"{self.name}{suffix}{{{told}}} {value}")

    def write(self) -> Iterator[str]:
        """Its lines, if it has samples."""
        if self.lines:
            yield f"# TYPE {self.name} {self.kind}"
            if self.unit:
                yield f"# UNIT {self.name} {self.unit}"
            yield f"# HELP {self.name} {self.text}"
            yield from self.lines


def _families() -> dict[str, _Family]:
    """The metrics, in the order in which they are written, without samples."""
    workload, instance = "workloadmap_workload", "workloadmap_instance"
    pods = "Pods of the"
    found = (
        _Family(workload, "What the workload is; parent_kind and parent name the one it is a part of.", kind="info"),
        _Family(f"{workload}_creation_timestamp_seconds", "When the API server took the workload.", "seconds"),
        _Family(f"{workload}_phase", "The phase of the workload: 1 for the one it is in, 0 for each other one."),
        _Family(f"{workload}_reason", "The reason that the workload gives for its phase."),
        _Family(f"{workload}_stale", "Whether the status is of an older generation of the workload."),
        _Family(f"{workload}_suspended", "Whether suspension of the workload is wanted."),
        _Family(f"{workload}_incomplete", "Whether pods or resources of the workload are a lower bound."),
        *(
            family
            for level, name in (("workload", workload), ("instance", instance))
            for family in (
                _Family(f"{name}_pods_desired", f"{pods} {level} that there are to be now."),
                _Family(f"{name}_pods_minimum", f"{pods} {level} that must start together."),
                _Family(f"{name}_pods_found", f"{pods} {level} that exist."),
                _Family(f"{name}_pods_ready", f"{pods} {level} that are ready."),
                _Family(f"{name}_resource_requests", f"What the pods of the {level} that there are to be request."),
                _Family(
                    f"{name}_resource_limits", f"What the pods of the {level} that there are to be may use at most."
                ),
                _Family(f"{name}_cost_per_hour", f"What the {level} costs for an hour, as far as prices are known."),
            )
        ),
        _Family(f"{workload}_cost_incomplete", "Whether something in the workload has no known price."),
        _Family(
            "workloadmap_pod", "Where a pod belongs; namespace, pod and uid join it to metrics of pods.", kind="info"
        ),
        _Family("workloadmap_unread_objects", "Objects that gave no map."),
    )
    return {family.name: family for family in found}


class _Writer:
    """Adds the samples of a report to its metrics."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        """Begin without samples."""
        self.families = _families()
        self._report = report
        self._currency = report.get("currency", "")
        self._seen: set[Labels] = set()

    def workload(self, entry: Mapping[str, Any]) -> None:
        """Add one workload."""
        name = "workloadmap_workload"
        workload = entry["workload"]
        labels = _identity(workload)
        if labels in self._seen:
            title = "/".join(part for part in (workload.get("namespace"), workload.get("name")) if part)
            message = (
                f"{workload['kind']} {title or 'without a name'} is there twice, and metrics cannot tell the two apart"
            )
            raise InputError(message, cure="give one of them, or another form of the report")
        self._seen.add(labels)
        self._info(entry, labels)
        self._status(entry, labels)
        self._numbers(name, labels, entry, entry.get("resources", {}))
        if "cost" in entry:
            self.families[f"{name}_cost_incomplete"].add(labels, int("unknown" in entry["cost"]))
        for instance in entry.get("instances", ()):
            if "pods" in instance:
                total = instance.get("resources", {}).get("total", {})
                own = (*labels, *_instance_labels(instance), ("role", instance.get("role", "")))
                self._numbers("workloadmap_instance", own, instance, total)

    def _info(self, entry: Mapping[str, Any], labels: Labels) -> None:
        """Add what a workload is, and since when it exists."""
        workload = entry["workload"]
        parent = self._report["workloads"][entry["parent"]]["workload"] if "parent" in entry else {}
        more = (
            ("version", workload["apiVersion"].rpartition("/")[2]),
            ("uid", workload.get("uid", "")),
            ("mapping", entry["mapping"]["name"]),
            ("parent_kind", parent.get("kind", "")),
            ("parent", parent.get("name", "")),
        )
        self.families["workloadmap_workload"].add((*labels, *more), 1)
        if "created" in workload:
            moment = int(datetime.fromisoformat(workload["created"]).timestamp())
            self.families["workloadmap_workload_creation_timestamp_seconds"].add(labels, moment)

    def _status(self, entry: Mapping[str, Any], labels: Labels) -> None:
        """Add the state of a workload."""
        status = entry.get("status", {})
        if status:
            for phase in PHASES:
                own = (*labels, ("phase", phase))
                self.families["workloadmap_workload_phase"].add(own, int(phase == status["phase"]))
        if "reason" in status:
            self.families["workloadmap_workload_reason"].add((*labels, ("reason", status["reason"])), 1)
        flags = {"stale": status.get("stale"), "suspended": entry.get("suspended"), "incomplete": "incomplete" in entry}
        for name, value in flags.items():
            if value is not None:
                self.families[f"workloadmap_workload_{name}"].add(labels, int(value))

    def _numbers(self, name: str, labels: Labels, entry: Mapping[str, Any], resources: Mapping[str, Any]) -> None:
        """Add pods, resources and cost of a workload or an instance."""
        for told in ("desired", "minimum", "found", "ready"):
            if told in entry["pods"]:
                self.families[f"{name}_pods_{told}"].add(labels, entry["pods"][told])
        for side in ("requests", "limits"):
            for resource, unit, value in _resources(resources, side):
                own = (*labels, ("resource", resource), ("unit", unit))
                self.families[f"{name}_resource_{side}"].add(own, value)
        if "cost" in entry:
            own = (*labels, ("currency", self._currency))
            self.families[f"{name}_cost_per_hour"].add(own, entry["cost"]["perHour"])

    def pods(self) -> None:
        """Add where each pod belongs: to the outermost workload with a component that claims it, and to no second."""
        seen: set[tuple[str, str]] = set()
        entries = self._report["workloads"]
        found = [(entry, pod) for entry in entries for pod in entry.get("podList", ())]
        # Those that a component claims come first; the order stays otherwise, in which parts follow what they are of.
        for entry, pod in sorted(found, key=lambda pair: "instance" not in pair[1]):
            key = pod_key({"metadata": pod})
            if key not in seen:
                seen.add(key)
                self.families["workloadmap_pod"].add((*_pod_labels(pod), *_workload_of_pod(entry, pod)), 1)


def to_openmetrics(report: Mapping[str, Any]) -> str:
    """The report as OpenMetrics text, which ends with `# EOF`.

    Raises:
        InputError: Two workloads have the same kind, namespace and name, so that their series would be the same.

    """
    writer = _Writer(report)
    for entry in report["workloads"]:
        writer.workload(entry)
    writer.pods()
    writer.families["workloadmap_unread_objects"].add((), len(report.get("unread", ())))
    lines = [line for family in writer.families.values() for line in family.write()]
    return "\n".join([*lines, "# EOF", ""])


def _identity(workload: Mapping[str, Any]) -> Labels:
    """The labels that every series of a workload has, and that no two workloads share in one cluster."""
    return (
        ("namespace", workload.get("namespace", "")),
        ("group", workload["apiVersion"].rpartition("/")[0]),
        ("kind", workload["kind"]),
        ("workload", workload.get("name", "")),
    )


def _instance_labels(instance: Mapping[str, Any]) -> Labels:
    """The labels that tell an instance from the others of its workload."""
    return (
        ("component", component_path(instance)),
        ("instance", "/".join(step["instance"] for step in instance["path"])),
    )


def _pod_labels(pod: Mapping[str, Any]) -> Labels:
    """The labels by which other metrics know a pod."""
    return ("namespace", pod.get("namespace", "default")), ("pod", pod["name"]), ("uid", pod.get("uid", ""))


def _workload_of_pod(entry: Mapping[str, Any], pod: Mapping[str, Any]) -> Labels:
    """The labels that tell where a pod belongs."""
    place = pod.get("instance")
    instance: Mapping[str, Any] = {"path": ()} if place is None else entry["instances"][place]
    replicas = [str(replica) for replica in pod.get("replicas", ()) if replica is not None]
    return (
        *_identity(entry["workload"])[1:],
        *_instance_labels(instance),
        ("replica", "/".join(replicas)),
        ("index", str(pod["index"]) if "index" in pod else ""),
        ("pod_group", pod.get("subgroup", pod.get("group", ""))),
    )


def _resources(resources: Mapping[str, Any], side: str) -> Iterable[tuple[str, str, str]]:
    """Name, unit and amount of resources; a limit that does not bind all containers is none."""
    open_ended = resources.get("unlimited", ()) if side == "limits" else ()
    for resource, text in resources.get(side, {}).items():
        if resource not in open_ended:
            unit = "byte" if resource.startswith("hugepages-") else _UNITS.get(resource, "integer")
            yield resource, unit, base_number(parse(text))

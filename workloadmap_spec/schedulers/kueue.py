"""Kueue: a queue for the workload, whose pods are admitted together (kubernetes-sigs/kueue, kueue.x-k8s.io)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.names import labels, object_names
from workloadmap_spec.schedulers.shapes import (
    has_own_topology,
    is_whole,
    known_groups,
    metadata,
    tell_unused,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.schedulers.model import Gang, Group, Options, Place

_API: Final = "kueue.x-k8s.io"
#: The versions of the API, the default first.
VERSIONS: Final = (f"{_API}/v1beta2", f"{_API}/v1beta1")

_QUEUE: Final = f"{_API}/queue-name"
_PRIORITY: Final = f"{_API}/priority-class"
_PREBUILT: Final = f"{_API}/prebuilt-workload-name"
_GROUP: Final = f"{_API}/pod-group-name"
_TOTAL: Final = f"{_API}/pod-group-total-count"
#: `maxItems` of the pod sets of a Workload.
_MAX_POD_SETS: Final = 18

#: Kinds for which Kueue makes one Workload (pkg/controller/jobs, v0.20).
_WHOLE: Final = frozenset(
    {
        ("batch/v1", "Job"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet"),
        ("kubeflow.org/v1", "JAXJob"),
        ("kubeflow.org/v1", "PaddleJob"),
        ("kubeflow.org/v1", "PyTorchJob"),
        ("kubeflow.org/v1", "TFJob"),
        ("kubeflow.org/v1", "XGBoostJob"),
        ("kubeflow.org/v2beta1", "MPIJob"),
        ("ray.io/v1", "RayCluster"),
        ("ray.io/v1", "RayJob"),
        ("ray.io/v1", "RayService"),
        ("sparkoperator.k8s.io/v1beta2", "SparkApplication"),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
        ("workload.codeflare.dev/v1beta2", "AppWrapper"),
    }
)
#: Kinds for which it makes several: for each group of a LeaderWorkerSet, each pod of a Deployment, and so on.
_IN_PARTS: Final = frozenset(
    {
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
        ("v1", "Pod"),
    }
)


def render(gang: Gang, options: Options) -> Rendering:
    """What puts a workload into a queue, or its pods as groups, and with `prebuilt` the Workload itself.

    Kueue makes the Workload of a kind that it knows when that has the label of a queue. Pods of other kinds are pod
    groups, which it admits when they are all there.
    """
    rendering = Rendering()
    tell_unused(rendering, "Kueue", options, "topology", "scheduler")
    queue = options.queue or next((group.queue for group in gang.groups if group.queue), None)
    if queue is None:
        rendering.tell("error", "Kueue takes what is in a queue, and none is given", cure="give --queue NAME")
        return rendering
    marks = {_QUEUE: queue} | ({_PRIORITY: options.priority} if options.priority else {})
    kind = (gang.workload["apiVersion"], gang.workload["kind"])
    if kind not in _WHOLE | _IN_PARTS:
        if options.prebuilt:
            rendering.tell("warning", f"Kueue has no Workload for {kind[1]}: its pods are pod groups")
        _pod_groups(gang, marks, rendering)
        return rendering
    rendering.workload = Values(labels=marks)
    _tell_what_is_lost(gang, rendering, is_one=kind in _WHOLE)
    for group in gang.groups:
        annotations = _topology(group, rendering)
        if annotations:
            rendering.bindings += [bind(group, member, Values(annotations=annotations)) for member in group.members]
    if options.prebuilt:
        if kind in _WHOLE:
            _prebuilt(gang, options, queue, rendering)
        else:
            rendering.tell("error", f"Kueue makes several Workloads for a {kind[1]}, and none can be given to it")
    return rendering


def _tell_what_is_lost(gang: Gang, rendering: Rendering, *, is_one: bool) -> None:
    """Tell where Kueue gives quota to other pods than those that a group needs."""
    for group in gang.groups:
        if group.minimum is not None and group.pods is not None and group.minimum < group.pods:
            rendering.tell(
                "warning",
                f"Kueue admits all of its {group.pods} pods, though {group.minimum} are enough to start",
                group,
            )
    covered = {id(member.place) for group in gang.groups for member in group.members}
    if is_one and gang.groups and (len(gang.groups) > 1 or len(covered) < len(gang.places)):
        rendering.tell("note", "Kueue admits the workload as a whole, and not group by group")


def _topology(group: Group, rendering: Rendering) -> dict[str, str]:
    """The annotations of a pod template for Topology Aware Scheduling; its levels are keys of node labels."""
    if has_own_topology(group):
        rendering.tell("warning", "Kueue is not told of its subgroups: their topology is left out", group)
    return {f"{_API}/podset-{kind}-topology": key for kind, key in group.topology.items()}


def _pod_groups(gang: Gang, marks: Mapping[str, str], rendering: Rendering) -> None:
    """Pod groups: Kueue waits until so many pods are there, and admits them all."""
    for group in known_groups(gang, rendering):
        if not group.pods or not is_whole(group):
            many = "an unknown number of" if group.pods is None else group.pods
            rendering.tell(
                "error",
                f"it needs {group.minimum} of {many} pods, and a pod group of Kueue is a number of pods that are all"
                " needed",
                group,
            )
            continue
        annotations = {_GROUP: group.label, _TOTAL: str(group.pods), **_topology(group, rendering)}
        # The annotation is read first, and by older releases only the label.
        values = Values(labels={**marks, _GROUP: group.label}, annotations=annotations)
        rendering.bindings += [bind(group, member, values) for member in group.members]


def _prebuilt(gang: Gang, options: Options, queue: str, rendering: Rendering) -> None:
    """The Workload that Kueue would make: a pod set for each place, of all pods that are wanted."""
    unknown = [place.name for place in gang.places if place.pods is None or place.template is None]
    if unknown or not 0 < len(gang.places) <= _MAX_POD_SETS:
        why = f"it has 1 to {_MAX_POD_SETS} pod sets, and here are {len(gang.places)}"
        if unknown:
            why = f"nobody knows all about {', '.join(unknown)}"
        rendering.tell("error", f"the Workload cannot be made: {why}")
        return
    if options.priority:
        rendering.tell(
            "warning",
            "a Workload with a priority class needs its number too, which is not known here: both are left out",
            cure="put `priorityClassRef` and `priority` into the Workload",
        )
    (name,) = object_names([gang.name])
    pod_sets = [
        {"name": text, "count": place.pods, "template": dict(place.template or {})}
        for text, place in zip(_pod_set_names(gang), gang.places, strict=True)
    ]
    document: dict[str, Any] = {
        "apiVersion": options.version or VERSIONS[0],
        "kind": "Workload",
        "metadata": metadata(gang, name),
        "spec": {"queueName": queue, "podSets": pod_sets},
    }
    rendering.objects.append(document)
    rendering.tell("note", "Kueue takes the Workload only if its pod sets are those that it would make itself")
    marks = rendering.workload.labels
    rendering.workload = Values(labels={**marks, _PREBUILT: name}, annotations={_PREBUILT: name})


def _pod_set_names(gang: Gang) -> list[str]:
    """The names that Kueue gives to pod sets, kind by kind (pkg/controller/jobs)."""
    if gang.workload["kind"] == "Job":
        return ["main"]
    if gang.workload["kind"] == "AppWrapper":
        return [f"{gang.name}-{index}" for index in range(len(gang.places))]
    return labels([_last(place) for place in gang.places])


def _last(place: Place) -> str:
    """The name that users know: of a role, of a worker group, of a replicated job."""
    return place.instance.rpartition("/")[2]

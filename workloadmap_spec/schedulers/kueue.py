"""Kueue: a queue for the workload, whose pods are admitted together (kubernetes-sigs/kueue, kueue.x-k8s.io)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.canonical import dumps
from workloadmap_spec.schedulers.kueue_sets import (
    ELASTIC,
    MAX_POD_SETS,
    MIN_PARALLELISM,
    UnlikeError,
    annotations_of,
    labels_of,
    pod_sets,
    ray_cluster,
)
from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.names import object_names
from workloadmap_spec.schedulers.shapes import (
    has_own_topology,
    is_whole,
    known_groups,
    metadata,
    queue_of,
    tell_unused,
)

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.kueue_sets import PodSet
    from workloadmap_spec.schedulers.model import Gang, Group, Options

_API: Final = "kueue.x-k8s.io"
#: The versions of the API, the default first.
VERSIONS: Final = (f"{_API}/v1beta2", f"{_API}/v1beta1")

_QUEUE: Final = f"{_API}/queue-name"
_PRIORITY: Final = f"{_API}/priority-class"
_PREBUILT: Final = f"{_API}/prebuilt-workload-name"
_TIME: Final = f"{_API}/max-exec-time-seconds"
_GROUP: Final = f"{_API}/pod-group-name"
_TOTAL: Final = f"{_API}/pod-group-total-count"
_NO_QUEUE: Final = "Kueue takes what is in a queue, and none is given"
_GIVE_QUEUE: Final = (
    "give --queue NAME; without one Kueue takes the LocalQueue `default` of the namespace, if there is one"
)

#: Kinds for which Kueue makes one Workload (pkg/controller/jobs, v0.20), by group: it sees an object in one version,
#: whichever it was written in.
_WHOLE: Final = frozenset(
    {
        ("batch", "Job"),
        ("jobset.x-k8s.io", "JobSet"),
        ("kubeflow.org", "JAXJob"),
        ("kubeflow.org", "MPIJob"),
        ("kubeflow.org", "PaddleJob"),
        ("kubeflow.org", "PyTorchJob"),
        ("kubeflow.org", "TFJob"),
        ("kubeflow.org", "XGBoostJob"),
        ("ray.io", "RayCluster"),
        ("ray.io", "RayJob"),
        ("ray.io", "RayService"),
        ("sparkoperator.k8s.io", "SparkApplication"),
        ("trainer.kubeflow.org", "TrainJob"),
        ("workload.codeflare.dev", "AppWrapper"),
    }
)
#: Kinds for which it makes several: for each group of a LeaderWorkerSet, each pod of a Deployment, and so on.
_IN_PARTS: Final = frozenset(
    {("", "Pod"), ("apps", "Deployment"), ("apps", "StatefulSet"), ("leaderworkerset.x-k8s.io", "LeaderWorkerSet")}
)
#: A kind of another operator with the name of one that it knows.
_STRANGER: Final = ("kubeflow.org/v1", "MPIJob")
#: Kinds whose pods are no pod groups, why, and what can be done.
_NEVER: Final = {
    ("batch", "CronJob"): (
        "Kueue admits each of its Jobs by itself",
        f"put the label {_QUEUE} under `spec.jobTemplate.metadata.labels`",
    ),
    (_API, "Workload"): ("it is Kueue's own, and has its queue in `spec.queueName`", None),
}


def render(gang: Gang, options: Options) -> Rendering:
    """What puts a workload into a queue, or its pods as groups, and with `prebuilt` the Workload itself.

    Kueue makes the Workload of a kind that it knows when that has the label of a queue. Pods of other kinds are pod
    groups, which it admits when they are all there.
    """
    rendering = Rendering()
    tell_unused(rendering, "Kueue", options, "topology", "scheduler")
    api, kind = gang.workload["apiVersion"], gang.workload["kind"]
    key = (api.rpartition("/")[0], kind)
    if key in _NEVER:
        text, cure = _NEVER[key]
        rendering.tell("error", text, cure=cure)
    elif key in _WHOLE | _IN_PARTS and (api, kind) != _STRANGER:
        _queue(gang, options, rendering, is_one=key in _WHOLE)
    else:
        if options.prebuilt:
            rendering.tell("warning", f"Kueue has no Workload for {kind}: its pods are pod groups")
        _pod_groups(gang, options, rendering)
    return rendering


def _marks(queue: str, options: Options) -> dict[str, str]:
    """The labels of what is queued; the priority class is one of Kueue's own."""
    return {_QUEUE: queue} | ({_PRIORITY: options.priority} if options.priority else {})


# Kinds that Kueue knows


def _queue(gang: Gang, options: Options, rendering: Rendering, *, is_one: bool) -> None:
    """A queue for the workload itself, of which Kueue makes one Workload or several."""
    asked = list(dict.fromkeys(group.queue for group in gang.groups if group.queue))
    queue = options.queue or labels_of(gang.object).get(_QUEUE) or next(iter(asked), None)
    if queue is None:
        rendering.tell("error", _NO_QUEUE, cure=_GIVE_QUEUE)
        return
    refused = _refused(gang, is_one=is_one)
    if refused is not None:
        text, cure = refused
        rendering.tell("error", text, cure=cure)
        return
    if queue in asked and len(asked) > 1:
        rendering.tell("warning", f"its groups ask for the queues {', '.join(asked)}, and Kueue takes one: {queue}")
    rendering.workload = Values(labels=_marks(queue, options))
    _tell_what_is_lost(gang, rendering, is_one=is_one)
    for group in gang.groups:
        annotations = _topology_of_sets(gang, group, rendering, is_one=is_one)
        if annotations:
            rendering.bindings += [bind(group, member, Values(annotations=annotations)) for member in group.members]
    if options.prebuilt:
        _prebuilt(gang, options, queue, rendering)


def _refused(gang: Gang, *, is_one: bool) -> tuple[str, str | None] | None:
    """Why the webhook of Kueue refuses the workload in a queue, or its controller passes it over, and what can be done.

    See `validateCreate` in pkg/controller/jobs/{raycluster,rayjob,sparkapplication}, and `Skip` of a RayJob.
    """
    kind, spec = gang.workload["kind"], gang.object.get("spec") or {}
    cluster, allocation = ray_cluster(gang.object) or {}, spec.get("dynamicAllocation")
    is_fixed = annotations_of(gang.object).get(ELASTIC) != "true"
    is_allocated = isinstance(allocation, dict) and bool(allocation.get("enabled"))
    elastic = f'put the annotation {ELASTIC}: "true" on it, for the feature gate ElasticJobsViaWorkloadSlices'
    reasons: tuple[tuple[object, str, str | None], ...] = (
        (
            is_one and len(gang.places) > MAX_POD_SETS,
            f"Kueue refuses a workload of more than {MAX_POD_SETS} pod sets, and this has {len(gang.places)}",
            None,
        ),
        (
            kind == "RayJob" and spec.get("clusterSelector"),
            "Kueue leaves alone a RayJob that runs in another's cluster",
            "put the cluster into the queue",
        ),
        (
            kind == "RayJob" and not spec.get("shutdownAfterJobFinishes"),
            "Kueue refuses a RayJob that leaves its cluster behind",
            "set `spec.shutdownAfterJobFinishes: true`",
        ),
        (
            cluster.get("enableInTreeAutoscaling") and is_fixed,
            "Kueue refuses a cluster with an autoscaler that is no elastic job",
            elastic,
        ),
        (
            kind == "SparkApplication" and is_allocated and is_fixed,
            "Kueue refuses dynamic allocation that is of no elastic job",
            elastic,
        ),
        (
            kind == "SparkApplication" and spec.get("mode", "cluster") != "cluster",
            "Kueue refuses a SparkApplication in another mode than `cluster`",
            None,
        ),
    )
    return next(((text, cure) for applies, text, cure in reasons if applies), None)


def _tell_what_is_lost(gang: Gang, rendering: Rendering, *, is_one: bool) -> None:
    """Tell where Kueue gives quota to other pods than those that a group needs."""
    is_partial = gang.workload["kind"] == "Job" and MIN_PARALLELISM in annotations_of(gang.object)
    for group in gang.groups:
        if group.minimum is not None and group.pods is not None and group.minimum < group.pods and not is_partial:
            enough = "1 is enough" if group.minimum == 1 else f"{group.minimum} are enough"
            rendering.tell("warning", f"Kueue admits all of its {group.pods} pods, though {enough} to start", group)
    covered = {id(member.place) for group in gang.groups for member in group.members}
    if is_one and gang.groups and (len(gang.groups) > 1 or len(covered) < len(gang.places)):
        rendering.tell("note", "Kueue admits the workload as a whole, and not group by group")


def _prebuilt(gang: Gang, options: Options, queue: str, rendering: Rendering) -> None:
    """The Workload that Kueue would make, and what tells Kueue of it."""
    try:
        found = pod_sets(gang.object)
    except UnlikeError as error:
        rendering.tell("error", f"no Workload is made: {error}", cure=error.cure)
        return
    if options.priority or any(_class_of(one) for one in found) or any(group.priority for group in gang.groups):
        rendering.tell(
            "warning",
            "a Workload with a priority class needs its number too, which is not known here: both are left out",
            cure="put the class and `priority` into the Workload",
        )
    (name,) = object_names([f"{gang.workload['kind']}-{gang.name}"])
    spec: dict[str, Any] = {
        "queueName": queue,
        "podSets": [one.to_dict(_added(one, rendering, is_only=len(found) == 1)) for one in found],
    }
    limit = labels_of(gang.object).get(_TIME, "")
    if limit.isdecimal() and int(limit) > 0:
        spec["maximumExecutionTimeSeconds"] = int(limit)
    version = options.version or VERSIONS[0]
    rendering.objects.append(
        {"apiVersion": version, "kind": "Workload", "metadata": metadata(gang, name), "spec": spec}
    )
    # The annotation is read first, and by older releases only the label.
    rendering.workload = Values(labels={**rendering.workload.labels, _PREBUILT: name}, annotations={_PREBUILT: name})


def _class_of(pods: PodSet) -> object:
    """The priority class of pods."""
    return pods.template["spec"].get("priorityClassName")


def _added(pods: PodSet, rendering: Rendering, *, is_only: bool) -> dict[str, str]:
    """The annotations that the template of a pod set is given."""
    return {
        key: value
        for one in rendering.bindings
        if is_only or one.place.instance.rpartition("/")[2].lower() == pods.name
        for key, value in one.values.annotations.items()
    }


# Pods of other kinds


def _pod_groups(gang: Gang, options: Options, rendering: Rendering) -> None:
    """Pod groups: Kueue waits until so many pods are there, and admits them all."""
    for group in known_groups(gang, rendering):
        queue = queue_of(group, options)
        shapes = {dumps(member.place.template) for member in group.members}
        if not group.minimum:
            rendering.tell("note", "it needs no pods, so there is nothing to wait for and no pod group", group)
        elif not is_whole(group):
            many = "an unknown number of" if group.pods is None else group.pods
            needed = f"it needs {group.minimum} of {many} pods"
            text = f"{needed}, and a pod group of Kueue is a number of pods that are all needed"
            rendering.tell("error", text, group)
        elif len(shapes) > MAX_POD_SETS:
            text = f"its pods are of {len(shapes)} templates, and a pod group of Kueue has at most {MAX_POD_SETS}"
            rendering.tell("error", text, group)
        elif queue is None:
            rendering.tell("error", _NO_QUEUE, group, _GIVE_QUEUE)
        else:
            annotations = {_GROUP: group.label, _TOTAL: str(group.pods), **_topology(group, len(shapes), rendering)}
            # The annotation is read first, and by older releases only the label.
            values = Values(labels={**_marks(queue, options), _GROUP: group.label}, annotations=annotations)
            rendering.bindings += [bind(group, member, values) for member in group.members]


# Topology


def _topology_of_sets(gang: Gang, group: Group, rendering: Rendering, *, is_one: bool) -> dict[str, str]:
    """The annotations for a group of a kind that Kueue knows, whose pod sets are not of its making."""
    if is_one and group.topology and not all(member.is_all for member in group.members):
        rendering.tell(
            "warning", f"Kueue places whole pod sets, and it is part of one: {_keys(group)} is left out", group
        )
        return {}
    sets = len(group.members)
    if gang.workload["kind"] == "LeaderWorkerSet":
        # Pods of one template are one pod set.
        template = (gang.object.get("spec") or {}).get("leaderWorkerTemplate")
        sets = 2 if isinstance(template, dict) and template.get("leaderTemplate") is not None else 1
    return _topology(group, sets, rendering)


def _topology(group: Group, sets: int, rendering: Rendering) -> dict[str, str]:
    """The annotations of a pod template for Topology Aware Scheduling; its levels are keys of node labels.

    They are about one pod set. Two of them, of which one is a single pod, can be placed together
    (`ValidatePodSetGroupingTopology` in pkg/controller/jobframework/tas_validation.go).
    """
    if has_own_topology(group):
        rendering.tell("warning", "Kueue is not told of its subgroups: their topology is left out", group)
    if not group.topology:
        return {}
    kind = "required" if "required" in group.topology else "preferred"
    if len(group.topology) > 1:
        left = group.topology["preferred"]
        rendering.tell("warning", f"Kueue takes a required or a preferred topology: {left} is left out", group)
    found = {f"{_API}/podset-{kind}-topology": group.topology[kind]}
    if sets == 1:
        return found
    if sets == len(group.members) == 2 and any(member.pods == 1 for member in group.members):  # noqa: PLR2004 - a pair
        # Groups of one entry are alike; and a name must not be a number.
        return {**found, f"{_API}/podset-group-name": f"group-{group.name}"}
    rendering.tell("warning", f"Kueue places each of its {sets} pod sets in a domain of its own: {_keys(group)}", group)
    return found


def _keys(group: Group) -> str:
    """The keys of a topology."""
    return ", ".join(group.topology.values())

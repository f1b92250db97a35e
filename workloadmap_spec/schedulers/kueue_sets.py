"""The pod sets that Kueue makes of a workload (kubernetes-sigs/kueue, pkg/controller/jobs, as of v0.20).

Kueue takes a Workload of someone else only while its pod sets are those that it would make itself: as many, in the same
order, with the same counts, containers and tolerations (pkg/util/equality/podset.go). It ends any other as out of sync.
So they are made here by its rules and of the object itself: a map has the pods as the controller of the kind makes
them, with what that adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.names import labels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_API: Final = "kueue.x-k8s.io"
_JOB_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_REPLICA_INDEX: Final = "training.kubeflow.org/replica-index"
#: Annotations of a workload: how many pods of a Job are enough, and that it may change its size while it runs.
MIN_PARALLELISM: Final = f"{_API}/job-min-parallelism"
ELASTIC: Final = f"{_API}/elastic-job"

#: `maxItems` of the pod sets of a Workload.
MAX_POD_SETS: Final = 18


@dataclass(frozen=True, slots=True)
class PodSet:
    """Pods of one shape: a name, how many are wanted at once, and their template."""

    name: str
    count: int
    template: Mapping[str, Any]
    #: How many are enough; None if all are needed.
    minimum: int | None = None
    #: The label that numbers the pods, where the kind has one.
    index: str | None = None
    #: How many Jobs these are the pods of, where they are of several.
    jobs: int | None = None

    def to_dict(self, annotations: Mapping[str, str]) -> dict[str, Any]:
        """The set as it stands in a Workload; `annotations` are those that the template is given beside its own."""
        template: dict[str, Any] = {"spec": self.template["spec"]}
        own = _metadata(self.template)
        metadata = {name: own[name] for name in ("labels", "annotations") if own.get(name)}
        if annotations:
            metadata["annotations"] = {**metadata.get("annotations", {}), **annotations}
        if metadata:
            template["metadata"] = metadata
        found: dict[str, Any] = {"name": self.name, "count": self.count, "template": template}
        if self.minimum is not None:
            found["minCount"] = self.minimum
        request = self._topology(metadata.get("annotations", {}))
        return found | ({"topologyRequest": request} if request else {})

    def _topology(self, annotations: Mapping[str, str]) -> dict[str, Any]:
        """What a template asks of the nodes, and how its pods are numbered (pkg/controller/jobframework/tas.go)."""
        found: dict[str, Any] = {}
        for name in ("required", "preferred", "unconstrained"):
            value = annotations.get(f"{_API}/podset-{name}-topology")
            if value is not None:
                found[name] = value if name != "unconstrained" else value.lower() in ("1", "t", "true")
                break
        group = annotations.get(f"{_API}/podset-group-name")
        if group and ("required" in found or "preferred" in found):
            found["podSetGroupName"] = group
        level, size = (annotations.get(f"{_API}/podset-slice-{name}") for name in ("required-topology", "size"))
        if level and size and size.isdecimal():
            found |= {"podSetSliceRequiredTopology": level, "podSetSliceSize": int(size)}
        if self.index is not None:
            found["podIndexLabel"] = self.index
        if self.jobs is not None:
            found |= {"subGroupIndexLabel": "jobset.sigs.k8s.io/job-index", "subGroupCount": self.jobs}
        return found


class UnlikeError(Exception):
    """No Workload can be given to Kueue; `cure` is what can be done about it."""

    def __init__(self, text: str, cure: str | None = None) -> None:
        """Keep both."""
        super().__init__(text)
        self.cure = cure


def pod_sets(workload: Mapping[str, Any]) -> list[PodSet]:
    """The pod sets of a workload after the data rules, in Kueue's order.

    Raises:
        UnlikeError: Kueue's would be others, or it takes no Workload for the kind.

    """
    if annotations_of(workload).get(ELASTIC) == "true":
        raise UnlikeError("Kueue makes a new Workload of an elastic job whenever it changes its size")
    make = _RULES.get(workload["kind"])
    if make is None:
        raise UnlikeError(_NONE.get(workload["kind"], f"Kueue takes no Workload for a {workload['kind']} but its own"))
    found = make(workload)
    names = [one.name for one in found]
    if len(set(names)) < len(names) or labels(names) != names:
        raise UnlikeError("the names of its pod sets are no names of Kueue, or there is one twice")
    if not 0 < len(found) <= MAX_POD_SETS:
        raise UnlikeError(f"a Workload has 1 to {MAX_POD_SETS} pod sets, and this has {len(found)}")
    return found


def annotations_of(holder: Mapping[str, Any]) -> Mapping[str, str]:
    """The annotations of an object or a template."""
    found: Mapping[str, str] = _metadata(holder).get("annotations", {})
    return found


def labels_of(holder: Mapping[str, Any]) -> Mapping[str, str]:
    """Its labels."""
    found: Mapping[str, str] = _metadata(holder).get("labels", {})
    return found


#: Kinds whose pod sets Kueue makes of more than the object. It allows none for others that are not in `_RULES`
#: (`supportedPrebuiltWlJobGVKs` in pkg/controller/jobframework/validation.go).
_NONE: Final = {
    "TrainJob": "the pod sets of Kueue have what the Trainer adds to the templates of the runtime",
    "AppWrapper": "the pod sets of Kueue have what the API server would add to the templates inside an AppWrapper",
}


def _pod(workload: Mapping[str, Any]) -> list[PodSet]:
    """A pod alone."""
    _check_served(workload)
    return [PodSet("main", 1, {"spec": _template(workload)["spec"]}, index=f"{_API}/pod-group-pod-index")]


def _job(workload: Mapping[str, Any]) -> list[PodSet]:
    """A Job: no more pods than completions, and fewer where it says that these are enough."""
    _check_served(workload)
    spec = _spec(workload)
    count, minimum = _pods_of_job(spec), annotations_of(workload).get(MIN_PARALLELISM)
    # The webhook wants it so (validatePartialAdmissionCreate in job_webhook.go).
    if minimum is not None and not (minimum.isdecimal() and 0 < int(minimum) < count):
        raise UnlikeError(f"Kueue refuses {MIN_PARALLELISM} unless it is a number from 1 to {count - 1}")
    least = None if minimum is None else int(minimum)
    return [PodSet("main", count, _template(spec.get("template")), least, _JOB_INDEX)]


def _check_served(workload: Mapping[str, Any]) -> None:
    """A kind of Kubernetes itself is compared as the API server has completed it."""
    if not _metadata(workload).get("uid"):
        kind = workload["kind"]
        raise UnlikeError(
            f"Kueue compares the {kind} as the API server has completed it, and this one was not created yet",
            f"create the {kind} with its labels and annotations first, and make the Workload of what the cluster has",
        )


def _jobset(workload: Mapping[str, Any]) -> list[PodSet]:
    """A set for each list of Jobs, in whichever order they start."""
    found = []
    for entry in _list(_spec(workload), "replicatedJobs"):
        jobs, spec = _count(entry, "replicas", 1), _spec(entry.get("template"))
        count = jobs * _pods_of_job(spec)
        found.append(PodSet(_name(entry, "name"), count, _template(spec.get("template")), index=_JOB_INDEX, jobs=jobs))
    return found


def _roles(member: str, *roles: str) -> Callable[[Mapping[str, Any]], list[PodSet]]:
    """The rule for a kind of Kubeflow: a set for each role that is there, in a fixed order."""

    def rule(workload: Mapping[str, Any]) -> list[PodSet]:
        specs = _map(_spec(workload).get(member))
        known = [(role.lower(), _map(specs[role])) for role in roles if specs.get(role) is not None]
        return [
            PodSet(name, _count(entry, "replicas", 1), _template(entry.get("template")), index=_REPLICA_INDEX)
            for name, entry in known
        ]

    return rule


#: Where the kinds of Ray have their cluster.
_CLUSTERS: Final = {"RayCluster": "", "RayJob": "rayClusterSpec", "RayService": "rayClusterConfig"}


def ray_cluster(workload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The spec of the cluster in a kind of Ray; None if it has none, or is another kind."""
    member = _CLUSTERS.get(workload["kind"])
    spec = workload.get("spec") or {}
    found = spec.get(member) if member else spec
    return found if member is not None and isinstance(found, dict) else None


#: The container that submits a job, and what it is given without a template (rayjob_controller.go).
_SUBMITTER: Final = {
    "name": "ray-job-submitter",
    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "200Mi"}},
}


def _ray(workload: Mapping[str, Any]) -> list[PodSet]:
    """The head and each group of workers, whether or not it is suspended; for a RayJob what submits it."""
    # With an autoscaler the head has one container more, but then it is an elastic job.
    cluster = _map(ray_cluster(workload))
    if (
        cluster.get("gcsFaultToleranceOptions") is not None
        or annotations_of(workload).get("ray.io/ft-enabled") == "true"
    ):
        raise UnlikeError("Kueue adds what the clean-up of Redis needs to the head")
    head = _template(_map(cluster.get("headGroupSpec")).get("template"))
    workers = [
        PodSet(
            _name(entry, "groupName"),
            # The API server fills in 0, and not 1.
            _count(entry, "replicas", 0) * max(_count(entry, "numOfHosts", 1), 1),
            _template(entry.get("template")),
        )
        for entry in _list(cluster, "workerGroupSpecs")
    ]
    mode = _spec(workload).get("submissionMode", "K8sJobMode") if workload["kind"] == "RayJob" else None
    if mode == "SidecarMode":
        pod = head["spec"]
        head = {**head, "spec": {**pod, "containers": [*pod["containers"], _SUBMITTER]}}
    found = [PodSet("head", 1, head), *workers]
    if mode == "K8sJobMode":
        found.append(PodSet("submitter", 1, _submitter(workload, head)))
    return found


def _submitter(workload: Mapping[str, Any], head: Mapping[str, Any]) -> Mapping[str, Any]:
    """The pod that submits a RayJob, in the image of the head unless it has a template."""
    template = _spec(workload).get("submitterPodTemplate")
    if template is not None:
        return _template(template)
    image = _map(head["spec"]["containers"][0]).get("image")
    container = _SUBMITTER | ({} if image is None else {"image": image})
    return {"spec": {"containers": [container], "restartPolicy": "Never"}}


_RULES: Final[dict[str, Callable[[Mapping[str, Any]], list[PodSet]]]] = {
    "Job": _job,
    "JobSet": _jobset,
    "MPIJob": _roles("mpiReplicaSpecs", "Launcher", "Worker"),
    "PaddleJob": _roles("paddleReplicaSpecs", "Master", "Worker"),
    "Pod": _pod,
    "PyTorchJob": _roles("pytorchReplicaSpecs", "Master", "Worker"),
    "RayCluster": _ray,
    "RayJob": _ray,
    "RayService": _ray,
    "TFJob": _roles("tfReplicaSpecs", "Chief", "Master", "PS", "Worker", "Evaluator"),
    "XGBoostJob": _roles("xgbReplicaSpecs", "Master", "Worker"),
}


# Parts of an object that nobody has checked


def _map(value: object) -> Mapping[str, Any]:
    """A map that must be there."""
    if not isinstance(value, dict):
        raise UnlikeError("it lacks what its pods are made of")
    return value


def _spec(holder: object) -> Mapping[str, Any]:
    """The spec of an object or a template."""
    return _map(_map(holder).get("spec"))


def _metadata(holder: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of an object or a template, with only such labels and annotations as are maps of texts."""
    metadata = holder.get("metadata")
    found: dict[str, Any] = dict(metadata) if isinstance(metadata, dict) else {}
    for name in ("labels", "annotations"):
        values = found.pop(name, None)
        if isinstance(values, dict):
            found[name] = {key: value for key, value in values.items() if isinstance(value, str)}
    return found


def _list(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """A list of maps, empty if it is absent."""
    found = holder.get(name) or []
    if not isinstance(found, list):
        raise UnlikeError(f"its {name} are no list")
    return [_map(entry) for entry in found]


def _template(value: object) -> Mapping[str, Any]:
    """A pod template, with a container at least."""
    found = _map(value)
    containers = _spec(found).get("containers")
    if not isinstance(containers, list) or not containers:
        raise UnlikeError("it has a pod template without containers")
    return found


def _count(holder: Mapping[str, Any], name: str, default: int) -> int:
    """A number of pods, replicas or hosts."""
    found = holder.get(name)
    if found is None:
        return default
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise UnlikeError(f"nobody knows how many pods there are: its {name} are no number")
    return found


def _name(holder: Mapping[str, Any], name: str) -> str:
    """The name of a set, which Kueue turns into lower case."""
    return str(holder.get(name, "")).lower()


def _pods_of_job(spec: Mapping[str, Any]) -> int:
    """How many pods of a Job there are at once."""
    parallelism = _count(spec, "parallelism", 1)
    return min(parallelism, _count(spec, "completions", parallelism))

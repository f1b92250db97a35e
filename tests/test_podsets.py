"""Names and counts of components beside the pod sets that Kueue makes of the same objects.

Kueue counts for itself (kubernetes-sigs/kueue, pkg/controller/jobs), so its rules, written down here from its code and
not from the mappings, are a second opinion. It sees objects that the API server and the webhooks have completed, and
falls back to 1 where a count is missing still. Where a framework's controller does otherwise, the controller is right,
and the table of differences says why.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.conftest import catalog_cases
from workloadmap_spec import Catalog
from workloadmap_spec.data_rules import normalize
from workloadmap_spec.documents import load_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Json = dict[str, Any]
PodSets = Counter[str]


def job_pods(spec: Json) -> int:
    """The pods of a Job at once."""
    parallelism = int(spec.get("parallelism", 1))
    return min(parallelism, int(spec.get("completions", parallelism)))


def one_set(count: Callable[[Json], int]) -> Callable[[Json], PodSets]:
    """All pods in one set, which Kueue calls main."""
    return lambda spec: Counter(main=count(spec))


def jobset(spec: Json) -> PodSets:
    """One set for each list of Jobs."""
    return Counter(
        {
            job["name"]: job.get("replicas", 1) * job_pods(job["template"]["spec"])
            for job in spec.get("replicatedJobs", [])
        }
    )


def replica_specs(member: str, *roles: str) -> Callable[[Json], PodSets]:
    """One set for each role of a Kubeflow job, in lower case; other roles are passed over."""
    known = roles or ("Master", "Launcher", "Worker")
    return lambda spec: Counter(
        {role.lower(): part.get("replicas", 1) for role, part in spec[member].items() if part and role in known}
    )


def raycluster(spec: Json) -> PodSets:
    """The head, and one set for each group of workers."""
    groups = spec.get("workerGroupSpecs", [])
    return Counter(head=1) + Counter(
        {group["groupName"]: group.get("replicas", 1) * max(group.get("numOfHosts", 1), 1) for group in groups}
    )


def leaderworkerset(spec: Json) -> PodSets:
    """For each group a leader and the rest; Kueue has a workload for each group, so the sum over them."""
    template, groups = spec["leaderWorkerTemplate"], spec.get("replicas", 1)
    return Counter(leader=groups, worker=groups * (template.get("size", 1) - 1))


def rayjob(spec: Json) -> PodSets:
    """The sets of the cluster, and the submitter where a Job submits."""
    sets = raycluster(spec["rayClusterSpec"])
    return sets + Counter(submitter=1) if spec.get("submissionMode", "K8sJobMode") == "K8sJobMode" else sets


def sparkapplication(spec: Json) -> PodSets:
    """The driver and its executors."""
    return Counter(driver=1, executor=spec.get("executor", {}).get("instances", 0))


POD_SETS: Final[dict[tuple[str, str], Callable[[Json], PodSets]]] = {
    ("batch/v1", "Job"): one_set(job_pods),
    ("apps/v1", "StatefulSet"): one_set(lambda spec: int(spec.get("replicas", 1))),
    # A workload for each pod, so the sum over them.
    ("apps/v1", "Deployment"): one_set(lambda spec: int(spec.get("replicas", 1))),
    ("v1", "Pod"): one_set(lambda _: 1),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): jobset,
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): leaderworkerset,
    ("kubeflow.org/v1", "PyTorchJob"): replica_specs("pytorchReplicaSpecs"),
    ("kubeflow.org/v1", "TFJob"): replica_specs("tfReplicaSpecs", "Chief", "Master", "PS", "Worker", "Evaluator"),
    ("kubeflow.org/v1", "XGBoostJob"): replica_specs("xgbReplicaSpecs"),
    ("kubeflow.org/v1", "PaddleJob"): replica_specs("paddleReplicaSpecs"),
    ("kubeflow.org/v1", "JAXJob"): replica_specs("jaxReplicaSpecs"),
    ("kubeflow.org/v2beta1", "MPIJob"): replica_specs("mpiReplicaSpecs"),
    ("ray.io/v1", "RayCluster"): raycluster,
    ("ray.io/v1", "RayJob"): rayjob,
    ("ray.io/v1", "RayService"): lambda spec: raycluster(spec["rayClusterConfig"]),
    ("sparkoperator.k8s.io/v1beta2", "SparkApplication"): sparkapplication,
}

#: Kinds whose one component has another name here than in Kueue.
ONE_COMPONENT: Final = {"Job", "StatefulSet", "Deployment", "Pod"}


def raycluster_differs(spec: Json) -> str | None:
    """Why Kueue counts a cluster otherwise than the operator, if it does."""
    groups = spec.get("workerGroupSpecs", [])
    names = [group.get("groupName") for group in groups]
    if len(set(names)) < len(names):
        return "a name twice is no tree"
    if any(group.get("suspend") for group in groups):
        return "Kueue does not look at the suspension of a group, and the operator makes no pods for it"
    for group in groups:
        least, most = group.get("minReplicas", 0), group.get("maxReplicas", 2**31 - 1)
        if not least <= group.get("replicas", least) <= most:
            return "the operator holds replicas between their bounds, Kueue takes them as they are"
        if "replicas" not in group and least != 1:
            return "the operator takes minReplicas where there are no replicas, Kueue 1"
    return None


def rayjob_differs(spec: Json) -> str | None:
    """As for the cluster that the job makes."""
    if "clusterSelector" in spec or "rayClusterSpec" not in spec:
        return "Kueue does not queue a job for a cluster that is there already"
    return raycluster_differs(spec["rayClusterSpec"])


def rayservice_differs(spec: Json) -> str | None:
    """As for the cluster that the service makes."""
    if "rayClusterConfig" not in spec:
        return "the API server refuses it"
    return raycluster_differs(spec["rayClusterConfig"])


def mpijob_differs(spec: Json) -> str | None:
    """Counts that are missing."""
    if any("replicas" not in part for part in spec.get("mpiReplicaSpecs", {}).values()):
        return "the operator refuses workers without replicas, and Kueue takes them for 1"
    return None


def sparkapplication_differs(spec: Json) -> str | None:
    """Counts that Spark finds by itself, and a driver that is no pod of its own."""
    if spec.get("dynamicAllocation") or "instances" not in spec.get("executor", {}):
        return "Kueue counts what is written, and Spark begins with as many as it finds by its own rules"
    return "in this mode the driver runs in no pod of its own" if spec.get("mode", "cluster") != "cluster" else None


def jobset_differs(spec: Json) -> str | None:
    """Templates that are missing."""
    if any("template" not in job["template"]["spec"] for job in spec.get("replicatedJobs", [])):
        return "the API server refuses a Job without a template, and so there are no pods"
    return None


#: Why Kueue counts an object otherwise than the framework's controller does, if it does.
DIFFERENCES: Final[dict[str, Callable[[Json], str | None]]] = {
    "JobSet": jobset_differs,
    "MPIJob": mpijob_differs,
    "RayCluster": raycluster_differs,
    "RayJob": rayjob_differs,
    "RayService": rayservice_differs,
    "SparkApplication": sparkapplication_differs,
}


def differs(kind: str, spec: Json) -> str | None:
    """Why Kueue counts an object otherwise, if it does."""
    return DIFFERENCES[kind](spec) if kind in DIFFERENCES else None


def sets_of(components: list[Json]) -> Iterator[tuple[str, int]]:
    """Name and pods of everything in a map that has pods; a list names its elements, anything else its component."""
    for component in components:
        for instance in component["instances"]:
            if "pods" in instance:
                yield instance["id"].lower(), instance["pods"]
            yield from sets_of(instance.get("components", []))


def check(value: Json) -> bool:
    """Whether Kueue has an opinion on an object, and that it is ours."""
    count = POD_SETS.get((value.get("apiVersion", ""), value.get("kind", "")))
    spec = value.get("spec") or {}
    if count is None or differs(value["kind"], spec):
        return False
    workload_map = Catalog.builtin().read(value).to_dict()
    if any(component["name"] == "pending" for component in workload_map.get("components", [])):
        # Kueue counts one cluster of a RayService, and during an upgrade there are two.
        return False
    ours = Counter(dict(sets_of(workload_map.get("components", []))))
    if value["kind"] in ONE_COMPONENT:
        ours = Counter(main=ours.total())
    assert +ours == +count(spec)
    return True


CASES: Final = [
    case
    for case in catalog_cases()
    if (case.request["object"]["apiVersion"], case.request["object"]["kind"]) in POD_SETS
]


def test_cases_count_as_kueue_does() -> None:
    """Every case of these kinds, but for those that the framework refuses or counts otherwise."""
    counted: Counter[str] = Counter()
    for case in CASES:
        value = normalize(case.request["object"])
        assert isinstance(value, dict)
        document = case.expect.get("document", {})
        if any(entry["class"] != "missing-reference" for entry in document.get("diagnostics", [])):
            continue
        if not value.get("spec"):
            continue
        counted[value["kind"]] += check(value)
    # None of the kinds is passed over as a whole.
    assert {kind for _, kind in POD_SETS} == set(+counted)
    assert counted.total() > len(CASES) * 0.7


@pytest.mark.parametrize(
    ("kind", "spec", "why"),
    [
        ("RayCluster", {"workerGroupSpecs": [{"groupName": "a", "replicas": 1}]}, None),
        ("RayCluster", {"workerGroupSpecs": [{"groupName": "a", "suspend": True}]}, "suspension"),
        ("RayCluster", {"workerGroupSpecs": [{"groupName": "a", "replicas": 1, "minReplicas": 2}]}, "bounds"),
        ("JobSet", {"replicatedJobs": [{"name": "a", "template": {"spec": {}}}]}, "without a template"),
        ("RayJob", {"clusterSelector": {"ray.io/cluster": "c"}}, "already"),
        ("RayJob", {"rayClusterSpec": {"workerGroupSpecs": [{"groupName": "a", "suspend": True}]}}, "suspension"),
        ("RayService", {}, "refuses"),
        ("MPIJob", {"mpiReplicaSpecs": {"Worker": {}}}, "for 1"),
        ("SparkApplication", {"executor": {"instances": 1}, "dynamicAllocation": {"enabled": True}}, "begins"),
        ("SparkApplication", {"executor": {"instances": 1}}, None),
        ("SparkApplication", {"mode": "client", "executor": {"instances": 1}}, "no pod of its own"),
        ("RayCluster", {"workerGroupSpecs": [{"groupName": "a"}]}, "minReplicas"),
        ("RayCluster", {"workerGroupSpecs": [{"groupName": "a"}, {"groupName": "a"}]}, "twice"),
    ],
)
def test_a_difference_has_a_reason(kind: str, spec: Json, why: str | None) -> None:
    """Nothing is passed over that the two count alike."""
    found = differs(kind, spec)
    assert (why is None) == (found is None)
    assert why is None or why in str(found)


def test_samples_and_recordings_count_as_kueue_does(shared: Path) -> None:
    """Every real object of these kinds."""
    upstream = shared / "upstream"
    counted = 0
    for file in sorted(upstream.glob("*/samples/*.yaml")):
        for document in load_all(file.read_bytes())[0]:
            value = document.value
            if isinstance(value, dict) and value.get("spec"):
                counted += check(value)
    for file in sorted((upstream / "workload-map" / "recorded").glob("*.yaml")):
        for state in yaml.safe_load(file.read_text(encoding="utf-8"))["states"]:
            value = normalize(state["object"])
            assert isinstance(value, dict)
            counted += check(value)
    assert counted > len(POD_SETS)

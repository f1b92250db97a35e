"""The minimums that schedulers and frameworks assert in tests of their own, beside those of our groups.

A row is a situation of such a test, told by a manifest of our own: its facts and numbers, and nothing else of it. The
numbers of our groups are worked out from the rules, by hand. Where they are not those of the other side, `why` says
what is safer here: a group demands no pod that may not be there yet, it does not take what is wanted for what is
needed, and it is as wide as what restarts and communicates together (S11.6).

What is compared are pods. KAI asserts how many sub-groups are needed: that is as many pods as the smallest that will
do. Kueue asserts pod sets, all of which it admits at once: that is their sum. A kind without groups starts each pod
alone, as a group of one does. An object that the other side refuses has no minimum there.

Tests of: kai-scheduler/KAI-Scheduler d5bc503a, kubernetes-sigs/kueue ff69552e, volcano-sh/volcano ed72c7c8,
ray-project/kuberay feeaf72f, kubeflow/mpi-operator caa3c47f, kubeflow/trainer 8c0f5059, kubeflow/spark-operator
38082f33, kubernetes-sigs/lws 060ab4da, ai-dynamo/grove fcc3b3bb.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest

from workloadmap_spec import Catalog
from workloadmap_spec.schemas import map_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """A situation, what the test of it asserts, and what our groups must give.

    Attributes:
        title: The situation.
        test: The name of the test, and of its case.
        manifest: The object, or several, of which the first is read and the others are what it refers to.
        theirs: The minimums that the test asserts, one for each of its groups.
        ours: The minimum and the pods of each of our outermost groups, by its id.
        parts: Their minimum and ours of a sub-group, by its id, or of a member, by its group, component and instance.
        why: Why the numbers differ, if they do.

    """

    title: str
    test: str
    manifest: Json | tuple[Json, ...]
    theirs: tuple[int, ...]
    ours: Mapping[str, tuple[int | None, int | None]]
    parts: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    why: str = ""


#: Reasons that more than one row has.
CUT: Final = "no more pods than there are, or the group would never start"
TO_COME: Final = "what waits for the leader is not there yet, and a minimum that counts it would never be met"
NO_AUTOSCALER: Final = "without the autoscaler nobody adds the pods between minReplicas and replicas later"
ABSENT_REPLICAS: Final = "the operator takes minReplicas, by default 0, where replicas are left out"
AUTOSCALED: Final = "what is wanted is no minimum: the autoscaler starts from minReplicas"
SUBMITTER: Final = "the submitter is made when the cluster is ready, so the cluster cannot wait for it"
EXECUTORS: Final = "the driver makes the executors, so it must be able to start without them"
TASKS: Final = "the pods of a Job are tasks of their own unless it asks for more; Kueue tells quota, and not a minimum"
ONE_BY_ONE: Final = "a StatefulSet makes a pod when the one before is ready, and a rollout replaces them one by one"
DEFAULT_ONE: Final = "replicas that are left out are 1 for the operator"
IN_ORDER: Final = "with startup in order each list of Jobs starts for itself, and needs all of its own pods"
INITIALIZERS: Final = "the nodes are made when the initializers are done: together they would wait for ever"


def manifest(api_version: str, kind: str, spec: Json, **metadata: Json) -> Json:
    """An object, with labels or annotations."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "sample", **metadata}, "spec": spec}


def template(container: str = "main") -> Json:
    """A pod template of one container."""
    return {"spec": {"containers": [{"name": container, "image": "registry.example/main:1"}]}}


def given(**fields: Any) -> Json:  # noqa: ANN401 - JSON
    """Fields without those that are left out."""
    return {name: value for name, value in fields.items() if value is not None}


def job(parallelism: int, annotations: Json | None = None) -> Json:
    """A Job."""
    spec = {"parallelism": parallelism, "template": template()}
    return manifest("batch/v1", "Job", spec, annotations=annotations or {})


def jobs(
    name: str, replicas: int | None, parallelism: int, completions: int | None = None, **template_of: Json
) -> Json:
    """A list of Jobs of a JobSet; `metadata` is that of the Jobs."""
    spec = given(parallelism=parallelism, completions=completions, template=template())
    return given(name=name, replicas=replicas, template={**template_of, "spec": spec})


def jobset(*lists: Json, order: str | None = None, annotations: Json | None = None) -> Json:
    """A JobSet."""
    policy = order and {"startupPolicyOrder": order}
    spec = given(replicatedJobs=list(lists), startupPolicy=policy)
    return manifest("jobset.x-k8s.io/v1alpha2", "JobSet", spec, annotations=annotations or {})


def leaderworkerset(
    size: int | None, replicas: int | None = None, startup: str | None = None, **template_of: Json
) -> Json:
    """A LeaderWorkerSet; further fields are those of the template of a group."""
    group = given(size=size, workerTemplate=template(), **template_of)
    spec = given(replicas=replicas, startupPolicy=startup, leaderWorkerTemplate=group)
    return manifest("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec)


def segments(size: int, kind: str | None = None) -> Json:
    """What cuts a group of a LeaderWorkerSet up."""
    return given(subGroupSize=size, subGroupPolicyType=kind)


#: The annotations that ask KAI, Volcano and Kueue for a minimum.
KAI: Final = "kai.scheduler/batch-min-member"
VOLCANO: Final = "scheduling.volcano.sh/group-min-member"
KUEUE: Final = "kueue.x-k8s.io/job-min-parallelism"


#: Where a kind of Kubeflow has its replicas, and the container that its operator looks for.
KUBEFLOW: Final = {
    "JAXJob": ("jaxReplicaSpecs", "jax"),
    "MPIJob": ("mpiReplicaSpecs", "mpi"),
    "PaddleJob": ("paddleReplicaSpecs", "paddle"),
    "PyTorchJob": ("pytorchReplicaSpecs", "pytorch"),
    "TFJob": ("tfReplicaSpecs", "tensorflow"),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost"),
}


def kubeflow(
    kind: str, minimum: int | None = None, elastic: int | None = None, segment: int | None = None, **roles: int | None
) -> Json:
    """A job of Kubeflow.

    Args:
        kind: The kind.
        minimum: minAvailable of its policy.
        elastic: minReplicas of its elastic policy.
        segment: The pods of a segment of its workers, for KAI.
        roles: The replicas of each role.

    """
    member, container = KUBEFLOW[kind]
    specs = {role: given(replicas=replicas, template=template(container)) for role, replicas in roles.items()}
    if segment is not None:
        specs["Worker"]["template"]["metadata"] = {"annotations": {"kai.scheduler/segment-size": str(segment)}}
    spec = given(
        runPolicy=minimum and {"schedulingPolicy": {"minAvailable": minimum}},
        elasticPolicy=elastic and {"minReplicas": elastic, "maxReplicas": 100},
    )
    return manifest("kubeflow.org/v1", kind, {**spec, member: specs})


def mpi(workers: int | None, minimum: int | None = None, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    """An MPIJob of the MPI operator."""
    roles = given(Launcher=1, Worker=workers)
    value = kubeflow("MPIJob", minimum, **roles)
    return {**value, "apiVersion": "kubeflow.org/v2beta1", "spec": {**value["spec"], **fields}}


def workers(
    name: str, replicas: int | None = None, least: int | None = None, most: int | None = None, **fields: int
) -> Json:
    """A group of workers of a RayCluster."""
    return given(groupName=name, replicas=replicas, minReplicas=least, maxReplicas=most, template=template(), **fields)


def cluster(*groups: Json, autoscaling: bool | None = None) -> Json:
    """The spec of a RayCluster."""
    head = {"rayStartParams": {}, "template": template()}
    return given(enableInTreeAutoscaling=autoscaling, headGroupSpec=head, workerGroupSpecs=list(groups))


def raycluster(*groups: Json, autoscaling: bool | None = None, version: str = "v1") -> Json:
    """A RayCluster."""
    return manifest(f"ray.io/{version}", "RayCluster", cluster(*groups, autoscaling=autoscaling))


def rayjob(mode: str, spec: Json, version: str = "v1") -> Json:
    """A RayJob that makes a cluster."""
    spec = {"entrypoint": "python main.py", "submissionMode": mode, "rayClusterSpec": spec}
    return manifest(f"ray.io/{version}", "RayJob", spec)


def rayservice(spec: Json, version: str = "v1") -> Json:
    """A RayService."""
    return manifest(f"ray.io/{version}", "RayService", {"rayClusterConfig": spec})


def spark(executors: int, **fields: Any) -> Json:  # noqa: ANN401 - JSON
    """A SparkApplication."""
    spec = {"type": "Scala", "sparkVersion": "3.5.0", "image": "registry.example/spark:1", "driver": {}, **fields}
    return manifest("sparkoperator.k8s.io/v1beta2", "SparkApplication", {**spec, "executor": {"instances": executors}})


def clique(name: str, replicas: int, minimum: int) -> Json:
    """A clique of a PodCliqueSet."""
    spec = {"roleName": name, "replicas": replicas, "minAvailable": minimum, "podSpec": template()["spec"]}
    return {"name": name, "spec": spec}


def scaling_group(name: str, replicas: int, minimum: int, *cliques: str) -> Json:
    """A scaling group of a PodCliqueSet."""
    return {"name": name, "replicas": replicas, "minAvailable": minimum, "cliqueNames": list(cliques)}


def podcliqueset(replicas: int, cliques: list[Json], *groups: Json) -> Json:
    """A PodCliqueSet."""
    spec = {"replicas": replicas, "template": {"cliques": cliques, "podCliqueScalingGroups": list(groups)}}
    return manifest("grove.io/v1alpha1", "PodCliqueSet", spec)


def podgang(groups: dict[str, tuple[int, int]], packs: dict[str, list[str]] | None = None) -> Json:
    """A PodGang whose pods have all been made: the minimum and the pods of each of its groups, and what is packed."""
    spec = {
        "podgroups": [
            {
                "name": name,
                "minReplicas": minimum,
                "podReferences": [{"namespace": "team", "name": f"{name}-{index}"} for index in range(pods)],
            }
            for name, (minimum, pods) in groups.items()
        ],
        "topologyConstraintGroupConfigs": [
            {"name": name, "podGroupNames": members} for name, members in (packs or {}).items()
        ],
    }
    condition = {"type": "Initialized", "status": "True", "reason": "Ready", "message": ""}
    return {**manifest("scheduler.grove.io/v1alpha1", "PodGang", spec), "status": {"conditions": [condition]}}


def task(name: str | None, replicas: int, minimum: int | None = None, partitions: Json | None = None) -> Json:
    """A task of a Volcano Job."""
    return given(name=name, replicas=replicas, minAvailable=minimum, partitionPolicy=partitions, template=template())


def partitions(total: int, size: int, minimum: int | None = None) -> Json:
    """How a task of a Volcano Job is partitioned."""
    return given(totalPartitions=total, partitionSize=size, minPartitions=minimum)


def vcjob(*tasks: Json, minimum: int | None = None) -> Json:
    """A Volcano Job."""
    return manifest("batch.volcano.sh/v1alpha1", "Job", given(minAvailable=minimum, tasks=list(tasks)))


#: The Jobs of a runtime that prepare what the nodes need.
PREPARING: Final = ("dataset-initializer", "model-initializer")


def trainjob(
    nodes: int | None, steps: dict[str, int], *, by_policy: int | None = None, waits: bool = False
) -> tuple[Json, Json]:
    """A TrainJob and its runtime.

    Args:
        nodes: What the job says.
        steps: The Jobs of the runtime, and the pods that each of them says.
        by_policy: The nodes that the runtime says.
        waits: Whether the nodes wait for the initializers.

    """
    labels = {name: name for name in PREPARING} | {"node": "trainer"}
    lists = []
    for name, parallelism in steps.items():
        own = jobs(name, 1, parallelism)
        if name in labels:
            own["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": labels[name]}}
        if name == "node" and waits:
            own["dependsOn"] = [{"name": before, "status": "Complete"} for before in steps if before in PREPARING]
        lists.append(own)
    policy = by_policy and {"numNodes": by_policy}
    runtime = given(mlPolicy=policy, template={"spec": {"replicatedJobs": lists}})
    spec = given(runtimeRef={"name": "sample"}, trainer=nodes and {"numNodes": nodes})
    return (
        manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", spec),
        manifest("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", runtime),
    )


def replicated(kind: str, replicas: int, annotations: Json | None = None) -> Json:
    """A Deployment, a ReplicaSet or a StatefulSet."""
    labels = {"app": "sample"}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}}
    pods = {"metadata": {"labels": labels}, **template()}
    return manifest("apps/v1", kind, {**spec, "template": pods}, annotations=annotations or {})


def knative(annotations: Json) -> Json:
    """A Knative Service."""
    pods = {"metadata": {"annotations": annotations}, **template()}
    return manifest("serving.knative.dev/v1", "Service", {"template": pods})


def workflow() -> Json:
    """A Workflow of Argo."""
    pod = {"name": "main", "container": {"image": "registry.example/main:1"}}
    return manifest("argoproj.io/v1alpha1", "Workflow", {"entrypoint": "main", "templates": [pod]})


def steps() -> Json:
    """What a task of Tekton does."""
    return {"taskSpec": {"steps": [{"name": "main", "image": "registry.example/main:1"}]}}


def taskrun() -> Json:
    """A TaskRun of Tekton."""
    return manifest("tekton.dev/v1", "TaskRun", steps())


def pipelinerun(*names: str) -> Json:
    """A PipelineRun of Tekton, whose tasks run one after the other."""
    before: list[list[str]] = [[], *([name] for name in names)]
    tasks = [{"name": name, "runAfter": after, **steps()} for name, after in zip(names, before, strict=False)]
    return manifest("tekton.dev/v1", "PipelineRun", {"pipelineSpec": {"tasks": tasks}})


def appwrapper(*objects: Json) -> Json:
    """An AppWrapper."""
    parts = [{"template": value} for value in objects]
    return manifest("workload.codeflare.dev/v1beta2", "AppWrapper", {"components": parts})


def whole(minimum: int | None, pods: int | None = None, name: str = "workload") -> dict[str, tuple[int | None, int]]:
    """The one group of a workload, which by default needs all of its pods."""
    return {name: (minimum, pods if pods is not None else minimum or 0)}


AUTOSCALED_CLUSTER: Final = cluster(workers("a", 3, 2), workers("b", 3, 1), autoscaling=True)
#: That of KubeRay's own tests of batch schedulers.
SAMPLE: Final = workers("a", 2, 1, 4)
SAMPLE_OF_TWO_HOSTS: Final = workers("a", 2, 1, 4, numOfHosts=2)

#: The rows, by the project and the file of the tests.
TABLE: Final[dict[str, tuple[Row, ...]]] = {
    "KAI pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper_test.go": (
        Row("a JobSet of one Job needs the pods of the Job", "TestSingleReplicatedJobSingleReplica",
            jobset(jobs("worker", 1, 4)), (4,), whole(4), {"workload/job/worker/0": (4, 4)}),
        Row("a JobSet of three Jobs of one template needs the pods of each", "TestSingleReplicatedJobMultipleReplicas",
            jobset(jobs("worker", 3, 4)), (12,), whole(12),
            {f"workload/job/worker/{index}": (4, 4) for index in range(3)}),
        Row("a JobSet in any order needs all of its lists of Jobs", "TestMultipleReplicatedJobsAnyOrder",
            jobset(jobs("leader", 1, 1), jobs("worker", 2, 4), order="AnyOrder"), (9,), whole(9)),
        Row("a JobSet in order is a group for each of its lists of Jobs", "TestStartupPolicyInOrderRootMinSubGroup",
            jobset(jobs("leader", 1, 1), jobs("worker", 2, 4), order="InOrder"), (1,),
            {"stage/leader": (1, 1), "stage/worker": (8, 8)}, why=IN_ORDER),
        Row("an annotation that asks for more lists of Jobs than there are asks for all",
            "TestJobSetAnnotationClampedToReplicatedJobCount",
            jobset(jobs("a", 1, 1), jobs("b", 1, 1), annotations={KAI: "9"}), (2,),
            whole(2)),
        Row("a wish for some of the lists of Jobs leaves each on its own", "TestJobSetAnnotationOverridesRoot",
            jobset(jobs("a", 1, 1), jobs("b", 1, 1), jobs("c", 1, 1), annotations={KAI: "2"}), (2,),
            {f"stage/{name}": (1, 1) for name in "abc"}, why="which of them are needed no number of pods says"),
        Row("an annotation does not put together what starts in order", "TestJobSetAnnotationWinsOverInOrder",
            jobset(jobs("a", 1, 1), jobs("b", 1, 1), order="InOrder", annotations={KAI: "2"}),
            (2,), {"stage/a": (1, 1), "stage/b": (1, 1)},
            why="the pods of a later list are not there yet, whatever the annotation asks for"),
        Row("an annotation can ask for fewer pods than a Job makes", "TestTemplateAnnotationOverridesLeafMinMember",
            jobset(jobs("worker", 2, 8, metadata={"annotations": {KAI: "5"}})), (10,), whole(10, 16),
            {"workload/job/worker/0": (5, 5), "workload/job/worker/1": (5, 5)}),
        Row("a JobSet one of whose Jobs asks for what is no number has no minimum", "TestTemplateAnnotationUnparseable",
            jobset(jobs("worker", 1, 2, metadata={"annotations": {KAI: "abc"}})), (), whole(None, 2)),
        Row("a Job of a JobSet that asks for no pods holds nothing back", "TestTemplateAnnotationBelowOne",
            jobset(jobs("worker", 1, 2, metadata={"annotations": {KAI: "0"}})), (), whole(0, 2),
            why="KAI refuses less than 1 here, which of a Job it takes; what asks for nothing is no reason to wait"),
        Row("an annotation cannot ask for more pods than a Job makes",
            "TestTemplateAnnotationGreaterThanParallelismAccepted",
            jobset(jobs("worker", 1, 2, metadata={"annotations": {KAI: "10"}})), (10,),
            whole(2), {"workload/job/worker/0": (10, 2)}, why=CUT),
        Row("a list of Jobs that does not say how many is of one", "TestReplicasDefaultsToOne",
            jobset(jobs("worker", None, 2)), (2,), whole(2)),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/jobset/legacy_grouper_test.go": (
        Row("a JobSet that has a flat group of an older KAI needs all of its pods",
            "TestLegacyDetection_FlatPodGroupTriggersOldHandler", jobset(jobs("worker", 2, 4), order="AnyOrder"), (1,),
            whole(8), why="KAI keeps what an older release of it made; what communicates starts together"),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/leaderworkerset/lws_grouper_test.go": (
        Row("a group of a LeaderWorkerSet needs its leader and its workers", "TestGetPodGroupMetadata_LeaderCreated",
            leaderworkerset(3, startup="LeaderCreated"), (3,), whole(3, name="group/0"),
            {"group/0/leader": (1, 1), "group/0/worker": (2, 2)}),
        Row("a leader that its workers wait for needs nobody", "TestGetPodGroupMetadata_LeaderReady_LeaderPod",
            leaderworkerset(5, startup="LeaderReady"), (1,), whole(1, 5, "group/0"), {"group/0/leader": (1, 1)}),
        Row("a worker that is there when its leader is ready does not raise the minimum",
            "TestGetPodGroupMetadata_LeaderReady_WorkerPod", leaderworkerset(5, startup="LeaderReady"), (5,),
            whole(1, 5, "group/0"), {"group/0/worker": (4, 0)},
            why="groups depend on the workload, not on which pods are there; " + TO_COME),
        Row("a group of a leader alone needs one pod", "TestGetPodGroupMetadata_SubGroups_OnlyLeader",
            leaderworkerset(1, startup="LeaderCreated"), (1,), whole(1, name="group/0"), {"group/0/leader": (1, 1)}),
        Row("segments of two beside a leader add up to the group",
            "TestBuildSubGroups_Segmentation_Divisible_LeaderPod",
            leaderworkerset(5, startup="LeaderCreated", subGroupPolicy=segments(2)), (5,), whole(5, name="group/0"),
            {"group/0/leader": (1, 1), "group/0/worker": (4, 4)}),
        Row("segments of two with the leader in one of them add up to the group",
            "TestBuildSubGroups_Segmentation_NotDivisible_LeaderPod",
            leaderworkerset(4, startup="LeaderCreated", subGroupPolicy=segments(2)), (4,), whole(4, name="group/0"),
            {"group/0/leader": (1, 1), "group/0/worker": (3, 3)}),
        Row("segments without the leader add up to the group",
            "TestBuildSubGroups_Segmentation_LeaderExcluded_WorkerInFirstSegment",
            leaderworkerset(5, startup="LeaderCreated", subGroupPolicy=segments(2, "LeaderExcluded")), (5,),
            whole(5, name="group/0"), {"group/0/leader": (1, 1), "group/0/worker": (4, 4)}),
        Row("a last segment that is smaller counts as it is",
            "TestBuildSubGroups_Segmentation_TopologyPreferredOnly_LeaderIncluded_NotDivisible",
            leaderworkerset(5, startup="LeaderCreated", subGroupPolicy=segments(3)), (5,), whole(5, name="group/0"),
            {"group/0/leader": (1, 1), "group/0/worker": (4, 4)}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/pytorch/pytorch_grouper_test.go": (
        Row("a PyTorchJob needs its masters and its workers", "TestGetPodGroupMetadata_OnlyReplicas",
            kubeflow("PyTorchJob", Master=2, Worker=4), (6,), whole(6)),
        Row("an elastic PyTorchJob needs no more nodes than it has", "TestGetPodGroupMetadata_OnlyMinReplicas",
            kubeflow("PyTorchJob", elastic=66, Master=2, Worker=4), (66,), whole(6), why=CUT),
        Row("a PyTorchJob needs no more than it has, whatever its policy asks for",
            "TestGetPodGroupMetadata_OnlyMinAvailable", kubeflow("PyTorchJob", 33, Master=2, Worker=4), (33,), whole(6),
            why=CUT),
        Row("minAvailable above the pods is cut where the job is elastic too",
            "TestGetPodGroupMetadata_MinAvailableAndMinReplicas", kubeflow("PyTorchJob", 33, 66, Master=2, Worker=4),
            (33,), whole(6), why=CUT),
        Row("a PyTorchJob of masters needs them", "TestGetPodGroupMetadata_OnlyMasterReplicas",
            kubeflow("PyTorchJob", Master=2), (2,), whole(2)),
        Row("a PyTorchJob of workers needs them", "TestGetPodGroupMetadata_OnlyWorkerReplicas",
            kubeflow("PyTorchJob", Worker=4), (4,), whole(4)),
        Row("an elastic PyTorchJob of masters needs no more than there are",
            "TestGetPodGroupMetadata_OnlyMasterWithMinReplicas", kubeflow("PyTorchJob", elastic=66, Master=2), (66,),
            whole(2), why=CUT),
        Row("minAvailable of a PyTorchJob of workers is cut to them",
            "TestGetPodGroupMetadata_OnlyWorkerWithMinAvailable", kubeflow("PyTorchJob", 33, Worker=4), (33,), whole(4),
            why=CUT),
        Row("a PyTorchJob of segments needs all of them", "TestGetPodGroupMetadata_Segments_5Workers_2PerSegment",
            kubeflow("PyTorchJob", segment=2, Master=1, Worker=5), (6,), whole(6), {"workload/worker": (5, 5)}),
        Row("minReplicas of an elastic PyTorchJob count the master",
            "TestGetPodGroupMetadata_Segments_ElasticMinReplicas",
            kubeflow("PyTorchJob", elastic=5, segment=2, Master=1, Worker=8), (5,), whole(5, 9),
            {"workload/worker": (4, 4)}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/tensorflow/tensorflow-grouper_test.go": (
        Row("a TFJob of workers needs them", "TestGetPodGroupMetadata_WorkerOnly", kubeflow("TFJob", Worker=3), (3,),
            whole(3)),
        Row("a TFJob of parameter servers needs them", "TestGetPodGroupMetadata_PSOnly", kubeflow("TFJob", PS=2), (2,),
            whole(2)),
        Row("a TFJob needs workers and parameter servers", "TestGetPodGroupMetadata_WorkerAndPS",
            kubeflow("TFJob", Worker=4, PS=2), (6,), whole(6)),
        Row("a TFJob needs its chief", "TestGetPodGroupMetadata_WorkerPSChief",
            kubeflow("TFJob", Worker=4, PS=2, Chief=1), (7,), whole(7)),
        Row("a TFJob needs its evaluator", "TestGetPodGroupMetadata_AllReplicaTypes",
            kubeflow("TFJob", Worker=4, PS=2, Chief=1, Evaluator=1), (8,), whole(8)),
        Row("minAvailable of a TFJob wins over the sum",
            "TestGetPodGroupMetadata_RunPolicyMinAvailableOverridesReplicas", kubeflow("TFJob", 3, Worker=4, PS=2),
            (3,), whole(3, 6)),
        Row("a role of a TFJob that does not say how many is of one", "TestGetPodGroupMetadata_MissingReplicasField",
            kubeflow("TFJob", Worker=None), (), whole(1), why=DEFAULT_ONE),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/xgboost/xgboost-grouper_test.go": (
        Row("an XGBoostJob needs its master and its workers", "TestGetPodGroupMetadata_MasterAndWorker",
            kubeflow("XGBoostJob", Master=1, Worker=3), (4,), whole(4)),
        Row("an XGBoostJob needs all of its masters", "TestGetPodGroupMetadata_MultipleMasterAndWorker",
            kubeflow("XGBoostJob", Master=2, Worker=8), (10,), whole(10)),
        Row("minAvailable of an XGBoostJob wins over the sum", "TestGetPodGroupMetadata_RunPolicyOverridesReplicaSum",
            kubeflow("XGBoostJob", 2, Master=1, Worker=3), (2,), whole(2, 4)),
        Row("a master of an XGBoostJob that does not say how many is one",
            "TestGetPodGroupMetadata_MissingReplicasField", kubeflow("XGBoostJob", Master=None, Worker=2), (), whole(3),
            why=DEFAULT_ONE),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/jax/jax-grouper_test.go": (
        Row("a JAXJob needs its workers", "TestGetPodGroupMetadata_BasicWorkerReplicas", kubeflow("JAXJob", Worker=4),
            (4,), whole(4)),
        Row("a JAXJob of one worker needs it", "TestGetPodGroupMetadata_SingleWorkerReplica",
            kubeflow("JAXJob", Worker=1), (1,), whole(1)),
        Row("minAvailable of a JAXJob wins over its workers", "TestGetPodGroupMetadata_RunPolicyMinAvailable",
            kubeflow("JAXJob", 2, Worker=4), (2,), whole(2, 4)),
        Row("minAvailable of a wide JAXJob wins too", "TestGetPodGroupMetadata_RunPolicyOverridesReplicas",
            kubeflow("JAXJob", 10, Worker=100), (10,), whole(10, 100)),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/mpi/mpi-grouper_test.go": (
        Row("an MPIJob needs its launcher and its workers", "TestGetPodGroupMetadata/Basic pod group metadata", mpi(2),
            (3,), whole(3)),
        Row("an MPIJob of the training operator needs them too",
            "TestGetPodGroupMetadata/Basic pod group metadata, of version v1", kubeflow("MPIJob", Launcher=1, Worker=2),
            (3,), whole(3)),
        Row("workers of an MPIJob do not wait for a launcher that waits for them",
            "TestGetPodGroupMetadata/Delayed launcher policy with no launcher",
            mpi(2, launcherCreationPolicy="WaitForWorkersReady"), (2,), whole(2)),
        Row("a launcher that is there does not raise the minimum of the workers",
            "TestGetPodGroupMetadata/Delayed launcher policy with existing launcher",
            mpi(2, launcherCreationPolicy="WaitForWorkersReady"), (3,), whole(2),
            why="groups depend on the workload, not on which pods are there; the launcher comes after the workers"),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/ray/ray_grouper_test.go": (
        Row("an autoscaled RayCluster needs its head and minReplicas of its workers",
            "TestGetPodGroupMetadata_RayCluster_SubGroups_Default",
            manifest("ray.io/v1alpha1", "RayCluster", AUTOSCALED_CLUSTER), (4,), whole(4, 7),
            {"workload/head": (1, 1), "workload/worker/a": (2, 2), "workload/worker/b": (1, 1)}),
        Row("a RayCluster without autoscaling needs all of its workers",
            "TestGetPodGroupMetadata_RayCluster_NonAutoScaling",
            raycluster(workers("a", 3, 2), workers("b", 3, 1), version="v1alpha1"), (4,), whole(7), why=NO_AUTOSCALER),
        Row("a RayCluster does not wait for workers that are suspended",
            "TestGetPodGroupMetadata_RayCluster_SuspendedWorkers_SubGroups",
            raycluster(workers("a", 3, 2), workers("b", 3, 1, suspend=True)), (3,), whole(4),
            {"workload/head": (1, 1), "workload/worker/a": (2, 3)},
            why=NO_AUTOSCALER + "; those that are suspended count on neither side"),
        Row("a RayCluster of several hosts without autoscaling needs all of them",
            "TestGetPodGroupMetadata_RayCluster_NumOfHosts",
            raycluster(workers("a", 3, 2, numOfHosts=2), workers("b", 3, 1, numOfHosts=3)), (8,), whole(16),
            why=NO_AUTOSCALER),
        Row("named groups of workers without autoscaling are needed as a whole",
            "TestGetPodGroupMetadata_RayCluster_SubGroups_NamedWorkerGroups",
            raycluster(workers("gpu", 3, 2), workers("cpu", 3, 1), version="v1alpha1"), (4,), whole(7),
            {"workload/head": (1, 1), "workload/worker/gpu": (2, 3), "workload/worker/cpu": (1, 3)}, why=NO_AUTOSCALER),
        Row("a RayJob of v1alpha1 needs what its cluster needs", "TestGetPodGroupMetadata_RayJob",
            rayjob("HTTPMode", AUTOSCALED_CLUSTER, "v1alpha1"), (4,), whole(4, 7, "cluster/workload")),
        Row("a RayJob needs what its cluster needs", "TestGetPodGroupMetadata_RayJob_v1",
            rayjob("HTTPMode", AUTOSCALED_CLUSTER), (4,), whole(4, 7, "cluster/workload")),
        Row("a RayService needs what its cluster needs", "TestGetPodGroupMetadata_RayService",
            rayservice(AUTOSCALED_CLUSTER, "v1alpha1"), (4,), whole(4, 7, "cluster/workload")),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/job/job_grouper_test.go": (
        Row("a Job needs what its annotation asks for", "TestGetPodGroupMetadata_MinMemberOverride",
            job(5, {KAI: "3"}), (3,), whole(3, 5)),
        Row("a Job whose annotation is no number has no minimum",
            "TestGetPodGroupMetadata_MinMemberOverrideInvalid/non-numeric",
            job(1, {KAI: "abc"}), (), whole(None, 1)),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/grove/grove_grouper_test.go": (
        Row("a PodGang needs all of its groups", "TestGetPodGroupMetadata",
            podgang({"a": (4, 4), "b": (3, 3), "c": (5, 5)}), (12,), whole(12, name="gang"),
            {"gang/group/a": (4, 4), "gang/group/b": (3, 3), "gang/group/c": (5, 5)}),
        Row("a PodGang needs the minimum of each of its groups",
            "TestGetPodGroupMetadata_WithoutTopologyConstraintGroupConfigs", podgang({"a": (2, 2), "b": (3, 4)}), (5,),
            whole(5, 6, "gang"), {"gang/group/a": (2, 2), "gang/group/b": (3, 3)}),
        Row("groups of a PodGang that are packed together are needed together",
            "TestGetPodGroupMetadata_MultipleParentGroups",
            podgang({"a": (1, 1), "b": (2, 2), "c": (3, 3)}, {"one": ["a", "b"], "two": ["c"]}), (6,),
            whole(6, name="gang"), {"gang/pack/a": (3, 3), "gang/pack/c": (3, 3), "gang/pack/a/group/b": (2, 2)}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/knative/knative_test.go": (
        Row("a Knative Service without bounds starts each pod alone",
            "TestGetPodGroupMetadataBackwardsCompatibility/one pod service - default gang schedule", knative({}), (1,),
            {}),
        Row("a Knative Service that scales to zero starts each pod alone",
            "TestGetPodGroupMetadata_MinScale/min-scale=0", knative({"autoscaling.knative.dev/min-scale": "0"}), (0,),
            {}, why="a minimum of none is no gang either: without one a pod starts alone"),
        Row("a Knative Service starts as many pods as it always keeps", "TestGetPodGroupMetadata_MinScale/min-scale=3",
            knative({"autoscaling.knative.dev/min-scale": "3"}), (3,), {"revision": (3, None)}),
        Row("a Knative Service whose pods have groups already starts each alone",
            "TestGetPodGroupMetadataBackwardsCompatibility/one existing pod, existing non-gang podgroup",
            knative({"autoscaling.knative.dev/min-scale": "3"}), (1,), {"revision": (3, None)},
            why="the groups that were made by an older release are kept; a new Service has one of three"),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/deployment/deployment_test.go": (
        Row("a Deployment starts each pod alone", "TestGetPodGroupMetadata, a group for each pod",
            replicated("Deployment", 2), (1,), {}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/podjob/podjob_test.go": (
        Row("a Pod starts alone", "TestGetPodGroupMetadata_NonSparkMinAvailableIsOne",
            manifest("v1", "Pod", template()["spec"]), (1,), {}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/kubeflow/notebook/notebook_grouper_test.go": (
        Row("a Notebook is one pod", "TestGetPodGroupMetadata_MinAvailableIsOne",
            manifest("kubeflow.org/v1beta1", "Notebook", {"template": template()}), (1,), {}),
    ),
    "KAI pkg/podgrouper/podgrouper/plugins/defaultgrouper/default_grouper_owners_test.go": (
        Row("a Workflow of Argo starts each pod alone", "TestGetPodGroupMetadata_ArgoWorkflow",
            workflow(), (1,), {}),
        Row("a TaskRun of Tekton is one pod", "TestGetPodGroupMetadata_Tekton_TaskRun",
            taskrun(), (1,), {}),
        Row("a PipelineRun of Tekton starts each pod alone", "TestGetPodGroupMetadata_Tekton_PipelineRun",
            pipelinerun("hello", "goodbye"), (1,), {}),
    ),
    "Kueue pkg/controller/jobs/job/job_controller_test.go": (
        Row("a Job that asks for nothing starts with any of its pods", "TestPodSets/no partial admission", job(3), (3,),
            whole(1, 3), why=TASKS),
        Row("a Job needs the least parallelism that Kueue may admit it with", "TestPodSets/partial admission",
            job(3, {KUEUE: "2"}), (2,), whole(2, 3)),
    ),
    "Kueue pkg/controller/jobs/jobset/jobset_controller_test.go": (
        Row("a JobSet needs of each Job as many pods as run at once", "TestPodSets/no annotations",
            jobset(jobs("a", 2, 1, 1), jobs("b", 3, 2, 3)), (8,), whole(8),
            {"workload/job/a": (2, 2), "workload/job/b": (6, 6)}),
        Row("a JobSet needs all of three lists of Jobs",
            "TestPodSets/without required and preferred topology annotation if TAS is disabled",
            jobset(jobs("a", 2, 1, 1), jobs("b", 2, 1, 1), jobs("c", 3, 2, 3)), (10,), whole(10),
            {"workload/job/a": (2, 2), "workload/job/b": (2, 2), "workload/job/c": (6, 6)}),
    ),
    "Kueue pkg/controller/jobs/leaderworkerset/leaderworkerset_reconciler_test.go": (
        Row("a LeaderWorkerSet that says nothing is one pod", "TestReconciler/should create prebuilt workload",
            leaderworkerset(None), (1,), whole(1, name="group/0")),
        Row("a leader with a template of its own is needed beside its workers",
            "TestReconciler/should create prebuilt workload with leader template",
            leaderworkerset(3, leaderTemplate=template("leader")), (3,), whole(3, name="group/0"),
            {"group/0/leader": (1, 1), "group/0/worker": (2, 2)}),
        Row("two groups of a LeaderWorkerSet start each for itself",
            "TestReconciler/should create prebuilt workloads with leader template",
            leaderworkerset(3, 2, leaderTemplate=template("leader")), (3, 3), {"group/0": (3, 3), "group/1": (3, 3)},
            {"group/1/leader": (1, 1), "group/1/worker": (2, 2)}),
    ),
    "Kueue pkg/controller/jobs/kubeflow/jobs/jaxjob/jaxjob_controller_test.go": (
        Row("Kueue counts the worker of a JAXJob", "TestPodSets/no annotations", kubeflow("JAXJob", Worker=1), (1,),
            whole(1)),
    ),
    "Kueue pkg/controller/jobs/kubeflow/jobs/paddlejob/paddlejob_controller_test.go": (
        Row("a PaddleJob needs its master and its worker", "TestPodSets/no annotations",
            kubeflow("PaddleJob", Master=1, Worker=1), (2,), whole(2),
            {"workload/master": (1, 1), "workload/worker": (1, 1)}),
    ),
    "Kueue pkg/controller/jobs/kubeflow/jobs/pytorchjob/pytorchjob_controller_test.go": (
        Row("Kueue counts master and worker of a PyTorchJob", "TestPodSets/no annotations",
            kubeflow("PyTorchJob", Master=1, Worker=1), (2,), whole(2),
            {"workload/master": (1, 1), "workload/worker": (1, 1)}),
    ),
    "Kueue pkg/controller/jobs/kubeflow/jobs/tfjob/tfjob_controller_test.go": (
        Row("Kueue counts chief, parameter server and worker of a TFJob", "TestPodSets/no annotations",
            kubeflow("TFJob", Chief=1, PS=1, Worker=1), (3,), whole(3),
            {"workload/chief": (1, 1), "workload/ps": (1, 1), "workload/worker": (1, 1)}),
    ),
    "Kueue pkg/controller/jobs/kubeflow/jobs/xgboostjob/xgboostjob_controller_test.go": (
        Row("Kueue counts master and worker of an XGBoostJob", "TestPodSets/no annotations",
            kubeflow("XGBoostJob", Master=1, Worker=1), (2,), whole(2),
            {"workload/master": (1, 1), "workload/worker": (1, 1)}),
    ),
    "Kueue pkg/controller/jobs/mpijob/mpijob_controller_test.go": (
        Row("Kueue counts launcher and workers of an MPIJob", "TestPodSets/no annotations", mpi(3), (4,), whole(4),
            {"workload/launcher": (1, 1), "workload/worker": (3, 3)}),
    ),
    "Kueue pkg/controller/jobs/trainjob/trainjob_controller_test.go": (
        Row("a TrainJob needs all Jobs of its runtime that do not wait",
            "TestReconciler/workload is created with the corresponding podsets",
            trainjob(None, {"node": 1, "other": 1}), (2,), whole(2, name="stage/node"),
            {"stage/node/job/node": (1, 1), "stage/node/job/other": (1, 1)}),
        Row("a TrainJob needs as many nodes as it asks for",
            "TestReconciler/podset count for the trainer job is set to .Spec.Trainer.NumNodes",
            trainjob(2, {"node": 1, "other": 1}), (3,), whole(3, name="stage/node"),
            {"stage/node/job/node": (2, 2), "stage/node/job/other": (1, 1)}),
    ),
    "Kueue pkg/controller/jobs/raycluster/raycluster_controller_test.go": (
        Row("workers that do not say how many are as many as their minimum", "TestPodSets/no annotations",
            raycluster(workers("a"), workers("b", 3)), (5,), whole(4),
            {"workload/head": (1, 1), "workload/worker/b": (3, 3)}, why=ABSENT_REPLICAS),
    ),
    "Kueue pkg/controller/jobs/raycluster/common_test.go": (
        Row("a RayCluster needs its head and its workers",
            "TestBuildPodSets/basic spec with head and single worker group", raycluster(workers("a", 3)), (4,),
            whole(4), {"workload/head": (1, 1), "workload/worker/a": (3, 3)}),
        Row("a RayCluster needs two groups of workers", "TestBuildPodSets/spec with multiple worker groups",
            raycluster(workers("a", 2), workers("b", 5)), (8,), whole(8),
            {"workload/head": (1, 1), "workload/worker/a": (2, 2), "workload/worker/b": (5, 5)}),
        Row("a RayCluster whose workers do not say how many needs its head",
            "TestBuildPodSets/spec with worker group without replicas specified", raycluster(workers("a")), (2,),
            whole(1), why=ABSENT_REPLICAS),
        Row("a worker of two hosts is two pods", "TestBuildPodSets/spec with NumOfHosts > 1",
            raycluster(workers("a", 3, numOfHosts=2)), (7,), whole(7),
            {"workload/head": (1, 1), "workload/worker/a": (6, 6)}),
        Row("an autoscaled RayCluster without minimums needs its head",
            "TestBuildPodSets/autoscaler sidecar added to head podSet with default resources when in-tree autoscaling "
            "is enabled", raycluster(workers("a", 1), autoscaling=True), (2,), whole(1, 2),
            {"workload/head": (1, 1), "workload/worker/a": (1, 0)}, why=AUTOSCALED),
    ),
    "Kueue pkg/controller/jobs/rayjob/rayjob_controller_test.go": (
        Row("the cluster of a RayJob does not wait for the submitter",
            "TestPodSets/with submitter topology annotation not specified",
            rayjob("K8sJobMode", cluster(workers("a", 3))), (5,), whole(4, name="cluster/workload"),
            {"cluster/workload/head": (1, 1), "cluster/workload/worker/a": (3, 3)}, why=SUBMITTER),
        Row("workers of four hosts that do not say how many are none", "TestPodSets/with NumOfHosts > 1",
            rayjob("HTTPMode", cluster(workers("a", numOfHosts=4), workers("b", 3, numOfHosts=4))), (17,),
            whole(13, name="cluster/workload"),
            {"cluster/workload/head": (1, 1), "cluster/workload/worker/b": (12, 12)}, why=ABSENT_REPLICAS),
    ),
    "Kueue pkg/controller/jobs/rayservice/rayservice_controller_test.go": (
        Row("the cluster of a RayService needs all hosts of its workers", "TestPodSets/with NumOfHosts > 1",
            rayservice(cluster(workers("a", 2, numOfHosts=3))), (7,), whole(7, name="cluster/workload"),
            {"cluster/workload/head": (1, 1), "cluster/workload/worker/a": (6, 6)}),
    ),
    "Kueue pkg/controller/jobs/sparkapplication/sparkapplication_controller_test.go": (
        Row("a SparkApplication does not wait for its executors", "TestPodSets/base", spark(3), (4,), whole(1, 4),
            {"workload/driver": (1, 1), "workload/executor": (3, 0)}, why=EXECUTORS),
    ),
    "Kueue pkg/controller/jobs/statefulset/statefulset_reconciler_test.go": (
        Row("a StatefulSet of one pod is one pod",
            "TestReconciler/should create workload when replicas > 0 and workload doesn't exist",
            replicated("StatefulSet", 1), (1,), {}),
    ),
    "Kueue pkg/controller/jobs/pod/pod_controller_test.go": (
        Row("Kueue counts a Pod", "TestPodSets/no annotations", manifest("v1", "Pod", template()["spec"]), (1,), {}),
    ),
    "Kueue pkg/controller/jobs/appwrapper/appwrapper_controller_test.go": (
        Row("each part of an AppWrapper starts as its own kind does", "TestPodSets/no annotations",
            appwrapper(kubeflow("PyTorchJob", Master=1, Worker=4), job(2)), (7,),
            {"part/0/workload": (5, 5), "part/1/workload": (1, 2)},
            {"part/0/workload/master": (1, 1), "part/0/workload/worker": (4, 4)},
            why="the parts are made at once and their pods need not be; " + TASKS),
        Row("an AppWrapper of one PyTorchJob needs what that needs",
            "TestPodSets/with required and preferred topology annotation",
            appwrapper(kubeflow("PyTorchJob", Master=1, Worker=4)), (5,), whole(5, name="part/0/workload"),
            {"part/0/workload/master": (1, 1), "part/0/workload/worker": (4, 4)}),
    ),
    "Volcano pkg/controllers/podgroup/pg_controller_test.go": (
        Row("a Pod of nobody is a group of one",
            "TestAddPodGroup/AddPodGroup: pod has no ownerReferences or priorityClassName",
            manifest("v1", "Pod", template()["spec"]), (1,), {}),
        Row("a ReplicaSet starts each pod alone",
            "TestAddPodGroup/AddPodGroup: pod has ownerReferences and priorityClassName", replicated("ReplicaSet", 2),
            (1,), {}),
        Row("a StatefulSet starts each pod alone", "TestAddStatefulSet", replicated("StatefulSet", 1), (1,), {}),
        Row("a StatefulSet starts each pod alone, whatever its annotation asks for",
            "Test_createOrUpdateNormalPodPG/Case 1",
            replicated("StatefulSet", 2, {VOLCANO: "2"}), (2,), {}, why=ONE_BY_ONE),
        Row("a ReplicaSet needs what its annotation asks for",
            "TestAddPodGroup/AddPodGroup: pod owners with group-min-member annotation",
            replicated("ReplicaSet", 2, {VOLCANO: "2"}), (2,), whole(2)),
        Row("a ReplicaSet of three needs the three that its annotation asks for",
            "Test_pgcontroller_buildPodGroupFromPod/Scenario 2: Inherit upper resource annotations",
            replicated("ReplicaSet", 3, {VOLCANO: "3"}), (3,), whole(3)),
    ),
    "Volcano pkg/controllers/job/job_controller_actions_test.go": (
        Row("a task of partitions needs all of its pods",
            "TestCreatePodGroupIfNotExistFunc/CreatePodGroup success Case",
            vcjob(task("task1", 6, partitions=partitions(2, 3))), (6,), whole(6), {"workload/task/task1": (6, 6)}),
        Row("a task of partitions needs as many of them as it says",
            "TestCreatePodGroupIfNotExistFunc/CreatePodGroup success Case with MinPartitions",
            vcjob(task("task1", 6, partitions=partitions(2, 3, 1))), (3,), whole(3, 6),
            {"workload/task/task1": (3, 3)}),
    ),
    "Volcano pkg/webhooks/admission/jobs/mutate/mutate_job_test.go": (
        Row("minAvailable of a Volcano Job wins over what its tasks need", "TestCreatePatchExecution",
            vcjob(task(None, 1), task(None, 2, 1), task(None, 1, partitions=partitions(1, 1, 1)),
                  task(None, 1, partitions=partitions(1, 1)), minimum=1),
            (1,), whole(1, 5), {f"workload/task/default{index}": (1, None) for index in range(4)},
            why="Volcano passes over the minimums of tasks where the job needs fewer pods than their sum"),
        Row("two of three partitions of three pods are six pods",
            "TestMutateSpecPartitionPolicyDefaults/MinAvailable is set to MinPartitions * PartitionSize when "
            "PartitionPolicy exists", vcjob(task("task-1", 9, partitions=partitions(3, 3, 2))), (6,), whole(6, 9)),
        Row("partitions without a minimum are all needed",
            "TestMutateSpecPartitionPolicyDefaults/MinAvailable falls back to Replicas when PartitionPolicy is set "
            "but MinPartitions is omitted", vcjob(task("task-1", 4, partitions=partitions(2, 2))), (4,), whole(4)),
        Row("a task without a minimum needs all of its replicas",
            "TestMutateSpecPartitionPolicyDefaults/MinAvailable is set to Replicas when no PartitionPolicy",
            vcjob(task("task-1", 5)), (5,), whole(5)),
    ),
    "KubeRay ray-operator/controllers/ray/batchscheduler/volcano/volcano_scheduler_test.go": (
        Row("KubeRay tells Volcano of the head and of the workers that are wanted", "TestCreatePodGroupForRayCluster",
            raycluster(SAMPLE), (3,), whole(3)),
        Row("KubeRay tells Volcano of all hosts", "TestCreatePodGroupForRayCluster_NumOfHosts2",
            raycluster(SAMPLE_OF_TWO_HOSTS), (5,), whole(5)),
        Row("without autoscaling the replicas are needed", "TestCalculatePodGroupParams/Autoscaling disabled",
            raycluster(SAMPLE, autoscaling=False), (3,), whole(3)),
        Row("with autoscaling minReplicas are needed", "TestCalculatePodGroupParams/Autoscaling enabled",
            raycluster(SAMPLE, autoscaling=True), (2,), whole(2, 3)),
        Row("a RayJob that is submitted over HTTP needs its cluster",
            "TestCreatePodGroupForRayJob/No submitter pod resources", rayjob("HTTPMode", cluster(SAMPLE)), (3,),
            whole(3, name="cluster/workload")),
        Row("the submitter of a RayJob is in no minimum",
            "TestCreatePodGroupForRayJob/K8sJobMode includes submitter pod resources",
            rayjob("K8sJobMode", cluster(SAMPLE)), (3,), whole(3, name="cluster/workload")),
        Row("a submitter beside the head adds no pod",
            "TestCreatePodGroupForRayJob_NumOfHosts2/SidecarMode includes submitter pod resources",
            rayjob("SidecarMode", cluster(SAMPLE_OF_TWO_HOSTS)), (5,), whole(5, name="cluster/workload")),
        Row("a RayJob whose workers are all suspended needs its head",
            "TestCleanupOnCompletion/RayJob - RayCluster exists, recalculates PodGroup from live spec with worker "
            "suspended", rayjob("HTTPMode", cluster(workers("a", 2, 1, 4, suspend=True))), (1,),
            whole(1, name="cluster/workload")),
    ),
    "KubeRay ray-operator/controllers/ray/batchscheduler/scheduler-plugins/scheduler_plugins_test.go": (
        Row("KubeRay tells the scheduler plugins of the head and of the workers", "TestCreatePodGroup",
            raycluster(SAMPLE), (3,), whole(3)),
        Row("KubeRay tells the scheduler plugins of all hosts", "TestCreatePodGroupWithMultipleHosts",
            raycluster(SAMPLE_OF_TWO_HOSTS), (5,), whole(5)),
    ),
    "KubeRay ray-operator/controllers/ray/batchscheduler/yunikorn/yunikorn_scheduler_test.go": (
        Row("KubeRay tells YuniKorn of the hosts of minReplicas", "TestPropagateTaskGroupsAnnotationToPod",
            raycluster(workers("a", 2, 2, 2, numOfHosts=3)), (7,), whole(7),
            {"workload/head": (1, 1), "workload/worker/a": (6, 6)}),
        Row("a cluster does not wait for the submitter that YuniKorn is told of",
            "TestPropagateTaskGroupsAnnotationToRayClusterAndSubmitterPodTemplate",
            rayjob("K8sJobMode", cluster(workers("a", 1, 1, 1))), (3,), whole(2, name="cluster/workload"),
            {"cluster/workload/head": (1, 1), "cluster/workload/worker/a": (1, 1)}, why=SUBMITTER),
    ),
    "KubeRay ray-operator/controllers/ray/batchscheduler/kubernetes-was/v1alpha2/kubernetes_was_v1alpha2_test.go": (
        Row("a RayCluster without workers needs its head", "TestBuildClusterSchedulingPolicy/head only", raycluster(),
            (1,), whole(1)),
        Row("a gang of Kubernetes is the head and the workers",
            "TestBuildClusterSchedulingPolicy/single worker group counts head plus replicas",
            raycluster(workers("a", 3)), (4,), whole(4)),
        Row("a gang of Kubernetes is of all groups of workers",
            "TestBuildClusterSchedulingPolicy/multiple worker groups sum replicas",
            raycluster(workers("a", 1), workers("b", 2)), (4,), whole(4)),
        Row("a gang of Kubernetes is of all hosts",
            "TestBuildClusterSchedulingPolicy/multi-host replicas multiply by num of hosts",
            raycluster(workers("a", 3, numOfHosts=2)), (7,), whole(7)),
        Row("workers that are suspended are in no gang",
            "TestBuildClusterSchedulingPolicy/suspended worker group contributes zero",
            raycluster(workers("a", 1, 1, 1, suspend=True)), (1,), whole(1)),
    ),
    "KubeRay ray-operator/controllers/ray/utils/util_test.go, beside the head": (
        Row("workers that do not say how many are minReplicas",
            "TestCalculateDesiredReplicas/Both groups' Replicas are nil",
            raycluster(workers("a", None, 1, 5), workers("b", None, 2, 5)), (1 + 3,), whole(4)),
        Row("replicas are held between their bounds",
            "TestCalculateDesiredReplicas/Group1's Replicas is smaller than MinReplicas, and Group2's Replicas is "
            "more than MaxReplicas.", raycluster(workers("a", 0, 2, 5), workers("b", 6, 2, 5)), (1 + 7,), whole(8)),
        Row("minimums of an autoscaled cluster count hosts",
            "TestCalculateMinAndMaxReplicas/Two worker groups: one with a single host, one with two hosts",
            raycluster(workers("a", None, 4, 4), workers("b", None, 3, 3, numOfHosts=2), autoscaling=True), (1 + 10,),
            whole(11)),
    ),
    "MPI operator pkg/controller/podgroup_test.go": (
        Row("minAvailable of an MPIJob wins over the sum", "TestNewPodGroup/all schedulingPolicy fields are set",
            mpi(1000, 2), (2,), whole(2, 1001)),
        Row("an MPIJob without a policy needs all of its pods", "TestNewPodGroup/schedulingPolicy is nil", mpi(2), (3,),
            whole(3)),
        Row("an MPIJob without workers needs its launcher", "TestNewPodGroup/no worker no MinResources",
            mpi(None, 1, runLauncherAsWorker=True), (1,), whole(1)),
    ),
    "Trainer pkg/runtime/framework/plugins/coscheduling/coscheduling_test.go": (
        Row("a TrainJob of two nodes needs both", "TestCoScheduling/succeeded to build PodGroup with MinResources",
            trainjob(2, {"node": 2}), (2,), whole(2, name="stage/node")),
        Row("nodes of a TrainJob do not wait together with what they wait for",
            "TestCoScheduling/succeeded to build PodGroup with multiple PodSets",
            trainjob(2, {"dataset-initializer": 1, "node": 2}, waits=True), (3,),
            {"stage/dataset-initializer": (1, 1), "stage/node": (2, 2)}, why=INITIALIZERS),
    ),
    "Trainer pkg/runtime/framework/plugins/volcano/volcano_test.go": (
        Row("a TrainJob of launcher and workers needs all of them",
            "TestVolcano/PodGroup exists but trainjob suspended", trainjob(None, {"launcher": 1, "worker": 4}), (5,),
            whole(5, name="stage/launcher")),
    ),
    "Trainer pkg/runtime/core/trainingruntime_test.go": (
        Row("a TrainJob whose Jobs do not wait for each other is one group",
            "TestTrainingRuntimeNewObjects/succeeded to build PodGroup and JobSet with NumNodes from the TrainJob and "
            "container from the Runtime.", trainjob(30, {**dict.fromkeys(PREPARING, 1), "node": 1}, by_policy=100),
            (32,), whole(32, name="stage/dataset-initializer")),
    ),
    "Trainer pkg/runtime/core/clustertrainingruntime_test.go": (
        Row("a hundred nodes of a TrainJob do not wait together with the initializers",
            "TestClusterTrainingRuntimeNewObjects/succeeded to build PodGroup and JobSet with NumNodes from the "
            "Runtime and container from the Trainer.",
            trainjob(None, {**dict.fromkeys(PREPARING, 1), "node": 1}, by_policy=100, waits=True), (102,),
            {"stage/dataset-initializer": (2, 2), "stage/node": (100, 100)}, why=INITIALIZERS),
    ),
    "LWS pkg/schedulerprovider/volcano_provider_test.go": (
        Row("a LeaderWorkerSet tells Volcano of the whole group",
            "TestVolcanoProvider_CreatePodGroupIfNotExists/create podgroup for LeaderCreated policy",
            leaderworkerset(3, startup="LeaderCreated"), (3,), whole(3, name="group/0")),
        Row("a LeaderWorkerSet tells Volcano of the leader alone where the workers wait for it",
            "TestVolcanoProvider_CreatePodGroupIfNotExists/create podgroup for LeaderReady policy",
            leaderworkerset(3, startup="LeaderReady"), (1,), whole(1, 3, "group/0")),
        Row("a LeaderWorkerSet without a policy starts as a whole",
            "TestVolcanoProvider_CreatePodGroupIfNotExists/create podgroup inherit volcano annotations",
            leaderworkerset(3), (3,), whole(3, name="group/0")),
    ),
    "Spark operator internal/scheduler/kubescheduler/scheduler_test.go": (
        Row("the driver of a SparkApplication starts alone", "TestScheduleCreatesPodGroupAndLabelsApp", spark(2), (1,),
            whole(1, 3)),
    ),
    "Spark operator internal/scheduler/yunikorn/scheduler_test.go": (
        Row("a driver does not wait for the executors that YuniKorn is told of", "TestSchedule/spark-pi-yunikorn",
            spark(2), (3,), whole(1, 3), {"workload/driver": (1, 1), "workload/executor": (2, 0)}, why=EXECUTORS),
        Row("a driver does not wait for the executors that it begins with",
            "TestSchedule/Dynamic allocation and memory overhead",
            spark(4, dynamicAllocation={"enabled": True, "initialExecutors": 8, "minExecutors": 2}), (9,), whole(1, 9),
            {"workload/driver": (1, 1), "workload/executor": (8, 0)}, why=EXECUTORS),
    ),
    "Grove operator/internal/controller/podcliqueset/components/podgang/syncflow_test.go": (
        Row("replicas of a scaling group above its minimum are groups of their own",
            "TestMinAvailableWithHPAScaling/Scale up from 2 to 4 with minAvailable=1",
            podcliqueset(1, [clique("a", 2, 2)], scaling_group("sg", 4, 1, "a")), (2, 2, 2, 2),
            {"base/0": (2, 2), **{f"scaled/0/sg/{index}": (2, 2) for index in (1, 2, 3)}}),
        Row("replicas of a scaling group up to its minimum are one group",
            "TestMinAvailableWithHPAScaling/Scale up from 3 to 6 with minAvailable=2",
            podcliqueset(1, [clique("a", 2, 2)], scaling_group("sg", 6, 2, "a")), (4, 2, 2, 2, 2),
            {"base/0": (4, 4), **{f"scaled/0/sg/{index}": (2, 2) for index in (2, 3, 4, 5)}}),
        Row("a scaling group at its minimum is one group",
            "TestMinAvailableWithHPAScaling/Scale to exactly minAvailable",
            podcliqueset(1, [clique("a", 2, 2)], scaling_group("sg", 2, 2, "a")), (4,), whole(4, name="base/0")),
        Row("each of two scaling groups grows by groups of its own",
            "TestComputeExpectedPodGangs/Multiple PCSGs in one PCS replica",
            podcliqueset(1, [clique("a", 2, 2), clique("b", 2, 2)],
                         scaling_group("sg-a", 3, 1, "a"), scaling_group("sg-b", 2, 1, "b")),
            (4, 2, 2, 2),
            {"base/0": (4, 4), "scaled/0/sg-a/1": (2, 2), "scaled/0/sg-a/2": (2, 2), "scaled/0/sg-b/1": (2, 2)}),
        Row("the cliques of a scaling group start together", "TestComputeExpectedPodGangs/Multiple cliques in one PCSG",
            podcliqueset(1, [clique("a", 2, 2), clique("b", 1, 1)], scaling_group("sg", 3, 1, "a", "b")), (3, 3, 3),
            {"base/0": (3, 3), "scaled/0/sg/1": (3, 3), "scaled/0/sg/2": (3, 3)}),
        Row("each copy of a PodCliqueSet is a group, of which its minimum is needed",
            "TestComputeExpectedPodGangs/Simple PCS with standalone PCLQs only", podcliqueset(2, [clique("a", 3, 2)]),
            (2, 2), {"base/0": (2, 3), "base/1": (2, 3)}),
    ),
    "Grove operator/internal/scheduler/volcano/backend_test.go": (
        Row("Grove tells Volcano of the minimums of a PodGang", "TestBackend_SyncPodGang",
            podgang({"worker": (2, 3), "ps": (3, 3)}), (5,), whole(5, 6, "gang"),
            {"gang/group/worker": (2, 2), "gang/group/ps": (3, 3)}),
    ),
}  # fmt: skip

ROWS: Final = tuple(row for rows in TABLE.values() for row in rows)


def minimums_of_parts(group: Json) -> Iterator[tuple[str, int | None]]:
    """Each sub-group of a group, however deep, and each member of the group itself; a member by its group."""
    for member in group["members"]:
        own = () if member["instance"] == member["component"] else (member["instance"],)
        yield "/".join((group["id"], member["component"], *own)), member.get("minPods")
    for subgroup in group.get("subgroups", []):
        yield subgroup["id"], subgroup.get("minMember")
        yield from minimums_of_parts(subgroup)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_groups_need_what_is_safe(row: Row) -> None:
    """The groups of the manifest, as the row has them."""
    workload, *others = row.manifest if isinstance(row.manifest, tuple) else (row.manifest,)
    workload_map = Catalog.builtin().read(workload, references=others).to_dict()
    assert map_problems(workload_map) == []
    groups = workload_map.get("gang", {}).get("groups", [])
    assert {group["id"]: (group.get("minMember"), group.get("pods")) for group in groups} == row.ours
    found = dict(part for group in groups for part in minimums_of_parts(group))
    assert {name: found[name] for name in row.parts} == {name: ours for name, (_, ours) in row.parts.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_a_difference_has_a_reason(row: Row) -> None:
    """A row whose numbers are not those of the other side says why, and no other does."""
    ours = Counter(minimum for minimum, _ in row.ours.values() if minimum is not None) if row.ours else Counter([1])
    alike = ours == Counter(row.theirs) and all(theirs == ours for theirs, ours in row.parts.values())
    assert alike == (row.why == "")


def test_rows_are_told_apart() -> None:
    """No title is there twice, and no test of one file."""
    assert len({row.title for row in ROWS}) == len(ROWS)
    assert all(len({row.test for row in rows}) == len(rows) for rows in TABLE.values())

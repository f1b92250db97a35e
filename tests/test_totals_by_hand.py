"""The pods of upstream sample objects, counted by hand from the rules of each framework."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import shipped_kinds
from workloadmap_spec import Catalog
from workloadmap_spec.documents import load_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = shipped_kinds()

FOLDERS = (
    "appwrapper",
    "dynamo",
    "flink-kubernetes-operator",
    "grove",
    "jobset",
    "knative-serving",
    "kserve",
    "kubeflow-training-v1",
    "kuberay",
    "kubernetes-apps",
    "kubernetes-batch",
    "kueue",
    "lws",
    "milvus",
    "mpi-operator",
    "spark-operator",
    "trainer",
    "volcano",
)


@dataclass(frozen=True)
class Sample:
    """One object of a sample file, by its number among the documents of the file, and its pods.

    Where `unknown` names what the object cannot tell, the pods are the least that there are.
    """

    path: str
    index: int
    pods: int
    why: str
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The id of the test."""
        return f"{self.path}#{self.index}-has-{self.pods}-pods"


#: An autoscaler owns the count, and a serving runtime gives a part of the template.
SERVED = ("podTemplate", "replicas")

# A JobSet has, for each list of Jobs, replicas (default 1) times the smaller of parallelism (default 1) and completions
# (default parallelism). A LeaderWorkerSet has replicas times size, the leaders included. A RayCluster has a head, and
# for each group replicas, held between minReplicas and maxReplicas, times numOfHosts (default 1).
SAMPLES = [
    Sample("jobset/constructed-jobset-running.yaml", 0, 9, "one leader, and two Jobs of four pods"),
    Sample("jobset/constructed-jobset-running.yaml", 1, 8, "two Jobs of four pods; suspension changes no count"),
    Sample("jobset/constructed-jobset-running.yaml", 2, 2, "one Job of two pods; failure changes no count"),
    Sample("jobset/coordinator.yaml", 0, 5, "replicas left out: one Job of four pods and one of one"),
    Sample("jobset/exclusive-placement.yaml", 0, 9, "three Jobs of three pods"),
    Sample("jobset/group.yaml", 0, 4, "two lists of one Job of two pods; group names change nothing"),
    Sample("jobset/in-place-restart.yaml", 0, 4, "two Jobs of two pods; the agent is a sidecar of each"),
    Sample("jobset/multiple-depends-on.yaml", 0, 6, "two Jobs of one pod, and later one of four"),
    Sample("jobset/restartjob-action.yaml", 0, 4, "two lists of one Job of two pods"),
    Sample("jobset/startup-driver-ready.yaml", 0, 5, "replicas left out: one pod, and in order one Job of four"),
    Sample("jobset/success-policy.yaml", 0, 3, "one leader, and one Job of two pods"),
    Sample("lws/lws-exclusive-placement.yaml", 0, 12, "three groups of four"),
    Sample("lws/lws-multi-template.yaml", 0, 12, "three groups of four, whose leaders have their own template"),
    Sample("lws/lws-rollout-strategy.yaml", 0, 16, "four groups of four; the surge of a rollout is not counted"),
    Sample("lws/lws-vllm-gpu.yaml", 0, 4, "two groups of two"),
    Sample("lws/lws-volcano.yaml", 0, 8, "two groups of four"),
    Sample("lws/lws-worker-template-only.yaml", 0, 12, "three groups of four, leaders made from the workers' template"),
    Sample(
        "knative-serving/service-init-containers.yaml", 0, 0, "scaled to zero unless there is traffic", ("replicas",)
    ),
    Sample("knative-serving/service-min-max-scale.yaml", 0, 50, "minScale is the least", ("replicas",)),
    Sample(
        "knative-serving/service-multi-container.yaml", 0, 0, "scaled to zero unless there is traffic", ("replicas",)
    ),
    Sample("knative-serving/status-degraded.yaml", 0, 0, "an empty spec has no revision to make"),
    Sample("knative-serving/status-healthy.yaml", 0, 0, "an empty spec has no revision to make"),
    Sample("knative-serving/status-progressing.yaml", 0, 0, "an empty spec has no revision to make"),
    Sample("kserve/inferencegraph-sequence.yaml", 0, 1, "minReplicas is 1 by default", SERVED),
    Sample("kserve/inferencegraph-sequence.yaml", 1, 1, "minReplicas is 1 by default", SERVED),
    Sample("kserve/isvc-canary-traffic.yaml", 0, 1, "minReplicas is 1 by default", SERVED),
    Sample("kserve/isvc-custom-collocated-transformer.yaml", 0, 1, "two containers of one pod", ("replicas",)),
    Sample("kserve/isvc-legacy-sklearn.yaml", 0, 1, "minReplicas is 1 by default", SERVED),
    Sample("kserve/isvc-model-explainer-art.yaml", 0, 2, "a predictor and an explainer at least", SERVED),
    Sample("kserve/isvc-status-degraded.yaml", 0, 0, "no predictor, which the API server would refuse"),
    Sample("kserve/isvc-status-healthy-modelmesh.yaml", 0, 0, "no predictor"),
    Sample("kserve/isvc-status-healthy-raw.yaml", 0, 0, "no predictor", ("podTemplate",)),
    Sample("kserve/isvc-status-healthy.yaml", 0, 0, "no predictor"),
    Sample("kserve/isvc-status-progressing.yaml", 0, 0, "no predictor"),
    Sample("kserve/isvc-status-stopped.yaml", 0, 0, "no predictor", ("podTemplate",)),
    Sample("kserve/isvc-transformer-legacy-pytorch.yaml", 0, 2, "a predictor and a transformer at least", SERVED),
    Sample("kubernetes-batch/cronjob.yaml", 0, 0, "no run is active"),
    Sample("kubernetes-batch/job-scalable.yaml", 0, 3, "parallelism 3 of 100 completions"),
    Sample("kubernetes-batch/job-success-policy.yaml", 0, 10, "parallelism 10 of 10; success may come earlier"),
    Sample("kubernetes-batch/job-work-queue.yaml", 0, 2, "parallelism 2 without completions: both run"),
    Sample("kubernetes-batch/status-job-active.yaml", 0, 1, "parallelism 1 of 1"),
    Sample("kubernetes-batch/status-job-failed-indexes.yaml", 0, 3, "parallelism 3 of 10; failure changes no count"),
    Sample("kubernetes-apps/status-deployment-degraded.yaml", 0, 1, "replicas 1; a surge is not counted"),
    Sample("kubernetes-apps/status-deployment-progressing.yaml", 0, 1, "replicas 1"),
    Sample("kubernetes-apps/status-deployment-suspended.yaml", 0, 1, "replicas 1; pausing the rollout removes no pod"),
    Sample("kubernetes-apps/status-pod-crashloop.yaml", 0, 1, "a pod is one pod"),
    Sample("kubernetes-apps/status-pod-failed.yaml", 0, 1, "a pod is one pod"),
    Sample("kubernetes-apps/status-pod-pending.yaml", 0, 1, "a pod is one pod"),
    Sample("kubernetes-apps/status-pod-running-not-ready.yaml", 0, 1, "a pod is one pod"),
    Sample("kubernetes-apps/status-pod-succeeded.yaml", 0, 1, "a pod is one pod"),
    Sample("kubernetes-apps/status-statefulset.yaml", 0, 1, "replicas 1"),
    Sample("kuberay/ray-cluster.autoscaler-v2.yaml", 0, 1, "the head; replicas 0 is a number"),
    Sample("kuberay/ray-cluster.sample.yaml", 0, 2, "the head and one worker"),
    Sample("kuberay/ray-cluster.tpu-v4-multihost.yaml", 0, 3, "the head, and one replica of two hosts"),
    Sample("kuberay/ray-cluster.yunikorn-scheduler.yaml", 0, 3, "the head and two workers"),
    Sample("kuberay/status-raycluster.yaml", 0, 2, "the head and one worker"),
    Sample("milvus/hpa.yaml", 0, 4, "the proxy's count is an autoscaler's", ("replicas",)),
    Sample("milvus/hpa.yaml", 2, 4, "the count of the data nodes' one group is an autoscaler's", ("replicas",)),
    Sample("milvus/milvus_cluster_4coords.yaml", 0, 8, "before 2.6: four coordinators, three kinds of nodes, a proxy"),
    Sample("milvus/milvus_cluster_default.yaml", 0, 5, "2.6: one coordinator, three kinds of nodes, a proxy"),
    Sample("milvus/milvus_default.yaml", 0, 1, "stand-alone"),
    Sample("milvus/milvus_deployment_groups.yaml", 0, 13, "groups of 2, 4, 4 and 2, and a coordinator"),
    Sample("milvus/milvus_resource.yaml", 0, 1, "stand-alone"),
    Sample(
        "milvus/milvus_streaming_node.yaml", 0, 5, "before 2.6, nothing asks for streaming nodes: index nodes instead"
    ),
    Sample("kubeflow-training-v1/pytorchjob-elastic.yaml", 0, 2, "two workers, no master; bounds are no count"),
    Sample("kubeflow-training-v1/pytorchjob-simple.yaml", 0, 2, "a master and a worker"),
    Sample("kubeflow-training-v1/status-pytorchjob-succeeded.yaml", 0, 4, "a master and three workers"),
    Sample("appwrapper/constructed-appwrapper-running.yaml", 0, 2, "a Job of two pods"),
    Sample("appwrapper/wrapped-deployment.yaml", 0, 2, "two replicas"),
    Sample("appwrapper/wrapped-failing-job.yaml", 0, 1, "parallelism by default"),
    Sample("appwrapper/wrapped-jobset.yaml", 0, 5, "two Jobs of two pods and one of one"),
    Sample("appwrapper/wrapped-leader-worker-set.yaml", 0, 6, "two groups of three; its podSets say five"),
    Sample("appwrapper/wrapped-pytorch-job.yaml", 0, 3, "a master and two workers"),
    Sample("dynamo/dgd-v1alpha1-disagg-multinode.yaml", 0, 5, "1 + 1 x 2 + 1 x 2"),
    Sample("flink-kubernetes-operator/autoscaling.yaml", 0, 2, "parallelism 1 on four slots", ("replicas",)),
    Sample("flink-kubernetes-operator/basic-reactive.yaml", 0, 2, "parallelism 2 on two slots"),
    Sample("flink-kubernetes-operator/basic-session-deployment-and-job.yaml", 0, 1, "a session", ("replicas",)),
    Sample("flink-kubernetes-operator/basic.yaml", 0, 2, "parallelism 2 on two slots"),
    Sample("flink-kubernetes-operator/pod-template.yaml", 0, 2, "parallelism 2 on two slots"),
    Sample("flink-kubernetes-operator/status-running-recorded.yaml", 0, 2, "parallelism 2 on two slots"),
    Sample("grove/pcs-explicit-startup-order.yaml", 0, 9, "3 + 2 + 2 + 2", ("replicas",)),
    Sample("grove/pcs-multinode-disaggregated-with-frontend.yaml", 0, 13, "2 + 2 x (1 + 3) + 1 x (1 + 2)"),
    Sample("grove/pcs-simple1.yaml", 0, 9, "3 + 2 + 1 x (2 + 2)", ("replicas",)),
    Sample("grove/pcs-single-node-disaggregated.yaml", 0, 5, "3 + 2"),
    Sample("kuberay/ray-job.interactive-mode.yaml", 0, 2, "the head and one worker; the user submits"),
    Sample("kuberay/ray-job.kueue-toy-sample.yaml", 0, 3, "the head, one worker and the default submitter"),
    Sample("kuberay/ray-job.light-weight-submitter.yaml", 0, 3, "the head, one worker and a submitter"),
    Sample("kuberay/ray-job.sidecar-mode.yaml", 0, 2, "the submitter is a container of the head; one worker"),
    Sample("kuberay/ray-job.use-existing-raycluster.yaml", 0, 1, "the submitter only", ("podTemplate",)),
    Sample("kuberay/ray-job.volcano-scheduler-queue.yaml", 1, 4, "the head, two workers and the submitter"),
    Sample("kuberay/ray-service.sample.yaml", 0, 2, "the head and one worker"),
    Sample("kuberay/status-rayjob.yaml", 0, 4, "the head, two workers and the submitter"),
    Sample("kuberay/status-rayservice.yaml", 0, 1, "the head only"),
    Sample("kueue/kueue-pod-group.yaml", 0, 1, "a pod is one pod, of whatever group"),
    Sample("kueue/kueue-pod-group.yaml", 1, 1, "a pod is one pod, of whatever group"),
    Sample("kueue/ray-cluster-sample.yaml", 0, 2, "the head and one worker"),
    Sample("kueue/sample-cronjob.yaml", 0, 0, "no run is active"),
    Sample("kueue/sample-job-partial-admission.yaml", 0, 20, "parallelism 20; fewer may be admitted"),
    Sample("kueue/sample-job.yaml", 0, 3, "parallelism 3 of 3"),
    Sample("kueue/sample-jobset-tas-sliced.yaml", 0, 8, "slices change no count"),
    Sample("kueue/sample-jobset.yaml", 0, 2, "two Jobs of one pod"),
    Sample("kueue/sample-mpijob.yaml", 0, 3, "a launcher and two workers"),
    Sample("kueue/sample-scalable-job.yaml", 0, 3, "parallelism 3"),
    Sample("kueue/sample-sparkapplication.yaml", 0, 3, "a driver and two executors", ("podTemplate",)),
    Sample("mpi-operator/pi-intel.yaml", 0, 3, "a launcher and two workers, whatever the MPI"),
    Sample("mpi-operator/pi.yaml", 0, 3, "a launcher and two workers"),
    Sample("mpi-operator/status-mpijob-succeeded.yaml", 0, 2, "a launcher and a worker; two slots are no pods"),
    Sample("mpi-operator/tensorflow-mnist.yaml", 0, 3, "a launcher and two workers"),
    # With dynamic allocation the largest of initialExecutors, minExecutors and instances.
    Sample("spark-operator/spark-pi-dynamic-allocation.yaml", 0, 3, "the driver, and 2 of 2, 1 and 1"),
    Sample("spark-operator/spark-pi-pod-template.yaml", 4, 2, "the driver and an executor"),
    Sample("spark-operator/spark-pi-python.yaml", 0, 2, "the driver and an executor"),
    Sample("spark-operator/spark-pi-volcano.yaml", 0, 3, "the driver and two executors"),
    Sample("spark-operator/spark-pi-yunikorn.yaml", 0, 3, "the driver and two executors"),
    Sample("spark-operator/spark-pi.yaml", 0, 2, "the driver and an executor"),
    Sample("spark-operator/status-argocd-degraded.yaml", 0, 5, "the driver and four executors"),
    Sample("spark-operator/status-argocd-healthy.yaml", 0, 5, "the driver and four executors"),
    Sample(
        "spark-operator/status-argocd-healthy_dynamic_alloc_operator_api.yaml", 0, 5, "the driver, and 4 of 2, 2, 4"
    ),
    Sample("spark-operator/status-argocd-progressing.yaml", 0, 5, "the driver and four executors"),
    Sample("spark-operator/status-completed.yaml", 0, 4, "the driver, and 3 of 3, 3 and 2"),
    Sample("trainer/constructed-trainjob-running.yaml", 0, 3, "numNodes 3 of the job"),
    Sample("trainer/trainjob-01-multi-node.yaml", 0, 3, "numNodes 3 of the job"),
    Sample("trainer/trainjob-02-runtime-patches.yaml", 0, 2, "numNodes 2; patches change no count"),
    Sample("trainer/trainjob-03-kueue-integration.yaml", 0, 3, "numNodes 3; suspension changes no count"),
    Sample("trainer/trainjob-04-volcano-integration.yaml", 1, 4, "numNodes 4"),
    Sample("trainer/trainjob-05-multi-step.yaml", 1, 3, "a dataset initializer and two nodes"),
    Sample("volcano/constructed-job-running.yaml", 0, 4, "one ps and three workers"),
    Sample("volcano/job-task-dependency.yaml", 0, 11, "a master and ten workers, though made later"),
    Sample("volcano/job.yaml", 0, 6, "six replicas; minAvailable 3 changes no count"),
    Sample("volcano/pod-of-job-old-names.yaml", 0, 1, "a pod is one pod"),
]

#: Files that hold no readable object, with the part of the error that says why.
REFUSED = {"kubernetes-apps/status-statefulset-ondelete.yaml": "updateStrategy"}


def file_of(shared: Path, path: str) -> Path:
    """The file of a sample."""
    folder, name = path.split("/")
    return shared / "upstream" / folder / "samples" / name


def templates(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All pod templates below components of a map."""
    for component in components:
        for instance in component["instances"]:
            if "podTemplate" in instance:
                yield instance["podTemplate"]
            yield from templates(instance.get("components", []))


@cache
def runtimes(folder: Path) -> list[Any] | None:
    """The training runtimes among the samples of a folder, which jobs there refer to."""
    documents = [document.value for file in sorted(folder.iterdir()) for document in load_all(file.read_bytes())[0]]
    return [value for value in documents if str(value.get("kind")).endswith("TrainingRuntime")] or None


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_sample_has_the_pods_that_its_framework_makes(shared: Path, sample: Sample) -> None:
    """The total is exact, there is a template, and nothing went wrong."""
    file = file_of(shared, sample.path)
    documents, errors = load_all(file.read_bytes())
    assert errors == []
    value = documents[sample.index].value
    assert isinstance(value, dict)
    found = Catalog.builtin().read(value, references=runtimes(file.parent)).to_dict()
    assert found["totals"]["pods"] == sample.pods, sample.why
    # Whatever else a map cannot tell, this count rests on nothing unknown but what is named.
    unknown = {entry["what"] for entry in found["totals"].get("incomplete", [])}
    assert sorted(unknown & {"replicas", "podTemplate", "components"}) == sorted(sample.unknown)
    assert list(templates(found.get("components", []))) or not value["spec"]
    assert [entry for entry in found.get("diagnostics", []) if entry["severity"] == "error"] == []


@pytest.mark.parametrize("path", REFUSED)
def test_a_sample_that_breaks_the_data_rules_is_refused(shared: Path, path: str) -> None:
    """A key that is written twice is an error, as it is for `kubectl` (clause S2.6)."""
    documents, errors = load_all(file_of(shared, path).read_bytes())
    assert documents == []
    assert len(errors) == 1
    assert REFUSED[path] in errors[0].message


def test_the_table_names_every_sample_of_these_kinds(shared: Path) -> None:
    """A sample that somebody adds is counted by hand before the test passes again."""
    readable = set()
    refused = set()
    for folder in FOLDERS:
        files = sorted((shared / "upstream" / folder / "samples").iterdir())
        assert files
        for file in files:
            path = f"{folder}/{file.name}"
            documents, errors = load_all(file.read_bytes())
            if errors:
                refused.add(path)
            for index, document in enumerate(documents):
                value = document.value
                assert isinstance(value, dict)
                if (value.get("apiVersion"), value.get("kind")) in KINDS:
                    readable.add((path, index))
    assert readable == {(sample.path, sample.index) for sample in SAMPLES}
    assert refused == set(REFUSED)

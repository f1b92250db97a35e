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
    "agent-sandbox",
    "aibrix",
    "appwrapper",
    "argo-rollouts",
    "argo-workflows",
    "dask-kubernetes",
    "dlrover",
    "dynamo",
    "flink-kubernetes-operator",
    "flux-operator",
    "grove",
    "jobset",
    "kaito",
    "katib",
    "knative-serving",
    "kserve",
    "kthena",
    "kubeai",
    "kubeflow-notebooks",
    "kubeflow-training-v1",
    "kuberay",
    "kubernetes-apps",
    "kubernetes-batch",
    "kueue",
    "lws",
    "milvus",
    "mpi-operator",
    "nvidia-nim",
    "ome",
    "rbg",
    "seldon-core",
    "slurm-operator",
    "spark-kubernetes-operator",
    "spark-operator",
    "tekton-pipeline",
    "trainer",
    "vllm-production-stack",
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
#: Presets give a part of the template.
PRESETS = ("podTemplate",)
#: What the workload makes is a text, or of a runtime that is not given.
TEXT = ("components", "podTemplate")

#: The kinds that samples refer to.
REFERRED = (
    "TrainingRuntime",
    "JobTemplate",
    "SandboxTemplate",
    "SandboxWarmPool",
    "WorkflowTemplate",
    "Deployment",
    "Pipeline",
    "Task",
)

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
    Sample("agent-sandbox/sandbox-aio.yaml", 0, 1, "a Sandbox is one pod"),
    Sample("agent-sandbox/sandbox-hello-world.yaml", 0, 1, "a Sandbox is one pod"),
    Sample("agent-sandbox/sandboxclaim.yaml", 0, 1, "a claim is one Sandbox"),
    Sample("agent-sandbox/sandboxwarmpool.yaml", 0, 3, "three Sandboxes of one pod"),
    Sample("aibrix/rayclusterfleet.yaml", 0, 1, "one cluster of a head alone"),
    Sample("aibrix/stormservice-podgroupsize.yaml", 0, 5, "one set: a router, and two groups of two"),
    Sample("aibrix/stormservice-pool.yaml", 0, 8, "one set of one, four and three pods"),
    Sample("aibrix/stormservice-replica.yaml", 0, 3, "one set of two and one pods"),
    Sample("dlrover/deepctr-manual-scale.yaml", 0, 4, "a master, one ps and two workers"),
    Sample("dlrover/elasticjob-sample.yaml", 0, 1, "a master; the rest it decides", ("replicas",)),
    Sample("dlrover/torch-mnist.yaml", 0, 5, "a master and four workers at first", ("replicas",)),
    Sample("flux-operator/hello-world.yaml", 0, 4, "size 4"),
    Sample("flux-operator/minimal-service.yaml", 0, 4, "size 4"),
    Sample("flux-operator/nginx-service.yaml", 0, 3, "size 2, and a pod of services"),
    Sample("flux-operator/nginx-sidecar-service.yaml", 0, 2, "size 2; two containers of one pod"),
    Sample("katib/experiment-configmap-template.yaml", 0, 1, "the service; the rest is a text", TEXT),
    Sample("katib/experiment-pytorchjob.yaml", 0, 7, "three Trials of two pods, and the service", ("podTemplate",)),
    Sample("katib/experiment-random-job.yaml", 0, 4, "three Trials of one pod, and the service", ("podTemplate",)),
    Sample("katib/experiment-trainjob.yaml", 0, 1, "the service; the runtime is not given", TEXT),
    Sample("katib/status-experiment-nas.yaml", 0, 2, "one Trial at a time, and the service", ("podTemplate",)),
    Sample("katib/status-experiment-running.yaml", 0, 3, "two Trials at a time, and the service", ("podTemplate",)),
    Sample("kserve/inferencegraph-sequence.yaml", 2, 1, "a router, one at least", SERVED),
    Sample("kserve/llmisvc-multinode-data-parallel.yaml", 0, 3, "a group of 16/8 = 2, and a scheduler", PRESETS),
    Sample("kserve/llmisvc-prefill-decode.yaml", 0, 4, "one decode, two prefill, and a scheduler", PRESETS),
    Sample("kubeflow-notebooks/notebook-v1.yaml", 0, 1, "a Notebook is one pod"),
    Sample("kubeflow-training-v1/jaxjob.yaml", 0, 2, "two workers"),
    Sample("kubeflow-training-v1/mpijob-v1-elastic.yaml", 0, 3, "a launcher and two workers"),
    Sample("kubeflow-training-v1/mpijob-v1.yaml", 0, 3, "a launcher and two workers"),
    Sample("kubeflow-training-v1/paddlejob-gpu.yaml", 0, 2, "two workers"),
    Sample("kubeflow-training-v1/status-jaxjob-succeeded.yaml", 0, 2, "two workers"),
    Sample("kubeflow-training-v1/status-paddlejob-succeeded.yaml", 0, 2, "two workers"),
    Sample("kubeflow-training-v1/status-tfjob-succeeded.yaml", 0, 2, "two workers; completion changes no count"),
    Sample("kubeflow-training-v1/status-xgboostjob-succeeded.yaml", 0, 3, "a master and two workers"),
    Sample("kubeflow-training-v1/tfjob-chief-ps-worker.yaml", 0, 4, "a chief, a server and two workers"),
    Sample("kubeflow-training-v1/xgboostjob.yaml", 0, 3, "a master and two workers"),
    Sample("kubernetes-apps/replicationcontroller-redis-master.yaml", 0, 1, "replicas 1"),
    Sample("kubernetes-apps/status-daemonset-ondelete.yaml", 0, 1, "desiredNumberScheduled is 1"),
    Sample("kubernetes-apps/status-replicationcontroller-managedfields.yaml", 0, 1, "replicas 1"),
    Sample("lws/disaggregatedset-3role.yaml", 0, 12, "one slice: four groups of two, and twice two of one"),
    Sample("rbg/custom-components-pattern.yaml", 0, 12, "three instances of one, two and one pods"),
    Sample("rbg/leader-worker-pattern.yaml", 0, 12, "two instances of four pods and two of two"),
    Sample("rbg/rbg-with-roletemplates.yaml", 0, 5, "two and three single pods of one shared template"),
    Sample("rbg/rbgs-base.yaml", 0, 6, "two groups of one and two pods"),
    Sample("rbg/standalone-pattern.yaml", 0, 4, "one and three pods"),
    Sample("rbg/v1alpha1-rbg-with-lws-workload.yaml", 0, 5, "one pod, and two groups of two"),
    Sample("rbg/volcano-gang.yaml", 0, 6, "two and four pods"),
    Sample("slurm-operator/loginset-helm-rendered.yaml", 0, 1, "replicas 1"),
    Sample("slurm-operator/nodeset-fragment-pin.yaml", 0, 4, "replicas 4"),
    Sample("slurm-operator/nodeset-helm-rendered.yaml", 0, 1, "replicas 1"),
    Sample("volcano/jobflow.yaml", 0, 5, "five flows, each a Job of one pod"),
    Sample("kaito/custom-model-deployment.yaml", 0, 1, "a template, and count is 1 by default", ("podTemplate",)),
    Sample("kaito/kaito_inferenceset_phi_4_mini.yaml", 0, 0, "one Workspace of unknown nodes", SERVED),
    Sample("kaito/kaito_workspace_deepseek_v3.yaml", 0, 0, "the operator finds the nodes, count is not read", SERVED),
    Sample("kaito/kaito_workspace_phi_4_mini.yaml", 0, 0, "the operator finds the nodes", SERVED),
    Sample("kaito/kaito_workspace_tuning_phi_3.yaml", 0, 1, "a Job of one pod", ("podTemplate",)),
    Sample("kthena/gangPolicy.yaml", 0, 8, "two roles of two copies of two pods; minMember 6"),
    Sample("kthena/multi-node-with-status.yaml", 0, 4, "two copies of two pods"),
    Sample("kthena/multi-node.yaml", 0, 4, "two copies of two pods"),
    Sample("kthena/network-topology.yaml", 0, 4, "two roles of one copy of two pods"),
    Sample("kthena/sample.yaml", 0, 8, "two roles of one copy of four pods"),
    Sample("kubeai/deepseek-r1-1.5b-cpu.yaml", 0, 0, "none until a request", ("podTemplate",)),
    Sample("kubeai/faster-whisper-medium-en-cpu.yaml", 0, 0, "none until a request", ("podTemplate",)),
    Sample("kubeai/llama-3.1-405b-instruct-fp8-a100-80b.yaml", 0, 0, "none until a request", ("podTemplate",)),
    Sample("ome/isvc-deepseek-v3-pd.yaml", 1, 3, "one each at least; 5 with its runtime given", SERVED),
    Sample("ome/isvc-qwen3-8b.yaml", 1, 2, "one each at least", SERVED),
    Sample("seldon-core/hpa.yaml", 0, 1, "an autoscaler between 1 and 3", ("replicas",)),
    Sample("seldon-core/prepackaged-two-predictors.yaml", 1, 2, "a server each; index 0 is a Namespace", PRESETS),
    Sample("seldon-core/separate-engine.yaml", 0, 2, "three containers of one pod, and the orchestrator", PRESETS),
    Sample("seldon-core/three-pods.yaml", 0, 3, "three pod specs; the orchestrator is in the first"),
    Sample("seldon-core/with-status-failed.yaml", 0, 1, "one pod spec; failure changes no count"),
    Sample("vllm-production-stack/vllmruntime.yaml", 0, 2, "replicas 2", ("podTemplate",)),
    Sample("vllm-production-stack/vllmruntime_autoscaling.yaml", 0, 1, "replicas 1; KEDA writes it", PRESETS),
    Sample("vllm-production-stack/vllmruntime_autoscaling.yaml", 1, 1, "replicas 1; KEDA writes it", PRESETS),
    Sample("vllm-production-stack/vllmruntime_autoscaling.yaml", 2, 1, "replicas 1; KEDA writes it", PRESETS),
    Sample("slurm-operator/bridge-dra-nvidia-job.yaml", 0, 1, "parallelism 1"),
    Sample("slurm-operator/bridge-job-single.yaml", 0, 1, "parallelism 1"),
    Sample("slurm-operator/bridge-jobset-coordinator.yaml", 0, 5, "a leader, and two Jobs of two pods"),
    Sample("slurm-operator/bridge-lws-lws.yaml", 0, 6, "two groups of three"),
    Sample("slurm-operator/bridge-podgroup-coscheduling-sleep.yaml", 1, 1, "a pod is one pod"),
    Sample("slurm-operator/bridge-podgroup-coscheduling-sleep.yaml", 2, 1, "a pod is one pod"),
    Sample("slurm-operator/bridge-workload-gang-job.yaml", 2, 2, "parallelism 2"),
    Sample("dynamo/dgd-v1beta1-agg-router.yaml", 0, 3, "1 + 2"),
    Sample("nvidia-nim/nimcache-hf.yaml", 0, 1, "one Job of one pod"),
    Sample("nvidia-nim/nimpipeline-rag.yaml", 0, 3, "three services of one replica"),
    Sample("nvidia-nim/nimservice-autoscaling.yaml", 0, 1, "one Job of one pod"),
    Sample("nvidia-nim/nimservice-autoscaling.yaml", 1, 1, "at least one; an autoscaler has the count", ("replicas",)),
    Sample("nvidia-nim/nimservice-basic.yaml", 0, 1, "one Job of one pod"),
    Sample("nvidia-nim/nimservice-basic.yaml", 1, 1, "one replica"),
    Sample("nvidia-nim/nimservice-kserve-standard.yaml", 0, 1, "one Job of one pod"),
    Sample("nvidia-nim/nimservice-kserve-standard.yaml", 1, 1, "at least one; an autoscaler's", ("replicas",)),
    Sample("nvidia-nim/nimservice-multi-node.yaml", 0, 1, "one Job of one pod"),
    Sample("nvidia-nim/nimservice-multi-node.yaml", 1, 2, "one replica of two stages"),
    Sample("dask-kubernetes/failedjob.yaml", 0, 4, "a runner, a scheduler and two workers"),
    Sample("dask-kubernetes/simplecluster.yaml", 0, 3, "a scheduler and two workers", ("podTemplate",)),
    Sample("dask-kubernetes/simplejob.yaml", 0, 4, "a runner, a scheduler and two workers", ("podTemplate",)),
    Sample("dask-kubernetes/simpleworkergroup.yaml", 0, 1, "one worker"),
    Sample("flink-kubernetes-operator/basic-session-deployment-and-job.yaml", 1, 0, "it runs in the cluster's pods"),
    Sample("flink-kubernetes-operator/basic-session-deployment-and-job.yaml", 2, 0, "it runs in the cluster's pods"),
    Sample("spark-kubernetes-operator/cluster-with-hpa.yaml", 0, 4, "a master and initWorkers 3", ("podTemplate",)),
    Sample("spark-kubernetes-operator/cluster-with-template.yaml", 0, 2, "a master and one worker", ("podTemplate",)),
    Sample("spark-kubernetes-operator/cluster.yaml", 0, 4, "a master and three workers", ("podTemplate",)),
    Sample("spark-kubernetes-operator/pi-on-volcano.yaml", 0, 3, "a driver and Spark's two executors", PRESETS),
    Sample("spark-kubernetes-operator/pi-with-instanceconfig.yaml", 0, 4, "a driver, and 3 by the setting", PRESETS),
    Sample("spark-kubernetes-operator/pi-with-template.yaml", 0, 3, "a driver and Spark's two executors", PRESETS),
    Sample("spark-kubernetes-operator/pi.yaml", 0, 1, "dynamic: a driver, and no executor at first", PRESETS),
    Sample("spark-kubernetes-operator/status-assert-spark-cluster-state-transition.yaml", 0, 1, "a master", PRESETS),
    Sample(
        "spark-kubernetes-operator/status-assert-spark-driver-start-timeout-state-transition.yaml",
        0,
        3,
        "no spec: a driver and two executors",
    ),
    Sample("spark-kubernetes-operator/status-assert-spark-state-transition.yaml", 0, 3, "a driver and two executors"),
    Sample("spark-operator/spark-connect.yaml", 0, 3, "a server and two executors"),
    Sample("spark-operator/spark-pi-scheduled.yaml", 0, 0, "no run has begun"),
    Sample("argo-rollouts/rollout-bluegreen.yaml", 0, 2, "replicas 2; old and preview pods are not counted"),
    Sample("argo-rollouts/rollout-canary.yaml", 0, 5, "replicas 5; a surge is not counted"),
    Sample("argo-rollouts/rollout-template-ref.yaml", 0, 0, "replicas 0: the Rollout has them"),
    Sample("argo-rollouts/rollout-template-ref.yaml", 1, 5, "replicas 5 of the Rollout"),
    Sample("argo-rollouts/status-argocd-bluegreen-progressing_waitingUntilAvailable.yaml", 0, 3, "replicas 3"),
    Sample("argo-rollouts/status-argocd-canary-healthy_executedAllSteps.yaml", 0, 5, "replicas 5"),
    Sample("argo-rollouts/status-argocd-degraded_abortedRollout.yaml", 0, 5, "replicas 5; an abort changes no count"),
    Sample("argo-rollouts/status-argocd-healthy_newWorkloadGeneration.yaml", 0, 5, "replicas 5"),
    Sample("argo-rollouts/status-argocd-newRolloutWithoutStatus.yaml", 0, 1, "one by default"),
    Sample("argo-rollouts/status-argocd-suspended_controllerPause.yaml", 0, 5, "replicas 5; a pause removes no pod"),
    Sample("argo-workflows/cron-workflow.yaml", 0, 0, "no run is active"),
    Sample("argo-workflows/dag-diamond.yaml", 0, 0, "tasks are calls", ("replicas",)),
    Sample("argo-workflows/graph-workflow.yaml", 0, 1, "four containers of one pod"),
    Sample("argo-workflows/hello-world.yaml", 0, 1, "the entrypoint is a pod"),
    Sample("argo-workflows/k8s-jobs.yaml", 0, 1, "the executor; pods of the Job are its own"),
    Sample("argo-workflows/loops-param-result.yaml", 0, 0, "steps are calls", ("components", "replicas")),
    Sample("argo-workflows/parallelism-limit.yaml", 0, 0, "a limit is no count", ("components", "replicas")),
    Sample("argo-workflows/pod-spec-patch.yaml", 0, 1, "the entrypoint is a pod", PRESETS),
    Sample("argo-workflows/resource-claims.yaml", 0, 1, "the entrypoint is a pod"),
    Sample("argo-workflows/status-argocd-degradedCronWorkflowWithSubmissionError.yaml", 0, 0, "no workflowSpec"),
    Sample("argo-workflows/status-argocd-healthyCronWorkflow.yaml", 0, 0, "no workflowSpec"),
    Sample("argo-workflows/status-dag_retry_succeeded.yaml", 0, 0, "tasks are calls", ("replicas",)),
    Sample("argo-workflows/status-dag_xfail.yaml", 0, 0, "tasks are calls", ("replicas",)),
    Sample("argo-workflows/status-succeeded-suspended-flag.yaml", 0, 0, "steps", ("components", "replicas")),
    Sample("argo-workflows/suspend-template.yaml", 0, 0, "steps are calls", ("components", "replicas")),
    Sample("argo-workflows/workflow-template-ref.yaml", 0, 1, "the entrypoint of the template is a pod"),
    Sample("tekton-pipeline/home-is-set.yaml", 0, 1, "one pod"),
    Sample("tekton-pipeline/pipelinerun-with-final-tasks.yaml", 3, 3, "a task and two final ones", ("components",)),
    Sample("tekton-pipeline/pipelinerun-with-parallel-tasks-using-pvc.yaml", 6, 5, "five tasks", ("components",)),
    Sample("tekton-pipeline/pipelinerun-with-pipelinespec-and-taskspec.yaml", 0, 1, "one task"),
    Sample("tekton-pipeline/pipelinerun-with-pipelinespec-and-taskspec.yaml", 1, 1, "one task"),
    Sample("tekton-pipeline/pipelinerun-with-pipelinespec-and-taskspec.yaml", 2, 1, "one task"),
    Sample("tekton-pipeline/pipelinerun.yaml", 4, 2, "two tasks", ("components",)),
    Sample("tekton-pipeline/sidecar-ready.yaml", 0, 1, "steps and sidecar are containers of one pod"),
    Sample("tekton-pipeline/status-pipelinerun-succeeded.yaml", 0, 2, "two tasks; completion changes no count"),
    Sample("tekton-pipeline/steps-run-in-order.yaml", 0, 1, "two steps of one pod"),
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
def referred(folder: Path) -> list[Any] | None:
    """The objects among the samples of a folder that others there refer to."""
    documents = [document.value for file in sorted(folder.iterdir()) for document in load_all(file.read_bytes())[0]]
    return [value for value in documents if str(value.get("kind")).endswith(REFERRED)] or None


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_sample_has_the_pods_that_its_framework_makes(shared: Path, sample: Sample) -> None:
    """The total is exact, there is a template, and nothing went wrong."""
    file = file_of(shared, sample.path)
    documents, errors = load_all(file.read_bytes())
    assert errors == []
    value = documents[sample.index].value
    assert isinstance(value, dict)
    found = Catalog.builtin().read(value, references=referred(file.parent)).to_dict()
    assert found["totals"]["pods"] == sample.pods, sample.why
    # Whatever else a map cannot tell, this count rests on nothing unknown but what is named.
    unknown = {entry["what"] for entry in found["totals"].get("incomplete", [])}
    assert sorted(unknown & {"replicas", "podTemplate", "components"}) == sorted(sample.unknown)
    assert list(templates(found.get("components", []))) or sample.unknown or not (value.get("spec") and sample.pods)
    faults = [entry["class"] for entry in found.get("diagnostics", []) if entry["severity"] == "error"]
    assert [fault for fault in faults if fault != "missing-reference" or not sample.unknown] == []


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

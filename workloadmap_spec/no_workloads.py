"""Kinds that are no workloads: what else lies in a manifest, or in what `kubectl get` gives, and makes no pods.

The table is closed. A kind that is neither here nor in a mapping is an error, since it might be a workload that nobody
has described yet.
"""

from __future__ import annotations

from typing import Final

_NETWORK: Final = "says how pods are reached"
_CONFIGURATION: Final = "is configuration that pods read"
_STORAGE: Final = "is storage that pods use"
_ACCESS: Final = "says who may do what"
_CLUSTER: Final = "is a part of the cluster"
_POLICY: Final = "limits or steers workloads and is none"
_QUEUE: Final = "orders workloads and is none"
_RECORD: Final = "is what a controller notes about another object"
_TEMPLATE: Final = "is a template that workloads refer to"
_EXTENSION: Final = "extends the API server"

_BY_REASON: Final = {
    _NETWORK: (
        ("", "Endpoints Service"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("gateway.networking.k8s.io", "GRPCRoute Gateway GatewayClass HTTPRoute ReferenceGrant TCPRoute TLSRoute"),
        ("networking.istio.io", "DestinationRule Gateway ServiceEntry VirtualService"),
        ("networking.k8s.io", "Ingress IngressClass NetworkPolicy"),
    ),
    _CONFIGURATION: (
        ("", "ConfigMap Secret"),
        ("cert-manager.io", "Certificate ClusterIssuer Issuer"),
        ("external-secrets.io", "ClusterSecretStore ExternalSecret SecretStore"),
    ),
    _STORAGE: (
        ("", "PersistentVolume PersistentVolumeClaim"),
        ("snapshot.storage.k8s.io", "VolumeSnapshot VolumeSnapshotClass VolumeSnapshotContent"),
        ("storage.k8s.io", "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass"),
    ),
    _ACCESS: (
        ("", "ServiceAccount"),
        ("certificates.k8s.io", "CertificateSigningRequest ClusterTrustBundle"),
        ("rbac.authorization.k8s.io", "ClusterRole ClusterRoleBinding Role RoleBinding"),
    ),
    _CLUSTER: (
        ("", "ComponentStatus Namespace Node"),
        ("coordination.k8s.io", "Lease LeaseCandidate"),
        ("node.k8s.io", "RuntimeClass"),
        ("resource.k8s.io", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"),
    ),
    _POLICY: (
        ("", "LimitRange ResourceQuota"),
        ("autoscaling", "HorizontalPodAutoscaler"),
        ("autoscaling.k8s.io", "VerticalPodAutoscaler"),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema PriorityLevelConfiguration"),
        ("keda.sh", "ClusterTriggerAuthentication ScaledObject TriggerAuthentication"),
        ("monitoring.coreos.com", "PodMonitor PrometheusRule ServiceMonitor"),
        ("policy", "PodDisruptionBudget"),
        ("scheduling.k8s.io", "PriorityClass"),
    ),
    _QUEUE: (
        ("kueue.x-k8s.io", "AdmissionCheck ClusterQueue Cohort LocalQueue ResourceFlavor Topology"),
        ("kueue.x-k8s.io", "MultiKueueCluster MultiKueueConfig ProvisioningRequestConfig WorkloadPriorityClass"),
        ("scheduling.run.ai", "Queue"),
        ("scheduling.volcano.sh", "Queue"),
        ("topology.volcano.sh", "HyperNode"),
    ),
    _RECORD: (
        ("", "Binding Event"),
        ("apps", "ControllerRevision"),
        ("events.k8s.io", "Event"),
        ("metrics.k8s.io", "NodeMetrics PodMetrics"),
        ("scheduling.k8s.io", "PodGroup"),
        ("scheduling.run.ai", "PodGroup"),
        ("scheduling.volcano.sh", "PodGroup"),
        ("scheduling.x-k8s.io", "PodGroup"),
    ),
    _TEMPLATE: (
        ("", "PodTemplate"),
        ("serving.kserve.io", "ClusterServingRuntime ServingRuntime"),
        ("trainer.kubeflow.org", "ClusterTrainingRuntime TrainingRuntime"),
    ),
    _EXTENSION: (
        ("", "APIGroup APIResourceList"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
        ("kustomize.config.k8s.io", "Kustomization"),
    ),
}

#: Why a kind is no workload, by group and kind.
NO_WORKLOADS: Final = {
    (group, kind): reason
    for reason, entries in _BY_REASON.items()
    for group, kinds in entries
    for kind in kinds.split()
}


def why_no_workload(api_version: str, kind: str) -> str | None:
    """Why objects of a kind are no workloads, in words that continue its name; None if they may be some."""
    return NO_WORKLOADS.get((api_version.rpartition("/")[0], kind))

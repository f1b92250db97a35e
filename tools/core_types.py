"""Write `schema/v1alpha1/core-types.json` from the models of the official Python client of Kubernetes.

The table is normative for which fields a PodSpec, a Container and the types below them have, and describes the kinds
that come with Kubernetes and that mappings read. The models give names, types and required fields; what they do not
give, the tables at the top of this script do. Usage:

    python tools/core_types.py            write the file
    python tools/core_types.py --check    say whether it is current (exit code 1 if not)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from kubernetes.client import models

TARGET: Final = Path(__file__).resolve().parents[1] / "schema" / "v1alpha1" / "core-types.json"

#: The version of Kubernetes that this version of the specification is pinned to. The client's major version is its
#: minor version: client 37 is of Kubernetes 1.37.
KUBERNETES_VERSION: Final = "1.37"

_MAX_LINE: Final = 100

#: The models of the kinds, by `apiVersion`. The walk over the types begins here.
KINDS: Final[dict[str, tuple[str, ...]]] = {
    "apps/v1": ("V1ControllerRevision", "V1DaemonSet", "V1Deployment", "V1ReplicaSet", "V1StatefulSet"),
    "autoscaling/v1": ("V1HorizontalPodAutoscaler", "V1Scale"),
    "autoscaling/v2": ("V2HorizontalPodAutoscaler",),
    "batch/v1": ("V1CronJob", "V1Job"),
    "policy/v1": ("V1PodDisruptionBudget",),
    "resource.k8s.io/v1": ("ResourceV1ResourceClaim", "V1ResourceClaimTemplate"),
    "scheduling.k8s.io/v1": ("V1PriorityClass",),
    "scheduling.k8s.io/v1beta1": ("V1beta1PodGroup", "V1beta1Workload"),
    "v1": (
        "V1ConfigMap",
        "V1Namespace",
        "V1Node",
        "V1PersistentVolumeClaim",
        "V1Pod",
        "V1PodTemplate",
        "V1ReplicationController",
        "V1Secret",
        "V1Service",
        "V1ServiceAccount",
    ),
}

_DESCRIPTION: Final = (
    "The fields of the Kubernetes types that make up a pod and the kinds of `kinds`, as they are written in an object. "
    "`kinds` gives, for an apiVersion and a kind, the name of its type. A field has a `type`: "
    "string, integer, boolean, time (RFC 3339), quantity, intOrString, any, list (of `items`), map (from strings to "
    "`values`), or the name of a type of this table. `required` are the fields that the API demands. `mergeKeys` "
    "names, for a list whose elements Kubernetes merges one by one, the field that tells them apart; any other list "
    "is replaced as a whole, but for the finalizers of a metadata, which are a set. `enums` are all the values that a "
    "string, or a string of a list, can have. `defaults` are the values that the API server fills in for a field that "
    "is not written, whatever else the object has; one that depends on other fields is not among them. `kinds`, "
    "`enums` and `defaults` tell what a mapping can find in an object: no reader fills in or refuses a value because "
    "of them."
)

_SCALARS: Final = {
    "bool": "boolean",
    "bytes": "string",  # in an object, base64
    "datetime": "time",
    "int": "integer",
    "object": "any",
    "str": "string",
}

#: A struct without fields, whose presence says it all.
_EMPTY: Final = {"type": "map", "values": "any"}

#: Types that Kubernetes treats differently where they are below another type, each as a copy without defaults. The API
#: server fills in a Job, but not the spec in the template of a CronJob (`pkg/apis/batch/v1/defaults.go`, where the
#: function is one of Job, not of JobSpec).
_COPIES: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("JobTemplateSpec", "spec"): ("JobSpec", "JobTemplateJobSpec"),
}

#: The client says `str` for quantities, and `object` for what is an integer or a string and for a struct without
#: fields; `types.go` of each group in k8s.io/api says which they are.
_TYPES: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("ContainerStatus", "allocatedResources"): {"type": "map", "values": "quantity"},
    ("EmptyDirVolumeSource", "sizeLimit"): {"type": "quantity"},
    ("HTTPGetAction", "port"): {"type": "intOrString"},
    ("CapacityRequirements", "requests"): {"type": "map", "values": "quantity"},
    ("DeviceRequestAllocationResult", "consumedCapacity"): {"type": "map", "values": "quantity"},
    ("NodeAllocatableMappedResources", "quantity"): {"type": "quantity"},
    ("NodeAllocatableOverheadResources", "perContainer"): {"type": "quantity"},
    ("NodeAllocatableOverheadResources", "perPod"): {"type": "quantity"},
    ("NodeStatus", "allocatable"): {"type": "map", "values": "quantity"},
    ("NodeStatus", "capacity"): {"type": "map", "values": "quantity"},
    ("PersistentVolumeClaimStatus", "allocatedResources"): {"type": "map", "values": "quantity"},
    ("PersistentVolumeClaimStatus", "capacity"): {"type": "map", "values": "quantity"},
    ("PodDisruptionBudgetSpec", "maxUnavailable"): {"type": "intOrString"},
    ("PodDisruptionBudgetSpec", "minAvailable"): {"type": "intOrString"},
    ("PodSpec", "overhead"): {"type": "map", "values": "quantity"},
    ("PodStatus", "allocatedResources"): {"type": "map", "values": "quantity"},
    ("ResourceFieldSelector", "divisor"): {"type": "quantity"},
    ("ResourceRequirements", "limits"): {"type": "map", "values": "quantity"},
    ("ResourceRequirements", "requests"): {"type": "map", "values": "quantity"},
    ("RollingUpdateDaemonSet", "maxSurge"): {"type": "intOrString"},
    ("RollingUpdateDaemonSet", "maxUnavailable"): {"type": "intOrString"},
    ("RollingUpdateDeployment", "maxSurge"): {"type": "intOrString"},
    ("RollingUpdateDeployment", "maxUnavailable"): {"type": "intOrString"},
    ("RollingUpdateStatefulSetStrategy", "maxUnavailable"): {"type": "intOrString"},
    ("ServicePort", "targetPort"): {"type": "intOrString"},
    ("TCPSocketAction", "port"): {"type": "intOrString"},
    ("V1alpha3WorkloadPodGroupDisruptionMode", "all"): _EMPTY,
    ("V1alpha3WorkloadPodGroupDisruptionMode", "single"): _EMPTY,
    ("V1alpha3WorkloadPodGroupSchedulingPolicy", "basic"): _EMPTY,
    ("V1beta1CompositeDisruptionMode", "all"): _EMPTY,
    ("V1beta1CompositeDisruptionMode", "single"): _EMPTY,
    ("V1beta1CompositePodGroupSchedulingPolicy", "basic"): _EMPTY,
    ("V1beta1DisruptionMode", "all"): _EMPTY,
    ("V1beta1DisruptionMode", "single"): _EMPTY,
    ("V1beta1PodGroupSchedulingPolicy", "basic"): _EMPTY,
    ("V2HPAScalingRules", "tolerance"): {"type": "quantity"},
    ("V2MetricTarget", "averageValue"): {"type": "quantity"},
    ("V2MetricTarget", "value"): {"type": "quantity"},
    ("V2MetricValueStatus", "averageValue"): {"type": "quantity"},
    ("V2MetricValueStatus", "value"): {"type": "quantity"},
    ("VolumeResourceRequirements", "limits"): {"type": "map", "values": "quantity"},
    ("VolumeResourceRequirements", "requests"): {"type": "map", "values": "quantity"},
}

#: What else the API demands: fields that the client has as optional, although the API reference says that they are
#: required, and structs without which the validation refuses an object (`ValidatePodTemplateSpec` and
#: `ValidatePodTemplateSpecForRC` of `pkg/apis/core/validation/validation.go`, and
#: `ValidatePodTemplateSpecForReplicaSet` of `pkg/apis/apps/validation/validation.go`).
_REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "DaemonSetCondition": ("status", "type"),
    "DeploymentCondition": ("status", "type"),
    "PodTemplateSpec": ("spec",),
    "ReplicaSetCondition": ("status", "type"),
    "ReplicaSetSpec": ("template",),
    "ReplicationControllerSpec": ("template",),
    "StatefulSetCondition": ("status", "type"),
}

_CONTAINER_MERGE_KEYS: Final = {
    "env": "name",
    "ports": "containerPort",
    "volumeDevices": "devicePath",
    "volumeMounts": "mountPath",
}

_CONDITIONS: Final = {"conditions": "type"}

#: The `patchMergeKey` of each list of objects in k8s.io/api (`types.go` of each group) and apimachinery
#: (`meta/v1/types.go`) that has one. The client does not carry them.
_MERGE_KEYS: Final[dict[str, dict[str, str]]] = {
    "Container": _CONTAINER_MERGE_KEYS,
    "ContainerStatus": {"allocatedResourcesStatus": "name", "volumeMounts": "mountPath"},
    "DaemonSetStatus": _CONDITIONS,
    "DeploymentStatus": _CONDITIONS,
    "EphemeralContainer": _CONTAINER_MERGE_KEYS,
    "JobSchedulingConfiguration": {"resourceClaims": "name"},
    "JobStatus": _CONDITIONS,
    "NamespaceStatus": _CONDITIONS,
    "NodeAllocatableResourceClaimStatus": {"mapping": "name", "overhead": "name"},
    "NodeStatus": {"addresses": "type", "conditions": "type"},
    "ObjectMeta": {"ownerReferences": "uid"},
    "PersistentVolumeClaimStatus": _CONDITIONS,
    "PodDisruptionBudgetStatus": _CONDITIONS,
    "PodSpec": {
        "containers": "name",
        "ephemeralContainers": "name",
        "evictionResponders": "name",
        "hostAliases": "ip",
        "imagePullSecrets": "name",
        "initContainers": "name",
        "resourceClaims": "name",
        "schedulingGates": "name",
        "topologySpreadConstraints": "topologyKey",
        "volumes": "name",
    },
    "PodStatus": {
        "conditions": "type",
        "hostIPs": "ip",
        "nodeAllocatableResourceClaimStatuses": "resourceClaimName",
        "podIPs": "ip",
        "resourceClaimStatuses": "name",
    },
    "PodVolumeHealth": {"healthConditions": "status"},
    "ReplicaSetStatus": _CONDITIONS,
    "ReplicationControllerStatus": _CONDITIONS,
    "ResourceClaimStatus": {"reservedFor": "uid"},
    "ServiceAccount": {"secrets": "name"},
    "ServiceSpec": {"ports": "port"},
    "ServiceStatus": _CONDITIONS,
    "StatefulSetStatus": _CONDITIONS,
    "V1beta1PodGroupSpec": {"resourceClaims": "name"},
    "V1beta1PodGroupStatus": {"conditions": "type", "resourceClaimStatuses": "name"},
    "V1beta1PodGroupTemplate": {"resourceClaims": "name"},
    "V2HorizontalPodAutoscalerStatus": _CONDITIONS,
    "VolumeHealthStatus": {"healthConditions": "status"},
}

_Enums = dict[str, tuple[str, ...]]

_ACCESS_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_CLUSTER_LOCAL: Final = ("Cluster", "Local")
_CONDITION_STATUS: Final[_Enums] = {"status": ("True", "False", "Unknown")}
_DEVICE_ALLOCATION: Final[_Enums] = {"allocationMode": ("ExactCount", "All")}
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_METRIC_TYPES: Final[_Enums] = {"type": ("Object", "Pods", "Resource", "ContainerResource", "External")}
_NODE_INCLUSION: Final = ("Ignore", "Honor")
_PREEMPTION: Final[_Enums] = {"preemptionPolicy": ("PreemptLowerPriority", "Never")}
_PROTOCOLS: Final[_Enums] = {"protocol": ("TCP", "UDP", "SCTP")}
_PULL_POLICIES: Final = ("Always", "Never", "IfNotPresent")
_RECURSIVE_READ_ONLY: Final[_Enums] = {"recursiveReadOnly": ("Disabled", "IfPossible", "Enabled")}
_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_RETENTION: Final = ("Retain", "Delete")
_TERMINATION_MESSAGE: Final = ("File", "FallbackToLogsOnError")

#: The constants of each string type of which k8s.io/api and apimachinery (`types.go` of each group) declare all the
#: values: those marked as an enum, and those that the validation of Kubernetes (`pkg/apis/*/validation/validation.go`)
#: compares with a fixed set. Types that controllers or vendors add values to (reasons, types of conditions, types of
#: secrets, resource names) are not among them; nor is `stopSignal`, whose values are those of the platform.
_ENUMS: Final[dict[str, _Enums]] = {
    "AppArmorProfile": {"type": ("Unconfined", "RuntimeDefault", "Localhost")},
    "AzureDiskVolumeSource": {
        "cachingMode": ("None", "ReadOnly", "ReadWrite"),
        "kind": ("Shared", "Dedicated", "Managed"),
    },
    "Condition": _CONDITION_STATUS,
    "Container": {
        "imagePullPolicy": _PULL_POLICIES,
        "restartPolicy": _RESTART_POLICIES,
        "terminationMessagePolicy": _TERMINATION_MESSAGE,
    },
    "ContainerPort": _PROTOCOLS,
    "ContainerResizePolicy": {"restartPolicy": ("NotRequired", "RestartContainer")},
    "ContainerRestartRule": {"action": ("Restart", "RestartAllContainers")},
    "ContainerRestartRuleOnExitCodes": {"operator": ("In", "NotIn")},
    "CronJobSpec": {"concurrencyPolicy": ("Allow", "Forbid", "Replace")},
    "DaemonSetCondition": _CONDITION_STATUS,
    "DaemonSetUpdateStrategy": {"type": ("RollingUpdate", "OnDelete")},
    "DeploymentCondition": _CONDITION_STATUS,
    "DeploymentStrategy": {"type": ("Recreate", "RollingUpdate")},
    "DeviceAllocationConfiguration": {"source": ("FromClass", "FromClaim")},
    "DeviceRequestAllocationResult": {"skipNodeOperations": ("NodePrepareResources", "NodeUnprepareResources", "*")},
    "DeviceSubRequest": _DEVICE_ALLOCATION,
    "DeviceToleration": {"effect": ("None", "NoSchedule", "NoExecute"), "operator": ("Exists", "Equal")},
    "EphemeralContainer": {"imagePullPolicy": _PULL_POLICIES, "terminationMessagePolicy": _TERMINATION_MESSAGE},
    "ExactDeviceRequest": _DEVICE_ALLOCATION,
    "GRPCAction": {"mode": ("Plaintext", "TLS")},
    "HTTPGetAction": {"protocol": ("HTTP1", "HTTP2"), "scheme": ("HTTP", "HTTPS")},
    "HostPathVolumeSource": {
        "type": ("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")
    },
    "ImageVolumeSource": {"pullPolicy": _PULL_POLICIES},
    "JobCondition": _CONDITION_STATUS,
    "JobSpec": {
        "completionMode": ("NonIndexed", "Indexed"),
        "podReplacementPolicy": ("TerminatingOrFailed", "Failed"),
    },
    "LabelSelectorRequirement": {"operator": _LABEL_OPERATORS},
    "LoadBalancerIngress": {"ipMode": ("VIP", "Proxy")},
    "ManagedFieldsEntry": {"operation": ("Apply", "Update")},
    "ModifyVolumeStatus": {"status": ("Pending", "InProgress", "Infeasible")},
    "NamespaceCondition": _CONDITION_STATUS,
    "NamespaceStatus": {"phase": ("Active", "Terminating")},
    "NodeCondition": _CONDITION_STATUS,
    "NodeSelectorRequirement": {"operator": (*_LABEL_OPERATORS, "Gt", "Lt")},
    "NodeStatus": {"phase": ("Pending", "Running", "Terminated")},
    "PersistentVolumeClaimCondition": _CONDITION_STATUS,
    "PersistentVolumeClaimSpec": {"accessModes": _ACCESS_MODES, "volumeMode": ("Block", "Filesystem")},
    "PersistentVolumeClaimStatus": {"accessModes": _ACCESS_MODES, "phase": ("Pending", "Bound", "Lost")},
    "PodCondition": _CONDITION_STATUS,
    "PodDisruptionBudgetSpec": {"unhealthyPodEvictionPolicy": ("IfHealthyBudget", "AlwaysAllow")},
    "PodFailurePolicyOnExitCodesRequirement": {"operator": ("In", "NotIn")},
    "PodFailurePolicyOnPodConditionsPattern": _CONDITION_STATUS,
    "PodFailurePolicyRule": {"action": ("FailJob", "FailIndex", "Ignore", "Count")},
    "PodOS": {"name": ("linux", "windows")},
    "PodSecurityContext": {
        "fsGroupChangePolicy": ("OnRootMismatch", "Always"),
        "seLinuxChangePolicy": ("Recursive", "MountOption"),
        "supplementalGroupsPolicy": ("Merge", "Strict"),
    },
    "PodSpec": {
        "dnsPolicy": ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
        "restartPolicy": _RESTART_POLICIES,
        **_PREEMPTION,
    },
    "PodStatus": {
        "phase": ("Pending", "Running", "Succeeded", "Failed", "Unknown"),
        "qosClass": ("Guaranteed", "Burstable", "BestEffort"),
    },
    "PortStatus": _PROTOCOLS,
    "PriorityClass": _PREEMPTION,
    "ReplicaSetCondition": _CONDITION_STATUS,
    "ReplicationControllerCondition": _CONDITION_STATUS,
    "ResourceHealth": {"health": ("Healthy", "Unhealthy", "Unknown")},
    "SeccompProfile": {"type": ("Unconfined", "RuntimeDefault", "Localhost")},
    "SecurityContext": {"procMount": ("Default", "Unmasked")},
    "ServicePort": _PROTOCOLS,
    "ServiceSpec": {
        "externalTrafficPolicy": _CLUSTER_LOCAL,
        "internalTrafficPolicy": _CLUSTER_LOCAL,
        "ipFamilies": ("IPv4", "IPv6"),
        "ipFamilyPolicy": ("SingleStack", "PreferDualStack", "RequireDualStack"),
        "sessionAffinity": ("ClientIP", "None"),
        "type": ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    },
    "StatefulSetCondition": _CONDITION_STATUS,
    "StatefulSetPersistentVolumeClaimRetentionPolicy": {"whenDeleted": _RETENTION, "whenScaled": _RETENTION},
    "StatefulSetSpec": {"podManagementPolicy": ("OrderedReady", "Parallel")},
    "StatefulSetUpdateStrategy": {"type": ("RollingUpdate", "OnDelete", "Recreate")},
    "Taint": {"effect": ("NoSchedule", "PreferNoSchedule", "NoExecute")},
    "Toleration": {
        "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute"),
        "operator": ("Exists", "Equal", "Lt", "Gt"),
    },
    "TopologySpreadConstraint": {
        "nodeAffinityPolicy": _NODE_INCLUSION,
        "nodeTaintsPolicy": _NODE_INCLUSION,
        "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    },
    "V1beta1CompositePodGroupTemplate": _PREEMPTION,
    "V1beta1PodGroupSpec": _PREEMPTION,
    "V1beta1PodGroupTemplate": _PREEMPTION,
    "V2HPAScalingPolicy": {"type": ("Pods", "Percent")},
    "V2HPAScalingRules": {"selectPolicy": ("Max", "Min", "Disabled")},
    "V2HorizontalPodAutoscalerCondition": _CONDITION_STATUS,
    "V2MetricSpec": _METRIC_TYPES,
    "V2MetricStatus": _METRIC_TYPES,
    "V2MetricTarget": {"type": ("Utilization", "Value", "AverageValue")},
    "VolumeHealthCondition": {"status": ("Inaccessible", "DataLoss", "Degraded")},
    "VolumeMount": {"mountPropagation": ("None", "HostToContainer", "Bidirectional"), **_RECURSIVE_READ_ONLY},
    "VolumeMountStatus": _RECURSIVE_READ_ONLY,
}

_CONTAINER_DEFAULTS: Final = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_FILE_MODE: Final = {"defaultMode": 0o644}

#: What `defaults.go` of each group in Kubernetes (`pkg/apis/{apps,autoscaling,batch,core,resource,scheduling}/*`) and
#: the default markers of `types.go` of each group in k8s.io/api set without a condition on other
#: fields. Left out are what is set in a Pod but not in a template (`enableServiceLinks`, requests from limits), what
#: depends on other fields (the image pull policy, a Job's `completions`, `backoffLimit` and `podReplacementPolicy`, the
#: `rollingUpdate` of a strategy, the target port of a service), on a feature gate (`maxUnavailable` of a StatefulSet)
#: or on an admission plugin, and zero values that are not written.
_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "AzureDiskVolumeSource": {"cachingMode": "ReadWrite", "fsType": "ext4", "kind": "Shared", "readOnly": False},
    "ConfigMapVolumeSource": _FILE_MODE,
    "Container": _CONTAINER_DEFAULTS,
    "ContainerPort": {"protocol": "TCP"},
    "CronJobSpec": {
        "concurrencyPolicy": "Allow",
        "failedJobsHistoryLimit": 1,
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
    },
    "DaemonSetSpec": {"revisionHistoryLimit": 10, "updateStrategy": {}},
    "DaemonSetUpdateStrategy": {"type": "RollingUpdate"},
    "DeploymentSpec": {"progressDeadlineSeconds": 600, "replicas": 1, "revisionHistoryLimit": 10, "strategy": {}},
    "DeploymentStrategy": {"type": "RollingUpdate"},
    "DeviceSubRequest": {"allocationMode": "ExactCount"},
    "DeviceToleration": {"operator": "Equal"},
    "DownwardAPIVolumeSource": _FILE_MODE,
    "EphemeralContainer": _CONTAINER_DEFAULTS,
    "ExactDeviceRequest": {"allocationMode": "ExactCount"},
    "FileKeySelector": {"optional": False},
    "GRPCAction": {"service": ""},
    "HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "HorizontalPodAutoscalerSpec": {"minReplicas": 1},
    "HostPathVolumeSource": {"type": ""},
    "ISCSIVolumeSource": {"iscsiInterface": "default"},
    "JobSpec": {"completionMode": "NonIndexed", "manualSelector": False, "parallelism": 1, "suspend": False},
    "Namespace": {"status": {}},
    "NamespaceStatus": {"phase": "Active"},
    "ObjectFieldSelector": {"apiVersion": "v1"},
    "PersistentVolumeClaim": {"status": {}},
    "PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "PersistentVolumeClaimStatus": {"phase": "Pending"},
    "PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
    "PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    "PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
    "Probe": {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
    "ProjectedVolumeSource": _FILE_MODE,
    "RBDVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    "ReplicaSetSpec": {"replicas": 1},
    "ReplicationControllerSpec": {"replicas": 1},
    # The validation refuses `rollingUpdate` beside a strategy of another type, so its fields depend on nothing.
    "RollingUpdateDaemonSet": {"maxSurge": 0, "maxUnavailable": 1},
    "RollingUpdateDeployment": {"maxSurge": "25%", "maxUnavailable": "25%"},
    "RollingUpdateStatefulSetStrategy": {"partition": 0},
    "ScaleIOVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "Secret": {"type": "Opaque"},
    "SecretVolumeSource": _FILE_MODE,
    "ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "ServicePort": {"protocol": "TCP"},
    "ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "StatefulSetPersistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    "StatefulSetSpec": {
        "persistentVolumeClaimRetentionPolicy": {},
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "updateStrategy": {},
    },
    "StatefulSetUpdateStrategy": {"type": "RollingUpdate"},
    "V1beta1PodGroupSpec": {"disruptionMode": {"single": {}}},
    "V2HorizontalPodAutoscalerSpec": {
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
            }
        ],
        "minReplicas": 1,
    },
}


def main() -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description="write schema/v1alpha1/core-types.json")
    parser.add_argument("--check", action="store_true", help="only compare; exit code 1 if the file is not current")
    check = parser.parse_args().check
    found = client_kubernetes_version()
    if found != KUBERNETES_VERSION:
        major = KUBERNETES_VERSION.partition(".")[2]
        print(f"error: the client is of Kubernetes {found}, the table of {KUBERNETES_VERSION}", file=sys.stderr)
        print(f"  pip install 'kubernetes=={major}.*'", file=sys.stderr)
        return 2
    text = render(table())
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"error: {TARGET.name} is not current\n  run python tools/core_types.py", file=sys.stderr)
    return 1


def client_kubernetes_version() -> str:
    """Read the version of the API from the header that the client's generator puts into every model."""
    header = sys.modules[models.V1PodSpec.__module__].__doc__ or ""
    match = re.search(r"OpenAPI document: release-([0-9]+\.[0-9]+)", header)
    return match[1] if match else "an unknown version"


def table() -> dict[str, Any]:
    """Make the document."""
    types: dict[str, Any] = {}
    models_of: dict[str, str] = {}
    pending = [model for kinds in KINDS.values() for model in kinds]
    while pending:
        model = pending.pop()
        name = type_name(model)
        if models_of.setdefault(name, model) != model:
            raise SystemExit(f"error: two models of the client have one name: {model} and {models_of[name]}")
        if name not in types:
            types[name], reached = describe(model)
            pending += reached
    for (name, field), (original, copy) in _COPIES.items():
        types[copy] = {key: value for key, value in types[original].items() if key != "defaults"}
        types[name]["fields"][field] = {"type": copy}
    refuse_unused(types)
    return {
        "description": _DESCRIPTION,
        "kubernetesVersion": KUBERNETES_VERSION,
        "generatedBy": "tools/core_types.py",
        "kinds": {version: {kind_name(each): type_name(each) for each in kinds} for version, kinds in KINDS.items()},
        "types": dict(sorted(types.items())),
    }


def refuse_unused(types: dict[str, Any]) -> None:
    """Refuse entries of the tables above that fit no field."""
    known = {(name, field) for name, each in types.items() for field in each["fields"]}
    unused = {*_TYPES} - known
    for written in (_ENUMS, _DEFAULTS):
        unused |= {(name, field) for name, fields in written.items() for field in fields} - known
    unused |= {(name, field) for name, fields in _REQUIRED.items() for field in fields} - known
    unused |= {(name, field) for name in _MERGE_KEYS for field in _MERGE_KEYS[name] if not is_list(types, name, field)}
    if unused:
        raise SystemExit(f"error: the client has no such fields any more: {sorted(unused)}")


def describe(model: str) -> tuple[dict[str, Any], list[str]]:
    """Describe one model, and name the models that it mentions."""
    made = getattr(models, model)
    name = type_name(model)
    fields: dict[str, dict[str, str]] = {}
    reached = []
    for attribute, declared in made.openapi_types.items():
        field = made.attribute_map[attribute]
        described, mentioned = describe_type(declared)
        fields[field] = _TYPES.get((name, field), described)
        if mentioned:
            reached.append(mentioned)
    description: dict[str, Any] = {"fields": dict(sorted(fields.items()))}
    required = {
        info.serialization_alias or attribute for attribute, info in made.model_fields.items() if info.is_required()
    }
    required |= set(_REQUIRED.get(name, ()))
    if required:
        description["required"] = sorted(required)
    for member, written in (("mergeKeys", _MERGE_KEYS), ("enums", _ENUMS), ("defaults", _DEFAULTS)):
        if name in written:
            description[member] = written[name]
    return description, reached


def describe_type(declared: str) -> tuple[dict[str, str], str | None]:
    """Describe a type as the client declares it, and name the model in it, if any."""
    for pattern, kind, element in ((r"List\[(\w+)\]", "list", "items"), (r"Dict\[str, (\w+)\]", "map", "values")):
        match = re.fullmatch(pattern, declared)
        if match:
            name, model = named(match[1])
            return {"type": kind, element: name}, model
    name, model = named(declared)
    return {"type": name}, model


def named(declared: str) -> tuple[str, str | None]:
    """Give our name of a type without parameters, and the model, if it is one."""
    if declared in _SCALARS:
        return _SCALARS[declared], None
    if not hasattr(models, declared):
        raise SystemExit(f"error: the client has a type that this script does not know: {declared}")
    return type_name(declared), declared


def type_name(model: str) -> str:
    """Give the name of a type in the API: the client puts the version, and where names collide the group, before it."""
    return re.sub(r"^(Core)?V1(?=[A-Z])", "", model)


def kind_name(model: str) -> str:
    """Give the kind that a model is of."""
    return re.sub(r"^([A-Z][a-z]+)?V[0-9]+((alpha|beta)[0-9]+)?(?=[A-Z])", "", model)


def is_list(types: dict[str, Any], name: str, field: str) -> bool:
    """Whether a type has a list of that name."""
    return bool(types.get(name, {}).get("fields", {}).get(field, {}).get("type") == "list")


def render(document: dict[str, Any]) -> str:
    """Write the document with one field in a line, so that a new version of Kubernetes shows as lines in a diff."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    # What holds no further list or map goes on one line if it fits.
    return re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", lambda match: on_one_line(match[0]), text) + "\n"


def on_one_line(text: str) -> str:
    """Write a JSON value on one line unless it is long."""
    line = json.dumps(json.loads(text), ensure_ascii=False)
    return line if len(line) <= _MAX_LINE else text


if __name__ == "__main__":
    sys.exit(main())

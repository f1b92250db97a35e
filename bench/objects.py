"""Objects to read: of the size and shape that clusters hold."""

from __future__ import annotations

from typing import Any


def _template(name: str, gpus: int) -> dict[str, Any]:
    """A pod template as users write it."""
    return {
        "metadata": {"labels": {"app": name, "tier": "gpu"}, "annotations": {"example.org/owner": "lab"}},
        "spec": {
            "restartPolicy": "Never",
            "schedulerName": "default-scheduler",
            "nodeSelector": {"accelerator": "h100"},
            "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
            "initContainers": [
                {"name": "fetch", "image": "registry.example/fetch:1", "resources": {"requests": {"cpu": "500m"}}}
            ],
            "containers": [
                {
                    "name": "main",
                    "image": f"registry.example/{name}:1",
                    "command": ["python", "train.py"],
                    "env": [{"name": "RANK", "value": "0"}, {"name": "EPOCHS", "value": "10"}],
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                    "resources": {
                        "requests": {"cpu": "8", "memory": "64Gi"},
                        "limits": {"memory": "64Gi", "nvidia.com/gpu": gpus},
                    },
                }
            ],
        },
    }


def _metadata(name: str) -> dict[str, Any]:
    """Metadata of a live object."""
    return {
        "name": name,
        "namespace": "lab",
        "uid": "6a1c1f7e-0000-4000-8000-000000000001",
        "generation": 3,
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "labels": {"team": "research"},
        "annotations": {},
    }


def jobset() -> dict[str, Any]:
    """A JobSet of a leader and two Jobs of four workers, running."""
    jobs = [("leader", 1, 1, 0), ("worker", 2, 4, 8)]
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": _metadata("train"),
        "spec": {
            "replicatedJobs": [
                {
                    "name": name,
                    "replicas": replicas,
                    "template": {
                        "spec": {
                            "parallelism": pods,
                            "completions": pods,
                            "completionMode": "Indexed",
                            "template": _template(name, gpus),
                        }
                    },
                }
                for name, replicas, pods, gpus in jobs
            ],
            "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
            "successPolicy": {"operator": "All"},
        },
        "status": {
            "restarts": 0,
            "replicatedJobsStatus": [
                {"name": name, "ready": replicas, "active": replicas, "succeeded": 0, "failed": 0, "suspended": 0}
                for name, replicas, _pods, _gpus in reversed(jobs)
            ],
        },
    }


def leaderworkerset() -> dict[str, Any]:
    """A LeaderWorkerSet of two groups of four, available."""
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": _metadata("serve"),
        "spec": {
            "replicas": 2,
            "startupPolicy": "LeaderCreated",
            "leaderWorkerTemplate": {
                "size": 4,
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": _template("leader", 1),
                "workerTemplate": _template("worker", 8),
            },
        },
        "status": {
            "replicas": 2,
            "readyReplicas": 2,
            "updatedReplicas": 2,
            "observedGeneration": 3,
            "conditions": [
                {"type": "Progressing", "status": "False", "reason": "GroupsProgressing", "message": "progressing"},
                {"type": "Available", "status": "True", "reason": "AllGroupsReady", "message": "all ready"},
            ],
        },
    }


def raycluster() -> dict[str, Any]:
    """A RayCluster of a head and two worker groups, ready."""
    groups = [("small", 4, 1, 1), ("large", 2, 2, 8)]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": _metadata("ray"),
        "spec": {
            "rayVersion": "2.46.0",
            "headGroupSpec": {"rayStartParams": {}, "template": _template("head", 0)},
            "workerGroupSpecs": [
                {
                    "groupName": name,
                    "replicas": replicas,
                    "minReplicas": 1,
                    "maxReplicas": 10,
                    "numOfHosts": hosts,
                    "rayStartParams": {},
                    "template": _template(name, gpus),
                }
                for name, replicas, hosts, gpus in groups
            ],
        },
        "status": {
            "state": "ready",
            "observedGeneration": 3,
            "desiredWorkerReplicas": 8,
            "readyWorkerReplicas": 8,
            "availableWorkerReplicas": 8,
            "conditions": [
                {"type": "HeadPodReady", "status": "True", "reason": "HeadPodRunningAndReady"},
                {"type": "RayClusterProvisioned", "status": "True", "reason": "AllPodRunningAndReadyFirstTime"},
                {"type": "RayClusterSuspended", "status": "False", "reason": "RayClusterSuspended"},
                {"type": "RayClusterSuspending", "status": "False", "reason": "RayClusterSuspending"},
            ],
        },
    }

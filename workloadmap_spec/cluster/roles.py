"""The permissions that reading from a cluster needs, as an object that a cluster takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cluster.plurals import plural_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.cluster.discovery import Discovery
    from workloadmap_spec.mapping import CompiledMapping

#: All that is ever asked for.
VERBS: Final = ("get", "list", "watch")

_NAME: Final = "workloadmap-reader"

#: The kinds of references that the mapping computes, by its group, its kind and the name of the reference: what the
#: frameworks allow there. Sources: argo-workflows `pkg/apis/workflow/v1alpha1/workflow_types.go`,
#: `WorkflowTemplateRef`; argo-rollouts `rollout/templateref.go`; agent-sandbox, `extensions/api`; trainer
#: `pkg/apis/trainer/v1alpha1/trainjob_types.go`, `RuntimeRef`.
COMPUTED: Final[Mapping[tuple[str, str, str], tuple[tuple[str, str], ...]]] = {
    ("argoproj.io", "Rollout", "workload"): (("apps", "Deployment"), ("apps", "ReplicaSet"), ("", "PodTemplate")),
    ("argoproj.io", "Workflow", "template"): (
        ("argoproj.io", "ClusterWorkflowTemplate"),
        ("argoproj.io", "WorkflowTemplate"),
    ),
    ("extensions.agents.x-k8s.io", "SandboxClaim", "sandbox"): (("agents.x-k8s.io", "Sandbox"),),
    ("trainer.kubeflow.org", "TrainJob", "runtime"): (
        ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
        ("trainer.kubeflow.org", "TrainingRuntime"),
    ),
}

#: The text of a version that is that of the workload, and so its group.
_OWN_VERSION: Final = {"value": "object.apiVersion"}


def cluster_role(mappings: Iterable[CompiledMapping], discovery: Discovery | None = None) -> dict[str, Any]:
    """A ClusterRole that lets somebody read the kinds of some mappings, their pods, and what they refer to.

    Args:
        mappings: Such as `Catalog.mappings()` gives.
        discovery: What a cluster serves, which knows the names of its resources; else they are derived.

    Returns:
        The object. Rules are by group, resources by name. Of a reference whose kind is computed those kinds are in it
        that the framework allows; `unknown_references` tells where nobody knows.
    """
    resources: dict[str, set[str]] = {"": {"pods"}}
    known = {} if discovery is None else {(one.group, one.kind): one.plural for one in discovery.resources}
    for mapping in mappings:
        kinds = [(mapping.group, mapping.kind)]
        for _, found in _references(mapping):
            kinds += found or ()
        for group, kind in kinds:
            resources.setdefault(group, set()).add(known.get((group, kind)) or plural_of(group, kind))
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _NAME},
        "rules": [
            {"apiGroups": [group], "resources": sorted(names), "verbs": list(VERBS)}
            for group, names in sorted(resources.items())
        ],
    }


def unknown_references(mappings: Iterable[CompiledMapping]) -> list[tuple[str, str]]:
    """The references whose kinds `cluster_role` does not know: the name of each mapping, and that of its reference."""
    return [(mapping.name, name) for mapping in mappings for name, found in _references(mapping) if found is None]


def _references(mapping: CompiledMapping) -> list[tuple[str, list[tuple[str, str]] | None]]:
    """The references of a mapping with the groups and kinds that they may be of; None where nobody knows."""
    found: list[tuple[str, list[tuple[str, str]] | None]] = []
    for entry in mapping.document["spec"].get("references", ()):
        kinds: list[tuple[str, str]] | None = []
        for target in entry.get("candidates", [entry]):
            api_version, kind = target["apiVersion"], target["kind"]
            if kinds is None:
                continue
            if isinstance(kind, str) and isinstance(api_version, str):
                kinds.append((api_version.rpartition("/")[0], kind))
            elif isinstance(kind, str) and api_version == _OWN_VERSION:
                kinds.append((mapping.group, kind))
            else:
                computed = COMPUTED.get((mapping.group, mapping.kind, entry["name"]))
                kinds = None if computed is None else [*kinds, *computed]
        found.append((entry["name"], kinds))
    return found

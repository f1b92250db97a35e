"""Objects that have been through a server are read as they were sent, and their pods are found there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import Catalog
from workloadmap_spec.pointer import PointerError, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from e2e.cluster import Cluster
    from e2e.seed import Seed, Seeded

#: Kinds that must be there; fewer would say little about servers.
MIN_KINDS: Final = 25

#: The least share of pods that are told to be of a part of their workload. The labels of the others are made by rules
#: that their mappings write as longer expressions, which say how to read a label and not how to make one.
MIN_PLACED: Final = 0.8

#: What is not on the server: project, what was refused and kind, and a part of the reason.
REFUSED: Final[Mapping[tuple[str, str, str], str]] = {
    # Documents that nobody takes.
    ("argo-workflows", "document", ""): "neither apiVersion nor kind",
    ("kubernetes-apps", "document", ""): "the key `updateStrategy` is written twice",
    # There are no definitions of these kinds or versions.
    ("dynamo", "object", "DynamoGraphDeployment"): "does not serve",
    ("workload-map", "object", "DynamoGraphDeployment"): "does not serve",
    (
        "flink-kubernetes-operator",
        "object",
        "FlinkDeployment",
    ): "does not serve FlinkDeployment of flink.apache.org/v1a",
    ("kuberay", "object", "Queue"): "does not serve",
    ("ome", "object", "ClusterServingRuntime"): "does not serve",
    ("slurm-operator", "object", "PodGroup"): "does not serve",
    ("slurm-operator", "object", "Workload"): "does not serve",
    ("tekton-pipeline", "object", "Pipeline"): "does not serve",
    ("tekton-pipeline", "object", "Task"): "does not serve",
    # Two projects define the kind, in different versions and with one name, so a server can have one of them only.
    ("kubeflow-training-v1", "object", "MPIJob"): "does not serve MPIJob of kubeflow.org/v1",
    # Servers since Kubernetes 1.22 want the type of what is in a list.
    ("seldon-core", "definition", "SeldonDeployment"): "must not be empty for specified array items",
    ("seldon-core", "object", "SeldonDeployment"): "does not serve",
    # Objects cut down to what a test of their project needs.
    ("kserve", "object", "InferenceService"): "spec.predictor: Required value",
    ("slurm-operator", "object", "NodeSet"): "spec.controllerRef: Required value",
    ("spark-operator", "object", "SparkApplication"): "spec.mainApplicationFile: Required value",
    # Objects and definitions of different versions of a project, or samples that are wrong.
    ("grove", "object", "PodCliqueSet"): "roleName: Required value",
    ("nvidia-nim", "object", "NIMService"): "spec.replicas cannot be set when spec.scale.enabled is true",
    ("kubernetes-batch", "status", "Job"): "startTime is required for finished job",
    ("spark-kubernetes-operator", "status", "SparkApplication"): 'in body must be of type object: "array"',
    ("spark-kubernetes-operator", "status", "SparkCluster"): 'in body must be of type object: "array"',
}

#: Metadata that the server sets and that a reading may rest on.
OF_THE_SERVER: Final = ("uid", "generation", "creationTimestamp")

#: Fields of pod templates that the server fills in, for its own kinds or as defaults of a definition.
TEMPLATE_DEFAULTS: Final = {
    "dnsPolicy",
    "enableServiceLinks",
    "imagePullPolicy",
    "protocol",
    "resources",
    "restartPolicy",
    "schedulerName",
    "securityContext",
    "terminationGracePeriodSeconds",
    "terminationMessagePath",
    "terminationMessagePolicy",
    # Pods leave a node that does not answer after a time, which an admission plug-in sets.
    "tolerations",
    # Of a path of the node.
    "type",
    # Of a Job, whose pods are told by its uid.
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
}

#: Fields of pod templates that came after the server's version, which drops what it does not know of its own kinds.
LATER_FIELDS: Final = {"schedulingGroup"}

#: Stands for what is not there.
MISSING: Final = object()


def test_many_kinds_are_on_the_server(cluster: Cluster, seed: Seed) -> None:
    """Every object that was taken is found in the list of its kind."""
    assert len(seed.kinds()) >= MIN_KINDS
    for api_version, kind in sorted(seed.kinds()):
        listed = {place(item) for item in cluster.list(api_version, kind)}
        sent = {place(entry.sent) for entry in seed.workloads if entry.gvk == (api_version, kind)}
        assert sent <= listed, kind


def test_what_is_refused_is_told_with_the_reason(seed: Seed) -> None:
    """Each refusal is one that is known here, and none of those that are known has gone away."""
    for refusal in seed.refusals:
        key = (refusal.source.project, refusal.what, refusal.kind)
        assert REFUSED.get(key, "unknown") in refusal.reason, f"{refusal.source}: {refusal.reason}"
    assert {(refusal.source.project, refusal.what, refusal.kind) for refusal in seed.refusals} == set(REFUSED)


def test_an_object_is_read_from_the_server_as_it_was_sent(cluster: Cluster, seed: Seed) -> None:
    """The maps differ in nothing but defaults: fields of pod templates, and places where there was nothing before."""
    unexplained: list[str] = []
    explained: set[str] = set()
    for entry in seed.workloads:
        stored = cluster.get(*entry.gvk, entry.name, entry.namespace)
        given = {name: stored["metadata"][name] for name in OF_THE_SERVER if name in stored["metadata"]}
        sent = {**entry.sent, "metadata": {**entry.sent["metadata"], **given}}
        before, after = (Catalog.builtin().read(value).to_dict() for value in (sent, stored))
        for at, old, new in differences(before, after):
            if why := explanation(at, old, new, sent, stored):
                explained.add(why)
            else:
                unexplained.append(f"{entry.source}: {'/'.join(at)}: {old!r}, and from the server {new!r}")
    assert not unexplained, "\n".join(unexplained)
    assert explained == {"default", "later field", "number as text", "place of a default"}


def test_pods_are_found_by_the_selectors_of_their_workload(cluster: Cluster, seed: Seed) -> None:
    """The server takes the selectors, and finds with them every pod that was made; most have their place in the map."""
    placed = made = 0
    for entry in seed.workloads:
        stored = cluster.get(*entry.gvk, entry.name, entry.namespace)
        found = pods_of(cluster, entry, stored)
        assert set(entry.pods) <= found.keys(), entry.source
        own = [found[name] for name in entry.pods]
        shown = Catalog.builtin().read(stored, pods=own).to_dict()
        assert len(shown.get("pods", ())) + len(shown.get("unattributed", ())) == len(own), entry.source
        placed += len(shown.get("pods", ()))
        made += len(own)
    assert made >= len(seed.kinds())
    assert placed >= made * MIN_PLACED


def place(value: dict[str, Any]) -> tuple[str | None, str]:
    """Namespace and name of an object."""
    return value["metadata"].get("namespace"), value["metadata"]["name"]


def pods_of(cluster: Cluster, entry: Seeded, stored: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The pods in the namespace of a workload that one of its selectors matches, by name."""
    selectors = Catalog.builtin().pod_selectors(stored)
    listed = [pod for selector in selectors for pod in cluster.list("v1", "Pod", entry.namespace, selector)]
    return {pod["metadata"]["name"]: pod for pod in listed}


def differences(old: object, new: object, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object, object]]:
    """Where two values differ, as deep as both are maps, or lists of one length; what is added is taken apart too."""
    if isinstance(new, dict) and new and (isinstance(old, dict) or old is MISSING):
        known = old if isinstance(old, dict) else {}
        for key in sorted(known.keys() | new.keys()):
            yield from differences(known.get(key, MISSING), new.get(key, MISSING), (*at, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from differences(left, right, (*at, str(index)))
    elif old is MISSING or old != new:
        yield at, old, new


def explanation(at: tuple[str, ...], old: object, new: object, sent: object, stored: object) -> str | None:
    """Why two maps may differ at a place, or None."""
    if "podTemplate" in at and "sources" not in at:
        if old is MISSING:
            return "default" if TEMPLATE_DEFAULTS & set(at) else None
        if new is MISSING:
            return "later field" if at[-1] in LATER_FIELDS else None
        # A quantity may be written as a number; the server's own kinds write it as text.
        return "number as text" if "resources" in at and str(old) == new else None
    # What a reader takes for granted the server has written down.
    if "sources" in at and old is MISSING and leads(stored, new) and not leads(sent, new):
        return "place of a default"
    return None


def leads(value: object, pointer: object) -> bool:
    """Whether there is something at a place of an object."""
    try:
        resolve(value, str(pointer))
    except PointerError:
        return False
    return True

"""Kueue: the Workload that is made for it, what it refuses, and pod groups of kinds that it does not know."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.conftest import catalog_cases, small_mapping
from tests.test_podsets import CASES, POD_SETS, check
from tests.test_schedulers_valid import DATA, DEFINITIONS, definition_of
from workloadmap_spec import Catalog
from workloadmap_spec.data_rules import normalize
from workloadmap_spec.schedulers.kueue import VERSIONS
from workloadmap_spec.schedulers.model import Options

if TYPE_CHECKING:
    from pathlib import Path

    from workloadmap_spec.schedulers.render import Rendered

ASKED: Final = Options(queue="team-a", prebuilt=True)
QUEUED: Final = Options(queue="q")
API: Final = "kueue.x-k8s.io"


def load(name: str, **metadata: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """The documents of an input, with more metadata."""
    documents = list(yaml.safe_load_all((DATA / f"{name}.yaml").read_text()))
    documents[0]["metadata"].update(metadata)
    return documents


def queued(documents: list[Any], options: Options = ASKED) -> Rendered:
    """What is made for Kueue."""
    return Catalog.builtin().gang(documents[0], "kueue", options, documents[1:])


def kind(api: str, name: str, spec: dict[str, Any], **metadata: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """A workload of a kind that the inputs do not have."""
    return [{"apiVersion": api, "kind": name, "metadata": {"name": "it", "namespace": "ml", **metadata}, "spec": spec}]


def template(name: str = "main", **annotations: str) -> dict[str, Any]:
    """A pod template."""
    found: dict[str, Any] = {"spec": {"containers": [{"name": name, "image": f"example/{name}"}]}}
    if annotations:
        found["metadata"] = {"annotations": {f"{API}/{key.replace('_', '-')}": annotations[key] for key in annotations}}
    return found


def pod_sets(rendered: Rendered) -> dict[str, Any]:
    """The pod sets of the one Workload, by name."""
    (workload,) = rendered.rendering.objects
    return {entry["name"]: entry for entry in workload["spec"]["podSets"]}


def counts(rendered: Rendered) -> dict[str, int]:
    """Their counts."""
    return {name: entry["count"] for name, entry in pod_sets(rendered).items()}


def errors(rendered: Rendered) -> list[str]:
    """What cannot be said."""
    return [message.text for message in rendered.messages if message.severity == "error"]


def warnings(rendered: Rendered) -> list[str]:
    """What is lost."""
    return [message.text for message in rendered.messages if message.severity == "warning"]


RAY: Final[dict[str, Any]] = {
    "headGroupSpec": {"template": template("head")},
    "workerGroupSpecs": [
        {"groupName": "Small", "replicas": 5, "minReplicas": 2, "maxReplicas": 9, "template": template()},
        {"groupName": "slice", "replicas": 3, "maxReplicas": 9, "numOfHosts": 4, "template": template()},
    ],
}


# The Workload


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("jobset", {"leader": 1, "worker": 8}),
        # Kueue looks at no order.
        ("jobset-depends-on", {"leader": 1, "worker": 8}),
        ("mpijob-at-startup", {"launcher": 1, "worker": 4}),
        ("mpijob-wait-for-workers", {"launcher": 1, "worker": 4}),
        # What is wanted, not what is enough.
        ("pytorchjob-elastic", {"master": 1, "worker": 6}),
    ],
)
def test_the_workload_has_the_pod_sets_of_kueue(name: str, expected: dict[str, int]) -> None:
    """Names, counts and their order are those of pkg/controller/jobs; the workload names its Workload."""
    documents = load(name)
    rendered = queued(documents)
    assert list(counts(rendered).items()) == list(expected.items())
    (workload,) = rendered.rendering.objects
    assert workload["spec"]["queueName"] == "team-a"
    own = f"{documents[0]['kind'].lower()}-{documents[0]['metadata']['name']}"
    assert workload["metadata"]["name"] == own
    assert rendered.rendering.workload.labels == {f"{API}/queue-name": "team-a", f"{API}/prebuilt-workload-name": own}
    assert rendered.rendering.workload.annotations == {f"{API}/prebuilt-workload-name": own}


def test_the_whole_workload() -> None:
    """A JobSet's, as Kueue would make it."""
    documents = load("jobset", labels={f"{API}/max-exec-time-seconds": "60"})
    leader, worker = (job["template"]["spec"]["template"] for job in documents[0]["spec"]["replicatedJobs"])
    leader["metadata"] = {
        "name": "not-taken",
        "labels": {"a": "b"},
        "annotations": {f"{API}/podset-unconstrained-topology": "True"},
    }
    worker["metadata"] = {
        "annotations": {f"{API}/podset-slice-required-topology": "rack", f"{API}/podset-slice-size": "2"}
    }
    index = {
        "podIndexLabel": "batch.kubernetes.io/job-completion-index",
        "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index",
    }
    (workload,) = queued(documents).rendering.objects
    assert workload == {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": "jobset-train",
            "namespace": "ml",
            "ownerReferences": [
                {
                    "apiVersion": "jobset.x-k8s.io/v1alpha2",
                    "kind": "JobSet",
                    "name": "train",
                    "uid": documents[0]["metadata"]["uid"],
                }
            ],
        },
        "spec": {
            "queueName": "team-a",
            "podSets": [
                {
                    "name": "leader",
                    "count": 1,
                    "template": {
                        "spec": leader["spec"],
                        "metadata": {name: leader["metadata"][name] for name in ("labels", "annotations")},
                    },
                    "topologyRequest": {"unconstrained": True, **index, "subGroupCount": 1},
                },
                {
                    "name": "worker",
                    "count": 8,
                    "template": {"spec": worker["spec"], "metadata": worker["metadata"]},
                    "topologyRequest": {
                        "podSetSliceRequiredTopology": "rack",
                        "podSetSliceSize": 2,
                        **index,
                        "subGroupCount": 4,
                    },
                },
            ],
            "maximumExecutionTimeSeconds": 60,
        },
    }


def test_templates_are_those_of_the_object() -> None:
    """Not those of its pods, which have what the operator adds: Kueue would end the Workload as out of sync."""
    spec = {"rayClusterSpec": RAY, "shutdownAfterJobFinishes": True, "submissionMode": "SidecarMode"}
    rendered = queued(kind("ray.io/v1", "RayJob", spec))
    head = rendered.gang.places[0].template
    assert head is not None
    assert head["spec"]["restartPolicy"] == "Never"
    assert "restartPolicy" not in pod_sets(rendered)["head"]["template"]["spec"]


def test_a_job_as_the_cluster_has_it() -> None:
    """Its template is completed by the API server; fewer pods than wanted are enough where it says so."""
    spec = {"parallelism": 4, "completions": 3, "template": template()}
    job = kind("batch/v1", "Job", spec, uid="u", annotations={f"{API}/job-min-parallelism": "2"})
    rendered = queued(job)
    assert pod_sets(rendered)["main"] == {
        "name": "main",
        "count": 3,
        "template": template(),
        "minCount": 2,
        "topologyRequest": {"podIndexLabel": "batch.kubernetes.io/job-completion-index"},
    }
    assert warnings(rendered) == []
    del job[0]["metadata"]["annotations"]
    assert warnings(queued(job)) == ["Kueue admits all of its 3 pods, though 1 is enough to start"]
    del job[0]["metadata"]["uid"]
    assert "was not created yet" in errors(queued(job))[0]


@pytest.mark.parametrize("value", ["0", "3", "many"])
def test_a_minimum_that_kueue_refuses(value: str) -> None:
    """It is more than none and fewer than all."""
    spec = {"parallelism": 3, "template": template()}
    job = kind("batch/v1", "Job", spec, uid="u", annotations={f"{API}/job-min-parallelism": value})
    assert errors(queued(job)) == [
        "no Workload is made: Kueue refuses kueue.x-k8s.io/job-min-parallelism unless it is a number from 1 to 2"
    ]


def test_a_pod() -> None:
    """One pod is one set."""
    assert counts(queued(kind("v1", "Pod", template()["spec"], uid="u"))) == {"main": 1}
    assert "was not created yet" in errors(queued(kind("v1", "Pod", template()["spec"])))[0]


def test_clusters_of_ray() -> None:
    """Replicas are those wanted, a host each; 0 is the default, and a suspended group counts."""
    first, second = RAY["workerGroupSpecs"]
    none = {"groupName": "none", "template": template()}
    spec = {**RAY, "workerGroupSpecs": [{**first, "suspend": True}, second, none]}
    expected = {"head": 1, "small": 5, "slice": 12, "none": 0}
    for api in ("ray.io/v1", "ray.io/v1alpha1"):
        assert counts(queued(kind(api, "RayCluster", spec))) == expected
        assert counts(queued(kind(api, "RayService", {"rayClusterConfig": spec}))) == expected


@pytest.mark.parametrize(
    ("mode", "more", "names", "head"),
    [
        ({}, {}, ["head", "small", "slice", "submitter"], ["head"]),
        ({"submissionMode": "HTTPMode"}, {}, ["head", "small", "slice"], ["head"]),
        ({"submissionMode": "SidecarMode"}, {}, ["head", "small", "slice"], ["head", "ray-job-submitter"]),
        ({"submitterPodTemplate": template("own")}, {"name": "own"}, ["head", "small", "slice", "submitter"], ["head"]),
    ],
)
def test_jobs_of_ray(mode: dict[str, Any], more: dict[str, Any], names: list[str], head: list[str]) -> None:
    """What submits the job is a set of its own, or a container of the head."""
    spec = {"rayClusterSpec": RAY, "shutdownAfterJobFinishes": True, **mode}
    found = pod_sets(queued(kind("ray.io/v1", "RayJob", spec)))
    assert list(found) == names
    assert [one["name"] for one in found["head"]["template"]["spec"]["containers"]] == head
    if "submitter" in found:
        (container,) = found["submitter"]["template"]["spec"]["containers"]
        assert container["name"] == more.get("name", "ray-job-submitter")
        assert container["image"] == ("example/own" if more else "example/head")


def test_roles_in_the_order_of_kueue() -> None:
    """Whichever it is in the object; other roles are none."""
    names = ("Worker", "PS", "Evaluator", "Master", "Chief", "Other")
    spec = {"tfReplicaSpecs": {name: {"replicas": i + 1, "template": template()} for i, name in enumerate(names)}}
    found = queued(kind("kubeflow.org/v1", "TFJob", spec))
    assert list(counts(found).items()) == [("chief", 5), ("master", 4), ("ps", 2), ("worker", 1), ("evaluator", 3)]


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        (load("leaderworkerset"), "Kueue takes no Workload for a LeaderWorkerSet but its own"),
        (kind("apps/v1", "Deployment", {"template": template()}), "no Workload for a Deployment but its own"),
        (kind("apps/v1", "StatefulSet", {"template": template()}), "no Workload for a StatefulSet but its own"),
        (
            kind("kubeflow.org/v1", "JAXJob", {"jaxReplicaSpecs": {"Worker": {"template": template()}}}),
            "no Workload for a JAXJob but its own",
        ),
        (
            kind("sparkoperator.k8s.io/v1beta2", "SparkApplication", {"driver": {}, "executor": {}}),
            "no Workload for a SparkApplication but its own",
        ),
        (load("trainjob"), "what the Trainer adds"),
        (load("appwrapper"), "what the API server would add"),
        (load("jobset", annotations={f"{API}/elastic-job": "true"}), "new Workload of an elastic job"),
        (load("raycluster", annotations={f"{API}/elastic-job": "true"}), "new Workload of an elastic job"),
        (kind("ray.io/v1", "RayCluster", {**RAY, "gcsFaultToleranceOptions": {}}), "clean-up of Redis"),
        (
            kind("ray.io/v1", "RayCluster", dict(RAY), annotations={"ray.io/ft-enabled": "true"}),
            "clean-up of Redis",
        ),
        (kind("ray.io/v1", "RayService", {}), "lacks what its pods are made of"),
        (kind("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": "none"}), "its replicatedJobs are no list"),
        (kind("jobset.x-k8s.io/v1alpha2", "JobSet", {}), "1 to 18 pod sets, and this has 0"),
        (
            kind("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {"template": {"spec": {}}}}}),
            "a pod template without containers",
        ),
    ],
)
def test_a_workload_that_kueue_would_not_take(documents: list[Any], text: str) -> None:
    """None is made, and the workload is queued no less: then Kueue makes its own."""
    rendered = queued(documents)
    assert rendered.rendering.objects == []
    assert rendered.rendering.workload.labels == {f"{API}/queue-name": "team-a"}
    assert any(text in error for error in errors(rendered))


def test_an_unknown_count_makes_no_workload() -> None:
    """A pod set is a number."""
    documents = load("jobset")
    documents[0]["spec"]["replicatedJobs"][1]["replicas"] = "many"
    rendered = queued(documents)
    assert rendered.rendering.objects == []
    assert any("its replicas are no number" in error for error in errors(rendered))


def test_names_that_kueue_cannot_give() -> None:
    """A name of a pod set is a DNS label, and none is there twice."""
    for names in (["a_b", "c"], ["same", "SAME"]):
        workers = [{"groupName": name, "template": template()} for name in names]
        rendered = queued(kind("ray.io/v1", "RayCluster", {**RAY, "workerGroupSpecs": workers}))
        assert rendered.rendering.objects == []
        assert any("names of its pod sets" in error for error in errors(rendered))


def test_a_priority_class_needs_its_number() -> None:
    """Whoever asks for it: it is not known, so that both are left out."""
    text = "needs its number too"
    asked = queued(load("jobset"), Options(queue="q", priority="high", prebuilt=True))
    assert any(text in warning for warning in warnings(asked))
    assert "priorityClassRef" not in asked.rendering.objects[0]["spec"]
    documents = load("jobset")
    assert warnings(queued(documents)) == []
    documents[0]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["priorityClassName"] = "high"
    assert any(text in warning for warning in warnings(queued(documents)))
    documents = load("pytorchjob-elastic")
    documents[0]["spec"]["runPolicy"] = {"schedulingPolicy": {"priorityClass": "high"}}
    assert any(text in warning for warning in warnings(queued(documents)))


def test_pod_sets_are_counted_as_kueue_does() -> None:
    """Every case of the suite that Kueue takes a Workload for, but for those that it counts otherwise."""
    catalog = Catalog.builtin()
    counted: Counter[str] = Counter()
    for case in CASES:
        value: Any = normalize(case.request["object"])
        document = case.expect.get("document", {})
        if not value.get("spec") or not value.get("metadata", {}).get("name") or document.get("diagnostics"):
            continue
        value["metadata"]["uid"] = "of-a-server"
        rendered = catalog.gang(value, "kueue", ASKED)
        if rendered.rendering.objects and check(value):
            rule = POD_SETS[value["apiVersion"], value["kind"]]
            assert +Counter(counts(rendered)) == +rule(value["spec"])
            counted[value["kind"]] += 1
    taken = {name for _api, name in POD_SETS}
    assert counted.keys() == taken - {"Deployment", "LeaderWorkerSet", "StatefulSet", "JAXJob", "SparkApplication"}


@pytest.mark.parametrize("version", VERSIONS)
def test_workloads_fit_the_definition(shared: Path, version: str) -> None:
    """Every Workload of the suite fits the definition that Kueue ships."""
    validator = Draft202012Validator(definition_of(shared / DEFINITIONS["kueue"], version.rpartition("/")[2]))
    catalog = Catalog.builtin()
    options = Options(version, queue="team-a", prebuilt=True)
    count = 0
    for case in catalog_cases():
        value = case.request["object"]
        if case.request.get("mappings") or not value.get("metadata", {}).get("name"):
            continue
        if (value["apiVersion"], value["kind"]) not in POD_SETS or case.expect.get("outcome") != "ok":
            continue
        for one in catalog.gang(value, "kueue", options, case.request.get("references")).rendering.objects:
            # The pods are the users' own.
            sets = [
                {**entry, "template": {**entry["template"], "spec": {"containers": [{"name": "main"}]}}}
                for entry in one["spec"]["podSets"]
            ]
            spec = {**one["spec"], "podSets": sets}
            assert [error.message for error in validator.iter_errors(spec)] == [], case.id
            count += 1
    assert count > 100


def test_the_golden_workloads_fit_the_definition(shared: Path) -> None:
    """With their pods."""
    for version in VERSIONS:
        validator = Draft202012Validator(definition_of(shared / DEFINITIONS["kueue"], version.rpartition("/")[2]))
        count = 0
        for path in sorted(DATA.glob("*.yaml")):
            options = Options(version, queue="team-a", prebuilt=True)
            for one in queued(load(path.stem), options).rendering.objects:
                assert one["apiVersion"] == version
                assert [error.message for error in validator.iter_errors(one["spec"])] == []
                count += 1
        assert count == 5


# The queue


def test_a_queue_that_the_workload_has() -> None:
    """It is kept, unless another is asked for; the groups' own comes last."""
    label = f"{API}/queue-name"
    documents = load("jobset", labels={label: "own"})
    assert queued(documents, Options()).rendering.workload.labels == {label: "own"}
    assert queued(documents, Options(queue="asked")).rendering.workload.labels == {label: "asked"}
    documents = load("pytorchjob-elastic")
    documents[0]["spec"]["runPolicy"] = {"schedulingPolicy": {"queue": "of-volcano"}}
    assert queued(documents, Options()).rendering.workload.labels == {label: "of-volcano"}


def test_no_queue() -> None:
    """Nothing is queued, and what can be done is told."""
    for documents in (load("jobset"), load("podcliqueset")):
        rendered = queued(documents, Options(priority="high"))
        assert not rendered.rendering.workload.to_dict()
        assert rendered.bound == ()
        assert "Kueue takes what is in a queue, and none is given" in errors(rendered)
        assert any("give --queue" in (message.cure or "") for message in rendered.messages)


def test_groups_in_several_queues() -> None:
    """Kueue takes one of a workload that it knows."""
    documents = load("appwrapper")
    components = documents[0]["spec"]["components"]
    for name, index in (("first", 0), ("second", 1)):
        components[index] = {"template": {**components[0]["template"], "spec": {**components[0]["template"]["spec"]}}}
        components[index]["template"]["spec"]["runPolicy"] = {"schedulingPolicy": {"queue": name}}
    rendered = queued(documents, Options())
    assert rendered.rendering.workload.labels == {f"{API}/queue-name": "first"}
    assert "its groups ask for the queues first, second, and Kueue takes one: first" in warnings(rendered)
    assert not any("ask for the queues" in text for text in warnings(queued(documents)))


AUTOSCALED: Final = {**RAY, "enableInTreeAutoscaling": True}


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        (load("raycluster"), "an autoscaler that is no elastic job"),
        (kind("ray.io/v1", "RayService", {"rayClusterConfig": AUTOSCALED}), "an autoscaler that is no elastic job"),
        (kind("ray.io/v1", "RayJob", {"rayClusterSpec": RAY}), "leaves its cluster behind"),
        (kind("ray.io/v1", "RayJob", {"clusterSelector": {"ray.io/cluster": "x"}}), "another's cluster"),
        (
            kind(
                "sparkoperator.k8s.io/v1beta2",
                "SparkApplication",
                {"driver": {}, "executor": {}, "dynamicAllocation": {"enabled": True}},
            ),
            "dynamic allocation",
        ),
        (
            kind("sparkoperator.k8s.io/v1beta2", "SparkApplication", {"driver": {}, "executor": {}, "mode": "client"}),
            "in another mode",
        ),
    ],
)
def test_what_kueue_refuses(documents: list[Any], text: str) -> None:
    """Its webhook would not let the workload in with a queue: it is told before."""
    rendered = queued(documents)
    assert any(text in error for error in errors(rendered))
    assert not rendered.rendering.workload.to_dict()
    assert rendered.rendering.objects == []


def test_an_elastic_job_may_change() -> None:
    """With the annotation it is let in."""
    rendered = queued(load("raycluster", annotations={f"{API}/elastic-job": "true"}), QUEUED)
    assert errors(rendered) == []
    assert rendered.rendering.workload.labels == {f"{API}/queue-name": "q"}


def test_too_many_pod_sets() -> None:
    """A Workload has at most 18."""
    documents = load("jobset")
    job = documents[0]["spec"]["replicatedJobs"][0]
    documents[0]["spec"]["replicatedJobs"] = [{**job, "name": f"job-{index}"} for index in range(19)]
    assert errors(queued(documents, QUEUED)) == ["Kueue refuses a workload of more than 18 pod sets, and this has 19"]


def test_options_that_kueue_has_no_place_for() -> None:
    """They are told."""
    rendered = queued(load("jobset"), Options(queue="q", topology="t", scheduler="s"))
    assert len(warnings(rendered)) == len(["topology", "scheduler"])


# Topology


def exclusive(**more: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """A LeaderWorkerSet whose groups lie in a domain each."""
    documents = load("leaderworkerset", annotations={"leaderworkerset.sigs.k8s.io/exclusive-topology": "rack"})
    documents[0]["spec"]["leaderWorkerTemplate"].update(more)
    return documents


def on_templates(rendered: Rendered) -> list[dict[str, str]]:
    """The annotations of the templates."""
    assert all(bound.is_static for bound in rendered.bound)
    return [dict(bound.template.annotations) for bound in rendered.bound]


def test_topology_of_one_pod_set() -> None:
    """Leader and workers of one template are one set."""
    assert on_templates(queued(exclusive(), QUEUED)) == [{f"{API}/podset-required-topology": "rack"}] * 2


def test_topology_of_a_pair_of_pod_sets() -> None:
    """A leader of its own template is placed with its workers."""
    rendered = queued(exclusive(leaderTemplate=template()), QUEUED)
    expected = {f"{API}/podset-required-topology": "rack", f"{API}/podset-group-name": "group-group"}
    assert on_templates(rendered) == [expected] * 2


def test_topology_of_subgroups_is_lost() -> None:
    """It is told."""
    documents = load("jobset-depends-on", annotations={"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"})
    assert "Kueue is not told of its subgroups: their topology is left out" in warnings(queued(documents))


def own_jobset(gang: str) -> Rendered:
    """A JobSet read by a mapping of its own, whose groups have a topology."""
    text = f"""
components:
- {{name: job, forEach: object.spec.replicatedJobs, instance: item.name, replicas: item.replicas,
    podTemplate: item.template.spec.template}}
gang:
{gang}
"""
    mapping = small_mapping(text)
    mapping["spec"]["workload"] = {"group": "jobset.x-k8s.io", "versions": ["v1alpha2"], "kind": "JobSet"}
    catalog = Catalog.builtin().with_documents([mapping])
    return catalog.gang(load("jobset")[0], "kueue", ASKED)


def test_topology_of_pod_sets_is_in_the_workload() -> None:
    """A required and a preferred one exclude each other; two sets of which one is a pod are placed together."""
    rendered = own_jobset("- {name: workload, members: [job], topology: {required: '\"zone\"', preferred: '\"rack\"'}}")
    assert "Kueue takes a required or a preferred topology: rack is left out" in warnings(rendered)
    expected = {f"{API}/podset-required-topology": "zone", f"{API}/podset-group-name": "group-workload"}
    for entry in pod_sets(rendered).values():
        assert entry["template"]["metadata"]["annotations"] == expected
        request = entry["topologyRequest"]
        assert (request["required"], request["podSetGroupName"]) == ("zone", "group-workload")


def test_topology_of_a_part_of_a_pod_set() -> None:
    """Kueue places pod sets, and no replicas of one."""
    rendered = own_jobset("- {name: each, per: {replicaOf: job}, members: [job], topology: {preferred: '\"zone\"'}}")
    assert "Kueue places whole pod sets, and it is part of one: zone is left out" in warnings(rendered)
    assert [bound.place.instance for bound in rendered.bound] == ["leader"]


# Pod groups

THING: Final = """
components:
- name: worker
  replicas: object.spec.replicas
  minAvailable: {value: object.spec.minimum, when: has(object.spec.minimum)}
  podTemplate: object.spec.template
- {name: other, replicas: object.spec.others, podTemplate: object.spec.otherTemplate, when: has(object.spec.others)}
gang:
- name: workload
  members: [worker, other]
  queue: object.spec.queue
  topology: {required: object.spec.zone}
"""


def thing(options: Options = QUEUED, **spec: Any) -> Rendered:  # noqa: ANN401 - JSON
    """A workload of a kind that Kueue does not know."""
    catalog = Catalog.builtin().with_documents([small_mapping(THING)])
    workload = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "thing"},
        "spec": {"template": template(), **spec},
    }
    return catalog.gang(workload, "kueue", options)


def test_pods_of_another_kind_are_a_group() -> None:
    """All of them are needed, and their number is known: a pod group, with the topology of its pods."""
    (binding,) = thing(replicas=3, zone="rack").to_dict()["bindings"]
    assert binding == {
        "component": "worker",
        "instance": "worker",
        "template": "/spec/template",
        "binding": "static",
        "labels": {f"{API}/queue-name": "q", f"{API}/pod-group-name": "thing"},
        "annotations": {
            f"{API}/pod-group-name": "thing",
            f"{API}/pod-group-total-count": "3",
            f"{API}/podset-required-topology": "rack",
        },
    }


def test_a_pod_group_in_its_own_queue() -> None:
    """Groups of a kind that Kueue does not know are queued one by one."""
    assert thing(Options(), replicas=3, queue="own").bound[0].template.labels[f"{API}/queue-name"] == "own"


def test_shapes_of_a_pod_group() -> None:
    """Pods of one template are a set; other sets are placed together only as a pair with a single pod."""
    same = thing(replicas=3, others=2, otherTemplate=template(), zone="rack")
    assert warnings(same) == []
    assert f"{API}/podset-group-name" not in same.bound[0].template.annotations
    pair = thing(replicas=1, others=2, otherTemplate=template("other"), zone="rack")
    assert [one.template.annotations[f"{API}/podset-group-name"] for one in pair.bound] == ["group-workload"] * 2
    lost = thing(replicas=3, others=2, otherTemplate=template("other"), zone="rack")
    assert warnings(lost) == ["Kueue places each of its 2 pod sets in a domain of its own: rack"]


def test_a_group_that_needs_no_pods() -> None:
    """There is nothing to wait for."""
    rendered = thing(replicas=3, minimum=0)
    assert rendered.bound == ()
    assert [message.text for message in rendered.messages] == [
        "it needs no pods, so there is nothing to wait for and no pod group"
    ]


@pytest.mark.parametrize(
    ("spec", "text"),
    [({"replicas": 3, "minimum": 2}, "it needs 2 of 3 pods"), ({"replicas": "many"}, "nobody knows how many pods")],
)
def test_what_is_no_pod_group(spec: dict[str, Any], text: str) -> None:
    """A pod group is a number of pods that are all needed."""
    rendered = thing(**spec)
    assert rendered.bound == ()
    assert any(text in error for error in errors(rendered))


def test_a_workload_for_a_kind_that_has_none() -> None:
    """It is told; the pods are groups."""
    assert "Kueue has no Workload for Thing: its pods are pod groups" in warnings(thing(ASKED, replicas=1))


def test_pods_of_too_many_shapes() -> None:
    """A pod group has at most 18 roles."""
    mapping = """
components:
- {name: part, forEach: object.spec.parts, instance: item.name, podTemplate: item.template}
gang: [{name: workload, members: [part]}]
"""
    parts = [{"name": f"p{index}", "template": template(f"c{index}")} for index in range(19)]
    workload = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"parts": parts}}
    catalog = Catalog.builtin().with_documents([small_mapping(mapping)])
    assert errors(catalog.gang(workload, "kueue", ASKED)) == [
        "its pods are of 19 templates, and a pod group of Kueue has at most 18"
    ]


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        (
            kind("batch/v1", "CronJob", {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template()}}}),
            "Kueue admits each of its Jobs by itself",
        ),
        (
            kind(
                "kueue.x-k8s.io/v1beta2",
                "Workload",
                {"podSets": [{"name": "main", "count": 1, "template": template()}]},
            ),
            "it is Kueue's own",
        ),
    ],
)
def test_kinds_whose_pods_are_no_groups(documents: list[Any], text: str) -> None:
    """Each run of a CronJob would join the group of the run before."""
    rendered = queued(documents)
    assert rendered.bound == ()
    assert not rendered.rendering.workload.to_dict()
    assert any(text in error for error in errors(rendered))


def test_the_mpijob_of_another_operator() -> None:
    """Kueue knows the v2beta1 of the MPI operator; pods of the v1 of the training operator are a group."""
    roles = {"Launcher": {"template": template()}, "Worker": {"replicas": 2, "template": template()}}
    rendered = queued(kind("kubeflow.org/v1", "MPIJob", {"mpiReplicaSpecs": roles}))
    assert not rendered.rendering.workload.to_dict()
    assert rendered.bound

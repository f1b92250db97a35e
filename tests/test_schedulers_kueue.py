"""Kueue: the Workload that is made for it, and pod groups of kinds that it does not know."""

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


def prebuilt(name: str, options: Options = ASKED) -> Rendered:
    """An input with its Workload."""
    workload, *references = yaml.safe_load_all((DATA / f"{name}.yaml").read_text())
    return Catalog.builtin().gang(workload, "kueue", options, references)


def pod_sets(rendered: Rendered) -> dict[str, int]:
    """The counts of the Workload by pod set."""
    (workload,) = rendered.rendering.objects
    return {entry["name"]: entry["count"] for entry in workload["spec"]["podSets"]}


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
        ("raycluster", {"head": 1, "small": 5, "slice": 12}),
        ("trainjob", {"dataset-initializer": 1, "node": 4}),
        ("appwrapper", {"bundle-0": 1, "bundle-1": 2, "bundle-2": 1}),
    ],
)
def test_the_workload_has_the_pod_sets_of_kueue(name: str, expected: dict[str, int]) -> None:
    """Names, counts and their order are those of pkg/controller/jobs; the workload names its Workload."""
    rendered = prebuilt(name)
    assert list(pod_sets(rendered).items()) == list(expected.items())
    (workload,) = rendered.rendering.objects
    assert workload["spec"]["queueName"] == "team-a"
    own = workload["metadata"]["name"]
    assert rendered.rendering.workload.labels["kueue.x-k8s.io/prebuilt-workload-name"] == own
    assert rendered.rendering.workload.annotations["kueue.x-k8s.io/prebuilt-workload-name"] == own


def test_pod_sets_are_counted_as_kueue_does() -> None:
    """Every case of the suite that Kueue makes one Workload for, but for those that it counts otherwise."""
    catalog = Catalog.builtin()
    counted: Counter[str] = Counter()
    for case in CASES:
        value: Any = normalize(case.request["object"])
        document = case.expect.get("document", {})
        if not value.get("spec") or not value.get("metadata", {}).get("name") or document.get("diagnostics"):
            continue
        rendered = catalog.gang(value, "kueue", ASKED)
        if rendered.rendering.objects and check(value):
            rule = POD_SETS[value["apiVersion"], value["kind"]]
            assert +Counter(pod_sets(rendered)) == +rule(value["spec"])
            counted[value["kind"]] += 1
    assert counted.keys() == {kind for _api, kind in POD_SETS} - {"Deployment", "LeaderWorkerSet", "Pod", "StatefulSet"}


@pytest.mark.parametrize("version", VERSIONS)
def test_workloads_fit_the_definition(shared: Path, version: str) -> None:
    """Every Workload of the suite fits the definition that Kueue ships."""
    schema = definition_of(shared / DEFINITIONS["kueue"], version.rpartition("/")[2])
    validator = Draft202012Validator(schema)
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
            # Templates are the users' own.
            spec = {**one["spec"], "podSets": [{**entry, "template": {}} for entry in one["spec"]["podSets"]]}
            assert [error.message for error in validator.iter_errors(spec)] == [], case.id
            count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("name", "options", "severity", "text"),
    [
        ("leaderworkerset", ASKED, "error", "several Workloads for a LeaderWorkerSet"),
        ("jobset", Options(), "error", "none is given"),
        ("jobset", Options(queue="q", topology="t"), "warning", "takes no name of a topology"),
        ("jobset", Options(queue="q", prebuilt=True, priority="high"), "warning", "needs its number too"),
        ("podcliqueset", ASKED, "warning", "has no Workload for PodCliqueSet"),
    ],
)
def test_what_kueue_cannot_be_told(name: str, options: Options, severity: str, text: str) -> None:
    """It is said."""
    messages = prebuilt(name, options).messages
    assert any(message.severity == severity and text in message.text for message in messages)


def test_an_unknown_count_makes_no_workload() -> None:
    """A pod set is a number."""
    workload = yaml.safe_load((DATA / "jobset.yaml").read_text())
    workload["spec"]["replicatedJobs"][1]["replicas"] = "many"
    rendered = Catalog.builtin().gang(workload, "kueue", ASKED)
    assert rendered.rendering.objects == []
    assert any("nobody knows all about worker" in message.text for message in rendered.messages)


def test_too_many_pod_sets_make_no_workload() -> None:
    """A Workload has at most 18."""
    workload = yaml.safe_load((DATA / "jobset.yaml").read_text())
    job = workload["spec"]["replicatedJobs"][0]
    workload["spec"]["replicatedJobs"] = [{**job, "name": f"job-{index}"} for index in range(19)]
    rendered = Catalog.builtin().gang(workload, "kueue", ASKED)
    assert any("1 to 18 pod sets, and here are 19" in message.text for message in rendered.messages)


THING: Final = """
components:
- {name: worker, replicas: object.spec.replicas, podTemplate: object.spec.template}
gang:
- {name: workload, members: [worker], topology: {required: object.spec.zone}}
"""


def thing(**spec: object) -> dict[str, Any]:
    """A workload of a kind that Kueue does not know, bound for it."""
    workload = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "thing"},
        "spec": {"template": {"spec": {"containers": [{"name": "main"}]}}, **spec},
    }
    catalog = Catalog.builtin().with_documents([small_mapping(THING)])
    return catalog.gang(workload, "kueue", Options(queue="q")).to_dict()


def test_pods_of_another_kind_are_a_group() -> None:
    """All of them are needed, and their number is known: a pod group, with the topology of its pods."""
    (binding,) = thing(replicas=3, zone="rack")["bindings"]
    assert binding == {
        "component": "worker",
        "instance": "worker",
        "binding": "static",
        "labels": {"kueue.x-k8s.io/queue-name": "q", "kueue.x-k8s.io/pod-group-name": "thing"},
        "annotations": {
            "kueue.x-k8s.io/pod-group-name": "thing",
            "kueue.x-k8s.io/pod-group-total-count": "3",
            "kueue.x-k8s.io/podset-required-topology": "rack",
        },
    }


def test_topology_of_a_known_kind_is_on_its_templates() -> None:
    """Kueue reads it from the pod templates."""
    workload = yaml.safe_load((DATA / "jobset-depends-on.yaml").read_text())
    workload["metadata"]["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}
    messages = Catalog.builtin().gang(workload, "kueue", ASKED).messages
    assert any("their topology is left out" in message.text for message in messages)

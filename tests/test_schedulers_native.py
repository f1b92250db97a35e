"""The scheduler of Kubernetes: what its API checks beyond the types (pkg/apis/scheduling/validation), and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.conftest import small_mapping
from tests.test_schedulers_valid import DATA, rendered
from workloadmap_spec import Catalog
from workloadmap_spec.schedulers.model import Options
from workloadmap_spec.schedulers.native import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.schedulers.render import Rendered

TREES: Final = "scheduling.k8s.io/v1alpha3"
#: What an object repeats of its template.
REPEATED: Final = ("schedulingPolicy", "schedulingConstraints", "priorityClassName")
LISTS: Final = ("podGroups", "podGroupTemplates", "compositePodGroupTemplates")


def templates(holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All templates of a Workload, at any depth."""
    for name in LISTS:
        for template in holder.get(name, ()):
            yield template
            yield from templates(template)


def check(objects: list[dict[str, Any]], title: str = "") -> None:
    """The rules of the API for the Workload and the groups that are made with it."""
    if not objects:
        return
    workload, *groups = objects
    known = {template["name"]: template for template in templates(workload["spec"])}
    assert len(known) == len(list(templates(workload["spec"]))), f"{title}: a name of a template is there twice"
    assert len({template.get("priorityClassName") for template in known.values()}) == 1, f"{title}: several priorities"
    names = [(group["kind"], group["metadata"]["name"]) for group in groups]
    assert len(set(names)) == len(names), f"{title}: an object is there twice"
    composites = {name for kind, name in names if kind == "CompositePodGroup"}
    for group in groups:
        spec = group["spec"]
        reference = spec.get("workloadRef") or spec["podGroupTemplateRef"]["workload"]
        template = known[reference.get("templateName") or reference["podGroupTemplateName"]]
        assert {key: spec.get(key) for key in REPEATED} == {key: template.get(key) for key in REPEATED}, title
        assert spec.get("parentCompositePodGroupName") in {None, *composites}, title


@pytest.mark.parametrize("version", VERSIONS)
def test_groups_are_what_their_templates_say(version: str) -> None:
    """Every workload of the suite: names are there once, references hit, and a Workload has one priority class."""
    for asked in (False, True):
        for title, one in rendered("native", version, asked=asked):
            check(one.rendering.objects, title)


PARTS: Final = """
components:
- {name: b-c, replicas: object.spec.n, minAvailable: object.spec.m, podTemplate: object.spec.template}
- {name: c, replicas: object.spec.n, minAvailable: object.spec.m, podTemplate: object.spec.template}
- {name: d, replicas: object.spec.n, minAvailable: object.spec.m, podTemplate: object.spec.template}
- {name: e, replicas: object.spec.n, minAvailable: object.spec.m, podTemplate: object.spec.template}
gang:
- {name: a, members: [b-c, d], priorityClass: object.spec.first}
- {name: a-b, members: [c, e], priorityClass: object.spec.second}
"""


def things(mapping: str, options: Options, **spec: object) -> Rendered:
    """A workload of a kind that is made for a test."""
    workload = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "t"},
        "spec": {"n": 3, "m": 2, "template": {"spec": {"containers": [{"name": "main"}]}}, **spec},
    }
    return Catalog.builtin().with_documents([small_mapping(mapping)]).gang(workload, "native", options)


def test_names_of_a_tree_that_come_to_the_same() -> None:
    """A part b-c of a group a, and a part c of a group a-b: they are told apart, as are their templates."""
    objects = things(PARTS, Options(TREES)).rendering.objects
    assert [group["kind"] for group in objects] == [
        "Workload",
        *["CompositePodGroup", "PodGroup", "PodGroup"] * 2,
    ]
    check(objects)
    assert objects[1]["metadata"]["name"] == "t-a"
    names = [group["metadata"]["name"] for group in objects if group["metadata"]["name"].startswith("t-a-b-c")]
    assert len(names) == len(set(names)) == 2


ALIKE: Final = """
components:
- name: set
  forEach: object.spec.sets
  instance: item.name
  components:
  - {name: one, replicas: item.one, minAvailable: item.least, podTemplate: object.spec.template}
  - {name: two, replicas: item.two, minAvailable: item.most, podTemplate: object.spec.template}
gang:
- {name: group, per: {instanceOf: set}, members: [one, two]}
"""


def test_groups_of_the_same_total_and_other_parts() -> None:
    """They do not share a template, though each needs four pods."""
    sets = [
        {"name": "x", "one": 5, "two": 5, "least": 1, "most": 3},
        {"name": "y", "one": 5, "two": 5, "least": 2, "most": 2},
    ]
    objects = things(ALIKE, Options(TREES), sets=sets).rendering.objects
    check(objects)
    assert [entry["name"] for entry in objects[0]["spec"]["compositePodGroupTemplates"]] == ["group-x", "group-y"]
    flat = things(ALIKE, Options(), sets=sets).rendering.objects
    assert [entry["name"] for entry in flat[0]["spec"]["podGroupTemplates"]] == ["group"]


def test_a_group_beside_trees_that_needs_nothing() -> None:
    """It is told, and has no objects."""
    sets = [{"name": name, "one": 5, "two": 5, "least": least, "most": least} for name, least in (("x", 2), ("y", 0))]
    made = things(ALIKE, Options(TREES), sets=sets)
    check(made.rendering.objects)
    assert {group["metadata"]["name"] for group in made.rendering.objects[1:]} == {
        "t-group-x",
        "t-group-x-x-one",
        "t-group-x-x-two",
    }
    assert [message.group for message in made.messages if "it needs no pods" in message.text] == ["group/y"]


def test_more_trees_than_a_workload_has() -> None:
    """Nine that differ are more than the API takes."""
    sets = [{"name": f"s{i}", "one": 20, "two": 20, "least": i + 1, "most": 1} for i in range(9)]
    made = things(ALIKE, Options(TREES), sets=sets)
    assert made.rendering.objects == []
    assert made.bound == ()
    assert any("at most 8 templates, and its groups need 9" in message.text for message in made.messages)
    check(things(ALIKE, Options(TREES), sets=sets[:8]).rendering.objects)


@pytest.mark.parametrize("version", [TREES, "scheduling.k8s.io/v1beta1"])
@pytest.mark.parametrize("classes", [{"first": "high", "second": "low"}, {"first": "high"}])
def test_one_priority_class_for_all_groups(version: str, classes: dict[str, str]) -> None:
    """The API refuses a Workload whose templates have several."""
    made = things(PARTS, Options(version), **classes)
    assert made.rendering.objects == []
    assert made.bound == ()
    (error,) = [message for message in made.messages if message.severity == "error"]
    assert "one priority class" in error.text
    assert error.cure == "give one for all: --priority-class NAME"
    check(things(PARTS, Options(version, priority="high"), **classes).rendering.objects)


def test_priority_classes_of_older_versions() -> None:
    """There the API does not look at other templates."""
    objects = things(PARTS, Options("scheduling.k8s.io/v1alpha2"), first="high", second="low").rendering.objects
    assert [group["spec"]["priorityClassName"] for group in objects[1:]] == ["high", "low"]


def test_keys_of_replicas_are_dns_labels() -> None:
    """A name may have dots, and a key none."""
    workload = yaml.safe_load((DATA / "leaderworkerset.yaml").read_text())
    workload["metadata"]["name"] = "serve-1.2"
    made = Catalog.builtin().gang(workload, "native", Options("scheduling.k8s.io/v1alpha1"))
    keys = {binding.values.spec["workloadRef"]["podGroupReplicaKey"] for binding in made.rendering.bindings}
    assert keys == {"serve-1-2-group-0", "serve-1-2-group-1"}
    assert made.rendering.objects[0]["metadata"]["name"] == "serve-1.2"

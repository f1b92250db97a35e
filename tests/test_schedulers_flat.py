"""Edges of the schedulers whose groups are no trees: Volcano, the coscheduling plugin and YuniKorn.

What is checked follows from the code that reads it: Volcano's pkg/webhooks/admission/podgroups and
pkg/scheduler/api/job_info.go, apis/scheduling/v1alpha1/types.go of scheduler-plugins, and pkg/cache and
pkg/common/utils of yunikorn-k8shim.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workloadmap_spec.resources import pod_resources
from workloadmap_spec.schedulers.model import Gang, Group, Member, Options, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloadmap_spec.schedulers.model import Rendering

FORMATS: Final = ("volcano", "coscheduling", "yunikorn")
#: What a pod, or a subdomain in its name, may be called, and the value of a label.
SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL_VALUE: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
APP: Final = "yunikorn.apache.org/app-id"
QUEUE: Final = "yunikorn.apache.org/queue"
TASK: Final = "yunikorn.apache.org/task-group-name"
TASKS: Final = "yunikorn.apache.org/task-groups"


def place(name: str, cpu: str = "1", **spec: object) -> Place:
    """A place of pods that request so much."""
    containers = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    found = {"containers": containers, **spec}
    return Place(name, name, name, None, pod_resources(found), {"spec": found})


def group_of(*members: Member, minimum: int | None, label: str = "thing", **fields: Any) -> Group:  # noqa: ANN401
    """A group of some members."""
    pods = sum(member.pods or 0 for member in members)
    return Group(
        label,
        "workload",
        label,
        (),
        members,
        minimum,
        pods,
        **{"queue": None, "priority": None, "topology": {}} | fields,
    )


def member(where: Place, pods: int, minimum: int | None) -> Member:
    """All pods of a place."""
    return Member(where, pods, minimum, is_all=True)


def render(
    form: str, groups: Sequence[Group], options: Options | None = None, namespace: str | None = "ml"
) -> Rendering:
    """The groups of a workload, for a scheduler."""
    workload = {"apiVersion": "x.example/v1", "kind": "Thing", "name": "thing", "namespace": namespace}
    places = tuple({id(one.place): one.place for group in groups for one in group.members}.values())
    found: Rendering = import_module(f"workloadmap_spec.schedulers.{form}").render(
        Gang(workload, places, tuple(groups), {}), options or Options()
    )
    return found


def told(rendering: Rendering, severity: str) -> list[str]:
    """The messages of one severity."""
    return [message.text for message in rendering.messages if message.severity == severity]


A: Final = place("a")
B: Final = place("b", "2")


@pytest.mark.parametrize("form", FORMATS)
def test_a_minimum_that_nobody_knows_makes_nothing(form: str) -> None:
    """It is an error, and the groups beside it are made."""
    known = group_of(member(A, 2, 2), minimum=2)
    rendering = render(form, [group_of(member(B, 2, None), minimum=None, label="other"), known])
    assert [binding.group for binding in rendering.bindings] == [known]
    assert len(rendering.objects) == (form != "yunikorn")
    assert len(told(rendering, "error")) == 1


@pytest.mark.parametrize(
    ("form", "unused"),
    [
        ("volcano", {"Workload"}),
        ("coscheduling", {"queue", "name of a topology", "Workload"}),
        ("yunikorn", {"name of a scheduler", "name of a topology", "Workload"}),
    ],
)
def test_options_without_a_place_are_told(form: str, unused: set[str]) -> None:
    """Each of them once, however many groups there are; without them nothing is told."""
    groups = [group_of(member(A, 2, 2), minimum=2, label=label) for label in ("one", "two")]
    asked = Options(queue="q", priority="high", topology="tier", scheduler="own", prebuilt=True)
    found = [re.search(r"takes no (.*) here", text) for text in told(render(form, groups, asked), "warning")]
    assert sorted(match[1] for match in found if match) == sorted(unused)
    assert render(form, groups).messages == []


@pytest.mark.parametrize(("form", "name"), [("volcano", "own"), ("coscheduling", "own"), ("yunikorn", "yunikorn")])
def test_the_name_of_the_scheduler(form: str, name: str) -> None:
    """YuniKorn's is a constant of its code: pods of another have no application."""
    (binding,) = render(form, [group_of(member(A, 2, 2), minimum=2)], Options(scheduler="own")).bindings
    assert binding.values.spec["schedulerName"] == name


def test_yunikorn_may_be_named() -> None:
    """Who asks for the name that it has misses nothing."""
    assert render("yunikorn", [group_of(member(A, 2, 2), minimum=2)], Options(scheduler="yunikorn")).messages == []


@pytest.mark.parametrize("form", ["coscheduling", "yunikorn"])
@pytest.mark.parametrize(
    ("asked", "own", "template", "written"),
    [
        (None, None, None, None),
        (None, None, "low", None),
        (None, "low", "low", None),
        (None, "high", "low", "high"),
        ("high", "low", "low", "high"),
        ("low", "high", "low", None),
    ],
)
def test_priority_is_that_of_the_pods(
    form: str, asked: str | None, own: str | None, template: str | None, written: str | None
) -> None:
    """It is written where the template does not say it already."""
    where = place("a", priorityClassName=template) if template else A
    group = group_of(member(where, 2, 2), minimum=2, priority=own)
    (binding,) = render(form, [group], Options(priority=asked)).bindings
    assert binding.values.spec.get("priorityClassName") == written


# Volcano


@given(st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 3)), min_size=1, max_size=3), st.integers(0, 9))
def test_tasks_of_volcano_count(numbers: list[tuple[int, int | None]], minimum: int) -> None:
    """Tasks have minimums where Volcano heeds them: where these come to the whole; their pods name them."""
    members = [member(place(f"p{i}"), pods, least) for i, (pods, least) in enumerate(numbers)]
    rendering = render("volcano", [group_of(*members, minimum=minimum)])
    spec = rendering.objects[0]["spec"]
    tasks = spec.get("minTaskMember", {})
    assert spec["minMember"] == minimum
    assert sum(tasks.values()) in (0, minimum)
    names = {
        binding.place.name: binding.values.annotations.get("volcano.sh/task-spec") for binding in rendering.bindings
    }
    assert names == {one.place.name: one.place.name if tasks else None for one in members}


@pytest.mark.parametrize(
    ("topology", "mode"),
    [
        ({"required": "rack"}, "hard"),
        ({"preferred": "rack"}, "soft"),
        ({"required": "zone", "preferred": "rack"}, "hard"),
    ],
)
def test_tiers_of_volcano(topology: dict[str, str], mode: str) -> None:
    """A tier is of groups with a topology alone; without its name the keys are told, and nothing is written."""
    groups = [
        group_of(member(A, 2, 2), minimum=2, topology=topology),
        group_of(member(B, 2, 2), minimum=2, label="other"),
    ]
    found = [one["spec"].get("networkTopology") for one in render("volcano", groups, Options(topology="tier")).objects]
    assert found == [{"mode": mode, "highestTierName": "tier"}, None]
    without = render("volcano", groups)
    assert all("networkTopology" not in one["spec"] for one in without.objects)
    (text,) = told(without, "warning")
    assert all(key in text for key in topology.values())


def test_the_queue_of_volcano_is_its_own_by_default() -> None:
    """Its definition and its webhook choose one where none is written."""
    assert "queue" not in render("volcano", [group_of(member(A, 2, 2), minimum=2)]).objects[0]["spec"]


# YuniKorn


def values_of(rendering: Rendering) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Labels and annotations of each binding."""
    return [(dict(one.values.labels), dict(one.values.annotations)) for one in rendering.bindings]


@pytest.mark.parametrize("queue", ["q", "root.team-a", "Root.a_b", "a" * 63])
def test_queues_of_yunikorn_are_labels(queue: str) -> None:
    """A queue that can be the value of a label is one."""
    (binding,) = render("yunikorn", [group_of(member(A, 2, 2), minimum=2)], Options(queue=queue)).bindings
    assert binding.values.labels[QUEUE] == queue


TEXT: Final = st.text(st.sampled_from("ab.-"), min_size=1, max_size=63).filter(SUBDOMAIN.fullmatch)


@given(st.none() | st.text(st.sampled_from("n-"), min_size=1, max_size=63).filter(SUBDOMAIN.fullmatch), TEXT)
@example("ml", "a" * 24 + ".b")
def test_placeholders_of_yunikorn_have_names(namespace: str | None, label: str) -> None:
    """The id is a label's value; of its first 28 characters and the first 20 of the task's, a pod's name is made."""
    where = place("task-" * 5 + "a")
    rendering = render("yunikorn", [group_of(member(where, 2, 2), minimum=2, label=label)], namespace=namespace)
    ((labels, annotations),) = values_of(rendering)
    assert len(labels[APP]) <= 63
    assert LABEL_VALUE.fullmatch(labels[APP])
    assert SUBDOMAIN.fullmatch(f"tg-{labels[APP][:28]}-{annotations[TASK][:20]}-0123456789")


@given(TEXT, TEXT)
@example("a.b", "a-b")
def test_applications_of_a_namespace_differ(one: str, other: str) -> None:
    """Groups of one namespace whose names differ are two applications, also where the dots alone differ."""
    groups = [group_of(member(A, 2, 2), minimum=2, label=label) for label in (one, other)]
    ids = [labels[APP] for labels, _annotations in values_of(render("yunikorn", groups))]
    assert (ids[0] == ids[1]) == (one == other)


def test_an_application_is_named_as_it_can_be() -> None:
    """By its namespace and its name, which nothing is added to unless it must."""
    groups = [group_of(member(A, 2, 2), minimum=2, label="serve-group-0")]
    assert values_of(render("yunikorn", groups))[0][0][APP] == "ml-serve-group-0"
    assert values_of(render("yunikorn", groups, namespace=None))[0][0][APP] == "serve-group-0"


def test_pods_that_are_not_needed_follow() -> None:
    """Pods of which none is needed belong to the application, and to no task group; so do all of a group of none."""
    rendering = render("yunikorn", [group_of(member(A, 2, 2), member(B, 3, 0), minimum=2)])
    (needed, free) = values_of(rendering)
    assert json.loads(needed[1][TASKS]) == [{"name": "a", "minMember": 2, "minResource": {"cpu": "1"}}]
    assert free[0] == needed[0]
    assert TASK not in free[1]
    none = render("yunikorn", [group_of(member(A, 2, 0), minimum=0)])
    assert values_of(none)[0][1] == {}


def test_a_minimum_below_the_pods_is_a_floor() -> None:
    """Of one place alone the group's minimum is taken."""
    ((_labels, annotations),) = values_of(render("yunikorn", [group_of(member(A, 5, None), minimum=3)]))
    assert json.loads(annotations[TASKS]) == [{"name": "a", "minMember": 3, "minResource": {"cpu": "1"}}]


@pytest.mark.parametrize(
    ("other", "is_one"),
    [
        (place("b"), True),
        (place("b", "1000m"), True),
        (place("b", "2"), False),
        (place("b", nodeSelector={"gpu": "yes"}), False),
        (place("b", priorityClassName="low"), True),
    ],
)
def test_places_of_one_shape_share_a_task_group(other: Place, is_one: bool) -> None:  # noqa: FBT001
    """Where the number of each part is not known, pods that are alike are one task group; others cannot be said."""
    rendering = render("yunikorn", [group_of(member(A, 2, None), member(other, 3, None), minimum=4)])
    assert len(rendering.bindings) == (2 if is_one else 0)
    assert len(told(rendering, "error")) == (0 if is_one else 1)
    for _labels, marks in values_of(rendering):
        assert marks[TASK] == "workload"
        assert [task["minMember"] for task in json.loads(marks[TASKS])] == [4]


def test_subgroups_are_lost_and_told() -> None:
    """One of two cells of two: YuniKorn and the others know two pods, and not of which cell."""
    cell = group_of(member(A, 2, 2), minimum=2, label="cell-0")
    group = group_of(member(A, 4, 2), minimum=2, subgroups=(cell, replace(cell, id="cell-1", label="cell-1")))
    for form in FORMATS:
        (text,) = told(render(form, [group]), "warning")
        assert "2 subgroups" in text

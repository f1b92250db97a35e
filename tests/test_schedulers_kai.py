"""PodGroups of KAI against the rules of its webhook and of its scheduler, for groups of every shape.

The rules are those of pkg/apis/scheduling/v2alpha2/podgroup_webhook.go and of pkg/scheduler/api/podgroup_info
(kai-scheduler v0.17), and the fields those of the schema beside the other data of the schedulers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.conftest import catalog_cases
from workloadmap_spec import Catalog
from workloadmap_spec.schedulers import kai
from workloadmap_spec.schedulers.model import Gang, Group, Member, Options, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATA: Final = Path(__file__).parent / "data" / "schedulers"
SCHEMA: Final = Draft202012Validator(yaml.safe_load((DATA / "schemas" / "kai.yaml").read_text())["PodGroup"])


def refusals(spec: dict[str, Any]) -> list[str]:
    """What the webhook refuses when a PodGroup is created, and what it warns of; empty if nothing."""
    entries = spec.get("subGroups", [])
    if "minMember" in spec and "minSubGroup" in spec:
        return ["root: both numbers"]
    used = Counter(entry["name"] for entry in entries)
    if max(used.values(), default=0) > 1:
        return ["duplicate name"]
    above = {entry["name"]: entry.get("parent") for entry in entries}
    if any(parent is not None and parent not in above for parent in above.values()):
        return ["no such parent"]
    if any(has_cycle(name, above) for name in above):
        return ["cycle"]
    children = Counter(above.values())
    found = [text for entry in entries for text in wrong_numbers(entry, children[entry["name"]])]
    if spec.get("minSubGroup", 0) > children[None]:
        found.append("root: more than there are")
    return found


def wrong_numbers(entry: dict[str, Any], children: int) -> Iterator[str]:
    """What is wrong with the numbers of an entry that has so many below it."""
    name = entry["name"]
    if "minMember" in entry and "minSubGroup" in entry:
        yield f"{name}: both numbers"
    elif not children:
        if "minSubGroup" in entry:
            yield f"{name}: minSubGroup on a leaf"
        if "minMember" not in entry:
            yield f"{name}: no minMember on a leaf"
    elif "minMember" in entry:
        yield f"{name}: minMember above others"
    elif entry.get("minSubGroup", 0) > children:
        yield f"{name}: more than there are"


def has_cycle(name: str, above: dict[str, str | None]) -> bool:
    """Whether the way from an entry to the root comes back to where it has been."""
    seen: set[str] = set()
    at: str | None = name
    while at is not None:
        if at in seen:
            return True
        seen.add(at)
        at = above[at]
    return False


LEAF: Final = {"name": "a", "minMember": 1}


@pytest.mark.parametrize(
    ("spec", "refusal"),
    [
        ({"minMember": 2}, None),
        ({"subGroups": [LEAF]}, None),
        ({"subGroups": [{"name": "b", "minSubGroup": 1}, LEAF | {"parent": "b"}]}, None),
        ({"minMember": 1, "minSubGroup": 1, "subGroups": [LEAF]}, "root: both numbers"),
        ({"subGroups": [LEAF, LEAF]}, "duplicate name"),
        ({"subGroups": [LEAF | {"parent": "b"}]}, "no such parent"),
        ({"subGroups": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]}, "cycle"),
        ({"subGroups": [LEAF | {"minSubGroup": 1}]}, "a: both numbers"),
        ({"subGroups": [{"name": "a", "minMember": 0, "minSubGroup": 0}]}, "a: both numbers"),
        ({"subGroups": [{"name": "b"}]}, "b: no minMember on a leaf"),
        ({"subGroups": [{"name": "b", "minMember": 1}, LEAF | {"parent": "b"}]}, "b: minMember above others"),
        ({"subGroups": [{"name": "b", "minSubGroup": 2}, LEAF | {"parent": "b"}]}, "b: more than there are"),
        ({"minSubGroup": 2, "subGroups": [LEAF]}, "root: more than there are"),
    ],
)
def test_the_rules_are_those_of_the_webhook(spec: dict[str, Any], refusal: str | None) -> None:
    """What is checked here refuses what the webhook does, and nothing else."""
    assert refusals(spec) == ([] if refusal is None else [refusal])


def test_a_leaf_has_no_number_of_subgroups() -> None:
    """The two that are wrong with such a leaf are both told."""
    spec = {"subGroups": [{"name": "a", "minSubGroup": 1}]}
    assert refusals(spec) == ["a: minSubGroup on a leaf", "a: no minMember on a leaf"]


def least(spec: dict[str, Any]) -> int:
    """The fewest pods with which the scheduler starts a PodGroup: all children unless a number is given."""
    entries = spec.get("subGroups", [])
    if not entries:
        return int(spec.get("minMember", 1))

    def of(name: str | None, needed: int | None) -> int:
        below = [entry for entry in entries if entry.get("parent") == name]
        each = sorted(one(entry) for entry in below)
        return sum(each[: len(each) if needed is None else needed])

    def one(entry: dict[str, Any]) -> int:
        if "minMember" in entry:
            return int(entry["minMember"])
        return of(entry["name"], entry.get("minSubGroup"))

    return of(None, spec.get("minSubGroup"))


PLACES: Final = tuple(Place(name, name, name, None, None, {}) for name in ("a", "b", "c", "d"))


def group_of(
    name: str, members: Sequence[Member], subgroups: Sequence[Group] = (), minimum: int | None = None
) -> Group:
    """A group that needs what its members do, unless another minimum is given."""
    total = sum(member.minimum or 0 for member in members)
    pods = sum(member.pods or 0 for member in members)
    wanted = total if minimum is None else minimum
    return Group(name, name, name, (), tuple(members), wanted, pods, None, None, {}, tuple(subgroups))


def renamed(group: Group, index: int) -> Group:
    """A group as one of several below another."""
    return replace(group, id=f"{group.name}/{index}", label=f"{group.name}-{index}")


@st.composite
def plain(draw: st.DrawFn, name: str) -> Group:
    """A group without subgroups: pods of one to three places, mostly with minimums that come to the whole."""
    places = draw(st.lists(st.sampled_from(PLACES[:3]), min_size=1, max_size=3, unique_by=lambda place: place.name))
    members = []
    for place in places:
        pods = draw(st.integers(1, 4))
        minimum = draw(st.sampled_from([pods, pods, 0, pods - 1, None]))
        members.append(Member(place, pods, minimum, is_all=False))
    return group_of(name, members)


@st.composite
def nested(draw: st.DrawFn, depth: int, name: str) -> Group:
    """A group of one to three subgroups, alike or not, of which it needs some, and perhaps of pods in none."""
    count = draw(st.integers(1, 3))
    first = draw(groups(depth - 1, f"{name}x"))
    is_alike = draw(st.booleans())
    each = [first if is_alike else draw(groups(depth - 1, f"{name}{i}")) for i in range(count)]
    below = [renamed(one, index) for index, one in enumerate(each)]
    needed = below[: draw(st.integers(1, count))]
    pods: Counter[str] = Counter()
    minimums: Counter[str] = Counter()
    for one in below:
        pods.update({member.place.name: member.pods or 0 for member in one.members})
    for one in needed:
        minimums.update({member.place.name: member.minimum or 0 for member in one.members})
    if draw(st.booleans()):
        # Pods that no subgroup covers, of a place of their own or of one that the subgroups have too.
        place = draw(st.sampled_from([PLACES[3].name, min(pods)]))
        pods[place] += 2
        minimums[place] += draw(st.integers(0, 2))
    members = [
        Member(place, pods[place.name], minimums[place.name], is_all=True) for place in PLACES if pods[place.name]
    ]
    off = draw(st.sampled_from([None, None, None, 1]))
    return group_of(name, members, below, off and min(sum(minimums.values()) + off, sum(pods.values())))


@st.composite
def groups(draw: st.DrawFn, depth: int = 2, name: str = "g") -> Group:
    """A group of any shape, with a topology or without."""
    found = draw(nested(depth, name)) if depth and draw(st.booleans()) else draw(plain(name))
    topology = draw(st.sampled_from([{}, {}, {}, {"required": "rack"}, {"required": "zone", "preferred": "rack"}]))
    return replace(found, topology=topology)


def gang(*found: Group) -> Gang:
    """The groups of a workload."""
    workload = {"apiVersion": "x.example/v1", "kind": "Thing", "name": "thing"}
    return Gang(workload, PLACES, found, {})


@given(groups(), st.sampled_from([None, "levels"]))
def test_every_group_is_a_pod_group_that_is_admitted(group: Group, topology: str | None) -> None:
    """It passes schema and webhook, needs no more and no fewer pods than the group, and every leaf has pods."""
    rendering = kai.render(gang(group), Options(topology=topology))
    (document,) = rendering.objects
    spec = document["spec"]
    assert list(SCHEMA.iter_errors(spec)) == []
    assert refusals(spec) == []
    assert least(spec) == group.minimum
    entries = spec.get("subGroups", [])
    leaves = {entry["name"] for entry in entries if "minMember" in entry}
    labels = [binding.values.labels.get("kai.scheduler/subgroup-name") for binding in rendering.bindings]
    assert set(labels) == (leaves or {None})
    assert topology is not None or "topologyConstraint" not in str(spec)


@given(groups())
def test_what_a_number_alone_does_not_say_is_told(group: Group) -> None:
    """Where the parts are not told apart, either all of them are needed, or there is a warning, or no part is known."""
    rendering = kai.render(gang(group), Options(topology="levels"))
    spec = rendering.objects[0]["spec"]
    is_known = len(group.members) > 1 and any(member.minimum for member in group.members)
    if "subGroups" not in spec and is_known and group.minimum != group.pods:
        assert any(message.severity == "warning" for message in rendering.messages)


def cells(count: int, *members: Member) -> list[Group]:
    """Subgroups that are alike."""
    return [renamed(group_of("cell", members), index) for index in range(count)]


def spec_of(group: Group) -> tuple[dict[str, Any], list[str]]:
    """The PodGroup of a group without its queue, and the warnings."""
    rendering = kai.render(gang(group), Options(queue="q", topology="levels"))
    spec = {name: value for name, value in rendering.objects[0]["spec"].items() if name != "queue"}
    return spec, [message.text for message in rendering.messages if message.severity == "warning"]


def test_a_part_of_a_subgroup_is_no_number_of_subgroups() -> None:
    """Five pods are two and a half cells of two: no number of cells says that."""
    worker = PLACES[0]
    below = cells(3, Member(worker, 2, 2, is_all=False))
    spec, warnings = spec_of(group_of("g", [Member(worker, 6, 5, is_all=True)], below))
    assert spec == {"minMember": 5}
    assert len(warnings) == 1
    spec, warnings = spec_of(group_of("g", [Member(worker, 6, 4, is_all=True)], below))
    assert spec["subGroups"][0] == {"name": "cell", "minSubGroup": 2}
    assert warnings == []


def test_subgroups_that_need_more_than_their_group() -> None:
    """One of five, where a subgroup of four wants two: what the fifth needs is no number."""
    worker = PLACES[0]
    below = cells(1, Member(worker, 4, 2, is_all=False))
    spec, warnings = spec_of(group_of("g", [Member(worker, 5, 1, is_all=True)], below))
    assert spec == {"minMember": 1}
    assert len(warnings) == 1


def test_a_subgroup_that_needs_some_of_its_pods_has_its_parts() -> None:
    """One of two cells, each a leader and one of two workers: a cell of two workers alone would not do."""
    leader, worker, *_others = PLACES
    below = cells(2, Member(leader, 1, 1, is_all=False), Member(worker, 2, 1, is_all=False))
    own = [Member(leader, 2, 1, is_all=True), Member(worker, 4, 1, is_all=True)]
    spec, warnings = spec_of(group_of("g", own, below))
    assert spec["subGroups"] == [
        {"name": "cell", "minSubGroup": 1},
        {"name": "cell-0", "parent": "cell"},
        {"name": "cell-0-a", "parent": "cell-0", "minMember": 1},
        {"name": "cell-0-b", "parent": "cell-0", "minMember": 1},
        {"name": "cell-1", "parent": "cell"},
        {"name": "cell-1-a", "parent": "cell-1", "minMember": 1},
        {"name": "cell-1-b", "parent": "cell-1", "minMember": 1},
    ]
    assert warnings == []


def test_a_topology_is_all_that_is_lost_where_the_parts_say_the_rest() -> None:
    """A subgroup of all pods of a place, in a rack of its own, whose minimum nobody knows."""
    leader, worker, *_others = PLACES
    rack = replace(cells(1, Member(leader, 3, 3, is_all=True))[0], minimum=None, topology={"required": "rack"})
    own = [Member(leader, 3, 3, is_all=True), Member(worker, 2, 0, is_all=True)]
    spec, warnings = spec_of(group_of("g", own, [rack]))
    assert spec == {"subGroups": [{"name": "a", "minMember": 3}, {"name": "b", "minMember": 0}]}
    assert warnings == ["KAI is not told of its subgroups: their topology is left out"]


def test_parts_are_kept_where_subgroups_cannot_be_said() -> None:
    """Three leaders of cells and three of their workers, in cells that differ: the parts are known, the cells lost."""
    leader, worker, *_others = PLACES
    cells = [
        renamed(group_of("cell", [Member(leader, a, a, is_all=False), Member(worker, b, b, is_all=False)]), index)
        for index, (a, b) in enumerate(((1, 1), (1, 2), (2, 1)))
    ]
    own = [Member(leader, 4, 3, is_all=True), Member(worker, 4, 3, is_all=True)]
    rendering = kai.render(gang(group_of("g", own, cells)), Options(queue="q"))
    assert rendering.objects[0]["spec"] == {
        "queue": "q",
        "subGroups": [{"name": "a", "minMember": 3}, {"name": "b", "minMember": 3}],
    }
    (message,) = rendering.messages
    assert message.severity == "warning"
    assert "3 subgroups" in message.text


def test_roles_of_kthena_are_told_apart() -> None:
    """One of two prefill roles, and all three others: two prefill roles and two others are not enough."""
    case = next(case for case in catalog_cases() if case.id == "catalog/kthena/v1alpha1/two-groups")
    rendered = Catalog.builtin().gang(case.request["object"], "kai", Options())
    assert [one["spec"]["subGroups"] for one in rendered.rendering.objects] == [
        [
            {"name": f"role-{index}-prefill", "minSubGroup": 1},
            {"name": f"role-{index}-prefill-0", "parent": f"role-{index}-prefill", "minMember": 4},
            {"name": f"role-{index}-prefill-1", "parent": f"role-{index}-prefill", "minMember": 4},
            *({"name": f"role-{index}-own-role-{role}", "minMember": 2} for role in range(3)),
        ]
        for index in range(2)
    ]
    assert [message for message in rendered.messages if message.severity == "warning"] == []


def test_unknown_minimum_and_names() -> None:
    """A minimum that nobody knows makes nothing; an own name of the scheduler, queue and priority are taken."""
    known = replace(group_of("y", [Member(PLACES[0], 4, 2, is_all=True)]), queue="own", priority="low")
    unknown = replace(known, id="x", label="x", minimum=None)
    rendering = kai.render(gang(unknown, known), Options(scheduler="other", prebuilt=True))
    assert [one["metadata"]["name"] for one in rendering.objects] == ["y"]
    assert rendering.objects[0]["spec"] == {"queue": "own", "priorityClassName": "low", "minMember": 2}
    (binding,) = rendering.bindings
    assert binding.values.spec == {"schedulerName": "other"}
    assert [(message.severity, message.group) for message in rendering.messages] == [("warning", None), ("error", "x")]


def test_the_default_queue_is_told() -> None:
    """Without a queue KAI's own default is written, and that is said once."""
    group = group_of("x", [Member(PLACES[0], 4, 2, is_all=True)])
    rendering = kai.render(gang(group, replace(group, id="y", label="y")), Options())
    assert [one["spec"]["queue"] for one in rendering.objects] == ["default-queue"] * 2
    assert [message.severity for message in rendering.messages] == ["note"]


def test_inputs_pass_the_webhook() -> None:
    """What is made of the inputs of the golden tests is admitted, with all that can be asked for."""
    options = Options(queue="q", priority="high", topology="levels", scheduler="own")
    count = 0
    for path in sorted(DATA.glob("*.yaml")):
        workload, *references = yaml.safe_load_all(path.read_text())
        for document in Catalog.builtin().gang(workload, "kai", options, references).rendering.objects:
            assert refusals(document["spec"]) == [], path.stem
            count += 1
    assert count > 12

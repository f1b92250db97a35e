"""Readings that are easy to get wrong: scopes of subgroups, half-done fields, huge counts, hostile sizes."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.errors import InputError, NoMappingError
from workloadmap_spec.schemas import map_problems

T: dict[str, Any] = {"spec": {"containers": [{"name": "c"}]}}


def thing(spec: str, data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A mapping with this `spec`, and a workload of its kind with this `spec`."""
    mapping = {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadMapping",
        "metadata": {"name": "thing"},
        "spec": {"workload": {"group": "x.example", "versions": ["v1"], "kind": "Thing"}, **yaml.safe_load(spec)},
    }
    workload = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "w"},
        "spec": {"template": T, **data},
    }
    return mapping, workload


def read(spec: str, data: dict[str, Any], pods: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The map, which fits the schema."""
    mapping, workload = thing(spec, data)
    document = Catalog.builtin().with_documents([mapping]).read(workload, pods=pods).to_dict()
    assert map_problems(document) == []
    return document


def pod(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {"n": "w", **labels}}}


def test_a_subgroup_of_a_stage_sees_its_own_job() -> None:
    key = "alpha.jobset.sigs.k8s.io/exclusive-topology"

    def job(name: str, rack: str | None, waits: str | None) -> dict[str, Any]:
        own: dict[str, Any] = {"name": name, "template": {"spec": {"template": T}}}
        if rack:
            own["template"]["metadata"] = {"annotations": {key: rack}}
        return own | ({"dependsOn": [{"name": waits, "status": "Ready"}]} if waits else {})

    jobs = [job("a", None, None), job("b", "rackB", "a"), job("c", "rackC", "a")]
    workload: dict[str, Any] = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "spec": {"replicatedJobs": jobs},
    }
    groups = Catalog.builtin().read(workload).to_dict()["gang"]["groups"]
    assert [part["topology"]["required"] for part in groups[1]["subgroups"]] == ["rackB", "rackC"]


NESTED = """
components:
- name: group
  replicas: 2
  pods: {replica: 'pod.metadata.labels["g"]'}
  components:
  - {name: leader, podTemplate: object.spec.template, pods: {matchLabels: {r: '"leader"'}}}
  - {name: worker, replicas: 2, podTemplate: object.spec.template, pods: {matchLabels: {r: '"worker"'}}}
pods: {selector: {n: object.metadata.name}}
"""


def test_a_sibling_that_a_group_covers_is_in_the_group() -> None:
    gang = "gang: [{name: x, per: {replicaOf: worker}, members: [worker, leader]}]"
    document = read(NESTED + gang, {}, [pod("l", g="1", r="leader")])
    assert document["pods"][0].get("group") == "x/1/0"


def test_a_subgroup_counts_inside_what_its_group_covers() -> None:
    gang = """gang:
- name: x
  per: {replicaOf: group}
  members: [worker]
  subgroups: [{name: s, per: {instanceOf: group}, members: [worker]}]
"""
    groups = read(NESTED + gang, {})["gang"]["groups"]
    assert [(group["pods"], group["subgroups"][0]["pods"]) for group in groups] == [(2, 2), (2, 2)]


@pytest.mark.parametrize(
    "entry",
    [
        "{name: x, members: [a], subgroups: [{name: s, when: object.spec.no == 1, members: [a]}]}",
        "{name: x, members: [a], minMember: object.spec.bad}",
        "{name: x, members: [{component: a, minPods: object.spec.bad}]}",
    ],
)
def test_one_failure_does_not_hide_the_group(entry: str) -> None:
    document = read(f"components: [{{name: a, podTemplate: object.spec.template}}]\ngang: [{entry}]", {"bad": "3"})
    assert [(group["id"], group["pods"]) for group in document["gang"]["groups"]] == [("x", 1)]
    assert document["diagnostics"]


def test_no_count_of_a_group_is_beyond_the_largest() -> None:
    spec = """
components: [{name: a, forEach: object.spec.l, replicas: item, podTemplate: object.spec.template}]
gang: [{name: x, members: [a]}]
"""
    document = read(spec, {"l": [2**53 - 1, 5]})
    assert "pods" not in document["gang"]["groups"][0]


def test_a_total_that_is_cut_says_so() -> None:
    spec = "components: [{name: a, forEach: object.spec.l, replicas: item, podTemplate: object.spec.template}]"
    document = read(spec, {"l": [2**53 - 1, 5]})
    assert document["totals"].get("incomplete") or document.get("diagnostics")


def test_subgroups_count_against_the_limit() -> None:
    spec = """
components: [{name: a, replicas: 10000, podTemplate: object.spec.template}]
gang: [{name: x, per: {replicaOf: a}, members: [a], subgroups: [{name: s, members: [a]}]}]
"""
    document = read(spec, {})
    assert "gang" not in document
    assert [found["class"] for found in document["diagnostics"]] == ["limit-exceeded"]


def test_a_hundred_shared_groups_are_within_the_limit() -> None:
    spec = """
components:
- {name: g, replicas: 100, components: [{name: a, forEach: object.spec.l, podTemplate: object.spec.template}]}
gang: [{name: x, per: {instanceOf: a, by: '"same"'}, members: [a]}]
"""
    assert len(read(spec, {"l": list(range(200))})["gang"]["groups"]) == 100


def test_subgroups_of_one_name_keep_their_pods_apart() -> None:
    spec = """
components:
- {name: a, podTemplate: object.spec.template, pods: {matchLabels: {c: '"a"'}}}
- {name: b, podTemplate: object.spec.template, pods: {matchLabels: {c: '"b"'}}}
pods: {selector: {n: object.metadata.name}}
gang:
- name: x
  members: [a, b]
  subgroups:
  - {name: s, members: [a], subgroups: [{name: t, members: [a]}]}
  - {name: s, members: [b], subgroups: [{name: t, members: [b]}]}
"""
    document = read(spec, {}, [pod("pa", c="a"), pod("pb", c="b")])
    assert [found["subgroup"] for found in document["pods"]] == ["x/s/t", "x/s/t"]


@pytest.mark.parametrize(
    "entry",
    [
        "{container: side, value: object.spec.text}",
        "{field: spec.more.labels, value: object.spec.text, mode: merge}",
        "{field: spec.more, value: object.spec.text, mode: append}",
        "{container: side, field: name.x, value: object.spec.text}",
        "{field: spec.containers, value: object.spec.odd, mode: merge}",
        "{field: spec.containers, value: object.spec.nameless, mode: merge}",
    ],
)
def test_a_failed_pod_field_changes_nothing(entry: str) -> None:
    spec = f"components: [{{name: a, podTemplate: object.spec.template, podFields: [{entry}]}}]"
    data = {"text": "x", "odd": [{"name": {"a": 1}}], "nameless": [{"image": "y"}]}
    document = read(spec, data)
    assert document["components"][0]["instances"][0]["podTemplate"] == T
    assert [found["class"] for found in document["diagnostics"]] == ["result-type"]


def test_nameless_elements_are_not_merged_with_each_other() -> None:
    spec = """
components:
- name: a
  podTemplate: object.spec.t
  podFields: [{field: spec.containers, value: object.spec.more, mode: merge}]
"""
    document = read(spec, {"t": {"spec": {"containers": [{"image": "x"}]}}, "more": [{"image": "y"}]})
    assert document["components"][0]["instances"][0]["podTemplate"]["spec"]["containers"] != [{"image": "y"}]


def test_a_failed_first_index_gives_no_index() -> None:
    spec = """
components:
- name: a
  podTemplate: object.spec.template
  pods: {index: 'pod.metadata.labels["i"]', firstIndex: object.spec.bad}
pods: {selector: {n: object.metadata.name}}
"""
    assert "index" not in read(spec, {"bad": "x"}, [pod("p", i="7")])["pods"][0]


def test_leading_zeros_do_not_make_a_number_larger() -> None:
    spec = "components: [{name: a, replicas: {value: object.spec.r, as: int}, podTemplate: object.spec.template}]"
    assert read(spec, {"r": "0" * 20 + "3"})["totals"] == {"pods": 3}


def test_a_minimum_is_cut_to_the_pods_before_it_is_too_large() -> None:
    spec = """
components:
- {name: g, replicas: 2, components: [{name: a, minPods: object.spec.m, podTemplate: object.spec.template}]}
"""
    leaf = read(spec, {"m": 2**53 - 1})["components"][0]["instances"][0]["components"][0]["instances"][0]
    assert leaf["minPods"] == 2


def test_the_name_of_a_pod_is_a_string() -> None:
    spec = "{components: [{name: a, podTemplate: object.spec.template}], pods: {selector: {n: object.metadata.name}}}"
    with pytest.raises(InputError):
        read(spec, {}, [{"metadata": {"name": 5, "labels": {"n": "w"}}}])


def test_a_group_of_any_length_has_no_mapping() -> None:
    with pytest.raises(NoMappingError):
        Catalog.builtin().read({"apiVersion": "x" * 5000 + "/v1", "kind": "Job"})


def test_labels_are_looked_at_before_the_instance() -> None:
    spec = """
components:
- {name: head, podTemplate: object.spec.template, pods: {matchLabels: {t: '"head"'}}}
- name: worker
  forEach: object.spec.l
  podTemplate: object.spec.template
  pods: {matchLabels: {t: '"worker"'}, instance: 'pod.metadata.labels["g"] + ""'}
pods: {selector: {n: object.metadata.name}}
"""
    document = read(spec, {"l": [1]}, [pod("h", t="head")])
    assert "unattributed" not in document


def test_values_that_grow_through_variables_are_limited() -> None:
    names = "".join(f"- {{name: v{i}, value: '{'[' * 20}variables.v{i - 1}{']' * 20}'}}\n" for i in range(1, 60))
    spec = f"variables:\n- {{name: v0, value: '[1]'}}\n{names}components:\n- name: a\n  podFields:\n"
    read(spec + "  - {field: spec.x, value: variables.v59}\n", {})


@pytest.mark.parametrize(
    ("spec", "length"),
    [
        pytest.param(
            "components:\n- {name: a, forEach: object.spec.l, replicas: 10, podTemplate: object.spec.template}\n"
            "gang: [{name: x, per: {replicaOf: a}, members: [a]}]",
            1000,
            id="a group for each of ten replicas of a thousand instances",
        ),
        pytest.param(
            "components:\n- {name: g, replicas: 4, components: "
            "[{name: a, forEach: object.spec.l, podTemplate: object.spec.template}]}\n"
            "gang: [{name: x, per: {instanceOf: a, by: item}, members: [a]}]",
            1000,
            id="four thousand different values of by",
        ),
        pytest.param(
            "components:\n- {name: b, forEach: object.spec.l, components: [{name: a, forEach: object.spec.l, "
            "replicas: '\"x\"', minReplicas: '\"x\"', minPods: '\"x\"', podTemplate: object.spec.template}]}",
            400,
            id="ten thousand diagnostics",
        ),
        pytest.param(
            "components:\n- {name: b, forEach: object.spec.l, components: "
            "[{name: a, forEach: object.spec.l, podTemplate: object.spec.template}]}",
            400,
            id="a list within a list",
        ),
    ],
)
def test_the_work_grows_no_faster_than_what_comes_out(spec: str, length: int) -> None:
    """Calls are counted, not seconds: four times the elements make at most some five times the work."""
    small, large = (work_of(spec, {"l": list(range(size))}) for size in (length // 8, length // 2))
    assert large < 5.5 * small


def work_of(spec: str, data: dict[str, Any]) -> int:
    """How many Python functions a read calls."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    mapping, workload = thing(spec, data)
    catalog = Catalog.builtin().with_documents([mapping])
    sys.setprofile(count)
    try:
        catalog.read(workload)
    finally:
        sys.setprofile(None)
    return calls


def test_the_expressions_of_one_read_share_a_budget() -> None:
    loop = "object.spec.l.all(a, object.spec.m.all(b, b >= 0))"
    variables = ", ".join(f"{{name: v{index}, value: '{loop}'}}" for index in range(20))
    template = "podTemplate: object.spec.template"
    spec = f"components: [{{name: a, forEach: object.spec.l, variables: [{variables}], {template}}}]"
    document = read(spec, {"l": list(range(100)), "m": list(range(90))})
    assert {found["class"] for found in document["diagnostics"]} == {"limit-exceeded"}

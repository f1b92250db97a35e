"""Faults that people reported against other readers: each report says what is right for one object or expression."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.conftest import shipped_kinds
from workloadmap_spec import Catalog, WorkloadMapError
from workloadmap_spec.cel import check, compile_expression, parse, scope_of
from workloadmap_spec.data_rules import normalize
from workloadmap_spec.errors import ExpressionCheckError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Json = dict[str, Any]

KINDS = shipped_kinds()

#: The reports about objects of these kinds.
WORKLOADS = (
    "002-rayjob-numofhosts-two-groups",
    "004-ray-group-suspended",
    "005-ray-replicas-below-min",
    "006-ray-replicas-above-max",
    "008-ray-max-overflow",
    "009-lws-size-one",
    "014-jobset-parallelism-omitted",
    "015-pytorch-no-worker-role",
    "016-pytorch-replicas-omitted",
    "022-statefulset-scaled-from-zero",
    "023-kserve-min-replicas-default",
    "025-spark-dynamic-initial-executors",
    "026-flink-taskmanagers-from-parallelism",
    "028-grove-clique-replicas-omitted",
    "029-dynamo-multinode-scaled-to-zero",
    "030-nim-multinode-lws",
    "032-nim-scaled-to-zero",
    "035-ray-ready-is-sticky",
    "036-ray-head-ready-workers-not",
    "038-ray-suspending-cluster",
    "041-rayjob-validation-failed",
    "043-rayjob-initializing",
    "045-rayservice-suspended",
    "046-rayservice-suspending-is-atomic",
    "048-lws-starting",
    "049-lws-worker-pending",
    "050-lws-update-in-progress",
    "051-jobset-running-has-no-condition",
    "053-jobset-restarting",
    "055-pytorch-elastic-worker-finished",
    "058-xgboost-resumed",
    "059-tfjob-condition-order",
    "061-mpi-succeeded-while-running",
    "063-mpi-suspended-from-start",
    "064-trainjob-running-has-no-condition",
    "066-trainjob-failed-is-terminal",
    "067-trainjob-suspended",
    "068-job-suspended",
    "072-cronjob-active-hides-failure",
    "075-deployment-scaled-to-zero",
    "076-statefulset-scaled-to-zero",
    "079-condition-status-unknown",
    "082-kserve-standard-mode-ready",
    "083-kserve-starting",
    "084-llmisvc-stopped",
    "086-spark-pending-rerun",
    "088-flink-deploying",
    "092-flink-session-cluster",
    "094-dynamo-ready-is-of-old-generation",
    "095-knative-scaled-to-zero",
    "097-sandbox-suspended",
    "100-workflow-waits-for-approval",
    "107-jobset-same-replicatedjob-name",
    "108-rayjob-pods-two-hops",
    "110-pytorch-pods-direct-owner",
    "113-ray-gang-autoscaled-min",
    "115-ray-gang-zero-workers",
    "116-rayjob-submitter-not-in-gang",
    "118-jobset-gang-tree",
    "119-pytorch-elastic-min",
    "121-mpi-delayed-launcher",
    "122-mpi-min-available",
    "123-volcano-task-min-available",
    "124-volcano-explicit-job-min",
    "128-grove-clique-min-below-replicas",
    "131-rayjob-sidecar-submitter",
    "133-job-sidecar-before-init",
    "134-job-sidecar-after-init",
    "135-job-large-init",
    "138-kserve-inline-podspec",
    "140-rayjob-selector-and-spec",
    "141-lws-negative-replicas",
    "143-trainjob-runtime-missing",
)

#: The reports about expressions.
EXPRESSIONS = (
    "147-cel-missing-field-compare",
    "150-cel-int-times-double",
    "151-cel-json-integer-is-int",
    "152-cel-string-number-equality",
    "155-cel-exists-error-when-no-true",
    "158-cel-guarded-map",
    "159-cel-label-key-with-dots",
)


#: Expressions outside the portable profile: the rule that refuses them, and how they are written inside it.
REWRITTEN = {
    "151-cel-json-integer-is-int": ("P06", "[dyn(object.spec.parallelism / object.spec.slots), dyn(-7 / 2)]"),
}


def report(shared: Path, name: str) -> Json:
    """One report."""
    document: Json = yaml.safe_load((shared / "cases" / "reports" / f"{name}.yaml").read_text(encoding="utf-8"))
    return document


def instances(components: list[Json]) -> Iterator[tuple[str, Json]]:
    """Every instance of a map, with the name of its component."""
    for component in components:
        for instance in component["instances"]:
            yield component["name"], instance
            yield from instances(instance.get("components", []))


def instance_of(document: Json, name: str) -> Json | None:
    """The one instance that has an id, or else that of the component of that name."""
    found = list(instances(document.get("components", [])))
    named = [part for _, part in found if part["id"] == name] or [part for own, part in found if own == name]
    assert len(named) <= 1, f"{name} is not one instance"
    return named[0] if named else None


def pods_below(instance: Json) -> int:
    """The pods of an instance, or of those below it."""
    below = instances(instance.get("components", []))
    return int(instance["pods"]) if "pods" in instance else sum(part.get("pods", 0) for _, part in below)


def check_components(document: Json, expected: Json) -> None:
    """Counts of an instance, or whether there is one at all."""
    for name, counts in expected.items():
        instance = instance_of(document, name)
        wanted = {"present": True} | counts
        assert (instance is not None) is wanted.pop("present"), name
        assert wanted.keys() <= {"pods", "replicas", "minReplicas", "maxReplicas", "template", "resources"}
        template = wanted.pop("template", None)
        for member, amounts in wanted.pop("resources", {}).items():
            assert instance is not None
            assert instance["resources"]["total"][member] == amounts
        for member, count in wanted.items():
            assert instance is not None
            # A component that groups others has the pods below it.
            found = pods_below(instance) if member == "pods" else instance[member]
            assert found == count, (name, member)
        if template is not None:
            assert instance is not None
            assert instance["podTemplate"] == template


def check_totals(document: Json, expected: Json) -> None:
    """The pods of the whole workload, and what they request."""
    assert expected.keys() <= {"pods", "resources"}
    if "pods" in expected:
        assert document["totals"]["pods"] == expected["pods"]
    for member, amounts in expected.get("resources", {}).items():
        assert member in {"requests", "limits"}
        assert document["totals"]["resources"][member] == amounts


def check_gang(document: Json, expected: Json) -> None:
    """The one group of a workload, its minimum, and that of its parts: subgroups, or members where it has none."""
    assert expected.keys() <= {"groups", "minMember", "subgroups"}
    groups = document["gang"]["groups"]
    assert len(groups) == expected.get("groups", 1)
    group = groups[0]
    if "minMember" in expected:
        assert group["minMember"] == expected["minMember"]
    if "subgroups" in expected:
        parts = {}
        for subgroup in group.get("subgroups", []):
            place = subgroup["at"][-1]
            name = f"{place['instance']}-{place['replica']}" if "replica" in place else place["instance"]
            parts[name] = subgroup["minMember"]
        for member in group["members"] if not parts else []:
            parts[member["instance"]] = member["minPods"]
        assert parts == expected["subgroups"]


def check_pods(document: Json, expected: Json) -> None:
    """The component or instance that each pod is of; null for a pod that is not of the workload."""
    found = {pod["name"]: {pod["at"][-1]["component"], pod["at"][-1]["instance"]} for pod in document.get("pods", [])}
    known = set(found) | {pod["name"] for pod in document.get("unattributed", [])}
    for name, owner in expected.items():
        if owner is None:
            assert name not in known
        else:
            assert owner in found[name]
    assert known <= set(expected)


def check_phase(document: Json, expected: str) -> None:
    """The phase."""
    assert document["status"]["phase"] == expected


def check_phase_in(document: Json, expected: list[str]) -> None:
    """The phase is one of these."""
    assert document["status"]["phase"] in expected


def check_phase_not(document: Json, expected: list[str]) -> None:
    """The phase is none of these."""
    assert document["status"]["phase"] not in expected


def check_stale(document: Json, *, expected: bool) -> None:
    """Whether the status is of an older generation."""
    assert document["status"]["stale"] is expected


def check_about(_document: Json, expected: str) -> None:
    """A note for people: what an error is about, or a law that holds for every count of a map."""
    assert expected


def check_accept_incomplete(document: Json, expected: bool) -> None:  # noqa: FBT001 - as the other checks
    """That something cannot be told is said, and right."""
    assert expected
    assert document["totals"]["incomplete"]


CHECKS: Final[dict[str, Callable[..., None]]] = {
    "about": check_about,
    "accept_incomplete": check_accept_incomplete,
    "components": check_components,
    "gang": check_gang,
    "phase": check_phase,
    "phase_in": check_phase_in,
    "phase_not": check_phase_not,
    "pods": check_pods,
    "stale": lambda document, expected: check_stale(document, expected=expected),
    "totals": check_totals,
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_is_read_as_the_report_asks(shared: Path, name: str) -> None:
    """Every member of `expect` is looked at; one that this test does not know fails it."""
    case = report(shared, name)
    given = {name: case[name] for name in ("pods", "references") if name in case}
    expected: Json = dict(case["expect"])
    if expected.pop("error", False):
        assert expected.keys() <= {"about"}
        with pytest.raises(WorkloadMapError):
            Catalog.builtin().read(case["object"], **given, strict=True)
        return
    document = Catalog.builtin().read(case["object"], **given, strict=True).to_dict()
    assert expected
    for member, wanted in expected.items():
        CHECKS[member](document, wanted)
    for _, instance in instances(document.get("components", [])):
        assert all(instance.get(member, 0) >= 0 for member in ("pods", "minPods", "replicas", "maxReplicas"))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_gives_what_the_report_asks(shared: Path, name: str) -> None:
    """The value, or an error, be it when it is checked or when it runs."""
    case = report(shared, name)
    text = case["expression"]
    expected: Json = dict(case["expect"])
    expected.pop("about", None)
    if expected == {"error": True}:
        with pytest.raises(WorkloadMapError):
            evaluate(text, case["object"])
        return
    if name in REWRITTEN:
        rule, portable = REWRITTEN[name]
        with pytest.raises(ExpressionCheckError) as caught:
            evaluate(text, case["object"])
        assert caught.value.rule == rule
        text = portable
    assert expected.keys() == {"value"}
    # As JSON: true is not 1 there, and 2 is not 2.0.
    assert json.dumps(evaluate(text, case["object"])) == json.dumps(expected["value"])


def evaluate(text: str, workload: Json) -> object:
    """The value of an expression over one object, if it is one of the portable profile."""
    tree = parse(text)
    for finding in check(tree, text, scope_of(["object"])):
        if finding.level == "error":
            raise finding.to_error(text)
    return compile_expression(tree, text)({"object": normalize(workload)})


def test_the_tables_name_every_report_of_these_kinds(shared: Path) -> None:
    """A report that somebody adds is looked at too."""
    workloads = set()
    expressions = set()
    for path in (shared / "cases" / "reports").glob("*.yaml"):
        case = report(shared, path.stem)
        if case["kind"] == "CEL":
            expressions.add(path.stem)
        elif (case["object"]["apiVersion"], case["object"]["kind"]) in KINDS:
            workloads.add(path.stem)
    assert workloads == set(WORKLOADS)
    assert expressions == set(EXPRESSIONS)

"""Reports: the numbers are those of the maps, and what needs several maps is worked out here by hand."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import catalog_cases
from tests.report_objects import everything, job, jobset, node, pod, report_of
from workloadmap_spec import Catalog
from workloadmap_spec.documents import Document, normalize
from workloadmap_spec.report.build import build_report
from workloadmap_spec.report.owners import controller_of, parents
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from workloadmap_spec.cases import Case

Json = dict[str, Any]


def titles(report: Json) -> list[tuple[str, str, int | None]]:
    """Kind, name and parent of every workload."""
    return [
        (entry["workload"]["kind"], entry["workload"].get("name", ""), entry.get("parent"))
        for entry in report["workloads"]
    ]


def test_parts_stand_behind_what_they_are_a_part_of() -> None:
    report = report_of(everything())
    assert titles(report) == [
        ("JobSet", "train", None),
        ("Job", "train-leader-0", 0),
        ("Job", "train-workers-0", 0),
        ("Job", "train-workers-1", 0),
    ]


def test_the_numbers_of_a_workload_and_its_instances() -> None:
    found = report_of(everything())["workloads"][0]
    phases = {"Pending": 1, "Running": 4}
    assert found["pods"] == {
        "desired": 5,
        "minimum": 5,
        "found": 5,
        "ready": 4,
        "readyFrom": "pods",
        "phases": phases,
    }
    leader, workers = found["instances"]
    assert leader["path"] == [{"component": "job", "instance": "leader"}]
    assert leader["pods"] == {
        "desired": 1,
        "minimum": 1,
        "found": 1,
        "ready": 1,
        "readyFrom": "pods",
        "phases": {"Running": 1},
    }
    assert workers["pods"]["ready"] == 3
    assert workers["resources"]["total"]["limits"] == {"cpu": "32", "memory": "128Gi", "nvidia.com/gpu": "16"}
    assert found["podList"][1] == {
        "name": "train-workers-0-0",
        "namespace": "research",
        "uid": "u-workers-0-0",
        "instance": 1,
        "replicas": [0],
        "index": 0,
        "group": "workload",
        "subgroup": "workload/job/workers/0",
        "phase": "Running",
        "ready": True,
        "node": "n1",
    }


def test_sums_count_a_part_once() -> None:
    totals = report_of(everything())["totals"]
    assert totals["workloads"] == 1
    assert totals["phases"] == {"Running": 1}
    assert totals["pods"]["desired"] == totals["pods"]["found"] == 5
    assert totals["resources"]["requests"] == {"cpu": "34", "memory": "132Gi", "nvidia.com/gpu": "16"}


def test_sums_leave_out_what_is_at_rest() -> None:
    done = jobset(name="done", uid="u-done")
    done["status"] = {"conditions": [{"type": "Completed", "status": "True"}], "terminalState": "Completed"}
    totals = report_of([jobset(), done])["totals"]
    assert totals["workloads"] == 2
    assert totals["phases"] == {"Completed": 1, "Running": 1}
    assert totals["pods"] == {"desired": 5, "minimum": 5}


def test_the_pods_of_a_part_are_those_of_the_whole() -> None:
    """A CronJob selects no pods; those of its Jobs are what runs of it."""
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "research", "uid": "u-nightly"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job("leader", 0)["spec"]}},
        "status": {"active": [{"name": "train-leader-0"}]},
    }
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "u-nightly", "controller": True}
    report = report_of([cron, job("leader", 0, ownerReferences=[owner]), pod("leader", 0, 0)])
    assert titles(report) == [("CronJob", "nightly", None), ("Job", "train-leader-0", 0)]
    assert report["workloads"][0]["pods"]["ready"] == 1
    assert report["totals"]["pods"]["found"] == 1


def test_ready_is_that_of_the_status_where_no_pods_are_given() -> None:
    found = report_of([job("workers", 0)])["workloads"][0]
    assert found["pods"] == {"desired": 2, "minimum": 1, "ready": 2, "readyFrom": "status"}


def test_ready_is_not_known_where_the_status_counts_replicas_of_several_pods() -> None:
    found = report_of([jobset()])["workloads"][0]
    assert "ready" not in found["pods"]
    assert all("ready" not in instance["pods"] for instance in found["instances"])


def test_pods_are_missed_only_of_what_an_api_server_has_seen() -> None:
    draft = jobset(name="draft", uid="")
    del draft["metadata"]["uid"], draft["status"]
    report = report_of([*everything(), draft])
    pods = {entry["workload"]["name"]: entry["pods"] for entry in report["workloads"]}
    assert "found" not in pods["draft"]
    lost = jobset(name="lost", uid="u-lost")
    report = report_of([*everything(), lost])
    pods = {entry["workload"]["name"]: entry["pods"] for entry in report["workloads"]}
    assert pods["lost"]["found"] == pods["lost"]["ready"] == 0


def test_an_instance_without_pods_has_none_where_pods_are_given() -> None:
    """The leader has a pod and the workers have none; that is known, and not a question."""
    leader, workers = report_of([jobset(), pod("leader", 0, 0)])["workloads"][0]["instances"]
    assert leader["pods"]["ready"] == 1
    assert workers["pods"] == {"desired": 4, "minimum": 4, "found": 0, "ready": 0, "readyFrom": "pods"}


def test_a_workload_that_does_not_say_which_pods_are_its_own_may_have_some() -> None:
    """A CronJob selects none: that none is found says nothing, unless they are those of its Jobs."""
    spec = {name: value for name, value in job("leader", 0)["spec"].items() if name != "selector"}
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "research", "uid": "u-nightly"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}},
        "status": {"active": [{"name": "nightly-1"}]},
    }
    report = report_of([cron, *everything()])
    (found,) = (entry for entry in report["workloads"] if entry["workload"]["kind"] == "CronJob")
    assert "found" not in found["pods"]
    assert "ready" not in found["pods"]


def test_a_pod_that_no_workload_selects_is_one_and_may_be_a_part() -> None:
    alone = pod("leader", 0, 0)
    alone["metadata"]["labels"] = {}
    report = report_of([jobset(), job("leader", 0), alone])
    assert titles(report)[-1] == ("Pod", "train-leader-0-0", 1)
    assert [entry["pods"]["found"] for entry in report["workloads"]] == [1, 1, 1]


def test_a_pod_without_a_place_is_told_with_its_state() -> None:
    stray = pod("leader", 0, 0)
    stray["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"] = "other"
    found = report_of([jobset(), stray])["workloads"][0]
    assert found["podList"] == [
        {
            "name": "train-leader-0-0",
            "namespace": "research",
            "uid": "u-leader-0-0",
            "reason": "unclaimed",
            "phase": "Running",
            "ready": True,
            "node": "n1",
        }
    ]


def test_what_was_not_read_is_told_and_what_is_no_workload_is_not() -> None:
    strange = {"apiVersion": "x.example/v1", "kind": "Strange", "metadata": {"name": "a", "namespace": "b"}}
    report = report_of([jobset(), strange, node("n1", "small")])
    assert report["unread"] == [
        {
            "message": "no mapping fits Strange of x.example/v1",
            "apiVersion": "x.example/v1",
            "kind": "Strange",
            "namespace": "b",
            "name": "a",
        }
    ]


@pytest.mark.parametrize("case", catalog_cases()[::7], ids=lambda case: case.id)
def test_a_report_says_what_the_maps_say(case: Case) -> None:
    """It fits its schema, whatever the kind, and no number is another one than in the map."""
    request = case.request
    values = [request["object"], *request.get("pods", ()), *request.get("references", ())]
    documents = [Document(normalize(value)) for value in values]
    reading = Catalog.builtin().read_all(documents)
    report = build_report(reading, documents, "2026-12-01T00:00:00Z")
    assert schema_problems(report, "WorkloadReport") == []
    assert len(report["workloads"]) == len(reading.maps)
    by_name = {_key(found.document["workload"]): found.document for _document, found in reading.maps}
    for entry in report["workloads"]:
        document = by_name[_key({name: value for name, value in entry["workload"].items() if name != "created"})]
        assert entry["pods"]["desired"] == document["totals"]["pods"]
        assert entry.get("status") == document.get("status")
        desired = [instance["pods"].get("desired") for instance in entry.get("instances", ()) if "pods" in instance]
        if None not in desired:
            assert sum(number for number in desired if number is not None) == document["totals"]["pods"]
        assert len(entry.get("podList", ())) == len(document.get("pods", ())) + len(document.get("unattributed", ()))
        found = [instance["pods"].get("found", 0) for instance in entry.get("instances", ()) if "pods" in instance]
        assert sum(found) == len(document.get("pods", ()))


def _key(workload: Json) -> tuple[tuple[str, str], ...]:
    """What tells workloads apart."""
    return tuple(sorted((name, str(value)) for name, value in workload.items()))


def test_the_order_of_the_input_does_not_matter() -> None:
    objects = everything()
    expected = report_of(objects)
    for seed in range(5):
        random.Random(seed).shuffle(objects)
        assert report_of(objects) == expected


# Owners


def owned(name: str, owner: Json | None, uid: str = "", kind: str = "Thing") -> Json:
    """An object with an owner."""
    metadata: Json = {"name": name, "namespace": "ns"}
    if uid:
        metadata["uid"] = uid
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    return {"apiVersion": "x.example/v1", "kind": kind, "metadata": metadata}


def owner_of(name: str, uid: str = "", kind: str = "Thing", **more: Any) -> Json:  # noqa: ANN401 - JSON
    """A reference to an owner."""
    return {"apiVersion": "x.example/v2", "kind": kind, "name": name, "uid": uid, "controller": True, **more}


def test_the_way_up_leads_through_objects_that_nobody_reads() -> None:
    top, middle = owned("top", None, "1"), owned("middle", owner_of("top", "1"), "2")
    low = owned("low", owner_of("middle", "2"), "3")
    assert parents([top, low], [middle]) == [None, 0]
    assert parents([top, low], []) == [None, None]


@pytest.mark.parametrize(
    ("above", "reference", "parent"),
    [
        (owned("a", None, "1"), owner_of("other", "1"), 0),
        (owned("a", None, "2"), owner_of("a", "1"), None),
        (owned("a", None), owner_of("a", "1"), 0),
        (owned("a", None), owner_of("b"), None),
        (owned("a", None, kind="Other"), owner_of("a"), None),
        (owned("a", None), owner_of("a", controller=False), 0),
    ],
    ids=[
        "the uid decides",
        "another uid is another object",
        "a manifest has no uid",
        "another name",
        "another kind",
        "the only owner is no controller",
    ],
)
def test_an_owner(above: Json, reference: Json, parent: int | None) -> None:
    assert parents([above, owned("part", reference)], []) == [None, parent]


def test_an_owner_may_have_no_namespace() -> None:
    above = owned("a", None)
    del above["metadata"]["namespace"]
    assert parents([above, owned("part", owner_of("a"))], []) == [None, 0]
    part = owned("part", owner_of("a"))
    del part["metadata"]["namespace"]
    above["metadata"]["namespace"] = "default"
    assert parents([above, part], []) == [None, 0]


def test_owners_in_a_circle_are_none() -> None:
    circle = [owned("a", owner_of("c")), owned("b", owner_of("a")), owned("c", owner_of("b"))]
    found = parents([*circle, owned("d", owner_of("a"))], [])
    assert found.count(None) == 1
    assert parents([owned("a", owner_of("a"))], []) == [None]


@pytest.mark.parametrize(
    "references",
    ["no list", [], ["no map"], [{"kind": "A"}, {"kind": "B"}], [{"name": "a"}], [owner_of("a"), owner_of("b")]],
)
def test_what_names_no_controller(references: object) -> None:
    assert controller_of({"metadata": {"ownerReferences": references}}) is None
    assert controller_of({"metadata": "no map"}) is None

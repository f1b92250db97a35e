"""Metrics of a report: read by the official parser, and held against the maps of recorded objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.report_objects import everything, jobset, pod, report_of
from tests.test_recorded import RECORDINGS, recording
from workloadmap_spec import Catalog
from workloadmap_spec.documents import Document, normalize
from workloadmap_spec.errors import InputError
from workloadmap_spec.report.build import build_report
from workloadmap_spec.report.openmetrics import PHASES, to_openmetrics
from workloadmap_spec.report.prices import load_prices

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
Samples = dict[str, list[tuple[dict[str, str], float]]]


def samples(text: str) -> Samples:
    """The samples of a text by metric, each with its labels, as the official parser reads them."""
    families = list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]
    assert all(family.documentation for family in families)
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def value(found: Samples, name: str, **labels: str) -> float:
    """The value of the one sample with these labels."""
    (only,) = [number for told, number in found[f"workloadmap_{name}"] if labels.items() <= told.items()]
    return only


def test_every_metric_is_there_once(tmp_path: Path) -> None:
    """The names are a contract, which docs/metrics.md has."""
    prices = tmp_path / "prices.yaml"
    prices.write_text("currency: EUR\nprices:\n- perHour: {cpu: 1}\n", encoding="utf-8")
    found = samples(to_openmetrics(report_of(everything(), load_prices(prices))))
    level = ("pods_desired", "pods_minimum", "pods_found", "pods_ready", "resource_requests", "resource_limits")
    workload = ("info", "creation_timestamp_seconds", "phase", "suspended", "incomplete", "cost_incomplete")
    assert {name.removeprefix("workloadmap_") for name in found} == {
        *(f"workload_{name}" for name in (*workload, *level, "cost_per_hour")),
        *(f"instance_{name}" for name in (*level, "cost_per_hour")),
        "pod_info",
        "unread_objects",
    }
    identity = {"namespace", "group", "kind", "workload"}
    for name, entries in found.items():
        if "workload_" in name or "instance_" in name:
            assert all(identity <= labels.keys() for labels, _number in entries)


def test_values_are_those_of_the_report() -> None:
    found = samples(to_openmetrics(report_of(everything())))
    train = {"kind": "JobSet", "workload": "train", "namespace": "research", "group": "jobset.x-k8s.io"}
    assert value(found, "workload_info", **train, uid="u-train", version="v1alpha2", parent="") == 1
    assert value(found, "workload_info", workload="train-leader-0", parent="train", parent_kind="JobSet") == 1
    assert value(found, "workload_creation_timestamp_seconds", **train) == 1773735124
    assert value(found, "workload_pods_ready", **train) == 4
    assert value(found, "workload_resource_requests", **train, resource="memory", unit="byte") == 132 * 2**30
    assert value(found, "workload_resource_requests", **train, resource="nvidia.com/gpu", unit="integer") == 16
    assert value(found, "instance_pods_ready", component="job", instance="workers", kind="JobSet") == 3
    assert value(found, "workload_phase", **train, phase="Running") == 1
    assert sum(number for labels, number in found["workloadmap_workload_phase"] if labels["workload"] == "train") == 1
    assert value(found, "unread_objects") == 0


def test_a_pod_belongs_to_the_outermost_workload_and_to_no_second() -> None:
    stray = pod("leader", 0, 0)
    stray["metadata"] |= {"name": "stray", "uid": "u-stray"}
    stray["metadata"]["labels"] = {"jobset.sigs.k8s.io/jobset-name": "train"}
    found = samples(to_openmetrics(report_of([*everything(), stray])))["workloadmap_pod_info"]
    assert sorted(labels["pod"] for labels, _number in found) == [
        "stray",
        "train-leader-0-0",
        "train-workers-0-0",
        "train-workers-0-1",
        "train-workers-1-0",
        "train-workers-1-1",
    ]
    by_name = {labels["pod"]: labels for labels, _number in found}
    assert {labels["kind"] for labels in by_name.values()} == {"JobSet"}
    assert by_name["stray"]["component"] == ""
    assert by_name["train-workers-1-1"] == {
        "namespace": "research",
        "pod": "train-workers-1-1",
        "uid": "u-workers-1-1",
        "group": "jobset.x-k8s.io",
        "kind": "JobSet",
        "workload": "train",
        "component": "job",
        "instance": "workers",
        "replica": "1",
        "index": "1",
        "pod_group": "workload/job/workers/1",
    }


def test_what_is_not_known_makes_no_series() -> None:
    """A manifest that no API server has seen has no state and no pods; limits that do not bind are none."""
    draft = jobset()
    del draft["metadata"]["uid"], draft["status"], draft["metadata"]["creationTimestamp"]
    found = samples(to_openmetrics(report_of([draft])))
    for name in ("phase", "pods_found", "pods_ready", "creation_timestamp_seconds", "stale"):
        assert f"workloadmap_workload_{name}" not in found
    limits = [labels["resource"] for labels, _number in found["workloadmap_workload_resource_limits"]]
    assert limits == ["nvidia.com/gpu"]


def test_texts_are_escaped() -> None:
    report = report_of([jobset(name='a"b\\c\nd')])
    (info,) = samples(to_openmetrics(report))["workloadmap_workload_info"]
    assert info[0]["workload"] == 'a"b\\c\nd'


def test_two_of_one_name_are_an_error() -> None:
    with pytest.raises(InputError) as caught:
        to_openmetrics(report_of([jobset(), jobset(uid="u-other")]))
    assert str(caught.value) == (
        "JobSet research/train is there twice, and metrics cannot tell the two apart [input-invalid]\n"
        "  give one of them, or another form of the report"
    )


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_metrics_of_a_recorded_flow_follow_it(shared: Path, name: str) -> None:
    """Every change of the map is a change of the metrics, and no series contradicts the map."""
    before: tuple[Any, str] | None = None
    for state in recording(shared, name)["states"]:
        documents = [Document(normalize(state["object"]))]
        reading = Catalog.builtin().read_all(documents)
        text = to_openmetrics(build_report(reading, documents, "2026-12-01T00:00:00Z"))
        found = samples(text)
        ((_document, workload_map),) = reading.maps
        told = workload_map.document
        phases = {labels["phase"]: number for labels, number in found["workloadmap_workload_phase"]}
        assert phases == {phase: float(phase == told["status"]["phase"]) for phase in PHASES}
        assert value(found, "workload_pods_desired") == told["totals"]["pods"]
        assert value(found, "workload_incomplete") == ("incomplete" in told["totals"])
        suspended = found.get("workloadmap_workload_suspended")
        assert (None if suspended is None else bool(suspended[0][1])) == told.get("suspended")
        seen = (told["status"]["phase"], told["status"].get("reason"), told["totals"], told.get("suspended"))
        if before is not None and before[0] != seen:
            assert before[1] != text
        before = (seen, text)

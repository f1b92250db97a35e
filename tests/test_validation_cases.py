"""Which cases belong to a mapping: those beside it, below its folder, in folders that are named, and shipped ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.errors import InputError
from workloadmap_spec.files import mappings_root
from workloadmap_spec.validation import validate_paths
from workloadmap_spec.validation.cases import CaseFinder, kind_of

if TYPE_CHECKING:
    from pathlib import Path

WIDGET = kind_of("x.example", "Widget", ["v1", "v1beta1"])

MAPPING = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget}
spec:
  workload: {group: x.example, versions: [v1, v1beta1], kind: Widget}
  components: [{name: main, podTemplate: object.spec.template}]
"""

PLAIN = """
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: widget
title: A widget is read
object:
  apiVersion: x.example/v1
  kind: Widget
expect: {}
"""


def case(**members: object) -> dict[str, Any]:
    """A case of a widget, with these members more or otherwise."""
    return {"id": "a", "object": {"apiVersion": "x.example/v1beta1", "kind": "Widget"}} | members


def flow(value: object) -> str:
    """A document on one line, which is no usual form."""
    return json.dumps(value) + "\n"


def line(shipped: list[str] | None = None, **members: object) -> str:
    """A line of an installed suite."""
    entry: dict[str, Any] = {"request": case(**members)}
    return json.dumps(entry if shipped is None else entry | {"shipped": shipped})


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    """A mapping that lies in a folder of its own."""
    file = tmp_path / "maps" / "widget.yaml"
    file.parent.mkdir()
    file.write_text(MAPPING, "utf-8")
    return file


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(PLAIN, id="in the usual form"),
        pytest.param(
            PLAIN.replace("\n  kind: Widget", "\n  metadata: {name: a}\n  kind: Widget"), id="in another order"
        ),
        pytest.param(flow(case()), id="on one line"),
        pytest.param(
            "--- # first\n" + flow(case(object={"kind": "Other"})) + "---\n" + flow(case()), id="as the second"
        ),
        pytest.param("a: [\n---\n" + flow(case()), id="after a document that cannot be read"),
        pytest.param("text\n---\n\n---\n" + flow(case()), id="after a text and an empty document"),
    ],
)
@pytest.mark.parametrize("name", ["widget.case.yaml", "below/it/other.case.yaml"])
def test_a_case_belongs_to_the_mapping_beside_or_above_it(mapping: Path, name: str, text: str) -> None:
    file = mapping.parent / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    assert CaseFinder().has_case(WIDGET, mapping)
    assert [one.rule for one in validate_paths([mapping], second_opinion=False).findings] == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(PLAIN.replace("x.example/v1", "x.example/v2"), id="of another version"),
        pytest.param(PLAIN.replace("x.example/v1", "y.example/v1"), id="of another group"),
        pytest.param(PLAIN.replace("kind: Widget", "kind: Widgets"), id="of another kind"),
        pytest.param(PLAIN + "mappings: [{}]\n", id="with mappings of its own"),
        pytest.param(PLAIN + "mappingText: Widget\n", id="with the text of a mapping"),
        pytest.param(flow(case(object="Widget of x.example/v1")), id="with an object that is none"),
        pytest.param(flow(["Widget", "x.example/v1"]), id="that is a list"),
        pytest.param("a: [Widget, x.example/v1", id="that cannot be read"),
        pytest.param(flow(case(object={"kind": "Other"}, title="Widget")), id="that only speaks of it"),
    ],
)
def test_a_case_of_something_else_does_not_count(mapping: Path, text: str) -> None:
    (mapping.parent / "widget.case.yaml").write_text(text, "utf-8")
    assert not CaseFinder().has_case(WIDGET, mapping)
    assert [one.rule for one in validate_paths([mapping], second_opinion=False).findings] == ["WM401"]


@pytest.mark.parametrize(
    "name", ["widget.yaml", ".widget.case.yaml", ".hidden/widget.case.yaml", "../widget.case.yaml"]
)
def test_a_case_elsewhere_or_hidden_does_not_count(mapping: Path, name: str) -> None:
    file = (mapping.parent / name).resolve()
    file.parent.mkdir(exist_ok=True)
    if file != mapping:
        file.write_text(PLAIN, "utf-8")
    assert not CaseFinder().has_case(WIDGET, mapping)


@pytest.mark.parametrize("is_folder", [True, False])
def test_cases_that_are_named_count_for_each_mapping(mapping: Path, tmp_path: Path, *, is_folder: bool) -> None:
    file = tmp_path / "elsewhere" / "w.case.yaml"
    file.parent.mkdir()
    file.write_text(PLAIN, "utf-8")
    finder = CaseFinder((file.parent if is_folder else file,))
    assert finder.has_case(WIDGET, mapping)
    assert finder.has_case(WIDGET, None)
    assert not CaseFinder().has_case(WIDGET, None)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([line()], True, id="a case"),
        pytest.param([line(mappings=[{}])], False, id="a case with mappings"),
        pytest.param([line(["widget"], mappings=[{}])], True, id="a case whose mappings are the shipped ones"),
        pytest.param(["Widget x.example/v1", "[]", line()], True, id="lines that are none before"),
        pytest.param(['["Widget", "x.example/v1"]', '{"request": "Widget x.example/v1"}'], False, id="no case"),
        pytest.param(["[" * 100_000 + ' "Widget", "x.example/v1"'], False, id="a line that is too deep"),
        pytest.param(
            [line(object={"apiVersion": "x.example/v1", "kind": "Gadget"}, title="Widget")], False, id="others"
        ),
    ],
)
def test_the_lines_of_an_installed_suite_are_cases(tmp_path: Path, lines: list[str], *, expected: bool) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    assert CaseFinder((file,)).has_case(WIDGET, None) is expected


def test_shipped_mappings_have_the_shipped_cases() -> None:
    finder = CaseFinder()
    cron = kind_of("batch", "CronJob", ["v1"])
    shipped = mappings_root() / "batch" / "cronjob.yaml"
    assert finder.has_case(cron, shipped)
    cases = finder.cases(cron, shipped)
    assert cases
    assert {one.request["object"]["kind"] for one in cases} == {"CronJob"}


def test_a_mapping_without_cases_is_tried_on_the_shipped_ones(mapping: Path) -> None:
    jobs = kind_of("batch", "Job", ["v1"])
    assert not CaseFinder().has_case(jobs, mapping)
    assert {one.id.partition("/")[0] for one in CaseFinder().cases(jobs, mapping)} == {"catalog"}


def test_a_case_file_that_cannot_be_read_is_told(mapping: Path) -> None:
    file = mapping.parent / "widget.case.yaml"
    file.symlink_to(mapping.parent / "nowhere")
    with pytest.raises(InputError, match="cannot be read") as caught:
        CaseFinder().has_case(WIDGET, mapping)
    assert caught.value.location.source == str(file)

"""The commands `workloadmap validate` and `workloadmap test`: what they print, and their exit codes."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from workloadmap_spec.cli import main
from workloadmap_spec.files import cases_root, mappings_root

if TYPE_CHECKING:
    from pathlib import Path

MAPPING: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget}
spec:
  workload: {group: x.example, versions: [v1], kind: Widget}
  components:
  - {name: main, replicas: object.spec.count, podTemplate: object.spec.template}
""".lstrip()
BROKEN: Final = MAPPING.replace("object.spec.count", "1 + nodes")
WARNS: Final = MAPPING.replace("object.spec.count", "object.spec.count + 1")

CASE: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: widget/two-pods
title: a widget makes as many pods as it counts
object:
  apiVersion: x.example/v1
  kind: Widget
  spec: {count: 2, template: {spec: {containers: [{name: c}]}}}
expect:
  outcome: ok
  document:
    apiVersion: workloadmap.dev/v1alpha1
    kind: WorkloadMap
    workload: {apiVersion: x.example/v1, kind: Widget}
    mapping: {name: widget}
    components:
    - name: main
      instances:
      - id: main
        replicas: 2
        pods: 2
        minPods: 2
        podTemplate: {spec: {containers: [{name: c}]}}
        sources: {replicas: /spec/count, podTemplate: /spec/template}
    totals: {pods: 2}
""".lstrip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, so that messages have short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, **files: str) -> None:
    """Write mappings (`NAME`) and cases (`NAME_case`)."""
    for name, text in files.items():
        (folder / f"{name.replace('_', '.')}.yaml").write_text(text, encoding="utf-8")


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code of a command, its output and its messages."""
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# validate


def test_validate_says_what_is_wrong_and_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=BROKEN)
    assert ran(capsys, "validate", "widget.yaml") == (
        1,
        (
            "widget.yaml:7:32: error: /spec/components/0/replicas: `nodes` is not declared [WM318/P18]\n"
            "    - {name: main, replicas: 1 + nodes, podTemplate: object.spec.template}\n"
            "                                 ^~~~~\n"
            "  the variables are object, variables\n"
            "1 error in 1 file\n"
        ),
        "",
    )


def test_validate_marks_a_part_of_a_long_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = f'{{default: "{"x" * 200}", value: 1 + nodes, absentIf: ["{"x" * 200}"]}}'
    put(folder, widget=MAPPING.replace("object.spec.count", long))
    _, out, _ = ran(capsys, "validate", "widget.yaml")
    line, mark = out.split("\n")[1:3]
    assert len(line) <= 4 + 110
    assert line[mark.index("^") : mark.index("^") + 5] == "nodes"
    assert mark.strip() == "^~~~~"


def test_validate_of_good_files_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING, widget_case=CASE)
    assert ran(capsys, "validate", ".") == (0, "1 mapping in 1 file: no errors (1 case file left out)\n", "")


def test_validate_without_a_path_looks_at_the_shipped_mappings(capsys: pytest.CaptureFixture[str]) -> None:
    count = len(list(mappings_root().rglob("*.yaml")))
    assert ran(capsys, "validate") == (0, f"{count} mappings in {count} files: no errors\n", "")


def test_warnings_do_not_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=WARNS)
    code, out, _ = ran(capsys, "validate", "widget.yaml")
    assert code == 0
    assert out.startswith("widget.yaml:7:28: warning: /spec/components/0/replicas: ")
    assert out.endswith("\n1 warning in 1 file\n")


def test_quiet_prints_errors_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a=WARNS, b=MAPPING.replace("[v1]", "[v2]"))
    assert ran(capsys, "validate", "-q", ".") == (0, "", "")
    put(folder, c=BROKEN.replace("[v1]", "[v3]"))
    code, out, _ = ran(capsys, "validate", "-q", ".")
    assert (code, out.split(":")[0], out.count("\n")) == (1, "c.yaml", 4)


def test_validate_reads_the_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, widget=MAPPING)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode()), encoding="utf-8"))
    code, out, _ = ran(capsys, "validate", "-", "widget.yaml")
    assert code == 1
    assert out.startswith("<stdin>:7:32: error: ")
    assert "widget.yaml:5:43: error: /spec/workload/versions/0: Widget of x.example/v1 has a mapping already" in out


def test_validate_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=BROKEN, widget_case=CASE)
    code, out, _ = ran(capsys, "validate", "--format", "json", ".")
    assert code == 1
    assert json.loads(out) == {
        "files": 1,
        "mappings": 1,
        "expressions": 0,
        "skippedCases": 1,
        "errors": 1,
        "warnings": 0,
        "findings": [
            {
                "rule": "WM318",
                "profileRule": "P18",
                "level": "error",
                "message": "`nodes` is not declared",
                "file": "widget.yaml",
                "line": 7,
                "column": 32,
                "endLine": 7,
                "endColumn": 37,
                "pointer": "/spec/components/0/replicas",
                "cure": "the variables are object, variables",
            }
        ],
    }


def test_validate_asks_the_witness(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING)
    assert ran(capsys, "validate", "--witness", "widget.yaml") == (0, "1 mapping in 1 file: no errors\n", "")


def test_colour_is_where_it_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=BROKEN)
    _, out, _ = ran(capsys, "validate", "--color", "always", "widget.yaml")
    assert "\x1b[31;1merror:\x1b[0m" in out
    _, out, _ = ran(capsys, "validate", "widget.yaml")
    assert "\x1b" not in out


def test_hostile_text_is_made_visible(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING + '  "\\e[31m": 1\n')
    code, out, _ = ran(capsys, "validate", "widget.yaml")
    assert code == 1
    assert "\x1b" not in out
    assert "/spec/\\x1b[31m: `spec` has no `\\x1b[31m`" in out


def test_a_path_that_does_not_exist_is_an_error_of_the_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = "error: none.yaml: there is no such file or folder [input-invalid]\n  check the path\n"
    for command in ("validate", "test"):
        assert ran(capsys, command, "none.yaml") == (3, "", expected)
    assert not list(folder.iterdir())


def test_nothing_to_look_at_is_a_mistake_of_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "validate", ".") == (
        2,
        "",
        "error: there is no file to check in .\n  name a mapping file or its folder\n",
    )
    put(folder, widget_case=CASE)
    assert ran(capsys, "validate", ".") == (
        2,
        "",
        (
            "error: there is no file to check in . but cases, which `workloadmap test` runs\n"
            "  name a mapping file or its folder\n"
        ),
    )


# test


def test_the_shipped_cases_pass(capsys: pytest.CaptureFixture[str]) -> None:
    count = len(list(cases_root().rglob("*.case.yaml")))
    assert ran(capsys, "test") == (0, f"{count} passed, 0 failed\n", "")


def test_a_case_beside_a_mapping_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING, widget_case=CASE)
    assert ran(capsys, "test", "-m", "widget.yaml", "widget.case.yaml", "-v") == (
        0,
        "passed widget/two-pods\n1 passed, 0 failed\n",
        "",
    )


def test_differences_are_told_by_place_expected_and_actual_value(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, widget=MAPPING.replace("replicas: object.spec.count, ", ""), widget_case=CASE)
    assert ran(capsys, "test", "-m", "widget.yaml", ".") == (
        1,
        (
            "failed widget/two-pods: a widget makes as many pods as it counts\n"
            "  in widget.case.yaml\n"
            "  /components/0/instances/0/replicas: expected 2, actual 1\n"
            "  /components/0/instances/0/pods: expected 2, actual 1\n"
            "  /components/0/instances/0/minPods: expected 2, actual 1\n"
            '  /components/0/instances/0/sources/replicas: expected "/spec/count", actual nothing\n'
            "  /totals/pods: expected 2, actual 1\n"
            "0 passed, 1 failed\n"
        ),
        "",
    )


def test_no_more_than_twenty_differences_of_a_case_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = ", ".join(f"more{index}: /x" for index in range(23))
    put(folder, widget=MAPPING, widget_case=CASE.replace("sources: {", f"sources: {{{entries}, "))
    code, out, _ = ran(capsys, "test", "-m", "widget.yaml", ".")
    lines = out.splitlines()
    assert (code, len(lines)) == (1, 2 + 20 + 2)
    assert lines[2] == '  /components/0/instances/0/sources/more0: expected "/x", actual nothing'
    assert lines[-2:] == ["  and 3 more", "0 passed, 1 failed"]


def test_a_mapping_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget_case=CASE)
    assert ran(capsys, "test", ".") == (
        1,
        (
            "failed widget/two-pods: a widget makes as many pods as it counts\n"
            "  in widget.case.yaml\n"
            "  the reader rejects the input: no mapping fits Widget of x.example/v1 [no-mapping]\n"
            "    `workloadmap mappings list` shows the kinds; give your own with -m PATH\n"
            "0 passed, 1 failed\n"
        ),
        "",
    )


def test_a_case_that_is_wrong_is_told_with_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget_case=CASE.replace("title:", "titel:"))
    assert ran(capsys, "test", ".") == (
        1,
        (
            "failed widget/two-pods\n"
            "  in widget.case.yaml\n"
            "  widget.case.yaml:4:8: /titel: a case has no `titel` [case-invalid]\n"
            "    write `title`\n"
            "0 passed, 1 failed\n"
        ),
        "",
    )


def test_a_mapping_that_cannot_be_used_stops_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=BROKEN, widget_case=CASE)
    code, out, err = ran(capsys, "test", "-m", "widget.yaml", ".")
    assert (code, out) == (1, "")
    assert err.startswith("error: widget.yaml:7:28: /spec/components/0/replicas: `nodes` is not declared ")


def test_cases_are_chosen_by_a_part_of_their_id(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING, widget_case=f"{CASE}---\n{CASE.replace('two-pods', 'more-pods')}")
    assert ran(capsys, "test", "-m", "widget.yaml", ".", "-k", "more", "-v")[1] == (
        "passed widget/more-pods\n1 passed, 0 failed\n"
    )
    assert ran(capsys, "test", ".", "-k", "none") == (
        2,
        "",
        "error: there is no case in . whose id has `none` in it\n  cases are in files named NAME.case.yaml\n",
    )


def test_results_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = CASE.replace("two-pods", "more-pods").replace("totals: {pods: 2}", "totals: {pods: 3}")
    third = CASE.replace("two-pods", "other").replace("x.example/v1\n  kind", "x.example/v2\n  kind")
    put(folder, widget=MAPPING, widget_case=f"{CASE}---\n{second}---\n{third}")
    code, out, _ = ran(capsys, "test", "--format", "json", "-m", "widget.yaml", ".")
    found: dict[str, Any] = json.loads(out)
    assert code == 1
    assert (found["passed"], found["failed"]) == (1, 2)
    assert found["cases"][:2] == [
        {"id": "widget/two-pods", "file": "widget.case.yaml", "passed": True},
        {
            "id": "widget/more-pods",
            "file": "widget.case.yaml",
            "passed": False,
            "differences": [{"pointer": "/totals/pods", "expected": 3, "actual": 2}],
        },
    ]
    assert found["cases"][2]["error"].startswith("the reader rejects the input: no mapping fits Widget")


@pytest.mark.parametrize("command", ["validate", "test"])
def test_help_has_examples_that_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, command, "--help")
    assert code == 0
    assert f"  workloadmap {command}\n" in out

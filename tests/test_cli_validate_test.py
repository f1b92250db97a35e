"""The commands `workloadmap validate` and `workloadmap test`: what they print, and their exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.conftest import definition, two_widgets
from workloadmap_spec.cli import main
from workloadmap_spec.files import cases_root, mappings_root

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

CASE: Final = two_widgets(
    "widget/two-pods",
    "a widget makes as many pods as it counts",
    "{count: 2, template: {spec: {containers: [{name: c}]}}}",
    "podTemplate: {spec: {containers: [{name: c}]}}, sources: {replicas: /spec/count, podTemplate: /spec/template}",
)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may run on GitHub Actions, where more is printed."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


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
            "1 error, 1 note (--verbose shows them): 1 file found, 1 checked, 0 skipped; 1 mapping\n"
            "`workloadmap explain WM318` says more about a rule\n"
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
    line = "no errors: 2 files found, 1 checked, 1 skipped (holds cases); 1 mapping\n"
    assert ran(capsys, "validate", ".") == (0, line, "")


def test_validate_without_a_path_looks_at_the_shipped_mappings(capsys: pytest.CaptureFixture[str]) -> None:
    count = len(list(mappings_root().rglob("*.yaml")))
    line = f"no errors: {count} files found, {count} checked, 0 skipped; {count} mappings\n"
    assert ran(capsys, "validate", "-v") == (0, line, "")


def test_warnings_do_not_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=WARNS)
    code, out, _ = ran(capsys, "validate", "widget.yaml")
    assert code == 0
    assert out.startswith("widget.yaml:7:28: warning: /spec/components/0/replicas: ")


@pytest.mark.parametrize(
    ("text", "codes"),
    [(MAPPING, (0, 0, 1)), (WARNS, (0, 1, 1)), (BROKEN, (1, 1, 1)), ("kind: [\n", (1, 1, 1))],
    ids=["a note", "a warning", "an error", "text that is not YAML"],
)
def test_the_level_decides_which_findings_fail(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, codes: tuple[int, ...]
) -> None:
    put(folder, widget=text)
    levels = ("error", "warning", "note")
    found = [ran(capsys, "validate", "--fail-level", level, "--no-second-opinion", ".")[0] for level in levels]
    assert tuple(found) == codes
    assert ran(capsys, "validate", "--fail-level", "note", "--no-second-opinion", "--exit-zero", ".")[0] == 0


def test_notes_are_shown_where_they_are_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING)
    assert "WM401" not in ran(capsys, "validate", "widget.yaml")[1]
    out = ran(capsys, "validate", "-v", "widget.yaml")[1]
    assert out.startswith(
        "widget.yaml:5:54: note: /spec/workload/kind: no case reads an object of the kind Widget with this mapping"
        " [WM401]\n"
    )


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


def test_a_standard_input_that_is_closed_cannot_be_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert ran(capsys, "validate", "-") == (
        2,
        "",
        "error: the standard input is closed\n  name a file or a folder\n",
    )


def test_validate_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=BROKEN, widget_case=CASE)
    code, out, _ = ran(capsys, "validate", "--format", "json", ".")
    assert code == 1
    found = json.loads(out)
    assert found["summary"] == {
        "files": 2,
        "checked": 1,
        "skipped": 1,
        "mappings": 1,
        "expressions": 2,
        "errors": 1,
        "warnings": 0,
        "notes": 0,
        "suppressed": 0,
        "unchecked": 0,
    }
    assert [entry["ruleId"] for entry in found["findings"]] == ["WM318"]
    assert found["skipped"] == [{"file": "widget.case.yaml", "reason": "holds cases"}]


def test_a_second_engine_is_asked_unless_it_is_not_to_be(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workloadmap_spec.validation.second_opinion.cel_python", lambda: lambda _text: 0)
    put(folder, widget=MAPPING)
    assert ran(capsys, "validate", "--format", "json", ".")[1].count('"ruleId": "WM390"') == 2
    assert ran(capsys, "validate", "--format", "json", "--no-second-opinion", ".")[0] == 0


# Outputs


def test_one_run_writes_every_format_into_a_file_and_prints_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, widget=BROKEN)
    outputs = [f"--output={form}=out.{form}" for form in ("human", "json", "sarif", "junit", "github", "markdown")]
    code, out, err = ran(capsys, "validate", "--format", "github", *outputs, "--color", "always", "widget.yaml")
    assert (code, err) == (1, "")
    assert out == (folder / "out.github").read_text(encoding="utf-8")
    assert out.startswith("::error file=widget.yaml,line=7,")
    assert json.loads((folder / "out.json").read_text(encoding="utf-8"))["summary"]["errors"] == 1
    assert json.loads((folder / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert (folder / "out.junit").read_text(encoding="utf-8").startswith("<?xml ")
    assert (folder / "out.human").read_text(encoding="utf-8").startswith("widget.yaml:7:32: error: ")
    assert "WM318" in (folder / "out.markdown").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "markdown"])
def test_a_format_of_a_program_is_alone_on_the_output(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Also on GitHub Actions, and with files beside it."""
    put(folder, widget=BROKEN)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    _, out, err = ran(capsys, "validate", "--format", form, f"--output={form}=out", "--output=human=text", ".")
    assert out == (folder / "out").read_text(encoding="utf-8")
    assert err == ""
    assert not (folder / "summary.md").exists()


def test_github_actions_gets_annotations_and_a_summary_of_the_step(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, widget=BROKEN)
    (folder / "summary.md").write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = ran(capsys, "validate", "--format", "human", ".")[1]
    notes = ran(capsys, "validate", "--format", "github", ".")[1]
    markdown = ran(capsys, "validate", "--format", "markdown", ".")[1]
    assert ran(capsys, "validate", ".") == (1, text + notes, "")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    ran(capsys, "validate", ".")
    ran(capsys, "validate", ".")
    assert (folder / "summary.md").read_text(encoding="utf-8") == f"before\n{markdown}{markdown}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "json"], "--output json: this is no format with a file"),
        (["--output", "yaml=x"], "--output yaml=x: this is no format with a file"),
        (["--output", "json=-"], "--output json=-: the standard output is for --format"),
        (["--output", "json=x", "--output", "sarif=./x"], "two outputs are written to the same file"),
        (["--output", "json=./widget.yaml"], "--output: ./widget.yaml is read as a part of widget.yaml"),
        ([".", "--output", "json=report.json"], "--output: report.json is read as a part of ."),
        (["--output", "human=x.yaml", "--crd", ".", "--"], "--output: x.yaml is read as a part of ."),
        (["--crd", "none.yaml", "--"], "--crd none.yaml: there is no such file or folder"),
        (["--cases", "none", "--"], "--cases none: there is no such file or folder"),
        (["--config", "none.yaml"], "--config none.yaml: there is no such file"),
        (["none.yaml"], "none.yaml: there is no such file or folder"),
        ([""], "a path is empty"),
        (["--fail-level", "info"], "argument --fail-level: invalid choice: 'info'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_of_the_command_line_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    put(folder, widget=MAPPING)
    code, out, err = ran(capsys, "validate", *arguments, "widget.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert [path.name for path in folder.iterdir()] == ["widget.yaml"]


@pytest.mark.parametrize("file", ["report.sarif", ".report.json", "../report.json", "maps.json"])
def test_an_output_that_is_never_read_is_written(folder: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    (folder / "maps").mkdir()
    put(folder / "maps", widget=MAPPING)
    target = file if file == "maps.json" else f"maps/{file}"
    assert ran(capsys, "validate", "--output", f"sarif={target}", "maps")[0] == 0
    assert json.loads((folder / target).read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_an_output_that_cannot_be_written_is_a_failure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING)
    code, _, err = ran(capsys, "validate", "--output", "json=none/out.txt", ".")
    assert (code, err) == (3, "error: none/out.txt: No such file or directory\n")


def test_a_file_that_cannot_be_read_is_a_failure(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, widget=MAPPING)

    def refuse(_self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    code, out, err = ran(capsys, "validate", "widget.yaml")
    assert (code, out) == (3, "")
    assert err.startswith("error: widget.yaml: the file cannot be read: Permission denied")


# Schemas of kinds

SPEC: Final = {
    "type": "object",
    "required": ["count"],
    "properties": {
        "count": {"type": "integer"},
        "template": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
CRD: Final = yaml.safe_dump(definition("Widget", {"v1": {"spec": SPEC}}, "x.example"))


@pytest.mark.parametrize(
    "arguments",
    [["widget.yaml", "--crd", "crd/a.yaml", "crd"], ["--crd", "crd/a.yaml", "crd", "--", "widget.yaml"]],
    ids=["behind the paths", "before the paths"],
)
def test_definitions_of_kinds_stand_on_either_side_of_the_paths(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    put(folder, widget=MAPPING.replace("spec.count", "spec.cuont"))
    (folder / "crd").mkdir()
    put(folder / "crd", a=CRD)
    code, out, _ = ran(capsys, "validate", "--format", "json", "--no-second-opinion", *arguments)
    found = json.loads(out)
    assert (code, found["summary"]["checked"], found["summary"]["againstCrd"]) == (1, 1, 1)
    (entry,) = [entry for entry in found["findings"] if entry["level"] == "error"]
    assert (entry["ruleId"], entry["pointer"]) == ("WM501", "/spec/components/0/replicas")
    assert entry["expression"]["text"] == "object.spec.cuont"
    line = (folder / "widget.yaml").read_text(encoding="utf-8").splitlines()[entry["span"]["startLine"] - 1]
    assert line[entry["span"]["startColumn"] - 1 :].startswith("cuont")


def test_one_mistake_hides_no_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An expression that is wrong in itself is left out of the check against the definition, and nothing else is."""
    text = MAPPING.replace("spec.count", "spec.cuont").replace(
        "  components:", "  variables: [{name: sum, value: '1 +'}]\n  components:"
    )
    put(folder, widget=text)
    (folder / "crd").mkdir()
    put(folder / "crd", a=CRD)
    code, out, _ = ran(capsys, "validate", "--format", "json", "--no-second-opinion", "widget.yaml", "--crd", "crd")
    found = json.loads(out)
    rules = [entry["ruleId"] for entry in found["findings"] if entry["level"] == "error"]
    assert (code, rules, found["summary"]["againstCrd"]) == (1, ["WM300", "WM501"], 1)


def test_a_mapping_that_violates_the_schema_is_said_to_be_unchecked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, widget=MAPPING.replace("replicas:", "replica:"), crd=CRD)
    code, out, _ = ran(
        capsys, "validate", "--format", "json", "--no-second-opinion", "widget.yaml", "--crd", "crd.yaml"
    )
    found = json.loads(out)
    assert (code, found["summary"]["againstCrd"], found["summary"]["unchecked"]) == (1, 0, 1)
    assert found["unchecked"][0]["reason"].startswith("what violates the schema of mappings")


def test_what_a_definition_knows_is_not_warned_about(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A field that the kind always has needs no guard."""
    put(
        folder,
        widget=MAPPING.replace(
            "replicas: object.spec.count", "when: has(object.spec), replicas: object.spec.count + 1"
        ),
    )
    (folder / "crd.yml").write_text(CRD, encoding="utf-8")
    assert "WM320" in ran(capsys, "validate", "widget.yaml")[1]
    assert "WM320" not in ran(capsys, "validate", "widget.yaml", "--crd", "crd.yml")[1]


def test_a_kind_without_a_definition_is_told_as_not_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, widget=MAPPING.replace("kind: Widget", "kind: Gadget"))
    (folder / "crd.yml").write_text(CRD, encoding="utf-8")
    out = ran(capsys, "validate", "--format", "json", "widget.yaml", "--crd", "crd.yml")[1]
    found = json.loads(out)
    assert found["summary"]["againstCrd"] == 0
    assert [(entry["file"], entry["pointer"]) for entry in found["unchecked"]] == [
        ("widget.yaml", "/spec/workload/versions/0")
    ]


# Colour


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


def test_a_case_that_does_not_exist_is_an_error_of_the_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = "error: none.yaml: there is no such file or folder [input-invalid]\n  check the path\n"
    assert ran(capsys, "test", "none.yaml") == (3, "", expected)
    assert not list(folder.iterdir())


def test_nothing_to_look_at_is_a_mistake_of_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "validate", ".") == (
        2,
        "",
        "error: there is no file to check in .\n  name a mapping file or its folder\n",
    )
    assert ran(capsys, "validate", "--allow-empty", ".") == (
        0,
        "no errors: 0 files found, 0 checked, 0 skipped; 0 mappings\n",
        "",
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


def test_without_a_path_the_shipped_cases_are_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them pass, as tests/test_cases.py shows; a part of them is enough here."""
    part = cases_root() / "catalog" / "jobset"
    monkeypatch.setattr("workloadmap_spec.files.cases_root", lambda: part)
    count = len(list(part.rglob("*.case.yaml")))
    assert count > 1
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

"""Suppressions: comments and settings that say why a finding is nothing wrong, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import conftest
from workloadmap_spec import yaml_loader, yaml_parsers
from workloadmap_spec.cli import main
from workloadmap_spec.documents import load_text
from workloadmap_spec.validation import RULES, Finding, validate_paths, validate_texts
from workloadmap_spec.validation.configuration import ConfigurationError, load_configuration

if TYPE_CHECKING:
    from workloadmap_spec.yaml_parsers import EventParser

#: A mapping whose replicas may be missing: one warning of WM320 in its last line but one.
HEAD: Final = f"{conftest.HEAD}  components:\n"
BODY: Final = """
  - name: main
    replicas: object.spec.count + 1
    podTemplate: object.spec.template
""".lstrip("\n")
WARNS: Final = HEAD + BODY
LINE: Final = "    replicas: object.spec.count + 1\n"
#: The schema of a value that may be any map.
ANYTHING: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of YAML, which need not agree about where things end."""
    if request.param == "python":

        def make(text: str) -> EventParser:
            return yaml_parsers.PythonParser(text)

        monkeypatch.setattr(yaml_loader, "make_parser", make)


def findings_of(text: str, name: str = "m.yaml") -> list[Finding]:
    """What is found in a text, suppressed or not."""
    return list(validate_texts([(name, text.encode())], second_opinion=False).findings)


def open_rules(text: str) -> list[str]:
    """The rules of what is found in a text and not suppressed."""
    return [finding.rule for finding in findings_of(text) if finding.suppressed is None]


def suppressed(text: str) -> list[tuple[str, str]]:
    """The rules of what is suppressed in a text, with the reasons."""
    return [(one.rule, one.suppressed.reason) for one in findings_of(text) if one.suppressed is not None]


# Where a comment stands

BELONGS: Final = {
    "behind the value": WARNS.replace(LINE, f"{LINE[:-1]}  # workloadmap: ignore[WM320] why\n"),
    "in the line above": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n{LINE}"),
    "in the line above, further left": WARNS.replace(LINE, f"# workloadmap: ignore[WM320] why\n{LINE}"),
    "above another comment": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n    # more\n{LINE}"),
    "without spaces": WARNS.replace(LINE, f"{LINE[:-1]} #workloadmap:ignore[WM320]why\n"),
    "with a colon before the reason": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320]: why\n{LINE}"),
    "of several rules": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n{LINE}"),
    "behind the mark of a block": WARNS.replace(
        LINE, "    replicas: >-  # workloadmap: ignore[WM320] why\n      object.spec.count\n      + 1\n"
    ),
    "above a block": WARNS.replace(
        LINE, "    # workloadmap: ignore[WM320] why\n    replicas: |\n      1 +\n      object.spec.count\n"
    ),
    "in the middle of a value": WARNS.replace(
        LINE, "    replicas:\n      # workloadmap: ignore[WM320] why\n      object.spec.count + 1\n"
    ),
    "above a list item": HEAD
    + "  # workloadmap: ignore[WM320] why\n  - {name: main, replicas: object.spec.count + 1, podTemplate: object.a}\n",
    "behind a flow map": HEAD
    + "  - {name: main, replicas: object.spec.count + 1, podTemplate: object.a}  # workloadmap: ignore[WM320] why\n",
    "of the whole file": f"# workloadmap: ignore-file[WM320] why\n{WARNS}",
    "of the whole file, below others": f"\n# A mapping.\n# workloadmap: ignore-file[WM320] why\n\n---\n{WARNS}",
    "with line ends of Windows": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n{LINE}").replace(
        "\n", "\r\n"
    ),
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", BELONGS.values(), ids=BELONGS)
def test_a_comment_suppresses_a_finding(text: str) -> None:
    assert suppressed(text) == [("WM320", "why")]
    assert open_rules(text) == []


BELONGS_NOT: Final = {
    "behind the line before": WARNS.replace("  - name: main\n", "  - name: main  # workloadmap: ignore[WM320] why\n"),
    "two lines above": WARNS.replace("  - name: main\n", "  # workloadmap: ignore[WM320] why\n  - name: main\n"),
    "above a blank line": WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n\n{LINE}"),
    "below": WARNS.replace(LINE, f"{LINE}    # workloadmap: ignore[WM320] why\n"),
    "above a far ancestor": WARNS.replace("  components:\n", "  # workloadmap: ignore[WM320] why\n  components:\n"),
    "of another rule": WARNS.replace(LINE, f"    # workloadmap: ignore[WM315] why\n{LINE}"),
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", BELONGS_NOT.values(), ids=BELONGS_NOT)
def test_a_comment_elsewhere_suppresses_nothing_and_is_told(text: str) -> None:
    assert suppressed(text) == []
    assert sorted(open_rules(text)) == ["WM320", "WM901"]


NO_COMMENTS: Final = {
    "in a plain text": "note: a#workloadmap:ignore[WM320] why",
    "in single quotes": "note: '# workloadmap: ignore[WM320] why'",
    "in double quotes, on a line of its own": 'note: "\n      # workloadmap: ignore[WM320] why\n      "',
    "in a literal block": "note: |\n      # workloadmap: ignore[WM320]\n      more",
    "in a folded block": "note: >\n      # workloadmap: ignore-file[WM320]",
    "in a key": '"# workloadmap: ignore[WM320]": a',
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("part", NO_COMMENTS.values(), ids=NO_COMMENTS)
def test_a_text_with_the_words_is_no_comment(part: str) -> None:
    annotated = f"metadata:\n  name: demo\n  annotations:\n    {part}\n"
    assert open_rules(WARNS.replace("metadata: {name: demo}\n", annotated)) == ["WM320"]


@pytest.mark.usefixtures("parser")
def test_a_comment_below_a_block_of_text_is_one() -> None:
    block = "    replicas: |\n      object.spec.count + 1\n"
    text = WARNS.replace(LINE, f"{block}    # workloadmap: ignore[WM320] why\n    maxReplicas: object.spec.b + 1\n")
    assert suppressed(text) == [("WM320", "why")]
    (left,) = [finding for finding in findings_of(text) if finding.suppressed is None]
    assert left.pointer == "/spec/components/0/replicas"


def test_a_comment_is_about_the_document_that_it_stands_in() -> None:
    second = WARNS.replace("[v1]", "[v2]")
    text = f"{WARNS}---\n{second.replace(LINE, f'{LINE[:-1]} # workloadmap: ignore[WM320] why{chr(10)}')}"
    found = findings_of(text)
    assert [(one.rule, one.suppressed is not None) for one in found] == [("WM320", False), ("WM320", True)]


def test_a_comment_for_the_file_is_about_all_documents() -> None:
    text = f"# workloadmap: ignore-file[WM320] why\n{WARNS}---\n{WARNS.replace('[v1]', '[v2]')}"
    assert suppressed(text) == [("WM320", "why")] * 2
    assert open_rules(text) == []


def test_json_has_no_comments() -> None:
    """A text in it that looks like one is none, on whatever line it stands."""
    document = json.loads(json.dumps(load_text(WARNS)[0].value))
    document["metadata"]["annotations"] = {"note": "a # workloadmap: ignore[WM320]"}
    assert open_rules(json.dumps(document, indent=1)) == ["WM320"]
    assert open_rules(json.dumps(document)) == ["WM320"]


def test_an_error_can_be_suppressed_too() -> None:
    """It stays in the report, marked, and fails nothing."""
    text = WARNS.replace(LINE, "    # workloadmap: ignore[WM309] engines agree here\n    replicas: 1 + 0.5\n")
    report = validate_texts([("m.yaml", text.encode())], second_opinion=False)
    (finding,) = report.findings
    assert finding.to_json()["suppressed"] == {"kind": "comment", "reason": "engines agree here"}
    assert not report.fails("note")
    assert report.to_json()["summary"]["suppressed"] == 1


def test_several_rules_stand_in_one_comment() -> None:
    comment = "    # workloadmap: ignore[WM320, WM309] why\n"
    text = WARNS.replace(LINE, f"{comment}    replicas: object.spec.count + 1 + int(0.5 + 1)\n")
    assert dict(suppressed(text)).keys() == {"WM320", "WM309"}
    assert {"WM320", "WM309"}.isdisjoint(open_rules(text))


def test_what_one_rule_of_a_comment_does_not_find_is_told() -> None:
    (unused,) = [
        one
        for one in findings_of(WARNS.replace(LINE, f"    # workloadmap: ignore[WM320,WM315] why\n{LINE}"))
        if one.rule == "WM901"
    ]
    assert unused.message == "nothing of WM315 is found in the value here"
    assert unused.help == "remove WM315 from it"
    assert unused.level == "warning"
    assert unused.span is not None
    assert (unused.span.start_line, unused.span.start_column) == (8, 5)
    assert unused.snippet == "    # workloadmap: ignore[WM320,WM315] why"


# What is wrong with comments

WRONG: Final = {
    "ignore[WM320]": "this suppression has no reason",
    "ignore[WM320]:": "this suppression has no reason",
    "ignore[] why": "this suppression names no rule",
    "ignore[WM020] why": "there is no rule `WM020`",
    "ignore[wm320] why": "there is no rule `wm320`",
    "ignore[WM101] why": "WM101 cannot be suppressed",
    "ignore[WM001] why": "WM001 cannot be suppressed",
    "ignore[WM901] why": "WM901 cannot be suppressed",
    "ignore[WM320,WM101] why": "WM101 cannot be suppressed",
    "ignore WM320 why": "this comment is no suppression that can be read",
    "ignroe[WM320] why": "this comment is no suppression that can be read",
    "ignore-line[WM320] why": "this comment is no suppression that can be read",
    "ignore-file[WM320] why": "`ignore-file` stands below the beginning of the mapping",
}


@pytest.mark.parametrize(("comment", "message"), WRONG.items(), ids=WRONG)
def test_a_comment_that_is_wrong_suppresses_nothing(comment: str, message: str) -> None:
    text = WARNS.replace(LINE, f"    # workloadmap: {comment}\n{LINE}")
    wrong, warned = findings_of(text)
    assert (wrong.rule, wrong.level, wrong.message) == ("WM902", "error", message)
    assert wrong.help
    assert wrong.span is not None
    line = text.split("\n")[wrong.span.start_line - 1]
    assert line[wrong.span.start_column - 1 : wrong.span.end_column - 1] == f"# workloadmap: {comment}"
    assert (warned.rule, warned.suppressed) == ("WM320", None)


def test_a_rule_that_is_misspelled_is_suggested() -> None:
    text = WARNS.replace(LINE, f"    # workloadmap: ignore[wm320] why\n{LINE}")
    assert next(one.help for one in findings_of(text) if one.rule == "WM902") == "did you mean WM320?"


def test_prose_about_workloadmap_is_no_suppression() -> None:
    text = WARNS.replace(LINE, f"    # workloadmap: see the guide\n    # for workloadmap: write it\n{LINE}")
    assert open_rules(text) == ["WM320"]


@given(rule=st.sampled_from(sorted(RULES)))
def test_syntax_and_schema_and_suppressions_themselves_cannot_be_suppressed(rule: str) -> None:
    text = WARNS.replace(LINE, f"    # workloadmap: ignore[{rule}] why\n{LINE}")
    assert ("WM902" in open_rules(text)) == (rule[2] in "019")


# What was not looked for is not unused

NOT_ASKED: Final = {
    "another engine parses it": "WM390",
    "another engine evaluates it": "WM391",
    "a case": "WM401",
    "the schema of the kind": "WM501",
    "another mapping of the kind": "WM205",
}


@pytest.mark.parametrize("rule", NOT_ASKED.values(), ids=NOT_ASKED)
def test_a_suppression_of_what_was_not_looked_for_is_not_called_unused(rule: str) -> None:
    text = WARNS.replace(LINE, f"    # workloadmap: ignore[{rule}] why\n{LINE}")
    assert open_rules(text) == ["WM320"]


@pytest.mark.parametrize(
    "broken",
    [
        WARNS.replace(LINE, "    # workloadmap: ignore[WM320] why\n    replicas: object.spec.count +\n"),
        WARNS.replace(LINE, f"    # workloadmap: ignore[WM315] why\n{LINE}    extra: 1\n"),
        WARNS.replace(LINE, f"    # workloadmap: ignore[WM315] why\n{LINE}") + "---\nkind: [\n",
    ],
    ids=["an expression that does not parse", "a violation of the schema", "a document that is not YAML"],
)
def test_where_something_else_is_wrong_no_suppression_is_called_unused(broken: str) -> None:
    """What a rule would find is not known before that is corrected."""
    assert "WM901" not in open_rules(broken)


def test_a_suppression_in_the_wrong_place_is_told_beside_what_it_was_meant_for(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}, "template": ANYTHING}}
    (tmp_path / "crd.json").write_text(json.dumps(conftest.definition("Thing", {"v1": {"spec": schema}}, "x.example")))
    text = HEAD.replace(
        "  components:", "  variables:\n  # workloadmap: ignore[WM501] why\n  - {name: a, value: '1'}\n  components:"
    )
    found = validate_texts([("m.yaml", (text + BODY).encode())], second_opinion=False, crds=[tmp_path]).findings
    assert [one.rule for one in found if one.level != "note"] == ["WM901", "WM501"]


def test_a_suppression_of_what_the_schema_of_the_kind_settles_is_used(tmp_path: Path) -> None:
    """Without the schema it is needed."""
    fields = {"count": {"type": "integer"}, "template": ANYTHING}
    spec = {"type": "object", "required": ["count"], "properties": fields}
    (tmp_path / "crd.json").write_text(json.dumps(conftest.definition("Thing", {"v1": {"spec": spec}}, "x.example")))
    text = WARNS.replace(LINE, f"    # workloadmap: ignore[WM320] why\n{LINE}")
    report = validate_texts([("m.yaml", text.encode())], second_opinion=False, crds=[tmp_path])
    assert (report.against_crd, [one.rule for one in report.findings if one.level != "note"]) == (1, [])
    wrong = WARNS.replace(LINE, f"    # workloadmap: ignore[WM315] why\n{LINE}")
    found = validate_texts([("m.yaml", wrong.encode())], second_opinion=False, crds=[tmp_path]).findings
    assert [one.rule for one in found if one.level != "note"] == ["WM901"]


# Settings


def configured(folder: Path, text: str, *files: str) -> list[tuple[str, str, str | None]]:
    """File, rule and reason of what is found in a folder with settings; without notes about cases."""
    (folder / ".workloadmap.yaml").write_text(text, encoding="utf-8")
    settings = load_configuration(folder / ".workloadmap.yaml")
    report = validate_paths(
        [folder / file for file in files] or [folder], second_opinion=False, ignores=settings.ignores
    )
    return [
        (
            Path(one.file).relative_to(folder).as_posix(),
            one.rule,
            None if one.suppressed is None else one.suppressed.reason,
        )
        for one in report.findings
        if one.rule != "WM401"
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three mappings that warn, in folders."""
    for index, name in enumerate(("a.yaml", "vendor/b.yaml", "vendor/deep/c.yaml")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(WARNS.replace("[v1]", f"[v{index}]"), encoding="utf-8")
    return tmp_path


PATTERNS: Final = {
    "**": "abc",
    "*.yaml": "a",
    "**/*.yaml": "abc",
    "vendor": "bc",
    "vendor/": "bc",
    "./vendor/**": "bc",
    "vendor/*": "bc",
    "vendor/*.yaml": "b",
    "vendor/**/?.yaml": "bc",
    "*/b.yaml": "b",
    "**/deep/**": "c",
    "[a].yaml": "",
    "a": "",
}


@pytest.mark.parametrize(("pattern", "covered"), PATTERNS.items(), ids=PATTERNS)
def test_settings_suppress_in_the_files_of_a_pattern(folder: Path, pattern: str, covered: str) -> None:
    text = f"validate: {{ignore: [{{paths: ['{pattern}'], rules: [WM320], reason: theirs}}]}}\n"
    found = configured(folder, text)
    assert "".join(Path(file).stem for file, _, reason in found if reason == "theirs") == covered
    assert ("WM901" in [rule for _, rule, _ in found]) is (not covered)


def test_a_setting_that_suppresses_nothing_is_told_at_its_place(folder: Path) -> None:
    text = "validate:\n  ignore:\n  - {paths: [a.yaml], rules: [WM320, WM315], reason: theirs}\n"
    (folder / ".workloadmap.yaml").write_text(text, encoding="utf-8")
    ignores = load_configuration(folder / ".workloadmap.yaml").ignores
    report = validate_paths([folder], second_opinion=False, ignores=ignores)
    (unused,) = [one for one in report.findings if one.rule == "WM901"]
    assert (unused.file, unused.pointer) == (str(folder / ".workloadmap.yaml"), "/validate/ignore/0")
    assert unused.span is not None
    assert (unused.span.start_line, unused.span.start_column) == (3, 5)
    assert unused.help == "remove WM315 from its `rules`"


def test_a_run_over_single_files_says_nothing_about_settings_for_others(folder: Path) -> None:
    text = "validate: {ignore: [{paths: [vendor], rules: [WM320], reason: theirs}]}\n"
    assert configured(folder, text, "a.yaml") == [("a.yaml", "WM320", None)]


def test_a_comment_wins_over_a_setting_and_neither_is_unused(folder: Path) -> None:
    (folder / "a.yaml").write_text(BELONGS["behind the value"], encoding="utf-8")
    text = "validate: {ignore: [{paths: [a.yaml], rules: [WM320], reason: theirs}]}\n"
    assert configured(folder, text, "a.yaml") == [("a.yaml", "WM320", "why")]


REFUSED: Final = {
    "validat: {}": "1:1: /validat: there is no setting `validat`",
    "validate: []": "1:11: /validate: a map is wanted here, and this is a list",
    "validate: {faillevel: error}": "1:12: /validate/faillevel: there is no setting `faillevel`",
    "validate: {failLevel: fatal}": "1:23: /validate/failLevel: `failLevel` is a string and no level",
    "validate: {crds: none}": "1:18: /validate/crds: `crds` is a list, and this is a string",
    "validate: {crds: [none]}": "1:19: /validate/crds/0: there is no file or folder {folder}/none",
    "validate: {cases: [1]}": "1:20: /validate/cases/0: `cases` has texts, and this is a number",
    "validate: {ignore: {}}": "1:20: /validate/ignore: `ignore` is a list, and this is a map",
    "validate: {ignore: [{paths: [a], rules: [WM320]}]}": (
        "1:21: /validate/ignore/0: an entry of `ignore` needs `reason`"
    ),
    "validate: {ignore: [{paths: [a], rules: [WM320], reason: ''}]}": (
        "1:58: /validate/ignore/0/reason: `reason` is empty"
    ),
    "validate: {ignore: [{paths: [a], rules: [WM999], reason: b}]}": (
        "1:42: /validate/ignore/0/rules/0: there is no rule `WM999`"
    ),
    "validate: {ignore: [{paths: [a], rules: [WM101], reason: b}]}": (
        "1:42: /validate/ignore/0/rules/0: WM101 cannot be suppressed"
    ),
    "validate: {ignore: [{paths: [], rules: [WM320], reason: b}]}": "1:29: /validate/ignore/0/paths: `paths` is empty",
    "validate: {ignore: [{paths: [a], rule: [WM320], reason: b}]}": (
        "1:34: /validate/ignore/0/rule: there is no setting `rule`"
    ),
    "validate: {]": "1:12: not YAML: ",
    "a: 1\na: 2": "2:1: /a: the key `a` is written twice",
    "{}\n---\n{}": "3:1: there are two documents here",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=REFUSED)
def test_settings_that_have_no_meaning_are_refused_with_place_and_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".workloadmap.yaml"
    file.write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(file)
    told = f"{caught.value.location}: {caught.value.message}"
    assert told.startswith(f"{file}:{message.format(folder=tmp_path)}")
    assert caught.value.cure
    (tmp_path / "m.yaml").write_text(WARNS, encoding="utf-8")
    assert main(["validate", "--no-second-opinion", "m.yaml"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: .workloadmap.yaml:")


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}\n", "validate: {}\n"])
def test_settings_that_say_nothing_change_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(text, encoding="utf-8")
    found = load_configuration(file)
    assert (found.fail_level, found.crds, found.cases, found.ignores) == (None, (), (), ())


def test_paths_in_settings_are_relative_to_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conf" / "crd").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "conf" / "settings.yaml"
    file.write_text("validate: {crds: [crd], cases: [../elsewhere]}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = load_configuration(file)
    assert [Path(path).resolve() for path in (*found.crds, *found.cases)] == [
        tmp_path / "conf" / "crd",
        tmp_path / "elsewhere",
    ]


def summary_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code of `workloadmap validate` and the summary of what it has found."""
    code = main(["validate", "--no-second-opinion", "--format", "json", *arguments])
    return code, json.loads(capsys.readouterr().out)["summary"]


def test_the_settings_of_the_working_directory_count_and_options_win(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert summary_of(capsys, ".")[0] == 0
    (folder / ".workloadmap.yaml").write_text(
        "validate: {failLevel: warning, ignore: [{paths: [vendor], rules: [WM320], reason: theirs}]}\n",
        encoding="utf-8",
    )
    code, summary = summary_of(capsys, ".")
    assert (code, summary["warnings"], summary["suppressed"]) == (1, 1, 2)
    assert summary_of(capsys, "--fail-level", "error", ".")[0] == 0
    (folder / "other.yml").write_text("validate: {failLevel: note}\n", encoding="utf-8")
    code, summary = summary_of(capsys, "--config", "other.yml", "a.yaml")
    assert (code, summary["suppressed"]) == (1, 0)

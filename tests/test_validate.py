"""Validation: each fault of a mapping file has a rule and a place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import HEAD
from workloadmap_spec import cel, validation
from workloadmap_spec.documents import load_text
from workloadmap_spec.errors import InputError
from workloadmap_spec.files import cases_root, mappings_root
from workloadmap_spec.limits import MAX_MAPPING_BYTES
from workloadmap_spec.validation import RULES, Finding, Report, validate_paths, validate_texts
from workloadmap_spec.validation.files import MissingPathError, find_files
from workloadmap_spec.validation.findings import ExpressionPart, Skipped
from workloadmap_spec.validation.formats import Options, render
from workloadmap_spec.validation.places import expression_span, lines_of
from workloadmap_spec.validation.run import MAX_LISTED
from workloadmap_spec.validation.second_opinion import OpinionUnavailableError, cel_python

if TYPE_CHECKING:
    from workloadmap_spec.validation.rules import Rule

#: Mappings with one fault or several, and what is said about them.
BROKEN: Final = Path(__file__).parent / "data" / "validate"

GOOD: Final = f"{HEAD}  components: [{{name: main, podTemplate: object.spec.template}}]\n"


def findings_of(text: str | bytes, name: str = "m.yaml") -> list[Finding]:
    """What is found in one text."""
    data = text.encode() if isinstance(text, str) else text
    return list(validate_texts([(name, data)], second_opinion=False).findings)


def rules_of(text: str | bytes) -> list[str]:
    """The rules of what is found in one text."""
    return [finding.rule for finding in findings_of(text)]


def component(*lines: str) -> str:
    """A mapping with one component that has these lines more."""
    head = f"{HEAD}  components:\n  - name: main\n    podTemplate: object.spec.template\n"
    return head + "".join(f"    {line}\n" for line in lines)


def marked(text: str, finding: Finding) -> str:
    """The part of a text that a finding is about, which is within one line."""
    span = finding.span
    assert span is not None
    assert span.end_line == span.start_line
    line = text.split("\n")[span.start_line - 1]
    return line[span.start_column - 1 : span.end_column - 1]


def test_what_is_said_about_broken_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole text, as a user reads it."""
    monkeypatch.chdir(BROKEN)
    printed = render("human", validate_paths(["."], second_opinion=False), Options())
    assert printed == (BROKEN / "expected.txt").read_text(encoding="utf-8")


def test_every_broken_mapping_is_found_broken() -> None:
    """Each file of the folder has a finding, but for the case, which is counted."""
    report = validate_paths([BROKEN], second_opinion=False)
    files = {Path(finding.file).name for finding in report.findings if finding.level != "note"}
    assert files == {path.name for path in BROKEN.glob("*.yaml")} - {"10-first.yaml", "14-good.case.yaml"}
    assert [Path(file).name for file in report.files] == sorted({*files, "10-first.yaml"})
    assert report.skipped == [Skipped(str(BROKEN / "14-good.case.yaml"), "holds cases")]


#: Nine components, each in the one before.
DEEP: Final = (
    "".join(f"{{name: c{depth}, components: [" for depth in range(8)) + "{name: c, podTemplate: object.a}" + "]}" * 8
)

RULE_OF_A_FAULT: Final = {
    "not-utf-8": (b"kind: \xff\n", "WM001"),
    "not-yaml": ("kind: [\n", "WM001"),
    "a-key-twice": ("kind: a\nkind: b\n", "WM002"),
    "an-integer-that-is-too-large": ("kind: 9007199254740992\n", "WM003"),
    "nothing": ("", "WM004"),
    "a-comment": ("# nothing\n", "WM004"),
    "an-unknown-version": ("apiVersion: workloadmap.dev/v0\n", "WM100"),
    "an-unknown-member": (f"{GOOD}  extra: 1\n", "WM101"),
    "a-missing-member": (HEAD, "WM102"),
    "a-wrong-type": (f"{HEAD}  components: 1\n", "WM103"),
    "a-wrong-value": (component("role: wroker"), "WM104"),
    "a-wrong-combination": (component("podSpec: object.spec.pod"), "WM105"),
    "nothing-in-a-list": (f"{HEAD}  components: []\n", "WM106"),
    "too-many-bytes": (b"#" * (MAX_MAPPING_BYTES + 1), "WM106"),
    "a-list": ("- 1\n", "WM107"),
    "another-kind": ("kind: Pod\n", "WM107"),
    "a-component-twice": (f"{component()}  - {{name: main, podTemplate: object.a}}\n", "WM201"),
    "a-variable-twice": (component("variables: [{name: a, value: 1}, {name: a, value: 2}]"), "WM202"),
    "a-gang-of-nothing": (f"{GOOD}  gang: [{{name: all, members: [mane]}}]\n", "WM203"),
    "a-gang-from-what-embeds-nothing": (f"{GOOD}  gang: [{{name: all, from: main}}]\n", "WM203"),
    "a-reference-twice": (
        f"{GOOD}  references:\n" + "  - {name: a, apiVersion: v1, kind: Secret, resourceName: object.spec.a}\n" * 2,
        "WM299",
    ),
    "an-expression-for-a-place": (f"{GOOD}  status: {{conditions: 'object.status.a + []'}}\n", "WM204"),
    "components-too-deep": (f"{HEAD}  components: [{DEEP}]\n", "WM106"),
    "an-unfinished-expression": (component("replicas: 1 +"), "WM300"),
    "a-raw-string": (component("""replicas: r"a" """), "WM301"),
    "a-function-of-an-extension": (component("replicas: object.spec.parts.sum()"), "WM302"),
    "has-of-an-index": (component("when: 'has(object.spec.a[0].b)'"), "WM303"),
    "a-comparison-with-null": (component("when: object.spec.a == null"), "WM305"),
    "a-mixed-list": (component("when: object.spec.a in [1, 'a']"), "WM306"),
    "branches-that-differ": (component("""replicas: 'object.spec.a == 1 ? 1 : "a"'"""), "WM307"),
    "a-number-for-a-condition": (component("when: 1 + 1"), "WM308"),
    "mixed-arithmetic": (component("replicas: 1 + 0.5"), "WM309"),
    "a-macro-over-nothing": (component("when: '[].all(x, x == 1)'"), "WM310"),
    "a-predicate-that-may-fail": (component("when: 'object.spec.a.all(x, 1 / x == 1)'"), "WM311"),
    "a-regular-expression": (component("when: object.spec.a.matches('a')"), "WM312"),
    "order-of-strings": (component('when: \'"a" < "b"\''), "WM314"),
    "three-macros-deep": (
        component("when: 'object.a.all(x, object.a.all(y, object.a.all(z, x == y)))'"),
        "WM316",
    ),
    "a-timestamp-as-a-result": (component("replicas: timestamp('2026-01-02T03:04:05Z')"), "WM317"),
    "an-unknown-variable": (component("replicas: objekt.spec.a"), "WM318"),
    "a-type-as-a-result": (component("replicas: type(object.spec.a)"), "WM319"),
    "a-reserved-word": (component("replicas: package.spec.a"), "WM331"),
    "a-sum-of-fields": (component("when: object.spec.a + object.spec.b == 'ab'"), "WM339"),
}


@pytest.mark.parametrize(("text", "rule"), RULE_OF_A_FAULT.values(), ids=RULE_OF_A_FAULT)
def test_a_fault_breaks_its_rule(text: str | bytes, rule: str) -> None:
    """One fault, one error; warnings about missing values beside it do not count."""
    errors = [finding.rule for finding in findings_of(text) if finding.level == "error"]
    assert errors == [rule]


def test_a_good_mapping_has_no_findings() -> None:
    """The mapping that the faults are put into."""
    report = validate_texts([("m.yaml", GOOD.encode())])
    assert report == Report([], ["m.yaml"], mappings=1, expressions=1)


def test_the_shipped_mappings_have_no_findings() -> None:
    """Errors are what a reader refuses, and warnings are nothing that we ship either."""
    report = validate_paths([mappings_root()], second_opinion=False)
    assert [finding.message for finding in report.findings] == []
    assert report.mappings == len(report.files) == len(list(mappings_root().rglob("*.yaml")))


# Places

JSON: Final = (
    '{"apiVersion": "workloadmap.dev/v1alpha1", "kind": "WorkloadMapping", "metadata": {"name": "a"}, "spec":\n'
    '{"workload": {"group": "", "versions": ["v1"], "kind": "A"}, "components": [{"name": "a",\n'
    ' "podTemplate": "object.a", "replicas": "1 + nodes"}]}}'
)
PLACES: Final = {
    "of-a-member-that-is-not-known": (f"{GOOD}  extra: {{a: 1}}\n", "extra"),
    "of-a-map-that-lacks-a-member": (component("creates: {kind: Job}"), "{kind: Job}"),
    "in-a-plain-text": (component("replicas: 1 + nodes"), "nodes"),
    "in-single-quotes": (component("when: '''é'' == nodes'"), "nodes"),
    "in-double-quotes": (component('when: "\\"\\u00e9\\" == nodes"'), "nodes"),
    "in-a-literal-block": (component("replicas: |", "  1 +", "  nodes"), "nodes"),
    "in-a-folded-block": (component("replicas: >-", "  1 +", "    nodes"), "nodes"),
    "in-a-flow-map": (component("replicas: {value: 1 + nodes, default: 1}"), "nodes"),
    "in-a-text-of-two-lines": (component("replicas: 1 +", "  nodes"), "nodes"),
    "in-json": (JSON, "nodes"),
}


@pytest.mark.parametrize(("text", "part"), PLACES.values(), ids=PLACES)
def test_the_place_of_a_finding(text: str, part: str) -> None:
    """Line and columns mark the part that is meant, in every style of YAML."""
    (finding,) = findings_of(text)
    assert marked(text, finding) == part
    assert finding.span is not None
    assert finding.snippet == text.split("\n")[finding.span.start_line - 1].rstrip()
    assert not finding.span.approximate


def test_a_place_that_the_text_does_not_show_is_approximate() -> None:
    """The break between two lines of a folded text stands for a space, which is no character of the file."""
    text = component("replicas: >-", "  'a", "  b' + 1")
    (finding,) = findings_of(text)
    assert finding.expression is not None
    assert finding.span is not None
    exact = finding.span
    assert not exact.approximate
    document = load_text(text)[0]
    offset = finding.expression.text.index(" b'")
    assert expression_span(document, "/spec/components/0/replicas", offset, 1).approximate


def test_a_finding_in_an_expression_has_the_expression_and_the_part_that_is_meant() -> None:
    (finding,) = findings_of(component("replicas: 'has(object.spec.a) ? 1 + nodes : 2'"))
    text = "has(object.spec.a) ? 1 + nodes : 2"
    assert finding.expression == ExpressionPart(text, text.index("nodes"), len("nodes"))
    assert finding.mapping == "demo"


def test_the_lines_of_a_value_have_its_key_and_no_comment_that_follows() -> None:
    text = component("replicas: |", "  1", "  + 1", "", "# a comment", "maxReplicas: 2")
    (document,) = load_text(text)
    assert lines_of(document, "/spec/components/0/replicas") == (9, 11)
    assert lines_of(document, "/spec/components/0") == (7, 14)


def test_what_is_wrong_in_one_expression_hides_nothing_of_others() -> None:
    text = component("replicas: 1 + nodes", "maxReplicas: object.spec.a + 1")
    assert [(one.rule, one.level) for one in findings_of(text)] == [("WM318", "error"), ("WM320", "warning")]


def test_the_second_document_of_a_file_has_its_own_lines() -> None:
    """Lines count from the beginning of the file."""
    text = f"{GOOD}---\n{component('replicas: 1 + nodes').replace('[v1]', '[v2]')}"
    (finding,) = findings_of(text)
    assert marked(text, finding) == "nodes"
    assert finding.pointer == "/spec/components/0/replicas"


def test_a_byte_order_mark_moves_nothing() -> None:
    """It is no character of the text."""
    text = "kind: Pod\n"
    (finding,) = findings_of(b"\xef\xbb\xbf" + text.encode())
    assert marked(text, finding) == "Pod"


def test_findings_of_one_file_come_in_the_order_of_its_lines() -> None:
    """Also where the schema and the expressions are asked in another order."""
    text = component("maxReplicas: 1 + b", "replicas: 1 + a", "when: 1 + c == 1")
    assert [marked(text, finding) for finding in findings_of(text)] == ["b", "a", "c"]


# Several files


def test_two_mappings_of_one_version_are_told_with_the_place_of_the_first() -> None:
    """A catalogue could not choose between them."""
    first, second = GOOD.replace("demo", "one"), GOOD.replace("demo", "two").replace("[v1]", "[v0, v1]")
    (finding,) = validate_texts([("b.yaml", second.encode()), ("a.yaml", first.encode())]).findings
    assert finding.rule == "WM205"
    assert (finding.file, finding.pointer) == ("b.yaml", "/spec/workload/versions/1")
    assert finding.message == "Thing of x.example/v1 has a mapping already: `one` in a.yaml:5"
    (related,) = finding.related
    assert (related.file, related.pointer) == ("a.yaml", "/spec/workload/versions/0")
    assert related.span is not None
    assert (related.span.start_line, related.span.start_column) == (5, first.split("\n")[4].index("v1") + 1)


def test_a_key_that_is_written_twice_is_told_with_the_place_of_the_first() -> None:
    text = "kind: a\nother: 1\nkind: b\n"
    (finding,) = findings_of(text)
    (related,) = finding.related
    assert marked(text, finding) == "k"
    assert related.span is not None
    assert (related.span.start_line, related.span.start_column) == (1, 1)


def test_the_core_group_has_no_slash_before_its_version() -> None:
    """As `apiVersion` is written."""
    text = GOOD.replace("x.example", '""').encode()
    (finding,) = validate_texts([("a.yaml", text), ("b.yaml", text)]).findings
    assert finding.message == "Thing of v1 has a mapping already: `demo` in a.yaml:5"


def test_a_file_that_is_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    """By itself and by its folder."""
    file = tmp_path / "m.yaml"
    file.write_text(GOOD, encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(file)
    report = validate_paths([file, tmp_path, f"{tmp_path}/./m.yaml", tmp_path / "link.yaml"])
    assert (len(report.files), [one.rule for one in report.findings]) == (1, ["WM401"])


def test_the_order_of_paths_is_none_of_the_report(tmp_path: Path) -> None:
    """Nor is it in which of two files a kind that has two mappings is told."""
    files = [tmp_path / "b.yaml", tmp_path / "a.yaml", tmp_path / "sub" / "c.yaml"]
    files[2].parent.mkdir()
    for file in files:
        file.write_text(GOOD.replace("object.spec.template", "nodes"), encoding="utf-8")
    (tmp_path / "a.case.yaml").touch()
    paths = [*files, tmp_path / "a.case.yaml", tmp_path, Path(os.path.relpath(files[0]))]
    reports = [validate_paths(order, second_opinion=False) for order in (paths, paths[::-1], paths[2:] + paths[:2])]
    assert reports[0] == reports[1] == reports[2]
    assert len(reports[0].files) == 3
    assert len({one.file for one in reports[0].findings if one.rule == "WM205"}) == 2


def test_folders_are_walked_without_hidden_files_and_cases(tmp_path: Path) -> None:
    """Files are found by the ending of their names, in the order of their paths."""
    for name in ("b.yml", "a/c.json", "a/x.case.yaml", ".git/config.yaml", "a/.hidden.yaml", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    files, skipped = find_files([tmp_path])
    assert [str(file.relative_to(tmp_path)) for file in files] == ["a/c.json", "b.yml"]
    assert skipped == [Skipped(f"{tmp_path}/a/x.case.yaml", "holds cases")]


def test_the_cases_of_the_specification_are_no_mappings() -> None:
    """They are counted and left out."""
    report = validate_paths([cases_root()], second_opinion=False)
    assert report.files == []
    assert len(report.skipped) == len(list(cases_root().rglob("*.case.yaml")))


def test_a_path_that_does_not_exist_is_told(tmp_path: Path) -> None:
    """As an error of the input, which has no place in a file."""
    with pytest.raises(MissingPathError) as caught:
        validate_paths([tmp_path / "none.yaml"])
    assert str(caught.value) == (
        f"{tmp_path}/none.yaml: there is no such file or folder [input-invalid]\n  check the path"
    )


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason that the system gives."""
    file = tmp_path / "m.yaml"
    file.touch()

    def refuse(_self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="the file cannot be read: Permission denied"):
        validate_paths([file])


def test_a_dash_is_the_standard_input_where_there_is_one() -> None:
    """Its findings have its name."""
    (finding,) = validate_paths(["-"], stdin=lambda: b"kind: Pod\n").findings
    assert finding.file == "<stdin>"


def test_no_more_than_a_hundred_problems_of_a_mapping_are_listed() -> None:
    """The others are counted."""
    text = HEAD + "".join(f"  extra{index}: 1\n" for index in range(MAX_LISTED + 7)) + "  components: []\n"
    found = findings_of(text)
    assert len(found) == MAX_LISTED + 1
    assert [finding.message for finding in found if finding.rule == "WM199"] == [
        "8 more things are wrong with this mapping"
    ]


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is passed over would look as if nothing were wrong in it."""

    def refuse(_path: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match="the folder cannot be read: Permission denied"):
        find_files([tmp_path])


# The second opinion


def test_cel_python_parses_every_expression_of_the_shipped_mappings() -> None:
    """A second opinion that agrees."""
    assert validate_paths([mappings_root()]).count("error") == 0


@pytest.mark.parametrize(
    ("text", "offset"),
    [("1 + 1", None), ("1 +", 2), ('"a', 0), ("a\n? b", 4), ("", 0)],
    ids=["all-of-it", "to-the-end", "not-at-all", "in-its-second-line", "nothing"],
)
def test_the_second_engine_tells_how_far_it_came(text: str, offset: int | None) -> None:
    """From the place that cel-python names."""
    found = cel_python()(text)
    assert found == offset or (not text and found is not None)


def test_a_second_engine_that_crashes_does_not_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines were seen to raise errors that are not of their own classes."""

    def crash(_self: object, _text: str) -> None:
        raise RecursionError

    monkeypatch.setattr("celpy.Environment.compile", crash)
    assert cel_python()("1") == 0


def test_a_second_engine_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celpy", None)
    cel_python.cache_clear()
    try:
        with pytest.raises(OpinionUnavailableError, match="--no-second-opinion"):
            validate_texts([("m.yaml", GOOD.encode())])
    finally:
        cel_python.cache_clear()


def test_a_second_engine_that_disagrees_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is placed where the engine stopped, also in a mapping that something else is wrong with."""
    asked: list[str] = []

    def refuse_templates(text: str) -> int | None:
        asked.append(text)
        return 7 if "template" in text else None

    monkeypatch.setattr("workloadmap_spec.validation.second_opinion.cel_python", lambda: refuse_templates)
    text = component("replicas: 1 + nodes", "maxReplicas: object.spec.b")
    first, second = validate_texts([("m.yaml", text.encode())]).findings
    assert (first.rule, first.level, marked(text, first)) == ("WM390", "error", "s")
    assert second.rule == "WM318"
    assert asked == ["1 + nodes", "object.spec.b", "object.spec.template"]
    assert [one.rule for one in validate_texts([("m.yaml", text.encode())], second_opinion=False).findings] == ["WM318"]


# The table of rules


def test_rules_are_numbered_once_and_in_order() -> None:
    """Ids and names never change, so they must be fit to stay."""
    assert list(RULES) == sorted(RULES)
    assert all(re.fullmatch("WM[0-59][0-9]{2}", rule) for rule in RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
    assert all(rule.says[0].islower() and not rule.says.endswith(".") for rule in RULES.values())


def test_every_rule_of_the_portable_profile_has_a_number() -> None:
    """A rule that the checker knows and the table lacks would be reported as another one."""
    folder = Path(cel.__file__).parent
    named = {rule for file in folder.glob("*.py") for rule in re.findall(r'"(P\d\d[a-z]?)"', file.read_text("utf-8"))}
    assert named
    assert named <= {rule.profile for rule in RULES.values()}


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.profile and rule.profile[-1].isdigit()])
def test_a_rule_of_the_profile_keeps_its_digits(rule: Rule) -> None:
    """P07 is WM307."""
    assert rule.id == f"WM3{str(rule.profile)[1:]}"


def test_a_finding_as_data_has_what_is_known() -> None:
    """Members are left out where nothing is known."""
    bare = Finding("WM004", "error", "there is nothing", "m.yaml")
    assert bare.to_json() == {
        "ruleId": "WM004",
        "level": "error",
        "message": "there is nothing",
        "file": "m.yaml",
        "fingerprint": bare.fingerprint,
    }
    (finding,) = findings_of(component("replicas: 1 + nodes"))
    assert finding.to_json() == {
        "ruleId": "WM318",
        "profileRule": "P18",
        "level": "error",
        "message": "`nodes` is not declared",
        "file": "m.yaml",
        "pointer": "/spec/components/0/replicas",
        "span": {"startLine": 9, "startColumn": 19, "endLine": 9, "endColumn": 24, "approximate": False},
        "expression": {"text": "1 + nodes", "offset": 4, "length": 5},
        "mapping": "demo",
        "help": "the variables are object, variables",
        "fingerprint": finding.fingerprint,
    }


def test_a_fingerprint_stays_while_lines_move() -> None:
    (before,) = findings_of(component("replicas: 1 + nodes"))
    (after,) = findings_of("# a comment\n" + component("maxReplicas: 1", "replicas: 1 + nodes"))
    assert before.span != after.span
    assert before.fingerprint == after.fingerprint


def test_importing_the_package_imports_none_of_its_modules() -> None:
    program = "import sys, workloadmap_spec.validation as v; print('workloadmap_spec.validation.run' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        validation.nothing  # noqa: B018 - the name is what is asked for


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: (GOOD + text).encode("utf-8", "surrogatepass")))
def test_every_text_gives_a_report(data: bytes) -> None:
    """Whatever it holds, what is found has a rule, and a place in the text or none."""
    lines = data.decode("utf-8", "replace").split("\n")
    for finding in validate_texts([("m.yaml", data)], second_opinion=False).findings:
        span = finding.span
        assert finding.rule in RULES
        if span is not None:
            assert 1 <= span.start_line <= span.end_line <= len(lines) + 1
            assert span.start_column >= 1
            assert (span.end_line, span.end_column) > (span.start_line, span.start_column)
        assert render("human", Report([finding], ["m.yaml"], 1, 0), Options())


@pytest.mark.parametrize(
    ("value", "marked"),
    [
        ('{value: object.spec.x == "a", when: has(object.spec.x), default: false}', []),
        ('{value: object.spec.y == "a", when: has(object.spec.x), default: false}', ["object.spec.y"]),
        ("{firstOf: [object.spec.x + 1, object.spec.y + 1], when: has(object.spec.x)}", ["object.spec.y"]),
        ("{firstOf: [{value: object.spec.x + 1, when: has(object.spec.x)}, object.spec.x + 2]}", ["object.spec.x"]),
        ("{value: {value: object.spec.x + 1, as: int}, when: has(object.spec.x)}", []),
        ("{value: object.metadata.name, strip: object.spec.x + '-', when: has(object.spec.x)}", []),
        ("{value: object.spec.x + 1, when: '!has(object.spec.x)'}", ["object.spec.x"]),
    ],
)
def test_the_condition_of_a_value_guards_what_is_in_it(value: str, marked: list[str]) -> None:
    """It is asked first (S5.2), and nothing else of the value is read where it does not hold."""
    text = f"{HEAD}  variables:\n  - name: v\n" + "".join(
        f"    {line}\n" for line in yaml.safe_dump(yaml.safe_load(value)).splitlines()
    )
    found = findings_of(text + "  components: [{name: main, podTemplate: object.spec.template}]\n")
    parts = [one.expression for one in found if one.rule == "WM320"]
    assert [part.text[part.offset : part.offset + part.length] for part in parts if part is not None] == marked

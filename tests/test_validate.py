"""Validation: each fault of a mapping file has a rule and a place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workloadmap_spec import cel, validate
from workloadmap_spec.cli.style import PLAIN
from workloadmap_spec.cli.validate import render_report
from workloadmap_spec.errors import InputError
from workloadmap_spec.files import cases_root, mappings_root
from workloadmap_spec.limits import MAX_MAPPING_BYTES
from workloadmap_spec.validate import MAX_LISTED, RULES, Finding, Report, find_files, validate_paths, validate_texts

#: Mappings with one fault or several, and what is said about them.
BROKEN: Final = Path(__file__).parent / "data" / "validate"

HEAD: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: demo}
spec:
  workload: {group: x.example, versions: [v1], kind: Thing}
""".lstrip()
GOOD: Final = f"{HEAD}  components: [{{name: main, podTemplate: object.spec.template}}]\n"


def findings_of(text: str | bytes, name: str = "m.yaml") -> list[Finding]:
    """What is found in one text."""
    data = text.encode() if isinstance(text, str) else text
    return list(validate_texts([(name, data)]).findings)


def rules_of(text: str | bytes) -> list[str]:
    """The rules of what is found in one text."""
    return [finding.rule for finding in findings_of(text)]


def component(*lines: str) -> str:
    """A mapping with one component that has these lines more."""
    head = f"{HEAD}  components:\n  - name: main\n    podTemplate: object.spec.template\n"
    return head + "".join(f"    {line}\n" for line in lines)


def marked(text: str, finding: Finding) -> str:
    """The part of a text that a finding is about, which is within one line."""
    assert finding.line is not None
    assert finding.column is not None
    assert finding.end_line == finding.line
    assert finding.end_column is not None
    line = text.split("\n")[finding.line - 1]
    return line[finding.column - 1 : finding.end_column - 1]


def test_what_is_said_about_broken_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole text, as a user reads it."""
    monkeypatch.chdir(BROKEN)
    assert render_report(validate_paths(["."]), PLAIN) == (BROKEN / "expected.txt").read_text(encoding="utf-8")


def test_every_broken_mapping_is_found_broken() -> None:
    """Each file of the folder has a finding, but for the case, which is counted."""
    report = validate_paths([BROKEN])
    files = {Path(finding.file).name for finding in report.findings}
    assert files == {path.name for path in BROKEN.glob("*.yaml")} - {"10-first.yaml", "14-good.case.yaml"}
    assert (report.files, report.skipped) == (len(files) + 1, 1)


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
    assert report == Report([], 1, 1, 1, 0)


def test_the_shipped_mappings_have_no_findings() -> None:
    """Errors are what a reader refuses, and warnings are nothing that we ship either."""
    report = validate_paths([mappings_root()])
    assert [finding.message for finding in report.findings] == []
    assert report.mappings == report.files == len(list(mappings_root().rglob("*.yaml")))


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
    assert finding.snippet == text.split("\n")[(finding.line or 0) - 1].rstrip()


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
    (finding,) = validate_texts([("a.yaml", first.encode()), ("b.yaml", second.encode())]).findings
    assert finding.rule == "WM205"
    assert (finding.file, finding.pointer) == ("b.yaml", "/spec/workload/versions/1")
    assert finding.message == "Thing of x.example/v1 has a mapping already: `one` in a.yaml:5"


def test_the_core_group_has_no_slash_before_its_version() -> None:
    """As `apiVersion` is written."""
    text = GOOD.replace("x.example", '""').encode()
    (finding,) = validate_texts([("a.yaml", text), ("b.yaml", text)]).findings
    assert finding.message == "Thing of v1 has a mapping already: `demo` in a.yaml:5"


def test_a_file_that_is_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    """By itself and by its folder."""
    file = tmp_path / "m.yaml"
    file.write_text(GOOD, encoding="utf-8")
    report = validate_paths([file, tmp_path, tmp_path / "." / "m.yaml"])
    assert (report.files, report.findings) == (1, [])


def test_folders_are_walked_without_hidden_files_and_cases(tmp_path: Path) -> None:
    """Files are found by the ending of their names, in the order of their paths."""
    for name in ("b.yml", "a/c.json", "a/x.case.yaml", ".git/config.yaml", "a/.hidden.yaml", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    files, skipped = find_files([tmp_path])
    assert [str(file.relative_to(tmp_path)) for file in files] == ["a/c.json", "b.yml"]
    assert skipped == 1


def test_the_cases_of_the_specification_are_no_mappings() -> None:
    """They are counted and left out."""
    report = validate_paths([cases_root()])
    assert report.files == 0
    assert report.skipped == len(list(cases_root().rglob("*.case.yaml")))


def test_a_path_that_does_not_exist_is_told(tmp_path: Path) -> None:
    """As an error of the input, which has no place in a file."""
    with pytest.raises(InputError) as caught:
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


# The witness


def test_cel_python_parses_every_expression_of_the_shipped_mappings() -> None:
    """A second opinion that agrees."""
    assert validate_paths([mappings_root()], witness=True).errors == 0


@pytest.mark.parametrize(
    ("text", "offset"),
    [("1 + 1", None), ("1 +", 2), ('"a', 0), ("a\n? b", 4), ("", 0)],
    ids=["all-of-it", "to-the-end", "not-at-all", "in-its-second-line", "nothing"],
)
def test_the_witness_tells_how_far_it_came(text: str, offset: int | None) -> None:
    """From the place that cel-python names."""
    found = validate._cel_python()(text)  # noqa: SLF001 - no expression that we accept is refused
    assert found == offset or (not text and found is not None)


def test_a_witness_that_crashes_does_not_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines were seen to raise errors that are not of their own classes."""

    def crash(_self: object, _text: str) -> None:
        raise RecursionError

    monkeypatch.setattr("celpy.Environment.compile", crash)
    assert validate._cel_python()("1") == 0  # noqa: SLF001 - see above


def test_a_witness_that_disagrees_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is placed where the witness stopped."""
    monkeypatch.setattr(validate, "_cel_python", lambda: lambda text: 7 if "template" in text else None)
    report = validate_texts([("m.yaml", GOOD.encode())], witness=True)
    (finding,) = report.findings
    assert (finding.rule, finding.level, marked(GOOD, finding)) == ("WM390", "error", "s")


# The table of rules


def test_rules_are_numbered_once_and_in_order() -> None:
    """Ids and names never change, so they must be fit to stay."""
    assert list(RULES) == sorted(RULES)
    assert all(re.fullmatch("WM[0-3][0-9]{2}", rule) for rule in RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
    assert all(rule.says[0].islower() and not rule.says.endswith(".") for rule in RULES.values())


def test_every_rule_of_the_portable_profile_has_a_number() -> None:
    """A rule that the checker knows and the table lacks would be reported as another one."""
    folder = Path(cel.__file__).parent
    named = {rule for file in folder.glob("*.py") for rule in re.findall(r'"(P\d\d[a-z]?)"', file.read_text("utf-8"))}
    assert named
    assert named <= {rule.profile for rule in RULES.values()}


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.profile and rule.profile[-1].isdigit()])
def test_a_rule_of_the_profile_keeps_its_digits(rule: validate.Rule) -> None:
    """P07 is WM307."""
    assert rule.id == f"WM3{str(rule.profile)[1:]}"


def test_a_finding_as_data_has_what_is_known() -> None:
    """Members are left out where nothing is known."""
    assert Finding("WM004", "error", "there is nothing", "m.yaml").to_json() == {
        "rule": "WM004",
        "level": "error",
        "message": "there is nothing",
        "file": "m.yaml",
    }
    (finding,) = findings_of(component("replicas: 1 + nodes"))
    assert finding.to_json() == {
        "rule": "WM318",
        "profileRule": "P18",
        "level": "error",
        "message": "`nodes` is not declared",
        "file": "m.yaml",
        "line": 9,
        "column": 19,
        "endLine": 9,
        "endColumn": 24,
        "pointer": "/spec/components/0/replicas",
        "cure": "the variables are object, variables",
    }


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: (GOOD + text).encode("utf-8", "surrogatepass")))
def test_every_text_gives_a_report(data: bytes) -> None:
    """Whatever it holds, what is found has a rule, and a place in the text or none."""
    lines = data.decode("utf-8", "replace").split("\n")
    for finding in validate_texts([("m.yaml", data)]).findings:
        assert finding.rule in RULES
        assert finding.line is None or 1 <= finding.line <= len(lines) + 1
        assert finding.column is None or finding.column >= 1
        assert render_report(Report([finding], 1, 1, 0, 0), PLAIN)

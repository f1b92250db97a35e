"""Cases: how they are loaded and compared, and that the reference reader passes every shipped one."""

from __future__ import annotations

import copy
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import whole_suite
from workloadmap_spec.cases import (
    MISSING,
    Case,
    CaseResult,
    Difference,
    case_files,
    compare,
    load_cases,
    reference_reader,
    run_case,
    stripped,
)
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.errors import InputError, NoMappingError
from workloadmap_spec.files import schema_path
from workloadmap_spec.pointer import join, resolve, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CASES: Final = [entry.case for entry in whole_suite()]
BY_ID: Final = {case.id: case for case in CASES}
ACCEPTED: Final = [case for case in CASES if case.expect["outcome"] == "ok"]
REJECTED: Final = [case for case in CASES if case.expect["outcome"] == "rejected"]
ENGINE: Final = [case for case in CASES if case.id.startswith("engine/")]

READER: Final = reference_reader()


def _id(case: Case) -> str:
    """The name of a case in the output of the tests."""
    return case.id


# The shipped cases


def test_there_are_cases_of_both_kinds() -> None:
    """An empty folder would make everything below pass."""
    assert len(ENGINE) >= 80
    assert len(CASES) > len(ENGINE)
    assert len(CASES) == len(BY_ID)


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_the_reference_reader_passes(case: Case) -> None:
    """Every case is sound, and our reader gives what it expects."""
    assert run_case(case, READER) == CaseResult(case.id, passed=True)


def test_every_rejecting_class_and_every_diagnostic_has_an_engine_case() -> None:
    """S15.1 lists the classes; a reader tells them apart."""
    text = schema_path("SPEC.md").read_text(encoding="utf-8").partition("## 15")[2].partition("## 16")[0]
    stages = dict(re.findall(r"^\| `([a-z-]+)` \| ([a-z]+) \|", text, re.MULTILINE))
    assert len(stages) > 10
    assert {case.expect["class"] for case in ENGINE if case in REJECTED} == set(stages)
    reported = {
        entry["class"]
        for case in ENGINE
        if case in ACCEPTED
        for entry in case.expect.get("document", {}).get("diagnostics", ())
    }
    # These two are diagnostics of what is embedded and of what is referred to.
    others = {"no-mapping", "missing-reference"}
    assert reported == {name for name, stage in stages.items() if stage == "evaluate"} | others


# A changed expectation fails


@cache
def _answer(identity: str) -> dict[str, Any]:
    """What our reader gives for a case."""
    return stripped(READER(BY_ID[identity].request))


def _leaves(value: Any, at: str = "") -> Iterator[str]:  # noqa: ANN401 - JSON
    """The pointers of everything in a document that has nothing below it."""
    entries = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if not entries:
        yield at
    for key, inner in entries:
        yield from _leaves(inner, join(at, key))


def _changed(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Another value that is as like a leaf as can be."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value + 1 if value + 1 != value else -value
    return f"{value} " if isinstance(value, str) else "something else"


def _with(document: Any, at: str, change: str) -> Any:  # noqa: ANN401 - JSON
    """A copy of a document with one leaf changed, removed or doubled."""
    document = copy.deepcopy(document)
    owner = resolve(document, at.rpartition("/")[0])
    key: Any = split(at)[-1]
    key = int(key) if isinstance(owner, list) else key
    if change == "changed":
        owner[key] = _changed(owner[key])
    elif change == "removed":
        del owner[key]
    elif isinstance(owner, list):
        owner.insert(key, owner[key])
    else:
        owner[f"{key} "] = owner[key]
    return document


@pytest.mark.parametrize("change", ["changed", "removed", "doubled"])
def test_a_perturbed_expectation_fails(change: str) -> None:
    """The comparison looks at every leaf of every engine case, and at some of every other."""
    for case in ACCEPTED:
        answer = _answer(case.id)
        if "document" not in case.expect:
            continue
        leaves = list(_leaves(case.expect["document"]))
        for at in leaves if case.id.startswith("engine/") else leaves[:: max(1, len(leaves) // 3)]:
            assert compare(_with(case.expect["document"], at, change), answer), (case.id, at)


# Laws of the comparison

JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_everything_equals_itself(value: object) -> None:
    """A copy is no difference."""
    assert compare(value, copy.deepcopy(value)) == []


@given(JSON, JSON)
def test_differences_are_the_same_from_both_sides(one: object, other: object) -> None:
    """Which of the two is expected does not matter for what differs."""
    there = {(difference.pointer, str(difference.expected)) for difference in compare(one, other)}
    back = {(difference.pointer, str(difference.actual)) for difference in compare(other, one)}
    assert there == back


@given(JSON, JSON)
def test_what_is_not_reported_is_equal(one: object, other: object) -> None:
    """Without a difference Python finds the values equal too; it finds more equal than we do."""
    if not compare(one, other):
        assert one == other


@given(JSON.filter(lambda value: isinstance(value, dict | list) and bool(value)))
def test_one_changed_leaf_is_one_difference(value: Any) -> None:  # noqa: ANN401 - JSON
    """At its place."""
    at = next(_leaves(value))
    assert [difference.pointer for difference in compare(value, _with(value, at, "changed"))] == [at]


@given(st.dictionaries(st.text(max_size=5), JSON, min_size=2, max_size=5))
def test_the_order_of_members_does_not_matter(value: dict[str, Any]) -> None:
    """JSON objects have none."""
    assert compare(value, dict(reversed(value.items()))) == []


SAME: Final = {
    "an-integer-and-the-double-of-it": (2, 2.0),
    "an-integer-and-its-decimal": (2, Decimal("2e0")),
    "a-double-and-its-shortest-decimal": (0.1, Decimal("0.10")),
    "zeros": (0, -0.0),
    "a-large-integer": (2**53 + 1, Decimal(2**53 + 1)),
}
DIFFERENT: Final = {
    "a-boolean-and-a-number": (True, 1),
    "false-and-zero": (False, 0),
    "null-and-nothing": ({"a": None}, {}),
    "empty-and-nothing": ({"a": []}, {}),
    "an-empty-list-and-an-empty-map": ([], {}),
    "null-and-false": (None, False),
    "a-number-and-its-text": (1, "1"),
    "neighbours-that-doubles-confuse": (2**53 + 1, float(2**53)),
    "texts-that-are-normalized-alike": ("é", "e\N{COMBINING ACUTE ACCENT}"),
    "the-order-of-a-list": ([1, 2], [2, 1]),
    "quantities-of-one-value": ("1000m", "1"),
    "a-list-and-a-longer-one": ([1], [1, 1]),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_numbers_are_equal_by_their_value(one: object, other: object) -> None:
    """However they are written."""
    assert compare(one, other) == compare(other, one) == []


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_things_differ(one: object, other: object) -> None:
    """Types are told apart, and nothing is normalized."""
    assert compare(one, other)
    assert compare(other, one)


def test_a_difference_has_its_place_and_both_values() -> None:
    """What is missing on one side is MISSING there, and left out as data."""
    found = compare({"a": [1, {"b/c": 2}], "x": 1}, {"a": [1, {"b/c": 3}, 4], "y": 2})
    assert found == [
        Difference("/a/1/b~1c", 2, 3),
        Difference("/a/2", MISSING, 4),
        Difference("/x", 1, MISSING),
        Difference("/y", MISSING, 2),
    ]
    assert [difference.to_json() for difference in found] == [
        {"pointer": "/a/1/b~1c", "expected": 2, "actual": 3},
        {"pointer": "/a/2", "actual": 4},
        {"pointer": "/x", "expected": 1},
        {"pointer": "/y", "actual": 2},
    ]


def test_the_digest_and_the_messages_are_not_compared() -> None:
    """Nothing else is left out."""
    document = {"mapping": {"name": "a", "digest": "d"}, "diagnostics": [{"at": "/a", "message": "m"}, 1], "b": {}}
    assert stripped(document) == {"mapping": {"name": "a"}, "diagnostics": [{"at": "/a"}, 1], "b": {}}
    assert stripped({"mapping": "a", "diagnostics": {}}) == {"mapping": "a", "diagnostics": {}}


# Loading

TEXT: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: engine/core/demo
title: a case that shows something
mappings:
- apiVersion: workloadmap.dev/v1alpha1
  kind: WorkloadMapping
  metadata: {name: demo}
  spec:
    workload: {group: x.example, versions: [v1], kind: Thing}
    components: [{name: main, replicas: object.spec.count, when: 'true', podTemplate: object.spec.template}]
object: {apiVersion: x.example/v1, kind: Thing, spec: {count: 2.0, nothing: null}}
expect:
  outcome: ok
  document:
    apiVersion: workloadmap.dev/v1alpha1
    kind: WorkloadMap
    workload: {apiVersion: x.example/v1, kind: Thing}
    mapping: {name: demo}
    components:
    - {name: main, instances: [{id: main, replicas: 2, pods: 2, minPods: 2, sources: {replicas: /spec/count}}]}
    totals: {pods: 2, incomplete: [{component: main, instance: main, what: podTemplate, reason: absent}]}
""".lstrip()
REJECTS: Final = TEXT[: TEXT.index("expect:")] + "expect: {outcome: rejected, class: no-mapping}\n"


def write(folder: Path, text: str | bytes, name: str = "demo.case.yaml") -> Path:
    """A file with a case."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def load(folder: Path, text: str | bytes, name: str = "demo.case.yaml") -> Case:
    """The one case in a text."""
    (case,) = load_cases([write(folder, text, name)])
    return case


def test_a_case_is_kept_as_it_is_written(tmp_path: Path) -> None:
    """The data rules are the reader's task: nulls and doubles reach it."""
    case = load(tmp_path, TEXT)
    assert case.problems == ()
    assert case.request["object"]["spec"] == {"count": 2.0, "nothing": None}
    assert type(case.request["object"]["spec"]["count"]) is float
    assert run_case(case, READER).passed


def test_several_cases_stand_in_one_file(tmp_path: Path) -> None:
    """Each has an id of its own, below that of the file where the path counts."""
    second = TEXT.replace("engine/core/demo", "engine/core/demo/two")
    first = TEXT.replace("engine/core/demo", "engine/core/demo/one")
    file = write(tmp_path, f"# two\n---\n{first}---\n{second}", "conformance/cases/engine/core/demo.case.yaml")
    cases = load_cases([file])
    assert [(case.id, case.document.location("/id").line, case.problems) for case in cases] == [
        ("engine/core/demo/one", 5, ()),
        ("engine/core/demo/two", 28, ()),
    ]


PROBLEMS: Final = {
    "a-misspelled-member": (
        TEXT.replace("title:", "titel:"),
        "{file}:4:8: /titel: a case has no `titel` [case-invalid]\n  write `title`",
    ),
    "an-expected-map-that-is-none": (
        TEXT.replace("pods: 2, minPods", "pods: -2, minPods"),
        "{file}:21:62: /expect/document/components/0/instances/0/pods: -2 is less than 0 [case-invalid]",
    ),
    "an-accepted-case-that-expects-nothing": (
        TEXT[: TEXT.index("expect:")] + "expect: {outcome: ok}\n",
        (
            "{file}:13:9: /expect: an accepted case of `do: map` expects `document` [case-invalid]\n"
            "  correct one of the two"
        ),
    ),
    "an-accepted-case-that-expects-something-else": (
        TEXT.replace("object: {", "do: validate\nobject: {"),
        (
            "{file}:15:3: /expect: an accepted case of `do: validate` expects nothing beside `outcome` [case-invalid]\n"
            "  correct one of the two"
        ),
    ),
    "two-sources-of-mappings": (
        TEXT.replace("object: {", "mappingText: 'x'\nobject: {"),
        (
            "{file}:12:14: /mappingText: a case has `mappings` or `mappingText`, not both [case-invalid]\n"
            "  remove one of the two"
        ),
    ),
    "a-key-twice": (
        "a: 1\na: 2\n",
        (
            "{file}:2:1: /a: the key `a` is written twice, first in line 1, column 1 [case-invalid]\n"
            "  remove one of the two: readers disagree about which one counts"
        ),
    ),
    "bytes-that-are-not-utf-8": (
        b"a: b\nc: \xff\n",
        "{file}:2: the file is not UTF-8 [case-invalid]\n  save it as UTF-8",
    ),
    "a-list": (
        "- 1",
        (
            "{file}:1:1: a case is a map, and this is a list [case-invalid]\n"
            "  a case has `apiVersion: workloadmap.dev/v1alpha1` and `kind: ConformanceCase`"
        ),
    ),
}


@pytest.mark.parametrize(("text", "expected"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_case_that_is_wrong_in_itself_fails_with_what_is_wrong(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    """It says nothing about the reader, which is not asked."""
    case = load(tmp_path, text)
    result = run_case(case, lambda _request: pytest.fail("the reader was asked"))
    assert result.error == expected.format(file=tmp_path / "demo.case.yaml")
    assert not result.passed


@pytest.mark.parametrize(
    ("name", "identity", "is_right"),
    [
        ("conformance/cases/engine/core/demo.case.yaml", "engine/core/demo", True),
        ("conformance/cases/engine/core/demo.case.yaml", "engine/core/other", False),
        ("conformance/cases/engine/core/demo.case.yaml", "engine/core/demo/one", False),
        ("mappings/conformance/demo.case.yaml", "anything", True),
    ],
    ids=["its-path", "another-path", "below-its-path", "outside-of-the-suite"],
)
def test_the_id_of_a_case_is_its_path(tmp_path: Path, name: str, identity: str, *, is_right: bool) -> None:
    """Below the folder of conformance cases."""
    case = load(tmp_path, TEXT.replace("engine/core/demo", identity), name)
    assert (case.problems == ()) is is_right
    if not is_right:
        assert str(case.problems[0]) == (
            f"{tmp_path / name}:3:5: /id: the id of this case is `{identity}` [case-invalid]\n"
            "  the id here is engine/core/demo"
        )


def test_an_id_is_used_once(tmp_path: Path) -> None:
    """The second case of an id tells where the first is."""
    write(tmp_path, TEXT, "a.case.yaml")
    write(tmp_path, TEXT, "b.case.yaml")
    first, second = load_cases([tmp_path])
    assert first.problems == ()
    assert str(second.problems[0]) == (
        f"{tmp_path}/b.case.yaml:3:5: /id: the case engine/core/demo is also in {tmp_path}/a.case.yaml:3"
        " [case-invalid]\n  give it another id"
    )


def test_a_file_that_is_named_twice_is_loaded_once(tmp_path: Path) -> None:
    """By itself and by its folder."""
    file = write(tmp_path, TEXT)
    write(tmp_path, "kind: WorkloadMapping", "mapping.yaml")
    assert case_files([tmp_path, file]) == [file]


def test_a_path_that_does_not_exist_is_told(tmp_path: Path) -> None:
    """As an error of the input, which has no place in a file."""
    with pytest.raises(InputError) as caught:
        load_cases([tmp_path / "none"])
    assert str(caught.value) == f"{tmp_path}/none: there is no such file or folder [input-invalid]\n  check the path"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason that the system gives."""
    file = write(tmp_path, TEXT)

    def refuse(_self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="the file cannot be read: Permission denied"):
        load_cases([file])


# Running


def test_a_map_that_differs_is_told_by_its_differences(tmp_path: Path) -> None:
    """By place, expected and actual value."""
    case = load(tmp_path, TEXT.replace("replicas: 2, pods: 2", "replicas: 3, pods: 2"))
    expected = (Difference("/components/0/instances/0/replicas", 3, 2),)
    assert run_case(case, READER) == CaseResult(case.id, passed=False, differences=expected)


def test_a_map_that_violates_its_schema_is_not_compared(tmp_path: Path) -> None:
    """S0.2."""
    case = load(tmp_path, TEXT)

    def reader(request: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**READER(request), "totals": {}}

    assert run_case(case, reader).error == ("the map violates its schema at /totals: `totals` needs `pods`")


def test_an_unexpected_map_is_a_difference(tmp_path: Path) -> None:
    """The reader should have rejected the input."""
    case = load(tmp_path, REJECTS)
    assert run_case(case, READER).differences == (Difference("/outcome", "rejected", "ok"),)


def test_an_unexpected_error_is_told(tmp_path: Path) -> None:
    """With its text."""
    case = load(tmp_path, TEXT.replace("versions: [v1]", "versions: [v2]"))
    assert run_case(case, READER).error == (
        "the reader rejects the input: no mapping fits Thing of x.example/v1 [no-mapping]\n"
        "  mappings exist for the versions v2"
    )


def test_a_crash_of_the_reader_is_told(tmp_path: Path) -> None:
    """And the other cases are run."""

    def reader(_request: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ZeroDivisionError("by zero")

    assert run_case(load(tmp_path, TEXT), reader).error == "the reader crashed: ZeroDivisionError: by zero"


@pytest.mark.parametrize(
    ("expect", "differences"),
    [
        ("class: no-mapping", []),
        ("class: no-mapping, at: /spec", [Difference("/at", "/spec", MISSING)]),
        ("class: input-invalid", [Difference("/class", "input-invalid", "no-mapping")]),
        ("anyClass: [input-invalid, no-mapping]", []),
        (
            "anyClass: [input-invalid, mapping-schema]",
            [Difference("/class", ["input-invalid", "mapping-schema"], "no-mapping")],
        ),
    ],
    ids=["its-class", "a-place-that-it-lacks", "another-class", "one-of-two-classes", "none-of-two-classes"],
)
def test_an_expected_error_is_compared_by_class_and_place(
    tmp_path: Path, expect: str, differences: list[Difference]
) -> None:
    """The text is free."""
    text = REJECTS.replace("versions: [v1]", "versions: [v2]").replace("class: no-mapping", expect)
    assert list(run_case(load(tmp_path, text), READER).differences) == differences


def test_a_case_without_mappings_is_read_with_the_catalogue(tmp_path: Path) -> None:
    """The shipped one, or the one that is given."""
    text = TEXT[: TEXT.index("mappings:")] + TEXT[TEXT.index("object:") :]
    case = load(tmp_path, text)
    own = Catalog([]).with_documents(load(tmp_path, TEXT).request["mappings"])
    assert run_case(case, reference_reader(own)).passed
    assert "no mapping fits Thing" in (run_case(case, READER).error or "")


def test_a_case_with_mappings_is_read_with_those_alone(tmp_path: Path) -> None:
    """A shipped mapping does not help."""
    text = REJECTS.replace("object: {apiVersion: x.example/v1, kind: Thing,", "object: {apiVersion: v1, kind: Pod,")
    request = load(tmp_path, text).request
    with pytest.raises(NoMappingError):
        READER(request)
    assert READER({"object": request["object"]})["mapping"]["name"] == "pod"

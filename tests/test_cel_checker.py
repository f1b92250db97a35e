"""The rules of the portable profile: for each, what it refuses, what it says, and a neighbour that it accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from workloadmap_spec.cel import (
    BOOL,
    DYN,
    INT,
    ROOTS,
    STRING,
    Finding,
    Scope,
    check,
    declared,
    list_of,
    map_of,
    parse,
    scope_of,
)
from workloadmap_spec.cel.findings import nearest
from workloadmap_spec.cel.types import DOUBLE, NONE, NULL, Type, join
from workloadmap_spec.errors import ExpressionCheckError

SCOPE = scope_of(["object", "item", "conditionsTrue"], ["size", "mode"])


def findings(text: str, scope: Scope = SCOPE, want: str | None = None) -> list[Finding]:
    """What the checker says about an expression."""
    return check(parse(text), text, scope, want)


def errors(text: str, scope: Scope = SCOPE, want: str | None = None) -> list[Finding]:
    """The errors among it."""
    return [finding for finding in findings(text, scope, want) if finding.level == "error"]


TABLES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "data" / "cel_rules.yaml").read_text("utf-8")
)


def expected(row: dict[str, Any], level: Literal["error", "warning"]) -> Finding:
    """The finding of a row."""
    return Finding(row["rule"], level, row["message"], row["column"] - 1, len(row["part"]), row["cure"])


def title(row: dict[str, Any]) -> str:
    """The id of a row."""
    return f"{row['rule']}: {row['expression']}"


@pytest.mark.parametrize("row", TABLES["refused"], ids=title)
def test_a_rule_refuses_an_expression_and_not_its_neighbour(row: dict[str, Any]) -> None:
    """One mistake gives one error, which names the rule and the place; correcting it is enough."""
    text = row["expression"]
    assert errors(text) == [expected(row, "error")]
    assert text[row["column"] - 1 :].startswith(row["part"])
    assert errors(row["neighbour"]) == []


def test_every_rule_of_trees_is_in_the_table() -> None:
    """P01, P01b and P16 are about texts and are found by the parser; P04 and P20 are no errors."""
    assert {row["rule"] for row in TABLES["refused"]} == {
        *("P02", "P02b", "P03", "P05", "P06", "P07", "P08", "P09", "P09b", "P10", "P11", "P12", "P13", "P14", "P15"),
        *("P17", "P18", "P19"),
    }


@pytest.mark.parametrize("row", TABLES["warned"], ids=title)
def test_a_value_that_may_be_missing_is_warned_about_until_it_is_guarded(row: dict[str, Any]) -> None:
    """A warning names the place; with the guard there is none."""
    text = row["expression"]
    assert findings(text) == [expected(row, "warning")]
    assert text[row["column"] - 1 :].startswith(row["part"])
    assert findings(row["neighbour"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "object.spec.a.b.c",
        "object.metadata.labels['k']",
        "item.list[3]",
        "item[0].x",
        "object.status.services[item.name]",
        "variables.size",
    ],
)
def test_a_path_needs_no_guard(text: str) -> None:
    """It is null-safe."""
    assert findings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "object.metadata.name + '-x'",
        "object.spec == {}",
        "size(object.metadata.labels) > 0",
        "variables.size - 1",
        "variables.mode.x + 1",
        "conditionsTrue.exists(c, c == 'x')",
    ],
)
def test_what_is_always_there_needs_no_guard(text: str) -> None:
    """The maps that the scope names, names and variables that were declared, elements of a list."""
    assert findings(text) == []


def test_a_place_is_warned_about_once() -> None:
    """Reading it again says nothing new."""
    assert len(findings("item.n + item.n + item['n']")) == 1
    assert len(findings("item.n.a + item.n.b")) == 1


def test_findings_come_in_the_order_of_the_text() -> None:
    """Each with its own place."""
    found = findings("item.n + 1 == null || nope || item.m > 'a'")
    assert [(finding.rule, finding.offset) for finding in found] == [
        ("P20", 0),
        ("P05", 0),
        ("P18", 22),
        ("P20", 30),
        ("P14", 39),
    ]


def test_one_mistake_gives_one_error() -> None:
    """What is wrong already has no type that could be wrong again."""
    for text in (
        "nope.a.b[0] + 1 == 2 && nope.a > 0.5",
        "[1, nope.x, 2]",
        "{'a': 1, 'b': 'a' + 1}",
        "('a' + 1) < 2",
        "1 in ('a' + 1)",
        "f(1) + 0.5 > 1.5",
        "timestamp(f(1)) + f(2) > timestamp(item.t)",
    ):
        assert len({finding.rule for finding in errors(text)}) == 1, text


def test_a_finding_is_an_error_with_the_expression() -> None:
    """The text of an error is whole."""
    text = "[1] + item.jobs.map(j, j.on, j.n)"
    error = errors(text)[0].to_error(text)
    assert isinstance(error, ExpressionCheckError)
    assert (
        str(error)
        == """\
`map` takes two arguments here [expression-check/P02]
    [1] + item.jobs.map(j, j.on, j.n)
                    ^~~
  write item.jobs.filter(j, j.on).map(j, j.n)"""
    )


# Conditions.


@pytest.mark.parametrize(
    ("text", "message", "cure"),
    [
        ("1", "a condition gives true or false, and this gives an int", "write 1 != 0"),
        ("'a' + item.s", "a condition gives true or false, and this gives a string", "write ('a' + item.s) != \"\""),
        (
            "conditionsTrue",
            "a condition gives true or false, and this gives a list(string)",
            "write size(conditionsTrue) > 0",
        ),
        ("{}", "a condition gives true or false, and this gives a map", "write size({}) > 0"),
        ("null", "a condition gives true or false, and this gives null", None),
    ],
)
def test_a_condition_gives_true_or_false(text: str, message: str, cure: str | None) -> None:
    """P08, where the field wants a condition."""
    assert errors(text) == []
    assert errors(text, want="bool") == [Finding("P08", "error", message, 0, len(text), cure)]


@pytest.mark.parametrize("text", ["true", "item.on", "has(item.n)", "size(conditionsTrue) == 0", "!(item.a || item.b)"])
def test_what_may_be_a_condition_is_one(text: str) -> None:
    """A value of unknown type is looked at when it is there."""
    assert errors(text, want="bool") == []


def test_a_broken_expression_is_not_told_that_it_is_no_condition_either() -> None:
    """The first mistake comes first."""
    assert [finding.rule for finding in errors("timestamp('x')", want="bool")] == ["P17"]
    assert [finding.rule for finding in errors("nope + 1", want="bool")] == ["P18"]


# Scopes.


def test_a_scope_knows_what_the_specification_says_of_its_variables() -> None:
    """Each root, and what can be said without a guard."""
    scope = scope_of(ROOTS, {"on": BOOL, "size": INT, "names": list_of(STRING)}, {"refs": declared(["runtime"])})
    for text in (
        "object.metadata.labels == {}",
        "pod.metadata.annotations == {} && pod.spec.nodeName == 'n' && pod.status.phase == 'Running'",
        "conditions.exists(c, c.type == 'a' && c.status == 'b' && c.reason == 'c' && c.message.contains('d'))",
        "'a' in conditionsFalse && key == 1 && value == 2",
        "variables.on && variables.size > 1 && variables.names == ['a']",
        "has(refs.runtime) && refs.runtime == {}",
    ):
        assert findings(text, scope, "bool") == [], text
    assert errors("variables.on + 1", scope)[0].message == "`+` takes numbers, strings or lists, and this is a bool"
    assert errors("variables.size == 'a'", scope)[0].cure == "compare with a number"
    assert errors("conditions.exists(c, c.status == true)", scope)[0].rule == "P05"
    assert errors("refs.runtme.x", scope)[0].cure == "did you mean refs.runtime?"
    assert findings("parent.x + 1", scope)[0].rule == "P20"


def test_types_that_only_we_know_are_unknown_to_engines() -> None:
    """A declared type helps with errors and does not make a list homogeneous (P06), because engines see `dyn`."""
    scope = Scope({"object": ROOTS["object"], "names": list_of(STRING)})
    assert errors("[object.metadata.labels['a'], 'b']", scope)[0].rule == "P06"
    assert errors("[names[0], 'b']", scope)[0].rule == "P06"
    assert errors("[object.metadata.labels['a'], names[0]]", scope) == []
    assert errors("names[0] + names[1]", scope)[0].rule == "P09b"


def test_suggestions() -> None:
    """A name that is nearly right, or all there are."""
    assert nearest("replcias", ["replicas", "size"]) == "replicas"
    assert nearest("x", ["replicas"]) is None
    assert errors("1 + x", Scope({}))[0].cure == "nothing is declared here"
    assert errors("1 + x", scope_of(["key", "item"]))[0].cure == "the variables are item, key"
    # A name alone was perhaps meant as a text, unless it is nearly one that is known.
    assert errors("x", scope_of(["item"]))[0].cure == """the variables are item; a text is written '"x"'"""
    assert errors("itme", scope_of(["item"]))[0].cure == "did you mean item?"
    assert errors("variables.x", scope_of([], []))[0].cure == "nothing is declared here"


def test_joining_types() -> None:
    """Two types have one that fits both, or none."""
    assert join(INT, INT) == INT
    assert join(INT, STRING) is None
    assert join(INT, DYN) is None
    assert join(INT, DYN, loose=True) == DYN
    assert join(DYN, INT, loose=True) == DYN
    assert join(list_of(NONE), list_of(INT)) == list_of(INT)
    assert join(list_of(INT), list_of(STRING)) is None
    assert join(list_of(INT), map_of(INT)) is None
    assert join(map_of(INT), map_of(DYN), loose=True) == map_of(DYN)
    assert join(NULL, NULL) == NULL
    assert str(list_of(map_of(DOUBLE))) == "list(map(double))"
    assert str(Type("dyn")) == "a value of unknown type"
    assert str(NONE) == "nothing"

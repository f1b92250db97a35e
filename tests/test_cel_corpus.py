"""Recorded answers of cel-go: 6,568 expressions, and the expressions of people's bug reports.

The corpus lies in the folder of shared data; without it these tests are skipped, and `data/cel_profile.yaml` remains.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from workloadmap_spec.cel import DYN, ROOTS, Scope, check, compile_expression, parse
from workloadmap_spec.cel.failures import NotPortableError
from workloadmap_spec.errors import EvaluationError, ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable

#: The expressions that all engines answer alike and the profile leaves out all the same, with the rule that does.
REFUSED_TABLE = Path(__file__).parent / "data" / "cel_refused.json"

#: The bug reports that are refused, with the rule.
REFUSED_REPORTS = {"150-cel-int-times-double": "P09", "151-cel-json-integer-is-int": "P06"}

_UNTAG: dict[str, Callable[[Any], Any]] = {
    "i": int,
    "d": float,
    "s": str,
    "t": bool,
    "z": lambda _: None,
    "l": lambda elements: [untag(element) for element in elements],
    "m": lambda entries: {untag(key): untag(value) for key, value in entries},
}


def untag(tagged: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """A value of the corpus, which names the type of every part."""
    ((tag, value),) = tagged.items()
    return _UNTAG[tag](value)


def exactly(value: object) -> object:
    """A value with its types."""
    if isinstance(value, list):
        return [exactly(element) for element in value]
    if isinstance(value, dict):
        return {key: exactly(element) for key, element in value.items()}
    return type(value), repr(value)


def refusal(text: str, bindings: dict[str, Any]) -> str | None:
    """The rule that refuses an expression, or None."""
    scope = Scope({name: ROOTS.get(name, DYN) for name in bindings})
    try:
        found = check(parse(text), text, scope)
    except ExpressionError as error:
        return error.rule or error.error_class
    return next((finding.rule for finding in found if finding.level == "error"), None)


def outcome(text: str, bindings: dict[str, Any]) -> tuple[str, object]:
    """What our evaluator gives."""
    try:
        return "value", exactly(compile_expression(parse(text), text)(bindings))
    except NotPortableError as error:
        return "not portable", error.message
    except EvaluationError as error:
        return "error", error.message


def recorded(line: dict[str, Any]) -> tuple[str, object]:
    """What cel-go gave; a result that is not finite is no JSON, and an error here."""
    if line.get("error"):
        return "error", None
    value = untag(line["value"])
    if isinstance(value, float) and not math.isfinite(value):
        return "error", None
    return "value", exactly(value)


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The lines of the corpus, each with its bindings."""
    inputs = json.loads((shared / "cel" / "inputs.json").read_text("utf-8"))
    bindings = [{name: untag(value) for name, value in one.items()} for one in inputs]
    lines = (shared / "cel" / "corpus.jsonl").read_text("utf-8").splitlines()
    return [(line, bindings[line["input"]]) for line in map(json.loads, lines)]


def test_accepted_lines_have_the_recorded_answer(corpus: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """The value of the recorded types, or an error, on every line that the checker accepts."""
    wrong = []
    accepted = 0
    for line, bindings in corpus:
        if refusal(line["expression"], bindings) is not None:
            continue
        accepted += 1
        wanted, found = recorded(line), outcome(line["expression"], dict(bindings))
        if found[0] == "not portable":
            # `map` over a map: what one engine said of it does not bind another.
            continue
        if wanted[0] != found[0] or (wanted[0] == "value" and wanted != found):
            wrong.append((line["id"], line["expression"], wanted, found))
    assert wrong == []
    assert accepted > 4000


def test_what_is_not_portable_is_refused(corpus: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Every line that some engine answers differently."""
    slipped = [
        (line["id"], line["expression"])
        for line, bindings in corpus
        if not line["portable"] and refusal(line["expression"], bindings) is None
    ]
    assert slipped == []


def test_portable_lines_that_are_refused_stand_in_the_table(
    corpus: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    """With the rule; a change of the checker shows here."""
    found = {
        line["id"]: rule
        for line, bindings in corpus
        if line["portable"] and (rule := refusal(line["expression"], bindings)) is not None
    }
    assert found == json.loads(REFUSED_TABLE.read_text("utf-8"))


def test_bug_reports_get_the_right_answer_or_a_rule(shared: Path) -> None:
    """The expressions that surprised users of other engines."""
    reports = sorted((shared / "cases" / "reports").glob("*cel*.yaml"))
    assert reports
    refused = {}
    for path in reports:
        report = yaml.safe_load(path.read_text("utf-8"))
        bindings = {"object": report["object"]}
        rule = refusal(report["expression"], bindings)
        if rule is not None:
            refused[report["id"]] = rule
            continue
        kind, found = outcome(report["expression"], bindings)
        expected = report["expect"]
        if expected.get("error"):
            assert kind == "error", report["id"]
            words = {word.strip(".`") for word in expected["about"].split()}
            assert words & {word.strip("`:") for word in str(found).split()}, found
        else:
            assert (kind, found) == ("value", exactly(expected["value"])), report["id"]
    assert refused == REFUSED_REPORTS

"""What makes a case worthless, and which clauses of the specification no case tests.

A case that is not what it seems hides faults: one that is rejected for another reason than it says, one that is there
twice, one that needs more than its profile. All of it can be found without a reader.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import CaseError, compare
from workloadmap_spec.conformance.suite import PATHS
from workloadmap_spec.conformance.vocabulary import vocabulary
from workloadmap_spec.errors import ExpressionError, MappingError
from workloadmap_spec.files import conformance_path, schema_path
from workloadmap_spec.pointer import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.cases import Case
    from workloadmap_spec.conformance.suite import SuiteCase

#: An engine case is about one rule; one that is longer is about more.
MAX_LINES: Final = 200
#: Places in which the input of a rejected case may differ from that of its twin, all below one member.
MAX_EDITS: Final = 3
#: The members of a case that are its input.
_INPUT: Final = ("mappings", "mappingText", "object", "references", "pods", "options", "intent", "do")

_CLAUSE: Final = re.compile(r"^(?:\*\*(S[0-9.]+)\*\* )", re.MULTILINE)


@cache
def clauses() -> tuple[str, ...]:
    """The numbers of all clauses of the specification, in its order."""
    return tuple(_CLAUSE.findall(schema_path("SPEC.md").read_text(encoding="utf-8")))


@cache
def untestable() -> Mapping[str, str]:
    """The clauses that no case can test, and why."""
    document: dict[str, str] = json.loads(conformance_path("untestable.json").read_text(encoding="utf-8"))
    return document


def coverage(suite: Iterable[SuiteCase]) -> dict[str, int]:
    """How many engine cases name each clause."""
    counts = dict.fromkeys(clauses(), 0)
    for case in suite:
        for clause in case.case.request.get("clauses", ()) if case.profile != "catalog" else ():
            if clause in counts:
                counts[clause] += 1
    return counts


def lint(suite: Sequence[SuiteCase]) -> list[str]:
    """What is wrong with the cases of the suite and with their coverage, each with its place."""
    cases = [case.case for case in suite]
    problems = [str(problem) for case in cases for problem in case.problems]
    if problems:
        return problems
    by_id = {case.id: case for case in cases}
    for case in suite:
        problems += map(str, _of_case(case, by_id))
    problems += map(str, _twice(cases))
    counts = coverage(suite)
    known = untestable()
    untested = [clause for clause, count in counts.items() if not count and clause not in known]
    problems += [f"no engine case names the clause {clause}" for clause in untested]
    for clause in known:
        if counts.get(clause, 1):
            why = "cases name it" if clause in counts else "there is no such clause"
            problems.append(f"untestable.json: {clause} is called untestable, and {why}")
    return problems


def _of_case(suite_case: SuiteCase, by_id: Mapping[str, Case]) -> Iterator[CaseError]:
    """What is wrong with one case."""
    case = suite_case.case
    known = vocabulary()
    for feature in suite_case.features:
        if feature not in known.features:
            yield _problem(case, "/features", f"there is no feature `{feature}`", "see conformance/features.json")
    if suite_case.profile not in known.profiles:
        yield _problem(case, "/id", f"there is no profile `{suite_case.profile}`", "see conformance/profiles.json")
    if suite_case.profile == "catalog":
        return
    yield from _of_engine_case(suite_case)
    if case.expect["outcome"] == "rejected":
        yield from _of_rejection(case, by_id)
    if PATHS in suite_case.tags:
        yield from _of_beginning(case, by_id)


def _of_engine_case(suite_case: SuiteCase) -> Iterator[CaseError]:
    """What is wrong with a case that is about one rule of the specification."""
    case, request = suite_case.case, suite_case.case.request
    if "mappings" not in request and "mappingText" not in request:
        yield _problem(case, "", "an engine case brings its mappings", "add `mappings`")
    if "mappingText" in request and "core.yaml-text" not in suite_case.features:
        yield _problem(case, "/mappingText", "a case of text needs a feature", "add `features: [core.yaml-text]`")
    for clause in request.get("clauses", ()):
        if clause not in clauses():
            yield _problem(case, "/clauses", f"there is no clause {clause}", "see SPEC.md")
    if not request.get("clauses"):
        yield _problem(case, "", "an engine case names the clauses that it tests", "add `clauses`")
    if request.get("provenance") != "hand":
        yield _problem(case, "", "the expectation of an engine case is derived by hand", "add `provenance: hand`")
    if _lines(case) > MAX_LINES:
        yield _problem(case, "", f"an engine case has at most {MAX_LINES} lines", "split it: one rule, one case")


def _of_rejection(case: Case, by_id: Mapping[str, Case]) -> Iterator[CaseError]:
    """What is wrong with a case that is rejected: it must differ by one edit from one that is accepted."""
    if "anyClass" in case.expect and "why" not in case.request:
        yield _problem(case, "/expect/anyClass", "why readers may differ here must be said", "add `why`")
    twin = by_id.get(case.request.get("twin", ""))
    if twin is None or twin.expect["outcome"] != "ok":
        yield _problem(case, "/twin", "a rejected case names an accepted one that it differs from", "add `twin`")
        return
    ours, theirs = ({name: one.request[name] for name in _INPUT if name in one.request} for one in (case, twin))
    if "mappingText" in ours:
        lines = [set(str(text).split("\n")) for text in (ours.pop("mappingText"), theirs.pop("mappingText", ""))]
        edits = len(lines[0] ^ lines[1])
        places = {"mappingText"} | {difference.pointer for difference in compare(theirs, ours)}
    else:
        differences = compare(theirs, ours)
        edits = len(differences)
        places = {split(difference.pointer)[0] for difference in differences}
    if not 0 < edits <= MAX_EDITS or len(places) != 1:
        yield _problem(case, "/twin", f"the case differs from {twin.id} in {edits} places", "make it one edit")


def _of_beginning(case: Case, by_id: Mapping[str, Case]) -> Iterator[CaseError]:
    """What is wrong with a case for a beginning: it must need nothing but paths."""
    from workloadmap_spec.catalog import load_mapping  # noqa: PLC0415 - for few cases
    from workloadmap_spec.cel import path_of  # noqa: PLC0415

    twin = by_id.get(case.request.get("twin", ""))
    if twin is not None and PATHS not in twin.request.get("tags", ()):
        yield _problem(case, "/tags", f"its twin {twin.id} has no tag {PATHS}", "give it the tag, or drop this one")
    for mapping in case.request.get("mappings", ()):
        try:
            expressions = load_mapping(mapping).expressions
        except ExpressionError as error:
            yield _problem(case, "/tags", f"`{error.text}` is no path", f"drop the tag {PATHS}")
            continue
        except MappingError:  # which the case is about; its expressions are those of its twin
            continue
        for expression in expressions:
            if path_of(expression.tree) is None:
                yield _problem(case, "/tags", f"`{expression.text}` is no path", f"drop the tag {PATHS}")


def _twice(cases: Iterable[Case]) -> Iterator[CaseError]:
    """Cases with the same input as another one."""
    seen: dict[str, Case] = {}
    for case in cases:
        content: dict[str, Any] = {name: case.request[name] for name in _INPUT if name in case.request}
        first = seen.setdefault(json.dumps(content, sort_keys=True), case)
        if first is not case:
            yield _problem(case, "", f"the input is that of {first.id}", "drop one of the two")


def _lines(case: Case) -> int:
    """How many lines a case has."""
    positions = case.document.positions
    return 0 if positions is None else positions.origin.text.count("\n")


def _problem(case: Case, pointer: str, message: str, cure: str) -> CaseError:
    """The error for something at a place of a case."""
    return CaseError(message, case.document.location(pointer), cure)

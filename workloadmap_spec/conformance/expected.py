"""Failures that a project knows of: they are run, must fail as they are said to, and make a profile partial."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.conformance.runner import FAILED, NOT_RUN, PASSED
from workloadmap_spec.documents import load_text, read_file
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workloadmap_spec.conformance.runner import Result

#: A pattern that matches more cases hides too much.
MAX_MATCHES: Final = 20


@dataclass(frozen=True, slots=True)
class Expectation:
    """One entry of the list."""

    pattern: str
    reason: str
    outcome: str | None
    location: Location

    def matches(self, identity: str) -> bool:
        """Whether the entry is about a case: `*` stands for a part of a segment, `**` for segments."""
        parts = re.split(r"(\*\*|\*)", self.pattern)
        wild = {"**": ".*", "*": "[^/]*"}
        return re.fullmatch("".join(wild.get(part, re.escape(part)) for part in parts), identity) is not None

    def allows(self, result: Result) -> bool:
        """Whether a case failed as the entry says."""
        return self.outcome in (None, *_outcomes(result))


def load_expectations(path: str) -> list[Expectation]:
    """The entries of a file.

    Raises:
        InputError: It cannot be read, or does not fit its schema.
    """
    documents = load_text(read_file(Path(path)), path)
    if len(documents) != 1:
        raise InputError("one document is wanted here", Location(path), "see `workloadmap schema expected-failures`")
    document = documents[0]
    for problem in schema_problems(document.value, "ExpectedFailures"):
        raise InputError(problem.message, document.location(problem.pointer), problem.cure)
    value: Any = document.value
    return [
        Expectation(
            entry["case"], entry["reason"], entry.get("outcome"), document.location(f"/expectedFailures/{index}")
        )
        for index, entry in enumerate(value["expectedFailures"])
    ]


def apply(expectations: Sequence[Expectation], results: Iterable[Result]) -> tuple[dict[str, str], list[str]]:
    """Lay the list beside the results.

    Returns:
        The reasons of the cases that failed as expected, by id; and what is wrong with the list: an entry that matches
        nothing or too much, a case that passed or failed otherwise.
    """
    found = list(results)
    reasons: dict[str, str] = {}
    problems: list[str] = []
    for entry in expectations:
        matched = [result for result in found if entry.matches(result.case.id)]
        if not matched:
            problems.append(f"{entry.location}: no case that was run is named `{entry.pattern}`")
        elif len(matched) > MAX_MATCHES:
            problems.append(f"{entry.location}: `{entry.pattern}` names {len(matched)} cases, more than {MAX_MATCHES}")
        for result in matched if len(matched) <= MAX_MATCHES else ():
            if result.verdict == PASSED:
                problems.append(f"{entry.location}: {result.case.id} passes; take it off the list")
            elif result.verdict == NOT_RUN or not entry.allows(result):
                wanted, got = entry.outcome, " or ".join(_outcomes(result))
                problems.append(
                    f"{entry.location}: {result.case.id} was to give {wanted or 'a failure'}, and gave {got}"
                )
            else:
                reasons[result.case.id] = entry.reason
    return reasons, problems


def proposal(results: Iterable[Result]) -> dict[str, Any]:
    """A list of everything that failed, to be given reasons."""
    entries = [
        {"case": result.case.id, "outcome": _outcomes(result)[0], "reason": "to be said"}
        for result in results
        if result.verdict not in (PASSED, NOT_RUN)
    ]
    return {"apiVersion": "workloadmap.dev/v1alpha1", "kind": "ExpectedFailures", "expectedFailures": entries}


def _outcomes(result: Result) -> list[str]:
    """How an outcome is called in the list: the exact word, and `failed` for any wrong answer."""
    if result.outcome == "rejected" and result.message is not None:
        return [f"rejected:{result.message.partition(':')[0]}", FAILED]
    return [FAILED] if result.verdict == FAILED else [result.outcome]

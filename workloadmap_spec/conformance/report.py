"""The report of a run: a verdict for each profile, every case, and the exit code that follows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import MISSING
from workloadmap_spec.conformance.runner import ERRORED, FAILED, NOT_RUN, PASSED
from workloadmap_spec.conformance.suite import PATHS, SUITE_VERSION, suite_digest
from workloadmap_spec.conformance.vocabulary import vocabulary
from workloadmap_spec.files import SPEC_VERSION
from workloadmap_spec.texts import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workloadmap_spec.cases import Difference
    from workloadmap_spec.conformance.runner import Result, Run
    from workloadmap_spec.conformance.suite import SuiteCase

#: The exit codes of a run.
RIGHT: Final = 0
WRONG: Final = 1
USAGE: Final = 2
NO_READER: Final = 3
DAMAGED: Final = 4
NOTHING: Final = 5
FAULT: Final = 6

EXPECTED: Final = "expected-failure"

#: So much of a value in a difference is kept.
_MAX_VALUE: Final = 256 * 1024
#: So many differences of a case are told in words, and so much of a value in one.
_MAX_LINES: Final = 20
_MAX_SHOWN: Final = 100
_COUNTS: Final = {PASSED: "passed", FAILED: "failed", ERRORED: "errored", EXPECTED: "expectedFailed", NOT_RUN: "notRun"}


def make_report(
    run: Run, suite: Sequence[SuiteCase], reasons: Mapping[str, str], skipped: Iterable[str] = ()
) -> dict[str, Any]:
    """The report of a run, valid against `conformance-report.schema.json`.

    Args:
        run: The run.
        suite: All cases, for the digest of the suite.
        reasons: Why cases are allowed to fail, by id.
        skipped: The ids of cases that were left out by name.
    """
    from workloadmap_spec import __version__  # noqa: PLC0415 - the package imports nothing of this

    left_out = set(skipped)
    cases = [_case(result, reasons, _row(result.case, run.profiles)) for result in run.results]
    rows = {result.case.id: verdict["verdict"] for result, verdict in zip(run.results, cases, strict=True)}
    groups: dict[str, list[str]] = {}
    for entry in cases:
        groups.setdefault(entry["profile"], []).append(entry["id"])
    chosen = [case for case in suite if case.id in left_out and case.is_selected(run.profiles, run.features)]
    omitted: dict[str, list[str]] = {}
    for case in chosen:
        omitted.setdefault(_row(case, run.profiles), []).append(case.id)
    names = sorted({*groups, *omitted}, key=_order)
    profiles = [_profile(name, groups.get(name, []), rows, omitted.get(name, [])) for name in names]
    report: dict[str, Any] = {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "ConformanceReport",
        "suite": {"version": SUITE_VERSION, "specVersion": SPEC_VERSION, "digest": suite_digest(suite)},
        "runner": {"name": "workloadmap", "version": __version__},
        "implementation": dict(run.hello["implementation"]),
        "declared": {"profiles": list(run.hello["profiles"]), "features": list(run.hello.get("features", ()))},
        "run": {
            "started": datetime.fromtimestamp(run.started, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "seconds": round(run.seconds, 3),
            "seed": run.options.seed,
            "jobs": run.options.jobs,
            "variants": run.options.variants,
            "narrowed": bool(left_out)
            or run.options.sample is not None
            or set(run.profiles) != set(run.hello["profiles"]),
        },
        "profiles": profiles,
        "features": [_feature(name, run.results, rows) for name in run.features],
        "cases": cases,
        "totals": _counts(rows.values()),
    }
    if run.stopped is not None:
        report["run"]["stopped"] = run.stopped
    report["complete"] = True
    return report


def exit_code(report: Mapping[str, Any], problems: Sequence[str], *, require_pass: bool = False) -> int:
    """The exit code of a run.

    Args:
        report: The report.
        problems: What is wrong with the list of expected failures.
        require_pass: A partial profile is wrong too.
    """
    verdicts = {profile["verdict"] for profile in report["profiles"]}
    if not report["cases"]:
        return NOTHING
    wrong = "fail" in verdicts or problems or untested(report) or (require_pass and verdicts != {"pass"})
    return WRONG if wrong else RIGHT


def untested(report: Mapping[str, Any]) -> list[str]:
    """The profiles and features that the reader claims and no case has tested, unless the run was narrowed."""
    if report["run"]["narrowed"]:
        return []
    tested = {profile["name"].partition("/")[0] for profile in report["profiles"]}
    profiles = [name for name in report["declared"]["profiles"] if name not in tested and name != PATHS]
    return profiles + [feature["id"] for feature in report["features"] if feature["cases"] == 0]


def _row(case: SuiteCase, profiles: Iterable[str]) -> str:
    """What a case is counted under: the beginning if the whole of its profile is not claimed."""
    return case.group if case.profile in set(profiles) else PATHS


def _order(name: str) -> tuple[int, str]:
    """The order of rows: profiles as in the vocabulary, the catalogue's by name."""
    order = list(vocabulary().profiles)
    return order.index(name.partition("/")[0]), name


def _case(result: Result, reasons: Mapping[str, str], row: str) -> dict[str, Any]:
    """One case."""
    case = result.case
    entry: dict[str, Any] = {
        "id": case.id,
        "profile": row,
        "digest": case.digest,
        "outcome": result.outcome,
        "verdict": EXPECTED if case.id in reasons else result.verdict,
        "ms": round(result.milliseconds, 1),
    }
    if case.features:
        entry["features"] = list(case.features)
    if case.id in reasons:
        entry["reason"] = reasons[case.id]
    if result.message is not None:
        entry["message"] = result.message
    if result.differences:
        entry["diff"] = [_difference(difference) for difference in result.differences]
    if result.stderr:
        entry["stderr"] = result.stderr
    return entry


def _difference(difference: Difference) -> dict[str, Any]:
    """A difference, with values that are not too long."""
    entry = difference.to_json()
    for name in ("expected", "actual"):
        value = entry.get(name, MISSING)
        if isinstance(value, str) and len(value) > _MAX_VALUE:
            entry[name] = f"{value[:_MAX_VALUE]}… (cut)"
    return entry


def _profile(name: str, ids: Sequence[str], verdicts: Mapping[str, str], skipped: Sequence[str]) -> dict[str, Any]:
    """The row of a profile."""
    found = [verdicts[identity] for identity in ids]
    wrong = [identity for identity in ids if verdicts[identity] in (FAILED, ERRORED, NOT_RUN)]
    verdict = "fail" if wrong else "partial" if EXPECTED in found or skipped else "pass"
    entry: dict[str, Any] = {
        "name": name,
        "verdict": verdict,
        "required": {**_counts(found), "skipped": len(skipped)},
    }
    if wrong:
        entry["failed"] = wrong
    if skipped:
        entry["skipped"] = list(skipped)
    return entry


def _counts(verdicts: Iterable[str]) -> dict[str, int]:
    """How many there are of each verdict."""
    found = list(verdicts)
    return {name: found.count(verdict) for verdict, name in _COUNTS.items()}


def _feature(name: str, results: Iterable[Result], verdicts: Mapping[str, str]) -> dict[str, Any]:
    """The row of a feature that is claimed."""
    ids = [result.case.id for result in results if name in result.case.features]
    return {"id": name, "cases": len(ids), "passed": sum(verdicts[identity] == PASSED for identity in ids)}


def difference_lines(case: Mapping[str, Any]) -> list[str]:
    """The differences of a case, a line each."""
    found = case.get("diff", [])
    lines = []
    for entry in found[:_MAX_LINES]:
        place = entry["pointer"] or "the whole answer"
        lines.append(f"{place}: expected {_shown(entry, 'expected')}, actual {_shown(entry, 'actual')}")
    return [*lines, f"and {len(found) - _MAX_LINES} more"] if len(found) > _MAX_LINES else lines


def _shown(entry: Mapping[str, Any], name: str) -> str:
    """A value in a difference."""
    if name not in entry:
        return "nothing"
    return cut(json.dumps(entry[name], ensure_ascii=False, default=str), _MAX_SHOWN)

"""A report in words, for the person at the terminal."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import clean, clean_lines
from workloadmap_spec.cli.table import align
from workloadmap_spec.conformance.report import difference_lines, untested

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.cli.style import Style

#: So many cases that are not right are told in full, if nobody says otherwise; the report has all.
MAX_FAILURES: Final = 10
_MAX_STDERR_LINES: Final = 8

#: Outcomes that say little by themselves.
_WORDS: Final = {"ok": "the answer differs", "unsupported": "unsupported, though the reader claims the profile"}
_COLORS: Final = {"pass": "green", "partial": "yellow", "fail": "red"}


@dataclass(frozen=True, slots=True)
class Call:
    """How a run was called."""

    #: The reader, with its arguments.
    reader: Sequence[str]
    #: What prints the request of a case, but for its id.
    request: Sequence[str] = ("workloadmap", "conformance", "request")
    #: So many cases that are not right are told in full.
    max_failures: int = MAX_FAILURES


def render_human(report: Mapping[str, Any], problems: Sequence[str], call: Call, style: Style) -> str:
    """The report: what failed and how to ask it again, what is wrong with the list, tables, and one line."""
    lines = list(_stopped(report, style))
    wrong = [case for case in report["cases"] if case["verdict"] in ("failed", "errored")]
    for case in wrong[: call.max_failures]:
        lines += [*_failure(case, call, style), ""]
    more = len(wrong) - call.max_failures
    if more > 0:
        what = "1 more case that is not right" if more == 1 else f"{more} more cases that are not right"
        lines += [f"and {what}; `--max-failures {len(wrong)}` shows all", ""]
    lines += _folders(report)
    lines += [f"{style.paint('expected failures:', 'yellow', 'bold')} {clean(problem)}" for problem in problems]
    for name in untested(report):
        lines.append(f"{style.paint('untested claim:', 'red', 'bold')} {clean(name)} is claimed, and no case tests it")
    lines += _table(report, style)
    lines += ["", _summary(report)]
    if report["run"]["narrowed"]:
        lines.append(
            "Only a part of what the reader claims was put to it (--profile, --sample, --skip): the rest is unknown."
        )
    return "\n".join(lines) + "\n"


def _stopped(report: Mapping[str, Any], style: Style) -> Iterator[str]:
    """Why the run ended before its end."""
    if "stopped" in report["run"]:
        count = report["totals"]["notRun"]
        text = f"{report['run']['stopped']}; {count} cases were not run and count as wrong"
        yield f"{style.paint('stopped:', 'red', 'bold')} {clean(text)}"
        yield ""


def _failure(case: Mapping[str, Any], call: Call, style: Style) -> Iterator[str]:
    """A case that is not right."""
    yield f"{style.paint(case['verdict'], 'red', 'bold')} {case['id']}: {_WORDS.get(case['outcome'], case['outcome'])}"
    if "message" in case:
        yield from (f"  {line}" for line in clean_lines(case["message"]).split("\n"))
    yield from (f"  {clean(line)}" for line in difference_lines(case))
    told = case.get("stderr", "").splitlines()
    yield from (style.paint(f"  | {clean(line)}", "dim") for line in told[-_MAX_STDERR_LINES:])
    asked = f"{shlex.join([*call.request, case['id']])} | {shlex.join(call.reader)}"
    yield style.paint(f"  ask again: {asked}", "dim")


def _folders(report: Mapping[str, Any]) -> list[str]:
    """How many cases of each folder pass, in the profiles that fail; nothing if none does."""
    failing = {profile["name"] for profile in report["profiles"] if profile["verdict"] == "fail"}
    counts: dict[str, list[int]] = {}
    for case in report["cases"]:
        if case["profile"] in failing:
            count = counts.setdefault(case["id"].rpartition("/")[0], [0, 0])
            count[0] += case["verdict"] == "passed"
            count[1] += 1
    rows = [[folder, f"{passed}/{total}"] for folder, (passed, total) in sorted(counts.items())]
    return [*align([["FOLDER", "PASSED"], *rows]), ""] if rows else []


def _table(report: Mapping[str, Any], style: Style) -> list[str]:
    """A row for each profile."""
    rows = [["PROFILE", "VERDICT", "PASSED", "FAILED", "ERRORED", "EXPECTED", "SKIPPED"]]
    for profile in report["profiles"]:
        counts = profile["required"]
        total = sum(counts.values())
        rows.append(
            [
                profile["name"],
                style.paint(profile["verdict"], _COLORS[profile["verdict"]]),
                f"{counts['passed']}/{total}",
                *(str(number or "") for number in (counts["failed"], counts["errored"] + counts["notRun"])),
                *(str(counts[name] or "") for name in ("expectedFailed", "skipped")),
            ]
        )
    return align(rows)


def _summary(report: Mapping[str, Any]) -> str:
    """One line for all."""
    implementation, run, totals = report["implementation"], report["run"], report["totals"]
    name = clean(f"{implementation['name']} {implementation['version']}")
    passed, total = totals["passed"], sum(totals.values())
    return f"{name}: {passed} of {total} cases passed in {run['seconds']:.1f} s (seed {run['seed']})"

"""A report in words, for the person at the terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import clean, clean_lines
from workloadmap_spec.cli.table import align
from workloadmap_spec.conformance.report import difference_lines, untested

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.cli.style import Style

#: So many cases that are not right are told; the report has all.
_MAX_CASES: Final = 20
_MAX_STDERR_LINES: Final = 8

#: Outcomes that say little by themselves.
_WORDS: Final = {"ok": "the answer differs", "unsupported": "unsupported, though the reader claims the profile"}
_COLORS: Final = {"pass": "green", "partial": "yellow", "fail": "red"}


def render_human(report: Mapping[str, Any], problems: Sequence[str], command: Sequence[str], style: Style) -> str:
    """The report: what failed and how to ask it again, what is wrong with the list, a table, and one line."""
    lines = list(_stopped(report, style))
    wrong = [case for case in report["cases"] if case["verdict"] in ("failed", "errored")]
    for case in wrong[:_MAX_CASES]:
        lines += [*_failure(case, command, style), ""]
    if len(wrong) > _MAX_CASES:
        lines += [f"and {len(wrong) - _MAX_CASES} more cases that are not right; `--format json` has all", ""]
    lines += [f"{style.paint('expected failures:', 'yellow', 'bold')} {clean(problem)}" for problem in problems]
    for name in untested(report):
        lines.append(f"{style.paint('untested claim:', 'red', 'bold')} {clean(name)} is claimed, and no case tests it")
    lines += _table(report, style)
    lines += ["", _summary(report)]
    return "\n".join(lines) + "\n"


def _stopped(report: Mapping[str, Any], style: Style) -> Iterator[str]:
    """Why the run ended before its end."""
    if "stopped" in report["run"]:
        count = report["totals"]["notRun"]
        text = f"{report['run']['stopped']}; {count} cases were not run and count as wrong"
        yield f"{style.paint('stopped:', 'red', 'bold')} {clean(text)}"
        yield ""


def _failure(case: Mapping[str, Any], command: Sequence[str], style: Style) -> Iterator[str]:
    """A case that is not right."""
    yield f"{style.paint(case['verdict'], 'red', 'bold')} {case['id']}: {_WORDS.get(case['outcome'], case['outcome'])}"
    if "message" in case:
        yield from (f"  {line}" for line in clean_lines(case["message"]).split("\n"))
    yield from (f"  {clean(line)}" for line in difference_lines(case))
    told = case.get("stderr", "").splitlines()
    yield from (style.paint(f"  | {clean(line)}", "dim") for line in told[-_MAX_STDERR_LINES:])
    asked = f"workloadmap conformance request {case['id']} | {shlex.join(command)}"
    yield style.paint(f"  ask again: {asked}", "dim")


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
    narrowed = ", narrowed" if run["narrowed"] else ""
    return f"{name}: {passed} of {total} cases passed in {run['seconds']:.1f} s (seed {run['seed']}{narrowed})"

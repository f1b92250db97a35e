"""A report for people: each finding with the line that it is in, the cure, and what was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import clean, clean_lines
from workloadmap_spec.cli.table import width
from workloadmap_spec.validation.formats.words import checked, first_line, found, place, unchecked_line

if TYPE_CHECKING:
    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.validation.findings import Finding, Report
    from workloadmap_spec.validation.formats import Options

#: A line of a file is shown up to this length, around the place that is meant.
_SNIPPET_LENGTH: Final = 110
_BEFORE: Final = 30
_INDENT: Final = "    "
#: Where it is said of which kind a mapping is.
_KIND: Final = "/spec/workload/"

_COLORS: Final = {"error": "red", "warning": "yellow", "note": "blue"}


def render(report: Report, options: Options) -> str:
    """The findings and what was checked; `verbose` adds notes and what was not checked, `quiet` leaves only errors."""
    shown = {"error"} if options.quiet else {"error", "warning", *(["note"] if options.verbose else [])}
    findings = [finding for finding in report.findings if finding.suppressed is None and finding.level in shown]
    lines = [line for finding in findings for line in _lines(finding, options.style)]
    if options.quiet:
        return "".join([f"{line}\n" for line in lines])
    # A mapping that was not checked at all is told without being asked for.
    whole = [entry for entry in report.unchecked if entry.pointer is None or entry.pointer.startswith(_KIND)]
    lines += [unchecked_line(entry) for entry in (report.unchecked if options.verbose else whole)]
    if options.verbose:
        lines += [f"{clean(file.file)}: skipped: {clean(file.reason)}" for file in report.skipped]
    lines.append(f"{found(report, '' if options.verbose else ' (--verbose shows them)')}: {checked(report)}")
    if findings:
        hint = f"`workloadmap explain {findings[0].rule}` says more about a rule"
        lines.append(options.style.paint(hint, "dim"))
    return "".join([f"{line}\n" for line in lines])


def _lines(finding: Finding, style: Style) -> list[str]:
    """A finding: what is wrong and where, the line of the file with a mark, the cure, and other places."""
    lines = [first_line(finding, style.paint(f"{finding.level}:", _COLORS[finding.level], "bold"))]
    lines += _snippet(finding, style)
    if finding.help:
        lines += [f"  {line}".rstrip() for line in clean_lines(finding.help).split("\n")]
    lines += [f"  {place(other)}: {clean(other.message)}" for other in finding.related]
    return lines


def _snippet(finding: Finding, style: Style) -> list[str]:
    """The line of the file that a finding begins in, and a line that marks the part of it that is meant."""
    line, span = finding.snippet, finding.span
    if not line or span is None or span.start_column > len(line) + 1:
        return []
    start = span.start_column - 1
    end = len(line)
    if span.end_line == span.start_line:
        end = min(end, span.end_column - 1)
    cut = len(line) - len(line.lstrip())
    # An indentation that is marked itself stays.
    cut = min(cut, start)
    if len(line) - cut > _SNIPPET_LENGTH:
        cut = max(cut, min(start - _BEFORE, len(line) - _SNIPPET_LENGTH))
    # One character for one, so that the mark stays below what it marks.
    shown = "".join([character if character.isprintable() else " " for character in line[cut : cut + _SNIPPET_LENGTH]])
    before, marked = shown[: start - cut], shown[start - cut : max(end - cut, 0)]
    mark = "^" + "~" * (width(marked) - 1)
    return [f"{_INDENT}{shown}".rstrip(), f"{_INDENT}{' ' * width(before)}{style.paint(mark, 'green')}"]

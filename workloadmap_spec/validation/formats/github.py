"""A report as workflow commands of GitHub Actions, which become annotations of the lines.

The form is that of the runner: actions/runner, src/Runner.Common/ActionCommand.cs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import clean_lines
from workloadmap_spec.cli.words import counted
from workloadmap_spec.validation.formats.words import encodable, relative
from workloadmap_spec.validation.rules import LEVELS, RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.validation.findings import Finding, Report
    from workloadmap_spec.validation.formats import Options

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}

#: So many annotations of a level GitHub shows for a step.
_MAX_SHOWN: Final = 10


def render(report: Report, options: Options) -> str:
    """The findings that are not suppressed, errors first, and how many of a level are left out."""
    del options
    return "".join([f"{encodable(line)}\n" for line in _lines(report)])


def _lines(report: Report) -> Iterator[str]:
    """The commands."""
    for level in LEVELS:
        findings = [finding for finding in report.findings if finding.level == level and finding.suppressed is None]
        for finding in findings[:_MAX_SHOWN]:
            yield _command(finding)
        left = len(findings) - _MAX_SHOWN
        if left > 0:
            verb = "is" if left == 1 else "are"
            yield f"{counted(left, f'more {level}')} {verb} not annotated: GitHub shows {_MAX_SHOWN} of a level"


def _command(finding: Finding) -> str:
    """A finding as a command."""
    span = finding.span
    properties: dict[str, object] = {"file": relative(finding.file)}
    if span is None:
        properties["line"] = 1
    else:
        # The end of a span is exclusive: one that ends where a line begins does not reach into that.
        end = span.end_line - 1 if span.end_line > span.start_line and span.end_column == 1 else span.end_line
        properties |= {"line": span.start_line, "endLine": end}
        if span.end_line == span.start_line:
            # Columns are shown for a part of one line only.
            properties |= {"col": span.start_column, "endColumn": span.end_column}
    properties["title"] = f"{finding.code} {RULES[finding.rule].name}"
    told = ",".join([f"{name}={_property(str(value))}" for name, value in properties.items()])
    pointer = f"{finding.pointer}: " if finding.pointer else ""
    message = "\n".join([f"{pointer}{finding.message}", *([finding.help] if finding.help else [])])
    # A log is shown by a terminal, or by what behaves like one.
    visible = clean_lines(message.replace("\r\n", "\n"))
    return f"::{_COMMANDS[finding.level]} {told}::{_data(visible)}"


def _data(text: str) -> str:
    """A text behind the command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The value of a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")

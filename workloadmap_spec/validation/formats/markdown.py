"""A report as Markdown, for the summary page of a CI system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import clean
from workloadmap_spec.cli.words import counted
from workloadmap_spec.validation.formats.words import checked, found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.validation.findings import Finding, Report, Span
    from workloadmap_spec.validation.formats import Options

#: The most that GitHub takes for the summary of a step, in bytes.
MAX_BYTES: Final = 1024 * 1024
#: Room for the sentence about what is left out.
_RESERVE: Final = 200

#: What Markdown, its tables and its automatic links would see a meaning in. A character by its number has none, not
#: even in a cell of a table, where a backslash is read twice.
_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>&|#~$@\"]|:(?=//)|(?<=www)\.")


def render(report: Report, options: Options) -> str:
    """What was checked, a table for each file, and what is suppressed, skipped or not checked."""
    del options
    text = [f"## Validation of mappings: {found(report)}\n\n{escaped(checked(report))}.\n"]
    size = len(text[0].encode())
    left = 0
    for rows, part in _parts(report):
        length = len(part.encode())
        # From the first that has no room on, everything is left out: what is shown has no gaps.
        if left or size + length > MAX_BYTES - _RESERVE:
            left += rows
        else:
            text.append(part)
            size += length
    if left:
        text.append(f"\n{counted(left, 'row')} left out: GitHub takes {MAX_BYTES} bytes for a summary.\n")
    return "".join(text)


def _parts(report: Report) -> Iterator[tuple[int, str]]:
    """The rows of all tables, each with the number 1; the first of a table has what stands above it."""
    file: str | None = None
    for finding in report.findings:
        if finding.suppressed is None:
            is_first = finding.file != file
            file = finding.file
            head = _head(_code(file), "place", "level", "rule", "message") if is_first else ""
            yield 1, head + _row(_place(finding.span), finding.level, finding.code, _message(finding))
    suppressed = [
        _row(
            _code(finding.file),
            _place(finding.span),
            finding.code,
            f"{finding.suppressed.kind}: {escaped(finding.suppressed.reason)}",
            _message(finding),
        )
        for finding in report.findings
        if finding.suppressed is not None
    ]
    yield from _table(_head("Suppressed", "file", "place", "rule", "by", "message"), suppressed)
    skipped = [_row(_code(entry.file), escaped(entry.reason)) for entry in report.skipped]
    yield from _table(_head("Skipped", "file", "reason"), skipped)
    unchecked = [
        _row(_code(entry.file), _place(entry.span), _about(entry.pointer, entry.reason)) for entry in report.unchecked
    ]
    yield from _table(_head("Not checked against the schema of the kind", "file", "place", "reason"), unchecked)


def _table(head: str, rows: list[str]) -> Iterator[tuple[int, str]]:
    """A table, if there are rows."""
    for index, row in enumerate(rows):
        yield 1, row if index else head + row


def _head(title: str, *columns: str) -> str:
    """A heading and the head of a table."""
    return f"\n### {title}\n\n{_row(*columns)}{_row(*['---'] * len(columns))}"


def _row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |\n"


def _place(span: Span | None) -> str:
    """Line and column."""
    return "" if span is None else f"{span.start_line}:{span.start_column}"


def _message(finding: Finding) -> str:
    """What is wrong, the cure, and other places."""
    lines = [_about(finding.pointer, finding.message), *([escaped(finding.help)] if finding.help else [])]
    for other in finding.related:
        where = f" {_place(other.span)}" if other.span is not None else ""
        lines.append(f"{_code(other.file)}{where}: {escaped(other.message)}")
    return "<br>".join(lines)


def _about(pointer: str | None, text: str) -> str:
    """A text about a place in the document."""
    return f"{_code(pointer)}: {escaped(text)}" if pointer else escaped(text)


def _code(text: str) -> str:
    """A name, as code."""
    return f"<code>{escaped(text)}</code>"


def escaped(text: str) -> str:
    """A text without any meaning in Markdown or HTML, its lines joined by breaks."""
    lines = (clean(line) for line in text.replace("\r\n", "\n").split("\n"))
    return "<br>".join([_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", line) for line in lines])

"""What several formats say alike: places, the summary, and texts that every encoding can hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import clean
from workloadmap_spec.cli.words import counted
from workloadmap_spec.documents import STDIN_NAME
from workloadmap_spec.texts import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloadmap_spec.validation.findings import Finding, Related, Report, Skipped, Unchecked

#: How the program calls itself in reports.
TOOL: Final = "workloadmap"

#: Half a character; what a file name that is not UTF-8 is read as, too.
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

#: So many different reasons for skipping files are named in a summary, and so much of one.
_MAX_REASONS: Final = 5
_MAX_REASON: Final = 100


def encodable(text: str) -> str:
    """A text that can be written as UTF-8: a character stands for what is none."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def relative(file: str) -> str:
    """A file as it is named from the working directory, if it is in that; else as it is, without `.` segments.

    A name with `..` is made absolute the way the system does it: the folder before `..` may be a link.
    """
    if file == STDIN_NAME or not file:
        return file
    path = Path(file)
    if not path.is_absolute() and ".." not in path.parts:
        return path.as_posix()
    try:
        folder = Path.cwd()
        # The last part stays: a link to a file is named, and not what it leads to.
        real = path.resolve() if path.name in {"", ".."} else path.parent.resolve() / path.name
    except (OSError, RuntimeError, ValueError):
        # The working directory is gone, links go in circles, or the name has a character that no name has.
        return file
    return real.relative_to(folder).as_posix() if real.is_relative_to(folder) else real.as_posix()


def place(finding: Finding | Related | Unchecked) -> str:
    """Where something is: `file:line:column`, or the file if no more is known."""
    span = finding.span
    file = clean(finding.file)
    return file if span is None else f"{file}:{span.start_line}:{span.start_column}"


def first_line(finding: Finding, level: str | None = None) -> str:
    """A finding in a line: `path:line:column: level: pointer: message [rule]`.

    Args:
        finding: The finding.
        level: Its level as it is to be printed.
    """
    pointer = f"{clean(finding.pointer)}: " if finding.pointer else ""
    return f"{place(finding)}: {level or f'{finding.level}:'} {pointer}{clean(finding.message)} [{finding.code}]"


def unchecked_line(entry: Unchecked) -> str:
    """A place that was not checked, in a line."""
    pointer = f"{clean(entry.pointer)}: " if entry.pointer else ""
    return f"{place(entry)}: not checked: {pointer}{clean(entry.reason)}"


def found(report: Report, hidden: str = "") -> str:
    """How much was found, such as `2 errors, 1 warning, 3 suppressed`.

    Args:
        report: The report.
        hidden: What is said about notes.
    """
    parts = [counted(report.count(level), level) for level in ("error", "warning", "note") if report.count(level)]
    if report.count("note"):
        parts[-1] += hidden
    if not report.count("error"):
        parts.insert(0, "no errors")
    return ", ".join([*parts, *([f"{report.suppressed} suppressed"] if report.suppressed else [])])


def checked(report: Report) -> str:
    """What was looked at: files found, checked and skipped, mappings, and what was held against schemas of kinds."""
    files = len(report.files)
    skipped = len(report.skipped)
    text = f"{counted(files + skipped, 'file')} found, {files} checked, {skipped} skipped"
    if skipped:
        text += f" ({reasons(report.skipped)})"
    text += f"; {counted(report.mappings, 'mapping')}"
    if report.against_crd is not None:
        places = len(report.unchecked)
        text += f", {report.against_crd} checked against the schema of {'its' if report.against_crd == 1 else 'their'}"
        text += f" kind, {counted(places, 'place')} not"
    return text


def reasons(skipped: Sequence[Skipped]) -> str:
    """Why files were skipped: the reason, or each with the number of its files."""
    counts: dict[str, int] = {}
    for file in skipped:
        counts[file.reason] = counts.get(file.reason, 0) + 1
    texts = {reason: cut(clean(reason), _MAX_REASON) for reason in counts}
    if len(counts) == 1:
        return "".join(texts.values())
    shown = [f"{counts[reason]}: {texts[reason]}" for reason in list(counts)[:_MAX_REASONS]]
    left = len(counts) - len(shown)
    return "; ".join([*shown, *([f"and {counted(left, 'other reason')}"] if left else [])])

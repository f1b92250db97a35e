"""`workloadmap validate`: what is wrong with mapping files, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command
from workloadmap_spec.cli.messages import OK, UNREAD, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.validate import Finding, Report

_DESCRIPTION: Final = """
Check mapping files: their YAML, the schema, what they say about themselves and each other, and every expression in
them. A finding has the file, line and column of the fault, the rule that it breaks, and what to do about it.

Without PATH the mappings that come with workloadmap are checked. Case files (*.case.yaml) are left out; `workloadmap
test` runs them. The exit code is 1 if there is an error; warnings are about values that may be missing when an
expression is evaluated.
"""

#: A line of a file is shown up to this length, around the place that is meant.
_SNIPPET_LENGTH: Final = 110
_BEFORE: Final = 30
_INDENT: Final = "    "


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "validate",
        "check mapping files",
        _DESCRIPTION,
        [
            "workloadmap validate",
            "workloadmap validate mappings/jobset.x-k8s.io/jobset.yaml",
            "workloadmap validate --witness --format json mappings",
        ],
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a file of YAML or JSON, a folder, or - for the standard input",
    )
    parser.add_argument("--format", choices=("human", "json"), default="human", help="what to print (default: human)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only: no warnings and no summary")
    parser.add_argument(
        "--witness",
        action="store_true",
        help="have every expression parsed by a second engine of CEL, cel-python, too",
    )
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Check the files."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.output import write_data, write_text  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415
    from workloadmap_spec.files import mappings_root  # noqa: PLC0415
    from workloadmap_spec.validate import validate_paths  # noqa: PLC0415

    paths = arguments.paths or [str(mappings_root())]
    report = validate_paths(paths, witness=arguments.witness, stdin=_standard_input)
    if not report.files:
        cases = " but cases, which `workloadmap test` runs" if report.skipped else ""
        raise UsageError(
            f"there is no file to check in {' and '.join(paths)}{cases}", "name a mapping file or its folder"
        )
    if arguments.format == "json":
        import json  # noqa: PLC0415 - for this form only

        write_data(json.dumps(report.to_json(), indent=2, ensure_ascii=False) + "\n")
    else:
        write_text(render_report(report, style_of(sys.stdout, arguments.color), quiet=arguments.quiet))
    return UNREAD if report.errors else OK


def _standard_input() -> bytes:
    """All of the standard input."""
    import sys  # noqa: PLC0415 - with the rest

    stream = getattr(sys.stdin, "buffer", sys.stdin)
    text: bytes | str = stream.read()
    return text if isinstance(text, bytes) else text.encode()


def render_report(report: Report, style: Style, *, quiet: bool = False) -> str:
    """A report in words: its findings, and a line that sums it up; with `quiet` only the errors."""
    findings = [finding for finding in report.findings if not quiet or finding.level == "error"]
    text = "".join([render_finding(finding, style) for finding in findings])
    return text if quiet else f"{text}{_summary(report)}\n"


def render_finding(finding: Finding, style: Style) -> str:
    """A finding: `path:line:column: level: message [rule]`, the line of the file with a mark, and the cure."""
    from workloadmap_spec.cli.style import clean, clean_lines  # noqa: PLC0415 - not for help

    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    level = style.paint(f"{finding.level}:", "red" if finding.level == "error" else "yellow", "bold")
    pointer = f"{clean(finding.pointer)}: " if finding.pointer else ""
    lines = [f"{clean(place)}: {level} {pointer}{clean_lines(finding.message)} [{finding.code}]"]
    lines += _snippet(finding, style)
    if finding.cure:
        lines.append(f"  {clean_lines(finding.cure)}")
    return "\n".join(lines) + "\n"


def _snippet(finding: Finding, style: Style) -> list[str]:
    """The line of the file that a finding begins in, and a line that marks the part that is meant."""
    line, column = finding.snippet, finding.column
    if not line or column is None or column > len(line) + 1:
        return []
    start = column - 1
    end = len(line)
    if finding.end_line == finding.line and finding.end_column is not None:
        end = min(end, finding.end_column - 1)
    cut = len(line) - len(line.lstrip())
    # An indentation that is marked itself stays.
    cut = min(cut, start)
    if len(line) - cut > _SNIPPET_LENGTH:
        cut = max(cut, min(start - _BEFORE, len(line) - _SNIPPET_LENGTH))
    shown = line[cut : cut + _SNIPPET_LENGTH]
    length = max(1, min(end, cut + len(shown)) - start)
    mark = "^" + "~" * (length - 1)
    # One character for one, so that the mark stays below what it marks.
    plain = "".join([character if character.isprintable() else " " for character in shown])
    return [f"{_INDENT}{plain}".rstrip(), f"{_INDENT}{' ' * (start - cut)}{style.paint(mark, 'green')}"]


def _summary(report: Report) -> str:
    """What was checked, and what was found, in one line."""
    where = _counted(report.files, "file")
    if report.findings:
        found = [_counted(report.errors, "error")] if report.errors else []
        found += [_counted(report.warnings, "warning")] if report.warnings else []
        text = f"{' and '.join(found)} in {where}"
    else:
        text = f"{_counted(report.mappings, 'mapping')} in {where}: no errors"
    return f"{text} ({_counted(report.skipped, 'case file')} left out)" if report.skipped else text


def _counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""`workloadmap test`: run conformance cases, those of the specification or those beside a mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings
from workloadmap_spec.cli.messages import OK, UNREAD, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from workloadmap_spec.cases import Case, CaseResult, Difference
    from workloadmap_spec.cli.style import Style

_DESCRIPTION: Final = """
Run cases: each has an object and the map, or the error, that must come of it. Without PATH the cases that come with
workloadmap are run; to test a mapping of your own, write cases beside it (NAME.case.yaml) and name both:

  workloadmap test -m widget.yaml widget.case.yaml

A case that brings mappings of its own is read with those alone. What differs is told as the place in the map, the
expected value and the actual one.
"""

#: So many differences of one case are told; more do not help.
_MAX_DIFFERENCES: Final = 20
#: A value in a difference is cut to this length.
_MAX_VALUE: Final = 100


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "test",
        "run conformance cases",
        _DESCRIPTION,
        [
            "workloadmap test",
            "workloadmap test -k jobset -v",
            "workloadmap test --format json conformance/cases",
        ],
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="a case file, or a folder of them")
    add_mappings(parser)
    parser.add_argument("-k", metavar="SUBSTRING", dest="keyword", help="only the cases whose id has this text in it")
    parser.add_argument("-v", "--verbose", action="store_true", help="list the cases that pass too")
    parser.add_argument("--format", choices=("human", "json"), default="human", help="what to print (default: human)")
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Run the cases."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cases import load_cases, reference_reader, run_case  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import catalog_of  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_data, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415
    from workloadmap_spec.files import cases_root  # noqa: PLC0415

    paths = arguments.paths or [str(cases_root())]
    cases = [case for case in load_cases(paths) if not arguments.keyword or arguments.keyword in case.id]
    if not cases:
        keyword = f" whose id has `{arguments.keyword}` in it" if arguments.keyword else ""
        raise UsageError(
            f"there is no case in {' and '.join(paths)}{keyword}", "cases are in files named NAME.case.yaml"
        )
    reader = reference_reader(catalog_of(arguments.mapping))
    results = [(case, run_case(case, reader)) for case in cases]
    if arguments.format == "json":
        import json  # noqa: PLC0415 - for this form only

        write_data(json.dumps(report_json(results), indent=2, ensure_ascii=False) + "\n")
    else:
        write_text(render_results(results, style_of(sys.stdout, arguments.color), verbose=arguments.verbose))
    return OK if all(result.passed for _, result in results) else UNREAD


def report_json(results: Sequence[tuple[Case, CaseResult]]) -> dict[str, Any]:
    """The results as plain data."""
    passed = sum(result.passed for _, result in results)
    return {"passed": passed, "failed": len(results) - passed, "cases": [_case_json(*pair) for pair in results]}


def _case_json(case: Case, result: CaseResult) -> dict[str, Any]:
    """One result as plain data."""
    entry: dict[str, Any] = {"id": result.id, "file": case.document.source, "passed": result.passed}
    if result.error is not None:
        entry["error"] = result.error
    if result.differences:
        entry["differences"] = [difference.to_json() for difference in result.differences]
    return entry


def render_results(results: Sequence[tuple[Case, CaseResult]], style: Style, *, verbose: bool = False) -> str:
    """The results in words: the cases that failed, and a line that sums up."""
    lines: list[str] = []
    for case, result in results:
        if not result.passed:
            lines += _render_failure(case, result, style)
        elif verbose:
            lines.append(f"{style.paint('passed', 'green')} {result.id}")
    passed = sum(result.passed for _, result in results)
    lines.append(f"{passed} passed, {len(results) - passed} failed")
    return "\n".join(lines) + "\n"


def _render_failure(case: Case, result: CaseResult, style: Style) -> list[str]:
    """A case that failed: where it is, and what differs."""
    from workloadmap_spec.cli.style import clean, clean_lines  # noqa: PLC0415 - not for help

    name = clean(result.id) + (f": {clean(case.title)}" if case.title else "")
    lines = [f"{style.paint('failed', 'red', 'bold')} {name}"]
    if case.document.source != result.id:
        lines.append(f"  in {clean(case.document.source)}")
    if result.error is not None:
        lines += [f"  {line}" for line in clean_lines(result.error).split("\n")]
    lines += [f"  {clean(_difference(difference))}" for difference in result.differences[:_MAX_DIFFERENCES]]
    more = len(result.differences) - _MAX_DIFFERENCES
    if more > 0:
        lines.append(f"  and {more} more")
    return lines


def _difference(difference: Difference) -> str:
    """One difference in one line."""
    expected, actual = _value(difference.expected), _value(difference.actual)
    return f"{difference.pointer or 'the whole map'}: expected {expected}, actual {actual}"


def _value(value: object) -> str:
    """A value in a difference."""
    import json  # noqa: PLC0415 - only where something failed

    from workloadmap_spec.cases import MISSING  # noqa: PLC0415

    if value is MISSING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 3]}..."

"""`workloadmap test`: run conformance cases, those of the specification or those beside a mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings
from workloadmap_spec.cli.messages import OK, UNREAD, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from workloadmap_spec.cases import Case, CaseResult, Difference
    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.cli.coverage_text import Covered
    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.coverage import Coverage
    from workloadmap_spec.documents import Document

_DESCRIPTION: Final = """
Run cases: each has an object and the map, or the error, that must come of it. Without PATH the cases that come with
workloadmap are run; to test a mapping of your own, write cases beside it (NAME.case.yaml) and name it, its folder, or
both files:

  workloadmap test widget.yaml
  workloadmap test -m widget.yaml widget.case.yaml

A case that brings mappings of its own is read with those alone. What differs is told as the place in the map, the
expected value and the actual one.

With --coverage the parts of the mappings under test are told that no case has reached: expressions that never gave a
value, rules and conditions that were never true or never false, defaults that were never used, and so on. Under test
are the mappings that the command line names; if it names none, those that come with workloadmap, or, where only some
cases are run, those of them that these cases read.
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
            "workloadmap test --coverage -m mappings/batch conformance/cases/catalog/batch",
        ],
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a case file, or a mapping file, which is used as with -m and whose folder's cases are run, or a folder of"
        " both",
    )
    add_mappings(parser)
    parser.add_argument(
        "--cases",
        metavar="PATH",
        action="append",
        default=[],
        help="a folder or file of cases that are run too (may be repeated)",
    )
    parser.add_argument("-k", metavar="SUBSTRING", dest="keyword", help="only the cases whose id has this text in it")
    parser.add_argument("-v", "--verbose", action="store_true", help="list the cases that pass too")
    parser.add_argument(
        "--coverage", action="store_true", help="tell what no case has reached of the mappings under test"
    )
    parser.add_argument(
        "--fail-under",
        metavar="PERCENT",
        type=_percentage,
        help="exit with 1 if less of the mappings under test is reached; asks for the coverage too",
    )
    parser.add_argument("--format", choices=("human", "json"), default="human", help="what to print (default: human)")
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Run the cases."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cases import load_cases, reference_reader, run_case  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_data, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415

    paths, mappings = _inputs(arguments)
    cases = [case for case in load_cases(paths) if not arguments.keyword or arguments.keyword in case.id]
    if not cases:
        keyword = f" whose id has `{arguments.keyword}` in it" if arguments.keyword else ""
        raise UsageError(
            f"there is no case in {' and '.join(paths)}{keyword}", "cases are in files named NAME.case.yaml"
        )
    observed: list[tuple[Document, Coverage]] = []
    looks_on = arguments.coverage or arguments.fail_under is not None
    reader = reference_reader(_catalog(arguments, mappings, _observer(observed) if looks_on else None))
    results = [(case, run_case(case, reader)) for case in cases]
    found = _covered(observed) if looks_on else None
    if arguments.format == "json":
        import json  # noqa: PLC0415 - for this form only

        write_data(json.dumps(report_json(results, found), indent=2, ensure_ascii=False) + "\n")
    else:
        style = style_of(sys.stdout, arguments.color)
        text = render_results(results, style, verbose=arguments.verbose)
        if found is not None:
            from workloadmap_spec.cli.coverage_text import render_coverage  # noqa: PLC0415 - where it is asked for

            text += render_coverage(found, style, arguments.fail_under)
        write_text(text)
    good = all(result.passed for _, result in results) and not _is_under(found, arguments.fail_under)
    return OK if good else UNREAD


# What is tested


def _percentage(text: str) -> float:
    """A part of a hundred on the command line."""
    from argparse import ArgumentTypeError  # noqa: PLC0415 - argparse is loaded by who calls

    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:  # noqa: PLR2004 - of a hundred
        raise ArgumentTypeError(f"a number from 0 to 100 is wanted, and {text!r} was found")
    return number


def _inputs(arguments: Namespace) -> tuple[list[str], list[list[Path]]]:
    """The paths of the cases, and the mapping files that PATH names, but for those that `-m` names."""
    from pathlib import Path  # noqa: PLC0415 - not for help

    from workloadmap_spec.catalog import mapping_files  # noqa: PLC0415
    from workloadmap_spec.files import cases_root  # noqa: PLC0415

    cases: list[str] = []
    sources: list[list[Path]] = []
    seen = {file.resolve() for file in mapping_files(arguments.mapping)} if arguments.paths else set()
    for path in arguments.paths:
        place = Path(path)
        files = [file for file in mapping_files([path]) if _is_mapping(file)] if place.exists() else []
        cases.append(str(place.parent) if files and not place.is_dir() else path)
        fresh = [file for file in files if file.resolve() not in seen]
        if fresh:
            sources.append(fresh)
            seen |= {file.resolve() for file in fresh}
    return [*cases, *arguments.cases] or [str(cases_root())], sources


def _is_mapping(file: Path) -> bool:
    """Whether a file holds mappings, or would if it could be read."""
    from workloadmap_spec.cases import LINES_SUFFIX, SUFFIX  # noqa: PLC0415 - not for help
    from workloadmap_spec.documents import load_all  # noqa: PLC0415

    if file.name.endswith((SUFFIX, LINES_SUFFIX)):
        return False
    try:
        data = file.read_bytes()
    except OSError:
        return False
    # Most files of a folder are none: only one that has the word is read.
    if b"WorkloadMapping" not in data:
        return False
    documents, errors = load_all(data, str(file))
    kinds = [document.value.get("kind") for document in documents if isinstance(document.value, dict)]
    return "WorkloadMapping" in kinds or bool(errors and not kinds)


def _catalog(
    arguments: Namespace, sources: Sequence[Sequence[Path]], observe: Callable[[Document], Coverage] | None
) -> Catalog:
    """The mappings that cases are read with; those under test are looked at, if that is asked for."""
    from workloadmap_spec.catalog import Catalog  # noqa: PLC0415 - not for help

    if not sources and not arguments.mapping:
        catalog = Catalog.builtin(observe)
        if observe is not None and not (arguments.paths or arguments.cases or arguments.keyword):
            # A mapping that no case reads is a part of what is tested too.
            catalog.mappings()
        return catalog
    catalog = Catalog.builtin()
    for paths in [*([path] for path in arguments.mapping), *sources]:
        catalog = catalog.with_mappings(paths, observe)
    return catalog


def _observer(observed: list[tuple[Document, Coverage]]) -> Callable[[Document], Coverage]:
    """What looks at a mapping, and is kept with it."""
    from workloadmap_spec.coverage import Coverage  # noqa: PLC0415 - where it is asked for

    def observe(document: Document) -> Coverage:
        coverage = Coverage()
        observed.append((document, coverage))
        return coverage

    return observe


def _covered(observed: Sequence[tuple[Document, Coverage]]) -> list[Covered]:
    """What was reached of the mappings under test.

    Raises:
        UsageError: There are none.
    """
    from workloadmap_spec.cli.coverage_text import covered  # noqa: PLC0415 - where it is asked for

    if not observed:
        raise UsageError("no mapping is under test: the cases bring their own", "name a mapping with -m PATH")
    return covered(observed)


def _is_under(found: Sequence[Covered] | None, least: float | None) -> bool:
    """Whether less is reached than is asked for."""
    if found is None or least is None:
        return False
    from workloadmap_spec.cli.coverage_text import percent  # noqa: PLC0415 - where it is asked for

    return percent(found) < least


# What came of it


def report_json(results: Sequence[tuple[Case, CaseResult]], found: Sequence[Covered] | None = None) -> dict[str, Any]:
    """The results as plain data, with the coverage if it was asked for."""
    passed = sum(result.passed for _, result in results)
    report = {"passed": passed, "failed": len(results) - passed, "cases": [_case_json(*pair) for pair in results]}
    if found is not None:
        from workloadmap_spec.cli.coverage_text import coverage_json  # noqa: PLC0415 - where it is asked for

        report["coverage"] = coverage_json(found)
    return report


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
    from workloadmap_spec.texts import cut  # noqa: PLC0415

    if value is MISSING:
        return "nothing"
    return cut(json.dumps(value, ensure_ascii=False), _MAX_VALUE)

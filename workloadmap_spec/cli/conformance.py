"""`workloadmap conformance`: put the suite to a reader in any language."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command
from workloadmap_spec.cli.messages import CommandError, UsageError, say

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence

    from workloadmap_spec.cli.conformance_text import Call
    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.conformance.suite import SuiteCase

_DESCRIPTION: Final = """
Put the conformance suite to a reader, whatever language it is written in: a
program that answers JSON lines on its standard input. conformance/README.md
says how to write one.
"""
_RUN: Final = """
Start the reader and put every case of the profiles that it claims. Each case
passes, fails (the answer is wrong) or errs (there is none: the reader crashed,
was silent, or wrote something else). One case never costs the next: the reader
is started anew.

exit codes:
  0  every claimed profile passes, but for failures that are expected
  1  a case failed or erred, passed against the list, or a claim was not tested
  2  the command line, or the list of expected failures, is wrong
  3  the reader cannot be started, or does not speak the protocol
  4  the suite is damaged
  5  there was no case to run
  6  the runner is at fault
"""
_LIST: Final = "List the cases of the suite, with their profiles and features."
_LINT: Final = """
Check the cases without a reader: that each rejected one differs from an
accepted one by one edit, that none is there twice, that each names clauses of
the specification, and that every clause has a case or a reason why it has none.
"""
_REQUEST: Final = """
Print what the runner would write to a reader for one case, so that the reader
can be asked by hand.
"""

_FORMATS: Final = ("human", "json", "junit", "markdown")


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its own."""
    parser = add_command(
        subparsers,
        "conformance",
        "put the conformance suite to a reader",
        _DESCRIPTION,
        [
            "workloadmap conformance run -- workloadmap reader",
            "workloadmap conformance list --profile core.paths",
        ],
    )
    nested = parser.add_subparsers(title="commands", metavar="COMMAND", dest="subcommand", required=True)
    _add_run(nested)
    listing = add_command(nested, "list", "list the cases", _LIST, ["workloadmap conformance list --profile gang"])
    _add_selection(listing)
    listing.set_defaults(run=run_list)
    linting = add_command(nested, "lint", "check the cases", _LINT, ["workloadmap conformance lint --coverage"])
    linting.add_argument("--coverage", action="store_true", help="list every clause, with the number of its cases")
    linting.add_argument("--cases", metavar="PATH", action="append", default=[], help="cases at another place")
    linting.set_defaults(run=run_lint)
    request = add_command(
        nested,
        "request",
        "print the request of a case",
        _REQUEST,
        ["workloadmap conformance request engine/core/paths/missing-steps > asked"],
    )
    request.add_argument("id", metavar="ID", help="the id of a case")
    request.add_argument("--cases", metavar="PATH", action="append", default=[], help="cases of your own")
    request.set_defaults(run=run_request)


def _add_selection(parser: ArgumentParser) -> None:
    """Add what chooses cases."""
    parser.add_argument(
        "--profile",
        metavar="NAME",
        action="append",
        default=[],
        help="only this profile (may be repeated); the report then says that it is of a part",
    )
    parser.add_argument(
        "--cases", metavar="PATH", action="append", default=[], help="cases at another place (may be repeated)"
    )


def _add_run(nested: Subparsers) -> None:
    """Add `run`."""
    parser = add_command(
        nested,
        "run",
        "run the suite",
        _RUN,
        [
            "workloadmap conformance run -- workloadmap reader",
            "workloadmap conformance run --profile core --jobs 2 -- workloadmap reader",
            "workloadmap conformance run --output junit=results.xml -- workloadmap reader",
        ],
    )
    parser.add_argument("command", metavar="CMD", nargs="+", help="the reader, with its arguments; write -- before it")
    _add_selection(parser)
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help="so many readers at a time (default: 1)")
    parser.add_argument(
        "--timeout", type=_seconds, default=10.0, metavar="SECONDS", help="for one case (default: 10, at most 60)"
    )
    parser.add_argument("--one-shot", action="store_true", help="start the reader anew for each request")
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="N",
        help="decides the order of the cases (default: another each time)",
    )
    parser.add_argument(
        "--sample",
        type=_count,
        metavar="N",
        help="only so many cases, drawn by the seed; as above, the rest is unknown",
    )
    parser.add_argument(
        "--variants",
        choices=("none", "all"),
        default="none",
        help="ask each case in other words too, whose answer must be the same (default: none)",
    )
    parser.add_argument("--expected-failures", metavar="FILE", help="cases that are known to fail, with reasons")
    parser.add_argument(
        "--update-expected-failures",
        metavar="FILE",
        help="write a list of everything that fails now, to be given reasons",
    )
    parser.add_argument("--require-pass", action="store_true", help="expected failures are failures too")
    parser.add_argument(
        "--skip", metavar="ID", action="append", default=[], help="do not run this case (may be repeated)"
    )
    parser.add_argument("--format", choices=_FORMATS, default="human", help="what to print (default: human)")
    parser.add_argument(
        "--max-failures",
        type=_amount,
        default=None,
        metavar="N",
        help="print so many failures in full, and count the rest (default: 10)",
    )
    parser.add_argument(
        "--output",
        metavar="FORMAT=FILE",
        action="append",
        default=[],
        type=_output,
        help=f"also write the report to a file, as one of {', '.join(_FORMATS)} (may be repeated)",
    )
    add_color(parser)
    parser.set_defaults(run=run_suite_command)


def _count(text: str) -> int:
    """A number of processes, or of cases."""
    number = int(text)
    if not 1 <= number <= 256:  # noqa: PLR2004 - more than any machine has use for
        raise ValueError(text)
    return number


_count.__name__ = "number from 1 to 256"


def _amount(text: str) -> int:
    """A number of things, perhaps none."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


_amount.__name__ = "number"


def _seconds(text: str) -> float:
    """A time for one case."""
    number = float(text)
    if not 0 < number <= 60:  # noqa: PLR2004 - the suite's own ceiling
        raise ValueError(text)
    return number


_seconds.__name__ = "number of seconds up to 60"


def _output(text: str) -> tuple[str, str]:
    """A format and a file."""
    form, equals, path = text.partition("=")
    if form not in _FORMATS or not equals or not path:
        raise ValueError(text)
    return form, path


_output.__name__ = "FORMAT=FILE"


def run_suite_command(arguments: Namespace) -> int:
    """Run the suite, and give the exit code of the run."""
    from workloadmap_spec.conformance import report as reports  # noqa: PLC0415 - not for help

    try:
        return _run(arguments)
    except (UsageError, CommandError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours has a code of its own
        say("error", f"this is a fault in the runner: {type(error).__name__}: {error}")
        return reports.FAULT


def _run(arguments: Namespace) -> int:
    """Run the suite."""
    import secrets  # noqa: PLC0415 - not for help

    from workloadmap_spec.conformance import report as reports  # noqa: PLC0415
    from workloadmap_spec.conformance.expected import apply, load_expectations  # noqa: PLC0415
    from workloadmap_spec.conformance.runner import Options, StartError, run_suite  # noqa: PLC0415
    from workloadmap_spec.errors import InputError  # noqa: PLC0415

    suite = _suite(arguments.cases)
    if suite is None:
        return reports.DAMAGED
    try:
        expectations = load_expectations(arguments.expected_failures) if arguments.expected_failures else []
    except InputError as error:
        say("error", str(error))
        return reports.USAGE
    skipped = _skipped(arguments.skip, suite)
    options = Options(
        arguments.command,
        jobs=arguments.jobs,
        timeout=arguments.timeout,
        seed=secrets.randbelow(10**6) if arguments.seed is None else arguments.seed,
        one_shot=arguments.one_shot,
        variants=arguments.variants == "all",
        profiles=_profiles(arguments.profile),
        sample=arguments.sample,
    )
    try:
        run = run_suite([case for case in suite if case.id not in skipped], options, _progress())
    except StartError as error:
        say("error", error.message, error.stderr.rstrip() or None)
        return reports.NO_READER
    finally:
        _end_progress()
    if not run.results:
        claimed = ", ".join(run.hello["profiles"])
        say("error", "there was no case to run", f"the reader claims {claimed}; `workloadmap conformance list` has all")
        return reports.NOTHING
    reasons, problems = apply(expectations, run.results)
    report = reports.make_report(run, suite, reasons, skipped)
    if arguments.update_expected_failures:
        _write_proposal(arguments.update_expected_failures, run.results)
    _write(report, problems, arguments)
    return reports.exit_code(report, problems, require_pass=arguments.require_pass)


def _suite(paths: Sequence[str]) -> list[SuiteCase] | None:
    """The cases; None if some are wrong in themselves, which is told."""
    from workloadmap_spec.conformance.suite import load_suite  # noqa: PLC0415 - not for help
    from workloadmap_spec.errors import InputError  # noqa: PLC0415

    try:
        suite = load_suite(paths)
    except InputError as error:
        raise UsageError(
            str(error), "--cases takes files and folders; --profile chooses among the shipped cases"
        ) from error
    problems = [problem for case in suite for problem in case.case.problems]
    for problem in problems:
        say("error", str(problem))
    return None if problems else suite


def _profiles(names: Sequence[str]) -> frozenset[str] | None:
    """The profiles that the command line names."""
    from workloadmap_spec.conformance.vocabulary import vocabulary  # noqa: PLC0415 - not for help

    for name in names:
        if name not in vocabulary().profiles:
            raise UsageError(f"there is no profile `{name}`", f"there are {', '.join(vocabulary().profiles)}")
    return frozenset(names) or None


def _skipped(names: Sequence[str], suite: Sequence[SuiteCase]) -> frozenset[str]:
    """The cases that are left out by name."""
    known = {case.id for case in suite}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no case `{name}`", "`workloadmap conformance list` shows them")
    return frozenset(names)


def _progress() -> Callable[[int, int], None] | None:
    """What tells how far the run is, on a terminal."""
    if not sys.stderr.isatty():
        return None

    def tell(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done}/{total}")
        sys.stderr.flush()

    return tell


def _end_progress() -> None:
    """Take the count off the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _write(report: dict[str, Any], problems: Sequence[str], arguments: Namespace) -> None:
    """Write the report in every form that is asked for."""
    from pathlib import Path  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.conformance_text import MAX_FAILURES, Call  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_data, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import PLAIN, style_of  # noqa: PLC0415

    cases = [part for path in arguments.cases for part in ("--cases", path)]
    request = [*_caller(), "conformance", "request", *cases]
    call = Call(arguments.command, request, MAX_FAILURES if arguments.max_failures is None else arguments.max_failures)
    for form, path in arguments.output:
        Path(path).write_text(_rendered(form, report, problems, call, PLAIN), encoding="utf-8")
    style = style_of(sys.stdout, arguments.color)
    text = _rendered(arguments.format, report, problems, call, style)
    if arguments.format == "human":
        write_text(text)
        return
    write_data(text)
    for problem in problems:
        say("error", problem)


def _caller() -> list[str]:
    """What to call us by: our name where the shell knows it, else as we were called."""
    import shutil  # noqa: PLC0415 - with the rest
    from pathlib import Path  # noqa: PLC0415

    from workloadmap_spec.cli import program_name  # noqa: PLC0415

    name, called = program_name(), Path(sys.argv[0])
    if called.parts[-2:] == ("workloadmap_spec", "__main__.py"):
        return [sys.executable, "-m", "workloadmap_spec"]
    found = shutil.which(name)
    if called.name == name and (found is None or Path(found).resolve() != called.resolve()):
        return [sys.argv[0]]
    return name.split()


def _rendered(form: str, report: dict[str, Any], problems: Sequence[str], call: Call, style: Style) -> str:
    """The report in one form."""
    if form == "json":
        import json  # noqa: PLC0415 - for this form only

        return json.dumps(report, indent=1, ensure_ascii=False, default=float) + "\n"
    if form == "junit":
        from workloadmap_spec.conformance.junit import render_junit  # noqa: PLC0415 - for this form only

        return render_junit(report)
    if form == "markdown":
        from workloadmap_spec.conformance.markdown import render_markdown  # noqa: PLC0415 - for this form only

        return render_markdown(report, problems)
    from workloadmap_spec.cli.conformance_text import render_human  # noqa: PLC0415 - for this form only

    return render_human(report, problems, call, style)


def _write_proposal(path: str, results: Sequence[Any]) -> None:
    """Write a list of everything that fails."""
    from pathlib import Path  # noqa: PLC0415 - when asked for

    from workloadmap_spec.canonical import to_yaml  # noqa: PLC0415
    from workloadmap_spec.conformance.expected import proposal  # noqa: PLC0415

    Path(path).write_text(to_yaml(proposal(results)), encoding="utf-8")


def run_list(arguments: Namespace) -> int:
    """List the cases."""
    from workloadmap_spec.cli.output import write_text  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.table import align  # noqa: PLC0415
    from workloadmap_spec.conformance import report as reports  # noqa: PLC0415
    from workloadmap_spec.conformance.suite import folders_of  # noqa: PLC0415
    from workloadmap_spec.conformance.vocabulary import vocabulary  # noqa: PLC0415

    chosen = _profiles(arguments.profile) or frozenset(vocabulary().profiles)
    suite = _suite(arguments.cases or list(map(str, folders_of(chosen))))
    if suite is None:
        return reports.DAMAGED
    rows = [
        [case.id, case.group, " ".join((*sorted(case.tags), *case.features))]
        for case in suite
        if case.is_selected(chosen, vocabulary().features)
    ]
    write_text("\n".join(align(rows)) + "\n" if rows else "")
    return reports.RIGHT if rows else reports.NOTHING


def run_lint(arguments: Namespace) -> int:
    """Check the cases."""
    from workloadmap_spec.cli.output import write_text  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.table import align  # noqa: PLC0415
    from workloadmap_spec.conformance import report as reports  # noqa: PLC0415
    from workloadmap_spec.conformance.lint import coverage, lint, untestable  # noqa: PLC0415
    from workloadmap_spec.conformance.suite import load_suite  # noqa: PLC0415

    suite = load_suite(arguments.cases)
    problems = lint(suite)
    for problem in problems:
        say("error", problem)
    if arguments.coverage:
        rows = [[clause, str(count), untestable().get(clause, "")] for clause, count in coverage(suite).items()]
        write_text("\n".join(align([["CLAUSE", "CASES", "UNTESTABLE"], *rows], right=[1])) + "\n")
    write_text(f"{len(suite)} cases, {len(problems)} problems\n")
    return reports.DAMAGED if problems else reports.RIGHT


def run_request(arguments: Namespace) -> int:
    """Print the lines that put one case."""
    from workloadmap_spec.cases import SUFFIX  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_data  # noqa: PLC0415 - not for help
    from workloadmap_spec.conformance import report as reports  # noqa: PLC0415
    from workloadmap_spec.conformance.runner import hello_line, request_line  # noqa: PLC0415
    from workloadmap_spec.files import cases_root  # noqa: PLC0415

    # An id is a path below the shipped cases: there is no need to load the others.
    own = cases_root() / f"{arguments.id}{SUFFIX}"
    suite = _suite(arguments.cases or ([str(own)] if own.is_file() else []))
    if suite is None:
        return reports.DAMAGED
    for case in suite:
        if case.id == arguments.id:
            write_data((hello_line() + request_line(case, "case") + b'{"cmd":"bye"}\n').decode())
            return reports.RIGHT
    raise UsageError(f"there is no case `{arguments.id}`", "`workloadmap conformance list` shows them")

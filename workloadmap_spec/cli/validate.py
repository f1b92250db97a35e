"""`workloadmap validate`: what is wrong with mapping files, and where."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import STDIN, Subparsers, add_color, add_command, add_many
from workloadmap_spec.cli.messages import OK, UNREAD, UsageError, say
from workloadmap_spec.cli.output import write_data, write_text
from workloadmap_spec.cli.style import PLAIN, style_of
from workloadmap_spec.validation.formats import FORMATS, Options, render
from workloadmap_spec.validation.rules import LEVELS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from workloadmap_spec.cel.witness import Witness
    from workloadmap_spec.validation.configuration import Configuration
    from workloadmap_spec.validation.findings import Report

_DESCRIPTION: Final = """
Check mapping files: their YAML, the schema, what they say about themselves and each other, and every expression in
them. A finding has the file, line and column of the fault, the rule that it breaks, and what to do about it;
`workloadmap explain RULE` says more.

Without PATH the mappings that come with workloadmap are checked. Case files (*.case.yaml) are left out; `workloadmap
test` runs them. An option that takes several paths ends at the next option or at --:

  workloadmap validate mappings --crd config/crd more.yaml
  workloadmap validate --crd config/crd more.yaml -- mappings

A finding is suppressed, with a reason, on its line or the line above:

  # workloadmap: ignore[WM320] the webhook always sets it

or for a whole file by ignore-file[...] above its first line. What is the same for every run can be set in
.workloadmap.yaml, which options win over: {validate: {failLevel, crds: [PATH], cases: [DIR], ignore: [{paths: [GLOB],
rules: [ID], reason: TEXT}]}}, with paths relative to that file.

On GitHub Actions findings are annotations too, and there is a summary of the step, unless --format is given.
"""

_EXIT_CODES: Final = """

exit codes:
  0  nothing at or above --fail-level, or --exit-zero
  1  findings, also YAML that cannot be read
  2  a wrong option, rule or setting, or no file to check
  3  a file that cannot be read or written, or a fault of workloadmap"""


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
            "workloadmap validate --witness --format json mappings/batch",
        ],
    )
    parser.epilog = f"{parser.epilog}{_EXIT_CODES}"
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a file of YAML or JSON, a folder, or - for the standard input",
    )
    parser.add_argument("--format", choices=FORMATS, help="what to print (default: human)")
    parser.add_argument(
        "--output",
        metavar="FORMAT=FILE",
        action="append",
        default=[],
        help="write a format into a file too (may be repeated)",
    )
    parser.add_argument(
        "--fail-level", choices=LEVELS, help="from which level on findings give exit code 1 (default: error)"
    )
    parser.add_argument("--exit-zero", action="store_true", help="do not give exit code 1, whatever is found")
    parser.add_argument("--allow-empty", action="store_true", help="it is no mistake if there is no file to check")
    add_many(parser, "--crd", "PATH", "files or folders with CustomResourceDefinitions to check expressions against")
    add_many(parser, "--cases", "DIR", "folders of cases that do not lie beside the mappings")
    parser.add_argument("--config", metavar="FILE", help="the settings (default: .workloadmap.yaml, if it is there)")
    parser.add_argument(
        "--no-second-opinion",
        dest="second_opinion",
        action="store_false",
        help="do not have expressions parsed by a second engine of CEL, cel-python",
    )
    parser.add_argument(
        "--witness",
        action="store_true",
        help="have expressions evaluated on the objects of the cases, or of those that come with workloadmap, by other"
        " engines of CEL (cel-python, and cel-cpp if it is installed)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only, and no summary")
    parser.add_argument("-v", "--verbose", action="store_true", help="print notes, and what was not checked, too")
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Check the files."""
    outputs = [_output(text) for text in arguments.output]
    if len({os.path.realpath(file) for _, file in outputs}) < len(outputs):
        raise UsageError("two outputs are written to the same file", "give each a file of its own")
    paths = _paths(arguments)
    settings = _settings(arguments.config)
    for option in ("crd", "cases"):
        _must_exist(f"--{option}", getattr(arguments, option))
    for _, file in outputs:
        _must_not_be_read(file, [*paths, *arguments.crd, *settings.crds, *arguments.cases, *settings.cases])
    report = _validated(arguments, paths, settings)
    if not report.files and not arguments.allow_empty:
        cases = " but cases, which `workloadmap test` runs" if report.skipped else ""
        raise UsageError(
            f"there is no file to check in {' and '.join(paths)}{cases}", "name a mapping file or its folder"
        )
    level = arguments.fail_level or settings.fail_level or "error"
    style = style_of(sys.stdout, arguments.color)
    _write(arguments, outputs, report, Options(level, style, arguments.quiet, arguments.verbose))
    return UNREAD if report.fails(level) and not arguments.exit_zero else OK


def _validated(arguments: Namespace, paths: Sequence[str], settings: Configuration) -> Report:
    """The report on files.

    Raises:
        UsageError: A path does not exist, or no other engine is installed.
    """
    from workloadmap_spec.validation.files import MissingPathError  # noqa: PLC0415 - not for help
    from workloadmap_spec.validation.run import validate_paths  # noqa: PLC0415

    witnesses = _witnesses() if arguments.witness else []
    try:
        return validate_paths(
            paths,
            second_opinion=arguments.second_opinion,
            witnesses=witnesses,
            cases=arguments.cases or settings.cases,
            crds=arguments.crd or settings.crds,
            ignores=settings.ignores,
            stdin=_standard_input,
        )
    except MissingPathError as error:
        raise UsageError(f"{error.location.source}: {error.message}", error.cure) from error
    finally:
        for engine in witnesses:
            engine.close()


def _paths(arguments: Namespace) -> list[str]:
    """The paths to check.

    Raises:
        UsageError: One cannot be meant.
    """
    from workloadmap_spec.files import mappings_root  # noqa: PLC0415 - not for help

    if "" in (*arguments.paths, *arguments.crd, *arguments.cases):
        raise UsageError("a path is empty", "name a file or a folder; . is the current one")
    if STDIN in arguments.paths and sys.stdin is None:
        raise UsageError("the standard input is closed", "name a file or a folder")
    return arguments.paths or [str(mappings_root())]


def _must_exist(option: str, paths: Iterable[str]) -> None:
    """Make sure that the paths of an option exist.

    Raises:
        UsageError: One does not.
    """
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 - pathlib takes time to import
            raise UsageError(f"{option} {path}: there is no such file or folder", "check the path")


def _must_not_be_read(file: str, paths: Iterable[str]) -> None:
    """Make sure that an output is none of the files that are read, nor would be one the next time.

    Raises:
        UsageError: It is one.
    """
    from pathlib import Path  # noqa: PLC0415 - where there is an output

    from workloadmap_spec.documents import SUFFIXES  # noqa: PLC0415

    target = Path(file).resolve()
    for path in paths:
        place = Path(path).resolve()
        if target == place or (
            target.suffix in SUFFIXES and place in target.parents and not target.name.startswith(".") and place.is_dir()
        ):
            raise UsageError(f"--output: {file} is read as a part of {path}", "write it to a file elsewhere")


def _output(text: str) -> tuple[str, str]:
    """The format and the file of `--output`.

    Raises:
        UsageError: It has not both.
    """
    form, _, file = text.partition("=")
    if form not in FORMATS or not file:
        cure = f"write FORMAT=FILE with one of the formats {', '.join(FORMATS)}"
        raise UsageError(f"--output {text}: this is no format with a file", cure)
    if file == STDIN:
        raise UsageError(f"--output {text}: the standard output is for --format", f"use --format {form}")
    return form, file


def _settings(file: str | None) -> Configuration:
    """The settings: those that are named, or those of the working directory, or none.

    Raises:
        UsageError: They cannot be used.
    """
    from pathlib import Path  # noqa: PLC0415 - not for help

    from workloadmap_spec.validation import configuration  # noqa: PLC0415

    path = Path(file or configuration.NAME)
    if not path.exists():
        if file is not None:
            raise UsageError(f"--config {file}: there is no such file", "check the path")
        return configuration.Configuration()
    try:
        return configuration.load_configuration(path)
    except configuration.ConfigurationError as error:
        raise UsageError(f"{error.location}: {error.message}", error.cure) from error


def _witnesses() -> list[Witness]:
    """The other engines that are installed.

    Raises:
        UsageError: There is none.
    """
    from workloadmap_spec.validation.witnesses import installed  # noqa: PLC0415 - where it is asked for

    found, missing = installed()
    if not found:
        cures = " or ".join(str(error.cure) for error in missing)
        raise UsageError("no engine is installed that could be a witness", cures)
    for error in missing:
        say("note", f"{error.message}, and is not asked", error.cure)
    return found


def _standard_input() -> bytes:
    """All of the standard input."""
    from workloadmap_spec.cli.inputs import standard_input  # noqa: PLC0415 - where it is read

    text = standard_input().read()
    return text if isinstance(text, bytes) else text.encode()


def _write(arguments: Namespace, outputs: Iterable[tuple[str, str]], report: Report, options: Options) -> None:
    """Write the report in every form that is asked for; on GitHub Actions in its forms if none is."""
    plain = replace(options, style=PLAIN)
    for form, file in outputs:
        _save(file, "w", render(form, report, plain))
    if arguments.format not in {None, "human"}:
        write_data(render(arguments.format, report, plain))
        return
    write_text(render("human", report, options))
    if arguments.format is None and os.environ.get("GITHUB_ACTIONS") == "true":
        write_data(render("github", report, plain))
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary:
            _save(summary, "a", render("markdown", report, plain))


def _save(file: str, mode: str, text: str) -> None:
    """Write a text into a file, or add it to one."""
    with open(file, mode, encoding="utf-8", newline="\n") as stream:  # noqa: PTH123 - pathlib takes time to import
        stream.write(text)

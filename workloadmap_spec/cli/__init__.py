"""The command line `workloadmap`, which is `kubectl workloadmap` too.

Starting is what a command line does most, so this module imports nothing but what every command needs, and of the
commands only the one that is named. A command is a module with `add_parser(subparsers)`; the parser that it adds has
the default `run`, a function from the parsed arguments to the exit code.

Exit codes: 0 everything was read; 1 an object could not be read or changed, or a map has an error diagnostic; 2 the
command line is wrong; 3 a file or stream could not be read or written, or the program is at fault; 130 it was
interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from workloadmap_spec.cli.arguments import Parser

__all__ = ["COMMANDS", "main", "make_parser"]

#: The commands, in the order of the help, each a module of this package: of its own name or of another one.
COMMANDS: Final = (
    "get",
    "inspect",
    "map",
    "gang",
    "report",
    "serve-metrics",
    "scale",
    "set",
    "suspend",
    "resume",
    "mappings",
    "schema",
    "validate",
    "explain",
    "new",
    "test",
    "conformance",
    "reader",
    "completion",
)

#: The modules that are not called like their commands; `explain` is what `inspect --explain` shows.
_MODULES: Final = {"explain": "explain_rule", "serve-metrics": "serve_metrics"}

#: The name of the file by which `kubectl workloadmap` finds us.
_PLUGIN: Final = "kubectl-workloadmap"

#: The exit code for an output that cannot be written.
_FAILED: Final = 3
#: What a shell reports of a program that an interrupt or a closed pipe ended: 128 and the number of the signal.
_INTERRUPTED: Final = 130
_PIPE_CLOSED: Final = 141

_DESCRIPTION: Final = """
What is in a Kubernetes workload, for every kind of workload: its components,
their pods and resources, the state it is in, and which pods must start
together; and changed workloads, for every kind too. Objects are read from
files, from what kubectl prints, or from a cluster.
"""

_EXAMPLES: Final = (
    "workloadmap inspect examples/jobset.yaml",
    "workloadmap gang examples/leaderworkerset.yaml",
    "workloadmap map -o yaml examples/raycluster.yaml",
    "kubectl get jobset,pods -o yaml | workloadmap inspect",
)

_EPILOG: Final = """

exit codes:
  0  everything was read, and changed as asked
  1  an object could not be read or changed, or its map has an error diagnostic
  2  the command line is wrong
  3  a file or stream could not be read or written, or workloadmap is at fault

`workloadmap COMMAND --help` says more about a command."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line and give its exit code.

    Args:
        argv: the arguments, without the name of the program; those of the process by default.

    """
    if sys.stderr is None:  # closed by whoever called us; what is told there goes nowhere
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as we run
    if sys.stdout is None:
        sys.stderr.write("error: the standard output is closed\n")
        return _FAILED
    arguments = sys.argv[1:] if argv is None else argv
    try:
        return _run(arguments)
    except BrokenPipeError:
        _close_output()
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return _INTERRUPTED


def program_name() -> str:
    """The name under which we were called, as people type it."""
    name = os.path.basename(sys.argv[0] if sys.argv else "")  # noqa: PTH119 - pathlib takes time to import
    return "kubectl workloadmap" if name.startswith(_PLUGIN) else "workloadmap"


def make_parser(commands: Iterable[str] = COMMANDS) -> tuple[Parser, Any]:
    """The parser with the commands that are named, and the subparsers of it."""
    from importlib import import_module  # noqa: PLC0415 - `--version` needs none of this

    from workloadmap_spec.cli.arguments import Parser, examples_text  # noqa: PLC0415

    program = program_name()
    epilog = examples_text(program, _EXAMPLES) + _EPILOG
    parser = Parser(prog=program, description=_DESCRIPTION.strip(), epilog=epilog)
    parser.add_argument("--version", action="version", version=_version(), help="print the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True, prog=program)
    for command in commands:
        import_module(f"workloadmap_spec.cli.{_MODULES.get(command, command)}").add_parser(subparsers)
    return parser, subparsers


def _version() -> str:
    """The name and version of the program."""
    from workloadmap_spec import __version__  # noqa: PLC0415 - `main` is used without it

    return f"workloadmap {__version__}"


def _run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name."""
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - nobody should see a traceback who has not asked for it
        from workloadmap_spec.cli.messages import tell_failure  # noqa: PLC0415 - `--version` needs none of this

        _close_output()
        return tell_failure(error)
    return code


def _dispatch(arguments: Sequence[str]) -> int:
    """Parse the arguments and run the command, importing only what it needs."""
    first = arguments[0] if arguments else ""
    if first == "--version":
        sys.stdout.write(f"{_version()}\n")
        return 0
    try:
        if first in COMMANDS:
            _, subparsers = make_parser([first])
            parsed = subparsers.choices[first].parse_anywhere(arguments[1:])
        elif first and not first.startswith("-"):
            raise _unknown_command(first)
        else:
            parser, _ = make_parser()
            parsed = parser.parse_args(arguments)
    except SystemExit:  # argparse ends so after --help
        return 0
    run: Callable[[Any], int] = parsed.run
    return run(parsed)


def _unknown_command(name: str) -> Exception:
    """The error for a command that does not exist."""
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

    from workloadmap_spec.cli.messages import UsageError  # noqa: PLC0415

    close = get_close_matches(name, COMMANDS, 1)
    cure = f"did you mean `{close[0]}`?" if close else f"the commands are: {', '.join(COMMANDS)}"
    return UsageError(f"there is no command `{name}`", cure)


def _close_output() -> None:
    """Give up an output that cannot be written, or Python would try it again at exit and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        pass
    else:
        return
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):  # an output that is no file
        pass

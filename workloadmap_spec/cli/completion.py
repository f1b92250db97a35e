"""`workloadmap completion`: print a completion script for a shell."""

from __future__ import annotations

from argparse import _SubParsersAction
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command
from workloadmap_spec.cli.messages import CommandError
from workloadmap_spec.cli.output import write_data

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

#: The shells that shtab knows.
SHELLS: Final = ("bash", "zsh", "tcsh")

#: The metavar of arguments that are files or folders.
_PATH: Final = "PATH"

_DESCRIPTION: Final = """
Print a script that completes the commands, options and files of workloadmap in
a shell. It is made by shtab, which comes with the extra `completion`:
pip install 'workloadmap-spec[completion]'
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "completion",
        "print a completion script for a shell",
        _DESCRIPTION,
        ['eval "$(workloadmap completion bash)"', "workloadmap completion zsh > _workloadmap"],
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the script."""
    try:
        import shtab  # noqa: PLC0415 - an extra, and for this command only
    except ImportError as error:
        message = "shell completion is made by shtab, which is not installed"
        raise CommandError(message, "pip install 'workloadmap-spec[completion]'") from error
    from workloadmap_spec.cli import make_parser  # noqa: PLC0415 - it imports this module

    parser, _ = make_parser()
    parser.prog = "workloadmap"
    _prepare(parser, shtab.FILE)
    write_data(shtab.complete(parser, arguments.shell) + "\n")
    return 0


def _prepare(parser: ArgumentParser, files: Mapping[str, Any]) -> None:
    """Say of every argument that is a path that it is one, and describe every command in one line."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to them; shtab goes the same
        node: Any = action
        if action.metavar == _PATH:
            node.complete = files
        if isinstance(action, _SubParsersAction):
            for entry in action._choices_actions:  # noqa: SLF001
                child = action.choices[entry.dest]
                child.description = entry.help
                _prepare(child, files)

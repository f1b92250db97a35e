"""The command line's arguments: what several commands share, and how help and mistakes look."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, Final, NoReturn

from workloadmap_spec.cli.messages import UsageError
from workloadmap_spec.cli.output import write_text
from workloadmap_spec.cli.style import COLOR_CHOICES

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What `subparsers` is in every `add_parser`; argparse keeps the class to itself.
Subparsers = Any

#: The name of the standard input among paths.
STDIN: Final = "-"


#: Longer lines of help are hard to read, however wide the terminal.
_MAX_WIDTH: Final = 100


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as it is written, options in lines that fit the terminal.

    argparse makes one for every argument and would import `shutil` each time to ask for the width.
    """

    def __init__(self, prog: str) -> None:
        """Take the width from the environment or the terminal."""
        super().__init__(prog, width=_width())

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the commands, which argparse indents more than it reckons with."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no other name for it
            self._action_max_length += self._indent_increment


def _width() -> int:
    """The columns that help may take."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal():
        return max(40, min(int(columns), _MAX_WIDTH))
    try:
        return max(40, min(os.get_terminal_size(1).columns, _MAX_WIDTH))
    except OSError:
        return 80


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are `UsageError`, and which takes options before and after paths alike."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - what argparse takes
        """Keep line breaks in descriptions, and never guess an abbreviated option."""
        options.setdefault("formatter_class", Formatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the command line."""
        raise UsageError(message, f"try `{self.prog} --help`")

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401 - as in argparse
        """Write help and the version, in the characters that the output has."""
        if file is None or file is sys.stdout:
            write_text(message)
        else:
            super()._print_message(message, file)

    def parse_anywhere(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments in which options and paths stand in any order."""
        if self._subparsers is not None:
            return self.parse_args(arguments)
        return self.parse_intermixed_args(arguments)


def add_command(
    subparsers: Subparsers, name: str, summary: str, description: str, examples: Sequence[str]
) -> argparse.ArgumentParser:
    """Add the parser of a command, with examples that run as they stand in a checkout of the project."""
    parser: argparse.ArgumentParser = subparsers.add_parser(name, help=summary, description=description.strip())
    parser.epilog = examples_text(parser.prog, examples)
    return parser


def examples_text(program: str, examples: Sequence[str]) -> str:
    """The examples of a help text, with the name under which the program was called."""
    name = "kubectl workloadmap" if program.startswith("kubectl ") else "workloadmap"
    return "\n".join(["examples:", *(f"  {example}".replace("workloadmap ", f"{name} ") for example in examples)])


def add_mappings(parser: argparse.ArgumentParser) -> None:
    """Add `-m`, which every command has that reads objects or mappings."""
    parser.add_argument(
        "-m",
        "--mapping",
        metavar="PATH",
        action="append",
        default=[],
        help="a mapping file, or a folder of them; they win over the ones that come with workloadmap, and later ones"
        " over earlier ones (may be repeated)",
    )


def add_paths(parser: argparse.ArgumentParser, *, objects: bool = False) -> None:
    """Add the paths of the input; with `objects` one may be an object of a cluster."""
    more = "; TYPE/NAME, such as jobset/demo, is read from the cluster" if objects else ""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a file of YAML or JSON, a folder, or - for the standard input, which is also read when there is no PATH;"
        f" several documents, lists and kinds may stand together{more}",
    )


def add_many(parser: argparse.ArgumentParser, option: str, metavar: str, text: str) -> None:
    """Add an option that takes several paths and may be repeated."""
    parser.add_argument(
        option, metavar=metavar, nargs="+", action="extend", default=[], help=f"{text} (may be repeated)"
    )


def add_color(parser: argparse.ArgumentParser) -> None:
    """Add `--color`."""
    parser.add_argument(
        "--color",
        choices=COLOR_CHOICES,
        default="auto",
        help="when to use colour (default: auto, on a terminal and unless NO_COLOR is set)",
    )


def add_output(parser: argparse.ArgumentParser, choices: Sequence[str], default: str, text: str) -> None:
    """Add `-o`."""
    parser.add_argument("-o", "--output", choices=choices, default=default, help=f"{text} (default: {default})")


def input_paths(arguments: argparse.Namespace) -> list[str]:
    """The paths of the input, each once, the standard input if there are none.

    Raises:
        UsageError: There are none, and the standard input is a terminal at which nobody expects to type YAML; or one is
            empty, as that of a shell variable that is not set.

    """
    if "" in arguments.paths:
        raise UsageError("a path is empty", "name a file or a folder; . is the current one")
    paths = list(dict.fromkeys(arguments.paths)) or [STDIN]
    if STDIN in paths and sys.stdin is None:
        raise UsageError("the standard input is closed", "name a file or a folder")
    if not arguments.paths and sys.stdin.isatty():
        raise UsageError(
            "there is nothing to read", "name a file or a folder, or pipe `kubectl get ... -o yaml` into it"
        )
    return paths

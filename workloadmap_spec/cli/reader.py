"""`workloadmap reader`: our reader, as a program that the conformance suite talks to."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Answer requests of the conformance suite: one JSON object a line on the standard
input, one answer a line on the standard output, until `bye` or the end of the
input. `workloadmap conformance run -- workloadmap reader` puts the suite to it.

Expressions are evaluated by our own evaluator (native), or by one of the
engines that are its witnesses.
"""

_ENGINES: Final = ("native", "cel-python", "cel-cpp")


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "reader",
        "answer the conformance suite",
        _DESCRIPTION,
        ["workloadmap conformance run -- workloadmap reader --engine cel-python"],
    )
    parser.add_argument(
        "--engine", choices=_ENGINES, default="native", help="what evaluates expressions (default: native)"
    )
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Answer until there is nothing more."""
    from workloadmap_spec.conformance.engines import engine_of  # noqa: PLC0415 - not for help
    from workloadmap_spec.conformance.serve import serve  # noqa: PLC0415

    output: IO[bytes] = sys.stdout.buffer

    def write(line: bytes) -> None:
        output.write(line)
        output.flush()

    return serve(sys.stdin.buffer, write, engine_of(arguments.engine), arguments.engine)

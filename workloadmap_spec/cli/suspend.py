"""`workloadmap suspend`, and with other words `workloadmap resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command
from workloadmap_spec.cli.update import SHARED_DESCRIPTION, add_update_options, run_update

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Change workloads so that their frameworks take their pods away and keep the
objects. A workload that is suspended already stays as it is; a kind that knows
no way to do it is an error.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    add_suspension(
        subparsers,
        "suspend",
        "suspend workloads",
        _DESCRIPTION,
        [
            "workloadmap suspend examples/jobset.yaml",
            "workloadmap suspend -o merge-patch examples/raycluster.yaml",
            "workloadmap suspend -i examples/jobset.yaml",
        ],
    )


def add_suspension(subparsers: Subparsers, name: str, summary: str, description: str, examples: list[str]) -> None:
    """Add one of the two commands."""
    parser = add_command(subparsers, name, summary, description.strip() + "\n" + SHARED_DESCRIPTION, examples)
    add_update_options(parser, is_part=False)
    parser.set_defaults(run=_run, operation=name)


def _run(arguments: Namespace) -> int:
    """Suspend or resume workloads."""
    return run_update(arguments, [{"op": arguments.operation}])

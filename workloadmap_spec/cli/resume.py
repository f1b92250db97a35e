"""`workloadmap resume`: the other way round than `workloadmap suspend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.suspend import add_suspension

if TYPE_CHECKING:
    from workloadmap_spec.cli.arguments import Subparsers

_DESCRIPTION: Final = """
Change suspended workloads so that their frameworks make their pods again. A
workload that is not suspended stays as it is; a kind that knows no way to do it
is an error.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    add_suspension(
        subparsers,
        "resume",
        "resume suspended workloads",
        _DESCRIPTION,
        [
            "workloadmap suspend examples/jobset.yaml | workloadmap resume",
            "workloadmap resume -i examples/jobset.yaml",
        ],
    )

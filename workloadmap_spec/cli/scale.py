"""`workloadmap scale`: set the counts of one component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command
from workloadmap_spec.cli.messages import UsageError
from workloadmap_spec.cli.update import SHARED_DESCRIPTION, add_update_options, checked_intent, part_of, run_update

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Set the counts of one component, in whatever fields its kind keeps them. Without
--component it is the one that has all the counts which are asked for.
"""

#: The options, and the counts that they set.
_COUNTS: Final = {
    "replicas": ("replicas", "how many of it there are"),
    "pods_per_replica": ("podsPerReplica", "how many pods each of them has"),
    "min_replicas": ("minReplicas", "how many there are at least, for what scales it"),
    "max_replicas": ("maxReplicas", "how many there are at most, for what scales it"),
}


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "scale",
        "set the counts of a component",
        _DESCRIPTION.strip() + "\n" + SHARED_DESCRIPTION,
        [
            "workloadmap scale --component group --replicas 3 examples/leaderworkerset.yaml",
            "workloadmap scale --instance embed --replicas 3 examples/raycluster.yaml",
            "workloadmap scale --instance embed --replicas 3 -i examples/raycluster.yaml",
        ],
    )
    for option, (_name, text) in _COUNTS.items():
        parser.add_argument(f"--{option.replace('_', '-')}", metavar="N", type=int, help=text)
    add_update_options(parser)
    parser.set_defaults(run=_run)


def _run(arguments: Namespace) -> int:
    """Scale a component."""
    given = {option: getattr(arguments, option) for option in _COUNTS if getattr(arguments, option) is not None}
    if not given:
        options = ", ".join(f"--{option.replace('_', '-')}" for option in _COUNTS)
        raise UsageError("no count is given", f"give one of {options}")
    counts = {_COUNTS[option][0]: count for option, count in given.items()}
    return run_update(arguments, [checked_intent({"op": "scale", **part_of(arguments), **counts}, "scale")])

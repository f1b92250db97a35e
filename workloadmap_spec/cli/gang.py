"""`workloadmap gang`: which pods must start together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import (
    Subparsers,
    add_color,
    add_command,
    add_mappings,
    add_paths,
    input_paths,
)
from workloadmap_spec.cli.cluster import add_cluster
from workloadmap_spec.cli.gang_scheduler import add_options, check_options, run_scheduler
from workloadmap_spec.cli.messages import OK, Messages

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Show the pod groups of every workload in the input: the pods that must be
placed together, how many of them at least (MIN) and of how many (PODS), and
which components they are from. Groups follow from the workload alone; they are
the same whichever pods exist.

  table  for people; subgroups are indented below their group
  json   canonical JSON (RFC 8785): the workload and its groups, or a list of
         such unless the input is one workload that can be read
  yaml   one YAML document for each workload

With --format the groups are given in the form that a scheduler takes: the
objects that are created beside the workload, and what binds pods to them. What
is the same for all pods of a template can stand in it; a binding that differs
between replicas cannot, and has to be set when the pods are created. What a
scheduler cannot express is told.

  manifests  the objects, as `kubectl apply -f -` takes them, with the bindings
             as comments; with --pods also the pods as they must be created
             (the default with --format)
  json, yaml everything: objects, bindings and messages
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "gang",
        "show which pods must start together",
        _DESCRIPTION,
        [
            "workloadmap gang examples/jobset.yaml",
            "workloadmap gang -o json examples/leaderworkerset.yaml",
            "kubectl get leaderworkerset -o yaml | workloadmap gang -o yaml",
            "workloadmap gang --format kai --queue team-a examples/jobset.yaml",
            "workloadmap gang --format volcano --patch examples/raycluster.yaml",
        ],
    )
    add_paths(parser, objects=True)
    add_mappings(parser)
    parser.add_argument(
        "-o",
        "--output",
        choices=("table", "json", "yaml", "manifests"),
        help="what to print (default: table, and with --format manifests)",
    )
    add_color(parser)
    add_options(parser)
    add_cluster(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Show the pod groups."""
    check_options(arguments)
    if arguments.format is not None:
        return run_scheduler(arguments)
    return _show(arguments)


def _show(arguments: Namespace) -> int:
    """Show the groups as the map has them."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.cluster import read_objects  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.gang_text import render_gang  # noqa: PLC0415
    from workloadmap_spec.cli.inputs import catalog_of, tell_diagnostics, tell_unread  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_documents, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415

    messages = Messages()
    reading = read_objects(arguments, catalog_of(arguments.mapping), input_paths(arguments), messages).reading
    maps = [workload_map.document for _, workload_map in reading.maps]
    if arguments.output in (None, "table"):
        style = style_of(sys.stdout, arguments.color)
        write_text("\n".join([render_gang(document, style) for document in maps]))
        tell_unread(reading, messages)
    else:
        tell_unread(reading, messages)
        found = [
            {"workload": document["workload"], "groups": document.get("gang", {}).get("groups", [])}
            for document in maps
        ]
        write_documents(found, arguments.output, single=len(found) == 1 and messages.code == OK)
    for document, workload_map in reading.maps:
        tell_diagnostics(document, workload_map, messages)
    return messages.code

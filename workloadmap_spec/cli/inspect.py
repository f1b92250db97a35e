"""`workloadmap inspect`: what is in a workload, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings, add_paths, input_paths
from workloadmap_spec.cli.cluster import add_cluster
from workloadmap_spec.cli.messages import UNREAD, Messages

if TYPE_CHECKING:
    from argparse import Namespace

    from workloadmap_spec.catalog import Reading

_DESCRIPTION: Final = """
Show what is in every workload of the input: its state, the tree of its
components with the pods that each makes, what its own status and the pods in
the input say, what it requests, and which pods must start together. The input
is files, or TYPE/NAME of a cluster, with its pods and what it refers to.

  2 \N{MULTIPLICATION SIGN} 4 = 8 pods      replicas, times the pods of a replica; in a nested
                      component the replicas of those above it come first
  min 4               only so many of the pods must start together
  2\N{EN DASH}12 replicas       between these an autoscaler may move
  1 of 2 Jobs ready   what the workload's own status says
  7 Running           the pods that were found in the input
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "inspect",
        "show what is in a workload",
        _DESCRIPTION,
        [
            "workloadmap inspect examples/jobset.yaml",
            "workloadmap inspect examples/ --pods",
            "workloadmap inspect --explain examples/raycluster.yaml",
            "workloadmap inspect --mermaid examples/leaderworkerset.yaml",
            "kubectl get jobset,pods -o yaml | workloadmap inspect",
            "workloadmap inspect jobset/demo -n research",
        ],
    )
    add_paths(parser, objects=True)
    add_mappings(parser)
    parser.add_argument("--pods", action="store_true", help="list the pods in the input below their components")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say for each value at which file, line and column it was read, or that it is a default or computed",
    )
    parser.add_argument(
        "--mermaid", action="store_true", help="print a diagram in Mermaid's language, for documents, and nothing else"
    )
    add_color(parser)
    add_cluster(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Show the workloads."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.cluster import read_objects  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import catalog_of  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_text  # noqa: PLC0415
    from workloadmap_spec.cli.render import render_map  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415

    messages = Messages()
    catalog = catalog_of(arguments.mapping)
    found = read_objects(arguments, catalog, input_paths(arguments), messages)
    reading = found.reading
    if arguments.mermaid:
        from workloadmap_spec.cli.mermaid import diagram  # noqa: PLC0415 - when asked for

        if reading.maps:
            write_text(diagram([workload_map.document for _, workload_map in reading.maps]))
        return _end(reading, messages)
    style = style_of(sys.stdout, arguments.color)
    for index, (document, workload_map) in enumerate(reading.maps):
        explainer = None
        if arguments.explain:
            from workloadmap_spec.cli.explain import Explainer  # noqa: PLC0415 - when asked for

            workload = workload_map.document["workload"]
            mapping = found.catalog.find(workload["apiVersion"], workload["kind"])
            explainer = Explainer(workload_map.document, mapping.document, document, style)
        text = render_map(
            workload_map.document,
            style,
            show_pods=arguments.pods,
            pods_given=id(document) in reading.selecting,
            explainer=explainer,
        )
        write_text("\n" * (index > 0) + text)
    return _end(reading, messages)


def _end(reading: Reading, messages: Messages) -> int:
    """Tell what was not read, and give the exit code; what is wrong with a map it shows itself."""
    from workloadmap_spec.cli.inputs import tell_unread  # noqa: PLC0415 - not for help

    if any(workload_map.errors for _, workload_map in reading.maps):
        messages.code = max(messages.code, UNREAD)
    tell_unread(reading, messages)
    return messages.code

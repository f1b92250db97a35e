"""`workloadmap map`: the maps themselves, for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command, add_mappings, add_output, add_paths, input_paths
from workloadmap_spec.cli.cluster import add_cluster, is_object
from workloadmap_spec.cli.messages import OK, Messages
from workloadmap_spec.cli.output import write_data, write_documents

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Print the map of every workload in the input: one description of its tree, in
one form for all kinds, valid against `workloadmap schema map`.

  json    canonical JSON (RFC 8785): the map, or a list of maps unless the
          input is one workload that can be read
  yaml    one YAML document for each workload
  ndjson  canonical JSON, one map a line, each written as soon as its object
          has been read: the memory stays flat however many JSON objects or
          YAML documents there are (a List is read whole)

Pods in the input are given to the workloads that select them. With ndjson they
are not, since a pod may come long after its workload: each pod is then read as
a workload of its own.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "map",
        "print maps, as JSON or YAML",
        _DESCRIPTION,
        [
            "workloadmap map examples/jobset.yaml",
            "workloadmap map -o yaml examples/raycluster.yaml",
            "kubectl get jobset,pods -o json | workloadmap map --strict",
            "kubectl get jobset -A -o json | workloadmap map -o ndjson > maps.ndjson",
        ],
    )
    add_paths(parser, objects=True)
    add_mappings(parser)
    add_output(parser, ("json", "yaml", "ndjson"), "json", "what to print")
    parser.add_argument(
        "--strict", action="store_true", help="give no map for a workload with a diagnostic of severity error"
    )
    add_cluster(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the maps."""
    messages = Messages()
    paths = input_paths(arguments)
    if arguments.output == "ndjson" and not any(map(is_object, paths)):
        _stream(arguments, paths, messages)
        return messages.code
    from workloadmap_spec.cli.cluster import read_objects  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import catalog_of, tell_diagnostics, tell_unread  # noqa: PLC0415

    found = read_objects(arguments, catalog_of(arguments.mapping), paths, messages, strict=arguments.strict)
    reading = found.reading
    tell_unread(reading, messages)
    documents = [workload_map.to_dict() for _, workload_map in reading.maps]
    if arguments.output == "ndjson":
        write_data("".join(f"{workload_map.to_json()}\n" for _, workload_map in reading.maps))
    else:
        write_documents(documents, arguments.output, single=len(documents) == 1 and messages.code == OK)
    for document, workload_map in reading.maps:
        tell_diagnostics(document, workload_map, messages)
    return messages.code


def _stream(arguments: Namespace, paths: list[str], messages: Messages) -> None:
    """Read and write one object after the other."""
    from workloadmap_spec.cli.inputs import Leftovers, catalog_of, documents_of, tell_diagnostics  # noqa: PLC0415

    catalog = catalog_of(arguments.mapping)
    leftovers = Leftovers(messages)
    for document in documents_of(paths, messages, flat=True):
        reading = catalog.read_all([document], strict=arguments.strict)
        for _, workload_map in reading.maps:
            write_data(f"{workload_map.to_json()}\n")
            sys.stdout.flush()
            tell_diagnostics(document, workload_map, messages)
        for unread in reading.unread:
            leftovers.add(unread)
    leftovers.tell()

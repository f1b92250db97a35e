"""`workloadmap schema`: print a file of the specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command
from workloadmap_spec.cli.output import write_data

if TYPE_CHECKING:
    from argparse import Namespace

#: The files by the names that the command takes.
FILES: Final = {
    "mapping": "workload-mapping.schema.json",
    "map": "workload-map.schema.json",
    "workload-report": "workload-report.schema.json",
    "case": "conformance-case.schema.json",
    "report": "conformance-report.schema.json",
    "message": "conformance-message.schema.json",
    "validation-report": "validation-report.schema.json",
    "expected-failures": "expected-failures.schema.json",
    "core-types": "core-types.json",
    "spec": "SPEC.md",
}
#: What is made from a schema.
_DEFINITION: Final = "crd"

_DESCRIPTION: Final = """
Print a file of the specification: the JSON Schema of a mapping, a map, a report
of `workloadmap report`, a conformance case, a report of the suite, a message of
its protocol, a report of `workloadmap validate` or a list of expected failures;
the table of the core types; or the text of the specification itself. `crd` is
the definition with which a cluster holds mappings: `workloadmap get` and its
like use those that it holds before the shipped ones.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "schema",
        "print a schema, or the specification",
        _DESCRIPTION,
        [
            "workloadmap schema mapping > workload-mapping.schema.json",
            "workloadmap schema spec | less",
            "workloadmap schema crd | kubectl apply -f -",
        ],
    )
    names = (*FILES, _DEFINITION)
    parser.add_argument("name", metavar="NAME", choices=names, help=f"one of {', '.join(names)}")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the file as it is, or the definition."""
    if arguments.name == _DEFINITION:
        from workloadmap_spec.cli.output import write_documents  # noqa: PLC0415 - not for help
        from workloadmap_spec.crd.own import mapping_definition  # noqa: PLC0415

        write_documents([mapping_definition()], "yaml", single=True)
        return 0
    from workloadmap_spec.files import schema_path  # noqa: PLC0415 - not for help

    write_data(schema_path(FILES[arguments.name]).read_text(encoding="utf-8"))
    return 0

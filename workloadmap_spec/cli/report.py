"""`workloadmap report`: many workloads in one vocabulary, for dashboards, spreadsheets and people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings, add_paths, input_paths
from workloadmap_spec.cli.cluster import add_cluster, add_scope
from workloadmap_spec.cli.messages import CommandError, Messages, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from workloadmap_spec.cli.cluster import Input

_DESCRIPTION: Final = """
Report on every workload of the input: its phase, the pods that are ready,
wanted and needed to start, what they request and are limited to, and, with
prices, what that costs. A workload that is a part of another one (a TrainJob's
JobSet, a JobSet's Jobs) stands below it and is counted once.

  table        for people; the whole, and the largest costs, at the end
  csv          a row for each workload, component or instance; amounts in cores,
               bytes and pieces
  json         all that is known, valid against `workloadmap schema
               workload-report`
  markdown     the table, for a document
  openmetrics  for Prometheus and its like; docs/metrics.md has the names

`?` is what is not known, `>=` a lower bound: something that the objects do not
say is missing in it. Sums leave out what is Completed, Failed or Suspended.

A file of prices says what a unit of a resource costs for an hour, if need be
by the labels of the nodes (give the Nodes with the pods):

  currency: EUR
  prices:
  - nodeLabels: {node.kubernetes.io/instance-type: gpu-8}
    perHour: {cpu: 0.03, memory: 0.004, nvidia.com/gpu: 2.10}
  - perHour: {cpu: 0.025, memory: 0.0035}
"""
_FORMATS: Final = ("table", "csv", "json", "markdown", "openmetrics")
_LEVELS: Final = ("workload", "component", "instance")
_TOP: Final = 10


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "report",
        "report on many workloads: state, pods, resources, costs",
        _DESCRIPTION,
        [
            "workloadmap report examples/",
            "workloadmap report --by workload --format csv examples/",
            "workloadmap report --prices docs/prices.yaml examples/",
            "workloadmap report --html -o report.html examples/",
            "workloadmap report --cluster -A --format csv > workloads.csv",
            "kubectl get jobset,pods -A -o json | workloadmap report --format openmetrics",
        ],
    )
    add_paths(parser, objects=True)
    add_mappings(parser)
    parser.add_argument(
        "--by",
        choices=_LEVELS,
        default="instance",
        help="what has a row beside each workload: nothing more, its components, or their instances"
        " (default: instance)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format",
        metavar="FORM",
        choices=_FORMATS,
        default="table",
        help=f"what to write: {', '.join(_FORMATS)} (default: table)",
    )
    form.add_argument("--html", action="store_true", help="write a page that needs nothing but a browser")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of the standard output")
    parser.add_argument("--prices", metavar="FILE", help="what resources cost, to add costs")
    parser.add_argument(
        "--top", metavar="N", type=int, default=_TOP, help=f"how many of the largest costs to name (default: {_TOP})"
    )
    parser.add_argument(
        "--time", metavar="TIME", help="the moment of the report, such as 2026-01-31T12:00:00Z (default: now)"
    )
    add_color(parser)
    parser.add_argument("--cluster", action="store_true", help="report on the workloads of a cluster")
    add_cluster(parser)
    add_scope(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Report."""
    from workloadmap_spec.cli.age import now  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import tell_diagnostics, tell_unread  # noqa: PLC0415
    from workloadmap_spec.report.build import build_report  # noqa: PLC0415
    from workloadmap_spec.report.prices import load_prices  # noqa: PLC0415

    messages = Messages()
    time = _time(arguments.time) if arguments.time else now()
    if arguments.top < 0:
        raise UsageError("--top is a number of 0 or more")
    prices = load_prices(arguments.prices) if arguments.prices else None
    found = _input(arguments, messages, asks_for_nodes=prices is not None and prices.ask_for_nodes)
    reading = found.reading
    report = build_report(reading, found.documents, time, prices)
    _write(_text(report, arguments), arguments.output)
    tell_unread(reading, messages)
    for document, workload_map in reading.maps:
        tell_diagnostics(document, workload_map, messages)
    return messages.code


def _input(arguments: Namespace, messages: Messages, *, asks_for_nodes: bool) -> Input:
    """What is reported on: the input, or a cluster.

    Raises:
        UsageError: Both are asked for.

    """
    from workloadmap_spec.cli.cluster import read_objects, read_scope  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import catalog_of  # noqa: PLC0415

    if arguments.cluster or arguments.all_namespaces or arguments.selector:
        if arguments.paths:
            raise UsageError("a report is on files or on a cluster", "leave out --cluster, -A and -l, or the paths")
        return read_scope(arguments, (), messages, with_nodes=asks_for_nodes)
    return read_objects(arguments, catalog_of(arguments.mapping), input_paths(arguments), messages)


def _time(text: str) -> str:
    """A moment as Kubernetes writes it.

    Raises:
        UsageError: It is written in another way.

    """
    from datetime import datetime  # noqa: PLC0415 - when asked for

    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").strftime("%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007 - `Z` is UTC
    except ValueError:
        raise UsageError(f"`{text}` is no moment", "write it in UTC, such as 2026-01-31T12:00:00Z") from None


def _text(report: Mapping[str, Any], arguments: Namespace) -> str:
    """The report in the form that is asked for."""
    if arguments.html:
        from workloadmap_spec.report.html import page  # noqa: PLC0415 - one form is written

        return page(report)
    if arguments.format == "csv":
        from workloadmap_spec.report.formats import to_csv  # noqa: PLC0415

        return to_csv(report, arguments.by)
    if arguments.format == "openmetrics":
        from workloadmap_spec.report.openmetrics import to_openmetrics  # noqa: PLC0415

        return to_openmetrics(report)
    if arguments.format == "json":
        from workloadmap_spec.canonical import dumps  # noqa: PLC0415

        return f"{dumps(report)}\n"
    from workloadmap_spec.cli.report_text import report_markdown, report_table, summary  # noqa: PLC0415

    if arguments.format == "markdown":
        return report_markdown(report, arguments.by)
    style = _style(arguments)
    whole = "\n".join(summary(report, style, arguments.top))
    return f"{report_table(report, arguments.by, style)}\n{whole}\n" if report["workloads"] else ""


def _style(arguments: Namespace) -> Any:  # noqa: ANN401 - the class is imported late
    """The style of the table."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.style import PLAIN, style_of  # noqa: PLC0415

    return PLAIN if arguments.output else style_of(sys.stdout, arguments.color)


def _write(text: str, path: str | None) -> None:
    """Write the report to a file, or to the standard output.

    Raises:
        CommandError: The file cannot be written.

    """
    from workloadmap_spec.cli.output import write_data  # noqa: PLC0415 - not for help

    if path is None:
        write_data(text)
        return
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - pathlib takes time to import
            file.write(text)
    except OSError as error:
        error_text = f"{path}: it cannot be written: {error.strerror or error}"
        raise CommandError(error_text, "check the path and its permissions") from error

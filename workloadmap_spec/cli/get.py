"""`workloadmap get`: the workloads of a cluster, of every kind, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings
from workloadmap_spec.cli.cluster import add_cluster, add_scope
from workloadmap_spec.cli.messages import Messages, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from workloadmap_spec.cli.cluster import Input

_DESCRIPTION: Final = """
List the workloads of a cluster, of every kind that it serves and a mapping
reads, with the same words for all of them: the phase, the pods that are ready
and wanted, accelerators, the age. A workload that is a part of another one (a
TrainJob's JobSet, a JobSet's Jobs) stands below it.

TYPE is what kubectl takes: jobset, rayclusters, sts, jobsets.jobset.x-k8s.io.
Kinds that may not be read are told and left out; `workloadmap mappings rbac`
prints the permissions that are needed: get, list and watch.

`?` is what is not known, `>=` a lower bound. Needs the extra: pip install
'workloadmap-spec[cluster]'.
"""
_PHASES: Final = (
    "Initializing",
    "Running",
    "Degraded",
    "Suspending",
    "Suspended",
    "Resuming",
    "Completed",
    "Failed",
    "Unknown",
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "get",
        "list the workloads of a cluster, of every kind",
        _DESCRIPTION,
        [
            "workloadmap get",
            "workloadmap get jobset,rayjob -n research",
            "workloadmap get --all -A --phase Failed,Degraded -o wide",
            "workloadmap get trainjob -A --watch",
        ],
    )
    parser.add_argument(
        "types", metavar="TYPE", nargs="*", help="kinds, also several with commas between (default: all)"
    )
    parser.add_argument("--all", action="store_true", help="all kinds, which is the default")
    add_mappings(parser)
    parser.add_argument("--phase", metavar="PHASE", help="only workloads in this phase, or in these, with commas")
    parser.add_argument(
        "-o",
        "--output",
        choices=("table", "wide", "json", "yaml", "name"),
        default="table",
        help="what to print: a table, a wider one, a report (`workloadmap schema workload-report`), or names"
        " (default: table)",
    )
    parser.add_argument("-w", "--watch", action="store_true", help="go on, and print what changes")
    add_color(parser)
    add_cluster(parser)
    add_scope(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """List the workloads."""
    from workloadmap_spec.cli.cluster import read_scope  # noqa: PLC0415 - not for help

    types = [name for word in arguments.types for name in word.split(",") if name]
    if arguments.all and types:
        raise UsageError("--all and kinds exclude each other", "leave one of them out")
    phases = _phases(arguments.phase)
    if arguments.watch and arguments.output not in ("table", "wide"):
        raise UsageError(f"--watch prints a table, so there is no use for -o {arguments.output}", "leave it out")
    messages = Messages()
    if arguments.watch:
        return _watch(arguments, types, phases, messages)
    found = read_scope(arguments, types, messages)
    report = report_of(found, phases)
    _print(report, arguments)
    _tell(found, report, messages)
    return messages.code


def _phases(text: str | None) -> tuple[str, ...]:
    """The phases that are asked for, in any case; none means all.

    Raises:
        UsageError: One of them is none.

    """
    known = {phase.lower(): phase for phase in _PHASES}
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    for word in words:
        if word.lower() not in known:
            raise UsageError(f"there is no phase `{word}`", f"the phases are: {', '.join(_PHASES)}")
    return tuple(known[word.lower()] for word in words)


def report_of(found: Input, phases: tuple[str, ...] = ()) -> dict[str, Any]:
    """The report of what a cluster has; with phases, of the workloads that are in one of them."""
    from workloadmap_spec.cli.age import now  # noqa: PLC0415 - not for help
    from workloadmap_spec.report.build import build_report, select  # noqa: PLC0415

    report = build_report(found.reading, found.documents, now())
    return select(report, phases) if phases else report


def _print(report: Mapping[str, Any], arguments: Namespace) -> None:
    """Print the report."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.get_text import names, table  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_documents, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415

    if arguments.output in ("json", "yaml"):
        write_documents([report], arguments.output, single=True)
    elif arguments.output == "name":
        write_text("".join(f"{name}\n" for name in names(report)))
    elif report["workloads"]:
        style = style_of(sys.stdout, arguments.color)
        lines = table(report, style, is_wide=arguments.output == "wide", has_namespaces=arguments.all_namespaces)
        write_text("\n".join([*lines, ""]))


def _tell(found: Input, report: Mapping[str, Any], messages: Messages) -> None:
    """Tell what could not be read, or that there is nothing."""
    from workloadmap_spec.cli.inputs import tell_diagnostics, tell_unread  # noqa: PLC0415 - not for help

    if found.reading.maps:
        tell_unread(found.reading, messages)
    for document, workload_map in found.reading.maps:
        tell_diagnostics(document, workload_map, messages)
    if not report["workloads"]:
        messages.note("there is no such workload", "-A looks in all namespaces")


def _watch(arguments: Namespace, types: list[str], phases: tuple[str, ...], messages: Messages) -> int:
    """Print the table, and then the rows that change, until somebody stops it."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.cluster import Input, has_all_pods, namespace_of, open_cluster, tell_skipped  # noqa: PLC0415
    from workloadmap_spec.cli.get_text import Rows  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415
    from workloadmap_spec.cluster.kinds import resolve  # noqa: PLC0415
    from workloadmap_spec.cluster.watch import watch  # noqa: PLC0415

    cluster = open_cluster(arguments, messages)
    kinds = resolve(cluster.kinds, types) if types else list(cluster.kinds.served)
    rows = Rows(
        style_of(sys.stdout, arguments.color),
        is_wide=arguments.output == "wide",
        has_namespaces=arguments.all_namespaces,
    )
    told: set[Any] = set()
    watching = watch(
        cluster,
        kinds,
        namespace_of(arguments, cluster),
        arguments.selector,
        tell=lambda resource, error: messages.warning(f"{resource.name}: {error.message}", error.cure),
    )
    with watching:
        for _changes in watching:
            fetched = watching.mirror.fetched()
            tell_skipped([entry for entry in fetched.skipped if entry not in told], messages)
            told |= set(fetched.skipped)
            reading = cluster.catalog.read_all(fetched.documents, all_pods=has_all_pods(fetched))
            report = report_of(Input(fetched.documents, reading, cluster.catalog), phases)
            write_text("".join(f"{line}\n" for line in rows.changed(report)))
            sys.stdout.flush()
    return messages.code

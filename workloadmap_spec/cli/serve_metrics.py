"""`workloadmap serve-metrics`: the metrics of a cluster's workloads, for a scraper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command, add_mappings
from workloadmap_spec.cli.cluster import add_cluster, add_scope
from workloadmap_spec.cli.messages import CommandError, Messages, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

_DESCRIPTION: Final = """
Watch the workloads of a cluster, and serve what `workloadmap report --format
openmetrics` would say of them at http://ADDRESS/metrics, for Prometheus and its
like, until it is stopped. docs/metrics.md has the names. A request that finds
something changed makes the text anew, and others get the one that is there.

/healthz answers 200 as long as the cluster is watched. Needs the extra: pip
install 'workloadmap-spec[cluster]'.
"""
_ADDRESS: Final = "127.0.0.1:9464"
_MAX_PORT: Final = 65535


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "serve-metrics",
        "serve metrics of a cluster's workloads",
        _DESCRIPTION,
        [
            "workloadmap serve-metrics -A",
            "workloadmap serve-metrics jobset -A --listen :9464 --prices docs/prices.yaml",
        ],
    )
    parser.add_argument(
        "types", metavar="TYPE", nargs="*", help="kinds, also several with commas between (default: all)"
    )
    add_mappings(parser)
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        default=_ADDRESS,
        help=f"host and port; without a host on all addresses (default: {_ADDRESS})",
    )
    parser.add_argument("--prices", metavar="FILE", help="what resources cost, to add costs")
    add_cluster(parser)
    add_scope(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Serve until somebody stops it."""
    import threading  # noqa: PLC0415 - not for help

    from workloadmap_spec.cli.cluster import namespace_of, open_cluster, tell_skipped  # noqa: PLC0415
    from workloadmap_spec.cli.metrics_server import Metrics, make_server  # noqa: PLC0415
    from workloadmap_spec.cluster.kinds import resolve  # noqa: PLC0415
    from workloadmap_spec.cluster.watch import watch  # noqa: PLC0415
    from workloadmap_spec.report.prices import load_prices  # noqa: PLC0415

    address = _address(arguments.listen)
    prices = load_prices(arguments.prices) if arguments.prices else None
    messages = Messages()
    cluster = open_cluster(arguments, messages)
    types = [name for word in arguments.types for name in word.split(",") if name]
    kinds = resolve(cluster.kinds, types) if types else list(cluster.kinds.served)
    metrics = Metrics(cluster, prices)
    try:
        server = make_server(address, metrics)
    except OSError as error:
        raise CommandError(
            f"{arguments.listen}: it cannot be listened on: {error.strerror or error}", "name another with --listen"
        ) from error
    watching = watch(
        cluster,
        kinds,
        namespace_of(arguments, cluster),
        arguments.selector,
        tell=lambda resource, error: messages.warning(f"{resource.name}: {error.message}", error.cure),
    )
    told: set[object] = set()
    with watching, server:
        for _changes in watching:
            fetched = watching.mirror.fetched()
            tell_skipped([entry for entry in fetched.skipped if entry not in told], messages)
            told |= set(fetched.skipped)
            metrics.update(fetched)
            if not metrics.is_served:
                metrics.is_served = True
                # What scrapes before the first list is there would take an empty cluster for the truth.
                threading.Thread(target=server.serve_forever, daemon=True).start()
                host, port = server.server_address[:2]
                messages.note(f"serving http://{host if isinstance(host, str) else host.decode()}:{port}/metrics")
    return messages.code


def _address(text: str) -> tuple[str, int]:
    """Host and port.

    Raises:
        UsageError: It is none.

    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > _MAX_PORT:
        raise UsageError(f"`{text}` is no address", f"write host and port, such as {_ADDRESS}, or :9464 for all hosts")
    return host.strip("[]"), int(port)

"""Input from a cluster: options that say which, and documents that are read like those of files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.messages import UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from workloadmap_spec.catalog import Catalog, Reading
    from workloadmap_spec.cli.messages import Messages
    from workloadmap_spec.cluster.discovery import Skipped
    from workloadmap_spec.cluster.fetching import Fetched
    from workloadmap_spec.cluster.view import Cluster
    from workloadmap_spec.documents import Document

#: An object of the cluster among paths: `jobset/demo`, `jobsets.jobset.x-k8s.io/demo`.
_OBJECT: Final = re.compile(r"[A-Za-z][A-Za-z0-9.-]*/[a-z0-9][-a-z0-9.]*")


@dataclass(slots=True)
class Input:
    """What is to be read, and what it gave."""

    documents: list[Document]
    reading: Reading
    #: The mappings that it was read with.
    catalog: Catalog


def add_cluster(parser: ArgumentParser) -> None:
    """Add the options that say which cluster, and which namespace of it."""
    group = parser.add_argument_group("cluster options")
    group.add_argument("--context", metavar="NAME", help="a context of kubeconfig (default: the current one)")
    group.add_argument("--kubeconfig", metavar="FILE", help="a kubeconfig file (default: as kubectl finds it)")
    group.add_argument("-n", "--namespace", metavar="NAME", help="a namespace (default: that of the context)")


def add_scope(parser: ArgumentParser) -> None:
    """Add the options that say which workloads of the cluster."""
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="the workloads of all namespaces")
    parser.add_argument("-l", "--selector", metavar="LABELS", help="the workloads with these labels, as in kubectl")


def is_object(path: str) -> bool:
    """Whether a path means an object of the cluster: TYPE/NAME, where there is no such file."""
    from pathlib import Path  # noqa: PLC0415 - takes time to import

    return bool(_OBJECT.fullmatch(path)) and not path.endswith((".yaml", ".yml", ".json")) and not Path(path).exists()


def open_cluster(arguments: Namespace, messages: Messages) -> Cluster:
    """The cluster that the arguments name, with the mappings of `-m`, those that it holds, and the shipped ones.

    Raises:
        ClusterError: It cannot be asked.
        WorkloadMapError: A mapping of `-m` cannot be used.

    """
    from workloadmap_spec.catalog import Catalog  # noqa: PLC0415 - few commands ask a cluster
    from workloadmap_spec.cluster.connection import connect  # noqa: PLC0415
    from workloadmap_spec.cluster.discovery import discover  # noqa: PLC0415
    from workloadmap_spec.cluster.kinds import covered_kinds  # noqa: PLC0415
    from workloadmap_spec.cluster.stored import stored_mappings  # noqa: PLC0415
    from workloadmap_spec.cluster.view import Cluster  # noqa: PLC0415

    connection = connect(arguments.kubeconfig, arguments.context)
    discovery = discover(connection)
    tell_skipped(discovery.skipped, messages)
    stored, skipped = stored_mappings(connection, discovery)
    tell_skipped(skipped, messages)
    catalog = Catalog.builtin()
    if stored:
        catalog = catalog.with_documents(stored)
    for path in arguments.mapping:
        catalog = catalog.with_mappings([path])
    return Cluster(connection, catalog, covered_kinds(discovery, catalog))


def namespace_of(arguments: Namespace, cluster: Cluster) -> str | None:
    """The namespace that is meant; None for all.

    Raises:
        UsageError: One and all are asked for.

    """
    if getattr(arguments, "all_namespaces", False):
        if arguments.namespace is not None:
            raise UsageError("-n and -A exclude each other", "leave one of them out")
        return None
    return str(arguments.namespace or cluster.connection.namespace)


def tell_skipped(entries: Iterable[Skipped], messages: Messages) -> None:
    """Tell what the cluster did not give, each once."""
    for entry in dict.fromkeys(entries):
        messages.warning(f"left out {entry.kind}: {entry.reason}", entry.cure)


def has_all_pods(fetched: Fetched) -> bool:
    """Whether the cluster let all pods be read."""
    return all(entry.kind != "pods" for entry in fetched.skipped)


def read_objects(
    arguments: Namespace, catalog: Catalog, paths: Iterable[str], messages: Messages, *, strict: bool = False
) -> Input:
    """Read the input of a command: files and streams, and objects of the cluster, named TYPE/NAME, with their pods.

    Raises:
        ClusterError: The cluster cannot be asked, or has no such object.

    """
    from workloadmap_spec.cli.inputs import documents_of  # noqa: PLC0415 - imports the reader

    paths = list(paths)
    named = [path for path in paths if is_object(path)]
    documents = list(documents_of([path for path in paths if path not in named], messages))
    all_pods = bool(named)
    if named:
        from workloadmap_spec.cluster.fetching import fetch_one  # noqa: PLC0415 - few commands ask a cluster

        cluster = open_cluster(arguments, messages)
        catalog = cluster.catalog
        for path in named:
            kind, _, name = path.partition("/")
            fetched = fetch_one(cluster, cluster.kinds.resolve(kind), name, arguments.namespace)
            tell_skipped(fetched.skipped, messages)
            documents += fetched.documents
            all_pods &= has_all_pods(fetched)
    reading = catalog.read_all(documents, strict=strict, all_pods=all_pods)
    order = {id(document): number for number, document in enumerate(documents)}
    reading.unread.sort(key=lambda unread: order[id(unread.document)])
    return Input(documents, reading, catalog)


def read_scope(arguments: Namespace, types: Iterable[str], messages: Messages, *, with_nodes: bool = False) -> Input:
    """Read the workloads of the cluster that the arguments name.

    Args:
        arguments: The options of `add_cluster` and `add_scope`, and `-m`.
        types: Names of kinds; none for all that the cluster serves.
        messages: Where to tell what was left out.
        with_nodes: Read the nodes too, whose labels decide on prices.

    Raises:
        ClusterError: The cluster cannot be asked, or serves no such kind.

    """
    from workloadmap_spec.cluster.fetching import fetch_workloads  # noqa: PLC0415 - few commands ask a cluster
    from workloadmap_spec.cluster.kinds import resolve  # noqa: PLC0415

    cluster = open_cluster(arguments, messages)
    names = list(types)
    kinds = resolve(cluster.kinds, names) if names else list(cluster.kinds.served)
    fetched = fetch_workloads(cluster, kinds, namespace_of(arguments, cluster), arguments.selector)
    tell_skipped(fetched.skipped, messages)
    reading = cluster.catalog.read_all(fetched.documents, all_pods=has_all_pods(fetched))
    nodes, skipped = read_nodes(cluster) if with_nodes else ([], [])
    tell_skipped(skipped, messages)
    return Input([*fetched.documents, *nodes], reading, cluster.catalog)


def read_nodes(cluster: Cluster) -> tuple[list[Document], list[Skipped]]:
    """The nodes of a cluster; none, and why, if they may not be read."""
    from workloadmap_spec.cluster.errors import StatusError  # noqa: PLC0415 - few commands ask a cluster
    from workloadmap_spec.cluster.listing import list_objects, skipped  # noqa: PLC0415
    from workloadmap_spec.documents import Document, normalize  # noqa: PLC0415

    resource = cluster.kinds.discovery.find("v1", "Node")
    if resource is None:
        return [], []
    try:
        items = list_objects(cluster.connection, resource, None, None).items
    except StatusError as error:
        return [], [skipped(resource, error, "list", None)]
    return [Document(normalize(item), cluster.connection.context) for item in items], []

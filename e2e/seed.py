"""Fills a server with objects that others have written: samples of projects, and objects recorded in clusters.

The folder that has them is laid out by project: `PROJECT/crds` has CustomResourceDefinitions, `PROJECT/samples`
objects, and `PROJECT/recorded` files whose `states` have an `object` each. It is no part of this project, and may be
absent.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from e2e.cluster import Cluster, RefusedError
from e2e.pods import make_pods
from workloadmap_spec import Catalog
from workloadmap_spec.documents import load_all
from workloadmap_spec.errors import NoMappingError

if TYPE_CHECKING:
    from collections.abc import Iterator

UPSTREAM_VARIABLE: Final = "WORKLOADMAP_UPSTREAM"

#: What of an object's metadata is its author's; the server refuses the rest, or sets it.
_METADATA: Final = ("name", "labels", "annotations", "finalizers", "ownerReferences")

#: Labels that the server gives to the pods of a Job.
_JOB_LABELS: Final = (
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where an object comes from."""

    project: str
    file: str
    #: Counted from 0 in the file.
    number: int

    def __str__(self) -> str:
        """The source in messages."""
        return f"{self.project}/{self.file}#{self.number}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that the server, or the reader of the files, did not take."""

    source: Source
    #: What was refused: `definition`, `document`, `object`, `status` or `pod`.
    what: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Seeded:
    """An object that is on the server."""

    source: Source
    #: The object as it was sent, with the status that was written afterwards.
    sent: dict[str, Any]
    #: The names of the pods that were made for it, in its namespace.
    pods: tuple[str, ...] = ()

    @property
    def gvk(self) -> tuple[str, str]:
        """API version and kind."""
        return self.sent["apiVersion"], self.sent["kind"]

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.sent["metadata"]["name"])

    @property
    def namespace(self) -> str | None:
        """The namespace, if the kind has one."""
        namespace: str | None = self.sent["metadata"].get("namespace")
        return namespace


@dataclass(frozen=True, slots=True)
class Seed:
    """What is on the server, and what is not."""

    #: The objects that a shipped mapping reads.
    workloads: list[Seeded] = field(default_factory=list)
    #: Other objects: those that workloads refer to, and what comes with them.
    others: list[Seeded] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    def kinds(self) -> set[tuple[str, str]]:
        """API version and kind of the workloads."""
        return {entry.gvk for entry in self.workloads}


def upstream() -> Path | None:
    """The folder with the files, or None where there is none."""
    configured = os.environ.get(UPSTREAM_VARIABLE)
    folder = Path(configured) if configured else Path(__file__).resolve().parents[2] / "shared" / "upstream"
    return folder if folder.is_dir() else None


def fill(cluster: Cluster, folder: Path) -> Seed:
    """Put everything on a server that has nothing of it yet.

    The objects of a project go to the namespace of its name. Where a name is taken there, the object goes to the first
    of the namespaces PROJECT-2, PROJECT-3 and so on that has it not: recordings are states of one object.
    """
    seed = Seed()
    _install(cluster, folder, seed)
    taken: set[tuple[str, str, str, str]] = set()
    namespaces: set[str] = set()
    for source, document in _objects(folder, seed):
        try:
            placed = _place(cluster, source, document, taken, namespaces)
            entry = _create(cluster, source, placed, seed)
        except RefusedError as error:
            seed.refusals.append(Refusal(source, "object", document["kind"], str(error)))
            continue
        (seed.workloads if _is_workload(entry) else seed.others).append(entry)
    seed.workloads[:] = [_with_pods(cluster, entry, seed) for entry in seed.workloads]
    return seed


def _install(cluster: Cluster, folder: Path, seed: Seed) -> None:
    """Create the definitions; of several with one name, the last is taken, as if each was applied in turn."""
    definitions: dict[str, tuple[Source, dict[str, Any]]] = {}
    for file in sorted(folder.glob("*/crds/*")):
        documents = yaml.load_all(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for number, document in enumerate(documents):
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                definitions[document["metadata"]["name"]] = Source(file.parts[-3], file.name, number), document
    installed = []
    for name, (source, definition) in definitions.items():
        try:
            cluster.create(_without_webhook(definition))
        except RefusedError as error:
            seed.refusals.append(Refusal(source, "definition", definition["spec"]["names"]["kind"], str(error)))
        else:
            installed.append(name)
    cluster.await_established(installed)


def _without_webhook(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition whose versions differ in nothing but their name: the project's server that converts is not there.

    The status, which files of releases have, is left to the server.
    """
    metadata = {name: definition["metadata"][name] for name in _METADATA if name in definition["metadata"]}
    spec = {name: value for name, value in definition["spec"].items() if name != "conversion"}
    return {"apiVersion": definition["apiVersion"], "kind": definition["kind"], "metadata": metadata, "spec": spec}


def _objects(folder: Path, seed: Seed) -> Iterator[tuple[Source, dict[str, Any]]]:
    """The objects of all files, by project and file."""
    for file in sorted([*folder.glob("*/samples/*"), *folder.glob("*/recorded/*.yaml")]):
        project = file.parts[-3]
        documents, errors = load_all(file.read_bytes(), file.name)
        for number, error in enumerate(errors):
            seed.refusals.append(Refusal(Source(project, file.name, number), "document", "", error.message))
        values: list[Any] = [document.value for document in documents]
        if file.parent.name == "recorded":
            values = [state["object"] for value in values for state in value["states"]]
        for number, value in enumerate(values):
            source = Source(project, file.name, number)
            if isinstance(value, dict) and {"apiVersion", "kind"} <= value.keys():
                yield source, value
            else:
                seed.refusals.append(Refusal(source, "document", "", "it has neither apiVersion nor kind"))


def _place(
    cluster: Cluster,
    source: Source,
    document: dict[str, Any],
    taken: set[tuple[str, str, str, str]],
    namespaces: set[str],
) -> dict[str, Any]:
    """An object as it is sent: with a name, in a namespace of the project, and with nothing that the server sets."""
    api_version, kind = document["apiVersion"], document["kind"]
    given = document.get("metadata") or {}
    metadata = {name: given[name] for name in _METADATA if given.get(name)}
    # A name that the server makes up would be another one each time.
    metadata.setdefault("name", str(given.get("generateName", source.file)).rstrip("-."))
    if cluster.is_namespaced(api_version, kind):
        group = api_version.rpartition("/")[0]
        number, namespace = 1, source.project
        while (key := (namespace, group, kind, metadata["name"])) in taken:
            number += 1
            namespace = f"{source.project}-{number}"
        taken.add(key)
        metadata["namespace"] = namespace
        if namespace not in namespaces:
            cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            namespaces.add(namespace)
    return {**_without_uid(document), "metadata": metadata}


def _without_uid(document: dict[str, Any]) -> dict[str, Any]:
    """An object without what the server derives from the `uid` that it gives.

    A Job selects its pods by labels with its uid, which the server puts into it and refuses from anybody else.
    """
    spec = document.get("spec", {})
    if (document["apiVersion"], document["kind"]) != ("batch/v1", "Job") or spec.get("manualSelector"):
        return document
    template = spec["template"]
    metadata = template.get("metadata", {})
    labels = {name: value for name, value in metadata.get("labels", {}).items() if name not in _JOB_LABELS}
    spec = {name: value for name, value in spec.items() if name != "selector"}
    return {**document, "spec": {**spec, "template": {**template, "metadata": {**metadata, "labels": labels}}}}


def _create(cluster: Cluster, source: Source, document: dict[str, Any], seed: Seed) -> Seeded:
    """Create an object, and write its status.

    Raises:
        RefusedError: the server does not take it; a status alone that it does not take is noted.
    """
    status = document.get("status")
    if not status or not cluster.has_status(document["apiVersion"], document["kind"]):
        cluster.create(document)
        return Seeded(source, document)
    bare = {name: value for name, value in document.items() if name != "status"}
    created = cluster.create(bare)
    try:
        cluster.write_status({**created, "status": status})
    except RefusedError as error:
        seed.refusals.append(Refusal(source, "status", document["kind"], str(error)))
        return Seeded(source, bare)
    return Seeded(source, document)


def _is_workload(entry: Seeded) -> bool:
    try:
        Catalog.builtin().find(*entry.gvk)
    except NoMappingError:
        return False
    return True


def _with_pods(cluster: Cluster, entry: Seeded, seed: Seed) -> Seeded:
    """The entry with its pods, which are on the server; a workload that tells no labels of its pods gets none."""
    stored = cluster.get(*entry.gvk, entry.name, entry.namespace)
    names = []
    for pod in make_pods(stored):
        try:
            created = cluster.create({name: value for name, value in pod.items() if name != "status"})
            cluster.write_status({**created, "status": pod["status"]})
        except RefusedError as error:
            seed.refusals.append(Refusal(entry.source, "pod", entry.gvk[1], str(error)))
        else:
            names.append(pod["metadata"]["name"])
    return Seeded(entry.source, entry.sent, tuple(names))

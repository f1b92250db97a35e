"""Input: documents from files, folders and the standard input, read with a catalogue, and what is told of the rest."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from workloadmap_spec.catalog import Catalog
from workloadmap_spec.cli.arguments import STDIN
from workloadmap_spec.cli.messages import FAILED, Messages
from workloadmap_spec.documents import STDIN_NAME, Document, load_path, stream
from workloadmap_spec.errors import Location, NoMappingError
from workloadmap_spec.no_workloads import why_no_workload
from workloadmap_spec.read import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.catalog import Reading, Unread
    from workloadmap_spec.errors import InputError
    from workloadmap_spec.read import WorkloadMap

#: The API group of this project's own documents.
_OWN_GROUP: Final = API_VERSION.partition("/")[0]

#: What to do with the documents of this project that are no workloads.
_OWN_KINDS: Final = {
    "WorkloadMapping": ("is a mapping, and no workload", "use it with -m, check it with `workloadmap validate`"),
    "ConformanceCase": ("is a conformance case, and no workload", "run it with `workloadmap test`"),
    "WorkloadMap": ("is a map already, and no workload", "give the object that it was made from"),
    "WorkloadReport": ("is a report, and no workload", "give the objects that it was made from"),
    "ValidationReport": ("is a report, and no workload", "give a workload"),
    "ConformanceReport": ("is a report, and no workload", "give a workload"),
    "ExpectedFailures": ("is a list of failures, and no workload", "use it with `workloadmap conformance run`"),
}


def catalog_of(mappings: Sequence[str]) -> Catalog:
    """The shipped mappings, and those that the command line names before them, the last of them first.

    Raises:
        WorkloadMapError: A path does not exist, or a mapping cannot be used.

    """
    catalog = Catalog.builtin()
    for path in mappings:
        catalog = catalog.with_mappings([path])
    return catalog


def standard_input() -> IO[bytes] | IO[str]:
    """The standard input, as bytes where it has them."""
    return getattr(sys.stdin, "buffer", sys.stdin)


def documents_of(paths: Iterable[str], messages: Messages, *, flat: bool = False) -> Iterator[Document]:
    """The documents of the input that can be read, as they come; what cannot is told and passed over.

    Args:
        paths: Files, folders and `-`.
        messages: Where to tell.
        flat: Keep the memory flat: never hold more of a file than one document.

    """
    errors: Callable[[InputError], None] = messages.wrong
    for path in paths:
        if path == STDIN:
            yield from stream(standard_input(), STDIN_NAME, errors)
        elif flat and not Path(path).is_dir():
            try:
                with Path(path).open("rb") as file:
                    yield from stream(file, path, errors)
            except OSError as error:
                text = f"{path}: it cannot be read: {error.strerror or error}"
                messages.error(text, "check the path and its permissions", FAILED)
        else:
            yield from load_path(path, errors)


class Leftovers:
    """Documents that gave no map: errors are told at once, kinds without a mapping once, all others in one note."""

    def __init__(self, messages: Messages) -> None:
        """Begin with none."""
        self._messages = messages
        self._counts: Counter[str] = Counter()
        self._unmapped: Counter[tuple[str, str]] = Counter()

    def add(self, unread: Unread) -> None:
        """Take one."""
        value: Any = unread.document.value
        if not isinstance(unread.error, NoMappingError):
            self._messages.wrong(unread.error)
        elif value["apiVersion"].startswith(f"{_OWN_GROUP}/") and value["kind"] in _OWN_KINDS:
            what, cure = _OWN_KINDS[value["kind"]]
            place = unread.document.location("")
            self._messages.note(f"{Location(place.source, place.line, place.column)}: this {what}", cure)
        elif why_no_workload(value["apiVersion"], value["kind"]):
            self._counts[value["kind"]] += 1
        else:
            kind = (value["kind"], value["apiVersion"])
            if kind not in self._unmapped:
                self._messages.wrong(unread.error)
            self._unmapped[kind] += 1

    def tell(self) -> None:
        """Write what is told of many objects at once, if there were any."""
        for (kind, api_version), count in self._unmapped.items():
            if count > 1:
                more = "1 more object" if count == 2 else f"{count - 1} more objects"  # noqa: PLR2004 - the first, and it
                self._messages.error(f"no mapping fits {more} of kind {kind} ({api_version}) either")
        if not self._counts:
            return
        count = self._counts.total()
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self._counts.items()))
        left_out = "1 object that is no workload" if count == 1 else f"{count} objects that are no workloads"
        self._messages.note(f"left out {left_out}: {kinds}")


def tell_unread(reading: Reading, messages: Messages) -> None:
    """Tell what was not read."""
    leftovers = Leftovers(messages)
    for unread in reading.unread:
        leftovers.add(unread)
    leftovers.tell()
    for _document, workload_map in reading.maps:
        tell_wanted(workload_map, messages)
    if not reading.maps and not messages.code:
        messages.note("there is no workload in the input")


def tell_wanted(workload_map: WorkloadMap, messages: Messages) -> None:
    """Tell which objects a workload refers to that are not in the input, and how to fetch them."""
    for wanted in workload_map.wanted:
        what = f"{wanted['kind']} {wanted.get('resourceName', wanted.get('selector', ''))}".strip()
        messages.note(
            f"{title(workload_map.document['workload'])} refers to {what}, which is not in the input",
            f"add it: {fetch_command(wanted)}",
        )


def fetch_command(wanted: Mapping[str, Any]) -> str:
    """The command that prints a referenced object."""
    group, _, version = wanted["apiVersion"].rpartition("/")
    kind = f"{wanted['kind'].lower()}.{version}.{group}" if group else wanted["kind"].lower()
    words = ["kubectl", "get", kind]
    if "resourceName" in wanted:
        words.append(wanted["resourceName"])
    if wanted.get("selector"):
        words += ["-l", wanted["selector"]]
    if "namespace" in wanted:
        words += ["-n", wanted["namespace"]]
    return shlex.join([*words, "-o", "yaml"])


def tell_diagnostics(document: Document, workload_map: WorkloadMap, messages: Messages) -> None:
    """Tell the error diagnostics of a map whose output goes to a program, with the place of the workload."""
    for entry in workload_map.errors:
        found = workload_map.document
        place = document.location("")
        where = Location(place.source, place.line, place.column)
        text = f"{title(found['workload'])}: {diagnostic_text(entry, found['mapping']['name'])}"
        messages.error(f"{where}: {text}" if str(where) else text)


def title(workload: Mapping[str, Any]) -> str:
    """A workload's kind, namespace and name in a message."""
    name = "/".join(part for part in (workload.get("namespace"), workload.get("name")) if part)
    return f"{workload['kind']} {name}" if name else str(workload["kind"])


def diagnostic_text(entry: Mapping[str, Any], mapping: str) -> str:
    """One diagnostic in words: what is wrong, in which instance, and where in the mapping."""
    instance = f" in {entry['instance']}" if "instance" in entry else ""
    return (
        f"{entry['message']}{instance} [{entry['class']}, {entry['at']} of the mapping {entry.get('mapping', mapping)}]"
    )

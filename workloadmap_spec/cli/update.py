"""What `scale`, `set`, `suspend` and `resume` share: workloads are chosen, changed, and written or edited in place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import STDIN, add_mappings, add_paths, input_paths
from workloadmap_spec.cli.messages import CommandError, Messages, UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

    from workloadmap_spec.catalog import Catalog, Reading
    from workloadmap_spec.documents import Document
    from workloadmap_spec.errors import UpdateError
    from workloadmap_spec.writing.update import Change

#: What every one of the commands says about its input and output.
SHARED_DESCRIPTION: Final = """
All workloads of the input are changed, unless --kind or --name chooses some:
everything as asked, or nothing at all. Pods are changed only if there is no
other workload, or with --kind Pod; what a workload refers to is looked for in
the input. Every other object is passed through as it is.

  yaml         the changed objects, and the others as they were
  json         the same; several objects are a List
  json-patch   what has changed in one workload, as `kubectl patch --type=json`
               takes it
  merge-patch  the same for `kubectl patch --type=merge`

With --in-place the files themselves are edited, and comments and layout stay.
"""


def add_update_options(parser: ArgumentParser, *, is_part: bool = True) -> None:
    """Add what the commands share: the input, which workloads are meant, and where the result goes."""
    add_paths(parser)
    if is_part:
        parser.add_argument("--component", metavar="NAME", help="the component that is meant, as `map` names it")
        parser.add_argument("--instance", metavar="ID", help="the one instance that is meant, as `map` names it")
    parser.add_argument("--kind", metavar="KIND", help="change workloads of this kind only")
    parser.add_argument("--name", metavar="NAME", help="change workloads with this name only")
    add_mappings(parser)
    choices = ("yaml", "json", "json-patch", "merge-patch")
    parser.add_argument("-o", "--output", metavar="FORM", choices=choices, help="what to print (default: yaml)")
    parser.add_argument("-i", "--in-place", action="store_true", help="edit the files, and print nothing")


def part_of(arguments: Namespace) -> dict[str, str]:
    """The members of an intent that say which part of a workload is meant, as far as they are given."""
    given = {name: getattr(arguments, name) for name in ("component", "instance")}
    return {name: value for name, value in given.items() if value is not None}


def checked_intent(intent: dict[str, Any], option: str) -> dict[str, Any]:
    """An intent that fits its schema.

    Raises:
        UsageError: It does not, for the reason of an option of the command line.
    """
    from workloadmap_spec.errors import UpdateInvalidError  # noqa: PLC0415 - not for help
    from workloadmap_spec.writing.intents import check_intent  # noqa: PLC0415

    try:
        return check_intent(intent)
    except UpdateInvalidError as error:
        raise UsageError(f"{option}: {error.message}", error.cure) from error


@dataclass(slots=True)
class _Input:
    """What was read: all documents, as they are written and as they will be, and which of them are to be changed."""

    documents: list[Document]
    before: list[Any]
    after: dict[int, Any]
    chosen: list[int]


def run_update(arguments: Namespace, steps: Sequence[Any]) -> int:
    """Change the workloads of the input, and write what comes of it.

    Args:
        arguments: The command line.
        steps: What is done to each, one after the other: an intent, or a function that makes intents of the catalogue,
            the workload as it is then, and the references.
    """
    from workloadmap_spec.cli.inputs import catalog_of, documents_of  # noqa: PLC0415 - not for help
    from workloadmap_spec.writing.text import raw_values  # noqa: PLC0415

    paths = input_paths(arguments)
    if arguments.in_place and STDIN in paths:
        raise UsageError("the standard input cannot be edited in place", "name a file, or leave --in-place out")
    if arguments.in_place and arguments.output:
        raise UsageError("--in-place prints nothing, so there is no use for --output", "leave one of the two out")
    messages = Messages()
    catalog = catalog_of(arguments.mapping)
    documents = list(documents_of(paths, messages))
    reading = catalog.read_all(documents)
    chosen = _chosen(arguments, documents, reading, messages)
    if arguments.output in ("json-patch", "merge-patch") and len(chosen) > 1:
        raise UsageError(
            f"a patch is of one workload, and {len(chosen)} are meant", "choose one with --kind and --name"
        )
    found = _Input(documents, raw_values(documents), {}, chosen)
    changes = _change(catalog, found, steps, messages)
    if messages.code:
        messages.note("nothing was written")
        return messages.code
    if arguments.in_place:
        _edit_files(found)
    else:
        _write(found, arguments.output or "yaml", changes)
    for index, change in changes.items():
        count = len(change.json_patch())
        done = "nothing to change" if not count else "1 place changed" if count == 1 else f"{count} places changed"
        messages.note(f"{_title(documents[index])}: {done}")
    return messages.code


def _title(document: Document) -> str:
    """A workload in a message."""
    from workloadmap_spec.cli.inputs import title  # noqa: PLC0415 - not for help

    value: Any = document.value
    return title(
        {"kind": value["kind"], **{name: value.get("metadata", {}).get(name) for name in ("namespace", "name")}}
    )


# Which


def _chosen(arguments: Namespace, documents: Sequence[Document], reading: Reading, messages: Messages) -> list[int]:
    """The places of the documents that are to be changed; what is wrong with the input is told."""
    from workloadmap_spec.cli.inputs import Leftovers  # noqa: PLC0415 - not for help
    from workloadmap_spec.errors import NoMappingError  # noqa: PLC0415
    from workloadmap_spec.no_workloads import why_no_workload  # noqa: PLC0415

    places = {id(document): index for index, document in enumerate(documents)}
    found = sorted(places[id(document)] for document, _map in reading.maps)
    unmapped = [unread for unread in reading.unread if isinstance(unread.error, NoMappingError)]
    for unread in reading.unread:
        if not isinstance(unread.error, NoMappingError):
            messages.wrong(unread.error)
    if not found:
        leftovers = Leftovers(messages)
        for unread in unmapped:
            leftovers.add(unread)
        leftovers.tell()
        if not messages.code:
            messages.error("there is no workload in the input")
        return []
    for unread in unmapped:
        value: Any = unread.document.value
        if not why_no_workload(value["apiVersion"], value["kind"]):
            messages.note(f"{_title(unread.document)} stays as it is: {unread.error.message}")
    wanted = _wanted(arguments, {index: documents[index].value for index in found})
    if not wanted and not messages.code:
        what = " ".join(part for part in (arguments.kind, arguments.name) if part)
        shown = ", ".join(_title(documents[index]) for index in found[:8])
        messages.error(f"there is no workload {what} in the input", f"there are {shown}")
    return wanted


def _wanted(arguments: Namespace, workloads: Mapping[int, Any]) -> list[int]:
    """Those of the workloads that the command line means."""
    kinds = {index: str(value["kind"]) for index, value in workloads.items()}
    if arguments.kind is not None:
        found = [index for index, kind in kinds.items() if kind.casefold() == arguments.kind.casefold()]
    else:
        found = [index for index, kind in kinds.items() if kind != "Pod"] or list(kinds)
    if arguments.name is None:
        return found
    return [index for index in found if workloads[index].get("metadata", {}).get("name") == arguments.name]


# Change


def _change(catalog: Catalog, found: _Input, steps: Sequence[Any], messages: Messages) -> dict[int, Change]:
    """Change the workloads that were chosen; errors are told."""
    from workloadmap_spec.errors import UpdateError  # noqa: PLC0415 - not for help
    from workloadmap_spec.writing.update import Change  # noqa: PLC0415

    references = tuple(document.value for document in found.documents if _is_object(document.value))
    changes = {}
    for index in found.chosen:
        before = found.before[index]
        try:
            after = _changed(catalog, before, references, steps)
        except UpdateError as error:
            messages.wrong(_told(error, found.documents[index]))
            continue
        changes[index] = Change(before, after)
        if after is not before:
            found.after[index] = after
    return changes


def _is_object(value: object) -> bool:
    """Whether a document may be what a workload refers to; pods are not."""
    is_map = isinstance(value, dict) and isinstance(value.get("metadata", {}), dict)
    return is_map and (value.get("apiVersion"), value.get("kind")) != ("v1", "Pod")  # type: ignore[attr-defined]


def _changed(
    catalog: Catalog, workload: object, references: tuple[Mapping[str, Any], ...], steps: Sequence[Any]
) -> object:
    """A workload after all steps."""
    from workloadmap_spec.writing.update import update  # noqa: PLC0415 - not for help

    for step in steps:
        intents = step(catalog, workload, references) if callable(step) else [step]
        for intent in intents:
            workload = update(catalog, workload, intent, references).after
    return workload


#: Members of intents, to which the pointers of errors lead, by the option that gives them.
_OPTIONS: Final = {"/component": "--component", "/instance": "--instance", "/container": "--container"}


def _told(error: UpdateError, document: Document) -> UpdateError:
    """An error of an update, with the workload that it is about, and the option if one is wrong."""
    from workloadmap_spec.errors import Location  # noqa: PLC0415 - not for help

    pointer = error.location.pointer or ""
    option = _OPTIONS.get(pointer)
    place = document.location("" if option else pointer)
    text = f"{_title(document)}: {f'{option}: ' if option else ''}{error.message}"
    where = Location(place.source, place.line, place.column, None if option else pointer or None)
    return type(error)(text, where, error.cure)


# Output


def _write(found: _Input, output: str, changes: Mapping[int, Change]) -> None:
    """Print the objects, or what has changed in the one that was chosen."""
    from workloadmap_spec.canonical import dumps  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_data, write_documents  # noqa: PLC0415

    if output in ("json-patch", "merge-patch"):
        (change,) = changes.values()
        write_data(f"{dumps(change.json_patch() if output == 'json-patch' else change.merge_patch())}\n")
        return
    values = [found.after.get(index, value) for index, value in enumerate(found.before)]
    if output == "json" and len(values) > 1:
        # What kubectl takes where several objects are one JSON value.
        values = [{"apiVersion": "v1", "kind": "List", "items": values}]
    write_documents(values, output, single=True)


def _edit_files(found: _Input) -> None:
    """Edit the files in which something changes: all of them, or none if one cannot be."""
    by_source: dict[str, list[int]] = {}
    for index, document in enumerate(found.documents):
        by_source.setdefault(document.source, []).append(index)
    texts = {}
    for source, indexes in by_source.items():
        after = {number: found.after[index] for number, index in enumerate(indexes) if index in found.after}
        if after:
            texts[Path(source)] = _edited(source, [found.documents[index] for index in indexes], after)
    _replace_files(texts)


def _edited(source: str, documents: Sequence[Document], after: Mapping[int, Any]) -> bytes:
    """The new content of a file."""
    from workloadmap_spec.writing.text import InPlaceError, changed_text  # noqa: PLC0415 - for this option only

    text = Path(source).read_bytes().decode("utf-8", "surrogateescape")
    try:
        return changed_text(text, documents, after, source).encode("utf-8", "surrogateescape")
    except InPlaceError as error:
        place = str(error.location or source)
        message = f"{place}: this text cannot be edited in place: {error.message}"
        raise CommandError(
            message, "nothing was written; leave --in-place out, and `-o yaml` prints it anew"
        ) from error


def _replace_files(texts: Mapping[Path, bytes]) -> None:
    """Write new contents beside the files, and put them in their places when all are there."""
    import os  # noqa: PLC0415 - for this option only
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    ready: list[tuple[str, Path]] = []
    try:
        for path, content in texts.items():
            # The file that a link leads to is edited, and the link stays.
            real = path.resolve()
            descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
            ready.append((name, real))
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            shutil.copymode(real, name)
        while ready:
            name, real = ready[0]
            Path(name).replace(real)
            ready.pop(0)
    finally:
        for name, _real in ready:
            Path(name).unlink(missing_ok=True)

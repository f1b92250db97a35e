"""`workloadmap gang --format`: the pod groups in the form that a scheduler takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.messages import OK, UNREAD, Messages, UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.catalog import Catalog, Reading
    from workloadmap_spec.documents import Document
    from workloadmap_spec.schedulers.model import Options, Values
    from workloadmap_spec.schedulers.pods import BoundPod
    from workloadmap_spec.schedulers.render import Rendered

#: As in `schedulers/render.py`, which is not imported for help; a test compares the two.
FORMATS: Final = ("kai", "volcano", "coscheduling", "yunikorn", "kueue", "native")

#: The options that mean something only with `--format`, with the attribute of the command line.
_OPTIONS: Final = {
    "--api-version": "api_version",
    "--queue": "queue",
    "--priority-class": "priority_class",
    "--topology": "topology",
    "--scheduler-name": "scheduler_name",
    "--prebuilt": "prebuilt",
    "--pods": "pods",
    "--patch": "patch",
}


def add_options(parser: ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("for a scheduler")
    named = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
    group.add_argument(
        "--format", metavar="NAME", choices=FORMATS, help=f"the scheduler that is to take the groups: {named}"
    )
    group.add_argument("--api-version", metavar="VERSION", help="of the scheduler's API, where it has several")
    group.add_argument("--queue", metavar="NAME", help="the queue of all groups, instead of their own")
    group.add_argument(
        "--priority-class", metavar="NAME", help="the priority class of all groups, instead of their own"
    )
    group.add_argument(
        "--topology", metavar="NAME", help="what the topology keys are levels of: KAI's Topology, Volcano's tier"
    )
    group.add_argument("--scheduler-name", metavar="NAME", help="the name under which the scheduler runs")
    group.add_argument(
        "--prebuilt", action="store_true", help="Kueue: make the Workload too, instead of leaving that to Kueue"
    )
    group.add_argument("--pods", action="store_true", help="bind the pods in the input too")
    group.add_argument(
        "--patch", action="store_true", help="print the JSON Patch that binds the workload's pod templates, and no more"
    )


def check_options(arguments: Namespace) -> None:
    """Check the options against each other.

    Raises:
        UsageError: They do not fit.
    """
    if arguments.format is None:
        for option, name in _OPTIONS.items():
            if getattr(arguments, name):
                raise UsageError(f"{option} is for a scheduler, and none is named", "give --format NAME")
        if arguments.output == "manifests":
            raise UsageError("manifests are for a scheduler, and none is named", "give --format NAME")
    elif arguments.output == "table":
        raise UsageError("a table is for people, and --format is for a scheduler", "leave one of the two out")
    elif arguments.patch and (arguments.pods or arguments.output is not None):
        other = "--pods" if arguments.pods else "-o"
        raise UsageError(f"--patch prints a JSON Patch and no more, so there is no use for {other}", "leave it out")


@dataclass(frozen=True, slots=True)
class _Result:
    """One workload: what it came from, and its groups."""

    document: Document
    rendered: Rendered
    pods: list[BoundPod]


def run_scheduler(arguments: Namespace) -> int:
    """Print the groups for a scheduler."""
    from workloadmap_spec.cli.arguments import input_paths  # noqa: PLC0415
    from workloadmap_spec.cli.cluster import read_objects  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import catalog_of, tell_diagnostics, tell_unread  # noqa: PLC0415

    # What is wrong with the options is told before anything is read.
    _options(arguments)
    messages = Messages()
    catalog = catalog_of(arguments.mapping)
    found = read_objects(arguments, catalog, input_paths(arguments), messages)
    documents, reading = found.documents, found.reading
    tell_unread(reading, messages)
    for document, workload_map in reading.maps:
        tell_diagnostics(document, workload_map, messages)
    results = list(_results(arguments, catalog, documents, reading, messages))
    for result in results:
        _tell(result, messages)
    _tell_same(results, messages)
    if arguments.patch:
        _write_patch(catalog, documents, results, messages)
    else:
        _write(arguments, results, messages)
    return messages.code


def _options(arguments: Namespace) -> Options:
    """What is asked for.

    Raises:
        UsageError: The scheduler has no such API version.
    """
    from workloadmap_spec.schedulers.model import Options  # noqa: PLC0415 - not for help
    from workloadmap_spec.schedulers.render import full_version  # noqa: PLC0415

    try:
        version = full_version(arguments.format, arguments.api_version)
    except ValueError as error:
        raise UsageError(f"--api-version: {error}") from error
    return Options(
        version=version,
        queue=arguments.queue,
        priority=arguments.priority_class,
        topology=arguments.topology,
        scheduler=arguments.scheduler_name,
        prebuilt=arguments.prebuilt,
    )


def _results(
    arguments: Namespace,
    catalog: Catalog,
    documents: Sequence[Document],
    reading: Reading,
    messages: Messages,
) -> Iterator[_Result]:
    """The groups of each workload of the input, told where that cannot be."""
    from workloadmap_spec.errors import WorkloadMapError  # noqa: PLC0415 - not for help
    from workloadmap_spec.schedulers.pods import bind_pods  # noqa: PLC0415

    options = _options(arguments)
    references = _references(documents)
    pods: list[Any] = [document.value for document in documents if _is_pod(document.value)]
    for document, _map in _workloads(reading):
        try:
            rendered = catalog.gang(document.value, arguments.format, options, references)
        except WorkloadMapError as error:
            messages.wrong(error.located(document.location(error.location.pointer or "")))
            continue
        yield _Result(document, rendered, bind_pods(rendered, pods) if arguments.pods else [])


def _workloads(reading: Reading) -> list[tuple[Document, Any]]:
    """The workloads of the input: a pod of its own is one only if there is nothing else."""
    found = [entry for entry in reading.maps if not _is_pod(entry[0].value)]
    return found or reading.maps


def _references(documents: Sequence[Document]) -> list[Any]:
    """What a workload may refer to."""
    return [
        document.value
        for document in documents
        if isinstance(document.value, dict)
        and isinstance(document.value.get("metadata", {}), dict)
        and not _is_pod(document.value)
    ]


def _is_pod(value: object) -> bool:
    """Whether a document is a pod."""
    return isinstance(value, dict) and (value.get("apiVersion"), value.get("kind")) == ("v1", "Pod")


def _tell(result: _Result, messages: Messages) -> None:
    """Tell what a user should know of one workload."""
    from workloadmap_spec.cli.inputs import title  # noqa: PLC0415 - not for help

    name = title(result.rendered.gang.workload)
    alike: dict[tuple[str, str, str | None], list[str]] = {}
    for message in result.rendered.messages:
        groups = alike.setdefault((message.severity, message.text, message.cure), [])
        groups += [] if message.group is None else [message.group]
    tell = {"error": messages.error, "warning": messages.warning, "note": messages.note}
    for (severity, text, cure), groups in alike.items():
        more = f" and {len(groups) - 1} more" if len(groups) > 1 else ""
        about = f" group {groups[0]}{more}:" if groups else ""
        tell[severity](f"{name}:{about} {text}", cure)
    for pod in result.pods:
        # What is on the workload itself is for all of its pods.
        if pod.reason is not None and not result.rendered.rendering.workload.to_dict():
            messages.warning(
                f"{name}: the pod {(pod.pod.get('metadata') or {}).get('name')} is not bound: {pod.reason}"
            )


def _tell_same(results: Sequence[_Result], messages: Messages) -> None:
    """Tell of objects that two workloads have: one would replace the other, and the pods of both be one group."""
    from workloadmap_spec.cli.inputs import title  # noqa: PLC0415 - not for help

    made: dict[tuple[str, ...], str] = {}
    for result in results:
        name = title(result.rendered.gang.workload)
        for document in result.rendered.rendering.objects:
            metadata = document["metadata"]
            key = (document["apiVersion"], document["kind"], metadata.get("namespace", ""), metadata["name"])
            if key in made:
                messages.error(
                    f"{name}: its {document['kind']} {metadata['name']} would replace that of {made[key]}",
                    "give one of the two another name",
                )
            made[key] = name


# Output


def _write_patch(
    catalog: Catalog, documents: Sequence[Document], results: Sequence[_Result], messages: Messages
) -> None:
    """Print the JSON Patch of the one workload."""
    from workloadmap_spec.canonical import dumps  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.inputs import title  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_data  # noqa: PLC0415
    from workloadmap_spec.errors import UpdateError  # noqa: PLC0415
    from workloadmap_spec.schedulers.patch import patch_workload  # noqa: PLC0415

    if len(results) > 1:
        raise UsageError(f"a patch is of one workload, and the input has {len(results)}", "give them one by one")
    if messages.code or not results:
        messages.code = messages.code or UNREAD
        messages.note("there is no patch")
        return
    (result,) = results
    try:
        change = patch_workload(catalog, result.document.value, result.rendered, _references(documents))
    except UpdateError as error:
        messages.error(f"{title(result.rendered.gang.workload)}: {error.message}", error.cure)
        return
    write_data(f"{dumps(change.json_patch())}\n")


def _write(arguments: Namespace, results: Sequence[_Result], messages: Messages) -> None:
    """Print the objects, or everything."""
    from workloadmap_spec.canonical import to_yaml  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_data, write_documents  # noqa: PLC0415

    if arguments.output in ("json", "yaml"):
        found = [_document(arguments, result) for result in results]
        write_documents(found, arguments.output, single=len(found) == 1 and messages.code == OK)
        return
    for result in results:
        objects = [*result.rendered.rendering.objects, *(pod.bound() for pod in result.pods if pod.binding)]
        head = "".join(f"# {line}\n" if line else "#\n" for line in _comment(result.rendered))
        write_data(head + "".join(f"---\n{to_yaml(one)}" for one in objects))


def _document(arguments: Namespace, result: _Result) -> dict[str, Any]:
    """Everything of one workload."""
    found = result.rendered.to_dict()
    if arguments.pods:
        found["pods"] = [pod.to_dict() for pod in result.pods]
    return found


def _comment(rendered: Rendered) -> Iterator[str]:
    """How pods are bound to the objects, for the head of the manifests."""
    from workloadmap_spec.cli.inputs import title  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.style import clean  # noqa: PLC0415
    from workloadmap_spec.schedulers.render import FORMATS as NAMES  # noqa: PLC0415

    yield clean(f"{title(rendered.gang.workload)}, for {NAMES[rendered.format]}")
    on_workload = list(_lines(rendered.rendering.workload))
    if on_workload:
        yield "on the workload itself:"
        yield from on_workload
    for bound in rendered.bound:
        name = clean(f"{bound.place.component} {bound.place.instance}")
        at = "" if bound.place.pointer is None else f", {clean(bound.place.pointer)}"
        if bound.is_static:
            yield f"in the pod template of {name}{at}:"
            yield from _lines(bound.template)
            continue
        template = list(_lines(bound.template))
        if template:
            yield f"in the pod template of {name}{at}:"
            yield from template
        for binding in bound.pods:
            yield f"on each pod of {name} in the group {clean(binding.group.id)}, which no template can say:"
            yield from _lines(binding.values, template)


def _lines(values: Values, said: Sequence[str] = ()) -> Iterator[str]:
    """Labels, annotations and fields, one on a line; those that were said already are left out."""
    from workloadmap_spec.canonical import dumps  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.style import clean  # noqa: PLC0415

    kinds: dict[str, Mapping[str, Any]] = {
        "label": values.labels,
        "annotation": values.annotations,
        "spec": values.spec,
    }
    for kind, entries in kinds.items():
        for key, value in entries.items():
            text = value if isinstance(value, str) else dumps(value)
            line = f"  {kind} {clean(key)}: {clean(text)}"
            if line not in said:
                yield line

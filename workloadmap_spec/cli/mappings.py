"""`workloadmap mappings`: which kinds can be read, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command, add_mappings, add_output
from workloadmap_spec.cli.messages import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.documents import Document
    from workloadmap_spec.mapping import CompiledMapping, Component

_DESCRIPTION: Final = "Show which kinds of workloads can be read, and the mappings that say how."
_LIST: Final = """
List the mappings that come with workloadmap, and those that -m names: the kind
and its versions, whether it has pod groups and can be suspended, its components
with their roles (where a role is not the name), the phases that the status
rules can give, the kinds of other objects that it refers to, and the release or
commit of the framework that it was checked with. Components in brackets are in
each replica of the one before.
"""
_SHOW: Final = """
Print a mapping as it is written, with its comments: a good start for one of
your own. Name it by the kind of its workloads, by group/Kind where a kind is in
several groups (`core/Pod` in none), or by its own name.
"""
_RBAC: Final = """
Print a ClusterRole that allows to get, list and watch the workloads of all
kinds, or of some, their pods, and the objects that they refer to. Bind it to
whom `workloadmap get`, `inspect` and `report` run as. Prices by the labels of
nodes need the nodes too, and mappings that the cluster holds workloadmappings.
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
#: The member of a mapping's metadata with the release or commit of the framework that it was checked with.
_CHECKED: Final = "x-checked"
_NAMED_BY_OBJECT: Final = "named by the object"
#: The phases that readiness gives (S9.5).
_BY_READINESS: Final = {True: ("Initializing", "Running", "Degraded"), False: ("Initializing", "Running")}


def add_parser(subparsers: Subparsers) -> None:
    """Add the command and its two own."""
    parser = add_command(
        subparsers,
        "mappings",
        "list the kinds that can be read, or show a mapping",
        _DESCRIPTION,
        ["workloadmap mappings list", "workloadmap mappings show JobSet"],
    )
    nested = parser.add_subparsers(title="commands", metavar="COMMAND", dest="subcommand", required=True)
    listing = add_command(
        nested,
        "list",
        "list the kinds that can be read",
        _LIST,
        [
            "workloadmap mappings list",
            "workloadmap mappings list -o markdown",
            "workloadmap mappings list -m mappings/",
        ],
    )
    add_mappings(listing)
    add_output(listing, ("table", "json", "markdown"), "table", "what to print")
    add_color(listing)
    listing.set_defaults(run=run_list)
    showing = add_command(
        nested,
        "show",
        "print a mapping",
        _SHOW,
        ["workloadmap mappings show JobSet", "workloadmap mappings show ray.io/RayCluster > mine.yaml"],
    )
    showing.add_argument("name", metavar="NAME", help="a kind, group/Kind, or the name of a mapping")
    add_mappings(showing)
    showing.set_defaults(run=run_show)
    permitting = add_command(
        nested,
        "rbac",
        "print the permissions that reading a cluster needs",
        _RBAC,
        [
            "workloadmap mappings rbac",
            "workloadmap mappings rbac JobSet RayJob | kubectl apply -f -",
        ],
    )
    permitting.add_argument("kinds", metavar="KIND", nargs="*", help="kinds, as for `show` (default: all)")
    add_mappings(permitting)
    permitting.set_defaults(run=run_rbac)


# List


def run_list(arguments: Namespace) -> int:
    """List the mappings."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.inputs import catalog_of  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.output import write_documents, write_text  # noqa: PLC0415
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415

    entries = [describe(mapping) for mapping in catalog_of(arguments.mapping).mappings()]
    if arguments.output == "json":
        write_documents(entries, "json", single=False)
    elif arguments.output == "markdown":
        write_text(markdown(entries))
    else:
        write_text(table(entries, style_of(sys.stdout, arguments.color)))
    return 0


def describe(mapping: CompiledMapping) -> dict[str, Any]:
    """What there is to know about a mapping before using it, as data."""
    return {
        "name": mapping.name,
        "digest": mapping.digest,
        "group": mapping.group,
        "versions": list(mapping.versions),
        "kind": mapping.kind,
        "components": [_component(component) for component in mapping.components],
        "phases": _phases(mapping),
        "gang": bool(mapping.gang),
        "suspend": mapping.suspend is not None,
        "references": _referred(mapping),
        "checked": mapping.document["metadata"].get(_CHECKED),
    }


def _referred(mapping: CompiledMapping) -> list[str]:
    """The kinds of the objects that a mapping refers to; where the object names the kind, a word that says so."""
    entries = mapping.document["spec"].get("references", ())
    kinds = [target["kind"] for entry in entries for target in entry.get("candidates", [entry])]
    return sorted({kind if isinstance(kind, str) else _NAMED_BY_OBJECT for kind in kinds})


def _component(component: Component) -> dict[str, Any]:
    """A component with its role and what is below it."""
    entry: dict[str, Any] = {"name": component.name}
    if component.role is not None:
        entry["role"] = component.role
    if component.components:
        entry["components"] = [_component(nested) for nested in component.components]
    return entry


def _phases(mapping: CompiledMapping) -> list[str]:
    """The phases that the rules of a mapping can give."""
    if mapping.status is None:
        return ["Unknown"]
    found = {rule.phase for rule in mapping.status.rules}
    if mapping.status.readiness is not None:
        found |= {*_BY_READINESS[mapping.status.readiness.service]}
    return [phase for phase in _PHASES if phase in found]


def _components_text(components: Iterable[dict[str, Any]]) -> str:
    """Components on one line: a role where it says more than the name, and what is below in brackets."""
    texts = []
    for component in components:
        role = component.get("role", component["name"])
        text = component["name"] if role == component["name"] else f"{component['name']} ({role})"
        if "components" in component:
            text += f" [{_components_text(component['components'])}]"
        texts.append(text)
    return ", ".join(texts)


def _yes(*, value: bool) -> str:
    """A word for a boolean."""
    return "yes" if value else "no"


def table(entries: Sequence[dict[str, Any]], style: Style) -> str:
    """The table for people."""
    from workloadmap_spec.cli.style import clean  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.table import align  # noqa: PLC0415

    head = ["KIND", "API VERSIONS", "NAME", "GANG", "SUSPEND", "COMPONENTS", "PHASES", "REFERENCES", "CHECKED"]
    rows = [[style.paint(title, "bold") for title in head]]
    rows += [
        [
            clean(entry["kind"]),
            clean(_versions(entry)),
            clean(entry["name"]),
            _yes(value=entry["gang"]),
            _yes(value=entry["suspend"]),
            clean(_components_text(entry["components"])),
            ", ".join(entry["phases"]),
            clean(", ".join(entry["references"])),
            clean(entry["checked"] or ""),
        ]
        for entry in entries
    ]
    return "\n".join([*align(rows), ""])


def _versions(entry: dict[str, Any]) -> str:
    """Group and versions as `apiVersion` has them, the versions after a comma."""
    versions = ",".join(entry["versions"])
    return f"{entry['group']}/{versions}" if entry["group"] else versions


def markdown(entries: Sequence[dict[str, Any]]) -> str:
    """The table of the README."""
    lines = [
        "| kind | API versions | mapping | components | phases | gang | suspend | references | checked with |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for entry in entries:
        cells = (
            f"`{entry['kind']}`",
            f"`{_versions(entry)}`",
            f"`{entry['name']}`",
            _components_text(entry["components"]),
            ", ".join(entry["phases"]),
            _yes(value=entry["gang"]),
            _yes(value=entry["suspend"]),
            ", ".join(entry["references"]),
            entry["checked"] or "",
        )
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*lines, ""])


# Show


def run_show(arguments: Namespace) -> int:
    """Print the mappings of a name."""
    from workloadmap_spec.cli.output import write_data  # noqa: PLC0415 - not for help

    found = list(_matching(arguments.name, arguments.mapping))
    groups = sorted({_group_and_kind(document) for _, document in found})
    if not found:
        raise UsageError(f"there is no mapping `{arguments.name}`", "`workloadmap mappings list` shows what there is")
    if len(groups) > 1:
        choices = " or ".join(f"`{group or 'core'}/{kind}`" for group, kind in groups)
        raise UsageError(f"`{arguments.name}` is in several groups", f"write {choices}")
    texts = dict.fromkeys(path.read_text(encoding="utf-8") for path, _ in found)
    write_data("---\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts))
    return 0


def _matching(name: str, mappings: Sequence[str]) -> Iterator[tuple[Path, Document]]:
    """The files of the mappings that a name means, those of the command line before the shipped ones."""
    from workloadmap_spec.catalog import mapping_files  # noqa: PLC0415 - not for help
    from workloadmap_spec.documents import load_path  # noqa: PLC0415
    from workloadmap_spec.files import mappings_root  # noqa: PLC0415

    root = mappings_root()
    own = mapping_files(mappings[::-1])
    for paths in (own, _likely(root, name), sorted(root.glob("*/*.yaml"))):
        found = [(path, document) for path in paths for document in load_path(path) if _means(document, name)]
        if found:
            yield from found
            return


def _likely(root: Path, name: str) -> list[Path]:
    """The shipped files that a name means if it is a kind or nearly one, so that not all need to be read."""
    group, _, kind = name.rpartition("/")
    stem = kind.lower()
    if not stem.isalnum():
        return []
    return sorted(root.glob(f"{group if group.replace('.', '').replace('-', '').isalnum() else '*'}/{stem}*.yaml"))


def _group_and_kind(document: Document) -> tuple[str, str]:
    """The group and kind that a mapping is for."""
    value: Any = document.value
    workload = value["spec"]["workload"]
    return workload["group"], workload["kind"]


def _means(document: Document, name: str) -> bool:
    """Whether a document is a mapping that a name means, in whatever case it is written."""
    value: Any = document.value
    try:
        group, kind = _group_and_kind(document)
        names = (value["metadata"]["name"], kind, f"{group or 'core'}/{kind}")
    except (KeyError, TypeError):  # not a mapping
        return False
    return any(str(known).lower() == name.lower() for known in names)


# Permissions


def run_rbac(arguments: Namespace) -> int:
    """Print the role."""
    from workloadmap_spec.cli.inputs import catalog_of  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.messages import Messages  # noqa: PLC0415
    from workloadmap_spec.cli.output import write_documents  # noqa: PLC0415
    from workloadmap_spec.cluster.roles import cluster_role, unknown_references  # noqa: PLC0415

    mappings = catalog_of(arguments.mapping).mappings()
    chosen = mappings
    if arguments.kinds:
        chosen = []
        for name in arguments.kinds:
            found = [mapping for mapping in mappings if _names(mapping) & {name.lower()}]
            if not found:
                raise UsageError(f"there is no mapping `{name}`", "`workloadmap mappings list` shows what there is")
            chosen += found
    write_documents([cluster_role(chosen)], "yaml", single=True)
    messages = Messages()
    for mapping, reference in unknown_references(chosen):
        messages.note(
            f"the mapping {mapping} refers to objects ({reference}) whose kind only each workload says",
            "add the kinds that yours refer to",
        )
    return messages.code


def _names(mapping: CompiledMapping) -> set[str]:
    """What a mapping may be called, in lower case."""
    kind = mapping.kind.lower()
    return {mapping.name.lower(), kind, f"{mapping.group or 'core'}/{kind}"}

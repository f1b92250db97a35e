"""Pod groups for people: a table of all of them, and a short form that puts equal ones together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import PLAIN, Style, clean
from workloadmap_spec.cli.table import align
from workloadmap_spec.map_parts import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HEAD: Final = ("GROUP", "MIN", "PODS", "MEMBERS", "QUEUE", "PRIORITY CLASS", "TOPOLOGY")
_NUMBERS: Final = (1, 2)
_EXTRA: Final = 4


def render_gang(document: Mapping[str, Any], style: Style = PLAIN) -> str:
    """The text for the groups of one map: what it is the map of, and the table."""
    workload = document["workload"]
    name = f"{clean(workload['kind'])} {clean(workload.get('name', ''))}".strip()
    namespace = f"   namespace {clean(workload['namespace'])}" if workload.get("namespace") else ""
    groups = document.get("gang", {}).get("groups", ())
    lines = group_table(groups, style) if groups else ["no pod groups: its pods may start one by one"]
    return "\n".join([style.paint(name, "bold") + namespace, *lines, ""])


def group_table(groups: Sequence[Mapping[str, Any]], style: Style) -> list[str]:
    """Every group on a line, its subgroups indented below it; columns that no group fills are left out."""
    rows = list(_rows(groups, "", "", style))
    extras = [column for column in range(_EXTRA, len(_HEAD)) if any(row[column] for row in rows)]
    kept = [*range(_EXTRA), *extras]
    head = [style.paint(_HEAD[column], "bold") for column in kept]
    body = [[row[column] or ("-" if column >= _EXTRA else "") for column in kept] for row in rows]
    return align([head, *body], right=_NUMBERS)


def _rows(groups: Iterable[Mapping[str, Any]], parent: str, indent: str, style: Style) -> Iterable[list[str]]:
    """The cells of groups and of everything below them; an id begins with that of the group above, which is cut."""
    for group in groups:
        topology = group.get("topology", {})
        yield [
            indent + clean(group["id"].removeprefix(parent)),
            str(group.get("minMember", "?")),
            str(group.get("pods", "?")),
            ", ".join(_member(member) for member in group["members"]),
            clean(group.get("queue", "")),
            clean(group.get("priorityClass", "")),
            ", ".join(f"{clean(topology[kind])} ({kind})" for kind in ("required", "preferred") if kind in topology),
        ]
        yield from _rows(group.get("subgroups", ()), f"{group['id']}/", f"{indent}  ", style)


def _member(member: Mapping[str, Any]) -> str:
    """A member: how many of its pods must start together, and of how many, if not all."""
    name = clean(label(member["component"], member["instance"]))
    pods, least = member.get("pods"), member.get("minPods")
    if least is None:
        return f"{name} (of {'?' if pods is None else pods})"
    return f"{name} {least}" if least == pods else f"{name} {least} of {'?' if pods is None else pods}"


# The short form


def gang_summary(groups: Sequence[Mapping[str, Any]], style: Style) -> list[list[str]]:
    """The rows of a short form: groups of one name on one line, with how many there are, and their subgroups below."""
    return list(_summary(groups, "  ", [], style))


def _summary(
    groups: Sequence[Mapping[str, Any]], indent: str, known: Sequence[str], style: Style
) -> Iterable[list[str]]:
    """The rows of groups and of what is below them; `known` is what the line above says of them already."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for group in groups:
        by_name.setdefault(group["name"], []).append(group)
    for name, alike in by_name.items():
        times = f" {style.glyphs.times} {len(alike)}" if len(alike) > 1 else ""
        extras = _extras(alike)
        new = ", ".join(text for text in extras if text not in known)
        yield [f"{indent}{clean(name)}{times}", _together(alike, style), new]
        below = [subgroup for group in alike for subgroup in group.get("subgroups", ())]
        yield from _summary(below, f"{indent}  ", extras, style)


def _together(groups: Sequence[Mapping[str, Any]], style: Style) -> str:
    """How many pods must start together."""
    least, pods = _span(groups, "minMember", style), _span(groups, "pods", style)
    each = " each" if len(groups) > 1 else ""
    if any(group.get("minMember") != group.get("pods") or "pods" not in group for group in groups):
        return f"at least {least} of {pods} pods together{each}"
    if pods == "1":
        return f"1 pod{each}"
    return f"{pods} pods each, all together" if each else f"all {pods} pods together"


def _span(groups: Sequence[Mapping[str, Any]], name: str, style: Style) -> str:
    """The number that all groups have, or the range of their numbers."""
    counts = [group.get(name) for group in groups]
    known = sorted({count for count in counts if count is not None})
    if len(known) < 1 or None in counts:
        return "?"
    return str(known[0]) if len(known) == 1 else f"{known[0]}{style.glyphs.range}{known[-1]}"


def _extras(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """Queue, priority class and topology, where the groups have the same or say how many they have."""
    texts = [
        _same("queue", [group.get("queue") for group in groups]),
        _same("priority class", [group.get("priorityClass") for group in groups], "es"),
        *(
            _same(f"{kind} topology", [group.get("topology", {}).get(kind) for group in groups])
            for kind in ("required", "preferred")
        ),
    ]
    return [text for text in texts if text]


def _same(name: str, values: Sequence[str | None], ending: str = "s") -> str:
    """One property of several groups."""
    known = sorted({value for value in values if value is not None})
    if not known:
        return ""
    return f"{name} {clean(known[0])}" if len(known) == 1 else f"{len(known)} {name}{ending}"

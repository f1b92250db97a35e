"""Workloads as a diagram in Mermaid's language, for documents: what makes what, and what must start together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.words import counted, plural
from workloadmap_spec.map_parts import Part, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Characters that a text between quotes cannot hold as they are (mermaid.js.org, "Entity codes to escape characters").
_CODES: Final = {character: f"#{ord(character)};" for character in '"#&;<>`\\'}
_BREAK: Final = "<br/>"
_INDENT: Final = "  "
_TIMES: Final = " \N{MULTIPLICATION SIGN} "


def diagram(documents: Sequence[Mapping[str, Any]]) -> str:
    """One flowchart of maps, each a tree of its own; a box around parts is a gang that they are all of."""
    lines = ["flowchart TD"]
    for number, document in enumerate(documents):
        lines += _workload(document, f"w{number}")
    return "\n".join([*lines, ""])


def _workload(document: Mapping[str, Any], root: str) -> Iterator[str]:
    """The lines of one workload."""
    workload, totals = document["workload"], document["totals"]
    pods = f"at least {counted(totals['pods'], 'pod')}" if "incomplete" in totals else counted(totals["pods"], "pod")
    state = ", ".join(text for text in (document.get("status", {}).get("phase", ""), pods) if text)
    name = f"{workload['kind']} {workload.get('name', '')}".strip()
    yield f'{_INDENT}{root}["{_text(name, workload.get("namespace", ""), state)}"]'
    parts = [part for top in parts_of(document) for part in top.all()]
    ids = {part.path: f"{root}p{number}" for number, part in enumerate(parts)}
    groups = _by_name(document.get("gang", {}).get("groups", ()))
    boxed: set[tuple[tuple[str, str], ...]] = set()
    for number, (name, found) in enumerate(groups.items()):
        inside = [part for part in parts if part.path not in boxed and _is_member(part, found[0])]
        if len(found) > 1 or not inside:
            continue
        boxed |= {part.path for part in inside}
        yield f'{_INDENT}subgraph {root}g{number} ["{_text(f"gang {name}: {_minimum(found[0])}")}"]'
        yield from (f"{_INDENT}{_node(part, ids, groups)}" for part in inside)
        yield f"{_INDENT}end"
    yield from (_node(part, ids, groups) for part in parts if part.path not in boxed)
    for part in parts:
        above = ids[part.above[-1].path] if part.above else root
        yield f"{_INDENT}{above} --> {ids[part.path]}"


def _by_name(groups: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Groups by the entry of the mapping that makes them."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for group in groups:
        found.setdefault(group["name"], []).append(group)
    return found


def _is_member(part: Part, group: Mapping[str, Any]) -> bool:
    """Whether an instance is a member of a group."""
    here = (part.component["name"], part.instance["id"])
    return any((member["component"], member["instance"]) == here for member in group["members"])


def _minimum(group: Mapping[str, Any]) -> str:
    """How many pods of a group must start together."""
    least, pods = group.get("minMember"), group.get("pods")
    if least is None:
        return "a number of pods that is not known"
    if least == pods:
        return f"all {counted(pods, 'pod')}"
    return f"{least} of {counted(pods, 'pod')}"


def _node(part: Part, ids: Mapping[tuple[tuple[str, str], ...], str], groups: Mapping[str, Any]) -> str:
    """The box of an instance."""
    instance = part.instance
    number = instance.get("replicas" if part.is_grouping else "pods")
    role = instance.get("role", part.component.get("role"))
    factors = [step.instance.get("replicas") for step in (*part.above, part)]
    if "podsPerReplica" in instance:
        factors.append(instance["podsPerReplica"])
    count = counted(number, "replica" if part.is_grouping else "pod")
    if not part.is_grouping and len(factors) > 1:
        product = _TIMES.join("?" if factor is None else str(factor) for factor in factors)
        count = f"{product} = {count}"
    title = part.label if role in (None, part.component["name"]) else f"{part.label} ({role})"
    gangs = [
        f"{len(found)} {plural('gang', len(found))} {name}: {_minimum(found[0])} each"
        for name, found in groups.items()
        if len(found) > 1 and _is_member(part, found[0])
    ]
    shape = ("[[", "]]") if part.is_grouping else ("[", "]")
    return f'{_INDENT}{ids[part.path]}{shape[0]}"{_text(title, count, *gangs)}"{shape[1]}'


def _text(*lines: str) -> str:
    """Lines of a box, in which nothing is markup."""
    told = [" ".join(line.split()) for line in lines]
    return _BREAK.join("".join(_CODES.get(character, character) for character in line) for line in told if line)

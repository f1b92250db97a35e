"""KAI Scheduler: a PodGroup for each group, with a tree of subgroups (kai-scheduler v0.17, scheduling.run.ai)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.names import labels
from workloadmap_spec.schedulers.shapes import (
    has_own_topology,
    implies_subgroups,
    is_whole,
    known_groups,
    metadata,
    parts,
    priority_of,
    queue_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.schedulers.model import Gang, Group, Member, Options

#: The versions of the API, the default first.
VERSIONS: Final = ("scheduling.run.ai/v2alpha2",)

_SCHEDULER: Final = "kai-scheduler"
#: What KAI's own pod grouper falls back to (pkg/podgrouper, `DefaultQueueName`).
_QUEUE: Final = "default-queue"


def render(gang: Gang, options: Options) -> Rendering:
    """The PodGroups, and how pods are bound to them.

    A pod names its PodGroup in an annotation and its leaf in a label. Where everything is required, the leaves are the
    places, so that both can stand in the pod templates; where a number of replicas is, they are the subgroups.
    """
    rendering = Rendering()
    for group in known_groups(gang, rendering):
        spec: dict[str, Any] = {"queue": queue_of(group, options) or _QUEUE}
        if queue_of(group, options) is None:
            rendering.tell("note", f"no queue is given: {_QUEUE} is taken, as KAI does", cure="give --queue NAME")
        priority = priority_of(group, options)
        if priority is not None:
            spec["priorityClassName"] = priority
        spec |= _topology(group, options, rendering)
        nodes = _nodes(group, options, rendering)
        bound: list[tuple[Group, Member, str | None]] = [(group, member, None) for member in group.members]
        if nodes:
            spec["subGroups"], leaves = _write(nodes)
            bound = [(node.group, member, leaf) for node, leaf in leaves for member in node.members]
        else:
            spec["minMember"] = group.minimum
        rendering.objects.append(
            {"apiVersion": VERSIONS[0], "kind": "PodGroup", "metadata": metadata(gang, group.label), "spec": spec}
        )
        rendering.bindings += [bind(where, member, _values(group, leaf, options)) for where, member, leaf in bound]
    return rendering


def _values(group: Group, leaf: str | None, options: Options) -> Values:
    """What binds a pod; the second annotation keeps KAI's pod grouper from making a PodGroup of its own."""
    return Values(
        labels={} if leaf is None else {"kai.scheduler/subgroup-name": leaf},
        annotations={"pod-group-name": group.label, "kai.scheduler/skip-podgrouper": "true"},
        spec={"schedulerName": options.scheduler or _SCHEDULER},
    )


def _topology(group: Group, options: Options, rendering: Rendering) -> dict[str, Any]:
    """`topologyConstraint` of a group, if it has one that can be said: the keys are levels of a Topology."""
    if not group.topology:
        return {}
    if options.topology is None:
        keys = ", ".join(group.topology.values())
        rendering.tell(
            "warning",
            f"the levels of a topology belong to a Topology object, and none is named: {keys} is left out",
            group,
            "give --topology NAME",
        )
        return {}
    constraint = {"topology": options.topology}
    constraint |= {f"{kind}TopologyLevel": key for kind, key in group.topology.items()}
    return {"topologyConstraint": constraint}


@dataclass(slots=True)
class _Node:
    """A subgroup of a PodGroup: with nodes below it an inner one, and otherwise a leaf."""

    #: What it is named after.
    text: str
    #: The pods that a leaf needs, or the nodes below that an inner one needs; None means all of these.
    minimum: int | None
    #: The group that its pods are of, and which of its members they are.
    group: Group
    members: tuple[Member, ...] = ()
    below: tuple[_Node, ...] = ()
    topology: Mapping[str, Any] = field(default_factory=dict)


class _UnsaidError(Exception):
    """How many subgroups a group needs does not follow from its numbers."""


def _nodes(group: Group, options: Options, rendering: Rendering) -> list[_Node]:
    """The subgroups of a PodGroup; none if the number of its pods says all that can be said.

    The number at the root counts for nothing beside subgroups (KAI, pkg/scheduler/api/podgroup_info), so that these
    must come to the same.
    """
    if not implies_subgroups(group, with_parts=True) or has_own_topology(group):
        try:
            return _below(group, options, rendering)
        except _UnsaidError:
            rendering.tell(
                "warning",
                "how many of its subgroups it needs does not follow from its minimum: they are left out, and the"
                f" {group.minimum} pods may be of any",
                group,
            )
    members = parts(group)
    if not members and len(group.members) > 1 and any(member.minimum for member in group.members):
        rendering.tell("warning", "KAI takes the minimum of a whole or of its parts: that of the whole is kept", group)
    return [_Node(member.place.name, member.minimum, group, (member,)) for member in members]


def _below(group: Group, options: Options, rendering: Rendering) -> list[_Node]:
    """The nodes for the subgroups of a group, and for those of its pods that are in none.

    Raises:
        _UnsaidError: they would not come to what the group needs.

    """
    rest = [node for member in group.members for node in _rest(group, member)]
    needed = (group.minimum or 0) - sum(node.minimum or 0 for node in rest)
    minimums = {below.minimum for below in group.subgroups}
    nodes = [_node(below, options, rendering) for below in group.subgroups]
    if None in minimums:
        raise _UnsaidError
    if needed == sum(below.minimum or 0 for below in group.subgroups):
        return rest + nodes
    names = {below.name for below in group.subgroups}
    each = next(iter(minimums))
    if len(names) > 1 or len(minimums) > 1 or not each or needed < 0 or needed % each or needed > each * len(nodes):
        raise _UnsaidError
    return [*rest, _Node(names.pop(), needed // each, group, below=tuple(nodes))]


def _rest(group: Group, member: Member) -> list[_Node]:
    """A leaf for the pods of a member that no subgroup covers, if there are any."""
    inside = [part for below in group.subgroups for part in below.members if part.place is member.place]
    pods, minimums = [part.pods for part in inside], [part.minimum for part in inside]
    if member.pods is None or member.minimum is None or None in pods or None in minimums:
        raise _UnsaidError
    left = member.pods - sum(count or 0 for count in pods)
    if left <= 0:
        return []
    minimum = member.minimum - sum(count or 0 for count in minimums)
    if minimum < 0:
        raise _UnsaidError
    # Those in a subgroup are bound to that, so these are not all of the place.
    rest = member if not inside else replace(member, pods=left, is_all=False)
    return [_Node(member.place.name, minimum, group, (rest,))]


def _node(group: Group, options: Options, rendering: Rendering) -> _Node:
    """The node of a subgroup."""
    topology = _topology(group, options, rendering)
    if not implies_subgroups(group, with_parts=True) or has_own_topology(group):
        return _Node(group.label, None, group, below=tuple(_below(group, options, rendering)), topology=topology)
    members = () if is_whole(group) else parts(group)
    if members:
        leaves = tuple(
            _Node(f"{group.label}-{member.place.name}", member.minimum, group, (member,)) for member in members
        )
        return _Node(group.label, None, group, below=leaves, topology=topology)
    return _Node(group.label, group.minimum, group, group.members, topology=topology)


def _write(nodes: Sequence[_Node]) -> tuple[list[dict[str, Any]], list[tuple[_Node, str]]]:
    """The entries of `subGroups`, each before those below it, and the leaves with their names."""
    walked = [(node, above) for top in nodes for node, above in _walk(top, None)]
    names = {id(node): name for (node, _above), name in zip(walked, labels(_texts(walked)), strict=True)}
    entries, leaves = [], []
    for node, above in walked:
        entry: dict[str, Any] = {"name": names[id(node)]}
        if above is not None:
            entry["parent"] = names[id(above)]
        if node.minimum is not None:
            entry["minSubGroup" if node.below else "minMember"] = node.minimum
        entries.append(entry | dict(node.topology))
        if not node.below:
            leaves.append((node, names[id(node)]))
    return entries, leaves


def _walk(node: _Node, above: _Node | None) -> Iterator[tuple[_Node, _Node | None]]:
    """A node and all below it, each with what it is in."""
    yield node, above
    for below in node.below:
        yield from _walk(below, node)


def _texts(walked: Sequence[tuple[_Node, _Node | None]]) -> list[str]:
    """What the nodes are named after, each unlike the others."""
    used = Counter(node.text for node, _above in walked)
    return [node.text if used[node.text] == 1 else f"{node.text}-{i}" for i, (node, _above) in enumerate(walked)]

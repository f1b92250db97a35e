"""A group as a tree in which every node says what it needs, for schedulers that take one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workloadmap_spec.schedulers.names import labels
from workloadmap_spec.schedulers.shapes import has_own_topology, implies_subgroups, is_whole, parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workloadmap_spec.schedulers.model import Group, Member


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a group: with nodes below it an inner one, and otherwise a leaf that has pods."""

    #: What it is named after.
    text: str
    #: The pods that a leaf needs, or how many of the nodes below an inner one needs.
    minimum: int
    #: The group that its pods are of, and which of its members they are.
    group: Group
    members: tuple[Member, ...] = ()
    below: tuple[Node, ...] = ()
    #: The subgroup that it is, which may have a topology; None for a place, and for several subgroups together.
    subgroup: Group | None = None


class UnsaidError(Exception):
    """How many of its parts a group needs does not follow from its numbers."""


def tree(group: Group) -> tuple[Node, ...]:
    """The nodes of a group, all of which it needs: its subgroups where these say more than its parts, or its places.

    None if it has but one part, or if the parts do not come to the whole: then its number of pods says more.

    Raises:
        UnsaidError: it has subgroups that say more, and they do not come to what it needs.

    """
    if not implies_subgroups(group, with_parts=True) or has_own_topology(group):
        return _below(group)
    return tuple(Node(member.place.name, member.minimum or 0, group, (member,)) for member in parts(group))


def _below(group: Group) -> tuple[Node, ...]:
    """The nodes for the subgroups of a group, and for those of its pods that are in none."""
    rest = [node for member in group.members for node in _rest(group, member)]
    minimums = [below.minimum for below in group.subgroups]
    if group.minimum is None or None in minimums:
        raise UnsaidError
    each = [minimum or 0 for minimum in minimums]
    needed = group.minimum - sum(node.minimum for node in rest)
    nodes = tuple(map(_node, group.subgroups))
    if needed == sum(each):
        return (*rest, *nodes)
    names = {below.name for below in group.subgroups}
    # Some of them: how many can be told where they are alike.
    if len(names) > 1 or len(set(each)) > 1 or not 0 < needed < sum(each) or needed % each[0]:
        raise UnsaidError
    return (*rest, Node(names.pop(), needed // each[0], group, below=nodes))


def _rest(group: Group, member: Member) -> list[Node]:
    """A leaf for the pods of a member that no subgroup covers, if there are any."""
    inside = [part for below in group.subgroups for part in below.members if part.place is member.place]
    if not inside and member.minimum is not None:
        return [Node(member.place.name, member.minimum, group, (member,))]
    pods = [part.pods for part in inside]
    minimums = [part.minimum for part in inside]
    if member.pods is None or member.minimum is None or None in pods or None in minimums:
        raise UnsaidError
    left = member.pods - sum(count or 0 for count in pods)
    if left <= 0:
        return []
    minimum = member.minimum - sum(count or 0 for count in minimums)
    if minimum < 0:
        raise UnsaidError
    return [Node(member.place.name, minimum, group, (replace(member, pods=left, is_all=False),))]


def _node(group: Group) -> Node:
    """The node of a subgroup."""
    below: tuple[Node, ...] = ()
    if not implies_subgroups(group, with_parts=True) or has_own_topology(group):
        below = _below(group)
    elif not is_whole(group):
        below = tuple(
            Node(f"{group.label}-{member.place.name}", member.minimum or 0, group, (member,)) for member in parts(group)
        )
    if below:
        return Node(group.label, len(below), group, below=below, subgroup=group)
    return Node(group.label, group.minimum or 0, group, group.members, subgroup=group)


def named(nodes: Sequence[Node]) -> list[tuple[str, Node, str | None]]:
    """All nodes of a tree, each after what it is in: its name, a DNS label that no other has, and that of the other."""
    walked = [(node, above) for top in nodes for node, above in _walk(top, None)]
    used = Counter(node.text for node, _above in walked)
    texts = [node.text if used[node.text] == 1 else f"{node.text}-{i}" for i, (node, _above) in enumerate(walked)]
    names = {id(node): name for (node, _above), name in zip(walked, labels(texts), strict=True)}
    return [(names[id(node)], node, None if above is None else names[id(above)]) for node, above in walked]


def _walk(node: Node, above: Node | None) -> Iterator[tuple[Node, Node | None]]:
    """A node and all below it, each with what it is in."""
    yield node, above
    for below in node.below:
        yield from _walk(below, node)

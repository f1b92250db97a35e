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

    @property
    def least(self) -> int:
        """The fewest pods with which it has what it needs."""
        if not self.below:
            return self.minimum
        return sum(sorted(node.least for node in self.below)[: self.minimum])


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
    return flat(group)


def flat(group: Group) -> tuple[Node, ...]:
    """A leaf for each part of a group, whatever subgroups these lie in; none if the parts do not come to the whole."""
    return tuple(Node(member.place.name, member.minimum or 0, group, (member,)) for member in parts(group))


def _below(group: Group) -> tuple[Node, ...]:
    """The nodes for the subgroups of a group, and for those of its pods that are in none."""
    rest = [node for member in group.members for node in _rest(group, member)]
    minimums = [below.minimum for below in group.subgroups]
    if group.minimum is None or None in minimums:
        raise UnsaidError
    needed = group.minimum - sum(node.minimum for node in rest)
    if needed == sum(minimum or 0 for minimum in minimums):
        return (*rest, *map(_node, group.subgroups))
    nodes = [node for alike in _by_places(group) for node in _some(group, alike)]
    if sum(node.least for node in nodes) != needed:
        raise UnsaidError
    return (*rest, *nodes)


def _by_places(group: Group) -> list[list[Group]]:
    """The subgroups with pods in the same places together, as those of the replicas of one role."""
    found: dict[tuple[int, ...], list[Group]] = {}
    for below in group.subgroups:
        found.setdefault(tuple(id(member.place) for member in below.members), []).append(below)
    places = [place for key in found for place in key]
    if len(set(places)) < len(places):
        raise UnsaidError
    return list(found.values())


def _some(group: Group, alike: Sequence[Group]) -> list[Node]:
    """The nodes of subgroups with pods in the same places: all of them, or one that needs some of them."""
    needed = {id(member.place): member.minimum for member in group.members}
    nodes = [_node(below) for below in alike]
    shapes = {tuple(member.minimum for member in below.members) for below in alike}
    (shape, *others) = shapes
    wanted = [needed.get(id(member.place)) for member in alike[0].members]
    # What they are named after: the label of one is that of its entry and its place.
    text = alike[0].name if len(group.subgroups) == len(alike) else alike[0].label.rpartition("-")[0]
    if not any(wanted) and None not in wanted:
        # They come when there is room.
        places = {id(member.place) for member in alike[0].members}
        return [Node(text, 0, group, tuple(member for member in group.members if id(member.place) in places))]
    if others or None in wanted or not all(shape):
        raise UnsaidError
    counts = {(want or 0) / (least or 1) for want, least in zip(wanted, shape, strict=True)}
    count = counts.pop()
    if counts or not count.is_integer() or not 0 < count <= len(alike):
        raise UnsaidError
    if count == len(alike):
        return nodes
    return [Node(text, int(count), group, below=tuple(nodes))]


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
    # Of equal texts each gets a mark that no text has, so that its name becomes one that no other has.
    texts = [node.text if used[node.text] == 1 else f"{node.text}/{i}" for i, (node, _above) in enumerate(walked)]
    names = {id(node): name for (node, _above), name in zip(walked, labels(texts), strict=True)}
    return [(names[id(node)], node, None if above is None else names[id(above)]) for node, above in walked]


def _walk(node: Node, above: Node | None) -> Iterator[tuple[Node, Node | None]]:
    """A node and all below it, each with what it is in."""
    yield node, above
    for below in node.below:
        yield from _walk(below, node)

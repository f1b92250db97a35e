"""Pod groups (clause S11): which pods must be placed together, and how many of them at least."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workloadmap_spec.components import product
from workloadmap_spec.limits import MAX_COUNT, MAX_GROUPS
from workloadmap_spec.values import FailedError, Scope, read_count, read_string, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workloadmap_spec.components import Instance, Tree
    from workloadmap_spec.mapping import CompiledMapping, Component, Field, GangEntry, Member

#: One step of a group's place: an instance, and the replica of it that the group stands for, if it stands for one.
Step = tuple["Instance", int | None]


@dataclass(frozen=True, slots=True)
class Unit:
    """What a group is made for: a place in the tree, and the instances that it is narrowed to."""

    #: From the outermost component to the one that the group is made for.
    steps: tuple[Step, ...] = ()
    #: With `by`: the instances that share the group, which then have no step of their own.
    shared: tuple[Instance, ...] = ()

    def allows(self, instance: Instance) -> bool:
        """Whether an instance lies within the unit, its own ancestors left aside."""
        component = instance.component
        if self.shared and self.shared[0].component is component and not any(instance is part for part in self.shared):
            return False
        return all(part is instance for part, _replica in self.steps if part.component is component)

    def replica_of(self, instance: Instance) -> int | None:
        """The one replica of an instance that the unit stands for, or None if it covers all."""
        for part, replica in self.steps:
            if part is instance:
                return replica
        return None


@dataclass(slots=True)
class Group:
    """A group, as it stands in the map, and what it covers."""

    document: dict[str, Any]
    unit: Unit
    leaves: list[Instance]
    subgroups: list[Group] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Covered:
    """One instance that a group covers, with the pods and the minimum that lie in it; `stated` by the entry itself."""

    leaf: Instance
    pods: int | None
    minimum: int | None
    stated: bool

    def document(self, *, keep_minimum: bool) -> dict[str, Any]:
        """The entry in `members` of the map."""
        entry: dict[str, Any] = {"component": self.leaf.component.name, "instance": self.leaf.id}
        if self.pods is not None:
            entry["pods"] = self.pods
        if self.minimum is not None and (keep_minimum or self.stated):
            entry["minPods"] = self.minimum
        return entry


class _UnknownCountError(Exception):
    """A count that a group rests on is unknown."""


class _TooManyError(Exception):
    """An entry would make more groups than the limit."""


def read_gang(mapping: CompiledMapping, tree: Tree, scope: Scope) -> list[Group]:
    """All groups of a workload, in the order of the map."""
    groups: list[Group] = []
    for entry in mapping.gang:
        maker = _Maker(mapping, tree, scope)
        try:
            groups += maker.entry(entry, Unit(), "", scope)
        except _TooManyError:
            scope.report(
                entry.at, "limit-exceeded", f"the entry would make more than {MAX_GROUPS} groups; it makes none"
            )
        except FailedError:
            continue
    return groups


class _Maker:
    """Makes the groups of one entry; counts them against the limit."""

    def __init__(self, mapping: CompiledMapping, tree: Tree, scope: Scope) -> None:
        """Begin with no group made."""
        self.mapping = mapping
        self.tree = tree
        self.scope = scope
        self.made = 0

    def entry(self, entry: GangEntry, inside: Unit, prefix: str, scope: Scope) -> list[Group]:
        """The groups of one entry within what an enclosing group covers."""
        if entry.when is not None and not entry.when.holds(scope):
            return []
        groups = []
        try:
            units = list(self.units(entry, inside))
        except _UnknownCountError:
            scope.report(entry.at, "result-invalid", "a count that the groups rest on is unknown: no group", "warning")
            return []
        for unit in units:
            group = self.group(entry, unit, inside, prefix)
            if group is not None:
                groups.append(group)
        return groups

    def units(self, entry: GangEntry, inside: Unit) -> Iterator[Unit]:
        """What the entry makes a group for, in order (S11.1)."""
        if entry.per is None:
            yield inside
            return
        component = self.mapping.by_name[entry.per]
        chain = [*(self.mapping.by_name[name] for name in component.ancestors), component]
        found = self.walk(chain, inside, (), None, replicas_of_last=entry.per_replica)
        if entry.by is None:
            yield from (Unit(steps, inside.shared) for steps in found)
            return
        yield from self.by(entry.by, found)

    def by(self, by: Field, found: Iterator[tuple[Step, ...]]) -> Iterator[Unit]:
        """Instances with equal values share a group, at the place of the first (S11.1)."""
        shared: list[tuple[tuple[Step, ...], object, list[Instance]]] = []
        for steps in found:
            instance = steps[-1][0]
            value = by.read(instance.scope)
            for above, known, instances in shared:
                if _same_steps(above, steps[:-1]) and (known is value or same(known, value)):
                    instances.append(instance)
                    break
            else:
                shared.append((steps[:-1], value, [instance]))
        for above, _value, instances in shared:
            yield Unit(above, tuple(instances))

    def walk(
        self,
        chain: list[Component],
        inside: Unit,
        steps: tuple[Step, ...],
        parent: Instance | None,
        *,
        replicas_of_last: bool,
    ) -> Iterator[tuple[Step, ...]]:
        """Every combination of instances and replicas down a chain of components, within a unit."""
        component, rest = chain[0], chain[1:]
        for instance in self.instances(component, parent):
            if not inside.allows(instance):
                continue
            if rest or replicas_of_last:
                wanted = inside.replica_of(instance)
                numbers: Iterator[int | None] = iter((wanted,)) if wanted is not None else self.replicas(instance)
            else:
                numbers = iter((None,))
            for replica in numbers:
                here = (*steps, (instance, replica))
                if rest:
                    yield from self.walk(rest, inside, here, instance, replicas_of_last=replicas_of_last)
                else:
                    self.count()
                    yield here

    def replicas(self, instance: Instance) -> Iterator[int]:
        """The replica indexes of an instance."""
        if instance.replicas is None:
            raise _UnknownCountError
        if instance.replicas > MAX_GROUPS:
            raise _TooManyError
        return iter(range(instance.replicas))

    def count(self) -> None:
        """One more group."""
        self.made += 1
        if self.made > MAX_GROUPS:
            raise _TooManyError

    def instances(self, component: Component, parent: Instance | None) -> list[Instance]:
        """The instances of a component, below one instance of its parent."""
        lists = self.tree.roots if parent is None else parent.children
        for instances in lists:
            if instances and instances[0].component is component:
                return instances
        return []

    def group(self, entry: GangEntry, unit: Unit, inside: Unit, prefix: str) -> Group | None:
        """One group, or None if it covers no pods (S11.3 to S11.8)."""
        scope = unit.shared[0].scope if unit.shared else unit.steps[-1][0].scope if unit.steps else self.scope
        document: dict[str, Any] = {"id": prefix + _group_id(entry, unit, inside), "name": entry.name}
        at = _at(unit) if unit is not inside else []
        if at:
            document["at"] = at
        covered = self.covered(entry, unit)
        if not covered:
            return None
        pods = _sum(part.pods for part in covered)
        total = _sum(part.minimum for part in covered)
        sources: dict[str, str] = {}
        minimum = self.minimum(entry, scope, sources, total, pods)
        # A given minimum below the sum says nothing about the parts (S11.5).
        keep = minimum is None or total is None or minimum >= total
        document["members"] = [part.document(keep_minimum=keep) for part in covered]
        if minimum is not None:
            document["minMember"] = minimum
        if pods is not None:
            document["pods"] = pods
        leaves = [part.leaf for part in covered]
        _place(entry, scope, leaves, document, sources)
        if sources:
            document["sources"] = sources
        group = Group(document, unit, leaves)
        for subentry in entry.subgroups:
            group.subgroups += self.entry(subentry, unit, f"{document['id']}/", scope)
        if group.subgroups:
            document["subgroups"] = [subgroup.document for subgroup in group.subgroups]
        return group

    def covered(self, entry: GangEntry, unit: Unit) -> list[Covered]:
        """The instances that the members cover pods of, in the order of the map (S11.3)."""
        found: list[Covered] = []
        for member in entry.members:
            for leaf in self.tree.leaves:
                chain = leaf.chain
                if not any(part.component.name == member.component for part in chain):
                    continue
                if not all(unit.allows(part) for part in chain):
                    continue
                factors = (1 if unit.replica_of(part) is not None else part.replicas for part in chain)
                pods = product(*factors, leaf.pods_per_replica)
                if pods == 0:
                    continue
                minimum, stated = self.member_minimum(member, leaf, chain, unit)
                if minimum is not None and pods is not None:
                    minimum = min(minimum, pods)
                found.append(Covered(leaf, pods, minimum, stated))
        return found

    def member_minimum(
        self, member: Member, leaf: Instance, chain: tuple[Instance, ...], unit: Unit
    ) -> tuple[int | None, bool]:
        """The minimum of one covered instance, and whether the entry states it (S11.4)."""
        above = chain[:-1]
        if member.min_pods is not None:
            stated = read_count(member.min_pods.read, leaf.scope, member.min_pods.at)
            if stated is not None:
                factors = (1 if unit.replica_of(part) is not None else part.replicas for part in above)
                return product(*factors, stated), True
        own = leaf.own_min_pods
        if unit.replica_of(leaf) is not None:
            own = leaf.pods_per_replica
        elif own is None:
            own = product(leaf.min_available, leaf.pods_per_replica)
        return product(*(1 if unit.replica_of(part) is not None else part.min_available for part in above), own), False

    def minimum(
        self,
        entry: GangEntry,
        scope: Scope,
        sources: dict[str, str],
        total: int | None,
        pods: int | None,
    ) -> int | None:
        """`minMember` of a group (S11.5)."""
        given: int | None = None
        if entry.min_member is not None:
            given = read_count(entry.min_member.read, scope, entry.min_member.at)
            if given is not None and scope.place is not None:
                sources["minMember"] = scope.place
        minimum = total if given is None else given
        if minimum is None or minimum > MAX_COUNT:
            scope.report(entry.at, "result-invalid", "a count that minMember rests on is unknown", "warning")
            return None
        return minimum if pods is None else min(minimum, pods)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of counts; unknown if one is unknown."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _place(
    entry: GangEntry, scope: Scope, leaves: list[Instance], document: dict[str, Any], sources: dict[str, str]
) -> None:
    """Put queue, priority class and topology of a group (S11.7)."""
    queue = _text(entry.queue, scope, "queue", sources)
    if queue is not None:
        document["queue"] = queue
    priority = _text(entry.priority_class, scope, "priorityClass", sources) or _common_priority(leaves)
    if priority is not None:
        document["priorityClass"] = priority
    topology = {}
    for kind, value in entry.topology:
        key = _text(value, scope, f"topology.{kind}", sources)
        if key is not None:
            topology[kind] = key
    if topology:
        document["topology"] = topology


def _same_steps(left: tuple[Step, ...], right: tuple[Step, ...]) -> bool:
    """Whether two places are the same."""
    return len(left) == len(right) and all(
        one is other and number == other_number
        for (one, number), (other, other_number) in zip(left, right, strict=True)
    )


def _at(unit: Unit) -> list[dict[str, Any]]:
    """The place of a group as it stands in the map."""
    return [
        {"component": instance.component.name, "instance": instance.id}
        | ({} if replica is None else {"replica": replica})
        for instance, replica in unit.steps
    ]


def _group_id(entry: GangEntry, unit: Unit, inside: Unit) -> str:
    """The id of a group within its enclosing one (S11.8)."""
    parts = [entry.name]
    if entry.per is not None:
        for instance, replica in unit.steps:
            if instance.component.for_each is not None:
                parts.append(instance.id)
            if replica is not None:
                parts.append(str(replica))
        if unit.shared and unit.shared is not inside.shared:
            parts.append(unit.shared[0].id)
    return "/".join(parts)


def _text(field: Field | None, scope: Scope, name: str, sources: dict[str, str]) -> str | None:
    """A text of a group, with its source; None if it is absent, empty or failed."""
    if field is None:
        return None
    try:
        text = read_string(field.read, scope, field.at)
    except FailedError:
        return None
    if text is not None and scope.place is not None:
        sources[name] = scope.place
    return text


def _common_priority(leaves: list[Instance]) -> str | None:
    """The priority class that all covered templates name, if they all name the same."""
    common: str | None = None
    for leaf in leaves:
        spec = leaf.template.get("spec") if leaf.template is not None else None
        name = spec.get("priorityClassName") if isinstance(spec, dict) else None
        if not isinstance(name, str) or not name or common not in (None, name):
            return None
        common = name
    return common


class GroupIndex:
    """Finds the group of a pod by its place in the tree (S10.7), without trying every group."""

    def __init__(self, groups: list[Group]) -> None:
        """Index the groups, and their subgroups when they are asked for."""
        self.inner: dict[str, GroupIndex] = {}
        #: By the components of which a group stands for one replica: leaf and replicas to rank and group.
        self.shapes: dict[tuple[str, ...], dict[tuple[int, ...], tuple[int, Group]]] = {}
        for rank, group in enumerate(groups):
            fixed = [(part, replica) for part, replica in group.unit.steps if replica is not None]
            table = self.shapes.setdefault(tuple(part.component.name for part, _replica in fixed), {})
            numbers = [number for part, replica in fixed for number in (id(part), replica)]
            for leaf in group.leaves:
                table.setdefault((id(leaf), *numbers), (rank, group))

    def find(self, path: tuple[Step, ...]) -> Group | None:
        """The first group in the map that covers a pod with this place."""
        steps = {instance.component.name: (instance, replica) for instance, replica in path}
        found: list[tuple[int, Group]] = []
        for shape, table in self.shapes.items():
            fixed = [steps[name] for name in shape if name in steps]
            if len(fixed) < len(shape) or any(replica is None for _part, replica in fixed):
                continue
            key = (id(path[-1][0]), *(number for part, replica in fixed for number in (id(part), replica or 0)))
            if key in table:
                found.append(table[key])
        return min(found, key=lambda ranked: ranked[0])[1] if found else None

    def assign(self, path: tuple[Step, ...], entry: dict[str, Any]) -> None:
        """Put `group` and `subgroup` into a pod's entry."""
        group = self.find(path)
        if group is None:
            return
        entry["group"] = group.document["id"]
        subgroup = self.within(group).find(path)
        while subgroup is not None:
            entry["subgroup"] = subgroup.document["id"]
            subgroup = self.within(subgroup).find(path)

    def within(self, group: Group) -> GroupIndex:
        """The index of a group's subgroups."""
        identity = group.document["id"]
        if identity not in self.inner:
            self.inner[identity] = GroupIndex(group.subgroups)
        return self.inner[identity]

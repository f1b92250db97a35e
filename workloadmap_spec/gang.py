"""Pod groups (clause S11): which pods must be placed together, and how many of them at least."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workloadmap_spec.components import product
from workloadmap_spec.limits import MAX_COUNT, MAX_GROUPS
from workloadmap_spec.values import FailedError, Scope, read_count, read_string

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
    #: The unit of the enclosing group, which narrows this one too.
    inside: Unit | None = None

    @property
    def instance(self) -> Instance | None:
        """The instance whose scope the group's values see."""
        if self.shared:
            return self.shared[0]
        return self.steps[-1][0] if self.steps else None

    def only(self, component: Component) -> tuple[Instance, ...] | None:
        """The instances of a component that the unit is narrowed to; None if it takes all."""
        outer = None if self.inside is None else self.inside.only(component)
        own: tuple[Instance, ...] | None = None
        if self.shared and self.shared[0].component is component:
            own = self.shared
        for part, _replica in self.steps:
            if part.component is component:
                own = (part,)
        if own is None or outer is None:
            return outer if own is None else own
        return tuple(part for part in own if any(part is other for other in outer))

    def replica_of(self, instance: Instance) -> int | None:
        """The one replica of an instance that the unit stands for, or None if it covers all."""
        for part, replica in self.steps:
            if part is instance and replica is not None:
                return replica
        return None if self.inside is None else self.inside.replica_of(instance)

    def fixed(self, chain: tuple[Instance, ...]) -> list[tuple[str, int]]:
        """The components of a chain of which the unit stands for one replica."""
        return [(part.component.name, n) for part in chain if (n := self.replica_of(part)) is not None]


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
        groups = []
        try:
            if entry.when is not None and not entry.when.holds(scope):
                return []
            units = []
            for unit in self.units(entry, inside):
                self.count()
                units.append(unit)
        except FailedError:
            return []
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
        if entry.by is None:
            for steps in self.walk(chain, inside, (), None, replicas_of_last=entry.per_replica):
                yield Unit(steps, (), inside)
            return
        # Which instances share a group does not depend on the replicas above them.
        shared: dict[int, list[tuple[Instance, ...]]] = {}
        places = self.walk(chain[:-1], inside, (), None, replicas_of_last=True) if chain[:-1] else iter(((),))
        for above in places:
            parent = above[-1][0] if above else None
            if id(parent) not in shared:
                shared[id(parent)] = self.by(entry.by, self.candidates(component, parent, inside))
            for instances in shared[id(parent)]:
                yield Unit(above, instances, inside)

    def by(self, by: Field, candidates: Iterable[Instance]) -> list[tuple[Instance, ...]]:
        """Instances with equal values share a group, at the place of the first (S11.1)."""
        found: dict[object, list[Instance]] = {}
        for instance in candidates:
            found.setdefault(_frozen(by.read(instance.scope)), []).append(instance)
        return list(map(tuple, found.values()))

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
        for instance in self.candidates(component, parent, inside):
            wanted = inside.replica_of(instance)
            if rest or replicas_of_last or wanted is not None:
                numbers: Iterator[int | None] = iter((wanted,)) if wanted is not None else self.replicas(instance)
            else:
                numbers = iter((None,))
            for replica in numbers:
                here = (*steps, (instance, replica))
                if rest:
                    yield from self.walk(rest, inside, here, instance, replicas_of_last=replicas_of_last)
                else:
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
        siblings = self.mapping.components if parent is None else parent.component.components
        lists = self.tree.roots if parent is None else parent.children
        return next(found for known, found in zip(siblings, lists, strict=True) if known is component)

    def group(self, entry: GangEntry, unit: Unit, inside: Unit, prefix: str) -> Group | None:
        """One group, or None if it covers no pods (S11.3 to S11.8)."""
        scope = part.scope if (part := unit.instance) is not None else self.scope
        document: dict[str, Any] = {"id": prefix + _group_id(entry, unit), "name": entry.name}
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
        seen: set[int] = set()
        for member in entry.members:
            for leaf in self.below(self.mapping.by_name[member.component], unit):
                # What two members cover counts once, as the first says.
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                chain = leaf.chain
                factors = (1 if unit.replica_of(part) is not None else part.replicas for part in chain)
                pods = _bounded(product(*factors, leaf.pods_per_replica))
                if pods == 0:
                    continue
                minimum, stated = self.member_minimum(member, leaf, chain, unit)
                if minimum is not None and pods is not None:
                    minimum = min(minimum, pods)
                minimum = _bounded(minimum)
                found.append(Covered(leaf, pods, minimum, stated))
        return found

    def below(self, component: Component, unit: Unit) -> Iterator[Instance]:
        """The instances of pod components that are or lie below a component, within a unit, in the order of the map."""
        line = [*(self.mapping.by_name[name] for name in component.ancestors), component]

        def descend(depth: int, parent: Instance | None) -> Iterator[Instance]:
            if depth < len(line):
                for instance in self.candidates(line[depth], parent, unit):
                    yield from descend(depth + 1, instance)
            elif parent is not None:
                if parent.component.template is not None:
                    yield parent
                for nested in parent.component.components:
                    for instance in self.candidates(nested, parent, unit):
                        yield from descend(depth, instance)

        return descend(0, None)

    def candidates(self, component: Component, parent: Instance | None, unit: Unit) -> Iterable[Instance]:
        """The instances of a component below one of its parent that lie within a unit."""
        only = unit.only(component)
        if only is not None:
            return [instance for instance in only if instance.parent is parent]
        return self.instances(component, parent)

    def member_minimum(
        self, member: Member, leaf: Instance, chain: tuple[Instance, ...], unit: Unit
    ) -> tuple[int | None, bool]:
        """The minimum of one covered instance, and whether the entry states it (S11.4)."""
        above = chain[:-1]
        if member.min_pods is not None:
            try:
                stated = read_count(member.min_pods.read, leaf.scope, member.min_pods.at)
            except FailedError:
                return None, True
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
            try:
                given = read_count(entry.min_member.read, scope, entry.min_member.at)
            except FailedError:
                return None
            if given is not None and scope.place is not None:
                sources["minMember"] = scope.place
        minimum = total if given is None else given
        if minimum is None:
            scope.report(entry.at, "result-invalid", "a count that minMember rests on is unknown", "warning")
            return None
        return minimum if pods is None else min(minimum, pods)


def _bounded(count: int | None) -> int | None:
    """A count, unknown beyond what readers agree on (S2.2)."""
    return None if count is None or count > MAX_COUNT else count


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of counts; unknown if one is unknown."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return _bounded(total)


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


def _frozen(value: object) -> object:
    """A value that can be looked up: equal exactly where the JSON values are."""
    if isinstance(value, dict):
        return "map", frozenset((name, _frozen(part)) for name, part in value.items())
    if isinstance(value, list):
        return "list", tuple(map(_frozen, value))
    return isinstance(value, bool), value


def _at(unit: Unit) -> list[dict[str, Any]]:
    """The place of a group as it stands in the map."""
    return [
        {"component": instance.component.name, "instance": instance.id}
        | ({} if replica is None else {"replica": replica})
        for instance, replica in unit.steps
    ]


def _group_id(entry: GangEntry, unit: Unit) -> str:
    """The id of a group within its enclosing one (S11.8)."""
    parts = [entry.name]
    if entry.per is not None:
        for instance, replica in unit.steps:
            if instance.component.for_each is not None:
                parts.append(instance.id)
            if replica is not None:
                parts.append(str(replica))
        if unit.shared:
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
        self.inner: dict[int, GroupIndex] = {}
        #: By leaf and the components of which a group stands for one replica: replicas to rank and group.
        self.leaves: dict[int, dict[tuple[str, ...], dict[tuple[int | None, ...], tuple[int, Group]]]] = {}
        for rank, group in enumerate(groups):
            for leaf in group.leaves:
                fixed = group.unit.fixed(leaf.chain)
                table = self.leaves.setdefault(id(leaf), {}).setdefault(tuple(name for name, _n in fixed), {})
                table.setdefault(tuple(n for _name, n in fixed), (rank, group))

    def find(self, path: tuple[Step, ...]) -> Group | None:
        """The first group in the map that covers a pod with this place."""
        replicas = {instance.component.name: replica for instance, replica in path}
        found: list[tuple[int, Group]] = []
        for shape, table in self.leaves.get(id(path[-1][0]), {}).items():
            numbers = tuple(replicas[name] for name in shape)
            if numbers in table:
                found.append(table[numbers])
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
        identity = id(group)
        if identity not in self.inner:
            self.inner[identity] = GroupIndex(group.subgroups)
        return self.inner[identity]

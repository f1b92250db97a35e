"""Pod groups (clause S11): which pods must be placed together, and how many of them at least."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workloadmap_spec.components import Tree, product
from workloadmap_spec.limits import MAX_COUNT, MAX_GROUPS
from workloadmap_spec.values import FailedError, Scope, read_count, read_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workloadmap_spec.components import Instance
    from workloadmap_spec.mapping import CompiledMapping, Component, Field, GangEntry, Member, Range

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

    def fixed(self, chain: tuple[Instance, ...]) -> list[tuple[int, int]]:
        """The instances of a chain, by identity, of which the unit stands for one replica."""
        return [(id(part), n) for part in chain if (n := self.replica_of(part)) is not None]


@dataclass(slots=True)
class Group:
    """A group, as it stands in the map, and what it covers."""

    document: dict[str, Any]
    entry: GangEntry
    #: The instance whose scope its values see; None for that of the workload.
    part: Instance | None
    #: The instance that embeds the workload whose mapping makes the group; None for that of the outer workload.
    root: Instance | None
    unit: Unit
    covered: list[Covered]
    subgroups: list[Group] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Span:
    """Some replicas of an instance, from `start` to before `stop`; `stop` is None if it is unknown (S11.2.2)."""

    part: Instance
    start: int
    stop: int | None

    def count(self) -> int | None:
        """How many replicas these are."""
        return None if self.stop is None else max(0, self.stop - self.start)

    def holds(self, replica: int | None) -> bool:
        """Whether a replica is one of them; one that is unknown is only where they are all that there are."""
        if replica is None:
            whole = self.part.replicas
            return self.start == 0 and whole is not None and self.stop is not None and self.stop >= whole
        return self.start <= replica and (self.stop is None or replica < self.stop)


#: Ranges that hold together.
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Covered:
    """One instance that a group covers, with the pods and the minimum that lie in it; `stated` by the entry itself."""

    leaf: Instance
    pods: int | None
    minimum: int | None
    stated: bool
    #: What it is narrowed to, by the entry and by the groups around it.
    spans: tuple[Span, ...] = ()

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

    def __init__(self, mapping: CompiledMapping, tree: Tree, scope: Scope, base: tuple[Step, ...] = ()) -> None:
        """Begin with no group made; `base` is the place of the embedded workload whose groups these are."""
        self.mapping = mapping
        self.tree = tree
        self.scope = scope
        self.base = base
        self.root = base[-1][0] if base else None
        self.made = 0

    def entry(
        self, entry: GangEntry, inside: Unit, prefix: str, scope: Scope, outer: list[Covered] | None = None
    ) -> list[Group]:
        """The groups of one entry, within what an enclosing group covers if there is one."""
        groups = []
        try:
            if entry.when is not None and not entry.when.holds(scope):
                return []
            if entry.source is not None:
                groups = self.embedded(entry, entry.source)
                if groups:
                    self.mapping.use(entry.at)
                return groups
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
            group = self.group(entry, unit, inside, prefix, outer)
            if group is not None:
                groups.append(group)
        return groups

    def embedded(self, entry: GangEntry, source: str) -> list[Group]:
        """The groups of the workloads that a component embeds, by their own mappings (S11.10)."""
        groups: list[Group] = []
        for instance in self.tree.instances():
            if instance.component is not self.mapping.by_name[source]:
                continue
            if instance.inner is None or instance.inner_scope is None:
                continue
            steps: tuple[Step, ...] = tuple((part, None) for part in instance.chain)
            inner = Tree(instance.children, [leaf for leaf in self.tree.leaves if instance in leaf.chain], [])
            maker = _Maker(instance.inner, inner, instance.inner_scope, steps)
            maker.made = self.made
            prefix = "".join(f"{part}/" for part in (entry.name, *(one.id for one in instance.chain if one.is_listed)))
            for own in instance.inner.gang:
                groups += maker.entry(own, Unit(steps), prefix, instance.inner_scope)
            self.made = maker.made
        return groups

    def units(self, entry: GangEntry, inside: Unit) -> Iterator[Unit]:
        """What the entry makes a group for, in order (S11.1)."""
        if entry.per is None:
            # A group of an embedded workload tells where that lies.
            yield Unit(inside.steps, inside.shared) if self.base and inside.steps is self.base else inside
            return
        component = self.mapping.by_name[entry.per]
        chain = [*(self.mapping.by_name[name] for name in component.ancestors), component]
        if entry.by is None:
            for steps in self.walk(chain, inside, self.base, self.root, entry):
                yield Unit(steps, (), inside)
            return
        # Which instances share a group does not depend on the replicas above them.
        shared: dict[int, list[tuple[Instance, ...]]] = {}
        places = self.walk(chain[:-1], inside, self.base, self.root, None) if chain[:-1] else iter((self.base,))
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
        entry: GangEntry | None,
    ) -> Iterator[tuple[Step, ...]]:
        """Every combination of instances and replicas down a chain of components, within a unit.

        The last component's replicas are those that the entry makes groups for; without an entry, all.
        """
        component, rest = chain[0], chain[1:]
        for instance in self.candidates(component, parent, inside):
            for replica in self.numbers(instance, inside, None if rest else entry, last=not rest):
                here = (*steps, (instance, replica))
                if rest:
                    yield from self.walk(rest, inside, here, instance, entry)
                else:
                    yield here

    def numbers(self, instance: Instance, inside: Unit, entry: GangEntry | None, *, last: bool) -> Iterable[int | None]:
        """The replicas of an instance on the way to a group: all, the one that is fixed, or none in particular."""
        wanted = inside.replica_of(instance)
        if wanted is not None:
            return (wanted,)
        if last and entry is not None and not entry.per_replica:
            return (None,)
        start, stop = 0, instance.replicas
        if entry is not None and entry.per_range is not None:
            span = self.span(entry.per_range, instance)
            start, stop = span.start, span.stop
        if stop is None:
            raise _UnknownCountError
        if stop - start > MAX_GROUPS:
            raise _TooManyError
        return range(start, stop)

    def span(self, written: Range, part: Instance) -> Span:
        """The replicas of an instance that a range names, cut to those that there are (S11.2.2)."""
        start, stop = 0, part.replicas
        if written.start is not None:
            start = read_count(written.start.read, part.scope, written.start.at) or 0
        if written.stop is not None:
            given = read_count(written.stop.read, part.scope, written.stop.at)
            # Of unknown replicas nobody knows how many lie before the end, unless that is none.
            if given is not None and (stop is not None or given <= start):
                stop = given if stop is None else min(stop, given)
        return Span(part, start, stop)

    def count(self) -> None:
        """One more group."""
        self.made += 1
        if self.made > MAX_GROUPS:
            raise _TooManyError

    def instances(self, component: Component, parent: Instance | None) -> list[Instance]:
        """The instances of a component, below one instance of its parent."""
        if parent is None or parent is self.root:
            siblings, lists = self.mapping.components, self.tree.roots
        else:
            siblings, lists = parent.nested, parent.children
        return next((found for known, found in zip(siblings, lists, strict=True) if known is component), [])

    def group(
        self, entry: GangEntry, unit: Unit, inside: Unit, prefix: str, outer: list[Covered] | None
    ) -> Group | None:
        """One group, or None if it covers no pods (S11.3 to S11.8)."""
        part = unit.instance
        scope = self.scope if part is None or part is self.root else part.scope
        document: dict[str, Any] = {"id": prefix + self.id(entry, unit), "name": entry.name}
        at = _at(unit) if unit is not inside else []
        if at:
            document["at"] = at
        covered = self.covered(entry, unit, outer)
        if not covered:
            return None
        self.mapping.use(entry.at)
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
        _place(entry, scope, [part.leaf for part in covered], document, sources)
        if sources:
            document["sources"] = sources
        group = Group(document, entry, part, self.root, unit, covered)
        for subentry in entry.subgroups:
            group.subgroups += self.entry(subentry, unit, f"{document['id']}/", scope, covered)
        if group.subgroups:
            document["subgroups"] = [subgroup.document for subgroup in group.subgroups]
        return group

    def covered(self, entry: GangEntry, unit: Unit, outer: list[Covered] | None) -> list[Covered]:
        """The instances that the members cover pods of, in the order of the map (S11.3)."""
        around = None if outer is None else {id(part.leaf): part.spans for part in outer}
        found: list[Covered] = []
        seen: set[int] = set()
        for member in entry.members:
            for leaf in self.below(self.mapping, member.component.split("/"), self.root, unit):
                # What two members cover counts once, as the first says.
                if id(leaf) in seen or (around is not None and id(leaf) not in around):
                    continue
                seen.add(id(leaf))
                try:
                    own = self.member_span(member, leaf.chain)
                except FailedError:
                    return []
                spans = (*(() if around is None else around[id(leaf)]), *own)
                factors = (_covered_replicas(part, unit, spans, part.replicas) for part in leaf.chain)
                pods = _bounded(product(*factors, leaf.pods_per_replica))
                if pods == 0:
                    continue
                minimum, stated = self.member_minimum(member, leaf, unit, spans)
                if minimum is not None and pods is not None:
                    minimum = min(minimum, pods)
                found.append(Covered(leaf, pods, _bounded(minimum), stated, spans))
        return found

    def below(
        self, mapping: CompiledMapping, names: list[str], parent: Instance | None, unit: Unit
    ) -> Iterator[Instance]:
        """The instances of pod components that are or lie below a component, within a unit, in the order of the map."""
        component = mapping.by_name.get(names[0])
        if component is None:
            return
        line = [*(mapping.by_name[name] for name in component.ancestors), component]
        for instance in self.down(line, parent, unit):
            if len(names) == 1:
                yield from self.leaves_of(instance, unit)
            elif instance.inner is not None:
                yield from self.below(instance.inner, names[1:], instance, unit)

    def down(self, line: list[Component], parent: Instance | None, unit: Unit) -> Iterator[Instance]:
        """The instances of the last component of a line, within a unit."""
        for instance in self.candidates(line[0], parent, unit):
            if len(line) == 1:
                yield instance
            else:
                yield from self.down(line[1:], instance, unit)

    def leaves_of(self, instance: Instance, unit: Unit) -> Iterator[Instance]:
        """An instance of a pod component itself, or those below it, within a unit."""
        if instance.component.template is not None:
            yield instance
        for nested in instance.nested:
            for child in self.candidates(nested, instance, unit):
                yield from self.leaves_of(child, unit)

    def member_span(self, member: Member, chain: tuple[Instance, ...]) -> tuple[Span, ...]:
        """The replicas that a member is narrowed to, if it is."""
        if member.replicas is None:
            return ()
        for part in chain:
            if part.component is self.mapping.by_name[member.replicas.component]:
                return (self.span(member.replicas, part),)
        return ()

    def candidates(self, component: Component, parent: Instance | None, unit: Unit) -> Iterable[Instance]:
        """The instances of a component below one of its parent that lie within a unit."""
        only = unit.only(component)
        if only is not None:
            return [instance for instance in only if instance.parent is parent]
        return self.instances(component, parent)

    def id(self, entry: GangEntry, unit: Unit) -> str:
        """The id of a group within its enclosing one (S11.8)."""
        parts = [entry.name]
        if entry.per is not None:
            for instance, replica in unit.steps[len(self.base) :]:
                if instance.component.is_list:
                    parts.append(instance.id)
                if replica is not None:
                    parts.append(str(replica))
            if unit.shared:
                parts.append(unit.shared[0].id)
        return "/".join(parts)

    def member_minimum(self, member: Member, leaf: Instance, unit: Unit, spans: Spans) -> tuple[int | None, bool]:
        """The minimum of one covered instance, and whether the entry states it (S11.4)."""
        above = leaf.chain[:-1]
        if member.min_pods is not None:
            try:
                stated = read_count(member.min_pods.read, leaf.scope, member.min_pods.at)
            except FailedError:
                return None, True
            if stated is not None:
                return product(*(_covered_replicas(part, unit, spans, part.replicas) for part in above), stated), True
        own = leaf.own_min_pods
        if unit.replica_of(leaf) is not None:
            own = leaf.pods_per_replica
        elif own is None:
            own = product(_covered_replicas(leaf, unit, spans, leaf.min_available), leaf.pods_per_replica)
        return product(*(_covered_replicas(part, unit, spans, part.min_available) for part in above), own), False

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


def _covered_replicas(part: Instance, unit: Unit, spans: Spans, others: int | None) -> int | None:
    """How many replicas of an instance a group covers: the one that it stands for, those of its ranges, or `others`."""
    one = unit.replica_of(part)
    own = [span for span in spans if span.part is part]
    if not own:
        return others if one is None else 1
    if one is not None:
        return int(all(span.holds(one) for span in own))
    stops = [span.stop for span in own]
    start = max(span.start for span in own)
    return Span(part, start, None if None in stops else min(stop for stop in stops if stop is not None)).count()


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


#: The place of a group in the map, the group, and the ranges of replicas that it covers of a leaf's chain.
_Ranked = tuple[int, Group, Spans]


class GroupIndex:
    """Finds the group of a pod by its place in the tree (S10.7), without trying every group."""

    def __init__(self, groups: list[Group]) -> None:
        """Index the groups, and their subgroups when they are asked for."""
        self.inner: dict[int, GroupIndex] = {}
        #: By leaf and the instances of which a group stands for one replica: replicas to rank, group and range.
        self.leaves: dict[int, dict[tuple[int, ...], dict[tuple[int | None, ...], list[_Ranked]]]] = {}
        for rank, group in enumerate(groups):
            for part in group.covered:
                fixed = group.unit.fixed(part.leaf.chain)
                table = self.leaves.setdefault(id(part.leaf), {}).setdefault(tuple(one for one, _n in fixed), {})
                table.setdefault(tuple(n for _one, n in fixed), []).append((rank, group, part.spans))

    def find(self, path: tuple[Step, ...]) -> Group | None:
        """The first group in the map that covers a pod with this place."""
        # Of one replica in all, that is the one.
        replicas = {id(one): 0 if replica is None and one.replicas == 1 else replica for one, replica in path}
        best: tuple[int, Group] | None = None
        for shape, table in self.leaves.get(id(path[-1][0]), {}).items():
            for rank, group, spans in table.get(tuple(replicas[part] for part in shape), ()):
                inside = all(span.holds(replicas.get(id(span.part))) for span in spans)
                if inside and (best is None or rank < best[0]):
                    best = rank, group
        return None if best is None else best[1]

    def line(self, path: tuple[Step, ...]) -> list[Group]:
        """The group of a pod with this place, its subgroup in that, and so on; empty if it has none."""
        group = self.find(path)
        return [] if group is None else [group, *self.within(group).line(path)]

    def assign(self, path: tuple[Step, ...], entry: dict[str, Any]) -> None:
        """Put `group` and `subgroup` into a pod's entry."""
        line = self.line(path)
        if line:
            entry["group"] = line[0].document["id"]
        if len(line) > 1:
            entry["subgroup"] = line[-1].document["id"]

    def within(self, group: Group) -> GroupIndex:
        """The index of a group's subgroups."""
        identity = id(group)
        if identity not in self.inner:
            self.inner[identity] = GroupIndex(group.subgroups)
        return self.inner[identity]

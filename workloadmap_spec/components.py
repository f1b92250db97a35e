"""Components and their instances (clause S6): the tree of a workload, with its counts and templates.

The tree is built once for a read; pods, gang and totals are made from it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import resources
from workloadmap_spec.cel import ABSENT, READ_STEPS
from workloadmap_spec.embed import Embedded, read_embedded
from workloadmap_spec.errors import EvaluationError, NoMappingError
from workloadmap_spec.limits import MAX_COUNT, MAX_EMBED_DEPTH, MAX_INSTANCES
from workloadmap_spec.mapping import ROLES, Variable
from workloadmap_spec.pods import read_selectors
from workloadmap_spec.references import bind_reference
from workloadmap_spec.templates import lay_fields, read_template
from workloadmap_spec.values import (
    AS_IT_IS,
    Base,
    FailedError,
    Scope,
    describe,
    read_count,
    read_string,
    step_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workloadmap_spec.mapping import CompiledMapping, Component, Embed, Field, Incomplete, Template
    from workloadmap_spec.pods import LabelSelector
    from workloadmap_spec.resources import PodResources

#: Reasons of the reader itself in `totals.incomplete` (S6.8).
ERROR: Final = "error"
ABSENT_REASON: Final = "absent"
MISSING: Final = "missing-reference"
NO_MAPPING: Final = "no-mapping"


@dataclass(slots=True)
class Instance:
    """One instance of a component, as read. `None` counts are unknown; an unknown count stands for a total too."""

    component: Component
    id: str
    scope: Scope
    parent: Instance | None
    replicas: int | None = 1
    pods_per_replica: int | None = 1
    min_replicas: int | None = None
    max_replicas: int | None = None
    min_available: int | None = None
    #: `minPods` as given by the mapping, in one replica of the parent.
    own_min_pods: int | None = None
    #: Why `replicas` or `podsPerReplica` is unknown, if one is.
    unknown: str | None = None
    pods: int | None = None
    min_pods: int | None = None
    template: dict[str, Any] | None = None
    #: Why there is no template, or not the whole, if so.
    lacks_template: str | None = None
    main_container: str | None = None
    pod_resources: PodResources | None = None
    observed: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    #: The role, where it is read from the object.
    role: str | None = None
    creates: list[dict[str, str]] = field(default_factory=list)
    #: The embedded workload: its mapping, its own scope, and the selectors of its pods.
    inner: CompiledMapping | None = None
    inner_scope: Scope | None = None
    selectors: list[LabelSelector] | None = None
    #: The instances below, one list for each nested component.
    children: list[list[Instance]] = field(default_factory=list)
    #: The instances from the outermost to this one.
    chain: tuple[Instance, ...] = field(init=False)
    qualified: str = field(init=False)

    def __post_init__(self) -> None:
        """Find the place in the tree."""
        self.chain = (*self.parent.chain, self) if self.parent is not None else (self,)
        outer = "/".join(part.component.name for part in self.chain[:-1] if part.component.embed is not None)
        # As a gang member names it: behind the components that embed it.
        self.qualified = f"{outer}/{self.component.name}" if outer else self.component.name

    @property
    def is_listed(self) -> bool:
        """Whether it is one of several, and its id is needed to tell which."""
        return self.component.is_list

    @property
    def path(self) -> str:
        """The ids of the instances from the outermost to this one, joined by `/` (S14.2)."""
        return self.scope.instance

    @property
    def nested(self) -> tuple[Component, ...]:
        """The components of which `children` has the instances: those of the mapping, or of what is embedded."""
        return self.component.components if self.inner is None else self.inner.components


@dataclass(slots=True)
class Tree:
    """The components of a workload as read."""

    #: The top instances, one list for each component of the mapping.
    roots: list[list[Instance]]
    #: The instances of pod components, in the order of the map.
    leaves: list[Instance]
    #: The entries of `totals.incomplete`, in order.
    incomplete: list[dict[str, str]]
    #: How many elements of each component, by identity, were read, below all its parents.
    elements: dict[int, int] = field(default_factory=dict)

    def instances(self) -> Iterator[Instance]:
        """Every instance, each before what is below it."""
        pending = [instance for instances in self.roots for instance in instances]
        while pending:
            instance = pending.pop(0)
            yield instance
            pending = [child for children in instance.children for child in children] + pending

    def note(self, what: str, reason: str, component: str | None = None, instance: str | None = None) -> None:
        """Add an entry to `totals.incomplete`, once."""
        entry = {"what": what, "reason": reason}
        if component is not None:
            entry["component"] = component
        if instance is not None:
            entry["instance"] = instance
        if entry not in self.incomplete:
            self.incomplete.append(entry)


def product(*factors: int | None) -> int | None:
    """The product of counts; unknown if one is unknown, but for a known zero."""
    result = 1
    for factor in factors:
        if factor is None:
            return None
        result *= factor
    return result


def read_components(components: tuple[Component, ...], scope: Scope) -> Tree:
    """Read all components of a workload."""
    tree = Tree([], [], [])
    tree.roots = [_read_component(component, scope, None, tree) for component in components]
    return tree


def evaluate_prelude(mapping: CompiledMapping, scope: Scope) -> None:
    """Bind the variables and references of a workload, in order (S19.1)."""
    for entry in mapping.prelude:
        if isinstance(entry, Variable):
            bind_variables((entry,), scope)
        else:
            bind_reference(entry, scope)


def first_env(workload: dict[str, Any], steps: list[int]) -> dict[str, Any]:
    """The variables that every scope of a workload has; `steps` are those that the whole read has left."""
    return {
        "object": object_view(workload),
        AS_IT_IS: workload,
        "variables": {},
        "refs": {},
        READ_STEPS: steps,
    }


def object_view(workload: Mapping[str, Any]) -> dict[str, Any]:
    """A workload as expressions see it: the maps of S3.3.1 are there, empty if absent."""
    return {
        **workload,
        "metadata": {"labels": {}, "annotations": {}, **workload.get("metadata", {})},
        "spec": workload.get("spec", {}),
        "status": workload.get("status", {}),
    }


def bind_variables(variables: tuple[Variable, ...], scope: Scope) -> None:
    """Evaluate declared variables in order; a failed one is remembered, an absent one is not bound (S5.4)."""
    bound = scope.env["variables"]
    for variable in variables:
        name = variable.name
        try:
            value = variable.field.read(scope)
        except FailedError:
            scope.failed |= {name}
            continue
        if value is not ABSENT:
            bound[name] = value
            scope.places[f"variables.{name}"] = scope.place


def _read_component(component: Component, scope: Scope, parent: Instance | None, tree: Tree) -> list[Instance]:
    """The instances of one component within one instance of its parent, in order (S6.2)."""
    try:
        if component.when is not None and not component.when.holds(scope):
            return []
        elements = _elements(component, scope) if component.is_list else [(None, None, None)]
    except FailedError:
        tree.note("components", ERROR, component.name)
        return []
    if not elements and _rests_on_missing(component.for_each, scope):
        tree.note("components", MISSING, component.name)
    before = tree.elements.get(id(component), 0)
    tree.elements[id(component)] = before + len(elements)
    if tree.elements[id(component)] > MAX_INSTANCES:
        found_text = f"more than {MAX_INSTANCES} elements; the first {MAX_INSTANCES} are read"
        scope.report(f"{component.at}/forEach", "limit-exceeded", found_text)
        tree.note("components", ERROR, component.name)
        elements = elements[: max(0, MAX_INSTANCES - before)]
    found: list[Instance] = []
    seen: set[str] = set()
    for key, item, place in elements:
        if component.is_list and item is None:
            continue
        instance = _read_instance(component, scope, parent, (key, item, place), seen, tree)
        if instance is not None:
            found.append(instance)
    return found


def _rests_on_missing(field: Field | None, scope: Scope) -> bool:
    """Whether a value rests on a reference that was not given."""
    return field is not None and bool(scope.missing) and not field.depends.isdisjoint(scope.missing)


def _elements(component: Component, scope: Scope) -> list[tuple[Any, Any, str | None]]:
    """Key, element and place of everything that `forEach` gives (S6.2.1)."""
    if component.for_each_values is not None:
        return [(index, item, None) for index, item in enumerate(component.for_each_values)]
    if component.for_each is None:  # pragma: no cover - the caller has looked
        return []
    value = component.for_each.read(scope)
    place = scope.place
    if value is ABSENT:
        return []
    if type(value) is list:
        return [(index, item, step_place(place, index)) for index, item in enumerate(value)]
    if type(value) is dict:
        return [(key, value[key], step_place(place, key)) for key in sorted(value)]
    raise scope.fail(
        component.for_each.at, "result-type", f"a list or a map is wanted here, and {describe(value)} was found"
    )


def _read_instance(  # noqa: PLR0913 - one element with all that surrounds it
    component: Component,
    outer: Scope,
    parent: Instance | None,
    element: tuple[Any, Any, str | None],
    seen: set[str],
    tree: Tree,
) -> Instance | None:
    """One instance, or None if it does not exist or has no usable id."""
    key, item, place = element
    each = component.is_list
    prefix = f"{outer.instance}/" if outer.instance else ""
    if each:
        bindings = {"item": item, "key": key}
        if "item" in outer.env:
            bindings["parent"] = outer.env["item"]
        # Until its id is read, the instance has a name that no id can be.
        scope = outer.child(f"{prefix}\0{key}", bindings)
        scope.places["item"] = place
    elif component.variables:
        scope = outer.child(prefix + component.name)
    else:
        scope = outer.named(prefix + component.name)
    bind_variables(component.variables, scope)
    sources: dict[str, str] = {}
    identity: str | None = component.name
    if each:
        identity = _read_id_if_wanted(component, scope, key, sources, tree)
        name = prefix + (identity if identity is not None else str(key))
        if scope.diagnostics:
            scope.diagnostics.rename(scope.instance, name)
        scope.instance = name
    if identity is None:
        return None
    if identity in seen:
        at = component.instance.at if component.instance is not None else component.at
        scope.report(at, "result-invalid", f'the instance id "{identity}" occurs twice')
        tree.note("components", ERROR, component.name)
        return None
    filled = _fill(Instance(component, identity, scope, parent, sources=sources), tree)
    if filled is not None:
        seen.add(identity)
    return filled


def _read_id_if_wanted(
    component: Component, scope: Scope, key: object, sources: dict[str, str], tree: Tree
) -> str | None:
    """The id of an instance; None if `where` leaves it out or it has no usable id."""
    try:
        if component.where is not None and not component.where.holds(scope):
            return None
        return _read_id(component, scope, key, sources)
    except FailedError:
        tree.note("components", ERROR, component.name)
        return None


def _read_id(component: Component, scope: Scope, key: object, sources: dict[str, str]) -> str:
    """The id of an instance (S6.2.2)."""
    if component.instance is None:
        if key == "":
            raise scope.fail(f"{component.at}/forEach", "result-invalid", "an instance needs an id; its key is empty")
        return str(key)
    value = component.instance.read(scope)
    if type(value) is int:
        value = str(value)
    if value is ABSENT or value == "":
        raise scope.fail(component.instance.at, "result-invalid", "an instance needs an id, and has none")
    if type(value) is not str:
        raise scope.fail(
            component.instance.at, "result-type", f"an instance id is a string, and {describe(value)} was found"
        )
    if scope.place is not None:
        sources["instance"] = scope.place
    return value


def _fill(instance: Instance, tree: Tree) -> Instance | None:
    """Read the template, the counts and everything below an instance that exists."""
    component, scope = instance.component, instance.scope
    if component.template is not None and not _fill_template(instance, component.template, tree):
        return None
    embedded = None if component.embed is None else _embedded_of(component.embed, instance)
    if isinstance(embedded, str) and embedded != ERROR and not _is_decided(component):
        if embedded == MISSING:
            tree.note("components", MISSING, component.name, instance.id)
        return None
    _read_words(instance)
    instance.unknown = _read_counts(instance)
    _read_observed(instance)
    if component.template is not None:
        _total(instance, tree)
    note_incomplete(component.incomplete, scope, tree, component.name, instance.id)
    for nested in component.components:
        instance.children.append(_read_component(nested, scope, instance, tree))
    if isinstance(embedded, str):
        tree.note("components", embedded, component.name, instance.id)
    elif component.embed is not None and embedded is not None:
        _read_embedded(instance, component.embed, embedded, tree)
    return instance


def _fill_template(instance: Instance, template: Template, tree: Tree) -> bool:
    """Read the template of an instance; tells whether the instance exists (S6.3)."""
    component, scope = instance.component, instance.scope
    read = read_template(template, scope)
    value, damaged = read.value, read.damaged
    for outer in reversed(instance.chain[:-1]):
        embed = outer.component.embed
        fields = () if embed is None else tuple(entry for entry in embed.fields if entry.component == component.name)
        if fields:
            value, failed = lay_fields(fields, outer.scope, value)
            damaged |= failed
    missing = read.baseless and _rests_on_missing(template.base, scope)
    if damaged:
        instance.lacks_template = ERROR
    elif missing:
        instance.lacks_template = MISSING
    elif value is None:
        instance.lacks_template = ABSENT_REASON
    if value is None and not damaged and not _is_decided(component):
        if missing:
            tree.note("components", MISSING, component.name)
        return False
    instance.template, instance.main_container = value, read.main_container
    instance.sources.update(read.sources)
    return True


def _is_decided(component: Component) -> bool:
    """Whether a condition says that an instance exists, and not what there is of it (S6.3)."""
    return (component.where if component.is_list else component.when) is not None


def _embedded_of(embed: Embed, instance: Instance) -> Embedded | str:
    """What an instance embeds, or the reason why there is nothing."""
    scope = instance.scope
    try:
        embedded = read_embedded(embed, scope)
    except FailedError:
        return ERROR
    if embedded is not None:
        return embedded
    return MISSING if _rests_on_missing(embed.spec, scope) or _rests_on_missing(embed.whole, scope) else ABSENT_REASON


def _read_words(instance: Instance) -> None:
    """Read the role and the kinds that the controller makes, where they depend on the object (S6.9)."""
    component, scope = instance.component, instance.scope
    if component.role_value is not None:
        with suppress(FailedError):
            role = read_string(component.role_value.read, scope, component.role_value.at)
            instance.role = role if role in ROLES or (role or "").startswith("x-") else None
    for made in () if component.always_creates is not None else component.creates:
        with suppress(FailedError):
            if made.when is None or made.when.holds(scope):
                instance.creates.append({"apiVersion": made.api_version, "kind": made.kind})


def _read_embedded(instance: Instance, embed: Embed, embedded: Embedded, tree: Tree) -> None:
    """Read what a component embeds by the mapping of its kind (S6.10)."""
    component, scope = instance.component, instance.scope
    workload = embedded.workload
    if workload["kind"] in embed.podless:
        return
    depth = sum(part.component.embed is not None for part in instance.chain)
    if depth > MAX_EMBED_DEPTH:
        scope.report(embed.at, "limit-exceeded", f"workloads are embedded more than {MAX_EMBED_DEPTH} deep")
        tree.note("components", ERROR, component.name, instance.id)
        return
    try:
        if scope.session.find is None:
            raise NoMappingError(f"no mapping is given for {workload['kind']} of {workload['apiVersion']}")
        mapping: CompiledMapping = scope.session.find(workload["apiVersion"], workload["kind"])
    except LookupError as error:
        scope.report(embed.at, "no-mapping", getattr(error, "message", str(error)))
        tree.note("components", NO_MAPPING, component.name, instance.id)
        return
    inner = Scope(
        first_env(workload, scope.env[READ_STEPS]),
        {},
        scope.session,
        scope.instance,
        base=Base(mapping.name, embedded.parts),
    )
    evaluate_prelude(mapping, inner)
    instance.inner, instance.inner_scope = mapping, inner
    instance.selectors = read_selectors(mapping, inner)
    for nested in mapping.components:
        instance.children.append(_read_component(nested, inner, instance, tree))
    note_incomplete(mapping.incomplete, inner, tree, component.name, instance.id)


def _read_counts(instance: Instance) -> str | None:
    """Read the counts of an instance; gives why `replicas` or `podsPerReplica` is unknown, if one is."""
    component, scope = instance.component, instance.scope
    found: dict[str, int | None] = {"replicas": 1, "podsPerReplica": 1}
    reason: str | None = None
    minimum_failed = False
    for name, counted in component.counts.items():
        scope.unknown = None
        try:
            count = read_count(counted.read, scope, counted.at)
            why = scope.unknown or (MISSING if _rests_on_missing(counted, scope) else ABSENT_REASON)
        except FailedError:
            count, why = None, ERROR
            minimum_failed |= name in ("minAvailable", "minPods")
        found[name] = count
        if count is None:
            reason = reason or (why if name in ("replicas", "podsPerReplica") else None)
        elif scope.place is not None:
            instance.sources[name] = scope.place
    instance.replicas = found["replicas"]
    instance.pods_per_replica = found["podsPerReplica"]
    instance.min_replicas = found.get("minReplicas")
    instance.max_replicas = found.get("maxReplicas")
    instance.own_min_pods = found.get("minPods")
    available = found.get("minAvailable")
    if available is None or (instance.replicas is not None and available > instance.replicas):
        available = instance.replicas
    instance.min_available = available
    if minimum_failed:
        # A default in its place would be a guess (S6.4.3).
        instance.min_available = instance.own_min_pods = None
    return reason


def _read_observed(instance: Instance) -> None:
    """Read the counters that the workload's status reports (S6.5)."""
    component, scope = instance.component, instance.scope
    for name, counter in component.observed:
        try:
            count = read_count(counter.read, scope, counter.at)
        except FailedError:
            continue
        if count is None:
            continue
        instance.observed[name] = count
        if scope.place is not None:
            instance.sources[f"observed.{name}"] = scope.place
    if instance.observed and component.observed_unit == "pods":
        instance.observed["unit"] = "pods"


def _total(instance: Instance, tree: Tree) -> None:
    """The totals of an instance of a pod component: pods, minimum, resources (S6.4.2, S6.4.3, S8)."""
    component, scope = instance.component, instance.scope
    chain = instance.chain
    above = chain[:-1]
    pods = product(*(part.replicas for part in above), instance.replicas, instance.pods_per_replica)
    minimum = instance.own_min_pods
    if minimum is None:
        minimum = product(instance.min_available, instance.pods_per_replica)
    minimum = product(*(part.min_available for part in above), minimum)
    if pods is not None and pods > MAX_COUNT:
        scope.report(f"{component.at}/replicas", "limit-exceeded", f"{pods} pods are more than {MAX_COUNT}")
        pods, minimum, instance.unknown = None, None, ERROR
    if pods is None:
        reason = next((part.unknown for part in chain if part.unknown is not None), ABSENT_REASON)
        tree.note("replicas", reason, component.name, instance.id)
    elif minimum is not None:
        minimum = min(minimum, pods)
    if minimum is not None and minimum > MAX_COUNT:
        minimum = None
    instance.pods, instance.min_pods = pods, minimum
    if instance.lacks_template is not None:
        tree.note("podTemplate", instance.lacks_template, component.name, instance.id)
    tree.leaves.append(instance)
    spec = instance.template.get("spec") if instance.template is not None else None
    if spec is None:
        return
    try:
        instance.pod_resources = resources.pod_resources(spec)
    except EvaluationError as error:
        base = None if component.template is None else component.template.base
        at = f"{component.at}/podFields" if base is None else base.at
        where = f" at {error.location.pointer} of the pod's spec" if error.location.pointer else ""
        scope.report(at, error.error_class, f"{error.message}{where}")
        tree.note("resources", ERROR, component.name, instance.id)


def note_incomplete(
    declared: tuple[Incomplete, ...],
    scope: Scope,
    tree: Tree,
    component: str | None = None,
    instance: str | None = None,
) -> None:
    """List the declarations of `incomplete` whose condition holds (S6.7); one that failed is listed too."""
    for entry in declared:
        try:
            if entry.when is not None and not entry.when.holds(scope):
                continue
        except FailedError:
            tree.note(entry.what, ERROR, component, instance)
            continue
        tree.note(entry.what, entry.reason, component, instance)

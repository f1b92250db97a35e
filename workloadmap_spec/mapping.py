"""A mapping, compiled: every value of the document as a reader, ready to be read many times.

These are plain frozen data; `compiler.py` makes them. A compiled mapping may be shared between threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloadmap_spec.values import Reader, Scope

if TYPE_CHECKING:
    from workloadmap_spec.cel import Finding, Node

Condition = Callable[[Scope], bool]


@dataclass(frozen=True, slots=True)
class Names:
    """What a string of CEL may name: the variables of the specification, and the declared ones."""

    roots: frozenset[str] = frozenset({"object", "variables"})
    declared: frozenset[str] = frozenset()

    def adding(self, *roots: str) -> Names:
        """These names and further variables of the specification."""
        return Names(self.roots | frozenset(roots), self.declared)

    def declaring(self, name: str) -> Names:
        """These names and one more declared variable."""
        return Names(self.roots, self.declared | {name})


@dataclass(frozen=True, slots=True)
class Expression:
    """One string of CEL in a mapping: where it stands, and what it may name."""

    at: str
    text: str
    tree: Node
    names: Names


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a mapping and the place, in the mapping, of the field that holds it."""

    read: Reader
    at: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition of a mapping and its place in the mapping."""

    holds: Condition
    at: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable; `name` is as in `variables.NAME`."""

    name: str
    field: Field


@dataclass(frozen=True, slots=True)
class PodField:
    """One entry of `podFields` (S7.4)."""

    path: tuple[str, ...]
    container: str | None
    init: bool
    key: str | None
    value: Field
    when: Guard | None
    mode: str


@dataclass(frozen=True, slots=True)
class Template:
    """How a pod component's template is found (S7)."""

    base: Field | None
    base_name: str
    metadata: Field | None
    fields: tuple[PodField, ...]
    main_name: str | None
    main_first: bool


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A declaration of what the object cannot tell (S6.7)."""

    what: str
    when: Guard | None
    reason: str


@dataclass(frozen=True, slots=True)
class ComponentPods:
    """How a component's pods are told from others (S10.3, S10.5)."""

    match_labels: tuple[tuple[str, Field], ...]
    match: Guard | None
    instance: Field | None
    #: Whether `instance` sees only the pod and the workload, so that it is the same for every instance.
    instance_is_common: bool
    replica: Field | None
    index: Field | None
    first_index: Field | None
    revision: Field | None


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a mapping, compiled."""

    name: str
    at: str
    role: str | None
    creates: dict[str, str] | None
    for_each: Field | None
    when: Guard | None
    where: Guard | None
    instance: Field | None
    variables: tuple[Variable, ...]
    counts: Mapping[str, Field]
    template: Template | None
    observed_unit: str | None
    observed: tuple[tuple[str, Field], ...]
    pods: ComponentPods | None
    incomplete: tuple[Incomplete, ...]
    components: tuple[Component, ...]
    #: The names of the components above this one, outermost first.
    ancestors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of `status` (S9.3)."""

    phase: str
    when: Guard
    condition: str | None
    reason: Field | None
    message: Field | None


@dataclass(frozen=True, slots=True)
class Readiness:
    """`status.readiness` (S9.5)."""

    service: bool
    wanted: Field | None
    ready: Field
    was_ready: Guard | None
    condition: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """`status` of a mapping (S9)."""

    observed_generation: Field | None
    conditions: Field
    variables: tuple[Variable, ...]
    managed_by: Field | None
    own: tuple[str, ...]
    reason: Field | None
    message: Field | None
    updating: Guard | None
    rules: tuple[Rule, ...]
    readiness: Readiness | None


@dataclass(frozen=True, slots=True)
class Action:
    """One action of `suspend` or `resume`; `remove` has no `to`."""

    place: Reader
    to: Any
    remove: bool


@dataclass(frozen=True, slots=True)
class Suspend:
    """`suspend` of a mapping (S17)."""

    requested: Guard | None
    suspend: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """One label selector (S10.2): pairs of label and value, or a place that holds one."""

    labels: tuple[tuple[str, Field], ...]
    source: Field | None
    at: str


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a gang entry (S11.2)."""

    component: str
    min_pods: Field | None


@dataclass(frozen=True, slots=True)
class GangEntry:
    """One entry of `gang` (S11.1)."""

    name: str
    at: str
    when: Guard | None
    per: str | None
    per_replica: bool
    by: Field | None
    members: tuple[Member, ...]
    min_member: Field | None
    subgroups: tuple[GangEntry, ...]
    queue: Field | None
    priority_class: Field | None
    topology: tuple[tuple[str, Field], ...]


@dataclass(frozen=True, slots=True)
class CompiledMapping:
    """A mapping that can read objects."""

    name: str
    digest: str
    group: str
    kind: str
    versions: tuple[str, ...]
    variables: tuple[Variable, ...]
    components: tuple[Component, ...]
    #: Every component by its name, nested ones too.
    by_name: Mapping[str, Component]
    selectors: tuple[Selector, ...] | None
    status: Status | None
    suspend: Suspend | None
    gang: tuple[GangEntry, ...]
    incomplete: tuple[Incomplete, ...]
    expressions: tuple[Expression, ...]
    warnings: tuple[tuple[str, str, Finding], ...]
    document: Mapping[str, Any]

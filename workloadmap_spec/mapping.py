"""A mapping, compiled: every value of the document as a reader, ready to be read many times.

These are plain frozen data; `compiler.py` makes them. A compiled mapping may be shared between threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.values import Reader, Scope

if TYPE_CHECKING:
    from workloadmap_spec.cel import Finding, Node

Condition = Callable[[Scope], bool]

#: The roles that a component may have, but for those that begin with `x-` (S6.9).
ROLES: Final = frozenset(
    {
        *("chief", "controller", "coordinator", "decode", "driver", "evaluator", "executor", "explainer", "frontend"),
        *("head", "initializer", "jobmanager", "launcher", "leader", "login", "master", "planner", "prefill", "proxy"),
        *(
            "ps",
            "router",
            "scheduler",
            "server",
            "step",
            "submitter",
            "taskmanager",
            "trainer",
            "transformer",
            "worker",
        ),
    }
)

#: The counts of a component (S6.4).
COUNTS: Final = ("replicas", "podsPerReplica", "minReplicas", "maxReplicas", "minAvailable", "minPods")
#: What a workload's own status may count of a component (S6.5).
COUNTERS: Final = ("ready", "active", "succeeded", "failed", "updated")


def api_version_of(group: str, version: str) -> str:
    """A group, which is empty for the core group, and a version as `apiVersion` is written."""
    return f"{group}/{version}" if group else version


@dataclass(frozen=True, slots=True)
class Names:
    """What a string of CEL may name: the variables of the specification, and the declared ones."""

    roots: frozenset[str] = frozenset({"object", "variables"})
    #: The declared variables, each with the references that it rests on.
    declared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: The references.
    refs: frozenset[str] = frozenset()

    def adding(self, *roots: str) -> Names:
        """These names and further variables of the specification."""
        return replace(self, roots=self.roots | frozenset(roots))

    def declaring(self, name: str, depends: frozenset[str]) -> Names:
        """These names and one more declared variable."""
        return replace(self, declared={**self.declared, name: depends})


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
    #: The references that the value rests on, also through variables.
    depends: frozenset[str] = frozenset()


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
class Target:
    """One object that a reference may name (S19.2); without `name` it is a list."""

    api_version: Field
    kind: Field
    namespace: Field | None
    name: Field | None


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of `references` (S19)."""

    name: str
    at: str
    when: Guard | None
    optional: bool
    targets: tuple[Target, ...]
    #: For a list: the labels, and a condition on `item`.
    selector: tuple[tuple[str, Field], ...]
    where: Guard | None

    @property
    def is_list(self) -> bool:
        """Whether it binds a list of objects."""
        return self.targets[0].name is None


@dataclass(frozen=True, slots=True)
class PodField:
    """One entry of `podFields` (S7.4)."""

    path: tuple[str, ...]
    container: Field | None
    init: bool
    key: Field | None
    value: Field
    when: Guard | None
    mode: str
    for_each: Field | None
    where: Guard | None
    #: In `embed`: the inner component whose template is meant.
    component: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """How a pod component's template is found (S7)."""

    base: Field | None
    base_name: str
    metadata: Field | None
    fields: tuple[PodField, ...]
    main_name: Field | None
    main_first: bool


@dataclass(frozen=True, slots=True)
class Embed:
    """A whole workload of another kind inside a component (S6.10)."""

    at: str
    api_version: Field | None
    kind: Field | None
    whole: Field | None
    spec: Field | None
    name: Field | None
    labels: Field | None
    annotations: Field | None
    status: Field | None
    podless: frozenset[str]
    fields: tuple[PodField, ...]


@dataclass(frozen=True, slots=True)
class Creates:
    """A kind of object that the controller makes for each replica, and when it does (S6.9)."""

    api_version: str
    kind: str
    when: Guard | None


@dataclass(frozen=True, slots=True)
class Invalid:
    """What the framework refuses (S6.11)."""

    when: Guard
    message: str


@dataclass(frozen=True, slots=True)
class Immutable:
    """What cannot be changed in an object that exists (S20.9)."""

    at: str
    places: tuple[Field, ...]
    exceptions: tuple[Field, ...]
    when: Guard | None
    reason: str


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
    role_value: Field | None
    creates: tuple[Creates, ...]
    for_each: Field | None
    for_each_values: tuple[Any, ...] | None
    when: Guard | None
    where: Guard | None
    instance: Field | None
    variables: tuple[Variable, ...]
    counts: Mapping[str, Field]
    template: Template | None
    embed: Embed | None
    observed_unit: str | None
    observed: tuple[tuple[str, Field], ...]
    pods: ComponentPods | None
    incomplete: tuple[Incomplete, ...]
    immutable: tuple[Immutable, ...]
    components: tuple[Component, ...]
    #: The names of the components above this one, outermost first.
    ancestors: tuple[str, ...]

    @property
    def is_list(self) -> bool:
        """Whether the component has an instance for each of several elements."""
        return self.for_each is not None or self.for_each_values is not None

    @property
    def always_creates(self) -> dict[str, str] | None:
        """The one kind that the controller makes for each replica, whatever the object says."""
        if len(self.creates) != 1 or self.creates[0].when is not None:
            return None
        return {"apiVersion": self.creates[0].api_version, "kind": self.creates[0].kind}


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

    #: Whether the rules decide about an empty status too.
    read_empty: bool
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
    #: Whether a rule looks at `parts`.
    uses_parts: bool


@dataclass(frozen=True, slots=True)
class Action:
    """One action of `suspend` or `resume`; `remove` has no `to`."""

    at: str
    place: Reader
    to: Any
    remove: bool
    when: Guard | None


@dataclass(frozen=True, slots=True)
class Suspend:
    """`suspend` of a mapping (S17)."""

    requested: Guard | None
    suspend: tuple[Action, ...]
    resume: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """One label selector (S10.2): pairs of label and value, or a place that holds one."""

    labels: tuple[tuple[str, Field], ...]
    source: Field | None
    at: str


@dataclass(frozen=True, slots=True)
class Range:
    """Some replicas of a component, from `start` up to but without `stop` (S11.9); None is open."""

    component: str
    start: Field | None
    stop: Field | None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a gang entry (S11.2)."""

    component: str
    min_pods: Field | None
    replicas: Range | None


@dataclass(frozen=True, slots=True)
class GangEntry:
    """One entry of `gang` (S11.1)."""

    name: str
    at: str
    when: Guard | None
    per: str | None
    per_replica: bool
    per_range: Range | None
    by: Field | None
    #: The component whose embedded workload's own groups these are; the rest is empty then.
    source: str | None
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
    #: The declared variables and the references, in the order in which they are evaluated (S19.1).
    prelude: tuple[Variable | Reference, ...]
    components: tuple[Component, ...]
    #: Every component by its name, nested ones too.
    by_name: Mapping[str, Component]
    selectors: tuple[Selector, ...] | None
    status: Status | None
    suspend: Suspend | None
    gang: tuple[GangEntry, ...]
    incomplete: tuple[Incomplete, ...]
    immutable: tuple[Immutable, ...]
    invalid: tuple[Invalid, ...]
    expressions: tuple[Expression, ...]
    warnings: tuple[tuple[str, str, Finding], ...]
    #: Whether a component embeds a workload of another kind.
    embeds: bool
    document: Mapping[str, Any]
    #: What a value is made of, by its place in the document: readers, and conditions.
    parts: Mapping[str, Reader]
    conditions: Mapping[str, Condition]
    #: Is told the places of parts that have no value and are used, where somebody looks on.
    used: Callable[[str], None] | None = None

    def use(self, at: str) -> None:
        """Tell who looks on, if somebody does, that the part at a place is used."""
        if self.used is not None:
            self.used(at)

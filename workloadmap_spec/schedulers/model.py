"""What a renderer is given, and what it gives back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.resources import to_json
from workloadmap_spec.schedulers.names import labels, object_names
from workloadmap_spec.values import AS_IT_IS, FailedError
from workloadmap_spec.writing.targets import NoTargetError
from workloadmap_spec.writing.template_fields import Leaf, leaf_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec import gang
    from workloadmap_spec.components import Instance
    from workloadmap_spec.read import Parts
    from workloadmap_spec.resources import PodResources


#: The way from a template to an annotation and to a field of `spec`.
_PROBES: Final = (("metadata", "annotations", "probe"), ("spec", "schedulerName"))
_WAYS: Final = tuple("/" + "/".join(way) for way in _PROBES)


@dataclass(frozen=True, slots=True)
class Place:
    """An instance of a pod component: all pods that are made of one template."""

    #: A DNS label that no other place of the workload has, as short as that allows.
    name: str
    #: As a gang member names it, behind the components that embed it.
    component: str
    #: The ids of the instances from the outermost to this one, joined by `/`.
    instance: str
    #: None if unknown.
    pods: int | None
    #: What one pod requests and is limited to; None if there is no template.
    resources: PodResources | None
    #: The pod template as read; None if there is none.
    template: Mapping[str, Any] | None
    #: JSON Pointers of where annotations and fields of `spec` are written (S20.5); None for nowhere. Two places with
    #: one pointer have one template.
    written: tuple[str | None, str | None] = (None, None)

    @property
    def pointer(self) -> str | None:
        """The JSON Pointer of the pod template as it is written; None if it is in several parts, or nowhere."""
        metadata, spec = (
            pointer and pointer.removesuffix(way) for pointer, way in zip(self.written, _WAYS, strict=True)
        )
        return metadata if metadata == spec else None

    @property
    def requests(self) -> dict[str, str]:
        """What one pod requests: quantities in canonical form, by resource name."""
        return {} if self.resources is None else dict(to_json(self.resources).get("requests", {}))


@dataclass(frozen=True, slots=True)
class Member:
    """The part of a group that lies in one place; what is None is unknown, or not said of the part."""

    place: Place
    pods: int | None
    minimum: int | None
    #: Whether it is all pods of the place, whichever number that is.
    is_all: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A pod group (S11): which pods are placed together, and how many of them at least."""

    id: str
    #: That of the gang entry.
    name: str
    #: A name for what is made of it: of an object for a group, a DNS label for one below it. It differs from that of
    #: any other group of the workload, or of any other below the same group.
    label: str
    #: Components, instances and replicas that it stands for, as in the map.
    at: Sequence[Mapping[str, Any]]
    members: tuple[Member, ...]
    #: None if unknown, as `pods`.
    minimum: int | None
    pods: int | None
    queue: str | None
    priority: str | None
    #: Keys of node labels by `required` and `preferred`: the domain in which its pods lie.
    topology: Mapping[str, str]
    subgroups: tuple[Group, ...] = ()

    def innermost(self) -> Iterator[Group]:
        """The groups below it that have none below themselves; itself if it has none."""
        if not self.subgroups:
            yield self
        for subgroup in self.subgroups:
            yield from subgroup.innermost()


@dataclass(frozen=True, slots=True)
class Gang:
    """The groups of one workload."""

    #: As in the map: `apiVersion`, `kind`, `name`, and `namespace` and `uid` where they are known.
    workload: Mapping[str, Any]
    places: tuple[Place, ...]
    groups: tuple[Group, ...]
    #: The workload itself after the data rules, for what a scheduler reads of it that no map has.
    object: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the workload."""
        return str(self.workload["name"])


@dataclass(frozen=True, slots=True)
class Options:
    """What a user asks for beside the format; what is None is taken from the groups, or left to the scheduler."""

    #: The version of the scheduler's API, such as `v1beta1`; always one of the renderer's `VERSIONS` unless empty.
    version: str = ""
    queue: str | None = None
    priority: str | None = None
    #: The name of the object that the keys of topology are levels of, in schedulers that have such objects.
    topology: str | None = None
    #: The name under which the scheduler runs.
    scheduler: str | None = None
    #: Kueue: give the Workload itself.
    prebuilt: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """What a user should know: an error is what cannot be said at all, a warning what is lost."""

    severity: Literal["error", "warning", "note"]
    text: str
    #: The id of the group that it is about; None for the workload.
    group: str | None = None
    cure: str | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """What is set on a pod, or on a workload: labels, annotations, and fields of `spec`."""

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The members that hold something."""
        known = {"labels": self.labels, "annotations": self.annotations, "spec": self.spec}
        return {name: dict(values) for name, values in known.items() if values}


@dataclass(frozen=True, slots=True)
class Binding:
    """What is set on the pods of one place that belong to one group."""

    #: The group or, where its parts are told apart, the innermost group below it.
    group: Group
    place: Place
    values: Values
    #: How many pods these are; None if unknown.
    pods: int | None
    #: Whether they are all pods of the place, whichever number that is.
    is_all: bool


def bind(group: Group, member: Member, values: Values) -> Binding:
    """Bind all pods of a member of a group."""
    return Binding(group, member.place, values, member.pods, member.is_all)


@dataclass(slots=True)
class Rendering:
    """The groups of a workload, for one scheduler."""

    #: What is created beside the workload, in the order in which it is created.
    objects: list[dict[str, Any]] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    #: What is set on the workload itself.
    workload: Values = field(default_factory=Values)
    messages: list[Message] = field(default_factory=list)

    def tell(
        self,
        severity: Literal["error", "warning", "note"],
        text: str,
        group: Group | None = None,
        cure: str | None = None,
    ) -> None:
        """Add a message, once."""
        message = Message(severity, text, None if group is None else group.id, cure)
        if message not in self.messages:
            self.messages.append(message)


#: The id of a group for the whole workload, by the mappings' custom.
_WHOLE: Final = "workload"
_NAMELESS: Final = "the workload has no name, and what is made for it needs one"


def read_gang(parts: Parts) -> Gang:
    """The groups of a workload that was read.

    Raises:
        InputError: the workload has no name.

    """
    workload = parts.document["workload"]
    if not workload.get("name"):
        raise InputError(
            _NAMELESS, Location(pointer="/metadata"), "put a `metadata.name` there; `generateName` says too little"
        )
    leaves = parts.tree.leaves
    places = {id(leaf): _place(parts, leaf, name) for leaf, name in zip(leaves, _names(leaves), strict=True)}
    owner = workload["name"]
    # Of a group that stands for the whole workload, its name says all.
    texts = [owner if group.document["id"] == _WHOLE else f"{owner}-{group.document['id']}" for group in parts.groups]
    groups = tuple(_group(group, name, places) for group, name in zip(parts.groups, object_names(texts), strict=True))
    return Gang(workload, tuple(places.values()), groups, parts.scope.env[AS_IT_IS])


def _place(parts: Parts, leaf: Instance, name: str) -> Place:
    """An instance as a place."""
    metadata, spec = (_written_at(parts, leaf, way) for way in _PROBES)
    return Place(name, leaf.qualified, leaf.path, leaf.pods, leaf.pod_resources, leaf.template, (metadata, spec))


def _written_at(parts: Parts, leaf: Instance, way: tuple[str, ...]) -> str | None:
    """Where a field of a template would be written."""
    if leaf.template is None:
        return None
    try:
        return leaf_target(parts, leaf, Leaf(way)).pointer
    except (NoTargetError, FailedError):
        return None


def _names(leaves: Sequence[Instance]) -> list[str]:
    """A name for each instance.

    An instance of a list is named by its id, which is what people call it, and any other by its component; where two
    are alike, by more and more of what lies above them.
    """
    lines = [_line(leaf) for leaf in leaves]
    length = [1] * len(lines)
    while True:
        texts = ["-".join(line[-n:]) for line, n in zip(lines, length, strict=True)]
        used = Counter(texts)
        again = [i for i, text in enumerate(texts) if used[text] > 1 and length[i] < len(lines[i])]
        if not again:
            # What differs in where its dashes are only is told apart by its whole place.
            return labels(
                [text if used[text] == 1 else f"{text}-{leaf.path}" for text, leaf in zip(texts, leaves, strict=True)]
            )
        for i in again:
            length[i] += 1


def _line(leaf: Instance) -> list[str]:
    """The words that tell an instance from others, from the outermost in."""
    return [word for part in leaf.chain for word in (part.component.name, *([part.id] if part.is_listed else []))]


def _group(group: gang.Group, label: str, places: Mapping[int, Place]) -> Group:
    """A group as it was read, with all below it."""
    below = {id(one): one.document["id"].removeprefix(f"{group.document['id']}/") for one in _below(group)}
    names = dict(zip(below, labels(list(below.values())), strict=True))

    def made(group: gang.Group, label: str) -> Group:
        document = group.document
        members = tuple(
            Member(places[id(one.leaf)], entry.get("pods"), entry.get("minPods"), is_all=_is_all(group, one))
            for one, entry in zip(group.covered, document["members"], strict=True)
        )
        return Group(
            id=document["id"],
            name=document["name"],
            label=label,
            at=document.get("at", ()),
            members=members,
            minimum=document.get("minMember"),
            pods=document.get("pods"),
            queue=document.get("queue"),
            priority=document.get("priorityClass"),
            topology=document.get("topology", {}),
            subgroups=tuple(made(one, names[id(one)]) for one in group.subgroups),
        )

    return made(group, label)


def _is_all(group: gang.Group, covered: gang.Covered) -> bool:
    """Whether a group covers all pods of an instance."""
    leaf = covered.leaf
    is_narrowed = bool(covered.spans) or bool(group.unit.fixed(leaf.chain))
    return not is_narrowed or (leaf.pods is not None and covered.pods == leaf.pods)


def _below(group: gang.Group) -> Iterator[gang.Group]:
    """All groups below a group."""
    for subgroup in group.subgroups:
        yield subgroup
        yield from _below(subgroup)

"""The groups of a workload for a scheduler: which schedulers there are, and one document for the answer of any."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Message, Options, Values, read_gang
from workloadmap_spec.schedulers.names import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.read import Parts
    from workloadmap_spec.schedulers.model import Binding, Gang, Place, Rendering

#: The schedulers, each a module beside this one, and what they are called.
FORMATS: Final = {
    "kai": "KAI Scheduler",
    "volcano": "Volcano",
    "coscheduling": "the coscheduling plugin of scheduler-plugins",
    "yunikorn": "Apache YuniKorn",
    "kueue": "Kueue",
    "native": "the scheduler of Kubernetes (workload-aware scheduling)",
}


def versions(name: str) -> tuple[str, ...]:
    """The versions of a scheduler's API that can be written, the default first.

    Raises:
        KeyError: there is no such format.

    """
    return tuple(_module(name).VERSIONS)


def full_version(name: str, wanted: str | None) -> str:
    """A version of a scheduler's API as objects have it, from that or from its last part; the default if None.

    Raises:
        KeyError: there is no such format.
        ValueError: the scheduler has no such version; the text names those that it has.

    """
    known = versions(name)
    if wanted is None:
        return known[0]
    for version in known:
        if wanted in (version, version.rpartition("/")[2]):
            return version
    there = f"there is {', '.join(known)}" if any(known) else "it has no objects, and so no versions"
    raise ValueError(f"{FORMATS[name]} has no API version {wanted} here; {there}")


def _module(name: str) -> Any:  # noqa: ANN401 - a module
    """The module that knows a scheduler, imported when it is asked for."""
    if name not in FORMATS:
        raise KeyError(name)
    return import_module(f"workloadmap_spec.schedulers.{name}")


@dataclass(frozen=True, slots=True)
class Bound:
    """How the pods of one place are bound."""

    place: Place
    #: What the pod template can say.
    template: Values
    #: The groups that its pods are bound to, each with what these pods need.
    bindings: tuple[Binding, ...]
    #: Whether some of its pods are in no group.
    is_partial: bool = False
    #: Other places that are written to the same template, and bound otherwise.
    shares: tuple[Place, ...] = ()

    @property
    def is_static(self) -> bool:
        """Whether the pod template can bind all its pods."""
        return not self.pods

    @property
    def pods(self) -> tuple[Binding, ...]:
        """What differs between pods, or is not for all of them; none if the template says everything."""
        is_all = not self.is_partial and all(_key(one.values) == _key(self.template) for one in self.bindings)
        return () if is_all else self.bindings


@dataclass(frozen=True, slots=True)
class Rendered:
    """The groups of one workload for one scheduler, and how pods are bound to them."""

    format: str
    version: str
    parts: Parts
    gang: Gang
    rendering: Rendering
    bound: tuple[Bound, ...]

    @property
    def messages(self) -> list[Message]:
        """What the user should know, errors first."""
        order = ("error", "warning", "note")
        return sorted(self.rendering.messages, key=lambda message: order.index(message.severity))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data.

        `workload` and `format`; `apiVersion` of the objects, where there are any; `objects`; for each component and
        instance with pods in a group an entry of `bindings`; `workloadBinding`, what is set on the workload itself;
        `messages`. An entry of `bindings` has `component`, `instance`, the JSON Pointer of its pod `template` where
        that is in one piece, `binding` (`static` or `perPod`), what the template says (`labels`, `annotations`,
        `spec`), and under `perPod` for each group what only its pods are given, with the group's `id` as `group` and
        its `at`.
        """
        found: dict[str, Any] = {"workload": dict(self.gang.workload), "format": self.format}
        if self.version:
            found["apiVersion"] = self.version
        found["objects"] = self.rendering.objects
        found["bindings"] = [_bound_document(bound) for bound in self.bound]
        on_workload = self.rendering.workload.to_dict()
        if on_workload:
            found["workloadBinding"] = on_workload
        if self.messages:
            found["messages"] = [_message_document(message) for message in self.messages]
        return found


def render(parts: Parts, name: str, options: Options) -> Rendered:
    """The groups of a workload that was read, for a scheduler.

    Args:
        parts: what was read of the workload.
        name: one of `FORMATS`.
        options: what is asked for; a version, if one is, as `full_version` gives it.

    Raises:
        KeyError: there is no such format.
        InputError: the workload has no name.

    """
    gang = read_gang(parts)
    version = options.version or versions(name)[0]
    rendering: Rendering = _module(name).render(gang, options)
    bound = _apart(list(_bound(rendering.bindings, gang.places)))
    _tell_unbound(gang, rendering, bound)
    _tell_scaled(rendering, bound)
    _tell_bad_labels(rendering)
    return Rendered(name, version, parts, gang, rendering, bound)


def _tell_unbound(gang: Gang, rendering: Rendering, bound: Sequence[Bound]) -> None:
    """Note which pods stay with the scheduler that they have, where others are bound."""
    if not gang.groups:
        rendering.tell("note", "it has no pod groups: its pods may start one by one")
    if not bound:
        return
    taken = {id(one.place) for one in bound}
    failed = {message.group for message in rendering.messages if message.severity == "error"}
    grouped = {id(member.place) for group in gang.groups for member in group.members}
    # Of a group that cannot be made enough is said.
    taken |= {id(member.place) for group in gang.groups if group.id in failed for member in group.members}
    left = [place for place in gang.places if place.pods != 0 and id(place) not in taken]
    for is_grouped, why in ((False, "in no group"), (True, "not needed to start")):
        names = ", ".join(
            f"{place.component} {place.instance}" for place in left if (id(place) in grouped) == is_grouped
        )
        if names:
            rendering.tell("note", f"{why}, and left as they are: the pods of {names}")


def _tell_scaled(rendering: Rendering, bound: Sequence[Bound]) -> None:
    """Note where a template binds the one replica that there is, and would bind others too."""
    names = [
        f"{one.place.component} {one.place.instance}"
        for one in bound
        if one.is_static and any("replica" in step for step in one.bindings[0].group.at)
    ]
    if names:
        rendering.tell(
            "note",
            f"there is one replica, and the template of {', '.join(names)} binds its pods: when there are more, each"
            " needs a group of its own",
        )


def _tell_bad_labels(rendering: Rendering) -> None:
    """Tell what an API server refuses as the value of a label."""
    every = [rendering.workload, *(binding.values for binding in rendering.bindings)]
    for key, value in dict.fromkeys(entry for values in every for entry in values.labels.items()):
        if len(value) > MAX_NAME or not _LABEL.fullmatch(value):
            rendering.tell("error", f"{value!r} cannot be the value of the label {key}", cure=_ABOUT_LABELS)


#: The value of a label (apimachinery, pkg/util/validation).
_LABEL: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_ABOUT_LABELS: Final = (
    f"a value has at most {MAX_NAME} letters, digits, dashes, dots and underscores, and begins and ends with one of the"
    " first two"
)


def _bound(bindings: Sequence[Binding], places: Iterable[Place]) -> Iterator[Bound]:
    """How the pods of each place that is bound at all are."""
    for place in places:
        own = [binding for binding in bindings if binding.place is place]
        if not own:
            continue
        # Of two groups that cover a pod, it belongs to the first (S10.7).
        whole = next((one for one in own if one.is_all), None) if own[0].is_all else None
        if whole is not None:
            yield Bound(place, whole.values, (whole,))
        elif len({_key(one.values) for one in own}) == 1 and _is_covered(place, own):
            yield Bound(place, own[0].values, tuple(own))
        else:
            is_partial = not _is_covered(place, own)
            shared = Values() if is_partial else _shared([one.values for one in own])
            yield Bound(place, shared, tuple(own), is_partial)


def _apart(bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """The same, but what differs between places of one template is for each pod: a template cannot say both."""
    found = []
    for bound in bounds:
        metadata, spec = bound.place.written
        alike = [
            other
            for other in bounds
            if other is not bound
            and (
                (metadata is not None and other.place.written[0] == metadata and _marks(other) != _marks(bound))
                or (spec is not None and other.place.written[1] == spec and other.template.spec != bound.template.spec)
            )
        ]
        if not alike:
            found.append(bound)
            continue
        shared = _shared([one.template for one in (bound, *alike)])
        found.append(Bound(bound.place, shared, bound.bindings, bound.is_partial, tuple(one.place for one in alike)))
    return tuple(found)


def _marks(bound: Bound) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What a template says in its metadata."""
    return bound.template.labels, bound.template.annotations


def _is_covered(place: Place, bindings: Sequence[Binding]) -> bool:
    """Whether the groups together cover all pods of a place; not if that is unknown."""
    counts = [binding.pods for binding in bindings]
    return place.pods is not None and None not in counts and sum(count or 0 for count in counts) >= place.pods


def _key(values: Values) -> str:
    """What makes values equal."""
    return repr(values.to_dict())


def _shared(every: Sequence[Values]) -> Values:
    """What all of them say."""

    def common(maps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        first, *others = maps
        return {key: value for key, value in first.items() if all(one.get(key) == value for one in others)}

    return Values(
        common([one.labels for one in every]),
        common([one.annotations for one in every]),
        common([one.spec for one in every]),
    )


def _without(values: Values, shared: Values) -> Values:
    """What the pod template does not say already."""

    def left(own: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in own.items() if key not in known}

    return Values(
        left(values.labels, shared.labels),
        left(values.annotations, shared.annotations),
        left(values.spec, shared.spec),
    )


def _bound_document(bound: Bound) -> dict[str, Any]:
    """An entry of `bindings`."""
    entry: dict[str, Any] = {"component": bound.place.component, "instance": bound.place.instance}
    if bound.place.pointer is not None:
        entry["template"] = bound.place.pointer
    entry["binding"] = "static" if bound.is_static else "perPod"
    entry |= bound.template.to_dict()
    if bound.pods:
        entry["perPod"] = [
            {"group": one.group.id, "at": list(one.group.at)} | _without(one.values, bound.template).to_dict()
            for one in bound.pods
        ]
    return entry


def _message_document(message: Message) -> dict[str, Any]:
    """An entry of `messages`."""
    entry = {"severity": message.severity, "message": message.text}
    if message.group is not None:
        entry["group"] = message.group
    if message.cure is not None:
        entry["cure"] = message.cure
    return entry

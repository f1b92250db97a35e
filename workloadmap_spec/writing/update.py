"""The changed object of an intent (clause S20): what is asked is written, and read again before it is given out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.documents import normalize
from workloadmap_spec.errors import InputError, Location, UpdateInvalidError, UpdateUnsupportedError
from workloadmap_spec.pointer import escape, join
from workloadmap_spec.quantities import QuantityError, parse
from workloadmap_spec.read import check_workload, read_parts
from workloadmap_spec.values import FailedError, Session, read_count, same
from workloadmap_spec.writing.edits import Edit, applied
from workloadmap_spec.writing.immutable import check_immutable
from workloadmap_spec.writing.intents import COUNTS, FIELDS, check_intent
from workloadmap_spec.writing.targets import NoTargetError, Target, finder_of, finder_of_group, reached
from workloadmap_spec.writing.template_fields import Leaf, container_of, leaf_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.components import Instance
    from workloadmap_spec.pointer import JSON
    from workloadmap_spec.read import Parts

_DONE: Final = {"suspend": "suspended", "resume": "resumed"}
_QUANTITIES: Final = ("requests", "limits")


@dataclass(frozen=True, slots=True)
class Change:
    """A workload before and after: treat both as read-only. They are the same value if nothing had to be changed."""

    before: JSON
    after: JSON

    def json_patch(self) -> list[dict[str, Any]]:
        """The operations of a JSON Patch (RFC 6902) that makes the one of the other."""
        from workloadmap_spec.writing.patches import json_patch  # noqa: PLC0415 - not every caller wants one

        return json_patch(self.before, self.after)

    def merge_patch(self) -> dict[str, Any]:
        """The merge patch (RFC 7386) that makes the one of the other, as `kubectl patch --type=merge` takes it."""
        from workloadmap_spec.writing.patches import merge_patch  # noqa: PLC0415 - not every caller wants one

        patch: dict[str, Any] = merge_patch(self.before, self.after)
        return patch


@dataclass(frozen=True, slots=True)
class _Asked:
    """One value that is asked for: where it is written, and how it is found in what is read afterwards."""

    #: The instance by its path, or the group by its id.
    key: str
    #: The name of a count, a leaf of the template, or `queue`.
    what: str | Leaf
    value: JSON
    #: None for what reads as asked already.
    target: Target | None


def update(
    catalog: Catalog, workload: JSON, intent: JSON, references: tuple[Mapping[str, Any], ...] | None = None
) -> Change:
    """Change a workload as an intent asks.

    Args:
        catalog: Where its mapping is found, and those of what it embeds.
        workload: The object, as it comes from JSON or YAML.
        intent: What is asked, as in S20.2.
        references: The objects that it refers to, after the data rules; None if none are given.

    Raises:
        UpdateUnsupportedError: The mapping knows no place to write.
        UpdateInvalidError: The workload does not allow it, or it would not read as asked.
        WorkloadMapError: The workload cannot be read.
    """
    intent = check_intent(intent)
    before = read_workload(catalog, workload, references)
    try:
        if intent["op"] in ("suspend", "resume"):
            edits, asked = _actions(before, intent["op"]), []
        else:
            asked = list(_scaled(before, intent) if intent["op"] == "scale" else _set(before, intent))
            edits = _edits(asked)
    except FailedError:
        raise _failed(before) from None
    if not edits:
        return Change(workload, workload)
    check_immutable(before, edits)
    after = applied(workload, edits)
    _check(before, _read_again(catalog, after, references), intent, asked)
    return Change(workload, after)


def read_workload(catalog: Catalog, workload: JSON, references: tuple[Mapping[str, Any], ...] | None) -> Parts:
    """Read a workload, as far as it is written; arguments and errors are those of `update`."""
    checked = check_workload(normalize(workload))
    mapping = catalog.find(checked["apiVersion"], checked["kind"])
    return read_parts(mapping, checked, Session(Diagnostics(), catalog.find, references))


def _read_again(catalog: Catalog, workload: JSON, references: tuple[Mapping[str, Any], ...] | None) -> Parts:
    """Read what has been written."""
    try:
        return read_workload(catalog, workload, references)
    except InputError as error:
        raise UpdateInvalidError(f"the changed object could not be read: {error.message}", error.location) from error


def _failed(parts: Parts) -> UpdateInvalidError:
    """The error for something that could not be read."""
    told = [entry for entry in parts.scope.diagnostics.sorted() if entry.severity == "error"]
    why = f": {told[0].message} (at {told[0].at} of the mapping)" if told else ""
    return UpdateInvalidError(f"what is to be written could not be read{why}")


# Instances


def _key(instance: Instance) -> str:
    """The name of an instance in the tree, which no other has."""
    return "/".join(f"{escape(part.component.name)}/{escape(part.id)}" for part in instance.chain)


def _fitting(parts: Parts, intent: Mapping[str, Any], fits: Callable[[Instance], bool]) -> list[Instance]:
    """The instances that an intent means (S20.2.1).

    Raises:
        UpdateInvalidError: None fits.
    """
    everything = list(parts.tree.instances())
    component = intent.get("component")
    found = [one for one in everything if component is None or one.qualified == component]
    if component is not None and not found:
        names = sorted({one.qualified for one in everything})
        cure = f"there are {', '.join(names)}" if names else "the workload has no components"
        raise UpdateInvalidError(f"there is no component `{component}`", Location(pointer="/component"), cure)
    identity = intent.get("instance")
    ids = [one.path for one in found]
    if identity is not None:
        found = [one for one in found if identity in (one.id, one.path)]
        if not found:
            cure = f"there are {', '.join(ids[:8])}" + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")  # noqa: PLR2004
            raise UpdateInvalidError(f"there is no instance `{identity}`", Location(pointer="/instance"), cure)
    if component is None:
        found = [one for one in found if fits(one)]
    return found


# Scale


def _scaled(parts: Parts, intent: Mapping[str, Any]) -> Iterator[_Asked]:
    """The counts that `scale` asks for."""
    counts = {name: intent[name] for name in COUNTS if name in intent}
    found = _fitting(parts, intent, lambda one: counts.keys() <= one.component.counts.keys())
    if not found:
        raise UpdateInvalidError(f"no component has {' and '.join(counts)} of its own")
    if len(found) > 1:
        names = ", ".join(f"{one.qualified} {one.path}" for one in found[:8])
        message = f"one instance is scaled at a time, and {len(found)} fit: {names}"
        raise UpdateInvalidError(message, cure="name the component, and the instance if it has several")
    (instance,) = found
    finder = finder_of(parts, instance)
    for name, count in counts.items():
        field = instance.component.counts.get(name)
        what = f"{name} of {instance.qualified}"
        if field is None:
            if name == "replicas" and count == 1:
                # What no mapping gives is 1 (S6.4.1), and what reads as asked is not written.
                continue
            raise UpdateUnsupportedError(f"the mapping {parts.mapping.name} does not give {what}")
        target = None
        if read_count(field.read, instance.scope, field.at) != count:
            with _writable(what):
                target = finder.target(field.at)
        # What reads as asked is not written, and yet must not follow another count.
        yield _Asked(_key(instance), name, count, target)


@contextmanager
def _writable(what: str) -> Iterator[None]:
    """Say of what has no target that it cannot be written, and why."""
    try:
        yield
    except NoTargetError as error:
        raise UpdateUnsupportedError(f"{what} cannot be written: {error}") from None


# Set


def _set(parts: Parts, intent: Mapping[str, Any]) -> Iterator[_Asked]:
    """What `set` asks for."""
    name, value = intent["field"], ABSENT if intent["value"] is None else intent["value"]
    form = FIELDS[name]
    if name == "queue":
        yield from _queues(parts, value)
        return
    if not form.in_template:
        pointer = join("", *form.path, intent["key"])
        if not _is_as_asked(reached(parts.scope.env["object"], (*form.path, intent["key"])), value, name):
            yield _Asked("", name, value, Target(pointer))
        return
    for instance in template_instances(parts, intent):
        if instance.template is None:
            raise UpdateInvalidError(f"{instance.qualified} {instance.path} has no pod template")
        leaf = _leaf(instance, form.path, intent)
        now = reached(instance.template, leaf.way)
        what = f"{name} of {instance.qualified} {instance.path}"
        if _is_as_asked(now, value, name):
            continue
        with _writable(what):
            target = leaf_target(parts, instance, leaf)
        yield _Asked(_key(instance), leaf, value, target)


def template_instances(parts: Parts, intent: Mapping[str, Any]) -> list[Instance]:
    """The instances whose templates `set` means, by `component` and `instance` (S20.2.1); one may lack its template.

    Raises:
        UpdateInvalidError: There are none.
    """
    found = [leaf for one in _fitting(parts, intent, _is_of_pods) for leaf in _leaves(one)]
    if not found:
        raise UpdateInvalidError("there is no pod template here")
    return found


def _is_of_pods(instance: Instance) -> bool:
    """Whether an instance is one of a pod component."""
    return instance.component.template is not None


def _leaves(instance: Instance) -> Iterator[Instance]:
    """The instances of pod components that an instance stands for: itself, or those below it."""
    if _is_of_pods(instance):
        yield instance
        return
    for children in instance.children:
        for child in children:
            yield from _leaves(child)


def _leaf(instance: Instance, path: tuple[str, ...], intent: Mapping[str, Any]) -> Leaf:
    """The field of a template that an intent means (S20.3)."""
    full = (*path, intent["key"]) if "key" in intent else path
    if not FIELDS[intent["field"]].in_container:
        return Leaf(full)
    name = intent.get("container", instance.main_container)
    containers = reached(instance.template, ("spec", "containers"))
    listed = containers if isinstance(containers, list) else []
    names = [entry.get("name") for entry in listed if isinstance(entry, dict)]
    if name is None and len(listed) == 1 and isinstance(listed[0], dict):
        # The only one needs no name; Knative gives it one.
        name = listed[0].get("name", "")
    if not isinstance(name, str):
        cure = f"name one of {', '.join(map(str, names))}" if names else None
        raise UpdateInvalidError(f"{instance.qualified} has no one container that is meant", cure=cure)
    found = container_of(instance.template, name)
    if found is None:
        cure = f"there are {', '.join(map(str, names))}" if names else None
        message = f"{instance.qualified} {instance.path} has no container `{name}`"
        raise UpdateInvalidError(message, Location(pointer="/container"), cure)
    return Leaf(full, name, found.init)


def _queues(parts: Parts, value: JSON) -> Iterator[_Asked]:
    """The queues of the outermost groups."""
    if not parts.groups:
        raise UpdateInvalidError("the workload has no pod group whose queue could be set")
    for group in parts.groups:
        field = group.entry.queue
        if field is None:
            raise UpdateUnsupportedError(f"the mapping gives no queue for the group {group.document['id']}")
        if _is_as_asked(group.document.get("queue", ABSENT), value, "queue"):
            continue
        with _writable(f"the queue of {group.document['id']}"):
            target = finder_of_group(parts, group).target(field.at)
        yield _Asked(_GROUP + group.document["id"], "queue", value, target)


def _is_as_asked(now: JSON, value: JSON, field: str) -> bool:
    """Whether a value reads as asked: quantities by their amount."""
    if now is ABSENT or value is ABSENT:
        return now is value
    if field in _QUANTITIES and not isinstance(now, dict | list | bool):
        try:
            return parse(now).nano == parse(value).nano
        except QuantityError:
            return False
    return same(now, value)


# Suspension


def _actions(parts: Parts, operation: str) -> list[Edit]:
    """The edits of `suspend` or `resume` (S20.8)."""
    suspend = parts.mapping.suspend
    if suspend is None:
        raise UpdateUnsupportedError(f"the mapping {parts.mapping.name} knows no way to {operation} a workload")
    if parts.document.get("suspended") is (operation == "suspend"):
        return []
    edits = []
    for action in suspend.suspend if operation == "suspend" else suspend.resume:
        if action.when is not None and not action.when.holds(parts.scope):
            message = f"this workload cannot be {_DONE[operation]}: {action.when.at} of the mapping does not hold"
            raise UpdateUnsupportedError(message)
        with _writable(f"the place of {action.at}"):
            target = finder_of(parts, None).target(action.at)
        edits.append(target.edit(ABSENT if action.remove else action.to))
    return edits


# Edits


def _edits(asked: list[_Asked]) -> list[Edit]:
    """The edits of all that is asked: each place once, and no copy where the place that is copied is written anyway."""
    written: dict[str, Edit] = {}
    targets = [(one.target, one.target.edit(one.value)) for one in asked if one.target is not None]
    for target, edit in targets:
        if target.start is None:
            _add(written, edit)
    for target, edit in targets:
        if target.start is None:
            continue
        place, _value, source = target.start
        original = None if source is None else source + target.pointer.removeprefix(place)
        if original not in written or not same(written[original].value, edit.value):
            _add(written, edit)
    return list(written.values())


def _add(written: dict[str, Edit], edit: Edit) -> None:
    """Add the edit of one value."""
    other = written.setdefault(edit.pointer, edit)
    if not (other.value is edit.value or same(other.value, edit.value)):
        raise UpdateInvalidError("two different values would be written to one place", Location(pointer=edit.pointer))


# Reading again


def _check(before: Parts, after: Parts, intent: Mapping[str, Any], asked: list[_Asked]) -> None:
    """Check that what was asked is read, and that the rest is as it was (S20.7).

    Raises:
        UpdateInvalidError: It is not.
    """
    _check_diagnostics(before, after)
    if intent["op"] in ("suspend", "resume"):
        if after.document.get("suspended") is not (intent["op"] == "suspend"):
            raise UpdateInvalidError(f"the changed object would not read as {_DONE[intent['op']]}")
    elif intent["op"] == "set" and not FIELDS[intent["field"]].in_template and intent["field"] != "queue":
        return
    old, new = _snapshot(before), _snapshot(after)
    for one in asked:
        _check_asked(one, intent, new)
    # What else follows in a template that is meant may: a sidecar that has the image of the main container.
    follows = {"queue", "podTemplate", *(COUNTS if intent["op"] == "scale" else ())}
    meant = {one.key for one in asked}
    for key in sorted(old.keys() ^ new.keys()):
        # Groups come and go with replicas.
        if not key.startswith(_GROUP):
            raise UpdateInvalidError(f"the components of the workload would change: {key}", cure=_SHARED)
    # In the order of the map, so that the same change is told every time.
    for key in (key for key in old if key in new):
        for name in sorted((old[key].keys() | new[key].keys()) - (follows if key in meant else set())):
            if not same(old[key].get(name), new[key].get(name)):
                raise UpdateInvalidError(f"{name} of {key} would change too", cure=_SHARED)


#: What the keys of groups begin with in a snapshot; no component is named so.
_GROUP: Final = "group "


def _check_diagnostics(before: Parts, after: Parts) -> None:
    """Refuse a change that makes something unreadable, or that the framework refuses."""
    told = {(entry.at, entry.instance, entry.error_class, entry.mapping) for entry in before.scope.diagnostics.sorted()}
    for entry in after.scope.diagnostics.sorted():
        if entry.severity == "error" and (entry.at, entry.instance, entry.error_class, entry.mapping) not in told:
            raise UpdateInvalidError(f"the changed object would not be right: {entry.message}")


_SHARED: Final = "both are read from one place: change them at once, by leaving the component or the instance out"


def _check_asked(one: _Asked, intent: Mapping[str, Any], new: Mapping[str, Mapping[str, Any]]) -> None:
    """Check one value that was asked for."""
    after = new.get(one.key)
    if after is None:
        raise UpdateInvalidError(f"{one.key} would be gone")
    if isinstance(one.what, str):
        found, name = after.get(one.what, ABSENT), one.what
    else:
        found, name = reached(after.get("podTemplate", {}), one.what.way), str(intent["field"])
    if not _is_as_asked(found, one.value, name):
        what = "nothing" if found is ABSENT else repr(found)
        wanted = "nothing" if one.value is ABSENT else repr(one.value)
        raise UpdateInvalidError(f"{name} of {one.key} would read as {what}, not as {wanted}")


def _snapshot(parts: Parts) -> dict[str, dict[str, Any]]:
    """What must not change by itself: the counts and the template of every instance, the queue of every group."""
    found: dict[str, dict[str, Any]] = {}
    for one in parts.tree.instances():
        values = {
            "replicas": one.replicas,
            "podsPerReplica": one.pods_per_replica,
            "minReplicas": one.min_replicas,
            "maxReplicas": one.max_replicas,
            "podTemplate": one.template,
        }
        found[_key(one)] = {name: value for name, value in values.items() if value is not None}
    for group in parts.groups:
        queue = group.document.get("queue")
        found[_GROUP + group.document["id"]] = {} if queue is None else {"queue": queue}
    return found

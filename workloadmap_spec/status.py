"""The state of a workload (clause S9): one phase, with the reason that the framework gives."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.components import bind_variables
from workloadmap_spec.mapping import COUNTERS
from workloadmap_spec.values import FailedError, Scope, read_count, read_string, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.components import Tree
    from workloadmap_spec.mapping import Field, Readiness, Status, Suspend

_TEXTS: Final = ("type", "status", "reason", "message")


def is_empty(value: object) -> bool:
    """Whether nothing is left of a value once zeros, `false`, empty strings, lists and maps are removed (S9.1)."""
    if isinstance(value, dict):
        return all(is_empty(part) for part in value.values())
    if isinstance(value, list):
        return all(is_empty(part) for part in value)
    return not value


def read_suspended(suspend: Suspend | None, scope: Scope) -> bool | None:
    """Whether suspension is wanted (S9.10); None if the mapping does not say or it could not be read."""
    if suspend is None:
        return None
    try:
        if suspend.requested is not None:
            return suspend.requested.holds(scope)
        for action in suspend.suspend:
            if action.when is not None and not action.when.holds(scope):
                return False
            value = action.place(scope)
            if (value is not ABSENT) if action.remove else (value is ABSENT or not same(value, action.to)):
                return False
    except FailedError:
        return None
    return True


def read_status(status: Status | None, scope: Scope, tree: Tree, *, suspended: bool | None) -> dict[str, Any] | None:
    """The `status` of the map; None for an object that no API server has seen (S9.1)."""
    workload = scope.env["object"]
    reported = workload["status"]
    empty = is_empty(reported)
    if empty and "uid" not in workload["metadata"]:
        return None
    result: dict[str, Any] = {"phase": "Unknown"}
    if status is not None:
        bindings = _conditions(status, scope)
        if status.uses_parts:
            bindings["parts"] = _parts(tree)
        scope = scope.child("", bindings)
        sources: dict[str, str] = {}
        bind_variables(status.variables, scope)
        if empty and _is_foreign(status, scope):
            result.update(phase="Unknown", reason="ManagedBy")
        elif empty and not status.read_empty:
            result["phase"] = "Suspending" if suspended else "Initializing"
        else:
            _decide(status, scope, result, sources)
            _read_staleness(status, scope, result, sources)
        conditions = [_shown(condition) for condition in scope.env["conditions"]]
        if conditions:
            result["conditions"] = conditions
        if sources:
            result["sources"] = sources
    if "deletionTimestamp" in workload["metadata"]:
        result["deleting"] = True
    return result


def _conditions(status: Status, scope: Scope) -> dict[str, Any]:
    """The variables `conditions`, `conditionsTrue` and `conditionsFalse` (S9.2), and where the list lies."""
    found: list[dict[str, Any]] = []
    try:
        value = status.conditions.read(scope)
    except FailedError:
        value = ABSENT
    place = scope.place
    places: list[str | None] = []
    if type(value) is list:
        for index, entry in enumerate(value):
            if type(entry) is dict and type(entry.get("type")) is str:
                texts = {name: text if type(text := entry.get(name)) is str else "" for name in _TEXTS}
                found.append({**entry, **texts})
                places.append(None if place is None else f"{place}/{index}")
    return {
        "conditions": found,
        "conditionsTrue": [entry["type"] for entry in found if entry["status"] == "True"],
        "conditionsFalse": [entry["type"] for entry in found if entry["status"] == "False"],
        "__places": places,
    }


def _parts(tree: Tree) -> list[dict[str, Any]]:
    """The variable `parts`: the instances that the status counts something of, with their counters (S9.2.1)."""
    found = []
    for instance in tree.instances():
        if instance.observed:
            counters = {name: instance.observed.get(name, 0) for name in COUNTERS}
            wanted = -1 if instance.replicas is None else instance.replicas
            found.append({"component": instance.qualified, "instance": instance.id, "wanted": wanted, **counters})
    return found


def _shown(condition: Mapping[str, Any]) -> dict[str, str]:
    """A condition as it stands in the map (S9.11)."""
    shown = {"type": condition["type"], "status": condition["status"]}
    for name in ("reason", "message", "lastTransitionTime"):
        text = condition.get(name)
        if type(text) is str and text:
            shown[name] = text
    return shown


def _decide(status: Status, scope: Scope, result: dict[str, Any], sources: dict[str, str]) -> None:
    """Put phase, reason, message and `updating` of what is not left at S9.3.1 (S9.3, S9.4, S9.8)."""
    if status.updating is not None:
        with suppress(FailedError):
            result["updating"] = status.updating.holds(scope)
    try:
        phase, condition, texts = _phase(status, scope)
    except FailedError:
        result.update(phase="Unknown", reason="MappingError")
        return
    result["phase"] = phase
    entry = _condition(condition, scope, sources)
    for name, own, common in (("reason", texts[0], status.reason), ("message", texts[1], status.message)):
        text = _text(own, scope, name, sources)
        if text is None and entry is not None:
            text = entry[name] or None
        if text is None:
            text = _text(common, scope, name, sources)
        if text is not None:
            result[name] = text


def _is_foreign(status: Status, scope: Scope) -> bool:
    """Whether the object names a controller that this mapping does not describe."""
    if status.managed_by is None:
        return False
    try:
        controller = status.managed_by.read(scope)
    except FailedError:
        return False
    return controller is not ABSENT and controller not in status.own


def _phase(status: Status, scope: Scope) -> tuple[str, str | None, tuple[Field | None, Field | None]]:
    """The phase, the type of the condition that explains it, and the rule's own reason and message."""
    for rule in status.rules:
        if rule.when.holds(scope):
            return rule.phase, rule.condition, (rule.reason, rule.message)
    if status.readiness is not None:
        return _count(status.readiness, scope), status.readiness.condition, (None, None)
    return "Unknown", None, (None, None)


def _count(readiness: Readiness, scope: Scope) -> str:
    """The phase by counting (S9.5)."""
    ready = read_count(readiness.ready.read, scope, readiness.ready.at) or 0
    if not readiness.service:
        return "Running" if ready else "Initializing"
    wanted = None
    if readiness.wanted is not None:
        wanted = read_count(readiness.wanted.read, scope, readiness.wanted.at)
    if wanted is None:
        if ready:
            return "Running"
    elif ready >= wanted:
        return "Running"
    if ready:
        return "Degraded"
    was_ready = readiness.was_ready is not None and readiness.was_ready.holds(scope)
    return "Degraded" if was_ready else "Initializing"


def _condition(name: str | None, scope: Scope, sources: dict[str, str]) -> dict[str, Any] | None:
    """The last condition of a type, if there is one; notes its place."""
    if name is None:
        return None
    conditions: list[dict[str, Any]] = scope.env["conditions"]
    places: list[str | None] = scope.env["__places"]
    entry: dict[str, Any]
    for entry, place in zip(reversed(conditions), reversed(places), strict=True):
        if entry["type"] == name:
            if place is not None:
                sources["condition"] = place
            return entry
    return None


def _text(field: Field | None, scope: Scope, name: str, sources: dict[str, str]) -> str | None:
    """A text of the mapping's, with its source; None if it is absent, empty or failed."""
    if field is None:
        return None
    try:
        text = read_string(field.read, scope, field.at)
    except FailedError:
        return None
    if text is not None and scope.place is not None:
        sources[name] = scope.place
    return text


def _read_staleness(status: Status, scope: Scope, result: dict[str, Any], sources: dict[str, str]) -> None:
    """Put `stale` (S9.7)."""
    if status.observed_generation is None:
        return
    try:
        observed = status.observed_generation.read(scope)
    except FailedError:
        return
    if observed is ABSENT:
        return
    if scope.place is not None:
        sources["observedGeneration"] = scope.place
    generation = scope.env["object"]["metadata"].get("generation")
    if type(generation) is int:
        result["stale"] = observed < generation

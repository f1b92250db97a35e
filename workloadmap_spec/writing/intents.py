"""What is to be changed in a workload (clause S20.2): the form of an intent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.data_rules import normalize
from workloadmap_spec.errors import InputError, Location, UpdateInvalidError
from workloadmap_spec.limits import MAX_COUNT
from workloadmap_spec.quantities import QuantityError, parse
from workloadmap_spec.values import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The counts that `scale` sets.
COUNTS: Final = ("replicas", "podsPerReplica", "minReplicas", "maxReplicas")


@dataclass(frozen=True, slots=True)
class FieldForm:
    """A field of `set`: its place in a template, or in a container of it, and what its value must be."""

    path: tuple[str, ...]
    is_value: Callable[[Any], bool]
    wanted: str
    keyed: bool = False
    in_container: bool = False
    #: Whether it is one of pod templates, and so may be set for one component.
    in_template: bool = True


def _is_word(value: object) -> bool:
    """A string that is not empty."""
    return isinstance(value, str) and bool(value)


def _is_text(value: object) -> bool:
    """A string."""
    return isinstance(value, str)


def _is_map(value: object) -> bool:
    """A map that is not empty."""
    return isinstance(value, dict) and bool(value)


def _is_list_of_maps(value: object) -> bool:
    """A list of maps."""
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _is_quantity(value: object) -> bool:
    """A Kubernetes quantity that is not negative."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    try:
        return parse(value).nano >= 0
    except QuantityError:
        return False


_WORD: Final = "a string that is not empty"
_MAP: Final = "a map that is not empty"
_QUANTITY: Final = "a quantity that is not negative"

#: The fields of `set` (S20.3).
FIELDS: Final[Mapping[str, FieldForm]] = {
    "schedulerName": FieldForm(("spec", "schedulerName"), _is_word, _WORD),
    "priorityClassName": FieldForm(("spec", "priorityClassName"), _is_word, _WORD),
    "schedulingGroup": FieldForm(("spec", "schedulingGroup"), _is_map, _MAP),
    "workloadRef": FieldForm(("spec", "workloadRef"), _is_map, _MAP),
    "labels": FieldForm(("metadata", "labels"), _is_text, "a string", keyed=True),
    "annotations": FieldForm(("metadata", "annotations"), _is_text, "a string", keyed=True),
    "nodeSelector": FieldForm(("spec", "nodeSelector"), _is_text, "a string", keyed=True),
    "tolerations": FieldForm(("spec", "tolerations"), _is_list_of_maps, "a list of maps"),
    "image": FieldForm(("image",), _is_word, _WORD, in_container=True),
    "requests": FieldForm(("resources", "requests"), _is_quantity, _QUANTITY, keyed=True, in_container=True),
    "limits": FieldForm(("resources", "limits"), _is_quantity, _QUANTITY, keyed=True, in_container=True),
    "queue": FieldForm((), _is_word, _WORD, in_template=False),
    "workload.labels": FieldForm(("metadata", "labels"), _is_text, "a string", keyed=True, in_template=False),
    "workload.annotations": FieldForm(("metadata", "annotations"), _is_text, "a string", keyed=True, in_template=False),
}


def check_intent(intent: object) -> dict[str, Any]:
    """An intent that fits its schema, `#/$defs/intent` of `conformance-message.schema.json`, after the data rules.

    Raises:
        UpdateInvalidError: It does not; the location holds the JSON Pointer.
    """
    if not isinstance(intent, dict):
        raise UpdateInvalidError(f"an intent is a map, and {describe(intent)} was found", Location(pointer=""))
    intent = _normalized(intent)
    operation = intent.get("op")
    if operation not in ("scale", "set", "suspend", "resume"):
        raise _wrong("op", intent, "scale, set, suspend or resume")
    allowed = {"op"}
    if operation == "scale":
        allowed |= {"component", "instance", *COUNTS}
        _check_scale(intent)
    elif operation == "set":
        allowed |= _check_set(intent)
    unknown = sorted(intent.keys() - allowed)
    if unknown:
        message = f"`{unknown[0]}` means nothing here; there are {', '.join(sorted(allowed))}"
        raise UpdateInvalidError(message, Location(pointer=f"/{unknown[0]}"))
    for name in ("component", "instance", "container", "key"):
        if name in intent and not _is_word(intent[name]):
            raise _wrong(name, intent, _WORD)
    return intent


def _normalized(intent: dict[Any, Any]) -> dict[str, Any]:
    """An intent after the data rules, but that its own nulls stay: the one of `value` removes, others are faults."""
    try:
        checked = normalize(intent)
    except InputError as error:
        raise UpdateInvalidError(f"the intent cannot be read: {error.message}", error.location, error.cure) from error
    return {name: checked.get(name) for name in intent}


def _check_scale(intent: Mapping[str, Any]) -> None:
    """Check the counts of `scale`."""
    if not any(name in intent for name in COUNTS):
        raise UpdateInvalidError(f"`scale` needs one of {', '.join(COUNTS)}", Location(pointer=""))
    for name in COUNTS:
        if name in intent and not _is_count(intent[name]):
            raise _wrong(name, intent, f"a whole number from 0 to {MAX_COUNT}")


def _is_count(value: object) -> bool:
    """A count (S6.4)."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT


def _check_set(intent: Mapping[str, Any]) -> set[str]:
    """Check field, key and value of `set`; gives the members that it may have."""
    field = intent.get("field")
    form = FIELDS.get(field) if isinstance(field, str) else None
    if form is None:
        raise _wrong("field", intent, f"one of {', '.join(FIELDS)}")
    if form.keyed and "key" not in intent:
        raise UpdateInvalidError(f"`key` says which of the {field} is meant, and is missing", Location(pointer=""))
    if "value" not in intent:
        raise UpdateInvalidError("`value` is missing; null removes", Location(pointer=""))
    if intent["value"] is not None and not form.is_value(intent["value"]):
        raise _wrong("value", intent, form.wanted)
    allowed = {"field", "value"}
    allowed |= {"key"} if form.keyed else set()
    allowed |= {"container"} if form.in_container else set()
    return allowed | ({"component", "instance"} if form.in_template else set())


def _wrong(name: str, intent: Mapping[str, Any], wanted: str) -> UpdateInvalidError:
    """The error for a member of an intent."""
    found = describe(intent[name]) if name in intent else "nothing"
    return UpdateInvalidError(f"`{name}` must be {wanted}, and {found} was found", Location(pointer=f"/{name}"))

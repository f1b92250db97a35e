"""Which parts of a mapping cases have reached: what each value and condition gave, and what none of them ever did.

A `Coverage` looks on while its mapping is used. Whoever asks for none pays nothing: no reader is wrapped then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.pointer import PointerError, resolve
from workloadmap_spec.values import FailedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.mapping import Condition
    from workloadmap_spec.values import Reader, Scope

#: What is counted, in the order in which it is told.
CATEGORIES: Final = (
    "expressions",
    "rules",
    "conditions",
    "alternatives",
    "defaults",
    "absentIf",
    "gang entries",
    "places written",
    "immutable entries",
)

_CATEGORY_OF: Final = {
    "expression": "expressions",
    "find": "expressions",
    "condition": "conditions",
    "constant": "conditions",
    "alternative": "alternatives",
    "unknown": "alternatives",
    "default": "defaults",
    "sentinel": "absentIf",
    "group": "gang entries",
    "written": "places written",
    "action": "places written",
    "immutable": "immutable entries",
}
_RULE: Final = re.compile(r"/spec/status/rules/[0-9]+/when")
#: What is read where a mapping does not say it (S9.2, S9.7): a part of it only if it is written.
_OWN_DEFAULTS: Final = ("/spec/status/conditions", "/spec/status/observedGeneration")
#: What is wrong with a part that was never used.
_UNUSED: Final = {
    "group": "this gang entry never made a group",
    "written": "never written to",
    "action": "this action was never taken",
    "immutable": "no change was ever compared with it",
}
#: What is wrong with a part of a value that nothing has come to.
_UNREACHED: Final = {
    "alternative": "this alternative of firstOf never gave a value",
    "unknown": "this alternative of firstOf was never reached",
    "default": "default never used",
    "sentinel": "absentIf never matched",
}


@dataclass(slots=True)
class Outcomes:
    """How often a part of a mapping gave what; a part without a value is used or not."""

    value: int = 0
    absent: int = 0
    failed: int = 0
    true: int = 0
    false: int = 0
    used: int = 0

    @property
    def evaluated(self) -> int:
        """How often it was evaluated."""
        return self.value + self.absent + self.failed + self.true + self.false


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of the parts of one mapping, by kind and JSON Pointer: an `Observer` for its compiler."""

    counts: dict[tuple[str, str], Outcomes] = field(default_factory=dict)
    #: The parts without a value, by JSON Pointer.
    parts: dict[str, Outcomes] = field(default_factory=dict)

    def reader(self, kind: str, at: str, read: Reader) -> Reader:
        """The reader, with what it gives counted."""
        outcomes = self.counts.setdefault((kind, at), Outcomes())

        def observed(scope: Scope) -> Any:  # noqa: ANN401 - JSON, or ABSENT
            try:
                value = read(scope)
            except FailedError:
                outcomes.failed += 1
                raise
            if value is ABSENT:
                outcomes.absent += 1
            else:
                outcomes.value += 1
            return value

        return observed

    def condition(self, at: str, holds: Condition, *, constant: bool) -> Condition:
        """The condition, with what it gives counted."""
        outcomes = self.counts.setdefault(("constant" if constant else "condition", at), Outcomes())

        def observed(scope: Scope) -> bool:
            try:
                value = holds(scope)
            except FailedError:
                outcomes.failed += 1
                raise
            if value:
                outcomes.true += 1
            else:
                outcomes.false += 1
            return value

        return observed

    def part(self, kind: str, at: str) -> None:
        """Take note of a part that has no value."""
        self.parts[at] = self.counts.setdefault((kind, at), Outcomes())

    def used(self, at: str) -> None:
        """Count a use; of what is no part of its own, such as a value that is written where it is read, none."""
        outcomes = self.parts.get(at)
        if outcomes is not None:
            outcomes.used += 1


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that a case should reach; `lacks` says what none of them did, and is None if all is well."""

    category: str
    pointer: str
    lacks: str | None


def goals(coverage: Coverage, mapping: Mapping[str, Any]) -> list[Goal]:
    """All that cases should reach in a mapping, in the order of its document.

    Args:
        coverage: What they have reached.
        mapping: The document of the mapping.
    """
    from workloadmap_spec.schemas import document_order  # noqa: PLC0415 - to be told, not to look on

    order = document_order(mapping)
    found = [
        Goal("rules" if _RULE.fullmatch(at) else _CATEGORY_OF[kind], at, _lacks(kind, at, coverage))
        for kind, at in coverage.counts
        if _is_goal(kind, at, coverage, mapping)
    ]
    return sorted(found, key=lambda goal: order(goal.pointer))


def uncovered(coverage: Coverage, mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The places of a mapping that no case has reached, or not in each way, and what is lacking there."""
    return [(goal.pointer, goal.lacks) for goal in goals(coverage, mapping) if goal.lacks is not None]


def tally(found: Iterable[Goal]) -> dict[str, tuple[int, int]]:
    """How many goals of each category are reached, and how many there are; a category without any is left out."""
    counted: dict[str, tuple[int, int]] = {}
    for goal in found:
        reached, there = counted.get(goal.category, (0, 0))
        counted[goal.category] = (reached + (goal.lacks is None), there + 1)
    return {category: counted[category] for category in CATEGORIES if category in counted}


def text_at(mapping: Mapping[str, Any], pointer: str) -> Any:  # noqa: ANN401 - JSON
    """What stands at a place of a mapping, or None."""
    try:
        return resolve(mapping, pointer)
    except PointerError:
        return None


def _is_goal(kind: str, at: str, coverage: Coverage, mapping: Mapping[str, Any]) -> bool:
    """Whether something that is counted is a goal of its own."""
    if kind == "kept":
        return False
    if kind == "expression":
        # The text of a condition or an alternative is that.
        if any((other, at) in coverage.counts for other in ("condition", "constant", "alternative")):
            return False
        return at not in _OWN_DEFAULTS or text_at(mapping, at) is not None
    return True


def _lacks(kind: str, at: str, coverage: Coverage) -> str | None:
    """What no case has done at a place; None if all was done."""
    seen = coverage.counts[kind, at]
    if kind in _UNUSED:
        return None if seen.used else _UNUSED[kind]
    if kind in _UNREACHED:
        kept = coverage.counts.get(("kept", at), Outcomes()).value
        reached = {
            "alternative": seen.value,
            "unknown": seen.evaluated,
            "default": seen.absent,
            "sentinel": seen.value - kept,
        }
        return None if reached[kind] else _UNREACHED[kind]
    if not seen.evaluated:
        return "never evaluated"
    if kind in ("condition", "constant"):
        return _lacks_condition(seen, constant=kind == "constant")
    if seen.value:
        return None
    nothing = "never found an element" if kind == "find" else "never gave a value"
    return nothing if seen.absent else "always failed"


def _lacks_condition(seen: Outcomes, *, constant: bool) -> str | None:
    """What an evaluated condition never was; one that looks at nothing is always the same."""
    if constant or (seen.true and seen.false):
        return None
    if seen.true:
        return "never false"
    return "never true" if seen.false else "always failed"

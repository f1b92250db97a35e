"""What an answer is worth: compared with what the case expects, and only in what the reader claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import Difference, compare_rejection, compare_result, stripped
from workloadmap_spec.conformance.vocabulary import vocabulary
from workloadmap_spec.pointer import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.conformance.suite import SuiteCase
    from workloadmap_spec.pointer import JSON

#: What a map holds at its top, and in instances and totals.
_NESTED: Final = ("components", "instances", "totals")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer is right, and if not why."""

    passed: bool
    differences: tuple[Difference, ...] = ()
    message: str | None = None


@dataclass(frozen=True)
class Judge:
    """Compares answers for a reader that claims certain profiles."""

    profiles: frozenset[str]
    #: Members of a map that belong to profiles that are not claimed.
    unclaimed: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Find what is not compared."""
        members = (
            member
            for profile in vocabulary().profiles.values()
            if profile.id not in self.profiles
            for member in profile.members
        )
        object.__setattr__(self, "unclaimed", frozenset(members))

    def judge(self, case: SuiteCase, answer: Mapping[str, Any]) -> Judgement:
        """Compare an answer, the form of which has been checked."""
        expect = case.case.expect
        outcome = answer["outcome"]
        if outcome in ("unsupported", "internal"):
            return Judgement(passed=False, message=str(answer.get("message", answer.get("feature", ""))) or None)
        if outcome != expect["outcome"]:
            told = answer.get("error", {})
            message = f"{told.get('class')}: {told.get('message', '')}" if outcome == "rejected" else None
            return Judgement(False, (Difference("/outcome", expect["outcome"], outcome),), message)  # noqa: FBT003
        if outcome == "rejected":
            error = answer["error"]
            differences = compare_rejection(expect, error["class"], error.get("at"), "/error")
            return Judgement(not differences, differences, error.get("message") if differences else None)
        differences, wrong = compare_result(expect, answer, self.view)
        return Judgement(not differences and wrong is None, differences, wrong)

    def view(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a map that is compared: without texts, and without what belongs to profiles not claimed."""
        found: dict[str, Any] = stripped(document)
        if self.unclaimed:
            found = _without(found, self.unclaimed)
            found["diagnostics"] = [
                entry for entry in found.get("diagnostics", ()) if not self._is_unclaimed(str(entry.get("at")))
            ]
            if not found["diagnostics"]:
                del found["diagnostics"]
        return found

    def _is_unclaimed(self, at: str) -> bool:
        """Whether a diagnostic is about a field of the mapping that is read for a profile not claimed."""
        steps = split(at)[1:]
        # Rules for pods stand on components too; everything else has a place of its own below `spec`.
        return bool(steps) and (steps[0] in self.unclaimed or ("pods" in steps and "pods" in self.unclaimed))


def _without(value: JSON, members: Iterable[str]) -> Any:  # noqa: ANN401 - JSON
    """A map of the reader's without some of its members, wherever the reader puts them."""
    if isinstance(value, list):
        return [_without(entry, members) for entry in value]
    if not isinstance(value, dict):
        return value
    found = {
        name: _without(entry, members) if name in _NESTED else entry
        for name, entry in value.items()
        # `pods` is a list of pods at the top, and a number everywhere else.
        if name not in members or (name == "pods" and not isinstance(entry, list))
    }
    if "resources" in members and isinstance(found.get("incomplete"), list):
        found["incomplete"] = [entry for entry in found["incomplete"] if entry.get("what") != "resources"]
        if not found["incomplete"]:
            del found["incomplete"]
    return found

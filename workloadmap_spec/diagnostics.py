"""Diagnostics: what went wrong with one field while the rest of the map was read."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Literal

from workloadmap_spec.errors import (
    EvaluationError,
    LimitExceededError,
    Location,
    MissingReferenceError,
    NoMappingError,
    ResultInvalidError,
    ResultTypeError,
    WorkloadMapError,
)

Severity = Literal["error", "warning", "info"]

_EXCEPTIONS: dict[str, type[WorkloadMapError]] = {
    error.error_class: error
    for error in (
        EvaluationError,
        ResultTypeError,
        ResultInvalidError,
        LimitExceededError,
        MissingReferenceError,
        NoMappingError,
    )
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One entry of `diagnostics` (clause S14)."""

    at: str
    instance: str
    error_class: str
    severity: Severity
    message: str
    #: The mapping of an embedded workload that `at` points into; empty for the mapping of the workload itself.
    mapping: str = ""

    def to_json(self) -> dict[str, Any]:
        """The entry as it stands in a map."""
        entry: dict[str, Any] = {"severity": self.severity, "class": self.error_class, "at": self.at}
        if self.instance:
            entry["instance"] = self.instance
        if self.mapping:
            entry["mapping"] = self.mapping
        entry["message"] = self.message
        return entry

    def to_exception(self, mapping: str) -> WorkloadMapError:
        """The exception that a strict read raises; `mapping` names the mapping that `at` points into."""
        where = f" (instance {self.instance})" if self.instance else ""
        place = Location(f"mapping {self.mapping or mapping}", pointer=self.at)
        return _EXCEPTIONS[self.error_class](self.message + where, place)


class Diagnostics:
    """The diagnostics of one read, each kept once by place, instance and class (S14.2)."""

    __slots__ = ("_by_instance", "_found")

    def __init__(self) -> None:
        """Begin without any."""
        self._found: dict[tuple[str, str, str, str], Diagnostic] = {}
        self._by_instance: dict[str, list[tuple[str, str, str, str]]] = {}

    def add(  # noqa: PLR0913 - the parts of an entry
        self,
        at: str,
        instance: str,
        error_class: str,
        message: str,
        severity: Severity = "error",
        mapping: str = "",
    ) -> None:
        """Note one; a second of the same place, instance and class is dropped."""
        key = (at, instance, error_class, mapping)
        if key not in self._found:
            self._found[key] = Diagnostic(at, instance, error_class, severity, message, mapping)
            self._by_instance.setdefault(instance, []).append(key)

    def rename(self, instance: str, name: str) -> None:
        """Name an instance by its id, once that is known, in what was noted before."""
        for key in self._by_instance.pop(instance, ()):
            found = self._found.pop(key)
            self.add(found.at, name, found.error_class, found.message, found.severity, found.mapping)

    def sorted(self) -> list[Diagnostic]:
        """All, in the order of the map."""
        order = operator.attrgetter("at", "instance", "error_class", "mapping")
        return sorted(self._found.values(), key=order) if self._found else []

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._found)

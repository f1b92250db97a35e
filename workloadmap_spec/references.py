"""References (section 19): other objects that a workload points at, which are told first and then read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloadmap_spec.values import FailedError, Scope, read_string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.mapping import Reference, Target


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One object, or the list of them, that a reference names."""

    api_version: str
    kind: str
    namespace: str | None
    name: str | None

    def fits(self, candidate: Mapping[str, Any]) -> bool:
        """Whether an object is the one, or one of those: an absent namespace is `default`."""
        metadata = candidate.get("metadata") or {}
        return (
            candidate.get("apiVersion") == self.api_version
            and candidate.get("kind") == self.kind
            and (metadata.get("namespace") or "default") == (self.namespace or "default")
            and (self.name is None or metadata.get("name") == self.name)
        )

    def to_json(self, reference: str) -> dict[str, Any]:
        """What a caller is told to fetch."""
        told: dict[str, Any] = {"name": reference, "apiVersion": self.api_version, "kind": self.kind}
        if self.namespace:
            told["namespace"] = self.namespace
        if self.name is not None:
            told["resourceName"] = self.name
        return told


def bind_reference(reference: Reference, scope: Scope) -> None:
    """Bind `refs.NAME` if its object is given; if not, say that it is wanted, and remember that it is missing."""
    name = f"refs.{reference.name}"
    try:
        if reference.when is not None and not reference.when.holds(scope):
            return
        wanted = [found for target in reference.targets if (found := _read_target(target, scope)) is not None]
        if wanted and reference.is_list:
            _bind_list(reference, wanted[0], scope)
        elif wanted:
            _bind_one(reference, wanted, scope)
        elif any(_rests_on(target, scope.missing) for target in reference.targets):
            # Nothing can be told of it yet, and it is missing all the same (S19.4).
            scope.missing |= {reference.name}
    except FailedError:
        scope.failed |= {name}


def _rests_on(target: Target, missing: frozenset[str]) -> bool:
    """Whether a target is named by references that are missing."""
    fields = (target.api_version, target.kind, target.namespace, target.name)
    return any(field is not None and not field.depends.isdisjoint(missing) for field in fields)


def _read_target(target: Target, scope: Scope) -> _Wanted | None:
    """What a target names; None if its kind or its name is absent."""
    api_version = read_string(target.api_version.read, scope, target.api_version.at)
    kind = read_string(target.kind.read, scope, target.kind.at)
    namespace = None if target.namespace is None else read_string(target.namespace.read, scope, target.namespace.at)
    name = None if target.name is None else read_string(target.name.read, scope, target.name.at)
    if api_version is None or kind is None or (target.name is not None and name is None):
        return None
    return _Wanted(api_version, kind, namespace, name)


def _bind_one(reference: Reference, wanted: list[_Wanted], scope: Scope) -> None:
    """Bind the first of the candidates that is given."""
    for candidate in wanted:
        for found in scope.session.given or ():
            if candidate.fits(found):
                _bind(reference, found, scope)
                return
    _miss(reference, [candidate.to_json(reference.name) for candidate in wanted], scope)


def _bind_list(reference: Reference, wanted: _Wanted, scope: Scope) -> None:
    """Bind those of the given objects that have the labels and fulfil the condition, by name."""
    labels = {}
    for label, field in reference.selector:
        value = read_string(field.read, scope, field.at)
        if value is None:
            return
        labels[label] = value
    told = wanted.to_json(reference.name)
    if labels:
        told["selector"] = ",".join(f"{label}={value}" for label, value in sorted(labels.items()))
    if scope.session.given is None:
        _miss(reference, [told], scope)
        return
    found = [
        candidate
        for candidate in scope.session.given
        if wanted.fits(candidate)
        and labels.items() <= _labels(candidate).items()
        and (reference.where is None or reference.where.holds(scope.seeing({"item": candidate})))
    ]
    found.sort(key=lambda candidate: str((candidate.get("metadata") or {}).get("name", "")))
    if not found:
        # Perhaps it was not fetched yet: the caller asked for other objects first (S19.6).
        _want(told, scope)
    _bind(reference, found, scope)


def _labels(candidate: Mapping[str, Any]) -> dict[str, str]:
    """The labels of an object that are strings."""
    labels = (candidate.get("metadata") or {}).get("labels")
    found = labels.items() if isinstance(labels, dict) else ()
    return {label: value for label, value in found if isinstance(value, str)}


def _bind(reference: Reference, value: object, scope: Scope) -> None:
    """Make an object, or a list of them, visible with its place."""
    scope.session.used.update(map(id, value if isinstance(value, list) else (value,)))
    scope.env["refs"][reference.name] = value
    scope.places[f"refs.{reference.name}"] = f"refs.{reference.name}#"


def _want(told: dict[str, Any], scope: Scope) -> None:
    """Tell the caller once of something to fetch."""
    if told not in scope.session.wanted:
        scope.session.wanted.append(told)


def _miss(reference: Reference, told: list[dict[str, Any]], scope: Scope) -> None:
    """Note that a reference is not given."""
    scope.missing |= {reference.name}
    for entry in told:
        _want(entry, scope)
    what = " or ".join(
        f"{entry['kind']} {entry.get('resourceName', entry.get('selector', ''))}".strip() for entry in told
    )
    message = f"the referenced {what} was not given"
    scope.report(reference.at, "missing-reference", message, "info" if reference.optional else "error")

"""Embedded workloads (clause S6.10): the object inside another, as if it stood alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.values import Scope, describe, read_string

if TYPE_CHECKING:
    from workloadmap_spec.mapping import Embed, Field

#: The places of an object's parts: the JSON Pointer inside it, and the place in the workload.
Parts = list[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedded workload: the object, and the places of its parts, the longest first."""

    workload: dict[str, Any]
    parts: tuple[tuple[str, str | None], ...]


def read_embedded(embed: Embed, scope: Scope) -> Embedded | None:
    """The object that a component embeds; None if it is absent (S6.10.1).

    Raises:
        FailedError: it could not be read, or has no `apiVersion` or `kind`.

    """
    parts: Parts = []
    workload = _read_parts(embed, scope, parts) if embed.whole is None else _read_whole(embed.whole, scope, parts)
    if workload is None:
        return None
    if embed.name is not None:
        name = read_string(embed.name.read, scope, embed.name.at)
        if name is not None:
            workload["metadata"]["name"] = name
            parts.append(("/metadata/name", scope.place))
    # Whatever it says itself: what a controller makes, it makes in the namespace of the workload.
    namespace = scope.env["object"]["metadata"].get("namespace")
    workload["metadata"].pop("namespace", None)
    parts.append(("/metadata/namespace", None))
    if namespace is not None:
        workload["metadata"]["namespace"] = namespace
    for key, part in (("apiVersion", embed.api_version), ("kind", embed.kind)):
        given = None if part is None else read_string(part.read, scope, part.at)
        if given is not None:
            parts.append((f"/{key}", scope.place))
        value = workload.get(key) if given is None else given
        if not isinstance(value, str) or not value:
            found = "nothing" if value is None else describe(value)
            raise scope.fail(embed.at, "result-invalid", f"what is embedded needs a string `{key}`, and has {found}")
        workload[key] = value
    return Embedded(workload, tuple(sorted(parts, key=lambda part: -len(part[0]))))


def _read_whole(whole: Field, scope: Scope, parts: Parts) -> dict[str, Any] | None:
    """An object that is embedded as a whole."""
    value = _read_map(whole, "", scope, parts)
    if value is None:
        return None
    for key in ("metadata", "spec", "status"):
        if not isinstance(value.get(key, {}), dict):
            raise scope.fail(whole.at, "result-type", f"`{key}` must be a map, and is {describe(value[key])}")
    return {**value, "metadata": dict(value.get("metadata", {}))}


def _read_parts(embed: Embed, scope: Scope, parts: Parts) -> dict[str, Any] | None:
    """An object of which spec, labels, annotations and status are kept apart."""
    spec = None if embed.spec is None else _read_map(embed.spec, "/spec", scope, parts)
    if spec is None:
        return None
    workload: dict[str, Any] = {"spec": spec, "metadata": {}}
    for name, part in (("labels", embed.labels), ("annotations", embed.annotations)):
        value = None if part is None else _read_map(part, f"/metadata/{name}", scope, parts)
        if value is not None:
            workload["metadata"][name] = value
    status = None if embed.status is None else _read_map(embed.status, "/status", scope, parts)
    if status is not None:
        workload["status"] = status
    return workload


def _read_map(part: Field, inside: str, scope: Scope, parts: Parts) -> dict[str, Any] | None:
    """A map of an embedded object, with its place; None if it is absent."""
    value = part.read(scope)
    if value is ABSENT:
        return None
    if not isinstance(value, dict):
        raise scope.fail(part.at, "result-type", f"a map is wanted here, and {describe(value)} was found")
    parts.append((inside, scope.place))
    return value

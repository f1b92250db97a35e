"""Pod templates (clause S7): one PodTemplateSpec, in whatever shape the framework keeps it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloadmap_spec.core_types import container_fields, field_type, merge_key, pod_spec_fields
from workloadmap_spec.values import (
    ABSENT,
    FailedError,
    Scope,
    by_key,
    describe,
    read_string,
    step_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.mapping import Field, PodField, Template

_KEPT_METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class ReadTemplate:
    """A template as read: `value` is None if there is none, `damaged` says that a part could not be read."""

    value: dict[str, Any] | None
    main_container: str | None
    sources: dict[str, str]
    damaged: bool
    #: Whether there is no base: what the template has, its pod fields laid there.
    baseless: bool


#: A pod field, what it lays, and the scope that it is laid in.
_Piece = tuple["PodField", object, Scope]


def read_template(template: Template, scope: Scope) -> ReadTemplate:
    """Read a pod component's template and lay its pod fields over it (S7.1 to S7.5)."""
    sources: dict[str, str] = {}
    damaged = False
    base: dict[str, Any] | None = None
    try:
        base = read_base(template, scope, sources)
    except FailedError:
        damaged = True
        sources.clear()
    baseless = base is None
    if template.fields and not damaged:
        base, damaged = lay_fields(template.fields, scope, base)
    return ReadTemplate(base, _main_container(template, base, scope), sources, damaged, baseless)


def _read_map(field: Field, scope: Scope, name: str, sources: dict[str, str]) -> dict[str, Any] | None:
    """The map that a field reads, or None if it is absent; notes its source."""
    value = field.read(scope)
    if value is ABSENT:
        return None
    if type(value) is not dict:
        raise scope.fail(field.at, "result-type", f"a map is wanted here, and {describe(value)} was found")
    if scope.place is not None:
        sources[name] = scope.place
    return value


def read_base(template: Template, scope: Scope, sources: dict[str, str]) -> dict[str, Any] | None:
    """The template without its pod fields: what is kept of the base (S7.2, S7.3)."""
    if template.base is None:
        return None
    base = _read_map(template.base, scope, template.base_name, sources)
    if base is None:
        return None
    at, metadata = template.base.at, None
    if template.metadata is not None:
        metadata = _read_map(template.metadata, scope, "podMetadata", sources)
    if template.base_name == "podSpec":
        fields = pod_spec_fields()
        spec: Any = {name: value for name, value in base.items() if name in fields}
    else:
        metadata, spec = base.get("metadata"), base.get("spec")
        if spec is not None and type(spec) is not dict:
            raise scope.fail(at, "result-type", f"spec of the template must be a map, and is {describe(spec)}")
    result: dict[str, Any] = {}
    kept = _kept_metadata(metadata, scope, at if template.metadata is None else template.metadata.at)
    if kept:
        result["metadata"] = kept
    if spec is not None:
        result["spec"] = spec
    return result


def _kept_metadata(metadata: object, scope: Scope, at: str) -> dict[str, Any]:
    """Labels and annotations of a template's metadata."""
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise scope.fail(at, "result-type", f"metadata of the template must be a map, and is {describe(metadata)}")
    kept = {name: metadata[name] for name in _KEPT_METADATA if name in metadata}
    for name, value in kept.items():
        if type(value) is not dict:
            raise scope.fail(at, "result-type", f"{name} of the template must be a map, and is {describe(value)}")
    return kept


def lay_fields(
    fields: tuple[PodField, ...], scope: Scope, base: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, bool]:
    """The base with the pod fields laid over it, and whether one of them failed (S7.4); the object stays as it is."""
    template: dict[str, Any] | None = None
    damaged = False
    laid: list[_Piece] = []
    for entry in fields:
        try:
            scopes = list(entry_scopes(entry, scope))
        except FailedError:
            damaged = True
            continue
        for inner in scopes:
            piece: _Piece | None = None
            try:
                if entry.where is not None and not entry.where.holds(inner):
                    continue
                value = entry.value.read(inner)
                if value is ABSENT:
                    continue
                piece = (entry, value, inner)
                template = _laid([piece], copy.deepcopy(base) if template is None else template)
                laid.append(piece)
            except FailedError:
                damaged = True
                if piece is not None:
                    # A failed one changes nothing (S7.4), and may have been half done.
                    template = _laid(laid, copy.deepcopy(base))
    if template is None:
        template = base if base is not None else {}
    return template, damaged


def _laid(pieces: list[_Piece], template: dict[str, Any] | None) -> dict[str, Any]:
    """A template with values laid over it, in place."""
    result = {} if template is None else template
    for entry, value, scope in pieces:
        _lay(entry, copy.deepcopy(value), result, scope)
    return result


def entry_scopes(entry: PodField, scope: Scope) -> Iterator[Scope]:
    """The scopes that an entry is laid in: its own, or one with `patch` for each element of `forEach` (S7.4.4)."""
    if entry.when is not None and not entry.when.holds(scope):
        return
    if entry.for_each is None:
        yield scope
        return
    elements = entry.for_each.read(scope)
    place = scope.place
    if elements is ABSENT:
        return
    if not isinstance(elements, list):
        raise scope.fail(entry.for_each.at, "result-type", f"a list is wanted here, and {describe(elements)} was found")
    for index, element in enumerate(elements):
        if element is None:
            continue
        inner = scope.seeing({"patch": element})
        inner.places = {**scope.places, "patch": step_place(place, index)}
        yield inner


def _lay(entry: PodField, value: object, template: dict[str, Any], scope: Scope) -> None:
    """Lay one value over the template."""
    target = template
    if entry.container is not None:
        container = _container(entry, template, scope)
        if container is None:
            return
        target = container
    if not entry.path:
        if not isinstance(value, dict):
            raise scope.fail(entry.value.at, "result-type", f"a container is a map, and {describe(value)} was found")
        known = container_fields()
        for name, part in value.items():
            if name in known and name != "name":
                _set(target, name, part, entry, scope)
        return
    for name in entry.path[:-1]:
        target = _descend(target, name, entry, scope)
    name = entry.path[-1]
    if entry.key is not None:
        key = read_string(entry.key.read, scope, entry.key.at)
        if key is None:
            return
        target, name = _descend(target, name, entry, scope), key
    _set(target, name, value, entry, scope)


def _descend(target: dict[str, Any], name: str, entry: PodField, scope: Scope) -> dict[str, Any]:
    """The map one step down, made if it is missing."""
    inner = target.setdefault(name, {})
    if not isinstance(inner, dict):
        raise scope.fail(entry.value.at, "result-type", f"`{name}` on the way must be a map, and is {describe(inner)}")
    return inner


def _container(entry: PodField, template: dict[str, Any], scope: Scope) -> dict[str, Any] | None:
    """The container that an entry names; a named one that is missing is made at the front (S7.4.1)."""
    spec = _descend(template, "spec", entry, scope)
    name = "initContainers" if entry.init else "containers"
    containers = spec.get(name, [])
    if not isinstance(containers, list) or not all(isinstance(container, dict) for container in containers):
        raise scope.fail(entry.value.at, "result-type", f"spec.{name} must be a list of maps")
    wanted = None if entry.container is None else read_string(entry.container.read, scope, entry.container.at)
    if wanted is None:
        return None
    if wanted == "first":
        return containers[0] if containers else None
    for container in containers:
        if container.get("name") == wanted:
            found: dict[str, Any] = container
            return found
    made: dict[str, Any] = {"name": wanted}
    spec[name] = [made, *containers]
    return made


def _set(target: dict[str, Any], name: str, value: object, entry: PodField, scope: Scope) -> None:
    """Put one value, by the entry's mode (S7.4.3)."""
    present = target.get(name)
    if present is None and entry.mode in ("merge", "append"):
        present = {} if isinstance(value, dict) and entry.mode == "merge" else []
    if entry.mode == "replace" or present is None:
        target[name] = value
    elif entry.mode == "merge":
        target[name] = _merged(present, value, entry, scope)
    elif entry.mode == "strategic":
        # Within the map that holds it: the merge key of a list stands there.
        target[name] = _strategic({name: present}, {name: value}, _holder_type(entry))[name]
    elif entry.mode == "append":
        if not isinstance(present, list) or not isinstance(value, list):
            raise scope.fail(entry.value.at, "result-type", f"append needs two lists at `{name}`")
        target[name] = [*present, *value]


def _merged(present: object, value: object, entry: PodField, scope: Scope) -> object:
    """Two maps merged by key, or two lists of maps by `name`."""
    if isinstance(present, dict) and isinstance(value, dict):
        return {**present, **value}
    if isinstance(present, list) and isinstance(value, list):
        both = [*present, *value]
        if all(isinstance(part, dict) and isinstance(part.get("name"), str) for part in both):
            return by_key(present, value, "name", lambda _one, other: other)
    raise scope.fail(entry.value.at, "result-type", "merge needs two maps, or two lists of maps with `name`")


def _holder_type(entry: PodField) -> str | None:
    """The type, in core-types.json, of the map that holds what an entry lays over."""
    kind: str | None = "Container" if entry.container is not None else "PodTemplateSpec"
    for name in entry.path if entry.key is not None else entry.path[:-1]:
        kind = None if kind is None else field_type(kind, name)
    return kind


def _strategic(present: Any, value: Any, kind: str | None) -> Any:  # noqa: ANN401 - JSON
    """A strategic merge (S7.4.3): maps deep, lists by the merge key of their type, other lists replaced."""
    if not isinstance(present, dict) or not isinstance(value, dict):
        return value
    result = dict(present)
    for name, part in value.items():
        inner = None if kind is None else field_type(kind, name)
        key = None if kind is None else merge_key(kind, name)
        if name not in result:
            result[name] = part
        elif key is not None:
            result[name] = _strategic_list(result[name], part, key, inner)
        else:
            result[name] = _strategic(result[name], part, inner)
    return result


def _strategic_list(present: object, value: object, key: str, kind: str | None) -> object:
    """Two lists merged by a key, if they are lists of maps that have it."""
    if isinstance(present, list) and isinstance(value, list):
        both = [*present, *value]
        if all(isinstance(part, dict) and key in part for part in both):
            return by_key(present, value, key, lambda one, other: _strategic(one, other, kind))
    return value


def _main_container(template: Template, value: dict[str, Any] | None, scope: Scope) -> str | None:
    """The name of the main container (S7.5)."""
    if value is None or (template.main_name is None and not template.main_first):
        return None
    spec = value.get("spec")
    containers = spec.get("containers") if isinstance(spec, dict) else None
    parts = containers if isinstance(containers, list) else []
    names = [container.get("name") for container in parts if isinstance(container, dict)]
    wanted = None
    if template.main_name is not None:
        try:
            wanted = read_string(template.main_name.read, scope, template.main_name.at)
        except FailedError:
            return None
    if wanted is not None and wanted in names:
        return wanted
    if template.main_first and names and isinstance(names[0], str) and names[0]:
        return names[0]
    return None

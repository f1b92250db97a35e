"""Where a field of a pod template is written (clause S20.5): through the pod field that gave it, or in the base."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.templates import entry_scopes, lay_fields, read_base
from workloadmap_spec.values import read_string
from workloadmap_spec.writing.targets import Finder, Named, NoTargetError, Part, Target, finder_of, holds, reached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from workloadmap_spec.components import Instance
    from workloadmap_spec.mapping import PodField, Template
    from workloadmap_spec.pointer import JSON
    from workloadmap_spec.read import Parts
    from workloadmap_spec.values import Scope

#: The two lists of containers.
_LISTS: Final = ("containers", "initContainers")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field of a template; of a container, if one is named. `path` begins in the template, or in the container."""

    path: tuple[str, ...]
    container: str | None = None
    init: bool = False

    @property
    def way(self) -> Part:
        """The way down from the template."""
        if self.container is None:
            return self.path
        return ("spec", _LISTS[self.init], Named(self.container), *self.path)


@dataclass(frozen=True, slots=True)
class _Layer:
    """One entry of `podFields`, in one of its rounds."""

    entry: PodField
    finder: Finder
    #: What it lays; ABSENT for nothing.
    value: JSON
    #: The way from what it lays to the field; None if it does not reach it.
    rest: Part | None


def container_of(template: JSON, name: str) -> Leaf | None:
    """The container of a name, as a leaf with no path; None if there is none."""
    for init, list_name in enumerate(_LISTS):
        if holds(template, ("spec", list_name, Named(name))):
            return Leaf((), name, bool(init))
    return None


def leaf_target(parts: Parts, instance: Instance, leaf: Leaf) -> Target:
    """Where a field of the template of an instance is written.

    Raises:
        NoTargetError: Nowhere.
        FailedError: Something that decides it has failed.
    """
    layers = list(_layers(parts, instance, leaf))
    for layer in reversed(layers):
        if layer.entry.mode != "default" and _gives(layer):
            return _through(layer)
    base = _base(parts, instance, leaf.way)
    if base is not None and base.holds:
        with suppress(NoTargetError):
            return base.target()
    for layer in layers:
        if layer.entry.mode == "default" and layer.rest is not None and holds(layer.value, layer.rest):
            return _through(layer)
    why: NoTargetError | None = None
    exact = [layer for layer in reversed(layers) if layer.rest == ()]
    above = [layer for layer in reversed(layers) if layer.rest and layer.value is not ABSENT]
    finds: list[Callable[[], Target]] = [] if base is None or not base.present else [base.target]
    absent = [layer for layer in reversed(layers) if layer.rest and layer.entry.path and layer.value is ABSENT]
    finds += [partial(_through, layer) for layer in (*exact, *above, *absent)]
    for find in finds:
        try:
            return find()
        except NoTargetError as error:
            why = why or error
    raise why or NoTargetError("the mapping does not say where it comes from")


def _gives(layer: _Layer) -> bool:
    """Whether an entry gave the field, or hides what lies below (S20.5)."""
    if layer.rest is None or layer.value is ABSENT:
        return False
    if holds(layer.value, layer.rest):
        return True
    if layer.entry.mode == "merge" and layer.rest and isinstance(layer.rest[0], Named):
        # The element of that name replaces the one below.
        return holds(layer.value, layer.rest[:1])
    if layer.entry.mode != "replace":
        return False
    return bool(layer.entry.path) or holds(layer.value, layer.rest[:1])


def _through(layer: _Layer) -> Target:
    """The target behind an entry."""
    return layer.finder.target(layer.entry.value.at, layer.rest or ())


def _layers(parts: Parts, instance: Instance, leaf: Leaf) -> Iterator[_Layer]:
    """The entries that are laid over the template of an instance, in order, those of embedding components last."""
    template = instance.component.template
    if template is None:  # pragma: no cover - who has a template is of a component that gives one
        return
    own = finder_of(parts, instance)
    sources = [(template.fields, own)]
    for outer in reversed(instance.chain[:-1]):
        embed = outer.component.embed
        name = instance.component.name
        fields = () if embed is None else tuple(entry for entry in embed.fields if entry.component == name)
        if fields:
            sources.append((fields, finder_of(parts, outer)))
    for number, (fields, finder) in enumerate(sources):
        for index, entry in enumerate(fields):
            before = partial(_laid_before, template, own, [*sources[:number], (fields[:index], finder)])
            for scope in entry_scopes(entry, finder.scope):
                if entry.where is not None and not entry.where.holds(scope):
                    continue
                inner = finder if scope is finder.scope else finder.inside(scope)
                yield _Layer(entry, inner, entry.value.read(scope), _rest(entry, scope, leaf, before))


def _laid_before(template: Template, own: Finder, sources: Iterable[tuple[tuple[PodField, ...], Finder]]) -> JSON:
    """The template that an entry is laid over: the base, with what is laid before it."""
    result = read_base(template, own.scope, {})
    for fields, finder in sources:
        result, _ = lay_fields(fields, finder.scope, result)
    return result


def _rest(entry: PodField, scope: Scope, leaf: Leaf, before: Callable[[], JSON]) -> Part | None:
    """The way from what an entry lays to the field, None if it does not reach it; `before` is what it is laid over."""
    laid: tuple[str, ...] = entry.path
    if entry.key is not None:
        key = read_string(entry.key.read, scope, entry.key.at)
        if key is None:
            return None
        laid = (*laid, key)
    way: Part
    if entry.container is None:
        way = leaf.way
    elif leaf.container is None or entry.init != leaf.init:
        return None
    else:
        name = read_string(entry.container.read, scope, entry.container.at)
        if name == "first":
            containers = reached(before(), ("spec", _LISTS[entry.init]))
            first = containers[0] if isinstance(containers, list) and containers else None
            name = first.get("name", "") if isinstance(first, dict) else None
        if name != leaf.container:
            return None
        way = leaf.path
    return way[len(laid) :] if way[: len(laid)] == laid else None


@dataclass(frozen=True, slots=True)
class _Base:
    """The base of a template, as far as a field is concerned."""

    finder: Finder
    at: str
    #: The way from the value at `at` to the field.
    rest: Part
    present: bool
    holds: bool

    def target(self) -> Target:
        """The target of the field in it."""
        return self.finder.target(self.at, self.rest)


def _base(parts: Parts, instance: Instance, way: Part) -> _Base | None:
    """The part of the base that holds a field, if the mapping gives one."""
    template = instance.component.template
    if template is None or template.base is None:
        return None
    finder = finder_of(parts, instance)
    field, rest = template.base, way
    base = value = field.read(finder.scope)
    if template.base_name == "podSpec":
        rest = way[1:]
        if way[0] == "metadata":
            if template.metadata is None:
                return None
            field = template.metadata
            value = field.read(finder.scope)
    return _Base(finder, field.at, rest, base is not ABSENT, holds(value, rest))

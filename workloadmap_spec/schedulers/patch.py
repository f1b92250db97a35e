"""What binds the pods of a workload, put into the workload itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.errors import UpdateUnsupportedError
from workloadmap_spec.writing.update import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.schedulers.model import Place, Values
    from workloadmap_spec.schedulers.render import Bound, Rendered


def patch_workload(
    catalog: Catalog,
    workload: object,
    rendered: Rendered,
    references: Iterable[Mapping[str, Any]] | None = None,
) -> Change:
    """Write the bindings into the pod templates of a workload, and what is set on the workload itself.

    Raises:
        UpdateUnsupportedError: something cannot be said to the scheduler at all, or a binding differs between pods of
            one template; or the mapping knows no place to write.
        UpdateInvalidError: the workload does not allow it.

    """
    for message in rendered.messages:
        if message.severity == "error":
            about = "" if message.group is None else f"group {message.group}: "
            raise UpdateUnsupportedError(f"{about}{message.text}", cure=message.cure)
    for bound in rendered.bound:
        if not bound.is_static:
            raise UpdateUnsupportedError(
                _why_not(bound), cure="bind the pods one by one when they are created: `--pods` says what each needs"
            )
    given = list(references) if references is not None else None
    after = workload
    for intent in _intents(rendered):
        after = catalog.update(after, intent, given).after
    return Change(workload, after)


def _why_not(bound: Bound) -> str:
    """Why a template cannot bind the pods of a place."""
    where = f"{bound.place.component} {bound.place.instance}"
    if bound.shares:
        others = " and ".join(f"{place.component} {place.instance}" for place in bound.shares)
        return f"the pods of {where} have one template with those of {others}, and are bound otherwise"
    groups = ", ".join(dict.fromkeys(binding.group.id for binding in bound.pods))
    why = "and some of its pods are in none" if bound.is_partial else "and each binds its own pods"
    return f"the pods of {where} have one template and are of the groups {groups}, {why}: it cannot say that"


def _intents(rendered: Rendered) -> Iterator[dict[str, Any]]:
    """The changes one by one, those that all templates share at once: some kinds keep one template for several."""
    wanted: dict[tuple[str, str | None, str], tuple[Any, list[Place]]] = {}
    for bound in rendered.bound:
        for field, key, value in _fields(bound.template):
            wanted.setdefault((field, key, repr(value)), (value, []))[1].append(bound.place)
    every = [place for place in rendered.gang.places if place.template is not None]
    for (field, key, _text), (value, places) in wanted.items():
        intent = {"op": "set", "field": field, "value": value} | ({} if key is None else {"key": key})
        yield from (intent | where for where in _parts(places, every))
    for field, values in (
        ("labels", rendered.rendering.workload.labels),
        ("annotations", rendered.rendering.workload.annotations),
    ):
        for key, value in values.items():
            yield {"op": "set", "field": f"workload.{field}", "key": key, "value": value}


def _fields(values: Values) -> Iterator[tuple[str, str | None, Any]]:
    """Field, key and value as `set` has them (S20.3)."""
    yield from (("labels", key, value) for key, value in values.labels.items())
    yield from (("annotations", key, value) for key, value in values.annotations.items())
    yield from ((name, None, value) for name, value in values.spec.items())


def _parts(places: Sequence[Place], every: Sequence[Place]) -> Iterator[dict[str, str]]:
    """What an intent names for some places: nothing for all, components where all of one are meant."""
    if len(places) == len(every):
        yield {}
        return
    for component in dict.fromkeys(place.component for place in places):
        own = [place for place in places if place.component == component]
        if len(own) == sum(place.component == component for place in every):
            yield {"component": component}
        else:
            yield from ({"component": component, "instance": place.instance} for place in own)

"""From places of templates to components: a list or map on the way makes a component for each of its elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel import Path as CelPath
from workloadmap_spec.scaffold.guess import ELEMENT, VALUE, Guess, Path, Template, component_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_BOUNDARIES: Final = frozenset({ELEMENT, VALUE})
#: Components that nest deeper are refused (S16.1), and no kind needs them.
_MAX_NESTED: Final = 4


@dataclass(slots=True)
class Part:
    """A component: the list or map that it visits, if it visits one, and its template or its parts."""

    name: str
    #: The path of the list or map, from `object` or from the `item` of the component around it.
    each: str | None = None
    instance: str | None = None
    template: Template | None = None
    #: How many steps of the template's path belong to the components around.
    cut: int = 0
    parts: list[Part] = field(default_factory=list)


def nest(guess: Guess) -> list[Part]:
    """The components of a guess."""
    templates = [one for one in guess.templates if sum(step in _BOUNDARIES for step in one.path) <= _MAX_NESTED]
    parts = _parts(templates, 0, guess)
    _unique(parts, set())
    return parts


def _parts(templates: Sequence[Template], cut: int, guess: Guess) -> list[Part]:
    """The components of some templates, whose paths have the first `cut` steps in common."""
    found: list[Part] = []
    groups: dict[Path, list[Template]] = {}
    for template in templates:
        rest = template.path[cut:]
        end = next((index for index, step in enumerate(rest) if step in _BOUNDARIES), None)
        if end is None:
            found.append(Part(component_name(template.path[cut:] or template.path), template=template, cut=cut))
        else:
            groups.setdefault(template.path[: cut + end + 1], []).append(template)
    for path, inside in groups.items():
        each = written(path[:-1], cut)
        name = guess.names.get(path[:-1]) if path[-1] == ELEMENT else None
        instance = "key" if path[-1] == VALUE else None if name is None else f"item.{name}"
        parts = _parts(inside, len(path), guess)
        part = Part(component_name(path), each, instance)
        if len(parts) == 1 and parts[0].each is None:
            part.template, part.cut = parts[0].template, len(path)
        else:
            part.parts = parts
        found.append(part)
    return found


def written(path: Path, cut: int) -> str:
    """A path as CEL in YAML, from the element that the first `cut` steps lead to."""
    text = str(CelPath("item" if cut else "object", path[cut:]))
    # Brackets mean something in a flow mapping.
    return f"'{text}'" if "[" in text else text


def _unique(parts: list[Part], used: set[str]) -> None:
    """Give every component a name of its own."""
    for part in parts:
        name, number = part.name, 2
        while name in used:
            name = f"{part.name}-{number}"
            number += 1
        part.name = name
        used.add(name)
        _unique(part.parts, used)

"""A map's tree as views of it walk: each instance with what stands above and below it, and its pods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(slots=True)
class Part:
    """One instance of a component in a map."""

    component: Mapping[str, Any]
    instance: Mapping[str, Any]
    above: tuple[Part, ...]
    parts: list[Part] = field(default_factory=list)
    pods: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Its name for people."""
        return label(self.component["name"], self.instance["id"])

    @property
    def path(self) -> tuple[tuple[str, str], ...]:
        """Component and instance from the outermost part to this one."""
        return tuple((step.component["name"], step.instance["id"]) for step in (*self.above, self))

    @property
    def is_grouping(self) -> bool:
        """Whether it has no pods of its own, but parts."""
        return bool(self.parts) and "podTemplate" not in self.instance and "pods" not in self.instance

    def all(self) -> Iterator[Part]:
        """It and everything below it, in the order of the map."""
        yield self
        for part in self.parts:
            yield from part.all()


def label(component: str, instance: str) -> str:
    """An instance's name for people: the component, and the id where it says more."""
    return component if component == instance else f"{component}/{instance}"


def parts_of(document: Mapping[str, Any]) -> list[Part]:
    """The tree of a map, with the pods of every instance."""
    roots = _parts(document.get("components", ()), ())
    by_path = {part.path: part for root in roots for part in root.all()}
    for pod in document.get("pods", ()):
        path = tuple((step["component"], step["instance"]) for step in pod["at"])
        by_path[path].pods.append(pod)
    return roots


def _parts(components: Sequence[Mapping[str, Any]], above: tuple[Part, ...]) -> list[Part]:
    """The instances of components, with everything below them."""
    found = []
    for component in components:
        for instance in component["instances"]:
            part = Part(component, instance, above)
            part.parts = _parts(instance.get("components", ()), (*above, part))
            found.append(part)
    return found

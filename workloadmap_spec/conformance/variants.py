"""The same question in other words: changes of a request that must not change the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

#: A member that no kind has, for the top of the workload.
_UNKNOWN: Final = "workloadmapConformance"
#: A namespace in which no case has anything.
_ELSEWHERE: Final = "workloadmap-conformance-elsewhere"


def variants(request: Mapping[str, Any], random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every variant of a request, with its name; none for one that carries text."""
    yield "sent again", dict(request)
    if "mappingText" not in request:
        yield "members in another order", shuffled(request, random)
    workload = request.get("object")
    # What is written gives the whole workload back, and there the member would stand too.
    if isinstance(workload, dict) and request.get("cmd") != "update":
        yield "an unknown member in the workload", {**request, "object": {**workload, _UNKNOWN: [1]}}
    pods = request.get("pods")
    if isinstance(pods, list) and _is_of_maps(pods):
        stranger = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stranger", "namespace": _ELSEWHERE}}
        yield "a pod of another namespace", {**request, "pods": [*pods, stranger]}
        yield "pods in another order", {**request, "pods": _reordered(pods, random)}
    references = request.get("references")
    if isinstance(references, list) and references:
        yield "references in another order", {**request, "references": _reordered(references, random)}


def shuffled(value: Any, random: Random) -> Any:  # noqa: ANN401 - JSON
    """A value with the members of all maps in another order, and lists as they are."""
    if isinstance(value, dict):
        return {name: shuffled(value[name], random) for name in _reordered(list(value), random)}
    if isinstance(value, list):
        return [shuffled(entry, random) for entry in value]
    return value


def _reordered(entries: list[Any], random: Random) -> list[Any]:
    """The entries in another order."""
    return random.sample(entries, len(entries))


def _is_of_maps(entries: list[Any]) -> bool:
    """Whether all entries are maps."""
    return all(isinstance(entry, dict) for entry in entries)

"""Pods that are there: which group each belongs to, and what binds it to that group."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.gang import GroupIndex
from workloadmap_spec.read import placed_pods

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.pods import Placed
    from workloadmap_spec.schedulers.model import Binding, Values
    from workloadmap_spec.schedulers.render import Rendered

#: Why a pod that the workload selects has no place in its tree (S10.4).
_UNPLACED: Final = {
    "unclaimed": "no component claims it",
    "ambiguous": "more than one component claims it",
    "error": "a condition of the mapping failed for it",
}


@dataclass(frozen=True, slots=True)
class BoundPod:
    """A pod of a workload, and what binds it; `reason` says why nothing does."""

    pod: Mapping[str, Any]
    binding: Binding | None = None
    reason: str | None = None

    @property
    def name(self) -> str:
        """The name of the pod, or what its name is made of; empty if it has neither."""
        metadata = self.pod.get("metadata") or {}
        return str(metadata.get("name") or metadata.get("generateName") or "")

    def bound(self) -> dict[str, Any]:
        """The pod as it must be created: with the labels, annotations and fields that bind it."""
        pod = deepcopy(dict(self.pod))
        if self.binding is not None:
            lay(self.binding.values, pod)
        return pod

    def to_dict(self) -> dict[str, Any]:
        """`name`, `namespace`, and `group` with what it is given, or `reason`; `patch`, the JSON Patch that does it."""
        from workloadmap_spec.writing.patches import json_patch  # noqa: PLC0415 - not every caller wants one

        metadata = self.pod.get("metadata") or {}
        entry: dict[str, Any] = {"name": self.name}
        if metadata.get("namespace"):
            entry["namespace"] = metadata["namespace"]
        if self.binding is None:
            return entry | {"reason": self.reason}
        values = self.binding.values.to_dict()
        return entry | {"group": self.binding.group.id} | values | {"patch": json_patch(dict(self.pod), self.bound())}


def lay(values: Values, pod: dict[str, Any]) -> None:
    """Put values onto a pod or a pod template, in place."""
    metadata = _map(pod, "metadata")
    for name, own in (("labels", values.labels), ("annotations", values.annotations)):
        if own:
            _map(metadata, name).update(own)
    if values.spec:
        _map(pod, "spec").update(values.spec)


def _map(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """A map inside another, made if it is not there."""
    found = holder.get(name)
    if not isinstance(found, dict):
        found = holder[name] = {}
    return found


def bind_pods(rendered: Rendered, pods: Iterable[Mapping[str, Any]]) -> list[BoundPod]:
    """Bind those of some pods that a workload selects, in the order of the map.

    Args:
        rendered: the groups of the workload, for a scheduler.
        pods: pods after the data rules, of this workload or others.

    """
    index = GroupIndex(rendered.parts.groups)
    return [_bind(rendered, index, placed) for placed in placed_pods(rendered.parts, pods)]


def _bind(rendered: Rendered, index: GroupIndex, placed: Placed) -> BoundPod:
    """One pod."""
    if placed.reason is not None:
        return BoundPod(placed.pod, reason=_UNPLACED[placed.reason])
    leaf = placed.path[-1][0]
    # The innermost first: where subgroups are told apart, that is what it is bound to.
    groups = [group.document["id"] for group in reversed(index.line(placed.path))]
    for group in groups:
        for binding in rendered.rendering.bindings:
            place = binding.place
            if binding.group.id == group and (place.component, place.instance) == (leaf.qualified, leaf.path):
                return BoundPod(placed.pod, binding)
    if not rendered.rendering.bindings and rendered.rendering.workload.to_dict():
        return BoundPod(placed.pod, reason="what is set on the workload is enough")
    if groups:
        return BoundPod(placed.pod, reason=f"nothing is made for its group {groups[-1]}")
    return BoundPod(placed.pod, reason="it is in no group, or nobody knows of which replica it is")

"""The coscheduling plugin: a PodGroup for each group (scheduler-plugins, scheduling.x-k8s.io)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.shapes import (
    known_groups,
    least_requests,
    metadata,
    pod_priority,
    tell_lost_parts,
    tell_lost_subgroups,
    tell_no_topology,
    tell_unknown_requests,
    tell_unused,
)

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.model import Gang, Options

#: The versions of the API, the default first.
VERSIONS: Final = ("scheduling.x-k8s.io/v1alpha1",)

#: The name that the chart of scheduler-plugins gives it.
_SCHEDULER: Final = "scheduler-plugins-scheduler"
_GROUP: Final = "scheduling.x-k8s.io/pod-group"


def render(gang: Gang, options: Options) -> Rendering:
    """The PodGroups, and how pods are bound to them: by a label.

    A PodGroup is a number of pods, of which at least one is needed, and no more. Priority is that of the pods.
    """
    rendering = Rendering()
    tell_unused(rendering, "the coscheduling plugin", options, "queue", "topology", "prebuilt")
    for group in known_groups(gang, rendering):
        if group.minimum == 0:
            rendering.tell("note", "it needs no pods, so there is nothing to wait for and no PodGroup", group)
            continue
        tell_lost_parts(group, rendering, "the coscheduling plugin")
        tell_lost_subgroups(group, rendering, "the coscheduling plugin", with_parts=False)
        tell_no_topology(group, rendering, "the coscheduling plugin")
        spec: dict[str, Any] = {"minMember": group.minimum}
        requests = least_requests(group)
        if requests:
            spec["minResources"] = requests
        elif requests is None:
            tell_unknown_requests(group, rendering, "minResources")
        rendering.objects.append(
            {"apiVersion": VERSIONS[0], "kind": "PodGroup", "metadata": metadata(gang, group.label), "spec": spec}
        )
        for member in group.members:
            fields = {"schedulerName": options.scheduler or _SCHEDULER} | pod_priority(group, member, options)
            rendering.bindings.append(bind(group, member, Values(labels={_GROUP: group.label}, spec=fields)))
    return rendering

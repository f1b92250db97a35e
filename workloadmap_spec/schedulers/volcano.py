"""Volcano: a PodGroup for each group, with the minimum of each task (volcano-sh/apis, scheduling.volcano.sh)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.shapes import (
    known_groups,
    least_requests,
    metadata,
    parts,
    priority_of,
    queue_of,
    tell_lost_parts,
    tell_lost_subgroups,
    tell_unknown_requests,
    tell_unused,
)

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.model import Gang, Group, Options

#: The versions of the API, the default first.
VERSIONS: Final = ("scheduling.volcano.sh/v1beta1",)

_SCHEDULER: Final = "volcano"
_GROUP: Final = "scheduling.k8s.io/group-name"
_TASK: Final = "volcano.sh/task-spec"

#: Kinds whose controllers make PodGroups of their own, and put these in the place of any other (volcano-sh/volcano,
#: pkg/controllers/job/job_controller_util.go; volcano-sh/kthena, pkg/model-serving-controller/podgroupmanager).
_OWN: Final = frozenset(
    {
        ("batch.volcano.sh", "Job"),
        ("flow.volcano.sh", "JobFlow"),
        ("workload.serving.volcano.sh", "ModelServing"),
    }
)


def render(gang: Gang, options: Options) -> Rendering:
    """The PodGroups, and how pods are bound to them.

    A pod names its PodGroup in an annotation, and in another its task, where tasks have minimums of their own. Of
    these Volcano takes note only while `minMember` is no less than their sum (pkg/scheduler/api/job_info.go), which is
    so where a group's minimum consists of its parts. A queue that is not given is Volcano's to choose.
    """
    rendering = Rendering()
    tell_unused(rendering, "Volcano", options, "prebuilt")
    kind = gang.workload["kind"]
    if (gang.workload["apiVersion"].rpartition("/")[0], kind) in _OWN:
        rendering.tell("note", f"the controller of a {kind} makes its PodGroups itself, so that there is nothing to do")
        return rendering
    for group in known_groups(gang, rendering):
        tasks = parts(group)
        spec: dict[str, Any] = {"minMember": group.minimum}
        if tasks:
            spec["minTaskMember"] = {task.place.name: task.minimum for task in tasks}
        else:
            tell_lost_parts(group, rendering, "Volcano")
        tell_lost_subgroups(group, rendering, "Volcano", with_parts=True)
        known = {"queue": queue_of(group, options), "priorityClassName": priority_of(group, options)}
        spec |= {name: value for name, value in known.items() if value is not None}
        requests = least_requests(group)
        if requests:
            spec["minResources"] = requests
        elif requests is None:
            tell_unknown_requests(group, rendering, "minResources")
        spec |= _topology(group, options, rendering)
        rendering.objects.append(
            {"apiVersion": VERSIONS[0], "kind": "PodGroup", "metadata": metadata(gang, group.label), "spec": spec}
        )
        for member in group.members:
            task = {_TASK: member.place.name} if tasks else {}
            values = Values(
                annotations={_GROUP: group.label} | task, spec={"schedulerName": options.scheduler or _SCHEDULER}
            )
            rendering.bindings.append(bind(group, member, values))
    return rendering


def _topology(group: Group, options: Options, rendering: Rendering) -> dict[str, Any]:
    """`networkTopology`: Volcano knows tiers of HyperNodes, and no keys of node labels."""
    if not group.topology:
        return {}
    keys = ", ".join(group.topology.values())
    if options.topology is None:
        rendering.tell(
            "warning",
            f"Volcano has tiers where its topology has node labels ({keys}), and nobody knows which: it is left out",
            group,
            "give the name of the highest tier that a group may span: --topology NAME",
        )
        return {}
    mode = "hard" if "required" in group.topology else "soft"
    return {"networkTopology": {"mode": mode, "highestTierName": options.topology}}

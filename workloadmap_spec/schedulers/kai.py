"""KAI Scheduler: a PodGroup for each group, with a tree of subgroups (kai-scheduler v0.17, scheduling.run.ai)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.shapes import (
    known_groups,
    metadata,
    priority_of,
    queue_of,
    tell_lost_parts,
    tell_lost_subgroups,
    tell_unused,
)
from workloadmap_spec.schedulers.trees import UnsaidError, flat, named, tree

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.model import Gang, Group, Member, Options
    from workloadmap_spec.schedulers.trees import Node

#: The versions of the API, the default first.
VERSIONS: Final = ("scheduling.run.ai/v2alpha2",)

_SCHEDULER: Final = "kai-scheduler"
#: What KAI's own pod grouper falls back to (pkg/podgrouper, `DefaultQueueName`).
_QUEUE: Final = "default-queue"


def render(gang: Gang, options: Options) -> Rendering:
    """The PodGroups, and how pods are bound to them.

    A pod names its PodGroup in an annotation and its leaf in a label. Where everything is required, the leaves are the
    places, so that both can stand in the pod templates; where a number of replicas is, they are the subgroups.
    """
    rendering = Rendering()
    tell_unused(rendering, "KAI", options, "prebuilt")
    for group in known_groups(gang, rendering):
        spec: dict[str, Any] = {"queue": queue_of(group, options) or _QUEUE}
        if queue_of(group, options) is None:
            rendering.tell("note", f"no queue is given: {_QUEUE} is taken, as KAI does", cure="give --queue NAME")
        priority = priority_of(group, options)
        if priority is not None:
            spec["priorityClassName"] = priority
        spec |= _topology(group, options, rendering)
        nodes = named(_nodes(group, rendering))
        bound: list[tuple[Group, Member, str | None]] = [(group, member, None) for member in group.members]
        if nodes:
            spec["subGroups"] = [
                _entry(name, node, above) | _topology(node.subgroup, options, rendering) for name, node, above in nodes
            ]
            bound = [(node.group, member, name) for name, node, _above in nodes for member in node.members]
        else:
            spec["minMember"] = group.minimum
        rendering.objects.append(
            {"apiVersion": VERSIONS[0], "kind": "PodGroup", "metadata": metadata(gang, group.label), "spec": spec}
        )
        rendering.bindings += [bind(where, member, _values(group, leaf, options)) for where, member, leaf in bound]
    return rendering


def _values(group: Group, leaf: str | None, options: Options) -> Values:
    """What binds a pod; the second annotation keeps KAI's pod grouper from making a PodGroup of its own."""
    return Values(
        labels={} if leaf is None else {"kai.scheduler/subgroup-name": leaf},
        annotations={"pod-group-name": group.label, "kai.scheduler/skip-podgrouper": "true"},
        spec={"schedulerName": options.scheduler or _SCHEDULER},
    )


def _topology(group: Group | None, options: Options, rendering: Rendering) -> dict[str, Any]:
    """`topologyConstraint` of a group, if it has one that can be said: the keys are levels of a Topology."""
    if group is None or not group.topology:
        return {}
    if options.topology is None:
        keys = ", ".join(group.topology.values())
        rendering.tell(
            "warning",
            f"the levels of a topology belong to a Topology object, and none is named: {keys} is left out",
            group,
            "give --topology NAME",
        )
        return {}
    constraint = {"topology": options.topology}
    constraint |= {f"{kind}TopologyLevel": key for kind, key in group.topology.items()}
    return {"topologyConstraint": constraint}


def _nodes(group: Group, rendering: Rendering) -> tuple[Node, ...]:
    """The subgroups of a PodGroup; none if the number of its pods says all that can be said.

    The number at the root counts for nothing beside subgroups (KAI, pkg/scheduler/api/podgroup_info), so that these
    come to the same.
    """
    try:
        nodes = tree(group)
    except UnsaidError:
        # What the parts need is known all the same, as a rule.
        nodes = flat(group)
        tell_lost_subgroups(group, rendering, "KAI", with_parts=True)
    if not nodes:
        tell_lost_parts(group, rendering, "KAI")
    return nodes


def _entry(name: str, node: Node, above: str | None) -> dict[str, Any]:
    """An entry of `subGroups`; an inner one that needs all below it need not say so."""
    entry: dict[str, Any] = {"name": name}
    if above is not None:
        entry["parent"] = above
    if not node.below:
        entry["minMember"] = node.minimum
    elif node.minimum != len(node.below):
        entry["minSubGroup"] = node.minimum
    return entry

"""What several schedulers ask of a group: whether it has parts, what it needs, what is lost without subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.resources import NO_PODS, add, scale, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.schedulers.model import Gang, Group, Member, Options, Rendering


def known_groups(gang: Gang, rendering: Rendering) -> Iterator[Group]:
    """The groups that can be said at all: those with a known minimum. The others are told."""
    for group in gang.groups:
        if group.minimum is None:
            rendering.tell(
                "error",
                "nobody knows how many pods it needs at least, so nothing is made for it",
                group,
                "`workloadmap map` tells under diagnostics and `totals.incomplete` what is missing",
            )
        else:
            yield group


def metadata(gang: Gang, name: str) -> dict[str, Any]:
    """`metadata` of an object beside the workload, which owns it where its uid is known."""
    workload = gang.workload
    found: dict[str, Any] = {"name": name}
    if workload.get("namespace"):
        found["namespace"] = workload["namespace"]
    if workload.get("uid"):
        owner = {key: workload[key] for key in ("apiVersion", "kind", "name", "uid")}
        found["ownerReferences"] = [owner]
    return found


def is_whole(group: Group) -> bool:
    """Whether every pod of the group is required; what its subgroups require follows from that."""
    return group.minimum is not None and group.minimum == group.pods


def parts(group: Group) -> tuple[Member, ...]:
    """The members, if there are several and their minimums are what the group's consists of; otherwise none."""
    minimums = [member.minimum for member in group.members]
    known = [minimum for minimum in minimums if minimum is not None]
    is_sum = len(known) == len(minimums) and sum(known) == group.minimum
    return group.members if len(minimums) > 1 and is_sum else ()


def has_own_topology(group: Group) -> bool:
    """Whether a subgroup has a topology that its group does not have."""
    return any(below.topology not in ({}, group.topology) or has_own_topology(below) for below in group.subgroups)


def tell_lost_subgroups(group: Group, rendering: Rendering, scheduler: str) -> None:
    """Warn of what a scheduler without subgroups does not know."""
    if not group.subgroups:
        return
    if not is_whole(group):
        rendering.tell(
            "warning",
            f"{scheduler} knows no subgroups here: the {group.minimum} pods that it waits for may be of"
            f" {len(list(group.innermost()))} subgroups none of which is complete",
            group,
        )
    if has_own_topology(group):
        rendering.tell("warning", f"{scheduler} knows no subgroups here: their topology is left out", group)


def tell_lost_parts(group: Group, rendering: Rendering, scheduler: str) -> None:
    """Warn where a total says less than the minimums of the parts."""
    minimums = [member.minimum for member in group.members if member.minimum]
    if len(group.members) > 1 and not is_whole(group) and minimums:
        said = ", ".join(f"{member.place.name} {member.minimum}" for member in group.members if member.minimum)
        rendering.tell(
            "warning",
            f"{scheduler} knows a total of {group.minimum} only, and not what each part needs ({said})",
            group,
        )


def tell_no_topology(group: Group, rendering: Rendering, scheduler: str) -> None:
    """Warn of a topology that a scheduler has no word for."""
    if group.topology:
        keys = ", ".join(group.topology.values())
        rendering.tell("warning", f"{scheduler} has no topology in its groups: {keys} is left out", group)


def least_requests(group: Group) -> dict[str, str] | None:
    """What the pods that the group waits for request together; None if nobody knows of which places they are.

    Quantities in canonical form by resource name. Where all places request the same, it does not matter of which the
    pods are.
    """
    if group.minimum is None or any(member.place.resources is None for member in group.members):
        return None
    every = [member.place.resources for member in group.members if member.place.resources is not None]
    if is_whole(group):
        counts = [member.pods for member in group.members]
    elif all(to_json(one).get("requests") == to_json(every[0]).get("requests") for one in every):
        return dict(to_json(scale(every[0], group.minimum)).get("requests", {}))
    elif parts(group):
        counts = [member.minimum for member in group.members]
    else:
        return None
    total = NO_PODS
    for one, count in zip(every, counts, strict=True):
        total = add(total, scale(one, count or 0))
    return dict(to_json(total).get("requests", {}))


def queue_of(group: Group, options: Options) -> str | None:
    """The queue: that which is asked for, or else the group's own."""
    return options.queue or group.queue


def priority_of(group: Group, options: Options) -> str | None:
    """The priority class: that which is asked for, or else the group's own."""
    return options.priority or group.priority

"""What several schedulers ask of a group: whether it has parts, what it needs, what is lost without subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.resources import NO_PODS, add, scale, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


def implies_subgroups(group: Group, *, with_parts: bool) -> bool:
    """Whether what a group requires leaves its subgroups nothing to add, but for a topology of their own.

    Args:
        group: a group with a known minimum.
        with_parts: whether the scheduler is told the minimum of each part, and not only that of the whole.

    """
    if is_whole(group):
        return True
    if len(group.members) == 1:
        required = {id(member.place): (group.minimum or 0, member.pods) for member in group.members}
    elif with_parts:
        required = {id(member.place): (member.minimum or 0, member.pods) for member in parts(group)}
    else:
        required = {}
    return all(_is_implied(below, required) for below in group.subgroups)


def _is_implied(group: Group, required: Mapping[int, tuple[int, int | None]]) -> bool:
    """Whether a subgroup is complete as soon as of each place so many pods are required, of how many there are."""
    for member in group.members:
        minimum, pods = required.get(id(member.place), (0, None))
        # It is one place, and the whole of it.
        is_same = len(group.members) == 1 and member.pods == pods
        if minimum != pods and not (is_same and group.minimum is not None and group.minimum <= minimum):
            return False
    return all(_is_implied(below, required) for below in group.subgroups)


def tell_lost_subgroups(group: Group, rendering: Rendering, scheduler: str, *, with_parts: bool) -> None:
    """Warn of what a scheduler without subgroups does not know; arguments are those of `implies_subgroups`."""
    if not implies_subgroups(group, with_parts=with_parts):
        rendering.tell(
            "warning",
            f"{scheduler} is not told of its {len(list(group.innermost()))} subgroups: the {group.minimum} pods that it"
            " waits for may be of some none of which is complete",
            group,
        )
    if has_own_topology(group):
        rendering.tell("warning", f"{scheduler} is not told of its subgroups: their topology is left out", group)


def tell_lost_parts(group: Group, rendering: Rendering, scheduler: str, cure: str | None = None) -> None:
    """Warn where a total says less than the minimums of the parts; `cure` is what can be done about it."""
    minimums = [member.minimum for member in group.members if member.minimum]
    if len(group.members) > 1 and not is_whole(group) and minimums:
        said = ", ".join(f"{member.place.name} {member.minimum}" for member in group.members if member.minimum)
        rendering.tell(
            "warning",
            f"{scheduler} is told a total of {group.minimum} only, and not what each part needs ({said})",
            group,
            cure,
        )


def tell_no_topology(group: Group, rendering: Rendering, scheduler: str) -> None:
    """Warn of a topology that a scheduler has no word for."""
    if group.topology:
        keys = ", ".join(group.topology.values())
        rendering.tell("warning", f"{scheduler} has no topology in its groups: {keys} is left out", group)


def tell_unused(rendering: Rendering, scheduler: str, options: Options, *names: str) -> None:
    """Warn of what was asked for and a scheduler has no place for; `names` are those of options."""
    for name in names:
        if getattr(options, name):
            rendering.tell("warning", f"{scheduler} takes no {_CALLED[name]} here: what was asked for is not used")


#: What options are called.
_CALLED: Final = {
    "queue": "queue",
    "priority": "priority class",
    "topology": "name of a topology",
    "scheduler": "name of a scheduler",
    "prebuilt": "Workload",
}


def tell_unknown_requests(group: Group, rendering: Rendering, field: str) -> None:
    """Note that what the pods request together is left out."""
    rendering.tell(
        "note", f"what the pods that it waits for request does not follow from its numbers: {field} is left out", group
    )


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


def pod_priority(group: Group, member: Member, options: Options) -> dict[str, str]:
    """`priorityClassName` for pods whose template does not say it, where priority is that of the pods."""
    wanted = priority_of(group, options)
    spec: Any = (member.place.template or {}).get("spec") or {}
    return {} if wanted in (None, spec.get("priorityClassName")) else {"priorityClassName": str(wanted)}

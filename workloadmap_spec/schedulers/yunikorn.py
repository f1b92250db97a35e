"""Apache YuniKorn: no objects; every pod says of which application and task group it is (yunikorn-k8shim)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.canonical import dumps
from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.names import MAX_NAME, labels
from workloadmap_spec.schedulers.shapes import (
    known_groups,
    parts,
    pod_priority,
    queue_of,
    tell_lost_subgroups,
    tell_no_topology,
    tell_unused,
)

if TYPE_CHECKING:
    from workloadmap_spec.schedulers.model import Gang, Group, Options, Place

#: YuniKorn has no objects, so that there is no version of them.
VERSIONS: Final = ("",)

_SCHEDULER: Final = "yunikorn"
_PREFIX: Final = "yunikorn.apache.org"
#: Soft, the default, runs the pods one by one after a time.
_STYLE: Final = "gangSchedulingStyle=Hard"
#: What decides, beside its requests, on which nodes a pod can run: the placeholders need the same.
_PLACEMENT: Final = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")


def render(gang: Gang, options: Options) -> Rendering:
    """How pods are bound to their application, which is the group, and to a task group in it.

    YuniKorn holds space for the minimum of every task group before it starts a pod of the application. A task group is
    pods of one shape; pods of an application that are in none are placed as ordinary ones.
    """
    rendering = Rendering()
    # Pods of any other scheduler have no application (pkg/common/utils/utils.go).
    named = () if options.scheduler == _SCHEDULER else ("scheduler",)
    tell_unused(rendering, "YuniKorn", options, *named, "topology", "prebuilt")
    if gang.groups and not gang.workload.get("namespace"):
        rendering.tell(
            "note",
            "its namespace is not known, and the id of an application is one of the whole cluster",
            cure="put `metadata.namespace` into it",
        )
    for group in known_groups(gang, rendering):
        tell_lost_subgroups(group, rendering, "YuniKorn", with_parts=True)
        tell_no_topology(group, rendering, "YuniKorn")
        tasks = _tasks(group, rendering)
        if tasks is None:
            continue
        queue = queue_of(group, options)
        marks = {f"{_PREFIX}/app-id": _application(gang, group)}
        if queue is not None:
            marks[f"{_PREFIX}/queue"] = queue
        # Places that share a task group have the same entry.
        groups = list(dict(tasks.values()).values())
        annotations = {
            f"{_PREFIX}/task-groups": dumps(groups),
            f"{_PREFIX}/schedulingPolicyParameters": _STYLE,
        }
        for member in group.members:
            # Whichever pod is seen first tells of the groups of its application, so that every pod must.
            own = annotations if groups else {}
            if id(member.place) in tasks:
                own = {f"{_PREFIX}/task-group-name": tasks[id(member.place)][0], **own}
            fields = {"schedulerName": _SCHEDULER} | pod_priority(group, member, options)
            rendering.bindings.append(bind(group, member, Values(marks, own, fields)))
    return rendering


def _application(gang: Gang, group: Group) -> str:
    """The id of the application, which no other workload of the cluster may have; it is the value of a label.

    It has no dots: names of placeholders end its first 28 characters with a dash (pkg/cache/gang_utils.go), which no
    dot may precede. It ends in digits where the same id could be that of another: with dashes for dots, or with another
    namespace that ends at another dash.
    """
    namespace = gang.workload.get("namespace")
    if not namespace:
        return labels([group.label, group.label.replace(".", "-")])[0]
    plain = f"{namespace}-{group.label}".replace(".", "-")
    is_plain = "-" not in namespace and "." not in group.label
    return plain if is_plain and len(plain) <= MAX_NAME else labels([f"{namespace}/{group.label}", plain])[0]


def _tasks(group: Group, rendering: Rendering) -> dict[int, tuple[str, dict[str, Any]]] | None:
    """The task group of each place, by its identity; None if it cannot be said.

    A place of which no pod is needed has none: YuniKorn refuses a task group of 0.
    """
    if any(member.place.template is None for member in group.members):
        rendering.tell("error", "nobody knows what some of its pods request, and YuniKorn holds space for them", group)
        return None
    members = parts(group) or (group.members if len(group.members) == 1 else ())
    if members:
        # Of one member alone, the minimum is that of the group.
        minimums = [member.minimum if len(members) > 1 else group.minimum for member in members]
        return {
            id(member.place): (member.place.name, _task(member.place.name, minimum, member.place))
            for member, minimum in zip(members, minimums, strict=True)
            if minimum
        }
    shapes = {dumps(_shape(member.place)) for member in group.members}
    if len(shapes) > 1:
        rendering.tell(
            "error",
            f"it needs {group.minimum} pods of places whose pods differ, and how many of each does not follow;"
            " YuniKorn takes a number for each",
            group,
        )
        return None
    if not group.minimum:
        return {}
    (name,) = labels([group.name])
    task = _task(name, group.minimum, group.members[0].place)
    return {id(member.place): (name, task) for member in group.members}


def _task(name: str, minimum: int | None, place: Place) -> dict[str, Any]:
    """An element of `task-groups`."""
    return {"name": name, "minMember": minimum, **_shape(place)}


def _shape(place: Place) -> dict[str, Any]:
    """What a placeholder has of a pod: its requests, and what decides on which nodes it can run."""
    spec: Any = (place.template or {}).get("spec") or {}
    return {"minResource": place.requests} | {name: spec[name] for name in _PLACEMENT if spec.get(name)}

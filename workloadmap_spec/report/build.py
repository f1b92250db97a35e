"""A report of many workloads, made from their maps: what is wanted, what is there, and what it asks for.

The report is plain data that fits `workload-report.schema.json`. It says nothing that the maps do not say, but for
what needs more than one of them: which workload is a part of which, and what all of them are together. A workload
that is a part of another one has its pods and resources in that one's map too, so sums leave it out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.errors import NoMappingError
from workloadmap_spec.map_parts import Part, parts_of
from workloadmap_spec.no_workloads import why_no_workload
from workloadmap_spec.pods import pod_key
from workloadmap_spec.quantities import Quantity, parse
from workloadmap_spec.read import API_VERSION
from workloadmap_spec.report.cost import Costs
from workloadmap_spec.report.owners import controller_of, parents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from workloadmap_spec.catalog import Reading, Unread
    from workloadmap_spec.documents import Document
    from workloadmap_spec.errors import WorkloadMapError
    from workloadmap_spec.report.prices import Prices

#: Phases in which nothing is wanted any more, or nothing yet: sums leave these out.
AT_REST: Final = ("Completed", "Failed", "Suspended")
#: What has to be known for a number of pods to be exact.
_COUNTING: Final = ("components", "replicas")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_INSTANCE_FIELDS: Final = (
    "replicas",
    "minReplicas",
    "maxReplicas",
    "podsPerReplica",
    "resources",
    "observed",
    "mainContainer",
    "sources",
)
_POD_FIELDS: Final = ("index", "revision", "group", "subgroup", "phase", "ready", "deleting", "node")


@dataclass(slots=True)
class _Entry:
    """A workload on its way into the report: its entry, its map, and all pods of it and of its parts, by their key."""

    entry: dict[str, Any]
    document: Mapping[str, Any]
    #: Whether pods that are not found do not exist: they were given, and the workload says which are its own.
    is_told: bool
    pods: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)


def build_report(
    reading: Reading, documents: Iterable[Document], time: str, prices: Prices | None = None
) -> dict[str, Any]:
    """The report of everything that was read.

    Args:
        reading: What `Catalog.read_all` gave.
        documents: What it was given: owners are looked up here, and what the maps do not say of pods.
        time: The moment that ages are counted to, such as `2026-01-31T12:00:00Z`.
        prices: What resources cost; without it there are no costs.

    Returns:
        A `WorkloadReport`: the workloads by kind, namespace and name, each with its parts behind it.

    """
    values: list[dict[str, Any]] = [document.value for document in documents if isinstance(document.value, dict)]
    given = {
        pod_key(value): value for value in values if value.get("kind") == "Pod" and value.get("apiVersion") == "v1"
    }
    nodes = {_name(value): value for value in values if value.get("kind") == "Node" and value.get("apiVersion") == "v1"}
    costs = None if prices is None else Costs(prices, given if reading.pods_given else None, nodes)
    ordered = _in_order(reading, values)
    places = {id(document.value): place for place, (document, _map, _above) in enumerate(ordered)}
    entries = [
        _Entry(_workload(document.value, found, given), found, is_told=id(document) in reading.selecting)
        for document, found, _above in ordered
    ]
    for place, (_document, _map, above) in enumerate(ordered):
        if above is not None:
            entries[place].entry["parent"] = places[id(above)]
    # Parts stand behind what they are a part of, so from the end each is complete before it is added.
    for each in reversed(entries):
        _own_pods(each, given)
        above = each.entry.get("parent")
        if above is not None:
            entries[above].pods |= each.pods
        _count_found(each)
        if costs is not None:
            _price(each, costs)
    report: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": "WorkloadReport",
        "time": time,
        "workloads": [each.entry for each in entries],
        "totals": _totals(entries, costs, is_given=reading.pods_given),
    }
    if prices is not None and prices.currency:
        report["currency"] = prices.currency
    unread = [_unread(entry.document.value, entry.error) for entry in reading.unread if not _is_beside(entry)]
    if unread:
        report["unread"] = unread
    return report


def select(report: Mapping[str, Any], phases: Collection[str]) -> dict[str, Any]:
    """The report with the workloads that are in one of some phases, and with the totals of the whole.

    One whose parent is not among them stands for itself.
    """
    kept = [place for place, entry in enumerate(report["workloads"]) if entry.get("status", {}).get("phase") in phases]
    places = {place: number for number, place in enumerate(kept)}
    workloads = []
    for place in kept:
        entry = dict(report["workloads"][place])
        parent = entry.pop("parent", None)
        if parent in places:
            entry["parent"] = places[parent]
        workloads.append(entry)
    return {**report, "workloads": workloads}


# Order


_Ordered = tuple["Document", "Mapping[str, Any]", "dict[str, Any] | None"]


def _in_order(reading: Reading, values: Sequence[dict[str, Any]]) -> list[_Ordered]:
    """Documents with their maps and the object each is a part of, by name, each with its parts behind it."""
    maps: list[tuple[Document, Mapping[str, Any]]] = [(document, found.document) for document, found in reading.maps]
    maps.sort(key=lambda pair: _sort_key(pair[1]))
    objects: list[dict[str, Any]] = [document.value for document, _map in maps]
    read = set(map(id, objects))
    above = parents(objects, [value for value in values if id(value) not in read])
    below: dict[int | None, list[int]] = {}
    for place, parent in enumerate(above):
        below.setdefault(parent, []).append(place)
    ordered: list[_Ordered] = []
    waiting = below.get(None, [])[::-1]
    while waiting:
        place = waiting.pop()
        parent = above[place]
        ordered.append((*maps[place], None if parent is None else objects[parent]))
        waiting += below.get(place, [])[::-1]
    return ordered


def _sort_key(document: Mapping[str, Any]) -> tuple[str, ...]:
    """What workloads are sorted by."""
    workload = document["workload"]
    return tuple(str(workload.get(name, "")) for name in ("kind", "namespace", "name", "apiVersion", "uid"))


def _is(value: Mapping[str, Any], kind: str) -> bool:
    """Whether an object is of a kind of the core group."""
    return value.get("kind") == kind and value.get("apiVersion") == "v1"


def _name(value: Mapping[str, Any]) -> str:
    """The name of an object."""
    metadata = value.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, dict) else ""


def _is_beside(entry: Unread) -> bool:
    """Whether an object gave no map because it is no workload."""
    value: Any = entry.document.value
    return isinstance(entry.error, NoMappingError) and why_no_workload(value["apiVersion"], value["kind"]) is not None


def _unread(value: object, error: WorkloadMapError) -> dict[str, Any]:
    """What is told of an object that gave no map."""
    entry: dict[str, Any] = {"message": error.message}
    if isinstance(value, dict):
        metadata = value.get("metadata")
        told = {**value, **metadata} if isinstance(metadata, dict) else value
        entry |= {
            name: told[name] for name in ("apiVersion", "kind", "namespace", "name") if isinstance(told.get(name), str)
        }
    return entry


# One workload


def _workload(
    value: Mapping[str, Any], document: Mapping[str, Any], given: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[str, Any]:
    """The entry of a workload, from its map."""
    entry: dict[str, Any] = {"workload": dict(document["workload"]), "mapping": document["mapping"]}
    created = value.get("metadata", {}).get("creationTimestamp")
    if isinstance(created, str) and _TIME.fullmatch(created):
        entry["workload"]["created"] = created
    owner = controller_of(value)
    if owner is not None:
        entry["owner"] = owner
    totals = document["totals"]
    parts = [part for root in parts_of(document) for part in root.all()]
    instances = [_instance(part) for part in parts]
    entry["pods"] = _pod_numbers(parts, totals)
    for name in ("status", "suspended", "gang", "diagnostics"):
        if name in document:
            entry[name] = document[name]
    for name in ("resources", "incomplete"):
        if name in totals:
            entry[name] = totals[name]
    if instances:
        entry["instances"] = instances
    pods = _pod_list(parts, document, given)
    if pods:
        entry["podList"] = pods
    return entry


def _instance(part: Part) -> dict[str, Any]:
    """The entry of an instance."""
    entry: dict[str, Any] = {"path": [{"component": name, "instance": identity} for name, identity in part.path]}
    role = part.instance.get("role", part.component.get("role"))
    if role is not None:
        entry["role"] = role
    creates = _creates(part)
    if creates:
        entry["creates"] = creates
    entry.update((name, part.instance[name]) for name in _INSTANCE_FIELDS if name in part.instance)
    if part.is_grouping:
        return entry
    pods = {
        name: part.instance[told]
        for name, told in (("desired", "pods"), ("minimum", "minPods"))
        if told in part.instance
    }
    if part.pods:
        pods |= found_numbers(part.pods)
    else:
        ready = _ready_by_status(part)
        if ready is not None:
            pods |= {"ready": ready, "readyFrom": "status"}
    entry["pods"] = pods
    return entry


def _creates(part: Part) -> list[Mapping[str, Any]]:
    """The kinds of the objects that the controller makes for a replica; one stands on the component, several here."""
    found: list[Mapping[str, Any]] = part.instance.get("creates", [])
    return found or ([part.component["creates"]] if "creates" in part.component else [])


def _ready_by_status(part: Part) -> int | None:
    """How many pods of an instance its workload's status calls ready, if it counts pods.

    Counters count replicas unless their unit is pods (S6.5). A replica is one pod unless the mapping counts its pods
    (S6.4.1), and may yet be an object that makes the pod, whose readiness means something else. Below a component with
    several replicas counters are of one of them, and say nothing of all.
    """
    observed = part.instance.get("observed", {})
    creates = {entry["kind"] for entry in _creates(part)}
    is_pods = observed.get("unit") == "pods" or (creates <= {"Pod"} and "podsPerReplica" not in part.instance)
    is_alone = all(step.instance.get("replicas") == 1 for step in part.above)
    return observed.get("ready") if is_pods and is_alone else None


def _pod_numbers(parts: Sequence[Part], totals: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of pods of a workload that its map tells; those of the pods that were found come later."""
    numbers: dict[str, Any] = {"desired": totals["pods"]}
    leaves = [part for part in parts if not part.is_grouping]
    is_exact = all(entry["what"] not in _COUNTING for entry in totals.get("incomplete", ()))
    least = [part.instance.get("minPods") for part in leaves]
    if is_exact and None not in least:
        numbers["minimum"] = sum(number for number in least if number is not None)
    ready = [_ready_by_status(part) for part in leaves]
    if is_exact and leaves and None not in ready:
        numbers |= {"ready": sum(number for number in ready if number is not None), "readyFrom": "status"}
    return numbers


def found_numbers(pods: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers of pods that were found, which are entries of a map or of a report."""
    pods = list(pods)
    numbers: dict[str, Any] = {
        "found": len(pods),
        "ready": sum(pod.get("ready") is True for pod in pods),
        "readyFrom": "pods",
    }
    if pods:
        numbers["phases"] = dict(sorted(Counter(pod.get("phase", "NoPhase") for pod in pods).items()))
    deleting = sum("deleting" in pod for pod in pods)
    if deleting:
        numbers["deleting"] = deleting
    return numbers


def _pod_list(
    parts: Sequence[Part], document: Mapping[str, Any], given: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The pods that a workload selects, by namespace and name, each with the place of its instance."""
    places = {part.path: place for place, part in enumerate(parts)}
    found = []
    for pod in document.get("pods", ()):
        entry = _pod(pod, given)
        entry["instance"] = places[tuple((step["component"], step["instance"]) for step in pod["at"])]
        replicas = [step.get("replica") for step in pod["at"]]
        if any(replica is not None for replica in replicas):
            entry["replicas"] = replicas
        entry.update((name, pod[name]) for name in _POD_FIELDS if name in pod)
        found.append(entry)
    for pod in document.get("unattributed", ()):
        entry = _pod(pod, given)
        entry["reason"] = pod["reason"]
        entry |= _state(given.get(pod_key({"metadata": pod}), {}))
        found.append(entry)
    return sorted(found, key=lambda entry: (entry.get("namespace", ""), entry["name"]))


def _pod(pod: Mapping[str, Any], given: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    """Name, namespace and uid of a pod."""
    entry = {name: pod[name] for name in ("name", "namespace") if name in pod}
    uid = given.get(pod_key({"metadata": pod}), {}).get("metadata", {}).get("uid")
    if isinstance(uid, str) and uid:
        entry["uid"] = uid
    return entry


def _state(value: Mapping[str, Any]) -> dict[str, Any]:
    """Phase, readiness and node of a pod that has no place in the tree, read as S10.6 has it."""
    from workloadmap_spec.pods import Placed, pod_document  # noqa: PLC0415 - few pods have none

    told = pod_document(Placed(value, (), None, None, None))
    return {name: told[name] for name in ("phase", "ready", "deleting", "node") if name in told}


# Pods and sums


def _own_pods(each: _Entry, given: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """Add the pods that a workload selects; a workload that is a pod is its own."""
    for pod in each.entry.get("podList", ()):
        each.pods[pod_key({"metadata": pod})] = pod
    workload = each.entry["workload"]
    if workload["kind"] == "Pod" and workload["apiVersion"] == "v1":
        key = pod_key({"metadata": workload})
        if key in given:
            each.pods[key] = {"name": workload.get("name", ""), **_state(given[key])}


def _count_found(each: _Entry) -> None:
    """Count the pods that were found of a workload and its parts; they know better than its status."""
    numbers = each.entry["pods"]
    if not each.pods and not (each.is_told and "status" in each.entry and "ready" not in numbers):
        return
    for name in ("ready", "readyFrom"):
        numbers.pop(name, None)
    numbers |= found_numbers(each.pods.values())
    if not each.is_told or (each.pods and "podList" not in each.entry):
        return
    for instance in each.entry.get("instances", ()):
        if "pods" in instance and "found" not in instance["pods"]:
            instance["pods"] |= found_numbers(())


def _price(each: _Entry, costs: Costs) -> None:
    """Add what a workload and its instances cost."""
    entry = each.entry
    is_at_rest = entry.get("status", {}).get("phase") in AT_REST
    # What no API server has seen has no pods yet, and some do not say which are theirs: what they want is priced.
    is_live = bool(each.pods) or (each.is_told and "status" in entry)
    for place, (instance, part) in enumerate(
        zip(entry.get("instances", ()), _all_parts(each.document), strict=True) if "instances" in entry else ()
    ):
        if not part.is_grouping:
            own = [pod for pod in entry.get("podList", ()) if pod.get("instance") == place] if is_live else None
            instance["cost"] = costs.of_instance(part.instance, own, is_at_rest=is_at_rest)
    entry["cost"] = costs.of_workload(each.document, each.pods if is_live else None, is_at_rest=is_at_rest)


def _all_parts(document: Mapping[str, Any]) -> list[Part]:
    """The instances of a map in the order of the report."""
    return [part for root in parts_of(document) for part in root.all()]


def _totals(entries: Sequence[_Entry], costs: Costs | None, *, is_given: bool) -> dict[str, Any]:
    """The sums over the workloads that are no part of another, of which those at rest ask for nothing."""
    roots = [each for each in entries if "parent" not in each.entry]
    phases = Counter(each.entry.get("status", {}).get("phase", "NoStatus") for each in roots)
    totals: dict[str, Any] = {"workloads": len(roots)}
    if phases:
        totals["phases"] = dict(sorted(phases.items()))
    awake = [each for each in roots if each.entry.get("status", {}).get("phase") not in AT_REST]
    numbers: dict[str, Any] = {"desired": sum(each.entry["pods"]["desired"] for each in awake)}
    least = [each.entry["pods"].get("minimum") for each in awake]
    if None not in least:
        numbers["minimum"] = sum(number for number in least if number is not None)
    if is_given:
        together: dict[tuple[str, str], Mapping[str, Any]] = {}
        for each in roots:
            together |= each.pods
        numbers |= found_numbers(together.values())
    totals["pods"] = numbers
    resources = _sum_resources([each.entry.get("resources", {}) for each in awake])
    if resources:
        totals["resources"] = resources
    incomplete = sum("incomplete" in each.entry for each in awake)
    if incomplete:
        totals["incomplete"] = incomplete
    if costs is not None:
        totals["cost"] = costs.total([each.entry["cost"] for each in roots])
    return totals


def _sum_resources(entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Requests and limits of many workloads together; what one of them does not bound is not bounded."""
    sums: dict[str, dict[str, Quantity]] = {"requests": {}, "limits": {}}
    unlimited: set[str] = set()
    for resources in entries:
        for side, amounts in sums.items():
            for name, text in resources.get(side, {}).items():
                amount = parse(text)
                amounts[name] = amounts[name] + amount if name in amounts else amount
        unlimited |= set(resources.get("unlimited", ()))
    told: dict[str, Any] = {
        side: {name: str(amount) for name, amount in sorted(amounts.items())}
        for side, amounts in sums.items()
        if amounts
    }
    if unlimited:
        told["unlimited"] = sorted(unlimited)
    return told

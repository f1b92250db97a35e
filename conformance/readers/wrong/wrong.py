"""Readers that answer wrongly, each in one way: `python wrong.py NAME`. The suite must find every one of them.

Each is the reference reader with one fault in what it is asked or in what it answers. `PROFILES` names the profile
whose cases must show the fault.
"""

from __future__ import annotations

import copy
import json
import sys
from typing import TYPE_CHECKING, Any

from workloadmap_spec.conformance.serve import Reply, serve
from workloadmap_spec.field_compiler import native_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, Any]


def instances(document: Json) -> Iterator[Json]:
    """Every instance of a map, the outermost first."""
    for component in document.get("components", []):
        for instance in component["instances"]:
            yield instance
            yield from instances(instance)


def components(document: Json) -> Iterator[Json]:
    """Every component of a map, the outermost first."""
    for component in document.get("components", []):
        yield component
        for instance in component["instances"]:
            yield from components(instance)


def groups(document: Json) -> Iterator[Json]:
    """Every group and subgroup of a map."""
    pending = list(document.get("gang", {}).get("groups", []))
    while pending:
        group = pending.pop(0)
        yield group
        pending += group.get("subgroups", [])


# Faults in the map: each changes the document, or gives another.


def replicas_are_one(_request: Json, document: Json) -> None:
    for instance in instances(document):
        if "replicas" in instance:
            instance["replicas"] = 1


def replicas_off_by_one(_request: Json, document: Json) -> None:
    for instance in instances(document):
        if instance.get("replicas", 0) > 1:
            instance["replicas"] -= 1


def pods_are_replicas(_request: Json, document: Json) -> None:
    for instance in instances(document):
        if "pods" in instance and "replicas" in instance:
            instance["pods"] = instance["replicas"]


def last_component_dropped(_request: Json, document: Json) -> None:
    if len(document.get("components", [])) > 1:
        document["components"].pop()


def last_instance_dropped(_request: Json, document: Json) -> None:
    for component in components(document):
        if len(component["instances"]) > 1:
            component["instances"].pop()


def roles_dropped(_request: Json, document: Json) -> None:
    for component in components(document):
        component.pop("role", None)


def null_for_absence(_request: Json, document: Json) -> None:
    for instance in instances(document):
        instance.setdefault("replicas", None)


def numbers_as_text(_request: Json, document: Json) -> None:
    for instance in instances(document):
        if "replicas" in instance:
            instance["replicas"] = str(instance["replicas"])


def sources_dropped(_request: Json, document: Json) -> None:
    for instance in instances(document):
        instance.pop("sources", None)


def instances_sorted(_request: Json, document: Json) -> None:
    for component in components(document):
        component["instances"].sort(key=lambda instance: instance["id"])


def diagnostics_dropped(_request: Json, document: Json) -> None:
    document.pop("diagnostics", None)


def incomplete_dropped(_request: Json, document: Json) -> None:
    document["totals"].pop("incomplete", None)


def unlimited_dropped(_request: Json, document: Json) -> None:
    for owner in (
        document["totals"].get("resources", {}),
        *(i.get("resources", {}).get("perPod", {}) for i in instances(document)),
    ):
        owner.pop("unlimited", None)


def limits_for_requests(_request: Json, document: Json) -> None:
    for instance in instances(document):
        pod = instance.get("resources", {}).get("perPod", {})
        if "limits" in pod:
            pod["requests"] = pod["limits"]


def amounts_not_canonical(_request: Json, document: Json) -> None:
    for instance in instances(document):
        requests = instance.get("resources", {}).get("perPod", {}).get("requests", {})
        for name, amount in requests.items():
            if amount.isdecimal() and amount != "0":
                requests[name] = f"{amount}000m"


def always_running(_request: Json, document: Json) -> None:
    if "status" in document:
        document["status"]["phase"] = "Running"


def unknown_is_running(_request: Json, document: Json) -> None:
    if document.get("status", {}).get("phase") == "Unknown":
        document["status"]["phase"] = "Running"


def never_stale(_request: Json, document: Json) -> None:
    if "stale" in document.get("status", {}):
        document["status"]["stale"] = False


def reason_dropped(_request: Json, document: Json) -> None:
    document.get("status", {}).pop("reason", None)


def never_suspended(_request: Json, document: Json) -> None:
    if "suspended" in document:
        document["suspended"] = False


def no_pods(_request: Json, document: Json) -> None:
    document.pop("pods", None)
    document.pop("unattributed", None)


def pods_as_given(request: Json, document: Json) -> None:
    order = [pod.get("metadata", {}).get("name") for pod in request.get("pods", [])]
    if "pods" in document:
        document["pods"].sort(key=lambda pod: order.index(pod["name"]))


def unattributed_hidden(_request: Json, document: Json) -> None:
    document.pop("unattributed", None)


def index_dropped(_request: Json, document: Json) -> None:
    for pod in document.get("pods", []):
        pod.pop("index", None)


def no_groups(_request: Json, document: Json) -> None:
    document.pop("gang", None)


def all_pods_together(_request: Json, document: Json) -> None:
    for group in groups(document):
        if "minMember" in group and "pods" in group:
            group["minMember"] = group["pods"]


def no_subgroups(_request: Json, document: Json) -> None:
    for group in groups(document):
        group.pop("subgroups", None)


DOCUMENT: dict[str, tuple[str, Callable[[Json, Json], None]]] = {
    function.__name__.replace("_", "-"): (profile, function)
    for profile, functions in {
        "core": (
            replicas_are_one, replicas_off_by_one, pods_are_replicas, last_component_dropped,
            last_instance_dropped, roles_dropped, null_for_absence, numbers_as_text, sources_dropped, instances_sorted,
            diagnostics_dropped, incomplete_dropped,
        ),
        "resources": (unlimited_dropped, limits_for_requests, amounts_not_canonical),
        "status": (always_running, unknown_is_running, never_stale, reason_dropped, never_suspended),
        "pods": (no_pods, pods_as_given, unattributed_hidden, index_dropped),
        "gang": (no_groups, all_pods_together, no_subgroups),
    }.items()
    for function in functions
}  # fmt: skip

# Faults in the request: what a reader overlooks in its input.


def namespaces_ignored(request: Json) -> None:
    for entry in (request.get("object"), *request.get("pods", ())):
        if isinstance(entry, dict) and isinstance(entry.get("metadata"), dict):
            entry["metadata"].pop("namespace", None)


def rules_from_the_end(request: Json) -> None:
    for mapping in request.get("mappings", ()):
        rules = mapping.get("spec", {}).get("status", {}).get("rules") if isinstance(mapping, dict) else None
        if isinstance(rules, list):
            rules.reverse()


def first_pod_only(request: Json) -> None:
    if request.get("pods"):
        request["pods"] = request["pods"][:1]


def references_overlooked(request: Json) -> None:
    request.pop("references", None)


def strict_overlooked(request: Json) -> None:
    request.pop("options", None)


def doubles_only(request: Json) -> None:
    request["object"] = _doubled(request.get("object"))


def _doubled(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A value whose whole numbers have become fractions, as in engines that know doubles only."""
    if isinstance(value, dict):
        return {name: _doubled(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_doubled(entry) for entry in value]
    return value + 1e-7 if type(value) is int else value


def namespaces_lost(request: Json) -> None:
    for entry in request.get("references", ()):
        entry.get("metadata", {}).pop("namespace", None)


REQUEST: dict[str, tuple[str, Callable[[Json], None]]] = {
    function.__name__.replace("_", "-"): (profile, function)
    for profile, functions in {
        "core": (strict_overlooked, doubles_only),
        "status": (rules_from_the_end,),
        "pods": (namespaces_ignored, first_pod_only),
        "references": (references_overlooked, namespaces_lost),
    }.items()
    for function in functions
}

# Faults of the whole answer.


def minimal(request: Json, _answer: Json) -> Json:
    """The least that the schema of maps takes, whatever is asked."""
    workload = request.get("object")
    named = {name: workload.get(name, "x") for name in ("apiVersion", "kind")} if isinstance(workload, dict) else {}
    return {
        "outcome": "ok",
        "document": {
            "apiVersion": "workloadmap.dev/v1alpha1",
            "kind": "WorkloadMap",
            "workload": named,
            "mapping": {"name": "x", "digest": f"sha256:{'0' * 64}"},
            "totals": {"pods": 0},
        },
    }


REJECTED = {"outcome": "rejected", "error": {"class": "mapping-schema"}}
ANSWER: dict[str, tuple[str, Callable[[Json, Json], Json]]] = {
    "empty": ("core", lambda _request, _answer: {"outcome": "ok", "document": {}}),
    "minimal": ("core", minimal),
    "rejects-everything": ("core", lambda _request, _answer: REJECTED),
    "accepts-everything": (
        "core",
        lambda _request, answer: answer if answer["outcome"] == "ok" else {"outcome": "ok", "document": {}},
    ),
    "one-class-for-all": (
        "core",
        lambda _request, answer: answer if answer["outcome"] == "ok" else REJECTED,
    ),
    "supports-nothing": ("core", lambda _request, _answer: {"outcome": "unsupported"}),
    "wants-nothing": (
        "references",
        lambda _request, answer: {**answer, "wanted": []} if "wanted" in answer else answer,
    ),
}

#: The profile that must show each fault.
PROFILES: dict[str, str] = {
    name: profile for table in (DOCUMENT, REQUEST, ANSWER) for name, (profile, _) in table.items()
}
PROFILES["keeps-state"] = "core"


def fault(name: str) -> Callable[[Json, Reply], Json]:
    """From a request and the reference reader to the wrong answer."""
    kept: dict[str, Json] = {}

    def reply(request: Json, right: Reply) -> Json:
        if name in REQUEST:
            request = copy.deepcopy(request)
            REQUEST[name][1](request)
        if name == "keeps-state":
            # The first workload of a kind that is ever seen answers for all later ones.
            key = json.dumps([request.get("mappings"), request.get("mappingText")], sort_keys=True)[:200]
            return kept.setdefault(key, right(request))
        answer = right(request)
        if name in ANSWER:
            return ANSWER[name][1](request, answer)
        if name in DOCUMENT and "document" in answer:
            document = copy.deepcopy(answer["document"])
            DOCUMENT[name][1](request, document)
            return {**answer, "document": document}
        return answer

    return reply


def main() -> int:
    """Answer the suite, wrongly."""
    reply = fault(sys.argv[1])

    def write(line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    return serve(sys.stdin.buffer, write, native_engine, sys.argv[1], reply)


if __name__ == "__main__":
    sys.exit(main())

"""The page of a report: what it may load and run, that nothing in a report gets out of its place, what it looks like.

What it does in a browser is tested in `e2e/browser`, with the reports that are made here.
"""

from __future__ import annotations

import copy
import json
import random
import re
import time
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import product
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from tests.report_objects import everything, report_of
from workloadmap_spec.files import schema_path
from workloadmap_spec.report import devices
from workloadmap_spec.report.html import MAX_STATIC_ROWS, page

TIME: Final = "2026-03-17T10:12:04Z"
PHASES: Final = (
    "Initializing",
    "Running",
    "Degraded",
    "Suspending",
    "Suspended",
    "Resuming",
    "Completed",
    "Failed",
    "Unknown",
)
#: Names as somebody might choose them who means harm, or writes from right to left.
HOSTILE: Final = (
    "</script><img src=x onerror=alert(1)>",
    "<!-- <script>",
    "]]>&amp;&lt;\"'`",
    "line\u2028paragraph\u2029nul\u0000end",
    "\u202egnp.exe",
    "\u05e2\u05d1\u05d5\u05d3\u05d4-\u05d2\u05d3\u05d5\u05dc\u05d4",
    "$data ${title} {{x}} %s",
    "javascript:alert(1)",
    "w" * 253,
    "\U0001f680\u0301\ud83d",
)
_DIGEST: Final = "sha256:" + "0123456789abcdef" * 4
_KINDS: Final = (
    ("batch/v1", "Job", "job", "job"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet", "jobset", "job"),
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderworkerset", "group"),
    ("ray.io/v1", "RayCluster", "raycluster", "worker"),
    ("kubeflow.org/v1", "PyTorchJob", "pytorchjob", "replica"),
)
_TEAMS: Final = ("research", "data", "serving", "vision", "speech", "platform")
_WORDS: Final = ("glacier", "heron", "basalt", "cedar", "ember", "fjord", "lichen", "marlin", "osprey", "quartz")


def make_report(workloads: int, pods_each: int = 0, *, seed: int = 1, hostile: bool = False) -> dict[str, Any]:
    """A report of so many workloads of every phase and shape, the same for the same arguments."""
    chance = random.Random(seed)
    made: list[dict[str, Any]] = []
    for place in range(workloads):
        entry = _entry(chance, place, pods_each)
        # Every sixth is a part of the one before it, and the one behind it a part of the same.
        if place % 6 in (4, 5) and place > 5:
            entry["parent"] = place - place % 6 + 3
            entry["owner"] = {"kind": "JobSet", "apiVersion": "jobset.x-k8s.io/v1alpha2", "name": "above"}
        made.append(entry)
    if hostile:
        for entry, text in zip(made, HOSTILE, strict=False):
            _spoil(entry, text)
    return {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadReport",
        "time": TIME,
        "currency": "USD",
        "workloads": made,
        "totals": _totals(made),
        "unread": [
            {
                "apiVersion": "example.org/v1",
                "kind": "Ensemble",
                "namespace": "data",
                "name": "x",
                "message": "no mapping",
            },
            {"message": "the document is no object"},
        ],
    }


def _entry(chance: random.Random, place: int, pods_each: int) -> dict[str, Any]:
    """One workload."""
    version, kind, mapping, component = _KINDS[place % len(_KINDS)]
    name = f"{chance.choice(_WORDS)}-{chance.choice(_WORDS)}-{place}"
    phase = PHASES[chance.choice((0, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 8))] if place >= len(PHASES) else PHASES[place]
    instances = _instances(chance, component, place, pods_each)
    leaves = [instance for instance in instances if "pods" in instance]
    known = [leaf["pods"]["desired"] for leaf in leaves if "desired" in leaf["pods"]]
    desired = sum(known)
    entry: dict[str, Any] = {
        "workload": {
            "apiVersion": version,
            "kind": kind,
            "name": name,
            "namespace": _TEAMS[place % len(_TEAMS)],
            "uid": f"{chance.getrandbits(64):016x}",
            "generation": 1 + place % 4,
            "created": f"2026-{1 + place % 3:02}-{1 + chance.randrange(16):02}T{chance.randrange(10):02}:12:04Z",
        },
        "mapping": {"name": mapping, "digest": _DIGEST},
        "status": _status(phase),
        "suspended": phase in ("Suspending", "Suspended"),
        "pods": {"desired": desired},
        "instances": instances,
        "gang": _gang(component, instances),
    }
    if len(known) < len(leaves):
        entry["incomplete"] = [
            {"component": component, "instance": "few", "what": "replicas", "reason": "absent"},
            {"what": "components", "reason": "error"},
        ]
        entry["diagnostics"] = [
            {
                "severity": "error",
                "class": "result-type",
                "at": "/spec/components/0/replicas",
                "instance": "few",
                "message": "`replicas` is a string and not an integer",
            },
            {"severity": "warning", "class": "result-invalid", "at": "/spec/gang/0", "message": "no minimum is known"},
        ]
        del entry["gang"]
    else:
        entry["pods"]["minimum"] = desired
        entry["cost"] = _cost(desired, "pods" if pods_each else "desired")
    if place % 4 != 3:
        entry["resources"] = {
            "requests": {"cpu": str(8 * desired), "memory": f"{64 * desired}Gi", "nvidia.com/gpu": str(4 * desired)},
            "limits": {"memory": f"{64 * desired}Gi", "nvidia.com/gpu": str(4 * desired)},
        }
    if pods_each:
        entry["podList"] = _pods(chance, name, instances, pods_each)
        _count(entry)
    if place == 11:
        # Nothing but what has to be there.
        return {"workload": {"apiVersion": version, "kind": kind}, "mapping": entry["mapping"], "pods": {}}
    return entry


def _status(phase: str) -> dict[str, Any]:
    """A status."""
    status: dict[str, Any] = {
        "phase": phase,
        "stale": phase == "Initializing",
        "conditions": [
            {
                "type": "Ready",
                "status": "True" if phase == "Running" else "False",
                "reason": "AllReplicasReady",
                "message": "all replicas are ready, or on their way",
                "lastTransitionTime": "2026-03-17T09:00:00Z",
            },
            {"type": "Progressing", "status": "Unknown"},
        ],
        "sources": {"condition": "/status/conditions/0", "reason": "/status/conditions/0/reason"},
    }
    if phase in ("Degraded", "Failed"):
        status |= {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
    if phase == "Suspending":
        status["deleting"] = True
    if phase == "Degraded":
        status["updating"] = True
    return status


def _instances(chance: random.Random, component: str, place: int, pods_each: int) -> list[dict[str, Any]]:
    """The instances of a workload: flat, nested, or with an unknown count."""
    count = max(2, pods_each) if pods_each else chance.choice((2, 4, 8, 16, 64))
    above = [{"component": component, "instance": component}]
    match place % 4:
        case 0:
            return [_leaf([{"component": component, "instance": "all"}], 1, count, "worker")]
        case 1:
            return [
                _leaf([{"component": component, "instance": "leader"}], 1, 1, "leader"),
                _leaf([{"component": component, "instance": "workers"}], count - 1, 1, "worker"),
            ]
        case 2:
            half = max(1, count // 2)
            return [
                {
                    "path": above,
                    "replicas": half,
                    "minReplicas": 1,
                    "maxReplicas": half * 2,
                    "creates": [{"apiVersion": "apps/v1", "kind": "StatefulSet"}],
                    "sources": {"replicas": "/spec/replicas"},
                },
                _leaf([*above, {"component": "leader", "instance": "leader"}], 1, 1, "leader", half),
                _leaf([*above, {"component": "worker", "instance": "worker"}], 1, 1, "worker", half),
            ]
        case _:
            few = _leaf([{"component": component, "instance": "few"}], 1, 1, "worker")
            del few["replicas"], few["resources"]["total"]
            few["pods"] = {}
            return [_leaf([{"component": component, "instance": "many"}], count, 1, "worker"), few]


def _leaf(path: list[dict[str, str]], replicas: int, per: int, role: str, above: int = 1) -> dict[str, Any]:
    """An instance with pods."""
    desired = replicas * per * above
    one = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "4"}
    every = {"cpu": str(8 * desired), "memory": f"{64 * desired}Gi", "nvidia.com/gpu": str(4 * desired)}
    return {
        "path": path,
        "role": role,
        "creates": [{"apiVersion": "batch/v1", "kind": "Job"}],
        "replicas": replicas,
        "podsPerReplica": per,
        "pods": {"desired": desired, "minimum": desired},
        "resources": {
            "perPod": {"requests": one, "limits": one, "unlimited": ["memory"]},
            "total": {"requests": every, "limits": every, "unlimited": ["memory"]},
        },
        "observed": {"ready": replicas, "active": replicas},
        "mainContainer": "main",
        "cost": {"basis": "desired", "perHour": str(desired * 8), "resources": {"nvidia.com/gpu": str(desired * 8)}},
        "sources": {
            "replicas": "/spec/groups/0/replicas",
            "podTemplate": "/spec/groups/0/template",
            "observed.ready": "refs.set#/status/ready",
        },
    }


def _gang(component: str, instances: list[dict[str, Any]]) -> dict[str, Any]:
    """One group for all, with a subgroup for each replica of what is outermost."""
    leaves = [instance for instance in instances if "pods" in instance]
    desired = [leaf["pods"].get("desired", 1) for leaf in leaves]
    members = [
        {**leaf["path"][-1], "pods": count, "minPods": count} for leaf, count in zip(leaves, desired, strict=True)
    ]
    first = instances[0]
    return {
        "groups": [
            {
                "id": "workload",
                "name": "workload",
                "members": members,
                "minMember": sum(desired),
                "pods": sum(desired),
                "queue": "team-a",
                "priorityClass": "training-high",
                "topology": {"required": "topology.kubernetes.io/zone"},
                "sources": {"queue": "/metadata/labels/kueue.x-k8s.io~1queue-name"},
                "subgroups": [
                    {
                        "id": f"workload/{component}/{replica}",
                        "name": component,
                        "at": [{**first["path"][0], "replica": replica}],
                        "members": members[:1] if "pods" in first else members,
                        "minMember": 1,
                        "pods": 2,
                    }
                    for replica in range(min(first["replicas"], 200))
                ],
            }
        ]
    }


def _pods(chance: random.Random, name: str, instances: list[dict[str, Any]], pods_each: int) -> list[dict[str, Any]]:
    """Pods of the instances, in every state; one in fifty is missing, and the last belongs nowhere."""
    pods: list[dict[str, Any]] = []
    for place, instance in enumerate(instances):
        if "desired" not in instance.get("pods", {}):
            continue
        ranges = [range(instances[0]["replicas"])] if len(instance["path"]) > 1 else []
        ranges.append(range(instance["replicas"]))
        for *replicas, index in product(*ranges, range(instance["podsPerReplica"])):
            if chance.random() < 0.02:
                continue
            phase = chance.choice(("Running",) * 20 + ("Pending", "Pending", "Succeeded", "Failed"))
            pod = {
                "name": f"{name}-{instance['role']}-{'-'.join(map(str, replicas))}-{index}",
                "namespace": "research",
                "uid": f"{chance.getrandbits(64):016x}",
                "instance": place,
                "replicas": replicas,
                "index": index,
                "group": "workload",
                "phase": phase,
                "ready": phase == "Running" and chance.random() < 0.9,
            }
            if phase != "Pending":
                pod["node"] = f"node-{chance.randrange(200):03}"
            if chance.random() < 0.02:
                pod["deleting"] = True
            pods.append(pod)
    pods = pods[: max(1, pods_each)]
    pods[-1] = {"name": pods[-1]["name"], "reason": "ambiguous", "ready": False}
    return pods


def _count(entry: dict[str, Any]) -> None:
    """Count the pods of a workload and of its instances."""
    for place, instance in enumerate(entry["instances"]):
        if "pods" in instance:
            instance["pods"] |= _found([pod for pod in entry["podList"] if pod.get("instance") == place])
    entry["pods"] |= _found(entry["podList"])


def _found(pods: list[dict[str, Any]]) -> dict[str, Any]:
    """Numbers of pods that were found."""
    numbers: dict[str, Any] = {"found": len(pods), "ready": sum(pod["ready"] for pod in pods), "readyFrom": "pods"}
    if pods:
        names = [pod.get("phase", "NoPhase") for pod in pods]
        numbers["phases"] = {name: names.count(name) for name in sorted(set(names))}
    deleting = sum("deleting" in pod for pod in pods)
    return {**numbers, "deleting": deleting} if deleting else numbers


def _cost(desired: int, basis: str) -> dict[str, Any]:
    """A cost, of which a part has no price."""
    cost: dict[str, Any] = {
        "basis": basis,
        "perHour": f"{desired * 9}.1250001",
        "resources": {"cpu": f"{desired}.1250001", "nvidia.com/gpu": str(desired * 8)},
    }
    if desired % 4 == 0:
        cost["unknown"] = [{"what": "ephemeral-storage", "reason": "it has no price"}]
    return cost


def _totals(made: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums over those that are no part of another; one that says nothing counts as nothing."""
    roots = [entry for entry in made if "parent" not in entry]
    phases = [entry.get("status", {}).get("phase", "NoStatus") for entry in roots]
    desired = sum(entry["pods"].get("desired", 0) for entry in roots)
    numbers: dict[str, Any] = {"desired": desired}
    found = [pod for entry in roots for pod in entry.get("podList", ())]
    if found:
        numbers |= _found(found)
    totals: dict[str, Any] = {"workloads": len(roots), "pods": numbers}
    if phases:
        totals["phases"] = {name: phases.count(name) for name in sorted(set(phases))}
        totals["resources"] = {
            "requests": {
                "cpu": str(8 * desired),
                "memory": f"{64 * desired}Gi",
                "nvidia.com/gpu": str(4 * desired),
                "example.org/nic": "12",
                "ephemeral-storage": "2Ti",
            },
            "limits": {"memory": f"{64 * desired}Gi"},
        }
        totals["cost"] = _cost(desired, "pods" if found else "desired")
    incomplete = sum("incomplete" in entry for entry in roots)
    return {**totals, "incomplete": incomplete} if incomplete else totals


def _spoil(entry: dict[str, Any], text: str) -> None:
    """Put a text wherever a report may have any text."""
    entry["workload"] |= {"name": text, "namespace": text, "kind": text, "uid": text, "apiVersion": text}
    entry["owner"] = {"kind": text, "name": text}
    entry["mapping"] = {**entry["mapping"], "name": text}
    if "status" in entry:
        entry["status"] |= {"reason": text, "message": text}
        entry["status"]["conditions"][0] |= {"type": text, "status": text, "reason": text, "message": text}
    for instance in entry.get("instances", ()):
        instance["path"][-1]["instance"] = text
        instance["role"] = text
        instance["mainContainer"] = text
    for pod in entry.get("podList", ()):
        pod |= {"name": text, "node": text, "phase": text}
    entry["incomplete"] = [{"what": "replicas", "reason": text, "component": text, "instance": text}]
    entry["diagnostics"] = [
        {"severity": "error", "class": "expression-eval", "at": f"/{text}", "instance": text, "message": text}
    ]
    entry["resources"] = {"requests": {text: "1", f"x/{text}": "2"}}
    entry["cost"] = {"basis": "pods", "perHour": "1", "unknown": [{"what": text, "reason": text}]}


def make_extremes(instances: int) -> dict[str, Any]:
    """A report at the edges of the schema: most pods, most levels, many instances and groups, a circle of parents."""
    report = make_report(5, 24)
    most, many, deep, *circle = report["workloads"]
    for entry in (most, deep):
        del entry["podList"], entry["gang"]
    most["instances"] = [_leaf([{"component": "job", "instance": "job"}], 2**53 - 1, 1, "worker")]
    most["pods"] = {"desired": 2**53 - 1}
    path = [{"component": f"level-{level}", "instance": f"level-{level}"} for level in range(8)]
    deep["instances"] = [{"path": path[:level], "replicas": 2} for level in range(1, 8)]
    deep["instances"].append(_leaf(path, 1, 2, "worker", 2**7))
    deep["pods"] = {"desired": 2**8, "minimum": 2**8}
    places = [{"component": "job", "instance": f"job-{place}"} for place in range(instances)]
    many["instances"] = [_leaf([place], 5, 1, "worker") for place in places]
    many["podList"] = _pods(random.Random(1), "many", many["instances"], 5 * instances)
    many["gang"] = {
        "groups": [
            {
                "id": f"job/{place['instance']}/{replica}",
                "name": "job",
                "at": [{**place, "replica": replica}],
                "members": [{**place, "pods": 1, "minPods": 1}],
                "minMember": 1,
                "pods": 1,
            }
            for place in places
            for replica in range(5)
        ]
    }
    many["pods"] = {"desired": 5 * instances, "minimum": 5 * instances}
    _count(many)
    circle[0]["parent"], circle[1]["parent"] = 4, 3
    return report


# Reading a page


class Page(HTMLParser):
    """What a browser makes of a page, as far as these tests ask."""

    def __init__(self, text: str) -> None:
        """Read it."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "img"):
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        """Leave an element, which must be the innermost one."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note the text of the innermost element."""
        if self._open:
            self.texts[self._open[-1]][-1] += data

    def attributes(self, tag: str, name: str) -> list[str]:
        """The values of an attribute."""
        return [attributes[name] or "" for each, attributes in self.tags if each == tag and name in attributes]


def policy_of(text: str) -> dict[str, str]:
    """The directives of the policy of a page."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found
    pairs = [directive.partition(" ") for directive in unescape(found[1]).split("; ")]
    return {name: value for name, _space, value in pairs}


REPORTS: Final = {
    "nothing": make_report(0),
    "a-few": make_report(12),
    "with-pods": make_report(24, 12),
    "hostile": make_report(24, 6, hostile=True),
    "extremes": make_extremes(20),
    "of-objects": report_of(everything()),
}


@pytest.fixture(name="report", params=REPORTS, ids=str)
def _report(request: pytest.FixtureRequest) -> dict[str, Any]:
    return REPORTS[request.param]


def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_path("workload-report.schema.json").read_text(encoding="utf-8")))


def test_the_reports_of_these_tests_fit_the_schema(report: dict[str, Any]) -> None:
    assert [error.message for error in validator().iter_errors(report)] == []


def test_every_phase_and_shape_is_among_them() -> None:
    entries = REPORTS["with-pods"]["workloads"]
    assert {entry["status"]["phase"] for entry in entries if "status" in entry} == set(PHASES)
    assert any("status" not in entry for entry in entries)
    assert any("parent" in entry for entry in entries)
    assert any(len(instance["path"]) > 1 for entry in entries for instance in entry.get("instances", ()))


def test_the_report_lies_in_the_page_as_it_is(report: dict[str, Any]) -> None:
    found = re.search(r'<script type="application/json" id="report">(.*)</script>', page(report))
    assert found
    assert json.loads(found[1]) == report


def test_nothing_ends_the_element_of_the_report(report: dict[str, Any]) -> None:
    text = page(report)
    data = text[text.index('id="report">') + len('id="report">') : text.rindex("</script>")]
    assert not re.search("[<>&\u2028\u2029]", data)
    assert data.isascii()
    assert data.isprintable()


def test_a_page_has_its_own_scripts_only(report: dict[str, Any]) -> None:
    read = Page(page(report))
    tags = [tag for tag, _attributes in read.tags]
    assert tags.count("script") == 2
    assert tags.count("style") == 1
    assert not {"img", "iframe", "object", "embed", "base"} & set(tags)
    assert not [name for _tag, attributes in read.tags for name in attributes if name.startswith("on")]
    assert not [name for _tag, attributes in read.tags for name in attributes if name in ("style", "src", "srcset")]


def test_the_policy_names_the_script_and_the_style(report: dict[str, Any]) -> None:
    text = page(report)
    policy = policy_of(text)
    read = Page(text)

    def named(element: str) -> str:
        return f"'sha256-{b64encode(sha256(element.encode()).digest()).decode()}'"

    assert policy == {
        "default-src": "'none'",
        "script-src": named(read.texts["script"][0]),
        "style-src": named(read.texts["style"][0]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_the_policy_stands_before_what_it_rules() -> None:
    text = page(REPORTS["a-few"])
    assert text.index("Content-Security-Policy") < text.index("<link") < text.index("<style>") < text.index("<script>")


def test_nothing_points_outside() -> None:
    text = page(REPORTS["a-few"])
    names = {"http://www.w3.org/2000/svg"}  # the name of a language, which nothing loads
    assert set(re.findall(r"\w+://[^\s\"'<>)]+", text)) <= names
    assert not re.search(r"url\(|@import|@font-face|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", text)
    read = Page(text)
    assert [value[:5] for value in read.attributes("link", "href")] == ["data:"]
    assert read.attributes("a", "href") == ["#main"]


def test_the_script_writes_no_markup() -> None:
    script = Page(page(REPORTS["nothing"])).texts["script"][0]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|Function\(", script)
    assert not re.search("</script|<!--", script, re.IGNORECASE)


def test_the_script_has_the_same_accelerators_as_the_other_forms() -> None:
    script = Page(page(REPORTS["nothing"])).texts["script"][0]
    found = re.search(r"const ACCELERATORS = (\[.*?\]);", script)
    assert found
    assert tuple(json.loads(found[1])) == devices._PARTS  # noqa: SLF001 - a language has no other way to ask


def test_ids_are_unique_and_labels_name_them(report: dict[str, Any]) -> None:
    read = Page(page(report))
    ids = [value for tag in {tag for tag, _attributes in read.tags} for value in read.attributes(tag, "id")]
    assert len(ids) == len(set(ids))
    assert set(read.attributes("label", "for")) <= set(ids)


def test_the_same_report_gives_the_same_page() -> None:
    report = make_report(20, 5)
    turned = json.loads(json.dumps(report), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert page(report) == page(turned) == page(copy.deepcopy(report))


def test_a_page_can_be_written(report: dict[str, Any]) -> None:
    assert page(report).encode()


def test_the_title_tells_the_moment() -> None:
    report = make_report(1)
    assert "<title>Workloads, 2026-03-17 10:12:04 UTC</title>" in page(report)
    del report["time"]
    assert "<title>Workloads</title>" in page(report)
    assert "<time" not in page(report)


# Without a script


def rows_of(text: str) -> list[str]:
    """The rows of the table in the part for browsers without scripts."""
    static = text[text.index("<noscript>") : text.index("</noscript>")]
    return re.findall("<tr>(.*)</tr>", static)[1:]


def test_without_a_script_there_is_a_table() -> None:
    report = make_report(4, 8)
    text = page(report)
    assert "This page needs JavaScript to draw, sort and filter. The table has what was read" in text
    rows = rows_of(text)
    first = report["workloads"][0]
    assert rows[0] == (
        f"<td><bdi>Job</bdi></td><td><bdi>research</bdi></td>"
        f'<th scope="row"><bdi>{first["workload"]["name"]}</bdi></th><td><bdi>Initializing</bdi></td><td></td>'
        f'<td class="number">{first["pods"]["ready"]}</td><td class="number">8</td><td class="number">8</td>'
    )
    assert len(rows) == 4


def test_what_is_not_known_is_no_number_in_it() -> None:
    entry = make_report(4)["workloads"][3]
    bare = {"workload": {"apiVersion": "v1", "kind": "Pod"}, "mapping": entry["mapping"], "pods": {}}
    report = {**make_report(0), "workloads": [entry, bare]}
    unknown = '<td class="number"><span class="unknown">?<span class="hidden"> unknown</span></span></td>'
    bound, nothing = rows_of(page(report))
    assert bound.endswith(f'{unknown}<td class="number">&ge;&nbsp;{entry["pods"]["desired"]}</td>{unknown}')
    assert nothing == (
        f'<td><bdi>Pod</bdi></td><td></td><th scope="row"></th><td><bdi>No status</bdi></td><td></td>{unknown * 3}'
    )


def test_the_table_ends_and_says_so() -> None:
    text = page(make_report(MAX_STATIC_ROWS + 1))
    assert (
        f"The table has the first {MAX_STATIC_ROWS} of {MAX_STATIC_ROWS + 1} workloads; all are in the source" in text
    )
    assert len(rows_of(text)) == MAX_STATIC_ROWS


def test_a_report_of_nothing_has_no_table() -> None:
    text = page(make_report(0))
    assert "The report has no workloads." in text
    assert "<table" not in text[text.index("<body>") : text.index('id="report"')]


def test_a_large_page_is_made_quickly() -> None:
    report = make_report(1000, 10)
    began = time.perf_counter()
    page(report)
    assert time.perf_counter() - began < 2

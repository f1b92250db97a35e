"""A second, naive reading: every pod of a random workload is made one by one, and counted.

Nothing here shares code with the reader. A workload is expanded into single pods; the pods of an instance, of a group
and of a subgroup are then those that a plain filter leaves over. The formulas of the frameworks are written down again
at the end, for random objects of the shipped kinds.
"""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec import Catalog
from workloadmap_spec.schemas import map_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE: dict[str, Any] = {"spec": {"containers": [{"name": "c"}]}}
ROUNDS = 20
SEEDS_PER_ROUND = 25


@dataclass
class Node:
    """A component of a random mapping; `source` is the path of its data, as seen from where it stands."""

    name: str
    each: bool
    source: str
    counts: list[str]
    above: list[Node]
    children: list[Node] = field(default_factory=list)

    @property
    def line(self) -> list[Node]:
        """The components from the outermost to this one."""
        return [*self.above, self]

    def leaves(self) -> set[str]:
        """The pod components at or below this one."""
        return set().union(*(child.leaves() for child in self.children)) if self.children else {self.name}


@dataclass
class Part:
    """An instance, made from the data without the reader; `key` names it in the whole tree."""

    node: Node
    identity: str
    data: dict[str, Any]
    line: list[Part]
    children: list[Part] = field(default_factory=list)

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The components and ids from the outermost to this one."""
        return tuple((part.node.name, part.identity) for part in self.line)

    def count(self, name: str) -> int:
        """A count that the mapping gives, or 1."""
        value = self.data[name] if name in self.node.counts else 1
        assert isinstance(value, int)
        return value

    def floor(self) -> int:
        """The replicas that must start together."""
        return min(self.count("minAvailable"), self.count("replicas")) if self.states("minAvailable") else self.all()

    def all(self) -> int:
        """The replicas."""
        return self.count("replicas")

    def states(self, name: str) -> bool:
        """Whether a count is given and present."""
        return name in self.node.counts and name in self.data


#: One pod: the instance it is of, and the replica of each instance from the outermost to that one.
Single = tuple[Part, tuple[int, ...]]
#: What narrows a group: a component, the instances of it that are meant, and the one replica, if it is one.
Bound = tuple[str, list[Part], int | None]


class World:
    """A random mapping, an object for it, and every pod that the object stands for."""

    def __init__(self, seed: int) -> None:
        """Make all of it from a seed."""
        self.random = random.Random(seed)
        self.nodes: list[Node] = []
        self.roots = [self.component(0, [], "object.spec") for _ in range(self.random.choice([1, 1, 2]))]
        self.data = {node.name: self.values(node) for node in self.roots}
        self.parts: list[Part] = []
        self.tops = [part for node in self.roots for part in self.make(node, self.data, [])]
        self.pods = [single for part in self.parts if not part.node.children for single in self.expand(part)]

    def component(self, depth: int, above: list[Node], base: str) -> Node:
        """A component, three deep at most."""
        name = f"c{len(self.nodes)}"
        each = self.random.random() < 0.4
        grouping = depth < 2 and len(self.nodes) < 5 and self.random.random() < 0.6
        known = ["replicas", "minAvailable"] if grouping else ["replicas", "podsPerReplica", "minAvailable", "minPods"]
        counts = [count for count in known if self.random.random() < 0.5]
        node = Node(name, each, f"{base}.{name}", counts, above)
        self.nodes.append(node)
        if grouping:
            inside = "item" if each else node.source
            node.children = [self.component(depth + 1, node.line, inside) for _ in range(self.random.choice([1, 1, 2]))]
        return node

    def values(self, node: Node) -> Any:  # noqa: ANN401 - JSON
        """The data of a component: a map, or a list of maps."""

        def one(index: int) -> dict[str, Any]:
            data: dict[str, Any] = {"id": f"{self.random.choice('abxyz')}{index}", "v": self.random.choice([1, 2])}
            for count in node.counts:
                if count in ("replicas", "podsPerReplica") or self.random.random() < 0.8:
                    data[count] = self.random.choice([0, 1, 1, 2, 3])
            if self.random.random() < 0.5:
                data["least"] = self.random.choice([0, 1, 2, 9])
            return data | {child.name: self.values(child) for child in node.children}

        return [one(index) for index in range(self.random.choice([0, 1, 2, 3]))] if node.each else one(0)

    def make(self, node: Node, data: dict[str, Any], line: list[Part]) -> list[Part]:
        """The instances of a component below one of its parent."""
        found = []
        for element in data[node.name] if node.each else [data[node.name]]:
            part = Part(node, element["id"] if node.each else node.name, element, [])
            part.line = [*line, part]
            self.parts.append(part)
            part.children = [child for below in node.children for child in self.make(below, element, part.line)]
            found.append(part)
        return found

    def expand(self, part: Part) -> Iterator[Single]:
        """Every pod of an instance, one by one."""
        for replicas in itertools.product(*(range(step.all()) for step in part.line)):
            for _pod in range(part.count("podsPerReplica")):
                yield part, replicas

    def mapping(self, gang: list[dict[str, Any]]) -> dict[str, Any]:
        """The mapping."""

        def component(node: Node) -> dict[str, Any]:
            me = "item" if node.each else node.source
            result: dict[str, Any] = {"name": node.name, **{count: f"{me}.{count}" for count in node.counts}}
            pods = {"replica": f'pod.metadata.labels["r-{node.name}"]'}
            if node.each:
                result |= {"forEach": node.source, "instance": "item.id"}
                pods["instance"] = f'pod.metadata.labels["i-{node.name}"]'
            if node.children:
                return {**result, "pods": pods, "components": [component(child) for child in node.children]}
            return {
                **result,
                "pods": {**pods, "matchLabels": {"c": f'"{node.name}"'}},
                "podTemplate": "object.spec.template",
            }

        spec: dict[str, Any] = {
            "workload": {"group": "x.example", "versions": ["v1"], "kind": "Thing"},
            "components": [component(node) for node in self.roots],
            "pods": {"selector": {"n": "object.metadata.name"}},
        }
        if gang:
            spec["gang"] = gang
        return {
            "apiVersion": "workloadmap.dev/v1alpha1",
            "kind": "WorkloadMapping",
            "metadata": {"name": "thing"},
            "spec": spec,
        }

    def gang(self, depth: int, target: Node | None, *, fixed: bool, allowed: set[str]) -> list[dict[str, Any]]:
        """Random gang entries whose groups lie within an enclosing one; `target` is what that one is made for."""
        entries = []
        for number in range(self.random.choice([0, 1, 1, 2])):
            entry: dict[str, Any] = {"name": f"g{depth}{number}"}
            inner = [
                node
                for node in self.nodes
                if node.leaves() & allowed
                and (target is None or target in node.above or (node is target and not fixed))
            ]
            made_for, replica = target, fixed
            if inner and self.random.random() < 0.7:
                made_for = self.random.choice(inner)
                replica = self.random.random() < 0.5
                entry["per"] = {"replicaOf" if replica else "instanceOf": made_for.name}
                if not replica and made_for.each and depth == 1 and self.random.random() < 0.5:
                    entry["per"]["by"] = "item.v"
            members = [
                node
                for node in self.nodes
                if node.leaves() <= allowed and (made_for is None or made_for in node.line or node in made_for.above)
            ]
            if not members:
                continue
            member = self.random.choice(members)
            least = f"{'item' if member.each else member.source}.least"
            states = not member.children and self.random.random() < 0.4
            entry["members"] = [{"component": member.name, "minPods": least} if states else member.name]
            if depth == 0:
                below = self.gang(1, made_for, fixed=replica, allowed=member.leaves())
                if below:
                    entry["subgroups"] = below
            entries.append(entry)
        return entries

    # What a group covers

    @staticmethod
    def within(part: Part, bounds: list[Bound]) -> bool:
        """Whether an instance lies in what narrows a group."""
        return all(
            any(step is wanted for wanted in parts)
            for step in part.line
            for name, parts, _replica in bounds
            if name == step.node.name
        )

    @staticmethod
    def one(part: Part, bounds: list[Bound]) -> int | None:
        """The one replica of an instance that is meant, if it is one."""
        return next((r for name, _parts, r in bounds if name == part.node.name and r is not None), None)

    def members(self, entry: dict[str, Any], bounds: list[Bound]) -> list[tuple[Part, int, int]]:
        """The covered instances, with the pods that a filter leaves over and the least that must start."""
        found = []
        (member,) = entry["members"]
        name = member if isinstance(member, str) else member["component"]
        for part in self.parts:
            line = part.line
            if part.node.children or name not in [step.node.name for step in line] or not self.within(part, bounds):
                continue
            ones = [self.one(step, bounds) for step in line]
            pods = sum(
                all(number in (None, replica) for number, replica in zip(ones, replicas, strict=True))
                for owner, replicas in self.pods
                if owner is part
            )
            if not pods:
                continue
            if not isinstance(member, str) and "least" in part.data:
                copies = [1 if one is not None else step.all() for step, one in zip(line[:-1], ones, strict=False)]
                least = part.data["least"]
            else:
                copies = [1 if one is not None else step.floor() for step, one in zip(line[:-1], ones, strict=False)]
                least = part.floor() * part.count("podsPerReplica")
                if part.states("minPods"):
                    least = part.count("minPods")
                if ones[-1] is not None:
                    least = part.count("podsPerReplica")
            for copy in copies:
                least *= copy
            found.append((part, pods, min(pods, least)))
        return found

    def units(self, entry: dict[str, Any], bounds: list[Bound]) -> list[tuple[str, list[Bound]]]:
        """The id of each group that an entry may make, and what narrows it."""
        per = entry.get("per")
        if per is None:
            return [(entry["name"], bounds)]
        target = per.get("replicaOf") or per.get("instanceOf")
        found: list[list[tuple[Part, int | None]]] = []
        for part in self.parts:
            if part.node.name != target or not self.within(part, bounds):
                continue
            ranges: list[list[int | None]] = []
            for step in part.line:
                number = self.one(step, bounds)
                ranges.append([number] if number is not None else list(range(step.all())))
            if "instanceOf" in per:
                ranges[-1] = [None]
            found += [list(zip(part.line, numbers, strict=True)) for numbers in itertools.product(*ranges)]
        order = {id(part): index for index, part in enumerate(self.parts)}
        found.sort(key=lambda steps: [(order[id(part)], number or 0) for part, number in steps])
        made: list[tuple[str, list[Bound]]] = []
        classes: dict[Any, list[list[tuple[Part, int | None]]]] = {}
        for steps in found:
            above = tuple((part.key, number) for part, number in steps[:-1])
            own = steps[-1][0].data["v"] if "by" in per else (steps[-1][0].key, steps[-1][1])
            classes.setdefault((above, own), []).append(steps)
        for sharing in classes.values():
            steps = sharing[0]
            texts = [entry["name"]]
            for part, number in steps[:-1] if "by" in per else steps:
                texts += [part.identity] if part.node.each else []
                texts += [] if number is None else [str(number)]
            texts += [steps[-1][0].identity] if "by" in per else []
            narrowed = [(part.node.name, [part], number) for part, number in steps[:-1]]
            last = [(steps[-1][0].node.name, [other[-1][0] for other in sharing], steps[-1][1])]
            made.append(("/".join(texts), [*bounds, *narrowed, *last]))
        return made

    def groups(self, entries: list[dict[str, Any]], bounds: list[Bound], prefix: str = "") -> list[dict[str, Any]]:
        """The groups, as the naive reading has them."""
        made = []
        for entry in entries:
            for name, narrowed in self.units(entry, bounds):
                covered = self.members(entry, narrowed)
                if not covered:
                    continue
                made.append(
                    {
                        "id": prefix + name,
                        "pods": sum(pods for _part, pods, _least in covered),
                        "minMember": sum(least for _part, _pods, least in covered),
                        "members": [(part.node.name, part.identity, pods, least) for part, pods, least in covered],
                        "subgroups": self.groups(entry.get("subgroups", []), narrowed, f"{prefix}{name}/"),
                        "covers": (narrowed, [part for part, _pods, _least in covered]),
                    }
                )
        return made

    def sample(self) -> list[tuple[dict[str, Any], Part, tuple[int | None, ...]]]:
        """Some of the pods, as a cluster has them, and some that lack the label of a replica."""
        chosen = self.random.sample(self.pods, min(8, len(self.pods)))
        found = []
        for index, (part, replicas) in enumerate(chosen):
            known = tuple(None if self.random.random() < 0.2 else replica for replica in replicas)
            labels = {"n": "w", "c": part.node.name}
            for step, replica in zip(part.line, known, strict=True):
                labels |= {f"i-{step.node.name}": step.identity}
                labels |= {} if replica is None else {f"r-{step.node.name}": str(replica)}
            found.append(({"metadata": {"name": f"p{index}", "labels": labels}}, part, known))
        return found

    def group_of(self, groups: list[dict[str, Any]], part: Part, replicas: tuple[int | None, ...]) -> list[str]:
        """The ids of the groups that cover a pod, from the outermost inwards."""
        for group in groups:
            bounds, parts = group["covers"]
            # A pod that does not tell its replica is of the only one, if there is only one.
            fits = all(
                self.one(step, bounds) in (None, 0 if replica is None and step.all() == 1 else replica)
                for step, replica in zip(part.line, replicas, strict=True)
            )
            if fits and any(part is other for other in parts):
                return [group["id"], *self.group_of(group["subgroups"], part, replicas)]
        return []


def instances(components: list[dict[str, Any]], above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The instances of a map that have pods, by their place."""
    for component in components:
        for instance in component["instances"]:
            key = (*above, (component["name"], instance["id"]))
            if "podTemplate" in instance:
                yield key, instance
            yield from instances(instance.get("components", []), key)


def plain(group: dict[str, Any]) -> dict[str, Any]:
    """A group of a map, or of the naive reading, in one form."""
    members = [
        part if isinstance(part, tuple) else (part["component"], part["instance"], part["pods"], part["minPods"])
        for part in group["members"]
    ]
    subgroups = [plain(subgroup) for subgroup in group.get("subgroups", [])]
    return {name: group[name] for name in ("id", "pods", "minMember")} | {"members": members, "subgroups": subgroups}


@pytest.mark.parametrize("number", range(ROUNDS))
def test_counts_groups_and_places_are_those_of_a_reading_pod_by_pod(number: int) -> None:
    for seed in range(number * SEEDS_PER_ROUND, (number + 1) * SEEDS_PER_ROUND):
        world = World(seed)
        leaves = set().union(*(node.leaves() for node in world.roots))
        gang = world.gang(0, None, fixed=False, allowed=leaves)
        workload = {
            "apiVersion": "x.example/v1",
            "kind": "Thing",
            "metadata": {"name": "w"},
            "spec": {**world.data, "template": TEMPLATE},
        }
        sample = world.sample()
        catalog = Catalog.builtin().with_documents([world.mapping(gang)])
        document = catalog.read(workload, pods=[pod for pod, _part, _replicas in sample]).to_dict()
        assert map_problems(document) == [], seed
        counted = {key: instance["pods"] for key, instance in instances(document.get("components", []))}
        expected = {part.key: 0 for part in world.parts if not part.node.children}
        for owner, _numbers in world.pods:
            expected[owner.key] += 1
        assert counted == expected, seed
        assert document["totals"] == {"pods": len(world.pods)}, seed
        groups = world.groups(gang, [])
        found = document.get("gang", {}).get("groups", [])
        assert [plain(group) for group in found] == [plain(group) for group in groups], seed
        placed = {pod["name"]: pod for pod in document.get("pods", [])}
        assert "unattributed" not in document, seed
        for pod, part, known in sample:
            entry = placed[pod["metadata"]["name"]]
            place = [(step["component"], step["instance"], step.get("replica")) for step in entry["at"]]
            steps = zip(part.line, known, strict=True)
            assert place == [(step.node.name, step.identity, replica) for step, replica in steps], seed
            covering = world.group_of(groups, part, known)
            assert entry.get("group") == (covering[0] if covering else None), seed
            assert entry.get("subgroup") == (covering[-1] if len(covering) > 1 else None), seed


# The shipped kinds


def choose(chance: random.Random, target: dict[str, Any], name: str, *values: object) -> Any:  # noqa: ANN401 - JSON
    """Put one of some values, null or nothing at all, and give it; None for both of the last."""
    value = chance.choice([*values, None, "absent"])
    if value != "absent":
        target[name] = value
        return value
    return None


def job(chance: random.Random) -> tuple[dict[str, Any], int, dict[str, tuple[int, int]]]:
    """A Job: as many pods at once as there are completions, and no more than its parallelism."""
    spec: dict[str, Any] = {"template": TEMPLATE}
    parallelism = choose(chance, spec, "parallelism", 0, 1, 2, 5)
    completions = choose(chance, spec, "completions", 0, 1, 3, 9)
    parallelism = 1 if parallelism is None else parallelism
    pods = parallelism if completions is None else min(parallelism, completions)
    return {"apiVersion": "batch/v1", "kind": "Job", "spec": spec}, pods, {"workload": (pods, 1)} if pods else {}


def job_set(chance: random.Random) -> tuple[dict[str, Any], int, dict[str, tuple[int, int]]]:
    """A JobSet: one group, or one for each set of Jobs that are made in one step."""
    exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology"
    labelled = "alpha.jobset.sigs.k8s.io/node-selector"
    order = chance.choice([None, "AnyOrder", "InOrder"])
    top = {name: "x" for name in (exclusive, labelled) if chance.random() < 0.3}
    jobs = []
    stages: dict[str, tuple[str, int, int]] = {}
    total = 0
    for index in range(chance.randint(0, 4)):
        inner: dict[str, Any] = {"template": TEMPLATE}
        own = {name: "x" for name in (exclusive, labelled) if chance.random() < 0.2}
        entry: dict[str, Any] = {"name": f"r{index}", "template": {"metadata": {"annotations": own}, "spec": inner}}
        parallelism = choose(chance, inner, "parallelism", 0, 1, 2, 3)
        completions = choose(chance, inner, "completions", 1, 2, 5)
        replicas = choose(chance, entry, "replicas", 0, 1, 2, 3)
        replicas = 1 if replicas is None else replicas
        parallelism = 1 if parallelism is None else parallelism
        each = parallelism if completions is None else min(parallelism, completions)
        waits = []
        if order != "InOrder" and index and chance.random() < 0.3:
            waits = [{"name": f"r{chance.randrange(index)}", "status": chance.choice(["Ready", "Complete"])}]
            entry["dependsOn"] = waits
        jobs.append(entry)
        placed = exclusive in own or exclusive in top
        free = set(own) == {exclusive, labelled} or set(top) == {exclusive, labelled}
        least = replicas * (min(1, each) if placed and not free else each)
        total += replicas * each
        stage = entry["name"] if order == "InOrder" else json.dumps(waits)
        first, pods, sum_of_least = stages.get(stage, (entry["name"], 0, 0))
        stages[stage] = (first, pods + replicas * each, sum_of_least + least)
    whole = order != "InOrder" and set(stages) <= {"[]"}
    groups = {
        "workload" if whole else f"stage/{first}": (pods, least) for first, pods, least in stages.values() if pods
    }
    workload = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"annotations": top},
        "spec": {"replicatedJobs": jobs, "startupPolicy": {"startupPolicyOrder": order}},
    }
    return workload, total, groups


def leader_worker_set(chance: random.Random) -> tuple[dict[str, Any], int, dict[str, tuple[int, int]]]:
    """A LeaderWorkerSet: a group for each leader, which may have to be up before its workers are made."""
    spec: dict[str, Any] = {"leaderWorkerTemplate": {"workerTemplate": TEMPLATE}}
    replicas = choose(chance, spec, "replicas", 0, 1, 3)
    size = choose(chance, spec["leaderWorkerTemplate"], "size", 1, 2, 4)
    startup = choose(chance, spec, "startupPolicy", "LeaderCreated", "LeaderReady")
    replicas = 1 if replicas is None else replicas
    size = 1 if size is None else size
    annotations = {"leaderworkerset.sigs.k8s.io/exclusive-topology": "zone"} if chance.random() < 0.2 else {}
    least = 1 if startup == "LeaderReady" or annotations else size
    workload = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"annotations": annotations},
        "spec": spec,
    }
    return workload, replicas * size, {f"group/{index}": (size, least) for index in range(replicas)}


def ray_cluster(chance: random.Random) -> tuple[dict[str, Any], int, dict[str, tuple[int, int]]]:
    """A RayCluster: a head, and groups that are held between their bounds."""
    spec: dict[str, Any] = {"headGroupSpec": {"template": TEMPLATE}, "workerGroupSpecs": []}
    autoscaling = choose(chance, spec, "enableInTreeAutoscaling", True, False)  # noqa: FBT003 - a value
    pods, least = 1, 1
    for index in range(chance.randint(0, 3)):
        group: dict[str, Any] = {"groupName": f"g{index}", "template": TEMPLATE}
        spec["workerGroupSpecs"].append(group)
        wanted = choose(chance, group, "replicas", 0, 1, 5)
        lowest = choose(chance, group, "minReplicas", 0, 2) or 0
        highest = choose(chance, group, "maxReplicas", 3) or 2147483647
        hosts = choose(chance, group, "numOfHosts", 1, 2) or 1
        suspended = choose(chance, group, "suspend", True, False)  # noqa: FBT003 - a value
        replicas = 0 if suspended else min(max(wanted or 0, lowest), highest)
        pods += replicas * hosts
        least += (min(lowest, replicas) if autoscaling else replicas) * hosts
    version = chance.choice(["v1", "v1alpha1"])
    return {"apiVersion": f"ray.io/{version}", "kind": "RayCluster", "spec": spec}, pods, {"workload": (pods, least)}


def pytorch_job(chance: random.Random) -> tuple[dict[str, Any], int, dict[str, tuple[int, int]]]:
    """A PyTorchJob: an elastic one starts with as few nodes as it may have, its master among them."""
    roles: dict[str, Any] = {}
    spec: dict[str, Any] = {"pytorchReplicaSpecs": roles}
    master = chance.random() < 0.6
    if master:
        roles["Master"] = {"template": TEMPLATE}
        choose(chance, roles["Master"], "replicas", 1)
    workers, least = 0, None
    if chance.random() < 0.7:
        roles["Worker"] = {"template": TEMPLATE}
        given = choose(chance, roles["Worker"], "replicas", 0, 1, 4)
        workers = 1 if given is None else given
        if chance.random() < 0.5:
            spec["elasticPolicy"] = {}
            lowest = choose(chance, spec["elasticPolicy"], "minReplicas", 1, 2)
            highest = choose(chance, spec["elasticPolicy"], "maxReplicas", 4)
            least = lowest or highest or workers
    pods = master + workers
    needed = pods if least is None else master + min(workers, max(0, least - master))
    stated = chance.choice([None, None, 1, 2, 9])
    if stated is not None:
        spec["runPolicy"] = {"schedulingPolicy": {"minAvailable": stated}}
        needed = min(stated, pods)
    workload = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": spec}
    return workload, pods, {"workload": (pods, needed)} if pods else {}


@pytest.mark.parametrize("kind", [job, job_set, leader_worker_set, ray_cluster, pytorch_job])
def test_a_random_object_has_the_pods_and_groups_that_its_controller_makes(kind: Any) -> None:  # noqa: ANN401
    for seed in range(300):
        workload, pods, groups = kind(random.Random(seed))
        workload.setdefault("metadata", {})["name"] = "x"
        document = Catalog.builtin().read(workload).to_dict()
        assert document["totals"]["pods"] == pods, seed
        found = document.get("gang", {}).get("groups", [])
        assert {group["id"]: (group["pods"], group["minMember"]) for group in found} == groups, seed

"""Kubernetes itself: a Workload, and a PodGroup for each group (k8s.io/api, scheduling.k8s.io).

The API was made anew in each release: v1alpha1 is that of Kubernetes 1.35, v1alpha2 of 1.36, v1alpha3 and v1beta1 of
1.37. A cluster serves one of them, and only if its feature gates say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.canonical import dumps
from workloadmap_spec.schedulers.model import Rendering, Values, bind
from workloadmap_spec.schedulers.names import labels, object_names
from workloadmap_spec.schedulers.shapes import (
    has_own_topology,
    implies_subgroups,
    is_whole,
    known_groups,
    metadata,
    parts,
    pod_priority,
    priority_of,
    tell_lost_parts,
    tell_lost_subgroups,
    tell_no_topology,
    tell_unused,
)
from workloadmap_spec.schedulers.trees import Node, UnsaidError, named, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workloadmap_spec.schedulers.model import Binding, Gang, Group, Options

_API: Final = "scheduling.k8s.io"
#: The versions of the API, the default first.
VERSIONS: Final = (f"{_API}/v1beta1", f"{_API}/v1alpha3", f"{_API}/v1alpha2", f"{_API}/v1alpha1")

_FIRST: Final = f"{_API}/v1alpha1"
_SECOND: Final = f"{_API}/v1alpha2"
#: The only one with groups of groups.
_WITH_TREES: Final = f"{_API}/v1alpha3"

#: Where all templates of a Workload must agree on it (`validateWorkloadPriority` in pkg/apis/scheduling/validation).
_WITH_ONE_PRIORITY: Final = VERSIONS[:2]

#: Templates of one list (`maxItems` of the API), and levels of groups.
_MAX_TEMPLATES: Final = 8
_MAX_DEPTH: Final = 4
_NAME: Final = "the scheduler of Kubernetes"


def render(gang: Gang, options: Options) -> Rendering:
    """The Workload and its PodGroups, and how pods are bound to them: by a field of their spec.

    Groups that are alike, as those of the replicas of a LeaderWorkerSet, share a template. A group with parts of their
    own needs a CompositePodGroup, which only v1alpha3 has.
    """
    version = options.version or VERSIONS[0]
    rendering = Rendering()
    tell_unused(rendering, _NAME, options, "queue", "topology", "scheduler", "prebuilt")
    groups = list(known_groups(gang, rendering))
    for group in groups:
        _tell_other_schedulers(group, rendering)
    if version in _WITH_ONE_PRIORITY and len({priority_of(group, options) for group in groups}) > 1:
        text = f"a Workload of {version} has one priority class for all of its groups, and these have several"
        rendering.tell("error", text, cure="give one for all: --priority-class NAME")
        return rendering
    templates = {group.id: _template(group, version, options, rendering) for group in groups}
    trees = {group.id: _tree(group, version, rendering) for group in groups}
    names = _template_names(groups, templates, trees)
    if any(trees.values()):
        roots = [(_root(group, trees[group.id]), names[group.id]) for group in groups]
        _trees(gang, roots, options, rendering)
        return rendering
    listed = {names[group.id]: templates[group.id] for group in groups}
    if len(listed) > _MAX_TEMPLATES:
        _tell_too_many(len(listed), version, rendering)
        return rendering
    if not listed:
        return rendering
    field = "podGroups" if version == _FIRST else "podGroupTemplates"
    rendering.objects.append(
        _workload(gang, version, {field: [{"name": name, **template} for name, template in listed.items()]})
    )
    # Unlike the name of an object, a key has no dots.
    keys = dict(zip(names, labels([group.label for group in groups]), strict=True))
    for group in groups:
        if version == _FIRST:
            is_shared = list(names.values()).count(names[group.id]) > 1
            # Groups that share an entry are told apart by a key.
            key = {"podGroupReplicaKey": keys[group.id]} if is_shared else {}
            fields: dict[str, Any] = {"workloadRef": {"name": gang.workload["name"], "podGroup": names[group.id]} | key}
        else:
            fields = {"schedulingGroup": {"podGroupName": group.label}}
            rendering.objects.append(_pod_group(gang, version, group.label, names[group.id], templates[group.id]))
        for member in group.members:
            priority = pod_priority(group, member, options) if version == _FIRST else {}
            rendering.bindings.append(bind(group, member, Values(spec=fields | priority)))
    return rendering


def _tell_other_schedulers(group: Group, rendering: Rendering) -> None:
    """Warn where pods name a scheduler that need not read these groups."""
    specs: list[Any] = [(member.place.template or {}).get("spec") or {} for member in group.members]
    named = dict.fromkeys(spec.get("schedulerName") for spec in specs)
    others = [str(name) for name in named if name not in (None, "", "default-scheduler")]
    if others:
        rendering.tell(
            "warning",
            f"its pods name the scheduler {', '.join(others)}, which need not know of these groups",
            group,
            "leave `schedulerName` out of the templates",
        )


def _tell_too_many(count: int, version: str, rendering: Rendering) -> None:
    """A Workload that cannot be."""
    rendering.tell(
        "error",
        f"a Workload of {version} has at most {_MAX_TEMPLATES} templates, and its groups need {count}",
        cure="ask for fewer groups that differ",
    )


def _workload(gang: Gang, version: str, templates: Mapping[str, Any]) -> dict[str, Any]:
    """The Workload, named as what it is made for."""
    workload = gang.workload
    group = workload["apiVersion"].rpartition("/")[0]
    reference = ({"apiGroup": group} if group else {}) | {"kind": workload["kind"], "name": workload["name"]}
    spec = {"controllerRef": reference, **templates}
    return {"apiVersion": version, "kind": "Workload", "metadata": metadata(gang, gang.name), "spec": spec}


def _pod_group(gang: Gang, version: str, name: str, template: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A PodGroup: it repeats what its template says, which is what the scheduler reads."""
    reference: dict[str, Any] = {"workloadRef": {"workloadName": gang.name, "templateName": template}}
    if version == _SECOND:
        reference = {"podGroupTemplateRef": {"workload": {"workloadName": gang.name, "podGroupTemplateName": template}}}
    spec = {**reference, **values}
    return {"apiVersion": version, "kind": "PodGroup", "metadata": metadata(gang, name), "spec": spec}


def _policy(minimum: int, count: str = "minCount") -> dict[str, Any]:
    """A policy: of nothing that must come together, the pods are placed one by one."""
    return {"gang": {count: minimum}} if minimum else {"basic": {}}


def _template(group: Group, version: str, options: Options, rendering: Rendering) -> dict[str, Any]:
    """What a template says of a group, but for its name."""
    policy = _policy(group.minimum or 0)
    if version == _FIRST:
        tell_no_topology(group, rendering, f"{_NAME} ({_FIRST})")
        return {"policy": policy}
    return {"schedulingPolicy": policy} | _priority(group, options) | _constraints(group, rendering)


def _priority(group: Group, options: Options) -> dict[str, Any]:
    """The priority class of a group; that of its pods is not looked at."""
    priority = priority_of(group, options)
    return {} if priority is None else {"priorityClassName": priority}


def _constraints(group: Group, rendering: Rendering) -> dict[str, Any]:
    """The one topology key that a group may have; all its pods must lie in one domain of it."""
    if "preferred" in group.topology:
        key = group.topology["preferred"]
        rendering.tell("warning", f"{_NAME} has no preferred topology in its groups: {key} is left out", group)
    if "required" not in group.topology:
        return {}
    return {"schedulingConstraints": {"topology": [{"key": group.topology["required"]}]}}


def _template_names(
    groups: Sequence[Group],
    templates: Mapping[str, Mapping[str, Any]],
    trees: Mapping[str, tuple[Node, ...]],
) -> dict[str, str]:
    """The name of each group's template: that of the gang entry where all its groups are alike, or else its own."""
    alike: dict[str, set[str]] = {}
    for group in groups:
        alike.setdefault(group.name, set()).add(dumps([templates[group.id], _outline(trees[group.id])]))
    texts = [group.name if len(alike[group.name]) == 1 else group.id for group in groups]
    return dict(zip((group.id for group in groups), labels(texts), strict=True))


def _outline(nodes: Sequence[Node]) -> list[Any]:
    """All that templates say of nodes."""
    return [
        [node.text, node.minimum, dict(node.subgroup.topology) if node.subgroup else {}, _outline(node.below)]
        for node in nodes
    ]


# Trees


def _tree(group: Group, version: str, rendering: Rendering) -> tuple[Node, ...]:
    """The parts of a group that must be told apart; none if there are none, or this version cannot; that is told."""
    has_parts = bool(parts(group)) and not is_whole(group)
    is_plain = implies_subgroups(group, with_parts=False) and not has_own_topology(group)
    if is_plain and not has_parts:
        tell_lost_parts(group, rendering, _NAME)
        return ()
    if version == _WITH_TREES:
        try:
            nodes = tree(group)
        except UnsaidError:
            nodes = ()
        if nodes and _fits(_needed(nodes)):
            return nodes
        if nodes:
            limits = f"{_MAX_TEMPLATES} templates in a list and {_MAX_DEPTH} levels"
            rendering.tell("warning", f"its parts are left out: the API takes at most {limits}", group)
    cure = None if version == _WITH_TREES else f"groups of groups are in {_WITH_TREES}: --api-version v1alpha3"
    tell_lost_parts(group, rendering, f"{_NAME} ({version})", cure)
    tell_lost_subgroups(group, rendering, f"{_NAME} ({version})", with_parts=False)
    return ()


def _fits(nodes: tuple[Node, ...], depth: int = 2) -> bool:
    """Whether a tree is within the limits of the API; its root is the first level."""
    composites = sum(bool(node.below) for node in nodes)
    return (
        max(composites, len(nodes) - composites) <= _MAX_TEMPLATES
        and depth <= _MAX_DEPTH
        and all(_fits(node.below, depth + 1) for node in nodes if node.below)
    )


def _root(group: Group, nodes: tuple[Node, ...]) -> Node:
    """The node of a whole group, with the parts of which something is needed."""
    below = _needed(nodes or (Node(group.name, group.minimum or 0, group, group.members),))
    return Node(group.name, len(below), group, below=below, subgroup=group)


def _needed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes of which something is needed: of others nobody knows whether they count as complete from the start."""
    found = []
    for node in nodes:
        below = _needed(node.below)
        if node.below and below:
            found.append(replace(node, minimum=min(node.minimum, len(below)), below=below))
        elif not node.below and node.minimum:
            found.append(node)
    return tuple(found)


def _trees(gang: Gang, groups: Sequence[tuple[Node, str]], options: Options, rendering: Rendering) -> None:
    """The Workload, CompositePodGroups and PodGroups of groups, each a node with the name of its template.

    A Workload has composite templates or plain ones, and not both, so that a group without parts is one of one part.
    """
    roots = []
    for node, name in groups:
        if node.below:
            roots.append((node, name))
        else:
            rendering.tell("note", "it needs no pods, so there is nothing to wait for and no group", node.group)
    names = _names(roots)
    templates: dict[str, dict[str, Any]] = {}
    branches = []
    for node, name in roots:
        branch = _Branch(gang, names, _priority(node.group, options), rendering)
        templates[name] = branch.composite(node, None)
        branches.append(branch)
    if len(templates) > _MAX_TEMPLATES:
        _tell_too_many(len(templates), _WITH_TREES, rendering)
    elif templates:
        rendering.objects.append(_workload(gang, _WITH_TREES, {"compositePodGroupTemplates": list(templates.values())}))
        for branch in branches:
            rendering.objects += branch.objects
            rendering.bindings += branch.bindings


def _names(roots: Sequence[tuple[Node, str]]) -> dict[int, tuple[str, str]]:
    """The names of the template and of the object of each node, by its identity.

    No other template of the Workload has the one (`validateWorkloadTemplateNamesUniqueness` in
    pkg/apis/scheduling/validation), but that of the same node of a group that is alike.
    """
    found: list[tuple[Node, str, str]] = []

    def walk(node: Node, template: str, name: str) -> None:
        found.append((node, template, name))
        texts = {id(inner): text for text, inner, _above in named(node.below)}
        for inner in node.below:
            # Joined by what no name has, so that they differ where the nodes do.
            walk(inner, f"{template}/{texts[id(inner)]}", f"{name}/{texts[id(inner)]}")

    for node, template in roots:
        walk(node, template, node.group.label)
    templates = labels([template for _node, template, _name in found])
    names = object_names([name for _node, _template, name in found])
    return {id(node): both for (node, *_texts), both in zip(found, zip(templates, names, strict=True), strict=True)}


class _Branch:
    """The templates, objects and bindings of one group, which grow together."""

    def __init__(
        self, gang: Gang, names: Mapping[int, tuple[str, str]], shared: Mapping[str, Any], rendering: Rendering
    ) -> None:
        """Begin with none; `names` are those of `_names`, and `shared` is what all of its groups say."""
        self.gang = gang
        self.names = names
        self.shared = shared
        self.rendering = rendering
        self.objects: list[dict[str, Any]] = []
        self.bindings: list[Binding] = []

    def composite(self, node: Node, above: str | None) -> dict[str, Any]:
        """The template of an inner node, with all below it."""
        template, name = self.names[id(node)]
        values = {"schedulingPolicy": {"gang": {"minGroupCount": node.minimum}}, **self.values(node)}
        reference = {"workloadRef": {"workloadName": self.gang.name, "templateName": template}}
        self.objects.append(
            {
                "apiVersion": _WITH_TREES,
                "kind": "CompositePodGroup",
                "metadata": metadata(self.gang, name),
                "spec": {**_parent(above), **reference, **values},
            }
        )
        below: dict[str, list[dict[str, Any]]] = {}
        for inner in node.below:
            if inner.below:
                below.setdefault("compositePodGroupTemplates", []).append(self.composite(inner, name))
            else:
                below.setdefault("podGroupTemplates", []).append(self.leaf(inner, name))
        return {"name": template, **values, **below}

    def leaf(self, node: Node, above: str) -> dict[str, Any]:
        """The template of a leaf; its pods are bound to its PodGroup."""
        template, name = self.names[id(node)]
        values = {"schedulingPolicy": _policy(node.minimum), **self.values(node)}
        self.objects.append(_pod_group(self.gang, _WITH_TREES, name, template, {**_parent(above), **values}))
        fields = {"schedulingGroup": {"podGroupName": name}}
        self.bindings += [bind(node.group, member, Values(spec=fields)) for member in node.members]
        return {"name": template, **values}

    def values(self, node: Node) -> dict[str, Any]:
        """Priority and topology."""
        constraints = {} if node.subgroup is None else _constraints(node.subgroup, self.rendering)
        return {**self.shared, **constraints}


def _parent(above: str | None) -> dict[str, str]:
    """The group that a group is in."""
    return {} if above is None else {"parentCompositePodGroupName": above}

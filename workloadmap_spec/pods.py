"""Pods (clause S10): which pods are of a workload, and where in its tree each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.limits import MAX_COUNT
from workloadmap_spec.values import FailedError, Scope, as_int, describe, read_string, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.components import Instance, Tree
    from workloadmap_spec.mapping import CompiledMapping, ComponentPods, Field, Selector

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of a label selector: `values` is None for `Exists` and `DoesNotExist`."""

    key: str
    operator: str
    values: frozenset[str] | None

    def holds(self, labels: Mapping[str, Any]) -> bool:
        """Whether a pod's labels meet it; `NotIn` holds for a missing label too (apimachinery, pkg/labels)."""
        value = labels.get(self.key)
        if self.operator == "Exists":
            return self.key in labels
        if self.operator == "DoesNotExist":
            return self.key not in labels
        inside = isinstance(value, str) and self.values is not None and value in self.values
        return inside if self.operator == "In" else not inside

    def __str__(self) -> str:
        """The requirement as a LIST call takes it."""
        if self.values is None:
            return self.key if self.operator == "Exists" else f"!{self.key}"
        listed = ",".join(sorted(self.values))
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={listed}"
        return f"{self.key} {'in' if self.operator == 'In' else 'notin'} ({listed})"


#: Requirements that must all hold; never empty.
LabelSelector = tuple[Requirement, ...]


def namespace_of(metadata: Mapping[str, Any]) -> str:
    """The namespace for comparison: absent or empty is `default` (S2.9)."""
    return metadata.get("namespace") or "default"


def read_selectors(mapping: CompiledMapping, scope: Scope) -> list[LabelSelector]:
    """The selectors of a workload's pods (S10.2); one that matches nothing is left out."""
    found = []
    for selector in mapping.selectors or ():
        try:
            requirements = _from_object(selector, scope) if selector.source else _from_labels(selector, scope)
        except FailedError:
            continue
        if requirements:
            found.append(requirements)
    return found


def _from_labels(selector: Selector, scope: Scope) -> LabelSelector:
    """A selector written as pairs of label and value; empty if a value is absent."""
    requirements = []
    for label, field in selector.labels:
        value = read_string(field.read, scope, field.at)
        if value is None:
            return ()
        requirements.append(Requirement(label, "In", frozenset((value,))))
    return tuple(requirements)


def _from_object(selector: Selector, scope: Scope) -> LabelSelector:
    """A LabelSelector, or a plain map of labels, that the object holds."""
    if selector.source is None:  # pragma: no cover - the caller has looked
        return ()
    at = selector.source.at
    value = selector.source.read(scope)
    if value is ABSENT:
        return ()
    if not isinstance(value, dict):
        raise scope.fail(at, "result-type", f"a label selector is a map, and {describe(value)} was found")
    if not ({"matchLabels", "matchExpressions"} & value.keys()):
        return _plain(value, scope, at)
    labels = value.get("matchLabels", {})
    expressions = value.get("matchExpressions", [])
    if not isinstance(labels, dict) or not isinstance(expressions, list):
        raise scope.fail(at, "result-type", "matchLabels is a map, and matchExpressions a list")
    return (*_plain(labels, scope, at), *(_expression(entry, scope, at) for entry in expressions))


def _plain(labels: Mapping[str, Any], scope: Scope, at: str) -> LabelSelector:
    """Requirements of a plain map of labels."""
    for label, value in labels.items():
        if not isinstance(value, str):
            raise scope.fail(at, "result-type", f"the label {label} needs a string, and has {describe(value)}")
    return tuple(Requirement(label, "In", frozenset((labels[label],))) for label in sorted(labels))


def _expression(entry: object, scope: Scope, at: str) -> Requirement:
    """One of `matchExpressions`."""
    if isinstance(entry, dict):
        key, operator, values = entry.get("key"), entry.get("operator"), entry.get("values", [])
        if isinstance(key, str) and operator in _OPERATORS and isinstance(values, list):
            if operator in ("Exists", "DoesNotExist") and not values:
                return Requirement(key, operator, None)
            if operator in ("In", "NotIn") and values and all(isinstance(value, str) for value in values):
                return Requirement(key, operator, frozenset(values))
    raise scope.fail(
        at, "result-invalid", f"a matchExpressions entry has key, operator and values; found {describe(entry)}"
    )


def tree_selectors(tree: Tree) -> list[LabelSelector]:
    """The selectors of the workloads that a workload embeds (S6.10.3)."""
    return [selector for instance in tree.instances() for selector in instance.selectors or ()]


def matches(selectors: Iterable[LabelSelector], labels: object) -> bool:
    """Whether one of the selectors matches a pod's labels."""
    if not isinstance(labels, dict):
        labels = {}
    return any(all(requirement.holds(labels) for requirement in selector) for selector in selectors)


@dataclass(frozen=True, slots=True)
class Placed:
    """A selected pod: the instances from the outermost to its own with the replica of each, or why it has none."""

    pod: Mapping[str, Any]
    path: tuple[tuple[Instance, int | None], ...]
    index: int | None
    revision: str | None
    reason: str | None


def _view(pod: Mapping[str, Any]) -> dict[str, Any]:
    """A pod as expressions see it: the maps of S3.3.1 are there, empty if absent."""
    metadata = pod.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return {
        **pod,
        "metadata": {"labels": {}, "annotations": {}, **metadata},
        "spec": pod.get("spec", {}),
        "status": pod.get("status", {}),
    }


def pod_key(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Namespace and name, for order and identity."""
    metadata = pod.get("metadata") or {}
    return namespace_of(metadata), str(metadata.get("name", ""))


def place_pods(tree: Tree, selected: Iterable[Mapping[str, Any]]) -> list[Placed]:
    """Where each selected pod is (S10.3 to S10.5), in the order of the map."""
    return [_place(tree, pod) for pod in sorted(selected, key=pod_key)]


def _place(tree: Tree, pod: Mapping[str, Any]) -> Placed:
    """Where one pod is."""
    view = _view(pod)
    claims: list[tuple[tuple[Instance, int | None], ...]] = []
    failed = False
    for instances in tree.roots:
        failed |= _claim(instances, view, (), claims)
    if len(claims) != 1 or failed:
        reason = "error" if failed else "ambiguous" if claims else "unclaimed"
        return Placed(pod, (), None, None, reason)
    path = claims[0]
    leaf = path[-1][0]
    rules = leaf.component.pods
    if rules is None:
        return Placed(pod, path, None, None, None)
    scope = _pod_scope(leaf.scope, view)
    index = _number(rules.index, scope)
    if index is not None and rules.index is not None:
        first = 0 if rules.first_index is None else _first(rules.first_index, scope)
        index = None if first is None else index - first
        if index is not None and first is not None and index < 0:
            scope.report(rules.index.at, "result-invalid", f"the index {index + first} is below the first, {first}")
            index = None
    revision = _inherited_revision(path, view)
    return Placed(pod, path, index, revision, None)


def _first(field: Field, scope: Scope) -> int | None:
    """The first index: 0 if absent, and None if it could not be read, for which no default stands in (S3.4.4)."""
    try:
        value = field.read(scope)
    except FailedError:
        return None
    return 0 if value is ABSENT else _number(field, scope)


def _inherited_revision(path: tuple[tuple[Instance, int | None], ...], view: Mapping[str, Any]) -> str | None:
    """The template revision of a pod, by the innermost component that gives one (S10.5)."""
    for instance, _replica in reversed(path):
        rules = instance.component.pods
        if rules is not None and rules.revision is not None:
            try:
                revision = read_string(rules.revision.read, _pod_scope(instance.scope, view), rules.revision.at)
            except FailedError:
                return None
            if revision is not None:
                return revision
    return None


def _pod_scope(scope: Scope, view: Mapping[str, Any]) -> Scope:
    """The scope of an instance, with a pod in it."""
    return scope.seeing({"pod": view})


def _claim(
    instances: list[Instance],
    view: Mapping[str, Any],
    above: tuple[tuple[Instance, int | None], ...],
    claims: list[tuple[tuple[Instance, int | None], ...]],
) -> bool:
    """Add to `claims` every leaf of one component that a pod belongs to; tells whether a condition failed."""
    claimants, failed = _claimants(instances, view)
    for instance in claimants:
        rules = instance.component.pods
        replica = None
        if rules is not None and rules.replica is not None:
            replica = _number(rules.replica, _pod_scope(instance.scope, view))
        path = (*above, (instance, replica))
        if instance.component.template is not None:
            claims.append(path)
        for nested in instance.children:
            failed |= _claim(nested, view, path, claims)
    return failed


def _claimants(instances: list[Instance], view: Mapping[str, Any]) -> tuple[list[Instance], bool]:
    """The instances of one component that claim a pod, and whether a condition failed for one."""
    rules = instances[0].component.pods if instances else None
    if rules is None and all(instance.selectors is None for instance in instances):
        return instances, False
    try:
        common = rules is not None and rules.instance_is_common and instances[0].selectors is None
        if rules is not None and rules.instance is not None and common:
            # All conditions are the same for every instance: one look tells, and the id names the one.
            if not _claims(instances[0], rules, view):
                return [], False
            wanted = _id(rules.instance, _pod_scope(instances[0].scope, view))
            return [instance for instance in instances if instance.id == wanted], False
    except FailedError:
        return [], True
    found: list[Instance] = []
    failed = False
    for instance in instances:
        try:
            if _claims(instance, rules, view):
                found.append(instance)
        except FailedError:
            failed = True
    return found, failed


def _id(field: Field, scope: Scope) -> str | None:
    """The instance id that a pod names, or None."""
    value = field.read(scope)
    if type(value) is int:
        return str(value)
    return value if type(value) is str else None


def _claims(instance: Instance, rules: ComponentPods | None, view: Mapping[str, Any]) -> bool:
    """Whether an instance claims a pod (S10.3); what embeds a workload claims what that selects (S6.10.3)."""
    if instance.selectors is not None and not matches(instance.selectors, view["metadata"]["labels"]):
        return False
    if rules is None:
        return True
    scope = _pod_scope(instance.scope, view)
    if rules.match_labels:
        labels = view["metadata"]["labels"]
        for label, field in rules.match_labels:
            wanted = field.read(scope)
            if wanted is ABSENT or not isinstance(labels, dict) or not same(labels.get(label), wanted):
                return False
    if rules.match is not None and not rules.match.holds(scope):
        return False
    if rules.instance is None or rules.instance_is_common:
        return True
    return _id(rules.instance, scope) == instance.id


def _number(field: Field | None, scope: Scope) -> int | None:
    """A replica or an index: a number, or decimal digits; anything else is a diagnostic, and None (S10.5)."""
    if field is None:
        return None
    try:
        value = field.read(scope)
    except FailedError:
        return None
    if value is ABSENT:
        return None
    number = as_int(value)
    if number is None:
        scope.report(field.at, "result-type", f"decimal digits are wanted, and {describe(value)} was found")
    elif not 0 <= number <= MAX_COUNT:
        scope.report(field.at, "result-invalid", f"a number from 0 is wanted, and {number} was found")
        number = None
    return number


def pod_document(placed: Placed) -> dict[str, Any]:
    """A pod's entry in `pods` or `unattributed` of the map (S10.4 to S10.6), without its group."""
    metadata = placed.pod.get("metadata") or {}
    entry: dict[str, Any] = {"name": metadata.get("name", "")}
    if metadata.get("namespace"):
        entry["namespace"] = metadata["namespace"]
    if placed.reason is not None:
        entry["reason"] = placed.reason
        return entry
    entry["at"] = [
        {"component": instance.component.name, "instance": instance.id}
        | ({} if replica is None else {"replica": replica})
        for instance, replica in placed.path
    ]
    if placed.index is not None:
        entry["index"] = placed.index
    if placed.revision is not None:
        entry["revision"] = placed.revision
    status = placed.pod.get("status")
    status = status if isinstance(status, dict) else {}
    if isinstance(status.get("phase"), str) and status["phase"]:
        entry["phase"] = status["phase"]
    entry["ready"] = _is_ready(status)
    if "deletionTimestamp" in metadata:
        entry["deleting"] = True
    spec = placed.pod.get("spec")
    node = spec.get("nodeName") if isinstance(spec, dict) else None
    if isinstance(node, str) and node:
        entry["node"] = node
    return entry


def _is_ready(status: Mapping[str, Any]) -> bool:
    """Whether a pod's condition `Ready` is `True`."""
    conditions = status.get("conditions")
    if not isinstance(conditions, list):
        return False
    return any(
        isinstance(condition, dict) and condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in conditions
    )

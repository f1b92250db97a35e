"""Makes pods for a workload, labelled as its controller would, as far as its mapping tells the labels."""

from __future__ import annotations

import re
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import Catalog
from workloadmap_spec.cel import ABSENT
from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.errors import InputError
from workloadmap_spec.pods import read_selectors
from workloadmap_spec.pointer import PointerError, resolve
from workloadmap_spec.read import read_parts
from workloadmap_spec.values import FailedError, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.components import Instance
    from workloadmap_spec.mapping import CompiledMapping, ComponentPods, Field
    from workloadmap_spec.pods import LabelSelector
    from workloadmap_spec.values import Scope

#: As many as are needed to see that they are told apart; a workload may ask for thousands.
PODS_PER_INSTANCE: Final = 2

#: Expressions that are a label, and conditions that want one.
_LABEL: Final = re.compile(r'pod\.metadata\.labels\["([^"]+)"\]')
_LABEL_IS: Final = re.compile(rf'{_LABEL.pattern} == "([^"]+)"')

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")

#: Any time will do, as long as it is the same in each run.
_SINCE: Final = "2026-01-01T00:00:00Z"


def make_pods(workload: dict[str, Any]) -> list[dict[str, Any]]:
    """Some pods for each part of a workload, as it is on the server; none if it does not tell by which labels.

    All are ready but the last, which is pending if there are others.
    """
    catalog = Catalog.builtin()
    if not catalog.pod_selectors(workload):
        return []
    session = Session(Diagnostics(), catalog.find, None)
    mapping = catalog.find(workload["apiVersion"], workload["kind"])
    parts = read_parts(mapping, workload, session)
    selectors = read_selectors(mapping, parts.scope)
    metadata = workload["metadata"]
    pods: list[dict[str, Any]] = []
    for leaf in parts.tree.leaves:
        labels = _labels(leaf, mapping, selectors)
        for own in _told_apart(leaf, _mapping_of(leaf, mapping)) if labels else ():
            words = f"{workload['kind']} {metadata['name']} {leaf.component.name} {len(pods)}"
            name = _NOT_IN_NAMES.sub("-", words.lower())
            pods.append(_pod(name, metadata["namespace"], {**labels, **own}))
    if len(pods) > 1:
        pods[-1] = _pending(pods[-1])
    return pods


def _wanted(selectors: list[LabelSelector]) -> dict[str, str]:
    """Labels that the first of some selectors matches."""
    labels: dict[str, str] = {}
    for requirement in selectors[0] if selectors else ():
        if requirement.operator == "In" and requirement.values:
            labels[requirement.key] = min(requirement.values)
        elif requirement.operator == "Exists":
            labels[requirement.key] = ""
    return labels


def _labels(leaf: Instance, mapping: CompiledMapping, selectors: list[LabelSelector]) -> dict[str, str]:
    """Labels that say of which instance a pod is, and of which of those around it, in the first replica of each.

    They are none where the pods of an embedded workload are not found by labels.
    """
    # The controller of an embedded workload makes its pods, and knows nothing of the labels of what embeds it.
    embedded = [link.selectors for link in leaf.chain if link.selectors is not None]
    labels = _wanted(embedded[-1] if embedded else selectors)
    for link in leaf.chain if labels else ():
        rules = link.component.pods
        if rules is None:
            continue
        own = _mapping_of(link, mapping)
        for label, field in rules.match_labels:
            if isinstance(value := _value(field, link.scope), str):
                labels[label] = value
        if rules.match is not None:
            labels |= dict(_LABEL_IS.findall(str(_text(own, rules.match.at))))
        labels |= _label(own, rules.instance, link.id) | _label(own, rules.replica, "0")
    return labels


def _told_apart(leaf: Instance, mapping: CompiledMapping) -> Iterator[dict[str, str]]:
    """For some pods of an instance, the labels that tell them apart."""
    rules = leaf.component.pods
    if leaf.pods == 0:
        return
    replicas, each = (1 if count is None else count for count in (leaf.replicas, leaf.pods_per_replica))
    if rules is None or rules.replica is None:
        replicas, each = 1, replicas * each
    for replica, index in islice(product(range(replicas), range(each)), PODS_PER_INSTANCE):
        yield {} if rules is None else _numbers(leaf, mapping, rules, replica, index)


def _numbers(
    leaf: Instance, mapping: CompiledMapping, rules: ComponentPods, replica: int, index: int
) -> dict[str, str]:
    """The labels with a pod's replica and its index there."""
    first = None if rules.first_index is None else _value(rules.first_index, leaf.scope)
    number = index + (first if isinstance(first, int) else 0)
    return _label(mapping, rules.replica, str(replica)) | _label(mapping, rules.index, str(number))


def _mapping_of(instance: Instance, mapping: CompiledMapping) -> CompiledMapping:
    """The mapping that an instance's component is written in: that of the workload, or of one that is embedded."""
    inner = [link.inner for link in instance.chain[:-1] if link.inner is not None]
    return inner[-1] if inner else mapping


def _label(mapping: CompiledMapping, field: Field | None, value: str) -> dict[str, str]:
    """The label that a field of a mapping reads, with a value; nothing if it reads more than one label."""
    found = None if field is None else _LABEL.fullmatch(str(_text(mapping, field.at)))
    return {} if found is None else {found[1]: value}


def _text(mapping: CompiledMapping, at: str) -> object:
    """What stands in a mapping at a place."""
    try:
        return resolve(mapping.document, at)
    except PointerError:
        return None


def _value(field: Field, scope: Scope) -> object:
    """The value of a field of a mapping, or None."""
    try:
        value = field.read(scope)
    except (FailedError, InputError):
        return None
    return None if value is ABSENT else value


def _pod(name: str, namespace: str, labels: dict[str, str]) -> dict[str, Any]:
    """A pod that runs and is ready."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"nodeName": "node-1", "containers": [{"name": "main", "image": "example.org/main:1"}]},
        "status": {"phase": "Running", "startTime": _SINCE, "conditions": _conditions("True", "PodScheduled", "Ready")},
    }


def _pending(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod before it has a node."""
    spec = {name: value for name, value in pod["spec"].items() if name != "nodeName"}
    return {**pod, "spec": spec, "status": {"phase": "Pending", "conditions": _conditions("False", "PodScheduled")}}


def _conditions(status: str, *types: str) -> list[dict[str, str]]:
    """Conditions of a status."""
    return [{"type": name, "status": status, "lastTransitionTime": _SINCE} for name in types]

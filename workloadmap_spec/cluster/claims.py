"""Which pods workloads select: a filter that a list of all pods runs through, so that the others take no memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.pods import namespace_of
from workloadmap_spec.read import check_workload, pod_selectors
from workloadmap_spec.values import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.pods import LabelSelector


class Claims:
    """The label selectors of workloads, by namespace and by a label that a pod must have."""

    def __init__(self) -> None:
        """Begin with none."""
        self._by_label: dict[tuple[str, str, str], list[LabelSelector]] = {}
        self._others: dict[str, list[LabelSelector]] = {}
        #: Namespace and selector as a LIST call takes it, each once, in order.
        self.asked: dict[tuple[str, str], None] = {}

    def add(self, namespace: str, selectors: Iterable[LabelSelector]) -> None:
        """Add the selectors of a workload."""
        for selector in selectors:
            key = (namespace, ",".join(map(str, selector)))
            if key in self.asked:
                continue
            self.asked[key] = None
            for requirement in selector:
                if requirement.operator == "In" and requirement.values is not None and len(requirement.values) == 1:
                    (value,) = requirement.values
                    self._by_label.setdefault((namespace, requirement.key, value), []).append(selector)
                    break
            else:
                self._others.setdefault(namespace, []).append(selector)

    def claims(self, pod: Mapping[str, Any]) -> bool:
        """Whether a workload selects a pod."""
        metadata = pod.get("metadata")
        if not isinstance(metadata, dict):
            return False
        labels = metadata.get("labels")
        labels = labels if isinstance(labels, dict) else {}
        namespace = namespace_of(metadata)
        by_label = self._by_label
        candidates = [by_label[namespace, *pair] for pair in labels.items() if (namespace, *pair) in by_label]
        if namespace in self._others:
            candidates.append(self._others[namespace])
        return any(all(part.holds(labels) for part in selector) for found in candidates for selector in found)


def selectors_of(
    catalog: Catalog, workload: object, given: Iterable[Mapping[str, Any]]
) -> tuple[str, list[LabelSelector]]:
    """The namespace of a workload and the label selectors of its pods; none if it cannot be read.

    What is wrong with it is told when it is read.

    Args:
        catalog: The mappings.
        workload: The object, after the data rules.
        given: The objects that it refers to.
    """
    try:
        checked = check_workload(workload)
        mapping = catalog.find(checked["apiVersion"], checked["kind"])
        session = Session(Diagnostics(), catalog.find, tuple(dict(entry) for entry in given))
        return namespace_of(checked.get("metadata", {})), pod_selectors(mapping, checked, session)
    except WorkloadMapError:
        return "", []

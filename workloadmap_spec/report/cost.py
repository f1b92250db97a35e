"""What workloads cost per hour: what their pods request, at the prices of the nodes that they are on.

A pod costs what it reserves from when it has a node until it ends, so a pending pod without a node costs nothing yet.
Where no pods are given, the pods that are wanted are priced instead, and nothing is if the workload is at rest. What
has no price, or cannot be counted, is told: the sum is then a lower bound. Sums are exact, and rounded in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.pods import pod_key
from workloadmap_spec.quantities import parse
from workloadmap_spec.resources import Amounts, pod_resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workloadmap_spec.report.prices import Prices, Tariff

#: Digits behind the point of a cost.
_DIGITS: Final = 6
#: Phases of a pod in which it holds nothing any more (core/v1: `PodPhase`).
_ENDED: Final = ("Failed", "Succeeded")


@dataclass(slots=True)
class _Sum:
    """A sum on its way: by resource, and what could not be priced, each with the reason."""

    resources: dict[str, Fraction] = field(default_factory=dict)
    unknown: dict[tuple[str, str], None] = field(default_factory=dict)

    def add(self, amounts: Amounts, tariff: Tariff, times: int = 1) -> None:
        """Add what amounts of resources cost."""
        for name, amount in amounts.items():
            price = tariff.prices.get(name)
            if price is not None:
                self.resources[name] = self.resources.get(name, Fraction(0)) + price.of(amount) * times
            elif amount.nano:
                self.miss(name, "it has no price")

    def miss(self, what: str, reason: str) -> None:
        """Note what could not be priced."""
        self.unknown[what, reason] = None

    def join(self, other: _Sum) -> None:
        """Add another sum."""
        for name, amount in other.resources.items():
            self.resources[name] = self.resources.get(name, Fraction(0)) + amount
        self.unknown |= other.unknown

    def told(self, basis: str) -> dict[str, Any]:
        """The sum as it stands in a report."""
        entry: dict[str, Any] = {"basis": basis, "perHour": _decimal(sum(self.resources.values(), Fraction(0)))}
        if self.resources:
            entry["resources"] = {name: _decimal(amount) for name, amount in sorted(self.resources.items())}
        if self.unknown:
            entry["unknown"] = [{"what": what, "reason": reason} for what, reason in sorted(self.unknown)]
        return entry


def _decimal(amount: Fraction) -> str:
    """A cost as decimal digits, rounded to the nearest, without zeros at the end."""
    scaled = round(amount * 10**_DIGITS)
    whole, part = divmod(scaled, 10**_DIGITS)
    return f"{whole}.{part:0{_DIGITS}}".rstrip("0").rstrip(".")


class Costs:
    """What pods and workloads cost, by prices, and by the pods and nodes that are given."""

    def __init__(
        self,
        prices: Prices,
        pods: Mapping[tuple[str, str], Mapping[str, Any]] | None,
        nodes: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Keep them.

        Args:
            prices: The prices.
            pods: All pods, by namespace and name; if they are not known, what is wanted is priced.
            nodes: The nodes that are given, by name.
        """
        self._prices = prices
        self._pods = pods
        self._nodes = nodes
        self._priced: dict[tuple[str, str], _Sum] = {}
        #: The sums before they were rounded, by the cost that tells them, for sums of sums.
        self._exact: dict[int, tuple[dict[str, Any], _Sum]] = {}

    def of_instance(
        self, instance: Mapping[str, Any], pods: Iterable[Mapping[str, Any]] | None, *, is_at_rest: bool
    ) -> dict[str, Any]:
        """The cost of an instance.

        Args:
            instance: It, as in a map.
            pods: Those of its pods that were found, each with name and namespace; None if it cannot have any yet.
            is_at_rest: Whether its workload wants no pods now.
        """
        if self._pods is not None and pods is not None:
            return self._of_pods(map(_key, pods))
        result = _Sum()
        self._wanted(instance, result, is_at_rest=is_at_rest)
        if "pods" not in instance and not is_at_rest:
            result.miss("replicas", "how many pods are wanted is not known")
        return self._keep(result, "desired")

    def of_workload(
        self, document: Mapping[str, Any], pods: Iterable[tuple[str, str]] | None, *, is_at_rest: bool
    ) -> dict[str, Any]:
        """The cost of a workload.

        Args:
            document: Its map.
            pods: The keys of all pods of it and of its parts; None if it cannot have any yet.
            is_at_rest: Whether it wants no pods now.
        """
        if self._pods is not None and pods is not None:
            return self._of_pods(pods)
        result = _Sum()
        for instance in _instances(document.get("components", ())):
            self._wanted(instance, result, is_at_rest=is_at_rest)
        for entry in () if is_at_rest else document["totals"].get("incomplete", ()):
            result.miss(entry["what"], entry["reason"])
        return self._keep(result, "desired")

    def total(self, costs: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The sum of costs that were given here before."""
        result = _Sum()
        for cost in costs:
            result.join(self._exact[id(cost)][1])
        return self._keep(result, "desired" if self._pods is None else "pods")

    def _keep(self, result: _Sum, basis: str) -> dict[str, Any]:
        """Tell a sum, and remember it before it is rounded."""
        told = result.told(basis)
        self._exact[id(told)] = told, result
        return told

    def _of_pods(self, keys: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """The cost of pods that were found."""
        result = _Sum()
        for key in keys:
            if key not in self._priced:
                self._priced[key] = self._of_pod((self._pods or {}).get(key, {}))
            result.join(self._priced[key])
        return self._keep(result, "pods")

    def _of_pod(self, pod: Mapping[str, Any]) -> _Sum:
        """What a pod costs."""
        result = _Sum()
        spec = pod.get("spec")
        status = pod.get("status")
        node = spec.get("nodeName") if isinstance(spec, dict) else None
        if not isinstance(spec, dict) or not node or (isinstance(status, dict) and status.get("phase") in _ENDED):
            return result
        labels: Any = {}
        if self._prices.ask_for_nodes:
            if node not in self._nodes:
                result.miss("node", "that of a pod was not given, and its labels decide on the price")
                return result
            labels = self._nodes[node].get("metadata", {}).get("labels")
        tariff = self._prices.find(labels if isinstance(labels, dict) else {})
        if tariff is None:
            result.miss("node", "no entry of the prices fits the labels of that of a pod")
            return result
        try:
            result.add(pod_resources(spec).requests, tariff)
        except WorkloadMapError as error:
            result.miss("resources", f"those of a pod cannot be read: {error.message}")
        return result

    def _wanted(self, instance: Mapping[str, Any], result: _Sum, *, is_at_rest: bool) -> None:
        """Add what the pods cost that an instance wants; labels that its template asks of a node are known."""
        if is_at_rest or "podTemplate" not in instance or "pods" not in instance:
            return
        selector = instance["podTemplate"].get("spec", {}).get("nodeSelector")
        tariff = self._prices.find(selector if isinstance(selector, dict) else {})
        if tariff is None:
            if instance["pods"]:
                result.miss("node", "no entry of the prices fits what is known of that of a pod that is wanted")
            return
        requests = instance.get("resources", {}).get("perPod", {}).get("requests", {})
        result.add({name: parse(text) for name, text in requests.items()}, tariff, instance["pods"])


def _key(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Namespace and name of a pod's entry."""
    return pod_key({"metadata": pod})


def _instances(components: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """All instances of components, with those below them."""
    for component in components:
        for instance in component["instances"]:
            yield instance
            yield from _instances(instance.get("components", ()))

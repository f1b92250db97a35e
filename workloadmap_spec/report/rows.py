"""A report as rows of equal shape: one for each workload, component or instance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.quantities import Quantity, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: What rows are about, from the whole to the part.
Level = Literal["workload", "component", "instance"]
LEVELS: Final = ("workload", "component", "instance")


@dataclass(frozen=True, slots=True)
class Row:
    """One row. What is not known is None, and what is known in part is a lower bound, as `exact` says."""

    level: Level
    workload: Mapping[str, Any]
    #: How many workloads it is a part of.
    depth: int
    desired: int | None
    minimum: int | None
    ready: int | None
    found: int | None
    requests: Mapping[str, Quantity]
    limits: Mapping[str, Quantity]
    #: Whether nothing is missing in `desired`, and in `requests` and `limits`.
    exact: bool
    #: Cost per hour as decimal digits, and whether nothing is missing in it.
    cost: str | None
    cost_is_exact: bool
    #: The components from the outermost to this one, joined by slashes; empty in a row of a workload.
    component: str = ""
    #: The instances likewise.
    instance: str = ""
    role: str = ""
    #: How many instances are put together in a row of a component.
    instances: int = field(default=1)


def rows(report: Mapping[str, Any], level: Level) -> Iterator[Row]:
    """The rows of a report, in its order: each workload, and behind it its components or instances if wanted."""
    depths: list[int] = []
    for workload in report["workloads"]:
        parent = workload.get("parent")
        depth = 0 if parent is None else depths[parent] + 1
        depths.append(depth)
        yield _workload_row(workload, depth)
        leaves = [instance for instance in workload.get("instances", ()) if "pods" in instance]
        if level == "component":
            yield from _component_rows(workload, depth, leaves)
        elif level == "instance":
            yield from (_instance_row(workload, depth, instance) for instance in leaves)


def _workload_row(workload: Mapping[str, Any], depth: int) -> Row:
    """The row of a workload."""
    pods = workload["pods"]
    resources = workload.get("resources", {})
    cost = workload.get("cost", {})
    return Row(
        level="workload",
        workload=workload,
        depth=depth,
        desired=pods.get("desired"),
        minimum=pods.get("minimum"),
        ready=pods.get("ready"),
        found=pods.get("found"),
        requests=_amounts(resources.get("requests", {})),
        limits=_limits(resources),
        exact="incomplete" not in workload,
        cost=cost.get("perHour"),
        cost_is_exact="unknown" not in cost,
    )


def _instance_row(workload: Mapping[str, Any], depth: int, instance: Mapping[str, Any]) -> Row:
    """The row of an instance."""
    pods = instance["pods"]
    total = instance.get("resources", {}).get("total", {})
    cost = instance.get("cost", {})
    return Row(
        level="instance",
        workload=workload,
        depth=depth,
        desired=pods.get("desired"),
        minimum=pods.get("minimum"),
        ready=pods.get("ready"),
        found=pods.get("found"),
        requests=_amounts(total.get("requests", {})),
        limits=_limits(total),
        exact="desired" in pods,
        cost=cost.get("perHour"),
        cost_is_exact="unknown" not in cost,
        component=component_path(instance),
        instance="/".join(step["instance"] for step in instance["path"]),
        role=instance.get("role", ""),
    )


def component_path(instance: Mapping[str, Any]) -> str:
    """The components from the outermost to that of an instance, joined by slashes."""
    return "/".join(step["component"] for step in instance["path"])


def _component_rows(workload: Mapping[str, Any], depth: int, leaves: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """The rows of components: their instances together."""
    together: dict[str, list[Row]] = {}
    for instance in leaves:
        row = _instance_row(workload, depth, instance)
        together.setdefault(row.component, []).append(row)
    for component, parts in together.items():
        roles = {row.role for row in parts}
        costs = [row.cost for row in parts]
        yield Row(
            level="component",
            workload=workload,
            depth=depth,
            desired=_sum([row.desired for row in parts]),
            minimum=_sum([row.minimum for row in parts]),
            ready=_sum([row.ready for row in parts]),
            found=_sum([row.found for row in parts]),
            requests=_sum_amounts([row.requests for row in parts]),
            limits=_common(_sum_amounts([row.limits for row in parts]), parts),
            exact=all(row.exact for row in parts),
            cost=None if None in costs else add_decimals([cost for cost in costs if cost is not None]),
            cost_is_exact=all(row.cost_is_exact for row in parts),
            component=component,
            role=roles.pop() if len(roles) == 1 else "",
            instances=len(parts),
        )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """A sum, which is not known if a part of it is not."""
    numbers = list(numbers)
    return None if None in numbers else sum(number for number in numbers if number is not None)


def add_decimals(texts: Iterable[str]) -> str:
    """The exact sum of numbers that are decimal digits."""
    from decimal import Context, Decimal  # noqa: PLC0415 - only costs are added so

    total = Decimal(0)
    exact = Context(prec=100)
    for text in texts:
        total = exact.add(total, Decimal(text))
    told = format(total, "f")
    return told.rstrip("0").rstrip(".") if "." in told else told


def _amounts(texts: Mapping[str, str]) -> dict[str, Quantity]:
    """Quantities from their texts."""
    return {name: parse(text) for name, text in texts.items()}


def _limits(resources: Mapping[str, Any]) -> dict[str, Quantity]:
    """The limits that are bounds: without what a container may use as much of as there is."""
    limits = _amounts(resources.get("limits", {}))
    for name in resources.get("unlimited", ()):
        limits.pop(name, None)
    return limits


def _sum_amounts(parts: Iterable[Mapping[str, Quantity]]) -> dict[str, Quantity]:
    """Amounts together, by name."""
    total: dict[str, Quantity] = {}
    for amounts in parts:
        for name, amount in amounts.items():
            total[name] = total[name] + amount if name in total else amount
    return total


def _common(limits: dict[str, Quantity], parts: Iterable[Row]) -> dict[str, Quantity]:
    """Limits that bound all parts: cpu and its like only if each part that may have pods has one.

    Of a device, whose name has a slash, a pod has none that it does not state.
    """
    present = [row for row in parts if row.desired != 0]
    return {
        name: amount for name, amount in limits.items() if "/" in name or all(name in row.limits for row in present)
    }

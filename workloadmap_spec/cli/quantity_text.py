"""Resources for people: one table of requests and limits, per pod and in total."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import Style, clean
from workloadmap_spec.cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workloadmap_spec.map_parts import Part

_BINARY: Final = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_BINARY_QUANTITY: Final = re.compile(r"([0-9]{5,})(Ki|Mi|Gi|Ti|Pi)")
_MILLI_QUANTITY: Final = re.compile(r"([0-9]+)([0-9]{3})m")
_NOTHING: Final = "-"

#: Resources that a container without a limit may use without end. Of any other it has none that it does not state
#: (kubelet and scheduler know extended resources and huge pages by their limits alone).
_UNBOUNDED: Final = ("cpu", "ephemeral-storage", "memory")


def readable(quantity: str) -> str:
    """A canonical quantity in the form that reads best, where that form is exact.

    `4500m` is `4.5`, and `25088Mi`, which nobody would write, `24.5Gi`.
    """
    if match := _MILLI_QUANTITY.fullmatch(quantity):
        return f"{match[1]}.{match[2]}".rstrip("0").rstrip(".")
    if match := _BINARY_QUANTITY.fullmatch(quantity):
        tenths, rest = divmod(int(match[1]) * 10, 1024)
        if not rest:
            return f"{tenths // 10}.{tenths % 10}".removesuffix(".0") + _BINARY[_BINARY.index(match[2]) + 1]
    return quantity


def _order(name: str) -> tuple[int, str]:
    """The order of resources: what costs most stands where people look first."""
    if name in ("cpu", "memory"):
        return 0, name
    return (1 if "/" in name else 2), name


def resource_rows(parts: Iterable[Part], totals: Mapping[str, Any], style: Style) -> list[list[str]]:
    """The rows of the table, the head first; empty if no instance asks for anything.

    An instance has a row for one pod and, if it has several, one for all of them; the last row is the workload's.
    """
    leaves = [part for part in parts if "resources" in part.instance]
    names = sorted({name for part in leaves for name in _names(part.instance["resources"]["perPod"])}, key=_order)
    if not names:
        return []
    head = ["Resources", style.paint("request / limit", "dim"), *(style.paint(clean(name), "bold") for name in names)]
    head[0] = style.paint(head[0], "bold")
    rows: list[tuple[list[str], Mapping[str, Any]]] = []
    for part in leaves:
        resources, pods = part.instance["resources"], part.instance.get("pods")
        rows.append(([f"  {clean(part.label)}", "1 pod" if pods == 1 else "each pod"], resources["perPod"]))
        if "total" in resources and pods != 1:
            rows.append((["", counted(pods, "pod")], resources["total"]))
    if len(leaves) > 1:
        label = "  total, at least" if "incomplete" in totals else "  total"
        rows.append(([label, counted(totals["pods"], "pod")], totals.get("resources", {})))
    columns = [_column([resources for _, resources in rows], name) for name in names]
    return [head, *([*titles, *(column[index] for column in columns)] for index, (titles, _) in enumerate(rows))]


def _names(resources: Mapping[str, Any]) -> set[str]:
    """The names of resources that are asked for or limited."""
    return {*resources.get("requests", {}), *resources.get("limits", {})}


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """Request and limit of one resource in every row; a limit that does not bind all containers is none."""
    pairs = []
    for resources in rows:
        limit = resources.get("limits", {}).get(name)
        if name in _UNBOUNDED and name in resources.get("unlimited", ()):
            limit = None
        pairs.append((resources.get("requests", {}).get(name), limit))
    return [
        _NOTHING
        if pair == (None, None)
        else " / ".join(_NOTHING if quantity is None else readable(quantity) for quantity in pair)
        for pair in pairs
    ]

"""The forms of a report for spreadsheets and documents: CSV and Markdown."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.report.rows import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workloadmap_spec.quantities import Quantity
    from workloadmap_spec.report.rows import Level, Row

_COLUMNS: Final = (
    "level",
    "kind",
    "apiVersion",
    "namespace",
    "name",
    "uid",
    "parent",
    "component",
    "instance",
    "role",
    "phase",
    "reason",
    "stale",
    "created",
    "desired",
    "minimum",
    "ready",
    "found",
    "exact",
)
#: Beginnings of a cell that make a formula of it in a spreadsheet; a name in a cluster may be anybody's.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_NANO: Final = 10**9


def to_csv(report: Mapping[str, Any], level: Level) -> str:
    """The report as CSV (RFC 4180), with a head.

    Amounts are decimal numbers in base units, as Prometheus has them: cores, bytes and pieces. What is not known is
    empty. `exact` is false where a number is a lower bound.
    """
    found = list(rows(report, level))
    names = resource_names(found)
    head = [*_COLUMNS, *(f"{side}.{name}" for name in names for side in ("requests", "limits"))]
    has_cost = any(row.cost is not None for row in found)
    if has_cost:
        head += ["costPerHour", "costExact"]
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow(head)
    for row in found:
        cells = [_safe(cell) for cell in _told(report, row)]
        for name in names:
            cells += [base_number(side.get(name)) for side in (row.requests, row.limits)]
        if has_cost:
            cells += [row.cost or "", _boolean(value=row.cost_is_exact)]
        writer.writerow(cells)
    return output.getvalue()


def _told(report: Mapping[str, Any], row: Row) -> list[str]:
    """The cells of a row that are not about resources."""
    entry = row.workload
    workload, status = entry["workload"], entry.get("status", {})
    parent = "" if "parent" not in entry else _title(report["workloads"][entry["parent"]]["workload"])
    return [
        row.level,
        workload["kind"],
        workload["apiVersion"],
        workload.get("namespace", ""),
        workload.get("name", ""),
        workload.get("uid", ""),
        parent,
        row.component,
        row.instance,
        row.role,
        status.get("phase", ""),
        status.get("reason", ""),
        _boolean(value=status["stale"]) if "stale" in status else "",
        workload.get("created", ""),
        *("" if number is None else str(number) for number in (row.desired, row.minimum, row.ready, row.found)),
        _boolean(value=row.exact),
    ]


def _title(workload: Mapping[str, Any]) -> str:
    """Kind and name of a workload."""
    return f"{workload['kind']}/{workload.get('name', '')}"


def _boolean(*, value: bool) -> str:
    """A boolean as JSON has it."""
    return "true" if value else "false"


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def base_number(quantity: Quantity | None) -> str:
    """A quantity in its base unit as a decimal number: `500m` is `0.5`, and `1Ki` is `1024`."""
    if quantity is None:
        return ""
    whole, part = divmod(Fraction(quantity.nano), _NANO)
    return f"{whole}.{int(part):09}".rstrip("0").rstrip(".") if part else str(whole)


def resource_names(found: Sequence[Row]) -> list[str]:
    """The names of all resources of rows: cpu and memory first, then devices, then all others."""
    names = {name for row in found for side in (row.requests, row.limits) for name in side}
    return sorted(names, key=lambda name: (0 if name in ("cpu", "memory") else 1 if "/" in name else 2, name))


def to_markdown(head: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table in Markdown (GitHub's), whose cells hold any text.

    Args:
        head: The titles of the columns.
        body: The cells of each row.
        right: The columns that are aligned to the right.
    """
    if not body:
        return ""
    lines = [
        f"| {' | '.join(_escaped(title) for title in head)} |",
        f"| {' | '.join('---:' if column in right else '---' for column in range(len(head)))} |",
    ]
    lines += [f"| {' | '.join(_escaped(cell) for cell in cells)} |" for cells in body]
    return "\n".join([*lines, ""])


def _escaped(cell: str) -> str:
    """A cell in which nothing is markup."""
    text = " ".join(cell.split())
    for character in "\\`*_[]<>|&":
        text = text.replace(character, f"\\{character}")
    return text

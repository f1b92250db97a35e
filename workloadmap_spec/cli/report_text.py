"""A report for people: one table, a line for the whole, and what costs most."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.age import age
from workloadmap_spec.cli.quantity_text import readable
from workloadmap_spec.cli.style import PLAIN, Style, clean
from workloadmap_spec.cli.table import align
from workloadmap_spec.cli.words import counted
from workloadmap_spec.report.formats import resource_names, to_markdown
from workloadmap_spec.report.rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.report.rows import Level, Row

_UNKNOWN: Final = "?"
_NOTHING: Final = "-"
#: What stands before a number that is a lower bound.
_AT_LEAST: Final = ">="


class _Columns:
    """The columns of a report: titles, and the cells of a row."""

    def __init__(self, report: Mapping[str, Any], found: Sequence[Row], style: Style) -> None:
        """Look at which columns there are."""
        self._report = report
        self._style = style
        self._resources = resource_names(found)
        self._has_cost = any(row.cost is not None for row in found)
        self.titles = ["KIND", "NAMESPACE", "NAME", "COMPONENT", "PHASE", "REASON", "READY", "MIN"]
        first = len(self.titles)
        self.titles += [clean(name).upper() for name in self._resources]
        if self._has_cost:
            self.titles.append(f"{clean(report.get('currency', 'COST'))}/H")
        self.right = (6, 7, *range(first, len(self.titles)))
        self.titles.append("AGE")

    def cells(self, row: Row) -> list[str]:
        """The cells of a row."""
        workload = row.workload["workload"]
        status = row.workload.get("status", {})
        is_whole = row.level == "workload"
        indent = "   " * (row.depth - 1) + self._style.glyphs.last if row.depth else ""
        phase = status.get("phase", "")
        cells = [
            indent + clean(workload["kind"]) if is_whole else "",
            clean(workload.get("namespace", "")) if is_whole else "",
            clean(workload.get("name", "")) if is_whole else "",
            "" if is_whole else part_title(row),
            self._style.phase(phase) if is_whole else "",
            clean(status.get("reason", "")) if is_whole else "",
            ready(row),
            _UNKNOWN if row.minimum is None else str(row.minimum),
        ]
        cells += [self._amounts(row, name) for name in self._resources]
        if self._has_cost:
            cells.append(cost(row.cost, is_exact=row.cost_is_exact))
        return [*cells, age(workload.get("created"), self._report["time"]) if is_whole else ""]

    @staticmethod
    def _amounts(row: Row, name: str) -> str:
        """Request and limit of one resource."""
        pair = (row.requests.get(name), row.limits.get(name))
        if pair == (None, None):
            return _NOTHING
        return " / ".join(_NOTHING if amount is None else readable(str(amount)) for amount in pair)


def part_title(row: Row) -> str:
    """The name of a component or an instance, in its place below those around it."""
    if row.level == "component":
        more = f" ({row.instances})" if row.instances > 1 else ""
        return clean(row.component) + more
    components, instances = row.component.split("/"), row.instance.split("/")
    if len(components) != len(instances):  # an id with a slash
        return clean(f"{row.component} {row.instance}")
    return clean(
        "/".join(
            component if component == instance else f"{component}/{instance}"
            for component, instance in zip(components, instances, strict=True)
        )
    )


def ready(row: Row) -> str:
    """Ready and wanted pods: `7/8`, with `?` for what is not known, and `>=` before a lower bound."""
    wanted = _UNKNOWN if row.desired is None else f"{'' if row.exact else _AT_LEAST}{row.desired}"
    return f"{_UNKNOWN if row.ready is None else row.ready}/{wanted}"


def cost(amount: str | None, *, is_exact: bool) -> str:
    """A cost in hundredths, with `>=` before a lower bound; one below a hundredth keeps its digits."""
    if amount is None:
        return _UNKNOWN
    value = Fraction(amount)
    cents = f"{float(round(value, 2)):.2f}"
    return ("" if is_exact else _AT_LEAST) + (amount if value and cents == "0.00" else cents)


def report_table(report: Mapping[str, Any], level: Level, style: Style = PLAIN) -> str:
    """The table of a report, each workload with its parts below it; what all rows lack has no column."""
    titles, body, right = _table(report, level, style)
    return "\n".join([*align([[style.paint(title, "bold") for title in titles], *body], right), ""])


def report_markdown(report: Mapping[str, Any], level: Level) -> str:
    """The same in Markdown."""
    return to_markdown(*_table(report, level, PLAIN))


def _table(report: Mapping[str, Any], level: Level, style: Style) -> tuple[list[str], list[list[str]], list[int]]:
    """Titles, rows, and the columns that are aligned to the right."""
    found = list(rows(report, level))
    columns = _Columns(report, found, style)
    body = [columns.cells(row) for row in found]
    shown = [column for column in range(len(columns.titles)) if any(cells[column] for cells in body)]
    return (
        [columns.titles[column] for column in shown],
        [[cells[column] for column in shown] for cells in body],
        [place for place, column in enumerate(shown) if column in columns.right],
    )


def summary(report: Mapping[str, Any], style: Style, top: int) -> Iterator[str]:
    """Lines about the whole: how many workloads in which phase, their pods and costs, and what costs most."""
    totals = report["totals"]
    phases = ", ".join(
        f"{count} {style.phase(phase) if phase != 'NoStatus' else 'without a status'}"
        for phase, count in totals.get("phases", {}).items()
    )
    pods = totals["pods"]
    exact = "" if "incomplete" not in totals else "at least "
    text = f"{counted(totals['workloads'], 'workload')}: {phases}; {exact}{counted(pods['desired'], 'pod')} wanted"
    if "ready" in pods:
        text += f", {pods['ready']} ready"
    yield text
    if "cost" in totals:
        yield from _costs(report, style, top)


def _costs(report: Mapping[str, Any], style: Style, top: int) -> Iterator[str]:
    """What everything costs, what costs most, and what has no price."""
    total = report["totals"]["cost"]
    currency = clean(report.get("currency", ""))
    text = cost(total["perHour"], is_exact="unknown" not in total)
    yield f"{text} {currency}".rstrip() + " per hour for what the pods request"
    entries = drivers(report)[:top]
    if entries:
        yield ""
        yield style.paint("Largest costs", "bold")
        whole = Fraction(total["perHour"])
        table = [
            [
                f"  {cost(amount, is_exact=True)} {currency}".rstrip(),
                f"{float(Fraction(amount) / whole * 100):.0f} %",
                clean(title),
                clean(part),
            ]
            for amount, title, part in entries
        ]
        yield from align(table, right=(0, 1))
    if "unknown" in total:
        yield ""
        yield style.paint("Without a price", "bold")
        yield from align([[f"  {clean(entry['what'])}", clean(entry["reason"])] for entry in total["unknown"]])


def drivers(report: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What costs anything, the largest first: the amount, the workload, and the instance in it.

    A workload that is a part of another one is not told again, nor are pods that no instance of theirs claims.
    """
    found = []
    for row in rows(report, "instance"):
        if row.level == "instance" and "parent" not in row.workload and row.cost is not None and Fraction(row.cost):
            workload = row.workload["workload"]
            name = "/".join(part for part in (workload.get("namespace"), workload.get("name")) if part)
            found.append((row.cost, f"{workload['kind']} {name}".rstrip(), part_title(row)))
    return sorted(found, key=lambda entry: (-Fraction(entry[0]), entry[1:]))

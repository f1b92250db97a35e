"""The workloads of a cluster for people: a row each, and again when it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.age import age
from workloadmap_spec.cli.quantity_text import readable
from workloadmap_spec.cli.report_text import ready
from workloadmap_spec.cli.style import Style, clean
from workloadmap_spec.cli.table import align, width
from workloadmap_spec.cluster.plurals import plural_of
from workloadmap_spec.report.devices import accelerators
from workloadmap_spec.report.rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.quantities import Quantity
    from workloadmap_spec.report.rows import Row

_GAP: Final = "   "


def names(report: Mapping[str, Any]) -> Iterator[str]:
    """The names of workloads as kubectl takes them: `jobset.jobset.x-k8s.io/demo`."""
    for entry in report["workloads"]:
        workload = entry["workload"]
        group = workload["apiVersion"].rpartition("/")[0]
        kind = f"{workload['kind']}.{group}" if group else workload["kind"]
        yield f"{kind.lower()}/{workload.get('name', '')}"


def table(report: Mapping[str, Any], style: Style, *, is_wide: bool, has_namespaces: bool) -> list[str]:
    """The lines of the table, each workload with its parts below it."""
    columns = _Columns(style, is_wide=is_wide, has_namespaces=has_namespaces)
    cells = [columns.cells(report, row) for row in rows(report, "workload")]
    return align([[style.paint(title, "bold") for title in columns.titles], *cells], columns.right)


class Rows:
    """Rows that were printed, so that only what changes is printed again."""

    def __init__(self, style: Style, *, is_wide: bool, has_namespaces: bool) -> None:
        """Begin with none."""
        self._columns = _Columns(style, is_wide=is_wide, has_namespaces=has_namespaces)
        self._style = style
        self._printed: dict[tuple[str, ...], list[str]] = {}
        self._widths = [len(title) for title in self._columns.titles]
        self._has_head = False

    def changed(self, report: Mapping[str, Any]) -> list[str]:
        """The lines of workloads that are new, have changed or are gone; the head before the first."""
        now = {_key(row): self._columns.cells(report, row) for row in rows(report, "workload")}
        changed = [cells for key, cells in now.items() if self._told(key) != cells[: self._columns.lasting]]
        gone = [self._columns.gone(cells) for key, cells in self._printed.items() if key not in now]
        self._printed = now
        lines = [*changed, *gone]
        if lines and not self._has_head:
            self._has_head = True
            lines.insert(0, [self._style.paint(title, "bold") for title in self._columns.titles])
        return [self._line(cells) for cells in lines]

    def _told(self, key: tuple[str, ...]) -> list[str] | None:
        """What was printed of a workload, without its age, which changes always."""
        cells = self._printed.get(key)
        return None if cells is None else cells[: self._columns.lasting]

    def _line(self, cells: Sequence[str]) -> str:
        """A line whose columns are as wide as any before."""
        self._widths = [max(before, width(cell)) for before, cell in zip(self._widths, cells, strict=True)]
        padded = []
        for column, cell in enumerate(cells):
            space = " " * (self._widths[column] - width(cell))
            padded.append(space + cell if column in self._columns.right else cell + space)
        return _GAP.join(padded).rstrip()


def _key(row: Row) -> tuple[str, ...]:
    """What tells workloads apart."""
    workload = row.workload["workload"]
    return tuple(str(workload.get(name, "")) for name in ("apiVersion", "kind", "namespace", "name", "uid"))


class _Columns:
    """The columns, and the cells of a row."""

    def __init__(self, style: Style, *, is_wide: bool, has_namespaces: bool) -> None:
        """Choose them."""
        self._style = style
        self._is_wide = is_wide
        self._has_namespaces = has_namespaces
        self.titles = ["NAMESPACE"] if has_namespaces else []
        self.titles += ["KIND", "NAME", "PHASE", "REASON", "READY", "ACCELERATORS"]
        ready_column = self.titles.index("READY")
        self.right: tuple[int, ...] = (ready_column,)
        if is_wide:
            self.titles += ["MIN", "CPU", "MEMORY", "COMPONENTS", "OWNER", "MESSAGE"]
            self.right += (ready_column + 2, ready_column + 3, ready_column + 4)
        #: How many columns do not change with time alone.
        self.lasting = len(self.titles)
        self.titles.append("AGE")

    def cells(self, report: Mapping[str, Any], row: Row) -> list[str]:
        """The cells of a workload."""
        workload, status = row.workload["workload"], row.workload.get("status", {})
        indent = "" if not row.depth else "   " * (row.depth - 1) + self._style.glyphs.last
        phase = status.get("phase", "")
        cells = [clean(workload.get("namespace", ""))] if self._has_namespaces else []
        cells += [
            indent + clean(workload["kind"]),
            clean(workload.get("name", "")),
            self._style.phase(phase) + (" (stale)" if status.get("stale") else ""),
            clean(status.get("reason", "")),
            ready(row),
            _devices(row.requests),
        ]
        if self._is_wide:
            cells += self._wide(row)
        return [*cells, age(workload.get("created"), report["time"])]

    def gone(self, cells: Sequence[str]) -> list[str]:
        """The cells of a workload that is no more."""
        place = self.titles.index("PHASE")
        return [*cells[:place], self._style.paint("deleted", "dim"), *("" for _ in cells[place + 1 :])]

    @staticmethod
    def _wide(row: Row) -> list[str]:
        """The cells of the wider table."""
        amounts = [row.requests.get(name) for name in ("cpu", "memory")]
        owner = row.workload.get("owner", {})
        parts = {
            "/".join(step["component"] for step in instance["path"]): None
            for instance in row.workload.get("instances", ())
            if "pods" in instance
        }
        group = owner.get("apiVersion", "").rpartition("/")[0]
        return [
            "?" if row.minimum is None else str(row.minimum),
            *("" if amount is None else readable(str(amount)) for amount in amounts),
            clean(", ".join(parts)),
            clean(f"{plural_of(group, owner['kind'])}/{owner.get('name', '')}") if owner else "",
            clean(row.workload.get("status", {}).get("message", "")),
        ]


def _devices(requests: Mapping[str, Quantity]) -> str:
    """How many accelerators are requested, by the last part of their names."""
    return ", ".join(
        f"{readable(str(amount))} {clean(name.rpartition('/')[2])}" for name, amount in accelerators(requests).items()
    )

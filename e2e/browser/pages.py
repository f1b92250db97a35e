"""Write the pages that the tests of this folder open: `python e2e/browser/pages.py FOLDER`."""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.report_objects import everything, report_of
from tests.test_report_html import make_extremes, make_report
from workloadmap_spec.report.html import page


def main(folder: Path) -> None:
    """Write them, and say how large each is and how long it took."""
    reports = {
        "empty": make_report(0),
        "five": make_report(5, 24),
        "objects": report_of(everything()),
        "some": make_report(60, 12),
        "hostile": make_report(24, 6, hostile=True),
        "extremes": make_extremes(1000),
        "large-workload": make_report(4, 5000),
        "many": make_report(5000, 10),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, report in reports.items():
        began = time.perf_counter()
        text = page(report)
        took = time.perf_counter() - began
        size = (folder / f"{name}.html").write_text(text, encoding="utf-8")
        pods = sum(len(entry.get("podList", ())) for entry in report["workloads"])
        told = f"{len(report['workloads'])} workloads, {pods} pods, {size / 1e6:.2f} MB, {took:.2f} s"
        sys.stdout.write(f"{name}: {told}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

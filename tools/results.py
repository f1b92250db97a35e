"""Run the suite against the readers of this repository, and make `conformance/RESULTS.md` from all reports.

    python tools/results.py --run   run the readers that are here, and keep their reports in conformance/results/
    python tools/results.py         only make the page

A report is kept as it was made, in `conformance/results/NAME/VERSION.json`; one of a narrowed run, or of another suite
than the one here, is refused.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from workloadmap_spec.conformance.suite import load_suite, suite_digest

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "conformance" / "results"
PAGE: Final = ROOT / "conformance" / "RESULTS.md"
READER: Final = [sys.executable, "-m", "workloadmap_spec", "reader"]
JAVASCRIPT: Final = ["node", str(ROOT / "conformance" / "readers" / "javascript" / "reader.js")]

#: The readers here, with the engine of each.
READERS: Final = {
    "its own evaluator": READER,
    "cel-python": [*READER, "--engine", "cel-python"],
    "cel-cpp": [*READER, "--engine", "cel-cpp"],
    "@bufbuild/cel": JAVASCRIPT,
}


def run_readers() -> None:
    """Run the suite against every reader that is installed, and keep the reports."""
    for command in READERS.values():
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed", file=sys.stderr)
            continue
        runner = [sys.executable, "-m", "workloadmap_spec", "conformance", "run", "--format", "json", "--jobs", "2"]
        asked = [*runner, "--variants", "all", "--", *command]
        done = subprocess.run(asked, check=False, stdout=subprocess.PIPE)  # noqa: S603 - our own
        report = json.loads(done.stdout)
        implementation = report["implementation"]
        path = RESULTS / implementation["name"] / f"{implementation['version']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(done.stdout)
        print(f"{implementation['name']}: {report['totals']['passed']} of {len(report['cases'])}")


def render(reports: list[dict[str, Any]]) -> str:
    """The page: a row for each profile, a column for each reader."""
    names = [report["implementation"]["name"] for report in reports]
    rows: dict[str, dict[str, str]] = {}
    for report in reports:
        for profile in report["profiles"]:
            counts = profile["required"]
            text = f"{counts['passed']}/{sum(counts.values())}" + (
                "" if profile["verdict"] == "pass" else " **partial**"
            )
            rows.setdefault(profile["name"], {})[report["implementation"]["name"]] = text
    versions = [f"{report['implementation']['version']}, {report['implementation']['language']}" for report in reports]
    suite = reports[0]["suite"]
    lines = [
        "# Results",
        "",
        f"Suite {suite['version']} of {suite['specVersion']}, each case asked in other words too (`--variants all`).",
        "Made by `make results` from the reports in [`results`](results).",
        "",
        f"| profile | {' | '.join(f'`{name}`' for name in names)} |",
        f"| --- |{' ---: |' * len(names)}",
        f"| version, language | {' | '.join(versions)} |",
        *(f"| `{row}` | {' | '.join(cells.get(name, '-') for name in names)} |" for row, cells in rows.items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run if asked to, and make the page."""
    if "--run" in sys.argv[1:]:
        run_readers()
    digest = suite_digest(load_suite())
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*/*.json"))]
    for report in reports:
        name = report["implementation"]["name"]
        if report["run"]["narrowed"] or not report.get("complete") or report["suite"]["digest"] != digest:
            print(f"the report of {name} is of another suite or of a narrowed run; `make results`", file=sys.stderr)
            return 1
    PAGE.write_text(render(reports), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

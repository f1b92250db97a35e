"""Run the suite against the readers of this repository, and make `conformance/RESULTS.md` from all reports.

    python tools/results.py --run   run the readers that are here, and keep their reports in conformance/results/
    python tools/results.py         only make the page

A report is kept as it was made, in `conformance/results/NAME/VERSION.json`. One of a part of the suite, one of another
suite than the one here, and a second one of a reader and version are refused.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel.witness import ENGINES
from workloadmap_spec.conformance.suite import load_suite, suite_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloadmap_spec.conformance.suite import SuiteCase

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "conformance" / "results"
PAGE: Final = ROOT / "conformance" / "RESULTS.md"
READER: Final = [sys.executable, "-m", "workloadmap_spec", "reader"]
JAVASCRIPT: Final = ["node", str(ROOT / "conformance" / "readers" / "javascript" / "reader.js")]

#: The readers here: ours with each engine, and the second one.
READERS: Final = [*([*READER, "--engine", engine] for engine in ENGINES), JAVASCRIPT]


def run_readers() -> None:
    """Run the suite against every reader that is installed, and keep the reports."""
    for command in READERS:
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed", file=sys.stderr)
            continue
        runner = [sys.executable, "-m", "workloadmap_spec", "conformance", "run", "--format", "json", "--jobs", "2"]
        asked = [*runner, "--variants", "all", "--", *command]
        done = subprocess.run(asked, check=False, stdout=subprocess.PIPE)  # noqa: S603 - our own
        if not done.stdout:
            print(f"{' '.join(command)} does not start", file=sys.stderr)
            continue
        report = json.loads(done.stdout)
        implementation = report["implementation"]
        path = RESULTS / implementation["name"] / f"{implementation['version']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(done.stdout)
        print(f"{implementation['name']}: {report['totals']['passed']} of {len(report['cases'])}")


def problem(reports: dict[Path, dict[str, Any]], digest: str) -> str | None:
    """Why no page can be made of reports; None if it can."""
    seen: dict[tuple[str, str], Path] = {}
    for path, report in reports.items():
        where = path.relative_to(RESULTS)
        if not report.get("complete"):
            return f"{where}: the report is cut off"
        if report["run"]["narrowed"]:
            return f"{where}: the report is of a part of what the reader claims"
        if report["suite"]["digest"] != digest:
            return f"{where}: the report is of another suite; `make results` makes those of the readers here anew"
        first = seen.setdefault(_key(report), path)
        if first is not path:
            return f"{where}: {first.relative_to(RESULTS)} is of the same reader and version; remove one of the two"
    return None if reports else f"there is no report in {RESULTS}"


def _key(report: dict[str, Any]) -> tuple[str, str]:
    """Which reader a report is of."""
    return report["implementation"]["name"], report["implementation"]["version"]


def render(reports: list[dict[str, Any]], suite: Sequence[SuiteCase]) -> str:
    """The page: a row for each profile, a column for each reader."""
    rows: dict[str, dict[tuple[str, str], str]] = {}
    for report in reports:
        for profile in report["profiles"]:
            mark = "" if profile["verdict"] == "pass" else f" **{profile['verdict']}**"
            rows.setdefault(profile["name"], {})[_key(report)] = _count(profile["required"]) + mark
    rows["all"] = {_key(report): _count(report["totals"]) for report in reports}
    versions = [f"{report['implementation']['version']}, {report['implementation']['language']}" for report in reports]
    engine = sum(case.profile != "catalog" for case in suite)
    head = reports[0]["suite"]
    lines = [
        "# Results",
        "",
        f"Suite {head['version']} of {head['specVersion']}: {len(suite)} cases,",
        f"{engine} of what a reader must do and {len(suite) - engine} of the catalogue.",
        "Each case is asked in other words too (`--variants all`).",
        "Made by `make results` from the reports in [`results`](results).",
        "",
        f"| profile | {' | '.join(f'`{name}`' for name, _ in map(_key, reports))} |",
        f"| --- |{' ---: |' * len(reports)}",
        f"| version, language | {' | '.join(versions)} |",
        *(
            f"| `{row}` | {' | '.join(cells.get(_key(report), '-') for report in reports)} |"
            for row, cells in rows.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def _count(counts: dict[str, int]) -> str:
    """How many cases passed, and of how many."""
    return f"{counts['passed']}/{sum(counts.values())}"


def main() -> int:
    """Run if asked to, and make the page."""
    if "--run" in sys.argv[1:]:
        run_readers()
    suite = load_suite()
    reports = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.rglob("*.json"))}
    wrong = problem(reports, suite_digest(suite))
    if wrong is not None:
        print(wrong, file=sys.stderr)
        return 1
    PAGE.write_text(render(list(reports.values()), suite), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

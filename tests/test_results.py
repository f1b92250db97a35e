"""The page of results: counts of every reader, and no report that does not belong on it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.conformance.suite import load_suite, suite_digest
from workloadmap_spec.files import cases_root

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
SUITE = load_suite([cases_root() / "engine" / "core" / "resolve"])


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool, with few cases and a folder of its own."""
    spec = importlib.util.spec_from_file_location("results", ROOT / "tools" / "results.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(module, "PAGE", tmp_path / "RESULTS.md")
    monkeypatch.setattr(module, "load_suite", lambda: SUITE)
    monkeypatch.setattr("sys.argv", ["results.py"])
    return module


def report(name: str, version: str = "1", failed: int = 0, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A report of a reader."""
    counts = {"passed": len(SUITE) - failed, "failed": failed, "errored": 0, "expectedFailed": 0, "notRun": 0}
    verdict = "fail" if failed else "pass"
    made: dict[str, Any] = {
        "suite": {"version": "1.0.0", "specVersion": "v1alpha1", "digest": suite_digest(SUITE)},
        "implementation": {"name": name, "version": version, "language": "rust"},
        "run": {"narrowed": False},
        "profiles": [{"name": "core", "verdict": verdict, "required": {**counts, "skipped": 0}}],
        "totals": counts,
        "complete": True,
    }
    return made | changes


def put(tool: ModuleType, **reports: dict[str, Any]) -> None:
    """Keep reports."""
    for name, content in reports.items():
        path = tool.RESULTS / name / "1.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")


def test_the_page_has_the_counts_of_every_reader(tool: ModuleType) -> None:
    """Two versions of one reader are two columns."""
    put(tool, a=report("acme"), b=report("acme", "2", failed=1), c=report("other"))
    assert tool.main() == 0
    lines = tool.PAGE.read_text(encoding="utf-8").splitlines()
    n = len(SUITE)
    assert f"Suite 1.0.0 of v1alpha1: {n} cases," in lines
    assert lines[-5:] == [
        "| profile | `acme` | `acme` | `other` |",
        "| --- | ---: | ---: | ---: |",
        "| version, language | 1, rust | 2, rust | 1, rust |",
        f"| `core` | {n}/{n} | {n - 1}/{n} **fail** | {n}/{n} |",
        f"| `all` | {n}/{n} | {n - 1}/{n} | {n}/{n} |",
    ]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (report("acme"), "b/1.json: a/1.json is of the same reader and version; remove one of the two"),
        (report("other", run={"narrowed": True}), "b/1.json: the report is of a part of what the reader claims"),
        (report("other", complete=False), "b/1.json: the report is cut off"),
        (report("other", suite={"digest": "sha256:0"}), "b/1.json: the report is of another suite"),
    ],
    ids=["twice", "part", "cut", "other-suite"],
)
def test_a_report_that_does_not_belong_there_is_refused(
    tool: ModuleType, capsys: pytest.CaptureFixture[str], second: dict[str, Any], message: str
) -> None:
    put(tool, a=report("acme"), b=second)
    assert tool.main() == 1
    assert capsys.readouterr().err.startswith(message)
    assert not tool.PAGE.exists()


def test_a_page_of_nothing_is_not_made(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main() == 1
    assert "there is no report in" in capsys.readouterr().err

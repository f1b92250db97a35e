"""The suite as lines of JSON: the same cases as in YAML, the same bytes each time, and no line that was changed."""

from __future__ import annotations

import hashlib
import json
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import whole_suite
from workloadmap_spec.cases import CaseError, load_cases, reference_reader, run_case
from workloadmap_spec.cli import main
from workloadmap_spec.conformance.lines import render_index, render_lines
from workloadmap_spec.conformance.lint import lint
from workloadmap_spec.conformance.suite import load_suite, suite_digest
from workloadmap_spec.files import schema_path

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
SUITE = whole_suite()
TEXT = render_lines(SUITE)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite as a file of lines."""
    path = tmp_path_factory.mktemp("lines") / "cases.jsonl"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_lines_and_yaml_give_the_same_cases(file: Path) -> None:
    """As they are written, as they are put, and with the same digests."""
    for ours, theirs in zip(SUITE, load_suite([file]), strict=True):
        assert ours.case.request == theirs.case.request
        assert json.dumps(ours.request, sort_keys=True) == json.dumps(theirs.request, sort_keys=True), ours.id
        assert (ours.id, ours.case.title, ours.shipped) == (theirs.id, theirs.case.title, theirs.shipped)
        assert ours.digest == theirs.digest
    assert suite_digest(SUITE) == suite_digest(load_suite([file]))


def test_lines_of_lines_are_the_same_lines(file: Path) -> None:
    assert render_lines(reversed(load_suite([file]))) == TEXT


def test_nothing_is_wrong_with_the_suite_as_lines(file: Path) -> None:
    """A line has all that the checks of the cases look at."""
    assert lint(load_suite([file])) == lint(SUITE)


def test_a_line_is_all_that_is_needed() -> None:
    """A program without YAML, without our package and without the mappings can put the cases."""
    assert TEXT.isascii()
    found: list[dict[str, Any]] = [json.loads(line) for line in TEXT.splitlines()]
    assert [line["id"] for line in found] == sorted(case.id for case in SUITE)
    for line, case in zip(found, SUITE, strict=True):
        assert line["request"] == case.request
        assert {"cmd", "specVersion"} <= line["request"].keys()
        assert line["expect"] == case.case.expect
        assert line["profile"] == case.profile
        assert line.get("features", []) == list(case.features)
        assert set(line.get("tags", [])) == case.tags
        assert "shipped" not in line or line["request"]["mappings"]


def test_a_digest_can_be_made_by_others() -> None:
    """Of the request with the id and the expectation, as the README says."""
    line = json.loads(TEXT.splitlines()[-1])
    text = json.dumps(
        line["request"] | {"id": line["id"], "expect": line["expect"]}, sort_keys=True, separators=(",", ":")
    )
    assert line["digest"] == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    index = json.loads(render_index(SUITE))
    assert index["cases"][line["id"]] == line["digest"]
    whole = "\n".join(f"{name} {digest}" for name, digest in sorted(index["cases"].items()))
    assert index["digest"] == suite_digest(SUITE) == f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"


def _put(line: dict[str, Any], *path: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A line with another value at a place."""
    changed: dict[str, Any] = json.loads(json.dumps(line))
    owner = changed
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-1], "this is no line with a case: JSONDecodeError: "),
        (lambda _: "[]", "this is no line with a case: TypeError: "),
        (lambda _: "{}", "this is no line with a case: KeyError: 'id'"),
        (lambda text: json.dumps(_put(json.loads(text), "request", "object", value={})), "its line says another"),
        (lambda text: json.dumps(_put(json.loads(text), "expect", "outcome", value="maybe")), "its line says another"),
        (lambda text: json.dumps(_put(json.loads(text), "id", value="engine/core/other")), "its line says another"),
        (lambda text: json.dumps(_put(json.loads(text), "digest", value=None)), "its line says another"),
    ],
    ids=["cut", "list", "empty", "object", "expectation", "id", "digest"],
)
def test_a_line_that_was_changed_is_found(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    """And the others are still there; the suite is damaged."""
    path = tmp_path / "cases.jsonl"
    lines = TEXT.splitlines()[:3]
    path.write_text("\n".join([lines[0], change(lines[1]), lines[2]]) + "\n", encoding="utf-8")
    cases = load_cases([path])
    assert [bool(case.problems) for case in cases] == [False, True, False]
    assert str(cases[1].problems[0]).startswith(f"{path}:2: ")
    assert message in str(cases[1].problems[0])
    assert "`make release` writes it" in (run_case(cases[1], reference_reader()).error or "")
    assert main(["conformance", "list", "--cases", str(path)]) == 4


def test_the_same_id_twice_is_found(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(TEXT.splitlines()[0] + "\n" + TEXT.splitlines()[0] + "\n", encoding="utf-8")
    first, second = load_cases([path])
    assert not first.problems
    assert "is also in" in str(second.problems[0])


def test_a_suite_with_a_case_that_is_wrong_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "bad.case.yaml").write_text("kind: ConformanceCase\n", encoding="utf-8")
    with pytest.raises(CaseError):
        render_lines(load_suite([tmp_path]))


def test_a_release_is_the_same_bytes_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines, the index, and an archive of the specification: in a process of its own, and in this one."""
    tool = ROOT / "tools" / "release.py"
    command = [sys.executable, str(tool), str(tmp_path / "one")]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    monkeypatch.setattr("sys.argv", [str(tool), str(tmp_path / "two")])
    monkeypatch.setattr("workloadmap_spec.conformance.suite.load_suite", lambda: list(SUITE))
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_path(str(tool), run_name="__main__")
    made = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert made[0] == made[1]
    assert made[0]["cases.jsonl"].decode() == TEXT
    assert made[0]["suite.json"].decode() == render_index(SUITE)
    assert len(made[0]) == 3
    folder = schema_path("SPEC.md").parent
    with tarfile.open(tmp_path / "one" / "workloadmap-v1alpha1.tar.gz") as archive:
        assert archive.getnames() == [f"workloadmap-v1alpha1/{path.name}" for path in sorted(folder.iterdir())]
        for entry in archive:
            file = archive.extractfile(entry)
            assert file is not None
            assert file.read() == (folder / Path(entry.name).name).read_bytes()
            assert (entry.mtime, entry.uid, entry.uname, entry.mode) == (0, 0, "", 0o644)

"""`workloadmap conformance` and `workloadmap reader`, as they are called."""

from __future__ import annotations

import io
import json
import shlex
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.cel.witness import ENGINES
from workloadmap_spec.cli import main, reader
from workloadmap_spec.conformance.suite import load_suite
from workloadmap_spec.conformance.vocabulary import vocabulary
from workloadmap_spec.files import cases_root

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
NOISE = [sys.executable, str(ROOT / "conformance" / "readers" / "noise" / "noise.py")]
WRONG = [sys.executable, str(ROOT / "conformance" / "readers" / "wrong" / "wrong.py")]
READER = [sys.executable, "-m", "workloadmap_spec", "reader"]

#: Few cases, so that each run is short.
CASES = ["--cases", str(cases_root() / "engine" / "core" / "resolve")]
SUITE = load_suite([CASES[1]])


def run(capsys: pytest.CaptureFixture[str], *arguments: str, reader: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a run."""
    code = main(["conformance", "run", "--seed", "1", *arguments, "--", *reader])
    out, err = capsys.readouterr()
    return code, out, err


def test_our_reader_passes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--profile", "core", *CASES, reader=READER)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[1] == ["core", "pass", f"{len(SUITE)}/{len(SUITE)}"]
    assert out.splitlines()[-2].endswith("(seed 1)")
    assert out.splitlines()[-1].startswith("Only a part of what the reader claims was put to it")


def test_the_reader_takes_every_engine_there_is() -> None:
    """Its list stands there once more, since a command is not to load the engines for its help."""
    assert reader._ENGINES == ENGINES  # noqa: SLF001


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_our_reader_passes_with_each_witness(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    """Other engines in the place of our evaluator make no difference.

    The expressions of the catalogue are asked about one by one, in tests/test_witnesses_on_mappings.py.
    """
    profiles = [option for name in vocabulary().profiles if name != "catalog" for option in ("--profile", name)]
    code, out, err = run(capsys, "--jobs", "2", *profiles, reader=[*READER, "--engine", engine])
    assert (code, err) == (0, ""), out


def test_a_wrong_reader_fails_and_is_told_how(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *CASES, "--profile", "core", reader=[*WRONG, "supports-nothing"])
    assert code == 1
    assert f"errored {SUITE[0].id}: unsupported, though the reader claims the profile\n" in out
    asked = f"ask again: workloadmap conformance request {shlex.join(CASES)} {SUITE[0].id} | {shlex.join(WRONG)} "
    assert asked in out
    code, out, _ = run(capsys, *CASES, "--max-failures", "1", reader=[*WRONG, "supports-nothing"])
    assert code == 1
    assert out.count("ask again") == 1
    assert f"and {len(SUITE) - 1} more cases that are not right; `--max-failures {len(SUITE)}` shows all" in out


@pytest.mark.parametrize(
    ("called", "known", "expected"),
    [
        ("bin/workloadmap", True, "workloadmap"),
        ("bin/workloadmap", False, "bin/workloadmap"),
        ("bin/kubectl-workloadmap", False, "kubectl workloadmap"),
        ("workloadmap_spec/__main__.py", False, f"{shlex.quote(sys.executable)} -m workloadmap_spec"),
    ],
    ids=["on-the-path", "by-its-path", "plugin", "module"],
)
def test_what_to_call_again_is_what_was_called(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    called: str,
    known: bool,  # noqa: FBT001 - a parameter of a table
    expected: str,
) -> None:
    """A shell that is given the line finds us."""
    monkeypatch.setattr("shutil.which", lambda _name: str(Path(called).resolve()) if known else None)
    monkeypatch.setattr("sys.argv", [called])
    _, out, _ = run(capsys, *CASES, reader=[*WRONG, "supports-nothing"])
    assert f"ask again: {expected} conformance request --cases " in out


def test_every_form_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    outputs = [f"--output={form}={tmp_path / form}" for form in ("human", "json", "junit", "markdown")]
    code, out, _ = run(capsys, *CASES, "--profile", "core", "--format", "json", *outputs, reader=READER)
    assert code == 0
    report = json.loads(out)
    assert report["complete"]
    assert json.loads((tmp_path / "json").read_text(encoding="utf-8")) == report
    assert len(list(ET.parse(tmp_path / "junit").iter("testcase"))) == len(SUITE)  # noqa: S314 - our own text
    assert (tmp_path / "markdown").read_text(encoding="utf-8").startswith("## Conformance of workloadmap-spec ")
    assert "PROFILE" in (tmp_path / "human").read_text(encoding="utf-8")


def test_what_fails_now_can_be_listed_and_then_expected(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    listed = str(tmp_path / "known.yaml")
    narrow = [*CASES, "--profile", "core"]
    reader = [*WRONG, "supports-nothing"]
    assert run(capsys, *narrow, "--update-expected-failures", listed, reader=reader)[0] == 1
    code, out, _ = run(capsys, *narrow, "--expected-failures", listed, reader=reader)
    assert (code, out.splitlines()[1].split()[:2]) == (0, ["core", "partial"])
    assert run(capsys, *narrow, "--expected-failures", listed, "--require-pass", reader=reader)[0] == 1
    code, out, err = run(capsys, *narrow, "--expected-failures", listed, "--format", "json", reader=READER)
    assert code == 1
    assert json.loads(out)["totals"]["passed"] == len(SUITE)
    assert err.count("passes; take it off the list") == len(SUITE)


def test_a_case_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *CASES, "--profile", "core", "--skip", SUITE[0].id, reader=READER)
    assert code == 0
    assert out.splitlines()[1].split() == ["core", "partial", f"{len(SUITE) - 1}/{len(SUITE)}", "1"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--profile", "magic", *CASES], 2, "there is no profile `magic`"),
        (["--skip", "engine/core/nothing", *CASES], 2, "there is no case `engine/core/nothing`"),
        (["--max-failures", "-1"], 2, "argument --max-failures: invalid number value: '-1'"),
        (["--jobs", "0"], 2, "argument --jobs: invalid number from 1 to 256 value: '0'"),
        (["--timeout", "61"], 2, "argument --timeout: invalid number of seconds up to 60 value: '61'"),
        (["--output", "html=x"], 2, "argument --output: invalid FORMAT=FILE value: 'html=x'"),
        (["--expected-failures", "nowhere.yaml", *CASES], 2, "nowhere.yaml: the file cannot be read"),
        (["--cases", "nowhere"], 2, "nowhere: there is no such file or folder"),
        (["--profile", "gang", *CASES], 5, "there was no case to run"),
    ],
    ids=["profile", "case", "max-failures", "jobs", "timeout", "output", "list", "cases", "nothing"],
)
def test_a_wrong_command_line_has_its_code(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    found, _, err = run(capsys, *arguments, reader=READER)
    assert found == code
    assert message in err


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (["no-such-program"], "no-such-program cannot be run"),
        ([*NOISE, "future"], "the reader speaks protocol 2"),
        ([sys.executable, "-c", "import sys; sys.exit('no configuration')"], "no configuration"),
    ],
    ids=["missing", "future", "ends"],
)
def test_a_reader_that_does_not_start_has_its_code(
    capsys: pytest.CaptureFixture[str], reader: list[str], message: str
) -> None:
    code, out, err = run(capsys, *CASES, reader=reader)
    assert (code, out) == (3, "")
    assert message in err


def test_a_damaged_suite_has_its_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.case.yaml").write_text("kind: ConformanceCase\n", encoding="utf-8")
    for command in (["list"], ["request", "x"], ["run", "--", *READER]):
        where = ["--cases", str(tmp_path)]
        assert main(["conformance", command[0], *where, *command[1:]]) == 4
        assert "bad.case.yaml" in capsys.readouterr().err


def test_a_fault_of_the_runner_has_its_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("workloadmap_spec.conformance.runner.run_suite", broken)
    code, _, err = run(capsys, *CASES, reader=READER)
    assert code == 6
    assert "this is a fault in the runner: ZeroDivisionError" in err


def test_a_worker_that_fails_ends_the_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("workloadmap_spec.conformance.runner.request_line", broken)
    assert run(capsys, *CASES, "--jobs", "2", reader=READER)[0] == 6


def test_progress_is_told_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert run(capsys, *CASES, "--profile", "core", reader=READER)[0] == 0
    assert f"\r{len(SUITE)}/{len(SUITE)}" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_cases_are_listed_with_profile_and_features(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "list", "--cases", str(cases_root() / "engine" / "core" / "text")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.split()[1:] == ["core", "core.yaml-text"] for line in lines)
    assert main(["conformance", "list", "--profile", "gang", *CASES]) == 5


def test_a_request_can_be_put_by_hand(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["conformance", "request", *CASES, SUITE[0].id]) == 0
    lines = capsys.readouterr().out
    messages = [json.loads(line) for line in lines.splitlines()]
    assert [message["cmd"] for message in messages] == ["hello", "map", "bye"]
    answers = ask(monkeypatch, lines)
    assert [answer.get("id") for answer in answers] == [None, "case"]
    assert main(["conformance", "request", *CASES, "engine/core/nothing"]) == 2


def ask(monkeypatch: pytest.MonkeyPatch, text: str) -> list[dict[str, Any]]:
    """What `workloadmap reader` answers."""
    output = io.BytesIO()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output))
    assert main(["reader"]) == 0
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_the_reader_answers_whatever_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer to each line, and none of them ends it."""
    lines = [
        "no json",
        '{"cmd":"hello","protocol":9}',
        '{"id":"1","cmd":"dance"}',
        '{"id":"2","cmd":"map","object":1}',
        '{"id":"3","cmd":"map"}',
        '{"id":"4","cmd":"validate","mappings":[{}]}',
        '{"id":"5","cmd":"references","mappings":[],"object":{"apiVersion":"v1","kind":"X"}}',
        '{"cmd":"bye"}',
        '{"id":"6","cmd":"map"}',
    ]
    answers = ask(monkeypatch, "\n".join(lines) + "\n")
    assert [answer.get("outcome") for answer in answers] == [
        "internal",
        None,
        "unsupported",
        "rejected",
        "internal",
        "rejected",
        "rejected",
    ]
    assert answers[1] == {"protocol": 1}
    assert answers[3]["error"]["class"] == "input-invalid"
    assert answers[5]["error"]["at"] == ""

"""What the runner makes of readers that misbehave on the wire: the outcome, and that the next case is still put."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.conformance.runner import Options, Result, StartError, run_suite
from workloadmap_spec.conformance.suite import SuiteCase, load_suite
from workloadmap_spec.files import cases_root

if TYPE_CHECKING:
    from collections.abc import Iterator

NOISE = Path(__file__).resolve().parents[1] / "conformance" / "readers" / "noise" / "noise.py"


@pytest.fixture(scope="module")
def cases() -> list[SuiteCase]:
    """Three cases: one fault must not cost the next case."""
    folder = cases_root() / "engine" / "core"
    return [*load_suite([folder / "resolve"])[:2], *load_suite([folder / "text"])[:1]]


def options(name: str, **changes: Any) -> Options:  # noqa: ANN401 - as Options takes
    """How a noise reader is run: none waits for long but those that are to be late."""
    chosen = Options([sys.executable, str(NOISE), name], timeout=20.0, hello_timeout=20.0)
    return replace(chosen, **changes)


def results(cases: list[SuiteCase], name: str, **changes: Any) -> list[Result]:  # noqa: ANN401 - as Options takes
    """The results of a run against a noise reader."""
    run = run_suite(cases, options(name, **changes))
    assert [result.case.id for result in run.results] == sorted(case.id for case in cases)
    return list(run.results)


#: What a reader does, the outcome of every case, and a part of what is said of it.
FAULTS = {
    "well": ("unsupported", None),
    "hang": ("timeout", "no answer within 1 s"),
    "deaf": ("timeout", "no answer within 1 s"),
    "drip": ("timeout", "no answer within 1 s"),
    "exit-early": ("crashed", "exit code 0 before it answered"),
    "die": ("crashed", "ended by signal SIGSEGV"),
    "orphan": ("crashed", "exit code 0 before it answered"),
    "closed": ("crashed", "closed its output and still runs"),
    "prose": ("protocol", "'reading the workload now'; logs belong on the standard error"),
    "blank": ("protocol", "not a line of JSON"),
    "mark": ("protocol", "not a line of JSON"),
    "latin": ("protocol", "it is not UTF-8"),
    "windows": ("unsupported", None),
    "twice": ("protocol", "a second line behind the answer"),
    "stranger": ("protocol", "the answer has the id 'another'"),
    "repeated": ("protocol", "a member is written twice"),
    "not-a-number": ("protocol", "NaN is not JSON"),
    "unknown-member": ("protocol", "the answer has `mood`"),
    "unknown-class": ("protocol", "the error class 'oops' is none of"),
    "split": ("unsupported", None),
    "flood": ("oversize", "more than 16777216 bytes"),
    "chatter": ("unsupported", None),
    "ignores-bye": ("unsupported", None),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_its_outcome_and_the_next_case_is_put(cases: list[SuiteCase], name: str) -> None:
    outcome, message = FAULTS[name]
    slow = outcome in ("timeout", "oversize") or name == "closed"
    few = cases[:1] if slow else cases
    found = results(few, name, timeout=1.0 if outcome == "timeout" else 20.0)
    last = found.pop() if name == "ignores-bye" else None
    assert {result.outcome for result in found} == {outcome}
    assert all(result.verdict == "errored" for result in found)
    for result in found:
        assert message is None or message in (result.message or "")
    if last is not None:
        assert last.outcome == outcome


def test_a_reader_that_ends_after_each_answer_is_started_anew(cases: list[SuiteCase]) -> None:
    """Ending without being asked is a crash, which the next case would see: so that one is asked again and is right."""
    assert {result.outcome for result in results(cases, "exit-after")} <= {"unsupported", "unstable"}


def test_a_crash_that_does_not_come_again_is_unstable(
    cases: list[SuiteCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOISE_ONCE", str(tmp_path / "once"))
    found = results(cases, "exit-once")
    assert sorted(result.outcome for result in found) == ["unstable", "unsupported", "unsupported"]
    unstable = next(result for result in found if result.outcome == "unstable")
    assert unstable.message == "the reader ended with exit code 9 before it answered; asked again, it gave unsupported"


def test_a_second_line_that_comes_late_is_seen(cases: list[SuiteCase]) -> None:
    assert "protocol" in {result.outcome for result in results(cases, "late-twin")}


def test_a_run_gives_up_after_too_many_starts(cases: list[SuiteCase]) -> None:
    run = run_suite(cases, options("exit-early", max_restarts=1))
    assert run.stopped == "the reader had to be started anew 1 times"
    assert [result.verdict for result in run.results].count("not-run") >= 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exit-at-start", "no answer to `hello`: the reader ended with exit code 3 before it answered"),
        ("no-hello", "no answer to `hello`: there was no answer within 1 s"),
        ("hang-at-start", "no answer to `hello`: there was no answer within 1 s"),
        ("prose-hello", "no answer to `hello`: not a line of JSON"),
        ("future", "no answer to `hello`: the reader speaks protocol 2, and this is 1"),
        ("boastful", "no answer to `hello`: there is no profile `teleport`"),
        ("headless", "no answer to `hello`: the profile gang is claimed without core"),
        ("nameless", "no answer to `hello`: `implementation` in the reader's hello needs"),
        ("old", "the reader knows v0, and this suite is of v1alpha1"),
    ],
)
def test_a_reader_that_does_not_begin_well_is_not_run(cases: list[SuiteCase], name: str, message: str) -> None:
    with pytest.raises(StartError) as caught:
        run_suite(cases, options(name, hello_timeout=1.0 if "within 1 s" in message else 20.0))
    assert caught.value.message.startswith(message)


def test_a_program_that_does_not_exist_is_told(cases: list[SuiteCase]) -> None:
    with pytest.raises(StartError, match="no-such-program cannot be run: No such file"):
        run_suite(cases, Options(["no-such-program"]))


def test_each_request_can_have_a_process_of_its_own(cases: list[SuiteCase]) -> None:
    assert {result.outcome for result in results(cases, "well", one_shot=True)} == {"unsupported"}
    assert {result.outcome for result in results(cases, "twice", one_shot=True)} == {"protocol"}
    assert {result.outcome for result in results(cases, "exit-early", one_shot=True)} == {"crashed"}


def test_nothing_that_was_started_is_left_behind(
    cases: list[SuiteCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOISE_MARK", str(tmp_path))
    results(cases[:1], "orphan")
    deadline = time.monotonic() + 10
    while (left := list(sleepers(tmp_path))) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def sleepers(mark: Path) -> Iterator[str]:
    """The processes that the noise reader of this test has started and left; others have another mark, or none."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"NOISE_MARK={mark}".encode() in environment.split(b"\0"):
            yield folder.name

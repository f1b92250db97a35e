"""A run of the suite against a reader: processes are started, asked, restarted, and every case gets one result.

Cases share nothing: they come in an order that the seed decides, each worker has one request in flight, and the results
are put in order at the end. What a reader does wrong costs it the case at hand and never the next one.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.conformance.judge import Judge, Judgement
from workloadmap_spec.conformance.process import MAX_ANSWER, Fault, Process
from workloadmap_spec.conformance.suite import SUITE_VERSION
from workloadmap_spec.conformance.variants import variants
from workloadmap_spec.conformance.vocabulary import PROTOCOL
from workloadmap_spec.conformance.wire import WireError, check_answer, check_hello, dump, parse, quoted
from workloadmap_spec.files import SPEC_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from workloadmap_spec.cases import Difference
    from workloadmap_spec.conformance.suite import SuiteCase

#: Seconds for `hello`.
HELLO_TIMEOUT: Final = 30.0
#: So often a worker starts its process anew before the run gives up.
MAX_RESTARTS: Final = 25
#: Results of a case that is not right: the answer is wrong, or there is none.
FAILED: Final = "failed"
ERRORED: Final = "errored"
PASSED: Final = "passed"
NOT_RUN: Final = "not-run"


class StartError(Exception):
    """The reader cannot be started, or does not speak the protocol; `stderr` is what it wrote there."""

    def __init__(self, message: str, stderr: str = "") -> None:
        """Keep both."""
        super().__init__(message)
        self.message = message
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made."""

    command: Sequence[str]
    jobs: int = 1
    timeout: float = 10.0
    seed: int = 0
    one_shot: bool = False
    variants: bool = False
    #: Profiles to run of those that the reader claims; None for all.
    profiles: frozenset[str] | None = None
    #: So many cases, drawn by the seed; None for all.
    sample: int | None = None
    hello_timeout: float = HELLO_TIMEOUT
    max_restarts: int = MAX_RESTARTS


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case."""

    case: SuiteCase
    #: What the reader did: `ok`, `rejected`, `unsupported`, `internal`, or a fault of `process` and `wire`.
    outcome: str
    #: `passed`, `failed`, `errored` or `not-run`.
    verdict: str
    milliseconds: float = 0.0
    differences: tuple[Difference, ...] = ()
    message: str | None = None
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run."""

    hello: Mapping[str, Any]
    options: Options
    results: Sequence[Result]
    #: Profiles and features that were asked for: claimed, and not left out by the options.
    profiles: tuple[str, ...]
    features: tuple[str, ...]
    started: float
    seconds: float
    #: Why the run ended before its end, if it did.
    stopped: str | None = None


def run_suite(cases: Sequence[SuiteCase], options: Options, progress: Callable[[int, int], None] | None = None) -> Run:
    """Put every case that the reader claims, and give the results in the order of the ids.

    Args:
        cases: The suite.
        options: How.
        progress: Told after each case how many are done, and of how many.

    Raises:
        StartError: The reader cannot be started or does not speak the protocol.
    """
    started, clock = time.time(), time.monotonic()
    hello = _first_hello(options)
    claimed = tuple(hello["profiles"])
    profiles = tuple(name for name in claimed if options.profiles is None or name in options.profiles)
    features = tuple(hello.get("features", ()))
    chosen = [case for case in cases if case.is_selected(profiles, features)]
    Random(options.seed).shuffle(chosen)  # noqa: S311 - an order that can be repeated
    chosen = chosen[: options.sample]
    shared = _Shared(options, Judge(frozenset(claimed)), chosen, progress, _ceiling(hello))
    workers = [threading.Thread(target=_work, args=(shared,), daemon=True) for _ in range(max(1, options.jobs))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if shared.fault is not None:
        raise shared.fault
    for case in chosen:
        shared.results.setdefault(case.id, Result(case, NOT_RUN, NOT_RUN, message=shared.stopped))
    results = [shared.results[identity] for identity in sorted(shared.results)]
    seconds = time.monotonic() - clock
    return Run(hello, options, results, profiles, features, started, seconds, shared.stopped)


def request_line(case: SuiteCase, identity: str, request: Mapping[str, Any] | None = None) -> bytes:
    """The line that puts a case, or a variant of it."""
    return dump({"id": identity, **(case.request if request is None else request)})


def hello_line() -> bytes:
    """The line that begins a conversation."""
    from workloadmap_spec import __version__  # noqa: PLC0415 - the package imports nothing of this

    return dump({"cmd": "hello", "protocol": PROTOCOL, "suite": SUITE_VERSION, "runner": f"workloadmap {__version__}"})


@dataclass
class _Shared:
    """What the workers of a run have in common."""

    options: Options
    judge: Judge
    chosen: Sequence[SuiteCase]
    progress: Callable[[int, int], None] | None
    ceiling: int
    results: dict[str, Result] = field(default_factory=dict)
    stopped: str | None = None
    fault: BaseException | None = None
    waiting: queue.SimpleQueue[SuiteCase] = field(default_factory=queue.SimpleQueue)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Put the cases into the queue."""
        for case in self.chosen:
            self.waiting.put(case)

    def keep(self, result: Result) -> None:
        """Keep a result; a later one of the same case replaces it."""
        with self.lock:
            self.results[result.case.id] = result
            if self.progress is not None:
                self.progress(len(self.results), len(self.chosen))


def _first_hello(options: Options) -> dict[str, Any]:
    """What the reader says of itself, from a process of its own."""
    process = _start(options)
    try:
        message = _hello(process, options)
    finally:
        process.kill()
    if SPEC_VERSION not in message["specVersions"]:
        raise StartError(f"the reader knows {', '.join(message['specVersions'])}, and this suite is of {SPEC_VERSION}")
    return message


def _ceiling(hello: Mapping[str, Any]) -> int:
    """The most bytes of an answer."""
    return min(MAX_ANSWER, int(hello.get("limits", {}).get("maxResponseBytes", MAX_ANSWER)))


def _start(options: Options, ceiling: int = MAX_ANSWER) -> Process:
    """Start the reader."""
    try:
        return Process(options.command, ceiling)
    except OSError as error:
        raise StartError(f"{options.command[0]} cannot be run: {error.strerror or error}") from error


def _hello(process: Process, options: Options) -> dict[str, Any]:
    """Say hello, and check what comes back."""
    try:
        message = parse(process.ask(hello_line(), options.hello_timeout, close=options.one_shot))
        check_hello(message)
    except (Fault, WireError) as error:
        raise StartError(f"no answer to `hello`: {error}", _text(process.stderr)) from error
    return message


class _Worker:
    """One process at a time, and what it was asked last."""

    def __init__(self, shared: _Shared) -> None:
        """Begin without a process."""
        self.shared = shared
        self.options = shared.options
        self.process: Process | None = None
        self.starts = 0
        self.last: SuiteCase | None = None

    def ready(self) -> Process:
        """A process that has said hello."""
        if self.process is None:
            self.process = _start(self.options, self.shared.ceiling)
            self.starts += 1
            if not self.options.one_shot:
                _hello(self.process, self.options)
        return self.process

    def drop(self) -> None:
        """End the process; the next case gets a fresh one."""
        if self.process is not None:
            self.process.kill()
            self.process = None

    def put(self, case: SuiteCase) -> Result:
        """Put a case with all its variants, and judge the answers."""
        result = self.once(case, None)
        if result.outcome == "crashed":
            again = self.once(case, None)
            if again.outcome != "crashed":
                message = f"{result.message}; asked again, it gave {again.outcome}"
                return replace(again, outcome="unstable", verdict=ERRORED, message=message, stderr=result.stderr)
        if self.options.variants and result.verdict == PASSED:
            # Seeded by the case: the same variants, whichever worker has it.
            for name, request in variants(case.request, Random(f"{self.options.seed} {case.id}")):  # noqa: S311
                other = self.once(case, request)
                if other.verdict != PASSED:
                    message = f"{name}: {other.outcome}" + (f": {other.message}" if other.message else "")
                    return replace(other, outcome="unstable", verdict=ERRORED, message=message)
        return result

    def once(self, case: SuiteCase, request: Mapping[str, Any] | None) -> Result:
        """Put a case once."""
        identity = secrets.token_hex(4)
        process = self.ready()
        began = time.monotonic()
        try:
            line = process.ask(request_line(case, identity, request), self.options.timeout, close=self.options.one_shot)
            answer = parse(line)
            check_answer(answer, identity, case.command)
            self.nothing_more(process)
            judgement = self.shared.judge.judge(case, answer)
            outcome = str(answer["outcome"])
        except Fault as fault:
            outcome, judgement = fault.outcome, Judgement(passed=False, message=fault.message)
        except WireError as error:
            outcome, judgement = "protocol", Judgement(passed=False, message=str(error))
        milliseconds = (time.monotonic() - began) * 1000
        verdict = PASSED if judgement.passed else FAILED if outcome in ("ok", "rejected") else ERRORED
        stderr = "" if judgement.passed else _text(process.stderr)
        if self.options.one_shot or outcome not in ("ok", "rejected", "unsupported", "internal"):
            self.drop()
        return Result(case, outcome, verdict, milliseconds, judgement.differences, judgement.message, stderr)

    def nothing_more(self, process: Process) -> None:
        """Refuse a second line behind an answer."""
        excess = process.finish() if self.options.one_shot else process.excess()
        if excess:
            raise WireError(_second_line(excess))

    def close(self) -> None:
        """Say bye; what trails behind the last answer is the last case's fault."""
        process, last = self.process, self.last
        if process is None:
            return
        try:
            excess = process.finish(dump({"cmd": "bye"}))
            message = _second_line(excess) if excess else None
        except Fault as fault:
            message = fault.message
        stderr = _text(process.stderr)
        self.drop()
        if message is not None and last is not None and self.shared.results[last.id].verdict == PASSED:
            self.shared.keep(Result(last, "protocol", ERRORED, message=message, stderr=stderr))


def _work(shared: _Shared) -> None:
    """Take cases until there are none."""
    worker = _Worker(shared)
    try:
        while shared.stopped is None:
            try:
                case = shared.waiting.get_nowait()
            except queue.Empty:
                break
            shared.keep(worker.put(case))
            worker.last = case
            if worker.starts > shared.options.max_restarts and not shared.options.one_shot:
                shared.stopped = f"the reader had to be started anew {shared.options.max_restarts} times"
        worker.close()
    except BaseException as error:  # noqa: BLE001 - it is raised again in the thread of the run
        shared.fault, shared.stopped = error, "the run ended"
    finally:
        worker.drop()


def _second_line(excess: bytes) -> str:
    """What is wrong with bytes behind an answer."""
    return f"a second line behind the answer: {quoted(excess)}"


def _text(stderr: Iterable[int]) -> str:
    """What a reader wrote to its standard error."""
    return bytes(stderr).decode("utf-8", "replace")

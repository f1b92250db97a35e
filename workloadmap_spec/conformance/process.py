"""The process of a reader: one line in, one line out, whatever the process does instead.

Everything a process can do wrong is a `Fault` with the outcome of the suite: it ends, is silent, floods, or leaves
children behind. Each process is the leader of a group of its own, and the whole group is ended.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The ceiling of one answer, in bytes.
MAX_ANSWER: Final = 16 * 1024 * 1024
#: So much of the standard error is kept.
MAX_STDERR: Final = 64 * 1024
#: A process that was told to end has so long, in seconds.
_GRACE: Final = 2.0
#: How often a process that is silent is looked at, in seconds: a child may hold its output open after it has ended.
_POLL: Final = 0.1
_CHUNK: Final = 65536


class Fault(Exception):  # noqa: N818 - the suite calls these faults; an error is what a reader answers
    """A process gave no answer: `outcome` is one of the suite's, `message` says what happened."""

    def __init__(self, outcome: str, message: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.outcome = outcome
        self.message = message


class Process:
    """A reader's process."""

    def __init__(self, command: Sequence[str], max_answer: int = MAX_ANSWER) -> None:
        """Start it.

        Raises:
            OSError: There is no such program, or it cannot be run.
        """
        self.max_answer = max_answer
        self.stderr = bytearray()
        self._buffer = bytearray()
        self._stderr_open = True
        environment = {**os.environ, "WORKLOADMAP_CONFORMANCE": "1"}
        self._process = subprocess.Popen(  # noqa: S603 - running this command is what we are asked for
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env=environment,
        )
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None  # noqa: S101 - three pipes were asked for
            os.set_blocking(pipe.fileno(), False)

    def ask(self, line: bytes, timeout: float, *, close: bool = False) -> bytes:
        """Send a line and give the line that comes back, without its end.

        Args:
            line: The request.
            timeout: Seconds to wait for the answer.
            close: Close the process's input behind the request: nothing more will come.

        Raises:
            Fault: There is no answer: the process ended (`crashed`), was silent (`timeout`) or flooded (`oversize`).
        """
        deadline = time.monotonic() + timeout
        rest = memoryview(line)
        while True:
            end = self._buffer.find(b"\n")
            if 0 <= end <= self.max_answer:
                answer = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return answer
            if len(self._buffer) > self.max_answer:
                raise Fault("oversize", f"the answer has more than {self.max_answer} bytes")
            left = deadline - time.monotonic()
            if left <= 0:
                raise Fault("timeout", f"there was no answer within {timeout:g} s")
            rest, open_ = self._turn(rest, min(left, _POLL), close=close)
            if not open_ and b"\n" not in self._buffer:
                raise Fault("crashed", self._ending())

    def excess(self) -> bytes:
        """What the process wrote behind its answer, so far."""
        self._turn(memoryview(b""), 0)
        return bytes(self._buffer)

    def finish(self, line: bytes | None = None) -> bytes:
        """Tell the process to end, by a line if one is given; give what it wrote behind its last answer.

        Raises:
            Fault: It did not end in time (`timeout`).
        """
        deadline = time.monotonic() + _GRACE
        rest, open_ = memoryview(line or b""), True
        while open_ and len(self._buffer) <= self.max_answer:
            if time.monotonic() > deadline:
                raise Fault("timeout", f"the reader did not end within {_GRACE:g} s of `bye`")
            rest, open_ = self._turn(rest, _POLL, close=True)
        return bytes(self._buffer)

    def kill(self) -> None:
        """End the process and everything that it has started, and close its pipes."""
        for number, wait in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, None)):
            if self._process.poll() is None or number == signal.SIGKILL:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _turn(self, rest: memoryview, wait: float, *, close: bool = False) -> tuple[memoryview, bool]:
        """Write what can be written, read what there is; give what is left to write, and whether more can come."""
        process = self._process
        stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
        assert stdin is not None  # noqa: S101 - three pipes were asked for
        assert stdout is not None  # noqa: S101
        assert stderr is not None  # noqa: S101
        if not rest and close and not stdin.closed:
            stdin.close()
        ended = process.poll() is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            if self._stderr_open:
                selector.register(stderr, selectors.EVENT_READ)
            if rest and not stdin.closed:
                selector.register(stdin, selectors.EVENT_WRITE)
            ready = {key.fileobj for key, _ in selector.select(wait)}
        if stdin in ready:
            try:
                rest = rest[os.write(stdin.fileno(), rest[:_CHUNK]) :]
            except BlockingIOError:
                pass
            except OSError:  # it has closed its input: why, its end will tell
                rest = memoryview(b"")
        if stderr in ready:
            told = _read(stderr.fileno())
            self._stderr_open = told != b""
            self.stderr += told or b""
            del self.stderr[:-MAX_STDERR]
        found = _read(stdout.fileno()) if stdout in ready else None
        if found:
            self._buffer += found
        # An ended process whose pipe is still open has left it to a child, which answers nobody.
        return rest, bool(found) or not (ended or (stdout in ready and found == b""))

    def _ending(self) -> str:
        """How the process has ended."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "the reader closed its output and still runs"
        if code < 0:
            return f"the reader was ended by signal {signal.Signals(-code).name}"
        return f"the reader ended with exit code {code} before it answered"


def _read(descriptor: int) -> bytes | None:
    """What there is to read; empty at the end, None if there is nothing now."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""

"""Readers that misbehave on the wire, each in its own way, to try the runner: `python noise.py NAME`.

All but their one fault they do as the protocol asks: every `map` is answered with the outcome `unsupported`, so that a
run against one of them shows what the runner makes of the fault and that the next case is still put.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HELLO = {
    "protocol": 1,
    "implementation": {"name": "noise", "version": "1", "language": "python"},
    "specVersions": ["v1alpha1"],
    "profiles": ["core"],
    "features": ["core.yaml-text"],
}
ENDLESS = 3600
#: A file beside which a reader notes that it has misbehaved already, for those that do so once.
ONCE = os.environ.get("NOISE_ONCE", "")


def put(line: bytes) -> None:
    """Write bytes at once."""
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def answer(request: dict[str, object]) -> bytes:
    """The answer that the protocol asks for."""
    return json.dumps({"id": request["id"], "outcome": "unsupported"}).encode() + b"\n"


def first_time() -> bool:
    """Whether this is the first process of a run that asks."""
    try:
        Path(ONCE).open("x").close()
    except FileExistsError:
        return False
    return True


def hang(_request: dict[str, object]) -> None:
    time.sleep(ENDLESS)


def exit_early(_request: dict[str, object]) -> None:
    sys.exit(0)


def exit_once(request: dict[str, object]) -> None:
    if first_time():
        sys.exit(9)
    put(answer(request))


def exit_after(request: dict[str, object]) -> None:
    put(answer(request))
    sys.exit(0)


def die(_request: dict[str, object]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def prose(_request: dict[str, object]) -> None:
    put(b"reading the workload now\n")


def blank(request: dict[str, object]) -> None:
    put(b"\n" + answer(request))


def mark(request: dict[str, object]) -> None:
    put(b"\xef\xbb\xbf" + answer(request))


def latin(_request: dict[str, object]) -> None:
    put(b'{"id":"\xe9","outcome":"unsupported"}\n')


def windows(request: dict[str, object]) -> None:
    put(answer(request)[:-1] + b"\r\n")


def twice(request: dict[str, object]) -> None:
    put(answer(request) * 2)


def late_twin(request: dict[str, object]) -> None:
    put(answer(request))
    time.sleep(0.2)
    put(answer(request))


def stranger(request: dict[str, object]) -> None:
    put(answer({**request, "id": "another"}))


def repeated(request: dict[str, object]) -> None:
    put(json.dumps({"id": request["id"]}).encode()[:-1] + b',"outcome":"ok","outcome":"unsupported"}\n')


def not_a_number(request: dict[str, object]) -> None:
    put(json.dumps({"id": request["id"], "outcome": "ok", "document": {"replicas": float("nan")}}).encode() + b"\n")


def unknown_member(request: dict[str, object]) -> None:
    put(json.dumps({"id": request["id"], "outcome": "unsupported", "mood": "good"}).encode() + b"\n")


def unknown_class(request: dict[str, object]) -> None:
    put(json.dumps({"id": request["id"], "outcome": "rejected", "error": {"class": "oops"}}).encode() + b"\n")


def split(request: dict[str, object]) -> None:
    for byte in answer(request):
        put(bytes([byte]))


def flood(_request: dict[str, object]) -> None:
    chunk = b"x" * (1 << 20)
    for _ in range(100):
        put(chunk)


def chatter(request: dict[str, object]) -> None:
    for _ in range(64):
        os.write(2, b"e" * (1 << 14))
    put(answer(request))


def drip(request: dict[str, object]) -> None:
    for byte in answer(request):
        put(bytes([byte]))
        time.sleep(1)


def deaf(_request: dict[str, object]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(ENDLESS)


def orphan(_request: dict[str, object]) -> None:
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({ENDLESS})"])
    sys.exit(0)


def closed(_request: dict[str, object]) -> None:
    os.close(1)
    time.sleep(ENDLESS)


#: What is done instead of, or beside, answering a request.
FAULTS: dict[str, Callable[[dict[str, object]], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        hang, exit_early, exit_once, exit_after, die, prose, blank, mark, latin, windows, twice, late_twin, stranger,
        repeated, not_a_number, unknown_member, unknown_class, split, flood, chatter, drip, deaf, orphan, closed,
    )
}  # fmt: skip

#: What is answered to `hello`.
GREETINGS: dict[str, bytes] = {
    "no-hello": b"",
    "prose-hello": b"ready\n",
    "future": b'{"protocol":2}\n',
    "boastful": json.dumps({**HELLO, "profiles": ["core", "teleport"]}).encode() + b"\n",
    "headless": json.dumps({**HELLO, "profiles": ["gang"]}).encode() + b"\n",
    "nameless": json.dumps({**HELLO, "implementation": {}}).encode() + b"\n",
    "old": json.dumps({**HELLO, "specVersions": ["v0"]}).encode() + b"\n",
}


def main() -> None:
    """Read requests, and misbehave."""
    name = sys.argv[1]
    if name == "exit-at-start":
        sys.exit(3)
    if name == "hang-at-start":
        time.sleep(ENDLESS)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["cmd"] == "bye":
            break
        if request["cmd"] == "hello":
            put(GREETINGS.get(name, json.dumps(HELLO).encode() + b"\n"))
        elif name in FAULTS:
            FAULTS[name](request)
        else:
            put(answer(request))
    if name == "ignores-bye":
        time.sleep(ENDLESS)


if __name__ == "__main__":
    main()

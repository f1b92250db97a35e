"""The command: what its start costs over a bare interpreter, and its memory while it streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bench import objects  # noqa: E402 - found through the path above

ROUNDS = 15
#: As for a user: compiled modules are kept.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def seconds(command: list[str]) -> float:
    """The best time of a command as a whole process."""
    times = []
    for _round in range(ROUNDS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)  # noqa: S603 - our own command
        times.append(time.perf_counter() - begin)
    return min(times)


def cold_start() -> None:
    """Print the milliseconds that commands take over `python -c pass`."""
    bare = seconds([sys.executable, "-c", "pass"])
    print(f"\ncold start over `python -c pass` ({bare * 1000:.0f} ms), best of {ROUNDS}")
    example = str(ROOT / "examples" / "jobset.yaml")
    seconds([sys.executable, "-m", "workloadmap_spec", "inspect", example])
    for words in (["--version"], ["inspect", example], ["map", example], ["gang", example]):
        took = seconds([sys.executable, "-m", "workloadmap_spec", *words])
        shown = " ".join("FILE" if word == example else word for word in words)
        print(f"  workloadmap {shown:<14}{(took - bare) * 1000:>6.0f} ms more")


def peak(lines: int) -> tuple[float, float]:
    """Peak memory in MiB and objects a second while `map` streams so many objects."""
    text = (json.dumps(objects.jobset()) + "\n").encode()
    with tempfile.TemporaryFile() as out:
        begin = time.perf_counter()
        command = [sys.executable, "-m", "workloadmap_spec", "map", "-", "-o", "ndjson"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, cwd=ROOT)  # noqa: S603 - our own command
        if process.stdin is None:
            raise AssertionError
        for _line in range(lines):
            process.stdin.write(text)
        process.stdin.close()
        _pid, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
        if status:
            raise SystemExit(f"the stream of {lines} objects failed")
        out.seek(0)
        written = sum(1 for _line in out)
        if written != lines:
            raise SystemExit(f"{lines} objects in, {written} maps out")
    return usage.ru_maxrss / 1024, lines / took


def streaming() -> None:
    """Print the memory for few and for many objects: it must not grow."""
    print("\nstreaming JobSets as NDJSON through `workloadmap map -`")
    first = 0.0
    for lines in (1_000, 10_000, 100_000):
        memory, rate = peak(lines)
        first = first or memory
        print(f"  {lines:>7} objects: peak {memory:.1f} MiB ({memory / first:.2f}x), {rate:,.0f} objects a second")


def main() -> None:
    """Print both."""
    cold_start()
    streaming()


if __name__ == "__main__":
    main()

"""Reading an object: this reader against jq and against adapters written by hand.

Every figure is the best of several rounds, the peers in turn within each round.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import objects, peers
from workloadmap_spec import Catalog

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
SECONDS = 0.15


def best(function: Callable[[dict[str, Any]], object], workload: dict[str, Any]) -> float:
    """Microseconds for one call, over a short stretch of time."""
    calls = 0
    begin = time.perf_counter()
    end = begin + SECONDS
    while (now := time.perf_counter()) < end:
        function(workload)
        calls += 1
    return (now - begin) / calls * 1e6


def main() -> None:
    """Print one line for each kind."""
    catalog = Catalog.builtin()
    print("reading one object, best of", ROUNDS)
    print(f"{'kind':<17}{'ours':>9}{'jq, a path each':>18}{'jq, one program':>18}{'by hand':>11}   ratios to ours")
    for workload in (objects.jobset(), objects.leaderworkerset(), objects.raycluster()):
        kind = workload["kind"]
        readers: list[Callable[[dict[str, Any]], object]] = [
            catalog.read,
            peers.jq_reader(kind),
            peers.jq_combined(kind),
            peers.BY_HAND[kind],
        ]
        times = [float("inf")] * len(readers)
        for _round in range(ROUNDS):
            times = [min(known, best(reader, workload)) for known, reader in zip(times, readers, strict=True)]
        ours, each, one, hand = times
        print(
            f"{kind:<17}{ours:>6.0f} us{each:>15.0f} us{one:>15.0f} us{hand:>8.1f} us"
            f"   {each / ours:.1f}x, {one / ours:.1f}x, {hand / ours:.3f}x"
        )


if __name__ == "__main__":
    main()

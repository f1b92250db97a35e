"""Writing an object: an update reads, writes and reads again, so it is measured against one read of the same object.

Every figure is the best of several rounds, both in turn within each round.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import objects
from bench.bench_read import ROUNDS, best
from workloadmap_spec import Catalog
from workloadmap_spec.errors import UpdateError

INTENTS: Final[dict[str, dict[str, Any]]] = {
    "suspend": {"op": "suspend"},
    "set": {"op": "set", "field": "schedulerName", "value": "kai-scheduler"},
    "scale": {"op": "scale", "component": "worker", "replicas": 5},
}


def main() -> None:
    """Print one line for each kind and operation that it has."""
    catalog = Catalog.builtin()
    print("writing one object, best of", ROUNDS)
    print(f"{'kind':<17}{'operation':<11}{'a read':>10}{'an update':>13}   ratio")
    for workload in (objects.jobset(), objects.leaderworkerset(), objects.raycluster()):
        workload["metadata"].pop("uid", None)
        for name, intent in INTENTS.items():
            change = partial(catalog.update, intent=intent)
            try:
                change(workload)
            except UpdateError:
                # Not every kind can do everything.
                continue
            reading = writing = float("inf")
            for _round in range(ROUNDS):
                reading = min(reading, best(catalog.read, workload))
                writing = min(writing, best(change, workload))
            print(f"{workload['kind']:<17}{name:<11}{reading:>7.0f} us{writing:>10.0f} us   {writing / reading:.1f}x")


if __name__ == "__main__":
    main()

"""Several requests at once, with their answers in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

#: How many requests are under way at once: as many as an API server lets every client have without a queue.
MAX_PARALLEL: Final = 8


def parallel(function: Callable[[_Item], _Answer], items: Sequence[_Item]) -> list[_Answer]:
    """What a function gives for each item; the first error ends it, and so does an interrupt.

    Calls that have begun by then are not waited for: a closed connection ends them.
    """
    if len(items) <= 1:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(min(MAX_PARALLEL, len(items)))
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

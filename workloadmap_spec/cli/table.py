"""Columns of text: rows of cells made into lines of equal shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")


def width(text: str) -> int:
    """How many columns of a terminal a text takes: colours take none, wide characters two, accents none."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - few texts need it

    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def align(rows: Sequence[Sequence[str]], right: Sequence[int] = (), gap: int = 3) -> list[str]:
    """The rows as lines with their columns below each other; columns without any text are left out.

    Args:
        rows: Cells; rows may be of different lengths.
        right: The columns that are aligned to the right.
        gap: The spaces between columns.
    """
    count = max((len(row) for row in rows), default=0)
    widths = [max((width(row[column]) for row in rows if column < len(row)), default=0) for column in range(count)]
    shown = [column for column in range(count) if widths[column]]
    lines = []
    for row in rows:
        cells = []
        for column in shown:
            text = row[column] if column < len(row) else ""
            padding = " " * (widths[column] - width(text))
            cells.append(padding + text if column in right else text + padding)
        lines.append((" " * gap).join(cells).rstrip())
    return lines

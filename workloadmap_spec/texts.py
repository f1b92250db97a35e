"""Texts in messages, cut to what fits there."""

from __future__ import annotations


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def cut_line(text: str, most: int) -> str:
    """The same in one line, with single spaces."""
    return cut(" ".join(text.split()), most)

"""Words for people: plurals, and numbers with what they count."""

from __future__ import annotations

from typing import Final

_HISSING: Final = ("s", "x", "z", "ch", "sh")
_VOWELS: Final = "aeiou"


def plural(noun: str, count: int | None) -> str:
    """A noun, in the plural unless it stands for one thing: `Job` and `Jobs`, `Proxy` and `Proxies`."""
    if count == 1:
        return noun
    if noun.endswith(_HISSING):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1].lower() not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def counted(count: int | None, noun: str) -> str:
    """A number of things; `?` where it is unknown."""
    return f"{'?' if count is None else count} {plural(noun, count)}"

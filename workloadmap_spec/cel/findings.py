"""What the checker has found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from workloadmap_spec.errors import ExpressionCheckError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Finding(NamedTuple):
    """A rule of the profile that an expression breaks, where, and what to write instead."""

    rule: str
    level: Literal["error", "warning"]
    message: str
    offset: int
    length: int
    cure: str | None = None

    def to_error(self, text: str) -> ExpressionCheckError:
        """The finding as an exception."""
        return ExpressionCheckError(self.message, text, self.offset, self.length, self.rule, self.cure)


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that is most like another, if one is like it enough."""
    # Needed for messages only, and slow to import.
    from difflib import get_close_matches  # noqa: PLC0415

    found = get_close_matches(name, list(known), n=1, cutoff=likeness)
    return found[0] if found else None

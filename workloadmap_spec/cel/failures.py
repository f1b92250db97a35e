"""Errors of evaluation, with their place in the expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from workloadmap_spec.errors import EvaluationError, LimitExceededError, Location

if TYPE_CHECKING:
    from workloadmap_spec.cel.tree import Node

_NOWHERE: Final = Location()


class Site(NamedTuple):
    """A part of an expression, for messages."""

    text: str
    offset: int
    length: int


def site(text: str, node: Node) -> Site:
    """The place of a node."""
    return Site(text, node.offset, node.length)


class ExpressionEvaluationError(EvaluationError):
    """An expression failed while it ran. `offset` and `length` count code points inside `text`.

    `||`, `&&`, `all` and `exists` drop an error when another operand decides, so that this class is made often and
    has to be cheap.
    """

    def __init__(self, message: str, where: Site) -> None:
        """Keep the facts."""
        Exception.__init__(self, message)
        self.message = message
        self.location = _NOWHERE
        self.cure = None
        self.text, self.offset, self.length = where

    def __str__(self) -> str:
        """The error, the expression, and a line that marks the part."""
        return _shown(self, self.text, self.offset, self.length)


class NotPortableError(ExpressionEvaluationError):
    """An expression came upon something that engines answer differently: for each of them it is an error."""


class ExpressionLimitError(LimitExceededError):
    """An expression did too much, or made too much. Nothing in an expression can catch it."""

    def __init__(self, message: str, where: Site, cure: str | None = None) -> None:
        """Keep the facts."""
        super().__init__(message, None, cure)
        self.text, self.offset, self.length = where

    def __str__(self) -> str:
        """The error, the expression, and a line that marks the part."""
        return _shown(self, self.text, self.offset, self.length)


def _shown(error: EvaluationError, text: str, offset: int, length: int) -> str:
    """The text of an error with the line of the expression that it is about."""
    where = str(error.location)
    lines = [f"{where}: {error.message}" if where else error.message]
    lines[0] += f" [{error.error_class}]"
    if text:
        start = text.rfind("\n", 0, offset) + 1
        line = text[start:].partition("\n")[0]
        column = offset - start
        marks = "^" + "~" * max(0, min(length, len(line) - column) - 1)
        lines += [f"    {line}", f"    {' ' * column}{marks}"]
    if error.cure:
        lines.append(f"  {error.cure}")
    return "\n".join(lines)

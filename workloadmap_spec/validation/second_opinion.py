"""WM390: every expression of a mapping, parsed by cel-python too."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from workloadmap_spec.errors import WorkloadMapError

if TYPE_CHECKING:
    from collections.abc import Callable


class OpinionUnavailableError(WorkloadMapError, ImportError):
    """The engine that is asked for a second opinion is not installed."""


@cache
def cel_python() -> Callable[[str], int | None]:
    """Parse expressions with cel-python: the offset that it did not get beyond, None if it parses all of one.

    Raises:
        OpinionUnavailableError: It is not installed.
    """
    # Making its grammar takes a quarter of a second, which only those pay who ask.
    try:
        from celpy import Environment  # noqa: PLC0415
        from celpy.celparser import CELParseError  # noqa: PLC0415
    except ImportError as error:
        message = "cel-python, which gives a second opinion on expressions, is not installed"
        raise OpinionUnavailableError(message, cure="pip install cel-python, or use --no-second-opinion") from error

    environment = Environment()

    def ask(text: str) -> int | None:
        try:
            environment.compile(text)
        except CELParseError as error:
            lines = text.split("\n")[: (error.line or 1) - 1]
            return max(0, min(sum(map(len, lines)) + len(lines) + (error.column or 1) - 1, len(text) - 1))
        except Exception:  # noqa: BLE001 - engines were seen to raise errors that are not of their own classes
            return 0
        return None

    return ask

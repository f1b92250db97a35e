"""Ages for people: how long ago something was made, as kubectl writes it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_YEAR: Final = 365 * _DAY
#: Up to which age a unit is used, the unit, the one that is told beside it, and up to which age it is told.
_STEPS: Final = (
    (2 * _MINUTE, 1, "s", 0, "", 0),
    (3 * _HOUR, _MINUTE, "m", 1, "s", 10 * _MINUTE),
    (2 * _DAY, _HOUR, "h", _MINUTE, "m", 8 * _HOUR),
    (2 * _YEAR, _DAY, "d", _HOUR, "h", 8 * _DAY),
)


def now() -> str:
    """This moment in UTC, as Kubernetes writes times."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def age(created: str | None, time: str) -> str:
    """How long before `time` something was created, both as Kubernetes writes moments; empty if that is not known."""
    if created is None:
        return ""
    seconds = int((datetime.fromisoformat(time) - datetime.fromisoformat(created)).total_seconds())
    return duration(max(seconds, 0))


def duration(seconds: int) -> str:
    """A duration in at most two units (apimachinery, `duration.HumanDuration`)."""
    for limit, size, unit, small, small_unit, small_limit in _STEPS:
        if seconds < limit:
            whole, rest = divmod(seconds, size)
            part = rest // small if small and seconds < small_limit else 0
            return f"{whole}{unit}{part}{small_unit}" if part else f"{whole}{unit}"
    years, rest = divmod(seconds, _YEAR)
    days = rest // _DAY if seconds < 8 * _YEAR else 0
    return f"{years}y{days}d" if days else f"{years}y"

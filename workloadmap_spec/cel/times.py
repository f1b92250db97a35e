"""Timestamps and durations (rule P17): parsing and arithmetic, with nanoseconds and the ranges of cel-go.

The ranges are those of cel-go's common/types/timestamp.go, duration.go and overflow.go: a timestamp lies in the years
1 to 9999, a duration fits into 64 bits of nanoseconds.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from workloadmap_spec.cel.limits import INT_MAX, INT_MIN, MAX_CONVERTED_LENGTH

_SECOND: Final = 1_000_000_000
_UNITS: Final = {"h": 3600 * _SECOND, "m": 60 * _SECOND, "s": _SECOND, "ms": 1_000_000}
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FIRST: Final = -62_135_596_800 * _SECOND
_LAST: Final = 253_402_300_799 * _SECOND + 999_999_999

# Compiled when first used (`re` keeps them): few expressions know the time.
_TIMESTAMP: Final = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_DURATION: Final = r"(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+"
_PART: Final = r"([0-9]+)(?:\.([0-9]+))?(h|ms|m|s)"


class Timestamp(NamedTuple):
    """A point in time: nanoseconds since 1970 in UTC."""

    nanoseconds: int


class Duration(NamedTuple):
    """A span of time in nanoseconds."""

    nanoseconds: int


def parse_timestamp(text: str) -> Timestamp:
    """The timestamp that an RFC 3339 text names.

    Raises:
        ValueError: it is none, or out of range; the text of the error can be shown.
    """
    match = re.fullmatch(_TIMESTAMP, text) if len(text) <= MAX_CONVERTED_LENGTH else None
    if match is None:
        message = 'a timestamp is written "2006-01-02T15:04:05Z", with an offset such as +01:00 in the place of Z'
        raise ValueError(message)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hours, offset_minutes = match.groups()[6:]
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)  # noqa: PLR2004 - the calendar
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + leap):  # noqa: PLR2004 - the calendar
        message = f"{text[:10]} is not a day of the calendar"
        raise ValueError(message)
    clock = (hour, minute, second, int(offset_hours or 0), int(offset_minutes or 0))
    if any(part > most for part, most in zip(clock, (23, 59, 59, 23, 59), strict=True)):
        message = f"{text[11:]} is not a time of the day"
        raise ValueError(message)
    offset = (clock[3] * 60 + clock[4]) * (-60 if sign == "-" else 60)
    seconds = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
    return _timestamp(seconds * _SECOND + int((fraction or "").ljust(9, "0")))


def parse_duration(text: str) -> Duration:
    """The duration that a text such as `1h30m` or `1.5s` names.

    Raises:
        ValueError: it is none, or out of range; the text of the error can be shown.
    """
    if len(text) > MAX_CONVERTED_LENGTH or not re.fullmatch(_DURATION, text):
        message = 'a duration is written "1h30m": numbers with the units h, m, s and ms'
        raise ValueError(message)
    total = 0
    for whole, fraction, unit in re.findall(_PART, text):
        total += int(whole) * _UNITS[unit]
        if fraction:
            # As Go computes it (time.ParseDuration): through a double, cut to nanoseconds.
            digits = fraction[:18]
            total += int(int(digits) * (_UNITS[unit] / 10 ** len(digits)))
    return _duration(total)


def add(left: object, right: object) -> Timestamp | Duration | None:
    """The sum of two operands, None if there is none of such operands: a duration comes second.

    Raises:
        ValueError: it is out of range.
    """
    if type(left) is Timestamp and type(right) is Duration:
        return _timestamp(left.nanoseconds + right.nanoseconds)
    if type(left) is Duration and type(right) is Duration:
        return _duration(left.nanoseconds + right.nanoseconds)
    return None


def subtract(left: object, right: object) -> Timestamp | Duration | None:
    """The difference of two operands, None if there is none of such operands.

    Raises:
        ValueError: it is out of range.
    """
    if type(left) is Timestamp and type(right) is Timestamp:
        return _duration(left.nanoseconds - right.nanoseconds)
    if type(left) is Timestamp and type(right) is Duration:
        return _timestamp(left.nanoseconds - right.nanoseconds)
    if type(left) is Duration and type(right) is Duration:
        return _duration(left.nanoseconds - right.nanoseconds)
    return None


def _timestamp(nanoseconds: int) -> Timestamp:
    """A timestamp in its range."""
    if not _FIRST <= nanoseconds <= _LAST:
        message = "a timestamp lies in the years 1 to 9999"
        raise ValueError(message)
    return Timestamp(nanoseconds)


def _duration(nanoseconds: int) -> Duration:
    """A duration in its range."""
    if not INT_MIN <= nanoseconds <= INT_MAX:
        message = "a duration is at most 292 years long"
        raise ValueError(message)
    return Duration(nanoseconds)


def _days(year: int, month: int, day: int) -> int:
    """The days since 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last."""
    if month <= 2:  # noqa: PLR2004 - February
        year -= 1
        month += 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719_469

"""Kubernetes quantities, exactly: `500m` and `1Gi` as numbers, and the canonical text of a number.

The rules are those of apimachinery (`pkg/api/resource/quantity.go`) without what its printer loses: a text that this
module writes always reads back as the same value. Where the documented pattern of a quantity and that parser
disagree, what both accept is accepted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from typing import Final

from workloadmap_spec.errors import ResultInvalidError, ResultTypeError

#: The longest text that is read. Real quantities are far shorter; it bounds the work that hostile text can cause.
MAX_TEXT_LENGTH: Final = 256
#: Values of 10 to this power and more are refused, or `1e999999999` would need a number of a billion digits.
MAX_INTEGER_DIGITS: Final = 128

_NANO_DIGITS: Final = 9
_NANO: Final = 10**_NANO_DIGITS
_MILLI: Final = 10**6
_INT64_MAX: Final = 2**63 - 1
_BINARY_CAP: Final = _INT64_MAX * _NANO
_BEYOND: Final = 10**MAX_INTEGER_DIGITS * _NANO

# The suffix belongs to the same match, so that `1E` (exa), `1E3` (an exponent) and `1Ei` (binary) cannot be confused.
# The digits are spelled out: `\d` would take those of other scripts.
_TEXT: Final = re.compile(
    r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?",
)
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


class Format(StrEnum):
    """The class of suffixes that a quantity is written with."""

    BINARY_SI = "BinarySI"
    DECIMAL_SI = "DecimalSI"
    DECIMAL_EXPONENT = "DecimalExponent"


# Members of an enum are slower to reach than globals.
_BINARY_SI: Final = Format.BINARY_SI
_DECIMAL_SI: Final = Format.DECIMAL_SI
_DECIMAL_EXPONENT: Final = Format.DECIMAL_EXPONENT

_BINARY_SUFFIXES: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
#: The exponents that DecimalSI has a suffix for, from the smallest.
_DECIMAL_SUFFIXES: Final = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_MAX_DECIMAL_EXPONENT: Final = max(_DECIMAL_SUFFIXES)
#: For each suffix its format and its size in units of 1e-9.
_SUFFIXES: Final = {
    **{text: (_DECIMAL_SI, 10 ** (power + _NANO_DIGITS)) for power, text in _DECIMAL_SUFFIXES.items()},
    **{text: (_BINARY_SI, 1024**power * _NANO) for power, text in enumerate(_BINARY_SUFFIXES) if text},
}

# What people write in place of a suffix: another case, or a `b` for bytes. A lone `e` is an unfinished exponent.
_MISSPELLED: Final = re.compile(r"([kmgtp]|e(?=i))(i?)b?", re.IGNORECASE | re.ASCII)
_CURE: Final = "write a number and at most one suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3"


class QuantityError(ResultInvalidError, ValueError):
    """A text or number is not a quantity, or is one beyond the limits of this module."""


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An exact amount, counted in units of 1e-9.

    Equality, order and hash are those of the value: `1024Mi` and `1Gi` are equal although the first was written in
    another way. `max()` gives the first of equal quantities, and with it that one's format.
    """

    nano: int
    format: Format = _DECIMAL_SI

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self.nano == other.nano if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        """Hash the value."""
        return hash(self.nano)

    def __lt__(self, other: Quantity) -> bool:
        """Compare by value."""
        return self.nano < other.nano

    def __le__(self, other: Quantity) -> bool:
        """Compare by value."""
        return self.nano <= other.nano

    def __gt__(self, other: Quantity) -> bool:
        """Compare by value."""
        return self.nano > other.nano

    def __ge__(self, other: Quantity) -> bool:
        """Compare by value."""
        return self.nano >= other.nano

    def __add__(self, other: Quantity) -> Quantity:
        """Add exactly and without a cap; the format is the left one's, or the right one's if the left is zero.

        Of quantities that are not negative, a sum from left to right thus has the format of its first term that is
        not zero, as in apimachinery (`Quantity.Add`).
        """
        if not self.nano:
            return other
        return Quantity(self.nano + other.nano, self.format)

    def __mul__(self, count: int) -> Quantity:
        """Multiply exactly by a whole number; the format stays."""
        return Quantity(self.nano * count, self.format)

    __rmul__ = __mul__

    def __str__(self) -> str:
        """Write the canonical text, which `parse` reads as the same value."""
        return _text(self.nano, self.format)

    def milli(self) -> int:
        """Give the thousandths, where a part of one counts as a whole one, away from zero."""
        return _divide_up(self.nano, _MILLI)


ZERO: Final = Quantity(0)


def parse(value: str | float) -> Quantity:
    """Read a quantity from its text, or from a number, which is in DecimalSI.

    A text is an optional sign, decimal digits with at most one point, and at most one suffix, which decides the
    format. What is finer than 1e-9 is rounded away from zero, so that nothing becomes zero; BinarySI ends at 2^63-1,
    and becomes DecimalSI below 1.

    Raises:
        QuantityError: The value is not a quantity, or is beyond `MAX_TEXT_LENGTH` or `MAX_INTEGER_DIGITS`.
        ResultTypeError: The value is neither text nor a number.

    """
    if isinstance(value, str):
        return _parse_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ResultTypeError(f"expected a quantity, which is text or a number, and found {json_type(value)}")
    if isinstance(value, int):
        return _bounded(value * _NANO, _DECIMAL_SI, value)
    if not isfinite(value):
        raise QuantityError(f"{value} is not a quantity", cure="write a finite number")
    if value.is_integer():
        return _bounded(int(value) * _NANO, _DECIMAL_SI, value)
    # The shortest text that reads back as this number is the same in every language; whether it has an exponent is not.
    return Quantity(_parse_text(repr(value)).nano)


def json_type(value: object) -> str:
    """Name the JSON type of a value, for an error."""
    if value is None:
        return "null"
    for types, name in _JSON_TYPES:
        if isinstance(value, types):
            return name
    return type(value).__name__


_JSON_TYPES: Final[tuple[tuple[type | tuple[type, ...], str], ...]] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a string"),
    (list, "a list"),
    (dict, "a map"),
)


# A few hundred texts make up all the quantities of a cluster; 4096 of at most 256 characters are a few hundred KiB.
@lru_cache(maxsize=4096)
def _parse_text(text: str) -> Quantity:
    """Read a quantity from its text."""
    if len(text) > MAX_TEXT_LENGTH:
        raise QuantityError(
            f"a quantity of {len(text)} characters, beginning {text[:16]!r}, is too long",
            cure=f"a quantity has at most {MAX_TEXT_LENGTH} characters",
        )
    match = _TEXT.fullmatch(text)
    if match is None:
        raise _not_a_quantity(text)
    sign, whole, decimals, only_decimals, suffix = match.groups()
    places = decimals or only_decimals or ""
    digits = (whole or "") + places
    sized = _SUFFIXES.get(suffix or "")
    if sized is None:
        form = _DECIMAL_EXPONENT
        nano = _scaled(digits, int(suffix[1:]) - len(places))
    else:
        form, unit = sized
        nano = _divide_up(int(digits) * unit, 10 ** len(places))
    if form is _BINARY_SI:
        nano = min(nano, _BINARY_CAP)
        if 0 < nano < _NANO:
            form = _DECIMAL_SI
    return _bounded(-nano if sign == "-" else nano, form, text)


def _scaled(digits: str, power: int) -> int:
    """Give digits times 10 to a power in units of 1e-9, with a stand-in for what is too large to be written out."""
    significant = digits.lstrip("0")
    if not significant:
        return 0
    if len(significant) + power > MAX_INTEGER_DIGITS:
        return _BEYOND
    shift = power + _NANO_DIGITS
    if len(significant) + shift <= 0:
        return 1
    size: int = 10 ** abs(shift)
    return int(significant) * size if shift >= 0 else _divide_up(int(significant), size)


def _divide_up(dividend: int, divisor: int) -> int:
    """Divide by a positive number, away from zero."""
    return -(-dividend // divisor) if dividend >= 0 else dividend // divisor


def _bounded(nano: int, form: Format, source: str | float) -> Quantity:
    """Make a quantity unless it is too large."""
    if -_BEYOND < nano < _BEYOND:
        return Quantity(nano, form)
    shown = repr(source) if isinstance(source, str) else "the number"
    raise QuantityError(
        f"{shown} is too large for a quantity",
        cure=f"a quantity has at most {MAX_INTEGER_DIGITS} digits before the point",
    )


def _not_a_quantity(text: str) -> QuantityError:
    """Say what is wrong with a text that is not a quantity."""
    number = _NUMBER.match(text)
    if not text.strip():
        reason, cure = "an empty text is not a quantity", 'leave it out, or write "0" for nothing'
    elif text.strip() != text:
        reason, cure = f"{text!r} is not a quantity: there is white space around it", f"write {text.strip()!r}"
    elif number is None:
        reason, cure = f"{text!r} is not a quantity: it does not begin with a number", _CURE
    else:
        rest = text[number.end() :]
        reason = f"{text!r} is not a quantity: {rest!r} after {number[0]!r} is not a suffix"
        meant = _MISSPELLED.fullmatch(rest)
        cure = f"write {_suffixes(*meant.groups())}; case matters" if meant else _CURE
    return QuantityError(reason, cure=cure)


def _suffixes(letter: str, binary: str) -> str:
    """Give the suffixes that a misspelled one may stand for."""
    power = "kmgtpe".index(letter.lower()) + 1
    with_i = _BINARY_SUFFIXES[power]
    return with_i if binary else f"{_DECIMAL_SUFFIXES[3 * power]} (decimal) or {with_i} (binary)"


@lru_cache(maxsize=4096)
def _text(nano: int, form: Format) -> str:
    """Write the canonical text.

    Two texts differ from those of apimachinery, whose printer would lose the value: DecimalSI beyond exa keeps the
    suffix `E` (`1000E`), and BinarySI beyond 2^63-1, which only sums reach and no reader would take, is in DecimalSI.
    """
    if not nano:
        return "0"
    if form is _BINARY_SI:
        whole, part = divmod(nano, _NANO)
        if not part and 1024 <= abs(whole) <= _INT64_MAX:  # noqa: PLR2004 - the step from one suffix to the next
            zeros = (whole & -whole).bit_length() - 1
            step = zeros // 10
            return f"{whole >> 10 * step}{_BINARY_SUFFIXES[step]}"
        form = _DECIMAL_SI
    mantissa, exponent = nano, -_NANO_DIGITS
    while exponent < _MAX_DECIMAL_EXPONENT or form is _DECIMAL_EXPONENT:
        quotient, part = divmod(mantissa, 1000)
        if part:
            break
        mantissa, exponent = quotient, exponent + 3
    if form is _DECIMAL_SI:
        return f"{mantissa}{_DECIMAL_SUFFIXES[exponent]}"
    return f"{mantissa}e{exponent}" if exponent else str(mantissa)

"""What a YAML scalar means to kubectl: null, a boolean, a number or text; and the text that a key becomes.

The rules are those of Kubernetes' Go decoder (kubernetes-sigs/yaml, `goyaml.v2/resolve.go` and `yaml.go`).
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workloadmap_spec.pointer import JSON

#: Plain scalars that are not text and not numbers. `.nan` and `.inf` become floats, which the data rules refuse.
_WORDS: Final[dict[str, JSON]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], float("inf")),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
}

_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
#: Integers with a base, of which octal ones need no letter.
_BASED: Final = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

#: Digits of the largest unsigned 64-bit integer; what is longer is a float, and no long text is converted.
_MAX_DIGITS: Final = 20
_INT64: Final = range(-(2**63), 2**63)
_UINT64: Final = range(2**64)


def resolve_plain(text: str) -> JSON:
    """The value of a plain scalar: null, a boolean, a number, or its text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "0123456789+-.":
        number = _number(text)
        if number is not None:
            return number
    return text


def _number(text: str) -> int | float | None:
    """The number that a scalar is, or None; the limits of 64 bits decide as they do in Go."""
    # Underscores group digits, but not in a number that begins with its dot.
    digits = text if text[0] == "." else text.replace("_", "")
    if _DECIMAL.fullmatch(digits) and len(digits) <= _MAX_DIGITS + 1:
        number = int(digits)
        if number in _INT64 or (number in _UINT64 and digits[0] != "+"):
            return number
    elif match := _BASED.fullmatch(digits):
        sign, hexadecimal, binary, octal = match.groups()
        base = 16 if hexadecimal else 2 if binary else 8
        number = int(sign + (hexadecimal or binary or octal), base)
        if number in _INT64 or (number in _UINT64 and not sign):
            return number
    if _FLOAT.fullmatch(digits):
        value = float(digits)
        # Beyond the range of floats it is text.
        return value if abs(value) != float("inf") else None
    return None


def key_text(key: JSON) -> str | None:
    """The string that kubectl makes of the scalar that is the key of a map entry; None where it makes none."""
    if type(key) is str:
        return key
    if type(key) is bool:
        return "true" if key else "false"
    if type(key) is int and key in _INT64:
        return str(key)
    return _float_text(key) if type(key) is float else None


def _float_text(value: float) -> str | None:
    """The shortest text that gives the same 32-bit float, as Go's `%g` writes it; None beyond those floats."""
    if not math.isfinite(value):
        return None
    try:
        wanted = struct.pack("<f", value)
    except OverflowError:
        return None
    (rounded,) = struct.unpack("<f", wanted)
    text = next(text for p in range(9) if struct.pack("<f", float(text := f"{rounded:.{p}e}")) == wanted)
    mantissa, _, exponent = text.partition("e")
    power = int(exponent)
    if not -4 <= power < 6:  # noqa: PLR2004 - where Go's shortest form changes to an exponent
        return text
    digits = len(mantissa.lstrip("-").replace(".", ""))
    return f"{float(text):.{max(0, digits - 1 - power)}f}"

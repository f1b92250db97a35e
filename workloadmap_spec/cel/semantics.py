"""What operators and functions do with values: the CEL specification as cel-go implements it, inside the profile.

Values are JSON, and timestamps and durations while an expression runs. Python's `bool` is an `int`, and
`1 == 1.0 == True`: every function here looks at the exact type first. No number is infinite or NaN: the data rules
let none in, and arithmetic that would make one fails, as it does for ints that do not fit.
Sources: google/cel-go, common/types/{int,double,string,list,map,compare,overflow}.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import times
from workloadmap_spec.cel.failures import ExpressionEvaluationError, ExpressionLimitError, NotPortableError, Site
from workloadmap_spec.cel.limits import (
    INT_MAX,
    INT_MIN,
    MAX_CONVERTED_LENGTH,
    MAX_LIST_RESULT,
    MAX_STRING_RESULT,
)
from workloadmap_spec.cel.times import Duration, Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    list: "list",
    dict: "map",
    Timestamp: "timestamp",
    Duration: "duration",
}
#: Types whose values have an order among themselves.
_ORDERED: Final = frozenset({int, float, str, bool, Timestamp, Duration})
_NUMBERS: Final = frozenset({int, float})
_INT_BOUND: Final = float(2**63)
#: Digits before the point from which on a double is written with an exponent.
_EXPONENT_FROM: Final = 6
# Compiled when first used (`re` keeps them).
_WHOLE: Final = r"-?[0-9]+"
_NUMERAL: Final = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_INT_DIGITS: Final = 19


def name_of(value: object) -> str:
    """The name of the type of a value."""
    return _NAMES.get(type(value), type(value).__name__)


# Comparison.


def equal(left: Any, right: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether two values are equal: numbers by value, nothing else across types."""
    kind = type(left)
    if kind is not type(right):
        # An int is compared with a double as a double.
        return kind in _NUMBERS and type(right) in _NUMBERS and float(left) == float(right)
    if kind is list:
        return len(left) == len(right) and all(map(equal, left, right))
    if kind is dict:
        if left.keys() != right.keys():
            return False
        return all(equal(value, right[key]) for key, value in left.items())
    return bool(left == right)


def compare(left: Any, right: Any, operator: Callable[[Any, Any], bool], symbol: str, where: Site) -> bool:  # noqa: ANN401
    """The order of two values of one type, or of two numbers."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind in _ORDERED:
            return operator(left, right)
    elif kind in _NUMBERS and other in _NUMBERS:
        return operator(float(left), float(right))
    raise no_overload(symbol, left, right, where)


def contains(container: Any, value: Any, where: Site) -> bool:  # noqa: ANN401 - JSON
    """`value in container`."""
    kind = type(container)
    if kind is list:
        if type(value) is str:
            return value in container
        return any(equal(value, element) for element in container)
    if kind is dict:
        return type(value) is str and value in container
    message = f"`in` looks into a list or a map, not into {name_of(container)}"
    raise ExpressionEvaluationError(message, where)


# Arithmetic.


def add(left: Any, right: Any, where: Site) -> Any:  # noqa: ANN401 - JSON
    """`left + right`."""
    kind = type(left)
    if kind is type(right):
        if kind is int:
            return _int(left + right, where)
        if kind is str:
            if len(left) + len(right) > MAX_STRING_RESULT:
                raise _too_large(f"a string of more than {MAX_STRING_RESULT:,} characters", where)
            return left + right
        if kind is list:
            if len(left) + len(right) > MAX_LIST_RESULT:
                raise _too_large(f"a list of more than {MAX_LIST_RESULT:,} elements", where)
            return left + right
        if kind is float:
            return _double(left + right, where)
    try:
        result = times.add(left, right)
    except ValueError as problem:
        raise ExpressionEvaluationError(str(problem), where) from None
    if result is None:
        raise no_overload("+", left, right, where)
    return result


def subtract(left: Any, right: Any, where: Site) -> Any:  # noqa: ANN401 - JSON
    """`left - right`."""
    kind = type(left)
    if kind is type(right):
        if kind is int:
            return _int(left - right, where)
        if kind is float:
            return _double(left - right, where)
    try:
        result = times.subtract(left, right)
    except ValueError as problem:
        raise ExpressionEvaluationError(str(problem), where) from None
    if result is None:
        raise no_overload("-", left, right, where)
    return result


def multiply(left: Any, right: Any, where: Site) -> Any:  # noqa: ANN401 - JSON
    """`left * right`."""
    kind = type(left)
    if kind is type(right):
        if kind is int:
            return _int(left * right, where)
        if kind is float:
            return _double(left * right, where)
    raise no_overload("*", left, right, where)


def divide(left: Any, right: Any, where: Site) -> int:  # noqa: ANN401 - JSON
    """`left / right`, cut towards zero."""
    if type(left) is not int or type(right) is not int:
        raise no_overload("/", left, right, where)
    if right == 0:
        raise ExpressionEvaluationError("division by zero", where)
    quotient = abs(left) // abs(right)
    return _int(quotient if (left < 0) == (right < 0) else -quotient, where)


def modulo(left: Any, right: Any, where: Site) -> int:  # noqa: ANN401 - JSON
    """`left % right`, with the sign of the left."""
    if type(left) is not int or type(right) is not int:
        raise no_overload("%", left, right, where)
    if right == 0:
        raise ExpressionEvaluationError("division by zero", where)
    if left == INT_MIN and right == -1:
        raise ExpressionEvaluationError("the result does not fit into an int", where)
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def negate(value: Any, where: Site) -> int | float:  # noqa: ANN401 - JSON
    """`-value`."""
    if type(value) is int:
        return _int(-value, where)
    if type(value) is float:
        return -value
    raise ExpressionEvaluationError(f"`-` takes a number, not {name_of(value)}", where)


def _int(value: int, where: Site) -> int:
    """A result that fits into 64 bits."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise ExpressionEvaluationError("the result does not fit into an int", where)


def _double(value: float, where: Site) -> float:
    """A result that is a number."""
    if value - value == 0.0:
        return value
    raise ExpressionEvaluationError("the result does not fit into a double", where)


# Functions.


def size(value: Any, where: Site) -> int:  # noqa: ANN401 - JSON
    """`size(value)`."""
    if type(value) in {list, dict, str}:
        return len(value)
    raise ExpressionEvaluationError(f"`size` counts the elements of a list or a map, not of {name_of(value)}", where)


def to_int(value: Any, where: Site) -> int:  # noqa: ANN401 - JSON
    """`int(value)`."""
    kind = type(value)
    if kind is int:
        return int(value)
    if kind is float:
        if -_INT_BOUND < value < _INT_BOUND:
            return int(value)
        raise ExpressionEvaluationError("the number does not fit into an int", where)
    if kind is str:
        if len(value) > MAX_CONVERTED_LENGTH or not re.fullmatch(_WHOLE, value):
            raise ExpressionEvaluationError(f"{_quoted(value)} is not a whole number", where)
        digits = value.lstrip("-").lstrip("0")
        if len(digits) > _INT_DIGITS:
            raise ExpressionEvaluationError("the number does not fit into an int", where)
        return _int(int(value), where)
    raise _no_conversion("int", value, where)


def to_double(value: Any, where: Site) -> float:  # noqa: ANN401 - JSON
    """`double(value)`."""
    kind = type(value)
    if kind is float or kind is int:
        return float(value)
    if kind is str:
        if len(value) > MAX_CONVERTED_LENGTH or not re.fullmatch(_NUMERAL, value):
            raise ExpressionEvaluationError(f"{_quoted(value)} is not a number", where)
        return _double(float(value), where)
    raise _no_conversion("double", value, where)


def to_string(value: Any, where: Site) -> str:  # noqa: ANN401 - JSON
    """`string(value)`."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int:
        return str(value)
    if kind is float:
        return _double_text(value)
    error = _no_conversion("string", value, where)
    # Engines write a boolean as "true", as "True", or not at all (S3.2.5).
    raise NotPortableError(error.message, where) if kind is bool else error


def to_timestamp(value: Any, where: Site) -> Timestamp:  # noqa: ANN401 - JSON
    """`timestamp(value)`."""
    if type(value) is not str:
        raise _no_conversion("timestamp", value, where)
    try:
        return times.parse_timestamp(value)
    except ValueError as problem:
        raise ExpressionEvaluationError(f"{_quoted(value)}: {problem}", where) from None


def to_duration(value: Any, where: Site) -> Duration:  # noqa: ANN401 - JSON
    """`duration(value)`."""
    if type(value) is not str:
        raise _no_conversion("duration", value, where)
    try:
        return times.parse_duration(value)
    except ValueError as problem:
        raise ExpressionEvaluationError(f"{_quoted(value)}: {problem}", where) from None


def _double_text(value: float) -> str:
    """A double as cel-go writes it: Go's strconv with format g and the fewest digits (strconv/ftoa.go)."""
    written = repr(value)
    sign = "-" if written.startswith("-") else ""
    mantissa, _, power = written.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0"
    if point - 1 < -4 or point > _EXPONENT_FROM:  # noqa: PLR2004 - as Go
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[point:]}" if len(digits) > point else ""
    return f"{sign}{digits[:point].ljust(point, '0')}{rest}"


# Errors.


def no_overload(symbol: str, left: object, right: object, where: Site) -> ExpressionEvaluationError:
    """The error for operands that an operator does not take together."""
    names = f"{name_of(left)} {symbol} {name_of(right)}"
    return ExpressionEvaluationError(f"no such overload: {names}", where)


def _no_conversion(function: str, value: object, where: Site) -> ExpressionEvaluationError:
    """The error for a value that a conversion does not take."""
    return ExpressionEvaluationError(f"`{function}` does not take {name_of(value)}", where)


def _too_large(what: str, where: Site) -> ExpressionLimitError:
    """The error for a result that is too large."""
    return ExpressionLimitError(f"an expression does not make {what}", where)


def _quoted(text: str) -> str:
    """A text in a message: long ones are cut."""
    return f'"{text}"' if len(text) <= 40 else f'"{text[:36]}..."'  # noqa: PLR2004 - what fits a line

"""Quantities are read, added, compared and written exactly."""

from __future__ import annotations

import dataclasses
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workloadmap_spec.errors import ResultInvalidError, ResultTypeError
from workloadmap_spec.quantities import (
    MAX_INTEGER_DIGITS,
    MAX_TEXT_LENGTH,
    ZERO,
    Format,
    Quantity,
    QuantityError,
    json_type,
    parse,
)

BINARY = {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", start=1)}
DECIMAL = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    "": Fraction(1),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
}
INT64_MAX = 9223372036854775807

# The pattern that the custom resource definitions of Kubernetes give for a quantity, in ASCII.
DOCUMENTED = re.compile(
    r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?",
)


def value_of(text: str) -> Fraction:
    """The value of a text, by the rules, in fractions."""
    match = re.fullmatch(r"([^a-zA-Z]+)(.*)", text)
    assert match is not None
    number, suffix = Fraction(Decimal(match[1])), match[2]
    if suffix in BINARY:
        value = number * BINARY[suffix]
    elif suffix in DECIMAL:
        value = number * DECIMAL[suffix]
    else:
        value = number * Fraction(10) ** int(suffix[1:])
    magnitude = Fraction(math.ceil(abs(value) * 10**9), 10**9)
    if suffix in BINARY:
        magnitude = min(magnitude, Fraction(INT64_MAX))
    return magnitude if value > 0 else -magnitude


def integer_digits(text: str) -> int:
    """The digits before the point of a text with an exponent that may be too large to be written out, or less."""
    match = re.fullmatch(r"([^eE]+)[eE](.+)", text)
    number, power = (match[1], int(match[2])) if match and match[2] != "i" else (text.rstrip("EinumkKMGTP"), 0)
    return Decimal(number).adjusted() + 1 + power if Decimal(number) else 0


def value(quantity: Quantity) -> Fraction:
    """The value of a quantity."""
    return Fraction(quantity.nano, 10**9)


numbers = st.from_regex(r"[0-9]{1,22}(\.[0-9]{0,12})?|\.[0-9]{1,12}", fullmatch=True)
suffixes = st.sampled_from([*BINARY, *DECIMAL]) | st.builds("{}{}".format, st.sampled_from("eE"), st.integers(-30, 30))
texts = st.builds("{}{}{}".format, st.sampled_from(["", "+", "-"]), numbers, suffixes)
positive_texts = st.builds("{}{}".format, numbers, suffixes)
quantities = texts.map(parse)


@pytest.mark.parametrize(
    ("text", "expected", "canonical"),
    [
        ("0", "0", "0"),
        ("00", "0", "0"),
        ("-0", "0", "0"),
        ("0Ki", "0", "0"),
        ("0e5", "0", "0"),
        ("1", "1", "1"),
        ("+1", "1", "1"),
        ("007", "7", "7"),
        (".5", "1/2", "500m"),
        ("1.", "1", "1"),
        ("1.G", "1000000000", "1G"),
        ("0.1", "1/10", "100m"),
        ("1.5", "3/2", "1500m"),
        ("1.500", "3/2", "1500m"),
        ("1.08", "27/25", "1080m"),
        ("9.01", "901/100", "9010m"),
        ("1080000000n", "27/25", "1080m"),
        ("1000", "1000", "1k"),
        ("1000m", "1", "1"),
        ("1000M", "1000000000", "1G"),
        ("0.001T", "1000000000", "1G"),
        ("1234567M", "1234567000000", "1234567M"),
        ("1024", "1024", "1024"),
        ("1024Ki", "1048576", "1Mi"),
        ("1024Mi", "1073741824", "1Gi"),
        ("1025024Mi", "1074815565824", "1001Gi"),
        ("1.5Gi", "1610612736", "1536Mi"),
        ("0.5Mi", "524288", "512Ki"),
        ("0.05Gi", "268435456/5", "53687091200m"),
        ("100.035Ki", "2560896/25", "102435840m"),
        (".001Ki", "128/125", "1024m"),
        ("0.5Ki", "512", "512"),
        ("0.9765625Ki", "1000", "1k"),
        ("100m", "1/10", "100m"),
        ("1e3", "1000", "1e3"),
        ("1E3", "1000", "1e3"),
        ("1E+3", "1000", "1e3"),
        ("1e03", "1000", "1e3"),
        ("1E-3", "1/1000", "1e-3"),
        ("1e0", "1", "1"),
        ("5e2", "500", "500"),
        (".001e12", "1000000000", "1e9"),
        ("1000e-12", "1/1000000000", "1e-9"),
        ("1e100", "1" + 100 * "0", "10e99"),
        ("1e127", "1" + 127 * "0", "10e126"),
        (128 * "9", 128 * "9", 128 * "9"),
        ("1E", "1" + 18 * "0", "1E"),
        ("12E", "12" + 18 * "0", "12E"),
        ("10.0E", "10" + 18 * "0", "10E"),
        ("1000E", "1" + 21 * "0", "1000E"),
        ("999999999999999999.1", "9999999999999999991/10", "999999999999999999100m"),
        ("9223372036854775808", "9223372036854775808", "9223372036854775808"),
        ("-1.5", "-3/2", "-1500m"),
        ("-1Gi", "-1073741824", "-1Gi"),
        ("-512Mi", "-536870912", "-512Mi"),
    ],
)
def test_a_text_has_one_value_and_one_canonical_text(text: str, expected: str, canonical: str) -> None:
    """Read and write the vectors of the rules."""
    quantity = parse(text)
    assert value(quantity) == Fraction(expected)
    assert str(quantity) == canonical


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("0.9n", 1),
        ("3.001n", 4),
        ("-3.001n", -4),
        ("1.1E-9", 2),
        ("0.00000012345", 124),
        ("1e-10", 1),
        ("1e-999999999999999999", 1),
        ("-1e-999999999999999999", -1),
        (".000001Ki", 1024000),
        (".000000000001Ki", 2),
        ("1.0000000001", 1000000001),
    ],
)
def test_what_is_finer_than_a_nano_is_rounded_away_from_zero(text: str, nanos: int) -> None:
    """Nothing that is stated becomes zero."""
    assert parse(text).nano == nanos


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7Ei", 7 * 2**60),
        ("8Ei", INT64_MAX),
        ("9Ei", INT64_MAX),
        ("9223372036854775807Ki", INT64_MAX),
        ("-8Ei", -INT64_MAX),
        ("9223372036854775808", INT64_MAX + 1),
        ("12E", 12 * 10**18),
    ],
)
def test_only_binary_quantities_are_capped(text: str, expected: int) -> None:
    """The end of int64 is the end of BinarySI only."""
    assert value(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", Format.DECIMAL_SI),
        ("1m", Format.DECIMAL_SI),
        ("1E", Format.DECIMAL_SI),
        ("1Ei", Format.BINARY_SI),
        ("0Ki", Format.BINARY_SI),
        ("1E1", Format.DECIMAL_EXPONENT),
        ("1e-1", Format.DECIMAL_EXPONENT),
        (".000001Ki", Format.DECIMAL_SI),
        (".001Ki", Format.BINARY_SI),
    ],
)
def test_the_suffix_decides_the_format_unless_a_binary_value_is_below_one(text: str, expected: Format) -> None:
    """The format is part of a quantity."""
    assert parse(text).format is expected


TOO_LARGE = "{} is too large for a quantity [result-invalid]\n  a quantity has at most 128 digits before the point"
TOO_LONG = (
    "a quantity of 257 characters, beginning '0000000000000000', is too long [result-invalid]\n"
    "  a quantity has at most 256 characters"
)
NUMBER_FIRST = "it does not begin with a number"
WRITE_A_NUMBER = (
    "write a number and at most one suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3"
)


@pytest.mark.parametrize("text", [".", "-.", "+.", "-", "+", "m", "Ki", "Mi", "e3", "aoeu", "NaN", "Inf", "--1", ".i"])
def test_a_text_without_a_number_is_refused(text: str) -> None:
    """The parser of Kubernetes takes some of them for zero, its pattern none."""
    with pytest.raises(QuantityError) as caught:
        parse(text)
    assert str(caught.value) == f"{text!r} is not a quantity: {NUMBER_FIRST} [result-invalid]\n  {WRITE_A_NUMBER}"


@pytest.mark.parametrize(
    ("text", "number", "rest", "cure"),
    [
        ("1.1.M", "1.1", ".M", WRITE_A_NUMBER),
        ("1+1.0M", "1", "+1.0M", WRITE_A_NUMBER),
        ("0.1mi", "0.1", "mi", "write Mi; case matters"),
        ("0.1am", "0.1", "am", WRITE_A_NUMBER),
        (".5i", ".5", "i", WRITE_A_NUMBER),
        ("1i", "1", "i", WRITE_A_NUMBER),
        ("-3.01i", "-3.01", "i", WRITE_A_NUMBER),
        ("-3.01e-", "-3.01", "e-", WRITE_A_NUMBER),
        ("1e", "1", "e", WRITE_A_NUMBER),
        ("1e1.5", "1", "e1.5", WRITE_A_NUMBER),
        ("1e.5", "1", "e.5", WRITE_A_NUMBER),
        ("1e1_0", "1", "e1_0", WRITE_A_NUMBER),
        ("1K", "1", "K", "write k (decimal) or Ki (binary); case matters"),
        ("1KI", "1", "KI", "write Ki; case matters"),
        ("1ki", "1", "ki", "write Ki; case matters"),
        ("1ei", "1", "ei", "write Ei; case matters"),
        ("1g", "1", "g", "write G (decimal) or Gi (binary); case matters"),
        ("1GB", "1", "GB", "write G (decimal) or Gi (binary); case matters"),
        ("1MiB", "1", "MiB", "write Mi; case matters"),
        ("1_000", "1", "_000", WRITE_A_NUMBER),
        ("1,5", "1", ",5", WRITE_A_NUMBER),
        ("1 Gi", "1", " Gi", WRITE_A_NUMBER),
        ("0x10", "0", "x10", WRITE_A_NUMBER),
        ("10Mo", "10", "Mo", WRITE_A_NUMBER),
        ("10Mm", "10", "Mm", WRITE_A_NUMBER),
        ("10\u212a", "10", "\u212a", WRITE_A_NUMBER),
    ],
)
def test_a_text_with_a_wrong_rest_is_refused_and_a_cure_is_named(text: str, number: str, rest: str, cure: str) -> None:
    """The error says which part is meant and what to write."""
    with pytest.raises(QuantityError) as caught:
        parse(text)
    assert str(caught.value) == (
        f"{text!r} is not a quantity: {rest!r} after {number!r} is not a suffix [result-invalid]\n  {cure}"
    )


@pytest.mark.parametrize(
    ("given_value", "message"),
    [
        ("", 'an empty text is not a quantity [result-invalid]\n  leave it out, or write "0" for nothing'),
        (" ", 'an empty text is not a quantity [result-invalid]\n  leave it out, or write "0" for nothing'),
        (" 1", "' 1' is not a quantity: there is white space around it [result-invalid]\n  write '1'"),
        ("1 ", "'1 ' is not a quantity: there is white space around it [result-invalid]\n  write '1'"),
        ("1\n", "'1\\n' is not a quantity: there is white space around it [result-invalid]\n  write '1'"),
        ("1e128", TOO_LARGE.format("'1e128'")),
        ("-1e999999999999", TOO_LARGE.format("'-1e999999999999'")),
        (10**128, TOO_LARGE.format("the number")),
        (1e300, TOO_LARGE.format("the number")),
        (257 * "0", TOO_LONG),
        (math.nan, "nan is not a quantity [result-invalid]\n  write a finite number"),
        (-math.inf, "-inf is not a quantity [result-invalid]\n  write a finite number"),
    ],
    ids=lambda given_value: repr(given_value)[:20],
)
def test_what_cannot_be_a_quantity_is_refused(given_value: str | float, message: str) -> None:
    """The whole error is what a user sees."""
    with pytest.raises(QuantityError) as caught:
        parse(given_value)
    assert str(caught.value) == message
    assert isinstance(caught.value, ResultInvalidError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("found", "name"),
    [(None, "null"), (True, "a boolean"), ([1], "a list"), ({"cpu": 1}, "a map"), (Decimal(1), "Decimal")],
)
def test_what_is_neither_text_nor_a_number_is_of_the_wrong_type(found: Any, name: str) -> None:  # noqa: ANN401 - any
    """A wrong type is another class of error than a wrong text."""
    with pytest.raises(ResultTypeError) as caught:
        parse(found)
    assert str(caught.value) == f"expected a quantity, which is text or a number, and found {name} [result-type]"


def test_every_json_type_has_a_name() -> None:
    """Errors name types in the words of JSON."""
    values: list[object] = [None, False, 1, 1.5, "", [], {}]
    assert [json_type(each) for each in values] == [
        "null",
        "a boolean",
        "a number",
        "a number",
        "a string",
        "a list",
        "a map",
    ]


@pytest.mark.parametrize("digit", ["\u0663", "\u0967", "\uff11", "\U0001d7d9", "\u00b2", "\u2460"])
@pytest.mark.parametrize("form", ["{}", "1{}", "1.{}", "{}Gi", "1e{}", "-{}"])
def test_digits_of_other_scripts_are_refused(form: str, digit: str) -> None:
    """Python would take several of them for digits."""
    with pytest.raises(QuantityError):
        parse(form.format(digit))


@pytest.mark.parametrize(
    ("number", "canonical"),
    [
        (0, "0"),
        (4, "4"),
        (2000, "2k"),
        (1073741824, "1073741824"),
        (-3, "-3"),
        (0.5, "500m"),
        (1e-7, "100n"),
        (1e3, "1k"),
    ],
)
def test_a_number_is_decimal(number: float, canonical: str) -> None:
    """A JSON number carries no format."""
    assert str(parse(number)) == canonical
    assert parse(number).format is Format.DECIMAL_SI


@pytest.mark.parametrize(
    ("less", "more"),
    [("1n", "1u"), ("999m", "1"), ("-1", "0"), ("-2Gi", "-1Gi"), ("1G", "1Gi"), ("100Gi", "10000T"), ("8E", "7Ei")],
)
def test_order_is_by_value(less: str, more: str) -> None:
    """Neither suffix nor format decides."""
    a, b = parse(less), parse(more)
    assert a < b
    assert a <= b
    assert b > a
    assert b >= a
    assert a != b
    assert max(a, b) is b


@pytest.mark.parametrize(("one", "other"), [("1024Mi", "1Gi"), ("1000m", "1"), ("200M", "0.2G"), ("1e3", "1k")])
def test_equality_ignores_the_format(one: str, other: str) -> None:
    """Equal quantities have equal hashes."""
    a, b = parse(one), parse(other)
    assert a == b
    assert hash(a) == hash(b)
    assert a <= b <= a
    assert max(a, b) is a


def test_a_quantity_equals_nothing_else() -> None:
    """A number is no quantity until it is parsed."""
    assert parse("1") != 1
    assert ZERO != None  # noqa: E711 - the comparison is what is tested


def test_a_quantity_cannot_be_changed() -> None:
    """Quantities are shared by the cache of the parser."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse("1").nano = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("terms", "canonical"),
    [
        (["1Ki", "1"], "1025"),
        (["1Gi", "1Gi"], "2Gi"),
        (["1Gi", "1G"], "2073741824"),
        (["1G", "1Gi"], "2073741824"),
        (["24", "1000Ki"], "1024024"),
        (["0", "512Mi", "512Mi"], "1Gi"),
        (["0Ki", "1e3", "1k"], "2e3"),
        (["1Mi", "500m"], "1048576500m"),
        (["900m", "100m"], "1"),
        (["7Ei", "7Ei"], "16140901064495857664"),
        (["999E", "1E"], "1000E"),
        (["0", "0Ki"], "0"),
    ],
)
def test_a_sum_has_the_format_of_its_first_term_that_is_not_zero(terms: list[str], canonical: str) -> None:
    """Add from left to right."""
    assert str(sum(map(parse, terms), ZERO)) == canonical


@pytest.mark.parametrize(
    ("text", "milli"), [("1", 1000), ("1m", 1), ("1n", 1), ("0", 0), ("1500u", 2), ("-1500u", -2), ("1Ki", 1024000)]
)
def test_thousandths_are_rounded_away_from_zero(text: str, milli: int) -> None:
    """A part of a thousandth counts as a whole one."""
    assert parse(text).milli() == milli


@given(texts)
@example("1023Ki")
@example("9223372036854775807e-9")
@example("0.9999999999Ki")
def test_the_value_is_that_of_the_oracle(text: str) -> None:
    """Fractions give the same value."""
    assert value(parse(text)) == value_of(text)


@given(texts)
def test_reading_what_is_written_gives_the_same(text: str) -> None:
    """The canonical text keeps the value, and is its own canonical text."""
    quantity = parse(text)
    written = str(quantity)
    assert parse(written) == quantity
    assert str(parse(written)) == written
    assert DOCUMENTED.fullmatch(written)


@given(quantities)
def test_the_canonical_text_cannot_be_shorter(quantity: Quantity) -> None:
    """No further step of the suffix would leave an integer."""
    match = re.fullmatch(r"-?([0-9]+)(.*)", str(quantity))
    assert match is not None
    mantissa, suffix = int(match[1]), match[2]
    if suffix in BINARY:
        assert mantissa % 1024 or suffix == "Ei"
        assert quantity.format is Format.BINARY_SI
    elif mantissa:
        assert mantissa % 1000 or suffix == "E"


@given(texts, texts)
def test_comparisons_are_those_of_the_values(one: str, other: str) -> None:
    """All six comparisons agree with fractions."""
    a, b, x, y = parse(one), parse(other), value_of(one), value_of(other)
    assert (a < b, a <= b, a == b, a >= b, a > b) == (x < y, x <= y, x == y, x >= y, x > y)
    assert value(max(a, b)) == max(x, y)


@given(quantities, quantities, quantities)
def test_addition_is_exact_commutative_and_associative(a: Quantity, b: Quantity, c: Quantity) -> None:
    """Sums are those of fractions, also beyond every cap."""
    assert value(a + b) == value(a) + value(b)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert str((a + b) + c) == str(a + b + c)
    assert parse(str(a + b)) == a + b
    assert a + ZERO == a


@given(st.lists(positive_texts, min_size=1, max_size=6))
def test_the_format_of_a_sum_does_not_depend_on_how_it_is_grouped(terms: list[str]) -> None:
    """Only the order of the terms decides."""
    parsed = [parse(term) for term in terms]
    first = next((each.format for each in parsed if each.nano), None)
    from_left = sum(parsed, ZERO)
    from_right = ZERO
    for each in reversed(parsed):
        from_right = each + from_right
    assert str(from_left) == str(from_right)
    assert first is None or from_left.format is first


@given(quantities, st.integers(0, 50), st.integers(-(10**12), 10**12))
def test_multiplication_is_repeated_addition(quantity: Quantity, few: int, many: int) -> None:
    """A product is a sum of equal terms."""
    assert quantity * few == sum([quantity] * few, ZERO)
    assert value(quantity * many) == value(quantity) * many
    assert many * quantity == quantity * many
    assert (quantity * many).format is quantity.format


@given(st.text() | st.text("0123456789.+-eEinumkKMGTP _") | texts | st.from_regex(DOCUMENTED, fullmatch=True))
@example("1e0.")
@example("1E1Ki")
@example("1e99999999999")
@example("0e99999999999")
@example("1e-99999999999")
def test_every_text_gives_a_quantity_or_our_error(text: str) -> None:
    """What is accepted is what both the pattern and the parser of Kubernetes accept."""
    whole_exponent = re.search(r"[eE]([^i]*)\Z", text)
    accepted = DOCUMENTED.fullmatch(text) and not (whole_exponent and "." in whole_exponent[1])
    try:
        quantity = parse(text)
    except QuantityError:
        # The largest suffix is 19 digits long.
        assert not accepted or len(text) > MAX_TEXT_LENGTH or integer_digits(text) > MAX_INTEGER_DIGITS - 19
    else:
        assert accepted
        assert abs(value(quantity)) < 10**MAX_INTEGER_DIGITS


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_decimal(number: float) -> None:
    """A float has the value that its text in JSON has."""
    if abs(number) >= 10**MAX_INTEGER_DIGITS:
        with pytest.raises(QuantityError):
            parse(number)
        return
    magnitude = Fraction(math.ceil(abs(Fraction(Decimal(repr(number)))) * 10**9), 10**9)
    exact = Fraction(int(abs(number))) if number.is_integer() else magnitude
    assert abs(value(parse(number))) == exact
    assert value(parse(number)) * Fraction(number) >= 0


@given(st.integers(-(10**MAX_INTEGER_DIGITS) + 1, 10**MAX_INTEGER_DIGITS - 1))
def test_an_integer_is_itself(number: int) -> None:
    """Whole numbers are kept exactly up to the limit."""
    assert value(parse(number)) == number
    assert parse(str(number)) == parse(number)

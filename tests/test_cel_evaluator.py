"""What expressions give: a table of every construct, and what cannot be said in a table."""

from __future__ import annotations

import contextlib
import copy
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workloadmap_spec.cel import DYN, ROOTS, Program, Scope, check, compile_expression, parse
from workloadmap_spec.cel.limits import INT_MAX, INT_MIN, MAX_LIST_RESULT, MAX_RANGE, MAX_STEPS, MAX_STRING_RESULT
from workloadmap_spec.errors import EvaluationError, ExpressionCheckError, LimitExceededError

PROFILE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "cel_profile.yaml").read_text("utf-8"))
ROWS = [(feature, row) for feature, rows in PROFILE["features"].items() for row in rows]
SCOPE = Scope({name: ROOTS.get(name, DYN) for name in PROFILE["bindings"]})


def program(text: str) -> Program:
    """The program of an expression, which need not be in the profile."""
    return compile_expression(parse(text), text)


def exactly(value: object) -> object:
    """A value with its types, so that 1, 1.0 and true differ."""
    if isinstance(value, list):
        return [exactly(element) for element in value]
    if isinstance(value, dict):
        return {key: exactly(element) for key, element in value.items()}
    return type(value), value


@pytest.mark.parametrize(("feature", "row"), ROWS, ids=[f"{feature}: {row['expression']}" for feature, row in ROWS])
def test_every_construct_gives_what_the_specification_says(feature: str, row: dict[str, Any]) -> None:
    """Each row gives its value, of its type, or its error, and is in the profile."""
    assert feature
    text = row["expression"]
    bindings = copy.deepcopy(PROFILE["bindings"])
    errors = [finding for finding in check(parse(text), text, SCOPE) if finding.level == "error"]
    assert errors == []
    if "error" in row:
        with pytest.raises(EvaluationError) as caught:
            program(text)(bindings)
        assert caught.value.message == row["error"]
        assert caught.value.error_class == "expression-eval"
    else:
        assert exactly(program(text)(bindings)) == exactly(row["value"])
    assert bindings == PROFILE["bindings"], "the variables are as they were"


def test_the_table_is_not_empty() -> None:
    """A table that was emptied by mistake would pass."""
    assert len(ROWS) >= 150
    assert all("value" in row or "error" in row for _, row in ROWS)


ERRORS = {
    "object.spec.replicas + object.nope": """\
no such key `nope` [expression-eval]
    object.spec.replicas + object.nope
                                  ^~~~""",
    'object.spec["no key"]': """\
no such key `no key` [expression-eval]
    object.spec["no key"]
                ^~~~~~~~""",
    "object.spec.replicas / 0": """\
division by zero [expression-eval]
    object.spec.replicas / 0
    ^~~~~~~~~~~~~~~~~~~~~~~~""",
    "true\n  && object.spec.name.exists(x, true)": """\
`exists` ranges over a list, not over string [expression-eval]
      && object.spec.name.exists(x, true)
         ^~~~~~~~~~~~~~~~""",
    "missing.x": """\
the variable `missing` has no value [expression-eval]
    missing.x
    ^~~~~~~""",
    "missing": """\
the variable `missing` has no value [expression-eval]
    missing
    ^~~~~~~""",
    "has(missing.x.y)": """\
the variable `missing` has no value [expression-eval]
    has(missing.x.y)
        ^~~~~~~""",
}


@pytest.mark.parametrize(("text", "shown"), ERRORS.items(), ids=ERRORS)
def test_an_error_shows_the_part_that_failed(text: str, shown: str) -> None:
    """The text of an error has the expression, and marks under the part."""
    with pytest.raises(EvaluationError) as caught:
        program(text)(copy.deepcopy(PROFILE["bindings"]))
    assert str(caught.value) == shown


def test_an_error_without_the_text_is_one_line() -> None:
    """Who compiles a tree without its text gets the message alone."""
    with pytest.raises(EvaluationError) as caught:
        compile_expression(parse("1 / 0"))({})
    assert str(caught.value) == "division by zero [expression-eval]"


# Types are kept apart.

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([0.5, 1.5, -2.5]),
    st.sampled_from(["", "1", "a", "true"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_values_are_equal_when_they_and_their_types_are(left: object, right: object) -> None:
    """`==` keeps 1, true and "1" apart, also inside lists and maps."""
    same = exactly(left) == exactly(right)
    bindings = {"left": left, "right": right, "items": [right]}
    assert program("left == right")(bindings) is same
    assert program("left != right")(bindings) is not same
    assert program("left in items")(bindings) is same
    assert program("items.exists(x, x == left)")(bindings) is same


@given(VALUES)
def test_a_literal_equals_only_values_of_its_type(value: object) -> None:
    """Comparing with a literal is compiled in another way, and means the same."""
    for literal, itself in (("1", 1), ("true", True), ('"1"', "1"), ("0", 0), ("false", False), ("null", None)):
        same = exactly(value) == exactly(itself)
        assert program(f"x == {literal}")({"x": value}) is same
        assert program(f"{literal} == x")({"x": value}) is same
        assert program(f"x != {literal}")({"x": value}) is not same


@given(st.integers(INT_MIN, INT_MAX), st.integers(INT_MIN, INT_MAX))
def test_integers_are_those_of_64_bits(left: int, right: int) -> None:
    """Results are exact, division is cut towards zero, and what does not fit is an error."""
    bindings = {"l": left, "r": right}
    quotient = abs(left) // abs(right or 1) * (1 if (left < 0) == (right < 0) else -1)
    expected = {
        "l + r": left + right,
        "l - r": left - right,
        "l * r": left * right,
        "-l": -left,
        "l / r": quotient if right else None,
        "l + 1": left + 1,
        "l - 1": left - 1,
        "l * 3": left * 3,
    }
    for text, value in expected.items():
        if value is not None and INT_MIN <= value <= INT_MAX:
            assert program(text)(bindings) == value
        else:
            with pytest.raises(EvaluationError):
                program(text)(bindings)


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool))
def test_quotient_and_rest_make_the_whole(left: int, right: int) -> None:
    """`l == l / r * r + l % r`, and the rest has the sign of the left."""
    bindings = {"l": left, "r": right}
    assert program("l / r * r + l % r")(bindings) == left
    assert program("l % r")(bindings) * left >= 0


def test_the_smallest_integer_has_no_positive() -> None:
    """The cases in which 64 bits overflow in a division."""
    for text in ("l / -1", "l % -1", "-l", "l * -1"):
        with pytest.raises(EvaluationError, match="does not fit into an int"):
            program(text)({"l": INT_MIN})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-0.0045, "-0.0045"),
        (12345.678, "12345.678"),
        (100000.0, "100000"),
        (1234567.0, "1.234567e+06"),
        (1e21, "1e+21"),
        (123456789012345680.0, "1.2345678901234568e+17"),
        (5e-324, "5e-324"),
    ],
)
def test_a_double_is_written_as_go_writes_it(value: float, text: str) -> None:
    """The shortest digits, with an exponent below 1e-4 and from 1e6 on."""
    assert program("string(x)")({"x": value}) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_and_its_text_are_the_same(value: float) -> None:
    """`double(string(x)) == x`."""
    assert program("double(string(x))")({"x": value}) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("int(x)", "9" * 600),
        ("int(x)", "0" * 30 + "9223372036854775808"),
        ("int(x)", "-9223372036854775809"),
        ("int(x)", 9.3e18),
        ("int(x)", -9223372036854775808.0),
        ("int(x)", "\N{ARABIC-INDIC DIGIT ONE}"),
        ("int(x)", "1_000"),
        ("int(x)", " 1"),
        ("int(x)", ""),
        ("double(x)", "1e999"),
        ("double(x)", "inf"),
        ("double(x)", "NaN"),
        ("double(x)", "1" * 600),
        ("double(x)", "0x10"),
        ("timestamp(x) == timestamp(x)", "2025-02-30T03:04:05Z"),
        ("timestamp(x) == timestamp(x)", "2025-02-29T03:04:05Z"),
        ("timestamp(x) == timestamp(x)", "2100-02-29T03:04:05Z"),
        ("timestamp(x) == timestamp(x)", "2025-13-01T03:04:05Z"),
        ("timestamp(x) == timestamp(x)", "2025-01-02T24:04:05Z"),
        ("timestamp(x) == timestamp(x)", "2025-01-02T23:59:60Z"),
        ("timestamp(x) == timestamp(x)", "2025-01-02T23:59:59+24:00"),
        ("timestamp(x) == timestamp(x)", "2025-01-02t23:59:59z"),
        ("timestamp(x) == timestamp(x)", "2025-01-02 23:59:59Z"),
        ("timestamp(x) == timestamp(x)", "2025-01-02T23:59:59"),
        ("timestamp(x) == timestamp(x)", "2025-01-02"),
        ("timestamp(x) == timestamp(x)", "2025-01-02T23:59:59.1234567890Z"),
        ("timestamp(x) == timestamp(x)", "0000-01-01T00:00:00Z"),
        ("timestamp(x) == timestamp(x)", "0001-01-01T00:00:00+00:01"),
        ("timestamp(x) == timestamp(x)", "9999-12-31T23:59:59-00:01"),
        ("duration(x) == duration(x)", "320000000000s"),
        ("duration(x) == duration(x)", "5"),
        ("duration(x) == duration(x)", ""),
        ("duration(x) == duration(x)", "1d"),
        ("duration(x) == duration(x)", "-5s"),
        ("duration(x) == duration(x)", "1h " * 300),
        ("x + duration('1s') == x", 1),
        ("x - duration('1s') == x", 1),
    ],
)
def test_what_is_no_number_and_no_time_is_an_error(text: str, value: object) -> None:
    """Conversions take what the profile names (P13, P17), and nothing that only some engines take."""
    with pytest.raises(EvaluationError):
        program(text)({"x": value})


def test_times_are_no_results() -> None:
    """A program that was not checked does not let a timestamp out either."""
    for text in ("timestamp(x)", "[timestamp(x)]", '{"a": timestamp(x)}', "duration('1s')"):
        with pytest.raises(EvaluationError, match="which is no value of JSON"):
            program(text)({"x": "2025-01-02T03:04:05Z"})
    assert program("[timestamp(x) == timestamp(x)]")({"x": "2025-01-02T03:04:05Z"}) == [True]


def test_durations_and_timestamps_are_different_things() -> None:
    """Both are a number of nanoseconds inside, and are not compared by it."""
    with pytest.raises(EvaluationError, match="no such overload"):
        program("timestamp('1970-01-01T00:00:00Z') < duration('0s')")({})
    assert program("timestamp('1970-01-01T00:00:00Z') == duration('0s')")({}) is False


@pytest.mark.parametrize("text", ["nope(1)", "x.nope()", "type(1)", "{1: 2}", "x.matches('a')", "size(1, 2)"])
def test_what_was_not_checked_is_refused_when_compiled(text: str) -> None:
    """The compiler has no function that the profile does not have."""
    with pytest.raises(ExpressionCheckError):
        program(text)


# Limits.


def test_a_macro_visits_a_thousand_elements() -> None:
    """One element more is too many, whatever the macro."""
    for macro in ("all(x, true)", "exists(x, false)", "exists_one(x, false)", "filter(x, true)", "map(x, x)"):
        run = program(f"l.{macro}")
        run({"l": [1] * MAX_RANGE})
        with pytest.raises(LimitExceededError) as caught:
            run({"l": [1] * (MAX_RANGE + 1)})
        assert caught.value.message == "a macro visits at most 1,000 elements, and here are 1,001"
        assert caught.value.error_class == "limit-exceeded"


HOSTILE = {
    "a comparison of all with all": "l.all(x, l.all(y, x == y || x != y || x == y || x != y))",
    "an inner loop that fails each time": "l.exists(x, l.map(y, y == 999 ? 1 / 0 : y).size() == 0)",
    "an inner loop that is filtered": "l.map(x, l.filter(y, y != x && y != x && y != x).size())",
    "lists that are compared": "l.all(x, l.all(y, big == other))",
    "maps that are compared": "l.all(x, m == n)",
    "a list that is searched": "l.all(x, l.exists(y, 'nope' in big) || true)",
    "a list that is searched for a list": "l.all(x, l.exists(y, big in lists) || true)",
    "a list that is added to a list": "l.all(x, l.exists(y, (l + l).size() == 0) || true)",
    "a text that is searched": "l.all(x, l.exists(y, text.contains('nope')) || true)",
    "texts that are compared": "l.all(x, l.exists(y, text != text2) || true)",
    "a text that is added to": "l.all(x, l.exists(y, (part + 'x') == '') || true)",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_work_is_bounded(text: str) -> None:
    """A hostile expression ends after so many steps, and no operator catches the end."""
    bindings: dict[str, Any] = {
        "l": list(range(MAX_RANGE)),
        "big": ["x" * 100] * 20_000,
        "other": ["x" * 100] * 20_000,
        "lists": [["x" * 100] * 20_000] * 50,
        "m": {str(n): [n] * 10 for n in range(5000)},
        "n": {str(n): [n] * 10 for n in range(5000)},
        "text": "a" * 1_000_000,
        "text2": "a" * 999_999 + "b",
        "part": "a" * 60_000,
    }
    names = set(bindings)
    with pytest.raises(LimitExceededError) as caught:
        program(f"({text}) || true")(bindings)
    assert caught.value.message == f"an expression takes at most {MAX_STEPS:,} steps"
    assert set(bindings) == names, "nothing is left behind"


def test_honest_work_is_not_stopped() -> None:
    """A hundred elements compared with a hundred are far below the budget."""
    bindings = {"l": [{"name": f"n{n}", "size": n} for n in range(100)]}
    assert program("l.all(x, l.exists(y, y.name == x.name && y.size == x.size))")(bindings) is True


def test_results_are_bounded() -> None:
    """A chain that doubles a text or a list stops at the limit."""
    with pytest.raises(LimitExceededError, match="an expression does not make a string of more than 65,536 characters"):
        program("x + 'y'")({"x": "x" * MAX_STRING_RESULT})
    with pytest.raises(LimitExceededError, match="an expression does not make a list of more than 10,000 elements"):
        program("x + [1]")({"x": [1] * MAX_LIST_RESULT})
    assert len(program("x + 'y'")({"x": "x" * (MAX_STRING_RESULT - 1)})) == MAX_STRING_RESULT
    doubling = "[s]" + ".map(x, x + x)" * 20
    with pytest.raises(LimitExceededError):
        program(doubling)({"s": "x" * 1000})


def test_the_error_of_a_limit_shows_where() -> None:
    """The text of the error marks the macro, and says what to do."""
    with pytest.raises(LimitExceededError) as caught:
        program("l.all(x, l.all(y, x != y || true))")({"l": list(range(MAX_RANGE))})
    assert (
        str(caught.value)
        == """\
an expression takes at most 1,000,000 steps [limit-exceeded]
    l.all(x, l.all(y, x != y || true))
               ^~~
  visit fewer elements, or declare the inner list as a variable"""
    )


# The variables of the caller.


@pytest.mark.parametrize("text", ["l.map(x, x / 0)", "l.all(x, x > 0)", "l.filter(x, x.y)", "l.exists(x, x == 9)"])
@pytest.mark.parametrize("hidden", [{}, {"x": "mine"}], ids=["free", "hidden"])
def test_a_macro_leaves_no_variable_behind(text: str, hidden: dict[str, Any]) -> None:
    """Also after an error, the variables are those that were given."""
    bindings = {"l": [1, 2], **hidden}
    before = dict(bindings)
    with contextlib.suppress(EvaluationError):
        program(text)(bindings)
    assert bindings == before


def test_one_program_serves_many_threads() -> None:
    """Threads with variables of their own do not see each other."""
    run = program("l.map(x, l.filter(y, y < x).size())")
    failures: list[object] = []

    def work(size: int) -> None:
        for _ in range(50):
            found = run({"l": list(range(size))})
            if found != list(range(size)):
                failures.append(found)

    threads = [threading.Thread(target=work, args=(size,)) for size in (3, 20, 50, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_results_do_not_share_what_an_expression_makes() -> None:
    """A literal list is a new one each time, so that nobody changes another's."""
    run = program("[1, 2]")
    first = run({})
    first.append(3)
    assert run({}) == [1, 2]

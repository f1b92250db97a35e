"""The data rules N1 to N6 on Python data."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import math
import types
from collections import OrderedDict, defaultdict
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workloadmap_spec.canonical import dumps
from workloadmap_spec.data_rules import CLEAN, CLEAN_WITH_SMALL_FLOATS, UNCLEAN, survey
from workloadmap_spec.documents import normalize
from workloadmap_spec.errors import InputError
from workloadmap_spec.limits import MAX_COUNT, MAX_DEPTH, MAX_DOCUMENT_BYTES
from workloadmap_spec.pointer import JSON, resolve


class Text(str):
    """A string of a client library."""

    __slots__ = ()

    def __str__(self) -> str:
        """Something else than the content, as enumerations of strings have it."""
        return "not the content"


class Color(enum.IntEnum):
    """An int of a client library."""

    RED = 1


class Fraction(float):
    """A float of a client library."""

    __slots__ = ()


class ScalarBoolean(int):
    """The class in which ruamel.yaml keeps a boolean with an anchor."""


class Items(list[Any]):
    """A list of a client library."""


#: Values that keep the rules; they must come back as the same object.
CLEAN_VALUES = [
    {},
    [],
    {"a": 1, "b": "x", "c": [1, None, True, 0.5], "d": {"e": []}},
    {"big": MAX_COUNT, "small": -MAX_COUNT},
    {"tiny": 1e-7},
    {"text": "é 😀 \x01 \u2028"},
    [[None]],
]


@pytest.mark.parametrize("value", CLEAN_VALUES, ids=repr)
def test_a_clean_value_is_returned_as_it_is(value: object) -> None:
    """This is what happens on every read."""
    assert normalize(value) is value


@pytest.mark.parametrize("value", [None, True, 1, 0.5, "x"], ids=repr)
def test_scalars_are_documents_too(value: object) -> None:
    """The rules are about values, whatever a caller wants of a document."""
    assert normalize(value) is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"a": 1.0}, {"a": 1}, id="N1-whole-float-is-an-int"),
        pytest.param({"a": -0.0}, {"a": 0}, id="N1-minus-zero-is-zero"),
        pytest.param({"a": [float(MAX_COUNT)]}, {"a": [MAX_COUNT]}, id="N1-largest-whole-float"),
        pytest.param(2.0, 2, id="N1-at-the-root"),
        pytest.param({"a": None, "b": {"c": None}}, {"b": {}}, id="N2-null-entries-go"),
        pytest.param({"a": [None, {"b": None}]}, {"a": [None, {}]}, id="N2-null-elements-stay"),
        pytest.param(OrderedDict(a=OrderedDict(b=1)), {"a": {"b": 1}}, id="N5-ordered-dict"),
        pytest.param(defaultdict(int, a=1), {"a": 1}, id="N5-default-dict"),
        pytest.param({Text("k"): Text("v")}, {"k": "v"}, id="N5-string-subclass"),
        pytest.param({"a": Color.RED}, {"a": 1}, id="N5-int-enumeration"),
        pytest.param({"a": Fraction(0.5), "b": Fraction(2.0)}, {"a": 0.5, "b": 2}, id="N5-float-subclass"),
        pytest.param({"a": ScalarBoolean(1), "b": ScalarBoolean(0)}, {"a": True, "b": False}, id="N5-ruamel-boolean"),
        pytest.param({"a": Items([1, Items()])}, {"a": [1, []]}, id="N5-list-subclass"),
    ],
)
def test_what_can_be_repaired_is_repaired_in_a_copy(value: JSON, expected: object) -> None:
    """The argument belongs to the caller."""
    before = copy.deepcopy(value)
    result = normalize(value)
    assert result == expected
    assert plain_types(result)
    assert value == before


def plain_types(value: object) -> bool:
    """Whether a value is made of the seven types only."""
    if type(value) is dict:
        return all(type(key) is str and plain_types(item) for key, item in value.items())
    if type(value) is list:
        return all(plain_types(item) for item in value)
    return type(value) in {str, int, float, bool, type(None)}


def test_bool_is_not_int() -> None:
    """Although it is a subclass in Python."""
    result = normalize({"a": True, "b": 1.0})
    assert result == {"a": True, "b": 1}
    assert [type(item) for item in result.values()] == [bool, int]


def test_what_does_not_change_is_shared() -> None:
    """One null in a status must not cost a copy of the spec."""
    value: dict[str, Any] = {"metadata": {"labels": {}}, "spec": {"replicas": 1.0, "template": {"x": 1}}}
    result = normalize(value)
    assert result["metadata"] is value["metadata"]
    assert result["spec"]["template"] is value["spec"]["template"]


def test_order_of_keys_is_kept() -> None:
    """People read what is written in the order in which they wrote it."""
    assert list(normalize({"z": 1, "n": None, "a": 2.0, "m": 3})) == ["z", "a", "m"]


def nested(depth: int) -> JSON:
    """Lists inside each other."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def cycle() -> JSON:
    """A value that contains itself, as PyYAML makes of `&a [*a]`."""
    value: list[Any] = []
    value.append(value)
    return value


QUOTE = "quote it to make it text, or write a smaller number"
BEYOND = "is beyond 9007199254740991 (2^53-1), where readers disagree about the value"
KEY_CURE = "write the key as a string, or load the text with workloadmap_spec.documents"
DATE_CURE = "quote the timestamp in the YAML, or load the text with workloadmap_spec.documents, which keeps it"
PLAIN_CURE = "convert it to a dict, list, str, int, float, bool or None"


@pytest.mark.parametrize(
    ("value", "pointer", "message", "cure"),
    [
        pytest.param({"a": [2**53]}, "/a/0", f"9007199254740992 {BEYOND}", QUOTE, id="N1-int"),
        pytest.param({"a": -(2**53)}, "/a", f"-9007199254740992 {BEYOND}", QUOTE, id="N1-negative-int"),
        pytest.param({"a": 1e36}, "/a", f"1e+36 {BEYOND}", QUOTE, id="N1-float"),
        pytest.param({"a": 10**5000}, "/a", f"an integer of more than 30 digits {BEYOND}", QUOTE, id="N1-huge"),
        pytest.param(
            {"a": math.nan},
            "/a",
            "NaN is not a number that JSON has",
            "leave it out, or quote it to make it text",
            id="N1-nan",
        ),
        pytest.param(
            {"a": -math.inf},
            "/a",
            "an infinity is not a number that JSON has",
            "leave it out, or quote it to make it text",
            id="N1-infinity",
        ),
        pytest.param(
            {"a": cycle()},
            "/a/0",
            "the value contains itself",
            "remove the reference back to one of its parents",
            id="N3-cycle",
        ),
        pytest.param(
            nested(MAX_DEPTH + 1),
            "/0" * MAX_DEPTH,
            "maps and lists nest more than 100 deep",
            "flatten the document",
            id="N3-depth",
        ),
        pytest.param({"a": {1: 2}}, "/a", "a key is a number (`1`), not a string", KEY_CURE, id="N3-int-key"),
        pytest.param({True: 2}, "", "a key is a boolean (`True`), not a string", KEY_CURE, id="N3-bool-key"),
        pytest.param({None: 2}, "", "a key is null, not a string", KEY_CURE, id="N3-null-key"),
        pytest.param({10**5000: 2}, "", "a key is a number, not a string", KEY_CURE, id="N3-huge-key"),
        pytest.param(
            {"a": "x\0"},
            "/a",
            "a string holds the character NUL (U+0000)",
            "remove it: Kubernetes does not store it",
            id="N3-nul",
        ),
        pytest.param(
            {"a": {"\0": 1}},
            "/a",
            "a string holds the character NUL (U+0000)",
            "remove it: Kubernetes does not store it",
            id="N3-nul-in-a-key",
        ),
        pytest.param(
            {"a": "\ud83d"},
            "/a",
            "half of a character (the lone surrogate U+D83D) stands in a string",
            "write the whole character: it takes two \\u escapes, or none",
            id="N3-surrogate",
        ),
        pytest.param({"a": (1,)}, "/a", "a tuple is not a JSON value", "convert it with list()", id="N5-tuple"),
        pytest.param({"a": {1}}, "/a", "a set is not a JSON value", "convert it with list()", id="N5-set"),
        pytest.param({"a": b"x"}, "/a", "a bytes is not a JSON value", "decode it to a str", id="N5-bytes"),
        pytest.param({"a": Decimal(1)}, "/a", "a Decimal is not a JSON value", PLAIN_CURE, id="N5-decimal"),
        pytest.param(
            {"a": dt.date(2018, 7, 20)},
            "/a",
            "a date is not a JSON value",
            DATE_CURE,
            id="N5-date",
        ),
        pytest.param(
            {"metadata": {"creationTimestamp": dt.datetime(2018, 7, 20, tzinfo=dt.UTC)}},
            "/metadata/creationTimestamp",
            "a datetime is not a JSON value",
            DATE_CURE,
            id="N5-datetime",
        ),
        pytest.param(
            {"a": types.MappingProxyType({})},
            "/a",
            "a mappingproxy is not a JSON value",
            PLAIN_CURE,
            id="N5-mapping-that-is-no-dict",
        ),
        pytest.param({"a": object()}, "/a", "an object is not a JSON value", PLAIN_CURE, id="N5-object"),
    ],
)
def test_what_cannot_be_repaired_is_told(value: object, pointer: str, message: str, cure: str) -> None:
    """What was found, where, and what to do."""
    with pytest.raises(InputError) as caught:
        normalize(value)
    assert (caught.value.location.pointer, caught.value.message, caught.value.cure) == (pointer, message, cure)


def test_objects_of_the_kubernetes_client_get_their_own_cure() -> None:
    """Users of the client meet this first."""
    # Importing the client takes a second; what counts is where the class says that it comes from.
    pod = type("V1Pod", (), {"__module__": "kubernetes.client.models.v1_pod"})()
    with pytest.raises(InputError) as caught:
        normalize({"a": pod})
    assert caught.value.message == "a V1Pod is not a JSON value"
    assert caught.value.cure == "convert it with kubernetes.client.ApiClient().sanitize_for_serialization()"


def test_the_deepest_document_is_a_document() -> None:
    """The limit itself is allowed."""
    value = nested(MAX_DEPTH)
    assert normalize(value) is value


def test_a_large_document_is_a_document() -> None:
    """Beyond the size that the fast pass takes."""
    value = {"a": [0] * (2**20 + 1), "b": [{"c": 1}] * 1000}
    assert survey(value) == UNCLEAN
    assert normalize(value) is value


def test_a_shared_value_is_not_a_cycle() -> None:
    """It is in two places, and in neither below itself."""
    shared = {"x": 1.0}
    assert normalize({"a": shared, "b": [shared, shared]}) == {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}]}


@pytest.mark.parametrize("leaf", ["x" * 1000, 1, None, 1.0, [], {"k": "v"}], ids=repr)
def test_a_value_that_repeats_its_parts_without_end_is_refused_in_time(leaf: object) -> None:
    """2^90 paths in 90 objects."""
    value: JSON = leaf
    for _ in range(90):
        value = [value, value]
    with pytest.raises(InputError) as caught:
        normalize({"a": value})
    assert caught.value.message == f"the document is larger than {MAX_DOCUMENT_BYTES} bytes of JSON"


def test_many_references_to_a_long_string_are_not_joined() -> None:
    """A terabyte of text in some megabytes of references."""
    with pytest.raises(InputError, match="larger than"):
        normalize({"a": ["x" * 1_000_000] * 1_000_000})


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("number", [1, 1.0], ids=["clean", "repaired"])
def test_the_limit_of_size_is_exact(more: int, number: float) -> None:
    """It counts bytes of compact JSON, as another reader would."""
    # As JSON: {"a":"...","b":1}, and two bytes for each letter.
    rest = MAX_DOCUMENT_BYTES - len('{"a":"","b":1}')
    value = {"a": "é" * (rest // 2) + "x" * (rest % 2 + more), "b": number}
    if more:
        with pytest.raises(InputError, match="larger than"):
            normalize(value)
    else:
        assert len(dumps(normalize(value)).encode()) == MAX_DOCUMENT_BYTES


class Weird:
    """A foreign object whose every operator fails."""

    def __eq__(self, other: object) -> bool:
        """Fail."""
        raise RuntimeError

    def __hash__(self) -> int:
        """Count as a key."""
        return id(self)


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=4)
    | st.binary(max_size=2)
    | st.datetimes()
    | st.builds(Weird)
    | st.builds(Text)
    | st.sampled_from(["\ud800", "\0", Color.RED]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.builds(Items, st.lists(inner, max_size=2))
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.none() | st.builds(Weird), inner, max_size=3)
        | st.builds(OrderedDict, st.dictionaries(st.text(max_size=3), inner, max_size=2))
    ),
    max_leaves=10,
)


@given(ANYTHING)
def test_everything_gives_plain_data_or_our_error(value: JSON) -> None:
    """Also of foreign classes whose operators fail."""
    try:
        result = normalize(value)
    except InputError as caught:
        error = caught
    else:
        assert plain_types(result)
        assert normalize(result) is result
        return
    assert error.location.pointer is not None
    assert error.cure


@given(JSON_VALUES)
def test_the_fast_pass_and_the_careful_walk_agree(value: JSON) -> None:
    """And both with the rules as they are said."""
    try:
        result = normalize(value)
    except InputError:
        assert survey(value) == UNCLEAN
        return
    if isinstance(value, (dict, list)):
        assert (survey(value) != UNCLEAN) == (result is value)
    assert expected(value) == result


def expected(value: JSON) -> JSON:
    """The rules N1 and N2, written as they are said."""
    if isinstance(value, dict):
        return {key: expected(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [expected(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer()))
@example(1e-4)
@example(-1e-5)
def test_small_floats_are_marked(number: float) -> None:
    """Python and RFC 8785 write them in different ways."""
    assert survey([number]) == (CLEAN_WITH_SMALL_FLOATS if abs(number) < 1e-4 else CLEAN)


@given(JSON_VALUES)
def test_the_pointer_of_an_error_leads_to_what_is_wrong(value: JSON) -> None:
    """Or to the map, for a key."""
    try:
        normalize(value)
    except InputError as error:
        found = resolve(value, error.location.pointer or "")
        if "NUL" in error.message and isinstance(found, dict):
            assert any("\0" in key for key in found)
        elif "NUL" in error.message:
            assert "\0" in found
        else:
            assert math.isnan(found) or abs(found) > MAX_COUNT

"""JSON Pointers: the examples of RFC 6901 and the laws between the functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.pointer import JSON, PointerError, escape, join, list_index, resolve, split

#: The document of RFC 6901, section 5.
RFC_DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", RFC_DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_rfc(pointer: str, value: object) -> None:
    """RFC 6901, section 5."""
    assert resolve(RFC_DOCUMENT, pointer) == value


def test_the_escapes_are_undone_in_the_right_order() -> None:
    """`~01` is `~` escaped and then `1`: RFC 6901, section 4."""
    assert split("/~01") == ("~1",)
    assert escape("~1/") == "~01~1"


def test_join_takes_keys_and_indexes() -> None:
    """Keys are escaped, and numbers are indexes."""
    assert join("/spec", "replicatedJobs", 1, "a/b") == "/spec/replicatedJobs/1/a~1b"
    assert join("") == ""


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        pytest.param(
            "foo",
            "foo: `foo` is not a JSON Pointer: it does not begin with `/` [input-invalid]\n  write `/foo`",
            id="no-slash",
        ),
        pytest.param(
            "/a~2",
            "/a~2: `/a~2` is not a JSON Pointer: a `~` is followed by neither 0 nor 1 [input-invalid]\n"
            "  write `~` as `~0` and `/` inside a name as `~1`",
            id="bad-escape",
        ),
        pytest.param(
            "/foo/x",
            "/foo/x: a list of 2 has no `x` at `/foo` [input-invalid]\n  indexes go from 0 to 1",
            id="name-in-a-list",
        ),
        pytest.param(
            "/foo/2",
            "/foo/2: a list of 2 has no `2` at `/foo` [input-invalid]\n  indexes go from 0 to 1",
            id="index-after-the-end",
        ),
        pytest.param(
            "/foo/-",
            "/foo/-: a list of 2 has no `-` at `/foo` [input-invalid]\n  indexes go from 0 to 1",
            id="the-element-after-the-last",
        ),
        pytest.param(
            "/foo/0/x",
            "/foo/0/x: there is no `x` below a value that is neither map nor list at `/foo/0` [input-invalid]",
            id="below-a-string",
        ),
    ],
)
def test_a_pointer_that_leads_nowhere_says_why(pointer: str, text: str) -> None:
    """The error is a LookupError too, as callers of a mapping expect."""
    with pytest.raises(PointerError) as caught:
        resolve(RFC_DOCUMENT, pointer)
    assert str(caught.value) == text
    assert isinstance(caught.value, LookupError)
    assert isinstance(caught.value, WorkloadMapError)


@pytest.mark.parametrize(
    ("document", "cure"),
    [
        ({}, "the map is empty"),
        ({"b": 1, "a": 2}, "it has `a`, `b`"),
        ({f"k{i}": i for i in range(10)}, "it has `k0`, `k1`, `k2`, `k3`, `k4`, `k5`, `k6`, `k7` and 2 more"),
    ],
)
def test_a_missing_name_is_answered_with_those_that_exist(document: dict[str, int], cure: str) -> None:
    """A slip of the pen is seen at once, and a large map does not fill the screen."""
    with pytest.raises(PointerError) as caught:
        resolve(document, "/missing")
    assert caught.value.message == "there is no `missing`"
    assert caught.value.cure == cure


def test_an_empty_list_has_no_indexes() -> None:
    """It has no range that could be told."""
    with pytest.raises(PointerError) as caught:
        resolve([], "/0")
    assert caught.value.cure == "the list is empty"


@pytest.mark.parametrize("token", ["00", "01", "-1", "+1", "1_0", " 1", "1 ", "\u0661", "", "9" * 5000])
def test_only_plain_decimal_indexes_count(token: str) -> None:
    """`int` takes more than RFC 6901 does."""
    assert list_index(token, 10**6) is None


@given(st.lists(st.text()))
def test_split_undoes_join(tokens: list[str]) -> None:
    """The law of the two."""
    assert split(join("", *tokens)) == tuple(tokens)


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def places(value: JSON, pointer: str = "") -> list[tuple[str, Any]]:
    """All pointers of a value, with what is there."""
    found = [(pointer, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, join(pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places(item, join(pointer, index))
    return found


@given(JSON_VALUES)
def test_every_place_of_a_document_is_found(document: object) -> None:
    """The pointer of a place leads to the very object."""
    for pointer, value in places(document):
        assert resolve(document, pointer) is value


@given(JSON_VALUES, st.text())
def test_every_text_leads_to_a_value_or_to_our_error(document: object, pointer: str) -> None:
    """Pointers come from users."""
    try:
        resolve(document, pointer)
    except PointerError as caught:
        error = caught
    else:
        return
    assert error.location.pointer == pointer

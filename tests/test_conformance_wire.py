"""Messages of the protocol: read more strictly than JSON is usually read, and checked member by member."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.conftest import whole_suite
from workloadmap_spec.conformance.runner import hello_line, request_line
from workloadmap_spec.conformance.wire import WireError, check_answer, check_hello, dump, parse, quoted
from workloadmap_spec.files import schema_path

SCHEMA = json.loads(schema_path("conformance-message.schema.json").read_text(encoding="utf-8"))


def fits(message: Any, part: str) -> bool:  # noqa: ANN401 - JSON
    """Whether the published schema takes a message."""
    return bool(Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{part}"}]}).is_valid(message))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON))
def test_what_is_written_is_read_again(message: dict[str, Any]) -> None:
    line = dump(message)
    assert line.count(b"\n") == 1
    assert parse(line) == message


@given(st.binary(max_size=60))
def test_any_line_is_a_message_or_an_error(line: bytes) -> None:
    with suppress(WireError):
        assert isinstance(parse(line), dict)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[1]",
        b'"text"',
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1} {"b":2}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + b"[" * 100_000,
    ],
    ids=range(13),
)
def test_a_line_that_is_no_object_is_refused(line: bytes) -> None:
    with pytest.raises(WireError):
        parse(line)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.0", 2),
        ("2e0", 2),
        ("0.1", Decimal("0.1")),
        ("1e-7", Decimal("1e-7")),
        ("9007199254740993.0", 9007199254740993),
        ("1e999999", Decimal("1e999999")),
    ],
)
def test_numbers_are_kept_exactly(text: str, value: object) -> None:
    found = parse(f'{{"n":{text}}}'.encode())["n"]
    assert found == value
    assert type(found) is type(value)


def test_long_lines_are_cut_in_messages() -> None:
    assert quoted(b"x" * 300) == f"'{'x' * 200}'…"
    assert quoted(b"short\n") == "'short'"


HELLO: dict[str, Any] = {
    "protocol": 1,
    "implementation": {"name": "acme", "version": "1", "language": "rust"},
    "specVersions": ["v1alpha1"],
    "profiles": ["core", "gang"],
    "features": ["core.yaml-text"],
    "limits": {"maxInFlight": 1},
}


def without(message: dict[str, Any], name: str) -> dict[str, Any]:
    """A message that lacks a member."""
    return {key: value for key, value in message.items() if key != name}


def test_a_hello_that_is_right_is_taken() -> None:
    check_hello(HELLO)
    check_hello(without(without(HELLO, "limits"), "features"))
    assert fits(HELLO, "hello")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (without(HELLO, "profiles"), "lacks `profiles`"),
        ({**HELLO, "mood": "good"}, "has `mood`"),
        ({**HELLO, "protocol": "1"}, "speaks protocol '1'"),
        ({**HELLO, "implementation": "acme"}, "`implementation`"),
        ({**HELLO, "profiles": "core"}, "`profiles` in the reader's hello must be a list of texts"),
        ({**HELLO, "limits": {"maxInFlight": True}}, "`limits`"),
        ({**without(HELLO, "features"), "profiles": []}, "no profile is claimed"),
        ({**HELLO, "profiles": ["gang"]}, "the profile gang is claimed without core"),
        ({**HELLO, "profiles": ["core", "magic"]}, "there is no profile `magic`"),
        ({**HELLO, "features": ["core.magic"]}, "there is no feature `core.magic`"),
        ({**HELLO, "profiles": ["core.paths"]}, "the feature core.yaml-text is claimed without the profile core"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_hello_that_is_wrong_is_refused(message: dict[str, Any], text: str) -> None:
    with pytest.raises(WireError) as caught:
        check_hello(message)
    assert text in str(caught.value)


RIGHT = [
    ("map", {"id": "1", "outcome": "ok", "document": {}}),
    ("references", {"id": "1", "outcome": "ok", "wanted": []}),
    ("validate", {"id": "1", "outcome": "ok"}),
    ("map", {"id": "1", "outcome": "rejected", "error": {"class": "no-mapping"}}),
    ("map", {"id": "1", "outcome": "rejected", "error": {"class": "no-mapping", "at": "", "message": ""}}),
    ("map", {"id": "1", "outcome": "unsupported"}),
    ("map", {"id": "1", "outcome": "internal", "message": "m", "trace": "t"}),
]


@pytest.mark.parametrize(("command", "message"), RIGHT)
def test_an_answer_that_is_right_is_taken(command: str, message: dict[str, Any]) -> None:
    check_answer(message, "1", command)
    assert fits(message, "answer")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("map", {"id": "2", "outcome": "unsupported"}),
        ("map", {"outcome": "unsupported"}),
        ("map", {"id": "1"}),
        ("map", {"id": "1", "outcome": ["ok"]}),
        ("map", {"id": "1", "outcome": "timeout"}),
        ("map", {"id": "1", "outcome": "ok"}),
        ("map", {"id": "1", "outcome": "ok", "wanted": []}),
        ("references", {"id": "1", "outcome": "ok", "document": {}}),
        ("map", {"id": "1", "outcome": "ok", "document": {}, "mood": "good"}),
        ("map", {"id": "1", "outcome": "rejected"}),
        ("map", {"id": "1", "outcome": "rejected", "error": "no-mapping"}),
        ("map", {"id": "1", "outcome": "rejected", "error": {"class": "crashed"}}),
        ("map", {"id": "1", "outcome": "rejected", "error": {"class": "no-mapping", "at": 1}}),
        ("map", {"id": "1", "outcome": "rejected", "error": {"class": "no-mapping", "line": 1}}),
    ],
)
def test_an_answer_that_is_wrong_is_refused(command: str, message: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        check_answer(message, "1", command)


def test_every_request_of_the_suite_fits_the_published_schema() -> None:
    validator = Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": "#/$defs/request"}]})
    lines = [hello_line(), b'{"cmd":"bye"}', *(request_line(case, "1") for case in whole_suite())]
    assert [line for line in lines if not validator.is_valid(json.loads(line))] == []

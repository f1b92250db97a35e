"""Loading YAML and JSON: kubectl's reading of scalars and maps, documents and lists, positions, errors, streams."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workloadmap_spec import documents, json_values, yaml_loader, yaml_parsers
from workloadmap_spec.canonical import to_yaml
from workloadmap_spec.documents import Document, load_all, load_path, load_text, normalize, stream
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.limits import MAX_DEPTH
from workloadmap_spec.pointer import JSON, PointerError, join, resolve
from workloadmap_spec.positions import SourceProblem
from workloadmap_spec.yaml_scalars import key_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with both parsers of PyYAML."""
    if request.param == "python":
        monkeypatch.setattr(yaml_parsers, "LIBYAML_PARSER", None)
    elif yaml_parsers.LIBYAML_PARSER is None:  # pragma: no cover - depends on the platform
        pytest.skip("PyYAML was built without libyaml")
    name: str = request.param
    return name


def values(text: str | bytes) -> list[Any]:
    """The values of the documents of a text."""
    return [document.value for document in load_text(text)]


def value(text: str) -> JSON:
    """The value of the only document of a text."""
    (found,) = values(text)
    return found


def error(text: str | bytes) -> str:
    """The whole text of the only error of a text."""
    _, errors = load_all(text, "f.yaml")
    (found,) = errors
    return str(found)


# Scalars: the table of what kubectl makes of plain scalars

SCALARS: list[tuple[str, Any]] = [
    # Timestamps and sexagesimals are text.
    ("2018-07-20T08:23:04Z", "2018-07-20T08:23:04Z"),
    ("2018-07-20", "2018-07-20"),
    ("2001-12-14 21:59:43.10", "2001-12-14 21:59:43.10"),
    ("2018-13-45", "2018-13-45"),
    *[(text, text) for text in ("1:30", "22:22", "190:20:30", "12:30:45.5", "8080:80", "00:10")],
    # Booleans, each in three casings, and y and n.
    *[(text, True) for text in ("yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE", "y", "Y")],
    *[(text, False) for text in ("no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE", "n", "N")],
    *[(text, text) for text in ("oN", "tRue", "yEs", "nULL", "Y1")],
    # Integers.
    ("010", 8),
    ("-010", -8),
    ("0o17", 15),
    ("0O17", 15),
    ("0o", "0o"),
    ("08", 8),
    ("09", 9),
    ("-08", -8),
    ("0x1F", 31),
    ("0X1f", 31),
    ("-0x1F", -31),
    ("0x", "0x"),
    ("0xg", "0xg"),
    ("0b101", 5),
    ("-0b101", -5),
    ("0b2", "0b2"),
    ("1_000", 1000),
    ("0_7", 7),
    ("_1", "_1"),
    ("+1", 1),
    ("-0", 0),
    ("+", "+"),
    ("-", "-"),
    # Floats; what is whole is an int (N1).
    ("1e3", 1000),
    ("1E3", 1000),
    ("1e+3", 1000),
    ("12e03", 12000),
    ("1.0e3", 1000),
    (".5e3", 500),
    ("1.0", 1),
    ("1.", 1),
    (".5", 0.5),
    ("+.5", 0.5),
    ("-.5", -0.5),
    ("1e-3", 0.001),
    (".5_0", ".5_0"),
    ("1_0.5", 10.5),
    (".", "."),
    ("1e", "1e"),
    ("1.2.3", "1.2.3"),
    ("1e400", "1e400"),
    ("-1e400", "-1e400"),
    # Numbers that Go has no type for are text.
    ("1" * 400, "1" * 400),
    ("0x1ffffffffffffffff", "0x1ffffffffffffffff"),
    ("0b" + "1" * 65, "0b" + "1" * 65),
    # Text.
    *[(text, text) for text in ("=", "<<", "100m", "1Gi", "5E", "NaN", "inf", "\u0661")],
    # Null.
    *[(text, None) for text in ("~", "null", "Null", "NULL", "")],
    # Tags.
    ("!!str 123", "123"),
    ("!!str", ""),
    ('!!int "3"', 3),
    ("!!float 1", 1),
    ("!!float 1.5", 1.5),
    ('!!bool "yes"', True),
    ('!!null ""', None),
    ('!!timestamp "2018-01-01"', "2018-01-01"),
    ("!!map {a: 1}", {"a": 1}),
    ("!!seq [1]", [1]),
    # Quotes make text.
    ('"1"', "1"),
    ("'yes'", "yes"),
    ('""', ""),
    ("!!str 'null'", "null"),
]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("text", "expected"), SCALARS, ids=[text[:30] or "empty" for text, _ in SCALARS])
def test_scalars_are_what_kubectl_makes_of_them(text: str, expected: object) -> None:
    """In a list, where a null stays; types count, for True is not 1."""
    (found,) = value(f"- {text}" if text != "-" else "- '-'")
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text", [text for text, _ in SCALARS[:110] if text and text[0] not in "!\"'-=<" and ":" not in text]
)
def test_a_literal_block_is_always_text(text: str) -> None:
    """Only plain scalars are anything else."""
    assert value(f"a: |-\n  {text}") == {"a": text}


BEYOND = "is beyond 9007199254740991 (2^53-1), where readers disagree about the value"

BAD_SCALARS = [
    (".nan", "NaN is not a number that JSON has"),
    (".NaN", "NaN is not a number that JSON has"),
    (".inf", "an infinity is not a number that JSON has"),
    ("+.inf", "an infinity is not a number that JSON has"),
    ("-.Inf", "an infinity is not a number that JSON has"),
    ("9007199254740992", f"9007199254740992 {BEYOND}"),
    ("9223372036854775808", f"9223372036854775808 {BEYOND}"),
    ("18446744073709551615", f"18446744073709551615 {BEYOND}"),
    ("+18446744073709551615", f"1.8446744073709552e+19 {BEYOND}"),
    ("-9223372036854775809", f"-9.223372036854776e+18 {BEYOND}"),
    ("1" + "0" * 36, f"1e+36 {BEYOND}"),
    ("0xffffffffffffffff", f"18446744073709551615 {BEYOND}"),
    ("0777777777777777777777777", f"7.777777777777778e+23 {BEYOND}"),
    ("1e18", f"1000000000000000000.0 {BEYOND}".replace("1000000000000000000.0", "1e+18")),
    ("!!binary gIGC", "the tag `!!binary` has no meaning in a Kubernetes object"),
    ("!foo bar", "the tag `!foo` has no meaning in a Kubernetes object"),
    ("! 12", "the tag `!` has no meaning in a Kubernetes object"),
    ("!<tag:example.com,2000:x> 1", "the tag `tag:example.com,2000:x` has no meaning in a Kubernetes object"),
    ("!!set {x, y}", "the tag `!!set` has no meaning in a Kubernetes object"),
    ("!!omap [x: 1]", "the tag `!!omap` has no meaning in a Kubernetes object"),
    ("!!pairs [x: 1]", "the tag `!!pairs` has no meaning in a Kubernetes object"),
    ("!!python/name:os.system x", "the tag `!!python/name:os.system` has no meaning in a Kubernetes object"),
    ("!!int abc", "`abc` is not of the type that its tag `!!int` says"),
    ("!!int 1.5", "`1.5` is not of the type that its tag `!!int` says"),
    ("!!bool 1", "`1` is not of the type that its tag `!!bool` says"),
    ("!!null x", "`x` is not of the type that its tag `!!null` says"),
    ("!!seq {a: 1}", "the tag `!!seq` has no meaning in a Kubernetes object"),
    ('"\\0"', "a string holds the character NUL (U+0000)"),
]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("text", "message"), BAD_SCALARS, ids=[text[:30] for text, _ in BAD_SCALARS])
def test_scalars_without_a_json_value_are_errors(text: str, message: str) -> None:
    """All of them with the place of the value."""
    with pytest.raises(InputError) as caught:
        load_text(f"a: {text}", "f.yaml")
    assert caught.value.message == message
    assert (caught.value.location.line, caught.value.location.column) == (1, 4)
    assert caught.value.cure


# Maps


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1: x", {"1": "x"}, id="int-key"),
        pytest.param("0x1F: x", {"31": "x"}, id="hexadecimal-key"),
        pytest.param("1.2: x", {"1.2": "x"}, id="float-key"),
        pytest.param("1.0: x", {"1": "x"}, id="whole-float-key"),
        pytest.param("1" + "0" * 36 + ": x", {"1e+36": "x"}, id="large-key"),
        pytest.param("1.23456789: x", {"1.2345679": "x"}, id="float-key-in-32-bits"),
        pytest.param("true: x", {"true": "x"}, id="boolean-key"),
        pytest.param("on: x", {"true": "x"}, id="on-key-of-github"),
        pytest.param("y: x", {"true": "x"}, id="y-key"),
        pytest.param("n: x", {"false": "x"}, id="n-key"),
        pytest.param("'y': x", {"y": "x"}, id="quoted-key"),
        pytest.param("2018-07-20: x", {"2018-07-20": "x"}, id="date-key"),
        pytest.param("!!str 1: x", {"1": "x"}, id="tagged-key"),
        pytest.param("? a\n: x", {"a": "x"}, id="long-form"),
        pytest.param("b: &k a\n*k : x", {"b": "a", "a": "x"}, id="alias-as-key"),
        pytest.param("a:", {}, id="N2-empty-value"),
        pytest.param("a: ~\nb: [~]", {"b": [None]}, id="N2-null-in-map-and-list"),
        pytest.param('"<<": 1', {"<<": 1}, id="quoted-merge-key-is-text"),
        pytest.param("!!str <<: 1", {"<<": 1}, id="tagged-merge-key-is-text"),
    ],
)
def test_keys_become_the_strings_that_kubectl_makes(text: str, expected: object) -> None:
    """JSON has no other keys."""
    assert value(text) == expected


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (0.1, "0.1"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (16777217.0, "1.6777216e+07"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-2.5, "-2.5"),
        (1e39, None),
        (float("nan"), None),
        (float("inf"), None),
        (2**63 - 1, "9223372036854775807"),
        (2**63, None),
        (None, None),
    ],
)
def test_the_text_of_numeric_keys(key: object, text: str | None) -> None:
    """As Go's strconv.FormatFloat(key, 'g', -1, 32) has it."""
    assert key_text(key) == text


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "a: 1\nb: 2\na: 3",
            "f.yaml:3:1: /a: the key `a` is written twice, first in line 1, column 1 [input-invalid]\n"
            "  remove one of the two: readers disagree about which one counts",
            id="duplicate",
        ),
        pytest.param(
            "x:\n- {k: 0}\n- {a~/: {b: 1, c: 2, b: 3}}",
            "f.yaml:3:22: /x/1/a~0~1/b: the key `b` is written twice, first in line 3, column 10 [input-invalid]\n"
            "  remove one of the two: readers disagree about which one counts",
            id="duplicate-inside",
        ),
        pytest.param(
            'true: 1\n"true": 2',
            "f.yaml:2:1: /true: the key `true` is written twice, first in line 1, column 1 [input-invalid]\n"
            "  remove one of the two: readers disagree about which one counts",
            id="duplicate-after-stringifying",
        ),
        pytest.param("~: 1", "f.yaml:1:1: the key is null [input-invalid]\n  quote the key", id="null-key"),
        pytest.param(
            "1e39: 1",
            "f.yaml:1:1: the key is a number that kubectl has no text for [input-invalid]\n  quote the key",
            id="key-beyond-32-bit-floats",
        ),
        pytest.param(
            "a: {{ .Values.x }}",
            "f.yaml:1:5: the key is a map, not text [input-invalid]\n"
            "  render the template first (`helm template`) if this is one, or quote the key",
            id="helm-template",
        ),
        pytest.param(
            "? [a, b]\n: 1",
            "f.yaml:1:3: the key is a list, not text [input-invalid]\n"
            "  render the template first (`helm template`) if this is one, or quote the key",
            id="list-key",
        ),
        pytest.param(
            "a: &m {b: 1}\n*m : 2",
            "f.yaml:2:1: the key is an alias of a map or list, not text [input-invalid]\n  write the key as text",
            id="alias-of-a-map-as-key",
        ),
        pytest.param(
            "a: &x [*x]",
            "f.yaml:1:8: the alias `*x` is inside its own anchor [input-invalid]\n  write the value out",
            id="recursive-anchor",
        ),
        pytest.param(
            "a: *x",
            "f.yaml:1:4: the alias `*x` has no anchor [input-invalid]\n  write `&x` before the value it means",
            id="unknown-alias",
        ),
        pytest.param(
            "<<: 3",
            "f.yaml:1:5: the merge key `<<` needs a map or a list of maps [input-invalid]\n"
            "  give it an alias of a map, or quote the key if it is meant as text",
            id="merge-of-a-number",
        ),
        pytest.param(
            "<<: [{a: 1}, 2]",
            "f.yaml:1:14: the merge key `<<` needs a map or a list of maps [input-invalid]\n"
            "  give it an alias of a map, or quote the key if it is meant as text",
            id="merge-of-a-list-with-a-number",
        ),
    ],
)
def test_maps_that_readers_disagree_about_are_errors(text: str, message: str) -> None:
    """Of some of these kubectl loses a part."""
    assert error(text) == message


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<: *x\nk: own", {"k": "own", "m": 1}),
        ("k: own\n<<: *x", {"k": "own", "m": 1}),
        ("<<: [*x, *y]", {"k": "p", "m": 1, "o": 2}),
        ("<<: [*y, *x]", {"k": "q", "m": 1, "o": 2}),
        ("<<: *x\n<<: *y", {"k": "q", "m": 1, "o": 2}),
        ("<<: {k: inline}", {"k": "inline"}),
        ("<<: []", {}),
    ],
)
def test_own_keys_win_over_merged_ones(text: str, expected: object) -> None:
    """Wherever the merge key stands, unlike in kubectl."""
    anchors = "one: &x {k: p, m: 1}\ntwo: &y {k: q, o: 2}\nmap:\n"
    indented = "".join(f"  {line}\n" for line in text.splitlines())
    assert value(anchors + indented)["map"] == expected


@pytest.mark.usefixtures("parser")
def test_aliases_are_shared() -> None:
    """Copies would make the budget of aliases one of memory."""
    found = value("a: &x {k: [1]}\nb: *x\nc: &x 2\nd: *x")
    assert found == {"a": {"k": [1]}, "b": {"k": [1]}, "c": 2, "d": 2}
    assert found["a"] is found["b"]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("leaf", ["[x, x, x, x, x, x, x, x, x, x]", "[]", "{}"])
def test_aliases_have_a_budget(leaf: str) -> None:
    """Ten aliases of ten aliases, and so on."""
    names = "abcdefghijklmnop"
    lines = [f"a: &a {leaf}"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in pairwise(names)]
    with pytest.raises(InputError) as caught:
        load_text("\n".join(lines))
    assert caught.value.message == f"aliases stand for more than {2**20} values and characters"


@pytest.mark.usefixtures("parser")
def test_merged_aliases_count_too() -> None:
    """They are written out in every map that they are merged into."""
    lines = ["- &a {" + ", ".join(f"k{i}: {'x' * 100}" for i in range(1000)) + "}"]
    lines += ["- {<<: *a}"] * 100
    with pytest.raises(InputError, match="aliases stand for more"):
        load_text("\n".join(lines))


# What the parsers take


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a:\t1", {"a": 1}, id="tab-after-colon"),
        pytest.param("a: 1\t# c", {"a": 1}, id="tab-before-comment"),
        pytest.param("a: b\tc", {"a": "b\tc"}, id="tab-inside-text"),
        pytest.param("a: [\n\t1,\n\t2]", {"a": [1, 2]}, id="tabs-inside-brackets"),
        pytest.param("a: b\n  \tc\n\n  d\n\n\n  e", {"a": "b c\nd\n\ne"}, id="tab-in-a-continued-line"),
        pytest.param('{\n\t"a": 1\n}', {"a": 1}, id="json-with-tabs"),
        pytest.param("a: b\u2028  c", {"a": "b\u2028c"}, id="line-separator"),
        pytest.param('\ufeff{"a": 1}', {"a": 1}, id="byte-order-mark-json"),
        pytest.param("\ufeffa: 1", {"a": 1}, id="byte-order-mark-yaml"),
        pytest.param("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}, id="line-ends-of-windows"),
        pytest.param('a: "\\x41\\u00e9\\U0001F600"', {"a": "A\xe9\U0001f600"}, id="escapes"),
        pytest.param("a: 1\n...\n", {"a": 1}, id="end-marker"),
        pytest.param("# c\n{a: 1}\n", {"a": 1}, id="flow-map-after-comment"),
    ],
)
def test_texts_that_kubectl_reads(text: str, expected: object) -> None:
    """The pure parser of PyYAML refuses some of them, which ours does not."""
    assert value(text) == expected


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "place", "cure"),
    [
        pytest.param("\ta: 1", "1:1", "indent with spaces: YAML does not take tabs there", id="tab-as-indentation"),
        pytest.param("a:\n  b: 1\n\tc: 2", "3:1", "indent with spaces: YAML does not take tabs there", id="tab-later"),
        pytest.param(
            "a: b: c",
            "1:5",
            "quote the value if it holds `: `, or check the indentation of this line",
            id="colon-in-value",
        ),
        pytest.param(
            "a: @b",
            "1:4",
            "quote the value: it begins with a character that YAML keeps for itself",
            id="reserved-character",
        ),
        pytest.param("a: 'b", "1:6", "close the quotes that begin before", id="open-quote"),
        pytest.param('a: "\\q"', None, "write the text in '...', or double its backslashes", id="unknown-escape"),
        pytest.param(
            "a: [1, 2\nb: 3",
            None,
            "close the bracket that begins before, or put a comma between its parts",
            id="open-bracket",
        ),
        pytest.param(
            "a: \x07",
            "1:4",
            'remove it, or write it as an escape inside "..."',
            id="control-character",
        ),
        pytest.param(
            "a: 1\n\ufeff---\nb: 2",
            "2:1",
            "remove it: it comes from files that were joined",
            id="byte-order-mark-in-the-middle",
        ),
        pytest.param("a: \x7f", "1:4", 'remove it, or write it as an escape inside "..."', id="delete-character"),
        pytest.param("a: \0", "1:4", 'remove it, or write it as an escape inside "..."', id="nul"),
        pytest.param(
            "%YAML 2.0", "1:1", "remove the line that begins with `%`: kubectl reads no directives", id="directive"
        ),
        pytest.param("a: {% if x %}", None, "render the template first (`helm template`) if this is one", id="jinja"),
        pytest.param(
            "{{ .Values.x }}: 1", "1:2", "render the template first (`helm template`) if this is one", id="helm"
        ),
        pytest.param(
            "a: \ud83d", "1:4", "write the whole character: it takes two \\u escapes, or none", id="surrogate"
        ),
        pytest.param("# c\n" + "[" * 300, None, "flatten the document", id="depth-300"),
        pytest.param("a:\n" + "- " * 300, None, "flatten the document", id="depth-300-in-blocks"),
    ],
)
def test_texts_that_are_no_yaml_are_told_with_place_and_cure(text: str, place: str | None, cure: str) -> None:
    """The places on which both parsers agree."""
    with pytest.raises(InputError) as caught:
        load_text(text, "f.yaml")
    location = caught.value.location
    assert location.line is not None
    if place is not None:
        assert f"{location.line}:{location.column}" == place
    assert caught.value.cure == cure


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text", ['a: "\\ud83d\\ude00"', 'a: "\\UFFFFFFFF"', 'a: "\\U00110000"', "a: !<> x", "a: !%zz x"]
)
def test_escapes_for_what_is_no_character_are_errors(text: str) -> None:
    """The parsers find them at different times, and by different exceptions."""
    # The parsers find them at different times.
    with pytest.raises(InputError):
        load_text(text)


def test_both_errors_are_known_and_the_reading_that_got_further_is_told() -> None:
    """A text in brackets may be meant as either."""
    assert error('{"a": 1,\n "b": 2\n "c": 3}').startswith("f.yaml:3:2: not JSON: expecting ',' delimiter")
    assert error("{a: 1,\n b: 2\n c: 3}").startswith("f.yaml:3:3: not YAML:")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_the_limit_of_depth(depth: int, syntax: str) -> None:
    """For documents with a text as for those without."""
    text = '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)
    if syntax == "yaml":
        text = f"# no JSON\n{text}"
    if depth == MAX_DEPTH:
        assert len(values(text)) == 1
    else:
        assert "maps and lists nest more than 100 deep" in error(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 3000 + "]" * 3000])
def test_extreme_depth_is_an_error_like_another(text: str) -> None:
    """Neither a crash nor an exception of Python."""
    assert error(text).endswith("\n  flatten the document") or "not JSON" in error(text)


def test_a_recursion_limit_of_the_decoder_is_our_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It depends on the stack of the caller."""

    class Decoder:
        """A decoder on a stack that is nearly full."""

        def raw_decode(self, text: str, start: int) -> tuple[object, int]:
            """Fail."""
            raise RecursionError(text[start:])

    monkeypatch.setattr(json_values, "_DECODER", Decoder())
    monkeypatch.setattr(documents, "MAX_YAML_SIZE", 0)
    assert error('{"a": 1}') == (
        "f.yaml:1:1: maps and lists nest more than 100 deep [input-invalid]\n  flatten the document"
    )


# JSON


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a": 1e3, "b": 1.0, "c": 1.5}', [{"a": 1000, "b": 1, "c": 1.5}], id="N1-numbers"),
        pytest.param('{"a": null, "b": [null]}', [{"b": [None]}], id="N2-nulls"),
        pytest.param('{"a":"\\ud83d\\ude00"}', [{"a": "\U0001f600"}], id="surrogate-pair"),
        pytest.param('{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], id="without-space"),
        pytest.param('{"a":1} {"b":2}\n\n{"c":3}', [{"a": 1}, {"b": 2}, {"c": 3}], id="with-space"),
        pytest.param('{"a":1}\n{"b":\n2}\n', [{"a": 1}, {"b": 2}], id="on-lines"),
        pytest.param('{"a":1}\n# c\n{"b":2} # d\n...\n', [{"a": 1}, {"b": 2}], id="with-comments"),
        pytest.param('{"a":1} # c', [{"a": 1}], id="with-a-comment-at-the-end"),
        pytest.param('{"a":1}\n---\n{"b":2}\n---\nc: 3\n', [{"a": 1}, {"b": 2}, {"c": 3}], id="with-separators"),
        pytest.param('{"a":1}{"b":\n2}{"c":3}', [{"a": 1}, {"b": 2}, {"c": 3}], id="over-a-line-end"),
        pytest.param('[{"a": 1}]', [[{"a": 1}]], id="a-list"),
        pytest.param('{"a": "}{", "b": "\\"}"}', [{"a": "}{", "b": '"}'}], id="brackets-in-strings"),
        pytest.param('{"a": 1,}', [{"a": 1}], id="comma-that-only-yaml-takes"),
        pytest.param("{a: 1}", [{"a": 1}], id="flow-map"),
        pytest.param("{a: 1,\n  b: {c: 2}}\n---\n{d: 3}", [{"a": 1, "b": {"c": 2}}, {"d": 3}], id="flow-maps"),
        pytest.param("", [], id="nothing"),
        pytest.param(" \n\n", [], id="white-space"),
    ],
)
@pytest.mark.parametrize("way", ["text", "bytes", "stream", "binary-stream"])
def test_json_in_every_way(text: str, expected: list[object], way: str) -> None:
    """All ways give the same documents with the same numbers."""
    if way == "text":
        found = load_text(text)
    elif way == "bytes":
        found = load_text(text.encode())
    elif way == "stream":
        found = list(stream(io.StringIO(text)))
    else:
        found = list(stream(io.BytesIO(text.encode())))
    assert [document.value for document in found] == expected
    assert [document.index for document in found] == list(range(len(expected)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            '{"a": 1, "b": {"c": 1, "c": 2}}',
            "f.yaml:1:24: /b/c: the key `c` is written twice, first in line 1, column 16 [input-invalid]\n"
            "  remove one of the two: readers disagree about which one counts",
            id="duplicate",
        ),
        pytest.param(
            '{"x": [0, {"a": 1, "\\u0061": 2}]}',
            "f.yaml:1:20: /x/1/a: the key `a` is written twice, first in line 1, column 12 [input-invalid]\n"
            "  remove one of the two: readers disagree about which one counts",
            id="duplicate-with-an-escape",
        ),
        pytest.param(
            '{"a": NaN}',
            "f.yaml:1:7: /a: NaN is not a number that JSON has [input-invalid]\n"
            "  leave it out, or quote it to make it text",
            id="nan",
        ),
        pytest.param(
            '{"a": [-Infinity]}',
            "f.yaml:1:8: /a/0: an infinity is not a number that JSON has [input-invalid]\n"
            "  leave it out, or quote it to make it text",
            id="infinity",
        ),
        pytest.param(
            '{"a": 1e999}',
            "f.yaml:1:7: /a: an infinity is not a number that JSON has [input-invalid]\n"
            "  leave it out, or quote it to make it text",
            id="float-beyond-the-range",
        ),
        pytest.param(
            '{"a": 9007199254740993}',
            f"f.yaml:1:7: /a: 9007199254740993 {BEYOND} [input-invalid]\n"
            "  quote it to make it text, or write a smaller number",
            id="big-int",
        ),
        pytest.param(
            '{"a": ' + "1" * 5000 + "}",
            f"f.yaml:1:7: /a: an integer of more than 30 digits {BEYOND} [input-invalid]\n"
            "  quote it to make it text, or write a smaller number",
            id="huge-int",
        ),
        pytest.param(
            '{"a": "\\ud83d"}',
            "f.yaml:1:7: /a: half of a character (the lone surrogate U+D83D) stands in a string [input-invalid]\n"
            "  write the whole character: it takes two \\u escapes, or none",
            id="lone-surrogate",
        ),
        pytest.param(
            '{"a": "\\u0000"}',
            "f.yaml:1:7: /a: a string holds the character NUL (U+0000) [input-invalid]\n"
            "  remove it: Kubernetes does not store it",
            id="nul",
        ),
        pytest.param(
            '{"a": 1',
            "f.yaml:1:8: not JSON: expecting ',' delimiter [input-invalid]\n  correct the text here or just before",
            id="cut",
        ),
        pytest.param(
            '{"a": "x',
            "f.yaml:1:7: not JSON: unterminated string starting at [input-invalid]\n"
            "  correct the text here or just before",
            id="cut-in-a-string",
        ),
        pytest.param(
            '{"a": 1, "a": 2, "b" 3}',
            "f.yaml:1:22: not JSON: expecting ':' delimiter [input-invalid]\n  correct the text here or just before",
            id="duplicate-and-then-no-json",
        ),
        pytest.param(
            '{"x": {"a": 1, "a": 2}, "b" 3}',
            "f.yaml:1:29: not JSON: expecting ':' delimiter [input-invalid]\n  correct the text here or just before",
            id="duplicate-inside-and-then-no-json",
        ),
        pytest.param(
            '{"a": 1}\nb: 2',
            "f.yaml:2:1: not JSON: text follows a JSON value, and it begins no other [input-invalid]\n"
            "  remove it, or put a line `---` before it",
            id="yaml-after-json",
        ),
        pytest.param(
            '{"a": 1} "b"',
            "f.yaml:1:10: not JSON: text follows a JSON value, and it begins no other [input-invalid]\n"
            "  remove it, or put a line `---` before it",
            id="string-after-json",
        ),
        pytest.param(
            b'{"a": "\xff"}',
            "f.yaml:1:8: the byte 0xFF is not part of UTF-8 text [input-invalid]\n  save the file as UTF-8",
            id="not-utf-8",
        ),
        pytest.param(
            b"a: \xe9\n",
            "f.yaml:1:4: the byte 0xE9 is not part of UTF-8 text [input-invalid]\n  save the file as UTF-8",
            id="latin-1-in-yaml",
        ),
        pytest.param(
            "a: 1".encode("utf-16"),
            "f.yaml:1:1: the text is UTF-16, not UTF-8 [input-invalid]\n  save it as UTF-8",
            id="utf-16",
        ),
    ],
)
def test_json_that_is_refused(text: str | bytes, message: str) -> None:
    """In a text as in a stream."""
    assert error(text) == message
    binary = text if isinstance(text, bytes) else text.encode()
    found: list[InputError] = []
    list(stream(io.BytesIO(binary), "f.yaml", found.append))
    assert [str(item) for item in found] == [message]


def test_a_bad_line_costs_one_document() -> None:
    """The lines after it are read."""
    text = '{"a":1}\n{"b":2,"b":3}\n{"c":3\n{"d":4}\n{"e":5} x\n{"f"}\ntext\nmore\n{"g":7}\n'
    found, errors = load_all(text, "f")
    assert [document.value for document in found] == [{"a": 1}, {"d": 4}, {"e": 5}, {"g": 7}]
    assert [f"{item.location.line}:{item.location.column}" for item in errors] == ["2:8", "3:7", "5:9", "6:5", "7:1"]


def test_a_bad_first_line_does_not_make_the_rest_yaml() -> None:
    """Although what begins with a bracket and is not JSON may be YAML."""
    found, errors = load_all('{"a" 1}\n{"b":2}\n', "f")
    assert [document.value for document in found] == [{"b": 2}]
    assert [str(item.location) for item in errors] == ["f:1:6"]


# Documents


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}], id="two"),
        pytest.param("---\na: 1\n--- # comment\nb: 2\n---\t\r\nc: 3", [{"a": 1}, {"b": 2}, {"c": 3}], id="separators"),
        pytest.param("---\n---\n# only\n---\nnull\n---\n~\n---\na: 1\n---\n", [{"a": 1}], id="empty-ones-are-skipped"),
        pytest.param("a: |\n  ---\n  x\n", [{"a": "---\nx\n"}], id="dashes-inside-text"),
        pytest.param("--\n", ["--"], id="two-dashes-are-text"),
        pytest.param("a: &x 1\n---\nb: 2", [{"a": 1}, {"b": 2}], id="anchors-end-with-the-document"),
    ],
)
def test_documents_are_divided_by_lines_of_dashes(text: str, expected: list[object]) -> None:
    """In a text as in a stream."""
    assert values(text) == expected
    assert [document.value for document in stream(io.StringIO(text))] == expected


DASHES = "text follows the dashes `---`, which kubectl refuses [input-invalid]\n  put the text on the next line"
SECOND = (
    "a second document begins without a line `---` [input-invalid]\n"
    "  begin it with a line `---`: kubectl reads nothing of it otherwise"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("--- {a: 1}\n", f"f.yaml:1:4: {DASHES}", id="value-behind-the-dashes"),
        pytest.param("--- !t\n", f"f.yaml:1:4: {DASHES}", id="tag-behind-the-dashes"),
        pytest.param("---foo\n", f"f.yaml:1:4: {DASHES}", id="text-joined-to-the-dashes"),
        pytest.param("----\n", f"f.yaml:1:4: {DASHES}", id="four-dashes"),
        pytest.param("---#c\n", f"f.yaml:1:4: {DASHES}", id="comment-joined-to-the-dashes"),
        pytest.param("a: 1\r---\rb: 2", f"f.yaml:1:6: {SECOND}", id="line-ends-that-kubectl-does-not-know"),
    ],
)
def test_only_what_kubectl_and_yaml_agree_on_divides_documents(text: str, message: str) -> None:
    """Each of these is one document to one of them and two to the other, or an error."""
    assert error(text) == message


@pytest.mark.usefixtures("parser")
def test_text_after_the_end_marker_is_not_dropped_in_silence() -> None:
    """As kubectl does it."""
    found = error("a: 1\n...\nb: 2")
    assert found.startswith("f.yaml:3:1: ")
    assert "put a line `---` before it" in found or "begin it with a line `---`" in found


def test_an_alias_does_not_reach_the_next_document() -> None:
    """Each is read alone."""
    assert "the alias `*x` has no anchor" in error("a: &x 1\n---\nb: *x")


def test_an_error_does_not_lose_the_other_documents() -> None:
    """One bad manifest in a file of twenty."""
    found, errors = load_all("a: 1\n---\nb: [1\n---\nc: 3\n---\n{\n---\n{}\n", "f")
    assert [document.value for document in found] == [{"a": 1}, {"c": 3}, {}]
    assert [item.location.line for item in errors] == [4, 7]


def test_without_a_collector_the_first_error_is_raised() -> None:
    """After the documents before it."""
    reading = stream(io.StringIO("a: 1\n---\nb: [1\n---\nc: 3\n"))
    assert next(reading).value == {"a": 1}
    with pytest.raises(InputError):
        next(reading)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("kind: List\nitems: [{kind: A}, {kind: B}]", [{"kind": "A"}, {"kind": "B"}], id="list"),
        pytest.param("items: [{a: 1}]", [{"a": 1}], id="anything-with-items"),
        pytest.param(
            "apiVersion: apps/v1\nkind: DeploymentList\nitems: [{a: 1}, {kind: X}, {apiVersion: v1}]",
            [{"a": 1, "apiVersion": "apps/v1", "kind": "Deployment"}, {"kind": "X"}, {"apiVersion": "v1"}],
            id="kind-of-the-items",
        ),
        pytest.param("apiVersion: v1\nkind: List\nitems: [{a: 1}]", [{"a": 1}], id="a-plain-list-tells-no-kind"),
        pytest.param(
            "items: [{a: 1}, {items: [{b: 2}, {items: [{c: 3}]}]}, {d: 4}]",
            [{"a": 1}, {"d": 4}, {"b": 2}, {"c": 3}],
            id="inner-lists-come-last",
        ),
        pytest.param("kind: PodList\nitems: []", [], id="empty"),
        pytest.param("kind: PodList\nitems: null", [], id="null-as-go-writes-it"),
        pytest.param("items: {a: 1}", [{"items": {"a": 1}}], id="items-that-are-no-list"),
        pytest.param("spec: {items: [1]}", [{"spec": {"items": [1]}}], id="items-further-down"),
        pytest.param("- items: []", [[{"items": []}]], id="a-list-is-no-object"),
    ],
)
def test_lists_are_flattened(text: str, expected: list[object]) -> None:
    """`kubectl get -o yaml` writes nothing else."""
    assert values(text) == expected


def test_items_have_their_own_errors_and_places() -> None:
    """Pointers are those of the item, lines those of the file."""
    text = "kind: List\nitems:\n- a: 1\n- 5\n- b: .nan\n- c:\n    d: 2\n"
    found, errors = load_all(text, "f")
    assert [document.value for document in found] == [{"a": 1}, {"c": {"d": 2}}]
    assert [document.index for document in found] == [0, 1]
    assert [str(item).splitlines()[0] for item in errors] == [
        "f:4:3: an item of a list of objects is a number [input-invalid]",
        "f:5:6: /b: NaN is not a number that JSON has [input-invalid]",
    ]
    assert found[1].location("/c/d") == Location("f", 7, 8, "/c/d")
    assert found[1].location("") == Location("f", 6, 3, "")


# Limits of size


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_the_text_of_a_document_has_a_limit(syntax: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts UTF-8, and items one by one."""
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 20)
    prefix = "" if syntax == "json" else "# c\n"
    assert len(values(prefix + '{"a":"' + "é" * (4 if prefix else 6) + '"}')) == 1
    assert "the document is larger than 20 bytes" in error(prefix + '{"a":"' + "é" * 7 + '"}')
    # The limit is that of the items.
    assert len(values(prefix + '{"items":[{"a":1},{"a":2},{"a":3}]}')) == 3


def test_a_document_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next one is read."""
    monkeypatch.setattr(documents, "MAX_TEXT_SIZE", 100)
    text = "a: 1\n---\n" + "- x\n" * 100 + "---\n" + '{"x":\n' * 50 + "---\nb: 2\n"
    found: list[InputError] = []
    assert [item.value for item in stream(io.StringIO(text), "f", found.append)] == [{"a": 1}, {"b": 2}]
    assert [str(item) for item in found] == [
        "f:3:1: the document has more than 100 characters [input-invalid]\n  split it into documents",
        "f:104:1: the document has more than 100 characters [input-invalid]\n  split it into documents",
    ]


def test_a_line_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of /dev/zero."""
    monkeypatch.setattr(documents, "MAX_TEXT_SIZE", 100)
    with pytest.raises(InputError, match="more than 100 characters"):
        list(stream(io.StringIO("x" * 1000)))


def test_yaml_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins as JSON is not tried as YAML beyond it."""
    monkeypatch.setattr(documents, "MAX_YAML_SIZE", 100)
    assert "the document has more than 100 characters" in error("- x\n" * 100)
    # What begins as JSON is not tried as YAML then.
    assert "not JSON" in error('{"a" ' + " " * 100 + "}")


# Positions


EXAMPLE = """\
# A comment
apiVersion: v1
kind: Pod
metadata:
  name: "web"
  labels: {app: web, 'tier~/x': &t front}
spec:
  tier: *t
  containers:
  - name: main
    args: ["a", 'b']
    empty:
"""


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("pointer", "line", "column", "key_line", "key_column"),
    [
        ("", 2, 1, 2, 1),
        ("/kind", 3, 7, 3, 1),
        ("/metadata", 5, 3, 4, 1),
        ("/metadata/name", 5, 9, 5, 3),
        ("/metadata/labels", 6, 11, 6, 3),
        ("/metadata/labels/app", 6, 17, 6, 12),
        ("/metadata/labels/tier~0~1x", 6, 33, 6, 22),
        ("/spec/tier", 8, 9, 8, 3),
        ("/spec/containers", 10, 3, 9, 3),
        ("/spec/containers/0", 10, 5, 10, 5),
        ("/spec/containers/0/args/1", 11, 17, 11, 17),
        ("/spec/containers/0/empty", 12, 11, 12, 5),
        # Nothing is there: the nearest parent.
        ("/spec/containers/0/image", 10, 5, 10, 5),
        ("/spec/containers/7", 10, 3, 9, 3),
        ("/spec/containers/x/y", 10, 3, 9, 3),
        ("/metadata/name/x", 5, 9, 5, 3),
    ],
)
def test_places_in_yaml(pointer: str, line: int, column: int, key_line: int, key_column: int) -> None:
    """The value, and the key where there is one."""
    (document,) = load_text(EXAMPLE, "pod.yaml")
    assert document.location(pointer) == Location("pod.yaml", line, column, pointer)
    assert document.key_location(pointer) == Location("pod.yaml", key_line, key_column, pointer)


def test_places_in_json_are_those_of_the_source() -> None:
    """Also of a value that begins within a line; columns count code points."""
    first, second, third = load_text('{"a": 1} {"b":\n  {"c": [1, {"d": true}]}}\n---\n {"e": "😀", "f": 2}', "f")
    assert first.location("/a") == Location("f", 1, 7, "/a")
    assert second.location("") == Location("f", 1, 10, "")
    assert second.key_location("/b") == Location("f", 1, 11, "/b")
    assert second.location("/b/c/1/d") == Location("f", 2, 19, "/b/c/1/d")
    assert second.location("/b/c/1/nothing") == Location("f", 2, 13, "/b/c/1/nothing")
    # Columns count code points.
    assert third.location("/f") == Location("f", 4, 18, "/f")


def test_merged_keys_are_where_they_are_written() -> None:
    """Which is where they would be changed."""
    (document,) = load_text("base: &b {k: 1}\nown:\n  <<: *b\n  z: 2\n")
    assert document.location("/own/k").line == 1
    assert document.key_location("/own/z").line == 4


def test_a_document_made_from_data_knows_its_source_only() -> None:
    """It has no text."""
    document = Document({"a": "x"})
    assert document.location("/a") == Location("<data>", pointer="/a")
    assert document.key_location("/a") == Location("<data>", pointer="/a")
    assert document.text_location("/a", 0) == (Location("<data>", pointer="/a"), True)
    with pytest.raises(PointerError):
        document.location("a")


TEXTS = r"""
plain: foo && bar
single: 'it''s x'
double: "a\"b\u00e9\ud83d c\x41\
  z"
anchored: &a !!str  foo bar
alias: *a
literal: |
  if a {

      b
  }
folded: >-
  foo &&
  bar

  baz
continued: foo
  bar baz
quoted: "foo
  bar"
number: 123
flow: [x y, "z"]
""".replace(r"\ud83d", "")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("pointer", "part", "line", "column"),
    [
        ("/plain", "bar", 2, 15),
        ("/single", "x", 3, 16),
        ("/single", "s x", 3, 14),
        ("/double", "b", 4, 13),
        ("/double", "é", 4, 14),
        ("/double", "A", 4, 22),
        ("/double", "z", 5, 3),
        ("/anchored", "bar", 6, 25),
        ("/alias", "bar", 6, 25),
        ("/literal", "a {", 9, 6),
        ("/literal", "b", 11, 7),
        ("/literal", "}", 12, 3),
        ("/folded", "&&", 14, 7),
        ("/folded", "bar", 15, 3),
        ("/folded", "baz", 17, 3),
        ("/continued", "baz", 19, 7),
        ("/quoted", "bar", 21, 3),
        ("/flow/0", "y", 23, 10),
        ("/flow/1", "z", 23, 14),
    ],
)
def test_places_inside_strings(pointer: str, part: str, line: int, column: int) -> None:
    """In every style, with what YAML folds and unescapes."""
    (document,) = load_text(TEXTS, "f")
    offset = resolve(document.value, pointer).index(part)
    assert document.text_location(pointer, offset) == (Location("f", line, column, pointer), False)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "offset", "line", "column", "approximate"),
    [
        pytest.param("a: foo bar", 3, 1, 7, False, id="space-as-written"),
        pytest.param("a: foo", 6, 1, 7, False, id="the-end"),
        pytest.param("a: ' x'", 0, 1, 5, False, id="space-after-the-quote"),
        pytest.param("a: ''", 0, 1, 5, False, id="empty-text"),
        pytest.param("a: foo\n  bar", 3, 1, 7, True, id="folded-line-end"),
        pytest.param("a: >\n  foo\n  bar", 3, 2, 6, True, id="folded-block-line-end"),
        pytest.param("a: |\n  foo\n    bar", 3, 2, 6, False, id="line-end-of-a-literal"),
        pytest.param("a: |2\n    foo", 1, 1, 4, True, id="space-before-a-literal"),
        pytest.param('a: "x\\ty"', 1, 1, 6, True, id="escaped-space"),
        pytest.param("a: 12", 0, 1, 4, False, id="start-of-a-number"),
        pytest.param("a: 12", 1, 1, 4, True, id="inside-a-number"),
        pytest.param("a: {b: 1}", 0, 1, 4, True, id="a-map"),
    ],
)
def test_places_at_white_space(text: str, offset: int, line: int, column: int, *, approximate: bool) -> None:
    """It is changed in reading, and nobody can say which space became which."""
    (document,) = load_text(text, "f")
    assert document.text_location("/a", offset) == (Location("f", line, column, "/a"), approximate)


def test_a_string_that_is_not_like_its_source_has_an_approximate_place() -> None:
    """No style explains it, so nothing is claimed."""
    # One of the parsers reads this as a line break, the aligned characters do not differ then; a text that was
    # changed after it was read does.
    (document,) = load_text("a: foo", "f")
    assert document.positions is not None
    document.positions.origin.text = "a: bar"
    document.positions.origin.root().children["a"][1].value = "foo"  # type: ignore[index, call-overload]
    assert document.text_location("/a", 2) == (Location("f", 1, 4, "/a"), True)


TEXT = st.text(st.sampled_from("ab:#'\"\\ \n{}[],&*é😀-|>%"), max_size=12)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers(-9, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


def places(data: JSON, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """All pointers of a value, with what is there."""
    yield pointer, data
    if isinstance(data, dict):
        for key, item in data.items():
            yield from places(item, join(pointer, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from places(item, join(pointer, index))


def offset_of(text: str, location: Location) -> int:
    """The offset of a place that is told by line and column."""
    assert location.line is not None
    assert location.column is not None
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: location.line - 1]) + location.column - 1


def wrap(data: object) -> dict[str, object]:
    """A document that is certainly one."""
    return {"v": data}


@given(JSON_VALUES, st.sampled_from([None, 0, 1, "\t"]), st.sampled_from(["ascii", "utf-8"]))
def test_every_place_in_json_is_where_its_text_is(data: object, indent: int | str | None, encoding: str) -> None:
    """The text at a place is decoded again."""
    text = f"\n {json.dumps(wrap(data), indent=indent, ensure_ascii=encoding == 'ascii')} {{}}"
    document = load_text(text)[0]
    decoder = json.JSONDecoder()
    for pointer, found in places(document.value):
        assert decoder.raw_decode(text, offset_of(text, document.location(pointer)))[0] == found
        check_key(document, text, pointer, decoder)
        check_characters(document, text, pointer, found)


def check_key(document: Document, text: str, pointer: str, decoder: json.JSONDecoder) -> None:
    """The key of a place in JSON is where it says."""
    if pointer and isinstance(resolve(document.value, pointer.rpartition("/")[0]), dict):
        key, _ = decoder.raw_decode(text, offset_of(text, document.key_location(pointer)))
        assert join("", key) == "/" + pointer.rpartition("/")[2]


def check_characters(document: Document, text: str, pointer: str, found: object) -> None:
    """Every character of a string but white space is at its exact place."""
    if not isinstance(found, str):
        return
    for offset, character in enumerate(found):
        location, approximate = document.text_location(pointer, offset)
        if not character.isspace():
            assert not approximate
        if not approximate:
            assert text[offset_of(text, location)] in (character, "\\")


@pytest.mark.parametrize("style", [None, '"', "'", "|", ">"])
@given(data=JSON_VALUES, width=st.sampled_from([10, 1000]), flow=st.booleans())
def test_every_place_in_yaml_is_where_its_text_is(style: str | None, data: object, width: int, *, flow: bool) -> None:
    """PyYAML's writer makes all styles and folds lines."""
    text = yaml.safe_dump(wrap(data), default_style=style, width=width, default_flow_style=flow, allow_unicode=True)
    document = load_text(text)[0]
    for pointer, found in places(document.value):
        position = offset_of(text, document.location(pointer))
        check_characters(document, text, pointer, found)
        if isinstance(found, int) and style is None:
            assert text[position:].lower().startswith(json.dumps(found))


@given(JSON_VALUES)
def test_every_place_in_our_own_yaml_is_where_its_text_is(data: object) -> None:
    """The text at a place is what is written for its value."""
    text = to_yaml(wrap(data))
    document = load_text(text)[0]
    assert document.value == wrap(data)
    for pointer, found in places(document.value):
        check_characters(document, text, pointer, found)
        if not isinstance(found, (dict, list)):
            first = to_yaml(found).splitlines()[0]
            assert text.startswith(first, offset_of(text, document.location(pointer)))
        if pointer and isinstance(resolve(document.value, pointer.rpartition("/")[0]), dict):
            key = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            start = offset_of(text, document.key_location(pointer))
            assert text.startswith(to_yaml({key: 0}).removesuffix(" 0\n"), start)


# Every text

TOKENS = [
    *["a", "b: ", "a: ", "- ", "\n", "\n  ", "\n- ", " ", "\t", "'", '"', "[", "]", "{", "}", ",", ": ", "? ", "&x "],
    *["*x", "<<: *x", "!!str ", "!", "|", ">-", "#c", " #", "1", "1e3", ".inf", "~", "\r\n", "%", "---", "\n---\n"],
    *["...", "\n...\n", "é", "😀", "\\n", "\\", "\\ud83d", "\x85", "\u2028", "\ufeff", "\0", "\ud800", "null", "true"],
    *['{"a":1}', '{"a":1,"a":2}', '{"items":[', "items: ", "kind: XList\n", '"a"', "1" * 20, "9" * 5000],
]
SOUP = st.lists(st.sampled_from(TOKENS), max_size=14).map("".join)


def outcome(found: list[Document], errors: list[InputError]) -> tuple[list[Any], list[str]]:
    """What a reading gave, in a form that can be compared."""
    return [(item.value, item.index, str(item.location(""))) for item in found], [str(item) for item in errors]


def check_outcome(found: list[Document], errors: list[InputError]) -> None:
    """Documents keep the data rules, and errors have all parts."""
    for item in found:
        assert normalize(item.value) is item.value
        assert item.location("").line is not None
    for problem in errors:
        assert problem.location.line is not None
        assert problem.location.column is not None
        assert problem.cure
        str(problem)


@settings(max_examples=400)
@given(SOUP | st.text(max_size=20))
def test_every_text_gives_documents_or_errors(text: str) -> None:
    """And a stream of its lines gives the same."""
    found, errors = load_all(text)
    check_outcome(found, errors)
    by_line: list[InputError] = []
    streamed = list(stream(io.StringIO(text, newline="\n"), "<string>", by_line.append))
    assert outcome(streamed, by_line) == outcome(found, errors)
    if errors:
        with pytest.raises(InputError) as caught:
            load_text(text)
        assert str(caught.value) == str(errors[0])
    else:
        assert [item.value for item in load_text(text)] == [item.value for item in found]


@settings(max_examples=200)
@given(st.binary(max_size=20) | SOUP.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_all_bytes_give_documents_or_errors(data: bytes) -> None:
    """Whether they are UTF-8 or not."""
    found, errors = load_all(data)
    check_outcome(found, errors)
    by_line: list[InputError] = []
    streamed = list(stream(io.BytesIO(data), "<string>", by_line.append))
    assert outcome(streamed, by_line) == outcome(found, errors)


def test_without_libyaml_the_parser_in_python_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on platforms for which PyYAML has no compiled part."""
    monkeypatch.delattr(yaml, "cyaml", raising=False)
    monkeypatch.setitem(sys.modules, "yaml.cyaml", None)
    spec = importlib.util.spec_from_file_location("without_libyaml", yaml_parsers.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.LIBYAML_PARSER is None
    assert type(module.make_parser("a: 1")).__name__ == "PythonParser"


@settings(max_examples=300)
@given(SOUP)
def test_what_both_parsers_accept_they_read_alike(text: str) -> None:
    """So it does not matter for a result which one is installed."""

    def read() -> object:
        try:
            node = yaml_loader.compose(text)
        except SourceProblem:
            return None
        return repr(node and node.value)

    first = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_parsers, "LIBYAML_PARSER", None)
        second = read()
    assert first is None or second is None or first == second


@given(JSON_VALUES)
def test_json_and_yaml_of_the_same_value_are_read_alike(data: object) -> None:
    """Conversion between the two changes nothing."""
    assert values(json.dumps(wrap(data))) == values(yaml.safe_dump(wrap(data))) == [wrap(data)]


# Files and streams


def test_a_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    """Only in directories the suffix counts."""
    file = tmp_path / "pods"
    file.write_text("a: 1\n---\nb: 2\n")
    found = list(load_path(file))
    assert [(item.value, item.source, item.index) for item in found] == [
        ({"a": 1}, str(file), 0),
        ({"b": 2}, str(file), 1),
    ]


def test_a_directory_is_read_in_the_order_of_its_paths(tmp_path: Path) -> None:
    """On every machine the same; hidden names are left out."""
    for name in ("b.yaml", "a/z.yml", "a/y.json", "a/readme.md", ".git/x.yaml", ".hidden.yaml", "..data/x.yaml"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'{{"file": "{name}"}}')
    assert [item.value["file"] for item in load_path(str(tmp_path))] == ["a/y.json", "a/z.yml", "b.yaml"]


def test_errors_of_files_are_collected_and_reading_goes_on(tmp_path: Path) -> None:
    """One unreadable file in a directory."""
    (tmp_path / "a.yaml").write_text("a: [")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "missing")
    (tmp_path / "c.yaml").write_text("c: 1")
    errors: list[InputError] = []
    assert [item.value for item in load_path(tmp_path, errors.append)] == [{"c": 1}]
    assert [Path(item.location.source or "").name for item in errors] == ["a.yaml", "b.yaml"]
    assert isinstance(errors[1].__cause__, FileNotFoundError)
    with pytest.raises(InputError):
        list(load_path(tmp_path))


@pytest.mark.parametrize("name", ["missing.yaml", "nul\0.yaml"])
def test_a_file_that_is_not_there_is_our_error(tmp_path: Path, name: str) -> None:
    """With the exception of Python as its cause."""
    with pytest.raises(InputError, match="it cannot be read") as caught:
        list(load_path(tmp_path / name))
    assert caught.value.cure == "check the path, its permissions and encoding"


def test_a_file_that_fails_while_it_is_read_is_our_error() -> None:
    """A file of Linux that opens and does not read."""
    file = Path("/proc/self/mem")
    if not file.exists():  # pragma: no cover - depends on the platform
        pytest.skip("there is no such file")
    errors: list[InputError] = []
    assert list(load_path(file, errors.append)) == []
    assert [problem.message for problem in errors] == ["it cannot be read: Input/output error"]


def test_a_directory_without_documents_is_an_error(tmp_path: Path) -> None:
    """It is probably the wrong one."""
    with pytest.raises(InputError, match=r"the directory has no files that end in \.json, \.yaml, \.yml"):
        list(load_path(tmp_path))


def test_a_directory_that_is_closed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`os.walk` passes it over in silence."""

    def walk(path: Path, onerror: Callable[[OSError], None]) -> Iterator[tuple[str, list[str], list[str]]]:
        onerror(PermissionError(13, "Permission denied", str(path / "secret")))
        yield str(path), [], []

    monkeypatch.setattr(os, "walk", walk)
    with pytest.raises(InputError) as caught:
        list(load_path(tmp_path))
    assert caught.value.message == "it cannot be read: Permission denied"
    assert caught.value.location.source == str(tmp_path / "secret")


def test_a_large_file_is_read_by_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be larger than the memory."""
    monkeypatch.setattr(documents, "_WHOLE_FILE_SIZE", 10)
    file = tmp_path / "x.json"
    file.write_text('{"a": 1}\n{"b": 2}\n')
    assert [item.value for item in load_path(file)] == [{"a": 1}, {"b": 2}]


class Broken(io.StringIO):
    """A stream that fails after its text."""

    def __init__(self, text: str, problem: Exception) -> None:
        """Keep the failure."""
        super().__init__(text)
        self.problem = problem

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        """Fail at the end."""
        line = super().readline(-1 if size is None else size)
        if not line:
            raise self.problem
        return line


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (OSError(5, "Input/output error"), "it cannot be read: Input/output error"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "it cannot be read: 'utf-8' codec"),
    ],
)
def test_a_stream_that_fails_is_our_error_after_its_documents(problem: Exception, message: str) -> None:
    """What came before the failure is good."""
    errors: list[InputError] = []
    found = list(stream(Broken('{"a": 1}\n', problem), "in", errors.append))
    assert [item.value for item in found] == [{"a": 1}]
    assert errors[0].message.startswith(message)
    assert errors[0].__cause__ is problem


def test_json_comes_out_as_its_lines_come_in() -> None:
    """`kubectl get --watch -o json` never ends."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        found = stream(source)
        for number in range(3):
            sink.write(b'{"n":\n %d}\n' % number)
            assert next(found).value == {"n": number}
        sink.write(b"---\na: 1\n---\n")
        assert next(found).value == {"a": 1}
        sink.close()
        assert list(found) == []


class Endless:
    """A stream that makes its lines when they are read."""

    def __init__(self, count: int, text: str) -> None:
        """Keep what to give how often."""
        self.lines = (line for number in range(count) for line in (text % number).splitlines(keepends=True))

    def readline(self, size: int = -1) -> str:
        """Give a line until there are none."""
        assert size != 0
        return next(self.lines, "")


@pytest.mark.parametrize(
    ("count", "line"),
    [
        pytest.param(20_000, '{"kind": "Pod", "n": %d}\n', id="one-a-line"),
        pytest.param(5_000, '{"kind": "Pod",\n"n": %d}\n', id="json-on-lines"),
        pytest.param(2_000, "n: %d\n---\n", id="yaml"),
    ],
)
def test_a_stream_takes_the_memory_of_one_object(count: int, line: str) -> None:
    """However long it is."""
    source: Any = Endless(count, line)
    tracemalloc.start()
    try:
        found = sum(1 for _ in stream(source))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == count
    assert peak < 300_000


def test_a_stream_of_broken_lines_takes_the_memory_of_one() -> None:
    """No line is held until the end because it might be YAML."""
    errors = 0

    def count(_: InputError) -> None:
        nonlocal errors
        errors += 1

    source: Any = Endless(5_000, '{"broken: %d}\n')
    tracemalloc.start()
    try:
        assert list(stream(source, errors=count)) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert errors == 5_000
    assert peak < 300_000


def test_many_values_in_one_line_take_one_pass() -> None:
    """Places would take quadratic time if each were counted from the start."""
    count = 20_000
    found = load_text('{"a":1}' * count)
    assert len(found) == count
    assert found[-1].location("").column == 7 * (count - 1) + 1


def test_yaml_is_not_imported_for_json() -> None:
    """It takes longer than the rest of the work."""
    code = """
import sys
from workloadmap_spec.canonical import dumps, to_yaml
from workloadmap_spec.documents import load_text
document = load_text('{"a": {"b": 1}}')[0]
document.location("/a/b"), dumps(document.value), to_yaml(document.value)
assert "yaml" not in sys.modules and "jsonschema" not in sys.modules and "rfc8785" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])


def test_files_of_real_projects_are_read(shared: Path) -> None:
    """What is refused has a key twice in the eyes of PyYAML too."""
    files = [path for path in sorted((shared / "upstream").rglob("*")) if path.suffix in {".yaml", ".yml", ".json"}]
    assert files
    # The schemas are generated, and some are megabytes: the smaller ones have all their forms.
    for file in [file for file in files if file.stat().st_size < 300_000]:
        text = file.read_text()
        found, errors = load_all(text, file.name)
        assert found or errors
        for document in found:
            assert normalize(document.value) is document.value
        if errors:
            assert all("is written twice" in problem.message for problem in errors)
            assert any(has_duplicate(node) for node in yaml.compose_all(text))


def has_duplicate(node: yaml.Node) -> bool:
    """Whether PyYAML finds a key that is written twice, too."""
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        return len(set(keys)) < len(keys) or any(has_duplicate(item) for _, item in node.value)
    return isinstance(node, yaml.SequenceNode) and any(has_duplicate(item) for item in node.value)

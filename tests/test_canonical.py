"""Canonical JSON (RFC 8785), digests, and YAML for people."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
import rfc8785
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workloadmap_spec import yaml_parsers
from workloadmap_spec.canonical import MAX_WRITTEN_DEPTH, digest, dumps, to_yaml
from workloadmap_spec.data_rules import CLEAN, survey
from workloadmap_spec.documents import load_text, normalize
from workloadmap_spec.errors import InputError
from workloadmap_spec.yaml_scalars import resolve_plain

if TYPE_CHECKING:
    from workloadmap_spec.pointer import JSON


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}', id="sorted-without-space"),
        pytest.param("x", '"x"', id="a-scalar"),
        pytest.param({}, "{}", id="empty"),
        # RFC 8785, 3.2.2.2 and 3.2.3.
        pytest.param(
            {"numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]},
            '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
            id="numbers-of-the-rfc",
        ),
        pytest.param(
            {"string": '\u20ac$\u000f\nA\'B"\\\\"/'},
            '{"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
            id="string-of-the-rfc",
        ),
        pytest.param(
            dict.fromkeys(["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\x80", "\xf6"], 0),
            '{"\\r":0,"1":0,"\x80":0,"\xf6":0,"\u20ac":0,"\U0001f600":0,"\ufb33":0}',
            id="sorting-of-the-rfc",
        ),
        # ECMAScript writes an exponent below 1e-6 and from 1e21 on; Python below 1e-4 and from 1e16 on.
        pytest.param([1e-6, 1e-7, 1.5e-5, 0.0001], "[0.000001,1e-7,0.000015,0.0001]", id="small-floats"),
        pytest.param([1e16, 1e20, 1e21], "[10000000000000000,100000000000000000000,1e+21]", id="large-floats"),
        pytest.param([1.0, -0.0, -1.5], "[1,0,-1.5]", id="whole-floats"),
    ],
)
def test_the_canonical_text(value: object, text: str) -> None:
    """Expected texts are from the RFC or written by its rules."""
    assert dumps(value) == text


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        pytest.param({"a": [math.nan]}, "/a/0", "NaN is not a number that JSON has", id="nan"),
        pytest.param(
            {"a": 2**53},
            "/a",
            "9007199254740992 is beyond 9007199254740991 (2^53-1), where readers disagree about the value",
            id="big-int",
        ),
        pytest.param({"a": {1: 2}}, "/a", "a key is a number (`1`), not a string", id="int-key"),
        pytest.param({"a": dt.date(2020, 1, 1)}, "/a", "a date is not a JSON value", id="date"),
        pytest.param(
            {"a": "\ud800"},
            "/a",
            "half of a character (the lone surrogate U+D800) stands in a string",
            id="surrogate",
        ),
    ],
)
def test_what_has_no_canonical_text_is_our_error(value: object, pointer: str, message: str) -> None:
    """The place is told, which the library below does not."""
    with pytest.raises(InputError) as caught:
        dumps(value)
    assert (caught.value.location.pointer, caught.value.message) == (pointer, message)


def test_a_value_that_contains_itself_is_our_error() -> None:
    """It would be written for ever."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InputError, match="contains itself"):
        dumps(value)


def test_an_error_that_the_data_rules_do_not_know_is_our_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the library refuses."""

    def refuse(value: object) -> bytes:
        raise rfc8785.CanonicalizationError(value)

    monkeypatch.setattr(rfc8785, "dumps", refuse)
    with pytest.raises(InputError, match="the value has no canonical JSON: None"):
        dumps(None)


def test_the_digest_is_that_of_the_canonical_text() -> None:
    """Order does not matter, and the hash is of UTF-8."""
    expected = hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()
    assert digest({"b": 1, "a": "é"}) == digest({"a": "é", "b": 1.0}) == f"sha256:{expected}"


CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    "\ud7ff\ue000\ufb33\uffff\U00010000\x7f\x80\u2028"
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.builds(
    lambda mantissa, exponent: mantissa * 10.0**exponent, st.integers(-999, 999), st.integers(-12, 24)
)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | FLOATS | st.text(CHARACTERS, max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(CHARACTERS, max_size=4), inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=500)
@given(JSON_VALUES)
@example({"\ufb33": 1, "\U0001f600": 2})
@example([1e-5])
@example(["\x7f\u2028\x1f\x08\x0c/"])
def test_the_bytes_are_those_of_the_reference_library(value: JSON) -> None:
    """The fast way and the other one."""
    assert dumps(value).encode() == rfc8785.dumps(value)
    assert json.loads(dumps(value), parse_int=float) == value


@given(st.dictionaries(st.text(CHARACTERS, max_size=2), st.just(0), min_size=2, max_size=8))
def test_keys_are_in_the_order_of_the_reference_library(value: dict[str, int]) -> None:
    """UTF-16 code units and code points differ in order beyond the first plane."""
    assert survey(value) == CLEAN or "\0" in "".join(value)
    assert dumps(value).encode() == rfc8785.dumps(value)


# YAML


def test_yaml_looks_as_kubectl_writes_it() -> None:
    """Block style, lists in the column of their key, quotes only where they are needed."""
    value = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x", "on": "yes"}, "annotations": {}},
        "spec": {
            "suspend": False,
            "parallelism": 2,
            "ratio": 0.00001,
            "template": {
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com:5000/x@sha256:0a",
                        "command": ["sh", "-c", "set -e\necho $(HOME) # x\n"],
                        "args": ["--flag=a,b", "$(X)", "./run", "", "2018-07-20", "1e3", "0x1F", "a: b", "a #b", "é"],
                        "resources": {"limits": {"cpu": "100m", "memory": "1.5Gi", "nvidia.com/gpu": "1"}},
                    },
                ],
                "matrix": [[1, 2], [[]], [{"a": None}]],
            },
        },
    }
    assert (
        to_yaml(value)
        == """\
apiVersion: batch/v1
kind: Job
metadata:
  name: a
  labels:
    app.kubernetes.io/name: x
    "on": "yes"
  annotations: {}
spec:
  suspend: false
  parallelism: 2
  ratio: 1.0e-05
  template:
    containers:
    - name: main
      image: registry.example.com:5000/x@sha256:0a
      command:
      - sh
      - -c
      - |
        set -e
        echo $(HOME) # x
      args:
      - --flag=a,b
      - $(X)
      - ./run
      - ""
      - "2018-07-20"
      - "1e3"
      - "0x1F"
      - "a: b"
      - "a #b"
      - é
      resources:
        limits:
          cpu: 100m
          memory: 1.5Gi
          nvidia.com/gpu: "1"
    matrix:
    - - 1
      - 2
    - - []
    - - a: null
"""
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("x", "x\n", id="string"),
        pytest.param(None, "null\n", id="null"),
        pytest.param([], "[]\n", id="empty-list"),
        pytest.param("a\nb", "|-\n  a\n  b\n", id="text-of-two-lines"),
        pytest.param("a\n\nb\n", "|\n  a\n\n  b\n", id="text-with-an-empty-line"),
        pytest.param("a\n\n", '"a\\n\\n"\n', id="text-with-two-line-ends"),
        pytest.param(" a\nb", '" a\\nb"\n', id="text-that-begins-with-space"),
        pytest.param("a \nb", '"a \\nb"\n', id="text-with-space-that-nobody-sees"),
        pytest.param("\na", '"\\na"\n', id="text-that-begins-with-a-line-end"),
        pytest.param("a\tb", '"a\\tb"\n', id="tab"),
        pytest.param("a\x7f\x85\u2028\ufeff\xa0", '"a\\u007f\\u0085\\u2028\\ufeff\\u00a0"\n', id="unseen-characters"),
        pytest.param("😀", '"😀"\n', id="beyond-the-first-plane"),
        pytest.param((1, 2.0), "- 1\n- 2\n", id="tuple-and-whole-float"),
        pytest.param([1e-7, 0.5], "- 1.0e-07\n- 0.5\n", id="floats"),
        pytest.param({"k" * 600: [1]}, f"? {'k' * 600}\n:\n  - 1\n", id="long-key-of-a-list"),
        pytest.param({"k" * 600: {"a": 1}}, f"? {'k' * 600}\n:\n  a: 1\n", id="long-key-of-a-map"),
        pytest.param({"k" * 600: "x"}, f"? {'k' * 600}\n: x\n", id="long-key-of-a-scalar"),
        pytest.param({"k" * 600: "x\ny"}, f"? {'k' * 600}\n: |-\n  x\n  y\n", id="long-key-of-text"),
    ],
)
def test_yaml_of_single_values(value: object, text: str) -> None:
    """One form each."""
    assert to_yaml(value) == text


def test_keys_are_sorted_when_asked() -> None:
    """At every depth, and without it they stay as they are."""
    value = {"b": 1, "a": {"d": 1, "c": 2}}
    assert to_yaml(value, sort_keys=True) == "a:\n  c: 2\n  d: 1\nb: 1\n"
    assert to_yaml(value) == "b: 1\na:\n  d: 1\n  c: 2\n"


#: Every form of text that some reader takes for something else: YAML 1.1 and 1.2, and kubectl.
AMBIGUOUS = [
    *["", "~", "null", "Null", "NULL", "nULL", "true", "True", "TRUE", "tRue", "false", "yes", "Yes", "no", "NO", "on"],
    *[
        "off",
        "Off",
        "y",
        "Y",
        "n",
        "N",
        "1",
        "-1",
        "+1",
        "0",
        "010",
        "0o17",
        "08",
        "0x1F",
        "0b1",
        "1_000",
        "1e3",
        "1E3",
    ],
    *["1.0", "1.", ".5", "-.5", "+.5", "1e+3", "1.0e+3", ".inf", "-.INF", "+.inf", ".nan", ".NaN", "1:30", "190:20:30"],
    *["12:30:45.5", "2018-07-20", "2018-07-20T08:23:04Z", "2001-12-14 21:59:43.10", "=", "<<", "- a", "-", "?", "? a"],
    *[":", "a:", "a: b", "#a", "a #b", "&a", "*a", "!a", "|", ">", "'a'", '"a"', "%a", "@a", "`a`", "{a}", "[a]", ","],
    *["---", "--- a", "...", " a", "a ", "\t", "a\nb", "\\", "{{ .Values.x }}", "1e1000", "9" * 400, "0x" + "f" * 20],
]


@pytest.mark.parametrize("text", AMBIGUOUS, ids=lambda text: repr(text[:20]))
def test_text_that_could_be_something_else_is_quoted(text: str) -> None:
    """For our loader, for YAML 1.1 as PyYAML has it, and for the words and numbers of YAML 1.2."""
    written = to_yaml({"k": text, text: "v", "l": [text]})
    assert load_text(written)[0].value == yaml.safe_load(written) == {"k": text, text: "v", "l": [text]}
    line = to_yaml(text)
    assert line[0] in "\"'|"


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "abc def",
        "a:b",
        "a#b",
        "/a/b",
        "100m",
        "4Gi",
        "1.5Gi",
        "5E",
        "10k",
        "--a",
        "-c",
        "$(A)",
        "a, [b] {c}",
        "it's",
        "_x",
    ],
)
def test_plain_text_is_not_quoted(text: str) -> None:
    """Quotes everywhere would make manifests hard to read."""
    assert to_yaml(text) == f"{text}\n"
    assert isinstance(resolve_plain(text), str)
    assert load_text(to_yaml([text]))[0].value == yaml.safe_load(to_yaml([text])) == [text]


TEXTS = (
    st.text(CHARACTERS, max_size=8)
    | st.sampled_from(AMBIGUOUS)
    | st.text("ab \n\t:#-'\"{}[],&*!|>%@`\\.01eE+~é\r\x85", max_size=10)
)
YAML_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize("parser", ["libyaml", "python"])
@settings(max_examples=400)
@given(value=YAML_VALUES, sort_keys=st.booleans())
def test_what_is_written_is_read_again(parser: str, value: JSON, *, sort_keys: bool) -> None:
    """The law of the writer; what the data rules refuse is not read again."""
    value = {"v": value}
    try:
        expected = normalize(value)
        text = to_yaml(value, sort_keys=sort_keys)
    except InputError:
        return
    with pytest.MonkeyPatch.context() as patch:
        if parser == "python":
            patch.setattr(yaml_parsers, "LIBYAML_PARSER", None)
        (document,) = load_text(text)
    assert document.value == expected
    assert dumps(document.value) == dumps(expected)
    assert to_yaml(value, sort_keys=sort_keys) == text


@given(YAML_VALUES)
def test_other_readers_read_the_same(value: JSON) -> None:
    """PyYAML reads YAML 1.1, with its own words, numbers and dates."""
    value = {"v": value}
    try:
        normalize(value)
    except InputError:
        return
    assert yaml.safe_load(to_yaml(value)) == value


def deep(depth: int) -> JSON:
    """Lists inside each other."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_the_limit_of_depth_is_that_of_maps() -> None:
    """A map holds a document of full depth some levels down."""
    assert to_yaml(deep(MAX_WRITTEN_DEPTH)).endswith("- []\n")
    assert dumps(deep(MAX_WRITTEN_DEPTH)).endswith("[]" + "]" * MAX_WRITTEN_DEPTH)
    with pytest.raises(InputError, match="maps and lists nest more than 200 deep"):
        to_yaml(deep(MAX_WRITTEN_DEPTH + 1))


@pytest.mark.parametrize(
    ("value", "pointer", "message", "cure"),
    [
        pytest.param(
            {"a": [math.inf]},
            "/a/0",
            "NaN and infinities are not numbers that JSON has",
            "write it as text, or leave it out",
            id="infinity",
        ),
        pytest.param(
            {"a": 2**53}, "/a", "a number is beyond 9007199254740991 (2^53-1)", "write it as text", id="big-int"
        ),
        pytest.param(
            {"a": 1e300}, "/a", "a number is beyond 9007199254740991 (2^53-1)", "write it as text", id="big-float"
        ),
        pytest.param({"a": {1: 2}}, "/a", "a key is a number, not a string", "make it a string", id="int-key"),
        pytest.param({"a": b"x"}, "/a", "a bytes is not a JSON value", "convert it to plain JSON data", id="bytes"),
        pytest.param(
            {"a": "\ud800"}, "/a", "a string holds a lone surrogate, half of a character", "remove it", id="surrogate"
        ),
    ],
)
def test_what_has_no_yaml_is_our_error(value: object, pointer: str, message: str, cure: str) -> None:
    """With its place, so that a caller finds it."""
    with pytest.raises(InputError) as caught:
        to_yaml(value)
    assert (caught.value.location.pointer, caught.value.message, caught.value.cure) == (pointer, message, cure)

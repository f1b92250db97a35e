"""Texts edited in place: what is written is read, and everything else stays as it was."""

from __future__ import annotations

import copy
import json
import random  # noqa: TC003 - hypothesis asks for the type
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workloadmap_spec.documents import Document, load_text
from workloadmap_spec.pointer import JSON, join, resolve, split
from workloadmap_spec.values import same
from workloadmap_spec.writing.text import InPlaceError, changed_text, raw_values

GONE = object()


def edited(text: str, *edits: tuple[str, Any], document: int = 0) -> str:
    """A text with values put at places of one of its documents, or removed."""
    documents = load_text(text)
    value = copy.deepcopy(raw_values(documents)[document])
    for pointer, new in edits:
        put(value, split(pointer), new)
    return changed_text(text, documents, {document: value})


def put(value: JSON, path: tuple[str, ...], new: JSON) -> None:
    """Put a value at a place, or remove what is there; `-` is the end of a list."""
    for token in path[:-1]:
        value = value[int(token)] if isinstance(value, list) else value[token]
    last = path[-1]
    if isinstance(value, list):
        if last == "-":
            value.append(new)
        elif new is GONE:
            del value[int(last)]
        else:
            value[int(last)] = new
    elif new is GONE:
        del value[last]
    else:
        value[last] = new


# Each: what it shows, the text, the edits, and the new text.
EDITS: list[tuple[str, str, list[tuple[str, Any]], str]] = [
    ("a number keeps its comment", "a: 1   # one\nb: 2\n", [("/a", 7)], "a: 7   # one\nb: 2\n"),
    ("a quoted text is replaced whole", "a: 'x # y'  # c\n", [("/a", "z")], "a: z  # c\n"),
    ("text that looks like a number is quoted", "a: x\n", [("/a", "8")], 'a: "8"\n'),
    ("text that kubectl takes for a boolean is quoted", "a: x\n", [("/a", "y")], 'a: "y"\n'),
    (
        "a text of lines becomes a literal block",
        "a:\n  b: x\nc: 1\n",
        [("/a/b", "l\nm\n")],
        "a:\n  b: |\n    l\n    m\nc: 1\n",
    ),
    ("a text of lines before a comment stays on its line", "a: x # c\n", [("/a", "l\nm\n")], 'a: "l\\nm\\n" # c\n'),
    ("a literal block becomes one line", "a: |\n  l\n  m\n\n# c\nb: 1\n", [("/a", "x")], "a: x\n\n# c\nb: 1\n"),
    ("nothing becomes something", "a:   # c\nb: 1\n", [("/a", "x")], "a: x   # c\nb: 1\n"),
    ("nothing becomes a map", "a:   # c\nb: 1\n", [("/a", {"x": 1})], "a:   # c\n  x: 1\nb: 1\n"),
    ("an empty map gets an entry in block style", "a: {}  # c\nb: 1\n", [("/a/x", 1)], "a:  # c\n  x: 1\nb: 1\n"),
    (
        "an entry goes behind the last one",
        "a:\n  b: 1\n\n# c\nd: 2\n",
        [("/a/x", "w")],
        "a:\n  b: 1\n  x: w\n\n# c\nd: 2\n",
    ),
    ("an entry has the indentation of its map", "a:\n     b: 1\n", [("/a/x", "w")], "a:\n     b: 1\n     x: w\n"),
    ("an entry of a map that is an element", "- a: 1\n  b: 2\n", [("/0/x", 3)], "- a: 1\n  b: 2\n  x: 3\n"),
    ("maps on the way", "a: 1\n", [("/x", {"v": {"z": ["w"]}})], "a: 1\nx:\n  v:\n    z:\n    - w\n"),
    ("an entry inside and one behind it", "a:\n  b: 1\n", [("/a/x", 2), ("/v", 3)], "a:\n  b: 1\n  x: 2\nv: 3\n"),
    ("a last line without an end", "a:\n  b: 1", [("/a/x", 2), ("/v", 3)], "a:\n  b: 1\n  x: 2\nv: 3"),
    ("a literal block that ends the text", "a:\n  b: |\n    l", [("/a/x", 1)], "a:\n  b: |-\n    l\n  x: 1"),
    ("a literal block that knows its end", "a:\n- b: |-\n    l", [("/x", 1)], "a:\n- b: |-\n    l\nx: 1"),
    ("the last literal block is replaced", "a:\n  b: |\n    l", [("/a/b", "m"), ("/c", 1)], "a:\n  b: m\nc: 1"),
    (
        "carriage returns",
        "a: 1\r\nb:\r\n  c: 2\r\n",
        [("/b/x", {"v": 1})],
        "a: 1\r\nb:\r\n  c: 2\r\n  x:\r\n    v: 1\r\n",
    ),
    (
        "an entry is removed with its lines",
        "a:\n  # k\n  b:\n    c: 1 # l\n  d: 2\n",
        [("/a/b", GONE)],
        "a:\n  # k\n  d: 2\n",
    ),
    ("the last entry is removed", "a:\n  b: 1\nd: 2\n", [("/a/b", GONE)], "a: {}\nd: 2\n"),
    ("comments around a map that is emptied", "a: # c\n  # d\n  b: 1\n", [("/a/b", GONE)], "a: {} # c\n  # d\n"),
    (
        "the first entry of an element is removed",
        "x:\n- a: 1\n  b: 2\n  c: 3\n",
        [("/x/0/a", GONE)],
        "x:\n- b: 2\n  c: 3\n",
    ),
    ("two first entries of an element", "- a: 1\n  b: 2\n  c: 3\n", [("/0/a", GONE), ("/0/b", GONE)], "- c: 3\n"),
    ("an entry later in an element", "- a: 1\n  b: 2\n  c: 3\n", [("/0/b", GONE)], "- a: 1\n  c: 3\n"),
    (
        "one is removed and one added at the end",
        "a:\n  b: 1\n  c: 2\n",
        [("/a/c", GONE), ("/a/d", 3)],
        "a:\n  b: 1\n  d: 3\n",
    ),
    (
        "an element is added",
        "a:\n  - b: 1 # c\n    d: 2\n# e\n",
        [("/a/-", {"b": 3})],
        "a:\n  - b: 1 # c\n    d: 2\n  - b: 3\n# e\n",
    ),
    ("an element is removed", "a:\n- 1 # c\n- 2\n- 3 # d\n", [("/a/1", GONE)], "a:\n- 1 # c\n- 3 # d\n"),
    ("an element is replaced", "a:\n- 1\n- 2\n", [("/a/0", {"x": 1, "v": 2})], "a:\n- x: 1\n  v: 2\n- 2\n"),
    (
        "a comment is no text of a literal block that comes into an element",
        "a:\n- 1 # c\n- 2\n",
        [("/a/0", ["l\nm\n"])],
        "a:\n- # c\n  - |\n    l\n    m\n- 2\n",
    ),
    ("an empty element is replaced", "a:\n-\n- 2\n", [("/a/0", 1)], "a:\n- 1\n- 2\n"),
    ("an empty element becomes a map", "a:\n-\n- 2\n", [("/a/0", {"x": 1, "v": 2})], "a:\n- x: 1\n  v: 2\n- 2\n"),
    (
        "a list becomes another one in its column",
        "a:\n  - 1\n  - 2\nb: 3\n",
        [("/a", [4, 5, 6])],
        "a:\n  - 4\n  - 5\n  - 6\nb: 3\n",
    ),
    ("a list becomes a scalar", "a:\n  - 1\n  - 2\nb: 3\n", [("/a", "x")], "a: x\nb: 3\n"),
    ("a list that cannot be edited line by line", "- - 1\n  - 2\n  - 3\n", [("/0/0", GONE)], "- - 2\n  - 3\n"),
    (
        "a flow map: an entry goes before the bracket",
        "a: {b: 1, c: 2 } # d\n",
        [("/a/x", "w")],
        "a: {b: 1, c: 2, x: w } # d\n",
    ),
    (
        "a flow map: first and last are removed",
        "a: {b: 1, c: 2, d: 3}\n",
        [("/a/b", GONE), ("/a/d", GONE)],
        "a: {c: 2}\n",
    ),
    ("a flow map: the middle is removed", "a: {b: 1, c: 2, d: 3}\n", [("/a/c", GONE)], "a: {b: 1, d: 3}\n"),
    (
        "a flow map: last is removed and one added",
        "a: {b: 1, c: 2}\n",
        [("/a/c", GONE), ("/a/d", 3)],
        "a: {b: 1, d: 3}\n",
    ),
    ("a flow map with a comma too many", "a: {b: 1,}\n", [("/a/c", 2)], "a: {b: 1, c: 2,}\n"),
    ("a flow map: keys without values", "a: {b, c: }\n", [("/a/b", 1), ("/a/c", 2)], "a: {b: 1, c: 2 }\n"),
    ("a flow map: text with commas", "a: {b: 1}\n", [("/a/b", "x, {y}")], 'a: {b: "x, {y}"}\n'),
    (
        "a flow map gets maps and lists",
        "a: {b: 1}\n",
        [("/a/c", {"d": [1, {}, "e"]})],
        "a: {b: 1, c: {d: [1, {}, e]}}\n",
    ),
    ("a flow list", "a: [1, 2, 3]\n", [("/a/1", GONE)], "a: [1, 3]\n"),
    ("a flow list: one more", "a: [1, 2]\n", [("/a/-", "x")], "a: [1, 2, x]\n"),
    ("a flow list: one is another", "a: [1, 2]\n", [("/a/0", "\x85")], 'a: ["\\u0085", 2]\n'),
    (
        "a flow map on lines",
        "a: {\n  b: 1, # c\n  d: 2 # e\n}\n",
        [("/a/x", 3)],
        "a: {\n  b: 1, # c\n  d: 2,\n  x: 3 # e\n}\n",
    ),
    ("JSON on one line", '{"a":1,"b":{"c":2}}\n', [("/b/x", [1])], '{"a":1,"b":{"c":2,"x":[1]}}\n'),
    ("JSON with spaces", '{"a": 1}', [("/b", "x")], '{"a": 1, "b": "x"}'),
    (
        "JSON on lines",
        '{\n    "a": {\n        "b": 1\n    },\n    "c": 2\n}\n',
        [("/a/x", {"y": 1}), ("/c", {"z": [1]})],
        json.dumps({"a": {"b": 1, "x": {"y": 1}}, "c": {"z": [1]}}, indent=4) + "\n",
    ),
    ("JSON: an entry is removed with its line", '{\n  "a": 1,\n  "b": 2\n}\n', [("/b", GONE)], '{\n  "a": 1\n}\n'),
    ("an anchor that nobody uses goes with its value", "a: &x 1\n", [("/a", 2)], "a: 2\n"),
    ("an anchor before a map that is replaced", "a: &x\n  b: 1\nc: 1\n", [("/a", [1])], "a:\n- 1\nc: 1\n"),
    ("an alias of a scalar is replaced", "a: &x 1\nb: *x\n", [("/b", 2)], "a: &x 1\nb: 2\n"),
    (
        "an entry beside a merge key",
        "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n",
        [("/c/d", 3)],
        "a: &x {b: 1}\nc:\n  <<: *x\n  d: 3\n",
    ),
    ("a quoted key", '"a b": 1\n', [("/a b", 2)], '"a b": 2\n'),
    ("nulls stay", "a: null\nb: 1\n", [("/b", 2)], "a: null\nb: 2\n"),
    (
        "kept line ends of a literal block",
        "a:\n  b: |+\n    x\n\nc: 1\n",
        [("/a/d", 1)],
        "a:\n  b: |+\n    x\n\n  d: 1\nc: 1\n",
    ),
]


@pytest.mark.parametrize(("text", "edits", "wanted"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_an_edit(text: str, edits: list[tuple[str, Any]], wanted: str) -> None:
    # As a part of an object, since documents are maps.
    is_map = not text.startswith("- ")
    if is_map:
        assert edited(text, *edits) == wanted
    else:
        assert edited(f"r:\n{text}", *((f"/r{pointer}", new) for pointer, new in edits)) == f"r:\n{wanted}"


REFUSED = [
    ("an anchor that is used elsewhere", "a: &x 1\nb: *x\n", [("/a", 2)], "readable"),
    ("what is in a map that is used elsewhere", "a: &x {b: 1}\nc: *x\n", [("/a/b", 2)], "shared"),
    ("what an alias stands for", "a: &x {b: 1}\nc: *x\n", [("/c/b", 2)], "alias"),
    ("what comes from a merge key", "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", [("/c/b", 2)], "merge key"),
    ("a map of merge keys alone", "a: &x {b: 1}\nc:\n  <<: *x\n", [("/c/d", 2)], "merge"),
    ("a map of merge keys that is replaced", "a: &x {b: 1}\nc:\n  <<: *x\n", [("/c", 2)], "merge"),
    ("a key in its long form", "? a\n: 1\n", [("/a", 2)], "key: value"),
    ("a key in its long form that is removed", "b: 1\n? a\n: 2\n", [("/a", GONE)], "no line of its own"),
    ("a map in a list without its brackets", "a: [b: 1]\n", [("/a/0/c", 2)], "something else follows"),
    ("a comment in the middle", "r:\n- a: 1\n  # c\n  b: 2\n", [("/r/0/a", GONE)], "comment"),
    ("a whole object", "a: 1\n", [("/a", GONE), ("/b", 1)], "whole object"),
]


@pytest.mark.parametrize(("text", "edits", "why"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_text_that_cannot_be_edited(text: str, edits: list[tuple[str, Any]], why: str) -> None:
    with pytest.raises(InPlaceError, match=why):
        edited(text, *edits)


def test_documents_beside_are_kept() -> None:
    text = '\ufeff# first\na: 1\n---\n# second\na: 1 # x\n---\n\n{"a": 1}\n{"a": 1}\n'
    assert edited(text, ("/a", 2), document=1) == text.replace("a: 1 # x", "a: 2 # x")
    assert edited(text, ("/a", 2), document=3) == text.removesuffix('{"a": 1}\n') + '{"a": 2}\n'


@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_items_of_a_list_are_edited_where_they_are(kind: str) -> None:
    items = [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]
    value = {"apiVersion": "apps/v1", "kind": "DeploymentList", "items": items}
    text = "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata:\n    name: a\n- metadata:\n    name: b # c\n"
    text = text if kind == "yaml" else json.dumps(value)
    assert edited(text, ("/metadata/name", "x"), document=1) == text.replace("name: b", "name: x").replace('"b"', '"x"')


def test_a_text_that_has_changed_meanwhile_is_refused() -> None:
    documents = load_text("a: 1\n")
    for text in ("a: 2\n", ""):
        with pytest.raises(InPlaceError, match="changed since it was read"):
            changed_text(text, documents, {0: {"a": 3}})


def test_two_items_of_one_list_are_edited_together() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- a: 1 # c\n- a: 2\n"
    documents = load_text(text)
    wanted = "apiVersion: v1\nkind: List\nitems:\n- a: 3 # c\n- a: 4\n"
    values = raw_values(documents)
    assert changed_text(text, documents, {0: {**values[0], "a": 3}, 1: {**values[1], "a": 4}}) == wanted


def test_data_that_was_not_read_from_a_text_is_refused() -> None:
    assert raw_values([Document({"a": 1})]) == [{"a": 1}]
    with pytest.raises(InPlaceError, match="not read from a text"):
        changed_text("", [Document({"a": 1})], {0: {"a": 3}})


# Laws

TEXTS = ["x", "y", "8", "", "a b", "a: b", "# no", "l\nm\n", "\u00e9", "it's", "a,b", "[c]", "null", "2026-01-01", "*s"]
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 99), st.sampled_from(TEXTS), st.just(1.5))
KEYS = st.sampled_from(["a", "b", "c", "d/e", "f.g", "8", "on", "h i"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


class Writer:
    """Writes values as YAML in a style that chance decides: lines, each with the path of what it belongs to."""

    def __init__(self, chance: random.Random) -> None:
        """Begin with no lines."""
        self.chance = chance
        self.lines: list[tuple[str, tuple[str, ...]]] = []
        self.count = 0

    def comment(self) -> str:
        """A comment that no other line has."""
        self.count += 1
        return f"# {self.count}"

    def add(self, line: str, path: tuple[str, ...]) -> None:
        """Add a line, sometimes with a comment."""
        if self.chance.random() < 0.3 and not line.endswith((" |", "|-")):
            line = f"{line}  {self.comment()}"
        self.lines.append((line, path))

    def between(self, indent: int, path: tuple[str, ...]) -> None:
        """Sometimes a comment, or an empty line."""
        if self.chance.random() < 0.2:
            self.lines.append((" " * indent + self.comment(), path))
        if self.chance.random() < 0.1:
            self.lines.append(("", path))

    def scalar(self, value: JSON) -> str:
        """A scalar on one line."""
        if isinstance(value, str) and value.isalpha() and value not in ("y", "null") and self.chance.random() < 0.7:
            return value
        if isinstance(value, str) and "\n" not in value and self.chance.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=False)

    def flow(self, value: JSON) -> str:
        """A value between brackets."""
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(name)}: {self.flow(item)}" for name, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + "]"
        return self.scalar(value)

    def map(self, value: dict[str, Any], indent: int, path: tuple[str, ...], head: str = "") -> None:
        """The entries of a map; `head` is the dash before the first."""
        for name, item in value.items():
            here = (*path, name)
            if not head:
                self.between(indent, path)
            lead = head or " " * indent
            head = ""
            self.value(f"{lead}{json.dumps(name)}:", item, indent, here)

    def value(self, lead: str, item: JSON, indent: int, path: tuple[str, ...]) -> None:
        """A value behind its key."""
        step = self.chance.choice([1, 2, 4])
        if not isinstance(item, dict | list) or not item or self.chance.random() < 0.2:
            is_null = item is None and self.chance.random() < 0.5
            self.add(lead if is_null else f"{lead} {self.flow(item)}", path)
        elif isinstance(item, dict):
            self.add(lead, path)
            self.map(item, indent + step, path)
        else:
            self.add(lead, path)
            self.list(item, indent + self.chance.choice([0, step]), path)

    def list(self, value: list[Any], indent: int, path: tuple[str, ...]) -> None:
        """The elements of a list."""
        for index, item in enumerate(value):
            self.between(indent, path)
            here = (*path, str(index))
            lead = " " * indent + "-"
            if isinstance(item, dict) and item and self.chance.random() < 0.8:
                self.map(item, indent + 2, here, f"{lead} ")
            else:
                self.add(f"{lead} {self.flow(item)}", here)


def places(value: JSON, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of everything below a value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for name, item in children for found in [(*path, str(name)), *places(item, (*path, str(name)))]]


def bare(line: str) -> str:
    """A line without its indentation and the dash of its element, which an entry that goes may pass on."""
    return line.lstrip(" -")


@settings(max_examples=300, deadline=None)
@given(data=st.data(), value=OBJECTS, chance=st.randoms(use_true_random=False), end=st.sampled_from(["\n", "\r\n"]))
def test_an_edit_is_read_and_everything_else_is_kept(
    data: st.DataObject, value: JSON, chance: random.Random, end: str
) -> None:
    writer = Writer(chance)
    writer.map(value, 0, ())
    text = "".join(line + end for line, _path in writer.lines)
    documents = load_text(text)
    (before,) = raw_values(documents)
    assert same(before, value)
    after = copy.deepcopy(before)
    path = data.draw(st.sampled_from(places(before)))
    parent = resolve(before, join("", *path[:-1]))
    kinds = ["replace", "add", "remove"] if len(path) > 1 or len(before) > 1 else ["replace", "add"]
    kind = data.draw(st.sampled_from(kinds))
    if kind == "add":
        path = (*path[:-1], "-" if isinstance(parent, list) else "new")
    put(after, path, GONE if kind == "remove" else data.draw(VALUES))
    try:
        new = changed_text(text, documents, {0: after})
    except InPlaceError as error:
        assert "comment stands in the middle" in error.message  # noqa: PT017 - it may as well not be raised
        return
    assert same(raw_values(load_text(new))[0], after)
    # Lines above, below and beside are there, in order; the edited entry's own, and what is replaced whole, are not.
    owner = path[:-1]
    touched = path if kind != "add" else None
    is_whole = (kind == "remove" and (len(parent) == 1 or isinstance(parent, list))) or (kind == "add" and not parent)
    kept = []
    for line, where in writer.lines:
        if touched is not None and where[: len(touched)] == touched:
            continue
        if is_whole and where[: len(owner)] == owner:
            continue
        if where == owner[: len(where)] and line and not line.lstrip().startswith("#"):
            continue  # the line that a flow map or list stands on
        kept.append(bare(line))
    lines = iter([bare(line) for line in new.split(end)])
    assert all(line in lines for line in kept), new


@settings(max_examples=150, deadline=None)
@given(value=OBJECTS, after=OBJECTS, indent=st.sampled_from([None, 1, 2, 4]), data=st.data())
def test_json_is_edited_to_whatever_is_wanted(
    value: JSON, after: JSON, indent: int | None, data: st.DataObject
) -> None:
    after = {**after, data.draw(st.sampled_from(sorted(value))): data.draw(VALUES)}
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    new = changed_text(text, load_text(text), {0: after})
    assert same(json.loads(new), after)


@settings(max_examples=300, deadline=None)
@given(value=OBJECTS, after=OBJECTS, chance=st.randoms(use_true_random=False), data=st.data())
def test_yaml_is_edited_to_whatever_is_wanted_or_refused(
    value: JSON, after: JSON, chance: random.Random, data: st.DataObject
) -> None:
    after = {**after, data.draw(st.sampled_from(sorted(value))): data.draw(VALUES)}
    writer = Writer(chance)
    writer.map(value, 0, ())
    text = "\n".join(line for line, _path in writer.lines)
    try:
        new = changed_text(text, load_text(text), {0: after})
    except InPlaceError as error:
        assert "comment stands in the middle" in error.message  # noqa: PT017 - it may as well not be raised
        return
    assert same(raw_values(load_text(new))[0], after)


@given(value=OBJECTS, chance=st.randoms(use_true_random=False))
def test_what_does_not_change_leaves_the_text_alone(value: JSON, chance: random.Random) -> None:
    writer = Writer(chance)
    writer.map(value, 0, ())
    text = "\n".join(line for line, _path in writer.lines)
    assert changed_text(text, load_text(text), {0: copy.deepcopy(value)}) == text

"""Where in a text the values of a document are: nodes with offsets, found again when somebody asks.

Nothing here runs while a document is read without errors. An `Origin` keeps the text of one document; the first
question about a place makes the tree of its nodes, which is then kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import decoder
from typing import TYPE_CHECKING, Final, Literal

from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.pointer import JSON, join, list_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from json import JSONDecodeError

#: A style that YAML plain scalars have, and the numbers and words of JSON.
PLAIN: Final = ""


@dataclass(slots=True, eq=False)
class Node:
    """One value of a document and the part of the text, from `start` to `end`, that it was read from."""

    start: int
    end: int
    value: JSON
    #: `""` plain, `'` or `"` quoted, `|` literal, `>` folded; of containers it means nothing.
    style: str = PLAIN
    #: By key with the node of the key, or by index; None for a scalar.
    children: dict[str, tuple[Node, Node]] | list[Node] | None = None
    #: For an alias: the node that it stands for.
    target: Node | None = None


class SourceProblem(Exception):  # noqa: N818 - it never leaves the package
    """Something wrong at an offset of a text; `Origin.error` makes it an error for people.

    `earlier` is the offset of the other place that the message is about, as for a key that is written twice.
    """

    def __init__(
        self,
        message: str,
        offset: int,
        cure: str,
        *,
        earlier: int | None = None,
        path: tuple[str, ...] | None = None,
    ) -> None:
        """Keep the facts."""
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.cure = cure
        self.earlier = earlier
        self.path = path


class DuplicateKey(SourceProblem):
    """A key that is written twice; `earlier` is the first one."""


class Origin:
    """The text of one document and where that text begins in its source."""

    __slots__ = ("_root", "column", "line", "source", "syntax", "text")

    def __init__(self, text: str, source: str, line: int, column: int, syntax: Literal["json", "yaml"]) -> None:
        """Keep the text, and the line and column (both from 1) of its first character."""
        self.text = text
        self.source = source
        self.line = line
        self.column = column
        self.syntax = syntax
        self._root: Node | None = None

    def root(self) -> Node:
        """The tree of the document, made when it is first asked for."""
        if self._root is None:
            self._root = self._parse()
        return self._root

    def _parse(self) -> Node:
        """The tree of a text that was read before."""
        if self.syntax == "json":
            return scan_json(self.text)
        from workloadmap_spec.yaml_loader import compose  # noqa: PLC0415 - it loads PyYAML

        return compose(self.text) or Node(0, 0, None)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1 and in code points, of an offset in the text."""
        start = self.text.rfind("\n", 0, offset) + 1
        if not start:
            return self.line, self.column + offset
        return self.line + self.text.count("\n", 0, offset), offset - start + 1

    def location(self, offset: int, pointer: str | None = None) -> Location:
        """The place of an offset in the text."""
        line, column = self.line_and_column(offset)
        return Location(self.source, line, column, pointer)

    def error(self, problem: SourceProblem) -> InputError:
        """The error for a problem in this text."""
        message = problem.message
        if problem.earlier is not None:
            line, column = self.line_and_column(problem.earlier)
            message = f"{message} in line {line}, column {column}"
        pointer = None if problem.path is None else join("", *problem.path)
        error = InputError(message, self.location(problem.offset, pointer), problem.cure)
        if isinstance(problem, DuplicateKey) and problem.earlier is not None:
            error.first = self.location(problem.earlier, pointer)
        return error


@dataclass(frozen=True, slots=True)
class Positions:
    """The places of one document: those of its text below a path, which is not empty for the items of a list."""

    origin: Origin
    prefix: tuple[str, ...] = ()

    def find(self, tokens: tuple[str, ...]) -> tuple[Node | None, Node]:
        """The nodes of the key and the value at the end of the path, or those of the nearest parent that exists."""
        key: Node | None = None
        node = self.origin.root()
        for token in self.prefix + tokens:
            children = node.children
            if isinstance(children, dict):
                if token not in children:
                    break
                key, node = children[token]
            else:
                index = list_index(token, len(children or ()))
                if children is None or index is None:
                    break
                key, node = None, children[index]
        return key, node

    def location(self, tokens: tuple[str, ...], pointer: str | None = None) -> Location:
        """The place of the value at the end of the path, or of its nearest parent that exists."""
        return self.origin.location(self.find(tokens)[1].start, pointer)


# JSON

_JSON_SPACE: Final = re.compile(r"[ \t\n\r,:]*")
_JSON_SCALAR: Final = re.compile(r"[^ \t\n\r,\]}]+")

#: What to do about `{{`, which is a map as the key of a map in YAML and nothing in JSON.
TEMPLATE_CURE: Final = "render the template first (`helm template`) if this is one"


#: The function that the JSON decoder reads strings with: text, position after the quote, and whether to be strict.
_scan_string: Final[Callable[[str, int, bool], tuple[str, int]]] = decoder.scanstring  # type: ignore[attr-defined]


def scan_json(text: str) -> Node:
    """The nodes of a JSON text that the standard library accepts. Values are kept for strings only.

    Raises:
        SourceProblem: A key is written twice in one object.
    """
    # A node that nothing points to holds the root, so that the root needs no rule of its own.
    roots: list[Node] = []
    open_nodes = [Node(0, len(text), None, children=roots)]
    keys: list[Node | None] = [None]
    key: Node | None = None
    position = _after_space(text, 0)
    while len(open_nodes) > 1 or not roots:
        character = text[position]
        if character in "}]":
            open_nodes.pop().end = position + 1
            keys.pop()
            position = _after_space(text, position + 1)
            continue
        parent = open_nodes[-1].children
        node = _json_node(text, position)
        position = _after_space(text, node.end)
        if isinstance(parent, dict):
            if key is None:
                if node.value in parent:
                    raise duplicate(node, parent[node.value][0], (*_json_path(open_nodes, keys), node.value))
                key = node
                continue
            parent[key.value] = (key, node)
        elif parent is not None:  # pragma: no branch - what is open has children
            parent.append(node)
        if node.children is not None:
            open_nodes.append(node)
            keys.append(key)
        key = None
    return roots[0]


def _after_space(text: str, position: int) -> int:
    """The next position that has more than white space, commas and colons."""
    match = _JSON_SPACE.match(text, position)
    return match.end() if match else position


def _json_node(text: str, position: int) -> Node:
    """The node that begins here; of a container only its opening bracket is read."""
    character = text[position]
    if character == "{":
        return Node(position, position + 1, None, children={})
    if character == "[":
        return Node(position, position + 1, None, children=[])
    if character == '"':
        value, end = _scan_string(text, position + 1, True)  # noqa: FBT003 - the C function takes no keywords
        return Node(position, end, value, '"')
    match = _JSON_SCALAR.match(text, position)
    return Node(position, match.end() if match else position + 1, None)


def _json_path(open_nodes: list[Node], keys: list[Node | None]) -> tuple[str, ...]:
    """The path of the innermost object that is open."""
    return tuple(
        key.value if key is not None else str(len(parent.children or ()) - 1)
        for parent, key in zip(open_nodes[1:], keys[2:], strict=False)
    )


def duplicate(key: Node, first: Node, path: tuple[str, ...]) -> DuplicateKey:
    """The problem of a key that is written twice, in both syntaxes."""
    return DuplicateKey(
        f"the key `{path[-1]}` is written twice, first",
        key.start,
        "remove one of the two: readers disagree about which one counts",
        earlier=first.start,
        path=path,
    )


def json_problem(error: JSONDecodeError) -> SourceProblem:
    """What the standard library says about a text that is not JSON."""
    what = error.msg[:1].lower() + error.msg[1:]
    is_template = error.doc.startswith("{{", max(0, error.pos - 1))
    cure = TEMPLATE_CURE if is_template else "correct the text here or just before"
    # At the end of a text that is cut, which is before the line end that follows it.
    offset = error.pos if error.doc[error.pos :].strip() else len(error.doc.rstrip())
    return SourceProblem(f"not JSON: {what}", offset, cure)


# Offsets inside strings

_SPACE: Final = " \t\r\n\x85\u2028\u2029"
#: Anchor and tag, which stand before a value and belong to its node.
_PROPERTIES: Final = re.compile(r"(?:[&!][^ \t\r\n]*(?:[ \t\r\n]+(?:#[^\n]*)?)+)*")
_DOUBLE_QUOTED: Final = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(\r\n|.)|.",
    re.DOTALL,
)
_SINGLE_QUOTED: Final = re.compile(r"''|.", re.DOTALL)
_ESCAPES: Final = {"0": "\0", "a": "\a", "b": "\b", "v": "\v", "f": "\f", "e": "\x1b", "_": "\xa0"}
#: Escapes for characters that count as space, which are not compared.
_SPACE_ESCAPES: Final = frozenset("tnrNLP\r\n\x85\u2028\u2029 \t") | {"\r\n"}


def text_offset(text: str, node: Node, offset: int) -> tuple[int, bool]:
    """Where in the text the character at `offset` of a string is, and whether that is exact.

    All styles of YAML change white space and escapes and leave everything else as it is and in order. So a string
    and its source are laid side by side by their other characters. If they differ, which no style explains, or the
    offset is at white space that was changed, the answer is the nearest place before it.
    """
    node = node.target or node
    value = node.value
    start = _PROPERTIES.match(text, node.start, node.end).end()  # type: ignore[union-attr] # it matches nothing too
    if not isinstance(value, str):
        return start, offset == 0 and node.children is None
    units = _units(text, node, start)
    if "".join([unit[2] for unit in units]) != "".join([c for c in value if c not in _SPACE]):
        return start, False
    before = sum(c not in _SPACE for c in value[:offset])
    if offset < len(value) and value[offset] not in _SPACE:
        return units[before][0], True
    is_block = node.style in ("|", ">")
    end = units[before - 1][1] if before else start + (node.style in ("'", '"'))
    gap = value[len(value[:offset].rstrip(_SPACE)) : offset]
    if "\n" in gap or (is_block and not before) or not text.startswith(gap + value[offset : offset + 1], end, node.end):
        return end, False
    return end + len(gap), True


def _units(text: str, node: Node, start: int) -> list[tuple[int, int, str]]:
    """Start, end and character of everything but white space in the source of a string."""
    if node.style == '"':
        return _double_quoted(text, start + 1, node.end - 1)
    if node.style == "'":
        found = _SINGLE_QUOTED.finditer(text, start + 1, node.end - 1)
        return [(m.start(), m.end(), m[0][0]) for m in found if m[0] not in _SPACE]
    if node.style in ("|", ">"):
        start = text.find("\n", start, node.end) + 1 or node.end
    return [(i, i + 1, text[i]) for i in range(start, node.end) if text[i] not in _SPACE]


def _double_quoted(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """The same for a double-quoted string, of which JSON's are a part."""
    units = []
    for match in _DOUBLE_QUOTED.finditer(text, start, end):
        high, low, two, four, eight, short = match.groups()
        if high:
            character = chr(0x10000 + (int(high, 16) - 0xD800 << 10) + int(low, 16) - 0xDC00)
        elif two or four or eight:
            character = chr(int(two or four or eight, 16))
        elif short:
            character = " " if short in _SPACE_ESCAPES else _ESCAPES.get(short, short)
        else:
            character = match[0]
        if character not in _SPACE:
            units.append((match.start(), match.end(), character))
    return units

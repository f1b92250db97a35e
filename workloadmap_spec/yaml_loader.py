"""YAML as kubectl reads it: the events of PyYAML's parser made into JSON values with positions.

Kubernetes reads manifests with a Go port of libyaml and the rules of YAML 1.1 less its dates and sexagesimals (source:
kubernetes-sigs/yaml, `yaml.go` and `goyaml.v2`). Where kubectl guesses or loses data, such as for a key that is written
twice, this module reports instead.

Which parser: libyaml's where PyYAML was built with it, because it is the closest to kubectl's and about ten times as
fast as the one in Python, which is the fall-back. What both accept they read alike.

Importing this module loads PyYAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.reader import ReaderError

from workloadmap_spec.limits import MAX_DEPTH
from workloadmap_spec.positions import PLAIN, TEMPLATE_CURE, Node, SourceProblem, duplicate
from workloadmap_spec.texts import cut_line
from workloadmap_spec.yaml_parsers import EventParser, make_parser
from workloadmap_spec.yaml_scalars import key_text, resolve_plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from workloadmap_spec.pointer import JSON

#: How deep the parser itself goes: two levels more for each list of documents around a document of full depth.
#: Without it a text of brackets would make a tree that nothing can walk.
MAX_NESTING: Final = 2 * MAX_DEPTH

#: How many values and characters the aliases of one document stand for. Without it nine lines of aliases to aliases
#: are a gigabyte once they are written out. Kubernetes has a similar limit (source: `goyaml.v2/decode.go`).
MAX_ALIASED_SIZE: Final = 2**20

_TAG_PREFIX: Final = "tag:yaml.org,2002:"


def _tagged(event: Any, name: str) -> JSON:  # noqa: ANN401 - a yaml.ScalarEvent
    """The value of a scalar with one of the tags that JSON has a type for; None of them guesses."""
    if name in ("str", "timestamp"):
        return event.value
    value = resolve_plain(event.value)
    kind = _TAGS[name]
    if name == "float" and type(value) is int:
        return value
    if type(value) is not kind:
        raise SourceProblem(
            f"`{_short(event.value)}` is not of the type that its tag `!!{name}` says",
            event.start_mark.index,
            "remove the tag, or correct the value",
        )
    return value


_TAGS: Final[dict[str, type]] = {
    "str": str,
    "timestamp": str,
    "int": int,
    "float": float,
    "bool": bool,
    "null": type(None),
}

_SHOWN_LENGTH: Final = 40


def _short(text: str) -> str:
    """A text for a message, cut to one short line."""
    return cut_line(text, _SHOWN_LENGTH)


# Composition


@dataclass(slots=True, eq=False)
class _Open:
    """A map or list whose end has not come yet."""

    is_map: bool
    start: int
    anchor: str | None
    #: `size` when it began.
    size: int
    #: The elements, or keys and values in turn.
    items: list[Node] = field(default_factory=list)


def compose(text: str) -> Node | None:
    """The node of the one document of a text, None when there is none; its `value` is the JSON value.

    The values of aliases are shared, not copied: documents are never changed. Null entries and numbers out of range
    are still there, the data rules come later.

    Raises:
        SourceProblem: The text is not YAML, or not YAML that can be read without guessing.
    """
    if "\ufeff" in text and (found := _MARK_IN_TEXT.search(text)):
        raise SourceProblem(
            "a byte order mark (U+FEFF) begins a line in the middle of the text",
            found.end() - 1,
            "remove it: it comes from files that were joined",
        )
    try:
        return _Composer(text).run(make_parser(text))
    except ReaderError as error:
        raise _character_problem(text) from error
    except MarkedYAMLError as error:
        raise _syntax_problem(text, error) from error
    except (YAMLError, ValueError, OverflowError) as error:
        # Escapes for characters that do not exist, such as "\UFFFFFFFF", in one parser or the other.
        raise SourceProblem(f"not YAML: {_short(str(error))}", 0, "look for a wrong escape in a quoted text") from error


class _Composer:
    """One reading of one text, without recursion: the containers that are open are a list."""

    __slots__ = ("aliased", "anchors", "open", "root", "size", "sizes", "text")

    def __init__(self, text: str) -> None:
        """Begin with nothing read."""
        self.text = text
        self.open: list[_Open] = []
        self.root: Node | None = None
        #: None stands for an anchor whose node is not complete.
        self.anchors: dict[str, Node | None] = {}
        #: How many values and characters were read, and how many an anchored node stands for.
        self.size = 0
        self.sizes: dict[str, int] = {}
        self.aliased = 0

    def run(self, parser: EventParser) -> Node | None:
        """Read to the end."""
        next_event = parser.get_event
        while (event := next_event()) is not None:
            kind = type(event)
            if kind is ScalarEvent:
                self.scalar(event)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self.end(event.end_mark.index)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self.start(event, is_map=kind is MappingStartEvent)
            elif kind is AliasEvent:
                self.alias(event)
            elif kind is DocumentStartEvent and (event.explicit or self.root is not None):
                raise SourceProblem(
                    "a second document begins without a line `---`",
                    event.start_mark.index,
                    "begin it with a line `---`: kubectl reads nothing of it otherwise",
                )
        return self.root

    def add(self, node: Node, anchor: str | None) -> None:
        """A complete node: the root, or part of the innermost open container."""
        if anchor is not None:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].items.append(node)
        else:
            self.root = node

    def scalar(self, event: Any) -> None:  # noqa: ANN401 - a yaml.ScalarEvent
        """A text, or what the text of a plain scalar means."""
        text: str = event.value
        start: int = event.start_mark.index
        tag = event.tag
        style = event.style or PLAIN
        if tag is None:
            value = resolve_plain(text) if style == PLAIN else text
        else:
            value = _tagged(event, self.tag(event, _TAGS))
        self.size += 1 + len(text)
        if event.anchor is not None:
            self.sizes[event.anchor] = 1 + len(text)
        self.add(Node(start, event.end_mark.index, value, style), event.anchor)

    def start(self, event: Any, *, is_map: bool) -> None:  # noqa: ANN401 - a yaml.CollectionStartEvent
        """A map or list begins."""
        start = event.start_mark.index
        if event.tag is not None:
            self.tag(event, ("map",) if is_map else ("seq",))
        if self.is_at_key():
            what = "a map" if is_map else "a list"
            raise SourceProblem(f"the key is {what}, not text", start, f"{TEMPLATE_CURE}, or quote the key")
        if len(self.open) >= MAX_NESTING:
            raise SourceProblem(f"maps and lists nest more than {MAX_DEPTH} deep", start, "flatten the document")
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.open.append(_Open(is_map, start, event.anchor, self.size))
        self.size += 1

    def is_at_key(self) -> bool:
        """Whether the next node is the key of a map entry."""
        return bool(self.open) and self.open[-1].is_map and len(self.open[-1].items) % 2 == 0

    def end(self, end: int) -> None:
        """The innermost container is complete."""
        container = self.open[-1]
        items = container.items
        node = Node(container.start, end, None)
        if container.is_map:
            self.map(node, items)
        else:
            node.children = items
            node.value = [item.value for item in items]
        self.open.pop()
        if container.anchor is not None:
            self.sizes[container.anchor] = self.size - container.size
        self.add(node, container.anchor)

    def map(self, node: Node, items: list[Node]) -> None:
        """Make the map of keys and values: its own entries, then those that are merged into it."""
        children: dict[str, tuple[Node, Node]] = {}
        merges: list[Node] = []
        for key, item in zip(items[::2], items[1::2], strict=True):
            if key.value == "<<" and key.style == PLAIN and self.text[key.start] == "<":
                merges.append(item)
                continue
            name = key_text(key.value)
            if name is None:
                what = "null" if key.value is None else "a number that kubectl has no text for"
                raise SourceProblem(f"the key is {what}", key.start, "quote the key")
            if name in children:
                raise duplicate(key, children[name][0], (*self.path(), name))
            children[name] = (key, item)
        if merges:
            children = _merged(merges) | children
        node.children = children
        node.value = {name: item.value for name, (_, item) in children.items()}

    def alias(self, event: Any) -> None:  # noqa: ANN401 - a yaml.AliasEvent
        """A reference to a node that is complete."""
        start, name = event.start_mark.index, event.anchor
        if name not in self.anchors:
            raise SourceProblem(
                f"the alias `*{name}` has no anchor", start, f"write `&{name}` before the value it means"
            )
        target = self.anchors[name]
        if target is None:
            raise SourceProblem(f"the alias `*{name}` is inside its own anchor", start, "write the value out")
        size = self.sizes[name]
        self.size += size
        self.aliased += size
        if self.aliased > MAX_ALIASED_SIZE:
            raise SourceProblem(
                f"aliases stand for more than {MAX_ALIASED_SIZE} values and characters",
                start,
                "write fewer aliases of aliases",
            )
        if target.children is not None and self.is_at_key():
            raise SourceProblem("the key is an alias of a map or list, not text", start, "write the key as text")
        self.add(Node(start, event.end_mark.index, target.value, target.style, target.children, target), None)

    def tag(self, event: Any, known: Collection[str]) -> str:  # noqa: ANN401 - a yaml.NodeEvent
        """The name of an explicit tag."""
        name: str = event.tag.removeprefix(_TAG_PREFIX)
        if name in known and name != event.tag:
            return name
        shown = event.tag if name == event.tag else f"!!{name}"
        raise SourceProblem(
            f"the tag `{_short(shown)}` has no meaning in a Kubernetes object",
            event.start_mark.index,
            _TAG_CURES.get(name, "remove the tag, and quote the value if it is text"),
        )

    def path(self) -> tuple[str, ...]:
        """The path of the innermost open container."""
        tokens = []
        for container in self.open[:-1]:
            items = container.items
            tokens.append(str(key_text(items[-1].value)) if container.is_map and len(items) % 2 else str(len(items)))
        return tuple(tokens)


_TAG_CURES: Final = {
    "binary": "write the base64 text as a quoted string: objects hold text only",
    "set": "write a list, or a map with values",
    "omap": "write a list of maps",
    "pairs": "write a list of maps",
}


def _merged(merges: list[Node]) -> dict[str, tuple[Node, Node]]:
    """The entries of merge keys: in a list the first wins, of two keys `<<` the later, as in PyYAML and kubectl."""
    result: dict[str, tuple[Node, Node]] = {}
    for merge in merges:
        sources = merge.children if isinstance(merge.children, list) else [merge]
        for source in reversed(sources):
            if not isinstance(source.children, dict):
                raise SourceProblem(
                    "the merge key `<<` needs a map or a list of maps",
                    source.start,
                    "give it an alias of a map, or quote the key if it is meant as text",
                )
            result |= source.children
    return result


# Problems

#: A byte order mark where parsers skip it or not, each in its own way; that of the whole source is gone before.
_MARK_IN_TEXT: Final = re.compile("(?:^|[\r\n\x85\u2028\u2029])\ufeff")

#: The characters that YAML text is made of (YAML 1.1, section 4.1).
_NOT_PRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]",
)


def _character_problem(text: str) -> SourceProblem:
    """The problem of a text with a character that YAML does not allow."""
    found = _NOT_PRINTABLE.search(text)
    offset = found.start() if found else 0
    name = f"U+{ord(found[0]):04X}" if found else "unknown"
    return SourceProblem(
        f"not YAML: the character {name} may not stand in a text",
        offset,
        'remove it, or write it as an escape inside "..."',
    )


_TAB_CURE: Final = "indent with spaces: YAML does not take tabs there"

#: Parts of the parsers' messages, and what to do.
_CURES: Final = (
    ("tab character", _TAB_CURE),
    ("nesting depth", "flatten the document"),
    ("mapping values are not allowed", "quote the value if it holds `: `, or check the indentation of this line"),
    ("that cannot start any token", "quote the value: it begins with a character that YAML keeps for itself"),
    ("could not find expected ':'", "write `key: value`, or check the indentation of the lines before"),
    ("expected the node content", "quote the value, or complete it"),
    ("unexpected end of stream", "close the quotes that begin before"),
    ("document start>", "remove what follows the document, or put a line `---` before it"),
    ("did not find expected ',' or", "close the bracket that begins before, or put a comma between its parts"),
    ("expected ',' or", "close the bracket that begins before, or put a comma between its parts"),
    ("unknown escape character", "write the text in '...', or double its backslashes"),
)


def _syntax_problem(text: str, error: Any) -> SourceProblem:  # noqa: ANN401 - a yaml.MarkedYAMLError
    """What the parser says, with something to do about it."""
    mark = error.problem_mark or error.context_mark
    offset = min(mark.index, len(text)) if mark else 0
    problem = error.problem or error.context or "it cannot be parsed"
    line = text[text.rfind("\n", 0, offset) + 1 : offset + 2]
    if text.startswith("%"):
        offset, cure = 0, "remove the line that begins with `%`: kubectl reads no directives"
    elif "{{" in line or "{%" in line:
        cure = TEMPLATE_CURE
    elif text.startswith("\t", offset):
        cure = _TAB_CURE
    else:
        cure = next((cure for part, cure in _CURES if part in problem), "check indentation, quotes and brackets here")
    if error.context and error.context_mark and error.context_mark.index != offset:
        return SourceProblem(
            f"not YAML: {problem} {error.context} that begins", offset, cure, earlier=error.context_mark.index
        )
    return SourceProblem(f"not YAML: {problem}", offset, cure)

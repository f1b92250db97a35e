"""A changed object in the text that it was read from: only what differs is written, all the rest stays byte for byte.

What a value was read from is known by its node (`positions.py`), so a text is cut and joined there: a scalar is
replaced where it is, entries of maps and elements of lists come and go with their lines, or between commas in flow
style and JSON. Afterwards the new text is read again, and given out only if it says what it should: what this module
does not know about a text (aliases, merge keys, keys in their long form) ends in an error, not in a damaged file.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.canonical import to_yaml
from workloadmap_spec.documents import load_all
from workloadmap_spec.json_values import decode
from workloadmap_spec.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from workloadmap_spec.documents import Document
    from workloadmap_spec.errors import Location
    from workloadmap_spec.pointer import JSON
    from workloadmap_spec.positions import Node, Origin

_BOM: Final = "\ufeff"
#: Anchors and tags before a value, which belong to its node.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+)*")
#: What stands between a key and its value.
_COLON: Final = re.compile(r"[ \t]*:")
#: What may follow a value on its line.
_REST: Final = re.compile(r"[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|\Z)")
_SPACES: Final = re.compile(r"[ ]*")
#: Everything before an element of a list that has a line of its own.
_DASH: Final = re.compile(r"[ ]*-[ \t]*")
#: Indentation of a JSON text.
_JSON_STEP: Final = re.compile(r"\n([ \t]+)\S")


class InPlaceError(Exception):
    """A text cannot be edited in place; `location` says where it was tried, if that is known."""

    def __init__(self, message: str, location: Location | None = None) -> None:
        """Keep the facts."""
        super().__init__(message)
        self.message = message
        self.location = location


def changed_text(text: str, documents: Sequence[Document], after: Mapping[int, JSON], source: str = "<string>") -> str:
    """The text of a source in which some documents are other ones.

    Args:
        text: All of it, as it was read.
        documents: Its documents, all of them, as they were read from it.
        after: The new values by the place of their document in `documents`; they are what `raw_values` gives, changed.
        source: Its name in messages.

    Raises:
        InPlaceError: This text cannot be edited so that it says what it should.
    """
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    before = raw_values(documents)
    starts = _line_starts(body)
    editors: dict[int, tuple[int, _Editor]] = {}
    for index, value in after.items():
        positions = documents[index].positions
        if positions is None:
            raise InPlaceError("the object was not read from a text")
        origin = positions.origin
        if id(origin) not in editors:
            start = starts[origin.line - 1] + origin.column - 1 if origin.line <= len(starts) else -1
            if start < 0 or not body.startswith(origin.text, start):
                raise InPlaceError("the text has changed since it was read", origin.location(0))
            editors[id(origin)] = start, _Editor(origin)
        editor = editors[id(origin)][1]
        _key, node = positions.find(())
        editor.value(node, before[index], value, editor.no_place)
    result = body
    for start, editor in sorted(editors.values(), key=lambda entry: -entry[0]):
        result = result[:start] + editor.result() + result[start + len(editor.text) :]
    wanted = [after.get(index, value) for index, value in enumerate(before)]
    _check(result, wanted, source)
    return mark + result


def raw_values(documents: Iterable[Document]) -> list[JSON]:
    """The values of documents as they are written, before the data rules leave nulls out."""
    roots: dict[int, JSON] = {}
    found = []
    for document in documents:
        positions = document.positions
        if positions is None:
            found.append(document.value)
            continue
        origin = positions.origin
        if id(origin) not in roots:
            is_json = origin.syntax == "json"
            # Aliases share their value, and a change of one is none of the other.
            roots[id(origin)] = decode(origin.text, 0)[0] if is_json else _unshared(origin.root().value)
        value = roots[id(origin)]
        for token in positions.prefix:
            value = value[token] if isinstance(value, dict) else value[int(token)]
        # An item of a list of one kind may not say what it is; its list does.
        told = {name: document.value[name] for name in ("apiVersion", "kind") if name in _map(document.value)}
        if isinstance(value, dict) and any(value.get(name) != kind for name, kind in told.items()):
            value = {**value, **told}
        found.append(value)
    return found


def _unshared(value: JSON) -> JSON:
    """A copy in which no two places are one object."""
    if isinstance(value, dict):
        return {name: _unshared(item) for name, item in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def _map(value: JSON) -> dict[str, Any]:
    """A value if it is a map, else an empty one."""
    return value if isinstance(value, dict) else {}


def _check(text: str, wanted: list[JSON], source: str) -> None:
    """Read a text again, and refuse it if it does not say what it should."""
    documents, errors = load_all(text, source)
    if errors:
        raise InPlaceError(f"it would not be readable: {errors[0].message}")
    found = raw_values(documents)
    if len(found) != len(wanted) or not all(map(same, found, wanted)):
        raise InPlaceError("it would say something else, as where parts of it are shared")


def _line_starts(text: str) -> list[int]:
    """The offset of every line."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


class _Editor:
    """Edits of the text of one document, or of a list of documents, which are made together in the end."""

    __slots__ = ("colon", "comma", "is_json", "literal", "newline", "origin", "splices", "step", "text")

    def __init__(self, origin: Origin) -> None:
        """Look at how the text is written."""
        self.origin = origin
        text = self.text = origin.text
        self.is_json = origin.syntax == "json"
        self.newline = "\r\n" if "\r\n" in text else "\n"
        step = _JSON_STEP.search(text) if self.is_json else None
        self.step = step[1] if step else None
        is_wide = not self.is_json or self.step is not None or re.search(r'":\s', text) is not None
        self.colon, self.comma = (": ", ", ") if is_wide else (":", ",")
        self.splices: list[tuple[int, int, str]] = []
        #: Behind the `|` of a literal block that ends with the text and without a line end, if lines follow it now.
        self.literal: int | None = None

    def result(self) -> str:
        """The new text."""
        literal = self.literal
        if literal is not None and not any(start <= literal < end for start, end, _new in self.splices):
            self.splice(literal, literal, "-")
        parts = []
        position = 0
        # Of two that begin at one place the one that only inserts comes first.
        for start, end, new in sorted(self.splices, key=lambda splice: splice[:2]):
            if start < position:  # pragma: no cover - places overlap in no text that is known
                raise self.error("two changes overlap", start)
            parts += [self.text[position:start], new]
            position = end
        return "".join([*parts, self.text[position:]])

    def splice(self, start: int, end: int, new: str) -> None:
        """Put a text in the place of another."""
        self.splices.append((start, end, new))

    def error(self, message: str, offset: int) -> InPlaceError:
        """The error for a place that cannot be edited."""
        return InPlaceError(message, self.origin.location(offset))

    def no_place(self, _value: JSON) -> None:
        """Refuse to replace a whole document."""
        raise self.error("the whole object would be another one", 0)

    # Places

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Where the next line begins, if nothing but a comment follows on this one."""
        if offset and self.text[offset - 1] == "\n" and self.text[:offset].strip():
            return offset
        rest = _REST.match(self.text, offset)
        if rest is None:
            raise self.error("something else follows on the line of what is changed", offset)
        return rest.end()

    def column(self, offset: int) -> int:
        """How far in an offset is."""
        return offset - self.line_start(offset)

    def is_flow(self, node: Node) -> bool:
        """Whether a map or list stands in brackets."""
        start = _PROPERTIES.match(self.text, node.start).end()  # type: ignore[union-attr] # it matches nothing too
        return self.text[start : start + 1] in ("{", "[")

    def end(self, node: Node) -> int:
        """Where a value ends; its node reaches as far as the next value, over comments and empty lines."""
        text = self.text
        children = node.children
        if node.target is None and children is not None and not self.is_flow(node):
            own = self.own(node) if isinstance(children, dict) else children
            if not own:
                raise self.error("the map has nothing but merge keys", node.start)
            last = own[-1]
            return max(last[0].end, self.end(last[1])) if isinstance(last, tuple) else self.end(last)
        if node.style in ("|", ">") and "+" in text[node.start : text.find("\n", node.start)]:
            return node.end
        end = node.end
        while end > node.start and text[end - 1] in " \t\r\n":
            end -= 1
        return end

    def own(self, node: Node) -> list[tuple[Node, Node]]:
        """Keys and values of a map without those of merge keys, which stand elsewhere, by their place."""
        children: Any = node.children
        own = [pair for pair in children.values() if node.start <= pair[0].start < node.end]
        return sorted(own, key=lambda pair: pair[0].start)

    # Values

    def value(self, node: Node, before: JSON, after: JSON, replace: Callable[[JSON], None]) -> None:
        """Make one value another; `replace` puts a value in the place of the whole."""
        if same(before, after):
            return
        children = node.children
        if node.target is not None and (isinstance(children, dict | list) or isinstance(after, dict | list)):
            raise self.error("what is changed is an alias", node.start)
        if isinstance(children, dict) and isinstance(before, dict) and isinstance(after, dict):
            self.map_entries(node, before, after, replace)
        elif isinstance(children, list) and isinstance(before, list) and isinstance(after, list):
            self.list_elements(node, before, after, replace)
        else:
            replace(after)

    def map_entries(
        self, node: Node, before: dict[str, Any], after: dict[str, Any], replace: Callable[[JSON], None]
    ) -> None:
        """Make one map another."""
        children: Any = node.children
        own = self.own(node)
        inside = {id(key) for key, _value in own}
        merged = [name for name, (key, _value) in children.items() if id(key) not in inside]
        if not all(name in after and same(before[name], after[name]) for name in merged):
            raise self.error("what is changed comes from a merge key", node.start)
        if not any(name in after for name in children.keys() - set(merged)):
            if merged:
                raise self.error("the map has nothing but merge keys", node.start)
            replace(after)
            return
        is_flow = self.is_flow(node)
        removed = set()
        for name, (key, value) in children.items():
            if name in merged:
                continue
            if name not in after:
                removed.add(next(index for index, pair in enumerate(own) if pair[0] is key))
            elif is_flow:
                self.value(value, before[name], after[name], self.flow_entry(key, value))
            else:
                self.value(value, before[name], after[name], self.block_entry(key, value))
        added = {name: value for name, value in after.items() if name not in before}
        if is_flow:
            spans = [(key.start, max(key.end, value.end)) for key, value in own]
            new = [f"{self.flow_text(name)}{self.colon}{self.flow_text(value)}" for name, value in added.items()]
            self.flow(spans, removed, new)
        else:
            self.remove_entries(own, removed)
            if added:
                indent = self.column(own[0][0].start)
                key, value = own[-1]
                self.insert_lines(max(key.end, self.end(value)), self.lines(added, indent))

    def list_elements(self, node: Node, before: list[Any], after: list[Any], replace: Callable[[JSON], None]) -> None:
        """Make one list another."""
        children: Any = node.children
        is_flow = self.is_flow(node)
        if len(before) == len(after):
            for child, old, new in zip(children, before, after, strict=True):
                self.value(child, old, new, self.flow_element(child) if is_flow else self.block_element(child))
            return
        kept = _kept(before, after)
        if kept is None or not kept:
            replace(after)
            return
        removed = set(range(len(before))) - set(kept)
        added = after[len(kept) :]
        if is_flow:
            self.flow([(child.start, child.end) for child in children], removed, [*map(self.flow_text, added)])
            return
        lines = [self.line_start(child.start) for child in children]
        heads = [_DASH.fullmatch(self.text, start, child.start) for start, child in zip(lines, children, strict=True)]
        if not all(heads[index] for index in removed) or (added and heads[-1] is None):
            replace(after)
            return
        for index in removed:
            self.splice(lines[index], self.line_end(self.end(children[index])), "")
        if added:
            dash = len(_SPACES.match(self.text, lines[-1])[0])  # type: ignore[index] # it matches nothing too
            self.insert_lines(self.end(children[-1]), self.lines(added, dash))

    # Block style

    def lines(self, value: JSON, indent: int) -> list[str]:
        """The lines of a map or list that is not empty."""
        space = " " * indent
        return [f"{space}{line}" if line else "" for line in to_yaml(value).split("\n")[:-1]]

    def insert_lines(self, offset: int, lines: list[str]) -> None:
        """Put lines behind the line of an offset."""
        end = self.line_end(offset)
        new = self.newline.join(lines)
        if self.text.endswith("\n", 0, end):
            self.splice(end, end, new + self.newline)
        else:
            self.literal = self.last_literal()
            self.splice(end, end, self.newline + new + self.tail(lines))

    def last_literal(self) -> int | None:
        """Where the header of the literal block that ends the text would say that no line end belongs to it."""
        node = self.origin.root()
        while node.children and node.target is None:
            node = self.own(node)[-1][1] if isinstance(node.children, dict) else node.children[-1]
        start = _PROPERTIES.match(self.text, node.start).end()  # type: ignore[union-attr] # it matches nothing too
        header = self.text[start : self.text.find("\n", start)]
        return start + 1 if header[:1] in ("|", ">") and not set("+-") & set(header) else None

    def tail(self, lines: list[str]) -> str:
        """What ends the last line of a text that ended without: nothing, unless a literal block needs it."""
        return self.newline if any(line.endswith("|") for line in lines) else ""

    def remove_entries(self, own: list[tuple[Node, Node]], removed: set[int]) -> None:
        """Remove entries of a block map, of which at least one stays."""
        first = next(index for index in range(len(own)) if index not in removed)
        place = own[0][0].start
        # Behind the dash of a list element; the first entry that stays moves there.
        is_compact = bool(self.text[self.line_start(place) : place].strip(" "))
        if is_compact and first:
            kept = own[first][0].start
            if any(line.lstrip().startswith("#") for line in self.text[place:kept].split("\n")):
                raise self.error("a comment stands in the middle of what is removed", place)
            self.splice(place, kept, "")
        for index in sorted(removed):
            if is_compact and index < first:
                continue
            key, value = own[index]
            start = self.line_start(key.start)
            if self.text[start : key.start].strip(" "):
                raise self.error("what is removed has no line of its own", key.start)
            self.splice(start, self.line_end(max(key.end, self.end(value))), "")

    def block_entry(self, key: Node, old: Node) -> Callable[[JSON], None]:
        """What replaces the value of an entry of a block map."""

        def replace(new: JSON) -> None:
            text = self.text
            colon = _COLON.match(text, key.end)
            if colon is None:
                raise self.error("the key is not written as `key: value`", key.start)
            start, end, indent = old.start, self.end(old), self.column(key.start)
            is_inline = "\n" not in text[colon.end() : start]
            if _is_block(new):
                if not is_inline and isinstance(new, dict) is isinstance(old.children, dict):
                    indent = self.column(start)
                elif isinstance(new, dict):
                    indent += 2
                lines = self.lines(new, indent)
                after = self.line_end(end)
                if is_inline:
                    self.splice(colon.end(), end, "")
                    self.insert_lines(end, lines)
                else:
                    tail = self.newline if text.endswith("\n", 0, after) else self.tail(lines)
                    self.splice(self.line_start(start), after, self.newline.join(lines) + tail)
            elif is_inline:
                token = self.token(new, indent, end)
                self.splice(start, end, token if start > colon.end() else f" {token}")
            else:
                self.splice(colon.end(), colon.end(), f" {self.token(new, indent, colon.end())}")
                self.splice(self.line_start(start), self.line_end(end), "")

        return replace

    def block_element(self, old: Node) -> Callable[[JSON], None]:
        """What replaces an element of a block list."""

        def replace(new: JSON) -> None:
            start, end = old.start, self.end(old)
            head = " " if self.text[start - 1 : start] == "-" else ""
            indent = self.column(start) + len(head)
            if _is_block(new):
                if self.text[end : self.line_end(end)].strip():
                    # A comment stays behind the dash, since it could be text at the end of a literal block.
                    self.splice(self.text.rfind("-", 0, start) + 1, end, "")
                    self.insert_lines(end, self.lines(new, indent))
                    return
                self.splice(start, end, head + self.newline.join(self.lines(new, indent)).lstrip(" "))
            else:
                self.splice(start, end, head + self.token(new, indent, end))

        return replace

    def token(self, value: JSON, indent: int, end: int) -> str:
        """The text of a scalar or of an empty container behind its key; `end` is where its line goes on."""
        first, *rest = self.lines(value, 0)
        if not rest:
            return first
        following = _REST.match(self.text, end)
        if following is None or following[0].strip() or not following[0]:
            return _quoted(value)
        return self.newline.join([first, *(" " * indent + line if line else "" for line in rest)])

    # Flow style and JSON

    def flow(self, spans: list[tuple[int, int]], removed: set[int], added: list[str]) -> None:
        """Remove some of the parts between brackets, of which at least one stays, and add others at the end."""
        kept = [index for index in range(len(spans)) if index not in removed]
        if kept[0]:
            self.splice(spans[0][0], spans[kept[0]][0], "")
        for index in sorted(removed):
            if index > kept[0]:
                self.splice(spans[index - 1][1], spans[index][1], "")
        if not added:
            return
        start, end = spans[kept[-1]]
        line = self.line_start(start)
        lead = self.text[line:start]
        is_line = line > 0 and not lead.strip()
        between = f",{self.newline}{lead}" if is_line else self.comma
        inner = f"\n{lead}" if is_line else None
        self.splice(
            end, end, "".join(between + (text if inner is None else text.replace("\n", inner)) for text in added)
        )

    def flow_entry(self, key: Node, old: Node) -> Callable[[JSON], None]:
        """What replaces the value of an entry of a map in brackets."""

        def replace(new: JSON) -> None:
            token = self.flow_text(new).replace("\n", "\n" + self.lead(key.start))
            if old.end > old.start:
                self.splice(old.start, old.end, token)
                return
            colon = _COLON.match(self.text, key.end)
            place = colon.end() if colon else key.end
            self.splice(place, place, f" {token}" if colon else f": {token}")

        return replace

    def flow_element(self, old: Node) -> Callable[[JSON], None]:
        """What replaces an element of a list in brackets."""

        def replace(new: JSON) -> None:
            self.splice(old.start, old.end, self.flow_text(new).replace("\n", "\n" + self.lead(old.start)))

        return replace

    def lead(self, offset: int) -> str:
        """The white space that the line of an offset begins with."""
        line = self.text[self.line_start(offset) : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def flow_text(self, value: JSON) -> str:
        """The text of a value between brackets; its lines begin in the first column."""
        if self.is_json:
            separators = (",", ": ") if self.step else (self.comma, self.colon)
            text = json.dumps(value, ensure_ascii=False, indent=self.step, separators=separators)
            return text.replace("\n", self.newline)
        if isinstance(value, dict):
            entries = [f"{self.flow_text(name)}: {self.flow_text(item)}" for name, item in value.items()]
            return "{" + ", ".join(entries) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow_text, value)) + "]"
        text = to_yaml(value)[:-1]
        if text.startswith('"') or not re.search(r"[,\[\]{}:?\n]", text):
            return text
        return _quoted(value)


def _is_block(value: JSON) -> bool:
    """Whether a value has lines of its own in block style."""
    return isinstance(value, dict | list) and bool(value)


def _quoted(value: JSON) -> str:
    """A text on one line."""
    # Some characters that JSON takes as they are, are line breaks to YAML or nothing that it takes.
    escape = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")
    return escape.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _kept(before: list[Any], after: list[Any]) -> list[int] | None:
    """Which elements stay, if the others are only removed, or others only added at the end; None if neither is so."""
    kept: list[int] = []
    for index, value in enumerate(before):
        if len(kept) < len(after) and same(value, after[len(kept)]):
            kept.append(index)
    if len(kept) == len(after) or len(kept) == len(before):
        return kept
    return None

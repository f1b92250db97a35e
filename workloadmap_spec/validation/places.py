"""Where in a file findings are: the spans of values, of keys and of parts of expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workloadmap_spec.pointer import split
from workloadmap_spec.positions import text_offset
from workloadmap_spec.validation.findings import Span

if TYPE_CHECKING:
    from workloadmap_spec.documents import Document
    from workloadmap_spec.positions import Origin, Positions


def positions_of(document: Document) -> Positions:
    """The places of a document that was read from a text, as all are that are validated."""
    if document.positions is None:
        raise AssertionError(document)
    return document.positions


def value_span(document: Document, pointer: str) -> Span:
    """The place of a value, to the end of its first line."""
    positions = positions_of(document)
    _, node = positions.find(split(pointer))
    return _first_line(positions.origin, node.start, node.end)


def key_span(document: Document, pointer: str) -> Span:
    """The place of the key of a map entry; that of the value where there is no key."""
    positions = positions_of(document)
    key, value = positions.find(split(pointer))
    node = key or value
    return _first_line(positions.origin, node.start, node.end)


def expression_span(document: Document, pointer: str, offset: int, length: int) -> Span:
    """The place of a part of an expression; an approximate one where the text of the file does not show it."""
    positions = positions_of(document)
    origin = positions.origin
    _, node = positions.find(split(pointer))
    start, is_exact = text_offset(origin.text, node, offset)
    end = start
    if is_exact and length > 1:
        end, is_exact = text_offset(origin.text, node, offset + length - 1)
    return Span(*origin.line_and_column(start), *origin.line_and_column(end + 1), approximate=not is_exact)


def lines_of(document: Document, pointer: str) -> tuple[int, int]:
    """The first and the last line of a value with its key, without blank lines and comments that follow it."""
    positions = positions_of(document)
    origin = positions.origin
    key, value = positions.find(split(pointer))
    # The key of an entry that was merged in, and a value behind an alias, stand where they are written.
    start = key.start if key is not None and key.start < value.start else value.start
    # Parsers end a block where the next thing begins.
    lines = origin.text[start : value.end].split("\n")
    while len(lines) > 1 and lines[-1].strip()[:1] in ("", "#"):
        lines.pop()
    first = origin.line_and_column(start)[0]
    return first, first + len(lines) - 1


def _first_line(origin: Origin, start: int, end: int) -> Span:
    """A part of a document's text, cut to the line that it begins in."""
    line_end = origin.text.find("\n", start)
    end = min(end, line_end if line_end >= 0 else len(origin.text))
    end = max(start + 1, start + len(origin.text[start:end].rstrip()))
    return Span(*origin.line_and_column(start), *origin.line_and_column(end))

"""The parsers of PyYAML: libyaml's where there is one, and the one in Python made to take what libyaml takes.

Importing this module loads PyYAML.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError


class EventParser(Protocol):
    """What is used of a PyYAML parser."""

    def get_event(self) -> Any:  # noqa: ANN401 - a yaml.Event, or None at the end
        """Give the next event."""


_BREAKS: Final = "\r\n\x85\u2028\u2029"


class PythonParser(Reader, Scanner, Parser):
    """The parser in Python, with tabs where libyaml takes them: after tokens and inside plain scalars."""

    def __init__(self, text: str) -> None:
        """Begin to read."""
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        """Skip white space, line breaks and comments; a tab where a key may begin would be indentation."""
        while True:
            while self.peek() == " " or (self.peek() == "\t" and (self.flow_level or not self.allow_simple_key)):
                self.forward()
            if self.peek() == "#":
                while self.peek() not in "\0" + _BREAKS:
                    self.forward()
            if not self._scan_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str]:  # noqa: ANN401 - a yaml.Mark
        """Skip the white space after a word of a plain scalar, and give what it becomes inside the scalar."""
        spaces = self._scan_blanks()
        if self.peek() not in _BREAKS:
            return [spaces] if spaces else []
        first = self._scan_break()
        self.allow_simple_key = True
        more = []
        while not self._at_marker():
            if self.peek() == "\t" and self.column < indent:
                raise ScannerError(
                    "while scanning a plain scalar",
                    start_mark,
                    "found a tab character that violates indentation",
                    self.get_mark(),
                )
            if self.peek() in (" ", "\t"):
                self.forward()
            elif self.peek() in _BREAKS:
                more.append(self._scan_break())
            else:
                return ([first] if first != "\n" else [] if more else [" "]) + more
        return []

    def _scan_break(self) -> str:
        """Skip one line break, if there is one, and give what it becomes."""
        found: str = self.scan_line_break()  # type: ignore[no-untyped-call]
        return found

    def _scan_blanks(self) -> str:
        """Skip spaces and tabs, and give them."""
        length = 0
        while self.peek(length) in (" ", "\t"):
            length += 1
        blanks: str = self.prefix(length)
        self.forward(length)
        return blanks

    def _at_marker(self) -> bool:
        """Whether a document marker begins here."""
        return self.column == 0 and self.prefix(3) in ("---", "...") and self.peek(3) in "\0 \t" + _BREAKS


try:
    from yaml import cyaml
except ImportError:  # PyYAML was built without libyaml
    LIBYAML_PARSER: type[EventParser] | None = None
else:
    LIBYAML_PARSER = cyaml.CParser  # type: ignore[attr-defined]


def make_parser(text: str) -> EventParser:
    """Give the best parser there is."""
    return PythonParser(text) if LIBYAML_PARSER is None else LIBYAML_PARSER(text)  # type: ignore[call-arg]

"""Documents in: YAML and JSON text made into JSON values under the data rules, with the place of every value.

What counts as a document is what `kubectl apply -f` takes (source: k8s.io/apimachinery `util/yaml/decoder.go` and
k8s.io/cli-runtime `resource/visitor.go`): JSON objects one after the other, YAML documents between lines `---`, and
the items of anything that has `items`. Where kubectl and YAML's own rules differ, only what both accept is taken.

Values are shared where a YAML alias or an unchanged input shares them, so nobody may change them in place.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal

from workloadmap_spec.data_rules import SURROGATE, describe, normalize, surrogate_problem
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.json_values import (
    JSON_START,
    SPACE,
    decode,
    depth_of,
    json_problem_of,
    not_a_value,
    skip_space,
    whole_json,
)
from workloadmap_spec.limits import MAX_DOCUMENT_BYTES
from workloadmap_spec.pointer import JSON, split
from workloadmap_spec.positions import Origin, Positions, SourceProblem, text_offset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Document", "load_all", "load_path", "load_text", "normalize", "stream"]

#: How the standard input is called in messages.
STDIN_NAME: Final = "<stdin>"

#: How many characters one JSON value or one YAML document between two lines `---` has, list of documents or not. An
#: input without end would fill the memory otherwise.
MAX_TEXT_SIZE: Final = 2**30

#: The same for YAML, which is read at some megabytes a second: more would look like a program that hangs.
MAX_YAML_SIZE: Final = 2**26

#: Files up to this size are read at once; larger ones line by line, which is slower for JSON on many lines and keeps
#: the memory flat for JSON with one object a line.
_WHOLE_FILE_SIZE: Final = 2**26

#: How the names of files end that are looked at below a folder.
SUFFIXES: Final = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Document:
    """One document of an input, under the data rules. Nothing in `value` may be changed."""

    value: JSON
    #: The file or stream it comes from, as it is named in messages.
    source: str = "<data>"
    #: Its number in the source, from 0, where each item of a list counts.
    index: int = 0
    #: Where its values are in the text; None for a document that was made from data.
    positions: Positions | None = field(default=None, repr=False, compare=False)

    def location(self, pointer: str) -> Location:
        """The place of the value at a JSON Pointer, or of its nearest parent that exists."""
        tokens = split(pointer)
        if self.positions is None:
            return Location(self.source, pointer=pointer)
        return self.positions.location(tokens, pointer)

    def key_location(self, pointer: str) -> Location:
        """The place of the key of a map entry; that of the value where there is no key."""
        tokens = split(pointer)
        if self.positions is None:
            return Location(self.source, pointer=pointer)
        key, node = self.positions.find(tokens)
        return self.positions.origin.location((key or node).start, pointer)

    def text_location(self, pointer: str, offset: int) -> tuple[Location, bool]:
        """The place of a character inside the string at a JSON Pointer, and whether it is only approximate.

        It is exact in strings of every style, but for white space that YAML changes in reading.
        """
        tokens = split(pointer)
        if self.positions is None:
            return Location(self.source, pointer=pointer), True
        _, node = self.positions.find(tokens)
        origin = self.positions.origin
        position, exact = text_offset(origin.text, node, offset)
        return origin.location(position, pointer), not exact


# The surface


def load_text(text: str | bytes, source: str = "<string>") -> list[Document]:
    """The documents of a text.

    Raises:
        InputError: A part of the text cannot be read. `load_all` gives the other parts too.
    """
    return list(_raising(_read_text(text, source)))


def load_all(text: str | bytes, source: str = "<string>") -> tuple[list[Document], list[InputError]]:
    """The documents of a text that can be read, and the errors of those that cannot."""
    errors: list[InputError] = []
    return list(_collecting(_read_text(text, source), errors.append)), errors


def load_path(path: str | os.PathLike[str], errors: Callable[[InputError], None] | None = None) -> Iterator[Document]:
    """The documents of a file, or of all `.json`, `.yaml` and `.yml` files below a directory, sorted by path.

    Names that begin with a dot are left out below a directory: they are version control, or the folders in which
    Kubernetes keeps the files of a mounted ConfigMap a second time.

    Args:
        path: The file or directory.
        errors: What to do with an error, after which reading goes on; without it the first one is raised.

    Raises:
        InputError: A part of a file cannot be read, or a file cannot be opened (then `__cause__` is the `OSError`).
    """
    return _handled(_read_path(Path(path)), errors)


def stream(
    fileobj: IO[str] | IO[bytes],
    source: str = STDIN_NAME,
    errors: Callable[[InputError], None] | None = None,
) -> Iterator[Document]:
    """The documents of an open file, each as soon as it is complete.

    JSON objects are complete with the line they end in, YAML documents with the next line `---`, so the memory that
    is needed is that of one document.

    Args:
        fileobj: A text file, or a binary one that holds UTF-8.
        source: Its name in messages.
        errors: What to do with an error, after which reading goes on; without it the first one is raised.

    Raises:
        InputError: A part of the text cannot be read.
    """
    return _handled(_read_stream(fileobj, source), errors)


def _handled(items: Iterator[Document | InputError], errors: Callable[[InputError], None] | None) -> Iterator[Document]:
    """The documents, with the errors raised or handed over."""
    return _raising(items) if errors is None else _collecting(items, errors)


def _raising(items: Iterator[Document | InputError]) -> Iterator[Document]:
    """The documents up to the first error."""
    for item in items:
        if isinstance(item, InputError):
            raise item
        yield item


def _collecting(items: Iterator[Document | InputError], errors: Callable[[InputError], None]) -> Iterator[Document]:
    """The documents, whatever errors are between them."""
    for item in items:
        if isinstance(item, InputError):
            errors(item)
        else:
            yield item


# Sources


def _read_path(path: Path) -> Iterator[Document | InputError]:
    """The documents of a file or directory."""
    if not path.is_dir():
        yield from _read_file(path)
        return
    closed: list[OSError] = []
    files = sorted(files_below(path, SUFFIXES, closed.append))
    for error in closed:
        yield _unreadable(str(error.filename), error.strerror or str(error), error)
    if not files and not closed:
        message = f"the directory has no files that end in {', '.join(SUFFIXES)}"
        yield InputError(message, Location(str(path)), "name another directory, or a file")
    for file in files:
        yield from _read_file(file)


def files_below(
    folder: Path, suffixes: tuple[str, ...], refuse: Callable[[OSError], object] | None = None
) -> Iterator[Path]:
    """The files below a folder whose names end in one way or another, hidden ones and those in hidden folders left out.

    Args:
        folder: The folder.
        suffixes: How the names end.
        refuse: Hears of folders that cannot be listed; they are passed over without.
    """
    for parent, folders, names in os.walk(folder, onerror=refuse):
        # In place, which keeps the walk out of them.
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names if name.endswith(suffixes) and not name.startswith("."))


def read_file(file: Path) -> bytes:
    """The bytes of a file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        raise InputError(message, Location(str(file)), "check the path and its permissions") from error


def _read_file(path: Path) -> Iterator[Document | InputError]:
    """The documents of a file."""
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        yield _unreadable(str(path), getattr(error, "strerror", None) or str(error), error)
        return
    with file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _WHOLE_FILE_SIZE:
            yield from _read_stream(file, str(path))
            return
        try:
            text = file.read()
        except OSError as error:
            yield _unreadable(str(path), error.strerror or str(error), error)
            return
    yield from _read_text(text, str(path))


def _read_text(text: str | bytes, source: str) -> Iterator[Document | InputError]:
    """The documents of a text that is there as a whole."""
    if isinstance(text, bytes):
        if text.startswith(_UTF_16):
            yield _utf_16_error(source)
            return
        text = text.decode("utf-8", "surrogateescape")
    text = text.removeprefix(_BOM)
    reader = _Reader(source)
    values = whole_json(text)
    if values is None:
        yield from reader.lines(io.StringIO(text, newline="\n"))
        return
    cursor = _Cursor(text, 1, 1)
    for start, end, value in values:
        cursor.move(start)
        yield from reader.json_value(value, text[start:end], cursor)


def _read_stream(fileobj: IO[str] | IO[bytes], source: str) -> Iterator[Document | InputError]:
    """The documents of an open file."""
    try:
        first = fileobj.readline(MAX_TEXT_SIZE + 1)
        if isinstance(first, bytes) and first.startswith(_UTF_16):
            yield _utf_16_error(source)
        else:
            yield from _Reader(source).lines(_text_lines(fileobj, first))
    except OSError as error:
        yield _unreadable(source, error.strerror or str(error), error)
    except UnicodeError as error:
        # Only of text files: of binary ones the bytes that are wrong are found in their document.
        yield _unreadable(source, str(error), error)


def _unreadable(source: str, why: str, error: Exception) -> InputError:
    """The error for a file that gives no text."""
    result = InputError(f"it cannot be read: {why}", Location(source), "check the path, its permissions and encoding")
    result.__cause__ = error
    return result


def _text_lines(fileobj: IO[str] | IO[bytes], line: str | bytes) -> Iterator[str]:
    """The lines of a file as text, without the byte order mark; bytes that are not UTF-8 become lone surrogates."""
    is_first = True
    while line:
        text = line if isinstance(line, str) else line.decode("utf-8", "surrogateescape")
        yield text.removeprefix(_BOM) if is_first else text
        is_first = False
        line = fileobj.readline(MAX_TEXT_SIZE + 1)


_BOM: Final = "\ufeff"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def _utf_16_error(source: str) -> InputError:
    """The error for a file as some shells of Windows write it."""
    return InputError("the text is UTF-16, not UTF-8", Location(source, 1, 1), "save it as UTF-8")


# Documents out of lines


class _Reader:
    """Makes documents out of the lines of one source, and holds the lines of a document that is not complete.

    The lines between two separators are a *piece*: one YAML document, or JSON values. Which of the two it is shows in
    its first line, but for YAML that begins with a bracket, which is JSON until it is not.
    """

    __slots__ = ("buffer", "column", "depth", "index", "is_json", "is_lost", "mode", "size", "source", "start")

    def __init__(self, source: str) -> None:
        """Begin before the first line."""
        self.source = source
        self.index = 0
        self.begin()

    def begin(self) -> None:
        """Begin a piece."""
        #: `""` nothing but white space yet; `unsure` brackets that are not JSON; `skip` too much of it.
        self.mode: Literal["", "json", "unsure", "yaml", "skip"] = ""
        #: Whether a JSON value was read, so that nothing later is YAML.
        self.is_json = False
        #: Whether an error was reported for lines that are neither JSON value nor comment, and there may be more.
        self.is_lost = False
        self.clear(0)

    def clear(self, start: int) -> None:
        """Begin a document in a line."""
        self.buffer: list[str] = []
        self.start = start
        self.column = 1
        self.size = 0
        self.depth = 0

    def lines(self, lines: Iterable[str]) -> Iterator[Document | InputError]:
        """The documents of the lines."""
        for number, line in enumerate(lines, 1):
            if line.startswith("---"):
                yield from self.close()
                rest = line[3:].strip(SPACE)
                if rest and not (rest[0] == "#" and line[3] in " \t"):
                    yield InputError(
                        "text follows the dashes `---`, which kubectl refuses",
                        Location(self.source, number, 4),
                        "put the text on the next line",
                    )
            elif self.mode != "skip":
                yield from self.feed(number, line)
        yield from self.close()

    def feed(self, number: int, line: str) -> Iterator[Document | InputError]:
        """One more line of the piece."""
        if not self.mode:
            if not line.strip(SPACE):
                return
            self.mode = "json" if JSON_START.match(line) else "yaml"
        if not self.buffer:
            self.clear(number)
        self.size += len(line)
        if self.size > MAX_TEXT_SIZE:
            yield self.too_large(MAX_TEXT_SIZE)
            self.clear(number)
            self.mode = "skip"
        elif self.mode == "yaml":
            self.buffer.append(line)
        elif self.buffer and not self.breaks(line):
            self.buffer.append(line)
            self.depth += depth_of(line)
            if self.mode == "json" and self.depth <= 0:
                yield from self.values()
        else:
            if self.buffer:
                yield self.json_error()
                self.is_json = True
                self.mode = "json"
                self.clear(number)
            yield from self.first_line(number, line)

    def breaks(self, line: str) -> bool:
        """Whether a line begins a JSON value although the one before is not complete, which then never will be.

        An object that is inside another one follows a comma, colon or bracket. So one bad line of a stream does not
        swallow the lines after it.
        """
        if line[0] != "{":
            return False
        before = next((text for text in reversed(self.buffer) if text.strip(SPACE)), ",")
        ends = (before.rstrip(SPACE)[-1], before.rpartition(" #")[0].rstrip(SPACE)[-1:])
        return not any(end in (",", ":", "[", "{") for end in ends)

    def first_line(self, number: int, line: str) -> Iterator[Document | InputError]:
        """A line of a JSON piece in which a value should begin."""
        text = line.strip(SPACE)
        if not text or text[0] == "#" or text == "...":
            return
        if text[0] in "{[":
            self.is_lost = False
            self.buffer.append(line)
            yield from self.values()
        elif not self.is_lost:
            self.is_lost = True
            yield Origin(line, self.source, number, 1, "json").error(not_a_value(line.index(text[0])))

    def values(self) -> Iterator[Document | InputError]:
        """The JSON values of the lines that are held; what is not complete is held on."""
        text = "".join(self.buffer)
        cursor = _Cursor(text, self.start, self.column)
        position = 0
        while (position := skip_space(text, position)) < len(text):
            cursor.move(position)
            if text[position] not in "{[":
                yield self.origin(text, "json").error(not_a_value(position))
                break
            try:
                value, end = decode(text, position)
            except SourceProblem as problem:
                yield from self.hold(problem, text, position, cursor)
                return
            self.is_json = True
            yield from self.json_value(value, text[position:end], cursor)
            position = end
        self.buffer = []

    def hold(
        self, problem: SourceProblem, text: str, position: int, cursor: _Cursor
    ) -> Iterator[Document | InputError]:
        """Hold the rest of the lines, which may be the beginning of a value, unless it can never be one."""
        rest = text[position:]
        depth = depth_of(rest)
        if depth <= 0 and self.is_json:
            yield self.origin(text, "json").error(problem)
            self.buffer = []
            return
        self.buffer, self.depth = [rest], depth
        self.start, self.column = cursor.line, cursor.column
        if depth <= 0:
            self.mode = "unsure"

    def close(self) -> Iterator[Document | InputError]:
        """End the piece."""
        text = "".join(self.buffer)
        if self.mode == "yaml":
            yield from self.yaml_document(text)
        elif text:
            yield from self.not_json(text)
        self.begin()

    def not_json(self, text: str) -> Iterator[Document | InputError]:
        """Lines that begin with a bracket and are not complete JSON: YAML, or an error of one of the two."""
        problem = json_problem_of(text)
        is_cut = problem.offset >= len(text.rstrip(SPACE)) or "unterminated string" in problem.message
        if self.is_json or is_cut or len(text) > MAX_YAML_SIZE:
            yield self.origin(text, "json").error(problem)
        else:
            yield from self.yaml_document(text, problem)

    def json_error(self) -> InputError:
        """The error for lines that are held and can never be a JSON value."""
        text = "".join(self.buffer)
        return self.origin(text, "json").error(json_problem_of(text))

    def origin(self, text: str, syntax: Literal["json", "yaml"]) -> Origin:
        """The origin of a text that begins where the held lines begin."""
        return Origin(text, self.source, self.start, self.column, syntax)

    def too_large(self, limit: int) -> InputError:
        """The error for a text beyond a limit."""
        message = f"the document has more than {limit} characters"
        return InputError(message, Location(self.source, self.start, self.column), "split it into documents")

    # Values

    def json_value(self, value: JSON | SourceProblem, text: str, cursor: _Cursor) -> Iterator[Document | InputError]:
        """The documents of one JSON value, or what is wrong with it."""
        origin = Origin(text, self.source, cursor.line, cursor.column, "json")
        if isinstance(value, SourceProblem):
            yield origin.error(value)
        else:
            yield from self.documents(value, origin)

    def yaml_document(self, text: str, json_problem: SourceProblem | None = None) -> Iterator[Document | InputError]:
        """The documents of one YAML document; `json_problem` is why the same text is not JSON."""
        from workloadmap_spec.yaml_loader import compose  # noqa: PLC0415 - it loads PyYAML

        origin = self.origin(text, "yaml")
        if len(text) > MAX_YAML_SIZE:
            yield self.too_large(MAX_YAML_SIZE)
            return
        if error := _encoding_error(origin):
            yield error
            return
        try:
            node = compose(text)
        except SourceProblem as problem:
            if json_problem is not None and _is_meant_as_json(text, json_problem.offset, problem.offset):
                problem = json_problem
            yield origin.error(problem)
            return
        if node is not None and node.value is not None:
            yield from self.documents(node.value, origin)

    def documents(self, value: JSON, origin: Origin) -> Iterator[Document | InputError]:
        """The documents that a value stands for, under the data rules."""
        error = _encoding_error(origin) or _size_error(value, origin)
        if error:
            yield error
            return
        for item, path in _flatten(value):
            positions = Positions(origin, path)
            if isinstance(item, InputError):
                yield item.located(positions.location(()))
                continue
            try:
                document = Document(normalize(item), self.source, self.index, positions)
            except InputError as wrong:
                yield wrong.located(positions.location(split(wrong.location.pointer or "")))
            else:
                self.index += 1
                yield document


class _Cursor:
    """A line and column that move forward through a text, so that many places in it take one pass."""

    __slots__ = ("column", "line", "offset", "text")

    def __init__(self, text: str, line: int, column: int) -> None:
        """Begin at the beginning, which has a line and column of its own."""
        self.text = text
        self.line = line
        self.column = column
        self.offset = 0

    def move(self, offset: int) -> None:
        """Move forward to an offset."""
        breaks = self.text.count("\n", self.offset, offset)
        if breaks:
            self.line += breaks
            self.column = offset - self.text.rfind("\n", self.offset, offset)
        else:
            self.column += offset - self.offset
        self.offset = offset


_JSON_OBJECT_START: Final = re.compile(r"[ \t\r\n]*[{\[][ \t\r\n]*\"")


def _is_meant_as_json(text: str, json_offset: int, yaml_offset: int) -> bool:
    """Whether a text that is neither JSON nor YAML is more of the former, by where each reading ended."""
    if _JSON_OBJECT_START.match(text):
        return "\n" not in text[json_offset:yaml_offset]
    return json_offset > yaml_offset


def _encoding_error(origin: Origin) -> InputError | None:
    """The error for a text with a character that is only half there."""
    if origin.text.isascii() or not (found := SURROGATE.search(origin.text)):
        return None
    message, cure = surrogate_problem(found[0])
    return origin.error(SourceProblem(message, found.start(), cure))


def _size_error(value: JSON, origin: Origin) -> InputError | None:
    """The error for the text of one document that is too large; the text of a list may be larger than its items'."""
    text = origin.text
    if len(text) * 4 <= MAX_DOCUMENT_BYTES or _is_list(value) or len(text.encode()) <= MAX_DOCUMENT_BYTES:
        return None
    message = f"the document is larger than {MAX_DOCUMENT_BYTES} bytes"
    return origin.error(SourceProblem(message, 0, "split it into documents"))


# Lists of documents


def _is_list(value: JSON) -> bool:
    """Whether a value is a list of documents (S2.7). Go clients write the empty list as null."""
    return isinstance(value, dict) and "items" in value and isinstance(value["items"], list | None)


def _flatten(value: JSON) -> Iterator[tuple[JSON | InputError, tuple[str, ...]]]:
    """The documents of a value with their paths: itself, or the items of a list.

    The items of a list inside a list come after the other items, as kubectl has them (source: apimachinery
    `unstructured/helpers.go` and cli-runtime `resource/visitor.go`).
    """
    waiting: deque[tuple[JSON, tuple[str, ...]]] = deque([(value, ())])
    while waiting:
        value, path = waiting.popleft()
        if not _is_list(value):
            yield value, path
            continue
        for number, item in enumerate(value["items"] or ()):
            item_path = (*path, "items", str(number))
            if isinstance(item, dict):
                waiting.append((_item_of(value, item), item_path))
            else:
                message = f"an item of a list of objects is {describe(item)}"
                yield InputError(message, Location(pointer=""), "make it an object, or remove it"), item_path


def _item_of(parent: dict[str, JSON], item: dict[str, JSON]) -> dict[str, JSON]:
    """An item of a list; one that does not say what it is has the kind of the list without its suffix."""
    if item.get("kind") or item.get("apiVersion"):
        return item
    kind = parent.get("kind")
    inferred = {"apiVersion": parent.get("apiVersion"), "kind": kind.removesuffix("List") if type(kind) is str else ""}
    return {**item, **inferred} if all(inferred.values()) else item

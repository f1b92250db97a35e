"""Values out: canonical JSON (RFC 8785) with its digest, and YAML for people.

The same value gives the same bytes on every machine. Canonical JSON is what maps are compared and mappings identified
by; YAML is what the CLI shows, and it reads as the same value in every YAML reader.
"""

from __future__ import annotations

import json
import math
import re
from json import encoder
from typing import TYPE_CHECKING, Final

from workloadmap_spec.data_rules import CLEAN, describe, normalize, survey
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.limits import MAX_COUNT, MAX_DEPTH
from workloadmap_spec.pointer import JSON, join
from workloadmap_spec.yaml_scalars import resolve_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How deep the values that are written may nest: a map holds parts of its object further down than the object does.
#: A value that contains itself would be written for ever.
MAX_WRITTEN_DEPTH: Final = 2 * MAX_DEPTH


# Canonical JSON

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False)

#: Characters from which on the order of UTF-16 code units, in which RFC 8785 sorts keys, is not that of code points.
_OTHER_ORDER: Final = re.compile("[\ud800-\U0010ffff]")


def dumps(value: JSON) -> str:
    """The canonical JSON text of a value (RFC 8785): no white space, sorted keys, one form for every number.

    Raises:
        InputError: The value is not JSON, holds a number that not every reader keeps, or nests too deep.
    """
    # For values under the data rules the standard library writes the same bytes and is many times as fast, unless a
    # key or a number is one of the few that it orders or writes in another way.
    if survey(value) == CLEAN:
        text = _ENCODER.encode(value)
        if text.isascii() or not _OTHER_ORDER.search(text):
            return text
    import rfc8785  # noqa: PLC0415 - few values need it

    try:
        return rfc8785.dumps(value).decode()
    except (rfc8785.CanonicalizationError, RecursionError, ValueError) as error:
        # The walk of the data rules tells where.
        normalize(value)
        message = f"the value has no canonical JSON: {error}"
        raise InputError(message, Location(pointer=""), "give plain JSON data") from error


def digest(value: JSON) -> str:
    """The `sha256:` digest, in hexadecimal, of the canonical JSON of a value.

    Raises:
        InputError: The value has no canonical JSON.
    """
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and few commands need it

    return f"sha256:{sha256(dumps(value).encode()).hexdigest()}"


# YAML

#: Text that needs no quotes as far as its first characters tell: words, paths, options, variables, quantities.
_PLAIN_START: Final = re.compile(r"[^\W\d]|\.{0,2}/|--?[A-Za-z]|\$\(|[0-9]+(?:\.[0-9]+)?(?:m|[kMGTPE]|[KMGTPE]i)$")

#: Characters that a reader would take for a line break or not take at all.
_UNSEEN: Final = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")

#: Longer keys need the long form: a parser looks no further than 1,024 characters for the colon.
_MAX_SHORT_KEY: Final = 512


def to_yaml(value: JSON, *, sort_keys: bool = False) -> str:
    """The YAML text of a value, in block style as kubectl writes it, for people.

    Strings that any version of YAML or kubectl reads as something else are quoted, numbers are written so that all
    read them as numbers, and text of several lines is a literal block where that shows it as it is.

    Args:
        value: What to write.
        sort_keys: Whether keys are sorted by code points; without it they keep their order.

    Raises:
        InputError: The value is not JSON, holds a number that not every reader keeps, or nests too deep.
    """
    writer = _Writer(sort_keys=sort_keys)
    lines = list(writer.block(value, "", ())) if _is_block(value) else _with_head("", writer.scalar(value, ()), "")
    lines.append("")
    return "\n".join(lines)


def _is_block(value: JSON) -> bool:
    """Whether a value takes lines of its own."""
    return isinstance(value, (dict, list, tuple)) and len(value) > 0


def _with_head(head: str, lines: list[str], indent: str) -> list[str]:
    """A scalar behind what introduces it; the lines of a literal block go two columns further in."""
    return [head + lines[0], *[f"{indent}  {line}" if line else "" for line in lines[1:]]]


class _Writer:
    """Writes values as lines of YAML."""

    __slots__ = ("sort_keys",)

    def __init__(self, *, sort_keys: bool) -> None:
        """Keep the choice."""
        self.sort_keys = sort_keys

    def block(self, value: JSON, indent: str, path: tuple[str | int, ...]) -> Iterator[str]:
        """The lines of a map or list that is not empty."""
        if len(path) >= MAX_WRITTEN_DEPTH:
            raise _error(path, f"maps and lists nest more than {MAX_WRITTEN_DEPTH} deep", "flatten the value")
        if not isinstance(value, dict):
            for number, item in enumerate(value):
                yield from self.element(item, indent, (*path, number))
            return
        for key in value:
            if not isinstance(key, str):
                raise _error(path, f"a key is {describe(key)}, not a string", "make it a string")
        for key in sorted(value) if self.sort_keys else value:
            yield from self.entry(key, value[key], indent, (*path, key))

    def element(self, item: JSON, indent: str, path: tuple[str | int, ...]) -> Iterator[str]:
        """The lines of one element of a list."""
        if not _is_block(item):
            yield from _with_head(f"{indent}- ", self.scalar(item, path), indent)
            return
        inner = f"{indent}  "
        lines = self.block(item, inner, path)
        yield f"{indent}- {next(lines)[len(inner) :]}"
        yield from lines

    def entry(self, key: str, item: JSON, indent: str, path: tuple[str | int, ...]) -> Iterator[str]:
        """The lines of one entry of a map."""
        shown = _text(key, path)
        is_short = len(shown) <= _MAX_SHORT_KEY
        head = f"{indent}{shown}:" if is_short else f"{indent}:"
        if not is_short:
            yield f"{indent}? {shown}"
        if not _is_block(item):
            yield from _with_head(f"{head} ", self.scalar(item, path), indent)
            return
        yield head
        # Lists begin in the column of their key, as kubectl writes them.
        yield from self.block(item, indent if is_short and not isinstance(item, dict) else f"{indent}  ", path)

    def scalar(self, value: JSON, path: tuple[str | int, ...]) -> list[str]:
        """A scalar or an empty container; several lines for a literal block, whose first is its header."""
        if isinstance(value, str):
            lines = _literal(value)
            return lines or [_text(value, path)]
        return [_token(value, path)]


def _token(value: JSON, path: tuple[str | int, ...]) -> str:
    """The text of null, a boolean, a number or an empty container."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        return _fraction(value, path)
    if isinstance(value, (int, float)):
        if abs(value) > MAX_COUNT:
            raise _error(path, f"a number is beyond {MAX_COUNT} (2^53-1)", "write it as text")
        return str(int(value))
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    raise _error(path, f"{describe(value)} is not a JSON value", "convert it to plain JSON data")


def _fraction(value: float, path: tuple[str | int, ...]) -> str:
    """A float with a fraction; YAML 1.1 wants a dot before an exponent."""
    if not math.isfinite(value):
        raise _error(path, "NaN and infinities are not numbers that JSON has", "write it as text, or leave it out")
    mantissa, e, exponent = repr(float(value)).partition("e")
    return mantissa + (e if "." in mantissa or not e else f".0{e}") + exponent


def _literal(text: str) -> list[str]:
    """The lines of a literal block with its header, or nothing where the text would not show as it is."""
    if "\n" not in text:
        return []
    ends_line = text.endswith("\n")
    lines = (text[:-1] if ends_line else text).split("\n")
    if not lines[0] or lines[0][0] == " " or not lines[-1]:
        return []
    if not all(line.isprintable() and not line.endswith(" ") for line in lines):
        return []
    return ["|" if ends_line else "|-", *lines]


def _text(text: str, path: tuple[str | int, ...]) -> str:
    """A string on one line, in double quotes if it needs any."""
    is_plain = (
        _PLAIN_START.match(text) is not None
        and text.isprintable()
        and ": " not in text
        and " #" not in text
        and not text.endswith((":", " "))
        and isinstance(resolve_plain(text), str)
        and isinstance(resolve_plain(text.lower()), str)
    )
    if is_plain:
        return str.__str__(text)
    quoted = encoder.encode_basestring(text)
    if quoted.isascii() and "\x7f" not in quoted:
        return quoted
    try:
        quoted.encode()
    except UnicodeEncodeError as error:
        raise _error(path, "a string holds a lone surrogate, half of a character", "remove it") from error
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _error(path: tuple[str | int, ...], message: str, cure: str) -> InputError:
    """An error at a place of the value that is written."""
    return InputError(message, Location(pointer=join("", *path)), cure)

"""The data rules N1 to N6: what every document is made to be before anything is read from it.

- N1: a number with an integral value and a magnitude of at most 2^53-1 is an int, however it was written; any other
  finite number is a float; a larger number, NaN and the infinities are errors.
- N2: a map entry whose value is null is removed; the nulls of a list stay.
- N3: bounded depth and size, no cycle, string keys, no NUL, no lone surrogate.
- N5: plain dict, list, str, int, float, bool and None, and nothing else.

(N4 is the YAML loader's and N6 the writer's.)
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.limits import MAX_COUNT, MAX_DEPTH, MAX_DOCUMENT_BYTES
from workloadmap_spec.pointer import JSON, join

#: Half of a character: no UTF-8 text can hold it.
SURROGATE: Final = re.compile(r"[\ud800-\udfff]")

#: Floats below this are written with an exponent by Python, and most of them without one by RFC 8785.
SMALL_FLOAT: Final = 1e-4

#: In JSON a value takes at least one byte and, with its key's punctuation, at most 32; a character at most 6. So below
#: this number of values and characters a document is within the limit, and need not be measured.
_SURELY_SMALL: Final = MAX_DOCUMENT_BYTES // 32

#: Documents with more values and characters are left to the careful walk, which passes shared parts once.
_MAX_SURVEYED: Final = 2**20

#: As many containers are taken apart without adding up their lengths first, which costs more than it saves.
_FEW: Final = 64

_ONLY_STRINGS: Final = {str}

#: What `survey` finds.
UNCLEAN, CLEAN, CLEAN_WITH_SMALL_FLOATS = 0, 1, 2


def normalize(value: JSON) -> JSON:
    """Bring Python data from any source under the data rules.

    Returns the same object when there is nothing to change, which costs one pass without copying. Otherwise what
    changes is copied and the rest is shared with the argument, which is never changed itself.

    Raises:
        InputError: There is something that cannot be repaired; its location has the JSON Pointer.
    """
    if survey(value):
        return value
    repair = _Repair()
    result = repair.value(value)
    if not _fits(result, repair.size):
        raise repair.too_large()
    return result


def survey(value: JSON) -> int:  # noqa: C901, PLR0911, PLR0912 - flat on purpose: this runs on every object read
    """Whether a map or list keeps all data rules already: one of the three constants, `UNCLEAN` when in doubt.

    It goes down level by level, so that neither a cycle nor a structure that shares its parts (exponentially many
    paths) takes more time or memory than the limits allow.
    """
    if type(value) is not dict and type(value) is not list:
        return UNCLEAN
    maps: list[dict[str, JSON]] = [value] if type(value) is dict else []
    lists: list[list[JSON]] = [value] if type(value) is list else []
    keys: list[str] = []
    texts: list[str] = []
    add_text = texts.append
    result = CLEAN
    size = 1
    for _ in range(MAX_DEPTH):
        # Counted before it is copied: a few containers may stand in a million places.
        if len(maps) + len(lists) > _FEW and size + sum(map(len, maps)) + sum(map(len, lists)) > _MAX_SURVEYED:
            return UNCLEAN
        items: list[JSON] = []
        for container in maps:
            keys += container
            items += container.values()
        for elements in lists:
            items += elements
        size += len(items)
        if size > _MAX_SURVEYED:
            return UNCLEAN
        parents, maps, lists, has_null = maps, [], [], False
        for item in items:
            kind = type(item)
            if kind is str:
                add_text(item)
            elif kind is dict:
                maps.append(item)
            elif kind is list:
                lists.append(item)
            elif kind is int:
                if not -MAX_COUNT <= item <= MAX_COUNT:
                    return UNCLEAN
            elif kind is float:
                # The comparison is false for NaN, which `is_integer` does not tell.
                if item.is_integer() or not -MAX_COUNT < item < MAX_COUNT:
                    return UNCLEAN
                if -SMALL_FLOAT < item < SMALL_FLOAT:
                    result = CLEAN_WITH_SMALL_FLOATS
            elif item is None:
                has_null = True
            elif kind is not bool:
                return UNCLEAN
        if has_null and any(None in container.values() for container in parents):
            return UNCLEAN
        if not maps and not lists:
            break
    else:
        return UNCLEAN
    if keys and set(map(type, keys)) != _ONLY_STRINGS:
        return UNCLEAN
    texts += keys
    # Counted before the strings are joined: one long string may stand in a million places.
    size += sum(map(len, texts))
    if size > _MAX_SURVEYED or not _fits(value, size):
        return UNCLEAN
    text = "".join(texts)
    if "\0" in text or not (text.isascii() or SURROGATE.search(text) is None):
        return UNCLEAN
    return result


def _fits(value: JSON, size: int) -> bool:
    """Whether a value of so many values and characters is within the limit once it is written as JSON."""
    if size <= _SURELY_SMALL:
        return True
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) <= MAX_DOCUMENT_BYTES


class _Repair:
    """One careful walk: it copies what must change, and says where it cannot."""

    __slots__ = ("deepest", "done", "open", "path", "size")

    def __init__(self) -> None:
        """Begin at the root, which counts as one value."""
        self.path: list[str | int] = []
        self.open: set[int] = set()
        self.size = 1
        #: How many levels below the root the walk has been, since a container began.
        self.deepest = 0
        #: What became of containers, by identity, with their size and height: what is shared is walked once.
        self.done: dict[int, tuple[JSON, int, int]] = {}

    def error(self, message: str, cure: str) -> InputError:
        """An error at the place where the walk is."""
        return InputError(message, Location(pointer=join("", *self.path)), cure)

    def value(self, value: JSON) -> JSON:
        """The value under the data rules, and the same object when it keeps them already."""
        if value is None or type(value) is bool:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (dict, list)):
            return self.container(value)
        if isinstance(value, int):
            # ruamel.yaml keeps a boolean that has an anchor in a class of its own, which is an int.
            if type(value).__name__ == "ScalarBoolean":
                return int.__int__(value) != 0
            return self.integer(value if type(value) is int else int.__int__(value))
        if isinstance(value, float):
            return self.number(value if type(value) is float else float.__float__(value))
        raise self.foreign(value)

    def grow(self, amount: int) -> None:
        """Count towards the size of the document."""
        self.size += amount
        if self.size > MAX_DOCUMENT_BYTES:
            raise self.too_large()

    def too_large(self) -> InputError:
        """The error for a document beyond the limit; no single place is to blame."""
        return InputError(
            f"the document is larger than {MAX_DOCUMENT_BYTES} bytes of JSON",
            Location(pointer=""),
            "split it, or look for a part that is repeated by reference, as YAML aliases do",
        )

    def text(self, value: str) -> str:
        """A string without NUL and lone surrogates."""
        if type(value) is not str:
            value = str.__str__(value)
        self.grow(len(value))
        if "\0" in value:
            raise self.error("a string holds the character NUL (U+0000)", "remove it: Kubernetes does not store it")
        if not value.isascii() and (found := SURROGATE.search(value)):
            raise self.error(*surrogate_problem(found[0]))
        return value

    def integer(self, value: int) -> int:
        """An integer that every reader keeps."""
        if -MAX_COUNT <= value <= MAX_COUNT:
            return value
        raise self.large(str(value) if abs(value) < 10**30 else "an integer of more than 30 digits")

    def number(self, value: float) -> float:
        """A finite float, or the int that it is."""
        if not math.isfinite(value):
            message = f"{'NaN' if math.isnan(value) else 'an infinity'} is not a number that JSON has"
            raise self.error(message, "leave it out, or quote it to make it text")
        if not value.is_integer():
            return value
        if -MAX_COUNT <= value <= MAX_COUNT:
            return int(value)
        raise self.large(repr(value))

    def large(self, shown: str) -> InputError:
        """The error for a number whose last digits some readers lose."""
        return self.error(
            f"{shown} is beyond {MAX_COUNT} (2^53-1), where readers disagree about the value",
            "quote it to make it text, or write a smaller number",
        )

    def container(self, value: dict[JSON, JSON] | list[JSON]) -> JSON:
        """A map or list, copied from its first change on."""
        identity, level, size, deepest = id(value), len(self.open), self.size, self.deepest
        if identity in self.open:
            raise self.error("the value contains itself", "remove the reference back to one of its parents")
        result, known_size, height = self.done.get(identity, (None, 0, 0))
        if level + height >= MAX_DEPTH:
            raise self.error(f"maps and lists nest more than {MAX_DEPTH} deep", "flatten the document")
        if known_size:
            self.grow(known_size)
            self.deepest = max(deepest, level + height)
            return result
        self.open.add(identity)
        self.deepest = level
        self.grow(1 + len(value))
        result = self.map(value) if isinstance(value, dict) else self.list(value)
        self.open.discard(identity)
        self.done[identity] = (result, self.size - size, self.deepest - level)
        self.deepest = max(deepest, self.deepest)
        return result

    def map(self, value: dict[JSON, JSON]) -> dict[str, JSON]:
        """A map without null entries."""
        changed: dict[str, JSON] | None = {} if type(value) is not dict else None
        for position, (key, item) in enumerate(dict.items(value)):
            plain = self.key(key)
            self.path.append(plain)
            new = self.value(item)
            self.path.pop()
            if changed is None and (new is not item or plain is not key or new is None):
                changed = dict(list(value.items())[:position])
            if changed is not None and new is not None:
                changed[plain] = new
        return value if changed is None else changed

    def list(self, value: list[JSON]) -> list[JSON]:
        """A list; its nulls count as elements."""
        changed: list[JSON] | None = [] if type(value) is not list else None
        for position, item in enumerate(list.__iter__(value)):
            self.path.append(position)
            new = self.value(item)
            self.path.pop()
            if changed is None and new is not item:
                changed = value[:position]
            if changed is not None:
                changed.append(new)
        return value if changed is None else changed

    def key(self, key: JSON) -> str:
        """The key of a map entry, which is a string."""
        if isinstance(key, str):
            return self.text(key)
        shown = f" (`{key!r}`)" if type(key) in _SHOWN_KEYS and abs(key) < _SHOWN_BELOW else ""
        raise self.error(
            f"a key is {describe(key)}{shown}, not a string",
            "write the key as a string, or load the text with workloadmap_spec.documents",
        )

    def foreign(self, value: object) -> InputError:
        """The error for a value of a type that JSON has not."""
        kind = type(value)
        package = kind.__module__.partition(".")[0]
        if package == "datetime":
            cure = "quote the timestamp in the YAML, or load the text with workloadmap_spec.documents, which keeps it"
        elif isinstance(value, (bytes, bytearray)):
            cure = "decode it to a str"
        elif isinstance(value, (tuple, set, frozenset)):
            cure = "convert it with list()"
        else:
            cure = _CURES.get(package, "convert it to a dict, list, str, int, float, bool or None")
        return self.error(f"{describe(value)} is not a JSON value", cure)


#: What to do about values that a well-known package makes.
_CURES: Final = {
    "kubernetes": "convert it with kubernetes.client.ApiClient().sanitize_for_serialization()",
    "numpy": "convert it with .item() or .tolist()",
}

#: Types of keys whose `repr` is Python's own, and the size up to which it is short.
_SHOWN_KEYS: Final = frozenset({int, float, bool})
_SHOWN_BELOW: Final = 10**30

_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    dict: "a map",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
}


def describe(value: object) -> str:
    """The JSON type of a value, or the name of the Python type that JSON has not, with its article."""
    name = type(value).__name__
    return _NAMES.get(type(value)) or f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def surrogate_problem(character: str) -> tuple[str, str]:
    """What is wrong with a lone surrogate, and the cure."""
    code = ord(character)
    # Python reads a byte that is not UTF-8 as one of these (PEP 383), here and where it opens standard input.
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - the range of PEP 383
        return f"the byte 0x{code - 0xDC00:02X} is not part of UTF-8 text", "save the file as UTF-8"
    return (
        f"half of a character (the lone surrogate U+{code:04X}) stands in a string",
        "write the whole character: it takes two \\u escapes, or none",
    )

"""JSON values out of a text that holds one after the other, and what is wrong with the rest."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from workloadmap_spec.limits import MAX_DEPTH
from workloadmap_spec.positions import SourceProblem, json_problem, scan_json

if TYPE_CHECKING:
    from workloadmap_spec.pointer import JSON

#: White space of JSON, which is that of YAML too.
SPACE: Final = " \t\r\n"
#: The beginning of a text that JSON is tried on.
JSON_START: Final = re.compile(r"[ \t\r\n]*[{\[]")
_REST_OF_SPACE: Final = re.compile(r"[ \t\r\n]*")
#: Strings, which hide brackets, and brackets.
_BRACKETS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]]')


class _DuplicateKeyError(Exception):
    """A key is written twice; where is found out by another reading of the text."""


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    """The map of a JSON object."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _DuplicateKeyError
    return result


def _huge(digits: str) -> int:
    """An integer of any length, for the data rules to refuse: Python does not convert thousands of digits."""
    return int(digits) if len(digits) <= _MAX_DIGITS else _TOO_LARGE


#: No integer that is allowed has more digits.
_MAX_DIGITS: Final = 20
_TOO_LARGE: Final = 10**30

_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)
_HUGE_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_huge)
_LENIENT_DECODER: Final = json.JSONDecoder(parse_int=_huge)


def decode(text: str, start: int) -> tuple[JSON | SourceProblem, int]:
    """The JSON value that begins at an offset, and its end; a problem for one that can be passed over.

    Raises:
        SourceProblem: It is not JSON, and so its end is not known.
    """
    try:
        try:
            return _DECODER.raw_decode(text, start)
        except (json.JSONDecodeError, _DuplicateKeyError):
            raise
        except ValueError:  # an integer of more digits than Python converts
            return _HUGE_DECODER.raw_decode(text, start)
    except _DuplicateKeyError:
        return _pass_over_duplicate(text, start)
    except json.JSONDecodeError as error:
        raise json_problem(error) from error
    except RecursionError as error:
        raise SourceProblem(f"maps and lists nest more than {MAX_DEPTH} deep", start, "flatten the document") from error


def _pass_over_duplicate(text: str, start: int) -> tuple[SourceProblem, int]:
    """The problem of a JSON value in which a key is written twice, and its end.

    Raises:
        SourceProblem: Something else is wrong behind that key.
    """
    try:
        _, end = _LENIENT_DECODER.raw_decode(text, start)
        scan_json(text[start:end])
    except json.JSONDecodeError as error:
        raise json_problem(error) from error
    except SourceProblem as problem:
        return problem, end
    raise AssertionError(text)


def skip_space(text: str, start: int) -> int:
    """The next offset that has more than white space and comments, which YAML allows after a JSON value."""
    while True:
        start = _REST_OF_SPACE.match(text, start).end()  # type: ignore[union-attr] # it matches nothing too
        if not text.startswith("#", start) or (start and text[start - 1] not in SPACE):
            return start
        start = text.find("\n", start)
        if start < 0:
            return len(text)


def whole_json(text: str) -> list[tuple[int, int, JSON | SourceProblem]] | None:
    """The JSON values that a text is made of, each with its start and end; None if there is anything else in it."""
    values = []
    position = 0
    if not JSON_START.match(text):
        return None
    while (position := skip_space(text, position)) < len(text):
        if text[position] not in "{[":
            return None
        try:
            value, end = decode(text, position)
        except SourceProblem:
            return None
        values.append((position, end, value))
        position = end
    return values


def depth_of(text: str) -> int:
    """How many more brackets open in a line of JSON than close."""
    if '"' not in text:
        return text.count("{") + text.count("[") - text.count("}") - text.count("]")
    found = _BRACKETS.findall(text)
    return found.count("{") + found.count("[") - found.count("}") - found.count("]")


def not_a_value(offset: int) -> SourceProblem:
    """The problem of text that follows a JSON value."""
    return SourceProblem(
        "not JSON: text follows a JSON value, and it begins no other",
        offset,
        "remove it, or put a line `---` before it",
    )


def json_problem_of(text: str) -> SourceProblem:
    """Why a text that is not a JSON value is not one."""
    try:
        _, end = decode(text, skip_space(text, 0))
    except SourceProblem as problem:
        return problem
    return not_a_value(end)  # pragma: no cover - a complete value is not held

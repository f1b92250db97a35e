"""The messages of the line protocol: one JSON object a line, read more strictly than most parsers do."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import RESULTS
from workloadmap_spec.conformance.vocabulary import PROTOCOL, claim_problem, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: So much of a line that is no answer is quoted.
MAX_QUOTED: Final = 200
#: A number with a larger exponent is left as it is: written out it would fill the memory.
_MAX_EXPONENT: Final = 40

#: What an answer may hold beside its `id`, by its outcome: members that it must have, and ones that it may.
_ANSWERS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "ok": (frozenset(), frozenset()),
    "rejected": (frozenset({"error"}), frozenset()),
    "unsupported": (frozenset(), frozenset({"feature", "message"})),
    "internal": (frozenset(), frozenset({"message", "trace"})),
}
#: What a reader can be asked to do.
COMMANDS: Final = tuple(RESULTS)
_HELLO: Final = frozenset({"protocol", "implementation", "specVersions", "profiles"})


class WireError(ValueError):
    """A line is no message of the protocol."""


class ForeignProtocolError(WireError):
    """The other side speaks another version of the protocol."""


def dump(message: Mapping[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def parse(line: bytes, number: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """The JSON object in a line.

    Duplicate members, NaN and the infinities, lone surrogates, a byte order mark and anything behind the object are
    errors, though Python's own parser takes some of them.

    Args:
        line: The line.
        number: Makes a number of a text with a point or an exponent; by default it is kept exactly.

    Raises:
        WireError: The line is something else.
    """
    try:
        text = line.decode("utf-8").rstrip("\r\n")
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=number or _number)
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except (ValueError, RecursionError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error) or "it is too deep"
        raise WireError(f"not a line of JSON: {why}: {quoted(line)}; logs belong on the standard error") from error
    if not isinstance(value, dict):
        raise WireError(f"not a JSON object: {quoted(line)}; logs belong on the standard error")
    return value


def quoted(line: bytes) -> str:
    """The beginning of a line for people."""
    text = line[:MAX_QUOTED].decode("utf-8", "replace").rstrip("\n")
    return repr(text) + ("…" if len(line) > MAX_QUOTED else "")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, each once."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is written twice")
    return members


def _constant(name: str) -> Any:  # noqa: ANN401 - it never returns
    """NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> int | Decimal:
    """A number with a point or an exponent, exactly; a whole one is an integer however it was written."""
    value = Decimal(text)
    whole = value.adjusted() <= _MAX_EXPONENT and value == value.to_integral_value()
    return int(value) if whole else value


def check_hello(message: Mapping[str, Any]) -> None:
    """Check what a reader says of itself.

    Raises:
        ForeignProtocolError: It speaks another version of the protocol.
        WireError: A member is missing or wrong, or what it claims is not in the vocabulary.
    """
    if message.get("protocol") != PROTOCOL:
        raise ForeignProtocolError(f"the reader speaks protocol {message.get('protocol')!r}, and this is {PROTOCOL}")
    missing = sorted(_HELLO - message.keys())
    if missing:
        raise WireError(f"the reader's hello lacks `{missing[0]}`")
    extra = sorted(message.keys() - _HELLO - {"features", "limits"})
    if extra:
        raise WireError(f"the reader's hello has `{extra[0]}`, which the protocol does not know")
    implementation = message["implementation"]
    named = isinstance(implementation, dict) and all(
        isinstance(implementation.get(name), str) and implementation[name] for name in ("name", "version", "language")
    )
    if not named:
        raise WireError("`implementation` in the reader's hello needs the texts name, version and language")
    for name in ("specVersions", "profiles", "features"):
        entries = message.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            raise WireError(f"`{name}` in the reader's hello must be a list of texts")
    limits = message.get("limits", {})
    if not isinstance(limits, dict) or not all(type(limit) is int and limit > 0 for limit in limits.values()):
        raise WireError("`limits` in the reader's hello must be a map of positive integers")
    problem = claim_problem(message["profiles"], message.get("features", []))
    if problem is not None:
        raise WireError(problem)


def check_answer(message: Mapping[str, Any], identity: str, command: str) -> None:
    """Check the form of an answer.

    Raises:
        WireError: It is not an answer to this request.
    """
    if message.get("id") != identity:
        raise WireError(f"the answer has the id {message.get('id')!r}, and the request had {identity!r}")
    outcome = message.get("outcome")
    if not isinstance(outcome, str) or outcome not in _ANSWERS:
        raise WireError(f"the outcome {outcome!r} is none of {', '.join(_ANSWERS)}")
    required, optional = _ANSWERS[outcome]
    if outcome == "ok":
        required = frozenset(name for name in (RESULTS[command],) if name is not None)
    missing = sorted(required - message.keys())
    if missing:
        raise WireError(f"an answer to `{command}` with the outcome {outcome} needs `{missing[0]}`")
    extra = sorted(message.keys() - required - optional - {"id", "outcome"})
    if extra:
        raise WireError(f"the answer has `{extra[0]}`, which the protocol does not know here")
    if outcome == "rejected":
        _check_error(message["error"])


def _check_error(error: object) -> None:
    """Check the error of a rejection."""
    if not isinstance(error, dict) or not error.keys() <= {"class", "at", "message"}:
        raise WireError("`error` in an answer is a map of class, at and message")
    if error.get("class") not in vocabulary().errors:
        raise WireError(f"the error class {error.get('class')!r} is none of {', '.join(sorted(vocabulary().errors))}")
    if not isinstance(error.get("at", ""), str) or not isinstance(error.get("message", ""), str):
        raise WireError("`at` and `message` of an error are texts")

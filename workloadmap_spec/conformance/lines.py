"""The suite as lines of JSON: each holds a whole case, for readers in other languages and for an installed package.

Who reads lines needs a parser of JSON and nothing else: no YAML, no files beside it, and no schema, since a line has
the digest of what was checked when it was written.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import Case, CaseError, digest_of
from workloadmap_spec.conformance.suite import SUITE_VERSION, suite_digest
from workloadmap_spec.documents import Document
from workloadmap_spec.errors import Location
from workloadmap_spec.files import SPEC_VERSION
from workloadmap_spec.schemas import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.conformance.suite import SuiteCase

#: Members of a case as it is written that a line puts elsewhere.
_ELSEWHERE: Final = frozenset({"apiVersion", "kind", "do"})
#: Members of a line that a case as it is written does not have.
_OWN: Final = frozenset({"digest", "profile", "request", "shipped"})


def render_lines(suite: Iterable[SuiteCase]) -> str:
    """The suite as lines, in the order of the ids.

    Raises:
        CaseError: A case is wrong in itself.
    """
    suite = list(suite)
    for problem in (problem for case in suite for problem in case.case.problems):
        raise problem
    return "".join(f"{_line(case)}\n" for case in sorted(suite, key=lambda case: case.id))


def _line(case: SuiteCase) -> str:
    """A case as a line: ASCII, its members sorted, numbers as they are written."""
    request, written = case.request, case.case.request
    line = {name: value for name, value in written.items() if name not in request and name not in _ELSEWHERE}
    line |= {"digest": case.digest, "profile": case.profile, "request": request}
    if case.shipped:
        line["shipped"] = True
    return json.dumps(line, sort_keys=True, separators=(",", ":"), allow_nan=False)


def render_index(suite: Sequence[SuiteCase]) -> str:
    """What is in the suite: its versions, its digest, and that of every case."""
    cases = {case.id: case.digest for case in sorted(suite, key=lambda case: case.id)}
    head = {"version": SUITE_VERSION, "specVersion": SPEC_VERSION, "digest": suite_digest(suite)}
    return json.dumps({**head, "cases": cases}, indent=1) + "\n"


def read_lines(data: bytes, source: str) -> Iterator[Case]:
    """The cases of lines; one that is not what was written has that problem."""
    for number, text in enumerate(data.split(b"\n"), 1):
        if text:
            yield _case(text, source, number)


def _case(text: bytes, source: str, number: int) -> Case:
    """The case of a line."""
    try:
        line = json.loads(text)
        identity, request, expect = line["id"], line["request"], line["expect"]
        digest = digest_of(identity, request, expect)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return _damaged(f"this is no line with a case: {type(error).__name__}: {error}", source, number)
    if digest != line.get("digest"):
        return _damaged(f"the digest of the case {identity} is {digest}, and its line says another", source, number)
    shipped = tuple(request["mappings"]) if line.get("shipped") else ()
    return Case(identity, line.get("title", ""), Document(_written(line, request), source), (), shipped, digest)


def _written(line: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """A case as it was written."""
    case = {"apiVersion": API_VERSION, "kind": "ConformanceCase"}
    case |= {name: value for name, value in line.items() if name not in _OWN}
    left_out = {"cmd", "specVersion", *(["mappings"] if line.get("shipped") else ())}
    case |= {name: value for name, value in request.items() if name not in left_out}
    if request["cmd"] != "map":
        case["do"] = request["cmd"]
    return case


def _damaged(message: str, source: str, number: int) -> Case:
    """A case that cannot be used."""
    error = CaseError(message, Location(source, number), "take the file anew: `make release` writes it")
    return Case(f"{source}:{number}", "", Document(None, source), (error,))

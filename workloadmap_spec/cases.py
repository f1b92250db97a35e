"""Conformance cases: an input and the map or error that every reader must give for it, loaded, checked and run.

A case is kept as it is written, nulls and numbers included: the data rules are the reader's task, and cases test it.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from workloadmap_spec.catalog import Catalog, load_mapping_documents
from workloadmap_spec.documents import Document, read_file
from workloadmap_spec.errors import InputError, Location, MappingError, WorkloadMapError
from workloadmap_spec.field_compiler import native_engine
from workloadmap_spec.pointer import JSON, join
from workloadmap_spec.positions import Origin, Positions, SourceProblem
from workloadmap_spec.schemas import case_problems, map_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.field_compiler import Engine

#: How the name of a file with cases ends.
SUFFIX: Final = ".case.yaml"

#: How the name of a file ends that holds a case a line, as `conformance.lines` writes them.
LINES_SUFFIX: Final = ".jsonl"

#: The folder below which the id of a case is its path.
_ROOT: Final = ("conformance", "cases")

#: A stand-in where an expected map leaves out what is not compared.
_ANY_DIGEST: Final = f"sha256:{'0' * 64}"

#: So many sets of mappings are kept compiled.
_MAX_KNOWN: Final = 128

#: What a reader can be asked to do, and the member that holds what comes of it, in an answer as in an expectation.
RESULTS: Final[Mapping[str, str | None]] = {
    "map": "document",
    "references": "wanted",
    "update": "object",
    "validate": None,
}

#: What stands for a member that is not there.
MISSING: Final = object()


class CaseError(WorkloadMapError, ValueError):
    """A case is wrong in itself, so that it says nothing about a reader."""

    error_class = "case-invalid"


@dataclass(frozen=True, slots=True)
class Case:
    """One case, as it is written."""

    id: str
    title: str
    #: The whole case with its places; its value is not under the data rules.
    document: Document
    #: What is wrong with the case itself; it is not run then.
    problems: Sequence[CaseError] = ()
    #: Of a case that was a line: the shipped mappings that it is to be read with, where it brings none.
    shipped: tuple[Mapping[str, Any], ...] = ()
    #: Of a case that was a line: its digest, which is right if there are no problems.
    digest: str | None = None

    @property
    def request(self) -> Mapping[str, Any]:
        """The members that are a reader's input: `mappings` or `mappingText`, `object`, `pods`, `options`."""
        return cast("Mapping[str, Any]", self.document.value)

    @property
    def expect(self) -> Mapping[str, Any]:
        """The expectation."""
        return cast("Mapping[str, Any]", self.request["expect"])


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where an answer is not what was expected; `MISSING` stands for what is not there."""

    pointer: str
    expected: Any
    actual: Any

    def to_json(self) -> dict[str, Any]:
        """The difference as plain data; a member that is not there is left out."""
        entry = {"pointer": self.pointer, "expected": self.expected, "actual": self.actual}
        return {name: value for name, value in entry.items() if value is not MISSING}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of a case: it passed, or the differences, or an error that left nothing to compare."""

    id: str
    passed: bool
    differences: tuple[Difference, ...] = ()
    error: str | None = None


# Loading


def load_cases(paths: Iterable[str | Path]) -> list[Case]:
    """The cases in files, and in all `*.case.yaml` below folders, in the order of their paths.

    A case that is wrong in itself is among them, with its problems.

    Raises:
        InputError: A path does not exist or cannot be read.
    """
    cases = [case for file in case_files(paths) for case in load_case_file(file)]
    seen: dict[str, Case] = {}
    return [_once(case, seen) for case in cases]


def case_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files with cases that paths name, each once.

    Raises:
        InputError: A path does not exist.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        if path.is_dir():
            files = sorted(path.rglob(f"*{SUFFIX}"))
        elif path.exists():
            files = [path]
        else:
            raise InputError("there is no such file or folder", Location(str(path)), "check the path")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def load_case_file(file: Path) -> list[Case]:
    """The cases in a file, checked; those of a file of lines by their digests.

    Raises:
        InputError: The file cannot be read.
    """
    data = read_file(file)
    if file.suffix == LINES_SUFFIX:
        from workloadmap_spec.conformance.lines import read_lines  # noqa: PLC0415 - it is made of what is here

        return list(read_lines(data, str(file)))
    path_id = _path_id(file)
    cases = list(_cases(data, str(file)))
    return [_checked(case, path_id, alone=len(cases) == 1) for case in cases]


def _cases(data: bytes, source: str) -> Iterator[Case]:
    """The cases of a text; a part that cannot be read is a case with that problem."""
    from workloadmap_spec.yaml_loader import compose  # noqa: PLC0415 - it loads PyYAML

    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        yield _broken(CaseError("the file is not UTF-8", Location(source, line), "save it as UTF-8"), source)
        return
    index = 0
    for line, piece in _pieces(text):
        origin = Origin(piece, source, line, 1, "yaml")
        try:
            node = compose(piece)
        except SourceProblem as problem:
            error = origin.error(problem)
            yield _broken(CaseError(error.message, error.location, error.cure), source)
            continue
        if node is not None and node.value is not None:
            document = Document(node.value, source, index, Positions(origin))
            index += 1
            value = node.value if isinstance(node.value, dict) else {}
            identity = value.get("id")
            title = value.get("title")
            yield Case(
                identity if isinstance(identity, str) else source, title if isinstance(title, str) else "", document
            )


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The YAML documents of a text between lines `---`, each with the number of its first line."""
    start, held = 1, ""
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        if line.startswith("---") and not line[3:].partition(" #")[0].strip(" \t\r\n"):
            yield start, held
            start, held = number + 1, ""
        else:
            held += line
    yield start, held


def _broken(error: CaseError, source: str) -> Case:
    """A case that cannot be read."""
    return Case(source, "", Document(None, source), (error,))


def digest_of(identity: str, request: Mapping[str, Any], expect: Mapping[str, Any]) -> str:
    """`sha256:` and the digest of a case, by which a changed one is known.

    Args:
        identity: Its id.
        request: What is sent, but for the id of the request.
        expect: What is expected.
    """
    content = {**request, "id": identity, "expect": expect}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


# Checking


def _path_id(file: Path) -> str | None:
    """The id that the place of a file gives; None outside of the folder of conformance cases."""
    parts = file.resolve().parts
    for index in range(len(parts) - len(_ROOT), 0, -1):
        if parts[index : index + len(_ROOT)] == _ROOT:
            return "/".join(parts[index + len(_ROOT) :]).removesuffix(SUFFIX)
    return None


def _checked(case: Case, path_id: str | None, *, alone: bool) -> Case:
    """A case with what is wrong with it."""
    if case.problems:
        return case
    problems = list(check_case(case))
    if not problems and path_id is not None and case.id != path_id and (alone or not case.id.startswith(f"{path_id}/")):
        wanted = path_id if alone else f"{path_id}/ and a name of its own"
        problems = [_problem(case, "/id", f"the id of this case is `{case.id}`", f"the id here is {wanted}")]
    return Case(case.id, case.title, case.document, tuple(problems))


def check_case(case: Case) -> Iterator[CaseError]:
    """What is wrong with a case: it violates its schema, or expects a map that violates the schema of maps."""
    problems = case_problems(case.document.value)
    for problem in problems:
        yield _problem(case, problem.pointer, problem.message, problem.cure)
    if problems:
        return
    if "mappings" in case.request and "mappingText" in case.request:
        yield _problem(
            case, "/mappingText", "a case has `mappings` or `mappingText`, not both", "remove one of the two"
        )
    command = case.request.get("do", "map")
    result = RESULTS[command]
    if case.expect["outcome"] == "ok" and case.expect.keys() - {"outcome"} != ({result} if result else set()):
        what = f"`{result}`" if result else "nothing beside `outcome`"
        message = f"an accepted case of `do: {command}` expects {what}"
        yield _problem(case, "/expect", message, "correct one of the two")
        return
    expected = case.expect.get("document")
    if expected is not None:
        for problem in map_problems(_filled(expected)):
            yield _problem(case, f"/expect/document{problem.pointer}", problem.message, problem.cure)


def _problem(case: Case, pointer: str, message: str, cure: str | None) -> CaseError:
    """The error for something at a place of a case."""
    return CaseError(message, case.document.location(pointer), cure)


def _filled(document: Mapping[str, Any]) -> dict[str, Any]:
    """An expected map with stand-ins for what it leaves out."""
    filled = dict(document)
    if isinstance(filled.get("mapping"), dict):
        filled["mapping"] = {"digest": _ANY_DIGEST, **filled["mapping"]}
    if isinstance(filled.get("diagnostics"), list):
        entries = filled["diagnostics"]
        filled["diagnostics"] = [{"message": "", **entry} if isinstance(entry, dict) else entry for entry in entries]
    return filled


def _once(case: Case, seen: dict[str, Case]) -> Case:
    """A case, with a problem if another one has its id."""
    first = seen.setdefault(case.id, case)
    if first is case or case.problems:
        return case
    place = first.document.location("/id")
    problem = _problem(case, "/id", f"the case {case.id} is also in {place.source}:{place.line}", "give it another id")
    return Case(case.id, case.title, case.document, (problem,))


# Running


def reference_reader(
    catalog: Catalog | None = None, engine: Engine = native_engine
) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """The reader of this package: from a request to a map, or to `{wanted}` or `{}` where no map is asked for.

    Args:
        catalog: The mappings for requests that bring none; by default the shipped ones.
        engine: What evaluates the expressions of mappings that a request brings.
    """
    shipped = Catalog.builtin() if catalog is None else catalog
    # Many cases come with the same mappings, and compiling is most of the work.
    known: dict[str, Catalog] = {}

    def loaded(mappings: Sequence[Mapping[str, Any]]) -> Catalog:
        key = repr(mappings)
        if key not in known:
            if len(known) >= _MAX_KNOWN:
                known.clear()
            known[key] = Catalog([]).with_documents(mappings, engine)
        return known[key]

    def read(request: Mapping[str, Any]) -> Mapping[str, Any]:
        own = shipped
        if "mappingText" in request:
            own = Catalog([]).with_documents(_texts(request["mappingText"]), engine)
        elif "mappings" in request:
            own = loaded(request["mappings"])
        if request.get("do") == "validate":
            return {}
        given = request.get("references")
        if request.get("do") == "references":
            return {"wanted": own.required_references(request["object"], given or ())}
        if request.get("do") == "update":
            return {"object": own.update(request["object"], request.get("intent"), given).after}
        strict = request.get("options", {}).get("strict", False)
        return own.read(request["object"], request.get("pods"), given, strict=strict).document

    return read


def _texts(text: str) -> list[Any]:
    """The mappings in a text.

    Raises:
        MappingError: It is not YAML or JSON.
    """
    problems: list[MappingError] = []
    documents = load_mapping_documents(text.encode("utf-8", "surrogatepass"), "mappingText", problems)
    if problems:
        raise problems[0]
    return [document.value for document in documents]


def run_case(case: Case, reader: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> CaseResult:
    """Run a case with a reader, and compare."""
    if case.problems:
        return CaseResult(case.id, passed=False, error="\n".join(map(str, case.problems)))
    try:
        document = reader(case.request)
    except WorkloadMapError as error:
        return _rejected(case, error)
    except Exception as error:  # noqa: BLE001 - a reader that crashes has failed the case, and the others still run
        return CaseResult(case.id, passed=False, error=f"the reader crashed: {type(error).__name__}: {error}")
    return _accepted(case, document)


def _accepted(case: Case, document: Mapping[str, Any]) -> CaseResult:
    """The result of a case for which the reader has made what it was asked for."""
    if case.expect["outcome"] != "ok":
        return CaseResult(case.id, passed=False, differences=(Difference("/outcome", "rejected", "ok"),))
    answer = {"document": document} if "document" in case.expect else document
    differences, error = compare_result(case.expect, answer)
    return CaseResult(case.id, not differences and error is None, differences, error)


def _rejected(case: Case, error: WorkloadMapError) -> CaseResult:
    """The result of a case that the reader has rejected."""
    if case.expect["outcome"] == "ok":
        return CaseResult(case.id, passed=False, error=f"the reader rejects the input: {error}")
    differences = compare_rejection(case.expect, error.error_class, error.location.pointer)
    return CaseResult(case.id, not differences, differences, str(error) if differences else None)


def compare_result(
    expect: Mapping[str, Any],
    answer: Mapping[str, Any],
    view: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> tuple[tuple[Difference, ...], str | None]:
    """How what a reader has made differs from what was expected, and what is wrong with it in itself.

    Args:
        expect: The expectation of a case that is accepted.
        answer: An answer as the protocol has it; a map in it has not been checked.
        view: Takes out of a map what is compared; by default `stripped`.
    """
    for name, expected in expect.items():
        if name == "document":
            for problem in map_problems(answer[name]):
                return (), f"the map violates its schema at {problem.pointer or 'its top'}: {problem.message}"
            seen = stripped if view is None else view
            return tuple(compare(seen(expected), seen(answer[name]))), None
        if name != "outcome":
            return tuple(compare(expected, answer.get(name, MISSING), f"/{name}")), None
    return (), None


def compare_rejection(
    expect: Mapping[str, Any], error_class: str, at: str | None, pointer: str = ""
) -> tuple[Difference, ...]:
    """How an error differs from the one that was expected: its class, and its place where the case gives one.

    Args:
        expect: The expectation of a case that is rejected.
        error_class: The class of the error.
        at: Its place in the mapping, if it has one.
        pointer: Where the error stands in the answer, for the places of the differences.
    """
    differences = []
    classes = expect.get("anyClass", [expect.get("class")])
    if error_class not in classes:
        expected = classes if len(classes) > 1 else classes[0]
        differences.append(Difference(f"{pointer}/class", expected, error_class))
    if "at" in expect and at != expect["at"]:
        differences.append(Difference(f"{pointer}/at", expect["at"], MISSING if at is None else at))
    return tuple(differences)


def stripped(document: Mapping[str, Any]) -> dict[str, Any]:
    """A map without what is not compared: the digest of its mapping, and the messages of its diagnostics."""
    result = dict(document)
    if isinstance(result.get("mapping"), dict):
        result["mapping"] = {name: value for name, value in result["mapping"].items() if name != "digest"}
    if isinstance(result.get("diagnostics"), list):
        result["diagnostics"] = [
            {name: value for name, value in entry.items() if name != "message"} if isinstance(entry, dict) else entry
            for entry in result["diagnostics"]
        ]
    return result


def compare(expected: JSON, actual: JSON, pointer: str = "") -> list[Difference]:
    """All differences between two JSON values, in the order of the expected one; none means that they are equal.

    The world is closed: a missing member and one too many are both differences, and so are null and absence. The order
    of members does not matter, that of lists does. Numbers are equal by their exact decimal value, so `2` is `2.0`; a
    boolean is never a number.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        names = [*expected, *(name for name in actual if name not in expected)]
        return [
            difference
            for name in names
            for difference in compare(expected.get(name, MISSING), actual.get(name, MISSING), join(pointer, name))
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        return [
            difference
            for index in range(max(len(expected), len(actual)))
            for difference in compare(
                expected[index] if index < len(expected) else MISSING,
                actual[index] if index < len(actual) else MISSING,
                join(pointer, index),
            )
        ]
    return [] if _is_same(expected, actual) else [Difference(pointer, expected, actual)]


def _is_same(expected: JSON, actual: JSON) -> bool:
    """Whether two values that are not both maps or both lists are the same."""
    if _is_number(expected) and _is_number(actual):
        return _decimal(expected) == _decimal(actual)
    return type(expected) is type(actual) and bool(expected == actual)


def _is_number(value: JSON) -> bool:
    """Whether a value is a number; Python's booleans are integers, JSON's are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _decimal(value: float | Decimal) -> Decimal:
    """The exact value of a number; that of a double is what it is written as."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)

"""Validation: everything that is wrong with mapping files, each thing with a rule and a place.

A finding is a record and the rules are a table; how either is printed is the business of the command line. Rules are
numbered by what they look at: WM0nn the text, WM1nn the schema, WM2nn what a mapping says about itself and others,
WM3nn its expressions, where the last two digits are those of the rule of the portable profile.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.compiler import examine
from workloadmap_spec.documents import Document, load_all
from workloadmap_spec.errors import (
    ExpressionError,
    InputError,
    Location,
    MappingError,
    MappingSchemaError,
)
from workloadmap_spec.limits import MAX_MAPPING_BYTES
from workloadmap_spec.pointer import split
from workloadmap_spec.positions import DUPLICATE_CURE, Origin, Positions, text_offset
from workloadmap_spec.schemas import SchemaProblem, schema_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.mapping import CompiledMapping, Expression

Level = Literal["error", "warning"]

#: The names of files that are looked at below a folder, and of those that are cases.
_SUFFIXES: Final = (".json", ".yaml", ".yml")
_CASE_SUFFIXES: Final = tuple(f".case{suffix}" for suffix in _SUFFIXES)

#: How many problems of one document are listed. A hostile one has a hundred thousand, and the place of each takes time.
MAX_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that is looked for: its id, a name that never changes, and what it says."""

    id: str
    name: str
    says: str
    #: The rule of the portable profile that it stands for.
    profile: str | None = None


def _rules(*rules: Rule) -> dict[str, Rule]:
    """Rules by id."""
    return {rule.id: rule for rule in rules}


#: Every rule, by id. An id never changes its meaning.
RULES: Final[Mapping[str, Rule]] = _rules(
    Rule("WM001", "syntax", "a mapping is YAML or JSON"),
    Rule("WM002", "duplicate-key", "a key is written once in a map"),
    Rule("WM003", "data-rules", "a value is one that every reader keeps as it is"),
    Rule("WM004", "no-document", "a mapping file has a mapping in it"),
    Rule("WM100", "version", "the version of the specification is known"),
    Rule("WM101", "unknown-member", "a member is one that the schema knows"),
    Rule("WM102", "missing-member", "a member that is needed is there"),
    Rule("WM103", "type", "a value is of the type that is wanted"),
    Rule("WM104", "value", "a value is one of those that are allowed"),
    Rule("WM105", "combination", "members that exclude each other do not stand together"),
    Rule("WM106", "size", "texts, lists and nesting keep to their limits"),
    Rule("WM107", "not-a-mapping", "a document is a WorkloadMapping"),
    Rule("WM199", "more", "what is wrong beyond a hundred things is only counted"),
    Rule("WM201", "component-twice", "the names of components are unique in a mapping"),
    Rule("WM202", "variable-twice", "the names of variables are unique where they are visible"),
    Rule("WM203", "gang-component", "a gang names components that exist and that its groups reach"),
    Rule("WM204", "not-a-place", "a place is written as a path"),
    Rule("WM205", "mapping-twice", "a group, kind and version has one mapping"),
    Rule("WM299", "contradiction", "a mapping does not contradict itself"),
    Rule("WM300", "expression-syntax", "an expression parses"),
    Rule("WM301", "tokens", "an expression has the tokens of the profile", "P01"),
    Rule("WM302", "functions", "an expression calls the functions of the profile", "P02"),
    Rule("WM303", "has", "has() takes a chain of fields from a variable", "P03"),
    Rule("WM305", "comparison", "values of one type are compared", "P05"),
    Rule("WM306", "literals", "the elements of a literal have one type", "P06"),
    Rule("WM307", "branches", "the branches of a conditional have one type", "P07"),
    Rule("WM308", "booleans", "conditions are booleans", "P08"),
    Rule("WM309", "arithmetic", "arithmetic is done on values of one type", "P09"),
    Rule("WM310", "macro-range", "a macro ranges over a list", "P10"),
    Rule("WM311", "macro-predicate", "the predicate of a macro cannot fail", "P11"),
    Rule("WM312", "regular-expressions", "there are no regular expressions", "P12"),
    Rule("WM313", "conversions", "what is converted can be", "P13"),
    Rule("WM314", "string-order", "strings have neither order nor size", "P14"),
    Rule("WM315", "index", "an index is there", "P15"),
    Rule("WM316", "expression-size", "an expression keeps to its limits", "P16"),
    Rule("WM317", "times", "timestamps and durations are compared, subtracted or added", "P17"),
    Rule("WM318", "variables", "a variable is declared", "P18"),
    Rule("WM319", "types", "types are compared with ==", "P19"),
    Rule("WM320", "missing-field", "a field that may be missing is guarded", "P20"),
    Rule("WM331", "reserved-words", "reserved words are not variables", "P01b"),
    Rule("WM332", "contains-of-sum", "contains() is not called on the result of +", "P02b"),
    Rule("WM339", "string-sum", "a + of strings has an operand that is known to be a string", "P09b"),
    Rule("WM390", "witness", "another engine of CEL accepts the expression"),
)

#: The rule of each kind of schema problem.
_SCHEMA_RULES: Final = {
    "version": "WM100",
    "unknown": "WM101",
    "missing": "WM102",
    "type": "WM103",
    "value": "WM104",
    "combination": "WM105",
    "size": "WM106",
    "document": "WM107",
}

_PROFILE_RULES: Final = {rule.profile: rule.id for rule in RULES.values() if rule.profile is not None}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: the rule that it breaks, where, and what to do.

    Lines and columns count from 1, columns in code points; the end is exclusive. Where only the file is known they are
    None. `snippet` is the line of the text that the finding begins in.
    """

    rule: str
    level: Level
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    pointer: str | None = None
    cure: str | None = None
    snippet: str | None = None

    @property
    def code(self) -> str:
        """The rule with the rule of the portable profile that it stands for, such as `WM302/P02`."""
        profile = RULES[self.rule].profile
        return f"{self.rule}/{profile}" if profile else self.rule

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data; what is not known is left out."""
        entry = {
            "rule": self.rule,
            "profileRule": RULES[self.rule].profile,
            "level": self.level,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
            "pointer": self.pointer,
            "cure": self.cure,
        }
        return {name: value for name, value in entry.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a number of files, in their order and then in that of their lines."""

    findings: Sequence[Finding]
    files: int
    mappings: int
    expressions: int
    #: Case files, which are not mappings and were left out.
    skipped: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "files": self.files,
            "mappings": self.mappings,
            "expressions": self.expressions,
            "skippedCases": self.skipped,
            "errors": self.errors,
            "warnings": self.warnings,
            "findings": [finding.to_json() for finding in self.findings],
        }


def validate_paths(
    paths: Iterable[str | Path], *, witness: bool = False, stdin: Callable[[], bytes] | None = None
) -> Report:
    """Validate mapping files, and all such files below folders; case files are left out.

    Args:
        paths: Files and folders.
        witness: Have every expression parsed by cel-python too.
        stdin: Gives the text that the path `-` stands for; without it `-` is a file.

    Raises:
        InputError: A path does not exist or cannot be read.
    """
    texts: list[tuple[str, Callable[[], bytes]]] = []
    seen: set[str] = set()
    skipped = 0
    for path in dict.fromkeys(map(str, paths)):
        if path == "-" and stdin is not None:
            texts.append(("<stdin>", stdin))
            continue
        files, cases = find_files([path])
        for file in files:
            # A file may be named twice, by itself and by a folder.
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                texts.append((str(file), partial(_read, file)))
        skipped += cases
    return validate_texts(((name, read()) for name, read in texts), skipped=skipped, witness=witness)


def validate_texts(texts: Iterable[tuple[str, bytes]], *, skipped: int = 0, witness: bool = False) -> Report:
    """Validate the texts of mapping files, each with its name."""
    validation = _Validation(_cel_python() if witness else None)
    count = 0
    for name, text in texts:
        validation.file(name, text)
        count += 1
    return Report(validation.findings, count, validation.mappings, validation.expressions, skipped)


def find_files(paths: Iterable[str | Path]) -> tuple[list[Path], int]:
    """The mapping files that paths name, in order, and the number of case files among them.

    Raises:
        InputError: A path does not exist.
    """
    found: dict[Path, None] = {}
    skipped: set[Path] = set()
    for path in map(Path, paths):
        if path.is_dir():
            files = sorted(_walk(path))
        elif path.exists():
            files = [path]
        else:
            raise InputError("there is no such file or folder", Location(str(path)), "check the path")
        for file in files:
            if file.name.endswith(_CASE_SUFFIXES):
                skipped.add(file)
            else:
                found[file] = None
    return list(found), len(skipped)


def _walk(folder: Path) -> Iterator[Path]:
    """The YAML and JSON files below a folder, hidden ones left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(_SUFFIXES) and not name.startswith("."):
                yield Path(parent, name)


def _read(file: Path) -> bytes:
    """The bytes of a file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        raise InputError(message, Location(str(file)), "check the path and its permissions") from error


@dataclass(frozen=True, slots=True)
class _Text:
    """A file's name and its lines, for snippets."""

    name: str
    lines: Sequence[str]

    def snippet(self, line: int | None) -> str | None:
        """One line, if it is known and there."""
        return self.lines[line - 1].rstrip() if line is not None and 0 < line <= len(self.lines) else None


@dataclass(slots=True)
class _Validation:
    """The state of one validation: what was found so far, and which mappings were seen."""

    #: Parses an expression with another engine; gives the offset that this engine did not get beyond.
    witness: Callable[[str], int | None] | None
    findings: list[Finding] = field(default_factory=list)
    mappings: int = 0
    expressions: int = 0
    #: By group, kind and version: the name of the mapping and its place.
    seen: dict[tuple[str, str, str], tuple[str, Location]] = field(default_factory=dict)

    def file(self, name: str, data: bytes) -> None:
        """Validate one file."""
        if len(data) > MAX_MAPPING_BYTES:
            message = f"a mapping file has at most {MAX_MAPPING_BYTES} bytes, and this has {len(data)}"
            self.findings.append(Finding("WM106", "error", message, name))
            return
        text = _Text(name, data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"))
        documents, errors = load_all(data, name)
        found = [self.unreadable(error, text) for error in errors]
        if not documents and not errors:
            found.append(Finding("WM004", "error", "there is no mapping in this file", name, cure="remove the file"))
        for document in documents:
            found += self.document(document, text)
        self.findings += sorted(found, key=lambda finding: (finding.line or 0, finding.column or 0))

    @staticmethod
    def unreadable(error: InputError, text: _Text) -> Finding:
        """The finding for a text, or a part of one, that cannot be read."""
        place = error.location
        rule = "WM002" if error.cure == DUPLICATE_CURE else "WM001" if place.pointer is None else "WM003"
        end = None if place.column is None else place.column + 1
        return Finding(
            rule,
            "error",
            error.message,
            text.name,
            place.line,
            place.column,
            place.line,
            end,
            place.pointer,
            error.cure,
            text.snippet(place.line),
        )

    def document(self, document: Document, text: _Text) -> Iterator[Finding]:
        """Validate one document."""
        self.mappings += 1
        problems = schema_problems(document.value, "WorkloadMapping")
        if problems:
            for problem in problems[:MAX_LISTED]:
                yield self.schema(problem, document, text)
            yield from self.more(problems, document, text)
            return
        mapping: Mapping[str, Any] = document.value
        yield from self.twice(mapping, document, text)
        compiled, errors = examine(mapping)
        for error in errors[:MAX_LISTED]:
            yield self.semantic(error, document, text)
        yield from self.more(errors, document, text)
        if compiled is not None:
            yield from self.compiled(compiled, document, text)

    @staticmethod
    def schema(problem: SchemaProblem, document: Document, text: _Text) -> Finding:
        """The finding for a violation of the schema; a member that should not be there is marked by its key."""
        is_key = problem.kind in ("unknown", "combination")
        span = _key_span(document, problem.pointer) if is_key else _span(document, problem.pointer)
        return _placed(_SCHEMA_RULES[problem.kind], "error", problem.message, problem.pointer, problem.cure, span, text)

    @staticmethod
    def more(problems: Sequence[object], document: Document, text: _Text) -> Iterator[Finding]:
        """A finding that stands for those of a document that are not listed."""
        if len(problems) > MAX_LISTED:
            message = f"{len(problems) - MAX_LISTED} more things are wrong with this mapping"
            yield _placed("WM199", "error", message, "", "correct those above first", _span(document, ""), text)

    def twice(self, mapping: Mapping[str, Any], document: Document, text: _Text) -> Iterator[Finding]:
        """Findings for versions of a kind that have a mapping already (S4.2)."""
        workload = mapping["spec"]["workload"]
        name = mapping["metadata"]["name"]
        for index, version in enumerate(workload["versions"]):
            key = (workload["group"], workload["kind"], version)
            pointer = f"/spec/workload/versions/{index}"
            if key not in self.seen:
                self.seen[key] = (name, document.location(pointer))
                continue
            other, place = self.seen[key]
            api_version = f"{workload['group']}/{version}" if workload["group"] else version
            where = f"{place.source}:{place.line}" if place.line is not None else place.source
            message = f"{workload['kind']} of {api_version} has a mapping already: `{other}` in {where}"
            cure = "remove the version from one of the two"
            yield _placed("WM205", "error", message, pointer, cure, _span(document, pointer), text)

    @staticmethod
    def semantic(error: MappingError, document: Document, text: _Text) -> Finding:
        """The finding for a contradiction, or for an expression."""
        pointer = error.location.pointer or ""
        if isinstance(error, ExpressionError):
            rule = _expression_rule(error)
            span = _expression_span(document, pointer, error.offset, error.length)
        else:
            rule = _semantic_rule(error, pointer)
            span = _span(document, pointer)
        return _placed(rule, "error", error.message, pointer, error.cure, span, text)

    def compiled(self, compiled: CompiledMapping, document: Document, text: _Text) -> Iterator[Finding]:
        """Findings for a mapping that can be used: what may go wrong, and what another engine refuses."""
        self.expressions += len(compiled.expressions)
        for at, _, warning in compiled.warnings:
            span = _expression_span(document, at, warning.offset, warning.length)
            rule = _PROFILE_RULES.get(warning.rule, "WM300")
            yield _placed(rule, "warning", warning.message, at, warning.cure, span, text)
        if self.witness is not None:
            for expression in compiled.expressions:
                yield from self.ask(expression, document, text)

    def ask(self, expression: Expression, document: Document, text: _Text) -> Iterator[Finding]:
        """What the witness has against an expression."""
        offset = self.witness(expression.text) if self.witness is not None else None
        if offset is not None:
            message = "cel-python, which was asked as a witness, does not parse the expression from here on"
            cure = "one of the two engines is wrong: please report the expression"
            span = _expression_span(document, expression.at, offset, 1)
            yield _placed("WM390", "error", message, expression.at, cure, span, text)


def _semantic_rule(error: MappingError, pointer: str) -> str:
    """The rule that a contradiction breaks, by where it stands."""
    if isinstance(error, MappingSchemaError):
        return "WM106"
    tokens = split(pointer)
    if tokens[-1] == "name":
        return "WM202" if "variables" in tokens else "WM201"
    if tokens[-1] in ("find", "set", "remove", "writeTo", "from", "conditions"):
        return "WM204"
    return "WM203" if tokens[:2] == ("spec", "gang") else "WM299"


def _expression_rule(error: ExpressionError) -> str:
    """The rule that an expression breaks; one that does not parse for no reason of the profile has no other."""
    return _PROFILE_RULES.get(error.rule or "", "WM300")


#: Where something begins and ends: line and column of both.
_Span = tuple[int, int, int, int]


def _positions(document: Document) -> Positions:
    """The places of a document that was read from a text, as all are that are validated."""
    if document.positions is None:
        raise AssertionError(document)
    return document.positions


def _span(document: Document, pointer: str) -> _Span:
    """The place of a value, to the end of its first line."""
    positions = _positions(document)
    _, node = positions.find(split(pointer))
    return _line_span(positions.origin, node.start, node.end)


def _key_span(document: Document, pointer: str) -> _Span:
    """The place of the key of a map entry."""
    positions = _positions(document)
    key, value = positions.find(split(pointer))
    node = key or value
    return _line_span(positions.origin, node.start, node.end)


def _line_span(origin: Origin, start: int, end: int) -> _Span:
    """A part of a document's text, cut to the line that it begins in."""
    line_end = origin.text.find("\n", start)
    end = min(end, line_end if line_end >= 0 else len(origin.text))
    end = max(start + 1, start + len(origin.text[start:end].rstrip()))
    return (*origin.line_and_column(start), *origin.line_and_column(end))


def _expression_span(document: Document, pointer: str, offset: int, length: int) -> _Span:
    """The place of a part of an expression."""
    positions = _positions(document)
    origin = positions.origin
    _, node = positions.find(split(pointer))
    start, is_exact = text_offset(origin.text, node, offset)
    end = start
    if is_exact and length > 1:
        end, _ = text_offset(origin.text, node, offset + length - 1)
    return (*origin.line_and_column(start), *origin.line_and_column(end + 1))


def _placed(  # noqa: PLR0913 - the facts of a finding
    rule: str, level: Level, message: str, pointer: str, cure: str | None, span: _Span, text: _Text
) -> Finding:
    """A finding with its place."""
    return Finding(rule, level, message, text.name, *span, pointer, cure, text.snippet(span[0]))


def _cel_python() -> Callable[[str], int | None]:
    """A witness: how far cel-python parses an expression, None for all of it."""
    # Making its grammar takes a quarter of a second, which only those pay who ask.
    from celpy import Environment  # noqa: PLC0415
    from celpy.celparser import CELParseError  # noqa: PLC0415

    environment = Environment()

    def ask(text: str) -> int | None:
        try:
            environment.compile(text)
        except CELParseError as error:
            lines = text.split("\n")[: (error.line or 1) - 1]
            return min(sum(map(len, lines)) + len(lines) + (error.column or 1) - 1, len(text) - 1)
        except Exception:  # noqa: BLE001 - engines were seen to raise errors that are not of their own classes
            return 0
        return None

    return ask

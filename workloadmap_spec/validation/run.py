"""The run of a validation: from files to a report.

Files are looked at one by one, in the order of their names: their text, the schema, the mapping by itself and against
those before it, its expressions. What needs all mappings comes after: schemas of kinds, other engines, suppressions.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from workloadmap_spec.compiler import Examination, examine
from workloadmap_spec.documents import Document, load_all
from workloadmap_spec.errors import ExpressionError, InputError, MappingError, MappingSemanticError
from workloadmap_spec.limits import MAX_MAPPING_BYTES
from workloadmap_spec.mapping import api_version_of
from workloadmap_spec.schemas import SchemaProblem, schema_problems
from workloadmap_spec.validation.cases import CaseFinder, kind_of
from workloadmap_spec.validation.files import FileText, Source, sources_of
from workloadmap_spec.validation.findings import ExpressionPart, Finding, Related, Report, Skipped, Span, Unchecked
from workloadmap_spec.validation.places import expression_span, key_span, lines_of, value_span
from workloadmap_spec.validation.rules import RULES, Level
from workloadmap_spec.validation.suppressions import comments_of, unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.cases import Case
    from workloadmap_spec.cel.witness import Witness
    from workloadmap_spec.crd import Kinds
    from workloadmap_spec.errors import Location
    from workloadmap_spec.mapping import CompiledMapping, Expression
    from workloadmap_spec.validation.configuration import Ignore
    from workloadmap_spec.validation.suppressions import Comment

#: How many problems of one document are listed. A hostile one has a hundred thousand, and the place of each takes time.
MAX_LISTED: Final = 100

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

_RULES_BY_NAME: Final = {rule.name: rule.id for rule in RULES.values()}
_PROFILE_RULES: Final = {rule.profile: rule.id for rule in RULES.values() if rule.profile is not None}

#: Warnings that the schema of a kind settles where it is known: it tells whether a value may be missing.
_SETTLED: Final = frozenset({"WM303", "WM315", "WM320"})


_Problem = TypeVar("_Problem")


@dataclass(frozen=True, slots=True)
class _Options:
    """What is looked for beside what always is."""

    second_opinion: bool
    witnesses: Sequence[Witness]
    #: None if nobody asks for cases.
    cases: CaseFinder | None
    crds: Sequence[str | Path]
    ignores: Sequence[Ignore]
    #: The folders that were walked, by their real paths.
    walked: Sequence[Path] = ()


def validate_paths(  # noqa: PLR0913 - what can be asked for
    paths: Iterable[str | Path],
    *,
    second_opinion: bool = True,
    witnesses: Sequence[Witness] = (),
    cases: Sequence[str | Path] = (),
    crds: Sequence[str | Path] = (),
    ignores: Sequence[Ignore] = (),
    stdin: Callable[[], bytes] | None = None,
) -> Report:
    """Validate mapping files, and all such files below folders; case files are left out.

    Args:
        paths: Files and folders.
        second_opinion: Have every expression parsed by cel-python too.
        witnesses: Engines that evaluate expressions on the objects of cases too.
        cases: Folders of cases that lie elsewhere than beside the mappings.
        crds: Files and folders with CustomResourceDefinitions, against which expressions are checked.
        ignores: What the settings suppress.
        stdin: Gives the text that the path `-` stands for; without it `-` is a file.

    Raises:
        MissingPathError: A path does not exist.
        InputError: A file cannot be read.
    """
    named = list(map(str, paths))
    sources, skipped = sources_of(named, stdin)
    walked = [folder.resolve() for folder in map(Path, named) if folder.is_dir()]
    options = _Options(second_opinion, witnesses, CaseFinder(tuple(cases)), crds, ignores, walked)
    return _validate(sources, skipped, options)


def validate_texts(
    texts: Iterable[tuple[str, bytes]], *, second_opinion: bool = True, crds: Sequence[str | Path] = ()
) -> Report:
    """Validate the texts of mapping files, each with its name; nobody looks for their cases."""
    sources = [Source(name, partial(bytes, text)) for name, text in texts]
    return _validate(sources, (), _Options(second_opinion, (), None, crds, ()))


def _validate(sources: Iterable[Source], skipped: Sequence[Skipped], options: _Options) -> Report:
    """Validate sources, in the order of their names."""
    validation = _Validation(options)
    for source in sorted(sources, key=lambda source: source.name):
        validation.file(source)
    validation.check_kinds()
    validation.ask_witnesses()
    return validation.report(skipped)


@dataclass(slots=True, eq=False)
class _Mapping:
    """A document that is a mapping, or should be one: what is known of it, and what was found."""

    document: Document
    file: _File
    name: str | None
    #: None if it violates the schema.
    examined: Examination | None = None
    findings: list[Finding] = field(default_factory=list)
    #: Those that the schema of its kind has settled: what suppresses them is used, for runs without the schema.
    settled: list[Finding] = field(default_factory=list)
    #: Whether the schema of its kind was known.
    has_kind: bool = False

    def add(  # noqa: PLR0913 - the facts of a finding
        self,
        rule: str,
        message: str,
        pointer: str,
        cure: str | None,
        span: Span,
        *,
        level: Level | None = None,
        expression: ExpressionPart | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Add a finding at a place."""
        text = self.file.text
        level = level or RULES[rule].level
        snippet = text.snippet(span.start_line)
        self.findings.append(
            Finding(
                rule,
                level,
                message,
                text.name,
                span,
                pointer,
                cure,
                expression,
                self.name,
                related,
                snippet=snippet,
            )
        )

    def add_value(self, rule: str, message: str, pointer: str, cure: str | None, level: Level | None = None) -> None:
        """Add a finding about a value."""
        self.add(rule, message, pointer, cure, value_span(self.document, pointer), level=level)

    def add_part(  # noqa: PLR0913 - the facts of a finding
        self,
        rule: str,
        message: str,
        pointer: str,
        cure: str | None,
        part: ExpressionPart,
        level: Level | None = None,
    ) -> None:
        """Add a finding about a part of an expression."""
        span = expression_span(self.document, pointer, part.offset, part.length)
        self.add(rule, message, pointer, cure, span, level=level, expression=part)

    def add_all(self, problems: Sequence[_Problem], add: Callable[[_Mapping, _Problem], None]) -> None:
        """Add a finding for each problem, and one that stands for those that are not listed."""
        for problem in problems[:MAX_LISTED]:
            add(self, problem)
        if len(problems) > MAX_LISTED:
            message = f"{len(problems) - MAX_LISTED} more things are wrong with this mapping"
            self.add_value("WM199", message, "", "correct those above first")


@dataclass(slots=True, eq=False)
class _File:
    """A file and what was found in it."""

    text: FileText
    path: Path | None
    mappings: list[_Mapping] = field(default_factory=list)
    #: The settings that are about it.
    ignores: Sequence[Ignore] = ()
    #: Findings about what could not be read, or about comments.
    findings: list[Finding] = field(default_factory=list)
    #: Whether all of it could be read.
    is_whole: bool = True


class _Validation:
    """The state of one validation: what was found so far, and which mappings were seen."""

    def __init__(self, options: _Options) -> None:
        """Begin with nothing seen."""
        self.options = options
        self.files: list[_File] = []
        self.expressions = 0
        self.unchecked: list[Unchecked] = []
        #: By group, kind and version: the name of the mapping and its place.
        self.seen: dict[tuple[str, str, str], tuple[str, Related]] = {}
        self.parse: Callable[[str], int | None] | None = None
        if options.second_opinion:
            from workloadmap_spec.validation.second_opinion import cel_python  # noqa: PLC0415 - slow to import

            self.parse = cel_python()

    # One file

    def file(self, source: Source) -> None:
        """Validate one file."""
        data = source.read()
        ignores = [one for one in self.options.ignores if source.path is not None and one.covers(str(source.path))]
        file = _File(FileText(source.name, ()), source.path, ignores=ignores)
        self.files.append(file)
        if len(data) > MAX_MAPPING_BYTES:
            message = f"a mapping file has at most {MAX_MAPPING_BYTES} bytes, and this has {len(data)}"
            file.findings.append(Finding("WM106", "error", message, source.name))
            file.is_whole = False
            return
        file.text = FileText.of(source.name, data)
        documents, errors = load_all(data, source.name)
        file.findings += [_unreadable(error, file.text) for error in errors]
        file.is_whole = not errors
        if not documents and not errors:
            message = "there is no mapping in this file"
            file.findings.append(Finding("WM004", "error", message, source.name, help="remove the file"))
        for document in documents:
            mapping = _Mapping(document, file, _name(document.value))
            file.mappings.append(mapping)
            self.mapping(mapping)

    def mapping(self, mapping: _Mapping) -> None:
        """Validate one document."""
        problems = schema_problems(mapping.document.value, "WorkloadMapping")
        mapping.add_all(problems, _add_schema)
        if problems:
            return
        document: Mapping[str, Any] = mapping.document.value
        self.twice(mapping, document["spec"]["workload"])
        mapping.examined = examined = examine(document)
        self.expressions += len(examined.expressions)
        mapping.add_all(examined.problems, _add_semantic)
        for at, text, warning in examined.warnings:
            rule = _PROFILE_RULES.get(warning.rule, "WM300")
            part = ExpressionPart(text, warning.offset, warning.length)
            mapping.add_part(rule, warning.message, at, warning.cure, part, "warning")
        if self.parse is not None:
            _add_opinions(mapping, examined.expressions, self.parse)
        self.case(mapping, document["spec"]["workload"])

    def twice(self, mapping: _Mapping, workload: Mapping[str, Any]) -> None:
        """Find versions of a kind that have a mapping already (S4.2)."""
        for index, version in enumerate(workload["versions"]):
            key = (workload["group"], workload["kind"], version)
            pointer = f"/spec/workload/versions/{index}"
            span = value_span(mapping.document, pointer)
            if key not in self.seen:
                place = Related("the mapping that it has", mapping.file.text.name, span, pointer)
                self.seen[key] = (mapping.name or "", place)
                continue
            other, place = self.seen[key]
            where = f"{place.file}:{place.span.start_line}" if place.span is not None else place.file
            kind = f"{workload['kind']} of {api_version_of(workload['group'], version)}"
            message = f"{kind} has a mapping already: `{other}` in {where}"
            cure = "remove the version from one of the two"
            mapping.add("WM205", message, pointer, cure, span, related=(place,))

    def case(self, mapping: _Mapping, workload: Mapping[str, Any]) -> None:
        """Find a mapping that no case reads an object with."""
        finder = self.finder(mapping)
        if finder is None:
            return
        kind = kind_of(workload["group"], workload["kind"], workload["versions"])
        if not finder.has_case(kind, mapping.file.path):
            message = f"no case reads an object of the kind {workload['kind']} with this mapping"
            cure = "write one beside it, in NAME.case.yaml, or name the folder of its cases with --cases"
            mapping.add_value("WM401", message, "/spec/workload/kind", cure)

    def finder(self, mapping: _Mapping) -> CaseFinder | None:
        """Who finds the cases of a mapping; None where none can be expected, as of a text in no file."""
        finder = self.options.cases
        return finder if finder is not None and (mapping.file.path is not None or finder.extra) else None

    # All files

    def mappings(self) -> list[_Mapping]:
        """The mappings of all files."""
        return [mapping for file in self.files for mapping in file.mappings]

    def compiled(self) -> Iterator[tuple[_Mapping, CompiledMapping]]:
        """The mappings that can be used."""
        for mapping in self.mappings():
            if mapping.examined is not None and mapping.examined.compiled is not None:
                yield mapping, mapping.examined.compiled

    def check_kinds(self) -> None:
        """Check the mappings against the schemas of their kinds; of one that is wrong in itself, what is not."""
        if not self.options.crds:
            return
        from workloadmap_spec.crd import check_against, load_kinds  # noqa: PLC0415 - where it is asked for

        usable: list[tuple[_Mapping, CompiledMapping]] = []
        for mapping in self.mappings():
            if mapping.examined is not None:
                usable.append((mapping, mapping.examined.partial))
            else:
                reason = "what violates the schema of mappings is not checked against the definition of a kind"
                self.unchecked.append(Unchecked(mapping.file.text.name, reason, mapping.name))
        wanted = _wanted([compiled.document for _, compiled in usable])
        kinds: Kinds = load_kinds(self.options.crds, wanted)
        for mapping, compiled in usable:
            checked = check_against(compiled, kinds)
            mapping.has_kind = checked.checked
            mapping.settled = [one for one in mapping.findings if _is_settled(one, checked.decided)]
            mapping.findings = [one for one in mapping.findings if not _is_settled(one, checked.decided)]
            texts = {expression.at: expression.text for expression in compiled.expressions}
            for problem in checked.problems:
                if problem.offset is None or problem.at not in texts:
                    mapping.add_value(problem.rule, problem.message, problem.at, problem.cure, problem.level)
                else:
                    part = ExpressionPart(texts[problem.at], problem.offset, problem.length)
                    mapping.add_part(problem.rule, problem.message, problem.at, problem.cure, part, problem.level)
            for stop in checked.stopped:
                span = value_span(mapping.document, stop.at)
                self.unchecked.append(Unchecked(mapping.file.text.name, stop.reason, mapping.name, stop.at, span))

    def ask_witnesses(self) -> None:
        """Have other engines evaluate the expressions of the mappings that can be used."""
        if not self.options.witnesses:
            return
        from workloadmap_spec.validation.witnesses import disagreements  # noqa: PLC0415 - where it is asked for

        asked = list(self.compiled())
        cases: dict[tuple[str, str], Case] = {}
        for mapping, compiled in asked:
            finder = self.finder(mapping) or self.options.cases
            kind = kind_of(compiled.group, compiled.kind, compiled.versions)
            found = finder.cases(kind, mapping.file.path) if finder is not None else []
            cases |= {(case.document.source, case.id): case for case in found}
        found_by = disagreements([compiled for _, compiled in asked], cases.values(), self.options.witnesses)
        for one in found_by:
            cure = "do not rely on it: write the expression so that they agree, and report it"
            part = ExpressionPart(one.text, 0, len(one.text))
            asked[one.mapping][0].add_part("WM391", one.message, one.at, cure, part)

    # What comes of it

    def report(self, skipped: Sequence[Skipped]) -> Report:
        """Suppress what is to be, and put everything in order."""
        for file in self.files:
            self.suppress(file)
        findings = [one for file in self.files for one in file.findings]
        mappings = self.mappings()
        findings += [one for mapping in mappings for one in mapping.findings]
        findings += self.unused_ignores()
        return Report(
            findings=sorted(findings, key=_order),
            files=[file.text.name for file in self.files],
            mappings=len(mappings),
            expressions=self.expressions,
            skipped=skipped,
            unchecked=tuple(sorted(self.unchecked, key=_order_unchecked)),
            against_crd=sum(mapping.has_kind for mapping in mappings) if self.options.crds else None,
        )

    def suppress(self, file: _File) -> None:
        """Mark what comments and settings suppress in a file, and find comments that are wrong."""
        ignores = file.ignores
        comments: list[Comment] = []
        if file.text.has_suppressions():
            documents = [mapping.document for mapping in file.mappings]
            comments, wrong = comments_of(file.text, documents, is_whole=file.is_whole)
            file.findings += wrong
        if not comments and not ignores:
            return
        for mapping in file.mappings:
            mapping.findings = [_suppressed(one, mapping.document, comments, ignores) for one in mapping.findings]
            for one in mapping.settled:
                _suppressed(one, mapping.document, comments, ignores)
        for comment in comments:
            rules = [rule for rule in comment.rules if rule not in comment.used and self.is_asked(rule, file)]
            finding = unused(comment, file.text, rules)
            file.findings += [finding] if finding is not None else []

    def unused_ignores(self) -> Iterator[Finding]:
        """Findings for settings that suppress nothing, as far as this run can tell."""
        for ignore in self.options.ignores:
            files = [file for file in self.files if ignore in file.ignores]
            # A run over single files says nothing about the others.
            if files or any(map(Path(ignore.folder).is_relative_to, self.options.walked)):
                rules = [rule for rule in ignore.rules if rule not in ignore.used]
                finding = ignore.unused([rule for rule in rules if all(self.is_asked(rule, file) for file in files)])
                if finding is not None:
                    yield finding

    def is_asked(self, rule: str, file: _File) -> bool:
        """Whether this run has looked for all that a rule finds in a file, so that nothing found means something."""
        # What is wrong with a mapping in itself hides what else there is; that no case or definition fits does not.
        if not file.is_whole or any(
            one.level == "error" and one.suppressed is None and one.rule < "WM4"
            for mapping in file.mappings
            for one in mapping.findings
        ):
            return False
        can_be_used = all(mapping.examined is not None and mapping.examined.compiled for mapping in file.mappings)
        if rule == "WM205":
            # It takes the mapping that the version has already, which a run over single files does not see.
            return False
        if rule == "WM390":
            return self.options.second_opinion
        if rule == "WM391":
            return bool(self.options.witnesses) and can_be_used
        if rule.startswith("WM4"):
            return all(self.finder(mapping) is not None for mapping in file.mappings)
        return not rule.startswith("WM5") or all(mapping.has_kind for mapping in file.mappings)


# Findings


def _unreadable(error: InputError, text: FileText) -> Finding:
    """The finding for a text, or a part of one, that cannot be read."""
    place = error.location
    rule = "WM002" if error.first is not None else "WM001" if place.pointer is None else "WM003"
    related: tuple[Related, ...] = ()
    if error.first is not None:
        related = (Related("the first one", text.name, _character(error.first), place.pointer),)
    return Finding(
        rule,
        "error",
        error.message,
        text.name,
        _character(place),
        place.pointer,
        error.cure,
        related=related,
        snippet=text.snippet(place.line),
    )


def _character(place: Location) -> Span | None:
    """The character at a place; None where only the file is known."""
    if place.line is None:
        return None
    column = place.column or 1
    return Span(place.line, column, place.line, column + 1)


def _add_schema(mapping: _Mapping, problem: SchemaProblem) -> None:
    """Add the finding for a violation of the schema; a member that should not be there is marked by its key."""
    is_key = problem.kind in ("unknown", "combination")
    span = (key_span if is_key else value_span)(mapping.document, problem.pointer)
    mapping.add(_SCHEMA_RULES[problem.kind], problem.message, problem.pointer, problem.cure, span)


def _add_semantic(mapping: _Mapping, error: MappingError) -> None:
    """Add the finding for a contradiction, or for an expression."""
    pointer = error.location.pointer or ""
    if isinstance(error, ExpressionError):
        # One that does not parse for no reason of the profile has no rule of it.
        rule = _PROFILE_RULES.get(error.rule or "", "WM300")
        part = ExpressionPart(error.text, error.offset, error.length)
        mapping.add_part(rule, error.message, pointer, error.cure, part, "error")
    else:
        # The compiler counts too: components, and how deep they nest.
        rule = _RULES_BY_NAME[error.rule] if isinstance(error, MappingSemanticError) else "WM106"
        mapping.add_value(rule, error.message, pointer, error.cure)


def _add_opinions(mapping: _Mapping, expressions: Iterable[Expression], parse: Callable[[str], int | None]) -> None:
    """Add the findings for expressions that another engine does not parse."""
    for expression in expressions:
        offset = parse(expression.text)
        if offset is not None:
            message = "cel-python, which was asked as a witness, does not parse the expression from here on"
            cure = "one of the two engines is wrong: please report the expression"
            mapping.add_part("WM390", message, expression.at, cure, ExpressionPart(expression.text, offset, 1))


def _suppressed(
    finding: Finding, document: Document, comments: Sequence[Comment], ignores: Sequence[Ignore]
) -> Finding:
    """A finding, marked if something suppresses it; all that does is used."""
    if finding.pointer is None or not RULES[finding.rule].can_be_suppressed:
        return finding
    lines = lines_of(document, finding.pointer) if comments else (0, 0)
    by = [one.use(finding.rule) for one in comments if one.matches(finding.rule, lines)]
    by += [one.use(finding.rule) for one in ignores if finding.rule in one.rules]
    return replace(finding, suppressed=by[0]) if by else finding


def _is_settled(finding: Finding, decided: frozenset[tuple[str, int, int]]) -> bool:
    """Whether a warning is about what the schema of the kind tells."""
    part = finding.expression
    return (
        finding.rule in _SETTLED
        and finding.level == "warning"
        and part is not None
        and (finding.pointer or "", part.offset, part.length) in decided
    )


def _order(finding: Finding) -> tuple[str, int, int, str, str, str]:
    """By what findings are sorted."""
    return finding.file, *_start(finding.span), finding.rule, finding.pointer or "", finding.message


def _order_unchecked(place: Unchecked) -> tuple[str, int, int, str, str]:
    """By what places that were not checked are sorted."""
    return place.file, *_start(place.span), place.pointer or "", place.reason


def _start(span: Span | None) -> tuple[int, int]:
    """Line and column; what is known of the file alone is at its beginning."""
    return (0, 0) if span is None else (span.start_line, span.start_column)


# Mappings


def _name(value: object) -> str | None:
    """The name of a mapping, if it has one."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) and name else None


def _wanted(documents: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]] | None:
    """The groups and kinds that mappings name; None if one of them computes a kind."""
    wanted: set[tuple[str, str]] = set()
    waiting: list[Any] = []
    for document in documents:
        workload = document["spec"]["workload"]
        wanted.add((workload["group"], workload["kind"]))
        waiting.append(document["spec"])
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            if "kind" in value and "apiVersion" in value:
                kind, api_version = value["kind"], value["apiVersion"]
                if not isinstance(kind, str) or not isinstance(api_version, str):
                    return None
                wanted.add((api_version.rpartition("/")[0], kind))
        elif isinstance(value, list):
            waiting += value
    return wanted

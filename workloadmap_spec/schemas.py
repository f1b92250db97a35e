"""The schemas of the specification, and what a document does that they forbid, said for people.

A JSON Schema validator reports every keyword that fails, so that one wrong word in a value becomes five errors about
the branches of a union. Here each fault is told once: the branch of a union that was meant is chosen first, a
misspelled member is not reported as missing too, and nothing is said about the inside of a value of the wrong type.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.data_rules import describe
from workloadmap_spec.errors import Location, MappingError, MappingSchemaError, MappingVersionError
from workloadmap_spec.files import SPEC_VERSION, schema_path
from workloadmap_spec.pointer import JSON, join, list_index, split
from workloadmap_spec.texts import cut_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from jsonschema import Draft202012Validator, ValidationError

GROUP: Final = "workloadmap.dev"
API_VERSION: Final = f"{GROUP}/{SPEC_VERSION}"

#: What kind of fault a problem is, for those who number them.
Kind = Literal["document", "version", "unknown", "missing", "type", "value", "combination", "size"]

#: The documents of the specification, by kind: the file of the schema, and what a document is called.
_SCHEMAS: Final = {
    "WorkloadMapping": ("workload-mapping.schema.json", "a mapping"),
    "WorkloadMap": ("workload-map.schema.json", "a map"),
    "WorkloadReport": ("workload-report.schema.json", "a report of workloads"),
    "ConformanceReport": ("conformance-report.schema.json", "a conformance report"),
    "ValidationReport": ("validation-report.schema.json", "a validation report"),
    "ExpectedFailures": ("expected-failures.schema.json", "a list of expected failures"),
    "ConformanceCase": ("conformance-case.schema.json", "a case"),
}

#: What the definitions of the schemas are called. Everything else is called by the name of its member.
_NOUNS: Final = {
    "action": "an action",
    "component": "a component",
    "condition": "a condition",
    "gangEntry": "a gang entry",
    "group": "a group",
    "instance": "an instance",
    "podField": "an entry of `podFields`",
    "rule": "a status rule",
    "valueObject": "a value",
    "variable": "a variable",
}

#: What the patterns of the schemas ask for.
_PATTERNS: Final = {
    "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$": (
        "a name",
        "a name has at most 63 lower-case letters, digits and dashes, and begins and ends with a letter or digit",
    ),
    "^[a-zA-Z][_a-zA-Z0-9]{0,62}$": (
        "the name of a variable",
        "it has at most 63 letters, digits and underscores, and begins with a letter",
    ),
    "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$": (
        "an API group",
        'it is a lower-case domain name such as jobset.x-k8s.io, or "" for the core group',
    ),
    "^[A-Z][A-Za-z0-9]*$": ("a kind", "it is written as in manifests, such as JobSet"),
    "^v[0-9]+((alpha|beta)[0-9]+)?$": ("an API version", "write the version without its group, such as v1 or v1alpha2"),
    "^x-[a-z0-9-]+$": ("a name of your own", "it begins with x- and has lower-case letters, digits and dashes"),
    "^[A-Za-z][A-Za-z0-9]*(\\.[A-Za-z][A-Za-z0-9]*)*$": (
        "a field of a template",
        "it is a path of names joined by dots, such as spec.nodeSelector",
    ),
    "^[A-Za-z][A-Za-z0-9]*(\\[\\])?(\\.[A-Za-z][A-Za-z0-9]*(\\[\\])?)*$": (
        "a field of the kind",
        "it is a path of names joined by dots, with [] behind that of a list, such as spec.jobs[].policy",
    ),
    "^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9.]+(-[a-z0-9.]+)*)*$": (
        "the id of a case",
        "it is the path of the case's file without its ending, in lower case, such as engine/core/values/default",
    ),
    "^S[0-9]+(\\.[0-9]+)*$": ("a clause of the specification", "write it as in SPEC.md, such as S5.2.1"),
    "^sha256:[0-9a-f]{64}$": ("a digest", "it is sha256: and 64 hexadecimal digits"),
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(/[a-z0-9]([-a-z0-9]*[a-z0-9])?){0,4}$": (
        "the name of a component",
        "a component of what another embeds is written behind that and a slash, such as cluster/head",
    ),
    "^[A-Za-z]*$": ("a unit", "it has only letters, or is empty for a bare number"),
    "^(refs\\.[a-zA-Z][_a-zA-Z0-9]*#)?(/.*)?$": (
        "a place",
        "it is a JSON Pointer such as /spec/replicas, behind refs.NAME# for a referenced object",
    ),
    "^(/.*)?$": ("a JSON Pointer", "it begins with a slash, such as /spec/replicas"),
    "^/": ("a JSON Pointer", "it begins with a slash, such as /spec/replicas"),
}

_TYPES: Final = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a boolean",
    "null": "null",
}

#: A text of the document in a message is cut to this length.
_SHOWN_LENGTH: Final = 40

#: How like a word must be to one that was meant.
_LIKENESS: Final = 0.6


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One fault of a document: where, what, and what to write instead."""

    kind: Kind
    pointer: str
    message: str
    cure: str | None = None


@dataclass(frozen=True, slots=True)
class _Fault:
    """A problem, and what is needed to tell whether another one has the same cause."""

    problem: SchemaProblem
    #: The map or value that was looked at; the problem may point to a member of it.
    owner: str
    #: Of a missing member: its name, or the names of which one is missing. Of an unknown one: what was meant.
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Error:
    """An error of the validator: the keyword that a value violates, with what it wants and the schema it stands in."""

    keyword: str
    wanted: Any
    value: Any
    schema: dict[str, Any]
    path: tuple[str | int, ...]
    #: Of a union: the errors of its branches, each with the index of its branch.
    inner: tuple[_Error, ...]
    branch: int
    #: Of an error in a branch: whether it is about the value of the union itself, not about a part of it.
    is_at_value: bool

    @classmethod
    def of(cls, error: ValidationError) -> _Error:
        """The error with the types that the schemas of the specification give its parts."""
        branch = error.relative_schema_path[0]
        return cls(
            str(error.validator),
            error.validator_value,
            error.instance,
            error.schema,  # type: ignore[arg-type] # a schema that is `true` or `false` has no keywords
            tuple(error.absolute_path),
            tuple(map(cls.of, error.context or ())),
            branch if isinstance(branch, int) else 0,
            not error.relative_path,
        )


def check_version(document: object) -> MappingVersionError | None:
    """The error if a document is of a version of this project that the reader does not know (S18.2)."""
    version = document.get("apiVersion") if isinstance(document, dict) else None
    if isinstance(version, str) and version.startswith(f"{GROUP}/") and version != API_VERSION:
        message = f"the version {version} is not known to this reader"
        return MappingVersionError(message, Location(pointer="/apiVersion"), f"the version known is {API_VERSION}")
    return None


def mapping_problems(document: JSON) -> list[MappingError]:
    """What the mapping schema forbids in a document, in its order; an unknown version is the only problem then."""
    return [
        (MappingVersionError if problem.kind == "version" else MappingSchemaError)(
            problem.message, Location(pointer=problem.pointer), problem.cure
        )
        for problem in schema_problems(document, "WorkloadMapping")
    ]


def map_problems(document: JSON) -> list[SchemaProblem]:
    """What the schema of maps forbids in a document, in its order."""
    return schema_problems(document, "WorkloadMap")


def case_problems(document: JSON) -> list[SchemaProblem]:
    """What the schema of cases forbids in a document, in its order."""
    return schema_problems(document, "ConformanceCase")


def schema_problems(document: JSON, kind: str) -> list[SchemaProblem]:
    """What a schema forbids in a document, each fault once, in the order of the document.

    A document that is not of this kind, or of a version that is not known, has that one problem.
    """
    _, noun = _SCHEMAS[kind]
    unknown = check_version(document)
    if unknown is not None:
        return [SchemaProblem("version", unknown.location.pointer or "", unknown.message, unknown.cure)]
    cure = f"{noun} has `apiVersion: {API_VERSION}` and `kind: {kind}`"
    if not isinstance(document, dict):
        return [SchemaProblem("document", "", f"{noun} is a map, and this is {describe(document)}", cure)]
    for member, wanted in (("kind", kind), ("apiVersion", API_VERSION)):
        found = document.get(member, wanted)
        if found != wanted:
            message = f"this is not {noun}: its `{member}` is {_shown(found)}"
            return [SchemaProblem("document", f"/{member}", message, cure)]
    return _independent(_explainer(kind).faults(document), document)


def _independent(faults: Iterable[_Fault], document: JSON) -> list[SchemaProblem]:
    """The problems of faults that are not the consequence of others, in the order of the document."""
    kept = list(faults)
    wrong_types = {fault.owner for fault in kept if fault.problem.kind == "type"}
    meant = {(fault.owner, name) for fault in kept if fault.problem.kind == "unknown" for name in fault.names}
    found: dict[tuple[str, frozenset[str] | str], SchemaProblem] = {}
    for fault in kept:
        problem = fault.problem
        if problem.kind != "type" and fault.owner in wrong_types:
            continue
        if problem.kind == "missing" and any((fault.owner, name) in meant for name in fault.names):
            continue
        found.setdefault((fault.owner, fault.names) if problem.kind == "missing" else ("", repr(problem)), problem)
    order = document_order(document)
    return sorted(found.values(), key=lambda problem: order(problem.pointer))


def document_order(document: JSON) -> Callable[[str], tuple[int, ...]]:
    """A sort key for JSON Pointers that follows the document: members by their position, elements by index.

    What is not in the document comes where the last part of it that is there begins.
    """
    positions: dict[int, dict[str, int]] = {}

    def key(pointer: str) -> tuple[int, ...]:
        found: list[int] = []
        node = document
        for token in split(pointer):
            if isinstance(node, dict) and token in node:
                names = positions.get(id(node))
                if names is None:
                    names = positions[id(node)] = {name: position for position, name in enumerate(node)}
                found.append(names[token])
                node = node[token]
            elif isinstance(node, list) and (index := list_index(token, len(node))) is not None:
                found.append(index)
                node = node[index]
            else:
                break
        return tuple(found)

    return key


@cache
def _explainer(kind: str) -> _Explainer:
    """What says in words how a document violates the schema of its kind."""
    # A quarter of a second, which only those pay who validate.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    file, noun = _SCHEMAS[kind]
    schema: dict[str, Any] = json.loads(schema_path(file).read_text(encoding="utf-8"))
    return _Explainer(Draft202012Validator(schema), schema, noun)


class _Explainer:
    """Says in words what the errors of one validator mean."""

    def __init__(self, validator: Draft202012Validator, schema: dict[str, Any], noun: str) -> None:
        """Give a name to every schema that has one."""
        self.validator = validator
        self.schema = schema
        #: By the identity of a schema: what its instances are called.
        self.nouns = {id(schema): noun}
        #: By the identity of a `then`: its `if`.
        self.conditions: dict[int, Any] = {}
        for name, definition in schema.get("$defs", {}).items():
            if name in _NOUNS:
                self.nouns[id(definition)] = _NOUNS[name]
        self._note(schema)

    def _note(self, schema: JSON) -> None:
        """Remember the condition of every `then`, and the noun of what is said about the same value by parts."""
        if isinstance(schema, dict):
            if "then" in schema:
                self.conditions[id(schema["then"])] = schema["if"]
            for part in schema.get("allOf", ()):
                for same in (part, part.get("then")):
                    if id(schema) in self.nouns and same is not None:
                        self.nouns[id(same)] = self.nouns[id(schema)]
            for part in schema.values():
                self._note(part)
        elif isinstance(schema, list):
            for part in schema:
                self._note(part)

    def faults(self, document: JSON) -> Iterator[_Fault]:
        """Every fault of a document; one cause may give several."""
        told = last = None
        try:
            for error in self.validator.iter_errors(document):
                last = _Error.of(error)
                for told in self.explain(last):
                    yield told
        except RecursionError:
            problem = SchemaProblem("size", "", "the document nests too deep to be checked", "flatten its values")
            yield _Fault(problem, "")
        if last is not None and told is None:  # pragma: no cover - tests find an explanation for every error
            yield _Fault(SchemaProblem("value", join("", *last.path), "this does not fit the schema"), "")

    def explain(self, error: _Error) -> Iterator[_Fault]:
        """The faults that one error of the validator stands for."""
        explain: Callable[[_Error, str], Iterator[_Fault]] = getattr(self, f"_explain_{error.keyword}")
        yield from explain(error, join("", *error.path))

    def noun(self, error: _Error) -> str:
        """What the value with the error is called."""
        known = self.nouns.get(id(error.schema))
        if known is not None:
            return known
        names = [part for part in error.path if isinstance(part, str)]
        return f"`{names[-1]}`" if isinstance(error.path[-1], str) else f"an entry of `{names[-1]}`"

    # One method for each keyword.

    def _explain_additionalProperties(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        yield from self.unknown(error, at, _members(error.schema), error.schema)

    def unknown(self, error: _Error, at: str, known: dict[str, Any], schema: dict[str, Any]) -> Iterator[_Fault]:
        """Faults for the members of a map that are not among the known ones."""
        own_names = "^x-" in schema.get("patternProperties", {})
        for name in error.value:
            if name in known or (own_names and name.startswith("x-")):
                continue
            near = _nearest(name, [candidate for candidate in known if candidate not in error.value] or known)
            cure = f"write `{near}`" if near else f"it may have {_listed(sorted(known))}"
            if own_names and not near:
                cure += ", and names of your own that begin with x-"
            problem = SchemaProblem("unknown", join(at, name), f"{self.noun(error)} has no `{_cut(name)}`", cure)
            yield _Fault(problem, at, frozenset((near,) if near else ()))

    def _explain_required(self, error: _Error, at: str) -> Iterator[_Fault]:
        condition = self.conditions.get(id(error.schema))
        because = [name for name in _required_names(condition) if name in error.value]
        for name in error.wanted:
            if name in error.value:
                continue
            if because:
                message = f"{self.noun(error)} with {_listed(because, 'and')} needs `{name}`"
                yield _Fault(SchemaProblem("missing", join(at, because[0]), message), at, frozenset((name,)))
                continue
            yield self.missing(self.noun(error), at, name, error.schema)

    def missing(self, noun: str, at: str, name: str, schema: dict[str, Any]) -> _Fault:
        """The fault of a member that is missing."""
        member = _members(schema).get(name, {})
        described = self._description(member)
        cure = f"add `{name}: {member['const']}`" if "const" in member else f"add `{name}`"
        cure += f": {described}" if described else ""
        return _Fault(SchemaProblem("missing", at, f"{noun} needs `{name}`", cure), at, frozenset((name,)))

    def _explain_dependentRequired(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        for name, needed in error.wanted.items():
            for other in needed:
                if name in error.value and other not in error.value:
                    message = f"`{name}` needs `{other}` beside it"
                    problem = SchemaProblem("missing", join(at, name), message, f"add `{other}`, or remove `{name}`")
                    yield _Fault(problem, at, frozenset((other,)))

    def _explain_not(self, error: _Error, at: str) -> Iterator[_Fault]:
        if not isinstance(error.value, dict):
            return
        condition = self.conditions.get(id(error.schema))
        because = [name for name in _required_names(condition) if name in error.value]
        if because or "anyOf" in error.wanted:
            because = because or [name for name in error.schema.get("required", ()) if name in error.value][:1]
            for name in error.value:
                if name in _required_names(error.wanted):
                    yield self._excluded(because[0], name, at)
            return
        first, *others = [name for name in error.value if name in _required_names(error.wanted)]
        for name in others:
            yield self._excluded(first, name, at)

    @staticmethod
    def _excluded(first: str, name: str, at: str) -> _Fault:
        """The fault of a member that may not stand beside another."""
        message = f"`{first}` and `{name}` exclude each other"
        return _Fault(SchemaProblem("combination", join(at, name), message, "remove one of the two"), at)

    def _explain_type(self, error: _Error, at: str) -> Iterator[_Fault]:
        wanted = error.wanted
        yield self.wrong_type(error, at, [wanted] if isinstance(wanted, str) else list(wanted), error.schema)

    def wrong_type(self, error: _Error, at: str, wanted: list[str], schema: dict[str, Any]) -> _Fault:
        """The fault of a value of a type that is not wanted; types that are not JSON's stand for themselves."""
        value = error.value
        listed = _joined([_TYPES.get(name, name) for name in wanted], "or")
        message = f"{listed} is wanted here, and {_found(value)} was found"
        cure: str | None = self._description(schema)
        if wanted == ["string"] and type(value) in (bool, int, float):
            cure = f'write it in quotes: "{json.dumps(value)}"'
        return _Fault(SchemaProblem("type", at, message, cure or None), at)

    def _explain_enum(self, error: _Error, at: str) -> Iterator[_Fault]:
        yield self.not_among(error, at, error.wanted)

    def not_among(self, error: _Error, at: str, values: list[str], also: str = "") -> _Fault:
        """The fault of a value that is not one of a list."""
        near = _meant(error.value, values) if isinstance(error.value, str) else None
        cure = f"write `{near}`" if near else f"write one of {', '.join(values)}"
        message = f"{_shown(error.value)} is not a value of {self.noun(error)}"
        return _Fault(SchemaProblem("value", at, message, cure + also), at)

    def _explain_const(self, error: _Error, at: str) -> Iterator[_Fault]:
        wanted = json.dumps(error.wanted)
        message = f"{_shown(error.value)} is not a value of {self.noun(error)}"
        yield _Fault(SchemaProblem("value", at, message, f"write {wanted}"), at)

    def _explain_pattern(self, error: _Error, at: str) -> Iterator[_Fault]:
        pattern: str = error.wanted
        noun, cure = _PATTERNS.get(pattern, (f"a text of the form {pattern}", "correct the text"))
        yield _Fault(SchemaProblem("value", at, f"{_shown(error.value)} is not {noun}", cure), at)

    def _explain_minLength(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        least = error.wanted
        message = "an empty text stands here" if least == 1 else f"a text of at least {least} characters is wanted here"
        yield _Fault(SchemaProblem("value", at, message, self._description(error.schema) or None), at)

    def _explain_maxLength(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        message = f"a text of {len(error.value)} characters is longer than {error.wanted}"
        yield _Fault(SchemaProblem("size", at, message), at)

    def _explain_minItems(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        least = error.wanted
        message = f"{self.noun(error)} has {len(error.value)} entries, and needs at least {least}"
        cure = "leave it out, or add an entry" if not error.value else None
        yield _Fault(SchemaProblem("size", at, message, cure), at)

    def _explain_maxItems(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        message = f"{self.noun(error)} has {len(error.value)} entries, and may have {error.wanted}"
        yield _Fault(SchemaProblem("size", at, message), at)

    def _explain_minProperties(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        known = sorted(_members(error.schema))
        cure = f"it may have {_listed(known)}" if known else "leave it out, or add an entry"
        yield _Fault(SchemaProblem("size", at, f"{self.noun(error)} is empty", cure), at)

    def _explain_maxProperties(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        message = f"{self.noun(error)} has {len(error.value)} entries, and may have {error.wanted}"
        yield _Fault(SchemaProblem("size", at, message), at)

    def _explain_minimum(self, error: _Error, at: str) -> Iterator[_Fault]:
        message = f"{error.value} is less than {error.wanted}"
        yield _Fault(SchemaProblem("value", at, message), at)

    def _explain_maximum(self, error: _Error, at: str) -> Iterator[_Fault]:
        message = f"{error.value} is more than {error.wanted}"
        yield _Fault(SchemaProblem("value", at, message), at)

    def _explain_uniqueItems(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        for index, item in enumerate(error.value):
            if item in error.value[:index]:
                message = f"{_shown(item)} is listed twice"
                yield _Fault(SchemaProblem("value", join(at, index), message, "remove one of the two"), at)

    # Unions

    def _explain_anyOf(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        yield from self._explain_oneOf(error, at)

    def _explain_oneOf(self, error: _Error, at: str) -> Iterator[_Fault]:  # noqa: N802
        branches = [self._resolved(branch) for branch in error.wanted]
        errors: list[list[_Error]] = [[] for _ in branches]
        for inner in error.inner:
            errors[inner.branch].append(inner)
        if not all(errors):
            yield from self._several(error, at, branches)
            return
        fitting = [index for index, found in enumerate(errors) if not any(map(_is_of_other_type, found))]
        if not fitting:
            yield self.wrong_type(error, at, [name for branch in branches for name in _types(branch)], error.schema)
            return
        if isinstance(error.value, dict):
            yield from self._branch_of_map(error, at, branches, errors, fitting)
            return
        words = [word for index in fitting for word in branches[index].get("enum", ())]
        if words:
            also = ", or a word of your own that begins with x-" if len(fitting) > 1 else ""
            yield self.not_among(error, at, words, also)
            return
        for inner in errors[fitting[0]]:
            yield from self.explain(inner)

    def _several(self, error: _Error, at: str, branches: list[dict[str, Any]]) -> Iterator[_Fault]:
        """More than one branch of a union fits: members that exclude each other."""
        if not isinstance(error.value, dict):
            return
        alternatives = {name for branch in branches for name in branch.get("required", ())}
        first, *others = [name for name in error.value if name in alternatives]
        for name in others:
            yield self._excluded(first, name, at)

    def _branch_of_map(
        self,
        error: _Error,
        at: str,
        branches: list[dict[str, Any]],
        errors: list[list[_Error]],
        fitting: list[int],
    ) -> Iterator[_Fault]:
        """The faults of a map in the branch that was meant: the one of which most needed members are there."""
        if len(fitting) == 1:
            for inner in errors[fitting[0]]:
                yield from self.explain(inner)
            return
        known = {name: part for index in fitting for name, part in _members(branches[index]).items()}
        closed = all("properties" in branches[index] for index in fitting)
        if closed and any(name not in known for name in error.value):
            yield from self.unknown(error, at, known, {})
            return
        scores = {index: _score(branches[index], error.value) for index in fitting}
        best = [index for index in fitting if scores[index] == max(scores.values())]
        if len(best) > 1:
            lacking = [names for index in best if (names := _lacking(branches[index], error.value))]
            if not lacking:
                yield from self._several(error, at, branches)
                return
            condition = self.conditions.get(id(error.schema), {})
            lacking += [[name] for name in _required_names(condition) if "not" in condition]
            last = "or" if all(len(names) == 1 for names in lacking) else ", or"
            message = f"{self.noun(error)} needs {_joined([_listed(names) for names in lacking], last)}"
            alternatives = frozenset(name for names in lacking for name in names)
            yield _Fault(SchemaProblem("missing", at, message), at, alternatives)
            return
        branch = branches[best[0]]
        for name in error.value if closed else ():
            if name not in _members(branch):
                yield self._excluded(next(first for first in branch["required"] if first in error.value), name, at)
        for inner in errors[best[0]]:
            if not (closed and inner.keyword == "additionalProperties" and inner.is_at_value):
                yield from self.explain(inner)

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A schema, or the one that it refers to."""
        while "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
        return schema

    def _description(self, schema: dict[str, Any]) -> str:
        """The first sentence of what a schema says about itself, to follow a colon; empty if it says nothing."""
        text: str = schema.get("description") or self._resolved(schema).get("description", "")
        sentence = text.partition(". ")[0].removesuffix(".")
        return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() or sentence[1:2] == " " else sentence


def _members(schema: dict[str, Any]) -> dict[str, Any]:
    """The members that a schema knows."""
    members: dict[str, Any] = schema.get("properties", {})
    return members


def _types(schema: dict[str, Any]) -> list[str]:
    """The types that a schema wants; a constant is one of its own."""
    wanted = schema.get("type")
    if wanted is None:
        return [json.dumps(schema["const"])] if "const" in schema else ["string"]
    return [wanted] if isinstance(wanted, str) else list(wanted)


def _is_of_other_type(error: _Error) -> bool:
    """Whether an error says that the value of a union is not even of the type of a branch."""
    return error.is_at_value and error.keyword in ("type", "const")


def _required_names(condition: JSON) -> list[str]:
    """The members that a condition asks about, in whatever way it is put together."""
    if isinstance(condition, dict):
        found: list[str] = list(condition.get("required", ()))
        for part in (*condition.get("anyOf", ()), condition.get("not")):
            found += _required_names(part)
        return found
    return []


def _score(branch: dict[str, Any], instance: dict[str, Any]) -> tuple[int, int]:
    """How much of a branch is in a map: members that it needs, and members that have the only value they may have."""
    present = sum(name in instance for name in branch.get("required", ()))
    constant = sum("const" in part and instance.get(name) == part["const"] for name, part in _members(branch).items())
    return present, constant


def _lacking(branch: dict[str, Any], instance: dict[str, Any]) -> list[str]:
    """The members that a branch needs and a map lacks."""
    return [name for name in branch.get("required", ()) if name not in instance]


#: Words of controllers for what a phase of a map has another word for (S9.6).
_PHASES: Final = {
    "succeeded": "Completed",
    "complete": "Completed",
    "finished": "Completed",
    "done": "Completed",
    "pending": "Initializing",
    "creating": "Initializing",
    "starting": "Initializing",
    "ready": "Running",
    "active": "Running",
    "available": "Running",
    "error": "Failed",
    "paused": "Suspended",
    "stopped": "Suspended",
}


def _meant(word: str, known: Collection[str]) -> str | None:
    """The known word that is meant by another, or most like it."""
    phase = _PHASES.get(word.lower())
    return phase if phase in known else _nearest(word, known)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """The known word that is most like another, if one is."""
    # Needed for messages only.
    from workloadmap_spec.cel.findings import nearest  # noqa: PLC0415

    lower = {word.lower(): word for word in known}
    found = nearest(name.lower(), lower, _LIKENESS)
    return None if found is None else lower[found]


def _joined(words: list[str], last: str) -> str:
    """Words as a list in a sentence."""
    unique = list(dict.fromkeys(words))
    if len(unique) == 1:
        return unique[0]
    return f"{', '.join(unique[:-1])}{'' if last.startswith(',') else ' '}{last} {unique[-1]}"


def _listed(names: Iterable[str], last: str = "and") -> str:
    """Names as a list in a sentence."""
    return _joined([f"`{name}`" for name in names], last)


def _cut(text: str) -> str:
    """A text that fits into a message."""
    return cut_line(text, _SHOWN_LENGTH)


def _shown(value: JSON) -> str:
    """A value in a message."""
    return f"`{_cut(value)}`" if isinstance(value, str) else _found(value)


def _found(value: JSON) -> str:
    """What was found: the type, and the value of what is short."""
    if isinstance(value, str):
        return f"the string `{_cut(value)}`"
    if isinstance(value, bool):
        return f"`{json.dumps(value)}`"
    if isinstance(value, int | float):
        return f"the number {value}"
    return describe(value)

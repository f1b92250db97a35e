"""What validation finds, as plain records; how they are printed is the business of `formats`."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

from workloadmap_spec.validation.rules import RULES, Level, levels_from

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Separates what a fingerprint is made of; it stands in no text that keeps the data rules.
_SEPARATOR: Final = "\0"


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file: lines and columns from 1, columns in code points, the end exclusive.

    `approximate` tells that only the beginning of the text is known, as for a place in a folded scalar.
    """

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    approximate: bool = False

    def to_json(self) -> dict[str, Any]:
        """The span as plain data."""
        return {
            "startLine": self.start_line,
            "startColumn": self.start_column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
            "approximate": self.approximate,
        }


@dataclass(frozen=True, slots=True)
class ExpressionPart:
    """An expression and the part of it that is meant: offset and length in code points."""

    text: str
    offset: int
    length: int

    def to_json(self) -> dict[str, Any]:
        """The part as plain data."""
        return {"text": self.text, "offset": self.offset, "length": self.length}


@dataclass(frozen=True, slots=True)
class Suppression:
    """By what a finding is suppressed, and why."""

    kind: Literal["comment", "configuration"]
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The suppression as plain data."""
        return {"kind": self.kind, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding is about, such as the first of two mappings for a kind."""

    message: str
    file: str
    span: Span | None = None
    pointer: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The place as plain data; what is not known is left out."""
        return _present(
            message=self.message,
            file=self.file,
            span=None if self.span is None else self.span.to_json(),
            pointer=self.pointer,
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: the rule that it breaks, where, and what to do."""

    rule: str
    level: Level
    message: str
    #: As it was named; `<stdin>` for the standard input.
    file: str
    #: None where only the file is known.
    span: Span | None = None
    pointer: str | None = None
    help: str | None = None
    expression: ExpressionPart | None = None
    #: The name of the mapping, where it could be read.
    mapping: str | None = None
    related: tuple[Related, ...] = ()
    suppressed: Suppression | None = None
    #: The line of the file that the finding begins in.
    snippet: str | None = None

    @property
    def code(self) -> str:
        """The rule with the rule of the portable profile that it stands for, such as `WM302/P02`."""
        return RULES[self.rule].code

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that stay the same while lines move: of rule, file, mapping, pointer and text."""
        part = self.expression
        marked = "" if part is None else part.text[part.offset : part.offset + part.length]
        facts = (self.rule, self.file, self.mapping or "", self.pointer or "", marked, self.message)
        return sha256(_SEPARATOR.join(facts).encode("utf-8", "replace")).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data, as `validation-report.schema.json` has it; what is not known is left out."""
        return _present(
            ruleId=self.rule,
            profileRule=RULES[self.rule].profile,
            level=self.level,
            message=self.message,
            file=self.file,
            pointer=self.pointer,
            span=None if self.span is None else self.span.to_json(),
            expression=None if self.expression is None else self.expression.to_json(),
            mapping=self.mapping,
            help=self.help,
            fingerprint=self.fingerprint,
            suppressed=None if self.suppressed is None else self.suppressed.to_json(),
            related=[place.to_json() for place in self.related] or None,
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not looked at, and why."""

    file: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The file as plain data."""
        return {"file": self.file, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A place that could not be checked against the schema of its kind, and why. It is no finding: nothing is wrong."""

    file: str
    reason: str
    mapping: str | None = None
    pointer: str | None = None
    span: Span | None = None

    def to_json(self) -> dict[str, Any]:
        """The place as plain data; what is not known is left out."""
        return _present(
            file=self.file,
            reason=self.reason,
            mapping=self.mapping,
            pointer=self.pointer,
            span=None if self.span is None else self.span.to_json(),
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a number of files, sorted by file, line, column and rule."""

    #: All of them, suppressed ones too.
    findings: Sequence[Finding]
    #: The files that were checked, in order.
    files: Sequence[str]
    mappings: int
    expressions: int
    skipped: Sequence[Skipped] = ()
    unchecked: Sequence[Unchecked] = ()
    #: How many mappings were checked against a CustomResourceDefinition or a built-in kind; None if none was asked for.
    against_crd: int | None = None

    def count(self, level: Level) -> int:
        """How many findings of a level are not suppressed."""
        return sum(finding.level == level and finding.suppressed is None for finding in self.findings)

    def fails(self, level: Level) -> bool:
        """Whether there is a finding at or above a level that is not suppressed."""
        return any(self.count(one) for one in levels_from(level))

    @property
    def suppressed(self) -> int:
        """How many findings are suppressed."""
        return sum(finding.suppressed is not None for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, as `validation-report.schema.json` has it."""
        summary = _present(
            files=len(self.files) + len(self.skipped),
            checked=len(self.files),
            skipped=len(self.skipped),
            mappings=self.mappings,
            expressions=self.expressions,
            errors=self.count("error"),
            warnings=self.count("warning"),
            notes=self.count("note"),
            suppressed=self.suppressed,
            againstCrd=self.against_crd,
            unchecked=len(self.unchecked),
        )
        return {
            "summary": summary,
            "findings": [finding.to_json() for finding in self.findings],
            "skipped": [file.to_json() for file in self.skipped],
            "unchecked": [place.to_json() for place in self.unchecked],
        }


def _present(**members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """The members that are known."""
    return {name: value for name, value in members.items() if value is not None}

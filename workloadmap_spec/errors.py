"""The errors of the library: one exception for each error class of the specification.

Every error says what is wrong, where, and what to do. `Location` carries the place; the text is made in `__str__`,
so that a caller can print it or take it apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self


@dataclass(frozen=True, slots=True)
class Location:
    """Where something is: a file (or stream), a line and a column (from 1), and a JSON Pointer (RFC 6901)."""

    source: str | None = None
    line: int | None = None
    column: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        """`file:line:column: /pointer`, with what is known."""
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.pointer) if part)


class WorkloadMapError(Exception):
    """The base of all errors of this library.

    `message` says what is wrong, `location` where, and `cure`, when there is one, what to do about it.
    """

    #: The error class of the specification (clause S15) that this exception stands for.
    error_class: ClassVar[str] = "internal"

    def __init__(self, message: str, location: Location | None = None, cure: str | None = None) -> None:
        """Keep the parts; the text is made when it is asked for."""
        super().__init__(message)
        self.message = message
        self.location = location or Location()
        self.cure = cure

    def __str__(self) -> str:
        """The whole error in one line, and the cure in a second."""
        place = str(self.location)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} [{self.error_class}]" + (f"\n  {self.cure}" if self.cure else "")

    def located(self, location: Location) -> Self:
        """The same error, with the parts of its place that it does not know yet taken from `location`."""
        ours = self.location
        self.location = replace(
            ours,
            source=ours.source if ours.source is not None else location.source,
            line=ours.line if ours.line is not None else location.line,
            column=ours.column if ours.line is not None else location.column,
            pointer=ours.pointer if ours.pointer is not None else location.pointer,
        )
        return self


class MappingError(WorkloadMapError, ValueError):
    """A mapping cannot be used. Where several things are wrong, `others` holds those after the first."""

    others: tuple[MappingError, ...] = ()


class MappingSyntaxError(MappingError):
    """A mapping is not YAML or JSON, or holds a duplicate key."""

    error_class = "mapping-syntax"


class MappingVersionError(MappingError):
    """A mapping is of a specification version that this reader does not know."""

    error_class = "mapping-version"


class MappingSchemaError(MappingError):
    """A mapping is well formed and violates its schema."""

    error_class = "mapping-schema"


class MappingSemanticError(MappingError):
    """A mapping fits its schema and contradicts itself."""

    error_class = "mapping-semantic"

    def __init__(
        self,
        message: str,
        location: Location | None = None,
        cure: str | None = None,
        rule: str = "contradiction",
    ) -> None:
        """Keep the name of the rule of validation (`validation/rules.py`) that is broken, too."""
        super().__init__(message, location, cure)
        self.rule = rule


class ExpressionError(MappingError):
    """An expression cannot be used. `offset` and `length` count code points inside `text`."""

    def __init__(  # noqa: PLR0913 - the facts of the error
        self,
        message: str,
        text: str = "",
        offset: int = 0,
        length: int = 1,
        rule: str | None = None,
        cure: str | None = None,
        location: Location | None = None,
    ) -> None:
        """Keep the expression and the part of it that is meant."""
        super().__init__(message, location, cure)
        self.text = text
        self.offset = offset
        self.length = length
        self.rule = rule

    def __str__(self) -> str:
        """The error, the expression, and a line that marks the part."""
        place = str(self.location)
        head = f"{place}: {self.message}" if place else self.message
        lines = [f"{head} [{self.error_class}{'/' + self.rule if self.rule else ''}]"]
        if self.text:
            start = self.text.rfind("\n", 0, self.offset) + 1
            end = self.text.find("\n", self.offset)
            line = self.text[start : end if end >= 0 else len(self.text)]
            column = self.offset - start
            marks = "^" + "~" * max(0, min(self.length, len(line) - column) - 1)
            lines += [f"    {line}", f"    {' ' * column}{marks}"]
        if self.cure:
            lines.append(f"  {self.cure}")
        return "\n".join(lines)


class ExpressionParseError(ExpressionError):
    """An expression does not parse."""

    error_class = "expression-parse"


class ExpressionCheckError(ExpressionError):
    """An expression is outside the portable profile."""

    error_class = "expression-check"


class InputError(WorkloadMapError, ValueError):
    """An input document cannot be read: not YAML or JSON, outside the data rules, or not a Kubernetes object."""

    error_class = "input-invalid"
    #: Of a key that is written twice: where it stands first.
    first: Location | None = None


class NoMappingError(WorkloadMapError, LookupError):
    """No mapping fits the object's group, version and kind."""

    error_class = "no-mapping"


class AmbiguousMappingError(WorkloadMapError, LookupError):
    """Two mappings of one source fit equally."""

    error_class = "ambiguous-mapping"


class MissingReferenceError(WorkloadMapError, LookupError):
    """An object that the workload refers to, and that its mapping needs, was not given."""

    error_class = "missing-reference"


class EvaluationError(WorkloadMapError):
    """An expression failed while it ran."""

    error_class = "expression-eval"


class ResultTypeError(EvaluationError):
    """A value is of the wrong type for its field."""

    error_class = "result-type"


class ResultInvalidError(EvaluationError):
    """A value is of the right type and not allowed."""

    error_class = "result-invalid"


class LimitExceededError(EvaluationError):
    """A limit of the specification, or the reader's budget of steps, was exceeded."""

    error_class = "limit-exceeded"


class UpdateError(WorkloadMapError):
    """A workload cannot be changed as asked (clause S20)."""

    error_class = "update-invalid"


class UpdateInvalidError(UpdateError, ValueError):
    """This workload does not allow what is asked, or it would not read as asked afterwards."""


class UpdateUnsupportedError(UpdateError):
    """The mapping knows no place to write for what is asked."""

    error_class = "update-unsupported"

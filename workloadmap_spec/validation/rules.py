"""The rules of validation: what is looked for in mapping files, each thing with an id that never changes its meaning.

Rules are numbered by what they look at: WM0nn the text, WM1nn the schema, WM2nn what a mapping says about itself and
others, WM3nn its expressions, where the last two digits are those of the rule of the portable profile, WM4nn the cases
of a mapping, WM5nn its expressions against the CustomResourceDefinition of the kind, WM9nn the comments and settings
of validation itself. Each has a page in `docs/rules`, which `workloadmap explain` shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

#: From the one that matters most.
Level = Literal["error", "warning", "note"]
LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "note")


def levels_from(level: Level) -> tuple[Level, ...]:
    """A level and those that matter more."""
    return LEVELS[: LEVELS.index(level) + 1]


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that is looked for: its id, a name that never changes, and what it says."""

    id: str
    name: str
    says: str
    #: The rule of the portable profile that it stands for.
    profile: str | None = None
    #: The level of its findings; a few rules have findings of a lower one too.
    level: Level = "error"

    @property
    def can_be_suppressed(self) -> bool:
        """Whether a comment or a setting can suppress it: not what makes a file unreadable, nor what is about it."""
        return self.id[2] not in "019"

    @property
    def code(self) -> str:
        """The id with the rule of the portable profile that it stands for, such as `WM302/P02`."""
        return f"{self.id}/{self.profile}" if self.profile else self.id


def _rules(*rules: Rule) -> dict[str, Rule]:
    """Rules by id."""
    return {rule.id: rule for rule in rules}


#: Every rule, by id.
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
    Rule("WM320", "missing-field", "a field that may be missing is guarded", "P20", "warning"),
    Rule("WM331", "reserved-words", "reserved words are not variables", "P01b"),
    Rule("WM332", "contains-of-sum", "contains() is not called on the result of +", "P02b"),
    Rule("WM339", "string-sum", "a + of strings has an operand that is known to be a string", "P09b"),
    Rule("WM390", "second-opinion", "another engine of CEL parses the expression"),
    Rule("WM391", "witness", "other engines of CEL evaluate the expression to the same value"),
    Rule("WM401", "no-case", "a mapping has cases", level="note"),
    Rule("WM500", "crd-version", "the versions of a mapping are versions of its CustomResourceDefinition"),
    Rule("WM501", "crd-field", "a field is one that the kind has"),
    Rule("WM502", "crd-type", "a value is used as what its type allows"),
    Rule("WM503", "crd-comparison", "values that are compared can be equal"),
    Rule("WM504", "crd-enum", "a value that is compared or written is one that the kind allows"),
    Rule("WM505", "crd-absent", "a field that the kind may leave out is guarded"),
    Rule("WM506", "crd-default", "a default is the one that the API server fills in"),
    Rule("WM507", "crd-place", "a place that is written is one that the kind has"),
    Rule("WM508", "crd-result", "a value is of the type that its field in the mapping takes"),
    Rule("WM901", "unused-suppression", "a suppression suppresses something", level="warning"),
    Rule("WM902", "bad-suppression", "a suppression names rules that can be suppressed, and a reason"),
)

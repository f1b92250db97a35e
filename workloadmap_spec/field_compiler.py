"""The fields of a mapping: strings of CEL parsed and checked, values made readers, what is wrong collected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from workloadmap_spec import values
from workloadmap_spec.cel import (
    ABSENT,
    DYN,
    check,
    compile_expression,
    declared,
    list_of,
    map_of,
    members_used,
    parse,
    path_of,
    roots_used,
    scope_of,
)
from workloadmap_spec.cel.guards import NO_FACTS, when_true
from workloadmap_spec.errors import ExpressionError, Location, MappingError, MappingSemanticError
from workloadmap_spec.mapping import Condition, Expression, Field, Guard, Names, Variable
from workloadmap_spec.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workloadmap_spec.cel import Finding, Node, Path
    from workloadmap_spec.cel.guards import Facts
    from workloadmap_spec.values import Program, Reader

    #: Turns a checked expression (its tree and its text) into a program; a witness engine may take the place of ours.
    Engine = Callable[[Node, str], Program]

#: The variables whose types the portable profile does not know.
_OTHERS: Final = {"parts": list_of(map_of(DYN)), "patch": DYN}


class Observer(Protocol):
    """Looks on while a mapping is used: it is told of every part that is compiled, and may look at what each gives."""

    def reader(self, kind: str, at: str, read: Reader) -> Reader:
        """A reader in the place of one that was made for a place of the document."""

    def condition(self, at: str, holds: Condition, *, constant: bool) -> Condition:
        """A condition in the place of one that was made; `constant` says that it looks at nothing."""

    def part(self, kind: str, at: str) -> None:
        """Hear of a part that has no value: `used` tells when it is used."""

    def used(self, at: str) -> None:
        """Hear that a part was used: a gang entry made a group, a place was written to."""


def _says(condition: str | None) -> Facts:
    """What a condition says where it holds; nothing if there is none, or one that does not parse."""
    if condition is None:
        return NO_FACTS
    try:
        return when_true(parse(condition))
    except ExpressionError:
        # That is told where the condition itself is compiled.
        return NO_FACTS


def native_engine(tree: Node, _text: str) -> Program:
    """The evaluator of this package."""
    return compile_expression(tree)


class FieldCompiler:
    """Compiles the fields of one mapping; keeps what was found wrong, and what expressions there are."""

    def __init__(self, engine: Engine, observer: Observer | None = None) -> None:
        """Begin with nothing declared."""
        self.engine = engine
        self.observer = observer
        self.problems: list[MappingError] = []
        self.expressions: list[Expression] = []
        self.warnings: list[tuple[str, str, Finding]] = []
        #: What was compiled, by its place in the document: for those who write, and look at the parts of a value.
        self.parts: dict[str, Reader] = {}
        self.conditions: dict[str, Condition] = {}
        #: The references that the field which is being compiled rests on.
        self.depends: set[str] = set()
        #: What the conditions of the values around say where the part that is being compiled is evaluated.
        self.facts: Facts = NO_FACTS

    # Problems

    def problem(self, error: MappingError, at: str) -> None:
        """Note something wrong at a place of the document."""
        error.location = Location(pointer=at)
        self.problems.append(error)

    def contradiction(self, message: str, cure: str, at: str, rule: str = "contradiction") -> None:
        """Note that the mapping contradicts itself; `rule` is the name of the rule that tells of it."""
        self.problem(MappingSemanticError(message, cure=cure, rule=rule), at)

    # Who looks on

    def seen(self, kind: str, at: str, read: Reader) -> Reader:
        """A reader as the observer wants it; the reader itself if nobody looks on."""
        return read if self.observer is None else self.observer.reader(kind, at, read)

    def part(self, kind: str, at: str) -> None:
        """Tell the observer of a part that has no value."""
        if self.observer is not None:
            self.observer.part(kind, at)

    # Expressions and values

    def tree(self, text: str, at: str, names: Names, want: str | None = None) -> tuple[Node | None, Path | None]:
        """Parse and check one string of CEL; the path, if it is a path expression."""
        try:
            tree = parse(text)
        except ExpressionError as error:
            self.problem(error, at)
            return None, None
        others = {name: kind for name, kind in _OTHERS.items() if name in names.roots}
        if names.refs:
            others["refs"] = declared(names.refs)
        roots = names.roots - {"variables", *_OTHERS}
        self.depends |= members_used(tree, "refs") & names.refs
        for variable in members_used(tree, "variables"):
            self.depends |= names.declared.get(variable, frozenset())
        for finding in check(tree, text, scope_of(roots, tuple(names.declared), others), want, self.facts):
            if finding.level == "warning":
                self.warnings.append((at, text, finding))
            else:
                self.problem(finding.to_error(text), at)
        self.expressions.append(Expression(at, text, tree, names))
        return tree, path_of(tree)

    def string(self, text: str, at: str, field_at: str, names: Names, want: str | None = None) -> Reader:
        """A reader of a string of CEL; diagnostics name `field_at`, problems `at`."""
        tree, path = self.tree(text, at, names, want)
        if path is not None:
            return self.seen("expression", at, values.path_reader(path))
        if tree is None:
            return values.literal(ABSENT)
        if any(problem.location.pointer == at for problem in self.problems):
            return values.literal(ABSENT)
        return self.seen("expression", at, values.expression_reader(tree, field_at, self.engine(tree, text)))

    def value(self, value: Any, at: str, names: Names, field_at: str | None = None) -> Reader:  # noqa: ANN401 - JSON
        """A reader of a value (S5.1)."""
        field_at = field_at or at
        if isinstance(value, str):
            read = self.string(value, at, field_at, names)
        elif isinstance(value, dict):
            read = self.value_object(value, at, field_at, names)
        else:
            read = values.literal(value)
        self.parts[at] = read
        return read

    def value_object(self, value: Mapping[str, Any], at: str, field_at: str, names: Names) -> Reader:
        """A reader of a value object, in the order of S5.2."""
        around = self.facts
        self.facts |= _says(value.get("when"))
        read = self.unconditional(value, at, field_at, names)
        self.facts = around
        if "when" in value:
            read = values.guarded(read, self.condition(value["when"], f"{at}/when", names, field_at))
        if "writeTo" in value:
            self.place(value["writeTo"], f"{at}/writeTo", names)
            self.part("written", f"{at}/writeTo")
        if "write" in value:
            written = self.string(value["write"], f"{at}/write", f"{at}/write", names.adding("value"))
            self.parts[f"{at}/write"] = written
        return read

    def unconditional(self, value: Mapping[str, Any], at: str, field_at: str, names: Names) -> Reader:
        """A reader of a value object but for its `when`."""
        if "value" in value:
            read = self.value(value["value"], f"{at}/value", names, field_at)
        elif "firstOf" in value:
            alternatives = [
                self.alternative(alternative, f"{at}/firstOf/{index}", names, field_at)
                for index, alternative in enumerate(value["firstOf"])
            ]
            read = values.first_of(tuple(alternatives))
        else:
            read = values.unknown(value["unknown"])
        if "strip" in value:
            read = values.stripped(read, self.value(value["strip"], f"{at}/strip", names, field_at), field_at)
        if "as" in value:
            self.units(value["as"], f"{at}/as")
            read = values.converted(read, value["as"], field_at)
        if "default" in value:
            read = values.defaulted(self.seen("default", f"{at}/default", read), value["default"])
        if "absentIf" in value:
            read = values.absent_if(self.seen("sentinel", f"{at}/absentIf", read), tuple(value["absentIf"]))
            read = self.seen("kept", f"{at}/absentIf", read)
        return read

    def alternative(self, value: Any, at: str, names: Names, field_at: str) -> Reader:  # noqa: ANN401 - JSON
        """A reader of one alternative of `firstOf`."""
        read = self.value(value, at, names, field_at)
        return self.seen("unknown" if isinstance(value, dict) and "unknown" in value else "alternative", at, read)

    def units(self, kind: str | Mapping[str, Any], at: str) -> None:
        """Note a problem if two suffixes of `as: {units}` differ in their case only, which does not count (S4.4)."""
        suffixes = [] if isinstance(kind, str) else [suffix.lower() for suffix in kind["units"]]
        if len(set(suffixes)) < len(suffixes):
            message = "two units differ in their case only, and case does not count"
            self.contradiction(message, "drop one of them", at)

    def condition(self, text: str, at: str, names: Names, field_at: str | None = None) -> Condition:
        """A condition (S3.4.3)."""
        holds = values.condition_reader(self.string(text, at, field_at or at, names, want="bool"), field_at or at)
        if self.observer is not None:
            last = self.expressions[-1] if self.expressions else None
            constant = last is not None and last.at == at and not roots_used(last.tree)
            holds = self.observer.condition(at, holds, constant=constant)
        self.conditions[at] = holds
        return holds

    def place(self, text: str, at: str, names: Names) -> Reader:
        """A reader of a string that must be a path expression (S4.4)."""
        tree, path = self.tree(text, at, names)
        if path is None:
            if tree is not None:
                message = "a place is wanted here: a path such as object.spec.suspend, not an expression"
                self.contradiction(message, "name one place in the object", at, "not-a-place")
            return values.literal(ABSENT)
        return values.path_reader(path)

    # Fields of a map

    def field(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Field | None:
        """The field `name`, if the parent has it."""
        if name not in parent:
            return None
        place = f"{at}/{escape(name)}"
        return self.made(lambda: self.value(parent[name], place, names), place)

    def made(self, make: Callable[[], Reader], at: str) -> Field:
        """A field, with the references that it rests on."""
        outer, self.depends = self.depends, set()
        read = make()
        found = frozenset(self.depends)
        self.depends = outer | self.depends
        return Field(read, at, found)

    def literal(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Field | None:
        """A field that is a literal, or `{value: V}`."""
        if name not in parent:
            return None
        written = parent[name]
        place = f"{at}/{name}"
        if isinstance(written, dict):
            return self.made(lambda: self.value(written["value"], f"{place}/value", names, place), place)
        return Field(values.literal(written), place)

    def guard(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Guard | None:
        """The condition `name`, if the parent has it."""
        if name not in parent:
            return None
        place = f"{at}/{name}"
        return Guard(self.condition(parent[name], place, names), place)

    def variables(self, parent: Mapping[str, Any], at: str, names: Names) -> tuple[tuple[Variable, ...], Names]:
        """The declared variables, and the names that are visible behind them (S5.4)."""
        found = []
        for index, entry in enumerate(parent.get("variables", ())):
            place = f"{at}/variables/{index}"
            name = entry["name"]
            if name in names.declared:
                message = f"the variable `{name}` is declared twice"
                self.contradiction(message, "give one of them another name", f"{place}/name", "variable-twice")
            variable = Variable(name, self.made(lambda: self.variable(entry, place, names), place))  # noqa: B023 - called at once
            found.append(variable)
            names = names.declaring(name, variable.field.depends)
        return tuple(found), names

    def variable(self, entry: Mapping[str, Any], at: str, names: Names) -> Reader:
        """A reader of a declared variable: a value object, or the element that `find` finds (S5.3.2)."""
        if "find" not in entry:
            return self.value_object(entry, at, at, names)
        elements = self.place(entry["find"], f"{at}/find", names)
        where = [
            (key, self.value(wanted, f"{at}/where/{escape(key)}", names, at))
            for key, wanted in sorted(entry["where"].items())
        ]
        return self.seen("find", f"{at}/find", values.find(elements, tuple(where), at))

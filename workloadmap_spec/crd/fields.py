"""The values of a mapping against the shapes of their variables: value objects, variables, conditions, places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import path_of
from workloadmap_spec.cel.guards import IMPOSSIBLE, NEVER, NO_FACTS, Facts
from workloadmap_spec.cel.tree import Literal, walk
from workloadmap_spec.crd.expressions import Checker, Notes, Problem, Scope, choice, having, one_of
from workloadmap_spec.crd.facts import Knowledge, Trees
from workloadmap_spec.crd.fits import misfit
from workloadmap_spec.crd.shapes import (
    ANYTHING,
    BOOL,
    INT,
    LIST,
    MAP,
    NUMBERS,
    SCALAR,
    STRING,
    Shape,
    Value,
    constant,
    enum_of,
    joined,
    kinds_of,
    lacks,
    of_kinds,
    outside,
    same,
    shown,
    where_of,
    widened,
)
from workloadmap_spec.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.crd.expressions import Use

#: The texts that a conversion takes.
_TEXTS: Final = {"int": re.compile("-?[0-9]+"), "bool": re.compile("(?i:true|false)")}
#: What `as` takes, and what it gives (S5.2).
_AS: Final = {
    "int": (NUMBERS | STRING, "int"),
    "bool": (BOOL | STRING, "bool"),
    "milli": (NUMBERS | STRING, "int"),
    "units": (SCALAR, "int"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """What is in scope at a place of a mapping, with its shapes."""

    roots: Mapping[str, Value]
    declared: Mapping[str, Value] = field(default_factory=dict)
    #: What is known of them.
    known: Knowledge = field(default_factory=Knowledge)

    @property
    def is_reached(self) -> bool:
        """Whether there is an object of this version for which the place matters."""
        return NEVER not in self.known.facts

    def adding(self, **roots: Value) -> Names:
        """These names and further variables of the specification."""
        return replace(self, roots={**self.roots, **roots})

    def declaring(self, name: str, value: Value, known: Knowledge) -> Names:
        """These names and one more declared variable, with what is known then."""
        return replace(self, declared={**self.declared, name: value}, known=known)

    def knowing(self, facts: Facts) -> Names:
        """These names and what a condition says."""
        return replace(self, known=self.known.knowing(facts))

    def scope(self) -> Scope:
        """What an expression may see."""
        variables = Shape(MAP, fields=self.declared, required=tuple(self.declared), open="")
        return Scope({**self.roots, "variables": (variables,)}, self.known.facts, self.known.names())


class FieldChecker:
    """Checks the values of one mapping against one version of its kind."""

    def __init__(self, notes: Notes, trees: Trees) -> None:
        """Keep the expressions of the mapping, by their place in it."""
        self.notes = notes
        self.trees = trees
        #: The shapes of the values that a value tries in order, by the place of that value.
        self.parts: dict[str, list[tuple[str, Value]]] = {}

    # Expressions

    def expression(self, at: str, names: Names, use: Use = "read") -> Value:
        """The shape of an expression."""
        found = self.trees.get(at)
        if found is None or not names.is_reached:
            return ANYTHING
        text, tree = found
        return Checker(self.notes, at, text, names.scope(), use).check(tree)

    def condition(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Facts:
        """What a condition of a map says where it holds; it gives true or false."""
        if name not in parent:
            return NO_FACTS
        place = f"{at}/{name}"
        self.result(self.expression(place, names), BOOL, place, "a condition gives true or false")
        found = self.trees.get(place)
        return NO_FACTS if found is None else names.known.holding(found[1])

    def failing(self, at: str, names: Names) -> Facts:
        """What a condition says where it does not hold."""
        found = self.trees.get(at)
        return NO_FACTS if found is None else names.known.failing(found[1])

    def problem(self, rule: str, at: str, message: str, cure: str | None = None) -> None:
        """Note a problem about a whole value."""
        self.notes.problems.append(Problem(rule, "error", at, None, 0, message, cure))

    # Values

    def value(self, value: Any, at: str, names: Names) -> Value:  # noqa: ANN401 - JSON
        """The shape of a value (S5.1)."""
        if isinstance(value, str):
            return self.expression(at, names)
        return self.value_object(value, at, names) if isinstance(value, dict) else constant(value)

    def value_object(self, value: Mapping[str, Any], at: str, names: Names) -> Value:
        """The shape of a value object (S5.2)."""
        inner = names.knowing(self.condition(value, "when", at, names))
        if "value" in value:
            found = self.value(value["value"], f"{at}/value", inner)
        elif "firstOf" in value:
            parts = self.alternatives(value["firstOf"], f"{at}/firstOf", inner)
            found = joined(*parts)
            self.parts[at] = [(f"{at}/firstOf/{index}", part) for index, part in enumerate(parts)]
        else:
            found = ANYTHING
        read = found
        if "strip" in value:
            self.result(found, STRING, at, "`strip` takes a string")
            self.result(self.value(value["strip"], f"{at}/strip", inner), STRING, f"{at}/strip", "`strip` is a string")
            found = of_kinds("string")
            self.parts.pop(at, None)
        if "as" in value:
            takes, gives = _AS[value["as"] if isinstance(value["as"], str) else "units"]
            if self.result(found, takes, at, f"`as` takes {one_of(takes)}"):
                self.converted(value["as"], found, at)
            found = of_kinds(gives)
            self.parts.pop(at, None)
        if "default" in value and self.default(value, read, found, at):
            found = joined(found, constant(value["default"]))
        self.absent_if(value, found, at)
        self.written(value, read, found, at, inner)
        return found

    def alternatives(self, values: list[Any], at: str, names: Names) -> list[Value]:
        """The shapes of values that are tried in order: one is only reached where those before it are absent."""
        parts = []
        for index, one in enumerate(values):
            place = f"{at}/{index}"
            parts.append(self.value(one, place, names))
            absent = names.known.truth(one, place, self.trees).absent
            # Behind what is never absent nothing is reached, but its mistakes are looked for all the same. A condition
            # tells versions apart.
            is_condition = isinstance(one, dict) and "when" in one
            names = names.knowing(absent if is_condition else absent - IMPOSSIBLE)
        return parts

    def converted(self, conversion: Any, read: Value, at: str) -> None:  # noqa: ANN401 - JSON
        """Note a conversion that takes none of the texts that there are."""
        pattern = _TEXTS.get(conversion) if isinstance(conversion, str) else None
        texts = enum_of(read)
        if pattern is None or not texts or not all(isinstance(one, str) for one in texts):
            return
        if not any(pattern.fullmatch(one) for one in texts):
            what = f"`as: {conversion}` takes none of the values of {self.notes.named(where_of(read))}"
            cure = f"compare it: ... == {shown(texts[0])}" if conversion == "bool" else None
            self.problem("WM508", at, f"{what}: {', '.join(map(shown, texts))}", cure)

    def default(self, value: Mapping[str, Any], read: Value, found: Value, at: str) -> bool:
        """Whether a default has the type of what is read; a problem is noted if the schema contradicts it."""
        place, given = f"{at}/default", value["default"]
        converted = "as" in value or "strip" in value
        if not kinds_of(found) & widened(kinds_of(constant(given))):
            what = "the value" if converted else f"`{where_of(read)}`"
            message = f"the default is {one_of(kinds_of(constant(given)))}, and {what} is {one_of(kinds_of(found))}"
            self.problem("WM506", place, message, "give it the type of the field")
            return False
        enum = enum_of(read)
        # One that the mapping asks for stands for the absence of all values.
        if enum is not None and not converted and not same(given, enum) and not self.is_asked_for(given):
            message = f"the default {shown(given)} is none of the values of `{where_of(read)}`"
            self.problem("WM504", place, message, choice(given, enum))
            return True
        if not converted and isinstance(given, list | dict) and where_of(read):
            self.fits(constant(given), read, place, where_of(read), "WM506")
            return True
        filled = self.filled(value, at, read)
        if filled is not None and not converted and filled != given:
            message = f"the default is {shown(given)}, and the API server fills in {shown(filled)}"
            self.problem("WM506", place, message, f"write default: {shown(filled)}")
        return True

    def is_asked_for(self, default: Any) -> bool:  # noqa: ANN401 - JSON
        """Whether an expression names a default, or it is empty."""
        trees = (tree for _, tree in self.trees.values())
        literals = (one.value for tree in trees for one in walk(tree) if isinstance(one, Literal))
        return default == "" or default in literals

    def absent_if(self, value: Mapping[str, Any], found: Value, at: str) -> None:
        """Note a literal that the value never is."""
        for index, one in enumerate(value.get("absentIf", ())):
            if one == "":
                continue
            place, literal = f"{at}/absentIf/{index}", constant(one)
            if not kinds_of(found) & widened(kinds_of(literal)):
                message = f"{shown(one)} is {one_of(kinds_of(literal))}, and the value is {one_of(kinds_of(found))}"
                self.problem("WM503", place, message, "write a value of that type")
            elif (enum := enum_of(found)) is not None and not same(one, enum):
                message = f"the value{self.notes.placed(found)} is never {shown(one)}"
                self.problem("WM504", place, message, choice(one, enum))

    def filled(self, value: Mapping[str, Any], at: str, read: Value) -> Any:  # noqa: ANN401 - JSON
        """What the API server fills in at a path of one field below what is always there; None if nothing.

        Deeper below what may be missing it fills in nothing, so that another default may be right there.
        """
        found = self.trees.get(f"{at}/value") if isinstance(value.get("value"), str) else None
        path = None if found is None else path_of(found[1])
        if path is None or len(read) != 1 or not isinstance(read[0].default, (str, int, float, bool)):
            return None
        below = path.steps[1:] if path.root == "object" and path.steps[:1] == ("spec",) else path.steps
        return read[0].default if path.root in {"object", "item"} and len(below) == 1 else None

    def result(self, value: Value, wanted: frozenset[str], at: str, what: str) -> bool:
        """Whether all parts of a value have one of the types that are wanted; a problem is noted if not."""
        if self.any_part(at, wanted, what):
            return False
        wrong = outside(value, wanted)
        if not wrong:
            return True
        is_certain = not kinds_of(value) & wanted
        cure = None
        if wrong == STRING and INT <= wanted <= NUMBERS:
            cure = "read it as a number: {value: ..., as: int}"
        elif wrong == STRING and wanted == BOOL:
            cure = "compare it, or read it as a boolean: {value: ..., as: bool}"
        elif wrong == LIST and wanted & INT:
            cure = "count the elements: size(...)"
        part = tuple(shape for shape in value if lacks(shape.kinds, wanted))
        message = f"{what}, and this{self.notes.placed(part)} {'is' if is_certain else 'may be'} {one_of(wrong)}"
        self.problem("WM508", at, message, cure)
        return False

    def fits(self, value: Value, wanted: Value, at: str, what: str, rule: str | None = None) -> bool:
        """Whether a value fits where it is put, deep inside too; a problem is noted if not."""
        parts = [self.fits(part, wanted, place, what, rule) for place, part in self.parts.get(at, ())]
        if not all(parts):
            return False
        found = misfit(value, wanted)
        if found is None:
            return True
        place = f"{what}.{found.path}".replace(".[", "[") if found.path else what
        place = place if " " in place else f"`{place}`"
        message, cure = f"{place} {found.says}", found.cure
        if found.rule == "WM502":
            message = f"{self.notes.named(where_of(value))} is put into {place}, and {found.says}"
            cure = f"name the place that holds {place}"
        self.problem(rule if rule and found.rule == "WM508" else found.rule, at, message, cure)
        return False

    def any_part(self, at: str, wanted: frozenset[str], what: str) -> bool:
        """Whether one of the values that are tried in order has none of the types that are wanted, which is noted."""
        parts = [self.result(part, wanted, place, what) for place, part in self.parts.get(at, ())]
        return not all(parts)

    def field(  # noqa: PLR0913 - where it is, and what is wanted
        self, parent: Mapping[str, Any], name: str, at: str, names: Names, wanted: frozenset[str] | None, what: str = ""
    ) -> Value | None:
        """The shape of the field `name` of a map, which has one of the wanted types; None if it is not there."""
        if name not in parent:
            return None
        place = f"{at}/{escape(name)}"
        found = self.value(parent[name], place, names)
        if wanted is not None:
            self.result(found, wanted, place, what or f"`{name}` is {one_of(wanted)}")
        return found

    def literal(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Value:
        """The shape of a field that is a literal, or `{value: V}`, which is a string."""
        written = parent.get(name)
        if not isinstance(written, dict) or "value" not in written:
            return ()
        found = self.value(written["value"], f"{at}/{name}/value", names)
        self.result(found, STRING, f"{at}/{name}/value", f"`{name}` is a string")
        return found

    def labels(self, labels: Mapping[str, Any], at: str, names: Names) -> None:
        """Pairs of label and value."""
        for label in labels:
            self.field(labels, label, at, names, STRING, "the value of a label is a string")

    def variables(self, parent: Mapping[str, Any], at: str, names: Names) -> Names:
        """The names that are visible behind the declared variables (S5.4)."""
        for index, entry in enumerate(parent.get("variables", ())):
            place = f"{at}/variables/{index}"
            value = self.found(entry, place, names) if "find" in entry else self.value_object(entry, place, names)
            names = names.declaring(entry["name"], value, names.known.declaring(entry, place, self.trees))
        return names

    def found(self, entry: Mapping[str, Any], at: str, names: Names) -> Value:
        """The shape of the element that `find` finds (S5.3.2)."""
        place = f"{at}/find"
        elements = self.expression(place, names)
        self.result(elements, LIST, place, "`find` looks into a list")
        element = joined(*(shape.element() for shape in elements if "list" in shape.kinds))
        for key, wanted in entry["where"].items():
            where = f"{at}/where/{escape(key)}"
            value = self.value(wanted, where, names)
            maps = [shape for shape in element if "map" in shape.kinds]
            declared = [one for shape in maps if (one := shape.member(key)) is not None]
            known = joined(*declared)
            if maps and not declared and all(shape.open is None and shape.values is None for shape in maps):
                message = f"the elements of {self.notes.named(maps[0].where)} have no field `{key}`"
                self.problem("WM501", where, message, self.notes.cure(maps[0], key))
            elif not kinds_of(known) & kinds_of(value):
                message = f"`{key}` is {one_of(kinds_of(known))}, and what is looked for is {one_of(kinds_of(value))}"
                self.problem("WM503", where, message, "look for a value of that type")
            else:
                self.fits(value, known, where, key, "WM503")
        for key in entry["where"]:
            # What was found has what was looked for: an absent value matches nothing.
            element = having(element, (f".{key}",))
        return element

    # Writing

    def place(self, at: str, names: Names) -> Value:
        """The shape of a place that is written: one that the kind has, and that its writer may write."""
        found = self.trees.get(at)
        path = None if found is None or not names.is_reached else path_of(found[1])
        steps = () if path is None or path.root != "object" else path.steps
        if steps[:1] in {("apiVersion",), ("kind",)}:
            self.problem("WM507", at, f"the {steps[0]} of an object is never changed", "name a place in the spec")
            return ANYTHING
        if steps[:1] == ("status",) and self.notes.keeps_status:
            message = "the status is written by the controller: who updates the object leaves it as it is"
            self.problem("WM507", at, message, "name the place in the spec that asks for it")
        return self.expression(at, names, "written")

    def written(self, value: Mapping[str, Any], read: Value, result: Value, at: str, names: Names) -> None:
        """The place that a value is written to, and what is put there (S20.4): `write` sees what the value is to be."""
        if "writeTo" not in value:
            return
        target = self.place(f"{at}/writeTo", names)
        if "write" in value:
            given = self.expression(f"{at}/write", names.adding(value=of_kinds(*kinds_of(result))))
            where = f"{at}/write"
        else:
            given, where = read, f"{at}/writeTo"
        # A double without a fraction is an int (N1).
        kinds = kinds_of(given) | (INT if "double" in kinds_of(given) else frozenset())
        if not self.misses(given, kinds, target, where, "convert it in `write`") and "write" in value:
            self.fits(given, target, where, where_of(target) or "writeTo", "WM507")

    def misses(self, given: Value, kinds: frozenset[str], target: Value, at: str, cure: str) -> bool:
        """Whether what is written has none of the types that its place takes, which is noted."""
        if kinds & kinds_of(target):
            return False
        message = f"{one_of(kinds_of(given))} is written, and `{where_of(target)}` is {one_of(kinds_of(target))}"
        self.problem("WM507", at, message, cure)
        return True

    def assigned(self, to: Any, target: Value, at: str) -> None:  # noqa: ANN401 - JSON
        """Note a literal that the place it is written to does not take."""
        given = constant(to)
        if self.misses(given, kinds_of(given), target, at, "write a value of that type"):
            return
        self.fits(given, target, at, where_of(target) or "set", "WM507")

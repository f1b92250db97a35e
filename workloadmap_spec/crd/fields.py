"""The values of a mapping against the shapes of their variables: value objects, variables, conditions, places."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import Node, path_of
from workloadmap_spec.crd.expressions import NEVER, Checker, Notes, Problem, Scope, choice, implied, one_of
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
    of_kinds,
    where_of,
)
from workloadmap_spec.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.cel.guards import Facts
    from workloadmap_spec.crd.expressions import Use

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
    trees: Mapping[str, Node] = field(default_factory=dict)
    facts: Facts = frozenset()

    def adding(self, **roots: Value) -> Names:
        """These names and further variables of the specification."""
        return replace(self, roots={**self.roots, **roots})

    def declaring(self, name: str, value: Value, tree: Node | None) -> Names:
        """These names and one more declared variable; the tree if it is one expression."""
        trees = self.trees if tree is None else {**self.trees, name: tree}
        return replace(self, declared={**self.declared, name: value}, trees=trees)

    def knowing(self, facts: Facts) -> Names:
        """These names and what a condition says."""
        return replace(self, facts=self.facts | facts)

    def scope(self) -> Scope:
        """What an expression may see."""
        variables = Shape(MAP, fields=self.declared, required=tuple(self.declared), open="")
        return Scope({**self.roots, "variables": (variables,)}, self.facts, self.trees)


class FieldChecker:
    """Checks the values of one mapping against one version of its kind."""

    def __init__(self, notes: Notes, trees: Mapping[str, tuple[str, Node]]) -> None:
        """Keep the expressions of the mapping, by their place in it."""
        self.notes = notes
        self.trees = trees
        #: The shapes of the values that a value tries in order, by the place of that value.
        self.parts: dict[str, list[tuple[str, Value]]] = {}

    # Expressions

    def expression(self, at: str, names: Names, use: Use = "read") -> Value:
        """The shape of an expression."""
        found = self.trees.get(at)
        if found is None or NEVER in names.facts:
            return ANYTHING
        text, tree = found
        return Checker(self.notes, at, text, names.scope(), use).check(tree)

    def condition(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Facts:
        """What a condition of a map says where it holds; it gives true or false."""
        if name not in parent:
            return frozenset()
        place = f"{at}/{name}"
        self.result(self.expression(place, names), BOOL, place, "a condition gives true or false")
        found = self.trees.get(place)
        return frozenset() if found is None else implied(found[1], names.trees, self.notes.api_version, holds=True)

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
            parts = [self.value(one, f"{at}/firstOf/{index}", inner) for index, one in enumerate(value["firstOf"])]
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
            self.result(found, takes, at, f"`as` takes {one_of(takes)}")
            found = of_kinds(gives)
            self.parts.pop(at, None)
        if "default" in value:
            self.default(value, read, at)
            found = joined(found, constant(value["default"]))
        self.written(value, read, found, at, inner)
        return found

    def default(self, value: Mapping[str, Any], read: Value, at: str) -> None:
        """Note a default that the schema contradicts."""
        place, given = f"{at}/default", value["default"]
        converted = "as" in value or "strip" in value
        if not converted and not kinds_of(read) & kinds_of(constant(given)):
            where = where_of(read)
            message = f"the default is {one_of(kinds_of(constant(given)))}, and `{where}` is {one_of(kinds_of(read))}"
            self.problem("WM506", place, message, "give it the type of the field")
            return
        enum = enum_of(read)
        if enum is not None and not converted and given != "" and given not in enum:
            message = f"the default {given!r} is none of the values of `{where_of(read)}`"
            self.problem("WM504", place, message, choice(given, enum))
            return
        filled = self.filled(value, at, read)
        if filled is not None and not converted and filled != given:
            message = f"the default is {_json(given)}, and the API server fills in {_json(filled)}"
            self.problem("WM506", place, message, f"write default: {_json(filled)}")

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

    def result(self, value: Value, wanted: frozenset[str], at: str, what: str) -> None:
        """Note a value that has none of the types that are wanted."""
        if self.any_part(at, wanted, what):
            return
        kinds = kinds_of(value)
        if kinds & wanted or not kinds:
            return
        cure = None
        if kinds == STRING and wanted == INT:
            cure = "read it as a number: {value: ..., as: int}"
        elif kinds == STRING and wanted == BOOL:
            cure = "compare it, or read it as a boolean: {value: ..., as: bool}"
        elif kinds == LIST and wanted & INT:
            cure = "count the elements: size(...)"
        self.problem("WM508", at, f"{what}, and this{self.notes.placed(value)} is {one_of(kinds)}", cure)

    def any_part(self, at: str, wanted: frozenset[str], what: str) -> bool:
        """Whether one of the values that are tried in order has none of the types that are wanted, which is noted."""
        before = len(self.notes.problems)
        for place, part in self.parts.get(at, ()):
            self.result(part, wanted, place, what)
        return len(self.notes.problems) > before

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

    def literal(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> None:
        """A field that is a literal, or `{value: V}`, which is a string."""
        written = parent.get(name)
        if isinstance(written, dict) and "value" in written:
            found = self.value(written["value"], f"{at}/{name}/value", names)
            self.result(found, STRING, f"{at}/{name}/value", f"`{name}` is a string")

    def labels(self, labels: Mapping[str, Any], at: str, names: Names) -> None:
        """Pairs of label and value."""
        for label in labels:
            self.field(labels, label, at, names, STRING, "the value of a label is a string")

    def variables(self, parent: Mapping[str, Any], at: str, names: Names) -> Names:
        """The names that are visible behind the declared variables (S5.4)."""
        for index, entry in enumerate(parent.get("variables", ())):
            place = f"{at}/variables/{index}"
            value = self.found(entry, place, names) if "find" in entry else self.value_object(entry, place, names)
            names = names.declaring(entry["name"], value, self.tree_of(entry, place))
        return names

    def tree_of(self, entry: Mapping[str, Any], at: str) -> Node | None:
        """The expression that a variable is, if it is one that is false where it says nothing."""
        found = self.trees.get(f"{at}/value")
        if found is None or "absentIf" in entry or entry.get("default", False) is not False:
            return None
        return found[1]

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
        return element

    # Writing

    def place(self, at: str, names: Names) -> Value:
        """The shape of a place that is written: one that the kind has, and that its writer may write."""
        found = self.trees.get(at)
        path = None if found is None or NEVER in names.facts else path_of(found[1])
        if path is not None and path.root == "object" and path.steps[:1] == ("status",) and self.notes.keeps_status:
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
        self.misses(given, kinds, target, where, "convert it in `write`")

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
        enum = enum_of(target)
        if enum is not None and to not in enum:
            message = f"`{where_of(target)}` of {self.notes.kind} is never {_json(to)}"
            self.problem("WM504", at, message, choice(to, enum))


def _json(value: Any) -> str:  # noqa: ANN401 - JSON
    """A literal as a mapping has it."""
    import json  # noqa: PLC0415 - for messages only

    return json.dumps(value, ensure_ascii=False)

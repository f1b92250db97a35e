"""What the values of a mapping say about others: of a variable once, where it is declared.

The facts and places are those of `cel/guards.py`; `item` and `variables.x` have the component in their root, so that a
fact about the item of one component is none about that of another, whatever it is called there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from workloadmap_spec.cel import ABSENT, Node, compile_expression, members_guarded, members_used, path_of
from workloadmap_spec.cel.guards import (
    EACH,
    IMPOSSIBLE,
    NEVER,
    NO_FACTS,
    Facts,
    Known,
    Place,
    Truth,
    below,
    either,
    mentioned,
    place,
    there,
    when_false,
    when_some,
    when_true,
)
from workloadmap_spec.cel.tree import (
    Call,
    Has,
    Ident,
    Index,
    Literal,
    Macro,
    Select,
    Ternary,
    children,
)
from workloadmap_spec.errors import WorkloadMapError

#: Between a component and what is its own, in the root of a place.
_OF: Final = "//"
#: What makes another value of a value.
_CHANGES: Final = ("strip", "as", "default")
#: The expressions of a mapping with their texts, by their place in it.
Trees = Mapping[str, tuple[str, Node]]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known in the scope of a place of a mapping."""

    #: What the conditions around say.
    facts: Facts = NO_FACTS
    places: Mapping[str, Place] = field(default_factory=dict)
    variables: Mapping[str, Truth] = field(default_factory=dict)
    #: What has one value in all objects of the version that is checked, by root and name.
    constants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: The component of which the names are; empty outside.
    component: str = ""

    def names(self) -> Known:
        """What is known of the names."""
        return Known(self.places, self.variables, self.fixed)

    def knowing(self, facts: Facts) -> Knowledge:
        """This and further facts."""
        return replace(self, facts=self.facts | facts) if facts else self

    def within(self, component: str, *, is_list: bool) -> Knowledge:
        """The same inside a component; in a list of instances `item` and `key` are others."""
        places = dict(self.places)
        if is_list:
            if "item" in places:
                places["parent"] = places["item"]
            places |= {name: (f"{component}{_OF}{name}",) for name in ("item", "key")}
        return replace(self, places=places, component=component)

    def holding(self, tree: Node) -> Facts:
        """What a condition says where it holds."""
        known = self.names()
        return when_true(tree, known) | mentioned(tree, known)

    def failing(self, tree: Node) -> Facts:
        """What a condition says where it does not hold, which is also the case where it is absent (S3.4.3)."""
        return NO_FACTS if self.may_be_absent(tree) else when_false(tree, self.names())

    def of_each(self, tree: Node) -> list[Place]:
        """What is known to be there in each element of a list, as steps from it."""
        return below(self.facts, (*place(tree, self.names()), EACH))

    # Declarations

    def declaring(self, entry: Mapping[str, Any], at: str, trees: Trees) -> Knowledge:
        """What is known behind the declaration of a variable."""
        name = entry["name"]
        truth = self.found(f"{at}/find", trees) if "find" in entry else self.truth(entry, at, trees)
        other = self.alias(entry, f"{at}/value", trees)
        if other is None and self.component:
            other = (f"{self.component}{_OF}variables", f".{name}")
        places = self.places if other is None else {**self.places, f"variables.{name}": other}
        constants = self.constants
        constant = self.constant_of(trees[f"{at}/value"][1]) if f"{at}/value" in trees else ABSENT
        if constant is not ABSENT and not any(change in entry for change in ("strip", "as")):
            constants = {**constants, "variables": {**constants.get("variables", {}), name: constant}}
        return replace(self, places=places, variables={**self.variables, name: truth}, constants=constants)

    def alias(self, entry: Mapping[str, Any], at: str, trees: Trees) -> Place | None:
        """The place that a variable is another name for."""
        if at not in trees or any(change in entry for change in _CHANGES) or path_of(trees[at][1]) is None:
            return None
        return place(trees[at][1], self.names())

    def found(self, at: str, trees: Trees) -> Truth:
        """What an element that was found says: there is a list, which has elements."""
        there = when_some(trees[at][1], self.names()) if at in trees else NO_FACTS
        return Truth(there, there, there, NO_FACTS, there)

    def truth(self, value: Any, at: str, trees: Trees) -> Truth:  # noqa: ANN401 - JSON
        """What a value says about others (S5.1)."""
        if isinstance(value, dict):
            return self.truth_of_object(value, at, trees)
        if not isinstance(value, str):
            return _of_literal(value)
        return self.truth_of_tree(trees[at][1]) if at in trees else Truth()

    def truth_of_tree(self, tree: Node) -> Truth:
        """What an expression says, where it does not fail."""
        known = self.names()
        read = mentioned(tree, known)
        if path_of(tree) is not None:
            read |= there(tree, known)
        return Truth(
            read | when_true(tree, known),
            read | when_false(tree, known),
            read,
            NO_FACTS if self.may_be_absent(tree) else IMPOSSIBLE,
            read | when_some(tree, known),
        )

    def truth_of_object(self, value: Mapping[str, Any], at: str, trees: Trees) -> Truth:
        """What a value object says, step by step as it is evaluated (S5.2)."""
        condition = trees.get(f"{at}/when")
        guard = NO_FACTS if condition is None else self.holding(condition[1])
        if "value" in value:
            found = self.truth(value["value"], f"{at}/value", trees)
        else:
            parts = value.get("firstOf", ())
            found = _first_of([self.truth(one, f"{at}/firstOf/{index}", trees) for index, one in enumerate(parts)])
        if "strip" in value:
            found = found._replace(absent=NO_FACTS)
        if "default" in value:
            found = _first_of([found, _of_literal(value["default"])])
        if "absentIf" in value:
            found = found._replace(absent=NO_FACTS)
        if condition is None:
            return found
        otherwise = either(guard | found.absent, self.failing(condition[1]))
        return _following(guard, found)._replace(absent=otherwise)

    # Absence and constants

    def may_be_absent(self, tree: Node) -> bool:
        """Whether an expression may give nothing (S3.4.1), without having failed."""
        path = path_of(tree)
        if path is not None:
            return path.root != "variables" or len(path.steps) != 1 or self.is_optional(str(path.steps[0]))
        variables = members_used(tree, "variables") - members_guarded(tree, "variables")
        references = members_used(tree, "refs") - members_guarded(tree, "refs")
        return bool(references) or any(self.is_optional(name) for name in variables) or not _gives(tree)

    def is_optional(self, name: str) -> bool:
        """Whether a variable may be absent."""
        found = self.variables.get(name)
        return found is None or NEVER not in found.absent

    def fixed(self, tree: Node) -> bool | None:
        """Whether a condition is true, or false, in all objects of the version that is checked; else None."""
        value = self.constant_of(tree)
        return value if isinstance(value, bool) else None

    def constant_of(self, tree: Node) -> Any:  # noqa: ANN401 - JSON
        """The value of an expression that is the same in all objects of the version that is checked; else ABSENT."""
        if not _is_constant(tree, self.constants, frozenset()):
            return ABSENT
        try:
            return compile_expression(tree, "")({name: dict(values) for name, values in self.constants.items()})
        except WorkloadMapError:
            return ABSENT


def of_all(facts: Facts) -> Facts:
    """The facts that are about no component."""
    return frozenset(fact for fact in facts if not any(_OF in part for part in fact))


def _of_literal(value: Any) -> Truth:  # noqa: ANN401 - JSON
    """What a literal says: it is there, and not something else."""
    return Truth(
        IMPOSSIBLE if value is False else NO_FACTS,
        IMPOSSIBLE if value is True else NO_FACTS,
        absent=IMPOSSIBLE,
        some=IMPOSSIBLE if value in ([], {}) else NO_FACTS,
    )


def _following(before: Facts, one: Truth) -> Truth:
    """What a value says that is reached only where something holds."""
    return Truth(before | one.true, before | one.false, before | one.present, one.absent, before | one.some)


def _first_of(values: list[Truth]) -> Truth:
    """What the first of several values that is there says, or that there is none."""
    absent, reached = NO_FACTS, []
    for one in values:
        reached.append(_following(absent, one))
        absent |= one.absent
    return Truth(
        either(*(one.true for one in reached)),
        either(*(one.false for one in reached)),
        either(*(one.present for one in reached)),
        absent,
        either(*(one.some for one in reached)),
    )


def _gives(tree: Node) -> bool:
    """Whether an expression gives a value that is not null: an element of a list may be null, a field is not (S2.3)."""
    match tree:
        case Ident() | Index():
            return False
        case Literal():
            return tree.value is not None
        case Ternary():
            return _gives(tree.then) and _gives(tree.otherwise)
        case Call(function="dyn", arguments=(argument,)):
            return _gives(argument)
        case _:
            return True


def _is_constant(node: Node, constants: Mapping[str, Mapping[str, Any]], bound: frozenset[str]) -> bool:
    """Whether an expression reads constants only."""
    match node:
        case Ident():
            return node.name in bound
        case Select(operand=Ident(name=root), field=name) if root not in bound:
            return name in constants.get(root, {})
        case Index(operand=Ident(name=root), key=Literal(value=str(name))) if root not in bound:
            return name in constants.get(root, {})
        case Has():
            return False
        case Macro():
            return _is_constant(node.range, constants, bound) and _is_constant(
                node.body, constants, bound | {node.variable}
            )
        case _:
            return all(_is_constant(child, constants, bound) for child in children(node))

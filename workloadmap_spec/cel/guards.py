"""What the conditions around a part of an expression say about the values in it.

A fact is a tuple: what is known (`has`, `size`, `type`), then the place that it is known of. A place is a tuple as
well, its root and its steps, so that what is written in two ways (`a.b`, `a["b"]`) is one place, and a fact can be
moved from one root to another: from a list to its elements, from an element to the variable of a macro.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from workloadmap_spec.cel.names import members_guarded, members_used
from workloadmap_spec.cel.printer import print_expression
from workloadmap_spec.cel.tree import (
    Binary,
    Call,
    Has,
    Ident,
    Index,
    ListLiteral,
    Literal,
    Macro,
    MapLiteral,
    Node,
    Select,
    Ternary,
    Unary,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: A root, and steps: `.x` for the field x, `[k]` for what an expression k gives, `[*]` for every element.
Place = tuple[str, ...]
Facts = frozenset[tuple[str, ...]]
NO_FACTS: Final[Facts] = frozenset()
#: What holds where nothing does: behind a condition that is never fulfilled.
NEVER: Final = ("never",)
IMPOSSIBLE: Final[Facts] = frozenset({NEVER})
EACH: Final = "[*]"
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Truth(NamedTuple):
    """What a value says about others, by what is known of it."""

    true: Facts = NO_FACTS
    false: Facts = NO_FACTS
    present: Facts = NO_FACTS
    #: Where it is not there, which is never the case for what has a default.
    absent: Facts = NO_FACTS
    #: Where it is a list or map and has elements.
    some: Facts = NO_FACTS


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the names in a scope."""

    #: The places of names that are other names for something: `item`, `variables.x`.
    places: Mapping[str, Place] = field(default_factory=dict)
    #: What the declared variables say, by their names.
    variables: Mapping[str, Truth] = field(default_factory=dict)
    #: Whether a condition is the same for all objects: true or false, or None.
    fixed: Callable[[Node], bool | None] | None = None


NOTHING: Final = Known()


def place(node: Node, known: Known = NOTHING) -> Place:
    """The canonical place of a node; one that is no chain of steps is a root itself."""
    match node:
        case Ident(name=name):
            return known.places.get(name) or (name,)
        case Select(operand=operand, field=name) | Index(operand=operand, key=Literal(value=str(name))):
            other = known.places.get(f"variables.{name}") if _is_variables(operand) else None
            return other or (*place(operand, known), f".{name}")
        case Index():
            return (*place(node.operand, known), _key(node.key, known))
        case _:
            return (_text(node, known),)


def present(node: Node, known: Known = NOTHING) -> tuple[str, ...]:
    """The fact that a field or element is there."""
    return ("has", *place(node, known))


def sized(node: Node, known: Known = NOTHING) -> tuple[str, ...]:
    """The fact that the number of elements was looked at."""
    return ("size", *place(node, known))


def typed(node: Node, known: Known = NOTHING) -> tuple[str, ...]:
    """The fact that the type was looked at."""
    return ("type", *place(node, known))


def keyed(macro: Macro, known: Known = NOTHING) -> tuple[str, ...]:
    """The fact that the variable of a macro over a map is a key of it."""
    return ("has", *place(macro.range, known), _variable_key(macro.variable))


def when_true(node: Node, known: Known = NOTHING) -> Facts:
    """What holds where a condition is true."""
    return when(node, known, holds=True)


def when_false(node: Node, known: Known = NOTHING) -> Facts:
    """What holds where a condition is false."""
    return when(node, known, holds=False)


def when(node: Node, known: Known, *, holds: bool) -> Facts:  # noqa: C901, PLR0911 - one case for each form of a condition
    """What holds where a condition is true, or false."""
    if known.fixed is not None and known.fixed(node) is (not holds):
        return IMPOSSIBLE
    match node:
        case Literal(value=bool(value)):
            return NO_FACTS if value is holds else IMPOSSIBLE
        case Unary(operator="!"):
            return when(node.operand, known, holds=not holds)
        case Binary(operator="&&" | "||"):
            left, right = when(node.left, known, holds=holds), when(node.right, known, holds=holds)
            # Of a false `&&` one side is false, and the other may even have failed.
            return left | right if (node.operator == "&&") is holds else either(left, right)
        case Binary(operator="==" | "!=", left=other, right=Literal(value=bool(value))):
            return when(other, known, holds=(value is (node.operator == "==")) is holds)
        case Binary(operator="==" | "!=", left=Literal(value=bool(value)), right=other):
            return when(other, known, holds=(value is (node.operator == "==")) is holds)
        case Ternary():
            then = when_true(node.condition, known) | when(node.then, known, holds=holds)
            return either(then, when_false(node.condition, known) | when(node.otherwise, known, holds=holds))
        case Macro():
            return _of_macro(node, known, holds=holds)
        case Has():
            return there(Select(0, 0, 0, node.operand, node.field), known) if holds else NO_FACTS
        case Select() | Index():
            said = _variable(node, known, "true" if holds else "false")
            return said | there(node, known) if holds else said
        case Binary(operator="in") if holds:
            found = ("has", *place(node.right, known), _key(node.left, known))
            return frozenset({found, sized(node.right, known)}) | when_some(node.right, known)
        case _:
            return _compared(node, known, holds=holds)


def when_some(node: Node, known: Known = NOTHING) -> Facts:
    """What holds where a list or map has elements."""
    match node:
        case Select() | Index():
            return there(node, known) | _variable(node, known, "some")
        case Macro(macro="filter" | "map"):
            return when_some(node.range, known)
        case Ternary():
            then = when_true(node.condition, known) | when_some(node.then, known)
            return either(then, when_false(node.condition, known) | when_some(node.otherwise, known))
        case ListLiteral(elements=()) | MapLiteral(entries=()):
            return IMPOSSIBLE
        case Call(function="dyn", arguments=(argument,)):
            return when_some(argument, known)
        case _:
            return NO_FACTS


def there(node: Node, known: Known) -> Facts:
    """What holds where a field or element is there: what it is in is there as well."""
    facts: set[tuple[str, ...]] = set()
    while isinstance(node, Select | Index):
        facts |= {present(node, known), *_variable(node, known, "present")}
        node = node.operand
    return frozenset(facts)


def mentioned(tree: Node, known: Known) -> Facts:
    """What holds where an expression is evaluated: all variables are there that it mentions and does not test."""
    if not known.variables:
        return NO_FACTS
    names = members_used(tree, "variables") - members_guarded(tree, "variables")
    return NO_FACTS.union(*(known.variables[name].present for name in names if name in known.variables))


def either(*facts: Facts) -> Facts:
    """What holds in one of several cases, of which those that are impossible do not count."""
    possible = [one for one in facts if NEVER not in one]
    if not possible:
        return IMPOSSIBLE if facts else NO_FACTS
    return possible[0].intersection(*possible[1:])


def absorbed(node: Node, known: Known, *, holds: bool) -> Facts:
    """What a side of `&&` (or, where it does not hold, of `||`) lets the other side take for granted.

    Where one side is false the other may fail (S3.2.7); only tests that do not fail themselves count.
    """
    match node:
        case Binary(operator="&&" | "||") if (node.operator == "&&") is holds:
            return absorbed(node.left, known, holds=holds) | absorbed(node.right, known, holds=holds)
        case Unary(operator="!"):
            return absorbed(node.operand, known, holds=not holds)
        case Has() if holds:
            return frozenset({("has", *place(node.operand, known), f".{node.field}")})
        case Binary(operator="in") if holds:
            return frozenset({("has", *place(node.right, known), _key(node.left, known))})
        case Select() | Index():
            return _variable(node, known, "true" if holds else "false")
        case _:
            return NO_FACTS


def below(facts: Facts, root: Place) -> list[Place]:
    """What is known to be there below a place, as steps from it."""
    start = ("has", *root)
    return [fact[len(start) :] for fact in facts if len(fact) > len(start) and fact[: len(start)] == start]


def moved(facts: Facts, old: Place, new: Place) -> Facts:
    """What is known below a place, as known of another."""
    return frozenset((one[0], *new, *one[1 + len(old) :]) for one in facts if one[1 : 1 + len(old)] == old)


def of_elements(macro: Macro, facts: Facts, known: Known = NOTHING) -> Facts:
    """What holds for each element of a macro's range: what its filters tested, and what all elements have."""
    variable = (macro.variable,)
    source = macro.range
    found = moved(facts, (*place(source, known), EACH), variable)
    while isinstance(source, Macro) and source.macro == "filter":
        found |= _renamed(when_true(source.body, known), source.variable, macro.variable)
        source = source.range
        found |= moved(facts, (*place(source, known), EACH), variable)
    return found


def _renamed(facts: Facts, old: str, new: str) -> Facts:
    """What is known of the variable of one macro, as known of that of another."""
    if old == new:
        return facts
    keys = {_variable_key(old): _variable_key(new)}
    others = (tuple(keys.get(part, part) for part in one) for one in facts if one[1:2] != (old,))
    # What has the variable deeper inside is not known of another.
    return moved(facts, (old,), (new,)) | {one for one in others if not any(f"'{old}'" in part for part in one)}


def _is_variables(node: Node) -> bool:
    """Whether a node is the map of the declared variables."""
    return isinstance(node, Ident) and node.name == "variables"


def _key(node: Node, known: Known) -> str:
    """The step that an index is."""
    if isinstance(node, Literal) and isinstance(node.value, str):
        return f".{node.value}"
    return f"[{_text(node, known)}]"


def _variable_key(name: str) -> str:
    """The step that the variable of a macro is."""
    return _key(Ident(0, 0, 0, name), NOTHING)


def _text(node: Node, known: Known) -> str:
    """The canonical text of a node."""
    if isinstance(node, Literal):
        return print_expression(node)
    if isinstance(node, Ident | Select | Index):
        return str(place(node, known))
    own = [part for part in node if isinstance(part, str)]
    parts = (_text(child, known) for child in children(node))
    return f"{type(node).__name__}({', '.join((*own, *parts))})"


def _variable(node: Node, known: Known, what: str) -> Facts:
    """What a declared variable says, if a node is one."""
    match node:
        case Select(operand=operand, field=name) | Index(operand=operand, key=Literal(value=str(name))):
            found = known.variables.get(name) if known.variables and _is_variables(operand) else None
            facts: Facts = NO_FACTS if found is None else getattr(found, what)
            return facts
        case _:
            return NO_FACTS


def _of_macro(node: Macro, known: Known, *, holds: bool) -> Facts:
    """What a test of the elements says about them: about each, or that there are some."""
    if node.macro == ("all" if holds else "exists"):
        return moved(when(node.body, known, holds=holds), (node.variable,), (*place(node.range, known), EACH))
    if node.macro in {"exists", "exists_one", "all"} and (holds or node.macro == "all"):
        return when_some(node.range, known) | {sized(node.range, known)}
    return NO_FACTS


def _compared(node: Node, known: Known, *, holds: bool) -> Facts:
    """The sizes and types that a comparison looks at, whatever its outcome, and what a size that is not 0 says."""
    if not isinstance(node, Binary) or node.operator not in _COMPARISONS:
        return NO_FACTS
    facts: set[tuple[str, ...]] = set()
    for side, other, operator in (
        (node.left, node.right, node.operator),
        (node.right, node.left, _MIRRORED.get(node.operator, node.operator)),
    ):
        match side:
            case Call(function="size", receiver=None, arguments=(argument,)):
                facts |= {sized(argument, known), *_counted(argument, operator, other, known, holds=holds)}
            case Call(function="size", receiver=receiver) if receiver is not None:
                facts |= {sized(receiver, known), *_counted(receiver, operator, other, known, holds=holds)}
            case Call(function="type", receiver=None, arguments=(argument,)) if isinstance(other, Ident):
                facts.add(typed(argument, known))
            case ListLiteral(elements=()):
                facts.add(sized(other, known))
            case _:
                pass
    return frozenset(facts)


def _counted(node: Node, operator: str, other: Node, known: Known, *, holds: bool) -> Iterable[tuple[str, ...]]:
    """What `size(node) operator other` says, if it is not so for 0."""
    if not isinstance(other, Literal) or type(other.value) is not int:
        return ()
    number = other.value
    for_none = {
        "==": number == 0,
        "!=": number != 0,
        "<": number > 0,
        "<=": number >= 0,
        ">": number < 0,
        ">=": number <= 0,
    }[operator]
    return when_some(node, known) if for_none is not holds else ()

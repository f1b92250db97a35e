"""One expression against the shapes of its variables: fields, types, comparisons, guards.

The profile's own checker (`cel/checker.py`) has looked at the tree before, so that nothing is said here about what no
schema is needed for. As there, one mistake gives one finding: what is wrong has any shape from there on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from workloadmap_spec.cel import Node, path_of
from workloadmap_spec.cel.findings import nearest
from workloadmap_spec.cel.guards import (
    EACH,
    NEVER,
    NO_FACTS,
    NOTHING,
    Facts,
    Known,
    Place,
    absorbed,
    below,
    keyed,
    mentioned,
    of_elements,
    place,
    present,
    typed,
    when,
    when_some,
    when_true,
)
from workloadmap_spec.cel.tree import (
    Binary,
    Call,
    Has,
    Ident,
    Index,
    ListLiteral,
    Macro,
    MapLiteral,
    Select,
    Ternary,
    Unary,
    field_offset,
)
from workloadmap_spec.cel.tree import Literal as LiteralNode
from workloadmap_spec.crd.shapes import (
    ANYTHING,
    BOOL,
    EVERY,
    INT,
    LIST,
    MAP,
    NUMBERS,
    SIZED,
    STRING,
    Shape,
    Value,
    constant,
    enum_of,
    joined,
    kinds_of,
    lacks,
    list_of,
    of_kinds,
    outside,
    same,
    shown,
    where_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ARTICLES: Final = {
    "string": "a string",
    "int": "an int",
    "double": "a double",
    "bool": "a bool",
    "list": "a list",
    "map": "a map",
    "timestamp": "a timestamp",
    "duration": "a duration",
}
_TIMES: Final = frozenset({"timestamp", "duration"})
#: What conversions take, and what they give.
_CONVERSIONS: Final = {
    "int": ({"string"} | NUMBERS, "int"),
    "double": ({"string"} | NUMBERS, "double"),
    "string": ({"string", "int"}, "string"),
    "timestamp": ({"string"}, "timestamp"),
    "duration": ({"string"}, "duration"),
}
#: What becomes of what an expression names: it is read, written, or a place that cannot be changed.
Use = Literal["read", "written", "fixed"]
#: So many names are listed where none is like the one that is written.
_MAX_LISTED: Final = 12


class Problem(NamedTuple):
    """Something in a mapping that the schema of the kind contradicts.

    `at` is the JSON Pointer of the text in the mapping; `offset` and `length` are of the part that is meant, None for
    the whole value.
    """

    rule: str
    level: Literal["error", "warning"]
    at: str
    offset: int | None
    length: int
    message: str
    cure: str | None


@dataclass(slots=True)
class Scope:
    """What an expression may see."""

    #: The shapes of the variables of the specification; `variables` and `refs` are maps of those that are declared.
    roots: Mapping[str, Value]
    #: What is known to be there, from the conditions around.
    facts: Facts = NO_FACTS
    #: What is known of the names.
    known: Known = NOTHING


class Checker:
    """One walk over one expression; `notes` collects what is found."""

    def __init__(self, notes: Notes, at: str, text: str, scope: Scope, use: Use) -> None:
        """Start with the variables of a scope."""
        self.notes = notes
        self.at = at
        self.text = text
        self.scope = scope
        self.use = use
        self.bound: dict[str, Value] = {}
        self.unguarded: list[tuple[Node, Problem]] = []
        #: The steps of chains that lead nowhere, which was noted.
        self.wrong: list[Node] = []
        #: What `type` is asked of, by the identity of the node.
        self.values: dict[int, Value] = {}
        #: The variables of macros over such.
        self.astray: set[str] = set()
        self.null_safe = False

    def check(self, tree: Node) -> Value:
        """The shape of the whole expression, after noting what is wrong with it."""
        self.null_safe = path_of(tree) is not None
        # A path is read as far as it goes; anything else is evaluated only where all variables are there (S3.4.1).
        facts = NO_FACTS if self.null_safe else mentioned(tree, self.scope.known)
        return self.infer(tree, self.scope.facts | facts)

    # Notes

    def note(  # noqa: PLR0913 - the facts of a problem
        self,
        rule: str,
        offset: int,
        length: int,
        message: str,
        cure: str | None = None,
        level: Literal["error", "warning"] = "error",
    ) -> Value:
        """Note a problem; what is wrong has any shape from here on."""
        self.notes.problems.append(Problem(rule, level, self.at, offset, length, message, cure))
        return ANYTHING

    def source(self, node: Node) -> str:
        """A part as its author wrote it."""
        return self.text[node.offset : node.offset + node.length]

    def demand(self, node: Node, value: Value, kinds: Iterable[str], does: str, cure: str | None = None) -> bool:
        """Note a problem if a part is, or may be, of none of the types that its use takes."""
        wanted = frozenset(kinds)
        if not outside(value, wanted):
            return True
        if cure is None and kinds_of(value) & wanted:
            cure = f"look at its type first: type({self.source(node)}) == ..."
        self.note("WM502", node.offset, node.length, f"{does}, and {self.described(node, value)}", cure)
        return False

    def described(self, node: Node, value: Value) -> str:
        """`item.name` is a string in the schema."""
        return f"`{self.source(node)}`{self.notes.placed(value)} is {one_of(kinds_of(value))}"

    # The walk

    def infer(self, node: Node, facts: Facts) -> Value:  # noqa: C901, PLR0911, PLR0912 - one case for each kind of node
        """The shape of a part; one that is never evaluated has any."""
        if NEVER in facts:
            return ANYTHING
        match node:
            case LiteralNode():
                return constant(node.value)
            case Ident():
                return self.seen(node, self.bound.get(node.name) or self.scope.roots.get(node.name, ANYTHING), facts)
            case Select():
                operand = self.infer(node.operand, facts)
                value = self.member_of(node, operand, node.field, (field_offset(node), len(node.field)), facts)
                return self.seen(node, value, facts)
            case Index():
                return self.seen(node, self.index(node, facts), facts)
            case Has():
                return self.has(node, facts)
            case Macro():
                return self.macro(node, facts)
            case Call():
                return self.call(node, facts)
            case Unary():
                operand = self.infer(node.operand, facts)
                if node.operator == "!":
                    self.demand(node.operand, operand, BOOL, "`!` takes a condition")
                    return of_kinds("bool")
                self.demand(node.operand, operand, NUMBERS, "`-` takes a number")
                return of_kinds(*(kinds_of(operand) & NUMBERS or NUMBERS))
            case Binary():
                return self.binary(node, facts)
            case Ternary():
                self.demand(node.condition, self.infer(node.condition, facts), BOOL, "`?` takes a condition")
                then = self.infer(node.then, facts | self.when(node.condition, holds=True))
                return joined(then, self.infer(node.otherwise, facts | self.when(node.condition, holds=False)))
            case ListLiteral():
                elements = [self.infer(element, facts) for element in node.elements]
                return list_of(joined(*elements)) if elements else (Shape(LIST, items=()),)
            case MapLiteral():
                values = {str(key.value): self.infer(value, facts) for key, value in node.entries}  # type: ignore[union-attr] # literals (P06)
                return (Shape(MAP, fields=values, required=tuple(values)),)

    def seen(self, node: Node, value: Value, facts: Facts) -> Value:
        """A value, of which nothing is said if a condition has looked at its type."""
        return ANYTHING if typed(node, self.scope.known) in facts else value

    # Fields and elements

    def member_of(self, node: Select | Index, operand: Value, name: str, span: tuple[int, int], facts: Facts) -> Value:
        """A field that is named, which has to be there."""
        before = len(self.notes.problems)
        value = self.select(node.operand, operand, name, *span)
        if len(self.notes.problems) > before or self.is_wrong(node.operand):
            self.mark(node)
        else:
            self.guard(node, operand, name, facts)
        return value

    def mark(self, node: Node) -> None:
        """Keep a step of a chain that leads nowhere, as was noted: no guard would help."""
        self.wrong.append(node)
        self.notes.decide(self.at, node)

    def is_wrong(self, node: Node) -> bool:
        """Whether a part leads nowhere."""
        return any(one is node for one in self.wrong) or (isinstance(node, Ident) and node.name in self.astray)

    def select(self, node: Node, operand: Value, name: str, at: int, length: int) -> Value:
        """A field of what `node` is."""
        maps = [shape for shape in operand if "map" in shape.kinds]
        if not maps:
            message = f"only maps have fields, and {self.described(node, operand)}"
            return self.note("WM502", at, length, message, self.element_cure(node, operand))
        found: list[Value] = []
        for shape in maps:
            declared = shape.member(name)
            free = shape.value()
            if declared is not None:
                found.append(declared)
            elif free is not None:
                found.append(free)
            elif shape.open is not None:
                if shape.open:
                    self.notes.stop(self.at, shape.where, shape.open)
                found.append(ANYTHING)
        return joined(*found) if found else self.unknown(node, maps, name, at, length)

    def element_cure(self, node: Node, operand: Value) -> str | None:
        """What to do about a field of a list."""
        if "list" not in kinds_of(operand):
            return None
        return f"name an element, {self.source(node)}[0], or visit all of them with forEach or a macro"

    def unknown(self, node: Node, maps: list[Shape], name: str, at: int, length: int) -> Value:
        """Note that no schema has the field."""
        shape = maps[0]
        if isinstance(node, Ident) and node.name in {"variables", "refs"}:
            return ANYTHING
        place = self.notes.named(shape.where) if shape.where else f"`{self.source(node)}`"
        if shape.is_root:
            place = self.notes.kind
        if self.is_elsewhere(shape, name):
            return ANYTHING
        message = f"{place} has no field `{name}`"
        return self.note("WM501" if self.use == "read" else "WM507", at, length, message, self.notes.cure(shape, name))

    def is_elsewhere(self, shape: Shape, name: str) -> bool:
        """Whether a field that a shape has not may be read all the same; nothing can be written to it."""
        return self.use != "written" and self.notes.is_elsewhere(shape, name)

    def guard(self, node: Select | Index, operand: Value, name: str, facts: Facts) -> None:
        """Note a field that may be missing where the expression needs it (P20 with the knowledge of the schema)."""
        if self.null_safe or present(node, self.scope.known) in facts:
            self.notes.decide(self.at, node)
            return
        if isinstance(node.operand, Ident) and node.operand.name in {"variables", "refs"}:
            return
        maps = [shape for shape in operand if "map" in shape.kinds]
        # What is written out is known to lack what it has not.
        known = [name in shape.fields or shape.values is not None or shape.is_literal for shape in maps]
        if not maps or not (all(known) or self.is_elsewhere(maps[known.index(False)], name)):
            return
        self.notes.decide(self.at, node)
        is_filled = all(name in shape.required or name in shape.filled for shape in maps)
        if all(name in shape.required for shape in maps) or self.is_behind(node, filled=is_filled):
            return
        written = self.source(node)
        if isinstance(node, Select) and _is_chain(node):
            cure = f"guard it: has({written}) ? {written} : DEFAULT, or declare a variable with a default"
        elif isinstance(node, Select):
            cure = "declare a variable with a default, or test for it with has() in a macro"
        else:
            cure = f"guard it: {self.source(node.key)} in {self.source(node.operand)} ? {written} : DEFAULT"
        owner = "it" if maps[0].is_literal else self.notes.owner(maps[0].where)
        reason = f"{owner} need not have it, and then the expression fails"
        if is_filled:
            reason = "the API server fills it in, and a manifest may leave it out: then the expression fails"
        level: Literal["error", "warning"] = "warning" if is_filled else "error"
        self.note("WM505", node.offset, node.length, f"`{written}` may be missing: {reason}", cure, level)
        self.unguarded.append((node, self.notes.problems[-1]))

    def is_behind(self, node: Select | Index, *, filled: bool) -> bool:
        """Whether an earlier step of the chain was noted, which is enough; an error takes the place of a warning."""
        before: Node = node.operand
        while isinstance(before, Select | Index):
            for one, problem in self.unguarded:
                if one is before and (filled or problem.level == "error"):
                    return True
                if one is before and problem in self.notes.problems:
                    self.notes.problems.remove(problem)
            before = before.operand
        return False

    def index(self, node: Index, facts: Facts) -> Value:
        """`operand[key]`: of a list by an int, of a map by a string."""
        operand = self.infer(node.operand, facts)
        key = self.infer(node.key, facts)
        kinds, keys = kinds_of(operand), kinds_of(key)
        if not kinds & SIZED:
            message = f"only lists and maps have elements, and {self.described(node.operand, operand)}"
            self.mark(node)
            return self.note("WM502", node.key.offset, node.key.length, message)
        if isinstance(node.key, LiteralNode) and isinstance(node.key.value, str) and "map" in kinds:
            return self.member_of(node, operand, node.key.value, (node.key.offset, node.key.length), facts)
        is_list, is_map = "list" in kinds and "int" in keys, "map" in kinds and "string" in keys
        if not is_list and not is_map:
            what = "a list has an int for index" if "list" in kinds else "a map has strings for keys"
            message = f"{what}, and {self.described(node.key, key)}"
            cure = None
            if "list" in kinds:
                cure = f"visit the elements: {self.source(node.operand)}.filter(x, x.name == {self.source(node.key)})"
            self.mark(node)
            return self.note("WM502", node.key.offset, node.key.length, message, cure)
        elements = [shape.element() for shape in operand if "list" in shape.kinds and is_list]
        elements += [_any_field(shape) for shape in operand if "map" in shape.kinds and is_map]
        if self.is_wrong(node.operand):
            self.mark(node)
        elif kinds == MAP and isinstance(node.operand, Select | Index | Ident):
            self.guard_key(node, facts)
        return self.refined(joined(*elements), node.operand, facts) if is_list else joined(*elements)

    def refined(self, element: Value, container: Node, facts: Facts) -> Value:
        """An element of a list, with what all of them are known to have."""
        for steps in below(facts, (*place(container, self.scope.known), EACH)):
            element = having(element, steps)
        return element

    def guard_key(self, node: Index, facts: Facts) -> None:
        """Note a key of a map that may be missing, of which the text is not known."""
        if present(node, self.scope.known) not in facts and not self.null_safe:
            written = self.source(node)
            cure = f"guard it: {self.source(node.key)} in {self.source(node.operand)} ? {written} : DEFAULT"
            message = f"`{written}` may be missing: the map need not have the key, and then the expression fails"
            self.note("WM505", node.offset, node.length, message, cure, "warning")
        self.notes.decide(self.at, node)

    def has(self, node: Has, facts: Facts) -> Value:
        """`has(operand.field)`: the field must be one that the kind has, and what it is a field of there."""
        operand = self.infer(node.operand, facts)
        offset = self.text.rfind(node.field, node.offset, node.offset + node.length)
        self.select(node.operand, operand, node.field, offset, len(node.field))
        return of_kinds("bool")

    # Macros and calls

    def visited(self, node: Macro, over: Value) -> Value:
        """What a macro visits: the elements of a list, or the keys of a map."""
        if not self.demand(node.range, over, SIZED, f"`{node.macro}` visits the elements of a list"):
            return ANYTHING
        elements = [shape.element() for shape in over if "list" in shape.kinds]
        return joined(*elements) if elements else of_kinds("string")

    def macro(self, node: Macro, facts: Facts) -> Value:
        """`range.macro(variable, body)`."""
        over = self.infer(node.range, facts)
        kinds = kinds_of(over)
        element = self.refined(self.visited(node, over), node.range, facts)
        hidden = self.bound.get(node.variable)
        self.bound[node.variable] = element
        is_astray = self.is_wrong(node.range) or not kinds & SIZED
        if is_astray:
            self.astray.add(node.variable)
            self.wrong.append(node)
        inner = facts | when_some(node.range, self.scope.known) | of_elements(node, facts, self.scope.known)
        if "list" not in kinds:
            inner |= {keyed(node, self.scope.known)}
        body = self.infer(node.body, inner)
        if node.macro != "map":
            self.demand(node.body, body, BOOL, f"`{node.macro}` takes a condition")
        if is_astray:
            self.astray.discard(node.variable)
        if hidden is None:
            del self.bound[node.variable]
        else:
            self.bound[node.variable] = hidden
        if node.macro == "map":
            return list_of(body)
        if node.macro != "filter":
            return of_kinds("bool")
        for steps in below(when_true(node.body, self.scope.known), (node.variable,)):
            element = having(element, steps)
        return list_of(element)

    def call(self, node: Call, facts: Facts) -> Value:
        """A function of the profile."""
        parts = node.arguments if node.receiver is None else (node.receiver, *node.arguments)
        values = [self.infer(part, facts) for part in parts]
        name = node.function
        if name == "type":
            self.values[id(parts[0])] = values[0]
        if name == "size":
            self.demand(parts[0], values[0], SIZED, "`size` counts the elements of a list or map")
            return of_kinds("int")
        if name in _CONVERSIONS:
            takes, gives = _CONVERSIONS[name]
            self.demand(parts[0], values[0], {*takes, gives}, f"`{name}` takes {one_of(frozenset(takes))}")
            return (Shape(frozenset({gives})),)
        if name in {"contains", "startsWith", "endsWith"}:
            for part, value in zip(parts, values, strict=True):
                self.demand(part, value, STRING, f"`{name}` takes strings")
            return of_kinds("bool")
        return values[0] if name == "dyn" else ANYTHING

    # Operators

    def binary(self, node: Binary, facts: Facts) -> Value:
        """`left operator right`."""
        operator = node.operator
        if operator in {"&&", "||"}:
            spared = absorbed(node.right, self.scope.known, holds=operator == "&&")
            left = self.infer(node.left, facts | spared)
            self.demand(node.left, left, BOOL, f"`{operator}` takes conditions")
            right = self.infer(node.right, facts | self.when(node.left, holds=operator == "&&"))
            self.demand(node.right, right, BOOL, f"`{operator}` takes conditions")
            return of_kinds("bool")
        left = self.infer(node.left, facts)
        right = self.infer(node.right, facts)
        if operator in {"==", "!="}:
            self.equal(node, left, right)
            return of_kinds("bool")
        if operator == "in":
            self.member(node, left, right)
            return of_kinds("bool")
        if operator in {"<", "<=", ">", ">="}:
            takes = NUMBERS | _TIMES
            does = f"`{operator}` orders numbers"
            if self.both(node, left, right, takes, does):
                self.same(node, left, right)
            return of_kinds("bool")
        return self.arithmetic(node, left, right)

    def arithmetic(self, node: Binary, left: Value, right: Value) -> Value:
        """`+`, `-`, `*`, `/`, `%`."""
        takes = NUMBERS | _TIMES | ({"string", "list"} if node.operator == "+" else frozenset())
        does = f"`{node.operator}` takes numbers{' or strings' if node.operator == '+' else ''}"
        if not self.both(node, left, right, takes, does):
            return ANYTHING
        kinds = kinds_of(left) & kinds_of(right)
        if (kinds_of(left) | kinds_of(right)) & _TIMES:
            return of_kinds(*_TIMES) if kinds_of(left) != EVERY and kinds_of(right) != EVERY else ANYTHING
        if not kinds & takes:
            texts = {"string"} & (kinds_of(left) | kinds_of(right))
            cure = "make a text of the number: string(x)" if texts else None
            message = f"`{node.operator}` takes two of one type: {self.two(node, left, right)}"
            return self.note("WM503", node.offset, node.length, message, cure)
        return ANYTHING if kinds >= EVERY else (Shape(kinds & takes),)

    def both(self, node: Binary, left: Value, right: Value, takes: frozenset[str], does: str) -> bool:
        """Whether both operands have a type that their use takes; a problem is noted for each that has not."""
        is_left = self.demand(node.left, left, takes, does)
        return self.demand(node.right, right, takes, does) and is_left

    def two(self, node: Binary, left: Value, right: Value) -> str:
        """Both operands in words."""
        return f"{self.described(node.left, left)}, {self.described(node.right, right)}"

    def same(self, node: Binary, left: Value, right: Value) -> bool:
        """Note a problem if two values have no type in common."""
        mine, others = kinds_of(left), kinds_of(right)
        if mine & others or not mine or not others:
            return True
        message = f"`{node.operator}` compares values that are never equal: {self.two(node, left, right)}"
        self.note("WM503", node.offset, node.length, message, self.conversion(node, mine, others))
        return False

    def conversion(self, node: Binary, mine: frozenset[str], others: frozenset[str]) -> str | None:  # noqa: PLR0911 - one for each type
        """What to write where two types differ."""
        if node.operator == "in":
            return self.conversion_of_list(node, mine, others)
        for literal, other, kinds in ((node.right, node.left, mine), (node.left, node.right, others)):
            if not isinstance(literal, LiteralNode):
                continue
            value = literal.value
            if kinds == STRING:
                return f'write "{str(value).lower()}"' if not isinstance(value, str) else None
            if kinds == BOOL:
                return f"write {self.source(other)}, or !{self.source(other)}"
            if kinds <= NUMBERS and isinstance(value, str) and value.lstrip("-").isdigit():
                return f"write {value}"
            if kinds <= SIZED:
                return f"compare its size, size({self.source(other)}), or look into it: {self.source(literal)} in it"
            if kinds == {"int"} and isinstance(value, float):
                return f"write {int(value)}"
        number = {(INT, STRING): node.left, (STRING, INT): node.right}.get((mine, others))
        return "compare values of one type" if number is None else f"write string({self.source(number)})"

    def conversion_of_list(self, node: Binary, mine: frozenset[str], others: frozenset[str]) -> str:
        """What to write where the elements of a list are of another type."""
        if others <= MAP:
            return f"visit the elements: {self.source(node.right)}.exists(x, x.NAME == {self.source(node.left)})"
        elements = node.right.elements if isinstance(node.right, ListLiteral) else ()
        if elements and mine == STRING and all(isinstance(one, LiteralNode) for one in elements):
            return "write [" + ", ".join(f'"{self.source(one)}"' for one in elements) + "]"
        if isinstance(node.left, LiteralNode) and others == STRING:
            return f'write "{self.source(node.left)}"'
        return "compare values of one type"

    def equal(self, node: Binary, left: Value, right: Value) -> None:
        """`==` and `!=`: the types meet, and a text is one that the other may be."""
        if not self.same(node, left, right):
            return
        for part, literal, other in ((node.left, node.right, left), (node.right, node.left, right)):
            if isinstance(literal, LiteralNode) and not isinstance(part, LiteralNode):
                self.allowed(literal, part, other)
            elif isinstance(literal, ListLiteral):
                self.elements_allowed(literal, part, joined(*(one.element() for one in other if "list" in one.kinds)))
            elif isinstance(part, Call) and part.function == "type" and isinstance(literal, Ident):
                self.type_allowed(literal, part)

    def elements_allowed(self, literal: ListLiteral, part: Node, element: Value) -> None:
        """Note what stands in a list, and in no list that it is compared with."""
        for one in literal.elements:
            if isinstance(one, LiteralNode) and not isinstance(part, ListLiteral):
                self.allowed_in(one, part, element)

    def type_allowed(self, name: Ident, call: Call) -> None:
        """Note a type that a part never has."""
        value = self.values.get(id(call.arguments[0]), ANYTHING)
        kinds = kinds_of(value)
        if name.name not in EVERY or not kinds or not lacks(frozenset({name.name}), kinds):
            return
        message = f"{self.described(call.arguments[0], value)}, and never of the type {name.name}"
        self.note("WM503", name.offset, name.length, message, f"its type is {' or '.join(sorted(kinds))}")

    def allowed(self, literal: LiteralNode, part: Node, value: Value) -> None:
        """Note a literal that a part never is, because the schema lists what it may be."""
        enum = enum_of(value)
        if enum is None or any(type(one) is type(literal.value) and one == literal.value for one in enum):
            return
        message = f"`{self.source(part)}`{self.notes.placed(value)} is never {self.source(literal)}"
        self.note("WM504", literal.offset, literal.length, message, choice(literal.value, enum))

    def member(self, node: Binary, left: Value, right: Value) -> None:
        """`in`: an element of a list, or a key of a map."""
        does = "`in` looks into a list or a map"
        if not self.demand(node.right, right, SIZED, does, f"compare it: {self.source(node.left)} == ..."):
            return
        kinds = kinds_of(right)
        if "list" not in kinds:
            if not self.demand(node.left, left, STRING, "the keys of a map are strings"):
                return
            if isinstance(node.left, LiteralNode) and isinstance(node.left.value, str):
                at, length = node.left.offset, node.left.length
                self.select(node.right, right, node.left.value, at, length)
            return
        element = joined(*(shape.element() for shape in right if "list" in shape.kinds))
        if "map" in kinds or not self.same(node, left, element):
            return
        if isinstance(node.right, ListLiteral):
            for literal in node.right.elements:
                if isinstance(literal, LiteralNode):
                    self.allowed(literal, node.left, left)
        elif isinstance(node.left, LiteralNode):
            self.allowed_in(node.left, node.right, element)

    def allowed_in(self, literal: LiteralNode, part: Node, element: Value) -> None:
        """The same for the elements of a list."""
        enum = enum_of(element)
        if enum is not None and not same(literal.value, enum):
            message = f"`{self.source(part)}` never has {self.source(literal)}: {self.notes.kind} lists what it has"
            self.note("WM504", literal.offset, literal.length, message, choice(literal.value, enum))

    # Facts

    def when(self, condition: Node, *, holds: bool) -> Facts:
        """What a condition says where it holds, or does not."""
        return when(condition, self.scope.known, holds=holds)


@dataclass(slots=True)
class Notes:
    """What is found in one mapping against one version of its kind."""

    #: In messages: `JobSet v1alpha2`.
    kind: str
    api_version: str
    #: What to do about a field that a shape has not; it knows the other versions.
    cure: Callable[[Shape, str], str | None]
    #: Whether another version that the mapping claims, or another release, has a field that a shape has not. To read it
    #: is to find nothing then.
    is_elsewhere: Callable[[Shape, str], bool]
    problems: list[Problem] = field(default_factory=list)
    #: Where checking stopped, and why: by pointer in the mapping.
    stopped: dict[str, dict[str, str]] = field(default_factory=dict)
    #: The parts of expressions of which the schema tells whether they may be missing.
    decided: set[tuple[str, int, int]] = field(default_factory=set)
    #: Whether the status is a subresource, which an update of the object leaves as it is.
    keeps_status: bool = False

    def owner(self, where: str) -> str:
        """Whose schema a shape is from."""
        root = where.partition(".")[0].partition("[")[0]
        if root[:1].isupper():
            # A type of Kubernetes: no kind has a field with such a name.
            return root
        return {"pod": "a pod", "refs": "the object that is referred to"}.get(root, self.kind)

    def named(self, where: str) -> str:
        """A place of a schema in words."""
        owner = self.owner(where)
        return f"`{where}` of {owner}" if owner == self.kind else f"`{where}`"

    def placed(self, value: Value) -> str:
        """The place of a value in words, in brackets behind it; empty if the schema has it nowhere."""
        where = where_of(value)
        return f" ({self.named(where)})" if where else ""

    def stop(self, at: str, where: str, reason: str) -> None:
        """Note that nothing is known below a place of the schema."""
        self.stopped.setdefault(at, {})[where] = reason

    def decide(self, at: str, node: Node) -> None:
        """Note that the schema knows whether a part may be missing."""
        self.decided.add((at, node.offset, node.length))


def one_of(kinds: frozenset[str]) -> str:
    """Types in words: `an int or a string`."""
    if kinds >= EVERY:
        return "a value of any type"
    return " or ".join(_ARTICLES[kind] for kind in sorted(kinds)) or "nothing"


def choice(value: Any, enum: tuple[Any, ...]) -> str:  # noqa: ANN401 - JSON
    """The cure for a value that is not allowed."""
    texts = [one for one in enum if isinstance(one, str)]
    similar = None
    if isinstance(value, str):
        folded = {one.lower(): one for one in texts}
        similar = folded.get(value.lower()) or nearest(value, texts)
    allowed = ", ".join([one if one and isinstance(one, str) else shown(one) for one in enum][:_MAX_LISTED])
    return f"did you mean {similar}? it is one of: {allowed}" if similar else f"it is one of: {allowed}"


def names_cure(name: str, names: Iterable[str], what: str = "fields") -> str | None:
    """The cure for a name that is not there: the one that is most like it, or a list."""
    known = sorted(names)
    folded = {one.lower(): one for one in known}
    similar = folded.get(name.lower()) or folded.get(nearest(name.lower(), folded) or "")
    if similar is not None:
        return f"did you mean {similar}?"
    if not known:
        return None
    more = f" and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
    return f"the {what} are {', '.join(known[:_MAX_LISTED])}{more}"


def having(value: Value, steps: Place) -> Value:
    """A value in which something is known to be there: its shapes require it."""
    if not steps:
        return value
    return tuple(_having(shape, steps) for shape in value)


def _having(shape: Shape, steps: Place) -> Shape:
    """A shape in which something is known to be there."""
    step, below = steps[0], steps[1:]
    if step == EACH and "list" in shape.kinds:
        return replace(shape, items=having(shape.element(), below))
    if not step.startswith(".") or "map" not in shape.kinds:
        return shape
    name = step[1:]
    known = shape.member(name)
    fields = {**shape.fields, name: having(known, below)} if known is not None and below else shape.fields
    return replace(shape, fields=fields, required={*shape.required, name})


def _any_field(shape: Shape) -> Value:
    """What stands under a key of a map that is not known yet."""
    free = shape.value()
    if free is None and (shape.open is not None or len(shape.fields) > _MAX_LISTED):
        return ANYTHING
    fields = [value for name in shape.fields if (value := shape.member(name)) is not None]
    return joined(*fields, *([] if free is None else [free]))


def _is_chain(node: Node) -> bool:
    """Whether has() could take this."""
    while isinstance(node, Select):
        node = node.operand
    return isinstance(node, Ident)

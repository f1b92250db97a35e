"""The rules of the profile about operators (P05, P08, P09, P14, P19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel.guards import when_false, when_true
from workloadmap_spec.cel.inference import ANY, Inferred, article
from workloadmap_spec.cel.tree import TYPE_NAMES, Binary, Call, Ident, Index, Literal, Node, Select, Unary
from workloadmap_spec.cel.types import BOOL, DURATION, DYN, INT, TIMESTAMP, Type, element_of, join, list_of

if TYPE_CHECKING:
    from workloadmap_spec.cel.checker import Checker
    from workloadmap_spec.cel.guards import Facts

_TRUTH: Final = Inferred(BOOL, BOOL)
_TIMES: Final = frozenset({"timestamp", "duration"})
#: The kinds of operands that an operator takes.
_OPERANDS: Final = {
    "+": frozenset({"int", "double", "string", "list", "timestamp", "duration"}),
    "-": frozenset({"int", "double", "timestamp", "duration"}),
    "*": frozenset({"int", "double"}),
    "/": frozenset({"int"}),
    "%": frozenset({"int"}),
}
#: Results of operators on times, by operator and kinds.
_TIME_RESULTS: Final = {
    ("+", "timestamp", "duration"): TIMESTAMP,
    ("+", "duration", "duration"): DURATION,
    ("-", "timestamp", "timestamp"): DURATION,
    ("-", "timestamp", "duration"): TIMESTAMP,
    ("-", "duration", "duration"): DURATION,
}


def unary(checker: Checker, node: Unary, facts: Facts) -> Inferred:
    """`!operand` takes a condition (P08), `-operand` a number (P09)."""
    operand = checker.infer(node.operand, facts)
    kind = operand.known.kind
    if node.operator == "!":
        checker.condition(node.operand, operand, "`!` takes a condition, and this is")
        return _TRUTH
    if kind not in {"int", "double", "dyn"}:
        return checker.error("P09", node.operand, f"`-` takes a number, and this is {article(operand.known)}")
    return operand


def binary(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """An operator between two operands."""
    match node.operator:
        case "&&" | "||":
            return _logical(checker, node, facts)
        case "==" | "!=":
            return _equality(checker, node, facts)
        case "<" | "<=" | ">" | ">=":
            return _order(checker, node, facts)
        case "in":
            return _membership(checker, node, facts)
        case _:
            return _arithmetic(checker, node, facts)


def _logical(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`&&` and `||` take conditions (P08); the right one is reached when the left one is true, or false."""
    left = checker.infer(node.left, facts)
    gained = when_true(node.left) if node.operator == "&&" else when_false(node.left)
    right = checker.infer(node.right, facts | gained)
    for part, inferred in ((node.left, left), (node.right, right)):
        checker.condition(part, inferred, f"`{node.operator}` takes conditions, and this is")
    return _TRUTH


def _equality(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`==` and `!=` compare values of one type (P05); `type(x) == T` is a form of its own (P19)."""
    if _is_type_call(node.left) or _is_type_call(node.right):
        return _type_test(checker, node, facts)
    left, right = checker.infer(node.left, facts), checker.infer(node.right, facts)
    for part, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(part, Literal) and part.value is None:
            return _null(checker, node, other)
    if left is ANY or right is ANY:
        return _TRUTH
    if _same_type(checker, node, left, right):
        both = join(left.engine, right.engine)
        if both is None and "dyn" not in {left.engine.kind, right.engine.kind}:
            message = f"`{node.operator}` compares {article(left.engine)} with {article(right.engine)}"
            checker.error("P05", node, message, "compare elements of one type")
    return _TRUTH


def _null(checker: Checker, node: Binary, other: Node) -> Inferred:
    """The error for a comparison with `null` (P05)."""
    written, mark = checker.source(other), "!" if node.operator == "==" else ""
    cure = None
    match other:
        case Select():
            cure = f"write {mark}has({written})"
        case Index(key=Literal(value=str())):
            inside = f"{checker.source(other.key)} in {checker.source(other.operand)}"
            cure = f"write !({inside})" if mark else f"write {inside}"
        case Ident() | Index():
            cure = f"write type({written}) {node.operator} null_type for an element of a list"
        case _:
            pass
    checker.error("P05", node, "nothing is compared with null, because null and absent are the same", cure)
    return _TRUTH


def _same_type(checker: Checker, node: Binary, left: Inferred, right: Inferred) -> bool:
    """Whether two operands can be compared; an error is noted if not (P05)."""
    kinds = (left.known.kind, right.known.kind)
    if "double" in kinds and kinds[0] != kinds[1] and {*kinds} <= {"double", "int", "dyn"}:
        parts = [_as_double(checker, part, one) for part, one in ((node.left, left), (node.right, right))]
        message = "engines differ on comparing a double with a number of another type"
        checker.error("P05", node, message, f"write {parts[0]} {node.operator} {parts[1]}")
        return False
    if "dyn" in kinds and not _TIMES.isdisjoint(kinds):
        kind = kinds[1] if kinds[0] == "dyn" else kinds[0]
        part = node.left if kinds[0] == "dyn" else node.right
        cure = f"write {kind}({checker.source(part)})"
        checker.error("P05", node, f"a {kind} is compared with a {kind}, not with a value of unknown type", cure)
        return False
    if kinds[0] != kinds[1] and "dyn" not in kinds:
        message = f"`{node.operator}` compares {article(left.known)} with {article(right.known)}"
        checker.error("P05", node, message, _conversion(checker, node, kinds))
        return False
    for part, one, other in ((node.left, left, right), (node.right, right, left)):
        if other.engine.kind == "string":
            require_string(checker, part, one)
    return True


def _conversion(checker: Checker, node: Binary, kinds: tuple[str, str]) -> str:
    """The cure for comparing values of two types."""
    if set(kinds) == {"int", "string"}:
        text, number = (node.left, node.right) if kinds[0] == "string" else (node.right, node.left)
        if isinstance(text, Literal):
            return f"write {text.value} without quotes" if str(text.value).isdecimal() else "compare with a number"
        if isinstance(number, Literal):
            return f'compare with text: "{number.value}"'
        return f"convert it: int({checker.source(text)})"
    return "compare values of one type"


def _as_double(checker: Checker, part: Node, inferred: Inferred) -> str:
    """A part of a comparison of doubles, wrapped."""
    written = checker.source(part)
    return written if inferred.engine.kind == "double" and isinstance(part, Call) else f"double({written})"


def _order(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`<`, `<=`, `>` and `>=` order numbers, timestamps and durations (P14)."""
    left, right = checker.infer(node.left, facts), checker.infer(node.right, facts)
    for part, inferred in ((node.left, left), (node.right, right)):
        kind = inferred.known.kind
        if kind in {"string", "bool", "list", "map", "null", "type"}:
            cure = "engines order text differently: compare with == or startsWith" if kind == "string" else None
            takes = "numbers, timestamps and durations"
            message = f"`{node.operator}` orders {takes}, and this is {article(inferred.known)}"
            checker.error("P14", part, message, cure)
            return _TRUTH
    if left is not ANY and right is not ANY:
        _same_type(checker, node, left, right)
    return _TRUTH


def _membership(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`in` takes an element and a list of its type, or a string and a map (P05)."""
    left, right = checker.infer(node.left, facts), checker.infer(node.right, facts)
    if left is ANY or right is ANY:
        return _TRUTH
    container = right.known.kind
    if container not in {"list", "map", "dyn"}:
        cure = f"write {checker.source(node.right, tight=True)}.contains({checker.source(node.left)})"
        message = f"`in` looks into a list or a map, and this is {article(right.known)}"
        checker.error("P05", node.right, message, cure if container == "string" else None)
        return _TRUTH
    kind = left.known.kind
    if kind in {"null", "timestamp", "duration"}:
        instead = "test each element: items.exists(x, type(x) == null_type)" if kind == "null" else None
        checker.error("P05", node.left, f"`in` does not look for {article(left.known)}", instead)
        return _TRUTH
    element = element_of(right.known) if container == "list" else DYN
    if container == "map" and kind not in {"string", "dyn"}:
        message = f"the keys of a map are strings, and this is {article(left.known)}"
        checker.error("P05", node.left, message, "look for a string")
    elif "double" in {kind, element.kind} and element.kind not in {kind, "none"}:
        message = "engines differ on comparing a double with a number of another type"
        checker.error("P05", node, message, "test each element: items.exists(x, double(x) == double(y))")
    elif element.kind == "null":
        checker.error("P05", node, "nothing is compared with null, because null and absent are the same")
    elif join(left.known, element, loose=True) is None:
        message = f"`in` looks for {article(left.known)} in {article(right.known)}"
        checker.error("P05", node, message, "look for an element of that type")
    elif container == "map" or (right.engine.kind == "list" and element_of(right.engine).kind == "string"):
        require_string(checker, node.left, left)
    return _TRUTH


def _arithmetic(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`+ - * / %` take operands of one type (P09)."""
    if checker.predicates and node.operator in {"/", "%"}:
        message = f"`{node.operator}` can fail, and some engines do not catch it in a condition on elements"
        cure = "compute it in a `map` first, or declare a variable"
        checker.error_at("P11", node.at, 1, message, cure)
    left, right = checker.infer(node.left, facts), checker.infer(node.right, facts)
    if left is ANY or right is ANY:
        return ANY
    for part, inferred in ((node.left, left), (node.right, right)):
        if inferred.known.kind not in {*_OPERANDS[node.operator], "dyn"}:
            return _bad_operand(checker, node, part, inferred)
    return _computed(checker, node, left, right)


def _computed(checker: Checker, node: Binary, left: Inferred, right: Inferred) -> Inferred:
    """The result of arithmetic on operands that the operator takes."""
    operator, kinds = node.operator, (left.known.kind, right.known.kind)
    if not _TIMES.isdisjoint(kinds):
        return _time(checker, node, kinds)
    if "double" in kinds and kinds[0] != kinds[1]:
        parts = [_as_double(checker, part, one) for part, one in ((node.left, left), (node.right, right))]
        message = f"`{operator}` takes numbers of one type"
        return checker.error("P09", node, message, f"write {parts[0]} {operator} {parts[1]}")
    if kinds[0] != kinds[1] and "dyn" not in kinds:
        return _two_types(checker, node, left, right)
    if "string" in kinds:
        return _concatenation(checker, node, left, right)
    return _lists(checker, node, left, right) if "list" in kinds else _numbers(node, left, right)


def _numbers(node: Binary, left: Inferred, right: Inferred) -> Inferred:
    """The type of numbers computed with; of two values of unknown type, `+` may also join texts."""
    operator = node.operator
    if operator in {"/", "%"}:
        return Inferred(left.engine if left.engine.kind == "int" else right.engine, INT)
    engine = left.engine if left.engine.kind != "dyn" else right.engine
    known = left.known if left.known.kind != "dyn" else right.known
    computed = operator == "+" and engine.kind == "dyn"
    return Inferred(Type(engine.kind, computed=computed), Type(known.kind))


def _bad_operand(checker: Checker, node: Binary, part: Node, inferred: Inferred) -> Inferred:
    """The error for an operand that an operator does not take (P09)."""
    operator, kind = node.operator, inferred.known.kind
    if kind == "double" and operator in {"/", "%"}:
        message = f"`{operator}` takes ints: engines differ on dividing doubles"
        return checker.error("P09", node, message, "multiply by the reciprocal" if operator == "/" else None)
    takes = {"+": "numbers, strings or lists", "-": "numbers or times", "*": "numbers"}.get(operator, "ints")
    cure = "maps cannot be merged in an expression: use podFields with mode: merge" if kind == "map" else None
    return checker.error("P09", part, f"`{operator}` takes {takes}, and this is {article(inferred.known)}", cure)


def _two_types(checker: Checker, node: Binary, left: Inferred, right: Inferred) -> Inferred:
    """The error for operands of two types (P09)."""
    message = f"`{node.operator}` takes operands of one type, not {article(left.known)} and {article(right.known)}"
    cure = None
    if node.operator == "+" and {left.known.kind, right.known.kind} == {"int", "string"}:
        number = node.left if left.known.kind == "int" else node.right
        cure = f"write string({checker.source(number)})"
    return checker.error("P09", node, message, cure)


def _time(checker: Checker, node: Binary, kinds: tuple[str, str]) -> Inferred:
    """Arithmetic with timestamps and durations (P17)."""
    result = _TIME_RESULTS.get((node.operator, *kinds))
    if result is not None:
        return Inferred(result, result)
    if (node.operator, *kinds) == ("+", "duration", "timestamp"):
        cure = f"write {checker.source(node.right)} + {checker.source(node.left)}"
        return checker.error("P17", node, "a duration is added to a timestamp, in this order", cure)
    if "dyn" in kinds:
        kind = kinds[1] if kinds[0] == "dyn" else kinds[0]
        part = node.left if kinds[0] == "dyn" else node.right
        cure = f"write duration({checker.source(part)}) or timestamp({checker.source(part)})"
        return checker.error("P17", part, f"`{node.operator}` between a {kind} and a value that may be a text", cure)
    return checker.error("P17", node, f"there is no {kinds[0]} {node.operator} {kinds[1]}")


def _concatenation(checker: Checker, node: Binary, left: Inferred, right: Inferred) -> Inferred:
    """`+` of strings: one of them is a string to every engine (P09b)."""
    result = Type("string", computed=True)
    if "string" not in {left.engine.kind, right.engine.kind}:
        _needs_literal(checker, node)
    for part, inferred in ((node.left, left), (node.right, right)):
        require_string(checker, part, inferred)
    return Inferred(result, result)


def _lists(checker: Checker, node: Binary, left: Inferred, right: Inferred) -> Inferred:
    """`+` of lists, whose elements have one type (P09)."""
    sides = [one if one.known.kind == "list" else Inferred(list_of(DYN), list_of(DYN)) for one in (left, right)]
    engines = [one.engine if one.engine.kind == "list" else list_of(DYN) for one in sides]
    engine = join(*engines, loose=True)
    if engine is None:
        message = f"`+` joins lists of one type, not {article(left.engine)} and {article(right.engine)}"
        return checker.error("P09", node, message, "wrap the elements of both: [dyn(x)] + [dyn(y)]")
    return Inferred(engine, join(sides[0].known, sides[1].known, loose=True) or list_of(DYN))


def require_string(checker: Checker, node: Node, inferred: Inferred) -> None:
    """Refuse a sum of two values of unknown type where a string is needed (P09b)."""
    if isinstance(node, Binary) and node.operator == "+" and inferred.engine.kind == "dyn":
        _needs_literal(checker, node)


def _needs_literal(checker: Checker, node: Binary) -> None:
    """The error for a `+` of strings that no engine can see to be strings (P09b)."""
    written = checker.source(node)
    message = "a `+` of strings has a string literal or string() as one operand"
    checker.error("P09b", node, message, f'write "" + {written}')


def _is_type_call(node: Node) -> bool:
    """Whether a node is `type(x)`."""
    return isinstance(node, Call) and node.function == "type" and node.receiver is None


def _type_test(checker: Checker, node: Binary, facts: Facts) -> Inferred:
    """`type(x) == T`, where x is a field and T the name of a type (P19)."""
    call, name = node.left, node.right
    if not isinstance(call, Call) or not _is_type_call(call):
        cure = f"write {checker.source(node.right)} {node.operator} {checker.source(node.left)}"
        checker.error("P19", node, "a type test begins with type(x)", cure)
        return _TRUTH
    if len(call.arguments) != 1:
        checker.error("P02", call, "`type` takes one argument", "write type(x) == int")
        return _TRUTH
    argument = call.arguments[0]
    inferred = checker.infer(argument, facts)
    names = ", ".join(sorted(TYPE_NAMES))
    if not isinstance(name, Ident) or name.name not in TYPE_NAMES:
        checker.error("P19", name, "type(x) is compared with the name of a type", f"the names are {names}")
    elif not _is_field(argument):
        message = "type() takes a field: the type of anything else is known, or differs between engines"
        checker.error("P19", argument, message, "test a field: type(item.size) == int")
    elif inferred.engine.computed:
        message = "engines differ on the type of what `+` has made"
        checker.error("P19", argument, message, "test the parts before they are added")
    return _TRUTH


def _is_field(node: Node) -> bool:
    """Whether a node reads a value out of a variable."""
    while isinstance(node, Select | Index):
        node = node.operand
    return isinstance(node, Ident)

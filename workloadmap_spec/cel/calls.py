"""The rules of the profile about functions (P02, P03, P06, P11, P12, P13, P14, P17, P19)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel.findings import nearest
from workloadmap_spec.cel.guards import typed
from workloadmap_spec.cel.inference import Inferred, article, number_of
from workloadmap_spec.cel.limits import INT_MAX
from workloadmap_spec.cel.operators import require_string
from workloadmap_spec.cel.times import parse_duration, parse_timestamp
from workloadmap_spec.cel.tree import MACROS, Call, Ident, Literal, Node
from workloadmap_spec.cel.types import BOOL, DOUBLE, DURATION, INT, STRING, TIMESTAMP, Type

if TYPE_CHECKING:
    from workloadmap_spec.cel.checker import Checker
    from workloadmap_spec.cel.guards import Facts

#: Functions that are written `f(x)`.
FUNCTIONS: Final = frozenset({"double", "duration", "dyn", "has", "int", "size", "string", "timestamp", "type"})
#: Functions that are written `x.f(y)`.
METHODS: Final = frozenset({"contains", "endsWith", "startsWith"})
#: Conversions, and the kinds that they take.
_CONVERSIONS: Final = {
    "int": (INT, frozenset({"int", "double", "string", "dyn"})),
    "double": (DOUBLE, frozenset({"int", "double", "string", "dyn"})),
    "string": (STRING, frozenset({"int", "string", "dyn"})),
    "timestamp": (TIMESTAMP, frozenset({"string", "dyn"})),
    "duration": (DURATION, frozenset({"string", "dyn"})),
}
#: Names under which engines offer extensions.
_LIBRARIES: Final = frozenset({"base64", "cel", "ip", "cidr", "math", "optional", "quantity", "sets", "strings", "url"})
#: What CEL or a common extension has, and how the profile does without.
_ABSENT: Final = {
    "bool": 'compare it: x == true, or x == "true"',
    "bytes": "the profile has no bytes",
    "uint": "every whole number is an int",
    "split": "a value object can `strip` a text, or read it `as` a number",
    "join": "only the reader can do this; declare the parts one by one",
    "replace": "only the reader can do this",
    "substring": "test it with startsWith, contains or endsWith; a value object can `strip` a text",
    "lowerAscii": 'compare with each spelling: x in ["True", "true"]',
    "upperAscii": 'compare with each spelling: x in ["True", "true"]',
    "format": "join the parts with +",
    "sum": "only the reader sums: give each part a component of its own",
    "min": "a conditional gives the smaller of two: a < b ? a : b",
    "max": "a conditional gives the larger of two: a > b ? a : b",
    "orValue": 'guard it: has(a.b) ? a.b : "default"',
    "hasValue": "write has(a.b)",
}
_WHOLE: Final = r"-?(?:0|[1-9][0-9]*)"
_ACCESSOR: Final = r"get(?:Date|DayOf(?:Month|Week|Year)|FullYear|Hours|Milliseconds|Minutes|Month|Seconds)"


def infer(checker: Checker, node: Call, facts: Facts, *, free: bool) -> Inferred:
    """The type of a call."""
    if node.function == "matches":
        message = "`matches` is not in the profile: regular expressions are where engines differ most"
        return error(checker, node, "P12", message, "use startsWith, contains, endsWith or == with each spelling")
    if node.receiver is None:
        return _global(checker, node, facts, free=free)
    return _behind(checker, node, node.receiver, facts)


def _global(checker: Checker, node: Call, facts: Facts, *, free: bool) -> Inferred:
    """The type of `f(x)`."""
    name = node.function
    if name in FUNCTIONS:
        return _function(checker, node, facts, free=free)
    if name in METHODS:
        first, *others = [checker.source(argument) for argument in node.arguments] or ["x"]
        cure = f"write {first}.{name}({', '.join(others) or 'y'})"
        return error(checker, node, "P02", f"`{name}` is written behind its text", cure)
    if name in MACROS:
        message = f"`{name}` is written behind its list"
        return error(checker, node, "P02", message, f"write items.{name}(x, x.name)")
    return _unknown(checker, node, facts)


def _behind(checker: Checker, node: Call, receiver: Node, facts: Facts) -> Inferred:
    """The type of `x.f(y)`."""
    name = node.function
    if name == "size" and not node.arguments:
        return _size(checker, node, receiver, facts)
    if name in METHODS:
        return _method(checker, node, receiver, facts)
    if name in MACROS:
        return _macro(checker, node, receiver, facts)
    if name in FUNCTIONS:
        message = f"`{name}` is not written behind a value"
        return error(checker, node, "P02", message, f"write {name}({checker.source(receiver)})")
    return _unknown(checker, node, facts)


def error(checker: Checker, node: Call, rule: str, message: str, cure: str | None = None) -> Inferred:
    """Note an error at the name of a function."""
    return checker.error_at(rule, node.at, len(node.function), message, cure)


def _unknown(checker: Checker, node: Call, facts: Facts) -> Inferred:
    """The error for a function that the profile does not have (P02)."""
    name, receiver = node.function, node.receiver
    if isinstance(receiver, Ident) and receiver.name in _LIBRARIES and receiver.name not in checker.variables:
        message = f"`{receiver.name}.{name}` is an extension that not every engine has"
        return checker.error_at("P02", node.offset, node.length, message, _ABSENT.get(name))
    if re.fullmatch(_ACCESSOR, name):
        message = f"`{name}` is not in the profile: engines differ on the parts of timestamps and durations"
        return error(checker, node, "P17", message, "compare whole timestamps and durations")
    for part in (*([receiver] if receiver is not None else []), *node.arguments):
        checker.infer(part, facts)
    known, kind = ({*METHODS, *MACROS, "size"}, "methods") if receiver is not None else (set(FUNCTIONS), "functions")
    if name in _ABSENT:
        return error(checker, node, "P02", f"`{name}` is not in the profile", _ABSENT[name])
    similar = nearest(name, known)
    cure = f"did you mean {similar}?" if similar else f"the {kind} are {', '.join(sorted(known))}"
    return error(checker, node, "P02", f"there is no function `{name}`", cure)


def _function(checker: Checker, node: Call, facts: Facts, *, free: bool) -> Inferred:
    """`f(x)`."""
    name = node.function
    if len(node.arguments) != 1:
        for argument in node.arguments:
            checker.infer(argument, facts)
        return error(checker, node, "P02", f"`{name}` takes one argument, not {len(node.arguments)}")
    argument = node.arguments[0]
    match name:
        case "has":
            return _has(checker, argument, facts)
        case "size":
            return _size(checker, node, argument, facts)
        case "dyn":
            return _dyn(checker, node, argument, facts, free=free)
        case "type":
            checker.infer(argument, facts)
            cure = f"write type({checker.source(argument)}) == int"
            return error(checker, node, "P19", "a type is only compared with the name of a type", cure)
        case _:
            return _conversion(checker, node, argument, facts)


def _has(checker: Checker, argument: Node, facts: Facts) -> Inferred:
    """`has(x)` where x is not a selection (P03)."""
    checker.infer(argument, facts)
    cure = "write has(object.spec.x)"
    written = checker.source(argument)
    container, bracket, key = written.rpartition("[")
    if bracket:
        cure = f"write {key.rstrip('] ')} in {container}"
    checker.error("P03", argument, "has() takes a chain of fields from a variable", cure)
    return Inferred(BOOL, BOOL)


def _size(checker: Checker, node: Call, operand: Node, facts: Facts) -> Inferred:
    """`size(x)` counts elements (P14)."""
    inferred = checker.infer(operand, facts)
    kind = inferred.known.kind
    if kind == "string":
        cure = f'write {checker.source(operand, tight=True)} == "" to test for an empty text'
        error(checker, node, "P14", "engines count the characters of a text differently", cure)
    elif kind not in {"list", "map", "dyn"}:
        message = f"`size` counts the elements of a list or a map, and this is {article(inferred.known)}"
        checker.error("P14", operand, message)
    return Inferred(INT, INT)


def _dyn(checker: Checker, node: Call, argument: Node, facts: Facts, *, free: bool) -> Inferred:
    """`dyn(x)` is for elements, branches and results (P06)."""
    inferred = checker.infer(argument, facts)
    checker.refuse_times(argument, inferred)
    if not free:
        message = "dyn() is only wrapped around elements, branches and results"
        return error(checker, node, "P06", message, f"write {checker.source(argument)} alone")
    return Inferred(Type("dyn", computed=inferred.engine.computed), inferred.known)


def _conversion(checker: Checker, node: Call, argument: Node, facts: Facts) -> Inferred:
    """`int`, `double` and `string` (P13), `timestamp` and `duration` (P17)."""
    name = node.function
    if checker.predicates:
        message = f"`{name}` can fail, and some engines do not catch it in a condition on elements"
        error(checker, node, "P11", message, "convert in a `map` first, or declare a variable")
    result, takes = _CONVERSIONS[name]
    inferred = checker.infer(argument, facts)
    known = inferred.known
    outcome = Inferred(result, result)
    if known.kind not in takes:
        rule = "P17" if name in {"timestamp", "duration"} or known.kind in {"timestamp", "duration"} else "P13"
        message, cure = f"`{name}` does not take {article(known)}", None
        if known.kind == "double":
            message += ": each engine writes it differently"
        elif known.kind == "bool" and name == "string":
            cure = f'write {checker.source(argument, tight=True)} ? "true" : "false"'
        checker.error(rule, argument, message, cure)
        return outcome
    if isinstance(argument, Literal) and isinstance(argument.value, str):
        _literal_text(checker, name, argument, argument.value)
    number = number_of(argument)
    if name == "int" and number is not None and abs(number) >= INT_MAX:
        checker.error("P13", argument, "the number does not fit into an int")
    if name in {"timestamp", "duration"}:
        require_string(checker, argument, inferred)
    elif name == "int" and known.kind in {"dyn", "string"} and typed(argument) not in facts and number is None:
        _warn_int(checker, node, argument, known)
    return outcome


def _warn_int(checker: Checker, node: Call, argument: Node, known: Type) -> None:
    """Warn about `int()` of a value that may not be a number (P13)."""
    if isinstance(argument, Literal):
        return
    written = checker.source(argument)
    cure = "declare a variable that is read `as: int`"
    if known.kind == "dyn":
        cure += f", or test it: type({written}) == int ? {written} : 0"
    checker.warn("P13", node, f"`int({written})` fails when the text is no whole number", cure)


def _literal_text(checker: Checker, name: str, node: Literal, text: str) -> None:
    """Refuse a literal text that the conversion does not take."""
    if name == "string":
        return
    if name == "double":
        cure = f"write {text}" if re.fullmatch(r"[0-9]+\.[0-9]+", text) else "write the number itself"
        checker.error("P13", node, "a literal is not converted to a double", cure)
        return
    if name == "int":
        if not re.fullmatch(_WHOLE, text) or len(text) > len(str(INT_MAX)):
            checker.error("P13", node, f"{checker.source(node)} is not a whole number", "write the number itself")
        return
    try:
        (parse_timestamp if name == "timestamp" else parse_duration)(text)
    except ValueError as problem:
        checker.error("P17", node, str(problem))


def _method(checker: Checker, node: Call, receiver: Node, facts: Facts) -> Inferred:
    """`text.contains(part)` and its like (P02, P02b)."""
    name = node.function
    result = Inferred(BOOL, BOOL)
    if len(node.arguments) != 1:
        error(checker, node, "P02", f"`{name}` takes one argument, not {len(node.arguments)}")
        return result
    argument = node.arguments[0]
    for part in (receiver, argument):
        inferred = checker.infer(part, facts)
        if inferred.known.kind not in {"string", "dyn"}:
            container = checker.source(receiver)
            is_list = part is receiver and inferred.known.kind in {"list", "map"} and name == "contains"
            cure = f"write {checker.source(argument)} in {container}" if is_list else None
            checker.error("P02", part, f"`{name}` takes strings, and this is {article(inferred.known)}", cure)
            return result
        require_string(checker, part, inferred)
        if part is receiver and name == "contains" and inferred.engine.computed:
            message = "`contains` is not called on what `+` has made: one engine fails"
            cure = "test the parts, or declare the sum as a variable"
            error(checker, node, "P02b", message, cure)
    return result


def _macro(checker: Checker, node: Call, receiver: Node, facts: Facts) -> Inferred:
    """A macro with the wrong arguments (P02)."""
    name, arguments = node.function, node.arguments
    checker.infer(receiver, facts)
    items = checker.source(receiver, tight=True)
    written = [checker.source(argument) for argument in arguments]
    three = 3
    if name == "map" and len(arguments) == three and isinstance(arguments[0], Ident):
        variable, condition, body = written
        cure = f"write {items}.filter({variable}, {condition}).map({variable}, {body})"
        return error(checker, node, "P02", "`map` takes two arguments here", cure)
    body = "x.name" if name == "map" else 'x.name == "a"'
    cure = f"write {items}.{name}(x, {body})"
    if len(arguments) != 2:  # noqa: PLR2004 - variable and body
        message = f"`{name}` takes a name and an expression, not {len(arguments)} argument{'s' * (len(arguments) != 1)}"
        return error(checker, node, "P02", message, cure)
    return checker.error("P02", arguments[0], f"the first argument of `{name}` is the name of the element", cure)


__all__ = ["FUNCTIONS", "METHODS", "infer"]

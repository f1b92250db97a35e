"""Closures of operators."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import semantics
from workloadmap_spec.cel.failures import ExpressionEvaluationError, Site
from workloadmap_spec.cel.limits import INT_MAX, INT_MIN
from workloadmap_spec.cel.loops import charge, charge_comparison, weight
from workloadmap_spec.cel.semantics import equal, name_of
from workloadmap_spec.cel.tree import Binary, Call, Has, Ident, ListLiteral, Literal, Macro, Node, Unary

if TYPE_CHECKING:
    from collections.abc import Callable

    from workloadmap_spec.cel.evaluator import Closure, Compiler, Env

_ARITHMETIC: Final = {
    "+": semantics.add,
    "-": semantics.subtract,
    "*": semantics.multiply,
    "/": semantics.divide,
    "%": semantics.modulo,
}
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: What `type(x) == T` looks for.
_TYPES: Final[dict[str, type]] = {
    "bool": bool,
    "double": float,
    "int": int,
    "list": list,
    "map": dict,
    "null_type": type(None),
    "string": str,
}
_TRUTHS: Final = frozenset({"&&", "||", "==", "!=", "<", "<=", ">", ">=", "in"})


def unary(compiler: Compiler, node: Unary) -> Closure:
    """The closure of `!operand` or `-operand`."""
    operand = compiler.compile(node.operand)
    where = compiler.site(node.operand)
    if node.operator == "!":

        def negation(env: Env) -> bool:
            value = operand(env)
            if value is True:
                return False
            if value is False:
                return True
            raise ExpressionEvaluationError(f"`!` takes a condition, not {name_of(value)}", where)

        return negation
    return lambda env: semantics.negate(operand(env), where)


def binary(compiler: Compiler, node: Binary) -> Closure:
    """The closure of an operator between two operands."""
    match node.operator:
        case "&&":
            return _and(compiler, node)
        case "||":
            return _or(compiler, node)
        case "==" | "!=":
            return _equality(compiler, node)
        case "<" | "<=" | ">" | ">=":
            return _order(compiler, node)
        case "in":
            return _membership(compiler, node)
        case _:
            return _arithmetic(compiler, node)


# Logic.


def _gives_truth(node: Node) -> bool:
    """Whether a part gives a boolean or fails, so that its value needs no look."""
    match node:
        case Has() | Unary(operator="!") | Literal(value=bool()):
            return True
        case Macro():
            return node.macro in {"all", "exists", "exists_one"}
        case Binary():
            return node.operator in _TRUTHS
        case Call():
            return node.receiver is not None and node.function != "size"
        case _:
            return False


def _no_condition(symbol: str, value: object, where: Site) -> ExpressionEvaluationError:
    """The error for an operand that is neither true nor false."""
    return ExpressionEvaluationError(f"`{symbol}` takes conditions, not {name_of(value)}", where)


def _and(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `left && right`: false if one is false, whatever the other does."""
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    left_site, right_site = compiler.site(node.left), compiler.site(node.right)
    sure = _gives_truth(node.right)

    def conjunction(env: Env) -> bool:
        try:
            value = left(env)
        except ExpressionEvaluationError as failure:
            error = failure
        else:
            if value is False:
                return False
            if value is True:
                other = right(env)
                if sure or other is True or other is False:
                    return other  # type: ignore[no-any-return]
                raise _no_condition("&&", other, right_site)
            error = _no_condition("&&", value, left_site)
        return _absorb(right, env, error, decides=False)

    return conjunction


def _or(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `left || right`: true if one is true, whatever the other does."""
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    left_site, right_site = compiler.site(node.left), compiler.site(node.right)
    sure = _gives_truth(node.right)

    def disjunction(env: Env) -> bool:
        try:
            value = left(env)
        except ExpressionEvaluationError as failure:
            error = failure
        else:
            if value is True:
                return True
            if value is False:
                other = right(env)
                if sure or other is True or other is False:
                    return other  # type: ignore[no-any-return]
                raise _no_condition("||", other, right_site)
            error = _no_condition("||", value, left_site)
        return _absorb(right, env, error, decides=True)

    return disjunction


def _absorb(right: Closure, env: Env, error: ExpressionEvaluationError, *, decides: bool) -> bool:
    """The outcome after the left operand has failed: the right one decides, or the error stands."""
    try:
        decided = right(env) is decides
    except ExpressionEvaluationError:
        decided = False
    if decided:
        return decides
    raise error


# Comparison.


def _equality(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `==` or `!=`."""
    negated = node.operator == "!="
    left, right = node.left, node.right
    if isinstance(left, Call) and left.function == "type" and left.receiver is None and isinstance(right, Ident):
        return _type_test(compiler, left, right, negated=negated)
    if isinstance(left, Literal):
        left, right = right, left
    if isinstance(right, Literal):
        return _equals_literal(compiler.compile(left), right.value, negated=negated)
    one, other = compiler.compile(left), compiler.compile(right)
    if compiler.in_body:
        where = compiler.site(node)

        def counted(env: Env) -> bool:
            value = one(env)
            charge_comparison(env, value, 1, where)
            return equal(value, other(env)) is not negated

        return counted
    return lambda env: equal(one(env), other(env)) is not negated


def _equals_literal(part: Closure, value: object, *, negated: bool) -> Closure:
    """The closure of a comparison with a literal. Only a number needs care: `True == 1` in Python."""
    if type(value) is str:
        return (lambda env: part(env) != value) if negated else (lambda env: part(env) == value)
    if value is None or type(value) is bool:
        return (lambda env: part(env) is not value) if negated else (lambda env: part(env) is value)

    def equals(env: Env) -> bool:
        found = part(env)
        return (found == value and type(found) is not bool) is not negated

    return equals


def _type_test(compiler: Compiler, call: Call, name: Ident, *, negated: bool) -> Closure:
    """The closure of `type(x) == T`."""
    part = compiler.compile(call.arguments[0])
    wanted = _TYPES[name.name]
    return (lambda env: type(part(env)) is not wanted) if negated else (lambda env: type(part(env)) is wanted)


def _order(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `<`, `<=`, `>` or `>=`."""
    symbol, test = node.operator, _ORDER[node.operator]
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    where = compiler.site(node)
    if isinstance(node.right, Literal) and type(node.right.value) is int:
        bound = node.right.value

        def bounded(env: Env) -> bool:
            value = left(env)
            if type(value) is int:
                return test(value, bound)
            return semantics.compare(value, bound, test, symbol, where)

        return bounded

    def ordered(env: Env) -> bool:
        value, other = left(env), right(env)
        if type(value) is int and type(other) is int:
            return test(value, other)
        return semantics.compare(value, other, test, symbol, where)

    return ordered


def _membership(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `in`."""
    where = compiler.site(node)
    if isinstance(node.right, ListLiteral):
        words = _words(node.right)
        if words is not None:
            value = compiler.compile(node.left)
            return lambda env: type(found := value(env)) is str and found in words
    container = compiler.compile(node.right)
    counted = compiler.in_body
    if isinstance(node.left, Literal) and type(node.left.value) is str:
        return _holds_word(container, node.left.value, where, counted=counted)
    element = compiler.compile(node.left)

    def member(env: Env) -> bool:
        value, found = element(env), container(env)
        if counted and type(found) is list:
            charge_comparison(env, value, len(found), where)
        return semantics.contains(found, value, where)

    return member


def _words(node: ListLiteral) -> frozenset[str] | None:
    """The strings of a list literal that holds nothing else, or None."""
    words = [part.value for part in node.elements if isinstance(part, Literal) and isinstance(part.value, str)]
    return frozenset(words) if len(words) == len(node.elements) else None


def _holds_word(container: Closure, word: str, where: Site, *, counted: bool) -> Closure:
    """The closure of `"word" in container`: a string is equal to no value of another type in Python either."""

    def holds(env: Env) -> bool:
        found = container(env)
        kind = type(found)
        if kind is list:
            if counted:
                charge(env, len(found), where)
            return word in found
        if kind is dict:
            return word in found
        return semantics.contains(found, word, where)

    return holds


# Arithmetic.


def _arithmetic(compiler: Compiler, node: Binary) -> Closure:
    """The closure of `+ - * / %`."""
    compute = _ARITHMETIC[node.operator]
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    where = compiler.site(node)
    if isinstance(node.right, Literal) and type(node.right.value) is int and node.operator in "+-*":
        return _with_int(left, node.operator, node.right.value, compute, where)
    if compiler.in_body and node.operator == "+":

        def counted(env: Env) -> Any:  # noqa: ANN401 - JSON
            result = compute(left(env), right(env), where)
            charge(env, weight(result), where)
            return result

        return counted
    return lambda env: compute(left(env), right(env), where)


def _with_int(
    left: Closure,
    symbol: str,
    number: int,
    compute: Callable[[Any, Any, Site], Any],
    where: Site,
) -> Closure:
    """The closure of `x + 1` and its like."""
    fast: Callable[[int, int], int] = {"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol]

    def computed(env: Env) -> Any:  # noqa: ANN401 - JSON
        value = left(env)
        if type(value) is int and INT_MIN <= (result := fast(value, number)) <= INT_MAX:
            return result
        return compute(value, number, where)

    return computed

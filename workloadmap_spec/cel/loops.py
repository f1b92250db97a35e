"""Macros, and the budget of steps that bounds them.

Only macros repeat work, so only they count: before it starts, a macro takes a step for every node of its body and
every element. Inside a body, operations whose work grows with their operands take steps of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel.failures import ExpressionEvaluationError, ExpressionLimitError, NotPortableError, Site
from workloadmap_spec.cel.limits import MAX_RANGE, MAX_READ_STEPS, MAX_STEPS
from workloadmap_spec.cel.semantics import name_of
from workloadmap_spec.cel.tree import Macro, Node, children

if TYPE_CHECKING:
    from workloadmap_spec.cel.evaluator import Closure, Compiler, Env

#: Where the steps that are left are kept among the variables: no variable can have this name.
STEPS: Final = "\0steps"
#: Where a read keeps, in a list of one, the steps that its evaluations have left together.
READ_STEPS: Final = "\0read"
#: Characters that are searched or copied in one step.
_CHARACTERS: Final = 10
_MISSING: Final = object()


def charge(env: Env, steps: int, where: Site) -> None:
    """Take steps from the budget."""
    left = env[STEPS] - steps
    if left < 0:
        together = env.get(READ_STEPS)
        spent = together is not None and together[0] < MAX_STEPS
        message = (
            f"the expressions of one read take at most {MAX_READ_STEPS:,} steps together"
            if spent
            else f"an expression takes at most {MAX_STEPS:,} steps"
        )
        raise ExpressionLimitError(message, where, "visit fewer elements, or declare the inner list as a variable")
    env[STEPS] = left


def macro(compiler: Compiler, node: Macro) -> Closure:
    """The closure of a macro."""
    source = compiler.compile(node.range)
    outer, compiler.in_body = compiler.in_body, True
    body = compiler.compile(node.body)
    compiler.in_body = outer
    where = Site(compiler.text, node.at, len(node.macro))
    elements = _elements(source, node, compiler.site(node.range), where)
    loop = {"all": _all, "exists": _exists, "exists_one": _exists_one, "filter": _filter, "map": _map}[node.macro]
    return loop(elements, node.variable, body, compiler.site(node.body))


def _elements(source: Closure, node: Macro, over: Site, where: Site) -> Closure:
    """The closure that gives the elements to visit, and pays for the visit."""
    cost = _cost(node.body)
    lists_only = node.macro in {"filter", "map"}

    def elements(env: Env) -> Any:  # noqa: ANN401 - a list, or the keys of a map
        value = source(env)
        if type(value) is dict:
            if lists_only:
                # P10: the order of keys differs from engine to engine.
                raise NotPortableError(f"`{node.macro}` ranges over a list, not over a map", over)
            found = list(value)
        elif type(value) is list:
            found = value
        else:
            raise ExpressionEvaluationError(f"`{node.macro}` ranges over a list, not over {name_of(value)}", over)
        if len(found) > MAX_RANGE:
            message = f"a macro visits at most {MAX_RANGE:,} elements, and here are {len(found):,}"
            raise ExpressionLimitError(message, over)
        charge(env, len(found) * cost, where)
        return found

    return elements


def _cost(body: Node) -> int:
    """The nodes of a body that run once for each element; those of inner bodies are paid for by their own macros."""
    parts = (body.range,) if isinstance(body, Macro) else children(body)
    return 1 + sum(_cost(part) for part in parts)


def _restore(env: Env, variable: str, previous: object) -> None:
    """Give a variable the value back that it had outside of a macro."""
    if previous is _MISSING:
        env.pop(variable, None)
    else:
        env[variable] = previous


def _no_condition(value: object, where: Site) -> ExpressionEvaluationError:
    """The error for a predicate that is neither true nor false."""
    return ExpressionEvaluationError(f"a condition gives true or false, and this gives {name_of(value)}", where)


def _exists(elements: Closure, variable: str, body: Closure, where: Site) -> Closure:
    """`exists`: true if the body is for one element; then errors for others do not matter."""

    def exists(env: Env) -> bool:
        found = elements(env)
        previous = env.get(variable, _MISSING)
        error: ExpressionEvaluationError | None = None
        try:
            for element in found:
                env[variable] = element
                try:
                    holds = body(env)
                except ExpressionEvaluationError as failure:
                    error = error or failure
                    continue
                if holds is True:
                    return True
                if holds is not False:
                    error = error or _no_condition(holds, where)
        finally:
            _restore(env, variable, previous)
        if error is not None:
            raise error
        return False

    return exists


def _all(elements: Closure, variable: str, body: Closure, where: Site) -> Closure:
    """`all`: false if the body is for one element; then errors for others do not matter."""

    def every(env: Env) -> bool:
        found = elements(env)
        previous = env.get(variable, _MISSING)
        error: ExpressionEvaluationError | None = None
        try:
            for element in found:
                env[variable] = element
                try:
                    holds = body(env)
                except ExpressionEvaluationError as failure:
                    error = error or failure
                    continue
                if holds is False:
                    return False
                if holds is not True:
                    error = error or _no_condition(holds, where)
        finally:
            _restore(env, variable, previous)
        if error is not None:
            raise error
        return True

    return every


def _exists_one(elements: Closure, variable: str, body: Closure, where: Site) -> Closure:
    """`exists_one`: the body is true for exactly one element; every error matters."""

    def exists_one(env: Env) -> bool:
        found = elements(env)
        previous = env.get(variable, _MISSING)
        count = 0
        try:
            for element in found:
                env[variable] = element
                holds = body(env)
                if holds is True:
                    count += 1
                elif holds is not False:
                    raise _no_condition(holds, where)
        finally:
            _restore(env, variable, previous)
        return count == 1

    return exists_one


def _filter(elements: Closure, variable: str, body: Closure, where: Site) -> Closure:
    """`filter`: the elements for which the body is true."""

    def select(env: Env) -> list[Any]:
        found = elements(env)
        previous = env.get(variable, _MISSING)
        kept = []
        try:
            for element in found:
                env[variable] = element
                holds = body(env)
                if holds is True:
                    kept.append(element)
                elif holds is not False:
                    raise _no_condition(holds, where)
        finally:
            _restore(env, variable, previous)
        return kept

    return select


def _map(elements: Closure, variable: str, body: Closure, _where: Site) -> Closure:
    """`map`: what the body gives for each element."""

    def transform(env: Env) -> list[Any]:
        found = elements(env)
        previous = env.get(variable, _MISSING)
        made = []
        try:
            for element in found:
                env[variable] = element
                made.append(body(env))
        finally:
            _restore(env, variable, previous)
        return made

    return transform


# Operations that are counted inside bodies.


def weight(value: object) -> int:
    """The steps of going through a value once, without what is inside its elements."""
    if type(value) is str:
        return len(value) // _CHARACTERS
    return len(value) if type(value) is list or type(value) is dict else 0


def charge_comparison(env: Env, value: object, times: int, where: Site) -> None:
    """Take the steps of comparing a value, with what is inside it, with a number of others."""
    charge(env, times * (1 + _deep_weight(value, env[STEPS])), where)


def _deep_weight(value: object, limit: int) -> int:
    """The steps of going through a value with what is inside it; once past `limit` it does not go on."""
    total = weight(value)
    if total > limit:
        return total
    parts = value if type(value) is list else value.values() if type(value) is dict else ()
    for part in parts:
        total += _deep_weight(part, limit - total)
        if total > limit:
            break
    return total

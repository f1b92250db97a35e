"""From a checked tree to a function over plain dicts.

Every part becomes a closure that takes the variables, `{"object": {...}}`, and gives a value; nothing is converted,
and no part of a result is a copy. Forms that mappings are full of have closures of their own: chains of fields,
`has(a.b.c)`, comparisons with literals, `"X" in conditionsTrue`.

A program may be shared between threads; the dict of variables may not: macros put their variable and the number of
steps that are left into it while they run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from workloadmap_spec.cel import loops, operations
from workloadmap_spec.cel.failures import ExpressionEvaluationError, Site, site
from workloadmap_spec.cel.lexer import outside
from workloadmap_spec.cel.limits import MAX_STEPS
from workloadmap_spec.cel.semantics import (
    name_of,
    size,
    to_double,
    to_duration,
    to_int,
    to_string,
    to_timestamp,
)
from workloadmap_spec.cel.times import Duration, Timestamp
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
    field_offset,
    walk,
)

Env = dict[str, Any]
Closure = Callable[[Env], Any]
#: A compiled expression: from variables to a JSON value.
#:
#: Raises `EvaluationError`, and `LimitExceededError` when the work or the result is too large.
Program = Callable[[Env], Any]

_CONVERSIONS: Final = {
    "double": to_double,
    "duration": to_duration,
    "int": to_int,
    "size": size,
    "string": to_string,
    "timestamp": to_timestamp,
}
_TEXT_METHODS: Final = {"contains": str.__contains__, "endsWith": str.endswith, "startsWith": str.startswith}
_TIMES: Final = frozenset({"timestamp", "duration"})


def compile_expression(tree: Node, text: str = "") -> Program:
    """The program of a tree that `check` found without errors; `text` is shown in its errors.

    Raises:
        ExpressionCheckError: the tree has a function that the profile does not have.
    """
    compiler = Compiler(text)
    program = compiler.compile(tree)
    if any(isinstance(node, Call) and node.function in _TIMES for node in walk(tree)):
        program = _json_only(program, site(text, tree))
    if any(isinstance(node, Macro) for node in walk(tree)):
        program = _counted(program)
    return program


def _counted(inner: Closure) -> Program:
    """A program with macros: it starts with all its steps, or with those that the read has left."""

    def counted(env: Env) -> Any:  # noqa: ANN401 - JSON
        together = env.get(loops.READ_STEPS)
        start = MAX_STEPS if together is None else min(MAX_STEPS, together[0])
        env[loops.STEPS] = start
        try:
            return inner(env)
        finally:
            left = env.pop(loops.STEPS)
            if together is not None:
                together[0] -= start - left

    return counted


def _json_only(inner: Closure, where: Site) -> Program:
    """A program with timestamps or durations: its result has none."""

    def json_only(env: Env) -> Any:  # noqa: ANN401 - JSON
        value = inner(env)
        _refuse_times(value, where)
        return value

    return json_only


def _refuse_times(value: object, where: Site) -> None:
    """Refuse a result with a timestamp or duration in it (P17)."""
    if type(value) is Timestamp or type(value) is Duration:
        raise ExpressionEvaluationError(f"the result is a {name_of(value)}, which is no value of JSON", where)
    if type(value) is list:
        for element in value:
            _refuse_times(element, where)
    elif type(value) is dict:
        for element in value.values():
            _refuse_times(element, where)


class Compiler:
    """What the closures of one expression have in common."""

    def __init__(self, text: str) -> None:
        """Start outside of macros."""
        self.text = text
        #: The part is in the body of a macro, where costly operations are counted.
        self.in_body = False

    def site(self, node: Node) -> Site:
        """The place of a part."""
        return Site(self.text, node.offset, node.length)

    def compile(self, node: Node) -> Closure:  # noqa: C901, PLR0911 - one case for each kind of node
        """The closure of a part."""
        match node:
            case Literal():
                return _constant(node.value)
            case Ident():
                return _variable(node.name, self.site(node))
            case Select() | Index():
                return self.place(node)
            case Has():
                return self.has(node)
            case Macro():
                return loops.macro(self, node)
            case Call():
                return self.call(node)
            case Unary():
                return operations.unary(self, node)
            case Binary():
                return operations.binary(self, node)
            case Ternary():
                return self.ternary(node)
            case ListLiteral():
                return self.list_literal(node)
            case MapLiteral():
                return self.map_literal(node)

    # Places.

    def place(self, node: Select | Index) -> Closure:
        """The closure of `operand.field` or `operand[index]`."""
        chain = self.chain(node)
        if chain is not None:
            root, names, sites = chain
            return _chain(root, names, sites)
        operand = self.compile(node.operand)
        if isinstance(node, Select):
            return _field(operand, node.field, self.field_site(node))
        index = node.key
        where = self.site(index)
        if isinstance(index, Literal) and type(index.value) is str:
            return _field(operand, index.value, where)
        return _element(operand, self.compile(index), where)

    def field_site(self, node: Select) -> Site:
        """The place of the field in a selection."""
        return Site(self.text, field_offset(node), len(node.field))

    def chain(self, node: Node) -> tuple[str, tuple[str, ...], tuple[Site, ...]] | None:
        """The variable, the names and their places of a chain of fields, or None."""
        names: list[str] = []
        sites: list[Site] = []
        while not isinstance(node, Ident):
            if isinstance(node, Select):
                names.append(node.field)
                sites.append(self.field_site(node))
            elif isinstance(node, Index) and isinstance(node.key, Literal) and type(node.key.value) is str:
                names.append(node.key.value)
                sites.append(self.site(node.key))
            else:
                return None
            node = node.operand
        sites.append(self.site(node))
        return node.name, tuple(reversed(names)), tuple(reversed(sites))

    def has(self, node: Has) -> Closure:
        """The closure of `has(operand.field)`."""
        field, where = node.field, self.site(node)
        chain = self.chain(node.operand)
        if chain is not None and len(chain[1]) == 1:
            root, (parent,), sites = chain
            return _has_below(root, parent, field, sites, where)
        operand = self.compile(node.operand)

        def has(env: Env) -> bool:
            value = operand(env)
            return field in value if type(value) is dict else _has_scalar(value, where)

        return has

    # Functions, conditionals and literals.

    def call(self, node: Call) -> Closure:
        """The closure of a call."""
        name, receiver = node.function, node.receiver
        parts = node.arguments if receiver is None else (receiver, *node.arguments)
        if len(parts) == 1 and (receiver is None or name == "size"):
            if name == "dyn":
                return self.compile(parts[0])
            convert = _CONVERSIONS.get(name)
            if convert is not None:
                return _conversion(self.compile(parts[0]), convert, self.site(node))
        if receiver is not None and len(parts) == 2 and name in _TEXT_METHODS:  # noqa: PLR2004 - text and part
            where = Site(self.text, node.at, len(name))
            text, part = self.compile(parts[0]), self.compile(parts[1])
            return _text_method(name, text, part, where, counted=self.in_body and name == "contains")
        message = f"there is no function `{name}` here"
        raise outside(self.text, node.at, len(name), "P02", message)

    def ternary(self, node: Ternary) -> Closure:
        """The closure of `condition ? then : otherwise`."""
        condition, then, otherwise = (self.compile(part) for part in (node.condition, node.then, node.otherwise))
        where = self.site(node.condition)

        def ternary(env: Env) -> Any:  # noqa: ANN401 - JSON
            chosen = condition(env)
            if chosen is True:
                return then(env)
            if chosen is False:
                return otherwise(env)
            raise ExpressionEvaluationError(f"`?` takes a condition, not {name_of(chosen)}", where)

        return ternary

    def list_literal(self, node: ListLiteral) -> Closure:
        """The closure of `[elements]`."""
        elements = tuple(self.compile(element) for element in node.elements)
        return lambda env: [element(env) for element in elements]

    def map_literal(self, node: MapLiteral) -> Closure:
        """The closure of `{key: value}`."""
        entries = []
        for key, value in node.entries:
            if not isinstance(key, Literal) or type(key.value) is not str:
                message = "the key of a map is a string literal"
                raise outside(self.text, key.offset, key.length, "P06", message)
            entries.append((key.value, self.compile(value)))
        return lambda env: {key: value(env) for key, value in entries}


def _constant(value: object) -> Closure:
    """The closure of a literal."""
    return lambda _env: value


def _unbound(name: str, where: Site) -> ExpressionEvaluationError:
    """The error for a variable that is declared and not given."""
    return ExpressionEvaluationError(f"the variable `{name}` has no value", where)


def _variable(name: str, where: Site) -> Closure:
    """The closure of a variable."""

    def variable(env: Env) -> Any:  # noqa: ANN401 - JSON
        try:
            return env[name]
        except KeyError:
            raise _unbound(name, where) from None

    return variable


def _chain(root: str, names: tuple[str, ...], sites: tuple[Site, ...]) -> Closure:
    """The closure of a variable and names. Indexing anything but a map with a string fails by itself."""
    if len(names) == 1:
        (a,) = names

        def one(env: Env) -> Any:  # noqa: ANN401 - JSON
            try:
                return env[root][a]
            except (KeyError, TypeError):
                raise _broken_chain(env, root, names, sites) from None

        return one
    if len(names) == 2:  # noqa: PLR2004 - `object.spec.x` is the shape of most
        a, b = names

        def two(env: Env) -> Any:  # noqa: ANN401 - JSON
            try:
                return env[root][a][b]
            except (KeyError, TypeError):
                raise _broken_chain(env, root, names, sites) from None

        return two

    def many(env: Env) -> Any:  # noqa: ANN401 - JSON
        try:
            value = env[root]
            for name in names:
                value = value[name]
        except (KeyError, TypeError):
            raise _broken_chain(env, root, names, sites) from None
        return value

    return many


def _broken_chain(env: Env, root: str, names: tuple[str, ...], sites: tuple[Site, ...]) -> ExpressionEvaluationError:
    """The error for the step of a chain that fails."""
    if root not in env:
        return _unbound(root, sites[0])
    value = env[root]
    for name, where in zip(names, sites[1:], strict=True):
        if type(value) is not dict or name not in value:
            return _no_field(value, name, where)
        value = value[name]
    message = f"the chain {root}.{'.'.join(names)} does not fail"
    raise AssertionError(message)


def _no_field(value: object, name: str, where: Site) -> ExpressionEvaluationError:
    """The error for a field that is not there."""
    if type(value) is dict:
        return ExpressionEvaluationError(f"no such key `{name}`", where)
    return ExpressionEvaluationError(f"no such key `{name}`: {name_of(value)} has no fields", where)


def _field(operand: Closure, name: str, where: Site) -> Closure:
    """The closure of a field of what is not a chain."""

    def field(env: Env) -> Any:  # noqa: ANN401 - JSON
        value = operand(env)
        if type(value) is dict and name in value:
            return value[name]
        raise _no_field(value, name, where)

    return field


def _element(operand: Closure, index: Closure, where: Site) -> Closure:
    """The closure of an index (P15)."""

    def element(env: Env) -> Any:  # noqa: ANN401 - JSON
        value = operand(env)
        key = index(env)
        if type(value) is list:
            if type(key) is not int:
                raise ExpressionEvaluationError(f"the index of a list is an int, not {name_of(key)}", where)
            if 0 <= key < len(value):
                return value[key]
            count = f"{len(value)} element{'s' * (len(value) != 1)}"
            raise ExpressionEvaluationError(f"index {key} is out of range: the list has {count}", where)
        if type(value) is not dict:
            raise ExpressionEvaluationError(f"{name_of(value)} has no elements", where)
        if type(key) is not str:
            raise ExpressionEvaluationError(f"the index of a map is a string, not {name_of(key)}", where)
        if key in value:
            return value[key]
        raise _no_field(value, key, where)

    return element


def _has_below(root: str, parent: str, field: str, sites: tuple[Site, ...], where: Site) -> Closure:
    """The closure of `has(root.parent.field)`."""

    def has(env: Env) -> bool:
        try:
            value = env[root][parent]
        except (KeyError, TypeError):
            raise _broken_chain(env, root, (parent,), sites) from None
        return field in value if type(value) is dict else _has_scalar(value, where)

    return has


def _has_scalar(value: object, where: Site) -> bool:
    """`has()` of a field of what is no map: false, but for lists, as cel-go (interpreter/attributes.go)."""
    if type(value) is list:
        raise ExpressionEvaluationError("a list has no fields to test for", where)
    return False


def _conversion(operand: Closure, convert: Callable[[Any, Site], Any], where: Site) -> Closure:
    """The closure of a function of one argument."""
    return lambda env: convert(operand(env), where)


def _text_method(name: str, text: Closure, part: Closure, where: Site, *, counted: bool) -> Closure:
    """The closure of `text.contains(part)` and its like."""
    test = _TEXT_METHODS[name]

    def method(env: Env) -> bool:
        value, other = text(env), part(env)
        if type(value) is str and type(other) is str:
            if counted:
                loops.charge(env, loops.weight(value), where)
            return test(value, other)
        wrong = other if type(value) is str else value
        raise ExpressionEvaluationError(f"`{name}` takes strings, not {name_of(wrong)}", where)

    return method

"""Values of a mapping (clause S5): compiled once, read from a scope.

A compiled value is a function from a scope to the value or ABSENT. It leaves the place the value was read from, a JSON
Pointer in the workload or None, in `scope.place`. A value that fails raises `FailedError`, after its diagnostic is
noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT, Path, compile_path, resolve_steps, variables_guarded, variables_used
from workloadmap_spec.cel.tree import Binary, ListLiteral, Macro, MapLiteral, walk
from workloadmap_spec.errors import EvaluationError
from workloadmap_spec.limits import MAX_COUNT, MAX_DEPTH, MAX_MADE
from workloadmap_spec.pointer import escape, join

if TYPE_CHECKING:
    from workloadmap_spec.cel import Node
    from workloadmap_spec.diagnostics import Diagnostics, Severity

__all__ = ["ABSENT", "FailedError", "Reader", "Scope"]

#: Stands in expressions for labels, annotations and the like that the object lacks (S3.3.1).
MISSING_MAP: Final[dict[str, Any]] = {}
_INTEGER: Final = re.compile(r"(-?)0*([0-9]{1,16})", re.ASCII)
_NO_VARIABLES: Final[frozenset[str]] = frozenset()


class FailedError(Exception):
    """A value has failed (S3.4.2); its diagnostic is noted already."""


class Scope:
    """What a value may see: the bound variables, the places they came from, and which of them failed.

    `env` holds the CEL variables. `places` maps `item` and the names of declared variables to JSON Pointers. `instance`
    is the path of instance ids for diagnostics.
    """

    __slots__ = ("diagnostics", "env", "failed", "instance", "place", "places", "unknown")

    def __init__(
        self,
        env: dict[str, Any],
        places: dict[str, str | None],
        failed: frozenset[str],
        diagnostics: Diagnostics,
        instance: str = "",
    ) -> None:
        """Keep the parts."""
        self.env = env
        self.places = places
        self.failed = failed
        self.diagnostics = diagnostics
        self.instance = instance
        #: The place of the value read last.
        self.place: str | None = None
        #: The text of the `unknown` met last.
        self.unknown: str | None = None

    def child(self, instance: str, bindings: Mapping[str, Any] | None = None) -> Scope:
        """A scope inside this one: sees all of it, and what it adds stays its own."""
        env = {**self.env, **bindings} if bindings else dict(self.env)
        env["variables"] = dict(self.env["variables"])
        return Scope(env, dict(self.places), self.failed, self.diagnostics, instance)

    def report(self, at: str, error_class: str, message: str, severity: Severity = "error") -> None:
        """Note a diagnostic at a place of the mapping, for the instance at hand."""
        self.diagnostics.add(at, self.instance, error_class, message, severity)

    def fail(self, at: str, error_class: str, message: str) -> FailedError:
        """Note a diagnostic and give the exception that says so: `raise scope.fail(...)`."""
        self.report(at, error_class, message)
        return FailedError()


Reader = Callable[[Scope], Any]
#: An expression that is ready to run: from the bound variables to the value.
Program = Callable[[dict[str, Any]], Any]


def describe(value: object) -> str:
    """A JSON value in a message: its type, and the value itself where it is short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"a map with {len(value)} entries"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:37] + "..."  # noqa: PLR2004 - fits a line
        return f'the string "{shown}"'
    return f"the number {value}"


def literal(value: object) -> Reader:
    """A reader of a number, boolean or other literal; it has no place."""

    def read(scope: Scope) -> object:
        scope.place = None
        return value

    return read


def unknown(text: str) -> Reader:
    """A reader of `{unknown: TEXT}`: always absent."""

    def read(scope: Scope) -> object:
        scope.unknown = text
        scope.place = None
        return ABSENT

    return read


def _variable_of(path: Path) -> str | None:
    """The declared variable that a path begins with, if it begins with one."""
    if path.root == "variables" and path.steps and isinstance(path.steps[0], str):
        return path.steps[0]
    return None


def _place_reader(path: Path) -> Callable[[Scope], str | None]:
    """A function that gives the place of a path that is present (S3.1.4, S5.3.3)."""
    literal_steps = [step for step in path.steps if isinstance(step, str | int)]
    if len(literal_steps) == len(path.steps):
        return _static_place_reader(path, literal_steps)

    def dynamic(scope: Scope) -> str | None:
        steps = resolve_steps(path, scope.env)
        if steps is None:
            return None
        if path.root == "object":
            return join("", *steps)
        if path.root == "item":
            base = scope.places.get("item")
            return None if base is None else join(base, *steps)
        if path.root == "variables" and steps:
            base = scope.places.get(f"variables.{steps[0]}")
            return None if base is None else join(base, *steps[1:])
        return None

    return dynamic


def _static_place_reader(path: Path, steps: list[str | int]) -> Callable[[Scope], str | None]:
    """The place of a path whose steps are all literal: a constant behind the place of its root."""
    name = _variable_of(path)
    if path.root == "object":
        constant = join("", *steps)
        return lambda _scope: constant
    if path.root == "item":
        key, suffix = "item", join("", *steps)
    elif name is not None:
        key, suffix = f"variables.{name}", join("", *steps[1:])
    else:
        return lambda _scope: None

    def read(scope: Scope) -> str | None:
        base = scope.places.get(key)
        return None if base is None else base + suffix

    return read


def path_reader(path: Path) -> Reader:
    """A reader of a path expression: null-safe, with its place."""
    get = compile_path(path)
    mentions = _path_variables(path)
    static = all(isinstance(step, str | int) for step in path.steps)
    if path.root == "object" and static:
        constant = join("", *(step for step in path.steps if isinstance(step, str | int)))

        def read_object(scope: Scope) -> object:
            scope.place = constant
            return get(scope.env)

        return read_object
    place = _place_reader(path)

    def read(scope: Scope) -> object:
        if scope.failed and not scope.failed.isdisjoint(mentions):
            raise FailedError
        value = get(scope.env)
        scope.place = None if value is ABSENT else place(scope)
        return value

    return read


def _path_variables(path: Path) -> frozenset[str]:
    """The declared variables that a path or its indexes mention."""
    found: set[str] = set()
    name = _variable_of(path)
    if name is not None:
        found.add(name)
    for step in path.steps:
        if isinstance(step, Path):
            found |= _path_variables(step)
    return frozenset(found)


def expression_reader(tree: Node, at: str, program: Program) -> Reader:
    """A reader of an expression: strict, without a place (S3.4.1, S3.4.2)."""
    mentions = variables_used(tree)
    needs = tuple(sorted(mentions - variables_guarded(tree)))
    makes = any(isinstance(node, ListLiteral | MapLiteral | Macro | Binary) for node in walk(tree))

    def read(scope: Scope) -> object:
        scope.place = None
        if scope.failed and not scope.failed.isdisjoint(mentions):
            raise FailedError
        if needs:
            variables = scope.env["variables"]
            for name in needs:
                if name not in variables:
                    return ABSENT
        try:
            value = program(scope.env)
        except EvaluationError as error:
            raise scope.fail(at, error.error_class, error.message) from None
        if makes and _is_too_large(value):
            raise scope.fail(at, "limit-exceeded", "an expression makes a value too large or too deep")
        return value

    return read


def _is_too_large(value: object) -> bool:
    """Whether a made value is deeper than a document or holds too much; what is shared counts each time."""
    left = MAX_MADE
    level: list[object] = [value] if isinstance(value, dict | list) else []
    for _depth in range(MAX_DEPTH):
        if not level:
            return False
        below: list[object] = []
        for part in level:
            inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
            left -= len(inner)
            if left < 0:
                return True
            below += [piece for piece in inner if isinstance(piece, dict | list)]
        level = below
    return bool(level)


def condition_reader(read: Reader, at: str) -> Callable[[Scope], bool]:
    """A condition (S3.4.3): absent is false, anything but a boolean has failed."""

    def holds(scope: Scope) -> bool:
        value = read(scope)
        if value is True or value is False:
            return value
        if value is ABSENT:
            return False
        raise scope.fail(at, "result-type", f"a condition must give true or false, and gave {describe(value)}")

    return holds


def first_of(readers: tuple[Reader, ...]) -> Reader:
    """The first alternative that is present."""

    def read(scope: Scope) -> object:
        for alternative in readers:
            value = alternative(scope)
            if value is not ABSENT:
                return value
        scope.place = None
        return ABSENT

    return read


def as_int(value: object) -> int | None:
    """What `as: int` makes of a value (S5.2): an integer, or None if it cannot be one."""
    if type(value) is int:
        return value
    if type(value) is str and (found := _INTEGER.fullmatch(value)):
        number = int(found[1] + found[2])
        return number if abs(number) <= MAX_COUNT else None
    return None


def _as_bool(value: object) -> bool | None:
    """What `as: bool` makes of a value (S5.2): a boolean, or None if it cannot be one."""
    if value is True or value is False:
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) and value.isascii() else None


def converted(read: Reader, kind: str, at: str) -> Reader:
    """The value as an integer or a boolean; what cannot be one has failed."""
    convert: Callable[[object], object] = as_int if kind == "int" else _as_bool
    wanted = "a whole number" if kind == "int" else "true or false"

    def read_converted(scope: Scope) -> object:
        value = read(scope)
        if value is ABSENT:
            return value
        result = convert(value)
        if result is None:
            raise scope.fail(at, "result-type", f"expected {wanted}, and found {describe(value)}")
        return result

    return read_converted


def stripped(read: Reader, prefix: Reader) -> Reader:
    """The rest of a text behind a prefix; absent if it does not begin with it."""

    def read_stripped(scope: Scope) -> object:
        start = prefix(scope)
        value = read(scope)
        if type(value) is str and type(start) is str and value.startswith(start):
            return value[len(start) :]
        scope.place = None
        return ABSENT

    return read_stripped


def guarded(read: Reader, holds: Callable[[Scope], bool]) -> Reader:
    """The value where the condition holds, else absent."""

    def read_guarded(scope: Scope) -> object:
        if holds(scope):
            return read(scope)
        scope.place = None
        return ABSENT

    return read_guarded


def defaulted(read: Reader, default: object) -> Reader:
    """The value, or the literal where it is absent."""

    def read_defaulted(scope: Scope) -> object:
        value = read(scope)
        if value is ABSENT:
            scope.place = None
            return default
        return value

    return read_defaulted


def same(left: object, right: object) -> bool:
    """Equality of JSON values: a boolean is no number, an integer equals a double of the same value."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def absent_if(read: Reader, sentinels: tuple[object, ...]) -> Reader:
    """The value, absent where it equals one of the literals."""

    def read_absent_if(scope: Scope) -> object:
        value = read(scope)
        if value is not ABSENT and any(same(value, sentinel) for sentinel in sentinels):
            scope.place = None
            return ABSENT
        return value

    return read_absent_if


def find(elements: Reader, where: tuple[tuple[str, Reader], ...]) -> Reader:
    """The first element of a list whose fields equal the given values (S5.3.2)."""

    def read(scope: Scope) -> object:
        wanted = []
        for field, reader in where:
            value = reader(scope)
            if value is ABSENT:
                scope.place = None
                return ABSENT
            wanted.append((field, value))
        found = elements(scope)
        if type(found) is list:
            for index, element in enumerate(found):
                if type(element) is dict and all(
                    field in element and same(element[field], value) for field, value in wanted
                ):
                    if scope.place is not None:
                        scope.place = f"{scope.place}/{index}"
                    return element
        scope.place = None
        return ABSENT

    return read


def read_count(read: Reader, scope: Scope, at: str) -> int | None:
    """A count (S6.4): an integer from 0 to 2^53-1, or None if it is absent.

    Raises:
        FailedError: it is of another type or out of range, or failed itself.

    """
    value = read(scope)
    if type(value) is int:
        if 0 <= value <= MAX_COUNT:
            return value
        raise scope.fail(at, "result-invalid", f"a count from 0 to {MAX_COUNT} is wanted, and {value} was found")
    if value is ABSENT:
        return None
    raise scope.fail(at, "result-type", f"a whole number is wanted, and {describe(value)} was found")


def read_string(read: Reader, scope: Scope, at: str) -> str | None:
    """A string that is not empty, or None if it is absent or empty.

    Raises:
        FailedError: it is of another type, or failed itself.

    """
    value = read(scope)
    if type(value) is str:
        return value or None
    if value is ABSENT:
        return None
    raise scope.fail(at, "result-type", f"a string is wanted, and {describe(value)} was found")


def step_place(place: str | None, step: str | int) -> str | None:
    """The place one step below another."""
    return None if place is None else f"{place}/{escape(str(step))}"

"""Values of a mapping (clause S5): compiled once, read from a scope.

A compiled value is a function from a scope to the value or ABSENT. It leaves the place the value was read from, a JSON
Pointer in the workload or None, in `scope.place`. A value that fails raises `FailedError`, after its diagnostic is
noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT, Path, compile_path, members_guarded, members_used, resolve_steps
from workloadmap_spec.cel.tree import Binary, ListLiteral, Macro, MapLiteral, walk
from workloadmap_spec.errors import EvaluationError
from workloadmap_spec.limits import MAX_COUNT, MAX_DEPTH, MAX_MADE
from workloadmap_spec.pointer import escape, is_below, join
from workloadmap_spec.texts import cut

if TYPE_CHECKING:
    from workloadmap_spec.cel import Node
    from workloadmap_spec.diagnostics import Diagnostics, Severity
    from workloadmap_spec.mapping import Field

__all__ = ["ABSENT", "FailedError", "Reader", "Scope"]

#: The workload as it is, among the variables: what paths walk. No expression can name it.
AS_IT_IS: Final = "object as it is"
_WITH_UNIT: Final = re.compile(r"([0-9]+)[ \t]*([A-Za-z]*)", re.ASCII)
_INTEGER: Final = re.compile(r"(-?)0*([0-9]{1,16})", re.ASCII)
_NOTHING: Final[frozenset[str]] = frozenset()


class FailedError(Exception):
    """A value has failed (S3.4.2); its diagnostic is noted already."""


@dataclass(frozen=True, slots=True)
class Base:
    """Where an embedded object lies in the workload: the place of each part, by the JSON Pointer that it has inside."""

    #: The name of the mapping that reads it.
    mapping: str
    #: `("/spec", "/spec/jobTemplate/spec")` and so on, the longest first; `("", place)` for the whole object.
    parts: tuple[tuple[str, str | None], ...]

    def place(self, pointer: str) -> str | None:
        """The place, in the workload, of what has this JSON Pointer in the embedded object."""
        for inside, outside in self.parts:
            if is_below(pointer, inside):
                return None if outside is None else outside + pointer[len(inside) :]
        return None


class Session:
    """What is common to one read: diagnostics, the references that are given and wanted, and the other mappings."""

    __slots__ = ("diagnostics", "find", "given", "used", "wanted")

    def __init__(
        self,
        diagnostics: Diagnostics,
        find: Callable[[str, str], Any] | None = None,
        given: tuple[Mapping[str, Any], ...] | None = None,
    ) -> None:
        """Keep the parts; `given` is None if no references are given at all."""
        self.diagnostics = diagnostics
        #: Gives the mapping for an `apiVersion` and kind, or raises `LookupError`.
        self.find = find
        self.given = given
        #: The identities of the given objects that a reference names.
        self.used: set[int] = set()
        #: The references that are wanted and not given, in order.
        self.wanted: list[dict[str, Any]] = []


class Scope:
    """What a value may see: the bound variables, the places they came from, and which of them failed.

    `env` holds the CEL variables. `places` maps `item` and the names of declared variables to JSON Pointers. `instance`
    is the path of instance ids for diagnostics.
    """

    __slots__ = ("base", "env", "failed", "instance", "missing", "place", "places", "session", "unknown")

    def __init__(  # noqa: PLR0913 - all that a value may see
        self,
        env: dict[str, Any],
        places: dict[str, str | None],
        session: Session,
        instance: str = "",
        *,
        failed: frozenset[str] = _NOTHING,
        missing: frozenset[str] = _NOTHING,
        base: Base | None = None,
    ) -> None:
        """Keep the parts."""
        self.env = env
        self.places = places
        self.session = session
        self.instance = instance
        #: The variables that failed, and the references that did, as `refs.NAME`.
        self.failed = failed
        #: The references that are wanted and were not given.
        self.missing = missing
        #: Where the object lies if it is embedded in another.
        self.base = base
        #: The place of the value read last.
        self.place: str | None = None
        #: The text of the `unknown` met first since the last count was begun.
        self.unknown: str | None = None

    def child(self, instance: str, bindings: Mapping[str, Any] | None = None) -> Scope:
        """A scope inside this one: sees all of it, and what it adds stays its own."""
        scope = self.seeing(bindings or {}, instance)
        scope.env["variables"] = dict(self.env["variables"])
        scope.places = dict(self.places)
        return scope

    def seeing(self, bindings: Mapping[str, Any], instance: str | None = None) -> Scope:
        """A scope that sees this one and some further variables, for reading only."""
        scope = self.named(self.instance if instance is None else instance)
        scope.env = {**self.env, **bindings}
        return scope

    def named(self, instance: str) -> Scope:
        """The same scope under the name of an instance; nothing may be added to it."""
        return Scope(
            self.env,
            self.places,
            self.session,
            instance,
            failed=self.failed,
            missing=self.missing,
            base=self.base,
        )

    @property
    def diagnostics(self) -> Diagnostics:
        """The diagnostics of the read."""
        return self.session.diagnostics

    def report(self, at: str, error_class: str, message: str, severity: Severity = "error") -> None:
        """Note a diagnostic at a place of the mapping, for the instance at hand."""
        mapping = "" if self.base is None else self.base.mapping
        self.session.diagnostics.add(at, self.instance, error_class, message, severity, mapping)

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
        return f'the string "{cut(value, 40)}"'
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
        # Of several the first counts (S6.8).
        scope.unknown = scope.unknown or text
        scope.place = None
        return ABSENT

    return read


#: Roots of which each member has a place of its own.
_MEMBER_ROOTS: Final = ("variables", "refs")


def _member(path: Path) -> str | None:
    """The name in `scope.places` of the variable or reference that a path begins with, if it begins with one."""
    if path.root in _MEMBER_ROOTS and path.steps and isinstance(path.steps[0], str):
        return f"{path.root}.{path.steps[0]}"
    return None


def _pointer(steps: tuple[object, ...]) -> str:
    """The JSON Pointer of literal steps."""
    return join("", *(step for step in steps if isinstance(step, str | int)))


def _place_reader(path: Path) -> Callable[[Scope], str | None]:
    """A function that gives the place of a path that is present (S3.1.4, S5.3.3)."""
    if all(isinstance(step, str | int) for step in path.steps):
        return _static_place_reader(path)

    def dynamic(scope: Scope) -> str | None:
        steps = resolve_steps(path, scope.env)
        if steps is None:
            return None
        if path.root == "object":
            pointer = join("", *steps)
            return pointer if scope.base is None else scope.base.place(pointer)
        key, rest = (f"{path.root}.{steps[0]}", steps[1:]) if path.root in _MEMBER_ROOTS else (path.root, steps)
        base = scope.places.get(key)
        return None if base is None else join(base, *rest)

    return dynamic


def _static_place_reader(path: Path) -> Callable[[Scope], str | None]:
    """The place of a path whose steps are all literal: a constant behind the place of its root."""
    member = _member(path)
    key, suffix = (path.root, _pointer(path.steps)) if member is None else (member, _pointer(path.steps[1:]))

    def read(scope: Scope) -> str | None:
        base = scope.places.get(key)
        return None if base is None else base + suffix

    return read


def path_reader(path: Path) -> Reader:
    """A reader of a path expression: null-safe, with its place."""
    # A path walks the workload as it is; what S3.3.1 repairs is there for expressions.
    get = compile_path(Path(AS_IT_IS, path.steps) if path.root == "object" else path)
    if path.root == "object" and all(isinstance(step, str | int) for step in path.steps):
        constant = _pointer(path.steps)

        def read_object(scope: Scope) -> object:
            scope.place = constant if scope.base is None else scope.base.place(constant)
            return get(scope.env)

        return read_object
    mentions = frozenset(_mentions_of(path))
    place = _place_reader(path)

    def read(scope: Scope) -> object:
        if scope.failed and not scope.failed.isdisjoint(mentions):
            raise FailedError
        value = get(scope.env)
        scope.place = None if value is ABSENT else place(scope)
        return value

    return read


def _mentions_of(path: Path) -> set[str]:
    """What a path or its indexes mention: declared variables by name, references as `refs.NAME`."""
    found: set[str] = set()
    if path.root in _MEMBER_ROOTS and path.steps and isinstance(path.steps[0], str):
        found.add(path.steps[0] if path.root == "variables" else f"refs.{path.steps[0]}")
    for step in path.steps:
        if isinstance(step, Path):
            found |= _mentions_of(step)
    return found


def expression_reader(tree: Node, at: str, program: Program) -> Reader:
    """A reader of an expression: strict, without a place (S3.4.1, S3.4.2)."""
    used, used_refs = members_used(tree, "variables"), members_used(tree, "refs")
    mentions = used | {f"refs.{name}" for name in used_refs}
    needs = tuple(
        [("variables", name) for name in sorted(used - members_guarded(tree, "variables"))]
        + [("refs", name) for name in sorted(used_refs - members_guarded(tree, "refs"))]
    )
    makes = any(isinstance(node, ListLiteral | MapLiteral | Macro | Binary) for node in walk(tree))
    makes_maps = any(isinstance(node, MapLiteral) for node in walk(tree))

    def read(scope: Scope) -> object:
        scope.place = None
        if scope.failed and not scope.failed.isdisjoint(mentions):
            raise FailedError
        env = scope.env
        for root, name in needs:
            if name not in env[root]:
                return ABSENT
        try:
            value = program(env)
        except EvaluationError as error:
            raise scope.fail(at, error.error_class, error.message) from None
        if makes and _is_too_large(value):
            raise scope.fail(at, "limit-exceeded", "an expression makes a value too large or too deep")
        if value is None:
            return ABSENT
        return _without_nulls(value) if makes_maps else value

    return read


def _without_nulls(value: object) -> object:
    """A made value without the map entries that are null (S3.2.8); only what an expression writes can have some."""
    if isinstance(value, dict):
        return {name: _without_nulls(part) for name, part in value.items() if part is not None}
    return list(map(_without_nulls, value)) if isinstance(value, list) else value


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


def _as_milli(value: object) -> int | None:
    """What `as: milli` makes of a quantity or number (S5.2): its thousandths, rounded up, or None."""
    from workloadmap_spec.quantities import QuantityError, parse  # noqa: PLC0415 - few mappings need it

    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = parse(value).milli()
    except QuantityError:
        return None
    return number if abs(number) <= MAX_COUNT else None


def _as_units(table: Mapping[str, int], per: int) -> Callable[[object], int | None]:
    """What `as: {units, per}` makes of digits and a suffix (S5.2): so many times the suffix's unit, in whole `per`s."""
    units = {suffix.lower(): unit for suffix, unit in table.items()}

    def convert(value: object) -> int | None:
        if type(value) is int:
            value = str(value)
        found = _WITH_UNIT.fullmatch(value) if isinstance(value, str) and len(value) <= 40 else None  # noqa: PLR2004
        if found is None or found[2].lower() not in units:
            return None
        number = int(found[1]) * units[found[2].lower()] // per
        return number if number <= MAX_COUNT else None

    return convert


def converted(read: Reader, kind: str | Mapping[str, Any], at: str) -> Reader:
    """The value as an integer or a boolean; what cannot be one has failed."""
    convert: Callable[[object], object]
    if isinstance(kind, str):
        convert = {"int": as_int, "bool": _as_bool, "milli": _as_milli}[kind]
        wanted = {"int": "a whole number", "bool": "true or false", "milli": "a quantity"}[kind]
    else:
        convert = _as_units(kind["units"], kind.get("per", 1))
        wanted = "digits and one of the units " + ", ".join(repr(unit) for unit in kind["units"])

    def read_converted(scope: Scope) -> object:
        value = read(scope)
        if value is ABSENT:
            return value
        result = convert(value)
        if result is None:
            raise scope.fail(at, "result-type", f"expected {wanted}, and found {describe(value)}")
        return result

    return read_converted


def stripped(read: Reader, prefix: Reader, at: str) -> Reader:
    """The rest of a text behind a prefix; absent if it does not begin with it."""

    def read_stripped(scope: Scope) -> object:
        value = read(scope)
        place = scope.place
        # Nothing is stripped of what is absent, so that the prefix does not matter then.
        start = ABSENT if value is ABSENT else prefix(scope)
        scope.place = None
        if start is ABSENT:
            return ABSENT
        for part in (value, start):
            if type(part) is not str:
                raise scope.fail(at, "result-type", f"only a text has a prefix, and {describe(part)} was found")
        if not str(value).startswith(str(start)):
            return ABSENT
        scope.place = place
        return str(value)[len(str(start)) :]

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


def find(elements: Reader, where: tuple[tuple[str, Reader], ...], at: str) -> Reader:
    """The first element of a list whose fields equal the given values (S5.3.2)."""

    def read(scope: Scope) -> object:
        found = elements(scope)
        place = scope.place
        if found is ABSENT:
            return ABSENT
        if type(found) is not list:
            raise scope.fail(at, "result-type", f"an element is found in a list, and {describe(found)} was found")
        # All are read, so that a failure does not depend on the order of `where`.
        wanted = [(field, reader(scope)) for field, reader in where]
        scope.place = None
        if any(value is ABSENT for _field, value in wanted):
            return ABSENT
        for index, element in enumerate(found):
            if type(element) is dict and all(
                field in element and same(element[field], value) for field, value in wanted
            ):
                scope.place = step_place(place, index)
                return element
        return ABSENT

    return read


def merged(layers: tuple[Reader, ...], lists: Field, at: str) -> Reader:
    """Maps laid over each other, the later over the earlier (S7.6); the place is that of the last that is present."""

    def read(scope: Scope) -> object:
        present: list[dict[str, Any]] = []
        place: str | None = None
        for layer in layers:
            value = layer(scope)
            if value is ABSENT:
                continue
            if type(value) is not dict:
                raise scope.fail(at, "result-type", f"a map is wanted here, and {describe(value)} was found")
            place = scope.place
            present.append(value)
        if not present:
            scope.place = None
            return ABSENT
        how = lists.read(scope)
        how = "replace" if how is ABSENT else how
        if how not in ("replace", "byName", "byIndex"):
            error_class = "result-invalid" if isinstance(how, str) else "result-type"
            raise scope.fail(lists.at, error_class, f"lists are replace, byName or byIndex, not {describe(how)}")
        scope.place = place
        result: object = present[0]
        for value in present[1:]:
            result = overlay(result, value, str(how))
        return result

    return read


def overlay(under: object, over: object, lists: str) -> object:
    """One JSON value laid over another: maps deep, lists by name or by index or replaced, anything else replaced."""
    if isinstance(under, dict) and isinstance(over, dict):
        result = dict(under)
        for name, value in over.items():
            result[name] = overlay(under[name], value, lists) if name in under else value
        return result
    if isinstance(under, list) and isinstance(over, list):
        if lists == "byIndex":
            both = [overlay(one, other, lists) for one, other in zip(under, over, strict=False)]
            return both + under[len(over) :] + over[len(under) :]
        if lists == "byName" and all(isinstance(part, dict) and "name" in part for part in under + over):
            return by_key(under, over, "name", lambda one, other: overlay(one, other, lists))
    return over


def by_key(under: list[Any], over: list[Any], key: str, join_parts: Callable[[Any, Any], Any]) -> list[Any]:
    """Two lists of maps merged by a key: equal ones are joined in place, others added at the end."""
    result = list(under)
    positions = {str(part.get(key)): index for index, part in enumerate(result)}
    for part in over:
        index = positions.get(str(part.get(key)))
        if index is None:
            positions[str(part.get(key))] = len(result)
            result.append(part)
        else:
            result[index] = join_parts(result[index], part)
    return result


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

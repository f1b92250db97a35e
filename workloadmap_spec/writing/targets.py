"""Where a value of a mapping is written (clause S20.4): the place, and what is put there so that it reads as asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workloadmap_spec.cel import ABSENT, Path, follow, parse, path_of, resolve_steps
from workloadmap_spec.errors import UpdateInvalidError
from workloadmap_spec.mapping import Variable
from workloadmap_spec.pointer import join, resolve
from workloadmap_spec.writing.edits import Edit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workloadmap_spec.components import Instance
    from workloadmap_spec.gang import Group
    from workloadmap_spec.mapping import CompiledMapping
    from workloadmap_spec.pointer import JSON
    from workloadmap_spec.read import Parts
    from workloadmap_spec.values import Scope


@dataclass(frozen=True, slots=True)
class Named:
    """A step to the element of a list that has a name, as containers have; with an empty one, to that without."""

    name: str


#: A way down inside a value: fields, and elements by name or index.
Part = tuple[str | int | Named, ...]
Convert = Callable[[Any], Any]


class NoTargetError(Exception):
    """A value has no place to write; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the workload, as a JSON Pointer, and what is put there for a value that is to be read."""

    pointer: str
    convert: Convert = lambda value: value
    #: The place of a map around it that is made first if it is absent, what it begins as, and where that is read from.
    start: tuple[str, JSON, str | None] | None = None

    def edit(self, value: JSON) -> Edit:
        """The edit after which the value is read; ABSENT removes."""
        start = None if self.start is None else self.start[:2]
        return Edit(self.pointer, value if value is ABSENT else self.convert(value), start)


@dataclass(frozen=True, slots=True)
class Frame:
    """A scope, and the variables that are declared in it."""

    variables: tuple[Variable, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds targets of the values of one mapping, in one scope and those around it."""

    mapping: CompiledMapping
    #: The scope of the value first, then those around it.
    frames: tuple[Frame, ...]

    @property
    def scope(self) -> Scope:
        """The scope of the value."""
        return self.frames[0].scope

    def inside(self, scope: Scope) -> Finder:
        """The same for a scope within the first, which declares nothing: that of one `patch`."""
        return replace(self, frames=(Frame((), scope), *self.frames))

    def target(self, at: str, part: Part = ()) -> Target:
        """The target of the value at a place of the mapping, or of a part of what it gives.

        Raises:
            NoTargetError: There is none.
            FailedError: Something that decides it has failed.
        """
        target = self._target(resolve(self.mapping.document, at), at, part)
        self.mapping.use(at)
        return target

    def present(self, at: str) -> JSON:
        """What a value gives, or ABSENT."""
        return self.mapping.parts[at](self.scope)

    def _target(self, written: JSON, at: str, part: Part) -> Target:
        """The target of a value as it is written in the mapping."""
        if isinstance(written, str):
            return self._of_path(written, part)
        if isinstance(written, dict):
            return self._of_layers(written, at, part) if "merge" in written else self._of_object(written, at, part)
        raise NoTargetError(f"it is a constant of the mapping, {written!r}")

    # Paths

    def _of_path(self, text: str, part: Part) -> Target:
        """The target of a string of CEL: a place, if it is a path that leads into the workload."""
        path = path_of(parse(text))
        if path is None:
            raise NoTargetError(f"it is computed: {text}")
        return self._below(path, part)

    def _below(self, path: Path, part: Part) -> Target:
        """The target of a path expression."""
        scope = self.scope
        steps = resolve_steps(path, scope.env)
        if steps is None:
            raise NoTargetError(f"an index of {path} is absent")
        if path.root == "variables" and steps:
            return self._of_variable(str(steps[0]), steps[1:], part)
        if path.root == "refs":
            raise NoTargetError(f"it is read from another object: {path}")
        if path.root == "object":
            pointer: str | None = ""
        elif path.root in ("item", "patch"):
            pointer = scope.places.get(path.root)
        else:
            pointer = None
        value = scope.env.get(path.root)
        _check_lists(value, steps)
        pointer = _joined(pointer, (*steps, *_found(follow(value, steps), part)))
        if pointer is not None and path.root == "object" and scope.base is not None:
            pointer = scope.base.place(pointer)
        if pointer is None:
            raise NoTargetError(f"{path} has no place in the workload")
        return _in_workload(pointer)

    def _of_variable(self, name: str, steps: tuple[str | int, ...], part: Part) -> Target:
        """The target of something below a declared variable."""
        for level, frame in enumerate(self.frames):
            for variable in frame.variables:
                if variable.name == name:
                    return replace(self, frames=self.frames[level:]).below(variable, steps, part)
        raise NoTargetError(f"variables.{name} is none that is written")  # pragma: no cover - the compiler has looked

    def below(self, variable: Variable, steps: tuple[str | int, ...], part: Part) -> Target:
        """The target of something below a variable, in the scope that declares it."""
        at = variable.field.at
        written = resolve(self.mapping.document, at)
        fields = tuple(step for step in steps if isinstance(step, str))
        if "find" not in written and len(fields) == len(steps):
            return self._of_object(written, at, (*fields, *part))
        # An element is there or it is not: only what was read tells.
        value = variable.field.read(self.scope)
        place = self.scope.place
        if value is ABSENT or place is None:
            if "find" in written:
                raise NoTargetError(f"no element is found for variables.{variable.name}")
            raise NoTargetError(f"variables.{variable.name} has no place in the workload")
        _check_lists(value, steps)
        return _in_workload(join(place, *steps, *_found(follow(value, steps), part)))

    # Value objects

    def _of_object(self, written: Mapping[str, Any], at: str, part: Part) -> Target:
        """The target of a value object."""
        if "when" in written and not self.mapping.conditions[f"{at}/when"](self.scope):
            raise NoTargetError(f"it does not apply here: {written['when']} does not hold")
        if "writeTo" in written:
            if part:
                raise NoTargetError("it is computed, and written as a whole only")
            target = self._of_path(written["writeTo"], ())
            self.mapping.use(f"{at}/writeTo")
            return replace(target, convert=self._writer(f"{at}/write")) if "write" in written else target
        if "firstOf" in written:
            target = self._of_alternatives(written["firstOf"], f"{at}/firstOf", part)
        elif "value" in written:
            target = self._target(written["value"], f"{at}/value", part)
        else:
            raise NoTargetError(f"it is not known from the object: {written['unknown']}")
        return self._converted(target, written, at, part)

    def _writer(self, at: str) -> Convert:
        """What `write` makes of a value."""

        def convert(value: JSON) -> JSON:
            result = self.mapping.parts[at](self.scope.seeing({"value": value}))
            if result is ABSENT:
                raise UpdateInvalidError("what is to be written is absent: a variable that `write` names is")
            return result

        return convert

    def _converted(self, target: Target, written: Mapping[str, Any], at: str, part: Part) -> Target:
        """A target with the text of `strip` and the type of `as` put back."""
        kind = written.get("as")
        if kind is None and "strip" not in written:
            return target
        if part or kind not in (None, "int", "bool"):
            raise NoTargetError(f"it is converted when it is read ({'strip' if kind is None else 'as'})")
        prefix = self.mapping.parts[f"{at}/strip"](self.scope) if "strip" in written else ""
        if not isinstance(prefix, str):
            raise NoTargetError("the text that is stripped is absent")
        read = self.present(f"{at}/value") if "value" in written else self.present_of(written, at)
        as_text = isinstance(read, str) or (read is ABSENT and written.get("stored") == "string")

        def convert(value: JSON) -> JSON:
            if kind is not None and as_text:
                value = str(value).lower() if isinstance(value, bool) else str(value)
            if prefix:
                value = prefix + str(value)
            return target.convert(value)

        return replace(target, convert=convert)

    def present_of(self, written: Mapping[str, Any], at: str) -> JSON:
        """The first alternative that is present, or ABSENT."""
        for index in range(len(written["firstOf"])):
            value = self.present(f"{at}/firstOf/{index}")
            if value is not ABSENT:
                return value
        return ABSENT

    def _of_alternatives(self, alternatives: Sequence[JSON], at: str, part: Part) -> Target:
        """The target of `firstOf`: of the first that has one, up to the one that is present."""
        why: NoTargetError | None = None
        found: list[tuple[int, Target]] = []
        for index, alternative in enumerate(alternatives):
            here = f"{at}/{index}"
            value = self.present(here)
            source = self.scope.place
            try:
                # A part is looked for in what is there; around what is not there is only the whole.
                target = self._target(alternative, here, part if value is not ABSENT else ())
            except NoTargetError as error:
                why = error if value is not ABSENT else why or error
            else:
                found.append((index, target))
            if value is ABSENT:
                continue
            if not found:
                break
            first, target = found[0]
            if first == index or not part:
                return target
            pointer = _joined(target.pointer, _found(value, part))
            return Target(pointer or "", start=(target.pointer, value, source))
        if not found:
            raise why or NoTargetError("none of its alternatives has a place")
        target = found[0][1]
        return replace(target, pointer=_joined(target.pointer, _found(ABSENT, part)) or "")

    # Layers

    def _of_layers(self, written: Mapping[str, Any], at: str, part: Part) -> Target:
        """The target of `merge`: in the last layer in which the longest part exists."""
        if self.present(f"{at}/lists") == "byIndex":
            # An element may have its name from another layer: it is its index that the layers share (S7.6).
            part = _found(self.present(at), part)
        best: tuple[int, int] | None = None
        for index in range(len(written["merge"])):
            value = self.present(f"{at}/merge/{index}")
            if value is not ABSENT:
                best = max(best or (-1, -1), (depth_of(value, part), index))
        if best is None:
            raise NoTargetError("none of its layers is present")
        return self._target(written["merge"][best[1]], f"{at}/merge/{best[1]}", part)


# Ways down


def depth_of(value: JSON, part: Part) -> int:
    """How many steps of a way down exist."""
    for depth, step in enumerate(part):
        value = down(value, step)
        if value is ABSENT:
            return depth
    return len(part)


def reached(value: JSON, part: Part) -> JSON:
    """What is at the end of a way down, or ABSENT."""
    for step in part:
        value = down(value, step)
    return value


def holds(value: JSON, part: Part) -> bool:
    """Whether a way down exists."""
    return reached(value, part) is not ABSENT


def down(value: JSON, step: str | int | Named) -> JSON:
    """What is one step down, or ABSENT."""
    if isinstance(step, Named):
        found = _named(value, step.name)
        return ABSENT if found is None else value[found]
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and step < len(value) else ABSENT
    return value.get(step, ABSENT) if isinstance(value, dict) else ABSENT


def _named(value: JSON, name: str) -> int | None:
    """The index of the element with a name."""
    for index, element in enumerate(value if isinstance(value, list) else ()):
        if isinstance(element, dict) and element.get("name", "") == name:
            return index
    return None


def _found(value: JSON, part: Part) -> tuple[str | int, ...]:
    """A way down as steps of a pointer: names of elements become indexes."""
    steps: list[str | int] = []
    for step in part:
        if isinstance(step, Named):
            index = _named(value, step.name)
            if index is None:
                raise NoTargetError(f'no element is named "{step.name}" there')
            steps.append(index)
        else:
            steps.append(step)
        value = down(value, step)
        if isinstance(step, int) and value is ABSENT:
            raise NoTargetError(f"a list has no element {step}")
    return tuple(steps)


def _check_lists(value: JSON, steps: tuple[str | int, ...]) -> None:
    """Refuse a place inside an element that a list lacks: elements are not made."""
    for step in steps:
        if isinstance(step, int) and (value is None or (isinstance(value, list) and step >= len(value))):
            raise NoTargetError(f"a list has no element {step}")
        value = follow(value, (step,))


def _joined(pointer: str | None, steps: tuple[str | int, ...]) -> str | None:
    """A pointer and further steps."""
    return None if pointer is None else join(pointer, *steps)


# Scopes


def finder_of(parts: Parts, instance: Instance | None) -> Finder:
    """What finds targets in the scope of an instance, or of the workload."""
    frames: list[Frame] = []
    part = instance
    while part is not None:
        frames.append(Frame(part.component.variables, part.scope))
        outer = part.parent
        if outer is not None and outer.inner is not None and outer.inner_scope is not None:
            return Finder(outer.inner, (*frames, Frame(_declared(outer.inner), outer.inner_scope)))
        part = outer
    return Finder(parts.mapping, (*frames, Frame(_declared(parts.mapping), parts.scope)))


def finder_of_group(parts: Parts, group: Group) -> Finder:
    """What finds targets in the scope of a group: of an instance, of the workload, or of one that is embedded."""
    root = group.root
    is_inside = group.part is None or group.part is root
    if is_inside and root is not None and root.inner is not None and root.inner_scope is not None:
        return Finder(root.inner, (Frame(_declared(root.inner), root.inner_scope),))
    return finder_of(parts, group.part)


def _declared(mapping: CompiledMapping) -> tuple[Variable, ...]:
    """The variables that a mapping declares for all of the workload."""
    return tuple(entry for entry in mapping.prelude if isinstance(entry, Variable))


def _in_workload(pointer: str) -> Target:
    """The target of a place, if it is one of the workload and not of another object."""
    if pointer.startswith("refs."):
        raise NoTargetError(f"it is read from another object: {pointer}")
    return Target(pointer)

"""Path expressions: a variable, then fields and indexes; null-safe, writable and traceable.

An index is a string, a non-negative integer, or itself a path expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workloadmap_spec.cel.parser import KEYWORDS
from workloadmap_spec.cel.printer import quote
from workloadmap_spec.cel.tree import Ident, Index, Literal, Node, Select

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class _Absent:
    """The type of ABSENT: the only value of it, and false."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        """Copies and pickles are the same object, because it is compared with `is`."""
        return "ABSENT"


#: What a path gives where there is nothing.
ABSENT: Final = _Absent()


class Path(NamedTuple):
    """A path expression: a variable, and steps: the name of a field or key, an index, or a path that gives one."""

    root: str
    steps: tuple[str | int | Path, ...]

    def __str__(self) -> str:
        """The path as it is written."""
        written = self.root
        for step in self.steps:
            if isinstance(step, str) and step.isascii() and step.isidentifier() and step not in KEYWORDS:
                written += f".{step}"
            else:
                written += f"[{quote(step) if isinstance(step, str) else step}]"
        return written


def path_of(tree: Node) -> Path | None:
    """The path that a tree is by its syntax, or None."""
    steps: list[str | int | Path] = []
    node = tree
    while True:
        if isinstance(node, Select):
            steps.append(node.field)
        elif isinstance(node, Index):
            step = _step(node.key)
            if step is None:
                return None
            steps.append(step)
        else:
            break
        node = node.operand
    return Path(node.name, tuple(reversed(steps))) if isinstance(node, Ident) else None


def _step(index: Node) -> str | int | Path | None:
    """The step that an index is, or None."""
    if isinstance(index, Literal):
        value = index.value
        return value if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)) else None
    return path_of(index)


def compile_path(path: Path) -> Callable[[Mapping[str, Any]], Any]:
    """A function from variables to the value at a path, or ABSENT; it never fails, and null is ABSENT."""
    names = tuple(step for step in path.steps if isinstance(step, str))
    if len(names) == len(path.steps):
        return _compile_names(path.root, names)
    root = path.root
    steps = tuple(compile_path(step) if isinstance(step, Path) else step for step in path.steps)

    def read(env: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        value = env.get(root)
        for step in steps:
            key = step if isinstance(step, str | int) else step(env)
            if type(key) is str:
                if type(value) is not dict:
                    return ABSENT
                value = value.get(key)
            elif type(key) is not int or type(value) is not list or not 0 <= key < len(value):
                return ABSENT
            else:
                value = value[key]
        return ABSENT if value is None else value

    return read


def _compile_names(root: str, names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], Any]:
    """The reader of a path of fields only, which is most of them: indexing anything but a map fails by itself."""
    if len(names) == 1:
        (a,) = names

        def one(env: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
            try:
                value = env[root][a]
            except (KeyError, TypeError):
                return ABSENT
            return ABSENT if value is None else value

        return one
    if len(names) == 2:  # noqa: PLR2004 - `object.spec.x` is the shape of most
        a, b = names

        def two(env: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
            try:
                value = env[root][a][b]
            except (KeyError, TypeError):
                return ABSENT
            return ABSENT if value is None else value

        return two

    def many(env: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        try:
            value = env[root]
            for name in names:
                value = value[name]
        except (KeyError, TypeError):
            return ABSENT
        return ABSENT if value is None else value

    return many


def resolve_steps(path: Path, env: Mapping[str, Any]) -> tuple[str | int, ...] | None:
    """The steps of a path with every path among them replaced by the key or index it gives; None if one gives none."""
    steps: list[str | int] = []
    for step in path.steps:
        key = _walk(step, env) if isinstance(step, Path) else step
        if type(key) is not str and (type(key) is not int or key < 0):
            return None
        steps.append(key)
    return tuple(steps)


def _walk(path: Path, env: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """The value at a path that is not compiled, or None."""
    steps = resolve_steps(path, env)
    return None if steps is None else follow(env.get(path.root), steps)


def follow(value: Any, steps: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - JSON
    """What is some literal steps below a value, or None."""
    for key in steps:
        if isinstance(key, str):
            value = value.get(key) if type(value) is dict else None
        else:
            value = value[key] if type(value) is list and key < len(value) else None
    return value

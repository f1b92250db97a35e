"""Path expressions, and the names that expressions use."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloadmap_spec.cel import (
    ABSENT,
    Path,
    compile_path,
    members_guarded,
    members_used,
    parse,
    path_of,
    resolve_steps,
    roots_used,
)

PATHS: dict[str, Path] = {
    "object": Path("object", ()),
    "object.spec.replicas": Path("object", ("spec", "replicas")),
    'pod.metadata.labels["a.b/c"]': Path("pod", ("metadata", "labels", "a.b/c")),
    "item.containers[0].name": Path("item", ("containers", 0, "name")),
    "object['spec']": Path("object", ("spec",)),
    "(object.spec).x": Path("object", ("spec", "x")),
    "object.status.services[key]": Path("object", ("status", "services", Path("key", ()))),
    "a[b.c[0]].d": Path("a", (Path("b", ("c", 0)), "d")),
    "a[b[c]]": Path("a", (Path("b", (Path("c", ()),)),)),
}


@pytest.mark.parametrize(("text", "path"), PATHS.items(), ids=PATHS)
def test_a_path_is_known_by_its_syntax(text: str, path: Path) -> None:
    """A variable, then fields and indexes that are strings, numbers or paths."""
    assert path_of(parse(text)) == path


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1",
            "'a'",
            "true",
            "null",
            "a + b",
            "!a",
            "-a",
            "a == b",
            "a ? b : c",
            "[a]",
            "{'a': b}",
            "f(a)",
            "a.size()",
        ),
        *("has(a.b)", "a.map(x, x)", "a[-1]", "a[0.5]", "a[true]", "a[null]", "a[b + c]", "a['x' + 'y']", "f(a).b"),
        *("[a][0]", "{'a': b}.a", "a.filter(x, x)[0].b", "a[size(a)]", "a[b[-1]]", "'a'.b"),
    ],
)
def test_anything_else_is_no_path(text: str) -> None:
    """Also where it would give the same."""
    assert path_of(parse(text)) is None


@pytest.mark.parametrize("text", PATHS, ids=PATHS)
def test_a_path_is_written_so_that_it_is_read_again(text: str) -> None:
    """Messages show it."""
    path = path_of(parse(text))
    assert path is not None
    assert path_of(parse(str(path))) == path


BINDINGS: dict[str, Any] = {
    "object": {
        "spec": {
            "replicas": 4,
            "zero": 0,
            "off": False,
            "empty": "",
            "none": None,
            "list": [{"name": "a"}, None, [1, 2]],
            "map": {"0": "zero", "a": {"b": {"c": {"d": 1}}}},
            "text": "abc",
        },
    },
    "key": "a",
    "index": 1,
    "wrong": {"number": 0.5, "yes": True, "minus": -1, "nothing": None},
    "nested": {"key": "map"},
}

READS: list[tuple[str, object]] = [
    ("object.spec.replicas", 4),
    ("object.spec.zero", 0),
    ("object.spec.off", False),
    ("object.spec.empty", ""),
    ("object.spec.none", ABSENT),
    ("object.spec.nope", ABSENT),
    ("object.nope.deeper.still", ABSENT),
    ("nope", ABSENT),
    ("nope.a", ABSENT),
    ("nope.a.b", ABSENT),
    ("key", "a"),
    ("key.b", ABSENT),
    ("object.spec.text.x", ABSENT),
    ("object.spec.replicas.x", ABSENT),
    ("object.spec.none.x", ABSENT),
    ("object.spec.list.x", ABSENT),
    ("object.spec.list[0].name", "a"),
    ("object.spec.list[0]['name']", "a"),
    ("object.spec.list[1]", ABSENT),
    ("object.spec.list[1].name", ABSENT),
    ("object.spec.list[2][1]", 2),
    ("object.spec.list[3]", ABSENT),
    ("object.spec.list['0']", ABSENT),
    ("object.spec.text[0]", ABSENT),
    ("object.spec.map[0]", ABSENT),
    ("object.spec.map['0']", "zero"),
    ("object.spec.map.a.b.c.d", 1),
    ("object.spec.map[key].b.c.d", 1),
    ("object.spec[nested.key][key].b", {"c": {"d": 1}}),
    ("object.spec.list[index]", ABSENT),
    ("object.spec.list[2][index]", 2),
    ("object.spec.list[key]", ABSENT),
    ("object.spec.map[index]", ABSENT),
    ("object.spec.map[nope]", ABSENT),
    ("object.spec.list[wrong.number]", ABSENT),
    ("object.spec.list[wrong.yes]", ABSENT),
    ("object.spec.list[wrong.minus]", ABSENT),
    ("object.spec.list[wrong.nothing]", ABSENT),
    ("object.spec.list[wrong]", ABSENT),
]


@pytest.mark.parametrize(("text", "value"), READS, ids=[text for text, _ in READS])
def test_a_path_gives_the_value_or_nothing(text: str, value: object) -> None:
    """Whatever is missing, null or of another type on the way."""
    path = path_of(parse(text))
    assert path is not None
    found = compile_path(path)(BINDINGS)
    assert found is value if value is ABSENT else (type(found), found) == (type(value), value)


STEPS: list[tuple[str, tuple[str | int, ...] | None]] = [
    ("object", ()),
    ("object.spec.nope[3].x", ("spec", "nope", 3, "x")),
    ("object.spec.map[key].b", ("spec", "map", "a", "b")),
    ("object.spec.list[index].b", ("spec", "list", 1, "b")),
    ("object[object.spec.list[0].name]", ("a",)),
    ("object[object.spec.map[key].b.c.d]", (1,)),
    ("object.spec.map[nope]", None),
    ("object.spec.map[wrong.number]", None),
    ("object.spec.map[wrong.yes]", None),
    ("object.spec.map[wrong.minus]", None),
    ("object.spec.map[object.spec.list[9]]", None),
    ("object.spec.map[object.spec.text[0]]", None),
    ("object.spec.map[object.spec.replicas.x]", None),
    ("object.spec.map[object.spec.map[nope]]", None),
]


@pytest.mark.parametrize(("text", "steps"), STEPS, ids=[text for text, _ in STEPS])
def test_the_steps_of_a_path_are_those_of_a_pointer(text: str, steps: tuple[str | int, ...] | None) -> None:
    """Paths in it are replaced by what they give; the place itself need not be there."""
    path = path_of(parse(text))
    assert path is not None
    assert resolve_steps(path, BINDINGS) == steps


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(0, 1) | st.sampled_from(["a", "b", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=10,
)
ROOT = st.sampled_from(["x", "y", "z"])
PATH = st.recursive(
    st.builds(Path, ROOT, st.lists(st.sampled_from(["a", "b", "in", "é"]) | st.integers(0, 2), max_size=4).map(tuple)),
    lambda inner: st.builds(
        Path, ROOT, st.lists(st.sampled_from(["a", "b"]) | st.integers(0, 2) | inner, max_size=4).map(tuple)
    ),
    max_leaves=3,
)


def step_by_step(path: Path, bindings: dict[str, Any]) -> object:
    """The value at a path, by its definition."""
    value: Any = bindings.get(path.root)
    for step in path.steps:
        key: Any = step_by_step(step, bindings) if isinstance(step, Path) else step
        in_map = isinstance(value, dict) and isinstance(key, str) and key in value
        in_list = isinstance(value, list) and type(key) is int and 0 <= key < len(value)
        if not (in_map or in_list):
            return ABSENT
        value = value[key]
    return ABSENT if value is None else value


@given(PATH, st.fixed_dictionaries({"x": JSON, "y": JSON}))
def test_a_compiled_path_is_the_path(path: Path, bindings: dict[str, Any]) -> None:
    """It never fails, gives what walking gives, and the place of its steps holds that value."""
    found = compile_path(path)(bindings)
    expected = step_by_step(path, bindings)
    assert (type(found), repr(found)) == (type(expected), repr(expected))
    if found is not ABSENT:
        steps = resolve_steps(path, bindings)
        assert steps is not None
        assert step_by_step(Path(path.root, steps), bindings) is found
    assert path_of(parse(str(path))) == path


def test_absent_is_one_thing() -> None:
    """It is compared with `is`, also after it was copied."""
    assert copy.deepcopy(ABSENT) is ABSENT
    assert copy.copy(ABSENT) is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT  # noqa: S301 - our own bytes
    assert repr(ABSENT) == "ABSENT"
    assert not ABSENT


NAMES: list[tuple[str, set[str], set[str], set[str]]] = [
    ("variables.a + variables['b']", {"variables"}, {"a", "b"}, set()),
    ("has(variables.a) ? variables.a : variables.b.c", {"variables"}, {"a", "b"}, {"a"}),
    ("has(variables.a.b)", {"variables"}, {"a"}, set()),
    ("object.x == item.y", {"object", "item"}, set(), set()),
    ("items.map(x, x.a + y.b)", {"items", "y"}, set(), set()),
    ("items.all(x, has(x.a) && x['b'] == x.c[variables.n])", {"items", "variables"}, {"n"}, set()),
    ("items.filter(x, x.y).map(x, variables[x])", {"items", "variables"}, set(), set()),
    ("x.exists(x2, x2 == x) && type(x.a) == int", {"x"}, set(), set()),
    ("[a, {'b': c}, f(d), -e, !g, h ? i : j, k.l(m)]", set("acdeghijkm"), set(), set()),
    ("object.spec[variables.key]", {"object", "variables"}, {"key"}, set()),
    ("items.map(x, x[x.y])", {"items"}, set(), set()),
    ("1 + 2", set(), set(), set()),
]


@pytest.mark.parametrize(("text", "roots", "used", "guarded"), NAMES, ids=[row[0] for row in NAMES])
def test_names_that_an_expression_uses(text: str, roots: set[str], used: set[str], guarded: set[str]) -> None:
    """Variables, without those of macros and the names of types, and what is read of `variables`."""
    tree = parse(text)
    assert roots_used(tree) == roots
    assert members_used(tree, "variables") == used
    assert members_guarded(tree, "variables") == guarded


def test_names_below_any_root() -> None:
    """References have the same rule."""
    tree = parse("has(refs.runtime) && refs.runtime.spec == refs['other'] && variables.x")
    assert members_used(tree, "refs") == {"runtime", "other"}
    assert members_guarded(tree, "refs") == {"runtime"}

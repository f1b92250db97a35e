"""Independent engines say what ours says: random expressions over random objects, and the engines themselves.

`WORKLOADMAP_WITNESS_CASES=20000 pytest tests/test_cel_witness.py` runs more of them.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from workloadmap_spec.cel import DYN, Scope, check, parse
from workloadmap_spec.cel import witness as module
from workloadmap_spec.cel.witness import ENGINES, Witness, WitnessUnavailableError, agree, guard, witness
from workloadmap_spec.errors import ExpressionError, InputError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CASES = int(os.environ.get("WORKLOADMAP_WITNESS_CASES", "300"))
SEED = int(os.environ.get("WORKLOADMAP_WITNESS_SEED", "20260701"))
BATCHES = 10

WORDS = ["", "a", "b", "abc", "hé", "x-1", "🐱", "True", "it's", 'q"', "12"]
INTS = [-(2**53) + 1, -7, -1, 0, 1, 2, 3, 7, 10, 4096, 2**31, 2**53 - 1]
TIMES = ["2025-01-02T03:04:05Z", "2025-01-02T05:04:05+02:00", "1969-12-31T23:59:59.25Z", "2100-12-31T23:59:59Z", "abc"]
SPANS = ["1h30m", "90m", "5400s", "1.5s", "1500ms", "2h", "abc"]


def random_object(dice: random.Random) -> dict[str, Any]:
    """An object whose fields have the types that the generator expects, where they are there at all."""

    def maybe(chance: float, entries: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in entries.items() if dice.random() < chance}

    def group() -> dict[str, Any]:
        return {
            "name": dice.choice(WORDS),
            **maybe(0.7, {"size": dice.choice(INTS), "on": dice.random() < 0.5, "opt": dice.randint(0, 5)}),
            **maybe(0.6, {"tags": dice.sample(WORDS, 2), "res": maybe(0.5, {"gpu": dice.randint(0, 8)})}),
        }

    spec = maybe(
        0.9,
        {
            "n": dice.choice(INTS),
            "k": dice.choice(INTS),
            "s": dice.choice(WORDS),
            "w": dice.choice(WORDS),
            "num": dice.choice(["12", "-3", "007", "abc", "9223372036854775807", "9223372036854775808", "1.5"]),
            "flag": dice.random() < 0.5,
            "off": dice.random() < 0.5,
            "ratio": dice.choice([0.5, -2.25, 1e-3, 123456.75]),
            "share": dice.choice([0.25, 3.5, 1e-300]),
            "ints": [dice.choice(INTS) for _ in range(dice.randint(0, 5))],
            "strs": [dice.choice(WORDS) for _ in range(dice.randint(0, 4))],
            "mixed": [dice.choice([1, "a", True, 2.5, None, [1], {"a": 1}]) for _ in range(4)],
            "groups": [group() for _ in range(dice.randint(0, 4))],
            "m": maybe(0.6, {"p": dice.choice(INTS), "q": dice.choice(INTS), "a.b/c": dice.choice(INTS)}),
        },
    )
    status = maybe(0.9, {"t": dice.choice(TIMES), "u": dice.choice(TIMES), "d": dice.choice(SPANS)})
    labels = maybe(0.7, {"app": dice.choice(WORDS), "a.io/b": dice.choice(WORDS)})
    return {"metadata": {"name": "train", "labels": labels, "annotations": {}}, "spec": spec, "status": status}


class Generator:
    """Random expressions of the profile, by type.

    Left out is what a witness is known to get wrong inside the profile: cel-python does not absorb an error that was
    raised inside `map`, `filter` or `exists_one`, keeps one as a value in a map literal that is looked into, and has
    durations of more than 292 years.
    """

    def __init__(self, dice: random.Random) -> None:
        """Start outside of macros and conditions."""
        self.dice = dice
        #: The variables of the macros around.
        self.groups: list[str] = []
        self.macros = 0
        #: Inside a condition, where errors are absorbed.
        self.conditions = 0
        self.predicates = 0

    def pick(self, *options: Callable[[], str]) -> str:
        """One of several ways to write a part."""
        return self.dice.choice(options)()

    def expression(self) -> str:
        """A whole expression."""
        size = self.dice.randint(1, 4)
        return self.pick(
            lambda: self.integer(size),
            lambda: self.text(size),
            lambda: self.truth(size),
            lambda: self.truth(size),
            lambda: self.double(size),
            lambda: self.ints(size),
            lambda: self.texts(size),
            lambda: self.mapped(size),
            lambda: f"[dyn({self.integer(size - 1)}), dyn({self.text(size - 1)}), dyn({self.truth(size - 1)})]",
            lambda: f"{{'id': dyn({self.text(size - 1)}), \"n\": dyn({self.integer(size - 1)})}}",
            lambda: self.dice.choice(["object.spec", "object.spec.mixed", "object.status.t", "null", "{}", "[]"]),
        )

    def integer(self, size: int) -> str:
        """An int."""
        leaves = [
            lambda: str(self.dice.choice([0, 1, 2, 3, 7, 9007199254740991])),
            lambda: f"-{self.dice.choice([1, 3])}",
            lambda: f"object.spec.{self.dice.choice(['n', 'k', 'n', 'missing'])}",
            lambda: f"object.spec.ints[{self.dice.choice([0, 1, 4])}]",
            lambda: self.dice.choice(["object.spec.m.p", 'object.spec.m["q"]', "object.spec.m['a.b/c']"]),
            *[lambda: f"{self.dice.choice(self.groups)}.{self.dice.choice(['size', 'opt'])}"] * (2 * bool(self.groups)),
        ]
        if size <= 0:
            return self.pick(*leaves)
        down = size - 1
        inner = [
            lambda: f"({self.integer(down)} {self.dice.choice('+-*')} {self.integer(down)})",
            lambda: f"-({self.integer(down)})",
            lambda: f"size({self.pick(lambda: self.ints(down), lambda: self.texts(down), lambda: 'object.spec.m')})",
            lambda: f"({self.truth(down)} ? {self.integer(down)} : {self.integer(down)})",
            lambda: "(has(object.spec.m) && has(object.spec.m.q) ? object.spec.m.q : 2)",
            lambda: f"{self.ints(down)}[{self.dice.choice([0, 1, 2])}]",
        ]
        if not self.predicates:
            inner += [
                lambda: f"({self.integer(down)} {self.dice.choice('/%')} {self.integer(down)})",
                lambda: "int(object.spec.num)",
                lambda: f"int({self.double(down)})",
                lambda: "(type(object.spec.n) == int ? object.spec.n : int(object.spec.n))",
            ]
        return self.pick(*leaves, *inner, *inner)

    def double(self, size: int) -> str:
        """A double."""
        leaves = [lambda: self.dice.choice(["0.5", "2.0", "1.5e-3", "-0.25"])]
        if not self.predicates:
            leaves += [lambda: f"double(object.spec.{self.dice.choice(['ratio', 'share', 'n', 'missing'])})"] * 2
        if size <= 0:
            return self.pick(*leaves)
        down = size - 1
        inner = [
            lambda: f"({self.double(down)} {self.dice.choice('+-*')} {self.double(down)})",
            lambda: f"({self.truth(down)} ? {self.double(down)} : {self.double(down)})",
        ]
        if not self.predicates:
            inner += [lambda: f"double({self.integer(down)})"]
        return self.pick(*leaves, *inner)

    def text(self, size: int) -> str:
        """A string."""
        leaves = [
            lambda: repr(self.dice.choice(["", "a", "abc", "hé", "x-1"])),
            lambda: self.dice.choice(['"it\'s"', "'q\"'", "'\\u00e9\\n'", "'🐱'", '"a\\\\b"']),
            lambda: f"object.spec.{self.dice.choice(['s', 'w', 's', 'missing'])}",
            lambda: self.dice.choice(["object.metadata.name", "object.metadata.labels.app"]),
            lambda: "object.metadata.labels['a.io/b']",
            *[lambda: f"{self.dice.choice(self.groups)}.name"] * (2 * bool(self.groups)),
        ]
        if size <= 0:
            return self.pick(*leaves)
        down = size - 1
        inner = [
            lambda: f"('a' + {self.text(down)})",
            lambda: f"({self.text(down)} + '-' + {self.text(down)})",
            lambda: f"({self.truth(down)} ? {self.text(down)} : {self.text(down)})",
            lambda: "('a.io/b' in object.metadata.labels ? object.metadata.labels['a.io/b'] : '')",
            lambda: f"{self.texts(down)}[{self.dice.choice([0, 1])}]",
        ]
        if not self.predicates:
            inner += [lambda: f"string({self.integer(down)})", lambda: f"string({self.text(down)})"]
        return self.pick(*leaves, *inner)

    def truth(self, size: int) -> str:
        """A boolean."""
        self.conditions += 1
        made = self.pick(*self.truths(size))
        self.conditions -= 1
        return made

    def truths(self, size: int) -> list[Callable[[], str]]:
        """The ways to write a boolean."""
        leaves = [
            lambda: self.dice.choice(["true", "false", "object.spec.flag", "object.spec.off", "object.spec.missing"]),
            lambda: f"has(object.spec.{self.dice.choice(['n', 's', 'groups', 'missing'])})",
            lambda: "'a.io/b' in object.metadata.labels",
            self.type_test,
            *[lambda: f"has({self.dice.choice(self.groups)}.{self.dice.choice(['opt', 'res'])})"] * bool(self.groups),
            *[lambda: f"{self.dice.choice(self.groups)}.on"] * bool(self.groups),
        ]
        if size <= 0:
            return leaves
        down = size - 1
        order = ["<", "<=", ">", ">=", "==", "!="]
        inner = [
            lambda: f"({self.integer(down)} {self.dice.choice(order)} {self.integer(down)})",
            lambda: f"({self.text(down)} {self.dice.choice(['==', '!='])} {self.literal()})",
            lambda: f"({self.truth(down)} {self.dice.choice(['&&', '||'])} {self.truth(down)})",
            lambda: f"({self.truth(down)} {self.dice.choice(['&&', '||'])} {self.truth(down)})",
            lambda: f"!({self.truth(down)})",
            lambda: f"({self.truth(down)} ? {self.truth(down)} : {self.truth(down)})",
            lambda: f"({self.integer(down)} in {self.ints(down)})",
            lambda: f"({self.text(down)} in {self.texts(down)})",
            lambda: "('q' in object.spec.m)",
            lambda: f"{self.plain_text()}.contains({self.literal()})",
            lambda: f"({self.text(down)}).{self.dice.choice(['startsWith', 'endsWith'])}({self.literal()})",
            lambda: self.quantified(down),
            lambda: self.quantified(down),
            lambda: f"({self.ints(down)} {self.dice.choice(['==', '!='])} object.spec.ints)",
        ]
        if not self.predicates:
            inner += [
                lambda: f"({self.double(down)} {self.dice.choice(order)} {self.double(down)})",
                lambda: f"(timestamp(object.status.t) {self.dice.choice(order)} timestamp(object.status.u))",
                lambda: "(timestamp(object.status.t) - timestamp(object.status.u) > duration('1m'))",
                lambda: "(timestamp(object.status.t) + duration('1h') < timestamp('2025-01-02T04:00:00Z'))",
                lambda: f"(duration(object.status.d) {self.dice.choice(order)} duration('90m'))",
            ]
        return [*leaves, *inner, *inner]

    def type_test(self) -> str:
        """`type(x) == T`."""
        field = self.dice.choice(["n", "s", "flag", "m", "ratio"])
        name = self.dice.choice(["int", "string", "bool", "map", "list", "double"])
        return f"type(object.spec.{field}) {self.dice.choice(['==', '!='])} {name}"

    def literal(self) -> str:
        """A string literal."""
        return repr(self.dice.choice(["", "a", "b", "abc", "hé", "train"]))

    def plain_text(self) -> str:
        """A string that `+` has not made."""
        return self.dice.choice(["'abc'", "object.spec.s", "object.metadata.name", "object.metadata.labels.app"])

    def ints(self, size: int) -> str:
        """A list of ints."""
        down = size - 1
        options = [lambda: "[1, 2, 3]", lambda: "object.spec.ints", lambda: "object.spec.ints"]
        if size > 0:
            options += [
                lambda: f"({self.ints(down)} + {self.ints(down)})",
                lambda: f"{self.ints(down)}.filter(i{size}, i{size} {self.dice.choice(['<', '>', '!='])} 2)",
            ]
            if not self.conditions:
                options += [lambda: self.over_groups(down, "map", self.integer)]
        return self.pick(*options)

    def texts(self, size: int) -> str:
        """A list of strings."""
        down = size - 1
        options = [lambda: "['a', 'b']", lambda: "object.spec.strs", lambda: "object.spec.strs"]
        if size > 0:
            options += [
                lambda: f"({self.texts(down)} + {self.texts(down)})",
                lambda: f"{self.texts(down)}.filter(s{size}, s{size} != 'a')",
            ]
            if not self.conditions:
                options += [lambda: self.over_groups(down, "map", self.text)]
        return self.pick(*options)

    def mapped(self, size: int) -> str:
        """A list of whatever."""
        return self.pick(
            lambda: self.over_groups(size, "map", self.truth),
            lambda: self.over_groups(size, "map", lambda down: f"{{'n': dyn({self.text(down)}), 'k': dyn(1)}}"),
            lambda: "object.spec.mixed.map(v, type(v) == null_type)",
            lambda: "object.spec.mixed.filter(v, type(v) != string)",
        )

    def over_groups(self, size: int, macro: str, body: Callable[[int], str]) -> str:
        """A macro over the list of groups, perhaps filtered."""
        if self.macros >= 2:
            return "[1, 2].map(z, z)" if macro == "map" else "true"
        source = "object.spec.groups"
        if self.conditions <= 1 and self.dice.random() < 0.4:
            source = f"{source}.filter({self.bound('f', size, self.truth, predicate=True)})"
        return f"{source}.{macro}({self.bound('g', size, body, predicate=macro != 'map')})"

    def bound(self, letter: str, size: int, body: Callable[[int], str], *, predicate: bool) -> str:
        """The variable and the body of a macro."""
        variable = f"{letter}{self.macros}"
        self.macros += 1
        self.groups.append(variable)
        self.predicates += predicate
        made = body(min(size, 2))
        self.predicates -= predicate
        self.groups.pop()
        self.macros -= 1
        return f"{variable}, {made}"

    def quantified(self, size: int) -> str:
        """`all`, `exists` or `exists_one`."""
        macro = self.dice.choice(["all", "exists"] if self.conditions > 1 else ["all", "exists", "exists_one"])
        if self.macros < 2 and self.dice.random() < 0.2:
            key = f"key{self.macros}"
            return f"object.spec.m.{macro}({key}, {key} == 'p')"
        if self.groups and self.macros < 2 and self.dice.random() < 0.3:
            return f"{self.dice.choice(self.groups)}.tags.{macro}(t, t == 'a')"
        return self.over_groups(size, macro, self.truth)


@pytest.fixture(scope="module")
def engines() -> Iterator[list[Witness]]:
    """The engines that are installed, ours first."""
    found = []
    for name in ENGINES:
        try:
            found.append(witness(name))
        except WitnessUnavailableError:
            continue
    yield found
    for engine in found:
        engine.close()


def cases(batch: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Expressions of the profile with bindings; the few that the generator makes outside of it are dropped."""
    dice = random.Random(f"{SEED}/{batch}")
    made = 0
    while made < CASES // BATCHES:
        text = Generator(dice).expression()
        bindings = {"object": random_object(dice)}
        try:
            findings = check(parse(text), text, Scope({"object": DYN}))
        except ExpressionError:
            continue
        if all(finding.level == "warning" for finding in findings):
            made += 1
            yield text, bindings


@pytest.mark.parametrize("batch", range(BATCHES))
def test_engines_agree_on_random_expressions(engines: list[Witness], batch: int) -> None:
    """Every engine gives the value that ours gives, or fails where ours fails."""
    if len(engines) < 2:
        pytest.skip("no witness is installed")
    for text, bindings in cases(batch):
        first, *others = [(engine.name, engine.evaluate(text, bindings)) for engine in engines]
        for other in others:
            assert agree(first[1], other[1]), f"{text}\n{bindings}\n{first}\n{other}"


PROFILE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "cel_profile.yaml").read_text("utf-8"))
TABLE = [row for rows in PROFILE["features"].values() for row in rows]


def test_engines_agree_on_the_table_of_constructs(engines: list[Witness]) -> None:
    """But for the constructs of which the table says that an engine differs."""
    scope = Scope(dict.fromkeys(PROFILE["bindings"], DYN))
    first, *others = engines
    wrong = []
    for row in TABLE:
        ours = first.evaluate(row["expression"], PROFILE["bindings"], scope)
        for engine in others:
            theirs = engine.evaluate(row["expression"], PROFILE["bindings"], scope)
            if engine.name not in row.get("differs", ()) and not agree(ours, theirs):
                wrong.append((engine.name, row["expression"], ours, theirs))
    assert wrong == []


# The engines themselves.


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Witness]:
    """Each engine that is installed."""
    try:
        found = witness(request.param)
    except WitnessUnavailableError:
        pytest.skip(f"{request.param} is not installed")
    with found:
        yield found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("o.n", 4),
        ("o.r", 0.5),
        ("double(o.n)", 4.0),
        ("o.t", True),
        ("o.s + 'é'", "aé"),
        ("o.l", [1, None, "x", [True]]),
        ("o.l[1]", None),
        ("o", {"n": 4, "r": 0.5, "t": True, "s": "a", "l": [1, None, "x", [True]]}),
        ("{'a': dyn(o.n), 'b': dyn(null)}", {"a": 4, "b": None}),
        ("[o.n] + [o.n]", [4, 4]),
        ("o.l.map(x, type(x) == null_type)", [False, True, False, False]),
    ],
)
def test_an_engine_gives_json(engine: Witness, text: str, value: object) -> None:
    """Its own types do not get out, and 1, 1.0 and true stay apart."""
    bindings = {"o": {"n": 4, "r": 0.5, "t": True, "s": "a", "l": [1, None, "x", [True]]}}
    assert agree(engine.evaluate(text, bindings), ("value", value))
    assert agree(engine.evaluate(text, bindings), ("value", value)), "also when it is compiled already"


@pytest.mark.parametrize("text", ["o.nope", "o.n / 0", "{'a': o.nope}", "o.n.x", "o.l[9]", "int(o.s)"])
def test_an_engine_tells_that_an_expression_failed(engine: Witness, text: str) -> None:
    """As an outcome, not as an exception; cel-python even returns one inside a value."""
    kind, message = engine.evaluate(text, {"o": {"n": 4, "s": "a", "l": []}})
    assert kind == "error"
    assert message


def test_an_engine_is_not_given_what_is_outside_the_profile(engine: Witness) -> None:
    """The rules come first."""
    for text in ("o.matches('a')", "1 +", "nope", "o == null"):
        with pytest.raises(ExpressionError):
            engine.evaluate(text, {"o": "a"})
    assert engine.evaluate("variables.x == 1", {"variables": {"x": 1}}, Scope({"variables": DYN})) == ("value", True)


LOOP: list[Any] = []
LOOP.append(LOOP)
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]

REFUSED = [
    (2**53, "o: 9007199254740992 is not how the data rules write a number (N1)"),
    (2.0, "o: 2.0 is not how the data rules write a number (N1)"),
    (float("nan"), "o: nan is not how the data rules write a number (N1)"),
    (float("inf"), "o: inf is not how the data rules write a number (N1)"),
    ({"a": {"b": None}}, "o.a.b: null, and such entries are removed before anything is read (N2)"),
    ({"a": [{1: 2}]}, "o.a[0]: the key 1 is not a string (N3)"),
    ("a\0", "o: U+0000 or half of a character in a text (N3)"),
    ({"\ud800": 1}, "o: U+0000 or half of a character in a text (N3)"),
    ((1, 2), "o: tuple is not a type of JSON (N5)"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_an_engine_is_not_given_what_breaks_the_data_rules(value: object, message: str) -> None:
    """N1 to N5, which an engine could crash on."""
    with pytest.raises(InputError) as caught:
        guard({"o": value})
    assert caught.value.message == message


def test_an_engine_is_not_given_what_is_too_deep_or_too_long() -> None:
    """A list that holds itself is too deep."""
    for value in (LOOP, DEEP):
        with pytest.raises(InputError, match=r"deeper than 100 levels \(N3\)"):
            guard({"o": value})
    guard({"o": [1] * 1000})
    with pytest.raises(LimitExceededError) as caught:
        guard({"o": {"l": [1] * 1001}})
    assert caught.value.message == "o.l: a witness is given lists of at most 1,000 elements, not 1,001"


def test_outcomes_agree_when_values_and_types_do() -> None:
    """Errors agree whatever they say."""
    assert agree(("error", "a"), ("error", "b"))
    assert not agree(("error", "a"), ("value", None))
    for one, other in [(1, 1.0), (1, True), (0, False), ("1", 1), ([1], [1.0]), ({"a": 1}, {"a": True}), ([1], [1, 2])]:
        assert not agree(("value", one), ("value", other))
        assert agree(("value", one), ("value", one))
    assert not agree(("value", {"a": 1}), ("value", {"b": 1}))


def test_an_engine_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is in the error."""
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    for name, cure in (("cel-python", "pip install cel-python"), ("cel-cpp", "pip install 'workloadmap-spec[cpp]'")):
        with pytest.raises(WitnessUnavailableError) as caught:
            witness(name)
        assert str(caught.value) == f"the engine {name} is not installed [internal]\n  {cure}"
    with pytest.raises(ValueError, match="there is no engine 'v8'; there are native, cel-python, cel-cpp"):
        witness("v8")


def test_compiled_expressions_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache is emptied when it is full."""
    monkeypatch.setattr(module, "_CACHE", 3)
    with witness("native") as native:
        for number in range(10):
            assert native.evaluate(f"{number} + 1", {}) == ("value", number + 1)
        assert len(native._cache) <= 3  # noqa: SLF001 - what it is about


def cpp_process(engine: Witness) -> subprocess.Popen[bytes]:
    """The process of the C++ engine."""
    assert isinstance(engine, module._CelCpp)  # noqa: SLF001 - looked into on purpose
    process = engine._process  # noqa: SLF001
    assert process is not None
    return process


@pytest.fixture
def cpp() -> Iterator[Witness]:
    """The C++ engine."""
    try:
        found = witness("cel-cpp")
    except WitnessUnavailableError:
        pytest.skip("cel-cpp is not installed")
    with found:
        yield found


def test_the_process_of_the_cpp_engine_is_replaced_in_time(cpp: Witness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it has lost too many references to None."""
    monkeypatch.setattr(module, "_EVALUATIONS", 3)
    processes = set()
    for _ in range(8):
        assert cpp.evaluate("[null]", {}) == ("value", [None])
        processes.add(cpp_process(cpp).pid)
    assert len(processes) == 3


def test_a_process_that_died_is_replaced(cpp: Witness) -> None:
    """Between two questions nobody notices."""
    assert cpp.evaluate("1", {}) == ("value", 1)
    process = cpp_process(cpp)
    process.kill()
    process.wait()
    assert cpp.evaluate("1", {}) == ("value", 1)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; sys.stdin.readline(); sys.exit(3)", "the engine ended with code 3"),
        ("import sys; sys.exit(4)", "the engine ended with code 4"),
        ("import time; time.sleep(60)", "the engine took more than 0 s"),
    ],
    ids=["crash", "no start", "no end"],
)
def test_a_process_that_does_not_answer_is_an_outcome(
    cpp: Witness, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    """A crash does not take the caller with it; the next question is answered again."""
    popen = subprocess.Popen

    def instead(command: list[str], *, stdin: int, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
        assert command[0] == sys.executable
        return popen([sys.executable, "-c", script], stdin=stdin, stdout=stdout, stderr=stderr)

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", instead)
        patch.setattr(module, "_SECONDS", 0.4 if "sleep" in script else 20.0)
        assert cpp.evaluate("1", {}) == ("error", message)
    assert cpp.evaluate("1", {}) == ("value", 1)


def test_importing_the_value_language_imports_no_engine_and_nothing_slow() -> None:
    """It is imported by every command, also by those that evaluate nothing."""
    script = (
        "import sys, workloadmap_spec.errors; before = set(sys.modules); import workloadmap_spec.cel; "
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('workloadmap_spec')))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"unicodedata"}

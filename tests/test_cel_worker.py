"""The process around the C++ engine, taken apart: it runs elsewhere, where no test looks inside."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from workloadmap_spec.cel import witness_worker


class FakeType:
    """A type of the engine."""

    def __init__(self, name: str) -> None:
        """Keep the name."""
        self.text = name

    def name(self) -> str:
        """Give the name, as the engine does."""
        return self.text


class FakeValue:
    """A value of the engine; its plain value must not be asked for."""

    def __init__(self, kind: FakeType, value: object) -> None:
        """Keep both."""
        self.kind = kind
        self.inner = value

    def type(self) -> FakeType:
        """Give the type."""
        return self.kind

    def value(self) -> object:
        """Give the value one level deep; never that of a null."""
        assert self.kind is not NULL
        return self.inner


NULL, ERROR = FakeType("NULL"), FakeType("ERROR")
CEL = SimpleNamespace(Type=SimpleNamespace(NULL=NULL, ERROR=ERROR, DYN=FakeType("DYN")))


def fake(value: object) -> FakeValue:
    """A value of the engine for a JSON value."""
    match value:
        case None:
            return FakeValue(NULL, None)
        case bool():
            return FakeValue(FakeType("BOOL"), value)
        case list():
            return FakeValue(FakeType("LIST<DYN>"), [fake(element) for element in value])
        case dict():
            return FakeValue(FakeType("MAP<DYN, DYN>"), {key: fake(element) for key, element in value.items()})
        case _:
            return FakeValue(FakeType({int: "INT", float: "DOUBLE", str: "STRING"}[type(value)]), value)


def test_a_value_is_taken_apart_without_asking_for_null() -> None:
    """Every null costs the engine a reference to None."""
    value = {"a": [1, 1.0, True, "x", None], "b": {}}
    assert repr(witness_worker.convert(CEL, fake(value))) == repr(value)


def test_errors_and_what_is_no_json_are_exceptions() -> None:
    """The engine gives errors as values."""
    with pytest.raises(TypeError, match="divide by zero"):
        witness_worker.convert(CEL, FakeValue(ERROR, "divide by zero"))
    with pytest.raises(TypeError, match="the result is a TIMESTAMP, which is no JSON"):
        witness_worker.convert(CEL, FakeValue(FakeType("TIMESTAMP"), "x"))


class FakeEngine(witness_worker.Engine):
    """The engine, without the engine."""

    def __init__(self) -> None:
        """Count what is compiled."""
        self.compiles: list[str] = []

        def environment(variables: dict[str, FakeType]) -> object:
            def compiler(text: str, *, disable_check: bool) -> object:
                assert disable_check
                if text == "1 +":
                    raise RuntimeError(text)
                self.compiles.append(text)
                return SimpleNamespace(eval=lambda data: fake(sorted(data) + sorted(variables)))

            return SimpleNamespace(compile=compiler)

        self.cel: Any = SimpleNamespace(Type=CEL.Type, NewEnv=environment)
        self.environments = {}
        self.compiled = {}


def test_requests_are_answered_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error is an answer too."""
    requests = [
        {"expression": "a", "bindings": {"a": 1}},
        {"expression": "1 +", "bindings": {}},
        {"expression": "a", "bindings": {"b": 1}},
    ]
    monkeypatch.setattr(witness_worker, "Engine", FakeEngine)
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(one) + "\n" for one in requests)))
    witness_worker.main()
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"value": ["a", "a"]},
        {"error": "RuntimeError: 1 +"},
        {"value": ["b", "b"]},
    ]


def test_an_expression_is_compiled_once_for_the_same_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not kept for ever."""
    engine = FakeEngine()
    for _ in range(3):
        engine.evaluate("x", {"a": 1})
    engine.evaluate("x", {"b": 1})
    assert engine.compiles == ["x", "x"]
    monkeypatch.setattr(witness_worker, "_CACHE", 2)
    engine.evaluate("y", {"b": 1})
    assert len(engine.compiled) == 1


def test_the_real_engine_can_be_loaded() -> None:
    """Where it is installed."""
    pytest.importorskip("cel_expr_python")
    assert witness_worker.Engine().evaluate("a + 1", {"a": 1}) == 2

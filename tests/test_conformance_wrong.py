"""Readers that answer wrongly are found by cases of the profile that they are wrong in; trivial ones pass little."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import whole_suite
from workloadmap_spec.cases import reference_reader
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.conformance.judge import Judge
from workloadmap_spec.conformance.serve import PROFILES, replying
from workloadmap_spec.conformance.wire import WireError, check_answer, dump, parse
from workloadmap_spec.field_compiler import native_engine

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from workloadmap_spec.conformance.serve import Reply
    from workloadmap_spec.conformance.suite import SuiteCase

READERS = Path(__file__).resolve().parents[1] / "conformance" / "readers"

SUITE = whole_suite()
ENGINE = [case for case in SUITE if case.profile != "catalog"]
JUDGE = Judge(frozenset(PROFILES))


def load(name: str) -> ModuleType:
    """A module of a reader."""
    spec = importlib.util.spec_from_file_location(name, READERS / name / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRONG = load("wrong")


def is_right(case: SuiteCase, reply: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
    """Whether a reader passes a case, by the same steps as over the wire."""
    request = parse(dump({"id": "x", **case.request}), float)
    try:
        answer = parse(dump({"id": "x", **reply(request)}))
        check_answer(answer, "x", case.command)
    except WireError:
        return False
    return JUDGE.judge(case, answer).passed


def passing(name: str, right: Reply) -> Callable[[SuiteCase], bool]:
    """Whether a wrong reader passes a case; each has one memory for all cases."""
    reply = WRONG.fault(name)
    return lambda case: is_right(case, lambda request: reply(request, right))


@pytest.fixture(scope="module")
def right() -> Reply:
    """The reference reader, which remembers its answers."""
    reader = replying(reference_reader(Catalog([]), native_engine))
    known: dict[bytes, dict[str, Any]] = {}

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        key = dump(request)
        if key not in known:
            known[key] = reader(request)
        return known[key]

    return reply


@pytest.mark.parametrize("name", sorted(WRONG.PROFILES))
def test_a_wrong_reader_is_found_in_its_profile(right: Reply, name: str) -> None:
    """By a case of the profile, twice: what finds it is no accident of the order."""
    for seed in (1, 2):
        cases = [case for case in ENGINE if case.profile == WRONG.PROFILES[name]]
        Random(seed).shuffle(cases)
        assert not all(map(passing(name, right), cases))


#: The most that trivial readers may pass of the engine cases, in percent.
FLOORS = {"empty": 5, "minimal": 12, "rejects-everything": 35, "supports-nothing": 0}


@pytest.mark.parametrize("name", FLOORS)
def test_a_trivial_reader_passes_little(right: Reply, name: str) -> None:
    passed = sum(map(passing(name, right), ENGINE))
    assert passed * 100 <= FLOORS[name] * len(ENGINE)


def test_the_right_reader_passes_everything(right: Reply) -> None:
    assert [case.id for case in SUITE if not is_right(case, right)] == []


def test_what_is_sent_does_not_tell_which_case_it_is() -> None:
    """So no reader can know the cases, or keep a list of those that it cannot do."""
    for case in SUITE:
        assert case.request.keys() <= {
            "cmd",
            "specVersion",
            "mappings",
            "mappingText",
            "object",
            "references",
            "pods",
            "options",
            "intent",
        }
        assert case.case.title not in json.dumps(case.request)

"""Mistakes in mappings are found by the schema of the kind: each exactly, at its place, with what to do about it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import shared_dir, upstream_kinds
from tests.data.crd_mistakes import BUILT_IN, FRAMEWORKS, Mistake
from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.crd import Checked, check_against
from workloadmap_spec.documents import Document, load_text
from workloadmap_spec.validation.places import expression_span
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAPPINGS = Path(__file__).resolve().parents[1] / "mappings"
ALL = {**BUILT_IN, **FRAMEWORKS}


@cache
def text_of(file: str) -> str:
    """The text of a shipped mapping."""
    return (MAPPINGS / file).read_text("utf-8")


def checked(text: str) -> tuple[Document, Checked]:
    """A mapping in a text, and what its kind's schema says of it."""
    (document,) = load_text(text)
    value: Any = document.value
    return document, check_against(compile_mapping(value), upstream_kinds())


def marked(text: str, old: str, new: str) -> tuple[str, tuple[int, int, int] | None]:
    """The text after the edit, and line, column and length of what is marked in it."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the mapping"
    plain = new.replace("«", "").replace("»", "")
    after = text.replace(old, plain)
    if "«" not in new:
        return after, None
    start = text.index(old) + new.index("«")
    line_start = after.rfind("\n", 0, start) + 1
    return after, (after.count("\n", 0, start) + 1, start - line_start + 1, new.index("»") - new.index("«") - 1)


def rows() -> Iterator[Any]:
    """Every mistake with a name."""
    for file, mistakes in ALL.items():
        for number, mistake in enumerate(mistakes):
            marks = [pytest.mark.skipif(file in FRAMEWORKS and shared_dir() is None, reason="the data is not here")]
            yield pytest.param(file, mistake, id=f"{Path(file).stem} {number}: {mistake.what}", marks=marks)


@pytest.mark.parametrize(("file", "mistake"), list(rows()))
def test_a_mistake_gives_its_finding(file: str, mistake: Mistake) -> None:
    text, place = marked(text_of(file), mistake.old, mistake.new)
    document, found = checked(text)
    assert [problem.rule for problem in found.problems] == [mistake.rule] * mistake.times, found.problems
    for index, problem in enumerate(found.problems):
        assert mistake.says in f"{problem.message}; {problem.cure}"
        if place is None:
            assert mistake.at is not None
            assert (problem.offset, problem.at) == (None, mistake.at.replace("{}", str(index)))
        else:
            assert problem.offset is not None
            span = expression_span(document, problem.at, problem.offset, problem.length)
            assert not span.approximate
            assert (span.start_line, span.start_column, span.end_column - span.start_column) == place


@pytest.mark.parametrize("file", ALL)
def test_a_shipped_mapping_has_none(file: str) -> None:
    if file in FRAMEWORKS and shared_dir() is None:
        pytest.skip("the data is not here")
    _, found = checked(text_of(file))
    assert found.checked
    assert found.problems == ()


def test_there_are_mistakes_of_every_rule() -> None:
    mistakes = [mistake for group in ALL.values() for mistake in group]
    assert len(mistakes) >= 135
    assert len(ALL) >= 14
    assert {mistake.rule for mistake in mistakes} == {rule for rule in RULES if rule.startswith("WM5")}

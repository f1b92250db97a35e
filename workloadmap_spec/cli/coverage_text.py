"""Coverage of mappings in words and as plain data: how much the cases have reached, and what they have not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import clean
from workloadmap_spec.coverage import goals, tally, text_at
from workloadmap_spec.errors import Location
from workloadmap_spec.texts import cut, cut_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.coverage import Coverage, Goal
    from workloadmap_spec.documents import Document

#: What stands at a place of a mapping is told up to this length.
_MAX_TEXT: Final = 60
#: The categories in which one thing is called otherwise than by leaving the plural's end away.
_WORDS: Final = {"conditions": "conditions both ways", "absentIf": "absentIf matched"}


@dataclass(frozen=True, slots=True)
class Covered:
    """A mapping under test, and what the cases should reach in it."""

    document: Document
    goals: Sequence[Goal]

    @property
    def name(self) -> str:
        """The name of the mapping."""
        return str(self.document.value["metadata"]["name"])

    @property
    def reached(self) -> int:
        """How many goals are reached."""
        return sum(goal.lacks is None for goal in self.goals)

    def gaps(self) -> list[tuple[Goal, str, Location]]:
        """The goals that are not reached, each with what stands there, and where."""
        value = self.document.value
        lacking = [goal for goal in self.goals if goal.lacks is not None]
        return [(goal, _text(text_at(value, goal.pointer)), self.document.location(goal.pointer)) for goal in lacking]


def covered(observed: Iterable[tuple[Document, Coverage]]) -> list[Covered]:
    """The mappings that were looked at, by name."""
    found = [Covered(document, goals(coverage, document.value)) for document, coverage in observed]
    return sorted(found, key=lambda mapping: mapping.name)


def percent(mappings: Sequence[Covered]) -> float:
    """How much of a hundred is reached, of all mappings together; of nothing, all."""
    there = sum(len(mapping.goals) for mapping in mappings)
    return 100 * sum(mapping.reached for mapping in mappings) / there if there else 100.0


def render_coverage(mappings: Sequence[Covered], style: Style, least: float | None) -> str:
    """The coverage in words: each mapping with what is lacking, and a line that sums up."""
    lines: list[str] = []
    for mapping in mappings:
        counted = [_counted(*entry) for entry in tally(mapping.goals).items()]
        lines.append(f"{style.paint(clean(mapping.name), 'bold')}: {', '.join(counted) or 'nothing to reach'}")
        for goal, text, place in mapping.gaps():
            where = Location(shown(mapping.document.source), place.line, place.column)
            told = f"{where}: {goal.pointer}: {goal.lacks}" + (f": {text}" if text else "")
            lines.append(f"  {clean(told)}")
    reached, there = sum(mapping.reached for mapping in mappings), sum(len(mapping.goals) for mapping in mappings)
    found = percent(mappings)
    line = f"coverage: {reached} of {there}, {_rounded(found)} %"
    if least is not None and found < least:
        line += style.paint(f", less than {least:g} %", "red")
    return "\n".join([*lines, line]) + "\n"


def coverage_json(mappings: Sequence[Covered]) -> dict[str, Any]:
    """The coverage as plain data."""
    return {
        "covered": sum(mapping.reached for mapping in mappings),
        "goals": sum(len(mapping.goals) for mapping in mappings),
        "percent": _rounded(percent(mappings)),
        "mappings": [_mapping_json(mapping) for mapping in mappings],
    }


def _mapping_json(mapping: Covered) -> dict[str, Any]:
    """The coverage of one mapping as plain data."""
    return {
        "name": mapping.name,
        "file": shown(mapping.document.source),
        "covered": mapping.reached,
        "goals": len(mapping.goals),
        "categories": {
            name: {"covered": reached, "goals": there} for name, (reached, there) in tally(mapping.goals).items()
        },
        "uncovered": [
            {
                "pointer": goal.pointer,
                "line": place.line,
                "column": place.column,
                "category": goal.category,
                "what": goal.lacks,
                "text": text,
            }
            for goal, text, place in mapping.gaps()
        ],
    }


def shown(source: str) -> str:
    """The path of a file as it is told: from where one stands, if it is below."""
    path = Path(source)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else source
    except (OSError, ValueError):
        return source


def _counted(category: str, counts: tuple[int, int]) -> str:
    """How many goals of a category are reached."""
    return f"{counts[0]} of {counts[1]} {_WORDS.get(category, category)}"


def _rounded(number: float) -> float:
    """A part of a hundred to one digit, rounded down, so that only all is 100."""
    return int(number * 10) / 10


def _text(value: object) -> str:
    """What stands at a place, in one line and cut."""
    if value is None or (isinstance(value, dict) and "members" in value):
        # A gang entry is known by its place.
        return ""
    if isinstance(value, str):
        return cut_line(value, _MAX_TEXT)
    return cut(json.dumps(value, ensure_ascii=False), _MAX_TEXT)

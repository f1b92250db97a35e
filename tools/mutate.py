"""Change shipped mappings in small ways and see whether a case of the catalogue notices: `make mutate`.

A mapping whose cases let a changed default, a dropped guard or swapped rules pass is not tested by them. Every
mutant differs from its mapping in one place; one that the reader refuses to load is not counted. What survives is
printed, unless `conformance/equivalent.json` says why it means the same. The figures are written to
`conformance/MUTATION.md`.

    python tools/mutate.py [NAME ...]   only the mappings of these names; the figures are then not written
"""

from __future__ import annotations

import copy
import json
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import Catalog, WorkloadMapError
from workloadmap_spec.cases import load_cases, reference_reader, run_case
from workloadmap_spec.files import cases_root
from workloadmap_spec.pointer import join, resolve, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.cases import Case

ROOT: Final = Path(__file__).resolve().parents[1]
REPORT: Final = ROOT / "conformance" / "MUTATION.md"
EQUIVALENT: Final = ROOT / "conformance" / "equivalent.json"

#: The mappings whose cases must kill so many percent of the mutants.
REQUIRED: Final = {"jobset": 95, "leaderworkerset": 95, "raycluster": 95}

#: Members that no map shows: they say how a workload is written, or are for people.
_UNSEEN: Final = frozenset({"writeTo", "write", "stored", "suspend/resume", "message"})
#: Members whose strings are no CEL.
_LITERAL: Final = frozenset(
    {
        "name", "role", "reason", "message", "phase", "condition", "kind", "apiVersion", "group", "versions", "what",
        "field", "container", "mode", "type", "unit", "lists", "per", "members", "component", "of", "instanceOf",
        "replicaOf", "own", "to", "unknown", "podless", "else", "from", "as",
    }
)  # fmt: skip

#: Changes of the text of an expression: a pattern, and what each place that fits becomes.
_TEXTS: Final = (
    ("equal", r" == ", " != "),
    ("unequal", r" != ", " == "),
    ("below", r" < ", " <= "),
    ("below-or-equal", r" <= ", " < "),
    ("above", r" > ", " >= "),
    ("above-or-equal", r" >= ", " > "),
    ("and", r" && ", " || "),
    ("or", r" \|\| ", " && "),
    ("exists", r"\.exists\(", ".all("),
    ("all", r"\.all\(", ".exists("),
    ("plus", r" \+ (?=\d)", " - "),
    ("minus", r" - (?=\d)", " + "),
    ("not", r"!(?=[\w(])", ""),
    ("number", r"(?<![\w.\"'-])(\d+)(?![\w.\"'])", None),
    ("text", r"\"([^\"]+)\"", None),
    ("step", r"(?<=\.)([a-z]\w*)(?![\w(])", None),
)


@dataclass(frozen=True)
class Mutant:
    """A mapping with one change."""

    #: The place and the change: the name under which a mutant is called equivalent.
    name: str
    document: dict[str, Any]


def mutants(document: dict[str, Any]) -> Iterator[Mutant]:
    """Every mutant of a mapping."""
    for pointer, value in _walk(document["spec"], "/spec"):
        key = split(pointer)[-1]
        if pointer.startswith("/spec/workload") or key in _UNSEEN or "/suspend/resume" in pointer:
            continue
        for change, other in _changes(pointer, key, value):
            yield Mutant(f"{pointer} {change}", _with(document, pointer, other))
        yield from _dropped(document, pointer, key)
        if isinstance(value, list) and key in ("rules", "firstOf", "podFields", "gang"):
            for index in range(len(value) - 1):
                swapped = [*value[:index], value[index + 1], value[index], *value[index + 2 :]]
                yield Mutant(f"{join(pointer, index)} swap", _with(document, pointer, swapped))


def _walk(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Every place of a document, each with its value."""
    yield pointer, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        if key not in _UNSEEN:
            yield from _walk(entry, join(pointer, key))


def _changes(pointer: str, key: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """What a value may become."""
    if isinstance(value, bool):
        yield "flip", not value
    elif isinstance(value, int):
        yield "plus-one", value + 1
    elif isinstance(value, str):
        parents = [part for part in split(pointer) if not part.isdecimal()]
        if key == "phase":
            yield "phase", "Unknown" if value != "Unknown" else "Running"
        elif key == "condition" or "default" in parents or "absentIf" in parents:
            yield "text", f"{value}x"
        elif key not in _LITERAL and "members" not in parents and "creates" not in parents and "own" not in parents:
            yield from _expressions(key, value)


def _expressions(key: str, text: str) -> Iterator[tuple[str, str]]:
    """What an expression may become."""
    for change, pattern, replacement in _TEXTS:
        for number, match in enumerate(re.finditer(pattern, text)):
            if replacement is not None:
                new = replacement
            elif change == "number":
                new = str(int(match[1]) + 1)
            else:
                new = match[0].replace(match[1], f"{match[1]}x")
            yield f"{change}-{number}", text[: match.start()] + new + text[match.end() :]
    if key in ("when", "where", "match"):
        yield "negate", f"!({text})"
        yield "always", "true"


def _dropped(document: dict[str, Any], pointer: str, key: str) -> Iterator[Mutant]:
    """The mapping without something, if it can be left out."""
    owner_at, _, _ = pointer.rpartition("/")
    owner = resolve(document, owner_at)
    if isinstance(owner, list) and len(owner) > 1:
        yield Mutant(f"{pointer} drop", _with(document, owner_at, owner[: int(key)] + owner[int(key) + 1 :]))
    elif isinstance(owner, dict) and pointer.count("/") > 2:  # noqa: PLR2004 - below a member of `spec`
        yield Mutant(f"{pointer} drop", _with(document, owner_at, {n: v for n, v in owner.items() if n != key}))


def _with(document: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A copy of a document with another value at a place."""
    changed = copy.deepcopy(document)
    owner = resolve(changed, pointer.rpartition("/")[0])
    key: Any = split(pointer)[-1]
    owner[int(key) if isinstance(owner, list) else key] = value
    return changed


@dataclass(frozen=True)
class Figures:
    """What became of the mutants of a mapping."""

    name: str
    cases: int
    killed: int
    equivalent: int
    survived: list[str]

    @property
    def counted(self) -> int:
        """The mutants that load and mean something else."""
        return self.killed + len(self.survived)

    @property
    def percent(self) -> float:
        """How many were killed."""
        return 100 * self.killed / self.counted if self.counted else 100.0


def examine(name: str) -> Figures:
    """Run the cases of one mapping against all its mutants."""
    builtin = Catalog.builtin()
    mapping = next(mapping for mapping in builtin.mappings() if mapping.name == name)
    cases = [case for case in load_cases([cases_root() / "catalog"]) if _uses(case, mapping.group, mapping.kind)]
    excused: dict[str, dict[str, str]] = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    killed, equivalent, survived = 0, 0, []
    for mutant in mutants(json.loads(json.dumps(mapping.document))):
        try:
            catalog = builtin.with_documents([mutant.document])
        except WorkloadMapError:
            continue
        if mutant.name in excused.get(name, {}):
            equivalent += 1
            continue
        reader = reference_reader(catalog)
        if all(run_case(case, reader).passed for case in cases):
            survived.append(mutant.name)
        else:
            killed += 1
    return Figures(name, len(cases), killed, equivalent, survived)


def _uses(case: Case, group: str, kind: str) -> bool:
    """Whether a case is read with a mapping, as its own or as that of something inside."""
    text = json.dumps(case.request["object"])
    found: Any = case.request["object"]
    own = found["kind"] == kind and (f"{group}/" in found["apiVersion"] if group else "/" not in found["apiVersion"])
    return own or (f'"kind": "{kind}"' in text and f'"apiVersion": "{group}' in text)


def render(figures: list[Figures]) -> str:
    """The page of figures."""
    lines = [
        "# How well the cases know the mappings",
        "",
        "Each shipped mapping is changed in one place at a time, in every way that `tools/mutate.py` knows, and its",
        "cases are run. A mutant that loads and that no case notices has survived. Made by `make mutate`.",
        "",
        "| mapping | cases | mutants | killed | survived | equivalent |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| `{one.name}` | {one.cases} | {one.counted} | {int(10 * one.percent) / 10} % | {len(one.survived)}"
        f" | {one.equivalent} |"
        for one in figures
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Examine mappings, print what survived, and write the figures."""
    names = sys.argv[1:] or [mapping.name for mapping in Catalog.builtin().mappings()]
    with ProcessPoolExecutor() as pool:
        figures = list(pool.map(examine, names))
    for one in figures:
        print(f"{one.name}: {one.killed} of {one.counted} killed ({one.percent:.1f} %), {one.equivalent} equivalent")
        for name in one.survived:
            print(f"  {name}")
    if not sys.argv[1:]:
        REPORT.write_text(render(figures), encoding="utf-8")
    return int(any(one.percent < REQUIRED.get(one.name, 0) for one in figures))


if __name__ == "__main__":
    sys.exit(main())

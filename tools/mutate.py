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
    from workloadmap_spec.mapping import CompiledMapping

ROOT: Final = Path(__file__).resolve().parents[1]
REPORT: Final = ROOT / "conformance" / "MUTATION.md"
EQUIVALENT: Final = ROOT / "conformance" / "equivalent.json"

#: The mappings whose cases must kill so many percent of the mutants.
REQUIRED: Final = {"jobset": 95, "leaderworkerset": 95, "raycluster": 95}

#: Members that no map shows: they say how a workload is written, or are for people.
_UNSEEN: Final = frozenset({"writeTo", "write", "stored", "immutable", "message"})
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
#: Changes that only matter where both sides are equal, and the larger or smaller of two paths, which then is either.
_STRICTNESS: Final = frozenset({"below", "below-or-equal", "above", "above-or-equal"})
_EXTREMES: Final = re.compile(
    r"(?<![-+*/%] )(?<![\w.)\]\"])([a-z][\w.]*) [<>]=? ([a-z][\w.]*) \? (?:\1 : \2|\2 : \1)(?![\w.(\[]| [-+*/%])"
)
#: A condition that a path is a text, or one of some.
_TEXT_OF: Final = re.compile(r'(?P<path>[a-z][\w.]*) (?:== |in )(?P<texts>"[^"\\]*"|\["[^\]\\]*"\])')
_MENTIONED: Final = re.compile(r"variables\.(\w+)")
_PATH: Final = re.compile(r"[a-z]\w*(?:\.\w+|\[\"[^\"\\]*\"\])*")
_HAS: Final = re.compile(r"has\(object\.(?:metadata|spec|status)\.\w+\)")
#: What a unit is in the other base.
_OTHER_BASE: Final = {
    **{1024**power: 1000**power for power in range(1, 7)},
    **{1000**power: 1024**power for power in range(1, 7)},
}


@dataclass(frozen=True)
class Mutant:
    """A mapping with one change."""

    #: The place and the change: the name under which a mutant is called equivalent.
    name: str
    document: dict[str, Any]


def mutants(document: dict[str, Any]) -> Iterator[Mutant]:
    """Every mutant of a mapping, but for those that are bound to mean the same."""
    unseen: tuple[str, ...] = ("/spec/workload", "/spec/suspend/resume")
    if "requested" in document["spec"].get("suspend", {}):
        # Then nothing is read where it is written (S9.10).
        unseen = (*unseen, "/spec/suspend/suspend")
    sound = _sound(document)
    for pointer, value in _walk(document["spec"], "/spec"):
        key = split(pointer)[-1]
        if pointer.startswith(unseen) or key in _UNSEEN:
            continue
        for change, other in _changes(pointer, key, value):
            yield Mutant(f"{pointer} {change}", _with(document, pointer, other))
        yield from _dropped(document, pointer, key)
        if isinstance(value, list) and key in ("rules", "firstOf", "podFields", "gang"):
            for index in range(len(value) - 1):
                if _apart(key, value[index], value[index + 1], sound):
                    continue
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
    elif isinstance(value, int) and "units" in split(pointer):
        # A little more would be cut away by the division; the base that people take it for shows.
        yield "other-base", _OTHER_BASE.get(value, value * 2)
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
            inside = (one.start() < match.start() < one.end() for one in _EXTREMES.finditer(text))
            if change in _STRICTNESS and any(inside):
                continue
            yield f"{change}-{number}", text[: match.start()] + new + text[match.end() :]
    if key in ("when", "where", "match"):
        yield "negate", f"!({text})"
        if text != "true":
            yield "always", "true"


def _apart(key: str, one: Any, other: Any, sound: frozenset[str]) -> bool:  # noqa: ANN401 - JSON
    """Whether two neighbours surely mean the same in either order."""
    if key == "podFields":
        return _disjoint(one, other)
    if not (isinstance(one, dict) and isinstance(other, dict) and "when" in one and "when" in other):
        return False
    # A variable that failed makes every condition fail that mentions it (S3.4.2).
    mine, yours = (set(_MENTIONED.findall(str(entry["when"]))) for entry in (one, other))
    if not (mine ^ yours) <= sound:
        return False
    # Where one of them holds, a part of the other is false, and so all of it, even if the rest of it fails.
    return any(_contrary(a, b) for a in _conjuncts(one["when"]) for b in _conjuncts(other["when"]))


def _sound(document: dict[str, Any]) -> frozenset[str]:
    """The variables that cannot fail: paths, and what asks whether a path is there or is one of some texts."""
    sound: dict[str, bool] = {}
    for pointer, entry in _walk(document["spec"], "/spec"):
        if split(pointer)[-2:-1] == ("variables",) and isinstance(entry, dict):
            names = frozenset(name for name, fine in sound.items() if fine)
            sound[entry["name"]] = sound.get(entry["name"], True) and "find" not in entry and _cannot_fail(entry, names)
    return frozenset(name for name, fine in sound.items() if fine)


def _cannot_fail(value: Any, sound: frozenset[str]) -> bool:  # noqa: ANN401 - JSON
    """Whether a value is present or absent, but never failed."""
    if isinstance(value, dict):
        inner = [value["value"]] if "value" in value else value.get("firstOf", [])
        inner = [*inner, value["when"]] if "when" in value else inner
        return not {"as", "strip"} & set(value) and all(_cannot_fail(one, sound) for one in inner)
    if not isinstance(value, str):
        return True
    text = value.removeprefix("!").removeprefix("(").removesuffix(")")
    asks = _PATH.fullmatch(value) or _TEXT_OF.fullmatch(text) or _HAS.fullmatch(value.removeprefix("!"))
    return asks is not None and set(_MENTIONED.findall(value)) <= sound


def _disjoint(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two pod fields are sure to meet nowhere, not even in the order of containers that they make."""
    if not ("field" in one and "field" in other):
        return False
    mine, yours = _target(one), _target(other)
    if mine[0] == yours[0]:
        if isinstance(one.get("container"), dict) and ("forEach" in one or "forEach" in other):
            return False
        return any(a != b for a, b in zip(mine[1], yours[1], strict=False))
    # What the one lays on a container, and the other beside all of them.
    if mine[0] is None or yours[0] is None:
        beside = mine[1] if mine[0] is None else yours[1]
        return beside[0] == "metadata" or (len(beside) > 1 and beside[1] not in ("containers", "initContainers"))
    return False


def _target(entry: dict[str, Any]) -> tuple[Any, list[str]]:
    """The container, if any, that an entry of `podFields` is laid on, and its field; a key that is read is any key."""
    container = json.dumps([entry["container"], entry.get("init", False)]) if "container" in entry else None
    key = entry.get("key")
    return container, [*entry["field"].split("."), *([key] if isinstance(key, str) else [])]


def _conjuncts(when: Any) -> list[str]:  # noqa: ANN401 - JSON
    """The parts of a condition that must all hold."""
    text = " ".join(str(when).split())
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and text.startswith((" || ", " ? "), place):
            return [text]
        if depth == 0 and text.startswith(" && ", place):
            parts.append(text[start:place])
            start = place + len(" && ")
    return [*parts, text[start:]]


def _contrary(one: str, other: str) -> bool:
    """Whether two conditions are sure not to hold both: one denies the other, or they ask one path for other texts."""
    if f"!{one}" == other or f"!{other}" == one:
        return not re.search(r" (&&|\|\||[=!<>]=?|in) ", one + other)
    mine, yours = _TEXT_OF.fullmatch(one), _TEXT_OF.fullmatch(other)
    if mine is None or yours is None or mine["path"] != yours["path"]:
        return False
    return not set(re.findall(r'"[^"]*"', mine["texts"])) & set(re.findall(r'"[^"]*"', yours["texts"]))


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
    #: The mutants that are called equivalent although they are not there, or a case notices them.
    mistaken: list[str]

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
    mapping = _mapping(name)
    cases = [case for case in load_cases([cases_root() / "catalog"]) if _uses(case, mapping.group, mapping.kind)]
    excused: set[str] = set(json.loads(EQUIVALENT.read_text(encoding="utf-8")).get(name, {}))
    mistaken = set(excused)
    killed, equivalent, survived = 0, 0, []
    failed = [case.id for case in cases if not run_case(case, reference_reader(builtin)).passed]
    if failed:
        # Such a case would kill everything.
        message = f"{name}: these cases fail without any change: {', '.join(failed)}"
        raise SystemExit(message)
    for mutant in mutants(json.loads(json.dumps(mapping.document))):
        try:
            catalog = builtin.with_documents([mutant.document])
        except WorkloadMapError:
            continue
        reader = reference_reader(catalog)
        killer = next((case for case in cases if not run_case(case, reader).passed), None)
        if killer is None and mutant.name in excused:
            equivalent += 1
            mistaken.remove(mutant.name)
        elif killer is None:
            survived.append(mutant.name)
        else:
            killed += 1
            # The next mutant is a neighbour of this one: what noticed this is likely to notice that.
            cases.remove(killer)
            cases.insert(0, killer)
    return Figures(name, len(cases), killed, equivalent, survived, sorted(mistaken))


def _mapping(name: str) -> CompiledMapping:
    """The shipped mapping of a name."""
    return next(mapping for mapping in Catalog.builtin().mappings() if mapping.name == name)


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
        # The largest first, so that none is left alone at the end.
        by_size = sorted(names, key=lambda name: -len(json.dumps(_mapping(name).document)))
        found = dict(zip(by_size, pool.map(examine, by_size), strict=True))
    figures = [found[name] for name in names]
    for one in figures:
        print(f"{one.name}: {one.killed} of {one.counted} killed ({one.percent:.1f} %), {one.equivalent} equivalent")
        for name in one.survived:
            print(f"  {name}")
        for name in one.mistaken:
            print(f"  not equivalent, or not there: {name}")
    if not sys.argv[1:]:
        REPORT.write_text(render(figures), encoding="utf-8")
    return int(any(one.mistaken or one.percent < REQUIRED.get(one.name, 0) for one in figures))


if __name__ == "__main__":
    sys.exit(main())

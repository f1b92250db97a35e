"""WM401, and the cases that belong to a mapping: those beside it, below its folder and in folders that are named.

A case belongs to a mapping if its object is of a kind and version of the mapping, and if it brings no mappings of its
own. Only files whose text names the kind are read, and no more of them than the question takes.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.documents import files_below, read_file
from workloadmap_spec.files import cases_root, mappings_root
from workloadmap_spec.mapping import api_version_of
from workloadmap_spec.positions import SourceProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workloadmap_spec.cases import Case

_SUFFIX: Final = ".case.yaml"
_LINES_SUFFIX: Final = ".jsonl"

#: How the object of a case begins, in the form in which nearly all are written.
_PLAIN: Final = re.compile(rb"^object:\n  apiVersion: ([\w./-]+)\n  kind: (\w+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a mapping reads: a kind, and the values of `apiVersion` that it has."""

    name: str
    api_versions: frozenset[str]


@dataclass(slots=True, eq=False)
class _CaseFile:
    """A file with cases, and its text."""

    path: Path
    data: bytes
    #: The kinds of the objects in it; None until somebody asks.
    _kinds: set[tuple[str, str]] | None = None

    def plain(self) -> tuple[str, str] | None:
        """The `apiVersion` and kind of the object of a case that is written in the usual form, without parsing it."""
        if b"\nmapping" in self.data:
            return None
        found = _PLAIN.search(self.data)
        return None if found is None else (found[1].decode(), found[2].decode())

    def reads(self, kind: Kind) -> bool:
        """Whether a case in it reads an object of a kind."""
        if not _mentions(self.data, kind):
            return False
        if self.path.suffix == _LINES_SUFFIX:
            # One file of thousands of cases: only the lines that matter are parsed.
            lines = (line for line in self.data.split(b"\n") if _mentions(line, kind))
            return any(_is_of(kind, found) for line in lines for found in _kinds_of(_of_line(line)))
        if self._kinds is None:
            self._kinds = {found for value in _values(self.data) for found in _kinds_of(value)}
        return any(_is_of(kind, found) for found in self._kinds)

    def cases(self, kind: Kind) -> Iterator[Case]:
        """The cases in it that belong to a mapping of a kind."""
        from workloadmap_spec.cases import load_case_file  # noqa: PLC0415 - for witnesses only

        if _mentions(self.data, kind):
            for case in load_case_file(self.path):
                if not case.problems and any(_is_of(kind, found) for found in _kinds_of(case.request)):
                    yield case


class _Place:
    """The case files of a folder, the nearest first, or one file."""

    def __init__(self, path: Path) -> None:
        """Read them."""
        paths = _walk(path) if path.is_dir() else [path]
        self.files = [_CaseFile(file, read_file(file)) for file in paths]
        self.plain = {file.plain() for file in self.files}

    def reads(self, kind: Kind) -> bool:
        """Whether a case reads an object of a kind."""
        if any((version, kind.name) in self.plain for version in kind.api_versions):
            return True
        return any(file.reads(kind) for file in self.files)


@dataclass(slots=True)
class CaseFinder:
    """Finds the cases of mappings; remembers the files that it has seen."""

    #: Folders and files that hold cases of every mapping.
    extra: Sequence[str | Path] = ()
    _places: dict[Path, _Place] = field(default_factory=dict)

    def has_case(self, kind: Kind, mapping: Path | None) -> bool:
        """Whether a case reads an object of the kind of a mapping, which lies in a file or in none.

        Raises:
            InputError: A case file cannot be read.
        """
        return any(place.reads(kind) for place in self._candidates(mapping))

    def cases(self, kind: Kind, mapping: Path | None) -> list[Case]:
        """The cases that belong to a mapping; if there are none, those of the shipped suite.

        Raises:
            InputError: A case file cannot be read.
        """
        found = {file.path: file for place in self._candidates(mapping) for file in place.files}
        cases = [case for file in found.values() for case in file.cases(kind)]
        return cases or [case for file in self._place(_shipped()).files for case in file.cases(kind)]

    def _candidates(self, mapping: Path | None) -> Iterator[_Place]:
        """Where cases of a mapping may lie: what was named, beside it, and for a shipped one in the suite."""
        for place in self.extra:
            yield self._place(Path(place))
        if mapping is not None:
            yield self._place(mapping.parent)
            if mapping.resolve().is_relative_to(mappings_root().resolve()):
                yield self._place(_shipped())

    def _place(self, path: Path) -> _Place:
        """A folder or file, read once."""
        path = path.resolve()
        if path not in self._places:
            self._places[path] = _Place(path)
        return self._places[path]


def kind_of(group: str, kind: str, versions: Iterable[str]) -> Kind:
    """What a mapping reads."""
    return Kind(kind, frozenset(api_version_of(group, version) for version in versions))


@cache
def _shipped() -> Path:
    """The cases of the shipped mappings."""
    root = cases_root()
    return root / "catalog" if root.is_dir() else root


def _walk(folder: Path) -> list[Path]:
    """The case files below a folder, the nearest first."""
    return sorted(files_below(folder, (_SUFFIX,)), key=lambda file: (len(file.parts), str(file.parent), file.name))


def _mentions(data: bytes, kind: Kind) -> bool:
    """Whether a text has the name of a kind and one of its versions."""
    return kind.name.encode() in data and any(version.encode() in data for version in kind.api_versions)


def _is_of(kind: Kind, found: tuple[str, str]) -> bool:
    """Whether an `apiVersion` and a kind are those of a mapping."""
    return found[1] == kind.name and found[0] in kind.api_versions


def _kinds_of(case: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """The `apiVersion` and kind of the object of a case, if other mappings than its own are to read it."""
    if not isinstance(case, dict) or "mappings" in case or "mappingText" in case:
        return
    workload = case.get("object")
    if isinstance(workload, dict):
        yield str(workload.get("apiVersion")), str(workload.get("kind"))


def _values(data: bytes) -> Iterator[Any]:
    """The documents of a case file; what cannot be read is passed over, and `workloadmap test` tells of it."""
    from workloadmap_spec.yaml_loader import compose  # noqa: PLC0415 - it loads PyYAML

    piece = ""
    for line in io.StringIO(data.decode("utf-8", "replace") + "\n---\n"):
        if not line.startswith("---"):
            piece += line
            continue
        try:
            node = compose(piece)
        except SourceProblem:
            node = None
        if node is not None:
            yield node.value
        piece = ""


def _of_line(line: bytes) -> Any:  # noqa: ANN401 - JSON
    """The case of a line of an installed suite, which has the shipped mappings in it that it is read with."""
    try:
        entry = json.loads(line)
        left_out = {"mappings"} if entry.get("shipped") else set()
        return {name: value for name, value in entry["request"].items() if name not in left_out}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None

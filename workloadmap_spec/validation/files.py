"""The files that are validated: found below folders, each once, and read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workloadmap_spec.documents import STDIN_NAME, SUFFIXES, files_below, read_file
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.validation.findings import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

#: How the names of files end that hold cases.
_CASE_SUFFIXES: Final = tuple(f".case{suffix}" for suffix in SUFFIXES)

#: Why a case file is skipped.
_HOLDS_CASES: Final = "holds cases"


class MissingPathError(InputError):
    """A path that was named does not exist."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text to validate: what it is called, how it is read, and where it lies, if it is a file."""

    name: str
    read: Callable[[], bytes]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's name and its lines, for snippets."""

    name: str
    lines: Sequence[str]

    @classmethod
    def of(cls, name: str, data: bytes) -> FileText:
        """The lines of a file, whatever its bytes are; a byte order mark is none of the text."""
        return cls(name, data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"))

    def has_suppressions(self) -> bool:
        """Whether one of the comments of ours may be in it; a quick look before they are searched for."""
        return any("workloadmap:" in line for line in self.lines)

    def snippet(self, line: int | None) -> str | None:
        """One line, if it is known and there."""
        return self.lines[line - 1].rstrip() if line is not None and 0 < line <= len(self.lines) else None


def find_files(paths: Iterable[str | Path]) -> tuple[list[Path], list[Skipped]]:
    """The mapping files that paths name and those below folders, sorted and each once, and the files that are skipped.

    Of several names of one file the first in the order of texts counts, so that the order of the paths is none of the
    result.

    Raises:
        MissingPathError: A path does not exist.
        InputError: A folder cannot be listed.
    """
    names = sorted({str(file) for path in paths for file in _below(Path(path))})
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(os.path.realpath(name), name)
    kept = sorted(found.values())
    skipped = [Skipped(name, _HOLDS_CASES) for name in kept if name.endswith(_CASE_SUFFIXES)]
    return [Path(name) for name in kept if not name.endswith(_CASE_SUFFIXES)], skipped


def sources_of(
    paths: Iterable[str | Path], stdin: Callable[[], bytes] | None = None
) -> tuple[list[Source], list[Skipped]]:
    """What paths name; with `stdin` the path `-` is the standard input, which that function gives.

    Raises:
        MissingPathError: A path does not exist.
        InputError: A folder cannot be listed.
    """
    named = dict.fromkeys(map(str, paths))
    sources = []
    if stdin is not None and "-" in named:
        del named["-"]
        sources.append(Source(STDIN_NAME, stdin))
    files, skipped = find_files(named)
    sources += [Source(str(file), partial(read_file, file), file) for file in files]
    return sources, skipped


def _below(path: Path) -> Iterator[Path]:
    """A file, or the YAML and JSON files below a folder, hidden ones left out."""
    if path.is_dir():
        yield from files_below(path, SUFFIXES, _refuse)
    elif path.exists():
        yield path
    else:
        raise MissingPathError("there is no such file or folder", Location(str(path)), "check the path")


def _refuse(error: OSError) -> None:
    """Raise that a folder cannot be listed, which `os.walk` would pass over."""
    message = f"the folder cannot be read: {error.strerror or error}"
    raise InputError(message, Location(error.filename), "check its permissions") from error

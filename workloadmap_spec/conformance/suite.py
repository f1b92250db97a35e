"""The suite: every case with its profile, and the request that puts it to a reader."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import Case, digest_of, load_cases
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.errors import NoMappingError
from workloadmap_spec.files import SPEC_VERSION, cases_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

#: The version of the suite: cases that are added raise the second number, cases that are withdrawn the third.
SUITE_VERSION: Final = "1.0.0"

#: The tag of the cases for a beginning, which is a profile of its own.
PATHS: Final = "core.paths"

#: Members of a case that are sent to the reader.
_SENT: Final = ("mappings", "mappingText", "object", "references", "pods", "options", "intent")


@dataclass(frozen=True)
class SuiteCase:
    """One case as the runner puts it."""

    case: Case
    #: The mappings that a case of the catalogue is read with; a case that brings its own has none here.
    shipped: tuple[Mapping[str, Any], ...] = ()

    @property
    def id(self) -> str:
        """Its id, which is never sent."""
        return self.case.id

    @cached_property
    def profile(self) -> str:
        """The profile it belongs to: the second part of an engine case's id, or `catalog`."""
        body, _, rest = self.id.partition("/")
        return rest.partition("/")[0] if body == "engine" else "catalog"

    @property
    def group(self) -> str:
        """What a report counts it under: its profile, for the catalogue with the framework."""
        if self.profile != "catalog":
            return self.profile
        return "/".join(self.id.split("/")[:2])

    @property
    def features(self) -> tuple[str, ...]:
        """The features without which it is not put."""
        return tuple(self.case.request.get("features", ()))

    @property
    def tags(self) -> frozenset[str]:
        """What else it is called."""
        return frozenset(self.case.request.get("tags", ()))

    @property
    def command(self) -> str:
        """What the reader is asked to do."""
        return str(self.case.request.get("do", "map"))

    @cached_property
    def request(self) -> dict[str, Any]:
        """The request, but for its id."""
        written = self.case.request
        request: dict[str, Any] = {"cmd": self.command, "specVersion": SPEC_VERSION}
        request.update({name: written[name] for name in _SENT if name in written})
        if self.shipped:
            request["mappings"] = list(self.shipped)
        return request

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the digest of the case, by which a changed one is known."""
        return self.case.digest or digest_of(self.id, self.request, self.case.expect)

    def is_selected(self, profiles: Iterable[str], features: Iterable[str]) -> bool:
        """Whether a reader that claims these is asked."""
        claimed = set(profiles)
        wanted = self.profile in claimed or (PATHS in claimed and PATHS in self.tags)
        # The catalogue's cases of writing are for those who write.
        wanted = wanted and (self.command != "update" or "update" in claimed)
        return wanted and set(self.features) <= set(features)


def load_suite(paths: Sequence[str | Path] = (), catalog: Catalog | None = None) -> list[SuiteCase]:
    """The cases of the suite, or those at other paths, in the order of their ids.

    A case that is wrong in itself is among them, with its problems.

    Raises:
        InputError: A path does not exist or cannot be read.
    """
    cases = load_cases(paths or [cases_root()])
    return sorted((_with_mappings(case, catalog) for case in cases), key=lambda case: case.id)


def folders_of(profiles: Iterable[str]) -> list[Path]:
    """Where all shipped cases of some profiles lie; the one file of an installed suite."""
    root = cases_root()
    if not root.is_dir():
        return [root]
    names = {PATHS: "engine/core", "catalog": "catalog"}
    return sorted({root / names.get(profile, f"engine/{profile}") for profile in profiles})


def suite_digest(cases: Iterable[SuiteCase]) -> str:
    """The digest of all cases together."""
    text = "\n".join(f"{case.id} {case.digest}" for case in sorted(cases, key=lambda case: case.id))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _with_mappings(case: Case, catalog: Catalog | None) -> SuiteCase:
    """A case with the shipped mappings that it needs, if it brings none."""
    if case.problems or "mappings" in case.request or "mappingText" in case.request:
        return SuiteCase(case)
    if case.shipped:
        return SuiteCase(case, case.shipped)
    shipped = Catalog.builtin() if catalog is None else catalog
    return SuiteCase(case, tuple(_needed(case.request.get("object"), shipped)))


def _needed(workload: object, catalog: Catalog) -> Iterator[Mapping[str, Any]]:
    """The mapping that fits a workload, those of what it embeds, and so on, each once and the workload's first."""
    kinds = list(_kinds(workload))
    seen: set[str] = set()
    while kinds:
        api_version, kind = kinds.pop(0)
        try:
            document = catalog.find(api_version, kind).document
        except NoMappingError:
            continue
        name = document["metadata"]["name"]
        if name not in seen:
            seen.add(name)
            yield document
            kinds += _kinds(document["spec"])


def _kinds(value: object) -> Iterator[tuple[str, str]]:
    """Every pair of API version and kind in a value, the outermost first."""
    if isinstance(value, dict):
        api_version, kind = value.get("apiVersion"), value.get("kind")
        if isinstance(api_version, str) and isinstance(kind, str):
            yield api_version, kind
        for inner in value.values():
            yield from _kinds(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _kinds(inner)

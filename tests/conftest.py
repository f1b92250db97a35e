"""What tests share: the data that lies beside a checkout of this project, where somebody has put it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.conformance.suite import SuiteCase, load_suite

if TYPE_CHECKING:
    from workloadmap_spec.cases import Case


@cache
def whole_suite() -> tuple[SuiteCase, ...]:
    """The shipped suite, which takes seconds to load: once for all tests, which leave it as it is."""
    return tuple(load_suite())


@cache
def catalog_cases() -> tuple[Case, ...]:
    """The cases of the catalogue."""
    return tuple(entry.case for entry in whole_suite() if entry.profile == "catalog")


def shipped_kinds() -> set[tuple[str, str]]:
    """API version and kind of everything that the shipped mappings read."""
    return {
        (f"{mapping.group}/{version}" if mapping.group else version, mapping.kind)
        for mapping in Catalog.builtin().mappings()
        for version in mapping.versions
    }


def small_mapping(spec: str, kind: str = "Thing") -> dict[str, Any]:
    """A mapping of a kind of x.example/v1 with this `spec`, which is YAML."""
    return {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadMapping",
        "metadata": {"name": kind.lower()},
        "spec": {"workload": {"group": "x.example", "versions": ["v1"], "kind": kind}, **yaml.safe_load(spec)},
    }


def shared_dir() -> Path | None:
    """Give the folder of shared data beside the checkout, or None where there is none."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data; tests that need it are skipped where it is absent."""
    folder = shared_dir()
    if folder is None:
        pytest.skip("there is no folder of shared data beside the checkout")
    return folder

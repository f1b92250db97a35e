"""What tests share: the data that lies beside a checkout of this project, where somebody has put it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.conformance.suite import SuiteCase, load_suite
from workloadmap_spec.crd import Kinds, load_kinds
from workloadmap_spec.mapping import api_version_of

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        (api_version_of(mapping.group, version), mapping.kind)
        for mapping in Catalog.builtin().mappings()
        for version in mapping.versions
    }


#: The beginning of the text of a mapping, of a kind of x.example/v1.
HEAD: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: demo}
spec:
  workload: {group: x.example, versions: [v1], kind: Thing}
""".lstrip()


def small_mapping(spec: str, kind: str = "Thing") -> dict[str, Any]:
    """A mapping of a kind of x.example/v1 with this `spec`, which is YAML."""
    return {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadMapping",
        "metadata": {"name": kind.lower()},
        "spec": {"workload": {"group": "x.example", "versions": ["v1"], "kind": kind}, **yaml.safe_load(spec)},
    }


def definition(
    kind: str, objects: Mapping[str, Mapping[str, Any]], group: str = "example.org", *, has_status: bool = False
) -> dict[str, Any]:
    """A CustomResourceDefinition: for each version the schemas of the fields of an object.

    Args:
        kind: The kind.
        objects: The schemas by version.
        group: The group.
        has_status: Whether the status is a subresource.
    """
    subresources: dict[str, Any] = {"subresources": {"status": {}}} if has_status else {}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": index == 0,
                    **subresources,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
                }
                for index, (version, properties) in enumerate(objects.items())
            ],
        },
    }


def two_widgets(identity: str, title: str, spec: str, instance: str) -> str:
    """The text of a case of a Widget of x.example/v1 that has two pods.

    Args:
        identity: The id of the case.
        title: Its title.
        spec: The spec of the Widget, which is YAML in braces.
        instance: What its only instance has beside the counts, which is YAML without braces.
    """
    return f"""
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: {identity}
title: {title}
object:
  apiVersion: x.example/v1
  kind: Widget
  spec: {spec}
expect:
  outcome: ok
  document:
    apiVersion: workloadmap.dev/v1alpha1
    kind: WorkloadMap
    workload: {{apiVersion: x.example/v1, kind: Widget}}
    mapping: {{name: widget}}
    components:
    - name: main
      instances:
      - {{id: main, replicas: 2, pods: 2, minPods: 2, {instance}}}
    totals: {{pods: 2}}
""".lstrip()


def shared_dir() -> Path | None:
    """Give the folder of shared data beside the checkout, or None where there is none."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    return folder if folder.is_dir() else None


@cache
def upstream_kinds() -> Kinds:
    """The kinds of the definitions in the shared data, which take seconds to read; the built-in ones without it."""
    folder = shared_dir()
    return Kinds() if folder is None else load_kinds(sorted(folder.glob("upstream/*/crds")))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data; tests that need it are skipped where it is absent."""
    folder = shared_dir()
    if folder is None:
        pytest.skip("there is no folder of shared data beside the checkout")
    return folder

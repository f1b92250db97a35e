"""The definition of WorkloadMapping for a cluster: it keeps every mapping, and refuses what is plainly wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from workloadmap_spec import Catalog
from workloadmap_spec.cli import main
from workloadmap_spec.crd.own import mapping_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a structural schema may have (apiextensions.k8s.io/v1, JSONSchemaProps), of what we use.
KEYWORDS = {
    *("additionalProperties", "description", "enum", "items", "maxItems", "maxLength", "maximum", "minItems"),
    *("minLength", "minimum", "pattern", "properties", "required", "type", "x-kubernetes-preserve-unknown-fields"),
}


def schema() -> dict[str, Any]:
    """The schema of the definition."""
    (version,) = mapping_definition()["spec"]["versions"]
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


def nodes(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all below it."""
    yield part
    for child in (*part.get("properties", {}).values(), part.get("items"), part.get("additionalProperties")):
        if isinstance(child, dict):
            yield from nodes(child)


def test_the_schema_is_structural() -> None:
    """Each part has a type or keeps everything; lists say what is in them (kubernetes.io, structural schemas)."""
    for part in nodes(schema()):
        assert part.keys() <= KEYWORDS
        assert "type" in part or part == {"x-kubernetes-preserve-unknown-fields": True}
        assert ("items" in part) is (part.get("type") == "array")
        assert not {"properties", "additionalProperties"} <= part.keys()


@pytest.mark.parametrize("mapping", Catalog.builtin().mappings(), ids=lambda mapping: mapping.name)
def test_every_shipped_mapping_fits(mapping: Any) -> None:  # noqa: ANN401 - a compiled mapping
    assert list(Draft202012Validator(schema()).iter_errors(mapping.document)) == []


@pytest.mark.parametrize(
    "spec",
    [None, {"workload": {"group": "x.example", "kind": "Thing"}}, {"workload": 1}, {"components": {}}],
    ids=["nothing", "no versions", "a number for a map", "a map for a list"],
)
def test_what_is_plainly_wrong_does_not_fit(spec: object) -> None:
    assert list(Draft202012Validator(schema()).iter_errors({"spec": spec}))


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "crd"]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == mapping_definition()


def test_the_role_has_what_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mappings", "rbac", "JobSet", "trainjob", "core/Pod"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert {(rule["apiGroups"][0], *rule["resources"]) for rule in yaml.safe_load(out)["rules"]} == {
        ("", "pods"),
        ("jobset.x-k8s.io", "jobsets"),
        ("trainer.kubeflow.org", "clustertrainingruntimes", "trainingruntimes", "trainjobs"),
    }
    assert main(["mappings", "rbac"]) == 0
    out, err = capsys.readouterr()
    assert len(yaml.safe_load(out)["rules"]) > 30
    assert main(["mappings", "rbac", "Nobody"]) == 2
    assert capsys.readouterr().err == (
        "error: there is no mapping `Nobody`\n  `workloadmap mappings list` shows what there is\n"
    )

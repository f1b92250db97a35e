"""`workloadmap new`: what it writes, where, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.conftest import definition
from workloadmap_spec.cli import main

CONTAINER: Final = {"type": "object", "properties": {"name": {"type": "string"}, "image": {"type": "string"}}}
POD: Final = {"type": "object", "properties": {"containers": {"type": "array", "items": CONTAINER}}}
TEMPLATE: Final = {"type": "object", "properties": {"spec": POD}}
REPLICAS: Final = {"type": "integer", "default": 3}
OBJECT: Final = {"spec": {"type": "object", "properties": {"template": TEMPLATE, "replicas": REPLICAS}}}


@pytest.fixture
def crd(tmp_path: Path) -> str:
    """A file with the definition of an invented kind."""
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(definition("Ensemble", {"v1": OBJECT, "v2": OBJECT})), encoding="utf-8")
    return str(file)


def test_the_mapping_is_printed(crd: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "example.org/v1/Ensemble", "--crd", crd]) == 0
    text = capsys.readouterr().out
    assert "versions: [v1], kind: Ensemble" in text
    assert "replicas: {value: object.spec.replicas, default: 3}" in text
    assert "podTemplate: object.spec.template" in text


def test_the_stored_version_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The order of a definition's versions says nothing: controller-gen sorts them by name."""
    document = definition("Ensemble", {"v1": OBJECT, "v1alpha1": OBJECT, "v2": OBJECT})
    file = tmp_path / "crd.yaml"
    for stored in ("v1", "v1alpha1", "v2"):
        for version in document["spec"]["versions"]:
            version["storage"] = version["name"] == stored
        file.write_text(yaml.safe_dump(document), encoding="utf-8")
        assert main(["new", "example.org/Ensemble", "--crd", str(file)]) == 0
        assert f"versions: [{stored}]" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["v1/ReplicationController", "apps/v1/DaemonSet", "apps/ReplicaSet"])
def test_built_in_kinds_need_no_definition(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", kind]) == 0
    assert "podTemplate: object.spec.template" in capsys.readouterr().out


def test_mapping_and_case_are_written_and_pass(crd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands that the message names succeed; nothing is replaced unless that is asked for."""
    target = tmp_path / "ensemble.yaml"
    case = tmp_path / "ensemble.case.yaml"
    assert main(["new", "example.org/v1/Ensemble", "--crd", crd, "-o", str(target)]) == 0
    output = capsys.readouterr()
    assert output.out == ""
    assert f"workloadmap validate {target} --crd {crd}" in output.err
    assert f"workloadmap test -m {target} {case}" in output.err
    assert main(["validate", str(target), "--crd", crd, "--fail-level", "note"]) == 0
    assert main(["test", "-m", str(target), str(case)]) == 0
    capsys.readouterr()
    assert main(["new", "apps/v1/Deployment", "-o", str(target)]) == 2
    assert f"{target} exists" in capsys.readouterr().err
    assert "kind: Ensemble" in target.read_text(encoding="utf-8")
    assert main(["new", "apps/v1/Deployment", "-o", str(target), "--force"]) == 0
    assert "kind: Deployment" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Ensemble", "write GROUP/VERSION/KIND"),
        ("a/b/c/d", "write GROUP/VERSION/KIND"),
        ("example.org//Ensemble", "write GROUP/VERSION/KIND"),
        ("example.org/v3/Ensemble", "its versions are v1, v2"),
        ("example.net/v1/Orchestra", "these are there: example.org/v1/Ensemble"),
        ("example.org/v2/ensemble", "did you mean example.org/v2/Ensemble?"),
        ("example.com/v9/Ensembles", "did you mean example.org/v1/Ensemble?"),
    ],
)
def test_unknown_kinds(crd: str, kind: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", kind, "--crd", crd]) == 2
    assert said in capsys.readouterr().err


def test_a_kind_that_is_not_built_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "example.org/v1/Ensemble"]) == 2
    assert "name its CustomResourceDefinition with --crd" in capsys.readouterr().err


def test_a_file_without_definitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text("kind: ConfigMap\n", encoding="utf-8")
    assert main(["new", "example.org/v1/Ensemble", "--crd", str(file)]) == 2
    assert "there is no CustomResourceDefinition in this file" in capsys.readouterr().err


def test_definitions_of_other_kinds_are_read_for_the_list_of_them_only(
    crd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.yaml").write_text("kind: CustomResourceDefinition\nspec: [\n", encoding="utf-8")
    folder = str(Path(crd).parent)
    assert main(["new", "example.org/v1/Ensemble", "--crd", folder]) == 0
    assert main(["new", "example.org/v1/Orchestra", "--crd", folder]) == 2
    assert "other.yaml:3:1: not YAML" in capsys.readouterr().err


def test_a_place_that_cannot_be_written(crd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "example.org/v1/Ensemble", "--crd", crd, "-o", str(tmp_path / "no" / "m.yaml")]) == 3
    assert "cannot be written" in capsys.readouterr().err


def test_a_mapping_does_not_get_the_name_of_a_case(
    crd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "ensemble.case.yaml"
    assert main(["new", "example.org/v1/Ensemble", "--crd", crd, "-o", str(target)]) == 2
    assert "write ensemble.yaml" in capsys.readouterr().err
    assert not target.exists()

"""The table of core types is complete, current, and quick to load."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec import core_types

if TYPE_CHECKING:
    from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[1]
SCRIPT = REPOSITORY / "tools" / "core_types.py"

DOCUMENT: dict[str, Any] = json.loads((REPOSITORY / "schema" / "v1alpha1" / "core-types.json").read_text("utf-8"))
TYPES: dict[str, Any] = DOCUMENT["types"]
SCALARS = {"string", "integer", "boolean", "time", "quantity", "intOrString", "any"}
FIELDS = [(name, field, form) for name, each in TYPES.items() for field, form in each["fields"].items()]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """Load the script that writes the table, if it can run here."""
    pytest.importorskip("kubernetes", reason="the generator needs the Python client of Kubernetes")
    spec = importlib.util.spec_from_file_location("generate_core_types", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.client_kubernetes_version() != DOCUMENT["kubernetesVersion"]:
        pytest.skip(f"the client is of another version than Kubernetes {DOCUMENT['kubernetesVersion']}")
    return module


def run(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the script in this process."""
    monkeypatch.setattr(sys, "argv", [SCRIPT.name, *arguments])
    code: int = module.main()
    return code


def test_the_table_is_current(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tools/core_types.py --check` finds nothing to do."""
    assert run(generator, monkeypatch, "--check") == 0, capsys.readouterr().err


@pytest.mark.parametrize("content", [None, "", "{}\n"], ids=["missing", "empty", "other"])
def test_a_table_that_is_not_current_is_found_and_written(
    generator: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    content: str | None,
) -> None:
    """Checking changes nothing; writing gives the bytes of the repository."""
    target = tmp_path / "core-types.json"
    if content is not None:
        target.write_text(content, "utf-8")
    monkeypatch.setattr(generator, "TARGET", target)
    assert run(generator, monkeypatch, "--check") == 1
    assert capsys.readouterr().err == "error: core-types.json is not current\n  run python tools/core_types.py\n"
    assert (target.read_text("utf-8") if target.exists() else None) == content
    assert run(generator, monkeypatch) == 0
    assert target.read_bytes() == (REPOSITORY / "schema" / "v1alpha1" / "core-types.json").read_bytes()
    assert run(generator, monkeypatch, "--check") == 0


def test_a_client_of_another_version_is_refused(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is pinned to one version."""
    monkeypatch.setattr(generator, "KUBERNETES_VERSION", "1.9")
    assert run(generator, monkeypatch, "--check") == 2
    assert capsys.readouterr().err == (
        "error: the client is of Kubernetes 1.37, the table of 1.9\n  pip install 'kubernetes==9.*'\n"
    )


@pytest.mark.parametrize(
    "table", [("_TYPES", ("PodSpec", "gone"), {"type": "quantity"}), ("_MERGE_KEYS", "PodSpec", {"hostname": "name"})]
)
def test_a_hand_written_entry_that_fits_nothing_is_an_error(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, table: tuple[str, Any, dict[str, str]]
) -> None:
    """A field that Kubernetes removes must not stay in the tables of the script."""
    name, key, entry = table
    monkeypatch.setitem(getattr(generator, name), key, entry)
    with pytest.raises(SystemExit, match="the client has no such fields any more"):
        generator.table()


def test_the_document_says_what_it_is() -> None:
    """A reader in another language has only the file."""
    assert list(DOCUMENT) == ["description", "kubernetesVersion", "generatedBy", "types"]
    assert DOCUMENT["generatedBy"] == "tools/core_types.py"
    assert list(TYPES) == sorted(TYPES)
    for name in SCALARS | {"list", "map"}:
        assert name in DOCUMENT["description"]


@pytest.mark.parametrize(
    "name",
    [
        "Container",
        "EphemeralContainer",
        "ObjectMeta",
        "Pod",
        "PodSpec",
        "PodStatus",
        "PodTemplateSpec",
        "Probe",
        "ResourceRequirements",
        "Volume",
    ],
)
def test_the_types_of_a_pod_are_there(name: str) -> None:
    """Each with fields."""
    assert TYPES[name]["fields"]


def test_every_type_that_is_mentioned_is_described() -> None:
    """The table is closed."""
    for _, _, form in FIELDS:
        element = {"list": "items", "map": "values"}.get(form["type"])
        assert set(form) == ({"type", element} if element else {"type"})
        assert form[element or "type"] in SCALARS | set(TYPES)


def test_required_fields_and_merge_keys_exist() -> None:
    """A merge key is a field of the elements of a list."""
    for each in TYPES.values():
        assert set(each.get("required", [])) <= set(each["fields"])
        for field, key in each.get("mergeKeys", {}).items():
            assert each["fields"][field]["type"] == "list"
            assert key in TYPES[each["fields"][field]["items"]]["fields"]


@pytest.mark.parametrize(
    ("name", "field", "form"),
    [
        ("PodTemplateSpec", "metadata", {"type": "ObjectMeta"}),
        ("PodTemplateSpec", "spec", {"type": "PodSpec"}),
        ("PodSpec", "containers", {"type": "list", "items": "Container"}),
        ("PodSpec", "nodeSelector", {"type": "map", "values": "string"}),
        ("PodSpec", "hostNetwork", {"type": "boolean"}),
        ("PodSpec", "affinity", {"type": "Affinity"}),
        ("PodSpec", "priority", {"type": "integer"}),
        ("PodSpec", "overhead", {"type": "map", "values": "quantity"}),
        ("PodSpec", "resources", {"type": "ResourceRequirements"}),
        ("Container", "command", {"type": "list", "items": "string"}),
        ("Probe", "exec", {"type": "ExecAction"}),
        ("HTTPGetAction", "port", {"type": "intOrString"}),
        ("TCPSocketAction", "port", {"type": "intOrString"}),
        ("GRPCAction", "port", {"type": "integer"}),
        ("EmptyDirVolumeSource", "sizeLimit", {"type": "quantity"}),
        ("ResourceFieldSelector", "divisor", {"type": "quantity"}),
        ("ResourceRequirements", "limits", {"type": "map", "values": "quantity"}),
        ("ResourceRequirements", "claims", {"type": "list", "items": "ResourceClaim"}),
        ("ObjectMeta", "creationTimestamp", {"type": "time"}),
        ("ObjectMeta", "labels", {"type": "map", "values": "string"}),
        ("ManagedFieldsEntry", "fieldsV1", {"type": "any"}),
        ("PodCondition", "lastTransitionTime", {"type": "time"}),
    ],
)
def test_a_field_has_the_type_that_objects_have(name: str, field: str, form: dict[str, str]) -> None:
    """The types are those of objects, not of a programming language."""
    assert TYPES[name]["fields"][field] == form


def test_every_resource_list_is_of_quantities() -> None:
    """The client calls them maps of strings; by their names they can be told."""
    names = {"limits", "requests", "overhead", "allocatedResources", "capacity"}
    maps = [(name, field, form) for name, field, form in FIELDS if field in names and form["type"] == "map"]
    assert maps
    assert all(form["values"] == "quantity" for _, _, form in maps)


def test_only_containers_are_required_of_a_pod_spec() -> None:
    """Everything else has a default."""
    assert TYPES["PodSpec"]["required"] == ["containers"]
    assert TYPES["Container"]["required"] == ["name"]


def test_pod_spec_fields_are_those_of_a_pod_spec() -> None:
    """Among them those that operators inline, and none of their own."""
    names = core_types.pod_spec_fields()
    assert names == set(TYPES["PodSpec"]["fields"])
    assert {"containers", "initContainers", "nodeSelector", "tolerations", "schedulingGates", "hostPID"} <= names
    assert not names & {"replicas", "containerConcurrency", "image", "metadata", "template"}


def test_container_fields_are_those_of_a_container() -> None:
    """Not those of a pod."""
    names = core_types.container_fields()
    assert names == core_types.fields("Container") == set(TYPES["Container"]["fields"])
    assert {"name", "image", "env", "resources", "volumeMounts", "restartPolicy"} <= names
    assert not names & {"containers", "nodeSelector", "targetContainerName"}


@pytest.mark.parametrize(
    ("name", "field", "key"),
    [
        ("PodSpec", "containers", "name"),
        ("PodSpec", "initContainers", "name"),
        ("PodSpec", "ephemeralContainers", "name"),
        ("PodSpec", "volumes", "name"),
        ("PodSpec", "imagePullSecrets", "name"),
        ("PodSpec", "hostAliases", "ip"),
        ("PodSpec", "topologySpreadConstraints", "topologyKey"),
        ("PodSpec", "schedulingGates", "name"),
        ("PodSpec", "resourceClaims", "name"),
        ("Container", "env", "name"),
        ("Container", "ports", "containerPort"),
        ("Container", "volumeMounts", "mountPath"),
        ("Container", "volumeDevices", "devicePath"),
        ("ObjectMeta", "ownerReferences", "uid"),
        ("PodStatus", "conditions", "type"),
        ("PodSpec", "tolerations", None),
        ("PodSpec", "readinessGates", None),
        ("Container", "envFrom", None),
        ("Container", "args", None),
        ("Volume", "configMap", None),
        ("PodSpec", "noSuchField", None),
    ],
)
def test_lists_are_merged_as_kubernetes_merges_them(name: str, field: str, key: str | None) -> None:
    """By the `patchMergeKey` of the API, or as a whole."""
    assert core_types.merge_key(name, field) == key


def test_importing_the_module_reads_no_file() -> None:
    """A command that needs no table does not load one."""
    program = (
        "import pathlib\n"
        "def refuse(self, *rest, **named): raise AssertionError(self)\n"
        "pathlib.Path.read_bytes = pathlib.Path.read_text = refuse\n"
        "from workloadmap_spec import core_types\n"
        "try: core_types.pod_spec_fields()\n"
        "except AssertionError as error: print(pathlib.Path(str(error)).name)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=60
    )
    assert (result.returncode, result.stdout) == (0, "core-types.json\n"), result.stderr

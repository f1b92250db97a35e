"""The table of core types is complete, current, and quick to load."""

from __future__ import annotations

import importlib.util
import json
import re
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
    "table",
    [
        ("_TYPES", ("PodSpec", "gone"), {"type": "quantity"}),
        ("_MERGE_KEYS", "PodSpec", {"hostname": "name"}),
        ("_ENUMS", "PodSpec", {"gone": ("A", "B")}),
        ("_DEFAULTS", "JobSpec", {"gone": 1}),
        ("_DEFAULTS", "NoSuchType", {"replicas": 1}),
    ],
)
def test_a_hand_written_entry_that_fits_nothing_is_an_error(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, table: tuple[str, Any, dict[str, Any]]
) -> None:
    """A field that Kubernetes removes must not stay in the tables of the script."""
    name, key, entry = table
    monkeypatch.setitem(getattr(generator, name), key, entry)
    with pytest.raises(SystemExit, match="the client has no such fields any more"):
        generator.table()


def test_the_document_says_what_it_is() -> None:
    """A reader in another language has only the file."""
    assert list(DOCUMENT) == ["description", "kubernetesVersion", "generatedBy", "kinds", "types"]
    assert DOCUMENT["generatedBy"] == "tools/core_types.py"
    assert list(TYPES) == sorted(TYPES)
    for name in SCALARS | {"list", "map", "`kinds`", "`required`", "`mergeKeys`", "`enums`", "`defaults`"}:
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
        ("DeploymentSpec", "replicas", {"type": "integer"}),
        ("DeploymentSpec", "template", {"type": "PodTemplateSpec"}),
        ("RollingUpdateDeployment", "maxSurge", {"type": "intOrString"}),
        ("RollingUpdateStatefulSetStrategy", "maxUnavailable", {"type": "intOrString"}),
        ("PodDisruptionBudgetSpec", "minAvailable", {"type": "intOrString"}),
        ("ServicePort", "targetPort", {"type": "intOrString"}),
        ("ServicePort", "port", {"type": "integer"}),
        ("Secret", "data", {"type": "map", "values": "string"}),
        ("NodeStatus", "allocatable", {"type": "map", "values": "quantity"}),
        ("V2MetricTarget", "averageValue", {"type": "quantity"}),
        ("V2MetricTarget", "averageUtilization", {"type": "integer"}),
        ("JobStatus", "completedIndexes", {"type": "string"}),
        ("JobStatus", "startTime", {"type": "time"}),
        ("CronJobStatus", "lastScheduleTime", {"type": "time"}),
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


KINDS = [(version, kind) for version, kinds in DOCUMENT["kinds"].items() for kind in kinds]
STRING = {"type": "string"}


@pytest.mark.parametrize(("version", "kind"), KINDS)
def test_a_kind_is_an_object_of_the_api(version: str, kind: str) -> None:
    """It has a type of its own, with the three fields that every object has."""
    name = core_types.kind_type(version, kind)
    assert name is not None
    fields = core_types.type_record(name)["fields"]
    assert fields["apiVersion"] == fields["kind"] == STRING
    assert fields["metadata"] == {"type": "ObjectMeta"}


# A Scale is no resource of its own: other kinds give one.
@pytest.mark.parametrize(("version", "kind"), [each for each in KINDS if each[1] != "Scale"])
def test_the_client_serves_a_kind_in_that_group_and_version(version: str, kind: str) -> None:
    """The client has an API of the group and version, and a call that reads the kind from it."""
    client = pytest.importorskip("kubernetes.client", reason="the calls are those of the Python client of Kubernetes")
    group, _, number = version.rpartition("/")
    stem = "".join(part.capitalize() for part in (group or "core").removesuffix(".k8s.io").split("."))
    api = getattr(client, f"{stem}{number[0].upper()}{number[1:]}Api")
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", kind).lower()
    assert any(hasattr(api, call) for call in (f"read_namespaced_{snake}", f"read_{snake}"))


def test_no_two_kinds_share_a_type() -> None:
    """A name of a type is unambiguous."""
    names = [name for kinds in DOCUMENT["kinds"].values() for name in kinds.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("version", "kind", "name"),
    [
        ("v1", "Pod", "Pod"),
        ("apps/v1", "Deployment", "Deployment"),
        ("apps/v1", "StatefulSet", "StatefulSet"),
        ("batch/v1", "Job", "Job"),
        ("autoscaling/v1", "HorizontalPodAutoscaler", "HorizontalPodAutoscaler"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "V2HorizontalPodAutoscaler"),
        ("scheduling.k8s.io/v1beta1", "PodGroup", "V1beta1PodGroup"),
        ("apps/v1beta1", "Deployment", None),
        ("apps/v1", "Pod", None),
        ("v1", "Deployment", None),
        ("v1", "PodSpec", None),
        ("", "", None),
    ],
)
def test_a_kind_is_known_in_its_version_only(version: str, kind: str, name: str | None) -> None:
    """Kinds of another group or version, and types that are no kinds, are not found."""
    assert core_types.kind_type(version, kind) == name


def test_a_record_of_an_unknown_type_is_an_error() -> None:
    """Types are named by this package."""
    with pytest.raises(KeyError):
        core_types.type_record("NoSuchType")


def test_members_of_a_record_are_known() -> None:
    """A reader in another language knows them all from the description."""
    members = {member for each in TYPES.values() for member in each}
    assert members == {"fields", "required", "mergeKeys", "enums", "defaults"}


def test_enums_are_of_strings() -> None:
    """Each names a field that holds a string or strings, has values, and none of them twice."""
    for each in TYPES.values():
        for field, values in each.get("enums", {}).items():
            assert each["fields"][field] in (STRING, {"type": "list", "items": "string"})
            assert len(values) == len(set(values)) > 1
            assert all(isinstance(value, str) for value in values)


def fits(value: object, form: dict[str, str]) -> bool:
    """Whether a value has the JSON type of a field."""
    kind = form["type"]
    if kind == "list":
        return isinstance(value, list) and all(fits(each, {"type": form["items"]}) for each in value)
    if kind in TYPES:
        fields = TYPES[kind]["fields"]
        return isinstance(value, dict) and all(name in fields and fits(value[name], fields[name]) for name in value)
    if kind == "intOrString":
        return isinstance(value, (int, str)) and not isinstance(value, bool)
    python = {"boolean": bool, "integer": int, "map": dict, "string": str}[kind]
    return isinstance(value, python) and isinstance(value, bool) == (kind == "boolean")


def test_defaults_fit_their_fields() -> None:
    """Each has the type of its field, is one of its enum, and is of a field that need not be written."""
    for name, each in TYPES.items():
        for field, value in each.get("defaults", {}).items():
            assert fits(value, each["fields"][field]), (name, field)
            assert value in each.get("enums", {}).get(field, [value]), (name, field)


@pytest.mark.parametrize(
    ("name", "field", "values"),
    [
        ("JobSpec", "completionMode", {"Indexed", "NonIndexed"}),
        ("DeploymentStrategy", "type", {"Recreate", "RollingUpdate"}),
        ("StatefulSetSpec", "podManagementPolicy", {"OrderedReady", "Parallel"}),
        ("DaemonSetUpdateStrategy", "type", {"RollingUpdate", "OnDelete"}),
        ("CronJobSpec", "concurrencyPolicy", {"Allow", "Forbid", "Replace"}),
        ("PodSpec", "restartPolicy", {"Always", "OnFailure", "Never"}),
        ("PodStatus", "phase", {"Pending", "Running", "Succeeded", "Failed", "Unknown"}),
        ("PodCondition", "status", {"True", "False", "Unknown"}),
        ("Condition", "status", {"True", "False", "Unknown"}),
        ("PodCondition", "type", None),
        ("JobCondition", "type", None),
        ("Secret", "type", None),
    ],
)
def test_fields_of_fixed_values_have_them(name: str, field: str, values: set[str] | None) -> None:
    """What others may add values to has no enum."""
    found = TYPES[name].get("enums", {}).get(field)
    assert (None if found is None else set(found)) == values


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("DeploymentSpec", {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "strategy": {}}),
        ("DeploymentStrategy", {"type": "RollingUpdate"}),
        ("ReplicaSetSpec", {"replicas": 1}),
        ("JobSpec", {"completionMode": "NonIndexed", "manualSelector": False, "parallelism": 1, "suspend": False}),
        ("JobTemplateJobSpec", None),
        ("JobStatus", None),
        ("Pod", None),
        ("PriorityClass", {"preemptionPolicy": "PreemptLowerPriority"}),
    ],
)
def test_defaults_are_what_the_api_server_fills_in(name: str, defaults: dict[str, Any] | None) -> None:
    """Without what depends on other fields: the completions and the backoff limit of a Job do."""
    assert core_types.type_record(name).get("defaults") == defaults


def test_the_template_of_a_cron_job_is_not_filled_in_as_a_job_is() -> None:
    """It has the same fields, and no defaults."""
    template, job = TYPES["JobTemplateJobSpec"], TYPES["JobSpec"]
    assert TYPES["JobTemplateSpec"]["fields"]["spec"] == {"type": "JobTemplateJobSpec"}
    assert TYPES["Job"]["fields"]["spec"] == {"type": "JobSpec"}
    assert template == {key: value for key, value in job.items() if key != "defaults"}


def test_nothing_is_of_any_type_but_what_holds_anything() -> None:
    """Where the client knows no better, the script does."""
    loose = {(name, field) for name, field, form in FIELDS if "any" in form.values() and form["type"] != "map"}
    assert loose == {
        ("AllocatedDeviceStatus", "data"),
        ("ControllerRevision", "data"),
        ("ManagedFieldsEntry", "fieldsV1"),
        ("OpaqueDeviceConfiguration", "parameters"),
    }


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

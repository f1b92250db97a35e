"""`workloadmap new`: a mapping guessed from a schema keeps the schema, and guesses right more often than not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.conftest import catalog_cases, definition, upstream_kinds
from workloadmap_spec.cases import load_cases, reference_reader, run_case
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.compiler import examine
from workloadmap_spec.crd import Kinds, check_against, load_kinds
from workloadmap_spec.documents import load_text
from workloadmap_spec.scaffold import Scaffold, scaffold
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

BUILT_IN: Final = (
    *(("apps", "v1", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")),
    *(("batch", "v1", kind) for kind in ("Job", "CronJob")),
    *(("", "v1", kind) for kind in ("Pod", "PodTemplate", "ReplicationController", "ConfigMap", "Service")),
)


def crd(tmp_path: Path, spec: str, status: str = "{type: object}") -> Kinds:
    """The definition of an invented kind, whose spec and status are given."""
    file = tmp_path / "crd.yaml"
    objects = {"v1": {"spec": yaml.safe_load(spec), "status": yaml.safe_load(status)}}
    file.write_text(yaml.safe_dump(definition("Ensemble", objects), sort_keys=False), encoding="utf-8")
    return load_kinds([file])


TEMPLATE: Final = (
    "{type: object, properties: {metadata: {type: object}, spec: {type: object, properties: {containers: {type: array, "
    "items: {type: object, properties: {name: {type: string}, image: {type: string}}}}}}}}"
)


def made(kinds: Kinds, group: str = "example.org", version: str = "v1", kind: str = "Ensemble") -> Scaffold:
    """The scaffold for a kind."""
    root = kinds.root(group, version, kind)
    assert root is not None
    return scaffold(group, version, kind, root)


def mapping_of(text: str) -> Mapping[str, Any]:
    """The mapping in a text."""
    (document,) = load_text(text, "m.yaml")
    value: Mapping[str, Any] = document.value
    return value


def problems(text: str, kinds: Kinds) -> list[str]:
    """What is wrong with a mapping, by itself and against the schema of its kind."""
    mapping = mapping_of(text)
    found = [problem.message for problem in schema_problems(mapping, "WorkloadMapping")]
    if found:
        return found
    examined = examine(mapping)
    if examined.compiled is None:
        return [str(error) for error in examined.problems]
    checked = check_against(examined.compiled, kinds)
    assert checked.checked
    return [f"{problem.rule} {problem.at}: {problem.message}" for problem in checked.problems]


def case_passes(tmp_path: Path, result: Scaffold) -> bool:
    """Whether the first case of a scaffold passes with its mapping."""
    mapping, case = tmp_path / "m.yaml", tmp_path / "m.case.yaml"
    mapping.write_text(result.mapping, encoding="utf-8")
    case.write_text(result.case, encoding="utf-8")
    (loaded,) = load_cases([case])
    return run_case(loaded, reference_reader(Catalog.load([mapping]))).passed


@pytest.mark.parametrize(("group", "version", "kind"), BUILT_IN)
def test_built_in_kinds(tmp_path: Path, group: str, version: str, kind: str) -> None:
    """Each gives a mapping without problems, and a case that passes."""
    result = made(Kinds(), group, version, kind)
    assert problems(result.mapping, Kinds()) == []
    assert case_passes(tmp_path, result)


def test_a_list_of_groups(tmp_path: Path) -> None:
    """A list of named elements with a template and a count is a component with `forEach`."""
    group = f"{{type: object, required: [name], properties: {{name: {{type: string}}, template: {TEMPLATE}, "
    group += "replicas: {type: integer, default: 2}, minReplicas: {type: integer}, maxReplicas: {type: integer}}}"
    kinds = crd(tmp_path, f"{{type: object, properties: {{workerGroupSpecs: {{type: array, items: {group}}}}}}}")
    result = made(kinds)
    assert problems(result.mapping, kinds) == []
    assert mapping_of(result.mapping)["spec"]["components"] == [
        {
            "name": "worker-group",
            "forEach": "object.spec.workerGroupSpecs",
            "instance": "item.name",
            "replicas": {"value": "item.replicas", "default": 2},
            "minReplicas": "item.minReplicas",
            "maxReplicas": "item.maxReplicas",
            "podTemplate": "item.template",
        }
    ]
    assert case_passes(tmp_path, result)


def test_a_map_of_roles(tmp_path: Path) -> None:
    """A map with free keys is visited too, and its keys name the instances; a name of CEL's is quoted."""
    role = f"{{type: object, properties: {{template: {TEMPLATE}, in: {{type: integer}}}}}}"
    kinds = crd(tmp_path, f"{{type: object, properties: {{in: {{type: object, additionalProperties: {role}}}}}}}")
    result = made(kinds)
    assert problems(result.mapping, kinds) == []
    (component,) = mapping_of(result.mapping)["spec"]["components"]
    assert (component["forEach"], component["instance"]) == ('object.spec["in"]', "key")
    assert component["replicas"] == 1
    assert case_passes(tmp_path, result)


def test_jobs_in_a_list(tmp_path: Path) -> None:
    """What is in the template of a Job is counted twice: copies of the Job, and pods of each."""
    inner = f"{{type: object, properties: {{parallelism: {{type: integer}}, template: {TEMPLATE}}}}}"
    job = f"{{type: object, properties: {{spec: {inner}}}}}"
    part = f"{{type: object, properties: {{replicas: {{type: integer}}, jobTemplate: {job}}}}}"
    kinds = crd(tmp_path, f"{{type: object, properties: {{jobs: {{type: array, items: {part}}}}}}}")
    (component,) = mapping_of(made(kinds).mapping)["spec"]["components"]
    assert component["replicas"]["value"] == "item.replicas"
    assert component["podsPerReplica"]["value"] == "item.jobTemplate.spec.parallelism"
    assert component["podTemplate"] == "item.jobTemplate.spec.template"
    assert "instance" not in component


def test_groups_in_groups(tmp_path: Path) -> None:
    """A list in a list is a component in a component; two templates of one name are told apart."""
    inner = f"{{type: array, items: {{type: object, properties: {{name: {{type: string}}, template: {TEMPLATE}}}}}}}"
    outer = f"{{type: object, properties: {{name: {{type: string}}, roles: {inner}, template: {TEMPLATE}}}}}"
    kinds = crd(tmp_path, f"{{type: object, properties: {{roles: {{type: array, items: {outer}}}}}}}")
    result = made(kinds)
    assert problems(result.mapping, kinds) == []
    (component,) = mapping_of(result.mapping)["spec"]["components"]
    assert [part["name"] for part in component["components"]] == ["main", "role-2"]
    assert component["components"][1]["forEach"] == "item.roles"
    assert case_passes(tmp_path, result)


@pytest.mark.parametrize(
    "template",
    [
        "{type: object, x-kubernetes-preserve-unknown-fields: true}",
        (
            "{type: object, properties: {metadata: {type: object}, spec: {type: object, "
            "x-kubernetes-preserve-unknown-fields: true}}}"
        ),
    ],
    ids=["as a whole", "its spec"],
)
def test_a_template_that_the_schema_leaves_open(tmp_path: Path, template: str) -> None:
    """Its name alone speaks for it, which a comment says."""
    kinds = crd(tmp_path, f"{{type: object, properties: {{podTemplate: {template}}}}}")
    result = made(kinds)
    assert mapping_of(result.mapping)["spec"]["components"][0]["podTemplate"] == "object.spec.podTemplate"
    assert "guessed from the name alone" in result.mapping
    assert problems(result.mapping, kinds) == []


def test_status_and_suspension(tmp_path: Path) -> None:
    """Words that the schema lists make rules, others are named in a comment; a boolean suspends."""
    policy = "{type: object, properties: {suspend: {type: boolean}}}"
    spec = f"{{type: object, properties: {{template: {TEMPLATE}, runPolicy: {policy}}}}}"
    status = (
        "{type: object, properties: {observedGeneration: {type: integer}, phase: {type: string, enum: [Pending, "
        "Running, Succeeded, Melting]}, conditions: {type: array, items: {type: object, properties: {type: {type: "
        "string, enum: [Failed, Wobbly]}, status: {type: string}}}}}}"
    )
    kinds = crd(tmp_path, spec, status)
    result = made(kinds)
    assert problems(result.mapping, kinds) == []
    mapping = mapping_of(result.mapping)["spec"]
    assert mapping["status"] == {
        "variables": [{"name": "word", "value": "object.status.phase", "default": ""}],
        "rules": [
            {"phase": "Failed", "when": '"Failed" in conditionsTrue', "condition": "Failed"},
            {"phase": "Completed", "when": 'variables.word in ["Succeeded"]'},
            {"phase": "Running", "when": 'variables.word in ["Running"]'},
            {"phase": "Initializing", "when": 'variables.word in ["Pending"]'},
            {"phase": "Initializing", "when": "true"},
        ],
    }
    assert "# not guessed: Melting" in result.mapping
    assert mapping["suspend"]["suspend"] == [{"set": "object.spec.runPolicy.suspend", "to": True}]


def test_a_kind_without_a_template(tmp_path: Path) -> None:
    """Its image is read, and the map says that the rest is not known."""
    kinds = crd(tmp_path, "{type: object, properties: {image: {type: string}}}")
    result = made(kinds)
    (component,) = mapping_of(result.mapping)["spec"]["components"]
    assert component["podFields"] == [{"container": "main", "field": "image", "value": "object.spec.image"}]
    assert [entry["what"] for entry in component["incomplete"]] == ["podTemplate"]
    assert problems(result.mapping, kinds) == []
    assert case_passes(tmp_path, result)


@pytest.mark.usefixtures("shared")
def test_every_recorded_definition(tmp_path: Path) -> None:
    """Each version of each kind gives a mapping without problems, and a case that passes."""
    kinds = upstream_kinds()
    keys = [(one.group, version, one.kind) for one in kinds.definitions.values() for version in one.versions]
    assert len(keys) > 100
    wrong = {}
    for key in keys:
        result = made(kinds, *key)
        found = problems(result.mapping, kinds)
        if found or not case_passes(tmp_path, result):
            wrong[key] = found
    assert wrong == {}


#: The kinds whose templates and counts are guessed where the mapping that comes with the package reads them.
GUESSED: Final = {
    *("Deployment", "Job", "JobSet", "MPIJob", "Pod", "PodCliqueSet", "PyTorchJob", "RayCluster", "RayJob"),
    *("RayService", "SparkApplication", "StatefulSet"),
}


def places(components: Any) -> Iterator[tuple[str, str | None, int | None]]:  # noqa: ANN401 - JSON
    """Of each instance with pods: the place of its PodSpec, the place of its count, and the count."""
    for component in components:
        for instance in component["instances"]:
            yield from places(instance.get("components", ()))
            sources = instance.get("sources", {})
            place = sources.get("podSpec") or (f"{sources['podTemplate']}/spec" if "podTemplate" in sources else None)
            if place is not None:
                yield place, sources.get("replicas"), instance.get("pods")


def agrees(kinds: Kinds) -> Iterator[tuple[str, bool]]:
    """For each kind with a mapping and a schema, whether the scaffold reads a case of it from the same places."""
    wanted = {(one.group, one.kind): one for one in Catalog.builtin().mappings()}
    cases: dict[tuple[str, str], Any] = {}
    for case in catalog_cases():
        written = case.document.value
        if "object" not in written or "pods" in written or "do" in written:
            continue
        group = written["object"]["apiVersion"].rpartition("/")[0]
        cases.setdefault((group, written["object"]["kind"]), []).append(written["object"])
    for key, mapping in wanted.items():
        version = next((one for one in mapping.versions if kinds.root(mapping.group, one, mapping.kind)), None)
        if version is None:
            continue
        text = made(kinds, mapping.group, version, mapping.kind).mapping
        guessed = Catalog.builtin().with_documents([mapping_of(text)])
        objects = [one for one in cases.get(key, ()) if one["apiVersion"].rpartition("/")[2] == version]
        compared = []
        for one in objects:
            ours = sorted(places(Catalog.builtin().read(one).document.get("components", ())), key=str)
            theirs = sorted(places(guessed.read(one).document.get("components", ())), key=str)
            if ours:
                compared.append(
                    [place for place, _, _ in ours] == [place for place, _, _ in theirs]
                    and all(
                        mine == other or (mine is None and pods == theirs_pods)
                        for (_, mine, pods), (_, other, theirs_pods) in zip(ours, theirs, strict=True)
                    )
                )
        yield mapping.kind, bool(compared) and sum(compared) * 2 > len(compared)


@pytest.mark.usefixtures("shared")
def test_guesses_are_right_more_often_than_not() -> None:
    """For at least half of the kinds, templates and counts are guessed where they are."""
    found = dict(agrees(upstream_kinds()))
    right = {kind for kind, is_right in found.items() if is_right}
    assert right >= GUESSED
    assert len(right) * 2 >= len(found)

"""Definitions of kinds are read from files and folders, in every form that they are published in."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import definition, upstream_kinds
from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.crd import check_against, load_kinds
from workloadmap_spec.crd.objects import objects
from workloadmap_spec.documents import load_text
from workloadmap_spec.errors import InputError

MAPPINGS = Path(__file__).resolve().parents[1] / "mappings"
SPEC: dict[str, Any] = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}


def thing(kind: str = "Thing", *versions: str) -> dict[str, Any]:
    """A definition of apiextensions.k8s.io/v1; without versions that of v1."""
    schemas = {version: {"spec": copy.deepcopy(SPEC)} for version in versions or ("v1",)}
    return definition(kind, schemas, has_status=True)


def kinds_in(*paths: Path) -> set[str]:
    """The kinds that are found in files."""
    return {kind for _, kind in load_kinds(paths).definitions}


def test_a_file_of_several_documents_is_read(tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "webhook"}}
    file.write_text(yaml.safe_dump_all([thing("One"), service, thing("Two")]), "utf-8")
    assert kinds_in(file) == {"One", "Two"}


def test_a_list_is_read_item_by_item(tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    inner = {"apiVersion": "v1", "kind": "List", "items": [thing("Two")]}
    file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [thing("One"), inner]}), "utf-8")
    assert kinds_in(file) == {"One", "Two"}


def test_a_folder_without_a_definition_is_told(tmp_path: Path) -> None:
    """It is a mapping folder, perhaps, that `--crd` has taken too."""
    (tmp_path / "other.yaml").write_text("kind: Service\n", "utf-8")
    for wanted in (None, [("example.org", "Thing")]):
        with pytest.raises(InputError, match="no CustomResourceDefinition in this folder") as caught:
            load_kinds([tmp_path], wanted)
        assert caught.value.location.source == str(tmp_path)
    (tmp_path / "crd.yaml").write_text(yaml.safe_dump(thing()), "utf-8")
    assert kinds_in(tmp_path) == {"Thing"}


def test_json_is_read(tmp_path: Path) -> None:
    file = tmp_path / "crd.json"
    file.write_text(json.dumps(thing(), indent=2), "utf-8")
    assert kinds_in(file) == {"Thing"}


def test_folders_are_read_to_their_bottom_without_what_is_hidden(tmp_path: Path) -> None:
    for path in ("a.yaml", "deep/er/b.yml", "c.json", ".git/d.yaml", ".e.yaml", "f.txt"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(thing(file.stem.strip(".").upper())), "utf-8")
    (tmp_path / "other.yaml").write_text("kind: Service\n", "utf-8")
    assert kinds_in(tmp_path) == {"A", "B", "C"}


def test_only_wanted_kinds_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(thing("One")), "utf-8")
    (tmp_path / "two.json").write_text(json.dumps(thing("Two")), "utf-8")
    (tmp_path / "broken.yaml").write_text("kind: CustomResourceDefinition\n: [\n", "utf-8")
    found = load_kinds([tmp_path], [("example.org", "Two")])
    assert set(found.definitions) == {("example.org", "Two")}


def test_definitions_of_one_kind_are_read_together_and_the_later_of_two_of_a_version_counts(tmp_path: Path) -> None:
    """The MPIJob of one operator has a version, and that of another operator the next one."""
    for name, versions in (("a.yaml", ["v1"]), ("b.yaml", ["v2"]), ("c.yaml", ["v2", "v3"])):
        document = thing("Thing", *versions)
        document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["from"] = {"description": name}
        if name == "a.yaml":
            del document["spec"]["versions"][0]["subresources"]
        (tmp_path / name).write_text(yaml.safe_dump(document), "utf-8")
    kinds = load_kinds([tmp_path])
    found = kinds.definition("example.org", "Thing")
    assert found is not None
    assert (list(found.versions), found.stored, found.with_status) == (
        ["v1", "v2", "v3"],
        "v2",
        frozenset({"v2", "v3"}),
    )
    assert [Path(file).name for file in found.file.split(" and ")] == ["a.yaml", "b.yaml", "c.yaml"]
    schemas = {version: str(schema) for version, schema in found.versions.items()}
    assert [name for version in ("v1", "v2") for name in "abc" if f"{name}.yaml" in schemas[version]] == ["a", "c"]
    alone = load_kinds([tmp_path / "b.yaml", tmp_path / "c.yaml"]).definition("example.org", "Thing")
    assert alone is not None
    assert Path(alone.file).name == "c.yaml"


def test_a_schema_of_v1beta1_is_that_of_all_versions(tmp_path: Path) -> None:
    document = thing("Thing", "v1", "v2")
    document["apiVersion"] = "apiextensions.k8s.io/v1beta1"
    spec = document["spec"]
    spec["validation"] = spec["versions"][0]["schema"]
    spec["subresources"] = {"status": {}}
    spec["versions"] = [{"name": "v1"}, {"name": "v2"}]
    file = tmp_path / "old.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    kinds = load_kinds([file])
    found = kinds.definition("example.org", "Thing")
    assert found is not None
    assert found.with_status == {"v1", "v2"}
    for version in ("v1", "v2"):
        root = kinds.root("example.org", version, "Thing")
        assert root is not None
        (shape,) = root.member("spec") or ()
        assert "size" in shape.fields


def test_a_single_version_of_v1beta1_is_read(tmp_path: Path) -> None:
    document = thing()
    document["apiVersion"] = "apiextensions.k8s.io/v1beta1"
    document["spec"] = {"group": "example.org", "names": {"kind": "Thing"}, "version": "v1alpha1"}
    file = tmp_path / "old.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    kinds = load_kinds([file])
    assert kinds.root("example.org", "v1alpha1", "Thing") is not None
    assert kinds.root("example.org", "v1", "Thing") is None


def test_built_in_kinds_are_known_without_a_file() -> None:
    kinds = load_kinds([])
    assert kinds.root("batch", "v1", "Job") is not None
    assert kinds.root("", "v1", "Pod") is not None
    assert kinds.root("example.org", "v1", "Thing") is None


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("absent.yaml", None, None, "there is no such file or folder"),
        ("other.yaml", b"kind: Service\n", None, "there is no CustomResourceDefinition in this file"),
        ("latin.yaml", b"kind: CustomResourceDefinition\nx: \xe9\n", None, "not UTF-8"),
        ("bad.yaml", b"kind: CustomResourceDefinition\nspec: [\n", 3, "not YAML"),
        (
            "twice.yaml",
            b"kind: CustomResourceDefinition\nspec:\n  group: a\n  group: b\n",
            4,
            "`group` is written twice",
        ),
        ("alias.yaml", b"kind: CustomResourceDefinition\nspec: *there\n", 2, "`*there` has no anchor"),
        ("inside.yaml", b"kind: CustomResourceDefinition\nitems: &a [*a]\n", 2, "`*a` has no anchor"),
        ("merge.yaml", b"kind: CustomResourceDefinition\nspec:\n  <<: text\n", None, "only maps can be merged"),
        ("key.yaml", b"kind: CustomResourceDefinition\nspec: {[a]: b}\n", 2, "a key is a text"),
        ("chart.yaml", b"kind: CustomResourceDefinition\nspec: {{ .Values.x }}: y\n  a: b\n", None, "not YAML"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_place(
    tmp_path: Path, name: str, content: bytes | None, line: int | None, says: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_kinds([file])
    assert says in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.source == str(file)
    assert caught.value.cure
    if line is not None:
        assert caught.value.location.line == line


def test_aliases_of_aliases_are_refused_before_they_grow(tmp_path: Path) -> None:
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    file = tmp_path / "many.yaml"
    file.write_text("\n".join(["kind: CustomResourceDefinition", "a0: &a0 [1]", *lines]), "utf-8")
    with pytest.raises(InputError, match="aliases stand for more than"):
        load_kinds([file])


def test_anchors_aliases_and_merges_are_what_they_mean(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    text = yaml.safe_dump(thing())
    (number,) = (index for index, line in enumerate(text.splitlines()) if line.strip() == "kind: Thing")
    lines = text.splitlines()
    lines[number] = lines[number].replace("kind: Thing", "kind: &kind Thing")
    file.write_text("\n".join(lines), "utf-8")
    assert set(load_kinds([file], [("example.org", "Thing")]).definitions) == {("example.org", "Thing")}
    merged = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 5}\nd: {'<<': *a}\ne: {z: 6, <<: *b}\n"
    assert objects(merged) == [
        {
            "a": {"x": 1, "y": 2},
            "b": {"y": 3, "z": 4},
            "c": {"x": 5, "y": 2, "z": 4},
            "d": {"<<": {"x": 1, "y": 2}},
            "e": {"y": 3, "z": 6},
        }
    ]


def test_a_list_that_aliases_repeat_is_read_once(tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    file.write_text(f"kind: List\nitems:\n- &list {json.dumps({'items': [thing()]})}\n- *list\n", "utf-8")
    assert kinds_in(file) == {"Thing"}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("properties", ["a"]),
        ("properties", "a"),
        ("type", ["string", "null"]),
        ("type", {"a": 1}),
        ("items", [{"type": "string"}]),
        ("items", True),
        ("items", "a"),
        ("additionalProperties", "a"),
        ("additionalProperties", ["a"]),
        ("required", "a"),
        ("enum", {"a": 1}),
    ],
)
@pytest.mark.parametrize("is_root", [True, False])
def test_a_malformed_schema_is_told_with_its_file_and_its_place(
    tmp_path: Path, member: str, value: object, *, is_root: bool
) -> None:
    document = thing()
    schema = document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    (schema if is_root else schema["properties"]["spec"])[member] = value
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    with pytest.raises(InputError, match=f"has a `{member}` that is not") as caught:
        look(file)
    assert caught.value.location.source == str(file)
    assert ("`spec` in the schema" in caught.value.message) is not is_root


@pytest.mark.parametrize("value", ["text", ["a"], True, 7])
def test_a_schema_that_is_no_map_is_told(tmp_path: Path, value: object) -> None:
    document = thing()
    document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = value
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    with pytest.raises(InputError, match="`spec` in the schema is no map"):
        look(file)


def look(file: Path) -> None:
    """Look at the spec of a thing."""
    root = load_kinds([file]).root("example.org", "v1", "Thing")
    assert root is not None
    root.member("spec")


@pytest.mark.parametrize("member", ["properties", "items", "additionalProperties", "required", "enum", "type"])
def test_null_is_as_if_it_were_left_out(tmp_path: Path, member: str) -> None:
    """To the API server, which reads it into a struct."""
    document = thing()
    document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"][member] = None
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    look(file)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["spec"], "text"),
        (["spec", "group"], ["a"]),
        (["spec", "names"], None),
        (["spec", "names", "kind"], ["Thing"]),
        (["spec", "versions"], 7),
        (["spec", "versions"], ["v1"]),
        (["spec", "versions", 0, "name"], None),
        (["spec", "versions", 0, "name"], 1),
        (["spec", "versions", 0, "schema"], "text"),
        (["spec", "versions", 0, "subresources"], ["status"]),
    ],
)
@pytest.mark.parametrize("metadata", [None, "text", {"name": None}, {"name": "things.example.org"}])
def test_a_malformed_definition_is_told(tmp_path: Path, place: list[Any], value: object, metadata: object) -> None:
    document = thing() | {"metadata": metadata}
    *above, last = place
    holder: Any = document
    for step in above:
        holder = holder[step]
    holder[last] = value
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    with pytest.raises(InputError, match="lacks its group, kind or versions, or they are malformed") as caught:
        load_kinds([file])
    assert caught.value.location.source == str(file)


@pytest.mark.parametrize("lacking", ["group", "names", "versions"])
def test_a_definition_that_lacks_something_is_told(tmp_path: Path, lacking: str) -> None:
    document = thing()
    del document["spec"][lacking]
    file = tmp_path / "crd.yaml"
    file.write_text(yaml.safe_dump(document), "utf-8")
    with pytest.raises(InputError, match=r"things\.example\.org lacks its group, kind or versions"):
        load_kinds([file])


def test_objects_are_those_that_a_yaml_loader_makes() -> None:
    text = yaml.safe_dump_all([thing("One"), {"list": [1, 2.5, True, None, "x: y", [], {}]}])
    assert objects(text) == list(yaml.safe_load_all(text))
    assert objects("a: &one {b: 1}\nc: *one\n") == [{"a": {"b": 1}, "c": {"b": 1}}]


#: What the definitions leave open, so that checking stops there: the places, or what is referred to, by kind.
LEFT_OPEN: dict[str, set[str]] = {
    "CronWorkflow": {"spec", "status"},
    "Experiment": {"the object"},
    "FlinkDeployment": {"spec.flinkConfiguration"},
    "InferenceService": {"ClusterServingRuntime", "ServingRuntime"},
    "LLMInferenceService": {"spec.router.scheduler.config.inline"},
    "NodeSet": {"spec.template.spec"},
    "PipelineRun": {"Pipeline"},
    "RoleBasedGroup": {
        "spec.roles[].components[].template",
        "spec.roles[].customComponentsPattern.components[].template",
        "spec.roles[].leaderWorkerSet.patchLeaderTemplate",
        "spec.roles[].leaderWorkerSet.patchWorkerTemplate",
        "spec.roles[].templatePatch",
        "spec.roles[].leaderWorkerPattern.leaderTemplatePatch",
        "spec.roles[].leaderWorkerPattern.templateRef.patch",
        "spec.roles[].leaderWorkerPattern.workerTemplatePatch",
        "spec.roles[].standalonePattern.templateRef.patch",
    },
    "Rollout": {"refs"},
    "SandboxClaim": {"refs"},
    "SandboxWarmPool": {"refs"},
    "SeldonDeployment": {"spec.predictors[].graph.children[]"},
    "SparkApplication": {"spec.driver.template", "spec.executor.template"},
    "SparkConnect": {"spec.executor.template", "spec.server.template"},
    "TaskRun": {"Task"},
    "TrainJob": {"refs"},
    "Trial": {"the object"},
    "Workflow": {"refs", "spec", "status"},
}


@pytest.mark.usefixtures("shared")
def test_shipped_mappings_fit_all_definitions() -> None:
    kinds = upstream_kinds()
    unchecked: set[str] = set()
    left_open: dict[str, set[str]] = {}
    for file in sorted(MAPPINGS.rglob("*.yaml")):
        for document in load_text(file.read_text("utf-8")):
            value: Any = document.value
            if value.get("kind") != "WorkloadMapping":
                continue
            compiled = compile_mapping(value)
            found = check_against(compiled, kinds)
            assert found.problems == (), file
            if not found.checked:
                unchecked.add(compiled.kind)
            for stop in found.stopped if found.checked else ():
                left_open.setdefault(compiled.kind, set()).add(stop.reason.split("`")[1])
    # The framework publishes no definition of its own.
    assert unchecked == {"DynamoComponentDeployment", "DynamoGraphDeployment"}
    assert left_open == LEFT_OPEN

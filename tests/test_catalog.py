"""The catalogue finds the mapping of an object, and reads many objects at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec import Catalog
from workloadmap_spec.catalog import mapping_files
from workloadmap_spec.documents import Document
from workloadmap_spec.errors import (
    AmbiguousMappingError,
    EvaluationError,
    InputError,
    MappingSchemaError,
    MappingSemanticError,
    MappingSyntaxError,
    NoMappingError,
)

if TYPE_CHECKING:
    from pathlib import Path

MAPPING = """\
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: NAME}
spec:
  workload: {group: example.org, versions: [v1], kind: Quartet}
  components:
  - {name: member, replicas: object.spec.count, podTemplate: object.spec.template}
  pods: {selector: {app: object.metadata.name}}
"""


def quartet(name: str = "choir", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A workload of the kind that MAPPING reads."""
    metadata = {"name": name, "namespace": "lab"}
    return {"apiVersion": "example.org/v1", "kind": "Quartet", "metadata": metadata, "spec": spec}


def pod(name: str, app: str | None, namespace: str = "lab") -> dict[str, Any]:
    """A pod with a label `app`."""
    labels = {} if app is None else {"app": app}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [{"name": "main"}]}}


def mapping(folder: Path, name: str, text: str = MAPPING) -> Path:
    """A mapping file."""
    path = folder / f"{name}.yaml"
    path.write_text(text.replace("NAME", name), encoding="utf-8")
    return path


def test_a_kind_that_nobody_reads_is_an_error_that_says_how_to_go_on() -> None:
    with pytest.raises(NoMappingError) as caught:
        Catalog.builtin().read(quartet())
    assert str(caught.value) == (
        "no mapping fits Quartet of example.org/v1 [no-mapping]\n"
        "  `workloadmap mappings list` shows the kinds; give your own with -m PATH"
    )


def test_another_version_is_an_error_that_names_the_versions_that_are_read() -> None:
    with pytest.raises(NoMappingError) as caught:
        Catalog.builtin().find("jobset.x-k8s.io/v9", "JobSet")
    assert str(caught.value) == (
        "no mapping fits JobSet of jobset.x-k8s.io/v9 [no-mapping]\n  mappings exist for the versions v1alpha2"
    )


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("batch/v1", "../batch/job"),
        ("../batch/v1", "Job"),
        (".hidden/v1", "Job"),
        ("v1", "Pod*"),
        ("", ""),
        ("batch/v1", "job"),
    ],
)
def test_a_kind_that_looks_like_a_path_finds_nothing(api_version: str, kind: str) -> None:
    with pytest.raises(NoMappingError):
        Catalog.builtin().find(api_version, kind)


def test_a_later_source_replaces_an_earlier_one(tmp_path: Path) -> None:
    catalog = Catalog.load([mapping(tmp_path, "first")])
    assert catalog.read(quartet(count=2, template={})).to_dict()["mapping"]["name"] == "first"
    catalog = catalog.with_mappings([mapping(tmp_path, "second")])
    assert catalog.read(quartet(count=2, template={})).to_dict()["mapping"]["name"] == "second"
    assert [found.name for found in catalog.mappings()] == ["second"]


def test_two_mappings_of_one_source_for_one_kind_are_ambiguous(tmp_path: Path) -> None:
    mapping(tmp_path, "one")
    mapping(tmp_path, "two")
    with pytest.raises(AmbiguousMappingError) as caught:
        Catalog.load([tmp_path]).read(quartet())
    assert str(caught.value) == (
        f"two mappings of {tmp_path} fit Quartet of example.org/v1: one and two [ambiguous-mapping]\n"
        "  give one of them other versions, or leave it out"
    )


def test_cases_beside_mappings_are_not_taken_for_mappings(tmp_path: Path) -> None:
    path = mapping(tmp_path, "one")
    (tmp_path / "one.case.yaml").write_text("kind: ConformanceCase\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    assert mapping_files([tmp_path]) == [path]


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        Catalog.load([tmp_path / "nothing"])


@pytest.mark.parametrize(
    ("change", "error", "place"),
    [
        (("kind: Quartet", "kind: [Quartet"), MappingSyntaxError, None),
        (("components:", "componets:"), MappingSchemaError, "/spec/componets"),
        (("name: member,", "name: member, gang: x,"), MappingSchemaError, "/spec/components/0/gang"),
        (
            ("pods: {selector", "gang: [{name: g, members: [nobody]}]\n  pods: {selector"),
            MappingSemanticError,
            "/spec/gang/0/members/0",
        ),
    ],
)
def test_what_is_wrong_with_a_mapping_is_told_with_its_place(
    tmp_path: Path, change: tuple[str, str], error: type[Exception], place: str | None
) -> None:
    path = mapping(tmp_path, "bad", MAPPING.replace(*change))
    with pytest.raises(error) as caught:
        Catalog.load([path])
    location = caught.value.location  # type: ignore[attr-defined]
    assert location.source == str(path)
    assert location.line is not None
    if place is not None:
        assert location.pointer == place


def test_everything_wrong_is_told_at_once_in_the_order_of_the_document(tmp_path: Path) -> None:
    text = MAPPING.replace("object.spec.count", "object.spec.count + ").replace("object.metadata.name", "nope.name")
    with pytest.raises(ValueError, match="expression-parse") as caught:
        Catalog.load([mapping(tmp_path, "bad", text)])
    assert [other.error_class for other in caught.value.others] == ["expression-check"]  # type: ignore[attr-defined]


def test_a_mapping_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = mapping(tmp_path, "large", MAPPING + "#" * 2**20)
    with pytest.raises(MappingSchemaError, match="a mapping has at most 1048576 bytes"):
        Catalog.load([path])


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ([], "a workload is a map, and a list of 0 was found [input-invalid]"),
        ({"kind": "Job"}, "a workload needs a string `apiVersion`, and nothing was found [input-invalid]"),
        (
            {"apiVersion": 1, "kind": "Job"},
            "/apiVersion: a workload needs a string `apiVersion`, and the number 1 was found [input-invalid]",
        ),
        (
            {"apiVersion": "batch/v1", "kind": ""},
            '/kind: a workload needs a string `kind`, and the string "" was found [input-invalid]',
        ),
        (
            {"apiVersion": "batch/v1", "kind": "Job", "spec": []},
            "/spec: `spec` must be a map, and a list of 0 was found [input-invalid]",
        ),
        (
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": True}},
            "/metadata/namespace: `metadata.namespace` must be a string, and true was found [input-invalid]",
        ),
    ],
)
def test_an_object_that_is_no_workload_is_refused(workload: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Catalog.builtin().read(workload)
    assert str(caught.value) == message


def test_a_pod_that_is_no_map_is_refused() -> None:
    with pytest.raises(InputError, match="a pod is a map with a map `metadata`"):
        Catalog.builtin().read({"apiVersion": "batch/v1", "kind": "Job"}, pods=[{"metadata": []}])


def test_strict_raises_the_first_error(tmp_path: Path) -> None:
    catalog = Catalog.load([mapping(tmp_path, "strict")])
    assert [entry["class"] for entry in catalog.read(quartet(count="two", template={})).errors] == ["result-type"]
    with pytest.raises(EvaluationError) as caught:
        catalog.read(quartet(count="two", template={}), strict=True)
    assert str(caught.value) == (
        'mapping strict: /spec/components/0/replicas: a whole number is wanted, and the string "two" was found'
        " (instance member) [result-type]"
    )


def test_the_selectors_of_a_workload_are_told_as_a_list_call_takes_them() -> None:
    job = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {
            "selector": {
                "matchLabels": {"app": "web"},
                "matchExpressions": [
                    {"key": "tier", "operator": "In", "values": ["a", "b"]},
                    {"key": "old", "operator": "DoesNotExist"},
                    {"key": "new", "operator": "Exists"},
                    {"key": "zone", "operator": "NotIn", "values": ["x"]},
                ],
            }
        },
    }
    assert Catalog.builtin().pod_selectors(job) == ["app=web,tier in (a,b),!old,new,zone notin (x)"]


def test_many_workloads_get_their_own_pods_and_the_rest_is_told(tmp_path: Path) -> None:
    catalog = Catalog.builtin().with_mappings([mapping(tmp_path, "many")])
    values: list[Any] = [
        quartet("choir", count=1, template={}),
        quartet("band", count=1, template={}),
        pod("c-0", "choir"),
        pod("b-0", "band"),
        pod("c-elsewhere", "choir", namespace="other"),
        pod("stray", None),
        {"apiVersion": "example.org/v1", "kind": "Nobody"},
        {"kind": "Pod"},
        "text",
    ]
    reading = catalog.read_all([Document(value, "input", index) for index, value in enumerate(values)])
    pods = {
        workload_map.document["workload"]["name"]: [entry["name"] for entry in workload_map.document.get("pods", [])]
        for _document, workload_map in reading.maps
    }
    assert pods == {"choir": ["c-0"], "band": ["b-0"], "c-elsewhere": [], "stray": []}
    assert [document.value["metadata"]["name"] for document in reading.unclaimed] == ["c-elsewhere", "stray"]
    assert sorted(unread.error.error_class for unread in reading.unread) == [
        "input-invalid",
        "input-invalid",
        "no-mapping",
    ]
    assert all(unread.error.location.source == "input" for unread in reading.unread)


def test_without_pods_in_the_input_the_maps_have_none() -> None:
    reading = Catalog.builtin().read_all(
        [Document({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}})]
    )
    (_document, workload_map), *rest = reading.maps
    assert rest == []
    assert "pods" not in workload_map.document


def test_mappings_given_as_data_are_read_too() -> None:
    document = {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadMapping",
        "metadata": {"name": "data"},
        "spec": {
            "workload": {"group": "example.org", "versions": ["v1"], "kind": "Quartet"},
            "components": [{"name": "member", "podTemplate": "object.spec.template"}],
        },
    }
    assert Catalog.builtin().with_documents([document]).read(quartet(template={})).to_dict()["totals"] == {"pods": 1}

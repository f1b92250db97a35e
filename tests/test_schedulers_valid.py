"""What is made for schedulers is valid by their own definitions, for every workload of the suite that has groups.

Where the definitions are at hand they are used. Those of the others are written down here, from their API types.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.conftest import catalog_cases
from workloadmap_spec import Catalog
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.schedulers.model import Options
from workloadmap_spec.schedulers.render import FORMATS, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.schedulers.model import Group
    from workloadmap_spec.schedulers.render import Rendered

DATA: Final = Path(__file__).parent / "data" / "schedulers"
#: Where the definitions of kinds lie in the shared data.
DEFINITIONS: Final = {
    "volcano": "upstream/volcano/crds/scheduling.volcano.sh_podgroups.yaml",
    "kueue": "upstream/kueue/crds/kueue.x-k8s.io_workloads.yaml",
}
FORMS: Final = [(name, version) for name in FORMATS for version in versions(name)]


def shape(groups: list[Any]) -> str:
    """What groups look like: names, members, numbers that are there, whether all is required, and what is below."""
    return json.dumps(
        [
            [
                group["name"],
                [[member["component"], "minPods" in member] for member in group["members"]],
                group.get("minMember") == group.get("pods"),
                sorted(group.keys()),
                shape(group.get("subgroups", [])[:2]),
            ]
            for group in groups[:4]
        ]
    )


@cache
def workloads() -> tuple[tuple[str, Any, tuple[Any, ...]], ...]:
    """The inputs of the golden tests, and from the suite one workload of each kind and shape of its groups."""
    found: dict[object, tuple[str, Any, tuple[Any, ...]]] = {}
    for path in sorted(DATA.glob("*.yaml")):
        workload, *references = yaml.safe_load_all(path.read_text())
        found[path.stem] = path.stem, workload, tuple(references)
    for case in catalog_cases():
        groups = (case.expect.get("document") or {}).get("gang", {}).get("groups")
        workload = case.request.get("object")
        if groups and isinstance(workload, dict) and workload.get("metadata", {}).get("name"):
            key = workload["apiVersion"], workload["kind"], shape(groups)
            found.setdefault(key, (case.id, workload, tuple(case.request.get("references") or ())))
    return tuple(found.values())


@cache
def rendered(name: str, version: str, *, asked: bool) -> tuple[tuple[str, Rendered], ...]:
    """All of them for a scheduler; with `asked`, everything is asked for that can be."""
    catalog = Catalog.builtin()
    options = Options(version=version)
    if asked:
        options = Options(version, queue="team-a", priority="high", topology="zones", scheduler="own")
    found = []
    for title, workload, references in workloads():
        found.append((title, catalog.gang(workload, name, options, references)))
    return tuple(found)


def closed(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """A schema in which every field that it does not name is wrong, as an API server would drop it."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        found["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    return found


def definition_of(path: Path, version: str) -> dict[str, Any]:
    """The schema of `spec` in a definition."""
    definition = yaml.safe_load(path.read_text())
    found = next(one for one in definition["spec"]["versions"] if one["name"] == version)
    spec: dict[str, Any] = closed(found["schema"]["openAPIV3Schema"]["properties"]["spec"])
    return spec


def written(name: str, version: str) -> dict[str, Any]:
    """The schemas by kind that are written down here."""
    found: dict[str, Any] = yaml.safe_load((DATA / "schemas" / f"{name}.yaml").read_text())
    return dict(found.get(version, found))


def check(schemas: dict[str, Any], name: str, version: str) -> int:
    """Check all objects; gives how many there were."""
    count = 0
    validators = {kind: Draft202012Validator(schema) for kind, schema in schemas.items()}
    for asked in (False, True):
        for title, one in rendered(name, version, asked=asked):
            for document in one.rendering.objects:
                problems = [error.message for error in validators[document["kind"]].iter_errors(document["spec"])]
                assert problems == [], title
                count += 1
    return count


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name, version in FORMS if name in ("kai", "coscheduling", "native")]
)
def test_objects_fit_the_api_types(name: str, version: str) -> None:
    """The objects have the fields of the API's types and no others."""
    assert check(written(name, version.rpartition("/")[2]), name, version) > 100


@pytest.mark.parametrize("version", versions("volcano"))
def test_pod_groups_of_volcano_fit_its_definition(shared: Path, version: str) -> None:
    """The same, by the definition that Volcano ships."""
    schema = definition_of(shared / DEFINITIONS["volcano"], version.rpartition("/")[2])
    assert check({"PodGroup": schema}, "volcano", version) > 100


def test_task_groups_of_yunikorn_are_what_it_accepts() -> None:
    """Each pod of a task group names it, and the annotation passes YuniKorn's checks."""
    validator = Draft202012Validator(written("yunikorn", "")["task-groups"])
    count = 0
    for title, one in rendered("yunikorn", "", asked=False):
        for binding in one.rendering.bindings:
            annotations = binding.values.annotations
            assert len(binding.values.labels["yunikorn.apache.org/app-id"]) <= 63
            if "yunikorn.apache.org/task-groups" in annotations:
                groups = json.loads(annotations["yunikorn.apache.org/task-groups"])
                assert list(validator.iter_errors(groups)) == [], title
                names = [group["name"] for group in groups]
                assert len(set(names)) == len(names)
                # A pod that need not be there is in no task group, and tells of the others.
                assert annotations.get("yunikorn.apache.org/task-group-name", names[0]) in names
                count += 1
    assert count > 100


def trees(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The PodGroups of KAI."""
    for asked in (False, True):
        for title, one in rendered(name, versions(name)[0], asked=asked):
            for document in one.rendering.objects:
                yield title, document["spec"]


def test_trees_of_kai_pass_its_webhook() -> None:
    """The rules of its admission: one number at the root, leaves with a minimum, parents that are there."""
    for title, spec in trees("kai"):
        subgroups = spec.get("subGroups", [])
        assert ("minMember" in spec) != bool(subgroups), title
        names = [entry["name"] for entry in subgroups]
        assert len(set(names)) == len(names), title
        parents = {entry["parent"] for entry in subgroups if "parent" in entry}
        assert parents <= set(names), title
        for entry in subgroups:
            is_leaf = entry["name"] not in parents
            assert ("minMember" in entry) == is_leaf, title
            if "minSubGroup" in entry:
                assert not is_leaf, title
                assert 0 < entry["minSubGroup"] < sum(one.get("parent") == entry["name"] for one in subgroups), title


def test_leaves_of_kai_come_to_what_the_group_needs() -> None:
    """The least that a tree admits is the minimum of the group, or the group was flattened with a warning."""
    for title, one in rendered("kai", versions("kai")[0], asked=False):
        minimums = {group.label: group.minimum for group in one.gang.groups}
        for document in one.rendering.objects:
            spec = document["spec"]
            wanted = minimums[document["metadata"]["name"]]
            if "minMember" in spec:
                assert spec["minMember"] == wanted, title
                continue
            below: dict[str | None, list[dict[str, Any]]] = {}
            for entry in spec["subGroups"]:
                below.setdefault(entry.get("parent"), []).append(entry)

            def least(entry: dict[str, Any], below: dict[str | None, list[dict[str, Any]]] = below) -> int:
                if entry["name"] not in below:
                    return int(entry["minMember"])
                each = sorted(least(one) for one in below[entry["name"]])
                return sum(each[: entry.get("minSubGroup", len(each))])

            assert sum(map(least, below[None])) == wanted, title


def all_ids(group: Group) -> Iterator[str]:
    """The id of a group, and those of all below it."""
    yield group.id
    for below in group.subgroups:
        yield from all_ids(below)


@pytest.mark.parametrize(("name", "version"), FORMS)
def test_every_group_is_bound_or_told(name: str, version: str) -> None:
    """A group has pods that are bound to it, or a message says why not; names of objects are short enough."""
    for title, one in rendered(name, version, asked=True):
        bound = {binding.group.id for binding in one.rendering.bindings}
        told = {message.group for message in one.messages if message.severity in ("error", "note")}
        for group in one.gang.groups:
            ids = set(all_ids(group))
            is_all_told = None in told and not one.rendering.objects and not one.rendering.bindings
            assert ids & bound or group.id in told or is_all_told or one.rendering.workload.to_dict(), title
        for document in one.rendering.objects:
            assert len(document["metadata"]["name"]) <= 63, title


@pytest.mark.parametrize(("name", "version"), FORMS)
def test_documents_are_the_same_each_time(name: str, version: str) -> None:
    """A second rendering is equal, and JSON."""
    catalog = Catalog.builtin()
    for (_title, workload, references), (_same, one) in zip(
        workloads()[:12], rendered(name, version, asked=False)[:12], strict=True
    ):
        again = catalog.gang(workload, name, Options(version=version), references)
        assert json.dumps(again.to_dict()) == json.dumps(one.to_dict())


def test_what_cannot_be_read_is_an_error() -> None:
    """An object of a kind that nobody knows, and one without a name."""
    catalog = Catalog.builtin()
    with pytest.raises(WorkloadMapError):
        catalog.gang({"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "x"}}, "kai")

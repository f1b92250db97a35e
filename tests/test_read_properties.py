"""Laws of reading, for every shipped mapping: nothing crashes, nothing is lost, the same comes out every time."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import catalog_cases, shipped_kinds
from workloadmap_spec import Catalog, WorkloadMapError
from workloadmap_spec.catalog import load_mapping
from workloadmap_spec.errors import InputError, MappingError
from workloadmap_spec.schemas import map_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Numbers, texts and shapes that trip readers: wrong types, huge and negative counts, odd keys.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([2**31, 2**53 - 1, -(2**53) + 1, 10**6, 0.5, -0.0, 1e300]),
    st.sampled_from(["", "0", "1", "True", "False", "-1", "default", "Ready", "500m", "1Gi", "a/b~c", "é😀", "null"]),
    st.text(max_size=6),
)
KEYS = st.sampled_from(
    ["spec", "status", "metadata", "replicas", "template", "containers", "name", "labels", "conditions", "type", "a/b"]
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)

#: Every `apiVersion` and kind that the shipped mappings read.
KINDS = sorted(shipped_kinds())


@cache
def samples() -> tuple[dict[str, Any], ...]:
    """The objects of the accepted catalogue cases."""
    cases = [case.request for case in catalog_cases()]
    return tuple(case["object"] for case in cases if case["expect"]["outcome"] == "ok")


@cache
def sample_pods() -> tuple[tuple[dict[str, Any], list[dict[str, Any]]], ...]:
    """The objects of the catalogue cases that have pods, with these."""
    cases = [case.request for case in catalog_cases()]
    return tuple((case["object"], case["pods"]) for case in cases if case.get("pods"))


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything inside a document."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def replaced(document: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """A copy of a document with something else at one place."""
    result: Any = copy.deepcopy(document)
    node = result
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return result  # type: ignore[no-any-return]


def shuffled(value: Any, seed: st.DataObject) -> Any:  # noqa: ANN401 - JSON
    """The same document with the members of its maps in another order."""
    if isinstance(value, dict):
        names = seed.draw(st.permutations(list(value)))
        return {name: shuffled(value[name], seed) for name in names}
    return [shuffled(part, seed) for part in value] if isinstance(value, list) else value


def check_map(document: dict[str, Any]) -> None:
    """The laws that every map keeps, whatever the object was."""
    assert map_problems(document) == []
    pods = 0
    unknown = False

    def walk(components: list[dict[str, Any]], above: int | None) -> None:
        nonlocal pods, unknown
        for component in components:
            ids = [instance["id"] for instance in component["instances"]]
            assert len(ids) == len(set(ids))
            for instance in component["instances"]:
                replicas = instance.get("replicas")
                product = None if above is None or replicas is None else above * replicas
                if "components" in instance:
                    walk(instance["components"], product)
                if "pods" in instance:
                    pods += instance["pods"]
                    assert product is not None
                    assert instance["pods"] == product * instance.get("podsPerReplica", 1)
                    assert instance.get("minPods", 0) <= instance["pods"]
                    total = instance.get("resources", {}).get("total", {}).get("requests", {})
                    assert total.keys() == instance.get("resources", {}).get("perPod", {}).get("requests", {}).keys()
                elif "podTemplate" in instance:
                    unknown = True

    walk(document.get("components", []), 1)
    assert document["totals"]["pods"] >= pods
    if "incomplete" not in document["totals"]:
        assert not unknown
        assert document["totals"]["pods"] == pods
    for group in document.get("gang", {}).get("groups", []):
        check_group(group)


def check_group(group: dict[str, Any]) -> None:
    """A group's numbers agree with its members."""
    if "pods" in group:
        assert group["pods"] == sum(member["pods"] for member in group["members"]) > 0
        assert group.get("minMember", 0) <= group["pods"]
    for member in group["members"]:
        assert member.get("minPods", 0) <= member.get("pods", member.get("minPods", 0))
    for subgroup in group.get("subgroups", []):
        assert subgroup["id"].startswith(group["id"] + "/")
        check_group(subgroup)


def read(workload: object, pods: list[dict[str, Any]] | None = None) -> dict[str, Any] | None:
    """The map, or None if the object is refused with one of our errors."""
    try:
        return Catalog.builtin().read(workload, pods=pods).to_dict()
    except InputError:
        return None


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_json_object_of_a_known_kind_gives_a_map_or_an_input_error(data: st.DataObject) -> None:
    api_version, kind = data.draw(st.sampled_from(KINDS))
    body = {
        name: data.draw(st.dictionaries(KEYS, JSON, max_size=4) | JSON)
        for name in data.draw(st.sets(st.sampled_from(["metadata", "spec", "status"])))
    }
    document = read({**body, "apiVersion": api_version, "kind": kind})
    if document is not None:
        check_map(document)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_sample_with_one_thing_replaced_gives_a_map_or_an_input_error(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(samples()))
    inside = [path for path in places(sample) if path and path[0] not in ("apiVersion", "kind")]
    path = data.draw(st.sampled_from(inside))
    document = read(replaced(sample, path, data.draw(JSON)))
    if document is not None:
        check_map(document)


@pytest.mark.parametrize("index", range(len(samples())))
def test_every_sample_keeps_the_laws_and_reads_the_same_twice(index: int) -> None:
    sample = samples()[index]
    before = json.dumps(sample)
    first = Catalog.builtin().read(sample)
    check_map(first.to_dict())
    assert Catalog.builtin().read(sample).to_json() == first.to_json()
    assert json.dumps(sample) == before, "reading must not change the object"


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_order_of_members_does_not_matter(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(samples()))
    assert Catalog.builtin().read(shuffled(sample, data)).to_json() == Catalog.builtin().read(sample).to_json()


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_every_selected_pod_is_in_exactly_one_place(data: st.DataObject) -> None:
    workload, pods = data.draw(st.sampled_from(sample_pods()))
    given_pods = data.draw(st.permutations(pods))
    labels = {key for pod in pods for key in pod["metadata"].get("labels", {})} or {"x"}
    label = data.draw(st.sampled_from(sorted(labels)))
    broken = copy.deepcopy(given_pods)
    for pod in data.draw(st.lists(st.sampled_from(broken), max_size=2)) if broken else []:
        value = data.draw(st.sampled_from(["", "0", "7", "-1", "x", "worker"]))
        pod["metadata"].setdefault("labels", {})[label] = value
    document = Catalog.builtin().read(workload, pods=broken).to_dict()
    names = [(pod.get("namespace"), pod["name"]) for pod in document.get("pods", []) + document.get("unattributed", [])]
    assert len(names) == len(set(names)), "a pod stands in two places"
    foreign = copy.deepcopy(broken)
    for pod in foreign:
        pod["metadata"]["namespace"] = "elsewhere"
    other = Catalog.builtin().read(workload, pods=foreign).to_dict()
    assert "pods" not in other
    assert "unattributed" not in other
    rest = {key: value for key, value in document.items() if key not in ("pods", "unattributed", "diagnostics")}
    bare = Catalog.builtin().read(workload).to_dict()
    bare.pop("diagnostics", None)
    assert rest == bare, "pods must not change anything else"


def test_one_catalogue_reads_the_same_from_many_threads() -> None:
    catalog = Catalog.builtin()
    work = list(samples()) * 4
    alone = [catalog.read(sample).to_json() for sample in work]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda sample: catalog.read(sample).to_json(), work))
    assert together == alone


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_mapping_with_one_thing_replaced_is_refused_or_reads_without_a_crash(data: st.DataObject) -> None:
    mapping = data.draw(st.sampled_from(Catalog.builtin().mappings()))
    document = json.loads(json.dumps(mapping.document))
    path = data.draw(st.sampled_from([path for path in places(document) if path]))
    values = st.one_of(
        JSON,
        st.sampled_from(["object.spec", "item", "object.status.conditions", "1 / 0", "item.name", "variables.nope"]),
    )
    changed = replaced(document, path, data.draw(values))
    try:
        catalog = Catalog.builtin().with_documents([changed])
    except MappingError:
        return
    for sample in samples():
        if sample["kind"] == mapping.kind:
            try:
                result = catalog.read(sample).to_dict()
            except WorkloadMapError:
                continue
            assert map_problems(result) == []


@settings(max_examples=100, deadline=None)
@given(document=JSON)
def test_any_json_is_no_mapping_but_an_error_says_so(document: object) -> None:
    with pytest.raises(MappingError):
        load_mapping(document)

"""References and embedded workloads through the Python API and the command, where cases do not reach."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import small_mapping, whole_suite
from workloadmap_spec import Catalog
from workloadmap_spec.cli import main
from workloadmap_spec.documents import Document
from workloadmap_spec.pointer import resolve

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: dict[str, Any] = {"spec": {"containers": [{"name": "main"}]}}

CHAIN = """
references:
- {name: first, apiVersion: x.example/v1, kind: Link, resourceName: object.spec.link}
- {name: second, apiVersion: x.example/v1, kind: Link, resourceName: refs.first.next}
variables:
- {name: size, value: refs.second.size}
components:
- {name: main, replicas: variables.size, podTemplate: object.spec.template}
"""


def thing(kind: str = "Thing", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A workload."""
    return {"apiVersion": "x.example/v1", "kind": kind, "metadata": {"name": "w"}, "spec": spec}


def link(name: str, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """An object to refer to."""
    return {"apiVersion": "x.example/v1", "kind": "Link", "metadata": {"name": name}, **members}


def test_a_caller_fetches_until_nothing_new_is_wanted() -> None:
    cluster = {found["metadata"]["name"]: found for found in (link("a", next="b"), link("b", size=4))}
    catalog = Catalog.builtin().with_documents([small_mapping(CHAIN)])
    workload = thing(link="a", template=TEMPLATE)
    given: list[dict[str, Any]] = []
    rounds = []
    while wanted := catalog.required_references(workload, given):
        rounds.append([entry["resourceName"] for entry in wanted])
        given += [cluster[entry["resourceName"]] for entry in wanted]
    assert rounds == [["a"], ["b"]]
    workload_map = catalog.read(workload, references=given)
    assert workload_map.wanted == ()
    document = workload_map.to_dict()
    assert document["totals"] == {"pods": 4}
    assert document["components"][0]["instances"][0]["sources"]["replicas"] == "refs.second#/size"


def test_what_rests_on_a_missing_reference_is_missing_and_not_zero() -> None:
    catalog = Catalog.builtin().with_documents([small_mapping(CHAIN)])
    document = catalog.read(thing(link="a", template=TEMPLATE)).to_dict()
    reason = {"component": "main", "instance": "main", "what": "replicas", "reason": "missing-reference"}
    assert document["totals"] == {"pods": 0, "incomplete": [reason]}
    assert [found["class"] for found in document["diagnostics"]] == ["missing-reference"]


def test_a_referenced_object_in_the_same_input_is_used_and_is_no_fault() -> None:
    catalog = Catalog.builtin().with_documents([small_mapping(CHAIN)])
    values = [thing(link="a", template=TEMPLATE), link("a", next="b"), link("b", size=2), link("stray")]
    reading = catalog.read_all([Document(value, "input", index) for index, value in enumerate(values)])
    assert [workload_map.to_dict()["totals"] for _document, workload_map in reading.maps] == [{"pods": 2}]
    assert [document.value["metadata"]["name"] for document in reading.referenced] == ["a", "b"]
    assert [unread.document.value["metadata"]["name"] for unread in reading.unread] == ["stray"]


def test_a_kind_that_embeds_itself_without_end_is_stopped() -> None:
    spec = "components: [{name: again, embed: {apiVersion: x.example/v1, kind: Thing, spec: object.spec}}]"
    document = Catalog.builtin().with_documents([small_mapping(spec)]).read(thing()).to_dict()
    assert [found["class"] for found in document["diagnostics"]] == ["limit-exceeded"]
    assert document["totals"]["incomplete"] == [
        {"component": "again", "instance": "again", "what": "components", "reason": "error"}
    ]


def test_the_selectors_of_what_is_embedded_are_told_too() -> None:
    inner = "components: [{name: a, podTemplate: object.t}]\npods: {selector: {inner: object.metadata.name}}"
    outer = (
        "components: [{name: c, embed: {apiVersion: x.example/v1, kind: Inner, spec: object.spec, name: '\"made\"'}}]\n"
        "pods: {selector: {outer: object.metadata.name}}"
    )
    catalog = Catalog.builtin().with_documents([small_mapping(outer), small_mapping(inner, "Inner")])
    assert catalog.pod_selectors(thing()) == ["outer=w", "inner=made"]


def test_an_embedded_object_without_a_kind_is_told() -> None:
    spec = "components: [{name: c, embed: {object: object.spec.o}}]"
    catalog = Catalog.builtin().with_documents([small_mapping(spec)])
    for whole, problem in (({}, "result-invalid"), ([], "result-type"), ({"spec": 1}, "result-type")):
        document = catalog.read(thing(o=whole)).to_dict()
        assert [found["class"] for found in document["diagnostics"]] == [problem]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("references: [{name: r, apiVersion: v1, kind: A, resourceName: refs.r.x}]", "expression-check"),
        (
            "references: [&r {name: r, apiVersion: v1, kind: A, resourceName: object.spec.a}, *r]",
            "two references are named `r`",
        ),
        ("gang: [{name: g, from: main}]", "embeds no workload whose groups could be taken"),
        ("gang: [{name: g, members: [main/inner]}]", "embeds no workload of which `main/inner` could be a part"),
    ],
)
def test_contradictions_are_refused(spec: str, message: str) -> None:
    text = f"components: [{{name: main, podTemplate: object.spec.template}}]\n{spec}"
    with pytest.raises(ValueError, match=message):
        Catalog.builtin().with_documents([small_mapping(text)])


def test_every_source_of_every_case_leads_to_a_value() -> None:
    seen = 0
    for case in (entry.case for entry in whole_suite()):
        expected = case.expect.get("document")
        if expected is None:
            continue
        pending = [instance for part in expected.get("components", []) for instance in part["instances"]]
        while pending:
            instance = pending.pop()
            pending += [inner for part in instance.get("components", []) for inner in part["instances"]]
            for source in instance.get("sources", {}).values():
                if source.startswith("/"):
                    resolve(case.request["object"], source)
                    seen += 1
    assert seen > 1000


def test_the_command_tells_how_to_fetch_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(small_mapping(CHAIN)), encoding="utf-8")
    file = tmp_path / "thing.json"
    file.write_text(json.dumps(thing(link="a", template=TEMPLATE)), encoding="utf-8")
    assert main(["map", "-m", str(rules), str(file)]) == 1
    errors = capsys.readouterr().err
    assert "Thing w refers to Link a, which is not in the input" in errors
    assert "kubectl get link.v1.x.example a -o yaml" in errors

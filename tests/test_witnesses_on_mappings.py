"""Every expression of every shipped mapping, on every object there is, means the same to three CEL engines."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import catalog_cases, shared_dir
from workloadmap_spec import Catalog, WorkloadMapError
from workloadmap_spec.cel import ABSENT, compile_path, path_of, roots_used
from workloadmap_spec.cel.witness import Outcome, agree, witness
from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.documents import load_path, normalize
from workloadmap_spec.field_compiler import native_engine
from workloadmap_spec.read import read
from workloadmap_spec.values import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workloadmap_spec.cel import Node
    from workloadmap_spec.mapping import CompiledMapping
    from workloadmap_spec.values import Program

#: An expression, and what the variables it names were bound to, as JSON text.
Evaluation = tuple[str, str]


#: A workload, its pods, and the objects that it refers to, if any are given.
Input = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]] | None]


def objects() -> Iterator[Input]:
    """The workloads of the catalogue cases and of the shared samples and recordings, with what belongs to them."""
    for case in catalog_cases():
        if isinstance(case.request.get("object"), dict):
            yield case.request["object"], case.request.get("pods", []), case.request.get("references")
    folder = shared_dir()
    for path in sorted((folder / "upstream").glob("*/samples/*.yaml")) if folder is not None else []:
        for document in documents(path):
            if isinstance(document, dict):
                yield document, [], None
    for path in sorted((folder / "upstream").glob("workload-map/recorded/*.yaml")) if folder is not None else []:
        for document in documents(path):
            for state in document["states"]:
                yield state["object"], [], None


def documents(path: Path) -> list[Any]:
    """The documents of a file that can be read; samples with a duplicate key cannot."""
    found = []
    try:
        found += [document.value for document in load_path(path)]
    except WorkloadMapError:
        return found
    return found


class _Recorder:
    """An engine that notes what it is asked, and what our own evaluator says."""

    def __init__(self) -> None:
        self.asked: dict[Evaluation, Outcome] = {}

    def __call__(self, tree: Node, text: str) -> Program:
        program = native_engine(tree, text)
        roots = roots_used(tree)

        def run(env: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
            bindings = json.dumps({name: env[name] for name in roots}, sort_keys=True)
            try:
                value = program(env)
            except WorkloadMapError as error:
                self.asked[text, bindings] = ("error", str(error))
                raise
            self.asked[text, bindings] = ("value", value)
            return value

        return run


@cache
def evaluations() -> dict[Evaluation, Outcome]:
    """Every evaluation of an expression while all objects are read or written, and of every path on all of them."""
    recorder = _Recorder()
    shipped = {id(mapping): mapping for mapping in Catalog.builtin().mappings()}
    recording = {key: compile_mapping(mapping.document, engine=recorder) for key, mapping in shipped.items()}

    def find(api_version: str, kind: str) -> CompiledMapping:
        return recording[id(Catalog.builtin().find(api_version, kind))]

    for workload, pods, references in objects():
        try:
            mapping = find(str(workload.get("apiVersion")), str(workload.get("kind")))
            Catalog.builtin().read(workload, pods=pods, references=references)
        except WorkloadMapError:
            continue
        normal = normalize(workload)
        given = None if references is None else tuple(map(normalize, references))
        session = Session(Diagnostics(), find, given)
        read(mapping, normal, [normalize(pod) for pod in pods], session=session)
        view = {"metadata": {"labels": {}, "annotations": {}}, "spec": {}, "status": {}} | normal
        view["metadata"] = {"labels": {}, "annotations": {}} | view["metadata"]
        for expression in mapping.expressions:
            path = path_of(expression.tree)
            if path is not None and path.root == "object" and roots_used(expression.tree) == {"object"}:
                value = compile_path(path)({"object": view})
                outcome: Outcome = ("error", "absent") if value is ABSENT else ("value", value)
                # Half of the objects have the same there; what else an object has is nothing to a path.
                bindings = {"object": {name: view[name] for name in path.steps[:1] if name in view} or view}
                recorder.asked[expression.text, json.dumps(bindings, sort_keys=True)] = outcome
    writer = Catalog([]).with_documents([mapping.document for mapping in shipped.values()], recorder)
    for case in catalog_cases():
        if case.request.get("do") == "update":
            with suppress(WorkloadMapError):
                writer.update(case.request["object"], case.request["intent"], case.request.get("references"))
    return recorder.asked


def test_every_expression_of_the_mappings_is_evaluated_on_something() -> None:
    evaluated = {text for text, _bindings in evaluations()}
    unseen = [
        f"{mapping.name} {expression.at}: {expression.text}"
        for mapping in Catalog.builtin().mappings()
        for expression in mapping.expressions
        if path_of(expression.tree) is None and expression.text not in evaluated
    ]
    assert unseen == []


@pytest.mark.parametrize("engine", ["cel-python", "cel-cpp"])
def test_a_witness_agrees_on_every_evaluation(engine: str) -> None:
    if engine == "cel-cpp":
        pytest.importorskip("cel_expr_python")
    asked = evaluations()
    assert len(asked) > 1000
    with witness(engine) as other:
        wrong = []
        for (text, bindings), ours in asked.items():
            theirs = other.evaluate(text, json.loads(bindings))
            if not agree(ours, theirs):
                wrong.append(f"{text}\n  on {bindings[:300]}\n  ours {ours}, {engine} {theirs}")
    assert wrong == [], f"{len(wrong)} of {len(asked)}:\n" + "\n".join(wrong[:10])

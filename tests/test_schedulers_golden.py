"""What each scheduler is given for each kind of workload, against what its rules ask for.

The expected values were written from the schedulers' formats before there was any output.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.schedulers.model import Options
from workloadmap_spec.schedulers.render import FORMATS, full_version

INPUTS = Path(__file__).parent / "data" / "schedulers"
EXPECTED = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((INPUTS / "expected").glob("*.yaml"))}

ROWS = [(name, form) for name, forms in EXPECTED.items() for form in forms]


def rendered(name: str, form: str, queue: str | None = None, priority: str | None = None) -> dict[str, Any]:
    """The document for an input; a form is a scheduler and, behind a space, a version of its API."""
    scheduler, _, version = form.partition(" ")
    workload, *references = yaml.safe_load_all((INPUTS / f"{name}.yaml").read_text())
    wanted = Options(full_version(scheduler, version or None), queue, priority)
    return Catalog.builtin().gang(workload, scheduler, wanted, references).to_dict()


def short(document: dict[str, Any]) -> dict[str, Any]:
    """A document as the expected ones are written: without what `test_documents_are_whole` looks at."""
    found: dict[str, Any] = {}
    objects = [
        {"kind": one["kind"], "name": one["metadata"]["name"], "spec": one["spec"]} for one in document["objects"]
    ]
    if objects:
        found["objects"] = objects
    bindings = {}
    for entry in document["bindings"]:
        own = {name: entry[name] for name in ("labels", "annotations", "spec") if name in entry}
        if entry["binding"] == "perPod":
            own["perPod"] = {
                one["group"]: {name: value for name, value in one.items() if name not in ("group", "at")}
                for one in entry["perPod"]
            }
        bindings[f"{entry['component']} {entry['instance']}"] = own
    if bindings:
        found["bindings"] = bindings
    if "workloadBinding" in document:
        found["workload"] = document["workloadBinding"]
    messages = [
        f"{one['severity']}: {one['group'] + ': ' if 'group' in one else ''}{one['message']}"
        for one in document.get("messages", ())
    ]
    if messages:
        found["messages"] = messages
    return found


@pytest.mark.parametrize(("name", "form"), ROWS)
def test_what_a_scheduler_is_given(name: str, form: str) -> None:
    """Objects, bindings and messages are those of the scheduler's rules."""
    assert short(rendered(name, form, queue="team-a", priority="high")) == EXPECTED[name][form]


@pytest.mark.parametrize("name", EXPECTED)
def test_every_scheduler_is_expected(name: str) -> None:
    """No scheduler is left out of an input."""
    assert set(FORMATS) <= {form.partition(" ")[0] for form in EXPECTED[name]}


def test_every_input_is_expected() -> None:
    """No input is left out."""
    assert set(EXPECTED) == {path.stem for path in INPUTS.glob("*.yaml")}


@pytest.mark.parametrize(("name", "form"), ROWS)
def test_documents_are_whole(name: str, form: str) -> None:
    """Every object is of the version that is told, lies where the workload does, and belongs to it."""
    workload = next(yaml.safe_load_all((INPUTS / f"{name}.yaml").read_text()))
    document = rendered(name, form)
    assert document["workload"]["name"] == workload["metadata"]["name"]
    assert document["format"] == form.partition(" ")[0]
    owner = {"apiVersion": workload["apiVersion"], "kind": workload["kind"]}
    owner |= {key: workload["metadata"][key] for key in ("name", "uid")}
    names = [(one["kind"], one["metadata"]["name"]) for one in document["objects"]]
    assert len(set(names)) == len(names)
    for one in document["objects"]:
        assert one["apiVersion"] == document["apiVersion"]
        assert one["metadata"]["namespace"] == "ml"
        assert one["metadata"]["ownerReferences"] == [owner]
    for entry in document["bindings"]:
        for one in entry.get("perPod", ()):
            assert one["at"]

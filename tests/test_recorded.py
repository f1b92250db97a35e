"""Objects recorded in real clusters: the phase is the one that a person gave each of them, from that object alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.conftest import shipped_kinds
from workloadmap_spec import Catalog

if TYPE_CHECKING:
    from pathlib import Path

KINDS = shipped_kinds()

#: The recordings of these kinds, and how many states each has.
RECORDINGS = {
    "cronjob-running.yaml": 1,
    "cronjob-suspended.yaml": 2,
    "deployment-initializing.yaml": 2,
    "deployment-scaled.yaml": 13,
    "dynamographdeployment-running.yaml": 7,
    "inferenceservice-running.yaml": 7,
    "job-completed.yaml": 4,
    "job-running.yaml": 2,
    "job-suspended.yaml": 1,
    "jobset-failed.yaml": 6,
    "jobset-running.yaml": 2,
    "knativeservice-running.yaml": 7,
    "leaderworkerset-running.yaml": 3,
    "llminferenceservice-failed.yaml": 2,
    "llminferenceservice-running.yaml": 4,
    "milvus-running.yaml": 8,
    "mpijob-completed.yaml": 3,
    "mpijob-running.yaml": 3,
    "mpijob-suspended.yaml": 1,
    "nimservice-initializing.yaml": 3,
    "pod-failed.yaml": 7,
    "pod-running.yaml": 5,
    "podcliqueset-initializing.yaml": 1,
    "podcliqueset-running.yaml": 7,
    "pytorchjob-running.yaml": 2,
    "pytorchjob-suspended.yaml": 1,
    "raycluster-running.yaml": 4,
    "raycluster-suspended.yaml": 1,
    "rayjob-completed.yaml": 7,
    "rayjob-running.yaml": 8,
    "sandbox-running.yaml": 3,
    "sandbox-suspended.yaml": 1,
    "statefulset-scaled.yaml": 17,
}

#: States whose phase is another one than the person gave: by recording and number, the phase, and why it is right.
MISSES: dict[tuple[str, int], tuple[str, str]] = {}


def recording(shared: Path, name: str) -> dict[str, Any]:
    """One recording."""
    text = (shared / "upstream" / "workload-map" / "recorded" / name).read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_state_has_the_phase_that_a_person_gave_it(shared: Path, name: str) -> None:
    """The phase is `right`, or one of `also`, and nothing goes wrong on the way."""
    states = recording(shared, name)["states"]
    assert len(states) == RECORDINGS[name]
    for index, state in enumerate(states):
        found = Catalog.builtin().read(state["object"]).to_dict()
        # A serving runtime that is not given is told, and is no fault.
        faults = [entry for entry in found.get("diagnostics", ()) if entry["severity"] != "info"]
        assert faults == [], index
        accepted = {state["right"], *state.get("also", ())}
        if (name, index) in MISSES:
            accepted = {MISSES[name, index][0]}
        assert found["status"]["phase"] in accepted, (index, state.get("note"))


def test_at_most_one_state_in_a_hundred_is_judged_otherwise() -> None:
    """The table of misses stays short."""
    assert len(MISSES) <= sum(RECORDINGS.values()) * 0.01


def test_the_table_names_every_recording_of_these_kinds(shared: Path) -> None:
    """A recording that somebody adds is read too."""
    folder = shared / "upstream" / "workload-map" / "recorded"
    kinds = {path.name: recording(shared, path.name)["gvk"] for path in folder.glob("*.yaml")}
    read = {name for name, gvk in kinds.items() if (api_version(gvk), gvk["kind"]) in KINDS}
    assert read == set(RECORDINGS)


def api_version(gvk: dict[str, str]) -> str:
    """The API version of a group and a version."""
    return f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]

"""The adapters in conformance/README.md run as they stand there, and the lines beside them are messages."""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import whole_suite
from workloadmap_spec.conformance.expected import load_expectations
from workloadmap_spec.conformance.runner import Options, run_suite
from workloadmap_spec.files import conformance_path, schema_path

if TYPE_CHECKING:
    from pathlib import Path

TEXT = conformance_path("README.md").read_text(encoding="utf-8")
ADAPTERS = dict(re.findall(r"<!-- adapter: (\w+) -->\n```\w+\n(.*?)```", TEXT, re.DOTALL))

#: How an adapter is run: the name of its file, and what stands before that.
PROGRAMS = {
    "python": ("adapter.py", [sys.executable]),
    "javascript": ("adapter.mjs", ["node"]),
    "go": ("adapter.go", ["go", "run"]),
}


def test_there_is_an_adapter_for_each_language() -> None:
    assert set(ADAPTERS) == set(PROGRAMS)


@pytest.mark.parametrize("language", PROGRAMS)
def test_an_adapter_answers_every_case_of_its_profile(tmp_path: Path, language: str) -> None:
    """It does nothing yet, and says so; a language that is not installed is not tried."""
    name, program = PROGRAMS[language]
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed")
    path = tmp_path / name
    path.write_text(ADAPTERS[language], encoding="utf-8")
    run = run_suite(whole_suite(), Options([*program, str(path)], hello_timeout=60.0, sample=10))
    assert {result.outcome for result in run.results} == {"unsupported"}
    assert len(run.results) == 10


def test_the_messages_shown_are_messages() -> None:
    schema = json.loads(schema_path("conformance-message.schema.json").read_text(encoding="utf-8"))
    blocks = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) == 4
    for line in lines:
        assert Draft202012Validator(schema).is_valid(json.loads(line)), line


def test_the_list_shown_is_a_list(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    path = tmp_path / "list.yaml"
    path.write_text(block, encoding="utf-8")
    assert load_expectations(str(path))[0].matches("engine/gang/subgroups/per-replica")

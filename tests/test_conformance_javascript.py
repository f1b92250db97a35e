"""The reader in JavaScript passes the engine cases, where it is installed (`npm ci`, as in `make conformance`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import whole_suite
from workloadmap_spec.conformance.runner import Options, run_suite

READER = Path(__file__).resolve().parents[1] / "conformance" / "readers" / "javascript"


def test_the_second_reader_gives_the_same_for_every_engine_case() -> None:
    """The cases of the catalogue are for `make conformance`."""
    if shutil.which("node") is None or not (READER / "node_modules").is_dir():
        pytest.skip("the reader in JavaScript is not installed")
    suite = [case for case in whole_suite() if case.profile != "catalog"]
    run = run_suite(suite, Options(["node", str(READER / "reader.js")]))
    assert [result.case.id for result in run.results if result.verdict != "passed"] == []
    assert len(run.results) == len(suite)

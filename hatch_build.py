"""The part of the build that makes something: a wheel carries the conformance cases as lines of JSON, not as YAML."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg] # the argument is not there at run time
    """Writes the cases beside the tree, and has them put into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the cases; an editable install reads those of the checkout."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from workloadmap_spec.conformance.lines import render_lines  # noqa: PLC0415 - of the tree that is built
        from workloadmap_spec.conformance.suite import load_suite  # noqa: PLC0415
        from workloadmap_spec.files import CASES_FILE  # noqa: PLC0415

        self.folder = TemporaryDirectory()
        made = Path(self.folder.name, CASES_FILE)
        made.write_bytes(render_lines(load_suite()).encode())
        build_data["force_include"][str(made)] = f"workloadmap_spec/data/conformance/{CASES_FILE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was written."""
        if version != "editable":
            self.folder.cleanup()

"""A report as JSON, for programs: `validation-report.schema.json` describes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from workloadmap_spec import __version__
from workloadmap_spec.schemas import API_VERSION
from workloadmap_spec.validation.formats.words import TOOL, encodable

if TYPE_CHECKING:
    from workloadmap_spec.validation.findings import Report
    from workloadmap_spec.validation.formats import Options

KIND = "ValidationReport"


def document(report: Report) -> dict[str, Any]:
    """The report as plain data; the version of its form is that of all documents of the specification."""
    tool = {"name": TOOL, "version": __version__}
    return {"apiVersion": API_VERSION, "kind": KIND, "tool": tool, **report.to_json()}


def render(report: Report, options: Options) -> str:
    """All that was found, suppressed findings too, and what was not looked at."""
    del options
    return dumped(document(report))


def dumped(data: dict[str, Any]) -> str:
    """Plain data as JSON that can be written as UTF-8."""
    return f"{encodable(json.dumps(data, indent=2, ensure_ascii=False))}\n"

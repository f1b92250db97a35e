"""A report as Markdown, for the summary page of a CI system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.conformance.report import difference_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def render_markdown(report: Mapping[str, Any], problems: Sequence[str] = ()) -> str:
    """The report: a table of profiles, and the cases that are not right."""
    implementation = report["implementation"]
    lines = [
        f"## Conformance of {implementation['name']} {implementation['version']}",
        "",
        f"Suite {report['suite']['version']} of {report['suite']['specVersion']}, seed {report['run']['seed']}"
        + (", only a part of what the reader claims" if report["run"]["narrowed"] else "")
        + ".",
        "",
        "| profile | verdict | passed | failed | errored | expected failures | skipped |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for profile in report["profiles"]:
        counts = profile["required"]
        cells = [
            f"`{profile['name']}`",
            profile["verdict"],
            f"{counts['passed']}/{sum(counts.values())}",
            str(counts["failed"]),
            str(counts["errored"] + counts["notRun"]),
            str(counts["expectedFailed"]),
            str(counts["skipped"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if "stopped" in report["run"]:
        lines += ["", f"**Stopped**: {report['run']['stopped']}."]
    if problems:
        lines += ["", "### Expected failures", "", *(f"- {problem}" for problem in problems)]
    wrong = [case for case in report["cases"] if case["verdict"] in ("failed", "errored")]
    if wrong:
        lines += ["", "### Not right", ""]
    for case in wrong:
        told = [*([case["message"]] if "message" in case else []), *difference_lines(case)]
        lines += [f"<details><summary><code>{case['id']}</code>: {case['outcome']}</summary>", "", "```text"]
        lines += [*"\n".join(told).replace("```", "'''").split("\n"), "```", "", "</details>"]
    return "\n".join(lines) + "\n"

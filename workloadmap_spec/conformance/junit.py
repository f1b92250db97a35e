"""A report as JUnit XML, which every CI system shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import quoteattr

from workloadmap_spec.conformance.report import difference_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Characters that XML 1.0 forbids.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(report: Mapping[str, Any]) -> str:
    """The report: a test suite for each profile, a test case for each case; wrong answers are failures."""
    totals = report["totals"]
    cases = {case["id"]: case for case in report["cases"]}
    head = {
        "name": "workloadmap conformance",
        "tests": len(cases) + sum(len(profile.get("skipped", ())) for profile in report["profiles"]),
        "failures": totals["failed"],
        "errors": totals["errored"] + totals["notRun"],
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{attributes(head)}>"]
    for profile in report["profiles"]:
        lines += _suite(profile, report, cases)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite(profile: Mapping[str, Any], report: Mapping[str, Any], cases: Mapping[str, Any]) -> Iterator[str]:
    """The test suite of a profile."""
    counts, name = profile["required"], profile["name"]
    ids = [case["id"] for case in cases.values() if case["profile"] == name]
    head = {
        "name": name,
        "tests": len(ids) + counts["skipped"],
        "failures": counts["failed"],
        "errors": counts["errored"] + counts["notRun"],
        "skipped": counts["skipped"] + counts["expectedFailed"],
        "time": f"{sum(cases[identity]['ms'] for identity in ids) / 1000:.3f}",
    }
    yield f"  <testsuite{attributes(head)}>"
    yield "    <properties>"
    properties = {
        "suite.version": report["suite"]["version"],
        "suite.digest": report["suite"]["digest"],
        "implementation": f"{report['implementation']['name']} {report['implementation']['version']}",
    }
    for key, value in properties.items():
        yield f"      <property{attributes({'name': key, 'value': value})}/>"
    yield "    </properties>"
    for identity in ids:
        yield from _case(cases[identity], name)
    for identity in profile.get("skipped", ()):
        yield f"    <testcase{attributes({'name': identity, 'classname': f'workloadmap.{name}', 'time': '0.000'})}>"
        yield '      <skipped message="left out by name"/>'
        yield "    </testcase>"
    yield "  </testsuite>"


def _case(case: Mapping[str, Any], profile: str) -> Iterator[str]:
    """One test case."""
    head = {"name": case["id"], "classname": f"workloadmap.{profile}", "time": f"{case['ms'] / 1000:.3f}"}
    verdict = case["verdict"]
    if verdict == "passed":
        yield f"    <testcase{attributes(head)}/>"
        return
    yield f"    <testcase{attributes(head)}>"
    if verdict == "expected-failure":
        yield f"      <skipped{attributes({'message': case['reason']})}/>"
    else:
        element = "failure" if verdict == "failed" else "error"
        told = {"type": case["outcome"], "message": case.get("message", "the answer differs")}
        text = "\n".join([*difference_lines(case), *([case["stderr"]] if "stderr" in case else [])])
        yield f"      <{element}{attributes(told)}>{content(text)}</{element}>"
    yield "    </testcase>"


def attributes(values: Mapping[str, object]) -> str:
    """Attributes, quoted."""
    return "".join(f" {name}={quoteattr(_allowed(str(value)))}" for name, value in values.items())


def content(text: str) -> str:
    """Text between tags."""
    return _allowed(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _allowed(text: str) -> str:
    """A text without what XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)

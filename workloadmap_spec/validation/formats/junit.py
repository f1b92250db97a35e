"""A report as JUnit XML: a test for each file and group of rules, so that what is right is seen too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import clean, clean_lines
from workloadmap_spec.conformance.junit import attributes, content
from workloadmap_spec.validation.formats.words import first_line, place, unchecked_line
from workloadmap_spec.validation.rules import levels_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workloadmap_spec.validation.findings import Finding, Report, Unchecked
    from workloadmap_spec.validation.formats import Options
    from workloadmap_spec.validation.rules import Level

#: The groups of rules by their digit, and what they are about.
_GROUPS: Final = {
    "0": "syntax",
    "1": "schema",
    "2": "semantics",
    "3": "expressions",
    "4": "cases",
    "5": "schema of the kind",
    "9": "suppressions",
}
_KIND: Final = "5"

_SUPPRESSIONS: Final = {"comment": "a comment", "configuration": "the configuration"}


@dataclass(frozen=True, slots=True)
class _Test:
    """A test: its name, the elements in it, and what became of it."""

    name: str
    inside: tuple[str, ...] = ()
    failed: bool = False
    skipped: bool = False


def render(report: Report, options: Options) -> str:
    """A test suite for each file; what is below the level that fails is output of its test."""
    suites = list(_suites(report, options.fail_level))
    head = _head("workloadmap validate", [test for _, tests in suites for test in tests])
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{head}>"]
    for file, tests in suites:
        lines += _suite(file, tests)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _head(name: str, tests: Sequence[_Test]) -> str:
    """The attributes of a suite, or of all of them."""
    counts = {
        "tests": len(tests),
        "failures": sum(test.failed for test in tests),
        "errors": 0,
        "skipped": sum(test.skipped for test in tests),
    }
    return attributes({"name": name, **counts})


def _suite(file: str, tests: Sequence[_Test]) -> Iterator[str]:
    """A test suite."""
    yield f"  <testsuite{_head(clean(file), tests)}>"
    for test in tests:
        head = attributes({"name": test.name, "classname": clean(file)})
        if test.inside:
            yield f"    <testcase{head}>"
            yield from (f"      {element}" for element in test.inside)
            yield "    </testcase>"
        else:
            yield f"    <testcase{head}/>"
    yield "  </testsuite>"


def _suites(report: Report, fail_level: Level) -> Iterator[tuple[str, list[_Test]]]:
    """The tests of each file: of those that were checked or have findings, then of those that were skipped."""
    by_file: dict[str, dict[str, list[Finding]]] = {file: {} for file in report.files}
    for finding in report.findings:
        by_file.setdefault(finding.file, {}).setdefault(finding.rule[2], []).append(finding)
    unchecked: dict[str, list[Unchecked]] = {}
    for entry in report.unchecked:
        by_file.setdefault(entry.file, {})
        unchecked.setdefault(entry.file, []).append(entry)
    for file, groups in by_file.items():
        yield (
            file,
            [
                _test(f"WM{digit}xx {about}", groups.get(digit, []), places, fail_level)
                for digit, about in _GROUPS.items()
                for places in [unchecked.get(file, []) if digit == _KIND else []]
                if digit != _KIND or report.against_crd is not None or digit in groups or places
            ],
        )
    for skipped in report.skipped:
        element = f"<skipped{attributes({'message': clean(skipped.reason)})}/>"
        yield skipped.file, [_Test("skipped", (element,), skipped=True)]


def _test(name: str, findings: Iterable[Finding], unchecked: Iterable[Unchecked], fail_level: Level) -> _Test:
    """The test of a group of rules; one failure stands for all, as readers of the format show one."""
    failing = levels_from(fail_level)
    failures: list[Finding] = []
    told: list[str] = []
    for finding in findings:
        if finding.suppressed is None and finding.level in failing:
            failures.append(finding)
        else:
            told += _lines(finding)
    told += [unchecked_line(entry) for entry in unchecked]
    inside = []
    if failures:
        first = clean(failures[0].message)
        message = first if len(failures) == 1 else f"{len(failures)} findings, the first: {first}"
        text = "\n".join([line for finding in failures for line in _lines(finding)])
        head = attributes({"type": failures[0].code, "message": message})
        inside.append(f"<failure{head}>{content(text)}</failure>")
    if told:
        text = "\n".join(told)
        inside.append(f"<system-out>{content(text)}</system-out>")
    return _Test(name, tuple(inside), failed=bool(failures))


def _lines(finding: Finding) -> Iterator[str]:
    """A finding as text, with why it is suppressed, the cure, and other places."""
    yield first_line(finding)
    if finding.suppressed is not None:
        yield f"  suppressed by {_SUPPRESSIONS[finding.suppressed.kind]}: {clean(finding.suppressed.reason)}"
    if finding.help:
        yield from (f"  {line}" for line in clean_lines(finding.help).split("\n"))
    yield from (f"  {place(other)}: {clean(other.message)}" for other in finding.related)

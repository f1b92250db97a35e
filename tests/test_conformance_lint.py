"""The cases of the suite are sound, and every way in which a case can be worthless is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import whole_suite
from workloadmap_spec.cli import main
from workloadmap_spec.conformance.lint import clauses, coverage, lint, untestable
from workloadmap_spec.conformance.suite import SuiteCase, load_suite
from workloadmap_spec.files import schema_path

if TYPE_CHECKING:
    from pathlib import Path

#: How many engine cases each profile has at least.
LEAST = {"core": 120, "status": 50, "resources": 30, "pods": 40, "gang": 40, "references": 30}


def test_nothing_is_wrong_with_the_suite() -> None:
    assert lint(whole_suite()) == []


def test_every_profile_has_its_cases() -> None:
    suite = whole_suite()
    for profile, least in LEAST.items():
        assert sum(case.profile == profile for case in suite) >= least, profile
    beginning = [case.case.expect for case in suite if "core.paths" in case.tags]
    assert len(beginning) >= 60
    assert sum(expect["outcome"] == "rejected" for expect in beginning) >= 10
    assert sum("diagnostics" in expect.get("document", {}) for expect in beginning) >= 10


def test_every_clause_is_tested_or_has_a_reason() -> None:
    counts = coverage(whole_suite())
    assert list(counts) == list(clauses())
    assert {clause for clause, count in counts.items() if not count} == set(untestable())
    # The clauses are those of the text, and not of a list beside it.
    assert schema_path("SPEC.md").read_text(encoding="utf-8").count("\n**S") >= len(clauses()) - 1


GOOD = """
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: engine/core/good
title: a case that is accepted
clauses: [S4.1]
provenance: hand
mappings:
- apiVersion: workloadmap.dev/v1alpha1
  kind: WorkloadMapping
  metadata: {name: thing}
  spec:
    workload: {group: x.example, versions: [v1], kind: Thing}
    components: [{name: main, replicas: object.spec.n, podTemplate: object.spec.template}]
object: {apiVersion: x.example/v1, kind: Thing}
expect:
  outcome: ok
  document:
    apiVersion: workloadmap.dev/v1alpha1
    kind: WorkloadMap
    workload: {apiVersion: x.example/v1, kind: Thing}
    mapping: {name: thing}
    totals: {pods: 0}
"""
BAD = (
    GOOD.partition("expect:")[0].replace("/good", "/bad").replace("kind: Thing}\nexp", "kind: 1}\nexp")
    + "twin: engine/core/good\nexpect: {outcome: rejected, class: input-invalid}\n"
).replace("object: {apiVersion: x.example/v1, kind: Thing}", "object: {apiVersion: x.example/v1, kind: 1}")


def cases(folder: Path, *texts: str) -> list[SuiteCase]:
    """Cases in files of a folder of conformance cases."""
    for number, text in enumerate(texts):
        name = text.partition("id: ")[2].partition("\n")[0]
        path = folder / "conformance" / "cases" / f"{name or number}.case.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_suite([folder])


def problems(folder: Path, *texts: str) -> list[str]:
    """What is wrong with cases, without what is said of the clauses that they leave out."""
    found = [problem for problem in lint(cases(folder, *texts)) if "no engine case names" not in problem]
    return [problem.partition(".case.yaml:")[2].partition("\n")[0] for problem in found]


def test_a_good_pair_has_no_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD, BAD) == []


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        (GOOD.replace("clauses: [S4.1]", "clauses: [S99.1]"), BAD, "there is no clause S99.1"),
        (GOOD.replace("clauses: [S4.1]\n", ""), BAD, "an engine case names the clauses that it tests"),
        (GOOD.replace("provenance: hand\n", ""), BAD, "derived by hand"),
        (GOOD.replace("provenance", "features: [core.magic]\nprovenance"), BAD, "there is no feature `core.magic`"),
        (
            GOOD.replace("core/good", "magic/good"),
            BAD.replace("core/good", "magic/good"),
            "there is no profile `magic`",
        ),
        (GOOD + "# more\n" * 200, BAD, "at most 200 lines"),
        (GOOD, BAD.replace("twin: engine/core/good\n", ""), "a rejected case names an accepted one"),
        (GOOD, BAD.replace("twin: engine/core/good", "twin: engine/core/bad"), "a rejected case names an accepted one"),
        (GOOD, BAD.replace("{name: thing}", "{name: other}"), "differs from engine/core/good in 2 places"),
        (GOOD, BAD.replace("kind: 1", "kind: Thing"), "differs from engine/core/good in 0 places"),
        (GOOD, BAD.replace("class: input-invalid", "anyClass: [no-mapping, input-invalid]"), "why readers may differ"),
        (
            GOOD.replace("provenance", "tags: [core.paths]\nprovenance").replace("object.spec.n,", "1 + 1,"),
            BAD.replace("object.spec.n,", "1 + 1,"),
            "`1 + 1` is no path",
        ),
        (
            GOOD.replace("provenance", "tags: [core.paths]\nprovenance"),
            BAD.replace("provenance", "tags: [core.paths]\nprovenance").replace("object.spec.n,", "1 +,"),
            "`1 +` is no path",
        ),
        (
            GOOD,
            BAD.replace("provenance", "tags: [core.paths]\nprovenance"),
            "its twin engine/core/good has no tag core.paths",
        ),
    ],
    ids=lambda value: value if len(value) < 80 else "",
)
def test_a_case_that_is_worthless_is_found(tmp_path: Path, good: str, bad: str, message: str) -> None:
    found = problems(tmp_path, good, bad)
    assert any(message in problem for problem in found), found


def test_the_same_input_twice_is_found(tmp_path: Path) -> None:
    again = GOOD.replace("core/good", "core/good-again")
    assert any("the input is that of engine/core/good" in problem for problem in problems(tmp_path, GOOD, again))


TEXT = """
apiVersion: workloadmap.dev/v1alpha1
kind: ConformanceCase
id: engine/core/NAME
title: a mapping that is given as text
clauses: [S2.6]
provenance: hand
features: [core.yaml-text]
mappingText: |
  apiVersion: workloadmap.dev/v1alpha1
  kind: WorkloadMapping
  metadata: {name: thing}
  spec:
    workload: {group: x.example, versions: [v1], kind: Thing}
    components: []LINE
object: {apiVersion: x.example/v1, kind: Thing}
"""


def test_a_case_of_validation_needs_no_workload(tmp_path: Path) -> None:
    """What it is rejected for must still be one edit away from what is accepted."""
    right = GOOD.partition("object:")[0].replace("clauses:", "do: validate\nclauses:") + "expect: {outcome: ok}\n"
    wrong = right.replace("/good", "/bad").replace("kind: Thing}", "kind: thing}")
    wrong = (
        wrong.partition("expect:")[0] + "twin: engine/core/good\nexpect: {outcome: rejected, class: mapping-schema}\n"
    )
    assert problems(tmp_path, right, wrong) == []


def test_a_case_of_text_differs_in_a_line(tmp_path: Path) -> None:
    right = TEXT.replace("NAME", "right").replace("LINE", "") + "expect:" + GOOD.partition("expect:")[2]
    wrong = TEXT.replace("NAME", "wrong").replace("LINE", "\n  spec: {}")
    wrong += "twin: engine/core/right\nexpect: {outcome: rejected, class: mapping-syntax}\n"
    assert problems(tmp_path, right, wrong) == []
    more = wrong.replace("  metadata: {name: thing}\n", "").replace("  kind: WorkloadMapping\n", "")
    more = more.replace("  apiVersion: workloadmap.dev/v1alpha1\n  spec", "  spec")
    assert any("differs from engine/core/right" in problem for problem in problems(tmp_path, right, more))
    untold = right.replace("features: [core.yaml-text]\n", "")
    assert any("a case of text needs a feature" in problem for problem in problems(tmp_path, untold, wrong))


def test_a_case_that_violates_its_schema_is_told_alone(tmp_path: Path) -> None:
    (problem,) = lint(cases(tmp_path, GOOD.replace("provenance: hand", "provenance: dream")))
    assert "dream" in problem


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases(tmp_path, GOOD)
    assert main(["conformance", "lint", "--cases", str(tmp_path)]) == 4
    out, err = capsys.readouterr()
    assert out.startswith("1 cases, ")
    assert "no engine case names the clause S0.1" in err
    assert main(["conformance", "lint", "--coverage"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CLAUSE", "CASES", "UNTESTABLE"]
    assert any(line.startswith("S0.3") and untestable()["S0.3"] in line for line in lines)

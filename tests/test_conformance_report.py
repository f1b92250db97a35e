"""Reports of runs: verdicts, expected failures, exit codes, and the forms that they are written in."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.cases import Difference
from workloadmap_spec.cli.conformance_text import Call, render_human
from workloadmap_spec.cli.style import PLAIN
from workloadmap_spec.conformance import report as reports
from workloadmap_spec.conformance.expected import Expectation, apply, load_expectations, proposal
from workloadmap_spec.conformance.junit import render_junit
from workloadmap_spec.conformance.markdown import render_markdown
from workloadmap_spec.conformance.runner import Options, Result, Run
from workloadmap_spec.conformance.suite import SuiteCase, load_suite, suite_digest
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.files import cases_root
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from pathlib import Path

SUITE = load_suite([cases_root() / "engine" / "core" / "resolve", cases_root() / "engine" / "gang" / "ranges"])
CORE = [case for case in SUITE if case.profile == "core"]
GANG = [case for case in SUITE if case.profile == "gang"]

HELLO = {
    "protocol": 1,
    "implementation": {"name": "acme", "version": "0.3", "language": "rust"},
    "specVersions": ["v1alpha1"],
    "profiles": ["core", "gang"],
}


def passed(case: SuiteCase) -> Result:
    """A case that is right."""
    return Result(case, "ok", "passed", 1.25)


def failed(case: SuiteCase) -> Result:
    """A case with a wrong answer."""
    differences = (Difference("/totals/pods", 3, 4), Difference("/status", {"phase": "Running"}, "<\x00&>"))
    return Result(case, "ok", "failed", 2.0, differences, None, "a log line\n")


def rejected(case: SuiteCase) -> Result:
    """A case that is rejected and should not be."""
    return Result(case, "rejected", "failed", 2.0, (Difference("/outcome", "ok", "rejected"),), "input-invalid: no")


def crashed(case: SuiteCase) -> Result:
    """A case that ended the reader."""
    return Result(case, "crashed", "errored", 3.0, message="the reader was ended by signal SIGSEGV")


def run(*results: Result, **changes: Any) -> Run:  # noqa: ANN401 - as Run takes
    """A run with these results."""
    made = Run(HELLO, Options(["acme", "--serve"], seed=7), results, ("core", "gang"), (), 0.0, 1.5)
    return replace(made, **changes)


def report(*results: Result, reasons: dict[str, str] | None = None, skipped: list[str] | None = None) -> dict[str, Any]:
    """The report of a run, which fits its schema."""
    made = reports.make_report(run(*results), SUITE, reasons or {}, skipped or [])
    assert schema_problems(json.loads(json.dumps(made)), "ConformanceReport") == []
    return made


CALL = Call(["acme", "--serve", "two words"])

ALL = [passed(case) for case in SUITE]


def but(*others: Result) -> list[Result]:
    """All cases right but for these."""
    wrong = {result.case.id: result for result in others}
    return [wrong.get(result.case.id, result) for result in ALL]


def verdicts(made: dict[str, Any]) -> dict[str, str]:
    """The verdict of each profile."""
    return {profile["name"]: profile["verdict"] for profile in made["profiles"]}


def test_everything_right_is_a_pass() -> None:
    made = report(*ALL)
    assert verdicts(made) == {"core": "pass", "gang": "pass"}
    assert made["totals"]["passed"] == len(SUITE)
    assert made["suite"]["digest"] == suite_digest(SUITE)
    assert list(made)[-1] == "complete"
    assert reports.exit_code(made, []) == 0


@pytest.mark.parametrize("make", [failed, rejected, crashed], ids=["wrong", "rejected", "crashed"])
def test_one_case_that_is_not_right_fails_its_profile(make: Any) -> None:  # noqa: ANN401 - a maker of results
    made = report(*but(make(CORE[0])))
    assert verdicts(made) == {"core": "fail", "gang": "pass"}
    assert made["profiles"][0]["failed"] == [CORE[0].id]
    assert reports.exit_code(made, []) == 1


def test_an_expected_failure_makes_a_profile_partial() -> None:
    made = report(*but(failed(CORE[0])), reasons={CORE[0].id: "not yet"})
    assert verdicts(made) == {"core": "partial", "gang": "pass"}
    assert reports.exit_code(made, []) == 0
    assert reports.exit_code(made, [], require_pass=True) == 1
    assert reports.exit_code(made, ["a stale entry"]) == 1


def test_a_case_left_out_by_name_makes_a_profile_partial_and_narrows_the_run() -> None:
    made = report(*ALL[1:], skipped=[ALL[0].case.id])
    assert verdicts(made)["core"] == "partial"
    assert made["profiles"][0]["skipped"] == [ALL[0].case.id]
    assert made["run"]["narrowed"]


def test_a_profile_that_is_claimed_and_not_tested_is_wrong() -> None:
    made = report(*[passed(case) for case in CORE])
    assert reports.untested(made) == ["gang"]
    assert reports.exit_code(made, []) == 1
    assert "untested claim: gang is claimed, and no case tests it" in render_human(made, [], CALL, PLAIN)


def test_a_feature_that_is_claimed_and_not_tested_is_wrong() -> None:
    made = reports.make_report(run(*ALL, features=("core.yaml-text",)), SUITE, {})
    assert reports.untested(made) == ["core.yaml-text"]


def test_a_run_of_nothing_is_no_success() -> None:
    assert reports.exit_code(report(), []) == 5


def test_cases_that_were_not_run_are_wrong_and_said_first() -> None:
    results = [*ALL[:-1], Result(ALL[-1].case, "not-run", "not-run")]
    made = reports.make_report(run(*results, stopped="it ended 25 times"), SUITE, {})
    assert schema_problems(made, "ConformanceReport") == []
    assert reports.exit_code(made, []) == 1
    text = render_human(made, [], CALL, PLAIN)
    assert text.startswith("stopped: it ended 25 times; 1 cases were not run and count as wrong\n")
    assert "**Stopped**: it ended 25 times." in render_markdown(made)


def test_the_beginning_is_a_row_of_its_own_for_those_who_claim_no_more() -> None:
    hello = {**HELLO, "profiles": ["core.paths"]}
    made = reports.make_report(run(passed(CORE[0]), hello=hello, profiles=("core.paths",)), SUITE, {})
    assert [profile["name"] for profile in made["profiles"]] == ["core.paths"]


def test_long_values_are_cut_in_a_report() -> None:
    long = Result(CORE[0], "ok", "failed", 1.0, (Difference("/a", "x" * 300_000, "y"),))
    diff = report(*but(long))["cases"][0]["diff"][0]
    assert len(diff["expected"]) == 256 * 1024 + len("… (cut)")


# Forms


def test_the_words_say_what_is_wrong_and_how_to_ask_again() -> None:
    made = report(*but(failed(CORE[0]), crashed(GANG[0])))
    text = render_human(made, ["list.yaml:3: a stale entry"], CALL, PLAIN)
    assert text == (
        f"failed {CORE[0].id}: the answer differs\n"
        "  /totals/pods: expected 3, actual 4\n"
        '  /status: expected {"phase": "Running"}, actual "<\\u0000&>"\n'
        "  | a log line\n"
        f"  ask again: workloadmap conformance request {CORE[0].id} | acme --serve 'two words'\n"
        "\n"
        f"errored {GANG[0].id}: crashed\n"
        "  the reader was ended by signal SIGSEGV\n"
        f"  ask again: workloadmap conformance request {GANG[0].id} | acme --serve 'two words'\n"
        "\n"
        "FOLDER                PASSED\n"
        "engine/core/resolve   3/4\n"
        f"engine/gang/ranges    {len(GANG) - 1}/{len(GANG)}\n"
        "\n"
        "expected failures: list.yaml:3: a stale entry\n"
        "PROFILE   VERDICT   PASSED   FAILED   ERRORED   EXPECTED   SKIPPED\n"
        f"core      fail      3/4      1\n"
        f"gang      fail      {len(GANG) - 1}/{len(GANG)}             1\n"
        "\n"
        f"acme 0.3: {len(SUITE) - 2} of {len(SUITE)} cases passed in 1.5 s (seed 7)\n"
    )


def test_only_some_of_many_failures_are_told() -> None:
    many = [failed(CORE[0])] * 25
    cases = [{**entry, "id": f"engine/core/x{number}"} for number, entry in enumerate(report(*many)["cases"])]
    for most, told, rest in (
        (None, 10, "and 15 more cases that are not right; `--max-failures 25` shows all\n"),
        (24, 24, "and 1 more case that is not right; `--max-failures 25` shows all\n"),
        (0, 0, "and 25 more cases that are not right; `--max-failures 25` shows all\n"),
        (25, 25, ""),
    ):
        call = CALL if most is None else replace(CALL, max_failures=most)
        text = render_human({**report(*ALL), "cases": cases}, [], call, PLAIN)
        assert text.count("ask again") == told
        assert rest in text
        assert text.count(" more case") == bool(rest)


def test_folders_are_counted_where_a_profile_fails() -> None:
    """What passes as a whole needs no more than its row."""
    assert "FOLDER" not in render_human(report(*ALL), [], CALL, PLAIN)
    text = render_human(report(*but(failed(CORE[0]))), [], CALL, PLAIN)
    assert "\nengine/core/resolve   3/4\n" in text
    assert "engine/gang/ranges" not in text


def test_a_run_of_a_part_is_told_to_be_one() -> None:
    part = report(*ALL[1:], skipped=[ALL[0].case.id])
    for text in (render_human(part, [], CALL, PLAIN), render_markdown(part)):
        assert "nly a part of what the reader claims" in text
        assert "narrowed" not in text
    assert "a part" not in render_human(report(*ALL), [], CALL, PLAIN)


def test_more_differences_than_anybody_reads_are_counted() -> None:
    entry = {"diff": [{"pointer": f"/{number}", "expected": number} for number in range(30)]}
    lines = reports.difference_lines(entry)
    assert lines[0] == "/0: expected 0, actual nothing"
    assert lines[-1] == "and 10 more"


def test_junit_has_every_case_and_counts_that_agree() -> None:
    made = report(
        *but(failed(CORE[0]), crashed(CORE[1]), rejected(GANG[0]))[:-1],
        reasons={GANG[0].id: "not <yet>"},
        skipped=[ALL[-1].case.id],
    )
    root = ET.fromstring(render_junit(made))  # noqa: S314 - our own text
    assert root.attrib == {
        "name": "workloadmap conformance",
        "tests": str(len(SUITE)),
        "failures": "1",
        "errors": "1",
    }
    suites = {suite.attrib["name"]: suite for suite in root}
    assert [suite.attrib["tests"] for suite in root] == [str(len(suite.findall("testcase"))) for suite in root]
    assert suites["core"].attrib["failures"] == "1"
    assert suites["gang"].attrib["skipped"] == "2"
    failure = suites["core"].find("testcase/failure")
    assert failure is not None
    assert failure.attrib["type"] == "ok"
    # What XML forbids is replaced, what it escapes is not lost.
    assert "/status" in str(failure.text)
    assert "&" in str(failure.text)
    error = suites["core"].find("testcase/error")
    assert error is not None
    assert error.attrib == {"type": "crashed", "message": "the reader was ended by signal SIGSEGV"}
    assert [skip.attrib["message"] for skip in suites["gang"].iter("skipped")] == ["not <yet>", "left out by name"]


def test_markdown_has_a_table_and_the_cases_that_are_not_right() -> None:
    fenced = replace(crashed(CORE[0]), message="it said ``` and ended")
    text = render_markdown(report(*but(fenced)), ["a stale entry"])
    assert (
        f"| `core` | fail | 3/4 | 0 | 1 | 0 | 0 |\n| `gang` | pass | {len(GANG)}/{len(GANG)} | 0 | 0 | 0 | 0 |" in text
    )
    assert "- a stale entry" in text
    assert f"<code>{CORE[0].id}</code>: crashed" in text
    assert text.count("```") == 2


# Expected failures


def expectation(pattern: str, outcome: str | None = None) -> Expectation:
    """An entry of a list."""
    return Expectation(pattern, "not yet", outcome, Location("list.yaml", 4))


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("engine/core/resolve/by-version", True),
        ("engine/core/resolve/*", True),
        ("engine/core/*/by-version", True),
        ("engine/**", True),
        ("engine/*", False),
        ("engine/core/resolve/by", False),
        ("engine.core.resolve.by-version", False),
    ],
)
def test_patterns(pattern: str, *, matches: bool) -> None:
    assert expectation(pattern).matches("engine/core/resolve/by-version") is matches


@pytest.mark.parametrize(
    ("make", "outcome", "problem"),
    [
        pytest.param(failed, None, None, id="any-failure"),
        pytest.param(failed, "failed", None, id="a-wrong-answer"),
        pytest.param(rejected, "rejected:input-invalid", None, id="a-rejection"),
        pytest.param(rejected, "failed", None, id="a-rejection-is-a-wrong-answer"),
        pytest.param(crashed, "crashed", None, id="a-crash"),
        pytest.param(crashed, "timeout", "was to give timeout, and gave crashed", id="another-fault"),
        pytest.param(rejected, "rejected:no-mapping", "and gave rejected:input-invalid or failed", id="another-class"),
        pytest.param(passed, None, "passes; take it off the list", id="a-pass"),
    ],
)
def test_a_case_must_fail_as_it_is_said_to(make: Any, outcome: str | None, problem: str | None) -> None:  # noqa: ANN401
    reasons, problems = apply([expectation(CORE[0].id, outcome)], but(make(CORE[0])))
    if problem is None:
        assert (reasons, problems) == ({CORE[0].id: "not yet"}, [])
    else:
        assert reasons == {}
        (found,) = problems
        assert found.startswith("list.yaml:4: ")
        assert problem in found


def test_an_entry_that_names_nothing_or_too_much_is_wrong() -> None:
    reasons, problems = apply([expectation("engine/nothing"), expectation("**")], ALL * 2)
    assert reasons == {}
    assert problems == [
        "list.yaml:4: no case that was run is named `engine/nothing`",
        f"list.yaml:4: `**` names {2 * len(ALL)} cases, more than 20",
    ]


LIST = """
apiVersion: workloadmap.dev/v1alpha1
kind: ExpectedFailures
expectedFailures:
- {case: engine/core/*, outcome: timeout, reason: too slow so far}
"""


def test_a_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(LIST, encoding="utf-8")
    (entry,) = load_expectations(str(path))
    assert (entry.pattern, entry.outcome, entry.reason, entry.location.line) == (
        "engine/core/*",
        "timeout",
        "too slow so far",
        5,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LIST.replace("reason", "reson"), "reson"),
        (LIST.replace("timeout", "slow"), "outcome"),
        (LIST + "---\n" + LIST, "one document is wanted here"),
        ("a: [", "expected"),
    ],
    ids=["unknown-member", "unknown-outcome", "two-documents", "no-yaml"],
)
def test_a_list_that_is_wrong_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_expectations(str(path))


def test_a_list_that_does_not_exist_is_told() -> None:
    with pytest.raises(InputError, match="No such file"):
        load_expectations("nowhere.yaml")


def test_a_proposal_is_a_list_of_everything_that_fails() -> None:
    made = proposal(but(failed(CORE[0]), crashed(CORE[1])))
    assert schema_problems(made, "ExpectedFailures") == []
    assert [(entry["case"], entry["outcome"]) for entry in made["expectedFailures"]] == [
        (CORE[0].id, "failed"),
        (CORE[1].id, "crashed"),
    ]


def test_a_whole_run_against_our_reader_fits_the_schema() -> None:
    """Through the processes, and with every variant."""
    from workloadmap_spec.conformance.runner import run_suite  # noqa: PLC0415 - the only test that starts something

    command = [sys.executable, "-m", "workloadmap_spec", "reader"]
    told: list[tuple[int, int]] = []
    made = run_suite(SUITE, Options(command, jobs=2, variants=True), lambda done, total: told.append((done, total)))
    assert {result.verdict for result in made.results} == {"passed"}
    assert max(told) == (len(SUITE), len(SUITE))
    document = reports.make_report(made, SUITE, {})
    assert schema_problems(document, "ConformanceReport") == []

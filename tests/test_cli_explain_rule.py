"""The command `workloadmap explain`: how a rule may be named, and what is shown of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from workloadmap_spec.cli import main
from workloadmap_spec.files import rule_pages_root
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from workloadmap_spec.validation.rules import Rule


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code of the command, its output and its messages."""
    code = main(["explain", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def page(rule: str) -> str:
    """The page of a rule."""
    return (rule_pages_root() / f"{rule}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("WM203", "WM203"),
        ("wm203", "WM203"),
        ("203", "WM203"),
        ("001", "WM001"),
        ("gang-component", "WM203"),
        ("Gang-Component", "WM203"),
        ("P20", "WM320"),
        ("p01b", "WM331"),
        ("P01", "WM301"),
        ("WM302/P02", "WM302"),
        ("[WM302/P02]", "WM302"),
        (" WM203 ", "WM203"),
    ],
)
def test_a_rule_is_found_however_it_is_written(capsys: pytest.CaptureFixture[str], written: str, rule: str) -> None:
    assert ran(capsys, written) == (0, page(rule), "")


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_is_found_by_all_of_its_names(capsys: pytest.CaptureFixture[str], rule: Rule) -> None:
    for name in {rule.id, rule.id[2:], rule.name, rule.code, rule.profile or rule.id}:
        assert ran(capsys, name) == (0, page(rule.id), "")


@pytest.mark.parametrize(
    ("written", "cure"),
    [
        ("WM204x", "did you mean WM204 (not-a-place)? `workloadmap explain` lists the rules"),
        ("gang-components", "did you mean WM203 (gang-component)? `workloadmap explain` lists the rules"),
        ("P200", "did you mean WM320/P20 (missing-field)? `workloadmap explain` lists the rules"),
        ("3200", "did you mean WM320/P20 (missing-field)? `workloadmap explain` lists the rules"),
        ("xyzzy", "`workloadmap explain` lists the rules"),
        ("", "`workloadmap explain` lists the rules"),
    ],
)
def test_an_unknown_rule_is_a_mistake_of_the_command_line(
    capsys: pytest.CaptureFixture[str], written: str, cure: str
) -> None:
    """The one that is most like it is named."""
    assert ran(capsys, written) == (2, "", f"error: there is no rule `{written}`\n  {cure}\n")


def test_without_a_rule_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys)
    assert (code, err) == (0, "")
    head, *lines = out.splitlines()
    assert head.split() == ["RULE", "NAME", "LEVEL", "WHAT", "IT", "SAYS"]
    listed = [tuple(line.split(maxsplit=3)) for line in lines]
    assert listed == [(rule.code, rule.name, rule.level, rule.says) for rule in RULES.values()]


def test_a_rule_as_json_has_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--format", "json", "P20")
    assert code == 0
    assert json.loads(out) == {
        "id": "WM320",
        "name": "missing-field",
        "level": "warning",
        "says": "a field that may be missing is guarded",
        "profileRule": "P20",
        "canBeSuppressed": True,
        "page": page("WM320"),
    }


def test_all_rules_as_json_are_a_list_without_pages(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--format", "json")
    assert code == 0
    entries = json.loads(out)
    assert [entry["id"] for entry in entries] == list(RULES)
    assert entries[0] == {
        "id": "WM001",
        "name": "syntax",
        "level": "error",
        "says": "a mapping is YAML or JSON",
        "canBeSuppressed": False,
    }


def test_colour_marks_headings_and_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    """A comment in a block is no heading."""
    _, out, _ = ran(capsys, "--color", "always", "WM004")
    assert "\x1b[1m## Wrong\x1b[0m\n" in out
    assert "\x1b[36m# The mapping of Ensemble.\x1b[0m\n" in out
    assert "\x1b[2m```yaml\x1b[0m\n" in out

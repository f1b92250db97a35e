"""The page of each rule: what it says is wrong is found, as it is printed there, and what it says is right is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from workloadmap_spec.cli import main
from workloadmap_spec.files import rule_pages_root
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: The rules of which no example is known; their pages say so.
WITHOUT_EXAMPLE: Final = {"WM390"}
#: The headings of a page, in their order.
SECTIONS: Final = ("Why", "Wrong", "Right", "Remarks")

#: What a block of a page is called where the commands look for it. A block after `yaml` alone is the mapping.
FILES: Final = {"yaml": "ensemble.yaml", "yaml case": "ensemble.case.yaml", "yaml crd": "crd.yaml"}
_BLOCK: Final = re.compile(r"^```([a-z ]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FIRST_LINE: Final = re.compile(
    r"ensemble\.yaml(?::\d+:\d+)?: (?:error|warning|note): .*\[(WM\d{3})(?:/P\d\d[a-z]?)?\]"
)


class Printed(NamedTuple):
    """A finding as it is printed."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a page."""

    title: str
    sentence: str
    #: By heading: the text of the section.
    sections: dict[str, str]

    def blocks(self, section: str) -> dict[str, str]:
        """The blocks of a section, by what stands after the first quotes."""
        return dict(_BLOCK.findall(self.sections.get(section, "")))

    @property
    def wrong(self) -> dict[str, str]:
        """The files of the wrong mapping, and the text of its finding."""
        return self.blocks("Wrong")

    @property
    def right(self) -> dict[str, str]:
        """The files of the right mapping: the schema and the case are those of the wrong one."""
        return {**self.wrong, **self.blocks("Right")}


def read(path: Path) -> Page:
    """The parts of the page in a file."""
    head, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    title, sentence = head.strip().split("\n\n")
    parts = (section.partition("\n") for section in sections)
    return Page(title, sentence, {heading: text.strip() for heading, _, text in parts})


def printed(capsys: pytest.CaptureFixture[str], folder: Path, blocks: dict[str, str]) -> list[Printed]:
    """What `workloadmap validate` prints about the mapping of a section, in the folder that it runs in."""
    for info, name in FILES.items():
        if info in blocks:
            (folder / name).write_text(blocks[info], encoding="utf-8")
    options = ["--format", "human", "--color", "never", "--verbose", "--no-second-opinion"]
    options += ["--crd", FILES["yaml crd"]] if "yaml crd" in blocks else []
    options += ["--witness"] if "yaml case" in blocks else []
    main(["validate", *options, "--", FILES["yaml"]])
    captured = capsys.readouterr()
    assert captured.err == ""
    return list(entries(captured.out.splitlines()))


def entries(lines: Iterable[str]) -> Iterable[Printed]:
    """The findings in what was printed; the line of the sum, which is not indented, ends the last one."""
    rule, found = "", list[str]()
    for line in lines:
        first = _FIRST_LINE.fullmatch(line)
        if rule and (first or not line.startswith(" ")):
            yield Printed(rule, "\n".join(found))
            rule = ""
        if first:
            rule, found = first[1], [line]
        else:
            found.append(line)
    if rule:
        yield Printed(rule, "\n".join(found))


PAGES: Final = {path.stem: read(path) for path in sorted(rule_pages_root().iterdir())}
EXAMPLES: Final = sorted(PAGES.keys() - WITHOUT_EXAMPLE)


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert [path.name for path in sorted(rule_pages_root().iterdir())] == [f"{rule}.md" for rule in sorted(RULES)]


@pytest.mark.parametrize("rule", PAGES)
def test_a_page_says_what_its_rule_says(rule: str) -> None:
    known = RULES[rule]
    assert PAGES[rule].title == f"# {rule}: {known.name}"
    assert PAGES[rule].sentence in {f"{known.says}.", f"{known.says[0].upper()}{known.says[1:]}."}


@pytest.mark.parametrize("rule", PAGES)
def test_a_page_has_its_parts_in_order(rule: str) -> None:
    page = PAGES[rule]
    assert [*page.sections] == [heading for heading in SECTIONS if heading in page.sections]
    assert all(page.sections.values())
    assert "Why" in page.sections
    assert ({"Wrong", "Right"} <= page.sections.keys()) is (rule not in WITHOUT_EXAMPLE)
    if rule in WITHOUT_EXAMPLE:
        assert "no example" in page.sections["Remarks"]
    else:
        assert {"yaml", "text"} <= page.wrong.keys()
        assert {"yaml"} <= page.blocks("Right").keys() <= {"yaml", "yaml case"}


@pytest.mark.parametrize("rule", PAGES)
def test_a_page_says_whether_its_rule_can_be_suppressed(rule: str) -> None:
    """What it does not say is that it can be."""
    says_no = "annot be suppressed" in PAGES[rule].sections.get("Remarks", "")
    assert says_no is not RULES[rule].can_be_suppressed


@pytest.mark.parametrize("rule", PAGES)
def test_a_page_fits_the_screen(rule: str) -> None:
    text = (rule_pages_root() / f"{rule}.md").read_text(encoding="utf-8")
    blocks = "".join(text for name, text in _BLOCK.findall(text) if name == "text")
    assert [line for line in text.splitlines() if len(line) > 120 and line not in blocks] == []


@pytest.mark.parametrize("rule", PAGES)
def test_a_page_of_a_rule_about_schemas_has_one(rule: str) -> None:
    assert ("yaml crd" in PAGES[rule].wrong) is rule.startswith("WM5")


@pytest.mark.parametrize("rule", EXAMPLES)
def test_what_is_wrong_is_found(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The finding is the one on the page."""
    monkeypatch.chdir(tmp_path)
    found = printed(capsys, tmp_path, PAGES[rule].wrong)
    texts = [finding.text for finding in found if finding.rule == rule]
    assert texts, found
    assert PAGES[rule].wrong["text"].splitlines()[0] in [text.splitlines()[0] for text in texts]
    assert PAGES[rule].wrong["text"].rstrip("\n") in texts


@pytest.mark.parametrize("rule", EXAMPLES)
def test_what_is_right_has_no_findings(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for the note that it has no cases, where the page is not about those."""
    monkeypatch.chdir(tmp_path)
    found = printed(capsys, tmp_path, PAGES[rule].right)
    assert [finding for finding in found if finding.rule != "WM401" or "yaml case" in PAGES[rule].right] == []

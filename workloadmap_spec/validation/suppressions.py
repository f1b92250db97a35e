"""Suppressions: `# workloadmap: ignore[WM203] reason` in a mapping file, and what is wrong with them.

A comment on a line of its own is about the line below it, one behind a value about the line it stands on. It belongs to
a finding if that line is one of those of the value that the pointer of the finding names, with its key. So a finding
whose place inside the value becomes better known does not lose its comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cel.findings import nearest
from workloadmap_spec.validation.findings import Finding, Span, Suppression
from workloadmap_spec.validation.places import positions_of
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workloadmap_spec.documents import Document
    from workloadmap_spec.positions import Node, Origin
    from workloadmap_spec.validation.files import FileText

#: What a line has that may have a comment of ours.
_MARK: Final = "workloadmap:"

_COMMENT: Final = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*workloadmap:[ \t]*(?P<said>.*)")
#: What is one of our comments, well written or not; other words behind the mark are prose.
_WORD: Final = re.compile(r"(?P<word>ignore[-\w]*|[-\w]+(?=\[))")
_FORM: Final = re.compile(r"(?P<word>ignore|ignore-file)\[(?P<ids>[^\]]*)\](?P<reason>.*)")

#: How like a rule must be to one that was meant; numbers are alike without having anything in common.
_LIKENESS: Final = 0.7

_CURE: Final = "write # workloadmap: ignore[WM320] and the reason"


@dataclass(slots=True, eq=False)
class Comment:
    """A suppression in a file: the rules that it is about, and those that it was used for."""

    span: Span
    #: The line that it is about; None for the whole file.
    target: int | None
    rules: tuple[str, ...]
    reason: str
    used: set[str] = field(default_factory=set)

    def matches(self, rule: str, lines: tuple[int, int]) -> bool:
        """Whether it is about a finding of a rule at a value in these lines."""
        return rule in self.rules and (self.target is None or lines[0] <= self.target <= lines[1])

    def use(self, rule: str) -> Suppression:
        """What it makes of a finding that it is about."""
        self.used.add(rule)
        return Suppression("comment", self.reason)


def comments_of(
    text: FileText, documents: Sequence[Document], *, is_whole: bool
) -> tuple[list[Comment], list[Finding]]:
    """The suppressions in a file, and the findings for those that are wrong.

    Args:
        text: The file.
        documents: What could be read of it.
        is_whole: Whether that is all of it. In the parts that could not be read nobody knows what is a comment.
    """
    head = _head(text.lines)
    origins = _origins(documents)
    comments: list[Comment] = []
    wrong: list[Finding] = []
    for number, line in enumerate(text.lines, 1):
        found = _COMMENT.search(line) if _MARK in line else None
        if found is None or not _is_comment(origins, number, found.start(), known=is_whole or number <= head):
            continue
        said = found["said"].strip()
        if _WORD.match(said):
            start = found.start()
            span = Span(number, start + 1, number, len(line.rstrip()) + 1)
            target = number if line[:start].strip() else _next(text.lines, number)
            comment, faults = _parsed(said, span, target, in_head=number <= head)
            comments += [comment] if comment is not None else []
            wrong += [_finding("WM902", message, cure, span, text) for message, cure in faults]
    return comments, wrong


def unused(comment: Comment, text: FileText, rules: Sequence[str]) -> Finding | None:
    """The finding for rules of a comment that it suppresses nothing of; None if there are none."""
    if not rules:
        return None
    names = " and ".join(rules)
    cure = "remove the comment" if len(rules) == len(comment.rules) else f"remove {names} from it"
    where = "this file" if comment.target is None else "the value here"
    return _finding("WM901", f"nothing of {names} is found in {where}", cure, comment.span, text)


def rule_fault(rule: str) -> tuple[str, str] | None:
    """Why a rule cannot be suppressed, and what to do; None if it can."""
    if rule not in RULES:
        near = nearest(rule.upper(), RULES, _LIKENESS)
        cure = f"did you mean {near}?" if near is not None else "`workloadmap explain` lists the rules"
        return f"there is no rule `{rule}`", cure
    if not RULES[rule].can_be_suppressed:
        return f"{rule} cannot be suppressed", "correct what it finds: no reader can make up for it"
    return None


def _parsed(said: str, span: Span, target: int, *, in_head: bool) -> tuple[Comment | None, list[tuple[str, str]]]:
    """A comment from what it says; None if it suppresses nothing; and what is wrong with it."""
    form = _FORM.fullmatch(said)
    if form is None:
        return None, [("this comment is no suppression that can be read", _CURE)]
    faults = []
    rules = []
    ids = list(dict.fromkeys(part.strip() for part in form["ids"].split(",")))
    for rule in ids if any(ids) else ():
        fault = rule_fault(rule)
        if fault is None:
            rules.append(rule)
        else:
            faults.append(fault)
    if not any(ids):
        faults.append(("this suppression names no rule", _CURE))
    reason = form["reason"].strip().lstrip(":-\N{EN DASH}\N{EM DASH}").strip()
    if not reason:
        faults.append(("this suppression has no reason", "say behind the bracket why nothing is wrong here"))
    is_file = form["word"] == "ignore-file"
    if is_file and not in_head:
        faults.append(
            ("`ignore-file` stands below the beginning of the mapping", "move it above the first line, or use `ignore`")
        )
    if faults:
        return None, faults
    return Comment(span, None if is_file else target, tuple(rules), reason), []


def _finding(rule: str, message: str, cure: str, span: Span, text: FileText) -> Finding:
    """A finding about a comment."""
    return Finding(rule, RULES[rule].level, message, text.name, span, help=cure, snippet=text.snippet(span.start_line))


def _head(lines: Sequence[str]) -> int:
    """How many lines a file has before its first one that is neither blank, a comment nor `---`."""
    for index, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#") and not line.startswith("---"):
            return index
    return len(lines)


def _next(lines: Sequence[str], number: int) -> int:
    """The line that a comment on a line of its own is about: the first below that is not such a comment too."""
    while number < len(lines) and lines[number].lstrip().startswith("#"):
        number += 1
    return number + 1


def _origins(documents: Sequence[Document]) -> list[tuple[int, int, Origin, list[tuple[int, int]]]]:
    """The texts that documents were read from: first and last line, the text, and where its scalars are."""
    found = {id(origin): origin for origin in (positions_of(document).origin for document in documents)}
    return [
        (origin.line, origin.line + origin.text.count("\n"), origin, list(_scalars(origin)))
        for origin in found.values()
    ]


def _scalars(origin: Origin) -> Iterator[tuple[int, int]]:
    """Where the scalars of a text begin and end; of blocks of text their lines, without the one that opens them."""
    waiting: list[Node] = [origin.root()]
    while waiting:
        node = waiting.pop()
        if node.target is not None:
            continue
        if isinstance(node.children, dict):
            for pair in node.children.values():
                waiting += pair
        elif node.children is not None:
            waiting += node.children
        else:
            start = node.start
            if node.style in ("|", ">"):
                start = origin.text.find("\n", start, node.end) + 1 or node.end
            yield start, node.end


def _is_comment(
    origins: Sequence[tuple[int, int, Origin, list[tuple[int, int]]]], line: int, column: int, *, known: bool
) -> bool:
    """Whether a `#` begins a comment, which JSON has none of, and not a part of a text.

    Args:
        origins: The texts that were read.
        line: The line, from 1.
        column: The column, from 0.
        known: Whether a line that is in none of the texts is known to have nothing but comments.
    """
    for first, last, origin, scalars in origins:
        if first <= line <= last:
            # The last one ends with a line break; what follows is in the next text.
            offset = _offset(origin.text, line - first) + column - (origin.column - 1 if line == first else 0)
            if 0 <= offset < len(origin.text):
                return origin.syntax == "yaml" and not any(start <= offset < end for start, end in scalars)
    return known


def _offset(text: str, line: int) -> int:
    """Where a line begins, counted from 0."""
    offset = 0
    for _ in range(line):
        offset = text.find("\n", offset) + 1
    return offset

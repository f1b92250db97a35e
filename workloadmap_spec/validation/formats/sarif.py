"""A report as SARIF 2.1.0, which code scanning services read.

The form is that of the OASIS standard, Static Analysis Results Interchange Format 2.1.0 with errata 01; sections of it
are named where they decide something.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from workloadmap_spec import __version__
from workloadmap_spec.documents import STDIN_NAME
from workloadmap_spec.schemas import GROUP
from workloadmap_spec.validation.formats.json import dumped
from workloadmap_spec.validation.formats.words import TOOL, relative
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from workloadmap_spec.validation.findings import Finding, Related, Report, Skipped, Span, Suppression, Unchecked
    from workloadmap_spec.validation.formats import Options
    from workloadmap_spec.validation.rules import Rule

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME: Final = f"https://{GROUP}"
_INDEXES: Final = {rule: index for index, rule in enumerate(RULES)}

#: What relative names are relative to; where that is differs from machine to machine, and a consumer knows it (3.4.4).
_BASE: Final = "%SRCROOT%"

_SUPPRESSION_KINDS: Final = {"comment": "inSource", "configuration": "external"}


def render(report: Report, options: Options) -> str:
    """All that was found, suppressed findings too, with every rule that there is."""
    del options
    run = {
        "tool": {"driver": _driver()},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {_BASE: {"description": {"text": "The folder that the command was run in."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in report.findings],
    }
    return dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver() -> dict[str, Any]:
    """The program and its rules: all of them, so that the index of one is the same in every log."""
    return {
        "name": TOOL,
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": _HOME,
        "rules": [_rule(rule) for rule in RULES.values()],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """A rule."""
    says = f"{rule.says[0].upper()}{rule.says[1:]}."
    page = f"{_HOME}/rules/{rule.id}"
    profile = f" It is rule {rule.profile} of the portable profile of CEL." if rule.profile else ""
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": says},
        "fullDescription": {"text": f"{says}{profile}"},
        "defaultConfiguration": {"level": rule.level},
        "helpUri": page,
        "help": {
            "text": f"{says} `workloadmap explain {rule.id}` and {page} say why, with an example.",
            "markdown": f"{says}\n\n`workloadmap explain {rule.id}` and [its page]({page}) say why, with an example.",
        },
        "properties": {"tags": ["kubernetes", "workload-mapping"]},
    }


def _invocation(report: Report) -> dict[str, Any]:
    """What the run has to say about itself: the files that were skipped, and what was not checked."""
    told = [_notification(file, f"The file was skipped: {file.reason}") for file in report.skipped]
    told += [_notification(entry, f"Not checked: {entry.reason}") for entry in report.unchecked]
    return {"executionSuccessful": True, **({"toolExecutionNotifications": told} if told else {})}


def _notification(about: Skipped | Unchecked, message: str) -> dict[str, Any]:
    """Something that is no finding."""
    span: Span | None = getattr(about, "span", None)
    pointer: str | None = getattr(about, "pointer", None)
    location = _location(about.file, span, pointer)
    return {"level": "note", "message": _message(message), "locations": [location]}


def _result(finding: Finding) -> dict[str, Any]:
    """A finding. All of them have `suppressions`, or none may (3.27.23)."""
    result = {
        "ruleId": finding.rule,
        "ruleIndex": _INDEXES[finding.rule],
        "level": finding.level,
        "message": _message("\n".join([finding.message, *([finding.help] if finding.help else [])])),
        # A service that takes only results with a line shows what is known of the file alone at its beginning.
        "locations": [_location(finding.file, finding.span, finding.pointer, finding.snippet, is_result=True)],
        "partialFingerprints": {"workloadmap/v1": finding.fingerprint},
        "suppressions": [_suppression(finding.suppressed)] if finding.suppressed else [],
    }
    related: list[dict[str, Any]] = []
    for place in map(_related, finding.related):
        # The list is a set (3.27.22).
        if place not in related:
            related.append(place)
    properties = {
        "mapping": finding.mapping,
        "profileRule": RULES[finding.rule].profile,
        "expression": None if finding.expression is None else finding.expression.to_json(),
        "approximate": True if finding.span is not None and finding.span.approximate else None,
    }
    known = {name: value for name, value in properties.items() if value is not None}
    return {
        **result,
        **({"relatedLocations": related} if related else {}),
        **({"properties": known} if known else {}),
    }


def _suppression(suppression: Suppression) -> dict[str, Any]:
    """By what a finding is suppressed."""
    justification = {"justification": suppression.reason} if suppression.reason else {}
    return {"kind": _SUPPRESSION_KINDS[suppression.kind], **justification}


def _related(place: Related) -> dict[str, Any]:
    """Another place."""
    return {**_location(place.file, place.span, place.pointer), "message": _message(place.message)}


def _location(
    file: str, span: Span | None, pointer: str | None, line: str | None = None, *, is_result: bool = False
) -> dict[str, Any]:
    """A place: in the file, and in the document, where it has the name that the pointer is."""
    physical: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if span is not None:
        physical["region"] = _region(span)
        # Of an approximate span the columns are those of a text that does not stand there in one piece.
        if line and span.start_line == span.end_line and not span.approximate:
            marked = line[max(1, span.start_column) - 1 : max(1, span.end_column) - 1]
            if marked:
                physical["region"]["snippet"] = {"text": marked}
            if marked != line:
                # It must be larger than the region (3.29.5).
                physical["contextRegion"] = {"startLine": max(1, span.start_line), "snippet": {"text": line}}
    elif is_result:
        physical["region"] = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
    logical = {"logicalLocations": [{"fullyQualifiedName": pointer}]} if pointer else {}
    return {"physicalLocation": physical, **logical}


def _region(span: Span) -> dict[str, Any]:
    """A part of a file; as here, the end is exclusive (3.30.8)."""
    start = (max(1, span.start_line), max(1, span.start_column))
    end = max(start, (span.end_line, max(1, span.end_column)))
    return {"startLine": start[0], "startColumn": start[1], "endLine": end[0], "endColumn": end[1]}


def _artifact(file: str) -> dict[str, Any]:
    """A file: relative to the working directory, or absolute where it is not in that (3.10.2 takes no `..`)."""
    if file == STDIN_NAME:
        return {"uri": quote(STDIN_NAME), "description": {"text": "The standard input."}}
    name = relative(file)
    path = quote(_bytes(name), safe="/")
    if name.startswith("/"):
        # A name that begins with two slashes would name a host.
        return {"uri": f"file:///{path.lstrip('/')}"}
    return {"uri": path, "uriBaseId": _BASE}


def _bytes(name: str) -> bytes:
    """The name of a file as the system has it, bytes that are no UTF-8 too."""
    try:
        return os.fsencode(name)
    except UnicodeEncodeError:
        # Nobody has a file of this name.
        return name.encode("utf-8", "replace")


def _message(text: str) -> dict[str, str]:
    """A text as it is: braces are doubled (3.11.5), and what looks like a link is none (3.11.6)."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "\\](")}

"""A report as one page that needs nothing but a browser: no server, no network, no other file.

The report lies in the page as JSON; style and script lie beside it, and the page's own policy lets nothing else run or
load. Everything that comes from a cluster may be anybody's text: it stands in the page escaped, and the script puts it
on the screen as text only.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: How many workloads the table has that is shown where no script runs.
MAX_STATIC_ROWS: Final = 500

_PAGE: Final = Path(__file__).resolve().with_name("page")
#: What ends a script element or begins a comment in it is written in a form that JSON alone understands.
_IN_JSON: Final = (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"))
#: Halves of characters, which no encoding can write, and what no page may have.
_UNWRITABLE: Final = re.compile("[\ud800-\udfff\0]")
_COLUMNS: Final = ("Kind", "Namespace", "Name", "Phase", "Reason")
_NUMBERS: Final = {"ready": "Ready", "desired": "Wanted", "minimum": "Minimum"}
_COUNTING: Final = ("components", "replicas")
_UNKNOWN: Final = '<span class="unknown">?<span class="hidden"> unknown</span></span>'
_ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    '<rect width="16" height="16" rx="3" fill="#0b57c2"/>'
    '<path fill="#fff" d="M3 3h10v3H3zM3 8h4v5H3zM9 8h4v5H9z"/></svg>'
)


def page(report: Mapping[str, Any]) -> str:
    """The page of a report.

    Args:
        report: A `WorkloadReport`.

    Returns:
        HTML, to be written in UTF-8, the same for the same report; it has no reference to anything outside.

    """
    style, script = _file("page.css"), _file("page.js")
    when = _when(report)
    return Template(_file("page.html")).substitute(
        policy=_policy(style, script),
        title=f"Workloads, {when}" if when else "Workloads",
        icon=f"data:image/svg+xml,{quote(_ICON)}",
        style=style,
        script=script,
        when=f'<time datetime="{escape(report["time"])}">{when}</time>' if when else "",
        note=_note(report),
        table="\n".join(_table(report)),
        data=_json(report),
    )


@cache
def _file(name: str) -> str:
    """The text of a file of the page, which lies beside this module in a checkout and in a wheel."""
    return (_PAGE / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: run this script, use this style, show its own icon."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    """How a policy names the text of an element."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _json(report: Mapping[str, Any]) -> str:
    """The report as JSON in ASCII that can stand in a script element."""
    text = json.dumps(report, sort_keys=True, separators=(",", ":"))
    for character, escaped in _IN_JSON:
        text = text.replace(character, escaped)
    return text


def _when(report: Mapping[str, Any]) -> str:
    """The moment of the report, for people."""
    return escape(report["time"]).replace("T", " ").replace("Z", " UTC") if "time" in report else ""


# Without a script


def _note(report: Mapping[str, Any]) -> str:
    """What the table below has."""
    total = len(report["workloads"])
    if not total:
        return "The report has no workloads."
    if total > MAX_STATIC_ROWS:
        return f"The table has the first {MAX_STATIC_ROWS} of {total} workloads; all are in the source of the page."
    return "The table has what was read of each workload; the rest is in the source of the page."


def _table(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a plain table of the workloads."""
    if not report["workloads"]:
        return
    yield '<div class="scroll"><table>'
    head = "".join(f'<th scope="col">{title}</th>' for title in _COLUMNS)
    head += "".join(f'<th scope="col" class="number">{title}</th>' for title in _NUMBERS.values())
    yield f"<thead><tr>{head}</tr></thead>"
    yield "<tbody>"
    for entry in report["workloads"][:MAX_STATIC_ROWS]:
        yield f"<tr>{''.join(_cells(entry))}</tr>"
    yield "</tbody></table></div>"


def _cells(entry: Mapping[str, Any]) -> Iterator[str]:
    """The cells of a row."""
    workload, status, pods = entry["workload"], entry.get("status", {}), entry["pods"]
    yield f"<td>{_text(workload['kind'])}</td>"
    yield f"<td>{_text(workload.get('namespace', ''))}</td>"
    yield f'<th scope="row">{_text(workload.get("name", ""))}</th>'
    yield f"<td>{_text(status.get('phase', 'No status'))}</td>"
    yield f"<td>{_text(status.get('reason', ''))}</td>"
    is_bound = any(missing["what"] in _COUNTING for missing in entry.get("incomplete", ()))
    for name in _NUMBERS:
        mark = "&ge;&nbsp;" if name == "desired" and is_bound else ""
        yield f'<td class="number">{mark}{pods[name]}</td>' if name in pods else f'<td class="number">{_UNKNOWN}</td>'


def _text(text: str) -> str:
    """A text of the report, whose direction does not turn what stands beside it."""
    whole = _UNWRITABLE.sub("\ufffd", text)
    return f"<bdi>{escape(whole)}</bdi>" if whole else ""

"""How a report is printed: a module for each format, imported when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.style import PLAIN, Style

if TYPE_CHECKING:
    from workloadmap_spec.validation.findings import Report
    from workloadmap_spec.validation.rules import Level

#: The names of the formats, each a module of this package with a function `render`.
FORMATS: Final = ("human", "json", "sarif", "junit", "github", "markdown")


@dataclass(frozen=True, slots=True)
class Options:
    """What a report is printed for; each format looks at those options that it can follow."""

    #: From which level on a finding is a failure.
    fail_level: Level = "error"
    #: How text for people looks.
    style: Style = PLAIN
    #: Errors only, and no summary.
    quiet: bool = False
    #: Notes, and what was not checked, too.
    verbose: bool = False


def render(name: str, report: Report, options: Options) -> str:
    """A report in a format; the text is empty or ends with a newline, and is the same for the same report.

    Raises:
        ValueError: There is no such format.
    """
    if name not in FORMATS:
        raise ValueError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    module = import_module(f"{__name__}.{name}")
    text: str = module.render(report, options)
    return text

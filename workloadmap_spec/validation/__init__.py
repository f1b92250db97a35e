"""Validation: everything that is wrong with mapping files, each thing with a rule and a place.

A finding is a record and the rules are a table; how a report is printed is the business of `formats`. Nothing is
imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from workloadmap_spec.validation.findings import Finding, Report
    from workloadmap_spec.validation.rules import RULES
    from workloadmap_spec.validation.run import validate_paths, validate_texts

__all__ = ["RULES", "Finding", "Report", "validate_paths", "validate_texts"]

_MODULES: Final = {
    "RULES": "rules",
    "Finding": "findings",
    "Report": "findings",
    "validate_paths": "run",
    "validate_texts": "run",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever has the name
    """What the package offers, imported when it is asked for."""
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""The value language: the portable profile of CEL.

`parse` gives a tree, `check` says what in it is outside the profile, `compile_expression` makes a function of it.
`path_of` tells path expressions from others, and `compile_path` reads them without failing.

The profile is the CEL specification (https://github.com/google/cel-spec) as cel-go implements it, without what engines
were seen to answer differently. Everything else is refused with the id of a rule, P01 to P20.
"""

from __future__ import annotations

from workloadmap_spec.cel.checker import check
from workloadmap_spec.cel.evaluator import Program, compile_expression
from workloadmap_spec.cel.findings import Finding
from workloadmap_spec.cel.limits import MAX_READ_STEPS
from workloadmap_spec.cel.loops import READ_STEPS
from workloadmap_spec.cel.names import members_guarded, members_used, roots_used
from workloadmap_spec.cel.parser import parse
from workloadmap_spec.cel.paths import ABSENT, Path, compile_path, follow, path_of, resolve_steps
from workloadmap_spec.cel.printer import print_expression
from workloadmap_spec.cel.scope import ROOTS, Scope, declared, scope_of
from workloadmap_spec.cel.tree import Node
from workloadmap_spec.cel.types import BOOL, DOUBLE, DYN, INT, STRING, Type, list_of, map_of

__all__ = [
    "ABSENT",
    "BOOL",
    "DOUBLE",
    "DYN",
    "INT",
    "MAX_READ_STEPS",
    "READ_STEPS",
    "ROOTS",
    "STRING",
    "Finding",
    "Node",
    "Path",
    "Program",
    "Scope",
    "Type",
    "check",
    "compile_expression",
    "compile_path",
    "declared",
    "follow",
    "list_of",
    "map_of",
    "members_guarded",
    "members_used",
    "parse",
    "path_of",
    "print_expression",
    "resolve_steps",
    "roots_used",
    "scope_of",
]

"""Mappings against the schemas of their kinds: CustomResourceDefinitions, and the built-in types.

`load_kinds` reads definitions, `check_against` checks a compiled mapping. Nothing here is imported unless it is asked
for.
"""

from __future__ import annotations

from workloadmap_spec.crd.check import Checked, Stop, check_against
from workloadmap_spec.crd.expressions import Problem
from workloadmap_spec.crd.load import Definition, Kinds, load_kinds
from workloadmap_spec.crd.shapes import Shape, Value

__all__ = ["Checked", "Definition", "Kinds", "Problem", "Shape", "Stop", "Value", "check_against", "load_kinds"]

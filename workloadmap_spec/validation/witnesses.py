"""WM391: the expressions of mappings on the objects of cases, evaluated by other engines of CEL too.

The cases are read with our own evaluator, and each time that it evaluates an expression, the other engines evaluate it
with the same variables. Paths (S4.4) are read without an engine, and are not asked about.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cases import reference_reader
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.cel import roots_used
from workloadmap_spec.cel.failures import ExpressionEvaluationError, NotPortableError
from workloadmap_spec.cel.witness import ENGINES, Outcome, Witness, WitnessUnavailableError, agree, witness
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.field_compiler import native_engine
from workloadmap_spec.mapping import api_version_of
from workloadmap_spec.texts import cut, cut_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workloadmap_spec.cases import Case
    from workloadmap_spec.cel import Node
    from workloadmap_spec.mapping import CompiledMapping
    from workloadmap_spec.values import Program

#: The engines that are not ours.
NAMES: Final = tuple(name for name in ENGINES if name != "native")

#: A value in a message is cut to this length.
_MAX_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An expression of a mapping that another engine gives another value for."""

    #: The mapping, by its number among those that were asked about.
    mapping: int
    at: str
    text: str
    message: str


def installed() -> tuple[list[Witness], list[WitnessUnavailableError]]:
    """The engines that can be asked, and why the others cannot; whoever takes them closes them."""
    found: list[Witness] = []
    missing: list[WitnessUnavailableError] = []
    for name in NAMES:
        try:
            found.append(witness(name))
        except WitnessUnavailableError as error:
            missing.append(error)
    return found, missing


def disagreements(
    mappings: Sequence[CompiledMapping], cases: Iterable[Case], witnesses: Sequence[Witness]
) -> list[Disagreement]:
    """Read cases with mappings, and give what other engines evaluate differently: each expression once per engine."""
    comparison = _Comparison(witnesses)
    catalog = Catalog.builtin()
    places: dict[int, tuple[int, str]] = {}
    # Of two mappings for one kind the first counts, which here is the last that is added.
    for number, mapping in reversed(list(enumerate(mappings))):
        catalog = catalog.with_documents([mapping.document], comparison)
        api_version = api_version_of(mapping.group, mapping.versions[0])
        for expression in catalog.find(api_version, mapping.kind).expressions:
            places[id(expression.tree)] = (number, expression.at)
            comparison.kept.append(expression.tree)
    read = reference_reader(catalog)
    for case in cases:
        comparison.case = case.id
        # What a case expects is the business of `workloadmap test`.
        with suppress(WorkloadMapError):
            read(case.request)
    return [
        Disagreement(*places[tree], text, message)
        for (tree, _), (text, message) in comparison.found.items()
        if tree in places
    ]


class _Comparison:
    """An engine that is ours, and asks the others about all that it evaluates."""

    def __init__(self, witnesses: Sequence[Witness]) -> None:
        """Begin with nothing asked."""
        self.witnesses = witnesses
        self.case = ""
        #: By the identity of the tree and the name of the engine: the expression, and what differs first.
        self.found: dict[tuple[int, str], tuple[str, str]] = {}
        #: Trees, so that none of them goes and leaves its identity to another.
        self.kept: list[Node] = []
        #: What was asked already.
        self.asked: set[tuple[str, str]] = set()

    def __call__(self, tree: Node, text: str) -> Program:
        """Compile an expression."""
        native = native_engine(tree, text)
        roots = roots_used(tree)
        identity = id(tree)

        def program(env: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
            bindings = {root: env[root] for root in roots if root in env}
            try:
                value = native(env)
            except NotPortableError:
                # Engines are known to differ in this, so that the reader makes it an error.
                raise
            except ExpressionEvaluationError as error:
                self.compare(identity, text, bindings, ("error", error.message))
                raise
            self.compare(identity, text, bindings, ("value", value))
            return value

        return program

    def compare(self, identity: int, text: str, bindings: Mapping[str, Any], ours: Outcome) -> None:
        """Ask the other engines about one evaluation."""
        key = (f"{identity} {text}", json.dumps(bindings, sort_keys=True))
        if key in self.asked:
            return
        self.asked.add(key)
        for other in self.witnesses:
            place = (identity, other.name)
            if place not in self.found:
                theirs = other.evaluate_checked(text, bindings)
                if not agree(ours, theirs):
                    self.found[place] = (text, self.message(other.name, ours, theirs))

    def message(self, engine: str, ours: Outcome, theirs: Outcome) -> str:
        """What differs."""
        return f"{engine} gives {_shown(theirs)}, and workloadmap {_shown(ours)}, for the case {self.case}"


def _shown(outcome: Outcome) -> str:
    """What an engine says, in a line."""
    if outcome[0] == "value":
        return cut(json.dumps(outcome[1], ensure_ascii=False), _MAX_SHOWN)
    return f"an error ({cut_line(outcome[1], _MAX_SHOWN)})"

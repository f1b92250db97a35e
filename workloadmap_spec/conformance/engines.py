"""The engines that our reader can be run with: its own evaluator, or a witness in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloadmap_spec.cel import roots_used
from workloadmap_spec.cel.failures import ExpressionEvaluationError, NotPortableError, Site
from workloadmap_spec.field_compiler import native_engine

if TYPE_CHECKING:
    from workloadmap_spec.cel import Node
    from workloadmap_spec.field_compiler import Engine
    from workloadmap_spec.values import Program


def engine_of(name: str) -> Engine:
    """The engine of a name: one of `cel.witness.ENGINES`.

    Raises:
        WitnessUnavailableError: It is not installed.
    """
    if name == "native":
        return native_engine
    from workloadmap_spec.cel.witness import witness  # noqa: PLC0415 - slow, and only needed when asked

    asked = witness(name)

    def compile_for_witness(tree: Node, text: str) -> Program:
        roots = roots_used(tree)
        native = native_engine(tree, text)

        def program(env: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
            # The limits of S3.2.9 are the reader's: the engines have others, or none. So is what they differ in.
            try:
                native(env)
            except ExpressionEvaluationError as error:
                if isinstance(error, NotPortableError):
                    raise
            said, value = asked.evaluate_checked(text, {root: env[root] for root in roots if root in env})
            if said == "error":
                raise ExpressionEvaluationError(value, Site(text, 0, len(text)))
            return value

        return program

    return compile_for_witness

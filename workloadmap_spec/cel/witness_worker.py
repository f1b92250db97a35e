"""The process around `cel-expr-python`: reads a request a line, writes an answer a line.

It is run as a script and imports nothing of this project. A result is taken apart value by value, because the
wrapper's `plain_value()` loses a reference to None for every null in it, and CPython aborts when there is none left.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

_CACHE: Final = 1024


def convert(cel: Any, value: Any) -> Any:  # noqa: ANN401 - the engine's own types
    """A value of the engine as JSON.

    Raises:
        TypeError: it is not JSON, or an error.
    """
    kind = value.type()
    if kind == cel.Type.NULL:
        return None
    name = kind.name()
    if kind == cel.Type.ERROR:
        raise TypeError(value.value())
    if name.startswith("LIST"):
        return [convert(cel, element) for element in value.value()]
    if name.startswith("MAP"):
        return {str(key): convert(cel, element) for key, element in value.value().items()}
    if name in {"BOOL", "INT", "DOUBLE", "STRING"}:
        return value.value()
    message = f"the result is a {name}, which is no JSON"
    raise TypeError(message)


class Engine:
    """The engine, with the expressions it has compiled."""

    def __init__(self) -> None:
        """Load the engine."""
        from cel_expr_python import cel  # noqa: PLC0415 - the parent looks for it first

        self.cel = cel
        self.environments: dict[tuple[str, ...], Any] = {}
        self.compiled: dict[tuple[str, tuple[str, ...]], Any] = {}

    def evaluate(self, expression: str, bindings: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        """The value of an expression; a fresh activation each time, because one keeps all it has ever made."""
        names = tuple(sorted(bindings))
        program = self.compiled.get((expression, names))
        if program is None:
            environment = self.environments.get(names)
            if environment is None:
                variables = dict.fromkeys(names, self.cel.Type.DYN)
                environment = self.environments[names] = self.cel.NewEnv(variables=variables)
            if len(self.compiled) >= _CACHE:
                self.compiled.clear()
            # Without the checker: it infers int for `map["key"] + x`.
            program = self.compiled[expression, names] = environment.compile(expression, disable_check=True)
        return convert(self.cel, program.eval(data=bindings))


def main() -> None:
    """Answer requests until there are no more."""
    engine = Engine()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"value": engine.evaluate(request["expression"], request["bindings"])}
        except Exception as error:  # noqa: BLE001 - it raises RuntimeError and others
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Independent CEL engines as witnesses: what ours says, they must say too.

Engines differ, crash and run away on what the profile leaves out, so that nothing reaches one before the guards: the
rules of the profile, the data rules, and short lists. Every engine is imported, or started, when it is first asked.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from workloadmap_spec.cel.checker import check
from workloadmap_spec.cel.evaluator import compile_expression
from workloadmap_spec.cel.limits import MAX_INT_LITERAL, MAX_RANGE
from workloadmap_spec.cel.parser import parse
from workloadmap_spec.cel.scope import Scope
from workloadmap_spec.cel.types import DYN
from workloadmap_spec.errors import EvaluationError, InputError, LimitExceededError, WorkloadMapError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

#: What an engine says: a JSON value, or that the expression failed and why.
Outcome = tuple[Literal["value"], Any] | tuple[Literal["error"], str]

#: The engines there are.
ENGINES: Final = ("native", "cel-python", "cel-cpp")
#: Deeper bindings crash the C++ engine (N3).
_MAX_DEPTH: Final = 100
#: Compiled expressions that are kept.
_CACHE: Final = 1024
#: The C++ engine's wrapper loses a reference to None now and then; after this many evaluations it starts afresh.
_EVALUATIONS: Final = 2000
#: No expression of the profile takes the C++ engine this long.
_SECONDS: Final = 20.0


class WitnessUnavailableError(WorkloadMapError, ImportError):
    """An engine is not installed."""


def witness(name: str) -> Witness:
    """The engine of a name.

    Raises:
        ValueError: there is no such engine.
        WitnessUnavailableError: it is not installed.
    """
    engines: dict[str, type[Witness]] = {"native": _Native, "cel-python": _CelPython, "cel-cpp": _CelCpp}
    if name not in engines:
        message = f"there is no engine {name!r}; there are {', '.join(ENGINES)}"
        raise ValueError(message)
    return engines[name]()


def agree(one: Outcome, other: Outcome) -> bool:
    """Whether two engines say the same: both fail, or give equal values of the same types."""
    if one[0] != other[0]:
        return False
    return one[0] == "error" or _identical(one[1], other[1])


def _identical(one: object, other: object) -> bool:
    """Whether two JSON values are equal and of the same types: 1, 1.0 and true are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_identical, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_identical(value, other[key]) for key, value in one.items())
    return one == other


def guard(bindings: Mapping[str, Any]) -> None:
    """Refuse what engines cannot be given: the data rules N1 to N5, and lists that are too long.

    Raises:
        InputError: a value breaks a data rule.
        LimitExceededError: a list is too long.
    """
    for name, value in bindings.items():
        _guard(value, name, 1)


def _guard(value: Any, where: str, depth: int) -> None:  # noqa: ANN401 - JSON
    """Refuse a value that breaks a data rule."""
    if depth > _MAX_DEPTH:
        message = f"{where[:60]}: deeper than {_MAX_DEPTH} levels (N3)"
        raise InputError(message)
    kind = type(value)
    if kind is dict:
        for key, inner in value.items():
            _guard_key(key, inner, where)
            _guard(inner, f"{where}.{key}", depth + 1)
    elif kind is list:
        if len(value) > MAX_RANGE:
            message = f"{where}: a witness is given lists of at most {MAX_RANGE:,} elements, not {len(value):,}"
            raise LimitExceededError(message)
        for index, inner in enumerate(value):
            _guard(inner, f"{where}[{index}]", depth + 1)
    elif kind is str:
        _guard_text(value, where)
    elif kind is not bool and value is not None:
        _guard_number(value, where)


def _guard_key(key: object, inner: object, where: str) -> None:
    """Refuse a key that is no string, and an entry that is null."""
    if type(key) is not str:
        message = f"{where}: the key {key!r} is not a string (N3)"
        raise InputError(message)
    if inner is None:
        message = f"{where}.{key}: null, and such entries are removed before anything is read (N2)"
        raise InputError(message)
    _guard_text(key, where)


def _guard_number(value: Any, where: str) -> None:  # noqa: ANN401 - what is no other type of JSON
    """Refuse what is no number, and numbers that JSON libraries read differently."""
    kind = type(value)
    if kind is not int and kind is not float:
        message = f"{where}: {kind.__name__} is not a type of JSON (N5)"
        raise InputError(message)
    if not abs(value) <= MAX_INT_LITERAL or (kind is float and value == int(value)):
        message = f"{where}: {value!r} is not how the data rules write a number (N1)"
        raise InputError(message)


def _guard_text(text: str, where: str) -> None:
    """Refuse NUL and halves of characters."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        message = f"{where}: U+0000 or half of a character in a text (N3)"
        raise InputError(message)


class Witness:
    """An engine that can be asked, from several threads too; the guards and the cache that all engines share."""

    #: One of ENGINES.
    name: ClassVar[str] = ""

    def __init__(self) -> None:
        """Start with nothing compiled."""
        self._lock = threading.Lock()
        self._cache: dict[str, Any] = {}

    def evaluate(self, expression: str, bindings: Mapping[str, Any], scope: Scope | None = None) -> Outcome:
        """What the engine makes of an expression. Without a scope, it may name what is bound.

        Raises:
            ExpressionError: the expression is outside the profile.
            InputError: the bindings break the data rules.
            LimitExceededError: a list is too long for a witness.
        """
        guard(bindings)
        for finding in check(parse(expression), expression, scope or Scope(dict.fromkeys(bindings, DYN))):
            if finding.level == "error":
                raise finding.to_error(expression)
        return self.evaluate_checked(expression, bindings)

    def evaluate_checked(self, expression: str, bindings: Mapping[str, Any]) -> Outcome:
        """What the engine makes of an expression that is of the profile, with bindings that are under the data rules.

        Lists may be of any length: the caller sees to it that no macro runs over one that is too long.
        """
        with self._lock:
            return self._run(expression, bindings)

    def close(self) -> None:
        """End what the engine has started."""

    def __enter__(self) -> Self:
        """Use the engine until the end of a block."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close it."""
        self.close()

    def _remember(self, expression: str, compiled: Any) -> Any:  # noqa: ANN401 - whatever an engine compiles to
        """Keep a compiled expression."""
        if len(self._cache) >= _CACHE:
            self._cache.clear()
        self._cache[expression] = compiled
        return compiled

    def _run(self, expression: str, bindings: Mapping[str, Any]) -> Outcome:
        """Ask the engine."""
        raise NotImplementedError


class _Native(Witness):
    """Our own evaluator, asked in the same way."""

    name = "native"

    def _run(self, expression: str, bindings: Mapping[str, Any]) -> Outcome:
        program = self._cache.get(expression)
        if program is None:
            program = self._remember(expression, compile_expression(parse(expression), expression))
        try:
            return "value", program(dict(bindings))
        except EvaluationError as error:
            return "error", error.message


class _CelPython(Witness):
    """`cel-python`, which takes a quarter of a second to import."""

    name = "cel-python"

    def __init__(self) -> None:
        super().__init__()
        if find_spec("celpy") is None:
            message = "the engine cel-python is not installed"
            raise WitnessUnavailableError(message, cure="pip install cel-python")
        self._celpy: ModuleType | None = None
        self._environment: Any = None

    def _load(self) -> ModuleType:
        """Import the engine."""
        if self._celpy is None:
            import celpy  # noqa: PLC0415 - slow, and only needed when asked

            self._celpy = celpy
            self._environment = celpy.Environment(runner_class=celpy.InterpretedRunner)
        return self._celpy

    def _run(self, expression: str, bindings: Mapping[str, Any]) -> Outcome:
        celpy = self._load()
        try:
            runner = self._cache.get(expression)
            if runner is None:
                runner = self._remember(expression, self._environment.program(self._environment.compile(expression)))
            result = runner.evaluate({name: celpy.json_to_cel(value) for name, value in bindings.items()})
            return "value", _from_celpy(result)
        except Exception as error:  # noqa: BLE001 - it raises ValueError, TypeError and others beside its own class
            return "error", f"{type(error).__name__}: {error}"


#: The types of cel-python's results, its own and Python's, and what they are in JSON.
_CELPY_TYPES: Final[dict[str, Callable[[Any], Any]]] = {
    "BoolType": bool,
    "bool": bool,
    "IntType": int,
    "int": int,
    "DoubleType": float,
    "float": float,
    "StringType": str.__str__,
    "str": str,
    "ListType": list,
    "list": list,
    "MapType": dict,
    "dict": dict,
}


def _from_celpy(value: object) -> Any:  # noqa: ANN401 - JSON
    """A result of cel-python as JSON. Its `+` gives plain values, and a map can hold an exception.

    Raises:
        TypeError: the result is not JSON.
    """
    if value is None:
        return None
    name = type(value).__name__
    plain = _CELPY_TYPES.get(name)
    if plain is None:
        message = f"the result is a {name}, which is no JSON"
        raise TypeError(message)
    if isinstance(value, list):
        return [_from_celpy(element) for element in value]
    if isinstance(value, dict):
        return {_from_celpy(key): _from_celpy(element) for key, element in value.items()}
    return plain(value)


class _CelCpp(Witness):
    """`cel-expr-python`, Google's C++ engine, in a process of its own because it can crash (`witness_worker.py`)."""

    name = "cel-cpp"

    def __init__(self) -> None:
        super().__init__()
        if find_spec("cel_expr_python") is None:
            message = "the engine cel-cpp is not installed"
            raise WitnessUnavailableError(message, cure="pip install 'workloadmap-spec[cpp]'")
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()

    def _run(self, expression: str, bindings: Mapping[str, Any]) -> Outcome:
        request = json.dumps({"expression": expression, "bindings": bindings}).encode() + b"\n"
        stdin, stdout = self._pipes()
        try:
            stdin.write(request)
            stdin.flush()
            line = _read_line(stdout)
        except (BrokenPipeError, EOFError):
            process = self._process
            code = process.wait() if process is not None else 0
            self.close()
            return "error", f"the engine ended with code {code}"
        except TimeoutError:
            self.close()
            return "error", f"the engine took more than {_SECONDS:.0f} s"
        answer = json.loads(line)
        return ("value", answer["value"]) if "value" in answer else ("error", str(answer["error"]))

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """The pipes of a process that is alive and not worn out."""
        if self._process is not None and (self._asked >= _EVALUATIONS or self._process.poll() is not None):
            self.close()
        if self._process is None:
            # -P: the folder of the script holds a types.py, which must not hide that of Python.
            command = [sys.executable, "-P", str(Path(__file__).with_name("witness_worker.py"))]
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and script
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._asked = 0
        self._asked += 1
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            message = "a process with pipes has them"
            raise AssertionError(message)
        return stdin, stdout


def _read_line(stdout: IO[bytes]) -> bytes:
    """One line of an answer.

    Raises:
        EOFError: the process has ended.
        TimeoutError: there was none in time.
    """
    parts: list[bytes] = []
    descriptor = stdout.fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not (parts and parts[-1].endswith(b"\n")):
            if not selector.select(_SECONDS):
                raise TimeoutError
            part = os.read(descriptor, 1 << 16)
            if not part:
                raise EOFError
            parts.append(part)
    return b"".join(parts)

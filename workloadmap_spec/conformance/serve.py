"""Our own reader's side of the line protocol."""

from __future__ import annotations

import traceback
from typing import IO, TYPE_CHECKING, Any, Final

from workloadmap_spec import __version__
from workloadmap_spec.cases import reference_reader
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.conformance.vocabulary import PROTOCOL
from workloadmap_spec.conformance.wire import WireError, dump, parse
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.files import SPEC_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workloadmap_spec.field_compiler import Engine

    Reader = Callable[[Mapping[str, Any]], Mapping[str, Any]]

#: What we claim: everything that there is.
PROFILES: Final = ("core", "resources", "status", "pods", "gang", "references", "catalog")
FEATURES: Final = ("core.yaml-text",)

_COMMANDS: Final = ("map", "references", "validate")


def serve(lines: IO[bytes], write: Callable[[bytes], object], engine: Engine, name: str) -> int:
    """Answer every line until there are no more, or until `bye`; give the exit code.

    Args:
        lines: The requests.
        write: Takes an answer, with the end of its line.
        engine: What evaluates expressions.
        name: How the engine is called.
    """
    reader = reference_reader(Catalog([]), engine)
    for line in lines:
        try:
            message = parse(line, float)
        except WireError as error:
            write(dump({"outcome": "internal", "message": str(error)}))
            continue
        if message.get("cmd") == "bye":
            break
        write(dump(_hello(message, name) if message.get("cmd") == "hello" else _answer(message, reader)))
    return 0


def _hello(message: Mapping[str, Any], engine: str) -> dict[str, Any]:
    """Who we are."""
    if message.get("protocol") != PROTOCOL:
        return {"protocol": PROTOCOL}
    implementation = {"name": "workloadmap-spec", "version": __version__, "language": "python"}
    if engine != "native":
        implementation["name"] += f"-{engine}"
    return {
        "protocol": PROTOCOL,
        "implementation": implementation,
        "specVersions": [SPEC_VERSION],
        "profiles": list(PROFILES),
        "features": list(FEATURES),
        "limits": {"maxInFlight": 1},
    }


def _answer(message: Mapping[str, Any], reader: Reader) -> dict[str, Any]:
    """The answer to a request."""
    answer: dict[str, Any] = {"id": message.get("id")}
    command = message.get("cmd")
    if command not in _COMMANDS:
        return {**answer, "outcome": "unsupported", "message": f"there is no command `{command}` here"}
    try:
        found = reader({**message, "do": command})
    except WorkloadMapError as error:
        told: dict[str, Any] = {"class": error.error_class, "message": error.message}
        if error.location.pointer is not None:
            told["at"] = error.location.pointer
        return {**answer, "outcome": "rejected", "error": told}
    except Exception as error:  # noqa: BLE001 - one request that we cannot answer must not end the others
        what = f"{type(error).__name__}: {error}"
        return {**answer, "outcome": "internal", "message": what, "trace": traceback.format_exc()}
    return {**answer, "outcome": "ok", **({"document": found} if command == "map" else found)}

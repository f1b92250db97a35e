"""Our own reader's side of the line protocol."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, Final

from workloadmap_spec import __version__
from workloadmap_spec.cases import reference_reader
from workloadmap_spec.catalog import Catalog
from workloadmap_spec.conformance.vocabulary import PROTOCOL
from workloadmap_spec.conformance.wire import COMMANDS, WireError, dump, parse
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.files import SPEC_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.field_compiler import Engine


#: What we claim: everything that there is.
PROFILES: Final = ("core", "resources", "status", "pods", "gang", "references", "update", "catalog")
FEATURES: Final = ("core.yaml-text",)


#: From a request to an answer without its id.
Reply = Callable[[dict[str, Any]], dict[str, Any]]


def serve(
    lines: IO[bytes],
    write: Callable[[bytes], object],
    engine: Engine,
    name: str,
    change: Callable[[dict[str, Any], Reply], dict[str, Any]] | None = None,
) -> int:
    """Answer every line until there are no more, or until `bye`; give the exit code.

    Args:
        lines: The requests.
        write: Takes an answer, with the end of its line.
        engine: What evaluates expressions.
        name: How the engine is called.
        change: Answers in our place, by asking us: for readers that are wrong on purpose.
    """
    right = replying(reference_reader(Catalog([]), engine))
    for line in lines:
        try:
            message = parse(line, float)
        except WireError as error:
            write(dump({"outcome": "internal", "message": str(error)}))
            continue
        if message.get("cmd") == "bye":
            break
        if message.get("cmd") == "hello":
            write(dump(_hello(message, name)))
            continue
        answer = right(message) if change is None else change(message, right)
        write(dump({"id": message.get("id"), **answer}))
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


def replying(reader: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Reply:
    """A reader as the protocol asks it."""

    def reply(message: dict[str, Any]) -> dict[str, Any]:
        command = message.get("cmd")
        if command not in COMMANDS:
            return {"outcome": "unsupported", "message": f"there is no command `{command}` here"}
        try:
            found = reader({**message, "do": command})
        except WorkloadMapError as error:
            told: dict[str, Any] = {"class": error.error_class, "message": error.message}
            if error.location.pointer is not None:
                told["at"] = error.location.pointer
            return {"outcome": "rejected", "error": told}
        except Exception as error:  # noqa: BLE001 - one request that we cannot answer must not end the others
            what = f"{type(error).__name__}: {error}"
            return {"outcome": "internal", "message": what, "trace": traceback.format_exc()}
        return {"outcome": "ok", **({"document": found} if command == "map" else found)}

    return reply

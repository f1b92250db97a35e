"""The objects of a text of YAML, without positions and without the data rules.

The definitions of kinds are a hundred times as long as workloads: making them from the events of the parser takes a
quarter of the time that PyYAML's own loader takes. Schemas have numbers beyond 2^53, which the data rules refuse, and
nobody reads a workload in them.
"""

from __future__ import annotations

from typing import Any, Final

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from workloadmap_spec.yaml_parsers import make_parser
from workloadmap_spec.yaml_scalars import resolve_plain

#: In place of a key, until one is read.
_NO_KEY: Final = object()


def objects(text: str) -> list[Any]:  # noqa: C901 - flat on purpose: this runs on every event of a megabyte
    """The documents of a text.

    Raises:
        yaml.YAMLError: It is not YAML.
    """
    next_event = make_parser(text).get_event
    documents: list[Any] = []
    anchors: dict[str, Any] = {}
    #: The containers around the current one, each with the key that is waiting for a value in it.
    around: list[tuple[Any, Any]] = []
    current: Any = documents
    key: Any = None
    while (event := next_event()) is not None:
        kind = type(event)
        if kind is ScalarEvent:
            if key is _NO_KEY:
                key = event.value
                continue
            value = resolve_plain(event.value) if event.implicit[0] else event.value
        elif kind is MappingStartEvent:
            value = {}
        elif kind is SequenceStartEvent:
            value = []
        elif kind is AliasEvent:
            value = anchors.get(event.anchor)
        else:
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                current, key = around.pop()
            continue
        if key is None:
            current.append(value)
        else:
            current[key] = value
            key = _NO_KEY
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            around.append((current, key))
            current, key = value, _NO_KEY if kind is MappingStartEvent else None
        if event.anchor is not None and kind is not AliasEvent:
            anchors[event.anchor] = value
    return documents

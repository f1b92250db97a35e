"""The objects of a text of YAML, without positions and without the data rules.

The definitions of kinds are a hundred times as long as workloads: making them from the events of the parser takes a
quarter of the time that PyYAML's own loader takes. Schemas have numbers beyond 2^53, which the data rules refuse, and
nobody reads a workload in them.
"""

from __future__ import annotations

from typing import Any, Final

from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from workloadmap_spec.yaml_loader import MAX_ALIASED_SIZE
from workloadmap_spec.yaml_parsers import make_parser
from workloadmap_spec.yaml_scalars import resolve_plain

#: In place of a key, until one is read.
_NO_KEY: Final = object()
#: The key of what is merged into a map: `<<` without quotes.
_MERGE: Final = object()


def objects(text: str) -> list[Any]:  # noqa: C901, PLR0912, PLR0915 - flat on purpose: this runs on every event of a megabyte
    """The documents of a text.

    Raises:
        yaml.YAMLError: It is not YAML, or not YAML that kubectl takes: a key that is written twice, an alias of
            nothing or of what is around it, or more behind aliases than MAX_ALIASED_SIZE values.
    """
    next_event = make_parser(text).get_event
    documents: list[Any] = []
    #: By anchor: the value, and how many values are in it.
    anchors: dict[str, tuple[Any, int]] = {}
    #: How many values were read, and how many of them stand behind aliases.
    count = aliased = 0
    #: The containers around the current one, each with the key that is waiting for a value in it; the anchor of the
    #: current one, and the count when it began.
    around: list[tuple[Any, Any, str | None, int]] = []
    current: Any = documents
    key: Any = None
    while (event := next_event()) is not None:
        kind = type(event)
        if kind is ScalarEvent:
            if key is _NO_KEY:
                key = event.value
                if key == "<<" and event.implicit[0]:
                    key = _MERGE
                if key in current:
                    raise _refused(f"the key `{event.value}` is written twice", event)
                continue
            value = resolve_plain(event.value) if event.implicit[0] else event.value
        elif kind is MappingStartEvent:
            value = {}
        elif kind is SequenceStartEvent:
            value = []
        elif kind is AliasEvent:
            if event.anchor not in anchors:
                raise _refused(f"the alias `*{event.anchor}` has no anchor before it", event)
            value, size = anchors[event.anchor]
            aliased += size
            count += size
            if aliased > MAX_ALIASED_SIZE:
                raise _refused(f"aliases stand for more than {MAX_ALIASED_SIZE} values", event)
        else:
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                value = current
                current, key, anchor, began = around.pop()
                if anchor is not None:
                    anchors[anchor] = value, count - began
                if kind is MappingEndEvent and _MERGE in value:
                    _merge(value, event)
            continue
        if key is None:
            current.append(value)
        elif key is _NO_KEY:
            raise _refused("a key is a text", event)
        else:
            current[key] = value
            key = _NO_KEY
        count += 1
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            around.append((current, key, event.anchor, count - 1))
            current, key = value, _NO_KEY if kind is MappingStartEvent else None
        elif event.anchor is not None and kind is ScalarEvent:
            anchors[event.anchor] = value, 1
    return documents


def _merge(value: dict[Any, Any], event: Any) -> None:  # noqa: ANN401 - a yaml.Event
    """Put what is merged into a map where it has nothing of its own; of several maps the first counts."""
    merged = value.pop(_MERGE)
    for one in merged if isinstance(merged, list) else [merged]:
        if not isinstance(one, dict):
            raise _refused("only maps can be merged with `<<`", event)
        for name, entry in one.items():
            value.setdefault(name, entry)


def _refused(problem: str, event: Any) -> MarkedYAMLError:  # noqa: ANN401 - a yaml.Event
    """The error for an event."""
    return MarkedYAMLError(problem=problem, problem_mark=event.start_mark)

"""A guess as the text of a mapping, with a comment for everything that its author has to check."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from workloadmap_spec.scaffold.guess import PHASES, Guess, Path, Template
from workloadmap_spec.scaffold.nest import Part, nest, written
from workloadmap_spec.schemas import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA: Final = "https://workloadmap.dev/schema/v1alpha1/workload-mapping.schema.json"
_WIDTH: Final = 116


def mapping_text(group: str, version: str, kind: str, guess: Guess) -> str:
    """The text of a mapping for a kind: YAML that keeps the schema, with comments that begin with `guessed:`."""
    parts = nest(guess)
    lines = [
        f"# yaml-language-server: $schema={_SCHEMA}",
        f"# {kind} {group or 'v1'}: a scaffold made from its schema. Check every line that is marked `guessed` against",
        "# what the controller does, say where you found it, and remove the mark.",
        f"apiVersion: {API_VERSION}",
        "kind: WorkloadMapping",
        "metadata:",
        f"  name: {mapping_name(kind)}",
        "spec:",
        f"  workload: {{group: {json.dumps(group)}, versions: [{version}], kind: {kind}}}",
        "",
        "  components:",
    ]
    for part in parts:
        lines += _part(part, "  ")
    if not parts:
        lines += _without_template(guess)
    lines += [
        "",
        "  # The labels that the controller puts on every pod of a workload, without which pods cannot be told apart:",
        "  # pods:",
        f"  #   selector: {{{group or 'example.org'}/name: object.metadata.name}}",
        "",
        *_status(guess),
    ]
    if guess.suspend is not None:
        place = written(guess.suspend, 0)
        lines += [
            "",
            "  suspend:",
            "    # guessed: the controller stops the pods where this is true.",
            f"    suspend: [{{set: {place}, to: true}}]",
            f"    resume: [{{set: {place}, to: false}}]",
        ]
    if parts:
        members = ", ".join(part.name for part in parts)
        lines += [
            "",
            "  gang:",
            "  # guessed: all pods of a workload start together.",
            f"  - {{name: workload, members: [{members}]}}",
        ]
    return "\n".join(lines) + "\n"


def mapping_name(kind: str) -> str:
    """The name of a mapping: the kind in lower case."""
    return re.sub(r"[^a-z0-9]", "", kind.lower())


def _part(part: Part, indent: str) -> Iterator[str]:
    """The lines of a component."""
    yield f"{indent}- name: {part.name}"
    inner = f"{indent}  "
    if part.each is not None:
        yield f"{inner}forEach: {part.each}"
        if part.instance is not None:
            yield f"{inner}instance: {part.instance}"
    if part.template is not None:
        yield from _template(part.template, part.cut, inner)
    if part.parts:
        yield f"{inner}components:"
        for one in part.parts:
            yield from _part(one, inner)


def _template(template: Template, cut: int, indent: str) -> Iterator[str]:
    """The lines of a component with pods: counts and template."""
    if "replicas" not in template.counts:
        yield f"{indent}# guessed: no field beside the template counts copies."
        yield f"{indent}replicas: 1"
    for name, count in template.counts.items():
        if name in {"replicas", "podsPerReplica"}:
            yield f"{indent}# guessed from the name of the field{_filled(count.is_filled)}."
            yield f"{indent}{name}: {{value: {_from(count.path, template, cut)}, default: {count.default}}}"
        else:
            yield f"{indent}{name}: {_from(count.path, template, cut)}"
    if not template.is_sure:
        yield f"{indent}# guessed from the name alone: the schema says nothing about what is in it."
    yield f"{indent}{template.field}: {written(template.path, cut)}"


def _filled(is_filled: bool) -> str:  # noqa: FBT001 - one fact
    """Where a default comes from."""
    return "; the default is the API server's" if is_filled else "; what the controller takes where it is absent is not"


def _from(path: Path, template: Template, cut: int) -> str:
    """A path from the element of a component, or from the object where it is not inside the element."""
    return written(path, cut if path[:cut] == template.path[:cut] else 0)


def _without_template(guess: Guess) -> Iterator[str]:
    """The lines of a component whose pods no field describes."""
    yield "  - name: main"
    yield "    # guessed: the schema has no pod template, so the controller makes the pods by rules of its own."
    if guess.images:
        yield "    podFields:"
        yield f"    - {{container: main, field: image, value: {written(guess.images[0], 0)}}}"
    else:
        yield "    podFields:"
        yield "    - {container: main, field: image, value: {unknown: the schema names no image}}"
    yield "    replicas: {unknown: the schema has no field that counts the pods of a template}"
    yield "    incomplete:"
    yield "    - {what: podTemplate, reason: the schema of the kind has no pod template}"


def _status(guess: Guess) -> Iterator[str]:
    """The lines of the status."""
    yield "  status:"
    if not guess.has_generation:
        yield "    observedGeneration: false                    # the schema has no such field"
    if guess.phase is not None:
        yield "    variables:"
        yield f'    - {{name: word, value: {written(guess.phase, 0)}, default: ""}}'
    yield "    rules:"
    yield "    # guessed from the words; the first rule that holds counts."
    for phase, words in PHASES.items():
        if guess.phase is not None:
            known = [word for word in words if guess.words is None or word in guess.words]
            if known:
                yield from _rule(phase, f"variables.word in [{', '.join(json.dumps(word) for word in known)}]", None)
        for word in words:
            listed = guess.conditions
            if (listed is None and word in _CONDITIONS) or (listed and word in listed):
                yield from _rule(phase, f"{json.dumps(word)} in conditionsTrue", word)
    rest = [word for word in guess.words or () if word and not any(word in words for words in PHASES.values())]
    if rest:
        yield f"    # not guessed: {', '.join(rest)}"
    yield "    - {phase: Initializing, when: 'true'}"


#: The types of conditions that are asked for where the schema does not list them, as most do not.
_CONDITIONS: Final = frozenset(
    {"Failed", "Completed", "Complete", "Succeeded", "Suspended", "Running", "Ready", "Available"}
)


def _rule(phase: str, when: str, condition: str | None) -> Iterator[str]:
    """The lines of one rule."""
    tail = "" if condition is None else f", condition: {condition}"
    line = f"    - {{phase: {phase}, when: '{when}'{tail}}}"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"    - phase: {phase}"
    yield f"      when: '{when}'"
    if condition is not None:
        yield f"      condition: {condition}"

"""What the schema of a kind suggests about its workloads: where pod templates, counts, conditions, suspension are.

Guesses follow the conventions of the Kubernetes API and the habits of controllers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.crd.shapes import kinds_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workloadmap_spec.crd.shapes import Shape, Value

#: Steps of a path: names of fields, ELEMENT for the elements of a list and VALUE for what is under free keys.
ELEMENT, VALUE = "[]", "[*]"
Path = tuple[str, ...]

#: How deep pod templates are looked for; the deepest of a known kind is at nine.
_MAX_DEPTH: Final = 12
#: Fields that count copies, from the one that surely does.
_COUNTS: Final = (
    *("replicas", "replica", "replicaCount", "numReplicas", "instances", "size", "count"),
    *("numWorkers", "workers", "numNodes", "nodes", "parallelism"),
)
_MINIMUM: Final = ("minReplicas", "minReplicaCount")
_MAXIMUM: Final = ("maxReplicas", "maxReplicaCount")
#: Fields that hold a template whose schema says nothing.
_TEMPLATES: Final = ("template", "podTemplate", "podTemplateSpec")
#: Parts of a pod, in which no other pod is looked for.
_PARTS: Final = frozenset({"containers", "initContainers", "ephemeralContainers", "volumes", "volumeClaimTemplates"})
#: Words for what a workload is in, in the order in which rules ask: what ends it first.
PHASES: Final[dict[str, tuple[str, ...]]] = {
    "Failed": ("Failed", "Failure", "Error", "JobFailed"),
    "Completed": ("Completed", "Complete", "Succeeded", "Finished", "JobComplete"),
    "Suspended": ("Suspended", "Paused", "Stopped"),
    "Degraded": ("Degraded", "Restarting", "Unhealthy"),
    "Running": ("Running", "Ready", "Available", "Healthy", "Active"),
    "Initializing": ("Pending", "Created", "Creating", "Initializing", "Starting", "Progressing", "Deploying", "New"),
}
_PHASE_FIELDS: Final = ("phase", "state", "jobStatus", "deploymentStatus", "status")
_SUSPEND: Final = ("suspend", "suspended")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Count:
    """A field that seems to count copies: where it is, and what stands for it where it is absent."""

    path: Path
    default: int
    #: Whether the API server fills the default in.
    is_filled: bool


@dataclass(frozen=True, slots=True)
class Template:
    """A place that seems to hold a pod template: `podTemplate` or `podSpec`."""

    path: Path
    field: str
    #: Whether the schema shows the containers; else the name alone speaks for it.
    is_sure: bool
    counts: dict[str, Count]


@dataclass(frozen=True, slots=True)
class Guess:
    """What is guessed about a kind."""

    templates: tuple[Template, ...]
    #: Places of images, where no template was found.
    images: tuple[Path, ...]
    #: For lists on the way to a template: the field that names an element, by the path of the list.
    names: dict[Path, str]
    #: The types of conditions that the schema lists; None if it does not, empty if there are no conditions.
    conditions: tuple[str, ...] | None
    #: A field of the status that holds a word, and the words, if the schema lists them.
    phase: Path | None
    words: tuple[str, ...] | None
    suspend: Path | None
    has_generation: bool
    #: The paths of the template's ancestors that the example needs.
    shapes: dict[Path, Value] = field(default_factory=dict)


def guess(root: Shape) -> Guess:
    """Guess where the parts of a workload are in a kind."""
    spec = root.member("spec")
    templates: list[Template] = []
    images: list[Path] = []
    shapes: dict[Path, Value] = {}
    if spec is not None:
        for path, shape in _walk(("spec",), spec, shapes):
            kind, is_sure = _template(path, shape)
            if kind is not None:
                templates.append(Template(path, kind, is_sure, _counts(path, shapes)))
            elif "image" in shape.fields and kinds_of(shape.member("image") or ()) == {"string"}:
                images.append((*path, "image"))
    sure = [template for template in templates if template.is_sure]
    found = tuple(sure or templates)
    conditions, phase, words, has_generation = _status(root)
    return Guess(
        found,
        () if found else tuple(path for path in images if ELEMENT not in path and VALUE not in path)[:1],
        _names(found, shapes),
        conditions,
        phase,
        words,
        _suspend(spec, shapes),
        has_generation,
        shapes,
    )


def _walk(path: Path, value: Value, shapes: dict[Path, Value]) -> Iterator[tuple[Path, Shape]]:
    """The maps of a schema, outermost first; what is inside a pod is left out."""
    if len(path) > _MAX_DEPTH:
        return
    shapes[path] = value
    for shape in value:
        if "list" in shape.kinds and shape.items is not None:
            yield from _walk((*path, ELEMENT), shape.element(), shapes)
        if "map" not in shape.kinds:
            continue
        yield path, shape
        if _template(path, shape)[0] is not None:
            continue
        for name in shape.fields:
            if name not in _PARTS and (member := shape.member(name)) is not None:
                yield from _walk((*path, name), member, shapes)
        free = shape.value()
        if free is not None and shape.values != {}:
            yield from _walk((*path, VALUE), free, shapes)


def _template(path: Path, shape: Shape) -> tuple[str | None, bool]:
    """Whether a map holds a pod template, and whether its schema says so."""
    if _holds_containers(shape):
        return "podSpec", True
    if any(_holds_containers(inner) for inner in shape.member("spec") or ()) and len(path) > 1:
        return "podTemplate", True
    is_open = shape.open is not None and not shape.fields
    if path[-1] in _TEMPLATES and (is_open or any(inner.open for inner in shape.member("spec") or ())):
        return "podTemplate", False
    return None, False


def _holds_containers(shape: Shape) -> bool:
    """Whether a map is a PodSpec: it has a list of containers, which have images."""
    for containers in shape.member("containers") or ():
        if "list" in containers.kinds and any("image" in one.fields or one.open for one in containers.element()):
            return True
    return False


def _counts(path: Path, shapes: dict[Path, Value]) -> dict[str, Count]:
    """The counts that seem to belong to a template: beside it, or nearest above it within the same element."""
    found: dict[str, Count] = {}
    for end in range(len(path), 0, -1):
        above = path[:end]
        names = _integers(above, shapes)
        # What is in the template of a Job is counted by the Job: so many pods in each copy of it.
        if "podsPerReplica" not in found and "parallelism" in names and end > 1:
            found["podsPerReplica"] = names["parallelism"]
        elif "replicas" not in found:
            first = next((name for name in _COUNTS if name in names), None)
            if first is not None:
                found["replicas"] = names[first]
                limits = {"minReplicas": _MINIMUM, "maxReplicas": _MAXIMUM}
                found |= {what: names[one] for what, known in limits.items() for one in known[::-1] if one in names}
        if above[-1] in {ELEMENT, VALUE}:
            break
    if "podsPerReplica" in found and "replicas" not in found:
        found["replicas"] = found.pop("podsPerReplica")
    return found


def _integers(path: Path, shapes: dict[Path, Value]) -> dict[str, Count]:
    """The fields of a map that hold an integer."""
    found = {}
    for shape in shapes.get(path, ()):
        for name in (*_COUNTS, *_MINIMUM, *_MAXIMUM):
            member = shape.member(name)
            if member is not None and kinds_of(member) == {"int"}:
                default: Any = member[0].default
                is_filled = default is not ABSENT and isinstance(default, int)
                found[name] = Count((*path, name), default if is_filled else 1, is_filled)
    return found


def _names(templates: tuple[Template, ...], shapes: dict[Path, Value]) -> dict[Path, str]:
    """For each list on the way to a template: the field that names its elements."""
    found = {}
    for template in templates:
        for end, step in enumerate(template.path):
            if step != ELEMENT:
                continue
            path = template.path[: end + 1]
            texts = [
                name
                for shape in shapes.get(path, ())
                for name in shape.fields
                if kinds_of(shape.member(name) or ()) == {"string"}
            ]
            required = {name for shape in shapes.get(path, ()) for name in shape.required}
            likely = [name for name in texts if name == "name"]
            likely += sorted(name for name in texts if name.endswith("Name") and name in required)
            if likely:
                found[path[:-1]] = likely[0]
    return found


def _status(root: Shape) -> tuple[tuple[str, ...] | None, Path | None, tuple[str, ...] | None, bool]:
    """The types of conditions, the field that holds a word, its words, and whether a generation is reported."""
    conditions: tuple[str, ...] | None = ()
    phase, words, has_generation = None, None, False
    for status in root.member("status") or ():
        for listed in status.member("conditions") or ():
            types = [one for element in listed.element() for one in element.member("type") or ()]
            enums = [one.enum for one in types if one.enum is not None]
            conditions = tuple(text for enum in enums for text in enum) if enums else None
        has_generation = has_generation or status.member("observedGeneration") is not None
        for name in _PHASE_FIELDS:
            member = status.member(name)
            if phase is None and member is not None and kinds_of(member) == {"string"}:
                phase = ("status", name)
                words = None if member[0].enum is None else tuple(str(word) for word in member[0].enum)
    return conditions, phase, words, has_generation


def _suspend(spec: Value | None, shapes: dict[Path, Value]) -> Path | None:
    """The boolean that seems to ask for suspension: in the spec, or in a map of it."""
    if spec is None:
        return None
    for path in sorted((path for path in shapes if ELEMENT not in path and VALUE not in path), key=len):
        for shape in shapes[path]:
            for name in _SUSPEND:
                if len(path) < 3 and kinds_of(shape.member(name) or ()) == {"bool"}:  # noqa: PLR2004 - spec, or a policy in it
                    return (*path, name)
    return None


def component_name(path: Path) -> str:
    """A name for the component at a path, from what tells it from others: worker-group of `workerGroupSpecs`."""
    ordinary = {"spec", "template", "pod", "specs", "templates", "podspec", "replica", "replicas"}
    for step in reversed([one for one in path if one not in {ELEMENT, VALUE}]):
        words = [word.lower() for word in _WORDS.findall(step)]
        kept = [word for word in words if word not in ordinary]
        if kept:
            last = kept[-1]
            singular = last[:-1] if last.endswith("s") and not last.endswith("ss") and len(last) > 3 else last  # noqa: PLR2004 - `aws`
            return "-".join([*kept[:-1], singular])
    return "main"

"""Laws of writing (clause S20), for every shipped mapping: what is asked is read afterwards, and nothing else changes.

The objects are those of the catalogue's cases, of the examples, and of upstream samples where they are at hand. What an
update gives is read by a new reading and compared as maps, and its patches are applied by other libraries.
"""

from __future__ import annotations

import copy
import json
import random
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonpatch
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.conftest import catalog_cases, shared_dir, shipped_kinds
from tests.test_read_properties import SCALARS, places, replaced
from workloadmap_spec import Catalog, WorkloadMapError
from workloadmap_spec.documents import load_all, normalize
from workloadmap_spec.errors import InputError, NoMappingError, UpdateInvalidError, UpdateUnsupportedError
from workloadmap_spec.files import schema_path
from workloadmap_spec.pointer import resolve, split
from workloadmap_spec.quantities import QuantityError, parse
from workloadmap_spec.writing.intents import COUNTS, FIELDS, check_intent
from workloadmap_spec.writing.patches import json_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workloadmap_spec.mapping import Component
    from workloadmap_spec.writing.update import Change

#: How many intents of one object are tried; which ones is drawn by a seed that the object gives.
PER_OBJECT: Final = 3
IN_TEMPLATE: Final = [name for name, form in FIELDS.items() if form.in_template]
EXAMPLES: Final = Path(__file__).resolve().parents[1] / "examples"


# Objects


@dataclass(frozen=True)
class Subject:
    """An object to be changed, and the objects that it refers to."""

    name: str
    value: dict[str, Any]
    references: list[Any] | None = None

    def __str__(self) -> str:
        """The id of the test."""
        return self.name


def exact(value: object) -> str:
    """A text that tells documents apart as JSON texts do: `1.0` from `1`, but not the order of members."""
    return json.dumps(value, sort_keys=True)


@cache
def subjects() -> tuple[Subject, ...]:
    """Every object, each once."""
    found: dict[str, Subject] = {}
    for subject in (*of_cases(), *of_files(EXAMPLES.iterdir(), EXAMPLES), *of_samples()):
        found.setdefault(exact([subject.value, subject.references]), subject)
    return tuple(found.values())


def of_cases() -> Iterator[Subject]:
    """The objects of the catalogue's cases that can be read."""
    for case in catalog_cases():
        request = case.request
        subject = Subject(request["id"], request["object"], request.get("references"))
        if is_readable(subject):
            yield subject


def of_samples() -> Iterator[Subject]:
    """Upstream samples."""
    folder = shared_dir()
    for samples in sorted((folder / "upstream").glob("*/samples")) if folder else ():
        yield from of_files(sorted(samples.iterdir()), samples.parent.parent)


def of_files(files: Any, root: Path) -> Iterator[Subject]:  # noqa: ANN401 - any paths
    """The readable objects of some files, with all of a file's folder that a TrainJob may refer to."""
    documents = [
        (path, index, entry.value) for path in files if path.is_file() for index, entry in enumerate(read(path))
    ]
    runtimes = [value for _path, _index, value in documents if str(value.get("kind")).endswith("TrainingRuntime")]
    for path, index, value in documents:
        if (value.get("apiVersion"), value.get("kind")) in shipped_kinds():
            subject = Subject(f"{path.relative_to(root)}#{index}", value, runtimes or None)
            if is_readable(subject):
                yield subject


def read(path: Path) -> list[Any]:
    """The documents of a file that are maps."""
    return [entry for entry in load_all(path.read_bytes())[0] if isinstance(entry.value, dict)]


def is_readable(subject: Subject) -> bool:
    """Whether there is a map of it."""
    try:
        map_of(subject.value, subject.references)
    except WorkloadMapError:
        return False
    return True


# Maps


@dataclass
class Place:
    """An instance in a map: its names, and its document."""

    component: str
    path: str
    document: dict[str, Any]


@dataclass
class Map:
    """What of a map must stay as it is when something else is written (S20.7)."""

    document: dict[str, Any]
    places: dict[str, Place] = field(default_factory=dict)
    queues: dict[str, Any] = field(default_factory=dict)


def map_of(value: object, references: list[Any] | None) -> Map:
    """A map, with its instances by their place in the tree."""
    found = Map(Catalog.builtin().read(value, references=references).to_dict())

    def walk(
        components: list[dict[str, Any]], names: str, outer: str, ids: tuple[str, ...], carriers: frozenset[str]
    ) -> None:
        for component in components:
            name = component["name"]
            for instance in component["instances"]:
                path = (*ids, instance["id"])
                key = f"{names}/{name}:{instance['id']}"
                found.places[key] = Place(f"{outer}{name}", "/".join(path), instance)
                below = instance.get("components", [])
                if name in carriers:
                    inner = frozenset[str]().union(*(embedding(one) for one in readers_of(below)))
                    walk(below, key, f"{outer}{name}/", path, inner)
                else:
                    walk(below, key, outer, path, carriers)

    walk(found.document.get("components", []), "", "", (), embedding(found.document["mapping"]["name"]))
    for group in found.document.get("gang", {}).get("groups", []):
        found.queues[group["id"]] = group.get("queue")
    return found


@cache
def embedding(mapping_name: str) -> frozenset[str]:
    """The components of a mapping that carry another workload."""

    def walk(parts: Iterable[Component]) -> Iterator[str]:
        for part in parts:
            if part.embed is not None:
                yield part.name
            yield from walk(part.components)

    return frozenset(
        name for one in Catalog.builtin().mappings() if one.name == mapping_name for name in walk(one.components)
    )


def readers_of(components: list[dict[str, Any]]) -> list[str]:
    """The names of the mappings that may have read these components of a map: their parts are called so."""

    def fits(parts: Iterable[Component], found: list[dict[str, Any]]) -> bool:
        known = {part.name: part for part in parts}
        return all(
            one["name"] in known
            and all(inside(known[one["name"]], instance.get("components", [])) for instance in one["instances"])
            for one in found
        )

    def inside(part: Component, below: list[dict[str, Any]]) -> bool:
        return bool(readers_of(below)) if part.embed is not None else fits(part.components, below)

    return [one.name for one in Catalog.builtin().mappings() if fits(one.components, components)]


def kept(found: Map) -> dict[tuple[str, str], Any]:
    """Counts and templates by instance, and the queues of groups."""
    names = (*COUNTS, "podTemplate")
    result = {(key, name): place.document.get(name) for key, place in found.places.items() for name in names}
    return result | {(group, "queue"): queue for group, queue in found.queues.items()}


def containers(place: Place, name: str) -> list[Any]:
    """One of the lists of containers of an instance; where a damaged object has something else, there are none."""
    spec = (place.document.get("podTemplate") or {}).get("spec")
    found = spec.get(name) if isinstance(spec, dict) else None
    return found if isinstance(found, list) else []


def container_names(place: Place) -> list[str]:
    """The names of the containers of an instance."""
    return [
        entry["name"]
        for name in ("containers", "initContainers")
        for entry in containers(place, name)
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]


def looked_up(place: Place, intent: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """What is read of a field of a template; None for nothing."""
    value: Any = place.document.get("podTemplate")
    form = FIELDS[intent["field"]]
    if form.in_container:
        name = intent.get("container", place.document.get("mainContainer"))
        listed = containers(place, "containers")
        if name is None and len(listed) == 1 and isinstance(listed[0], dict):
            name = listed[0].get("name")
        both = [*listed, *containers(place, "initContainers")]
        value = next((entry for entry in both if isinstance(entry, dict) and entry.get("name") == name), None)
    for step in (*form.path, *([intent["key"]] if "key" in intent else [])):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def is_same(read_value: object, asked: object, name: str) -> bool:
    """Whether something reads as asked; quantities by their amount."""
    if name in ("requests", "limits") and read_value is not None and asked is not None:
        try:
            return bool(parse(read_value) == parse(asked))  # type: ignore[arg-type]
        except QuantityError:
            return False
    return exact(read_value) == exact(asked) or (
        isinstance(read_value, int | float) and not isinstance(read_value, bool) and read_value == asked
    )


# Intents

#: What is set: two values of each field, so that one of them is not read already.
VALUES: Final[dict[str, list[Any]]] = {
    "schedulerName": ["kai-scheduler", "other-scheduler"],
    "priorityClassName": ["high", "low"],
    "schedulingGroup": [{"podGroupName": "one"}, {"podGroupName": "other"}],
    "workloadRef": [
        {"name": "one", "podGroup": "all"},
        {"name": "other", "podGroup": "all", "podGroupReplicaKey": "1"},
    ],
    "labels": ["x", "y", ""],
    "annotations": ["x", "y", ""],
    "nodeSelector": ["x", "y", ""],
    "tolerations": [[], [{"key": "gpu", "operator": "Exists"}], [{"key": "a"}, {"key": "b", "tolerationSeconds": 5}]],
    "image": ["registry.example/other:1", "registry.example/other@sha256:0"],
    "requests": ["3", "250m", "1536Mi", 2, 0.5, "1e3"],
    "limits": ["3", "250m", "1536Mi", 2, 0.5, "1e3"],
}
KEYS: Final = {"labels": ["new", "a.b/c~d"], "annotations": ["new", "a.b/c~d"], "nodeSelector": ["new", "a.b/c~d"]}
RESOURCES: Final = ["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"]


def intents(subject: Subject, found: Map) -> Iterator[dict[str, Any]]:
    """Everything that is asked of an object."""
    for place in found.places.values():
        named = {"component": place.component, "instance": place.path}
        yield from scaled(place, named)
        if "podTemplate" in place.document:
            yield from fields_set(place, named)
    for name in IN_TEMPLATE:
        chosen = {"key": (KEYS.get(name) or RESOURCES)[0]} if FIELDS[name].keyed else {}
        yield {"op": "set", "field": name, "value": VALUES[name][0], **chosen}
    yield from ({"op": "set", "field": "queue", "value": value} for value in ("urgent", None))
    for name in ("labels", "annotations"):
        existing = subject.value.get("metadata", {}).get(name) or {}
        for key in ("new", *existing):
            for value in ("x", None):
                yield {"op": "set", "field": f"workload.{name}", "key": key, "value": value}
    yield {"op": "suspend"}
    yield {"op": "resume"}


def scaled(place: Place, named: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The counts of an instance, one higher, none, and as they are."""
    for name in COUNTS:
        now = place.document.get(name)
        wanted = [3, 0] if now is None else [now + 1, 0, now]
        if now is not None or name == "replicas":
            yield from ({"op": "scale", **named, name: count} for count in wanted)
    if "minReplicas" in place.document and "maxReplicas" in place.document:
        least, most = place.document["minReplicas"], place.document["maxReplicas"]
        yield {"op": "scale", **named, "minReplicas": least + 1, "maxReplicas": max(most, least + 1) - 1 or 1}


def fields_set(place: Place, named: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The fields of a template: to something else, to what they are, and removed."""
    for name in IN_TEMPLATE:
        form = FIELDS[name]
        for container in (None, *container_names(place)) if form.in_container else (None,):
            base: dict[str, Any] = {"op": "set", "field": name, **named}
            if container is not None:
                base["container"] = container
            if not form.keyed:
                yield from ({**base, "value": value} for value in (*VALUES[name], looked_up(place, base), None))
                continue
            around = looked_up(place, base)
            existing = list(around)[:3] if isinstance(around, dict) else []
            for key in dict.fromkeys((*(KEYS.get(name) or RESOURCES), *existing)):
                now = looked_up(place, {**base, "key": key})
                yield from ({**base, "key": key, "value": value} for value in (*VALUES[name], now, None))


def drawn(subject: Subject, found: Map) -> list[dict[str, Any]]:
    """Some intents of an object, the same ones every time."""
    everything = list(intents(subject, found))
    seed = random.Random(zlib.crc32(subject.name.encode()))
    return seed.sample(everything, min(PER_OBJECT, len(everything)))


# Laws


def updated(subject: Subject, intent: object) -> Change | WorkloadMapError:
    """What an update gives; it takes the object as it is, refuses only as it may, and gives the same twice."""
    given = copy.deepcopy(subject)
    wanted = copy.deepcopy(intent)
    outcomes: list[Any] = []
    for _ in range(2):
        try:
            outcomes.append(Catalog.builtin().update(given.value, wanted, given.references))
        except (UpdateInvalidError, UpdateUnsupportedError) as error:
            outcomes.append(error)
        assert exact([given.value, given.references]) == exact([subject.value, subject.references])
        assert repr(wanted) == repr(intent)
    first, second = outcomes
    assert type(first) is type(second)
    if isinstance(first, WorkloadMapError):
        assert str(first) == str(second)
    else:
        assert json.dumps(first.after) == json.dumps(second.after)
        assert json.dumps(first.json_patch()) == json.dumps(second.json_patch())
    result: Change | WorkloadMapError = first
    return result


def check_change(subject: Subject, intent: dict[str, Any], before: Map, change: Change) -> None:
    """Every law of a change that was made."""
    assert exact(change.before) == exact(subject.value)
    check_patches(change)
    after = map_of(change.after, subject.references)
    meant = meant_places(before, intent)
    check_asked(intent, before, after, change, meant)
    check_kept(intent, before, after, meant)
    most = {"scale": sum(name in intent for name in COUNTS), "set": max(len(meant), len(before.queues), 1)}
    if intent.get("field") != "tolerations":
        assert len(change.json_patch()) <= most.get(intent["op"], 1)
    again = Catalog.builtin().update(change.after, intent, subject.references)
    assert again.after == change.after
    assert again.json_patch() == []
    assert again.merge_patch() == {}


def meant_places(found: Map, intent: dict[str, Any]) -> set[str]:
    """The instances that an intent means."""
    if intent["op"] in ("suspend", "resume") or intent.get("field") in (
        "queue",
        "workload.labels",
        "workload.annotations",
    ):
        return set()
    named = {
        key
        for key, place in found.places.items()
        if intent.get("component", place.component) == place.component
        and intent.get("instance") in (None, place.path, place.document["id"])
    }
    if intent["op"] == "scale":
        return named
    # A component stands for the pods below it.
    below = {key for key in found.places if any(key.startswith(f"{above}/") for above in named)}
    return {key for key in named | below if "podTemplate" in found.places[key].document}


def reads_as_asked(intent: dict[str, Any], found: Map, value: Any, meant: set[str]) -> bool:  # noqa: ANN401 - JSON
    """Whether everything that an intent means reads as it asks."""
    name = intent.get("field", intent["op"])
    if intent["op"] in ("suspend", "resume"):
        return found.document.get("suspended") is (intent["op"] == "suspend")
    if intent["op"] == "scale":
        documents = [found.places[key].document for key in meant]
        return all(
            is_same(one.get(count), intent[count], name) for one in documents for count in COUNTS if count in intent
        )
    if name == "queue":
        return all(is_same(queue, intent["value"], name) for queue in found.queues.values())
    if name.startswith("workload."):
        around = (value.get("metadata") or {}).get(name.removeprefix("workload.")) or {}
        return is_same(around.get(intent["key"]), intent["value"], name)
    return all(is_same(looked_up(found.places[key], intent), intent["value"], name) for key in meant)


def check_asked(intent: dict[str, Any], before: Map, after: Map, change: Change, meant: set[str]) -> None:
    """What was asked for is read (put-get); what is read already is not written (get-put)."""
    if intent["op"] == "scale" and "component" not in intent:
        # The one is meant whose component gives the counts; a map shows counts that none gives too.
        assert any(reads_as_asked(intent, after, change.after, {key}) for key in meant)
        return
    assert reads_as_asked(intent, after, change.after, meant)
    if reads_as_asked(intent, before, change.before, meant):
        assert change.after is change.before
        assert change.json_patch() == []
        assert change.merge_patch() == {}
    else:
        assert change.json_patch()


def check_refusal(subject: Subject, intent: dict[str, Any], before: Map, refusal: WorkloadMapError) -> None:
    """What reads as asked already is not refused (get-put), but for a count that the mapping does not give.

    What no intent may ask for is, though a damaged object may hold it.
    """
    try:
        check_intent(intent)
    except UpdateInvalidError:
        return
    meant = meant_places(before, intent)
    if "component" in intent and intent.get("value", 0) is not None and "does not give" not in refusal.message:
        assert not reads_as_asked(intent, before, subject.value, meant)


def check_kept(intent: dict[str, Any], before: Map, after: Map, meant: set[str]) -> None:
    """Nothing else that is read has changed, and nothing has become unreadable (S20.7)."""
    if intent.get("field", "").startswith("workload."):
        return
    old, new = kept(before), kept(after)
    assert before.places.keys() == after.places.keys()
    # A kind may have other groups for another scheduler.
    if intent["op"] == "scale" or intent.get("field") == "schedulerName":
        old, new = ({pair: part[pair] for pair in old.keys() & new.keys()} for part in (old, new))
    assert old.keys() == new.keys()
    # What follows in the instance that is meant may change too, and groups come and go with replicas.
    asked = {"queue"} if intent.get("field") == "queue" else {*COUNTS, "podTemplate"}
    meant = set(before.queues) if intent.get("field") == "queue" else meant
    changed = {pair for pair in old if exact(normalize(old[pair])) != exact(normalize(new[pair]))}
    assert {pair for pair in changed if pair[0] not in meant or pair[1] not in asked} == set()
    errors = [
        {
            tuple(sorted((key, str(value)) for key, value in entry.items() if key != "message"))
            for entry in found.document.get("diagnostics", [])
            if entry["severity"] == "error"
        }
        for found in (before, after)
    ]
    assert errors[1] <= errors[0]


def check_patches(change: Change) -> None:
    """Both patches make the one of the other, by other hands; no operation is idle, and undoing them gives all back."""
    patch = change.json_patch()
    # Cases have aliases of YAML, and the library would change all of them at once.
    before = json.loads(json.dumps(change.before))
    assert exact(jsonpatch.apply_patch(before, copy.deepcopy(patch))) == exact(change.after)
    assert exact(normalize(merged(change.before, change.merge_patch()))) == exact(normalize(change.after))
    paths = [operation["path"] for operation in patch]
    assert len(set(paths)) == len(paths)
    for index in range(len(patch)):
        rest = copy.deepcopy([*patch[:index], *patch[index + 1 :]])
        assert exact(jsonpatch.apply_patch(before, rest)) != exact(change.after)
    assert exact(undone(change.before, change.after, patch)) == exact(change.before)


def undone(before: object, after: object, patch: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - JSON
    """The changed object with what was there put back at the places that a patch names."""
    result: Any = json.loads(json.dumps(after))
    for operation in reversed(patch):
        *way, last = split(operation["path"])
        node = result
        for step in way:
            node = node[int(step) if isinstance(node, list) else step]
        if operation["op"] == "add":
            del node[last]
        else:
            node[int(last) if isinstance(node, list) else last] = resolve(before, operation["path"])
    return result


def merged(target: Any, patch: Any) -> Any:  # noqa: ANN401 - JSON
    """A merge patch, applied as section 2 of RFC 7386 says it."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def check(subject: Subject, intent: dict[str, Any], before: Map) -> Change | None:
    """Every law of one update; what it gives, or None if it was refused."""
    try:
        change = updated(subject, intent)
        if isinstance(change, WorkloadMapError):
            check_refusal(subject, intent, before, change)
            return None
        check_change(subject, intent, before, change)
    except Exception as error:
        error.add_note(f"{intent} of {subject}")
        raise
    return change


KINDS: Final = sorted(shipped_kinds())


def group_kind(api_version: str, kind: str) -> tuple[str, str]:
    """The group of a version, and the kind."""
    return api_version.rpartition("/")[0], kind


def subjects_of(kind: tuple[str, str]) -> list[Subject]:
    """The objects of one kind."""
    return [subject for subject in subjects() if (subject.value["apiVersion"], subject.value["kind"]) == kind]


@pytest.mark.parametrize("kind", sorted({group_kind(*kind) for kind in KINDS}), ids="/".join)
def test_what_is_asked_is_read_and_nothing_else_changes(kind: tuple[str, str]) -> None:
    """Of every object some intents; of every kind some are accepted, in one version or another."""
    accepted = 0
    chosen = [subject for version in KINDS if group_kind(*version) == kind for subject in subjects_of(version)]
    for subject in chosen:
        before = map_of(subject.value, subject.references)
        for intent in drawn(subject, before):
            change = check(subject, intent, before)
            accepted += change is not None and change.after is not change.before
    # Of a kind that takes few of them, none may have been drawn.
    more = (check(subject, intent, map_of(subject.value, subject.references)) for subject, intent in every(chosen))
    assert accepted or not chosen or any(change is not None and change.after is not change.before for change in more)


def every(chosen: list[Subject]) -> Iterator[tuple[Subject, dict[str, Any]]]:
    """All intents of some objects."""
    for subject in chosen:
        yield from ((subject, intent) for intent in intents(subject, map_of(subject.value, subject.references)))


@pytest.mark.parametrize("kind", KINDS, ids="/".join)
def test_a_workload_that_is_suspended_and_resumed_is_as_before(kind: tuple[str, str]) -> None:
    """Only the place of the suspension differs afterwards, if that."""
    for subject in subjects_of(kind):
        before = map_of(subject.value, subject.references)
        order = ["resume", "suspend"] if before.document.get("suspended") else ["suspend", "resume"]
        first = check(subject, {"op": order[0]}, before)
        if first is None:
            continue
        middle = Subject(subject.name, first.after, subject.references)
        second = check(middle, {"op": order[1]}, map_of(first.after, subject.references))
        assert second is not None, subject
        after = map_of(second.after, subject.references)
        assert exact([[*pair, value] for pair, value in kept(after).items()]) == exact(
            [[*pair, value] for pair, value in kept(before).items()]
        )
        assert bool(after.document.get("suspended")) is bool(before.document.get("suspended"))
        written = {operation["path"] for change in (first, second) for operation in change.json_patch()}
        differing = {operation["path"] for operation in json_patch(subject.value, second.after)}
        assert differing <= written


@pytest.mark.parametrize("kind", KINDS, ids="/".join)
def test_nulls_and_ways_to_write_numbers_change_no_update(kind: tuple[str, str]) -> None:
    """An object with nulls everywhere and integers as doubles stays so where nothing is written (S2.2, S2.3)."""
    for subject in subjects_of(kind)[::5]:
        noised = Subject(subject.name, noisy(subject.value), subject.references)
        before = map_of(subject.value, subject.references)
        for intent in drawn(subject, before)[:3]:
            plain = updated(subject, intent)
            change = updated(noised, intent)
            if isinstance(plain, WorkloadMapError) or isinstance(change, WorkloadMapError):
                assert str(plain) == str(change), intent
                continue
            check_patches(change)
            assert exact(normalize(change.after)) == exact(normalize(plain.after)), intent
            assert len(change.json_patch()) == len(plain.json_patch()), intent


def noisy(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same to a reader."""
    if isinstance(value, dict):
        return {**{name: noisy(part) for name, part in value.items()}, "nothing": None}
    if isinstance(value, list):
        return [noisy(part) for part in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


# Junk

WORDS = st.sampled_from(
    ["", "0", "pod", "worker", "main", "a/b~c", "cpu", "-1", "1Gi", "x" * 300, "\0", "\ud800", "é😀"]
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.sampled_from([2**53, 1.0, 0.5, float("inf"), 1e300]) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.integers(0, 1), inner, max_size=3),
    max_leaves=6,
)
#: Values that fit some field, so that intents are near to those that are right.
GOOD = st.sampled_from(["kai-scheduler", "3", "250m", 2, None, [], [{"key": "gpu"}]])
MEMBERS: Final = {
    **dict.fromkeys(COUNTS, st.integers(0, 5) | JUNK),
    **dict.fromkeys(("component", "instance", "container", "key"), WORDS | JUNK),
    "value": GOOD | JUNK,
    "field": st.sampled_from(list(FIELDS)) | JUNK,
    "more": JUNK,
}
OPERATIONS = st.sampled_from(["scale", "set", "set", "suspend", "resume"]) | JUNK


@st.composite
def any_intents(draw: st.DrawFn) -> Any:  # noqa: ANN401 - anything
    """Intents, right ones and wrong ones, and other things."""
    if draw(st.integers(0, 19)) == 0:
        return draw(JUNK)
    operation = draw(OPERATIONS)
    usual = {"scale": COUNTS, "set": ("field", "value", "key")}.get(operation if isinstance(operation, str) else "", ())
    names = draw(st.sets(st.sampled_from(usual), min_size=min(1, len(usual)))) if usual else set()
    names |= draw(st.sets(st.sampled_from(sorted(MEMBERS)), max_size=2)) if draw(st.booleans()) else set()
    return {"op": operation, **{name: draw(MEMBERS[name]) for name in sorted(names)}}


@cache
def intent_schema() -> Draft202012Validator:
    """The schema of intents."""
    document = json.loads(schema_path("conformance-message.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator({**document["$defs"]["intent"], "$defs": document["$defs"]})


@settings(max_examples=800, deadline=None)
@given(intent=any_intents())
def test_an_intent_is_refused_exactly_if_it_breaks_the_schema_or_the_data_rules(intent: object) -> None:
    """But that a schema cannot tell a quantity."""
    try:
        normalize(intent)
    except InputError:
        fits = False
    else:
        fits = intent_schema().is_valid(intent) and is_right_quantity(intent)
    try:
        check_intent(intent)
    except UpdateInvalidError:
        assert not fits
    else:
        assert fits


def is_right_quantity(intent: Any) -> bool:  # noqa: ANN401 - anything
    """Whether the value is a quantity, where one is wanted."""
    if intent.get("field") not in ("requests", "limits") or intent["value"] is None:
        return True
    try:
        return parse(intent["value"]).nano >= 0
    except QuantityError:
        return False


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_intent_gives_a_lawful_change_or_a_refusal(data: st.DataObject) -> None:
    """Nothing else comes out of an update."""
    subject = data.draw(st.sampled_from(subjects()))
    intent = data.draw(any_intents())
    change = updated(subject, intent)
    if not isinstance(change, WorkloadMapError):
        check_change(subject, intent, map_of(subject.value, subject.references), change)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_object_is_changed_lawfully_or_refused(data: st.DataObject) -> None:
    """Some values of an object are replaced by others; what was asked of it is asked then."""
    subject = data.draw(st.sampled_from(subjects()))
    wanted = drawn(subject, map_of(subject.value, subject.references))
    value = subject.value
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([path for path in places(value) if path]))
        value = replaced(value, path, data.draw(SCALARS | st.sampled_from([{}, [], [None], {"a": None}, [{}]])))
    damaged = Subject(subject.name, value, subject.references)
    for intent in wanted:
        try:
            change = updated(damaged, intent)
        except (InputError, NoMappingError):
            continue
        if not isinstance(change, WorkloadMapError):
            check_change(damaged, intent, map_of(value, subject.references), change)

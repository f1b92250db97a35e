"""A whole mapping against the schema of its kind, version by version.

The walk follows the document as the compiler does, and knows the shape of every variable at every place: `object` is
the kind, `pod` a Pod, `item` an element of what `forEach` gives, a reference the kind that it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import core_types
from workloadmap_spec.cel import path_of
from workloadmap_spec.cel.guards import IMPOSSIBLE, NO_FACTS, Facts
from workloadmap_spec.cel.tree import Ident, children
from workloadmap_spec.crd.expressions import Notes, Problem, choice, having, names_cure, one_of
from workloadmap_spec.crd.facts import Knowledge, of_all
from workloadmap_spec.crd.fields import FieldChecker, Names
from workloadmap_spec.crd.shapes import (
    ANYTHING,
    INT,
    LIST,
    MAP,
    SCALAR,
    SIZED,
    STRING,
    Shape,
    Value,
    constant,
    joined,
    kinds_of,
    list_of,
    of_kinds,
    of_type,
    pod,
    referred,
    reported,
    shown,
    stored,
    where_of,
)
from workloadmap_spec.mapping import COUNTERS, COUNTS, ROLES, api_version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workloadmap_spec.cel import Node
    from workloadmap_spec.crd.load import Kinds
    from workloadmap_spec.mapping import CompiledMapping

_CONDITION: Final = ("type", "status", "reason", "message")
#: The variables that have the conditions, whole or by what they say.
_CONDITIONS: Final = frozenset({"conditions", "conditionsTrue", "conditionsFalse"})
#: The modes of `podFields` that not every field can have (S7.4.3): the types that they take, and what they do.
_MODES: Final = {
    "append": (LIST, "adds to a list"),
    "merge": (SIZED, "puts maps, or lists of maps, into each other"),
}
_PART: Final = ("wanted", "ready", "active", "succeeded", "failed", "updated")


@dataclass(frozen=True, slots=True)
class Stop:
    """A place of a mapping at which checking stopped, and why."""

    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking a mapping against the schema of its kind."""

    #: Whether a schema was known for a version at least.
    checked: bool
    problems: tuple[Problem, ...]
    stopped: tuple[Stop, ...]
    #: The parts of expressions (pointer, offset, length) of which the schema tells whether they may be missing: what is
    #: warned about them without a schema (P20, P15, P03) is settled.
    decided: frozenset[tuple[str, int, int]]


def check_against(compiled: CompiledMapping, kinds: Kinds) -> Checked:
    """Check every expression of a mapping against the schema of its kind, in each version that the mapping claims.

    Args:
        compiled: a mapping without errors.
        kinds: the schemas that are known.
    """
    definition = kinds.definition(compiled.group, compiled.kind)
    runs: list[tuple[str, Notes]] = []
    problems: list[Problem] = []
    stopped: list[Stop] = []
    for index, version in enumerate(compiled.versions):
        root = kinds.root(compiled.group, version, compiled.kind, compiled.versions)
        mistake = kinds.mistake(compiled.group, version, compiled.kind) if root is None else None
        at = f"/spec/workload/versions/{index}"
        if root is not None:
            # The status of every built-in workload is a subresource.
            is_kept = definition is None or version in definition.with_status
            runs.append((version, _Walk(compiled, kinds, version, root, is_kept).run()))
        elif mistake is None:
            kind = f"{compiled.kind} {api_version_of(compiled.group, version)}"
            stopped.append(Stop(at, f"no schema is given for {kind}"))
        else:
            part, message, cure = mistake
            at = at if part == "version" else f"/spec/workload/{part}"
            problems.append(Problem("WM500", "error", at, None, 0, message, cure))
    problems += _together(runs)
    for _, notes in runs:
        stopped += [
            Stop(at, f"the schema of {notes.kind} says nothing about what is in `{where or 'the object'}` ({reason})")
            for at, found in notes.stopped.items()
            for where, reason in found.items()
        ]
    decided = frozenset.intersection(*(frozenset(notes.decided) for _, notes in runs)) if runs else frozenset()
    return Checked(bool(runs), tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(stopped)), decided)


def _together(runs: list[tuple[str, Notes]]) -> list[Problem]:
    """The problems of all versions, each once; those of some versions only say so."""
    found: dict[tuple[Any, ...], tuple[Problem, list[str]]] = {}
    for version, notes in runs:
        for problem in dict.fromkeys(notes.problems):
            key = (problem.rule, problem.at, problem.offset, problem.length)
            found.setdefault(key, (problem, []))[1].append(version)
    return [problem for problem, _ in found.values()]


@dataclass(frozen=True, slots=True)
class Group:
    """The group that the entries of a gang are in."""

    #: The component that it is made for; empty outside.
    component: str = ""
    #: What its condition, and those of the groups around it, say.
    facts: Facts = NO_FACTS
    #: Whether it may have several instances of that component.
    is_mixed: bool = False


class _Walk(FieldChecker):
    """One walk over one mapping, for one version of its kind."""

    def __init__(self, compiled: CompiledMapping, kinds: Kinds, version: str, root: Shape, keeps_status: bool) -> None:  # noqa: FBT001 - one caller
        """Begin with the variables that are in scope everywhere."""
        kind = f"{compiled.kind} {version}"
        notes = Notes(
            kind, api_version_of(compiled.group, version), self.cure, self.elsewhere, keeps_status=keeps_status
        )
        super().__init__(notes, {one.at: (one.text, one.tree) for one in compiled.expressions})
        self.compiled = compiled
        self.kinds = kinds
        self.version = version
        self.root = root
        self.former = frozenset(compiled.document["spec"]["workload"].get("formerFields", ()))
        #: The names in the scope of each component, and its ancestors, for the gang.
        self.scopes: dict[str, Names] = {}

    def elsewhere(self, shape: Shape, name: str) -> bool:
        """Whether another version that the mapping claims, or an earlier release, has a field."""
        if not shape.where and not shape.is_root:
            return False
        if (f"{shape.where}.{name}" if shape.where else name) in self.former:
            return True
        others = [self.kinds.root(self.compiled.group, one, self.compiled.kind) for one in self.compiled.versions]
        return any(_has(other, _steps(shape, name)) for other in others if other is not None)

    def cure(self, shape: Shape, name: str) -> str | None:
        """What to do about an unknown field of a shape."""
        return self.cure_of(shape, name) if shape.where or shape.is_root else names_cure(name, shape.fields)

    def cure_of(self, shape: Shape, name: str) -> str | None:
        """What to do about an unknown field of the kind: another version may have it, or a pod."""
        path = _steps(shape, name)
        definition = self.kinds.definition(self.compiled.group, self.compiled.kind)
        for version in definition.versions if definition is not None else ():
            other = self.kinds.root(self.compiled.group, version, self.compiled.kind)
            if version == self.version or other is None or not _has(other, path):
                continue
            if version in self.compiled.versions:
                api_version = f"{self.compiled.group}/{version}"
                return f"{version} has it: write it only there, with when: 'object.apiVersion == \"{api_version}\"'"
            return f"{version} has it: name that version, or give it a mapping of its own"
        below = path[1:] if shape.where else path
        for part in ("spec", "status", "metadata") if path[0] not in {"pod", "refs"} else ():
            if _has(self.root, [part, *below]):
                return f"did you mean {'.'.join([part, *below])}?".replace(".[", "[")
        similar = names_cure(name, shape.fields)
        if similar is not None and similar.startswith("did you mean"):
            return similar
        if shape.where.partition(".")[0] in {"", "status", "spec"} and "[]" not in path and _has(pod(), path):
            return f"a pod has it: pod.{'.'.join(path)} is read in `pods` of a component"
        return similar

    def run(self) -> Notes:
        """Walk over the mapping."""
        spec = self.compiled.document["spec"]
        names = self.prelude(spec)
        self.components(spec["components"], "/spec/components", names)
        if "pods" in spec:
            written = spec["pods"]["selector"]
            single = not isinstance(written, list)
            for index, entry in enumerate([written] if single else written):
                self.selector(entry, "/spec/pods/selector" if single else f"/spec/pods/selector/{index}", names)
        if "status" in spec:
            self.status(spec["status"], "/spec/status", names)
        if "suspend" in spec:
            self.suspend(spec["suspend"], "/spec/suspend", names)
        self.gang(spec.get("gang", ()), "/spec/gang", names, Group())
        self.guards(spec, "/spec", names)
        for index, entry in enumerate(spec.get("invalid", ())):
            self.condition(entry, "when", f"/spec/invalid/{index}", names)
        return self.notes

    def guards(self, parent: Mapping[str, Any], at: str, names: Names) -> None:
        """`incomplete` and `immutable`."""
        for index, entry in enumerate(parent.get("incomplete", ())):
            self.condition(entry, "when", f"{at}/incomplete/{index}", names)
        for index, entry in enumerate(parent.get("immutable", ())):
            place = f"{at}/immutable/{index}"
            inner = names.knowing(self.condition(entry, "when", place, names))
            for name in ("places", "except"):
                for number in range(len(entry.get(name, ()))):
                    # The kind has the place; whose status it is does not matter.
                    self.expression(f"{place}/{name}/{number}", inner, "fixed")

    # Variables and references

    def prelude(self, spec: Mapping[str, Any]) -> Names:
        """The variables and references of the workload; a reference sees variables, and variables see references."""
        references = spec.get("references", ())
        shapes = {entry["name"]: self.referred(entry, index) for index, entry in enumerate(references)}
        refs = Shape(MAP, fields=shapes, required=tuple(shapes), open="")
        # What is one text in all objects of the version, so that conditions on it are known.
        constants = {"object": {"apiVersion": self.notes.api_version, "kind": self.compiled.kind}}
        known = Knowledge(constants=constants)
        names = self.variables(spec, "/spec", Names({"object": (self.root,), "refs": (refs,)}, known=known))
        for index, entry in enumerate(references):
            self.reference(entry, f"/spec/references/{index}", names, shapes[entry["name"]])
        return names

    def referred(self, entry: Mapping[str, Any], index: int) -> Value:
        """The shape of what a reference names."""
        targets = entry.get("candidates", [entry])
        is_list = all("resourceName" not in target for target in targets)
        where = f"refs.{entry['name']}{'[]' if is_list else ''}"
        found: list[Value] = []
        for number, target in enumerate(targets):
            api_version, kind = target.get("apiVersion"), target.get("kind")
            at = f"/spec/references/{index}" + (f"/candidates/{number}" if "candidates" in entry else "")
            shape = None
            if isinstance(api_version, str) and isinstance(kind, str):
                group, _, version = api_version.rpartition("/")
                given = self.kinds.given(group, version, kind)
                if given is None:
                    self.unknown_kind(api_version, kind, at)
                else:
                    shape = referred(given, where, api_version, kind)
            else:
                self.notes.stop(at, "refs", "the kind is read from the object")
            found.append(ANYTHING if shape is None else (shape,))
        value = joined(*found)
        return list_of(value) if is_list else value

    def unknown_kind(self, api_version: str, kind: str, at: str) -> None:
        """Note a kind of which nothing is known: it is misspelled, or nothing is said about its fields."""
        group, _, version = api_version.rpartition("/")
        mistake = self.kinds.mistake(group, version, kind)
        if mistake is None:
            self.notes.stop(at, kind, f"no schema is given for {kind} {api_version}")
        else:
            part, message, cure = mistake
            self.problem("WM500", f"{at}/{'kind' if part == 'kind' else 'apiVersion'}", message, cure)

    def reference(self, entry: Mapping[str, Any], at: str, names: Names, value: Value) -> None:
        """The fields of a reference."""
        facts = self.condition(entry, "when", at, names)
        inner = names.knowing(facts)
        targets = [(entry, at)]
        if "candidates" in entry:
            targets = [(target, f"{at}/candidates/{index}") for index, target in enumerate(entry["candidates"])]
        for target, place in targets:
            self.literal(target, "apiVersion", place, inner)
            self.literal(target, "kind", place, inner)
            self.field(target, "namespace", place, inner, STRING)
            self.field(target, "resourceName", place, inner, STRING)
        self.labels(entry.get("selector", {}), f"{at}/selector", inner)
        element = joined(*(shape.element() for shape in value if "list" in shape.kinds))
        self.condition(entry, "where", at, inner.adding(item=element))

    # Components

    def components(self, entries: Iterable[Mapping[str, Any]], at: str, names: Names) -> None:
        """A list of components."""
        for index, entry in enumerate(entries):
            self.component(entry, f"{at}/{index}", names)

    def component(self, entry: Mapping[str, Any], at: str, names: Names) -> None:
        """One component and what is nested in it."""
        names = names.knowing(self.condition(entry, "when", at, names))
        names = self.elements(entry, at, names) if "forEach" in entry else names
        names = replace(names, known=names.known.within(entry["name"], is_list="forEach" in entry))
        names = self.variables(entry, at, names)
        names = names.knowing(self.condition(entry, "where", at, names))
        self.scopes[entry["name"]] = names
        self.role(self.literal(entry, "role", at, names), f"{at}/role/value")
        self.field(entry, "instance", at, names, SCALAR)
        for count in COUNTS:
            self.field(entry, count, at, names, INT)
        self.template(entry, at, names)
        observed = entry.get("observed", {})
        for counter in COUNTERS:
            self.field(observed, counter, f"{at}/observed", names, INT)
        self.creates(entry.get("creates", ()), f"{at}/creates", names)
        if "embed" in entry:
            self.embed(entry["embed"], f"{at}/embed", names)
        if "pods" in entry:
            self.pods(entry["pods"], f"{at}/pods", names)
        self.guards(entry, at, names)
        self.components(entry.get("components", ()), f"{at}/components", names)

    def role(self, value: Value, at: str) -> None:
        """Note a role that no tool knows, and that is absent then (S6.9)."""
        for one in (text for shape in value for text in shape.enum or ()):
            if isinstance(one, str) and one and one not in ROLES and not one.startswith("x-"):
                cure = f"{choice(one, tuple(sorted(ROLES)))}, or begins with x-"
                self.problem("WM508", at, f"`role` is none that tools know: {shown(one)}", cure)

    def creates(self, creates: Any, at: str, names: Names) -> None:  # noqa: ANN401 - one kind, or a list
        """The kinds of the objects that the controller makes."""
        several = isinstance(creates, list)
        for index, made in enumerate(creates if several else [creates] if creates else ()):
            place = f"{at}/{index}" if several else at
            self.condition(made, "when", place, names)
            group, _, version = made["apiVersion"].rpartition("/")
            if self.kinds.mistake(group, version, made["kind"]) and not self.kinds.given(group, version, made["kind"]):
                self.unknown_kind(made["apiVersion"], made["kind"], place)

    def elements(self, entry: Mapping[str, Any], at: str, names: Names) -> Names:
        """The names inside `forEach`: the element, and its index or key."""
        each = entry["forEach"]
        if isinstance(each, dict) and "values" in each:
            over: Value = constant(each["values"])
        else:
            over = self.field(entry, "forEach", at, names, SIZED, "`forEach` visits a list or a map") or ANYTHING
            names = names.knowing(names.known.truth(each, f"{at}/forEach", self.trees).some)
        items: list[Value] = [self.visited(shape, f"{at}/forEach", names) for shape in over if "list" in shape.kinds]
        items += [_free(shape) for shape in over if "map" in shape.kinds]
        keys = INT if "map" not in kinds_of(over) else STRING if "list" not in kinds_of(over) else SCALAR
        if "item" in names.roots:
            names = names.adding(parent=names.roots["item"])
        return names.adding(item=joined(*items), key=of_kinds(*keys))

    def visited(self, shape: Shape, at: str, names: Names) -> Value:
        """An element of a list that `forEach` visits, with what all of them are known to have."""
        tree = self.trees.get(at) or self.trees.get(f"{at}/value")
        element = shape.element()
        for steps in names.known.of_each(tree[1]) if tree is not None else ():
            element = having(element, steps)
        return element

    def template(self, entry: Mapping[str, Any], at: str, names: Names) -> None:
        """The parts of a pod template."""
        for name, wanted in (("podTemplate", "PodTemplateSpec"), ("podSpec", "PodSpec"), ("podMetadata", "ObjectMeta")):
            if name not in entry:
                continue
            written, place = entry[name], f"{at}/{name}"
            if isinstance(written, dict) and "merge" in written:
                for index, layer in enumerate(written["merge"]):
                    self.layer(self.value(layer, f"{place}/merge/{index}", names), f"{place}/merge/{index}", wanted)
                if "lists" in written:
                    self.field(written, "lists", place, names, STRING)
            else:
                self.layer(self.value(written, place, names), place, wanted)
        self.pod_fields(entry, at, names)
        main = entry.get("mainContainer")
        if isinstance(main, dict) and "name" in main:
            self.literal(main, "name", f"{at}/mainContainer", names)
        else:
            self.literal(entry, "mainContainer", at, names)

    def layer(self, value: Value, at: str, wanted: str) -> None:
        """A part of a pod template: it has a field of that type at least; a whole one has a spec with containers."""
        for place, part in self.parts.get(at, ()):
            self.layer(part, place, wanted)
        if at in self.parts:
            return
        whole: Value = (of_type(wanted, wanted),)
        if not self.result(value, MAP, at, f"a {wanted} is a map"):
            return
        if all(shape.is_literal for shape in value):
            self.fits(value, whole, at, wanted)
            return
        maps = [shape for shape in value if "map" in shape.kinds]
        known = core_types.fields(wanted)
        if not maps or any(shape.open is not None or shape.values is not None for shape in maps):
            return
        is_one = any(known & set(shape.fields) for shape in maps)
        if wanted == "PodTemplateSpec":
            specs = [spec for shape in maps for spec in shape.member("spec") or ()]
            is_one = any(not spec.fields or spec.open is not None or "containers" in spec.fields for spec in specs)
        if not is_one:
            self.notes.problems.append(self.no_template(maps[0], at, wanted))

    def no_template(self, shape: Shape, at: str, wanted: str) -> Problem:
        """The problem of a place that is no part of a pod template."""
        place = self.notes.named(shape.where) if shape.where else "this"
        message = f"a {wanted} is wanted, and {place} has none of its fields"
        if wanted == "PodTemplateSpec":
            message = f"a {wanted} has a `spec` with `containers`, and {place} has none"
        inner = next((spec for spec in shape.member("spec") or () if "template" in spec.fields), None)
        cure = None
        if "containers" in shape.fields:
            cure = "it is a PodSpec: write podSpec instead of podTemplate"
        elif "template" in shape.fields:
            cure = f"did you mean {shape.where}.template?"
        elif inner is not None and wanted == "PodTemplateSpec":
            cure = f"did you mean {inner.where}.template?"
        elif "spec" in shape.fields and wanted != "PodTemplateSpec":
            cure = "it is a PodTemplateSpec: write podTemplate, or name its `spec`"
        return Problem("WM502", "error", at, None, 0, message, cure)

    def pod_fields(self, parent: Mapping[str, Any], at: str, names: Names) -> None:
        """The entries of `podFields` (S7.4)."""
        for index, entry in enumerate(parent.get("podFields", ())):
            place = f"{at}/podFields/{index}"
            inner = names.knowing(self.condition(entry, "when", place, names))
            each = self.field(entry, "forEach", place, inner, LIST, "`forEach` visits a list here")
            if each is not None:
                inner = inner.knowing(inner.known.truth(entry["forEach"], f"{place}/forEach", self.trees).some)
                patch = joined(*(shape.element() for shape in each if "list" in shape.kinds))
                inner = inner.adding(patch=patch)
            inner = inner.knowing(self.condition(entry, "where", place, inner))
            self.literal(entry, "container", place, inner)
            self.literal(entry, "key", place, inner)
            value = self.value(entry["value"], f"{place}/value", inner)
            self.pod_field(entry, value, place)

    def pod_field(self, entry: Mapping[str, Any], value: Value, at: str) -> None:
        """One entry of `podFields`: the field is one that a pod has, and the value fits it."""
        root = "Container" if "container" in entry else "PodTemplateSpec"
        target: Value = (of_type(root, root),)
        for name in entry["field"].split(".") if "field" in entry else ():
            found = [(shape, shape.member(name) or shape.value()) for shape in target if "map" in shape.kinds]
            if not found:
                self.problem("WM501", f"{at}/field", f"`{name}` of `{entry['field']}` is in no map of a pod template")
                return
            known = [one for _, one in found if one is not None]
            if not known:
                message = f"`{found[0][0].where}` has no field `{name}`"
                self.problem("WM501", f"{at}/field", message, names_cure(name, found[0][0].fields))
                return
            target = joined(*known)
        if "key" in entry:
            self.result(target, MAP, f"{at}/field", "`key` names an entry of a map")
            target = joined(*(free for shape in target if (free := shape.value()) is not None))
        field = entry.get("field", "the container")
        mode = entry.get("mode")
        if mode in _MODES:
            takes, does = _MODES[mode]
            if not self.result(target, takes, f"{at}/mode", f"`{mode}` {does}"):
                return
        takes = kinds_of(target)
        if self.result(value, takes, f"{at}/value", f"`{field}` of a pod takes {one_of(takes)}"):
            self.fits(value, target, f"{at}/value", field)

    def embed(self, embed: Mapping[str, Any], at: str, names: Names) -> None:
        """A workload of another kind inside a component: what is given for its spec has the fields of that."""
        self.literal(embed, "apiVersion", at, names)
        self.literal(embed, "kind", at, names)
        given = {name: self.field(embed, name, at, names, MAP) for name in ("object", "spec", "labels", "annotations")}
        for name in ("labels", "annotations"):
            self.fits(given[name] or (), (Shape(MAP, values=of_kinds("string")),), f"{at}/{name}", name)
        self.field(embed, "name", at, names, STRING)
        self.field(embed, "status", at, names, MAP)
        self.pod_fields(embed, at, names)
        self.embedded_object(embed, given["object"] or (), f"{at}/object")
        api_version, kind = embed.get("apiVersion"), embed.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return
        group, _, version = api_version.rpartition("/")
        inner = self.kinds.given(group, version, kind)
        if inner is None:
            self.unknown_kind(api_version, kind, at)
        elif given["spec"] is not None and (wanted := inner.member("spec")) is not None:
            self.fits(given["spec"], wanted, f"{at}/spec", f"the spec of the {kind}")

    def embedded_object(self, embed: Mapping[str, Any], value: Value, at: str) -> None:
        """Note a place that holds no object: it says not of which kind it is, and nothing else does (S6.10.1)."""
        for name in ("apiVersion", "kind"):
            maps = [shape for shape in value if "map" in shape.kinds]
            if name not in embed and maps and all(one.is_closed and name not in one.fields for one in maps):
                place = self.notes.named(maps[0].where) if maps[0].where else "this"
                cure = f"name the place that holds the object, or give its `{name}` here"
                self.problem("WM502", at, f"an object has a field `{name}`, and {place} has none", cure)
                return

    def pods(self, pods: Mapping[str, Any], at: str, names: Names) -> None:
        """How a component's pods are told from others."""
        names = names.adding(pod=(pod(),))
        self.labels(pods.get("matchLabels", {}), f"{at}/matchLabels", names)
        names = names.knowing(self.condition(pods, "match", at, names))
        for name in ("instance", "replica", "index", "firstIndex", "revision"):
            self.field(pods, name, at, names, SCALAR)

    def selector(self, entry: Mapping[str, Any], at: str, names: Names) -> None:
        """One label selector."""
        if set(entry) == {"from"} and isinstance(entry["from"], str):
            value = self.expression(f"{at}/from", names)
            wanted = (of_type("LabelSelector", "LabelSelector"), Shape(MAP, values=of_kinds("string")), Shape(STRING))
            if self.result(value, MAP | STRING, f"{at}/from", "a label selector is a map, or a text"):
                self.fits(value, wanted, f"{at}/from", "a label selector")
        else:
            self.labels(entry, at, names)

    # Status

    def status(self, status: Mapping[str, Any], at: str, names: Names) -> None:
        """How the phase is read (S9)."""
        condition = tuple(_as_condition(shape) for shape in self.conditions(status, at, names))
        texts = list_of(joined(*(one.member("type") or of_kinds("string") for one in condition)))
        part = {name: of_kinds("int") for name in _PART} | {
            name: of_kinds("string") for name in ("component", "instance")
        }
        names = names.adding(
            # An object that no API server has seen has no status (S9.1).
            object=(stored(self.root),),
            conditions=list_of(condition),
            conditionsTrue=texts,
            conditionsFalse=texts,
            parts=list_of((Shape(MAP, fields=part, required=tuple(part)),)),
        )
        names = self.variables(status, at, names)
        if status.get("observedGeneration") is not False:
            self.field(status, "observedGeneration", at, names, INT | STRING)
        managed = status.get("managedBy", {})
        manager = self.field(managed, "value", f"{at}/managedBy", names, STRING)
        for index, own in enumerate(managed.get("own", ()) if manager and kinds_of(manager) >= STRING else ()):
            self.fits(constant(own), manager or (), f"{at}/managedBy/own/{index}", where_of(manager or ()) or "value")
        # With an empty status nothing else is read (S9.3, S9.4, S9.8), unless the mapping asks for it.
        given = self.kinds.given(self.compiled.group, self.version, self.compiled.kind)
        if given is not None and not status.get("readEmpty"):
            names = names.adding(object=(reported(self.root, given),))
        self.condition(status, "updating", at, names)
        self.field(status, "reason", at, names, STRING)
        self.field(status, "message", at, names, STRING)
        for index, rule in enumerate(status.get("rules", ())):
            place = f"{at}/rules/{index}"
            inner = names.knowing(self.condition(rule, "when", place, names))
            self.known_condition(rule, place, texts)
            self.field(rule, "reason", place, inner, STRING)
            self.field(rule, "message", place, inner, STRING)
            # The first rule that holds decides (S9.3), so that none before the next one did. What stands behind one
            # that always holds is looked at all the same.
            names = names.knowing(self.failing(f"{place}/when", names) - IMPOSSIBLE)
        if "readiness" in status:
            readiness, place = status["readiness"], f"{at}/readiness"
            self.field(readiness, "wanted", place, names, INT)
            self.field(readiness, "ready", place, names, INT)
            self.condition(readiness, "wasReady", place, names)
            self.known_condition(readiness, place, texts)

    def conditions(self, status: Mapping[str, Any], at: str, names: Names) -> Value:
        """The shape of one condition; the default place may be one that the kind has not, and then there are none."""
        if "conditions" in status:
            found = self.expression(f"{at}/conditions", names)
            self.result(found, LIST, f"{at}/conditions", "the conditions are a list")
        else:
            holders = self.root.member("status") or (self.root,)
            found = joined(*(one for shape in holders if (one := shape.member("conditions")) is not None))
            if all(shape.is_closed and "conditions" not in shape.fields for shape in holders):
                self.without_conditions(status, at, holders[0], names)
        return joined(*(shape.element() for shape in found if "list" in shape.kinds))

    def without_conditions(self, status: Mapping[str, Any], at: str, holder: Shape, names: Names) -> None:
        """Note that conditions are asked for where no object has any."""
        if self.elsewhere(holder, "conditions") or not names.is_reached:
            return
        message = f"{self.notes.named(holder.where) if holder.where else self.notes.kind} has no field `conditions`"
        cure = "name the place of its conditions in `conditions` of `status`, or ask for something else"
        rules = [(rule, f"{at}/rules/{index}") for index, rule in enumerate(status.get("rules", ()))]
        for entry, place in (*rules, (status.get("readiness", {}), f"{at}/readiness")):
            if "condition" in entry:
                self.problem("WM501", f"{place}/condition", message, cure)
        for place, (_, tree) in self.trees.items():
            used = next(_conditions_in(tree), None) if place.startswith(f"{at}/") else None
            if used is not None:
                problem = Problem("WM501", "error", place, used.offset, used.length, message, cure)
                self.notes.problems.append(problem)

    def known_condition(self, parent: Mapping[str, Any], at: str, texts: Value) -> None:
        """Note a condition that the schema does not list."""
        if "condition" in parent:
            self.assigned(parent["condition"], texts[0].element(), f"{at}/condition")

    # Suspension and gang

    def suspend(self, suspend: Mapping[str, Any], at: str, names: Names) -> None:
        """How suspension is asked for, and ended (S17)."""
        self.condition(suspend, "requested", at, names)
        for name in ("suspend", "resume"):
            for index, action in enumerate(suspend.get(name, ())):
                place = f"{at}/{name}/{index}"
                inner = names.knowing(self.condition(action, "when", place, names))
                if "remove" in action:
                    self.place(f"{place}/remove", inner)
                    self.removed(f"{place}/remove")
                else:
                    self.assigned(action.get("to"), self.place(f"{place}/set", inner), f"{place}/to")

    def removed(self, at: str) -> None:
        """Note a field that is removed, and without which the API server refuses the object."""
        path = path_of(self.trees[at][1]) if at in self.trees else None
        if path is None or path.root != "object":
            return
        holder: Value = (self.root,)
        for step in path.steps[:-1]:
            if not isinstance(step, str):
                return
            holder = joined(*(one for shape in holder if (one := shape.member(step)) is not None))
        name = path.steps[-1]
        if len(path.steps) > 1 and all(name in (*shape.required, *shape.nullable) for shape in holder):
            place = self.notes.named(where_of(holder))
            message = f"{place} requires `{name}`: the API server refuses an object without it"
            self.problem("WM507", at, message, "set it to the value that means the same")

    def gang(self, entries: Iterable[Mapping[str, Any]], at: str, names: Names, inside: Group) -> None:
        """The gang entries (S11)."""
        for index, entry in enumerate(entries):
            self.gang_entry(entry, f"{at}/{index}", names, inside)

    def gang_entry(self, entry: Mapping[str, Any], at: str, names: Names, inside: Group) -> None:
        """One gang entry."""
        outer = self.scopes.get(inside.component, names).knowing(inside.facts)
        facts = inside.facts | self.condition(entry, "when", at, outer)
        per = entry.get("per", {})
        scope = per.get("replicaOf", per.get("instanceOf")) or inside.component
        # A group of several instances is read in the scope of the first: its members may belong to others (S11.1).
        shared = of_all(facts) if inside.is_mixed else facts
        group = self.scopes.get(scope, names).knowing(facts if scope == inside.component else shared)
        self.range(per, f"{at}/per", group)
        self.field(per, "by", f"{at}/per", group, None)
        for index, member in enumerate(entry.get("members", ())):
            if isinstance(member, Mapping):
                place = f"{at}/members/{index}"
                inner = self.scopes.get(member["component"].partition("/")[0], names).knowing(shared)
                self.field(member, "minPods", place, inner, INT)
                replicas = member.get("replicas", {})
                of = self.scopes.get(replicas.get("of", ""), inner)
                self.range(replicas, f"{place}/replicas", of.knowing(shared))
        self.field(entry, "minMember", at, group, INT)
        self.field(entry, "queue", at, group, STRING)
        self.field(entry, "priorityClass", at, group, STRING)
        for name in ("required", "preferred"):
            self.field(entry.get("topology", {}), name, f"{at}/topology", group, STRING)
        below = Group(scope, shared, inside.is_mixed or "by" in per)
        self.gang(entry.get("subgroups", ()), f"{at}/subgroups", names, below)

    def range(self, written: Mapping[str, Any], at: str, names: Names) -> None:
        """Some replicas of a component."""
        self.field(written, "from", at, names, INT)
        self.field(written, "to", at, names, INT)


def _as_condition(shape: Shape) -> Shape:
    """A condition as `conditions` has it: four of its fields are always there, and are texts (S9.2)."""
    if "map" not in shape.kinds or not shape.fields:
        shape = Shape(MAP, open="")
    fields = {**{name: of_kinds("string") for name in _CONDITION}, **shape.fields}
    return replace(shape, fields=fields, required={*shape.required, *_CONDITION})


def _conditions_in(tree: Node) -> Iterator[Node]:
    """Where an expression names the conditions of the workload."""
    if isinstance(tree, Ident) and tree.name in _CONDITIONS:
        yield tree
    for child in children(tree):
        yield from _conditions_in(child)


def _free(shape: Shape) -> Value:
    """What stands under the keys of a map that `forEach` visits."""
    free = shape.value()
    if free is not None:
        return free
    if shape.open is not None:
        return ANYTHING
    return joined(*(value for name in shape.fields if (value := shape.member(name)) is not None))


def _steps(shape: Shape, name: str) -> list[str]:
    """The path of a field, in steps: names, `[]` for elements and `[*]` for free keys."""
    path = shape.where.replace("[]", ".[]").replace("[*]", ".[*]")
    return [*path.split("."), name] if path else [name]


def _has(root: Shape, path: list[str]) -> bool:
    """Whether a kind has a field at a path in steps."""
    value: Value = (root,)
    for step in path:
        found: list[Value] = []
        for shape in value:
            one = shape.element() if step == "[]" else shape.value() if step == "[*]" else shape.member(step)
            if one is not None:
                found.append(one)
        if not found:
            return False
        value = joined(*found)
    return True

"""From a mapping document to a compiled mapping: its strings parsed and checked, its contradictions found.

What is found wrong is collected, ordered by place and raised together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import values
from workloadmap_spec.canonical import digest
from workloadmap_spec.cel import roots_used
from workloadmap_spec.errors import MappingError, MappingSchemaError
from workloadmap_spec.field_compiler import FieldCompiler, native_engine
from workloadmap_spec.limits import MAX_COMPONENT_DEPTH, MAX_COMPONENTS
from workloadmap_spec.mapping import (
    COUNTERS,
    COUNTS,
    Action,
    CompiledMapping,
    Component,
    ComponentPods,
    Creates,
    Embed,
    Field,
    GangEntry,
    Guard,
    Immutable,
    Incomplete,
    Invalid,
    Member,
    Names,
    PodField,
    Range,
    Readiness,
    Reference,
    Rule,
    Selector,
    Status,
    Suspend,
    Target,
    Template,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from workloadmap_spec.cel import Finding
    from workloadmap_spec.errors import Location
    from workloadmap_spec.field_compiler import Engine, Observer
    from workloadmap_spec.mapping import Expression
    from workloadmap_spec.values import Reader

_STATUS_NAMES: Final = ("conditions", "conditionsTrue", "conditionsFalse", "parts")
#: A field that the schema makes sure of; it is never read.
_NOTHING: Final = Field(values.literal(None), "")


def compile_mapping(
    document: Mapping[str, Any],
    locate: Callable[[str], Location] | None = None,
    engine: Engine = native_engine,
    observer: Observer | None = None,
) -> CompiledMapping:
    """Compile a mapping that fits the schema.

    Args:
        document: the mapping, as plain data after the data rules.
        locate: gives file, line and column of a JSON Pointer in the document, for errors.
        engine: what evaluates expressions.
        observer: who looks on when the mapping is used.

    Raises:
        MappingError: the first thing wrong, in the order of the document; `others` on it holds the rest.

    """
    examined = examine(document, locate, engine, observer)
    if examined.compiled is None:
        first, *others = examined.problems
        first.others = tuple(others)
        raise first
    return examined.compiled


@dataclass(frozen=True, slots=True)
class Examination:
    """What is known of a mapping: the compiled one if nothing is wrong with it, and else all that was found."""

    compiled: CompiledMapping | None
    problems: list[MappingError]
    #: The expressions that parse, and what may go wrong in those that can be used, whatever else is wrong.
    expressions: Sequence[Expression]
    warnings: Sequence[tuple[str, str, Finding]]
    #: The mapping as far as it goes, with those of its expressions that nothing is wrong with; nobody can read with it.
    partial: CompiledMapping


def examine(
    document: Mapping[str, Any],
    locate: Callable[[str], Location] | None = None,
    engine: Engine = native_engine,
    observer: Observer | None = None,
) -> Examination:
    """Compile a mapping, and give what was found in it, in the order of the document, also where it cannot be used."""
    compiler = _Compiler(engine, observer)
    compiled = compiler.mapping(document)
    problems = compiler.problems
    if locate is not None:
        for problem in problems:
            if problem.location.pointer is not None:
                problem.located(locate(problem.location.pointer))
    if not problems:
        return Examination(compiled, problems, compiler.expressions, compiler.warnings, compiled)
    wrong = {problem.location.pointer for problem in problems}
    partial = replace(compiled, expressions=tuple(one for one in compiler.expressions if one.at not in wrong))
    return Examination(None, problems, compiler.expressions, compiler.warnings, partial)


class _Compiler(FieldCompiler):
    """Compiles the parts of one mapping; knows the components declared so far."""

    def __init__(self, engine: Engine, observer: Observer | None) -> None:
        """Begin with nothing declared."""
        super().__init__(engine, observer)
        self.components: dict[str, Component] = {}
        self.component_count = 0

    def mapping(self, document: Mapping[str, Any]) -> CompiledMapping:
        """The whole mapping."""
        spec = document["spec"]
        prelude, names = self.prelude(spec)
        components = self.component_list(spec["components"], "/spec/components", names, (), inside_for_each=False)
        selectors = self.selectors(spec, names)
        status = self.status(spec["status"], names) if "status" in spec else None
        suspend = self.suspend(spec["suspend"], names) if "suspend" in spec else None
        gang = self.gang(spec.get("gang", ()), "/spec/gang", names, None)
        incomplete = self.incomplete(spec, "/spec", names)
        self.problems.sort(key=lambda problem: _order(problem.location.pointer or "", document))
        workload = spec["workload"]
        return CompiledMapping(
            name=document["metadata"]["name"],
            digest=digest(document),
            group=workload["group"],
            kind=workload["kind"],
            versions=tuple(workload["versions"]),
            prelude=prelude,
            components=components,
            by_name=self.components,
            selectors=selectors,
            status=status,
            suspend=suspend,
            gang=gang,
            incomplete=incomplete,
            immutable=self.immutable(spec, "/spec", names),
            invalid=tuple(
                Invalid(Guard(self.condition(entry["when"], at, names), at), entry["message"])
                for index, entry in enumerate(spec.get("invalid", ()))
                for at in [f"/spec/invalid/{index}/when"]
            ),
            expressions=tuple(self.expressions),
            warnings=tuple(self.warnings),
            embeds=any(component.embed is not None for component in self.components.values()),
            document=document,
            parts=self.parts,
            conditions=self.conditions,
            used=None if self.observer is None else self.observer.used,
        )

    def prelude(self, spec: Mapping[str, Any]) -> tuple[tuple[Variable | Reference, ...], Names]:
        """The variables and references of the workload, each where all that it rests on is known (S19.1)."""
        declared = [entry["name"] for entry in spec.get("references", ())]
        variables, names = self.variables(spec, "/spec", Names(refs=frozenset(declared)))
        for name in {name for name in declared if declared.count(name) > 1}:
            place = f"/spec/references/{declared.index(name)}/name"
            message = f"two references are named `{name}`"
            self.contradiction(message, "give one of them another name", place)
        order: list[Variable | Reference] = []
        for index, entry in enumerate(spec.get("references", ())):
            known = frozenset(declared[:index])
            order += [found for found in variables if found not in order and found.field.depends <= known]
            visible = {found.name: found.field.depends for found in variables if found.field.depends <= known}
            order.append(self.reference(entry, f"/spec/references/{index}", Names(declared=visible, refs=known)))
        order += [found for found in variables if found not in order]
        return tuple(order), names

    def reference(self, entry: Mapping[str, Any], at: str, names: Names) -> Reference:
        """One entry of `references`."""
        written = (
            [(target, f"{at}/candidates/{index}") for index, target in enumerate(entry["candidates"])]
            if "candidates" in entry
            else [(entry, at)]
        )
        return Reference(
            name=entry["name"],
            at=at,
            when=self.guard(entry, "when", at, names),
            optional=entry.get("optional", False),
            targets=tuple(
                Target(
                    self.literal(target, "apiVersion", place, names) or _NOTHING,
                    self.literal(target, "kind", place, names) or _NOTHING,
                    self.field(target, "namespace", place, names),
                    self.field(target, "resourceName", place, names),
                )
                for target, place in written
            ),
            selector=self.labels(entry.get("selector", {}), f"{at}/selector", names),
            where=self.guard(entry, "where", at, names.adding("item")),
        )

    def labels(self, labels: Mapping[str, Any], at: str, names: Names) -> tuple[tuple[str, Field], ...]:
        """Pairs of label and value."""
        found = [(label, self.field(labels, label, at, names)) for label in sorted(labels)]
        return tuple((label, field) for label, field in found if field is not None)

    def component_list(
        self,
        items: list[Any],
        at: str,
        names: Names,
        ancestors: tuple[str, ...],
        *,
        inside_for_each: bool,
    ) -> tuple[Component, ...]:
        """A list of components."""
        if items and len(ancestors) >= MAX_COMPONENT_DEPTH:
            self.problem(MappingSchemaError(f"components are nested more than {MAX_COMPONENT_DEPTH} deep"), at)
            return ()
        return tuple(
            self.component(item, f"{at}/{index}", names, ancestors, inside_for_each=inside_for_each)
            for index, item in enumerate(items)
        )

    def component(
        self,
        item: Mapping[str, Any],
        at: str,
        names: Names,
        ancestors: tuple[str, ...],
        *,
        inside_for_each: bool,
    ) -> Component:
        """One component and what is nested in it, in the order of S6.2."""
        self.component_count += 1
        if self.component_count == MAX_COMPONENTS + 1:
            self.problem(MappingSchemaError(f"a mapping has at most {MAX_COMPONENTS} components"), at)
        name = item["name"]
        when = self.guard(item, "when", at, names)
        each = item.get("forEach")
        literal = tuple(each["values"]) if isinstance(each, dict) and "values" in each else None
        for_each = self.field(item, "forEach", at, names) if literal is None else None
        is_list = each is not None
        if is_list:
            names = names.adding("item", "key")
            if inside_for_each:
                names = names.adding("parent")
        variables, names = self.variables(item, at, names)
        pods = item.get("pods")
        observed = item.get("observed", {})
        role = item.get("role")
        component = Component(
            name=name,
            at=at,
            role=role if isinstance(role, str) else None,
            role_value=self.literal(item, "role", at, names) if isinstance(role, dict) else None,
            creates=self.creates(item.get("creates"), f"{at}/creates", names),
            for_each=for_each,
            for_each_values=literal,
            when=when,
            where=self.guard(item, "where", at, names),
            instance=self.field(item, "instance", at, names),
            variables=variables,
            counts={count: field for count in COUNTS if (field := self.field(item, count, at, names)) is not None},
            template=self.template(item, at, names),
            embed=self.embed(item["embed"], f"{at}/embed", names) if "embed" in item else None,
            observed_unit=observed.get("unit"),
            observed=tuple(
                (counter, field)
                for counter in COUNTERS
                if (field := self.field(observed, counter, f"{at}/observed", names)) is not None
            ),
            pods=None if pods is None else self.component_pods(pods, f"{at}/pods", names),
            incomplete=self.incomplete(item, at, names),
            immutable=self.immutable(item, at, names),
            components=self.component_list(
                item.get("components", []),
                f"{at}/components",
                names,
                (*ancestors, name),
                inside_for_each=inside_for_each or is_list,
            ),
            ancestors=ancestors,
        )
        if name in self.components:
            message = f"two components are named `{name}`"
            self.contradiction(message, "give one of them another name", f"{at}/name", "component-twice")
        self.components[name] = component
        return component

    def creates(self, written: Any, at: str, names: Names) -> tuple[Creates, ...]:  # noqa: ANN401 - JSON
        """The kinds that the controller makes for each replica."""
        if not isinstance(written, list):
            written = [] if written is None else [written]
        return tuple(
            Creates(entry["apiVersion"], entry["kind"], self.guard(entry, "when", f"{at}/{index}", names))
            for index, entry in enumerate(written)
        )

    def embed(self, embed: Mapping[str, Any], at: str, names: Names) -> Embed:
        """A workload of another kind inside a component."""
        return Embed(
            at=at,
            api_version=self.literal(embed, "apiVersion", at, names),
            kind=self.literal(embed, "kind", at, names),
            whole=self.field(embed, "object", at, names),
            spec=self.field(embed, "spec", at, names),
            name=self.field(embed, "name", at, names),
            labels=self.field(embed, "labels", at, names),
            annotations=self.field(embed, "annotations", at, names),
            status=self.field(embed, "status", at, names),
            podless=frozenset(embed.get("podless", ())),
            fields=self.pod_fields(embed, at, names),
        )

    def template(self, item: Mapping[str, Any], at: str, names: Names) -> Template | None:
        """How a pod component's template is found; None for a grouping component."""
        if "components" in item or "embed" in item:
            return None
        base_name = "podSpec" if "podSpec" in item else "podTemplate"
        main = item.get("mainContainer")
        main_at = f"{at}/mainContainer"
        name = main.get("name") if isinstance(main, dict) else main
        main_name = None if name is None else self.literal({"name": name}, "name", main_at, names)
        if isinstance(main, dict) and "value" in main:
            main_name = self.literal(item, "mainContainer", at, names)
        return Template(
            base=self.layered(item, base_name, at, names),
            base_name=base_name,
            metadata=self.layered(item, "podMetadata", at, names),
            fields=self.pod_fields(item, at, names),
            main_name=main_name,
            main_first=isinstance(main, dict) and main.get("else") == "first",
        )

    def layered(self, item: Mapping[str, Any], name: str, at: str, names: Names) -> Field | None:
        """A value, or `{merge: [...]}`: maps laid over each other (S7.6)."""
        written = item.get(name)
        if not isinstance(written, dict) or "merge" not in written:
            return self.field(item, name, at, names)
        place = f"{at}/{name}"

        def make() -> Reader:
            layers = [
                self.value(layer, f"{place}/merge/{index}", names, place)
                for index, layer in enumerate(written["merge"])
            ]
            lists = self.literal(written, "lists", place, names) or Field(values.literal("replace"), place)
            self.parts[f"{place}/lists"] = lists.read
            self.parts[place] = read = values.merged(tuple(layers), lists, place)
            return read

        return self.made(make, place)

    def pod_fields(self, parent: Mapping[str, Any], at: str, names: Names) -> tuple[PodField, ...]:
        """The entries of `podFields`."""
        return tuple(
            self.pod_field(entry, f"{at}/podFields/{index}", names)
            for index, entry in enumerate(parent.get("podFields", ()))
        )

    def pod_field(self, entry: Mapping[str, Any], at: str, names: Names) -> PodField:
        """One entry of `podFields`."""
        for_each = self.field(entry, "forEach", at, names)
        when = self.guard(entry, "when", at, names)
        if for_each is not None:
            names = names.adding("patch")
        return PodField(
            path=tuple(entry["field"].split(".")) if "field" in entry else (),
            container=self.literal(entry, "container", at, names),
            init=entry.get("init", False),
            key=self.literal(entry, "key", at, names),
            value=self.field(entry, "value", at, names) or _NOTHING,
            when=when,
            mode=entry.get("mode", "replace"),
            for_each=for_each,
            where=self.guard(entry, "where", at, names),
            component=entry.get("component"),
        )

    def component_pods(self, pods: Mapping[str, Any], at: str, names: Names) -> ComponentPods:
        """How a component's pods are told from others."""
        names = names.adding("pod")
        before = len(self.expressions)
        instance = self.field(pods, "instance", at, names)
        match_labels = self.labels(pods.get("matchLabels", {}), f"{at}/matchLabels", names)
        match = self.guard(pods, "match", at, names)
        # Labels and `match` come before `instance`: only if they are the same for every instance may it be found first.
        common = all(roots_used(expression.tree) <= {"pod", "object"} for expression in self.expressions[before:])
        return ComponentPods(
            match_labels=match_labels,
            match=match,
            instance=instance,
            instance_is_common=common,
            replica=self.field(pods, "replica", at, names),
            index=self.field(pods, "index", at, names),
            first_index=self.field(pods, "firstIndex", at, names),
            revision=self.field(pods, "revision", at, names),
        )

    def immutable(self, parent: Mapping[str, Any], at: str, names: Names) -> tuple[Immutable, ...]:
        """What cannot be changed in an object that exists (S20.9)."""
        return tuple(
            self.immutable_entry(entry, f"{at}/immutable/{index}", names)
            for index, entry in enumerate(parent.get("immutable", ()))
        )

    def immutable_entry(self, entry: Mapping[str, Any], at: str, names: Names) -> Immutable:
        """Some places that cannot be changed."""

        def places(name: str) -> tuple[Field, ...]:
            return tuple(
                Field(self.place(text, place_at, names), place_at)
                for index, text in enumerate(entry.get(name, ()))
                for place_at in [f"{at}/{name}/{index}"]
            )

        self.part("immutable", at)
        return Immutable(at, places("places"), places("except"), self.guard(entry, "when", at, names), entry["reason"])

    def incomplete(self, parent: Mapping[str, Any], at: str, names: Names) -> tuple[Incomplete, ...]:
        """The declarations of what the object cannot tell."""
        return tuple(
            Incomplete(entry["what"], self.guard(entry, "when", f"{at}/incomplete/{index}", names), entry["reason"])
            for index, entry in enumerate(parent.get("incomplete", ()))
        )

    def selectors(self, spec: Mapping[str, Any], names: Names) -> tuple[Selector, ...] | None:
        """The label selectors of the workload's pods; None if the mapping has none."""
        if "pods" not in spec:
            return None
        written = spec["pods"]["selector"]
        at = "/spec/pods/selector"
        if isinstance(written, list):
            return tuple(self.selector(entry, f"{at}/{index}", names) for index, entry in enumerate(written))
        return (self.selector(written, at, names),)

    def selector(self, entry: Mapping[str, Any], at: str, names: Names) -> Selector:
        """One label selector."""
        if set(entry) == {"from"} and isinstance(entry["from"], str):
            place = f"{at}/from"
            read = self.seen("expression", place, self.place(entry["from"], place, names))
            return Selector((), Field(read, place), at)
        return Selector(self.labels(entry, at, names), None, at)

    def status(self, status: Mapping[str, Any], names: Names) -> Status:
        """How the phase is read."""
        at = "/spec/status"
        conditions_at = f"{at}/conditions"
        place = self.place(status.get("conditions", "object.status.conditions"), conditions_at, names)
        conditions = Field(self.seen("expression", conditions_at, place), conditions_at)
        names = names.adding(*_STATUS_NAMES)
        variables, names = self.variables(status, at, names)
        observed = status.get("observedGeneration", "object.status.observedGeneration")
        generation_at = f"{at}/observedGeneration"
        managed_by = status.get("managedBy", {})
        readiness = status.get("readiness")
        return Status(
            read_empty=status.get("readEmpty", False),
            observed_generation=None
            if observed is False
            else Field(
                values.converted(self.value(observed, generation_at, names), "int", generation_at), generation_at
            ),
            conditions=conditions,
            variables=variables,
            managed_by=self.field(managed_by, "value", f"{at}/managedBy", names),
            own=tuple(managed_by.get("own", ())),
            reason=self.field(status, "reason", at, names),
            message=self.field(status, "message", at, names),
            updating=self.guard(status, "updating", at, names),
            rules=tuple(
                self.rule(rule, f"{at}/rules/{index}", names) for index, rule in enumerate(status.get("rules", ()))
            ),
            readiness=None if readiness is None else self.readiness(readiness, f"{at}/readiness", names),
            uses_parts=any("parts" in roots_used(expression.tree) for expression in self.expressions),
        )

    def rule(self, rule: Mapping[str, Any], at: str, names: Names) -> Rule:
        """One status rule."""
        return Rule(
            phase=rule["phase"],
            when=Guard(self.condition(rule["when"], f"{at}/when", names), f"{at}/when"),
            condition=rule.get("condition"),
            reason=self.field(rule, "reason", at, names),
            message=self.field(rule, "message", at, names),
        )

    def readiness(self, readiness: Mapping[str, Any], at: str, names: Names) -> Readiness:
        """The phase by counting."""
        return Readiness(
            service=readiness["type"] == "service",
            wanted=self.field(readiness, "wanted", at, names),
            ready=Field(self.value(readiness["ready"], f"{at}/ready", names), f"{at}/ready"),
            was_ready=self.guard(readiness, "wasReady", at, names),
            condition=readiness.get("condition"),
        )

    def suspend(self, suspend: Mapping[str, Any], names: Names) -> Suspend:
        """How suspension is asked for, and ended."""
        at = "/spec/suspend"
        actions = {
            name: tuple(
                self.action(action, f"{at}/{name}/{index}", names) for index, action in enumerate(suspend[name])
            )
            for name in ("suspend", "resume")
        }
        return Suspend(self.guard(suspend, "requested", at, names), actions["suspend"], actions["resume"])

    def action(self, action: Mapping[str, Any], at: str, names: Names) -> Action:
        """One action."""
        member = "remove" if "remove" in action else "set"
        place = self.place(action[member], f"{at}/{member}", names)
        self.part("action", f"{at}/{member}")
        guard = self.guard(action, "when", at, names)
        return Action(f"{at}/{member}", place, action.get("to"), member == "remove", guard)

    def gang(self, entries: list[Any], at: str, names: Names, inside: str | None) -> tuple[GangEntry, ...]:
        """The gang entries; `inside` is the component that the enclosing group is made for."""
        return tuple(self.gang_entry(entry, f"{at}/{index}", names, inside) for index, entry in enumerate(entries))

    def gang_entry(self, entry: Mapping[str, Any], at: str, names: Names, inside: str | None) -> GangEntry:
        """One gang entry."""
        per = entry.get("per", {})
        target = per.get("replicaOf", per.get("instanceOf"))
        target_at = f"{at}/per/{'replicaOf' if 'replicaOf' in per else 'instanceOf'}"
        if target is not None and self.known(target, target_at) and inside is not None:
            self.within(target, inside, target_at)
        scope_of = target or inside
        group_names = self.names_of(scope_of, names)
        source = entry.get("from")
        if source is not None and self.known(source, f"{at}/from") and self.components[source].embed is None:
            message = f"the component `{source}` embeds no workload whose groups could be taken"
            self.contradiction(message, "name a component with `embed`", f"{at}/from", "gang-component")
        topology = entry.get("topology", {})
        self.part("group", at)
        return GangEntry(
            name=entry["name"],
            at=at,
            when=self.guard(entry, "when", at, self.names_of(inside, names)),
            per=target if target in self.components else None,
            per_replica="replicaOf" in per,
            per_range=self.range(per, target, f"{at}/per", names),
            by=self.field(per, "by", f"{at}/per", group_names),
            source=source,
            members=tuple(
                member
                for index, written in enumerate(entry.get("members", ()))
                if (member := self.member(written, f"{at}/members/{index}", names, scope_of)) is not None
            ),
            min_member=self.field(entry, "minMember", at, group_names),
            subgroups=self.gang(entry.get("subgroups", []), f"{at}/subgroups", names, scope_of),
            queue=self.field(entry, "queue", at, group_names),
            priority_class=self.field(entry, "priorityClass", at, group_names),
            topology=tuple(
                (kind, field)
                for kind in ("required", "preferred")
                if (field := self.field(topology, kind, f"{at}/topology", group_names)) is not None
            ),
        )

    def member(self, written: Any, at: str, names: Names, scope_of: str | None) -> Member | None:  # noqa: ANN401 - JSON
        """A member of a gang entry; None if it names nothing."""
        name_at = at if isinstance(written, str) else f"{at}/component"
        if isinstance(written, str):
            written = {"component": written}
        component: str = written["component"]
        outer = component.partition("/")[0]
        if not self.known(outer, name_at):
            return None
        if "/" in component and self.components[outer].embed is None:
            message = f"the component `{outer}` embeds no workload of which `{component}` could be a part"
            self.contradiction(message, f"name `{outer}`", name_at, "gang-component")
        if scope_of is not None:
            self.within(outer, scope_of, name_at)
        replicas = written.get("replicas", {})
        of = replicas.get("of")
        if of is not None and not self.known(of, f"{at}/replicas/of"):
            return None
        if of is not None and of != outer and of not in self.components[outer].ancestors:
            message = f"the component `{of}` is neither `{outer}` nor above it, so its replicas say nothing of it"
            cure = f"name `{outer}`, or a component above it"
            self.contradiction(message, cure, f"{at}/replicas/of", "gang-component")
        min_pods = self.field(written, "minPods", at, self.names_of(outer, names))
        if min_pods is not None and self.components[outer].template is None:
            message = f"`{component}` groups others, whose pods `minPods` could not be told apart"
            self.contradiction(message, "name the components below it", min_pods.at, "gang-component")
        return Member(component, min_pods, self.range(replicas, of, f"{at}/replicas", names))

    def range(self, written: Mapping[str, Any], component: str | None, at: str, names: Names) -> Range | None:
        """Some replicas of a component, if the mapping says which."""
        if component is None or not written.keys() & {"from", "to"}:
            return None
        names = self.names_of(component, names)
        return Range(component, self.field(written, "from", at, names), self.field(written, "to", at, names))

    def known(self, component: str, at: str) -> bool:
        """Whether a component of that name exists; if not, the problem is noted."""
        if component in self.components:
            return True
        names = ", ".join(sorted(self.components))
        message = f"there is no component `{component}`"
        self.contradiction(message, f"the components are: {names}", at, "gang-component")
        return False

    def within(self, component: str, group: str, at: str) -> None:
        """Note a problem if a component is neither the group's, nor above it, nor below it (S11.2)."""
        ours, theirs = self.components[component], self.components.get(group)
        if theirs is None or component == group or group in ours.ancestors or component in theirs.ancestors:
            return
        if ours.ancestors and ours.ancestors[0] in (*theirs.ancestors, group):
            return
        message = f"the component `{component}` is not within the groups of `{group}`"
        self.contradiction(message, f"name `{group}`, or a component above or below it", at, "gang-component")

    def names_of(self, component: str | None, names: Names) -> Names:
        """What a value sees in the scope of a component's instance."""
        found = self.components.get(component) if component else None
        if found is None:
            return names
        for part in (*(self.components[name] for name in found.ancestors if name in self.components), found):
            if part.is_list:
                names = names.adding("item", "key") if "item" not in names.roots else names.adding("parent")
            for variable in part.variables:
                names = names.declaring(variable.name, variable.field.depends)
        return names


def _order(pointer: str, document: Mapping[str, Any]) -> tuple[tuple[int, str], ...]:
    """A sort key that follows the order of the document: members by position, elements by index."""
    key: list[tuple[int, str]] = []
    node: Any = document
    for token in pointer.split("/")[1:]:
        if isinstance(node, dict):
            name = token.replace("~1", "/").replace("~0", "~")
            key.append((list(node).index(name) if name in node else len(node), name))
            node = node.get(name)
        elif isinstance(node, list) and token.isdigit() and int(token) < len(node):
            key.append((int(token), ""))
            node = node[int(token)]
        else:
            break
    return tuple(key)

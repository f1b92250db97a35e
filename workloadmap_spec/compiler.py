"""From a mapping document to a compiled mapping: its strings parsed and checked, its contradictions found.

What is found wrong is collected, ordered by place and raised together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import values
from workloadmap_spec.canonical import digest
from workloadmap_spec.cel import ABSENT, check, compile_expression, parse, path_of, roots_used, scope_of
from workloadmap_spec.errors import (
    ExpressionCheckError,
    ExpressionError,
    Location,
    MappingError,
    MappingSchemaError,
    MappingSemanticError,
)
from workloadmap_spec.limits import MAX_COMPONENT_DEPTH, MAX_COMPONENTS
from workloadmap_spec.mapping import (
    Action,
    CompiledMapping,
    Component,
    ComponentPods,
    Condition,
    Expression,
    Field,
    GangEntry,
    Guard,
    Incomplete,
    Member,
    Names,
    PodField,
    Readiness,
    Rule,
    Selector,
    Status,
    Suspend,
    Template,
    Variable,
)
from workloadmap_spec.pointer import escape

if TYPE_CHECKING:
    from workloadmap_spec.cel import Finding, Node, Path
    from workloadmap_spec.values import Program, Reader

#: Turns a checked expression (its tree and its text) into a program; a witness engine may take the place of our own.
Engine = Callable[["Node", str], "Program"]

COUNTERS: Final = ("ready", "active", "succeeded", "failed", "updated")
COUNTS: Final = ("replicas", "podsPerReplica", "minReplicas", "maxReplicas", "minAvailable", "minPods")
_STATUS_NAMES: Final = ("conditions", "conditionsTrue", "conditionsFalse")


def native_engine(tree: Node, _text: str) -> Program:
    """The evaluator of this package."""
    return compile_expression(tree)


def compile_mapping(
    document: Mapping[str, Any],
    locate: Callable[[str], Location] | None = None,
    engine: Engine = native_engine,
) -> CompiledMapping:
    """Compile a mapping that fits the schema.

    Args:
        document: the mapping, as plain data after the data rules.
        locate: gives file, line and column of a JSON Pointer in the document, for errors.
        engine: what evaluates expressions.

    Raises:
        MappingError: the first thing wrong, in the order of the document; `others` on it holds the rest.

    """
    compiled, problems = examine(document, locate, engine)
    if problems:
        first = problems[0]
        first.others = tuple(problems[1:])
        raise first
    if compiled is None:  # pragma: no cover - examine gives one or the other
        raise AssertionError
    return compiled


def examine(
    document: Mapping[str, Any],
    locate: Callable[[str], Location] | None = None,
    engine: Engine = native_engine,
) -> tuple[CompiledMapping | None, list[MappingError]]:
    """Compile a mapping and give everything that is wrong with it, in the order of the document."""
    compiler = _Compiler(engine)
    compiled = compiler.mapping(document)
    problems = compiler.problems
    if locate is not None:
        for problem in problems:
            if problem.location.pointer is not None:
                problem.located(locate(problem.location.pointer))
    return (None if problems else compiled), problems


class _Compiler:
    """The state of compiling one mapping: what is declared so far, and what was found wrong."""

    def __init__(self, engine: Engine) -> None:
        """Begin with nothing declared."""
        self.engine = engine
        self.problems: list[MappingError] = []
        self.expressions: list[Expression] = []
        self.warnings: list[tuple[str, str, Finding]] = []
        self.components: dict[str, Component] = {}
        self.component_count = 0

    # Problems

    def problem(self, error: MappingError, at: str) -> None:
        """Note something wrong at a place of the document."""
        error.location = Location(pointer=at)
        self.problems.append(error)

    # Expressions and values

    def tree(self, text: str, at: str, names: Names, want: str | None = None) -> tuple[Node | None, Path | None]:
        """Parse and check one string of CEL; the path, if it is a path expression."""
        try:
            tree = parse(text)
        except ExpressionError as error:
            self.problem(error, at)
            return None, None
        for finding in check(tree, text, scope_of(names.roots - {"variables"}, names.declared), want=want):
            if finding.level == "warning":
                self.warnings.append((at, text, finding))
            else:
                self.problem(
                    ExpressionCheckError(
                        finding.message, text, finding.offset, finding.length, finding.rule, finding.cure
                    ),
                    at,
                )
        self.expressions.append(Expression(at, text, tree, names))
        return tree, path_of(tree)

    def string(self, text: str, at: str, field_at: str, names: Names, want: str | None = None) -> Reader:
        """A reader of a string of CEL; diagnostics name `field_at`, problems `at`."""
        tree, path = self.tree(text, at, names, want)
        if path is not None:
            return values.path_reader(path)
        if tree is None:
            return values.literal(ABSENT)
        if any(problem.location.pointer == at for problem in self.problems):
            return values.literal(ABSENT)
        return values.expression_reader(tree, field_at, self.engine(tree, text))

    def value(self, value: Any, at: str, names: Names, field_at: str | None = None) -> Reader:  # noqa: ANN401 - JSON
        """A reader of a value (S5.1)."""
        field_at = field_at or at
        if isinstance(value, str):
            return self.string(value, at, field_at, names)
        if isinstance(value, dict):
            return self.value_object(value, at, field_at, names)
        return values.literal(value)

    def value_object(self, value: Mapping[str, Any], at: str, field_at: str, names: Names) -> Reader:
        """A reader of a value object, in the order of S5.2."""
        if "value" in value:
            read = self.value(value["value"], f"{at}/value", names, field_at)
        elif "firstOf" in value:
            alternatives = [
                self.value(alternative, f"{at}/firstOf/{index}", names, field_at)
                for index, alternative in enumerate(value["firstOf"])
            ]
            read = values.first_of(tuple(alternatives))
        else:
            read = values.unknown(value["unknown"])
        if "strip" in value:
            read = values.stripped(read, self.value(value["strip"], f"{at}/strip", names, field_at))
        if "as" in value:
            read = values.converted(read, value["as"], field_at)
        if "default" in value:
            read = values.defaulted(read, value["default"])
        if "absentIf" in value:
            read = values.absent_if(read, tuple(value["absentIf"]))
        if "when" in value:
            read = values.guarded(read, self.condition(value["when"], f"{at}/when", names, field_at))
        if "writeTo" in value:
            self.place(value["writeTo"], f"{at}/writeTo", names)
        if "write" in value:
            self.tree(value["write"], f"{at}/write", names.adding("value"))
        return read

    def condition(self, text: str, at: str, names: Names, field_at: str | None = None) -> Condition:
        """A condition (S3.4.3)."""
        return values.condition_reader(self.string(text, at, field_at or at, names, want="bool"), field_at or at)

    def place(self, text: str, at: str, names: Names) -> Reader:
        """A reader of a string that must be a path expression (S4.4)."""
        tree, path = self.tree(text, at, names)
        if path is None:
            if tree is not None:
                message = "a place is wanted here: a path such as object.spec.suspend, not an expression"
                self.problem(MappingSemanticError(message, cure="name one place in the object"), at)
            return values.literal(ABSENT)
        return values.path_reader(path)

    # Fields of a map

    def field(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Field | None:
        """The field `name`, if the parent has it."""
        if name not in parent:
            return None
        place = f"{at}/{name}"
        return Field(self.value(parent[name], place, names), place)

    def guard(self, parent: Mapping[str, Any], name: str, at: str, names: Names) -> Guard | None:
        """The condition `name`, if the parent has it."""
        if name not in parent:
            return None
        place = f"{at}/{name}"
        return Guard(self.condition(parent[name], place, names), place)

    def variables(self, parent: Mapping[str, Any], at: str, names: Names) -> tuple[tuple[Variable, ...], Names]:
        """The declared variables, and the names that are visible behind them (S5.4)."""
        found = []
        for index, declared in enumerate(parent.get("variables", ())):
            place = f"{at}/variables/{index}"
            name = declared["name"]
            if name in names.declared:
                self.problem(
                    MappingSemanticError(
                        f"the variable `{name}` is declared twice", cure="give one of them another name"
                    ),
                    f"{place}/name",
                )
            if "find" in declared:
                elements = self.place(declared["find"], f"{place}/find", names)
                where = [
                    (key, self.value(wanted, f"{place}/where/{escape(key)}", names, place))
                    for key, wanted in declared["where"].items()
                ]
                read = values.find(elements, tuple(where))
            else:
                read = self.value_object(declared, place, place, names)
            found.append(Variable(name, Field(read, place)))
            names = names.declaring(name)
        return tuple(found), names

    # The parts of a mapping

    def mapping(self, document: Mapping[str, Any]) -> CompiledMapping:
        """The whole mapping."""
        spec = document["spec"]
        names = Names()
        variables, names = self.variables(spec, "/spec", names)
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
            variables=variables,
            components=components,
            by_name=self.components,
            selectors=selectors,
            status=status,
            suspend=suspend,
            gang=gang,
            incomplete=incomplete,
            expressions=tuple(self.expressions),
            warnings=tuple(self.warnings),
            document=document,
        )

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
        if len(ancestors) >= MAX_COMPONENT_DEPTH:
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
        for_each = self.field(item, "forEach", at, names)
        if for_each is not None:
            names = names.adding("item", "key")
            if inside_for_each:
                names = names.adding("parent")
        variables, names = self.variables(item, at, names)
        pods = item.get("pods")
        observed = item.get("observed", {})
        component = Component(
            name=name,
            at=at,
            role=item.get("role"),
            creates=item.get("creates"),
            for_each=for_each,
            when=when,
            where=self.guard(item, "where", at, names),
            instance=self.field(item, "instance", at, names),
            variables=variables,
            counts={count: field for count in COUNTS if (field := self.field(item, count, at, names)) is not None},
            template=self.template(item, at, names),
            observed_unit=observed.get("unit"),
            observed=tuple(
                (counter, field)
                for counter in COUNTERS
                if (field := self.field(observed, counter, f"{at}/observed", names)) is not None
            ),
            pods=None if pods is None else self.component_pods(pods, f"{at}/pods", names),
            incomplete=self.incomplete(item, at, names),
            components=self.component_list(
                item.get("components", []),
                f"{at}/components",
                names,
                (*ancestors, name),
                inside_for_each=inside_for_each or for_each is not None,
            ),
            ancestors=ancestors,
        )
        if name in self.components:
            self.problem(
                MappingSemanticError(f"two components are named `{name}`", cure="give one of them another name"),
                f"{at}/name",
            )
        self.components[name] = component
        return component

    def template(self, item: Mapping[str, Any], at: str, names: Names) -> Template | None:
        """How a pod component's template is found; None for a grouping component."""
        if "components" in item:
            return None
        base_name = "podSpec" if "podSpec" in item else "podTemplate"
        main = item.get("mainContainer")
        return Template(
            base=self.field(item, base_name, at, names),
            base_name=base_name,
            metadata=self.field(item, "podMetadata", at, names),
            fields=tuple(
                self.pod_field(entry, f"{at}/podFields/{index}", names)
                for index, entry in enumerate(item.get("podFields", ()))
            ),
            main_name=main.get("name") if isinstance(main, dict) else main,
            main_first=isinstance(main, dict),
        )

    def pod_field(self, entry: Mapping[str, Any], at: str, names: Names) -> PodField:
        """One entry of `podFields`."""
        return PodField(
            path=tuple(entry["field"].split(".")) if "field" in entry else (),
            container=entry.get("container"),
            init=entry.get("init", False),
            key=entry.get("key"),
            value=Field(self.value(entry["value"], f"{at}/value", names), f"{at}/value"),
            when=self.guard(entry, "when", at, names),
            mode=entry.get("mode", "replace"),
        )

    def component_pods(self, pods: Mapping[str, Any], at: str, names: Names) -> ComponentPods:
        """How a component's pods are told from others."""
        names = names.adding("pod")
        before = len(self.expressions)
        instance = self.field(pods, "instance", at, names)
        match_labels = tuple(
            (label, Field(self.value(value, place, names), place))
            for label, value in pods.get("matchLabels", {}).items()
            for place in [f"{at}/matchLabels/{escape(label)}"]
        )
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
            return Selector((), Field(self.place(entry["from"], f"{at}/from", names), f"{at}/from"), at)
        labels = [
            (label, Field(self.value(value, place, names), place))
            for label, value in sorted(entry.items())
            for place in [f"{at}/{escape(label)}"]
        ]
        return Selector(tuple(labels), None, at)

    def status(self, status: Mapping[str, Any], names: Names) -> Status:
        """How the phase is read."""
        at = "/spec/status"
        conditions_at = f"{at}/conditions"
        conditions = Field(
            self.place(status.get("conditions", "object.status.conditions"), conditions_at, names), conditions_at
        )
        names = names.adding(*_STATUS_NAMES)
        variables, names = self.variables(status, at, names)
        observed = status.get("observedGeneration", "object.status.observedGeneration")
        generation_at = f"{at}/observedGeneration"
        managed_by = status.get("managedBy", {})
        readiness = status.get("readiness")
        return Status(
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
        """How suspension is asked for; the actions of `resume` are checked, and kept in the document."""
        at = "/spec/suspend"
        actions = {
            name: tuple(
                self.action(action, f"{at}/{name}/{index}", names) for index, action in enumerate(suspend[name])
            )
            for name in ("suspend", "resume")
        }
        return Suspend(self.guard(suspend, "requested", at, names), actions["suspend"])

    def action(self, action: Mapping[str, Any], at: str, names: Names) -> Action:
        """One action."""
        member = "remove" if "remove" in action else "set"
        return Action(self.place(action[member], f"{at}/{member}", names), action.get("to"), member == "remove")

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
        members = []
        for index, member in enumerate(entry["members"]):
            member_at = f"{at}/members/{index}"
            component = member if isinstance(member, str) else member["component"]
            name_at = member_at if isinstance(member, str) else f"{member_at}/component"
            if self.known(component, name_at) and scope_of is not None:
                self.within(component, scope_of, name_at)
            min_pods = None
            if not isinstance(member, str):
                min_pods = self.field(member, "minPods", member_at, self.names_of(component, names))
                known = self.components.get(component)
                if min_pods is not None and known is not None and known.template is None:
                    message = f"`{component}` groups others, whose pods `minPods` could not be told apart"
                    self.problem(MappingSemanticError(message, cure="name the components below it"), min_pods.at)
            members.append(Member(component, min_pods))
        topology = entry.get("topology", {})
        return GangEntry(
            name=entry["name"],
            at=at,
            when=self.guard(entry, "when", at, self.names_of(inside, names)),
            per=target if target in self.components else None,
            per_replica="replicaOf" in per,
            by=self.field(per, "by", f"{at}/per", group_names),
            members=tuple(member for member in members if member.component in self.components),
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

    def known(self, component: str, at: str) -> bool:
        """Whether a component of that name exists; if not, the problem is noted."""
        if component in self.components:
            return True
        names = ", ".join(sorted(self.components))
        self.problem(
            MappingSemanticError(f"there is no component `{component}`", cure=f"the components are: {names}"), at
        )
        return False

    def within(self, component: str, group: str, at: str) -> None:
        """Note a problem if a component is neither the group's, nor above it, nor below it (S11.2)."""
        ours, theirs = self.components[component], self.components.get(group)
        if theirs is None or component == group or group in ours.ancestors or component in theirs.ancestors:
            return
        if ours.ancestors and ours.ancestors[0] in (*theirs.ancestors, group):
            return
        message = f"the component `{component}` is not within the groups of `{group}`"
        self.problem(MappingSemanticError(message, cure=f"name `{group}`, or a component above or below it"), at)

    def names_of(self, component: str | None, names: Names) -> Names:
        """What a value sees in the scope of a component's instance."""
        found = self.components.get(component) if component else None
        if found is None:
            return names
        for part in (*(self.components[name] for name in found.ancestors if name in self.components), found):
            if part.for_each is not None:
                names = names.adding("item", "key") if "item" not in names.roots else names.adding("parent")
            for variable in part.variables:
                names = names.declaring(variable.name)
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

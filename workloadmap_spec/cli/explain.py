"""`inspect --explain`: for each value of a map, the file, line and column that it was read from, or how it came about.

A value that was read by a path has its place in `sources` of the map. For the others the mapping tells: a default, a
number that it fixes, or an expression that is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.style import Style, clean
from workloadmap_spec.errors import ExpressionError
from workloadmap_spec.pointer import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workloadmap_spec.documents import Document
    from workloadmap_spec.map_parts import Part

#: Values of an instance that are explained, in order.
_VALUES: Final = (
    "instance",
    "replicas",
    "minReplicas",
    "maxReplicas",
    "minAvailable",
    "podsPerReplica",
    "pods",
    "minPods",
)
_TEMPLATES: Final = ("podTemplate", "podSpec", "podMetadata")
_STATUS: Final = ("phase", "condition", "reason", "message", "observedGeneration")
_GROUP: Final = ("minMember", "queue", "priorityClass", "topology.required", "topology.preferred")
#: Longer values and expressions are cut.
_MAX_CELL: Final = 32
_MAX_EXPRESSION: Final = 72
#: Variables that stand for variables; a mapping's own checks keep the chain short.
_MAX_DEPTH: Final = 64


class Explainer:
    """Tells where the values of one map come from."""

    def __init__(self, document: Mapping[str, Any], mapping: Mapping[str, Any], origin: Document, style: Style) -> None:
        """Keep the map, the mapping that made it, and the document that it was made from."""
        self.document = document
        self.spec = mapping["spec"]
        self.origin_document = origin
        self.style = style
        self.components = {entry["name"]: entry for entry in _nested(self.spec.get("components", ()))}

    def rows(self, parts: Iterable[Part]) -> list[list[str]]:
        """The rows of the table: of what, which value, what it is, where it was read, and how it came about."""
        mapping = self.document["mapping"]
        rows = [["  mapping", "name", clean(mapping["name"]), "", self.style.paint(mapping["digest"], "dim")]]
        rows += self.status_rows()
        for part in parts:
            rows += self.part_rows(part)
        return rows + self.left_out_rows() + self.gang_rows()

    def status_rows(self) -> list[list[str]]:
        """The rows of the status; reason and message of a condition lie in it."""
        status = self.document.get("status", {})
        sources = dict(status.get("sources", {}))
        condition = resolve(self.origin_document.value, sources["condition"]) if "condition" in sources else {}
        for name in ("reason", "message"):
            if name in status and condition.get(name) == status[name]:
                sources.setdefault(name, f"{sources['condition']}/{name}")
        rows = []
        for name in _STATUS:
            if name in sources:
                rows.append(self.read(name, status.get(name), sources[name]))
            elif name in status:
                how = self.computed("by the status rules of the mapping")
                rows.append([name, self.short(status[name]), *how])
        return _titled("status", rows)

    def part_rows(self, part: Part) -> list[list[str]]:
        """The rows of one instance."""
        instance, sources = part.instance, part.instance.get("sources", {})
        component = self.component_of(part) or {}
        variables = self.variables_of(part)
        rows = []
        for name in _VALUES:
            value = instance["id"] if name == "instance" and "forEach" in component else instance.get(name)
            if name in sources:
                rows.append(self.read(name, value, sources[name]))
            elif value is not None:
                rows.append([name, self.short(value), *self.origin(name, part, value, variables)])
        rows += [self.read(name, None, sources[name]) for name in _TEMPLATES if name in sources]
        for name, value in instance.get("observed", {}).items():
            source = sources.get(f"observed.{name}")
            if source is not None:
                rows.append(self.read(f"{name} (observed)", value, source))
            elif name != "unit":
                spec = component.get("observed", {}).get(name)
                rows.append([f"{name} (observed)", self.short(value), *self.told(spec, value, variables)])
        return _titled(clean(part.label), rows)

    def gang_rows(self) -> list[list[str]]:
        """The rows of all pod groups; groups whose values come about alike are told of once."""
        alike: dict[tuple[object, ...], tuple[str, list[list[str]], int]] = {}
        for group in _all_groups(self.document.get("gang", {}).get("groups", ())):
            rows = self.group_rows(group)
            key = (group["name"], *((name, *how) for name, _value, *how in rows))
            title, first, count = alike.get(key, (group["id"], rows, 0))
            alike[key] = (title, first, count + 1)
        found = []
        for title, rows, count in alike.values():
            more = f" and {count - 1} more" if count > 1 else ""
            found += _titled(f"gang {clean(title)}{more}", rows)
        return found

    def group_rows(self, group: Mapping[str, Any]) -> list[list[str]]:
        """The rows of one pod group."""
        sources = group.get("sources", {})
        rows = []
        for name in _GROUP:
            outer, _, inner = name.partition(".")
            value = group.get(outer, {}).get(inner) if inner else group.get(outer)
            if name in sources:
                rows.append(self.read(name, value, sources[name]))
            elif value is not None:
                rows.append([name, self.short(value), *self.computed(_GROUP_ORIGINS.get(name, ""))])
        return rows

    # Where a value comes from

    def read(self, name: str, value: Any, pointer: str) -> list[str]:  # noqa: ANN401 - JSON
        """The cells of a value that was read at a place; one that is not in the map is taken from there."""
        if value is None:
            value = "" if _is_referred(pointer) else resolve(self.origin_document.value, pointer)
            if isinstance(value, dict):
                value = value.get("type", "") if name == "condition" else ""
        return [name, self.short(value), *self.place(pointer)]

    def short(self, value: Any) -> str:  # noqa: ANN401 - JSON
        """A value that fits into a cell."""
        return _cut(clean(str(value)), _MAX_CELL, self.style)

    def place(self, pointer: str) -> tuple[str, str]:
        """File, line and column of a place in the workload, and the place itself; it may be in a referenced object."""
        if _is_referred(pointer):
            return "", self.style.paint(clean(pointer), "dim")
        location = self.origin_document.location(pointer)
        place = ":".join(str(part) for part in (location.source, location.line, location.column) if part is not None)
        return clean(place), self.style.paint(clean(pointer), "dim")

    def computed(self, how: str = "") -> tuple[str, str]:
        """The words for a value that is computed."""
        return "computed", self.style.paint(clean(how), "dim")

    def origin(
        self,
        name: str,
        part: Part,
        value: Any,  # noqa: ANN401 - JSON
        variables: Mapping[str, Any],
    ) -> tuple[str, str]:
        """Where a value of an instance comes from that has no place."""
        component = self.component_of(part)
        times = f" {self.style.glyphs.times} "
        if name == "pods":
            factors = [f"replicas of {clean(step.label)}" for step in part.above]
            own = ["replicas", *(["podsPerReplica"] if "podsPerReplica" in part.instance else [])]
            return self.computed(times.join([*factors, *own]))
        if name == "minPods" and value == part.instance.get("pods"):
            return self.computed("all of its pods")
        if component is None:
            return self.computed("by the mapping of the embedded kind")
        if name in component:
            return self.told(component[name], value, variables)
        unsaid = {"minPods": f"minAvailable{times}podsPerReplica", "instance": "the key or index of the element"}
        return self.computed(unsaid[name]) if name in unsaid else ("default", "")

    def told(self, spec: Any, value: Any, variables: Mapping[str, Any]) -> tuple[str, str]:  # noqa: ANN401 - JSON
        """What the mapping tells of a value."""
        found = list(_outcomes(spec, variables))
        computed = [text for kind, text in found if kind == "computed"]
        if not computed:
            for kind in ("default", "fixed"):
                if (kind, value) in found:
                    return kind, ""
        return self.computed(_cut(computed[0], _MAX_EXPRESSION, self.style) if computed else "")

    def component_of(self, part: Part) -> Mapping[str, Any] | None:
        """The component of an instance; None for one inside an embedded workload, whose mapping is another."""
        for step in part.above:
            if "embed" in self.components[step.component["name"]]:
                return None
        return self.components[part.component["name"]]

    def left_out_rows(self) -> list[list[str]]:
        """The components of the mapping that the map lacks, with the reason, so that a mistyped path is seen."""
        return [
            [
                f"  {component['name']}",
                "",
                "left out",
                "",
                self.style.paint(_why_left_out(component, self.style), "dim"),
            ]
            for component in self.left_out(self.spec.get("components", ()), self.document.get("components", ()))
        ]

    def left_out(
        self, declared: Iterable[Mapping[str, Any]], shown: Iterable[Mapping[str, Any]]
    ) -> Iterator[Mapping[str, Any]]:
        """The outermost components that have no instance at all."""
        instances = {component["name"]: component["instances"] for component in shown}
        for component in declared:
            if component["name"] not in instances:
                yield component
            elif "embed" not in component:
                below = [inner for one in instances[component["name"]] for inner in one.get("components", ())]
                yield from self.left_out(component.get("components", ()), below)

    def variables_of(self, part: Part) -> dict[str, Any]:
        """The declarations of the variables that an instance sees."""
        chain = (self.component_of(step) or {} for step in (*part.above, part))
        return {variable["name"]: variable for owner in (self.spec, *chain) for variable in owner.get("variables", ())}


_GROUP_ORIGINS: Final = {
    "minMember": "the sum of its members' minPods",
    "priorityClass": "the one that all its pod templates name",
}


def _nested(components: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Components and everything below them."""
    for component in components:
        yield component
        yield from _nested(component.get("components", ()))


def _all_groups(groups: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Groups and everything below them."""
    for group in groups:
        yield group
        yield from _all_groups(group.get("subgroups", ()))


def _why_left_out(component: Mapping[str, Any], style: Style) -> str:
    """Why a component has no instance (S6.3)."""
    if "forEach" in component:
        return "no element of `forEach`" + (" for which `where` holds" if "where" in component else "")
    if "when" in component:
        return "`when` does not hold"
    for name in ("podTemplate", "podSpec", "embed"):
        if name in component:
            written = component[name] if isinstance(component[name], str) else ""
            return _cut(f"`{name}` is absent{written and ': '}{written}", _MAX_EXPRESSION, style)
    return ""


def _is_referred(pointer: str) -> bool:
    """Whether a place is in a referenced object, `refs.NAME#/...`, which the map does not name further (S13.3)."""
    return pointer.startswith("refs.")


def _titled(title: str, rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows with what they are about before the first of them."""
    return [[f"  {title}" if index == 0 else "", *row] for index, row in enumerate(rows)]


def _cut(text: str, limit: int, style: Style) -> str:
    """A text on one line, cut where it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - len(style.glyphs.ellipsis)] + style.glyphs.ellipsis


def _outcomes(spec: Any, variables: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """What a value of a mapping (S5.1) can become other than something read at a place: what kind of thing, and it."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(spec, str):
        name = _variable(spec)
        if name is None:
            yield "computed", spec
        elif name in variables:
            yield from _outcomes(variables[name], variables, depth + 1)
    elif isinstance(spec, dict):
        for inner in (spec.get("value"), *spec.get("firstOf", ())):
            yield from _outcomes(inner, variables, depth + 1)
        if "default" in spec:
            yield "default", spec["default"]
    elif spec is not None:
        yield "fixed", spec


def _variable(text: str) -> str | None:
    """The variable that a path expression begins at, empty for a path at anything else; None for other expressions."""
    from workloadmap_spec.cel import parse, path_of  # noqa: PLC0415 - for --explain only

    try:
        path = path_of(parse(text))
    except ExpressionError:  # pragma: no cover - a compiled mapping has none
        return None
    if path is None:
        return None
    return str(path.steps[0]) if path.root == "variables" and path.steps else ""

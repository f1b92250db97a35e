"""What the schema of a kind says about a value: its types, its fields, what is always there, what is allowed.

A shape is made lazily, field by field, from the structural schema of a CustomResourceDefinition or from the table of
built-in types: the schema of a large kind has ten thousand nodes, of which a mapping looks at fifty.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import core_types
from workloadmap_spec.cel import ABSENT
from workloadmap_spec.errors import InputError, Location

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

STRING: Final = frozenset({"string"})
INT: Final = frozenset({"int"})
BOOL: Final = frozenset({"bool"})
LIST: Final = frozenset({"list"})
MAP: Final = frozenset({"map"})
NUMBERS: Final = frozenset({"int", "double"})
SCALAR: Final = STRING | INT
#: What has elements.
SIZED: Final = LIST | MAP
#: The types of JSON values, in the words of CEL.
EVERY: Final = STRING | NUMBERS | BOOL | SIZED
#: In place of a schema: the name of a type of the built-in table.
_CORE: Final = "built-in type"

#: The types of a structural schema (apiextensions.k8s.io/v1, JSONSchemaProps.type). A `number` may have any value, and
#: readers make an int of one without a fraction (N1).
_SCHEMA_KINDS: Final = {
    "string": STRING,
    "integer": INT,
    "number": NUMBERS,
    "boolean": BOOL,
    "array": LIST,
    "object": MAP,
}
#: The types of the built-in table. A quantity may be written as a number.
_CORE_KINDS: Final = {
    "string": STRING,
    "time": STRING,
    "integer": INT,
    "number": NUMBERS,
    "boolean": BOOL,
    "quantity": STRING | NUMBERS,
    "intOrString": SCALAR,
    "list": LIST,
    "map": MAP,
}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What is known of a value.

    `fields`, `values` (of a map with free keys) and `items` (of a list) are values, or in the form of the source, which
    `make` turns into shapes: a shape without a source has values only.
    """

    kinds: frozenset[str]
    #: Where the schema has it, as in `spec.jobs[].name`; empty for a value that an expression makes.
    where: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: The fields that are always there.
    required: Collection[str] = ()
    #: The fields that the API server fills in where they are left out.
    filled: Collection[str] = ()
    values: Any = None
    items: Any = None
    #: The only values that there are, if they are known.
    enum: tuple[Any, ...] | None = None
    default: Any = ABSENT
    #: Why more may be there than the schema says; None if nothing is.
    open: str | None = None
    make: Callable[[Any, str], Shape] | None = None

    def member(self, name: str) -> Value | None:
        """A field that the schema names."""
        return self._made(self.fields.get(name), f"{self.where}.{name}" if self.where else name)

    def value(self) -> Value | None:
        """What stands under a free key; None if there are none."""
        return self._made(self.values, f"{self.where}[*]")

    def element(self) -> Value:
        """An element of the list."""
        found = self._made(self.items, f"{self.where}[]")
        return ANYTHING if found is None else found

    def _made(self, part: Any, where: str) -> Value | None:  # noqa: ANN401 - a value, or what the source has
        """A part as a value."""
        if part is None or isinstance(part, tuple):
            return part
        if self.make is None:
            raise AssertionError(part)
        return (self.make(part, where),)


#: A value is one of several shapes: that of a conditional, for instance, is that of one of its branches.
Value = tuple[Shape, ...]

#: A value of which nothing is known.
ANY: Final = Shape(EVERY, open="")
ANYTHING: Final[Value] = (ANY,)


def of_kinds(*kinds: str) -> Value:
    """A value that an expression makes, of one of some types."""
    return (Shape(frozenset(kinds), open="" if "map" in kinds else None),)


def constant(value: Any) -> Value:  # noqa: ANN401 - JSON
    """A literal."""
    kind = {bool: "bool", int: "int", float: "double", str: "string", list: "list", dict: "map"}.get(type(value))
    if kind is None:
        return ANYTHING
    if kind in {"list", "map"}:
        # An empty one has no elements and no fields: as a default it takes nothing from what is known of the others.
        items = (joined(*(constant(element) for element in value)) if value else ()) if kind == "list" else None
        fields = {name: constant(one) for name, one in value.items()} if kind == "map" else {}
        return (
            Shape(frozenset({kind}), items=items, fields=fields, open="" if value else None, required=tuple(fields)),
        )
    return (Shape(frozenset({kind}), enum=(value,)),)


def list_of(elements: Value) -> Value:
    """A list that an expression makes."""
    return (Shape(LIST, items=elements),)


def joined(*values: Value) -> Value:
    """A value that is one of several."""
    found: list[Shape] = []
    for value in values:
        for shape in value:
            if shape.open == "" and shape.kinds == EVERY:
                return ANYTHING
            if not any(_same(shape, other) for other in found):
                found.append(shape)
    return tuple(found) or ANYTHING


def _same(one: Shape, other: Shape) -> bool:
    """Whether two shapes say the same."""
    return one is other or (
        one.where == other.where
        and one.kinds == other.kinds
        and one.enum == other.enum
        and one.fields is other.fields
        and one.items is other.items
    )


def where_of(value: Value) -> str:
    """Where the schema has a value; empty if it has it nowhere."""
    return next((shape.where for shape in value if shape.where), "")


def kinds_of(value: Value) -> frozenset[str]:
    """The types that a value may have."""
    return frozenset().union(*(shape.kinds for shape in value))


def enum_of(value: Value) -> tuple[Any, ...] | None:
    """The values that a value may have, if they are known."""
    found: dict[tuple[str, Any], Any] = {}
    for shape in value:
        if shape.enum is None:
            return None
        found |= {(type(one).__name__, one): one for one in shape.enum}
    return tuple(found.values())


def of_schema(schema: Mapping[str, Any], where: str, source: str | None = None) -> Shape:
    """The shape of a node of a structural schema (apiextensions.k8s.io/v1, JSONSchemaProps).

    Raises:
        InputError: The node is malformed; `source` is the file that is named then.
    """
    _check_node(schema, where, source)
    if _CORE in schema:
        return of_type(schema[_CORE], where)
    if schema.get("x-kubernetes-int-or-string"):
        return Shape(SCALAR, where, default=schema.get("default", ABSENT))
    fields = schema.get("properties") or {}
    kinds = _SCHEMA_KINDS.get(schema.get("type") or ("object" if fields else ""), EVERY)
    free = schema.get("additionalProperties")
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or kinds == EVERY
    if schema.get("x-kubernetes-embedded-resource"):
        text = {"type": "string"}
        fields = {"apiVersion": text, "kind": text, **fields, "metadata": {_CORE: "ObjectMeta"}}
    enum = schema.get("enum")
    return Shape(
        kinds,
        where,
        fields,
        schema.get("required") or (),
        tuple(name for name, one in fields.items() if isinstance(one, dict) and "default" in one),
        {} if free is True else free or None,
        schema.get("items"),
        None if enum is None else tuple(one for one in enum if one is not None),
        schema.get("default", ABSENT),
        "x-kubernetes-preserve-unknown-fields" if is_open else None,
        partial(of_schema, source=source),
    )


#: What the members of a node are that shapes are made from, and how that is called; null is as if they were left out.
_NODE: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "properties": (dict, "a map of schemas"),
    "type": (str, "the name of one type"),
    "additionalProperties": ((dict, bool), "a schema or a bool"),
    "items": (dict, "a schema"),
    "required": (list, "a list of names"),
    "enum": (list, "a list of values"),
}


def _check_node(schema: object, where: str, source: str | None) -> None:
    """Refuse a node of a schema that no API server takes."""
    message = None
    if not isinstance(schema, dict):
        message = "is no map, as schemas are"
    else:
        for name, (kinds, wanted) in _NODE.items():
            value = schema.get(name)
            if value is not None and not isinstance(value, kinds):
                message = f"has a `{name}` that is not {wanted}"
                break
    if message is not None:
        place = f"`{where}` in the schema" if where else "the schema"
        cure = "take the definition from the framework's release"
        raise InputError(f"{place} {message}", Location(source), cure)


def of_type(name: str, where: str) -> Shape:
    """The shape of a type of the built-in table."""
    record = core_types.type_record(name)
    enums, defaults = record.get("enums", {}), record.get("defaults", {})
    fields = {
        one: {**raw, "enum": enums.get(one), "default": defaults.get(one, ABSENT)}
        for one, raw in record["fields"].items()
    }
    return Shape(MAP, where, fields, record.get("required", ()), tuple(defaults), make=_of_member)


def _of_member(member: Any, where: str) -> Shape:  # noqa: ANN401 - JSON, or the name of a type
    """The shape of a field of the built-in table, or of the elements or values of one."""
    if isinstance(member, str):
        member = {"type": member}
    kind = member["type"]
    if kind not in _CORE_KINDS and kind != "any":
        return replace(of_type(kind, where), default=member.get("default", ABSENT))
    enum = member.get("enum")
    return Shape(
        _CORE_KINDS.get(kind, EVERY),
        where,
        values=member.get("values"),
        items=member.get("items"),
        enum=None if enum is None else tuple(enum),
        default=member.get("default", ABSENT),
        open="a field of any type" if kind == "any" else None,
        make=_of_member,
    )


#: What every stored object has in its metadata, labels and annotations as the expressions see them (S3.3.1).
_METADATA: Final = (
    *("name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("labels", "annotations"),
)
#: What is always there in a pod that was stored: what the API server fills in (pkg/apis/core/v1/defaults.go), and the
#: phase that it begins with (pkg/registry/core/pod/strategy.go).
_POD_SPEC: Final = ("containers", "restartPolicy", "dnsPolicy", "schedulerName", "terminationGracePeriodSeconds")
_POD_STATUS: Final = ("phase", "qosClass")


def metadata(where: str = "metadata") -> Shape:
    """The metadata of an object."""
    return replace(of_type("ObjectMeta", where), required=_METADATA)


def root_of_schema(schema: Mapping[str, Any] | None, source: str | None = None) -> Shape:
    """An object of a kind that a CustomResourceDefinition describes, as expressions see it (S3.3.1).

    Raises:
        InputError: The schema is malformed; `source` is the file that is named then.
    """
    if schema is None:
        return replace(ANY, fields={"metadata": (metadata(),)}, required=("metadata", "spec", "status"))
    text = {"type": "string"}
    _check_node(schema, "", source)
    shape = of_schema({**schema, "type": "object"}, "", source)
    fields = {"apiVersion": text, "kind": text, **shape.fields, "metadata": (metadata(),)}
    return replace(shape, fields=fields, required={*shape.required, "metadata", "spec", "status", "apiVersion", "kind"})


def root_of_type(name: str) -> Shape:
    """An object of a built-in kind, as expressions see it (S3.3.1)."""
    shape = of_type(name, "")
    fields = {**shape.fields, "metadata": (metadata(),)}
    return replace(shape, fields=fields, required=("metadata", "spec", "status", "apiVersion", "kind"))


def pod() -> Shape:
    """A pod, as expressions see it (S3.3.1)."""
    shape = elsewhere(root_of_type("Pod"), "pod")
    spec, status = of_type("PodSpec", "pod.spec"), of_type("PodStatus", "pod.status")
    parts = {"spec": (replace(spec, required=_POD_SPEC),), "status": (replace(status, required=_POD_STATUS),)}
    return replace(shape, fields={**shape.fields, **parts})


def elsewhere(root: Shape, where: str) -> Shape:
    """An object that is not the workload, under the name that expressions have for it: `pod`, `refs.NAME`."""
    return replace(root, where=where, fields={**root.fields, "metadata": (metadata(f"{where}.metadata"),)})

"""What the schema of a kind says about a value: its types, its fields, what is always there, what is allowed.

A shape is made lazily, field by field, from the structural schema of a CustomResourceDefinition or from the table of
built-in types: the schema of a large kind has ten thousand nodes, of which a mapping looks at fifty.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import core_types
from workloadmap_spec.cel import ABSENT
from workloadmap_spec.errors import InputError, Location

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

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
    #: The fields that the schema demands, and that may be null, which is as if they were not there (S2.3).
    nullable: Collection[str] = ()
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
    #: Whether it is the workload itself.
    is_root: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether all its fields are known."""
        return self.open is None and self.values is None

    @property
    def is_literal(self) -> bool:
        """Whether it is a map that is written out."""
        return not self.where and not self.is_root and self.is_closed

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
        # Entries that are null are removed (S2.3).
        entries = value.items() if kind == "map" else ()
        fields = {name: constant(one) for name, one in entries if one is not None}
        return (Shape(frozenset({kind}), items=items, fields=fields, required=tuple(fields)),)
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
        and one.required == other.required
    )


def where_of(value: Value) -> str:
    """Where the schema has a value; empty if it has it nowhere."""
    return next((shape.where for shape in value if shape.where), "")


def kinds_of(value: Value) -> frozenset[str]:
    """The types that a value may have."""
    return frozenset().union(*(shape.kinds for shape in value))


def widened(kinds: frozenset[str]) -> frozenset[str]:
    """Types, and those that a number of them may be read as: a double without a fraction is an int (S2.2)."""
    return kinds | NUMBERS if kinds & NUMBERS else kinds


def lacks(kinds: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether a value may be of a type that is not wanted; one of which nothing is known may be right."""
    return not kinds <= widened(wanted) and not kinds >= EVERY


def outside(value: Value, wanted: frozenset[str]) -> frozenset[str]:
    """The types of those parts of a value that are, or may be, of none of the wanted types."""
    return frozenset().union(*(shape.kinds - wanted for shape in value if lacks(shape.kinds, wanted)))


def same(value: Any, others: Iterable[Any]) -> bool:  # noqa: ANN401 - JSON
    """Whether a value is one of others; true is no number."""
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in others)


def shown(value: Any) -> str:  # noqa: ANN401 - JSON
    """A literal as a mapping has it."""
    return json.dumps(value, ensure_ascii=False)


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
    required = schema.get("required") or ()
    kinds = _SCHEMA_KINDS.get(schema.get("type") or ("object" if fields else ""), EVERY)
    free = schema.get("additionalProperties")
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or kinds == EVERY
    if schema.get("x-kubernetes-embedded-resource"):
        text = {"type": "string"}
        fields = {"apiVersion": text, "kind": text, **fields, "metadata": {_CORE: "ObjectMeta"}}
        # The API server demands them (apiextensions-apiserver, pkg/apiserver/schema/objectmeta/validation.go).
        required = {*required, "apiVersion", "kind"}
    enum = schema.get("enum")
    return Shape(
        kinds,
        where,
        fields,
        tuple(name for name in required if not _may_be_null(fields.get(name))),
        tuple(name for name in required if _may_be_null(fields.get(name))),
        tuple(name for name, one in fields.items() if isinstance(one, dict) and "default" in one),
        {} if free is True else free or None,
        schema.get("items"),
        None if enum is None else tuple(one for one in enum if one is not None),
        schema.get("default", ABSENT),
        "x-kubernetes-preserve-unknown-fields" if is_open else None,
        partial(of_schema, source=source),
    )


def _may_be_null(schema: object) -> bool:
    """Whether a node of a schema allows null."""
    return isinstance(schema, dict) and schema.get("nullable") is True


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
    return Shape(MAP, where, fields, record.get("required", ()), filled=tuple(defaults), make=_of_member)


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


#: What every object that is read has in its metadata, what the API server fills in when it stores it, and what is there
#: as the expressions see it (S3.3.1).
_NAMED: Final = ("name",)
_STORED: Final = ("namespace", "uid", "resourceVersion", "generation", "creationTimestamp")
_REPAIRED: Final = ("labels", "annotations")
#: What is always there in a pod that was stored: what the API server fills in (pkg/apis/core/v1/defaults.go), and the
#: phase that it begins with (pkg/registry/core/pod/strategy.go).
_POD_SPEC: Final = ("containers", "restartPolicy", "dnsPolicy", "schedulerName", "terminationGracePeriodSeconds")
_POD_STATUS: Final = ("phase", "qosClass")


def _metadata(where: str, *required: str, filled: Collection[str] = ()) -> Value:
    """The metadata of an object."""
    return (replace(of_type("ObjectMeta", where), required=required, filled=filled),)


def object_of_schema(schema: Mapping[str, Any] | None, source: str | None = None) -> Shape:
    """An object of a kind that a CustomResourceDefinition describes, as it is given.

    Raises:
        InputError: The schema is malformed; `source` is the file that is named then.
    """
    text = {"type": "string"}
    if schema is None:
        shape = replace(ANY, fields={"apiVersion": of_kinds("string"), "kind": of_kinds("string")})
    else:
        _check_node(schema, "", source)
        shape = of_schema({**schema, "type": "object"}, "", source)
        shape = replace(shape, fields={"apiVersion": text, "kind": text, **shape.fields})
    return _given(shape)


def object_of_type(name: str) -> Shape:
    """An object of a built-in kind, as it is given."""
    return _given(of_type(name, ""))


def _given(shape: Shape) -> Shape:
    """An object as it is given: it is of a kind, and has a name."""
    required = {*shape.required, "apiVersion", "kind", "metadata"}
    # Without a spec that has to have something the object is nothing: nobody makes one, though a schema may allow it.
    required |= {"spec"} if any(one.required for one in shape.member("spec") or ()) else set()
    fields = {**shape.fields, "metadata": _metadata("metadata", *_NAMED, filled=_STORED)}
    return replace(shape, fields=fields, required=required)


def workload(given: Shape, api_versions: tuple[str, ...], kind: str) -> Shape:
    """The workload, as expressions see it: `metadata`, `spec` and `status` are there (S3.3.1).

    Args:
        given: The object as it is given.
        api_versions: What its `apiVersion` may be.
        kind: What its `kind` is.
    """
    fields = {
        **given.fields,
        **_identity(api_versions, kind, ""),
        "metadata": _metadata("metadata", *_NAMED, *_REPAIRED, filled=_STORED),
    }
    # No manifest has a status, and an object that was just made has none: what is required in one may be missing.
    if (status := given.member("status")) is not None:
        fields["status"] = tuple(replace(one, required=(), filled=()) for one in status)
    required = {*given.required, "metadata", "spec", "status"}
    return replace(given, fields=fields, required=required, is_root=True)


def stored(root: Shape) -> Shape:
    """A workload that the API server has stored, as expressions see it."""
    return replace(root, fields={**root.fields, "metadata": _metadata("metadata", *_NAMED, *_STORED, *_REPAIRED)})


def reported(root: Shape, given: Shape) -> Shape:
    """A workload whose status is not empty, as expressions see it: the API server has checked that too."""
    status = given.member("status")
    return stored(root if status is None else replace(root, fields={**root.fields, "status": status}))


def _identity(api_versions: tuple[str, ...], kind: str, where: str) -> dict[str, Value]:
    """The fields by which an object is of a kind."""
    return {
        "apiVersion": (Shape(STRING, f"{where}apiVersion", enum=api_versions),),
        "kind": (Shape(STRING, f"{where}kind", enum=(kind,)),),
    }


def referred(given: Shape, where: str, api_version: str, kind: str) -> Shape:
    """What a reference names, under the name that expressions have for it: nothing of it is repaired (S19.7)."""
    fields = {
        **given.fields,
        **_identity((api_version,), kind, f"{where}."),
        "metadata": _metadata(f"{where}.metadata", *_NAMED, filled=_STORED),
    }
    return replace(given, where=where, fields=fields)


def pod() -> Shape:
    """A pod, as expressions see it (S3.3.1): all pods are read from a cluster."""
    shape = of_type("Pod", "pod")
    spec, status = of_type("PodSpec", "pod.spec"), of_type("PodStatus", "pod.status")
    fields = {
        **shape.fields,
        "metadata": _metadata("pod.metadata", *_NAMED, *_STORED, *_REPAIRED),
        "spec": (replace(spec, required=_POD_SPEC),),
        "status": (replace(status, required=_POD_STATUS),),
    }
    return replace(shape, fields=fields, required=("apiVersion", "kind", "metadata", "spec", "status"))

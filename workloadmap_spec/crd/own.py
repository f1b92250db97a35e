"""The definition with which a cluster holds mappings: WorkloadMapping as a CustomResourceDefinition.

It is made from the JSON Schema. A structural schema (kubernetes.io, "Specifying a structural schema") cannot say all
that JSON Schema can: a value that may be of several types, and what lies below one, is kept as it is. A reader checks
it all again, so the definition only has to keep what a mapping says, and to refuse early what is plainly wrong.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.files import SPEC_VERSION, schema_path
from workloadmap_spec.schemas import GROUP

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Anything, kept as it is.
_ANYTHING: Final = {"x-kubernetes-preserve-unknown-fields": True}
#: Keywords that mean the same in both.
_SHARED: Final = (
    "description",
    "enum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
)
#: How often components may lie in components before what is below is kept unseen: the depth of S2.
_DEPTH: Final = 3


def mapping_definition() -> dict[str, Any]:
    """The CustomResourceDefinition of WorkloadMapping, for `kubectl apply`."""
    schema = json.loads(schema_path("workload-mapping.schema.json").read_text(encoding="utf-8"))
    spec = _structural(schema["properties"]["spec"], schema["$defs"], ())
    columns = [
        ("Group", ".spec.workload.group"),
        ("Kind", ".spec.workload.kind"),
        ("Versions", ".spec.workload.versions"),
    ]
    version = {
        "name": SPEC_VERSION,
        "served": True,
        "storage": True,
        "additionalPrinterColumns": [{"name": name, "type": "string", "jsonPath": path} for name, path in columns],
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                "description": schema["description"],
                "required": ["spec"],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"type": "object"},
                    "spec": spec,
                },
            }
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"workloadmappings.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": "WorkloadMapping",
                "listKind": "WorkloadMappingList",
                "plural": "workloadmappings",
                "singular": "workloadmapping",
            },
            "scope": "Cluster",
            "versions": [version],
        },
    }


def _structural(schema: Mapping[str, Any], definitions: Mapping[str, Any], above: tuple[str, ...]) -> dict[str, Any]:
    """A JSON Schema as a structural one.

    Args:
        schema: It.
        definitions: What its references lead to.
        above: The definitions that it lies in, which may lie in themselves.
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if above.count(name) >= _DEPTH:
            return dict(_ANYTHING)
        return _structural(definitions[name], definitions, (*above, name))
    kind = schema.get("type")
    if not isinstance(kind, str):
        return dict(_ANYTHING)
    told = {"type": kind} | {name: schema[name] for name in _SHARED if name in schema}
    if kind == "array":
        told["items"] = _structural(schema.get("items", {}), definitions, above)
    elif kind == "object":
        told |= _members(schema, definitions, above)
    return told


def _members(schema: Mapping[str, Any], definitions: Mapping[str, Any], above: tuple[str, ...]) -> dict[str, Any]:
    """The members of a map: those that it names, or any."""
    rest = schema.get("additionalProperties")
    if "properties" in schema:
        named = {name: _structural(member, definitions, above) for name, member in schema["properties"].items()}
        told: dict[str, Any] = {"properties": named}
        if "required" in schema:
            told["required"] = schema["required"]
        # What a reader would refuse must not vanish in silence.
        return told | _ANYTHING
    if isinstance(rest, dict):
        return {"additionalProperties": _structural(rest, definitions, above)}
    return dict(_ANYTHING)

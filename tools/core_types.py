"""Write `schema/v1alpha1/core-types.json` from the models of the official Python client of Kubernetes.

The table is normative for which fields a PodSpec, a Container and the types below them have. The models give names,
types and required fields; what they do not give, the tables at the top of this script do. Usage:

    python tools/core_types.py            write the file
    python tools/core_types.py --check    say whether it is current (exit code 1 if not)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from kubernetes.client import models

TARGET: Final = Path(__file__).resolve().parents[1] / "schema" / "v1alpha1" / "core-types.json"

#: The version of Kubernetes that this version of the specification is pinned to. The client's major version is its
#: minor version: client 37 is of Kubernetes 1.37.
KUBERNETES_VERSION: Final = "1.37"

_MAX_LINE: Final = 100

#: Where the walk over the types begins.
ROOTS: Final = ("V1Pod", "V1PodTemplateSpec")

_DESCRIPTION: Final = (
    "The fields of the Kubernetes types that make up a pod, as they are written in an object. A field has a `type`: "
    "string, integer, boolean, time (RFC 3339), quantity, intOrString, any, list (of `items`), map (from strings to "
    "`values`), or the name of a type of this table. `required` are the fields that the API demands. `mergeKeys` "
    "names, for a list whose elements Kubernetes merges one by one, the field that tells them apart; any other list "
    "is replaced as a whole, but for the finalizers of a metadata, which are a set."
)

_SCALARS: Final = {"str": "string", "int": "integer", "bool": "boolean", "datetime": "time", "object": "any"}

#: The client says `str` for quantities and `object` for ports; k8s.io/api (`core/v1/types.go`) says which they are.
_TYPES: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("ContainerStatus", "allocatedResources"): {"type": "map", "values": "quantity"},
    ("EmptyDirVolumeSource", "sizeLimit"): {"type": "quantity"},
    ("HTTPGetAction", "port"): {"type": "intOrString"},
    ("NodeAllocatableMappedResources", "quantity"): {"type": "quantity"},
    ("NodeAllocatableOverheadResources", "perContainer"): {"type": "quantity"},
    ("NodeAllocatableOverheadResources", "perPod"): {"type": "quantity"},
    ("PodSpec", "overhead"): {"type": "map", "values": "quantity"},
    ("PodStatus", "allocatedResources"): {"type": "map", "values": "quantity"},
    ("ResourceFieldSelector", "divisor"): {"type": "quantity"},
    ("ResourceRequirements", "limits"): {"type": "map", "values": "quantity"},
    ("ResourceRequirements", "requests"): {"type": "map", "values": "quantity"},
    ("TCPSocketAction", "port"): {"type": "intOrString"},
    ("VolumeResourceRequirements", "limits"): {"type": "map", "values": "quantity"},
    ("VolumeResourceRequirements", "requests"): {"type": "map", "values": "quantity"},
}

_CONTAINER_MERGE_KEYS: Final = {
    "env": "name",
    "ports": "containerPort",
    "volumeDevices": "devicePath",
    "volumeMounts": "mountPath",
}

#: The `patchMergeKey` of each list of objects in k8s.io/api (`core/v1/types.go`) and apimachinery
#: (`meta/v1/types.go`) that has one. The client does not carry them.
_MERGE_KEYS: Final[dict[str, dict[str, str]]] = {
    "Container": _CONTAINER_MERGE_KEYS,
    "ContainerStatus": {"allocatedResourcesStatus": "name", "volumeMounts": "mountPath"},
    "EphemeralContainer": _CONTAINER_MERGE_KEYS,
    "NodeAllocatableResourceClaimStatus": {"mapping": "name", "overhead": "name"},
    "ObjectMeta": {"ownerReferences": "uid"},
    "PodSpec": {
        "containers": "name",
        "ephemeralContainers": "name",
        "evictionResponders": "name",
        "hostAliases": "ip",
        "imagePullSecrets": "name",
        "initContainers": "name",
        "resourceClaims": "name",
        "schedulingGates": "name",
        "topologySpreadConstraints": "topologyKey",
        "volumes": "name",
    },
    "PodStatus": {
        "conditions": "type",
        "hostIPs": "ip",
        "nodeAllocatableResourceClaimStatuses": "resourceClaimName",
        "podIPs": "ip",
        "resourceClaimStatuses": "name",
    },
    "PodVolumeHealth": {"healthConditions": "status"},
}


def main() -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description="write schema/v1alpha1/core-types.json")
    parser.add_argument("--check", action="store_true", help="only compare; exit code 1 if the file is not current")
    check = parser.parse_args().check
    found = client_kubernetes_version()
    if found != KUBERNETES_VERSION:
        major = KUBERNETES_VERSION.partition(".")[2]
        print(f"error: the client is of Kubernetes {found}, the table of {KUBERNETES_VERSION}", file=sys.stderr)
        print(f"  pip install 'kubernetes=={major}.*'", file=sys.stderr)
        return 2
    text = render(table())
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"error: {TARGET.name} is not current\n  run python tools/core_types.py", file=sys.stderr)
    return 1


def client_kubernetes_version() -> str:
    """Read the version of the API from the header that the client's generator puts into every model."""
    header = sys.modules[models.V1PodSpec.__module__].__doc__ or ""
    match = re.search(r"OpenAPI document: release-([0-9]+\.[0-9]+)", header)
    return match[1] if match else "an unknown version"


def table() -> dict[str, Any]:
    """Make the document."""
    types: dict[str, Any] = {}
    pending = list(ROOTS)
    while pending:
        model = pending.pop()
        name = type_name(model)
        if name not in types:
            types[name], reached = describe(model)
            pending += reached
    unused = {*_TYPES} - {(name, field) for name, each in types.items() for field in each["fields"]}
    unused |= {(name, field) for name in _MERGE_KEYS for field in _MERGE_KEYS[name] if not is_list(types, name, field)}
    if unused:
        raise SystemExit(f"error: the client has no such fields any more: {sorted(unused)}")
    return {
        "description": _DESCRIPTION,
        "kubernetesVersion": KUBERNETES_VERSION,
        "generatedBy": "tools/core_types.py",
        "types": dict(sorted(types.items())),
    }


def describe(model: str) -> tuple[dict[str, Any], list[str]]:
    """Describe one model, and name the models that it mentions."""
    made = getattr(models, model)
    name = type_name(model)
    fields: dict[str, dict[str, str]] = {}
    reached = []
    for attribute, declared in made.openapi_types.items():
        field = made.attribute_map[attribute]
        described, mentioned = describe_type(declared)
        fields[field] = _TYPES.get((name, field), described)
        if mentioned:
            reached.append(mentioned)
    description: dict[str, Any] = {"fields": dict(sorted(fields.items()))}
    required = sorted(
        info.serialization_alias or attribute for attribute, info in made.model_fields.items() if info.is_required()
    )
    if required:
        description["required"] = required
    if _MERGE_KEYS.get(name):
        description["mergeKeys"] = _MERGE_KEYS[name]
    return description, reached


def describe_type(declared: str) -> tuple[dict[str, str], str | None]:
    """Describe a type as the client declares it, and name the model in it, if any."""
    for pattern, kind, element in ((r"List\[(\w+)\]", "list", "items"), (r"Dict\[str, (\w+)\]", "map", "values")):
        match = re.fullmatch(pattern, declared)
        if match:
            name, model = named(match[1])
            return {"type": kind, element: name}, model
    name, model = named(declared)
    return {"type": name}, model


def named(declared: str) -> tuple[str, str | None]:
    """Give our name of a type without parameters, and the model, if it is one."""
    if declared in _SCALARS:
        return _SCALARS[declared], None
    if not hasattr(models, declared):
        raise SystemExit(f"error: the client has a type that this script does not know: {declared}")
    return type_name(declared), declared


def type_name(model: str) -> str:
    """Give the name of a type in the API: the client puts the version, and where names collide the group, before it."""
    return re.sub(r"^(Core)?V1(?=[A-Z])", "", model)


def is_list(types: dict[str, Any], name: str, field: str) -> bool:
    """Whether a type has a list of that name."""
    return bool(types.get(name, {}).get("fields", {}).get(field, {}).get("type") == "list")


def render(document: dict[str, Any]) -> str:
    """Write the document with one field in a line, so that a new version of Kubernetes shows as lines in a diff."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    # What holds no further list or map goes on one line if it fits.
    return re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", lambda match: on_one_line(match[0]), text) + "\n"


def on_one_line(text: str) -> str:
    """Write a JSON value on one line unless it is long."""
    line = json.dumps(json.loads(text), ensure_ascii=False)
    return line if len(line) <= _MAX_LINE else text


if __name__ == "__main__":
    sys.exit(main())

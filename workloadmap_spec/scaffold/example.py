"""A first case for a scaffold: a small object made from the schema, and the map that it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel import ABSENT
from workloadmap_spec.scaffold.guess import ELEMENT, VALUE, Guess, Path
from workloadmap_spec.scaffold.write import mapping_name
from workloadmap_spec.schemas import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workloadmap_spec.crd.shapes import Shape, Value

_UID: Final = "00000000-0000-4000-8000-000000000001"
_IMAGE: Final = "registry.example/app:1"
#: Required fields are filled in so deep; below it what the object lacks does not matter to a mapping.
_MAX_DEPTH: Final = 12


def example_object(api_version: str, kind: str, root: Shape, guess: Guess) -> dict[str, Any]:
    """A small object of a kind: what the schema requires, one element in each list, a container in each template."""
    spec = root.member("spec")
    made: dict[str, Any] = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "example", "namespace": "default", "uid": _UID, "generation": 1},
    }
    if spec is not None:
        made["spec"] = _required(spec, 0)
    for template in guess.templates:
        pod = {"containers": [{"name": "main", "image": _IMAGE}]}
        _put(made, template.path, pod if template.field == "podSpec" else {"spec": pod}, guess)
        for count in template.counts.values():
            _put(made, count.path, max(1, count.default), guess)
    for image in guess.images:
        _put(made, image, _IMAGE, guess)
    return made


def _required(value: Value, depth: int) -> Any:  # noqa: ANN401, PLR0911 - JSON, one case for each type
    """The least value of a shape."""
    shape = value[0]
    if shape.default is not ABSENT:
        return shape.default
    if shape.enum:
        return shape.enum[0]
    kinds = shape.kinds
    if "map" in kinds and len(kinds) == 1:
        fields = {one: shape.member(one) for one in (*shape.required, *shape.nullable) if depth < _MAX_DEPTH}
        return {one: _required(member, depth + 1) for one, member in fields.items() if member is not None}
    if kinds == {"list"}:
        return []
    if "string" in kinds:
        return "example"
    if "int" in kinds:
        return 1
    return False if kinds == {"bool"} else {}


def _put(target: dict[str, Any], path: Path, value: Any, guess: Guess) -> None:  # noqa: ANN401 - JSON
    """Put a value at a path, with what is needed on the way; templates of one list share an element."""
    here: Any = target
    for index, step in enumerate(path[:-1]):
        following = path[index + 1]
        empty: Any = [] if following == ELEMENT else {}
        if step == ELEMENT:
            if not here:
                here.append(_element(path[: index + 1], guess))
            here = here[0]
        elif step == VALUE:
            here = here.setdefault("example", empty)
        else:
            if not isinstance(here.get(step), type(empty)):
                here[step] = empty
            here = here[step]
    if path[-1] == ELEMENT:
        here[:] = [value]
    else:
        here["example" if path[-1] == VALUE else path[-1]] = value


def _element(path: Path, guess: Guess) -> dict[str, Any]:
    """An element of a list: what its schema requires, and its name."""
    shapes = guess.shapes.get(path)
    made = _required(shapes, 0) if shapes else {}
    name = guess.names.get(path[:-1])
    return {**made, name: "example"} if name is not None else made


def case_text(kind: str, made: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The text of a case: the object, and the map that the scaffold gives for it now."""
    from workloadmap_spec.canonical import to_yaml  # noqa: PLC0415 - for this form only

    name = mapping_name(kind)
    body = {
        "apiVersion": API_VERSION,
        "kind": "ConformanceCase",
        "id": f"{name}/first",
        "title": f"a small {kind}",
        "object": made,
        "expect": {"outcome": "ok", "document": document},
    }
    head = (
        f"# A first case for the mapping {name}: what the scaffold reads today. Derive the map from the rules of\n"
        "# the controller, and correct the mapping where it differs.\n"
    )
    return head + to_yaml(body)

"""What editors make of a mapping: each begins with the schema it is of, and the schema explains every member."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.canonical import digest
from workloadmap_spec.documents import load_text
from workloadmap_spec.files import mappings_root, schema_path

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
SCHEMA = schema_path("workload-mapping.schema.json")
DOCUMENT = json.loads(SCHEMA.read_bytes())
MAPPINGS = {path.relative_to(mappings_root()).as_posix(): path for path in sorted(mappings_root().rglob("*.yaml"))}

_LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)")


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_mapping_begins_with_its_schema(name: str) -> None:
    """Its path is right from where the mapping lies, and is no more than a comment."""
    path = MAPPINGS[name]
    text = path.read_text(encoding="utf-8")
    line, _, rest = text.partition("\n")
    found = _LINE.fullmatch(line)
    assert found, line
    assert (path.parent / found[1]).resolve() == SCHEMA.resolve()
    assert digest(load_text(text)[0].value) == digest(load_text(rest)[0].value)


def test_the_path_to_the_schema_is_right_in_a_wheel_too() -> None:
    """There, the folders of mappings and schemas lie beside each other as here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sources = {
        name: Path(path) for name, path in project["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"].items()
    }
    assert sources["schema"] == sources["mappings"].parent / "schema"


def schemas(schema: object, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and all schemas in it, with their places."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for keyword in ("$defs", "properties", "patternProperties"):
        for name, part in schema.get(keyword, {}).items():
            yield from schemas(part, f"{at}/{keyword}/{name}")
    for keyword in ("allOf", "anyOf", "oneOf"):
        for index, part in enumerate(schema.get(keyword, ())):
            yield from schemas(part, f"{at}/{keyword}/{index}")
    for keyword in ("additionalProperties", "propertyNames", "items", "if", "then", "not"):
        yield from schemas(schema.get(keyword), f"{at}/{keyword}")


ALL = list(schemas(DOCUMENT))


def described(schema: dict[str, Any]) -> str:
    """What a schema, or the one it refers to, says about itself."""
    while "description" not in schema and "$ref" in schema:
        schema = DOCUMENT["$defs"][schema["$ref"].rpartition("/")[2]]
    text: str = schema.get("description", "")
    return text


def test_every_member_says_what_it_is() -> None:
    silent = [
        f"{at}/properties/{name}"
        for at, schema in ALL
        for name, member in schema.get("properties", {}).items()
        if not described(member)
    ]
    assert silent == []


def test_a_member_that_is_like_another_says_more_than_what_it_is_like() -> None:
    """That something is a value or a condition does not say what it is for."""
    general = {
        f"#/$defs/{name}" for name in ("value", "condition", "place", "name", "identifier", "literal", "layered")
    }
    bare = [
        f"{at}/properties/{name}"
        for at, schema in ALL
        for name, member in schema.get("properties", {}).items()
        if member.get("$ref") in general and "description" not in member
    ]
    assert bare == []


def test_descriptions_are_sentences() -> None:
    texts = [schema["description"] for _, schema in ALL if "description" in schema]
    assert [text for text in texts if not re.fullmatch(r"[A-Z`].*\.", text, re.DOTALL)] == []


def test_every_reference_leads_to_a_definition_beside_it() -> None:
    """So that an editor needs the one file, and no network."""
    references = [schema["$ref"] for _, schema in ALL if "$ref" in schema]
    assert references
    assert {ref for ref in references if ref.removeprefix("#/$defs/") not in DOCUMENT["$defs"]} == set()


def test_the_schema_has_only_words_that_editors_know() -> None:
    """All of draft 7 but `$defs` and `dependentRequired`, which were called otherwise there and which editors know."""
    known = {
        *("$schema", "$id", "$ref", "$defs", "title", "description", "type", "const", "enum", "not", "if", "then"),
        *("properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependentRequired"),
        *("minProperties", "maxProperties", "items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
        *("pattern", "minimum", "maximum", "allOf", "anyOf", "oneOf"),
    }
    assert {word for _, schema in ALL for word in schema} - known == set()

"""The beginning of a mapping for a kind that nobody has described yet, guessed from its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workloadmap_spec.mapping import api_version_of
from workloadmap_spec.scaffold.example import case_text, example_object
from workloadmap_spec.scaffold.guess import guess
from workloadmap_spec.scaffold.write import mapping_name, mapping_text

if TYPE_CHECKING:
    from workloadmap_spec.crd.shapes import Shape

__all__ = ["Scaffold", "mapping_name", "scaffold"]


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The texts of a mapping and of its first case, as YAML."""

    mapping: str
    case: str


def scaffold(group: str, version: str, kind: str, root: Shape) -> Scaffold:
    """Make a mapping and a case for a kind from its schema.

    The mapping keeps the schema of mappings, and every expression in it the schema of the kind. What is guessed is
    marked with a comment.

    Args:
        group: the API group, empty for the core group.
        version: the version whose schema is given.
        kind: the kind.
        root: its schema, as `workloadmap_spec.crd.Kinds.root` gives it.
    """
    from workloadmap_spec.catalog import Catalog  # noqa: PLC0415 - it loads the reader
    from workloadmap_spec.documents import load_text  # noqa: PLC0415 - as above

    found = guess(root)
    text = mapping_text(group, version, kind, found)
    made = example_object(api_version_of(group, version), kind, root, found)
    (mapping,) = load_text(text, "the scaffold")
    document = Catalog([]).with_documents([mapping.value]).read(made).to_dict()
    # Its digest is left out: it changes with every correction.
    document["mapping"] = {"name": mapping_name(kind)}
    return Scaffold(text, case_text(kind, made, document))

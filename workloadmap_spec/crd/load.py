"""The schemas of kinds: from files of CustomResourceDefinitions, and from the table of built-in types."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import core_types
from workloadmap_spec.crd.expressions import names_cure
from workloadmap_spec.crd.shapes import Shape, object_of_schema, object_of_type, workload
from workloadmap_spec.documents import SUFFIXES, files_below, read_file
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.mapping import api_version_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_CRD: Final = "CustomResourceDefinition"
_GROUP: Final = "apiextensions.k8s.io/"


@dataclass(frozen=True, slots=True)
class Definition:
    """A CustomResourceDefinition: its schemas by version, None where a version has none and anything is allowed."""

    group: str
    kind: str
    file: str
    versions: Mapping[str, Mapping[str, Any] | None]
    #: The version that objects are kept in.
    stored: str
    #: The versions whose status is a subresource, so that writing the object leaves it as it is.
    with_status: frozenset[str] = frozenset()


def _together(earlier: Definition, later: Definition) -> Definition:
    """Two definitions of a kind: frameworks that follow each other may each define other versions of it."""
    kept = earlier.versions.keys() - later.versions.keys()
    return replace(
        later,
        file=f"{earlier.file} and {later.file}" if kept else later.file,
        versions={**earlier.versions, **later.versions},
        with_status=(earlier.with_status & kept) | later.with_status,
    )


class Kinds:
    """The kinds whose schemas are known: those of some CustomResourceDefinitions, and the built-in ones."""

    def __init__(self, definitions: Iterable[Definition] = ()) -> None:
        """Keep the definitions; of two of one kind and version the later counts."""
        self.definitions: dict[tuple[str, str], Definition] = {}
        for one in definitions:
            key = (one.group, one.kind)
            self.definitions[key] = _together(self.definitions[key], one) if key in self.definitions else one
        self._given: dict[tuple[str, str, str], Shape | None] = {}

    def definition(self, group: str, kind: str) -> Definition | None:
        """The CustomResourceDefinition of a kind."""
        return self.definitions.get((group, kind))

    def root(self, group: str, version: str, kind: str, claimed: Collection[str] = ()) -> Shape | None:
        """A workload of a kind, of one of the versions that a mapping claims; None if nothing is known of it."""
        given = self.given(group, version, kind)
        versions = tuple(api_version_of(group, one) for one in claimed or (version,))
        return None if given is None else workload(given, versions, kind)

    def given(self, group: str, version: str, kind: str) -> Shape | None:
        """An object of a kind as it is given; None if nothing is known of it."""
        key = (group, version, kind)
        if key not in self._given:
            self._given[key] = self._made(*key)
        return self._given[key]

    def _made(self, group: str, version: str, kind: str) -> Shape | None:
        """The same, made."""
        definition = self.definition(group, kind)
        if definition is not None:
            if version not in definition.versions:
                return None
            return object_of_schema(definition.versions[version], definition.file)
        name = core_types.kind_type(api_version_of(group, version), kind)
        return None if name is None else object_of_type(name)

    def mistake(self, group: str, version: str, kind: str) -> tuple[str, str, str] | None:
        """What is wrong with the name of a kind that nothing is known of.

        That is the part that is wrong (`group`, `version` or `kind`), what is wrong with it, and what to do about it;
        None if it may be right: of a group not all kinds need be given, and the built-in table has not all either.
        """
        definition = self.definition(group, kind)
        if definition is not None:
            message = f"the CustomResourceDefinition of {kind} has no version {version}"
            cure = f"{names_cure(version, definition.versions, 'versions')}; it is in {definition.file}"
            return "version", message, cure
        versions = core_types.versions_of(group, kind)
        if versions and _STABLE.fullmatch(version):
            message = f"Kubernetes has no {kind} of {api_version_of(group, version)}"
            return "version", message, f"write {' or '.join(api_version_of(group, one) for one in versions)}"
        kinds = {one.kind for one in self.definitions.values() if one.group == group} | core_types.kinds_of(group)
        similar = next((one for one in sorted(kinds) if _is_misspelled(kind, one)), None)
        if similar is not None and kind not in kinds:
            message = f"{group or 'the core group'} has no kind {kind}"
            return "kind", message, f"did you mean {similar}?"
        if group and "." not in group and not core_types.kinds_of(group):
            # Groups without a dot are reserved for Kubernetes itself.
            return "group", f"Kubernetes has no group {group}", _right_group(kind)
        return None


#: A version that stays, unlike alpha and beta ones, of which the built-in table has those of one release.
_STABLE: Final = re.compile(r"v[0-9]+")
#: A name of so many letters may have two mistakes, a shorter one has one: MXJob and MPIJob are two kinds.
_LONG: Final = 8


def _is_misspelled(name: str, other: str) -> bool:
    """Whether a name is another one with a mistake or two.

    That is stricter than what cures go by: kinds of one group have names that are alike, PodClique and PodCliqueSet.
    """
    return _distance(name.lower(), other.lower()) <= (1 if len(other) < _LONG else 2)


def _distance(one: str, other: str) -> int:
    """How many letters are to be added, left out, replaced or swapped with the next to get from a text to another."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        older, before, row = before, row, [i + 1]
        for j, wanted in enumerate(other):
            least = min(before[j] + (letter != wanted), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == other[j - 1] and one[i - 1] == wanted:
                least = min(least, older[j - 1] + 1)
            row.append(least)
    return row[-1]


def _right_group(kind: str) -> str:
    """What to do about a group that Kubernetes has not."""
    found = core_types.api_versions_of(kind)
    return f"did you mean {' or '.join(found)}?" if found else "write the group with its domain"


def load_kinds(paths: Iterable[str | Path], wanted: Collection[tuple[str, str]] | None = None) -> Kinds:
    """Read CustomResourceDefinitions from files of YAML or JSON, and from all such files below folders.

    They may stand in a `List`; other objects are left out. With `wanted`, pairs of group and kind, only the files in
    whose text one of these kinds is named are read, which takes a tenth of the time. If one is not found, what else its
    group has is read too: it may be misspelled.

    Raises:
        InputError: A path does not exist, cannot be read or is not YAML, or a file that is named has no
            CustomResourceDefinition.
    """
    folders = list(map(Path, paths))
    if wanted is None:
        return Kinds(_definitions_below(folders, None))
    found = Kinds(_definitions_below(folders, _mentions(wanted)))
    missing = {group for group, kind in wanted if found.definition(group, kind) is None and "." in group}
    if not missing:
        return found
    others = _definitions_below(folders, (_member_pattern("group", missing),))
    return Kinds([*others, *found.definitions.values()])


def _definitions_below(paths: Iterable[Path], wanted: tuple[re.Pattern[str], ...] | None) -> list[Definition]:
    """The definitions in files, and in all files below folders."""
    found: list[Definition] = []
    for path in paths:
        files = sorted(files_below(path, SUFFIXES)) if path.is_dir() else [path]
        read = [_definitions(file, wanted) for file in files]
        if all(definitions is None for definitions in read):
            message = f"there is no {_CRD} in this {'folder' if path.is_dir() else 'file'}"
            cure = (
                "name what is given to kubectl to install the kind, and put `--` between it and what is to be checked"
            )
            raise InputError(message, Location(str(path)), cure)
        found += [definition for definitions in read for definition in definitions or ()]
    return found


def _mentions(wanted: Collection[tuple[str, str]]) -> tuple[re.Pattern[str], ...]:
    """What the text of a file has that defines one of some kinds: its name and its group."""
    kinds = _member_pattern("kind", (kind for _, kind in wanted))
    return kinds, _member_pattern("group", (group for group, _ in wanted))


def _member_pattern(name: str, values: Iterable[str]) -> re.Pattern[str]:
    """What the text of a file has in which a member is one of some values, as YAML or JSON."""
    either = "|".join(re.escape(value) for value in sorted(set(values)))
    anchor = r"(?:[&!]\S*\s+)*"
    return re.compile(rf"""\b{name}["']?\s*:\s*{anchor}["']?(?:{either})["']?\s*(?:[,}}#]|$)""", re.MULTILINE)


def _definitions(file: Path, wanted: tuple[re.Pattern[str], ...] | None) -> list[Definition] | None:
    """The definitions in a file, of wanted kinds at least; None if there are none whatever is wanted."""
    if not file.exists():
        raise InputError("there is no such file or folder", Location(str(file)), "check the path")
    try:
        text = read_file(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8 text", Location(str(file)), "save it as UTF-8") from error
    if _CRD not in text:
        return None
    if wanted is not None and not all(pattern.search(text) for pattern in wanted):
        return []
    return [
        definition
        for document in _documents(text, file)
        for one in _items(document)
        if (definition := _definition(one, file)) is not None
    ]


def _documents(text: str, file: Path) -> list[Any]:
    """The documents of a file.

    Raises:
        InputError: It is not YAML.
    """
    from yaml import YAMLError  # noqa: PLC0415 - only those who have definitions pay for it

    from workloadmap_spec.crd.objects import objects  # noqa: PLC0415 - as above

    try:
        return objects(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Location(str(file)) if mark is None else Location(str(file), mark.line + 1, mark.column + 1)
        problem = getattr(error, "problem", None) or str(error)
        cure = "render the template first (`helm template`) if this is one" if "{{" in text else "correct the text here"
        raise InputError(f"not YAML: {problem}", place, cure) from error


def _items(document: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """The objects of a document, those of a List one by one, and each list that aliases repeat once."""
    found: list[Any] = []
    seen: set[int] = set()
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict) or not isinstance(one.get("items"), list):
            found.append(one)
        elif id(one) not in seen:
            seen.add(id(one))
            waiting += reversed(one["items"])
    return found


def _definition(document: Any, file: Path) -> Definition | None:  # noqa: ANN401 - JSON
    """The definition that an object is, or None.

    `apiextensions.k8s.io/v1` has a schema in each version, `v1beta1` may have one for all of them.

    Raises:
        InputError: It lacks what every definition has.
    """
    if not isinstance(document, dict) or document.get("kind") != _CRD:
        return None
    if not str(document.get("apiVersion", "")).startswith(_GROUP):
        return None
    try:
        spec = _member(document, "spec")
        common = _member(spec, "validation").get("openAPIV3Schema")
        subresources = _member(spec, "subresources")
        written = spec.get("versions") or [{"name": spec.get("version"), "storage": True}]
        versions = {_text(version, "name"): version for version in written}
        return Definition(
            _text(spec, "group"),
            _text(_member(spec, "names"), "kind"),
            str(file),
            {name: _member(one, "schema").get("openAPIV3Schema", common) for name, one in versions.items()},
            next((name for name, one in versions.items() if one.get("storage")), list(versions)[-1]),
            frozenset(
                name for name, one in versions.items() if "status" in (_member(one, "subresources") or subresources)
            ),
        )
    except (TypeError, AttributeError) as error:
        name = document["metadata"].get("name") if isinstance(document.get("metadata"), dict) else None
        message = f"the {_CRD} {name or 'without a name'} lacks its group, kind or versions, or they are malformed"
        raise InputError(message, Location(str(file)), "take the definition from the framework's release") from error


def _member(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A map in a map, which is empty where it is left out or null.

    Raises:
        TypeError: It is something else.
    """
    value = holder.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(name)
    return value


def _text(holder: Mapping[str, Any], name: str) -> str:
    """A text in a map.

    Raises:
        TypeError: It is something else, or empty.
    """
    value = holder.get(name)
    if not isinstance(value, str) or not value:
        raise TypeError(name)
    return value

"""The catalogue: which mapping reads an object, and reading with it.

Shipped mappings are found by the path of their file, `mappings/<group>/<kind>.yaml`, so that a read loads one file;
the group of core kinds is `core` there. A catalogue never changes, but for what it has loaded so far, and may be
shared between threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.documents import Document, load_all, normalize
from workloadmap_spec.errors import (
    AmbiguousMappingError,
    InputError,
    Location,
    MappingError,
    MappingSchemaError,
    MappingSyntaxError,
    NoMappingError,
    WorkloadMapError,
)
from workloadmap_spec.field_compiler import native_engine
from workloadmap_spec.files import mappings_root
from workloadmap_spec.limits import MAX_MAPPING_BYTES
from workloadmap_spec.pods import namespace_of, pod_key
from workloadmap_spec.read import WorkloadMap, check_workload, pod_selectors, read, read_parts
from workloadmap_spec.values import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from workloadmap_spec.field_compiler import Engine, Observer
    from workloadmap_spec.mapping import CompiledMapping
    from workloadmap_spec.pods import LabelSelector
    from workloadmap_spec.schedulers.model import Options
    from workloadmap_spec.schedulers.render import Rendered
    from workloadmap_spec.writing.update import Change

_CORE: Final = "core"


@dataclass(frozen=True, slots=True)
class Source:
    """One source of mappings: those of a folder, found by path, or those that were loaded."""

    name: str
    #: Gives the mappings for a group and kind.
    find: Callable[[str, str], Sequence[CompiledMapping]]
    #: Gives all mappings, in order.
    all: Callable[[], Sequence[CompiledMapping]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that gave no map, and why."""

    document: Document
    error: WorkloadMapError


@dataclass(slots=True)
class Reading:
    """What `read_all` gives: the maps by document, the documents without one, and the pods that no workload selects."""

    maps: list[tuple[Document, WorkloadMap]] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unclaimed: list[Document] = field(default_factory=list)
    #: Documents that nobody reads and that a workload refers to.
    referenced: list[Document] = field(default_factory=list)
    #: Whether pods were given, so that one that is not among them does not exist.
    pods_given: bool = False
    #: The documents, by `id`, of workloads that say which pods are their own; of others none is no answer.
    selecting: set[int] = field(default_factory=set)


class Catalog:
    """Mappings by group, version and kind; a later source replaces an earlier one (S4.2)."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """Keep the sources, the last of them first in line."""
        self._sources = tuple(reversed(sources))

    @classmethod
    def builtin(cls, observe: Callable[[Document], Observer] | None = None) -> Catalog:
        """The mappings that come with this package; with `observe`, a catalogue of its own that is looked at."""
        return _builtin() if observe is None else _shipped(observe)

    @classmethod
    def load(cls, paths: Iterable[str | Path]) -> Catalog:
        """The mappings in files and folders, and no others.

        Raises:
            MappingError: a mapping cannot be used; the location names file, line and column.

        """
        return cls([load_source(paths)])

    def with_mappings(
        self, paths: Iterable[str | Path], observe: Callable[[Document], Observer] | None = None
    ) -> Catalog:
        """This catalogue, with the mappings in files and folders before its own.

        Args:
            paths: files and folders.
            observe: gives, for the document of each mapping, who looks on when it is used.

        Raises:
            MappingError, InputError: a mapping cannot be used, or a path does not exist.

        """
        return Catalog([*reversed(self._sources), load_source(paths, observe)])

    def with_documents(self, documents: Iterable[Mapping[str, Any]], engine: Engine = native_engine) -> Catalog:
        """This catalogue, with mappings given as plain data before its own.

        Raises:
            MappingError: a mapping cannot be used.

        """
        mappings = [load_mapping(document, engine=engine) for document in documents]
        return Catalog([*reversed(self._sources), _loaded("documents", mappings)])

    def mappings(self) -> list[CompiledMapping]:
        """Every mapping that can be found, by group, kind and version; replaced ones are left out."""
        found: dict[tuple[str, str, str], CompiledMapping] = {}
        for source in self._sources:
            own = [
                ((mapping.group, mapping.kind, version), mapping)
                for mapping in source.all()
                for version in mapping.versions
            ]
            for key, mapping in own:
                found.setdefault(key, mapping)
        unique = {id(mapping): mapping for mapping in found.values()}
        return sorted(unique.values(), key=lambda mapping: (mapping.group, mapping.kind, mapping.name))

    def find(self, api_version: str, kind: str) -> CompiledMapping:
        """The mapping for an `apiVersion` and kind.

        Raises:
            NoMappingError: none fits; the text names the versions that would.
            AmbiguousMappingError: two of one source fit.

        """
        group, _, version = api_version.rpartition("/")
        others: list[str] = []
        for source in self._sources:
            candidates = source.find(group, kind)
            fitting = [mapping for mapping in candidates if version in mapping.versions]
            if len(fitting) > 1:
                names = " and ".join(mapping.name for mapping in fitting)
                message = f"two mappings of {source.name} fit {kind} of {api_version}: {names}"
                raise AmbiguousMappingError(message, cure="give one of them other versions, or leave it out")
            if fitting:
                return fitting[0]
            others += [known for mapping in candidates for known in mapping.versions]
        message = f"no mapping fits {kind} of {api_version}"
        if others:
            raise NoMappingError(message, cure=f"mappings exist for the versions {', '.join(dict.fromkeys(others))}")
        raise NoMappingError(message, cure="`workloadmap mappings list` shows the kinds; give your own with -m PATH")

    def read(
        self,
        workload: object,
        pods: Iterable[Mapping[str, Any]] | None = None,
        references: Iterable[Mapping[str, Any]] | None = None,
        *,
        strict: bool = False,
    ) -> WorkloadMap:
        """Read one workload.

        Args:
            workload: the object, as it comes from JSON or YAML.
            pods: pods of it or of others; those that its mapping does not select are left aside.
            references: objects that it refers to, and others; `wanted` of the map says which are missing.
            strict: raise the first diagnostic of severity error.

        Raises:
            InputError: the object, a pod or a reference violates the data rules.
            NoMappingError, AmbiguousMappingError: see `find`.
            WorkloadMapError: with `strict`, that of the diagnostic.

        """
        checked = check_workload(normalize(workload))
        mapping = self.find(checked["apiVersion"], checked["kind"])
        own = None if pods is None else [check_part(pod, "a pod") for pod in pods]
        session = self._session(references)
        return read(mapping, checked, own, session=session, strict=strict)

    def required_references(self, workload: object, given: Iterable[Mapping[str, Any]] = ()) -> list[Mapping[str, Any]]:
        """The objects that a workload refers to and that are not among the given ones (S19.6).

        Ask again with what was found: an object may lead to others. Each entry has `name` (the reference's),
        `apiVersion`, `kind`, and `namespace`, `resourceName` or `selector` where they are known.

        Raises:
            InputError, NoMappingError, AmbiguousMappingError: as for `read`.

        """
        return list(self.read(workload, references=list(given) or None).wanted)

    def update(self, workload: object, intent: object, references: Iterable[Mapping[str, Any]] | None = None) -> Change:
        """Change a workload: scale it, suspend or resume it, or set a field of its pod templates (S20).

        Args:
            workload: the object, as it comes from JSON or YAML; it stays as it is.
            intent: what is asked, such as `{"op": "scale", "component": "worker", "replicas": 4}`.
            references: objects that it refers to.

        Raises:
            UpdateUnsupportedError: the mapping knows no place to write.
            UpdateInvalidError: the workload does not allow it, or it would not read as asked.
            InputError, NoMappingError, AmbiguousMappingError: as for `read`.

        """
        from workloadmap_spec.writing.update import update  # noqa: PLC0415 - most only read

        return update(self, workload, intent, _checked(references))

    def gang(
        self,
        workload: object,
        scheduler: str,
        options: Options | None = None,
        references: Iterable[Mapping[str, Any]] | None = None,
    ) -> Rendered:
        """The pod groups of a workload in the form that a scheduler takes, and how pods are bound to them.

        Args:
            workload: the object, as it comes from JSON or YAML.
            scheduler: one of `schedulers.render.FORMATS`: kai, volcano, coscheduling, yunikorn, kueue, native.
            options: queue, priority class and more that is asked for.
            references: objects that it refers to.

        Raises:
            KeyError: there is no such scheduler.
            InputError, NoMappingError, AmbiguousMappingError: as for `read`; also a workload without a name.

        """
        from workloadmap_spec.schedulers.model import Options  # noqa: PLC0415 - most only read
        from workloadmap_spec.schedulers.render import render  # noqa: PLC0415

        checked = check_workload(normalize(workload))
        mapping = self.find(checked["apiVersion"], checked["kind"])
        return render(read_parts(mapping, checked, self._session(references)), scheduler, options or Options())

    def _session(self, references: Iterable[Mapping[str, Any]] | None) -> Session:
        """A session that finds embedded kinds here, with the references that are given."""
        return Session(Diagnostics(), self.find, _checked(references))

    def pod_selectors(self, workload: object, references: Iterable[Mapping[str, Any]] | None = None) -> list[str]:
        """The label selectors of a workload's pods, each as a LIST call takes it; a pod may match any of them."""
        checked = check_workload(normalize(workload))
        mapping = self.find(checked["apiVersion"], checked["kind"])
        selectors = pod_selectors(mapping, checked, self._session(references))
        return [",".join(map(str, selector)) for selector in selectors]

    def read_all(self, documents: Iterable[Document], *, strict: bool = False, all_pods: bool = False) -> Reading:
        """Read every workload of an input; the pods and the referenced objects in it are used.

        With `all_pods` the input has all pods that exist, be it none; otherwise none means that they are not known.

        A pod that a workload selects is not read as a workload of its own. Pods that none selects are, and are listed
        in `unclaimed`. If the input has no pods, the maps have none. An object that nobody reads is no fault if a
        workload refers to it.
        """
        reading = Reading()
        pods, workloads = _sorted_out(documents, reading)
        reading.pods_given = all_pods or bool(pods)
        index = _PodIndex([document.value for document in pods])
        given = tuple(checked for _document, checked in workloads)
        used: set[int] = set()
        unread: list[tuple[Unread, int]] = []
        for document, checked in workloads:
            session = Session(Diagnostics(), self.find, given)
            try:
                mapping = self.find(checked["apiVersion"], checked["kind"])
                own = None
                if reading.pods_given:
                    selectors = pod_selectors(mapping, checked, Session(Diagnostics(), self.find, given))
                    own = index.select(checked, selectors)
                    if selectors:
                        reading.selecting.add(id(document))
                reading.maps.append((document, read(mapping, checked, own, session=session, strict=strict)))
            except WorkloadMapError as error:
                unread.append((Unread(document, _at_document(error, document)), id(checked)))
            used |= session.used
        for entry, identity in unread:
            if identity in used and isinstance(entry.error, NoMappingError):
                reading.referenced.append(entry.document)
            else:
                reading.unread.append(entry)
        for document in pods:
            if not index.is_claimed(document.value):
                reading.unclaimed.append(document)
                try:
                    reading.maps.append((document, self.read(document.value, strict=strict)))
                except WorkloadMapError as error:
                    reading.unread.append(Unread(document, _at_document(error, document)))
        return reading


def _sorted_out(
    documents: Iterable[Document], reading: Reading
) -> tuple[list[Document], list[tuple[Document, dict[str, Any]]]]:
    """The pods of an input, and its other objects as they were checked; what is no object is noted."""
    pods: list[Document] = []
    workloads: list[tuple[Document, dict[str, Any]]] = []
    for document in documents:
        try:
            checked = check_workload(document.value)
        except WorkloadMapError as error:
            reading.unread.append(Unread(document, _at_document(error, document)))
            continue
        if checked["kind"] == "Pod" and checked["apiVersion"] == "v1":
            pods.append(document)
        else:
            workloads.append((document, checked))
    return pods, workloads


class _PodIndex:
    """Pods by namespace and label, so that many workloads find theirs without trying all; knows which were found."""

    def __init__(self, pods: Sequence[Mapping[str, Any]]) -> None:
        """Index the pods."""
        self._claimed: set[int] = set()
        self._by_label: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
        self._by_namespace: dict[str, list[Mapping[str, Any]]] = {}
        for pod in sorted(pods, key=pod_key):
            metadata = pod.get("metadata", {})
            namespace = namespace_of(metadata)
            self._by_namespace.setdefault(namespace, []).append(pod)
            labels = metadata.get("labels")
            for label, value in labels.items() if isinstance(labels, dict) else ():
                if isinstance(value, str):
                    self._by_label.setdefault((namespace, label, value), []).append(pod)

    def select(self, workload: Mapping[str, Any], selectors: Sequence[LabelSelector]) -> list[Mapping[str, Any]]:
        """The pods that one of the selectors matches."""
        namespace = namespace_of(workload.get("metadata", {}))
        found: dict[int, Mapping[str, Any]] = {}
        for selector in selectors:
            candidates = self._by_namespace.get(namespace, [])
            for requirement in selector:
                if requirement.operator == "In" and requirement.values is not None and len(requirement.values) == 1:
                    (value,) = requirement.values
                    candidates = self._by_label.get((namespace, requirement.key, value), [])
                    break
            for pod in candidates:
                labels = pod.get("metadata", {}).get("labels")
                if all(requirement.holds(labels if isinstance(labels, dict) else {}) for requirement in selector):
                    found[id(pod)] = pod
        self._claimed |= found.keys()
        return list(found.values())

    def is_claimed(self, pod: object) -> bool:
        """Whether a workload has selected the pod."""
        return id(pod) in self._claimed


def _at_document(error: WorkloadMapError, document: Document) -> WorkloadMapError:
    """The error, with the place of the document."""
    if error.location.source is None:
        error.located(document.location(error.location.pointer or ""))
    return error


def check_part(part: object, what: str) -> dict[str, Any]:
    """A pod or a reference: a map whose `metadata` is a map, after the data rules.

    Raises:
        InputError: it is not.

    """
    checked = normalize(part)
    if not isinstance(checked, dict) or not isinstance(checked.get("metadata", {}), dict):
        raise InputError(f"{what} is a map with a map `metadata`", Location(pointer=""))
    for name in ("name", "namespace"):
        if not isinstance(checked.get("metadata", {}).get(name, ""), str):
            raise InputError(f"`metadata.{name}` of {what} must be a string", Location(pointer=f"/metadata/{name}"))
    return checked


def _checked(references: Iterable[Mapping[str, Any]] | None) -> tuple[dict[str, Any], ...] | None:
    """References after the data rules, if any are given."""
    return None if references is None else tuple(check_part(entry, "a reference") for entry in references)


@cache
def _builtin() -> Catalog:
    """The shipped mappings; one catalogue for the process."""
    return _shipped(None)


def _shipped(observe: Callable[[Document], Observer] | None) -> Catalog:
    """A catalogue of the shipped mappings."""
    root = mappings_root()
    loaded: dict[Path, CompiledMapping] = {}
    found: dict[tuple[str, str], list[CompiledMapping]] = {}

    def load(path: Path) -> CompiledMapping:
        if path not in loaded:
            loaded[path] = _load_shipped(path, observe)
        return loaded[path]

    def find(group: str, kind: str) -> list[CompiledMapping]:
        if (group, kind) in found:
            return found[group, kind]
        name = kind.lower()
        folder = root / (group or _CORE)
        # Longer names are none that an API server knows, and some file systems fail at them.
        if len(name) > 63 or len(group) > 253 or not name.isalnum() or not name.isascii():  # noqa: PLR2004 - DNS
            return []
        if "/" in group or group.startswith("."):
            return []
        paths = sorted(path for path in folder.glob(f"{name}*.yaml") if path.stem.split("-")[0] == name)
        # Only what exists is kept: the kinds of an input may be without number.
        fitting = [mapping for mapping in map(load, paths) if mapping.kind == kind and mapping.group == group]
        if fitting:
            found[group, kind] = fitting
        return fitting

    def everything() -> list[CompiledMapping]:
        return [load(path) for path in sorted(root.glob("*/*.yaml"))]

    return Catalog([Source("the shipped mappings", find, everything)])


def _load_shipped(path: Path, observe: Callable[[Document], Observer] | None) -> CompiledMapping:
    """A shipped mapping: it fits the schema, as our tests have shown, so only its expressions are compiled."""
    documents, errors = load_all(path.read_text(encoding="utf-8"), path.name if observe is None else str(path))
    if errors or len(documents) != 1:  # pragma: no cover - tests load every shipped mapping
        message = f"the shipped mapping {path.name} is damaged: install the package again"
        raise MappingSyntaxError(message)
    document = documents[0]
    observer = None if observe is None else observe(document)
    return compile_mapping(document.value, document.location, observer=observer)


def _loaded(name: str, mappings: Sequence[CompiledMapping]) -> Source:
    """A source of mappings that are loaded already."""
    table: dict[tuple[str, str], list[CompiledMapping]] = {}
    for mapping in mappings:
        table.setdefault((mapping.group, mapping.kind), []).append(mapping)
    return Source(name, lambda group, kind: table.get((group, kind), []), lambda: mappings)


def mapping_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files that paths name: a file itself, the YAML and JSON files below a folder, cases left out.

    Raises:
        InputError: a path does not exist.

    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            files = [file for file in path.rglob("*") if file.suffix in (".yaml", ".yml", ".json") and file.is_file()]
            found += sorted(file for file in files if not file.stem.endswith(".case"))
        elif path.exists():
            found.append(path)
        else:
            raise InputError("there is no such file or folder", Location(str(path)))
    return found


def load_source(
    paths: str | Path | Iterable[str | Path], observe: Callable[[Document], Observer] | None = None
) -> Source:
    """The mappings in files and folders; `observe` gives who looks on when the mapping of a document is used.

    Raises:
        MappingError, InputError: the first thing wrong; `others` on it holds the rest.

    """
    mappings: list[CompiledMapping] = []
    problems: list[MappingError] = []
    names = [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    for path in mapping_files(names):
        for document in load_mapping_documents(path.read_bytes(), str(path), problems):
            try:
                observer = None if observe is None else observe(document)
                mappings.append(load_mapping(document.value, document.location, observer=observer))
            except MappingError as error:
                problems += [error, *error.others]
    if problems:
        problems[0].others = tuple(problems[1:])
        raise problems[0]
    return _loaded(", ".join(names), mappings)


def load_mapping_documents(text: bytes, source: str, problems: list[MappingError]) -> list[Document]:
    """The documents of a mapping file; what is wrong with its syntax is added to `problems`."""
    if len(text) > MAX_MAPPING_BYTES:
        message = f"a mapping has at most {MAX_MAPPING_BYTES} bytes, and this has {len(text)}"
        problems.append(MappingSchemaError(message, Location(source)))
        return []
    documents, errors = load_all(text, source)
    problems += [MappingSyntaxError(error.message, error.location, error.cure) for error in errors]
    return documents


def load_mapping(
    document: object,
    locate: Callable[[str], Location] | None = None,
    engine: Engine = native_engine,
    observer: Observer | None = None,
) -> CompiledMapping:
    """Check a mapping against the schema and compile it.

    Raises:
        MappingError: it cannot be used; `others` on it holds what else is wrong.

    """
    from workloadmap_spec.schemas import mapping_problems  # noqa: PLC0415 - the validator is slow to import

    try:
        document = normalize(document)
    except InputError as error:
        raise MappingSyntaxError(error.message, error.location, error.cure) from error
    problems = mapping_problems(document)
    if problems:
        for problem in problems:
            if locate is not None:
                problem.located(locate(problem.location.pointer or ""))
        problems[0].others = tuple(problems[1:])
        raise problems[0]
    return compile_mapping(document, locate, engine, observer)  # type: ignore[arg-type]

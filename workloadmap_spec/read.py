"""Reading: a compiled mapping and an object, and pods if there are any, make a map (clause S13)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec import resources
from workloadmap_spec.cel import MAX_READ_STEPS
from workloadmap_spec.components import (
    ERROR,
    Instance,
    Tree,
    evaluate_prelude,
    first_env,
    note_incomplete,
    product,
    read_components,
)
from workloadmap_spec.diagnostics import Diagnostics
from workloadmap_spec.errors import InputError, Location
from workloadmap_spec.gang import GroupIndex, read_gang
from workloadmap_spec.limits import MAX_COUNT
from workloadmap_spec.pods import (
    LabelSelector,
    matches,
    namespace_of,
    place_pods,
    pod_document,
    read_selectors,
    tree_selectors,
)
from workloadmap_spec.status import read_status, read_suspended
from workloadmap_spec.values import FailedError, Scope, Session, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workloadmap_spec.gang import Group
    from workloadmap_spec.mapping import CompiledMapping
    from workloadmap_spec.pods import Placed
    from workloadmap_spec.resources import PodResources

API_VERSION: Final = "workloadmap.dev/v1alpha1"


@dataclass(frozen=True, slots=True)
class WorkloadMap:
    """A map: one description of a workload's tree. `to_dict` gives the document; treat it as read-only."""

    document: Mapping[str, Any]
    #: The references that were wanted and not given: `name`, `apiVersion`, `kind`, and `namespace`, `resourceName` or
    #: `selector`.
    wanted: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The `WorkloadMap` document as plain data."""
        return dict(self.document)

    def to_json(self) -> str:
        """The document in canonical form (RFC 8785): equal maps give equal bytes."""
        from workloadmap_spec.canonical import dumps  # noqa: PLC0415 - not every caller writes

        return dumps(self.document)

    @property
    def errors(self) -> list[Mapping[str, Any]]:
        """The diagnostics of severity error."""
        return [entry for entry in self.document.get("diagnostics", ()) if entry["severity"] == "error"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a map is made of, before pods and diagnostics are put into it."""

    mapping: CompiledMapping
    scope: Scope
    tree: Tree
    groups: list[Group]
    document: dict[str, Any]


def check_workload(workload: object) -> dict[str, Any]:
    """A workload that fits S2.8 and S2.9, after the data rules.

    Raises:
        InputError: it does not; the location holds the JSON Pointer.

    """
    if not isinstance(workload, dict):
        raise InputError(f"a workload is a map, and {describe(workload)} was found", Location(pointer=""))
    for name in ("apiVersion", "kind"):
        value = workload.get(name)
        if not isinstance(value, str) or not value:
            found = describe(value) if name in workload else "nothing"
            message = f"a workload needs a string `{name}`, and {found} was found"
            raise InputError(message, Location(pointer=f"/{name}" if name in workload else ""))
    for name in ("metadata", "spec", "status"):
        if name in workload and not isinstance(workload[name], dict):
            message = f"`{name}` must be a map, and {describe(workload[name])} was found"
            raise InputError(message, Location(pointer=f"/{name}"))
    metadata = workload.get("metadata", {})
    for name in ("name", "namespace", "uid"):
        if name in metadata and not isinstance(metadata[name], str):
            message = f"`metadata.{name}` must be a string, and {describe(metadata[name])} was found"
            raise InputError(message, Location(pointer=f"/metadata/{name}"))
    return workload


def root_scope(mapping: CompiledMapping, workload: dict[str, Any], session: Session) -> Scope:
    """The scope of the whole workload, with its variables and references bound."""
    scope = Scope(first_env(workload, [MAX_READ_STEPS]), {}, session)
    evaluate_prelude(mapping, scope)
    return scope


def pod_selectors(mapping: CompiledMapping, workload: dict[str, Any], session: Session) -> list[LabelSelector]:
    """The label selectors of a workload's pods, also of what it embeds, for a LIST call."""
    scope = root_scope(mapping, workload, session)
    found = read_selectors(mapping, scope)
    if mapping.embeds:
        found += tree_selectors(read_components(mapping.components, scope))
    return found


def read(
    mapping: CompiledMapping,
    workload: dict[str, Any],
    pods: Iterable[Mapping[str, Any]] | None = None,
    *,
    session: Session | None = None,
    strict: bool = False,
) -> WorkloadMap:
    """Read a workload.

    Args:
        mapping: a mapping that fits the workload.
        workload: the object, after the data rules and `check_workload`.
        pods: pods after the data rules, of this workload or others; None if pods are not to be read.
        session: the references that are given, and where other mappings are found.
        strict: raise the first diagnostic of severity error.

    Raises:
        WorkloadMapError: with `strict`, the diagnostic's.

    """
    session = session or Session(Diagnostics())
    diagnostics = session.diagnostics
    parts = read_parts(mapping, workload, session)
    document = parts.document
    if pods is not None:
        _read_pods(parts, pods)
    if diagnostics:
        found = diagnostics.sorted()
        if strict:
            for diagnostic in found:
                if diagnostic.severity == "error":
                    raise diagnostic.to_exception(mapping.name)
        document["diagnostics"] = [diagnostic.to_json() for diagnostic in found]
    return WorkloadMap(document, tuple(session.wanted))


def read_parts(mapping: CompiledMapping, workload: dict[str, Any], session: Session) -> Parts:
    """Read a workload without pods; the diagnostics stay in the session."""
    scope = root_scope(mapping, workload, session)
    _check(mapping, scope)
    suspended = read_suspended(mapping.suspend, scope)
    tree = read_components(mapping.components, scope)
    status = read_status(mapping.status, scope, tree, suspended=suspended)
    note_incomplete(mapping.incomplete, scope, tree)
    groups = read_gang(mapping, tree, scope) if mapping.gang else []
    document: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": "WorkloadMap",
        "workload": _workload(workload),
        "mapping": {"name": mapping.name, "digest": mapping.digest},
    }
    if status is not None:
        document["status"] = status
    if suspended is not None:
        document["suspended"] = suspended
    components = _components(tree.roots)
    if components:
        document["components"] = components
    if groups:
        document["gang"] = {"groups": [group.document for group in groups]}
    document["totals"] = _totals(tree, scope)
    return Parts(mapping, scope, tree, groups, document)


def _check(mapping: CompiledMapping, scope: Scope) -> None:
    """Note what the framework refuses (S6.11)."""
    for entry in mapping.invalid:
        with suppress(FailedError):
            if entry.when.holds(scope):
                scope.report(entry.when.at, "result-invalid", entry.message)


def _workload(workload: Mapping[str, Any]) -> dict[str, Any]:
    """`workload` of the map (S13.2)."""
    metadata = workload.get("metadata", {})
    entry = {"apiVersion": workload["apiVersion"], "kind": workload["kind"]}
    for name in ("name", "namespace", "uid"):
        # An empty namespace is none (S2.9).
        if name in metadata and (metadata[name] or name != "namespace"):
            entry[name] = metadata[name]
    if type(metadata.get("generation")) is int:
        entry["generation"] = metadata["generation"]
    return entry


def _components(lists: list[list[Instance]]) -> list[dict[str, Any]]:
    """`components` of the map or of an instance."""
    found = []
    for instances in lists:
        if not instances:
            continue
        component = instances[0].component
        entry: dict[str, Any] = {"name": component.name}
        if component.role is not None:
            entry["role"] = component.role
        if component.always_creates is not None:
            entry["creates"] = component.always_creates
        entry["instances"] = [_instance(instance) for instance in instances]
        found.append(entry)
    return found


def _instance(instance: Instance) -> dict[str, Any]:
    """One instance as it stands in the map."""
    given = "podsPerReplica" in instance.component.counts
    known = {
        "replicas": instance.replicas,
        "minReplicas": instance.min_replicas,
        "maxReplicas": instance.max_replicas,
        "podsPerReplica": instance.pods_per_replica if given else None,
        "pods": instance.pods,
        "minPods": instance.min_pods,
        "podTemplate": instance.template,
        "mainContainer": instance.main_container,
    }
    entry: dict[str, Any] = {"id": instance.id}
    if instance.role is not None:
        entry["role"] = instance.role
    if instance.creates:
        entry["creates"] = instance.creates
    entry.update((name, value) for name, value in known.items() if value is not None)
    if instance.pod_resources is not None:
        per_pod = resources.to_json(instance.pod_resources)
        if per_pod:
            entry["resources"] = {"perPod": per_pod}
            if instance.pods is not None:
                entry["resources"]["total"] = resources.to_json(resources.scale(instance.pod_resources, instance.pods))
    if instance.observed:
        entry["observed"] = instance.observed
    if instance.sources:
        entry["sources"] = instance.sources
    nested = _components(instance.children)
    if nested:
        entry["components"] = nested
    return entry


def _totals(tree: Tree, scope: Scope) -> dict[str, Any]:
    """`totals` of the map: what is known, and what is missing (S6.6, S8.7)."""
    pods = 0
    total: PodResources | None = None
    for leaf in tree.leaves:
        chain = leaf.chain
        known = leaf.pods
        if known is None:
            factors = [part.min_replicas or 0 if part.replicas is None else part.replicas for part in chain]
            known = product(*factors, leaf.pods_per_replica or 0) or 0
            if known > MAX_COUNT:
                known = 0
        pods += known
        if leaf.pod_resources is not None:
            scaled = resources.scale(leaf.pod_resources, known)
            total = scaled if total is None else resources.add(total, scaled)
    if pods > MAX_COUNT:
        scope.report("/spec/components", "limit-exceeded", f"all pods together are more than {MAX_COUNT}")
        tree.note("replicas", ERROR)
    entry: dict[str, Any] = {"pods": min(pods, MAX_COUNT)}
    if total is not None:
        summed = resources.to_json(total)
        if summed:
            entry["resources"] = summed
    if tree.incomplete:
        entry["incomplete"] = tree.incomplete
    return entry


def placed_pods(parts: Parts, pods: Iterable[Mapping[str, Any]]) -> list[Placed]:
    """The pods that a workload selects (S10.2), each with its place in the tree, in the order of the map."""
    selectors = read_selectors(parts.mapping, parts.scope) + tree_selectors(parts.tree)
    if not selectors:
        return []
    namespace = namespace_of(parts.scope.env["object"]["metadata"])
    selected = [
        pod
        for pod in pods
        if namespace_of(pod.get("metadata") or {}) == namespace
        and matches(selectors, (pod.get("metadata") or {}).get("labels"))
    ]
    return place_pods(parts.tree, selected)


def _read_pods(parts: Parts, pods: Iterable[Mapping[str, Any]]) -> None:
    """Put `pods` and `unattributed` (S10)."""
    document = parts.document
    groups = GroupIndex(parts.groups)
    attributed, unattributed = [], []
    for placed in placed_pods(parts, pods):
        entry = pod_document(placed)
        if placed.reason is None:
            groups.assign(placed.path, entry)
            attributed.append(entry)
        else:
            unattributed.append(entry)
    if attributed:
        document["pods"] = attributed
    if unattributed:
        document["unattributed"] = unattributed

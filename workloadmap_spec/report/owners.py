"""Which workload is a part of another one: a TrainJob's JobSet, a JobSet's Jobs.

An object says who controls it in its owner reference (apimachinery, `metav1.GetControllerOf`). The way up may lead
through objects that no mapping reads, and through pods: a LeaderWorkerSet's pods own StatefulSets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Group, kind, namespace and name. The version is left out, as one object is served in several.
_Name = tuple[str, str, str, str]


def controller_of(value: Mapping[str, Any]) -> dict[str, str] | None:
    """The owner reference of an object's controller, as far as its members are strings; None if it has none.

    Gives `apiVersion`, `kind`, `name` and `uid`. An object whose only owner is not marked as its controller belongs
    to that one: some frameworks leave the mark out.
    """
    metadata = value.get("metadata")
    entries = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    owners = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    controllers = [entry for entry in owners if entry.get("controller") is True]
    if not controllers and len(owners) == 1:
        controllers = owners
    if len(controllers) != 1:
        return None
    entry = controllers[0]
    told = {name: entry[name] for name in ("apiVersion", "kind", "name", "uid") if isinstance(entry.get(name), str)}
    return told if told.get("kind") else None


def parents(workloads: Sequence[Mapping[str, Any]], others: Iterable[Mapping[str, Any]]) -> list[int | None]:
    """For each workload the place of the nearest workload above it that it is a part of.

    Args:
        workloads: Objects that are read.
        others: The other objects of the input, which the way up may lead through.
    """
    tree = _Objects([*workloads, *others])
    places = {id(value): place for place, value in enumerate(workloads)}
    found: list[int | None] = []
    for value in workloads:
        owner = tree.owner(value)
        seen = {id(value)}
        while owner is not None and id(owner) not in seen and id(owner) not in places:
            seen.add(id(owner))
            owner = tree.owner(owner)
        place = None if owner is None else places.get(id(owner))
        found.append(None if place is None or workloads[place] is value else place)
    return _without_cycles(found)


def _without_cycles(found: list[int | None]) -> list[int | None]:
    """The same without what lies on a circle of owners, which no API server makes and a file may hold."""
    state: dict[int, int] = {}
    for start in range(len(found)):
        place: int | None = start
        while place is not None and place not in state:
            state[place] = start
            place = found[place]
        if place is not None and state[place] == start:
            found[place] = None
    return found


class _Objects:
    """Objects by what owner references call them."""

    def __init__(self, values: Sequence[Mapping[str, Any]]) -> None:
        """Index them."""
        self._by_uid: dict[str, Mapping[str, Any]] = {}
        self._by_name: dict[_Name, Mapping[str, Any]] = {}
        for value in values:
            metadata = value.get("metadata")
            if not isinstance(metadata, dict):
                continue
            uid = metadata.get("uid")
            if isinstance(uid, str) and uid:
                self._by_uid.setdefault(uid, value)
            group = str(value.get("apiVersion", "")).rpartition("/")[0]
            name = (group, str(value.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name")))
            self._by_name.setdefault(name, value)

    def owner(self, value: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The controller of an object, if it is among these.

        The uid decides. A manifest that was never sent has none and is found by its name; an object with another uid
        is another one, made under the same name later.
        """
        told = controller_of(value)
        if told is None:
            return None
        uid = told.get("uid")
        if uid and uid in self._by_uid:
            return self._by_uid[uid]
        group = told.get("apiVersion", "").rpartition("/")[0]
        namespace = str(value["metadata"].get("namespace") or "")
        for place in (namespace, "", "default") if namespace in ("", "default") else (namespace, ""):
            found = self._by_name.get((group, told["kind"], place, told.get("name", "")))
            if found is not None and not (uid and found["metadata"].get("uid")):
                return found
        return None

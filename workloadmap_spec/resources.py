"""The effective requests and limits of a pod, computed from its PodSpec alone.

The rules are those of component-helpers (`resource/helpers.go`: `PodRequests`, `PodLimits`) for a pod that has no
status yet. A template lacks what the API server adds when a pod is made from it; the part of that which no
controller leaves out is done here: a container that states a limit and no request requests the limit
(kubernetes, `pkg/apis/core/v1/defaults.go`: `SetDefaults_Pod`).

Entries that are null count as absent, as everywhere in a normalized object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from workloadmap_spec.errors import EvaluationError, Location, ResultInvalidError, ResultTypeError
from workloadmap_spec.quantities import Quantity, json_type, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Quantities by resource name.
Amounts: TypeAlias = dict[str, Quantity]

# The names that `spec.resources` of a pod may hold (`IsSupportedPodLevelResource`).
_POD_LEVEL_NAMES: Final = frozenset({"cpu", "memory"})
_POD_LEVEL_PREFIX: Final = "hugepages-"
_USED_WITHOUT_STATING: Final = frozenset({"cpu", "memory", "ephemeral-storage"})


@dataclass(frozen=True, slots=True)
class PodResources:
    """What a number of pods request, and what they are limited to, by resource name.

    A name is present if it is stated, be it as zero. `unlimited` are those of cpu, memory and ephemeral-storage in
    `limits`, sorted, that some container states no limit for, so that the sum is no bound: what is not one of these
    cannot be used without being stated. Regular containers and restartable init containers count here, as they run
    together for as long as the pod does.
    """

    requests: Amounts
    limits: Amounts
    unlimited: tuple[str, ...] = ()
    #: How many pods these are the resources of. Of no pods, which is where a sum begins, nothing is unlimited.
    pods: int = 0


#: The resources of no pods: the start of a sum.
NO_PODS: Final = PodResources({}, {})


class _Container(NamedTuple):
    """What one container states."""

    restartable: bool
    requests: Amounts
    limits: Amounts


def pod_resources(spec: dict[str, Any]) -> PodResources:
    """Compute the effective requests and limits of one pod.

    For each resource name: what the containers and the restartable init containers sum up to, or what is needed at
    the worst moment while the init containers run, if that is more; replaced by what the pod level states; plus the
    overhead. Ephemeral containers do not count, and the order of the init containers matters.

    The text of a sum has the format of its first term that is not zero: containers, init containers, overhead, each
    in their order. Of two equal amounts, the sum is kept before the worst moment.

    Raises:
        ResultTypeError: A part of the spec is of the wrong type; `location.pointer` points to it within the spec.
        ResultInvalidError: A quantity is malformed or negative, likewise.

    """
    if not isinstance(spec, dict):
        raise _wrong_type(spec, "a PodSpec, which is a map")
    regular = [_container(item, "containers", index) for index, item in enumerate(_list(spec, "containers"))]
    init = [_container(item, "initContainers", index) for index, item in enumerate(_list(spec, "initContainers"))]
    unlimited: tuple[str, ...] = ()
    if len(regular) == 1 and not init:
        _, requests, limits = regular[0]
    else:
        requests = _aggregate([each.requests for each in regular], [(each.restartable, each.requests) for each in init])
        limits = _aggregate([each.limits for each in regular], [(each.restartable, each.limits) for each in init])
        together = [each.limits for each in regular] + [each.limits for each in init if each.restartable]
        unlimited = _open(name for name in limits if any(name not in stated for stated in together))
    if spec.get("resources") is not None:
        pod_requests, pod_limits = _stated(spec["resources"])
        requests.update(_supported_at_pod_level(pod_requests))
        bounds = _supported_at_pod_level(pod_limits)
        limits.update(bounds)
        unlimited = tuple(name for name in unlimited if name not in bounds)
    if spec.get("overhead") is not None:
        overhead = _amounts(spec["overhead"], "overhead")
        _add_to(requests, overhead)
        # A limit of zero is none: the overhead of the sandbox would turn it into one.
        _add_to(limits, {name: amount for name, amount in overhead.items() if name in limits and limits[name].nano})
    return PodResources(requests, limits, unlimited, 1)


def scale(resources: PodResources, pods: int) -> PodResources:
    """Give the resources of `pods` times as many pods; names stay, also times zero.

    Raises:
        ResultInvalidError: The number is negative.

    """
    if pods < 0:
        raise ResultInvalidError(f"{pods} is no number of pods", cure="a number of pods is 0 or more")
    return PodResources(
        {name: amount * pods for name, amount in resources.requests.items()},
        {name: amount * pods for name, amount in resources.limits.items()},
        resources.unlimited if pods else (),
        resources.pods * pods,
    )


def add(a: PodResources, b: PodResources) -> PodResources:
    """Give the resources of the pods of both; where formats differ, that of `a` counts, unless its amount is zero.

    A name that one of them limits and the other, with pods, does not is unlimited in the sum (S8.5).
    """
    requests, limits = dict(a.requests), dict(a.limits)
    _add_to(requests, b.requests)
    _add_to(limits, b.limits)
    unbounded = (b.limits.keys() - a.limits.keys() if a.pods else set()) | (
        a.limits.keys() - b.limits.keys() if b.pods else set()
    )
    return PodResources(requests, limits, _open({*a.unlimited, *b.unlimited, *unbounded}), a.pods + b.pods)


def to_json(resources: PodResources) -> dict[str, Any]:
    """Give `requests`, `limits` and `unlimited` as JSON: names sorted, quantities canonical, what is empty left out."""
    result: dict[str, Any] = {}
    if resources.requests:
        result["requests"] = {name: str(amount) for name, amount in sorted(resources.requests.items())}
    if resources.limits:
        result["limits"] = {name: str(amount) for name, amount in sorted(resources.limits.items())}
    if resources.unlimited:
        result["unlimited"] = list(resources.unlimited)
    return result


def _open(names: Iterable[str]) -> tuple[str, ...]:
    """Give those of some names, sorted, that a container without a limit may use as much of as there is."""
    return tuple(sorted(name for name in names if name in _USED_WITHOUT_STATING))


def _aggregate(regular: Iterable[Amounts], init: Iterable[tuple[bool, Amounts]]) -> Amounts:
    """Give what is needed at the worst moment of the pod's life, for each name by itself."""
    total: Amounts = {}
    for stated in regular:
        _add_to(total, stated)
    running: Amounts = {}
    peaks: Amounts = {}
    for restartable, stated in init:
        if restartable:
            # When it starts, what runs is part of the total: that moment cannot be the worst.
            _add_to(total, stated)
            _add_to(running, stated)
        else:
            moment = dict(stated)
            _add_to(moment, running)
            _raise_to(peaks, moment)
    _raise_to(total, peaks)
    return total


def _add_to(amounts: Amounts, more: Amounts) -> None:
    """Add name by name, in place."""
    for name, amount in more.items():
        present = amounts.get(name)
        amounts[name] = amount if present is None else present + amount


def _raise_to(amounts: Amounts, floor: Amounts) -> None:
    """Raise each amount to that of the other, in place; an equal one stays as it is."""
    for name, amount in floor.items():
        present = amounts.get(name)
        if present is None or present < amount:
            amounts[name] = amount


def _supported_at_pod_level(amounts: Amounts) -> Amounts:
    """Leave out what the pod level cannot set."""
    return {
        name: amount
        for name, amount in amounts.items()
        if name in _POD_LEVEL_NAMES or name.startswith(_POD_LEVEL_PREFIX)
    }


def _list(spec: dict[str, Any], field: str) -> list[Any]:
    """Give a list of the spec, empty if absent."""
    value = spec.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong_type(value, "a list of containers", field)
    return value


def _container(container: Any, field: str, index: int) -> _Container:  # noqa: ANN401 - JSON
    """Read what a container states, and add the requests that follow from its limits."""
    if not isinstance(container, dict):
        raise _wrong_type(container, "a container, which is a map", field, index)
    restartable = container.get("restartPolicy") == "Always"
    requests, limits = _stated(container.get("resources"), field, index)
    return _Container(restartable, limits | requests if limits else requests, limits)


def _stated(resources: Any, *place: str | int) -> tuple[Amounts, Amounts]:  # noqa: ANN401 - JSON
    """Read the requests and limits of a field `resources`."""
    if resources is None:
        return {}, {}
    if not isinstance(resources, dict):
        raise _wrong_type(resources, "a map of requests and limits", *place, "resources")
    return (
        _amounts(resources.get("requests"), *place, "resources", "requests"),
        _amounts(resources.get("limits"), *place, "resources", "limits"),
    )


def _amounts(stated: Any, *place: str | int) -> Amounts:  # noqa: ANN401 - JSON
    """Read a map of quantities."""
    if stated is None:
        return {}
    if not isinstance(stated, dict):
        raise _wrong_type(stated, "a map of quantities", *place)
    amounts: Amounts = {}
    for name, value in stated.items():
        if value is None:
            continue
        try:
            amount = parse(value)
        except EvaluationError as error:
            error.located(_location(*place, name))
            raise
        if amount.nano < 0:
            raise ResultInvalidError(
                f"expected a quantity of 0 or more and found {value!r}",
                _location(*place, name),
                "a request, limit or overhead is never negative",
            )
        amounts[name] = amount
    return amounts


def _wrong_type(value: object, expected: str, *place: str | int) -> ResultTypeError:
    """Say what was expected where, and what was found."""
    return ResultTypeError(f"expected {expected}, and found {json_type(value)}", _location(*place))


def _location(*place: str | int) -> Location:
    """Give the place as a JSON Pointer (RFC 6901) within the spec."""
    return Location(pointer="".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in place))

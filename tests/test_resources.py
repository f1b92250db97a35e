"""The effective requests and limits of a pod follow from its spec, and add up over pods."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloadmap_spec.errors import ResultInvalidError, ResultTypeError
from workloadmap_spec.resources import NO_PODS, PodResources, add, pod_resources, scale, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator


def container(requests: Any = None, limits: Any = None, policy: str | None = None) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Make a container with what is given."""
    resources = {name: value for name, value in (("requests", requests), ("limits", limits)) if value is not None}
    made: dict[str, Any] = {"name": "c", "image": "registry.example/c:1"}
    if resources:
        made["resources"] = resources
    if policy is not None:
        made["restartPolicy"] = policy
    return made


def cpu(amount: str) -> dict[str, Any]:
    """Make a container that requests CPU."""
    return container({"cpu": amount})


def sidecar(amount: str) -> dict[str, Any]:
    """Make a restartable init container that requests CPU."""
    return container({"cpu": amount}, policy="Always")


def read(**spec: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Compute the resources of a spec as JSON."""
    return to_json(pod_resources(spec))


# One template, as the base of the cases that change one thing.
MAIN = container({"cpu": "500m", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"})


@pytest.mark.parametrize(
    ("init", "containers", "expected"),
    [
        pytest.param([], ["1", "500m", "250m"], "1750m", id="containers-are-summed"),
        pytest.param(["3"], ["1", "1"], "3", id="a-large-init-container-counts-instead"),
        pytest.param(["3", "4", "2"], ["1"], "4", id="init-containers-run-one-after-the-other"),
        pytest.param(["2"], ["1", "1"], "2", id="an-init-container-as-large-as-the-sum-changes-nothing"),
        pytest.param(["S1", "2"], ["1"], "3", id="a-sidecar-before-runs-beside-the-init-container"),
        pytest.param(["2", "S1"], ["1"], "2", id="a-sidecar-after-does-not"),
        pytest.param(["2", "S2"], ["1"], "3", id="a-sidecar-after-runs-beside-the-containers"),
        pytest.param(["S1", "S2", "S4"], ["8"], "15", id="sidecars-and-containers-are-summed"),
        pytest.param(["S5", "S5"], [], "10", id="sidecars-count-without-containers"),
        # 1 + 2 run when the second 5 starts: 8; in the end 1 + 2 + 3 + 1 = 7.
        pytest.param(["5", "S1", "S2", "5", "S3"], ["1"], "8", id="the-worst-moment-is-before-the-last-sidecar"),
        # The same without the order: 5 + 1 + 2 + 3 = 11.
        pytest.param(["S1", "S2", "S3", "5", "5"], ["1"], "11", id="the-order-of-init-containers-matters"),
        pytest.param(["S10", "200"], ["100"], "210", id="a-small-sidecar-beside-a-large-init-container"),
    ],
)
def test_requests_are_those_of_the_worst_moment(init: list[str], containers: list[str], expected: str) -> None:
    """S marks a sidecar."""
    spec = {
        "initContainers": [sidecar(each[1:]) if each.startswith("S") else cpu(each) for each in init],
        "containers": [cpu(each) for each in containers],
    }
    assert read(**spec) == {"requests": {"cpu": expected}}


@pytest.mark.parametrize("policy", ["Never", "OnFailure", "always", "", None])
def test_only_the_policy_always_makes_a_sidecar(policy: str | None) -> None:
    """A sidecar of 1 and a container of 1 would need 2."""
    spec = {"initContainers": [container({"cpu": "1"}, policy=policy)], "containers": [cpu("1")]}
    assert read(**spec) == {"requests": {"cpu": "1"}}


def test_the_restart_policy_of_a_regular_container_says_nothing() -> None:
    """Only init containers can be sidecars."""
    spec = {"initContainers": [cpu("2")], "containers": [container({"cpu": "1"}, policy="Always")]}
    assert read(**spec) == {"requests": {"cpu": "2"}}


def test_a_sidecar_that_proxies_traffic_runs_while_the_data_is_fetched() -> None:
    """While the fetch runs, 100m + 200m; afterwards 100m + 100m."""
    assert read(initContainers=[sidecar("100m"), cpu("200m")], containers=[cpu("100m")]) == {
        "requests": {"cpu": "300m"}
    }


def test_each_resource_has_its_own_worst_moment() -> None:
    """CPU: max(200m, 100m + 150m). Memory: max(1Gi, 64Mi + 256Mi)."""
    one = pod_resources(
        {
            "initContainers": [
                container({"cpu": "200m", "memory": "1Gi"}),
                container({"cpu": "100m", "memory": "64Mi"}, policy="Always"),
            ],
            "containers": [container({"cpu": "150m", "memory": "256Mi"})],
        }
    )
    assert to_json(one) == {"requests": {"cpu": "250m", "memory": "1Gi"}}
    assert to_json(scale(one, 2)) == {"requests": {"cpu": "500m", "memory": "2Gi"}}


def test_a_node_must_have_room_for_a_large_init_container() -> None:
    """The unpacking needs 6 for a while, the rest 100m for long."""
    assert read(initContainers=[cpu("6")], containers=[cpu("100m")]) == {"requests": {"cpu": "6"}}


def test_a_missing_resource_counts_as_nothing() -> None:
    """One container requests CPU, the other memory, the third neither."""
    spec = {"containers": [cpu("1"), container({"memory": "1Gi"}), container()]}
    assert read(**spec) == {"requests": {"cpu": "1", "memory": "1Gi"}}


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"containers": []},
        {"containers": None, "initContainers": None, "overhead": None, "resources": None},
        {"containers": [container()]},
        {"containers": [{"resources": None}]},
        {"containers": [{"resources": {}}]},
        {"containers": [container({}, {})]},
        {"containers": [{"resources": {"requests": None, "limits": None}}]},
        {"containers": [container({"cpu": None}, {"cpu": None})]},
        {"containers": [{"resources": {"claims": [{"name": "gpu"}]}}], "resourceClaims": [{"name": "gpu"}]},
        {"resources": {}, "overhead": {}},
    ],
)
def test_what_states_nothing_has_no_resources(spec: dict[str, Any]) -> None:
    """Empty, null and absent are the same, and claims are no requests."""
    assert pod_resources(spec) == PodResources({}, {}, (), 1)
    assert to_json(pod_resources(spec)) == {}


def test_ephemeral_containers_do_not_count() -> None:
    """They have no guaranteed resources, and may not state any."""
    assert read(containers=[MAIN], ephemeralContainers=[container({"cpu": "64"}), "not even a map"]) == read(
        containers=[MAIN]
    )


def test_zero_is_kept() -> None:
    """Someone who states zero says something."""
    assert read(containers=[container({"cpu": "0"}, {"memory": 0})]) == {
        "requests": {"cpu": "0", "memory": "0"},
        "limits": {"memory": "0"},
    }


def test_numbers_are_quantities() -> None:
    """YAML without quotes gives numbers."""
    assert read(containers=[container({"cpu": 0.5, "memory": 1073741824}, {"nvidia.com/gpu": 8})]) == {
        "requests": {"cpu": "500m", "memory": "1073741824", "nvidia.com/gpu": "8"},
        "limits": {"nvidia.com/gpu": "8"},
    }


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        pytest.param(None, {"nvidia.com/gpu": "4"}, {"nvidia.com/gpu": "4"}, id="gpus-are-written-as-limits"),
        pytest.param({}, {"cpu": "2", "memory": "4Gi"}, {"cpu": "2", "memory": "4Gi"}, id="no-request-at-all"),
        pytest.param({"cpu": "1"}, {"cpu": "2", "memory": "4Gi"}, {"cpu": "1", "memory": "4Gi"}, id="name-by-name"),
        pytest.param({"cpu": "0"}, {"cpu": "2"}, {"cpu": "0"}, id="zero-is-a-request"),
        pytest.param({"cpu": None}, {"cpu": "2"}, {"cpu": "2"}, id="null-is-no-request"),
        pytest.param({"cpu": "3"}, {"cpu": "2"}, {"cpu": "3"}, id="a-request-above-its-limit-is-not-ours-to-change"),
    ],
)
def test_a_missing_request_is_the_limit(requests: Any, limits: Any, expected: dict[str, str]) -> None:  # noqa: ANN401
    """The API server does this to a pod, and not to the template that the pod is made from."""
    assert read(containers=[container(requests, limits)])["requests"] == expected


def test_init_containers_request_their_limits_too() -> None:
    """2 for the sidecar and 4 beside it while the other starts; 2 and 1 afterwards."""
    init = [container(limits={"cpu": "2"}, policy="Always"), container(limits={"cpu": "4"})]
    assert read(initContainers=init, containers=[cpu("1")])["requests"] == {"cpu": "6"}


def test_limits_are_those_of_the_worst_moment() -> None:
    """CPU: 1 + 4 against 1 + 2 + 1. Memory: 1Gi against 3Gi."""
    spec = {
        "initContainers": [
            container(limits={"cpu": "1"}, policy="Always"),
            container(limits={"cpu": "4", "memory": "1Gi"}),
        ],
        "containers": [
            container(limits={"cpu": "2", "memory": "2Gi"}),
            container(limits={"cpu": "1", "memory": "1Gi"}),
        ],
    }
    assert read(**spec) == {
        "requests": {"cpu": "5", "memory": "3Gi"},
        "limits": {"cpu": "5", "memory": "3Gi"},
        "unlimited": ["memory"],
    }


@pytest.mark.parametrize(
    ("spec", "unlimited"),
    [
        pytest.param({"containers": [MAIN]}, [], id="one-container"),
        pytest.param({"containers": [MAIN, MAIN]}, [], id="all-of-them"),
        pytest.param({"containers": [MAIN, container()]}, ["cpu", "memory"], id="one-of-two-states-nothing"),
        pytest.param({"containers": [MAIN, container(None, {"cpu": "1"})]}, ["memory"], id="one-of-two-states-less"),
        pytest.param(
            {"containers": [MAIN, container({"memory": "1Gi"}, {"cpu": "1"})]}, ["memory"], id="only-a-request"
        ),
        pytest.param({"containers": [MAIN, container(None, {"cpu": "0", "memory": "0"})]}, [], id="zero-is-a-limit"),
        pytest.param(
            {"containers": [MAIN], "initContainers": [container(policy="Always")]}, ["cpu", "memory"], id="a-sidecar"
        ),
        pytest.param({"containers": [MAIN], "initContainers": [container()]}, [], id="an-init-container-ends"),
        pytest.param(
            {"containers": [container()], "initContainers": [MAIN]},
            ["cpu", "memory"],
            id="only-an-init-container-limits",
        ),
        pytest.param({"initContainers": [MAIN]}, [], id="nothing-but-an-init-container"),
        pytest.param({"containers": [container(), container()]}, [], id="no-limit-no-sum"),
        pytest.param(
            {"containers": [MAIN, container()], "resources": {"limits": {"cpu": "3"}}},
            ["memory"],
            id="the-pod-level-bounds-what-it-states",
        ),
        pytest.param(
            {"containers": [MAIN, container()], "resources": {"limits": {"cpu": "0", "memory": "8Gi"}}},
            [],
            id="the-pod-level-bounds-all",
        ),
        pytest.param(
            {
                "containers": [container(None, {"ephemeral-storage": "1Gi"}), container()],
                "resources": {"limits": {"ephemeral-storage": "1Gi"}},
            },
            ["ephemeral-storage"],
            id="the-pod-level-cannot-bound-storage",
        ),
        pytest.param(
            {"containers": [MAIN, container()], "resources": {"requests": {"cpu": "3", "memory": "3Gi"}}},
            ["cpu", "memory"],
            id="a-request-bounds-nothing",
        ),
        pytest.param(
            {"containers": [container(None, {"memory": 1, "ephemeral-storage": 1, "cpu": 1}), container()]},
            ["cpu", "ephemeral-storage", "memory"],
            id="sorted",
        ),
        pytest.param(
            {"containers": [container(None, {"example.org/gpu": 1, "hugepages-2Mi": "4Mi"}), container()]},
            [],
            id="what-cannot-be-used-without-being-stated-is-bounded",
        ),
    ],
)
def test_a_limit_that_some_container_lacks_is_no_bound(spec: dict[str, Any], unlimited: list[str]) -> None:
    """Those containers count that run together."""
    assert pod_resources(spec).unlimited == tuple(unlimited)
    assert read(**spec).get("unlimited", []) == unlimited


@pytest.mark.parametrize(
    ("pod_level", "expected"),
    [
        pytest.param(
            {"requests": {"cpu": "100m"}}, ({"cpu": "100m", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}), id="lower"
        ),
        pytest.param(
            {"requests": {"cpu": "9"}}, ({"cpu": "9", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}), id="higher"
        ),
        pytest.param(
            {"requests": {"cpu": "0"}}, ({"cpu": "0", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}), id="zero"
        ),
        pytest.param(
            {"limits": {"memory": "16Gi"}},
            ({"cpu": "500m", "memory": "1Gi"}, {"cpu": "2", "memory": "16Gi"}),
            id="limits-alone-leave-the-requests",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}},
            ({"cpu": "1", "memory": "1Gi"}, {"cpu": "3", "memory": "2Gi"}),
            id="both",
        ),
        pytest.param(
            {"requests": {"hugepages-2Mi": "64Mi"}, "limits": {"hugepages-2Mi": "64Mi"}},
            (
                {"cpu": "500m", "hugepages-2Mi": "64Mi", "memory": "1Gi"},
                {"cpu": "2", "hugepages-2Mi": "64Mi", "memory": "2Gi"},
            ),
            id="a-name-that-no-container-has",
        ),
        pytest.param(
            {"requests": {"ephemeral-storage": "1Gi", "nvidia.com/gpu": "1"}, "limits": {"hugepages": "1Gi"}},
            ({"cpu": "500m", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}),
            id="names-that-the-pod-level-cannot-set",
        ),
    ],
)
def test_the_pod_level_replaces_what_it_states(
    pod_level: dict[str, Any], expected: tuple[dict[str, str], dict[str, str]]
) -> None:
    """It is not a maximum, and it leaves the other names alone."""
    requests, limits = expected
    assert read(containers=[MAIN], resources=pod_level) == {"requests": requests, "limits": limits}


def test_the_pod_level_replaces_the_worst_moment() -> None:
    """Without it: CPU max(4m + 8m, 4m + 2m), memory max(5Mi + 6Mi, 5Mi + 3Mi)."""
    spec = {
        "initContainers": [
            container({"cpu": "4m", "memory": "5Mi"}, policy="Always"),
            container({"cpu": "8m", "memory": "6Mi"}),
        ],
        "containers": [container({"cpu": "2m", "memory": "3Mi"})],
    }
    assert read(**spec) == {"requests": {"cpu": "12m", "memory": "11Mi"}}
    assert read(**spec, resources={"requests": {"cpu": "18m", "memory": "15Mi"}}) == {
        "requests": {"cpu": "18m", "memory": "15Mi"}
    }


def test_storage_at_the_pod_level_is_ignored() -> None:
    """The pod level supports CPU, memory and huge pages."""
    spec = {"containers": [container({"storage": "3Mi"})], "resources": {"requests": {"storage": "2Mi"}}}
    assert read(**spec) == {"requests": {"storage": "3Mi"}}


def test_huge_pages_are_a_name_for_each_size() -> None:
    """They add up like any other resource."""
    pages = {"hugepages-2Mi": "100Mi", "hugepages-1Gi": "2Gi"}
    assert read(containers=[container(None, pages), container(None, {"hugepages-2Mi": "28Mi"})]) == {
        "requests": {"hugepages-1Gi": "2Gi", "hugepages-2Mi": "128Mi"},
        "limits": {"hugepages-1Gi": "2Gi", "hugepages-2Mi": "128Mi"},
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            {"containers": [MAIN]},
            {"requests": {"cpu": "750m", "memory": "1144Mi"}, "limits": {"cpu": "2250m", "memory": "2168Mi"}},
            id="requests-and-limits",
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"})]},
            {"requests": {"cpu": "1250m", "memory": "120Mi"}},
            id="a-request-that-nothing-else-makes-and-no-limit",
        ),
        pytest.param(
            {"containers": [container({"cpu": "1"}, {"cpu": "0", "memory": "0"})]},
            {"requests": {"cpu": "1250m", "memory": "120Mi"}, "limits": {"cpu": "0", "memory": "0"}},
            id="no-limit-where-the-limit-is-zero",
        ),
        pytest.param(
            {"containers": [MAIN], "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}}},
            {"requests": {"cpu": "1250m", "memory": "1144Mi"}, "limits": {"cpu": "4250m", "memory": "2168Mi"}},
            id="on-top-of-the-pod-level",
        ),
        pytest.param(
            {"containers": [MAIN], "initContainers": [cpu("4")]},
            {"requests": {"cpu": "4250m", "memory": "1144Mi"}, "limits": {"cpu": "2250m", "memory": "2168Mi"}},
            id="on-top-of-the-worst-moment",
        ),
    ],
)
def test_overhead_is_added_last(spec: dict[str, Any], expected: dict[str, Any]) -> None:
    """An overhead of 250m and 120Mi."""
    assert read(**spec, overhead={"cpu": "250m", "memory": "120Mi"}) == expected


@pytest.mark.parametrize(
    ("first", "second", "total"),
    [("1Gi", "1G", "2073741824"), ("1G", "1Gi", "2073741824"), ("1Gi", "1000M", "2073741824"), ("0", "1Gi", "1Gi")],
)
def test_a_sum_is_written_like_its_first_term(first: str, second: str, total: str) -> None:
    """A sum of both kinds has no short form in either."""
    containers = [container({"memory": first}), container({"memory": second})]
    assert read(containers=containers) == {"requests": {"memory": total}}


def test_of_equal_amounts_the_sum_is_kept() -> None:
    """2Gi and 2147483648 are equal; the containers decide how it is written, not the init container."""
    spec = {"initContainers": [container({"memory": "2147483648"})], "containers": [container({"memory": "2Gi"})]}
    assert read(**spec) == {"requests": {"memory": "2Gi"}}


NO_SUFFIX = "{} is not a quantity: {} [result-invalid]\n  {}"
NEGATIVE = (
    "expected a quantity of 0 or more and found {} [result-invalid]\n  a request, limit or overhead is never negative"
)


@pytest.mark.parametrize(
    ("spec", "error", "pointer", "message"),
    [
        ([], ResultTypeError, "", "expected a PodSpec, which is a map, and found a list [result-type]"),
        (
            {"containers": {"main": {}}},
            ResultTypeError,
            "/containers",
            "expected a list of containers, and found a map [result-type]",
        ),
        (
            {"initContainers": "setup"},
            ResultTypeError,
            "/initContainers",
            "expected a list of containers, and found a string [result-type]",
        ),
        (
            {"containers": [MAIN, None]},
            ResultTypeError,
            "/containers/1",
            "expected a container, which is a map, and found null [result-type]",
        ),
        (
            {"initContainers": [{"resources": ["1"]}]},
            ResultTypeError,
            "/initContainers/0/resources",
            "expected a map of requests and limits, and found a list [result-type]",
        ),
        (
            {"containers": [container("1")]},
            ResultTypeError,
            "/containers/0/resources/requests",
            "expected a map of quantities, and found a string [result-type]",
        ),
        (
            {"containers": [container(None, {"cpu": True})]},
            ResultTypeError,
            "/containers/0/resources/limits/cpu",
            "expected a quantity, which is text or a number, and found a boolean [result-type]",
        ),
        (
            {"containers": [MAIN, container({"memory": "1GB"})]},
            ResultInvalidError,
            "/containers/1/resources/requests/memory",
            NO_SUFFIX.format(
                "'1GB'", "'GB' after '1' is not a suffix", "write G (decimal) or Gi (binary); case matters"
            ),
        ),
        (
            {"initContainers": [container({"a~b": "1mi"})]},
            ResultInvalidError,
            "/initContainers/0/resources/requests/a~0b",
            NO_SUFFIX.format("'1mi'", "'mi' after '1' is not a suffix", "write Mi; case matters"),
        ),
        (
            {"containers": [container(None, {"nvidia.com/gpu": "-1"})]},
            ResultInvalidError,
            "/containers/0/resources/limits/nvidia.com~1gpu",
            NEGATIVE.format("'-1'"),
        ),
        (
            {"resources": {"limits": {"storage": -1}}},
            ResultInvalidError,
            "/resources/limits/storage",
            NEGATIVE.format(-1),
        ),
        (
            {"resources": 1},
            ResultTypeError,
            "/resources",
            "expected a map of requests and limits, and found a number [result-type]",
        ),
        (
            {"overhead": ["cpu"]},
            ResultTypeError,
            "/overhead",
            "expected a map of quantities, and found a list [result-type]",
        ),
        (
            {"overhead": {"cpu": ""}},
            ResultInvalidError,
            "/overhead/cpu",
            'an empty text is not a quantity [result-invalid]\n  leave it out, or write "0" for nothing',
        ),
    ],
)
def test_a_malformed_spec_is_an_error_with_its_place(
    spec: Any,  # noqa: ANN401 - anything
    error: type[ResultInvalidError | ResultTypeError],
    pointer: str,
    message: str,
) -> None:
    """The place is a JSON Pointer within the spec."""
    with pytest.raises(error) as caught:
        pod_resources(spec)
    assert caught.value.location.pointer == pointer
    assert str(caught.value) == (f"{pointer}: {message}" if pointer else message)


def test_a_spec_is_not_changed() -> None:
    """Templates are shared by everything that reads them."""
    spec = {
        "containers": [container(None, {"cpu": "1"})],
        "resources": {"limits": {"cpu": "2"}},
        "overhead": {"cpu": 1},
    }
    before = repr(spec)
    pod_resources(spec)
    assert repr(spec) == before


def test_sums_begin_with_no_pods_and_leave_their_terms_alone() -> None:
    """The start of a sum is a constant."""
    one = pod_resources({"containers": [MAIN]})
    assert add(NO_PODS, one) == one == add(one, NO_PODS)
    add(add(NO_PODS, one), one)
    assert PodResources({}, {}, (), 0) == NO_PODS


def test_resources_add_up_over_pods() -> None:
    """One leader of 1 CPU and 1Gi; three workers of 500m and 1Gi with limits of 2 and 2Gi."""
    leader = pod_resources({"containers": [container({"memory": "1Gi"}, {"cpu": "1"})]})
    workers = scale(pod_resources({"containers": [MAIN]}), 3)
    total = add(leader, workers)
    assert to_json(total) == {
        "requests": {"cpu": "2500m", "memory": "4Gi"},
        "limits": {"cpu": "7", "memory": "6Gi"},
        "unlimited": ["memory"],
    }
    assert total.pods == 4


def test_no_pods_need_nothing_and_bound_nothing() -> None:
    """The names stay; what no pod is limited to bounds nothing, and a container without pods takes no bound away."""
    idle = scale(pod_resources({"containers": [MAIN, container({"cpu": "1"})]}), 0)
    assert to_json(idle) == {
        "requests": {"cpu": "0", "memory": "0"},
        "limits": {"cpu": "0", "memory": "0"},
    }
    live = pod_resources({"containers": [container({"cpu": "1"}, {"example.com/x": 2})]})
    expected = {
        "requests": {"cpu": "1", "example.com/x": "2", "memory": "0"},
        "limits": {"cpu": "0", "example.com/x": "2", "memory": "0"},
        "unlimited": ["cpu", "memory"],
    }
    assert to_json(add(idle, live)) == expected == to_json(add(live, idle))
    limited = pod_resources({"containers": [container({"cpu": "1"}, {"cpu": "2"})]})
    unbound = scale(pod_resources({"containers": [container({"cpu": "1"})]}), 0)
    assert to_json(add(limited, unbound)) == {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}
    assert to_json(add(idle, idle)) == to_json(idle)


def test_a_negative_number_of_pods_is_refused() -> None:
    """It would make negative requests."""
    with pytest.raises(ResultInvalidError) as caught:
        scale(NO_PODS, -1)
    assert str(caught.value) == "-1 is no number of pods [result-invalid]\n  a number of pods is 0 or more"


def test_names_are_sorted_by_code_point() -> None:
    """The order of a template says nothing."""
    names = ["memory", "cpu", "z.example/a", "Z.example/a", "ephemeral-storage"]
    result = read(containers=[container(dict.fromkeys(names, "1"), dict.fromkeys(names, "1"))])
    assert list(result) == ["requests", "limits"]
    assert list(result["requests"]) == ["Z.example/a", "cpu", "ephemeral-storage", "memory", "z.example/a"]
    assert list(result["limits"]) == list(result["requests"])


# What follows computes the same by living the pod's life, in thousandths.

NAMES = ("cpu", "memory", "hugepages-2Mi", "nvidia.com/gpu")
Whole = dict[str, int]

amounts = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 6), max_size=4)
stated = st.fixed_dictionaries({}, optional={"requests": amounts, "limits": amounts})
containers = st.builds(lambda resources: {"resources": resources}, stated)
init_containers = st.builds(
    lambda resources, policy: {"resources": resources, "restartPolicy": policy},
    stated,
    st.sampled_from([None, "Always", "Always", "Never"]),
)
specs = st.fixed_dictionaries(
    {"containers": st.lists(containers, max_size=3)},
    optional={"initContainers": st.lists(init_containers, max_size=4), "resources": stated, "overhead": amounts},
)


def in_thousandths(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Write every number of a spec as a quantity."""
    if isinstance(value, dict):
        return {key: in_thousandths(each) for key, each in value.items()}
    if isinstance(value, list):
        return [in_thousandths(each) for each in value]
    return f"{value}m" if isinstance(value, int) else value


def moments(spec: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Give the containers that run at each moment of the pod's life."""
    running: list[dict[str, Any]] = []
    for each in spec.get("initContainers", []):
        yield [*running, each]
        if each["restartPolicy"] == "Always":
            running = [*running, each]
    yield [*running, *spec["containers"]]


def stated_by(one: dict[str, Any], part: str) -> Whole:
    """What a container states, with the limit where the request is missing."""
    resources = one["resources"]
    limits: Whole = resources.get("limits", {})
    return limits if part == "limits" else {**limits, **resources.get("requests", {})}


def lived(spec: dict[str, Any], part: str) -> tuple[Whole, list[str]]:
    """The effective requests or limits, and the names that are no bound."""
    every = [*spec.get("initContainers", []), *spec["containers"]]
    names = {name for one in every for name in stated_by(one, part)}
    result = {
        name: max(sum(stated_by(one, part).get(name, 0) for one in moment) for moment in moments(spec))
        for name in names
    }
    last = list(moments(spec))[-1]
    open_names = {"cpu", "memory", "ephemeral-storage"} & names
    unbound = {name for name in open_names for one in last if name not in stated_by(one, part)}
    for name, amount in spec.get("resources", {}).get(part, {}).items():
        if name != "nvidia.com/gpu":
            result[name] = amount
            unbound.discard(name)
    for name, amount in spec.get("overhead", {}).items():
        if part == "requests" or result.get(name):
            result[name] = result.get(name, 0) + amount
    return result, sorted(unbound)


def whole(quantities: dict[str, Any]) -> Whole:
    """Give quantities in thousandths."""
    exact = {name: Fraction(amount.nano, 10**6) for name, amount in quantities.items()}
    assert all(amount.denominator == 1 for amount in exact.values())
    return {name: int(amount) for name, amount in exact.items()}


resources_of_pods = st.builds(
    lambda spec, pods: scale(pod_resources(in_thousandths(spec)), pods), specs, st.integers(0, 3)
)


@given(specs)
def test_the_rule_is_the_worst_moment_of_the_life_of_the_pod(spec: dict[str, Any]) -> None:
    """Starting every container in turn and summing what runs gives the same."""
    result = pod_resources(in_thousandths(spec))
    assert whole(result.requests) == lived(spec, "requests")[0]
    assert (whole(result.limits), list(result.unlimited)) == lived(spec, "limits")


@given(specs)
def test_the_order_of_regular_containers_does_not_matter(spec: dict[str, Any]) -> None:
    """They start together."""
    expected = pod_resources(in_thousandths(spec))
    for order in itertools.permutations(spec["containers"]):
        assert pod_resources(in_thousandths({**spec, "containers": list(order)})) == expected


@given(resources_of_pods, resources_of_pods, resources_of_pods)
def test_the_order_of_a_sum_over_pods_does_not_matter(a: PodResources, b: PodResources, c: PodResources) -> None:
    """It is commutative and associative."""
    assert add(a, b) == add(b, a)
    assert add(add(a, b), c) == add(a, add(b, c))


@given(resources_of_pods, resources_of_pods, st.integers(1, 4), st.integers(0, 4))
def test_scaling_is_repeated_addition(a: PodResources, b: PodResources, few: int, more: int) -> None:
    """It distributes over sums of pods and of numbers."""
    assert scale(add(a, b), few) == add(scale(a, few), scale(b, few))
    assert scale(a, few + more) == add(scale(a, few), scale(a, more))
    assert scale(scale(a, few), more) == scale(a, few * more)


@given(resources_of_pods)
def test_the_json_holds_everything_but_what_is_empty(resources: PodResources) -> None:
    """What is left out is empty."""
    result = to_json(resources)
    assert set(result) == {name for name in ("requests", "limits", "unlimited") if getattr(resources, name)}
    assert all(result.values())
    for part in ("requests", "limits"):
        assert result.get(part, {}) == {name: str(amount) for name, amount in getattr(resources, part).items()}

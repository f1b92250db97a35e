"""Prices and costs: files as people write them, and sums that are worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.report_objects import everything, jobset, node, pod, report_of
from workloadmap_spec.errors import InputError
from workloadmap_spec.report.prices import Prices, load_prices

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


@pytest.fixture
def prices_of(tmp_path: Path) -> Any:  # noqa: ANN401 - a function
    """Prices from a text."""

    def load(text: str) -> Prices:
        path = tmp_path / "prices.yaml"
        path.write_text(text, encoding="utf-8")
        return load_prices(path)

    return load


ONE = "currency: EUR\nprices:\n- perHour: {cpu: 0.1, memory: 0.01, nvidia.com/gpu: 2}\n"
BY_NODE = """
prices:
- nodeLabels: {node.kubernetes.io/instance-type: big}
  perHour: {cpu: 1, nvidia.com/gpu: 3}
- nodeLabels: {node.kubernetes.io/instance-type: small}
  perHour: {cpu: "0.5"}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1", "prices.yaml:1:1: a file of prices is a map of `currency`, `prices` [input-invalid]"),
        (
            "prise: 1",
            (
                "prices.yaml:1:1: /prise: a file of prices has no member `prise` [input-invalid]\n  it has"
                " `currency`, `prices`"
            ),
        ),
        (
            "currency: 1\nprices: []",
            "prices.yaml:1:11: /currency: `currency` is a word such as EUR [input-invalid]",
        ),
        (
            "prices: []",
            (
                "prices.yaml:1:9: /prices: `prices` is a list of entries with `perHour`, and maybe `nodeLabels`"
                " [input-invalid]"
            ),
        ),
        (
            "prices:\n- 1",
            "prices.yaml:2:3: /prices/0: an entry of `prices` is a map of `nodeLabels`, `perHour` [input-invalid]",
        ),
        (
            "prices:\n- nodeLabels: {a: 1}\n  perHour: {cpu: 1}",
            (
                "prices.yaml:2:15: /prices/0/nodeLabels: `nodeLabels` is a map of labels and their values, which are"
                " strings [input-invalid]"
            ),
        ),
        (
            "prices:\n- perHour: {}",
            "prices.yaml:2:12: /prices/0/perHour: `perHour` is a map of resources and their prices [input-invalid]",
        ),
        (
            "prices:\n- perHour: {nvidia.com/gpu: -1}",
            (
                "prices.yaml:2:29: /prices/0/perHour/nvidia.com~1gpu: a price is a number of 0 or more, such as 0.031"
                " [input-invalid]"
            ),
        ),
        (
            "prices:\n- perHour: {cpu: true}",
            "prices.yaml:2:18: /prices/0/perHour/cpu: a price is a number of 0 or more, such as 0.031 [input-invalid]",
        ),
        (
            'prices:\n- perHour: {cpu: "1e999"}',
            "prices.yaml:2:18: /prices/0/perHour/cpu: a price is a number of 0 or more, such as 0.031 [input-invalid]",
        ),
        (
            'prices:\n- perHour: {cpu: "1/3"}',
            "prices.yaml:2:18: /prices/0/perHour/cpu: a price is a number of 0 or more, such as 0.031 [input-invalid]",
        ),
        (
            "prices:\n- perHour: {cpu: {price: 1, per: 0}}",
            "prices.yaml:2:34: /prices/0/perHour/cpu/per: a price is for more than 0 of a resource [input-invalid]",
        ),
        (
            "prices:\n- perHour: {cpu: {per: 2}}",
            (
                "prices.yaml:2:18: /prices/0/perHour/cpu/price: a price is a number of 0 or more, such as 0.031"
                " [input-invalid]"
            ),
        ),
        (
            "prices:\n- perHour: {cpu: 1}\n- perHour: {cpu: 2}",
            (
                "prices.yaml:3:3: /prices/1: the entry before this one leaves nothing for it [input-invalid]\n"
                "  an entry without `nodeLabels` fits every node: put it last"
            ),
        ),
        (
            f"{ONE}---\n{ONE}",
            "prices.yaml: a file of prices holds one document, and this has 2 [input-invalid]",
        ),
    ],
)
def test_what_is_no_file_of_prices(prices_of: Any, text: str, message: str) -> None:  # noqa: ANN401 - a function
    with pytest.raises(InputError) as caught:
        prices_of(text)
    assert str(caught.value).endswith(f"/{message}")


def test_a_quantity_that_is_none_is_told(prices_of: Any) -> None:  # noqa: ANN401 - a function
    with pytest.raises(InputError, match="/prices/0/perHour/cpu/per: "):
        prices_of("prices:\n- perHour: {cpu: {price: 1, per: many}}")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match="nowhere"):
        load_prices("nowhere.yaml")


def test_units(prices_of: Any) -> None:  # noqa: ANN401 - a function
    """A core, a device, and a GiB of what is counted in bytes; `per` names another unit, and numbers may be texts."""
    text = "prices:\n- perHour: {cpu: 1e-1, memory: '0.01', hugepages-2Mi: 2, a.example/x: {price: 6, per: 3}}\n"
    (tariff,) = prices_of(text).tariffs
    found = {name: (str(price.amount), str(price.per)) for name, price in tariff.prices.items()}
    assert found == {
        "cpu": ("1/10", "1"),
        "memory": ("1/100", "1Gi"),
        "hugepages-2Mi": ("2", "1Gi"),
        "a.example/x": ("6", "3"),
    }


def test_pods_cost_from_when_they_have_a_node_until_they_end(prices_of: Any) -> None:  # noqa: ANN401 - a function
    """The leader: 2 cores and 4 GiB are 0.24; a worker: 8 cores, 32 GiB and 4 GPUs are 9.12; one waits, one ended."""
    objects = everything()
    objects[-2] = pod("workers", 1, 0, phase="Succeeded")
    report = report_of(objects, prices_of(ONE))
    found = report["workloads"][0]
    assert found["cost"] == {
        "basis": "pods",
        "perHour": "18.48",
        "resources": {"cpu": "1.8", "memory": "0.68", "nvidia.com/gpu": "16"},
    }
    assert [instance["cost"]["perHour"] for instance in found["instances"]] == ["0.24", "18.24"]
    assert report["totals"]["cost"] == found["cost"]
    assert report["currency"] == "EUR"


def test_a_part_is_not_counted_twice(prices_of: Any) -> None:  # noqa: ANN401 - a function
    report = report_of(everything(), prices_of(ONE))
    costs = {entry["workload"]["name"]: entry["cost"]["perHour"] for entry in report["workloads"]}
    assert costs == {"train": "27.6", "train-leader-0": "0.24", "train-workers-0": "18.24", "train-workers-1": "9.12"}
    assert report["totals"]["cost"]["perHour"] == "27.6"


def test_the_labels_of_the_node_decide(prices_of: Any) -> None:  # noqa: ANN401 - a function
    """Big: 8 + 12 = 20. Small: no price for memory and GPU is told. Others are told, and cost nothing that is known."""
    objects = [
        jobset(),
        pod("workers", 0, 0, node="n-big"),
        pod("workers", 0, 1, node="n-small"),
        pod("workers", 1, 0, node="n-odd"),
        pod("workers", 1, 1, node="n-none"),
        node("n-big", "big"),
        node("n-small", "small"),
        node("n-odd", "odd"),
    ]
    cost = report_of(objects, prices_of(BY_NODE))["workloads"][0]["cost"]
    assert cost == {
        "basis": "pods",
        "perHour": "24",
        "resources": {"cpu": "12", "nvidia.com/gpu": "12"},
        "unknown": [
            {"what": "memory", "reason": "it has no price"},
            {"what": "node", "reason": "no entry of the prices fits the labels of that of a pod"},
            {"what": "node", "reason": "that of a pod was not given, and its labels decide on the price"},
            {"what": "nvidia.com/gpu", "reason": "it has no price"},
        ],
    }


def test_a_pod_costs_what_its_own_spec_requests(prices_of: Any) -> None:  # noqa: ANN401 - a function
    """A webhook has added a container; a spec that cannot be read is told."""
    more = pod("leader", 0, 0)
    more["spec"]["containers"].append({"name": "added", "resources": {"requests": {"cpu": "1"}}})
    bad = pod("workers", 0, 0)
    bad["spec"]["containers"] = [{"name": "main", "resources": {"requests": {"cpu": "much"}}}]
    cost = report_of([jobset(), more, bad], prices_of(ONE))["workloads"][0]["cost"]
    assert cost["perHour"] == "0.34"
    assert [entry["what"] for entry in cost["unknown"]] == ["resources"]


def test_without_pods_those_are_priced_that_are_wanted(prices_of: Any) -> None:  # noqa: ANN401 - a function
    cost = report_of([jobset()], prices_of(ONE))["workloads"][0]["cost"]
    assert (cost["basis"], cost["perHour"]) == ("desired", "36.72")


def test_a_node_that_a_template_asks_for_is_known(prices_of: Any) -> None:  # noqa: ANN401 - a function
    value = jobset()
    worker = value["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]
    worker["nodeSelector"] = {"node.kubernetes.io/instance-type": "big"}
    cost = report_of([value], prices_of(BY_NODE))["workloads"][0]["cost"]
    assert cost["perHour"] == "80"
    assert cost["unknown"] == [
        {"what": "memory", "reason": "it has no price"},
        {"what": "node", "reason": "no entry of the prices fits what is known of that of a pod that is wanted"},
    ]


def test_what_is_at_rest_wants_nothing_and_what_is_not_known_is_told(prices_of: Any) -> None:  # noqa: ANN401
    done = jobset()
    done["status"] = {"conditions": [{"type": "Completed", "status": "True"}], "terminalState": "Completed"}
    assert report_of([done], prices_of(ONE))["workloads"][0]["cost"] == {"basis": "desired", "perHour": "0"}
    unknown = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent"},
        "spec": {"template": jobset()["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]},
    }
    cost = report_of([unknown], prices_of(ONE))["workloads"][0]["cost"]
    assert cost["perHour"] == "0"
    assert [entry["what"] for entry in cost["unknown"]] == ["replicas"]


def test_sums_are_exact_and_rounded_in_the_end(prices_of: Any) -> None:  # noqa: ANN401 - a function
    """A third of a millionth three times is a millionth; a tenth and two tenths are three tenths."""
    text = "prices:\n- perHour: {cpu: 0.1, memory: {price: 0.000001, per: 12Gi}, nvidia.com/gpu: 0}\n"
    cost = report_of(everything(), prices_of(text))["workloads"][0]["cost"]
    # 26 cores; 100 GiB are 8 and a third of a millionth.
    assert cost["resources"] == {"cpu": "2.6", "memory": "0.000008", "nvidia.com/gpu": "0"}
    assert cost["perHour"] == "2.600008"

"""`workloadmap report`: the whole text of small reports, and what is told of what cannot be."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.report_objects import TIME, everything, jobset
from workloadmap_spec.cli import main
from workloadmap_spec.cli.age import age, duration
from workloadmap_spec.cli.report_text import cost
from workloadmap_spec.quantities import parse
from workloadmap_spec.report.devices import accelerators
from workloadmap_spec.report.formats import base_number, to_markdown
from workloadmap_spec.report.rows import add_decimals
from workloadmap_spec.schemas import schema_problems

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a cluster in a file, and prices."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(everything()), encoding="utf-8")
    (tmp_path / "prices.yaml").write_text(
        "currency: EUR\nprices:\n- perHour: {cpu: 0.1, nvidia.com/gpu: 2}\n", encoding="utf-8"
    )
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of `report`."""
    code = main(["report", "--time", TIME, *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("folder")
def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "cluster.yaml", "--by", "workload", "--prices", "prices.yaml", "--top", "1")
    assert (code, err) == (0, "")
    assert out == (
        "KIND     NAMESPACE   NAME              PHASE     READY   MIN       CPU        MEMORY   NVIDIA.COM/GPU"
        "     EUR/H   AGE\n"
        "JobSet   research    train             Running     4/5     5    34 / -     132Gi / -          16 / 16"
        "   >=26.60   120m\n"
        "└─ Job   research    train-leader-0    Running     1/1     1     2 / -       4Gi / -                -"
        "    >=0.20\n"
        "└─ Job   research    train-workers-0   Running     2/2     1   16 / 16   64Gi / 64Gi            8 / 8"
        "   >=17.60\n"
        "└─ Job   research    train-workers-1   Running     1/2     1   16 / 16   64Gi / 64Gi            8 / 8"
        "    >=8.80\n"
        "\n"
        "1 workload: 1 Running; 5 pods wanted, 4 ready\n"
        ">=26.60 EUR per hour for what the pods request\n"
        "\n"
        "Largest costs\n"
        "  26.40 EUR   99 %   JobSet research/train   job/workers\n"
        "\n"
        "Without a price\n"
        "  memory   it has no price\n"
    )


@pytest.mark.usefixtures("folder")
def test_components_put_their_instances_together(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "cluster.yaml", "--by", "component", "--prices", "prices.yaml", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["level"], row["component"], row["desired"], row["ready"], row["costPerHour"]) for row in rows[:2]] == [
        ("workload", "", "5", "4", "26.6"),
        ("component", "job", "5", "4", "26.6"),
    ]
    assert rows[1]["requests.memory"] == str(132 * 2**30)
    # The leader has no limit of memory, so there is none for both.
    assert rows[1]["limits.memory"] == ""
    assert rows[1]["limits.nvidia.com/gpu"] == "16"
    _, out, _ = run(capsys, "cluster.yaml", "--by", "component")
    assert "job (2)" in out


@pytest.mark.usefixtures("folder")
def test_csv_has_a_row_for_each_instance(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "cluster.yaml", "--format", "csv")
    assert out.endswith("\r\n")
    rows = list(csv.DictReader(io.StringIO(out)))
    told = [(row["level"], row["name"], row["instance"], row["found"], row["exact"], row["parent"]) for row in rows]
    assert told == [
        ("workload", "train", "", "5", "true", ""),
        ("instance", "train", "leader", "1", "true", ""),
        ("instance", "train", "workers", "4", "true", ""),
        ("workload", "train-leader-0", "", "1", "true", "JobSet/train"),
        ("instance", "train-leader-0", "pod", "1", "true", "JobSet/train"),
        ("workload", "train-workers-0", "", "2", "true", "JobSet/train"),
        ("instance", "train-workers-0", "pod", "2", "true", "JobSet/train"),
        ("workload", "train-workers-1", "", "2", "true", "JobSet/train"),
        ("instance", "train-workers-1", "pod", "2", "true", "JobSet/train"),
    ]
    assert rows[0]["created"] == "2026-03-17T08:12:04Z"


def test_csv_makes_no_formulas(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    value = jobset(name="=1+1", namespace="@a")
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    _, out, _ = run(capsys, str(tmp_path), "--format", "csv", "--by", "workload")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["name"], row["namespace"]) == ("'=1+1", "'@a")


@pytest.mark.usefixtures("folder")
def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "cluster.yaml", "--format", "markdown", "--by", "workload")
    head, line, first, *_ = out.splitlines()
    assert head == "| KIND | NAMESPACE | NAME | PHASE | READY | MIN | CPU | MEMORY | NVIDIA.COM/GPU | AGE |"
    assert line == "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    assert first == "| JobSet | research | train | Running | 4/5 | 5 | 34 / - | 132Gi / - | 16 / 16 | 120m |"


def test_nothing_in_a_cell_of_markdown_is_markup() -> None:
    table = to_markdown(["a|b"], [["<b>*x*\n`y`|[z](u)_&"]])
    assert table == "| a\\|b |\n| --- |\n| \\<b\\>\\*x\\* \\`y\\`\\|\\[z\\](u)\\_\\& |\n"


@pytest.mark.usefixtures("folder")
def test_json_metrics_and_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "cluster.yaml", "--format", "json")
    report = json.loads(out)
    assert schema_problems(report, "WorkloadReport") == []
    assert report["time"] == TIME
    _, out, _ = run(capsys, "cluster.yaml", "--format", "openmetrics")
    assert out.endswith("# EOF\n")
    _, out, _ = run(capsys, "cluster.yaml", "--html")
    assert out.lower().startswith("<!doctype html>")


def test_a_file_is_written(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = run(capsys, "cluster.yaml", "-o", "report.txt", "--color", "always")
    assert (code, out, err) == (0, "", "")
    text = (folder / "report.txt").read_text(encoding="utf-8")
    assert text.startswith("KIND")
    assert "\x1b" not in text


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            ["cluster.yaml", "-o", "no/where"],
            3,
            "error: no/where: it cannot be written: No such file or directory\n  check the path and its permissions\n",
        ),
        (["--top", "-1", "cluster.yaml"], 2, "error: --top is a number of 0 or more\n"),
        (
            ["--time", "today", "cluster.yaml"],
            2,
            "error: `today` is no moment\n  write it in UTC, such as 2026-01-31T12:00:00Z\n",
        ),
        (
            ["--html", "--format", "csv", "cluster.yaml"],
            2,
            "error: argument --format: not allowed with argument --html\n  try `workloadmap report --help`\n",
        ),
        (["--prices", "cluster.yaml", "cluster.yaml"], 1, "a file of prices holds one document, and this has 9"),
    ],
)
def test_what_cannot_be(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, text: str) -> None:
    found, out, err = run(capsys, *arguments)
    assert out == ""
    assert text in err
    assert found in (code, 3)


def test_what_is_not_known_is_a_question(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A DaemonSet has as many pods as there are nodes; of an object that cannot be read there is a word."""
    template = {"spec": {"containers": [{"name": "main"}]}}
    agent = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "agent"},
        "spec": {"template": template},
    }
    strange = {"apiVersion": "x.example/v1", "kind": "Strange"}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all([agent, strange]), encoding="utf-8")
    code, out, err = run(capsys, str(tmp_path))
    assert code == 1
    assert "?/>=0" in out
    assert "at least 0 pods wanted" in out
    assert err.startswith("error: ")
    assert "no mapping fits Strange" in err


def test_a_report_on_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("", encoding="utf-8")
    assert run(capsys, str(tmp_path)) == (0, "", "note: there is no workload in the input\n")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (599, "9m59s"),
        (600, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 600, "3h10m"),
        (8 * 3600, "8h"),
        (48 * 3600 - 1, "47h"),
        (48 * 3600, "2d"),
        (50 * 3600, "2d2h"),
        (8 * 86400, "8d"),
        (2 * 365 * 86400 - 1, "729d"),
        (2 * 365 * 86400, "2y"),
        (2 * 365 * 86400 + 35 * 86400, "2y35d"),
        (9 * 365 * 86400, "9y"),
    ],
)
def test_ages_are_those_of_kubectl(seconds: int, text: str) -> None:
    """By the steps of `duration.HumanDuration` (apimachinery, pkg/util/duration)."""
    assert duration(seconds) == text


def test_what_comes_later_has_no_age() -> None:
    assert age("2026-01-01T00:00:10Z", "2026-01-01T00:00:00Z") == "0s"
    assert age(None, TIME) == ""


@pytest.mark.parametrize(
    ("amount", "exact", "text"),
    [
        (None, True, "?"),
        ("0", True, "0.00"),
        ("12.345", True, "12.35"),
        ("0.001", False, ">=0.001"),
        ("1000000", False, ">=1000000.00"),
    ],
)
def test_costs_are_shown_in_hundredths(amount: str | None, exact: bool, text: str) -> None:  # noqa: FBT001 - a table
    assert cost(amount, is_exact=exact) in (text, text.replace("12.35", "12.34"))


def test_small_things() -> None:
    assert add_decimals(["0.1", "0.2", "100"]) == "100.3"
    assert [base_number(parse(text)) for text in ("500m", "1Ki", "1", "100n")] == ["0.5", "1024", "1", "0.0000001"]
    assert base_number(None) == ""
    names: dict[str, Any] = dict.fromkeys(["cpu", "rdma/hca", "nvidia.com/mig-1g.5gb", "google.com/tpu"], 1)
    assert list(accelerators(names)) == ["nvidia.com/mig-1g.5gb", "google.com/tpu"]

"""`inspect` and `gang`: the whole texts for the examples, pods of several kinds, colour, and where values come from."""

# The texts for people have signs that look like letters.
# ruff: noqa: RUF001

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workloadmap_spec import Catalog
from workloadmap_spec.cli import main

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))

pytestmark = pytest.mark.usefixtures("_checkout")


@pytest.fixture
def _checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where the examples are, without what the environment of the tester says."""
    monkeypatch.chdir(ROOT)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def give(monkeypatch: pytest.MonkeyPatch, *objects: dict[str, Any]) -> None:
    """Put objects into the standard input, as a list that `kubectl get -o json` prints."""
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that goes well."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


INSPECT = {
    "jobset": """\
JobSet glacier-sft   namespace research   Running   9 pods
├─ job/leader    1 × 1 = 1 pod    1 of 1 Job ready, 1 active    1 Running
└─ job/workers   2 × 4 = 8 pods   1 of 2 Jobs ready, 2 active   7 Running, 1 Pending

Resources       request / limit   cpu       memory            nvidia.com/gpu
  job/leader    1 pod             4 / -     16Gi / 16Gi       -
  job/workers   each pod          88 / -    960Gi / 960Gi     8 / 8
                8 pods            704 / -   7680Gi / 7680Gi   64 / 64
  total         9 pods            708 / -   7696Gi / 7696Gi   64 / 64

Gang
  workload    all 9 pods together           priority class training-high
    job × 3   1–4 pods each, all together
""",
    "leaderworkerset": """\
LeaderWorkerSet atlas-chat   namespace serving   no status   8 pods
└─ group               2 replicas
   ├─ leader   2 × 1 = 2 pods
   └─ worker   2 × 3 = 6 pods

Resources   request / limit   cpu       memory          nvidia.com/gpu
  leader    each pod          32 / -    512Gi / 512Gi   8 / 8
            2 pods            64 / -    1Ti / 1Ti       16 / 16
  worker    each pod          32 / -    512Gi / 512Gi   8 / 8
            6 pods            192 / -   3Ti / 3Ti       48 / 48
  total     8 pods            256 / -   4Ti / 4Ti       64 / 64

Gang
  group × 2   4 pods each, all together   priority class serving-critical
""",
    "raycluster": """\
RayCluster features   namespace data   no status   7 pods
├─ head                     1 pod
├─ worker/extract   4 × 1 = 4 pods   min 2   2–12 replicas
└─ worker/embed     1 × 2 = 2 pods           1–3 replicas

Resources           request / limit   cpu         memory              nvidia.com/gpu
  head              1 pod             4.5 / -     24.5Gi / 24.5Gi     -
  worker/extract    each pod          16 / -      64Gi / 64Gi         -
                    4 pods            64 / -      256Gi / 256Gi       -
  worker/embed      each pod          24 / -      192Gi / 192Gi       4 / 4
                    2 pods            48 / -      384Gi / 384Gi       8 / 8
  total, at least   7 pods            116.5 / -   664.5Gi / 664.5Gi   8 / 8

Gang
  workload   at least 5 of 7 pods together

Incomplete
  containers   worker/extract, worker/embed   REASON
""",
}

GANG = {
    "jobset": """\
JobSet glacier-sft   namespace research
GROUP             MIN   PODS   MEMBERS                       PRIORITY CLASS
workload            9      9   job/leader 1, job/workers 8   training-high
  job/leader/0      1      1   job/leader 1                  training-high
  job/workers/0     4      4   job/workers 4                 training-high
  job/workers/1     4      4   job/workers 4                 training-high
""",
    "leaderworkerset": """\
LeaderWorkerSet atlas-chat   namespace serving
GROUP     MIN   PODS   MEMBERS              PRIORITY CLASS
group/0     4      4   leader 1, worker 3   serving-critical
group/1     4      4   leader 1, worker 3   serving-critical
""",
    "raycluster": """\
RayCluster features   namespace data
GROUP      MIN   PODS   MEMBERS
workload     5      7   head 1, worker/extract 2 of 4, worker/embed 2
""",
}


def reason() -> str:
    """Why the containers of a RayCluster's workers are not all known, in the words of the mapping."""
    mapping = Catalog.builtin().find("ray.io/v1", "RayCluster").document
    (worker,) = (part for part in mapping["spec"]["components"] if part["name"] == "worker")
    return str(worker["incomplete"][0]["reason"])


def test_every_example_has_a_golden_text() -> None:
    assert {path.stem for path in EXAMPLES} == set(INSPECT) == set(GANG)


@pytest.mark.parametrize("name", INSPECT)
def test_an_example_is_shown(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(capsys, "inspect", f"examples/{name}.yaml") == INSPECT[name].replace("REASON", reason())


@pytest.mark.parametrize("name", GANG)
def test_the_groups_of_an_example_are_shown(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(capsys, "gang", f"examples/{name}.yaml") == GANG[name]


def test_several_workloads_are_shown_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "inspect", "examples")
    assert text == "\n".join(INSPECT[path.stem] for path in EXAMPLES).replace("REASON", reason())
    assert run(capsys, "gang", "examples") == "\n".join(GANG[path.stem] for path in EXAMPLES)


def test_a_path_that_is_given_twice_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    name = "examples/leaderworkerset.yaml"
    assert run(capsys, "inspect", name, name) == INSPECT["leaderworkerset"]


def test_the_pods_of_an_example_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "inspect", "--pods", "examples/jobset.yaml").splitlines()
    assert lines[1:6] == [
        "├─ job/leader    1 × 1 = 1 pod    1 of 1 Job ready, 1 active    1 Running",
        "│  └─ glacier-sft-leader-0-0-6rl5q    replica 0   index 0   Running   cpu-c02",
        "└─ job/workers   2 × 4 = 8 pods   1 of 2 Jobs ready, 2 active   7 Running, 1 Pending",
        "   ├─ glacier-sft-workers-0-0-fkctf   replica 0   index 0   Running   gpu-a03",
        "   ├─ glacier-sft-workers-0-1-vn7sk   replica 0   index 1   Running   gpu-a04",
    ]
    assert lines[11] == "   └─ glacier-sft-workers-1-3-v5p6j   replica 1   index 3   Pending   no node"


# Where values come from


def sources(text: str) -> dict[tuple[str, str], list[str]]:
    """The cells behind the name of each value in the table of sources."""
    lines = text.partition("\nSources\n")[2].partition("\n\n")[0].splitlines()
    start = min(len(line) - len(line.lstrip()) for line in lines if not line.startswith("  ") or line[2] == " ")
    found, about = {}, ""
    for line in lines:
        about = line[:start].strip() or about
        name, *cells = [cell for cell in line[start:].split("   ") if cell.strip()]
        found[about, name.strip()] = [cell.strip() for cell in cells]
    return found


def test_every_value_of_an_example_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    found = sources(run(capsys, "inspect", "--explain", "examples/leaderworkerset.yaml"))
    name = "examples/leaderworkerset.yaml"
    assert found.pop(("mapping", "name"))[0] == "leaderworkerset"
    assert found == {
        ("group", "replicas"): ["2", f"{name}:13:13", "/spec/replicas"],
        ("leader", "replicas"): ["1", "default"],
        ("leader", "pods"): ["2", "computed", "replicas of group × replicas"],
        ("leader", "minPods"): ["2", "computed", "all of its pods"],
        ("leader", "podTemplate"): [f"{name}:19:7", "/spec/leaderWorkerTemplate/workerTemplate"],
        ("worker", "replicas"): ["3", "computed", "variables.size - 1"],
        ("worker", "pods"): ["6", "computed", "replicas of group × replicas"],
        ("worker", "minPods"): ["6", "computed", "all of its pods"],
        ("worker", "podTemplate"): [f"{name}:19:7", "/spec/leaderWorkerTemplate/workerTemplate"],
        ("gang group/0 and 1 more", "minMember"): ["4", "computed", "the sum of its members' minPods"],
        ("gang group/0 and 1 more", "priorityClass"): [
            "serving-critical",
            "computed",
            "the one that all its pod templates name",
        ],
    }


def test_what_an_embedded_workload_computes_is_no_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = job("one")["spec"]
    status = {"active": [{"name": "nightly-1"}]}
    meta = {"name": "nightly", "uid": "u"}
    cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": {"jobTemplate": {"spec": spec}}}
    give(monkeypatch, cron | {"status": status})
    found = sources(run(capsys, "inspect", "--explain"))
    assert found["run", "replicas"] == ["1", "computed", "variables.active.size()"]
    assert found["pod", "replicas"] == ["2", "computed", "by the mapping of the embedded kind"]
    assert found["pod", "minPods"] == ["1", "computed", "by the mapping of the embedded kind"]


LEFT_OUT = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: thing}
spec:
  workload: {group: x.example, versions: [v1], kind: Thing}
  components:
  - {name: main, podTemplate: object.spec.template}
  - {name: typo, podTemplate: object.spec.tmplate}
  - {name: mixed, podSpec: {firstOf: [object.spec.a, object.spec.b]}}
  - {name: each, forEach: object.spec.none, podTemplate: item}
  - {name: some, forEach: object.spec.list, where: item.no, podTemplate: item}
  - {name: unused, when: object.spec.off, podTemplate: object.spec.template}
  - name: group
    components:
    - {name: inner, podTemplate: object.spec.inner}
  - name: nothing
    when: object.spec.off
    components:
    - {name: unsaid, podTemplate: object.spec.template}
"""


def test_a_component_that_is_left_out_is_told_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thing.yaml").write_text(LEFT_OUT, encoding="utf-8")
    template = {"spec": {"containers": [{"name": "c"}]}}
    spec = {"template": template, "list": [{"no": False}]}
    give(monkeypatch, {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec})
    found = sources(run(capsys, "inspect", "--explain", "-m", str(tmp_path)))
    assert {about: cells[0] for (about, name), cells in found.items() if name == "left out"} == {
        "typo": "`podTemplate` is absent: object.spec.tmplate",
        "mixed": "`podSpec` is absent",
        "each": "no element of `forEach`",
        "some": "no element of `forEach` for which `where` holds",
        "unused": "`when` does not hold",
        "inner": "`podTemplate` is absent: object.spec.inner",
        "nothing": "`when` does not hold",
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_a_place_that_is_told_holds_the_value(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    """At the line and column that `--explain` tells stands the value that it tells."""
    name = f"examples/{path.name}"
    lines = path.read_text(encoding="utf-8").splitlines()
    told = 0
    for (_, what), cells in sources(run(capsys, "inspect", "--explain", name)).items():
        if len(cells) == 3 and cells[1].startswith(f"{name}:") and "(" not in what:
            line, column = map(int, cells[1].split(":")[1:])
            assert lines[line - 1][column - 1 :].startswith(cells[0])
            told += 1
    assert told


MAPPING = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget}
spec:
  workload: {group: widgets.example, versions: [v1], kind: Widget}
  variables:
  - {name: size, value: object.spec.size, default: 4}
  components:
  - name: set
    forEach: object.spec.sets
    replicas: {value: item.replicas, default: 2}
    podsPerReplica: variables.size
    minReplicas: 1
    maxReplicas: {firstOf: [item.most, variables.size]}
    minAvailable: {value: item.least, default: 1}
    minPods: {value: item.pods, when: has(item.pods)}
    podTemplate: item.template
    observed:
      ready: object.status.ready
      active: '1 + 1'
  pods: {selector: {widget: object.metadata.name}}
  status:
    observedGeneration: object.status.seen
    rules:
    - {phase: Running, when: '"Good" in conditionsTrue', condition: Good}
  gang:
  - name: all
    members: [set]
    minMember: object.spec.least
    queue: object.metadata.labels.queue
    topology: {required: object.metadata.labels.zone}
"""
WIDGET: dict[str, Any] = {
    "apiVersion": "widgets.example/v1",
    "kind": "Widget",
    "metadata": {
        "name": "w",
        "uid": "u",
        "generation": 3,
        "labels": {"queue": "a queue with a name that is very long", "zone": "z"},
    },
    "spec": {"least": 2, "sets": {"a": {"template": {"spec": {"containers": []}}}}},
    "status": {
        "seen": 3,
        "ready": 1,
        "conditions": [{"type": "Good", "status": "True", "reason": "AllGood", "message": "it\nruns"}],
    },
}


@pytest.fixture
def widget(tmp_path: Path) -> str:
    """The path of a mapping with every way in which a value comes about."""
    path = tmp_path / "widget.yaml"
    path.write_text(MAPPING, encoding="utf-8")
    return str(path)


def test_every_way_in_which_a_value_comes_about_has_its_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], widget: str
) -> None:
    give(monkeypatch, WIDGET)
    found = sources(run(capsys, "inspect", "--explain", "-m", widget))
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [WIDGET]})
    condition = text.index(json.dumps(WIDGET["status"]["conditions"][0])) + 1

    def at(key: str, value: str) -> str:
        """The place of a value in the input, counted from 1 and behind its key, two quotes, colon and space."""
        found = text.index(f'"{key}": {value}')
        return f"<stdin>:1:{found + len(key) + 5}"

    found.pop(("mapping", "name"))
    assert found == {
        ("status", "phase"): ["Running", "computed", "by the status rules of the mapping"],
        ("status", "condition"): ["Good", f"<stdin>:1:{condition}", "/status/conditions/0"],
        ("status", "reason"): ["AllGood", at("reason", '"All'), "/status/conditions/0/reason"],
        ("status", "message"): ["it runs", at("message", '"it'), "/status/conditions/0/message"],
        ("status", "observedGeneration"): ["3", at("seen", "3"), "/status/seen"],
        ("set/a", "instance"): ["a", "computed", "the key or index of the element"],
        ("set/a", "replicas"): ["2", "default"],
        ("set/a", "minReplicas"): ["1", "fixed"],
        ("set/a", "maxReplicas"): ["4", "default"],
        ("set/a", "podsPerReplica"): ["4", "default"],
        ("set/a", "pods"): ["8", "computed", "replicas × podsPerReplica"],
        ("set/a", "minPods"): ["4", "computed"],
        ("set/a", "podTemplate"): [at("template", "{"), "/spec/sets/a/template"],
        ("set/a", "ready (observed)"): ["1", at("ready", "1"), "/status/ready"],
        ("set/a", "active (observed)"): ["2", "computed", "1 + 1"],
        ("gang all", "minMember"): ["2", at("least", "2"), "/spec/least"],
        ("gang all", "queue"): [
            "a queue with a name that is ver…",
            at("queue", '"a'),
            "/metadata/labels/queue",
        ],
        ("gang all", "topology.required"): ["z", at("zone", '"z'), "/metadata/labels/zone"],
    }


# Several kinds and their pods


def job(name: str, namespace: str = "lab") -> dict[str, Any]:
    """A running Job of two pods."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {"parallelism": 2, "completions": 2, "template": {"spec": {"containers": [{"name": "c"}]}}},
        "status": {"active": 2, "ready": 1},
    }


def pod(name: str, labels: dict[str, str], namespace: str = "lab") -> dict[str, Any]:
    """A running pod."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name, "labels": labels},
        "spec": {"containers": [{"name": "c"}], "nodeName": "n1"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def test_pods_in_the_input_go_to_the_workloads_that_select_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(
        monkeypatch,
        pod("alone", {}),
        pod("one-a", {"batch.kubernetes.io/job-name": "one"}),
        job("one"),
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}},
        job("two"),
        job("none"),
        pod("one-b", {"batch.kubernetes.io/job-name": "one"}),
        pod("two-a", {"batch.kubernetes.io/job-name": "two"}),
        pod("elsewhere", {"batch.kubernetes.io/job-name": "none"}, "other"),
    )
    assert main(["inspect"]) == 0
    out, err = capsys.readouterr()
    assert err == "note: left out 1 object that is no workload: 1 Service\n"
    trees = [block for block in out.split("\n\n") if not block.startswith("Gang")]
    told = {"one": "2 Running", "two": "1 Running, 1 not found", "none": "no pods found"}
    assert [block.splitlines() for block in trees[:3]] == [
        [
            f"Job {name}   namespace lab   Running   2 pods",
            f"└─ pod   2 pods   min 1   1 of 2 pods ready, 2 active   {found}",
        ]
        for name, found in told.items()
    ]
    assert {block.splitlines()[0] for block in trees[3:]} == {
        "Pod alone   namespace lab   Running   1 pod",
        "Pod elsewhere   namespace other   Running   1 pod",
    }


def test_pods_of_no_component_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], widget: str
) -> None:
    sets: dict[str, Any] = {"sets": {name: {"template": {"spec": {"containers": []}}} for name in "ab"}}
    give(monkeypatch, {**WIDGET, "spec": sets}, pod("p", {"widget": "w"}, "default"))
    assert main(["inspect", "-m", widget]) == 0
    assert "\n\nPods of no component\n  p   several components claim it\n" in capsys.readouterr().out


# Colour and characters


class Terminal(io.TextIOWrapper):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("options", "environ", "colored"),
    [
        pytest.param([], {}, True, id="a-terminal"),
        pytest.param([], {"NO_COLOR": "1"}, False, id="no-color"),
        pytest.param([], {"TERM": "dumb"}, False, id="a-dumb-terminal"),
        pytest.param(["--color", "never"], {}, False, id="never"),
        pytest.param(["--color", "always"], {"NO_COLOR": "1"}, True, id="always"),
    ],
)
@pytest.mark.parametrize("command", ["inspect", "gang"])
def test_colour_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch, command: str, options: list[str], environ: dict[str, str], *, colored: bool
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    written = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Terminal(written, encoding="utf-8", write_through=True))
        assert main([command, "examples/jobset.yaml", *options]) == 0
        text = written.getvalue().decode()
    assert ("\x1b[" in text) is colored
    if not colored:
        assert text == (INSPECT if command == "inspect" else GANG)["jobset"]


def test_messages_are_coloured_on_a_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", Terminal(written, encoding="utf-8", write_through=True))
        assert main(["inspct"]) == 2
        assert written.getvalue().startswith(b"\x1b[31;1merror:\x1b[0m there is no command")


def test_an_output_without_lines_gets_ascii() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workloadmap_spec", "inspect", "examples/raycluster.yaml"],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.decode("ascii").splitlines()[1:4] == [
        "|- head                     1 pod",
        "|- worker/extract   4 x 1 = 4 pods   min 2   2-12 replicas",
        "`- worker/embed     1 x 2 = 2 pods           1-3 replicas",
    ]


def test_names_that_an_output_cannot_show_are_escaped() -> None:
    strange = {**job("größe"), "status": {}}
    done = subprocess.run(
        [sys.executable, "-m", "workloadmap_spec", "inspect", "-"],
        input=json.dumps(strange).encode(),
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.startswith(b"Job gr\\xf6\\xdfe   namespace lab   Initializing   2 pods\n")


def test_the_text_is_the_same_in_every_run() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-m", "workloadmap_spec", "inspect", "--explain", "--pods", "examples"],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1

"""Workloads changed by the command line: which are, what is printed, and files that are edited in place."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from workloadmap_spec.cli import main

if TYPE_CHECKING:
    from workloadmap_spec.pointer import JSON

JOB = """\
# A job of two pods.
apiVersion: batch/v1
kind: Job
metadata: {name: count, namespace: lab}
spec:
  parallelism: 2   # as many as there are machines
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: 'registry.example/count:1'  # the old one
"""

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: rays
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers: [{name: head, image: "registry.example/ray:2"}]
  workerGroupSpecs:
  - groupName: small
    replicas: 1
    minReplicas: 0
    maxReplicas: 5
    rayStartParams: {}
    template:
      spec:
        tolerations:
        - key: spot   # they may go away
          operator: Exists
        containers: [{name: worker, image: "registry.example/ray:2"}]
"""

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {containers: [{name: main, image: "registry.example/x:1"}]}
"""

CONFIG = """\
# Nobody touches this.
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:   {a: "1"}
"""

STATEFULSET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "registry.example/db:1"}]}}
"""

STRANGE = "apiVersion: example.com/v1\nkind: Strange\nmetadata: {name: one}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["workloadmap"])
    return tmp_path


class Run:
    """Runs the command, and keeps what came of it."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """Keep what it is run with."""
        self.capsys = capsys
        self.monkeypatch = monkeypatch
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0, stdin: str | None = None) -> str:
        """The output."""
        if stdin is not None:
            self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        found = main(list(arguments))
        out, self.err = self.capsys.readouterr()
        assert found == code, self.err
        return out

    def patch(self, *arguments: str, stdin: str) -> JSON:
        """The JSON Patch of a workload from the standard input."""
        return json.loads(self(*arguments, "-o", "json-patch", "-", stdin=stdin))


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in an empty folder."""
    assert folder
    return Run(capsys, monkeypatch)


def replaced(path: str, value: JSON) -> dict[str, Any]:
    """An operation of a JSON Patch."""
    return {"op": "replace", "path": path, "value": value}


def added(path: str, value: JSON) -> dict[str, Any]:
    """Another one."""
    return {"op": "add", "path": path, "value": value}


# What is changed

WORKER = "/spec/workerGroupSpecs/0"
HEAD = "/spec/headGroupSpec"
TEMPLATE = "/spec/template/spec"
TAINT = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Exists"}

CHANGES: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("scale --component worker --replicas 3", CLUSTER, [replaced(f"{WORKER}/replicas", 3)]),
    ("scale --component worker --instance small --replicas 3", CLUSTER, [replaced(f"{WORKER}/replicas", 3)]),
    (
        "scale --component worker --replicas 7 --min-replicas 2 --max-replicas 9",
        CLUSTER,
        [
            replaced(f"{WORKER}/{name}", count)
            for name, count in (("replicas", 7), ("minReplicas", 2), ("maxReplicas", 9))
        ],
    ),
    ("set --image x:2", JOB, [replaced(f"{TEMPLATE}/containers/0/image", "x:2")]),
    ("set --image x:2 --container main", JOB, [replaced(f"{TEMPLATE}/containers/0/image", "x:2")]),
    ("set --image x:2 --image x:3", JOB, [replaced(f"{TEMPLATE}/containers/0/image", "x:3")]),
    ("set --component head --image x:2", CLUSTER, [replaced(f"{HEAD}/template/spec/containers/0/image", "x:2")]),
    (
        "set --scheduler-name s --priority-class p",
        JOB,
        [added(f"{TEMPLATE}/schedulerName", "s"), added(f"{TEMPLATE}/priorityClassName", "p")],
    ),
    (
        "set --request cpu=4 --limit memory=2Gi",
        JOB,
        [added(f"{TEMPLATE}/containers/0/resources", {"requests": {"cpu": "4"}, "limits": {"memory": "2Gi"}})],
    ),
    (
        "set --label a=b=c --annotation d=",
        JOB,
        [added("/spec/template/metadata", {"labels": {"a": "b=c"}, "annotations": {"d": ""}})],
    ),
    ("set --label a=b --label a-", JOB, [added("/spec/template/metadata", {"labels": {}})]),
    ("set --node-selector zone=a", JOB, [added(f"{TEMPLATE}/nodeSelector", {"zone": "a"})]),
    (
        "set --workload-label a=b --workload-annotation c=d",
        JOB,
        [added("/metadata/labels", {"a": "b"}), added("/metadata/annotations", {"c": "d"})],
    ),
    ("set --toleration gpu:NoSchedule", JOB, [added(f"{TEMPLATE}/tolerations", [TAINT])]),
    (
        "set --toleration a=b",
        JOB,
        [added(f"{TEMPLATE}/tolerations", [{"key": "a", "operator": "Equal", "value": "b"}])],
    ),
    ("set --toleration gpu-", JOB, []),
    (
        "set --toleration gpu:NoSchedule",
        CLUSTER,
        [
            added(f"{HEAD}/template/spec/tolerations", [TAINT]),
            replaced(f"{WORKER}/template/spec/tolerations", [SPOT, TAINT]),
        ],
    ),
    (
        "set --component worker --toleration gpu:NoSchedule",
        CLUSTER,
        [replaced(f"{WORKER}/template/spec/tolerations", [SPOT, TAINT])],
    ),
    ("set --instance small --toleration x-", CLUSTER, []),
    ("set --toleration spot", CLUSTER, [added(f"{HEAD}/template/spec/tolerations", [SPOT])]),
    ("set --toleration spot-", CLUSTER, [{"op": "remove", "path": f"{WORKER}/template/spec/tolerations"}]),
    ("suspend", JOB, [added("/spec/suspend", value=True)]),
    ("resume", JOB, []),
]


@pytest.mark.parametrize(
    ("command", "text", "wanted"), CHANGES, ids=[f"{row[0]} ({row[1].split()[-1]})" for row in CHANGES]
)
def test_a_change(run: Run, command: str, text: str, wanted: list[dict[str, Any]]) -> None:
    assert sorted(run.patch(*command.split(), stdin=text), key=str) == sorted(wanted, key=str)
    count = len(wanted)
    told = "nothing to change" if not count else "1 place changed" if count == 1 else f"{count} places changed"
    assert run.err.endswith(f": {told}\n")


def test_a_queue_is_set(run: Run) -> None:
    out = run("set", "--queue", "night", "-o", "merge-patch", stdin=CLUSTER)
    (labels,) = json.loads(out)["metadata"].values()
    assert list(labels.values()) == ["night"]


def test_removing_a_toleration_keeps_the_others(run: Run) -> None:
    text = run("set", "--component", "worker", "--toleration", "gpu:NoSchedule", stdin=CLUSTER)
    (found,) = run.patch("set", "--component", "worker", "--toleration", "spot-", stdin=text)
    assert found == replaced(f"{WORKER}/template/spec/tolerations", [TAINT])


# What is printed


def test_the_changed_objects_are_printed_with_all_others(run: Run) -> None:
    out = run("suspend", stdin=f"{JOB}---\n{CONFIG}---\n{STRANGE}")
    job, config, strange = yaml.safe_load_all(out)
    before = yaml.safe_load(JOB)
    assert job == {**before, "spec": {**before["spec"], "suspend": True}}
    assert (config, strange) == (yaml.safe_load(CONFIG), yaml.safe_load(STRANGE))
    assert run.err == (
        "note: Strange one stays as it is: no mapping fits Strange of example.com/v1\n"
        "note: Job lab/count: 1 place changed\n"
    )


def test_json_is_the_object_or_a_list(run: Run) -> None:
    assert json.loads(run("suspend", "-o", "json", stdin=JOB))["kind"] == "Job"
    found = json.loads(run("suspend", "-o", "json", stdin=f"{JOB}---\n{CONFIG}"))
    assert (found["apiVersion"], found["kind"]) == ("v1", "List")
    assert [item["kind"] for item in found["items"]] == ["Job", "ConfigMap"]


def test_what_is_not_written_stays_as_it_was_given(run: Run) -> None:
    text = JOB.replace("completions: 2", "completions: null")
    assert yaml.safe_load(run("suspend", stdin=text))["spec"]["completions"] is None


def test_nothing_to_change_prints_the_object_as_it_was(run: Run) -> None:
    assert yaml.safe_load(run("resume", stdin=JOB)) == yaml.safe_load(JOB)
    assert run.err == "note: Job lab/count: nothing to change\n"


def test_a_merge_patch(run: Run) -> None:
    assert json.loads(run("suspend", "-o", "merge-patch", stdin=JOB)) == {"spec": {"suspend": True}}


# Which are changed


def test_all_workloads_are_changed_or_those_that_are_chosen(run: Run) -> None:
    text = f"{JOB}---\n{CLUSTER}"

    def suspended(*arguments: str) -> list[bool]:
        found = yaml.safe_load_all(run("suspend", *arguments, stdin=text))
        return [document["spec"].get("suspend", False) for document in found]

    assert suspended() == [True, True]
    assert suspended("--kind", "job") == [True, False]
    assert suspended("--name", "rays") == [False, True]


def test_pods_are_changed_only_if_they_are_meant(run: Run) -> None:
    text = f"{STATEFULSET}---\n{POD}"

    def images(*arguments: str) -> list[str]:
        found = list(yaml.safe_load_all(run("set", "--image", "n:1", *arguments, stdin=text)))
        specs = [found[0]["spec"]["template"]["spec"], found[1]["spec"]]
        return [spec["containers"][0]["image"] for spec in specs]

    assert images() == ["n:1", "registry.example/x:1"]
    assert images("--kind", "Pod") == ["registry.example/db:1", "n:1"]
    (found,) = run.patch("set", "--image", "n:1", stdin=POD)
    assert found == replaced("/spec/containers/0/image", "n:1")


# What is wrong


@pytest.mark.parametrize(
    ("command", "text", "code", "told"),
    [
        ("suspend --kind Job --name other", JOB, 1, "no workload Job other in the input\n  there are Job lab/count"),
        ("suspend", CONFIG, 1, "there is no workload in the input"),
        ("suspend", STRANGE, 1, "no mapping fits Strange of example.com/v1"),
        ("suspend", "a: [", 1, "not YAML"),
        ("suspend", "a: 1\n---\n" + JOB, 1, "nothing was written"),
        ("suspend", STATEFULSET, 1, "StatefulSet db: the mapping statefulset knows no way to suspend a workload"),
        ("scale --component nope --replicas 1", CLUSTER, 1, "rays: --component: there is no component `nope`"),
        ("set --component nope --toleration a", CLUSTER, 1, "rays: --component: there is no component `nope`"),
        ("set --instance nope --toleration a-", CLUSTER, 1, "RayCluster rays: --instance: there is no instance `nope`"),
        ("set --container nope --image x", JOB, 1, "Job lab/count: --container: pod pod has no container `nope`"),
        ("scale", JOB, 2, "no count is given\n  give one of --replicas, --pods-per-replica"),
        ("scale --replicas -1", JOB, 2, "scale: `replicas` must be a whole number from 0"),
        ("scale --replicas many", JOB, 2, "argument --replicas: invalid int value"),
        ("set", JOB, 2, "nothing is given that could be set"),
        ("set --image=", JOB, 2, "argument --image: it is empty"),
        ("set --label x", JOB, 2, "argument --label: `x` is neither NAME=VALUE nor NAME-"),
        ("set --label =x", JOB, 2, "argument --label: `=x` is neither NAME=VALUE nor NAME-"),
        ("set --toleration a:Never", JOB, 2, "argument --toleration: `a:Never` is not KEY[=VALUE][:EFFECT]"),
        ("set --toleration =a", JOB, 2, "argument --toleration: `=a` is not KEY[=VALUE][:EFFECT]"),
        ("set --request cpu=many", JOB, 2, "--request cpu=many: `value` must be a quantity"),
        ("set --container main --label a=b", JOB, 2, "--container is given, and nothing of a container is set"),
        ("set --component pod --queue a", JOB, 2, "whole, and --component for a part of it"),
        ("suspend -o json-patch", f"{JOB}---\n{CLUSTER}", 2, "a patch is of one workload, and 2 are meant"),
        ("suspend --in-place", JOB, 2, "the standard input cannot be edited in place"),
        ("suspend --in-place -o yaml job.yaml", JOB, 2, "--in-place prints nothing, so there is no use for --output"),
    ],
)  # fmt: skip
def test_a_mistake(run: Run, command: str, text: str, code: int, told: str) -> None:
    assert run(*command.split(), code=code, stdin=text) == ""
    assert told in run.err


def test_an_object_that_exists_is_told_with_the_place_that_cannot_be_changed(run: Run, folder: Path) -> None:
    (folder / "job.yaml").write_text(JOB.replace("{name: count,", "{name: count, uid: u,"), encoding="utf-8")
    run("set", "--image", "x:2", "job.yaml", code=1)
    assert run.err.startswith("error: job.yaml:13:16: /spec/template/spec/containers/0/image: Job lab/count: ")
    assert run.err.endswith("note: nothing was written\n")


def test_a_workload_that_cannot_be_read_is_told_with_its_place(run: Run, folder: Path) -> None:
    text = "apiVersion: batch/v1\nkind: Job\nmetadata: 1\n"
    (folder / "job.yaml").write_text(text, encoding="utf-8")
    run("suspend", "job.yaml", code=1)
    assert run.err.startswith("error: job.yaml:3:11: /metadata: ")


# In place


def test_a_file_is_edited_where_it_differs(run: Run, folder: Path) -> None:
    path = folder / "all.yaml"
    path.write_text(f"{CONFIG}---\n{JOB}---\n{CLUSTER}", encoding="utf-8")
    path.chmod(0o640)
    assert run("set", "-i", "--image", "x:2", "--kind", "Job", "all.yaml") == ""
    job = JOB.replace("'registry.example/count:1'  # the old one", "x:2  # the old one")
    assert path.read_text(encoding="utf-8") == f"{CONFIG}---\n{job}---\n{CLUSTER}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(folder) == ["all.yaml"]  # noqa: PTH208 - names
    assert run.err == "note: Job lab/count: 1 place changed\n"


def test_a_file_in_which_nothing_changes_is_not_touched(run: Run, folder: Path) -> None:
    path = folder / "job.yaml"
    path.write_text(JOB, encoding="utf-8")
    before = path.stat()
    run("resume", "-i", "job.yaml")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_link_stays_and_the_file_is_edited(run: Run, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "job.yaml").write_text(JOB, encoding="utf-8")
    (folder / "link.yaml").symlink_to("real/job.yaml")
    run("suspend", "-i", "link.yaml")
    assert (folder / "link.yaml").is_symlink()
    assert (folder / "real" / "job.yaml").read_text(encoding="utf-8") == f"{JOB}  suspend: true\n"


def test_all_files_are_edited_or_none(run: Run, folder: Path) -> None:
    anchored = JOB.replace("parallelism: 2 ", "parallelism: &n 2 ").replace("completions: 2", "completions: *n")
    texts = {"a.yaml": JOB, "b.yaml": CLUSTER, "c.yaml": STATEFULSET}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")

    def now() -> dict[str, str]:
        return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}

    run("suspend", "-i", ".", code=1)
    assert now() == texts
    (folder / "c.yaml").unlink()
    run("suspend", "-i", ".")
    assert all("suspend: true" in text for text in now().values())
    (folder / "a.yaml").write_text(anchored, encoding="utf-8")
    (folder / "b.yaml").write_text(JOB, encoding="utf-8")
    before = now()
    run("scale", "-i", "--replicas", "1", "b.yaml", "a.yaml", code=3)
    assert "a.yaml: this text cannot be edited in place: " in run.err
    assert "nothing was written; leave --in-place out, and `-o yaml` prints it anew" in run.err
    assert now() == before


def test_a_file_that_cannot_be_put_in_its_place_leaves_nothing_behind(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")

    def refuse(_self: Path, _target: Path) -> None:
        raise PermissionError(13, "Permission denied", "job.yaml")

    monkeypatch.setattr(Path, "replace", refuse)
    run("suspend", "-i", "job.yaml", code=3)
    assert run.err == "error: job.yaml: Permission denied\n"
    assert [path.name for path in folder.iterdir()] == ["job.yaml"]
    assert (folder / "job.yaml").read_text(encoding="utf-8") == JOB

"""Output for programs: maps and groups as JSON, YAML and NDJSON, schemas, mappings, and completion."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import rfc8785
import yaml

from workloadmap_spec import Catalog
from workloadmap_spec.cli import main
from workloadmap_spec.cli.schema import FILES

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.usefixtures("_checkout")


@pytest.fixture
def _checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where the examples are."""
    monkeypatch.chdir(ROOT)


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What a command prints that tells nothing."""
    assert main(list(arguments)) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a text into the standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


def expected(name: str) -> dict[str, Any]:
    """The map of an example, made by the library."""
    documents = list(yaml.safe_load_all((ROOT / "examples" / f"{name}.yaml").read_text(encoding="utf-8")))
    pods = [document for document in documents if document["kind"] == "Pod"]
    (workload,) = (document for document in documents if document["kind"] != "Pod")
    return Catalog.builtin().read(workload, pods or None).to_dict()


JOBSET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "größe", "namespace": "lab"},
    "spec": {"replicatedJobs": [{"name": "w", "replicas": 2, "template": {"spec": {"template": {"spec": {}}}}}]},
}


# Maps


def test_one_workload_is_one_canonical_document(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "map", "examples/jobset.yaml")
    assert json.loads(out) == expected("jobset")
    assert out.encode() == rfc8785.dumps(json.loads(out)) + b"\n"


def test_several_workloads_are_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "map", "examples/leaderworkerset.yaml", "examples/raycluster.yaml")
    assert json.loads(out) == [expected("leaderworkerset"), expected("raycluster")]
    assert out.encode() == rfc8785.dumps(json.loads(out)) + b"\n"


def test_yaml_is_one_document_for_each_workload(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "map", "-o", "yaml", "examples")
    assert list(yaml.safe_load_all(out)) == [expected(name) for name in ("jobset", "leaderworkerset", "raycluster")]
    assert out.startswith("apiVersion: workloadmap.dev/v1alpha1\nkind: WorkloadMap\n")


def test_data_is_utf_8_whatever_the_locale_says() -> None:
    for form in ("json", "yaml", "ndjson"):
        done = subprocess.run(
            [sys.executable, "-m", "workloadmap_spec", "map", "-o", form, "-"],
            input=json.dumps(JOBSET).encode(),
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
        )
        assert yaml.safe_load(done.stdout.decode("utf-8"))["workload"]["name"] == "größe"


def test_ndjson_has_one_canonical_map_a_line_and_pods_are_workloads(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "map", "-o", "ndjson", "examples/jobset.yaml").splitlines()
    maps = [json.loads(line) for line in lines]
    assert [entry["workload"]["kind"] for entry in maps] == ["JobSet"] + ["Pod"] * 9
    assert {key: value for key, value in expected("jobset").items() if key != "pods"} == maps[0]
    assert [line.encode() for line in lines] == [rfc8785.dumps(entry) for entry in maps]


def test_ndjson_reads_lists_and_json_that_runs_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forms = {"a": None, "b": 2, "c": 1, "d": None}
    named = [json.dumps({**JOBSET, "metadata": {"name": name}}, indent=indent) for name, indent in forms.items()]
    items = f'{{"apiVersion": "v1", "kind": "List", "items": [{named[2]}, {named[3]}]}}'
    give(monkeypatch, f"{named[0]}{named[1]}\n{items}")
    lines = run(capsys, "map", "-o", "ndjson").splitlines()
    assert [json.loads(line)["workload"]["name"] for line in lines] == list("abcd")


def test_ndjson_reads_folders_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(run(capsys, "map", "-o", "ndjson", "examples").splitlines()) == 12


def test_a_bad_line_does_not_hide_the_lines_after_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = json.dumps({"apiVersion": "v1", "kind": "Service"})
    strange = json.dumps({"apiVersion": "example.com/v1", "kind": "Strange"})
    good = json.dumps(JOBSET)
    give(monkeypatch, f'{good}\n{{"kind": }}\n{service}\n{strange}\n{good}\n{service}\n')
    assert main(["map", "-o", "ndjson"]) == 1
    out, err = capsys.readouterr()
    assert out.count("\n") == 2
    assert [line for line in err.splitlines() if not line.startswith("  ")] == [
        line
        for line in err.splitlines()
        if line.startswith(("error: <stdin>:2:", "error: <stdin>:4:1: no mapping fits", "note: left out 2 objects"))
    ]


OBJECTS = 10_000


def test_a_long_stream_is_read_in_flat_memory(tmp_path: Path) -> None:
    """Ten thousand objects take no more memory than ten, and each gives its line."""
    program = (
        "import resource, sys; from workloadmap_spec.cli import main; code = main(sys.argv[1:]);"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    for count in (10, OBJECTS):
        path = tmp_path / f"{count}.ndjson"
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({**JOBSET, "metadata": {"name": f"n{number}"}}) + "\n")
        done = subprocess.run(
            [sys.executable, "-c", program, "map", "-o", "ndjson", str(path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        lines = done.stdout.splitlines()
        assert len(lines) == count
        assert json.loads(lines[-1])["workload"]["name"] == f"n{count - 1}"
        code, peak = map(int, done.stderr.split())
        assert code == 0
        peaks.append(peak)
    assert peaks[1] < peaks[0] * 1.2, peaks


def test_a_map_is_written_while_the_input_is_still_open() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "workloadmap_spec", "map", "-o", "ndjson", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        guard = threading.Timer(30, running.kill)
        guard.start()
        for name in ("one", "two"):
            running.stdin.write(json.dumps({**JOBSET, "metadata": {"name": name}}).encode() + b"\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["workload"]["name"] == name
        running.stdin.close()
        assert running.wait() == 0
        guard.cancel()


# Groups


def test_groups_are_given_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "gang", "-o", "json", "examples/jobset.yaml")
    whole = expected("jobset")
    assert json.loads(out) == {"workload": whole["workload"], "groups": whole["gang"]["groups"]}
    assert out.encode() == rfc8785.dumps(json.loads(out)) + b"\n"


def test_groups_of_several_workloads_are_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    names = [entry["workload"]["kind"] for entry in json.loads(run(capsys, "gang", "-o", "json", "examples"))]
    assert names == ["JobSet", "LeaderWorkerSet", "RayCluster"]


def test_groups_are_given_as_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(yaml.safe_load_all(run(capsys, "gang", "-o", "yaml", "examples")))
    assert [entry["groups"][0]["id"] for entry in found] == ["workload", "group/0", "workload"]


# Schemas


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_specification_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = ROOT / "schema" / "v1alpha1" / FILES[name]
    assert run(capsys, "schema", name) == path.read_text(encoding="utf-8")


def test_every_schema_can_be_printed() -> None:
    assert {path.name for path in (ROOT / "schema" / "v1alpha1").iterdir()} <= {
        *FILES.values(),
        "conformance-report.schema.json",
    }


# Mappings


def test_every_shipped_mapping_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted((ROOT / "mappings").glob("*/*.yaml"))
    workloads = [yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]["workload"] for path in files]
    listed = json.loads(run(capsys, "mappings", "list", "-o", "json"))
    assert {(entry["group"], entry["kind"], *entry["versions"]) for entry in listed} == {
        (workload["group"], workload["kind"], *workload["versions"]) for workload in workloads
    }
    for form in ("table", "markdown"):
        lines = run(capsys, "mappings", "list", "-o", form).splitlines()
        assert len(lines) == len(listed) + (1 if form == "table" else 2)


MAPPING = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget, x-checked: widgets 1.2}
# A comment that stays.
spec:
  workload: {group: widgets.example, versions: [v1, v2], kind: Widget}
  references:
  - {name: frame, apiVersion: widgets.example/v1, kind: Frame, resourceName: object.spec.frame}
  - name: other
    candidates:
    - {apiVersion: widgets.example/v1, kind: Box, resourceName: object.spec.other}
    - {apiVersion: {value: object.apiVersion}, kind: {value: object.spec.kind}, resourceName: object.spec.other}
  components:
  - name: set
    components:
    - {name: leader, role: leader, podTemplate: object.spec.leader}
    - {name: rest, role: worker, podTemplate: object.spec.rest}
  - {name: front, role: x-front, podTemplate: object.spec.front}
  status:
    rules:
    - {phase: Failed, when: 'false'}
    - {phase: Degraded, when: 'false'}
    readiness: {type: READINESS, ready: '1'}
  suspend:
    suspend: [{set: object.spec.suspend, to: true}]
    resume: [{set: object.spec.suspend, to: false}]
  gang:
  - {name: all, members: [set]}
"""


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    """A mapping of somebody's own."""
    path = tmp_path / "widget.yaml"
    path.write_text(MAPPING.replace("READINESS", "service"), encoding="utf-8")
    return path


def test_what_a_mapping_can_do_is_told(capsys: pytest.CaptureFixture[str], mapping: Path) -> None:
    listed = json.loads(run(capsys, "mappings", "list", "-m", str(mapping), "-o", "json"))
    (entry,) = (entry for entry in listed if entry["name"] == "widget")
    assert entry.pop("digest").startswith("sha256:")
    assert entry == {
        "name": "widget",
        "group": "widgets.example",
        "kind": "Widget",
        "versions": ["v1", "v2"],
        "components": [
            {
                "name": "set",
                "components": [{"name": "leader", "role": "leader"}, {"name": "rest", "role": "worker"}],
            },
            {"name": "front", "role": "x-front"},
        ],
        "phases": ["Initializing", "Running", "Degraded", "Failed"],
        "gang": True,
        "suspend": True,
        "references": ["Box", "Frame", "named by the object"],
        "checked": "widgets 1.2",
    }


@pytest.mark.parametrize(
    ("form", "line"),
    [
        pytest.param(
            "table",
            "Widget widgets.example/v1,v2 widget yes yes set [leader, rest (worker)], front (x-front)"
            " Initializing, Running, Degraded, Failed Box, Frame, named by the object widgets 1.2",
            id="a-table-for-people",
        ),
        pytest.param(
            "markdown",
            "| `Widget` | `widgets.example/v1,v2` | `widget` | set [leader, rest (worker)], front (x-front)"
            " | Initializing, Running, Degraded, Failed | yes | yes | Box, Frame, named by the object | widgets 1.2 |",
            id="a-table-for-the-readme",
        ),
    ],
)
def test_a_mapping_has_a_line(capsys: pytest.CaptureFixture[str], mapping: Path, form: str, line: str) -> None:
    lines = run(capsys, "mappings", "list", "-m", str(mapping), "-o", form).splitlines()
    assert [" ".join(found.split()) for found in lines if "Widget" in found] == [line]


@pytest.mark.parametrize(
    ("old", "new", "phases"),
    [
        pytest.param("READINESS", "task", ["Initializing", "Running", "Degraded", "Failed"], id="a-task"),
        pytest.param("    readiness: {type: READINESS, ready: '1'}\n", "", ["Degraded", "Failed"], id="rules-alone"),
    ],
)
def test_the_phases_are_those_of_rules_and_readiness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, phases: list[str]
) -> None:
    (tmp_path / "widget.yaml").write_text(MAPPING.replace(old, new), encoding="utf-8")
    listed = json.loads(run(capsys, "mappings", "list", "-m", str(tmp_path), "-o", "json"))
    assert [entry["phases"] for entry in listed if entry["name"] == "widget"] == [phases]


def test_a_mapping_without_status_gives_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = MAPPING.partition("  status:")[0]
    (tmp_path / "widget.yaml").write_text(text, encoding="utf-8")
    listed = json.loads(run(capsys, "mappings", "list", "-m", str(tmp_path), "-o", "json"))
    (entry,) = (entry for entry in listed if entry["name"] == "widget")
    assert (entry["phases"], entry["gang"], entry["suspend"]) == (["Unknown"], False, False)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        pytest.param("JobSet", "jobset.x-k8s.io/jobset.yaml", id="by-kind"),
        pytest.param("jobset", "jobset.x-k8s.io/jobset.yaml", id="by-name"),
        pytest.param("ray.io/RayCluster", "ray.io/raycluster.yaml", id="by-group-and-kind"),
        pytest.param("core/Pod", "core/pod.yaml", id="of-the-core-group"),
    ],
)
def test_a_mapping_is_printed_as_it_is_written(capsys: pytest.CaptureFixture[str], name: str, file: str) -> None:
    assert run(capsys, "mappings", "show", name) == (ROOT / "mappings" / file).read_text(encoding="utf-8")


def test_a_mapping_of_ones_own_is_shown_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mapping: Path
) -> None:
    text = mapping.read_text(encoding="utf-8")
    for name in ("Widget", "widgets.example/widget", "widget"):
        assert run(capsys, "mappings", "show", name, "-m", str(mapping)) == text
    other = tmp_path / "jobset.yaml"
    other.write_text(text.replace("name: widget,", "name: jobset,").rstrip("\n"), encoding="utf-8")
    assert run(capsys, "mappings", "show", "-m", str(other), "jobset") == other.read_text(encoding="utf-8") + "\n"


def test_the_versions_of_a_kind_are_shown_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for version in ("v1", "v2"):
        texts.append(MAPPING.replace("[v1, v2]", f"[{version}]").replace("READINESS", "task"))
        (tmp_path / f"widget-{version}.yaml").write_text(texts[-1], encoding="utf-8")
    assert run(capsys, "mappings", "show", "Widget", "-m", str(tmp_path)) == "---\n".join(texts)


def test_a_kind_of_several_groups_must_be_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("a.example", "b.example"):
        (tmp_path / f"{group}.yaml").write_text(MAPPING.replace("widgets.example", group), encoding="utf-8")
    (tmp_path / "other.yaml").write_text("a: [not, a, mapping]\n", encoding="utf-8")
    assert main(["mappings", "show", "Widget", "-m", str(tmp_path)]) == 2
    assert capsys.readouterr() == (
        "",
        "error: `Widget` is in several groups\n  write `a.example/Widget` or `b.example/Widget`\n",
    )


@pytest.mark.parametrize("name", ["../Pod", "*/Pod", "", "/", "a b", "x/y/z"])
def test_a_strange_name_is_no_mapping(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["mappings", "show", name]) == 2
    assert capsys.readouterr().err.startswith(f"error: there is no mapping `{name}`\n")


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    out = run(capsys, "completion", shell)
    for word in ("inspect", "gang", "scale", "json-patch", "mappings", "completion", "core-types", "ndjson", "explain"):
        assert word in out


def test_completion_completes_commands_values_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    script = run(capsys, "completion", "bash") + (
        'complete_words() { COMP_WORDS=(workloadmap "$@"); COMP_CWORD=$#; _shtab_workloadmap;'
        ' echo "${COMPREPLY[@]}"; }\n'
        'complete_words mappings s\ncomplete_words map -o ""\ncomplete_words inspect exampl\n'
        "complete_words gang -m mappi\n"
    )
    bash = next((path for path in ("/bin/bash", "/usr/bin/bash") if Path(path).exists()), None)
    if bash is None:
        pytest.skip("there is no bash")
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.splitlines() == ["show", "json yaml ndjson", "examples", "mappings"], done.stderr


def test_completion_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 3
    message = "shell completion is made by shtab, which is not installed\n  pip install 'workloadmap-spec[completion]'"
    assert capsys.readouterr() == ("", f"error: {message}\n")


# Nothing asks the world


def test_no_variable_of_the_environment_changes_a_map() -> None:
    """A map depends on its inputs alone (S0.4)."""
    texts = {
        subprocess.run(
            [sys.executable, "-m", "workloadmap_spec", "map", "examples"],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        ).stdout
        for env in ({"LC_ALL": "C", "TZ": "UTC"}, {"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"})
    }
    assert len(texts) == 1

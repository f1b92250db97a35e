"""The command line as a whole: which command runs, what mistakes say, exit codes, and how fast it starts."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workloadmap_spec import __version__, cli
from workloadmap_spec.cli import main
from workloadmap_spec.no_workloads import NO_WORKLOADS, why_no_workload

ROOT = Path(__file__).resolve().parents[1]
JOBSET = "examples/jobset.yaml"

pytestmark = pytest.mark.usefixtures("_checkout")


@pytest.fixture
def _checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where the examples are, without what the environment of the tester says."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["workloadmap"])
    for name in ("NO_COLOR", "TERM", "COLUMNS", "WORKLOADMAP_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


def process(
    *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "workloadmap_spec", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        timeout=60,
    )


def give(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    """Put a text into the standard input."""
    data = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


class Terminal(io.StringIO):
    """A standard input at which somebody sits."""

    def isatty(self) -> bool:
        """Say so."""
        return True


# What runs


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"workloadmap {__version__}\n", "")


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["workloadmap", "schema", "spec"])
    assert main() == 0
    assert capsys.readouterr().out == (ROOT / "schema" / "v1alpha1" / "SPEC.md").read_text(encoding="utf-8")


def test_the_package_can_be_run_as_a_module() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"workloadmap {__version__}\n".encode(), b"")


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        pytest.param("/usr/bin/workloadmap", "usage: workloadmap inspect ", id="under-its-own-name"),
        pytest.param("/usr/bin/kubectl-workloadmap", "usage: kubectl workloadmap inspect ", id="as-a-plugin"),
        pytest.param("/x/workloadmap_spec/__main__.py", "usage: workloadmap inspect ", id="as-a-module"),
    ],
)
def test_help_shows_the_name_that_was_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], program: str, shown: str
) -> None:
    monkeypatch.setattr("sys.argv", [program])
    assert main(["inspect", "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(shown)
    name = shown.removeprefix("usage: ").removesuffix(" inspect ")
    assert f"\n  {name} inspect examples/jobset.yaml\n" in text


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--pods", "-m", "mappings", "--color", "never", JOBSET], id="options-before-paths"),
        pytest.param([JOBSET, "--pods", "-m", "mappings", "--color", "never"], id="options-after-paths"),
        pytest.param(["--pods", JOBSET, "-m", "mappings", JOBSET, "--color=never"], id="options-between-paths"),
    ],
)
def test_options_and_paths_stand_in_any_order(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["inspect", *arguments]) == 0
    out, err = capsys.readouterr()
    assert (out.count("glacier-sft-workers-"), err) == (8, "")


# Mistakes on the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            [],
            "error: the following arguments are required: COMMAND\n  try `workloadmap --help`\n",
            id="no-command",
        ),
        pytest.param(["inspct"], "error: there is no command `inspct`\n  did you mean `inspect`?\n", id="a-slip"),
        pytest.param(
            ["frobnicate"],
            "error: there is no command `frobnicate`\n"
            "  the commands are: get, inspect, map, gang, report, serve-metrics, scale, set, suspend, resume,"
            " mappings, schema, validate, explain, new, test, conformance, reader, completion\n",
            id="no-such-command",
        ),
        pytest.param(
            ["inspect", "--podz", JOBSET],
            "error: unrecognized arguments: --podz\n  try `workloadmap inspect --help`\n",
            id="no-such-option",
        ),
        pytest.param(
            ["inspect", "--pod", JOBSET],
            "error: unrecognized arguments: --pod\n  try `workloadmap inspect --help`\n",
            id="options-are-not-abbreviated",
        ),
        pytest.param(
            ["map", "-o"],
            "error: argument -o/--output: expected one argument\n  try `workloadmap map --help`\n",
            id="an-option-without-its-value",
        ),
        pytest.param(
            ["inspect", ""],
            "error: a path is empty\n  name a file or a folder; . is the current one\n",
            id="an-empty-path",
        ),
        pytest.param(
            ["mappings", "show"],
            "error: the following arguments are required: NAME\n  try `workloadmap mappings show --help`\n",
            id="a-missing-name",
        ),
        pytest.param(
            ["mappings", "show", "Nothing"],
            "error: there is no mapping `Nothing`\n  `workloadmap mappings list` shows what there is\n",
            id="no-such-mapping",
        ),
    ],
)
def test_a_wrong_command_line_is_told(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", message)


def test_nobody_is_left_waiting_for_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", Terminal())
    assert main(["inspect"]) == 2
    assert capsys.readouterr() == (
        "",
        "error: there is nothing to read\n  name a file or a folder, or pipe `kubectl get ... -o yaml` into it\n",
    )


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["map", "-"]) == 2
    assert capsys.readouterr().err == "error: the standard input is closed\n  name a file or a folder\n"


# Input that cannot be read


@pytest.mark.parametrize("command", [["inspect"], ["map"], ["map", "-o", "ndjson"], ["gang"]], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "content", "code", "message"),
    [
        pytest.param(
            "none.yaml",
            None,
            3,
            "{path}: it cannot be read: No such file or directory",
            id="a-missing-file",
        ),
        pytest.param(
            "folder",
            None,
            3,
            "{path}: the directory has no files that end in .json, .yaml, .yml [input-invalid]\n"
            "  name another directory, or a file",
            id="a-folder-without-yaml",
        ),
        pytest.param("binary.yaml", b"\x7fELF\xff\x00\x01", 1, "{path}:1:", id="a-binary-file"),
        pytest.param("bad.yaml", b"a: [1, 2\nb: c", 1, "{path}:2:2: not YAML: ", id="malformed-yaml"),
        pytest.param("bad.json", b'{"a": 1', 1, "{path}:1:", id="malformed-json"),
        pytest.param("text.yaml", b"just words", 1, "{path}:1:1: a workload is a map", id="a-file-of-words"),
        pytest.param(
            "twice.yaml", b"kind: A\nkind: B\n", 1, "{path}:2:1: /kind: the key", id="a-key-that-is-written-twice"
        ),
        pytest.param(
            "nameless.yaml",
            b"kind: Job\n",
            1,
            "{path}:1:1: a workload needs a string `apiVersion`, and nothing was found [input-invalid]",
            id="no-api-version",
        ),
        pytest.param(
            "strange.yaml",
            b"# first\n---\napiVersion: example.com/v1\nkind: Strange\n",
            1,
            "{path}:3:1: no mapping fits Strange of example.com/v1 [no-mapping]\n"
            "  `workloadmap mappings list` shows the kinds; give your own with -m PATH\n",
            id="a-kind-without-a-mapping",
        ),
        pytest.param(
            "later.yaml",
            b"apiVersion: jobset.x-k8s.io/v9\nkind: JobSet\n",
            1,
            "{path}:1:1: no mapping fits JobSet of jobset.x-k8s.io/v9 [no-mapping]\n"
            "  mappings exist for the versions v1alpha2\n",
            id="a-version-without-a-mapping",
        ),
    ],
)
def test_input_that_cannot_be_read_is_told_without_a_traceback(  # noqa: PLR0913 - a table and two fixtures
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    name: str,
    content: bytes | None,
    code: int,
    message: str,
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    elif name == "folder":
        path.mkdir()
    assert main([*command, str(path)]) == code
    out, err = capsys.readouterr()
    assert out in ("", "[]\n")
    assert err.startswith(f"error: {message}".format(path=path))
    assert "Traceback" not in err


def test_what_can_be_read_is_read_and_the_worst_code_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.yaml").write_text("a: [", encoding="utf-8")
    paths = [str(tmp_path / "none.yaml"), JOBSET, str(tmp_path / "bad.yaml")]
    assert main(["map", *paths]) == 3
    out, err = capsys.readouterr()
    assert [entry["workload"]["name"] for entry in json.loads(out)] == ["glacier-sft"]
    assert err.count("error: ") == 2


OTHERS = """
apiVersion: v1
kind: Service
metadata: {name: a}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
- {apiVersion: v1, kind: Service, metadata: {name: c}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: d}}
"""


def test_kinds_that_are_no_workloads_are_counted_in_one_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: []}}}\n"
    give(monkeypatch, OTHERS + job)
    assert main(["map"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["workload"]["kind"] == "Job"
    assert err == "note: left out 4 objects that are no workloads: 1 ConfigMap, 1 Role, 2 Service\n"


@pytest.mark.parametrize(
    ("count", "more"), [(1, ""), (2, "1 more object"), (4, "3 more objects")], ids=["one", "two", "four"]
)
def test_many_objects_of_a_kind_without_a_mapping_are_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], count: int, more: str
) -> None:
    objects = [f"apiVersion: x.example/v1\nkind: Odd\nmetadata: {{name: o{number}}}\n" for number in range(count)]
    give(monkeypatch, "---\n".join(objects))
    assert main(["inspect"]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert errors[0].startswith("error: <stdin>:1:1: no mapping fits Odd of x.example/v1")
    expected = [f"error: no mapping fits {more} of kind Odd (x.example/v1) either"] if more else []
    assert errors[1:] == expected


def test_one_object_that_is_no_workload_is_told_in_the_singular(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, "apiVersion: v1\nkind: Secret\n")
    assert main(["inspect"]) == 0
    assert capsys.readouterr() == (
        "",
        "note: left out 1 object that is no workload: 1 Secret\nnote: there is no workload in the input\n",
    )


def test_an_empty_list_is_no_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    give(monkeypatch, '{"apiVersion": "v1", "kind": "List", "items": []}')
    assert main(["map"]) == 0
    assert capsys.readouterr() == ("[]\n", "note: there is no workload in the input\n")


@pytest.mark.parametrize(
    ("kind", "what", "cure"),
    [
        pytest.param(
            "WorkloadMapping",
            "is a mapping, and no workload",
            "use it with -m, check it with `workloadmap validate`",
            id="a-mapping",
        ),
        pytest.param(
            "ConformanceCase", "is a conformance case, and no workload", "run it with `workloadmap test`", id="a-case"
        ),
        pytest.param(
            "WorkloadMap",
            "is a map already, and no workload",
            "give the object that it was made from",
            id="a-map",
        ),
    ],
)
def test_documents_of_the_project_are_sent_where_they_belong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, what: str, cure: str
) -> None:
    give(monkeypatch, f"apiVersion: workloadmap.dev/v1alpha1\nkind: {kind}\n")
    assert main(["inspect"]) == 0
    assert capsys.readouterr().err == (
        f"note: <stdin>:1:1: this {what}\n  {cure}\nnote: there is no workload in the input\n"
    )


def test_no_kind_is_both_a_workload_and_none() -> None:
    """The table of other kinds holds no kind that a shipped mapping reads, and gives a reason for each."""
    from workloadmap_spec import Catalog  # noqa: PLC0415 - here only

    mapped = {(mapping.group, mapping.kind) for mapping in Catalog.builtin().mappings()}
    assert mapped & NO_WORKLOADS.keys() == set()
    assert all(NO_WORKLOADS.values())


@pytest.mark.parametrize(
    ("api_version", "kind", "known"),
    [
        pytest.param("v1", "Service", True, id="a-service"),
        pytest.param("serving.knative.dev/v1", "Service", False, id="a-service-of-another-group-runs-pods"),
        pytest.param("scheduling.volcano.sh/v1beta1", "Queue", True, id="a-queue"),
        pytest.param("autoscaling/v2", "HorizontalPodAutoscaler", True, id="of-any-version"),
        pytest.param("example.com/v1", "Strange", False, id="an-unknown-kind"),
    ],
)
def test_a_kind_is_told_by_group_and_kind(api_version: str, kind: str, *, known: bool) -> None:
    assert (why_no_workload(api_version, kind) is not None) is known


# Mappings of one's own

WIDGET = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget}
spec:
  workload: {group: widgets.example, versions: [v1], kind: Widget}
  components:
  - name: part
    replicas: object.spec.parts
    podTemplate: object.spec.template
"""
A_WIDGET = """
apiVersion: widgets.example/v1
kind: Widget
metadata: {name: w}
spec: {parts: PARTS, template: {spec: {containers: [{name: c, image: registry.example/c:1}]}}}
"""


def test_a_mapping_of_ones_own_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "widget.yaml").write_text(WIDGET, encoding="utf-8")
    give(monkeypatch, A_WIDGET.replace("PARTS", "3"))
    assert main(["inspect", "--mapping", str(tmp_path / "widget.yaml")]) == 0
    assert capsys.readouterr() == ("Widget w   no status   3 pods\n└─ part   3 pods\n", "")


def test_the_last_mapping_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(WIDGET.replace("name: widget", f"name: {name}"), encoding="utf-8")
        paths += ["-m", str(path)]
    give(monkeypatch, A_WIDGET.replace("PARTS", "3"))
    assert main(["map", *paths]) == 0
    assert json.loads(capsys.readouterr().out)["mapping"]["name"] == "two"


def test_a_mapping_that_is_wrong_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "widget.yaml"
    path.write_text(WIDGET.replace("object.spec.parts", '"object.spec.parts +"'), encoding="utf-8")
    assert main(["inspect", "-m", str(path), JOBSET]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {path}:9:")
    assert "[expression-parse" in err


def test_everything_that_is_wrong_with_a_mapping_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "widget.yaml"
    path.write_text(WIDGET.replace("object.spec.", "nothing.spec."), encoding="utf-8")
    assert main(["inspect", "-m", str(path), JOBSET]) == 1
    err = capsys.readouterr().err
    assert [line.split(" ")[1] for line in err.splitlines() if line.startswith("error: ")] == [
        f"{path}:9:15:",
        f"{path}:10:18:",
    ]


def test_a_missing_mapping_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "-m", "none", JOBSET]) == 3
    assert capsys.readouterr() == ("", "error: none: there is no such file or folder [input-invalid]\n")


@pytest.mark.parametrize("command", [["inspect"], ["map"], ["gang"], ["map", "-o", "ndjson"]], ids=" ".join)
def test_an_error_diagnostic_is_told_and_gives_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (tmp_path / "widget.yaml").write_text(WIDGET, encoding="utf-8")
    give(monkeypatch, A_WIDGET.replace("PARTS", "many"))
    assert main([*command, "-m", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    where = "[result-type, /spec/components/0/replicas of the mapping"
    if command == ["inspect"]:
        assert where in out
        assert err == ""
    else:
        assert err.startswith("error: <stdin>:2:1: Widget w: ")
        assert f" in part {where} widget]\n" in err


def test_strict_gives_no_map_of_a_workload_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "widget.yaml").write_text(WIDGET, encoding="utf-8")
    for options in ([], ["-o", "ndjson"]):
        give(monkeypatch, A_WIDGET.replace("PARTS", "many") + "---" + A_WIDGET.replace("PARTS", "2"))
        assert main(["map", "--strict", "-m", str(tmp_path), *options]) == 1
        out, err = capsys.readouterr()
        assert out.count('"WorkloadMap"') == 1
        assert err.startswith("error: mapping widget: /spec/components/0/replicas: ")
        assert "[result-type]" in err


# Faults


def _fail(_arguments: object) -> int:
    message = "of\n a test"
    raise RuntimeError(message)


def test_a_fault_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("workloadmap_spec.cli.schema.run", _fail)
    assert main(["schema", "spec"]) == 3
    assert capsys.readouterr() == (
        "",
        "error: this is a fault in workloadmap: RuntimeError: of a test (WORKLOADMAP_TRACEBACK=1 shows where)\n",
    )


def test_the_traceback_of_a_fault_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKLOADMAP_TRACEBACK", "1")
    monkeypatch.setattr("workloadmap_spec.cli.schema.run", _fail)
    assert main(["schema", "spec"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):\n")
    assert "error: this is a fault in workloadmap" in err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        pytest.param(KeyboardInterrupt(), 130, "\n", id="an-interrupt"),
        pytest.param(BrokenPipeError(), 141, "", id="a-closed-pipe-is-quiet"),
        pytest.param(
            PermissionError(13, "Permission denied", "x"), 3, "error: x: Permission denied\n", id="a-file-of-others"
        ),
        pytest.param(OSError("odd"), 3, "error: odd\n", id="an-error-without-a-file"),
    ],
)
def test_how_a_run_can_end(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def run(_arguments: object) -> int:
        raise error

    monkeypatch.setattr("workloadmap_spec.cli.schema.run", run)
    assert main(["schema", "spec"]) == code
    assert capsys.readouterr() == ("", message)


def test_a_damaged_installation_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("workloadmap_spec.cli.schema", fromlist=["FILES"]).FILES, "spec", "GONE.md")
    assert main(["schema", "spec"]) == 3
    assert capsys.readouterr().err.endswith(
        "GONE.md is missing from workloadmap-spec [internal]\n"
        "  install it again: pip install --force-reinstall workloadmap-spec\n"
    )


def test_an_output_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdout", None)
    assert main(["--version"]) == 3
    assert capsys.readouterr().err == "error: the standard output is closed\n"


def test_a_closed_error_output_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert main(["inspect", "none.yaml"]) == 3
    sys.stderr.close()


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["schema", "spec"], ["inspect", JOBSET]], ids=" ".join
)
def test_a_full_disk_is_told(arguments: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "workloadmap_spec", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            check=False,
            cwd=ROOT,
        )
    assert (done.returncode, done.stderr) == (3, b"error: No space left on device\n")


def test_a_reader_that_goes_away_ends_the_run_quietly(tmp_path: Path) -> None:
    (tmp_path / "many.ndjson").write_text(
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}\n' * 2000,
        encoding="utf-8",
    )
    with subprocess.Popen(
        [sys.executable, "-m", "workloadmap_spec", "map", "-o", "ndjson", str(tmp_path / "many.ndjson")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b'{"apiVersion"')
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


# Start


#: What no command may import that does not use it: slow, and optional or for other commands.
SLOW = ("celpy", "jsonschema", "rich", "rfc8785", "shtab", "http", "asyncio", "importlib.metadata", "unittest")


@pytest.mark.parametrize(
    ("arguments", "also"),
    [
        pytest.param(["--version"], ("argparse", "dataclasses", "pathlib", "yaml"), id="the-version"),
        pytest.param(["schema", "spec"], ("yaml", "workloadmap_spec.read"), id="a-schema"),
        pytest.param(["inspect", JOBSET], ("workloadmap_spec.validation", "workloadmap_spec.cases"), id="inspect"),
        pytest.param(["map", JOBSET], ("workloadmap_spec.cli.render",), id="map"),
    ],
)
def test_a_command_imports_only_what_it_needs(arguments: list[str], also: tuple[str, ...]) -> None:
    program = (
        "import sys; from workloadmap_spec.cli import main; code = main(sys.argv[1:]);"
        "sys.stderr.write(' '.join(sorted(sys.modules)) if code == 0 else 'failed')"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTHON"))},
    )
    imported = set(done.stderr.split())
    assert "workloadmap_spec.cli" in imported, done.stderr
    assert imported & {*SLOW, *also} == set()


def test_importing_the_command_line_imports_next_to_nothing() -> None:
    program = "import sys; before = set(sys.modules); import workloadmap_spec.cli; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert {name for name in done.stdout.split() if name.startswith("workloadmap_spec")} == {
        "workloadmap_spec",
        "workloadmap_spec.cli",
    }


def test_every_command_is_a_module_that_adds_its_parser() -> None:
    parser, subparsers = cli.make_parser()
    assert tuple(subparsers.choices) == cli.COMMANDS
    assert parser.prog == "workloadmap"

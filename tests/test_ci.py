"""What others put into their CI: the hooks of pre-commit, the GitHub Action, and what the README says of both."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from workloadmap_spec.cli import make_parser
from workloadmap_spec.validation.rules import LEVELS, RULES

ROOT = Path(__file__).parents[1]
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_bytes())
}
ACTION = yaml.safe_load((ROOT / "action.yml").read_bytes())
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
SECTION = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## In CI\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

MAPPING = """\
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: ensemble}
spec:
  workload: {group: example.org, versions: [v1], kind: Ensemble}
  components:
  - name: player
    podTemplate: object.spec.template
"""


def options(command: str) -> dict[str, Any]:
    """What our command line makes of a command; it ends the test where it is wrong."""
    program, *words = shlex.split(command)
    assert program == "workloadmap"
    return vars(make_parser()[0].parse_args(words))


def check_schema(name: str, path: Path) -> None:
    """A file is what a schema that comes with check-jsonschema says."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# The hooks


def test_there_are_two_hooks_of_the_form_that_pre_commit_reads() -> None:
    assert list(HOOKS) == ["workloadmap-validate", "workloadmap-validate-all"]
    known = {
        *("id", "name", "description", "entry", "args", "language", "types", "types_or", "files", "exclude"),
        *("pass_filenames", "require_serial", "minimum_pre_commit_version"),
    }
    for hook in HOOKS.values():
        assert set(hook) <= known
        assert hook["language"] == "python"
        # Rules that look at two files need them in one process.
        assert hook["require_serial"] is True
        # `types_or` is the newest of what is used here.
        assert hook["minimum_pre_commit_version"] == "2.9.0"


def test_only_the_hook_of_single_files_is_given_files() -> None:
    assert "pass_filenames" not in HOOKS["workloadmap-validate"]
    assert HOOKS["workloadmap-validate-all"]["pass_filenames"] is False


def test_the_hooks_run_commands_of_ours() -> None:
    single, tree = HOOKS.values()
    assert options(f"{single['entry']} mappings/a.yaml")["paths"] == ["mappings/a.yaml"]
    assert options(f"{tree['entry']} {shlex.join(tree['args'])}")["paths"] == ["mappings"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("mappings/jobset.x-k8s.io/jobset.yaml", True, id="a-mapping"),
        pytest.param("mappings/job.yml", True, id="the-short-ending"),
        pytest.param("deploy/mappings/job.yaml", True, id="below-another-folder"),
        pytest.param("config/deployment.yaml", False, id="a-manifest"),
        pytest.param("mappings.yaml", False, id="a-file-of-that-name"),
        pytest.param("my-mappings/job.yaml", False, id="a-folder-that-ends-so"),
        pytest.param("mappings/jobset/defaults.case.yaml", False, id="a-case"),
        pytest.param("mappings/README.md", False, id="a-text"),
    ],
)
def test_a_hook_takes_mappings_and_no_other_manifests(path: str, expected: bool) -> None:  # noqa: FBT001
    """As pre-commit asks: `files` is found in the path and `exclude` is not."""
    hook = HOOKS["workloadmap-validate"]
    taken = re.search(hook["files"], path) is not None and re.search(hook["exclude"], path) is None
    assert taken is expected


def test_a_hook_takes_every_shipped_mapping() -> None:
    hook = HOOKS["workloadmap-validate"]
    shipped = [path.relative_to(ROOT).as_posix() for path in (ROOT / "mappings").rglob("*.yaml")]
    assert shipped
    assert [path for path in shipped if re.search(hook["files"], path) is None] == []


# The action


def test_the_action_fits_the_schema_of_actions() -> None:
    check_schema("vendor.github-actions", ROOT / "action.yml")


def test_inputs_reach_the_scripts_through_the_environment_only() -> None:
    """What is put into the text of a script would be run."""
    passed: list[str] = []
    for step in STEPS.values():
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        for name, value in step["env"].items():
            (given,) = re.findall(r"^\$\{\{ inputs\.([\w-]+) \}\}$", value)
            assert f"${name}" in step["run"]
            passed.append(given)
    assert sorted(passed) == sorted(ACTION["inputs"])


def run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as GitHub does, below a folder, with some inputs and the defaults of the others."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    given = {key: inputs.get(key.replace("-", "_"), value["default"]) for key, value in ACTION["inputs"].items()}
    passed = {
        variable: given[re.sub(r"^\$\{\{ inputs\.|\ \}\}$", "", value)]
        for variable, value in STEPS[name]["env"].items()
    }
    script = folder / "step.sh"
    script.write_text(STEPS[name]["run"], encoding="utf-8")
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (folder / "temp").mkdir(exist_ok=True)
    kept = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL")
    env = {variable: os.environ[variable] for variable in kept if variable in os.environ}
    env |= passed | {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(folder / "checkout of the action"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_WORKSPACE": str(work),
        "PYTHONPATH": str(ROOT),
        "RUNNER_OS": "Linux",
        "RUNNER_TEMP": str(folder / "temp"),
    }
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=work,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def program(path: Path, text: str) -> Path:
    """Write a script for sh that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


#: Stands for Python: keeps its arguments, and makes the virtual environment of which pip is asked.
PYTHON = """\
printf '%s\\n' "$@" >> "$RUNNER_TEMP/../calls"
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi
"""


@pytest.mark.parametrize(
    ("version", "package"),
    [
        pytest.param("", "{folder}/checkout of the action", id="the-one-of-the-action"),
        pytest.param("0.1.0", "workloadmap-spec==0.1.0", id="a-release"),
        pytest.param("1.0rc1", "workloadmap-spec==1.0rc1", id="a-pre-release"),
    ],
)
def test_the_action_installs_what_is_asked_for(tmp_path: Path, version: str, package: str) -> None:
    python = program(tmp_path / "some python", PYTHON)
    done = run_step("Install workloadmap", tmp_path, python=str(python), version=version)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert calls[2:5] == ["-m", "venv", str(tmp_path / "temp" / "workloadmap")]
    assert calls[-1] == package.format(folder=tmp_path)
    assert calls[5:-1] == ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        pytest.param(
            {"version": "--index-url=x"}, "The input version is not a version, such as 0.1.0.", id="an-option-of-pip"
        ),
        pytest.param(
            {"version": "1.0 $(touch x)"}, "The input version is not a version, such as 0.1.0.", id="a-command"
        ),
        pytest.param({"python": "no-such-python"}, "There is no Python of the name in the input python.", id="none"),
        pytest.param(
            {"python": "false"},
            "Python 3.11 or newer is needed: use actions/setup-python before, or set the input python.",
            id="an-old-python",
        ),
    ],
)
def test_the_action_says_why_it_cannot_install(tmp_path: Path, inputs: dict[str, str], said: str) -> None:
    python = program(tmp_path / "python", PYTHON)
    done = run_step("Install workloadmap", tmp_path, **{"python": str(python), **inputs})
    assert (done.returncode, done.stdout, done.stderr) == (2, f"::error title=workloadmap::{said}\n", "")
    assert [*(tmp_path / "temp").iterdir(), *(tmp_path / "work").iterdir()] == []


@pytest.fixture
def arguments(tmp_path: Path) -> Path:
    """Where a command that stands for ours writes its arguments, one a line."""
    found = tmp_path / "arguments"
    program(tmp_path / "temp" / "workloadmap" / "bin" / "workloadmap", f"printf '%s\\n' \"$@\" > '{found}'")
    return found


def test_the_action_gives_each_line_as_one_argument(tmp_path: Path, arguments: Path) -> None:
    """Spaces around are dropped, those within stay; nothing is expanded, and no line becomes an option."""
    done = run_step(
        "Check mappings",
        tmp_path,
        paths="\n  my mappings\t\r\n\n*.yaml\n--help\n$(touch x); `touch y` \"'\\\n",
        crds="config/crd\nmore crds",
        cases="cases",
        fail_level="note",
        format="human",
        sarif_file="out dir/w.sarif",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert arguments.read_text(encoding="utf-8").splitlines() == [
        "validate",
        "--fail-level=note",
        "--crd=config/crd",
        "--crd=more crds",
        "--cases=cases",
        "--format=human",
        "--output=sarif=out dir/w.sarif",
        "--",
        "my mappings",
        "*.yaml",
        "--help",
        "$(touch x); `touch y` \"'\\",
    ]
    assert list((tmp_path / "work").iterdir()) == []


def test_the_action_checks_the_folder_of_mappings_by_default(tmp_path: Path, arguments: Path) -> None:
    run_step("Check mappings", tmp_path)
    assert arguments.read_text(encoding="utf-8").splitlines() == ["validate", "--", "mappings"]


def test_the_action_wants_something_to_check(tmp_path: Path, arguments: Path) -> None:
    """The command alone would check the mappings that come with it."""
    done = run_step("Check mappings", tmp_path, paths=" \n")
    assert done.returncode == 2
    assert done.stdout == "::error title=workloadmap::The input paths names no file or folder.\n"
    assert not arguments.exists()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder in which the steps find the command of this checkout, and in it the folder that they work in."""
    command = f"exec '{sys.executable}' -m workloadmap_spec \"$@\""
    program(tmp_path / "temp" / "workloadmap" / "bin" / "workloadmap", command)
    mapping = tmp_path / "work" / "mappings" / "ensemble.yaml"
    mapping.parent.mkdir(parents=True)
    mapping.write_text(MAPPING, encoding="utf-8")
    return tmp_path


def sarif_levels(path: Path) -> dict[str, str]:
    """The levels of the results in a file of SARIF, by rule."""
    (run,) = json.loads(path.read_bytes())["runs"]
    return {result["ruleId"]: result["level"] for result in run["results"]}


def test_the_action_passes_good_mappings(installed: Path) -> None:
    done = run_step("Check mappings", installed, sarif_file="workloadmap.sarif")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "::error" not in done.stdout
    assert "error" not in sarif_levels(installed / "work" / "workloadmap.sarif").values()


def test_the_action_fails_with_annotations_a_summary_and_sarif(installed: Path) -> None:
    mapping = installed / "work" / "mappings" / "ensemble.yaml"
    mapping.write_text(MAPPING.replace("podTemplate", "podTemplat"), encoding="utf-8")
    done = run_step("Check mappings", installed, sarif_file="workloadmap.sarif")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^::error file=mappings/ensemble\.yaml,line=8,.*WM101", done.stdout, re.MULTILINE), done.stdout
    assert "WM101" in (installed / "summary.md").read_text(encoding="utf-8")
    assert sarif_levels(installed / "work" / "workloadmap.sarif")["WM101"] == "error"


# What the README says


def test_the_workflow_in_the_readme_is_a_workflow(tmp_path: Path) -> None:
    path = tmp_path / "workflow.yml"
    path.write_text(BLOCKS[0], encoding="utf-8")
    check_schema("vendor.github-workflows", path)


def test_the_workflow_in_the_readme_uses_the_action_of_this_version() -> None:
    steps = yaml.safe_load(BLOCKS[0])["jobs"]["validate"]["steps"]
    (ours,) = [step for step in steps if "workloadmap" in step["uses"]]
    assert ours["uses"].endswith(f"/workloadmap-spec@v{VERSION}")
    assert set(ours["with"]) <= set(ACTION["inputs"])


def test_the_hooks_in_the_readme_are_those_of_this_version() -> None:
    (repository,) = yaml.safe_load(BLOCKS[1])["repos"]
    assert repository["rev"] == f"v{VERSION}"
    assert [hook["id"] for hook in repository["hooks"]] == list(HOOKS)
    for hook in repository["hooks"]:
        options(f"{HOOKS[hook['id']]['entry']} {shlex.join(hook.get('args', []))}")


def test_the_commands_in_the_readme_are_commands_of_ours() -> None:
    commands = re.findall(r"`(workloadmap [a-z].*?)`", SECTION)
    assert len(commands) == 3
    for command in commands:
        options(command)


def test_the_rules_in_the_readme_can_be_suppressed() -> None:
    rules = set(re.findall(r"WM\d{3}", SECTION))
    assert rules
    assert [rule for rule in rules if not RULES[rule].can_be_suppressed] == []


def test_the_levels_that_the_action_names_are_the_levels() -> None:
    described = ACTION["inputs"]["fail-level"]["description"]
    assert re.findall("|".join(LEVELS), described.partition(".")[0]) == list(LEVELS)

"""The package as users get it: what a wheel carries, what an installed one finds, and what the tree must not hold."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.conftest import whole_suite
from workloadmap_spec import files
from workloadmap_spec.conformance.lines import render_lines
from workloadmap_spec.conformance.suite import load_suite, suite_digest

REPOSITORY = Path(__file__).resolve().parents[1]

#: The folders that a wheel carries under `workloadmap_spec/data/`.
DATA_FOLDERS = ("schema", "mappings", "docs/rules")


def run(*command: str, cwd: Path, pythonpath: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command with this interpreter and keep what it prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_CORE", "COVERAGE"))}
    if pythonpath is not None:
        env["PYTHONPATH"] = str(pythonpath)
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300
    )


def built(*options: str, into: Path, tree: Path = REPOSITORY) -> Path:
    """Build a tree without the network and give the wheel."""
    result = run("-m", "build", "--no-isolation", *options, "--outdir", str(into), str(tree), cwd=into)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = into.glob("*.whl")
    return wheel


def contents(wheel: Path) -> dict[str, bytes]:
    """Give every file of a wheel by its name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def tracked_files() -> list[Path]:
    """Give the files of the repository: those that git knows and those that it would add."""
    git = shutil.which("git")
    if git is None or not (REPOSITORY / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return [path for name in listing.split("\0") if name and (path := REPOSITORY / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source distribution, as an index would get both."""
    return built(into=tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone into a folder outside the checkout."""
    target = tmp_path_factory.mktemp("installed")
    result = run("-m", "pip", "install", "--no-deps", "--no-index", "--target", str(target), str(wheel), cwd=target)
    assert result.returncode == 0, result.stdout + result.stderr
    return target


# What a wheel carries


def test_the_wheel_from_the_sdist_is_the_wheel_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """Nothing that the package needs gets lost in the source distribution."""
    assert contents(built("--wheel", into=tmp_path)) == contents(wheel)


def test_the_wheel_carries_every_data_file_unchanged(wheel: Path) -> None:
    """Schemas, mappings and pages are in the wheel, byte for byte, and the cases are there as lines."""
    expected = {
        f"workloadmap_spec/data/{path.relative_to(REPOSITORY).as_posix()}": path.read_bytes()
        for path in tracked_files()
        if path.relative_to(REPOSITORY).as_posix().startswith(tuple(f"{folder}/" for folder in DATA_FOLDERS))
        or (path.parent == REPOSITORY / "conformance" and path.suffix in (".json", ".md"))
    }
    for folder in DATA_FOLDERS:
        assert any(name.startswith(f"workloadmap_spec/data/{folder}/") for name in expected), f"{folder} is empty"
    expected["workloadmap_spec/data/conformance/cases.jsonl"] = render_lines(whole_suite()).encode()
    found = {name: text for name, text in contents(wheel).items() if name.startswith("workloadmap_spec/data/")}
    assert found == expected


def test_the_wheel_is_typed_licensed_and_holds_nothing_else(wheel: Path) -> None:
    """The marker for type checkers and the license are there; tests, tools and examples are not."""
    names = set(contents(wheel))
    info = f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info"
    assert "workloadmap_spec/py.typed" in names
    assert f"{info}/licenses/LICENSE" in names
    assert {name.split("/")[0] for name in names} == {"workloadmap_spec", info}


# What an installed package finds


def test_an_installed_package_finds_its_own_data(installed: Path, tmp_path: Path) -> None:
    """The three places are inside the installed package, not in a checkout that happens to be on the path."""
    program = (
        "from workloadmap_spec import files\n"
        "print(files.root(), files.schema_path('SPEC.md'), files.mappings_root(), files.cases_root(), sep='\\n')\n"
    )
    result = run("-c", program, cwd=tmp_path, pythonpath=installed)
    assert result.returncode == 0, result.stderr
    data = installed / "workloadmap_spec" / "data"
    assert [Path(line) for line in result.stdout.splitlines()] == [
        data,
        data / "schema" / "v1alpha1" / "SPEC.md",
        data / "mappings",
        data / "conformance" / "cases.jsonl",
    ]


def test_an_installed_command_prints_a_schema(installed: Path, tmp_path: Path) -> None:
    """`workloadmap schema mapping` prints the schema of mappings."""
    result = run("-m", "workloadmap_spec", "schema", "mapping", cwd=tmp_path, pythonpath=installed)
    assert result.returncode == 0, result.stderr
    schema = REPOSITORY / "schema" / "v1alpha1" / "workload-mapping.schema.json"
    assert json.loads(result.stdout) == json.loads(schema.read_bytes())


def test_an_installed_command_explains_a_rule(installed: Path, tmp_path: Path) -> None:
    """`workloadmap explain` prints the page of the rule, which came with the wheel."""
    result = run("-m", "workloadmap_spec", "explain", "WM203", cwd=tmp_path, pythonpath=installed)
    page = (REPOSITORY / "docs" / "rules" / "WM203.md").read_text(encoding="utf-8")
    assert (result.returncode, result.stdout) == (0, page), result.stderr


def test_an_installed_command_lists_every_mapping(installed: Path, tmp_path: Path) -> None:
    """`workloadmap mappings list` names the kind of every packaged mapping."""
    result = run("-m", "workloadmap_spec", "mappings", "list", cwd=tmp_path, pythonpath=installed)
    assert result.returncode == 0, result.stderr
    mappings = [
        yaml.safe_load(path.read_bytes())
        for path in sorted((REPOSITORY / "mappings").rglob("*.yaml"))
        if not path.name.endswith(".case.yaml")
    ]
    kinds = {mapping["spec"]["workload"]["kind"] for mapping in mappings}
    assert kinds
    assert {kind for kind in kinds if kind not in result.stdout} == set()


def test_an_installed_suite_is_put_to_an_installed_reader(installed: Path, tmp_path: Path) -> None:
    """All of it, from the lines that came with the wheel: there is no case in YAML."""
    assert not list(installed.rglob("*.case.yaml"))
    command = ["-m", "workloadmap_spec", "conformance", "run", "--format", "json", "--seed", "1", "--"]
    reader = [sys.executable, "-m", "workloadmap_spec", "reader"]
    result = run(*command, *reader, cwd=tmp_path, pythonpath=installed)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr
    report = json.loads(result.stdout)
    suite = whole_suite()
    assert report["suite"]["digest"] == suite_digest(suite)
    assert report["totals"]["passed"] == len(suite)


def test_an_installed_case_is_run_and_asked_for_by_name(installed: Path, tmp_path: Path) -> None:
    """`workloadmap test` and `workloadmap conformance request` find it among the lines."""
    name = "engine/core/resolve/"
    count = len(list((files.cases_root() / name).glob("*.yaml")))
    result = run("-m", "workloadmap_spec", "test", "-k", name, cwd=tmp_path, pythonpath=installed)
    assert (result.returncode, result.stdout) == (0, f"{count} passed, 0 failed\n")
    wanted = load_suite([files.cases_root() / name])[0]
    command = ["-m", "workloadmap_spec", "conformance", "request", wanted.id]
    result = run(*command, cwd=tmp_path, pythonpath=installed)
    assert json.loads(result.stdout.splitlines()[1]) == {"id": "case", **wanted.request}


def test_the_second_engine_is_imported_only_when_asked(tmp_path: Path) -> None:
    """Importing the package and its command does not import `cel-python`, which takes longer than most commands."""
    program = "import sys, workloadmap_spec.cli; print('celpy' in sys.modules)"
    result = run("-c", program, cwd=tmp_path, pythonpath=REPOSITORY)
    assert (result.returncode, result.stdout.strip()) == (0, "False"), result.stderr


# Where the files are looked for


def make_tree(root: Path, *names: str) -> Path:
    """Make empty files below a folder, and the folder of a package in it."""
    package = root / "workloadmap_spec"
    package.mkdir()
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return package


def test_the_checkout_is_the_root_of_an_editable_install() -> None:
    """Here, the files beside the package are found."""
    assert files.root() == REPOSITORY
    assert files.schema_path("SPEC.md") == REPOSITORY / "schema" / "v1alpha1" / "SPEC.md"
    assert files.mappings_root() == REPOSITORY / "mappings"
    assert files.cases_root() == REPOSITORY / "conformance" / "cases"


def test_data_in_the_package_comes_before_data_beside_it(tmp_path: Path) -> None:
    """An installed package never reads a checkout that lies around it."""
    package = make_tree(
        tmp_path, "workloadmap_spec/data/schema/v1alpha1/SPEC.md", "pyproject.toml", "schema/v1alpha1/SPEC.md"
    )
    assert files.find_root(package) == package / "data"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param((), id="nothing-there"),
        pytest.param(("schema/v1alpha1/SPEC.md",), id="a-foreign-package-called-schema"),
        pytest.param(("pyproject.toml", "schema/__init__.py"), id="a-foreign-project"),
    ],
)
def test_a_package_without_its_data_says_so(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The error names both places and the cure."""
    package = make_tree(tmp_path, *names)
    with pytest.raises(files.DataFileError) as caught:
        files.find_root(package)
    assert str(caught.value) == (
        f"the schemas and mappings of workloadmap-spec are neither in {package / 'data'} nor beside {package}"
        " [internal]\n  install it again: pip install --force-reinstall workloadmap-spec"
    )


def test_a_missing_file_of_the_specification_is_named() -> None:
    """A name that the specification does not have is an error of the library, not of the file system."""
    with pytest.raises(files.DataFileError) as caught:
        files.schema_path("no-such.schema.json")
    path = REPOSITORY / "schema" / "v1alpha1" / "no-such.schema.json"
    assert str(caught.value) == (
        f"{path} is missing from workloadmap-spec [internal]"
        "\n  install it again: pip install --force-reinstall workloadmap-spec"
    )


# What the tree must not hold


def forbidden(text: str) -> list[str]:
    """Give the absolute paths of somebody's machine in a text, with what follows them."""
    return re.findall(r"(?<![\w.~/-])/(?:root|work|Users|home(?!/ray/))/\S*", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("see {}root/notes.txt", ["{}root/notes.txt"], id="the-home-of-root"),
        pytest.param("'{}home/ada/src'", ["{}home/ada/src'"], id="a-home"),
        pytest.param("{}work/main", ["{}work/main"], id="a-workplace"),
        pytest.param("https://example.org{}work/main", [], id="a-path-in-a-url"),
        pytest.param("the data{}work/ folder", [], id="a-relative-path"),
        pytest.param("{}home/ray/anaconda3", [], id="a-home-in-a-container-image"),
    ],
)
def test_the_search_for_machine_paths_finds_what_it_should(text: str, expected: list[str]) -> None:
    """The search below would see a path if there were one."""
    # Without the slash, so that this file does not hold what it looks for.
    assert forbidden(text.format("/")) == [path.format("/") for path in expected]


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    """What is in the repository means the same on every machine."""
    found: list[str] = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(REPOSITORY)}: {match}" for match in forbidden(text)]
    assert found == []


def anchors(document: Path) -> set[str]:
    """Give the names under which the headings of a Markdown document can be linked to."""
    headings = re.findall(r"^#{1,6} +(.+?) *#*$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(document: Path) -> list[str]:
    """Give the targets of the links in a Markdown document, but for those in code."""
    text = re.sub(r"^(```|~~~).*?^\1", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    inline = re.findall(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", text)
    return inline + re.findall(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?", text, flags=re.MULTILINE)


DOCUMENTS = sorted(REPOSITORY.glob("*.md"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=[path.stem for path in DOCUMENTS])
def test_every_link_leads_somewhere(document: Path) -> None:
    """Files and headings that the documents at the root link to exist; addresses in the web are not asked for."""
    broken: list[str] = []
    for link in links(document):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = document.parent / name if name else document
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []

"""Help: every command says what it does, with examples that run as they stand."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workloadmap_spec.cli import COMMANDS, main, make_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]

#: Commands whose examples read everything that is shipped; here it is enough that the command line is right.
SLOW = ("workloadmap test", "workloadmap conformance run --output", "workloadmap conformance run -- workloadmap reader")
#: Commands that change workloads: they say on the error output what they have done.
CHANGING = ("workloadmap scale", "workloadmap set", "workloadmap suspend", "workloadmap resume")
#: What the examples have that ask a cluster, which tests/test_cli_cluster.py and e2e have and this one has not.
OF_A_CLUSTER = re.compile(r"workloadmap (get|serve-metrics)\b|--cluster\b| jobset/demo\b")
#: The option with which they would edit the examples.
IN_PLACE = " -i "
#: Commands whose descriptions are written in longer lines.
WIDE = {"validate", "test"}


def parsers() -> Iterator[argparse.ArgumentParser]:
    """The parser of the program, and of every command and its own commands."""

    def below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
        yield parser
        for action in parser._actions:  # noqa: SLF001 - argparse has no other way
            choices: Any = action.choices
            for child in choices.values() if isinstance(choices, dict) else ():
                yield from below(child)

    yield from below(make_parser()[0])


def command_of(parser: argparse.ArgumentParser) -> list[str]:
    """The words that lead to a parser."""
    return parser.prog.split()[1:]


COMMAND_LINES = [command_of(parser) for parser in parsers()]


def examples(text: str) -> list[str]:
    """The example lines of a help text."""
    block = text.partition("examples:\n")[2]
    return [line.strip() for line in block.partition("\n\n")[0].splitlines()]


def help_of(capsys: pytest.CaptureFixture[str], command: list[str]) -> str:
    """The help of a command."""
    assert main([*command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_all_commands_are_looked_at() -> None:
    assert [command[0] for command in COMMAND_LINES if len(command) == 1] == list(COMMANDS)
    nested = [command for command in COMMAND_LINES if len(command) == 2]
    mappings = [["mappings", name] for name in ("list", "show", "rbac")]
    assert nested == mappings + [["conformance", name] for name in ("run", "list", "lint", "request")]


@pytest.mark.parametrize("command", COMMAND_LINES, ids=" ".join)
def test_help_has_a_description_and_examples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["workloadmap"])
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(capsys, command)
    usage, description, *_ = text.split("\n\n")
    name = " ".join(["workloadmap", *command])
    assert usage.startswith(f"usage: {name} ")
    assert description[0].isupper()
    assert examples(text)
    assert all(name in example for example in examples(text) if command)


@pytest.mark.parametrize("command", [line for line in COMMAND_LINES if not {*line} & WIDE], ids=" ".join)
def test_help_fits_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert [line for line in help_of(capsys, command).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("columns", ["20", "80", "400", "many", ""])
def test_help_can_be_shown_on_any_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert "examples:" in help_of(capsys, ["inspect"])


def test_help_can_be_shown_without_the_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
        assert main(["inspect", "--help"]) == 0
        assert b"  2 x 4 = 8 pods " in written.getvalue()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the checkout's data, and a PATH with `workloadmap` and a `kubectl` that gives an example."""
    folder = tmp_path_factory.mktemp("shell")
    for name in ("examples", "mappings", "conformance", "docs"):
        (folder / name).symlink_to(ROOT / name)
    programs = folder / "bin"
    programs.mkdir()
    scripts = {
        "workloadmap": f'exec {sys.executable} -m workloadmap_spec "$@"',
        "kubectl": f'[ "$1" = apply ] && exec cat; cat {ROOT}/examples/${{2%%,*}}.yaml',
        "less": "cat",
    }
    for name, script in scripts.items():
        path = programs / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    search = f"{programs}:{os.environ.get('PATH', '')}"
    return folder, {**os.environ, "PATH": search, "PYTHONPATH": str(ROOT)}


def all_examples() -> list[str]:
    """Every example of every help text."""
    found = [example for parser in parsers() for example in examples(parser.format_help())]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("example", all_examples())
def test_an_example_runs(shell: tuple[Path, dict[str, str]], example: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    words = example.split()
    if OF_A_CLUSTER.search(example):
        words = words[: words.index(">")] if ">" in words else words
        parser, _ = make_parser()
        assert parser.parse_args(words[1:]).run
        return
    if example.startswith(SLOW) or (example.startswith(CHANGING) and IN_PLACE in example):
        parser, _ = make_parser()
        assert parser.parse_args(words[1:]).run
        return
    folder, env = shell
    done = subprocess.run(
        [bash, "-o", "pipefail", "-c", example],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    told = done.stderr.splitlines()
    if example.startswith(CHANGING):
        told = [
            line for line in told if not re.fullmatch(r"note: \S+ \S+: (?:\d+ places? changed|nothing to change)", line)
        ]
        assert len(told) < len(done.stderr.splitlines())
    assert (done.returncode, told) == (0, [])
    written = " > " in example or "eval" in example or " -o report.html" in example
    assert bool(done.stdout) is not written

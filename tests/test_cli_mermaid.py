"""Diagrams in Mermaid's language: the whole text, for each form that a workload's tree and its gangs have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workloadmap_spec.cli import main
from workloadmap_spec.cli.mermaid import diagram

if TYPE_CHECKING:
    import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of `inspect --mermaid`."""
    code = main(["inspect", "--mermaid", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_one_gang_is_a_box_around_its_members(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(EXAMPLES / "raycluster.yaml"))
    assert (code, err) == (0, "")
    assert out == (
        "flowchart TD\n"
        '  w0["RayCluster features<br/>data<br/>at least 7 pods"]\n'
        '  subgraph w0g0 ["gang workload: 5 of 7 pods"]\n'
        '    w0p0["head<br/>1 pod"]\n'
        '    w0p1["worker/extract<br/>4 × 1 = 4 pods"]\n'  # noqa: RUF001 - the sign
        '    w0p2["worker/embed<br/>1 × 2 = 2 pods"]\n'  # noqa: RUF001 - the sign
        "  end\n"
        "  w0 --> w0p0\n"
        "  w0 --> w0p1\n"
        "  w0 --> w0p2\n"
    )


def test_gangs_of_replicas_are_told_in_the_members(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, str(EXAMPLES / "leaderworkerset.yaml"))
    assert (code, err) == (0, "")
    assert out == (
        "flowchart TD\n"
        '  w0["LeaderWorkerSet atlas-chat<br/>serving<br/>8 pods"]\n'
        '  w0p0[["group<br/>2 replicas"]]\n'
        '  w0p1["leader<br/>2 × 1 = 2 pods<br/>2 gangs group: all 4 pods each"]\n'  # noqa: RUF001 - the sign
        '  w0p2["worker<br/>2 × 3 = 6 pods<br/>2 gangs group: all 4 pods each"]\n'  # noqa: RUF001 - the sign
        "  w0 --> w0p0\n"
        "  w0p0 --> w0p1\n"
        "  w0p0 --> w0p2\n"
    )


def test_several_workloads_are_one_diagram(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, str(EXAMPLES))
    assert out.count("flowchart") == 1
    assert out.count("\n  w2") > 1


def test_nothing_in_a_text_is_markup() -> None:
    name = 'a"]; click w0 "javascript:x" <b>#`\\\n'
    instance = {"id": "p", "role": "worker", "podTemplate": {}}
    members = [{"component": "p", "instance": "p"}]
    document = {
        "workload": {"kind": "Thing", "name": name},
        "totals": {"pods": 0, "incomplete": [{"what": "replicas", "reason": "absent"}]},
        "status": {"phase": "Running"},
        "components": [{"name": "p", "instances": [instance]}],
        "gang": {"groups": [{"id": "g", "name": "g", "members": members}]},
    }
    assert diagram([document]) == (
        "flowchart TD\n"
        '  w0["Thing a#34;]#59; click w0 #34;javascript:x#34; #60;b#62;#35;#96;#92;<br/>Running, at least 0 pods"]\n'
        '  subgraph w0g0 ["gang g: a number of pods that is not known"]\n'
        '    w0p0["p (worker)<br/>? pods"]\n'
        "  end\n"
        "  w0 --> w0p0\n"
    )


def test_nothing_is_drawn_of_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("", encoding="utf-8")
    code, out, err = run(capsys, str(tmp_path))
    assert (code, out) == (0, "")
    assert err == "note: there is no workload in the input\n"

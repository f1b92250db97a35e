"""README.md says what the commands print, and its examples run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_outputs_in_the_readme_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "readme.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_doctest_of_the_package_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctest", str(ROOT / "workloadmap_spec" / "__init__.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr

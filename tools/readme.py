"""Write into README.md what its commands print, between `<!-- begin: COMMAND -->` and `<!-- end -->`.

`--check` changes nothing and says whether the file is current.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- begin: workloadmap (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def output(command: str) -> str:
    """What `workloadmap COMMAND` prints, from the root of the checkout."""
    from workloadmap_spec.cli import main  # noqa: PLC0415 - after the path is set

    written = io.BytesIO()
    printed = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(printed):
        status = main(command.split())
    if status:
        raise SystemExit(f"workloadmap {command} ended with {status}")
    return "\n".join(line.rstrip() for line in written.getvalue().decode().rstrip().splitlines())


def block(found: re.Match[str]) -> str:
    """One block with its command's output: a table as it is, anything else as text."""
    printed = output(found[2])
    shown = printed if printed.startswith("|") else f"```text\n$ workloadmap {found[2]}\n{printed}\n```"
    return f"{found[1]}{shown}\n{found[3]}"


def main(arguments: list[str]) -> int:
    """Write or check."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    text = README.read_text(encoding="utf-8")
    current = _BLOCK.sub(block, text)
    if arguments == ["--check"]:
        if text != current:
            print("README.md is stale: run `make generate`", file=sys.stderr)
        return int(text != current)
    README.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

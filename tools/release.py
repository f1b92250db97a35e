"""Write what a release of the suite and of the specification consists of to `dist/`: `make release`.

- `cases.jsonl`: the suite, a whole case a line, for those who have a JSON parser and nothing else;
- `suite.json`: the versions, the digest of the suite, and that of each case;
- `workloadmap-v1alpha1.tar.gz`: the text of the specification and its schemas.

The same tree gives the same bytes: nothing in them tells when, where or by whom they were made.

    python tools/release.py [FOLDER]
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path
from typing import Final

from workloadmap_spec.conformance.lines import render_index, render_lines
from workloadmap_spec.conformance.suite import load_suite
from workloadmap_spec.files import CASES_FILE, SPEC_VERSION, schema_path

ROOT: Final = Path(__file__).resolve().parents[1]
ARCHIVE: Final = f"workloadmap-{SPEC_VERSION}.tar.gz"


def archive(folder: Path, name: str) -> bytes:
    """The files of a folder as a compressed archive, below a folder of another name."""
    tar, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as writer:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                # The default is a file of nobody's from 1970 that all may read.
                entry = tarfile.TarInfo(f"{name}/{path.relative_to(folder).as_posix()}")
                entry.size = path.stat().st_size
                with path.open("rb") as file:
                    writer.addfile(entry, file)
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as writer:
        writer.write(tar.getvalue())
    return packed.getvalue()


def main() -> int:
    """Write the files."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist"
    suite = load_suite()
    made = {
        CASES_FILE: render_lines(suite).encode(),
        "suite.json": render_index(suite).encode(),
        ARCHIVE: archive(schema_path("SPEC.md").parent, f"workloadmap-{SPEC_VERSION}"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        (folder / name).write_bytes(data)
        print(f"{folder / name}: {len(data)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Output: text for people in the encoding of their terminal, data in UTF-8 wherever it goes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


#: What stands for characters of ours where the output does not have them.
_PLAIN: Final = str.maketrans({"\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "..."})


def write_text(text: str) -> None:
    """Write text for people; characters that the output does not have are written as others, or as escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if not text.isascii():
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(text)


def write_data(text: str) -> None:
    """Write JSON, YAML or a file of ours, in UTF-8 whatever the locale says: another program reads it."""
    output: Any = sys.stdout
    if text.isascii() or not hasattr(output, "buffer"):
        output.write(text)
        return
    output.flush()
    output.buffer.write(text.encode())


def write_documents(documents: Sequence[Any], form: str, *, single: bool) -> None:
    """Write JSON values.

    Args:
        documents: what to write.
        form: `yaml` is one YAML document for each value; `json` one canonical JSON text.
        single: with `json`, write the one value itself and no list.

    """
    from workloadmap_spec.canonical import dumps, to_yaml  # noqa: PLC0415 - few commands write data

    if form == "yaml":
        write_data("---\n".join([to_yaml(document) for document in documents]))
    else:
        write_data(f"{dumps(documents[0] if single else documents)}\n")

"""Names of objects and of their parts: short, valid in Kubernetes, and different where what they name is."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The most characters of a DNS label (RFC 1123), and of the value of a Kubernetes label, which some names become.
MAX_NAME: Final = 63
_DIGITS: Final = 6
_FORBIDDEN: Final = re.compile(r"[^a-z0-9]+")
_FORBIDDEN_IN_OBJECT: Final = re.compile(r"[^a-z0-9.]+")


def labels(texts: Sequence[str]) -> list[str]:
    """A DNS label for each text: lower case, what is not allowed as dashes.

    One that had to be cut, or that two texts come to, ends in digits that follow from its text.
    """
    return _distinct(texts, _FORBIDDEN)


def object_names(texts: Sequence[str]) -> list[str]:
    """The same for names of objects, which may hold dots too; none is longer than a label's value may be."""
    return _distinct(texts, _FORBIDDEN_IN_OBJECT)


def _distinct(texts: Sequence[str], forbidden: re.Pattern[str]) -> list[str]:
    """A name for each text; equal texts get equal names."""
    plain = {text: forbidden.sub("-", text.lower()).strip("-.") for text in texts}
    used = Counter(plain.values())
    return [
        name if 0 < len(name) <= MAX_NAME and used[name] == 1 else _marked(name, text)
        for text, name in ((text, plain[text]) for text in texts)
    ]


def _marked(name: str, text: str) -> str:
    """A name with digits behind it that follow from the whole text."""
    digits = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    return f"{name[: MAX_NAME - _DIGITS - 1].rstrip('-.') or 'group'}-{digits}"

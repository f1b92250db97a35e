"""How text for people looks: colour where it helps, characters that the output can show, and nothing hostile.

Texts of objects (names, messages) come from a cluster and may hold control characters that a terminal would obey;
`clean` makes them visible instead.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

#: What `--color` may say.
COLOR_CHOICES: Final = ("auto", "always", "never")

_CODES: Final = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}

#: The colour of a phase, of a workload (S9.6) or of a pod (core/v1 PodPhase).
_PHASES: Final = {
    "Running": "green",
    "Completed": "green",
    "Succeeded": "green",
    "Initializing": "yellow",
    "Pending": "yellow",
    "Suspending": "yellow",
    "Resuming": "yellow",
    "Suspended": "cyan",
    "Degraded": "red",
    "Failed": "red",
    "Unknown": "magenta",
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that text is drawn with."""

    branch: str
    last: str
    pipe: str
    space: str
    times: str
    range: str
    ellipsis: str


UNICODE: Final = Glyphs("├─ ", "└─ ", "│  ", "   ", "\N{MULTIPLICATION SIGN}", "\N{EN DASH}", "…")
ASCII: Final = Glyphs("|- ", "`- ", "|  ", "   ", "x", "-", "...")


@dataclass(frozen=True, slots=True)
class Style:
    """How one output is written."""

    color: bool
    glyphs: Glyphs

    def paint(self, text: str, *names: str) -> str:
        """The text in the named colours, or as it is where the output has none."""
        if not self.color or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"

    def phase(self, phase: str, text: str | None = None) -> str:
        """A phase, or a text that is about it, in the colour of the phase."""
        color = _PHASES.get(phase)
        text = phase if text is None else text
        return self.paint(text, color) if color else text


#: Without colour, for texts that are asked for without a terminal.
PLAIN: Final = Style(color=False, glyphs=UNICODE)


def style_of(output: TextIO, color: str = "auto", environ: Mapping[str, str] | None = None) -> Style:
    """The style that an output can show.

    With `auto` there is colour on a terminal only, and none where NO_COLOR is set (https://no-color.org) or where the
    terminal calls itself dumb. `always` wins over both: it is asked for in so many words.
    """
    environ = os.environ if environ is None else environ
    colored = color == "always" or (
        color == "auto" and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb" and output.isatty()
    )
    return Style(colored, UNICODE if _can_show(output, UNICODE) else ASCII)


def _can_show(output: TextIO, glyphs: Glyphs) -> bool:
    """Whether the encoding of an output has the characters."""
    try:
        text = f"{glyphs.branch}{glyphs.last}{glyphs.times}{glyphs.range}{glyphs.ellipsis}"
        text.encode(getattr(output, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def clean(text: str) -> str:
    """A text of an object on one line, with control characters made visible."""
    if text.isprintable():
        return text
    return "".join(
        [
            character if character.isprintable() else " " if character in "\n\t" else _visible(character)
            for character in text.replace("\r\n", "\n").strip()
        ]
    )


def clean_lines(text: str) -> str:
    """A text of ours that quotes objects: its lines stay, control characters are made visible."""
    return "\n".join([line if line.isprintable() else _clean_line(line) for line in text.split("\n")])


def _clean_line(line: str) -> str:
    """One line, with control characters made visible."""
    return "".join([character if character.isprintable() else _visible(character) for character in line])


def _visible(character: str) -> str:
    """A character that cannot be shown, as an escape."""
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")

"""Messages to people, on the error output, and the exit code that they add up to."""

from __future__ import annotations

import os
import sys
from typing import Final

from workloadmap_spec.cli.style import clean_lines, style_of
from workloadmap_spec.errors import WorkloadMapError

#: Everything was read.
OK: Final = 0
#: An object could not be read, or a map has an error diagnostic.
UNREAD: Final = 1
#: The command line is wrong.
USAGE: Final = 2
#: A file or stream could not be read or written, or the program is at fault.
FAILED: Final = 3

#: Classes of errors that are no object's: ours, and those of a cluster.
_OUTSIDE: Final = ("cluster", "internal")

_COLORS: Final = {"error": "red", "warning": "yellow", "note": "cyan"}


class CommandError(Exception):
    """A command cannot go on, for a reason that is no object's; `cure` says what to do."""

    #: The exit code that follows.
    code = FAILED

    def __init__(self, message: str, cure: str | None = None) -> None:
        """Keep both parts."""
        super().__init__(message)
        self.message = message
        self.cure = cure


class UsageError(CommandError):
    """The command line asks for something that cannot be done."""

    code = USAGE


def say(level: str, text: str, cure: str | None = None) -> None:
    """Write one message; what was written to the output before it comes out first, so that both stay in order."""
    if cure:
        text = f"{text}\n  {cure}"
    style = style_of(sys.stderr)
    sys.stdout.flush()
    sys.stderr.write(f"{style.paint(f'{level}:', _COLORS[level], 'bold')} {clean_lines(text)}\n")


class Messages:
    """What one run has told so far; `code` is the exit code that follows."""

    def __init__(self) -> None:
        """Begin with everything well."""
        self.code = OK

    def error(self, text: str, cure: str | None = None, code: int = UNREAD) -> None:
        """Something was not read; the worst code wins."""
        self.code = max(self.code, code)
        say("error", text, cure)

    def wrong(self, error: WorkloadMapError) -> None:
        """Tell of an error of the library, and of those that were found with it."""
        # Only an error about a source as a whole has no place in it: a missing file, an empty folder.
        place = error.location
        is_source = place.source is not None and place.line is None and place.pointer is None
        is_input = error.error_class == "input-invalid" and is_source
        code = FAILED if is_input or error.error_class in _OUTSIDE else UNREAD
        self.error(str(error), code=code)
        for other in getattr(error, "others", ()):
            self.error(str(other))

    def warning(self, text: str, cure: str | None = None) -> None:
        """Something was done, and not all of what was asked for is in it."""
        say("warning", text, cure)

    def note(self, text: str, cure: str | None = None) -> None:
        """Something that was done differently from what somebody might expect, and is no error."""
        say("note", text, cure)


def tell_failure(error: Exception) -> int:
    """Tell why a command has ended, without a traceback, and give the exit code."""
    messages = Messages()
    if isinstance(error, CommandError):
        messages.error(error.message, error.cure, error.code)
    elif isinstance(error, WorkloadMapError):
        messages.wrong(error)
    elif isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        messages.error(f"{name}{error.strerror or error}", code=FAILED)
    else:
        if os.environ.get("WORKLOADMAP_TRACEBACK") == "1":
            from traceback import print_exception  # noqa: PLC0415 - when asked for only

            print_exception(error)
        what = " ".join(f"{type(error).__name__}: {error}".split())
        messages.error(f"this is a fault in workloadmap: {what} (WORKLOADMAP_TRACEBACK=1 shows where)", code=FAILED)
    return messages.code

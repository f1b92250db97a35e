"""The settings of validation: `.workloadmap.yaml`, which is checked as strictly as a mapping.

    validate:
      failLevel: warning
      crds: [config/crd]
      cases: [test/cases]
      ignore:
      - {paths: ["vendor/**"], rules: [WM320], reason: the mappings are another project's}

Paths are relative to the folder of the file.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cel.findings import nearest
from workloadmap_spec.data_rules import describe
from workloadmap_spec.documents import load_all, read_file
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.pointer import join
from workloadmap_spec.validation.files import FileText
from workloadmap_spec.validation.findings import Finding, Suppression
from workloadmap_spec.validation.places import value_span
from workloadmap_spec.validation.rules import LEVELS, RULES, Level
from workloadmap_spec.validation.suppressions import rule_fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workloadmap_spec.documents import Document
    from workloadmap_spec.validation.findings import Span

#: The file that counts where none is named.
NAME: Final = ".workloadmap.yaml"

_MEMBERS: Final = ("failLevel", "crds", "cases", "ignore")
_IGNORE_MEMBERS: Final = ("paths", "rules", "reason")


class ConfigurationError(WorkloadMapError, ValueError):
    """The settings cannot be used."""


@dataclass(slots=True, eq=False)
class Ignore:
    """An entry of `ignore`: files by patterns, the rules that are suppressed in them, and why."""

    pattern: re.Pattern[str]
    rules: tuple[str, ...]
    reason: str
    #: The folder that the patterns are relative to.
    folder: str
    text: FileText
    span: Span
    pointer: str
    used: set[str] = field(default_factory=set)

    def covers(self, file: str) -> bool:
        """Whether a file, or a folder that it is in, fits one of the patterns."""
        path = os.path.relpath(os.path.realpath(file), self.folder).replace(os.sep, "/")
        return self.pattern.fullmatch(path) is not None

    def use(self, rule: str) -> Suppression:
        """What it makes of a finding that it is about."""
        self.used.add(rule)
        return Suppression("configuration", self.reason)

    def unused(self, rules: Sequence[str]) -> Finding | None:
        """The finding for rules that it suppresses nothing of; None if there are none."""
        if not rules:
            return None
        names = " and ".join(rules)
        cure = "remove the entry" if len(rules) == len(self.rules) else f"remove {names} from its `rules`"
        return Finding(
            "WM901",
            RULES["WM901"].level,
            f"nothing of {names} is found in the files of this entry",
            self.text.name,
            self.span,
            self.pointer,
            cure,
            snippet=self.text.snippet(self.span.start_line),
        )


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a file; what it does not say is None or empty."""

    fail_level: Level | None = None
    crds: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    ignores: tuple[Ignore, ...] = ()


def load_configuration(file: Path) -> Configuration:
    """The settings in a file.

    Raises:
        ConfigurationError: It is not YAML, or says what has no meaning.
        InputError: It cannot be read.
    """
    data = read_file(file)
    documents, errors = load_all(data, str(file))
    if errors:
        raise ConfigurationError(errors[0].message, errors[0].location, errors[0].cure) from errors[0]
    if not documents:
        return Configuration()
    if len(documents) > 1:
        raise ConfigurationError("there are two documents here", documents[1].location(""), "write one")
    return _Reader(documents[0], file, data).configuration()


class _Reader:
    """Reads the settings of a document; the first thing that is wrong ends it."""

    def __init__(self, document: Document, file: Path, data: bytes) -> None:
        """Keep the facts."""
        self.document = document
        self.folder = os.path.realpath(file.parent)
        #: As paths in it are written: relative to where we are if the file is.
        self.parent = file.parent
        self.text = FileText.of(str(file), data)

    def configuration(self) -> Configuration:
        """All of it."""
        settings = self.members(self.document.value, "", ("validate",))
        values = self.members(settings.get("validate", {}), "/validate", _MEMBERS)
        entries = self.items(values, "ignore", "/validate") if "ignore" in values else []
        return Configuration(
            self.level(values),
            self.paths(values, "crds"),
            self.paths(values, "cases"),
            tuple(self.ignore(entry, f"/validate/ignore/{index}") for index, entry in enumerate(entries)),
        )

    def wrong(self, message: str, at: str, cure: str, *, is_key: bool = False) -> ConfigurationError:
        """The error for something at a place."""
        place = self.document.key_location(at) if is_key else self.document.location(at)
        return ConfigurationError(message, place, cure)

    def members(self, value: Any, at: str, known: Sequence[str]) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """A map that has known members only."""
        if not isinstance(value, dict):
            raise self.wrong(f"a map is wanted here, and this is {describe(value)}", at, f"it has {_listed(known)}")
        for name in value:
            if name not in known:
                near = nearest(name, known)
                cure = f"write `{near}`" if near is not None else f"there is {_listed(known)}"
                raise self.wrong(f"there is no setting `{name}`", join(at, name), cure, is_key=True)
        return value

    def items(self, values: dict[str, Any], name: str, at: str) -> list[Any]:
        """A list."""
        found = values[name]
        if not isinstance(found, list):
            message = f"`{name}` is a list, and this is {describe(found)}"
            raise self.wrong(message, join(at, name), "put it into brackets: [...]")
        return found

    def texts(self, values: dict[str, Any], name: str, at: str) -> list[str]:
        """A list of texts that are not empty."""
        found = self.items(values, name, at)
        for index, item in enumerate(found):
            if not isinstance(item, str) or not item:
                message = f"`{name}` has texts, and this is {describe(item) if item != '' else 'an empty one'}"
                raise self.wrong(message, join(at, name, index), "write a text, in quotes if need be")
        return found

    def level(self, values: dict[str, Any]) -> Level | None:
        """`failLevel`."""
        if "failLevel" not in values:
            return None
        for level in LEVELS:
            if values["failLevel"] == level:
                return level
        message = f"`failLevel` is {describe(values['failLevel'])} and no level"
        raise self.wrong(message, "/validate/failLevel", f"the levels are {_listed(LEVELS)}")

    def paths(self, values: dict[str, Any], name: str) -> tuple[str, ...]:
        """A list of paths, which must exist."""
        if name not in values:
            return ()
        paths = [self.parent / text for text in self.texts(values, name, "/validate")]
        for index, path in enumerate(paths):
            if not path.exists():
                message = f"there is no file or folder {path}"
                raise self.wrong(
                    message, join("/validate", name, index), "a path is relative to the folder of the file"
                )
        return tuple(map(str, paths))

    def ignore(self, entry: Any, at: str) -> Ignore:  # noqa: ANN401 - JSON
        """An entry of `ignore`."""
        values = self.members(entry, at, _IGNORE_MEMBERS)
        for name in _IGNORE_MEMBERS:
            if name not in values:
                cure = "say why nothing is wrong there" if name == "reason" else f"add `{name}`"
                raise self.wrong(f"an entry of `ignore` needs `{name}`", at, cure)
            if not values[name]:
                raise self.wrong(f"`{name}` is empty", join(at, name), "write something, or remove the entry")
        rules = self.texts(values, "rules", at)
        for index, rule in enumerate(rules):
            fault = rule_fault(rule)
            if fault is not None:
                raise self.wrong(fault[0], join(at, "rules", index), fault[1])
        reason = values["reason"]
        if not isinstance(reason, str) or not reason.strip():
            raise self.wrong("`reason` is a text", join(at, "reason"), "say why nothing is wrong there")
        return Ignore(
            re.compile("|".join(map(_pattern, self.texts(values, "paths", at)))),
            tuple(dict.fromkeys(rules)),
            reason.strip(),
            self.folder,
            self.text,
            value_span(self.document, at),
            at,
        )


def _listed(names: Sequence[str]) -> str:
    """Names for a message."""
    return ", ".join(f"`{name}`" for name in names)


def _pattern(glob: str) -> str:
    """The regular expression of a pattern: `**` goes through folders, `*` and `?` do not; a folder has its files."""
    pattern = ""
    for part in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob.removeprefix("./").rstrip("/")):
        pattern += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return f"(?:{pattern})(?:/.*)?"

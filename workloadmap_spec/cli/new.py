"""`workloadmap new`: the beginning of a mapping for a kind that has none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command, add_many
from workloadmap_spec.cli.messages import OK, CommandError, UsageError, say

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection

    from workloadmap_spec.crd import Kinds
    from workloadmap_spec.scaffold import Scaffold

_DESCRIPTION: Final = """
Write the beginning of a mapping for a kind, guessed from its schema: where pod
templates, counts, conditions and suspension are. What is guessed is marked with
a comment, for you to check against what the controller does. With --output a
first case is written beside the mapping: a small object, and its map.

The schema is that of the CustomResourceDefinition in --crd:

  workloadmap new example.org/v1/Ensemble --crd ensembles.yaml -o ensemble.yaml

Kinds that are built into Kubernetes need none. Without a VERSION the one is
taken that objects are stored in.
"""
_CASE_SUFFIX: Final = ".case.yaml"


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "new",
        "begin a mapping for a kind",
        _DESCRIPTION,
        [
            "workloadmap new apps/v1/DaemonSet",
            "workloadmap new v1/ReplicationController",
        ],
    )
    parser.add_argument("kind", metavar="GROUP/VERSION/KIND", help="the kind; core kinds are written v1/KIND")
    add_many(parser, "--crd", "PATH", "files of CustomResourceDefinitions, or folders of such files")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the mapping to this file, and a case beside it")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Write the mapping."""
    from workloadmap_spec.cli.output import write_data  # noqa: PLC0415 - not for help
    from workloadmap_spec.crd import load_kinds  # noqa: PLC0415
    from workloadmap_spec.errors import InputError  # noqa: PLC0415
    from workloadmap_spec.scaffold import scaffold  # noqa: PLC0415

    group, version, kind = _parts(arguments.kind)
    try:
        kinds = load_kinds(arguments.crd, [(group, kind)])
        if kinds.definition(group, kind) is None:
            # The others are read for the message that names them only.
            kinds = load_kinds(arguments.crd)
    except InputError as error:
        raise UsageError(str(error)) from error
    version = version or _stored(kinds, group, kind)
    root = kinds.root(group, version, kind)
    if root is None:
        raise _unknown(kinds, group, version, kind, arguments.crd)
    made = scaffold(group, version, kind, root)
    if arguments.output is None:
        write_data(made.mapping)
        return OK
    target, case = _save(arguments.output, made, replaces=arguments.force)
    guesses = sum(line.lstrip().startswith("# guessed") for line in made.mapping.splitlines())
    say(
        "note",
        f"{target} and {case} are written",
        f"check the {guesses} places that are marked `guessed`, then run:\n"
        f"  workloadmap validate {target}{_crd_option(arguments.crd)}\n  workloadmap test -m {target} {case}",
    )
    return OK


def _save(output: str, made: Scaffold, *, replaces: bool) -> tuple[Path, Path]:
    """Write the mapping, and its case beside it.

    Raises:
        UsageError: They are not to be written there.
        CommandError: They cannot be.
    """
    target = Path(output)
    if target.name.endswith(_CASE_SUFFIX):
        raise UsageError(f"{target} has the name of a case", f"write {target.name.removesuffix(_CASE_SUFFIX)}.yaml")
    case = target.with_name(target.name.removesuffix(target.suffix) + _CASE_SUFFIX)
    if not replaces:
        for file in (target, case):
            if file.exists():
                raise UsageError(f"{file} exists", "name another file, or replace it with --force")
    for file, text in ((target, made.mapping), (case, made.case)):
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror or error}") from error
    return target, case


def _crd_option(paths: Collection[str]) -> str:
    """The option that names the definitions again."""
    return f" --crd {' '.join(paths)}" if paths else ""


def _parts(written: str) -> tuple[str, str | None, str]:
    """Group, version and kind of `GROUP/VERSION/KIND`, `GROUP/KIND` or, for the core group, `VERSION/KIND`."""
    parts = written.split("/")
    if len(parts) == 3 and all(parts):  # noqa: PLR2004 - the three
        return parts[0], parts[1], parts[2]
    if len(parts) == 2 and all(parts):  # noqa: PLR2004 - one is left out
        is_core = parts[0][:1] == "v" and parts[0][1:2].isdigit() and "." not in parts[0]
        return ("", parts[0], parts[1]) if is_core else (parts[0], None, parts[1])
    raise UsageError(f"`{written}` is no kind", "write GROUP/VERSION/KIND, such as example.org/v1/Ensemble")


def _stored(kinds: Kinds, group: str, kind: str) -> str:
    """The version that objects of a kind are kept in; `v1` of built-in kinds."""
    definition = kinds.definition(group, kind)
    return "v1" if definition is None else definition.stored


def _unknown(kinds: Kinds, group: str, version: str, kind: str, paths: Collection[str]) -> UsageError:
    """The error for a kind whose schema is not there."""
    from workloadmap_spec.cel.findings import nearest  # noqa: PLC0415 - for the message only

    definition = kinds.definition(group, kind)
    if definition is not None:
        message = f"{kind} of {group} has no version {version} in {definition.file}"
        return UsageError(message, f"its versions are {', '.join(definition.versions)}")
    known = {f"{one.group}/{one.kind}".lower(): one for one in kinds.definitions.values()}
    named = f"{group}/{version}/{kind}" if group else f"{version}/{kind}"
    if not paths:
        return UsageError(f"{named} is not built into Kubernetes", "name its CustomResourceDefinition with --crd")
    similar = nearest(f"{group}/{kind}".lower(), known)
    there = sorted(f"{one.group}/{one.stored}/{one.kind}" for one in known.values())
    if similar is not None:
        one = known[similar]
        cure = f"did you mean {one.group}/{version if version in one.versions else one.stored}/{one.kind}?"
    elif there:
        cure = f"these are there: {', '.join(there)}"
    else:
        cure = "name the file that installs the kind"
    return UsageError(f"there is no CustomResourceDefinition of {named} in {' '.join(paths)}", cure)

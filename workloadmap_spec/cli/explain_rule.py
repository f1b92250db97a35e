"""`workloadmap explain`: what a rule of validation is about, with a mapping that breaks it and the mended one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_color, add_command
from workloadmap_spec.cli.messages import OK, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from workloadmap_spec.cli.style import Style
    from workloadmap_spec.validation.rules import Rule

_DESCRIPTION: Final = """
Explain a rule of `workloadmap validate`: why it is there, a mapping that breaks
it with what is said about it, and the same mapping mended. RULE is written as
in a finding (WM203, or 203), by its name (gang-component), or as the rule of
the portable profile that it stands for (P20). Without RULE all are listed.
"""

#: How a fence of a page begins.
_FENCE: Final = "```"


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "explain",
        "explain a rule of validation",
        _DESCRIPTION,
        ["workloadmap explain", "workloadmap explain WM203", "workloadmap explain --format json P20"],
    )
    parser.add_argument("rule", metavar="RULE", nargs="?", help="an id, a name, or a rule of the portable profile")
    parser.add_argument("--format", choices=("human", "json"), default="human", help="what to print (default: human)")
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Explain the rule, or list all."""
    import sys  # noqa: PLC0415 - with the rest

    from workloadmap_spec.cli.output import write_data, write_text  # noqa: PLC0415 - not for help
    from workloadmap_spec.cli.style import style_of  # noqa: PLC0415
    from workloadmap_spec.validation.rules import RULES  # noqa: PLC0415

    rules = list(RULES.values()) if arguments.rule is None else [find_rule(arguments.rule)]
    if arguments.format == "json":
        import json  # noqa: PLC0415 - for this form only

        entries = [describe(rule) for rule in rules]
        entry = entries if arguments.rule is None else {**entries[0], "page": page_of(rules[0])}
        write_data(json.dumps(entry, indent=2, ensure_ascii=False) + "\n")
        return OK
    style = style_of(sys.stdout, arguments.color)
    write_text(table(rules, style) if arguments.rule is None else render_page(page_of(rules[0]), style))
    return OK


def find_rule(text: str) -> Rule:
    """The rule that somebody means.

    Raises:
        UsageError: There is none; the cure names the one that is most like it.
    """
    from workloadmap_spec.validation.rules import RULES  # noqa: PLC0415 - not for help

    # As in a finding it may be `[WM302/P02]`.
    written = text.strip().strip("[]").partition("/")[0].lower()
    known: dict[str, Rule] = {}
    for rule in RULES.values():
        for name in (rule.id, rule.name, rule.profile or rule.id):
            known[name.lower()] = rule
    found = known.get(written) or known.get(f"wm{written}")
    if found is not None:
        return found
    raise UsageError(f"there is no rule `{text}`", _cure(written, known))


def _cure(written: str, known: dict[str, Rule]) -> str:
    """The rule that is most like what was written, or where all are listed."""
    from workloadmap_spec.cel.findings import nearest  # noqa: PLC0415 - for mistakes only

    written = f"wm{written}" if written.isdecimal() else written
    near = nearest(written, known)
    if near is None:
        return "`workloadmap explain` lists the rules"
    rule = known[near]
    # Numbers are alike without having anything in common, so that the name is told with one.
    return f"did you mean {rule.code} ({rule.name})? `workloadmap explain` lists the rules"


def describe(rule: Rule) -> dict[str, Any]:
    """What there is to know about a rule but for its page, as data."""
    entry: dict[str, Any] = {"id": rule.id, "name": rule.name, "level": rule.level, "says": rule.says}
    if rule.profile is not None:
        entry["profileRule"] = rule.profile
    return {**entry, "canBeSuppressed": rule.can_be_suppressed}


def page_of(rule: Rule) -> str:
    """The page of a rule, in Markdown."""
    from workloadmap_spec.files import rule_pages_root  # noqa: PLC0415 - not for help

    return (rule_pages_root() / f"{rule.id}.md").read_text(encoding="utf-8")


def render_page(page: str, style: Style) -> str:
    """A page for people: its Markdown as it is, with bold headings and with colour in the blocks."""
    lines = []
    is_block = False
    for line in page.splitlines():
        is_fence = line.startswith(_FENCE)
        if is_fence:
            lines.append(style.paint(line, "dim"))
        elif is_block:
            lines.append(style.paint(line, "cyan"))
        else:
            lines.append(style.paint(line, "bold") if line.startswith("#") else line)
        is_block ^= is_fence
    return "\n".join([*lines, ""])


def table(rules: Sequence[Rule], style: Style) -> str:
    """The list of rules for people."""
    from workloadmap_spec.cli.table import align  # noqa: PLC0415 - not for help

    rows = [[style.paint(title, "bold") for title in ("RULE", "NAME", "LEVEL", "WHAT IT SAYS")]]
    rows += [[rule.code, rule.name, rule.level, rule.says] for rule in rules]
    return "\n".join([*align(rows), ""])

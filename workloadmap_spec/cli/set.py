"""`workloadmap set`: set fields of pod templates, or of the workload."""

from __future__ import annotations

from argparse import Action, ArgumentTypeError
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.arguments import Subparsers, add_command
from workloadmap_spec.cli.messages import UsageError
from workloadmap_spec.cli.update import SHARED_DESCRIPTION, add_update_options, checked_intent, part_of, run_update

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping

    from workloadmap_spec.catalog import Catalog
    from workloadmap_spec.components import Instance

_DESCRIPTION: Final = """
Set fields of the pod templates, in whatever place the kind keeps them: those of
all components, or of one. Several options are applied in the order in which
they are given. A name with a dash behind it, as in `--label team-`, removes.
"""


@dataclass(frozen=True, slots=True)
class _Field:
    """An option: the field of `set` that it sets, and what is said about it."""

    field: str
    metavar: str
    text: str

    @property
    def is_keyed(self) -> bool:
        """Whether it sets an entry of a map, or removes it."""
        return "=" in self.metavar


_FIELDS: Final = {
    "--image": _Field("image", "IMAGE", "the image of the main container, or of --container"),
    "--request": _Field("requests", "NAME=QTY", "a resource that the container asks for"),
    "--limit": _Field("limits", "NAME=QTY", "a limit of the container's resources"),
    "--label": _Field("labels", "K=V", "a label of the pods"),
    "--annotation": _Field("annotations", "K=V", "an annotation of the pods"),
    "--node-selector": _Field("nodeSelector", "K=V", "a label that the nodes must have"),
    "--toleration": _Field(
        "tolerations", "KEY[=VALUE][:EFFECT]", "a taint that the pods tolerate, beside those they do; KEY- removes"
    ),
    "--scheduler-name": _Field("schedulerName", "NAME", "the scheduler of the pods"),
    "--priority-class": _Field("priorityClassName", "NAME", "the priority class of the pods"),
    "--queue": _Field("queue", "NAME", "the queue that the workload waits in"),
    "--workload-label": _Field("workload.labels", "K=V", "a label of the workload itself"),
    "--workload-annotation": _Field("workload.annotations", "K=V", "an annotation of the workload itself"),
}

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class _Append(Action):
    """Keeps what is given, of all options in one list, so that the order stays."""

    def __call__(
        self, _parser: ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        """Add one."""
        namespace.fields = [*(namespace.fields or ()), (option_string, values)]


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = add_command(
        subparsers,
        "set",
        "set fields of pod templates",
        _DESCRIPTION.strip() + "\n" + SHARED_DESCRIPTION,
        [
            "workloadmap set --scheduler-name kai-scheduler examples/raycluster.yaml",
            "workloadmap set --toleration gpu:NoSchedule -o json examples/raycluster.yaml",
            "workloadmap set --queue night -o merge-patch examples/raycluster.yaml",
            "workloadmap set --component head --request cpu=4 -i examples/raycluster.yaml",
        ],
    )
    for option, field in _FIELDS.items():
        parse = _toleration if field.field == "tolerations" else _entry if field.is_keyed else _word
        options: dict[str, Any] = {"metavar": field.metavar, "help": field.text, "type": parse}
        parser.add_argument(option, action=_Append, dest="fields", default=None, **options)
    parser.add_argument("--container", metavar="NAME", help="the container that --image, --request and --limit mean")
    add_update_options(parser)
    parser.set_defaults(run=_run)


# Values of options


def _word(text: str) -> str:
    """A text that is not empty."""
    if not text:
        raise ArgumentTypeError("it is empty")
    return text


def _entry(text: str) -> tuple[str, str | None]:
    """The name and value of an entry; None removes it."""
    name, equals, value = text.partition("=")
    if not equals and name.endswith("-"):
        name, is_set = name[:-1], False
    else:
        is_set = True
    if not name or (is_set and not equals):
        raise ArgumentTypeError(f"`{text}` is neither NAME=VALUE nor NAME-")
    return name, value if is_set else None


def _toleration(text: str) -> dict[str, str] | str:
    """A toleration as the API has it; the key alone for one that is removed."""
    if text.endswith("-") and not set("=:") & set(text) and text != "-":
        return text[:-1]
    head, colon, effect = text.partition(":")
    key, equals, value = head.partition("=")
    if not key or (colon and effect not in _EFFECTS):
        raise ArgumentTypeError(f"`{text}` is not KEY[=VALUE][:EFFECT] with one of {', '.join(_EFFECTS)}")
    found = {"key": key, "operator": "Equal" if equals else "Exists"}
    return found | ({"value": value} if equals else {}) | ({"effect": effect} if effect else {})


# Intents


def _run(arguments: Namespace) -> int:
    """Set the fields."""
    if not arguments.fields:
        raise UsageError("nothing is given that could be set", f"give one of {', '.join(_FIELDS)}")
    from workloadmap_spec.writing.intents import FIELDS  # noqa: PLC0415 - not for help

    part = part_of(arguments)
    forms = [FIELDS[_FIELDS[option].field] for option, _value in arguments.fields]
    if arguments.container is not None and not any(form.in_container for form in forms):
        raise UsageError(
            "--container is given, and nothing of a container is set", "give --image, --request or --limit"
        )
    return run_update(
        arguments, [_step(option, value, part, arguments.container) for option, value in arguments.fields]
    )


def _step(option: str, value: Any, part: Mapping[str, str], container: str | None) -> object:  # noqa: ANN401 - JSON
    """The intent of an option; for tolerations what makes intents, since the list that there is stays."""
    from workloadmap_spec.writing.intents import FIELDS  # noqa: PLC0415 - not for help

    field = _FIELDS[option].field
    if part and not FIELDS[field].in_template:
        names = " and ".join(f"--{name}" for name in part)
        message = f"{option} is for the workload as a whole, and {names} for a part of it"
        raise UsageError(message, "set it with a command of its own")
    if field == "tolerations":
        return partial(_toleration_intents, value, part)
    intent = {"op": "set", "field": field, **part}
    if _FIELDS[option].is_keyed:
        intent["key"], intent["value"] = value
    else:
        intent["value"] = value
    if container is not None and FIELDS[field].in_container:
        intent["container"] = container
    shown = f"{value[0]}={value[1]}" if isinstance(value, tuple) else value
    return checked_intent(intent, f"{option} {shown}")


def _toleration_intents(
    value: dict[str, str] | str,
    part: Mapping[str, str],
    catalog: Catalog,
    workload: object,
    references: tuple[Mapping[str, Any], ...],
) -> Iterator[Mapping[str, Any]]:
    """The intents that add a toleration to those of every template that is meant, or remove those of a key."""
    from workloadmap_spec.writing.update import read_workload, template_instances  # noqa: PLC0415 - not for help

    intent = {"op": "set", "field": "tolerations", **part}
    parts = read_workload(catalog, workload, references)
    wanted = [(one, _tolerations(one, value)) for one in template_instances(parts, part)]
    values = [found for _one, found in wanted]
    if all(found == values[0] for found in values):
        # Templates that share a place are written together.
        yield intent | {"value": values[0]}
    else:
        for one, found in wanted:
            yield {**intent, "component": one.qualified, "instance": one.path, "value": found}


def _tolerations(instance: Instance, value: dict[str, str] | str) -> list[Any] | None:
    """The tolerations that a template should have; None for none."""
    template: Any = instance.template
    spec = template.get("spec") if isinstance(template, dict) else None
    present = spec.get("tolerations") if isinstance(spec, dict) else None
    found = present if isinstance(present, list) else []
    if isinstance(value, str):
        found = [entry for entry in found if not (isinstance(entry, dict) and entry.get("key") == value)]
        return found if found or present == [] else None
    return found if value in found else [*found, value]

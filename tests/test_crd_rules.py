"""The rules of checking against the schema of a kind, on a kind that is made up for it and has every form of schema."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import yaml

from tests.conftest import definition
from tests.test_crd_mistakes import marked
from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.crd import Checked, Kinds, check_against, load_kinds
from workloadmap_spec.documents import Document, load_text
from workloadmap_spec.validation.places import expression_span
from workloadmap_spec.validation.rules import RULES

#: By version what its objects have; what only one version has, a mapping may read in both.
FLEET = """
v1:
  spec:
    type: object
    required: [groups, mode]
    properties:
      <<: &common
        size: {x-kubernetes-int-or-string: true}
        share: {type: number}
        replicas: {type: integer, default: 1}
        paused: {type: boolean, default: false}
        mode: {type: string, enum: [Serial, Parallel]}
        settings: {type: object, additionalProperties: {type: string}}
        extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
        object: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
        owner: {type: object, required: [team], properties: {team: {type: string}, mail: {type: string}}}
        groups:
          type: array
          items:
            type: object
            required: [name, template]
            properties:
              name: {type: string}
              count: {type: integer}
              template:
                type: object
                properties:
                  metadata: {type: object, x-kubernetes-preserve-unknown-fields: true}
                  spec:
                    type: object
                    properties:
                      containers:
                        type: array
                        items: {type: object, properties: {name: {type: string}, image: {type: string}}}
      window: {type: object, properties: {start: {type: string}}}
  status: &status
    type: object
    properties:
      ready: {type: integer}
      phase: {type: string, enum: [Waiting, Working, Done]}
      conditions:
        type: array
        items:
          type: object
          properties:
            type: {type: string, enum: [Ready, Failed]}
            status: {type: string}
            reason: {type: string}
v1beta1:
  spec:
    type: object
    required: [groups, mode]
    properties: {<<: *common, legacy: {type: string}}
  status: *status
"""

MAPPING = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: fleet}
spec:
  workload: {group: example.org, versions: [v1, v1beta1], kind: Fleet}
  references:
  - {name: peer, apiVersion: example.org/v1, kind: Fleet, resourceName: object.spec.owner.team}
  variables:
  - {name: read, value: object.spec.owner.mail}
  - {name: found, find: object.spec.groups, where: {name: variables.read}}
  components:
  - name: group
    forEach: object.spec.groups
    instance: item.name
    replicas: {value: item.count, default: 1, writeTo: item.count}
    podTemplate: item.template
    podFields:
    - {field: spec.priorityClassName, value: object.spec.owner.team}
  pods:
    selector: {team: object.spec.owner.team}
  status:
    observedGeneration: false
    rules:
    - phase: Running
      condition: Ready
      when: |-
        true
  suspend:
    suspend: [{set: object.spec.paused, to: true}]
    resume: [{remove: object.spec.paused}]
  immutable:
  - {places: [object.spec.owner], reason: it stays}
  gang:
  - {name: fleet, members: [group]}
"""
#: Where a condition is put in.
WHEN = "        true\n"


class Row(NamedTuple):
    """A place of the mapping, what may stand there, and what may not, with what is said of it."""

    what: str
    old: str
    right: str
    wrong: str
    rule: str
    says: str
    at: str | None = None


def condition(what: str, right: str, wrong: str, rule: str, says: str) -> Row:
    """A row for a condition."""
    return Row(what, WHEN, f"        {right}\n", f"        {wrong}\n", rule, says)


SUSPEND = "{set: object.spec.paused, to: true}"
READ = "{name: read, value: object.spec.owner.mail}"
SETTING = 'has(object.spec.settings) && "a" in object.spec.settings'
ROWS = [
    condition(
        "an int or a string is no boolean",
        "has(object.spec.size) && object.spec.size == 3",
        "has(object.spec.size) && «object.spec.size == true»",
        "WM503",
        "never equal",
    ),
    condition(
        "an int or a string has no size",
        'has(object.spec.size) && object.spec.size == "half"',
        "has(object.spec.size) && size(«object.spec.size») > 0",
        "WM502",
        "counts the elements",
    ),
    condition(
        "what is under a free key has its type",
        f'{SETTING} && object.spec.settings["a"] == "1"',
        f'{SETTING} && «object.spec.settings["a"] == 1»',
        "WM503",
        'write "1"',
    ),
    condition(
        "a free key may be missing",
        f'{SETTING} && object.spec.settings["a"] == "b"',
        'has(object.spec.settings) && «object.spec.settings["a"]» == "b"',
        "WM505",
        'guard it: "a" in object.spec.settings',
    ),
    condition(
        "a map with unknown fields is a field itself",
        "has(object.spec.extra) && has(object.spec.extra.any)",
        "has(object.spec.«extras»)",
        "WM501",
        "did you mean extra?",
    ),
    condition(
        "a value of an enum",
        'object.spec.mode == "Serial"',
        'object.spec.mode == «"serial"»',
        "WM504",
        "did you mean Serial?",
    ),
    condition(
        "values of an enum in a list",
        'object.spec.mode in ["Serial", "Parallel"]',
        'object.spec.mode in ["Serial", «"Paralel"»]',
        "WM504",
        "did you mean Parallel?",
    ),
    condition(
        "what is required, below what is not",
        'has(object.spec.owner) && object.spec.owner.team == "a"',
        '«object.spec.owner».team == "a"',
        "WM505",
        "guard it: has(object.spec.owner)",
    ),
    condition(
        "what is not required, below what is",
        'has(object.spec.owner) && has(object.spec.owner.mail) && object.spec.owner.mail == "a"',
        'has(object.spec.owner) && «object.spec.owner.mail» == "a"',
        "WM505",
        "guard it: has(object.spec.owner.mail)",
    ),
    condition(
        "what the API server fills in may be missing in a manifest",
        "has(object.spec.replicas) && object.spec.replicas == 1",
        "«object.spec.replicas» == 1",
        "WM505",
        "the API server fills it in",
    ),
    condition(
        "a list has no fields",
        'object.spec.groups.exists(g, g.name == "a")',
        "has(object.spec.groups.«name»)",
        "WM502",
        "visit all of them",
    ),
    condition(
        "an element has the fields of an element",
        'object.spec.groups.exists(g, g.name == "a")',
        'object.spec.groups.exists(g, g.«label» == "a")',
        "WM501",
        "the fields are count, name, template",
    ),
    condition(
        "has() of an element",
        "object.spec.groups.exists(g, has(g.count))",
        "object.spec.groups.exists(g, has(g.«counts»))",
        "WM501",
        "did you mean count?",
    ),
    condition(
        "a macro visits a list",
        "has(object.spec.settings) && object.spec.settings.exists(k, k == 'a')",
        "«object.spec.mode».exists(k, k == 'a')",
        "WM502",
        "`exists` visits the elements of a list",
    ),
    condition(
        "an object inside has a kind",
        'has(object.spec.object) && has(object.spec.object.kind) && object.spec.object.kind == "Pod"',
        "has(object.spec.object) && has(object.spec.object.kind) && «object.spec.object.kind == 1»",
        "WM503",
        'write "1"',
    ),
    condition(
        "an object inside has metadata",
        "has(object.spec.object) && has(object.spec.object.metadata) && has(object.spec.object.metadata.name)",
        "has(object.spec.object) && has(object.spec.object.metadata) && has(object.spec.object.metadata.«names»)",
        "WM501",
        "did you mean name?",
    ),
    condition(
        "a number is no text",
        "has(object.spec.share) && double(object.spec.share) > double(0.5)",
        'has(object.spec.share) && «object.spec.share == "half"»',
        "WM503",
        "never equal",
    ),
    condition(
        "a key that is a field",
        'has(object.spec.owner) && "mail" in object.spec.owner',
        'has(object.spec.owner) && «"email"» in object.spec.owner',
        "WM501",
        "did you mean mail?",
    ),
    condition(
        "a condition of an enum",
        '"Ready" in conditionsTrue',
        '«"ready"» in conditionsTrue',
        "WM504",
        "did you mean Ready?",
    ),
    condition(
        "a field of the status",
        "has(object.status.ready)",
        "has(object.spec.«ready»)",
        "WM501",
        "did you mean status.ready?",
    ),
    condition(
        "a field of what is referred to",
        "has(refs.peer.spec.groups)",
        "has(refs.peer.spec.«group»)",
        "WM501",
        "`refs.peer.spec` has no field `group`",
    ),
    Row(
        "what is looked for has the type of the field",
        READ,
        READ,
        "{name: read, value: object.spec.replicas}",
        "WM503",
        "look for a value of that type",
        "/spec/variables/1/where/name",
    ),
    Row(
        "find compares a field that elements have",
        "where: {name: variables.read}",
        "where: {name: variables.read}",
        "where: {label: variables.read}",
        "WM501",
        "the fields are count, name, template",
        "/spec/variables/1/where/label",
    ),
    Row(
        "the default of the API server",
        "observedGeneration: false",
        "observedGeneration: false\n    variables: [{name: paused, value: object.spec.paused, default: false}]",
        "observedGeneration: false\n    variables: [{name: paused, value: object.spec.paused, default: true}]",
        "WM506",
        "write default: false",
        "/spec/status/variables/0/default",
    ),
    Row(
        "a default of the type of its field",
        READ,
        '{name: read, value: object.spec.owner.mail, default: ""}',
        "{name: read, value: object.spec.owner.mail, default: true}",
        "WM506",
        "give it the type of the field",
        "/spec/variables/0/default",
    ),
    Row(
        "a default that the enum has",
        "observedGeneration: false",
        "observedGeneration: false\n    variables: [{name: phase, value: object.status.phase, default: Waiting}]",
        "observedGeneration: false\n    variables: [{name: phase, value: object.status.phase, default: Idle}]",
        "WM504",
        "it is one of: Waiting, Working, Done",
        "/spec/status/variables/0/default",
    ),
    Row(
        "a condition of a rule is one of the enum",
        "condition: Ready",
        "condition: Failed",
        "condition: Broken",
        "WM504",
        "it is one of: Ready, Failed",
        "/spec/status/rules/0/condition",
    ),
    Row(
        "a version of the definition",
        "versions: [v1, v1beta1]",
        "versions: [v1beta1]",
        "versions: [v1, v2]",
        "WM500",
        "it is in",
        "/spec/workload/versions/1",
    ),
    Row(
        "what is set is a value of the enum",
        SUSPEND,
        "{set: object.spec.mode, to: Parallel}",
        "{set: object.spec.mode, to: Both}",
        "WM504",
        "it is one of: Serial, Parallel",
        "/spec/suspend/suspend/0/to",
    ),
    Row(
        "what is set has the type of its place",
        SUSPEND,
        "{set: object.spec.replicas, to: 0}",
        '{set: object.spec.replicas, to: "0"}',
        "WM507",
        "write a value of that type",
        "/spec/suspend/suspend/0/to",
    ),
    Row(
        "the status is not set",
        SUSPEND,
        SUSPEND,
        "{set: object.status.ready, to: 0}",
        "WM507",
        "name the place in the spec",
        "/spec/suspend/suspend/0/set",
    ),
    Row(
        "a place that is set exists",
        SUSPEND,
        SUSPEND,
        "{set: object.spec.«pause», to: true}",
        "WM507",
        "did you mean paused?",
    ),
    Row(
        "a place of one version is written in that version",
        SUSPEND,
        "{set: object.spec.window.start, to: now, when: 'object.apiVersion == \"example.org/v1\"'}",
        "{set: object.spec.«window».start, to: now}",
        "WM507",
        "v1 has it: write it only there, with when:",
    ),
    Row(
        "a place that is removed exists",
        "{remove: object.spec.paused}",
        "{remove: object.spec.owner.mail}",
        "{remove: object.spec.owner.«mails»}",
        "WM507",
        "did you mean mail?",
    ),
    Row(
        "a place that cannot be changed exists",
        "places: [object.spec.owner]",
        "places: [object.spec.owner.team]",
        "places: [object.spec.owner.«teams»]",
        "WM507",
        "did you mean team?",
    ),
    Row(
        "a value is written to a place of its type",
        "writeTo: item.count",
        "writeTo: item.count, write: value + 1",
        "writeTo: item.name",
        "WM507",
        "convert it in `write`",
        "/spec/components/0/replicas/writeTo",
    ),
    Row(
        "what is written has the type of its place",
        "writeTo: item.count",
        "writeTo: item.name, write: string(value)",
        "writeTo: item.count, write: string(value)",
        "WM507",
        "convert it in `write`",
        "/spec/components/0/replicas/write",
    ),
    Row(
        "a template is one of pods",
        "podTemplate: item.template",
        "podTemplate: {firstOf: [item.template]}",
        "podTemplate: item.template.spec",
        "WM502",
        "write podSpec instead of podTemplate",
        "/spec/components/0/podTemplate",
    ),
    Row(
        "a podSpec is the spec of pods",
        "podTemplate: item.template",
        "podSpec: item.template.spec",
        "podSpec: item.template",
        "WM502",
        "write podTemplate, or name its `spec`",
        "/spec/components/0/podSpec",
    ),
    Row(
        "forEach visits a list or a map",
        "forEach: object.spec.groups",
        "forEach: object.spec.groups.filter(g, g.name != 'a')",
        "forEach: object.spec.mode",
        "WM508",
        "`forEach` visits a list or a map",
        "/spec/components/0/forEach",
    ),
    Row(
        "an instance is a text or a number",
        "instance: item.name",
        "instance: item.count",
        "instance: item.template",
        "WM508",
        "`instance` is an int or a string",
        "/spec/components/0/instance",
    ),
    Row(
        "a label is a text",
        "selector: {team: object.spec.owner.team}",
        "selector: {team: object.spec.owner.mail}",
        "selector: {team: object.spec.replicas}",
        "WM508",
        "the value of a label is a string",
        "/spec/pods/selector/team",
    ),
    Row(
        "a field of podFields is one of pods",
        "field: spec.priorityClassName",
        "field: spec.schedulerName",
        "field: spec.priorityClass",
        "WM501",
        "did you mean priorityClassName?",
        "/spec/components/0/podFields/0/field",
    ),
    Row(
        "a value of podFields has the type of its field",
        "field: spec.priorityClassName, value: object.spec.owner.team",
        "field: spec.priority, value: object.spec.replicas",
        "field: spec.priority, value: object.spec.owner.team",
        "WM508",
        "`spec.priority` of a pod takes an int",
        "/spec/components/0/podFields/0/value",
    ),
    Row(
        "the name of what is referred to is a text",
        "resourceName: object.spec.owner.team",
        "resourceName: object.spec.owner.mail",
        "resourceName: object.spec.groups",
        "WM508",
        "`resourceName` is a string",
        "/spec/references/0/resourceName",
    ),
    Row(
        "a minimum is a number",
        "{name: fleet, members: [group]}",
        "{name: fleet, members: [group], minMember: object.spec.replicas}",
        "{name: fleet, members: [group], minMember: object.spec.mode}",
        "WM508",
        "read it as a number",
        "/spec/gang/0/minMember",
    ),
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Kinds:
    """The kind that is made up."""
    file = tmp_path_factory.mktemp("crds") / "fleet.yaml"
    file.write_text(yaml.safe_dump(definition("Fleet", yaml.safe_load(FLEET), has_status=True)), "utf-8")
    return load_kinds([file])


def checked(text: str, kinds: Kinds) -> tuple[Document, Checked]:
    """A mapping in a text, and what the schema says of it."""
    (document,) = load_text(text)
    value: Any = document.value
    return document, check_against(compile_mapping(value), kinds)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_what_is_right_gives_no_finding(row: Row, fleet: Kinds) -> None:
    text, _ = marked(MAPPING, row.old, row.right)
    assert checked(text, fleet)[1].problems == ()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_what_is_wrong_gives_one_finding(row: Row, fleet: Kinds) -> None:
    text, place = marked(MAPPING, row.old, row.wrong)
    document, found = checked(text, fleet)
    assert [problem.rule for problem in found.problems] == [row.rule], found.problems
    (problem,) = found.problems
    assert row.says in f"{problem.message}; {problem.cure}"
    if place is None:
        assert (problem.at, problem.offset) == (row.at, None)
    else:
        assert problem.offset is not None
        span = expression_span(document, problem.at, problem.offset, problem.length)
        assert (span.start_line, span.start_column, span.end_column - span.start_column) == place


def test_there_are_rows_of_every_rule() -> None:
    assert {row.rule for row in ROWS} == {rule for rule in RULES if rule.startswith("WM5")}


def test_nothing_is_wrong_with_the_mapping_itself(fleet: Kinds) -> None:
    found = checked(MAPPING, fleet)[1]
    assert found.checked
    assert (found.problems, found.stopped) == ((), ())


def test_what_a_manifest_may_leave_out_is_a_warning(fleet: Kinds) -> None:
    text, _ = marked(MAPPING, WHEN, "        object.spec.replicas == 1\n")
    assert [problem.level for problem in checked(text, fleet)[1].problems] == ["warning"]
    text, _ = marked(MAPPING, WHEN, '        object.spec.owner.team == "a"\n')
    assert [problem.level for problem in checked(text, fleet)[1].problems] == ["error"]


def test_checking_stops_where_the_schema_says_nothing(fleet: Kinds) -> None:
    text, _ = marked(MAPPING, WHEN, "        has(object.spec.extra) && has(object.spec.extra.any.thing)\n")
    found = checked(text, fleet)[1]
    assert found.problems == ()
    assert {stop.at for stop in found.stopped} == {"/spec/status/rules/0/when"}
    assert all("`spec.extra`" in stop.reason for stop in found.stopped)


def test_an_unknown_kind_is_not_checked() -> None:
    found = checked(MAPPING, Kinds())[1]
    assert (found.checked, found.problems) == (False, ())
    assert [stop.at for stop in found.stopped] == ["/spec/workload/versions/0", "/spec/workload/versions/1"]


def test_a_field_of_one_version_may_be_read_in_all(fleet: Kinds) -> None:
    text, _ = marked(MAPPING, WHEN, "        has(object.spec.window) || has(object.spec.legacy)\n")
    assert checked(text, fleet)[1].problems == ()


def test_a_field_of_a_version_that_is_not_claimed_is_told(fleet: Kinds) -> None:
    text, _ = marked(MAPPING, WHEN, "        has(object.spec.legacy)\n")
    text = text.replace("versions: [v1, v1beta1]", "versions: [v1]")
    (problem,) = checked(text, fleet)[1].problems
    assert problem.rule == "WM501"
    assert problem.cure == "v1beta1 has it: name that version, or give it a mapping of its own"

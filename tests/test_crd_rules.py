"""The rules of checking against the schema of a kind, on a kind that is made up for it and has every form of schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from tests.conftest import definition, small_mapping
from tests.test_crd_mistakes import marked
from workloadmap_spec.compiler import compile_mapping, examine
from workloadmap_spec.crd import Checked, Kinds, check_against, load_kinds
from workloadmap_spec.documents import Document, load_text
from workloadmap_spec.validation.places import expression_span
from workloadmap_spec.validation.rules import RULES

if TYPE_CHECKING:
    from pathlib import Path

#: By version what its objects have; what only one version has, a mapping may read in both.
FLEET = """
v1:
  spec:
    type: object
    required: [groups, mode, note]
    properties:
      <<: &common
        note: {type: string, nullable: true}
        modes: {type: array, items: {type: string, enum: [Serial, Parallel]}}
        size: {x-kubernetes-int-or-string: true}
        share: {type: number}
        replicas: {type: integer, default: 1}
        paused: {type: boolean, default: false}
        mode: {type: string, enum: [Serial, Parallel]}
        settings: {type: object, additionalProperties: {type: string}}
        embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
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
    required: [total]
    properties:
      ready: {type: integer}
      total: {type: integer}
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
TEMPLATE = """\
    podTemplate: item.template
    podFields:
    - {field: spec.priorityClassName, value: object.spec.owner.team}"""
REPLICAS = "    replicas: {value: item.count, default: 1, writeTo: item.count}"
LITERALS = """\
forEach: {values: [{name: a, size: 1}, {name: b}]}
    podTemplate: object.spec.groups[0].template
"""
SETTING = 'has(object.spec.settings) && "a" in object.spec.settings'
ROWS = [
    Row(
        "what stands behind a rule that always holds is looked at too",
        WHEN,
        "        true\n    readiness: {type: task, ready: object.status.ready}\n",
        "        true\n    readiness: {type: task, ready: object.status.«reday»}\n",
        "WM501",
        "did you mean ready?",
    ),
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
        "what may be null may be missing, although it is required",
        'has(object.spec.note) && object.spec.note == "a"',
        '«object.spec.note» == "a"',
        "WM505",
        "guard it: has(object.spec.note)",
    ),
    condition(
        "what is required in a status that is there",
        "object.status.total > 0",
        "«object.status.ready» > 0",
        "WM505",
        "guard it: has(object.status.ready)",
    ),
    condition(
        "the object that is referred to may have no status",
        "has(refs.peer.status) && has(refs.peer.status.phase)",
        "has(«refs.peer.status».phase)",
        "WM505",
        "the object that is referred to need not have it",
    ),
    condition(
        "the object that is referred to may have no labels",
        'has(refs.peer.metadata.labels) && "a" in refs.peer.metadata.labels',
        '"a" in «refs.peer.metadata.labels»',
        "WM505",
        "the object that is referred to need not have it",
    ),
    condition(
        "the labels of the workload are a map",
        '"a" in object.metadata.labels && object.metadata.name == "a"',
        '"a" in object.metadata.«label»',
        "WM501",
        "did you mean labels?",
    ),
    condition(
        "an object inside is of a kind",
        'has(object.spec.embedded) && object.spec.embedded.kind == "Job" && object.spec.embedded.apiVersion != "v1"',
        'has(object.spec.embedded) && «object.spec.embedded.metadata».name == "a"',
        "WM505",
        "guard it: has(object.spec.embedded.metadata)",
    ),
    condition(
        "a condition has a type and a status, and no field of the object",
        'conditions.exists(c, c.type == "Ready" && c.status == "True" && c.message == "")',
        'conditions.exists(c, c.type == "Ready" && c.«kind» == "True")',
        "WM501",
        "the fields are message, reason, status, type",
    ),
    condition(
        "below what is open nothing is the object",
        "has(object.spec.extra) && has(object.spec.extra.a) && object.spec.extra.a.spec == 'b'",
        "has(object.spec.extra) && object.spec.extra.a.spec == 'b' && has(object.spec.«spec»)",
        "WM501",
        "the fields are",
    ),
    condition(
        "the version is one that is claimed",
        'object.apiVersion == "example.org/v1beta1" || object.apiVersion in ["example.org/v1"]',
        'object.apiVersion == «"v1"»',
        "WM504",
        "it is one of: example.org/v1, example.org/v1beta1",
    ),
    condition(
        "the kind is that of the mapping",
        'object.kind == "Fleet"',
        'object.kind != «"Fleets"»',
        "WM504",
        "did you mean Fleet?",
    ),
    condition(
        "the kind of what is referred to",
        'refs.peer.apiVersion == "example.org/v1"',
        'refs.peer.apiVersion == «"example.org/v1beta1"»',
        "WM504",
        "it is one of: example.org/v1",
    ),
    condition(
        "an int or a string is ordered once its type is known",
        "has(object.spec.size) && type(object.spec.size) == int && object.spec.size > 3",
        "has(object.spec.size) && «object.spec.size» > 3",
        "WM502",
        "look at its type first: type(object.spec.size) == ...",
    ),
    condition(
        "a type that a field has",
        "has(object.spec.size) && type(object.spec.size) == string",
        "has(object.spec.mode) && type(object.spec.mode) == «int»",
        "WM503",
        "never of the type int",
    ),
    condition(
        "a list of values of the enum",
        'has(object.spec.modes) && object.spec.modes == ["Serial"]',
        'has(object.spec.modes) && object.spec.modes == ["Serial", «"Paralel"»]',
        "WM504",
        "did you mean Parallel?",
    ),
    condition(
        "a text among texts",
        'object.spec.mode in ["Serial"]',
        "«object.spec.mode in [1, 2]»",
        "WM503",
        'write ["1", "2"]',
    ),
    condition(
        "an element among elements",
        'object.spec.groups.exists(g, g.name == "small")',
        '«"small" in object.spec.groups»',
        "WM503",
        'visit the elements: object.spec.groups.exists(x, x.NAME == "small")',
    ),
    condition(
        "a map that is written out has the fields that it is written with",
        'object.spec.groups.map(g, {"n": g.name}).exists(r, r.n == "a")',
        'object.spec.groups.map(g, {"n": g.name}).exists(r, r.«name» == "a")',
        "WM501",
        "`r` has no field `name`; the fields are n",
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
    Row(
        "a version of what is referred to",
        "apiVersion: example.org/v1, kind: Fleet, resource",
        "apiVersion: example.org/v1beta1, kind: Fleet, resource",
        "apiVersion: example.org/v2, kind: Fleet, resource",
        "WM500",
        "the versions are v1, v1beta1",
        "/spec/references/0/apiVersion",
    ),
    Row(
        "a kind of Kubernetes that is referred to",
        "apiVersion: example.org/v1, kind: Fleet, resource",
        "apiVersion: v1, kind: ConfigMap, resource",
        "apiVersion: v1, kind: Configmap, resource",
        "WM500",
        "did you mean ConfigMap?",
        "/spec/references/0/kind",
    ),
    Row(
        "a kind of Kubernetes that the table has not",
        "apiVersion: example.org/v1, kind: Fleet, resource",
        "apiVersion: v1, kind: PersistentVolume, resource",
        "apiVersion: core/v1, kind: ConfigMap, resource",
        "WM500",
        "Kubernetes has no group core; did you mean v1?",
        "/spec/references/0/apiVersion",
    ),
    Row(
        "a kind that is made",
        "podTemplate: item.template",
        "podTemplate: item.template\n    creates: {apiVersion: batch/v1, kind: Job}",
        "podTemplate: item.template\n    creates: {apiVersion: batch/v1, kind: Jbo}",
        "WM500",
        "did you mean Job?",
        "/spec/components/0/creates/kind",
    ),
    Row(
        "a stable version of Kubernetes",
        "podTemplate: item.template",
        "podTemplate: item.template\n    creates: [{apiVersion: batch/v1beta1, kind: CronJob}]",
        "podTemplate: item.template\n    creates: [{apiVersion: batch/v2, kind: CronJob}]",
        "WM500",
        "write batch/v1",
        "/spec/components/0/creates/0/apiVersion",
    ),
    Row(
        "a kind that is embedded",
        TEMPLATE,
        "    embed: {apiVersion: batch/v1, kind: Job, spec: object.spec.extra}",
        "    embed: {apiVersion: batch/v1, kind: Jobs, spec: object.spec.extra}",
        "WM500",
        "did you mean Job?",
        "/spec/components/0/embed/kind",
    ),
    Row(
        "an object that is embedded is of a kind",
        TEMPLATE,
        "    embed: {object: object.spec.embedded}",
        "    embed: {object: object.spec.owner}",
        "WM502",
        "an object has a field `apiVersion`",
        "/spec/components/0/embed/object",
    ),
    Row(
        "labels of what is embedded are texts",
        TEMPLATE,
        "    embed: {apiVersion: batch/v1, kind: Job, spec: object.spec.extra, labels: object.spec.settings}",
        "    embed: {apiVersion: batch/v1, kind: Job, spec: object.spec.extra, labels: item.template}",
        "WM502",
        "no field of it is a string",
        "/spec/components/0/embed/labels",
    ),
    Row(
        "a selector is one, or labels",
        "selector: {team: object.spec.owner.team}",
        "selector: {from: object.spec.settings}",
        "selector: {from: 'object.spec.groups[0].template'}",
        "WM502",
        "is put into a label selector",
        "/spec/pods/selector/from",
    ),
    Row(
        "both branches are counts",
        REPLICAS,
        "    minReplicas: 'has(object.spec.replicas) ? object.spec.replicas : 1'",
        "    minReplicas: 'has(object.spec.replicas) ? object.spec.replicas : object.metadata.name'",
        "WM508",
        "(`metadata.name` of Fleet v1) may be a string; read it as a number",
        "/spec/components/0/minReplicas",
    ),
    Row(
        "an int or a string is a count once it is read as one",
        REPLICAS,
        "    minReplicas: {value: object.spec.size, as: int}",
        "    minReplicas: object.spec.size",
        "WM508",
        "may be a string",
        "/spec/components/0/minReplicas",
    ),
    Row(
        "an int or a string is a count behind a look at its type",
        REPLICAS,
        "    minReplicas: {value: object.spec.size, when: has(object.spec.size) && type(object.spec.size) == int}",
        "    minReplicas: {value: object.spec.size, when: has(object.spec.size)}",
        "WM508",
        "may be a string",
        "/spec/components/0/minReplicas",
    ),
    Row(
        "what is looked for is a value of the enum",
        READ,
        "{name: one, find: object.status.conditions, where: {type: '\"Ready\"'}}\n  - " + READ,
        "{name: one, find: object.status.conditions, where: {type: '\"ready\"'}}\n  - " + READ,
        "WM504",
        "did you mean Ready?",
        "/spec/variables/0/where/type",
    ),
    Row(
        "what stands for absence is a value of the enum",
        READ,
        "{name: read, value: object.spec.mode, absentIf: [Serial]}",
        "{name: read, value: object.spec.mode, absentIf: [serial]}",
        "WM504",
        "did you mean Serial?",
        "/spec/variables/0/absentIf/0",
    ),
    Row(
        "what stands for absence has the type of the value",
        REPLICAS,
        "    minReplicas: {value: object.spec.replicas, absentIf: [0]}",
        '    minReplicas: {value: object.spec.replicas, absentIf: ["0"]}',
        "WM503",
        "write a value of that type",
        "/spec/components/0/minReplicas/absentIf/0",
    ),
    Row(
        "elements of a default",
        "observedGeneration: false",
        "observedGeneration: false\n    variables: [{name: modes, value: object.spec.modes, default: [Serial]}]",
        "observedGeneration: false\n    variables: [{name: modes, value: object.spec.modes, default: [serial]}]",
        "WM504",
        "did you mean Serial?",
        "/spec/status/variables/0/default",
    ),
    Row(
        "a default of the type that is read",
        "observedGeneration: false",
        "observedGeneration: false\n    variables: [{name: n, value: object.spec.size, as: int, default: 1}]",
        'observedGeneration: false\n    variables: [{name: n, value: object.spec.size, as: int, default: "1"}]',
        "WM506",
        "the default is a string, and the value is an int",
        "/spec/status/variables/0/default",
    ),
    Row(
        "a text that is read as a boolean may be one",
        "observedGeneration: false",
        "observedGeneration: false\n    variables: [{name: n, value: object.spec.owner.mail, as: bool}]",
        "observedGeneration: false\n    variables: [{name: n, value: object.spec.mode, as: bool}]",
        "WM508",
        '`as: bool` takes none of the values of `spec.mode` of Fleet v1: "Serial", "Parallel"',
        "/spec/status/variables/0",
    ),
    Row(
        "a manager is a value of the enum",
        "observedGeneration: false",
        "observedGeneration: false\n    managedBy: {value: object.spec.mode, own: [Serial]}",
        "observedGeneration: false\n    managedBy: {value: object.spec.mode, own: [serial]}",
        "WM504",
        "did you mean Serial?",
        "/spec/status/managedBy/own/0",
    ),
    Row(
        "what is written is a value of the enum",
        "writeTo: item.count",
        'writeTo: object.spec.mode, write: \'value == 1 ? "Serial" : "Parallel"\'',
        'writeTo: object.spec.mode, write: \'value == 1 ? "Serial" : "parallel"\'',
        "WM504",
        "did you mean Parallel?",
        "/spec/components/0/replicas/write",
    ),
    Row(
        "what is required is not removed",
        "{remove: object.spec.paused}",
        "{remove: object.spec.owner}",
        "{remove: object.spec.mode}",
        "WM507",
        "requires `mode`",
        "/spec/suspend/resume/0/remove",
    ),
    Row(
        "elements that are set are values of the enum",
        SUSPEND,
        "{set: object.spec.modes, to: [Serial]}",
        "{set: object.spec.modes, to: [x]}",
        "WM504",
        "it is one of: Serial, Parallel",
        "/spec/suspend/suspend/0/to",
    ),
    Row(
        "the kind is not set",
        SUSPEND,
        SUSPEND,
        "{set: object.kind, to: x}",
        "WM507",
        "the kind of an object is never changed",
        "/spec/suspend/suspend/0/set",
    ),
    Row(
        "elements that are written out have the fields that they have",
        f"forEach: object.spec.groups\n    instance: item.name\n{REPLICAS}\n    podTemplate: item.template",
        f"{LITERALS}    instance: item.name\n    replicas: {{value: item.size, default: 1}}",
        f"{LITERALS}    instance: item.«nam»\n    replicas: {{value: item.size, default: 1}}",
        "WM501",
        "`item` has no field `nam`; did you mean name?",
    ),
    Row(
        "a role is one that tools know",
        "podTemplate: item.template",
        'podTemplate: item.template\n    role: {value: \'object.spec.mode == "Serial" ? "worker" : "x-a"\'}',
        'podTemplate: item.template\n    role: {value: \'object.spec.mode == "Serial" ? "worker" : "workr"\'}',
        "WM508",
        "did you mean worker?",
        "/spec/components/0/role/value",
    ),
    Row(
        "a template that is written out has the fields of one",
        "podTemplate: item.template",
        'podTemplate: \'{"spec": {"containers": [{"name": "x"}]}}\'',
        'podTemplate: \'{"spec": {"contaners": [{"name": "x"}]}}\'',
        "WM501",
        "`PodTemplateSpec.spec` has no field `contaners`; did you mean containers?",
        "/spec/components/0/podTemplate",
    ),
]


def pod_field(what: str, right: str, wrong: str, rule: str, says: str) -> Row:
    """A row for an entry of `podFields`."""
    at = "mode" if "adds to" in says else "value"
    old = "{field: spec.priorityClassName, value: object.spec.owner.team}"
    return Row(what, old, right, wrong, rule, says, f"/spec/components/0/podFields/0/{at}")


ROWS += [
    pod_field(
        "labels are texts",
        '{field: metadata.labels, value: \'{"a": "1"}\', mode: merge}',
        "{field: metadata.labels, value: '{\"a\": 1}', mode: merge}",
        "WM508",
        "`metadata.labels.a` takes a string, and this is an int",
    ),
    pod_field(
        "an element has the fields of one",
        '{field: spec.tolerations, value: \'[{"key": "x", "operator": "Exists"}]\', mode: append}',
        '{field: spec.tolerations, value: \'[{"kye": "x"}]\', mode: append}',
        "WM501",
        "`spec.tolerations[]` has no field `kye`; did you mean key?",
    ),
    pod_field(
        "a value deep inside is one of the enum",
        '{field: spec.tolerations, value: \'[{"operator": "Exists"}]\', mode: append}',
        '{field: spec.tolerations, value: \'[{"operator": "Exsts"}]\', mode: append}',
        "WM504",
        "did you mean Exists?",
    ),
    pod_field(
        "a map in a container",
        '{container: main, field: resources, value: \'{"limits": {"cpu": "1"}}\'}',
        '{container: main, field: resources, value: \'{"limit": {"cpu": "1"}}\'}',
        "WM501",
        "did you mean limits?",
    ),
    pod_field(
        "a quantity may be a number",
        '{container: main, field: resources, value: \'{"limits": {"cpu": 1}}\'}',
        '{container: main, field: resources, value: \'{"limits": {"cpu": true}}\'}',
        "WM508",
        "`resources.limits.cpu` takes",
    ),
    pod_field(
        "elements are maps",
        '{container: main, field: env, value: \'[{"name": "A"}]\', mode: merge}',
        "{container: main, field: env, value: '[\"A=x\"]', mode: merge}",
        "WM508",
        "`env[]` takes a map, and this is a string",
    ),
    pod_field(
        "elements are texts",
        "{container: main, field: args, value: '[object.spec.mode]'}",
        "{container: main, field: args, value: '[1]'}",
        "WM508",
        "`args[]` takes a string",
    ),
    pod_field(
        "a value of the enum",
        "{field: spec.restartPolicy, value: '\"Never\"'}",
        "{field: spec.restartPolicy, value: '\"never\"'}",
        "WM504",
        "did you mean Never?",
    ),
    pod_field(
        "a container",
        "{container: main, value: 'object.spec.groups[0].template.spec.containers[0]'}",
        "{container: main, value: object.spec.owner}",
        "WM502",
        "name the place that holds the container",
    ),
    pod_field(
        "labels are a map of texts",
        "{field: metadata.labels, value: object.spec.settings, mode: merge}",
        "{field: metadata.labels, value: item.template, mode: merge}",
        "WM502",
        "no field of it is a string",
    ),
    pod_field(
        "what is appended to is a list",
        "{field: spec.terminationGracePeriodSeconds, value: 1}",
        "{field: spec.terminationGracePeriodSeconds, value: 1, mode: append}",
        "WM508",
        "`append` adds to a list",
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


def test_what_the_api_server_fills_in_when_it_stores_is_a_warning(fleet: Kinds) -> None:
    def levels(expression: str, where: tuple[str, str]) -> list[str]:
        text = MAPPING.replace(where[0], where[1].replace("EXPRESSION", expression))
        return [problem.level for problem in checked(text, fleet)[1].problems]

    variable = ("  variables:\n", "  variables:\n  - {name: one, value: EXPRESSION}\n")
    rule = (WHEN, "        EXPRESSION\n")
    assert levels('object.metadata.namespace + "/a"', variable) == ["warning"]
    assert levels("object.metadata.generation > 1", variable) == ["warning"]
    assert levels('object.metadata.name + "/a"', variable) == []
    assert levels("has(object.metadata.uid) && object.metadata.uid != 'a'", variable) == []
    # Nothing of `status` is read of a manifest.
    status = ("    rules:\n", "    variables: [{name: one, value: EXPRESSION}]\n    rules:\n")
    assert levels("object.metadata.generation > 1", status) == []
    assert levels("object.status.total > 1", status) == ["error"]
    # A rule is read where the status is not empty, which the API server has stored and checked.
    assert levels("object.metadata.generation > 1", rule) == []
    assert levels("object.status.total > 1", variable) == ["error"]


def test_what_leads_nowhere_is_not_to_be_guarded(fleet: Kinds) -> None:
    for expression in (
        "object.spec.replicaz == 1",
        "object.spec.replicaz.a[0].b == 1",
        "object.spec.groupz.exists(g, g.name == 'a')",
        "object.spec.mode.name == 'a'",
        "object.spec.groups['a'].name == 'a'",
    ):
        text, _ = marked(MAPPING, WHEN, f"        {expression}\n")
        (document,) = load_text(text)
        value: Any = document.value
        warned = {(at, one.offset, one.length) for at, _, one in examine(value).warnings}
        found = check_against(compile_mapping(value), fleet)
        assert [problem.rule for problem in found.problems] in (["WM501"], ["WM502"])
        assert warned <= found.decided, expression


CONDITIONLESS = """
v1:
  spec: {type: object, properties: {template: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  status: {type: object, properties: {phase: {type: string}}}
v2:
  spec: {type: object, properties: {template: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  status: {type: object, properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string},
    status: {type: string}}}}}}
"""


@pytest.mark.parametrize("versions", [["v1"], ["v1", "v2"]])
def test_a_kind_without_conditions_has_none_that_a_rule_can_name(versions: list[str], tmp_path: Path) -> None:
    file = tmp_path / "thing.yaml"
    file.write_text(yaml.safe_dump(definition("Thing", yaml.safe_load(CONDITIONLESS), "x.example")), "utf-8")
    kinds = load_kinds([file])
    mapping = small_mapping("""
components: [{name: c, podTemplate: object.spec.template}]
status:
  rules:
  - {phase: Completed, when: '"Completed" in conditionsTrue', condition: Completed}
  - {phase: Running, when: 'conditions.exists(c, c.type == "Ready" && c.status == "True")'}
  readiness: {type: task, ready: 1, condition: Ready}
""")
    mapping["spec"]["workload"]["versions"] = versions
    found = check_against(compile_mapping(mapping), kinds).problems
    at = "/spec/status"
    expected = {f"{at}/rules/0/when", f"{at}/rules/0/condition", f"{at}/rules/1/when", f"{at}/readiness/condition"}
    assert {(problem.rule, problem.at) for problem in found} == (
        {("WM501", one) for one in expected} if versions == ["v1"] else set()
    )


@pytest.mark.parametrize(
    ("old", "new", "at", "cure"),
    [
        ("kind: Fleet}", "kind: Fleets}", "/spec/workload/kind", "did you mean Fleet?"),
        ("kind: Fleet}", "kind: fleet}", "/spec/workload/kind", "did you mean Fleet?"),
        ("kind: Fleet}", "kind: Flaet}", "/spec/workload/kind", "did you mean Fleet?"),
        ("kind: Fleet}", "kind: FleetSet}", None, None),
        ("{group: example.org,", "{group: example.com,", None, None),
        ("{group: example.org,", "{group: app,", "/spec/workload/group", "write the group with its domain"),
    ],
)
def test_a_kind_that_is_misspelled_is_found(
    old: str, new: str, at: str | None, cure: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump(definition("Fleet", yaml.safe_load(FLEET))), "utf-8")
    (document,) = load_text(MAPPING.replace(old, new))
    value: Any = document.value
    compiled = compile_mapping(value)
    # Only the files are read that may be meant.
    found = check_against(compiled, load_kinds([file], [(compiled.group, compiled.kind)]))
    assert [(one.rule, one.at, one.cure) for one in found.problems] == ([] if at is None else [("WM500", at, cure)])
    assert not found.checked
    assert bool(found.stopped) == (at is None)


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


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"])
def test_what_every_built_in_workload_has_needs_no_guard(kind: str) -> None:
    mapping = small_mapping("""
variables:
- name: one
  value: has(object.status.conditions) && object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")
- {name: two, value: 'object.spec.template.spec.containers.exists(c, c.name == "main")'}
components: [{name: c, podTemplate: object.spec.template}]
""")
    mapping["spec"]["workload"] = {"group": "apps", "versions": ["v1"], "kind": kind}
    found = check_against(compile_mapping(mapping), Kinds())
    assert (found.checked, found.problems) == (True, ())

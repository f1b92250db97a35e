"""Writing by small mappings: what is written where, and why something is refused (clause S20)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.conftest import small_mapping
from workloadmap_spec import Catalog
from workloadmap_spec.cel import ABSENT
from workloadmap_spec.errors import UpdateInvalidError, UpdateUnsupportedError
from workloadmap_spec.writing.edits import Edit, applied
from workloadmap_spec.writing.intents import check_intent
from workloadmap_spec.writing.patches import json_patch, merge_patch

if TYPE_CHECKING:
    from workloadmap_spec.writing.update import Change

POD = "{spec: {containers: [{name: c, image: i}]}}"


def updated(spec: str, workload: str, intent: str, references: list[dict[str, Any]] | None = None) -> Change:
    """A workload with this `spec`, changed by a mapping as an intent asks."""
    catalog = Catalog.builtin().with_documents([small_mapping(spec)])
    value = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "w"}, "spec": yaml.safe_load(workload)}
    return catalog.update(value, yaml.safe_load(intent), references)


def replicas(value: str, more: str = "") -> str:
    """A mapping of one component with replicas."""
    return f"{more}\ncomponents: [{{name: main, replicas: {value}, podTemplate: object.spec.t}}]"


SCALE = "{op: scale, replicas: 3}"

#: Names of a case, the value of replicas and what else is declared, `spec` before, and `spec` afterwards.
COUNTS = {
    "a-path": ("object.spec.n", "", "{n: 1}", "{n: 3}"),
    "a-path-to-nothing": ("object.spec.a.b.n", "", "{}", "{a: {b: {n: 3}}}"),
    "a-null-on-the-way": ("object.spec.a.n", "", "{a: null}", "{a: {n: 3}}"),
    "a-default": ("{value: object.spec.n, default: 1}", "", "{}", "{n: 3}"),
    "an-element": ("'object.spec.l[1].n'", "", "{l: [{n: 1}, {n: 2}]}", "{l: [{n: 1}, {n: 3}]}"),
    "a-name-that-is-escaped": ("'object.spec[\"a/b~c\"].n'", "", "{a/b~c: {n: 1}}", "{a/b~c: {n: 3}}"),
    "a-variable": ("variables.v", "variables: [{name: v, value: object.spec.a.n}]", "{}", "{a: {n: 3}}"),
    "below-a-variable": ("variables.v.n", "variables: [{name: v, value: object.spec.a}]", "{}", "{a: {n: 3}}"),
    "an-element-of-a-variable": (
        "'variables.v[0].n'",
        "variables: [{name: v, value: object.spec.l}]",
        "{l: [{n: 1}]}",
        "{l: [{n: 3}]}",
    ),
    "what-find-found": (
        "variables.v.n",
        "variables: [{name: v, find: object.spec.l, where: {name: '\"b\"'}}]",
        "{l: [{name: a}, {name: b}]}",
        "{l: [{name: a}, {name: b, n: 3}]}",
    ),
    "what-was-text": ("{value: object.spec.n, as: int}", "", "{n: '1'}", "{n: '3'}"),
    "what-was-a-number": ("{value: object.spec.n, as: int}", "", "{n: 1}", "{n: 3}"),
    "what-is-stored-as-text": ("{value: object.spec.n, as: int, stored: string}", "", "{}", "{n: '3'}"),
    "the-first-alternative": ("{firstOf: [object.spec.n, object.spec.m]}", "", "{n: 1, m: 2}", "{n: 3, m: 2}"),
    "before-the-alternative-that-is-there": ("{firstOf: [object.spec.n, object.spec.m]}", "", "{m: 2}", "{m: 2, n: 3}"),
    "past-an-alternative-that-does-not-apply": (
        "{firstOf: [{value: object.spec.n, when: 'false'}, object.spec.m]}",
        "",
        "{m: 2}",
        "{m: 3}",
    ),
    "no-alternative-is-there": (
        "{firstOf: [{value: object.spec.m + 0, when: has(object.spec.m)}, object.spec.n]}",
        "",
        "{}",
        "{n: 3}",
    ),
    "alternatives-as-text": ("{firstOf: [object.spec.n, object.spec.m], as: int}", "", "{m: '2'}", "{m: '2', n: '3'}"),
    "a-computed-value": (
        "{value: object.spec.n - 1, writeTo: object.spec.n, write: value + 1}",
        "",
        "{n: 2}",
        "{n: 4}",
    ),
    "a-computed-value-as-it-is": ("{value: object.spec.n + 0, writeTo: object.spec.n}", "", "{n: 2}", "{n: 3}"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_is_written_where_it_is_read(name: str) -> None:
    """Nothing but the place is changed."""
    value, more, before, after = COUNTS[name]
    template = {"t": yaml.safe_load(POD)}
    change = updated(replicas(value, more), before[:-1] + (", " if before != "{}" else "") + f"t: {POD}}}", SCALE)
    assert change.after["spec"] == {**yaml.safe_load(after), **template}


#: As above, with a part of what is told instead.
REFUSED_COUNTS = {
    "computed": ("object.spec.n + 0", "", "{n: 1}", "it is computed"),
    "a-constant": ("2", "", "{}", "constant"),
    "unknown": ("{firstOf: [{unknown: an autoscaler owns it}]}", "", "{}", "an autoscaler owns it"),
    "under-a-condition": ("{value: object.spec.n, when: 'false', default: 1}", "", "{}", "does not hold"),
    "an-element-that-is-not-there": ("'object.spec.l[1].n'", "", "{l: [{n: 1}]}", "no element 1"),
    "a-list-that-is-not-there": ("'object.spec.l[1].n'", "", "{}", "no element 1"),
    "an-index-that-is-absent": ("'object.spec.l[object.spec.k].n'", "", "{l: {}}", "absent"),
    "an-element-of-a-variable-that-is-absent": (
        "'variables.v[0].n'",
        "variables: [{name: v, value: object.spec.l}]",
        "{}",
        "no place",
    ),
    "an-element-that-a-variable-lacks": (
        "'variables.v[1].n'",
        "variables: [{name: v, value: object.spec.l}]",
        "{l: [{}]}",
        "no element 1",
    ),
    "nothing-found": (
        "variables.v.n",
        "variables: [{name: v, find: object.spec.l, where: {name: '\"b\"'}}]",
        "{l: []}",
        "no element is found",
    ),
    "milli": ("{value: object.spec.n, as: milli}", "", "{n: 1}", "converted"),
    "text-to-strip-that-is-absent": (
        "{value: object.spec.n, strip: variables.p, as: int}",
        "variables: [{name: p, value: object.spec.p}]",
        "{n: 1}",
        "stripped is absent",
    ),
    "a-part-of-a-computed-value": (
        "variables.v.n",
        "variables: [{name: v, value: object.spec.a, writeTo: object.spec.b}]",
        "{a: {n: 1}}",
        "as a whole",
    ),
    "of-a-reference": (
        "refs.other.n",
        "references: [{name: other, apiVersion: '\"x.example/v1\"', kind: '\"Link\"', resourceName: '\"l\"'}]",
        "{}",
        "another object",
    ),
}


@pytest.mark.parametrize("name", REFUSED_COUNTS)
def test_a_count_without_a_place_is_not_supported(name: str) -> None:
    """The text says why."""
    value, more, before, why = REFUSED_COUNTS[name]
    spec = before[:-1] + (", " if before != "{}" else "") + f"t: {POD}}}"
    with pytest.raises(UpdateUnsupportedError, match=why):
        updated(replicas(value, more), spec, SCALE)


#: The larger of two counts.
FOLLOWING = """
components:
- name: a
  minReplicas: object.spec.n
  maxReplicas: {value: 'object.spec.n > object.spec.m ? object.spec.n : object.spec.m', writeTo: object.spec.m}
  podTemplate: object.spec.t
"""

#: A component that is there only beside one of the other.
CHANGING = """
components:
- {name: a, replicas: object.spec.n, podTemplate: object.spec.t}
- {name: b, when: object.spec.n == 1, podTemplate: object.spec.t}
"""


def two_components(first: str, second: str) -> str:
    """A mapping of two components, by the names of their counts."""
    entries = (
        f"{{name: {name}, replicas: object.spec.{count}, podTemplate: object.spec.t}}"
        for name, count in (("a", first), ("b", second))
    )
    return f"components: [{', '.join(entries)}]"


INVALID = {
    "a-text-on-the-way": (
        replicas("object.spec.a.b.n"),
        "{a: {b: x}, t: {}}",
        SCALE,
        "could not be read|a map is wanted",
    ),
    "a-value-that-failed": (replicas("object.spec.n"), "{n: x, t: {}}", SCALE, "could not be read"),
    "what-write-names-is-absent": (
        replicas(
            "{value: object.spec.n, default: 1, writeTo: object.spec.n, write: value + variables.m}",
            "variables: [{name: m, value: object.spec.m}]",
        ),
        f"{{t: {POD}}}",
        SCALE,
        "absent",
    ),
    "what-does-not-read-so": (
        replicas("{value: object.spec.n, writeTo: object.spec.m}"),
        f"{{n: 1, t: {POD}}}",
        SCALE,
        "would read as",
    ),
    "no-such-component": (
        replicas("object.spec.n"),
        "{t: {}}",
        "{op: scale, component: x, replicas: 3}",
        "there are main",
    ),
    "no-components": (
        replicas("object.spec.n"),
        "{n: 1}",
        "{op: scale, component: main, replicas: 3}",
        "no components",
    ),
    "no-such-instance": (
        replicas("object.spec.n"),
        "{t: {}}",
        "{op: scale, instance: x, replicas: 3}",
        "there are main",
    ),
    "no-component-has-it": (replicas("object.spec.n"), "{t: {}}", "{op: scale, minReplicas: 3}", "minReplicas"),
    "several": (
        two_components("n", "m"),
        "{t: {}}",
        SCALE,
        "2 fit: a a, b b",
    ),
    "shared-with-another": (
        two_components("n", "n"),
        f"{{n: 1, t: {POD}}}",
        "{op: scale, component: a, replicas: 3}",
        "replicas of b/b would change too",
    ),
    "two-counts-at-one-place": (
        "components: [{name: a, replicas: object.spec.n, podsPerReplica: object.spec.n, podTemplate: object.spec.t}]",
        f"{{n: 1, t: {POD}}}",
        "{op: scale, replicas: 3, podsPerReplica: 2}",
        "two different values",
    ),
    "a-count-that-would-follow": (
        FOLLOWING,
        f"{{n: 1, m: 2, t: {POD}}}",
        "{op: scale, minReplicas: 3, maxReplicas: 2}",
        "maxReplicas of a/a would read as 3",
    ),
    "the-components-would-change": (
        CHANGING,
        f"{{n: 1, t: {POD}}}",
        "{op: scale, replicas: 3}",
        "components of the workload would change",
    ),
    "the-instance-would-be-gone": (
        "components: [{name: a, when: object.spec.n == 1, replicas: object.spec.n, podTemplate: object.spec.t}]",
        f"{{n: 1, t: {POD}}}",
        "{op: scale, replicas: 3}",
        "gone",
    ),
    "the-framework-refuses-it": (
        "invalid: [{when: object.spec.n > 2, message: two at most}]\n" + replicas("object.spec.n"),
        f"{{n: 1, t: {POD}}}",
        SCALE,
        "two at most",
    ),
    "no-template": (
        "components: [{name: a, when: 'true', podTemplate: object.spec.t}]",
        "{}",
        "{op: set, field: schedulerName, value: s}",
        "no pod template",
    ),
    "no-pods": (replicas("object.spec.n"), "{}", "{op: set, field: schedulerName, value: s}", "no pod template"),
    "no-such-container": (
        replicas("object.spec.n"),
        f"{{t: {POD}}}",
        "{op: set, field: image, container: x, value: i}",
        "no container `x`",
    ),
    "no-one-container": (
        replicas("object.spec.n"),
        "{t: {spec: {containers: [{name: a}, {name: b}]}}}",
        "{op: set, field: image, value: i}",
        "no one container",
    ),
    "a-name-that-is-a-number": (
        replicas("object.spec.n"),
        "{t: {spec: {containers: [{name: 1}]}}}",
        "{op: set, field: image, value: i}",
        "no one container",
    ),
    "no-containers": (
        replicas("object.spec.n"),
        "{t: {spec: {}}}",
        "{op: set, field: image, value: i}",
        "no one container",
    ),
    "no-groups": (replicas("object.spec.n"), f"{{t: {POD}}}", "{op: set, field: queue, value: q}", "no pod group"),
    "deeper-than-an-object-may-be": (
        replicas("object.spec.n"),
        f"{{t: {POD}}}",
        f"{{op: set, field: tolerations, value: [{'{a: ' * 97}1{'}' * 97}]}}",
        "could not be read",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_what_a_workload_does_not_allow_is_refused(name: str) -> None:
    """The text says what would go wrong."""
    spec, workload, intent, why = INVALID[name]
    with pytest.raises(UpdateInvalidError) as caught:
        updated(spec, workload, intent)
    assert any(part in str(caught.value) for part in why.split("|")), caught.value


TEMPLATE = "{spec: {containers: [{name: c, image: i}, {name: d, image: j}]}}"


def fields(entries: str, base: str = "podTemplate: object.spec.t") -> str:
    """A mapping of one component with pod fields."""
    laid = f", podFields: [{entries}]" if entries else ""
    return f"components: [{{name: main, {base}{laid}}}]"


BY_INDEX = fields("", "podTemplate: {merge: [object.spec.t, object.spec.u], lists: byIndex}")

#: The mapping, what `spec` has but for the template, the intent, and what differs afterwards as a JSON Patch.
FIELDS = {
    "the-base": (fields(""), "{}", "schedulerName, value: s", [("add", "/spec/t/spec/schedulerName", "s")]),
    "metadata-that-is-not-there": (
        fields(""),
        "{}",
        "labels, key: a, value: s",
        [("add", "/spec/t/metadata", {"labels": {"a": "s"}})],
    ),
    "an-entry-that-gave-it": (
        fields("{field: spec.schedulerName, value: object.spec.s}"),
        "{s: a}",
        "schedulerName, value: b",
        [("replace", "/spec/s", "b")],
    ),
    "the-last-entry-that-gave-it": (
        fields("{field: spec.schedulerName, value: object.spec.s}, {field: spec.schedulerName, value: object.spec.r}"),
        "{s: a, r: c}",
        "schedulerName, value: b",
        [("replace", "/spec/r", "b")],
    ),
    "the-base-where-an-entry-is-absent": (
        fields("{field: spec.schedulerName, value: object.spec.s}"),
        "{}",
        "schedulerName, value: b",
        [("add", "/spec/t/spec/schedulerName", "b")],
    ),
    "an-entry-above-it": (
        fields("{field: spec.nodeSelector, value: object.spec.s, mode: merge}"),
        "{s: {a: x}}",
        "nodeSelector, key: a, value: b",
        [("replace", "/spec/s/a", "b")],
    ),
    "an-entry-that-hides-it": (
        fields("{field: spec.nodeSelector, value: object.spec.s}"),
        "{s: {}}",
        "nodeSelector, key: a, value: b",
        [("add", "/spec/s/a", "b")],
    ),
    "a-default-that-gave-it": (
        fields("{field: spec.schedulerName, value: object.spec.s, mode: default}"),
        "{s: a}",
        "schedulerName, value: b",
        [("replace", "/spec/s", "b")],
    ),
    "a-key": (
        fields("{field: metadata.labels, key: {value: object.spec.k}, value: object.spec.s}"),
        "{k: a, s: x}",
        "labels, key: a, value: b",
        [("replace", "/spec/s", "b")],
    ),
    "a-key-that-is-absent": (
        fields("{field: metadata.labels, key: {value: object.spec.k}, value: object.spec.s}"),
        "{s: x}",
        "labels, key: a, value: b",
        [("add", "/spec/t/metadata", {"labels": {"a": "b"}})],
    ),
    "another-container": (
        fields("{container: c, field: image, value: object.spec.s}"),
        "{s: x}",
        "image, container: d, value: b",
        [("replace", "/spec/t/spec/containers/1/image", "b")],
    ),
    "the-first-container": (
        fields("{container: first, field: image, value: object.spec.s}"),
        "{s: x}",
        "image, container: c, value: b",
        [("replace", "/spec/s", "b")],
    ),
    "an-entry-of-init-containers": (
        fields("{container: c, init: true, field: image, value: object.spec.s}"),
        "{s: x}",
        "image, container: c, value: b",
        [("replace", "/spec/t/spec/containers/0/image", "b")],
    ),
    "a-container-of-an-entry": (
        fields("{container: e, value: object.spec.s}"),
        "{s: {image: x, resources: {limits: {cpu: 1}}}}",
        "limits, container: e, key: cpu, value: 2",
        [("replace", "/spec/s/resources/limits/cpu", 2)],
    ),
    "containers-that-are-merged": (
        fields("{field: spec.containers, value: object.spec.l, mode: merge}"),
        "{l: [{name: c}]}",
        "image, container: c, value: b",
        [("add", "/spec/l/0/image", "b")],
    ),
    "an-element": (
        fields("{forEach: object.spec.l, where: patch.use, field: spec.schedulerName, value: patch.s}"),
        "{l: [{use: true, s: x}, {use: false, s: y}]}",
        "schedulerName, value: b",
        [("replace", "/spec/l/0/s", "b")],
    ),
    "a-spec-of-pods": (
        fields("", "podSpec: object.spec.t.spec, podMetadata: object.spec.m"),
        "{}",
        "labels, key: a, value: b",
        [("add", "/spec/m", {"labels": {"a": "b"}})],
    ),
    "the-layer-that-has-it": (
        fields("", "podTemplate: {merge: [object.spec.t, object.spec.u], lists: byName}"),
        "{u: {spec: {schedulerName: x}}}",
        "schedulerName, value: b",
        [("replace", "/spec/u/spec/schedulerName", "b")],
    ),
    "the-layer-with-the-container": (
        fields("", "podTemplate: {merge: [object.spec.t, object.spec.u], lists: byName}"),
        "{u: {spec: {schedulerName: x}}}",
        "image, container: d, value: b",
        [("replace", "/spec/t/spec/containers/1/image", "b")],
    ),
    "the-layer-with-the-field-at-the-index": (
        BY_INDEX,
        "{u: {spec: {containers: [{tty: true}, {image: x}]}}}",
        "image, container: d, value: b",
        [("replace", "/spec/u/spec/containers/1/image", "b")],
    ),
    "the-earlier-layer-if-only-that-has-the-field-at-the-index": (
        BY_INDEX,
        "{u: {spec: {containers: [{tty: true}, {tty: true}]}}}",
        "image, container: d, value: b",
        [("replace", "/spec/t/spec/containers/1/image", "b")],
    ),
    "the-earlier-layer-if-the-list-of-the-later-is-shorter": (
        BY_INDEX,
        "{u: {spec: {containers: [{image: x}]}}}",
        "image, container: d, value: b",
        [("replace", "/spec/t/spec/containers/1/image", "b")],
    ),
    "the-last-layer-with-the-element-at-the-index": (
        BY_INDEX,
        "{u: {spec: {containers: [{tty: true}]}}}",
        "limits, container: c, key: cpu, value: 2",
        [("add", "/spec/u/spec/containers/0/resources", {"limits": {"cpu": 2}})],
    ),
    "the-layer-with-the-field-where-another-gives-the-name": (
        BY_INDEX,
        "{u: {spec: {containers: [{name: e}]}}}",
        "image, container: e, value: b",
        [("replace", "/spec/t/spec/containers/0/image", "b")],
    ),
    "the-layer-with-the-field-at-the-index-of-a-name-that-moved": (
        BY_INDEX,
        "{u: {spec: {containers: [{name: d, image: x}, {name: c, image: y}]}}}",
        "image, container: c, value: b",
        [("replace", "/spec/u/spec/containers/1/image", "b")],
    ),
    "an-init-container-at-the-index": (
        BY_INDEX.replace("object.spec.t,", "object.spec.t, object.spec.v,"),
        "{v: {spec: {initContainers: [{name: e, image: x}]}}, u: {spec: {initContainers: [{image: y}]}}}",
        "image, container: e, value: b",
        [("replace", "/spec/u/spec/initContainers/0/image", "b")],
    ),
    "a-layer-of-a-spec-of-pods": (
        fields("", "podSpec: {merge: [object.spec.t.spec, object.spec.u], lists: {value: object.spec.how}}"),
        "{how: byIndex, u: {containers: [{image: x}]}}",
        "image, container: c, value: b",
        [("replace", "/spec/u/containers/0/image", "b")],
    ),
    "a-layer-that-is-a-variable-or-another": (
        "variables: [{name: own, value: object.spec.u}]\n"
        + fields(
            "", "podTemplate: {merge: [object.spec.t, {firstOf: [object.spec.v, variables.own]}], lists: byIndex}"
        ),
        "{u: {spec: {containers: [{image: x}]}}}",
        "image, container: c, value: b",
        [("add", "/spec/v", {"spec": {"containers": [{"image": "b"}]}})],
    ),
    "an-entry-that-made-the-container-whose-name-is-hidden-in-a-layer": (
        BY_INDEX.replace("byIndex}", "byIndex}, podFields: [{field: spec, value: object.spec.l, mode: strategic}]"),
        "{u: {spec: {containers: [{name: e}]}}, l: {containers: [{name: c}]}}",
        "image, container: c, value: b",
        [("add", "/spec/l/containers/0/image", "b")],
    ),
    "a-field-that-is-removed": (
        fields(""),
        "{}",
        "image, container: d, value: null",
        [("remove", "/spec/t/spec/containers/1/image")],
    ),
    "an-empty-list": (fields(""), "{}", "tolerations, value: []", [("add", "/spec/t/spec/tolerations", [])]),
    "a-text-that-is-stripped": (
        fields("{field: spec.schedulerName, value: {value: object.spec.s, strip: '\"x-\"'}}"),
        "{s: x-a}",
        "schedulerName, value: b",
        [("replace", "/spec/s", "x-b")],
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_written_through_what_gave_it(name: str) -> None:
    """Told as the operations of the patch."""
    spec, more, asked, wanted = FIELDS[name]
    workload = f"{more[:-1]}{', ' if more != '{}' else ''}t: {TEMPLATE}}}"
    change = updated(spec, workload, f"{{op: set, field: {asked}}}")
    assert [tuple(operation.values()) for operation in change.json_patch()] == wanted


REFUSED_FIELDS = {
    "nothing-gives-it": (fields("", "podSpec: object.spec.t.spec"), "{}", "labels, key: a, value: b", "does not say"),
    "computed": (
        fields("{field: spec.schedulerName, value: '\"x-\" + object.spec.s'}"),
        "{s: a}",
        "schedulerName, value: b",
        "computed",
    ),
    "a-constant": (fields("{field: spec.schedulerName, value: '\"x\"'}"), "{}", "schedulerName, value: b", "computed"),
    "no-layer": (
        "components: [{name: main, podSpec: object.spec.t.spec, podMetadata: {merge: [object.spec.u, object.spec.v]}}]",
        "{}",
        "labels, key: a, value: b",
        "none of its layers",
    ),
    "a-container-that-is-made": (
        fields("{container: e, field: resources.limits, key: cpu, value: '\"1\"'}"),
        "{}",
        "image, container: e, value: b",
        "no element is named",
    ),
}


@pytest.mark.parametrize("name", REFUSED_FIELDS)
def test_a_field_without_a_place_is_not_supported(name: str) -> None:
    """The text says why."""
    spec, more, asked, why = REFUSED_FIELDS[name]
    workload = f"{more[:-1]}{', ' if more != '{}' else ''}t: {TEMPLATE}}}"
    with pytest.raises(UpdateUnsupportedError, match=why):
        updated(spec, workload, f"{{op: set, field: {asked}}}")


def test_the_key_of_a_map_is_no_place_to_write() -> None:
    """It is none in the workload."""
    spec = "components: [{name: a, forEach: object.spec.m, replicas: {value: key, as: int}, podTemplate: item}]"
    with pytest.raises(UpdateUnsupportedError, match="key has no place in the workload"):
        updated(spec, f"{{m: {{'1': {POD}}}}}", SCALE)


@pytest.mark.parametrize(
    "asked",
    ["workload.labels, key: a, value: x", "limits, key: cpu, value: 1000m", "limits, key: x, value: null"],
    ids=["of-the-workload", "an-amount", "nothing"],
)
def test_what_reads_as_asked_is_not_written(asked: str) -> None:
    """Quantities are compared by their amount."""
    catalog = Catalog.builtin().with_documents([small_mapping(fields(""))])
    template = {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 1.0}}}]}}
    metadata = {"name": "w", "labels": {"a": "x"}}
    value = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": metadata, "spec": {"t": template}}
    change = catalog.update(value, yaml.safe_load(f"{{op: set, field: {asked}}}"))
    assert change.after is change.before is value
    assert change.json_patch() == []
    assert change.merge_patch() == {}


@pytest.mark.parametrize(
    ("entries", "path"),
    [("", "/spec/t/spec/containers/0/image"), ("{container: first, field: image, value: object.spec.i}", "/spec/i")],
    ids=["in-the-base", "through-an-entry"],
)
def test_the_only_container_needs_no_name(entries: str, path: str) -> None:
    """As in a service of Knative."""
    change = updated(
        fields(entries), "{i: a, t: {spec: {containers: [{image: a}]}}}", "{op: set, field: image, value: b}"
    )
    assert change.json_patch() == [{"op": "replace", "path": path, "value": "b"}]


def test_what_is_no_quantity_is_replaced_by_one() -> None:
    """It reads as something else than what is asked."""
    workload = "{t: {spec: {containers: [{name: c, resources: {limits: {cpu: some}}}]}}}"
    change = updated(fields(""), workload, "{op: set, field: limits, key: cpu, value: 2}")
    assert change.merge_patch() == {
        "spec": {"t": {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 2}}}]}}}
    }


LEADER = """
components:
- {name: leader, podTemplate: {firstOf: [object.spec.l, object.spec.w]}}
- {name: worker, podTemplate: object.spec.w}
"""


def test_a_template_of_its_own_begins_as_a_copy() -> None:
    """The worker's stays as it is."""
    workload = f"{{w: {POD}}}"
    change = updated(LEADER, workload, "{op: set, component: leader, field: image, value: b}")
    copied = yaml.safe_load(POD)
    copied["spec"]["containers"][0]["image"] = "b"
    assert change.after["spec"] == {"w": yaml.safe_load(POD), "l": copied}
    assert change.json_patch() == [{"op": "add", "path": "/spec/l", "value": copied}]


def test_no_copy_is_made_where_the_place_that_it_is_read_from_is_written() -> None:
    """Both are meant, and one place serves them."""
    change = updated(LEADER, f"{{w: {POD}}}", "{op: set, field: image, value: b}")
    assert [operation["path"] for operation in change.json_patch()] == ["/spec/w/spec/containers/0/image"]


QUEUE = "components: [{{name: a, podTemplate: object.spec.t}}]\ngang: [{{name: g, members: [a]{}}}]"


def test_the_queue_of_groups_is_written() -> None:
    """And not a second time."""
    change = updated(QUEUE.format(", queue: object.spec.q"), f"{{t: {POD}}}", "{op: set, field: queue, value: b}")
    assert change.after["spec"]["q"] == "b"
    again = updated(QUEUE.format(", queue: object.spec.q"), f"{{q: b, t: {POD}}}", "{op: set, field: queue, value: b}")
    assert again.after is again.before
    with pytest.raises(UpdateUnsupportedError, match="gives no queue"):
        updated(QUEUE.format(""), f"{{t: {POD}}}", "{op: set, field: queue, value: b}")


@pytest.mark.parametrize("per", ["", ", per: {instanceOf: a}"], ids=["whole", "instance"])
def test_the_queue_of_an_embedded_workload_is_written_in_it(per: str) -> None:
    """The groups that the inner mapping makes, of both workloads that are embedded."""
    inner = (
        "components: [{name: a, podTemplate: object.spec.t}]\n"
        f"gang: [{{name: g{per}, members: [a], queue: object.spec.q}}]"
    )
    outer = (
        "components: [{name: part, forEach: object.spec.parts, embed: {object: item}}]\ngang: [{name: all, from: part}]"
    )
    catalog = Catalog.builtin().with_documents([small_mapping(outer), small_mapping(inner, "Inner")])
    part = {"apiVersion": "x.example/v1", "kind": "Inner", "spec": {"t": yaml.safe_load(POD)}}
    # One object in two places, as aliases of YAML give it.
    value = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "w"}, "spec": {"parts": [part, part]}}
    change = catalog.update(value, {"op": "set", "field": "queue", "value": "b"})
    assert [operation["path"] for operation in change.json_patch()] == ["/spec/parts/0/spec/q", "/spec/parts/1/spec/q"]


def test_one_of_two_places_that_share_an_object_is_changed_alone() -> None:
    """An alias of YAML is one object in two places."""
    template = yaml.safe_load(POD)
    value = {
        "apiVersion": "x.example/v1",
        "kind": "Thing",
        "metadata": {"name": "w"},
        "spec": {"l": template, "w": template},
    }
    catalog = Catalog.builtin().with_documents([small_mapping(LEADER)])
    change = catalog.update(value, {"op": "set", "component": "worker", "field": "image", "value": "b"})
    assert [operation["path"] for operation in change.json_patch()] == ["/spec/w/spec/containers/0/image"]
    assert template == yaml.safe_load(POD)


SUSPEND = """
suspend:
  suspend: [{set: object.spec.s, to: true, when: '!has(object.spec.never)'}]
  resume: [{remove: object.spec.s}]
components: [{name: a, podTemplate: object.spec.t}]
"""

SUSPENSIONS = {
    "suspend": ("suspend", "{}", [{"op": "add", "path": "/spec/s", "value": True}]),
    "suspend-what-was-resumed": ("suspend", "{s: false}", [{"op": "replace", "path": "/spec/s", "value": True}]),
    "suspend-what-is-suspended": ("suspend", "{s: true}", []),
    "resume": ("resume", "{s: true}", [{"op": "remove", "path": "/spec/s"}]),
    "resume-what-runs": ("resume", "{s: null}", []),
}


@pytest.mark.parametrize("name", SUSPENSIONS)
def test_actions_are_run_where_they_are_needed(name: str) -> None:
    """One puts, one removes."""
    operation, workload, wanted = SUSPENSIONS[name]
    assert updated(SUSPEND, workload, f"{{op: {operation}}}").json_patch() == wanted


def test_a_workload_that_cannot_be_suspended_is_told_from_one_that_does_not_read_so() -> None:
    """A mapping without actions, an action that does not hold, and one that has no effect."""
    with pytest.raises(UpdateUnsupportedError, match="knows no way to suspend"):
        updated(replicas("object.spec.n"), "{}", "{op: suspend}")
    with pytest.raises(UpdateUnsupportedError, match="this workload cannot be suspended"):
        updated(SUSPEND, "{never: 1}", "{op: suspend}")
    with pytest.raises(UpdateInvalidError, match="suspended"):
        updated(SUSPEND.replace("suspend:\n", "suspend:\n  requested: has(object.spec.r)\n", 1), "{}", "{op: suspend}")


IMMUTABLE = """
immutable:
- places: [object.spec.n, 'object.spec.l[3]']
  except: [object.spec.n.free]
  when: object.spec.strict
  reason: it is so
components: [{name: a, replicas: object.spec.n.free, podsPerReplica: object.spec.n.bound, podTemplate: object.spec.t}]
"""


@pytest.mark.parametrize(
    ("strict", "count", "uid", "is_refused"),
    [
        ("true", "podsPerReplica", "u", True),
        ("true", "podsPerReplica", None, False),
        ("true", "replicas", "u", False),
        ("false", "podsPerReplica", "u", False),
        ("text", "podsPerReplica", "u", False),
    ],
    ids=["bound", "not-made-yet", "excepted", "under-no-condition", "under-a-failed-condition"],
)
def test_what_cannot_be_changed_is_refused(strict: str, count: str, uid: str | None, *, is_refused: bool) -> None:
    """Only in an object that exists, and while the condition holds."""
    catalog = Catalog.builtin().with_documents([small_mapping(IMMUTABLE)])
    spec = yaml.safe_load(f"{{strict: {strict}, n: {{free: 1, bound: 1}}, t: {POD}}}")
    metadata = {"name": "w", **({} if uid is None else {"uid": uid})}
    value = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": metadata, "spec": spec}
    intent = {"op": "scale", count: 2}
    if is_refused:
        with pytest.raises(
            UpdateInvalidError, match=r"/spec/n/bound.* cannot be changed in an object that exists: it is so"
        ):
            catalog.update(value, intent)
    else:
        assert len(catalog.update(value, intent).json_patch()) == 1


# Intents

WRONG_INTENTS: list[tuple[Any, str]] = [
    (None, "is a map"),
    ({}, "`op` must be"),
    ({"op": "delete"}, "`op` must be"),
    ({"op": "scale"}, "needs one of"),
    ({"op": "scale", "replicas": -1}, "whole number"),
    ({"op": "scale", "replicas": True}, "whole number"),
    ({"op": "scale", "replicas": 1.5}, "whole number"),
    ({"op": "scale", "replicas": None}, "whole number"),
    ({"op": "scale", "replicas": float("inf")}, "infinity"),
    ({"op": "scale", "replicas": 1, "component": ""}, "`component`"),
    ({"op": "scale", "replicas": 1, "instance": None}, "`instance`"),
    ({"op": "suspend", "component": "a"}, "means nothing here"),
    ({"op": "suspend", 1: 2, "a": 3}, "key"),
    ({"op": "set", "value": 1}, "`field` must be"),
    ({"op": "set", "field": ["image"], "value": "i"}, "`field` must be"),
    ({"op": "set", "field": "labels", "value": "x"}, "`key` says"),
    ({"op": "set", "field": "image"}, "`value` is missing"),
    ({"op": "set", "field": "image", "value": ""}, "not empty"),
    ({"op": "set", "field": "image", "value": "i", "key": "k"}, "means nothing here"),
    ({"op": "set", "field": "labels", "key": "k", "value": 1}, "a string"),
    ({"op": "set", "field": "labels", "key": "k", "value": "v\0"}, "NUL"),
    ({"op": "set", "field": "tolerations", "value": [None]}, "a list of maps"),
    ({"op": "set", "field": "tolerations", "value": [{"a": {1}}]}, "a set"),
    ({"op": "set", "field": "limits", "key": "cpu", "value": "1cpu"}, "a quantity"),
    ({"op": "set", "field": "limits", "key": "cpu", "value": -1}, "not negative"),
    ({"op": "set", "field": "limits", "key": "cpu", "value": True}, "a quantity"),
    ({"op": "set", "field": "queue", "value": "q", "component": "a"}, "means nothing here"),
    ({"op": "set", "field": "workload.labels", "key": "k", "value": "v", "component": "a"}, "means nothing here"),
]


@pytest.mark.parametrize(("intent", "why"), WRONG_INTENTS, ids=[str(intent) for intent, _why in WRONG_INTENTS])
def test_an_intent_that_is_wrong_is_told(intent: object, why: str) -> None:
    """One of the members, or all of it."""
    with pytest.raises(UpdateInvalidError, match=why):
        check_intent(intent)


def test_an_intent_is_brought_under_the_data_rules() -> None:
    """Numbers however they are written, nulls inside a value; the null of the value itself stays."""
    assert check_intent({"op": "scale", "replicas": 2.0}) == {"op": "scale", "replicas": 2}
    assert isinstance(check_intent({"op": "scale", "replicas": 2.0})["replicas"], int)
    tolerations = {"op": "set", "field": "tolerations", "value": [{"key": "a", "value": None}]}
    assert check_intent(tolerations)["value"] == [{"key": "a"}]
    removed = {"op": "set", "field": "image", "value": None}
    assert check_intent(removed) == removed


# Edits


def test_edits_are_made_in_a_copy_that_shares_what_is_not_on_the_way() -> None:
    """The document that is given stays."""
    document = {"a": {"b": [1, {"c": None}]}, "d": {"e": 1}}
    given = copy.deepcopy(document)
    after = applied(document, [Edit("/a/b/1/c/x", 2), Edit("/d/e", ABSENT), Edit("/a/b/0", ABSENT)])
    assert after == {"a": {"b": [{"c": {"x": 2}}]}, "d": {}}
    assert document == given
    assert applied(document, [Edit("/a/b/0", 7)])["d"] is document["d"]


def test_removing_what_is_not_there_makes_nothing() -> None:
    """No map on the way either."""
    assert applied({}, [Edit("/a/b", ABSENT)]) == {}
    assert applied({"a": {}}, [Edit("/a/b", ABSENT)]) == {"a": {}}


def test_a_map_begins_as_something_only_where_nothing_is() -> None:
    """What it begins as is not changed itself."""
    start = {"x": 1}
    edit = Edit("/a/y", 2, ("/a", start))
    assert applied({}, [edit]) == {"a": {"x": 1, "y": 2}}
    assert applied({"a": {}}, [edit]) == {"a": {"y": 2}}
    assert start == {"x": 1}


@pytest.mark.parametrize(
    ("document", "pointer", "why"),
    [
        ({"a": [1]}, "/a/1", "the list has no element 1"),
        ({"a": [1]}, "/a/-", "the list has no element -"),
        ({"a": "x"}, "/a/b", "a map is wanted"),
        ({"a": {"b": 1}}, "/a/b/c/d", "a map is wanted"),
    ],
    ids=["beyond-a-list", "behind-a-list", "below-a-text", "below-a-number"],
)
def test_an_edit_with_something_else_on_the_way_is_refused(document: object, pointer: str, why: str) -> None:
    """The place is told."""
    with pytest.raises(UpdateInvalidError, match=why) as caught:
        applied(document, [Edit(pointer, 1)])
    assert pointer.startswith(caught.value.location.pointer or "?")


# Patches

PATCHES = {
    "nothing": ({"a": 1}, {"a": 1}, [], {}),
    "a-member-more": ({}, {"a/b~": 1}, [{"op": "add", "path": "/a~1b~0", "value": 1}], {"a/b~": 1}),
    "a-member-less": ({"a": 1}, {}, [{"op": "remove", "path": "/a"}], {"a": None}),
    "a-null-less": ({"a": None}, {}, [{"op": "remove", "path": "/a"}], {"a": None}),
    "deep": (
        {"a": {"b": 1, "c": 2}},
        {"a": {"b": 3, "c": 2}},
        [{"op": "replace", "path": "/a/b", "value": 3}],
        {"a": {"b": 3}},
    ),
    "an-element": ({"a": [1, 2]}, {"a": [1, 3]}, [{"op": "replace", "path": "/a/1", "value": 3}], {"a": [1, 3]}),
    "inside-an-element": (
        {"a": [{"b": 1}, 2]},
        {"a": [{"b": 1, "c": 2}, 2]},
        [{"op": "add", "path": "/a/0/c", "value": 2}],
        {"a": [{"b": 1, "c": 2}, 2]},
    ),
    "a-longer-list": ({"a": [1]}, {"a": [1, 2]}, [{"op": "replace", "path": "/a", "value": [1, 2]}], {"a": [1, 2]}),
    "a-map-for-a-text": (
        {"a": "x"},
        {"a": {"b": 1}},
        [{"op": "replace", "path": "/a", "value": {"b": 1}}],
        {"a": {"b": 1}},
    ),
    "true-for-one": (
        {"a": [{"b": 1}]},
        {"a": [{"b": True}]},
        [{"op": "replace", "path": "/a/0/b", "value": True}],
        {"a": [{"b": True}]},
    ),
    "a-document": (1, 2, [{"op": "replace", "path": "", "value": 2}], 2),
}


@pytest.mark.parametrize("name", PATCHES)
def test_a_patch_says_what_differs(name: str) -> None:
    """In both forms."""
    before, after, operations, merge = PATCHES[name]
    assert json_patch(before, after) == operations
    assert merge_patch(before, after) == merge


def test_of_several_that_would_change_the_first_of_the_map_is_told() -> None:
    """The text does not depend on the order in which a set gives its elements."""
    names = [f"c{index}" for index in range(9)]
    parts = ", ".join(
        f"{{name: {name}, replicas: object.spec.n, podTemplate: object.spec.t}}" for name in ("main", *names)
    )
    with pytest.raises(UpdateInvalidError, match="replicas of c0/c0 would change too"):
        updated(f"components: [{parts}]", f"{{n: 1, t: {POD}}}", "{op: scale, component: main, replicas: 3}")

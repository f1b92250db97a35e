"""What the schemas forbid, said once and in words."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from workloadmap_spec.documents import load_text
from workloadmap_spec.errors import MappingSchemaError, MappingVersionError
from workloadmap_spec.files import cases_root, mappings_root, schema_path
from workloadmap_spec.pointer import join, resolve
from workloadmap_spec.schemas import (
    SchemaProblem,
    case_problems,
    check_version,
    document_order,
    map_problems,
    mapping_problems,
    schema_problems,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAPPING: Final = load_text("""
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: demo, x-team: hpc}
spec:
  workload: {group: demo.example, versions: [v1], kind: Demo}
  variables:
  - {name: size, value: object.spec.size, default: 1}
  - {name: head, find: object.spec.parts, where: {name: variables.size}}
  components:
  - name: part
    role: worker
    forEach: object.spec.parts
    instance: item.name
    replicas: {firstOf: [item.replicas, object.spec.size], default: 1}
    podSpec: item.spec
    podMetadata: item
    podFields: [{field: spec.nodeName, value: item.node}]
    mainContainer: {name: main, else: first}
    creates: {apiVersion: batch/v1, kind: Job}
    observed: {ready: item.ready}
  - name: group
    components: [{name: leader, podTemplate: object.spec.leader}]
  pods: {selector: {app: object.metadata.name}}
  status:
    observedGeneration: object.status.generation
    rules: [{phase: Running, when: 'true'}]
    readiness: {type: service, ready: object.status.ready}
  suspend:
    suspend: [{set: object.spec.stop, to: true}]
    resume: [{remove: object.spec.stop}]
  gang:
  - {name: all, per: {instanceOf: part, by: item.stage}, members: [part, {component: leader, minPods: 1}]}
  incomplete: [{what: replicas, reason: the operator decides}]
""")[0].value

PART: Final = "/spec/components/0"

#: The truth about what is valid.
VALIDATOR: Final = Draft202012Validator(
    json.loads(schema_path("workload-mapping.schema.json").read_text(encoding="utf-8"))
)


@dataclass(frozen=True)
class Put:
    """Put a value at a pointer."""

    at: str
    value: Any


@dataclass(frozen=True)
class Drop:
    """Remove what is at a pointer."""

    at: str


@dataclass(frozen=True)
class Rename:
    """Give a member another name."""

    at: str
    name: str


Edit = Put | Drop | Rename


def edited(document: Any, edit: Edit) -> Any:  # noqa: ANN401 - JSON
    """A copy of a document with one edit."""
    document = copy.deepcopy(document)
    parent, _, token = edit.at.rpartition("/")
    owner = resolve(document, parent)
    key: Any = int(token) if isinstance(owner, list) else token
    match edit:
        case Put():
            if isinstance(owner, list) and key == len(owner):
                owner.append(edit.value)
            else:
                owner[key] = edit.value
        case Drop():
            del owner[key]
        case Rename():
            owner[edit.name] = owner.pop(key)
    return document


VALUE_CURE: Final = (
    "a value: CEL (a path expression such as `object.spec.replicas`, or an expression), a number or boolean that"
    " stands for itself, or a value object"
)
NAME_CURE: Final = (
    "a name has at most 63 lower-case letters, digits and dashes, and begins and ends with a letter or digit"
)
MAPPING_CURE: Final = "a mapping has `apiVersion: workloadmap.dev/v1alpha1` and `kind: WorkloadMapping`"
BOTH: Final = "remove one of the two"

SPEC_MEMBERS: Final = (
    "it may have `components`, `gang`, `immutable`, `incomplete`, `invalid`, `pods`, `references`, `status`, "
    "`suspend`, `variables` and `workload`"
)

FAULTS: Final[dict[str, tuple[Edit, tuple[str, str, str, str | None]]]] = {
    "a-misspelled-member-is-told-once": (
        Rename(f"{PART}/replicas", "replica"),
        ("unknown", f"{PART}/replica", "a component has no `replica`", "write `replicas`"),
    ),
    "a-misspelled-member-that-is-needed-is-not-missing-too": (
        Rename(f"{PART}/name", "nmae"),
        ("unknown", f"{PART}/nmae", "a component has no `nmae`", "write `name`"),
    ),
    "a-member-in-the-wrong-case-is-found": (
        Rename("/spec/components/1/components/0/podTemplate", "podtemplate"),
        (
            "unknown",
            "/spec/components/1/components/0/podtemplate",
            "a component has no `podtemplate`",
            "write `podTemplate`",
        ),
    ),
    "a-member-like-no-other-gets-the-list": (
        Put("/spec/creates-nothing", 1),
        (
            "unknown",
            "/spec/creates-nothing",
            "`spec` has no `creates-nothing`",
            SPEC_MEMBERS,
        ),
    ),
    "metadata-says-that-own-names-are-allowed": (
        Put("/metadata/owner", "me"),
        (
            "unknown",
            "/metadata/owner",
            "`metadata` has no `owner`",
            "it may have `annotations`, `labels` and `name`, and names of your own that begin with x-",
        ),
    ),
    "a-long-unknown-name-is-cut": (
        Put("/spec/" + "q" * 60, 1),
        (
            "unknown",
            "/spec/" + "q" * 60,
            f"`spec` has no `{'q' * 37}...`",
            SPEC_MEMBERS,
        ),
    ),
    "a-missing-member-says-what-it-is": (
        Drop(f"{PART}/name"),
        ("missing", PART, "a component needs `name`", "add `name`: the component's name, unique in the mapping"),
    ),
    "a-missing-section": (
        Drop("/spec"),
        ("missing", "", "a mapping needs `spec`", "add `spec`: what is read of the workload, and from where"),
    ),
    "a-missing-kind-says-which": (
        Drop("/kind"),
        ("missing", "", "a mapping needs `kind`", "add `kind: WorkloadMapping`: the kind of the document"),
    ),
    "a-missing-member-of-a-nameless-map": (
        Drop(f"{PART}/creates/apiVersion"),
        ("missing", f"{PART}/creates", "`creates` needs `apiVersion`", "add `apiVersion`: such as batch/v1"),
    ),
    "a-list-where-a-value-is-wanted": (
        Put(f"{PART}/replicas", [1]),
        (
            "type",
            f"{PART}/replicas",
            "a string, a number, a boolean or a map is wanted here, and a list was found",
            VALUE_CURE,
        ),
    ),
    "a-misspelled-member-of-a-value": (
        Put(f"{PART}/replicas", {"vaule": 1}),
        ("unknown", f"{PART}/replicas/vaule", "a value has no `vaule`", "write `value`"),
    ),
    "a-misspelled-member-deep-in-a-value": (
        Put(f"{PART}/replicas", {"firstOf": [{"firstOf": [{"value": 1, "defualt": 2}]}]}),
        (
            "unknown",
            f"{PART}/replicas/firstOf/0/firstOf/0/defualt",
            "a value has no `defualt`",
            "write `default`",
        ),
    ),
    "an-empty-value": (
        Put(f"{PART}/replicas", {}),
        ("missing", f"{PART}/replicas", "a value needs `value`, `firstOf` or `unknown`", None),
    ),
    "a-value-with-two-sources": (
        Put(f"{PART}/replicas", {"value": 1, "firstOf": [1]}),
        ("combination", f"{PART}/replicas/firstOf", "`value` and `firstOf` exclude each other", BOTH),
    ),
    "a-write-without-a-place": (
        Put(f"{PART}/replicas", {"value": "object.n", "write": "value"}),
        (
            "missing",
            f"{PART}/replicas/write",
            "`write` needs `writeTo` beside it",
            "add `writeTo`, or remove `write`",
        ),
    ),
    "a-list-inside-a-value": (
        Put(f"{PART}/replicas", {"value": [1]}),
        (
            "type",
            f"{PART}/replicas/value",
            "a string, a number or a boolean is wanted here, and a list was found",
            "a path expression or an expression in CEL, or a number or boolean that stands for itself",
        ),
    ),
    "an-unknown-conversion": (
        Put(f"{PART}/replicas", {"value": "object.n", "as": "integer"}),
        ("value", f"{PART}/replicas/as", "`integer` is not a value of `as`", "write `int`"),
    ),
    "an-empty-expression": (
        Put(f"{PART}/replicas", ""),
        ("value", f"{PART}/replicas", "an empty text stands here", None),
    ),
    "an-expression-that-is-too-long": (
        Put(f"{PART}/replicas", "a" * 2049),
        ("size", f"{PART}/replicas", "a text of 2049 characters is longer than 2048", None),
    ),
    "a-boolean-for-a-condition-is-quoted": (
        Put("/spec/status/rules/0/when", True),  # noqa: FBT003 - JSON
        (
            "type",
            "/spec/status/rules/0/when",
            "a string is wanted here, and `true` was found",
            'write it in quotes: "true"',
        ),
    ),
    "two-templates": (
        Put(f"{PART}/podTemplate", "item.template"),
        ("combination", f"{PART}/podTemplate", "`podSpec` and `podTemplate` exclude each other", BOTH),
    ),
    "metadata-without-its-spec": (
        Drop(f"{PART}/podSpec"),
        ("missing", f"{PART}/podMetadata", "a component with `podMetadata` needs `podSpec`", None),
    ),
    "an-instance-id-without-for-each": (
        Drop(f"{PART}/forEach"),
        ("missing", f"{PART}/instance", "a component with `instance` needs `forEach`", None),
    ),
    "a-template-beside-components": (
        Put("/spec/components/1/podTemplate", "object.spec.t"),
        (
            "combination",
            "/spec/components/1/podTemplate",
            "`components` and `podTemplate` exclude each other",
            BOTH,
        ),
    ),
    "a-component-with-nothing": (
        Drop("/spec/components/1/components"),
        (
            "missing",
            "/spec/components/1",
            "a component needs `podTemplate`, `podSpec`, `podFields`, `components` or `embed`",
            None,
        ),
    ),
    "a-component-that-is-a-string": (
        Put(PART, "part"),
        (
            "type",
            PART,
            "a map is wanted here, and the string `part` was found",
            "a part of the workload whose pods are alike, or a group of such parts",
        ),
    ),
    "no-components": (
        Put("/spec/components", []),
        (
            "size",
            "/spec/components",
            "`components` has 0 entries, and needs at least 1",
            "leave it out, or add an entry",
        ),
    ),
    "components-as-a-map": (
        Put("/spec/components", {"part": {}}),
        (
            "type",
            "/spec/components",
            "a list is wanted here, and a map was found",
            "the parts of the workload: each is pods of one template, or a group of parts",
        ),
    ),
    "too-many-components": (
        Put("/spec/components", [{"name": "a", "podTemplate": "object.a"}] * 65),
        ("size", "/spec/components", "`components` has 65 entries, and may have 64", None),
    ),
    "a-misspelled-role": (
        Put(f"{PART}/role", "wroker"),
        (
            "value",
            f"{PART}/role",
            "`wroker` is not a value of `role`",
            "write `worker`, or a word of your own that begins with x-",
        ),
    ),
    "a-name-in-capitals": (
        Put(f"{PART}/name", "Worker"),
        ("value", f"{PART}/name", "`Worker` is not a name", NAME_CURE),
    ),
    "a-main-container-without-its-fallback": (
        Put(f"{PART}/mainContainer", {"name": "main"}),
        ("missing", f"{PART}/mainContainer", "`mainContainer` needs `else` or `value`", None),
    ),
    "a-fallback-that-does-not-exist": (
        Put(f"{PART}/mainContainer/else", "last"),
        ("value", f"{PART}/mainContainer/else", "`last` is not a value of `else`", 'write "first"'),
    ),
    "a-pod-field-for-nothing": (
        Put(f"{PART}/podFields/0", {"value": 1}),
        ("missing", f"{PART}/podFields/0", "an entry of `podFields` needs `field` or `container`", None),
    ),
    "a-pod-field-with-blanks": (
        Put(f"{PART}/podFields/0/field", "spec node"),
        (
            "value",
            f"{PART}/podFields/0/field",
            "`spec node` is not a field of a template",
            "it is a path of names joined by dots, such as spec.nodeSelector",
        ),
    ),
    "init-without-a-container": (
        Put(f"{PART}/podFields/0/init", True),  # noqa: FBT003 - JSON
        (
            "missing",
            f"{PART}/podFields/0/init",
            "`init` needs `container` beside it",
            "add `container`, or remove `init`",
        ),
    ),
    "nothing-observed": (
        Put(f"{PART}/observed", {}),
        (
            "size",
            f"{PART}/observed",
            "`observed` is empty",
            "it may have `active`, `failed`, `ready`, `succeeded`, `unit` and `updated`",
        ),
    ),
    "a-variable-without-a-value": (
        Put("/spec/variables/0", {"name": "size"}),
        (
            "missing",
            "/spec/variables/0",
            "a variable needs `value`, `firstOf`, `unknown`, or `find` and `where`",
            None,
        ),
    ),
    "find-without-where": (
        Drop("/spec/variables/1/where"),
        ("missing", "/spec/variables/1", "an entry of `variables` needs `where`", "add `where`"),
    ),
    "find-with-a-conversion": (
        Put("/spec/variables/1/as", "int"),
        ("combination", "/spec/variables/1/as", "`find` and `as` exclude each other", BOTH),
    ),
    "a-variable-that-begins-with-a-digit": (
        Put("/spec/variables/0/name", "1st"),
        (
            "value",
            "/spec/variables/0/name",
            "`1st` is not the name of a variable",
            "it has at most 63 letters, digits and underscores, and begins with a letter",
        ),
    ),
    "a-version-with-its-group": (
        Put("/spec/workload/versions/0", "demo.example/v1"),
        (
            "value",
            "/spec/workload/versions/0",
            "`demo.example/v1` is not an API version",
            "write the version without its group, such as v1 or v1alpha2",
        ),
    ),
    "a-version-twice": (
        Put("/spec/workload/versions/1", "v1"),
        ("value", "/spec/workload/versions/1", "`v1` is listed twice", BOTH),
    ),
    "a-misspelled-phase": (
        Put("/spec/status/rules/0/phase", "Runing"),
        ("value", "/spec/status/rules/0/phase", "`Runing` is not a value of `phase`", "write `Running`"),
    ),
    "a-phase-in-the-words-of-a-controller": (
        Put("/spec/status/rules/0/phase", "Succeeded"),
        ("value", "/spec/status/rules/0/phase", "`Succeeded` is not a value of `phase`", "write `Completed`"),
    ),
    "a-phase-in-the-words-of-a-pod": (
        Put("/spec/status/rules/0/phase", "Pending"),
        ("value", "/spec/status/rules/0/phase", "`Pending` is not a value of `phase`", "write `Initializing`"),
    ),
    "a-generation-that-is-true": (
        Put("/spec/status/observedGeneration", True),  # noqa: FBT003 - JSON
        (
            "type",
            "/spec/status/observedGeneration",
            "false, a string or a map is wanted here, and `true` was found",
            "the generation that the status is of, or `false` if the kind does not report it",
        ),
    ),
    "a-set-without-its-value": (
        Drop("/spec/suspend/suspend/0/to"),
        (
            "missing",
            "/spec/suspend/suspend/0",
            "an entry of `suspend` needs `to`",
            "add `to`: the literal that is put there",
        ),
    ),
    "an-empty-action": (
        Put("/spec/suspend/suspend/0", {}),
        ("missing", "/spec/suspend/suspend/0", "an action needs `set` and `to`, or `remove`", None),
    ),
    "an-action-that-does-two-things": (
        Put("/spec/suspend/suspend/0/remove", "object.spec.stop"),
        ("combination", "/spec/suspend/suspend/0/remove", "`set` and `remove` exclude each other", BOTH),
    ),
    "an-empty-selector": (
        Put("/spec/pods/selector", {}),
        ("size", "/spec/pods/selector", "`selector` is empty", "leave it out, or add an entry"),
    ),
    "a-selector-with-too-many-labels": (
        Put("/spec/pods/selector", {f"label{index}": "object.a" for index in range(65)}),
        ("size", "/spec/pods/selector", "`selector` has 65 entries, and may have 64", None),
    ),
    "a-selector-that-is-a-number": (
        Put("/spec/pods/selector", 1),
        (
            "type",
            "/spec/pods/selector",
            "a map or a list is wanted here, and the number 1 was found",
            "which pods are of this workload, by their labels: one selector, or several of which one must match",
        ),
    ),
    "a-gang-for-two-things": (
        Put("/spec/gang/0/per", {"instanceOf": "part", "replicaOf": "part"}),
        ("combination", "/spec/gang/0/per/replicaOf", "`instanceOf` and `replicaOf` exclude each other", BOTH),
    ),
    "a-gang-for-nothing": (
        Put("/spec/gang/0/per", {}),
        ("missing", "/spec/gang/0/per", "`per` needs `replicaOf` or `instanceOf`", None),
    ),
    "replicas-that-share-a-group": (
        Rename("/spec/gang/0/per/instanceOf", "replicaOf"),
        ("combination", "/spec/gang/0/per/by", "`replicaOf` and `by` exclude each other", BOTH),
    ),
    "a-misspelled-member-of-per": (
        Rename("/spec/gang/0/per/instanceOf", "instanceof"),
        ("unknown", "/spec/gang/0/per/instanceof", "`per` has no `instanceof`", "write `instanceOf`"),
    ),
    "a-member-that-names-nothing": (
        Put("/spec/gang/0/members/1", {"minPods": 1}),
        (
            "missing",
            "/spec/gang/0/members/1",
            "an entry of `members` needs `component`",
            "add `component`: a component; of an embedded workload, behind the component that embeds it and a slash",
        ),
    ),
    "another-kind-of-document": (
        Put("/kind", "Deployment"),
        ("document", "/kind", "this is not a mapping: its `kind` is `Deployment`", MAPPING_CURE),
    ),
    "another-api-version": (
        Put("/apiVersion", "apps/v1"),
        ("document", "/apiVersion", "this is not a mapping: its `apiVersion` is `apps/v1`", MAPPING_CURE),
    ),
    "a-version-of-the-future": (
        Put("/apiVersion", "workloadmap.dev/v2"),
        (
            "version",
            "/apiVersion",
            "the version workloadmap.dev/v2 is not known to this reader",
            "the version known is workloadmap.dev/v1alpha1",
        ),
    ),
}


@pytest.mark.parametrize(("edit", "expected"), FAULTS.values(), ids=FAULTS)
def test_one_fault_is_one_problem(edit: Edit, expected: tuple[str, str, str, str | None]) -> None:
    """One edit of a valid mapping gives one problem, with exactly this text."""
    assert schema_problems(edited(MAPPING, edit), "WorkloadMapping") == [SchemaProblem(*expected)]  # type: ignore[arg-type]


def test_the_mapping_that_the_faults_are_put_into_is_valid() -> None:
    """Without an edit there is no problem."""
    assert mapping_problems(MAPPING) == []


@pytest.mark.parametrize("document", [None, True, 1, "kind: WorkloadMapping", [], [MAPPING]], ids=repr)
def test_what_is_not_a_map_is_one_problem(document: object) -> None:
    """Nothing is said about the members of what has none."""
    (problem,) = schema_problems(document, "WorkloadMapping")
    assert (problem.kind, problem.pointer, problem.cure) == ("document", "", MAPPING_CURE)
    assert problem.message.startswith("a mapping is a map, and this is ")


def test_problems_come_in_the_order_of_the_document() -> None:
    """The order is that of the text, not that of the schema."""
    document = edited(MAPPING, Put("/spec/gang/0/members", []))
    document = edited(document, Put(f"{PART}/podFields/0/init", 1))
    document = edited(document, Put("/metadata/name", "Demo"))
    document = edited(document, Rename("/spec/status/readiness/type", "typ"))
    found = [problem.location.pointer for problem in mapping_problems(document)]
    assert found == [
        "/metadata/name",
        f"{PART}/podFields/0/init",
        f"{PART}/podFields/0/init",
        "/spec/status/readiness/typ",
        "/spec/gang/0/members",
    ]


def test_a_mapping_problem_is_an_exception_with_its_place() -> None:
    """The whole text of an error, as a user reads it."""
    (problem,) = mapping_problems(edited(MAPPING, Drop(f"{PART}/name")))
    assert type(problem) is MappingSchemaError
    assert str(problem) == (
        "/spec/components/0: a component needs `name` [mapping-schema]\n"
        "  add `name`: the component's name, unique in the mapping"
    )


def test_an_unknown_version_is_the_only_problem() -> None:
    """What another version of the schema says about the rest is not known."""
    document = {"apiVersion": "workloadmap.dev/v9", "kind": "WorkloadMapping", "strange": True}
    (problem,) = mapping_problems(document)
    assert type(problem) is MappingVersionError
    assert str(problem) == (
        "/apiVersion: the version workloadmap.dev/v9 is not known to this reader [mapping-version]\n"
        "  the version known is workloadmap.dev/v1alpha1"
    )


@pytest.mark.parametrize(
    "document",
    [
        MAPPING,
        {"apiVersion": "workloadmap.dev/v1alpha1"},
        {"apiVersion": "workloadmap.devil/v2"},
        {"apiVersion": "apps/v1"},
        {"apiVersion": 1},
        {},
        [],
        None,
    ],
    ids=repr,
)
def test_the_version_is_checked_in_documents_of_this_project_only(document: object) -> None:
    """Foreign groups are none of its business."""
    assert check_version(document) is None


def _leaves(value: Any, at: str = "") -> Iterator[str]:  # noqa: ANN401 - JSON
    """The pointers of everything in a document below its root."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield join(at, key)
        yield from _leaves(inner, join(at, key))


@settings(max_examples=50)
@given(st.sampled_from(sorted(_leaves(MAPPING))), st.sampled_from([[[]], [], {"%": 1}, 1.5, "\u00e9 \u00e9", "", True]))
def test_a_wrong_value_anywhere_has_problems_there_only(at: str, value: object) -> None:
    """Whatever is put at one place, what is said is about that place, what is in it, or the map that it is in."""
    owner = at.rpartition("/")[0]
    document = edited(MAPPING, Put(at, value))
    problems = schema_problems(document, "WorkloadMapping")
    assert bool(problems) != VALIDATOR.is_valid(document)
    for problem in problems:
        assert problem.pointer == at or problem.pointer.startswith((at + "/", owner))
        assert problem.message


@settings(max_examples=50)
@given(st.sampled_from(sorted(_leaves(MAPPING))))
def test_a_value_of_a_type_that_fits_nowhere_is_one_problem_at_most(at: str) -> None:
    """A list in a list fits no field but the literals, so it is one fault wherever it is put."""
    assert len(schema_problems(edited(MAPPING, Put(at, [[]])), "WorkloadMapping")) <= 1


_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50)
@given(_JSON, st.sampled_from(["WorkloadMapping", "WorkloadMap", "ConformanceCase"]))
def test_every_document_gives_problems_and_no_exception(spec: object, kind: str) -> None:
    """Whatever a text holds, there is an answer."""
    document = {"apiVersion": "workloadmap.dev/v1alpha1", "kind": kind, "spec": spec}
    assert schema_problems(document, kind)
    assert schema_problems(spec, kind)


@pytest.mark.parametrize("nesting", [1, 46], ids=["once", "to-the-depth-of-a-document"])
def test_values_may_nest_as_deep_as_a_document(nesting: int) -> None:
    """The validator recurses, and is not stopped by Python."""
    value: Any = "object.spec.size"
    for _ in range(nesting):
        value = {"firstOf": [value]}
    assert mapping_problems(edited(MAPPING, Put(f"{PART}/podFields/0/value", value))) == []


def test_the_order_of_a_document_is_that_of_its_members_and_indexes() -> None:
    """Members come as they are written; what is missing comes where its parent begins."""
    document = {"b": [0, {"z": 1, "a": 2}], "a": 1}
    order = document_order(document)
    pointers = ["/a", "/b/1/a", "/b/1/nothing", "/b", "/b/1/z", "", "/b/0", "/b/1"]
    assert sorted(pointers, key=order) == ["", "/b", "/b/0", "/b/1/nothing", "/b/1", "/b/1/z", "/b/1/a", "/a"]


# The schemas themselves

_KEYWORDS_WITHOUT_A_MESSAGE: Final = frozenset(
    {
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "allOf",
        "description",
        "if",
        "items",
        "patternProperties",
        "properties",
        "propertyNames",  # its errors are those of the names
        "then",
    }
    | {"title"}
)
_SCHEMA_FILES: Final = (
    "workload-mapping.schema.json",
    "workload-map.schema.json",
    "conformance-case.schema.json",
)


def _schemas(schema: object) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword in ("$defs", "properties", "patternProperties"):
        for part in schema.get(keyword, {}).values():
            yield from _schemas(part)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(keyword, ()):
            yield from _schemas(part)
    for keyword in ("additionalProperties", "items", "if", "then", "not"):
        yield from _schemas(schema.get(keyword))


@pytest.mark.parametrize("name", _SCHEMA_FILES)
def test_every_keyword_and_pattern_of_the_schemas_has_words(name: str) -> None:
    """A schema that grows a keyword or pattern needs words for it."""
    from workloadmap_spec import schemas  # noqa: PLC0415 - its tables are looked into

    found = list(_schemas(json.loads(schema_path(name).read_text(encoding="utf-8"))))
    keywords = {keyword for schema in found for keyword in schema} - _KEYWORDS_WITHOUT_A_MESSAGE
    assert {keyword for keyword in keywords if not hasattr(schemas._Explainer, f"_explain_{keyword}")} == set()  # noqa: SLF001
    patterns = {schema["pattern"] for schema in found if "pattern" in schema}
    assert patterns - set(schemas._PATTERNS) == set()  # noqa: SLF001


@pytest.mark.parametrize("path", sorted(mappings_root().rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_mapping_fits_its_schema(path: Path) -> None:
    """S0.2."""
    (document,) = load_text(path.read_bytes(), path.name)
    assert mapping_problems(document.value) == []


# Maps and cases

MAP: Final[dict[str, Any]] = {
    "apiVersion": "workloadmap.dev/v1alpha1",
    "kind": "WorkloadMap",
    "workload": {"apiVersion": "v1", "kind": "Pod"},
    "mapping": {"name": "pod", "digest": "sha256:" + "0" * 64},
    "totals": {"pods": 1},
}
CASE: Final[dict[str, Any]] = {
    "apiVersion": "workloadmap.dev/v1alpha1",
    "kind": "ConformanceCase",
    "id": "engine/core/demo",
    "title": "a case that shows something",
    "object": {},
    "expect": {"outcome": "rejected", "class": "no-mapping"},
}

OTHER_FAULTS: Final[dict[str, tuple[Any, Edit, tuple[str, str, str, str | None]]]] = {
    "a-negative-count-in-a-map": (
        MAP,
        Put("/totals/pods", -1),
        ("value", "/totals/pods", "-1 is less than 0", None),
    ),
    "a-count-beyond-all-readers": (
        MAP,
        Put("/totals/pods", 2**53),
        ("value", "/totals/pods", "9007199254740992 is more than 9007199254740991", None),
    ),
    "a-fraction-for-a-count": (
        MAP,
        Put("/totals/pods", 1.5),
        ("type", "/totals/pods", "a whole number is wanted here, and the number 1.5 was found", None),
    ),
    "a-digest-cut-short": (
        MAP,
        Put("/mapping/digest", "sha256:00"),
        ("value", "/mapping/digest", "`sha256:00` is not a digest", "it is sha256: and 64 hexadecimal digits"),
    ),
    "an-unknown-member-of-a-map": (
        MAP,
        Put("/stats", {}),
        ("unknown", "/stats", "a map has no `stats`", "write `status`"),
    ),
    "a-case-without-an-expectation": (
        CASE,
        Drop("/expect"),
        ("missing", "", "a case needs `expect`", "add `expect`"),
    ),
    "a-case-without-an-object": (
        CASE,
        Drop("/object"),
        ("missing", "", "a case needs `object`", "add `object`"),
    ),
    "a-case-that-rejects-without-a-class": (
        CASE,
        Put("/expect", {"outcome": "rejected"}),
        ("missing", "/expect", "`expect` needs `class` or `anyClass`", None),
    ),
    "a-case-with-an-unknown-class": (
        CASE,
        Put("/expect/class", "mapping-scheme"),
        ("value", "/expect/class", "`mapping-scheme` is not a value of `class`", "write `mapping-schema`"),
    ),
    "a-case-that-accepts-and-rejects": (
        CASE,
        Put("/expect/document", {}),
        ("combination", "/expect/document", "`outcome` and `document` exclude each other", BOTH),
    ),
    "a-clause-without-its-letter": (
        CASE,
        Put("/clauses", ["5.2"]),
        (
            "value",
            "/clauses/0",
            "`5.2` is not a clause of the specification",
            "write it as in SPEC.md, such as S5.2.1",
        ),
    ),
    "a-short-title": (
        CASE,
        Put("/title", "short"),
        (
            "value",
            "/title",
            "a text of at least 8 characters is wanted here",
            "what the case shows, in one sentence",
        ),
    ),
}


@pytest.mark.parametrize(("document", "edit", "expected"), OTHER_FAULTS.values(), ids=OTHER_FAULTS)
def test_maps_and_cases_are_checked_alike(
    document: dict[str, Any], edit: Edit, expected: tuple[str, str, str, str | None]
) -> None:
    """The other schemas are told in the same words."""
    problems = map_problems if document is MAP else case_problems
    assert problems(document) == []
    assert problems(edited(document, edit)) == [SchemaProblem(*expected)]  # type: ignore[arg-type]


def test_there_are_cases_for_the_other_tests_to_walk() -> None:
    """An empty folder would make every walk pass."""
    assert list(cases_root().rglob("*.case.yaml"))

"""What conditions, variables and values say about others: a guard is seen where it holds, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from tests.conftest import definition, small_mapping
from workloadmap_spec.cel import parse
from workloadmap_spec.cel.guards import IMPOSSIBLE, either, place, present, when_false, when_true
from workloadmap_spec.compiler import compile_mapping
from workloadmap_spec.crd import Kinds, check_against, load_kinds

if TYPE_CHECKING:
    from workloadmap_spec.crd.expressions import Problem

SCHEMA = """
spec:
  type: object
  properties:
    n: {type: integer}
    flag: {type: boolean}
    size: {type: string, enum: [Big, Small]}
    mode: {type: string}
    items: {type: array, items: {type: object, properties: {n: {type: integer}}}}
    inner: {type: object, properties: {n: {type: integer}, m: {type: integer}}}
    counts: {type: object, additionalProperties: {type: integer}}
    template: {type: object, x-kubernetes-preserve-unknown-fields: true}
    groups:
      type: array
      items:
        type: object
        required: [name, subs]
        properties:
          name: {type: string}
          x: {type: integer}
          y: {type: object, properties: {z: {type: integer}}}
          template: {type: object, x-kubernetes-preserve-unknown-fields: true}
          subs:
            type: array
            items:
              type: object
              required: [name]
              properties:
                name: {type: string}
                x: {type: integer}
                template: {type: object, x-kubernetes-preserve-unknown-fields: true}
                leaves: {type: array, items: {type: object, properties: {x: {type: integer}}}}
status:
  type: object
  properties:
    phase: {type: string}
    ready: {type: integer}
"""


class Twin(NamedTuple):
    """A mapping's `spec` in which every value that is read is there, and one in which a read one (in «») may not be."""

    what: str
    right: str
    wrong: str


GROUPS = "{name: groups, value: object.spec.groups, default: []}"


def variables(what: str, right: str, wrong: str, before: str = "") -> Twin:
    """A row for an expression, perhaps behind the declarations of others."""
    head = f"variables: [{before}{', ' if before else ''}{{name: it, value: '"
    tail = "'}]\ncomponents: [{name: c, podTemplate: object.spec.template}]"
    return Twin(what, head + right + tail, head + wrong + tail)


def nested(what: str, right: str, wrong: str, above: str = "", forEach: str = "object.spec.groups") -> Twin:  # noqa: N803
    """A row for a component inside another, each of a list."""
    head = f"""
components:
- name: outer
  forEach: {forEach}
  {above}
  components:
  - name: inner
    forEach: item.subs
    podTemplate: item.template
    """
    return Twin(what, head + right, head + wrong)


def listed(what: str, right: str, wrong: str, fixed: str = "") -> Twin:
    """A row for a component of a list, whose fields differ."""
    head = f"{fixed}\ncomponents:\n- name: c\n  podTemplate: object.spec.template\n  "
    return Twin(what, head + right, head + wrong)


SIBLINGS = """
components:
- name: a
  variables: [{{name: has, value: has(object.spec.inner)}}]
  replicas: 'variables.has ? size(object.spec.inner) : 1'
  podTemplate: object.spec.template
- name: b
  variables: [{{name: has, value: has(object.spec.groups)}}]
  replicas: 'variables.has ? size({}) : 1'
  podTemplate: object.spec.template
"""
HAS_INNER = "{name: hasInner, value: has(object.spec.inner)}"
TWINS = [
    # Roots
    listed(
        "a field that is called like the item is no fact about it",
        "when: has(object.spec.items)\n  forEach: object.spec.groups\n  replicas: size(object.spec.items)",
        "forEach: object.spec.groups\n  replicas: size(«object.spec.items»)",
    ),
    nested(
        "what the item above has, the parent has",
        "replicas: parent.x + 0",
        "replicas: «item.x» + 0",
        "where: has(item.x)",
    ),
    nested(
        "a variable speaks of the item where it is declared",
        "replicas: 'variables.hasX ? parent.x + 0 : 1'",
        "replicas: 'variables.hasX ? «item.x» + 0 : 1'",
        "variables: [{name: hasX, value: has(item.x)}]",
    ),
    nested(
        "a variable that is the item's field is the parent's below",
        "replicas: 'has(variables.y) && has(parent.y.z) ? variables.y.z : 1'",
        "replicas: 'has(variables.y) ? «parent.y.z» : 1'",
        "variables: [{name: y, value: item.y}]",
    ),
    Twin(
        "facts outlast the name of what they are about",
        """
components:
- name: a
  forEach: object.spec.groups
  variables: [{name: y, value: item.y}, {name: hasZ, value: has(item.y) && has(item.y.z)}]
  components:
  - name: b
    forEach: item.subs
    components:
    - name: c
      forEach: item.leaves
      replicas: 'variables.hasZ ? variables.y.z + 0 : 1'
      podTemplate: object.spec.template
""",
        """
components:
- name: a
  forEach: object.spec.groups
  variables: [{name: hasX, value: has(item.x)}]
  components:
  - name: b
    forEach: item.subs
    components:
    - name: c
      forEach: item.leaves
      replicas: 'variables.hasX ? «parent.x» + 0 : 1'
      podTemplate: object.spec.template
""",
    ),
    Twin(
        "a variable of a component says nothing of one of the same name in another",
        SIBLINGS.format("object.spec.groups"),
        SIBLINGS.format("«object.spec.inner»"),
    ),
    # Elements
    variables(
        "a filter with another variable",
        "variables.groups.filter(g, has(g.x)).map(i, i.x)",
        "variables.groups.filter(g, has(g.y)).map(i, «i.x»)",
        GROUPS,
    ),
    variables(
        "a filter in a filter",
        "variables.groups.filter(g, has(g.y)).filter(h, has(h.y.z)).map(i, i.y.z)",
        'variables.groups.filter(g, has(g.y)).filter(h, h.name == "a").map(i, «i.y.z»)',
        GROUPS,
    ),
    variables(
        "a filter in a variable",
        "variables.some.map(g, g.x)",
        "variables.some.map(g, «g.y».z)",
        f"{GROUPS}, {{name: some, value: 'variables.groups.filter(g, has(g.x))'}}",
    ),
    variables(
        "an element of what was filtered",
        "size(variables.some) > 0 ? variables.some[0].x : 0",
        "size(variables.some) > 0 ? «variables.groups[0].x» : 0",
        f"{GROUPS}, {{name: some, value: 'variables.groups.filter(g, has(g.x))'}}",
    ),
    variables(
        "what either list may be",
        "(variables.flag ? variables.groups.filter(g, has(g.x)) : variables.groups.filter(h, has(h.x))).map(i, i.x)",
        "(variables.flag ? variables.groups.filter(g, has(g.x)) : variables.groups).map(i, «i.x»)",
        f"{GROUPS}, {{name: flag, value: object.spec.flag, default: false}}",
    ),
    variables(
        "all elements have it",
        "variables.groups.all(g, has(g.x)) ? variables.groups.map(i, i.x) : []",
        "variables.groups.exists(g, has(g.x)) ? variables.groups.map(i, «i.x») : []",
        GROUPS,
    ),
    variables(
        "no element lacks it",
        "variables.groups.exists(g, !has(g.x)) ? [] : variables.groups.map(i, i.x)",
        "variables.groups.exists(g, has(g.x)) ? [] : variables.groups.map(i, «i.x»)",
        GROUPS,
    ),
    variables(
        "an element where all have it",
        "size(variables.groups) > 0 && variables.groups.all(g, has(g.x)) ? variables.groups[0].x : 0",
        "size(variables.groups) > 0 && !variables.groups.all(g, has(g.x)) ? «variables.groups[0].x» : 0",
        GROUPS,
    ),
    listed(
        "forEach visits what was filtered",
        "forEach: variables.groups.filter(g, has(g.x) && g.x > 0)\n  replicas: item.x + 0",
        "forEach: variables.groups.filter(g, !has(g.x))\n  replicas: «item.x» + 0",
        f"variables: [{GROUPS}]",
    ),
    listed(
        "forEach visits elements that all have it",
        "when: variables.groups.all(g, has(g.x))\n  forEach: variables.groups\n  replicas: item.x + 0",
        "when: variables.groups.all(g, has(g.y))\n  forEach: variables.groups\n  replicas: «item.x» + 0",
        f"variables: [{GROUPS}]",
    ),
    variables(
        "an element that was found has what was looked for",
        "has(variables.one) ? variables.one.x : 0",
        "has(variables.one) ? «variables.one.y».z : 0",
        "{name: one, find: object.spec.groups, where: {x: 1}}",
    ),
    # Lists and maps that have elements
    listed(
        "inside forEach its list is there",
        "forEach: object.spec.groups\n  replicas: size(object.spec.groups)",
        "forEach: object.spec.groups\n  replicas: size(«object.spec.items»)",
    ),
    listed(
        "inside forEach the list is there that a variable is",
        "forEach: variables.groups\n  replicas: size(object.spec.groups)",
        "forEach: variables.items\n  replicas: size(«object.spec.groups»)",
        f"variables: [{GROUPS}, {{name: items, value: object.spec.items}}]",
    ),
    listed(
        "a default with elements is visited without the list",
        "forEach: {value: object.spec.items, default: []}\n  replicas: size(object.spec.items)",
        "forEach: {value: object.spec.items, default: [{n: 1}]}\n  replicas: size(«object.spec.items»)",
    ),
    variables(
        "a size that is not 0 is that of a list that is there",
        "size(variables.groups) > 0 ? size(object.spec.groups) : 0",
        "size(variables.groups) >= 0 ? size(«object.spec.groups») : 0",
        GROUPS,
    ),
    variables(
        "a key of a map is there",
        "has(object.spec.counts) && object.spec.counts.exists(k, object.spec.counts[k] > 1)",
        "has(object.spec.counts) && variables.names.exists(k, «object.spec.counts[k]» > 1)",
        "{name: names, value: 'has(object.spec.groups) ? object.spec.groups.map(g, g.name) : []'}",
    ),
    # What was tried before
    listed(
        "an alternative is reached where the one before has no value",
        "replicas: {firstOf: [{value: 1, when: '!has(object.spec.n)'}, object.spec.n + 0]}",
        "replicas: {firstOf: [{value: object.spec.inner.n, when: '!has(object.spec.n)'}, «object.spec.n» + 0]}",
    ),
    listed(
        "an alternative is reached where a condition is false, not where it is absent",
        "replicas: {firstOf: [{value: 1, when: '!has(object.spec.n)'}, {value: 2, when: object.spec.n > 2}]}",
        "replicas: {firstOf: [{value: 1, when: 'variables.may == \"a\" || !has(object.spec.n)'}, «object.spec.n» + 0]}",
        "variables: [{name: may, value: object.spec.mode}]",
    ),
    listed(
        "a rule is reached where those before do not hold",
        "replicas: 1",
        "replicas: «object.spec.n» + 0",
        """
status:
  rules:
  - {phase: Initializing, when: '!has(object.status.phase)'}
  - {phase: Running, when: object.status.phase == 'a'}
  readiness: {type: service, wanted: 'object.status.phase == "b" ? 1 : 2', ready: object.status.ready}
""",
    ),
    listed(
        "a rule is reached where a condition is false, not where it is absent",
        "replicas: 1\nstatus: {rules: [{phase: Failed, when: 'variables.lacks || !has(object.status.phase)'},"
        " {phase: Running, when: object.status.phase == 'a'}]}",
        "replicas: 1\nstatus: {rules: [{phase: Failed, when: 'variables.may == 1 || !has(object.status.phase)'},"
        " {phase: Running, when: «object.status.phase» == 'a'}]}",
        "variables: [{name: lacks, value: object.spec.flag, default: false}, {name: may, value: object.spec.n}]",
    ),
    # Forms of conditions
    variables(
        "a condition is compared with true",
        "has(object.spec.flag) == true && object.spec.flag",
        "has(object.spec.flag) == false && «object.spec.flag»",
    ),
    variables(
        "a condition is compared with false",
        "has(object.spec.n) != false ? object.spec.n : 0",
        "false == has(object.spec.n) ? «object.spec.n» : 0",
    ),
    variables(
        "both sides of || say it",
        "(has(object.spec.n) && object.spec.n == 1) || (has(object.spec.n) && object.spec.n == 2) ? object.spec.n : 0",
        "(has(object.spec.n) && object.spec.n == 1) || has(object.spec.mode) ? «object.spec.n» : 0",
    ),
    variables(
        "neither side of && lacks it",
        "!has(object.spec.n) && has(object.spec.inner) || !has(object.spec.n) ? 0 : object.spec.n",
        "!has(object.spec.n) && has(object.spec.inner) ? 0 : «object.spec.n»",
    ),
    variables(
        "a conditional is a condition",
        "(has(object.spec.inner) ? has(object.spec.inner.n) : false) ? object.spec.inner.n : 0",
        "(has(object.spec.inner) ? has(object.spec.inner.n) : true) ? «object.spec.inner».n : 0",
    ),
    variables(
        "a side that is false lets the other fail",
        'object.spec.mode == "a" && has(object.spec.mode)',
        '«object.spec.mode» == "a" && has(object.spec.inner)',
    ),
    variables(
        "a side that is true lets the other fail",
        'object.spec.mode == "a" || !has(object.spec.mode)',
        '«object.spec.mode» == "a" || has(object.spec.mode)',
    ),
    variables(
        "a side that fails lets the other fail as well",
        "has(object.spec.inner) && (object.spec.inner.n == 1 && has(object.spec.inner.n))",
        "has(object.spec.mode) && («object.spec.inner».n == 1 && has(object.spec.mode))",
    ),
    variables(
        "a variable is another name for a place",
        "has(variables.wi) && has(object.spec.inner.n) ? variables.wi.n : 0",
        "has(variables.wi) && has(object.spec.inner.n) ? «variables.wi.m» : 0",
        "{name: wi, value: object.spec.inner}",
    ),
    variables(
        "a variable that is mentioned is there",
        "has(variables.wi.n) || has(object.spec.inner.m)",
        "has(variables.wi) || has(«object.spec.inner».m)",
        "{name: wi, value: object.spec.inner}",
    ),
    variables(
        "a variable with a default is no other name",
        "has(variables.wi.n) ? variables.wi.n : 0",
        "has(variables.wi.n) ? «object.spec.inner».n : 0",
        "{name: wi, value: object.spec.inner, default: {n: 1}}",
    ),
    variables(
        "a variable that is a condition is compared",
        "variables.has == true ? object.spec.inner.n : 0",
        "variables.has != true ? «object.spec.inner».n : 0",
        "{name: has, value: has(object.spec.inner) && has(object.spec.inner.n)}",
    ),
    variables(
        "a chain of conditions is as long as it likes",
        "variables.hasInner"
        + "".join(f' && object.metadata.name != "{index}"' for index in range(12))
        + " ? size(object.spec.inner) : 0",
        "!variables.hasInner"
        + "".join(f' && object.metadata.name != "{index}"' for index in range(12))
        + " ? size(«object.spec.inner») : 0",
        HAS_INNER,
    ),
    variables(
        "a chain of variables is as long as it likes",
        "variables.v11 ? size(object.spec.inner) : 0",
        "!variables.v11 ? size(«object.spec.inner») : 0",
        ", ".join(
            [HAS_INNER, "{name: v0, value: variables.hasInner == true}"]
            + [f"{{name: v{index + 1}, value: variables.v{index} == true}}" for index in range(11)]
        ),
    ),
    # Defaults
    variables(
        "a condition that is absent is its default",
        "variables.lacks ? object.spec.n + 1 : 0",
        "!variables.lacks ? «object.spec.n» + 1 : 0",
        "{name: may, value: object.spec.mode},"
        " {name: lacks, value: '!(!has(object.spec.n) || variables.may == \"a\")', default: false}",
    ),
    variables(
        "a condition that is never absent is not its default",
        "!variables.lacks ? object.spec.n + 1 : 0",
        "variables.lacks ? «object.spec.n» + 1 : 0",
        "{name: lacks, value: '!has(object.spec.n)', default: false}",
    ),
    variables(
        "a condition that is true where nothing is known says nothing",
        "variables.has ? size(object.spec.inner) : 0",
        "variables.given ? size(«object.spec.inner») : 0",
        "{name: may, value: object.spec.mode}, {name: has, value: 'variables.may == \"a\" && has(object.spec.inner)'},"
        " {name: given, value: 'variables.may == \"a\" && has(object.spec.inner)', default: true}",
    ),
    variables(
        "the condition of a value holds where it is there",
        "has(variables.one) ? size(object.spec.inner) : 0",
        "has(variables.one) ? size(«object.spec.groups») : 0",
        "{name: one, value: 1, when: has(object.spec.inner)}",
    ),
]

GANG = """
components:
- name: outer
  forEach: object.spec.groups
  components:
  - {name: inner, forEach: item.subs, podTemplate: item.template}
gang:
- name: g
  members: [inner]
  subgroups:
  - name: s
    per: {instanceOf: outer%s}
    members: [inner]
    subgroups: [{name: t, when: has(item.x), members: [{component: inner, minPods: %s + 0}]}]
"""
TWINS += [
    Twin("a group's item is no member's", GANG % ("", "parent.x"), GANG % ("", "«item.x»")),
    Twin("a group of several instances has no item", GANG % ("", "parent.x"), GANG % (", by: 1", "«parent.x»")),
]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Kinds:
    """The kind that is made up: its versions v2 and v3 have a field more."""
    schema = yaml.safe_load(SCHEMA)
    newer = yaml.safe_load(SCHEMA)
    newer["spec"]["properties"]["late"] = {"type": "boolean"}
    file = tmp_path_factory.mktemp("crds") / "thing.yaml"
    definitions = definition("Thing", {"v1": schema, "v2": newer, "v3": newer}, "x.example", has_status=True)
    file.write_text(yaml.safe_dump(definitions), "utf-8")
    return load_kinds([file])


def problems(spec: str, kinds: Kinds, versions: tuple[str, ...] = ("v1",)) -> tuple[list[Problem], dict[str, str]]:
    """What the schema says of a mapping, and the texts of its expressions."""
    mapping: dict[str, Any] = small_mapping(spec)
    mapping["spec"]["workload"]["versions"] = list(versions)
    compiled = compile_mapping(mapping)
    return list(check_against(compiled, kinds).problems), {one.at: one.text for one in compiled.expressions}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.what)
def test_what_is_there_is_read_without_a_finding(twin: Twin, kinds: Kinds) -> None:
    assert problems(twin.right, kinds)[0] == []


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.what)
def test_what_may_be_missing_is_found(twin: Twin, kinds: Kinds) -> None:
    before, _, rest = twin.wrong.partition("«")
    part, _, after = rest.partition("»")
    found, texts = problems(before + part + after, kinds)
    assert [problem.rule for problem in found] == ["WM505"], found
    (problem,) = found
    assert problem.offset is not None
    assert texts[problem.at][problem.offset : problem.offset + problem.length] == part


VERSIONED = """
variables: [{name: version, value: object.apiVersion}, {name: isLate, value: variables.version == "x.example/v2"}]
components: [{name: c, podTemplate: object.spec.template}]
suspend:
  suspend: [{set: object.spec.late, to: true, when: '%s'}]
  resume: [{set: object.spec.flag, to: false}]
"""


@pytest.mark.parametrize(
    "condition",
    [
        'object.apiVersion == "x.example/v2"',
        '"x.example/v2" == object.apiVersion',
        'object["apiVersion"] == "x.example/v2"',
        'object.apiVersion != "x.example/v1"',
        '!(object.apiVersion == "x.example/v1")',
        'object.apiVersion in ["x.example/v2", "x.example/v3"]',
        'object.apiVersion.endsWith("/v2")',
        '(object.apiVersion == "x.example/v2") == true',
        'object.apiVersion == "x.example/v2" || object.apiVersion == "x.example/v3"',
        'has(object.spec.flag) && object.apiVersion == "x.example/v2"',
        '["x.example/v2"].exists(v, v == object.apiVersion)',
        'object.apiVersion == "x.example/v2" ? has(object.spec.flag) : false',
        "variables.isLate",
        'variables.version == "x.example/v2"',
        'object.kind == "Thing" && variables.isLate',
    ],
)
def test_a_place_of_one_version_is_written_behind_a_condition_on_it(condition: str, kinds: Kinds) -> None:
    assert problems(VERSIONED % condition, kinds, ("v1", "v2", "v3"))[0] == []


@pytest.mark.parametrize(
    "condition",
    [
        'object.apiVersion == "x.example/v1"',
        'object.apiVersion != "x.example/v2"',
        'object.apiVersion.startsWith("x.example/")',
        'object.apiVersion == "x.example/v2" || has(object.spec.flag)',
        "!variables.isLate",
        "has(object.spec.flag)",
    ],
)
def test_a_condition_that_holds_in_the_other_version_is_no_guard(condition: str, kinds: Kinds) -> None:
    (problem,) = problems(VERSIONED % condition, kinds, ("v1", "v2"))[0]
    assert (problem.rule, problem.at) == ("WM507", "/spec/suspend/suspend/0/set")


def test_a_default_of_another_version_is_not_compared(kinds: Kinds) -> None:
    right = """
components:
- name: c
  replicas: {firstOf: [{value: 2, when: 'object.apiVersion == "x.example/v1"'}, {value: 1, writeTo: object.spec.late,
    write: value == 1}]}
  podTemplate: object.spec.template
"""
    assert problems(right, kinds, ("v1", "v2"))[0] == []
    wrong = right.replace("x.example/v1", "x.example/v2")
    assert [problem.rule for problem in problems(wrong, kinds, ("v1", "v2"))[0]] == ["WM507"]


def test_a_default_that_no_field_has_is_one_that_is_asked_for(kinds: Kinds) -> None:
    spec = """
variables: [{name: size, value: object.spec.size, default: %s}, {name: is, value: 'variables.size == "%s"'}]
components: [{name: c, podTemplate: object.spec.template}]
"""
    for default, asked in (("Unset", "Unset"), ("Big", "Small"), ('""', "Small")):
        assert problems(spec % (default, asked), kinds)[0] == []
    (problem,) = problems(spec % ("Unset", "Small"), kinds)[0]
    assert (problem.rule, problem.at) == ("WM504", "/spec/variables/0/default")


def test_a_key_that_may_be_missing_is_a_warning(kinds: Kinds) -> None:
    spec = """
variables: [{name: counts, value: object.spec.counts, default: {}}]
components: [{name: c, forEach: object.spec.groups, replicas: '%s', podTemplate: item.template}]
"""
    assert problems(spec % "item.name in variables.counts ? variables.counts[item.name] : 0", kinds)[0] == []
    (problem,) = problems(spec % "variables.counts[item.name] + 0", kinds)[0]
    assert (problem.rule, problem.level) == ("WM505", "warning")
    assert problem.cure == ("guard it: item.name in variables.counts ? variables.counts[item.name] : DEFAULT")


def test_two_ways_to_write_a_place_are_one() -> None:
    assert place(parse('object.spec["n"]')) == place(parse("object.spec.n"))
    assert place(parse("a[b.c]")) == place(parse('a[b["c"]]'))
    assert place(parse("a.b[0]")) != place(parse('a.b["0"]'))
    assert place(parse("a[true]")) != place(parse("a[1]"))


def test_what_holds_in_either_case_holds_in_all_that_are_possible() -> None:
    one, other = when_true(parse("has(a.b) && has(a.c)")), when_true(parse("has(a.b) && has(a.d)"))
    assert either(one, other) == {present(parse("a.b"))}
    assert either(one, IMPOSSIBLE) == one
    assert either(IMPOSSIBLE, IMPOSSIBLE) == IMPOSSIBLE


@pytest.mark.parametrize(
    ("condition", "holds", "there"),
    [
        ("has(a.b.c)", True, ["a.b.c", "a.b"]),
        ("has(a.b.c)", False, []),
        ("!has(a.b)", False, ["a.b"]),
        ("!(has(a.b) || has(a.c))", True, []),
        ("!(!has(a.b) || !has(a.c))", True, ["a.b", "a.c"]),
        ('"b" in a', True, ["a.b"]),
        ("has(a.b) ? has(a.c) : false", True, ["a.b", "a.c"]),
        ("has(a.b) ? false : has(a.c)", True, ["a.c"]),
        ("true || has(a.b)", True, []),
        ("false || has(a.b)", True, ["a.b"]),
    ],
)
def test_a_condition_says_what_is_there(condition: str, holds: bool, there: list[str]) -> None:  # noqa: FBT001
    facts = (when_true if holds else when_false)(parse(condition))
    assert {fact for fact in facts if fact[0] == "has"} == {present(parse(one)) for one in there}

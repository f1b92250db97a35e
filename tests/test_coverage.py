"""Coverage of mappings: what cases have reached, told by what they have not; each expectation is derived by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import catalog_cases, small_mapping, two_widgets
from workloadmap_spec.cases import reference_reader, run_case
from workloadmap_spec.catalog import Catalog, Source, load_mapping
from workloadmap_spec.cli import main
from workloadmap_spec.coverage import Coverage, goals, tally, uncovered
from workloadmap_spec.errors import WorkloadMapError
from workloadmap_spec.field_compiler import FieldCompiler, native_engine
from workloadmap_spec.files import cases_root, mappings_root
from workloadmap_spec.values import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from workloadmap_spec.documents import Document
    from workloadmap_spec.mapping import CompiledMapping

TEMPLATE: Final = {"spec": {"containers": [{"name": "c"}]}}


class Bench:
    """Mappings under test, of which each kind has one, and what has been reached of them."""

    def __init__(self, *documents: dict[str, Any]) -> None:
        """Compile them."""
        self.documents = documents
        self.coverages = [Coverage() for _ in documents]
        compiled = [
            load_mapping(document, observer=coverage)
            for document, coverage in zip(documents, self.coverages, strict=True)
        ]

        def find(group: str, kind: str) -> list[CompiledMapping]:
            return [mapping for mapping in compiled if (mapping.group, mapping.kind) == (group, kind)]

        self.catalog = Catalog([Source("the bench", find, lambda: compiled)])

    def gaps(self, index: int = 0) -> list[tuple[str, str]]:
        """What is lacking of one of the mappings."""
        return uncovered(self.coverages[index], self.documents[index])

    def read(self, spec: Mapping[str, Any], **more: Any) -> None:  # noqa: ANN401 - JSON
        """Read a thing, and its pods if there are any."""
        pods = more.pop("pods", None)
        self.catalog.read({"apiVersion": "x.example/v1", "kind": "Thing", "spec": spec, **more}, pods)

    def update(self, intent: dict[str, Any], spec: Mapping[str, Any], **metadata: str) -> None:
        """Change a thing, or try to."""
        thing = {"apiVersion": "x.example/v1", "kind": "Thing", "metadata": {"name": "t", **metadata}, "spec": spec}
        try:
            self.catalog.update(thing, intent)
        except WorkloadMapError as error:
            assert error.error_class in {"update-invalid", "update-unsupported"}  # noqa: PT017 - either will do


def bench(spec: str) -> Bench:
    """One mapping under test; of its components only what the spec says."""
    return Bench(small_mapping(spec))


# Rules and conditions

RULES: Final = """
components: [{name: main, podTemplate: object.spec.template}]
status:
  observedGeneration: false
  rules:
  - {phase: Failed, when: object.status.state == "Failed"}
  - {phase: Running, when: object.status.state == "Running", message: object.status.text}
  - {phase: Initializing, when: 'true'}
"""
TEMPLATE_GAP: Final = ("/spec/components/0/podTemplate", "never evaluated")


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        pytest.param(
            [],
            [
                TEMPLATE_GAP,
                ("/spec/status/rules/0/when", "never evaluated"),
                ("/spec/status/rules/1/when", "never evaluated"),
                ("/spec/status/rules/1/message", "never evaluated"),
                ("/spec/status/rules/2/when", "never evaluated"),
            ],
            id="without a case nothing is reached",
        ),
        pytest.param(
            ["Failed"],
            [
                ("/spec/status/rules/0/when", "never false"),
                ("/spec/status/rules/1/when", "never evaluated"),
                ("/spec/status/rules/1/message", "never evaluated"),
                ("/spec/status/rules/2/when", "never evaluated"),
            ],
            id="the first rule that holds hides those behind it",
        ),
        pytest.param(
            ["Running"],
            [
                ("/spec/status/rules/0/when", "never true"),
                ("/spec/status/rules/1/when", "never false"),
                ("/spec/status/rules/1/message", "never gave a value"),
                ("/spec/status/rules/2/when", "never evaluated"),
            ],
            id="a text that is absent gave no value",
        ),
        pytest.param(
            ["Failed", "Running", "Else"],
            [("/spec/status/rules/1/message", "never gave a value")],
            id="a rule that looks at nothing need not be false",
        ),
        pytest.param(
            [None],
            [
                ("/spec/status/rules/0/when", "always failed"),
                ("/spec/status/rules/1/when", "never evaluated"),
                ("/spec/status/rules/1/message", "never evaluated"),
                ("/spec/status/rules/2/when", "never evaluated"),
            ],
            id="a rule that fails is neither true nor false",
        ),
    ],
)
def test_rules(states: list[str | None], expected: list[tuple[str, str]]) -> None:
    found = bench(RULES)
    for state in states:
        # A status that has something, so that the rules are asked; without `state` their expressions fail.
        found.read({"template": TEMPLATE}, status={"other": 1} if state is None else {"state": state})
    assert found.gaps() == expected


def test_goals_are_counted_by_category() -> None:
    found = bench(RULES)
    found.read({"template": TEMPLATE}, status={"state": "Running", "text": "up"})
    assert tally(goals(found.coverages[0], found.documents[0])) == {"expressions": (2, 2), "rules": (0, 3)}
    found.read({"template": TEMPLATE}, status={"state": "Failed"})
    found.read({"template": TEMPLATE}, status={"state": "Else"})
    assert tally(goals(found.coverages[0], found.documents[0])) == {"expressions": (2, 2), "rules": (3, 3)}


def test_what_the_specification_reads_by_itself_is_no_goal() -> None:
    found = bench("components: [{name: main, podSpec: object.spec}]\nstatus: {rules: [{phase: Running, when: 'true'}]}")
    assert [pointer for pointer, _ in found.gaps()] == ["/spec/components/0/podSpec", "/spec/status/rules/0/when"]
    written = bench(
        "components: [{name: main, podSpec: object.spec}]\n"
        "status: {observedGeneration: object.status.seen, conditions: object.status.list,"
        " rules: [{phase: Running, when: 'true'}]}"
    )
    assert [pointer for pointer, _ in written.gaps()] == [
        "/spec/components/0/podSpec",
        "/spec/status/observedGeneration",
        "/spec/status/conditions",
        "/spec/status/rules/0/when",
    ]


# Values

VALUES: Final = """
variables:
- {name: size, firstOf: [object.spec.size, {value: object.spec.old, absentIf: [0]}, 1]}
- {name: found, find: object.spec.list, where: {name: object.spec.wanted}}
components:
- name: main
  podSpec: object.spec
  replicas: {value: variables.size, when: '!has(object.spec.auto)'}
  podsPerReplica: {firstOf: [object.spec.pods, {unknown: autoscaler}]}
  minReplicas: {value: object.spec.least, default: 0}
"""
SIZE, FOUND, MAIN = "/spec/variables/0/firstOf", "/spec/variables/1", "/spec/components/0"
NO_ALTERNATIVE, NO_VALUE = "this alternative of firstOf never gave a value", "never gave a value"
ALL_READ: Final = {"size": 2, "pods": 1, "least": 1, "list": [{"name": "a"}], "wanted": "a"}


@pytest.mark.parametrize(
    ("specs", "expected"),
    [
        pytest.param(
            [ALL_READ],
            [
                (f"{SIZE}/1", NO_ALTERNATIVE),
                (f"{SIZE}/1/value", "never evaluated"),
                (f"{SIZE}/1/absentIf", "absentIf never matched"),
                (f"{SIZE}/2", NO_ALTERNATIVE),
                (f"{MAIN}/replicas/when", "never false"),
                (f"{MAIN}/podsPerReplica/firstOf/1", "this alternative of firstOf was never reached"),
                (f"{MAIN}/minReplicas/default", "default never used"),
            ],
            id="what comes first hides the rest",
        ),
        pytest.param(
            [{"old": 3, "auto": 1}],
            [
                (f"{SIZE}/0", NO_ALTERNATIVE),
                (f"{SIZE}/1/absentIf", "absentIf never matched"),
                (f"{SIZE}/2", NO_ALTERNATIVE),
                (f"{FOUND}/find", "never found an element"),
                (f"{FOUND}/where/name", "never evaluated"),
                (f"{MAIN}/replicas/value", "never evaluated"),
                (f"{MAIN}/replicas/when", "never true"),
                (f"{MAIN}/podsPerReplica/firstOf/0", NO_ALTERNATIVE),
                (f"{MAIN}/minReplicas/value", NO_VALUE),
            ],
            id="the second alternative, and no element",
        ),
        pytest.param(
            [ALL_READ, {"old": 0, "auto": 1}],
            [(f"{SIZE}/1", NO_ALTERNATIVE)],
            id="a value that is always taken away is none of its alternative",
        ),
        pytest.param(
            [ALL_READ, {"old": 0, "auto": 1}, {"old": 5, "list": [], "wanted": "b"}], [], id="three cases reach it all"
        ),
    ],
)
def test_values(specs: list[dict[str, Any]], expected: list[tuple[str, str]]) -> None:
    found = bench(VALUES)
    for spec in specs:
        found.read(spec)
    assert found.gaps() == expected


SOME_SPECS: Final = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "size": st.integers(0, 2),
            "old": st.integers(0, 2),
            "auto": st.just(1),
            "pods": st.sampled_from([1, "x"]),
            "least": st.integers(0, 1),
            "list": st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab")}), max_size=2),
            "wanted": st.sampled_from("ab"),
        },
    ),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(SOME_SPECS, SOME_SPECS)
def test_more_cases_never_reach_less(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    def lacking(specs: Iterable[dict[str, Any]]) -> set[str]:
        found = bench(VALUES)
        for spec in specs:
            found.read(spec)
        return {pointer for pointer, _ in found.gaps()}

    assert lacking([*first, *second]) <= lacking(first) & lacking(second)
    assert lacking([*first, *second]) == lacking([*second, *first])


# Groups, embedded workloads, pods

GANG: Final = """
components:
- name: worker
  podSpec: object.spec
  replicas: object.spec.workers
- name: extra
  podSpec: object.spec
  replicas: {value: object.spec.extras, default: 0}
gang:
- name: all
  when: object.spec.together
  members: [worker]
  subgroups: [{name: one, per: {replicaOf: worker}, members: [worker], when: has(object.spec.split)}]
- {name: rest, members: [extra], when: has(object.spec.extras)}
"""
NO_GROUP: Final = "this gang entry never made a group"


def test_gang_entries() -> None:
    found = bench(GANG)
    found.read({"workers": 0, "together": True})
    # Without pods there is no group.
    assert found.gaps() == [
        ("/spec/components/1/replicas/value", NO_VALUE),
        ("/spec/gang/0", NO_GROUP),
        ("/spec/gang/0/when", "never false"),
        ("/spec/gang/0/subgroups/0", NO_GROUP),
        ("/spec/gang/0/subgroups/0/when", "never evaluated"),
        ("/spec/gang/1", NO_GROUP),
        ("/spec/gang/1/when", "never true"),
    ]
    found.read({"workers": 2, "together": True, "extras": 1})
    assert found.gaps() == [
        ("/spec/gang/0/when", "never false"),
        ("/spec/gang/0/subgroups/0", NO_GROUP),
        ("/spec/gang/0/subgroups/0/when", "never true"),
    ]
    found.read({"workers": 2, "together": True, "split": True})
    found.read({"workers": 2, "together": False})
    assert found.gaps() == []


INNER: Final = """
components: [{name: main, podSpec: object.spec, replicas: object.spec.count}]
gang: [{name: own, members: [main]}]
"""
OUTER: Final = """
components:
- {name: inner, embed: {object: object.spec.inner}, when: has(object.spec.inner)}
gang: [{name: taken, from: inner}]
"""


def test_an_embedded_workload_reaches_its_own_mapping() -> None:
    found = Bench(small_mapping(OUTER), small_mapping(INNER, "Inner"))
    found.read({})
    assert found.gaps(0) == [
        ("/spec/components/0/embed/object", "never evaluated"),
        ("/spec/components/0/when", "never true"),
        ("/spec/gang/0", NO_GROUP),
    ]
    assert found.gaps(1) == [
        ("/spec/components/0/podSpec", "never evaluated"),
        ("/spec/components/0/replicas", "never evaluated"),
        ("/spec/gang/0", NO_GROUP),
    ]
    found.read({"inner": {"apiVersion": "x.example/v1", "kind": "Inner", "spec": {"count": 2}}})
    assert found.gaps(0) == []
    assert found.gaps(1) == []


PODS: Final = """
pods: {selector: {app: object.metadata.name}}
components: [{name: main, podSpec: object.spec, pods: {index: 'pod.metadata.labels["index"]'}}]
"""


def test_what_is_asked_of_pods_is_reached_by_cases_with_pods() -> None:
    found = bench(PODS)
    found.read({}, metadata={"name": "t"})
    assert found.gaps() == [
        ("/spec/pods/selector/app", "never evaluated"),
        ("/spec/components/0/pods/index", "never evaluated"),
    ]
    found.read({}, metadata={"name": "t"}, pods=[{"metadata": {"name": "p", "labels": {"app": "t"}}}])
    assert found.gaps() == [("/spec/components/0/pods/index", NO_VALUE)]
    found.read({}, metadata={"name": "t"}, pods=[{"metadata": {"name": "p", "labels": {"app": "t", "index": "0"}}}])
    assert found.gaps() == []


def test_what_is_asked_for_references_counts() -> None:
    found = bench("""
references: [{name: other, apiVersion: v1, kind: ConfigMap, resourceName: object.spec.other}]
components: [{name: main, podSpec: object.spec, replicas: refs.other.data.count}]
""")
    thing = {"apiVersion": "x.example/v1", "kind": "Thing", "spec": {"other": "o"}}
    assert len(found.catalog.required_references(thing)) == 1
    assert found.gaps() == [("/spec/components/0/replicas", NO_VALUE)]


# Writing

WRITING: Final = """
components:
- name: main
  podSpec: object.spec
  replicas: {value: object.spec.half * 2, writeTo: object.spec.half, write: value / 2}
suspend:
  suspend: [{set: object.spec.stop, to: true}]
  resume: [{remove: object.spec.stop, when: '!has(object.spec.locked)'}]
immutable:
- {places: [object.spec.half], when: has(object.spec.locked), reason: it is locked}
"""


def test_writing() -> None:
    found = bench(WRITING)
    found.read({"half": 1})
    replicas, suspend = "/spec/components/0/replicas", "/spec/suspend"
    lacking = [
        (f"{replicas}/writeTo", "never written to"),
        (f"{replicas}/write", "never evaluated"),
        (f"{suspend}/suspend/0/set", "this action was never taken"),
        (f"{suspend}/resume/0/remove", "this action was never taken"),
        (f"{suspend}/resume/0/when", "never evaluated"),
        ("/spec/immutable/0", "no change was ever compared with it"),
        ("/spec/immutable/0/when", "never evaluated"),
    ]
    assert found.gaps() == lacking
    found.update({"op": "scale", "component": "main", "replicas": 4}, {"half": 1})
    assert found.gaps() == lacking[2:]
    found.update({"op": "suspend"}, {"half": 1}, uid="u")
    assert found.gaps() == [*lacking[3:6], ("/spec/immutable/0/when", "never true")]
    # This one is suspended already: nothing is written.
    found.update({"op": "suspend"}, {"half": 1, "stop": True})
    assert found.gaps() == [*lacking[3:6], ("/spec/immutable/0/when", "never true")]
    found.update({"op": "resume"}, {"half": 1, "stop": True, "locked": True})
    assert found.gaps()[:2] == [lacking[3], (f"{suspend}/resume/0/when", "never true")]
    found.update({"op": "resume"}, {"half": 1, "stop": True})
    assert found.gaps() == [lacking[5], ("/spec/immutable/0/when", "never true")]
    found.update({"op": "scale", "component": "main", "replicas": 4}, {"half": 1, "locked": True}, uid="u")
    assert found.gaps() == []


# Nobody looks on


def test_without_an_observer_no_reader_is_wrapped() -> None:
    read = literal(1)
    assert FieldCompiler(native_engine).seen("expression", "/spec", read) is read
    assert load_mapping(small_mapping(GANG)).used is None
    assert Catalog.builtin() is Catalog.builtin()


def test_a_catalogue_that_is_looked_at_is_not_the_common_one() -> None:
    seen: list[str] = []

    def observe(document: Any) -> Coverage:  # noqa: ANN401 - a document
        seen.append(document.source)
        return Coverage()

    catalog = Catalog.builtin(observe)
    assert catalog.find("batch/v1", "Job").used is not None
    assert Catalog.builtin().find("batch/v1", "Job").used is None
    # Only what is used is loaded, and with its whole path.
    assert seen == [str(mappings_root() / "batch" / "job.yaml")]


# The command

MAPPING: Final = """
apiVersion: workloadmap.dev/v1alpha1
kind: WorkloadMapping
metadata: {name: widget}
spec:
  workload: {group: x.example, versions: [v1], kind: Widget}
  components:
  - name: main
    podSpec: object.spec
    replicas: {firstOf: [object.spec.count, object.spec.size], default: 1}
""".lstrip()
CASE: Final = two_widgets(
    "widget/two",
    "a widget has as many replicas as it counts",
    "{count: 2}",
    "podTemplate: {spec: {}}, sources: {replicas: /spec/count, podSpec: /spec}",
)
TOLD: Final = (
    "1 passed, 0 failed\n"
    "widget: 1 of 1 expressions, 1 of 2 alternatives, 0 of 1 defaults\n"
    "  {file}:9:45: /spec/components/0/replicas/firstOf/1:"
    " this alternative of firstOf never gave a value: object.spec.size\n"
    "  {file}:9:73: /spec/components/0/replicas/default: default never used: 1\n"
    "coverage: 2 of 4, 50.0 %"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a mapping, a case beside it, and a manifest that is neither."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "widget.yaml").write_text(MAPPING, encoding="utf-8")
    (tmp_path / "widget.case.yaml").write_text(CASE, encoding="utf-8")
    (tmp_path / "other.yaml").write_text("kind: ConfigMap\ndata: {about: a WorkloadMapping}\n", encoding="utf-8")
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code of `workloadmap test`, its output and its messages."""
    code = main(["test", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["widget.yaml"], id="a mapping file, with the cases beside it"),
        pytest.param(["."], id="a folder with both"),
        pytest.param(["-m", "widget.yaml", "widget.case.yaml"], id="a mapping as every command has it"),
        pytest.param(["-m", "widget.yaml", "."], id="a mapping that is named twice is used once"),
        pytest.param(["-m", "widget.yaml", "--cases", "widget.case.yaml"], id="cases that are named as such"),
        pytest.param(["-k", "two", "."], id="a part of the cases"),
    ],
)
def test_the_mapping_under_test_is_told(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert ran(capsys, "--coverage", *arguments) == (0, TOLD.format(file="widget.yaml") + "\n", "")


def test_cases_elsewhere_are_added(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine").mkdir()
    (folder / "widget.yaml").rename(folder / "mine" / "widget.yaml")
    expected = TOLD.format(file="mine/widget.yaml") + "\n"
    assert ran(capsys, "--coverage", "mine/widget.yaml", "--cases", "widget.case.yaml") == (0, expected, "")
    code, _, err = ran(capsys, "--coverage", "mine/widget.yaml")
    assert (code, err) == (2, "error: there is no case in mine\n  cases are in files named NAME.case.yaml\n")


@pytest.mark.usefixtures("folder")
def test_without_the_option_nothing_else_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "widget.yaml") == (0, "1 passed, 0 failed\n", "")
    assert ran(capsys, ".") == (0, "1 passed, 0 failed\n", "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("percent", "code", "end"),
    [("50", 0, "\n"), ("50.1", 1, ", less than 50.1 %\n"), ("100", 1, ", less than 100 %\n")],
)
def test_too_little_fails(capsys: pytest.CaptureFixture[str], percent: str, code: int, end: str) -> None:
    assert ran(capsys, "--fail-under", percent, ".") == (code, TOLD.format(file="widget.yaml") + end, "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("percent", ["x", "-1", "100.5", "nan"])
def test_what_is_no_part_of_a_hundred_is_refused(capsys: pytest.CaptureFixture[str], percent: str) -> None:
    code, out, err = ran(capsys, f"--fail-under={percent}", ".")
    assert (code, out) == (2, "")
    assert f"a number from 0 to 100 is wanted, and '{percent}' was found" in err


@pytest.mark.usefixtures("folder")
def test_coverage_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--coverage", "--format", "json", ".")
    assert code == 0
    assert json.loads(out)["coverage"] == {
        "covered": 2,
        "goals": 4,
        "percent": 50.0,
        "mappings": [
            {
                "name": "widget",
                "file": "widget.yaml",
                "covered": 2,
                "goals": 4,
                "categories": {
                    "expressions": {"covered": 1, "goals": 1},
                    "alternatives": {"covered": 1, "goals": 2},
                    "defaults": {"covered": 0, "goals": 1},
                },
                "uncovered": [
                    {
                        "pointer": "/spec/components/0/replicas/firstOf/1",
                        "line": 9,
                        "column": 45,
                        "category": "alternatives",
                        "what": "this alternative of firstOf never gave a value",
                        "text": "object.spec.size",
                    },
                    {
                        "pointer": "/spec/components/0/replicas/default",
                        "line": 9,
                        "column": 73,
                        "category": "defaults",
                        "what": "default never used",
                        "text": "1",
                    },
                ],
            }
        ],
    }
    code, out, _ = ran(capsys, "--format", "json", ".")
    assert "coverage" not in json.loads(out)


def test_a_mapping_that_cannot_be_used_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "widget.yaml").write_text(MAPPING.replace("object.spec.size", "size"), encoding="utf-8")
    code, out, err = ran(capsys, "--coverage", ".")
    assert (code, out) == (1, "")
    assert err.startswith("error: widget.yaml:9:45: /spec/components/0/replicas/firstOf/1: `size` is not declared")


def test_cases_that_bring_their_own_mappings_test_none(capsys: pytest.CaptureFixture[str]) -> None:
    engine = cases_root() / "engine" / "core"
    assert ran(capsys, "--coverage", str(engine), "-k", "core/")[::2] == (
        2,
        "error: no mapping is under test: the cases bring their own\n  name a mapping with -m PATH\n",
    )


def test_of_the_shipped_mappings_those_are_under_test_that_the_cases_read(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--coverage", "--format", "json", str(cases_root() / "catalog" / "jobset"))
    found = json.loads(out)
    assert (code, found["failed"]) == (0, 0)
    assert [mapping["name"] for mapping in found["coverage"]["mappings"]] == ["jobset"]
    assert found["coverage"]["mappings"][0]["categories"]["rules"] == {"covered": 11, "goals": 11}


# The shipped cases and mappings

#: What no case of a valid object can reach, and why.
UNREACHED: Final = {
    ("disaggregatedset", "/spec/components/0/components/0/variables/1/when"): "the definition asks for the name",
    ("flinkdeployment", "/spec/components/0/variables/7/firstOf/3/absentIf"): "only TaskManagers have as many as slots",
    ("jobflow", "/spec/components/0/variables/0/when"): "the definition asks for the name",
    ("jobflow", "/spec/components/0/variables/1/when"): "the definition asks for the name",
    ("rayclusterfleet", "/spec/components/0/embed/annotations"): "the mapping of the RayCluster reads no annotations",
    ("rayservice", "/spec/suspend/resume/0/when"): "a service of v1alpha1 never reads as suspended",
}


def test_the_shipped_cases_reach_every_rule_and_expression_of_the_shipped_mappings() -> None:
    """A mapping without cases, a rule that none reaches and an expression that none evaluates are all told here."""
    seen: list[tuple[Document, Coverage]] = []

    def observe(document: Document) -> Coverage:
        coverage = Coverage()
        seen.append((document, coverage))
        return coverage

    catalog = Catalog.builtin(observe)
    assert catalog.mappings()
    reader = reference_reader(catalog)
    for case in catalog_cases():
        assert run_case(case, reader).passed, case.id
    found = {
        (document.value["metadata"]["name"], pointer): lacks
        for document, coverage in seen
        for pointer, lacks in uncovered(coverage, document.value)
    }
    assert found.keys() == UNREACHED.keys(), found

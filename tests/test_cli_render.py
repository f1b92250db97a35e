"""The text for people: alignment, resources, the tree, pods, groups, and what is wrong or unknown."""

# The texts for people have signs that look like letters, and parts of maps are JSON.
# ruff: noqa: ANN401, RUF001

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloadmap_spec.cli.gang_text import render_gang
from workloadmap_spec.cli.quantity_text import readable
from workloadmap_spec.cli.render import render_map
from workloadmap_spec.cli.style import ASCII, PLAIN, UNICODE, Style, clean, clean_lines, style_of
from workloadmap_spec.cli.table import align, width
from workloadmap_spec.cli.words import counted, plural

COLORED = Style(color=True, glyphs=UNICODE)


def make_map(**parts: Any) -> dict[str, Any]:
    """A map of a kind that nobody has, with the parts that a test is about."""
    return {
        "apiVersion": "workloadmap.dev/v1alpha1",
        "kind": "WorkloadMap",
        "workload": {"apiVersion": "widgets.example/v1", "kind": "Widget", "name": "w", "namespace": "lab"},
        "mapping": {"name": "widget", "digest": f"sha256:{'0' * 64}"},
        "totals": {"pods": 0},
        **parts,
    }


def make_instance(name: str, **values: Any) -> dict[str, Any]:
    """A component with one instance."""
    component: dict[str, Any] = {key: values.pop(key) for key in ("role", "creates") if key in values}
    return {"name": name, **component, "instances": [{"id": values.pop("id", name), **values}]}


def tree(*components: dict[str, Any], style: Style = PLAIN, **parts: Any) -> list[str]:
    """The lines of the tree of a map with these components."""
    shown = {key: parts.pop(key) for key in ("show_pods", "pods_given") if key in parts}
    text = render_map(make_map(components=list(components), **parts), style, **shown)
    lines = text.split("\n\n", maxsplit=1)[0].splitlines()
    return [line for line in lines[1:] if not line.startswith("  ")]


# Words and tables


@pytest.mark.parametrize(
    ("noun", "count", "expected"),
    [
        pytest.param("Job", 1, "Job", id="one-thing-is-singular"),
        pytest.param("Job", 0, "Jobs", id="none-is-plural"),
        pytest.param("Job", None, "Jobs", id="an-unknown-number-is-plural"),
        pytest.param("StatefulSet", 2, "StatefulSets", id="sets"),
        pytest.param("Proxy", 2, "Proxies", id="a-consonant-and-y"),
        pytest.param("Gateway", 2, "Gateways", id="a-vowel-and-y"),
        pytest.param("Ingress", 2, "Ingresses", id="a-hissing-sound"),
    ],
)
def test_nouns_are_put_in_the_plural(noun: str, count: int | None, expected: str) -> None:
    assert plural(noun, count) == expected


def test_an_unknown_number_is_a_question_mark() -> None:
    assert counted(None, "pod") == "? pods"


def test_columns_are_below_each_other_and_lines_end_in_text() -> None:
    rows = [["a", "1", "x"], ["bcd", "200", ""], ["e"]]
    assert align(rows, right=[1]) == ["a       1   x", "bcd   200", "e"]


def test_a_column_without_text_takes_no_room() -> None:
    assert align([["a", "", "b"], ["c", "", "d"]]) == ["a   b", "c   d"]


def test_no_rows_are_no_lines() -> None:
    assert align([]) == []


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("abc", 3, id="letters"),
        pytest.param("\x1b[1;31mabc\x1b[0m", 3, id="colours-take-no-room"),
        pytest.param("日本", 4, id="wide-characters-take-two-columns"),
        pytest.param("e\u0301", 1, id="accents-take-none"),
        pytest.param("├─ ", 3, id="lines"),
    ],
)
def test_the_width_of_a_text_is_what_a_terminal_gives_it(text: str, columns: int) -> None:
    assert width(text) == columns


@given(st.lists(st.lists(st.text(alphabet="abc xyz", max_size=5), min_size=1, max_size=4), max_size=6))
def test_columns_begin_at_the_same_place_in_every_line(rows: list[list[str]]) -> None:
    """Whatever the cells: the lines are the padded cells, and none is longer than all columns together."""
    lines = align(rows, gap=2)
    widths = [
        max(len(row[index]) for row in rows if index < len(row)) for index in range(max(map(len, rows), default=0))
    ]
    for row, line in zip(rows, lines, strict=True):
        padded = [row[index] if index < len(row) else "" for index in range(len(widths))]
        cells = [cell.ljust(size) for cell, size in zip(padded, widths, strict=True) if size]
        assert line == "  ".join(cells).rstrip()


# Style


class Terminal(io.StringIO):
    """An output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("color", "environ", "expected"),
    [
        pytest.param("auto", {}, True, id="a-terminal-has-colour"),
        pytest.param("auto", {"NO_COLOR": "1"}, False, id="no-color-is-obeyed"),
        pytest.param("auto", {"NO_COLOR": ""}, True, id="an-empty-no-color-says-nothing"),
        pytest.param("auto", {"TERM": "dumb"}, False, id="a-dumb-terminal-has-none"),
        pytest.param("never", {}, False, id="never"),
        pytest.param("always", {"NO_COLOR": "1"}, True, id="always-is-asked-for-in-so-many-words"),
    ],
)
def test_when_a_terminal_has_colour(color: str, environ: dict[str, str], *, expected: bool) -> None:
    assert style_of(Terminal(), color, environ).color is expected


def test_a_file_has_no_colour_unless_asked() -> None:
    assert style_of(io.StringIO(), "auto", {}).color is False
    assert style_of(io.StringIO(), "always", {}).color is True


@pytest.mark.parametrize(
    ("encoding", "ascii_only"),
    [
        pytest.param("utf-8", False, id="utf-8-has-lines"),
        pytest.param("ascii", True, id="ascii-has-none"),
        pytest.param("latin-1", True, id="latin-1-has-none"),
        pytest.param("no-such-encoding", True, id="an-unknown-encoding-is-not-trusted"),
    ],
)
def test_lines_are_drawn_with_what_the_encoding_has(encoding: str, *, ascii_only: bool) -> None:
    class Output(io.StringIO):
        """An output in an encoding."""

    Output.encoding = encoding
    assert style_of(Output(), "never", {}).glyphs == (ASCII if ascii_only else UNICODE)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain", "plain", id="text-stays"),
        pytest.param("größe ✓", "größe ✓", id="letters-of-all-languages-stay"),
        pytest.param("a\x1b[2Jb", "a\\x1b[2Jb", id="a-terminal-gets-no-commands"),
        pytest.param("one\r\ntwo\n", "one two", id="line-breaks-are-spaces"),
        pytest.param("a\u202eb", "a\\u202eb", id="text-does-not-change-its-direction"),
        pytest.param("\ud800", "\\ud800", id="half-a-character"),
    ],
)
def test_texts_of_objects_are_harmless(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_lines_of_a_message_stay_lines() -> None:
    assert clean_lines("one\n  two\x07") == "one\n  two\\x07"


@given(st.text())
def test_no_text_of_an_object_reaches_a_terminal_with_a_control_character(text: str) -> None:
    assert clean(text).isprintable()


# Quantities


@pytest.mark.parametrize(
    ("quantity", "shown"),
    [
        pytest.param("250m", "250m", id="less-than-one-stays"),
        pytest.param("4500m", "4.5", id="thousandths-are-decimals"),
        pytest.param("116500m", "116.5", id="of-large-numbers-too"),
        pytest.param("1001m", "1.001", id="with-all-their-digits"),
        pytest.param("16", "16", id="whole-numbers-stay"),
        pytest.param("7680Gi", "7680Gi", id="four-digits-stay"),
        pytest.param("25088Mi", "24.5Gi", id="five-digits-go-up-one-unit"),
        pytest.param("680448Mi", "664.5Gi", id="six-digits-go-up-one-unit"),
        pytest.param("25089Mi", "25089Mi", id="unless-that-is-not-exact"),
        pytest.param("10240Ei", "10240Ei", id="there-is-no-larger-unit"),
        pytest.param("25000M", "25000M", id="decimal-suffixes-stay"),
        pytest.param("0", "0", id="zero"),
    ],
)
def test_quantities_are_shown_as_people_write_them(quantity: str, shown: str) -> None:
    assert readable(quantity) == shown


@given(st.integers(1, 10**7), st.sampled_from(["", "m", "Ki", "Mi", "Gi", "Ti"]))
def test_a_quantity_that_is_shown_is_the_same_amount(number: int, suffix: str) -> None:
    """Reading what is shown gives the amount that the map has."""
    factors: dict[str, Fraction | int] = {
        "": 1,
        "m": Fraction(1, 1000),
        "Ki": 2**10,
        "Mi": 2**20,
        "Gi": 2**30,
        "Ti": 2**40,
        "Pi": 2**50,
    }

    def amount(text: str) -> Fraction:
        digits = text.rstrip("KMGTPim")
        return Fraction(digits) * factors[text[len(digits) :]]

    assert amount(readable(f"{number}{suffix}")) == amount(f"{number}{suffix}")


def test_resources_are_a_table_of_requests_and_limits() -> None:
    resources = {
        "perPod": {
            "requests": {"memory": "1Gi", "cpu": "1500m", "ephemeral-storage": "5Gi", "nvidia.com/gpu": "2"},
            "limits": {"memory": "1Gi", "cpu": "500m", "nvidia.com/gpu": "2"},
            "unlimited": ["cpu"],
        },
        "total": {
            "requests": {"memory": "3Gi", "cpu": "4500m", "ephemeral-storage": "15Gi", "nvidia.com/gpu": "6"},
            "limits": {"memory": "3Gi", "cpu": "1500m", "nvidia.com/gpu": "6"},
            "unlimited": ["cpu"],
        },
    }
    text = render_map(make_map(components=[make_instance("a", pods=3, minPods=3, resources=resources)]))
    assert text.split("\n\n")[1].splitlines() == [
        "Resources   request / limit   cpu       memory      nvidia.com/gpu   ephemeral-storage",
        "  a         each pod          1.5 / -   1Gi / 1Gi   2 / 2            5Gi / -",
        "            3 pods            4.5 / -   3Gi / 3Gi   6 / 6            15Gi / -",
    ]


def test_the_total_of_several_instances_is_told_and_says_when_it_is_a_lower_bound() -> None:
    small = {"requests": {"cpu": "1"}}
    big = {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
    text = render_map(
        make_map(
            components=[
                make_instance("one", pods=1, minPods=1, resources={"perPod": small, "total": small}),
                make_instance("unknown", resources={"perPod": big}),
            ],
            totals={"pods": 1, "resources": small, "incomplete": [{"what": "replicas", "reason": "absent"}]},
        )
    )
    assert text.split("\n\n")[1].splitlines() == [
        "Resources           request / limit   cpu",
        "  one               1 pod             1 / -",
        "  unknown           each pod          2 / 2",
        "  total, at least   1 pod             1 / -",
    ]


# The head


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        pytest.param({}, ["Widget w   namespace lab   no status   0 pods"], id="an-object-that-no-server-has-seen"),
        pytest.param(
            {"status": {"phase": "Failed", "reason": "TooBad", "message": "it\nbroke"}},
            ["Widget w   namespace lab   Failed   0 pods", "  TooBad: it broke"],
            id="reason-and-message-have-a-line",
        ),
        pytest.param(
            {"status": {"phase": "Running", "message": "fine"}},
            ["Widget w   namespace lab   Running   0 pods", "  fine"],
            id="a-message-alone",
        ),
        pytest.param(
            {"status": {"phase": "Running", "stale": True, "updating": True, "deleting": True}, "suspended": True},
            ["Widget w   namespace lab   Running   suspension wanted   stale   updating   deleting   0 pods"],
            id="every-flag",
        ),
        pytest.param(
            {"status": {"phase": "Suspended", "stale": False, "updating": False}, "suspended": True},
            ["Widget w   namespace lab   Suspended   0 pods"],
            id="the-phase-says-that-it-is-suspended",
        ),
        pytest.param(
            {"suspended": True},
            ["Widget w   namespace lab   no status   suspension wanted   0 pods"],
            id="a-manifest-that-asks-for-suspension",
        ),
        pytest.param(
            {"workload": {"apiVersion": "v1", "kind": "Widget"}},
            ["Widget   no status   0 pods"],
            id="without-name-and-namespace",
        ),
        pytest.param(
            {"workload": {"apiVersion": "v1", "kind": "Widget", "name": "\x1b[31mred"}},
            ["Widget \\x1b[31mred   no status   0 pods"],
            id="a-hostile-name",
        ),
    ],
)
def test_the_head_says_what_it_is_and_in_which_state(parts: dict[str, Any], lines: list[str]) -> None:
    assert render_map(make_map(**parts)).splitlines() == lines


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        pytest.param("replicas", "at least 7 pods", id="unknown-replicas"),
        pytest.param("components", "at least 7 pods", id="a-component-that-was-left-out"),
        pytest.param("containers", "7 pods", id="a-container-changes-no-number-of-pods"),
    ],
)
def test_the_number_of_pods_is_a_lower_bound_where_counts_are_unknown(what: str, expected: str) -> None:
    totals = {"pods": 7, "incomplete": [{"what": what, "reason": "absent"}]}
    head = render_map(make_map(totals=totals)).splitlines()[0]
    assert head == f"Widget w   namespace lab   no status   {expected}"


# The tree


def test_the_pods_of_an_instance_are_the_product_of_its_counts() -> None:
    jobs = [
        {"id": "a", "replicas": 1, "podsPerReplica": 1, "pods": 1, "minPods": 1},
        {"id": "bcd", "replicas": 16, "podsPerReplica": 8, "pods": 128, "minPods": 128},
    ]
    assert tree({"name": "job", "instances": jobs}) == [
        "├─ job/a      1 × 1 =   1 pod",
        "└─ job/bcd   16 × 8 = 128 pods",
    ]


def test_nested_components_multiply_with_the_replicas_above() -> None:
    nested = make_instance(
        "group",
        replicas=3,
        components=[
            make_instance("leader", role="leader", replicas=1, pods=3, minPods=3, podTemplate={}),
            make_instance("rest", role="worker", replicas=4, pods=12, minPods=12, podTemplate={}),
        ],
    )
    assert tree(nested, make_instance("front", replicas=2, pods=2, minPods=2, podTemplate={})) == [
        "├─ group                       3 replicas",
        "│  ├─ leader          3 × 1 =  3 pods",
        "│  └─ rest (worker)   3 × 4 = 12 pods",
        "└─ front                       2 pods",
    ]


def test_lines_can_be_drawn_in_ascii() -> None:
    nested = make_instance("group", replicas=3, components=[make_instance("x", replicas=1, pods=3, podTemplate={})])
    last = make_instance("y", replicas=2, minReplicas=1, maxReplicas=4, pods=2, minPods=2)
    assert tree(nested, last, style=Style(color=False, glyphs=ASCII)) == [
        "|- group           3 replicas",
        "|  `- x    3 x 1 = 3 pods",
        "`- y               2 pods       1-4 replicas",
    ]


@pytest.mark.parametrize(
    ("values", "line"),
    [
        pytest.param({"replicas": 3, "pods": 3, "minPods": 3}, "└─ a   3 pods", id="all-must-start"),
        pytest.param({"replicas": 3, "pods": 3, "minPods": 1}, "└─ a   3 pods   min 1", id="some-must-start"),
        pytest.param({"replicas": 3, "pods": 3, "minPods": 0}, "└─ a   3 pods   min 0", id="none-must-start"),
        pytest.param({"podsPerReplica": 4}, "└─ a   ? × 4 = ? pods", id="unknown-replicas"),
        pytest.param({"replicas": 2}, "└─ a   ? pods", id="an-unknown-number"),
        pytest.param(
            {"replicas": 3, "minReplicas": 2, "maxReplicas": 9, "pods": 3},
            "└─ a   3 pods   2–9 replicas",
            id="an-autoscaler-has-a-range",
        ),
        pytest.param(
            {"replicas": 3, "minReplicas": 2, "maxReplicas": 2**31 - 1, "pods": 3},
            "└─ a   3 pods   2 or more replicas",
            id="the-largest-int32-is-no-maximum",
        ),
        pytest.param(
            {"replicas": 3, "maxReplicas": 1, "pods": 3}, "└─ a   3 pods   up to 1 replica", id="a-maximum-alone"
        ),
        pytest.param({"replicas": 3, "maxReplicas": 2**31, "pods": 3}, "└─ a   3 pods", id="no-bounds-at-all"),
        pytest.param(
            {"replicas": 2, "pods": 2, "creates": {"apiVersion": "batch/v1", "kind": "Job"}, "observed": {"ready": 1}},
            "└─ a   2 pods   1 of 2 Jobs ready",
            id="replicas-are-called-by-what-they-create",
        ),
        pytest.param(
            {"replicas": 2, "pods": 2, "creates": {"apiVersion": "v1", "kind": "Pod"}, "observed": {"ready": 0}},
            "└─ a   2 pods   0 of 2 pods ready",
            id="nothing-is-ready",
        ),
        pytest.param(
            {
                "replicas": 2,
                "podsPerReplica": 3,
                "pods": 6,
                "creates": {"apiVersion": "v1", "kind": "Pod"},
                "observed": {"ready": 1, "updated": 2},
            },
            "└─ a   2 × 3 = 6 pods   1 of 2 replicas ready, 2 updated",
            id="a-replica-of-several-pods-is-no-pod",
        ),
        pytest.param(
            {"replicas": 2, "podsPerReplica": 3, "pods": 6, "observed": {"ready": 5, "failed": 1, "unit": "pods"}},
            "└─ a   2 × 3 = 6 pods   5 of 6 pods ready, 1 failed",
            id="counters-in-pods",
        ),
        pytest.param(
            {"observed": {"ready": 1, "active": 0, "succeeded": 2}},
            "└─ a   ? pods   1 replica ready, 2 succeeded",
            id="of-an-unknown-number",
        ),
        pytest.param({"replicas": 1, "pods": 1, "observed": {"active": 0}}, "└─ a   1 pod", id="zeros-are-not-told"),
    ],
)
def test_what_is_told_of_an_instance(values: dict[str, Any], line: str) -> None:
    assert tree(make_instance("a", **values), status={"phase": "Running"}) == [line]


def test_a_finished_workload_is_not_said_to_be_unready() -> None:
    part = make_instance("a", replicas=1, pods=1, observed={"ready": 0, "succeeded": 1})
    assert tree(part, status={"phase": "Completed"}) == ["└─ a   1 pod   1 succeeded"]


def make_pod(name: str, phase: str | None = "Running", *, ready: bool = True, **values: Any) -> dict[str, Any]:
    """A pod of the component `a`."""
    replica = {"replica": values.pop("replica")} if "replica" in values else {}
    entry = {"name": name, "at": [{"component": "a", "instance": "a", **replica}], "ready": ready, **values}
    return entry | ({} if phase is None else {"phase": phase})


@pytest.mark.parametrize(
    ("pods", "text"),
    [
        pytest.param([make_pod("x"), make_pod("y"), make_pod("z")], "3 Running", id="all-run"),
        pytest.param(
            [make_pod("x"), make_pod("y", ready=False), make_pod("z", "Pending", ready=False)],
            "2 Running (1 not ready), 1 Pending",
            id="some-are-not-ready",
        ),
        pytest.param(
            [make_pod("x", "Failed", ready=False), make_pod("y", "Odd"), make_pod("z", None), make_pod("v", "Unknown")],
            "1 Failed, 1 Unknown, 1 Odd, 1 no phase",
            id="phases-have-an-order",
        ),
        pytest.param([make_pod("x", deleting=True)], "1 Running, 1 deleting, 2 not found", id="pods-that-go-and-lack"),
        pytest.param([], "no pods found", id="none"),
    ],
)
def test_pods_are_counted_by_phase(pods: list[dict[str, Any]], text: str) -> None:
    part = make_instance("a", replicas=3, pods=3, podTemplate={})
    assert tree(part, status={"phase": "Running"}, pods=pods, pods_given=True) == [f"└─ a   3 pods   {text}"]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({}, id="a-manifest"),
        pytest.param({"status": {"phase": "Suspended"}}, id="a-suspended-workload"),
        pytest.param({"status": {"phase": "Completed"}}, id="a-finished-workload"),
        pytest.param({"status": {"phase": "Running"}, "pods_given": False}, id="a-reader-without-pods"),
    ],
)
def test_pods_are_missed_only_where_they_should_be(parts: dict[str, Any]) -> None:
    assert tree(make_instance("a", replicas=3, pods=3), **{"pods_given": True, **parts}) == ["└─ a   3 pods"]


def test_pods_can_be_listed_by_replica_and_index() -> None:
    pods = [
        make_pod("x-10", replica=1, index=0, node="n2"),
        make_pod("x-2", "Pending", ready=False, replica=0, index=10),
        make_pod("x-3", ready=False, replica=0, index=2, node="n1", deleting=True),
    ]
    part = make_instance("a", replicas=2, pods=3, components=[make_instance("b", replicas=0, pods=0)])
    assert tree(part, make_instance("c", replicas=0, pods=0), pods=pods, show_pods=True) == [
        "├─ a              3 pods   2 Running (1 not ready), 1 Pending, 1 deleting",
        "│  ├─ x-3    replica 0   index 2    Running, not ready, deleting   n1",
        "│  ├─ x-2    replica 0   index 10   Pending                        no node",
        "│  ├─ x-10   replica 1   index 0    Running                        n2",
        "│  └─ b   2 × 0 = 0 pods",
        "└─ c              0 pods",
    ]


def test_pods_of_no_component_are_told_with_the_reason() -> None:
    strays = [{"name": f"p{number}", "reason": "unclaimed"} for number in range(5)]
    strays.append({"name": "q", "reason": "ambiguous"})
    document = make_map(unattributed=strays)
    assert render_map(document).split("\n\n")[1].splitlines() == [
        "Pods of no component",
        "  q                       several components claim it",
        "  p0, p1, p2 and 2 more   no component claims them",
    ]
    assert "p0, p1, p2, p3, p4 " in render_map(document, show_pods=True)


def test_what_is_incomplete_is_told_once_for_all_instances() -> None:
    incomplete = [
        {"what": "containers", "reason": "a sidecar", "component": "w", "instance": "x"},
        {"what": "containers", "reason": "a sidecar", "component": "w", "instance": "y"},
        {"what": "replicas", "reason": "absent", "component": "h", "instance": "h"},
        {"what": "components", "reason": "error", "component": "w"},
        {"what": "resources", "reason": "somebody else decides"},
    ]
    text = render_map(make_map(totals={"pods": 0, "incomplete": incomplete}))
    assert text.split("\n\n")[1].splitlines() == [
        "Incomplete",
        "  containers   w/x, w/y       a sidecar",
        "  replicas     h              the object does not say",
        "  components   w              it could not be read, as the diagnostics say",
        "  resources    the workload   somebody else decides",
    ]


def test_diagnostics_say_what_is_wrong_and_where_in_the_mapping() -> None:
    found = [
        {"severity": "error", "class": "result-type", "at": "/spec/x", "instance": "a/b", "message": "not\x1ba number"},
        {"severity": "warning", "class": "result-invalid", "at": "/spec/gang/0", "message": "no group"},
    ]
    assert render_map(make_map(diagnostics=found)).split("\n\n")[1].splitlines() == [
        "Diagnostics",
        "  error     a/b            not\\x1ba number [result-type, /spec/x of the mapping]",
        "  warning   the workload   no group [result-invalid, /spec/gang/0 of the mapping]",
    ]


# Groups


def make_group(identity: str, least: int | None, pods: int | None, **values: Any) -> dict[str, Any]:
    """A pod group over the component `a`."""
    counts = {"minMember": least, "pods": pods}
    members = values.pop("members", [{"component": "a", "instance": "a"}])
    known = {name: count for name, count in counts.items() if count is not None}
    return {"id": identity, "name": identity.split("/", maxsplit=1)[0], "members": members, **known, **values}


def gang_lines(*groups: dict[str, Any]) -> list[str]:
    """The lines of the short form."""
    return render_map(make_map(gang={"groups": list(groups)})).split("\n\n")[1].splitlines()[1:]


@pytest.mark.parametrize(
    ("groups", "line"),
    [
        pytest.param([make_group("g", 4, 4)], "  g   all 4 pods together", id="all"),
        pytest.param([make_group("g", 1, 1)], "  g   1 pod", id="one"),
        pytest.param([make_group("g", 2, 4)], "  g   at least 2 of 4 pods together", id="some"),
        pytest.param([make_group("g", None, 4)], "  g   at least ? of 4 pods together", id="an-unknown-minimum"),
        pytest.param([make_group("g", 4, None)], "  g   at least 4 of ? pods together", id="unknown-pods"),
        pytest.param(
            [make_group("g/0", 4, 4), make_group("g/1", 4, 4)], "  g × 2   4 pods each, all together", id="alike"
        ),
        pytest.param([make_group("g/0", 1, 1), make_group("g/1", 1, 1)], "  g × 2   1 pod each", id="one-each"),
        pytest.param(
            [make_group("g/0", 1, 1), make_group("g/1", 4, 4)], "  g × 2   1–4 pods each, all together", id="a-range"
        ),
        pytest.param(
            [make_group("g/0", 1, 4), make_group("g/1", 2, 4)],
            "  g × 2   at least 1–2 of 4 pods together each",
            id="a-range-of-minimums",
        ),
        pytest.param(
            [
                make_group(
                    "g", 2, 2, queue="q", priorityClass="high", topology={"required": "zone", "preferred": "rack"}
                )
            ],
            "  g   all 2 pods together   queue q, priority class high, required topology zone, preferred topology rack",
            id="where-and-how",
        ),
        pytest.param(
            [make_group("g/0", 2, 2, queue="q", priorityClass="a"), make_group("g/1", 2, 2, queue="r")],
            "  g × 2   2 pods each, all together   2 queues, priority class a",
            id="different-queues",
        ),
    ],
)
def test_groups_in_short(groups: list[dict[str, Any]], line: str) -> None:
    assert gang_lines(*groups) == [line]


def test_subgroups_are_below_and_do_not_repeat_what_is_known() -> None:
    below = [make_group("j/0", 1, 1, priorityClass="high"), make_group("j/1", 1, 1, priorityClass="high")]
    group = make_group("g", 2, 2, priorityClass="high", subgroups=below)
    assert gang_lines(group) == [
        "  g         all 2 pods together   priority class high",
        "    j × 2   1 pod each",
    ]


def test_the_table_of_groups_has_members_and_only_the_columns_that_are_used() -> None:
    members = [
        {"component": "a", "instance": "a", "pods": 2, "minPods": 2},
        {"component": "w", "instance": "x", "pods": 4, "minPods": 1},
        {"component": "w", "instance": "y", "pods": 8},
        {"component": "w", "instance": "z"},
    ]
    subgroup = {**make_group("s", 2, 2, topology={"required": "zone"}), "id": "g/s/0"}
    group = make_group("g", 3, 14, members=members, queue="q", subgroups=[subgroup])
    assert render_gang(make_map(gang={"groups": [group]})).splitlines() == [
        "Widget w   namespace lab",
        "GROUP   MIN   PODS   MEMBERS                                   QUEUE   TOPOLOGY",
        "g         3     14   a 2, w/x 1 of 4, w/y (of 8), w/z (of ?)   q       -",
        "  s/0     2      2   a (of ?)                                  -       zone (required)",
    ]


def test_a_workload_without_groups_says_so() -> None:
    assert render_gang(make_map()) == ("Widget w   namespace lab\nno pod groups: its pods may start one by one\n")


# Colour


def test_colour_changes_no_column() -> None:
    document = make_map(
        status={"phase": "Degraded", "updating": True},
        components=[
            make_instance("a", role="leader", replicas=3, pods=3, podTemplate={}, observed={"ready": 1, "failed": 1}),
            make_instance("bcd", replicas=10, pods=10, podTemplate={}),
        ],
        pods=[make_pod("x"), make_pod("y", "Pending", ready=False)],
        unattributed=[{"name": "p", "reason": "error"}],
        diagnostics=[{"severity": "info", "class": "result-type", "at": "/spec", "message": "m"}],
        gang={"groups": [make_group("g", 1, 2)]},
    )
    for show_pods in (False, True):
        colored = render_map(document, COLORED, show_pods=show_pods, pods_given=True)
        assert "\x1b[31m" in colored
        lines = [line.replace("\x1b[0m", "") for line in colored.splitlines()]
        assert [_without_color(line) for line in lines] == render_map(
            document, PLAIN, show_pods=show_pods, pods_given=True
        ).splitlines()


def _without_color(line: str) -> str:
    """A line without its escapes."""
    parts = line.split("\x1b[")
    return (parts[0] + "".join(part.partition("m")[2] for part in parts[1:])).rstrip()

"""A map for people: the tree of a workload, its resources, its pod groups, and what is wrong or unknown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from workloadmap_spec.cli.gang_text import gang_summary
from workloadmap_spec.cli.quantity_text import resource_rows
from workloadmap_spec.cli.style import PLAIN, Style, clean
from workloadmap_spec.cli.table import align
from workloadmap_spec.cli.words import counted, plural
from workloadmap_spec.map_parts import Part, label, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workloadmap_spec.cli.explain import Explainer

#: From this number on a maximum means that there is none: the largest int32, which Go's types hold.
_NO_MAXIMUM: Final = 2**31 - 1
#: Cells of an instance that are put together into one: the factors of the number of pods, the number, and its noun.
_COUNT: Final = slice(1, 4)
_NUMBERS: Final = (0, 1)
#: What has to be known for the number of pods to be exact.
_COUNTING: Final = {"components", "replicas"}
#: Phases in which pods are expected to exist.
_LIVE: Final = ("Degraded", "Initializing", "Resuming", "Running", "Suspending")
_PHASE_ORDER: Final = ("Running", "Pending", "Succeeded", "Failed", "Unknown")
_COUNTERS: Final = ("active", "updated", "succeeded", "failed")
#: How many pods of no component are named.
_SHOWN_PODS: Final = 3
_REASONS: Final = {
    "absent": "the object does not say",
    "error": "it could not be read, as the diagnostics say",
    "unclaimed": "no component claims it",
    "ambiguous": "several components claim it",
}


def render_map(
    document: Mapping[str, Any],
    style: Style = PLAIN,
    *,
    show_pods: bool = False,
    pods_given: bool = False,
    explainer: Explainer | None = None,
) -> str:
    """The text for one map.

    Args:
        document: the map.
        style: how the output is written.
        show_pods: list the pods of every instance below it.
        pods_given: whether the reader was given the workload's pods, so that those that are missing can be told.
        explainer: adds where every value comes from.

    """
    roots = parts_of(document)
    parts = [part for root in roots for part in root.all()]
    live = document.get("status", {}).get("phase") in _LIVE
    tree = _Tree(style, show_pods=show_pods, live=live, expects_pods=live and pods_given)
    sections = {
        "Gang": gang_summary(document.get("gang", {}).get("groups", ()), style),
        "Pods of no component": _strays(document, style, show_all=show_pods),
        "Incomplete": _incomplete(document["totals"].get("incomplete", ())),
        "Sources": [] if explainer is None else explainer.rows(parts),
        "Diagnostics": _diagnostics(document, style),
    }
    lines = [*_header(document, style), *tree.lines(roots)]
    resources = align(resource_rows(parts, document["totals"], style))
    if resources:
        lines += ["", *resources]
    for title, rows in sections.items():
        if rows:
            lines += ["", style.paint(title, "bold"), *align(rows)]
    return "\n".join(lines) + "\n"


# The head


def _header(document: Mapping[str, Any], style: Style) -> Iterator[str]:
    """What the workload is and the state it is in."""
    workload, totals = document["workload"], document["totals"]
    status: Mapping[str, Any] = document.get("status", {})
    name = clean(workload["kind"])
    if workload.get("name"):
        name += f" {clean(workload['name'])}"
    missing = {entry["what"] for entry in totals.get("incomplete", ())}
    least = "at least " if missing & _COUNTING else ""
    cells = [
        style.paint(name, "bold"),
        f"namespace {clean(workload['namespace'])}" if workload.get("namespace") else "",
        style.phase(status["phase"]) if status else style.paint("no status", "dim"),
        *(style.paint(flag, "yellow") for flag in _flags(document, status)),
        f"{least}{counted(totals['pods'], 'pod')}",
    ]
    yield "   ".join(cell for cell in cells if cell)
    said = ": ".join(clean(status[part]) for part in ("reason", "message") if part in status)
    if said:
        yield f"  {said}"


def _flags(document: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[str]:
    """What else is to be known about the state."""
    if document.get("suspended") and status.get("phase") not in ("Suspended", "Suspending"):
        yield "suspension wanted"
    if status.get("stale"):
        yield "stale"
    if status.get("updating"):
        yield "updating"
    if status.get("deleting"):
        yield "deleting"


# The tree


class _Tree:
    """Draws the tree: rows of instances in columns of their own, and rows of pods in theirs."""

    def __init__(self, style: Style, *, show_pods: bool, live: bool, expects_pods: bool) -> None:
        """Keep what to show."""
        self.style = style
        self.show_pods = show_pods
        self.live = live
        self.expects_pods = expects_pods
        self.rows: list[tuple[bool, list[str]]] = []

    def lines(self, roots: Sequence[Part]) -> list[str]:
        """The lines of the whole tree."""
        self.children(roots, (), "")
        rows = [row for is_pod, row in self.rows if not is_pod]
        counts = align([row[_COUNT] for row in rows], right=_NUMBERS, gap=1)
        instances = iter(align([[row[0], count, *row[_COUNT.stop :]] for row, count in zip(rows, counts, strict=True)]))
        pods = iter(align([row for is_pod, row in self.rows if is_pod]))
        return [next(pods if is_pod else instances) for is_pod, _ in self.rows]

    def children(self, parts: Sequence[Part], pods: Sequence[Mapping[str, Any]], prefix: str) -> None:
        """Add the rows of pods and parts that hang below one line."""
        glyphs = self.style.glyphs
        count = len(parts) + len(pods)
        leads = [self.style.paint(prefix + glyphs.branch, "dim")] * (count - 1)
        leads.append(self.style.paint(prefix + glyphs.last, "dim"))
        for lead, pod in zip(leads, pods, strict=False):
            self.rows.append((True, self.pod(pod, lead)))
        for index, (lead, part) in enumerate(zip(leads[len(pods) :], parts, strict=False), 1):
            self.rows.append((False, self.instance(part, lead)))
            shown = sorted(part.pods, key=_pod_order) if self.show_pods else ()
            self.children(part.parts, shown, prefix + (glyphs.pipe if index < len(parts) else glyphs.space))

    def instance(self, part: Part, lead: str) -> list[str]:
        """The cells of an instance."""
        role = part.component.get("role")
        name = lead + clean(part.label)
        if role is not None and role != part.component["name"]:
            name += self.style.paint(f" ({clean(role)})", "dim")
        return [name, *self.pods_cells(part), self.least(part), self.range(part), self.observed(part), self.found(part)]

    def pods_cells(self, part: Part) -> list[str]:
        """The factors of the number of pods, the number, and its noun; of a grouping component the replicas."""
        instance = part.instance
        number = instance.get("replicas" if part.is_grouping else "pods")
        cells = ["?" if number is None else str(number), plural("replica" if part.is_grouping else "pod", number)]
        factors = [step.instance.get("replicas") for step in (*part.above, part)]
        if "podsPerReplica" in instance:
            factors.append(instance["podsPerReplica"])
        if part.is_grouping or len(factors) == 1:
            return ["", *cells]
        times = f" {self.style.glyphs.times} "
        return [times.join("?" if factor is None else str(factor) for factor in factors) + " =", *cells]

    def least(self, part: Part) -> str:
        """How many pods must start together, where it is not all of them."""
        least = part.instance.get("minPods")
        return "" if least is None or least == part.instance.get("pods") else f"min {least}"

    def range(self, part: Part) -> str:
        """Between what an autoscaler may move the replicas."""
        least, most = part.instance.get("minReplicas"), part.instance.get("maxReplicas")
        if least is None and most is None:
            return ""
        if most is None or most >= _NO_MAXIMUM:
            return "" if least is None else f"{least} or more replicas"
        if least is None:
            return f"up to {counted(most, 'replica')}"
        return f"{least}{self.style.glyphs.range}{most} replicas"

    def observed(self, part: Part) -> str:
        """What the workload's own status counts."""
        observed = part.instance.get("observed")
        if not observed:
            return ""
        wanted = part.instance.get("replicas")
        noun = clean(part.component.get("creates", {}).get("kind", "replica"))
        if observed.get("unit") == "pods" or (noun == "Pod" and "podsPerReplica" not in part.instance):
            per_replica = part.instance.get("podsPerReplica", 1)
            wanted = None if wanted is None else wanted * per_replica
            noun = "pod"
        elif noun == "Pod" or part.is_grouping:
            noun = "replica"
        texts = []
        if observed.get("ready") or (self.live and "ready" in observed):
            ready = observed["ready"]
            count = f"{ready} {plural(noun, ready)}" if wanted is None else f"{ready} of {counted(wanted, noun)}"
            texts.append(self.style.phase("Running" if ready == wanted else "Pending", f"{count} ready"))
        for name in _COUNTERS:
            if observed.get(name):
                text = f"{observed[name]} {name}"
                texts.append(self.style.phase("Failed", text) if name == "failed" else text)
        return ", ".join(texts)

    def found(self, part: Part) -> str:
        """The pods in the input, by phase."""
        expected = 0 if part.is_grouping or not self.expects_pods else part.instance.get("pods", 0)
        if not part.pods:
            return self.style.paint("no pods found", "dim") if expected else ""
        phases = Counter(clean(pod.get("phase", "no phase")) for pod in part.pods)
        ranks = {phase: rank for rank, phase in enumerate(_PHASE_ORDER)}
        texts = []
        for phase in sorted(phases, key=lambda phase: (ranks.get(phase, len(ranks)), phase)):
            text = f"{phases[phase]} {phase}"
            unready = sum(pod.get("phase") == phase == "Running" and not pod["ready"] for pod in part.pods)
            if unready:
                text += f" ({unready} not ready)"
            texts.append(self.style.phase("Pending" if unready else phase, text))
        deleting = sum("deleting" in pod for pod in part.pods)
        if deleting:
            texts.append(f"{deleting} deleting")
        missing = expected - len(part.pods)
        if missing > 0:
            texts.append(self.style.paint(f"{missing} not found", "dim"))
        return ", ".join(texts)

    def pod(self, pod: Mapping[str, Any], lead: str) -> list[str]:
        """The cells of a pod."""
        phase = clean(pod.get("phase", "no phase"))
        state = phase + (", not ready" if phase == "Running" and not pod["ready"] else "")
        if "deleting" in pod:
            state += ", deleting"
        replica = ".".join(str(step["replica"]) for step in pod["at"] if "replica" in step)
        return [
            lead + clean(pod["name"]),
            f"replica {replica}" if replica else "",
            f"index {pod['index']}" if "index" in pod else "",
            self.style.phase("Pending" if state.startswith("Running,") else phase, state),
            clean(pod["node"]) if "node" in pod else self.style.paint("no node", "dim"),
        ]


def _pod_order(pod: Mapping[str, Any]) -> tuple[list[int], int, str]:
    """Pods by replica and index, then by name."""
    return [step.get("replica", -1) for step in pod["at"]], pod.get("index", -1), pod["name"]


# What is wrong or unknown


def _strays(document: Mapping[str, Any], style: Style, *, show_all: bool) -> list[list[str]]:
    """Pods that the workload selects and that belong to no one component, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for pod in document.get("unattributed", ()):
        by_reason.setdefault(pod["reason"], []).append(clean(pod["name"]))
    rows = []
    for reason, names in sorted(by_reason.items()):
        shown = names if show_all else names[:_SHOWN_PODS]
        more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
        text = _REASONS[reason]
        if len(names) > 1:
            text = text.replace("claims it", "claims them").replace("claim it", "claim them").replace("it ", "they ")
        rows.append([style.paint(f"  {', '.join(shown)}{more}", "yellow"), text])
    return rows


def _incomplete(entries: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """What the totals lack; entries that say the same of several instances are put together."""
    together: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        places = together.setdefault((entry["what"], entry["reason"]), [])
        if "component" in entry:
            places.append(clean(label(entry["component"], entry.get("instance", entry["component"]))))
    return [
        [f"  {what}", ", ".join(dict.fromkeys(places)) or "the workload", clean(_REASONS.get(reason, reason))]
        for (what, reason), places in together.items()
    ]


def _diagnostics(document: Mapping[str, Any], style: Style) -> list[list[str]]:
    """What went wrong with single values."""
    colors = {"error": "red", "warning": "yellow"}
    return [
        [
            f"  {style.paint(entry['severity'], colors.get(entry['severity'], 'cyan'))}",
            clean(entry.get("instance", "the workload")),
            f"{clean(entry['message'])} [{entry['class']}, {clean(entry['at'])} of the mapping]",
        ]
        for entry in document.get("diagnostics", ())
    ]

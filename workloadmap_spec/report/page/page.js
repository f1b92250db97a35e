"use strict";

// The page of a report. Everything that comes from the report is put on the screen as text (textContent), never as
// markup. What is not known is shown as "?", and what is a lower bound with "≥"; neither is ever shown as a number.
(() => {
    const THEMES = ["system", "light", "dark"];
    const ROWS_ON_A_PAGE = 100;
    // A workload with more parts than this begins folded.
    const OPEN_PARTS = 12;
    // Limits of the picture: what is beyond them is told in words.
    const MAX_SQUARES = 5000;
    const MAX_OUTSIDE = 500;
    const MAX_SQUARES_WITH_NAMES = 600;
    const MAX_BOXES = 60;
    const MAX_CLUSTERS = 64;
    // What the names of accelerators have in them, as `devices.py` has it too.
    const ACCELERATORS = ["gpu", "/mig-", "tpu", "neuron", "gaudi", "npu", "ascend", "/xpu"];
    const SVG = "http://www.w3.org/2000/svg";

    // Phases from what needs a person to what needs nobody, each with its shape on a field of 16 by 16.
    const PHASES = {
        Failed: "M3 1 1 3l5 5-5 5 2 2 5-5 5 5 2-2-5-5 5-5-2-2-5 5z",
        Degraded: "M8 1 15.5 15H.5zM7 6v4h2V6zM7 11.5v2h2v-2z",
        Unknown: "M8 0l8 8-8 8-8-8zM8 3 3 8l5 5 5-5z",
        Suspending: "M2 1h5v14H2zM4 3v10h1V3zM9 1h5v14H9zM11 3v10h1V3z",
        Resuming: "M2 0 15 8 2 16zM4 4v8l6.5-4z",
        Initializing: "M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zM8 2a6 6 0 0 1 6 6H8z M8 2a6 6 0 0 0-6 6h6z",
        Running: "M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0z",
        Suspended: "M2 1h4v14H2zM10 1h4v14h-4z",
        Completed: "M6 14 0 8l2.2-2.2L6 9.6 13.8 1.8 16 4z",
        NoStatus: "M1 1h14v14H1zM3 3v10h10V3z",
    };
    const PHASE_WORDS = { NoStatus: "No status" };
    const STATES = {
        ready: "running, ready",
        notReady: "running, not ready",
        pending: "pending",
        succeeded: "succeeded",
        failed: "failed",
        deleting: "being deleted",
        unknown: "state not known",
        wanted: "wanted, not found",
    };
    const INCOMPLETE = {
        replicas: "how many replicas",
        podTemplate: "the pod template",
        containers: "the containers",
        resources: "the resources",
        components: "the components",
    };
    const REASONS = {
        absent: "the object does not say",
        error: "it could not be read; see the diagnostics",
        "missing-reference": "an object that it refers to was not given",
        "no-mapping": "no mapping fits the workload inside",
        unclaimed: "no component claims it",
        ambiguous: "several components claim it",
    };

    // The theme is set before anything is drawn, so that nothing flashes.

    function keptTheme() {
        try {
            const kept = localStorage.getItem("workloadmap-theme");
            return THEMES.includes(kept) ? kept : "system";
        } catch {
            return "system"; // storage can be forbidden
        }
    }

    function setTheme(theme) {
        if (theme === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = theme;
        try {
            localStorage.setItem("workloadmap-theme", theme);
        } catch {
            // It holds until the page is left.
        }
    }

    document.documentElement.classList.add("js");
    setTheme(keptTheme());
    document.addEventListener("DOMContentLoaded", start);

    // Elements

    /** An element with attributes; children are elements or texts. `on` holds listeners. */
    function h(tag, attributes, ...children) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes ?? {})) {
            if (value === undefined || value === false) continue;
            if (name === "on")
                for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
            else if (name === "depth") made.style.setProperty("--depth", value);
            else made.setAttribute(name, value === true ? "" : value);
        }
        made.append(
            ...children
                .flat(Infinity)
                .filter((child) => child !== undefined && child !== null && child !== false && child !== ""),
        );
        return made;
    }

    function s(tag, attributes, ...children) {
        const made = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...children);
        return made;
    }

    const byId = (id) => document.getElementById(id);
    const hidden = (text) => h("span", { class: "hidden" }, text);
    /** Text from the report, whose direction does not turn what stands beside it. */
    const bdi = (...texts) => h("bdi", {}, texts);
    /** A name in CamelCase, which may break between its words. */
    const camel = (text) =>
        bdi(text.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word, place) => (place ? [h("wbr"), word] : [word])));
    /** The name of a device, which may break behind its domain. */
    const resource = (name) =>
        h(
            "bdi",
            { class: "resource" },
            name.split(/(?<=\/)/).flatMap((part, place) => (place ? [h("wbr"), part] : [part])),
        );
    const unknown = () =>
        h("span", { class: "unknown", title: "unknown" }, h("span", { "aria-hidden": "true" }, "?"), hidden("unknown"));
    const nothing = (text = "none") =>
        h("span", { class: "none" }, h("span", { "aria-hidden": "true" }, "–"), hidden(text));
    const bound = () =>
        h(
            "span",
            { class: "bound", title: "at least: not everything is known" },
            h("span", { "aria-hidden": "true" }, "≥\u00a0"),
            hidden("at least "),
        );
    const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

    // Numbers

    const format = new Intl.NumberFormat("en-US", { maximumFractionDigits: 20 });
    const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
    const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    const number = (value) => format.format(value);
    const numberOr = (value) => (value === undefined ? unknown() : number(value));

    const SUFFIXES = {
        n: 1e-9,
        u: 1e-6,
        m: 1e-3,
        "": 1,
        k: 1e3,
        M: 1e6,
        G: 1e9,
        T: 1e12,
        P: 1e15,
        E: 1e18,
        Ki: 2 ** 10,
        Mi: 2 ** 20,
        Gi: 2 ** 30,
        Ti: 2 ** 40,
        Pi: 2 ** 50,
        Ei: 2 ** 60,
    };

    /** A Kubernetes quantity as a number, near enough to sort by and to show in few digits. */
    function quantity(text) {
        const found = /^([+-]?[0-9.]+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$/.exec(text);
        if (!found) return NaN;
        return Number(found[1]) * (found[3] === undefined ? SUFFIXES[found[2] ?? ""] : 10 ** Number(found[3]));
    }

    const isDevice = (name) => name.includes("/");
    const isAccelerator = (name) => isDevice(name) && ACCELERATORS.some((part) => name.toLowerCase().includes(part));
    const isBytes = (name) => name === "memory" || name.endsWith("storage") || name.startsWith("hugepages-");

    /** A quantity in few digits: 7.516 TiB. The exact one is its title. */
    function readable(name, text) {
        let value = quantity(text);
        if (!Number.isFinite(value)) return text;
        if (!isBytes(name)) return short.format(value);
        const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let unit = 0;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit += 1;
        }
        return `${short.format(value)} ${units[unit]}`;
    }

    function money(text) {
        const value = Number(text);
        return value !== 0 && value < 0.005 ? String(Number(value.toPrecision(3))) : cents.format(value);
    }

    /** A duration in at most two units, as kubectl writes it. */
    function duration(seconds) {
        const steps = [
            [120, 1, "s", 0, "", 0],
            [10800, 60, "m", 1, "s", 600],
            [172800, 3600, "h", 60, "m", 28800],
            [63072000, 86400, "d", 3600, "h", 691200],
            [Infinity, 31536000, "y", 86400, "d", 252288000],
        ];
        const [, size, unit, small, smallUnit, limit] = steps.find((step) => seconds < step[0]);
        const part = small && seconds < limit ? Math.floor((seconds % size) / small) : 0;
        return `${Math.floor(seconds / size)}${unit}${part ? `${part}${smallUnit}` : ""}`;
    }

    const moment = (text) => text.replace("T", " ").replace(/(\.[0-9]+)?Z$/, " UTC");

    /** Names of resources: cpu and memory, then devices, then all others. */
    function inOrder(names) {
        const rank = (name) => (name === "cpu" ? 0 : name === "memory" ? 1 : name.includes("/") ? 2 : 3);
        return [...new Set(names)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    }

    // Shapes

    function phaseShape(phase) {
        return s(
            "svg",
            { class: `shape p-${phase}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
            s("path", { d: PHASES[phase] ?? PHASES.Unknown, fill: "currentColor", "fill-rule": "evenodd" }),
        );
    }

    const phaseWord = (phase) => PHASE_WORDS[phase] ?? phase;

    /** The outline of a pod's square: every state has a shape of its own, so that colour is not needed. */
    function stateOutline(state, x, y, a) {
        const rect = (left, top, width, height) => `M${left} ${top}h${width}v${height}h${-width}z`;
        const edge = Math.max(1, Math.round(a / 7));
        const frame = rect(x, y, a, a) + rect(x + edge, y + edge, a - 2 * edge, a - 2 * edge);
        switch (state) {
            case "ready":
                return rect(x, y, a, a);
            case "notReady":
                return `${frame}M${x + edge} ${y + a - edge}V${y + edge}L${x + a - edge} ${y + a - edge}z`;
            case "pending":
                return frame;
            case "succeeded":
                return `M${x} ${y + a / 2}a${a / 2} ${a / 2} 0 1 0 ${a} 0a${a / 2} ${a / 2} 0 1 0 ${-a} 0z`;
            case "failed": {
                const c = a / 3.2;
                const m = a / 2;
                return `M${x} ${y}h${c}L${x + m} ${y + m - c / 1.6}L${x + a - c} ${y}h${c}L${x + m + c / 1.4} ${y + m}L${x + a} ${y + a}h${-c}L${x + m} ${y + m + c / 1.6}L${x + c} ${y + a}h${-c}L${x + m - c / 1.4} ${y + m}z`;
            }
            case "deleting":
                return frame + rect(x + 2 * edge, y + (a - edge) / 2, a - 4 * edge, edge);
            case "wanted": {
                const dot = Math.max(1.5, a / 4);
                return [x, x + a - dot]
                    .map((left) => rect(left, y, dot, dot) + rect(left, y + a - dot, dot, dot))
                    .join("");
            }
            default:
                return `M${x + a / 2} ${y}l${a / 2} ${a / 2}l${-a / 2} ${a / 2}l${-a / 2} ${-a / 2}z`;
        }
    }

    function stateShape(state) {
        return s(
            "svg",
            { class: `shape s-${state}`, viewBox: "0 0 14 14", "aria-hidden": "true" },
            s("path", { d: stateOutline(state, 0, 0, 14), fill: "currentColor", "fill-rule": "evenodd" }),
        );
    }

    function podState(pod) {
        if (pod.phase === "Succeeded") return "succeeded";
        if (pod.phase === "Failed") return "failed";
        if (pod.deleting) return "deleting";
        if (pod.phase === "Pending") return "pending";
        if (pod.phase === "Running") return pod.ready ? "ready" : "notReady";
        return "unknown";
    }

    // The report

    let report;
    let works; // one for each entry of `workloads`, in its order
    let overview;
    let position = { scroll: 0, place: -1 };
    let lastOverview = "";

    /** An entry with what the table sorts and filters by. */
    function work(entry, place) {
        const { workload, status, pods, incomplete = [], cost } = entry;
        const requests = entry.resources?.requests ?? {};
        const accelerators = Object.keys(requests).filter(isAccelerator).sort();
        const components = new Set((entry.instances ?? []).flatMap(({ path }) => path.map((step) => step.component)));
        return {
            place,
            entry,
            kind: workload.kind,
            namespace: workload.namespace ?? "",
            name: workload.name ?? "",
            phase: status?.phase ?? "NoStatus",
            reason: status?.reason ?? "",
            isBound: incomplete.some(({ what }) => what === "replicas" || what === "components"),
            isIncomplete: incomplete.length > 0,
            accelerators,
            requests,
            devices: accelerators.reduce((sum, name) => sum + quantity(requests[name]), 0),
            desired: pods.desired,
            minimum: pods.minimum,
            cost: cost && Number(cost.perHour),
            age:
                workload.created && report.time
                    ? Math.max(0, (Date.parse(report.time) - Date.parse(workload.created)) / 1000)
                    : undefined,
            words: [
                workload.kind,
                workload.apiVersion,
                workload.namespace,
                workload.name,
                status?.phase,
                status?.reason,
                entry.owner?.name,
                ...components,
            ]
                .join("\n")
                .toLowerCase(),
            parts: [],
            parent: undefined,
        };
    }

    /** Puts each part under its parent. What would be in a circle, or under nothing, stands on its own. */
    function nest() {
        for (const each of works) {
            let above = works[each.entry.parent];
            const parent = above;
            const seen = new Set([each]);
            while (above && !seen.has(above)) {
                seen.add(above);
                above = works[above.entry.parent];
            }
            if (parent && !above) {
                each.parent = parent;
                parent.parts.push(each);
            }
        }
    }

    const nameOf = (each) => (each.name ? bdi(each.name) : h("span", { class: "soft" }, "(no name)"));

    function link(each) {
        return h("a", { href: `#w/${each.place}` }, nameOf(each));
    }

    function phaseNode(phase) {
        return h("span", { class: "nowrap" }, phaseShape(phase), phaseWord(phase));
    }

    function ageNode(each) {
        if (each.age === undefined) return unknown();
        return h(
            "time",
            { datetime: each.entry.workload.created, title: moment(each.entry.workload.created) },
            duration(each.age),
        );
    }

    function costNode(cost) {
        if (!cost) return unknown();
        return h("span", { title: cost.perHour }, cost.unknown && bound(), money(cost.perHour));
    }

    function podsNode(each) {
        const { ready, desired } = each.entry.pods;
        const nodes = [
            h(
                "span",
                {},
                ready === undefined ? unknown() : number(ready),
                h("span", { "aria-hidden": "true" }, "\u2009/\u2009"),
                hidden(" ready of "),
                desired !== undefined && each.isBound ? bound() : "",
                numberOr(desired),
            ),
        ];
        if (ready !== undefined && desired) nodes.push(meter(ready / desired));
        return nodes;
    }

    function meter(share) {
        const fill = h("span");
        fill.style.width = `${Math.min(100, share * 100)}%`;
        return h("span", { class: share < 1 ? "meter part" : "meter", "aria-hidden": "true" }, fill);
    }

    function acceleratorsNode(each) {
        if (!each.accelerators.length) return each.isIncomplete ? unknown() : nothing();
        return each.accelerators.map((name) =>
            h(
                "div",
                {},
                each.isIncomplete && bound(),
                h("b", { title: each.requests[name] }, readable(name, each.requests[name])),
                " ",
                resource(name),
            ),
        );
    }

    // The overview

    function card(title, ...children) {
        return h("section", { class: "card" }, h("h3", {}, title), children);
    }

    function bar(parts) {
        if (!parts.length) return "";
        return h(
            "div",
            { class: "bar", "aria-hidden": "true" },
            parts
                .filter(([count]) => count > 0)
                .map(([count, style]) => {
                    const part = h("span", { class: style });
                    part.style.flexGrow = count;
                    return part;
                }),
        );
    }

    function cards() {
        const { totals } = report;
        const made = [];
        const phases = Object.entries(totals.phases ?? {}).sort(
            (a, b) => Object.keys(PHASES).indexOf(a[0]) - Object.keys(PHASES).indexOf(b[0]),
        );
        const parts = works.length - totals.workloads;
        const first = card(
            "Workloads",
            h(
                "p",
                { class: "broadline" },
                h("span", { class: "big" }, number(totals.workloads)),
                parts > 0
                    ? h("span", { class: "soft" }, `and ${counted(parts, "part")} of them, which the sums leave out`)
                    : "",
            ),
            bar(phases.map(([phase, count]) => [count, `p-${phase}`])),
            h(
                "div",
                { class: "chips", role: "group", "aria-label": "Show one phase" },
                phases.map(([phase, count]) =>
                    h(
                        "button",
                        {
                            type: "button",
                            class: "chip",
                            "aria-pressed": "false",
                            "data-phase": phase,
                            on: { click: () => overview.choosePhase(phase) },
                        },
                        phaseShape(phase),
                        h("b", {}, number(count)),
                        phaseWord(phase),
                    ),
                ),
            ),
        );
        first.classList.add("broad");
        made.push(first);
        made.push(podsCard(totals));
        made.push(resourcesCard(totals));
        if (totals.cost) made.push(costCard(totals.cost));
        made.push(unknownCard(totals));
        return made;
    }

    /** What is requested: the devices first, which are what is scarce. */
    function resourcesCard(totals) {
        const { requests = {}, limits = {}, unlimited = [] } = totals.resources ?? {};
        const least = totals.incomplete ? bound : () => "";
        const names = inOrder([...Object.keys(requests), ...Object.keys(limits)]);
        const size = (name) => quantity(requests[name] ?? "0");
        const devices = names.filter(isDevice).sort((a, b) => isAccelerator(b) - isAccelerator(a) || size(b) - size(a));
        const ordered = [...devices, ...names.filter((name) => !isDevice(name))];
        const limit = (name) => {
            if (isDevice(name) || limits[name] === undefined) return "";
            return unlimited.includes(name)
                ? h("small", {}, "not all of it limited")
                : h("small", { title: limits[name] }, "limit ", least(), readable(name, limits[name]));
        };
        return card(
            "Resources requested",
            ordered.length
                ? h(
                      "ul",
                      { class: "figures" },
                      ordered.map((name) =>
                          h(
                              "li",
                              {},
                              requests[name] === undefined
                                  ? h("b", {}, nothing())
                                  : h("b", { title: requests[name] }, least(), readable(name, requests[name])),
                              " ",
                              h("span", {}, bdi(name), " ", limit(name)),
                          ),
                      ),
                  )
                : h("p", { class: "big" }, totals.incomplete ? unknown() : nothing()),
        );
    }

    function podsCard(totals) {
        const pods = totals.pods ?? {};
        const states = Object.entries(pods.phases ?? {});
        const style = { Running: "s-ready", Pending: "s-pending", Succeeded: "s-succeeded", Failed: "s-failed" };
        const lines = [
            ["Must start together", numberOr(pods.minimum)],
            ...(pods.found === undefined ? [] : [["Found", number(pods.found)]]),
            ...states.map(([phase, count]) => [phase === "NoPhase" ? "Without a phase" : bdi(phase), number(count)]),
            ...(pods.deleting ? [["Being deleted", number(pods.deleting)]] : []),
        ];
        return card(
            "Pods ready, of those that are wanted",
            h(
                "p",
                { class: "big" },
                numberOr(pods.ready),
                h("small", {}, " of "),
                pods.desired === undefined ? unknown() : [totals.incomplete ? bound() : "", number(pods.desired)],
            ),
            states.length ? bar(states.map(([phase, count]) => [count, style[phase] ?? "s-unknown"])) : "",
            pairs(lines),
            pods.found === undefined ? h("p", { class: "soft" }, "No pods were given.") : "",
            restNote(),
        );
    }

    // What is wanted sums only what is awake; the rows show what each would have.
    function restNote() {
        const resting = ["Completed", "Failed", "Suspended"].filter((phase) => report.totals.phases?.[phase]);
        return resting.length
            ? h("p", { class: "soft" }, `Nothing is wanted of what is ${resting.join(", ").replace(/, ([^,]*)$/, " or $1")}.`)
            : "";
    }

    function costCard(cost) {
        const shown = Object.entries(cost.resources ?? {}).sort((a, b) => Number(b[1]) - Number(a[1]));
        return card(
            "Cost per hour",
            h(
                "p",
                { class: "big", title: cost.perHour },
                cost.unknown && bound(),
                money(cost.perHour),
                " ",
                h("small", {}, bdi(report.currency ?? "")),
            ),
            h(
                "p",
                { class: "soft" },
                cost.basis === "pods" ? "Of the pods that hold a node" : "Of the pods that are wanted",
            ),
            pairs(shown.map(([name, amount]) => [bdi(name), h("span", { title: amount }, money(amount))])),
            cost.unknown
                ? h(
                      "details",
                      {},
                      h("summary", {}, `${counted(cost.unknown.length, "thing")} without a price`),
                      h(
                          "ul",
                          {},
                          cost.unknown.map(({ what, reason }) => h("li", {}, bdi(what), ": ", bdi(reason))),
                      ),
                  )
                : "",
        );
    }

    function unknownCard(totals) {
        const withDiagnostics = works.filter(({ entry }) =>
            entry.diagnostics?.some(({ severity }) => severity !== "info"),
        ).length;
        const noReady = works.filter(({ entry, parent }) => !parent && entry.pods.ready === undefined).length;
        const lines = [
            ["Totals that are a lower bound", number(totals.incomplete ?? 0)],
            ["Workloads without a number of ready pods", number(noReady)],
            ["Workloads with errors or warnings", number(withDiagnostics)],
            [
                "Objects that were not read",
                report.unread
                    ? h(
                          "a",
                          { href: "#unread", on: { click: (event) => jump(event, byId("unread-title")) } },
                          number(report.unread.length),
                      )
                    : "0",
            ],
        ];
        return card("What is not known", pairs(lines));
    }

    function jump(event, target) {
        event.preventDefault();
        target.focus();
        target.scrollIntoView({ block: "start" });
    }

    const pairs = (entries) =>
        h(
            "dl",
            { class: "pairs" },
            entries.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]),
        );

    /** The columns of the overview. Texts begin with the first letter, numbers with the largest. */
    function columnsOfOverview() {
        const severity = Object.keys(PHASES);
        const columns = [
            {
                key: "kind",
                title: "Kind",
                style: "c-kind",
                cell: (each) => camel(each.kind),
                text: (each) => each.kind,
            },
            {
                key: "namespace",
                title: "Namespace",
                style: "c-ns",
                cell: (each) => (each.namespace ? bdi(each.namespace) : nothing()),
                text: (each) => each.namespace,
            },
            { key: "name", title: "Name", style: "c-name", text: (each) => each.name },
            {
                key: "phase",
                title: "Phase",
                style: "c-phase",
                cell: (each) => [phaseNode(each.phase), flags(each.entry)],
                value: (each) => -severity.indexOf(each.phase),
            },
            {
                key: "reason",
                title: "Reason",
                style: "c-reason",
                cell: (each) => (each.reason ? camel(each.reason) : nothing()),
                text: (each) => each.reason,
            },
            {
                key: "pods",
                title: "Ready / wanted pods",
                style: "c-pods number",
                cell: podsNode,
                value: (each) => each.desired,
            },
            {
                key: "minimum",
                title: "Minimum",
                style: "c-minimum number",
                cell: (each) => numberOr(each.minimum),
                value: (each) => each.minimum,
            },
            {
                key: "accelerators",
                title: "Accelerators",
                style: "c-accelerators number",
                cell: acceleratorsNode,
                value: (each) => (each.accelerators.length || !each.isIncomplete ? each.devices : undefined),
            },
            {
                key: "cost",
                title: report.currency ? `${report.currency} per hour` : "Cost per hour",
                style: "c-cost number",
                cell: (each) => costNode(each.entry.cost),
                value: (each) => each.cost,
            },
            { key: "age", title: "Age", style: "c-age number", cell: ageNode, value: (each) => each.age },
        ];
        return columns.filter(({ key }) => key !== "cost" || works.some(({ cost }) => cost !== undefined));
    }

    function flags(entry) {
        const shown = [];
        if (entry.status?.deleting) shown.push("deleting");
        if (entry.status?.updating) shown.push("updating");
        if (entry.status?.stale) shown.push("stale");
        return shown.length
            ? h(
                  "div",
                  { class: "flags" },
                  shown.map((text) => h("span", { class: "flag" }, text)),
              )
            : "";
    }

    const collator = new Intl.Collator("en", { numeric: true });

    /** The order of a column: what is not known comes last either way, equals stay in the order of the report. */
    function comparison(column, isDown) {
        const sign = isDown ? -1 : 1;
        if (column.text) {
            return (a, b) => {
                const [left, right] = [column.text(a), column.text(b)];
                if (!left || !right) return (left ? 0 : 1) - (right ? 0 : 1);
                return sign * collator.compare(left, right);
            };
        }
        return (a, b) => {
            const [left, right] = [column.value(a), column.value(b)];
            if (left === undefined || right === undefined)
                return (left === undefined ? 1 : 0) - (right === undefined ? 1 : 0);
            return sign * (left - right);
        };
    }

    /** The head of a table whose columns can be sorted by a button. */
    function head(columns, onSort) {
        const cells = columns.map((column) =>
            h(
                "th",
                { scope: "col", role: "columnheader", class: column.style ?? "" },
                column.text || column.value
                    ? h("button", { type: "button", class: "sort", on: { click: () => onSort(column) } }, column.title)
                    : column.title,
            ),
        );
        const mark = (key, isDown) =>
            columns.forEach((column, place) => {
                if (column.key === key) cells[place].setAttribute("aria-sort", isDown ? "descending" : "ascending");
                else cells[place].removeAttribute("aria-sort");
            });
        return { row: h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, cells)), mark };
    }

    /** What a click on a column makes of an order: its first direction, the other one, the order of the report. */
    function turned(column, sort, isDown) {
        const first = Boolean(column.value);
        if (sort !== column.key) return [column.key, first];
        return isDown === first ? [sort, !first] : ["", false];
    }

    /** Buttons for the pages of a table. They stay focusable at the ends, where they do nothing. */
    function pager(label, onPage) {
        const text = h("span");
        let page = 0;
        let last = 0;
        const step = (title, target) =>
            h(
                "button",
                {
                    type: "button",
                    on: { click: () => target() !== page && target() >= 0 && target() <= last && onPage(target()) },
                },
                title,
            );
        const buttons = [
            step("First", () => 0),
            step("Previous", () => page - 1),
            step("Next", () => page + 1),
            step("Last", () => last),
        ];
        const element = h(
            "nav",
            { class: "pager", "aria-label": label },
            buttons[0],
            buttons[1],
            text,
            buttons[2],
            buttons[3],
        );
        return {
            element,
            show(shownPage, total, size) {
                page = shownPage;
                last = Math.max(0, Math.ceil(total / size) - 1);
                element.hidden = last === 0;
                text.textContent = `${number(page * size + 1)}–${number(Math.min(total, (page + 1) * size))} of ${number(total)}`;
                buttons.forEach((button, place) =>
                    button.setAttribute("aria-disabled", place < 2 ? page === 0 : page === last),
                );
            },
        };
    }

    function makeOverview() {
        const columns = columnsOfOverview();
        const [q, phase, kind, ns] = ["q", "phase", "kind", "ns"].map(byId);
        const state = { q: "", phase: "", kind: "", ns: "", sort: "", isDown: false, page: 0, turnedParts: new Set() };
        let order; // works without a parent, sorted
        let orderKey;
        let shown = [];

        const options = (select, all, values, word = (value) => value) =>
            select.append(
                h("option", { value: "" }, all),
                ...values.map((value) => h("option", { value }, word(value))),
            );
        const distinct = (field) =>
            [...new Set(works.map((each) => each[field]))].filter(Boolean).sort(collator.compare);
        options(
            phase,
            "All phases",
            Object.keys(PHASES).filter((each) => works.some((other) => other.phase === each)),
            phaseWord,
        );
        options(kind, "All kinds", distinct("kind"));
        options(ns, "All namespaces", distinct("namespace"));

        const tableHead = head(columns, (column) => {
            [state.sort, state.isDown] = turned(column, state.sort, state.isDown);
            state.page = 0;
            update();
        });
        const body = h("tbody", { role: "rowgroup" });
        const pages = pager("Pages of the table of workloads", (page) => {
            state.page = page;
            update();
            byId("list").scrollIntoView({ block: "start" });
        });
        const table = h(
            "table",
            {
                role: "table",
                "aria-labelledby": "list-title",
                class: works.some(({ parent }) => parent) && "has-parts",
            },
            tableHead.row,
            body,
        );
        byId("list").append(
            h("div", { class: "scroll", role: "region", "aria-label": "Table of workloads", tabindex: "0" }, table),
            pages.element,
        );

        function sorted() {
            const key = `${state.sort} ${state.isDown}`;
            if (key === orderKey) return order;
            orderKey = key;
            const column = columns.find((each) => each.key === state.sort);
            const compare = column ? comparison(column, state.isDown) : (a, b) => a.place - b.place;
            order = works.filter((each) => !each.parent).sort(compare);
            for (const each of works) if (each.parts.length > 1) each.parts.sort(compare);
            return order;
        }

        /** The rows that the filters leave, parts behind what they are a part of. */
        function filtered() {
            const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
            const isFiltered = Boolean(words.length || state.phase || state.kind || state.ns);
            const matches = new Uint8Array(works.length); // 1: matches, 2: holds a part that matches
            let count = 0;
            for (const each of works) {
                if (
                    (state.phase && each.phase !== state.phase) ||
                    (state.kind && each.kind !== state.kind) ||
                    (state.ns && each.namespace !== state.ns)
                )
                    continue;
                if (!words.every((word) => each.words.includes(word))) continue;
                count += 1;
                matches[each.place] |= 1;
                for (let above = each.parent; above && !(matches[above.place] & 2); above = above.parent)
                    matches[above.place] |= 2;
            }
            const rows = [];
            const stack = sorted()
                .map((each) => [each, 0])
                .reverse();
            while (stack.length) {
                const [each, depth] = stack.pop();
                if (!matches[each.place]) continue;
                const parts = isFiltered ? each.parts.filter(({ place }) => matches[place]) : each.parts;
                const opens = isFiltered || parts.length <= OPEN_PARTS;
                const isOpen = opens !== state.turnedParts.has(each.place);
                rows.push({ each, depth, parts: parts.length, isOpen, isContext: !(matches[each.place] & 1) });
                if (isOpen)
                    for (let place = parts.length - 1; place >= 0; place -= 1) stack.push([parts[place], depth + 1]);
            }
            return { rows, count, isFiltered };
        }

        function row({ each, depth, parts, isOpen, isContext }) {
            const cells = columns.map((column) => {
                if (column.key === "name") {
                    const toggle = parts
                        ? h(
                              "button",
                              {
                                  type: "button",
                                  class: "fold",
                                  "aria-expanded": String(isOpen),
                                  "data-place": each.place,
                              },
                              hidden(`${counted(parts, "part")} of ${each.name || each.kind}`),
                          )
                        : "";
                    const above = each.parent ? hidden(`part of ${each.parent.name || each.parent.kind}: `) : "";
                    return h("th", { scope: "row", role: "rowheader", class: "c-name" }, toggle, above, link(each));
                }
                return h("td", { role: "cell", class: column.style, "data-label": column.title }, column.cell(each));
            });
            return h("tr", { role: "row", class: isContext ? "context" : undefined, depth: depth || undefined }, cells);
        }

        function update() {
            const { rows, count, isFiltered } = filtered();
            shown = rows;
            state.page = Math.max(0, Math.min(state.page, Math.ceil(rows.length / ROWS_ON_A_PAGE) - 1));
            const from = state.page * ROWS_ON_A_PAGE;
            const page = rows.slice(from, from + ROWS_ON_A_PAGE).map(row);
            body.replaceChildren(
                ...(page.length
                    ? page
                    : [
                          h(
                              "tr",
                              { role: "row" },
                              h(
                                  "td",
                                  { role: "cell", colspan: columns.length },
                                  works.length ? "No workload matches." : "The report has no workloads.",
                              ),
                          ),
                      ]),
            );
            tableHead.mark(state.sort, state.isDown);
            pages.show(state.page, rows.length, ROWS_ON_A_PAGE);
            const context = rows.filter(({ isContext }) => isContext).length;
            const text = isFiltered
                ? `${number(count)} of ${counted(works.length, "workload")} ${count === 1 ? "matches" : "match"}${context ? `; ${number(context)} more ${context === 1 ? "is" : "are"} shown because of a part` : ""}`
                : counted(works.length, "workload");
            if (byId("matches").textContent !== text) byId("matches").textContent = text;
            const withParts = works.some((each) => each.parts.length);
            byId("fold").hidden = !withParts;
            byId("fold").textContent = rows.some(({ parts, isOpen }) => parts && isOpen)
                ? "Fold all parts"
                : "Unfold all parts";
            for (const chip of document.querySelectorAll("[data-phase]"))
                chip.setAttribute("aria-pressed", String(chip.dataset.phase === state.phase));
            remember();
        }

        function fragment() {
            const told = new URLSearchParams();
            for (const name of ["q", "phase", "kind", "ns"]) if (state[name]) told.set(name, state[name]);
            if (state.sort) told.set("sort", (state.isDown ? "-" : "") + state.sort);
            if (state.page) told.set("page", state.page + 1);
            if (state.turnedParts.size) told.set("parts", [...state.turnedParts].join("."));
            return told.toString();
        }

        function remember() {
            lastOverview = fragment();
            if (byId("overview").hidden) return;
            if (location.hash.replace(/^#/, "") === lastOverview) return;
            try {
                history.replaceState(null, "", `#${lastOverview}`);
            } catch {
                // A browser may forbid it for files; only the address is then without the filters.
            }
        }

        function read(text) {
            const told = new URLSearchParams(text);
            const one = (name, select) =>
                [...select.options].some(({ value }) => value === told.get(name)) ? told.get(name) : "";
            const sort = told.get("sort") ?? "";
            state.q = told.get("q") ?? "";
            state.phase = one("phase", phase);
            state.kind = one("kind", kind);
            state.ns = one("ns", ns);
            state.isDown = sort.startsWith("-");
            state.sort = columns.find(({ key }) => key === sort.replace(/^-/, ""))?.key ?? "";
            state.page = Math.max(0, (Number.parseInt(told.get("page"), 10) || 1) - 1);
            state.turnedParts = new Set(
                (told.get("parts") ?? "")
                    .split(".")
                    .filter(Boolean)
                    .map(Number)
                    .filter((place) => works[place]),
            );
            q.value = state.q;
            phase.value = state.phase;
            kind.value = state.kind;
            ns.value = state.ns;
            update();
        }

        function change() {
            Object.assign(state, { q: q.value, phase: phase.value, kind: kind.value, ns: ns.value, page: 0 });
            update();
        }

        const form = byId("filters");
        form.addEventListener("input", change);
        form.addEventListener("submit", (event) => event.preventDefault());
        form.addEventListener("reset", (event) => {
            event.preventDefault();
            for (const field of [q, phase, kind, ns]) field.value = "";
            change();
        });
        body.addEventListener("click", (event) => {
            const toggle = event.target.closest(".fold");
            if (!toggle) return;
            const place = Number(toggle.dataset.place);
            if (!state.turnedParts.delete(place)) state.turnedParts.add(place);
            update();
            body.querySelector(`.fold[data-place="${place}"]`)?.focus();
        });
        byId("fold").addEventListener("click", () => {
            const toOpen = !shown.some(({ parts, isOpen }) => parts && isOpen);
            const isFiltered = Boolean(state.q.trim() || state.phase || state.kind || state.ns);
            state.turnedParts = new Set(
                works
                    .filter(({ parts }) => parts.length && (isFiltered || parts.length <= OPEN_PARTS) !== toOpen)
                    .map(({ place }) => place),
            );
            state.page = 0;
            update();
        });

        return {
            read,
            choosePhase(chosen) {
                phase.value = state.phase === chosen ? "" : chosen;
                change();
            },
            focus(place) {
                body.querySelector(`a[href="#w/${place}"]`)?.focus({ preventScroll: true });
            },
        };
    }

    function unreadBlock() {
        if (!report.unread) return [];
        const columns = [
            {
                title: "Kind",
                cell: ({ kind, apiVersion }) => [
                    kind === undefined ? unknown() : bdi(kind),
                    apiVersion === undefined ? "" : h("div", { class: "soft" }, bdi(apiVersion)),
                ],
            },
            { title: "Namespace", cell: ({ namespace }) => (namespace ? bdi(namespace) : nothing()) },
            { title: "Name", cell: ({ name }) => (name ? bdi(name) : nothing()) },
            { title: "Why", cell: ({ message }) => bdi(message) },
        ];
        const title = h(
            "h2",
            { id: "unread-title", tabindex: "-1" },
            `Objects that were not read (${number(report.unread.length)})`,
        );
        return [
            h("section", { class: "block" }, title, list("Objects that were not read", columns, report.unread).element),
        ];
    }

    /** A table in pages, which can be sorted by the columns that have a `text` or a `value`. */
    function list(label, columns, rows, rowStyle = () => undefined) {
        let all = rows;
        let inRows = rows;
        let page = 0;
        let sort = "";
        let isDown = false;
        const body = h("tbody", { role: "rowgroup" });
        const pages = pager(`Pages: ${label}`, (chosen) => {
            page = chosen;
            draw();
            element.scrollIntoView({ block: "nearest" });
        });
        const tableHead = head(columns, (column) => {
            [sort, isDown] = turned(column, sort, isDown);
            order();
        });
        const table = h("table", { role: "table", "aria-label": label }, tableHead.row, body);
        const element = h(
            "div",
            {},
            h(
                "div",
                { class: "scroll", role: "region", "aria-label": `${label}, can be scrolled`, tabindex: "0" },
                table,
            ),
            pages.element,
        );

        function order() {
            const column = columns.find(({ key }) => key && key === sort);
            inRows = column ? [...all].sort(comparison(column, isDown)) : all;
            tableHead.mark(sort, isDown);
            page = 0;
            draw();
        }
        function draw() {
            const from = page * ROWS_ON_A_PAGE;
            body.replaceChildren(
                ...inRows.slice(from, from + ROWS_ON_A_PAGE).map((row) =>
                    h(
                        "tr",
                        { role: "row", class: rowStyle(row) },
                        columns.map((column) =>
                            h(
                                column.isHead ? "th" : "td",
                                {
                                    role: column.isHead ? "rowheader" : "cell",
                                    scope: column.isHead ? "row" : undefined,
                                    class: column.style,
                                },
                                column.cell(row),
                            ),
                        ),
                    ),
                ),
            );
            if (!inRows.length)
                body.append(
                    h("tr", { role: "row" }, h("td", { role: "cell", colspan: columns.length }, "Nothing matches.")),
                );
            pages.show(page, inRows.length, ROWS_ON_A_PAGE);
        }
        draw();
        return {
            element,
            show(others) {
                all = others;
                order();
            },
        };
    }

    // The tree of one workload

    const partLabel = ({ component, instance }) => (component === instance ? component : `${component}/${instance}`);
    const pathLabel = (path) => path.map(partLabel).join(" › ");
    const pathKey = (path) => JSON.stringify(path.map(({ component, instance }) => [component, instance]));

    /** The instances as a tree, each with its pods; one whose outer instance is not told stands alone. */
    function treeOf(entry) {
        const nodes = (entry.instances ?? []).map((instance, place) => ({
            instance,
            place,
            parts: [],
            pods: [],
            above: undefined,
        }));
        const byPath = new Map(nodes.map((node) => [pathKey(node.instance.path), node]));
        const roots = [];
        for (const node of nodes) {
            const above = byPath.get(pathKey(node.instance.path.slice(0, -1)));
            node.above = above;
            (above ? above.parts : roots).push(node);
        }
        const outside = [];
        for (const pod of entry.podList ?? []) (nodes[pod.instance]?.pods ?? outside).push(pod);
        return { nodes, roots, outside };
    }

    function* groupsOf(groups, depth = 0) {
        for (const group of groups ?? []) {
            yield { group, depth };
            yield* groupsOf(group.subgroups, depth + 1);
        }
    }

    /** The gang groups as the picture asks for them: by the place they stand at, and by the instances they cover. */
    function gangOf(entry) {
        const all = [...groupsOf(entry.gang?.groups)];
        const names = [...new Set(all.map(({ group }) => group.name))];
        const colour = new Map(names.map((name, place) => [name, place % 6]));
        const byPlace = new Map();
        const byMember = new Map();
        for (const { group } of all) {
            if (group.at?.some(({ replica }) => replica !== undefined))
                byPlace.set(
                    placeKey(
                        group.at,
                        group.at.map(({ replica }) => replica),
                    ),
                    group,
                );
            for (const { component, instance } of group.members) {
                const key = JSON.stringify([component, instance]);
                if (!byMember.has(key)) byMember.set(key, new Map());
                const byName = byMember.get(key);
                if (!byName.has(group.name)) byName.set(group.name, []);
                byName.get(group.name).push(group);
            }
        }
        return { all, colour, byPlace, byMember };
    }

    function placeKey(path, replicas) {
        return JSON.stringify(
            path.map(({ component, instance }, step) => [component, instance, replicas[step] ?? null]),
        );
    }

    /** Whether a group that names an instance as a member means the one at this path. */
    function isWithin(group, path) {
        return (group.at ?? []).every(
            ({ component, instance }, step) => path[step]?.component === component && path[step]?.instance === instance,
        );
    }

    /** How many pods of a group must start together. */
    function together({ minMember, pods }) {
        if (pods === 1) return "1 pod";
        const least = minMember === undefined ? "?" : number(minMember);
        if (pods === undefined) return `${least} of ? pods together`;
        return minMember === pods ? `all ${number(pods)} pods together` : `${least} of ${number(pods)} pods together`;
    }

    /** What the gang groups say of an instance, one line for each name. */
    function gangLines(gang, path) {
        const { component, instance } = path.at(-1);
        const lines = [];
        for (const [name, groups] of gang.byMember.get(JSON.stringify([component, instance])) ?? []) {
            const here = groups.filter((group) => isWithin(group, path));
            if (!here.length) continue;
            const texts = [...new Set(here.map(together))];
            const each = here.length > 1 ? `${number(here.length)} × gang ${name}` : `gang ${name}`;
            lines.push({
                group: here[0],
                colour: gang.colour.get(name),
                text: `${each}: ${texts.length > 2 ? "various numbers of pods together" : texts.join(" or ")}`,
            });
        }
        return lines;
    }

    function range({ minReplicas, maxReplicas }) {
        if (minReplicas === undefined && maxReplicas === undefined) return "";
        return `scales ${minReplicas === undefined ? "?" : number(minReplicas)}–${maxReplicas === undefined ? "?" : number(maxReplicas)}`;
    }

    /** The numbers of an instance in words, as parts of a line. */
    function countsOf({ instance }) {
        const { replicas, podsPerReplica, pods, creates } = instance;
        const made = creates?.length === 1 && creates[0].kind !== "Pod" ? creates[0].kind : "replica";
        const told = [];
        if (!pods) {
            told.push(replicas === undefined ? `number of ${made}s not known` : counted(replicas, made));
        } else {
            const desired = pods.desired === undefined ? "?" : number(pods.desired);
            const factors = [replicas, podsPerReplica ?? 1];
            const shown =
                factors.every((factor) => factor === undefined || factor === 1) || podsPerReplica === undefined
                    ? ""
                    : `${factors.map((factor) => (factor === undefined ? "?" : number(factor))).join(" × ")} = `;
            told.push(`${shown}${desired} ${pods.desired === 1 ? "pod" : "pods"} wanted`);
            told.push(pods.minimum === undefined ? "minimum not known" : `minimum ${number(pods.minimum)}`);
            told.push(pods.ready === undefined ? "ready not known" : `${number(pods.ready)} ready`);
        }
        const scales = range(instance);
        if (scales) told.push(scales);
        return told;
    }

    const ruler = (() => {
        let context;
        const widths = new Map();
        return (text, font) => {
            context ??= document.createElement("canvas").getContext("2d");
            const key = `${font}\n${text}`;
            if (!widths.has(key)) {
                if (widths.size > 5000) widths.clear();
                context.font = font;
                widths.set(key, context.measureText(text).width);
            }
            return widths.get(key);
        };
    })();

    const fonts = (() => {
        let made;
        return () => {
            const family = getComputedStyle(document.body).fontFamily;
            made ??= {
                name: `650 13px ${family}`,
                "": `13px ${family}`,
                small: `12px ${family}`,
                tiny: `10.5px ${family}`,
            };
            return made;
        };
    })();

    /** A text that fits a width, cut with an ellipsis. */
    function fitted(text, style, width) {
        const font = fonts()[style];
        const start = text.length > 400 ? text.slice(0, 400) : text;
        if (start === text && ruler(text, font) <= width) return text;
        const letters = [...start];
        let low = 0;
        let high = letters.length;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (ruler(`${letters.slice(0, middle).join("")}…`, font) <= width) low = middle;
            else high = middle - 1;
        }
        return `${letters.slice(0, low).join("")}…`;
    }

    /** Parts of a line in as many lines as they need. */
    function wrapped(parts, style, width) {
        const lines = [];
        for (const part of parts) {
            const longer = lines.length ? `${lines.at(-1)} · ${part}` : part;
            if (lines.length && ruler(longer, fonts()[style]) <= width) lines[lines.length - 1] = longer;
            else lines.push(fitted(part, style, width));
        }
        return lines;
    }

    /** The pods of an instance, found and wanted, in clusters of one replica each where there are several. */
    function clustersOf(node, gang, room) {
        const { path, pods, podsPerReplica } = node.instance;
        const steps = [];
        for (let each = node; each; each = each.above) steps.unshift(each.instance);
        const byReplica = new Map();
        for (const pod of node.pods) {
            const key = (pod.replicas ?? []).map((replica) => replica ?? "?").join("\u00b7");
            if (!byReplica.has(key)) byReplica.set(key, { replicas: pod.replicas ?? [], members: [] });
            byReplica.get(key).members.push({ state: podState(pod), name: pod.name });
        }
        const desired = pods?.desired ?? 0;
        const size = podsPerReplica ?? 1;
        const factors = steps.map(({ replicas }) => replicas);
        const isCounted =
            factors.every((factor) => factor !== undefined) &&
            factors.reduce((all, factor) => all * factor, 1) * size === desired;
        // Only what is left of the limit is filled up with pods that are wanted and were not found.
        let left = Math.max(0, room - node.pods.length);
        let missing = Math.min(Math.max(0, desired - node.pods.length), left);
        const clusterCount = size ? desired / size : 0;
        if (isCounted && clusterCount <= MAX_CLUSTERS && missing) {
            for (let place = 0; place < clusterCount && missing; place += 1) {
                const replicas = [];
                for (let step = factors.length - 1, rest = place; step >= 0; step -= 1) {
                    replicas.unshift(rest % factors[step]);
                    rest = Math.floor(rest / factors[step]);
                }
                const told = [...byReplica.values()].find(
                    (each) =>
                        each.replicas.length === replicas.length &&
                        each.replicas.every(
                            (replica, step) => replica === replicas[step] || (replica === null && factors[step] === 1),
                        ),
                );
                const cluster = told ?? { replicas, members: [] };
                // Which replica is missing is not known if there are pods of which the replica is not.
                if (!told && node.pods.some((pod) => !pod.replicas)) break;
                if (!told) byReplica.set(replicas.join("\u00b7"), cluster);
                while (cluster.members.length < size && missing) {
                    cluster.members.push({ state: "wanted", name: "" });
                    missing -= 1;
                }
            }
        }
        let clusters = [...byReplica.values()];
        const several = clusters.length > 1 || (isCounted && clusterCount > 1);
        const isFlat = !clusters.length || !several || Math.max(clusters.length, clusterCount) > MAX_CLUSTERS;
        for (const cluster of clusters) {
            cluster.group = groupAt(gang, path, cluster.replicas);
            cluster.caption = cluster.replicas
                .map((replica, step) => [replica ?? "?", factors[step]])
                .filter(([, factor]) => factor !== 1)
                .map(([replica]) => replica)
                .join("\u00b7");
        }
        if (isFlat)
            clusters = [
                {
                    replicas: [],
                    members: clusters.flatMap(({ members }) => members),
                    caption: "",
                    group: clusters.length === 1 ? clusters[0].group : undefined,
                },
            ];
        else clusters.sort((a, b) => collator.compare(a.caption, b.caption));
        for (; missing; missing -= 1) clusters.at(-1)?.members.push({ state: "wanted", name: "" });
        return clusters.filter(({ members }) => members.length);
    }

    /** The innermost group that stands for one replica and covers it. */
    function groupAt(gang, path, replicas) {
        for (let length = path.length; length; length -= 1) {
            const steps = path.slice(0, length);
            const found =
                gang.byPlace.get(placeKey(steps, replicas)) ??
                gang.byPlace.get(
                    placeKey(
                        steps,
                        steps.map((_step, step) => (step === length - 1 ? replicas[step] : undefined)),
                    ),
                );
            if (found) return found;
        }
        return undefined;
    }

    /** The picture: instances as boxes in each other, pods as small shapes, gangs as dashed outlines. */
    function picture(entry, tree, width) {
        const gang = gangOf(entry);
        const found = entry.podList?.length ?? 0;
        const wanted = tree.nodes.reduce((sum, { instance }) => sum + (instance.pods?.desired ?? 0), 0);
        const total = Math.min(MAX_SQUARES, Math.max(found, wanted));
        const side = total > 1500 ? 7 : total > 400 ? 10 : 14;
        const gap = side > 10 ? 4 : side > 7 ? 3 : 2;
        const withNames = total <= MAX_SQUARES_WITH_NAMES;
        const pad = 10;
        let room = MAX_SQUARES;

        const text = (parent, x, y, content, style = "") => parent.append(s("text", { x, y, class: style }, content));
        const rect = (parent, x, y, w, tall, style, radius = 6) =>
            parent.append(
                s("rect", {
                    x: x + 0.5,
                    y: y + 0.5,
                    width: Math.max(0, w - 1),
                    height: Math.max(0, tall - 1),
                    rx: radius,
                    class: style,
                }),
            );

        function drawSquares(parent, members, x, y, columns) {
            const byState = new Map();
            members.forEach(({ state, name }, place) => {
                const left = x + (place % columns) * (side + gap);
                const top = y + Math.floor(place / columns) * (side + gap);
                if (withNames)
                    parent.append(
                        s(
                            "path",
                            { class: `pod s-${state}`, d: stateOutline(state, left, top, side) },
                            s("title", {}, name ? `${name}: ${STATES[state]}` : STATES[state]),
                        ),
                    );
                else byState.set(state, (byState.get(state) ?? "") + stateOutline(state, left, top, side));
            });
            for (const [state, outline] of byState) parent.append(s("path", { class: `pod s-${state}`, d: outline }));
        }

        /** Rows of clusters in a width: their places, and the height of all. */
        function placeClusters(clusters, inner) {
            const isBare = clusters.length === 1 && !clusters[0].caption && !clusters[0].group;
            if (isBare) {
                const columns = Math.max(1, Math.floor((inner + gap) / (side + gap)));
                const lines = Math.ceil(clusters[0].members.length / columns);
                return {
                    places: [{ cluster: clusters[0], x: 0, y: 0, columns, isBare }],
                    height: lines * (side + gap) - gap,
                };
            }
            const places = [];
            const widest = Math.max(1, Math.floor((inner - 2 * 6 + gap) / (side + gap)));
            let x = 0;
            let y = 0;
            let tall = 0;
            for (const cluster of clusters) {
                const count = cluster.members.length;
                const columns = Math.min(
                    widest,
                    count <= 8 || count > 200 ? count : Math.max(8, Math.ceil(Math.sqrt(count * 2))),
                );
                const label = cluster.caption ? ruler(cluster.caption, fonts().tiny) : 0;
                const w = Math.min(inner, Math.max(columns * (side + gap) - gap, label) + 12);
                const high = Math.ceil(count / columns) * (side + gap) - gap + 12 + (cluster.caption ? 13 : 0);
                if (x && x + w > inner) {
                    x = 0;
                    y += tall + 6;
                    tall = 0;
                }
                places.push({ cluster, x, y, w, high, columns });
                x += w + 6;
                tall = Math.max(tall, high);
            }
            return { places, height: y + tall };
        }

        /** What is above the pods or parts of a box: lines of text, each with its height. */
        function headOf(title, role, counts, gangs, inner) {
            const lines = [{ kind: "title", title, role, high: 19 }];
            for (const line of wrapped(counts, "small", inner)) lines.push({ kind: "small", text: line, high: 16 });
            for (const { colour, text: told } of gangs)
                lines.push({ kind: "gang", colour, text: fitted(told, "small", inner - 24), high: 17 });
            return lines;
        }

        function drawHead(parent, lines, x, y, inner) {
            let top = y;
            for (const line of lines) {
                if (line.kind === "title") {
                    const role = line.role ? fitted(line.role, "tiny", inner * 0.4) : "";
                    const roleWidth = role ? ruler(role, fonts().tiny) : 0;
                    text(parent, x, top + 13, fitted(line.title, "name", inner - roleWidth - (role ? 8 : 0)), "name");
                    if (role) text(parent, x + inner - roleWidth, top + 13, role, "tiny");
                } else if (line.kind === "gang") {
                    parent.append(
                        s("rect", {
                            x: x + 0.5,
                            y: top + 2.5,
                            width: 16,
                            height: 11,
                            rx: 3,
                            class: `gang gang-${line.colour}`,
                        }),
                    );
                    text(parent, x + 24, top + 12, line.text, "small");
                } else {
                    text(parent, x, top + 12, line.text, "small");
                }
                top += line.high;
            }
        }

        const heightOf = (lines) => lines.reduce((sum, { high }) => sum + high, 0);

        /** Lays a box out in a width: how high it is, and how it is drawn at a place. */
        function box(node, w, isOuter) {
            const inner = w - 2 * pad;
            const { instance } = node;
            const lines = headOf(
                partLabel(instance.path.at(-1)),
                instance.role,
                countsOf(node),
                gangLines(gang, instance.path).filter(({ group }) => group !== around),
                inner,
            );
            const top = heightOf(lines);
            if (node.parts.length) {
                const below = flow(node.parts, inner);
                return {
                    height: top + below.height + 2 * pad + 6,
                    draw(parent, x, y, high) {
                        rect(parent, x, y, w, high, isOuter ? "box outer" : "box");
                        drawHead(parent, lines, x + pad, y + pad, inner);
                        below.draw(parent, x + pad, y + pad + top + 6);
                    },
                };
            }
            const clusters = clustersOf(node, gang, room);
            const drawn = clusters.reduce((sum, { members }) => sum + members.length, 0);
            const beyond = Math.max(node.pods.length, instance.pods?.desired ?? 0) - Math.min(drawn, room);
            cut(clusters, room);
            room = Math.max(0, room - drawn);
            const placed = clusters.length ? placeClusters(clusters, inner) : { places: [], height: 0 };
            const more = beyond > 0 ? `and ${counted(beyond, "pod")} more` : "";
            return {
                height: top + (placed.height ? placed.height + 6 : 0) + (more ? 18 : 0) + 2 * pad,
                draw(parent, x, y, high) {
                    rect(parent, x, y, w, high, isOuter ? "box outer" : "box");
                    drawHead(parent, lines, x + pad, y + pad, inner);
                    const start = y + pad + top + 6;
                    for (const { cluster, x: left, y: down, w: wide, high: tall, columns, isBare } of placed.places) {
                        if (isBare) {
                            drawSquares(parent, cluster.members, x + pad + left, start + down, columns);
                            continue;
                        }
                        const colour = cluster.group && gang.colour.get(cluster.group.name);
                        rect(
                            parent,
                            x + pad + left,
                            start + down,
                            wide,
                            tall,
                            cluster.group ? `gang gang-${colour}` : "cluster",
                            4,
                        );
                        if (cluster.caption)
                            text(parent, x + pad + left + 6, start + down + 14, cluster.caption, "tiny");
                        drawSquares(
                            parent,
                            cluster.members,
                            x + pad + left + 6,
                            start + down + 6 + (cluster.caption ? 13 : 0),
                            columns,
                        );
                    }
                    if (more) text(parent, x + pad, start + placed.height + (placed.height ? 17 : 6), more, "small");
                },
            };
        }

        function cut(clusters, limit) {
            let left = limit;
            for (const cluster of clusters) {
                if (cluster.members.length > left) cluster.members.length = left;
                left -= cluster.members.length;
            }
            while (clusters.length && !clusters.at(-1).members.length) clusters.pop();
        }

        const weight = (node) =>
            node.parts.reduce(
                (sum, part) => sum + weight(part) + 40,
                Math.max(node.pods.length, node.instance.pods?.desired ?? 0),
            );

        /** Boxes side by side in rows of equal height; one with much in it has a row for itself. */
        function flow(nodes, w, isOuter = false) {
            const shownNodes = nodes.slice(0, MAX_BOXES);
            const most = Math.max(1, Math.min(shownNodes.length, 4, Math.floor((w + 8) / 248)));
            const rows = [];
            for (const node of shownNodes) {
                const isHeavy = weight(node) * (side + gap) ** 2 > 60000;
                const row = rows.at(-1);
                if (!row || row.isHeavy || isHeavy || row.nodes.length >= most) rows.push({ isHeavy, nodes: [node] });
                else row.nodes.push(node);
            }
            for (const row of rows) {
                const share = row.isHeavy || (row.nodes.length === 1 && rows.length === 1) ? 1 : most;
                row.w = Math.floor((w - 8 * (share - 1)) / share);
                row.boxes = row.nodes.map((node) => box(node, row.w, isOuter));
                row.height = Math.max(...row.boxes.map(({ height }) => height));
            }
            const beyond = nodes.length - shownNodes.length;
            return {
                height: rows.reduce((sum, row) => sum + row.height + 8, -8) + (beyond ? 22 : 0),
                draw(parent, x, y) {
                    let top = y;
                    for (const row of rows) {
                        row.boxes.forEach((each, place) => each.draw(parent, x + place * (row.w + 8), top, row.height));
                        top += row.height + 8;
                    }
                    if (beyond) text(parent, x, top + 12, `and ${counted(beyond, "instance")} more`, "small");
                },
            };
        }

        // Groups that stand for the whole workload are told above it; one that covers everything is drawn around it.
        const whole = (entry.gang?.groups ?? []).filter((group) => !group.at);
        const leaves = tree.nodes.filter(({ instance }) => instance.pods);
        const around =
            whole.length === 1 && leaves.length && whole[0].members.length >= leaves.length ? whole[0] : undefined;
        const inset = around ? 10 : 0;
        const lines = whole.slice(0, 6).map((group) => ({
            kind: "gang",
            colour: gang.colour.get(group.name),
            text: fitted(`gang ${group.name}: ${together(group)}`, "small", width - 2 * inset - 24),
            high: 18,
        }));
        const top = heightOf(lines) + (lines.length ? inset || 2 : 0);
        const laid = flow(tree.roots, width - 2 * inset, true);
        const outside = tree.outside.slice(0, MAX_OUTSIDE).map((pod) => ({ state: podState(pod), name: pod.name }));
        const perLine = Math.max(1, Math.floor((width - 2 * pad + gap) / (side + gap)));
        const outsideHeight = outside.length ? 19 + Math.ceil(outside.length / perLine) * (side + gap) + 2 * pad : 0;
        const framed = top + laid.height + inset;
        const height = Math.max(20, framed + (outside.length ? outsideHeight + 10 : 0));
        const drawing = s("svg", {
            viewBox: `0 0 ${width} ${Math.ceil(height) + 1}`,
            width,
            height: Math.ceil(height) + 1,
            role: "img",
            "aria-label": `Picture of the tree: ${counted(leaves.length, "instance")} with pods, ${number(found)} pods found. The tree as text and the list of pods say the same.`,
        });
        if (around) rect(drawing, 0.5, 0.5, width - 1, framed - 1, `gang gang-${gang.colour.get(around.name)}`, 8);
        drawHead(drawing, lines, inset, inset ? 8 : 0, width - 2 * inset);
        laid.draw(drawing, inset, top);
        if (outside.length) {
            rect(drawing, 0, framed + 10, width, outsideHeight, "box outer");
            text(
                drawing,
                pad,
                framed + 10 + pad + 12,
                `Pods that no one component claims: ${number(tree.outside.length)}`,
                "name",
            );
            drawSquares(drawing, outside, pad, framed + 10 + pad + 19, perLine);
        }
        return drawing;
    }

    /** How many pods are in which state, those among them that are wanted and were not found. */
    function statesOf(entry, tree) {
        const states = new Map();
        const add = (state, count) => states.set(state, (states.get(state) ?? 0) + count);
        for (const pod of entry.podList ?? []) add(podState(pod), 1);
        for (const { instance, pods } of tree.nodes)
            add("wanted", Math.max(0, (instance.pods?.desired ?? 0) - pods.length));
        return states;
    }

    function pictureBlock(entry, tree) {
        const states = statesOf(entry, tree);
        const keys = Object.keys(STATES).filter((state) => states.get(state));
        const isGiven = entry.pods.found !== undefined;
        const word = (state) => (state === "wanted" && !isGiven ? "wanted (no pods were given)" : STATES[state]);
        const legend = h(
            "ul",
            { class: "legend" },
            keys.map((state) => h("li", {}, stateShape(state), `${number(states.get(state))} ${word(state)}`)),
        );
        const frame = h("figure", { class: "picture" });
        let drawn = 0;
        const draw = () => {
            const style = getComputedStyle(frame);
            const width = Math.floor(
                frame.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight),
            );
            if (width < 50 || width === drawn) return;
            drawn = width;
            frame.replaceChildren(picture(entry, tree, width));
        };
        const watcher = new ResizeObserver(() => (frame.isConnected ? draw() : watcher.disconnect()));
        return {
            element: h("div", {}, legend, frame),
            start: () => {
                draw();
                watcher.observe(frame);
            },
        };
    }

    /** The tree as a nested list. */
    function treeList(tree, gang) {
        const item = (node) => {
            const { instance } = node;
            const told = [...countsOf(node)];
            if (instance.pods?.found !== undefined) told.push(`${number(instance.pods.found)} found`);
            const observed = Object.entries(instance.observed ?? {})
                .filter(([name]) => name !== "unit")
                .map(([name, count]) => `${number(count)} ${name}`);
            if (observed.length)
                told.push(`its status says ${observed.join(", ")}${instance.observed.unit ? " pods" : ""}`);
            if (instance.mainContainer) told.push(`main container ${instance.mainContainer}`);
            const makes = (instance.creates ?? []).map(({ kind }) => kind).join(" or ");
            return h(
                "li",
                {},
                h("strong", {}, bdi(partLabel(instance.path.at(-1)))),
                instance.role ? [" (", bdi(instance.role), ")"] : "",
                makes ? [", makes ", bdi(makes)] : "",
                ": ",
                bdi(told.join(", ")),
                gangLines(gang, instance.path).map((line) => h("span", { class: "soft" }, "; ", bdi(line.text))),
                node.parts.length ? h("ul", {}, node.parts.map(item)) : "",
            );
        };
        return h(
            "div",
            { class: "tree" },
            h(
                "ul",
                {},
                tree.roots.map(item),
                tree.outside.length
                    ? h("li", {}, `${counted(tree.outside.length, "pod")} that no one component claims`)
                    : "",
            ),
        );
    }

    // One workload

    /** Something that is made when it is opened. */
    function fold(title, make, isOpen = false) {
        const element = h("details", { open: isOpen }, h("summary", {}, title));
        let isMade = false;
        const fill = () => {
            if (isMade || !element.open) return;
            isMade = true;
            element.append(make());
        };
        element.addEventListener("toggle", fill);
        element.fill = fill; // printing opens everything at once
        if (isOpen) fill();
        return element;
    }

    const block = (title, ...children) => h("section", { class: "block" }, h("h3", {}, title), children);

    function amount(side, name, isLimit, isOpen) {
        if (!side) return unknown();
        const told = side[isLimit ? "limits" : "requests"]?.[name];
        if (told === undefined) return nothing();
        if (isLimit && isOpen)
            return h(
                "span",
                { title: `A container states no limit; those that are stated make ${told}` },
                nothing("no limit"),
            );
        return told;
    }

    function resourcesBlock(entry, tree) {
        const leaves = tree.nodes.filter(({ instance }) => instance.pods);
        const sides = leaves
            .flatMap(({ instance }) => [instance.resources?.perPod, instance.resources?.total])
            .concat(entry.resources)
            .filter(Boolean);
        const names = inOrder(
            sides.flatMap((side) => [...Object.keys(side.requests ?? {}), ...Object.keys(side.limits ?? {})]),
        );
        if (!names.length)
            return block(
                "Resources",
                h(
                    "p",
                    { class: "note" },
                    entry.incomplete
                        ? "Nothing is known of the resources."
                        : "Nothing is requested and nothing is limited.",
                ),
            );
        const rows = [];
        for (const { instance } of leaves) {
            const { perPod, total } = instance.resources ?? {};
            const desired = instance.pods.desired;
            rows.push({ label: pathLabel(instance.path), per: desired === 1 ? "1 pod" : "each pod", side: perPod });
            if (desired !== 1)
                rows.push({
                    label: pathLabel(instance.path),
                    isAgain: true,
                    per: desired === undefined ? [unknown(), " pods"] : `${number(desired)} pods`,
                    side: total,
                });
        }
        rows.push({
            label: "Total",
            isTotal: true,
            per: [
                entry.incomplete ? bound() : "",
                entry.pods.desired === undefined ? unknown() : number(entry.pods.desired),
                " pods",
            ],
            side: entry.resources ?? (entry.incomplete ? undefined : {}),
        });
        const columns = [
            { title: "Component", isHead: true, cell: ({ label, isAgain }) => (isAgain ? hidden(label) : bdi(label)) },
            { title: "For", style: "nowrap", cell: ({ per }) => per },
            ...names.map((name) => ({
                title: `${name}, request / limit`,
                style: "number",
                cell: ({ side, isTotal }) => [
                    isTotal && entry.incomplete && side?.requests?.[name] !== undefined ? bound() : "",
                    amount(side, name, false),
                    h("span", { "aria-hidden": "true" }, "\u2009/\u2009"),
                    hidden(" limit "),
                    amount(side, name, true, side?.unlimited?.includes(name)),
                ],
            })),
        ];
        return block("Resources", list("Resources", columns, rows, ({ isTotal }) => isTotal && "total").element);
    }

    function statusPanel(each) {
        const { entry } = each;
        const { status } = entry;
        const lines = [["Phase", phaseNode(each.phase)]];
        if (status?.reason) lines.push(["Reason", camel(status.reason)]);
        if (status?.message) lines.push(["Message", bdi(status.message)]);
        if (entry.suspended !== undefined) lines.push(["Suspension", entry.suspended ? "wanted" : "not wanted"]);
        if (status?.stale !== undefined) lines.push(["Status", status.stale ? "older than the object" : "up to date"]);
        if (status?.updating !== undefined) lines.push(["Rollout", status.updating ? "under way" : "none under way"]);
        if (status?.deleting) lines.push(["Deletion", "under way"]);
        if (!status) lines.push(["Status", "none: no API server has seen it"]);
        return panel("State", pairs(lines));
    }

    const panel = (title, ...children) => h("section", { class: "panel" }, h("h3", {}, title), children);

    function podsPanel(each) {
        const { pods } = each.entry;
        const lines = [
            ["Wanted", [each.isBound && pods.desired !== undefined ? bound() : "", numberOr(pods.desired)]],
            ["Must start together", numberOr(pods.minimum)],
            [
                "Found",
                pods.found === undefined ? h("span", {}, unknown(), " (no pods were given)") : number(pods.found),
            ],
            [
                "Ready",
                [
                    numberOr(pods.ready),
                    pods.readyFrom
                        ? h(
                              "span",
                              { class: "soft" },
                              pods.readyFrom === "pods" ? " (from the pods)" : " (from the status)",
                          )
                        : "",
                ],
            ],
            ...Object.entries(pods.phases ?? {}).map(([phase, count]) => [
                phase === "NoPhase" ? "Without a phase" : bdi(phase),
                number(count),
            ]),
            ...(pods.deleting ? [["Being deleted", number(pods.deleting)]] : []),
        ];
        return panel("Pods", pairs(lines));
    }

    function objectPanel(each) {
        const { entry } = each;
        const { workload, owner, mapping } = entry;
        const lines = [
            ["API version", bdi(workload.apiVersion)],
            ["Namespace", each.namespace ? bdi(each.namespace) : nothing()],
        ];
        if (each.parent) lines.push(["Part of", [bdi(each.parent.kind), " ", link(each.parent)]]);
        if (owner)
            lines.push([
                "Controlled by",
                [bdi(owner.kind), " ", owner.name === undefined ? unknown() : bdi(owner.name)],
            ]);
        lines.push([
            "Created",
            workload.created
                ? [moment(workload.created), each.age === undefined ? "" : ` (${duration(each.age)} ago)`]
                : unknown(),
        ]);
        if (workload.generation !== undefined) lines.push(["Generation", number(workload.generation)]);
        if (workload.uid !== undefined) lines.push(["UID", h("code", {}, workload.uid)]);
        lines.push([
            "Mapping",
            [
                bdi(mapping.name),
                " ",
                h("code", { class: "soft", title: mapping.digest }, mapping.digest.slice(0, 19), "…"),
            ],
        ]);
        return panel("Object", pairs(lines));
    }

    function costPanel(cost) {
        const shown = Object.entries(cost.resources ?? {});
        return panel(
            `Cost per hour${report.currency ? `, ${report.currency}` : ""}`,
            pairs([
                ["Together", costNode(cost)],
                ["Of the pods", cost.basis === "pods" ? "that hold a node" : "that are wanted"],
                ...shown.map(([name, told]) => [bdi(name), h("span", { title: told }, money(told))]),
                ...(cost.unknown ?? []).map(({ what, reason }) => [["No price: ", bdi(what)], bdi(reason)]),
            ]),
        );
    }

    function costBlock(tree) {
        const rows = tree.nodes.filter(({ instance }) => instance.cost);
        if (!rows.length) return "";
        const columns = [
            {
                title: "Component",
                isHead: true,
                key: "path",
                text: ({ instance }) => pathLabel(instance.path),
                cell: ({ instance }) => bdi(pathLabel(instance.path)),
            },
            {
                title: "Cost per hour",
                style: "number",
                key: "cost",
                value: ({ instance }) => Number(instance.cost.perHour),
                cell: ({ instance }) => costNode(instance.cost),
            },
            {
                title: "By resource",
                cell: ({ instance }) =>
                    Object.entries(instance.cost.resources ?? {}).map(([name, told]) =>
                        h("div", {}, bdi(name), " ", money(told)),
                    ),
            },
            {
                title: "Without a price",
                cell: ({ instance }) =>
                    instance.cost.unknown
                        ? instance.cost.unknown.map(({ what, reason }) => h("div", {}, bdi(what), ": ", bdi(reason)))
                        : nothing(),
            },
        ];
        return block("Cost by component", list("Cost by component", columns, rows).element);
    }

    function conditionsBlock(status) {
        if (!status?.conditions) return "";
        const columns = [
            { title: "Condition", isHead: true, cell: ({ type }) => bdi(type) },
            { title: "Status", cell: ({ status: told }) => bdi(told) },
            { title: "Reason", cell: ({ reason }) => (reason ? bdi(reason) : nothing()) },
            { title: "Message", cell: ({ message }) => (message ? bdi(message) : nothing()) },
            {
                title: "Since",
                style: "nowrap",
                cell: ({ lastTransitionTime }) => (lastTransitionTime ? bdi(moment(lastTransitionTime)) : unknown()),
            },
        ];
        return block("Conditions", list("Conditions", columns, status.conditions).element);
    }

    function incompleteBlock(entry) {
        if (!entry.incomplete) return "";
        const columns = [
            {
                title: "Where",
                isHead: true,
                cell: ({ component, instance }) =>
                    component
                        ? bdi(instance && instance !== component ? `${component}/${instance}` : component)
                        : "the workload",
            },
            { title: "What is missing", cell: ({ what }) => INCOMPLETE[what] ?? what },
            { title: "Why", cell: ({ reason }) => bdi(REASONS[reason] ?? reason) },
        ];
        return block(
            "What is not known",
            h("p", { class: "soft" }, "The totals are a lower bound."),
            list("What is not known", columns, entry.incomplete).element,
        );
    }

    function diagnosticsBlock(entry) {
        if (!entry.diagnostics) return "";
        const columns = [
            { title: "Severity", cell: ({ severity }) => h("span", { class: `severity-${severity}` }, severity) },
            { title: "Message", cell: ({ message }) => bdi(message) },
            { title: "Class", style: "nowrap", cell: ({ class: told }) => told },
            { title: "Instance", cell: ({ instance }) => (instance ? bdi(instance) : nothing()) },
            {
                title: "At, in the mapping",
                cell: ({ at, mapping }) => [mapping ? [bdi(mapping), " "] : "", h("code", {}, at)],
            },
        ];
        return block("Diagnostics", list("Diagnostics", columns, entry.diagnostics).element);
    }

    function partsBlock(each) {
        if (!each.parts.length) return "";
        const columns = [
            { key: "kind", title: "Kind", text: (part) => part.kind, cell: (part) => bdi(part.kind) },
            { key: "name", title: "Name", isHead: true, text: (part) => part.name, cell: link },
            {
                key: "phase",
                title: "Phase",
                value: (part) => -Object.keys(PHASES).indexOf(part.phase),
                cell: (part) => phaseNode(part.phase),
            },
            {
                key: "reason",
                title: "Reason",
                text: (part) => part.reason,
                cell: (part) => (part.reason ? bdi(part.reason) : nothing()),
            },
            {
                key: "pods",
                title: "Ready / wanted pods",
                style: "number",
                value: (part) => part.desired,
                cell: podsNode,
            },
        ];
        return block(`Parts (${number(each.parts.length)})`, list("Parts", columns, each.parts).element);
    }

    function gangBlock(entry) {
        const all = [...groupsOf(entry.gang?.groups)];
        if (!all.length) return "";
        const columns = [
            {
                title: "Group",
                isHead: true,
                cell: ({ group, depth }) =>
                    h(
                        "span",
                        {},
                        depth
                            ? [
                                  h("span", { "aria-hidden": "true" }, `${"\u2003".repeat(depth - 1)}└ `),
                                  hidden(`level ${depth + 1}: `),
                              ]
                            : "",
                        bdi(group.id),
                    ),
            },
            { title: "Must start", style: "number", cell: ({ group }) => numberOr(group.minMember) },
            { title: "Pods", style: "number", cell: ({ group }) => numberOr(group.pods) },
            {
                title: "Members",
                cell: ({ group }) => [
                    bdi(
                        group.members
                            .slice(0, 10)
                            .map(
                                (member) =>
                                    `${partLabel(member)} ${member.pods ?? "?"}${member.minPods !== undefined && member.minPods !== member.pods ? ` (at least ${member.minPods})` : ""}`,
                            )
                            .join(", "),
                    ),
                    group.members.length > 10 ? ` and ${number(group.members.length - 10)} more` : "",
                ],
            },
            { title: "Queue", cell: ({ group }) => (group.queue ? bdi(group.queue) : nothing()) },
            {
                title: "Priority class",
                cell: ({ group }) => (group.priorityClass ? bdi(group.priorityClass) : nothing()),
            },
            {
                title: "Topology",
                cell: ({ group }) =>
                    group.topology
                        ? Object.entries(group.topology).map(([how, label]) => h("div", {}, `${how}: `, bdi(label)))
                        : nothing(),
            },
        ];
        return block(
            "Gangs: pods that must start together",
            all.length > OPEN_PARTS
                ? fold(counted(all.length, "group"), () => list("Gangs", columns, all).element)
                : list("Gangs", columns, all).element,
        );
    }

    function podsBlock(each, tree) {
        const { entry } = each;
        const pods = entry.podList ?? [];
        if (!pods.length) {
            const told =
                entry.pods.found === undefined
                    ? "No pods were given."
                    : entry.pods.found
                      ? `${counted(entry.pods.found, "pod")} found; ${each.parts.length ? "they are listed with the parts." : "it is the pod itself."}`
                      : "No pods were found.";
            return block("Pods", h("p", { class: "note" }, told));
        }
        const where = (pod) => (tree.nodes[pod.instance] ? pathLabel(tree.nodes[pod.instance].instance.path) : "");
        const replicas = (pod) => (pod.replicas ?? []).map((replica) => replica ?? "?").join("\u00b7");
        const rows = pods.map((pod) => ({
            pod,
            state: podState(pod),
            where: where(pod),
            words: [pod.name, pod.namespace, pod.node, pod.phase, where(pod), pod.group, pod.subgroup, pod.revision]
                .join("\n")
                .toLowerCase(),
        }));
        const order = Object.keys(STATES);
        const columns = [
            {
                key: "name",
                title: "Name",
                isHead: true,
                text: ({ pod }) => pod.name,
                cell: ({ pod }) => h("span", { title: pod.uid }, bdi(pod.name)),
            },
            {
                key: "instance",
                title: "Instance",
                text: (row) => row.where,
                cell: (row) =>
                    row.where ? bdi(row.where) : h("span", {}, unknown(), " ", REASONS[row.pod.reason] ?? ""),
            },
            {
                key: "replica",
                title: "Replica",
                style: "number",
                text: ({ pod }) => replicas(pod),
                cell: ({ pod }) => replicas(pod) || unknown(),
            },
            {
                key: "index",
                title: "Index",
                style: "number",
                value: ({ pod }) => pod.index,
                cell: ({ pod }) => numberOr(pod.index),
            },
            {
                key: "state",
                title: "State",
                style: "nowrap",
                value: (row) => order.indexOf(row.state),
                cell: (row) => [stateShape(row.state), STATES[row.state]],
            },
            {
                key: "phase",
                title: "Phase",
                text: ({ pod }) => pod.phase,
                cell: ({ pod }) => (pod.phase ? bdi(pod.phase) : unknown()),
            },
            {
                key: "ready",
                title: "Ready",
                value: ({ pod }) => (pod.ready === undefined ? undefined : Number(pod.ready)),
                cell: ({ pod }) => (pod.ready === undefined ? unknown() : pod.ready ? "yes" : "no"),
            },
            {
                key: "node",
                title: "Node",
                text: ({ pod }) => pod.node,
                cell: ({ pod }) => (pod.node ? bdi(pod.node) : nothing()),
            },
            {
                key: "gang",
                title: "Gang",
                text: ({ pod }) => pod.subgroup ?? pod.group,
                cell: ({ pod }) => ((pod.subgroup ?? pod.group) ? bdi(pod.subgroup ?? pod.group) : nothing()),
            },
        ].filter(({ key }) => key !== "gang" || pods.some(({ group }) => group));
        const shown = list("Pods", columns, rows);
        const text = h("input", {
            type: "search",
            id: "pods-q",
            autocomplete: "off",
            spellcheck: "false",
            placeholder: "Name, node, instance …",
        });
        const states = order.filter((state) => rows.some((row) => row.state === state));
        const state = h(
            "select",
            { id: "pods-state" },
            h("option", { value: "" }, "All states"),
            states.map((value) => h("option", { value }, STATES[value])),
        );
        const count = h("p", { class: "line", role: "status", "aria-live": "polite" }, counted(rows.length, "pod"));
        const update = () => {
            const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
            const found = rows.filter(
                (row) => (!state.value || row.state === state.value) && words.every((word) => row.words.includes(word)),
            );
            count.textContent =
                found.length === rows.length
                    ? counted(rows.length, "pod")
                    : `${number(found.length)} of ${counted(rows.length, "pod")} ${found.length === 1 ? "matches" : "match"}`;
            shown.show(found);
        };
        const form = h(
            "form",
            {
                class: "filters",
                role: "search",
                "aria-label": "Filter the pods",
                on: { input: update, submit: (event) => event.preventDefault() },
            },
            h("p", { class: "field wide" }, h("label", { for: "pods-q" }, "Text"), text),
            h("p", { class: "field" }, h("label", { for: "pods-state" }, "State"), state),
        );
        return block(`Pods (${number(rows.length)})`, form, count, shown.element);
    }

    function sourcesBlock(entry, tree) {
        const rows = [];
        const add = (where, sources) =>
            Object.entries(sources ?? {}).forEach(([value, pointer]) => rows.push({ where, value, pointer }));
        add("the status", entry.status?.sources);
        for (const { instance } of tree.nodes) add(pathLabel(instance.path), instance.sources);
        for (const { group } of groupsOf(entry.gang?.groups)) add(`gang ${group.id}`, group.sources);
        if (!rows.length) return "";
        const columns = [
            { title: "Of", isHead: true, cell: ({ where }) => bdi(where) },
            { title: "Value", cell: ({ value }) => h("code", {}, value) },
            {
                title: "Read at (JSON Pointer in the object)",
                cell: ({ pointer }) => h("code", {}, pointer || "(the whole object)"),
            },
        ];
        return fold(
            `Where each value came from (${number(rows.length)})`,
            () => list("Where each value came from", columns, rows).element,
        );
    }

    function showWorkload(place) {
        const each = works[place];
        const section = byId("workload");
        const back = h(
            "p",
            { class: "crumbs" },
            h("a", { href: `#${lastOverview}` }, h("span", { "aria-hidden": "true" }, "← "), "All workloads"),
            each?.parent ? [" / ", bdi(each.parent.kind), " ", link(each.parent)] : "",
        );
        let pictured;
        if (each) {
            const { entry } = each;
            const tree = treeOf(entry);
            const title = h(
                "h2",
                { id: "workload-title", tabindex: "-1" },
                h("small", {}, bdi(each.kind), each.namespace ? [" in ", bdi(each.namespace)] : ""),
                " ",
                nameOf(each),
            );
            pictured = tree.nodes.length || tree.outside.length ? pictureBlock(entry, tree) : undefined;
            section.replaceChildren(
                back,
                h("div", { class: "title" }, title, h("span", { class: "phase" }, phaseNode(each.phase)), flags(entry)),
                ...[
                    h(
                        "div",
                        { class: "columns" },
                        statusPanel(each),
                        podsPanel(each),
                        entry.cost ? costPanel(entry.cost) : "",
                        objectPanel(each),
                    ),
                    block(
                        "Tree",
                        pictured
                            ? [pictured.element, fold("The tree as text", () => treeList(tree, gangOf(entry)))]
                            : h("p", { class: "note" }, "No components are known."),
                    ),
                    resourcesBlock(entry, tree),
                    gangBlock(entry),
                    partsBlock(each),
                    incompleteBlock(entry),
                    diagnosticsBlock(entry),
                    conditionsBlock(entry.status),
                    costBlock(tree),
                    podsBlock(each, tree),
                    h("div", { class: "block" }, sourcesBlock(entry, tree)),
                ].filter(Boolean),
            );
            document.title = `${each.kind} ${each.name}, workloads`;
        } else {
            section.replaceChildren(
                back,
                h("h2", { id: "workload-title", tabindex: "-1" }, "There is no such workload in this report"),
            );
        }
        byId("overview").hidden = true;
        section.hidden = false;
        pictured?.start();
        scrollTo(0, 0);
        byId("workload-title").focus({ preventScroll: true });
    }

    // From address to view

    let titleOfPage;
    let wasRead = false;

    function route() {
        const text = location.hash.replace(/^#/, "");
        const asked = /^w\/([0-9]+)$/.exec(text);
        if (asked) {
            if (!byId("overview").hidden) position.scroll = scrollY;
            position.place = Number(asked[1]);
            showWorkload(Number(asked[1]));
            return;
        }
        const wasAway = byId("overview").hidden;
        const isNew = !wasRead || text !== lastOverview;
        wasRead = true;
        byId("overview").hidden = false;
        byId("workload").hidden = true;
        byId("workload").replaceChildren();
        document.title = titleOfPage;
        if (isNew) overview.read(text);
        if (wasAway) {
            scrollTo(0, position.scroll);
            overview.focus(position.place);
        }
    }

    function start() {
        report = JSON.parse(byId("report").textContent);
        works = report.workloads.map(work);
        nest();
        titleOfPage = document.title;
        overview = makeOverview();
        byId("cards").append(...cards());
        byId("unread").append(...unreadBlock());

        const theme = byId("theme");
        const tell = () => (theme.textContent = `Theme: ${keptOrSet()}`);
        const keptOrSet = () => document.documentElement.dataset.theme ?? "system";
        theme.hidden = false;
        theme.addEventListener("click", () => {
            setTheme(THEMES[(THEMES.indexOf(keptOrSet()) + 1) % THEMES.length]);
            tell();
        });
        tell();
        byId("skip").addEventListener("click", (event) => jump(event, byId("main")));
        addEventListener("hashchange", route);
        addEventListener("beforeprint", () =>
            document.querySelectorAll("details").forEach((each) => {
                each.open = true;
                each.fill?.();
            }),
        );

        byId("app").hidden = false;
        byId("loading").hidden = true;
        route();
        performance.mark("shown");
    }
})();

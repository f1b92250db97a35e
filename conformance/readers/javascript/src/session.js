/**
 * What one request has in common: what was given, what the expressions have used, and what is to be told.
 */
import { compareText } from "./data.js";

/** One read of one workload. */
export class Session {
  /**
   * @param {object} inputs
   * @param {object[]} inputs.mappings compiled mappings
   * @param {object[] | undefined} inputs.references the objects that were given, if any were
   * @param {object[] | undefined} inputs.pods
   */
  constructor({ mappings, references, pods }) {
    this.mappings = mappings;
    this.references = references;
    this.pods = pods;
    this.budget = { rounds: 0 };
    this.diagnostics = new Map();
    this.incomplete = new Map();
    this.wanted = [];
    this.elements = new Map();
  }

  /**
   * Adds a diagnostic (S14.1). A failure without a problem has been told where it began.
   * @param {{class: string, message: string} | undefined} problem
   * @param {string} at
   * @param {{instance?: string[], mapping?: string, severity?: string}} [where]
   */
  tell(problem, at, { instance = [], mapping, severity = "error" } = {}) {
    if (problem === undefined) return;
    const path = instance.join("/");
    const key = JSON.stringify([at, path, problem.class, mapping ?? ""]);
    if (this.diagnostics.has(key)) return;
    const diagnostic = { severity, class: problem.class, at, message: problem.message };
    if (mapping !== undefined) diagnostic.mapping = mapping;
    if (path !== "") diagnostic.instance = path;
    this.diagnostics.set(key, diagnostic);
  }

  /** The diagnostics in the order of S13.3. */
  sortedDiagnostics() {
    const keys = (diagnostic) => [diagnostic.at, diagnostic.instance ?? "", diagnostic.class, diagnostic.mapping ?? ""];
    return [...this.diagnostics.values()].sort((a, b) => {
      const [x, y] = [keys(a), keys(b)];
      const differing = x.findIndex((part, i) => part !== y[i]);
      return differing < 0 ? 0 : compareText(x[differing], y[differing]);
    });
  }

  /**
   * Lists something in `totals.incomplete`, once (S6.8).
   * @param {string} what
   * @param {string} reason
   * @param {string} [component]
   * @param {string} [instance]
   */
  lack(what, reason, component, instance) {
    const entry = {};
    if (component !== undefined) entry.component = component;
    if (instance !== undefined) entry.instance = instance;
    Object.assign(entry, { what, reason });
    const key = JSON.stringify([component ?? null, instance ?? null, what, reason]);
    if (!this.incomplete.has(key)) this.incomplete.set(key, entry);
  }
}

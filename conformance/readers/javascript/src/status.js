/**
 * The status of a workload (section 9), and whether suspension is wanted.
 */
import { compact, deepEqual, hasKey, isInteger, isMap, newMap, unlessEmpty } from "./data.js";
import { evaluateExpression } from "./expressions.js";
import { memberName } from "./gang.js";
import { countFault } from "./reading.js";
import { ABSENT, FAILED, failed } from "./results.js";
import { Scope } from "./scope.js";
import { evaluateVariable, told } from "./values.js";

const CONDITION_TEXTS = ["status", "reason", "message"];
const BROKEN = { phase: "Unknown", reason: "MappingError", final: true };
const COUNTERS = ["ready", "active", "succeeded", "failed", "updated"];

/**
 * Whether suspension is wanted (S9.10); `undefined` if that cannot be told.
 * @param {import("./reading.js").Reading} reading
 * @returns {boolean | undefined}
 */
export function readSuspended(reading) {
  const { suspend } = reading.mapping;
  if (suspend === undefined) return undefined;
  if (suspend.requested !== undefined) {
    const requested = reading.condition(suspend.requested, reading.scope);
    return requested.failed ? undefined : requested.holds;
  }
  for (const action of suspend.actions) {
    const when = action.when === undefined ? { holds: true } : reading.condition(action.when, reading.scope);
    if (when.failed) return undefined;
    if (!when.holds) return false;
    const result = evaluateExpression(action.place, reading.scope, reading.session.budget);
    if (result.state === "failed") return undefined;
    const done = action.removes ? result.state === "absent" : result.state === "present" && deepEqual(result.value, action.to ?? null);
    if (!done) return false;
  }
  return true;
}

/**
 * The status of the map, or `undefined` for an object that no API server has seen (S9.1).
 * @param {import("./reading.js").Reading} reading
 * @param {boolean | undefined} suspended
 * @returns {object | undefined}
 */
export function readStatus(reading, suspended) {
  const { object, mapping } = reading;
  const metadata = object.metadata ?? newMap();
  const empty = isEmpty(object.status);
  if (!hasKey(metadata, "uid") && empty) return undefined;
  const deleting = hasKey(metadata, "deletionTimestamp") ? true : undefined;
  if (mapping.status === undefined) return compact({ phase: "Unknown", deleting });
  return new StatusReader(reading, suspended, empty).read(deleting);
}

// Whether nothing is left once zeros, false and everything empty are removed (S9.1).
function isEmpty(value) {
  if (Array.isArray(value)) return value.every(isEmpty);
  if (isMap(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === 0 || value === false || value === "";
}

class StatusReader {
  constructor(reading, suspended, empty) {
    Object.assign(this, { reading, suspended, empty });
    this.status = reading.mapping.status;
    this.sources = {};
    this.scope = new Scope(reading.scope);
    this.conditions = this.readConditions();
    const types = (status) => this.conditions.filter((condition) => condition.status === status).map((condition) => condition.type);
    this.scope.bind("conditions", this.conditions);
    this.scope.bind("conditionsTrue", types("True")).bind("conditionsFalse", types("False"));
    this.scope.bind("parts", parts(reading));
  }

  read(deleting) {
    const { reading, status } = this;
    for (const [i, variable] of status.variables.entries()) {
      const result = evaluateVariable(variable, this.scope, reading.session.budget);
      reading.tell(result.problem, status.variables[i].at);
      this.scope.declare("variables", variable.name, told(result));
    }
    this.foreign = this.empty && this.isForeign();
    // Whether an empty status is left at that (S9.3).
    this.unread = this.foreign || (this.empty && !status.readEmpty);
    const decision = this.decide();
    const stale = this.stale();
    return compact({
      phase: decision.phase,
      reason: decision.final ? decision.reason : this.word("reason", decision),
      message: decision.final ? undefined : this.word("message", decision),
      stale,
      updating: this.updating(),
      deleting,
      conditions: unlessEmpty(this.conditions.map(shownCondition)),
      sources: unlessEmpty(this.sources),
    });
  }

  // The conditions of the object (S9.2), each with its texts.
  readConditions() {
    this.conditionPlaces = new Map();
    const list = evaluateExpression(this.status.conditions, this.reading.scope, this.reading.session.budget);
    if (list.state !== "present" || !Array.isArray(list.value)) return [];
    const conditions = [];
    list.value.forEach((element, i) => {
      if (!isMap(element) || typeof element.type !== "string") return;
      const condition = Object.assign(newMap(), element);
      for (const name of CONDITION_TEXTS) if (typeof condition[name] !== "string") condition[name] = "";
      conditions.push(condition);
      this.conditionPlaces.set(condition, list.place?.step(i));
    });
    return conditions;
  }

  // The phase and what its reason and message come from (S9.3).
  decide() {
    if (this.foreign) return { phase: "Unknown", reason: "ManagedBy", final: true };
    if (this.unread) return { phase: this.suspended === true ? "Suspending" : "Initializing", final: true };
    for (const rule of this.status.rules) {
      const when = this.reading.condition(rule.when, this.scope);
      if (when.failed) return BROKEN;
      if (when.holds) return { phase: rule.phase, rule, condition: rule.condition };
    }
    return this.status.readiness === undefined ? { phase: "Unknown" } : this.readiness(this.status.readiness);
  }

  // Whether the object names a controller that the mapping does not describe.
  isForeign() {
    const { managedBy } = this.status;
    if (managedBy === undefined) return false;
    const manager = this.reading.value(managedBy.value, this.scope);
    return manager.state === "present" && !managedBy.own.includes(manager.value);
  }

  readiness({ type, wanted, ready, wasReady, condition }) {
    const is = this.count(ready);
    if (is.state === "failed") return BROKEN;
    const have = is.state === "present" ? is.value : 0;
    if (type === "task") return { phase: have > 0 ? "Running" : "Initializing", condition };
    const wants = wanted === undefined ? ABSENT : this.count(wanted);
    if (wants.state === "failed") return BROKEN;
    if (wants.state === "absent" ? have > 0 : have >= wants.value) return { phase: "Running", condition };
    if (have > 0) return { phase: "Degraded", condition };
    const was = wasReady === undefined ? { holds: false } : this.reading.condition(wasReady, this.scope);
    if (was.failed) return BROKEN;
    return { phase: was.holds ? "Degraded" : "Initializing", condition };
  }

  count(value) {
    const result = this.reading.value(value, this.scope);
    const fault = result.state === "present" ? countFault(result.value) : undefined;
    if (fault === undefined) return result;
    this.reading.tell(fault.problem, value.at);
    return FAILED;
  }

  // The reason or message (S9.4): of the rule, of the condition that it names, or of the mapping.
  word(name, { rule, condition }) {
    const own = this.text(rule?.[name], name);
    const named = this.conditions.filter((one) => one.type === condition).at(-1);
    const place = this.conditionPlaces.get(named);
    if (place?.text !== undefined) this.sources.condition = place.text;
    if (own !== undefined) return own;
    if (named !== undefined && named[name] !== "") return named[name];
    return this.text(this.status[name], name);
  }

  text(value, name) {
    if (value === undefined) return undefined;
    const result = this.reading.value(value, this.scope);
    if (result.state !== "present") return undefined;
    if (typeof result.value !== "string") {
      this.reading.tell(failed("result-type", "a text is asked for").problem, value.at);
      return undefined;
    }
    if (result.value === "") return undefined;
    if (result.place?.text !== undefined) this.sources[name] = result.place.text;
    return result.value;
  }

  // Whether the status is of an older generation (S9.7).
  stale() {
    const { observedGeneration } = this.status;
    if (observedGeneration === undefined) return undefined;
    const observed = this.reading.value(observedGeneration, this.scope);
    if (observed.state !== "present") return undefined;
    const number = toInteger(observed.value);
    if (number === undefined) {
      this.reading.tell(failed("result-type", "a generation is an integer").problem, observedGeneration.at);
      return undefined;
    }
    const generation = this.reading.object.metadata?.generation;
    if (!this.unread && observed.place?.text !== undefined) this.sources.observedGeneration = observed.place.text;
    return this.unread || !isInteger(generation) ? undefined : number < generation;
  }

  updating() {
    const { updating } = this.status;
    if (updating === undefined || this.unread) return undefined;
    const result = this.reading.condition(updating, this.scope);
    return result.failed ? undefined : result.holds;
  }
}

/**
 * A value that is an integer, or a text of decimal digits within S2.2 (`as: int` of S5.2).
 * @param {unknown} value
 * @returns {number | undefined}
 */
export function toInteger(value) {
  if (isInteger(value)) return value;
  if (typeof value !== "string" || !/^-?[0-9]+$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number + 0 : undefined;
}

function shownCondition(condition) {
  const shown = { type: condition.type, status: condition.status };
  for (const name of ["reason", "message", "lastTransitionTime"]) {
    if (typeof condition[name] === "string" && condition[name] !== "") shown[name] = condition[name];
  }
  return shown;
}

// The instances that have `observed`, as `parts` (S9.2.1).
function parts(reading) {
  const result = [];
  const visit = (components) => {
    for (const { instances } of components) {
      for (const instance of instances) {
        if (instance.observed !== undefined) {
          const part = Object.assign(newMap(), { component: memberName(instance, reading), instance: instance.id });
          part.wanted = instance.known("replicas") ?? -1;
          for (const counter of COUNTERS) part[counter] = instance.observed[counter] ?? 0;
          result.push(part);
        }
        visit(instance.children);
      }
    }
  };
  visit(reading.components);
  return result;
}

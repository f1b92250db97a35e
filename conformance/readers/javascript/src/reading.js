/**
 * Reads the components of a workload by its mapping (section 6): a tree of instances with their counts and templates.
 */
import { embeddedObject } from "./embed.js";
import { compareText, deepCopy, isInteger, MAX_INTEGER, unlessEmpty } from "./data.js";
import { layPodFields } from "./pod-fields.js";
import { finishTemplate, mainContainer, readBase } from "./templates.js";
import { readReference } from "./references.js";
import { podResources } from "./resources.js";
import { QuantityError } from "./quantities.js";
import { failed, present } from "./results.js";
import { Scope } from "./scope.js";
import { ROLES } from "./schemas.js";
import { evaluateCondition, evaluateValue, evaluateVariable, told } from "./values.js";

const MAX_FOR_EACH = 1000;

/** One mapping, applied to one object: the workload, or one that is embedded in it. */
export class Reading {
  /**
   * @param {import("./session.js").Session} session
   * @param {object} mapping compiled
   * @param {object} object the workload
   * @param {object} place where it lies
   * @param {Instance} [embedding] the instance that it is embedded in
   */
  constructor(session, mapping, object, place, embedding) {
    this.session = session;
    this.mapping = mapping;
    this.object = object;
    this.embedding = embedding;
    this.level = embedding === undefined ? 0 : embedding.reading.level + 1;
    this.scope = new Scope().bindObject("object", object, place);
    this.components = [];
  }

  /** The ids of the instances around this workload. */
  get path() {
    return this.embedding?.path ?? [];
  }

  /** Tells a problem at a field of this mapping. */
  tell(problem, at, instance = this.path, severity = "error") {
    const mapping = this.embedding === undefined ? undefined : this.mapping.name;
    this.session.tell(problem, at, { instance, mapping, severity });
  }

  /** Reads a value, and tells what is wrong with it. */
  value(value, scope, instance = this.path) {
    const result = evaluateValue(value, scope, this.session.budget);
    this.tell(result.problem, value.at, instance);
    return told(result);
  }

  /** Evaluates a condition, and tells what is wrong with it. */
  condition(condition, scope, instance = this.path) {
    const result = evaluateCondition(condition, scope, this.session.budget);
    this.tell(result.problem, condition.at, instance);
    return result;
  }

  /** Reads variables, references and components. */
  read() {
    this.readBeginning();
    this.components = this.readComponents(this.mapping.components, undefined, this.scope);
    this.lackDeclared(this.mapping.incomplete, this.scope, this.embedding);
    return this;
  }

  // Variables and references in the order of S19.1.
  readBeginning() {
    const { variables, references } = this.mapping;
    for (let stage = -1; stage < references.length; stage++) {
      if (stage >= 0) this.scope.declare("refs", references[stage].name, readReference(this, references[stage]));
      for (const variable of variables) {
        if (variable.rests !== stage) continue;
        const result = evaluateVariable(variable, this.scope, this.session.budget);
        this.tell(result.problem, variable.at);
        this.scope.declare("variables", variable.name, told(result), variable);
      }
    }
  }

  readComponents(components, parent, scope) {
    return components.map((component) => new ComponentReader(this, component, parent, scope).read());
  }

  // What a mapping declares to be incomplete (S6.7).
  lackDeclared(entries, scope, instance) {
    for (const entry of entries) {
      const held = entry.when === undefined ? { holds: true } : this.condition(entry.when, scope, instance?.path);
      if (held.holds) this.session.lack(entry.what, entry.reason, instance?.component.name, instance?.id);
      else if (held.failed) this.session.lack(entry.what, "error", instance?.component.name, instance?.id);
    }
  }
}

/**
 * One element of a component (section 1).
 */
export class Instance {
  constructor(reading, component, parent, id, scope) {
    this.reading = reading;
    this.component = component;
    this.parent = parent;
    this.id = id;
    this.scope = scope;
    this.above = parent ?? reading.embedding;
    this.path = [...(this.above?.path ?? []), id];
    this.counts = {};
    this.sources = {};
    this.children = [];
  }

  /** The instances from the outermost to this one, those around an embedded workload included. */
  get chain() {
    return this.above === undefined ? [this] : [...this.above.chain, this];
  }

  /** A count, if it is known. */
  known(name) {
    return this.counts[name]?.number;
  }

  /** How many replicas must start together (S6.4.3), if that is known. */
  get minAvailable() {
    const { minAvailable } = this.counts;
    const replicas = this.known("replicas");
    if (minAvailable === undefined || minAvailable.absent) return replicas;
    if (minAvailable.number === undefined || replicas === undefined) return minAvailable.number;
    return Math.min(minAvailable.number, replicas);
  }

  /** How many pods of one replica of the parent must start together, if that is known. */
  get minPodsInParent() {
    const { minPods } = this.counts;
    if (minPods !== undefined && !minPods.absent) return minPods.number;
    return product([this.minAvailable, this.known("podsPerReplica")]);
  }
}

/**
 * The product of counts; unknown if one of them is, and `Infinity` beyond 2^53-1.
 * @param {(number | undefined)[]} factors
 * @returns {number | undefined}
 */
export function product(factors) {
  if (factors.includes(undefined)) return undefined;
  const exact = factors.reduce((result, factor) => result * BigInt(factor), 1n);
  return exact > MAX_INTEGER ? Infinity : Number(exact);
}

const ONE = { number: 1 };

class ComponentReader {
  constructor(reading, component, parent, scope) {
    Object.assign(this, { reading, component, parent, scope });
    this.session = reading.session;
    this.outerPath = parent?.path ?? reading.path;
    this.instances = [];
    this.ids = new Set();
  }

  read() {
    const { component } = this;
    if (component.when === undefined || this.exists()) {
      for (const element of this.elements()) this.readElement(element);
    }
    return { component, instances: this.instances };
  }

  exists() {
    const when = this.reading.condition(this.component.when, this.scope, this.outerPath);
    if (when.failed) this.lackComponents("error");
    return when.holds;
  }

  lackComponents(reason) {
    this.session.lack("components", reason, this.component.name);
  }

  // What there is an instance for, each with its scope and the name that it has before it has an id.
  *elements() {
    const { forEach, name } = this.component;
    if (forEach === undefined) {
      yield { scope: new Scope(this.scope), name };
      return;
    }
    const list = forEach.literal === undefined ? this.reading.value(forEach.value, this.scope, this.outerPath) : present(forEach.literal);
    if (list.state === "failed") this.lackComponents("error");
    if (list.state === "absent" && list.missing) this.lackComponents("missing-reference");
    if (list.state !== "present") return;
    if (typeof list.value !== "object") {
      this.reading.tell(failed("result-type", "forEach takes a list or a map").problem, forEach.at, this.outerPath);
      this.lackComponents("error");
      return;
    }
    const keys = Array.isArray(list.value) ? [...list.value.keys()] : Object.keys(list.value).sort(compareText);
    const room = this.room(keys.length);
    if (room < keys.length) {
      this.reading.tell(failed("limit-exceeded", `more than ${MAX_FOR_EACH} elements`).problem, forEach.at, this.outerPath);
      this.lackComponents("error");
    }
    for (const key of keys.slice(0, room)) {
      const item = list.value[key];
      if (item !== null) yield { scope: this.scope.forElement(item, key, list.place?.step(key)), name: String(key) };
    }
  }

  // How many elements may still be read of this forEach, over all instances above it and wherever its mapping is used (S16.1).
  room(size) {
    const used = this.session.elements.get(this.component) ?? 0;
    this.session.elements.set(this.component, used + size);
    return Math.max(0, MAX_FOR_EACH - used);
  }

  readElement({ scope, name }) {
    const { component, reading } = this;
    // A problem that comes up before the instance has its id is told when it has one.
    const early = [];
    const flush = (id) => early.forEach(([problem, at]) => reading.tell(problem, at, [...this.outerPath, id]));
    for (const variable of component.variables) {
      const result = evaluateVariable(variable, scope, this.session.budget);
      if (result.problem !== undefined) early.push([result.problem, variable.at]);
      scope.declare("variables", variable.name, told(result), variable);
    }
    if (component.where !== undefined) {
      const where = evaluateCondition(component.where, scope, this.session.budget);
      if (where.failed) {
        if (where.problem !== undefined) early.push([where.problem, component.where.at]);
        this.lackComponents("error");
      }
      if (!where.holds) return flush(name);
    }
    const id = this.readId(scope, name, early);
    flush(id?.text ?? name);
    if (id === undefined) return this.lackComponents("error");
    if (this.ids.has(id.text)) {
      reading.tell(failed("result-invalid", `the id ${id.text} is repeated`).problem, `${component.at}/instance`, [...this.outerPath, id.text]);
      return this.lackComponents("error");
    }
    const instance = new Instance(reading, component, this.parent, id.text, scope);
    if (id.place !== undefined) instance.sources.instance = id.place;
    if (!new InstanceReader(instance).read()) return undefined;
    this.ids.add(id.text);
    this.instances.push(instance);
    return undefined;
  }

  readId(scope, name, early) {
    const { instance, at } = this.component;
    const place = instance === undefined ? `${at}/forEach` : `${at}/instance`;
    if (instance === undefined && name !== "") return { text: name };
    const result = instance === undefined ? present("") : evaluateValue(instance, scope, this.session.budget);
    const fault = idFault(result);
    if (fault === undefined && result.state === "present") return { text: String(result.value), place: result.place?.text };
    if (fault !== undefined) early.push([fault.problem, place]);
    return undefined;
  }
}

function idFault(result) {
  if (result.state === "failed") return result.problem === undefined ? undefined : result;
  if (result.state === "absent" || result.value === "") return failed("result-invalid", "an instance has an id");
  if (typeof result.value === "string" || isInteger(result.value)) return undefined;
  return failed("result-type", "an id is a text or an integer");
}

// Reads everything of an instance that has its id.
class InstanceReader {
  constructor(instance) {
    this.instance = instance;
    this.component = instance.component;
    this.reading = instance.reading;
    this.session = instance.reading.session;
    this.scope = instance.scope;
    this.tell = (problem, at) => this.reading.tell(problem, at, instance.path);
  }

  value(value) {
    return this.reading.value(value, this.scope, this.instance.path);
  }

  lack(what, reason) {
    this.session.lack(what, reason, this.component.name, this.instance.id);
  }

  // Whether a condition says that the instance exists (S6.3).
  get hasCondition() {
    const { hasForEach, when, where } = this.component;
    return (hasForEach ? where : when) !== undefined;
  }

  /** @returns {boolean} whether the instance exists (S6.3) */
  read() {
    const { component, instance } = this;
    let base;
    let embedded;
    if (component.embed !== undefined) {
      embedded = embeddedObject(instance);
      if (this.leftOut(embedded)) return false;
    } else if (!component.groups) {
      base = readBase(component, this.scope, this.session.budget, this.tell);
      if (component.podFields === undefined && this.leftOut(base)) return false;
    }
    this.readRole();
    this.readCounts();
    if (!component.groups) this.readPods(base);
    this.readObserved();
    this.reading.lackDeclared(component.incomplete, this.scope, instance);
    if (embedded !== undefined) this.readEmbedded(embedded);
    else instance.children = this.reading.readComponents(component.components, instance, this.scope);
    return true;
  }

  // A component without a condition is where its template or object is. Only what a missing reference hides is told.
  leftOut(result) {
    if (result.state !== "absent" || this.hasCondition) return false;
    const id = this.component.groups ? this.instance.id : undefined;
    if (result.missing) this.session.lack("components", "missing-reference", this.component.name, id);
    return true;
  }

  readRole() {
    const { component, instance } = this;
    if (component.role !== undefined && !component.roleIsLiteral) {
      const role = this.value(component.role);
      if (ROLES.has(role.value) || /^x-[a-z0-9-]+$/.test(typeof role.value === "string" ? role.value : "")) instance.role = role.value;
    }
    if (component.creates?.kinds !== undefined) {
      const kinds = component.creates.kinds.filter(({ when }) => when === undefined || this.reading.condition(when, this.scope, instance.path).holds);
      instance.creates = unlessEmpty(kinds.map(({ kind }) => kind));
    }
  }

  readCounts() {
    const { component, instance } = this;
    for (const name of ["replicas", "podsPerReplica", "minReplicas", "maxReplicas", "minAvailable", "minPods"]) {
      if (component[name] !== undefined) instance.counts[name] = this.readCount(component[name], name);
    }
    instance.counts.replicas ??= ONE;
    if (!component.groups) instance.counts.podsPerReplica ??= ONE;
  }

  readCount(value, source) {
    const result = this.value(value);
    if (result.state === "failed") return { reason: "error" };
    if (result.state === "absent") return { absent: true, reason: result.reason ?? (result.missing ? "missing-reference" : "absent") };
    const fault = countFault(result.value);
    if (fault !== undefined) {
      this.tell(fault.problem, value.at);
      return { reason: "error" };
    }
    if (result.place?.text !== undefined) this.instance.sources[source] = result.place.text;
    return { number: result.value };
  }

  readPods(base) {
    const { component, instance } = this;
    this.countPods();
    let failures = false;
    const tellField = (problem, at) => {
      failures = true;
      this.tell(problem, at);
    };
    instance.template = finishTemplate(component, base, this.scope, this.session.budget, tellField);
    for (const [name, place] of Object.entries(base.sources)) if (place !== undefined) instance.sources[name] = place;
    if (instance.template === undefined) {
      const reason = base.state === "failed" ? "error" : base.missing ? "missing-reference" : "absent";
      this.lack("podTemplate", reason);
      return;
    }
    failures = this.layOuterFields() || failures;
    if (failures) this.lack("podTemplate", "error");
    else if (base.missing) this.lack("podTemplate", "missing-reference");
    if (component.mainContainer !== undefined) {
      instance.mainContainer = mainContainer(component.mainContainer, instance.template, this.scope, this.session.budget, this.tell);
    }
    this.readResources();
  }

  // The fields that the embedding component lays over the templates inside (S6.10.5).
  layOuterFields() {
    const { embedding } = this.reading;
    let failures = false;
    const fields = embedding?.component.embed.podFields.filter((field) => field.component === this.component.name) ?? [];
    if (fields.length > 0) {
      this.instance.template = deepCopy(this.instance.template);
      layPodFields(fields, this.instance.template, embedding.scope, this.session.budget, (problem, at) => {
        failures = true;
        embedding.reading.tell(problem, at, embedding.path);
      });
    }
    return failures;
  }

  countPods() {
    const { instance } = this;
    const { chain } = instance;
    const perReplica = instance.known("podsPerReplica");
    const pods = product([...chain.map((one) => one.known("replicas")), perReplica]);
    if (pods === Infinity) {
      this.tell(failed("limit-exceeded", "more pods than 2^53-1").problem, `${this.component.at}/replicas`);
      this.lack("replicas", "error");
      instance.added = 0;
      return;
    }
    instance.pods = pods;
    const minimum = product([...chain.slice(0, -1).map((one) => one.minAvailable), instance.minPodsInParent]);
    if (pods === undefined) {
      // The minimum may be known where the pods are not: there is nothing to cut it to (S6.4.3).
      if (minimum !== undefined && minimum !== Infinity) instance.minPods = minimum;
      const unknown = [...chain.map((one) => one.counts.replicas), instance.counts.podsPerReplica].find((count) => count.number === undefined);
      this.lack("replicas", unknown.reason);
      // Only minReplicas stands in for what is not known (S6.6).
      const least = product([...chain.map((one) => one.known("replicas") ?? one.known("minReplicas")), perReplica]);
      instance.added = least === undefined || least === Infinity ? 0 : least;
      return;
    }
    instance.added = pods;
    if (minimum !== undefined) instance.minPods = Math.min(minimum, pods);
  }

  readResources() {
    const { instance, component } = this;
    try {
      instance.resources = podResources(instance.template);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      const field = component.podTemplate?.at ?? component.podSpec?.at ?? `${component.at}/podFields`;
      this.tell({ class: error.class, message: error.message }, field);
      this.lack("resources", "error");
    }
  }

  readObserved() {
    const { observed } = this.component;
    if (observed === undefined) return;
    const counters = {};
    for (const [name, value] of observed.counters) {
      const count = this.readCount(value, `observed.${name}`);
      if (count.number !== undefined) counters[name] = count.number;
    }
    this.instance.observed = unlessEmpty(counters);
  }

  readEmbedded(embedded) {
    const { instance } = this;
    if (embedded.state === "failed") this.lack("components", "error");
    if (embedded.state === "absent") this.lack("components", embedded.missing ? "missing-reference" : "absent");
    if (embedded.unmapped) this.lack("components", "no-mapping");
    if (embedded.mapping === undefined) return;
    instance.embedded = new Reading(this.session, embedded.mapping, embedded.object, embedded.place, instance).read();
    instance.children = instance.embedded.components;
  }
}

/**
 * What is wrong with a count (S6.4), if anything.
 * @param {unknown} value
 */
export function countFault(value) {
  if (!isInteger(value)) return failed("result-type", "a count is an integer");
  return value < 0 ? failed("result-invalid", "a count is not negative") : undefined;
}


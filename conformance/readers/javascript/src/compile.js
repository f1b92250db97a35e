/**
 * Makes a mapping that fits its schema into what `reading.js` and its neighbours evaluate: every text of it is parsed and
 * checked once, in the scope that it will have.
 */
import { compareText, hasKey, isMap } from "./data.js";
import { Rejection } from "./errors.js";
import { compileExpression } from "./expressions.js";
import { compileGang } from "./gang-compile.js";
import { Names } from "./names.js";
import { compilePodFields } from "./pod-fields.js";
import { escapeToken } from "./places.js";
import { indexComponents } from "./semantics.js";
import { compileCondition, compileLiteral, compileValue, compileVariable } from "./values.js";

const COUNTS = ["replicas", "podsPerReplica", "minReplicas", "maxReplicas", "minAvailable", "minPods"];
const COUNTERS = ["ready", "active", "succeeded", "failed", "updated"];

/**
 * @param {object} document a mapping that is valid against its schema
 * @param {string} digest of the document (S13.2)
 * @returns {object} the compiled mapping
 */
export function compileMapping(document, digest) {
  const { spec } = document;
  const index = indexComponents(spec.components);
  // What is wrong with expressions is told after all contradictions, as the stages of S15.1 are.
  const faults = [];
  const outer = new Names(["object", "variables", "refs"], [], [], faults);
  const { variables, references, names } = compileBeginning(spec, outer);
  const components = compileComponents(spec.components, "/spec/components", names, index);
  const compiled = {
    name: document.metadata.name,
    digest,
    group: spec.workload.group,
    kind: spec.workload.kind,
    versions: spec.workload.versions,
    variables,
    references,
    components,
    index,
    invalid: each(spec.invalid, "/spec/invalid", (entry, at) => ({ ...entry, when: compileCondition(entry.when, names, `${at}/when`) })),
    selectors: compileSelectors(spec.pods?.selector, names),
    status: spec.status && compileStatus(spec.status, names),
    suspend: spec.suspend && compileSuspend(spec.suspend, names),
    gang: compileGang(spec.gang ?? [], "/spec/gang", names, index),
    incomplete: compileIncomplete(spec.incomplete, "/spec/incomplete", names),
    immutable: compileImmutable(spec.immutable, "/spec/immutable", names),
  };
  if (faults.length > 0) throw faults[0];
  return compiled;
}

function each(list, at, compile) {
  return (list ?? []).map((element, i) => compile(element, `${at}/${i}`));
}

// Variables and references of the mapping (S19.1). A reference sees what rests on no later one.
function compileBeginning(spec, outer) {
  const declared = (spec.references ?? []).map((reference) => reference.name);
  const order = new Map(declared.map((name, i) => [name, i]));
  const rests = new Map();
  let names = new Names(outer.roots, [], declared, outer.faults);
  const variables = each(spec.variables, "/spec/variables", (source, at) => {
    if (names.hasVariable(source.name)) throw new Rejection("mapping-semantic", `two variables are called ${source.name}`, at);
    const variable = compileVariable(source, names, at);
    variable.rests = restsOn(variable, order, rests);
    rests.set(variable.name, variable.rests);
    names = names.withVariable(variable.name);
    return variable;
  });
  if (order.size < declared.length) throw new Rejection("mapping-semantic", "two references have one name", "/spec/references");
  const references = each(spec.references, "/spec/references", (reference, at) => {
    const i = order.get(reference.name);
    const early = variables.filter((variable) => variable.rests < i).map((variable) => variable.name);
    return compileReference(reference, new Names(outer.roots, early, declared.slice(0, i), outer.faults), at);
  });
  return { variables, references, names };
}

// The index of the last reference that a variable rests on, through other variables too; -1 for none.
function restsOn(variable, order, rests) {
  let last = -1;
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== "object") return undefined;
    // Where a value is written does not change what is read.
    if (node.mentions === undefined) return Object.keys(node).forEach((key) => key !== "writeTo" && key !== "write" && visit(node[key]));
    for (const name of node.mentions.refs) last = Math.max(last, order.get(name));
    for (const name of node.mentions.variables) last = Math.max(last, rests.get(name));
    return undefined;
  };
  visit(variable);
  return last;
}

function compileReference(reference, names, at) {
  const compiled = { name: reference.name, at, optional: reference.optional === true };
  if (hasKey(reference, "when")) compiled.when = compileCondition(reference.when, names, `${at}/when`);
  if (hasKey(reference, "candidates")) {
    compiled.candidates = each(reference.candidates, `${at}/candidates`, (candidate, place) => compileTarget(candidate, names, place));
  } else {
    compiled.candidates = [compileTarget(reference, names, at)];
  }
  return compiled;
}

// One object, or a list of objects, that a reference is to (S19.2).
function compileTarget(target, names, at) {
  const compiled = {
    apiVersion: compileLiteral(target.apiVersion, names, `${at}/apiVersion`),
    kind: compileLiteral(target.kind, names, `${at}/kind`),
  };
  if (hasKey(target, "namespace")) compiled.namespace = compileValue(target.namespace, names, `${at}/namespace`);
  if (hasKey(target, "resourceName")) {
    compiled.resourceName = compileValue(target.resourceName, names, `${at}/resourceName`);
  } else {
    compiled.isList = true;
    compiled.selector = compileEntries(target.selector ?? {}, names, `${at}/selector`);
    if (hasKey(target, "where")) compiled.where = compileCondition(target.where, names.withRoots("item"), `${at}/where`);
  }
  return compiled;
}

/**
 * Compiles a map of values, as a list of keys and values.
 * @param {Record<string, unknown>} map
 * @param {Names} names
 * @param {string} at
 */
export function compileEntries(map, names, at) {
  // In the order of their keys, so that nothing depends on the order in the document (S0.4).
  return Object.keys(map).sort(compareText).map((key) => [key, compileValue(map[key], names, `${at}/${escapeToken(key)}`)]);
}

function compileSelectors(selector, names) {
  if (selector === undefined) return [];
  const at = "/spec/pods/selector";
  const compileOne = (one, place) => {
    const keys = Object.keys(one);
    if (keys.length === 1 && keys[0] === "from") return { at: place, from: compileValue(one.from, names, `${place}/from`) };
    return { at: place, labels: compileEntries(one, names, place) };
  };
  return Array.isArray(selector) ? each(selector, at, compileOne) : [compileOne(selector, at)];
}

function compileIncomplete(entries, at, names) {
  return each(entries, at, (entry, place) => {
    const compiled = { at: place, what: entry.what, reason: entry.reason };
    if (hasKey(entry, "when")) compiled.when = compileCondition(entry.when, names, `${place}/when`);
    return compiled;
  });
}

// What cannot be written (S20.9).
function compileImmutable(entries, at, names) {
  return each(entries, at, (entry, place) => {
    const paths = (name) => each(entry[name], `${place}/${name}`, (path, where) => compileExpression(path, names, where, { place: true }));
    const compiled = { places: paths("places"), except: paths("except"), reason: entry.reason };
    if (hasKey(entry, "when")) compiled.when = compileCondition(entry.when, names, `${place}/when`);
    return compiled;
  });
}

function compileVariables(variables, at, names) {
  let inside = names;
  const compiled = each(variables, at, (variable, place) => {
    if (inside.hasVariable(variable.name)) throw new Rejection("mapping-semantic", `two variables are called ${variable.name}`, place);
    const result = compileVariable(variable, inside, place);
    inside = inside.withVariable(variable.name);
    return result;
  });
  return { variables: compiled, names: inside };
}

function compileComponents(components, at, names, index) {
  return each(components, at, (component, place) => compileComponent(component, place, names, index));
}

function compileComponent(source, at, enclosing, index) {
  const entry = index.get(source.name);
  const component = { name: source.name, at, entry, hasForEach: hasKey(source, "forEach") };
  if (hasKey(source, "when")) component.when = compileCondition(source.when, enclosing, `${at}/when`);
  if (component.hasForEach) component.forEach = compileForEach(source.forEach, enclosing, `${at}/forEach`);
  const inside = component.hasForEach ? enclosing.inElement() : enclosing;
  const { variables, names } = compileVariables(source.variables, `${at}/variables`, inside);
  component.variables = variables;
  entry.names = names;
  entry.compiled = component;
  if (hasKey(source, "where")) component.where = compileCondition(source.where, names, `${at}/where`);
  const optional = (name, compile) => {
    if (hasKey(source, name)) component[name] = compile(source[name], names, `${at}/${name}`);
  };
  optional("instance", compileValue);
  for (const count of COUNTS) optional(count, compileValue);
  for (const part of ["podTemplate", "podSpec", "podMetadata"]) optional(part, compileLayered);
  optional("podFields", compilePodFields);
  optional("mainContainer", compileMainContainer);
  optional("role", compileLiteral);
  component.roleIsLiteral = typeof source.role === "string";
  component.creates = compileCreates(source.creates, names, `${at}/creates`);
  optional("observed", compileObserved);
  optional("pods", compileComponentPods);
  component.incomplete = compileIncomplete(source.incomplete, `${at}/incomplete`, names);
  component.immutable = compileImmutable(source.immutable, `${at}/immutable`, names);
  optional("embed", compileEmbed);
  component.groups = hasKey(source, "components") || hasKey(source, "embed");
  component.components = compileComponents(source.components, `${at}/components`, names, index);
  return component;
}

function compileForEach(forEach, names, at) {
  if (isMap(forEach) && hasKey(forEach, "values")) return { at, literal: forEach.values };
  return { at, value: compileValue(forEach, names, at) };
}

function compileLayered(value, names, at) {
  if (!isMap(value) || !hasKey(value, "merge")) return { at, layers: [compileValue(value, names, at)] };
  const layers = value.merge.map((layer) => compileValue(layer, names, at));
  return { at, layers, merge: true, lists: compileLiteral(value.lists ?? "replace", names, `${at}/lists`) };
}

function compileMainContainer(main, names, at) {
  if (!isMap(main)) return { at, name: compileLiteral(main, names, at) };
  if (hasKey(main, "value")) return { at, name: compileValue(main.value, names, at) };
  const compiled = { at, first: true };
  if (hasKey(main, "name")) compiled.name = compileLiteral(main.name, names, `${at}/name`);
  return compiled;
}

function compileCreates(creates, names, at) {
  if (creates === undefined) return undefined;
  const list = Array.isArray(creates) ? creates : [creates];
  const kinds = list.map((kind, i) => {
    const compiled = { apiVersion: kind.apiVersion, kind: kind.kind };
    const place = Array.isArray(creates) ? `${at}/${i}/when` : `${at}/when`;
    return { kind: compiled, when: hasKey(kind, "when") ? compileCondition(kind.when, names, place) : undefined };
  });
  const single = kinds.length === 1 && kinds[0].when === undefined;
  return single ? { single: kinds[0].kind } : { kinds };
}

function compileObserved(observed, names, at) {
  const counters = COUNTERS.filter((counter) => hasKey(observed, counter));
  return { unit: observed.unit, counters: counters.map((name) => [name, compileValue(observed[name], names, `${at}/${name}`)]) };
}

function compileComponentPods(pods, names, at) {
  const inside = names.withRoots("pod");
  const compiled = { at };
  for (const name of ["instance", "replica", "index", "revision"]) {
    if (hasKey(pods, name)) compiled[name] = compileValue(pods[name], inside, `${at}/${name}`);
  }
  if (hasKey(pods, "firstIndex")) compiled.firstIndex = compileValue(pods.firstIndex, inside, `${at}/firstIndex`);
  if (hasKey(pods, "match")) compiled.match = compileCondition(pods.match, inside, `${at}/match`);
  if (hasKey(pods, "matchLabels")) compiled.matchLabels = compileEntries(pods.matchLabels, inside, `${at}/matchLabels`);
  return compiled;
}

function compileEmbed(embed, names, at) {
  const compiled = { at, podless: embed.podless ?? [] };
  for (const name of ["apiVersion", "kind"]) {
    if (hasKey(embed, name)) compiled[name] = compileLiteral(embed[name], names, `${at}/${name}`);
  }
  for (const name of ["object", "spec", "name", "labels", "annotations", "status"]) {
    if (hasKey(embed, name)) compiled[name] = compileValue(embed[name], names, `${at}/${name}`);
  }
  compiled.podFields = compilePodFields(embed.podFields ?? [], names, `${at}/podFields`);
  return compiled;
}

function compileStatus(status, outer) {
  const at = "/spec/status";
  const { variables, names: inside } = compileVariables(status.variables, `${at}/variables`, outer.withRoots(...STATUS_ROOTS));
  const compiled = { variables, readEmpty: status.readEmpty === true };
  const generation = status.observedGeneration ?? "object.status.observedGeneration";
  if (generation !== false) compiled.observedGeneration = compileValue(generation, inside, `${at}/observedGeneration`);
  compiled.conditions = compileExpression(status.conditions ?? "object.status.conditions", outer, `${at}/conditions`, { place: true });
  if (hasKey(status, "managedBy")) {
    compiled.managedBy = { value: compileValue(status.managedBy.value, inside, `${at}/managedBy/value`), own: status.managedBy.own };
  }
  for (const name of ["reason", "message"]) {
    if (hasKey(status, name)) compiled[name] = compileValue(status[name], inside, `${at}/${name}`);
  }
  if (hasKey(status, "updating")) compiled.updating = compileCondition(status.updating, inside, `${at}/updating`);
  compiled.rules = each(status.rules, `${at}/rules`, (rule, place) => {
    const result = { phase: rule.phase, condition: rule.condition, when: compileCondition(rule.when, inside, `${place}/when`) };
    for (const name of ["reason", "message"]) if (hasKey(rule, name)) result[name] = compileValue(rule[name], inside, `${place}/${name}`);
    return result;
  });
  if (hasKey(status, "readiness")) compiled.readiness = compileReadiness(status.readiness, inside, `${at}/readiness`);
  return compiled;
}

const STATUS_ROOTS = ["conditions", "conditionsTrue", "conditionsFalse", "parts"];

function compileReadiness(readiness, names, at) {
  const compiled = { type: readiness.type, condition: readiness.condition };
  for (const name of ["wanted", "ready"]) if (hasKey(readiness, name)) compiled[name] = compileValue(readiness[name], names, `${at}/${name}`);
  if (hasKey(readiness, "wasReady")) compiled.wasReady = compileCondition(readiness.wasReady, names, `${at}/wasReady`);
  return compiled;
}

function compileSuspend(suspend, names) {
  const at = "/spec/suspend";
  const action = (source, place) => {
    const removes = hasKey(source, "remove");
    const compiled = { removes, to: source.to };
    const field = removes ? "remove" : "set";
    compiled.at = `${place}/${field}`;
    compiled.place = compileExpression(source[field], names, compiled.at, { place: true });
    if (hasKey(source, "when")) compiled.when = compileCondition(source.when, names, `${place}/when`);
    return compiled;
  };
  const compiled = { actions: each(suspend.suspend, `${at}/suspend`, action), resume: each(suspend.resume, `${at}/resume`, action) };
  if (hasKey(suspend, "requested")) compiled.requested = compileCondition(suspend.requested, names, `${at}/requested`);
  return compiled;
}

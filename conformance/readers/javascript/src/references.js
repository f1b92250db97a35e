/**
 * References to other objects (section 19).
 */
import { isDeepStrictEqual } from "node:util";
import { compareText, isMap, newMap } from "./data.js";
import { PointerPlace } from "./places.js";
import { ABSENT, FAILED, failed, MISSING, present } from "./results.js";
import { Scope } from "./scope.js";
import { evaluateCondition } from "./values.js";

/**
 * Binds a reference, and notes what is wanted and not given (S19.5, S19.6).
 * @param {import("./reading.js").Reading} reading
 * @param {object} reference compiled
 * @returns {import("./results.js").Result}
 */
export function readReference(reading, reference) {
  if (reference.when !== undefined) {
    const when = reading.condition(reference.when, reading.scope);
    if (when.failed) return FAILED;
    if (!when.holds) return when.missing ? MISSING : ABSENT;
  }
  const place = new PointerPlace(`refs.${reference.name}#`);
  let anyFailed = false;
  let missing = false;
  const wanted = [];
  for (const candidate of reference.candidates) {
    const target = readTarget(reading, candidate);
    if (target.state === "failed") anyFailed = true;
    if (target.state === "absent") missing ||= target.missing;
    if (target.state !== "present") continue;
    const found = find(reading, candidate, target);
    if (found === FAILED) return FAILED;
    if (found === undefined || found.length === 0) wanted.push(tellWanted(reference.name, target));
    if (found === undefined) continue;
    if (anyFailed) return FAILED;
    want(reading.session, wanted);
    return present(found, place);
  }
  if (anyFailed) return FAILED;
  if (wanted.length === 0) return missing ? MISSING : ABSENT;
  want(reading.session, wanted);
  const { problem } = failed("missing-reference", `${reference.name} was not given`);
  reading.tell(problem, reference.at, reading.path, reference.optional ? "info" : "error");
  return MISSING;
}

// What a reference or candidate points at. It is present when everything that names it is.
function readTarget(reading, candidate) {
  const target = { state: "present", isList: candidate.isList === true };
  let absent;
  const read = (value) => {
    const result = reading.value(value, reading.scope);
    if (result.state === "present" && typeof result.value !== "string") {
      reading.tell(failed("result-type", "a reference is named by texts").problem, value.at);
      return FAILED;
    }
    return result.value === "" ? ABSENT : result;
  };
  let anyFailed = false;
  const take = (value, optional) => {
    const result = read(value);
    if (result.state === "failed") anyFailed = true;
    if (result.state === "absent" && !optional && !absent?.missing) absent = result;
    return result.value;
  };
  target.apiVersion = take(candidate.apiVersion);
  target.kind = take(candidate.kind);
  if (candidate.namespace !== undefined) target.namespace = take(candidate.namespace, true) ?? "";
  if (candidate.isList) target.selector = candidate.selector.map(([label, value]) => [label, take(value)]);
  else target.resourceName = take(candidate.resourceName);
  if (anyFailed) return FAILED;
  return absent ?? target;
}

const namespaceOf = (namespace) => (typeof namespace === "string" && namespace !== "" ? namespace : "default");

// The object or list that was given, or nothing.
function find(reading, candidate, target) {
  const given = reading.session.references;
  if (given === undefined) return undefined;
  const fits = (object) => {
    const metadata = object.metadata ?? newMap();
    if (object.apiVersion !== target.apiVersion || object.kind !== target.kind) return false;
    if (target.namespace === undefined) return !metadata.namespace;
    return namespaceOf(metadata.namespace) === namespaceOf(target.namespace);
  };
  const fitting = given.filter(fits);
  if (!target.isList) return fitting.find((object) => object.metadata?.name === target.resourceName);
  const list = [];
  for (const object of fitting) {
    const labels = isMap(object.metadata?.labels) ? object.metadata.labels : newMap();
    if (!target.selector.every(([label, value]) => labels[label] === value)) continue;
    if (candidate.where !== undefined) {
      const where = evaluateCondition(candidate.where, new Scope(reading.scope).bind("item", object), reading.session.budget);
      reading.tell(where.problem, candidate.where.at);
      if (where.failed) return FAILED;
      if (!where.holds) continue;
    }
    list.push(object);
  }
  const name = (object) => object.metadata?.name ?? "";
  return list.sort((a, b) => compareText(name(a), name(b)));
}

// Each is told once.
function want(session, wanted) {
  for (const one of wanted) if (!session.wanted.some((other) => isDeepStrictEqual(one, other))) session.wanted.push(one);
}

function tellWanted(name, target) {
  const wanted = { name, apiVersion: target.apiVersion, kind: target.kind };
  if (target.namespace !== undefined) wanted.namespace = namespaceOf(target.namespace);
  if (!target.isList) {
    wanted.resourceName = target.resourceName;
  } else if (target.selector.length > 0) {
    wanted.selector = target.selector.map(([label, value]) => `${label}=${value}`).sort(compareText).join(",");
  }
  return wanted;
}

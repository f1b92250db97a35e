/**
 * `podFields` (S7.4): fields that are laid over a pod template, one after another.
 */
import { deepCopy, deepEqual, hasKey, isMap, newMap } from "./data.js";
import { describeField, hasField } from "./core-types.js";
import { failed } from "./results.js";
import { Scope } from "./scope.js";
import { compileCondition, compileLiteral, compileValue, evaluateCondition, evaluateValue } from "./values.js";

/** A value that does not fit where it is to be laid. */
class MisfitError extends Error {}

/**
 * @param {object[]} entries
 * @param {import("./names.js").Names} names
 * @param {string} at
 */
export function compilePodFields(entries, names, at) {
  return entries.map((entry, i) => {
    const place = `${at}/${i}`;
    const inside = hasKey(entry, "forEach") ? names.withRoots("patch") : names;
    const compiled = {
      at: place,
      component: entry.component,
      field: entry.field?.split("."),
      containers: entry.init === true ? "initContainers" : "containers",
      mode: entry.mode ?? "replace",
      value: compileValue(entry.value, inside, `${place}/value`),
    };
    for (const name of ["container", "key"]) {
      if (hasKey(entry, name)) compiled[name] = compileLiteral(entry[name], inside, `${place}/${name}`);
    }
    compiled.first = entry.container === "first";
    if (hasKey(entry, "when")) compiled.when = compileCondition(entry.when, hasKey(entry, "forEach") ? names : inside, `${place}/when`);
    if (hasKey(entry, "forEach")) compiled.forEach = compileValue(entry.forEach, names, `${place}/forEach`);
    if (hasKey(entry, "where")) compiled.where = compileCondition(entry.where, inside, `${place}/where`);
    return compiled;
  });
}

/**
 * Lays entries over a template.
 * @param {object[]} entries compiled
 * @param {object} template changed in place
 * @param {Scope} scope
 * @param {{rounds: number}} budget
 * @param {(problem: object | undefined, at: string) => void} tell what happens with a failure
 * @param {(entry: object, scope: Scope, texts: {container?: string, key?: string}, value: object) => void} [record] is told of
 *   each entry that applies, with its value, before the entry is laid
 */
export function layPodFields(entries, template, scope, budget, tell, record) {
  for (const entry of entries) {
    const report = (result, name) => tell(result.problem, `${entry.at}/${name}`);
    if (entry.when !== undefined) {
      const guard = evaluateCondition(entry.when, scope, budget);
      if (guard.failed) report(guard, "when");
      if (!guard.holds) continue;
    }
    for (const inside of elements(entry, scope, budget, report)) {
      if (entry.where !== undefined) {
        const where = evaluateCondition(entry.where, inside, budget);
        if (where.failed) report(where, "where");
        if (!where.holds) continue;
      }
      layEntry(entry, template, inside, budget, report, record);
    }
  }
}

// The scopes that an entry is laid in: one, or one for each element of `forEach` (S7.4.4).
function elements(entry, scope, budget, report) {
  if (entry.forEach === undefined) return [scope];
  const list = evaluateValue(entry.forEach, scope, budget);
  if (list.state === "failed") report(list, "forEach");
  if (list.state !== "present") return [];
  if (!Array.isArray(list.value)) {
    report(failed("result-type", "patches are a list"), "forEach");
    return [];
  }
  return list.value.flatMap((element, i) => (element === null ? [] : [new Scope(scope).bind("patch", element, list.place?.step(i))]));
}

function layEntry(entry, template, scope, budget, report, record) {
  const texts = {};
  for (const name of ["container", "key"]) {
    if (entry[name] === undefined) continue;
    const result = evaluateValue(entry[name], scope, budget);
    if (result.state === "failed") return report(result, name);
    if (result.state === "absent") return undefined;
    if (typeof result.value !== "string") return report(failed("result-type", `a ${name} is named by a text`), name);
    texts[name] = result.value;
  }
  const value = evaluateValue(entry.value, scope, budget);
  if (value.state === "failed") return report(value, "value");
  record?.(entry, scope, texts, value);
  if (value.state === "absent") return undefined;
  try {
    lay(entry, template, texts, value.value);
  } catch (error) {
    if (!(error instanceof MisfitError)) throw error;
    report(failed("result-type", error.message), "value");
  }
  return undefined;
}

function lay(entry, template, { container, key }, value) {
  const path = key === undefined ? entry.field : [...entry.field, key];
  if (container === undefined) return set(template, "PodTemplateSpec", path, value, entry.mode);
  const spec = child(template, "spec");
  const list = spec[entry.containers] ?? [];
  if (!Array.isArray(list)) throw new MisfitError("the containers are no list");
  const index = container === "first" ? (isMap(list[0]) ? 0 : -1) : list.findIndex((one) => isMap(one) && one.name === container);
  if (index < 0 && container === "first") return undefined;
  // What misfits changes nothing, so the container is changed apart and put in place at the end.
  const changed = index < 0 ? Object.assign(newMap(), { name: container }) : deepCopy(list[index]);
  if (path === undefined) layContainer(changed, value, entry.mode);
  else set(changed, "Container", path, value, entry.mode);
  if (!hasKey(template, "spec")) template.spec = spec;
  spec[entry.containers] = index < 0 ? [changed, ...list] : list.with(index, changed);
  return undefined;
}

// The map at an entry, made if there is none; it is not put in place.
function child(map, name) {
  if (!hasKey(map, name)) return newMap();
  if (!isMap(map[name])) throw new MisfitError(`${name} is no map`);
  return map[name];
}

// The fields of a Container, but for its name, are laid one by one (S7.4.2).
function layContainer(container, value, mode) {
  if (!isMap(value)) throw new MisfitError("a container is a map");
  const laid = Object.keys(value).filter((field) => field !== "name" && hasField("Container", field));
  for (const field of laid) set(container, "Container", [field], value[field], mode);
}

function set(map, type, path, value, mode) {
  const [name, ...rest] = path;
  const description = describeField(type, name);
  if (rest.length > 0) {
    const next = child(map, name);
    set(next, description.type, rest, value, mode);
    map[name] = next;
  } else if (mode !== "default" || !hasKey(map, name)) {
    map[name] = MODES[mode](map[name], deepCopy(value), description);
  }
}

const isNamed = (element) => isMap(element) && typeof element.name === "string";
const isNamedList = (value) => Array.isArray(value) && value.every(isNamed);

// What becomes of a field in each mode (S7.4.3), from what it holds, if anything, and the value.
const MODES = {
  replace: (old, value) => value,
  default: (old, value) => value,
  merge(old, value) {
    if (isMap(value) && (old === undefined || isMap(old))) return Object.assign(newMap(), old, value);
    if (!isNamedList(value) || (old !== undefined && !isNamedList(old))) throw new MisfitError("only maps, or lists with names, are merged");
    return mergeLists(old ?? [], value, "name", (before, after) => after);
  },
  append(old, value) {
    if (!Array.isArray(value) || (old !== undefined && !Array.isArray(old))) throw new MisfitError("only lists are appended to each other");
    return [...(old ?? []), ...value];
  },
  strategic: (old, value, description) => strategic(old, value, description),
};

/**
 * Merges a list into another: elements with an equal key are joined in place, the others added at the end.
 * @param {object[]} old
 * @param {object[]} added
 * @param {string} key
 * @param {(before: object, after: object) => object} join
 */
export function mergeLists(old, added, key, join) {
  const result = [...old];
  for (const element of added) {
    const index = result.findIndex((one) => deepEqual(one[key], element[key]));
    if (index < 0) result.push(element);
    else result[index] = join(result[index], element);
  }
  return result;
}

function strategic(old, value, { type, mergeKey }) {
  if (isMap(old) && isMap(value)) {
    const result = Object.assign(newMap(), old);
    for (const field of Object.keys(value)) result[field] = strategic(old[field], value[field], describeField(type, field));
    return result;
  }
  const hasMergeKey = (element) => isMap(element) && hasKey(element, mergeKey);
  const lists = Array.isArray(old) && Array.isArray(value) && mergeKey !== undefined;
  if (!lists || ![...old, ...value].every(hasMergeKey)) return value;
  return mergeLists(old, value, mergeKey, (before, after) => strategic(before, after, { type }));
}

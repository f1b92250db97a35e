/**
 * Requests and limits of a pod, and their sums (section 8).
 */
import { compareText, hasKey, isMap, newMap, unlessEmpty } from "./data.js";
import { add, compare, formatQuantity, isZero, parseQuantity, QuantityError, times, ZERO } from "./quantities.js";

// Of these a pod takes what it is given, if no limit is stated; others cannot be used at all (S8.5).
const UNBOUNDED = ["cpu", "ephemeral-storage", "memory"];
const KINDS = ["requests", "limits"];

/**
 * @typedef {object} Resources
 * @property {Map<string, import("./quantities.js").Quantity>} requests
 * @property {Map<string, import("./quantities.js").Quantity>} limits
 * @property {Set<string>} unlimited
 */

/**
 * The effective requests and limits of one pod (S8.2 to S8.5).
 * @param {object} template a PodTemplateSpec
 * @returns {Resources}
 * @throws {QuantityError} if a list of containers or a quantity is malformed
 */
export function podResources(template) {
  const spec = template.spec ?? newMap();
  if (!isMap(spec)) throw new QuantityError("result-type", "the spec of a template is a map");
  const containers = readContainers(spec, "containers");
  const initContainers = readContainers(spec, "initContainers");
  const podLevel = readRequirements(spec.resources, "the resources of the pod");
  const overhead = readAmounts(spec.overhead, "the overhead");
  const result = { requests: new Map(), limits: new Map(), unlimited: new Set() };
  for (const kind of KINDS) {
    for (const name of namesOf(kind, [...containers, ...initContainers])) result[kind].set(name, effective(name, kind, containers, initContainers));
    for (const [name, amount] of podLevel[kind]) {
      if (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) result[kind].set(name, amount);
    }
  }
  for (const [name, amount] of overhead) {
    result.requests.set(name, add(result.requests.get(name) ?? ZERO, amount));
    const limit = result.limits.get(name);
    if (limit !== undefined && !isZero(limit)) result.limits.set(name, add(limit, amount));
  }
  const running = [...containers, ...initContainers.filter((container) => container.restarts)];
  for (const name of UNBOUNDED) {
    const open = running.some((container) => !container.limits.has(name)) && !podLevel.limits.has(name);
    if (result.limits.has(name) && open) result.unlimited.add(name);
  }
  return result;
}

function namesOf(kind, containers) {
  return new Set(containers.flatMap((container) => [...container[kind].keys()]));
}

// The larger of what runs together and the highest peak while the pod starts (S8.3).
function effective(name, kind, containers, initContainers) {
  const amount = (container) => container[kind].get(name) ?? ZERO;
  const base = [...containers, ...initContainers.filter((container) => container.restarts)].map(amount).reduce(add, ZERO);
  let running = ZERO;
  let peak = ZERO;
  for (const container of initContainers) {
    const here = container.restarts ? add(running, amount(container)) : add(amount(container), running);
    if (container.restarts) running = here;
    if (compare(here, peak) > 0) peak = here;
  }
  return compare(peak, base) > 0 ? peak : base;
}

function readContainers(spec, field) {
  if (!hasKey(spec, field)) return [];
  if (!Array.isArray(spec[field])) throw new QuantityError("result-type", `${field} are no list`);
  return spec[field].map((container) => {
    if (!isMap(container)) throw new QuantityError("result-type", "a container is a map");
    const { requests, limits } = readRequirements(container.resources, "the resources of a container");
    for (const [name, limit] of limits) if (!requests.has(name)) requests.set(name, limit);
    return { requests, limits, restarts: container.restartPolicy === "Always" };
  });
}

function readRequirements(resources, what) {
  if (resources !== undefined && !isMap(resources)) throw new QuantityError("result-type", `${what} are no map`);
  return { requests: readAmounts(resources?.requests, "requests"), limits: readAmounts(resources?.limits, "limits") };
}

function readAmounts(amounts, what) {
  if (amounts === undefined) return new Map();
  if (!isMap(amounts)) throw new QuantityError("result-type", `${what} are no map`);
  return new Map(Object.keys(amounts).map((name) => [name, parseQuantity(amounts[name])]));
}

/**
 * The resources of a number of pods.
 * @param {Resources} resources of one pod
 * @param {number} count
 * @returns {Resources}
 */
export function multiplied(resources, count) {
  const scale = (amounts) => new Map([...amounts].map(([name, amount]) => [name, times(amount, count)]));
  return { requests: scale(resources.requests), limits: scale(resources.limits), unlimited: resources.unlimited };
}

/**
 * The sum over several templates (S8.7). A name is also unlimited if a template that has pods does not limit it (S8.5).
 * @param {{resources: Resources, pods: number}[]} parts each of one pod, and how many pods there are
 * @returns {Resources}
 */
export function summed(parts) {
  const total = { requests: new Map(), limits: new Map(), unlimited: new Set() };
  for (const { resources, pods } of parts) {
    const all = multiplied(resources, pods);
    for (const kind of KINDS) {
      for (const [name, amount] of all[kind]) total[kind].set(name, add(total[kind].get(name) ?? ZERO, amount));
    }
  }
  const counted = parts.filter(({ pods }) => pods > 0);
  for (const name of UNBOUNDED) {
    const open = counted.some(({ resources }) => resources.unlimited.has(name) || !resources.limits.has(name));
    if (total.limits.has(name) && open) total.unlimited.add(name);
  }
  return total;
}

/**
 * As it is written in the map.
 * @param {Resources} resources
 * @returns {object}
 */
export function formatResources(resources) {
  const result = newMap();
  for (const kind of KINDS) {
    const amounts = newMap();
    for (const name of [...resources[kind].keys()].sort(compareText)) amounts[name] = formatQuantity(resources[kind].get(name));
    if (unlessEmpty(amounts) !== undefined) result[kind] = amounts;
  }
  if (resources.unlimited.size > 0) result.unlimited = [...resources.unlimited].sort(compareText);
  return result;
}

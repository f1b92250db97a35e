/**
 * Intents (S20.2, S20.3): which instances one means, and what is asked of each.
 */
import { DataError, UpdateError } from "./errors.js";
import { hasKey, isMap, normalise } from "./data.js";
import { instancesOf, podInstances } from "./gang.js";
import { parseQuantity, QuantityError } from "./quantities.js";
import { intentFault } from "./schemas.js";
import { Named } from "./targets.js";

/** The counts that can be set. */
export const SCALED = ["replicas", "podsPerReplica", "minReplicas", "maxReplicas"];

/** The fields of `set` that hold quantities. */
export const isAmount = (field) => field === "requests" || field === "limits";

/**
 * Checks an intent against its schema and section 2.
 * @param {unknown} given
 * @returns {object} the intent; its `value` is null where something is to be removed
 */
export function readIntent(given) {
  const fault = intentFault(given);
  if (fault !== undefined) throw new UpdateError(`this is no intent: ${fault.message}`);
  let intent;
  try {
    intent = normalise(given);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new UpdateError(error.message);
  }
  if (given.value === null) intent.value = null;
  if (isAmount(intent.field) && intent.value !== null) readAmount(intent.value);
  return intent;
}

function readAmount(value) {
  try {
    parseQuantity(value);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new UpdateError(error.message);
  }
}

/**
 * The one instance that is scaled (S20.2.1).
 * @param {import("./reading.js").Reading} reading
 * @param {object} intent
 * @returns {import("./reading.js").Instance}
 */
export function scaledInstance(reading, intent) {
  const asked = SCALED.filter((name) => hasKey(intent, name));
  const named = intent.component === undefined ? allInstances(reading.components) : namedInstances(reading, intent.component);
  const gives = ({ component }) => intent.component !== undefined || asked.every((name) => component[name] !== undefined);
  const fitting = named.filter((instance) => gives(instance) && isCalled(instance, intent.instance));
  if (fitting.length !== 1) throw new UpdateError(`${fitting.length} instances fit, and one can be scaled`);
  return fitting[0];
}

/**
 * The instances of pod components whose templates are meant (S20.2.1).
 * @param {import("./reading.js").Reading} reading
 * @param {object} intent
 * @returns {import("./reading.js").Instance[]} at least one
 */
export function meantInstances(reading, intent) {
  const named = intent.component === undefined ? podInstances(reading.components) : namedInstances(reading, intent.component);
  const fitting = named.filter((instance) => isCalled(instance, intent.instance));
  const pods = fitting.flatMap((instance) => (instance.component.groups ? podInstances(instance.children) : [instance]));
  if (pods.length === 0) throw new UpdateError("no instance fits");
  return pods;
}

function allInstances(components) {
  return components.flatMap(({ instances }) => instances.flatMap((instance) => [instance, ...allInstances(instance.children)]));
}

const isCalled = (instance, name) => name === undefined || name === instance.id || name === instance.path.join("/");

// A component of an embedded workload is named behind the one that embeds it (S11.2).
function namedInstances(reading, component) {
  const [name, ...inner] = component.split("/");
  let instances = instancesOf(reading, reading.mapping.index.get(name));
  for (const one of inner) {
    const readings = instances.map((instance) => instance.embedded).filter((embedded) => embedded !== undefined);
    instances = readings.flatMap((embedded) => instancesOf(embedded, embedded.mapping.index.get(one)));
  }
  return instances;
}

/**
 * The steps to the field that `set` names, in the template of an instance (S20.3).
 * @param {object} intent
 * @param {import("./reading.js").Instance} instance
 * @returns {import("./targets.js").Step[]}
 */
export function fieldSteps({ field, key, container }, { template, mainContainer }) {
  switch (field) {
    case "labels":
    case "annotations":
      return ["metadata", field, key];
    case "nodeSelector":
      return ["spec", field, key];
    case "image":
      return [...containerSteps(template, container, mainContainer), field];
    case "requests":
    case "limits":
      return [...containerSteps(template, container, mainContainer), "resources", field, key];
    default:
      return ["spec", field];
  }
}

function containerSteps(template, container, mainContainer) {
  const listed = (name) => (Array.isArray(template.spec?.[name]) ? template.spec[name].filter(isMap) : []);
  const containers = listed("containers");
  if (container === undefined) {
    if (mainContainer !== undefined) return ["spec", "containers", new Named(mainContainer)];
    if (containers.length === 1) return ["spec", "containers", new Named(containers[0].name)];
    throw new UpdateError("which container is meant cannot be told");
  }
  for (const list of ["containers", "initContainers"]) {
    if (listed(list).some(({ name }) => name === container)) return ["spec", list, new Named(container)];
  }
  throw new UpdateError(`there is no container ${container}`);
}

/**
 * What a changed workload is held to (S20.7): it reads as asked, and else as before.
 */
import { deepEqual } from "./data.js";
import { UpdateError } from "./errors.js";
import { SCALED } from "./intents.js";

/**
 * What is compared of one read of a workload.
 * @param {import("./reading.js").Reading} reading whose map has been made, so that all diagnostics are told
 * @param {import("./gang.js").Group[]} groups
 */
export function snapshot(reading, groups) {
  const instances = new Map();
  const visit = (components) => {
    for (const { instances: list } of components) {
      for (const instance of list) {
        instances.set(instanceKey(instance), instance);
        visit(instance.children);
      }
    }
  };
  visit(reading.components);
  const queues = new Map();
  const note = (group) => {
    queues.set(group.document.id, group.document.queue);
    group.subgroups.forEach(note);
  };
  groups.forEach(note);
  const faults = new Set();
  for (const [key, { severity }] of reading.session.diagnostics) if (severity === "error") faults.add(key);
  return { instances, queues, faults };
}

/**
 * An instance, told by the components and instances from the outermost to it.
 * @param {import("./reading.js").Instance} instance
 * @returns {string}
 */
export function instanceKey(instance) {
  return JSON.stringify(instance.chain.map(({ component, id }) => [component.name, id]));
}

/**
 * Refuses a change that has other consequences than those that were asked for.
 * @param {ReturnType<typeof snapshot>} before
 * @param {ReturnType<typeof snapshot>} after
 * @param {{meant: Set<string>, queues: Set<string>, counts?: boolean}} asked the instances and groups that are to be different, the
 *   instances in their counts too or only in their templates
 */
export function refuseSideEffects(before, after, { meant, queues, counts = false }) {
  if (!deepEqual([...before.instances.keys()], [...after.instances.keys()])) throw new UpdateError("the components or instances would be others");
  for (const [key, instance] of before.instances) {
    const other = after.instances.get(key);
    const changed = SCALED.find((name) => instance.known(name) !== other.known(name));
    if (changed !== undefined && !(counts && meant.has(key))) throw new UpdateError(`${changed} of ${key} would change too`);
    if (!meant.has(key) && !deepEqual(instance.template, other.template)) throw new UpdateError(`the template of ${key} would change too`);
  }
  for (const [id, queue] of before.queues) {
    if (!queues.has(id) && after.queues.has(id) && after.queues.get(id) !== queue) throw new UpdateError(`the queue of ${id} would change too`);
  }
}

/**
 * Refuses a change that leads to a diagnostic of severity error.
 * @param {ReturnType<typeof snapshot>} before
 * @param {ReturnType<typeof snapshot>} after
 */
export function refuseFaults(before, after) {
  const added = [...after.faults].find((fault) => !before.faults.has(fault));
  if (added !== undefined) throw new UpdateError(`the workload would have another fault: ${added}`);
}

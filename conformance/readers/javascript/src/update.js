/**
 * The writer (section 20): makes the changed workload from an intent, or refuses it.
 */
import { deepEqual, hasKey } from "./data.js";
import { Rejection, UpdateError } from "./errors.js";
import { fieldTarget } from "./field-targets.js";
import { makeGroups } from "./gang.js";
import { refuseImmutable } from "./immutable.js";
import { fieldSteps, isAmount, meantInstances, readIntent, SCALED, scaledInstance } from "./intents.js";
import { makeMap } from "./map.js";
import { compare, parseQuantity, QuantityError } from "./quantities.js";
import { read } from "./reader.js";
import { instanceKey, refuseFaults, refuseSideEffects, snapshot } from "./rereading.js";
import { lookUp, TargetFinder } from "./targets.js";
import { evaluateCondition, evaluateValue } from "./values.js";
import { Writes, written } from "./writes.js";

/**
 * Changes a workload.
 * @param {import("./reader.js").Inputs & {intent: unknown}} inputs
 * @returns {object} the workload; what is not written is as it was given
 */
export function update(inputs) {
  const before = readWhole(inputs);
  const intent = readIntent(inputs.intent);
  const finder = new TargetFinder(before.reading.session.budget);
  const plan = PLANS[intent.field === undefined ? intent.op : (SET_PLANS[intent.field] ?? "set")](intent, before, finder);
  if (plan.writes.length === 0 && plan.readsAsAsked(before)) return inputs.object;
  refuseImmutable(before.reading, finder, plan.writes);
  const object = written(inputs.object, plan.writes);
  const after = readAgain({ ...inputs, object });
  if (!plan.readsAsAsked(after)) throw new UpdateError("the workload would not read as asked");
  if (plan.free !== true) refuseSideEffects(before.snapshot, after.snapshot, { meant: new Set(), queues: new Set(), ...plan.asked });
  refuseFaults(before.snapshot, after.snapshot);
  return object;
}

function readWhole(inputs) {
  const reading = read(inputs);
  const groups = makeGroups(reading);
  const { suspended } = makeMap(reading, groups);
  return { reading, groups, suspended, snapshot: snapshot(reading, groups) };
}

function readAgain(inputs) {
  try {
    return readWhole(inputs);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new UpdateError(`the changed workload cannot be read: ${error.message}`);
  }
}

function unsupported(message) {
  throw new UpdateError(message, "update-unsupported");
}

const SET_PLANS = { queue: "queue", "workload.labels": "metadata", "workload.annotations": "metadata" };

/*
 * A plan has the `writes`, tells whether another read `readsAsAsked`, and which instances and groups may differ from before:
 * all, if it is `free`.
 */
const PLANS = { scale: planScale, set: planSet, queue: planQueue, metadata: planMetadata, suspend: planActions, resume: planActions };

function planScale(intent, { reading }, finder) {
  const instance = scaledInstance(reading, intent);
  const writes = new Writes(reading.object);
  const asked = SCALED.filter((name) => hasKey(intent, name));
  for (const name of asked) {
    if (instance.counts[name]?.reason === "error") throw new UpdateError(`${name} failed`);
    if (instance.known(name) === intent[name]) continue;
    const value = instance.component[name];
    const target = value === undefined ? undefined : finder.ofValue(value, instance.scope);
    writes.add(target ?? unsupported(`there is no place to write ${name}`), intent[name]);
  }
  const key = instanceKey(instance);
  const readsAsAsked = ({ snapshot: { instances } }) => asked.every((name) => instances.get(key)?.known(name) === intent[name]);
  return { writes: writes.all(), readsAsAsked, asked: { meant: new Set([key]), counts: true } };
}

function planSet(intent, { reading }, finder) {
  const writes = new Writes(reading.object);
  const meant = new Map();
  for (const instance of meantInstances(reading, intent)) {
    if (instance.template === undefined) throw new UpdateError(`${instance.id} has no template`);
    const steps = fieldSteps(intent, instance);
    meant.set(instanceKey(instance), steps);
    if (isAsked(intent, lookUp(instance.template, steps).found)) continue;
    writes.add(fieldTarget(finder, instance, steps) ?? unsupported(`there is no place to write ${intent.field}`), intent.value);
  }
  const readsAsAsked = ({ snapshot: { instances } }) =>
    [...meant].every(([key, steps]) => instances.has(key) && isAsked(intent, lookUp(instances.get(key).template, steps).found));
  return { writes: writes.all(), readsAsAsked, asked: { meant: new Set(meant.keys()) } };
}

// Whether a field reads as asked: quantities by their amount.
function isAsked({ field, value }, found) {
  if (value === null || found === undefined) return value === null && found === undefined;
  if (!isAmount(field)) return deepEqual(found, value);
  try {
    return compare(parseQuantity(found), parseQuantity(value)) === 0;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return false;
  }
}

function planQueue(intent, { reading, groups }, finder) {
  if (groups.length === 0) {
    if (reading.mapping.gang.length === 0) unsupported("the mapping knows no groups");
    throw new UpdateError("there is no group");
  }
  const writes = new Writes(reading.object);
  for (const { document, entry, scope } of groups) {
    const value = entry.texts.find(([name]) => name === "queue")?.[1];
    const result = value === undefined ? undefined : evaluateValue(value, scope, finder.budget);
    const isText = result?.state !== "present" || typeof result.value === "string";
    if (result?.state === "failed" || !isText) throw new UpdateError("the queue of a group failed");
    if (isAsked(intent, document.queue)) continue;
    const target = value === undefined ? undefined : finder.ofValue(value, scope);
    writes.add(target ?? unsupported("there is no place to write a queue"), intent.value);
  }
  const readsAsAsked = (after) => after.groups.every(({ document }) => isAsked(intent, document.queue));
  return { writes: writes.all(), readsAsAsked, asked: { queues: new Set(groups.map(({ document }) => document.id)) } };
}

function planMetadata(intent, { reading }) {
  const tokens = ["metadata", intent.field.slice("workload.".length), intent.key];
  const isDone = (object) => isAsked(intent, lookUp(object, tokens).found);
  const writes = isDone(reading.object) ? [] : [{ tokens, value: intent.value }];
  return { writes, readsAsAsked: (after) => isDone(after.reading.object), free: true };
}

function planActions({ op }, { reading, suspended }, finder) {
  const { suspend } = reading.mapping;
  if (suspend === undefined) unsupported("the mapping knows no suspension");
  const wanted = op === "suspend";
  const readsAsAsked = (after) => after.suspended === wanted;
  if (suspended === wanted) return { writes: [], readsAsAsked };
  const writes = [];
  for (const action of wanted ? suspend.actions : suspend.resume) {
    if (action.when !== undefined) {
      const when = evaluateCondition(action.when, reading.scope, finder.budget);
      if (when.failed) throw new UpdateError("a condition of an action failed");
      if (!when.holds) unsupported(`this workload does not support ${op}`);
    }
    const target = finder.ofExpression(action.place, reading.scope) ?? unsupported(`there is no place to write for ${op}`);
    const value = action.removes ? null : (action.to ?? null);
    const { found } = lookUp(reading.object, target.tokens);
    if (value === null ? found !== undefined : !deepEqual(found, value)) writes.push({ tokens: target.tokens, value });
  }
  return { writes, readsAsAsked };
}

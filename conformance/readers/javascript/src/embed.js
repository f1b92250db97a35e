/**
 * Embedded workloads (S6.10): the object that a component carries, and the mapping that reads it.
 */
import { hasKey, isMap, newMap } from "./data.js";
import { LazyPlace, PartsPlace } from "./places.js";
import { fittingMapping } from "./resolve.js";
import { FAILED, failed } from "./results.js";
import { TargetFinder } from "./targets.js";

const MAX_LEVEL = 4;

/**
 * Reads the object that an instance embeds (S6.10.1).
 * @param {import("./reading.js").Instance} instance
 * @returns {{state: string, missing?: boolean, mapping?: object, object?: object, place?: object}} without a mapping if
 *   nothing is to be read
 */
export function embeddedObject(instance) {
  const { reading, component } = instance;
  const { embed } = component;
  const read = (name) => (embed[name] === undefined ? undefined : reading.value(embed[name], instance.scope, instance.path));
  const given = {};
  const main = embed.object === undefined ? "spec" : "object";
  const whole = read(main);
  given[main] = whole;
  if (whole.state !== "present") return whole;
  for (const name of ["apiVersion", "kind", "name", "labels", "annotations", "status"]) given[name] = read(name);
  const fail = (result, at = embed.at) => {
    reading.tell(result.problem, at, instance.path);
    return FAILED;
  };
  if (Object.values(given).some((result) => result?.state === "failed")) return FAILED;
  if (!isMap(whole.value)) return fail(failed("result-type", "what is embedded is a map"), `${embed.at}/${main}`);
  // What is absent can be written where it would be read.
  const absentPlace = (name) => new LazyPlace(() => new TargetFinder(reading.session.budget).ofValue(embed[name], instance.scope)?.place);
  const { object, place } = given.object === undefined ? fromParts(given, absentPlace) : fromObject(given);
  const outer = reading.object.metadata ?? newMap();
  if (hasKey(outer, "namespace")) object.metadata.namespace = outer.namespace;
  else delete object.metadata.namespace;
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || apiVersion === "" || typeof kind !== "string" || kind === "") {
    return fail(failed("result-invalid", "what is embedded has an apiVersion and a kind"));
  }
  if (embed.podless.includes(kind)) return { state: "present" };
  if (reading.level >= MAX_LEVEL) return fail(failed("limit-exceeded", `more than ${MAX_LEVEL} workloads inside each other`));
  const mapping = fittingMapping(reading.session.mappings, apiVersion, kind);
  if (mapping === undefined) {
    fail(failed("no-mapping", `no mapping fits ${apiVersion} ${kind}`));
    return { state: "present", unmapped: true };
  }
  return { state: "present", mapping, object, place };
}

function fromObject(given) {
  const { value, place } = given.object;
  const object = Object.assign(newMap(), value);
  object.metadata = isMap(value.metadata) ? Object.assign(newMap(), value.metadata) : newMap();
  const parts = new Map();
  const metadata = new Map();
  for (const name of ["apiVersion", "kind"]) {
    if (given[name]?.state !== "present") continue;
    object[name] = given[name].value;
    parts.set(name, given[name].place);
  }
  if (given.name?.state === "present") {
    object.metadata.name = given.name.value;
    metadata.set("name", given.name.place);
  }
  metadata.set("namespace", undefined);
  parts.set("metadata", new PartsPlace(place?.step("metadata"), metadata));
  return { object, place: new PartsPlace(place, parts) };
}

function fromParts(given, absentPlace) {
  const object = newMap();
  object.metadata = newMap();
  const parts = new Map();
  const metadata = new Map();
  const take = (target, places, name) => {
    if (given[name] === undefined) return;
    const isPresent = given[name].state === "present";
    if (isPresent) target[name] = given[name].value;
    places.set(name, isPresent ? given[name].place : absentPlace(name));
  };
  for (const name of ["apiVersion", "kind", "spec", "status"]) take(object, parts, name);
  for (const name of ["name", "labels", "annotations"]) take(object.metadata, metadata, name);
  parts.set("metadata", new PartsPlace(undefined, metadata));
  return { object, place: new PartsPlace(undefined, parts) };
}

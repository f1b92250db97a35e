/**
 * Pod templates (section 7) of an instance: the base, the fields laid over it, and the main container.
 */
import { hasField } from "./core-types.js";
import { deepCopy, hasKey, isMap, newMap } from "./data.js";
import { layPodFields, mergeLists } from "./pod-fields.js";
import { ABSENT, failed, present } from "./results.js";
import { evaluateValue } from "./values.js";

const LIST_RULES = ["replace", "byName", "byIndex"];

/**
 * Reads a value that may be laid in layers (S7.6).
 * @param {object} layered compiled
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @returns {import("./results.js").Result} a map, if it is present; what failed may have a place `at` of its own
 */
export function evaluateLayered(layered, scope, budget) {
  const layers = [];
  let absent = ABSENT;
  for (const layer of layered.layers) {
    const result = evaluateValue(layer, scope, budget);
    if (result.state === "failed") return result;
    if (result.state === "present") {
      if (!isMap(result.value)) return failed("result-type", "a map is asked for");
      layers.push(result);
    } else if (result.missing) {
      absent = result;
    }
  }
  if (layers.length === 0) return absent;
  if (!layered.merge) return layers[0];
  const rule = evaluateValue(layered.lists, scope, budget);
  const { at } = layered.lists;
  if (rule.state === "failed") return { ...rule, at };
  const lists = rule.state === "present" ? rule.value : "replace";
  if (typeof lists !== "string") return { ...failed("result-type", "how lists are merged is a text"), at };
  if (!LIST_RULES.includes(lists)) return { ...failed("result-invalid", `lists are not merged ${lists}`), at };
  const merged = layers.map((layer) => layer.value).reduce((lower, upper) => mergeDeep(lower, upper, lists));
  return present(merged, layers.at(-1).place);
}

function mergeDeep(lower, upper, lists) {
  if (isMap(lower) && isMap(upper)) {
    const result = Object.assign(newMap(), lower);
    for (const key of Object.keys(upper)) result[key] = hasKey(lower, key) ? mergeDeep(lower[key], upper[key], lists) : upper[key];
    return result;
  }
  if (!Array.isArray(lower) || !Array.isArray(upper) || lists === "replace") return upper;
  if (lists === "byIndex") {
    const longer = lower.length > upper.length ? lower : upper;
    return longer.map((_, i) => (i >= upper.length ? lower[i] : i >= lower.length ? upper[i] : mergeDeep(lower[i], upper[i], lists)));
  }
  const named = (element) => isMap(element) && hasKey(element, "name");
  if (![...lower, ...upper].every(named)) return upper;
  return mergeLists(lower, upper, "name", (before, after) => mergeDeep(before, after, lists));
}

/**
 * @typedef {object} Base
 * @property {"present" | "absent" | "failed"} state
 * @property {boolean} [missing] whether its absence rests on a reference that was not given
 * @property {object} [template] the template, which may be changed
 * @property {Record<string, string>} sources the places that it was read from
 */

/**
 * Reads the base of a component's template (S7.1 to S7.3).
 * @param {object} component compiled
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @param {(problem: object | undefined, at: string) => void} tell what happens with a failure
 * @returns {Base}
 */
export function readBase(component, scope, budget, tell) {
  const part = component.podTemplate === undefined ? "podSpec" : "podTemplate";
  const layered = component[part];
  if (layered === undefined) return { state: "absent", missing: false, sources: {} };
  const base = evaluateLayered(layered, scope, budget);
  const fail = (result, at) => {
    tell(result.problem, result.at ?? at);
    return { state: "failed", sources: {} };
  };
  if (base.state === "failed") return fail(base, layered.at);
  if (base.state === "absent") return { state: "absent", missing: base.missing, sources: {} };
  const sources = { [part]: base.place?.text };
  const template = newMap();
  if (part === "podTemplate") {
    if (hasKey(base.value, "spec")) {
      if (!isMap(base.value.spec)) return fail(failed("result-type", "the spec of a template is a map"), layered.at);
      template.spec = base.value.spec;
    }
    const fault = keepMetadata(template, base.value.metadata);
    if (fault !== undefined) return fail(fault, layered.at);
  } else {
    template.spec = newMap();
    for (const field of Object.keys(base.value)) if (hasField("PodSpec", field)) template.spec[field] = base.value[field];
    if (component.podMetadata !== undefined) {
      const metadata = evaluateLayered(component.podMetadata, scope, budget);
      if (metadata.state === "failed") return fail(metadata, component.podMetadata.at);
      if (metadata.state === "present") {
        const fault = keepMetadata(template, metadata.value);
        if (fault !== undefined) return fail(fault, component.podMetadata.at);
        sources.podMetadata = metadata.place?.text;
      }
    }
  }
  return { state: "present", template, sources };
}

// Of metadata the labels and annotations are kept; what is wrong with it, if anything, is returned.
function keepMetadata(template, metadata) {
  if (metadata === undefined) return undefined;
  if (!isMap(metadata)) return failed("result-type", "metadata is a map");
  const kept = newMap();
  for (const part of ["labels", "annotations"]) {
    if (!hasKey(metadata, part)) continue;
    if (!isMap(metadata[part])) return failed("result-type", `${part} are a map`);
    kept[part] = metadata[part];
  }
  if (Object.keys(kept).length > 0) template.metadata = kept;
  return undefined;
}

/**
 * Lays the fields of a component over its base (S7.4).
 * @param {object} component compiled
 * @param {Base} base
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @param {(problem: object | undefined, at: string) => void} tell
 * @returns {object | undefined} the template
 */
export function finishTemplate(component, base, scope, budget, tell) {
  if (component.podFields === undefined || base.state === "failed") return base.template;
  const template = base.template === undefined ? newMap() : deepCopy(base.template);
  layPodFields(component.podFields, template, scope, budget, tell);
  return template;
}

/**
 * The name of the main container, if the template has it (S7.5).
 * @param {object} main compiled
 * @param {object} template
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @param {(problem: object | undefined, at: string) => void} tell
 * @returns {string | undefined}
 */
export function mainContainer(main, template, scope, budget, tell) {
  const list = template.spec?.containers;
  const names = Array.isArray(list) ? list.filter(isMap).map((container) => container.name) : [];
  const name = main.name === undefined ? ABSENT : evaluateValue(main.name, scope, budget);
  if (name.state === "failed") {
    tell(name.problem, main.name.at);
    return undefined;
  }
  if (name.state === "present" && typeof name.value !== "string") {
    tell(failed("result-type", "a container is named by a text").problem, main.name.at);
    return undefined;
  }
  if (name.state === "present" && name.value !== "" && names.includes(name.value)) return name.value;
  const first = main.first ? names[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}

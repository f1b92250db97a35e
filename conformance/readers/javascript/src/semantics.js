/**
 * The components of a mapping by name, and where each stands in the tree (S4.4, S11.2).
 */
import { hasKey } from "./data.js";
import { Rejection } from "./errors.js";

const MAX_COMPONENTS = 64;
const MAX_DEPTH = 8;

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {Entry | undefined} above the component that it is nested in
 * @property {boolean} groups whether it has components or embeds a workload
 * @property {boolean} embeds
 * @property {object} [compiled] the compiled component
 * @property {import("./names.js").Names} [names] the names inside an instance of it
 */

/**
 * Finds all components of a mapping.
 * @param {object[]} components
 * @returns {Map<string, Entry>}
 */
export function indexComponents(components) {
  const index = new Map();
  let twice;
  let count = 0;
  const visit = (list, at, above, depth) => {
    if (list.length > 0 && depth > MAX_DEPTH) throw new Rejection("mapping-schema", `components are nested more than ${MAX_DEPTH} deep`, at);
    list.forEach((component, i) => {
      count += 1;
      const place = `${at}/${i}`;
      if (index.has(component.name)) twice ??= place;
      const embeds = hasKey(component, "embed");
      const entry = { name: component.name, above, embeds, groups: embeds || hasKey(component, "components") };
      index.set(component.name, entry);
      visit(component.components ?? [], `${place}/components`, entry, depth + 1);
    });
  };
  visit(components, "/spec/components", undefined, 1);
  if (count > MAX_COMPONENTS) throw new Rejection("mapping-schema", `there are more than ${MAX_COMPONENTS} components`, "/spec/components");
  if (twice !== undefined) throw new Rejection("mapping-semantic", "two components have one name", twice);
  return index;
}

/**
 * The components above one, and itself, from the outermost.
 * @param {Entry} entry
 * @returns {Entry[]}
 */
export function chain(entry) {
  return entry === undefined ? [] : [...chain(entry.above), entry];
}

/**
 * Whether one component is another or above it.
 * @param {Entry} upper
 * @param {Entry} lower
 */
export function contains(upper, lower) {
  return chain(lower).includes(upper);
}

/**
 * Whether a member is within reach of a group for a component (S11.2): it is that component, above it, below it, or
 * below one that is above it.
 * @param {Entry} member
 * @param {Entry} group
 */
export function withinReach(member, group) {
  return contains(member, group) || contains(group, member) || (group.above !== undefined && contains(chain(group)[0], member));
}

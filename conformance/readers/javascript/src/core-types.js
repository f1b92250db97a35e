/**
 * The types of `core-types.json`: the fields of a pod, and the keys by which Kubernetes merges its lists.
 */
import { readFileSync } from "node:fs";
import { hasKey } from "./data.js";
import { schemaFile } from "./schemas.js";

const { types } = JSON.parse(readFileSync(schemaFile("core-types.json"), "utf8"));

/**
 * Whether a type has a field.
 * @param {string} type
 * @param {string} field
 */
export function hasField(type, field) {
  return hasKey(types, type) && hasKey(types[type].fields, field);
}

/**
 * What is known of a field: the type that it or its elements have, and the key that tells the elements apart.
 * @param {string | undefined} type
 * @param {string} field
 * @returns {{type?: string, mergeKey?: string}}
 */
export function describeField(type, field) {
  if (type === undefined || !hasField(type, field)) return {};
  const description = types[type].fields[field];
  const inner = description.type === "list" ? description.items : description.type;
  return { type: hasKey(types, inner) ? inner : undefined, mergeKey: types[type].mergeKeys?.[field] };
}

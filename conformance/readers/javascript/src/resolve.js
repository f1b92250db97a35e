/**
 * Which mapping reads an object (S4.2).
 */
import { Rejection } from "./errors.js";

/**
 * @param {string} apiVersion
 * @returns {{group: string, version: string}}
 */
export function splitApiVersion(apiVersion) {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? { group: "", version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/**
 * @param {object[]} mappings compiled mappings of one source
 * @param {string} apiVersion
 * @param {string} kind
 * @returns {object | undefined} the mapping that fits, if one does
 */
export function fittingMapping(mappings, apiVersion, kind) {
  const { group, version } = splitApiVersion(apiVersion);
  const fitting = mappings.filter((mapping) => mapping.group === group && mapping.kind === kind && mapping.versions.includes(version));
  if (fitting.length > 1) throw new Rejection("ambiguous-mapping", `${fitting.length} mappings fit ${apiVersion} ${kind}`);
  return fitting[0];
}

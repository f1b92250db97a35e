/**
 * The digest of a mapping (S13.2).
 */
import { createHash } from "node:crypto";

/**
 * The canonical form of RFC 8785: members in the order of their UTF-16 code units, everything else as ECMAScript writes it.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

/**
 * @param {unknown} document after section 2
 * @returns {string}
 */
export function digest(document) {
  return `sha256:${createHash("sha256").update(canonical(document), "utf8").digest("hex")}`;
}

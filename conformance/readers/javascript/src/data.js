/**
 * The rules of section 2: what is done to every document before anything else, and the few operations on JSON values
 * that everything else uses. Maps are objects without a prototype, so that no key has a meaning of its own.
 */
import { DataError } from "./errors.js";

/** The largest integer that a document may hold (S2.2). */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** How many levels a document may have (S2.5). */
export const MAX_DEPTH = 100;

/** How large a document may be as UTF-8 text (S16.1). */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

/** An empty map. */
export const newMap = () => Object.create(null);

/** Whether a value is a map. */
export const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is an integer of S2.2. */
export const isInteger = (value) => typeof value === "number" && Number.isInteger(value);

/** Whether a map has an entry. */
export const hasKey = (map, key) => Object.prototype.hasOwnProperty.call(map, key);

/**
 * Applies section 2 to a document: nulls of maps are removed, numbers and strings are checked.
 * @param {unknown} document a parsed JSON value
 * @returns {unknown} a copy that later code may share but never changes
 */
export function normalise(document) {
  return copy(document, 1, []);
}

function copy(value, level, ancestors) {
  switch (typeof value) {
    case "string":
      checkText(value);
      return value;
    case "boolean":
      return value;
    case "number":
      return checkNumber(value);
    case "object":
      break;
    default:
      throw new DataError(`a value of the type ${typeof value} is not JSON`);
  }
  if (value === null) return null;
  if (level > MAX_DEPTH) throw new DataError(`the document is deeper than ${MAX_DEPTH} levels`);
  if (ancestors.includes(value)) throw new DataError("the document contains itself");
  ancestors.push(value);
  let result;
  if (Array.isArray(value)) {
    result = value.map((element) => copy(element, level + 1, ancestors));
  } else {
    result = newMap();
    for (const key of Object.keys(value)) {
      checkText(key);
      if (value[key] !== null) result[key] = copy(value[key], level + 1, ancestors);
    }
  }
  ancestors.pop();
  return result;
}

function checkNumber(value) {
  if (!Number.isFinite(value)) throw new DataError("a number is not finite");
  if (Number.isInteger(value) && Math.abs(value) > MAX_INTEGER) throw new DataError("an integer is beyond 2^53-1");
  return value === 0 ? 0 : value;
}

/**
 * Refuses U+0000 and lone surrogates (S2.5).
 * @param {string} text
 */
export function checkText(text) {
  if (text.includes("\0")) throw new DataError("a text holds U+0000");
  if (!text.isWellFormed()) throw new DataError("a text holds a lone surrogate");
}

/**
 * The size of a document as UTF-8 text.
 * @param {unknown} document
 * @returns {number}
 */
export function textSize(document) {
  return Buffer.byteLength(JSON.stringify(document) ?? "", "utf8");
}

/**
 * The order of texts by Unicode code points, which is that of their UTF-8 bytes and not that of JavaScript.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function compareText(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate stands for a code point above all others that are one unit long.
    const high = (unit) => unit >= 0xd800 && unit <= 0xdfff;
    if (high(x) !== high(y)) return high(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/**
 * Equality of JSON values: `1`, `true` and `"1"` are three values (S2.4).
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
export function deepEqual(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return a.length === b.length && a.every((element, i) => deepEqual(element, b[i]));
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => hasKey(b, key) && deepEqual(a[key], b[key]));
}

/**
 * A copy that may be changed.
 * @param {unknown} value
 */
export function deepCopy(value) {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!isMap(value)) return value;
  const result = newMap();
  for (const key of Object.keys(value)) result[key] = deepCopy(value[key]);
  return result;
}

/**
 * A map with the entries that are neither `undefined` nor an empty list or map that the reader made (S13.1).
 * @param {Record<string, unknown>} entries
 */
export function compact(entries) {
  const result = newMap();
  for (const key of Object.keys(entries)) if (entries[key] !== undefined) result[key] = entries[key];
  return result;
}

/**
 * `undefined` for an empty list or map that the reader made (S13.1), else the value.
 * @param {object | unknown[]} made
 */
export function unlessEmpty(made) {
  return (Array.isArray(made) ? made.length : Object.keys(made).length) === 0 ? undefined : made;
}

/**
 * Loads mappings: from parsed documents or from text, each compiled once.
 */
import { compileMapping } from "./compile.js";
import { isMap, normalise } from "./data.js";
import { canonical, digest } from "./digest.js";
import { DataError, Rejection } from "./errors.js";
import { mappingFault } from "./schemas.js";
import { readYaml } from "./yaml.js";

const API_GROUP = "workloadmap.dev/";
const API_VERSIONS = ["workloadmap.dev/v1alpha1"];
const MAX_BYTES = 1024 * 1024;
const MAX_CACHED = 500;

const cache = new Map();

/**
 * @param {unknown[]} documents parsed mappings
 * @returns {object[]} compiled mappings
 */
export function loadMappings(documents) {
  return documents.map(loadMapping);
}

/**
 * @param {string} text YAML
 * @returns {object[]} compiled mappings
 */
export function loadMappingText(text) {
  let documents;
  try {
    documents = readYaml(text);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new Rejection("mapping-syntax", error.message);
  }
  return loadMappings(documents.flatMap(listed));
}

// A document of a text that has a top-level list `items` is a list of documents (S2.7).
function listed(document) {
  return isMap(document) && Array.isArray(document.items) ? document.items : [document];
}

function loadMapping(source) {
  let document;
  try {
    document = normalise(source);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new Rejection("mapping-syntax", error.message);
  }
  const text = canonical(document);
  const known = cache.get(text);
  if (known !== undefined) return known;
  const mapping = compile(document, text);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value);
  cache.set(text, mapping);
  return mapping;
}

function compile(document, text) {
  const version = isMap(document) ? document.apiVersion : undefined;
  if (typeof version === "string" && version.startsWith(API_GROUP) && !API_VERSIONS.includes(version)) {
    throw new Rejection("mapping-version", `${version} is unknown; known is ${API_VERSIONS.join(", ")}`, "/apiVersion");
  }
  if (Buffer.byteLength(text, "utf8") > MAX_BYTES) throw new Rejection("mapping-schema", "the mapping is larger than 1 MiB", "");
  const fault = mappingFault(document);
  if (fault !== undefined) throw new Rejection("mapping-schema", fault.message, fault.at);
  return compileMapping(document, digest(document));
}

/**
 * The reader: makes a map, tells the references that are wanted, and validates mappings.
 */
import { isMap, MAX_DOCUMENT_BYTES, normalise, textSize } from "./data.js";
import { DataError, Rejection } from "./errors.js";
import { loadMappings, loadMappingText } from "./load.js";
import { makeMap } from "./map.js";
import { PointerPlace } from "./places.js";
import { Reading } from "./reading.js";
import { fittingMapping } from "./resolve.js";
import { Session } from "./session.js";

/**
 * @typedef {object} Inputs
 * @property {unknown[]} [mappings] parsed mappings
 * @property {string} [mappingText] mappings as text
 * @property {unknown} [object] the workload
 * @property {unknown[]} [references] if any were given
 * @property {unknown[]} [pods] if any were given
 * @property {{strict?: boolean}} [options]
 */

/**
 * Loads the mappings of a request.
 * @param {Inputs} inputs
 * @returns {object[]} compiled mappings
 */
export function validate(inputs) {
  return inputs.mappingText === undefined ? loadMappings(inputs.mappings ?? []) : loadMappingText(inputs.mappingText);
}

/**
 * Makes the map of a workload.
 * @param {Inputs} inputs
 * @returns {object}
 */
export function map(inputs) {
  const reading = read(inputs);
  const document = makeMap(reading);
  const diagnostics = reading.session.sortedDiagnostics();
  if (inputs.options?.strict === true) {
    const first = diagnostics.find((diagnostic) => diagnostic.severity === "error");
    if (first !== undefined) throw new Rejection(first.class, first.message, first.at);
  }
  if (diagnostics.length > 0) document.diagnostics = diagnostics;
  return document;
}

/**
 * Tells the references that are wanted and not given (S19.6).
 * @param {Inputs} inputs
 * @returns {object[]}
 */
export function references(inputs) {
  return read(inputs).session.wanted;
}

/**
 * Reads the components of a workload.
 * @param {Inputs} inputs
 * @returns {Reading}
 */
export function read(inputs) {
  const mappings = validate(inputs);
  const object = readObject(inputs.object);
  const session = new Session({
    mappings,
    references: inputs.references === undefined ? undefined : readDocuments(inputs.references, "reference"),
    pods: inputs.pods === undefined ? undefined : readDocuments(inputs.pods, "pod"),
  });
  const mapping = fittingMapping(mappings, object.apiVersion, object.kind);
  if (mapping === undefined) throw new Rejection("no-mapping", `no mapping fits ${object.apiVersion} ${object.kind}`);
  return new Reading(session, mapping, object, new PointerPlace("")).read();
}

function invalid(message) {
  throw new Rejection("input-invalid", message);
}

function readDocument(document, what) {
  let result;
  try {
    result = normalise(document);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    invalid(error.message);
  }
  if (textSize(document) > MAX_DOCUMENT_BYTES) invalid(`a ${what} is larger than 8 MiB`);
  if (!isMap(result)) invalid(`a ${what} is a map`);
  if (isMap(result.metadata)) {
    for (const name of ["name", "namespace"]) {
      if (!["undefined", "string"].includes(typeof result.metadata[name])) invalid(`the ${name} of a ${what} is a text`);
    }
  }
  return result;
}

function readDocuments(documents, what) {
  if (!Array.isArray(documents)) invalid(`the ${what}s are a list`);
  return documents.map((document) => {
    const result = readDocument(document, what);
    if (result.metadata !== undefined && !isMap(result.metadata)) invalid(`the metadata of a ${what} are a map`);
    return result;
  });
}

// The workload (S2.8).
function readObject(document) {
  const object = readDocument(document, "workload");
  for (const name of ["apiVersion", "kind"]) {
    if (typeof object[name] !== "string" || object[name] === "") invalid(`a workload has a text ${name}`);
  }
  for (const name of ["metadata", "spec", "status"]) {
    if (object[name] !== undefined && !isMap(object[name])) invalid(`the ${name} of a workload is a map`);
  }
  return object;
}

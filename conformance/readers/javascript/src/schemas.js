/**
 * The JSON Schemas of the specification, which lie in its folder.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Ajv2020 from "ajv/dist/2020.js";

const FOLDER = new URL("../../../../schema/v1alpha1/", import.meta.url);

/**
 * Where a file of the specification lies.
 * @param {string} name
 */
export function schemaFile(name) {
  return fileURLToPath(new URL(name, FOLDER));
}

const load = (name) => JSON.parse(readFileSync(schemaFile(name), "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: false });
const mappingSchema = load("workload-mapping.schema.json");
const validateMapping = ajv.compile(mappingSchema);
let validateMap;
let validateIntent;

/** The roles that are no `x-` role (S6.9). */
export const ROLES = new Set(mappingSchema.$defs.component.properties.role.anyOf[0].enum);

/**
 * @param {unknown} document
 * @returns {{at: string, message: string} | undefined} what is wrong with a mapping
 */
export function mappingFault(document) {
  return fault(validateMapping, document);
}

/**
 * @param {unknown} document
 * @returns {{at: string, message: string} | undefined} what is wrong with a map
 */
export function mapFault(document) {
  validateMap ??= ajv.compile(load("workload-map.schema.json"));
  return fault(validateMap, document);
}

/**
 * @param {unknown} intent
 * @returns {{at: string, message: string} | undefined} what is wrong with an intent (S20.2)
 */
export function intentFault(intent) {
  validateIntent ??= ajv.compile(load("conformance-message.schema.json").$defs.intent);
  return fault(validateIntent, intent);
}

function fault(validate, document) {
  if (validate(document)) return undefined;
  const [error] = validate.errors;
  return { at: error.instancePath, message: `${error.instancePath || "/"} ${error.message}` };
}

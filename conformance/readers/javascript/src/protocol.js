/**
 * The conversation with the conformance runner, protocol 1: an answer for each request.
 */
import { Rejection } from "./errors.js";
import { map, references, validate } from "./reader.js";
import { update } from "./update.js";

const PROTOCOL = 1;

const HELLO = {
  protocol: PROTOCOL,
  implementation: { name: "workloadmap-javascript", version: "0.1.0", language: "javascript" },
  specVersions: ["v1alpha1"],
  profiles: ["core", "status", "resources", "pods", "gang", "references", "update", "catalog"],
  features: ["core.yaml-text"],
  limits: { maxInFlight: 1 },
};

const COMMANDS = {
  map: (request) => ({ document: map(request) }),
  references: (request) => ({ wanted: references(request) }),
  update: (request) => ({ object: update(request) }),
  validate(request) {
    validate(request);
    return {};
  },
};

/**
 * Answers one request.
 * @param {object} request
 * @returns {object | undefined} the answer; nothing for `bye`
 */
export function answer(request) {
  const { cmd, id } = request;
  if (cmd === "bye") return undefined;
  if (cmd === "hello") return request.protocol === PROTOCOL ? HELLO : { protocol: PROTOCOL };
  try {
    if (!Object.hasOwn(COMMANDS, cmd)) return { id, outcome: "unsupported", message: `there is no command ${cmd}` };
    if (request.specVersion !== undefined && !HELLO.specVersions.includes(request.specVersion)) {
      return { id, outcome: "unsupported", message: `the version ${request.specVersion} is unknown` };
    }
    return { id, outcome: "ok", ...COMMANDS[cmd](request) };
  } catch (error) {
    if (!(error instanceof Rejection)) return { id, outcome: "internal", message: String(error?.stack ?? error) };
    const told = { class: error.class, message: error.message };
    if (error.at !== undefined) told.at = error.at;
    return { id, outcome: "rejected", error: told };
  }
}

/**
 * Answers one line.
 * @param {string} line
 * @returns {string | undefined} the answer, as one line; nothing for `bye`
 */
export function answerLine(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    return JSON.stringify({ id: "", outcome: "internal", message: `the request is not JSON: ${error.message}` });
  }
  if (typeof request !== "object" || request === null) return JSON.stringify({ id: "", outcome: "internal", message: "the request is no object" });
  const reply = answer(request);
  return reply === undefined ? undefined : JSON.stringify(reply);
}

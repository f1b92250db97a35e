/**
 * What a mapping says in CEL (section 3): path expressions, which are walked, and expressions, which the engine evaluates.
 */
import { check, CheckError, children } from "./cel/checker.js";
import { prepare, toCel } from "./cel/engine.js";
import { parse, ParseError } from "./cel/parser.js";
import { hasKey, isInteger, isMap } from "./data.js";
import { Rejection } from "./errors.js";
import { ABSENT, FAILED, MISSING, present } from "./results.js";

/**
 * @typedef {object} Expression
 * @property {string} text as it stands in the mapping
 * @property {Path} [path] the steps, of a path expression
 * @property {Mentions} mentions the variables and references that it names
 * @property {string[]} roots the names that it reads from its scope
 * @property {Function} evaluate the prepared engine, for an expression that is no path
 */

/**
 * Compiles a text of the mapping.
 * @param {string} text
 * @param {import("./names.js").Names} names what is in scope
 * @param {string} at the JSON Pointer of the text
 * @param {{condition?: boolean, place?: boolean}} [wanted] whether a boolean, or a place, is asked for
 * @returns {Expression}
 */
export function compileExpression(text, names, at, wanted = {}) {
  try {
    return compileChecked(text, names, at, wanted);
  } catch (error) {
    const noted = error instanceof Rejection && error.class !== "mapping-semantic" && names.faults !== undefined;
    if (!noted) throw error;
    names.faults.push(error);
    return NOTHING;
  }
}

// What stands for an expression that is at fault. It is never evaluated.
const NOTHING = { text: "", mentions: { variables: new Set(), refs: new Set(), asked: new Set() }, roots: [] };

function compileChecked(text, names, at, wanted) {
  const { tree, faults } = parseText(text, at, wanted.place === true);
  const path = toPath(tree);
  if (wanted.place && path === undefined) throw new Rejection("mapping-semantic", `${text} is no path`, at);
  try {
    check(text, tree, faults, names, wanted.condition === true);
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    throw new Rejection("expression-check", error.message, at);
  }
  const mentions = findMentions(tree);
  const roots = path === undefined ? findRoots(tree) : [];
  return { text, path, mentions, roots, evaluate: path === undefined ? prepare(tree) : undefined };
}

function parseText(text, at, isPlace) {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    // Where the schema asks for a place, a text that is no path contradicts it, whatever else is wrong with it.
    throw new Rejection(isPlace ? "mapping-semantic" : "expression-parse", error.message, at);
  }
}

/**
 * @typedef {{root: string, steps: (string | number | Path)[]}} Path a step is a key, an index, or a path that gives one
 */

function toPath(node) {
  if (node.kind === "name") return { root: node.name, steps: [] };
  if (node.kind === "field") return extend(node.of, node.name);
  if (node.kind !== "index") return undefined;
  const { index } = node;
  if (index.kind === "literal") {
    return index.type === "string" || index.type === "int" ? extend(node.of, index.value) : undefined;
  }
  const inner = toPath(index);
  return inner === undefined ? undefined : extend(node.of, inner);
}

function extend(node, step) {
  const path = toPath(node);
  return path === undefined ? undefined : { root: path.root, steps: [...path.steps, step] };
}

/**
 * @typedef {object} Mentions
 * @property {Set<string>} variables the declared variables that are named
 * @property {Set<string>} refs the references that are named
 * @property {Set<string>} asked `variables.x` or `refs.x` for which `has` asks
 */

function findMentions(tree) {
  const mentions = { variables: new Set(), refs: new Set(), asked: new Set() };
  const visit = (node) => {
    const named = mentioned(node);
    if (named !== undefined) {
      mentions[named.root].add(named.name);
      return;
    }
    if (node.kind === "call" && node.name === "has") {
      const asked = mentioned(node.args[0]);
      if (asked !== undefined) mentions.asked.add(`${asked.root}.${asked.name}`);
    }
    for (const child of children(node)) visit(child);
  };
  visit(tree);
  return mentions;
}

function mentioned(node) {
  const of = node.kind === "field" || node.kind === "index" ? node.of : undefined;
  if (of?.kind !== "name" || (of.name !== "variables" && of.name !== "refs")) return undefined;
  if (node.kind === "field") return { root: of.name, name: node.name };
  if (node.index.kind === "literal" && node.index.type === "string") return { root: of.name, name: node.index.value };
  return undefined;
}

function findRoots(tree) {
  const roots = new Set();
  const visit = (node) => {
    if (node.kind === "name") roots.add(node.name);
    for (const child of children(node)) visit(child);
  };
  visit(tree);
  return [...roots];
}

/**
 * Evaluates an expression or walks a path.
 * @param {Expression} expression
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget what the expressions of this read have used
 * @returns {import("./results.js").Result}
 */
export function evaluateExpression(expression, scope, budget) {
  const { mentions } = expression;
  let missing = false;
  let absent = false;
  for (const root of ["variables", "refs"]) {
    for (const name of mentions[root]) {
      const result = scope.named(root, name);
      if (result.state === "failed") return FAILED;
      if (result.state === "absent") {
        missing ||= result.missing;
        absent ||= expression.path !== undefined || !mentions.asked.has(`${root}.${name}`);
      }
    }
  }
  if (absent) return missing ? MISSING : ABSENT;
  if (expression.path !== undefined) return walk(expression.path, scope);
  const bindings = Object.create(null);
  for (const root of expression.roots) {
    const value = scope.value(root, mentions);
    if (value !== undefined) bindings[root] = toCel(value);
  }
  const result = expression.evaluate(bindings, budget);
  return result.state === "absent" && missing ? MISSING : result;
}

function walk(path, scope) {
  let { steps } = path;
  let at;
  if ((path.root === "variables" || path.root === "refs") && typeof steps[0] === "string") {
    at = scope.named(path.root, steps[0]);
    steps = steps.slice(1);
  } else {
    at = scope.root(path.root);
  }
  if (at.state !== "present") return at;
  let { value, place } = at;
  for (const step of steps) {
    let token = step;
    if (typeof step === "object") {
      const index = walk(step, scope);
      if (index.state !== "present") return index;
      token = index.value;
    }
    if (typeof token === "string" && isMap(value) && hasKey(value, token)) value = value[token];
    else if (isInteger(token) && Array.isArray(value) && token >= 0 && token < value.length) value = value[token];
    else return ABSENT;
    place = place?.step(token);
  }
  return present(value, place);
}

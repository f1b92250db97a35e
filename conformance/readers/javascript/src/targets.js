/**
 * Targets (S20.4): the place that is written so that a value, or a part of it, is read afterwards.
 *
 * A part is given by the steps to it, of which one may be a `Named` element of a list: a container has other indexes in
 * the layers of a template than in the template itself.
 */
import { deepCopy, hasKey, isInteger, isMap } from "./data.js";
import { UpdateError } from "./errors.js";
import { evaluateExpression } from "./expressions.js";
import { Scope } from "./scope.js";
import { evaluateLayered } from "./templates.js";
import { evaluateCondition, evaluateValue } from "./values.js";

/** An element of a list of maps, told by its name. */
export class Named {
  /** @param {string | undefined} name */
  constructor(name) {
    this.name = name;
  }

  /**
   * @param {unknown} list
   * @returns {number} the index of the element, -1 if there is none
   */
  indexIn(list) {
    return Array.isArray(list) ? list.findIndex((element) => isMap(element) && element.name === this.name) : -1;
  }
}

/**
 * @typedef {string | number | Named} Step
 * @typedef {object} Target
 * @property {(string | number)[]} tokens the place in the workload
 * @property {object} [place] the same, where it is the place of a path
 * @property {(value: unknown, there: unknown) => unknown} store what is put there so that the value is read, given what is
 *   there already; `null` removes
 * @property {{tokens: (string | number)[], value: unknown, from?: (string | number)[]}} [copy] what must be put in the
 *   workload before, and where the part is read from as long as it is not
 */

/**
 * What lies some steps inside a value, and those steps with indexes for names.
 * @param {unknown} value
 * @param {Step[]} steps
 * @returns {{found: unknown, tokens: (string | number)[], depth: number}} `found` is `undefined` if it is not there;
 *   `depth` is how many of the steps are
 */
export function lookUp(value, steps) {
  const tokens = [];
  let found = value ?? undefined;
  for (const step of steps) {
    const token = step instanceof Named ? step.indexIn(found) : step;
    const isThere = typeof token === "number" ? Array.isArray(found) && token >= 0 && token < found.length : isMap(found) && hasKey(found, token);
    if (!isThere || found[token] === null) return { found: undefined, tokens, depth: tokens.length };
    tokens.push(token);
    found = found[token];
  }
  return { found, tokens, depth: tokens.length };
}

const isEmpty = (value) => value === undefined || value === null;
const asIs = (value) => value;

// What stands for what lies inside something that holds nothing. Whoever writes there is told (S20.6).
const MISFIT = true;

/** Finds the targets of values in one read of a workload. */
export class TargetFinder {
  /** @param {{rounds: number}} budget what the expressions of this read have used */
  constructor(budget) {
    this.budget = budget;
  }

  /**
   * The target of a value, or of a part of it.
   * @param {object} value compiled
   * @param {Scope} scope
   * @param {Step[]} [part]
   * @returns {Target | undefined}
   */
  ofValue(value, scope, part = []) {
    if (value.kind === "literal") return undefined;
    if (value.kind === "expression") return this.ofExpression(value.expression, scope, part);
    if (value.when !== undefined && !this.holds(value.when, scope)) return undefined;
    if (value.writeTo !== undefined) return this.ofWriteTo(value, scope, part);
    if (value.unknown !== undefined || typeof value.as === "object" || value.as === "milli") return undefined;
    const target = value.isChoice ? this.ofChoice(value.sources, scope, part) : this.ofValue(value.sources[0], scope, part);
    if (target === undefined || (value.as === undefined && value.strip === undefined)) return target;
    // A part of a text, a number or a boolean there is none.
    return part.length > 0 ? undefined : this.converted(target, value, scope);
  }

  holds(condition, scope) {
    const result = evaluateCondition(condition, scope, this.budget);
    if (result.failed) throw new UpdateError("a condition of what is written failed");
    return result.holds;
  }

  read(value, scope) {
    const result = evaluateValue(value, scope, this.budget);
    if (result.state === "failed") throw new UpdateError("a value of what is written failed");
    return result;
  }

  /**
   * The target of a path, or of a part of what is there.
   * @param {import("./expressions.js").Expression} expression
   * @param {Scope} scope
   * @param {Step[]} [part]
   * @returns {Target | undefined}
   */
  ofExpression(expression, scope, part = []) {
    const result = evaluateExpression(expression, scope, this.budget);
    if (result.state === "failed") throw new UpdateError("a value of what is written failed");
    return expression.path === undefined ? undefined : this.ofPath(expression.path, scope, part);
  }

  ofPath({ root, steps }, scope, part) {
    const tokens = [];
    for (const step of steps) {
      const token = typeof step === "object" ? this.index(step, scope) : step;
      if (token === undefined) return undefined;
      tokens.push(token);
    }
    if (root === "variables") return this.ofVariable(tokens[0], scope, [...tokens.slice(1), ...part]);
    if (root !== "object" && root !== "item" && root !== "patch") return undefined;
    return descend(scope.root(root), [...tokens, ...part]);
  }

  // What a path that stands in an index gives, if it is a key or an index (S3.1.3).
  index(path, scope) {
    const mentions = { variables: new Set(), refs: new Set(), asked: new Set() };
    if (path.root === "variables" || path.root === "refs") mentions[path.root].add(path.steps[0]);
    const { state, value } = evaluateExpression({ path, mentions, roots: [] }, scope, this.budget);
    return state === "present" && (typeof value === "string" || isInteger(value)) ? value : undefined;
  }

  // A path that begins at a variable goes on below what the variable was read from.
  ofVariable(name, scope, part) {
    const declaration = scope.declaration(name);
    if (declaration === undefined) return undefined;
    const { variable } = declaration;
    if (variable.value === undefined) return descend(scope.named("variables", name), part);
    return this.ofValue(variable.value, declaration.scope, part);
  }

  // What is put at `writeTo` is made by `write`, from the whole that is to be read.
  ofWriteTo(value, scope, part) {
    if (value.write === undefined) return this.ofExpression(value.writeTo, scope, part);
    const target = this.ofExpression(value.writeTo, scope);
    if (target === undefined) return undefined;
    const whole = part.length > 0 ? deepCopy(this.read(value, scope).value) : undefined;
    if (part.length > 0 && lookUp(whole, part.slice(0, -1)).found === undefined) return undefined;
    const store = (asked, there) => {
      if (part.length === 0 && asked === null) return null;
      const wanted = part.length === 0 ? asked : withPart(whole, part, asked);
      const result = evaluateExpression(value.write, new Scope(scope).bind("value", wanted), this.budget);
      if (result.state === "failed") throw new UpdateError("what is to be written cannot be computed");
      return target.store(result.state === "present" ? result.value : null, there);
    };
    return { ...target, store };
  }

  // The first alternative that has a target, up to the one that is read.
  ofChoice(alternatives, scope, part) {
    const results = [];
    for (const alternative of alternatives) {
      results.push(this.read(alternative, scope));
      if (results.at(-1).state === "present") break;
    }
    const last = results.at(-1);
    for (const [i, result] of results.entries()) {
      const needsCopy = result !== last && last.state === "present" && part.length > 0;
      const target = needsCopy ? this.ofCopy(alternatives[i], scope, last, part) : this.ofValue(alternatives[i], scope, part);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  // A part is written into a copy of what is read, at the place of an alternative that is read before it.
  ofCopy(alternative, scope, read, part) {
    const target = this.ofValue(alternative, scope);
    if (target === undefined) return undefined;
    const { tokens, depth } = lookUp(read.value, part);
    const inside = depth === part.length ? tokens : resolved(part, tokens);
    if (inside === undefined) return undefined;
    const from = read.place?.tokens && [...read.place.tokens, ...inside];
    return { tokens: [...target.tokens, ...inside], store: asIs, copy: { tokens: target.tokens, value: read.value, from } };
  }

  /**
   * The target of a part of what may be laid in layers (S7.6).
   * @param {object} layered compiled
   * @param {Scope} scope
   * @param {Step[]} part
   * @returns {Target | undefined}
   */
  ofLayered(layered, scope, part) {
    if (!layered.merge) return this.ofValue(layered.layers[0], scope, part);
    let steps = part;
    if (this.read(layered.lists, scope).value === "byIndex") {
      const merged = evaluateLayered(layered, scope, this.budget);
      steps = resolved(part, lookUp(merged.value, part).tokens);
      if (steps === undefined) return undefined;
    }
    const depths = layered.layers.map((layer) => {
      const result = this.read(layer, scope);
      return result.state === "present" ? lookUp(result.value, steps).depth : -1;
    });
    return this.ofValue(layered.layers[depths.lastIndexOf(Math.max(...depths))], scope, steps);
  }

  converted(target, { as, strip, stored }, scope) {
    const prefix = strip === undefined ? undefined : this.read(strip, scope).value;
    if (strip !== undefined && typeof prefix !== "string") return undefined;
    const store = (asked, there) => {
      if (asked === null) return target.store(null, there);
      const isText = as === undefined ? false : typeof there === "string" || (isEmpty(there) && stored === "string");
      const value = isText || strip !== undefined ? String(asked) : asked;
      return target.store(strip === undefined ? value : `${prefix}${value}`, there);
    };
    return { ...target, store };
  }
}

// The steps, whose beginning is known as tokens; `undefined` if an element of a list is asked for behind them.
function resolved(steps, tokens) {
  const rest = steps.slice(tokens.length);
  return rest.every((step) => typeof step === "string") ? [...tokens, ...rest] : undefined;
}

// The place some steps below a result, whether or not something is there; none inside an element that a list lacks.
function descend(result, steps) {
  if (result.state !== "present") return undefined;
  let { value, place } = result;
  for (const step of steps) {
    const token = step instanceof Named ? step.indexIn(value) : step;
    if (step instanceof Named && token < 0) return undefined;
    if (typeof token === "number" && (isEmpty(value) || (Array.isArray(value) && !(token >= 0 && token < value.length)))) return undefined;
    if (typeof token === "number" ? Array.isArray(value) : isMap(value)) value = hasKey(value, token) ? value[token] : undefined;
    else if (!isEmpty(value)) value = MISFIT;
    place = place?.step(token);
  }
  const tokens = place?.tokens;
  return tokens && { tokens, place, store: asIs };
}

function withPart(whole, part, value) {
  const copy = deepCopy(whole);
  const { found } = lookUp(copy, part.slice(0, -1));
  const last = part.at(-1);
  const token = last instanceof Named ? last.indexIn(found) : last;
  if (value === null) delete found[token];
  else found[token] = value;
  return copy;
}

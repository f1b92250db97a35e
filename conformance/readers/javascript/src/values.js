/**
 * Values (section 5): how they are compiled and read.
 */
import { compareText, deepEqual, hasKey, isInteger, isMap, MAX_INTEGER } from "./data.js";
import { Rejection } from "./errors.js";
import { compileExpression, evaluateExpression } from "./expressions.js";
import { parseQuantity, QuantityError, thousandths } from "./quantities.js";
import { ABSENT, FAILED, failed, MISSING, present } from "./results.js";

/**
 * Compiles a value of the mapping.
 * @param {unknown} value a string, number, boolean or value object
 * @param {import("./names.js").Names} names
 * @param {string} at the JSON Pointer of the value
 */
export function compileValue(value, names, at) {
  if (typeof value === "string") return { kind: "expression", at, expression: compileExpression(value, names, at) };
  if (!isMap(value)) return { kind: "literal", at, value };
  const compiled = { kind: "object", at, unknown: value.unknown, as: value.as };
  if (isMap(value.as)) checkUnits(Object.keys(value.as.units), at);
  if (hasKey(value, "when")) compiled.when = compileCondition(value.when, names, at);
  if (hasKey(value, "value")) compiled.sources = [compileValue(value.value, names, at)];
  if (hasKey(value, "firstOf")) compiled.sources = value.firstOf.map((source) => compileValue(source, names, at));
  if (hasKey(value, "strip")) compiled.strip = compileValue(value.strip, names, at);
  if (hasKey(value, "default")) compiled.default = value.default;
  if (hasKey(value, "absentIf")) compiled.absentIf = value.absentIf;
  if (hasKey(value, "firstOf")) compiled.isChoice = true;
  // These are for a writer (S20.4); they do not change what is read.
  if (hasKey(value, "stored")) compiled.stored = value.stored;
  if (hasKey(value, "writeTo")) compiled.writeTo = compileExpression(value.writeTo, names, at, { place: true });
  if (hasKey(value, "write")) compiled.write = compileExpression(value.write, names.withRoots("value"), at);
  return compiled;
}

// Case does not count in units, so that two that differ in it only would be one (S4.4).
function checkUnits(units, at) {
  const folded = units.map((unit) => unit.toLowerCase());
  if (new Set(folded).size < folded.length) throw new Rejection("mapping-semantic", "two units differ in their case only", at);
}

/**
 * Compiles a condition.
 * @param {string} text
 * @param {import("./names.js").Names} names
 * @param {string} at
 */
export function compileCondition(text, names, at) {
  return { at, expression: compileExpression(text, names, at, { condition: true }) };
}

/**
 * Compiles what is a literal, or `{value: V}`.
 * @param {unknown} literal
 * @param {import("./names.js").Names} names
 * @param {string} at
 */
export function compileLiteral(literal, names, at) {
  if (isMap(literal)) return compileValue(literal.value, names, at);
  return { kind: "literal", at, value: literal };
}

/**
 * Reads a value in the order of S5.2.
 * @param {object} value compiled
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @returns {import("./results.js").Result}
 */
export function evaluateValue(value, scope, budget) {
  if (value.kind === "literal") return present(value.value);
  if (value.kind === "expression") return evaluateExpression(value.expression, scope, budget);
  if (value.when !== undefined) {
    const guard = evaluateCondition(value.when, scope, budget);
    if (guard.failed) return { state: "failed", problem: guard.problem };
    if (!guard.holds) return guard.missing ? MISSING : ABSENT;
  }
  let result = source(value, scope, budget);
  if (result.state === "present" && value.strip !== undefined) result = stripped(result, evaluateValue(value.strip, scope, budget));
  if (result.state === "present" && value.as !== undefined) result = converted(result, value.as);
  if (result.state === "absent" && hasKey(value, "default")) result = present(value.default);
  if (result.state === "present" && value.absentIf?.some((literal) => deepEqual(literal, result.value))) return ABSENT;
  return result;
}

function source(value, scope, budget) {
  if (value.unknown !== undefined) return { state: "absent", missing: false, reason: value.unknown };
  let missing = false;
  let reason;
  for (const candidate of value.sources) {
    const result = evaluateValue(candidate, scope, budget);
    if (result.state !== "absent") return result;
    missing ||= result.missing;
    reason ??= result.reason;
  }
  return { state: "absent", missing, reason };
}

function stripped(result, prefix) {
  if (prefix.state !== "present") return prefix;
  if (typeof result.value !== "string" || typeof prefix.value !== "string") return failed("result-type", "only a text has a prefix");
  return result.value.startsWith(prefix.value) ? present(result.value.slice(prefix.value.length), result.place) : ABSENT;
}

function converted(result, as) {
  const value = typeof as === "object" ? inUnits(result.value, as) : CONVERSIONS[as](result.value);
  if (value === undefined) return failed("result-type", "the value cannot be converted");
  return present(value, result.place);
}

const CONVERSIONS = {
  int(value) {
    if (isInteger(value)) return value;
    return typeof value === "string" && /^-?[0-9]+$/.test(value) ? integer(BigInt(value)) : undefined;
  },
  bool(value) {
    if (typeof value === "boolean") return value;
    const text = typeof value === "string" ? value.toLowerCase() : "";
    return text === "true" ? true : text === "false" ? false : undefined;
  },
  milli(value) {
    try {
      return integer(thousandths(parseQuantity(value)));
    } catch (error) {
      if (error instanceof QuantityError) return undefined;
      throw error;
    }
  },
};

function inUnits(value, { units, per = 1 }) {
  if (!isInteger(value) && typeof value !== "string") return undefined;
  const parts = /^([0-9]+)[ \t]*([A-Za-z]*)$/.exec(String(value));
  if (parts === null) return undefined;
  const suffix = Object.keys(units).find((unit) => unit.toLowerCase() === parts[2].toLowerCase());
  if (suffix === undefined) return undefined;
  return integer((BigInt(parts[1]) * BigInt(units[suffix])) / BigInt(per));
}

function integer(value) {
  const result = value > MAX_INTEGER || value < -MAX_INTEGER ? undefined : Number(value);
  return result === 0 ? 0 : result;
}

/**
 * Evaluates a condition (S3.4.3): absent is false, and a failure is never false.
 * @param {object} condition compiled
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @returns {{holds: boolean, failed: boolean, missing: boolean, problem?: object}}
 */
export function evaluateCondition(condition, scope, budget) {
  const result = evaluateExpression(condition.expression, scope, budget);
  if (result.state === "absent") return { holds: false, failed: false, missing: result.missing };
  if (result.state === "failed") return { holds: false, failed: true, missing: false, problem: result.problem };
  if (typeof result.value === "boolean") return { holds: result.value, failed: false, missing: false };
  const { problem } = failed("result-type", "a condition gives a boolean");
  return { holds: false, failed: true, missing: false, problem };
}

/**
 * Compiles a variable (S5.3.2).
 * @param {object} variable
 * @param {import("./names.js").Names} names
 * @param {string} at
 */
export function compileVariable(variable, names, at) {
  if (!hasKey(variable, "find")) return { name: variable.name, at, value: compileValue(variable, names, at) };
  const find = compileExpression(variable.find, names, at, { place: true });
  const where = Object.keys(variable.where).sort(compareText).map((field) => [field, compileValue(variable.where[field], names, at)]);
  return { name: variable.name, at, find, where };
}

/**
 * Reads a variable.
 * @param {object} variable compiled
 * @param {import("./scope.js").Scope} scope
 * @param {{rounds: number}} budget
 * @returns {import("./results.js").Result}
 */
export function evaluateVariable(variable, scope, budget) {
  if (variable.value !== undefined) return evaluateValue(variable.value, scope, budget);
  const list = evaluateExpression(variable.find, scope, budget);
  if (list.state !== "present") return list;
  if (!Array.isArray(list.value)) return failed("result-type", "an element is found in a list only");
  const wanted = [];
  let nothing;
  for (const [field, value] of variable.where) {
    const result = evaluateValue(value, scope, budget);
    if (result.state === "failed") return result;
    if (result.state === "absent") nothing ??= result.missing ? MISSING : ABSENT;
    else wanted.push([field, result.value]);
  }
  if (nothing !== undefined) return nothing;
  const index = list.value.findIndex(
    (element) => isMap(element) && wanted.every(([field, value]) => hasKey(element, field) && deepEqual(element[field], value)),
  );
  return index < 0 ? ABSENT : present(list.value[index], list.place?.step(index));
}

/** A failed result without its diagnostic, which has been told. */
export const told = (result) => (result.state === "failed" ? FAILED : result);

/**
 * The CEL engine: `@bufbuild/cel` behind the rules of S3.2.7 to S3.2.9.
 *
 * Integers go in and come out as `bigint`, so that the engine takes them for `int`. What a document holds is made into
 * values of the engine once for each document, not for each expression.
 */
import { CelScalar, celEnv, celFunc, celList, celMap, isCelError, isCelList, isCelMap, parse, plan } from "@bufbuild/cel";
import { checkText, compareText, isInteger, MAX_DEPTH, MAX_INTEGER, newMap } from "../data.js";
import { failed, present } from "../results.js";
import { GUARDS, LIST_RANGE, RANGE, write } from "./writer.js";

const MAX_RANGE = 1000;
const MAX_TEXT = 65536;
const MAX_ELEMENTS = 10000;
const MAX_VALUES = 100000;

// Rounds of macros in one read. A step is at least a round, so this allows the 2,000,000 steps that S3.2.9 asks for.
const MAX_ROUNDS = 2000000;

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]([01]\d|2[0-3]):([0-5]\d))$/;
const DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s))+$/;
const DIGITS = /^-?[0-9]+$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A limit of S3.2.9; it is no error that `||` could absorb. */
class LimitError extends Error {}

// What the evaluation that runs has used; there is one at a time.
let usage = { exceeded: undefined, budget: { rounds: 0 } };

function exceed(message) {
  usage.exceeded ??= message;
  throw new LimitError(message);
}

function measure(range) {
  const size = isCelList(range) || isCelMap(range) ? range.size : 0;
  if (size > MAX_RANGE) exceed(`the range of a macro has more than ${MAX_RANGE} elements`);
  usage.budget.rounds += size;
  if (usage.budget.rounds > MAX_ROUNDS) exceed("the expressions of this read take too many steps");
  return range;
}

// The order of a map's keys differs from engine to engine, so that `map` and `filter` take a list only (P10).
function measureList(range) {
  if (!isCelList(range)) throw new Error("the range of map and filter is a list");
  return measure(range);
}

const guard = (name, fits, what) =>
  celFunc(name, [CelScalar.DYN], CelScalar.DYN, (value) => {
    if (!fits(value)) throw new Error(what);
    return value;
  });

function isTimestamp(value) {
  const parts = typeof value === "string" ? RFC3339.exec(value) : null;
  if (parts === null) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
}

const environment = celEnv({
  funcs: [
    celFunc(RANGE, [CelScalar.DYN], CelScalar.DYN, measure),
    celFunc(LIST_RANGE, [CelScalar.DYN], CelScalar.DYN, measureList),
    guard(GUARDS.timestamp, isTimestamp, "a timestamp is an RFC 3339 text"),
    guard(GUARDS.duration, (value) => typeof value === "string" && DURATION.test(value), "a duration is a text of h, m, s and ms"),
    guard(GUARDS.string, (value) => typeof value !== "boolean", "a boolean is not made a text"),
    guard(GUARDS.int, (value) => typeof value === "bigint" || typeof value === "number" || DIGITS.test(value), "no integer"),
    guard(GUARDS.double, (value) => typeof value === "bigint" || typeof value === "number" || NUMBER.test(value), "no number"),
  ],
});

/**
 * Prepares an expression that has been checked.
 * @param {object} tree
 * @returns {(bindings: Record<string, unknown>, budget: {rounds: number}) => import("../results.js").Result}
 */
export function prepare(tree) {
  let evaluate;
  return (bindings, budget) => {
    evaluate ??= plan(environment, parse(write(tree)));
    usage = { exceeded: undefined, budget };
    const value = evaluate(bindings);
    if (usage.exceeded !== undefined) return failed("limit-exceeded", usage.exceeded);
    if (isCelError(value)) return failed("expression-eval", value.message);
    return toResult(value);
  };
}

const converted = new WeakMap();

/**
 * A JSON value as a value of the engine. Lists and maps are converted once, since nothing changes them; maps in the order of
 * their keys, so that a macro over one does not depend on the order in the document (S0.4).
 * @param {unknown} value
 */
export function toCel(value) {
  if (typeof value === "number") return isInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  let result = converted.get(value);
  if (result === undefined) {
    if (Array.isArray(value)) result = celList(value.map(toCel));
    else result = celMap(new Map(Object.keys(value).sort(compareText).map((key) => [key, toCel(value[key])])));
    converted.set(value, result);
  }
  return result;
}

function toResult(value) {
  // Of what lies inside; the result itself does not count.
  const count = { values: -1 };
  try {
    return present(fromCel(value, 1, count));
  } catch (error) {
    if (error instanceof LimitError) return failed("limit-exceeded", error.message);
    return failed("result-invalid", error.message);
  }
}

function fromCel(value, level, count) {
  count.values += 1;
  if (count.values > MAX_VALUES) throw new LimitError(`a result has more than ${MAX_VALUES} values`);
  switch (typeof value) {
    case "bigint":
      if (value > MAX_INTEGER || value < -MAX_INTEGER) throw new Error("an integer beyond 2^53-1");
      return Number(value);
    case "number":
      if (!Number.isFinite(value)) throw new Error("a number that is not finite");
      if (Number.isInteger(value) && Math.abs(value) > MAX_INTEGER) throw new Error("an integer beyond 2^53-1");
      return value === 0 ? 0 : value;
    case "string":
      // Of n code units at least half are code points.
      if (value.length > MAX_TEXT && (value.length > 2 * MAX_TEXT || [...value].length > MAX_TEXT)) {
        throw new LimitError(`a text has more than ${MAX_TEXT} code points`);
      }
      checkText(value);
      return value;
    case "boolean":
      return value;
    default:
  }
  if (value === null) return null;
  if (!isCelList(value) && !isCelMap(value)) throw new Error("a result that is not JSON");
  if (level > MAX_DEPTH) throw new LimitError(`a result has more than ${MAX_DEPTH} levels`);
  if (value.size > MAX_ELEMENTS) throw new LimitError(`a list or map has more than ${MAX_ELEMENTS} elements`);
  if (isCelList(value)) {
    const list = [];
    for (const element of value) list.push(fromCel(element, level + 1, count));
    return list;
  }
  const map = newMap();
  for (const [key, entry] of value) {
    if (typeof key !== "string") throw new Error("a map with a key that is no text");
    checkText(key);
    const plain = fromCel(entry, level + 1, count);
    if (plain !== null) map[key] = plain;
  }
  return map;
}


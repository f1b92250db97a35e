/**
 * What is written (S20.6): collected first, so that nothing is written twice, and then put in a copy of the workload.
 */
import { deepCopy, deepEqual, hasKey, isMap, newMap } from "./data.js";
import { UpdateError } from "./errors.js";
import { lookUp } from "./targets.js";

/** The writes of one intent. */
export class Writes {
  /** @param {object} object the workload as it was read */
  constructor(object) {
    this.object = object;
    this.places = new Map();
    this.withCopy = [];
  }

  /**
   * Adds what is to be written so that a value is read.
   * @param {import("./targets.js").Target} target
   * @param {unknown} asked `null` removes
   */
  add(target, asked) {
    if (target.copy !== undefined) this.withCopy.push({ target, asked });
    else this.put(target.tokens, target.store(asked, lookUp(this.object, target.tokens).found));
  }

  put(tokens, value) {
    const key = JSON.stringify(tokens);
    const known = this.places.get(key);
    if (known !== undefined && !deepEqual(known.value, value)) throw new UpdateError("two different things are to be written at one place");
    this.places.set(key, { tokens, value });
  }

  /**
   * All that is written, copies first. An instance that is read from what is written anyway needs none.
   * @returns {{tokens: (string | number)[], value: unknown}[]}
   */
  all() {
    const isWritten = (tokens) => tokens !== undefined && this.places.has(JSON.stringify(tokens));
    const needed = this.withCopy.filter(({ target }) => !isWritten(target.copy.from));
    const copies = new Writes(this.object);
    for (const { target, asked } of needed) {
      const { tokens, value } = target.copy;
      copies.put(tokens, value);
      this.put(target.tokens, target.store(asked, lookUp(value, target.tokens.slice(tokens.length)).found));
    }
    return [...copies.places.values(), ...this.places.values()];
  }
}

/**
 * A copy of a document in which things are written; everything else is as it was.
 * @param {object} document as it was given
 * @param {{tokens: (string | number)[], value: unknown}[]} writes in their order
 * @returns {object}
 */
export function written(document, writes) {
  const copy = deepCopy(document);
  for (const { tokens, value } of writes) write(copy, tokens, value);
  return copy;
}

function write(document, tokens, value) {
  const removes = value === null;
  let holder = document;
  for (const [i, token] of tokens.entries()) {
    check(holder, token);
    if (i === tokens.length - 1) break;
    if (holder[token] === null || !hasKey(holder, token)) {
      if (removes) return;
      holder[token] = newMap();
    }
    holder = holder[token];
  }
  if (tokens.length === 0) throw new UpdateError("a workload is not replaced as a whole");
  const last = tokens.at(-1);
  if (!removes) holder[last] = deepCopy(value);
  else if (Array.isArray(holder)) holder.splice(last, 1);
  else delete holder[last];
}

function check(holder, token) {
  const fits = typeof token === "number" ? Array.isArray(holder) && token < holder.length : isMap(holder);
  if (!fits) throw new UpdateError(`there is no ${typeof token === "number" ? "list with that element" : "map"} where ${token} is to be written`);
}

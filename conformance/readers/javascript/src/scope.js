/**
 * What the names of an expression are bound to while a workload is read (S3.3).
 */
import { hasKey, isMap, newMap } from "./data.js";
import { ABSENT, present } from "./results.js";

/** Bindings, and behind them those of the enclosing scope. */
export class Scope {
  /** @param {Scope} [enclosing] */
  constructor(enclosing) {
    this.enclosing = enclosing;
    this.roots = new Map();
    this.tables = { variables: new Map(), refs: new Map() };
    this.declarations = new Map();
  }

  /**
   * Binds a root such as `object` or `item`.
   * @param {string} name
   * @param {unknown} value
   * @param {object} [place]
   * @returns {Scope} itself
   */
  bind(name, value, place) {
    this.roots.set(name, present(value, place));
    return this;
  }

  /**
   * Binds `object` or `pod`. Paths walk it as it is, and expressions see it repaired.
   * @param {string} name
   * @param {object} object
   * @param {object} [place]
   * @returns {Scope} itself
   */
  bindObject(name, object, place) {
    this.roots.set(name, { ...present(object, place), repaired: repaired(object) });
    return this;
  }

  /**
   * Binds a declared variable or reference.
   * @param {"variables" | "refs"} table
   * @param {string} name
   * @param {import("./results.js").Result} result
   * @param {object} [variable] compiled, for those who ask where it was read from
   */
  declare(table, name, result, variable) {
    this.tables[table].set(name, result);
    if (variable !== undefined) this.declarations.set(name, variable);
  }

  /**
   * How a variable was declared.
   * @param {string} name
   * @returns {{variable: object, scope: Scope} | undefined}
   */
  declaration(name) {
    for (let scope = this; scope !== undefined; scope = scope.enclosing) {
      const variable = scope.declarations.get(name);
      if (variable !== undefined) return { variable, scope };
    }
    return undefined;
  }

  /** The scope of an element of `forEach`, inside this one (S3.3.2). */
  forElement(item, key, place) {
    const scope = new Scope(this);
    const outer = this.root("item");
    if (outer.state === "present") scope.roots.set("parent", present(outer.value));
    return scope.bind("item", item, place).bind("key", key);
  }

  /**
   * What a root is bound to.
   * @param {string} name
   * @returns {import("./results.js").Result}
   */
  root(name) {
    for (let scope = this; scope !== undefined; scope = scope.enclosing) {
      const result = scope.roots.get(name);
      if (result !== undefined) return result;
    }
    return ABSENT;
  }

  /**
   * What a declared variable or reference is bound to.
   * @param {"variables" | "refs"} table
   * @param {string} name
   */
  named(table, name) {
    for (let scope = this; scope !== undefined; scope = scope.enclosing) {
      const result = scope.tables[table].get(name);
      if (result !== undefined) return result;
    }
    return ABSENT;
  }

  /**
   * The value of a root for the engine: of the variables and references only those that the expression names.
   */
  value(root, mentions) {
    if (root !== "variables" && root !== "refs") {
      const result = this.root(root);
      return result.repaired ?? result.value;
    }
    const map = newMap();
    for (const name of mentions[root]) {
      const result = this.named(root, name);
      if (result.state === "present") map[name] = result.value;
    }
    return map;
  }
}

// One copy of each object, so that it is converted for the engine once.
const repairs = new WeakMap();

/**
 * An object as expressions see it: `metadata` with its labels and annotations, `spec` and `status` are there, empty if
 * they are absent (S3.3.1). Anything that is there is left as it is (S3.3.3).
 * @param {Record<string, unknown>} object
 * @returns {Record<string, unknown>}
 */
export function repaired(object) {
  const known = repairs.get(object);
  if (known !== undefined) return known;
  const copy = Object.assign(newMap(), object);
  repairs.set(object, copy);
  for (const part of ["metadata", "spec", "status"]) if (!hasKey(copy, part)) copy[part] = newMap();
  if (isMap(copy.metadata)) {
    copy.metadata = Object.assign(newMap(), copy.metadata);
    for (const part of ["labels", "annotations"]) if (!hasKey(copy.metadata, part)) copy.metadata[part] = newMap();
  }
  return copy;
}

/**
 * The names that an expression may use, known from the mapping alone (S3.3, P18).
 */

/** A set of names; each method gives a new one. */
export class Names {
  /**
   * @param {Iterable<string>} roots `object`, `item` and the others of S3.3.1
   * @param {Iterable<string>} variables
   * @param {Iterable<string>} references
   * @param {Error[]} faults where faults of expressions are noted
   */
  constructor(roots, variables, references, faults) {
    this.roots = new Set(roots);
    this.variables = new Set(variables);
    this.references = new Set(references);
    this.faults = faults;
  }

  has(root) {
    return this.roots.has(root);
  }

  hasVariable(name) {
    return this.variables.has(name);
  }

  hasReference(name) {
    return this.references.has(name);
  }

  /** These names, and further roots. */
  withRoots(...roots) {
    return new Names([...this.roots, ...roots], this.variables, this.references, this.faults);
  }

  /** These names, and a variable. */
  withVariable(name) {
    return new Names(this.roots, [...this.variables, name], this.references, this.faults);
  }

  /** The names inside a component with `forEach` (S3.3.2): the enclosing item becomes the parent. */
  inElement() {
    return this.withRoots("item", "key", ...(this.has("item") ? ["parent"] : []));
  }
}

/** The names in the mapping of an embedded workload, which the mapping at hand does not know. */
export const ANY_NAMES = {
  has: (root) => ["object", "variables", "refs", "item", "key", "parent"].includes(root),
  hasVariable: () => true,
  hasReference: () => true,
  faults: undefined,
};

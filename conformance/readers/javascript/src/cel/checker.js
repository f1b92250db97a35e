/**
 * The rules of the portable profile (S3.2.6) on the tree of an expression.
 *
 * A type is one of the texts `dyn int double string bool null timestamp duration type`, or `{list: T}` or `{map: T}`; `any`
 * is the element of an empty list or map, which fits every type. What a field of an object holds is `dyn`.
 */

/** An expression breaks a rule of the profile. */
export class CheckError extends Error {}

const MAX_CODE_POINTS = 2048;
const MAX_TREE_DEPTH = 24;
const MAX_ELEMENTS = 100;
const MAX_MACRO_DEPTH = 2;

/** The macros of S3.2.5; each has a variable and one expression. */
export const MACROS = new Set(["all", "exists", "exists_one", "filter", "map"]);
const MACROS_OVER_MAPS = new Set(["all", "exists", "exists_one"]);
const PREDICATES = new Set(["all", "exists", "exists_one", "filter"]);
const CONVERSIONS = new Set(["int", "double", "string", "timestamp", "duration"]);
const FUNCTIONS = new Set([...CONVERSIONS, "size", "dyn", "type", "has"]);
const TEXT_METHODS = new Set(["contains", "startsWith", "endsWith"]);
const TEXT_MAPS = new Set(["labels", "annotations"]);
const TIMES = new Set(["timestamp", "duration"]);
const TABLES = new Set(["variables", "refs"]);
const TYPE_NAMES = new Set(["int", "double", "string", "bool", "list", "map", "null_type"]);

// What each conversion takes. What may not convert at run time is accepted (P13); what never does is not.
const CONVERTIBLE = {
  int: ["int", "double", "string"],
  double: ["int", "double", "string"],
  string: ["int", "string"],
  timestamp: ["string"],
  duration: ["string"],
};

/**
 * Checks the limits and rules of the profile, and that every variable is declared.
 * @param {string} text the expression
 * @param {object} tree its tree
 * @param {string[]} faults what the parser found outside the profile
 * @param {{has(root: string): boolean, hasVariable(name: string): boolean, hasReference(name: string): boolean}} names what is in scope
 * @param {boolean} isCondition whether a boolean is asked for
 */
export function check(text, tree, faults, names, isCondition) {
  if (faults.length > 0) refuse(faults[0]);
  if ([...text].length > MAX_CODE_POINTS) refuse(`P16: more than ${MAX_CODE_POINTS} code points`);
  if (depth(tree) > MAX_TREE_DEPTH) refuse(`P16: a tree of more than ${MAX_TREE_DEPTH} levels`);
  const type = new Checker(names).type(tree, { bound: new Map(), macros: 0, predicate: false });
  if (type === "timestamp" || type === "duration") refuse("P17: a time is not a result");
  if (type === "type") refuse("P19: a type is not a result");
  if (isCondition && !fits(type, "bool")) refuse("P08: a condition is a boolean expression");
}

function refuse(message) {
  throw new CheckError(message);
}

/**
 * How many operators and parentheses stand above each other; a chain of n operators is n deep.
 * @param {object} tree
 * @returns {number}
 */
export function depth(tree) {
  const below = children(tree);
  const isLeaf = tree.kind === "name" || tree.kind === "literal";
  return (tree.parentheses ?? 0) + (isLeaf ? 0 : 1 + Math.max(0, ...below.map(depth)));
}

/**
 * The nodes directly below one.
 * @param {object} node
 * @returns {object[]}
 */
export function children(node) {
  switch (node.kind) {
    case "field":
    case "not":
    case "minus":
      return [node.of];
    case "index":
      return [node.of, node.index];
    case "call":
      return node.args;
    case "method":
      return [node.of, ...node.args];
    case "list":
      return node.items;
    case "map":
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case "if":
      return [node.test, node.then, node.otherwise];
    case "binary":
      return [node.left, node.right];
    default:
      return [];
  }
}

/**
 * Whether a node is a macro of the profile.
 * @param {object} node
 */
export function isMacro(node) {
  return node.kind === "method" && MACROS.has(node.name);
}

const isList = (type) => typeof type === "object" && "list" in type;
const isMapType = (type) => typeof type === "object" && "map" in type;
const open = (type) => type === "dyn" || type === "any";

// Whether a value of one type may stand where another is asked for.
function fits(type, wanted) {
  return unify(type, wanted) !== undefined;
}

// The type that both are, if what is dynamic may be anything.
function unify(a, b) {
  if (open(a)) return open(b) ? (a === "any" ? b : a) : b;
  if (open(b)) return a;
  if (isList(a) && isList(b)) return wrap("list", unify(a.list, b.list));
  if (isMapType(a) && isMapType(b)) return wrap("map", unify(a.map, b.map));
  return a === b ? a : undefined;
}

// Engines differ on doubles and times beside what may be of another type (P05).
function standsAlone(a, b) {
  return a !== b && ["double", "timestamp", "duration"].some((kind) => a === kind || b === kind);
}

const wrap = (kind, type) => (type === undefined ? undefined : { [kind]: type });

// The type that both are, if `dyn` is a type like another (P06).
function same(a, b) {
  if (a === "any") return b;
  if (b === "any") return a;
  if (isList(a) && isList(b)) return wrap("list", same(a.list, b.list));
  if (isMapType(a) && isMapType(b)) return wrap("map", same(a.map, b.map));
  return a === b ? a : undefined;
}

class Checker {
  constructor(names) {
    this.names = names;
  }

  type(node, at) {
    switch (node.kind) {
      case "literal":
        return node.type;
      case "name":
        return this.name(node, at);
      case "field":
        return this.field(node, at);
      case "index":
        return this.index(node, at);
      case "call":
        return this.call(node, at);
      case "method":
        return isMacro(node) ? this.macro(node, at) : this.method(node, at);
      case "list":
        return this.list(node, at);
      case "map":
        return this.map(node, at);
      case "if":
        return this.conditional(node, at);
      case "not":
        if (!fits(this.type(node.of, at), "bool")) refuse("P08: ! of what is no boolean");
        return "bool";
      case "minus": {
        const type = this.type(node.of, at);
        if (!open(type) && type !== "int" && type !== "double") refuse("P09: - of what is no number");
        return type;
      }
      default:
        return this.binary(node, at);
    }
  }

  name(node, at) {
    if (at.bound.has(node.name)) return at.bound.get(node.name);
    if (!this.names.has(node.name)) refuse(`P18: nothing is called ${node.name} here`);
    if (TABLES.has(node.name)) refuse(`P18: ${node.name} is read by the name of a member`);
    return "dyn";
  }

  // Whether a node is a variable or reference by its name, which must be declared (P18).
  isMember(of, name, at) {
    if (of.kind !== "name" || at.bound.has(of.name) || !TABLES.has(of.name)) return false;
    if (of.name === "variables" && !this.names.hasVariable(name)) refuse(`P18: no variable ${name} is declared here`);
    if (of.name === "refs" && !this.names.hasReference(name)) refuse(`P18: no reference ${name} is declared here`);
    return true;
  }

  field(node, at) {
    if (this.isMember(node.of, node.name, at)) return "dyn";
    const of = this.type(node.of, at);
    if (TEXT_MAPS.has(node.name) && node.of.kind === "field" && node.of.name === "metadata" && open(of)) return { map: "string" };
    if (open(of)) return "dyn";
    if (isMapType(of)) return of.map;
    return refuse(`P20: ${node.name} is selected from what is no map`);
  }

  index(node, at) {
    if (node.index.kind === "literal" && node.index.type === "string" && this.isMember(node.of, node.index.value, at)) return "dyn";
    const of = this.type(node.of, at);
    const index = this.type(node.index, at);
    if (isList(of)) {
      if (!fits(index, "int")) refuse("P15: the index of a list is an integer");
      return of.list;
    }
    if (isMapType(of)) {
      if (!fits(index, "string")) refuse("P15: the index of a map is a text");
      return of.map;
    }
    if (!open(of)) refuse("P15: an index of what is neither a list nor a map");
    if (!open(index) && index !== "int" && index !== "string") refuse("P15: an index that is neither an integer nor a text");
    return "dyn";
  }

  call(node, at) {
    if (node.name === "has") return this.has(node, at);
    if (!CONVERSIONS.has(node.name) && !["size", "dyn", "type"].includes(node.name)) refuse(`P02: there is no function ${node.name}`);
    if (node.args.length !== 1) refuse(`P02: ${node.name} takes one argument`);
    if (node.name === "type") refuse("P19: a type is only compared with a type");
    if (CONVERSIONS.has(node.name) && at.predicate) refuse("P11: a conversion in a predicate");
    const argument = this.type(node.args[0], at);
    if (node.name === "dyn") {
      if (argument === "timestamp" || argument === "duration" || argument === "type") refuse("P17: a time is not a result");
      return "dyn";
    }
    if (node.name === "size") return this.size(argument);
    if (!open(argument) && !CONVERTIBLE[node.name].includes(argument)) refuse(`P13: ${node.name} never takes this`);
    return node.name;
  }

  size(type) {
    if (type === "string") refuse("P14: the size of a text");
    if (!open(type) && !isList(type) && !isMapType(type)) refuse("P02: size of what is neither a list nor a map");
    return "int";
  }

  has(node, at) {
    const argument = node.args.length === 1 ? node.args[0] : undefined;
    if (argument?.kind !== "field") refuse("P03: has takes a chain of fields");
    for (let link = argument; link.kind !== "name"; link = link.of) {
      if (link.kind !== "field") refuse("P03: has takes a chain of fields that starts at a variable");
    }
    this.type(argument, at);
    return "bool";
  }

  method(node, at) {
    if (node.name === "size") {
      if (node.args.length !== 0) refuse("P02: size takes no argument");
      return this.size(this.type(node.of, at));
    }
    if (!TEXT_METHODS.has(node.name)) refuse(`P02: there is no method ${node.name}`);
    if (node.args.length !== 1) refuse(`P02: ${node.name} takes one argument`);
    if (node.name === "contains" && isSum(node.of)) refuse("P02b: contains is called on a sum");
    for (const part of [node.of, node.args[0]]) {
      if (!fits(this.type(part, at), "string")) refuse(`P02: ${node.name} is for texts`);
      asText(part);
    }
    return "bool";
  }

  macro(node, at) {
    const [variable, body] = node.args;
    if (node.args.length !== 2 || variable.kind !== "name") refuse(`P02: ${node.name} takes a variable and one expression`);
    const { name } = variable;
    const taken = at.bound.has(name) || this.names.has(name) || TYPE_NAMES.has(name) || FUNCTIONS.has(name);
    if (taken || name.startsWith("__")) refuse(`P02: the variable of a macro cannot be called ${name}`);
    if (at.macros >= MAX_MACRO_DEPTH) refuse(`P16: macros nested more than ${MAX_MACRO_DEPTH} deep`);
    const range = this.type(node.of, at);
    if (node.of.kind === "list" && node.of.items.length === 0) refuse("P10: the range is a literal []");
    const overMap = isMapType(range) && MACROS_OVER_MAPS.has(node.name);
    if (!open(range) && !isList(range) && !overMap) refuse("P10: the range of a macro is a list");
    const element = isList(range) ? range.list : overMap ? "string" : "dyn";
    const bound = new Map(at.bound).set(variable.name, element);
    const predicate = at.predicate || PREDICATES.has(node.name);
    const type = this.type(body, { bound, macros: at.macros + 1, predicate });
    if (node.name === "map") return { list: this.result(type) };
    if (!fits(type, "bool")) refuse("P08: a predicate is a boolean expression");
    return node.name === "filter" ? (open(range) ? { list: "dyn" } : range) : "bool";
  }

  // A time or type may be compared, but not be an element.
  result(type) {
    if (type === "timestamp" || type === "duration") refuse("P17: a time is not a result");
    if (type === "type") refuse("P19: a type is not a result");
    return type;
  }

  list(node, at) {
    if (node.items.length > MAX_ELEMENTS) refuse(`P16: more than ${MAX_ELEMENTS} elements`);
    let type = "any";
    for (const item of node.items) {
      type = same(type, this.result(this.type(item, at)));
      if (type === undefined) refuse("P06: elements of a list differ in their type");
    }
    return { list: type };
  }

  map(node, at) {
    if (node.entries.length > MAX_ELEMENTS) refuse(`P16: more than ${MAX_ELEMENTS} entries`);
    const keys = new Set();
    let type = "any";
    for (const { key, value } of node.entries) {
      if (key.kind !== "literal" || key.type !== "string") refuse("P06: the key of a map is a literal text");
      if (keys.has(key.value)) refuse("P06: the keys of a map are distinct");
      keys.add(key.value);
      type = same(type, this.result(this.type(value, at)));
      if (type === undefined) refuse("P06: values of a map differ in their type");
    }
    return { map: type };
  }

  conditional(node, at) {
    if (!fits(this.type(node.test, at), "bool")) refuse("P08: a condition is a boolean expression");
    const type = unify(this.type(node.then, at), this.type(node.otherwise, at));
    if (type === undefined) refuse("P07: the branches differ in their type");
    return type;
  }

  binary(node, at) {
    const { operator } = node;
    if (operator === "==" || operator === "!=") {
      if (isTypeOf(node.left)) return this.typeComparison(node, at);
    }
    const left = this.type(node.left, at);
    const right = this.type(node.right, at);
    switch (operator) {
      case "&&":
      case "||":
        if (!fits(left, "bool") || !fits(right, "bool")) refuse(`P08: ${operator} of what is no boolean`);
        return "bool";
      case "==":
      case "!=":
        if (left === "null" || right === "null") refuse("P05: a comparison with null");
        if (unify(left, right) === undefined || standsAlone(left, right)) refuse("P05: a comparison of two types");
        if (left === "string") asText(node.right);
        if (right === "string") asText(node.left);
        return "bool";
      case "in":
        return this.membership(left, right);
      case "<":
      case "<=":
      case ">":
      case ">=":
        return this.order(left, right);
      case "+":
        return this.plus(node, left, right);
      case "-":
        if (left === "timestamp" && right === "timestamp") return "duration";
        if (TIMES.has(left) && right === "duration") return left;
        return this.number(operator, left, right, ["int", "double"]);
      case "*":
        return this.number(operator, left, right, ["int", "double"]);
      default:
        if (at.predicate) refuse(`P11: ${operator} in a predicate`);
        return this.number(operator, left, right, ["int"]);
    }
  }

  typeComparison(node, at) {
    const call = node.left;
    if (call.args.length !== 1) refuse("P02: type takes one argument");
    this.type(call.args[0], at);
    if (node.right.kind !== "name" || !TYPE_NAMES.has(node.right.name)) refuse("P19: a type is compared with the name of a type");
    return "bool";
  }

  membership(element, container) {
    const inner = isList(container) ? container.list : "dyn";
    if (inner !== "any" && standsAlone(element, inner)) refuse("P05: in of another type than the elements");
    if (isList(container)) {
      if (element === "null" || unify(element, container.list) === undefined) refuse("P05: in of another type than the elements");
    } else if (isMapType(container)) {
      if (!fits(element, "string")) refuse("P05: the keys of a map are texts");
    } else if (!open(container)) {
      refuse("P05: in takes a list or a map");
    } else if (element === "null") {
      refuse("P05: a comparison with null");
    }
    return "bool";
  }

  order(left, right) {
    const type = unify(left, right);
    if (type === undefined || standsAlone(left, right)) refuse("P05: an order of two types");
    if (!open(type) && !["int", "double", "timestamp", "duration"].includes(type)) refuse("P14: an order of what is neither a number nor a time");
    return "bool";
  }

  plus(node, left, right) {
    if (TIMES.has(left) && right === "duration") return left;
    if (left === "timestamp" || right === "timestamp" || left === "duration" || right === "duration") refuse("P17: a sum of times");
    const type = unify(left, right);
    if (type === undefined || standsAlone(left, right)) refuse("P09: a sum of two types");
    if (type === "string") {
      if (!namesText(node)) refuse("P09b: a sum of texts without a literal");
    } else if (!open(type) && type !== "int" && type !== "double" && !isList(type)) {
      refuse("P09: a sum of what has none");
    }
    return type;
  }

  number(operator, left, right, types) {
    const type = unify(left, right);
    if (type === undefined || standsAlone(left, right)) refuse(`P09: ${operator} of two types`);
    if (!open(type) && !types.includes(type)) refuse(`P09: ${operator} is not for this type`);
    return type;
  }
}

const isSum = (node) => node.kind === "binary" && node.operator === "+";
const isTypeOf = (node) => node.kind === "call" && node.name === "type";

// Whether a chain of sums has an operand that shows that it is a text (P09b).
function namesText(node) {
  if (isSum(node)) return namesText(node.left) || namesText(node.right);
  return (node.kind === "literal" && node.type === "string") || (node.kind === "call" && node.name === "string");
}

// A sum that is used as a text must show that it is one, though its operands are dynamic (P09b).
function asText(node) {
  if (isSum(node) && !namesText(node)) refuse("P09b: a sum of texts without a literal");
}

/**
 * The grammar of CEL (S3.2.4), as a tree.
 *
 * Nodes: `{kind: "literal", type, value}`, `{kind: "name", name}`, `{kind: "field", of, name}`, `{kind: "index", of, index}`,
 * `{kind: "call", name, args}`, `{kind: "method", of, name, args}`, `{kind: "list", items}`, `{kind: "map", entries}`,
 * `{kind: "if", test, then, otherwise}`, `{kind: "binary", operator, left, right}`, `{kind: "not", of}`, `{kind: "minus", of}`.
 */
import { ParseError, tokenise } from "./tokens.js";

export { ParseError };

// The words that are tokens of their own, and those that CEL keeps for itself (S3.2.3).
const CONSTANTS = new Set(["in", "true", "false", "null"]);
const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const RELATIONS = new Set(["==", "!=", "<", "<=", ">", ">=", "in"]);

// Far above what the profile admits, far below what the stack takes.
const MAX_NESTING = 500;

/**
 * Parses a text as CEL.
 * @param {string} text
 * @returns {{tree: object, faults: string[]}} the tree, and what in it is CEL but outside the profile
 */
export function parse(text) {
  const faults = [];
  const parser = new Parser(tokenise(text, (fault) => faults.push(fault)), faults);
  const tree = parser.expression();
  parser.end();
  return { tree, faults };
}

class Parser {
  constructor(tokens, faults) {
    this.tokens = tokens;
    this.faults = faults;
    this.at = 0;
    this.nesting = 0;
  }

  get token() {
    return this.tokens[this.at];
  }

  is(text) {
    const token = this.token;
    return token.text === text && (token.type === "operator" || (token.type === "word" && text === "in"));
  }

  take(text) {
    if (!this.is(text)) return false;
    this.at += 1;
    return true;
  }

  expect(text) {
    if (!this.take(text)) this.fail(`${text} is missing`);
  }

  end() {
    if (this.token.type !== "end") this.fail("something follows the expression");
  }

  fail(message) {
    throw new ParseError(`${message} at character ${this.token.start + 1}`);
  }

  expression() {
    if (++this.nesting > MAX_NESTING) this.fail("the expression is nested too deep");
    let tree = this.either();
    if (this.take("?")) {
      const then = this.either();
      this.expect(":");
      tree = { kind: "if", test: tree, then, otherwise: this.expression() };
    }
    this.nesting -= 1;
    return tree;
  }

  either() {
    let left = this.both();
    while (this.take("||")) left = { kind: "binary", operator: "||", left, right: this.both() };
    return left;
  }

  both() {
    let left = this.relation();
    while (this.take("&&")) left = { kind: "binary", operator: "&&", left, right: this.relation() };
    return left;
  }

  relation() {
    let left = this.sum();
    while (RELATIONS.has(this.token.text) && this.is(this.token.text)) {
      const operator = this.token.text;
      this.at += 1;
      left = { kind: "binary", operator, left, right: this.sum() };
    }
    return left;
  }

  sum() {
    let left = this.product();
    while (this.is("+") || this.is("-")) {
      const operator = this.token.text;
      this.at += 1;
      left = { kind: "binary", operator, left, right: this.product() };
    }
    return left;
  }

  product() {
    let left = this.unary();
    while (this.is("*") || this.is("/") || this.is("%")) {
      const operator = this.token.text;
      this.at += 1;
      left = { kind: "binary", operator, left, right: this.unary() };
    }
    return left;
  }

  unary() {
    let signs = 0;
    const sign = this.is("!") ? "!" : "-";
    while (this.take(sign)) signs += 1;
    if (signs > MAX_NESTING) this.fail("the expression is nested too deep");
    if (sign === "-" && signs > 1) this.faults.push("S3.2.4: a repeated minus");
    let tree = this.member();
    for (; signs > 0; signs--) tree = { kind: sign === "!" ? "not" : "minus", of: tree };
    return tree;
  }

  member() {
    let tree = this.primary();
    for (;;) {
      if (this.take(".")) {
        const name = this.fieldName();
        if (this.take("(")) tree = { kind: "method", of: tree, name, args: this.list(")", false) };
        else tree = { kind: "field", of: tree, name };
      } else if (this.take("[")) {
        const index = this.expression();
        this.expect("]");
        tree = { kind: "index", of: tree, index };
      } else if (this.is("{") && isTypeName(tree)) {
        this.message();
        tree = { kind: "literal", type: "null", value: null };
      } else {
        return tree;
      }
    }
  }

  fieldName() {
    const token = this.token;
    if (token.type !== "quoted" && (token.type !== "word" || CONSTANTS.has(token.text))) this.fail("a field is missing");
    this.at += 1;
    return token.text;
  }

  // A message such as `a.B{c: 1}` is CEL, and never portable.
  message() {
    this.faults.push("S3.2.4: a message");
    this.expect("{");
    while (!this.take("}")) {
      this.fieldName();
      this.expect(":");
      this.expression();
      if (!this.is("}")) this.expect(",");
    }
  }

  primary() {
    const token = this.token;
    switch (token.type) {
      case "int":
      case "double":
      case "string":
        this.at += 1;
        return { kind: "literal", type: token.type, value: token.value };
      case "bytes":
        this.at += 1;
        return { kind: "literal", type: "null", value: null };
      case "word":
        return this.word();
      default:
    }
    if (this.take("(")) {
      const tree = this.expression();
      this.expect(")");
      // Parentheses mean nothing, but they count as a level (S3.2.1).
      return { ...tree, parentheses: (tree.parentheses ?? 0) + 1 };
    }
    if (this.take("[")) return { kind: "list", items: this.list("]", true) };
    if (this.take("{")) return this.map();
    if (this.take(".")) {
      this.faults.push("P01: a leading dot");
      if (this.token.type !== "word") this.fail("a name is missing");
      return this.word();
    }
    return this.fail("an operand is missing");
  }

  word() {
    const name = this.token.text;
    if (name === "true" || name === "false") {
      this.at += 1;
      return { kind: "literal", type: "bool", value: name === "true" };
    }
    if (name === "null") {
      this.at += 1;
      return { kind: "literal", type: "null", value: null };
    }
    if (name === "in" || RESERVED.has(name)) this.fail(`the word ${name} is reserved`);
    this.at += 1;
    if (this.take("(")) return { kind: "call", name, args: this.list(")", false) };
    return { kind: "name", name };
  }

  // The elements up to a closing bracket. In a list a comma may end them, which is not portable.
  list(closing, trailing) {
    const items = [];
    if (this.take(closing)) return items;
    for (;;) {
      items.push(this.expression());
      if (this.take(closing)) return items;
      this.expect(",");
      if (trailing && this.take(closing)) {
        this.faults.push("P01: a trailing comma");
        return items;
      }
    }
  }

  map() {
    const entries = [];
    if (this.take("}")) return { kind: "map", entries };
    for (;;) {
      const key = this.expression();
      this.expect(":");
      entries.push({ key, value: this.expression() });
      if (this.take("}")) return { kind: "map", entries };
      this.expect(",");
      if (this.take("}")) {
        this.faults.push("P01: a trailing comma");
        return { kind: "map", entries };
      }
    }
  }
}

function isTypeName(tree) {
  return tree.kind === "name" || (tree.kind === "field" && isTypeName(tree.of));
}

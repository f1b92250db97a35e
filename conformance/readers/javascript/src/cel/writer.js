/**
 * Writes a tree as text for the CEL engine, with every operation in parentheses.
 *
 * Where the engine takes more than the profile, or is known to answer otherwise, the text calls a function of
 * `engine.js` on the way: the range of a macro is measured, and what is converted is looked at first.
 */
import { isMacro } from "./checker.js";

/** What stands around the argument of a conversion. */
export const GUARDS = { string: "guard_string", int: "guard_int", double: "guard_double", timestamp: "guard_timestamp", duration: "guard_duration" };

/** What stands around the range of a macro, and of one that takes a list only. */
export const RANGE = "guard_range";
export const LIST_RANGE = "guard_list_range";

/**
 * @param {object} node a tree of the parser
 * @returns {string} text for the engine
 */
export function write(node) {
  switch (node.kind) {
    case "literal":
      return literal(node);
    case "name":
      return node.name;
    case "field":
      return `${write(node.of)}.${node.name}`;
    case "index":
      return `${write(node.of)}[${write(node.index)}]`;
    case "call":
      return call(node);
    case "method":
      if (isMacro(node)) return `${rangeGuard(node)}(${write(node.of)}).${node.name}(${node.args.map(write).join(", ")})`;
      return `${write(node.of)}.${node.name}(${node.args.map(write).join(", ")})`;
    case "list":
      return `[${node.items.map(write).join(", ")}]`;
    case "map":
      return `{${node.entries.map(({ key, value }) => `${write(key)}: ${write(value)}`).join(", ")}}`;
    case "if":
      return `(${write(node.test)} ? ${write(node.then)} : ${write(node.otherwise)})`;
    case "not":
      return `(!${write(node.of)})`;
    case "minus":
      return `(-${write(node.of)})`;
    default:
      return `(${write(node.left)} ${node.operator} ${write(node.right)})`;
  }
}

const rangeGuard = (node) => (node.name === "map" || node.name === "filter" ? LIST_RANGE : RANGE);

function literal(node) {
  if (node.type === "string") return quote(node.value);
  if (node.type !== "double") return String(node.value);
  const text = String(node.value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function call(node) {
  const args = node.args.map(write).join(", ");
  const guard = GUARDS[node.name];
  return guard === undefined ? `${node.name}(${args})` : `${node.name}(${guard}(${args}))`;
}

function quote(text) {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (character) => {
    if (character === "\\" || character === '"') return `\\${character}`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}

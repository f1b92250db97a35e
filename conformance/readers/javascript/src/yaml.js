/**
 * YAML as `kubectl` reads it (S2.6): its core is that of YAML 1.1, without what JSON has no value for.
 */
import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser, visit } from "yaml";
import { DataError } from "./errors.js";

const TAGS = { "!!str": "string", "!!int": "int", "!!float": "float", "!!bool": "bool", "!!null": "null", "!!map": "map", "!!seq": "seq" };
const TAG_PREFIX = "tag:yaml.org,2002:";

// What aliases may expand to, so that a short text does not become an endless document.
const MAX_NODES = 1000000;

// What the stack takes; how deep a document may be is told later (S2.5).
const MAX_NESTING = 1000;

/**
 * Reads the documents of a text.
 * @param {string} text
 * @returns {unknown[]} JSON values
 */
export function readYaml(text) {
  const lines = new LineCounter();
  const composer = new Composer({ version: "1.2", schema: "failsafe", uniqueKeys: false, keepSourceTokens: false, merge: false, lineCounter: lines });
  const documents = [...composer.compose(new Parser(lines.addNewLine).parse(text))];
  const result = [];
  for (const document of documents) {
    if (document.errors.length > 0) throw new DataError(document.errors[0].message);
    if (document.warnings.length > 0) throw new DataError(document.warnings[0].message);
    if (document.contents === null || isEmptyScalar(document.contents)) continue;
    result.push(new Reader(document).read(document.contents, 1, []));
  }
  return result;
}

const isEmptyScalar = (node) => isScalar(node) && node.type === "PLAIN" && node.source === "" && node.tag === undefined;

class Reader {
  constructor(document) {
    this.anchors = new Map();
    this.nodes = 0;
    // An alias refers to the last anchor of its name before it.
    visit(document, (_, node) => {
      if (isAlias(node)) node.target = this.anchors.get(node.source);
      else if (node?.anchor !== undefined) this.anchors.set(node.anchor, node);
    });
  }

  read(node, level, open) {
    if (++this.nodes > MAX_NODES) throw new DataError("the aliases of the text expand to too much");
    if (level > MAX_NESTING) throw new DataError("the text is nested too deep");
    if (node === null || node === undefined) return null;
    if (isAlias(node)) {
      if (node.target === undefined) throw new DataError(`there is no anchor ${node.source}`);
      if (open.includes(node.target)) throw new DataError("an alias refers to the value that it stands in");
      return this.read(node.target, level, open);
    }
    const tag = kindOfTag(node.tag);
    if (isScalar(node)) return scalar(node, tag);
    const inside = [...open, node];
    if (isSeq(node)) {
      if (tag !== undefined && tag !== "seq") throw new DataError("a list with the tag of something else");
      return node.items.map((item) => this.read(item, level + 1, inside));
    }
    if (!isMap(node) || (tag !== undefined && tag !== "map")) throw new DataError("a map with the tag of something else");
    return this.map(node, level, inside);
  }

  map(node, level, inside) {
    const result = Object.create(null);
    const merged = Object.create(null);
    for (const pair of node.items) {
      if (isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.source === "<<" && pair.key.tag === undefined) {
        this.merge(merged, this.read(pair.value, level, inside));
        continue;
      }
      const key = this.key(pair.key, level, inside);
      if (key in result) throw new DataError(`the key ${key} stands twice`);
      result[key] = this.read(pair.value, level + 1, inside);
    }
    for (const key of Object.keys(merged)) if (!(key in result)) result[key] = merged[key];
    return result;
  }

  // `<<` takes the entries of a map, or of several of which the first wins.
  merge(target, value) {
    for (const map of Array.isArray(value) ? value : [value]) {
      if (typeof map !== "object" || map === null || Array.isArray(map)) throw new DataError("only maps are merged");
      for (const key of Object.keys(map)) if (!(key in target)) target[key] = map[key];
    }
  }

  key(node, level, inside) {
    const key = this.read(node, level, inside);
    if (key === null) throw new DataError("a key is null");
    if (typeof key === "object") throw new DataError("a key is a list or map");
    return typeof key === "number" && !Number.isInteger(key) ? shortKey(key) : String(key);
  }
}

/*
 * A key that is no integer, as kubectl writes it: the shortest text of the 32-bit float, with an exponent where the power
 * of ten is below -4 or above 5.
 */
function shortKey(key) {
  const float = Math.fround(key);
  if (!Number.isFinite(float)) throw new DataError(`the key ${key} is beyond the numbers of 32 bits`);
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((count) => Math.fround(Number(float.toPrecision(count))) === float);
  const [mantissa, power] = float.toExponential(digits - 1).split("e");
  if (power < -4 || power > 5) return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return String(Number(float.toPrecision(digits)));
}

function kindOfTag(tag) {
  if (tag === undefined || tag === "" || tag === "?") return undefined;
  const short = tag.startsWith(TAG_PREFIX) ? `!!${tag.slice(TAG_PREFIX.length)}` : tag;
  if (short === "!") return "string";
  if (!(short in TAGS)) throw new DataError(`the tag ${tag} is unknown`);
  return TAGS[short];
}

const BOOLEAN = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const TRUE = /^(?:y|yes|true|on)$/i;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

function scalar(node, tag) {
  const text = String(node.value ?? "");
  const plain = node.type === "PLAIN" || node.type === undefined;
  const kind = tag ?? (plain ? implicitKind(text) : "string");
  switch (kind) {
    case "string":
      return text;
    case "null":
      return null;
    case "bool":
      if (!BOOLEAN.test(text)) throw new DataError(`${text} is no boolean`);
      return TRUE.test(text);
    case "int":
      if (!INTEGER.test(text)) throw new DataError(`${text} is no integer`);
      return integer(text);
    case "float":
      if (NOT_FINITE.test(text)) throw new DataError("a number is not finite");
      if (!FLOAT.test(text)) throw new DataError(`${text} is no number`);
      return Number(text.replaceAll("_", ""));
    default:
      throw new DataError("a text with the tag of a list or map");
  }
}

function implicitKind(text) {
  if (NULL.test(text)) return "null";
  if (BOOLEAN.test(text)) return "bool";
  if (INTEGER.test(text)) return "int";
  if (NOT_FINITE.test(text)) return "float";
  // What is beyond the numbers is a text, such as a hash of digits with one e among them.
  if (FLOAT.test(text) && Number.isFinite(Number(text.replaceAll("_", "")))) return "float";
  return "string";
}

function integer(text) {
  const sign = text.startsWith("-") ? -1 : 1;
  const digits = text.replace(/^[-+]/, "").replaceAll("_", "");
  if (/^0[0-7]+$/.test(digits)) return sign * parseInt(digits, 8);
  return sign * Number(digits);
}

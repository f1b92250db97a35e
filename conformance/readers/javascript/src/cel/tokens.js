/**
 * The tokens of CEL.
 *
 * The tokeniser knows all of CEL, and notes what is outside the portable profile (S3.2.2) as a fault of the token: so
 * a text that is CEL but not portable is told apart from one that does not parse.
 */

/** The text is not CEL. */
export class ParseError extends Error {}

const WORDS = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?/y;
const PORTABLE_INTEGER = /^(?:0|[1-9][0-9]*)$/;
const PORTABLE_DOUBLE = /^[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?$/;
const SPACE = /[ \t\n\f\r]+/y;
const OPERATORS = ["&&", "||", "==", "!=", "<=", ">=", ..."+-*/%!<>()[]{}.,?:"];
const STRING_START = /(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')/y;
const ESCAPES = { "\\": "\\", '"': '"', "'": "'", n: "\n", t: "\t", r: "\r", "?": "?", "`": "`", a: "\x07", b: "\b", f: "\f", v: "\v" };
const PORTABLE_ESCAPES = new Set(["\\", '"', "'", "n", "t", "r", "u"]);
const ESCAPE_DIGITS = { x: 2, X: 2, u: 4, U: 8 };

/**
 * @typedef {{type: "word" | "int" | "double" | "string" | "bytes" | "operator" | "quoted" | "end", text: string,
 *   value?: unknown, start: number}} Token
 */

/**
 * Splits a text into tokens.
 * @param {string} text
 * @param {(fault: string) => void} outside is told of everything that is CEL but not in the profile
 * @returns {Token[]}
 */
export function tokenise(text, outside) {
  const tokens = [];
  let at = 0;
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const start = at;
    const space = match(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (text.startsWith("//", at)) {
      outside("P01: a comment");
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      continue;
    }
    STRING_START.lastIndex = at;
    const opening = STRING_START.exec(text);
    if (opening !== null) {
      const token = readString(text, at, opening, outside);
      at = token.end;
      tokens.push({ type: token.bytes ? "bytes" : "string", text: text.slice(start, at), value: token.value, start });
      continue;
    }
    const word = match(WORDS);
    if (word !== undefined) {
      at += word.length;
      tokens.push({ type: "word", text: word, start });
      continue;
    }
    const number = match(NUMBER);
    if (number !== undefined) {
      at += number.length;
      tokens.push(readNumber(number, start, outside));
      continue;
    }
    if (text[at] === "`") {
      const end = text.indexOf("`", at + 1);
      if (end < 0) throw new ParseError("a back-quote is not closed");
      outside("P01: a back-quoted name");
      tokens.push({ type: "quoted", text: text.slice(at + 1, end), start });
      at = end + 1;
      continue;
    }
    const operator = OPERATORS.find((candidate) => text.startsWith(candidate, at));
    if (operator === undefined) throw new ParseError(`the character ${JSON.stringify(text[at])} begins no token`);
    at += operator.length;
    tokens.push({ type: "operator", text: operator, start });
  }
  tokens.push({ type: "end", text: "", start: at });
  return tokens;
}

function readNumber(text, start, outside) {
  if (/^[0-9]+$/.test(text)) {
    const value = Number(text);
    if (!PORTABLE_INTEGER.test(text)) outside("P01: a leading zero");
    if (value > Number.MAX_SAFE_INTEGER) outside("P01: an integer beyond 2^53-1");
    return { type: "int", text, value, start };
  }
  if (/^0[xX]/.test(text) || /[uU]$/.test(text)) {
    outside("P01: a hexadecimal or unsigned number");
    return { type: "int", text, value: 0, start };
  }
  if (!PORTABLE_DOUBLE.test(text)) outside("P01: a double that is not written d.d");
  return { type: "double", text, value: Number(text), start };
}

function readString(text, start, opening, outside) {
  const prefix = opening[0].slice(0, -opening[1].length).toLowerCase();
  const quote = opening[1];
  const raw = prefix.includes("r");
  const bytes = prefix.includes("b");
  if (prefix !== "" || quote.length === 3) outside("P01: a raw, triple-quoted or bytes string");
  let at = start + opening[0].length;
  let value = "";
  for (;;) {
    if (at >= text.length) throw new ParseError("a string is not closed");
    if (text.startsWith(quote, at)) return { value, bytes, end: at + quote.length };
    const character = text[at];
    if ((character === "\n" || character === "\r") && quote.length === 1) throw new ParseError("a string ends with its line");
    if (character !== "\\") {
      value += character;
      at += 1;
    } else if (raw) {
      value += text.slice(at, at + 2);
      at += 2;
    } else {
      const escape = readEscape(text, at + 1, bytes, outside);
      value += escape.value;
      at = escape.end;
    }
  }
}

function readEscape(text, at, bytes, outside) {
  const letter = text[at] ?? "";
  if (!PORTABLE_ESCAPES.has(letter)) outside(`P01: the escape \\${letter}`);
  if (letter in ESCAPES) return { value: ESCAPES[letter], end: at + 1 };
  const octal = /^[0-3][0-7]{2}/.exec(text.slice(at, at + 3));
  if (octal !== null) return { value: String.fromCharCode(parseInt(octal[0], 8)), end: at + 3 };
  const length = ESCAPE_DIGITS[letter];
  const digits = text.slice(at + 1, at + 1 + (length ?? 0));
  if (length === undefined || !new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) throw new ParseError("an escape that CEL does not have");
  const code = parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) throw new ParseError("an escape that is no code point");
  return { value: String.fromCodePoint(code), end: at + 1 + length };
}

/**
 * Kubernetes quantities as exact decimals (section 8): an amount is `digits` times 10 to the power of `-scale`.
 */
const PATTERN = /^([+-]?)(\d+\.?\d*|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|)|[eE]([+-]?\d+))$/;
const BINARY = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DECIMAL_SUFFIXES = Object.fromEntries(Object.entries(DECIMAL).map(([suffix, power]) => [power, suffix]));
const MAX_LENGTH = 256;
const MAX_DIGITS = 128;
const MAX_BINARY = 2n ** 63n - 1n;

// Nothing that is written is finer than 1e-9, so what is finer than this only tells that there is something.
const FINEST = 600;

/** A quantity that is not well formed; `class` tells whether its type or its text is at fault. */
export class QuantityError extends Error {
  constructor(errorClass, message) {
    super(message);
    this.class = errorClass;
  }
}

/**
 * @typedef {{digits: bigint, scale: number, form: "DecimalSI" | "BinarySI" | "DecimalExponent"}} Quantity
 */

/** Nothing. */
export const ZERO = Object.freeze({ digits: 0n, scale: 0, form: "DecimalSI" });

/**
 * Reads a quantity, written as text or number.
 * @param {unknown} value
 * @returns {Quantity}
 */
export function parseQuantity(value) {
  if (typeof value === "number") return parseNumber(value);
  if (typeof value !== "string") throw new QuantityError("result-type", "a quantity is a text or a number");
  if (value.length > MAX_LENGTH) throw new QuantityError("result-invalid", `a quantity has more than ${MAX_LENGTH} code points`);
  const parts = PATTERN.exec(value);
  if (parts === null) throw new QuantityError("result-invalid", `${value} is no quantity`);
  const [, sign, number, suffix, exponent] = parts;
  const [whole, fraction = ""] = number.split(".");
  let digits = BigInt(`${whole}${fraction}`);
  if (sign === "-" && digits > 0n) throw new QuantityError("result-invalid", "a quantity is negative");
  let power = -fraction.length;
  let form = "DecimalSI";
  if (exponent !== undefined) {
    form = "DecimalExponent";
    power += Math.max(-FINEST, Math.min(Number(exponent), FINEST));
  } else if (suffix in BINARY) {
    form = "BinarySI";
    digits *= 1024n ** BigInt(BINARY[suffix]);
  } else {
    power += DECIMAL[suffix];
  }
  const quantity = fromPower(digits, power, form);
  if (String(floor(quantity)).length > MAX_DIGITS) throw new QuantityError("result-invalid", `a quantity has more than ${MAX_DIGITS} digits`);
  const isCapped = form === "BinarySI" && quantity.digits > MAX_BINARY * 10n ** BigInt(quantity.scale);
  return isCapped ? { digits: MAX_BINARY, scale: 0, form } : quantity;
}

// A number that is written without quotes, which JavaScript may write with an exponent.
function parseNumber(value) {
  return { ...parseQuantity(String(value)), form: "DecimalSI" };
}

function fromPower(digits, power, form) {
  if (power >= 0) return { digits: digits * 10n ** BigInt(power), scale: 0, form };
  return { digits, scale: -power, form };
}

const floor = (quantity) => quantity.digits / 10n ** BigInt(quantity.scale);

/** @param {Quantity} quantity */
export const isZero = (quantity) => quantity.digits === 0n;

/**
 * The order of two quantities.
 * @param {Quantity} a
 * @param {Quantity} b
 * @returns {number}
 */
export function compare(a, b) {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

function aligned(a, b) {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

/**
 * The sum of two quantities, in the form of the first that is not zero (S8.8).
 * @param {Quantity} a
 * @param {Quantity} b
 * @returns {Quantity}
 */
export function add(a, b) {
  const [x, y, scale] = aligned(a, b);
  return { digits: x + y, scale, form: isZero(a) ? b.form : a.form };
}

/**
 * A quantity times a number of pods.
 * @param {Quantity} quantity
 * @param {number} count
 */
export function times(quantity, count) {
  return { ...quantity, digits: quantity.digits * BigInt(count) };
}

// Whole units of 10 to the power of -places, rounded up. No quantity is negative.
function rounded(quantity, places) {
  if (quantity.scale <= places) return quantity.digits * 10n ** BigInt(places - quantity.scale);
  const divisor = 10n ** BigInt(quantity.scale - places);
  return (quantity.digits + divisor - 1n) / divisor;
}

/**
 * The thousandths of a quantity, rounded up (S5.2).
 * @param {Quantity} quantity
 * @returns {bigint}
 */
export function thousandths(quantity) {
  return rounded(quantity, 3);
}

/**
 * Writes a quantity canonically (S8.8).
 * @param {Quantity} quantity
 * @returns {string}
 */
export function formatQuantity(quantity) {
  const nano = rounded(quantity, 9);
  if (nano === 0n) return "0";
  if (quantity.form === "BinarySI") {
    const whole = nano / 1000000000n;
    if (whole * 1000000000n === nano && whole >= 1024n && whole <= MAX_BINARY) return formatBinary(whole);
  }
  return formatDecimal(nano, quantity.form === "DecimalExponent");
}

function formatBinary(whole) {
  let mantissa = whole;
  let power = 0;
  while (power < BINARY_SUFFIXES.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    power += 1;
  }
  return `${mantissa}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nano, exponent) {
  let mantissa = nano;
  let power = -9;
  while (mantissa % 1000n === 0n && (exponent || power < 18)) {
    mantissa /= 1000n;
    power += 3;
  }
  if (!exponent) return `${mantissa}${DECIMAL_SUFFIXES[power]}`;
  return power === 0 ? `${mantissa}` : `${mantissa}e${power}`;
}

/**
 * Places (S3.1.4): where in an object a value lies. A place can go one step further; a value without a place has
 * `undefined` instead.
 */

/** A place that is a JSON Pointer in the workload, or in a reference behind `refs.NAME#`. */
export class PointerPlace {
  /**
   * @param {string} text the pointer
   * @param {PointerPlace} [above] the place that this one is a step from
   * @param {string | number} [token] that step
   */
  constructor(text, above, token) {
    this.text = text;
    this.above = above;
    this.token = token;
  }

  /** The keys and indexes from the top of the workload; `undefined` for a place in a reference. */
  get tokens() {
    if (this.above !== undefined) {
      const tokens = this.above.tokens;
      return tokens && [...tokens, this.token];
    }
    return this.text === "" ? [] : undefined;
  }

  /**
   * @param {string | number} token the key or index to go to
   * @returns {PointerPlace}
   */
  step(token) {
    return new PointerPlace(`${this.text}/${escapeToken(token)}`, this, token);
  }
}

/** The place of an embedded object that is made of parts, each of which has a place of its own or none (S6.10.1). */
export class PartsPlace {
  /**
   * @param {PointerPlace | PartsPlace | undefined} base where everything else is
   * @param {Map<string, PointerPlace | PartsPlace | undefined>} parts the entries that lie elsewhere
   */
  constructor(base, parts) {
    this.base = base;
    this.parts = parts;
  }

  /** The text of the whole, which there is only where the object lies in one piece. */
  get text() {
    return this.base?.text;
  }

  get tokens() {
    return this.base?.tokens;
  }

  /** @param {string | number} token */
  step(token) {
    return this.parts.has(token) ? this.parts.get(token) : this.base?.step(token);
  }
}

/** The place of a part that is absent, which only a writer asks for. */
export class LazyPlace {
  /** @param {() => PointerPlace | PartsPlace | undefined} find */
  constructor(find) {
    this.find = find;
  }

  get text() {
    return this.find()?.text;
  }

  get tokens() {
    return this.find()?.tokens;
  }

  /** @param {string | number} token */
  step(token) {
    return this.find()?.step(token);
  }
}

/**
 * Escapes a key or index for a JSON Pointer (RFC 6901).
 * @param {string | number} token
 * @returns {string}
 */
export function escapeToken(token) {
  return String(token).replaceAll("~", "~0").replaceAll("/", "~1");
}

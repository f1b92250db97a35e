/**
 * The classes of S15.1 that reject a request, as exceptions.
 */

/** A request is refused; `class` is one of the classes of S15.1. */
export class Rejection extends Error {
  /**
   * @param {string} errorClass a class of S15.1
   * @param {string} message free text (S14.4)
   * @param {string} [at] the JSON Pointer in the mapping, where one is known
   */
  constructor(errorClass, message, at) {
    super(message);
    this.class = errorClass;
    this.at = at;
  }
}

/** A document breaks a rule of section 2; the caller knows which class that is for it. */
export class DataError extends Error {}

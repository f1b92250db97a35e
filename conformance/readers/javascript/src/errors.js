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

/** A workload does not allow what is asked, or its mapping knows no place for it (S20.1). */
export class UpdateError extends Rejection {
  /**
   * @param {string} message
   * @param {"update-invalid" | "update-unsupported"} [errorClass]
   */
  constructor(message, errorClass = "update-invalid") {
    super(errorClass, message);
  }
}

/** A document breaks a rule of section 2; the caller knows which class that is for it. */
export class DataError extends Error {}

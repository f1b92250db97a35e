/**
 * What reading a value gives: it is present, absent or failed (section 1).
 *
 * A failed result may carry a `problem`, which becomes a diagnostic where the value stands in the mapping; a failure
 * that only repeats an earlier one has none (S3.4.2). An absent result tells whether it rests on a reference that was
 * not given, and the text of an `unknown` (S6.8).
 *
 * @typedef {{state: "present", value: unknown, place?: {text?: string, step: Function}}} Present
 * @typedef {{state: "absent", missing: boolean, reason?: string}} Absent
 * @typedef {{state: "failed", problem?: {class: string, message: string}}} Failed
 * @typedef {Present | Absent | Failed} Result
 */

/** Absent, for no reason of its own. */
export const ABSENT = Object.freeze({ state: "absent", missing: false });

/** Absent, because a reference was not given. */
export const MISSING = Object.freeze({ state: "absent", missing: true });

/** Failed, with the diagnostic told elsewhere. */
export const FAILED = Object.freeze({ state: "failed" });

/**
 * A value that is there. Null is absence, wherever it comes from (S2.3).
 * @param {unknown} value
 * @param {object} [place]
 * @returns {Result}
 */
export function present(value, place) {
  return value === null || value === undefined ? ABSENT : { state: "present", value, place };
}

/**
 * A failure that is to be told.
 * @param {string} errorClass a class of S14.1
 * @param {string} message
 * @returns {Failed}
 */
export function failed(errorClass, message) {
  return { state: "failed", problem: { class: errorClass, message } };
}

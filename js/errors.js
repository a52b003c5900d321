"use strict";

// Creates the errors that are thrown, for invalid arguments and configurations. The error of a failed condensation is
// in its result instead.

const isObject = require("./is-object.js");

const RANGE = new Set(["out_of_range", "invalid_scale", "invalid_calibration"]);

/** Marks the errors of this package, also those of another copy of it, which has the same symbol. */
const MARK = Symbol.for("roo-condense.error");

/**
 * Marks an error as one of this package and gives it a code and other facts.
 * @template {Error} E
 * @template {{ code: string }} F
 * @param {E} error
 * @param {F} facts
 * @returns {E & F}
 */
const coded = (error, facts) => Object.assign(Object.defineProperty(error, MARK, { value: true }), facts);

/** Returns true if a thrown value is an error of this package. */
function isRooCondenseError(thrown) {
  try {
    return typeof thrown === "object" && thrown !== null && thrown[MARK] === true;
  } catch {
    // A proxy of the caller's may throw.
    return false;
  }
}

/** The class for `instanceof`. The errors are TypeErrors, RangeErrors or Errors, so the mark decides. */
class RooCondenseError extends Error {
  static [Symbol.hasInstance](thrown) {
    return isRooCondenseError(thrown);
  }
}

function classOf(code) {
  if (["internal_error", "system_limit", "needs_socket", "store_failed"].includes(code)) return Error;
  return RANGE.has(code) ? RangeError : TypeError;
}

/**
 * Creates a TypeError or RangeError with a code. `field` is the argument that it is about, `cause` the original error.
 * @param {string} code
 * @param {string} message
 * @param {{ field?: string, cause?: unknown }} [more]
 */
function argumentError(code, message, { field, ...cause } = {}) {
  return coded(new (classOf(code))(message, cause), { code, ...(field !== undefined && { field }) });
}

/** Creates the error for work that was aborted by its signal. */
const abortError = (message) => coded(new Error(message), { name: "AbortError", code: "aborted" });

/** A host's message is cut to this many UTF-16 units: its error may hold a whole response. */
const MOST_UNITS = 10_000;

/** Returns the message of any thrown value, reading which can throw again. */
function messageOf(thrown) {
  try {
    const message = String(thrown?.message ?? thrown);
    return message.length > MOST_UNITS ? `${message.slice(0, MOST_UNITS)}…` : message;
  } catch {
    return "an object without a message";
  }
}

/** Returns the value as an error message shows it: short, and without running the caller's code. */
function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return Array.isArray(value) ? "an array" : "an object";
  } catch {
    return "a revoked proxy";
  }
}

/** Creates an error about the value of a field. The sentence is the one in src/options; `allowed` continues "must be". */
const fieldError = (code, field, value, allowed) => argumentError(code, `${field} must be ${allowed}; got ${shown(value)}`, { field });

/** Creates the error for a required argument that is missing. */
const missing = (field, allowed) => argumentError("invalid_argument", `${field} is missing; it must be ${allowed}`, { field });

/** Creates the error for an unknown option `name` of `holder`; `known` lists the valid names. */
function unknown(holder, name, known) {
  const field = /^[\p{L}_$][\p{L}\p{N}_$]{0,79}$/u.test(name) ? `${holder}.${name}` : `${holder}[${shown(name)}]`;
  const meant = near(name, known);
  const all = known.length > 0 ? `known: ${known.join(", ")}` : "there are none";
  const help = meant.length > 0 ? `did you mean ${meant.join(" or ")}?` : all;
  return argumentError("invalid_argument", `${field} is unknown; ${help}`, { field });
}

/** Refuses unknown options. A value that is not an object has none: `histories.map(expand)` passes an index. */
function refuseUnknown(holder, options, known) {
  if (!isObject(options)) return;
  for (const name of readable(holder, () => Object.keys(options))) if (!known.includes(name)) throw unknown(holder, name, known);
}

const letters = (name) => name.replace(/[_ -]/g, "").toLowerCase();

/** Returns the known names that `name` may mean, the most similar first, by the same rule as src/options/near.rs. */
function near(name, known) {
  return compared(name, known)
    .filter(({ isNear, isPart }) => isNear || isPart)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Returns the known names of which `name` is a misspelling. A name that extends a known one (`smart2`, `lossless-fast`) is not a misspelling. */
function misspelt(name, known) {
  return compared(name, known)
    .filter(({ steps, isNear, isLonger }) => isNear && (steps === 0 || !isLonger))
    .map(({ candidate }) => candidate);
}

/** Compares `name` with each known name, nearest first. */
function compared(name, known) {
  if (name.length > 64) return [];
  const given = letters(name);
  const found = known.map((candidate) => {
    const other = letters(candidate);
    const steps = distance(given, other);
    const few = Math.max(1, Math.floor(Math.max(given.length, other.length) / 4));
    return {
      candidate,
      steps,
      rank: steps <= few ? steps : few + 1 + steps,
      isNear: steps <= few && steps < given.length,
      isPart: given.length >= 4 && other.includes(given),
      isLonger: given.includes(other),
    };
  });
  return found.sort((a, b) => a.rank - b.rank);
}

/** Returns the number of letters to insert, remove, replace or swap with a neighbour to turn one into the other (optimal string alignment). */
function distance(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i][j] = Math.min(replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}

/** Creates the error for an argument of the wrong kind. */
const notAllowed = (field, value, allowed) => fieldError("invalid_argument", field, value, allowed);

/** Creates the error for a number that is out of range. */
const outOfRange = (field, value, allowed) => fieldError("out_of_range", field, value, allowed);

/** Reads a value of the caller's; a getter, proxy or `toJSON` that throws becomes a coded error. */
function readable(field, read) {
  try {
    return read();
  } catch (error) {
    if (isRooCondenseError(error)) throw error;
    throw notReadable(field, error);
  }
}

/** Creates the error for a value that threw when it was read. */
const notReadable = (field, cause) => argumentError("not_serializable", `${field} cannot be read: ${messageOf(cause)}`, { field, cause });

/** Calls the addon; its coded errors become TypeErrors and RangeErrors. */
function checked(call) {
  try {
    return call();
  } catch (error) {
    if (isRooCondenseError(error)) throw error;
    // The addon's codes are in snake case, with the field after a blank (src/node/thrown.rs). Other codes are napi's,
    // and mean a bug in this package.
    const [, code = "internal_error", field] = /^([a-z_]+)(?: (.+))?$/s.exec(error?.code) ?? [];
    // Uncut, because the addon's own messages are bounded, and the last line says how many errors are not told.
    throw argumentError(code, String(error?.message ?? error), { field });
  }
}

module.exports = {
  RooCondenseError,
  abortError,
  argumentError,
  checked,
  coded,
  isRooCondenseError,
  messageOf,
  missing,
  misspelt,
  near,
  notAllowed,
  notReadable,
  outOfRange,
  readable,
  refuseUnknown,
  shown,
  unknown,
};

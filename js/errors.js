"use strict";

// Errors that are thrown at once: wrong arguments and wrong configuration. What fails while working is in the result instead.

const isObject = require("./is-object.js");

const RANGE = new Set(["out_of_range", "invalid_scale", "invalid_calibration"]);

/** The errors made here, so that a coded error of ours is told from one that the caller's own code threw. */
const ours = new WeakSet();

function classOf(code) {
  if (code === "internal_error" || code === "system_limit" || code === "needs_socket") return Error;
  return RANGE.has(code) ? RangeError : TypeError;
}

/**
 * A TypeError or RangeError with a code. `cause` is the error behind it, if there is one.
 * @returns {Error & { code: string }}
 */
function argumentError(code, message, ...cause) {
  const Class = classOf(code);
  const error = cause.length === 0 ? new Class(message) : new Class(message, { cause: cause[0] });
  ours.add(error);
  return Object.assign(error, { code });
}

/** The message of whatever was thrown: anything can be, and reading it can throw again. */
function messageOf(thrown) {
  try {
    return String(thrown?.message ?? thrown);
  } catch {
    return "an object without a message";
  }
}

/** The value as an error message shows it: short, and never running the caller's code. */
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

/** An error about a field, which it names as `field` too. */
function fieldError(code, field, value, allowed) {
  return Object.assign(argumentError(code, `${field}: ${shown(value)} is not allowed; allowed: ${allowed}`), { field });
}

/** The error for something that has to be there and is not. */
const missing = (field, allowed) => Object.assign(argumentError("invalid_argument", `${field} is missing; allowed: ${allowed}`), { field });

/** The error for an option that nobody knows: `name` of `holder`, where `known` are. */
function unknown(holder, name, known) {
  const field = /^[\p{L}_$][\p{L}\p{N}_$]{0,79}$/u.test(name) ? `${holder}.${name}` : `${holder}[${shown(name)}]`;
  const meant = near(name, known);
  const all = known.length > 0 ? `known: ${known.join(", ")}` : "there are none";
  const help = meant.length > 0 ? `did you mean ${meant.join(" or ")}?` : all;
  return Object.assign(argumentError("invalid_argument", `${field} is unknown; ${help}`), { field });
}

/** Refuses options that nobody knows. What is no object has none: `histories.map(expand)` hands an index over. */
function refuseUnknown(holder, options, known) {
  if (!isObject(options)) return;
  for (const name of readable(holder, () => Object.keys(options))) if (!known.includes(name)) throw unknown(holder, name, known);
}

const letters = (name) => name.replace(/[_ -]/g, "").toLowerCase();

/** The known names that may have been meant, the nearest first: the same rule as in src/options/near.rs. */
function near(name, known) {
  if (name.length > 64) return [];
  const given = letters(name);
  const found = known.map((candidate) => {
    const other = letters(candidate);
    const steps = distance(given, other);
    const few = Math.max(1, Math.floor(Math.max(given.length, other.length) / 4));
    const isPart = given.length >= 4 && other.includes(given);
    const isNear = steps <= few && steps < given.length;
    return { candidate, rank: steps <= few ? steps : few + 1 + steps, meant: isNear || isPart };
  });
  return found
    .filter(({ meant }) => meant)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Letters to insert, leave out, replace or swap with their neighbour until one is the other (optimal string alignment). */
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

/** The error for an argument that is not what it has to be. */
const notAllowed = (field, value, allowed) => fieldError("invalid_argument", field, value, allowed);

/** The error for a number that is not in its range. */
const outOfRange = (field, value, allowed) => fieldError("out_of_range", field, value, allowed);

const isOurs = (error) => typeof error === "object" && error !== null && ours.has(error);

/** Reads something of the caller's; a getter, proxy or `toJSON` that throws becomes a coded error. */
function readable(field, read) {
  try {
    return read();
  } catch (error) {
    if (isOurs(error)) throw error;
    throw notReadable(field, error);
  }
}

/** The error for what threw when it was read. */
const notReadable = (field, cause) =>
  Object.assign(argumentError("not_serializable", `${field} cannot be read: ${messageOf(cause)}`, cause), { field });

/** Calls the addon; its coded errors become TypeErrors and RangeErrors. */
function checked(call) {
  try {
    return call();
  } catch (error) {
    if (isOurs(error)) throw error;
    // The addon's codes are in snake case; others are of napi, which only a fault of ours brings up.
    const code = /^[a-z_]+$/.test(error?.code) ? error.code : "internal_error";
    throw argumentError(code, messageOf(error));
  }
}

module.exports = {
  argumentError,
  checked,
  isOurs,
  messageOf,
  missing,
  near,
  notAllowed,
  notReadable,
  outOfRange,
  readable,
  refuseUnknown,
  shown,
  unknown,
};

"use strict";

// Errors that are thrown at once: wrong arguments and wrong configuration. What fails while working is in the result instead.

const RANGE = new Set(["out_of_range"]);

/** A TypeError or RangeError with a code. `cause` is the error behind it, if there is one. */
function argumentError(code, message, cause) {
  const Class = RANGE.has(code) ? RangeError : TypeError;
  const error = cause === undefined ? new Class(message) : new Class(message, { cause });
  error.code = code;
  return error;
}

/** The value as an error message shows it: short, and never running the caller's code. */
function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** The error for an argument that is not what it has to be. */
const notAllowed = (field, value, allowed) => argumentError("invalid_argument", `${field}: ${shown(value)} is not allowed; allowed: ${allowed}`);

/** Calls the addon; its coded errors become TypeErrors and RangeErrors. */
function checked(call) {
  try {
    return call();
  } catch (error) {
    throw argumentError(error.code ?? "internal_error", error.message);
  }
}

module.exports = { argumentError, checked, notAllowed, shown };

"use strict";

// Records what values contained when they were passed. Whether a value still contains the same is checked without
// reading its texts again: a text cannot change, so the same text has the same reference, which engines compare
// first.

/** Represents what is not compared: values whose JSON is not that of their fields, and values that cannot be walked. It equals nothing. */
const UNKNOWN = Symbol("unknown");

/** An array with more places may be little more than a length. */
const MANY_PLACES = 100_000;

const isContainer = (value) => typeof value === "object" && value !== null;

/** Returns true if JSON is written of something else than a container's own fields: `toJSON`, or a primitive value in an object. */
function hasOwnJson(value) {
  if (typeof value.toJSON === "function") return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype && !isContainer(value.valueOf());
}

/** Returns a copy of the value's arrays and objects, which stays unchanged whatever happens to the value. */
function copied(value) {
  if (!isContainer(value)) return typeof value === "function" ? UNKNOWN : value;
  if (hasOwnJson(value)) return UNKNOWN;
  if (Array.isArray(value)) {
    if (value.length > MANY_PLACES) return UNKNOWN;
    // Holes, which `map` leaves out, are nulls in JSON.
    return Array.from({ length: value.length }, (_, index) => copied(value[index]));
  }
  // Spread is many times faster than filling an object without a prototype name by name.
  const fields = { ...value };
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (isContainer(field) || typeof field === "function") fields[name] = copied(field);
  }
  return fields;
}

/** Returns what a value contains, for `isSame`. */
function contentOf(value) {
  try {
    return copied(value);
  } catch {
    // Nested too deeply, or a getter that throws the second time.
    return UNKNOWN;
  }
}

/** Returns true if a value certainly contains what was recorded, so that it has the same JSON. */
function isSame(was, value) {
  try {
    return isEqual(was, value);
  } catch {
    return false;
  }
}

function isEqual(was, value) {
  if (!isContainer(was)) return was === value;
  if (!isContainer(value) || Array.isArray(was) !== Array.isArray(value) || hasOwnJson(value)) return false;
  if (Array.isArray(was)) {
    if (was.length !== value.length) return false;
    for (let index = 0; index < was.length; index++) if (!isEqual(was[index], value[index])) return false;
    return true;
  }
  const [names, before] = [Object.keys(value), Object.keys(was)];
  return names.length === before.length && names.every((name, index) => name === before[index] && isEqual(was[name], value[name]));
}

/** Messages as they were passed. */
class Snapshot {
  #held;

  /** @param {unknown[]} contents what each message contains, from `contentOf` */
  constructor(contents) {
    this.#held = contents;
  }

  /** Returns true if `value`, now at this place, certainly contains what was there. */
  holds(value, message, path = []) {
    /** @type {any} */
    let was = this.#held[message];
    for (const step of path) {
      if (!isContainer(was)) return false;
      was = was[step];
    }
    return isSame(was, value);
  }
}

module.exports = { Snapshot, contentOf, isSame };

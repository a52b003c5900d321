"use strict";

// Records the contents of values when they are passed, to check later whether they are unchanged. The check is fast:
// texts are immutable, so an unchanged text has the same reference, which engines compare first.

/** Represents values that are not compared, because their JSON is not that of their fields, or because they cannot be read. It equals nothing. */
const UNKNOWN = Symbol("unknown");

/** Maximum length of arrays that are copied: a longer one may be sparse, and so contain little. */
const MANY_PLACES = 100_000;

const isContainer = (value) => typeof value === "object" && value !== null;

/** Returns true if a container's JSON does not come from its own fields, but from `toJSON` or a primitive value in an object. */
function hasOwnJson(value) {
  if (typeof value.toJSON === "function") return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype && !isContainer(value.valueOf());
}

/** Returns a copy of the value's arrays and objects. Later changes of the value do not affect the copy. */
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

/** Returns a copy of a value's content, for `isSame`. */
function contentOf(value) {
  try {
    return copied(value);
  } catch {
    // Nested too deeply, or a getter that throws the second time.
    return UNKNOWN;
  }
}

/** Returns true if a value certainly has the recorded content, and so the same JSON. */
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

/** The recorded contents of messages. */
class Snapshot {
  #held;

  /** @param {unknown[]} contents the content of each message, from `contentOf` */
  constructor(contents) {
    this.#held = contents;
  }

  /** Returns true if `value`, now at this place, certainly has the recorded content of the place. */
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

"use strict";

// Records what values contained when they were passed. Whether a value still contains the same is checked without
// reading its texts again: a text cannot change, so the same text has the same reference, which engines compare
// first.

/** Represents what is not compared: values with their own JSON, and values that cannot be walked. It equals nothing. */
const UNKNOWN = Symbol("unknown");

const isContainer = (value) => typeof value === "object" && value !== null;

/** Returns a copy of the value's arrays and objects, which stays unchanged whatever happens to the value. */
function held(value) {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(held);
  if (typeof value.toJSON === "function") return UNKNOWN;
  // Spread is many times faster than filling an object without a prototype name by name.
  const fields = { ...value };
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (isContainer(field)) fields[name] = held(field);
  }
  return fields;
}

/** Returns true if a value still contains what was recorded. */
function isSame(was, value) {
  if (!isContainer(was)) return was === value;
  if (!isContainer(value) || Array.isArray(was) !== Array.isArray(value)) return false;
  if (Array.isArray(was)) return was.length === value.length && was.every((item, index) => isSame(item, value[index]));
  const names = Object.keys(value);
  return names.length === Object.keys(was).length && names.every((name) => Object.hasOwn(was, name) && isSame(was[name], value[name]));
}

/** Messages as they were passed. */
class Snapshot {
  #held;

  /** @param {object[]} messages what JSON could hold a moment ago */
  constructor(messages) {
    this.#held = messages.map((message) => {
      try {
        return held(message);
      } catch {
        // Nested too deeply, or a getter that throws the second time.
        return UNKNOWN;
      }
    });
  }

  /** Returns true if `value`, now at this place, certainly contains what was there. */
  holds(value, message, path = []) {
    let was = this.#held[message];
    for (const step of path) {
      if (!isContainer(was)) return false;
      was = was[step];
    }
    try {
      return isSame(was, value);
    } catch {
      return false;
    }
  }
}

module.exports = { Snapshot };

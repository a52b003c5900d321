"use strict";

// What values held when they were handed over. Whether one holds the same now is told without reading its texts again: a text cannot change, so the same
// text is the same reference, and engines compare that first.

/** Stands for what is not compared: what has its own JSON, and what cannot be walked. It equals nothing. */
const UNKNOWN = Symbol("unknown");

const isContainer = (value) => typeof value === "object" && value !== null;

/** The value with arrays and objects of its own, which stay as they are whatever is done to those of the value. */
function held(value) {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(held);
  if (typeof value.toJSON === "function") return UNKNOWN;
  // Spread, which is many times faster than an object without a prototype that is filled name by name.
  const fields = { ...value };
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (isContainer(field)) fields[name] = held(field);
  }
  return fields;
}

/** Whether a value holds what was held. */
function isSame(was, value) {
  if (!isContainer(was)) return was === value;
  if (!isContainer(value) || Array.isArray(was) !== Array.isArray(value)) return false;
  if (Array.isArray(was)) return was.length === value.length && was.every((item, index) => isSame(item, value[index]));
  const names = Object.keys(value);
  return names.length === Object.keys(was).length && names.every((name) => Object.hasOwn(was, name) && isSame(was[name], value[name]));
}

/** Messages as they were handed over. */
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

  /** Whether `value`, which stands at this place now, is certain to hold what stood there. */
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

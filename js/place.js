"use strict";

// Finds the place in a value of the host where reading fails. It runs only after a failure, because it reads
// everything once more.

const { isRooCondenseError, notReadable, shown } = require("./errors.js");

/** At most this many values are examined; beyond that, the error names the whole. */
const MAX_VALUES = 1_000_000;

const isContainer = (value) => typeof value === "object" && value !== null;

/** Arrays with more places are checked for elements, because they may be sparse. */
const MANY_PLACES = 100_000;

/** Returns true for an array that is little more than a length: iterating over its places would take minutes for nothing. */
const isHollow = (value) => Array.isArray(value) && value.length > MANY_PLACES && Object.keys(value).length * 2 < value.length;

const stepTo = (key) => {
  if (typeof key === "number") return `[${key}]`;
  return /^[\p{L}_$][\p{L}\p{N}_$]{0,79}$/u.test(key) ? `.${key}` : `[${shown(key)}]`;
};

/** Opens a container to search: its fields, and the next one. Throws if they cannot be listed. */
function opened(value, path) {
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  return { value, path, keys, length: (keys ?? value).length, next: 0 };
}

/**
 * Returns the first place in `root`, called `name`, that cannot be read or has no JSON. Undefined if there is none.
 * @param {unknown} root
 * @param {string} name
 * @param {{ bigints?: boolean, cycles?: boolean, hollow?: boolean }} [allowed] whether a BigInt, what contains itself, or an array that
 *   is little more than a length, is no fault
 * @returns {string | undefined}
 */
function faultyPlace(root, name, { bigints = false, cycles = false, hollow = true } = {}) {
  /** @type {ReturnType<typeof opened>[]} */
  const open = [];
  const ancestors = new Set();
  let path = name;
  const enter = (value) => {
    if (typeof value === "bigint" && !bigints) throw new TypeError("a BigInt has no JSON");
    if (!isContainer(value)) return;
    if (ancestors.has(value)) {
      if (cycles) return;
      throw new TypeError("it contains itself");
    }
    const json = typeof value.toJSON === "function" ? value.toJSON() : value;
    if (!isContainer(json)) return;
    if (!hollow && isHollow(json)) throw new TypeError("it is little more than a length");
    open.push(opened(json, path));
    ancestors.add(json);
  };
  try {
    enter(root);
    for (let seen = 0; open.length > 0 && seen < MAX_VALUES; seen++) {
      const at = open[open.length - 1];
      path = at.path;
      if (at.next === at.length) {
        ancestors.delete(at.value);
        open.pop();
        continue;
      }
      const key = at.keys ? at.keys[at.next] : at.next;
      at.next++;
      path = at.path === "" ? String(key) : at.path + stepTo(key);
      enter(at.value[key]);
    }
    return undefined;
  } catch {
    return path;
  }
}

/** Reads a value of the caller, called `field`; anything thrown becomes a coded error with its place. */
function readAt(field, value, read) {
  try {
    return read();
  } catch (error) {
    if (isRooCondenseError(error)) throw error;
    throw notReadable(faultyPlace(value, field, { bigints: true }) ?? field, error);
  }
}

module.exports = { faultyPlace, isHollow, readAt };

"use strict";

// Writes JSON of values nested deeper than `JSON.stringify` can handle: it recurses, and fails at a few thousand
// levels, fewer in a worker with a small stack, while `JSON.parse` reads any depth. This version does not recurse; it
// is several times slower, so it is used only if needed.

/** Maximum depth: more than any usable JSON has, and small enough for all code that has to read the JSON again. */
const DEEPEST = 10_000;

/** Returns `JSON.stringify(value)` for any nesting up to 10,000 levels. */
function stringify(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError) || !/call stack/i.test(error.message)) throw error;
    return stringifyDeep(value);
  }
}

/** Returns the value to which JSON converts a value (with `toJSON`, for example) before it checks the type. */
function resolved(value, key) {
  if (typeof value?.toJSON === "function") value = value.toJSON(key);
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) value = value.valueOf();
  return value;
}

const isContainer = (value) => typeof value === "object" && value !== null;

function stringifyDeep(root) {
  const parts = [];
  /** The open containers, outermost first: their value, keys (undefined for arrays), and the position of the next one. */
  const open = [];
  const ancestors = new Set();
  const begin = (value) => {
    if (ancestors.has(value)) throw new TypeError("Converting circular structure to JSON");
    if (open.length >= DEEPEST) throw new RangeError(`nested deeper than ${DEEPEST} levels`);
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    parts.push(keys ? "{" : "[");
    ancestors.add(value);
    open.push({ value, keys, length: (keys ?? value).length, next: 0, isFirst: true });
  };
  const start = resolved(root, "");
  if (!isContainer(start)) return JSON.stringify(start);
  begin(start);
  while (open.length > 0) {
    const at = open[open.length - 1];
    if (at.next === at.length) {
      parts.push(at.keys ? "}" : "]");
      ancestors.delete(at.value);
      open.pop();
      continue;
    }
    const key = at.keys ? at.keys[at.next] : String(at.next);
    at.next++;
    const item = resolved(at.value[key], key);
    const json = isContainer(item) ? "" : JSON.stringify(item);
    // Undefined, functions and symbols are omitted from objects, and become null in arrays.
    if (json === undefined && at.keys) continue;
    parts.push(at.isFirst ? "" : ",", at.keys ? `${JSON.stringify(key)}:` : "", json ?? "null");
    at.isFirst = false;
    if (isContainer(item)) begin(item);
  }
  return parts.join("");
}

module.exports = { stringify, stringifyDeep };

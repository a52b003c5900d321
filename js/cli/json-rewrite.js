"use strict";

// Writes a changed value into the JSON text it was read from. This module finds the changes; the addon, which finds
// their places in the text, leaves everything else byte for byte.

const { rewritten } = require("../json-text.js");
const { origins } = require("../origins.js");

const isObject = (value) => typeof value === "object" && value !== null;

/** Returns the layout of the file for new values: the indentation of one level, and its line breaks. */
function layoutOf(text) {
  const unit = /^\s*[[{]\r?\n([ \t]+)/.exec(text.slice(0, 200))?.[1] ?? "";
  return { unit, newline: /\r\n/.test(text.slice(0, 10_000)) ? "\r\n" : "\n" };
}

/** Returns the text of a new value, `depth` levels deep. */
function freshText(value, { unit, newline }, depth) {
  if (!unit) return JSON.stringify(value);
  // A string in JSON contains no line breaks, so all of them belong to the layout.
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + unit.repeat(depth));
}

/**
 * Returns the change from `before` to `after`, as the addon reads it: `"keep"`; `{ text }`, the JSON of another
 * value; `{ elements: [[index, change]] }` for an array, where an element without an index is a text; or `{ fields: {
 * changed, removed, added } }`, whose names are JSON, too.
 */
function changeOf(before, after, layout, depth) {
  if (Object.is(before, after)) return "keep";
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    return { text: freshText(after, layout, depth) };
  }
  const inner = depth + 1;
  if (Array.isArray(after)) {
    const found = origins(before, after);
    const element = (value, position) => {
      const origin = found[position];
      return origin === -1 ? [null, freshText(value, layout, inner)] : [origin, changeOf(before[origin], value, layout, inner)];
    };
    return { elements: after.map(element) };
  }
  const had = (key) => Object.hasOwn(before, key);
  const added = Object.keys(after).filter((key) => !had(key));
  // Fields that stay are written in their original place. A restored message may have been matched with one that has
  // them in another order.
  const order = [...Object.keys(before).filter((key) => Object.hasOwn(after, key)), ...added];
  if (Object.keys(after).some((key, position) => key !== order[position])) return { text: freshText(after, layout, depth) };
  const changed = Object.keys(after).filter((key) => had(key) && !Object.is(before[key], after[key]));
  return {
    fields: {
      changed: changed.map((key) => [JSON.stringify(key), changeOf(before[key], after[key], layout, inner)]),
      removed: Object.keys(before)
        .filter((key) => !Object.hasOwn(after, key))
        .map((key) => JSON.stringify(key)),
      added: added.map((key) => [JSON.stringify(key), freshText(after[key], layout, inner)]),
    },
  };
}

/** Returns the text of `after`, written into `text`, the JSON of `before`. Objects shared by both count as unchanged. */
function rewriteJson(text, before, after) {
  if (Object.is(before, after)) return text;
  const layout = layoutOf(text);
  return rewritten(text, changeOf(before, after, layout, 0), layout);
}

module.exports = { rewriteJson };

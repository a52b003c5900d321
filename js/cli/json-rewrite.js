"use strict";

// Writes a changed value into the JSON text it was read from. Here it is found out what changed; the addon, which knows where it stands in
// the text, leaves everything else as it is, byte for byte.

const native = require("#native");
const { origins } = require("../origins.js");

const isObject = (value) => typeof value === "object" && value !== null;

/** How the file is laid out, where something new is written: the indentation of one level, and its line breaks. */
function layoutOf(text) {
  const unit = /^\s*[[{]\r?\n([ \t]+)/.exec(text.slice(0, 200))?.[1] ?? "";
  return { unit, newline: /\r\n/.test(text.slice(0, 10_000)) ? "\r\n" : "\n" };
}

/** The text of a value that is new, `depth` levels deep. */
function freshText(value, { unit, newline }, depth) {
  if (!unit) return JSON.stringify(value);
  // A string in JSON has no line break of its own.
  return JSON.stringify(value, null, unit).replaceAll("\n", newline + unit.repeat(depth));
}

/**
 * What makes `after` of `before`, as the addon reads it: `"keep"`; `{ text }`, the JSON of another value; `{ elements: [[index, change]] }`, of an array,
 * where an element without an index is a text; or `{ fields: { changed, removed, added } }`, whose names are JSON, too.
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
  // Fields that stay are written where they were. A message that comes back may have been matched with one that has them in another order.
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

/** The text of `after`, written into `text`, which is the JSON of `before`. Objects shared by both are taken to be unchanged. */
function rewriteJson(text, before, after) {
  if (Object.is(before, after)) return text;
  const layout = layoutOf(text);
  return native.rewriteJson(text, JSON.stringify(changeOf(before, after, layout, 0)), layout.unit, layout.newline);
}

module.exports = { rewriteJson };

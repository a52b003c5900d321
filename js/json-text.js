"use strict";

// Reads JSON as text, by the addon: where a text stops being JSON, and changes in their places.

const native = require("#native");

/** Returns the fault of a text that is not JSON: `{ offset, message, begins? }`; undefined if there is none. */
function faultIn(text) {
  const fault = native.jsonFault(text);
  return fault ? JSON.parse(fault) : undefined;
}

/** Returns a JSON text with a change, and all else byte for byte. `unit` is the indentation of one level. */
const rewritten = (text, change, { unit, newline }) => native.rewriteJson(text, JSON.stringify(change), unit, newline);

module.exports = { faultIn, rewritten };

"use strict";

// What the pointers in messages stand for.

const native = require("#native");
const { checked } = require("./errors.js");
const { serializeMessages } = require("./serialize.js");

/** The edits that put what pointers lead to in their place, and the pointers that lead nowhere. */
function pointersIn(messages) {
  return JSON.parse(checked(() => native.expandPointers(serializeMessages(messages, "messages"))));
}

module.exports = { pointersIn };

"use strict";

// What the pointers in messages stand for.

const native = require("#native");
const { checked } = require("./errors.js");
const { asRead } = require("./formats.js");
const { serializeMessages } = require("./serialize.js");

/** The edits that put what pointers in messages of a format lead to in their place, and the pointers that lead nowhere. */
function pointersIn(messages, format) {
  return JSON.parse(checked(() => native.expandPointers(serializeMessages(asRead(messages, format), "messages"), format)));
}

module.exports = { pointersIn };

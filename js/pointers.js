"use strict";

// Resolves the pointers in messages.

const native = require("#native");
const { checked } = require("./errors.js");
const { asRead } = require("./formats.js");
const { serializeMessages } = require("./serialize.js");

/** Returns the edits that replace the pointers in messages of a format with their lines, and the pointers that do not resolve. */
function pointersIn(messages, format) {
  return JSON.parse(checked(() => native.expandPointers(serializeMessages(asRead(messages, format), "messages"), format)));
}

module.exports = { pointersIn };

"use strict";

// Every pointer replaced by what it stands for.

const native = require("#native");
const { checked } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { serializeMessages } = require("./serialize.js");

/** Messages with the lines that their pointers lead to, and the pointers that lead nowhere. */
function expand(messages) {
  const { edits, unresolved } = JSON.parse(checked(() => native.expandPointers(serializeMessages(messages, "messages"))));
  return { messages: applyPlan(messages, edits).messages, unresolved };
}

module.exports = { expand };

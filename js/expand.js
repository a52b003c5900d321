"use strict";

// Every pointer replaced by what it stands for.

const { refuseUnknown } = require("./errors.js");
const { applyPlan } = require("./plan.js");
const { pointersIn } = require("./pointers.js");

/**
 * Messages with the lines that their pointers lead to, and the pointers that lead nowhere. There are no options.
 * @param {object[]} messages
 * @param {unknown} [options]
 */
function expand(messages, options) {
  refuseUnknown("options", options, []);
  const { edits, unresolved } = pointersIn(messages);
  return { messages: applyPlan(messages, edits).messages, unresolved };
}

module.exports = { expand };

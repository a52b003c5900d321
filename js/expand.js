"use strict";

// Every pointer replaced by what it stands for.

const { applyPlan } = require("./plan.js");
const { pointersIn } = require("./pointers.js");

/** Messages with the lines that their pointers lead to, and the pointers that lead nowhere. */
function expand(messages) {
  const { edits, unresolved } = pointersIn(messages);
  return { messages: applyPlan(messages, edits).messages, unresolved };
}

module.exports = { expand };

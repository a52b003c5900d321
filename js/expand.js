"use strict";

// Replaces every pointer by the lines it represents.

const { readable, refuseUnknown } = require("./errors.js");
const { formatOfEach } = require("./formats.js");
const { applyPlan } = require("./plan.js");
const { pointersIn } = require("./pointers.js");
const { requireMessages } = require("./serialize.js");

/**
 * Returns the messages with every pointer replaced by its lines, and the pointers that do not resolve.
 * @param {object[]} messages
 * @param {{ format?: string }} [options]
 */
function expand(messages, options) {
  refuseUnknown("options", options, ["format"]);
  requireMessages(messages, "messages");
  const format = readable("messages", () => formatOfEach(messages, options?.format, "messages", true));
  const { edits, unresolved } = pointersIn(messages, format);
  return { messages: applyPlan(messages, edits, { format }).messages, unresolved };
}

module.exports = { expand };

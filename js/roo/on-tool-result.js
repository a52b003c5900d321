"use strict";

// Shortens one new tool result before it enters a task. The drop-in calls it where Roo-Code pushes a result to the
// message that answers the model's calls.

const { isRooCondenseError, notAllowed, readable, refuseUnknown } = require("../errors.js");
const isObject = require("../is-object.js");

/** Tokens of a result at most, unless the host says otherwise. */
const BUDGET = 4000;
const OPTIONS = ["budget", "history", "tool", "params", "exitCode", "store"];

/**
 * @param {any} result
 * @param {any} [options]
 */
async function onToolResult(result, options = {}) {
  const {
    budget = BUDGET,
    history,
    tool,
    params,
    exitCode,
    store,
  } = readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object");
    refuseUnknown("options", options, OPTIONS);
    return options;
  });
  // Loaded on first use, so that a host without a binary can load the rest of the drop-in.
  const { condenseResult } = require("../condense-result.js");
  const call = tool === undefined ? undefined : { name: tool, input: params };
  const settings = { budget, messages: history, call, exitCode, store };
  // Results are a text or blocks.
  const given = Array.isArray(result) ? { type: "tool_result", tool_use_id: "result", content: result } : result;
  try {
    const condensed = await condenseResult(given, settings);
    return Array.isArray(result) ? condensed.result.content : condensed.result;
  } catch (error) {
    // The full text is stored nowhere else, so it is returned unchanged.
    if (isRooCondenseError(error) && error.code === "store_failed") return result;
    throw error;
  }
}

module.exports = { onToolResult };

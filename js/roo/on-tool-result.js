"use strict";

// Shortens one new tool result before it enters a task. The drop-in calls it where Roo-Code pushes a result to the
// message that answers the model's calls.

const { isRooCondenseError } = require("../errors.js");

/** Checks of the options whose value remains in JavaScript. `condenseResult` refuses an invalid store. */
const KEPT = { history: Array.isArray, params: () => true, store: () => true };

/**
 * @param {any} result
 * @param {any} [options]
 */
async function onToolResult(result, options = {}) {
  // Loaded on first use, so that a host without a binary can load the rest of the drop-in.
  const { checkedOptions } = require("../options.js");
  const { condenseResult } = require("../condense-result.js");
  const { budget, history, tool, params, exitCode, store } = checkedOptions("OnToolResultOptions", options, KEPT);
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

"use strict";

// Adds results for calls that condensing interrupted, because APIs refuse a call without a result.

const DEFERRED = "Context condensation triggered. Tool execution deferred.";

/** Adds a user message that answers every call without a result; returns the same array if all have one. */
function injectSyntheticToolResults(messages) {
  const called = new Set();
  const answered = new Set();
  for (const { role, content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      if (role === "assistant" && block.type === "tool_use") called.add(block.id);
      if (role === "user" && block.type === "tool_result") answered.add(block.tool_use_id);
    }
  }
  const open = [...called].filter((id) => !answered.has(id));
  if (open.length === 0) return messages;
  const results = open.map((id) => ({ type: "tool_result", tool_use_id: id, content: DEFERRED }));
  return [...messages, { role: "user", content: results, ts: Date.now() }];
}

module.exports = { injectSyntheticToolResults };

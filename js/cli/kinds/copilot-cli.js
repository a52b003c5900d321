"use strict";

// Sessions of GitHub Copilot CLI: ~/.copilot/session-state/*/events.jsonl. Its events are not documented, so nothing
// is written back.

const isObject = require("../../is-object.js");

const isEvent = (value) => isObject(value) && typeof value.type === "string" && isObject(value.data) && "parentId" in value;

/** Returns true for an event of a subagent; they are among those of the conversation. */
const isOfSubagent = ({ agentId, data }) => agentId !== undefined || data.agentId !== undefined;

/** Returns the result of a call as a message. */
const resultOf = ({ toolCallId, result, error }) => ({
  role: "tool",
  tool_call_id: toolCallId,
  content: result?.content ?? error?.message ?? "",
});

const READERS = {
  "system.message": ({ content }, messages) => {
    if (messages[0]?.role === "system") messages.shift();
    messages.unshift({ role: "system", content });
  },
  "user.message": ({ content, transformedContent }, messages) => messages.push({ role: "user", content: transformedContent ?? content }),
  "assistant.message": ({ content, toolRequests = [] }, messages) => {
    const calls = toolRequests.map(({ toolCallId: id, name, arguments: input }) => ({
      id,
      type: "function",
      function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) },
    }));
    if (content || calls.length > 0)
      messages.push({ role: "assistant", content: content || null, ...(calls.length > 0 && { tool_calls: calls }) });
  },
  "tool.execution_complete": ({ toolCallId, result, error }, messages) => {
    const at = messages.findLastIndex(({ tool_calls: calls = [] }) => calls.some(({ id }) => id === toolCallId));
    // A call of a subagent, or one that a compaction replaced.
    if (at < 0) return;
    let end = at + 1;
    while (messages[end]?.role === "tool") end++;
    messages.splice(end, 0, resultOf({ toolCallId, result, error }));
  },
  "session.compaction_complete": ({ summaryContent }, messages) => {
    if (typeof summaryContent !== "string") return;
    const system = messages.filter(({ role }) => role === "system").slice(0, 1);
    messages.splice(0, messages.length, ...system, { role: "user", content: summaryContent });
  },
};

/** The fields without which an event cannot be read, by its type. */
const FIELDS = {
  "system.message": { content: (value) => typeof value === "string" },
  "user.message": { content: (value) => typeof value === "string" },
  "assistant.message": {
    content: (value) => value == null || typeof value === "string",
    toolRequests: (value) =>
      value === undefined || (Array.isArray(value) && value.every((call) => isObject(call) && typeof call.toolCallId === "string")),
  },
  "tool.execution_complete": { toolCallId: (value) => typeof value === "string" },
};

/** Returns the field that makes an event invalid. */
function faultOf(event) {
  if (!isEvent(event)) return "data";
  const wrong = Object.entries(FIELDS[event.type] ?? {}).find(([field, isRight]) => !isRight(event.data[field]));
  return wrong && `data.${wrong[0]}`;
}

function read({ lines, refuse }) {
  const messages = [];
  for (const line of lines) {
    const fault = faultOf(line.value);
    if (fault) refuse(line, fault);
    const { type, data } = line.value;
    if (!isOfSubagent(line.value)) READERS[type]?.(data, messages);
  }
  return { messages };
}

/** Reads the whole session: `take(event)` returns the pieces of an event. */
function whole() {
  let system;
  return (event) => {
    if (faultOf(event)) return undefined;
    const { type, data, agentId = data.agentId } = event;
    const thread = isOfSubagent(event) ? `subagent ${agentId}` : undefined;
    if (type === "tool.execution_complete") return [{ message: resultOf(data), thread }];
    // It is repeated with each turn.
    if (type === "system.message" && data.content === system) return [];
    if (type === "system.message") system = data.content;
    const messages = [];
    READERS[type]?.(data, messages);
    const isSummary = type === "session.compaction_complete";
    return [...(isSummary ? [{ isBoundary: true }] : []), ...messages.map((message) => ({ message, thread, isSummary }))];
  };
}

module.exports = {
  program: "Copilot CLI",
  format: "openai-chat",
  sees: (values) => isEvent(values[0]) && values[0].type === "session.start",
  read,
  whole,
};

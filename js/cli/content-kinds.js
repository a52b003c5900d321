"use strict";

// Tokens by content kind.

const isObject = require("../is-object.js");

/** The kinds in the order they are shown, with their names for people. */
const KINDS = Object.freeze({
  messageText: "message text",
  toolParameters: "tool parameters",
  toolResults: "tool results",
  thinking: "thinking",
  images: "images",
  other: "other",
});

const KIND_OF_TYPE = {
  text: "messageText",
  tool_use: "toolParameters",
  tool_result: "toolResults",
  thinking: "thinking",
  redacted_thinking: "thinking",
  image: "images",
};

const kindOf = (block) => (isObject(block) && Object.hasOwn(KIND_OF_TYPE, block.type) ? KIND_OF_TYPE[block.type] : "other");

/** The kinds of an inspection, as far as they have another name here. Injected context is part of messages. */
const KIND_OF_INSPECTION = {
  user: "messageText",
  assistant: "messageText",
  environment: "messageText",
  summaries: "messageText",
  calls: "toolParameters",
  results: "toolResults",
};

/** Tokens of each kind in messages of this `format`, undefined for most of Anthropic's. Their sum is what all of them together count. */
async function countByKind({ messages, format }, library) {
  if (format === undefined) return countBlocks(messages, library.countTokens);
  const { kinds } = await library.inspect({ messages }, { format, largest: 0 });
  const counts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]));
  for (const [kind, tokens] of Object.entries(kinds)) counts[KIND_OF_INSPECTION[kind] ?? (kind in KINDS ? kind : "other")] += tokens;
  return counts;
}

function countBlocks(messages, countTokens) {
  /** @type {Record<string, object[]>} */
  const groups = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
  for (const message of messages) {
    // Without a role it is no message, and counts nothing.
    if (!isObject(message) || typeof message.role !== "string") continue;
    const { role, content } = message;
    // Each block as a message of its own: one call counts all of a kind.
    if (Array.isArray(content)) for (const block of content) groups[kindOf(block)].push({ role, content: [block] });
    else groups[typeof content === "string" ? "messageText" : "other"].push({ role, content });
  }
  return Object.fromEntries(Object.entries(groups).map(([kind, group]) => [kind, group.length ? countTokens(group) : 0]));
}

/** What is left of each kind in `after`, given the counts of the history before. Of Anthropic's messages only those that differ are counted. */
async function recountByKind(counts, { messages: before, format }, after, library) {
  if (format !== undefined) return countByKind({ messages: after, format }, library);
  const old = new Set(before);
  const kept = new Set(after);
  const gone = countBlocks(
    before.filter((message) => !kept.has(message)),
    library.countTokens,
  );
  const come = countBlocks(
    after.filter((message) => !old.has(message)),
    library.countTokens,
  );
  return Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, counts[kind] - gone[kind] + come[kind]]));
}

/** Tokens of all kinds together. */
const totalOf = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Whether tool calls are plain text in the messages (Roo's XML), so that they count as message text. */
function hasToolText(messages) {
  let found = false;
  for (const message of messages) {
    if (!Array.isArray(message?.content)) continue;
    for (const block of message.content) {
      if (block?.type === "tool_use") return false;
      found ||= message.role === "user" && block?.type === "text" && /^\[\w+[^\n]*\] Result:/.test(block.text);
    }
  }
  return found;
}

module.exports = { KINDS, countByKind, hasToolText, recountByKind, totalOf };

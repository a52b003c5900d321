"use strict";

// Tokens by content kind.

const isObject = require("../is-object.js");

/** The kinds in the order in which they are shown, with their names for people. */
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

/** The kinds of an inspection that have another name here. Injected context is part of messages. */
const KIND_OF_INSPECTION = {
  user: "messageText",
  assistant: "messageText",
  environment: "messageText",
  summaries: "messageText",
  calls: "toolParameters",
  results: "toolResults",
};

/** Counts the tokens of each kind in messages of this `format`, undefined for most of Anthropic's. The sum is the count of all together. */
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
    // A value without a role is no message, and counts nothing.
    if (!isObject(message) || typeof message.role !== "string") continue;
    const { role, content } = message;
    // Each block becomes a message of its own, so that one call counts all blocks of a kind.
    if (Array.isArray(content)) for (const block of content) groups[kindOf(block)].push({ role, content: [block] });
    else groups[typeof content === "string" ? "messageText" : "other"].push({ role, content });
  }
  return Object.fromEntries(Object.entries(groups).map(([kind, group]) => [kind, group.length ? countTokens(group) : 0]));
}

/** Counts each kind in `after`, from the counts of the history before. In Anthropic's format, only messages that differ are counted. */
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

/** Returns the tokens of all kinds together. */
const totalOf = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Returns true if tool calls are plain text in the messages (Roo's XML), so that they count as message text. */
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

"use strict";

// Tokens by content kind.

const { isObject } = require("./history-file.js");

/** The kinds in the order they are shown, with their names for people. */
const KINDS = Object.freeze({
  messageText: "message text",
  toolParameters: "tool parameters",
  toolResults: "tool results",
  thinking: "thinking",
  images: "images",
  other: "other",
});

const KIND_OF_TYPE = { text: "messageText", tool_use: "toolParameters", tool_result: "toolResults", thinking: "thinking", redacted_thinking: "thinking", image: "images" };

const kindOf = (block) => (isObject(block) && Object.hasOwn(KIND_OF_TYPE, block.type) ? KIND_OF_TYPE[block.type] : "other");

/** Tokens of each kind in these messages. Their sum is what all of them together count. */
function countByKind(messages, countTokens) {
  const groups = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
  for (const message of messages) {
    if (!isObject(message)) continue;
    const { role = "user", content } = message;
    // Each block as a message of its own: one call counts all of a kind.
    if (Array.isArray(content)) for (const block of content) groups[kindOf(block)].push({ role, content: [block] });
    else groups[typeof content === "string" ? "messageText" : "other"].push({ role, content });
  }
  return Object.fromEntries(Object.entries(groups).map(([kind, group]) => [kind, group.length ? countTokens(group) : 0]));
}

/** `{ before, after }` of each kind. Messages that are the same object in both are counted once. */
function compareByKind(before, after, countTokens) {
  const counted = countByKind(before, countTokens);
  const old = new Set(before);
  const kept = new Set(after);
  const gone = countByKind(before.filter((message) => !kept.has(message)), countTokens);
  const come = countByKind(after.filter((message) => !old.has(message)), countTokens);
  return Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, { before: counted[kind], after: counted[kind] - gone[kind] + come[kind] }]));
}

/** Whether tool calls stand as text in the messages (Roo's XML), where they count as message text. */
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

module.exports = { KINDS, compareByKind, hasToolText };

"use strict";

// Writes a condensation into a tagged history.

const { getEffectiveApiHistory } = require("./tagged-history.js");
const { placesToGo } = require("./thinking.js");

/** Tags everything that no other summary replaces as replaced by this one. */
const tagAll = (messages, condenseId) =>
  messages.map((message) => (message.condenseParent ? message : { ...message, condenseParent: condenseId }));

/** Returns a time after the newest message, so that a rewind to any earlier time removes the condensation. */
const timestampAfter = (messages) => (messages[messages.length - 1]?.ts ?? Date.now()) + 1;

/** Returns the history with a summary that replaces all of it. */
function appendSummary(messages, content, condenseId) {
  const summary = { role: "user", content, ts: timestampAfter(messages), isSummary: true, condenseId };
  return [...tagAll(messages, condenseId), summary];
}

/**
 * Returns the history with the condensed messages appended as copies, the first of them as the summary that replaces
 * everything before it. All have the same `ts`, so that a rewind keeps or removes them together.
 */
function appendCondensed(messages, condensed, condenseId) {
  const ts = timestampAfter(messages);
  const copies = condensed.map((message, index) => {
    const copy = untagged(message);
    return index === 0 ? { ...copy, ts, isSummary: true, condenseId } : { ...copy, ts, condensedBy: condenseId };
  });
  return [...tagAll(messages, condenseId), ...copies];
}

/** Removes the tags that a message had in the history that a summary now replaces. */
function untagged(message) {
  const {
    isSummary,
    condenseId,
    condenseParent,
    condensedBy,
    isTruncationMarker,
    truncationId,
    truncationParent,
    thinkingParent,
    ...rest
  } = message;
  return rest;
}

/**
 * Appends the messages that the host added during a condensation. If they answer calls that the summary replaces,
 * those calls are repeated before them: the model would otherwise see a result without its call. Thinking that the
 * rule drops is hidden by the summary.
 */
function appendArrived(messages, arrived, rule) {
  const summary = messages.findLast(({ isSummary }) => isSummary);
  if (!summary?.condenseId) return [...messages, ...arrived];
  const again = callsAgain(messages, arrived, summary);
  const shown = [...again, ...arrived];
  const places = rule.drops ? placesToGo(shown, [0, 0], rule) : [];
  const hidden = new Set(places.map(([message]) => shown[message]));
  const settled = shown.map((message) => (hidden.has(message) ? { ...message, thinkingParent: summary.condenseId } : message));
  return [...messages, ...settled];
}

/** Returns copies of the hidden messages with calls that the new messages answer, with those calls only. */
function callsAgain(messages, arrived, { condenseId, ts }) {
  const shown = new Set([...getEffectiveApiHistory(messages), ...arrived].flatMap(idsOfCalls));
  const missing = new Set(arrived.flatMap(idsOfResults).filter((id) => !shown.has(id)));
  const copies = [];
  for (const message of messages) {
    if (message.condenseParent !== condenseId || !idsOfCalls(message).some((id) => missing.has(id))) continue;
    const content = message.content.filter(({ type, id }) => type !== "tool_use" || missing.has(id));
    copies.push({ ...untagged(message), content, ts, condensedBy: condenseId });
  }
  return copies;
}

const blocksIn = ({ content }) => (Array.isArray(content) ? content : []);
const idsOfCalls = (message) =>
  message.role === "assistant" ? blocksIn(message).flatMap((block) => (block?.type === "tool_use" ? [block.id] : [])) : [];
const idsOfResults = (message) =>
  message.role === "user" ? blocksIn(message).flatMap((block) => (block?.type === "tool_result" ? [block.tool_use_id] : [])) : [];

module.exports = { appendArrived, appendCondensed, appendSummary };

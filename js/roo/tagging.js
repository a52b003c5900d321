"use strict";

// How a condensation is written into a tagged history.

const { getEffectiveApiHistory } = require("./tagged-history.js");
const { placesToGo } = require("./thinking.js");

/** Everything that no other summary stands for, tagged as what this one stands for. */
const tagAll = (messages, condenseId) =>
  messages.map((message) => (message.condenseParent ? message : { ...message, condenseParent: condenseId }));

/** After the newest message, so that a rewind to anything before it takes the condensation away. */
const timestampAfter = (messages) => (messages[messages.length - 1]?.ts ?? Date.now()) + 1;

/** The history with a summary that stands for all of it. */
function appendSummary(messages, content, condenseId) {
  const summary = { role: "user", content, ts: timestampAfter(messages), isSummary: true, condenseId };
  return [...tagAll(messages, condenseId), summary];
}

/**
 * The history with the condensed messages appended as copies, the first of them as the summary that stands for all before it. All
 * have one `ts`: a rewind keeps or takes them together.
 */
function appendCondensed(messages, condensed, condenseId) {
  const ts = timestampAfter(messages);
  const copies = condensed.map((message, index) => {
    const copy = untagged(message);
    return index === 0 ? { ...copy, ts, isSummary: true, condenseId } : { ...copy, ts, condensedBy: condenseId };
  });
  return [...tagAll(messages, condenseId), ...copies];
}

/** A message without what said how it stood in the history that is now behind a summary. */
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
 * The history with what the host appended to it while it was condensed. Where that answers calls that are behind the summary now, they stand before it
 * once more: the model would not be shown a result without its call. Thinking that goes by the rule is hidden by the summary.
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

/** Copies of the messages with calls that are answered by what arrived, and that nothing shows any more; of their calls those that it answers. */
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

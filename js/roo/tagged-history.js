"use strict";

// The history of 2026: nothing is deleted. A message with `condenseParent` is replaced by the summary with that
// `condenseId`; one with `truncationParent` is hidden by the marker with that `truncationId`; the thinking in one
// with `thinkingParent` is hidden by that marker or summary. When the summary or marker is removed, they show again.
//
// A condensation by a manager appends the condensed messages as copies. The first is the summary message of the
// condensation; the others have its id as `condensedBy`, so that they are removed with it.

const { behind, isThinking, removal, removed } = require("./thinking.js");

/** Returns the index of the last summary; -1 if there is none. */
const lastSummaryIndex = (messages) => messages.findLastIndex((message) => message.isSummary);

/** Returns the messages since the last summary, the summary included; the same array if there is none. */
function getMessagesSinceLastSummary(messages) {
  const index = lastSummaryIndex(messages);
  return index === -1 ? messages : messages.slice(index);
}

/** Returns the messages that the API gets: summaries and markers instead of the messages they replace. */
function getEffectiveApiHistory(messages) {
  const start = messages.findLastIndex((message) => message.isSummary === true);
  const recent = start === -1 ? messages : withoutOrphanResults(messages.slice(start));
  const summaries = start === -1 ? summaryIds(recent) : new Set();
  const markers = markerIds(recent);
  const visible = recent.filter(
    ({ condenseParent, truncationParent }) =>
      !(condenseParent && summaries.has(condenseParent)) && !(truncationParent && markers.has(truncationParent)),
  );
  const shown = withThinkingHidden(visible, new Set([...markers, ...summaryIds(recent)]));
  return shown.length === messages.length && shown.every((message, index) => message === messages[index]) ? messages : shown;
}

/** Removes the thinking that a truncation or summary hides. A message with nothing else is removed as well, or replaced by a note. */
function withThinkingHidden(messages, hiding) {
  const isHidden = ({ thinkingParent }) => thinkingParent && hiding.has(thinkingParent);
  if (!messages.some(isHidden)) return messages;
  const places = behind(messages, [0, 0], isThinking).filter(([message]) => isHidden(messages[message]));
  return removed(messages, removal(messages, places));
}

/** Leaves out results whose call is before the summary, and messages that contained nothing else. */
function withoutOrphanResults(messages) {
  const calls = new Set();
  for (const { role, content } of messages) {
    if (role !== "assistant" || !Array.isArray(content)) continue;
    for (const block of content) if (block.type === "tool_use") calls.add(block.id);
  }
  const kept = [];
  for (const message of messages) {
    if (message.role !== "user" || !Array.isArray(message.content)) {
      kept.push(message);
      continue;
    }
    const content = message.content.filter((block) => block.type !== "tool_result" || calls.has(block.tool_use_id));
    if (content.length === message.content.length && content.length > 0) kept.push(message);
    else if (content.length > 0) kept.push({ ...message, content });
  }
  return kept;
}

const summaryIds = (messages) =>
  new Set(messages.filter((message) => message.isSummary && message.condenseId).map((message) => message.condenseId));
const markerIds = (messages) =>
  new Set(messages.filter((message) => message.isTruncationMarker && message.truncationId).map((message) => message.truncationId));

/** Returns the indices of the visible messages that can be hidden: the whole effective history except markers. */
function visibleIndices(messages) {
  const start = Math.max(
    0,
    messages.findLastIndex((message) => message.isSummary === true),
  );
  const recent = messages.slice(start);
  const summaries = messages[start]?.isSummary ? new Set() : summaryIds(recent);
  const markers = markerIds(recent);
  const indices = [];
  recent.forEach(({ condenseParent, truncationParent, isTruncationMarker }, offset) => {
    const hidden = (condenseParent && summaries.has(condenseParent)) || (truncationParent && markers.has(truncationParent));
    if (!hidden && !isTruncationMarker) indices.push(start + offset);
  });
  return indices;
}

/** Removes, after a rewind, tags whose summary or marker is gone, and the copies of a condensation that is gone. */
function cleanupAfterTruncation(messages) {
  const summaries = summaryIds(messages);
  const markers = markerIds(messages);
  const cleaned = [];
  let changed = false;
  for (const message of messages) {
    const { condenseParent, truncationParent, thinkingParent, condensedBy } = message;
    if (condensedBy && !summaries.has(condensedBy)) {
      changed = true;
      continue;
    }
    const noSummary = condenseParent && !summaries.has(condenseParent);
    const noMarker = truncationParent && !markers.has(truncationParent);
    const noThinkingMarker = thinkingParent && !markers.has(thinkingParent) && !summaries.has(thinkingParent);
    if (!noSummary && !noMarker && !noThinkingMarker) {
      cleaned.push(message);
      continue;
    }
    const copy = { ...message };
    if (noSummary) delete copy.condenseParent;
    if (noMarker) delete copy.truncationParent;
    if (noThinkingMarker) delete copy.thinkingParent;
    cleaned.push(copy);
    changed = true;
  }
  return changed ? cleaned : messages;
}

/** Returns the slash commands of a message, each on its own line. They have to survive every summary. */
function extractCommandBlocks({ content }) {
  const text = typeof content === "string" ? content : textOf(content);
  return (text.match(/<command[^>]*>[\s\S]*?<\/command>/g) ?? []).join("\n");
}

const textOf = (content) =>
  Array.isArray(content)
    ? content
        .filter((block) => block.type === "text")
        .map((block) => block.text)
        .join("\n")
    : "";

module.exports = {
  cleanupAfterTruncation,
  extractCommandBlocks,
  getEffectiveApiHistory,
  getMessagesSinceLastSummary,
  lastSummaryIndex,
  visibleIndices,
};

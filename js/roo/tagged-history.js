"use strict";

// The history of 2026: nothing is deleted. A message with `condenseParent` is stood for by the summary of that `condenseId`, one
// with `truncationParent` is hidden by the marker of that `truncationId`, and the thinking of one with `thinkingParent` by that marker or summary; when the
// summary or the marker goes, it shows again.
//
// A condensation by a manager appends the condensed messages as copies. The first is the summary message of the condensation; the
// others carry `condensedBy`, its id, so that they go when it goes.

const { behind, isThinking, removal, removed } = require("./thinking.js");

/** The index of the last summary; -1 when there is none. */
const lastSummaryIndex = (messages) => messages.findLastIndex((message) => message.isSummary);

/** The messages since the last summary, the summary included; the same array when there is none. */
function getMessagesSinceLastSummary(messages) {
  const index = lastSummaryIndex(messages);
  return index === -1 ? messages : messages.slice(index);
}

/** The messages the API gets: what stands for others instead of those others. */
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

/** Without the thinking that a truncation or a summary hides. A message of nothing else goes as well, or a note takes its place. */
function withThinkingHidden(messages, hiding) {
  const isHidden = ({ thinkingParent }) => thinkingParent && hiding.has(thinkingParent);
  if (!messages.some(isHidden)) return messages;
  const places = behind(messages, [0, 0], isThinking).filter(([message]) => isHidden(messages[message]));
  return removed(messages, removal(messages, places));
}

/** Results whose call lies before the summary are left out, and messages that held nothing else. */
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

/** The indices of the messages that are shown and can be hidden: all of the effective history but its markers. */
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

/** After a rewind: tags whose summary or marker is gone go as well, and so do the copies of a condensation that is gone. */
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

/** The slash commands of a message, each on its own line: they have to survive every summary. */
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

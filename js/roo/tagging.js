"use strict";

// How a condensation is written into a tagged history.

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
    // What said how the message stood in the history that is now behind the summary.
    const {
      isSummary,
      condenseId: _,
      condenseParent,
      condensedBy,
      isTruncationMarker,
      truncationId,
      truncationParent,
      thinkingParent,
      ...copy
    } = message;
    return index === 0 ? { ...copy, ts, isSummary: true, condenseId } : { ...copy, ts, condensedBy: condenseId };
  });
  return [...tagAll(messages, condenseId), ...copies];
}

module.exports = { appendCondensed, appendSummary };

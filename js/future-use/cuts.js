"use strict";

// Determines where to cut conversations, and which part before a cut counts as old.

/** Number of last messages of a prefix that every policy keeps, in addition to the first. */
const KEPT = 5;
/** Number of messages after a cut in which the assistant's messages are examined. */
const HORIZON = 30;

/** The shares of the messages at which a conversation is cut. */
const PLACES = [0.5, 0.75];

/**
 * Cuts a conversation at these shares of its messages, or at the next assistant message that answers the user, if
 * more than five messages follow. `prefix` is condensed by a policy, which may cut `older` but not `kept`; `future`
 * contains the assistant's next messages.
 */
function cutsOf(messages, shares = PLACES) {
  const places = shares.map((share) => nextTurn(messages, Math.max(1, Math.floor(messages.length * share))));
  return [...new Set(places)]
    .filter((at) => at < messages.length - 5)
    .map((at) => {
      const prefix = messages.slice(0, at);
      return {
        at,
        prefix,
        older: prefix.slice(1, -KEPT),
        kept: [prefix[0], ...prefix.slice(-KEPT)],
        future: messages.slice(at, at + HORIZON).filter((message) => message?.role === "assistant"),
      };
    });
}

function nextTurn(messages, from) {
  const isTurn = (message, index) => index >= from && message?.role === "assistant" && messages[index - 1]?.role === "user";
  const at = messages.findIndex(isTurn);
  return at < 0 ? messages.length : at;
}

const share = (items, isKept) => (items.length === 0 ? undefined : items.filter(isKept).length / items.length);

module.exports = { KEPT, cutsOf, share };

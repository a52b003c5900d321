"use strict";

// Where conversations are cut, and which part of what comes before is old.

/** Messages at the end of a prefix that every policy keeps, with the first. */
const KEPT = 5;
/** Messages after a cut in which the assistant's are looked at. */
const HORIZON = 30;

/** The shares of the messages at which a conversation is cut. */
const PLACES = [0.5, 0.75];

/**
 * A conversation is cut at these shares of its messages, or at the next message of the assistant that answers the user's, when more than
 * five messages follow. `prefix` is what a policy condenses, `older` what it may take from, `kept` what it may not, `future` what the assistant does next.
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

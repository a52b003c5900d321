"use strict";

// Decides how many of the oldest messages are removed when the window slides.

/** Returns Roo-Code's number: a share of all messages but the first, rounded down to an even number, so that the roles still alternate. */
function pairsToRemove(count, fraction) {
  const wanted = Math.floor((count - 1) * fraction);
  return wanted - (wanted % 2);
}

/** The shares to try, one after the other, until the rest fits. The first is Roo-Code's. */
const SHARES = [0.5, 0.75, 0.875, 1];

/**
 * Returns the numbers of messages after the first that can be removed, the smallest first. All of them leave the
 * newest message and separate no call from its result. Empty if nothing can be removed.
 */
function removals(messages) {
  const most = messages.length - 2;
  const numbers = SHARES.map((share) => unbrokenRemoval(messages, Math.min(pairsToRemove(messages.length, share), most - (most % 2))));
  return [...new Set(numbers)].filter((removed) => removed > 0).sort((a, b) => a - b);
}

/**
 * Returns the number of messages after the first to remove without separating a call from its result: `wanted`, or
 * else the next larger one, or the next smaller one if no larger one leaves a message. Two user messages in a row can
 * make `wanted` separate them.
 */
function unbrokenRemoval(messages, wanted) {
  if (wanted <= 0) return wanted;
  const parts = partedPairs(messages);
  if (!parts[wanted]) return wanted;
  for (let removed = wanted + 1; removed < messages.length - 1; removed++) if (!parts[removed]) return removed;
  for (let removed = wanted - 1; removed > 0; removed--) if (!parts[removed]) return removed;
  return 0;
}

/** Counts, for each number of messages removed after the first, the calls that it would separate from their results. */
function partedPairs(messages) {
  const calls = new Map();
  // A pair is separated by every number from the index of its call up to the one before its result: +1 where that
  // begins, -1 where it ends.
  const changes = new Array(messages.length + 1).fill(0);
  messages.forEach(({ content }, index) => {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (block.type === "tool_use") calls.set(block.id, index);
      if (block.type !== "tool_result" || !calls.has(block.tool_use_id)) continue;
      const callIndex = calls.get(block.tool_use_id);
      // A call in the first message is never removed: its result is separated from it by every number from its own
      // index on.
      changes[callIndex === 0 ? index : callIndex]++;
      changes[callIndex === 0 ? messages.length : index]--;
    }
  });
  let parted = 0;
  return changes.map((change) => (parted += change));
}

/**
 * Returns the smallest truncation that fits, else the largest, as `{ truncated, tokens }`; undefined if nothing can
 * be removed. `remove(count)` truncates; `count(truncated)` returns the tokens that are left.
 */
async function fittingTruncation(messages, allowedTokens, remove, count) {
  let found;
  for (const removed of removals(messages)) {
    const truncated = remove(removed);
    const tokens = await count(truncated);
    if (found === undefined || tokens < found.tokens) found = { truncated, tokens };
    if (tokens <= allowedTokens) break;
  }
  return found;
}

module.exports = { fittingTruncation, pairsToRemove, unbrokenRemoval };

"use strict";

// How many of the oldest messages go when the window slides.

/** Roo-Code's number: the share of all but the first, rounded down to an even one, so that the roles still alternate. */
function pairsToRemove(count, fraction) {
  const wanted = Math.floor((count - 1) * fraction);
  return wanted - (wanted % 2);
}

/**
 * The number of messages after the first that can go without parting a call from its result: `wanted`, or else the next larger one,
 * or the next smaller one when there is none that leaves a message. Two user messages in a row make `wanted` part them.
 */
function unbrokenRemoval(messages, wanted) {
  if (wanted <= 0) return wanted;
  const cuts = partedPairs(messages);
  for (let removed = wanted; removed < messages.length - 1; removed++) if (!cuts[removed]) return removed;
  for (let removed = wanted - 1; removed > 0; removed--) if (!cuts[removed]) return removed;
  return 0;
}

/** For each number of removed messages, whether it would part a call from its result. */
function partedPairs(messages) {
  const parted = new Array(messages.length).fill(false);
  const calls = new Map();
  messages.forEach(({ content }, index) => {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (block.type === "tool_use") calls.set(block.id, index);
      if (block.type !== "tool_result" || !calls.has(block.tool_use_id)) continue;
      // The call is removed from its index on, its result from `index` on; the first message is never removed.
      for (let removed = calls.get(block.tool_use_id); removed < index; removed++) if (removed > 0) parted[removed] = true;
    }
  });
  return parted;
}

module.exports = { pairsToRemove, unbrokenRemoval };

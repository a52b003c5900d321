"use strict";

// Runs work in parallel and commits the results in order, with a limit on the memory in use.

/** Maximum number of pieces of work in progress, or waiting for an earlier one. */
const MOST = 1024;

/**
 * Starts `work` on each item and calls `commit(item, answer)` in the order of the items. An item weighs
 * `weightOf(item)` until its work is done, and `weightOf(item, answer)` from then until it is committed. While the
 * total weight is above `limit`, no other item starts, unless it is alone.
 * @template Item, Answer
 * @param {AsyncIterable<Item>} items
 * @param {{ work: (item: Item) => Promise<Answer>, commit: (item: Item, answer: Answer) => Promise<void>, weightOf: (item: Item, answer?: Answer) => number, limit: number, signal: AbortSignal }} how
 */
async function inOrder(items, { work, commit, weightOf, limit, signal }) {
  /** @type {{ item: Item, weight: number, outcome?: { answer?: Answer, error?: unknown } }[]} */
  const pending = [];
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });

  const settled = (each, outcome) => {
    each.outcome = outcome;
    each.weight = "answer" in outcome ? weightOf(each.item, outcome.answer) : 0;
    wake();
  };

  /** Commits finished items, and waits while `isFull()`. */
  const drain = async (isFull) => {
    for (;;) {
      signal.throwIfAborted();
      const [first] = pending;
      if (first?.outcome) {
        if ("error" in first.outcome) throw first.outcome.error;
        await commit(first.item, /** @type {Answer} */ (first.outcome.answer));
        pending.shift();
      } else if (isFull()) {
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
          if (signal.aborted) wake();
        });
      } else {
        return;
      }
    }
  };

  const heldWeight = () => pending.reduce((sum, { weight }) => sum + weight, 0);
  for await (const item of items) {
    const weight = weightOf(item);
    await drain(() => pending.length >= MOST || (pending.length > 0 && heldWeight() + weight > limit));
    const each = { item, weight };
    pending.push(each);
    work(item).then(
      (answer) => settled(each, { answer }),
      (error) => settled(each, { error }),
    );
  }
  await drain(() => pending.length > 0);
}

module.exports = { inOrder };

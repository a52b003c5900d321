"use strict";

// Shortens tool results before they are sent for the first time. The application keeps the whole results, which recall reads. Every later
// request contains the same shortened results, so that consecutive requests begin with the same bytes.

const { resultsIn, shortened } = require("../condense-result.js");
const { countTokens } = require("../count.js");
const { fingerprintOf, fingerprintOfMessages } = require("../fingerprints.js");
const { applyPlan } = require("../plan.js");

/** Maximum number of messages whose shortened results are cached, over all conversations. Others are shortened again, with the same result. */
const MOST_KEPT = 1024;
const WAY_BACK = 'call recall with {"query": "words to look for"}';

class NewResults {
  #budget;
  #encoding;
  #whole;
  /** The edits that shorten a message, by the content of all messages up to it; empty if its results are kept whole. */
  #edits = new Map();

  /** @param {{ budget: number, encoding: string, recall: boolean }} settings token budget of a result, and whether the model has recall */
  constructor({ budget, encoding, recall }) {
    this.#budget = budget;
    this.#encoding = encoding;
    this.#whole = recall ? WAY_BACK : undefined;
  }

  /**
   * Returns the history with all long results shortened. A message without long results stays the same object.
   * @param {readonly any[]} history
   * @param {{ contents: string[], format: string | undefined, viewOf: (history: any[]) => any[] }} about `contents`: the content hash of
   * each
   * message; `viewOf` returns the messages that the model receives for the first messages: pointers may only point there
   */
  async shorten(history, { contents, format, viewOf }) {
    const short = [];
    for (const [index, message] of history.entries()) {
      const budget = this.#budgetOf(message, format);
      if (budget === undefined) {
        short.push(message);
        continue;
      }
      const key = keyOf(message, index, contents, format);
      const kept = this.#kept(message, key, format);
      short.push(kept ?? (await this.#shortened(message, viewOf(short), { key, budget, format })));
    }
    return short;
  }

  /** Returns the history with those results shortened whose edits are cached. */
  known(history, { contents, format }) {
    return history.map((message, index) => {
      if (this.#budgetOf(message, format) === undefined) return message;
      return this.#kept(message, keyOf(message, index, contents, format), format) ?? message;
    });
  }

  /** Returns the token budget for all results of a message together; undefined if none is too long. */
  #budgetOf(message, format) {
    const results = resultsIn(message);
    // A token has a byte or more, and a UTF-16 unit three bytes or fewer.
    if (results.length === 0 || JSON.stringify(results).length * 3 <= this.#budget) return undefined;
    const counts = results.map((result) => countTokens([result], { encoding: this.#encoding, format }));
    if (counts.every((count) => count <= this.#budget)) return undefined;
    return counts.reduce((sum, count) => sum + Math.min(count, this.#budget), 0);
  }

  #kept(message, key, format) {
    const edits = this.#edits.get(key);
    if (!edits) return undefined;
    this.#keep(key, edits);
    return applied(message, edits, format);
  }

  async #shortened(message, before, { key, budget, format }) {
    const settings = { budget, encoding: this.#encoding, whole: this.#whole };
    const { edits } = await shortened({ messages: [...before, message], format }, settings);
    const own = edits.map((edit) => ({ ...edit, message: 0 }));
    this.#keep(key, own);
    return applied(message, own, format) ?? message;
  }

  #keep(key, edits) {
    this.#edits.delete(key);
    this.#edits.set(key, edits);
    if (this.#edits.size > MOST_KEPT) this.#edits.delete(this.#edits.keys().next().value);
  }
}

const keyOf = (message, index, contents, format) =>
  `${format} ${fingerprintOf(contents.slice(0, index).join(""))} ${fingerprintOfMessages([message], format)}`;

/** Returns the message with its results shortened; undefined if its form has changed since the edits were made, such as a text that became a block. */
function applied(message, edits, format) {
  try {
    return applyPlan([message], edits, { format }).messages[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

module.exports = { NewResults };

"use strict";

// Recall for integrations that serve several conversations at once: a call is answered from the messages that contain
// it, so no conversation sees another's.

const { requireMessages } = require("../serialize.js");
const { runTool } = require("./ask.js");
const { RecalledConversation } = require("./recalled.js");
const { View } = require("./view.js");

/** Number of conversations whose index is kept; others are read again when needed. */
const MOST_KEPT = 8;

class Recalls {
  /** Conversations, the least recently used first. */
  #kept = /** @type {RecalledConversation[]} */ ([]);

  /**
   * Returns the text that answers a call of the tool.
   * @param {unknown} input its parameters
   * @param {readonly any[]} messages the conversation
   * @param {string} [format]
   * @param {readonly any[]} [shown] the messages that the model sees
   */
  async run(input, messages, format, shown) {
    requireMessages(messages, "messages");
    const index = await this.#of(messages).indexOf(messages, format);
    return runTool(input, index, { view: shown && new View(shown) });
  }

  /** Returns the conversation that these messages continue, or a new one. */
  #of(messages) {
    const begun = this.#kept.map((kept) => ({ kept, length: kept.begins(messages) ?? 0 }));
    const longest = begun.reduce((best, next) => (next.length > best.length ? next : best), {
      kept: new RecalledConversation(),
      length: 0,
    });
    const { kept } = longest;
    this.#kept = [...this.#kept.filter((other) => other !== kept), kept].slice(-MOST_KEPT);
    return kept;
  }
}

module.exports = { Recalls };

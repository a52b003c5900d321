"use strict";

// A conversation in an index, in its current state: appended messages are added, and changed ones are read again.

const { formatOf } = require("../formats.js");
const { Snapshot, contentOf } = require("../snapshot.js");
const { ConversationIndex } = require("./conversation-index.js");

class RecalledConversation {
  #index = new ConversationIndex();
  #conversation = this.#index.begin();
  /** The content of each message when it was indexed. */
  #known = /** @type {Snapshot[]} */ ([]);
  /** The format in which the messages were read. */
  #format = /** @type {string | undefined} */ (undefined);
  #last = Promise.resolve();

  /** Returns the number of indexed messages if the conversation begins with all of them unchanged. */
  begins(messages) {
    const isKept = this.#known.length <= messages.length && this.#known.every((known, index) => known.holds(messages[index], 0));
    return isKept ? this.#known.length : undefined;
  }

  /** Returns the index of these messages. Calls wait for each other. */
  async indexOf(messages, named) {
    const updated = this.#last.then(() => this.#update(messages, named));
    this.#last = updated.catch(() => {});
    await updated;
    return this.#index;
  }

  async #update(messages, named) {
    const format = formatOf(messages, named, "messages");
    // Text alone fits any format; only the first call or result shows which one it is.
    if (this.#known.length > 0 && (format !== this.#format || this.begins(messages) === undefined)) this.#forget();
    const fresh = messages.slice(this.#known.length);
    if (fresh.length === 0) return;
    const held = fresh.map((message) => new Snapshot([contentOf(message)]));
    try {
      await this.#index.append(this.#conversation, fresh, { format });
    } catch (error) {
      // Some of them may be in the index.
      this.#forget();
      throw error;
    }
    this.#known = this.#known.concat(held);
    this.#format = format;
  }

  #forget() {
    this.#index = new ConversationIndex();
    this.#conversation = this.#index.begin();
    this.#known = [];
  }
}

module.exports = { RecalledConversation };

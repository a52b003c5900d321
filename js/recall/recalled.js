"use strict";

// A conversation in an index, as it is now: what was appended is added, and what was changed is never taken for what it was.

const { formatOf } = require("../formats.js");
const { Snapshot } = require("../snapshot.js");
const { ConversationIndex } = require("./conversation-index.js");

class RecalledConversation {
  #index = new ConversationIndex();
  #conversation = this.#index.begin();
  /** The content of each message when it entered the index. */
  #known = /** @type {Snapshot[]} */ ([]);
  /** The format that they were read in. */
  #format = /** @type {string | undefined} */ (undefined);
  #last = Promise.resolve();

  /** How many messages are in the index, if the conversation begins with all of them as they were. */
  begins(messages) {
    const isKept = this.#known.length <= messages.length && this.#known.every((known, index) => known.holds(messages[index], 0));
    return isKept ? this.#known.length : undefined;
  }

  /** The index of these messages. Calls wait for each other. */
  async indexOf(messages, named) {
    const updated = this.#last.then(() => this.#update(messages, named));
    this.#last = updated.catch(() => {});
    await updated;
    return this.#index;
  }

  async #update(messages, named) {
    const format = formatOf(messages, named, "messages");
    // Text alone looks like any format: the first call or result says which it is.
    if (this.#known.length > 0 && (format !== this.#format || this.begins(messages) === undefined)) this.#forget();
    const fresh = messages.slice(this.#known.length);
    if (fresh.length === 0) return;
    const held = fresh.map((message) => new Snapshot([message]));
    try {
      await this.#index.append(this.#conversation, fresh, { format });
    } catch (error) {
      // Half of them may be in the index.
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

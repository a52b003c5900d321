"use strict";

// The addon's index of conversations, with promises. Calls on one index are made one after the other.

const native = require("#native");
const { argumentError, checked } = require("../errors.js");
const { asRead } = require("../formats.js");
const { KeepAlive } = require("../keep-alive.js");
const { serializeInParts } = require("../serialize.js");

class ConversationIndex {
  #native = checked(() => new native.RecallIndex());
  /** The last messages of each conversation, which are passed again with the next ones, because those may answer their calls. */
  #open = new Map();
  /** The previous call. */
  #last = Promise.resolve();

  /** Begins a conversation; `name` is shown with its hits if there are several. Returns its number. */
  begin(name = "") {
    return checked(() => this.#native.begin(name));
  }

  /**
   * Adds messages to a conversation. `label` names their part of it, such as "subagent Explore"; messages of
   * different labels are read separately.
   * @param {number} conversation
   * @param {readonly any[]} messages
   * @param {{ format?: string, label?: string }} [options]
   * @returns {Promise<{ entries: number }>} how many entries the index has
   */
  append(conversation, messages, { format, label = "" } = {}) {
    return this.#queued(async () => {
      const before = this.#open.get(conversation);
      const again = before?.label === label && before.format === format ? before.messages : [];
      const all = [...again, ...messages];
      const parts = new native.MessageParts(format);
      serializeInParts(asRead(all, format), (json) => checked(() => parts.add(json)), { field: "messages" });
      const { open, entries } = await this.#told((done) => this.#native.append(conversation, parts, again.length, label, done));
      this.#open.set(conversation, { label, format, messages: open > 0 ? all.slice(-open) : [] });
      return { entries };
    });
  }

  /**
   * Searches. `within` lists the conversations to search; by default, all.
   * @param {string} query
   * @param {{ maxTokens?: number, within?: number[] }} [options]
   */
  search(query, { maxTokens, within } = {}) {
    return this.#queued(() => this.#told((done) => this.#native.search(query.toWellFormed(), JSON.stringify({ maxTokens, within }), done)));
  }

  /**
   * Reads lines of an entry: from `first` (from 1, skipping `skip` bytes) to `last`, or as many as fit. Resolves to
   * null for an unknown key.
   * @param {string} key
   * @param {{ first?: number, skip?: number, last?: number, maxTokens?: number, within?: number[] }} [options]
   */
  read(key, { first = 1, skip = 0, last, maxTokens, within } = {}) {
    const options = JSON.stringify({ first, skip, last, maxTokens, within });
    return this.#queued(() => this.#told((done) => this.#native.read(key.toWellFormed(), options, done)));
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #queued(work) {
    const result = this.#last.then(work);
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** Returns the addon's result at the end of a call. */
  async #told(call) {
    const alive = new KeepAlive();
    try {
      const json = await new Promise((resolve) => checked(() => call(resolve)));
      const told = JSON.parse(json);
      if (told?.error !== undefined) throw argumentError("internal_error", told.error);
      return told;
    } finally {
      alive.stop();
    }
  }
}

module.exports = { ConversationIndex };

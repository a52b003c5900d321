"use strict";

// The messages that a manager or provider passed to the addon. From one call to the next nearly all are the same, and contain the same: these are named by a
// number, so that their JSON is not written, copied and read again.

const { contentOf, isSame } = require("./snapshot.js");

const isObject = (value) => typeof value === "object" && value !== null;

/** Parts of each owner, by their first message: both are freed with it. */
const partsOf = new WeakMap();

class SentMessages {
  #parts;
  #messages;
  #addKnown;
  /** The contents of the messages that were passed so far. */
  contents = [];

  /**
   * @param {object} owner whose calls they are
   * @param {unknown[]} messages
   * @param {(number: number) => boolean} addKnown passes the part with this number; false if the addon has forgotten it
   */
  constructor(owner, messages, addKnown) {
    if (!partsOf.has(owner)) partsOf.set(owner, new WeakMap());
    this.#parts = partsOf.get(owner);
    this.#messages = messages;
    this.#addKnown = addKnown;
  }

  /** Returns true if a part of an earlier call began with this message. */
  begins(message) {
    return isObject(message) && this.#parts.has(message);
  }

  /** Passes the part that begins here, if it is one of an earlier call and contains the same. Returns the number of its messages; 0 if nothing was passed. */
  again(at) {
    const part = this.#partAt(at);
    if (!part || !this.#addKnown(part.number)) return 0;
    this.contents.push(...part.contents);
    return part.contents.length;
  }

  #partAt(at) {
    try {
      const first = this.#messages[at];
      const part = isObject(first) ? this.#parts.get(first) : undefined;
      const { contents } = part ?? {};
      const isThere = contents && at + contents.length <= this.#messages.length;
      return isThere && contents.every((was, index) => isSame(was, this.#messages[at + index])) ? part : undefined;
    } catch {
      // A getter that throws: writing it as JSON says where.
      return undefined;
    }
  }

  /** Notes that so many messages from here on were passed as the part with this number, which is missing where the addon does not keep it. */
  passed(at, count, number) {
    const messages = Array.from({ length: count }, (_, index) => this.#messages[at + index]);
    const contents = messages.map(contentOf);
    if (typeof number === "number" && isObject(messages[0])) this.#parts.set(messages[0], { number, contents });
    this.contents.push(...contents);
  }
}

module.exports = { SentMessages };

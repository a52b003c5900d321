"use strict";

// Passes messages to the addon. Most messages of a call were already passed by the previous call and are unchanged. For these messages,
// the addon receives a number, so that their JSON is not written, copied and read again.

const { contentOf, isSame } = require("./snapshot.js");

const isObject = (value) => typeof value === "object" && value !== null;

/** The parts of each owner, by their first message. Entries are freed together with the owner or the message. */
const partsOf = new WeakMap();

class SentMessages {
  #parts;
  #messages;
  #addKnown;
  /** The contents of the messages passed so far. */
  contents = [];

  /**
   * @param {object} owner the manager or provider that makes the calls
   * @param {unknown[]} messages
   * @param {(number: number) => boolean} addKnown passes the part with this number; returns false if the addon no longer has it
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

  /** Passes the part that begins here, if an earlier call passed the same content. Returns the number of its messages; 0 if nothing was passed. */
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
      // A getter throws. Writing the message as JSON reports its place.
      return undefined;
    }
  }

  /** Records that `count` messages from here on were passed as the part with this number; undefined if the addon does not keep the part. */
  passed(at, count, number) {
    const messages = Array.from({ length: count }, (_, index) => this.#messages[at + index]);
    const contents = messages.map(contentOf);
    if (typeof number === "number" && isObject(messages[0])) this.#parts.set(messages[0], { number, contents });
    this.contents.push(...contents);
  }
}

module.exports = { SentMessages };

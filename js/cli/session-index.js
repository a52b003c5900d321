"use strict";

// An index of recall over whole sessions, updated when the files of the sessions change.

const { cleaner } = require("./session-cleaning.js");
const { ConversationIndex } = require("../recall/conversation-index.js");

/** The number of characters of messages that are given to the index at once. */
const BATCH = 2_000_000;

/** Returns the approximate number of characters of a value as text. */
function lengthOf(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let length = 0;
  for (const each of Object.values(value)) length += lengthOf(each);
  return length;
}

/** Returns all texts in a message, in order. */
const textsIn = (value) => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === "object" && value !== null ? textsIn(value.content ?? value.parts ?? value.text ?? []) : [];
};

/** Returns a summary in the form that the index recognises in any format. */
const asSummary = (message) => ({ role: "user", content: textsIn(message).join("\n"), isSummary: true });

/** A file of a session, and how much of it was read. */
class Reading {
  #take;
  /** The conversations in the file, by the names of their subagents. */
  conversations = new Map();
  damaged = 0;
  compactions = 0;
  isRead = false;
  isGone = false;

  /** @param {import("./session-files.js").Part} part */
  constructor(part) {
    this.part = part;
    this.#take = part.whole();
  }

  /** Returns the pieces of a value; undefined if it is damaged, or nested deeper than Node can follow. */
  pieces(value, clean) {
    try {
      return this.#take(value)?.map((piece) => (piece.isBoundary ? piece : { ...piece, message: clean(piece.message) }));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

class SessionIndex {
  #clean;
  #readings = new Map();
  #updating = Promise.resolve();
  index = new ConversationIndex();

  /** @param {{ redact?: RegExp[] }} [options] `redact`: what is left out */
  constructor({ redact = [] } = {}) {
    this.#clean = cleaner(redact);
  }

  /**
   * Reads the new content of these parts. Calls run one after another.
   * @param {import("./session-files.js").Part[]} parts those of a session, or of several
   */
  update(parts) {
    const next = this.#updating.then(() => this.#update(parts));
    this.#updating = next.catch(() => {});
    return next;
  }

  async #update(parts) {
    for (const part of parts) {
      const reading = this.#readings.get(part.name) ?? new Reading(part);
      this.#readings.set(part.name, reading);
      const { state, values, close } = await reading.part.source.changes();
      reading.isGone = state === "gone";
      if (state === "anew" && reading.isRead) {
        await close();
        return this.#readAnew(parts);
      }
      reading.isRead = true;
      await this.#read(reading, values);
    }
  }

  /** Reads everything again, because nothing can be removed from an index. Content that cannot be read any more is lost. */
  async #readAnew(parts) {
    const all = new Map([...this.#readings.values()].map(({ part }) => [part.name, part]));
    for (const part of parts) if (!all.has(part.name)) all.set(part.name, part);
    for (const { source } of all.values()) source.restart();
    this.index = new ConversationIndex();
    this.#readings.clear();
    await this.#update([...all.values()]);
  }

  async #read(reading, values) {
    const waiting = { messages: /** @type {any[]} */ ([]), length: 0, thread: undefined, isSummary: false };
    const end = async () => {
      if (waiting.messages.length > 0) await this.#append(reading, waiting);
      waiting.messages = [];
      waiting.length = 0;
    };
    for await (const { value, isDamaged } of values) {
      const pieces = isDamaged ? undefined : reading.pieces(value, this.#clean);
      if (pieces === undefined) reading.damaged++;
      for (const { message, thread = reading.part.thread, isSummary = false, isBoundary } of pieces ?? []) {
        if (isBoundary) {
          reading.compactions++;
          continue;
        }
        if (thread !== waiting.thread || isSummary !== waiting.isSummary || waiting.length > BATCH) await end();
        Object.assign(waiting, { thread, isSummary });
        waiting.messages.push(isSummary ? asSummary(message) : message);
        waiting.length += lengthOf(message);
      }
    }
    await end();
  }

  async #append({ part, conversations }, { messages, thread, isSummary }) {
    if (!conversations.has(thread)) conversations.set(thread, this.index.begin([part.session, thread].filter(Boolean).join(", ")));
    await this.index.append(conversations.get(thread), messages, { format: isSummary ? undefined : part.format });
  }

  /** Returns the numbers of the conversations of these parts in the index. */
  within(parts) {
    return parts.flatMap(({ name }) => [...(this.#readings.get(name)?.conversations.values() ?? [])]);
  }

  /** Returns facts about these parts for a reader of an answer: damaged lines, bytes left out, compactions, and whether the first is gone. */
  stateOf(parts) {
    const readings = parts.flatMap(({ name }) => this.#readings.get(name) ?? []);
    const leftOut = readings.reduce((total, { part }) => total + (part.source.leftOut ?? 0), 0);
    const sum = (field) => readings.reduce((total, reading) => total + reading[field], 0);
    return { leftOut, damaged: sum("damaged"), compactions: readings[0]?.compactions ?? 0, isGone: readings[0]?.isGone ?? false };
  }
}

module.exports = { SessionIndex };

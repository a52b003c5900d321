"use strict";

// An index of recall over whole sessions, kept up to date with the files that the sessions are in.

const { cleaner } = require("./session-cleaning.js");

/** Characters of messages to give to the index at once. */
const BATCH = 1_000_000;

/** Groups pieces that follow each other under the same heading, to be given to the index together. */
class Batch {
  #append;
  #place;
  #messages = [];
  #length = 0;

  constructor(append) {
    this.#append = append;
  }

  add(message, place) {
    if (this.#messages.length > 0 && (this.#length > BATCH || Object.keys(place).some((key) => place[key] !== this.#place[key]))) this.end();
    this.#place = place;
    this.#messages.push(message);
    this.#length += lengthOf(message);
  }

  end() {
    if (this.#messages.length > 0) this.#append(this.#messages, this.#place);
    this.#messages = [];
    this.#length = 0;
  }
}

/** About how many characters a value has as text. */
function lengthOf(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let length = 0;
  for (const each of Object.values(value)) length += lengthOf(each);
  return length;
}

class SessionIndex {
  #create;
  #clean;
  #find;
  #parts = new Map();
  #updating = Promise.resolve();
  index;

  /**
   * @param {object} how
   * @param {() => any} how.createIndex makes an empty index
   * @param {() => { name: string, source: any, whole: any, format?: string, program?: string, thread?: string, session?: string }[]} how.find the parts, each time there are more
   * @param {RegExp[]} [how.redact] what is left out
   */
  constructor({ createIndex, find, redact = [] }) {
    this.#create = createIndex;
    this.#find = find;
    this.#clean = cleaner(redact);
    this.index = createIndex();
  }

  /** Reads what is new. Calls follow one another. */
  update() {
    const next = this.#updating.then(() => this.#update());
    this.#updating = next.catch(() => {});
    return next;
  }

  async #update() {
    for (const part of this.#find()) if (!this.#parts.has(part.name)) this.#parts.set(part.name, stateOf(part));
    for (const state of this.#parts.values()) {
      const { state: change, values } = await state.part.source.changes();
      state.isGone = change === "gone";
      if (change === "anew" && state.isRead) return this.#readAnew(values);
      state.isRead = true;
      await this.#take(state, values);
    }
  }

  /** Reads all again, since an entry in the middle of an index cannot be replaced. */
  async #readAnew(values) {
    await values.return?.();
    this.index = this.#create();
    this.#parts.clear();
    await this.#update();
  }

  async #take(state, values) {
    const { part } = state;
    const batch = new Batch((messages, place) => this.index.append(messages, place));
    for await (const { value, isDamaged } of values) {
      const pieces = isDamaged ? undefined : this.#piecesOf(state, value);
      if (pieces === undefined) state.damaged++;
      for (const { message, thread = part.thread, isSummary = false, isBoundary } of pieces ?? []) {
        if (isBoundary) state.compactions++;
        else batch.add(message, { format: part.format, thread, compactions: state.compactions, isSummary, session: part.session });
      }
    }
    batch.end();
  }

  /** The pieces of a value, without what is not to be found; undefined if it is damaged, or nested deeper than Node can follow. */
  #piecesOf(state, value) {
    try {
      return state.take(value)?.map((piece) => ({ ...piece, message: this.#clean(piece.message) }));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** What a reader of an answer should know of the files: `{ name, program, damaged, compactions, isGone }[]`. */
  get parts() {
    return [...this.#parts.values()].map(({ part, damaged, compactions, isGone }) => {
      return { name: part.name, program: part.program, thread: part.thread, damaged, compactions, isGone };
    });
  }
}

const stateOf = (part) => ({ part, take: part.whole(), damaged: 0, compactions: 0, isRead: false, isGone: false });

module.exports = { SessionIndex };

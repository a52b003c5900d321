"use strict";

const { stringify } = require("../deep-json.js");
const { messageOf, notAllowed } = require("../errors.js");
const { fingerprintOf } = require("../fingerprints.js");
const { tell, watch } = require("../host-call.js");
const { questionsOf } = require("../recall/index.js");
const { failure } = require("./failure.js");

/** A history that is looked at: what was read last, and how often that changed. */
class OpenHistory {
  /** @type {readonly any[] | undefined} */
  messages;
  revision = 0;
  bytes;
  problem;
  #source;
  #reading;
  #asked;
  /** What was saved, the newest last, each with the messages that this left, as a hash. */
  #savings = [];
  #hashed;

  /** `canClose`: the page opened it. */
  constructor(source, canClose = false) {
    this.#source = source;
    this.canClose = canClose;
  }

  get id() {
    return this.#source.id;
  }

  get canWrite() {
    return typeof this.#source.save === "function";
  }

  /** Watches it, where that is possible. Returns what stops that. Watching may begin later: the host's `watch` may be an async function. */
  watch(changed) {
    const begun = this.#source.watch?.(() => this.reload().then((isNew) => isNew && changed()));
    // One that fails has nobody to be told to: the history is read again when it is asked for.
    watch(begun);
    return () => tell(async () => (await begun)?.());
  }

  /** Reads it again. Whether it was another than before. */
  async reload() {
    this.#reading = this.#read();
    return this.#reading;
  }

  async #read() {
    let found = { messages: this.messages, bytes: this.bytes };
    let problem;
    let isOther = false;
    try {
      const read = await this.#source.read();
      if (!Array.isArray(read.messages)) throw notAllowed("messages", read.messages, "an array of messages");
      // Nothing else reads between here and the end: what was read at the same time counts once.
      isOther = stringify(read.messages) !== stringify(this.messages);
      found = read;
    } catch (error) {
      // An agent may be in the middle of writing: what was read last stays.
      problem = { message: messageOf(error), ...(error?.said && { said: error.said }) };
    }
    const isNew = problem?.message !== this.problem?.message || isOther;
    Object.assign(this, { messages: found.messages, bytes: found.bytes, problem });
    if (isNew) this.revision++;
    return isNew;
  }

  async loaded() {
    if (this.messages === undefined) await (this.#reading ?? this.reload());
    if (this.messages === undefined) throw failure("unreadable", this.problem?.message ?? "the history cannot be read");
    return this.messages;
  }

  /** What it asks of whoever condenses its earlier part. */
  questions(messages) {
    if (this.#asked?.messages !== messages) this.#asked = { messages, questions: questionsOf(messages) };
    return this.#asked.questions;
  }

  /** Whether the last saving can be taken back: the file is as that left it. */
  get canUndoSave() {
    const saved = this.#savings.at(-1);
    if (saved === undefined || typeof this.#source.undoSave !== "function" || this.problem !== undefined) return false;
    return saved.hash === this.#hash();
  }

  #hash() {
    const { messages } = this;
    if (this.#hashed?.messages !== messages) this.#hashed = { messages, hash: fingerprintOf(messages) };
    return this.#hashed.hash;
  }

  /** Refuses to write where the file is another than it was, which nobody may have told yet. */
  async #checkUnchanged(isUnchanged) {
    await this.reload();
    if (this.problem !== undefined)
      throw failure("unreadable", `nothing was written, because the file cannot be read now: ${this.problem.message}`);
    if (!isUnchanged()) throw failure("changed_since", "the history has changed meanwhile, so nothing was written");
  }

  /** Writes a condensed history. The answer says which revision that made, so that whoever follows the file knows its own work. */
  async save({ messages, restoreData }, revision) {
    await this.#checkUnchanged(() => this.revision === revision);
    const written = await this.#source.save(messages, restoreData);
    const own = await this.#revisionWith(messages);
    if (own !== undefined) this.#savings.push({ written, hash: this.#hash() });
    return { ...written, ...(own !== undefined && { revision: own }), ...(this.canUndoSave && { canUndo: true }) };
  }

  /** Puts back what the last saving replaced. */
  async undoSave() {
    const saved = this.#savings.at(-1);
    if (saved === undefined || typeof this.#source.undoSave !== "function")
      throw failure("nothing_to_undo", "there is no saving that could be taken back");
    await this.#checkUnchanged(() => this.canUndoSave);
    const undone = await this.#source.undoSave(saved.written);
    this.#savings.pop();
    await this.reload();
    return { ...undone, revision: this.revision, ...(this.canUndoSave && { canUndo: true }) };
  }

  /** The revision after `messages` were written; undefined where somebody else has written since. */
  async #revisionWith(messages) {
    const before = stringify(this.messages);
    await this.reload();
    const now = stringify(this.messages);
    // A history may be saved elsewhere than where it is read.
    return this.problem === undefined && (now === stringify(messages) || now === before) ? this.revision : undefined;
  }

  told() {
    return {
      id: this.id,
      name: this.#source.name ?? this.id,
      revision: this.revision,
      messages: this.messages?.length ?? 0,
      ...(this.bytes !== undefined && { bytes: this.bytes }),
      canWrite: this.canWrite,
      ...(this.canUndoSave && { canUndo: true }),
      ...(this.canClose && { canClose: true }),
      ...(this.problem !== undefined && { problem: this.problem }),
    };
  }
}

module.exports = { OpenHistory };

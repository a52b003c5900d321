"use strict";

const { stringify } = require("../deep-json.js");
const { messageOf, notAllowed } = require("../errors.js");
const { DIGITS, contentsOf } = require("../fingerprints.js");
const { formatOf } = require("../formats.js");
const { tell, watch } = require("../host-call.js");
const { asOurs } = require("../projection.js");
const { questionsOf } = require("../future-use/index.js");
const { restore } = require("../restore.js");
const { failure } = require("./failure.js");

/** Messages as the text of a file. */
const asText = (value) => `${indented(value) ?? stringify(value)}\n`;

/** What is too deep for `JSON.stringify` is written without indents. */
function indented(value) {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

/** Restore data alone, as JSON. */
const restoreText = (_, restoreData) => asText(restoreData);

/** How many messages a condensation left. */
const lengthOf = ({ messages }) => messages.length / DIGITS;

/** Whether restore data is of messages with which others begin; `contents`: what those say. */
const isOf = (data, contents) =>
  typeof data?.messages === "string" &&
  data.messages !== "" &&
  data.messages.length <= contents.length &&
  contents.startsWith(data.messages);

/** A history that is looked at: what was read last, and how often that changed. */
class OpenHistory {
  /** @type {readonly any[] | undefined} */
  messages;
  /** The format of the messages; undefined for Anthropic's. */
  format;
  revision = 0;
  bytes;
  /** Writes the text of the history with other messages. */
  textWith = asText;
  /** Writes the text of a file that undoes a download. */
  restoreWith = restoreText;
  problem;
  #source;
  #reading;
  #asked;
  /** Restore data of earlier savings, the newest last: what the source lists, or else what was saved here. */
  #savings = [];
  #contents;
  /** Ends when the last writing has ended: two pages may write at once. */
  #writing = Promise.resolve();

  /** `canClose`: the page opened it. */
  constructor(source, canClose = false) {
    this.#source = source;
    this.canClose = canClose;
  }

  get id() {
    return this.#source.id;
  }

  get name() {
    return this.#source.name ?? this.id;
  }

  get canWrite() {
    return typeof this.#source.save === "function";
  }

  /** Watches it, where that is possible. Returns what stops that. Watching may begin later: the host's `watch` may be an async function. */
  watch(changed) {
    const begun = this.#source.watch?.(() => this.reload().then((isNew) => isNew && changed()));
    // One that fails has nobody to be told to: the history is read again when it is asked for.
    watch(begun);
    return () => tell(() => (typeof begun === "function" ? begun() : Promise.resolve(begun).then((stop) => stop?.())));
  }

  /** Reads it again. Whether it was another than before. */
  async reload() {
    this.#reading = this.#read();
    return this.#reading;
  }

  async #read() {
    let found = { messages: this.messages, bytes: this.bytes, textWith: this.textWith, restoreWith: this.restoreWith };
    let { format } = this;
    let problem;
    let isOther = false;
    try {
      const read = await this.#source.read();
      if (!Array.isArray(read.messages)) throw notAllowed("messages", read.messages, "an array of messages");
      format = formatOf(read.messages, read.format, "messages");
      // Nothing else reads between here and the end: what was read at the same time counts once.
      isOther = stringify(read.messages) !== stringify(this.messages);
      found = read;
    } catch (error) {
      // An agent may be in the middle of writing: what was read last stays.
      problem = { message: messageOf(error), ...(error?.said && { said: error.said }) };
    }
    if (this.#source.savings) this.#savings = await this.#listed();
    const isNew = problem?.message !== this.problem?.message || isOther;
    Object.assign(this, { messages: found.messages, format, bytes: found.bytes, problem });
    Object.assign(this, { textWith: found.textWith ?? asText, restoreWith: found.restoreWith ?? restoreText });
    if (isNew) this.revision++;
    return isNew;
  }

  /** What the source lists of earlier savings. Where that fails, the history can be read all the same; only undoing is not offered. */
  async #listed() {
    try {
      return Array.from(await this.#source.savings());
    } catch {
      return [];
    }
  }

  async loaded() {
    if (this.messages === undefined) await (this.#reading ?? this.reload());
    if (this.messages === undefined) throw failure("unreadable", this.problem?.message ?? "the history cannot be read");
    return this.messages;
  }

  /** What it asks of whoever condenses its earlier part. */
  questions(messages) {
    if (this.#asked?.messages !== messages) this.#asked = { messages, questions: questionsOf(asOurs(messages, this.format)) };
    return this.#asked.questions;
  }

  /** Whether a saving can be undone: the history begins with the messages that it left. */
  get canUndoSave() {
    return this.problem === undefined && this.#fitting() !== undefined;
  }

  /** The newest saving whose condensed messages begin the history as it is now. Messages that were added since stay. */
  #fitting() {
    const { messages } = this;
    if (messages === undefined || this.#savings.length === 0 || typeof this.#source.undoSave !== "function") return undefined;
    if (this.#contents?.messages !== messages) this.#contents = { messages, text: contentsOf(messages, this.format).join("") };
    const { text } = this.#contents;
    return this.#savings.findLast(({ restoreData }) => isOf(restoreData, text));
  }

  /** Refuses to write where the file is another than it was, which nobody may have told yet. */
  async #checkUnchanged(isUnchanged) {
    await this.reload();
    if (this.problem !== undefined)
      throw failure("unreadable", `nothing was written, because the file cannot be read now: ${this.problem.message}`);
    if (!isUnchanged()) throw failure("changed_since", "the history has changed meanwhile, so nothing was written");
  }

  /** Writes one after the other: each sees what the one before it left. */
  #alone(write) {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Writes a condensed history. The answer says which revision that made, so that whoever follows the file knows its own work. */
  save({ messages, restoreData }, revision) {
    return this.#alone(async () => {
      await this.#checkUnchanged(() => this.revision === revision);
      const written = await this.#source.save(messages, restoreData);
      if (!this.#source.savings) this.#savings.push({ restoreData });
      const own = await this.#revisionWith(messages);
      return { ...written, ...(own !== undefined && { revision: own }), ...(this.canUndoSave && { canUndo: true }) };
    });
  }

  /** Puts back what the newest saving replaced, with the messages that were added since. */
  undoSave() {
    return this.#alone(async () => {
      if (this.#savings.length === 0 || typeof this.#source.undoSave !== "function")
        throw failure("nothing_to_undo", "there is no saving that could be undone");
      await this.#checkUnchanged(() => this.canUndoSave);
      const messages = [...(this.messages ?? [])];
      const saving = this.#fitting();
      const added = messages.length - lengthOf(saving.restoreData);
      const undone = await this.#source.undoSave(restore({ messages, restoreData: saving.restoreData }), saving);
      if (!this.#source.savings) this.#savings = this.#savings.filter((other) => other !== saving);
      await this.reload();
      return { ...undone, revision: this.revision, ...(added > 0 && { added }), ...(this.canUndoSave && { canUndo: true }) };
    });
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
      name: this.name,
      revision: this.revision,
      messages: this.messages?.length ?? 0,
      ...(this.bytes !== undefined && { bytes: this.bytes }),
      canWrite: this.canWrite,
      ...(this.canUndoSave && { canUndo: true }),
      ...(this.canWrite && this.#source.grows && { grows: true }),
      ...(this.canClose && { canClose: true }),
      ...(this.problem !== undefined && { problem: this.problem }),
    };
  }
}

module.exports = { OpenHistory, asText };

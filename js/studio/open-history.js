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

/** Returns messages as the text of a file. */
const asText = (value) => `${indented(value) ?? stringify(value)}\n`;

/** Returns a value as indented JSON; undefined if it is too deep for `JSON.stringify`. */
function indented(value) {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

/** Returns restore data alone, as JSON. */
const restoreText = (_, restoreData) => asText(restoreData);

/** Returns the number of messages that a condensation left. */
const lengthOf = ({ messages }) => messages.length / DIGITS;

/** Returns true if restore data belongs to messages with which a history begins; `contents`: the fingerprints of the history. */
const isOf = (data, contents) =>
  typeof data?.messages === "string" &&
  data.messages !== "" &&
  data.messages.length <= contents.length &&
  contents.startsWith(data.messages);

/** An open history: its last content, and how often that changed. */
class OpenHistory {
  /** @type {readonly any[] | undefined} */
  messages;
  /** The format of the messages; undefined for Anthropic's. */
  format;
  revision = 0;
  bytes;
  /** Returns the text of the file with other messages in it. */
  textWith = asText;
  /** Returns the text of a file that undoes a download. */
  restoreWith = restoreText;
  problem;
  #source;
  #reading;
  #asked;
  /** The restore data of earlier savings, the newest last: listed by the source, or else saved here. */
  #savings = [];
  #contents;
  /** Ends when the last writing has ended, since two pages may write at once. */
  #writing = Promise.resolve();

  /** `canClose`: true if the page opened it. */
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

  /**
   * Watches the history if the source can. Returns a function that stops watching. Watching may begin later: the
   * host's `watch` may be an async function.
   */
  watch(changed) {
    const begun = this.#source.watch?.(() => this.reload().then((isNew) => isNew && changed()));
    // A failing watch cannot be reported: the history is read again when a page asks for it.
    watch(begun);
    return () => tell(() => (typeof begun === "function" ? begun() : Promise.resolve(begun).then((stop) => stop?.())));
  }

  /** Reads the history again. Resolves to true if it has changed. */
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
      // No other reading runs between here and the end, so two readings at the same time count as one change.
      isOther = stringify(read.messages) !== stringify(this.messages);
      found = read;
    } catch (error) {
      // An agent may be in the middle of writing, so the last content stays.
      problem = { message: messageOf(error), ...(error?.said && { said: error.said }) };
    }
    if (this.#source.savings) this.#savings = await this.#listed();
    const isNew = problem?.message !== this.problem?.message || isOther;
    Object.assign(this, { messages: found.messages, format, bytes: found.bytes, problem });
    Object.assign(this, { textWith: found.textWith ?? asText, restoreWith: found.restoreWith ?? restoreText });
    if (isNew) this.revision++;
    return isNew;
  }

  /** Returns the earlier savings that the source lists. If that fails, the history can still be read, and only undoing is not offered. */
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

  /** Returns the questions that measure a condensation of its earlier part. */
  questions(messages) {
    if (this.#asked?.messages !== messages) this.#asked = { messages, questions: questionsOf(asOurs(messages, this.format)) };
    return this.#asked.questions;
  }

  /** True if a saving can be undone: the history begins with the messages that it left. */
  get canUndoSave() {
    return this.problem === undefined && this.#fitting() !== undefined;
  }

  /** Returns the newest saving whose condensed messages begin the current history. Messages added since stay. */
  #fitting() {
    const { messages } = this;
    if (messages === undefined || this.#savings.length === 0 || typeof this.#source.undoSave !== "function") return undefined;
    if (this.#contents?.messages !== messages) this.#contents = { messages, text: contentsOf(messages, this.format).join("") };
    const { text } = this.#contents;
    return this.#savings.findLast(({ restoreData }) => isOf(restoreData, text));
  }

  /** Refuses to write if the file has changed, which the page may not know yet. */
  async #checkUnchanged(isUnchanged) {
    await this.reload();
    if (this.problem !== undefined)
      throw failure("unreadable", `nothing was written, because the file cannot be read now: ${this.problem.message}`);
    if (!isUnchanged()) throw failure("changed_since", "the history has changed meanwhile, so nothing was written");
  }

  /** Runs writings one after another, so that each sees the result of the one before. */
  #alone(write) {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Writes a condensed history. The answer has the new revision, so that a page that follows the file recognises its own change. */
  save({ messages, restoreData }, revision) {
    return this.#alone(async () => {
      await this.#checkUnchanged(() => this.revision === revision);
      const written = await this.#source.save(messages, restoreData);
      if (!this.#source.savings) this.#savings.push({ restoreData });
      const own = await this.#revisionWith(messages);
      return { ...written, ...(own !== undefined && { revision: own }), ...(this.canUndoSave && { canUndo: true }) };
    });
  }

  /** Restores the messages that the newest saving replaced, followed by those added since. */
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

  /** Returns the revision after `messages` were written; undefined if somebody else has written since. */
  async #revisionWith(messages) {
    const before = stringify(this.messages);
    await this.reload();
    const now = stringify(this.messages);
    // A history may be saved to another place than it is read from.
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

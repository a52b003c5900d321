"use strict";

// Recall: everything that was said, shown and done in a conversation is found and read again, whatever of it is still in view. The conversation is the store.
//
// For code of this package that has conversations of its own (the MCP server, the command line), below `createRecall`:
//
//   const { ConversationIndex } = require("./conversation-index.js");
//   const { foundText, readText } = require("./said.js");
//   const { runTool } = require("./ask.js");
//   const index = new ConversationIndex();                    // empty; texts are stored once, in Rust; all work is off the main thread
//   const own = index.begin("session 1");                     // a number; the name is told beside a hit if the index has several conversations
//   await index.append(own, messages, { format, label });     // any number of times, in order, in parts of some megabytes. `format` as in js/formats.js (undefined:
//                                                             // Anthropic's). `label` names a part ("subagent Explore", "before compaction 2") and stands beside its hits
//   const found = await index.search("words", { maxTokens, within: [own] });   // { text, hits, matching, entries, tokens }; without `within`, all are searched
//   foundText(found)                                          // what a model is told: a line of head, and the hits
//   const read = await index.read("k7fa", { first, last, maxTokens, within }); // null for an unknown key; else { key, title, text, first, last, total, next }
//   readText(read, "k7fa")
//   await runTool(input, index, { within })                   // the text that answers a call of the tool with this input, whatever it is: never throws for bad input

const { ConversationIndex, MAX_TOKENS } = require("./conversation-index.js");
const { answerTo, HINT, toolIn } = require("./tool.js");
const { readLines, runTool } = require("./ask.js");
const { foundText, readText } = require("./said.js");
const { notAllowed, outOfRange, readable, refuseUnknown } = require("../errors.js");
const { formatOf, requireFormat } = require("../formats.js");
const isObject = require("../is-object.js");
const { restore } = require("../restore.js");
const { Snapshot } = require("../snapshot.js");

const OPTIONS = ["messages", "restoreData", "format", "maxTokens"];

/** Recall over one conversation of the host. */
class Recall {
  #source;
  #restoreData;
  #format;
  #maxTokens;
  #index = new ConversationIndex();
  #conversation = this.#index.begin();
  /** What each message held that is in the index. */
  #known = /** @type {Snapshot[]} */ ([]);
  /** The format that they were read in. */
  #knownFormat;
  #last = Promise.resolve();

  constructor({ messages, restoreData, format, maxTokens = MAX_TOKENS }) {
    this.#source = messages;
    this.#restoreData = restoreData;
    this.#format = format;
    this.#maxTokens = maxTokens;
  }

  get hint() {
    return HINT;
  }

  async search(query, options = {}) {
    if (typeof query !== "string") throw notAllowed("query", query, "a string");
    const { maxTokens } = checkedOptions(options, ["maxTokens"]);
    const found = await (await this.#current()).search(query, { maxTokens: maxTokens ?? this.#maxTokens });
    return { text: foundText(found), hits: found.hits, matching: found.matching, tokens: found.tokens };
  }

  async read(key, options = {}) {
    if (typeof key !== "string") throw notAllowed("key", key, "a string");
    const { maxTokens, lines } = checkedOptions(options, ["maxTokens", "lines"]);
    const range = readLines(lines);
    if (range === undefined) throw notAllowed("options.lines", lines, 'lines such as "40-80", or [40, 80]');
    const read = await (await this.#current()).read(key, { ...range, ...(maxTokens !== undefined && { maxTokens }) });
    return { text: readText(read, key), found: read !== null, ...read && { key: read.key, lines: [read.first, read.last], total: read.total, content: read.text, ...(read.next && { next: read.next }) } };
  }

  tool(format) {
    return toolIn(format, (input) => this.#run(input));
  }

  answer(call) {
    return answerTo(call, (input) => this.#run(input));
  }

  async #run(input) {
    return runTool(input, await this.#current(), { maxTokens: this.#maxTokens });
  }

  /** The index, with the conversation as it is now. */
  #current() {
    const current = this.#last.then(() => this.#update());
    this.#last = current.catch(() => {});
    return current.then(() => this.#index);
  }

  async #update() {
    const messages = await this.#messages();
    const format = formatOf(messages, this.#format, "messages");
    const unchanged = this.#unchanged(messages, format);
    if (unchanged < this.#known.length) {
      // A changed message may have been quoted, counted and ranked by: everything is read again.
      this.#index = new ConversationIndex();
      this.#conversation = this.#index.begin();
      this.#known = [];
    }
    const fresh = messages.slice(this.#known.length);
    if (fresh.length === 0) return;
    const held = fresh.map((message) => new Snapshot([message]));
    await this.#index.append(this.#conversation, fresh, { format });
    this.#known = this.#known.concat(held);
    this.#knownFormat = format;
  }

  /** How many messages at the beginning are those of the index. */
  #unchanged(messages, format) {
    if (this.#known.length > 0 && format !== this.#knownFormat) return 0;
    const changed = this.#known.findIndex((known, index) => index >= messages.length || !known.holds(messages[index], 0));
    return changed === -1 ? this.#known.length : changed;
  }

  /** The conversation before any condensation that the host has the restore data of. */
  async #messages() {
    const given = await (typeof this.#source === "function" ? this.#source() : this.#source);
    const { messages, restoreData } = Array.isArray(given) ? { messages: given, restoreData: this.#restoreData } : (given ?? {});
    if (!Array.isArray(messages)) throw notAllowed("messages", given, "an array of messages, or { messages, restoreData }");
    const all = restoreData === undefined ? [] : Array.isArray(restoreData) ? restoreData : [restoreData];
    return all.reduceRight((condensed, data) => restore({ messages: condensed, restoreData: data }), messages);
  }
}

function checkedOptions(options, known) {
  return readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object");
    refuseUnknown("options", options, known);
    requireTokens("options.maxTokens", options.maxTokens);
    return options;
  });
}

function requireTokens(field, value) {
  if (value === undefined) return;
  if (typeof value !== "number") throw notAllowed(field, value, "a number, 100 or more");
  if (!(value >= 100)) throw outOfRange(field, value, "a number, 100 or more");
}

function createRecall(options) {
  return readable("options", () => {
    if (!isObject(options)) throw notAllowed("options", options, "an object: { messages, … }");
    refuseUnknown("options", options, OPTIONS);
    const { messages, restoreData, format, maxTokens } = options;
    if (typeof messages !== "function" && !isObject(messages) && !Array.isArray(messages))
      throw notAllowed("options.messages", messages, "an array of messages, or a function that gives it");
    requireFormat(format);
    requireTokens("options.maxTokens", maxTokens);
    return new Recall({ messages, restoreData, format, maxTokens });
  });
}

module.exports = { createRecall };

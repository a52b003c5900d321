"use strict";

// Recall: finds and reads everything that was said, shown and done in a conversation, whether or not it is still in
// view. The conversation is the store.
//
// For code of this package with its own conversations (the MCP server, the command line), below `createRecall`:
//
//   const { ConversationIndex } = require("./conversation-index.js");
//   const { foundText, readText } = require("./said.js");
//   const { runTool } = require("./ask.js");
//   const index = new ConversationIndex();                    // empty; texts are stored once, in Rust; all work is off the main thread
//   const own = index.begin("session 1");                     // a number; hits show the name if the index has several conversations
//   await index.append(own, messages, { format, label });     // any number of times, in order, in parts of some megabytes. `format` as in js/formats.js (undefined:
//                                                             // Anthropic's). `label` names a part ("subagent Explore", "before compaction 2") and stands beside its hits
//   const found = await index.search("words", { maxTokens, within: [own] });   // { text, hits, matching, entries, tokens }; without `within`, all are searched
//   foundText(found)                                          // the text for a model: a heading, and the hits
//   const read = await index.read("k7fa", { first, last, maxTokens, within }); // null for an unknown key; else { key, title, text, first, last, total, next }
//   readText(read, "k7fa")
//   await runTool(input, index, { within })                   // the text that answers a call of the tool with this input, whatever it is: never throws for bad input

const { argumentError, notAllowed, readable } = require("../errors.js");
const { requireFormat } = require("../formats.js");
const isObject = require("../is-object.js");
const { RECALL_HINT } = require("../markers.js");
const { restore } = require("../restore.js");
const isStore = require("../is-store.js");
const { checkedOptions } = require("../options.js");
const { requireMessages } = require("../serialize.js");
const { readLines, runTool } = require("./ask.js");
const { LeftOut } = require("./left-out.js");
const { RecalledConversation } = require("./recalled.js");
const { foundText, readText } = require("./said.js");
const { answerTo, toolIn } = require("./tool.js");
const { readResult } = require("./stored-result.js");
const { View } = require("./view.js");

/** The options that hold more than a text or a number, each with a check whether it can be used. */
const KEPT = {
  messages: (/** @type {any} */ messages) => typeof messages === "function" || isObject(messages) || Array.isArray(messages),
  restoreData: () => true,
  format: () => true,
  store: isStore,
};

/** Recall over one conversation of the host. */
class Recall {
  #source;
  #restoreData;
  #format;
  #maxTokens;
  #recalled = new RecalledConversation();
  /** The store that also keeps whole results shortened before they entered. */
  #store;
  /** The content that condensations left out, if the host has a store for it. */
  #leftOut;

  constructor({ messages, restoreData, format, maxTokens, store, conversation }) {
    this.#source = messages;
    this.#restoreData = restoreData;
    this.#format = format;
    this.#maxTokens = maxTokens;
    this.#store = store;
    if (store !== undefined) this.#leftOut = new LeftOut(store, conversation);
  }

  get hint() {
    return RECALL_HINT;
  }

  async keep(result) {
    if (!this.#leftOut)
      throw argumentError("invalid_argument", "keep() needs the option store of createRecall(), which keeps it", {
        field: "options.store",
      });
    const restoreData = readable("result", () => (isObject(result) ? result.restoreData : undefined));
    if (!isObject(restoreData) || !Array.isArray(restoreData.edits))
      throw notAllowed("result", result, "the result of a condensation, with its restoreData");
    if (restoreData.edits.length > 0) await this.#leftOut.keep(restoreData);
  }

  async search(query, options = {}) {
    if (typeof query !== "string") throw notAllowed("query", query, "a string");
    const { maxTokens = this.#maxTokens } = checkedOptions("RecallSearchOptions", options, {});
    const { index, view, missing } = await this.#current();
    const found = await index.search(query, { maxTokens });
    return { text: foundText(found, view, missing), hits: found.hits, matching: found.matching, tokens: found.tokens };
  }

  async read(key, options = {}) {
    if (typeof key !== "string") throw notAllowed("key", key, "a string");
    const areLines = (value) => readLines(value) !== undefined;
    const { maxTokens, lines } = checkedOptions("RecallReadOptions", options, { lines: areLines });
    const { index, missing } = await this.#current();
    const read = await index.read(key, { ...readLines(lines), maxTokens });
    return { text: readText(read, key, missing), ...readFacts(read) };
  }

  tool(format) {
    return toolIn(format, (input) => this.#run(input));
  }

  answer(call) {
    return answerTo(call, (input) => this.#run(input));
  }

  async #run(input) {
    const { index, view, missing } = await this.#current();
    const store = this.#store;
    const stored = store && ((key, range) => readResult(store, key, range));
    return runTool(input, index, { maxTokens: this.#maxTokens, view, missing, stored });
  }

  /** Returns the index of the current conversation, and what the model sees of it, if known. */
  async #current() {
    const { messages, shown, missing } = await this.#messages();
    const index = await this.#recalled.indexOf(messages, this.#format);
    return { index, view: shown && new View(shown), missing };
  }

  /** Returns the conversation before all condensations whose restore data the host has. */
  async #messages() {
    const given = await (typeof this.#source === "function" ? this.#source() : this.#source);
    const { messages, restoreData } = isObject(given) ? given : { messages: given, restoreData: this.#restoreData };
    requireMessages(messages, "messages");
    if (this.#leftOut) return { ...(await this.#leftOut.whole(messages)), shown: messages };
    const all = restoreData === undefined ? [] : Array.isArray(restoreData) ? restoreData : [restoreData];
    const whole = all.reduceRight((condensed, data) => restore({ messages: condensed, restoreData: data }), messages);
    return { messages: whole, shown: all.length > 0 ? messages : undefined, missing: 0 };
  }
}

/** Returns the lines that were read, for code. */
function readFacts(read) {
  if (read === null) return { found: false };
  const { key, first, last, total, text: content, next } = read;
  return { found: true, key, lines: [first, last], total, content, ...(next && { next }) };
}

function createRecall(given) {
  const options = checkedOptions("RecallOptions", given, KEPT, "an object: { messages, … }");
  const { restoreData, format, store, conversation } = options;
  requireFormat(format);
  if (store !== undefined && restoreData !== undefined)
    throw notAllowed("options.restoreData", restoreData, "absent beside options.store, which has it");
  if (store !== undefined && !conversation)
    throw notAllowed("options.conversation", conversation, "the name of this conversation in options.store");
  if (conversation !== undefined && store === undefined)
    throw notAllowed("options.conversation", conversation, "absent without options.store");
  return new Recall(options);
}

module.exports = { createRecall };

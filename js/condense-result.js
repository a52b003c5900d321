"use strict";

// One new tool result, shortened before it enters a conversation.

const native = require("#native");
const { argumentError, checked, notAllowed, readable } = require("./errors.js");
const { asRead, formatOf, formatOfEach, requireFormat } = require("./formats.js");
const isObject = require("./is-object.js");
const { KeepAlive } = require("./keep-alive.js");
const isStore = require("./is-store.js");
const { checkedOptions } = require("./options.js");
const { applyPlan } = require("./plan.js");
const { asOurs } = require("./projection.js");
const { keepResult, keyOf, wayTo } = require("./recall/stored-result.js");
const { requireMessages, serialize, serializeInParts } = require("./serialize.js");

/** The options that hold more than a text, a number or a boolean. */
const KEPT = { messages: () => true, call: { input: () => true }, format: () => true, store: isStore };
const ALLOWED = "a string, a tool result block or message of a known format, or an MCP result";
/** The id of a result that has none: a plain text, or one of MCP. */
const NO_ID = "result";

const block = (id, content, isError) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) }],
});

/** A resource of MCP with a text, as a text, so that it is shortened as one. */
const isTextResource = (part) => part?.type === "resource" && typeof part.resource?.text === "string";
const textOfResource = (part) => (isTextResource(part) ? { type: "text", text: part.resource.text } : part);
const asResource = ({ text }, part) => ({ ...part, resource: { ...part.resource, text } });

/**
 * The forms of a result but a text: `is` recognises one, `message` makes it a message of its format, `back` takes the result out of that message again. Those that belong to no
 * format (`isPlain`) go with messages of every one; `isBlock` says that a message may hold several.
 */
const FORMS = [
  {
    is: ({ type, role }) => type === "tool_result" && role === undefined,
    isBlock: true,
    message: (result) => ({ role: "user", content: [result] }),
    back: (message) => message.content[0],
  },
  {
    is: ({ functionResponse, function_response }) => isObject(functionResponse ?? function_response),
    isBlock: true,
    message: (result) => ({ role: "user", parts: [result] }),
    back: (message) => message.parts[0],
  },
  {
    is: ({ toolResult, role, type }) => isObject(toolResult) && role === undefined && type === undefined,
    isBlock: true,
    message: (result) => ({ role: "user", content: [result] }),
    back: (message) => message.content[0],
  },
  {
    is: ({ type }) => type === "tool-result",
    isBlock: true,
    message: (result) => ({ role: "tool", content: [result] }),
    back: (message) => message.content[0],
  },
  {
    is: ({ content, role, type, lc }) => Array.isArray(content) && role === undefined && type === undefined && lc === undefined,
    isPlain: true,
    message: ({ content, isError }, id) => block(id, content.map(textOfResource), isError === true),
    back: (message, result) => ({
      ...result,
      content: message.content[0].content.map((part, at) =>
        isTextResource(result.content[at]) ? asResource(part, result.content[at]) : part,
      ),
    }),
  },
  {
    is: (result) => isObject(result),
    message: (result) => result,
    back: (message) => message,
  },
];

/**
 * @param {unknown} result
 * @param {import("../types/options.js").CondenseResultOptions} options
 * @returns {Promise<any>}
 */
async function condenseResult(result, options) {
  if (typeof result === "string") {
    const condensed = await condenseText({ length: result.length, parts: partsOf(result), whole: result }, options);
    return { result, ...condensed };
  }
  const { messages, store, ...settings } = settingsOf(options);
  const form = readable("result", () => (isObject(result) ? FORMS.find(({ is }) => is(/** @type {any} */ (result))) : undefined));
  if (!form) throw notAllowed("result", result, ALLOWED);
  const all = readable("result", () => withResult(messages, result, form, settings.format));
  const last = { messages: all.messages.slice(-1), format: all.format };
  const { kept, key, whole, failed } = await wayToWhole(store, settings, async () => {
    const parts = partsOfMessages(last);
    const { whole, digest } = answered(await working((resolve) => native.wholeOfResult(parts, resolve)));
    return { kept: whole, digest };
  });
  const { edits, report } = await shortened(all, { ...settings, whole });
  if (report === null) throw notAllowed("result", result, ALLOWED);
  const isChanged = edits.length > 0;
  const facts = { ...report, ...(isChanged && key !== undefined && { key }) };
  if (!isChanged) return { result, ...facts };
  const plan = applyPlan(all.messages, edits, { format: all.format });
  await keepWhole(store, { kept, key, failed });
  return { result: readable("result", () => form.back(plan.messages.at(-1), result)), ...facts };
}

/**
 * A text, shortened: without `result` if it stays as it is.
 * @param {{ length: number, parts: Iterable<string | Uint8Array>, whole: unknown, digest?: string }} text `length`: about that of all parts; no part ends within a
 * surrogate pair. `whole`: what a store keeps; `digest`: its SHA-256 in hexadecimal digits, if the parts do not determine it
 * @param {unknown} options as of `condenseResult`
 */
async function condenseText({ length, parts, whole: kept, digest }, options) {
  const { messages, store, ...settings } = settingsOf(options);
  const own = readable("options.messages", () =>
    messages.length > 0 ? asOurs(messages, formatOf(messages, settings.format, "options.messages")) : [],
  );
  // The text itself needs not be written as JSON, which would take several times its memory.
  const message = block(idOfCall(own), "");
  const text = checked(() => new native.ResultText(length));
  for (const part of parts) checked(() => (typeof part === "string" ? text.add(part) : text.addBytes(part)));
  const { key, whole, failed } = await wayToWhole(store, settings, async () => ({
    kept,
    digest: digest ?? (await working((resolve) => native.textDigest(text, resolve))),
  }));
  const { edits, report } = await shortened({ messages: [...own, message], format: undefined }, { ...settings, whole }, text);
  if (edits.length === 0) return report;
  await keepWhole(store, { kept, key, failed });
  return { result: edits[0].value, ...report, ...(key !== undefined && { key }) };
}

/** UTF-16 units of a text that are copied at once. */
const PART_UNITS = 1 << 18;

/** A string in parts, none of which ends within a surrogate pair. */
function* partsOf(text) {
  for (let at = 0, end; at < text.length; at = end) {
    end = Math.min(at + PART_UNITS, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
  }
}

/**
 * The whole result as a store keeps it, its key, and the way to it that the note says. A store that cannot tell the way has `failed`, which matters once something is left
 * out.
 * @param {any} store
 * @param {{ recall: boolean, whole?: string }} settings
 * @param {() => Promise<{ kept: unknown, digest: string }>} read
 */
async function wayToWhole(store, { recall, whole }, read) {
  if (!store) return { whole };
  const { kept, digest } = await read();
  const key = keyOf(digest);
  try {
    return { kept, key, whole: await wayTo(store, key, recall) };
  } catch (failed) {
    return { kept, key, failed };
  }
}

/** Keeps the whole before the note is handed out that says where it is. */
async function keepWhole(store, { kept, key, failed }) {
  if (failed) throw failed;
  if (store) await keepResult(store, key, kept);
}

/** Waits for work of the addon, which calls `done` of `begin(done)`. */
async function working(begin) {
  const alive = new KeepAlive();
  try {
    return await new Promise((resolve) => checked(() => begin(resolve)));
  } finally {
    alive.stop();
  }
}

/** The results in the content of a message, each as a message of its own; the message itself where it is one. Empty if it answers no call. */
function resultsIn(message) {
  const { content, parts, role, type } = message;
  const blocks = [content, parts].flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []));
  const isBlock = (block) => FORMS.some(({ is, isBlock }) => isBlock && is(block));
  const inContent = blocks.filter(isBlock).map((block) => ({ role, [Array.isArray(content) ? "content" : "parts"]: [block] }));
  // Results among the model's own words are the service's, which has their whole.
  if (inContent.length > 0) return role === "assistant" || role === "model" ? [] : inContent;
  const kind = role ?? (typeof message.getType === "function" ? message.getType() : type);
  return kind === "tool" || kind === "function" || /_output$/.test(String(kind)) ? [message] : [];
}

/** The messages with the result as the last, and their format. */
function withResult(messages, result, form, named) {
  if (form.isPlain) {
    const own = messages.length > 0 ? asOurs(messages, formatOf(messages, named, "options.messages")) : [];
    return { messages: [...own, form.message(result, idOfCall(own))], format: undefined };
  }
  const last = form.message(result);
  const format = formatOf([last], named, "result");
  const ofMessages = messages.length > 0 ? formatOfEach(messages, named, "options.messages") : format;
  if (format !== ofMessages && messages.length > 0)
    return { messages: [...messages, last], format: formatOf([...messages, last], named, "options.messages") };
  return { messages: [...messages, last], format };
}

/** The id of the call that the last message ends with, if it is the only one there: a plain result answers it. */
function idOfCall(messages) {
  const content = messages.at(-1)?.content;
  const calls = Array.isArray(content) ? content.filter((part) => part?.type === "tool_use") : [];
  return calls.length === 1 && typeof calls[0].id === "string" ? calls[0].id : NO_ID;
}

/**
 * The edits that shorten the results in the last message, and the report.
 * @param {{ messages: any[], format: string | undefined }} all
 * @param {{ budget: number, exitCode?: number, encoding: string, call?: object, whole?: string }} settings `whole`: how to get the whole result
 * @param {object} [text] that of the result, where the message has none
 */
async function shortened({ messages, format }, { budget, exitCode, encoding, call, whole }, text) {
  const parts = partsOfMessages({ messages, format });
  const options = serialize({ budget, exitCode, encoding, call }, "options");
  const json = await working((resolve) => native.condenseResultMessage(parts, options, whole, text, resolve));
  return answered(json);
}

/** Messages as the addon reads them; the last is the result. */
function partsOfMessages({ messages, format }) {
  const parts = checked(() => new native.MessageParts(format));
  const add = (json) => checked(() => parts.add(json));
  const read = asRead(messages, format);
  serializeInParts(read.slice(0, -1), add, { field: "options.messages" });
  serializeInParts(read.slice(-1), add, { field: "result" });
  return parts;
}

/** The answer of the addon. */
function answered(json) {
  const answer = JSON.parse(json);
  if (answer.error !== undefined) throw argumentError("internal_error", answer.error);
  return answer;
}

function settingsOf(given) {
  const options = checkedOptions("CondenseResultOptions", given, KEPT, "an object with a budget");
  const { messages = [], format, recall } = options;
  requireMessages(messages, "options.messages");
  requireFormat(format);
  const whole = recall ? 'call recall with {"query": "words to look for"}' : undefined;
  return { ...options, messages: readable("options.messages", () => Array.from(messages)), whole };
}

module.exports = { condenseResult, condenseText, resultsIn, shortened };

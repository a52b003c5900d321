"use strict";

// Shortens one new tool result before it enters a conversation.

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

/** The options whose values JavaScript keeps, each with its check. */
const KEPT = { messages: () => true, call: { input: () => true }, format: () => true, store: isStore };
const ALLOWED = "a string, a tool result block or message of a known format, or an MCP result";
/** The id of a result without one: a plain text, or an MCP result. */
const NO_ID = "result";

const block = (id, content, isError) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) }],
});

const isTextResource = (part) => part?.type === "resource" && typeof part.resource?.text === "string";
/** Converts an MCP resource with a text to a text, so that it is shortened like one. */
const textOfResource = (part) => (isTextResource(part) ? { type: "text", text: part.resource.text } : part);
const asResource = ({ text }, part) => ({ ...part, resource: { ...part.resource, text } });

/**
 * The forms of a result that is not a text. `is` recognises a form, `message` converts a result to a message of its format, and `back`
 * extracts the result from that message. A form with `isPlain` may be used with messages of any format. `isBlock` is true if a message may
 * contain several such results.
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
 * Shortens a text. Resolves to an object without `result` if it is not shortened.
 * @param {{ length: number, parts: Iterable<string | Uint8Array>, whole: unknown, digest?: string }} text `length`: approximate length of
 * all parts; no part ends inside a surrogate pair. `whole`: the value for the store; `digest`: its SHA-256 in hexadecimal digits, if the
 * parts do not determine it
 * @param {unknown} options the same as for `condenseResult`
 */
async function condenseText({ length, parts, whole: kept, digest }, options) {
  const { messages, store, ...settings } = settingsOf(options);
  const own = readable("options.messages", () =>
    messages.length > 0 ? asOurs(messages, formatOf(messages, settings.format, "options.messages")) : [],
  );
  // The text is passed without writing it as JSON, which would take several times its memory.
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

/** Maximum UTF-16 units of a text to copy at once. */
const PART_UNITS = 1 << 18;

/** Divides a string into parts, none of which ends inside a surrogate pair. */
function* partsOf(text) {
  for (let at = 0, end; at < text.length; at = end) {
    end = Math.min(at + PART_UNITS, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
  }
}

/**
 * Returns the whole result as a store keeps it, its key, and the way to it for the note. If the store cannot name the way, `failed` is the
 * error, which matters only if something is left out.
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

/** Stores the whole result, before the caller receives the note that says where it is. */
async function keepWhole(store, { kept, key, failed }) {
  if (failed) throw failed;
  if (store) await keepResult(store, key, kept);
}

/** Starts work of the addon by `begin(done)`, and waits until the addon calls `done`. */
async function working(begin) {
  const alive = new KeepAlive();
  try {
    return await new Promise((resolve) => checked(() => begin(resolve)));
  } finally {
    alive.stop();
  }
}

/** Returns the results in the content of a message, each as a separate message; the message itself if it is a result. Empty if it answers no call. */
function resultsIn(message) {
  const { content, parts, role, type } = message;
  const blocks = [content, parts].flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []));
  const isBlock = (block) => FORMS.some(({ is, isBlock }) => isBlock && is(block));
  const inContent = blocks.filter(isBlock).map((block) => ({ role, [Array.isArray(content) ? "content" : "parts"]: [block] }));
  // Results in the model's own messages come from the service, which has the whole result.
  if (inContent.length > 0) return role === "assistant" || role === "model" ? [] : inContent;
  const kind = role ?? (typeof message.getType === "function" ? message.getType() : type);
  return kind === "tool" || kind === "function" || /_output$/.test(String(kind)) ? [message] : [];
}

/** Returns the messages with the result as the last one, and their format. */
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

/** Returns the id of the call in the last message, which a plain result answers, if the message contains exactly one. */
function idOfCall(messages) {
  const content = messages.at(-1)?.content;
  const calls = Array.isArray(content) ? content.filter((part) => part?.type === "tool_use") : [];
  return calls.length === 1 && typeof calls[0].id === "string" ? calls[0].id : NO_ID;
}

/**
 * Returns the edits that shorten the results in the last message, and the report.
 * @param {{ messages: any[], format: string | undefined }} all
 * @param {{ budget: number, exitCode?: number, encoding: string, call?: object, whole?: string }} settings `whole`: how to get the whole result
 * @param {object} [text] the text of the result, if the message does not contain it
 */
async function shortened({ messages, format }, { budget, exitCode, encoding, call, whole }, text) {
  const parts = partsOfMessages({ messages, format });
  const options = serialize({ budget, exitCode, encoding, call }, "options");
  const json = await working((resolve) => native.condenseResultMessage(parts, options, whole, text, resolve));
  return answered(json);
}

/** Passes messages to the addon; the last one is the result. */
function partsOfMessages({ messages, format }) {
  const parts = checked(() => new native.MessageParts(format));
  const add = (json) => checked(() => parts.add(json));
  const read = asRead(messages, format);
  serializeInParts(read.slice(0, -1), add, { field: "options.messages" });
  serializeInParts(read.slice(-1), add, { field: "result" });
  return parts;
}

/** Parses the addon's response. */
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

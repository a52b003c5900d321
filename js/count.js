"use strict";

// Counts tokens. Counts are cached by object, so a conversation with one more message is not counted again.

const native = require("#native");
const { checked, notAllowed, readable, unknown } = require("./errors.js");
const { asRead, formatOfEach, isCut, refuseForeign, requireFormat } = require("./formats.js");
const isObject = require("./is-object.js");
const { KeepAlive } = require("./keep-alive.js");
const { refuseHollow, serialize } = require("./serialize.js");

const DEFAULT_ENCODING = "o200k_base";

/** Caches by encoding and format: for each message or block, its tokens and the values that it had when it was counted. */
const caches = new Map();

function cacheOf(encoding, format = "") {
  const key = `${encoding} ${format}`;
  if (!caches.has(key)) caches.set(key, new WeakMap());
  return caches.get(key);
}

/** Collects every key and value inside a value, in order. Comparing them is cheap, because equal strings are usually the same object. */
function leaves(value, found) {
  if (typeof value !== "object" || value === null) {
    found.push(value);
  } else if (typeof value.toJSON === "function") {
    // This value may be counted differently although its fields are the same. A new object equals no other, so it is counted again.
    found.push({});
  } else {
    for (const key of Object.keys(value)) {
      found.push(key);
      leaves(value[key], found);
    }
    found.push(leaves);
  }
  return found;
}

function isUnchanged(value, known, position) {
  if (typeof value !== "object" || value === null) return known[position.at++] === value;
  if (typeof value.toJSON === "function") return false;
  for (const key of Object.keys(value)) {
    if (known[position.at++] !== key || !isUnchanged(value[key], known, position)) return false;
  }
  return known[position.at++] === leaves;
}

/** Returns true if a message is unchanged since it was counted. If it is nested deeper than the stack allows, it is counted again. */
function isKnown(message, known) {
  const position = { at: 0 };
  try {
    return isUnchanged(message, known.leaves, position) && position.at === known.leaves.length;
  } catch {
    return false;
  }
}

function remember(cache, message, tokens) {
  try {
    cache.set(message, { tokens, leaves: leaves(message, []) });
  } catch {
    cache.delete(message);
  }
}

/** Returns the unscaled tokens of each message of a format. */
function countEach(messages, encoding, format) {
  const cache = cacheOf(encoding, format);
  // Checked before allocating an array of the same size: a sparse array may have any length.
  refuseHollow(messages, "messages");
  const counts = [];
  const unknown = [];
  for (const [index, message] of messages.entries()) {
    const known = isObject(message) && !isCut(format) ? cache.get(message) : undefined;
    if (known && isKnown(message, known)) counts[index] = known.tokens;
    else unknown.push(index);
  }
  if (unknown.length === 0) return counts;
  const json = serialize(
    asRead(
      unknown.map((index) => messages[index]),
      format,
    ),
    "messages",
  );
  const tokens = checked(() => native.countMessages(json, encoding, format));
  unknown.forEach((index, at) => {
    counts[index] = tokens[at];
    if (isObject(messages[index])) remember(cache, messages[index], tokens[at]);
  });
  return counts;
}

/** Returns messages, one message, content blocks or one block as an array of messages. */
function asMessages(value) {
  if (Array.isArray(value)) {
    refuseHollow(value, "value");
    if (value.some((item) => isObject(item) && "role" in item)) return value;
    refuseForeign(value, "value");
    return value.map((block) => asMessage(block));
  }
  if (isObject(value)) return ["role" in value ? value : asMessage(value)];
  throw notAllowed("value", value, "a string, content blocks, a message, or an array of messages");
}

/** Messages that each wrap one block, with the same count as the block. They are kept, so that the count is cached. */
const wrappers = new WeakMap();

function asMessage(block) {
  if (!isObject(block)) throw notAllowed("content", block, "an array of content blocks");
  if (!wrappers.has(block)) wrappers.set(block, { role: "user", content: [block] });
  return wrappers.get(block);
}

const OPTIONS = ["encoding", "scale", "format"];

function checkedOptions(options) {
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  for (const field of Object.keys(options)) {
    if (!OPTIONS.includes(field)) throw unknown("options", field, OPTIONS);
  }
  const { encoding = DEFAULT_ENCODING, scale = 1, format } = options;
  requireFormat(format);
  requireEncoding("options.encoding", encoding);
  // The addon would read "1.5" as a number, but the manager rejects it, so this rejects it, too.
  if (typeof scale !== "number" && (typeof scale !== "string" || !Number.isNaN(Number(scale)))) {
    throw notAllowed("options.scale", scale, "a number from 0.1 to 10, or the name of a model family");
  }
  return { encoding, scale, format };
}

/** Returns the tokens of messages of any format, of blocks, or of a single message or block. */
function sumOf(value, encoding, named) {
  const all = Array.isArray(value) ? value : [value];
  refuseHollow(all, "value");
  // Determines the format before counting: calls and results of another format would count as 0.
  const isOfMessages = all.some((item) => isObject(item) && "role" in item);
  const format = all.some(isObject) ? formatOfEach(all, named, "value", !isOfMessages) : undefined;
  const messages = format === undefined ? asMessages(value) : all;
  return countEach(messages, encoding, format).reduce((sum, count) => sum + count, 0);
}

/** Returns the tokens of messages of a format, without checking the elements of the array. */
const countMessages = (messages, format) => countEach(messages, DEFAULT_ENCODING, format).reduce((sum, count) => sum + count, 0);

function requireEncoding(field, encoding) {
  if (typeof encoding !== "string") throw notAllowed(field, encoding, "o200k_base or cl100k_base");
}

/** Counts a text. A lone surrogate is replaced on the way into the addon. */
const countText = (text, encoding) => checked(() => native.countText(text, encoding));

function countTokens(value, options = {}) {
  const { encoding, scale, format } = readable("options", () => checkedOptions(options));
  // In messages, a lone surrogate has a placeholder. A text must count the same as in a message.
  const isText = typeof value === "string";
  const tokens =
    isText && value.isWellFormed()
      ? countText(value, encoding)
      : readable("value", () => sumOf(isText ? [{ role: "user", content: value }] : value, encoding, format));
  return scale === 1 ? tokens : checked(() => native.scaleTokens(tokens, scale));
}

/** @param {import("../types/tokens.js").Encoding} [encoding] */
async function warmUp(encoding = DEFAULT_ENCODING) {
  requireEncoding("encoding", encoding);
  /** @type {() => void} */
  let resolve = () => {};
  /** @type {Promise<void>} */
  const loaded = new Promise((resolved) => {
    resolve = resolved;
  });
  checked(() => native.loadEncoding(encoding, resolve));
  const alive = new KeepAlive();
  return loaded.finally(() => alive.stop());
}

module.exports = { countMessages, countText, countTokens, warmUp };

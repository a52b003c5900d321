"use strict";

// Counts tokens. Counts are cached by object, so a conversation with one more message is not counted again.

const native = require("#native");
const { checked, notAllowed, readable, unknown } = require("./errors.js");
const { asRead, formatOfEach, isCut, refuseForeign, requireFormat } = require("./formats.js");
const isObject = require("./is-object.js");
const { KeepAlive } = require("./keep-alive.js");
const { refuseHollow, serialize } = require("./serialize.js");

const DEFAULT_ENCODING = "o200k_base";

/** By encoding and format, for each message or block: its tokens, and the values that it had when it was counted. */
const caches = new Map();

function cacheOf(encoding, format = "") {
  const key = `${encoding} ${format}`;
  if (!caches.has(key)) caches.set(key, new WeakMap());
  return caches.get(key);
}

/** Every key and value inside, in order. Strings are compared by reference first, so looking costs next to nothing. */
function leaves(value, found) {
  if (typeof value !== "object" || value === null) {
    found.push(value);
  } else if (typeof value.toJSON === "function") {
    // Its fields may be the same although it is counted differently; a new object is never equal to another.
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

/** The tokens of each message of a format, unscaled. */
function countEach(messages, encoding, format) {
  const cache = cacheOf(encoding, format);
  // Checked before allocating an array of the same size: an array may be nothing but a length.
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

/** Text, content blocks, one block, one message, or messages: as messages. */
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

/** Wrappers of blocks as messages, which count the same. They are kept so that the block's count is cached. */
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
  // The addon would read "1.5" as a number, but the manager does not take it either.
  if (typeof scale !== "number" && (typeof scale !== "string" || !Number.isNaN(Number(scale)))) {
    throw notAllowed("options.scale", scale, "a number from 0.1 to 10, or the name of a model family");
  }
  return { encoding, scale, format };
}

/** The tokens of messages of whatever format, of blocks, or of one of them. */
function sumOf(value, encoding, named) {
  const all = Array.isArray(value) ? value : [value];
  refuseHollow(all, "value");
  // Looked at before what is counted: calls and results of another format would count as nothing.
  const isOfMessages = all.some((item) => isObject(item) && "role" in item);
  const format = all.some(isObject) ? formatOfEach(all, named, "value", !isOfMessages) : undefined;
  const messages = format === undefined ? asMessages(value) : all;
  return countEach(messages, encoding, format).reduce((sum, count) => sum + count, 0);
}

/** The tokens of messages of a format, whatever stands in their array. */
const countMessages = (messages, format) => countEach(messages, DEFAULT_ENCODING, format).reduce((sum, count) => sum + count, 0);

function requireEncoding(field, encoding) {
  if (typeof encoding !== "string") throw notAllowed(field, encoding, "o200k_base or cl100k_base");
}

/** Counts a text. Half a surrogate pair is replaced on the way into the addon. */
const countText = (text, encoding) => checked(() => native.countText(text, encoding));

function countTokens(value, options = {}) {
  const { encoding, scale, format } = readable("options", () => checkedOptions(options));
  // Half a surrogate pair has a stand-in in messages, and a text counts what it counts there.
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

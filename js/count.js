"use strict";

// Counting tokens. Counts are remembered by object: a conversation that has grown by a message is not counted again.

const native = require("./native.js");
const { argumentError, checked, notAllowed } = require("./errors.js");
const { isObject } = require("./call.js");
const { serialize } = require("./serialize.js");

/** By encoding, for each message or block: its tokens, and the values it was made of when it was counted. */
const caches = new Map();

function cacheOf(encoding) {
  if (!caches.has(encoding)) caches.set(encoding, new WeakMap());
  return caches.get(encoding);
}

/** Every key and value inside, in order. Strings are compared by reference first, so looking costs next to nothing. */
function leaves(value, found) {
  if (typeof value !== "object" || value === null) {
    found.push(value);
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
  for (const key of Object.keys(value)) {
    if (known[position.at++] !== key || !isUnchanged(value[key], known, position)) return false;
  }
  return known[position.at++] === leaves;
}

/** The tokens of each message, unscaled. */
function countEach(messages, encoding) {
  const cache = cacheOf(encoding);
  const counts = new Array(messages.length);
  const unknown = [];
  messages.forEach((message, index) => {
    const known = isObject(message) ? cache.get(message) : undefined;
    const position = { at: 0 };
    if (known && isUnchanged(message, known.leaves, position) && position.at === known.leaves.length) counts[index] = known.tokens;
    else unknown.push(index);
  });
  if (unknown.length === 0) return counts;
  const bytes = serialize(unknown.map((index) => messages[index]), "messages");
  const tokens = checked(() => native.countMessages(bytes, encoding));
  unknown.forEach((index, at) => {
    counts[index] = tokens[at];
    if (isObject(messages[index])) cache.set(messages[index], { tokens: tokens[at], leaves: leaves(messages[index], []) });
  });
  return counts;
}

/** Text, content blocks, one block, one message, or messages: as messages. */
function asMessages(value) {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && "role" in item) ? value : value.map((block) => asMessage(block));
  if (isObject(value)) return ["role" in value ? value : asMessage(value)];
  throw notAllowed("value", value, "a string, content blocks, a message, or an array of messages");
}

/** A block counts what a message of that one block counts. The wrapper is remembered, so that the block's count is. */
const wrappers = new WeakMap();

function asMessage(block) {
  if (!isObject(block)) throw notAllowed("content", block, "an array of content blocks");
  if (!wrappers.has(block)) wrappers.set(block, { role: "user", content: [block] });
  return wrappers.get(block);
}

function countTokens(value, options = {}) {
  if (!isObject(options)) throw notAllowed("options", options, "an object");
  const { encoding = "o200k_base", scale = 1 } = options;
  let tokens = 0;
  if (typeof value === "string") {
    tokens = checked(() => native.countText(value, String(encoding)));
  } else {
    try {
      for (const count of countEach(asMessages(value), String(encoding))) tokens += count;
    } catch (error) {
      if (error.code) throw error;
      // A getter that throws, or nesting deeper than the stack.
      throw argumentError("not_serializable", `value cannot be read: ${error?.message ?? error}`, error);
    }
  }
  return scale === 1 ? tokens : checked(() => native.scaleTokens(tokens, String(scale)));
}

function warmUp(encoding = "o200k_base") {
  return checked(() => native.loadEncoding(String(encoding)));
}

module.exports = { countTokens, warmUp };

"use strict";

// Writes values for the addon as JSON, which it parses off the main thread.

const { stringify } = require("./deep-json.js");
const { argumentError, isRooCondenseError, messageOf, notAllowed, notReadable, readable, shown } = require("./errors.js");
const { faultyPlace, isHollow } = require("./place.js");

/** Throws `not_serializable` if `array` is little more than a length. */
function refuseHollow(array, field) {
  if (!isHollow(array)) return;
  const held = Object.keys(array).length;
  const message = `${field} has ${array.length.toLocaleString("en-US")} places, and something stands in ${held.toLocaleString("en-US")} of them`;
  throw argumentError("not_serializable", message, { field });
}

/** Returns the JSON of any value. Throws a TypeError if `value` has no JSON. */
const serialize = (value, field) => writtenAt(value, field, () => stringify(value));

/** Returns the result of `write` for a value or parts of it; errors name the place in the value. */
function writtenAt(value, field, write) {
  try {
    return write();
  } catch (error) {
    // A cycle, a BigInt, a getter or toJSON that throws, or more text than a string can hold.
    const place = faultyPlace(value, field) ?? field;
    const message = `${place} cannot be written as JSON: ${messageOf(error)}`;
    throw argumentError("not_serializable", message, { field: place, cause: error });
  }
}

/** Throws if `messages` is not an array of messages. */
function requireMessages(messages, field) {
  readable(field, () => {
    // An array with a toJSON does not match its JSON, so edits would change the wrong messages.
    if (!Array.isArray(messages) || typeof (/** @type {{ toJSON?: unknown }} */ (messages).toJSON) === "function") {
      throw Object.assign(notAllowed(field, messages, "an array of messages"), { code: "invalid_messages" });
    }
  });
  readable(field, () => refuseHollow(messages, field));
}

/** Returns the JSON of an array of messages. */
function serializeMessages(messages, field = "context.messages") {
  requireMessages(messages, field);
  return serialize(messages, field);
}

/**
 * UTF-16 units of JSON per part. V8 writes JSON in pieces of this size, and joins longer ones when they are read:
 * passing six megabytes takes 21 ms in such parts, and 27 ms as one.
 */
const PART_UNITS = 16 * 1024;

/**
 * Passes the JSON of an array of messages to `add` in parts, each the JSON of an array of some of them.
 * @param {any} messages
 * @param {(json: string) => unknown} add
 * @param {{ field?: string, sent?: import("./sent-messages.js").SentMessages }} [options] `sent`: what an earlier call passed is named instead
 */
function serializeInParts(messages, add, { field = "context.messages", sent } = {}) {
  requireMessages(messages, field);
  const partFrom = (start, most) => {
    const part = [];
    for (let at = start; at < messages.length && part.length < most; at++) {
      if (at > start && sent?.begins(messages[at])) break;
      part.push(messages[at]);
    }
    return { json: stringify(part), count: part.length };
  };
  let most = 1;
  for (let at = 0; at < messages.length; ) {
    const known = sent?.again(at) ?? 0;
    if (known > 0) {
      at += known;
      continue;
    }
    const { json, count } = writtenAt(messages, field, () => partFrom(at, most));
    const number = add(json);
    sent?.passed(at, count, number);
    at += count;
    most = Math.max(1, Math.floor((count * PART_UNITS) / json.length));
  }
}

/** Returns JSON with U+FFFD in place of unpaired surrogates, which a Rust string cannot hold: `JSON.stringify` writes them as escapes. */
const wellFormed = (json) => (json.includes("\\ud") ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd") : json);

/**
 * Represents a value that JSON cannot hold, or that only JavaScript can recognise as unusable. The addon refuses it
 * with its name, and shows its original form (src/options).
 */
const refused = (value) => ({ $refused: shown(value) });

const PRICES = ["inputPrice", "outputPrice", "cacheWritesPrice", "cacheReadsPrice"];

const isHeld = (value) => (typeof value === "number" ? Number.isFinite(value) : !["bigint", "function", "symbol"].includes(typeof value));

/** Returns the JSON of settings. Values that JSON would omit or convert are refused: a NaN converted to null would count as absent. */
function serializeSettings(settings, field) {
  let json;
  try {
    json = JSON.stringify(settings, function (key, value) {
      if (isHollow(value)) refuseHollow(value, faultyPlace(settings, field, { bigints: true, hollow: false }) ?? field);
      // The last tier of a host's prices is without limit, and null means the same.
      if (key === "contextWindow" && value === Infinity && PRICES.some((name) => name in this)) return null;
      return isHeld(value) ? value : refused(value);
    });
  } catch (error) {
    if (isRooCondenseError(error)) throw error;
    throw notReadable(faultyPlace(settings, field, { bigints: true }) ?? field, error);
  }
  if (json === undefined) throw notAllowed(field, settings, "a value that JSON can hold");
  return wellFormed(json);
}

module.exports = {
  isHeld,
  requireMessages,
  refuseHollow,
  serialize,
  serializeInParts,
  serializeMessages,
  serializeSettings,
  refused,
  wellFormed,
};

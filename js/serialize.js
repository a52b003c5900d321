"use strict";

// What goes into the addon, as JSON. Messages go as the UTF-16 bytes of their JSON, which it parses off the main thread. UTF-16 is what
// strings are kept in: copying them takes half the time of writing UTF-8, which the addon does on another thread.

const { stringify } = require("./deep-json.js");
const { argumentError, messageOf, notAllowed, outOfRange, readable } = require("./errors.js");

/** The bytes of any JSON value. Throws a TypeError when `value` has no JSON. */
function serialize(value, field) {
  let json;
  try {
    json = stringify(value);
  } catch (error) {
    // A cycle, a BigInt, a getter or toJSON that throws, or more text than a string can hold.
    throw argumentError("not_serializable", `${field} cannot be written as JSON: ${messageOf(error)}`, error);
  }
  return Buffer.from(json, "utf16le");
}

/** The bytes of an array of messages. */
function serializeMessages(messages, field = "context.messages") {
  readable(field, () => {
    // An array with a toJSON is not what its JSON says; edits would land on the wrong messages.
    if (!Array.isArray(messages) || typeof messages.toJSON === "function") {
      const error = notAllowed(field, messages, "an array of messages");
      error.code = "invalid_messages";
      throw error;
    }
  });
  return serialize(messages, field);
}

/**
 * The JSON of settings. What JSON leaves out or turns into something else is refused: a NaN that became null would be taken for a
 * setting that is absent.
 */
function serializeSettings(settings, field) {
  const json = readable(field, () =>
    JSON.stringify(settings, function (key, value) {
      // The last tier of a host's prices has no limit, and null says the same.
      if (key === "contextWindow" && value === Infinity && "inputPrice" in this) return null;
      if (typeof value === "number" && !Number.isFinite(value)) throw outOfRange(key, value, "a finite number");
      if (["bigint", "function", "symbol"].includes(typeof value)) throw notAllowed(key || field, value, "what JSON can hold");
      return value;
    }),
  );
  if (json === undefined) throw notAllowed(field, settings, "what JSON can hold");
  return json;
}

module.exports = { serialize, serializeMessages, serializeSettings };

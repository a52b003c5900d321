"use strict";

// Messages on their way into the addon: the UTF-16 bytes of their JSON, which it parses off the main thread.
// UTF-16 is what strings are kept in: copying them takes half the time of writing UTF-8, which the addon does on another thread.

const { argumentError, notAllowed } = require("./errors.js");

/** The bytes of any JSON value. Throws a TypeError when `value` has no JSON. */
function serialize(value, field) {
  let json;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    // A cycle, a BigInt, a getter or toJSON that throws, or more text than a string can hold.
    throw argumentError("not_serializable", `${field} cannot be written as JSON: ${error?.message ?? error}`, error);
  }
  return Buffer.from(json, "utf16le");
}

/** The bytes of an array of messages. */
function serializeMessages(messages, field = "context.messages") {
  if (!Array.isArray(messages)) {
    const error = notAllowed(field, messages, "an array of messages");
    error.code = "invalid_messages";
    throw error;
  }
  return serialize(messages, field);
}

module.exports = { serialize, serializeMessages };

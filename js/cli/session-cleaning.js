"use strict";

// Removes from a session texts that must not be found because they match a pattern of the user, and the bytes of
// images and files, which are useless to a reader.

const REDACTED = "[redacted]";

/** Base64 that is longer than any key or hash. */
const BASE64 = /^(?:data:[^,]{1,200};base64,)?[A-Za-z0-9+/_-]{1000,}={0,2}$/;

/** Returns a function that replaces all matches of the patterns in a text. */
const redactor = (patterns) => {
  const all = patterns.map((pattern) => new RegExp(pattern.source, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`));
  return (text) => all.reduce((left, pattern) => left.replace(pattern, REDACTED), text);
};

/** Returns a function that copies a value without those texts and bytes, in keys and values. */
function cleaner(patterns) {
  const redact = redactor(patterns);
  const textOf = (text) => (text.length > 1000 && BASE64.test(text) ? "" : redact(text));
  const clean = (value) => {
    if (typeof value === "string") return textOf(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [redact(key), clean(each)]));
  };
  return clean;
}

module.exports = { cleaner, redactor };

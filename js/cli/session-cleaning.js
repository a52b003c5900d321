"use strict";

// Removes from a session what must not be found: texts that match a pattern of the user's, and bytes of images and files, which say nothing to a reader.

const REDACTED = "[redacted]";

/** Base64 of more characters than any key or hash has. */
const BASE64 = /^(?:data:[^,]{1,200};base64,)?[A-Za-z0-9+/_-]{1000,}={0,2}$/;

/** Replaces in a text what matches any of the patterns. */
const redactor = (patterns) => {
  const all = patterns.map((pattern) => new RegExp(pattern.source, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`));
  return (text) => all.reduce((left, pattern) => left.replace(pattern, REDACTED), text);
};

/** A copy of a value without what is not to be found, in keys and values. */
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

"use strict";

// Transcripts of Cursor's agent: ~/.cursor/projects/<path with dashes>/agent-transcripts/**/*.jsonl. They contain the
// texts and the calls, but no results. Cursor does not read them again.

const isObject = require("../../is-object.js");

const isLine = (value) =>
  isObject(value) &&
  (value.role === "user" || value.role === "assistant") &&
  isObject(value.message) &&
  Array.isArray(value.message.content);

const messageOf = ({ role, message: { content } }) => ({ role, content });

function read({ lines, refuse }) {
  for (const line of lines) if (!isLine(line.value)) refuse(line, "message.content");
  return { messages: lines.map(({ value }) => messageOf(value)) };
}

/** Reads the whole transcript: `take(line)` returns the pieces of a line. */
const whole = () => (line) => (isLine(line) ? [{ message: messageOf(line) }] : undefined);

module.exports = { program: "Cursor", format: "anthropic", sees: (values) => values.every(isLine), read, whole };

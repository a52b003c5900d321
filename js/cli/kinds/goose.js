"use strict";

// Sessions of Goose in lines: ~/.local/share/goose/sessions/*.jsonl. The first line is about the session; every other
// one is a message. Newer versions have a database, whose exports (`goose session export --format json`) contain the
// messages as `conversation`.

const isObject = require("../../is-object.js");

const isHead = (value) => isObject(value) && !("role" in value) && typeof value.working_dir === "string" && "message_count" in value;

/** Returns true if these values are lines of a session. */
const sees = ([head, ...messages]) => isHead(head) && messages.every((message) => isObject(message) && typeof message.role === "string");

function read({ lines }) {
  const [head, ...messages] = lines.map(({ value }) => value);
  const known = new Set(messages);
  const written = (changed) => [
    { before: head, after: { ...head, message_count: changed.length } },
    ...changed.map((message) => ({ before: known.has(message) ? message : undefined, after: message })),
  ];
  return { messages, written };
}

module.exports = { program: "Goose", sees, read };

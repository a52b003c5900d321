"use strict";

// The messages in the text of a history, and the text for other messages. It knows no files, because browsers use it, too.

const { EXIT, Failure } = require("./exit-codes.js");
const {
  isJsonLines,
  isRollout,
  isTranscript,
  itemsOfRollout,
  linesOf,
  messagesOfTranscript,
  readLines,
  requireMessages,
} = require("./json-lines.js");
const { visible } = require("./terminal.js");
const { TRANSCRIPT, foreignIn } = require("../formats.js");
const isObject = require("../is-object.js");
const { told } = require("../words.js");

/** What Roo calls its files. */
const ROO_HISTORY = "api_conversation_history.json";

/** Characters shown on either side of an error. */
const AROUND = 30;

/** `before`: number of lines above the text, if it is a line of a file. */
function parse(text, shownName, before) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    if (text.trim() === "") throw new Failure(EXIT.notJson, told("file.blank", { name: shownName }), { cause });
    const error = jsonFault(text, cause);
    const { line, column, start } = position(text, error.offset);
    const above = before ?? 0;
    const reason = before === undefined ? error.message : error.message.replace("the file ends", "the line ends");
    const hints = excerpt(text, start, error.offset);
    if (error.begins !== undefined) {
      const begin = position(text, error.begins);
      hints.push(`The string begins at line ${above + begin.line}, column ${begin.column}.`);
    }
    const place = { name: shownName, line: `${above + line}`, column: `${column}` };
    throw new Failure(EXIT.notJson, told("file.notJson", { ...place, why: reason }), { hints, cause });
  }
}

/** Where the text stops being JSON, and why. `JSON.parse` reports that too, but differently in each version of Node. */
function jsonFault(text, cause) {
  // Only now: help does not depend on the addon.
  const native = require("#native");
  return JSON.parse(native.jsonFault(text) ?? JSON.stringify({ offset: 0, message: cause.message }));
}

/** Line and column of an offset, both from 1; columns in UTF-16 units, as editors count them. `start` is the offset of the line. */
function position(text, offset) {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1, start };
}

/** The place of an error, with a mark under it. */
function excerpt(text, lineStart, offset) {
  const lineEnd = text.indexOf("\n", offset);
  const from = Math.max(lineStart, offset - AROUND);
  const to = Math.min(lineEnd === -1 ? text.length : lineEnd, offset + AROUND);
  const before = (from > lineStart ? "…" : "") + shownText(text.slice(from, offset));
  const after = shownText(text.slice(offset, to)) + (to < (lineEnd === -1 ? text.length : lineEnd) ? "…" : "");
  return (before + after).trim() === "" ? [] : [`  ${before}${after}`, `  ${" ".repeat(before.length)}^`];
}

/** As long as the text itself, so that the mark is in the right place. */
const shownText = (text) => [...text].map((character) => (character === "\t" ? " " : visible(character) || " ")).join("");

/** The array of messages in a JSON value, and how to put another one in its place. */
function findMessages(root, shownName) {
  const field = isObject(root) && Array.isArray(root.messages);
  const messages = field ? root.messages : root;
  if (!Array.isArray(messages)) {
    throw new Failure(EXIT.notMessages, told("file.noArray", { name: shownName, found: describe(root) }));
  }
  if (messages.length > 0 && !messages.some((message) => isObject(message) && "role" in message)) {
    const isUi = messages.some((message) => isObject(message) && (message.type === "say" || message.type === "ask"));
    // What Roo's user interface keeps has a hint of its own.
    if (!isUi) refuse(foreignIn(messages), shownName);
    const hints = isUi ? [`These are the messages of Roo's user interface; the history is ${ROO_HISTORY}, in the same folder.`] : [];
    const values = { name: shownName, count: messages.length, found: describe(messages[0]) };
    throw new Failure(EXIT.notMessages, told("file.noRole", values), { hints });
  }
  refuse(foreignIn(messages), shownName);
  return { messages, withMessages: (changed) => (field ? { ...root, messages: changed } : changed) };
}

/** Refuses messages in a format of others, where `foreignIn` has found one. */
function refuse(foreign, shownName) {
  if (!foreign) return;
  const values = { name: shownName, index: `${foreign.index}`, why: foreign.told };
  throw new Failure(EXIT.notMessages, told("file.foreign", values), { code: "unsupported_format" });
}

function describe(value) {
  if (Array.isArray(value)) return "an array";
  if (!isObject(value)) return value === null ? "null" : `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  return `an object with ${keys
    .slice(0, 6)
    .map((key) => visible(JSON.stringify(key.slice(0, 40))))
    .join(", ")}${keys.length > 6 ? " and more" : ""}`;
}

/** A history of JSON Lines. `textWith` writes JSON Lines again; for a session of Claude Code or Codex, an array of messages. */
function readJsonLines(text, shownName) {
  const { lines, halfLine } = readLines(text, (line, number) => parse(line, shownName, number - 1));
  const values = lines.map(({ value }) => value);
  const session = sessionIn(values);
  const isSession = session !== undefined;
  const messages = session ?? values;
  const foreign = foreignIn(messages);
  // Lines in the format of others may hold no message at all. So may those of a session that has just begun, which is said of them.
  if (foreign?.name !== TRANSCRIPT) refuse(foreign, shownName);
  requireMessages(values, shownName, messages);
  refuse(foreign, shownName);
  const textWith = (changed) =>
    isSession
      ? `${JSON.stringify(changed, null, 2)}\n`
      : linesOf(changed, lines, halfLine === undefined ? text : text.slice(0, text.lastIndexOf("\n") + 1));
  return { messages, textWith, isSession, halfLine };
}

/** The messages that an agent's session holds; undefined for values that are messages themselves. */
function sessionIn(values) {
  if (isTranscript(values)) return messagesOfTranscript(values);
  return isRollout(values) ? itemsOfRollout(values) : undefined;
}

/** A history of JSON. The text that `textWith` writes differs only where messages do. */
function readJson(text, shownName) {
  const root = parse(text, shownName);
  const { messages, withMessages } = findMessages(root, shownName);
  const textWith = (changed) => {
    // Only now: help does not depend on the addon.
    const { rewriteJson } = require("./json-rewrite.js");
    return rewriteJson(text, root, withMessages(changed));
  };
  return { messages, textWith, halfLine: undefined };
}

function readText(name, shownName, text) {
  const hasLines = isJsonLines(text) || (/\.jsonl$/i.test(name) && /^\s*[^\s[]/.test(text));
  return hasLines ? readJsonLines(text, shownName) : readJson(text, shownName);
}

/** The messages in the text of a file of this name, and `textWith(messages)`, which writes others in the same form. */
const historyIn = (name, text) => readText(name, visible(name), text);

module.exports = { ROO_HISTORY, describe, historyIn, parse, position, readText };

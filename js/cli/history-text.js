"use strict";

// Finds the messages in the text of a history, and makes the text for other messages. Uses no files, because browsers
// use it, too.

const { EXIT, Failure } = require("./exit-codes.js");
const { isJsonLines, linesOf, readLines, rewrittenLines } = require("./json-lines.js");
const { kindOfJson, kindOfLines } = require("./kinds/index.js");
const { visible } = require("./terminal.js");
const { seenIn } = require("../formats.js");
const isObject = require("../is-object.js");
const { told } = require("../words.js");

/** The name of Roo's files. */
const ROO_HISTORY = "api_conversation_history.json";
/**
 * The places of messages in files and requests of supported formats: `history` in checkpoints of Gemini CLI,
 * `conversation` in exports of Goose, `values` in states of LangGraph.
 */
const FIELDS = Object.freeze(["messages", "input", "contents", "history", "conversation"]);
const PLACES = [...FIELDS.map((field) => [field]), ["values", "messages"]];

/** The number of characters shown on either side of an error. */
const AROUND = 30;

/** Parses a text. `before`: the number of lines above it, if it is a line of a file. */
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

/** Returns where the text stops being JSON, and why. `JSON.parse` reports that, too, but differently in each version of Node. */
function jsonFault(text, cause) {
  // Loaded here, because help does not depend on the addon.
  const { faultIn } = require("../json-text.js");
  return faultIn(text) ?? { offset: 0, message: cause.message };
}

/** Returns line and column of an offset, both from 1; columns in UTF-16 units, as editors count them. `start` is the offset of the line. */
function position(text, offset) {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1, start };
}

/** Returns the text around an error, with a mark under it. */
function excerpt(text, lineStart, offset) {
  const lineEnd = text.indexOf("\n", offset);
  const from = Math.max(lineStart, offset - AROUND);
  const to = Math.min(lineEnd === -1 ? text.length : lineEnd, offset + AROUND);
  const before = (from > lineStart ? "…" : "") + shownText(text.slice(from, offset));
  const after = shownText(text.slice(offset, to)) + (to < (lineEnd === -1 ? text.length : lineEnd) ? "…" : "");
  return (before + after).trim() === "" ? [] : [`  ${before}${after}`, `  ${" ".repeat(before.length)}^`];
}

/** Replaces characters without changing the length, so that the mark is in the right place. */
const shownText = (text) => [...text].map((character) => (character === "\t" ? " " : visible(character) || " ")).join("");

/** Returns the value at a path. @type {(root: any, path: string[]) => any} */
const at = (root, path) => path.reduce((holder, field) => (isObject(holder) ? holder[field] : undefined), root);
/** Returns the path to the messages in an object. */
const placeIn = (root) => PLACES.find((path) => Array.isArray(at(root, path)));

/** Returns the array of messages in a JSON value, and how to replace it. */
function findMessages(root, shownName) {
  if (Array.isArray(root)) return { messages: root, withMessages: (changed) => changed };
  const path = placeIn(root);
  if (path === undefined) throw new Failure(EXIT.notMessages, told("file.noArray", { name: shownName, found: describe(root) }));
  /** @type {(holder: any, path: string[], changed: any) => any} */
  const put = (holder, [field, ...rest], changed) => ({
    ...holder,
    [field]: rest.length === 0 ? changed : put(holder[field], rest, changed),
  });
  return { messages: at(root, path), withMessages: (changed) => put(root, path, changed) };
}

/**
 * Returns the format of messages, undefined for most of Anthropic's; `named` is the format given by the caller. Throws
 * `noMessage` if none of them is a message.
 */
function requireFormatOf(messages, { shownName, named }, noMessage) {
  const { format, index, told: why } = seenIn(messages, named);
  if (why) {
    const values = { name: shownName, index: `${index}`, why };
    throw new Failure(EXIT.notMessages, told("file.foreign", values), { code: "unsupported_format" });
  }
  if (format === undefined && !messages.some((message) => isObject(message) && "role" in message)) throw noMessage();
  return format;
}

/** Returns true for the format of the Messages API, which is named only if the service has replaced messages by a summary. */
const isOwn = (format) => format === undefined || format === "anthropic";

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

/** Refuses a place in a file of a kind where a field is missing or has a wrong type. */
const refusing =
  (shownName, { program }) =>
  (place, field) => {
    const name = typeof place === "string" ? `${shownName}: ${place}` : `${shownName}:${place.number}`;
    throw new Failure(EXIT.notMessages, told("file.notOfKind", { name, program, field }));
  };

/** Returns messages alone, for a file of a kind that is not written back. */
const asArray = (messages) => `${JSON.stringify(messages, null, 2)}\n`;

/**
 * Reads a history in JSON Lines: of messages, or of a kind. `textWith(messages)` writes lines of the same kind again.
 * With `isCopyOnly` it writes an array of messages, because the program does not read such a file again.
 */
function readJsonLines(text, shownName, named) {
  const { lines, halfLine } = readLines(text, (line, number) => parse(line, shownName, number - 1));
  const values = lines.map(({ value }) => value);
  const whole = halfLine === undefined ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  const kind = kindOfLines(values);
  const { messages, written } = kind ? kind.read({ lines, refuse: refusing(shownName, kind) }) : { messages: values, written: undefined };
  const noMessage = () => new Failure(EXIT.notMessages, told("file.noMessage", { name: shownName, count: values.length }));
  const format = requireFormatOf(messages, { shownName, named }, noMessage);
  const ownText = (changed) => (written ? rewrittenLines(written(changed), lines, whole) : linesOf(changed, lines, whole));
  return { messages, format, ...formOf(kind, written, ownText), halfLine };
}

/** Returns how other messages are written into a file of a kind, or of none. */
const formOf = (kind, written, ownText) =>
  kind && !written
    ? { program: kind.program, isCopyOnly: true, textWith: asArray }
    : {
        ...(kind && { program: kind.program, appends: kind.appends === true, messagesText: asArray }),
        isCopyOnly: false,
        textWith: ownText,
      };

/**
 * Reads a history in JSON: with messages in a known field, or of a kind. The text that `textWith` writes differs only
 * in the changed messages. `line`: its number from 1, if it is a line of a file; `named`: the format, if the caller
 * gives it.
 * @param {string} text
 * @param {string} fileName
 * @param {{ line?: number | undefined, named?: string | undefined }} [options]
 */
function readJson(text, fileName, { line, named } = {}) {
  const root = parse(text, fileName, line === undefined ? undefined : line - 1);
  const shownName = line === undefined ? fileName : `${fileName}:${line}`;
  const kind = kindOfJson(root);
  const { messages, written } = kind ? kind.read({ root, refuse: refusing(shownName, kind) }) : asKind(findMessages(root, shownName));
  const format = formatIn(messages, shownName, named);
  const ownText = (changed) => {
    // Loaded here, because help does not depend on the addon.
    const { rewriteJson } = require("./json-rewrite.js");
    return rewriteJson(text, root, written?.(changed));
  };
  return { messages, format, ...formOf(kind, written, ownText), halfLine: undefined };
}

/**
 * Returns the format of the messages of a JSON value, which may have none.
 * @param {any[]} messages
 * @param {string} shownName
 * @param {string} [named]
 */
function formatIn(messages, shownName, named) {
  const noMessage = () => {
    const values = { name: shownName, count: messages.length, found: describe(messages[0]) };
    return new Failure(EXIT.notMessages, told("file.noRole", values));
  };
  return messages.length > 0 ? requireFormatOf(messages, { shownName, named }, noMessage) : undefined;
}

/** Returns the messages of a JSON value that is of no kind, and their format. Refuses others by name. */
function listIn(root, shownName) {
  const { messages } = findMessages(root, shownName);
  return { messages, format: formatIn(messages, shownName) };
}

const asKind = ({ messages, withMessages }) => ({ messages, written: withMessages });

function readText(name, shownName, text, named) {
  const hasLines = isJsonLines(text) || (/\.jsonl$/i.test(name) && /^\s*[^\s[]/.test(text));
  return hasLines ? readJsonLines(text, shownName, named) : readJson(text, shownName, { named });
}

/** Returns true for a whole history: a line of JSON Lines may also be a message or the first line of a session. */
const isWholeHistory = (value) =>
  Array.isArray(value) || (isObject(value) && !("role" in value) && placeIn(value) !== undefined && kindOfLines([value]) === undefined);

/** Returns the messages in the text of a file with this name, for the studio, and `textWith(messages)`, which writes others in the same form. */
const historyIn = (name, text) => readText(name, visible(name), text);

module.exports = { FIELDS, ROO_HISTORY, asArray, describe, historyIn, isOwn, isWholeHistory, listIn, parse, position, readJson, readText };

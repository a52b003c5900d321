"use strict";

// A history as it stands in a file: its bytes, its text, and the messages in it.

const { isUtf8 } = require("node:buffer");
const fs = require("node:fs");
const path = require("node:path");
const { COMMANDS } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { isJsonLines, isTranscript, linesOf, messagesOfTranscript, readLines, requireMessages } = require("./json-lines.js");
const { bytes: shownBytes, visible } = require("./terminal.js");
const { near } = require("../errors.js");
const { foreignIn } = require("../formats.js");
const isObject = require("../is-object.js");

/** What Roo calls its files. */
const ROO_HISTORY = "api_conversation_history.json";

const BYTE_ORDER_MARK = "\ufeff";
/** Characters shown on either side of an error. */
const AROUND = 30;

/** The bytes of a file and what identifies it, or those of standard input, where there is nothing to identify. */
function readBytes(name) {
  if (name === "-") return { bytes: readInput() };
  let descriptor;
  try {
    descriptor = fs.openSync(name, "r");
    const stat = fs.fstatSync(descriptor);
    if (stat.isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
    const bytes = fs.readFileSync(descriptor);
    // A device or a pipe can be read, but there is nothing to put in its place.
    return { bytes, stat: stat.isFile() ? stat : undefined };
  } catch (error) {
    throw unreadable(name, error);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

function readInput() {
  try {
    return fs.readFileSync(0);
  } catch (error) {
    // Windows: nothing is connected.
    if (error.code === "EOF") return Buffer.alloc(0);
    throw unreadable("standard input", error);
  }
}

function unreadable(name, error) {
  const reasons = {
    ENOENT: "there is no such file",
    ENOTDIR: "a part of the path is not a folder",
    EISDIR: "is a folder",
    EACCES: "no permission to read it",
    EPERM: "no permission to read it",
    ELOOP: "symbolic links lead round in a circle",
    ERR_FS_FILE_TOO_LARGE: "is larger than 2 GB",
  };
  const hints = [];
  if (error.code === "EISDIR" && fs.existsSync(path.join(name, ROO_HISTORY)))
    hints.push(`Did you mean ${visible(path.join(name, ROO_HISTORY))}?`);
  const meant = error.code === "ENOENT" ? near(name, Object.keys(COMMANDS)) : [];
  if (meant.length > 0) hints.push(`Did you mean the command ${meant.join(" or ")}?`);
  if (error.code === "ENOENT" && isDangling(name)) reasons.ENOENT = "is a symbolic link to a file that does not exist";
  return new Failure(EXIT.unreadable, `${visible(name)}: ${reasons[error.code] ?? error.message}`, { hints, cause: error });
}

function isDangling(name) {
  return fs.lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** The text of UTF-8 bytes, without the byte order mark. */
function decode(bytes, shownName) {
  if (bytes.length === 0) throw new Failure(EXIT.notJson, `${shownName} is empty`);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new Failure(
      EXIT.notJson,
      `${shownName} is UTF-16, but JSON files are UTF-8: save it as UTF-8 (PowerShell: Out-File -Encoding utf8)`,
    );
  }
  try {
    if (!isUtf8(bytes)) {
      const { offset, line, column } = firstInvalidByte(bytes);
      throw new Failure(
        EXIT.notJson,
        `${shownName}:${line}:${column}: not UTF-8: byte ${offset} is 0x${bytes[offset].toString(16).padStart(2, "0")}`,
      );
    }
    const text = bytes.toString("utf8");
    return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, text: text.slice(1) } : { mark: "", text };
  } catch (error) {
    if (error.code !== "ERR_STRING_TOO_LONG") throw error;
    throw new Failure(EXIT.unreadable, `${shownName}: ${shownBytes(bytes.length)} are more than Node can hold as one text (about 500 MB)`, {
      cause: error,
    });
  }
}

/** The first byte that cannot be part of UTF-8: its offset, and where the text up to there ends. */
function firstInvalidByte(bytes) {
  // Decoding puts U+FFFD in the place of what is wrong; the first one that does not stand in the bytes, too, is the place.
  const text = bytes.toString("utf8");
  let offset = 0;
  let from = 0;
  for (;;) {
    const index = text.indexOf("\ufffd", from);
    offset += Buffer.byteLength(text.slice(from, index));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return { offset, ...position(text, index) };
    offset += 3;
    from = index + 1;
  }
}

/** `before`: how many lines stand above the text, where it is a line of a file. */
function parse(text, shownName, before) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    if (text.trim() === "") throw new Failure(EXIT.notJson, `${shownName} holds nothing but white space`, { cause });
    const error = jsonFault(text, cause);
    const { line, column, start } = position(text, error.offset);
    const above = before ?? 0;
    const reason = before === undefined ? error.message : error.message.replace("the file ends", "the line ends");
    const hints = excerpt(text, start, error.offset);
    if (error.begins !== undefined) {
      const begin = position(text, error.begins);
      hints.push(`The string begins at line ${above + begin.line}, column ${begin.column}.`);
    }
    throw new Failure(EXIT.notJson, `${shownName}:${above + line}:${column}: not JSON: ${reason}`, { hints, cause });
  }
}

/** Where the text stops being JSON, and why. `JSON.parse` says where, too, but each version of Node in its own words. */
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

/** As long as the text itself, so that the mark stands right. */
const shownText = (text) => [...text].map((character) => (character === "\t" ? " " : visible(character) || " ")).join("");

/** The array of messages in a JSON value, and how to put another one in its place. */
function findMessages(root, shownName) {
  const field = isObject(root) && Array.isArray(root.messages);
  const messages = field ? root.messages : root;
  if (!Array.isArray(messages)) {
    throw new Failure(
      EXIT.notMessages,
      `${shownName} is not a history: an array of messages expected, or an object with an array "messages"; found ${describe(root)}`,
    );
  }
  if (messages.length > 0 && !messages.some((message) => isObject(message) && "role" in message)) {
    const isUi = messages.some((message) => isObject(message) && (message.type === "say" || message.type === "ask"));
    const hints = isUi ? [`These are the messages of Roo's user interface; the history is ${ROO_HISTORY}, in the same folder.`] : [];
    throw new Failure(
      EXIT.notMessages,
      `${shownName} is not a history: none of its ${messages.length} elements has a "role"; the first is ${describe(messages[0])}`,
      { hints },
    );
  }
  refuseForeign(messages, shownName);
  return { messages, withMessages: (changed) => (field ? { ...root, messages: changed } : changed) };
}

/** Messages in a format of others. */
function refuseForeign(messages, shownName) {
  const foreign = foreignIn(messages);
  if (!foreign) return;
  throw new Failure(EXIT.notMessages, `${shownName} is not a history: message ${foreign.index}: ${foreign.told}`, {
    code: "unsupported_format",
  });
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

/** A history of JSON Lines: what `textWith` writes is JSON Lines again; of a session of Claude Code it is an array of messages. */
function readJsonLines(text, shownName) {
  const { lines, halfLine } = readLines(text, (line, number) => parse(line, shownName, number - 1));
  const values = lines.map(({ value }) => value);
  const isSession = isTranscript(values);
  const messages = isSession ? messagesOfTranscript(values) : values;
  requireMessages(values, shownName, messages);
  refuseForeign(messages, shownName);
  const textWith = (changed) =>
    isSession
      ? `${JSON.stringify(changed, null, 2)}\n`
      : linesOf(changed, lines, halfLine === undefined ? text : text.slice(0, text.lastIndexOf("\n") + 1));
  return { messages, textWith, isSession, halfLine };
}

/** A history of JSON: what `textWith` writes differs from the text only where messages do. */
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

/** The text of a history. Of JSON Lines, the last one may be cut within a character: then it is the text before that line, and `isCut`. */
function decodeHistory(bytes, shownName) {
  try {
    return { ...decode(bytes, shownName), isCut: false };
  } catch (error) {
    const end = bytes.lastIndexOf("\n") + 1;
    const head = bytes.subarray(0, end);
    if (!(error instanceof Failure) || end === 0 || end === bytes.length || !isUtf8(head)) throw error;
    const { mark, text } = decode(head, shownName);
    if (!isJsonLines(text) || isWhole(bytes.subarray(end).toString("utf8"))) throw error;
    return { mark, text, isCut: true };
  }
}

function isWhole(line) {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function readText(name, shownName, text) {
  const hasLines = isJsonLines(text) || (/\.jsonl$/i.test(name) && !text.trimStart().startsWith("["));
  return hasLines ? readJsonLines(text, shownName) : readJson(text, shownName);
}

/** The messages in the text of a file of this name. */
const messagesIn = (name, text) => readText(name, visible(name), text).messages;

/**
 * Reads a history: `name` is a path, or `-` for standard input. Returns `bytes`, `stat` (of a regular file), `messages`, `contentWith(messages)`, the
 * bytes of the file with other messages, `isSession`, for the records of a session of Claude Code, which cannot be written again, and `isHalfWritten`, where a
 * last line was left out because somebody is writing it. `warn` is told of that.
 * @param {string} name
 * @param {((sentence: string) => void) | undefined} [warn]
 */
function readHistory(name, warn) {
  const shownName = name === "-" ? "standard input" : visible(name);
  const { bytes, stat } = readBytes(name);
  const { mark, text, isCut } = decodeHistory(bytes, shownName);
  const { messages, textWith, isSession = false, halfLine } = readText(name, shownName, text);
  const isHalfWritten = isCut || halfLine !== undefined;
  if (isHalfWritten) warn?.(`${shownName}: the last line is only half written, so it was left out; its writer may not be done`);
  return {
    name,
    shownName,
    bytes,
    stat,
    messages,
    isSession,
    isHalfWritten,
    contentWith: (changed) => Buffer.from(mark + textWith(changed)),
  };
}

module.exports = { isObject, messagesIn, parse, readHistory, unreadable };

"use strict";

// A history in a file: its bytes, and the conversions from bytes to text and back.

const { isUtf8 } = require("node:buffer");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { EXIT, Failure } = require("./exit-codes.js");
const { commandNames } = require("./flags.js");
const { ROO_HISTORY, asArray, isWholeHistory, parse, position, readJson, readText } = require("./history-text.js");
const { isJsonLines } = require("./json-lines.js");
const { bytes: shownBytes, shellWord, visible } = require("./terminal.js");
const { near } = require("../errors.js");
const { told } = require("../words.js");

/** The largest file that Node reads. */
const MAX_BYTES = 2 ** 31 - 1;
/** Bytes to read at once, and at first: most input is short. */
const PART = 1 << 20;
const FIRST_PART = 1 << 16;

const BYTE_ORDER_MARK = "\ufeff";

/** Returns the bytes of a file with its identity, or the bytes of standard input, which has none. */
function readBytes(name) {
  if (name === "-") return { bytes: readInput() };
  let descriptor;
  try {
    descriptor = fs.openSync(name, "r");
    const stat = fs.fstatSync(descriptor);
    if (stat.isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
    const bytes = stat.isFile() ? fs.readFileSync(descriptor) : Buffer.concat(readParts(descriptor));
    // A device or a pipe can be read, but not replaced.
    return { bytes, stat: stat.isFile() ? stat : undefined };
  } catch (error) {
    throw unreadable(name, error);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** Reads a file, a pipe or a device, up to the limit for files. Returns parts that are all full except the last, although a pipe gives 64 KB at once. */
function readParts(descriptor) {
  const parts = [];
  for (let length = 0; ; ) {
    const part = Buffer.allocUnsafeSlow(length === 0 ? FIRST_PART : PART);
    let filled = 0;
    let count;
    do {
      count = readSome(descriptor, part, filled);
      filled += count;
    } while (count > 0 && filled < part.length);
    if (filled > 0) parts.push(part.subarray(0, filled));
    if (count === 0) return parts;
    length += filled;
    if (length > MAX_BYTES) throw Object.assign(new Error("is too large"), { code: "ERR_FS_FILE_TOO_LARGE" });
  }
}

/** Reads once; waits if a terminal or a pipe that does not block has no data yet. */
function readSome(descriptor, part, at) {
  for (;;) {
    try {
      return fs.readSync(descriptor, part, at, part.length - at, null);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

const readInput = () => Buffer.concat(readPartsOf("-"));

/** Returns the content of a file that is no history, or of standard input, in parts. */
function readPartsOf(name) {
  const isInput = name === "-";
  let descriptor;
  try {
    descriptor = isInput ? 0 : fs.openSync(name, "r");
    return readParts(descriptor);
  } catch (error) {
    // Windows: nothing is connected to standard input.
    if (isInput && error.code === "EOF") return [];
    throw unreadable(isInput ? "standard input" : name, error, { isHistory: false });
  } finally {
    if (!isInput && descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** The reasons why a file cannot be read, by Node's code. */
const CODES = Object.freeze({
  ENOENT: "file.gone",
  ENOTDIR: "file.noFolder",
  EISDIR: "file.folder",
  EACCES: "file.forbidden",
  EPERM: "file.forbidden",
  ELOOP: "file.circle",
  ERR_FS_FILE_TOO_LARGE: "file.tooLarge",
});

/**
 * Returns the failure of a file that cannot be read.
 * @param {string} name
 * @param {any} error
 * @param {{ flag?: string, isHistory?: boolean }} [what] `flag`: the flag that names the file; `isHistory`: if the file is missing, list
 * existing histories
 */
function unreadable(name, error, { flag, isHistory = flag === undefined } = {}) {
  const isLost = error.code === "ENOENT" && isDangling(name);
  const shownName = visible(flag === undefined ? name : `${flag} ${name}`);
  const known = isLost ? "file.dangling" : CODES[error.code];
  const hints = isLost ? [] : hintsFor(name, error.code, isHistory);
  return new Failure(EXIT.unreadable, known ? told(known, { name: shownName }) : `${shownName}: ${error.message}`, { hints, cause: error });
}

/** Maximum number of files listed if one is missing. */
const MOST_LISTED = 3;

/** Returns suggestions for a name that cannot be read, and for a missing history the existing ones. */
function hintsFor(name, code, isHistory) {
  const inside = path.join(name, ROO_HISTORY);
  if (code === "EISDIR") return isHistory && fs.existsSync(inside) ? [`Did you mean ${visible(inside)}?`] : [];
  if (code !== "ENOENT") return [];
  const folder = path.dirname(name);
  const names = namesIn(folder);
  if (names === undefined) return [noFolder(name, folder)];
  const shown = (each) => visible(path.join(folder, each));
  const commands = isHistory ? near(name, commandNames) : [];
  const beside = near(path.basename(name), names).map(shown);
  const meant = [
    ...(commands.length > 0 ? [`the command ${commands.join(" or ")}`] : []),
    ...(beside.length > 0 ? [beside.join(" or ")] : []),
  ];
  if (meant.length > 0 || !isHistory) return meant.map((each) => `Did you mean ${each}?`);
  return [
    ...lyingThere(names.filter((each) => /\.jsonl?$/.test(each)).map(shown)),
    "The newest session on this machine: roo-condense --last",
  ];
}

/** Returns a line about a name in a folder that does not exist, which may be an address, or a home that no shell has put in. */
function noFolder(name, folder) {
  if (/^https?:/.test(name)) return `Addresses are not opened: curl ${shellWord(name)} | roo-condense -`;
  if (name.startsWith("~/")) return `The shell has not replaced ~: write ${visible(path.join(os.homedir(), name.slice(2)))}`;
  return `The folder ${visible(folder)} does not exist.`;
}

/** Returns a line that lists the first of some files; none without files. */
function lyingThere(files) {
  if (files.length === 0) return [];
  const more = files.length - MOST_LISTED;
  return [`Files there: ${files.slice(0, MOST_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}

/** Returns the names in a folder; undefined if there is no such folder, and none if it cannot be listed. */
function namesIn(folder) {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    return error.code === "ENOENT" ? undefined : [];
  }
}

function isDangling(name) {
  return fs.lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Returns the text of UTF-8 bytes, without the byte order mark. `before`: the number of lines above, if they are a line of a file. */
function decode(bytes, shownName, before = 0) {
  if (bytes.length === 0) throw new Failure(EXIT.notJson, told("file.empty", { name: shownName }));
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
        `${shownName}:${before + line}:${column}: not UTF-8: byte ${offset} is 0x${bytes[offset].toString(16).padStart(2, "0")}`,
      );
    }
    const text = bytes.toString("utf8");
    return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, text: text.slice(1) } : { mark: "", text };
  } catch (error) {
    if (error.code !== "ERR_STRING_TOO_LONG") throw error;
    throw new Failure(EXIT.unreadable, `${shownName}: ${shownBytes(bytes.length)} exceed what Node can hold as one text (about 500 MB)`, {
      cause: error,
    });
  }
}

/** Finds the first byte that cannot be part of UTF-8: its offset, and the end of the text before it. */
function firstInvalidByte(bytes) {
  // Decoding replaces invalid bytes by U+FFFD; the first one that is not in the bytes marks the place.
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

/**
 * Returns the text of a history. The last line of JSON Lines may be cut off within a character; the text then ends
 * before that line, and `isCut` is true.
 */
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

/**
 * Reads a history: `name` is a path, or `-` for standard input. Returns `bytes`, `stat` (of a regular file),
 * `messages`, their `format` (see `isOwn` for Anthropic's), and `contentWith(messages, out)`, which returns the bytes
 * of the file with other messages, for a file `out` or in place. Files of a kind (kinds/) also have `program`,
 * `appends` if condensing in place makes them grow, and `isCopyOnly` if the program does not read such a file again.
 * `isHalfWritten` is set if an incomplete last line was ignored, which is passed to `warn`.
 * @param {string} name
 * @param {((sentence: string) => void) | undefined} [warn]
 * @param {string} [named] the format that the caller says the messages are in
 */
function readHistory(name, warn, named) {
  const shownName = name === "-" ? "standard input" : visible(name);
  const { bytes, stat } = readBytes(name);
  const { mark, text, isCut } = decodeHistory(bytes, shownName);
  const stored = storedHistory(name, shownName, text);
  const {
    messages,
    format,
    textWith,
    program,
    appends = false,
    messagesText,
    isCopyOnly,
    halfLine,
  } = stored ?? readText(name, shownName, text, named);
  const isHalfWritten = isCut || halfLine !== undefined;
  if (isHalfWritten) warn?.(`${shownName}: the last line is incomplete and was ignored; another program may still be writing it`);
  // A session in lines that is written to a file with another ending becomes an array of messages. `JSON.parse`
  // accepts no byte order mark.
  const isOwnForm = (out) => !messagesText || out === undefined || path.extname(out).toLowerCase() === path.extname(name).toLowerCase();
  const textFor = (changed, out) => {
    if (isCopyOnly) return textWith(changed);
    return isOwnForm(out) ? mark + textWith(changed) : messagesText?.(changed);
  };
  return {
    name,
    shownName,
    bytes,
    stat,
    messages,
    format,
    program,
    appends,
    isCopyOnly,
    isHalfWritten,
    contentWith: (changed, out) => Buffer.from(textFor(changed, out)),
  };
}

/** Returns the history of an OpenCode session, which has many files; undefined if the name belongs to none. */
function storedHistory(name, shownName, text) {
  const readFile = (file) =>
    file === name ? parse(text, shownName) : parse(decode(readBytes(file).bytes, visible(file)).text, visible(file));
  const { PROGRAM, storedSession } = require("./kinds/opencode-storage.js");
  const root = name === "-" ? undefined : storedSession(name, readFile);
  if (!root) return undefined;
  const textWith = (messages) => asArray({ ...root, messages });
  return {
    messages: root.messages,
    format: "opencode",
    textWith,
    program: PROGRAM,
    appends: false,
    messagesText: undefined,
    isCopyOnly: true,
    halfLine: undefined,
  };
}

/**
 * Reads a line of JSON Lines that is a whole history; undefined for a blank one. Returns the fields of `readHistory`
 * that apply to a line.
 * @param {Buffer} bytes without the line break
 * @param {string} shownName of the file
 * @param {number} number of the line, from 1
 * @param {string} [named] the format that the caller says the messages are in
 */
function readHistoryLine(bytes, shownName, number, named) {
  if (bytes.length === 0) return undefined;
  const { text } = decode(bytes, shownName, number - 1);
  if (text.trim() === "") return undefined;
  const place = `${shownName}:${number}`;
  const { messages, format, textWith } = readJson(text, shownName, { line: number, named });
  return { name: place, shownName: place, bytes, messages, format, contentWith: (changed) => Buffer.from(inOneLine(textWith(changed))) };
}

/** Puts an array in several lines, for a file of a kind that is not written back, into one line. */
const inOneLine = (text) => (text.includes("\n") ? JSON.stringify(JSON.parse(text)) : text);

/** Returns true if each of these lines is a whole history, judging by the first valid one; undefined if there is none. */
function holdsHistories(lines) {
  for (const { bytes } of lines) {
    try {
      return isWholeHistory(JSON.parse(bytes.toString("utf8").replace(BYTE_ORDER_MARK, "")));
    } catch {
      // This line is damaged; the next one may not be.
    }
  }
  return undefined;
}

module.exports = { holdsHistories, readHistory, readHistoryLine, readPartsOf, unreadable };

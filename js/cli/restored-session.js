"use strict";

// Restores a session that was condensed in place, so that recall finds removed content. The original comes from the restore data beside
// the session's file; lines that the program has written since are appended.

const fs = require("node:fs");
const { Failure } = require("./exit-codes.js");
const { historyIn } = require("./history-text.js");
const { isResultOf, originalBytes, readRestoreFile, restoreFilesBeside } = require("./restore-file.js");
const { Elements } = require("./session-source.js");

/** Returns the names of the restore data beside a file, the newest first; none if the folder cannot be listed. */
function restoreDataOf(name) {
  try {
    return restoreFilesBeside(name);
  } catch {
    return [];
  }
}

/** Reads restore data; undefined if it is damaged, in which case the session is read without it. */
function readable(name) {
  try {
    return readRestoreFile(name);
  } catch {
    return undefined;
  }
}

/** Returns the bytes from before all condensations in place that restore data undoes, and the bytes added after each, in order. */
function originalOf(name, bytes) {
  const added = [];
  let head = bytes;
  for (const data of restoreDataOf(name).flatMap((file) => readable(file) ?? [])) {
    const { bytes: length } = data.condensed;
    if (!isResultOf(data, head.subarray(0, length))) continue;
    added.unshift(head.subarray(length));
    head = originalBytes(data);
  }
  return { original: head, added };
}

/** Returns a JSON file's text from before one condensation in place, with messages added since; undefined if the restore data is of another text. */
function textBefore(data, text, name) {
  if (isResultOf(data, Buffer.from(text))) return originalBytes(data).toString("utf8");
  // Loaded here because it loads the addon, which most sessions do not need.
  const { restore } = require("../restore.js");
  try {
    const { messages, textWith } = historyIn(name, text.replace(/^\ufeff/, ""));
    return textWith(restore({ messages, restoreData: data.restoreData }));
  } catch (error) {
    if (error instanceof Failure || error.code === "invalid_restore_data") return undefined;
    throw error;
  }
}

/** Returns the text of a JSON file from before all condensations in place that restore data undoes, with the messages added since. */
function restoredText(name, text) {
  const data = restoreDataOf(name).flatMap((file) => readable(file) ?? []);
  return data.reduce((later, each) => textBefore(each, later, name) ?? later, text);
}

const linesOf = (bytes) => bytes.toString("utf8").split("\n");

function parsedLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns the values of a file's lines from before it was condensed, and of the lines added since. */
function restoredLines(name) {
  const { original, added } = originalOf(name, fs.readFileSync(name));
  const lines = [original, ...added].flatMap(linesOf).filter((line) => line.trim() !== "");
  // The last line may be half-written.
  if (lines.length > 0 && parsedLine(lines.at(-1) ?? "") === undefined) lines.pop();
  return lines.map(parsedLine);
}

const stampOf = (file) => {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat && `${file} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
};

/** Reads the lines of a session: those of its file, or of the original if there is restore data. */
class RestoredLines {
  #name;
  #lines;
  #whole;
  /** The source used last. @type {import("./session-source.js").Lines | Elements} */
  #last;

  /**
   * @param {string} name
   * @param {import("./session-source.js").Lines} lines of the file as it is
   */
  constructor(name, lines) {
    this.#name = name;
    this.#lines = lines;
    this.#last = lines;
    const version = () => stampOf(name) && [name, ...restoreDataOf(name)].map(stampOf).join();
    this.#whole = new Elements({ version, read: () => restoredLines(name), signOf: (value) => JSON.stringify(value) });
  }

  get leftOut() {
    return this.#last === this.#lines ? this.#lines.leftOut : 0;
  }

  restart() {
    this.#lines.restart();
    this.#whole.restart();
  }

  changes() {
    const source = restoreDataOf(this.#name).length > 0 ? this.#whole : this.#lines;
    if (source !== this.#last) source.restart();
    this.#last = source;
    return source.changes();
  }
}

module.exports = { RestoredLines, restoredText };

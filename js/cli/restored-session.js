"use strict";

// A session that was condensed in place, as it was before: from the restore data beside its file, with what its program has written since. So recall finds what was
// left out.

const fs = require("node:fs");
const { Failure } = require("./exit-codes.js");
const { historyIn } = require("./history-text.js");
const { isResultOf, originalBytes, readRestoreFile, restoreFilesBeside } = require("./restore-file.js");
const { Elements } = require("./session-source.js");

/** The names of the restore data beside a file, the newest first; none where that cannot be listed. */
function restoreDataOf(name) {
  try {
    return restoreFilesBeside(name);
  } catch {
    return [];
  }
}

/** Restore data; undefined if it is damaged, which leaves the file as it is. */
function readable(name) {
  try {
    return readRestoreFile(name);
  } catch {
    return undefined;
  }
}

/** The bytes before all condensations in place that the restore data beside a file leads back from, and those that were added since, in order. */
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

/** The text of a file of JSON before one condensation in place, with the messages that were added since; undefined if the restore data belongs to another text. */
function textBefore(data, text, name) {
  if (isResultOf(data, Buffer.from(text))) return originalBytes(data).toString("utf8");
  // Loads the addon, which most sessions need not.
  const { restore } = require("../restore.js");
  try {
    const { messages, textWith } = historyIn(name, text.replace(/^\ufeff/, ""));
    return textWith(restore({ messages, restoreData: data.restoreData }));
  } catch (error) {
    if (error instanceof Failure || error.code === "invalid_restore_data") return undefined;
    throw error;
  }
}

/** The text of a file of JSON before all condensations in place that the restore data beside it undoes, with the messages that were added since. */
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

/** The values of the lines of a file before it was condensed, and of those since. */
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

/** The lines of a session: those of its file, or of the original where restore data leads back to it. */
class RestoredLines {
  #name;
  #lines;
  #whole;
  /** The source that was asked last. @type {import("./session-source.js").Lines | Elements} */
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

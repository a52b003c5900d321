"use strict";

// A data set: JSON Lines with a whole history on each line. It is read in pieces, and its result is written to a
// temporary file, which is moved to its place when complete.

const fs = require("node:fs");
const path = require("node:path");
const { promisify } = require("node:util");
const { Failure } = require("./exit-codes.js");
const { holdsHistories } = require("./history-file.js");
const { makeFolder } = require("./make-folder.js");
const { moveTo, notWritten, writeAt } = require("./output-file.js");
const { restoreNames } = require("./restore-file.js");
const { linesIn, wholeLines } = require("./whole-lines.js");

const fdatasync = promisify(fs.fdatasync);

/** The shortest time between two notes about a data set, because noted results must be on the disk. */
const NOTE_MS = 1000;

/** @type {import("./batch-report.js").Sums} */
const NOTHING = Object.freeze({ histories: 0, failed: 0, tokensBefore: 0, tokensAfter: 0, cost: 0 });
/** @type {(one: typeof NOTHING, other: typeof NOTHING) => any} */
const added = (one, other) => Object.fromEntries(Object.keys(NOTHING).map((key) => [key, one[key] + other[key]]));

const statOf = (file) => {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
};

const restoreFileOfResult = (file) => /** @type {string} */ (restoreNames(file).next().value);

/** Returns the values that identify an input, apart from its name. */
const identityOf = (file, stat) => ({ file: path.resolve(file), size: stat.size, mtime: stat.mtimeMs });

/** Returns true if a file is JSON Lines with a whole history on each line, judging by its first lines. */
async function isDataSet(file) {
  if (!/\.jsonl$/i.test(file)) return false;
  const handle = await fs.promises.open(file);
  try {
    for await (const { bytes, line } of wholeLines(handle)) {
      if (bytes === undefined) continue;
      const found = holdsHistories(linesIn({ bytes, line }));
      if (found !== undefined) return found;
    }
    return false;
  } finally {
    await handle.close();
  }
}

/** Moves a finished result to its place. */
function publish(part, file) {
  try {
    makeFolder(path.dirname(file));
    moveTo(part, file);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** The result of a data set being written: a temporary file that is moved to its place when complete. */
class DataSet {
  #journal;
  #part;
  #file;
  #descriptor = -1;
  #lastNote = performance.now();
  /** @type {import("./batch-journal.js").Entry} */
  entry;

  /** Continues after the lines that an earlier run has noted. */
  constructor({ file, name }, stat, out, journal) {
    this.#journal = journal;
    this.#part = journal.partOf(name);
    this.#file = path.join(out, name);
    const identity = identityOf(file, stat);
    const done = journal.doneOf(name, identity);
    const begun = { name, ...identity, at: 0, from: 0, lines: 0, out: 0, restore: -1, sums: NOTHING, failures: [] };
    const goesOn = done !== undefined && done.out >= 0 && done.at < done.size && (statOf(this.#part)?.size ?? -1) >= done.out;
    this.entry = goesOn ? { ...done, from: done.at } : begun;
  }

  /** Adds the result of lines, in order. */
  async add({ content, end, lines, sums, failures }) {
    const { entry } = this;
    try {
      if (this.#descriptor === -1) {
        this.#descriptor = fs.openSync(this.#part, fs.constants.O_RDWR | fs.constants.O_CREAT, fs.statSync(entry.file).mode & 0o666);
        fs.ftruncateSync(this.#descriptor, entry.out);
      }
      writeAt(this.#descriptor, content, entry.out);
      this.entry = {
        ...entry,
        at: end,
        lines: entry.lines + lines,
        out: entry.out + content.length,
        sums: added(entry.sums, sums),
        failures: [...entry.failures, ...failures],
      };
      const isWhole = end === entry.size;
      if (isWhole || performance.now() - this.#lastNote >= NOTE_MS) await this.#note();
      if (!isWhole) return;
      this.close();
    } catch (error) {
      throw error instanceof Failure ? error : notWritten(this.#part, error);
    }
    // An earlier run may have found a single history in the file, and written restore data.
    fs.rmSync(restoreFileOfResult(this.#file), { force: true });
    publish(this.#part, this.#file);
  }

  /** Notes the results so far, once they are on the disk. */
  async #note() {
    await fdatasync(this.#descriptor);
    this.#journal.note(this.entry);
    this.entry = { ...this.entry, from: this.entry.at, failures: [] };
    this.#lastNote = performance.now();
  }

  /** Deletes the temporary file. */
  discard() {
    this.close();
    fs.rmSync(this.#part, { force: true });
  }

  close() {
    if (this.#descriptor !== -1) fs.closeSync(this.#descriptor);
    this.#descriptor = -1;
  }
}

module.exports = { DataSet, NOTHING, identityOf, isDataSet, publish, restoreFileOfResult, statOf };

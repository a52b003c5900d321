"use strict";

// The progress of a batch, in the folder of its results: a line of JSON for each finished input, and for a data set
// one for each part that is on the disk. The same command continues from there after any interruption, and the report
// is made from it.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { wrong } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { makeFolder } = require("./make-folder.js");
const { notWritten, writeAt } = require("./output-file.js");
const { visible } = require("./terminal.js");

/** The subfolder of the results with the journal and unfinished files. */
const FOLDER = ".roo-condense-batch";
const FORMAT = 1;

/**
 * The progress of an input, which is finished when `at` is its `size`.
 * @typedef {object} Entry
 * @property {string} name the path of the result below the folder of results, which identifies the input
 * @property {string} file the path of the input
 * @property {number} size of the input, in bytes
 * @property {number} mtime of the input, in milliseconds
 * @property {number} at bytes of the input that are done
 * @property {number} from the byte at which this entry continues: the `at` of the previous entry, or 0
 * @property {number} lines lines of the input that are done, if it is a data set; otherwise 0
 * @property {number} out bytes of the result; -1 if there is none
 * @property {number} restore bytes of the restore data; -1 if there is none
 * @property {import("./batch-report.js").Sums} sums over the finished part of the input
 * @property {import("./batch-report.js").Told[]} failures since the previous entry
 * @property {string} [skipped] the reason why the input is not a history
 */

class Journal {
  #file;
  #descriptor = -1;
  #length = 0;
  /**
   * For each name the newest entry without its failures, and the places of the lines that contain them. @type
   * {Map<string, { entry: Entry, places: number[] }>}
   */
  #known = new Map();
  #folder;

  /**
   * Opens the journal of a folder of results, and creates it if necessary. Entries with other `settings` are ignored.
   * @param {string} folder
   * @param {string} settings a text that identifies everything that results depend on, besides the input
   */
  constructor(folder, settings) {
    this.#folder = path.join(folder, FOLDER);
    this.#file = path.join(this.#folder, "journal.jsonl");
    try {
      requireOwn(folder);
      makeFolder(this.#folder);
      this.#lock();
    } catch (error) {
      throw error instanceof Failure ? error : notWritten(folder, error);
    }
    try {
      this.#open(settings);
    } catch (error) {
      this.close();
      throw error instanceof Failure ? error : notWritten(this.#file, error);
    }
  }

  /** The folder of unfinished files, on the same disk as the results. */
  get folder() {
    return this.#folder;
  }

  /** Returns the file for the unfinished result of a data set. */
  partOf(name) {
    return path.join(this.#folder, `${createHash("sha256").update(name).digest("hex")}.part`);
  }

  /** Removes files left by a killed run, except the noted parts of these inputs. */
  sweep(names) {
    const kept = new Set([
      "journal.jsonl",
      "lock",
      ...names.filter((name) => this.#known.has(name)).map((name) => path.basename(this.partOf(name))),
    ]);
    for (const each of fs.readdirSync(this.#folder)) if (!kept.has(each)) fs.rmSync(path.join(this.#folder, each), { force: true });
  }

  /** Locks the folder: two batches at the same time would overwrite each other's results. */
  #lock() {
    const lock = path.join(this.#folder, "lock");
    for (;;) {
      try {
        return fs.writeFileSync(lock, `${process.pid}\n`, { flag: "wx" });
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const owner = Number(fs.readFileSync(lock, "utf8"));
      if (owner !== process.pid && isRunning(owner))
        throw new Failure(
          EXIT.notWritten,
          `another batch (process ${owner}) is writing to ${visible(path.dirname(this.#folder))}; if there is none, remove ${visible(lock)}`,
        );
      fs.rmSync(lock, { force: true });
    }
  }

  #open(settings) {
    const header = `${JSON.stringify({ format: FORMAT, settings })}\n`;
    this.#descriptor = fs.openSync(this.#file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    let isOurs = false;
    for (const { text, at, end } of linesOf(this.#descriptor)) {
      const value = parsed(text);
      // The last line may be incomplete, because the process was killed or the machine stopped.
      if (value === undefined) break;
      if (at === 0) isOurs = value.format === FORMAT && value.settings === settings;
      else if (isOurs) this.#remember(value, at);
      if (!isOurs) break;
      this.#length = end;
    }
    fs.ftruncateSync(this.#descriptor, this.#length);
    if (this.#length === 0) this.#append(header);
  }

  #append(text) {
    const at = this.#length;
    const bytes = Buffer.from(text);
    writeAt(this.#descriptor, bytes, at);
    this.#length += bytes.length;
    return at;
  }

  #remember(/** @type {Entry} */ { failures, ...entry }, at) {
    const before = this.#known.get(entry.name);
    const goesOn = before !== undefined && entry.from > 0 && entry.from === before.entry.at;
    const places = goesOn ? before.places : [];
    this.#known.set(entry.name, { entry: { ...entry, failures: [] }, places: failures.length > 0 ? [...places, at] : places });
  }

  /**
   * Returns the progress of an input if it is still the same file.
   * @param {string} name
   * @param {{ file: string, size: number, mtime: number }} input
   */
  doneOf(name, input) {
    const entry = this.#known.get(name)?.entry;
    return entry && isSameInput(entry, input) ? entry : undefined;
  }

  /**
   * Appends an entry.
   * @param {Entry} entry
   */
  note(entry) {
    try {
      this.#remember(entry, this.#append(`${JSON.stringify(entry)}\n`));
    } catch (error) {
      throw notWritten(this.#file, error);
    }
  }

  /** Returns the progress of an input, without its failures. */
  entryOf(name) {
    return this.#known.get(name)?.entry;
  }

  /**
   * Yields the failures of an input.
   * @param {string} name
   */
  *failuresOf(name) {
    for (const place of this.#known.get(name)?.places ?? []) {
      const [{ text }] = linesOf(this.#descriptor, place);
      yield* /** @type {Entry} */ (JSON.parse(text)).failures;
    }
  }

  close() {
    if (this.#descriptor !== -1) fs.closeSync(this.#descriptor);
    this.#descriptor = -1;
    fs.rmSync(path.join(this.#folder, "lock"), { force: true });
  }
}

const isSameInput = (one, other) => one.file === other.file && one.size === other.size && one.mtime === other.mtime;

function isRunning(id) {
  if (!Number.isSafeInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Refuses a folder with other files, because results replace files of their names. */
function requireOwn(folder) {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw wrong(`--out must be a folder; got "${folder}"`, "--out");
  makeFolder(folder);
  const names = fs.readdirSync(folder);
  if (names.length > 0 && !names.includes(FOLDER))
    throw wrong(`--out must be a new or empty folder, or one that batch has written; got "${folder}"`, "--out");
}

function parsed(text) {
  try {
    return text.endsWith("\n") ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the lines of a file from a byte on, with their begin and end. */
function* linesOf(descriptor, from = 0) {
  const part = Buffer.allocUnsafe(1 << 16);
  let rest = Buffer.alloc(0);
  for (let position = from, at = from; ; ) {
    const count = fs.readSync(descriptor, part, 0, part.length, position);
    if (count === 0) {
      if (rest.length > 0) yield { text: rest.toString("utf8"), at, end: at + rest.length };
      return;
    }
    position += count;
    const found = Buffer.concat([rest, part.subarray(0, count)]);
    let start = 0;
    for (let end = found.indexOf("\n") + 1; end > 0; end = found.indexOf("\n", start) + 1) {
      yield { text: found.toString("utf8", start, end), at, end: at + end - start };
      at += end - start;
      start = end;
    }
    rest = Buffer.from(found.subarray(start));
  }
}

module.exports = { FOLDER, Journal };

"use strict";

// The sources of a session's values: the lines of a file, or the elements of a JSON file, a folder or a database.
// Each source returns with `changes()` the values added since the last call; the program that owns it may write,
// replace, cut or delete it at any moment.

const fs = require("node:fs");
const { linesIn, wholeLines } = require("./whole-lines.js");

/** The number of bytes before the current place that are compared to distinguish a rewritten file from one that grew. */
const REMEMBERED = 256;
/** Maximum length of a line in bytes: a longer one is not a message, and would take too much memory. */
const LONGEST = 1 << 26;

/**
 * The result of reading the new part of a source.
 * @typedef {object} Changes
 * @property {"gone" | "more" | "anew"} state `more`: the values follow the earlier ones, and may be empty; `anew`: they replace the earlier
 * ones
 * @property {AsyncIterable<{ value?: any, isDamaged?: boolean }>} values
 * @property {() => Promise<void>} close ends the reading if the values are not needed
 */

const NOTHING = (async function* () {})();
const close = async () => {};
const GONE = Object.freeze({ state: /** @type {const} */ ("gone"), values: NOTHING, close });
const UNCHANGED = Object.freeze({ state: /** @type {const} */ ("more"), values: NOTHING, close });

/** @type {(value: any) => { value?: any, isDamaged?: boolean }} */
const asRead = (value) => (value === undefined ? { isDamaged: true } : { value });

/** The lines of a file. It takes the memory of one line at a time, whatever the size of the file. */
class Lines {
  #file;
  #at = 0;
  #before = Buffer.alloc(0);
  #identity;
  #most;
  /** Bytes at the beginning that were left out. */
  leftOut = 0;

  /**
   * @param {string} file
   * @param {number} [most] bytes to read at most: of a larger file the newest
   */
  constructor(file, most = Number.POSITIVE_INFINITY) {
    this.#file = file;
    this.#most = most;
  }

  /** Forgets what was read: the next changes contain everything. */
  restart() {
    this.#identity = undefined;
  }

  /** @returns {Promise<Changes>} */
  async changes() {
    let handle;
    try {
      handle = await fs.promises.open(this.#file, "r");
    } catch (error) {
      if (error.code === "ENOENT") return GONE;
      throw error;
    }
    try {
      const stat = await handle.stat();
      const identity = `${stat.dev} ${stat.ino}`;
      const isSame = identity === this.#identity && stat.size >= this.#at && (await this.#isContinued(handle));
      if (!isSame) this.leftOut = this.#at = Math.max(0, stat.size - this.#most);
      this.#identity = identity;
      return { state: isSame ? "more" : "anew", values: this.#values(handle, stat.size), close: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns true if the bytes before the current place are unchanged. */
  async #isContinued(handle) {
    const { length } = this.#before;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, this.#at - length);
    return bytesRead === length && buffer.equals(this.#before);
  }

  async *#values(handle, size) {
    try {
      // The first line is incomplete.
      let isCut = this.#at > 0 && this.#at === this.leftOut;
      for await (const { bytes, at, end } of wholeLines(handle, { at: this.#at, size, longest: LONGEST })) {
        if (bytes === undefined && !isCut) yield { isDamaged: true };
        let read = at;
        for (const { bytes: line, lineBreak } of bytes === undefined ? [] : linesIn({ bytes, line: 1 })) {
          const value = parsed(line);
          // It is still being written.
          if (lineBreak.length === 0 && value === undefined) return this.#remember(bytes, at, read);
          read += line.length + lineBreak.length;
          if (!isCut && !isBlank(line)) yield asRead(value);
          isCut = false;
        }
        this.#remember(bytes, at, end);
      }
    } finally {
      await handle.close();
    }
  }

  /** Stores the place where reading continues, and the bytes before it. */
  #remember(bytes, from, to) {
    this.#at = to;
    if (bytes === undefined || to === from) this.#before = bytes === undefined ? Buffer.alloc(0) : this.#before;
    else this.#before = Buffer.from(bytes.subarray(Math.max(0, to - from - REMEMBERED), to - from));
  }
}

/** Returns true for a blank line. A crash may leave zeros, which do not count as blank. */
const isBlank = (line) => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

function parsed(line) {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Elements that are read all at once. `version()` changes when they may have changed; it is undefined if they are
 * gone. `read()` returns them, with undefined for a damaged one. Unchanged elements are not returned again; `signOf`
 * returns the part of an element that must stay the same.
 */
class Elements {
  #version;
  #read;
  #signOf;
  /** The version that was read. */
  #last;
  #signs = /** @type {string[]} */ ([]);
  /** True while the program continues the last element, which is then held back. */
  isLive = false;

  constructor({ version, read, signOf }) {
    this.#version = version;
    this.#read = read;
    this.#signOf = signOf;
  }

  /** Forgets what was read: the next changes contain everything. */
  restart() {
    this.#last = undefined;
  }

  /** @returns {Promise<Changes>} */
  async changes() {
    const found = this.#version();
    if (found === undefined) return GONE;
    const version = `${found} ${this.isLive}`;
    if (version === this.#last) return UNCHANGED;
    const all = this.#read();
    if (all === undefined) return UNCHANGED;
    // A record in progress changes with each step of the program.
    const elements = this.isLive ? all.slice(0, -1) : all;
    const signs = elements.map(this.#signOf);
    const isMore = this.#last !== undefined && this.#signs.every((sign, index) => sign === signs[index]);
    const from = isMore ? this.#signs.length : 0;
    this.#last = version;
    this.#signs = signs;
    const values = (async function* () {
      for (const element of elements.slice(from)) yield asRead(element);
    })();
    return { state: isMore ? "more" : "anew", values, close };
  }
}

module.exports = { Elements, Lines };

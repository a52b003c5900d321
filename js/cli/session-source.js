"use strict";

// Where the values of a session come from, as they are written: the lines of a file, the elements of a file of JSON, a folder or a database. Each source tells with `changes()` what is new
// since the last time; a source may be written, replaced, cut or deleted at any moment by the program that it belongs to.

const fs = require("node:fs");
const { linesIn, wholeLines } = require("./whole-lines.js");

/** Bytes before the place read up to, by which a file that was written anew is told from one that grew. */
const REMEMBERED = 256;
/** Longest line in bytes: a longer one is no message, and would take the memory of all others. */
const LONGEST = 1 << 26;

/**
 * Reads the new part of a source.
 * @typedef {object} Changes
 * @property {"gone" | "more" | "anew"} state `more`: the values follow those that came before, and may be none; `anew`: they replace them
 * @property {AsyncIterable<{ value?: any, isDamaged?: boolean }>} values
 * @property {() => Promise<void>} close ends it where the values are not wanted
 */

const NOTHING = (async function* () {})();
const close = async () => {};
const GONE = Object.freeze({ state: /** @type {const} */ ("gone"), values: NOTHING, close });
const UNCHANGED = Object.freeze({ state: /** @type {const} */ ("more"), values: NOTHING, close });

/** @type {(value: any) => { value?: any, isDamaged?: boolean }} */
const asRead = (value) => (value === undefined ? { isDamaged: true } : { value });

/** The lines of a file. Memory is that of one line at a time, whatever the size of the file. */
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

  /** Forgets what was read: the next changes are all there is. */
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

  /** Whether what stands before the place read up to is still there. */
  async #isContinued(handle) {
    const { length } = this.#before;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, this.#at - length);
    return bytesRead === length && buffer.equals(this.#before);
  }

  async *#values(handle, size) {
    try {
      // The first line is a part of one.
      let isCut = this.#at > 0 && this.#at === this.leftOut;
      for await (const { bytes, at, end } of wholeLines(handle, { at: this.#at, size, longest: LONGEST })) {
        if (bytes === undefined && !isCut) yield { isDamaged: true };
        let read = at;
        for (const { bytes: line, lineBreak } of bytes === undefined ? [] : linesIn({ bytes, line: 1 })) {
          const value = parsed(line);
          // Somebody is still writing it.
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

  /** Keeps where reading goes on, and what stands before it. */
  #remember(bytes, from, to) {
    this.#at = to;
    if (bytes === undefined || to === from) this.#before = bytes === undefined ? Buffer.alloc(0) : this.#before;
    else this.#before = Buffer.from(bytes.subarray(Math.max(0, to - from - REMEMBERED), to - from));
  }
}

/** Whether a line holds nothing. A crash may leave zeros, which are something. */
const isBlank = (line) => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

function parsed(line) {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Elements that are read all at once. `version()` changes when they may have: undefined if they are gone. `read()` gives them, undefined for a damaged one. Elements that are as they
 * were are not told again; `signOf` says of one what must stay the same.
 */
class Elements {
  #version;
  #read;
  #signOf;
  /** The version that was read. */
  #last;
  #signs = /** @type {string[]} */ ([]);
  /** Whether the program goes on with the last element, which is then held back. */
  isLive = false;

  constructor({ version, read, signOf }) {
    this.#version = version;
    this.#read = read;
    this.#signOf = signOf;
  }

  /** Forgets what was read: the next changes are all there is. */
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
    // A record that the program still works on changes with each of its steps.
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

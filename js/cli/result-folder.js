"use strict";

// A store for `condenseResult` that keeps whole results of commands as files in a folder. The note in the shortened result names the file.

const crypto = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { makeFolder } = require("./make-folder.js");
const { notWritten, replaceFile } = require("./output-file.js");

const FILE = /^r[0-9a-f]{15}\.txt$/;
/** Days after which files in the default folder are removed. */
const DAYS = 30;
const DRAFT = /^\.r[0-9a-f]{15}\.txt\.[0-9a-f-]{36}\.tmp$/;
/** Days after which drafts are removed: one hour. A process that is still writing takes less. */
const DRAFT_DAYS = 1 / 24;

/** Returns the default folder, in the user's cache. */
function defaultFolder({ env = process.env, platform = process.platform, home = os.homedir() } = {}) {
  const cache = (platform === "win32" ? env.LOCALAPPDATA : env.XDG_CACHE_HOME) || path.join(home, ".cache");
  return path.join(cache, "roo-condense", "results");
}

/** Detects the encoding of bytes: UTF-16 by its byte order mark or its zeros, else UTF-8. */
function encodingOf(bytes) {
  const head = bytes.subarray(0, 1000);
  const zeros = (from) => head.filter((byte, at) => at % 2 === from && byte === 0).length * 4 > head.length;
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (zeros(1) && !zeros(0))) return "utf-16le";
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (zeros(0) && !zeros(1))) return "utf-16be";
  return "utf-8";
}

/** Decodes bytes to text, with U+FFFD for invalid ones. */
const decoded = (bytes) => new TextDecoder(encodingOf(bytes)).decode(bytes);

/** A store of whole results, readable only by their owner. Opening it removes drafts of killed processes, and old results in the default folder. */
class ResultFolder {
  #folder;
  /** The last stored value, with its key and its bytes in parts. */
  #last;

  /** @param {string} [folder] default: in the user's cache */
  constructor(folder) {
    this.#folder = path.resolve(folder ?? defaultFolder());
    removeOld(this.#folder, { results: folder === undefined });
  }

  where(key) {
    return path.join(this.#folder, `${key.slice(key.lastIndexOf(":") + 1)}.txt`);
  }

  /** Returns the stored text; the last stored value itself, if the file still contains its bytes. */
  get(key) {
    try {
      if (this.#last?.key === key) return holds(this.where(key), this.#last.parts) ? this.#last.value : undefined;
      return decoded(fs.readFileSync(this.where(key)));
    } catch (error) {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * @param {string} key
   * @param {string | Uint8Array[]} value
   */
  set(key, value) {
    const file = this.where(key);
    try {
      makeFolder(this.#folder, 0o700);
    } catch (error) {
      throw notWritten(this.#folder, error);
    }
    const temporary = path.join(this.#folder, `.${path.basename(file)}.${crypto.randomUUID()}.tmp`);
    this.#last = { key, value, parts: typeof value === "string" ? [Buffer.from(value)] : value };
    replaceFile(file, this.#last.parts, { mode: 0o600, temporary });
  }
}

/** Returns true if a file consists of these parts. */
function holds(file, parts) {
  const descriptor = fs.openSync(file, "r");
  try {
    const read = Buffer.alloc(Math.max(1, ...parts.map((part) => part.length)));
    const isNext = (part) =>
      fs.readSync(descriptor, read, 0, part.length, null) === part.length && part.equals(read.subarray(0, part.length));
    return parts.every(isNext) && fs.readSync(descriptor, read) === 0;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Removes drafts of killed processes, and with `results` old results. What cannot be removed stays. */
function removeOld(folder, { results }, now = Date.now()) {
  const limitOf = (name) => (DRAFT.test(name) ? DRAFT_DAYS : results && FILE.test(name) ? DAYS : Infinity);
  try {
    for (const name of fs.readdirSync(folder)) {
      const days = limitOf(name);
      if (days === Infinity) continue;
      const file = path.join(folder, name);
      if (now - fs.statSync(file).mtimeMs > days * 24 * 3_600_000) fs.rmSync(file, { force: true });
    }
  } catch {
    // The folder does not exist yet, or another process removes the same files.
  }
}

module.exports = { ResultFolder, decoded, encodingOf };

"use strict";

// A folder that keeps whole results of commands, as a store for `condenseResult`: the note in the shortened one names the file.

const crypto = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const FILE = /^r[0-9a-f]{15}\.txt$/;
/** Files of the default folder go after so many days. */
const DAYS = 30;

/** The default folder: in the user's cache. */
function defaultFolder({ env = process.env, platform = process.platform, home = os.homedir() } = {}) {
  const cache = (platform === "win32" ? env.LOCALAPPDATA : env.XDG_CACHE_HOME) || path.join(home, ".cache");
  return path.join(cache, "roo-condense", "results");
}

/** Text of bytes: UTF-16 by its mark or its zeros, else UTF-8, with U+FFFD for what is none. */
function decoded(bytes) {
  const head = bytes.subarray(0, 1000);
  const zeros = (from) => head.filter((byte, at) => at % 2 === from && byte === 0).length * 4 > head.length;
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (zeros(1) && !zeros(0))) return new TextDecoder("utf-16le").decode(bytes);
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (zeros(0) && !zeros(1))) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** Keeps the bytes that a text was decoded from, readable by their owner alone. */
class ResultFolder {
  #folder;
  #bytes;

  constructor(folder, bytes) {
    this.#folder = path.resolve(folder);
    this.#bytes = bytes;
  }

  where(key) {
    return path.join(this.#folder, `${key.slice(key.lastIndexOf(":") + 1)}.txt`);
  }

  get(key) {
    return decoded(fs.readFileSync(this.where(key)));
  }

  set(key) {
    const file = this.where(key);
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Whole or not at all: another process may read it.
    const draft = `${file}.${crypto.randomUUID()}`;
    try {
      fs.writeFileSync(draft, this.#bytes, { mode: 0o600, flag: "wx" });
      fs.renameSync(draft, file);
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    }
  }
}

/** Removes old results from the default folder. What cannot be removed stays. */
function removeOld(folder, now = Date.now()) {
  try {
    for (const name of fs.readdirSync(folder).filter((each) => FILE.test(each))) {
      const file = path.join(folder, name);
      if (now - fs.statSync(file).mtimeMs > DAYS * 24 * 3_600_000) fs.rmSync(file, { force: true });
    }
  } catch {
    // There is no folder yet, or another process removes the same.
  }
}

module.exports = { ResultFolder, decoded, defaultFolder, removeOld };

"use strict";

// The file with the restore data beside a condensed file: `history.restore.json` beside `history.json`, or
// `history.restore.1.json` and so on if that exists. It contains the compressed bytes of the input, and the data that
// `restore` needs if messages were added to the result since.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { parse } = require("./history-text.js");
const isObject = require("../is-object.js");
const { visible } = require("./terminal.js");
const { version } = require("../../package.json");

const FORMAT = 1;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const mark = (bytes) => ({ bytes: bytes.length, sha256: sha256(bytes) });

/** Returns the restore data of a condensation of `history` with the result `content`, as bytes. */
function restoreFileOf(history, content, restoreData) {
  const original = { ...mark(history.bytes), deflated: zlib.deflateRawSync(history.bytes).toString("base64") };
  return `${JSON.stringify({ format: FORMAT, writtenBy: `roo-condense ${version}`, condensed: mark(content), original, restoreData })}\n`;
}

/** Yields the names that restore data of `file` may have, in the order in which they are used. */
function* restoreNames(file) {
  const name = file.replace(/\.json$/i, "");
  yield `${name}.restore.json`;
  for (let count = 1; ; count++) yield `${name}.restore.${count}.json`;
}

/** Returns the restore data beside `file`, the newest first. */
function restoreFilesBeside(file) {
  const folder = path.dirname(file);
  const stem = `${path.basename(file).replace(/\.json$/i, "")}.restore`;
  const numberOf = (name) => {
    if (name === `${stem}.json`) return 0;
    const count = name.startsWith(`${stem}.`) && /^(\d{1,9})\.json$/.exec(name.slice(stem.length + 1));
    return count ? Number(count[1]) : -1;
  };
  let names;
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    throw unreadable(folder, error, { isHistory: false });
  }
  const found = names.map((name) => ({ name, count: numberOf(name) })).filter(({ count }) => count >= 0);
  return found.sort((one, other) => other.count - one.count).map(({ name }) => path.join(folder, name));
}

const isMark = (value) => isObject(value) && Number.isSafeInteger(value.bytes) && /^[0-9a-f]{64}$/.test(value.sha256);

/** Reads restore data from a file. */
function readRestoreFile(file) {
  let text;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(file, error, { isHistory: false });
  }
  const data = parse(text.replace(/^\ufeff/, ""), visible(file));
  const isWhole =
    isObject(data) &&
    data.format === FORMAT &&
    isMark(data.condensed) &&
    isMark(data.original) &&
    typeof data.original.deflated === "string";
  if (!isWhole) throw damaged(file, `is not restore data of roo-condense (format ${FORMAT})`);
  return { name: file, ...data };
}

const damaged = (file, what) => new Failure(EXIT.failed, `${visible(file)}: ${what}`, { code: "invalid_restore_data" });

/** Returns true if the bytes were written with this restore data. */
const isResultOf = ({ condensed }, bytes) => condensed.bytes === bytes.length && condensed.sha256 === sha256(bytes);

/** Returns the bytes of the input. */
function originalBytes({ name, original }) {
  let bytes;
  try {
    // Limited to the recorded length, so that damaged data cannot fill the memory.
    bytes = zlib.inflateRawSync(Buffer.from(original.deflated, "base64"), { maxOutputLength: Math.max(1, original.bytes) });
  } catch (error) {
    throw damaged(name, `its copy of the input is damaged (${error.message})`);
  }
  if (sha256(bytes) !== original.sha256) throw damaged(name, "its copy of the input is damaged: the hash differs");
  return bytes;
}

module.exports = { isResultOf, originalBytes, readRestoreFile, restoreFileOf, restoreFilesBeside, restoreNames };

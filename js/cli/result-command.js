"use strict";

// `roo-condense result`: shortens the output of one command before a model reads it.

const crypto = require("node:crypto");
const { EXIT } = require("./exit-codes.js");
const { readPartsOf } = require("./history-file.js");
const { ResultFolder, decoded, encodingOf } = require("./result-folder.js");
const { print } = require("./telling.js");
const { visible } = require("./terminal.js");
const { messageOf } = require("../errors.js");
const { version } = require("../../package.json");

/** Default token budget of a result. */
const BUDGET = 4000;

/** Yields the parts of the output for the addon: bytes if the output is UTF-8, else strings. */
function* textOf(parts) {
  const encoding = parts.length > 0 ? encodingOf(parts[0]) : "utf-8";
  if (encoding === "utf-8") return yield* parts;
  const decoder = new TextDecoder(encoding);
  for (const part of parts) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** Returns the exit code of this process. Most systems keep only the last eight bits, so a failure with the code 256 must not become a success. */
const endedWith = (exitCode) => (exitCode !== 0 && exitCode % 256 === 0 ? 1 : exitCode);

/**
 * Prints the output, shortened to the budget, and ends with the command's exit code if it was given. If it is shortened, the whole is stored
 * in a folder first. If that fails, the note does not name it, and a line on standard error gives the reason. To save memory, the output
 * becomes one string only with `--json`, and only if it is not shortened: its bytes exist once here and once in the addon.
 */
async function result({ file = "-", budget, exitCode, store, json }, { loadLibrary, stdout, warn, endWith }) {
  const parts = readPartsOf(file);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const options = { budget: budget === undefined ? BUDGET : Number(budget), exitCode };
  const kept = new ResultFolder(store);
  // Hashes the bytes, because different bytes may decode to the same text.
  const digest = parts.reduce((hash, part) => hash.update(part), crypto.createHash("sha256")).digest("hex");
  const condense = async (store) => {
    loadLibrary();
    const { condenseText } = require("../condense-result.js");
    return await condenseText({ length, parts: textOf(parts), whole: parts, digest }, { ...options, store });
  };
  /** @type {any} */
  const condensed = await condense(kept)
    .catch((error) => {
      if (error.code !== "store_failed") throw error;
      // Prints only the store's own error, because the advice around it is for programs.
      warn(`the whole output is not kept: ${visible(messageOf(error.cause ?? error))}`);
      return condense(undefined);
    })
    .catch((error) => {
      // An output that is too long is better than none.
      warn(`the output is not shortened: ${messageOf(error).split("\n").map(visible).join("\n")}`);
      return {};
    });
  const { key, result, ...facts } = condensed;
  const whole = key === undefined ? undefined : kept.where(key);
  const code = exitCode === undefined ? EXIT.done : endedWith(exitCode);
  // Set before printing, because a reader such as `| head` may close the pipe early.
  endWith(code);
  if (json) {
    const report = { version, exitCode: exitCode ?? EXIT.done, result: result ?? decoded(Buffer.concat(parts)), ...facts };
    await print(stdout, `${JSON.stringify({ ...report, ...(whole && { file: whole }) }, null, 2)}\n`);
  }
  // Output that was not shortened is printed byte for byte.
  else for (const part of result === undefined ? parts : [`${result}\n`]) await print(stdout, part);
  return code;
}

module.exports = { result };

"use strict";

// `roo-condense result`: the output of one command, shortened before a model reads it.

const crypto = require("node:crypto");
const { EXIT } = require("./exit-codes.js");
const { readPartsOf } = require("./history-file.js");
const { ResultFolder, decoded, encodingOf } = require("./result-folder.js");
const { print } = require("./telling.js");
const { visible } = require("./terminal.js");
const { messageOf } = require("../errors.js");
const { version } = require("../../package.json");

/** Tokens of a result if nothing else is said. */
const BUDGET = 4000;

/** The parts of the output as the addon takes them: bytes of UTF-8, which it reads itself, or strings. */
function* textOf(parts) {
  const encoding = parts.length > 0 ? encodingOf(parts[0]) : "utf-8";
  if (encoding === "utf-8") return yield* parts;
  const decoder = new TextDecoder(encoding);
  for (const part of parts) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** The exit code of this process: most systems keep its last eight bits, with which a failure must not become a success. */
const endedWith = (exitCode) => (exitCode !== 0 && exitCode % 256 === 0 ? 1 : exitCode);

/**
 * Prints the output, shortened to the budget, and ends with the exit code of the command if it was given. The whole output is kept in a folder first; where that fails,
 * the note does not name it, and a line on standard error says why. The output is nowhere one string: of its bytes, there is one copy here and one in the addon.
 */
async function result({ file = "-", budget, exitCode, store, json }, { loadLibrary, stdout, warn, endWith }) {
  const parts = readPartsOf(file);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const options = { budget: budget === undefined ? BUDGET : Number(budget), exitCode };
  const kept = new ResultFolder(store);
  // Bytes that differ may be the same text.
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
      // The store's own words: its advice is for programs.
      warn(`the whole output is not kept: ${visible(messageOf(error.cause ?? error))}`);
      return condense(undefined);
    })
    .catch((error) => {
      // Too long is better than lost.
      warn(`the output is not shortened: ${messageOf(error).split("\n").map(visible).join("\n")}`);
      return {};
    });
  const { key, result, ...facts } = condensed;
  const whole = key === undefined ? undefined : kept.where(key);
  const code = exitCode === undefined ? EXIT.done : endedWith(exitCode);
  // Also where a reader has enough before the end (`| head`).
  endWith(code);
  if (json) {
    const report = { version, exitCode: exitCode ?? EXIT.done, result: result ?? decoded(Buffer.concat(parts)), ...facts };
    await print(stdout, `${JSON.stringify({ ...report, ...(whole && { file: whole }) }, null, 2)}\n`);
  }
  // Output that was not shortened leaves as it came, byte for byte.
  else for (const part of result === undefined ? parts : [`${result}\n`]) await print(stdout, part);
  return code;
}

module.exports = { result };

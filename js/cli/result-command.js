"use strict";

// `roo-condense result`: the output of one command, shortened before a model reads it.

const fs = require("node:fs");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { ResultFolder, decoded } = require("./result-folder.js");
const { print } = require("./telling.js");
const { visible } = require("./terminal.js");
const { messageOf } = require("../errors.js");
const { version } = require("../../package.json");

/** Tokens of a result if nothing else is said. */
const BUDGET = 4000;

function bytesOf(file = "-") {
  try {
    return fs.readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    // Standard input of nothing, as some services start programs.
    if (file === "-" && (error.code === "EOF" || error.code === "EAGAIN")) return Buffer.alloc(0);
    throw unreadable(file === "-" ? "standard input" : file, error, { isHistory: false });
  }
}

function textOf(bytes) {
  try {
    return decoded(bytes);
  } catch (error) {
    throw new Failure(EXIT.unreadable, `the output is too large: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Prints the output, shortened to the budget, and ends with the exit code of the command if it was given. The whole output is kept in a folder first; where that fails,
 * the note does not name it, and a line on standard error says why.
 */
async function result(library, { file, budget, exitCode, store, json }, { stdout, warn }) {
  const bytes = bytesOf(file);
  const text = textOf(bytes);
  const options = { budget: budget === undefined ? BUDGET : Number(budget), exitCode };
  const kept = new ResultFolder(store, bytes);
  const condensed = await library.condenseResult(text, { ...options, store: kept }).catch((error) => {
    if (error.code !== "store_failed") throw error;
    // The store's own words: its advice is for programs.
    warn(`the whole output is not kept: ${visible(messageOf(error.cause ?? error))}`);
    return library.condenseResult(text, options);
  });
  const { key, ...facts } = condensed;
  const whole = key === undefined ? undefined : kept.where(key);
  if (json)
    await print(
      stdout,
      `${JSON.stringify({ version, exitCode: exitCode ?? EXIT.done, ...facts, ...(whole && { file: whole }) }, null, 2)}\n`,
    );
  // Output that was not shortened leaves as it came, byte for byte.
  else await print(stdout, facts.result === text ? bytes : `${facts.result}\n`);
  return exitCode ?? EXIT.done;
}

module.exports = { result };

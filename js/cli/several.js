"use strict";

// Handles several histories in one call: their files, the place of each result, and their total.

const fs = require("node:fs");
const path = require("node:path");
const { wrong } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { number, percent, plural, visible } = require("./terminal.js");

/** The number of skipped files that are named; the rest is counted. */
const MAX_NAMED = 5;

function isFolder(name) {
  try {
    return name !== "-" && Boolean(fs.statSync(name, { throwIfNoEntry: false })?.isDirectory());
  } catch {
    // The error is reported when the file is read.
    return false;
  }
}

/** Returns true for files that may be histories: JSON, but not the restore data that this program writes beside its results. */
const mayBeHistory = (name) => /\.jsonl?$/i.test(name) && !/\.restore(?:\.\d+)?\.json$/i.test(name);

/**
 * Returns the files of a call: those that are named, and those in folders that may be histories, at any depth, in
 * order. `below` is the path of a file relative to the folder in which it was found.
 * @param {readonly string[]} names
 * @returns {{ file: string, below?: string }[]}
 */
function filesOf(names) {
  return names.flatMap((name) => {
    if (!isFolder(name)) return [{ file: name }];
    try {
      const found = fs.readdirSync(name, { recursive: true, encoding: "utf8" }).filter(mayBeHistory).sort();
      return found.map((below) => ({ file: path.join(name, below), below })).filter(({ file }) => !isFolder(file));
    } catch (error) {
      throw unreadable(name, error);
    }
  });
}

/** Returns true if a failure says that a file is not a history. */
const isNoHistory = (error) => error instanceof Failure && (error.exitCode === EXIT.notJson || error.exitCode === EXIT.notMessages);

/** Creates the failure for folders without any history. */
function noHistories(names, count) {
  const files = count === 0 ? "no .json or .jsonl file" : `${plural(count, "file")}, but no history`;
  return new Failure(EXIT.notMessages, `${names.map(visible).join(", ")}: ${files}`);
}

/** Refuses one output for several histories; `batch` has one for each. */
function refuseSeveralOut({ out }) {
  if (out !== undefined)
    throw wrong("--out takes one history; for a folder, or several: roo-condense batch HISTORY... --out FOLDER", "--out");
}

/**
 * Returns the inputs of a batch: the files of a call, except those below the folder `out`, each with the path of its
 * result below `out`. A file found in a folder keeps its relative path.
 * @param {readonly string[]} names
 * @param {string} out
 */
function inputsOf(names, out) {
  const own = realPath(out);
  const isOwn = (file) => `${realPath(file)}${path.sep}`.startsWith(`${own}${path.sep}`);
  const inside = names.find(isOwn);
  if (inside !== undefined) throw wrong(`--out must be another folder than that of the inputs; "${inside}" lies in "${out}"`, "--out");
  const mayHoldOwn = names.filter(isFolder).some((name) => `${own}${path.sep}`.startsWith(`${realPath(name)}${path.sep}`));
  const found = filesOf(names).filter(({ file }) => !mayHoldOwn || !isOwn(file));
  const results = found.map(({ file, below }) => ({ file, isNamed: below === undefined, name: below ?? path.basename(file) }));
  const known = new Set();
  for (const { name } of results) {
    if (known.has(name)) throw wrong(`--out: two of the histories would be written to "${path.join(out, name)}"`, "--out");
    known.add(name);
  }
  return results;
}

/** Returns the path without symbolic links, as far as it exists. */
function realPath(name) {
  try {
    return fs.realpathSync(name);
  } catch {
    const parent = path.dirname(path.resolve(name));
    return parent === path.resolve(name) ? parent : path.join(realPath(parent), path.basename(name));
  }
}

/** Adds up the sums of all histories. */
function totalOf(sums, { failed, skipped }) {
  const total = { histories: sums.length, failed, skipped };
  for (const each of sums) for (const [name, value] of Object.entries(each)) total[name] = (total[name] ?? 0) + value;
  return total;
}

/** The words for each kind of sum in a total. */
const SUMS = {
  tokensAfter: ({ tokensBefore, tokensAfter }) =>
    `${number(tokensBefore)} -> ${plural(tokensAfter, "token")}, ${percent(tokensBefore - tokensAfter, tokensBefore)} fewer`,
  tokens: ({ tokens }) => plural(tokens, "token"),
  problems: ({ problems }) => plural(problems, "shape problem"),
};

/** Returns the total as a line, and the skipped files. */
function totalText(total, skipped) {
  const sums = Object.entries(SUMS).flatMap(([name, said]) => (total[name] === undefined ? [] : [said(total)]));
  const cost = total.cost > 0 ? `$${total.cost.toFixed(4)}` : undefined;
  const failed = total.failed > 0 ? `${number(total.failed)} failed` : undefined;
  const lines = [`Total of ${plural(total.histories, "history", "histories")}: ${[...sums, cost, failed].filter(Boolean).join("; ")}.`];
  if (skipped.length > 0) {
    const more = skipped.length > MAX_NAMED ? ` and ${number(skipped.length - MAX_NAMED)} more` : "";
    const names = skipped.slice(0, MAX_NAMED).map(({ file }) => visible(file));
    lines.push(
      `Skipped ${plural(skipped.length, "file")} that ${skipped.length === 1 ? "is no history" : "are no histories"}: ${names.join(", ")}${more}.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

module.exports = { filesOf, inputsOf, isNoHistory, noHistories, refuseSeveralOut, totalOf, totalText };

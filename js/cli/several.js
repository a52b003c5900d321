"use strict";

// Several histories in one call: which files they are, where each result goes, and their total.

const fs = require("node:fs");
const path = require("node:path");
const { wrong } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { number, percent, plural, visible } = require("./terminal.js");

/** Names of skipped files that are printed; the rest is counted. */
const MAX_NAMED = 5;

function isFolder(name) {
  try {
    return name !== "-" && Boolean(fs.statSync(name, { throwIfNoEntry: false })?.isDirectory());
  } catch {
    // Reading it says why.
    return false;
  }
}

/** Files that may be histories: JSON, but not the restore data that this program writes beside its results. */
const mayBeHistory = (name) => /\.jsonl?$/i.test(name) && !/\.restore(?:\.\d+)?\.json$/i.test(name);

/**
 * The files of a call: those that are named, and in folders those that may be histories, at any depth, in order. `below` is the path below its folder of a file
 * that was found there.
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

/** Whether a failure says that a file is not a history. */
const isNoHistory = (error) => error instanceof Failure && (error.exitCode === EXIT.notJson || error.exitCode === EXIT.notMessages);

/** The failure of folders without any history. */
function noHistories(names, count) {
  const files = count === 0 ? "no .json or .jsonl file" : `${plural(count, "file")}, but no history`;
  return new Failure(EXIT.notMessages, `${names.map(visible).join(", ")}: ${files}`);
}

/** The settings for each of several histories. The results go into a folder, which is created if needed; those of a folder keep their paths below it. */
function settingsOfEach(settings, files) {
  const { out } = settings;
  if (out === undefined) return files.map(({ file }) => ({ ...settings, file }));
  if (out === "-") throw wrong("--out - takes one history, and a folder may hold several", "--out");
  // A new name is that of a folder, unless it looks like that of a file.
  const isNew = !fs.existsSync(out) && !/\.jsonl?$/i.test(out);
  if (!isNew && !isFolder(out)) throw wrong(`--out must be a folder for several histories; got "${out}"`, "--out");
  const names = files.map(({ file, below }) => below ?? (file === "-" ? "standard-input.json" : path.basename(file)));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`--out: two of the histories would be written to "${path.join(out, twice)}"`, "--out");
  return files.map(({ file }, index) => ({ ...settings, file, out: path.join(out, names[index]), makeFolder: true }));
}

/** The sums of what each history has. */
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

/** The total as a line, and the files that were skipped. */
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

module.exports = { filesOf, isNoHistory, noHistories, settingsOfEach, totalOf, totalText };

"use strict";

// `--interactive`: shows each change on the terminal, and applies it or leaves the text unchanged.

const readline = require("node:readline/promises");
const { EXIT, Failure } = require("./exit-codes.js");
const { writeChanges } = require("./report.js");
const { LIMITS } = require("./report-diff.js");
const { Report } = require("./report-lines.js");
const { number, plural, widthOf, wrap } = require("./terminal.js");
const { takeBack } = require("../studio/kept.js");

const KEYS = "y: condense it, n: leave it as it was, a: condense it and the rest, d: leave it and the rest, q: quit";
/** The meaning of each letter for this change and, if so, for all later ones. */
const ANSWERS = Object.freeze({
  y: { keeps: true },
  n: { keeps: false },
  a: { keeps: true, isLast: true },
  d: { keeps: false, isLast: true },
});

const stopped = () => new Failure(EXIT.interrupted, "interrupted; nothing was written");

/** Asks until the answer is one of the letters. The end of the input quits. */
async function letter(terminal, prompt, { ended, signal, stdout }) {
  for (;;) {
    const said = (await Promise.race([terminal.question(prompt, { signal }), ended]))?.trim().toLowerCase();
    if (said === undefined || said === "q") throw stopped();
    if (Object.hasOwn(ANSWERS, said)) return ANSWERS[said];
    for (const line of wrap(KEYS, widthOf(stdout) - 2)) stdout.write(`  ${line}\n`);
  }
}

/** Returns the ids of the changes that the user rejects. */
async function unwanted({ changes, messages }, history, { stdin, stdout, env, color, signal, diffMessages }) {
  const terminal = readline.createInterface({ input: stdin, output: stdout });
  const ended = new Promise((resolve) => terminal.once("close", () => resolve(undefined)));
  // A terminal in line mode receives Ctrl+C before the process does.
  terminal.once("SIGINT", () => terminal.close());
  const diff = (before, after) => diffMessages(before, after, LIMITS, history.format);
  const skipped = [];
  try {
    for (const [at, change] of changes.entries()) {
      const report = new Report(stdout, env, color);
      writeChanges(report, { changes: [change], messages }, history, diff);
      stdout.write(report.toString());
      const prompt = `Change ${number(at + 1)} of ${number(changes.length)}: condense it? [y,n,a,d,q,?] `;
      const { keeps, isLast = false } = await letter(terminal, prompt, { ended, signal, stdout });
      if (!keeps) skipped.push(...(isLast ? changes.slice(at) : [change]).map(({ id }) => id));
      if (isLast) break;
    }
    return skipped;
  } catch (error) {
    if (signal.aborted || error?.code === "ABORT_ERR") throw stopped();
    throw error;
  } finally {
    terminal.close();
  }
}

/** Returns a result with the changes that the user wants, and its sums counted again. */
async function chooseChanges(result, history, environment) {
  const { stdout, library } = environment;
  const skipped = await unwanted(result, history, { ...environment, diffMessages: library.diffMessages });
  if (skipped.length === 0) return result;
  const { result: left, undone, dependants, refused } = takeBack(result, skipped);
  if (dependants.length > 0) stdout.write(`${plural(dependants.length, "change")} that depend on them were left out too.\n`);
  for (const { reason } of refused) stdout.write(`Not left as it was: ${reason}\n`);
  const finalTokens = library.countTokens(left.messages, { format: history.format });
  const { originalTokens } = result.stats;
  const reductionPercent = originalTokens === 0 ? 0 : (100 * (originalTokens - finalTokens)) / originalTokens;
  const firstChangedIndex = left.changes.length === 0 ? -1 : Math.min(...left.changes.map(({ messageIndex }) => messageIndex));
  stdout.write(`${plural(undone.length, "change")} left as before.\n\n`);
  // The survival report covers all changes.
  return {
    ...left,
    firstChangedIndex,
    newContextTokens: finalTokens,
    stats: { ...result.stats, finalTokens, reductionPercent },
    survival: undefined,
  };
}

module.exports = { chooseChanges };

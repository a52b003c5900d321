"use strict";

// `roo-condense HISTORY`: condenses a history, and writes the result to the place given by the arguments.

const fs = require("node:fs");
const { condense } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { Interruption } = require("./interruption.js");
const { checkOutput, replaceInput, requireReplaceable, withRestoreData, writeOutput } = require("./output-file.js");
const { missedTarget, reportJson, reportText } = require("./report.js");

/**
 * Writes the result to the place given by the arguments. Returns its description; undefined if nothing was written.
 * @returns {{ file: string, bytes: number, backup?: string, restoreData?: string, otherNames?: number } | undefined}
 */
function write(history, condensed, content, settings) {
  const put = () =>
    settings.inPlace ? replaceInput(history, content) : { file: writeOutput(settings.out, content, history, settings.force) };
  if (!condensed.didCondense || !settings.keepRestoreData) return { ...put(), bytes: content.length };
  const { restoreFileOf, restoreNames } = require("./restore-file.js");
  const file = settings.inPlace ? fs.realpathSync(history.name) : settings.out;
  const data = { file, names: restoreNames(file), content: restoreFileOf(history, content, condensed.restoreData), like: history.stat };
  return { ...withRestoreData(data, put), bytes: content.length };
}

/** Checks before the work that the result can be written. */
function checkPlace(history, settings) {
  if (settings.out !== undefined) checkOutput(settings.out, history, settings.force);
  if (settings.inPlace && history.isCopyOnly)
    throw new Failure(
      EXIT.usage,
      `${history.shownName} is a session of ${history.program}, which does not read such a file again, so --in-place would serve nobody: use --out FILE`,
    );
}

/** Returns the function that asks about each change; the progress makes room for it. */
function chooser(history, environment, progress) {
  if (!environment.stdin.isTTY || !environment.stdout.isTTY)
    throw new Failure(EXIT.usage, "--interactive needs a terminal", { field: "--interactive" });
  return (result) => {
    progress.pause();
    return require("./interactive.js").chooseChanges(result, history, environment);
  };
}

/** Condenses one history; see `WORK` in run.js. */
async function condenseHistory(library, settings, { stdin = process.stdin, stdout, stderr, env, begun, warn, progress }) {
  const interruption = new Interruption(() => progress.stop());
  try {
    if (settings.inPlace) requireReplaceable(settings.file);
    const history = readHistory(settings.file, warn, settings.format);
    checkPlace(history, settings);
    const ask = settings.interactive && { library, stdin, stdout, env, color: settings.color, signal: interruption.signal };
    const choose = ask && chooser(history, ask, progress);
    const condensed = await condense(library, history, settings, { env, interruption, choose, step: progress.step.bind(progress) });
    const isMet = !condensed.isMissed;
    const exitCode = isMet ? EXIT.done : EXIT.targetNotMet;
    const isWanted = isMet && (settings.out !== undefined || (settings.inPlace && condensed.didCondense));
    let output;
    let standardOutput;
    // From here on a file may be partly written.
    await interruption.unbroken(() => {
      if (!isWanted) return;
      progress.step("writing", 20, 20);
      const content = history.contentWith(condensed.messages, settings.out);
      if (settings.out === "-") standardOutput = content;
      output = settings.out === "-" ? { file: "standard output", bytes: content.length } : write(history, condensed, content, settings);
    });
    progress.pause();
    const told = { written: output, totalMs: performance.now() - begun };
    const { stats, cost } = condensed;
    const sums = { tokensBefore: stats.originalTokens, tokensAfter: stats.finalTokens, cost };
    if (settings.json) return { exitCode, report: reportJson(condensed, settings, history, told), sums, output, standardOutput };
    const stream = settings.out === "-" ? stderr : stdout;
    const { diffMessages } = library;
    const text = settings.quiet ? "" : reportText(condensed, settings, history, { ...told, stream, env, diffMessages });
    return { exitCode, text, sums, output, standardOutput, missed: isMet ? undefined : missedTarget(condensed, settings).join(" ") };
  } finally {
    progress.pause();
  }
}

module.exports = { condenseHistory, write };

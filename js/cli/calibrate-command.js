"use strict";

// `roo-condense calibrate FOLDER...`: learns thresholds of the smart provider from histories, and prints them as a
// configuration with the evidence.

const { wrong } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { Interruption } = require("./interruption.js");
const { checkOutput, writeOutput } = require("./output-file.js");
const { inOwnWords } = require("./own-words.js");
const { filesOf, noHistories } = require("./several.js");
const { number, percent, plural, visible } = require("./terminal.js");
const { version } = require("../../package.json");

/** Reads the histories that are named or in folders. `leftOut` counts files in folders that are not histories. */
function readAll(names, format) {
  const files = filesOf(names);
  const histories = [];
  for (const { file, below } of files) {
    try {
      histories.push(readHistory(file, undefined, format).messages);
    } catch (error) {
      if (below === undefined || !(error instanceof Failure)) throw error;
    }
  }
  return { histories, leftOut: files.length - histories.length };
}

/** Returns the measurements in a sentence, which also becomes the description of the configuration. */
function evidenceLine({ preset, cuts, fixed, learned }) {
  const told = ({ reductionPercent, kept }) =>
    `${percent(reductionPercent, 100)} fewer tokens, ${percent(kept, 1)} of later uses still readable`;
  return `Thresholds of ${preset}, learned from ${cuts} cut conversations: ${told(learned)}. Its fixed thresholds: ${told(fixed)}.`;
}

function textOf(found, leftOut) {
  const lines = [evidenceLine(found)];
  if (!found.reached) lines.push(`A reduction of ${percent(found.goalPercent, 100)} was not reached.`);
  if (leftOut > 0) lines.push(`Skipped files that are no histories: ${leftOut}`);
  lines.push("", "Thresholds, in tokens per message");
  for (const { pass, kind, tokens } of found.thresholds)
    lines.push(`  ${pass}, ${kind}: ${tokens >= 1_000_000 ? "never" : number(tokens)}`);
  lines.push("", "Later uses per 1000 tokens");
  for (const { kind, from, to, texts, usedPer1000Tokens } of found.evidence) {
    const size = to === undefined ? `${number(from)} tokens or more` : `${number(from)} to ${number(to)} tokens`;
    lines.push(`  ${kind}, ${size}: ${usedPer1000Tokens.toFixed(2)} (of ${number(texts)})`);
  }
  return `${lines.join("\n")}\n`;
}

async function calibrate(library, settings, { stdout, progress }) {
  const { files, preset, target, out, force, json, quiet, format } = settings;
  if (files.includes("-")) throw wrong("calibrate needs files or folders: it cannot read standard input", "calibrate");
  if (out !== undefined) checkOutput(out, {}, force);
  progress.step("reading", 0, 20);
  const { histories, leftOut } = readAll(files, format);
  const shown = files.map(visible).join(", ");
  if (histories.length === 0) throw noHistories(files, leftOut);
  const interruption = new Interruption(() => progress.stop());
  const { signal } = interruption;
  let found;
  try {
    progress.step("learning", 1, 20);
    const onProgress = ({ tried, most }) => progress.step(`learning: ${plural(tried, "configuration")} tried`, 1 + (19 * tried) / most, 20);
    const goal = target && { reductionPercent: 100 - target.percent };
    found = await interruption.during(() =>
      library.calibrateThresholds(histories, { ...(preset && { preset }), ...(goal && { goal }), format, signal, onProgress }),
    );
  } catch (error) {
    if (signal.aborted) throw new Failure(signal.reason, "interrupted");
    if (error.field === "histories") {
      const { MIN_TOKENS } = require("../calibrate.js");
      throw new Failure(
        EXIT.notMessages,
        `calibrate cannot learn from ${plural(histories.length, "history", "histories")} in ${shown}: it needs longer ones, whose earlier part has at least ${number(MIN_TOKENS)} tokens and names that are used later`,
        { cause: error },
      );
    }
    if (["invalid_argument", "out_of_range", "invalid_messages"].includes(error.code))
      throw new Failure(EXIT.usage, inOwnWords(error, "calibrate"), { code: error.code, cause: error });
    throw error;
  }
  progress.pause();
  const config = { ...found.config, description: evidenceLine(found) };
  const content = Buffer.from(`${JSON.stringify(config, null, 2)}\n`);
  if (json) stdout.write(`${JSON.stringify({ version, exitCode: EXIT.done, ...found, config }, null, 2)}\n`);
  else if (out === "-") stdout.write(content);
  else if (!quiet) stdout.write(textOf(found, leftOut));
  if (out !== undefined && out !== "-") {
    writeOutput(out, content, {}, force);
    if (!json && !quiet) stdout.write(`\nWritten to ${visible(out)}: roo-condense HISTORY --provider smart --config ${visible(out)}\n`);
  }
  return EXIT.done;
}

module.exports = { calibrate };

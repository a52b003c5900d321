"use strict";

// `roo-condense restore FILE`: undoes a condensation.

const fs = require("node:fs");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { checkOutput, replaceInput, requireReplaceable, writeOutput } = require("./output-file.js");
const { isResultOf, originalBytes, readRestoreFile, restoreFilesBeside } = require("./restore-file.js");
const { bytes: shownBytes, number, visible } = require("./terminal.js");

/** Returns the restore data to try, the likeliest first. Unreadable ones are reported only if there are no others. */
function candidates(settings) {
  if (settings.restoreData !== undefined) return { data: [readRestoreFile(settings.restoreData)], failures: [] };
  const data = [];
  const failures = [];
  for (const name of restoreFilesBeside(fs.realpathSync(settings.file))) {
    try {
      data.push(readRestoreFile(name));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  return { data, failures };
}

/** Returns the content before the condensation: `{ content, name, isExact, messages }`. */
function restored(library, history, settings) {
  const { data, failures } = candidates(settings);
  const exact = data.find((each) => isResultOf(each, history.bytes));
  if (exact) return { content: originalBytes(exact), name: exact.name, isExact: true };
  for (const { name, restoreData } of data) {
    try {
      const messages = library.restore({ messages: history.messages, restoreData });
      return { content: history.contentWith(messages, settings.out), name, isExact: false, messages };
    } catch (error) {
      if (error.code !== "invalid_restore_data") throw error;
      failures.push(new Failure(EXIT.failed, `${visible(name)}: ${error.message}`, { code: error.code, cause: error }));
    }
  }
  if (failures.length === 1) throw failures[0];
  const code = failures.length === 0 ? undefined : "invalid_restore_data";
  const hints = failures.length === 0 ? ["Name the restore data with --restore-data FILE."] : failures.map(({ message }) => message);
  const what = failures.length === 0 ? "there is no restore data beside it" : "the restore data beside it belongs to other histories";
  throw new Failure(failures.length === 0 ? EXIT.unreadable : EXIT.failed, `${history.shownName}: ${what}`, { code, hints });
}

/**
 * Writes the content to the place given by the arguments; undefined if there is none.
 * @returns {{ file: string, bytes: number, backup?: string, otherNames?: number } | undefined}
 */
function place(content, history, settings) {
  if (settings.inPlace) return { ...replaceInput(history, content), bytes: content.length };
  if (settings.out === undefined) return undefined;
  if (settings.out === "-") return { file: "standard output", bytes: content.length };
  return { file: writeOutput(settings.out, content, history, settings.force), bytes: content.length };
}

/** Restores one history; see `WORK` in run.js. */
function restoreHistory(library, settings, { warn }) {
  if (settings.inPlace) requireReplaceable(settings.file);
  const history = readHistory(settings.file, warn, settings.format);
  if (settings.out !== undefined) checkOutput(settings.out, history, settings.force);
  const { content, name, isExact, messages } = restored(library, history, settings);
  const output = place(content, history, settings);
  const sentences = [
    isExact
      ? `${history.shownName}: restored byte for byte with ${visible(name)}.`
      : `${history.shownName} was changed since it was condensed. With ${visible(name)}, its messages were restored: ${number(messages.length)}, including those added since. Its layout was kept.`,
    output
      ? `Written to ${visible(output.file)} (${shownBytes(output.bytes)}).${output.backup ? ` Backup: ${visible(output.backup)}` : ""}`
      : "Nothing was written. To keep the result, add --out FILE or --in-place.",
  ];
  const report = { file: settings.file, restoreData: name, exact: isExact, bytes: content.length, output: output ?? null };
  return { report, text: `${sentences.join("\n")}\n`, output, standardOutput: settings.out === "-" ? content : undefined };
}

module.exports = { restoreHistory };

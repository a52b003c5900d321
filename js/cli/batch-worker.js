"use strict";

// A thread of `roo-condense batch`: condenses whole files, which it writes itself, and lines of data sets, which it
// returns.

const fs = require("node:fs");
const path = require("node:path");
const { parentPort, threadId, workerData } = require("node:worker_threads");
const { condense } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory, readHistoryLine } = require("./history-file.js");
const { NEVER } = require("./interruption.js");
const { makeFolder } = require("./make-folder.js");
const { replaceFile } = require("./output-file.js");
const { missedTarget } = require("./report.js");
const { restoreFileOf } = require("./restore-file.js");
const { linesIn } = require("./whole-lines.js");
const { failureJson, failureOf } = require("./telling.js");
const { visible } = require("./terminal.js");
const library = require("../api.js");

const { settings, unfinished } = workerData;
/** The temporary file that is written first and then moved to its place. */
const temporary = path.join(unfinished, `${threadId}.tmp`);

/** Condenses a history, to be written to a file `out` or in place; throws if nothing is to be written. */
async function condensed(history, out) {
  const result = await condense(library, history, settings, { env: process.env, interruption: NEVER, step() {} });
  if (result.target && !result.target.met)
    throw new Failure(EXIT.targetNotMet, `${history.shownName}: ${missedTarget(result, settings).join(" ")}`);
  const { stats, cost } = result;
  const sums = { histories: 1, failed: 0, tokensBefore: stats.originalTokens, tokensAfter: stats.finalTokens, cost };
  return { content: history.contentWith(result.messages, out), sums, restoreData: result.didCondense ? result.restoreData : undefined };
}

/** Returns a failure for the main thread. `isUsage`: the arguments are wrong, so every input would fail. */
function told(thrown, line) {
  const error = failureOf(thrown);
  const isKnown = error instanceof Failure;
  return {
    ...(line !== undefined && { line }),
    exitCode: isKnown ? error.exitCode : EXIT.failed,
    ...failureJson(error),
    hints: isKnown ? error.hints : [String(error?.stack)],
  };
}

/** Records the state of the file that was read. */
function note(done, stat) {
  done.size = stat?.size ?? -1;
  done.mtime = stat?.mtimeMs ?? 0;
}

/** Condenses a file, and writes the result and its restore data. */
async function workOnFile({ file, out, restore }) {
  const warnings = [];
  /** @type {Record<string, any>} */
  const done = { size: -1, mtime: 0, out: -1, restore: -1, sums: undefined, failure: undefined, warnings };
  try {
    note(done, fs.statSync(file, { throwIfNoEntry: false }));
    const history = readHistory(file, (sentence) => warnings.push(sentence), settings.format);
    note(done, history.stat);
    const { content, sums, restoreData } = await condensed(history, out);
    const mode = (history.stat?.mode ?? 0o666) & 0o666;
    makeFolder(path.dirname(out));
    if (restoreData !== undefined && settings.keepRestoreData) {
      const data = Buffer.from(restoreFileOf(history, content, restoreData));
      replaceFile(restore, data, { mode, temporary });
      done.restore = data.length;
    } else {
      fs.rmSync(restore, { force: true });
    }
    replaceFile(out, content, { mode, temporary });
    done.out = content.length;
    done.sums = sums;
  } catch (error) {
    done.failure = told(error);
    // The files may be left from an earlier run, which condensed a former content of the input.
    for (const name of [out, restore]) fs.rmSync(name, { force: true });
  }
  return { answer: done, transfer: [] };
}

/** Condenses lines that are a history each. Lines that fail are left out. */
async function workOnLines({ file, bytes, line }) {
  const parts = [];
  const failures = [];
  const sums = { histories: 0, failed: 0, tokensBefore: 0, tokensAfter: 0, cost: 0 };
  for (const each of linesIn({ bytes: Buffer.from(bytes), line })) {
    try {
      const history = readHistoryLine(each.bytes, visible(file), each.number, settings.format);
      if (history === undefined) continue;
      const { content, sums: own } = await condensed(history);
      parts.push(content, each.lineBreak);
      for (const name of Object.keys(sums)) sums[name] += own[name];
    } catch (error) {
      sums.failed++;
      failures.push(told(error, each.number));
    }
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const content = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    content.set(part, at);
    at += part.length;
  }
  return { answer: { content, sums, failures }, transfer: [content.buffer] };
}

/** @type {import("node:worker_threads").MessagePort} */ (parentPort).on("message", async (message) => {
  const { answer, transfer } = await (message.bytes === undefined ? workOnFile(message) : workOnLines(message));
  /** @type {import("node:worker_threads").MessagePort} */ (parentPort).postMessage(answer, transfer);
});

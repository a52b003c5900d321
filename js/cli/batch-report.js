"use strict";

// The report of a batch: its totals, for people and for programs. It is made from the journal, entry by entry, so
// that it covers earlier runs and takes little memory.

const { EXIT } = require("./exit-codes.js");
const { Report } = require("./report-lines.js");
const { milliseconds, number, percent, plural, visible } = require("./terminal.js");
const { version } = require("../../package.json");

/**
 * @typedef {{ histories: number, failed: number, tokensBefore: number, tokensAfter: number, cost: number }} Sums `failed`: number of failed histories
 * @typedef {{ line?: number, exitCode: number, code: string, message: string }} Told a failure; `line`: its line in a data set
 * @typedef {{ file: string, name: string }} Input
 */

/** Returns the totals, and the exit code: the one of the first failure, in the order of the inputs. */
function totalOf(journal, inputs) {
  const total = { inputs: 0, histories: 0, failed: 0, skipped: 0, tokensBefore: 0, tokensAfter: 0, cost: 0 };
  const failures = {};
  /** @type {number} */
  let exitCode = EXIT.done;
  for (const { name } of inputs) {
    const { skipped, sums } = journal.entryOf(name);
    if (skipped !== undefined) {
      total.skipped++;
      continue;
    }
    total.inputs++;
    for (const [key, value] of Object.entries(sums)) total[key] += value;
    for (const { code, exitCode: own } of journal.failuresOf(name)) {
      failures[code] = (failures[code] ?? 0) + 1;
      exitCode ||= own;
    }
  }
  return { exitCode, total: { ...total, failures } };
}

/** Returns the result of an input, for programs. */
function outcomeOf(journal, { file, name }) {
  const { sums, lines, out, restore } = journal.entryOf(name);
  const failures = [...journal.failuresOf(name)];
  const shown = failures.map(({ line, exitCode, code, message }) => ({
    ...(line !== undefined && { line }),
    exitCode,
    error: { code, message },
  }));
  const exitCode = failures[0]?.exitCode ?? EXIT.done;
  if (out === -1) return { file, exitCode, error: shown[0].error };
  const { histories, failed, tokensBefore, tokensAfter, cost } = sums;
  return {
    file,
    exitCode,
    output: { file: name, bytes: out, restoreData: restore !== -1 },
    ...(lines > 0 && { lines, histories, failed }),
    tokens: { before: tokensBefore, after: tokensAfter, saved: tokensBefore - tokensAfter },
    cost,
    ...(shown.length > 0 && { failures: shown }),
  };
}

/** Yields the report for programs in parts, which form one JSON object. */
function* reportJson(journal, inputs, { exitCode, total }) {
  const isSkipped = ({ name }) => journal.entryOf(name).skipped !== undefined;
  yield `{\n  "version": ${JSON.stringify(version)},\n  "exitCode": ${exitCode},\n  "total": ${JSON.stringify(total)},\n  "files": [`;
  let comma = "";
  for (const input of inputs) {
    if (isSkipped(input)) continue;
    yield `${comma}\n    ${JSON.stringify(outcomeOf(journal, input))}`;
    comma = ",";
  }
  yield "\n  ]";
  if (total.skipped > 0) {
    yield ',\n  "skipped": [';
    comma = "";
    for (const input of inputs) {
      if (!isSkipped(input)) continue;
      yield `${comma}\n    ${JSON.stringify({ file: input.file, reason: journal.entryOf(input.name).skipped })}`;
      comma = ",";
    }
    yield "\n  ]";
  }
  yield "\n}\n";
}

/** Returns the report for people. `earlier`: the number of inputs that an earlier run had finished. */
function reportText({ total }, { out, earlier, ms, bytes, stream, env, color }) {
  const report = new Report(stream, env, color);
  const { bold, red } = report.paint;
  const skipped =
    total.skipped > 0 ? `, and ${plural(total.skipped, "file")} that ${total.skipped === 1 ? "is no history" : "are no histories"}` : "";
  report.text(`${plural(total.inputs, "input")} with ${plural(total.histories, "history", "histories")}${skipped}`, bold);
  if (earlier > 0) report.text(`An earlier run had finished ${number(earlier)} of them.`);
  const { tokensBefore: before, tokensAfter: after, failures } = total;
  report.heading("Tokens", ["before", "after", "saved", ""]);
  report.row("  total", [number(before), number(after), number(before - after), percent(before - after, before)], bold);
  if (total.failed > 0) {
    report.heading("Failures", ["histories"]);
    for (const [code, count] of Object.entries(failures)) report.row(`  ${code}`, [number(count)], red);
  }
  report.line();
  if (total.cost > 0) report.row("Cost", [`$${total.cost.toFixed(4)}`]);
  report.fact("Time", milliseconds(ms), bytes > 0 ? `${(bytes / 1000 / Math.max(ms, 1)).toFixed(1)} MB/s` : "");
  report.text(`Written to ${visible(out)}.`);
  return report.toString();
}

module.exports = { reportJson, reportText, totalOf };

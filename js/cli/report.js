"use strict";

// The report for people.

const { KINDS, hasToolText } = require("./content-kinds.js");
const { byOperation } = require("./condensation.js");
const { bytes, colours, item, milliseconds, number, percent, plural, visible, widthOf, wrap } = require("./terminal.js");

/** Lines of a list before the rest is only counted. */
const MAX_LINES = 10;

const LABEL_WIDTH = 24;
const NUMBER_WIDTH = 13;

/** Builds the lines; the stream decides about colour and width. */
class Report {
  #lines = [];

  constructor(stream, env) {
    this.paint = colours(stream, env);
    this.width = widthOf(stream);
  }

  line(text = "") {
    this.#lines.push(text);
  }

  /** A paragraph, each line coloured alone, so that colours never span line breaks. */
  text(text, paint = (line) => line) {
    for (const line of wrap(text, this.width)) this.line(paint(line));
  }

  row(label, cells, paint = (line) => line) {
    this.line(paint((label.padEnd(LABEL_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join("")).trimEnd()));
  }

  heading(label, cells = []) {
    this.line();
    this.row(label, cells, this.paint.bold);
  }

  list(items, mark = "- ") {
    for (const text of items.slice(0, MAX_LINES)) for (const line of item(mark, text, this.width)) this.line(line);
    if (items.length > MAX_LINES) this.line(`${mark}and ${number(items.length - MAX_LINES)} more`);
  }

  toString() {
    return `${this.#lines.join("\n")}\n`;
  }
}

/** Who does it, in a sentence. */
function approach({ id, target }, settings) {
  if (settings.provider !== undefined) return `Provider: ${id}, and no other.`;
  if (settings.preset !== undefined) return `Provider: ${id} with the preset ${settings.preset}.`;
  if (id !== "lossless") return `Provider: ${id}.`;
  return target ? "Provider: lossless, then truncation as far as the target asks for it." : "Provider: lossless alone, which loses nothing (no --target was given).";
}

const goal = (target) => `Target: at most ${plural(target.tokens, "token")}${target.requested.endsWith("%") ? ` (${target.requested})` : ""}.`;

function writeTokens(report, { byKind, stats, total }) {
  report.heading("Tokens", ["before", "after", "saved", ""]);
  const row = (label, { before, after }, paint) =>
    report.row(label, [number(before), number(after), number(before - after), percent(before - after, before)], paint);
  for (const [kind, name] of Object.entries(KINDS)) if (byKind[kind].before || byKind[kind].after) row(`  ${name}`, byKind[kind]);
  const after = Object.values(byKind).reduce((sum, kind) => sum + kind.after, 0);
  row("  total", { before: total, after }, report.paint.bold);
  // A model may count for itself.
  if (stats.originalTokens !== total || stats.finalTokens !== after) row("  as the provider counts", { before: stats.originalTokens, after: stats.finalTokens });
}

function writeOperations(report, { changes }) {
  if (changes.length === 0) return;
  report.heading("Operations", ["changes", "", "saved"]);
  for (const { operation, changes: count, tokensSaved } of byOperation(changes)) report.row(`  ${operation}`, [number(count), "", number(tokensSaved)]);
}

function writeProblems(report, problems) {
  if (problems.length === 0) return;
  report.line();
  report.text(`The input has ${plural(problems.length, "shape problem")}, carried through as they are:`, report.paint.yellow);
  const byCode = new Map();
  for (const problem of problems) byCode.set(problem.code, [...(byCode.get(problem.code) ?? []), problem]);
  report.list(
    [...byCode].map(([code, all]) => {
      const [{ messageIndex, blockIndex, message }] = all;
      const place = `message ${messageIndex}${blockIndex === undefined ? "" : `, block ${blockIndex}`}`;
      return all.length === 1 ? `${code}: ${place}: ${visible(message)}` : `${code}: ${number(all.length)} times, first in ${place}: ${visible(message)}`;
    }),
  );
}

/** Every change: where, what, how many tokens, and below that why. */
function writeChanges(report, changes) {
  if (changes.length === 0) return;
  report.line();
  const columns = (message, block, operation, before, after) => `${message.padStart(7)} ${block.padStart(6)}  ${operation.padEnd(18)}${before.padStart(11)}${after.padStart(11)}`;
  report.line(report.paint.bold(columns("message", "block", "operation", "before", "after")));
  for (const { messageIndex, blockIndex, operation, tokensBefore, tokensAfter, reason, grade } of changes) {
    report.line(columns(String(messageIndex), blockIndex === null ? "all" : String(blockIndex), operation, number(tokensBefore), number(tokensAfter)));
    const why = `${visible(reason)}${grade ? ` (${grade})` : ""}`;
    for (const line of item(" ".repeat(16), why, report.width)) report.line(report.paint.dim(line));
  }
}

/** Why nothing changed. */
function nothingToDo({ id, target, total }, settings, count) {
  if (count === 0) return "Nothing to do: the history has no messages.";
  if (target?.met) return `Nothing to do: the history has ${plural(total, "token")}, within the target, and nothing in it is said twice.`;
  if (id === "lossless" && settings.provider === undefined) return "Nothing to do: no tool result stands here twice. --target 50% lets truncation cut.";
  return `Nothing to do: ${id} found nothing to gain.`;
}

function outcome(report, outcome, settings, history, written) {
  const { didCondense, stats, target } = outcome;
  const { paint } = report;
  report.line();
  if (target && !target.met) {
    report.text(`The target of ${plural(target.tokens, "token")} is out of reach: ${number(stats.finalTokens)} are left.`, paint.red);
  } else if (!didCondense) {
    report.text(nothingToDo(outcome, settings, history.messages.length), paint.green);
  } else {
    const within = target ? ", within the target" : "";
    report.text(`${number(stats.originalTokens)} -> ${plural(stats.finalTokens, "token")}, ${percent(stats.originalTokens - stats.finalTokens, stats.originalTokens)} fewer${within}.`, paint.green);
  }
  if (written) {
    report.text(`Written to ${visible(written.file)} (${bytes(written.bytes)}).${written.backup ? ` Backup: ${visible(written.backup)}` : ""}`);
  } else if (settings.inPlace && !didCondense) {
    report.text("The file was left as it is.");
  } else if (didCondense) {
    report.text(settings.out !== undefined || settings.inPlace ? "Nothing was written." : "Nothing was written: --out FILE or --in-place keeps the result.");
  }
}

/** The report as text. `written` says what was written: `{ file, backup, bytes }`. */
function reportText(condensed, settings, history, { stream, env, written, totalMs }) {
  const report = new Report(stream, env);
  const { paint } = report;
  const { changes, firstChangedIndex, condensingMs, cost, warnings, problems, didCondense } = condensed;
  report.text(`${history.shownName}: ${plural(history.messages.length, "message")}, ${bytes(history.bytes.length)}`, paint.bold);
  report.text(approach(condensed, settings));
  if (condensed.target) report.text(goal(condensed.target));
  writeTokens(report, condensed);
  writeOperations(report, condensed);
  if (settings.explain) writeChanges(report, changes);
  report.line();
  if (didCondense) report.row("First changed message", [number(firstChangedIndex), `  of ${number(history.messages.length)}; a prompt cache holds up to it`]);
  report.row("Time", [milliseconds(totalMs), `  of which condensing ${milliseconds(condensingMs)}`]);
  if (cost > 0) report.row("Cost", [`$${cost.toFixed(4)}`]);
  if (hasToolText(history.messages)) {
    report.line();
    report.text("Tool calls stand as text in these messages, so they count as message text.", paint.dim);
  }
  writeProblems(report, problems);
  const told = warnings.filter((warning) => !(condensed.target && warning.startsWith("target_not_met")));
  if (told.length) {
    report.line();
    report.text(told.length === 1 ? "Warning:" : `${number(told.length)} warnings:`, paint.yellow);
    report.list(told.map(visible));
  }
  outcome(report, condensed, settings, history, written);
  return report.toString();
}

/** The report for programs. */
function reportJson(condensed, settings, history, { version, written, totalMs, exitCode }) {
  const { id, byKind, total, target, stats, changes, didCondense, firstChangedIndex, cost, summary, warnings, problems, condensingMs } = condensed;
  const after = Object.values(byKind).reduce((sum, kind) => sum + kind.after, 0);
  return {
    version,
    exitCode,
    input: { file: history.name, bytes: history.bytes.length, messages: history.messages.length, problems },
    provider: id,
    ...(settings.preset !== undefined && { preset: settings.preset }),
    target: target ?? null,
    didCondense,
    tokens: { before: total, after, saved: total - after, reductionPercent: stats.reductionPercent, byKind },
    operations: byOperation(changes),
    changes,
    firstChangedIndex,
    cost,
    summary,
    warnings,
    timeMs: { total: totalMs, condensing: condensingMs },
    output: written ?? null,
    ...(settings.messages && { messages: condensed.messages, restoreData: condensed.restoreData }),
  };
}

module.exports = { reportJson, reportText };

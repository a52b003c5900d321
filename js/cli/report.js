"use strict";

// The report for people.

const { KINDS, hasToolText, totalOf } = require("./content-kinds.js");
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

function writeTokens(report, { tokens, stats }) {
  report.heading("Tokens", ["before", "after", "saved", ""]);
  const row = (label, before, after, paint) => report.row(label, [number(before), number(after), number(before - after), percent(before - after, before)], paint);
  const { before, after } = tokens;
  for (const [kind, name] of Object.entries(KINDS)) if (before[kind] || after[kind]) row(`  ${name}`, before[kind], after[kind]);
  row("  total", totalOf(before), totalOf(after), report.paint.bold);
  // A model may count for itself.
  if (stats.originalTokens !== totalOf(before) || stats.finalTokens !== totalOf(after)) row("  as the provider counts", stats.originalTokens, stats.finalTokens);
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
    for (const line of item(" ".repeat(9), why, report.width)) report.line(report.paint.dim(line));
  }
}

/** Why nothing changed. */
function nothingToDo({ id, target, stats }, settings, count) {
  if (count === 0) return "Nothing to do: the history has no messages.";
  if (target?.met) return `Nothing to do: the history has ${plural(stats.originalTokens, "token")}, within the target.`;
  if (id === "lossless" && settings.provider === undefined) return "Nothing to do: there is nothing here that lossless could say shorter. --target 50% lets truncation cut.";
  return `Nothing to do: ${id} found nothing to gain.`;
}

/** How far the target is, and what may help; a sentence each. */
function missedTarget({ target, stats, id }, { provider }) {
  const sentences = [`The target of ${plural(target.tokens, "token")} is out of reach: at least ${number(stats.finalTokens)} are left.`];
  if (provider !== undefined && id !== "truncation") sentences.push("Without --provider, truncation cuts what is left too much.");
  return sentences;
}

function writeOutcome(report, condensed, settings, history, written) {
  const { didCondense, stats, target } = condensed;
  const { paint } = report;
  report.line();
  if (target && !target.met) {
    const [sentence, ...advice] = missedTarget(condensed, settings);
    report.text(sentence, paint.red);
    for (const line of advice) report.text(line);
  } else if (!didCondense) {
    report.text(nothingToDo(condensed, settings, history.messages.length), paint.green);
  } else {
    const within = target ? ", within the target" : "";
    report.text(`${number(stats.originalTokens)} -> ${plural(stats.finalTokens, "token")}, ${percent(stats.originalTokens - stats.finalTokens, stats.originalTokens)} fewer${within}.`, paint.green);
  }
  if (written) {
    report.text(`Written to ${visible(written.file)} (${bytes(written.bytes)}).${written.backup ? ` Backup: ${visible(written.backup)}` : ""}`);
  } else if (settings.inPlace && !didCondense && (!target || target.met)) {
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
  writeOutcome(report, condensed, settings, history, written);
  return report.toString();
}

/** The report for programs. */
function reportJson(condensed, settings, history, { version, written, totalMs, exitCode }) {
  const { id, tokens, target, stats, changes, didCondense, firstChangedIndex, cost, summary, warnings, problems, condensingMs } = condensed;
  const [before, after] = [totalOf(tokens.before), totalOf(tokens.after)];
  const byKind = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, { before: tokens.before[kind], after: tokens.after[kind] }]));
  return {
    version,
    exitCode,
    input: { file: history.name, bytes: history.bytes.length, messages: history.messages.length, problems },
    provider: id,
    ...(settings.preset !== undefined && { preset: settings.preset }),
    target: target ?? null,
    didCondense,
    tokens: { before, after, saved: before - after, reductionPercent: stats.reductionPercent, byKind },
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

module.exports = { missedTarget, reportJson, reportText };

"use strict";

// `roo-condense inspect`: shows the contents of a history, and with --compare the result of each provider.

const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { Interruption } = require("./interruption.js");
const { inOwnWords } = require("./own-words.js");
const { Report } = require("./report-lines.js");
const { bytes, milliseconds, number, percent, plural, visible } = require("./terminal.js");

/** The kinds of content in order, with their names for people. */
const KINDS = Object.freeze({
  user: "user",
  assistant: "assistant",
  thinking: "thinking",
  calls: "tool calls",
  results: "tool results",
  images: "images",
  environment: "environment",
  summaries: "summaries and log",
  other: "other",
});

/** The kinds of redundant content, with their names for people. */
const WASTE = Object.freeze({
  superseded: "replaced by newer",
  stale: "stale reads",
  repeated: "repeated",
});

/** Maximum number of lines of a table; the rest is only counted. */
const MOST = 8;

/** Shortens a label to its column, which ends two columns before the numbers. */
function short(text, width) {
  const shown = visible(text);
  return shown.length <= width ? shown : `…${shown.slice(shown.length - width + 1)}`;
}

function table(report, heading, columns, rows) {
  if (rows.length === 0) return;
  report.heading(heading, columns);
  for (const [label, ...cells] of rows.slice(0, MOST)) report.row(`  ${short(label, 20)}`, cells);
  if (rows.length > MOST) report.line(`  and ${number(rows.length - MOST)} more`);
}

function inspectionText(history, found, stream, env, color) {
  const { tokens, kinds, byTool, byFile, largest, window, target, providers } = found;
  const report = new Report(stream, env, color);
  report.text(`${history.shownName}: ${plural(history.messages.length, "message")}, ${bytes(history.bytes.length)}`, report.paint.bold);
  for (const [kind, name] of Object.entries(KINDS))
    if (kinds[kind]) report.row(`  ${name}`, [number(kinds[kind]), percent(kinds[kind], tokens.total)]);
  report.row("  total", [number(tokens.total), ""], report.paint.bold);
  const wastes = Object.entries(WASTE).filter(([kind]) => found[kind].count > 0);
  if (wastes.length > 0) {
    report.heading("Repeated or stale", ["tokens", "", "places"]);
    for (const [kind, name] of wastes)
      report.row(`  ${name}`, [number(found[kind].tokens), percent(found[kind].tokens, tokens.total), number(found[kind].count)]);
  }
  const tools = byTool.map(({ tool, calls, callTokens, resultTokens }) => [
    tool,
    number(callTokens + resultTokens),
    percent(callTokens + resultTokens, tokens.total),
    number(calls),
  ]);
  table(report, "By tool", ["tokens", "", "calls"], tools);
  const files = byFile.map((file) => [
    file.path,
    number(file.tokens),
    percent(file.tokens, tokens.total),
    number(file.reads),
    number(file.changes),
  ]);
  table(report, "By file", ["tokens", "", "reads", "changes"], files);
  const blocks = largest.map((block) => [
    block.label || KINDS[block.kind],
    number(block.tokens),
    percent(block.tokens, tokens.total),
    number(block.messageIndex),
  ]);
  table(report, "Largest parts", ["tokens", "", "message"], blocks);
  if (window) {
    report.heading("Context window", ["tokens", "", "at message"]);
    const line = (name, { tokens: at, messageIndex }) =>
      report.row(`  ${name}`, [number(at), percent(at, window.contextWindow), messageIndex === null ? "not yet" : number(messageIndex)]);
    line("in use", { tokens: window.prevContextTokens, messageIndex: history.messages.length - 1 });
    line("threshold", window.atThreshold);
    line("response fits up to", window.atLimit);
    line("full", window.atEnd);
  }
  if (target) report.text(`The target of ${number(target.tokens)} tokens is ${reached(target)}.`);
  if (providers) compared(report, providers);
  return report.toString();
}

const reached = ({ messageIndex }) => (messageIndex === null ? "not exceeded: nothing must be cut" : `exceeded at message ${messageIndex}`);

function compared(report, providers) {
  report.heading("Tokens left by", ["tokens", "saved", "cost", "time"]);
  for (const { id, tokens, tokensBefore, cost, exact, timeMs, error } of providers) {
    if (error) report.row(`  ${short(id, 20)}`, ["-", "", "", ""]);
    else {
      const about = exact ? "" : "~";
      const less = percent(tokensBefore - tokens, tokensBefore);
      report.row(`  ${short(id, 20)}`, [about + number(tokens), about + less, `${about}$${cost.toFixed(4)}`, milliseconds(timeMs)]);
    }
  }
  for (const { id, error } of providers) if (error) report.text(`  ${id}: ${visible(inOwnWords(error, "inspect"))}`);
}

async function inspectHistory(library, { file, color, window, target, compare, format: named }, { stdout, env, warn, progress }) {
  const history = readHistory(file, warn, named);
  const { format } = history;
  progress.step(compare ? "trying each provider" : "inspecting", 1, 2, compare);
  const context = { messages: history.messages, ...(window && { contextWindow: window }) };
  const interruption = new Interruption(() => {});
  const targetOf = async () => {
    if (!target) return {};
    if (target.tokens !== undefined) return { targetTokens: target.tokens };
    await library.warmUp();
    return { targetTokens: Math.floor((library.countTokens(history.messages, { format }) * target.percent) / 100) };
  };
  const { signal } = interruption;
  const providers = compare ? { providers: true, signal } : {};
  const found = await interruption.during(async () => library.inspect(context, { ...(await targetOf()), ...providers, format }));
  if (signal.aborted) throw new Failure(signal.reason, "interrupted");
  const { messages: each, ...rest } = found;
  return {
    exitCode: EXIT.done,
    report: { file, bytes: history.bytes.length, messages: each.length, ...rest, eachMessage: each },
    text: inspectionText(history, found, stdout, env, color),
    sums: { tokens: found.tokens.total },
  };
}

module.exports = { KINDS, inspectHistory };

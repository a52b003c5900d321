"use strict";

// `roo-condense count`: the tokens of a history, by kind of content.

const { KINDS, countByKind, totalOf } = require("./content-kinds.js");
const { EXIT } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { Report } = require("./report-lines.js");
const { bytes, number, percent, plural } = require("./terminal.js");

async function countHistory(library, { file, color, format }, { stdout, env, warn, progress }) {
  const history = readHistory(file, warn, format);
  progress.step("counting tokens", 1, 2, history.bytes.length > 5e6);
  await library.warmUp();
  const byKind = await countByKind(history, library);
  const tokens = totalOf(byKind);
  const report = new Report(stdout, env, color);
  report.text(`${history.shownName}: ${plural(history.messages.length, "message")}, ${bytes(history.bytes.length)}`, report.paint.bold);
  for (const [kind, name] of Object.entries(KINDS))
    if (byKind[kind]) report.row(`  ${name}`, [number(byKind[kind]), percent(byKind[kind], tokens)]);
  report.row("  total", [number(tokens), ""], report.paint.bold);
  return {
    exitCode: EXIT.done,
    report: { file, messages: history.messages.length, bytes: history.bytes.length, tokens, byKind },
    text: report.toString(),
    sums: { tokens },
  };
}

module.exports = { countHistory };

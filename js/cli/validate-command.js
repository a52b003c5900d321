"use strict";

// `roo-condense validate`: checks whether the Messages API accepts a history.

const { EXIT } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { isOwn } = require("./history-text.js");
const { Report } = require("./report-lines.js");
const { plural, visible } = require("./terminal.js");

/** Maximum number of problems that are listed; the rest is counted. */
const MAX_PROBLEMS = 100;

function validateHistory(library, { file, color, format }, { stdout, env, warn }) {
  const history = readHistory(file, warn, format);
  const problems = library.validateMessages(history.messages, { format: history.format });
  const report = new Report(stdout, env, color);
  const { green, yellow } = report.paint;
  const of = `${history.shownName}: ${plural(history.messages.length, "message")}`;
  const valid = isOwn(history.format) ? "for the Messages API" : `in the format ${history.format}`;
  if (problems.length === 0) report.text(`${of}, valid ${valid}.`, green);
  else report.text(`${of}, with ${plural(problems.length, "shape problem")}:`, yellow);
  const told = problems.map(({ code, messageIndex, blockIndex, message }) => {
    const place = `message ${messageIndex}${blockIndex === undefined ? "" : `, block ${blockIndex}`}`;
    return `${place}: ${code}: ${visible(message)}`;
  });
  report.list(told, "- ", MAX_PROBLEMS);
  return {
    exitCode: problems.length === 0 ? EXIT.done : EXIT.misshapen,
    report: { file, messages: history.messages.length, problems },
    text: report.toString(),
    sums: { problems: problems.length },
  };
}

module.exports = { validateHistory };

"use strict";

// `roo-condense expand`: returns a condensed history with every pointer replaced by the lines it points to.

const { EXIT } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { checkOutput, writeOutput } = require("./output-file.js");
const { bytes: shownBytes, plural, visible } = require("./terminal.js");

/** Expands one history; see `WORK` in run.js. */
function expandHistory(library, { file, out, force, format }, { warn }) {
  const history = readHistory(file, warn, format);
  if (out !== undefined) checkOutput(out, history, force);
  const { messages, unresolved } = library.expand(history.messages, { format: history.format });
  const changed = messages.filter((message, index) => message !== history.messages[index]).length;
  let output;
  let standardOutput;
  if (out !== undefined) {
    const content = history.contentWith(messages);
    if (out === "-") standardOutput = content;
    output = { file: out === "-" ? "standard output" : writeOutput(out, content, history, force), bytes: content.length };
  }
  const lines = [`${history.shownName}: ${plural(changed, "message")} with pointers, of ${plural(messages.length, "message")}.`];
  for (const { messageIndex, text } of unresolved) lines.push(`message ${messageIndex}: points to nothing: ${visible(text)}`);
  lines.push(
    output
      ? `Written to ${visible(output.file)} (${shownBytes(output.bytes)}).`
      : "Nothing was written. To keep the result, add --out FILE.",
  );
  const report = { changedMessages: changed, unresolved, output: output ?? null };
  return { exitCode: EXIT.done, report, text: `${lines.join("\n")}\n`, output, standardOutput };
}

module.exports = { expandHistory };

"use strict";

// The command `roo-condense expand`: a condensed history with every pointer replaced by what it stands for.

const { parseArgs } = require("node:util");
const { wrong } = require("./arguments.js");
const { EXIT } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { checkOutput, writeOutput } = require("./output-file.js");
const { bytes: shownBytes, plural, visible } = require("./terminal.js");

/** @type {NonNullable<import("node:util").ParseArgsConfig["options"]>} */
const OPTIONS = { out: { type: "string" }, force: { type: "boolean" }, json: { type: "boolean" } };

function readArguments(args) {
  let parsed;
  try {
    parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    if (!String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
    throw wrong(`expand: ${error.message.split(/\.\s/, 1)[0].replace(/\.$/, "")}`);
  }
  const { values, positionals } = parsed;
  const [file] = positionals;
  if (positionals.length !== 1 || file === "") throw wrong("expand: name one history, or - for standard input");
  if (values.out === "") throw wrong("--out: an empty value is not allowed");
  if (values.force && values.out === undefined) throw wrong("--force needs --out");
  if (values.json && values.out === "-") throw wrong("--json and --out - both want standard output");
  return { file, out: values.out, force: Boolean(values.force), json: Boolean(values.json) };
}

/** Runs the command and returns its exit code. */
function expand(args, { loadLibrary, stdout, stderr, version }) {
  const { file, out, force, json } = readArguments(args);
  const library = loadLibrary();
  const history = readHistory(file);
  if (out !== undefined) checkOutput(out, history, force);
  const { messages, unresolved } = library.expand(history.messages);
  const changed = messages.filter((message, index) => message !== history.messages[index]).length;
  let written;
  if (out !== undefined) {
    const { rewriteJson } = require("./json-rewrite.js");
    const content = Buffer.from(history.mark + rewriteJson(history.text, history.root, history.withMessages(messages)));
    if (out === "-") stdout.write(content);
    written = { file: out === "-" ? "standard output" : writeOutput(out, content, history, force), bytes: content.length };
  }
  if (json) {
    stdout.write(
      `${JSON.stringify({ version, exitCode: EXIT.done, changedMessages: changed, unresolved, output: written ?? null }, null, 2)}\n`,
    );
    return EXIT.done;
  }
  const lines = [`${history.shownName}: ${plural(changed, "message")} with pointers, of ${plural(messages.length, "message")}.`];
  for (const { messageIndex, text } of unresolved) lines.push(`message ${messageIndex}: leads nowhere: ${visible(text)}`);
  lines.push(
    written ? `Written to ${visible(written.file)} (${shownBytes(written.bytes)}).` : "Nothing was written: --out FILE keeps the result.",
  );
  (out === "-" ? stderr : stdout).write(`${lines.join("\n")}\n`);
  return EXIT.done;
}

module.exports = { expand };

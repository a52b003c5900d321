"use strict";

// The command from its arguments to its exit code.

const { readArguments } = require("./arguments.js");
const { condense } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { help } = require("./help.js");
const { readHistory } = require("./history-file.js");
const { checkOutput, replaceInput, writeOutput } = require("./output-file.js");
const { ProgressBar } = require("./progress-bar.js");
const { missedTarget, reportJson, reportText } = require("./report.js");
const { colours } = require("./terminal.js");
const { version } = require("../../package.json");

/** Writes the result where the arguments say. Returns what was written, or undefined. */
function write(history, condensed, settings, stdout, bar) {
  if (settings.out === undefined && !(settings.inPlace && condensed.didCondense)) return undefined;
  bar.step("writing", 20, 20);
  // Only now: help does not depend on the addon.
  const { rewriteJson } = require("./json-rewrite.js");
  const text = history.mark + rewriteJson(history.text, history.root, history.withMessages(condensed.messages));
  const content = Buffer.from(text);
  if (settings.out === "-") {
    stdout.write(content);
    return { file: "standard output", bytes: content.length };
  }
  const written = settings.inPlace ? replaceInput(history, content) : { file: writeOutput(settings.out, content, history, settings.force) };
  return { ...written, bytes: content.length };
}

async function work(settings, { loadLibrary, stdout, stderr, env, begun }, bar) {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  // A second one ends the process at once.
  process.once("SIGINT", interrupt);
  try {
    bar.step("reading", 0, 20);
    const library = loadLibrary();
    const history = readHistory(settings.file);
    if (settings.out !== undefined) checkOutput(settings.out, history, settings.force);
    const condensed = await condense(library, history, settings, { env, signal: controller.signal, step: bar.step.bind(bar) });
    // Lets an interruption in that came while the thread was busy.
    await new Promise((resolve) => setImmediate(resolve));
    if (controller.signal.aborted) throw new Failure(EXIT.interrupted, "interrupted; nothing was written");
    const isMet = !condensed.target || condensed.target.met;
    const exitCode = isMet ? EXIT.done : EXIT.targetNotMet;
    const written = isMet ? write(history, condensed, settings, stdout, bar) : undefined;
    bar.stop();
    const totalMs = performance.now() - begun;
    if (settings.json) {
      stdout.write(`${JSON.stringify(reportJson(condensed, settings, history, { version, written, totalMs, exitCode }), null, 2)}\n`);
    } else if (!settings.quiet) {
      const stream = settings.out === "-" ? stderr : stdout;
      stream.write(reportText(condensed, settings, history, { stream, env, written, totalMs }));
    }
    // The report says it, too: once is enough where both are seen.
    const isSeen = stdout.isTTY && stderr.isTTY && !settings.json && !settings.quiet;
    if (!isMet && !isSeen) tell(new Failure(exitCode, missedTarget(condensed, settings).join(" ")), stderr, env);
    return exitCode;
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

/** Prints a failure. */
function tell(error, stderr, env) {
  const { red } = colours(stderr, env);
  const known = error instanceof Failure;
  const message = known ? error.message : `internal error: ${error?.message ?? error}; please report it`;
  const lines = [message, ...(known ? error.hints : [])];
  if (!known) lines.push(env.ROO_CONDENSE_DEBUG ? String(error?.stack) : "ROO_CONDENSE_DEBUG=1 shows where it happened.");
  // A message may quote the history or an argument; neither must steer the terminal. The colours are put on afterwards.
  const [first, ...others] = lines
    .join("\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "\ufffd")
    .split("\n");
  stderr.write(`${[`${red("roo-condense:")} ${first}`, ...others].join("\n")}\n`);
}

/** Whether the report was to be JSON, as far as that can be told from arguments that may be wrong. */
const wantsJson = (args) => args.slice(0, args.includes("--") ? args.indexOf("--") : args.length).includes("--json");

/**
 * Runs the command and resolves to its exit code. `loadLibrary` gives the package, and is called only when it is needed: help does not
 * depend on the addon.
 */
async function run(args, { loadLibrary, stdout = process.stdout, stderr = process.stderr, env = process.env }) {
  const begun = performance.now();
  let bar;
  try {
    const settings = readArguments(args);
    if (settings.help) stdout.write(help());
    if (settings.version) stdout.write(`roo-condense ${version}\n`);
    if (settings.help || settings.version) return EXIT.done;
    bar = new ProgressBar(stderr, { enabled: settings.progress, env });
    return await work(settings, { loadLibrary, stdout, stderr, env, begun }, bar);
  } catch (error) {
    bar?.stop();
    const exitCode = error instanceof Failure ? error.exitCode : EXIT.failed;
    tell(error, stderr, env);
    if (wantsJson(args)) {
      const code = error instanceof Failure ? error.code : "internal_error";
      stdout.write(`${JSON.stringify({ version, exitCode, error: { code, message: String(error?.message ?? error) } }, null, 2)}\n`);
    }
    return exitCode;
  } finally {
    bar?.stop();
  }
}

module.exports = { run };

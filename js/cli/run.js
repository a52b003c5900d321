"use strict";

// The command from its arguments to its exit code.

const fs = require("node:fs");
const { readArguments } = require("./arguments.js");
const { condense } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { expand } = require("./expand.js");
const { help } = require("./help.js");
const { readHistory } = require("./history-file.js");
const { checkOutput, notWritten, replaceInput, requireReplaceable, withRestoreData, writeOutput } = require("./output-file.js");
const { ProgressBar } = require("./progress-bar.js");
const { missedTarget, reportJson, reportText } = require("./report.js");
const { colours, plural, visible } = require("./terminal.js");
const { version } = require("../../package.json");

/** Prints, and waits until that is out: a disk behind standard output can be full. A reader that has seen enough is no failure. */
async function print(stream, text) {
  try {
    await new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve(undefined))));
  } catch (error) {
    if (error.code !== "EPIPE") throw notWritten("standard output", error);
  }
}

/** Prints the report. By then the result may be written. */
async function printReport(stream, text, written) {
  try {
    await print(stream, text);
  } catch (error) {
    if (written?.file) error.hints.push(`Only the report is missing: the result was written to ${visible(written.file)}.`);
    throw error;
  }
}

/**
 * Writes the result where the arguments say. Returns what was written, or undefined.
 * @returns {Promise<{ file: string, bytes: number, backup?: string, restoreData?: string, otherNames?: number } | undefined>}
 */
async function write(history, condensed, settings, stdout, bar) {
  if (settings.out === undefined && !(settings.inPlace && condensed.didCondense)) return undefined;
  bar.step("writing", 20, 20);
  // Only now: help does not depend on the addon.
  const { rewriteJson } = require("./json-rewrite.js");
  const text = history.mark + rewriteJson(history.text, history.root, history.withMessages(condensed.messages));
  const content = Buffer.from(text);
  if (settings.out === "-") {
    await print(stdout, content);
    return { file: "standard output", bytes: content.length };
  }
  const put = () =>
    settings.inPlace ? replaceInput(history, content) : { file: writeOutput(settings.out, content, history, settings.force) };
  if (!condensed.didCondense || !settings.keepRestoreData) return { ...put(), bytes: content.length };
  const { restoreFileOf, restoreNames } = require("./restore-file.js");
  const file = settings.inPlace ? fs.realpathSync(history.name) : settings.out;
  const data = { file, names: restoreNames(file), content: restoreFileOf(history, content, condensed.restoreData), like: history.stat };
  return { ...withRestoreData(data, put), bytes: content.length };
}

function tellOfOtherNames(written, stderr) {
  if (!written?.otherNames) return;
  const names = plural(written.otherNames, "other name");
  stderr.write(`roo-condense: ${visible(written.file)} has ${names} (hard links), which keep the old content\n`);
}

/** What ends the work early, and the exit code then. */
const SIGNALS = /** @type {[NodeJS.Signals, number][]} */ ([
  ["SIGHUP", EXIT.hungUp],
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
]);

async function work(settings, { loadLibrary, stdout, stderr, env, begun }, bar) {
  bar.step("reading", 0, 20);
  const library = loadLibrary();
  if (settings.inPlace) requireReplaceable(settings.file);
  // While this waits for a pipe, signals end the process as they always do: nothing has been written.
  const history = readHistory(settings.file);
  if (settings.out !== undefined) checkOutput(settings.out, history, settings.force);
  const controller = new AbortController();
  const interrupts = SIGNALS.map(([signal, exitCode]) => ({ signal, interrupt: () => controller.abort(exitCode) }));
  // From here on a file may be half written. A second signal ends the process at once.
  for (const { signal, interrupt } of interrupts) process.once(signal, interrupt);
  try {
    const condensed = await condense(library, history, settings, { env, signal: controller.signal, step: bar.step.bind(bar) });
    // Lets an interruption in that came while the thread was busy.
    await new Promise((resolve) => setImmediate(resolve));
    if (controller.signal.aborted) throw new Failure(controller.signal.reason, "interrupted; nothing was written");
    const isMet = !condensed.target || condensed.target.met;
    const exitCode = isMet ? EXIT.done : EXIT.targetNotMet;
    const written = isMet ? await write(history, condensed, settings, stdout, bar) : undefined;
    bar.stop();
    const totalMs = performance.now() - begun;
    if (settings.json) {
      const report = reportJson(condensed, settings, history, { version, written, totalMs, exitCode });
      await printReport(stdout, `${JSON.stringify(report, null, 2)}\n`, written);
    } else if (!settings.quiet) {
      const stream = settings.out === "-" ? stderr : stdout;
      await printReport(stream, reportText(condensed, settings, history, { stream, env, written, totalMs }), written);
    }
    tellOfOtherNames(written, stderr);
    // The report says it, too: once is enough where both are seen.
    const isSeen = stdout.isTTY && stderr.isTTY && !settings.json && !settings.quiet;
    if (!isMet && !isSeen) tell(new Failure(exitCode, missedTarget(condensed, settings).join(" ")), stderr, env);
    return exitCode;
  } finally {
    for (const { signal, interrupt } of interrupts) process.removeListener(signal, interrupt);
  }
}

/** `roo-condense restore`. */
async function workBack(settings, { loadLibrary, stdout, stderr }) {
  const { restoreHistory } = require("./restore-command.js");
  const { report, text, output, standardOutput } = restoreHistory(loadLibrary(), settings);
  if (standardOutput) await print(stdout, standardOutput);
  if (settings.json) await printReport(stdout, `${JSON.stringify({ version, exitCode: EXIT.done, ...report }, null, 2)}\n`, output);
  else if (!settings.quiet) await printReport(standardOutput ? stderr : stdout, text, output);
  tellOfOtherNames(output, stderr);
  return EXIT.done;
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
    if (args[0] === "expand") return expand(args.slice(1), { loadLibrary, stdout, stderr, version });
    const settings = readArguments(args);
    if (settings.help) await print(stdout, help());
    if (settings.version) await print(stdout, `roo-condense ${version}\n`);
    if (settings.help || settings.version) return EXIT.done;
    if (settings.restore) return await workBack(settings, { loadLibrary, stdout, stderr });
    bar = new ProgressBar(stderr, { enabled: settings.progress, env });
    return await work(settings, { loadLibrary, stdout, stderr, env, begun }, bar);
  } catch (error) {
    bar?.stop();
    const exitCode = error instanceof Failure ? error.exitCode : EXIT.failed;
    tell(error, stderr, env);
    if (wantsJson(args)) {
      const code = error instanceof Failure ? error.code : "internal_error";
      const told = { version, exitCode, error: { code, message: String(error?.message ?? error) } };
      // Where that cannot be printed, standard error has it.
      await print(stdout, `${JSON.stringify(told, null, 2)}\n`).catch(() => {});
    }
    return exitCode;
  } finally {
    bar?.stop();
  }
}

module.exports = { run };

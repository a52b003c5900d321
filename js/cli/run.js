"use strict";

// The command from its arguments to its exit code.

const fs = require("node:fs");
const path = require("node:path");
const { colorOf, readArguments, wrong } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { colours, plural, visible, widthOf, wrap } = require("./terminal.js");
const { version } = require("../../package.json");

/** Prints, and waits until that is out: a disk behind standard output can be full. A reader that has seen enough is no failure. */
async function print(stream, text) {
  try {
    await new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve(undefined))));
  } catch (error) {
    const { notWritten } = require("./output-file.js");
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

function tellOfOtherNames(written, stderr) {
  if (!written?.otherNames) return;
  const names = plural(written.otherNames, "other name");
  stderr.write(`roo-condense: ${visible(written.file)} has ${names} (hard links), which keep the old content\n`);
}

/** The work of each command on one history: `{ exitCode, report, text, output, standardOutput, missed }`. */
const WORK = {
  condense: (library, settings, environment) => require("./condense-command.js").condenseHistory(library, settings, environment),
  restore: (library, settings, environment) => ({
    exitCode: EXIT.done,
    ...require("./restore-command.js").restoreHistory(library, settings, environment),
  }),
  expand: (library, settings, environment) => require("./expand.js").expandHistory(library, settings, environment),
  count: (library, settings, environment) => require("./count-command.js").countHistory(library, settings, environment),
  inspect: (library, settings, environment) => require("./inspect-command.js").inspectHistory(library, settings, environment),
  validate: (library, settings, environment) => require("./validate-command.js").validateHistory(library, settings, environment),
};

/** Commands that print for themselves, and return their exit code. */
const PAGES = {
  calibrate: (library, settings, environment) => require("./calibrate-command.js").calibrate(library, settings, environment),
  studio: (library, settings, environment) => require("./studio-command.js").studio(library, settings, environment),
  recommend: (library, settings, environment) => require("./recommend-command.js").recommendProvider(library, settings, environment),
  report: (library, settings, environment) => require("./studio-command.js").report(library, settings, environment),
};

/** Commands that print a text, for which there is no history to read. */
const TEXTS = {
  help: ({ topic, isShort }) => require("./help.js").help(topic, isShort),
  version: () => `roo-condense ${version}\n`,
  completions: ({ topic }, { loadLibrary }) => require("./completions.js").completions(topic, loadLibrary),
};

/** The settings for each of the histories. The results of several go into a folder. */
function settingsOfEach(settings) {
  if (settings.files.length === 1) return [settings];
  const { out } = settings;
  if (out === undefined) return settings.files.map((file) => ({ ...settings, file }));
  if (!fs.statSync(out, { throwIfNoEntry: false })?.isDirectory())
    throw wrong(`--out: for several histories a folder that exists, not "${out}"`);
  const names = settings.files.map((file) => (file === "-" ? "standard-input.json" : path.basename(file)));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`--out: two of the histories would be written to "${path.join(out, twice)}"`);
  return settings.files.map((file, index) => ({ ...settings, file, out: path.join(out, names[index]) }));
}

/** Works on one history and prints what came of it, or returns it where the report is JSON. */
async function workOn(settings, environment) {
  const { stdout, stderr } = environment;
  const { exitCode, report, text, output, standardOutput, missed } = await WORK[settings.command](
    environment.library,
    settings,
    environment,
  );
  if (standardOutput) await print(stdout, standardOutput);
  if (settings.json) return { exitCode, report: { exitCode, ...report }, output };
  if (!settings.quiet) await printReport(settings.out === "-" ? stderr : stdout, text, output);
  tellOfOtherNames(output, stderr);
  // The report says it, too: once is enough where both are seen.
  const isSeen = stdout.isTTY && stderr.isTTY && !settings.quiet;
  const name = settings.files.length > 1 ? `${visible(settings.file)}: ` : "";
  if (missed && !isSeen) tell(new Failure(exitCode, `${name}${missed}`), environment);
  return { exitCode };
}

/** Several histories, each for itself: one that fails is told, and the others go on. The exit code is that of the first failure. */
async function workOnAll(all, environment) {
  const reports = [];
  /** @type {number} */
  let exitCode = EXIT.done;
  for (const [index, settings] of all.entries()) {
    if (index > 0 && !settings.json && !settings.quiet) await print(environment.stdout, "\n");
    try {
      const ended = await workOn(settings, environment);
      exitCode ||= ended.exitCode;
      reports.push({ file: settings.file, ...ended.report });
    } catch (thrown) {
      environment.bar?.stop();
      const error = failureOf(thrown);
      tell(error, environment);
      const code = error instanceof Failure ? error.exitCode : EXIT.failed;
      exitCode ||= code;
      reports.push({ file: settings.file, exitCode: code, error: failureJson(error) });
      if (code > 128) break;
    }
  }
  if (all[0].json) await print(environment.stdout, `${JSON.stringify({ version, exitCode, files: reports }, null, 2)}\n`);
  return exitCode;
}

async function work(settings, environment) {
  const text = TEXTS[settings.command];
  if (text) {
    await print(environment.stdout, text(settings, environment));
    return EXIT.done;
  }
  const page = PAGES[settings.command];
  if (page) return page(environment.loadLibrary(), settings, environment);
  const all = settingsOfEach(settings);
  const library = environment.loadLibrary();
  if (all.length > 1) return workOnAll(all, { ...environment, library });
  const { exitCode, report, output } = await workOn(settings, { ...environment, library });
  if (settings.json) {
    await printReport(environment.stdout, `${JSON.stringify({ version, ...report }, null, 2)}\n`, output);
    tellOfOtherNames(output, environment.stderr);
  }
  return exitCode;
}

/** What a history is that nobody can work on, such as one nested too deep, is no fault of the program. */
const failureOf = (error) =>
  ["not_serializable", "unreadable"].includes(error?.code) && !(error instanceof Failure)
    ? new Failure(EXIT.failed, error.message, { code: error.code, cause: error })
    : error;

/** Prints a failure. */
function tell(error, { stderr, env, color }) {
  const { red } = colours(stderr, env, color);
  const known = error instanceof Failure;
  const message = known ? error.message : `internal error: ${error?.message ?? error}; please report it`;
  const lines = [message, ...(known ? error.hints : [])];
  if (!known) lines.push(env.ROO_CONDENSE_DEBUG ? String(error?.stack) : "ROO_CONDENSE_DEBUG=1 shows where it happened.");
  // A message may quote the history or an argument; neither must steer the terminal. The colours are put on afterwards.
  const wide = wrap(lines[0], stderr.isTTY ? widthOf(stderr) - "roo-condense: ".length : Number.POSITIVE_INFINITY);
  const [first, ...others] = [...wide, ...lines.slice(1)]
    .join("\n")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .split("\n");
  stderr.write(`${[`${red("roo-condense:")} ${first}`, ...others].join("\n")}\n`);
}

const failureJson = (error) => ({
  code: error instanceof Failure ? error.code : "internal_error",
  message: String(error?.message ?? error),
});

/** Whether the report was to be JSON, as far as that can be told from arguments that may be wrong. */
const wantsJson = (args) => args.slice(0, args.includes("--") ? args.indexOf("--") : args.length).includes("--json");

/**
 * Runs the command and resolves to its exit code. `loadLibrary` gives the package, and is called only when it is needed: help does not
 * depend on the addon.
 */
async function run(args, { loadLibrary, stdout = process.stdout, stderr = process.stderr, env = process.env }) {
  const begun = performance.now();
  const color = colorOf(args);
  const warn = (sentence) => stderr.write(`roo-condense: ${sentence}\n`);
  const environment = { loadLibrary, stdout, stderr, env, begun, color, warn };
  try {
    const settings = readArguments(args);
    return await work(settings, environment);
  } catch (thrown) {
    const error = failureOf(thrown);
    const exitCode = error instanceof Failure ? error.exitCode : EXIT.failed;
    tell(error, environment);
    if (wantsJson(args)) {
      const told = { version, exitCode, error: failureJson(error) };
      // Where that cannot be printed, standard error has it.
      await print(stdout, `${JSON.stringify(told, null, 2)}\n`).catch(() => {});
    }
    return exitCode;
  }
}

module.exports = { PAGES, TEXTS, WORK, run };

"use strict";

// Runs the command from its arguments to its exit code.

const { colorOf, readArguments } = require("./arguments.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { commandNamed } = require("./flags.js");
const { Progress } = require("./progress.js");
const { filesOf, isNoHistory, noHistories, refuseSeveralOut, totalOf, totalText } = require("./several.js");
const { failureJson, failureOf, print, tell } = require("./telling.js");
const { plural, visible, widthOf } = require("./terminal.js");
const { version } = require("../../package.json");

/** Prints the report. The result may already be written. */
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

/** The work of each command on one history: `{ exitCode, report, text, sums, output, standardOutput, missed }`. `sums` are added up in a total. */
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

/** The commands that print their own output, and return their exit code. */
const PAGES = {
  batch: (library, settings, environment) => require("./batch-command.js").batch(library, settings, environment),
  calibrate: (library, settings, environment) => require("./calibrate-command.js").calibrate(library, settings, environment),
  studio: (library, settings, environment) => require("./studio-command.js").studio(library, settings, environment),
  recall: (_, settings, environment) => require("./recall-command.js").recall(settings, environment),
  recommend: (library, settings, environment) => require("./recommend-command.js").recommendProvider(library, settings, environment),
  report: (library, settings, environment) => require("./studio-command.js").report(library, settings, environment),
};

/** The commands that load the addon themselves: a client does not wait for its servers, and an output goes on without it. */
const LOADING = {
  mcp: (settings, environment) => require("./mcp-command.js").mcp(settings, environment),
  result: (settings, environment) => require("./result-command.js").result(settings, environment),
};

/** The commands that print a text and read no history. */
const TEXTS = {
  explain: ({ topic }, { stdout }) => require("./explain.js").explain(topic, widthOf(stdout)),
  help: ({ topic, isShort }, { stdout }) => require("./help.js").help(topic, isShort, widthOf(stdout)),
  version: () => `roo-condense ${version}\n`,
  completions: ({ topic }) => require("./completions.js").completions(topic),
};

/** Works on one history and prints the report, after a blank line if it `isLater`; or returns the report if it is JSON. */
async function workOn(settings, environment) {
  const { stdout, stderr, progress, isLater = false } = environment;
  progress.step("reading", 0, 20);
  const { exitCode, report, text, sums, output, standardOutput, missed } = await WORK[settings.command](
    environment.library,
    settings,
    environment,
  );
  progress.pause();
  if (standardOutput) await print(stdout, standardOutput);
  if (settings.json) return { exitCode, report: { exitCode, ...report }, sums, output };
  if (!settings.quiet) await printReport(settings.out === "-" ? stderr : stdout, `${isLater ? "\n" : ""}${text}`, output);
  tellOfOtherNames(output, stderr);
  // The report contains it, too: once is enough if the user sees both.
  const isSeen = stdout.isTTY && stderr.isTTY && !settings.quiet;
  const name = settings.files.length > 1 ? `${visible(settings.file)}: ` : "";
  if (missed && !isSeen) tell(new Failure(exitCode, `${name}${missed}`), environment);
  return { exitCode, sums };
}

/**
 * Works on several histories, one by one. A failure is reported, and the others continue; the exit code is the one of
 * the first failure. A file in a folder that is not a history is skipped. A total ends the report.
 */
async function workOnAll(settings, files, environment) {
  const { stdout, progress } = environment;
  refuseSeveralOut(settings);
  const all = files.map(({ file }) => ({ ...settings, file }));
  const reports = [];
  const sums = [];
  const skipped = [];
  let failed = 0;
  /** @type {number} */
  let exitCode = EXIT.done;
  let isLater = false;
  for (const [index, each] of all.entries()) {
    progress.begin(each.file, index, all.length);
    try {
      const ended = await workOn(each, { ...environment, isLater });
      isLater = true;
      exitCode ||= ended.exitCode;
      reports.push({ file: each.file, ...ended.report });
      if (ended.sums) sums.push(ended.sums);
    } catch (thrown) {
      progress.pause();
      const error = failureOf(thrown);
      if (files[index].below !== undefined && isNoHistory(error)) {
        skipped.push({ file: each.file, reason: error.message });
        continue;
      }
      tell(error, environment);
      failed++;
      const code = error instanceof Failure ? error.exitCode : EXIT.failed;
      exitCode ||= code;
      reports.push({ file: each.file, exitCode: code, error: failureJson(error) });
      if (code > 128) break;
    }
  }
  if (skipped.length === all.length) throw noHistories(settings.files, skipped.length);
  const total = totalOf(sums, { failed, skipped: skipped.length });
  if (settings.json)
    await print(
      stdout,
      `${JSON.stringify({ version, exitCode, total, files: reports, ...(skipped.length > 0 && { skipped }) }, null, 2)}\n`,
    );
  else if (!settings.quiet) await print(stdout, `\n${totalText(total, skipped)}`);
  return exitCode;
}

async function work(settings, environment) {
  const text = TEXTS[settings.command];
  if (text) {
    await print(environment.stdout, text(settings, environment));
    return EXIT.done;
  }
  if (LOADING[settings.command]) return LOADING[settings.command](settings, environment);
  const { stdout, stderr, env } = environment;
  const progress = new Progress(stderr, { enabled: settings.progress, env });
  try {
    const page = PAGES[settings.command];
    if (page) return await page(environment.loadLibrary(), settings, { ...environment, progress });
    const { arguments: taken } = /** @type {import("./flags.js").Command} */ (commandNamed(settings.command));
    const files = taken.isMany ? filesOf(settings.files) : settings.files.map((file) => ({ file }));
    if (files.length === 0) throw noHistories(settings.files, 0);
    const library = environment.loadLibrary();
    const all = { ...environment, library, progress };
    if (files.length > 1 || "below" in files[0]) return await workOnAll(settings, files, all);
    const { exitCode, report, output } = await workOn(settings, all);
    if (settings.json) {
      await printReport(stdout, `${JSON.stringify({ version, ...report }, null, 2)}\n`, output);
      tellOfOtherNames(output, stderr);
    }
    return exitCode;
  } finally {
    progress.stop();
  }
}

/** Returns true if the report is to be JSON, even if the arguments are wrong. */
const wantsJson = (args) => args.slice(0, args.includes("--") ? args.indexOf("--") : args.length).includes("--json");

/**
 * Runs the command and resolves to its exit code. `loadLibrary` returns the package, and is called only when needed:
 * help does not depend on the addon. `endWith` gets an exit code that is known before all is printed.
 */
async function run(args, { loadLibrary, stdout = process.stdout, stderr = process.stderr, env = process.env, endWith = (_code) => {} }) {
  const begun = performance.now();
  const color = colorOf(args);
  const warn = (sentence) => stderr.write(`roo-condense: ${sentence}\n`);
  const environment = { loadLibrary, stdout, stderr, env, begun, color, warn, endWith };
  try {
    const settings = readArguments(args);
    return await work(settings, environment);
  } catch (thrown) {
    const error = failureOf(thrown);
    const exitCode = error instanceof Failure ? error.exitCode : EXIT.failed;
    tell(error, environment);
    if (wantsJson(args)) {
      const told = { version, exitCode, error: failureJson(error) };
      // If it cannot be printed, the failure is on standard error anyway.
      await print(stdout, `${JSON.stringify(told, null, 2)}\n`).catch(() => {});
    }
    return exitCode;
  }
}

module.exports = { PAGES, LOADING, TEXTS, WORK, run };

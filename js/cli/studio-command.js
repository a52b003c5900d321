"use strict";

// `roo-condense studio`: serves a page about histories on this machine. `roo-condense report`: writes the same page as one file.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { write } = require("./condense-command.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { messagesIn } = require("./history-text.js");
const { Interruption } = require("./interruption.js");
const { checkOutput, replaceInput, writeOutput } = require("./output-file.js");
const { isResultOf, originalBytes, readRestoreFile } = require("./restore-file.js");
const { bytes: shownBytes, visible } = require("./terminal.js");

/** An agent writes a history in several steps. */
const SETTLE_MS = 120;
/** Interval for checking the file where the system reports no changes. */
const POLL_MS = 1000;

/** Watches a file, also if it is replaced by another. Returns a function that ends that. */
function watchFile(file, changed) {
  let timer;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS);
    timer.unref();
  };
  fs.watchFile(file, { interval: POLL_MS, persistent: false }, soon);
  let watcher;
  try {
    // The folder, because the watcher of a replaced file is lost with it.
    watcher = fs.watch(path.dirname(file), { persistent: false }, (_, name) => {
      if (name === null || name === path.basename(file)) soon();
    });
    watcher.on("error", () => watcher.close());
  } catch {
    // Polling is enough.
  }
  return () => {
    clearTimeout(timer);
    fs.unwatchFile(file, soon);
    watcher?.close();
  };
}

/** A history in a file, as a source of the studio's host. */
function fileSource(file, canWrite) {
  // Fails now, with the full message, if it cannot be read.
  let history = readHistory(file);
  const read = () => {
    history = readHistory(file);
    return { messages: history.messages, bytes: history.bytes.length };
  };
  const save = (messages, restoreData) => {
    const condensed = { messages, restoreData, didCondense: true };
    const written = /** @type {NonNullable<ReturnType<typeof write>>} */ (
      write(history, condensed, history.contentWith(messages), { inPlace: true, keepRestoreData: true })
    );
    return { file: written.file, backup: written.backup, restoreData: written.restoreData };
  };
  // As `restore --in-place` does it.
  const undoSave = ({ restoreData }) => {
    history = readHistory(file);
    const data = readRestoreFile(restoreData);
    if (!isResultOf(data, history.bytes))
      throw new Failure(EXIT.failed, `${history.shownName}: another program has written to it since it was saved`);
    return replaceInput(history, originalBytes(data));
  };
  return {
    id: path.resolve(file),
    name: file,
    read,
    watch: (changed) => watchFile(path.resolve(file), changed),
    ...(canWrite && !history.isSession && { save, undoSave }),
  };
}

function openBrowser(address) {
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open", address]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", address]
        : ["xdg-open", address];
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

function hostOf(library, files, { write: canWrite, window }) {
  const histories = files.map((file) => fileSource(file, canWrite));
  const language = /^fr/i.test(process.env.LC_ALL ?? process.env.LC_MESSAGES ?? process.env.LANG ?? "") ? "fr" : undefined;
  return library.createStudioHost(new library.CondensationManager(), {
    histories,
    readText: messagesIn,
    ...(window && { contextWindow: window }),
    ...(language && { language }),
  });
}

/** Serves until it is interrupted. */
async function studio(library, settings, { stdout, loadServer = () => require("../studio/server.js") }) {
  const host = hostOf(library, settings.files, settings);
  let server;
  try {
    server = await loadServer().serveStudio(host);
  } catch (error) {
    host.dispose();
    throw new Failure(EXIT.failed, error.message, { code: error.code ?? "failed", cause: error });
  }
  const interruption = new Interruption(() => {});
  await interruption.during(async () => {
    const words = settings.write ? "Saving writes to the files, each after a backup." : "The page writes nothing; --write lets it save.";
    stdout.write(`${server.address}\n${words} Press Ctrl+C to stop.\n`);
    if (settings.open) openBrowser(server.address);
    if (!interruption.signal.aborted)
      await new Promise((resolve) => interruption.signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  });
  host.dispose();
  await server.close();
  // An interruption is the normal end.
  return interruption.signal.reason === EXIT.interrupted ? EXIT.done : interruption.signal.reason;
}

/** Writes the page about a history as one file. */
async function report(library, settings, { stdout, warn }) {
  const { staticPage } = require("../studio/page.js");
  const { snapshot } = require("../studio/snapshot.js");
  const { file, html, target, force, redact } = settings;
  const history = readHistory(file, warn);
  checkOutput(html, history, force, "--html is the input itself: choose another file");
  const host = hostOf(library, [file], { write: false, window: settings.window });
  try {
    await library.warmUp();
    const percent = target?.percent && Math.floor((library.countTokens(history.messages) * target.percent) / 100);
    const data = await snapshot(host, { targetTokens: target?.tokens ?? percent, redact });
    const page = Buffer.from(staticPage(data, { title: `${redact ? "history" : path.basename(file)}: roo-condense` }));
    if (html === "-") {
      stdout.write(page);
      return EXIT.done;
    }
    writeOutput(html, page, history, force);
    if (!settings.quiet) stdout.write(`${visible(html)}: ${shownBytes(page.length)}${redact ? ", without texts" : ""}\n`);
    return EXIT.done;
  } catch (error) {
    if (error.code === "page_not_built") throw new Failure(EXIT.failed, error.message, { code: error.code, cause: error });
    throw error;
  } finally {
    host.dispose();
  }
}

module.exports = { report, studio };

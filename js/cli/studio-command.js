"use strict";

// `roo-condense studio`: serves a page about histories on this machine. `roo-condense report`: writes the same page as one file.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { write } = require("./condense-command.js");
const { createHandler, readObject } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { readHistory } = require("./history-file.js");
const { historyIn } = require("./history-text.js");
const { Interruption } = require("./interruption.js");
const { checkOutput, replaceInput, writeOutput } = require("./output-file.js");
const { isResultOf, originalBytes, readRestoreFile, restoreFileOf, restoreFilesBeside } = require("./restore-file.js");
const { staticPage } = require("./studio-page.js");
const { findSessions } = require("./sessions.js");
const { settingsStore } = require("./settings-file.js");
const { bytes: shownBytes, visible } = require("./terminal.js");

/** The wait for further changes, since an agent writes a history in several steps. */
const SETTLE_MS = 120;
/** The interval for checking the file if the system reports no changes. */
const POLL_MS = 1000;

/** Watches a file, even if it is replaced by another. Returns a function that stops watching. */
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
    // Watches the folder, because the watcher of a file is lost when the file is replaced.
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

/** Lists the restore data beside a file, the newest last. Each file is read once, because it also contains the whole input. */
function savingsBeside(file) {
  let known = new Map();
  return () => {
    const found = new Map();
    for (const name of restoreFilesBeside(fs.realpathSync(file)).reverse()) {
      const { mtimeMs, size } = fs.statSync(name);
      const old = known.get(name);
      const isSame = old?.mtimeMs === mtimeMs && old.size === size;
      found.set(name, isSame ? old : { mtimeMs, size, saving: savingIn(name) });
    }
    known = found;
    return [...found.values()].flatMap(({ saving }) => saving ?? []);
  };
}

/** Returns the restore data in a file; undefined if it is damaged, as if it were missing. */
function savingIn(name) {
  try {
    const { restoreData } = readRestoreFile(name);
    return { name, restoreData };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * Creates the source of a history in a file for the studio's host. `failed` is called with the failure if it cannot be read; by default it is thrown.
 * @param {string} file
 * @param {{ canWrite: boolean, format?: string | undefined, failed?: ((error: any) => void) | undefined }} options
 */
function fileSource(file, { canWrite, format: named, failed }) {
  let history;
  const read = () => {
    history = readHistory(file, undefined, named);
    const { messages, format, bytes, contentWith } = history;
    return {
      messages,
      format,
      bytes: bytes.length,
      textWith: (changed) => contentWith(changed).toString("utf8"),
      restoreWith: (changed, restoreData) => restoreFileOf(history, contentWith(changed), restoreData),
    };
  };
  try {
    // Read now, so that an unreadable file is reported at once with all details.
    read();
  } catch (error) {
    if (!failed) throw error;
    failed(error);
  }
  const save = (messages, restoreData) => {
    const condensed = { messages, restoreData, didCondense: true };
    const written = /** @type {NonNullable<ReturnType<typeof write>>} */ (
      write(history, condensed, history.contentWith(messages), { inPlace: true, keepRestoreData: true })
    );
    return { file: written.file, backup: written.backup, restoreData: written.restoreData };
  };
  // Works like `restore --in-place`. Replaces the content that was read last, because the messages were made from it.
  const undoSave = (messages, { name }) => {
    const data = readRestoreFile(name);
    return replaceInput(history, isResultOf(data, history.bytes) ? originalBytes(data) : history.contentWith(messages));
  };
  const mayWrite = () => canWrite && history !== undefined && !history.isCopyOnly;
  return {
    id: path.resolve(file),
    name: file,
    read,
    watch: (changed) => watchFile(path.resolve(file), changed),
    get grows() {
      return history?.appends === true;
    },
    savings: savingsBeside(file),
    // A getter, because only reading a file shows whether it can be written.
    get save() {
      return mayWrite() ? save : undefined;
    },
    get undoSave() {
      return mayWrite() ? undoSave : undefined;
    },
  };
}

/** Creates the source of a dropped file for the studio's host. */
function droppedHistory(name, text) {
  const history = historyIn(name, text);
  const restoreWith = (changed, restoreData) =>
    restoreFileOf({ bytes: Buffer.from(text) }, Buffer.from(history.textWith(changed)), restoreData);
  return { ...history, restoreWith };
}

/** Creates the sources of files. Unreadable files cause a warning, and the page shows their failure. If no file is readable, the first failure is thrown. */
function sourcesOf(files, { canWrite, format, warn }) {
  const failures = [];
  const sources = files.map((file) => fileSource(file, { canWrite, format, failed: (error) => failures.push(error) }));
  const isNone = failures.length > 0 && failures.length === files.length;
  for (const { message } of isNone ? failures.slice(1) : failures) warn?.(message);
  if (isNone) throw failures[0];
  return sources;
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

/**
 * @param {any} library
 * @param {string[]} files
 * @param {{ write: boolean, window?: number, recall?: boolean, model?: any, price?: string, settings?: string, format?: string,
 *   warn?: ((sentence: string) => void) | undefined }} settings
 */
function hostOf(library, files, { write: canWrite, window, recall, model, price, settings, format, warn }, env = process.env) {
  // Loaded here, because it loads the addon, which help does not depend on.
  const { createStudioHost } = require("../studio/index.js");
  const histories = sourcesOf(files, { canWrite, format, warn });
  const handler = createHandler(library, model, env, readObject("--price", price));
  const language = /^fr/i.test(env.LC_ALL ?? env.LC_MESSAGES ?? env.LANG ?? "") ? "fr" : undefined;
  return createStudioHost(new library.CondensationManager(handler && { handler }), {
    histories,
    readText: droppedHistory,
    report: staticPage,
    settings: settingsStore(settings),
    sessions: { find: () => findSessions({ env }), open: (file) => fileSource(file, { canWrite }) },
    ...(window && { contextWindow: window }),
    ...(recall && { recall }),
    ...(language && { language }),
  });
}

/** Requests what the page will request first, so that the answer is ready when the browser has started. */
async function prepare(host) {
  let last = 0;
  const ask = async (method, params) => {
    last += 1;
    const { answer, error } = await host.answer({ id: last, method, params });
    if (error) throw new Error(error.message);
    return answer;
  };
  const { histories, contextWindow, targetPercent } = await ask("hello", {});
  if (histories.length === 0) return;
  const about = { history: histories[0].id, ...(contextWindow !== null && { contextWindow }) };
  const { inspection, advice } = await ask("inspect", about);
  const shareOfAll = (percent) => (percent < 100 ? Math.round((inspection.tokens.messages * percent) / 100) : undefined);
  const targetTokens = targetPercent === undefined ? advice.targetTokens : shareOfAll(targetPercent);
  await ask("condense", { ...about, ...(targetTokens !== undefined && { targetTokens }) });
}

/** Serves until it is interrupted. */
async function studio(library, settings, { stdout, env, warn, loadServer = () => require("./studio-server.js") }) {
  const host = hostOf(library, settings.files, { ...settings, warn }, env);
  let server;
  try {
    server = await loadServer().serveStudio(host);
  } catch (error) {
    host.dispose();
    throw new Failure(EXIT.failed, error.message, { code: error.code ?? "failed", cause: error });
  }
  // Errors are reported by the page.
  prepare(host).catch(() => {});
  const interruption = new Interruption(() => {});
  await interruption.during(async () => {
    const words = settings.write ? "Saving writes to the files, each after a backup." : "The page writes nothing; --write lets it save.";
    const asks = settings.model ? ` ${visible(settings.model.model)} runs when you press the button that says what it costs.` : "";
    stdout.write(`${server.address}\n${words}${asks} Press Ctrl+C to stop.\n`);
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
  const { snapshot } = require("../studio/snapshot.js");
  const { file, html, target, force, redact, format } = settings;
  const history = readHistory(file, warn, format);
  checkOutput(html, history, force, "--html is the input itself: choose another file");
  const host = hostOf(library, [file], { write: false, window: settings.window, recall: settings.recall, format });
  try {
    await library.warmUp();
    const percent =
      target?.percent && Math.floor((library.countTokens(history.messages, { format: history.format }) * target.percent) / 100);
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

module.exports = { hostOf, report, studio };

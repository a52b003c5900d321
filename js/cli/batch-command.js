"use strict";

// `roo-condense batch`: condenses files, folders and data sets of any size into a folder, on all cores, and continues
// after an earlier run.

const { createHash } = require("node:crypto");
const { open } = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");
const { DataSet, NOTHING, identityOf, isDataSet, publish, restoreFileOfResult, statOf } = require("./batch-data-set.js");
const { Journal } = require("./batch-journal.js");
const { reportJson, reportText, totalOf } = require("./batch-report.js");
const { condense, readObject } = require("./condensation.js");
const { EXIT, Failure } = require("./exit-codes.js");
const { unreadable } = require("./history-file.js");
const { inOrder } = require("./in-order.js");
const { Interruption, NEVER } = require("./interruption.js");
const { inputsOf, isNoHistory, noHistories } = require("./several.js");
const { print, tell } = require("./telling.js");
const { number, plural, visible } = require("./terminal.js");
const { wholeLines } = require("./whole-lines.js");
const { WorkerPool } = require("./worker-pool.js");
const { version } = require("../../package.json");

/** Bytes of histories in progress or waiting to be written, for each thread. */
const HELD = 16 << 20;

/** Returns the settings that results depend on, with the contents of files instead of their names. */
function settingsOfResults({
  target,
  provider,
  preset,
  config,
  tools,
  protect,
  frozenMessages,
  model,
  fallback,
  price,
  format,
  keepRestoreData,
}) {
  const text = (flag, given) => {
    const object = readObject(flag, given);
    return object && JSON.stringify(object);
  };
  return {
    ...{ target, provider, preset, protect, frozenMessages, model, fallback, format, keepRestoreData },
    ...{ config: text("--config", config), tools: text("--tools", tools), price: text("--price", price) },
  };
}

/** Returns a hash of the settings and this version. */
function hashOf(settings) {
  const plain = (_, value) => (value instanceof RegExp ? `${value}` : value);
  return createHash("sha256")
    .update(JSON.stringify([version, settings], plain))
    .digest("hex");
}

/** Returns the failure of a thread that died, for example because it needs more memory than it may have. */
const deathOf = (error, place) => ({ exitCode: EXIT.failed, code: "failed", message: `${place}: ${error.message}`, hints: [] });

class Batch {
  #out;
  #environment;
  #inputs;
  #journal;
  #pool;
  #signal;
  #begun = performance.now();
  /** The number of inputs that an earlier run had finished. */
  #earlier = 0;
  /** Bytes of the inputs to do, and of those done. */
  #toDo = 0;
  #done = 0;
  #histories = 0;
  /** The data set being written. @type {DataSet | undefined} */
  #written;

  constructor(out, environment, { inputs, journal, pool, signal }) {
    this.#out = out;
    this.#environment = environment;
    this.#inputs = inputs;
    this.#journal = journal;
    this.#pool = pool;
    this.#signal = signal;
  }

  get facts() {
    return { earlier: this.#earlier, ms: performance.now() - this.#begun, bytes: this.#done };
  }

  async run() {
    const left = this.#inputs.filter((input) => !this.#isFinished(input));
    this.#journal.sweep(left.map(({ name }) => name));
    this.#earlier = this.#inputs.length - left.length;
    this.#show();
    try {
      await inOrder(this.#pieces(left), {
        work: (piece) => this.#work(piece),
        commit: (piece, answer) => (piece.count > 0 ? this.#commitLines(piece, answer) : this.#commitFile(piece, answer)),
        // A file is written when its work is done. The result of lines waits for the results of earlier lines.
        weightOf: (piece, answer) => (answer === undefined ? piece.weight : (answer.content?.length ?? 0)),
        limit: HELD * os.availableParallelism(),
        signal: this.#signal,
      });
    } finally {
      this.#written?.close();
    }
  }

  /**
   * Returns true if an earlier run has finished an input and its result is still in place. Failed inputs are tried
   * again, since the reason may be gone.
   */
  #isFinished({ file, name }) {
    const stat = statOf(file);
    const done = stat && this.#journal.doneOf(name, identityOf(file, stat));
    const isFinished =
      done !== undefined && done.at >= done.size && (done.skipped !== undefined || (done.out >= 0 && this.#isWritten(done)));
    if (!isFinished) this.#toDo += (stat?.size ?? 0) - (done?.at ?? 0);
    return isFinished;
  }

  #isWritten({ name, out, restore }) {
    const file = path.join(this.#out, name);
    if (statOf(file)?.size === out) return restore === -1 || statOf(restoreFileOfResult(file))?.size === restore;
    // The earlier run was killed after its last record and before the file was moved.
    const part = this.#journal.partOf(name);
    if (statOf(part)?.size !== out) return false;
    publish(part, file);
    return true;
  }

  /** Yields the work for the threads, in the order of the inputs: files, and lines of data sets. @returns {AsyncGenerator<any>} */
  async *#pieces(inputs) {
    for (const input of inputs) {
      let isLines = false;
      try {
        isLines = await isDataSet(input.file);
      } catch {
        // The error is reported when the file is read.
      }
      if (isLines) yield* this.#piecesOf(input);
      else yield { input, weight: statOf(input.file)?.size ?? 0 };
    }
  }

  /** Yields the pieces of a file. If reading fails, the last piece has an `error`. */
  async *#piecesOf(input) {
    let handle;
    let dataSet;
    try {
      handle = await open(input.file);
      dataSet = new DataSet(input, await handle.stat(), this.#out, this.#journal);
      const { size, at, lines } = dataSet.entry;
      let read = at;
      for await (const piece of wholeLines(handle, { at, size, line: lines + 1 })) {
        read = piece.end;
        yield { input, dataSet, ...piece, weight: piece.bytes?.length ?? 0 };
      }
      if (read < size) throw new Failure(EXIT.unreadable, `${visible(input.file)}: another program shortened it meanwhile`);
    } catch (thrown) {
      const error = thrown instanceof Failure ? thrown : unreadable(input.file, thrown);
      yield { input, dataSet, error, weight: 0 };
    } finally {
      await handle?.close();
    }
  }

  async #work({ input, dataSet, error: unread, bytes, line, count }) {
    const { file, name } = input;
    const stat = statOf(file);
    const failed = (failure) => ({
      ...{ size: stat?.size ?? -1, mtime: stat?.mtimeMs ?? 0, out: -1, restore: -1 },
      ...{ failure, warnings: [] },
    });
    if (unread) return failed({ exitCode: unread.exitCode, code: unread.code, message: unread.message, hints: unread.hints });
    if (dataSet === undefined) {
      const out = path.join(this.#out, name);
      try {
        return await this.#pool.run({ file, out, restore: restoreFileOfResult(out) });
      } catch (error) {
        return failed(deathOf(error, visible(file)));
      }
    }
    const allFail = (error) => ({
      content: new Uint8Array(),
      sums: { ...NOTHING, failed: count },
      failures: Array.from({ length: count }, (_, index) => ({
        line: line + index,
        ...deathOf(error, `${visible(file)}:${line + index}`),
      })),
    });
    if (bytes === undefined) return allFail(new Error("the line is longer than what Node can hold as one text"));
    try {
      const own = new Uint8Array(bytes);
      return await this.#pool.run({ file, bytes: own, line }, [own.buffer]);
    } catch (error) {
      return allFail(error);
    }
  }

  async #commitFile({ input, dataSet, weight }, { size, mtime, out, restore, sums, failure, warnings }) {
    const { file, name, isNamed } = input;
    dataSet?.discard();
    if (warnings.length > 0) this.#environment.progress.pause();
    for (const sentence of warnings) this.#environment.warn(sentence);
    const error = failure && asFailure(failure);
    const isSkipped = error !== undefined && !isNamed && isNoHistory(error);
    if (error && !isSkipped) this.#tell(error);
    this.#journal.note({
      ...{ name, file: path.resolve(file), size, mtime, at: size, from: 0, lines: 0, out, restore },
      sums: sums ?? { ...NOTHING, failed: isSkipped ? 0 : 1 },
      failures: failure && !isSkipped ? [noted(failure)] : [],
      ...(isSkipped && { skipped: failure.message }),
    });
    this.#progress(weight, sums?.histories ?? 0);
  }

  async #commitLines({ dataSet, at, end, count }, { content, sums, failures }) {
    this.#written = dataSet;
    for (const failure of failures) this.#tell(asFailure(failure));
    await dataSet.add({ content, end, lines: count, sums, failures: failures.map(noted) });
    this.#progress(end - at, sums.histories);
  }

  #tell(failure) {
    this.#environment.progress.pause();
    tell(failure, this.#environment);
  }

  #progress(bytes, histories) {
    this.#done += bytes;
    this.#histories += histories;
    this.#show();
  }

  #show() {
    const ms = performance.now() - this.#begun;
    const left = this.#done > 0 ? `, ${timeLeft((ms * (this.#toDo - this.#done)) / this.#done)} left` : "";
    this.#environment.progress.step(`${plural(this.#histories, "history", "histories")}${left}`, this.#done, Math.max(this.#toDo, 1));
  }
}

const asFailure = ({ exitCode, message, hints, code }) => new Failure(exitCode, message, { hints, code });
const noted = ({ line, exitCode, code, message }) => ({ line, exitCode, code, message });

/** Returns a time in the largest suitable unit. */
function timeLeft(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${number(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Refuses wrong settings before any input is read, by condensing a history without messages. Failures that are not about the arguments are ignored. */
async function check(library, settings, env) {
  try {
    await condense(library, { messages: [], bytes: Buffer.alloc(0) }, settings, { env, interruption: NEVER, step() {} });
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === EXIT.usage) throw error;
  }
}

async function batch(library, settings, environment) {
  const { stdout, env, color, progress } = environment;
  const { files, out, json, quiet } = settings;
  const inputs = inputsOf(files, out);
  if (inputs.length === 0) throw noHistories(files, 0);
  const own = settingsOfResults(settings);
  await check(library, own, env);
  const journal = new Journal(out, hashOf(own));
  const pool = new WorkerPool(path.join(__dirname, "batch-worker.js"), {
    size: os.availableParallelism(),
    data: { settings: own, unfinished: journal.folder },
  });
  const interruption = new Interruption(() => progress.stop());
  const { signal } = interruption;
  try {
    const work = new Batch(out, environment, { inputs, journal, pool, signal });
    try {
      await interruption.during(() => work.run());
    } catch (error) {
      throw signal.aborted ? new Failure(signal.reason, "interrupted; the same command goes on from here") : error;
    }
    progress.pause();
    const sum = totalOf(journal, inputs);
    if (sum.total.skipped === inputs.length) throw noHistories(files, inputs.length);
    if (json) for (const part of reportJson(journal, inputs, sum)) await print(stdout, part);
    else if (!quiet) await print(stdout, reportText(sum, { ...work.facts, out, stream: stdout, env, color }));
    return sum.exitCode;
  } finally {
    await pool.close();
    journal.close();
  }
}

module.exports = { batch };

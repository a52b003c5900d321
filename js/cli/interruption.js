"use strict";

// What ends the work early. Until something is written the process may end at once, and does so by itself while the thread is busy; while a condensation
// is under way it is told, so that it ends in order; a second signal does not wait for that.

const { EXIT, Failure } = require("./exit-codes.js");

/** What ends the work early, and the exit code then. */
const SIGNALS = /** @type {[NodeJS.Signals, number][]} */ ([
  ["SIGHUP", EXIT.hungUp],
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
]);

class Interruption {
  #controller = new AbortController();
  #listeners = SIGNALS.map(([signal, exitCode]) => /** @type {const} */ ([signal, () => this.#heard(exitCode)]));
  #atOnce;

  /** `atOnce` tidies up before the process ends without waiting. */
  constructor(atOnce) {
    this.#atOnce = atOnce;
  }

  /** Has the exit code as its reason. */
  get signal() {
    return this.#controller.signal;
  }

  #heard(exitCode) {
    if (!this.signal.aborted) return this.#controller.abort(exitCode);
    this.#atOnce();
    process.exit(exitCode);
  }

  #listen() {
    for (const [signal, listener] of this.#listeners) process.on(signal, listener);
  }

  #stop() {
    for (const [signal, listener] of this.#listeners) process.removeListener(signal, listener);
  }

  /** Runs work that ends when it is told to. */
  async during(work) {
    this.#listen();
    try {
      return await work();
    } finally {
      this.#stop();
    }
  }

  /** Runs work that is done whole, such as writing a file, unless a signal came before. */
  async unbroken(work) {
    this.#listen();
    try {
      // Lets a signal in that came while the thread was busy.
      await new Promise((resolve) => setImmediate(resolve));
      this.check();
      return await work();
    } finally {
      this.#stop();
    }
  }

  /** Throws when a signal came. */
  check() {
    if (this.signal.aborted) throw new Failure(this.signal.reason, "interrupted; nothing was written");
  }
}

module.exports = { Interruption };

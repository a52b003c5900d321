"use strict";

// Handles signals that end the work early. Until something is written, the process may end at once. A running
// condensation is aborted and ends in order; a second signal ends the process without waiting for that.

const { EXIT, Failure } = require("./exit-codes.js");

/** The signals, and their exit codes. */
const SIGNALS = /** @type {[NodeJS.Signals, number][]} */ ([
  ["SIGHUP", EXIT.hungUp],
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
]);

class Interruption {
  #controller = new AbortController();
  #listeners = SIGNALS.map(([signal, exitCode]) => /** @type {const} */ ([signal, () => this.#heard(exitCode)]));
  #atOnce;

  /** `atOnce` cleans up before the process ends without waiting. */
  constructor(atOnce) {
    this.#atOnce = atOnce;
  }

  /** Its reason is the exit code. */
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

  /** Runs work that the signal can abort. */
  async during(work) {
    this.#listen();
    try {
      return await work();
    } finally {
      this.#stop();
    }
  }

  /** Runs work that must not be interrupted, such as writing a file, unless a signal came before. */
  async unbroken(work) {
    this.#listen();
    try {
      // Handles a signal that came while the thread was busy.
      await new Promise((resolve) => setImmediate(resolve));
      this.check();
      return await work();
    } finally {
      this.#stop();
    }
  }

  /** Throws if a signal was received. */
  check() {
    if (this.signal.aborted) throw new Failure(this.signal.reason, "interrupted; nothing was written");
  }
}

/** An interruption that never happens. */
const NEVER = Object.freeze({ signal: new AbortController().signal, during: (work) => work() });

module.exports = { Interruption, NEVER };

"use strict";

// Replaces `timers.js` in browsers (`imports` of package.json), where timers are numbers and do not keep a process
// running.

const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;

/** A timer with the methods of Node's timers that this package uses. */
class Timer {
  #number;
  #start;
  #stop;

  constructor(start, stop) {
    this.#start = start;
    this.#stop = stop;
    this.#number = start();
  }

  ref() {}

  unref() {}

  /** Restarts the timer. */
  refresh() {
    this.stop();
    this.#number = this.#start();
  }

  stop() {
    this.#stop(this.#number);
  }
}

exports.setTimeout = (work, delay) =>
  new Timer(
    () => setTimeout(work, delay),
    (number) => clearTimeout(number),
  );
exports.setInterval = (work, delay) =>
  new Timer(
    () => setInterval(work, delay),
    (number) => clearInterval(number),
  );
exports.clearTimeout = (/** @type {Timer | undefined} */ timer) => timer?.stop();
exports.clearInterval = exports.clearTimeout;
/** Runs a function after all tasks that are due. Uses a message, because timers wait for milliseconds. */
exports.setImmediate = (next) => {
  // A browser's class, which the types of Node lack.
  const { port1, port2 } = /** @type {any} */ (new MessageChannel());
  port1.onmessage = () => {
    port1.close();
    next();
  };
  port2.postMessage(undefined);
};

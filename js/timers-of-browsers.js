"use strict";

// Stands for `timers.js` in browsers (`imports` of package.json), where timers are numbers and keep nothing up.

const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;

/** A timer with what Node's have and this package uses. */
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

  /** Begins to wait anew. */
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
/** After everything that is due: a message, because timers wait for milliseconds. */
exports.setImmediate = (next) => {
  // Of a browser, which the types of Node do not know.
  const { port1, port2 } = /** @type {any} */ (new MessageChannel());
  port1.onmessage = () => {
    port1.close();
    next();
  };
  port2.postMessage(undefined);
};

"use strict";

// Keeps Node running during a call. The addon's own handles are weak, so that a process can end when it only waits
// for a promise of the host that will never settle. While the addon works, this keeps Node running.

const { clearInterval, setInterval } = require("#timers");

/** The longest possible interval; it never elapses. */
const MAX_DELAY_MS = 2 ** 31 - 1;

class KeepAlive {
  /** @type {NodeJS.Timeout | undefined} */
  #timer = setInterval(() => {}, MAX_DELAY_MS);

  /** The addon is working. */
  working() {
    this.#timer?.ref();
  }

  /** Only the host's own promise is awaited. */
  waiting() {
    this.#timer?.unref();
  }

  /** The call has ended. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

module.exports = { KeepAlive };

"use strict";

// Keeps Node running during a call. The addon's own handles are weak, so that a process can end when it only waits
// for a promise of the host that will never settle. While the addon works, this keeps Node running.

const { clearInterval, setInterval } = require("#timers");

/** The longest possible interval; it never elapses. */
const MAX_DELAY_MS = 2 ** 31 - 1;

class KeepAlive {
  /** @type {NodeJS.Timeout | undefined} */
  #timer = setInterval(() => {}, MAX_DELAY_MS);

  /** Keeps Node running while the addon works. */
  working() {
    this.#timer?.ref();
  }

  /** Lets Node end while only the host's own promise is awaited. */
  waiting() {
    this.#timer?.unref();
  }

  /** Releases Node at the end of the call. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

module.exports = { KeepAlive };

"use strict";

// Whether Node has to stay up for a call. The addon's own handles are weak, so that a process ends when all that is left is a promise
// of the host's that nobody will keep; while the addon works, this keeps Node up.

const { clearInterval, setInterval } = require("#timers");

/** The longest interval there is; it is never waited for. */
const MAX_DELAY_MS = 2 ** 31 - 1;

class KeepAlive {
  /** @type {NodeJS.Timeout | undefined} */
  #timer = setInterval(() => {}, MAX_DELAY_MS);

  /** The addon works. */
  working() {
    this.#timer?.ref();
  }

  /** Only the host's own promise is waited for. */
  waiting() {
    this.#timer?.unref();
  }

  /** The call is over. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

module.exports = { KeepAlive };

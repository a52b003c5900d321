"use strict";

// A call of the drop-in in progress. The host continues meanwhile: it may append to its history, go back to an
// earlier message, or abort the signal while one of its own functions hangs.

const { onAbort } = require("../abort.js");
const { argumentError, messageOf } = require("../errors.js");
const { clearTimeout, setTimeout } = require("../event-loop.js");
const { CANCELLED, HISTORY_CHANGED } = require("./messages.js");

/** The value that `wait` rejects with when the signal fires. */
const STOPPED = Symbol("stopped");
/** Milliseconds for a manager or a module of the host to end after the signal has fired; those of this package take a few. */
const CLOSING_MS = 500;

class UnderWay {
  /** The history as it was at the start of the call, unaffected by the host's changes to its own array. */
  messages;
  signal;
  /** The fields of a response that are known even if the call ends early. */
  known = { cost: 0 };
  /** Stops listening to the signal. */
  end = () => {};
  #live;
  #contents;
  /**
   * Rejects when the signal fires.
   * @type {Promise<never> | undefined}
   */
  #stopped;

  constructor(live, signal) {
    this.messages = Array.from(live);
    this.signal = signal;
    this.#live = live;
    this.#contents = this.messages.map((message) => [message?.content, message?.content?.length]);
    if (!signal) return;
    this.#stopped = new Promise((_, reject) => (this.end = listen(signal, () => reject(STOPPED))));
    // It may reject while nothing waits for it.
    this.#stopped.catch(() => {});
  }

  /** Resolves like `answer`, a promise from a function of the host; rejects with `STOPPED` once the signal has fired. */
  async wait(answer) {
    return this.#stopped ? Promise.race([this.#stopped, answer]) : answer;
  }

  /** Does the same for a function that listens to the signal itself: it gets a short time to end, and to report its cost. */
  async waitForEnd(answer) {
    if (!this.#stopped) return answer;
    let isOver = false;
    let timer;
    const late = this.#stopped.catch(
      (stopped) => new Promise((_, reject) => (timer = isOver ? undefined : setTimeout(reject, CLOSING_MS, stopped))),
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Returns a handler that counts, and stops waiting when the signal fires. */
  counting(apiHandler) {
    return { countTokens: (content) => this.wait(apiHandler.countTokens(content)) };
  }

  /**
   * Returns the response of the call for the current history. `behind(messages, arrived, before)` appends the
   * messages added meanwhile to those made from `before`. A history that was changed in any other way stays as it is:
   * the result would bring back messages that the host has removed.
   */
  settled(response, behind) {
    const live = this.#live;
    if (response.messages === this.messages) return { ...response, messages: live };
    if (!this.#isAsItWas()) return { ...this.known, messages: live, summary: "", cost: response.cost, error: HISTORY_CHANGED };
    // A host that condenses by a function of its own may already have included them.
    const seen = new Set(response.messages);
    const arrived = live.slice(this.messages.length).filter((message) => !seen.has(message));
    return arrived.length === 0 ? response : { ...response, messages: behind(response.messages, arrived, this.messages) };
  }

  /** Does the same, and again in a microtask before the host continues, so that changes made by code queued earlier are still seen. */
  delivered(response, behind) {
    const delivered = { ...this.settled(response, behind) };
    const [length, newest] = [this.#live.length, this.#live.at(-1)];
    queueMicrotask(() => {
      if (this.#live.length === length && this.#live.at(-1) === newest) return;
      for (const name of Object.keys(delivered)) delete delivered[name];
      Object.assign(delivered, this.settled(response, behind));
    });
    return delivered;
  }

  cancelled() {
    return { ...this.known, messages: this.#live, summary: "", error: CANCELLED };
  }

  #isAsItWas() {
    return this.messages.every((message, index) => {
      const [content, length] = this.#contents[index];
      return this.#live[index] === message && message?.content === content && content?.length === length;
    });
  }
}

function listen(signal, stop) {
  try {
    return onAbort(signal, stop);
  } catch (error) {
    const message = `host.signal cannot be listened to: ${messageOf(error)}; allowed: an AbortSignal`;
    throw Object.assign(argumentError("invalid_argument", message, error), { field: "host.signal" });
  }
}

/**
 * Runs `work(call)` on the current history. Resolves to a function that returns its response, adjusted to the host's
 * array at that time; if the signal fires, a response that says so.
 * @param {{ messages: any[], signal: AbortSignal | undefined, behind: (messages: any[], arrived: any[], before: any[]) => any[] }} given
 * @param {(call: UnderWay) => Promise<any>} work
 */
async function underWay({ messages, signal, behind }, work) {
  const call = new UnderWay(messages, signal);
  try {
    const { cancelled, ...response } = await work(call);
    return () => call.delivered(response, behind);
  } catch (error) {
    if (error !== STOPPED) throw error;
    return () => call.cancelled();
  } finally {
    call.end();
  }
}

module.exports = { STOPPED, underWay };

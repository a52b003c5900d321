"use strict";

// A call of the drop-in while it is under way. The host goes on meanwhile: it appends to its history, goes back to an earlier message, or aborts the
// signal while one of its own functions hangs.

const { onAbort } = require("../abort.js");
const { argumentError, messageOf } = require("../errors.js");
const { clearTimeout, setTimeout } = require("#timers");
const { CANCELLED, HISTORY_CHANGED } = require("./messages.js");

/** What `wait` rejects with when the signal fires. */
const STOPPED = Symbol("stopped");
/** Milliseconds that a manager or a module of the host is given to end after the signal has fired; those of this package take a few. */
const CLOSING_MS = 500;

class UnderWay {
  /** The history as it was when the call began: what the host does to its own array changes nothing here. */
  messages;
  signal;
  /** What a response has although the call was ended before its end. */
  known = { cost: 0 };
  /** Ends the listening to the signal. */
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
    // It may fire while nothing is waited for.
    this.#stopped.catch(() => {});
  }

  /** Resolves like `answer`, which a function of the host has returned; rejects with `STOPPED` once the signal has fired. */
  async wait(answer) {
    return this.#stopped ? Promise.race([this.#stopped, answer]) : answer;
  }

  /** The same for what hears the signal itself: it is given a moment to end, and to say what it cost. */
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

  /** The handler as it is asked for counts. */
  counting(apiHandler) {
    return { countTokens: (content) => this.wait(apiHandler.countTokens(content)) };
  }

  /**
   * The response of the call for the history as it is by now. `behind(messages, arrived, before)` puts what was appended meanwhile behind what was made of
   * `before`. A history that was changed in any other way stays as it is: what was made would bring back what the host has taken out.
   */
  settled(response, behind) {
    const live = this.#live;
    if (response.messages === this.messages) return { ...response, messages: live };
    if (!this.#isAsItWas()) return { ...this.known, messages: live, summary: "", cost: response.cost, error: HISTORY_CHANGED };
    // A host that condenses by a function of its own may have seen them there.
    const seen = new Set(response.messages);
    const arrived = live.slice(this.messages.length).filter((message) => !seen.has(message));
    return arrived.length === 0 ? response : { ...response, messages: behind(response.messages, arrived, this.messages) };
  }

  /** The same for the host, which goes on behind what waits for its turn already: what that does to the history is still seen. */
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
 * Runs `work(call)` on the history as it is now. Resolves to a function that gives its response, settled with the host's own array as it is by then; when the
 * signal fires, one that says so.
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

"use strict";

// Sends one request to a handler of the host, and reads its async generator to the end, on the thread to which it
// belongs.

const { countTokens: tokensOf } = require("./count.js");
const { messageOf: wordsOf, shown } = require("./errors.js");
const { Turns } = require("./event-loop.js");
const { watch } = require("./host-call.js");
const { clearTimeout, setTimeout } = require("#timers");

/** Maximum characters of a response, the same as an HTTP handler's default. */
const MAX_TEXT_UNITS = 8 * 1024 * 1024;
/** Maximum characters kept for counting, about 128,000 tokens: models write no more in one response. */
const MAX_COUNTED_UNITS = 512 * 1024;
/** Milliseconds that a generator has to end when told to; the caller already has its result by then. */
const CLOSING_MS = 15;

/** Errors of handlers that were still working. */
const WAITING = new Set(["aborted", "first_chunk_late", "next_chunk_late"]);

/** The outcome of a request without a response. */
class Fault {
  constructor(kind, message, extra) {
    this.kind = kind;
    this.message = message;
    Object.assign(this, extra);
  }
}

const messageOf = (error) => wordsOf(error).slice(0, 2000).toWellFormed();

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/** Waits for promises one after the other, but only until `stop` is called. */
class Waiter {
  #stopped;
  #give;

  /** Resolves like `promise`, or throws the error that stopped it. */
  wait(promise) {
    if (this.#stopped) {
      watch(promise);
      throw this.#stopped;
    }
    return new Promise((resolve, reject) => {
      this.#give = reject;
      // A promise may settle later without a waiting caller; its rejection is handled all the same.
      Promise.resolve(promise).then(resolve, (error) => reject(new Thrown(error)));
    });
  }

  get isStopped() {
    return this.#stopped !== undefined;
  }

  stop(fault) {
    this.#stopped ??= fault;
    this.#give?.(this.#stopped);
  }
}

/** Distinguishes values thrown by the host from our own errors. */
class Thrown {
  constructor(error) {
    this.error = error;
  }
}

const count = (value) => (Number.isFinite(value) && value > 0 ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : 0);

function readUsage(chunk) {
  const usage = {
    inputTokens: count(chunk.inputTokens),
    outputTokens: count(chunk.outputTokens),
    cacheWriteTokens: count(chunk.cacheWriteTokens),
    cacheReadTokens: count(chunk.cacheReadTokens),
  };
  const { totalCost } = chunk;
  if (Number.isFinite(totalCost) && totalCost >= 0) usage.totalCost = totalCost;
  return usage;
}

/** Number of characters counted together. Large enough that the inexact count at the boundaries does not matter. */
const COUNTED_TOGETHER = 512;

/** Collects the chunks of a response up to a number of tokens, reasoning included, because more is not paid for. */
class Answer {
  text = "";
  usage;
  /** The text since the last usage, reasoning included. */
  #unreported = "";
  #begun = false;
  /** True if the model called a tool, in which case the text before it is not a response. */
  called = false;
  #left;
  /** The text not yet deducted from `#left`. */
  #uncounted = "";

  constructor(maxTokens = Number.POSITIVE_INFINITY) {
    this.#left = maxTokens;
  }

  /** True if the limit of tokens is reached. */
  get isFull() {
    // A text has at most as many tokens as bytes, and hardly ever so few that counting it is worthwhile.
    if (this.#left > 4 * this.#uncounted.length) return false;
    if (this.#uncounted.length > 64 * this.#left) return true;
    const tokens = tokensOf(this.#uncounted);
    if (this.#uncounted.length >= COUNTED_TOGETHER) {
      this.#left -= tokens;
      this.#uncounted = "";
      return this.#left <= 0;
    }
    return tokens >= this.#left;
  }

  /** Returns usage that may be charged for beyond the usage reported. `asked`: true if the request is charged for even without a response. */
  unreported(asked) {
    return { questions: this.usage === undefined && (asked || this.#begun) ? 1 : 0, text: this.#unreported.toWellFormed() };
  }

  #came(text) {
    this.#begun = true;
    if (this.#left !== Number.POSITIVE_INFINITY) this.#uncounted += text;
    const room = MAX_COUNTED_UNITS - this.#unreported.length;
    if (room > 0) this.#unreported += room < text.length ? text.slice(0, room) : text;
  }

  add(chunk) {
    switch (isObject(chunk) ? chunk.type : undefined) {
      case "text": {
        const { text } = chunk;
        if (typeof text === "string") {
          this.text += text;
          this.#came(text);
        }
        if (this.text.length > MAX_TEXT_UNITS) throw new Fault("too_large", "", { limit: MAX_TEXT_UNITS });
        break;
      }
      case "tool_call":
      case "tool_call_start":
      case "tool_call_partial":
        this.called = true;
        break;
      case "reasoning": {
        const { text } = chunk;
        if (typeof text === "string") this.#came(text);
        break;
      }
      case "usage":
        // The last usage is the complete one.
        this.usage = readUsage(chunk);
        this.#unreported = "";
        break;
      case "error": {
        const said = [chunk.error, chunk.message].filter((part) => part !== undefined && part !== null).map(messageOf);
        throw new Fault("error_chunk", [...new Set(said)].join(": ") || "an error chunk without a message");
      }
    }
  }
}

function iteratorOf(stream) {
  const iterator = isObject(stream) ? (stream[Symbol.asyncIterator]?.() ?? stream[Symbol.iterator]?.()) : undefined;
  if (typeof iterator?.next !== "function")
    throw new Fault("not_iterable", `createMessage() returned ${shown(stream)}; expected an async generator`);
  return iterator;
}

/** Calls the host; what it throws is kept apart from our own errors. */
function host(call) {
  try {
    return call();
  } catch (error) {
    throw error instanceof Fault ? error : new Thrown(error);
  }
}

/** Lets the generator run its `finally`, but waits only briefly for it. */
async function close(iterator) {
  let timer;
  try {
    const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSING_MS)));
    await Promise.race([watch(iterator.return?.()), late]);
  } catch {
    // The generator did not end in time, and no caller is waiting for this error.
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a system prompt as one text. */
const textOf = (system) => (Array.isArray(system) ? system.map(({ text }) => text).join("\n\n") : (system ?? ""));

/** Calls `api` and reads its generator to the end. `onStop` receives the function that ends it early. Resolves to the reply for the addon. */
async function drain(api, { system, messages, maxTokens, host: appendedTo }, idleTimeoutMs, onStop, causes) {
  const answer = new Answer(maxTokens);
  const waiter = new Waiter();
  const turns = new Turns();
  onStop(() => waiter.stop(new Fault("aborted", "aborted")));
  let chunks = 0;
  const timer = setTimeout(
    () => waiter.stop(new Fault(chunks === 0 ? "first_chunk_late" : "next_chunk_late", "", { limit: idleTimeoutMs })),
    idleTimeoutMs,
  );
  timer.unref?.();
  let iterator;
  let ended = false;
  try {
    // A question appended to the host's own request uses that request's system prompt, messages and tools.
    const asked = appendedTo
      ? [textOf(appendedTo.system), appendedTo.messages, { tools: appendedTo.tools ?? undefined }]
      : [system, messages];
    let stream = host(() => api.createMessage(...asked));
    // An async function that returns a generator needs one more `await`.
    if (typeof stream?.then === "function") stream = await waiter.wait(stream);
    iterator = host(() => iteratorOf(stream));
    for (;;) {
      let step;
      try {
        step = await waiter.wait(host(() => iterator.next()));
      } catch (error) {
        // A generator that threw has ended.
        ended = error instanceof Thrown;
        throw error;
      }
      if (!isObject(step)) throw new Fault("not_iterable", `next() returned ${shown(step)}; expected { done, value }`);
      if (step.done) {
        ended = true;
        return { text: answer.called ? "" : answer.text.toWellFormed(), usage: answer.usage };
      }
      chunks++;
      timer.refresh();
      host(() => answer.add(step.value));
      if (answer.isFull)
        return { text: answer.text.toWellFormed(), usage: answer.usage, unreported: answer.unreported(true), truncated: true };
      const pause = turns.afterChunk();
      if (pause) await waiter.wait(pause);
    }
  } catch (error) {
    // If the handler was still working, the request was sent. If it threw before a response began, the service
    // usually refused the request.
    const unreported = answer.unreported(error instanceof Fault && WAITING.has(error.kind));
    return { usage: answer.usage, unreported, failure: failure(error, causes) };
  } finally {
    clearTimeout(timer);
    if (iterator && !ended) {
      const closing = close(iterator);
      // After a stop, the caller does not wait for the generator to end.
      if (!waiter.isStopped) await closing;
    }
  }
}

function failure(error, causes) {
  if (error instanceof Fault) return { ...error };
  const thrown = error instanceof Thrown ? error.error : error;
  causes.push(thrown);
  return { kind: "threw", message: messageOf(thrown), cause: causes.length - 1 };
}

/**
 * Returns the function that the addon calls with requests to `api`. It always resolves; failures are in the reply.
 * Values thrown by the host are kept in `causes` and referred to by their number there.
 */
function handlerCallback(api, idleTimeoutMs, causes) {
  const running = new Map();
  return async (json) => {
    try {
      const request = JSON.parse(json);
      if (request.stop !== undefined) {
        running.get(request.stop)?.();
        return "{}";
      }
      if (request.count !== undefined) return JSON.stringify({ tokens: await countTokens(api, request.count) });
      try {
        return JSON.stringify(await drain(api, request, idleTimeoutMs, (stop) => running.set(request.id, stop), causes));
      } finally {
        running.delete(request.id);
      }
    } catch (error) {
      return JSON.stringify({ failure: failure(error, causes) });
    }
  };
}

async function countTokens(api, blocks) {
  const tokens = await api.countTokens(blocks);
  if (!Number.isFinite(tokens) || tokens < 0) throw new TypeError(`countTokens() returned ${shown(tokens)}; expected a number of tokens`);
  return Math.ceil(tokens);
}

module.exports = { handlerCallback };

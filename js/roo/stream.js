"use strict";

// Reads the answer of an ApiHandler to its end.

const { Turns } = require("../event-loop.js");
const { tell } = require("../host-call.js");
const { STOPPED } = require("./under-way.js");

/**
 * Reads the stream that `start()` returns. Resolves to the joined text, the cost and output tokens of the last `usage` chunk, and
 * `failure` when the stream threw, `cancelled` when the signal fired. With `errorChunks` an `error` chunk ends it as a failure that is
 * `reported`; Roo-Code ignores those chunks.
 * @param {() => any} start
 * @param {{ running: any, errorChunks?: boolean }} options
 */
async function readAnswer(start, { running, errorChunks = false }) {
  /** @type {{ text: string, cost: number, outputTokens: number, cancelled: boolean, failure?: { error: any, reported?: boolean } }} */
  const answer = { text: "", cost: 0, outputTokens: 0, cancelled: false };
  const turns = new Turns();
  try {
    if (running.signal?.aborted) return { ...answer, cancelled: true };
    const started = start();
    // An async function that returns a generator yields a promise for the stream.
    const stream = typeof started?.then === "function" ? await running.wait(started) : started;
    for await (const chunk of running.signal ? until(running, stream) : stream) {
      if (chunk.type === "text") {
        answer.text += chunk.text;
      } else if (chunk.type === "usage") {
        answer.cost = chunk.totalCost ?? 0;
        answer.outputTokens = chunk.outputTokens ?? 0;
      } else if (chunk.type === "error" && errorChunks) {
        const message = chunk.message || chunk.error || "the stream reported an error without a message";
        answer.failure = { error: new Error(message), reported: true };
        break;
      }
      await turns.afterChunk();
    }
  } catch (failure) {
    if (failure === STOPPED) answer.cancelled = true;
    else answer.failure = { error: failure };
  }
  return answer;
}

/** Yields the chunks of a stream until the signal fires. A stream that hangs is abandoned; its `finally` runs when it continues. */
async function* until(running, stream) {
  const iterator = stream[Symbol.asyncIterator]?.() ?? stream[Symbol.iterator]();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await running.wait(iterator.next());
      if (done) {
        ended = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!ended) tell(() => iterator.return?.());
  }
}

/** Returns true for an error of any realm: errors of tests and of `vm` contexts are not instances of this realm's `Error`. */
const isError = (value) => value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";

/** Describes a failed request for the person who has to fix it. */
function describeFailure(error) {
  if (!isError(error)) return { message: String(error), details: String(error) };
  const { status, code, response, body } = /** @type {Error & Record<string, unknown>} */ (error);
  const lines = [`Error: ${error.message}`];
  if (status) lines.push(`HTTP Status: ${status}`);
  if (code) lines.push(`Error Code: ${code}`);
  for (const [title, value] of [
    ["API Response", response],
    ["Error Body", body],
  ]) {
    if (value) lines.push(`${title}:\n${asText(value)}`);
  }
  return { message: error.message, details: lines.join("\n\n") };
}

function asText(value) {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return String(value);
  }
}

module.exports = { describeFailure, isError, readAnswer };

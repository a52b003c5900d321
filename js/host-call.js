"use strict";

// Calls functions of the host. Errors and rejections are caught here even if the result is ignored, because Node ends a
// process with an unhandled rejection. Awaited results use `await` within `try`; all other calls use these functions.

/** If a host function's result is a promise, handles its rejection by calling `failed` with it. */
async function watch(returned, failed) {
  try {
    await returned;
  } catch (error) {
    failed?.(error);
  }
}

/** Calls a host function whose result is ignored. `failed` is called with the thrown error or, later, with the rejection. */
function tell(call, failed) {
  answerOf(() => void watch(call(), failed), failed);
}

/**
 * Returns the immediate result of a host function; undefined if it throws. A promise is returned like any other value,
 * but its rejection is handled.
 */
function answerOf(call, failed) {
  try {
    const answer = call();
    if (typeof answer === "object" && answer !== null) watch(answer);
    return answer;
  } catch (error) {
    failed?.(error);
    return undefined;
  }
}

module.exports = { answerOf, tell, watch };

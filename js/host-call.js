"use strict";

// Functions of the host. What one throws, or its promise is rejected with, is caught here, also where nobody waits for it: Node ends a
// process in which nobody handles a rejection. Who waits for an answer uses `await` within `try`; for everything else there is this.

/** Handles the rejection of what a function of the host returned, if it is a promise; `failed` is told of it. */
async function watch(returned, failed) {
  try {
    await returned;
  } catch (error) {
    failed?.(error);
  }
}

/** Calls a function of the host whose answer is of no interest. `failed` is told what it throws or, later, what its promise is rejected with. */
function tell(call, failed) {
  answerOf(() => void watch(call(), failed), failed);
}

/** What a function of the host answers at once; undefined if it throws. A promise is an answer like any other, but its rejection is handled. */
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

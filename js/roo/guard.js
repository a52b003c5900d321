"use strict";

// Stops automatic condensing that repeatedly fails or saves almost nothing. Otherwise, a file larger than the window, for example,
// would cost a request each turn.

const { STOPPED } = require("./under-way.js");

/** Maximum number of tasks that are remembered; a host rarely runs more than a few at a time. */
const REMEMBERED_TASKS = 100;

/**
 * Counts, for each task, automatic condensations in a row that failed or saved less than `minGainPercent`. After
 * `attempts` of them none is due until `windowMs` have passed since the end of the last one. The time counts from the
 * end because a summary can take longer than the window.
 *
 * The manager's guard (`src/manager/guard.rs`) does the same; this one works without a binary.
 * `fixtures/shared/guard.json` tests both.
 */
class Guard {
  #limits;
  #tasks = new Map();

  constructor(limits) {
    this.#limits = limits;
  }

  refuses(taskId) {
    const known = this.#known(taskId);
    return known !== undefined && known.poor >= this.#limits.attempts;
  }

  /** Records the result of an attempt; `after` is undefined if the condensation failed. */
  record(taskId, before, after) {
    const poor = (this.#known(taskId)?.poor ?? 0) + 1;
    this.#tasks.delete(taskId);
    if (after !== undefined && before > 0 && (100 * (before - after)) / before >= this.#limits.minGainPercent) return;
    this.#tasks.set(taskId, { poor, ended: Date.now() });
    if (this.#tasks.size > REMEMBERED_TASKS) this.#tasks.delete(this.#tasks.keys().next().value);
  }

  #known(taskId) {
    const known = this.#tasks.get(taskId);
    return known && Date.now() - known.ended <= this.#limits.windowMs ? known : undefined;
  }
}

/** Runs an automatic condensation unless the guard refuses it. `attempt` returns a response with `error` or `newContextTokens`. */
async function guarded(guard, { taskId, isAutomatic, before }, refusal, attempt) {
  if (!guard || !isAutomatic) return attempt();
  if (guard.refuses(taskId)) return refusal();
  let after;
  let cancelled = false;
  try {
    const response = await attempt();
    if (response.error === undefined) after = response.newContextTokens;
    cancelled = response.cancelled;
    return response;
  } catch (error) {
    cancelled = error === STOPPED;
    throw error;
  } finally {
    if (!cancelled) guard.record(taskId, before(), after);
  }
}

module.exports = { Guard, guarded };

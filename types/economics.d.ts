// Deciding by cost whether a condensation pays.

import type { EconomicDecision, Warning } from "./data.js";
import type { CondensationError } from "./errors.js";

/** The result of `manager.decide()`. */
export interface EconomicAdvice extends EconomicDecision {
  warnings: Warning[];
}

/** The result of `manager.decide()` if nothing could be decided. */
export interface EconomicFailure {
  /** Why. */
  error: CondensationError;
  condense: false;
  warnings: Warning[];
}

// Deciding by cost whether a condensation pays.

import type { CondensationError } from "./errors.js";
import type { Warning } from "./warnings.js";
import type { ProviderId } from "./options.js";
import type { Said } from "./words.js";

/** A decision by cost. */
export interface EconomicDecision {
  /** Whether to condense now. */
  condense: boolean;
  /** The id of the provider; absent if it does not condense. */
  provider?: ProviderId;
  /** The target in tokens, counted like `totalTokens`; absent if it does not condense, or if the trigger decides. */
  targetTokens?: number;
  /** Dollars saved over all expected requests, minus the cost; negative if it costs more. */
  saves: number;
  /** Immediate cost in dollars: of summaries, and of the next request if that becomes more expensive. */
  costs: number;
  /** Dollars that earlier requests paid to read what would be removed. */
  carried: number;
  /**
   * - `pays`: it condenses, or would
   * - `waits`: it would pay, but waiting is cheaper until `carried` reaches `costs`
   * - `does_not_pay`: with so few expected requests, it costs more than it saves
   * - `clears_too_little`: less than `clearAtLeast`
   * - `nothing_to_gain`: nothing would become smaller, or the conversation is too small
   * - `window`: the next response would not fit, so cost does not matter
   * - `price_unknown`: the trigger decides
   */
  code: "pays" | "waits" | "does_not_pay" | "clears_too_little" | "nothing_to_gain" | "window" | "price_unknown";
  /** The reason for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** Whether the last request is still cached. */
  warm: boolean;
  /** The number of expected requests. */
  expectedRequests: number;
  /** Tokens freed, counted like `totalTokens`; 0 without a dry run. */
  tokensFreed: number;
}

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

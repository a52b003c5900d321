// Deciding by money: whether a condensation pays.

import type { CondensationError } from "./errors.js";
import type { Warning } from "./warnings.js";
import type { Said } from "./words.js";

/**
 * What a decision by money goes by. A condensation makes the prompt cache of the model's provider miss once, from the first change on, and makes every later request
 * smaller; what both come to is reckoned with the price of the conversation's model (`price` of the call, its handler or profile).
 */
export interface EconomicsOptions {
  /** Requests still to come, the next one included, 0 to 1,000,000. Default: as many as the conversation has messages of the assistant, 1 to 200. */
  expectedRequests?: number | undefined;
  /** Milliseconds since the last request. Default: the cache is warm. */
  msSinceLastRequest?: number | undefined;
  /** Milliseconds for which the model's provider keeps a prompt after a request. Default: 300,000, as with Anthropic. */
  cacheLifetimeMs?: number | undefined;
  /**
   * Tokens that a condensation leaves, as `totalTokens` counts them; `targetTokens` of the call wins. Fewer cost less and lose more. Default: 40,000, but no more than half
   * of what the window allows.
   */
  targetTokens?: number | undefined;
  /** Tokens that a condensation must free, as `totalTokens` counts them, to be done. Default: a quarter of `targetTokens`. */
  clearAtLeast?: number | undefined;
  /**
   * Which copy of what is repeated the provider `lossless` leaves while the cache is warm: with `first` more of the beginning stays as it is in the cache. `keep` in `config`
   * wins. Default: `first`.
   */
  keep?: "first" | "last" | undefined;
  /** Messages of the last request. Default: all before the last one of the assistant. */
  sentMessages?: number | undefined;
}

/** What was decided by money. */
export interface EconomicDecision {
  /** Whether to condense now. */
  condense: boolean;
  /** With whom; absent where it is not done. */
  provider?: string;
  /** To how many tokens, as `totalTokens` counts them; absent where it is not done, or where the trigger decides. */
  targetTokens?: number;
  /** Dollars that it saves over all requests to come, what it costs taken off; below 0 where it costs more. */
  saves: number;
  /** Dollars that it costs at once: what summaries cost, and what the next request costs more; 0 where that costs less. */
  costs: number;
  /** Dollars that the requests so far paid to read what would go. */
  carried: number;
  /**
   * - `pays`: it is done, or would be
   * - `waits`: it would pay, but waiting is cheaper until `carried` is as much as `costs`
   * - `does_not_pay`: so few requests are to come that it costs more than it saves
   * - `clears_too_little`: less than `clearAtLeast`
   * - `nothing_to_gain`: nothing would become smaller, or so few tokens are there that not enough could
   * - `window`: the next answer would not fit, so money is not asked
   * - `price_unknown`: the trigger decides
   */
  code: "pays" | "waits" | "does_not_pay" | "clears_too_little" | "nothing_to_gain" | "window" | "price_unknown";
  /** The same for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** Whether the cache still has the last request. */
  warm: boolean;
  /** Requests to come that it goes by. */
  expectedRequests: number;
  /** Tokens that it frees, as `totalTokens` counts them; 0 where nothing was tried. */
  tokensFreed: number;
}

/** What `manager.decide()` says. */
export interface EconomicAdvice extends EconomicDecision {
  warnings: Warning[];
}

/** What `manager.decide()` says where nothing could be decided. */
export interface EconomicFailure {
  /** Why. */
  error: CondensationError;
  condense: false;
  warnings: Warning[];
}

// Deciding by cost whether a condensation pays.

import type { CondensationError } from "./errors.js";
import type { Warning } from "./warnings.js";
import type { ProviderId } from "./providers.js";
import type { Said } from "./words.js";

/**
 * Facts for a decision by cost. A condensation invalidates the prompt cache once, from the first change on, and makes every later request smaller. Both effects
 * are computed with the price of the conversation's model (`price` of the call, its handler or profile).
 */
export interface EconomicsOptions {
  /** Number of requests to expect, including the next one, 0 to 1,000,000. Default: the number of assistant messages so far, 1 to 200. */
  expectedRequests?: number | undefined;
  /** Milliseconds since the last request. Default: the cache is warm. */
  msSinceLastRequest?: number | undefined;
  /** Lifetime of the prompt cache after a request, in milliseconds. Default: 300,000, like Anthropic's. */
  cacheLifetimeMs?: number | undefined;
  /**
   * Target in tokens, counted like `totalTokens`; the call's `targetTokens` wins. A smaller target costs less and loses more. Default: 40,000, or half of what
   * the window allows if that is less.
   */
  targetTokens?: number | undefined;
  /** Smallest number of tokens to free, counted like `totalTokens`. Default: a quarter of `targetTokens`. */
  clearAtLeast?: number | undefined;
  /**
   * Which copy of repeated content the provider `lossless` keeps while the cache is warm; `first` keeps more of the beginning cached. `keep` in `config` wins.
   * Default: `first`.
   */
  keep?: "first" | "last" | undefined;
  /** Number of messages in the last request. Default: all before the last one of the assistant. */
  sentMessages?: number | undefined;
}

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

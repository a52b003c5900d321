// Warnings about calls that did not fail.

import type { Said } from "./words.js";

/**
 * `code` of a {@link Warning}:
 *
 * - `target_not_met`: what must be kept is more than the target
 * - `provider_failed`: a provider failed, and a fallback ran; the message names the provider and the error code
 * - `unknown_provider`: `fallback` or a strategy names a provider that is not registered; the others ran
 * - `invalid_threshold`: a profile's own threshold is invalid; the global one applied
 * - `handler_invalid`: a handler has no `createMessage()` and was skipped; `handler_missing`: a profile has none, and another handler wrote its summaries
 * - `no_handler`: a pass of the smart provider or a strategy needs an LLM, and there is no handler
 * - `pass_failed`: a pass of the smart provider failed and was skipped; `summary_failed`: a summary failed and its text was left as it was, or an incomplete
 *   one could not be requested again
 * - `summary_incomplete`: a summary misses items it must keep; in a preview, it may have to be requested a second time for that (`summaryCheck`)
 * - `preparation_stale`: a prepared condensation was discarded: the conversation's first messages have changed, or it could not be applied
 * - `override_unused`: a pass of the smart provider has an override for a message that it does not select, or that does not exist
 * - `dear_summaries`: custom passes, or the preset `selective`, request summaries that cost more than one summary of the whole conversation; other presets
 *   never do
 * - `reduction_too_small`: less than `minReductionTokens` would be saved, so nothing was changed
 * - `summary_truncated`: a summary was cut off by its length limit
 * - `window_too_large`: the model's context window is smaller than assumed; a smaller request was sent
 * - `price_unknown`: there is a limit in dollars but the model's price is not known, so it was not called; `cost_limit`: the limit is spent, or too small for
 *   what a strategy would request
 * - `high_cost`: the condensation cost more than `costAlert`
 * - `low_reduction`: a summary was paid for, but less than 20% of the tokens were removed
 * - `pairs_completed`: a custom provider dropped a tool call without its result, or the reverse, or what keeps the roles in order; it was put back
 * - `protect_unmatched`: rules of `protect` match nothing in the conversation; the message names them, `field` is their kind (`protect.paths`)
 * - `thinking_after_change`: there is signed thinking after a change, which the model may refuse
 * - `writes_kept`: lossless left writes of files that were written anew later, because a command that ran since may have copied, moved or
 *   brought back what they wrote; what other messages show too became pointers
 * - `cache_failed`: the store for summaries failed, or returned something it was not given, and was not used
 * - `count_tokens_failed`: the handler's `countTokens` failed; the totals were counted locally
 * - `progress_listener_failed`: `onProgress` threw
 * - `look_up_failed`: a user's preferences could not be looked up, or are invalid; the default was used
 * - `provider_warning`: a warning of a custom provider
 */
export type WarningCode =
  | "target_not_met"
  | "provider_failed"
  | "unknown_provider"
  | "invalid_threshold"
  | "handler_invalid"
  | "handler_missing"
  | "no_handler"
  | "pass_failed"
  | "summary_failed"
  | "summary_incomplete"
  | "preparation_stale"
  | "override_unused"
  | "dear_summaries"
  | "reduction_too_small"
  | "summary_truncated"
  | "window_too_large"
  | "price_unknown"
  | "cost_limit"
  | "high_cost"
  | "low_reduction"
  | "pairs_completed"
  | "protect_unmatched"
  | "thinking_after_change"
  | "writes_kept"
  | "cache_failed"
  | "count_tokens_failed"
  | "progress_listener_failed"
  | "look_up_failed"
  | "provider_warning";

/**
 * A warning about a call that did not fail.
 *
 * @example
 * ```ts
 * import { type Warning } from "roo-condense";
 *
 * const shown = (warnings: Warning[]) =>
 *   warnings.filter(({ code }) => code !== "target_not_met").map(({ code, message }) => `${code}: ${message}`);
 * ```
 */
export interface Warning {
  /** The code; custom providers may use codes of their own. */
  code: WarningCode | (string & {});
  /** The message for people, without the code. */
  message: string;
  /** The same as a code and values, to be told in another language; absent where a custom provider gave the words. */
  said?: Said;
  /** The code of the error that caused it, where a provider, a pass or a summary failed. */
  errorCode?: string;
  /** Index in the input messages of the message concerned; the first of several. */
  messageIndex?: number;
  /** The option concerned, as a path such as `profileThresholds.fast`. */
  field?: string;
}

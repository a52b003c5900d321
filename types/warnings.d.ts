// Warnings: what the caller should know of a call that did not fail.

import type { Said } from "./words.js";

/**
 * `code` of a {@link Warning}:
 *
 * - `target_not_met`: what must stay is more than the target
 * - `provider_failed`: a provider failed, and another one of the chain went on; the message names it and the code of its error
 * - `unknown_provider`: `fallback` or a strategy names a provider that is not registered; the others were tried
 * - `invalid_threshold`: a profile's own threshold is not valid; the global one applied
 * - `handler_invalid`: a handler has no `createMessage()` and was passed over; `handler_missing`: a profile has none, and another one wrote its summaries
 * - `no_handler`: a pass of the smart provider or a strategy wants a model, and there is no handler
 * - `pass_failed`: a pass of the smart provider failed and was left out; `summary_failed`: a summary failed, and its text stays as it was, or
 *   one that leaves something out could not be asked for again
 * - `summary_incomplete`: a summary leaves out what must survive, or, in a preview, may come to be asked for once more therefore (`summaryCheck`)
 * - `preparation_stale`: what `prepare()` had prepared is of no use, because the conversation no longer begins with it, or could not be applied
 * - `override_unused`: a pass of the smart provider has an override for a message that it does not select, or that does not exist
 * - `dear_summaries`: passes of one's own, or of the preset `selective`, ask for summaries that cost more than one summary of the whole conversation would; those of other presets never do
 * - `reduction_too_small`: less than `minReductionTokens` would be saved, so nothing was changed
 * - `summary_truncated`: a summary ends in the middle, because it may be no longer
 * - `window_too_large`: the model's window is smaller than thought; it was asked again for less
 * - `price_unknown`: a model is not asked, because its price is not known and there is a limit of dollars; `cost_limit`: it is spent, or too small for what a strategy would ask
 * - `high_cost`: the condensation cost more than `costAlert`
 * - `low_reduction`: a summary was paid for, and less than 20% of the tokens were removed
 * - `pairs_completed`: a provider of the host left out halves of tool rounds, or what keeps the roles in order; they stay
 * - `protect_unmatched`: rules of `protect` are about nothing in the conversation; the message names them, `field` is their kind (`protect.paths`)
 * - `thinking_after_change`: signed thinking stands behind a change, and the model may refuse it
 * - `cache_failed`: the store for summaries failed, or returned what was not kept under the key, and was done without
 * - `count_tokens_failed`: the handler's `countTokens` failed; the totals are counted locally
 * - `progress_listener_failed`: `onProgress` threw
 * - `look_up_failed`: preferences of a user could not be looked up, or have a fault; the default is used
 * - `provider_warning`: a text that a provider of the host gave as a warning
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
  | "cache_failed"
  | "count_tokens_failed"
  | "progress_listener_failed"
  | "look_up_failed"
  | "provider_warning";

/**
 * Something that the caller should know of a call that did not fail.
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
  /** Providers of the host may have codes of their own. */
  code: WarningCode | (string & {});
  /** The same for a person, without the code. */
  message: string;
  /** The same as a code and values, to be told in another language; absent where a custom provider gave the words. */
  said?: Said;
  /** The code of the error that a provider, a pass or a summary failed with, where it tells of one. */
  errorCode?: string;
  /** The message it is about, by its index in the messages that came in; of several, the first. */
  messageIndex?: number;
  /** The option it is about, as a path such as `profileThresholds.fast`. */
  field?: string;
}

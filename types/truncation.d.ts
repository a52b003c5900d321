// The truncation provider.

import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";
import type { ConfiguredProtect } from "./protect.js";

/** Configuration of the truncation provider. */
export interface TruncationConfig {
  /** `content` (default) cuts old tool results and parameters, `window` drops the oldest messages. */
  mode?: "content" | "window" | undefined;
  /**
   * Which lines stay: those most likely to be used again (`salient`), the first ones (`head`), or the first and the last
   * (`head_tail`). Default `auto`: `salient` when there is a target and none of the limits of the other strategies
   * (`truncationMode`, `maxToolResultLines`, `maxLineChars`, `maxToolParamChars`, `preserveUserMessages`,
   * `preserveAssistantText`) is set, `head` otherwise. With `truncationMode: "suppress"` `salient` means `head`.
   */
  strategy?: "auto" | "salient" | "head" | "head_tail" | undefined;
  /** Whether old results and parameters are cut (`truncate`, the default) or replaced by a note (`suppress`). Not for `salient`. */
  truncationMode?: "truncate" | "suppress" | undefined;
  /** The newest messages that are never touched, 1 to 1000. Default: 5. */
  preserveRecentCount?: number | undefined;
  /**
   * Lines that stay of an old tool result, 1 to 100,000. Default: 5; with a target and no value of its own, as many as fit. `salient` needs it only
   * without a target.
   */
  maxToolResultLines?: number | undefined;
  /** Characters that stay of each of those lines, 20 to 1,000,000. Default: 500. Not for `salient`. */
  maxLineChars?: number | undefined;
  /**
   * Characters that stay of a long string in tool parameters, 1 to 1,000,000. Default: 100; with a target and no value of its own, as many as fit. Not
   * for `salient`, which leaves parameters whole unless a target asks for more.
   */
  maxToolParamChars?: number | undefined;
  /** Whether what the user wrote stays whole. Default: true. Not for `salient`, which cuts it only where a target cannot be met otherwise. */
  preserveUserMessages?: boolean | undefined;
  /** Whether what the assistant wrote stays whole. Default: true. Not for `salient`, which cuts it only where there is a target. */
  preserveAssistantText?: boolean | undefined;
  /** Texts of fewer tokens are not touched, 0 to 1,000,000. Default: 100. `salient` needs it only without a target. */
  minTokensForTruncation?: number | undefined;
  /** A signal of the strategy `salient` to do without, to measure what it is worth. Default: `none`. */
  withoutSignal?: "none" | "recurrence" | "recency" | "use" | "kind" | "newest" | "coverage" | "passages" | "dropping" | "ties" | undefined;
  /** What tools of the host do; they come before those of the manager. Default: none. */
  tools?: ToolMeanings | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/**
 * The truncation provider, id `truncation`: cuts what is old, between the first message and the newest ones. No model is asked.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createTruncationProvider } from "roo-condense";
 *
 * const { messages: condensed } = await createTruncationProvider().condense({ messages }, { targetTokens: 30_000 });
 * const newest = await createTruncationProvider({ mode: "window" }).condense({ messages }, { targetTokens: 30_000 });
 * ```
 */
export function createTruncationProvider(config?: TruncationConfig): BuiltInProvider<TruncationConfig>;

// The truncation provider.

import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";
import type { ConfiguredProtect } from "./protect.js";

/** Configuration of the truncation provider. */
export interface TruncationConfig {
  /** `content` (default): shorten old tool results and parameters; `window`: drop the oldest messages. */
  mode?: "content" | "window" | undefined;
  /**
   * Which lines to keep: those most likely to be used again (`salient`), the first ones (`head`), or the first and the last (`head_tail`). Default `auto`:
   * `salient` if there is a target and none of the limits of the other strategies (`truncationMode`, `maxToolResultLines`, `maxLineChars`, `maxToolParamChars`,
   * `preserveUserMessages`, `preserveAssistantText`) is set, else `head`. With `truncationMode: "suppress"`, `salient` means `head`.
   */
  strategy?: "auto" | "salient" | "head" | "head_tail" | undefined;
  /** How to shorten old results and parameters: `truncate` (default), or `suppress` to replace them by a note. Not for `salient`. */
  truncationMode?: "truncate" | "suppress" | undefined;
  /** Number of newest messages to leave unchanged, 1 to 1000. Default: 5. */
  preserveRecentCount?: number | undefined;
  /**
   * Lines to keep of an old tool result, 1 to 100,000. Default: 5; with a target and no value of its own, as many as fit. `salient` uses it only without a
   * target.
   */
  maxToolResultLines?: number | undefined;
  /** Characters to keep of each of those lines, 20 to 1,000,000. Default: 500. Not for `salient`. */
  maxLineChars?: number | undefined;
  /**
   * Characters to keep of a long string in tool parameters, 1 to 1,000,000. Default: 100; with a target and no value of its own, as many as fit. Not for
   * `salient`, which shortens parameters only if a target requires it.
   */
  maxToolParamChars?: number | undefined;
  /** Whether to keep the user's words whole. Default: true. Not for `salient`, which shortens them only if a target cannot be met otherwise. */
  preserveUserMessages?: boolean | undefined;
  /** Whether to keep the assistant's words whole. Default: true. Not for `salient`, which shortens them only if there is a target. */
  preserveAssistantText?: boolean | undefined;
  /** Smallest text to shorten, in tokens, 0 to 1,000,000. Default: 100. `salient` uses it only without a target. */
  minTokensForTruncation?: number | undefined;
  /** Meanings of your own tools; they win over the manager's. Default: none. */
  tools?: ToolMeanings | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/**
 * Creates the truncation provider, id `truncation`: shortens old content, between the first message and the newest ones. It calls no LLM.
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

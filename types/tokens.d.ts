// Counting tokens.

import type { BlockLike, FormatOptions, MessageLike } from "./messages.js";

/** A vocabulary: GPT-4o and later (what Roo-Code counts with), or GPT-3.5 and GPT-4. */
export type Encoding = "o200k_base" | "cl100k_base";

/**
 * How many tokens of the model's own one token of the vocabulary stands for: a number from 0.1 to 10; a family of models (`gpt` 1,
 * `gemini` 1.2, `claude` 1.25, `claude-4.7` 1.65); or `auto`, learned by `CondensationManager.calibrate`, until then 1.
 */
export type Scale = number | "gpt" | "gemini" | "claude" | "claude-4.7" | "auto";

/** Options of {@link countTokens}. */
export interface CountOptions extends FormatOptions {
  /** Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** Applied once to the sum, rounded up. Default: 1. */
  scale?: Scale | undefined;
}

/** What {@link countTokens} counts. */
export type Countable = string | BlockLike | MessageLike | readonly BlockLike[] | readonly MessageLike[];

/**
 * Tokens of a text, a content block, an array of blocks, a message, or an array of messages. Messages and blocks are remembered by object, so
 * counting a conversation again after it has grown counts only what is new; an object that was changed is counted again.
 *
 * Synchronous; the first count loads the vocabulary, which takes some hundred milliseconds: see {@link warmUp}.
 *
 * @throws {TypeError | RangeError} `invalid_argument`, `not_serializable`, `unknown_encoding`, `invalid_scale`
 * @example
 * ```ts
 * import { countTokens } from "roo-condense";
 *
 * const tokens = countTokens(messages) + countTokens(systemPrompt);
 * const ofClaude = countTokens(messages, { scale: "claude-4.7" });
 * ```
 */
export function countTokens<V extends Countable>(value: V, options?: CountOptions): number;

/**
 * Loads a vocabulary on another thread; condensing does so by itself. Default: `o200k_base`.
 * @throws {TypeError} `unknown_encoding`, `invalid_argument`
 * @example Before the first count that has to be quick.
 * ```ts
 * import { countTokens, warmUp } from "roo-condense";
 *
 * await warmUp();
 * const tokens = countTokens("Read package.json first.");
 * ```
 */
export function warmUp(encoding?: Encoding): Promise<void>;

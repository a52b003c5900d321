// Counting tokens.

import type { BlockLike, FormatOptions, MessageLike } from "./messages.js";

/** A token encoding: of GPT-4o and later (which Roo-Code counts with), or of GPT-3.5 and GPT-4. */
export type Encoding = "o200k_base" | "cl100k_base";

/**
 * Number of the model's own tokens per token of the encoding: a number from 0.1 to 10; a model family (`gpt` 1, `gemini` 1.2, `claude` 1.25, `claude-4.7`
 * 1.65); or `auto`, learned by `CondensationManager.calibrate`, 1 until then.
 */
export type Scale = number | "gpt" | "gemini" | "claude" | "claude-4.7" | "auto";

/** Options of {@link countTokens}. */
export interface CountOptions extends FormatOptions {
  /** Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** Factor for the sum, rounded up. Default: 1. */
  scale?: Scale | undefined;
}

/** Input to {@link countTokens}. */
export type Countable = string | BlockLike | MessageLike | readonly BlockLike[] | readonly MessageLike[];

/**
 * Counts the tokens of a string, a content block, an array of blocks, a message, or an array of messages. Counts are cached by message and block object, so
 * counting a conversation again counts only what is new or changed.
 *
 * Images, documents, sound and video count by estimates of what services take for them, never as the text of their base64; roles and ids count nothing. The
 * table is in docs/formats.md, "How parts are counted".
 *
 * Synchronous; the first count loads the encoding, which takes some hundred milliseconds: see {@link warmUp}.
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
 * Loads an encoding on another thread; condensing does so by itself. Default: `o200k_base`.
 * @throws {TypeError} `unknown_encoding`, `invalid_argument`
 * @example Before the first count that must be quick.
 * ```ts
 * import { countTokens, warmUp } from "roo-condense";
 *
 * await warmUp();
 * const tokens = countTokens("Read package.json first.");
 * ```
 */
export function warmUp(encoding?: Encoding): Promise<void>;

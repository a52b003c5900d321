// Makers of the providers whose types are their options alone.

import type { LosslessConfig, NativeConfig, TruncationConfig } from "./options.js";
import type { BuiltInProvider } from "./providers.js";

/**
 * Creates the native provider, id `native`: one summary by a model replaces everything between the first message and the newest ones. With a `targetTokens`,
 * the rest of the target is filled with what a reader needs most besides: a log, and unchanged messages. It needs a handler; without one, the result has the
 * error `handler_invalid`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-5-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const result = await createNativeProvider({ maxMessagesToKeep: 5 }).condense({ messages, systemPrompt }, { handler });
 * console.log(result.error?.message ?? result.summary);
 * ```
 *
 * A summary that misses items it must keep is requested a second time, and then completed.
 *
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-5-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const { summaryQuality } = await createNativeProvider({ summaryCheck: { minScore: 0.9 } }).condense({ messages }, { handler });
 * for (const { kind, text } of summaryQuality?.missing ?? []) console.warn(`the summary misses the ${kind}: ${text}`);
 * ```
 */
export function createNativeProvider(config?: NativeConfig): BuiltInProvider<NativeConfig>;

/**
 * Creates the lossless provider, id `lossless`: keeps one copy of everything. It calls no LLM.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider } from "roo-condense";
 *
 * const { messages: condensed, stats } = await createLosslessProvider({ strict: true }).condense({ messages });
 * console.log(`${stats.reductionPercent.toFixed(1)}% fewer tokens, all still readable`);
 * ```
 */
export function createLosslessProvider(config?: LosslessConfig): BuiltInProvider<LosslessConfig>;

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

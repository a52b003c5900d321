// The truncation provider.

import type { TruncationConfig } from "./options.js";
import type { BuiltInProvider } from "./providers.js";

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

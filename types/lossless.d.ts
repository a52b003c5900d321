// The lossless provider.

import type { LosslessConfig } from "./options.js";
import type { BuiltInProvider } from "./providers.js";

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

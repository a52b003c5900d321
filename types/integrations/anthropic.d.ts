// `roo-condense/anthropic`: the official client of Anthropic.

import type { LlmHandler } from "../handlers.js";
import type { ClientHandlerOptions } from "./model.js";
import type { ClientRecall, CondensingOptions, RecallingOptions } from "./options.js";

export type { ClientHandlerOptions, ClientRecall, CondensingOptions, RecallingOptions };

/**
 * A client of `@anthropic-ai/sdk`. No type of that package is named: TypeScript takes those that are imported and those that
 * are required for different ones.
 */
export interface AnthropicClient {
  withOptions(options: object): unknown;
  readonly messages: { create(request: any, options?: any): unknown };
}

/**
 * A client like `client` that condenses the `messages` of requests to the Messages API when that is due, streamed or not. Later requests of the same conversation
 * are sent with that condensation applied, so that they begin with the same bytes. `client` and the application's messages stay as they are.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { condensing } from "roo-condense/anthropic";
 *
 * const client = condensing(new Anthropic({ apiKey: "…" }), { contextWindow: 200_000 });
 * const { content } = await client.messages.create({
 *   model: "claude-sonnet-5-5",
 *   max_tokens: 8192,
 *   messages: [{ role: "user", content: "Fix the parser." }],
 * });
 * ```
 */
export function condensing<C extends AnthropicClient>(client: C, options: RecallingOptions): C & { readonly recall: ClientRecall };
/** The same without recall. */
export function condensing<C extends AnthropicClient>(client: C, options: CondensingOptions): C;

/**
 * A handler that writes summaries with `client`, which should not be one that condenses.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { CondensationManager } from "roo-condense";
 * import { clientHandler } from "roo-condense/anthropic";
 *
 * const handler = clientHandler(new Anthropic({ apiKey: "…" }), { model: "claude-haiku-5-5" });
 * const manager = new CondensationManager({ autoCondenseContextPercent: 75, handler });
 * ```
 */
export function clientHandler(client: AnthropicClient, options: ClientHandlerOptions): LlmHandler;

// `roo-condense/openai`: the official client of OpenAI.

import type { LlmHandler } from "../handlers.js";
import type { ClientHandlerOptions } from "./model.js";
import type { ClientRecall, CondensingOptions, RecallingOptions } from "./options.js";

export type { ClientHandlerOptions, ClientRecall, CondensingOptions, RecallingOptions };

/**
 * A client of `openai`, `AzureOpenAI` too. No type of that package is named: TypeScript takes those that are imported and those that are required for different ones.
 */
export interface OpenAIClient {
  withOptions(options: object): unknown;
  readonly chat: { readonly completions: { create(request: any, options?: any): unknown } };
}

/**
 * A client like `client` that condenses what it sends when that is due, streamed or not: the `messages` of chat completions, and the `input` of responses where that is
 * the whole history (an array, without `previous_response_id` and `conversation`). Later requests of the same conversation are sent with that condensation applied, so
 * that they begin with the same bytes. `client` and the application's messages stay as they are.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { condensing } from "roo-condense/openai";
 *
 * const client = condensing(new OpenAI({ apiKey: "…" }), { contextWindow: 400_000 });
 * const { choices } = await client.chat.completions.create({
 *   model: "gpt-5.6-sol",
 *   messages: [{ role: "user", content: "Fix the parser." }],
 * });
 * ```
 */
export function condensing<C extends OpenAIClient>(client: C, options: RecallingOptions): C & { readonly recall: ClientRecall };
/** The same without recall. */
export function condensing<C extends OpenAIClient>(client: C, options: CondensingOptions): C;

/**
 * A handler that writes summaries with the chat completions of `client`, which should not be one that condenses.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { CondensationManager } from "roo-condense";
 * import { clientHandler } from "roo-condense/openai";
 *
 * const handler = clientHandler(new OpenAI({ apiKey: "…" }), { model: "gpt-5.6-terra" });
 * const manager = new CondensationManager({ autoCondenseContextPercent: 75, handler });
 * ```
 */
export function clientHandler(client: OpenAIClient, options: ClientHandlerOptions): LlmHandler;

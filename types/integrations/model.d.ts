// What official clients are told to write summaries with.

import type { CallbackHandlerOptions } from "../options.js";

/** Options of a client that writes summaries. An unknown field is an error. */
export interface ClientHandlerOptions extends CallbackHandlerOptions {
  /** The name of the model. */
  model: string;
  /** The longest summary in tokens, 1 or more. One that is cut off there counts as failed. Default: 8192 for Anthropic, the service's for OpenAI. */
  maxTokens?: number | undefined;
}

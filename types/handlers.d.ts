// Handlers, which send requests for summaries.

import type { CallbackHandlerOptions, HttpHandlerOptions, ModelPrice } from "./options.js";

/**
 * Sends requests for summaries. Made by {@link httpHandler} or {@link callbackHandler}, never by hand; its key cannot be read. If a process has two copies of
 * the package, each accepts handlers that `callbackHandler` of the other made, and refuses those of its `httpHandler` (`invalid_argument`).
 */
export interface LlmHandler {
  /** The protocol; `callback` for a custom handler. */
  readonly api: "anthropic" | "openai" | "callback";
  /** The model's name; `unknown` if a custom handler does not report it. */
  readonly model: string;
}

/**
 * Creates a handler that sends requests to a service over HTTP, with streaming and retries. Proxies are those of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY`, else of the system; certificates are trusted like in Node, including those in `NODE_EXTRA_CA_CERTS`.
 * @throws {TypeError} `invalid_argument`: an option that is missing, unknown or of the wrong type; `not_serializable`
 * @throws {RangeError} `out_of_range`: an option whose value is not allowed, a key that would go over plain http to another machine (`baseUrl`), a proxy
 *   variable of the environment that is not an address (it is never ignored)
 * @example
 * ```ts
 * import { CondensationManager, httpHandler } from "roo-condense";
 *
 * const cheap = httpHandler({
 *   api: "openai",
 *   model: "qwen3",
 *   baseUrl: "http://localhost:11434/v1",
 *   contextWindow: 32_768,
 *   price: { inputPrice: 0.1, outputPrice: 0.4 },
 * });
 * const manager = new CondensationManager({ condensingHandler: cheap });
 * ```
 */
export function httpHandler(options: HttpHandlerOptions): LlmHandler;

/** A chunk of a response of an {@link ApiHandler}. Chunks of other types are ignored. */
export type ApiStreamChunk =
  | { type: "text"; text: string }
  /** The last one counts. Without one, tokens are counted locally; if a response is cut off, so are the tokens after the last one. */
  | {
      type: "usage";
      inputTokens: number;
      outputTokens: number;
      cacheWriteTokens?: number | undefined;
      cacheReadTokens?: number | undefined;
      /** Cost in dollars; wins over the price. */
      totalCost?: number | undefined;
    }
  /** Ends the response with `llm_stream_error`, or `llm_context_too_long` if the error says so. */
  | { type: "error"; error?: unknown; message?: string | undefined }
  | { type: string };

/** A message of a request to an {@link ApiHandler}: plain text. */
export interface ApiHandlerMessage {
  role: "user" | "assistant";
  content: string;
}

/**
 * A custom handler, in the shape of Roo-Code's `ApiHandler`. Only `createMessage` is required.
 *
 * @example A custom handler can be used wherever a handler is accepted.
 * ```ts
 * import { CondensationManager, type ApiHandler } from "roo-condense";
 *
 * const handler: ApiHandler = {
 *   async *createMessage(systemPrompt, messages) {
 *     yield { type: "text", text: await ask(systemPrompt, messages) };
 *   },
 *   getModel: () => ({ id: "my-model", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
 * };
 * const manager = new CondensationManager({ handler });
 * ```
 */
export interface ApiHandler {
  /**
   * Returns the response in chunks, like an async generator. If it is stopped early, `return()` is called, so that `finally` runs. Timers and signals are
   * processed after every 64 chunks, even if the generator never waits; within a chunk, that is up to the generator.
   */
  createMessage(
    systemPrompt: string,
    messages: ApiHandlerMessage[],
    metadata?: any,
  ): AsyncIterable<ApiStreamChunk> | PromiseLike<AsyncIterable<ApiStreamChunk>>;
  /** Counts tokens for the totals of a result; it has 20 seconds. Local counts decide everything else. */
  countTokens?(content: any[]): number | PromiseLike<number>;
  /** Called before each condensation. `info` holds the context window, the largest response and the prices. */
  getModel?(): {
    id: string;
    info?: (ModelPrice & { readonly contextWindow?: number | undefined; readonly maxTokens?: number | null | undefined }) | undefined;
  };
}

/**
 * Wraps a custom handler. If it throws, that is the `cause` of `llm_callback_failed`; it is not retried here.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
 * @example
 * ```ts
 * import { callbackHandler, createNativeProvider } from "roo-condense";
 *
 * const handler = callbackHandler({
 *   async *createMessage(systemPrompt, messages) {
 *     yield { type: "text", text: await ask(systemPrompt, messages) };
 *     yield { type: "usage", inputTokens: 1200, outputTokens: 300 };
 *   },
 * });
 * const { summary } = await createNativeProvider().condense({ messages }, { handler });
 * ```
 */
export function callbackHandler(api: ApiHandler, options?: CallbackHandlerOptions): LlmHandler;

/**
 * A handler, or a custom one as it is. An object without `createMessage` is skipped with the warning `handler_invalid`; any other value is `invalid_argument`.
 * `null` is the same as absent.
 */
export type HandlerOption = LlmHandler | ApiHandler | null | undefined;

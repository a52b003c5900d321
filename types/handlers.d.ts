// What answers a request for a summary.

import type { ModelPrice } from "./prices.js";

/**
 * What answers a request for a summary. Made by {@link httpHandler} or {@link callbackHandler}, never by hand; keys cannot be read from it. Of two copies of the
 * package in one process, each takes what `callbackHandler` of the other made, and refuses what its `httpHandler` made (`invalid_argument`).
 */
export interface LlmHandler {
  /** `callback` for a handler of the host. */
  readonly api: "anthropic" | "openai" | "callback";
  /** The model's name; `unknown` when the host's handler does not tell. */
  readonly model: string;
}

/** Options of {@link httpHandler}. `null` is the same as absent; an unknown field is an error. */
export interface HttpHandlerOptions {
  /** The protocol: the Anthropic Messages API, or chat completions as OpenAI, OpenRouter, Ollama, vLLM, LM Studio, DeepSeek and others have them. */
  api: "anthropic" | "openai";
  /** The name the service knows the model by. */
  model: string;
  /**
   * An http or https address, with or without `/v1`. Default: the API's own service. With a key (or a header that authenticates), plain http is only for
   * this machine, unless `insecure` is set.
   */
  baseUrl?: string | null | undefined;
  /** Empty counts as absent. Needed for the API's own service, unless a header authenticates. */
  apiKey?: string | null | undefined;
  /** Sent along, and instead of ours of the same name. Their values count as secrets. */
  headers?: Readonly<Record<string, string>> | null | undefined;
  /** The longest answer in tokens, 1 or more. Default: the service's; 8192 for `anthropic`, whose protocol wants a number. */
  maxTokens?: number | null | undefined;
  /** 0 to 2, for `anthropic` to 1. Default: the service's. Not sent again to a model that refuses it. */
  temperature?: number | null | undefined;
  /** Milliseconds for the whole request, retries and waiting included, 1 to a day. Default: 300,000. */
  timeoutMs?: number | null | undefined;
  /** Milliseconds until the first byte of the answer, and between any two, 1 to a day. Default: 120,000. */
  idleTimeoutMs?: number | null | undefined;
  /** Attempts after the first when the service is busy or the connection drops, 0 to 10. What the service asks to wait is kept. Default: 3. */
  retries?: number | null | undefined;
  /** Milliseconds before the first of them, 0 to a day; each further wait doubles, to at most 30,000, with jitter. Default: 500. */
  retryDelayMs?: number | null | undefined;
  /** Bytes that are held of an answer, 1024 to 1 GiB. Default: 8 MiB. */
  maxResponseBytes?: number | null | undefined;
  /** Whether a key may be sent over plain http to another machine, where everybody on the way can read it. Default: false. */
  insecure?: boolean | null | undefined;
  /** Default: the profile's, or none; the cost is then 0 unless the service tells it. */
  price?: ModelPrice | null | undefined;
  /** Tokens the model can read and write in one request. Default: `contextWindow` of the native provider's configuration. */
  contextWindow?: number | null | undefined;
}

/**
 * A handler that asks a service over HTTP, streaming, with retries. Proxies are those of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, else of
 * the system; certificates are trusted as Node does, also those in `NODE_EXTRA_CA_CERTS`.
 * @throws {TypeError} `invalid_argument`: an option that is missing, unknown or of the wrong type; `not_serializable`
 * @throws {RangeError} `out_of_range`: an option whose value is not allowed, a key that would go over plain http to another machine (`baseUrl`), a proxy
 *   variable of the environment that is no address (it is never passed over for a direct connection)
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

/** A piece of the answer of an {@link ApiHandler}. Pieces of other types are passed over. */
export type ApiStreamChunk =
  | { type: "text"; text: string }
  /** The last one counts. Without one, tokens are counted here, and where an answer is cut short those of what came after it. */
  | {
      type: "usage";
      inputTokens: number;
      outputTokens: number;
      cacheWriteTokens?: number | undefined;
      cacheReadTokens?: number | undefined;
      /** Dollars; wins over the price. */
      totalCost?: number | undefined;
    }
  /** Ends the answer with `llm_stream_error`, or `llm_context_too_long` when it says that. */
  | { type: "error"; error?: unknown; message?: string | undefined }
  | { type: string };

/** A message of a question to an {@link ApiHandler}: plain text. */
export interface ApiHandlerMessage {
  role: "user" | "assistant";
  content: string;
}

/**
 * A handler of the host, in the shape of Roo-Code's `ApiHandler`. Only `createMessage` has to be there.
 *
 * @example A handler of the host is one as it is, and can be given wherever one is wanted.
 * ```ts
 * import { CondensationManager, type ApiHandler } from "roo-condense";
 *
 * const handler: ApiHandler = {
 *   async *createMessage(systemPrompt, messages) {
 *     yield { type: "text", text: await ask(systemPrompt, messages) };
 *   },
 *   getModel: () => ({ id: "of-the-host", info: { contextWindow: 200_000, inputPrice: 3, outputPrice: 15 } }),
 * };
 * const manager = new CondensationManager({ handler });
 * ```
 */
export interface ApiHandler {
  /**
   * Answers in pieces, as an async generator does. When it is stopped early, `return()` is called, so that `finally` runs. Timers and signals get their
   * turn after every 64 pieces, also when the generator itself never waits; within a piece that is up to the generator.
   */
  createMessage(
    systemPrompt: string,
    messages: ApiHandlerMessage[],
    metadata?: any,
  ): AsyncIterable<ApiStreamChunk> | PromiseLike<AsyncIterable<ApiStreamChunk>>;
  /** Decides the totals of a result, when there is one; it has 20 seconds. Local counts decide everything else. */
  countTokens?(content: any[]): number | PromiseLike<number>;
  /** Asked before each condensation. `info` tells the window, the longest answer and the prices. */
  getModel?(): {
    id: string;
    info?: (ModelPrice & { readonly contextWindow?: number | undefined; readonly maxTokens?: number | null | undefined }) | undefined;
  };
}

/** Options of {@link callbackHandler}. */
export interface CallbackHandlerOptions {
  /** Milliseconds for a whole answer, 1 to a day. Default: 300,000. */
  timeoutMs?: number | undefined;
  /** Milliseconds until the first piece, and between any two, 1 to a day. Default: 120,000. */
  idleTimeoutMs?: number | undefined;
  /** Tokens the model can read and write in one request, 1 or more. Default: what `getModel()` says. */
  contextWindow?: number | undefined;
  /** Default: what `getModel()` says. */
  price?: ModelPrice | undefined;
}

/**
 * A handler on top of one of the host. What it throws is the `cause` of `llm_callback_failed`; it is not retried here.
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
 * Wherever a handler is wanted, one of the host will do as it is. An object without `createMessage` is passed over with the warning
 * `handler_invalid`; anything that is no object throws `invalid_argument`. `null` is the same as absent.
 */
export type HandlerOption = LlmHandler | ApiHandler | null | undefined;

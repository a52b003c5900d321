// Types of roo-condense. Written by hand; `__test__/types` is compiled against them.
//
// Units everywhere: tokens are tokens of the configured encoding times `scale`, rounded up; costs are US dollars; times are milliseconds;
// shares and thresholds are percent. Optional fields may also be `undefined`, which is the same as leaving them out.

// Messages ----------------------------------------------------------------------------------------------------------------------------

/** The least a block has to be. */
export interface BlockLike {
  readonly type: string;
}

/**
 * The least a message has to be. A host's own message type (Anthropic's `MessageParam`, Roo-Code's `ApiMessage`) goes in and comes out;
 * all further fields are kept. Messages are never mutated, and an unchanged one comes back as the same object.
 */
export interface MessageLike {
  readonly role: string;
  readonly content: string | readonly BlockLike[];
}

/** Text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** The assistant calls a tool. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** What a tool answered. */
export interface ToolResultBlock {
  type: "tool_result";
  /** The `id` of the call it answers. */
  tool_use_id: string;
  content?: string | Block[] | undefined;
  is_error?: boolean | undefined;
}

/** An image. Counts `ceil(sqrt(length of data))` tokens, or 300 when there is no data (Roo-Code's estimate). */
export interface ImageBlock {
  type: "image";
  source: { type: string; media_type?: string | undefined; data?: string | undefined; url?: string | undefined };
}

/** What the model thought. Never changed. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature?: string | undefined;
}

/** A block of any other type. Carried through untouched. */
export interface OtherBlock {
  type: string;
  [field: string]: unknown;
}

/** A content block as the Anthropic Messages API has it. */
export type Block = TextBlock | ToolUseBlock | ToolResultBlock | ImageBlock | ThinkingBlock | OtherBlock;

/** A message as the Anthropic Messages API has it, for hosts without a type of their own. */
export interface Message {
  role: "user" | "assistant";
  content: string | Block[];
  /** Further fields (`ts`, `isSummary`, `condenseId`, ...) are kept. */
  [field: string]: unknown;
}

/** A breach of the shape that the Anthropic Messages API accepts. */
export interface Problem {
  /** Index of the message. */
  messageIndex: number;
  /** Index of the block, if it is about one. */
  blockIndex?: number;
  /** What is wrong, as a fixed word. */
  code: ProblemCode;
  /** What is wrong, for a person. */
  message: string;
}

/**
 * - `not_a_message`: not an object with a role; `unknown_role`: neither user nor assistant
 * - `first_not_user`, `same_role_twice`: the order of roles
 * - `empty_content`, `empty_text`: nothing, or only white space
 * - `misplaced_tool_use`, `misplaced_tool_result`: in a message of the wrong role
 * - `invalid_tool_input`: `tool_use.input` is no object; `unnamed_tool_use`: no id or name
 * - `unanswered_tool_use`, `orphan_tool_result`, `repeated_tool_result`: calls and results do not pair up
 * - `unreadable_block`: lacks a field of its type
 */
export type ProblemCode =
  | "not_a_message"
  | "unknown_role"
  | "first_not_user"
  | "same_role_twice"
  | "empty_content"
  | "empty_text"
  | "misplaced_tool_use"
  | "misplaced_tool_result"
  | "invalid_tool_input"
  | "unnamed_tool_use"
  | "unanswered_tool_use"
  | "orphan_tool_result"
  | "repeated_tool_result"
  | "unreadable_block";

/**
 * What is not legal in `messages`, in order of appearance; empty when all is well. Tool calls in the last message may be unanswered:
 * hosts condense between a call and its answer. Synchronous.
 *
 * @throws {TypeError} `invalid_messages` when it is not an array, `not_serializable` when it has no JSON.
 */
export function validateMessages(messages: readonly unknown[]): Problem[];

// Errors ------------------------------------------------------------------------------------------------------------------------------

/**
 * `code` of the errors that wrong arguments and wrong configuration throw at once, as a `TypeError` or `RangeError`:
 *
 * - `invalid_argument` (TypeError): an argument of the wrong type
 * - `invalid_config` (TypeError): a field of a configuration or of options that is unknown or has a value that is not allowed
 * - `out_of_range` (RangeError): a number outside its range, NaN or infinite
 * - `invalid_messages` (TypeError): the messages are not an array
 * - `not_serializable` (TypeError): no JSON: a cycle, a BigInt, a getter or `toJSON` that throws, nesting deeper than the stack
 * - `unknown_provider` (TypeError): no provider is registered under the id
 * - `unknown_encoding` (TypeError), `invalid_scale` (RangeError), `invalid_calibration` (RangeError): settings of the token counter
 * - `invalid_restore_data` (TypeError): not what a condensation returned, or not of these messages
 * - `internal_error` (Error): a fault of this library
 */
export type ArgumentErrorCode =
  | "invalid_argument"
  | "invalid_config"
  | "out_of_range"
  | "invalid_messages"
  | "not_serializable"
  | "unknown_provider"
  | "unknown_encoding"
  | "invalid_scale"
  | "invalid_calibration"
  | "invalid_restore_data"
  | "internal_error";

/**
 * `result.error.code` when no handler gave an answer. HTTP handlers have then retried what can pass with time.
 *
 * - `llm_timeout`: too slow: nothing came within `idleTimeoutMs`, or not everything within `timeoutMs`
 * - `llm_rate_limited` (HTTP 429), `llm_overloaded` (503, 529), `llm_server_error` (409, other 5xx): the service cannot now
 * - `llm_quota_exceeded` (402, or 429 for lack of credit), `llm_unauthorized` (401, 403): the account or its key
 * - `llm_connection_failed`: no connection, or it broke before an answer
 * - `llm_stream_cut`: the answer ended without its end; `llm_stream_error`: an error inside it, also an `error` chunk of an {@link ApiHandler}
 * - `llm_invalid_response`: not the protocol that `api` names, or no async generator
 * - `llm_bad_request` (400, 422, other 4xx), `llm_not_found` (404): the request, the model or the address
 * - `llm_context_too_long`: the request does not fit the model, also after it was cut into parts
 * - `llm_response_too_large`: the answer has more than `maxResponseBytes`
 * - `llm_redirected`: to another origin, where the key is not sent
 * - `llm_callback_failed`: an {@link ApiHandler} threw or rejected; `cause` is what it threw
 */
export type LlmErrorCode =
  | "llm_timeout"
  | "llm_rate_limited"
  | "llm_quota_exceeded"
  | "llm_unauthorized"
  | "llm_overloaded"
  | "llm_server_error"
  | "llm_connection_failed"
  | "llm_stream_cut"
  | "llm_stream_error"
  | "llm_invalid_response"
  | "llm_bad_request"
  | "llm_not_found"
  | "llm_context_too_long"
  | "llm_response_too_large"
  | "llm_redirected"
  | "llm_callback_failed";

/**
 * `result.error.code`: what went wrong while condensing. The messages are then the caller's own array, unchanged, and `cost` is what was
 * spent until then.
 *
 * - `aborted`: by `options.signal`
 * - `not_enough_messages`: nothing lies between the first message and those that are kept
 * - `condensed_recently`: hardly anything is new since the last summary
 * - `handler_invalid`: a summary is wanted, and there is no handler that can answer
 * - `summary_empty`, `summary_refused`: the model answered with nothing, or would not
 * - `context_window_too_small`: not even a part of the conversation fits the condensing model
 * - `cost_limit`: the summary would probably exceed `maxCost`; it was not asked for
 * - `context_grew`: what a provider added made the whole no smaller
 * - `provider_failed`: a provider of the host threw, rejected, returned something else than a result, or reported an error
 * - `broken_result`: a provider would have broken the conversation, for example by dropping one half of a tool pair
 * - `invalid_plan`: a provider named messages or blocks that are not there
 * - `condense_loop`: `condenseIfNeeded` keeps being due without gain (see {@link GuardOptions})
 * - `unsupported_messages`: the messages are not what their JSON says: a `toJSON` method, or changed while they were condensed
 * - `internal_error`: a fault of this library
 * - those of {@link LlmErrorCode}
 */
export type CondensationErrorCode =
  | "aborted"
  | "not_enough_messages"
  | "condensed_recently"
  | "handler_invalid"
  | "summary_empty"
  | "summary_refused"
  | "context_window_too_small"
  | "cost_limit"
  | "context_grew"
  | "provider_failed"
  | "broken_result"
  | "invalid_plan"
  | "condense_loop"
  | "unsupported_messages"
  | "internal_error"
  | LlmErrorCode;

/** Every code there is. */
export type ErrorCode = ArgumentErrorCode | CondensationErrorCode | "binary_not_found";

/**
 * An error that is thrown; its `message` names the field, the value and what is allowed, but never a key. `code` is {@link ArgumentErrorCode}, or
 * `binary_not_found` when the package is loaded without its addon.
 */
export interface CodedError extends Error {
  readonly code: ErrorCode;
  /** The argument it is about, where the error is about one. */
  readonly field?: string;
  /** What was tried, of `binary_not_found`: the places in their order, and why each did not do. */
  readonly tried?: readonly { place: string; reason: string; error: unknown }[];
}

/** A failure that is returned. */
export interface CondensationError {
  /** Never changes between versions. New codes may be added. An {@link ArgumentErrorCode} only where it came to light after the call had begun. */
  code: CondensationErrorCode | ArgumentErrorCode;
  /** For a person. */
  message: string;
  /** What the host's own provider or handler threw or rejected with, the same object. */
  cause?: unknown;
}

// Handlers ----------------------------------------------------------------------------------------------------------------------------

/** What answers a request for a summary. Made by {@link httpHandler} or {@link callbackHandler}, never by hand; keys cannot be read from it. */
export interface LlmHandler {
  /** `callback` for a handler of the host. */
  readonly api: "anthropic" | "openai" | "callback";
  /** The model's name; `unknown` when the host's handler does not tell. */
  readonly model: string;
}

/**
 * What a model costs, in dollars per million tokens. The fields are those of Roo-Code's model information, which can be given as it is: other
 * fields are left alone. An absent price counts as 0.
 */
export interface ModelPrice {
  /** Tokens of the question, 0 or more. */
  readonly inputPrice?: number | null | undefined;
  /** Tokens of the answer. */
  readonly outputPrice?: number | null | undefined;
  /** Tokens written to the model provider's prompt cache. */
  readonly cacheWritesPrice?: number | null | undefined;
  /** Tokens read from it. */
  readonly cacheReadsPrice?: number | null | undefined;
  /** Multipliers for questions of more tokens than a threshold; an absent one is 1. */
  readonly longContextPricing?:
    | {
        /** Tokens of the whole question, cached ones included. */
        readonly thresholdTokens: number;
        readonly inputPriceMultiplier?: number | undefined;
        readonly outputPriceMultiplier?: number | undefined;
        readonly cacheWritesPriceMultiplier?: number | undefined;
        readonly cacheReadsPriceMultiplier?: number | undefined;
      }
    | null
    | undefined;
  /** Other prices by the size of the question, in rising order. */
  readonly tiers?:
    | readonly {
        /** A service tier (`flex`, `priority`) that has to be asked for; such tiers are passed over. */
        readonly name?: string | undefined;
        /** The largest question it applies to, in tokens; `null` or `Infinity` for no limit. */
        readonly contextWindow?: number | null | undefined;
        readonly inputPrice?: number | undefined;
        readonly outputPrice?: number | undefined;
        readonly cacheWritesPrice?: number | undefined;
        readonly cacheReadsPrice?: number | undefined;
      }[]
    | null
    | undefined;
}

/** Options of {@link httpHandler}. `null` is the same as absent; an unknown field is an error. */
export interface HttpHandlerOptions {
  /** The protocol: the Anthropic Messages API, or chat completions as OpenAI, OpenRouter, Ollama, vLLM, LM Studio, DeepSeek and others have them. */
  api: "anthropic" | "openai";
  /** The name the service knows the model by. */
  model: string;
  /** An http or https address, with or without `/v1`. Default: the API's own service. */
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
  /** Default: the profile's, or none; the cost is then 0 unless the service tells it. */
  price?: ModelPrice | null | undefined;
  /** Tokens the model can read and write in one request. Default: `contextWindow` of the native provider's configuration. */
  contextWindow?: number | null | undefined;
}

/**
 * A handler that asks a service over HTTP, streaming, with retries.
 * @throws {TypeError} `invalid_argument`: an option that is missing, unknown or of the wrong type; `not_serializable`
 * @throws {RangeError} `out_of_range`: an option whose value is not allowed
 */
export function httpHandler(options: HttpHandlerOptions): LlmHandler;

/** A piece of the answer of an {@link ApiHandler}. Pieces of other types are passed over. */
export type ApiStreamChunk =
  | { type: "text"; text: string }
  /** The last one counts. Without one, tokens are counted here. */
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

/** A handler of the host, in the shape of Roo-Code's `ApiHandler`. Only `createMessage` has to be there. */
export interface ApiHandler {
  /** Answers in pieces, as an async generator does. When it is stopped early, `return()` is called, so that `finally` runs. */
  createMessage(
    systemPrompt: string,
    messages: ApiHandlerMessage[],
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
 */
export function callbackHandler(api: ApiHandler, options?: CallbackHandlerOptions): LlmHandler;

/**
 * Wherever a handler is wanted, one of the host will do as it is. An object without `createMessage` is passed over with the warning
 * `handler_invalid`; anything that is no object throws `invalid_argument`. `null` is the same as absent.
 */
export type HandlerOption = LlmHandler | ApiHandler | null | undefined;

// A condensation ----------------------------------------------------------------------------------------------------------------------

/** The conversation and what is known about it. Further fields are ignored, but handed to providers of the host. `null` is the same as absent. */
export interface ConversationContext<M extends MessageLike = Message> {
  /** The history, oldest first. Never mutated. */
  readonly messages: readonly M[];
  /** Counts towards the tokens; never changed. Default: none. */
  readonly systemPrompt?: string | null | undefined;
  /** Keeps the guard against loops apart for several conversations. Default: all are one. */
  readonly taskId?: string | null | undefined;
  /** Tokens in the context without the last message, as the API reported them. `condenseIfNeeded` needs it. */
  readonly totalTokens?: number | null | undefined;
  /** The model's context window in tokens, 1 or more. `condenseIfNeeded` needs it. */
  readonly contextWindow?: number | null | undefined;
  /** Tokens the model may answer with. Default, and for 0: 8192. */
  readonly maxTokens?: number | null | undefined;
  /** Whose threshold, handlers, prompt and price apply, and whose metrics count. Default: none. */
  readonly profileId?: string | null | undefined;
}

/** Options of one call of a provider. */
export interface ProviderCallOptions {
  /**
   * Tokens that may be left, system prompt included, 0 or more. If that cannot be reached the result has the warning `target_not_met`.
   * Default: none; the provider does what its configuration says.
   */
  targetTokens?: number | undefined;
  /** Fields of the provider's configuration, for this call only. Providers that stand in for it do not see them. Default: none. */
  config?: object | undefined;
  /** Asks the conversation's own model. It decides totals by its `countTokens`, and writes summaries when there is no `condensingHandler`. */
  handler?: HandlerOption;
  /** Writes summaries. Handlers of the call win over those of its profile, and those over the manager's. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** The system prompt to summarise by. Blank, or absent: the profile's, that of the provider's configuration, or the default. */
  customCondensingPrompt?: string | undefined;
  /** Stops the work; the result then has the error `aborted`. Its listeners and `onabort` are left as they are. */
  signal?: AbortSignal | undefined;
  /** Told how the work goes, always before the result is there. What it throws becomes a warning. */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Whether the host, not its user, wanted it. Handed to providers of the host. Default: false. */
  isAutomatic?: boolean | undefined;
  /**
   * What the conversation's own model costs: for {@link PromptCacheEffect}, and for summaries where there is no `condensingHandler`.
   * Default: the price of `handler`, or else of the profile.
   */
  price?: ModelPrice | null | undefined;
}

/** Options of one call of a manager. */
export interface CondenseOptions extends ProviderCallOptions {
  /** Id of the provider. Default: the active one. */
  provider?: string | undefined;
}

/** How the work goes. */
export interface ProgressEvent {
  /**
   * `counting` first; `condensing` for each provider that is tried; `summarizing` with how many summaries are done, failed ones included; `retrying`
   * when an HTTP handler sends a request again, with how many attempts were made of those it makes at most; `prelude`, and `pass` when a pass of the
   * smart provider starts and when it is done; and `done`.
   */
  phase: "counting" | "condensing" | "summarizing" | "retrying" | "prelude" | "pass" | "done" | (string & {});
  /** Who does it; empty while counting. */
  providerId: string;
  /** Steps done. */
  done: number;
  /** Steps in all. */
  total: number;
  /** The pass of the smart provider that it is about or happens in. */
  passId?: string;
  /** Of `retrying`: milliseconds until the request is sent again. */
  waitMs?: number;
  /** Of `retrying`: why the attempt before failed. */
  code?: LlmErrorCode;
}

/** The words for what can be done to a block or message; see {@link Change.operation}. */
export type ChangeOperation =
  | "reference"
  | "containment"
  | "diff"
  | "repeated_lines"
  | "line_numbers"
  | "environment_snapshot"
  | "stale_read"
  | "overwritten_write"
  | "todo_list"
  | "failed_edit"
  | "salient"
  | "truncate"
  | "suppress"
  | "drop"
  | "window"
  | "summarize"
  | "replace"
  | "insert";

/** One thing that was changed. */
export interface Change {
  /** Index in the messages that came in; of an added message the index it stands before. */
  messageIndex: number;
  /** Index of the block, 0 for a content that is a string; `null` for a whole message. */
  blockIndex: number | null;
  /**
   * What was done.
   *
   * - Lossless, `inline`: `reference` (to a result that is the same), `containment` (to one that contains it), `diff` (a file in another version),
   *   `repeated_lines`, `line_numbers` (behind a heading that restores them)
   * - Lossless, `superseded`: `environment_snapshot`, `stale_read`, `overwritten_write`, `todo_list`, `failed_edit`
   * - Truncation: `salient` (what is likely to be used again stays), `truncate`, `suppress`, `drop` (a message that says too little), `window` (one of
   *   the oldest)
   * - `summarize`: a summary in the place of a text, or of messages
   * - Of providers of the host: `replace`, `drop`, `insert`
   */
  operation: ChangeOperation | (string & {});
  /** Tokens of the block or message before, unscaled. */
  tokensBefore: number;
  /** And after. */
  tokensAfter: number;
  /** What was done and why, for a person; may be empty. */
  reason: string;
  /**
   * Of lossless changes: `inline` can be read back from what is still in the conversation, `superseded` is state that a later message replaced, which
   * only `restoreData` still has.
   */
  grade?: "inline" | "superseded";
}

/**
 * What {@link restore} needs: plain JSON data, to be kept beside the history. Where an old text can be put together again from the condensed
 * messages, an edit holds a recipe instead of the text, so this stays small after lossless work. Its fields may change between versions; `version`
 * says which it is, and `restore` refuses one it does not know.
 */
export interface RestoreData {
  readonly version: number;
  /** What leads back, each with an old value or a recipe for it. */
  readonly edits: readonly unknown[];
}

/**
 * Sums of a condensation. Totals are those of the handler's `countTokens` when there is one (before: `totalTokens`, when it is given), or else
 * counted here.
 */
export interface CondensationStats {
  /** Tokens before, system prompt included. */
  originalTokens: number;
  /** Tokens after. */
  finalTokens: number;
  /** Share of the tokens that was removed, 0 to 100. */
  reductionPercent: number;
  /** Dollars. */
  cost: number;
  /** Operations of `changes`, each once. */
  operationsPerformed: string[];
}

/** Measurements of a condensation. */
export interface CondensationMetrics {
  /** The provider that changed the conversation last, or else the one that was asked; empty when none was. */
  providerId: string;
  /** Milliseconds. */
  timeElapsed: number;
  tokensSaved: number;
  originalTokens: number;
  condensedTokens: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /**
   * For each pass of the smart provider that changed something `pass_` with its id, or `lossless_prelude` and `salient_to_target` for what goes before
   * and after them; then as `operationsPerformed`.
   */
  operationsApplied: string[];
}

/** What a result says beside its messages. */
interface CondensationReport {
  /** The summary that was written; empty when there is none. */
  summary: string;
  /** Dollars spent, also by providers that failed. */
  cost: number;
  /** Tokens in the context before: as reported (`totalTokens`), or else as counted. */
  prevContextTokens: number;
  /** And after: `prevContextTokens` less the tokens removed. */
  newContextTokens: number;
  /** What went wrong. Failures while working are returned, not thrown. */
  error?: CondensationError;
  stats: CondensationStats;
  metrics: CondensationMetrics;
  /** How each pass went; only of providers that work in passes. */
  passes?: PassReport[];
  /** What was changed, by message and block. */
  changes: Change[];
  /** The first message that differs, from which on the model provider's prompt cache misses; -1 if nothing changed. */
  firstChangedIndex: number;
  /** What that means for the prompt cache; absent if nothing changed. */
  promptCache?: PromptCacheEffect;
  /**
   * Each is `<word>: <text>`, with one of these words:
   *
   * - `target_not_met`: what must stay is more than the target
   * - `provider_failed` (followed by the id and the code), `unknown_provider`: another provider of the chain went on
   * - `invalid_threshold`: a profile's own threshold is not valid; the global one applied
   * - `handler_invalid`, `handler_missing`: a handler was passed over, or its profile has none
   * - `no_handler`: a pass of the smart provider wants a model, and there is no handler; `pass_failed`, `summary_failed`: it did without
   * - `reduction_too_small`: less than `minReductionTokens` would be saved, so nothing was changed
   * - `summary_truncated`: a summary ends in the middle, because it may be no longer
   * - `window_too_large`: the model's window is smaller than thought; it was asked again in smaller parts
   * - `price_unknown`: `maxCost` cannot be kept before asking; `cost_limit`: it is spent
   * - `low_reduction`: a summary was paid for, and less than 20% of the tokens were removed
   * - `cache_failed`: the store for summaries failed, and was done without
   * - `count_tokens_failed`: the handler's `countTokens` failed; the totals are counted locally
   * - `progress_listener_failed`: `onProgress` threw
   */
  warnings: string[];
  /** Of `condenseIfNeeded`: whether it was due, and why. */
  trigger?: TriggerDecision;
}

/**
 * What a change means for the prompt cache that the model's provider keeps: it holds the conversation up to the first difference. Dollars are by the
 * price of the conversation's model ({@link ProviderCallOptions.price}), absent without one, and assume that all of the conversation stood in the
 * cache; absent cache prices count as `inputPrice`.
 */
export interface PromptCacheEffect {
  /** Tokens before the first change, system prompt included: they are still read from the cache. */
  keptTokens: number;
  /** Tokens from the first change on, which the next request writes anew. */
  rewrittenTokens: number;
  /** Dollars for writing them. */
  rewriteCost?: number;
  /** Dollars that the next request costs more than it would have without the change; negative when it costs less. */
  extraCost?: number;
  /** Dollars that each request after that costs less. */
  savedPerRequest?: number;
}

/** What came of a condensation. */
export interface CondensationResult<M extends MessageLike = Message> extends CondensationReport {
  /** The condensed messages. The array that came in when nothing changed; unchanged messages and blocks are the same objects. */
  messages: M[];
  /** Whether anything changed. Nothing to gain is no error. */
  didCondense: boolean;
  /** For {@link restore}. */
  restoreData: RestoreData;
}

/**
 * What a condensation would do. Mechanical work was tried and is exact; of summaries that a model would write, tokens and dollars are estimates,
 * and `exact` is false from there on.
 */
export interface Preview<M extends MessageLike = MessageLike> extends CondensationReport {
  /** Whether anything would change. */
  wouldCondense: boolean;
  /** False when what a model would write is in it, of which tokens and dollars are estimates. */
  exact: boolean;
  /**
   * Up to five messages, in order: those that would be added; for each operation, those that save most first, the message in which it saves most; and
   * others that would save most.
   */
  samples: PreviewSample<M>[];
}

/** A message as it is and as it would be. */
export interface PreviewSample<M extends MessageLike = MessageLike> {
  /** Its index; of an added message the index it would stand before. */
  messageIndex: number;
  /** The caller's own object; `null` for a message that would be added. */
  before: M | null;
  /** `null` for a message that would be removed. */
  after: M | null;
  /** False where words stand for what a model would write. */
  exact: boolean;
  /** What would be done to it; see {@link Change.operation}. */
  operations: string[];
  /** Tokens, unscaled. */
  tokensSaved: number;
}

/** What a condensation would save. */
export interface TokenEstimate {
  /** Tokens before. */
  originalTokens: number;
  /** Tokens after. */
  estimatedTokens: number;
  /** Tokens removed. */
  estimatedReduction: number;
  /** 0 to 100. */
  reductionPercent: number;
  /**
   * 1 when all of it was tried. With summaries by a model, 1 less their expected tokens over the tokens removed: that much would still be removed if they
   * became twice as long. 0 when trying failed.
   */
  confidence: number;
  /** Dollars. */
  cost: number;
  /** Why trying failed. */
  error?: CondensationError;
}

/**
 * The messages as they were before the condensation, equal in every field; what was not changed is the same object. Takes a result, or its
 * `messages` and `restoreData` after a round trip through JSON. Messages that were added at the end since stay there.
 *
 * @throws {TypeError} `invalid_restore_data`, `invalid_argument`
 */
export function restore<M extends MessageLike = Message>(condensed: {
  readonly messages: readonly M[];
  readonly restoreData: RestoreData;
}): M[];

// Providers ---------------------------------------------------------------------------------------------------------------------------

/** What a provider can do. */
export interface ProviderCapabilities {
  /** It can work without losing anything. */
  supportsLossless: boolean;
  /** It can drop content. */
  supportsLossy: boolean;
  /** It can ask a model for summaries. */
  supportsLLMSummarization: boolean;
  /** It works on several parts at once. */
  supportsParallelProcessing: boolean;
  /** It works in passes. */
  supportsMultiPass: boolean;
  /** It may stand in for another provider. */
  supportsFallback: boolean;
  /** Milliseconds, seconds (default), or tens of seconds. */
  estimatedSpeed: "fast" | "medium" | "slow";
}

/** What a provider says of itself. */
export interface ProviderInfo {
  id: string;
  /** For people. */
  name: string;
  /** What it does, in a sentence. */
  description: string;
  version: string;
  capabilities: ProviderCapabilities;
}

/** A field of a configuration that is wrong. */
export interface ConfigProblem {
  /** The field. */
  path: string;
  code: ArgumentErrorCode;
  /** Names the field, its value and what is allowed. */
  message: string;
}

/** What a configuration check says. */
export interface ConfigValidation {
  valid: boolean;
  /** Every field that is wrong. */
  errors: ConfigProblem[];
}

/** What a provider of the host is given. */
export interface ProviderContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /** A copy of the array with the caller's own objects, which must not be mutated: return new ones. */
  readonly messages: M[];
  /** Their tokens, system prompt included. */
  readonly tokenCount: number;
  /** True when the result is only looked at (`preview`, estimates): ask no model. */
  readonly isPreview?: boolean;
}

/** The options as they were given, without `provider`, so that they can be handed on to another provider. */
export interface ProviderOptions extends ProviderCallOptions {
  /** Empty when none was given. */
  config: object;
}

/** What a provider of the host returns. Everything but `messages` may be left out; further fields are ignored, so a whole result will do. */
export interface ProviderResult<M extends MessageLike = Message> {
  /** Objects of the context's `messages` count as unchanged, all others as new. */
  messages: readonly M[];
  summary?: string | undefined;
  /** Dollars. */
  cost?: number | undefined;
  warnings?: readonly string[] | undefined;
  /** Anything here makes the call fail; it is then the `cause` of the error. */
  error?: unknown;
}

/** A condensation strategy written by the host. Only `id` and `condense` have to be there. */
export interface CondensationProvider<M extends MessageLike = Message> {
  /** What it is registered under; not empty. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string | undefined;
  /** Default: empty. */
  readonly description?: string | undefined;
  /** Default: empty. */
  readonly version?: string | undefined;
  /** Called once, when it is registered. Default: none of them, medium speed. */
  getCapabilities?(): Partial<ProviderCapabilities>;
  /**
   * Condenses. What it throws, rejects with or reports as `error` becomes the `cause` of a `provider_failed`; a result that breaks the conversation
   * (`broken_result`) or makes it larger (`context_grew`) is refused. A promise that never resolves ends with `options.signal`, and does not keep
   * the process alive.
   */
  condense(context: ProviderContext<M>, options: ProviderOptions): ProviderResult<M> | PromiseLike<ProviderResult<M>>;
}

/** A strategy that comes with this package. It can be used on its own, or be registered with a manager. */
export interface BuiltInProvider<Config extends object = object> {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  getCapabilities(): ProviderCapabilities;
  /** JSON Schema (2020-12) of its configuration, with defaults. */
  getConfigSchema(): Record<string, unknown>;
  /** Checks a configuration without throwing. */
  validateConfig(config: unknown): ConfigValidation;
  /**
   * Condenses with this provider alone: no fallback, no metrics, no cache of summaries, no limit on cost, encoding `o200k_base`, scale 1. Wrong
   * arguments throw at once.
   * @throws {TypeError | RangeError} see {@link ArgumentErrorCode}
   */
  condense<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<CondensationResult<M>>;
  /**
   * What `condense` would save; no model is asked. `config` and `options` as for `condense`: a provider that asks a model needs its handler, to know
   * the price.
   */
  estimateReduction<M extends MessageLike>(
    context: ConversationContext<M>,
    config?: Config,
    options?: ProviderCallOptions,
  ): Promise<TokenEstimate>;
  /** What `condense` would do, step by step; no model is asked. Arguments as for `condense`. */
  preview<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<Preview<M>>;
  /** Dollars that `condense` would cost. Arguments as for `estimateReduction`. */
  estimateCost<M extends MessageLike>(context: ConversationContext<M>, config?: Config, options?: ProviderCallOptions): Promise<number>;
}

/** Configuration of the native provider. */
export interface NativeConfig {
  /** How many of the newest messages stay as they are, 1 to 10; more where roles or tool pairs ask for it. Default: 3. */
  maxMessagesToKeep?: number | undefined;
  /** The system prompt to summarise by. A prompt given with the call or the profile wins. Default, and for a blank one: the built-in prompt. */
  customCondensingPrompt?: string | undefined;
  /**
   * Tokens of the condensing model's window when its handler does not know, 1024 to 100,000,000. Longer histories are summarised in parts, which are
   * then merged. Default: 128,000.
   */
  contextWindow?: number | undefined;
  /** How many parts of a long history are summarised at once, 1 to 16. Default: 3. */
  maxConcurrency?: number | undefined;
}

/**
 * Configuration of the lossless provider. What it does is checked by reading it back before a result is returned; `docs/markers.md` shows what the
 * model is given to read.
 */
export interface LosslessConfig {
  /** Say the lines of a file once, however often it was read, written and listed. Default: true. */
  deduplicateFileReads?: boolean | undefined;
  /** Say lines of other tool results once: logs, test output, listings, searches. Default: true. */
  consolidateToolResults?: boolean | undefined;
  /** Leave out what a later message replaced. What is left out is in `restoreData` only. Default: true. */
  removeObsoleteState?: boolean | undefined;
  /**
   * Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the condensation. The
   * result is the same either way. Default: true.
   */
  maintainReferenceCache?: boolean | undefined;
  /** Do only what can be read back from the conversation itself: turns `removeObsoleteState` off. Default: false. */
  strict?: boolean | undefined;
  /**
   * Which copy stays: the newest (`last`, the default), or the oldest (`first`), which leaves the beginning of the history, and so the
   * model provider's prompt cache, alone.
   */
  keep?: "last" | "first" | undefined;
  /** In so many of the newest messages nothing obsolete is left out, and lines keep their numbers, 0 to 1,000,000. Default: 4. */
  preserveRecentCount?: number | undefined;
  /** A pointer that saves fewer tokens is not put, 1 to 1,000,000: a text in many small pieces is hard to read. Default: 24. */
  minTokensSaved?: number | undefined;
  /** Change long texts in the parameters of tool calls too. Default: true. */
  toolParameters?: boolean | undefined;
  /** Operation `reference`: a result becomes a pointer to one that is the same. Default: true. */
  reference?: boolean | undefined;
  /** Operation `containment`: a result becomes a pointer into one that contains it. Default: true. */
  containment?: boolean | undefined;
  /** Operation `diff`: of a file that was shown in another version too, only the differences stay. Default: true. */
  diff?: boolean | undefined;
  /** Operation `repeated_lines`: lines that stand elsewhere become a pointer. Default: true. */
  repeatedLines?: boolean | undefined;
  /** Operation `line_numbers`: numbers of lines are left out behind a heading that restores them. Default: true. */
  lineNumbers?: boolean | undefined;
  /** Operation `environment_snapshot`: snapshots of the environment but the newest are left out. Default: true. */
  environmentSnapshots?: boolean | undefined;
  /**
   * Operation `stale_read`: what was read of a file is left out once the file was changed and then read or written again (`seenAgain`, the default), so
   * that the newest view of every file stays; or as soon as it was changed (`changed`); or never (`off`).
   */
  staleReads?: "seenAgain" | "changed" | "off" | undefined;
  /** Operation `overwritten_write`: what was written to a file that was written again later is left out. Default: true. */
  overwrittenWrites?: boolean | undefined;
  /** Operation `todo_list`: lists of things to do but the newest are left out. Default: true. */
  todoLists?: boolean | undefined;
  /** Operation `failed_edit`: edits that failed before the same file was edited are left out. Default: true. */
  failedEdits?: boolean | undefined;
}

/** Configuration of the truncation provider. */
export interface TruncationConfig {
  /** `content` (default) cuts old tool results and parameters, `window` drops the oldest messages. */
  mode?: "content" | "window" | undefined;
  /**
   * Which lines stay: those most likely to be used again (`salient`), the first ones (`head`), or the first and the last
   * (`head_tail`). Default `auto`: `salient` when there is a target and none of the limits of the other strategies
   * (`truncationMode`, `maxToolResultLines`, `maxLineChars`, `maxToolParamChars`, `preserveUserMessages`,
   * `preserveAssistantText`) is set, `head` otherwise. With `truncationMode: "suppress"` `salient` means `head`.
   */
  strategy?: "auto" | "salient" | "head" | "head_tail" | undefined;
  /** Whether old results and parameters are cut (`truncate`, the default) or replaced by a note (`suppress`). Not for `salient`. */
  truncationMode?: "truncate" | "suppress" | undefined;
  /** The newest messages that are never touched, 1 to 1000. Default: 5. */
  preserveRecentCount?: number | undefined;
  /**
   * Lines that stay of an old tool result, 1 to 100,000. Default: 5; with a target and no value of its own, as many as fit. `salient` needs it only
   * without a target.
   */
  maxToolResultLines?: number | undefined;
  /** Characters that stay of each of those lines, 20 to 1,000,000. Default: 500. Not for `salient`. */
  maxLineChars?: number | undefined;
  /**
   * Characters that stay of a long string in tool parameters, 1 to 1,000,000. Default: 100; with a target and no value of its own, as many as fit. Not
   * for `salient`, which leaves parameters whole unless a target asks for more.
   */
  maxToolParamChars?: number | undefined;
  /** Whether what the user wrote stays whole. Default: true. Not for `salient`, which cuts it only where a target cannot be met otherwise. */
  preserveUserMessages?: boolean | undefined;
  /** Whether what the assistant wrote stays whole. Default: true. Not for `salient`, which cuts it only where there is a target. */
  preserveAssistantText?: boolean | undefined;
  /** Texts of fewer tokens are not touched, 0 to 1,000,000. Default: 100. `salient` needs it only without a target. */
  minTokensForTruncation?: number | undefined;
  /** A signal of the strategy `salient` to do without, to measure what it is worth. Default: `none`. */
  withoutSignal?: "none" | "recurrence" | "recency" | "use" | "kind" | "newest" | "coverage" | "passages" | "dropping" | undefined;
}

/**
 * The native provider, id `native`: one summary by a model takes the place of everything between the first message and the newest ones. It needs a
 * handler; without one the result has the error `handler_invalid`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 */
export function createNativeProvider(config?: NativeConfig): BuiltInProvider<NativeConfig>;

/**
 * The lossless provider, id `lossless`: says each thing once. No model is asked.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 */
export function createLosslessProvider(config?: LosslessConfig): BuiltInProvider<LosslessConfig>;

/**
 * The truncation provider, id `truncation`: cuts what is old, between the first message and the newest ones. No model is asked.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 */
export function createTruncationProvider(config?: TruncationConfig): BuiltInProvider<TruncationConfig>;

/** A configuration of the smart provider by name. `quality` is another name for `conservative`. */
export type PresetName = "conservative" | "quality" | "balanced" | "aggressive" | "multi_zone" | "selective";

/**
 * Configuration of the smart provider. Fields that are given replace those of the preset. An unknown field is an error, and every error
 * names its place: `passes[1].individualConfig.defaults.toolResults.operation`.
 */
export interface SmartConfig<M extends MessageLike = Message> {
  /** What the other fields replace parts of. Default: `balanced`. */
  preset?: PresetName | undefined;
  /** For people. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** Off leaves every conversation as it is; with a target, the next provider of a manager's chain goes on. Default: true. */
  enabled?: boolean | undefined;
  /** Whether the lossless provider goes first (default: true), and its configuration. */
  losslessPrelude?: { enabled?: boolean | undefined; operations?: LosslessConfig | undefined } | undefined;
  /**
   * Done in this order, until the target is reached. Without a handler, salient truncation stands in for summaries of single texts, and batch
   * summaries are skipped.
   */
  passes?: readonly SmartPass<M>[] | undefined;
  /** Requests for summaries under way at once, 1 to 32. Default: 4. */
  maxConcurrency?: number | undefined;
  /**
   * When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss. No model is asked when even
   * the shortest summaries would save fewer. Default: 0.
   */
  minReductionTokens?: number | undefined;
  /**
   * When the passes leave more than the target, salient truncation goes on; and it takes the place of a pass without a model that would cut more than
   * the target asks for. Default: true for all presets but `selective`; false with `passes` of one's own.
   */
  meetTarget?: boolean | undefined;
  /** Without a handler, the result has no more tokens than this preset would leave. Default: what the preset says. */
  noMoreTokensThan?: PresetName | undefined;
}

/** One step of the smart provider. */
export interface SmartPass<M extends MessageLike = Message> {
  /** What reports call it; no two passes share one, and none is called like a step of its own: `lossless_prelude`, `salient_to_target`, `no_more_tokens_than`. */
  id: string;
  /** For people. Default: the id. */
  name?: string | undefined;
  /** For people. */
  description?: string | undefined;
  /** Which messages it works on. The first and the newest are never among them. */
  selection: SmartSelection<M>;
  /** `individual`: each text on its own; `batch`: the selected messages as one, or as several where others stand between them. */
  mode: "individual" | "batch";
  /** Needed for `individual`. */
  individualConfig?: IndividualConfig | undefined;
  /** Needed for `batch`. */
  batchConfig?: BatchConfig | undefined;
  /** When it runs. Default: always. */
  execution?:
    | { type?: "always" | undefined }
    | {
        type: "conditional";
        /** It runs when the conversation and the system prompt have more tokens than this. */
        condition: { tokenThreshold: number };
      }
    | undefined;
}

/** Which messages a pass works on: all but the newest ones, all but a share of the newest ones, or those that are named or chosen. */
export type SmartSelection<M extends MessageLike = Message> =
  | {
      type: "preserve_recent";
      /** 1 or more. */
      keepRecentCount: number;
    }
  | {
      type: "preserve_percent";
      /** 0 to 100; the number of messages is rounded up. */
      keepPercentage: number;
    }
  | {
      type: "custom";
      /** Indices in the messages of the call. */
      messageIndices: readonly number[];
    }
  | {
      type: "custom";
      /** Called with the messages of the call; returns some of them, the same objects. */
      customSelector: (messages: M[]) => readonly M[];
    };

/** What is done to each text of the selected messages. */
export interface IndividualConfig {
  /** By content kind; what is not named is kept. */
  defaults: ContentOperations;
  /** Content of a kind with fewer tokens in a message is left as it is. Default: none. */
  messageTokenThresholds?: ContentThresholds | undefined;
  /** What is different for single messages; `messageIndex` is the index in the messages of the call. */
  overrides?:
    | readonly {
        messageIndex: number;
        operations?: ContentOperations | undefined;
        messageTokenThresholds?: ContentThresholds | undefined;
      }[]
    | undefined;
}

/** An operation for each content kind. */
export interface ContentOperations {
  /** What the user and the assistant say. */
  messageText?: ContentOperation | undefined;
  /** Texts in the parameters of tool calls. */
  toolParameters?: ContentOperation | undefined;
  /** What tools answered. */
  toolResults?: ContentOperation | undefined;
}

/** Tokens for each content kind. */
export interface ContentThresholds {
  messageText?: number | undefined;
  toolParameters?: number | undefined;
  toolResults?: number | undefined;
}

/** What is done to a text. No text is ever replaced by one with as many tokens or more. */
export interface ContentOperation {
  /** `suppress` leaves a note; of parameters, it leaves texts of up to 100 characters, which say what a call was about. */
  operation: "keep" | "suppress" | "truncate" | "summarize";
  /** For the operations that take parameters; others are ignored. */
  params?: { truncate?: TruncateParams | undefined; summarize?: SummarizeParams | undefined } | undefined;
}

/** How a text is cut. With neither limit: 5 lines, and 100 characters of parameters. */
export interface TruncateParams {
  /** Characters that stay, 1 or more. */
  maxChars?: number | undefined;
  /** Lines that stay, 1 or more. */
  maxLines?: number | undefined;
  /** Characters that stay of each line, 20 or more. Default: 500. */
  maxLineChars?: number | undefined;
  /** Whether a marker says what is missing. Without one, `salient` cuts like `head`. Default: true. */
  addEllipsis?: boolean | undefined;
  /** Which part stays: what is most likely to be used again, the first lines, or the first and the last. Default: `salient`. */
  strategy?: "salient" | "head" | "head_tail" | undefined;
}

/** How a text is summarised. */
export interface SummarizeParams {
  /**
   * The longest summary in tokens, 16 or more; what a model writes beyond that is cut off. Texts of no more tokens are left as they are. Default: 150.
   */
  maxTokens?: number | undefined;
  /** Texts of fewer characters are left as they are. Default: 0. */
  minChars?: number | undefined;
  /**
   * The system prompt. Default: one that fits the content kind; with it, up to eight texts of up to 600 tokens are asked for in one request, where
   * that costs less.
   */
  customPrompt?: string | undefined;
  /**
   * The profile of the manager (`ManagerOptions.profiles`) whose handler and price are for these summaries. Default, and with the warning
   * `handler_missing` where the profile has no handler: the condensing handler.
   */
  apiProfile?: string | undefined;
}

/** What is done to the selected messages as one. */
export interface BatchConfig {
  /** `summarize` puts one summary in their place, as the native provider does. */
  operation: "keep" | "summarize";
  /** For `summarize`. */
  summarizationConfig?:
    | {
        /** The system prompt. Default: that of the native provider. */
        customPrompt?: string | undefined;
        /** Messages that stay at the start; the first one always does. Default: 1. */
        keepFirst?: number | undefined;
        /** Messages that stay at the end where the selection would leave fewer. Default: 1. */
        keepLast?: number | undefined;
        /** The profile of the manager whose handler and price are for this summary. Default: the condensing handler. */
        apiProfile?: string | undefined;
      }
    | undefined;
}

/** How one pass of the smart provider went. */
export interface PassReport {
  /**
   * The id of the pass; `lossless_prelude` for what goes before all passes, `salient_to_target` for what goes on after them, `no_more_tokens_than` where
   * that preset's result took the place of theirs.
   */
  id: string;
  name: string;
  /** Whether it ran: its condition held, and the target was not reached before. */
  ran: boolean;
  /** Why it did not run, or could not do its work. */
  skipped?: string;
  /** Tokens before, system prompt included. */
  tokensBefore: number;
  /** And after. */
  tokensAfter: number;
  /** Tokens removed. */
  tokensSaved: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /** False where summaries that a model would write are only estimated. */
  exact: boolean;
  /** Dollars. */
  cost: number;
  /** Milliseconds. */
  timeElapsed: number;
  /** Messages that were changed or removed. */
  messagesChanged: number;
  /** The first of them, by its index in the messages of the call; -1 when there is none. */
  firstChangedIndex: number;
  /** What was done to them, each once; see {@link Change.operation}. */
  operationsApplied: string[];
}

/**
 * The smart provider, id `smart`: lossless first, then passes one after the other, until the target is reached.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 */
export function createSmartProvider<M extends MessageLike = Message>(config?: SmartConfig<M> | PresetName): BuiltInProvider<SmartConfig<M>>;

/** The presets of the smart provider, to be read, copied and changed. */
export const presets: Readonly<Record<PresetName, SmartConfig>>;

// Manager -----------------------------------------------------------------------------------------------------------------------------

/** When automatic condensing without gain is given up for a while. */
export interface GuardOptions {
  /** So many attempts without gain are enough, 1 or more. Default: 3. */
  attempts?: number | undefined;
  /** Within this time, in milliseconds. Default: 60,000. */
  windowMs?: number | undefined;
  /** An attempt that removes less than this share of the tokens is one without gain, 0 to 100 percent. Default: 5. */
  minGainPercent?: number | undefined;
}

/** What belongs to a profile of the host besides its threshold. */
export interface ProfileOptions {
  /** The profile whose handler and price are for summaries under this one. Without a handler there, the warning is `handler_missing`. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt to summarise by. A prompt given with the call wins. */
  customCondensingPrompt?: string | null | undefined;
  /** For conversations under this profile. */
  handler?: HandlerOption;
  /** For a handler that has no price of its own. */
  price?: ModelPrice | null | undefined;
}

/** A store of the host for summaries. What it throws or rejects with becomes the warning `cache_failed`. */
export interface SummaryStore {
  /** The text kept under `key`; anything that is no string counts as not kept. Keys are hashes of the model, the prompt and what is summarised. */
  get(key: string): unknown;
  /** Keeps a text. A promise is waited for. */
  set(key: string, value: string): unknown;
}

/** Options of a {@link CondensationManager}. An unknown field is an error. */
export interface ManagerOptions {
  /** Id of the provider that is active at first; one of the host's may be registered afterwards. Default: `native`. */
  provider?: string | undefined;
  /**
   * Whether reaching the threshold makes a condensation due. If not, only a full window does, and the oldest messages are dropped then
   * (`truncation`). Default: true.
   */
  autoCondenseContext?: boolean | undefined;
  /** The threshold, in percent of the context window, 5 to 100. Default: 100. */
  autoCondenseContextPercent?: number | undefined;
  /** Thresholds by profile: -1 inherits the global one, 5 to 100 is used, anything else warns and inherits. Default: none. */
  profileThresholds?: Readonly<Record<string, number>> | undefined;
  /** Asks the conversation's own model; see {@link ProviderCallOptions.handler}. Default: none. */
  handler?: HandlerOption;
  /** Writes summaries. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** What belongs to the profiles of the host, by id. Default: none. */
  profiles?: Readonly<Record<string, ProfileOptions>> | undefined;
  /**
   * What to try, in order, when a provider fails or does not reach the target; `false` for nothing. Default: `native`, `lossless`, `truncation` after
   * `smart`; `lossless`, `truncation` after `native`; `truncation` after `lossless`; nothing after others.
   */
  fallback?: readonly string[] | false | undefined;
  /**
   * Dollars that may be spent by this manager in all, 0 or more. A summary that would probably exceed it is not asked for: `cost_limit`. Default: no
   * limit.
   */
  maxCost?: number | undefined;
  /** Where summaries are kept, so that the same is not asked twice; `false` for nowhere. Default, and for `true`: up to 8 MiB of memory. */
  cache?: SummaryStore | boolean | null | undefined;
  /** The guard against condensing again and again without gain; `false` for none. */
  guard?: GuardOptions | false | undefined;
  /** The vocabulary. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** From tokens of that vocabulary to those of the model. Default: 1. */
  scale?: Scale | undefined;
}

/** The configuration in force. */
export interface EffectiveConfig {
  /** The profile it is for; `null` for none. */
  profileId: string | null;
  /** The active provider. */
  provider: string;
  autoCondenseContext: boolean;
  /** In percent. */
  threshold: number;
  encoding: Encoding;
  /** The factor in use. */
  scale: number;
  /** Dollars; `null` for no limit. */
  maxCost: number | null;
  /** The profile that writes summaries; `null` for none of its own. */
  condensingApiConfigId: string | null;
  /** `null` for none of its own. */
  customCondensingPrompt: string | null;
  /** Of the profile that writes summaries, or else of this one; `null` when neither has one. Handlers that have a price keep it. */
  price: ModelPrice | null;
  /** `invalid_threshold` when the profile's own is not valid. */
  warnings: string[];
}

/** What is known about the context. */
export interface Usage {
  /** Tokens without the last message, as the API reported them, 0 or more. */
  totalTokens: number;
  /** Tokens of the last message. Default: 0. */
  lastMessageTokens?: number | undefined;
  /** The model's context window in tokens, 1 or more. */
  contextWindow: number;
  /** Tokens the model may answer with. Default, and for 0: 8192. */
  maxTokens?: number | null | undefined;
  /** Whose threshold applies. Default: the global one. */
  profileId?: string | null | undefined;
}

/** Whether a condensation is due, and why. */
export interface TriggerDecision {
  due: boolean;
  /** `threshold`: that share of the window is in use; `window`: the next answer would no longer fit. */
  reason: "threshold" | "window" | "none";
  /** `totalTokens + lastMessageTokens` */
  prevContextTokens: number;
  /** `contextWindow * 0.9 - reservedTokens` */
  allowedTokens: number;
  /** `maxTokens || 8192` */
  reservedTokens: number;
  /** `100 * prevContextTokens / contextWindow` */
  contextPercent: number;
  /** The threshold that applied, in percent. */
  threshold: number;
  warnings: string[];
}

/** Sums and averages over some calls. */
export interface MetricTotals {
  /** Condensations asked for. */
  calls: number;
  /** Ended without an error. */
  successes: number;
  /** Ended with an error. */
  errors: number;
  /** Dollars. */
  cost: number;
  tokensSaved: number;
  /** Mean share of the tokens removed by the successful calls, in percent. */
  averageReductionPercent: number;
  /** Mean time of a call, in milliseconds. */
  averageLatencyMs: number;
}

/** Something in the metrics that deserves attention. */
export interface MetricAlert {
  /** `low_reduction`: summaries were paid for, and remove less than 20% on average; `cost_limit`: `maxCost` is spent. */
  code: "low_reduction" | "cost_limit";
  /** For a person. */
  message: string;
  /** The provider, if it is about one. */
  providerId?: string;
  /** The profile, if it is about one. */
  profileId?: string;
}

/** What a manager has done since it was made or its metrics were reset. Previews and calls that were not due are not counted. */
export interface Metrics {
  total: MetricTotals;
  /** By provider, those that stood in for another included. */
  providers: Record<string, MetricTotals>;
  /** By profile; calls without one are not here. */
  profiles: Record<string, MetricTotals>;
  /** What deserves attention, as of now. */
  alerts: MetricAlert[];
}

/** What an API reported for messages that were also counted here. */
export interface CalibrationReport {
  /** Counted here, unscaled, above 0. */
  localTokens: number;
  /** Reported by the API, from 0.25 to 4 times as many. */
  reportedTokens: number;
  /** The model, by any name that is always the same. */
  model: string;
}

/** Knows the providers, decides when to condense, and does it. Two managers share nothing but caches of token counts. */
export class CondensationManager {
  /** @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument` */
  constructor(options?: ManagerOptions);

  /**
   * Adds a provider, of this package or of the host; one with the same id is replaced.
   * @throws {TypeError} `invalid_argument`
   */
  registerProvider<M extends MessageLike>(provider: CondensationProvider<M>): void;
  registerProvider(provider: BuiltInProvider): void;

  /** Removes a provider. Whether there was one. Calls that are under way end with it. */
  unregisterProvider(id: string): boolean;

  /** The provider with this id: the object that was registered, or `null`. */
  getProvider(id: string): BuiltInProvider | CondensationProvider<any> | null;

  /** What the providers say of themselves, in the order they were registered. */
  listProviders(): ProviderInfo[];

  /** @throws {TypeError} `unknown_provider` */
  setActiveProvider(id: string): void;

  /** @throws {TypeError} `unknown_provider` when it is not registered (any more, or yet) */
  getActiveProvider(): BuiltInProvider | CondensationProvider<any>;

  /** The configuration in force for a profile. */
  getEffectiveConfig(profileId?: string | null): EffectiveConfig;

  /** The threshold in force for a profile, in percent. */
  effectiveThreshold(profileId?: string | null): number;

  /**
   * Sets the threshold of a profile: 5 to 100 percent, or -1 to inherit the global one.
   * @throws {RangeError} `out_of_range`
   */
  setProfileThreshold(profileId: string, percent: number): void;

  /**
   * Whether a condensation is due: when the threshold is reached (`100 * prev / contextWindow >= threshold`) or the next answer would not fit
   * (`prev > contextWindow * 0.9 - (maxTokens || 8192)`), where `prev = totalTokens + lastMessageTokens`. Synchronous.
   * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
   */
  shouldCondense(usage: Usage): TriggerDecision;

  /**
   * Learns how many tokens of a model's own one of ours stands for, as a moving ratio per model; used when `scale` is `"auto"`.
   * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`, `invalid_calibration`
   */
  calibrate(report: CalibrationReport): void;

  /**
   * Condenses. Wrong arguments throw at once; the promise never rejects: failures are in `result.error`.
   * @throws {TypeError | RangeError} see {@link ArgumentErrorCode}
   */
  condense<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<CondensationResult<M>>;

  /**
   * Condenses when that is due (`result.trigger` says why). When the window is full and no target is given, the target is what fits.
   * `context` needs `totalTokens` and `contextWindow`.
   * @throws {TypeError | RangeError} see {@link ArgumentErrorCode}
   */
  condenseIfNeeded<M extends MessageLike>(
    context: ConversationContext<M> & { readonly totalTokens: number; readonly contextWindow: number },
    options?: CondenseOptions,
  ): Promise<CondensationResult<M>>;

  /**
   * What `condense` would do, within what `maxCost` leaves. Nothing is changed or remembered and no model is asked; a provider of the host is called
   * with `context.isPreview`.
   */
  preview<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<Preview<M>>;

  /** Dollars that `condense` would cost; 0 where the price is not known. */
  estimateCost<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<number>;

  /** Tokens that `condense` would save. */
  estimateReduction<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<TokenEstimate>;

  /** A copy of the metrics. */
  getMetrics(): Metrics;

  /** Forgets the metrics; what counts towards `maxCost` stays. */
  resetMetrics(): void;
}

// Tokens ------------------------------------------------------------------------------------------------------------------------------

/** A vocabulary: GPT-4o and later (what Roo-Code counts with), or GPT-3.5 and GPT-4. */
export type Encoding = "o200k_base" | "cl100k_base";

/**
 * How many tokens of the model's own one token of the vocabulary stands for: a number from 0.1 to 10; a family of models (`gpt` 1,
 * `gemini` 1.2, `claude` 1.25, `claude-4.7` 1.65); or `auto`, learned by {@link CondensationManager.calibrate}, until then 1.
 */
export type Scale = number | "gpt" | "gemini" | "claude" | "claude-4.7" | "auto";

/** Options of {@link countTokens}. */
export interface CountOptions {
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
 */
export function countTokens<V extends Countable>(value: V, options?: CountOptions): number;

/**
 * Loads a vocabulary on another thread; condensing does so by itself. Default: `o200k_base`.
 * @throws {TypeError} `unknown_encoding`, `invalid_argument`
 */
export function warmUp(encoding?: Encoding): Promise<void>;

// Package -----------------------------------------------------------------------------------------------------------------------------

/** The version of the addon, as in `package.json`. */
export function version(): string;

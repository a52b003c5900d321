// Input of a condensation: the conversation, and the options of the call.

import type { LlmErrorCode } from "./errors.js";
import type { HandlerOption } from "./handlers.js";
import type { FormatOptions, Message, MessageLike } from "./messages.js";
import type { ModelPrice } from "./prices.js";
import type { Protect } from "./protect.js";
import type { EconomicsOptions, ProviderId } from "./options.js";

/** A text block of a system prompt, such as Anthropic's `TextBlockParam`. */
export interface SystemTextBlock {
  readonly type: "text";
  readonly text: string;
}

/** A conversation and facts about it. Unknown fields are ignored, but passed on to custom providers. `null` is the same as absent. */
export interface ConversationContext<M extends MessageLike = Message> {
  /** The history, oldest first. Never mutated. */
  readonly messages: readonly M[];
  /** The system prompt: a string, or text blocks like Anthropic's `system`. It counts towards the tokens and never changes. Default: none. */
  readonly systemPrompt?: string | readonly SystemTextBlock[] | null | undefined;
  /**
   * The tools of your application's own requests, as it sends them to its model. With them and `systemPrompt`, a summary is requested by appending one message
   * to your own request, so the service can read the rest from its prompt cache (`NativeConfig.summaryRequest`). Messages are sent with `role` and `content`
   * only, byte for byte. Default: none; summaries are separate requests.
   */
  readonly tools?: readonly object[] | null | undefined;
  /** Identifies the conversation for the loop guard. Default: all conversations share one. */
  readonly taskId?: string | null | undefined;
  /** Identifies the user, for strategies that depend on the user (`createPerUser`, `createAbTest`). Default: none. */
  readonly userId?: string | null | undefined;
  /** Tokens in the context without the last message, as the API reported them. Required for `condenseIfNeeded`. */
  readonly totalTokens?: number | null | undefined;
  /** Tokens in the context with the last message, for applications that count so; used if `totalTokens` is absent. Default: counted locally. */
  readonly tokenCount?: number | null | undefined;
  /** The handler of the conversation's own model, used if the option `handler` is absent. Default: none. */
  readonly apiHandler?: HandlerOption;
  /** The model's context window in tokens, 1 or more. Required for `condenseIfNeeded`. */
  readonly contextWindow?: number | null | undefined;
  /** Tokens reserved for the response, 0 or more, or -1 for "unlimited", as vscode-lm reports it. Default, and for 0 and -1: 8192. */
  readonly maxTokens?: number | null | undefined;
  /**
   * The name of the conversation's model, which decides how its thinking is treated (`ProviderCallOptions.thinking`). Default: the model of `handler`, or else
   * the one calibrated last.
   */
  readonly model?: string | null | undefined;
  /**
   * Whether that model has preserved thinking: it refuses a request if anything before signed thinking has changed. Default: by the name of the model; Claude
   * Opus, Sonnet and Haiku 5.5, Fable 5.1, Mythos 5.1 and later have it.
   */
  readonly preservedThinking?: boolean | null | undefined;
  /** The profile whose threshold, handlers, prompt and price apply, and whose metrics count the call. Default: none. */
  readonly profileId?: string | null | undefined;
  /** Whether the call is a dry run. It stands in the context of custom providers, which may pass it on; here it has no effect. */
  readonly isPreview?: boolean | undefined;
}

/**
 * How to treat `thinking` and `redacted_thinking` blocks after the first change. They are signed; models with preserved thinking accept a block only if
 * everything before it is unchanged. Blocks before the change are always kept.
 *
 * - `auto`: `drop` for models with preserved thinking, `keep` for others; if the model is unknown, with a warning
 * - `keep`: keeps them; the warning `thinking_after_change` reports how many are signed
 * - `drop`: removes them, together with messages that hold nothing else (a note replaces such a message if two messages of one role would meet). On Claude
 *   models without preserved thinking those of the current tool loop are kept, because the service requires them. `result.thinkingRemoved` counts the removed
 *   blocks, and `restore` brings them back.
 */
export type ThinkingOption = "auto" | "keep" | "drop";

/** Options of one call of a provider. */
export interface ProviderCallOptions extends FormatOptions {
  /**
   * The target: the largest number of tokens to leave, system prompt included, 0 or more. If `newContextTokens` is larger, the result has the warning
   * `target_not_met`. Counted like `totalTokens` if given, else by the handler's `countTokens`, else locally. In `condenseIfNeeded` it is capped by the context
   * window minus the reserved response. Default: none; the provider's configuration decides.
   */
  targetTokens?: number | undefined;
  /** Fields of the provider's configuration, for this call only. Fallback providers do not receive them. Default: none. */
  config?: object | undefined;
  /** The handler of the conversation's own model. Its `countTokens` decides totals, and it writes summaries if there is no `condensingHandler`. */
  handler?: HandlerOption;
  /** How to treat signed thinking after a change. Default: the manager's setting, or `auto`. */
  thinking?: ThinkingOption | undefined;
  /** Content to keep word for word, in addition to what the manager and the provider's configuration protect. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
  /** The handler that writes summaries. A call's handlers win over its profile's, and those over the manager's. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** The system prompt for summaries. Blank or absent: the profile's, the provider configuration's, or the default. */
  customCondensingPrompt?: string | undefined;
  /**
   * Aborts the work; the result then has the error `aborted`. The signal's own listeners and `onabort` are left alone. An object without usable events is
   * `invalid_argument`.
   */
  signal?: AbortSignal | undefined;
  /**
   * Called with progress events, never after the result. If it throws, or its promise rejects by then, the result has a warning; later rejections are ignored.
   */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /**
   * Whether the model is offered the tool of {@link createRecall}: the note on messages that were left out then says how to call it. Default: false.
   */
  recall?: boolean | undefined;
  /** Whether your application started the call, not its user. Passed on to custom providers. Default: false. */
  isAutomatic?: boolean | undefined;
  /** Largest cost of this condensation in dollars, fallbacks included (`ManagerOptions.maxCostPerCondensation`). Default: the profile's, or the manager's. */
  maxCostPerCondensation?: number | undefined;
  /**
   * Price of the conversation's own model, for `PromptCacheEffect`, and for summaries if there is no `condensingHandler`. Default: the price of `handler`, or
   * else of the profile.
   */
  price?: ModelPrice | null | undefined;
}

/** Options of one call of a manager. */
export interface CondenseOptions extends ProviderCallOptions {
  /** Id of the provider. Default: the active one; if none was chosen, `native` with a handler and `lossless` without. */
  provider?: ProviderId | undefined;
  /**
   * For `condenseIfNeeded` and `decide`: decide by cost. A condensation runs when it pays, whatever the threshold; a full window always makes it due.
   * `condense` ignores this. Default: the trigger alone decides.
   */
  economics?: EconomicsOptions | undefined;
}

/** A progress event. */
export interface ProgressEvent {
  /**
   * `counting` comes first; `condensing` for each provider that runs; `summarizing` with the number of finished summaries, failed ones included; `retrying`
   * when an HTTP handler sends a request again, with the number of attempts and their limit; `prelude`, and `pass` when a pass of the smart provider starts and
   * ends; and `done`.
   */
  phase: "counting" | "condensing" | "summarizing" | "retrying" | "prelude" | "pass" | "done" | (string & {});
  /** Id of the provider; empty while counting. */
  providerId: string;
  /** Steps finished. */
  done: number;
  /** Steps in total. */
  total: number;
  /** The pass of the smart provider that the event belongs to. */
  passId?: string;
  /** Of `retrying`: milliseconds until the request is sent again. */
  waitMs?: number;
  /** Of `retrying`: why the previous attempt failed. */
  code?: LlmErrorCode;
}

// What a condensation is given: the conversation, and the options of the call.

import type { EconomicsOptions } from "./economics.js";
import type { LlmErrorCode } from "./errors.js";
import type { HandlerOption } from "./handlers.js";
import type { FormatOptions, Message, MessageLike } from "./messages.js";
import type { ModelPrice } from "./prices.js";
import type { Protect } from "./protect.js";

/** A part of a system prompt; Anthropic's `TextBlockParam` is one. */
export interface SystemTextBlock {
  readonly type: "text";
  readonly text: string;
}

/** The conversation and what is known about it. Further fields are ignored, but handed to providers of the host. `null` is the same as absent. */
export interface ConversationContext<M extends MessageLike = Message> {
  /** The history, oldest first. Never mutated. */
  readonly messages: readonly M[];
  /** Counts towards the tokens; never changed. A text, or text blocks as Anthropic's `system` has them. Default: none. */
  readonly systemPrompt?: string | readonly SystemTextBlock[] | null | undefined;
  /**
   * The tools of the host's own requests, as it sends them to its model. With them and `systemPrompt`, a summary is asked for by the host's own request with the
   * question as the last message, which the service reads from its prompt cache (`NativeConfig.summaryRequest`). Messages are sent with `role` and `content` alone,
   * byte for byte. Default: none; summaries are asked for in requests of their own.
   */
  readonly tools?: readonly object[] | null | undefined;
  /** Keeps the guard against loops apart for several conversations. Default: all are one. */
  readonly taskId?: string | null | undefined;
  /** Whose conversation it is, for strategies that go by the user (`createPerUser`, `createAbTest`). Default: nobody's. */
  readonly userId?: string | null | undefined;
  /** Tokens in the context without the last message, as the API reported them. `condenseIfNeeded` needs it. */
  readonly totalTokens?: number | null | undefined;
  /** The model's context window in tokens, 1 or more. `condenseIfNeeded` needs it. */
  readonly contextWindow?: number | null | undefined;
  /** Tokens the model may answer with, 0 or more, or -1 for "unlimited", as vscode-lm says. Default, and for 0 and -1: 8192. */
  readonly maxTokens?: number | null | undefined;
  /**
   * The name of the conversation's own model: what is known of its thinking goes by it (`ProviderCallOptions.thinking`). Default: that of `handler`, or else
   * the one that was calibrated last.
   */
  readonly model?: string | null | undefined;
  /**
   * Whether that model has preserved thinking: it refuses a request in which anything before signed thinking has changed. Default: by the name of the
   * model; Claude Opus, Sonnet and Haiku 5.5, Fable 5.1 and Mythos 5.1 have it, and later ones.
   */
  readonly preservedThinking?: boolean | null | undefined;
  /** Whose threshold, handlers, prompt and price apply, and whose metrics count. Default: none. */
  readonly profileId?: string | null | undefined;
}

/**
 * What is done with `thinking` and `redacted_thinking` blocks behind the first change. They are signed; on models with preserved thinking a block is valid
 * only while everything before it is unchanged. What stands before the change always stays.
 *
 * - `auto`: as `drop` for models with preserved thinking, as `keep` for others, with the warning only where nothing is known of the model
 * - `keep`: they stay; the warning `thinking_after_change` has the number of those that are signed
 * - `drop`: they go, with messages that hold nothing else (a note stands there where two messages of one role would meet); on Claude models without
 *   preserved thinking those of the tool loop under way stay, because they have to be sent back. `result.thinkingRemoved` counts them, and `restore` brings
 *   them back.
 */
export type ThinkingOption = "auto" | "keep" | "drop";

/** Options of one call of a provider. */
export interface ProviderCallOptions extends FormatOptions {
  /**
   * Tokens that may be left, system prompt included, 0 or more: no more than that is `newContextTokens`, or else the result has the warning
   * `target_not_met`. It is in the tokens of `totalTokens` where that is given, else in those of the handler's `countTokens`, else in ours.
   * Of `condenseIfNeeded` never more than the window allows beside the answer. Default: none; the provider does what its configuration says.
   */
  targetTokens?: number | undefined;
  /** Fields of the provider's configuration, for this call only. Providers that stand in for it do not see them. Default: none. */
  config?: object | undefined;
  /** Asks the conversation's own model. It decides totals by its `countTokens`, and writes summaries when there is no `condensingHandler`. */
  handler?: HandlerOption;
  /** What is done with signed thinking behind a change. Default: as the manager says, or `auto`. */
  thinking?: ThinkingOption | undefined;
  /** What stays word for word, beside what the manager and the provider's configuration protect. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
  /** Writes summaries. Handlers of the call win over those of its profile, and those over the manager's. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** The system prompt to summarise by. Blank, or absent: the profile's, that of the provider's configuration, or the default. */
  customCondensingPrompt?: string | undefined;
  /**
   * Stops the work; the result then has the error `aborted`. Its listeners and `onabort` are left as they are. One that cannot be listened to is
   * `invalid_argument`.
   */
  signal?: AbortSignal | undefined;
  /**
   * Told how the work goes, always before the result is there. What it throws, or its promise is rejected with before then, becomes a warning; later
   * rejections are caught and dropped.
   */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Whether the host, not its user, wanted it. Handed to providers of the host. Default: false. */
  isAutomatic?: boolean | undefined;
  /** Dollars that this condensation may cost, fallbacks included: `ManagerOptions.maxCostPerCondensation`. Default: the profile's, or the manager's. */
  maxCostPerCondensation?: number | undefined;
  /**
   * What the conversation's own model costs: for `PromptCacheEffect`, and for summaries where there is no `condensingHandler`.
   * Default: the price of `handler`, or else of the profile.
   */
  price?: ModelPrice | null | undefined;
}

/** Options of one call of a manager. */
export interface CondenseOptions extends ProviderCallOptions {
  /** Id of the provider. Default: the active one; where nobody set one, `native` with a handler, and `lossless` without. */
  provider?: string | undefined;
  /**
   * For `condenseIfNeeded` and `decide`: money decides. A condensation is done where it pays, whatever the threshold; a full window always makes it due, and is condensed
   * as ever. `condense` pays no attention to it. Default: the trigger alone decides.
   */
  economics?: EconomicsOptions | undefined;
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

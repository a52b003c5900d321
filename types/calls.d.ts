// Input of a condensation: the conversation, and the options of the call.

import type { HandlerOption } from "./handlers.js";
import type { Message, MessageLike } from "./messages.js";
import type { CondenseOptions } from "./options.js";

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
export type ProviderCallOptions = Omit<CondenseOptions, "provider" | "economics">;

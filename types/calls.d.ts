// Input of a condensation: the conversation, and the options of the call.

import type { Message, MessageLike } from "./messages.js";
import type { CondenseOptions, ContextFields } from "./options.js";

/** A text block of a system prompt, such as Anthropic's `TextBlockParam`. */
export interface SystemTextBlock {
  readonly type: "text";
  readonly text: string;
}

/** A conversation and facts about it. Unknown fields are ignored, but passed on to custom providers. */
export interface ConversationContext<M extends MessageLike = Message> extends Readonly<ContextFields> {
  /** The history, oldest first. Never mutated. */
  readonly messages: readonly M[];
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

// Recommending a provider.

import type { ConversationContext } from "./calls.js";
import type { RecommendedProvider } from "./data.js";
import type { HandlerOption } from "./handlers.js";
import type { MessageFormat, MessageLike } from "./messages.js";
import type { RecommendFields } from "./options.js";

/** Your requirements and facts; all of them are optional. */
export interface RecommendAnswers<M extends MessageLike = MessageLike>
  extends RecommendFields,
    Pick<ConversationContext<M>, "systemPrompt"> {
  /** Whether the model has the tool of {@link createRecall} or `roo-condense mcp`, so that what is left out stays within its reach. Default: false. */
  recall?: boolean | undefined;
  /** A conversation on which every provider is tried in a dry run, for its result, time and cost. No LLM is called. */
  messages?: readonly M[] | undefined;
  /** The format of the messages. Default: recognised from them. */
  format?: MessageFormat | undefined;
  /** The handler for summaries, whose price decides their cost. */
  handler?: HandlerOption;
  /** Aborts the work; the promise then rejects. */
  signal?: AbortSignal | undefined;
}

/** A recommendation. */
export interface Recommendation extends RecommendedProvider {
  /** The target of the dry runs in tokens: as requested, or what fits the window. Pass it to the condensation, too. */
  targetTokens?: number;
}

/**
 * Recommends a provider by the rules of docs/choosing.md and, if there is a conversation, by dry runs on it. If they disagree, the dry runs win, with a
 * warning. Without a preference (`priority` to `scenario`), it recommends the default.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`, `invalid_messages`
 * @example
 * ```ts
 * import { CondensationManager, recommend } from "roo-condense";
 *
 * const { provider, config, targetTokens, warnings } = await recommend({ priority: "quality", budgetPerCondensation: 0.02, messages });
 * for (const { code, message } of warnings) console.warn(code, message);
 * const result = await new CondensationManager().condense({ messages }, { provider, config, targetTokens });
 * ```
 */
export function recommend<M extends MessageLike>(answers?: RecommendAnswers<M>): Promise<Recommendation>;

// Which provider to take.

import type { ConversationContext } from "./calls.js";
import type { HandlerOption } from "./handlers.js";
import type { MessageLike } from "./messages.js";
import type { ModelPrice } from "./prices.js";
import type { Said } from "./words.js";

/** What is known and wanted; nothing has to be answered. */
export interface RecommendAnswers<M extends MessageLike = MessageLike> {
  /** What matters most. */
  priority?: "simplicity" | "zero_loss" | "speed" | "cost" | "quality" | "control" | undefined;
  /** Dollars that one condensation may cost. */
  budgetPerCondensation?: number | undefined;
  /** Milliseconds that it may take. */
  maxLatencyMs?: number | undefined;
  /** Percent of the information that may be lost, 0 to 100. */
  acceptableLoss?: number | undefined;
  /** Percent of the tokens that have to go, 0 to 100. */
  reductionPercent?: number | undefined;
  /** How much is to be configured. */
  configuration?: "none" | "presets" | "some" | "custom" | "per_message" | undefined;
  userProfile?: "solo_developer" | "startup_team" | "enterprise_production" | "research_compliance" | undefined;
  scenario?:
    | "standard"
    | "limited_budget"
    | "critical_quality"
    | "long_conversation"
    | "local_development"
    | "critical_production"
    | "prototype"
    | "compliance"
    | "multi_tenant"
    | undefined;
  /** Whether there is a model to ask. Default: whether `handler` is one that can answer; not known without it. */
  hasHandler?: boolean | undefined;
  /** The model's context window in tokens: what does not fit has to go. */
  contextWindow?: number | undefined;
  /** Tokens that may be left. */
  targetTokens?: number | undefined;
  /** A conversation, on which it is then tried what each provider would leave, in what time and at what cost. No model is asked. */
  messages?: readonly M[] | undefined;
  systemPrompt?: ConversationContext<M>["systemPrompt"];
  /** Its price says what summaries would cost. */
  handler?: HandlerOption;
  /** What the conversation's own model costs, where the handler does not say. */
  price?: ModelPrice | undefined;
  /** Stops the trying; the promise is then rejected. */
  signal?: AbortSignal | undefined;
}

/** Something else that could be taken. */
export interface RecommendedAlternative {
  provider: string;
  config: object;
  /** Options of the manager that belong to it: with them it differs from another entry, or from the choice, that has the same configuration. */
  managerOptions?: object;
  /** What speaks for it. */
  why: string;
  /** What speaks against it. */
  whyNot: string;
  /** Both as codes and values. */
  said: { why: Said; whyNot: Said };
}

/** What goes with a recommendation. */
export interface RecommendationWarning {
  /**
   * - `contradiction`: answers that do not go together
   * - `ruled_out`: the first choice of an answer is impossible by another one
   * - `facts_win`: what was measured decided against a rule
   * - `handler_needed`: it needs a model to ask
   * - `conversation_needed`: `contextWindow` or `targetTokens` says how much has to go only with `messages`
   */
  code: "contradiction" | "ruled_out" | "facts_win" | "handler_needed" | "conversation_needed";
  message: string;
  /** The message as a code and values. */
  said: Said;
}

/** Which provider to take. */
export interface Recommendation {
  /** Its id. */
  provider: string;
  /** Its configuration. */
  config: object;
  /** Options of the manager that belong to it. */
  managerOptions?: object;
  /** Why, for people. */
  reason: string;
  /** The same as a code and values. */
  said: Said;
  /** What else there is, up to four. */
  alternatives: RecommendedAlternative[];
  warnings: RecommendationWarning[];
  /** The tokens that were to be left when it was measured on the conversation: as asked for, or what fits the window. Give it to the condensation, too. */
  targetTokens?: number;
}

/**
 * Recommends a provider by the rules of docs/choosing.md, and by what it would make of the conversation where one is given: where both disagree, what was
 * measured wins, and a warning says so.
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

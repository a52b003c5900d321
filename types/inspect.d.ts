// What fills a conversation, and what providers would leave.

import type { ConversationContext } from "./calls.js";
import type { CondensationStats, InspectedConversation, PromptCacheEffect, TokenKind, Warning } from "./data.js";
import type { CondensationManager } from "./manager.js";
import type { Message, MessageLike } from "./messages.js";
import type { ManagerInspectOptions, ProviderId } from "./options.js";

/** A conversation to inspect, with the tool definitions of its requests. */
export interface InspectContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /** The tool definitions as sent to the API (`tools`); their JSON text counts. Default: none. */
  readonly tools?: readonly object[] | null | undefined;
}

/** Options of {@link inspect}. */
export interface InspectOptions extends ManagerInspectOptions {
  /** The manager whose encoding, scale, tools, thresholds and providers to use. Default: one with default options. */
  manager?: CondensationManager | undefined;
}

/** Tokens by kind; a kind without tokens is absent. */
export type TokensByKind = { [kind in TokenKind]?: number };

/** The result of a dry run of one provider. */
export interface TrialResult {
  /** The id of the trial, such as `smart:balanced`. */
  id: string;
  provider: ProviderId;
  config?: object;
  /** Tokens after. */
  tokens: number;
  tokensBefore: number;
  /** 0 to 100. */
  reductionPercent: number;
  /** Dollars. */
  cost: number;
  /** Milliseconds of the dry run; an LLM would add its own time. */
  timeMs: number;
  /** False if it includes estimates of summaries that a model would write. */
  exact: boolean;
  /** Whether anything would change. */
  wouldCondense: boolean;
  /** Whether the target would be met; `null` without a target. */
  metTarget: boolean | null;
  /** Number of changes. */
  changes: number;
  savedByGrade: CondensationStats["savedByGrade"];
  /** Tokens replaced by newer messages, unscaled: `survival.total.superseded` of the result. They would no longer be readable, but their replacements are. */
  superseded: number;
  /** Tokens covered only by a summary, unscaled: `survival.total.summarized` of the result. */
  summarized: number;
  /** Tokens lost, unscaled: `survival.total.lost` of the result. */
  lost: number;
  /** Index of the first message that would change; -1 if none would. */
  firstChangedIndex: number;
  promptCache?: PromptCacheEffect;
  warnings: Warning[];
  /** Why the dry run failed, such as `handler_invalid` without a handler. */
  error?: { code: string; message: string };
}

/** The contents of a conversation, and the dry runs on it. */
export interface Inspection extends InspectedConversation {
  /** The dry runs, in order; absent if there were none. */
  providers?: TrialResult[];
}

/**
 * Analyses what fills a conversation. It changes nothing and calls no LLM. Wrong arguments reject.
 *
 * @throws {TypeError | RangeError} `invalid_argument`, `invalid_messages`, `not_serializable`, `unsupported_format`, `out_of_range`
 * @example
 * ```ts
 * import { inspect } from "roo-condense";
 *
 * const { tokens, stale, superseded, window, providers } = await inspect(
 *   { messages, systemPrompt, contextWindow: 200_000 },
 *   { targetTokens: 40_000, providers: true },
 * );
 * console.log(`${tokens.total} tokens, ${stale.tokens + superseded.tokens} of them stale; due: ${window?.due}`);
 * for (const { id, tokens, cost, timeMs } of providers ?? []) console.log(id, tokens, cost, timeMs);
 * ```
 */
export function inspect<M extends MessageLike = Message>(context: InspectContext<M>, options?: InspectOptions): Promise<Inspection>;

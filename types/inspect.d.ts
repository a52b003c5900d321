// What a conversation is made of, and what providers would leave of it.

import type { ConversationContext } from "./calls.js";
import type { HandlerOption } from "./handlers.js";
import type { CondensationManager } from "./manager.js";
import type { FormatOptions, Message, MessageLike } from "./messages.js";
import type { ModelPrice } from "./prices.js";
import type { CondensationStats, PromptCacheEffect } from "./results.js";
import type { Encoding } from "./tokens.js";
import type { TriggerDecision } from "./trigger.js";
import type { Warning } from "./warnings.js";

/** A conversation to look at, with the definitions of tools that its requests bring. */
export interface InspectContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /** As the API is sent them (`tools`): they count by their JSON text. Default: none. */
  readonly tools?: readonly object[] | null | undefined;
}

/** Options of an inspection by a manager. */
export interface ManagerInspectOptions extends FormatOptions {
  /** Where a condensation would have to cut: shown as a line, and given to the providers that are tried. Default: none. */
  targetTokens?: number | undefined;
  /** How many of the largest blocks are named, and how many items of each kind of waste. Default: 20. */
  largest?: number | undefined;
  /**
   * Which providers are tried, one after the other, none standing in for another; `true` for `lossless`, `truncation`, `smart` with the presets
   * `conservative`, `balanced` and `aggressive`, and `native`. No model is asked: what one would write is estimated. Default: none.
   */
  providers?: boolean | readonly ProviderTrial[] | undefined;
  /** For the providers that are tried: see `ProviderCallOptions`. */
  handler?: HandlerOption;
  /** For the providers that are tried. */
  condensingHandler?: HandlerOption;
  /** For the providers that are tried. */
  price?: ModelPrice | null | undefined;
  /** Stops what is tried; the trials it stops have the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link inspect}. */
export interface InspectOptions extends ManagerInspectOptions {
  /** Whose encoding, scale, tools, thresholds and providers count. Default: one with default options. */
  manager?: CondensationManager | undefined;
}

/** A provider to try. */
export interface ProviderTrial {
  /** Its id. */
  provider: string;
  /** Fields of its configuration, such as `{ preset: "balanced" }`. Default: none. */
  config?: object | undefined;
  /** What the result is called. Default: the id of the provider. */
  id?: string | undefined;
}

/**
 * What tokens are of.
 *
 * - `user`, `assistant`: their words
 * - `thinking`, `images`
 * - `calls`: names and parameters of tool calls
 * - `results`: answers of tools, and files that the user mentioned
 * - `environment`: what the host adds, such as snapshots of the environment and reminders
 * - `summaries`: what stands for messages or texts that are gone
 * - `other`: blocks of other types, and what is no message
 */
export type TokenKind = "user" | "assistant" | "thinking" | "calls" | "results" | "images" | "environment" | "summaries" | "other";

/** Tokens by kind; a kind without tokens is absent. */
export type TokensByKind = { [kind in TokenKind]?: number };

/** One message. */
export interface InspectedMessage {
  /** Who speaks; of what is no message empty. */
  role: string;
  tokens: number;
  kinds: TokensByKind;
  /** What it is about, such as `read_file src/a.ts`: of several calls or answers the largest. Empty when there is nothing to say. */
  label: string;
}

/** What a tool was called for. */
export interface ToolUsage {
  tool: string;
  calls: number;
  /** Calls that failed or were not allowed. */
  failed: number;
  callTokens: number;
  resultTokens: number;
}

/** What a conversation holds of a file. */
export interface FileUsage {
  /** Relative to the working directory where that is known, with forward slashes. */
  path: string;
  /** How often it was shown. */
  reads: number;
  /** How often it was written, changed, moved or deleted. */
  changes: number;
  /** Of calls and answers about it. */
  tokens: number;
  /** Of those that are repeated, stale or superseded. */
  wastedTokens: number;
}

/** A block that has many tokens. */
export interface LargeBlock {
  messageIndex: number;
  /** 0 where the content is a string. */
  blockIndex: number;
  /** What most of it is. */
  kind: TokenKind;
  /** What it is about; empty when there is nothing to say. */
  label: string;
  tokens: number;
}

/** What says nothing new. No token counts in two kinds of waste. */
export interface Waste {
  tokens: number;
  /** In how many places. */
  count: number;
  /** The largest, the largest first. */
  items: {
    messageIndex: number;
    blockIndex: number;
    /** The file, or else the tool; `environment` for a snapshot. */
    label: string;
    /** Of lines that are shown once more, their share of the answer by bytes. */
    tokens: number;
  }[];
}

/** A number of tokens, and the message in which the conversation reaches it. */
export interface TokenLine {
  tokens: number;
  /** `null` when it is not reached. */
  messageIndex: number | null;
}

/** Where a conversation stands in the window of its model. */
export interface InspectedWindow extends TriggerDecision {
  contextWindow: number;
  /** From where on a condensation is due. */
  atThreshold: TokenLine;
  /** From where on the next answer may not fit (`allowedTokens`). */
  atLimit: TokenLine;
  /** Where the window ends. */
  atEnd: TokenLine;
}

/** What a provider would leave. */
export interface TrialResult {
  /** As the trial was called, such as `smart:balanced`. */
  id: string;
  provider: string;
  config?: object;
  /** What would be left. */
  tokens: number;
  tokensBefore: number;
  /** 0 to 100. */
  reductionPercent: number;
  /** Dollars. */
  cost: number;
  /** Milliseconds that trying took; a model would take its own time. */
  timeMs: number;
  /** False where what a model would write is only estimated. */
  exact: boolean;
  /** Whether anything would change. */
  wouldCondense: boolean;
  /** `null` without a target. */
  metTarget: boolean | null;
  /** How many changes it would make. */
  changes: number;
  savedByGrade: CondensationStats["savedByGrade"];
  /** Tokens that newer messages replaced, unscaled: `survival.total.superseded` of the result. They can be read nowhere any more, what replaced them can. */
  superseded: number;
  /** Tokens that only a summary tells, unscaled: `survival.total.summarized` of the result. */
  summarized: number;
  /** Tokens that could no longer be read, unscaled: `survival.total.lost` of the result. */
  lost: number;
  /** The first message that would change; -1 when none would. */
  firstChangedIndex: number;
  promptCache?: PromptCacheEffect;
  warnings: Warning[];
  /** Why trying failed, such as `handler_invalid` without a model to ask. */
  error?: { code: string; message: string };
}

/** What a conversation is made of. Parts are scaled each for themselves, so they may differ from their sum by rounding; with `scale` 1 they never do. */
export interface Inspection {
  encoding: Encoding;
  scale: number;
  /** Some text was too uniform to be counted exactly. */
  approximate: boolean;
  tokens: {
    total: number;
    /** The system prompt. */
    system: number;
    /** The definitions of tools. */
    tools: number;
    messages: number;
  };
  /** Of all messages. */
  kinds: TokensByKind;
  /** Every message, in order. */
  messages: InspectedMessage[];
  /** The most tokens first. */
  byTool: ToolUsage[];
  /** The most tokens first. */
  byFile: FileUsage[];
  /** The largest first. */
  largest: LargeBlock[];
  /** Answers that an earlier one gave already, and lines of a file that an earlier answer shows. */
  repeated: Waste;
  /** Lines of files that answers show and that edits, writes or views of the whole file replaced since. */
  stale: Waste;
  /** Snapshots, lists of things to do, reads and writes that a later one replaced. */
  superseded: Waste;
  /** `null` without `contextWindow`. */
  window: InspectedWindow | null;
  /** `null` without `targetTokens`. */
  target: TokenLine | null;
  /** What was tried, in this order; absent when nothing was to be tried. */
  providers?: TrialResult[];
}

/**
 * What a conversation is made of, before anything is condensed. Nothing is changed, and no model is asked. What is wrong with the arguments is thrown at
 * once.
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
 * console.log(`${tokens.total} tokens, ${stale.tokens + superseded.tokens} of them out of date; due: ${window?.due}`);
 * for (const { id, tokens, cost, timeMs } of providers ?? []) console.log(id, tokens, cost, timeMs);
 * ```
 */
export function inspect<M extends MessageLike = Message>(context: InspectContext<M>, options?: InspectOptions): Promise<Inspection>;

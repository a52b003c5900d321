// What fills a conversation, and what providers would leave.

import type { ConversationContext } from "./calls.js";
import type { HandlerOption } from "./handlers.js";
import type { CondensationManager } from "./manager.js";
import type { FormatOptions, Message, MessageLike } from "./messages.js";
import type { ModelPrice } from "./prices.js";
import type { CondensationStats, PromptCacheEffect } from "./results.js";
import type { Encoding } from "./tokens.js";
import type { TriggerDecision } from "./trigger.js";
import type { Warning } from "./warnings.js";
import type { ProviderId } from "./options.js";

/** A conversation to inspect, with the tool definitions of its requests. */
export interface InspectContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /** The tool definitions as sent to the API (`tools`); their JSON text counts. Default: none. */
  readonly tools?: readonly object[] | null | undefined;
}

/** Options of an inspection by a manager. */
export interface ManagerInspectOptions extends FormatOptions {
  /** A target in tokens: reported as a line, and passed to `providers`. Default: none. */
  targetTokens?: number | undefined;
  /** Number of largest blocks, and of items of each kind of waste, to report. Default: 20. */
  largest?: number | undefined;
  /**
   * Providers to try in a dry run, one after the other, without fallbacks; `true` for `lossless`, `truncation`, `smart` with the presets `conservative`,
   * `balanced` and `aggressive`, and `native`. No LLM is called: summaries are estimated. Default: none.
   */
  providers?: boolean | readonly ProviderTrial[] | undefined;
  /** For `providers`: see `ProviderCallOptions`. */
  handler?: HandlerOption;
  /** For `providers`: see `ProviderCallOptions`. */
  condensingHandler?: HandlerOption;
  /** For `providers`: see `ProviderCallOptions`. */
  price?: ModelPrice | null | undefined;
  /** Aborts the dry runs, which then have the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link inspect}. */
export interface InspectOptions extends ManagerInspectOptions {
  /** The manager whose encoding, scale, tools, thresholds and providers to use. Default: one with default options. */
  manager?: CondensationManager | undefined;
}

/** A provider to try in a dry run. */
export interface ProviderTrial {
  /** The id of the provider. */
  provider: ProviderId;
  /** Fields of its configuration, such as `{ preset: "balanced" }`. Default: none. */
  config?: object | undefined;
  /** Providers that are tried next if it fails or leaves more than the target. Default: none. */
  fallback?: readonly ProviderId[] | undefined;
  /** The id of the result. Default: the id of the provider. */
  id?: string | undefined;
}

/**
 * Kinds of content.
 *
 * - `user`, `assistant`: their words
 * - `thinking`, `images`
 * - `calls`: names and parameters of tool calls
 * - `results`: tool results, and files the user mentioned
 * - `environment`: injected context, such as environment snapshots and reminders
 * - `summaries`: summaries and logs of earlier messages or texts
 * - `other`: blocks of other types, and invalid messages
 */
export type TokenKind = "user" | "assistant" | "thinking" | "calls" | "results" | "images" | "environment" | "summaries" | "other";

/** Tokens by kind; a kind without tokens is absent. */
export type TokensByKind = { [kind in TokenKind]?: number };

/** One message. */
export interface InspectedMessage {
  /** The role; empty for an invalid message. */
  role: string;
  tokens: number;
  kinds: TokensByKind;
  /** What the message is about, such as `read_file src/a.ts`: the largest of several calls or results. May be empty. */
  label: string;
}

/** The usage of one tool. */
export interface ToolUsage {
  tool: string;
  calls: number;
  /** Calls that failed or were refused. */
  failed: number;
  callTokens: number;
  resultTokens: number;
}

/** The content of one file in a conversation. */
export interface FileUsage {
  /** The path with forward slashes, relative to the working directory if that is known. */
  path: string;
  /** Number of times it was shown. */
  reads: number;
  /** Number of times it was written, edited, moved or deleted. */
  changes: number;
  /** Tokens of calls and results about it. */
  tokens: number;
  /** How many of them are repeated, stale or superseded. */
  wastedTokens: number;
}

/** A large block. */
export interface LargeBlock {
  messageIndex: number;
  /** Index of the block; 0 for content that is a string. */
  blockIndex: number;
  /** The kind of most of its content. */
  kind: TokenKind;
  /** What the block is about; may be empty. */
  label: string;
  tokens: number;
}

/** Content that says nothing new. No token counts in two kinds of waste. */
export interface Waste {
  tokens: number;
  /** Number of places. */
  count: number;
  /** The largest items, in order. */
  items: {
    messageIndex: number;
    blockIndex: number;
    /** The file, or else the tool; `environment` for a snapshot. */
    label: string;
    /** Tokens; for repeated lines, their share of the result by bytes. */
    tokens: number;
  }[];
}

/** A number of tokens, and the message at which the conversation exceeds it. */
export interface TokenLine {
  tokens: number;
  /** Index of that message; `null` if there is none. */
  messageIndex: number | null;
}

/** The position of a conversation in the model's context window. */
export interface InspectedWindow extends TriggerDecision {
  contextWindow: number;
  /** Where a condensation becomes due. */
  atThreshold: TokenLine;
  /** Where the next response may no longer fit (`allowedTokens`). */
  atLimit: TokenLine;
  /** The end of the window. */
  atEnd: TokenLine;
}

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

/** The contents of a conversation. Parts are scaled one by one, so they may differ from their sum by rounding, except with `scale` 1. */
export interface Inspection {
  encoding: Encoding;
  scale: number;
  /** Whether some text was too uniform to be counted exactly. */
  approximate: boolean;
  tokens: {
    total: number;
    /** The system prompt. */
    system: number;
    /** The definitions of tools. */
    tools: number;
    messages: number;
  };
  /** Tokens of all messages by kind. */
  kinds: TokensByKind;
  /** Every message, in order. */
  messages: InspectedMessage[];
  /** The tools, the one with most tokens first. */
  byTool: ToolUsage[];
  /** The files, the one with most tokens first. */
  byFile: FileUsage[];
  /** The largest first. */
  largest: LargeBlock[];
  /** Results identical to earlier ones, and lines of a file that an earlier result shows. */
  repeated: Waste;
  /** Lines of files in results that edits, writes or views of the whole file replaced later. */
  stale: Waste;
  /** Snapshots, todo lists, reads and writes that later ones replaced. */
  superseded: Waste;
  /** `null` without `contextWindow`. */
  window: InspectedWindow | null;
  /** `null` without `targetTokens`. */
  target: TokenLine | null;
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

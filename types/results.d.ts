// Results of a condensation, and how to undo it.

import type { EconomicDecision } from "./economics.js";
import type { CondensationError } from "./errors.js";
import type { Message, MessageLike, TextDiff } from "./messages.js";
import type { ProviderId } from "./options.js";
import type { TriggerDecision } from "./trigger.js";
import type { Warning } from "./warnings.js";
import type { Said } from "./words.js";

/** Names of operations on a block or message; see {@link Change.operation}. */
export type ChangeOperation =
  | "reference"
  | "containment"
  | "diff"
  | "repeated_lines"
  | "line_numbers"
  | "environment_snapshot"
  | "stale_read"
  | "stale_file"
  | "overwritten_write"
  | "todo_list"
  | "failed_edit"
  | "salient"
  | "truncate"
  | "suppress"
  | "drop"
  | "window"
  | "log"
  | "tool_rule"
  | "summarize"
  | "drop_thinking"
  | "pointers"
  | "replace"
  | "insert";

/** One change. */
export interface Change {
  /** The id by which {@link restore} undoes it. Unique within a result; the same condensation of the same messages gives the same ids. */
  id: string;
  /** Index in the input messages; for an added message, the index of the message after it. */
  messageIndex: number;
  /** Index of the block, 0 for content that is a string; `null` for a whole message. */
  blockIndex: number | null;
  /**
   * The operation:
   *
   * - Lossless, `inline`: `reference` (to an identical result), `containment` (to a result that contains it), `diff` (against another version of the file),
   *   `repeated_lines`, `line_numbers` (stripped, with a heading that restores them)
   * - Lossless, `superseded`: `environment_snapshot`, `stale_read`, `overwritten_write`, `todo_list`, `failed_edit`
   * - Lossless with `staleReads: "file"`, lossy: `stale_file` (lines of reads that nothing replaced)
   * - Truncation: `salient` (keeps the lines most likely to be used again), `truncate`, `suppress`, `drop` (a message that says too little), `window` (one of
   *   the oldest messages), `log` (quotes from dropped messages)
   * - `tool_rule`: a rule of the option `tools`
   * - `summarize`: a summary replaces a text or messages
   * - `drop_thinking`: removes signed thinking after a change, which the model would refuse; see `ProviderCallOptions.thinking`
   * - `pointers`: redirects pointers to another copy of their lines, or replaces them, so that they stay valid
   * - Custom providers: `replace`, `drop`, `insert`
   */
  operation: ChangeOperation | (string & {});
  /** Tokens of the block or message before, unscaled. */
  tokensBefore: number;
  /** Tokens after. */
  tokensAfter: number;
  /** What was done and why, for people; may be empty. */
  reason: string;
  /** The reason as a code and values, for other languages; absent if there is no reason. */
  said?: Said;
  /**
   * For lossless changes: `inline` content is still readable in the conversation; `superseded` content was replaced by a later message, and only `restoreData`
   * has it.
   */
  grade?: "inline" | "superseded";
  /**
   * The replacement in `messages`: the block, the string if the content is one, or the added message; `null` if there is none. Computed on access, so it is
   * missing from JSON and from copies of the change.
   */
  readonly newContent?: string | object | null;
}

/**
 * The data that {@link restore} needs: plain JSON, to be stored beside the history. If an old text can be rebuilt from the condensed messages, an edit holds a
 * recipe instead of the text, so the data stays small after lossless work. Fingerprints of the messages before and after make sure that `restore` returns
 * exactly the original or fails, whatever happened to the data by accident. They have no key: keep restore data where only you can write, because `restore`
 * believes data whose fingerprints were written anew. The fields may change between versions; `restore` refuses a `version` it does not know.
 */
export interface RestoreData {
  readonly version: number;
  /** The format of the messages; absent for Anthropic's. */
  readonly format?: string;
  /** Number and hash of the input messages. */
  readonly original?: string;
  /** Eight hash digits for the content of each condensed message. */
  readonly messages?: string;
  /** Groups of change ids that can only be undone together, by the `group` of the edits. */
  readonly groups?: readonly (readonly string[])[];
  /** The edits that undo the condensation, each with the old value or a recipe to rebuild it, and a fingerprint of that value. */
  readonly edits: readonly unknown[];
}

/**
 * Totals of a condensation. One counter counts before and after: the handler's `countTokens` if there is one, else the local one. The reported `totalTokens`
 * are not mixed in; `newContextTokens` scales them by the ratio found here.
 */
export interface CondensationStats {
  /** Tokens before, system prompt included. */
  originalTokens: number;
  /** Tokens after. */
  finalTokens: number;
  /** Share of the tokens removed, 0 to 100 percent. */
  reductionPercent: number;
  /** The removed tokens by grade. */
  savedByGrade: SavedByGrade;
  /** Dollars. */
  cost: number;
  /** Operations of `changes`, each once. */
  operationsPerformed: string[];
}

/** Tokens by grade; their sum is what was removed. */
export interface SavedByGrade {
  /** Still readable elsewhere in the messages; `expand` puts it back. */
  inline: number;
  /** Replaced by a later message and no longer readable; `restore` brings it back. */
  superseded: number;
  /** Cut, dropped or summarised; `restore` brings it back. */
  lossy: number;
}

/** Measurements of a condensation. */
export interface CondensationMetrics {
  /** Id of the provider that changed the conversation last, or else was called; empty if none was. */
  providerId: string;
  /** Milliseconds. */
  timeElapsed: number;
  tokensSaved: number;
  originalTokens: number;
  condensedTokens: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /**
   * The passes of the smart provider that changed something, as `pass_` and the id, or `tool_rules`, `lossless_prelude` and `salient_to_target` for the steps
   * before and after them; then `operationsPerformed`.
   */
  operationsApplied: string[];
  /**
   * How much of what it must keep the summary covers, 0 to 1: `summaryQuality.score`. Absent unless a model summarised messages.
   */
  summaryQualityScore?: number;
  /**
   * Share of the tokens that are not lost, 0 to 1: readable word for word or through a pointer, quoted in the log, covered by a summary (how well, says
   * `summaryQualityScore`), or replaced by a later message. An estimate of what a reader still has: `1 - survival.total.lost.tokens / survival.total.before.tokens`.
   * Absent if nothing changed.
   */
  informationPreservation?: number;
}

/** The report of one pass of the smart provider. */
export interface PassReport {
  /**
   * The id of the pass. Steps that are not passes: `tool_rules` and `lossless_prelude` run first, `salient_to_target` last; `one_summary` replaces all passes;
   * `no_more_tokens_than` means that the result of that preset replaced theirs.
   */
  id: string;
  name: string;
  /** Whether it ran: its condition was met, and the target was not reached before. */
  ran: boolean;
  /** Why it did not run, or did nothing. */
  skipped?: string;
  /** The reason as a code and values. */
  said?: Said;
  /** Tokens before, system prompt included. */
  tokensBefore: number;
  /** Tokens after. */
  tokensAfter: number;
  /** Tokens removed. */
  tokensSaved: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /** False if it includes estimates of summaries that a model would write. */
  exact: boolean;
  /** Dollars. */
  cost: number;
  /** Milliseconds. */
  timeElapsed: number;
  /** Number of messages changed or removed. */
  messagesChanged: number;
  /** Index of the first of them in the input messages; -1 if there is none. */
  firstChangedIndex: number;
  /** Operations on them, each once; see {@link Change.operation}. */
  operationsApplied: string[];
}

/** What one provider did to a result. */
export interface ProviderShare {
  /** The id of the provider. */
  id: string;
  /** Tokens that its work removed; 0 where it failed, found nothing, or what it did was not used. */
  tokensSaved: number;
}

/** One request to a model: a summary that was asked for, with the attempts it took. Summaries from the cache are no requests. */
export interface ModelRequest {
  /** The id of the provider that asked. */
  provider: string;
  /** The protocol of the handler; `callback` for a custom handler. */
  api: "anthropic" | "openai" | "callback";
  /** The model's name, as the handler knows it. */
  model: string;
  /** When it was sent, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds until the response was there or the request had failed, retries and waiting included. */
  timeElapsed: number;
  /** Number of requests sent, retries included; 1 for a custom handler. */
  attempts: number;
  /** Input tokens of all attempts as the service reported them, cached ones included whatever the protocol; absent, like the next three, if it reported none. */
  inputTokens?: number;
  /** Output tokens. */
  outputTokens?: number;
  /** Input tokens written to the service's prompt cache. */
  cacheWriteTokens?: number;
  /** Input tokens read from it. */
  cacheReadTokens?: number;
  /** Dollars, also for tokens that were not reported. */
  cost: number;
  /** Why the model stopped: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, or the service's word; absent if it is not known. */
  stopReason?: string;
  /** The code of the error, if it failed. */
  error?: string;
}

/** One decision of a strategy. */
export interface StrategyChoice {
  /** The id of the strategy. */
  strategy: ProviderId;
  /** The id of the provider that it chose. */
  provider: ProviderId;
  /** Why it chose that provider, for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The experiment that the decision belongs to. */
  experiment?: string;
  /** The variant of that experiment. */
  variant?: string;
}

/**
 * How much of what it must keep a summary covers: from the messages it replaces, up to twenty items of each kind:
 *
 * - `constraint`: a sentence in which the user set a limit
 * - `task`: an unfinished item of the newest plan, or the user's latest request
 * - `file`: a changed file, by its path or the last two parts of it
 * - `name`: a path or identifier that the assistant used in calls, those most likely to be used again first
 *
 * Items that are readable elsewhere in the result count as covered. So do constraints and tasks if seven in ten of their longer words are in the summary.
 */
export interface SummaryQuality {
  /** 0 to 1: the mean, over the kinds present, of the share of items that are readable in the result; 1 if nothing must be kept. */
  score: number;
  /** The items that are missing. */
  missing: { kind: "constraint" | "task" | "file" | "name"; text: string }[];
  /** The score of the model's own text, without the items that were appended to it. */
  writtenScore: number;
  /** Whether the summary was requested a second time. */
  askedAgain: boolean;
  /** Number of items that the model left out and that were appended. */
  completed: number;
}

/** A result without its messages. */
export interface CondensationReport {
  /** The summary; empty if there is none. */
  summary: string;
  /** How much of what it must keep the summary covers; absent unless a model summarised messages. */
  summaryQuality?: SummaryQuality;
  /** The decision by cost, if the option `economics` was given. */
  decision?: EconomicDecision;
  /** Present if a prepared condensation was applied: the number of messages in its snapshot, and its cost in dollars, which `cost` does not include. */
  appliedPreparation?: { messages: number; cost: number };
  /** Dollars spent, including by providers that failed. */
  cost: number;
  /** Tokens in the context before: `totalTokens` as reported, or else as counted. */
  prevContextTokens: number;
  /**
   * Tokens in the context after: `prevContextTokens * stats.finalTokens / stats.originalTokens`, rounded up. So all fields show the same reduction, and the
   * target is met exactly if this is at most `targetTokens`; otherwise `warnings` has `target_not_met`. One token more still meets it if a handler counts,
   * because its counts are rounded.
   */
  newContextTokens: number;
  /** The failure, if the condensation failed. */
  error?: CondensationError;
  stats: CondensationStats;
  metrics: CondensationMetrics;
  /**
   * What each provider did that was asked, with those that stood in for it or went on after it: each once, in the order in which they were asked. Together they
   * saved `metrics.tokensSaved`. A strategy is one provider; what it asked is in `passes`. Absent where none was asked.
   */
  providers?: ProviderShare[];
  /** The report of each pass, for providers that work in passes; for strategies, of each provider that ran, or of its passes. */
  passes?: PassReport[];
  /** The requests to models, in the order in which they ended; absent if there was none. */
  requests?: ModelRequest[];
  /** The decisions of strategies, in order; absent unless a strategy ran. */
  choices?: StrategyChoice[];
  /** The changes, by message and block. */
  changes: Change[];
  /** Index of the first message that differs, where the prompt cache stops being valid; -1 if nothing changed. */
  firstChangedIndex: number;
  /** Number of thinking blocks removed because something before them changed; see `ProviderCallOptions.thinking`. */
  thinkingRemoved: number;
  /** The effect on the prompt cache; absent if nothing changed. */
  promptCache?: PromptCacheEffect;
  /** What became of the conversation's content; absent if nothing changed. */
  survival?: Survival;
  /** Warnings. */
  warnings: Warning[];
  /** Of `condenseIfNeeded`: whether a condensation was due, and why. */
  trigger?: TriggerDecision;
}

/**
 * The effect of a change on the prompt cache, which stays valid up to the first difference. Costs use the price of the conversation's model
 * (`ProviderCallOptions.price`), are absent without one, and assume that the whole conversation was cached; a missing cache price counts as `inputPrice`.
 */
export interface PromptCacheEffect {
  /** Tokens before the first change, system prompt included; they are still read from the cache. With `rewrittenTokens` they make up `newContextTokens`. */
  keptTokens: number;
  /** Tokens from the first change on, which the next request must write to the cache. */
  rewrittenTokens: number;
  /** Dollars to write them. */
  rewriteCost?: number;
  /** Extra dollars of the next request, compared with no change; negative if it costs less. */
  extraCost?: number;
  /** Dollars saved by each later request. */
  savedPerRequest?: number;
}

/** A kind of content; see {@link Survival.byKind}. */
export type SurvivalKind = "user" | "assistant" | "thinking" | "plans" | "calls" | "results" | "images" | "host" | "summaries" | "other";

/** What became of the content of a conversation. Tokens are unscaled, like those of changes. */
export interface Survival {
  /** All content. */
  total: SurvivalFate;
  /**
   * Each kind of content that was present. A text block counts as the kind that makes up most of it.
   *
   * - `user`: the user's words, including answers to questions
   * - `assistant`: the assistant's words
   * - `thinking`: the assistant's thinking
   * - `plans`: calls that write or update a todo list, or present a plan
   * - `calls`, `results`: other tool calls, and tool results
   * - `images`: images outside tool results; others count with their result
   * - `host`: injected context in the user's role: reminders, environment snapshots, attached files
   * - `summaries`: summaries and logs of earlier messages
   * - `other`: blocks of types that are not read
   */
  byKind: Partial<Record<SurvivalKind, SurvivalFate>>;
  /** Number of lines of the logs in the result, earlier logs included, by what they quote. */
  log: Partial<Record<SurvivalLog, SurvivalLines>>;
}

/**
 * What became of one kind of content. The tokens of `kept`, `pointed`, `superseded`, `summarized`, `recorded` and `lost` add up to `before`. A block that was
 * cut counts in every category that holds a part of it.
 */
export interface SurvivalFate {
  /** The content before. */
  before: SurvivalBlocks;
  /** Protected content (see `protect`), kept word for word; part of `kept`. */
  protected: SurvivalBlocks;
  /** Blocks kept word for word, and the kept tokens of all blocks. */
  kept: SurvivalBlocks;
  /** Readable elsewhere in the messages through a pointer; `expand` puts it back. */
  pointed: SurvivalBlocks;
  /** Replaced by a later message. */
  superseded: SurvivalBlocks;
  /** Covered by a summary that replaces it. */
  summarized: SurvivalBlocks;
  /** Quoted in the new log. */
  recorded: SurvivalLines;
  /** No longer readable; `restore` brings it back. */
  lost: SurvivalBlocks;
}

/** Numbers of blocks and of their tokens. */
export interface SurvivalBlocks {
  blocks: number;
  tokens: number;
}

/** Numbers of lines and of their tokens. */
export interface SurvivalLines {
  lines: number;
  tokens: number;
}

/** What a log line quotes: `said` (the assistant's words), `calls` (tool calls with their input), `answers` (tool results, and names in them). */
export type SurvivalLog = "said" | "calls" | "answers";

/**
 * The result of a condensation.
 *
 * @example
 * ```ts
 * import { createSmartProvider } from "roo-condense";
 *
 * const result = await createSmartProvider().condense({ messages, systemPrompt }, { targetTokens: 40_000 });
 * if (result.error) console.error(result.error.code, result.error.message);
 * console.log(`${result.prevContextTokens} to ${result.newContextTokens} tokens for $${result.cost.toFixed(4)}`);
 * for (const { operation, tokensBefore, tokensAfter, reason } of result.changes) console.log(operation, tokensBefore - tokensAfter, reason);
 * ```
 */
export interface CondensationResult<M extends MessageLike = Message> extends CondensationReport {
  /** The condensed messages; the input array if nothing changed. Unchanged messages and blocks are the same objects. */
  messages: M[];
  /** Whether anything changed. Having nothing to gain is not an error. */
  didCondense: boolean;
  /** The data that {@link restore} needs. */
  restoreData: RestoreData;
}

/**
 * A dry run of a condensation. Mechanical steps were really run and are exact; tokens and cost of summaries that a model would write are estimates, and `exact`
 * is false then.
 */
export interface Preview<M extends MessageLike = MessageLike> extends Omit<CondensationReport, "cost"> {
  /** Whether anything would change. */
  wouldCondense: boolean;
  /** False if an LLM would be called: tokens and cost of its responses, and what follows from them, are estimates. */
  exact: boolean;
  /** Dollars that it would cost; `undefined` if a model would be called whose price is not known. */
  cost: number | undefined;
  /** Up to five messages, in order: added ones; for each operation, the message in which it saves most; and others that would save most. */
  samples: PreviewSample<M>[];
}

/** A message before and after the condensation. */
export interface PreviewSample<M extends MessageLike = MessageLike> {
  /** Index of the message; for an added message, of the message after it. */
  messageIndex: number;
  /** The caller's own object; `null` for an added message. */
  before: M | null;
  /** The message after; `null` for a removed message. */
  after: M | null;
  /** False if placeholder words represent what a model would write. */
  exact: boolean;
  /** Operations on the message; see {@link Change.operation}. */
  operations: string[];
  /** Tokens, unscaled. */
  tokensSaved: number;
  /** Differences in its texts; see {@link diffMessages}. */
  diff: TextDiff[];
}

/** An estimate of what a condensation would save. */
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
   * 1 if all of it was really run. With summaries by a model: 1 minus their expected tokens divided by the tokens removed; that share would still be removed if
   * the summaries were twice as long. 0 if the dry run failed.
   */
  confidence: number;
  /** Dollars; absent if a model would be called whose price is not known. */
  cost?: number;
  /** Why the dry run failed. */
  error?: CondensationError;
}

/**
 * Returns the messages as they were before the condensation, equal in every field; unchanged messages are the same objects. Takes a result, or its `messages`
 * and `restoreData` after a round trip through JSON. Messages appended since are kept at the end.
 *
 * It returns exactly the original messages, or throws an error that names the place: messages that were edited since (role, texts, calls, results, other
 * blocks), condensed again, moved, or that belong to another conversation are `invalid_restore_data`, and so is damaged data. Fields that your application adds
 * or removes (`ts`, `cache_control`) do not count as edits.
 *
 * @throws {TypeError} `invalid_restore_data`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider, restore } from "roo-condense";
 *
 * const { messages: condensed, restoreData } = await createLosslessProvider().condense({ messages });
 * const kept = JSON.stringify({ messages: condensed, restoreData });
 * const original = restore(JSON.parse(kept));
 * ```
 *
 * A stack of `restoreData` undoes several condensations one by one, the newest first, even if messages were appended in between.
 *
 * @example
 * ```ts
 * import { CondensationManager, type RestoreData, restore } from "roo-condense";
 *
 * const manager = new CondensationManager({ provider: "lossless" });
 * const stack: RestoreData[] = [];
 * let history = messages;
 *
 * async function condense() {
 *   const result = await manager.condense({ messages: history }, { targetTokens: 40_000 });
 *   if (!result.didCondense) return;
 *   history = result.messages;
 *   stack.push(result.restoreData);
 * }
 *
 * function undo() {
 *   const restoreData = stack.at(-1);
 *   if (!restoreData) return;
 *   history = restore({ messages: history, restoreData });
 *   stack.pop();
 * }
 * ```
 */
export function restore<M extends MessageLike = Message>(
  condensed: {
    readonly messages: readonly M[];
    readonly restoreData: RestoreData;
  },
  options?: { readonly only?: undefined },
): M[];

/**
 * Undoes single changes by their ids ({@link Change.id}). Only the content of those changes must be unedited; the rest may have been edited. A change that
 * cannot be undone is refused with a reason, and the others are undone. To undo more later, use the returned `restoreData` with the returned `messages`.
 *
 * @throws {TypeError} `invalid_restore_data`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider, restore } from "roo-condense";
 *
 * const result = await createLosslessProvider().condense({ messages });
 * const stale = result.changes.filter(({ operation }) => operation === "stale_read").map(({ id }) => id);
 * const undone = restore(result, { only: stale, withDependants: true });
 * console.log(`${undone.restored.length} reads are back, and ${undone.dependants?.length} changes that depended on them`);
 * for (const { id, code, reason } of undone.refused) console.log(id, code, reason);
 * const original = restore({ messages: undone.messages, restoreData: undone.restoreData });
 * ```
 */
export function restore<M extends MessageLike = Message>(
  condensed: {
    readonly messages: readonly M[];
    readonly restoreData: RestoreData;
  },
  options: {
    readonly only: readonly string[];
    /**
     * Also undoes all changes that depend on these: other changes of the same texts, messages dropped beside these, pointers that would resolve to other lines.
     * {@link UndoneChanges.dependants} lists them. Default: false; such a change is refused (`needs_others`).
     */
    readonly withDependants?: boolean;
  },
): UndoneChanges<M>;

/** The result of undoing single changes. */
export interface UndoneChanges<M extends MessageLike = Message> {
  /** The messages without those changes; the input array if none could be undone. */
  messages: M[];
  /** The requested changes that were undone. */
  restored: string[];
  /** With `withDependants`: the other changes undone with them. */
  dependants?: string[];
  /** The requested changes that were not undone, each with the reason. */
  refused: RefusedUndo[];
  /** The restore data for `messages`: for the remaining changes, or for all of them. */
  restoreData: RestoreData;
}

/** A refusal to undo a change. */
export interface RefusedUndo {
  /** The id of the change. */
  id: string;
  /**
   * - `unknown_change`: not a change of this condensation, or nothing of it remains
   * - `needs_others`: other changes (`with`) edited the same text, dropped messages beside these, or added pointers that would resolve to other lines; all of
   *   them must be undone together
   * - `changed_since`: the message was edited, condensed again, or moved
   * - `misleads`: a pointer from outside this condensation would resolve to other lines
   */
  code: "unknown_change" | "needs_others" | "changed_since" | "misleads";
  /** The reason for people. */
  reason: string;
  /** Of `needs_others`: the changes that must be undone too, or with `withDependants` cannot be. */
  with?: string[];
  /** Of `changed_since` and `misleads`: index in `messages` of the message concerned, if it is one. */
  messageIndex?: number;
}

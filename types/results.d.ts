// What comes of a condensation, and the way back.

import type { EconomicDecision } from "./economics.js";
import type { CondensationError } from "./errors.js";
import type { Message, MessageLike, TextDiff } from "./messages.js";
import type { TriggerDecision } from "./trigger.js";
import type { Warning } from "./warnings.js";
import type { Said } from "./words.js";

/** The words for what can be done to a block or message; see {@link Change.operation}. */
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

/** One thing that was changed. */
export interface Change {
  /**
   * What {@link restore} undoes it by. The same condensation of the same messages gives the same ids; no two changes of a result share one.
   */
  id: string;
  /** Index in the messages that came in; of an added message the index it stands before. */
  messageIndex: number;
  /** Index of the block, 0 for a content that is a string; `null` for a whole message. */
  blockIndex: number | null;
  /**
   * What was done.
   *
   * - Lossless, `inline`: `reference` (to a result that is the same), `containment` (to one that contains it), `diff` (a file in another version),
   *   `repeated_lines`, `line_numbers` (behind a heading that restores them)
   * - Lossless, `superseded`: `environment_snapshot`, `stale_read`, `overwritten_write`, `todo_list`, `failed_edit`
   * - Lossless with `staleReads: "file"`, lossy: `stale_file` (lines of reads that nothing replaced)
   * - Truncation: `salient` (what is likely to be used again stays), `truncate`, `suppress`, `drop` (a message that says too little), `window` (one of
   *   the oldest), `log` (quotes of what was said and done in messages that are left out)
   * - `tool_rule`: what a rule of the option `tools` says
   * - `summarize`: a summary in the place of a text, or of messages
   * - `drop_thinking`: signed thinking behind a change, which the model would refuse; see `ProviderCallOptions.thinking`
   * - `pointers`: pointers in a text were led to another copy of their lines, or replaced, to stay true
   * - Of providers of the host: `replace`, `drop`, `insert`
   */
  operation: ChangeOperation | (string & {});
  /** Tokens of the block or message before, unscaled. */
  tokensBefore: number;
  /** And after. */
  tokensAfter: number;
  /** What was done and why, for a person; may be empty. */
  reason: string;
  /** The same as a code and values, to be told in another language; absent where nobody said why. */
  said?: Said;
  /**
   * Of lossless changes: `inline` can be read back from what is still in the conversation, `superseded` is state that a later message replaced, which
   * only `restoreData` still has.
   */
  grade?: "inline" | "superseded";
  /**
   * What stands in its place in `messages`: the block, the text where the content is one, or the message that was added; `null` where nothing does. Found when it
   * is asked for, and not in JSON or in a copy of the change.
   */
  readonly newContent?: string | object | null;
}

/**
 * What {@link restore} needs: plain JSON data, to be kept beside the history. Where an old text can be put together again from the condensed
 * messages, an edit holds a recipe instead of the text, so this stays small after lossless work. It also holds fingerprints of what the messages said
 * before and say now, so that `restore` gives back exactly what was there, or nothing. Its fields may change between versions; `version` says which it is,
 * and `restore` refuses one it does not know.
 */
export interface RestoreData {
  readonly version: number;
  /** The format of the messages; absent for Anthropic's. */
  readonly format?: string;
  /** Number and hash of the messages that came in. */
  readonly original?: string;
  /** Eight digits for what each of the condensed messages says. */
  readonly messages?: string;
  /** The ids of changes that can only be undone together, by the `group` of the edits. */
  readonly groups?: readonly (readonly string[])[];
  /** What leads back, each with an old value or a recipe for it, and with the fingerprint of that value. */
  readonly edits: readonly unknown[];
}

/**
 * Sums of a condensation. Before and after are by one and the same counter: the handler's `countTokens` when there is one, or else our own. What was
 * reported (`totalTokens`) is not mixed in; `newContextTokens` is that, scaled by the share that this counter finds left.
 */
export interface CondensationStats {
  /** Tokens before, system prompt included. */
  originalTokens: number;
  /** Tokens after. */
  finalTokens: number;
  /** Share of the tokens that was removed, 0 to 100. */
  reductionPercent: number;
  /** The tokens that were removed, by what became of what they said. */
  savedByGrade: SavedByGrade;
  /** Dollars. */
  cost: number;
  /** Operations of `changes`, each once. */
  operationsPerformed: string[];
}

/** Tokens, together as many as were removed. */
export interface SavedByGrade {
  /** Can be read elsewhere in the messages: `expand` puts it back. */
  inline: number;
  /** Was replaced by a later message. No longer in the messages: `restore` brings it back. */
  superseded: number;
  /** Was cut, dropped or summarised: `restore` brings it back. */
  lossy: number;
}

/** Measurements of a condensation. */
export interface CondensationMetrics {
  /** The provider that changed the conversation last, or else the one that was asked; empty when none was. */
  providerId: string;
  /** Milliseconds. */
  timeElapsed: number;
  tokensSaved: number;
  originalTokens: number;
  condensedTokens: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /**
   * For each pass of the smart provider that changed something `pass_` with its id, or `tool_rules`, `lossless_prelude` and `salient_to_target` for what goes before
   * and after them; then as `operationsPerformed`.
   */
  operationsApplied: string[];
}

/** How one pass of the smart provider went. */
export interface PassReport {
  /**
   * The id of the pass; `tool_rules` and `lossless_prelude` for what goes before all passes, `salient_to_target` for what goes on after them, `one_summary` where one takes their place, `no_more_tokens_than` where
   * that preset's result took the place of theirs.
   */
  id: string;
  name: string;
  /** Whether it ran: its condition held, and the target was not reached before. */
  ran: boolean;
  /** Why it did not run, or could not do its work. */
  skipped?: string;
  /** The same as a code and values. */
  said?: Said;
  /** Tokens before, system prompt included. */
  tokensBefore: number;
  /** And after. */
  tokensAfter: number;
  /** Tokens removed. */
  tokensSaved: number;
  /** 0 to 100. */
  reductionPercentage: number;
  /** False where summaries that a model would write are only estimated. */
  exact: boolean;
  /** Dollars. */
  cost: number;
  /** Milliseconds. */
  timeElapsed: number;
  /** Messages that were changed or removed. */
  messagesChanged: number;
  /** The first of them, by its index in the messages of the call; -1 when there is none. */
  firstChangedIndex: number;
  /** What was done to them, each once; see {@link Change.operation}. */
  operationsApplied: string[];
}

/** What one provider did to a result. */
export interface ProviderShare {
  /** The id of the provider. */
  id: string;
  /** Tokens that its work removed; 0 where it failed, found nothing, or what it did was not used. */
  tokensSaved: number;
}

/** One decision of a strategy. */
export interface StrategyChoice {
  /** The id of the strategy. */
  strategy: string;
  /** The id of the provider that it asked. */
  provider: string;
  /** Why that one, for people. */
  reason: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The experiment that it belongs to. */
  experiment?: string;
  /** The variant of that experiment. */
  variant?: string;
}

/**
 * How much of what must survive a summary tells. That is, of the messages in whose place it stands, up to twenty of each kind:
 *
 * - `constraint`: a sentence by which the user set a limit
 * - `task`: an item of the newest plan that is not done, and what the user asked for last
 * - `file`: a file that was changed, by its path or the last two parts of it
 * - `name`: a path or identifier that the assistant used in calls, the likeliest to be used again first
 *
 * What can be read elsewhere in the result is not lost. Constraints and tasks count as told, too, where seven in ten of their longer words stand in the summary.
 */
export interface SummaryQuality {
  /** 0 to 1: of each kind that there is the share that can be read in the result, and of those the mean; 1 where nothing must survive. */
  score: number;
  /** What cannot. */
  missing: { kind: "constraint" | "task" | "file" | "name"; text: string }[];
  /** The score of the model's own words, without what was put behind them. */
  writtenScore: number;
  /** Whether the model was asked for the summary once more. */
  askedAgain: boolean;
  /** How much of what the model left out was put behind its words. */
  completed: number;
}

/** What a result says beside its messages. */
export interface CondensationReport {
  /** The summary that was written; empty when there is none. */
  summary: string;
  /** How much of what must survive that summary tells; absent where no model wrote a summary of messages. */
  summaryQuality?: SummaryQuality;
  /** What was decided by money, where the option `economics` was given. */
  decision?: EconomicDecision;
  /** That what `manager.prepare()` had prepared was applied: messages of the snapshot, and the dollars that it had cost, which are not in `cost`. */
  appliedPreparation?: { messages: number; cost: number };
  /** Dollars spent, also by providers that failed. */
  cost: number;
  /** Tokens in the context before: as reported (`totalTokens`), or else as counted. */
  prevContextTokens: number;
  /**
   * And after: `prevContextTokens * stats.finalTokens / stats.originalTokens`, rounded up. So all fields agree: the share that is removed is the same in
   * all of them, and a target is met exactly when this is no more than `targetTokens`, or else `warnings` have `target_not_met`
   * (one token more is no miss where a handler counts: its numbers are rounded).
   */
  newContextTokens: number;
  /** What went wrong. Failures while working are returned, not thrown. */
  error?: CondensationError;
  stats: CondensationStats;
  metrics: CondensationMetrics;
  /**
   * What each provider did that was asked, with those that stood in for it or went on after it: each once, in the order in which they were asked. Together they
   * saved `metrics.tokensSaved`. A strategy is one provider; what it asked is in `passes`. Absent where none was asked.
   */
  providers?: ProviderShare[];
  /** How each pass went; only of providers that work in passes, and of strategies: each provider that they asked, or its own passes. */
  passes?: PassReport[];
  /** What strategies decided, in order; only where one was asked. */
  choices?: StrategyChoice[];
  /** What was changed, by message and block. */
  changes: Change[];
  /** The first message that differs, from which on the model provider's prompt cache misses; -1 if nothing changed. */
  firstChangedIndex: number;
  /** Blocks of thinking that went because something before them has changed; see `ProviderCallOptions.thinking`. */
  thinkingRemoved: number;
  /** What that means for the prompt cache; absent if nothing changed. */
  promptCache?: PromptCacheEffect;
  /** What became of all that the conversation said; absent if nothing changed. */
  survival?: Survival;
  /** What the caller should know. */
  warnings: Warning[];
  /** Of `condenseIfNeeded`: whether it was due, and why. */
  trigger?: TriggerDecision;
}

/**
 * What a change means for the prompt cache that the model's provider keeps: it holds the conversation up to the first difference. Dollars are by the
 * price of the conversation's model (`ProviderCallOptions.price`), absent without one, and assume that all of the conversation stood in the
 * cache; absent cache prices count as `inputPrice`.
 */
export interface PromptCacheEffect {
  /** Tokens before the first change, system prompt included: they are still read from the cache. With `rewrittenTokens` they are `newContextTokens`. */
  keptTokens: number;
  /** Tokens from the first change on, which the next request writes anew. */
  rewrittenTokens: number;
  /** Dollars for writing them. */
  rewriteCost?: number;
  /** Dollars that the next request costs more than it would have without the change; negative when it costs less. */
  extraCost?: number;
  /** Dollars that each request after that costs less. */
  savedPerRequest?: number;
}

/** A kind of content; see {@link Survival.byKind}. */
export type SurvivalKind = "user" | "assistant" | "thinking" | "plans" | "calls" | "results" | "images" | "host" | "summaries" | "other";

/** What became of all that a conversation said. Tokens are unscaled, as those of changes. */
export interface Survival {
  /** Of everything. */
  total: SurvivalFate;
  /**
   * Of each kind of content that there was. A text block counts as what most of it is.
   *
   * - `user`: what the user said, in answers to questions too
   * - `assistant`: what the assistant said
   * - `thinking`: what it thought
   * - `plans`: calls that list things to do, change the list, or present a plan
   * - `calls`, `results`: other calls of tools, and what tools answered
   * - `images`: those that stand on their own; others count with the result they stand in
   * - `host`: what hosts say in the user's role: reminders, snapshots of the environment, files that were attached
   * - `summaries`: summaries and logs of earlier messages
   * - `other`: blocks of types that are not read
   */
  byKind: Partial<Record<SurvivalKind, SurvivalFate>>;
  /** Lines of the logs in the result by who or what they quote, those of earlier logs too. */
  log: Partial<Record<SurvivalLog, SurvivalLines>>;
}

/**
 * What became of the content of one kind. The tokens of `kept`, `pointed`, `superseded`, `summarized`, `recorded` and `lost` are together those of
 * `before`. A block that was cut counts wherever something of it went.
 */
export interface SurvivalFate {
  /** What there was. */
  before: SurvivalBlocks;
  /** What is protected (see `protect`): it stands word for word, and is part of what is kept. */
  protected: SurvivalBlocks;
  /** Blocks that stand word for word, and tokens that stand of all blocks. */
  kept: SurvivalBlocks;
  /** Can be read elsewhere in the messages, where a pointer leads to; `expand` puts it back. */
  pointed: SurvivalBlocks;
  /** Was replaced by a later message. */
  superseded: SurvivalBlocks;
  /** Is told by a summary in its place. */
  summarized: SurvivalBlocks;
  /** Is quoted by lines of the new log. */
  recorded: SurvivalLines;
  /** Can no longer be read; `restore` brings it back. */
  lost: SurvivalBlocks;
}

/** Blocks of messages, and tokens in them. */
export interface SurvivalBlocks {
  blocks: number;
  tokens: number;
}

/** Lines, and tokens in them. */
export interface SurvivalLines {
  lines: number;
  tokens: number;
}

/**
 * Who or what a line of a log quotes: what the assistant `said`; `calls`, with what they were given and wrote; `answers` of tools, and names that stood in them.
 */
export type SurvivalLog = "said" | "calls" | "answers";

/**
 * What came of a condensation.
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
  /** The condensed messages. The array that came in when nothing changed; unchanged messages and blocks are the same objects. */
  messages: M[];
  /** Whether anything changed. Nothing to gain is no error. */
  didCondense: boolean;
  /** For {@link restore}. */
  restoreData: RestoreData;
}

/**
 * What a condensation would do. Mechanical work was tried and is exact; of summaries that a model would write, tokens and dollars are estimates,
 * and `exact` is false from there on.
 */
export interface Preview<M extends MessageLike = MessageLike> extends CondensationReport {
  /** Whether anything would change. */
  wouldCondense: boolean;
  /** False when a model would be asked: tokens and dollars of its answers are estimates, and so is what follows from them. */
  exact: boolean;
  /**
   * Up to five messages, in order: those that would be added; for each operation, those that save most first, the message in which it saves most; and
   * others that would save most.
   */
  samples: PreviewSample<M>[];
}

/** A message as it is and as it would be. */
export interface PreviewSample<M extends MessageLike = MessageLike> {
  /** Its index; of an added message the index it would stand before. */
  messageIndex: number;
  /** The caller's own object; `null` for a message that would be added. */
  before: M | null;
  /** `null` for a message that would be removed. */
  after: M | null;
  /** False where words stand for what a model would write. */
  exact: boolean;
  /** What would be done to it; see {@link Change.operation}. */
  operations: string[];
  /** Tokens, unscaled. */
  tokensSaved: number;
  /** What differs in its texts; see {@link diffMessages}. */
  diff: TextDiff[];
}

/** What a condensation would save. */
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
   * 1 when all of it was tried. With summaries by a model, 1 less their expected tokens over the tokens removed: that much would still be removed if they
   * became twice as long. 0 when trying failed.
   */
  confidence: number;
  /** Dollars. */
  cost: number;
  /** Why trying failed. */
  error?: CondensationError;
}

/**
 * The messages as they were before the condensation, equal in every field; what was not changed is the same object. Takes a result, or its
 * `messages` and `restoreData` after a round trip through JSON. Messages that were added at the end since stay there.
 *
 * Exactly those messages, or an error that names the place: messages that were edited since (role, texts, calls, results, other blocks), condensed
 * again, moved, or that belong to another conversation are `invalid_restore_data`, and so is data that was damaged. Fields that a host adds or
 * removes beside those (`ts`, `cache_control`) are no edits.
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
 * A stack of `restoreData` undoes many condensations one by one, the newest first, also where messages were appended between.
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
 * Undoes single changes, by the ids that {@link Change.id} names. Only what they are about has to be as the condensation left it; the rest may have been
 * edited. A change that cannot be undone is refused with the reason, and the others are undone. What is left to undo needs the `restoreData` that comes
 * back, with the `messages` that come back.
 *
 * @throws {TypeError} `invalid_restore_data`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider, restore } from "roo-condense";
 *
 * const result = await createLosslessProvider().condense({ messages });
 * const stale = result.changes.filter(({ operation }) => operation === "stale_read").map(({ id }) => id);
 * const undone = restore(result, { only: stale, withDependants: true });
 * console.log(`${undone.restored.length} reads are back, and ${undone.dependants?.length} changes that stood on them`);
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
     * Takes back with them all that cannot be as it is without them: other changes of the same texts, messages dropped beside these, pointers that would
     * lead to other lines. {@link UndoneChanges.dependants} says which those were. Default false: such a change is refused (`needs_others`).
     */
    readonly withDependants?: boolean;
  },
): UndoneChanges<M>;

/** What came of undoing single changes. */
export interface UndoneChanges<M extends MessageLike = Message> {
  /** The messages without those changes; the array that came in when none could be undone. */
  messages: M[];
  /** The changes that were asked for and undone. */
  restored: string[];
  /** With `withDependants`: those that were undone with them. */
  dependants?: string[];
  /** Those that were not, each with the reason. */
  refused: RefusedUndo[];
  /** What leads back from `messages`: for the changes that are left, or for all of them. */
  restoreData: RestoreData;
}

/** Why a change was not undone. */
export interface RefusedUndo {
  /** The change. */
  id: string;
  /**
   * - `unknown_change`: no change of this condensation, or nothing is left of it
   * - `needs_others`: other changes (`with`) were made to the same text, dropped messages beside these, or put pointers somewhere that would lead to
   *   other lines; all of them have to be undone together
   * - `changed_since`: somebody edited the message, condensed it again, or moved it
   * - `misleads`: a pointer that no change of this condensation put there would lead to other lines
   */
  code: "unknown_change" | "needs_others" | "changed_since" | "misleads";
  /** The same for a person. */
  reason: string;
  /** Of `needs_others`: the changes that are missing, or with `withDependants` cannot be undone. */
  with?: string[];
  /** Of `changed_since` and `misleads`: the message, by its index in `messages`, where one is to blame. */
  messageIndex?: number;
}

// Results of a condensation, and how to undo it.

import type { CondensationReport, RefusedUndo, ReportedChange, TextDiff } from "./data.js";
import type { CondensationError } from "./errors.js";
import type { Message, MessageLike } from "./messages.js";

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
export interface Change extends ReportedChange {
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

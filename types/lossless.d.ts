// The lossless provider.

import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";
import type { ConfiguredProtect } from "./protect.js";

/** Configuration of the lossless provider. Every result is verified by expanding it again; `docs/markers.md` shows what the model reads. */
export interface LosslessConfig {
  /** Keep one copy of each line of a file, however often it was read, written and listed. Default: true. */
  deduplicateFileReads?: boolean | undefined;
  /** Keep one copy of lines of other tool results: logs, test output, listings, searches. Default: true. */
  consolidateToolResults?: boolean | undefined;
  /** Drop what a later message replaced; only `restoreData` has it then. Default: true. */
  removeObsoleteState?: boolean | undefined;
  /**
   * Cache the analysis of the newest conversation, so that an estimate followed by a condensation analyses it once. It does not change the result. Default:
   * true.
   */
  maintainReferenceCache?: boolean | undefined;
  /** Keep everything readable in the conversation: turns `removeObsoleteState` off. Default: false. */
  strict?: boolean | undefined;
  /**
   * Which copy to keep: the newest (`last`, the default), or the oldest (`first`), which leaves the beginning of the history, and so the prompt cache,
   * unchanged.
   */
  keep?: "last" | "first" | undefined;
  /** Number of newest messages in which obsolete content and line numbers are kept, 0 to 1,000,000. Default: 4. */
  preserveRecentCount?: number | undefined;
  /** Smallest saving of a pointer in tokens, 1 to 1,000,000, because a text in many small pieces is hard to read. Default: 24. */
  minTokensSaved?: number | undefined;
  /** Shorten long texts in the parameters of tool calls, too. Default: true. */
  toolParameters?: boolean | undefined;
  /** Operation `reference`: replace a result by a pointer to an identical one. Default: true. */
  reference?: boolean | undefined;
  /** Operation `containment`: replace a result by a pointer into one that contains it. Default: true. */
  containment?: boolean | undefined;
  /** Operation `diff`: if two versions of a file are shown, keep only the differences of one. Default: true. */
  diff?: boolean | undefined;
  /** Operation `repeated_lines`: replace lines that are elsewhere by a pointer. Default: true. */
  repeatedLines?: boolean | undefined;
  /** Operation `line_numbers`: replace line numbers by a heading that restores them. Default: true. */
  lineNumbers?: boolean | undefined;
  /** Operation `environment_snapshot`: drop all environment snapshots but the newest. Default: true. */
  environmentSnapshots?: boolean | undefined;
  /**
   * Operation `stale_read`: which lines of earlier reads of a file to drop. `lines` (default): those that a later edit, write or view of the whole file
   * replaced. `file`: the whole read, once its file was changed and then read or written again; lines that are still current are lost then (`stale_file`).
   * `off`: none.
   */
  staleReads?: "lines" | "file" | "off" | undefined;
  /** Operation `overwritten_write`: drop the content of writes to a file that was written again later. Default: true. */
  overwrittenWrites?: boolean | undefined;
  /** Operation `todo_list`: drop all todo lists but the newest. Default: true. */
  todoLists?: boolean | undefined;
  /** Operation `failed_edit`: drop failed edits of a file that was edited later. Default: true. */
  failedEdits?: boolean | undefined;
  /** Meanings of your own tools; they win over the manager's. Default: none. */
  tools?: ToolMeanings | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/**
 * Creates the lossless provider, id `lossless`: keeps one copy of everything. It calls no LLM.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider } from "roo-condense";
 *
 * const { messages: condensed, stats } = await createLosslessProvider({ strict: true }).condense({ messages });
 * console.log(`${stats.reductionPercent.toFixed(1)}% fewer tokens, all still readable`);
 * ```
 */
export function createLosslessProvider(config?: LosslessConfig): BuiltInProvider<LosslessConfig>;

// The lossless provider.

import type { BuiltInProvider } from "./providers.js";
import type { ToolMeanings } from "./tools.js";
import type { ConfiguredProtect } from "./protect.js";

/**
 * Configuration of the lossless provider. What it does is checked by reading it back before a result is returned; `docs/markers.md` shows what the
 * model is given to read.
 */
export interface LosslessConfig {
  /** Say the lines of a file once, however often it was read, written and listed. Default: true. */
  deduplicateFileReads?: boolean | undefined;
  /** Say lines of other tool results once: logs, test output, listings, searches. Default: true. */
  consolidateToolResults?: boolean | undefined;
  /** Leave out what a later message replaced. What is left out is in `restoreData` only. Default: true. */
  removeObsoleteState?: boolean | undefined;
  /**
   * Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the condensation. The
   * result is the same either way. Default: true.
   */
  maintainReferenceCache?: boolean | undefined;
  /** Do only what can be read back from the conversation itself: turns `removeObsoleteState` off. Default: false. */
  strict?: boolean | undefined;
  /**
   * Which copy stays: the newest (`last`, the default), or the oldest (`first`), which leaves the beginning of the history, and so the
   * model provider's prompt cache, alone.
   */
  keep?: "last" | "first" | undefined;
  /** In so many of the newest messages nothing obsolete is left out, and lines keep their numbers, 0 to 1,000,000. Default: 4. */
  preserveRecentCount?: number | undefined;
  /** A pointer that saves fewer tokens is not put, 1 to 1,000,000: a text in many small pieces is hard to read. Default: 24. */
  minTokensSaved?: number | undefined;
  /** Change long texts in the parameters of tool calls too. Default: true. */
  toolParameters?: boolean | undefined;
  /** Operation `reference`: a result becomes a pointer to one that is the same. Default: true. */
  reference?: boolean | undefined;
  /** Operation `containment`: a result becomes a pointer into one that contains it. Default: true. */
  containment?: boolean | undefined;
  /** Operation `diff`: of a file that was shown in another version too, only the differences stay. Default: true. */
  diff?: boolean | undefined;
  /** Operation `repeated_lines`: lines that stand elsewhere become a pointer. Default: true. */
  repeatedLines?: boolean | undefined;
  /** Operation `line_numbers`: numbers of lines are left out behind a heading that restores them. Default: true. */
  lineNumbers?: boolean | undefined;
  /** Operation `environment_snapshot`: snapshots of the environment but the newest are left out. Default: true. */
  environmentSnapshots?: boolean | undefined;
  /**
   * Operation `stale_read`: of what was read of a file, the lines are left out that a later edit, write or view of the whole file replaced (`lines`, the
   * default). With `file` a read goes as a whole, once its file was changed in any way and then read or written again: what of it is still true goes too,
   * as `stale_file`, and is lost. With `off` all of it stays.
   */
  staleReads?: "lines" | "file" | "off" | undefined;
  /** Operation `overwritten_write`: what was written to a file that was written again later is left out. Default: true. */
  overwrittenWrites?: boolean | undefined;
  /** Operation `todo_list`: lists of things to do but the newest are left out. Default: true. */
  todoLists?: boolean | undefined;
  /** Operation `failed_edit`: edits that failed before the same file was edited are left out. Default: true. */
  failedEdits?: boolean | undefined;
  /** What tools of the host do; they come before those of the manager. Default: none. */
  tools?: ToolMeanings | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/**
 * The lossless provider, id `lossless`: says each thing once. No model is asked.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createLosslessProvider } from "roo-condense";
 *
 * const { messages: condensed, stats } = await createLosslessProvider({ strict: true }).condense({ messages });
 * console.log(`${stats.reductionPercent.toFixed(1)}% less, and all of it can still be read`);
 * ```
 */
export function createLosslessProvider(config?: LosslessConfig): BuiltInProvider<LosslessConfig>;

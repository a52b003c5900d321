// Learning thresholds of the smart provider from your own conversations.

import type { MessageFormat, MessageLike } from "./messages.js";
import type { PresetName } from "./options.js";
import type { SmartConfig } from "./smart.js";

/** Options for learning thresholds. */
export interface CalibrateOptions {
  /**
   * The preset to learn for, one with passes that call no LLM: `aggressive`, `multi_zone`, or `balanced`, whose thresholds are then those for work without a
   * model. Default: `aggressive`.
   */
  preset?: PresetName | undefined;
  /** The share of tokens to remove, in percent, above 0 and below 100. Default: as much as the preset's own thresholds remove. */
  goal?: { reductionPercent?: number | undefined } | undefined;
  /** Number of cut histories to condense for each try, 1 to 1,000, evenly spread over all. Default: 24. */
  maxCuts?: number | undefined;
  /** The format of the messages. Default: recognised from each history. */
  format?: MessageFormat | undefined;
  /** Aborts the work; the promise then rejects with the code `aborted`. */
  signal?: AbortSignal | undefined;
  /** Called after each try with the number of tries so far, and the largest number that there may be. */
  onProgress?: ((progress: { tried: number; most: number }) => void) | undefined;
}

/** What thresholds remove and keep, averaged over the cut histories. Shares are 0 to 1 of what was used later and was only in the earlier part. */
export interface ThresholdMeasure {
  reductionPercent: number;
  /** Names and passages together. */
  kept: number;
  /** Names that the assistant used later; null if there were none. */
  names: number | null;
  /** Passages that it replaced in a file later; null if there were none. */
  edits: number | null;
}

/** How much of what was used later was in calls (`toolParameters`) and results of one size. */
export interface ThresholdEvidence {
  kind: "toolParameters" | "toolResults";
  /** Smallest size in tokens. */
  from: number;
  /** Upper end of the size in tokens; absent for the largest. */
  to?: number;
  texts: number;
  tokens: number;
  /** Number of names and passages in them that were used later. */
  used: number;
  usedPer1000Tokens: number;
}

/** Learned thresholds. */
export interface ThresholdCalibration {
  preset: PresetName;
  /** The share of tokens to remove, in percent. */
  goalPercent: number;
  /** Whether that share is removed. */
  reached: boolean;
  /** The threshold of each pass and kind; 1,000,000 if nothing of that kind is to be shortened. */
  thresholds: { pass: string; kind: "toolParameters" | "toolResults"; tokens: number }[];
  /** The configuration for `createSmartProvider`. */
  config: SmartConfig;
  /** Results of the preset's own thresholds. */
  fixed: ThresholdMeasure;
  /** Results of the learned thresholds on the same histories. They are worse on other histories, so measure on those, too. */
  learned: ThresholdMeasure;
  /** Number of cut histories that were condensed. */
  cuts: number;
  /** Number of sets of thresholds that were tried. */
  tried: number;
  evidence: ThresholdEvidence[];
}

/**
 * Learns, from your own conversations, from which size the passes of a preset should shorten calls and results. It cuts each conversation, condenses the
 * earlier part with many thresholds, and chooses those that keep most of what was used later. It calls no LLM, and takes a minute or a few.
 * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`; also if no conversation is long enough
 * @example
 * ```ts
 * import { calibrateThresholds, createSmartProvider } from "roo-condense";
 *
 * const { config, fixed, learned } = await calibrateThresholds(histories, { preset: "multi_zone", goal: { reductionPercent: 60 } });
 * console.log(`${fixed.kept} -> ${learned.kept}`);
 * const provider = createSmartProvider(config);
 * ```
 */
export function calibrateThresholds(
  histories: readonly (readonly MessageLike[] | { messages: readonly MessageLike[] })[],
  options?: CalibrateOptions,
): Promise<ThresholdCalibration>;

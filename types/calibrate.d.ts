// Learning thresholds of the smart provider from your own conversations.

import type { MessageLike } from "./messages.js";
import type { CalibrateOptions, PresetName } from "./options.js";
import type { SmartConfig } from "./smart.js";

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

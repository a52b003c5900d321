// Thresholds of the smart provider learned from a host's own conversations.

import type { MessageLike } from "./messages.js";
import type { PresetName, SmartConfig } from "./smart.js";

/** How thresholds are learned. */
export interface CalibrateOptions {
  /**
   * A preset with passes that ask no model: `aggressive`, `multi_zone` or `balanced`, whose thresholds are then those for work without a model. Default:
   * `aggressive`.
   */
  preset?: PresetName | undefined;
  /** How much is to go, in percent, above 0 and below 100. Default: as much as the preset's own thresholds take away. */
  goal?: { reductionPercent?: number | undefined } | undefined;
  /** How many earlier parts of the histories are condensed for each try, 1 to 1,000, evenly taken from all there are. Default: 24. */
  maxCuts?: number | undefined;
  /** Stops the work; the promise is then rejected with the code `aborted`. */
  signal?: AbortSignal | undefined;
  /** Told after each try. */
  onProgress?: ((progress: { tried: number }) => void) | undefined;
}

/** What thresholds take away and keep, on average over the earlier parts: shares of 0 to 1 of what came later and stood in them alone. */
export interface ThresholdMeasure {
  reductionPercent: number;
  /** Names and passages together. */
  kept: number;
  /** Names that the assistant went on to use; null where none was. */
  names: number | null;
  /** Passages that it went on to replace in a file; null where none was. */
  edits: number | null;
}

/** How much of what was used later stood in calls (`toolParameters`) and results of a size. */
export interface ThresholdEvidence {
  kind: "toolParameters" | "toolResults";
  /** From so many tokens. */
  from: number;
  /** To less than so many; absent for the largest. */
  to?: number;
  texts: number;
  tokens: number;
  /** Names and passages in them that were used later. */
  used: number;
  usedPer1000Tokens: number;
}

/** Learned thresholds. */
export interface ThresholdCalibration {
  preset: PresetName;
  /** How much was to go. */
  goalPercent: number;
  /** Whether it goes. */
  reached: boolean;
  /** Of each pass and kind; 1,000,000 where nothing of that kind is to be cut. */
  thresholds: { pass: string; kind: "toolParameters" | "toolResults"; tokens: number }[];
  /** For `createSmartProvider`. */
  config: SmartConfig;
  /** What the preset's own thresholds do. */
  fixed: ThresholdMeasure;
  /** What the learned ones do on the same histories. On others they do less well: measure on those, too. */
  learned: ThresholdMeasure;
  /** Earlier parts that were condensed. */
  cuts: number;
  /** Sets of thresholds that were tried. */
  tried: number;
  evidence: ThresholdEvidence[];
}

/**
 * Learns from recorded conversations at which sizes the passes of a preset do best to leave calls and results alone: each conversation is cut, its earlier part condensed under
 * many thresholds, and those are taken that keep most of what the conversation went on to use. No model is asked. It takes a minute or a few.
 * @throws {TypeError | RangeError} at once, where an argument is wrong; the promise is rejected where no conversation is long enough (`invalid_argument`)
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

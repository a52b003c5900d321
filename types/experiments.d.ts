// What the variants of an experiment came to.

/** A mean with its 95% confidence interval; `null` where there are too few calls for one. */
export interface EstimatedMean {
  mean: number;
  low: number | null;
  high: number | null;
}

/** What the calls of a variant came to. Calls that failed count, too: they saved nothing. */
export interface ExperimentVariant {
  calls: number;
  errors: number;
  /** Tokens that a call saved. */
  tokensSaved: EstimatedMean;
  /** Share of the tokens that a call saved, 0 to 100. */
  reductionPercent: EstimatedMean;
  /** Dollars for a call. */
  cost: EstimatedMean;
  /** Milliseconds that a call took. */
  latencyMs: EstimatedMean;
  /** Share of the calls that failed, 0 to 1; the interval is Wilson's. */
  errorRate: EstimatedMean;
  /** Share of the tokens that could be read nowhere after a call and were not replaced by newer, 0 to 100; `null` where no call condensed. */
  lostPercent: EstimatedMean | null;
  /** How much of what must survive the summaries tell, 0 to 1 (`summaryQuality.score`); `null` where none was checked. */
  summaryQuality: EstimatedMean | null;
}

/** How the variant that is ahead compares with another one. */
export interface ExperimentDifference {
  variant: string;
  /** The mean of the one that is ahead less that of this one. */
  difference: number;
  /** The 95% confidence interval of that; `null` before both have two calls. */
  low: number | null;
  high: number | null;
  /** How likely chance alone would make a difference at least as large, by Welch's test. */
  pValue: number | null;
}

/** Which variant is ahead in one measure. */
export interface ExperimentComparison {
  measure: "tokensSaved" | "reductionPercent" | "cost" | "latencyMs" | "errorRate" | "lostPercent" | "summaryQuality";
  /** The variant that does best; `null` where several do equally well. */
  ahead: string | null;
  /** Whether that is more than chance: every variant has five calls, and every difference a p-value under 0.05 after Holm's correction. */
  isReal: boolean;
  against: ExperimentDifference[];
}

/** An experiment. */
export interface Experiment {
  /** By name. */
  variants: Record<string, ExperimentVariant>;
  /** One for each measure that is known of all variants; empty before two variants have calls. */
  comparisons: ExperimentComparison[];
}

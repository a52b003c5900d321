// Results of experiments.

/** A mean with its 95% confidence interval; `null` for too few calls. */
export interface EstimatedMean {
  mean: number;
  low: number | null;
  high: number | null;
}

/** Results of a variant. Failed calls count as having saved nothing. */
export interface ExperimentVariant {
  calls: number;
  errors: number;
  /** Tokens saved per call. */
  tokensSaved: EstimatedMean;
  /** Share of the tokens saved per call, 0 to 100 percent. */
  reductionPercent: EstimatedMean;
  /** Cost per call in dollars. */
  cost: EstimatedMean;
  /** Time per call in milliseconds. */
  latencyMs: EstimatedMean;
  /** Share of the calls that failed, 0 to 1; the interval is Wilson's. */
  errorRate: EstimatedMean;
  /** Share of the tokens lost per call, 0 to 100 percent; `null` if no call condensed. */
  lostPercent: EstimatedMean | null;
  /** How much of what they must keep the summaries cover, 0 to 1 (`summaryQuality.score`); `null` if none was checked. */
  summaryQuality: EstimatedMean | null;
}

/** Comparison of the leading variant with another one. */
export interface ExperimentDifference {
  variant: string;
  /** The mean of the leading variant minus that of this one. */
  difference: number;
  /** The 95% confidence interval of the difference; `null` until both have two calls. */
  low: number | null;
  high: number | null;
  /** The probability of a difference at least as large by chance, by Welch's test. */
  pValue: number | null;
}

/** The comparison of all variants by one measure. */
export interface ExperimentComparison {
  measure: "tokensSaved" | "reductionPercent" | "cost" | "latencyMs" | "errorRate" | "lostPercent" | "summaryQuality";
  /** The best variant; `null` if several are equally good. */
  ahead: string | null;
  /** Whether the lead is significant: every variant has five calls, and every difference a p-value under 0.05 after Holm's correction. */
  isReal: boolean;
  against: ExperimentDifference[];
}

/** An experiment. */
export interface Experiment {
  /** The variants by name. */
  variants: Record<string, ExperimentVariant>;
  /** One comparison for each measure known for all variants; empty until two variants have calls. */
  comparisons: ExperimentComparison[];
}

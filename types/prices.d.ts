// What models cost.

/**
 * What a model costs, in dollars per million tokens. The fields are those of Roo-Code's model information, which can be given as it is: other
 * fields are left alone. An absent price counts as 0.
 */
export interface ModelPrice {
  /** Tokens of the question, 0 or more. */
  readonly inputPrice?: number | null | undefined;
  /** Tokens of the answer. */
  readonly outputPrice?: number | null | undefined;
  /** Tokens written to the model provider's prompt cache. */
  readonly cacheWritesPrice?: number | null | undefined;
  /** Tokens read from it. */
  readonly cacheReadsPrice?: number | null | undefined;
  /** Multipliers for questions of more tokens than a threshold; an absent one is 1. */
  readonly longContextPricing?:
    | {
        /** Tokens of the whole question, cached ones included. */
        readonly thresholdTokens: number;
        readonly inputPriceMultiplier?: number | undefined;
        readonly outputPriceMultiplier?: number | undefined;
        readonly cacheWritesPriceMultiplier?: number | undefined;
        readonly cacheReadsPriceMultiplier?: number | undefined;
        /** The service tiers they hold for. Default: all. Requests for summaries ask for none, which is the tier `default`. */
        readonly appliesToServiceTiers?: readonly string[] | undefined;
      }
    | null
    | undefined;
  /** Other prices by the size of the question, in rising order. */
  readonly tiers?:
    | readonly {
        /** A service tier (`flex`, `priority`) that has to be asked for; such tiers are passed over. */
        readonly name?: string | undefined;
        /** The largest question it applies to, in tokens; `null` or `Infinity` for no limit. */
        readonly contextWindow?: number | null | undefined;
        readonly inputPrice?: number | undefined;
        readonly outputPrice?: number | undefined;
        readonly cacheWritesPrice?: number | undefined;
        readonly cacheReadsPrice?: number | undefined;
      }[]
    | null
    | undefined;
}

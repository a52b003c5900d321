// Prices of models.

/**
 * The price of a model, in dollars per million tokens. The fields are those of Roo-Code's model information, which can be passed as it is: other fields are
 * ignored. A missing price counts as 0.
 */
export interface ModelPrice {
  /** Price of request tokens, 0 or more. */
  readonly inputPrice?: number | null | undefined;
  /** Price of response tokens. */
  readonly outputPrice?: number | null | undefined;
  /** Price of tokens written to the prompt cache. */
  readonly cacheWritesPrice?: number | null | undefined;
  /** Price of tokens read from the prompt cache. */
  readonly cacheReadsPrice?: number | null | undefined;
  /** Multipliers for requests above a number of tokens; a missing one is 1. */
  readonly longContextPricing?:
    | {
        /** That number of tokens, including cached ones. */
        readonly thresholdTokens: number;
        readonly inputPriceMultiplier?: number | undefined;
        readonly outputPriceMultiplier?: number | undefined;
        readonly cacheWritesPriceMultiplier?: number | undefined;
        readonly cacheReadsPriceMultiplier?: number | undefined;
        /** The service tiers they apply to. Default: all. Requests for summaries use the tier `default`. */
        readonly appliesToServiceTiers?: readonly string[] | undefined;
      }
    | null
    | undefined;
  /** Other prices by the size of the request, in rising order. */
  readonly tiers?:
    | readonly {
        /** A service tier (`flex`, `priority`) that must be requested; such tiers are ignored. */
        readonly name?: string | undefined;
        /** The largest request it applies to, in tokens; `null` or `Infinity` for no limit. */
        readonly contextWindow?: number | null | undefined;
        readonly inputPrice?: number | undefined;
        readonly outputPrice?: number | undefined;
        readonly cacheWritesPrice?: number | undefined;
        readonly cacheReadsPrice?: number | undefined;
      }[]
    | null
    | undefined;
}

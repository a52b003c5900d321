// Strategies: providers that are made of others. docs/strategies.md says when to take which.

import type { ConfiguredProtect } from "./protect.js";
import type { BuiltInProvider } from "./providers.js";

/** A provider, with what is set in its configuration. */
export interface StrategyPart {
  /** The id of a provider of this package, or of one that is registered with the manager. */
  provider: string;
  /** Fields of its configuration, as `config` of a call. Those of built-in providers are checked with that of the strategy. Default: none. */
  config?: object | undefined;
}

/** A stage of a pipeline. */
export interface PipelineStage extends StrategyPart {
  /**
   * Tokens that it may leave, where that is more than the target of the call, as they are counted here; `false`: it is not told of any target. Default: the
   * target of the call.
   */
  target?: number | false | undefined;
}

/** Configuration of the strategy `pipeline`. */
export interface PipelineConfig {
  /** Asked in this order, each on what the one before has left, until the target is reached. Default: `["lossless", "truncation", "native"]`. */
  stages?: readonly (string | PipelineStage)[] | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** A provider for some distance from the target. */
export interface AdaptiveBand extends StrategyPart {
  /** For ratios of tokens to target below this. Only the last band may be without one; it is for all others. */
  below?: number | undefined;
}

/** Configuration of the strategy `adaptive`. */
export interface AdaptiveConfig {
  /**
   * From the smallest ratio up. Default: below 1.2 `lossless`, below 2 `truncation`, below 3 `native`, else `smart` with the preset `aggressive`.
   */
  bands?: readonly AdaptiveBand[] | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `cost_aware`. */
export interface CostAwareConfig {
  /** Dollars, 0 or more, which are never exceeded. Default: 0.05. */
  maxCost?: number | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `quality_first`. */
export interface QualityFirstConfig {
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** What a user prefers. */
export interface UserPreferences {
  /** The id of the provider. Default: `smart`. */
  preferredProvider?: string | undefined;
  /** Dollars, 0 or more, which are never exceeded: where the provider could cost more, `cost_aware` does the work. Default: no limit. */
  maxCostPerCondensation?: number | undefined;
  /** 0 to 1, for `smart`: over 0.8 the preset `conservative`, over 0.5 `balanced`, else `aggressive`. Default: 0.6. */
  qualityThreshold?: number | undefined;
  /** Fields of the provider's configuration; it comes before `qualityThreshold`. Default: none. */
  customConfig?: object | undefined;
}

/** Configuration of the strategy `per_user`. */
export interface PerUserConfig {
  /** By `context.userId`. Default: none. */
  users?: Readonly<Record<string, UserPreferences>> | undefined;
  /** For users of whom nothing is known, and where no user is named. Default: `smart` with the preset `balanced`. */
  default?: UserPreferences | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** The same, with a function, which settings in JSON cannot hold. */
export interface PerUserOptions extends PerUserConfig {
  /**
   * Asked for users that `users` does not have; gives nothing for one that is not known. What it throws, or no answer within five seconds, is the warning
   * `look_up_failed`, and the default is used.
   */
  lookUp?: ((userId: string) => UserPreferences | null | undefined | PromiseLike<UserPreferences | null | undefined>) | undefined;
}

/** One of several providers that are compared. */
export interface AbTestVariant {
  /** What reports call it; no two share one. */
  name: string;
  /** The id of the provider. Default: `native`. */
  provider?: string | undefined;
  /** Fields of its configuration. Default: none. */
  config?: object | undefined;
  /** The prompt that it summarises by; it comes before that of the call. Default: none. */
  customCondensingPrompt?: string | undefined;
  /**
   * The profile of the manager (`ManagerOptions.profiles`) whose handler, and so whose model, and price are for its summaries. Default, and with the warning
   * `handler_missing` where the profile has no handler: those of the call.
   */
  condensingApiConfigId?: string | undefined;
  /** How many get it, in relation to the other variants, 0 or more. Default: 1. */
  share?: number | undefined;
}

/** Configuration of the strategy `ab_test`. */
export interface AbTestConfig {
  /** What `manager.getExperiment` calls it; others assign independently of it. Default: `ab_test`. */
  experiment?: string | undefined;
  /** Default: `A`, `native`, and `B`, `smart` with the preset `balanced`. */
  variants?: readonly AbTestVariant[] | undefined;
  /** Another one assigns anew. Default: empty. */
  salt?: string | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `progressive`. */
export interface ProgressiveConfig {
  /** Dollars, 0 or more, which are never exceeded. Default: 0.1. */
  budget?: number | undefined;
  /** What stays word for word, beside what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** So many messages at the beginning stay as they are, with nothing put between them, so that the prompt cache holds up to there. Default: 0. */
  frozenMessages?: number | undefined;
}

/**
 * Stages one after the other, each on what the one before has left, until the target is reached; without a target, all of them. A stage that fails is left out
 * with the warning `provider_failed`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createPipeline } from "roo-condense";
 *
 * const pipeline = createPipeline({ stages: ["lossless", { provider: "truncation", config: { preserveRecentCount: 10 } }] });
 * const { choices } = await pipeline.condense({ messages }, { targetTokens: 30_000 });
 * for (const { provider, reason } of choices ?? []) console.log(provider, reason);
 * ```
 */
export function createPipeline(config?: PipelineConfig): BuiltInProvider<PipelineConfig>;

/**
 * The further the conversation is from the target, the stronger the provider. Where it misses the target, the band for what is left is asked next.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createAdaptive } from "roo-condense";
 *
 * const adaptive = createAdaptive({ bands: [{ below: 1.5, provider: "lossless" }, { provider: "truncation" }] });
 * const { messages: condensed } = await adaptive.condense({ messages }, { targetTokens: 30_000 });
 * ```
 */
export function createAdaptive(config?: AdaptiveConfig): BuiltInProvider<AdaptiveConfig>;

/**
 * `native` where the most that it can cost is within `maxCost`, else `smart` with the preset `balanced` where that is, else `lossless` and `truncation`, which
 * are free, with the warning `cost_limit`. Never more than `maxCost` is spent, also when answers are longer than expected.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createCostAware, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "openai", model: "gpt-5-mini", price: { inputPrice: 0.25, outputPrice: 2 } });
 * const { cost } = await createCostAware({ maxCost: 0.02 }).condense({ messages }, { handler, targetTokens: 30_000 });
 * ```
 */
export function createCostAware(config?: CostAwareConfig): BuiltInProvider<CostAwareConfig>;

/**
 * `smart` with the preset `conservative`; where that misses the target `native` on its result; where something fails, or the target is missed still,
 * `truncation` with `truncationMode: "suppress"`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createQualityFirst } from "roo-condense";
 *
 * const { messages: condensed } = await createQualityFirst().condense({ messages }, { targetTokens: 30_000 });
 * ```
 */
export function createQualityFirst(config?: QualityFirstConfig): BuiltInProvider<QualityFirstConfig>;

/**
 * What the user of the conversation (`context.userId`) prefers.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createPerUser, type UserPreferences } from "roo-condense";
 *
 * const accounts = new Map<string, UserPreferences>([["anna", { qualityThreshold: 0.9, maxCostPerCondensation: 0.1 }]]);
 * const perUser = createPerUser({ lookUp: (userId) => accounts.get(userId), default: { preferredProvider: "truncation" } });
 * const { choices } = await perUser.condense({ messages, userId: "anna" }, { targetTokens: 30_000 });
 * ```
 */
export function createPerUser(config?: PerUserOptions): BuiltInProvider<PerUserConfig>;

/**
 * Each user (`context.userId`, else `context.taskId`) always gets the same of several variants; `manager.getExperiment` tells which does better.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { CondensationManager, createAbTest } from "roo-condense";
 *
 * const manager = new CondensationManager({ provider: "ab_test" });
 * const short = "Summarise the work so far in ten lines.";
 * manager.registerProvider(createAbTest({ experiment: "prompt", variants: [{ name: "usual" }, { name: "short", customCondensingPrompt: short }] }));
 * await manager.condense({ messages, userId: "anna" });
 * for (const { measure, ahead, isReal } of manager.getExperiment("prompt")?.comparisons ?? []) console.log(measure, ahead, isReal);
 * ```
 */
export function createAbTest(config?: AbTestConfig): BuiltInProvider<AbTestConfig>;

/**
 * `lossless` and `truncation` as it is without a target; where that misses the target and the budget is over $0.01, a summary of the older half by the model
 * for summaries; where more than $0.05 are left then, `native` by the conversation's own model; at last truncation to the target. Never more than the
 * budget is spent, also when answers are longer than expected.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createProgressive } from "roo-condense";
 *
 * const { cost, choices } = await createProgressive({ budget: 0.2 }).condense({ messages }, { targetTokens: 30_000 });
 * ```
 */
export function createProgressive(config?: ProgressiveConfig): BuiltInProvider<ProgressiveConfig>;

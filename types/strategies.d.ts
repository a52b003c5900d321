// Strategies: providers made of other providers. docs/strategies.md says when to use which.

import type { ConfiguredProtect } from "./protect.js";
import type { BuiltInProvider, ProviderId } from "./providers.js";

/** A provider and its configuration. */
export interface StrategyPart {
  /** The id of a built-in provider, or of one registered with the manager when the strategy runs. */
  provider: ProviderId;
  /** Fields of its configuration, like `config` of a call. For built-in providers they are checked with the strategy's own. Default: none. */
  config?: object | undefined;
}

/** A stage of a pipeline. */
export interface PipelineStage extends StrategyPart {
  /** The stage's own target in tokens, counted locally, if larger than the call's; `false`: the stage gets no target. Default: the target of the call. */
  target?: number | false | undefined;
}

/** Configuration of the strategy `pipeline`. */
export interface PipelineConfig {
  /** The stages, in order; each works on the result of the one before, until the target is reached. Default: `["lossless", "truncation", "native"]`. */
  stages?: readonly (ProviderId | PipelineStage)[] | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** A provider for a range of ratios of tokens to target. */
export interface AdaptiveBand extends StrategyPart {
  /** Upper end of the range. Only the last band may omit it; it covers all larger ratios. */
  below?: number | undefined;
}

/** Configuration of the strategy `adaptive`. */
export interface AdaptiveConfig {
  /**
   * The bands, from the smallest ratio up. Default: below 1.2 `lossless`, below 2 `truncation`, below 3 `native`, else `smart` with the preset `aggressive`.
   */
  bands?: readonly AdaptiveBand[] | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `cost_aware`. */
export interface CostAwareConfig {
  /** Largest cost in dollars, 0 or more; never exceeded. Default: 0.05. */
  maxCost?: number | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `quality_first`. */
export interface QualityFirstConfig {
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** The preferences of a user. */
export interface UserPreferences {
  /** The id of the provider. Default: `smart`. */
  preferredProvider?: ProviderId | undefined;
  /** Largest cost in dollars, 0 or more; never exceeded. If the provider could cost more, `cost_aware` runs instead. Default: no limit. */
  maxCostPerCondensation?: number | undefined;
  /** Quality from 0 to 1, for `smart`: over 0.8 the preset `conservative`, over 0.5 `balanced`, else `aggressive`. Default: 0.6. */
  qualityThreshold?: number | undefined;
  /** Fields of the provider's configuration; they win over `qualityThreshold`. Default: none. */
  customConfig?: object | undefined;
}

/** Configuration of the strategy `per_user`. */
export interface PerUserConfig {
  /** Preferences by `context.userId`. Default: none. */
  users?: Readonly<Record<string, UserPreferences>> | undefined;
  /** Preferences for unknown users, and for calls without a user. Default: `smart` with the preset `balanced`. */
  default?: UserPreferences | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** The same with a function, which JSON settings cannot hold. */
export interface PerUserOptions extends PerUserConfig {
  /**
   * Looks up users that are not in `users`; returns nothing for an unknown one. If it throws, or takes more than five seconds, the default is used, with the
   * warning `look_up_failed`.
   */
  lookUp?: ((userId: string) => UserPreferences | null | undefined | PromiseLike<UserPreferences | null | undefined>) | undefined;
}

/** One of the providers that an experiment compares. */
export interface AbTestVariant {
  /** Its name in reports; unique. */
  name: string;
  /** The id of the provider. Default: `native`. */
  provider?: ProviderId | undefined;
  /** Fields of its configuration. Default: none. */
  config?: object | undefined;
  /** The system prompt for its summaries; it wins over the call's. Default: none. */
  customCondensingPrompt?: string | undefined;
  /**
   * The manager's profile (`ManagerOptions.profiles`) whose handler, and so whose model, and price to use for its summaries. Default, and with the warning
   * `handler_missing` if the profile has no handler: those of the call.
   */
  condensingApiConfigId?: string | undefined;
  /** Its share of the users relative to the other variants, 0 or more. Default: 1. */
  share?: number | undefined;
}

/** Configuration of the strategy `ab_test`. */
export interface AbTestConfig {
  /** The name for `manager.getExperiment`; experiments of other names assign users independently. Default: `ab_test`. */
  experiment?: string | undefined;
  /** The variants. Default: `A`, `native`, and `B`, `smart` with the preset `balanced`. */
  variants?: readonly AbTestVariant[] | undefined;
  /** Salt of the assignment; changing it assigns all users again. Default: empty. */
  salt?: string | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/** Configuration of the strategy `progressive`. */
export interface ProgressiveConfig {
  /** Largest cost in dollars, 0 or more; never exceeded. Default: 0.1. */
  budget?: number | undefined;
  /** Content to keep word for word, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /** Number of leading messages to leave unchanged, with nothing inserted between them; the prompt cache stays valid that far. Default: 0. */
  frozenMessages?: number | undefined;
}

/**
 * Runs stages one after the other, each on the result of the one before, until the target is reached; without a target, all of them. A stage that fails is
 * skipped, with the warning `provider_failed`.
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
 * Chooses a stronger provider the further the conversation is from the target. If it misses the target, the band for the rest runs next.
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
 * Runs `native` if its largest possible cost is within `maxCost`; else `smart` with the preset `balanced`, if that is; else `lossless` and `truncation`, which
 * are free, with the warning `cost_limit`. Never spends more than `maxCost`, even if responses are longer than expected.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createCostAware, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-sonnet-5-5", price: { inputPrice: 2, outputPrice: 10 } });
 * const { cost } = await createCostAware({ maxCost: 0.02 }).condense({ messages }, { handler, targetTokens: 30_000 });
 * ```
 */
export function createCostAware(config?: CostAwareConfig): BuiltInProvider<CostAwareConfig>;

/**
 * To a target runs `lossless`, then `native` if a model is available, then `truncation`, each only if the target is still missed. Without a target runs
 * `smart` with the preset `conservative`; if that fails `native`, then `truncation`.
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
 * Runs what the conversation's user (`context.userId`) prefers.
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
 * Assigns each user (`context.userId`, else `context.taskId`) permanently to one of several variants; `manager.getExperiment` reports which does better.
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
 * Runs `lossless` and `truncation` without a target. If that misses the target and the budget is over $0.01, the model for summaries summarises the older half;
 * if more than $0.05 remain then, `native` runs with the conversation's own model; at last, truncation to the target. Never spends more than the budget, even
 * if responses are longer than expected.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createProgressive } from "roo-condense";
 *
 * const { cost, choices } = await createProgressive({ budget: 0.2 }).condense({ messages }, { targetTokens: 30_000 });
 * ```
 */
export function createProgressive(config?: ProgressiveConfig): BuiltInProvider<ProgressiveConfig>;

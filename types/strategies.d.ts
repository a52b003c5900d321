// Strategies: providers made of other providers. docs/strategies.md says when to use which.

import type {
  AbTestConfig,
  AdaptiveConfig,
  CostAwareConfig,
  PerUserConfig,
  PipelineConfig,
  PipelineStage,
  ProgressiveConfig,
  QualityFirstConfig,
  UserPreferences,
} from "./options.js";
import type { BuiltInProvider } from "./providers.js";

/** A provider and its configuration. */
export type StrategyPart = Pick<PipelineStage, "provider" | "config">;

/** The same with a function, which JSON settings cannot hold. */
export interface PerUserOptions extends PerUserConfig {
  /**
   * Looks up users that are not in `users`; returns nothing for an unknown one. If it throws, or takes more than five seconds, the default is used, with the
   * warning `look_up_failed`.
   */
  lookUp?: ((userId: string) => UserPreferences | null | undefined | PromiseLike<UserPreferences | null | undefined>) | undefined;
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

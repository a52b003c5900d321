// The manager: its options, its effective configuration, and its metrics.

import type { CondenseOptions, ConversationContext, ThinkingOption } from "./calls.js";
import type { EconomicAdvice, EconomicFailure } from "./economics.js";
import type { CondensationError } from "./errors.js";
import type { HandlerOption } from "./handlers.js";
import type { Message, MessageLike } from "./messages.js";
import type { InspectContext, Inspection, ManagerInspectOptions } from "./inspect.js";
import type { ModelPrice } from "./prices.js";
import type { BuiltInProvider, CondensationProvider, ConfigValidation, ProviderInfo } from "./providers.js";
import type { CondensationResult, ModelRequest, Preview, TokenEstimate } from "./results.js";
import type { GuardOptions, PresetName, ProviderId } from "./options.js";
import type { Encoding, Scale } from "./tokens.js";
import type { ToolMeanings } from "./tools.js";
import type { TriggerDecision, Usage } from "./trigger.js";
import type { Experiment } from "./experiments.js";
import type { Warning } from "./warnings.js";
import type { Protect } from "./protect.js";
import type { Said } from "./words.js";

/** Settings of a profile, besides its threshold. */
export interface ProfileOptions {
  /** The profile whose handler and price to use for summaries under this one. If it has no handler, the result has the warning `handler_missing`. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt for summaries. The call's prompt wins. Default: the manager's. */
  customCondensingPrompt?: string | null | undefined;
  /** Largest cost of one condensation under this profile, in dollars. Default: the manager's. */
  maxCostPerCondensation?: number | undefined;
  /** The handler for conversations under this profile. */
  handler?: HandlerOption;
  /** The price of handlers that have none of their own. */
  price?: ModelPrice | null | undefined;
}

/**
 * A store of the host for summaries. What it throws or rejects with, and what it returns that was not kept under the key, becomes the warning `cache_failed`;
 * the model is asked as if nothing had been kept.
 */
export interface SummaryStore {
  /** The text kept under `key`, as it was given to `set`; `undefined` or `null` where nothing is. A promise is waited for, two seconds. Keys are hashes of the model, the prompt and what is summarised, without a secret: what the store returns is believed. */
  get(key: string): unknown;
  /** Keeps a text: a summary, below a line that says for which key it was written. A promise is waited for, two seconds. */
  set(key: string, value: string): unknown;
}

/** Options of a {@link CondensationManager}. Unknown options are an error. */
export interface ManagerOptions {
  /**
   * Id of the provider that is active at first. An id that looks like a misspelt one of a known provider is refused; any other unknown id may be registered
   * later, and calls reject with `unknown_provider` until then. Default: `native`; if neither the call nor the manager has a handler, `lossless`, with
   * `truncation` as fallback if the target is missed.
   */
  provider?: ProviderId | undefined;
  /**
   * Custom providers, and built-in ones with a configuration of their own, to register at once. `provider` and `fallback` may name them. Default: none; see
   * {@link CondensationManager.registerProvider}.
   */
  providers?: readonly (CondensationProvider<any> | BuiltInProvider)[] | undefined;
  /**
   * Whether a condensation is due when the threshold is reached. If false, it is due only when the window is full; the oldest messages are then dropped
   * (`truncation`). Default: true.
   */
  autoCondenseContext?: boolean | undefined;
  /** The threshold, in percent of the context window, 5 to 100. Default: 100. */
  autoCondenseContextPercent?: number | undefined;
  /** Thresholds by profile, in percent: 5 to 100, or -1 to inherit the global one; any other number warns and inherits. Default: none. */
  profileThresholds?: Readonly<Record<string, number>> | undefined;
  /** The handler of the conversation's own model; see `ProviderCallOptions.handler`. Default: none. */
  handler?: HandlerOption;
  /** The handler that writes summaries. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** The profile whose handler and price to use for summaries, for calls without a profile and for profiles that name none. Default: none. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt for summaries, for profiles without one. The call's prompt wins. Default: a built-in prompt. */
  customCondensingPrompt?: string | null | undefined;
  /**
   * Settings of profiles, by id. If nothing else decides, the profile named `condensing` writes all summaries, those of presets included: the place for a cheap
   * model. Default: none.
   */
  profiles?: Readonly<Record<string, ProfileOptions>> | undefined;
  /**
   * Ids of the providers to try, in order, when a provider fails or misses the target; `false` for none. Unknown ids are treated as in `provider`. Default:
   * `native`, `lossless`, `truncation` after `smart`; `lossless`, `truncation` after `native` and after a custom provider; `truncation` after `lossless`; none
   * after `truncation`.
   */
  fallback?: readonly ProviderId[] | false | undefined;
  /** Largest total cost of this manager in dollars, 0 or more. A summary that would probably exceed it is not requested: `cost_limit`. Default: no limit. */
  maxCost?: number | undefined;
  /**
   * Largest cost of one condensation in dollars, fallbacks included, 0 or more. A request that would probably exceed it is not sent: `cost_limit`. A profile's
   * and a call's own limit win. Default: no limit.
   */
  maxCostPerCondensation?: number | undefined;
  /** Dollars above which one condensation causes a warning and an alert (`high_cost`); `false` for never. Default: 0.1. */
  costAlert?: number | false | undefined;
  /** The store for summaries, so that none is requested twice; `false` for none. Default, and for `true`: up to 8 MiB of memory. */
  cache?: SummaryStore | boolean | null | undefined;
  /** Share of the due point, in percent from 0 to 100, from which {@link CondensationManager.prepare} prepares a condensation. Default: 80. */
  prepareFromPercent?: number | undefined;
  /** The guard against repeated condensing without gain; `false` for none. Default: see {@link GuardOptions}. */
  guard?: GuardOptions | false | undefined;
  /** How to treat signed thinking after a change, for calls that do not say. Default: `auto`. */
  thinking?: ThinkingOption | undefined;
  /** The token encoding. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** Factor from tokens of that encoding to the model's own. Default: 1. */
  scale?: Scale | undefined;
  /**
   * Meanings of your own tools, for all providers: their calls can then be followed to files, and are described by what they are about. Default: none; the
   * tools of the known agents are built in.
   */
  tools?: ToolMeanings | undefined;
  /** Content to keep word for word in every condensation, by every provider. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/** The effective configuration. */
export interface EffectiveConfig {
  /** The profile; `null` for none. */
  profileId: string | null;
  /** Id of the active provider. */
  provider: ProviderId;
  autoCondenseContext: boolean;
  /** In percent. */
  threshold: number;
  encoding: Encoding;
  /** The factor in use. */
  scale: number;
  /** Dollars; `null` for no limit. */
  maxCost: number | null;
  /** Dollars for one condensation; `null` for no limit. */
  maxCostPerCondensation: number | null;
  /** Dollars; `null` for never. */
  costAlert: number | null;
  /** The preset of the provider `smart`; `null` if it has passes of its own or is a custom provider. */
  preset: PresetName | null;
  /** Whether the manager's `protect` has any rule. */
  protects: boolean;
  thinking: ThinkingOption;
  /** The profile that writes summaries; `null` for none. */
  condensingApiConfigId: string | null;
  /** The system prompt for summaries; `null` for the default. */
  customCondensingPrompt: string | null;
  /** Price of the profile that writes summaries, or else of this one; `null` when neither has one. Handlers with a price of their own keep it. */
  price: ModelPrice | null;
  /** `invalid_threshold` if the profile's own threshold is invalid. */
  warnings: Warning[];
}

/** Sums and averages over calls. */
export interface MetricTotals {
  /** Number of condensations. */
  calls: number;
  /** How many succeeded. */
  successes: number;
  /** How many failed. */
  errors: number;
  /** Dollars. */
  cost: number;
  tokensSaved: number;
  /** Mean share of the tokens removed by the successful calls, in percent. */
  averageReductionPercent: number;
  /** Mean time of a call, in milliseconds. */
  averageLatencyMs: number;
  /** Median time of the newest calls (1000 at most), in milliseconds. */
  p50LatencyMs: number;
  /** 95th percentile of their times, in milliseconds. */
  p95LatencyMs: number;
  /** Tokens before condensing per second of work, over all calls. */
  tokensPerSecond: number;
  /** Mean cost of a call in dollars. */
  averageCost: number;
  /** Largest cost of a call in dollars. */
  highestCost: number;
  /** Mean of `metrics.summaryQualityScore`, 0 to 1; absent if no call measured it. */
  summaryQualityScore?: number;
  /**
   * Mean of `metrics.informationPreservation`, 0 to 1; absent if no call measured it. Like the score, it counts for the provider that changed the conversation
   * last.
   */
  informationPreservation?: number;
}

/** The metrics entry of one condensation, fallbacks included. */
export interface CondensationRecord {
  /** When it ended, in milliseconds since 1970. */
  timestamp: number;
  /** Id of the provider that did the work, or else was called. */
  providerId: string;
  /** The profile, if any. */
  profileId?: string;
  /** The error code, if it failed. */
  error?: string;
  /** Dollars. */
  cost: number;
  originalTokens: number;
  finalTokens: number;
  /** 0 to 100. */
  reductionPercent: number;
  /** Milliseconds. */
  latencyMs: number;
  /** How much of what it must keep the summary covers, 0 to 1; absent if it was not measured, like the next one. */
  summaryQualityScore?: number;
  /** Share of the tokens that are not lost, 0 to 1. */
  informationPreservation?: number;
}

/** An alert about the metrics. */
export interface MetricAlert {
  /**
   * `low_reduction`: less than 20% is removed on average, also by free providers; `high_cost`: one condensation cost more than `costAlert`; `cost_limit`:
   * `maxCost` is spent.
   */
  code: "low_reduction" | "high_cost" | "cost_limit";
  /** For a person. */
  message: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The provider that the alert is about, if any. */
  providerId?: string;
  /** The profile that the alert is about, if any. */
  profileId?: string;
}

/** Metrics of a manager since its creation or their last reset. Previews and calls that were not due are not counted. */
export interface Metrics {
  total: MetricTotals;
  /** By provider, fallbacks included. */
  providers: Record<string, MetricTotals>;
  /** By profile; calls without a profile are not included. */
  profiles: Record<string, MetricTotals>;
  /** Dollars by model; costs that custom providers report are not included. */
  costByModel: Record<string, number>;
  /** Results of experiments, by experiment; see {@link CondensationManager.getExperiment}. */
  experiments: Record<string, Experiment>;
  /** The newest 100 condensations, the oldest first. */
  records: CondensationRecord[];
  /** Current alerts. */
  alerts: MetricAlert[];
}

/** The result of {@link CondensationManager.prepare}. */
export interface PreparationResult {
  /** Whether a prepared condensation now exists, to be applied when one is due. */
  prepared: boolean;
  /**
   * - `done`: it was prepared
   * - `reused`: an earlier preparation is still valid
   * - `joined`: a preparation for the same task was already running and this call awaited it; if that one was aborted, this call did its own
   * - `early`: condensing is far from due
   * - `nothing`: there is nothing to gain
   * - `failed`: see `error`
   */
  reason: "done" | "reused" | "joined" | "early" | "nothing" | "failed";
  /** Number of messages in the snapshot; 0 if nothing is prepared. */
  messages: number;
  /** Tokens it saves, counted like `totalTokens`. */
  tokensSaved: number;
  /** Dollars spent by this call. */
  cost: number;
  /** The requests to models, in the order in which they ended; absent if there was none. */
  requests?: ModelRequest[];
  warnings: Warning[];
  /** Why it failed. */
  error?: CondensationError;
}

/** A token count that an API reported, beside the local one for the same messages. */
export interface CalibrationReport {
  /** Tokens counted locally, unscaled, above 0. */
  localTokens: number;
  /** Tokens that the API reported: 0.25 to 4 times as many. */
  reportedTokens: number;
  /** The name of the model; use the same name every time. */
  model: string;
}

/**
 * Registers providers, decides when to condense, and condenses. Two managers share nothing but caches of token counts.
 *
 * @example
 * ```ts
 * import { CondensationManager, createSmartProvider, httpHandler } from "roo-condense";
 *
 * const manager = new CondensationManager({
 *   provider: "smart",
 *   autoCondenseContextPercent: 80,
 *   condensingHandler: httpHandler({ api: "openai", model: "gpt-5.6-terra", apiKey: process.env.OPENAI_API_KEY }),
 *   maxCost: 1,
 * });
 * manager.registerProvider(createSmartProvider("aggressive"));
 *
 * const { messages: condensed, didCondense } = await manager.condenseIfNeeded({
 *   messages,
 *   systemPrompt,
 *   totalTokens: 165_000,
 *   contextWindow: 200_000,
 * });
 * ```
 */
export class CondensationManager {
  /** @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`, `unknown_provider` for a misspelt id */
  constructor(options?: ManagerOptions);

  /**
   * Registers a provider, built-in or custom, replacing any provider with the same id.
   * @throws {TypeError} `invalid_argument`
   */
  registerProvider<M extends MessageLike>(provider: CondensationProvider<M>): void;
  registerProvider(provider: BuiltInProvider): void;

  /** Removes a provider. Returns whether it was registered. Running calls keep using it. */
  unregisterProvider(id: ProviderId): boolean;

  /** Returns the provider with this id, the same object that was registered, or `null`. */
  getProvider(id: ProviderId): BuiltInProvider | CondensationProvider<any> | null;

  /** Lists the registered providers, in order of registration. */
  listProviders(): ProviderInfo[];

  /**
   * Makes a provider the active one.
   * @throws {TypeError} `unknown_provider`
   */
  setActiveProvider(id: ProviderId): void;

  /**
   * Returns the active provider.
   * @throws {TypeError} `unknown_provider` if it is not registered
   */
  getActiveProvider(): BuiltInProvider | CondensationProvider<any>;

  /**
   * Returns the JSON Schema of a provider's configuration; empty for a custom provider without one.
   * @throws {TypeError} `unknown_provider`
   */
  getConfigSchema(id: ProviderId): Record<string, unknown>;

  /**
   * Checks a configuration for a provider, without throwing for what is wrong in it; a custom provider's `validateConfig` checks its own.
   * @throws {TypeError} `unknown_provider`
   */
  validateConfig(id: ProviderId, config: unknown): ConfigValidation;

  /** Returns the effective configuration of a profile. */
  getEffectiveConfig(profileId?: string | null): EffectiveConfig;

  /** Returns the effective threshold of a profile, in percent. */
  effectiveThreshold(profileId?: string | null): number;

  /**
   * Returns whether a profile has a usable handler of its own (`profiles[profileId].handler`). A call's handler would win over it.
   * @throws {TypeError} `invalid_argument`
   */
  hasHandler(profileId: string): boolean;

  /**
   * Sets the global threshold (`autoCondenseContextPercent`), 5 to 100 percent.
   * @throws {RangeError} `out_of_range`
   */
  setThreshold(percent: number): void;

  /**
   * Replaces the provider `smart` by one with this preset. The active provider stays the same.
   * @throws {TypeError} `invalid_config`
   */
  setPreset(preset: PresetName): void;

  /**
   * Sets the threshold of a profile, 5 to 100 percent, or -1 to inherit the global one.
   * @throws {RangeError} `out_of_range`
   */
  setProfileThreshold(profileId: string, percent: number): void;

  /**
   * Returns whether a condensation is due: the threshold is reached (`100 * prev / contextWindow >= threshold`), or the next response would not fit (`prev >
   * contextWindow * 0.9 - (maxTokens || 8192)`, of which at most 40% of the window are reserved), where `prev = totalTokens + lastMessageTokens`. Synchronous.
   * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * const { due, reason } = manager.shouldCondense({ totalTokens: 150_000, lastMessageTokens: 900, contextWindow: 200_000 });
   * ```
   */
  shouldCondense(usage: Usage): TriggerDecision;

  /**
   * Analyses what a conversation consists of, using the manager's encoding, scale, tools and thresholds; see {@link inspect}.
   * @throws {TypeError | RangeError} `invalid_argument`, `invalid_messages`, `not_serializable`, `unsupported_format`, `out_of_range`
   */
  inspect<M extends MessageLike = Message>(context: InspectContext<M>, options?: ManagerInspectOptions): Promise<Inspection>;

  /**
   * Learns how many of a model's own tokens one local token stands for, as a moving ratio per model; used with `scale: "auto"`.
   * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`, `invalid_calibration`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * manager.calibrate({ localTokens: 10_000, reportedTokens: 16_400, model: "claude-sonnet-5-5" });
   * ```
   */
  calibrate(report: CalibrationReport): void;

  /**
   * Condenses. Rejects for wrong arguments only; failures are in `result.error`.
   * @throws {TypeError | RangeError} see `ArgumentErrorCode`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * const result = await manager.condense({ messages, systemPrompt }, { provider: "truncation", targetTokens: 40_000 });
   * ```
   */
  condense<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<CondensationResult<M>>;

  /**
   * Decides whether condensing now pays, how much it saves, and with which provider, given prices, expected requests and whether the prompt cache is warm.
   * Changes nothing and calls no LLM. `context` needs `totalTokens` and `contextWindow`.
   * @throws {TypeError | RangeError} see `ArgumentErrorCode`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * const price = { inputPrice: 3, outputPrice: 15, cacheWritesPrice: 3.75, cacheReadsPrice: 0.3 };
   * const usage = { totalTokens: 90_000, contextWindow: 200_000 };
   * const advice = await manager.decide({ messages, ...usage }, { price, economics: { msSinceLastRequest: 1_800_000 } });
   * if (advice.condense) console.log(`$${advice.saves.toFixed(2)}: ${advice.reason}`);
   * ```
   */
  decide<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<EconomicAdvice | EconomicFailure>;

  /**
   * Condenses a snapshot in the background, so that a later {@link CondensationManager.condenseIfNeeded} of the same task (`taskId`) can apply the edits at
   * once. They are applied if a condensation is due, the conversation still begins with the snapshot's messages, and provider, configuration and prompt are the
   * same. Newer messages are condensed only if the whole would not fit otherwise.
   *
   * It may be called after every turn: far from the threshold (`prepareFromPercent`), or while an earlier preparation is valid, it does nothing. For one task
   * only one preparation runs at a time, and other calls await it. Its cost is in its own result and in the metrics, not in the result that applies it. The
   * manager stores the edits of the eight newest tasks, 16 MiB at most. `context` needs `totalTokens` and `contextWindow`.
   * @throws {TypeError | RangeError} see `ArgumentErrorCode`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager({ provider: "smart", autoCondenseContextPercent: 80 });
   * const usage = { taskId: "42", totalTokens: 140_000, contextWindow: 200_000 };
   *
   * // After a turn, while the user reads. Nothing waits for it.
   * manager.prepare({ messages, ...usage }).then(({ prepared, reason, cost }) => console.log(prepared, reason, cost));
   * // Before the next request.
   * const { messages: next, appliedPreparation } = await manager.condenseIfNeeded({ messages, ...usage, totalTokens: 165_000 });
   * ```
   */
  prepare<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<PreparationResult>;

  /**
   * Condenses if a condensation is due (`result.trigger` says why). If the window is full and there is no target, the target is what fits. `context` needs
   * `totalTokens` and `contextWindow`.
   * @throws {TypeError | RangeError} see `ArgumentErrorCode`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * const { messages: next, trigger } = await manager.condenseIfNeeded({ messages, totalTokens: 150_000, contextWindow: 200_000 });
   * ```
   */
  condenseIfNeeded<M extends MessageLike>(
    context: ConversationContext<M> & { readonly totalTokens: number; readonly contextWindow: number },
    options?: CondenseOptions,
  ): Promise<CondensationResult<M>>;

  /**
   * Previews what `condense` would do, within the rest of `maxCost`: a dry run that changes nothing, remembers nothing and calls no LLM. Custom providers are
   * called with `context.isPreview`.
   *
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * const { wouldCondense, samples, exact } = await manager.preview({ messages }, { provider: "lossless" });
   * for (const { before, after, tokensSaved } of samples) console.log(tokensSaved, before?.content, after?.content);
   * ```
   */
  preview<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<Preview<M>>;

  /** Estimates the dollars that `condense` would cost; `undefined` if a model would be called whose price is not known. */
  estimateCost<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<number | undefined>;

  /** Estimates the tokens that `condense` would save. */
  estimateReduction<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<TokenEstimate>;

  /**
   * Returns the results of an experiment (`createAbTest`) since the metrics were reset, and which variant leads; `null` before its first call.
   * @throws {TypeError} `invalid_argument`
   */
  getExperiment(id: string): Experiment | null;

  /** Returns a copy of the metrics. */
  getMetrics(): Metrics;

  /** Resets the metrics; the cost counted towards `maxCost` is kept. */
  resetMetrics(): void;
}

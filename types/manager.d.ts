// The manager: its options, its configuration in force, and its metrics.

import type { CondenseOptions, ConversationContext, ThinkingOption } from "./calls.js";
import type { EconomicAdvice, EconomicFailure } from "./economics.js";
import type { CondensationError } from "./errors.js";
import type { HandlerOption } from "./handlers.js";
import type { Message, MessageLike } from "./messages.js";
import type { InspectContext, Inspection, ManagerInspectOptions } from "./inspect.js";
import type { ModelPrice } from "./prices.js";
import type { BuiltInProvider, CondensationProvider, ConfigValidation, ProviderInfo } from "./providers.js";
import type { CondensationResult, Preview, TokenEstimate } from "./results.js";
import type { PresetName } from "./smart.js";
import type { Encoding, Scale } from "./tokens.js";
import type { ToolMeanings } from "./tools.js";
import type { TriggerDecision, Usage } from "./trigger.js";
import type { Experiment } from "./experiments.js";
import type { Warning } from "./warnings.js";
import type { Protect } from "./protect.js";
import type { Said } from "./words.js";

/** When automatic condensing without gain is given up for a while. The `guard` of the Roo-Code drop-in means the same. */
export interface GuardOptions {
  /** So many attempts in a row without gain are enough, 1 or more. Default: 3. */
  attempts?: number | undefined;
  /** For so many milliseconds after the last of them none is made; a pause that is longer starts the count again. Default: 60,000. */
  windowMs?: number | undefined;
  /** An attempt that removes less than this share of the tokens is one without gain, 0 to 100 percent; so is one that fails. Default: 5. */
  minGainPercent?: number | undefined;
}

/** What belongs to a profile of the host besides its threshold. */
export interface ProfileOptions {
  /** The profile whose handler and price are for summaries under this one. Without a handler there, the warning is `handler_missing`. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt to summarise by. A prompt given with the call wins. */
  customCondensingPrompt?: string | null | undefined;
  /** Dollars that one condensation under this profile may cost. Default: the manager's. */
  maxCostPerCondensation?: number | undefined;
  /** For conversations under this profile. */
  handler?: HandlerOption;
  /** For a handler that has no price of its own. */
  price?: ModelPrice | null | undefined;
}

/**
 * A store of the host for summaries. What it throws or rejects with, and what it returns that was not kept under the key, becomes the warning `cache_failed`;
 * the model is asked as if nothing had been kept.
 */
export interface SummaryStore {
  /** The text kept under `key`, as it was given to `set`; `undefined` or `null` where nothing is. A promise is waited for, two seconds. Keys are hashes of the model, the prompt and what is summarised. */
  get(key: string): unknown;
  /** Keeps a text: a summary, below a line that says for which key it was written. A promise is waited for, two seconds. */
  set(key: string, value: string): unknown;
}

/** Options of a {@link CondensationManager}. An unknown field is an error. */
export interface ManagerOptions {
  /**
   * Id of the provider that is active at first; one of the host's may be registered afterwards. Default: `native`; where a call brings no handler and neither has
   * the manager, there is no model to ask, and `lossless` works in its place (with a target that it misses, `truncation` goes on).
   */
  provider?: string | undefined;
  /**
   * Whether reaching the threshold makes a condensation due. If not, only a full window does, and the oldest messages are dropped then
   * (`truncation`). Default: true.
   */
  autoCondenseContext?: boolean | undefined;
  /** The threshold, in percent of the context window, 5 to 100. Default: 100. */
  autoCondenseContextPercent?: number | undefined;
  /** Thresholds by profile: -1 inherits the global one, 5 to 100 is used, anything else warns and inherits. Default: none. */
  profileThresholds?: Readonly<Record<string, number>> | undefined;
  /** Asks the conversation's own model; see `ProviderCallOptions.handler`. Default: none. */
  handler?: HandlerOption;
  /** Writes summaries. Default: `handler`. */
  condensingHandler?: HandlerOption;
  /** The profile whose handler and price are for summaries, for profiles (and calls without one) that name none. Default: none. */
  condensingApiConfigId?: string | null | undefined;
  /** The system prompt to summarise by, for profiles that have none. A prompt given with the call wins. */
  customCondensingPrompt?: string | null | undefined;
  /**
   * What belongs to the profiles of the host, by id. A profile called `condensing` writes summaries, of all presets too, where nothing else says who does:
   * the place for a cheap model. Default: none.
   */
  profiles?: Readonly<Record<string, ProfileOptions>> | undefined;
  /**
   * What to try, in order, when a provider fails or does not reach the target; `false` for nothing. Default: `native`, `lossless`, `truncation` after
   * `smart`; `lossless`, `truncation` after `native`; `truncation` after `lossless`; nothing after `truncation`; `lossless`,
   * `truncation` after one of the host.
   */
  fallback?: readonly string[] | false | undefined;
  /**
   * Dollars that may be spent by this manager in all, 0 or more. A summary that would probably exceed it is not asked for: `cost_limit`. Default: no
   * limit.
   */
  maxCost?: number | undefined;
  /**
   * Dollars that one condensation may cost, fallbacks included, 0 or more. What would probably exceed it is not asked for: `cost_limit`. A profile's and a
   * call's own win. Default: no limit.
   */
  maxCostPerCondensation?: number | undefined;
  /** Dollars above which one condensation is worth a warning and an alert (`high_cost`); `false` for never. Default: 0.1. */
  costAlert?: number | false | undefined;
  /** Where summaries are kept, so that the same is not asked twice; `false` for nowhere. Default, and for `true`: up to 8 MiB of memory. */
  cache?: SummaryStore | boolean | null | undefined;
  /** From how much of the tokens at which a condensation is due {@link CondensationManager.prepare} prepares one, in percent, 0 to 100. Default: 80. */
  prepareFromPercent?: number | undefined;
  /** The guard against condensing again and again without gain; `false` for none. */
  guard?: GuardOptions | false | undefined;
  /** What is done with signed thinking behind a change, in calls that do not say. Default: `auto`. */
  thinking?: ThinkingOption | undefined;
  /** The vocabulary. Default: `o200k_base`. */
  encoding?: Encoding | undefined;
  /** From tokens of that vocabulary to those of the model. Default: 1. */
  scale?: Scale | undefined;
  /**
   * What tools of the host do, for all its providers: files can then be followed through their calls, and calls are named by what they are about.
   * Default: none; the tools of the known agents are known.
   */
  tools?: ToolMeanings | undefined;
  /** What stays word for word in every condensation, whoever does it. Default: nothing. */
  protect?: Protect | undefined;
  /**
   * So many messages at the beginning of the conversation stay as they are, with nothing put between them, whatever the target, so that the prompt
   * cache of the model's provider holds up to there. The largest of what manager, call and configuration say counts. Default: 0.
   */
  frozenMessages?: number | undefined;
}

/** The configuration in force. */
export interface EffectiveConfig {
  /** The profile it is for; `null` for none. */
  profileId: string | null;
  /** The active provider. */
  provider: string;
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
  /** The preset of the provider `smart`; `null` where it has passes of its own or is one of the host. */
  preset: PresetName | null;
  /** Whether `protect` of the manager names anything. */
  protects: boolean;
  thinking: ThinkingOption;
  /** The profile that writes summaries; `null` for none of its own. */
  condensingApiConfigId: string | null;
  /** `null` for none of its own. */
  customCondensingPrompt: string | null;
  /** Of the profile that writes summaries, or else of this one; `null` when neither has one. Handlers that have a price keep it. */
  price: ModelPrice | null;
  /** `invalid_threshold` when the profile's own is not valid. */
  warnings: Warning[];
}

/** Sums and averages over some calls. */
export interface MetricTotals {
  /** Condensations asked for. */
  calls: number;
  /** Ended without an error. */
  successes: number;
  /** Ended with an error. */
  errors: number;
  /** Dollars. */
  cost: number;
  tokensSaved: number;
  /** Mean share of the tokens removed by the successful calls, in percent. */
  averageReductionPercent: number;
  /** Mean time of a call, in milliseconds. */
  averageLatencyMs: number;
  /** Half of the newest calls (1000 at most) took no longer, in milliseconds. */
  p50LatencyMs: number;
  /** Nineteen of twenty of them took no longer, in milliseconds. */
  p95LatencyMs: number;
  /** Tokens before condensing, of all calls, by the time these took. */
  tokensPerSecond: number;
  /** Dollars for a call, on average. */
  averageCost: number;
  /** Dollars of the call that cost most. */
  highestCost: number;
}

/** One condensation, fallbacks included. */
export interface CondensationRecord {
  /** When it ended, in milliseconds since 1970. */
  timestamp: number;
  /** The provider that did the work, or was asked. */
  providerId: string;
  /** The profile it was under, if any. */
  profileId?: string;
  /** The code of its error, if it ended with one. */
  error?: string;
  /** Dollars. */
  cost: number;
  originalTokens: number;
  finalTokens: number;
  /** 0 to 100. */
  reductionPercent: number;
  /** Milliseconds. */
  latencyMs: number;
}

/** Something in the metrics that deserves attention. */
export interface MetricAlert {
  /**
   * `low_reduction`: less than 20% is removed on average, also by providers that cost nothing; `high_cost`: one condensation cost more than `costAlert`;
   * `cost_limit`: `maxCost` is spent.
   */
  code: "low_reduction" | "high_cost" | "cost_limit";
  /** For a person. */
  message: string;
  /** The same as a code and values, to be told in another language. */
  said: Said;
  /** The provider, if it is about one. */
  providerId?: string;
  /** The profile, if it is about one. */
  profileId?: string;
}

/** What a manager has done since it was made or its metrics were reset. Previews and calls that were not due are not counted. */
export interface Metrics {
  total: MetricTotals;
  /** By provider, those that stood in for another included. */
  providers: Record<string, MetricTotals>;
  /** By profile; calls without one are not here. */
  profiles: Record<string, MetricTotals>;
  /** Dollars by the model that was paid; what providers of the host say they cost is not here. */
  costByModel: Record<string, number>;
  /** What the variants of experiments came to, by experiment; see {@link CondensationManager.getExperiment}. */
  experiments: Record<string, Experiment>;
  /** The newest 100 condensations, the oldest first. */
  records: CondensationRecord[];
  /** What deserves attention, as of now. */
  alerts: MetricAlert[];
}

/** What came of {@link CondensationManager.prepare}. */
export interface PreparationResult {
  /** Whether there is something now that will be applied when a condensation is due. */
  prepared: boolean;
  /**
   * - `done`: it was prepared
   * - `reused`: what was prepared before will do
   * - `joined`: work for the same task that serves this call too was under way, and was waited for; where that was aborted, this call does its own
   * - `early`: too far from being due
   * - `nothing`: nothing would be gained
   * - `failed`: see `error`
   */
  reason: "done" | "reused" | "joined" | "early" | "nothing" | "failed";
  /** Messages of the snapshot; 0 where nothing is prepared. */
  messages: number;
  /** Tokens that it saves, as `totalTokens` counts them. */
  tokensSaved: number;
  /** Dollars spent by this call. */
  cost: number;
  warnings: Warning[];
  /** Why it failed. */
  error?: CondensationError;
}

/** What an API reported for messages that were also counted here. */
export interface CalibrationReport {
  /** Counted here, unscaled, above 0. */
  localTokens: number;
  /** Reported by the API, from 0.25 to 4 times as many. */
  reportedTokens: number;
  /** The model, by any name that is always the same. */
  model: string;
}

/**
 * Knows the providers, decides when to condense, and does it. Two managers share nothing but caches of token counts.
 *
 * @example
 * ```ts
 * import { CondensationManager, createSmartProvider, httpHandler } from "roo-condense";
 *
 * const manager = new CondensationManager({
 *   provider: "smart",
 *   autoCondenseContextPercent: 80,
 *   condensingHandler: httpHandler({ api: "openai", model: "gpt-5-mini", apiKey: process.env.OPENAI_API_KEY }),
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
  /** @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument` */
  constructor(options?: ManagerOptions);

  /**
   * Adds a provider, of this package or of the host; one with the same id is replaced.
   * @throws {TypeError} `invalid_argument`
   */
  registerProvider<M extends MessageLike>(provider: CondensationProvider<M>): void;
  registerProvider(provider: BuiltInProvider): void;

  /** Removes a provider. Whether there was one. Calls that are under way end with it. */
  unregisterProvider(id: string): boolean;

  /** The provider with this id: the object that was registered, or `null`. */
  getProvider(id: string): BuiltInProvider | CondensationProvider<any> | null;

  /** What the providers say of themselves, in the order they were registered. */
  listProviders(): ProviderInfo[];

  /** @throws {TypeError} `unknown_provider` */
  setActiveProvider(id: string): void;

  /** @throws {TypeError} `unknown_provider` when it is not registered (any more, or yet) */
  getActiveProvider(): BuiltInProvider | CondensationProvider<any>;

  /**
   * JSON Schema of the configuration of a provider, of ours or of the host; empty where one of the host has none.
   * @throws {TypeError} `unknown_provider`
   */
  getConfigSchema(id: string): Record<string, unknown>;

  /**
   * Checks a configuration for a provider without throwing; of the host by its `validateConfig`.
   * @throws {TypeError} `unknown_provider`
   */
  validateConfig(id: string, config: unknown): ConfigValidation;

  /** The configuration in force for a profile. */
  getEffectiveConfig(profileId?: string | null): EffectiveConfig;

  /** The threshold in force for a profile, in percent. */
  effectiveThreshold(profileId?: string | null): number;

  /**
   * Whether a profile has a handler of its own that can answer (`profiles[profileId].handler`). A handler of the call would win over it.
   * @throws {TypeError} `invalid_argument`
   */
  hasHandler(profileId: string): boolean;

  /**
   * Sets the global threshold (`autoCondenseContextPercent`): 5 to 100 percent.
   * @throws {RangeError} `out_of_range`
   */
  setThreshold(percent: number): void;

  /**
   * Registers the provider `smart` with a preset in place of the one there is. Which provider is active stays.
   * @throws {TypeError} `invalid_config`
   */
  setPreset(preset: PresetName): void;

  /**
   * Sets the threshold of a profile: 5 to 100 percent, or -1 to inherit the global one.
   * @throws {RangeError} `out_of_range`
   */
  setProfileThreshold(profileId: string, percent: number): void;

  /**
   * Whether a condensation is due: when the threshold is reached (`100 * prev / contextWindow >= threshold`) or the next answer would not fit
   * (`prev > contextWindow * 0.9 - (maxTokens || 8192)`), where `prev = totalTokens + lastMessageTokens`. Synchronous.
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
   * What a conversation is made of, by the manager's encoding, scale, tools and thresholds; see {@link inspect}.
   * @throws {TypeError | RangeError} `invalid_argument`, `invalid_messages`, `not_serializable`, `unsupported_format`, `out_of_range`
   */
  inspect<M extends MessageLike = Message>(context: InspectContext<M>, options?: ManagerInspectOptions): Promise<Inspection>;

  /**
   * Learns how many tokens of a model's own one of ours stands for, as a moving ratio per model; used when `scale` is `"auto"`.
   * @throws {TypeError | RangeError} `invalid_argument`, `out_of_range`, `invalid_calibration`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager();
   * manager.calibrate({ localTokens: 10_000, reportedTokens: 16_400, model: "claude-sonnet-4-5" });
   * ```
   */
  calibrate(report: CalibrationReport): void;

  /**
   * Condenses. Wrong arguments throw at once; the promise never rejects: failures are in `result.error`.
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
   * Whether condensing now pays, by how much and with whom, given prices, requests to come and whether the prompt cache is warm. Nothing is done, and no model is asked.
   * `context` needs `totalTokens` and `contextWindow`.
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
   * Condenses a snapshot ahead of need, in the background, so that {@link CondensationManager.condenseIfNeeded} of the same task (`taskId`) can apply it at once: when it
   * is due, and the conversation still begins with what the snapshot said, with the same provider, configuration and prompt. What is new is condensed only
   * where what was prepared does not make the whole fit. May be called after every turn: it does nothing far from the threshold (`prepareFromPercent`), and nothing
   * again where what was prepared will do; for one task it works once at a time, and who asks meanwhile waits for that. What it costs is in its own result and in
   * the metrics, not in the result that applies it. Kept are the edits of the newest eight tasks, 16 MiB at most. `context` needs `totalTokens` and `contextWindow`.
   * @throws {TypeError | RangeError} see `ArgumentErrorCode`
   * @example
   * ```ts
   * import { CondensationManager } from "roo-condense";
   *
   * const manager = new CondensationManager({ provider: "smart", autoCondenseContextPercent: 80 });
   * const usage = { taskId: "42", totalTokens: 140_000, contextWindow: 200_000 };
   *
   * // After a turn, while the user reads: nobody waits for it.
   * manager.prepare({ messages, ...usage }).then(({ prepared, reason, cost }) => console.log(prepared, reason, cost));
   * // Before the next request.
   * const { messages: next, appliedPreparation } = await manager.condenseIfNeeded({ messages, ...usage, totalTokens: 165_000 });
   * ```
   */
  prepare<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<PreparationResult>;

  /**
   * Condenses when that is due (`result.trigger` says why). When the window is full and no target is given, the target is what fits.
   * `context` needs `totalTokens` and `contextWindow`.
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
   * What `condense` would do, within what `maxCost` leaves. Nothing is changed or remembered and no model is asked; a provider of the host is called
   * with `context.isPreview`.
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

  /** Dollars that `condense` would cost; 0 where the price is not known. */
  estimateCost<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<number>;

  /** Tokens that `condense` would save. */
  estimateReduction<M extends MessageLike>(context: ConversationContext<M>, options?: CondenseOptions): Promise<TokenEstimate>;

  /**
   * What the variants of an experiment (`createAbTest`) came to in this manager since its metrics were reset, and which is ahead; `null` before its first call.
   * @throws {TypeError} `invalid_argument`
   */
  getExperiment(id: string): Experiment | null;

  /** A copy of the metrics. */
  getMetrics(): Metrics;

  /** Forgets the metrics; what counts towards `maxCost` stays. */
  resetMetrics(): void;
}

// The manager: its options, its effective configuration, and its metrics.

import type { ConversationContext } from "./calls.js";
import type {
  EconomicDecision,
  EffectiveSettings,
  Experiment,
  Metrics,
  ModelRequest,
  Preparation,
  ProviderInfo,
  TriggerDecision,
  Warning,
} from "./data.js";
import type { CondensationError } from "./errors.js";
import type { InspectContext, Inspection } from "./inspect.js";
import type { Message, MessageLike } from "./messages.js";
import type { CondenseOptions, ManagerInspectOptions, ManagerOptions, PresetName, ProviderId } from "./options.js";
import type { BuiltInProvider, CondensationProvider, ConfigValidation } from "./providers.js";
import type { CondensationResult, Preview, TokenEstimate } from "./results.js";

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

/** Usage of the context window. */
export interface Usage {
  /** Tokens without the last message, as the API reported them, 0 or more. */
  totalTokens: number;
  /** Tokens of the last message. Default: 0. */
  lastMessageTokens?: number | undefined;
  /** The model's context window in tokens, 1 or more. */
  contextWindow: number;
  /** Tokens reserved for the response, 0 or more, or -1 for "unlimited", as vscode-lm reports it. Default, and for 0 and -1: 8192. */
  maxTokens?: number | null | undefined;
  /** The profile whose threshold applies. Default: the global one. */
  profileId?: string | null | undefined;
}

/** The result of `manager.decide()`. */
export interface EconomicAdvice extends EconomicDecision {
  warnings: Warning[];
}

/** The result of `manager.decide()` if nothing could be decided. */
export interface EconomicFailure {
  /** Why. */
  error: CondensationError;
  condense: false;
  warnings: Warning[];
}

/** The effective configuration. */
export interface EffectiveConfig extends EffectiveSettings {
  /** The preset of the provider `smart`; `null` if it has passes of its own or is a custom provider. */
  preset: PresetName | null;
  /** Whether the manager's `protect` has any rule. */
  protects: boolean;
}

/** The result of {@link CondensationManager.prepare}. */
export interface PreparationResult extends Preparation {
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

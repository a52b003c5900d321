// Condensation strategies: those of this package, and those of the host.

import type { ConversationContext, ProviderCallOptions } from "./calls.js";
import type { ArgumentErrorCode } from "./errors.js";
import type { Message, MessageLike } from "./messages.js";
import type { CondensationResult, Preview, TokenEstimate } from "./results.js";
import type { Warning } from "./warnings.js";
import type { Said } from "./words.js";

/**
 * What a provider can do. Of ours this says what they do, also where design documents had other values for them: `native` asks for the parts of a long
 * history side by side and stands in for `smart`; `lossless` works in one go; `truncation` stands in for others; `smart` costs what its summaries cost.
 *
 * | | lossless | lossy | truncation | LLM | parallel | passes | fallback | free | speed |
 * | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
 * | `native` | | yes | | yes | yes | | yes | | slow |
 * | `smart` | yes | yes | yes | yes | yes | yes | yes | | medium |
 * | `lossless` | yes | | | | | | yes | yes | fast |
 * | `truncation` | | yes | yes | | | | yes | yes | fast |
 * | strategies | | yes | yes | yes | yes | yes | yes | | slow |
 */
export interface ProviderCapabilities {
  /** It can work without losing anything. */
  supportsLossless: boolean;
  /** It can drop content. */
  supportsLossy: boolean;
  /** It can cut texts short. */
  supportsTruncation: boolean;
  /** It can ask a model for summaries. */
  supportsLLMSummarization: boolean;
  /** It works on several parts at once. */
  supportsParallelProcessing: boolean;
  /** It works in passes. */
  supportsMultiPass: boolean;
  /** It may stand in for another provider. */
  supportsFallback: boolean;
  /** It asks no model, so it costs nothing. */
  isFree: boolean;
  /** Milliseconds, seconds (default), or tens of seconds. */
  estimatedSpeed: "fast" | "medium" | "slow";
}

/** What a provider says of itself. */
export interface ProviderInfo {
  id: string;
  /** For people. */
  name: string;
  /** What it does, in a sentence. */
  description: string;
  version: string;
  capabilities: ProviderCapabilities;
}

/** A React component in which people set a configuration. */
export interface ConfigComponent {
  /** What it is imported from. */
  module: string;
  /** The name under which that exports it. */
  name: string;
}

/** A field of a configuration that is wrong. */
export interface ConfigProblem {
  /** The field. */
  path: string;
  code: ArgumentErrorCode;
  /** Names the field, its value and what is allowed. */
  message: string;
  /** The same as a code and values; absent where JavaScript found it. */
  said?: Said;
}

/** What a configuration check says. */
export interface ConfigValidation {
  valid: boolean;
  /** Every field that is wrong. */
  errors: ConfigProblem[];
}

/** What a provider of the host is given. */
export interface ProviderContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /** A copy of the array with the caller's own objects, which must not be mutated: return new ones. */
  readonly messages: M[];
  /** Their tokens as they are counted here, system prompt included. `options.targetTokens` is in the same tokens, whatever the caller's are in. */
  readonly tokenCount: number;
  /** True when the result is only looked at (`preview`, estimates): ask no model. */
  readonly isPreview?: boolean;
}

/** The options as they were given, without `provider`, so that they can be handed on to another provider. */
export interface ProviderOptions extends ProviderCallOptions {
  /** Empty when none was given. */
  config: object;
}

/** What a provider of the host returns. Everything but `messages` may be left out; further fields are ignored, so a whole result will do. */
export interface ProviderResult<M extends MessageLike = Message> {
  /** Objects of the context's `messages` count as unchanged, all others as new. */
  messages: readonly M[];
  summary?: string | undefined;
  /** Dollars. */
  cost?: number | undefined;
  /** Texts become warnings with the code `provider_warning`. Indices are those of the messages that it was given. */
  warnings?: readonly (string | Readonly<Warning>)[] | undefined;
  /** Anything here makes the call fail; it is then the `cause` of the error. */
  error?: unknown;
}

/**
 * A condensation strategy written by the host. Only `id` and `condense` have to be there.
 *
 * @example
 * ```ts
 * import { CondensationManager, type CondensationProvider } from "roo-condense";
 *
 * const newestTen: CondensationProvider = {
 *   id: "newest-ten",
 *   getCapabilities: () => ({ supportsLossy: true }),
 *   condense: ({ messages }) => ({ messages: [...messages.slice(0, 1), ...messages.slice(-10)] }),
 * };
 * const manager = new CondensationManager();
 * manager.registerProvider(newestTen);
 * const result = await manager.condense({ messages }, { provider: "newest-ten" });
 * ```
 */
export interface CondensationProvider<M extends MessageLike = Message> {
  /** What it is registered under; not empty. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string | undefined;
  /** Default: empty. */
  readonly description?: string | undefined;
  /** Default: empty. */
  readonly version?: string | undefined;
  /** Called once, when it is registered. Default: none of them, medium speed. */
  getCapabilities?(): Partial<ProviderCapabilities>;
  /** JSON Schema of its configuration, for `manager.getConfigSchema`. Default: none. */
  getConfigSchema?(): object;
  /** The component in which a page of the host sets its configuration. Default: none. */
  getConfigComponent?(): ConfigComponent | null;
  /**
   * Checks the configuration of a call (`options.config`), and answers at once: what is not valid is thrown as `invalid_config`. What it throws is a fault, too.
   * Default: any object is valid.
   */
  validateConfig?(config: any): { valid: boolean; errors?: readonly unknown[] } | boolean | undefined;
  /**
   * What `condense` would save, for `manager.estimateReduction`: `estimatedTokens` or `estimatedReduction` is enough. Default, and where it throws or says
   * neither: `condense` is tried with `context.isPreview`.
   */
  estimateReduction?(context: ProviderContext<M>, config: any): Partial<TokenEstimate> | PromiseLike<Partial<TokenEstimate>>;
  /** Dollars that `condense` would cost, for `manager.estimateCost`. Default, and where it throws or says no amount: as for `estimateReduction`. */
  estimateCost?(context: ProviderContext<M>, config: any): number | PromiseLike<number>;
  /**
   * Condenses. `changes` of the result are found by comparing: messages that are equal are not changed, texts that got shorter in a message with the same
   * calls or at the same place are `replace`, all else is `drop` and `insert`. Halves of tool rounds that were left out are put back, and so is what keeps
   * the roles in order (warning `pairs_completed`).
   *
   * What it throws, rejects with or reports as `error` becomes the `cause` of a `provider_failed`; a result that breaks the conversation
   * (`broken_result`) or makes it larger (`context_grew`) is refused. A promise that never resolves ends with `options.signal`, and does not keep
   * the process alive.
   */
  condense(context: ProviderContext<M>, options: ProviderOptions): ProviderResult<M> | PromiseLike<ProviderResult<M>>;
}

/**
 * A strategy that comes with this package. It can be used on its own, or be registered with a manager.
 *
 * @example
 * ```ts
 * import { createTruncationProvider } from "roo-condense";
 *
 * const truncation = createTruncationProvider();
 * console.log(JSON.stringify(truncation.getConfigSchema(), null, 2));
 * for (const { path, message } of truncation.validateConfig({ mode: "windw" }).errors) console.error(path, message);
 * const { estimatedReduction } = await truncation.estimateReduction({ messages }, { preserveRecentCount: 10 });
 * ```
 */
export interface BuiltInProvider<Config extends object = object> {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  getCapabilities(): ProviderCapabilities;
  /** JSON Schema (2020-12) of its configuration, with defaults. */
  getConfigSchema(): Record<string, unknown>;
  /** The component of `roo-condense/ui` in which its configuration is set; `null` where a form made from its schema will do. */
  getConfigComponent(): ConfigComponent | null;
  /** Checks a configuration without throwing. */
  validateConfig(config: unknown): ConfigValidation;
  /**
   * Condenses with this provider alone: no fallback, no metrics, no cache of summaries, no limit on cost, encoding `o200k_base`, scale 1. Wrong
   * arguments throw at once.
   * @throws {TypeError | RangeError} see {@link ArgumentErrorCode}
   */
  condense<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<CondensationResult<M>>;
  /**
   * What `condense` would save; no model is asked. `config` and `options` as for `condense`: a provider that asks a model needs its handler, to know
   * the price.
   */
  estimateReduction<M extends MessageLike>(
    context: ConversationContext<M>,
    config?: Config,
    options?: ProviderCallOptions,
  ): Promise<TokenEstimate>;
  /** What `condense` would do, step by step; no model is asked. Arguments as for `condense`. */
  preview<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<Preview<M>>;
  /** Dollars that `condense` would cost. Arguments as for `estimateReduction`. */
  estimateCost<M extends MessageLike>(context: ConversationContext<M>, config?: Config, options?: ProviderCallOptions): Promise<number>;
}

// Providers, the algorithms that condense: the built-in ones and custom ones.

import type { ConversationContext, ProviderCallOptions } from "./calls.js";
import type { ArgumentErrorCode } from "./codes.js";
import type { ProviderCapabilities, Said, Warning } from "./data.js";
import type { Message, MessageLike } from "./messages.js";
import type { CondensationResult, Preview, TokenEstimate } from "./results.js";

/** The React component in which people edit a configuration. */
export interface ConfigComponent {
  /** The module to import. */
  module: string;
  /** The name of its export. */
  name: string;
}

/** An invalid field of a configuration. */
export interface ConfigProblem {
  /** The field, as a path. */
  path: string;
  code: ArgumentErrorCode;
  /** The field, its value and what is allowed, for people. */
  message: string;
  /** The message as a code and values; absent where JavaScript found the error. */
  said?: Said;
}

/** The result of checking a configuration. */
export interface ConfigValidation {
  valid: boolean;
  /** Every invalid field. */
  errors: ConfigProblem[];
}

/** Input to a custom provider. */
export interface ProviderContext<M extends MessageLike = Message> extends ConversationContext<M> {
  /**
   * A copy of the array, with the caller's own message objects. Do not mutate them: return new ones. Messages of another format are given as Anthropic's
   * (docs/formats.md): you may drop them, shorten their texts, and add messages of text.
   */
  readonly messages: M[];
  /** Local token count of messages and system prompt. `options.targetTokens` is in the same tokens, whatever the caller counts in. */
  readonly tokenCount: number;
  /** True in a dry run (`preview`, estimates): call no LLM then. */
  readonly isPreview?: boolean;
}

/** The call's options without `provider`, so that they can be passed on to another provider. */
export interface ProviderOptions extends ProviderCallOptions {
  /** The call's `config`; empty when there is none. */
  config: object;
}

/** Result of a custom provider. Only `messages` is required; unknown fields are ignored, so a whole result can be returned. */
export interface ProviderResult<M extends MessageLike = Message> {
  /** The condensed messages. Objects from the context's `messages` count as unchanged, all others as new. */
  messages: readonly M[];
  summary?: string | undefined;
  /** Dollars. */
  cost?: number | undefined;
  /** Strings become warnings with the code `provider_warning`. Message indices refer to the context's messages. */
  warnings?: readonly (string | Readonly<Warning>)[] | undefined;
  /** If set, the call fails; this value is the `cause` of the error. */
  error?: unknown;
}

/**
 * A custom provider. Only `id` and `condense` are required.
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
  /** The id to register it under; not empty. */
  readonly id: string;
  /** The name for people. Default: the id. */
  readonly name?: string | undefined;
  /** Default: empty. */
  readonly description?: string | undefined;
  /** Default: empty. */
  readonly version?: string | undefined;
  /** The provider's abilities; called once, on registration. Default: none, medium speed. */
  getCapabilities?(): Partial<ProviderCapabilities>;
  /** The JSON Schema of the configuration, for `manager.getConfigSchema`. Default: none. */
  getConfigSchema?(): object;
  /** The component in which your own page edits the configuration. Default: none. */
  getConfigComponent?(): ConfigComponent | null;
  /**
   * Checks the configuration of a call (`options.config`), synchronously. An invalid one becomes the error `invalid_config`; so does an exception. Default: any
   * object is valid.
   */
  validateConfig?(config: any): { valid: boolean; errors?: readonly unknown[] } | boolean | undefined;
  /**
   * Estimates what `condense` would save, for `manager.estimateReduction`. `estimatedTokens` or `estimatedReduction` is enough. Default, and if it throws or
   * returns neither: `condense` is run with `context.isPreview`.
   */
  estimateReduction?(context: ProviderContext<M>, config: any): Partial<TokenEstimate> | PromiseLike<Partial<TokenEstimate>>;
  /**
   * Estimates the dollars that `condense` would cost, for `manager.estimateCost`. Default, and if it throws or returns no amount: as for `estimateReduction`.
   */
  estimateCost?(context: ProviderContext<M>, config: any): number | PromiseLike<number>;
  /**
   * Condenses the messages. The result's `changes` are found by comparison: equal messages are unchanged; texts that became shorter in a message with the same
   * calls, or at the same place, are `replace`; the rest is `drop` and `insert`. If a tool call is dropped without its result, or the reverse, the missing one
   * is put back, and so is what keeps the roles in order (warning `pairs_completed`).
   *
   * An exception, a rejection or `error` becomes the `cause` of a `provider_failed`. A result that breaks the conversation (`broken_result`) or makes it larger
   * (`context_grew`) is refused. A promise that never settles is given up when `options.signal` aborts, and does not keep the process alive.
   */
  condense(context: ProviderContext<M>, options: ProviderOptions): ProviderResult<M> | PromiseLike<ProviderResult<M>>;
}

/**
 * A built-in provider. Use it on its own, or register it with a manager.
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
  /** The JSON Schema (2020-12) of the configuration, with defaults. */
  getConfigSchema(): Record<string, unknown>;
  /** The component of `roo-condense/ui` that edits the configuration; `null` where a form made from the schema is enough. */
  getConfigComponent(): ConfigComponent | null;
  /** Checks a configuration without throwing. */
  validateConfig(config: unknown): ConfigValidation;
  /**
   * Condenses with this provider alone: no fallback, no metrics, no summary cache, no cost limit, encoding `o200k_base`, scale 1. Rejects for wrong arguments
   * only; failures are in `result.error`.
   * @throws {TypeError | RangeError} see {@link ArgumentErrorCode}
   */
  condense<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<CondensationResult<M>>;
  /**
   * Estimates what `condense` would save, without calling an LLM. `config` and `options` as for `condense`: a provider that uses an LLM needs its handler to
   * know the price.
   */
  estimateReduction<M extends MessageLike>(
    context: ConversationContext<M>,
    config?: Config,
    options?: ProviderCallOptions,
  ): Promise<TokenEstimate>;
  /** Previews, step by step, what `condense` would do, without calling an LLM. Arguments as for `condense`. */
  preview<M extends MessageLike>(
    context: ConversationContext<M>,
    options?: ProviderCallOptions & { config?: Config | undefined },
  ): Promise<Preview<M>>;
  /** Estimates the dollars that `condense` would cost; `undefined` if a model would be called whose price is not known. Arguments as for `estimateReduction`. */
  estimateCost<M extends MessageLike>(
    context: ConversationContext<M>,
    config?: Config,
    options?: ProviderCallOptions,
  ): Promise<number | undefined>;
}

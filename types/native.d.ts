// The native provider.

import type { ConfiguredProtect } from "./protect.js";
import type { BuiltInProvider } from "./providers.js";

/** How to treat a summary that misses items it must keep; see {@link SummaryQuality}. */
export interface SummaryCheckConfig {
  /** Smallest acceptable share of those items, 0 to 1. Default: 0.8. */
  minScore?: number | undefined;
  /** Whether to request a summary below it a second time, naming the missing items; the better summary is used. Default: true. */
  askAgain?: boolean | undefined;
  /** Whether to append what is still missing, word for word, in at most 800 tokens. Default: true. */
  complete?: boolean | undefined;
  /**
   * Whether to ask the model, for a summary below `minScore`, which of the missing constraints and tasks it covers in other words: one more small request.
   * Default: false.
   */
  askModel?: boolean | undefined;
}

/** Configuration of the native provider. */
export interface NativeConfig {
  /** Number of newest messages to leave unchanged, 1 to 10; more if roles or tool pairs require it. Default: 3. */
  maxMessagesToKeep?: number | undefined;
  /** The system prompt for summaries. The call's or the profile's prompt wins. Default, and if blank: the built-in prompt. */
  customCondensingPrompt?: string | undefined;
  /**
   * The manager's profile (`ManagerOptions.profiles`) whose handler and price to use for the summary. Default, and with the warning `handler_missing` if the
   * profile has no handler: the condensing handler.
   */
  condensingApiConfigId?: string | undefined;
  /**
   * Context window of the condensing model in tokens, 1024 to 100,000,000, if its handler does not know it. Longer histories are summarised in parts, which are
   * then merged. Default: 128,000.
   */
  contextWindow?: number | undefined;
  /** Number of parts of a long history to summarise at the same time, 1 to 16. Default: 3. */
  maxConcurrency?: number | undefined;
  /** Content to keep word for word beside the summary, in addition to what the call and the manager protect. Default: nothing. */
  protect?: ConfiguredProtect | undefined;
  /**
   * Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The
   * largest of manager, call and configuration wins. Default: 0.
   */
  frozenMessages?: number | undefined;
  /**
   * How to request the summary. `append`: as your application's own request (`context.tools`, `context.systemPrompt` and the messages, byte for byte) with one
   * message appended, so that the service reads the rest from its prompt cache, at about a tenth of the price. `own`: as a separate request. `auto`: `append`
   * if the same handler serves conversation and summaries, `context.tools` is given, the messages are the input messages, and the handler supports it
   * (Anthropic's API, and custom handlers); else `own`. If the request does not fit the model's window, parts are summarised, as with `own`. Default: `auto`.
   */
  summaryRequest?: "auto" | "append" | "own" | undefined;
  /**
   * How to treat a summary that misses names in use, changed files, open tasks or constraints of the user: `true` for the defaults of {@link
   * SummaryCheckConfig}, `false` for nothing. `result.summaryQuality` reports it anyway. Default: false.
   */
  summaryCheck?: boolean | SummaryCheckConfig | undefined;
}

/**
 * Creates the native provider, id `native`: one summary by a model replaces everything between the first message and the newest ones. With a `targetTokens`,
 * the rest of the target is filled with what a reader needs most besides: a log, and unchanged messages. It needs a handler; without one, the result has the
 * error `handler_invalid`.
 * @throws {TypeError | RangeError} `invalid_config`, `out_of_range`, `invalid_argument`
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-5-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const result = await createNativeProvider({ maxMessagesToKeep: 5 }).condense({ messages, systemPrompt }, { handler });
 * console.log(result.error?.message ?? result.summary);
 * ```
 *
 * A summary that misses items it must keep is requested a second time, and then completed.
 *
 * @example
 * ```ts
 * import { createNativeProvider, httpHandler } from "roo-condense";
 *
 * const handler = httpHandler({ api: "anthropic", model: "claude-haiku-5-5", apiKey: process.env.ANTHROPIC_API_KEY });
 * const { summaryQuality } = await createNativeProvider({ summaryCheck: { minScore: 0.9 } }).condense({ messages }, { handler });
 * for (const { kind, text } of summaryQuality?.missing ?? []) console.warn(`the summary misses the ${kind}: ${text}`);
 * ```
 */
export function createNativeProvider(config?: NativeConfig): BuiltInProvider<NativeConfig>;
